// SPDX-License-Identifier: Apache-2.0
// Device programs: reads an ELF made by qsm-cc into an image that can be put at any page, or a part
// of a page above it.
#ifndef QSM_ELF_H
#define QSM_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qsm_program;

struct qsm_argument {
  uint32_t bytes, align;
  uint32_t by_reference;  // 1: larger than 8 bytes, the calling convention passes its address
  const char *type;
  bool is_signed;  // narrower than a word, it is widened with its sign
};

// What the program's note says of a kernel (docs/programming.md, P-ELF-5).
struct qsm_kernel {
  const char *name;
  uint32_t offset, stack_bytes,
      shared_bytes;  // in the image; of a thread, with arguments on it; of a block, declared
  bool stack_known;  // by the compiler; else the user has said it
  uint32_t n_arguments;
  const struct qsm_argument *arguments;
  const char *signature;  // NULL: of an assembler source, nothing is known of its arguments
};

// Reads and checks the file. Returns 0 and sets *out, or -1 with a message (no such file, not ELF,
// wrong machine, layout).
int qsm_program_load(const char *path, struct qsm_program **out, char *msg, size_t msg_len);
// One more user of the program, which is there until each of them has freed it. Not across threads.
struct qsm_program *qsm_program_share(struct qsm_program *program);
void qsm_program_free(struct qsm_program *program);  // NULL is fine

// How far above a page the image may begin: the most up to `wanted` bytes that keep its alignments
// and the code off the data's pages.
uint32_t qsm_program_shift(const struct qsm_program *program, uint32_t wanted);
const uint8_t *qsm_program_image(const struct qsm_program *program);
uint32_t qsm_program_image_bytes(const struct qsm_program *program);  // code, data and bss
uint32_t qsm_program_code_bytes(
    const struct qsm_program *program);  // multiple of 4096: where data begins, and its window
uint32_t qsm_program_entry(const struct qsm_program *program);  // offset of _start in the image
uint32_t qsm_program_shared_bytes(
    const struct qsm_program *program);  // shared memory that the program declares
// NULL: no such kernel.
const struct qsm_kernel *qsm_program_kernel(const struct qsm_program *program, const char *name);
// The program's kernels, from i = 0 on; NULL behind the last.
const struct qsm_kernel *qsm_program_kernel_at(const struct qsm_program *program, uint32_t i);

#endif
