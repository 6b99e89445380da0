// SPDX-License-Identifier: Apache-2.0
// The TB scheduler with SMs that only take notes: what the tests of its parts run on.
#ifndef SCHED_BENCH_H
#define SCHED_BENCH_H

#include "model_support.h"
#include "qsm_ctrl.h"
#include "qsm_tb_sched.h"

struct bench {
  struct qsm_config config;
  struct qsm_ctrl ctrl;  // for its registers
  struct notes *notes;
  struct qsm_tb_sched *ts;
  uint64_t cycle;                   // next
  uint32_t ratio[QSM_MAX_KERNELS];  // r_k of the QoS manager, for who has the adjuster begin a pass
};

// A tenant with one launch. A kernel with a goal is behind it unless the test says otherwise.
enum { SCHED_BEHIND = 0x18000 };
struct tenant {
  bool qos;
  uint32_t grid, warps, granules;
};

// Out of reset, in cycle 0. Close it with sched_close().
void sched_open(struct bench *bench, struct qsm_config config);
void sched_close(struct bench *bench);
// Runs cycles up to `to` - 1 as the GPU does: only those that the scheduler asks for.
void run_to(struct bench *bench, uint64_t to);
// An arrival, in the next cycle, with a save area and all that a LAUNCH needs.
void sched_add_tenant(struct bench *bench, uint32_t k, const struct tenant *tenant);
// TB slot of a slot's n-th dispatch on an SM; fails if there were not so many.
uint32_t sched_place_of(const struct bench *bench, uint32_t k, uint32_t sm, uint32_t n);

#endif
