// SPDX-License-Identifier: Apache-2.0
// Functional reference of the instruction set, for tests only: a scalar RV32IM + AMO interpreter
// with no idea of warps or time, written from docs/isa.md. The threads of a block take turns, so
// barriers, spinning threads and atomics work; blocks run one after another. What it computes is
// what any qsm GPU must compute for a program without data races.
//
// Not a model of time: `cycle` counts executed thread instructions, `mask` has only the thread's
// own bit, smid is 0 and hwtid is the thread's index in its block.
#ifndef QSM_REF_SIM_H
#define QSM_REF_SIM_H

#include <stddef.h>
#include <stdint.h>

enum { QSM_REF_R = 1, QSM_REF_W = 2, QSM_REF_X = 4 };

struct qsm_ref_window {
  uint32_t base, limit;  // base <= addr < limit
  uint32_t rights;       // QSM_REF_R | QSM_REF_W | QSM_REF_X
};

struct qsm_ref_launch {
  uint32_t entry, arg;
  uint32_t grid[3], block[3];
  uint32_t shared_bytes;
  uint32_t local_bytes;  // of each thread, at the top of the address space: a power of two, or 0
  uint32_t warp_size, slot;  // what the CSRs of these names say
  struct qsm_ref_window windows[2];
  uint64_t max_instructions;  // the run stops with QSM_REF_LIMIT after so many
};

struct qsm_ref_fault {
  uint32_t cause, pc, tid, block, value;
};

enum qsm_ref_status { QSM_REF_DONE, QSM_REF_FAULT, QSM_REF_LIMIT, QSM_REF_NO_MEMORY };

struct qsm_ref_result {
  uint64_t n_instructions;  // thread instructions, faulting one included
  struct qsm_ref_fault fault;
};

struct qsm_ref;

// Device memory of mem_bytes zeros from mem_base. NULL when the host has no room.
struct qsm_ref *qsm_ref_create(uint32_t mem_base, size_t mem_bytes);
void qsm_ref_destroy(struct qsm_ref *ref);

// Device memory at `addr`, or NULL when the range is not inside it. Windows do not matter here.
uint8_t *qsm_ref_at(struct qsm_ref *ref, uint32_t addr, size_t n_bytes);

// Runs a whole grid. An access inside a window but outside device memory is an access fault, too.
enum qsm_ref_status qsm_ref_run(struct qsm_ref *ref, const struct qsm_ref_launch *launch,
                                struct qsm_ref_result *result);

// One thread by itself, for tests of single instructions.
struct qsm_ref_thread {
  uint32_t x[32];
  uint32_t pc, tid;
  uint32_t ctaid[3];
  int exited, at_barrier;
  uint8_t *local;  // launch->local_bytes of them
};

// Executes one instruction of `thread` as part of `launch`, with `shared` as the block's
// launch->shared_bytes + 3 bytes of shared memory (I-MEM-2 lets a word begin at the last byte).
// Returns 0, or -1 with *fault filled and the thread unchanged.
int qsm_ref_step(struct qsm_ref *ref, const struct qsm_ref_launch *launch, uint8_t *shared,
                 struct qsm_ref_thread *thread, struct qsm_ref_fault *fault);

#endif
