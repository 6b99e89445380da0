// SPDX-License-Identifier: Apache-2.0
#include "sched_ref.h"

#include <string.h>

static const struct qsm_desc *shape(const struct bench *bench, uint32_t k) {
  return &bench->ctrl.regs.shared.desc[k];
}

void ref_put(const struct bench *bench, struct ref_sm *sm, uint32_t tb, int sign) {
  const struct qsm_desc *desc = shape(bench, sm->kernel[tb]);
  sm->used[tb] = sign > 0;
  for (uint32_t g = 0; g < desc->granules; g++) sm->granule_used[sm->base[tb] + g] = sign > 0;
  for (uint32_t w = 0; w < desc->warps; w++)
    sm->warps_left[(sm->first[tb] + w) % bench->config.num_sched] -= (uint32_t)sign;
}

// R-TB-10: warp after warp, from each sub-core on in turn; 4: nowhere.
static uint32_t first_sub(const struct bench *bench, const struct ref_sm *sm, uint32_t k) {
  for (uint32_t tries = 0; tries < bench->config.num_sched; tries++) {
    uint32_t left[4], f = (sm->first_sub + tries) % bench->config.num_sched, w = 0;
    memcpy(left, sm->warps_left, sizeof left);
    while (w < shape(bench, k)->warps && left[(f + w) % bench->config.num_sched]-- > 0) w++;
    if (w == shape(bench, k)->warps) return f;
  }
  return 4;
}

bool ref_fits(const struct bench *bench, const struct ref_sm *sm, uint32_t k, uint32_t *tb,
              uint32_t *base) {
  const struct qsm_desc *desc = shape(bench, k);
  if (first_sub(bench, sm, k) == 4) return false;
  for (*tb = 0; *tb < bench->config.max_tbs && sm->used[*tb]; ++*tb) {}
  if (*tb == bench->config.max_tbs) return false;
  for (*base = 0; *base + desc->granules <= 32; ++*base) {
    uint32_t n = 0;
    while (n < desc->granules && !sm->granule_used[*base + n]) n++;
    if (n == desc->granules) return true;
  }
  return false;
}

void ref_dispatch(const struct bench *bench, struct ref_sm *sm, uint32_t tb, uint32_t k,
                  uint32_t base) {
  sm->kernel[tb] = k;
  sm->base[tb] = base;
  sm->first[tb] = first_sub(bench, sm, k);
  ref_put(bench, sm, tb, 1);
  sm->first_sub = (sm->first[tb] + shape(bench, k)->warps) % bench->config.num_sched;
}

int ref_youngest(const struct bench *bench, const struct ref_sm *sm, uint32_t k) {
  int youngest = -1;
  for (uint32_t tb = 0; tb < bench->config.max_tbs; tb++) {
    if (sm->used[tb] && sm->kernel[tb] == k && (youngest < 0 || sm->age[tb] > sm->age[youngest]))
      youngest = (int)tb;
  }
  return youngest;
}

void ref_open(const struct bench *bench, struct ref_sm *sms) {
  for (uint32_t i = 0; i < bench->config.num_sms; i++) {
    memset(&sms[i], 0, sizeof sms[i]);
    for (uint32_t j = 0; j < bench->config.num_sched; j++)
      sms[i].warps_left[j] = bench->config.warps_per_sm / bench->config.num_sched;
  }
}

void ref_follow(const struct bench *bench, struct ref_sm *sms) {
  for (uint32_t n = 0; n < bench->notes->n_msgs; n++) {
    const struct noted_msg *noted = &bench->notes->msg[n];
    if (noted->msg.kind != QSM_MSG_DISPATCH) continue;
    struct ref_sm *sm = &sms[noted->sm];
    sm->age[noted->msg.tb] = n;
    ref_dispatch(bench, sm, noted->msg.tb, noted->msg.kernel, noted->msg.base);
  }
}
