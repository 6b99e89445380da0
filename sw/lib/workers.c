// SPDX-License-Identifier: Apache-2.0
// What workers ask of memory (docs/workers.md), linked into programs made by `qsm-cc --workers`.
// The loop calls the first two before a kernel has a stack: they must not need one.
#include <qsm.h>
#include <stdbool.h>

_Thread_local unsigned qsm_worker_left, qsm_worker_next;
_Thread_local _Alignas(4) unsigned char qsm_worker_ends[4];

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

static unsigned place_at(unsigned state, unsigned number) {
  return state + QSM_WORKER_PLACES + number * QSM_WORKER_PLACE_BYTES;
}

// Lamport, "A fast mutual exclusion algorithm", ACM Transactions on Computer Systems 5(1), 1987:
// loads and stores only. Those who may meet here are workers on one SM; each is known by the warp
// slot of its first warp.
static inline void lock(unsigned place, unsigned own, unsigned n_slots) {
  unsigned wants = place + QSM_WORKER_WANTS + 4 * own, id = own + 1;
  for (;;) {
    *word(wants) = 1;
    store(place + QSM_WORKER_DOOR, id);
    if (*word(place + QSM_WORKER_INSIDE) == 0) {
      store(place + QSM_WORKER_INSIDE, id);
      if (*word(place + QSM_WORKER_DOOR) == id) return;
      store(wants, 0);
      for (unsigned i = 0; i < n_slots; i++) wait_for_zero(place + QSM_WORKER_WANTS + 4 * i);
      if (*word(place + QSM_WORKER_INSIDE) == id) return;
    } else {
      store(wants, 0);
    }
    wait_for_zero(place + QSM_WORKER_INSIDE);
  }
}

// What was stored inside is seen by everybody. The worker's next barrier waits for these two.
static inline void unlock(unsigned place, unsigned own) {
  *word(place + QSM_WORKER_INSIDE) = 0;
  *word(place + QSM_WORKER_WANTS + 4 * own) = 0;
}

// rh: the worker's place in the range, or QSM_WORKER_LEAVE if another worker has had it. Block b of
// the launch is for place b / NumSms of whatever SM it is on, so workers only meet here when the
// launch did not spread evenly.
unsigned qsm_worker_claim(unsigned job) {
  unsigned smid = qsm_smid(), n_slots = job_word(job, QSM_JOB_WARPS_PER_SM),
           own = qsm_hwtid() / warpSize - smid * n_slots, per_sm = job_word(job, QSM_JOB_PER_SM),
           n_sms = QSM_CSR(0xCC7) / per_sm, own_place = QSM_CSR(0xCC1) / n_sms;
  unsigned place = place_at(job_word(job, QSM_JOB_STATE), smid * per_sm + own_place);
  lock(place, own, n_slots);
  unsigned taken = *word(place + QSM_WORKER_TAKEN);
  if (!taken) store(place + QSM_WORKER_TAKEN, 1);
  unlock(place, own);
  return taken ? (unsigned)QSM_WORKER_LEAVE
               : own_place * job_word(job, QSM_JOB_COUNT) + smid - job_word(job, QSM_JOB_FIRST);
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

// Thread `tid` of `step` looks at its part of the places; whether one has not been taken.
static bool misses_some(unsigned state, unsigned first, unsigned n, unsigned tid, unsigned step) {
  unsigned missing = 0;
  for (unsigned i = tid; i < n; i += step)
    missing |= !*word(place_at(state, first + i) + QSM_WORKER_TAKEN);
  return missing;
}

// A block of its own behind the workers, alone on the slot: tells the host whether something is
// left to do, and if not, makes all ready for the next launch. The host has cleared the report.
__global__ void qsm_workers_close(unsigned state, unsigned form, unsigned first, unsigned n_places,
                                  unsigned n_tasks) {
  unsigned tid = qsm_tid(), step = blockDim.x * blockDim.y * blockDim.z;
  volatile unsigned *someone = &qsm_worker_left;
  bool left = form == QSM_FORM_RH ? misses_some(state, first, n_places, tid, step)
                                  : tid == 0 && *word(state + QSM_WORKER_QUEUE) < n_tasks;
  if (left) {
    *someone = 1;
    *word(state + QSM_WORKER_REPORT) = 1;
  }
  meet();
  if (tid == 0) *word(state + QSM_WORKER_RETREAT) = 0;
  if (*someone) return;
  if (tid == 0) *word(state + QSM_WORKER_QUEUE) = 0;
  if (form != QSM_FORM_RH) return;
  for (unsigned i = tid; i < n_places; i += step)
    *word(place_at(state, first + i) + QSM_WORKER_TAKEN) = 0;
}
