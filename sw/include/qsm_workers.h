// SPDX-License-Identifier: Apache-2.0
// Device header of programs with persistent workers (`qsm-cc --workers`, docs/workers.md). qsm.h
// includes it: a kernel's source stays as it is. A thread block of the launch is a worker, the
// kernel's own blocks are tasks; what a kernel calls its block is the task's.
//
// The worker's loop (sw/crt0_workers.S) leaves the task in two registers that the compiler keeps
// off: s11 = x | y << 16, s10 = z | parity of the barrier's round << 16 | of the task << 17.
#ifndef QSM_WORKERS_H
#define QSM_WORKERS_H

#include "qsm_worker_job.h"

static inline struct qsm_dim3 qsm_block_idx(void) {
  struct qsm_dim3 idx;
  __asm__("slli %0, s11, 16\n\tsrli %0, %0, 16" : "=r"(idx.x));
  __asm__("srli %0, s11, 16" : "=r"(idx.y));
  __asm__("slli %0, s10, 16\n\tsrli %0, %0, 16" : "=r"(idx.z));
  return idx;
}

static inline unsigned qsm_worker_job(int offset) {
  return *(const unsigned *)(QSM_CSR(0xCCC) + (unsigned)offset);
}

static inline struct qsm_dim3 qsm_grid_dim(void) {
  return (struct qsm_dim3){qsm_worker_job(QSM_JOB_GRID_X), qsm_worker_job(QSM_JOB_GRID_Y),
                           qsm_worker_job(QSM_JOB_GRID_Z)};
}

// In shared memory: how many threads have left the task; whether the last one has left it before a
// round, by task and round modulo 2; the next task.
extern _Thread_local unsigned qsm_worker_left, qsm_worker_next;
extern _Thread_local unsigned char qsm_worker_ends[4];

// Threads that have left the task wait at barriers of their own, and count rounds like these. The
// symbol tells the loop that the program has barriers at all.
static inline void __syncthreads(void) {
  __asm__ volatile(
      ".globl qsm_worker_barriers\n\t"
      ".set qsm_worker_barriers, 1\n\t"
      "fence rw, w\n\t"
      ".insn i 0x0b, 0, x0, x0, 0\n\t"
      "xor s10, s10, %0" ::"r"(1u << 16)
      : "memory");
}

// It would end the worker, and with it the tasks behind this one.
__attribute__((error(
    "a kernel that runs in workers ends a thread by `return`, not by qsm_exit()"))) _Noreturn void
qsm_exit(void);

#endif
