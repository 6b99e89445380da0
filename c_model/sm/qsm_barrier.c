// SPDX-License-Identifier: Apache-2.0
// Warps left and warps at the barrier.
#include "qsm_barrier.h"

#include "qsm_sm_blocks.h"

static void update(struct qsm_barrier *barrier, uint32_t tb) {
  uint32_t bit = 1u << tb;
  uint8_t left = barrier->left[tb], arrived = barrier->arrived[tb];
  barrier->complete =
      arrived == left && arrived != 0 ? barrier->complete | bit : barrier->complete & ~bit;
  barrier->empty = left == 0 ? barrier->empty | bit : barrier->empty & ~bit;
}

void qsm_barrier_begin(struct qsm_barrier *barrier, uint32_t tb, uint32_t n_warps) {
  barrier->left[tb] = (uint8_t)n_warps;
  barrier->arrived[tb] = 0;
  update(barrier, tb);
}

void qsm_barrier_arrive(struct qsm_barrier *barrier, uint32_t tb) {
  barrier->arrived[tb]++;
  update(barrier, tb);
}

void qsm_barrier_finish(struct qsm_barrier *barrier, uint32_t tb) {
  barrier->left[tb]--;
  update(barrier, tb);
}

void qsm_barrier_clear(struct qsm_barrier *barrier, uint32_t tb) {
  barrier->arrived[tb] = 0;
  update(barrier, tb);
}

bool qsm_barrier_flip(struct qsm_flip *flip, struct qsm_sm *sm) {
  struct qsm_barrier *barrier = &sm->barrier;
  if (!sm->launch.valid) return false;
  uint32_t s = qsm_ctz(sm->launch.valid);
  if (barrier->arrived[s])
    qsm_flip_small(flip, &barrier->arrived[s], qsm_flip_draw(flip, 3), "arrived", s);
  else
    qsm_flip_small(flip, &barrier->left[s], qsm_flip_draw(flip, 3), "left", s);
  update(barrier, s);
  return true;
}
