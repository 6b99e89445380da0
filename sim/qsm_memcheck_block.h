// SPDX-License-Identifier: Apache-2.0
// For `qsm memcheck`: what the threads of a living block have done to its shared memory and stacks,
// and where they wait (docs/memcheck.md).
#ifndef QSM_MEMCHECK_BLOCK_H
#define QSM_MEMCHECK_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_events.h"

struct qsm_mc_block;

// A thread's access to bytes of which it reads or writes each.
struct qsm_mc_touch {
  enum qsm_access_kind kind;
  uint32_t tid, pc;
  uint32_t bytes;
  uint32_t value;  // of a store
};

struct qsm_mc_verdict {
  bool uninitialised;
  bool races;  // with this access since the last barrier:
  enum qsm_access_kind other_kind;
  uint32_t other_tid, other_pc;
};

enum { QSM_MC_MOST_PLACES = 8 };

// Where a block's threads wait, places in the order of threads: the first thread at each.
struct qsm_mc_barrier {
  uint32_t n_waiting, n_places;
  struct {
    uint32_t tid, pc;
  } place[QSM_MC_MOST_PLACES];
  uint32_t n_exited, exited_tid;  // the first of those that have ended
};

// NULL: no memory.
struct qsm_mc_block *qsm_mc_block_create(uint32_t n_threads, uint32_t shared_bytes,
                                         uint32_t stack_bytes);
void qsm_mc_block_destroy(struct qsm_mc_block *block);  // NULL is fine

// Bytes from an offset in the block's shared memory on, all of which it has.
struct qsm_mc_verdict qsm_mc_block_shared(struct qsm_mc_block *block, uint32_t offset,
                                          const struct qsm_mc_touch *touch);
// Bytes from an offset in the thread's stack on, likewise; true if it reads what is not
// initialised.
bool qsm_mc_block_stack(struct qsm_mc_block *block, uint32_t offset,
                        const struct qsm_mc_touch *touch);

void qsm_mc_block_wait(struct qsm_mc_block *block, uint32_t tid, uint32_t pc);
void qsm_mc_block_exit(struct qsm_mc_block *block, uint32_t tid);
// All threads that have not ended wait, and go on.
struct qsm_mc_barrier qsm_mc_block_release(struct qsm_mc_block *block);

#endif
