// SPDX-License-Identifier: Apache-2.0
// Loads a program that qsm-cc made into a reference's memory and launches its kernels, as
// docs/isa.md ("Kernel entry") and docs/programming.md ("The program file") say. For tests only.
#ifndef QSM_REF_PROGRAM_H
#define QSM_REF_PROGRAM_H

#include "ref_sim.h"

struct qsm_ref_program {
  struct qsm_ref *ref;  // not owned
  uint8_t *file;
  size_t file_bytes;
  uint32_t load_offset;           // load address minus link address
  uint32_t entry;                 // loaded
  uint32_t text_base, data_base;  // loaded; multiples of 4096
  uint32_t image_end;             // first free address: behind the image and not below data_base
  uint32_t shared_bytes;          // static shared memory of a block
};

// Reads the ELF at `path` and copies its segments to `base`, a multiple of 4096. Returns 0, or -1
// with a text in *error (static).
int qsm_ref_program_load(struct qsm_ref_program *program, struct qsm_ref *ref, const char *path,
                         uint32_t base, const char **error);
void qsm_ref_program_destroy(struct qsm_ref_program *program);

// Loaded address of a symbol, or 0 when there is none.
uint32_t qsm_ref_program_symbol(const struct qsm_ref_program *program, const char *name);

// What the note says of a kernel (P-ELF-5).
struct qsm_ref_kernel {
  uint32_t offset, stack_bytes, shared_bytes, flags, n_arguments;
  const char *name, *signature;
  const uint8_t *arguments;  // of 16 bytes each
  const char *strings;
};

// Returns 0, or -1 when there is no kernel of this name.
int qsm_ref_program_kernel(const struct qsm_ref_program *program, const char *name,
                           struct qsm_ref_kernel *kernel);

enum { QSM_REF_IMAGE_BYTES = 304, QSM_REF_ARGUMENT_BYTES = 40 + QSM_REF_IMAGE_BYTES };

struct qsm_ref_call {
  const char *symbol;
  uint32_t grid[3], block[3];
  uint32_t shared_bytes;  // dynamic
  uint32_t args[8];       // a0..a7
  uint32_t image[QSM_REF_IMAGE_BYTES / 4];
  uint32_t image_bytes;  // of the stack, a multiple of 16
  uint32_t stack_bytes;  // a power of two; 0: as the note says
  uint32_t warp_size;
  uint32_t scratch;  // device memory for the argument block
  uint32_t
      window_end;  // end of the data window, a multiple of 4096; all data of the kernel lies below
  uint64_t max_instructions;
};

// Runs one kernel. QSM_REF_NO_MEMORY also when the kernel or the room at `scratch` is missing.
enum qsm_ref_status qsm_ref_program_call(const struct qsm_ref_program *program,
                                         const struct qsm_ref_call *call,
                                         struct qsm_ref_result *result);

#endif
