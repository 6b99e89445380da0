// SPDX-License-Identifier: Apache-2.0
// Random device programs: every instruction of docs/isa.md, divergence, loops, calls, barriers,
// atomics, spinning threads, faults.
#ifndef QSM_FUZZ_PROGRAM_H
#define QSM_FUZZ_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_config.h"
#include "qsm_random.h"

enum { QSM_FUZZ_MAX_WORDS = 768, QSM_FUZZ_DATA_BYTES = 8192 };

// Programs whose memory at the end does not depend on the order of threads: each has bytes of its
// own, besides inputs that nobody writes and counters that all add to.
enum qsm_fuzz_order {
  QSM_FUZZ_ANY_ORDER,  // threads write where they like
  QSM_FUZZ_ORDERLESS,
  QSM_FUZZ_IDEMPOTENT,  // and a block may be started again: it adds to nothing and reads nothing
                        // that it has written to device memory
};
enum {
  QSM_FUZZ_OWN_BYTES = 16,       // of a thread, in device memory and in shared memory
  QSM_FUZZ_INPUT_OFFSET = 4096,  // own bytes before it: threads of the grid are at most
                                 // QSM_FUZZ_INPUT_OFFSET / QSM_FUZZ_OWN_BYTES
  QSM_FUZZ_COUNTER_BYTES = 64,   // at the end of the data
};

struct qsm_fuzz_request {
  uint32_t log2_stack;    // of the bytes of a thread's stack (I-MEM-6), at both ends of which the
                          // program accesses it; 0: no local accesses but faults
  uint32_t data;          // address of QSM_FUZZ_DATA_BYTES that the program reads and writes
  uint32_t shared_bytes;  // of a block; 0: no shared accesses
  bool may_fault;
  bool fpu;                   // with floating point
  enum qsm_fuzz_order order;  // else than ANY_ORDER: a grid of one dimension, no faults, and
                              // shared_bytes of at least
  uint32_t block_threads;     // QSM_FUZZ_OWN_BYTES for each thread of a block and 16 more
};

// A value for STACK: stacks of a random size for a launch with blocks of so many warps, in the last
// `most` bytes before address `end`, a multiple of 4096; 0 (none) now and then, and where the
// smallest do not fit.
uint32_t qsm_fuzz_stack(struct qsm_random *random, const struct qsm_config *config,
                        uint32_t block_warps, uint32_t end, uint32_t most);

// Writes a program of up to QSM_FUZZ_MAX_WORDS instructions, position-independent, entered at word
// 0; returns its length in words. Without a fault every thread ends after a bounded number of
// instructions.
uint32_t qsm_fuzz_program(struct qsm_random *random, const struct qsm_fuzz_request *request,
                          uint32_t *words);

#endif
