// SPDX-License-Identifier: Apache-2.0
// Random device programs: every instruction of docs/isa.md, divergence, loops, calls, barriers, atomics, spinning threads, faults.
#ifndef QSM_FUZZ_PROGRAM_H
#define QSM_FUZZ_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_random.h"

enum { QSM_FUZZ_MAX_WORDS = 768, QSM_FUZZ_DATA_BYTES = 8192 };

struct qsm_fuzz_request {
  uint32_t data;          // address of QSM_FUZZ_DATA_BYTES that the program reads and writes
  uint32_t shared_bytes;  // of a block; 0: no shared accesses
  bool may_fault;
};

// Writes a program of up to QSM_FUZZ_MAX_WORDS instructions, position-independent, entered at word 0; returns its length in words.
// Without a fault every thread ends after a bounded number of instructions.
uint32_t qsm_fuzz_program(struct qsm_random *random, const struct qsm_fuzz_request *request, uint32_t *words);

#endif
