// SPDX-License-Identifier: Apache-2.0
// Arguments of a launch as a kernel finds them: in registers, and at the end of its stack
// (docs/isa.md, I-ENT-2).
#ifndef QSM_ARGUMENTS_H
#define QSM_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "qsm_elf.h"
#include "qsm_runtime.h"

enum { QSM_ARGUMENT_REGISTERS = 8, QSM_MOST_ARGUMENT_BYTES = 256, QSM_MOST_STACK_BYTES = 304 };

struct qsm_entry_arguments {
  uint32_t registers[QSM_ARGUMENT_REGISTERS];  // a0..a7
  uint32_t n_stack_bytes;                      // multiple of 16
  uint8_t stack[QSM_MOST_STACK_BYTES];         // of local addresses from 2^32 - n_stack_bytes on
};

// Lays the values out as the kernel's arguments. Returns 0, or -1 with both signatures in the
// message: their number or sizes do not fit. Of a kernel that says nothing of its arguments, each
// is a word.
int qsm_arguments_lay_out(const struct qsm_kernel *kernel, const qsmArgument *values,
                          uint32_t n_values, struct qsm_entry_arguments *entry, char *msg,
                          size_t msg_len);
// The same of words: each is an argument of up to 4 bytes.
int qsm_arguments_of_words(const struct qsm_kernel *kernel, const uint32_t *words, uint32_t n_words,
                           struct qsm_entry_arguments *entry, char *msg, size_t msg_len);

#endif
