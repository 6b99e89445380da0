// SPDX-License-Identifier: Apache-2.0
// What workers ask of memory (docs/workers.md), linked into programs made by `qsm-cc --workers`.
// The loop calls the first two before a kernel has a stack: they must not need one.
#include <qsm.h>

_Thread_local unsigned qsm_worker_busy[2], qsm_worker_next[2];

static unsigned job_word(unsigned job, int offset) {
  return *(const unsigned *)(job + (unsigned)offset);
}
static volatile unsigned *word(unsigned address) { return (volatile unsigned *)address; }

// Stores and waits until everybody sees it; this thread's later loads are as new.
static inline void store(unsigned address, unsigned value) {
  *word(address) = value;
  __threadfence();
}

static inline void wait_for_zero(unsigned address) {
  while (*word(address) != 0) __threadfence();
}

// Lamport, "A fast mutual exclusion algorithm", ACM Transactions on Computer Systems 5(1), 1987:
// loads and stores only. Those who may meet here are workers on one SM; each is known by the warp
// slot of its first warp.
static inline void lock(unsigned sm, unsigned own, unsigned n_slots) {
  unsigned wants = sm + QSM_WORKER_WANTS + 4 * own, id = own + 1;
  for (;;) {
    *word(wants) = 1;
    store(sm + QSM_WORKER_DOOR, id);
    if (*word(sm + QSM_WORKER_INSIDE) == 0) {
      store(sm + QSM_WORKER_INSIDE, id);
      if (*word(sm + QSM_WORKER_DOOR) == id) return;
      store(wants, 0);
      for (unsigned i = 0; i < n_slots; i++) wait_for_zero(sm + QSM_WORKER_WANTS + 4 * i);
      if (*word(sm + QSM_WORKER_INSIDE) == id) return;
    } else {
      store(wants, 0);
    }
    wait_for_zero(sm + QSM_WORKER_INSIDE);
  }
}

static inline void unlock(unsigned sm, unsigned own) {
  store(sm + QSM_WORKER_INSIDE, 0);
  store(sm + QSM_WORKER_WANTS + 4 * own, 0);
}

// rh: the worker's place in the range, or QSM_WORKER_LEAVE if its SM has had all of its workers.
unsigned qsm_worker_claim(unsigned job) {
  unsigned smid = qsm_smid(), n_slots = job_word(job, QSM_JOB_WARPS_PER_SM),
           own = qsm_hwtid() / warpSize - smid * n_slots,
           sm = job_word(job, QSM_JOB_STATE) + QSM_WORKER_SMS + smid * QSM_WORKER_SM_BYTES,
           per_sm = job_word(job, QSM_JOB_PER_SM), place = (unsigned)QSM_WORKER_LEAVE;
  lock(sm, own, n_slots);
  unsigned had = *word(sm + QSM_WORKER_HAD);
  if (had < per_sm) {
    store(sm + QSM_WORKER_HAD, had + 1);
    place = (smid - job_word(job, QSM_JOB_FIRST)) * per_sm + had;
  }
  unlock(sm, own);
  return place;
}

// slate: the next task, or QSM_WORKER_LEAVE. The host sets the flag while workers run, so it is
// looked at behind a fence.
unsigned qsm_worker_pop(unsigned job) {
  unsigned state = job_word(job, QSM_JOB_STATE);
  __threadfence();
  if (*word(state + QSM_WORKER_RETREAT)) return (unsigned)QSM_WORKER_LEAVE;
  return atomicAdd((unsigned *)(state + QSM_WORKER_QUEUE), 1);
}

static void meet(void) {
  __asm__ volatile("fence rw, w\n\t.insn i 0x0b, 0, x0, x0, 0" ::: "memory");
}

static unsigned count_missing(unsigned state, unsigned first, unsigned count, unsigned per_sm) {
  unsigned missing = 0;
  for (unsigned i = qsm_tid(), step = blockDim.x * blockDim.y * blockDim.z; i < count; i += step)
    missing += per_sm -
               *word(state + QSM_WORKER_SMS + (first + i) * QSM_WORKER_SM_BYTES + QSM_WORKER_HAD);
  return missing;
}

// A block of its own behind the workers, alone on the slot: tells the host whether something is
// left to do, and if not, makes all ready for the next launch. The host has cleared the report.
__global__ void qsm_workers_close(unsigned state, unsigned form, unsigned first, unsigned count,
                                  unsigned per_sm, unsigned n_tasks) {
  unsigned step = blockDim.x * blockDim.y * blockDim.z, left = 0;
  volatile unsigned *someone = &qsm_worker_busy[0];
  if (form == QSM_FORM_RH)
    left = count_missing(state, first, count, per_sm);
  else if (qsm_tid() == 0 && *word(state + QSM_WORKER_QUEUE) < n_tasks)
    left = 1;
  if (left) {
    *someone = 1;
    *word(state + QSM_WORKER_REPORT) = 1;
  }
  meet();
  if (qsm_tid() == 0) *word(state + QSM_WORKER_RETREAT) = 0;
  if (*someone) return;
  if (qsm_tid() == 0) *word(state + QSM_WORKER_QUEUE) = 0;
  if (form != QSM_FORM_RH) return;
  for (unsigned i = qsm_tid(); i < count; i += step)
    *word(state + QSM_WORKER_SMS + (first + i) * QSM_WORKER_SM_BYTES + QSM_WORKER_HAD) = 0;
}
