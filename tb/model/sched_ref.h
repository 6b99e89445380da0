// SPDX-License-Identifier: Apache-2.0
// Tables of an SM kept by single things, for references that the scheduler's own tables are
// compared with.
#ifndef SCHED_REF_H
#define SCHED_REF_H

#include "sched_bench.h"

struct ref_sm {
  bool used[32];
  uint32_t kernel[32], first[32], base[32], age[32];
  bool granule_used[32];
  uint32_t warps_left[4], first_sub;
};

// Of all SMs, empty.
void ref_open(const struct bench *bench, struct ref_sm *sms);
// As the dispatches left them; no block has retired. The scheduler's own places are tested in
// test_tb_sched.
void ref_follow(const struct bench *bench, struct ref_sm *sms);
// The block takes its place, or gives it back (sign -1).
void ref_put(const struct bench *bench, struct ref_sm *sm, uint32_t tb, int sign);
bool ref_fits(const struct bench *bench, const struct ref_sm *sm, uint32_t k, uint32_t *tb,
              uint32_t *base);
void ref_dispatch(const struct bench *bench, struct ref_sm *sm, uint32_t tb, uint32_t k,
                  uint32_t base);
// The youngest block of the kernel that has its place here; -1: none has.
int ref_youngest(const struct bench *bench, const struct ref_sm *sm, uint32_t k);

#endif
