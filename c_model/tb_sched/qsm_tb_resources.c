// SPDX-License-Identifier: Apache-2.0
#include "qsm_tb_resources.h"

#include "qsm_bus.h"

// Warps of a TB on sub-core `sub` when its first warp is on `first`.
static uint32_t warps_on(const struct qsm_config *config, uint32_t warps, uint32_t first,
                         uint32_t sub) {
  uint32_t n = config->num_sched;
  uint32_t place = (sub + n - first) % n;
  return warps / n + (place < warps % n);
}

// Lowest run of n free granules: -1 if there is none.
static int find_run(uint32_t free_granules, uint32_t n) {
  if (n == 0) return 0;
  uint32_t starts = free_granules;
  for (uint32_t i = 1; i < n; i++) starts &= free_granules >> i;
  return starts ? (int)qsm_lowest(starts) : -1;
}

static uint32_t granule_mask(uint32_t base, uint32_t n) {
  return n ? UINT32_MAX >> (32 - n) << base : 0;
}

static bool warps_fit(const struct qsm_config *config, const struct qsm_tb_free *free,
                      uint32_t warps, uint32_t first) {
  for (uint32_t j = 0; j < config->num_sched; j++) {
    if (free->warps[j] < warps_on(config, warps, first, j)) return false;
  }
  return true;
}

// Sub-core of the TB's first warp: -1 if there is none with which its warps fit.
static int find_first(const struct qsm_config *config, const struct qsm_tb_free *free,
                      uint32_t warps) {
  for (uint32_t i = 0; i < config->num_sched; i++) {
    uint32_t first = (free->first + i) % config->num_sched;
    if (warps_fit(config, free, warps, first)) return (int)first;
  }
  return -1;
}

void qsm_tb_free_reset(const struct qsm_config *config, struct qsm_tb_free *free) {
  *free = (struct qsm_tb_free){.tbs = UINT32_MAX >> (32 - config->max_tbs), .granules = UINT32_MAX};
  for (uint32_t j = 0; j < config->num_sched; j++)
    free->warps[j] = qsm_config_warps_per_sched(config);
}

bool qsm_tb_fits(const struct qsm_config *config, const struct qsm_tb_free *free,
                 const struct qsm_desc *desc, struct qsm_tb_place *place) {
  if (!free->tbs) return false;
  int base = find_run(free->granules, desc->granules);
  int first = base < 0 ? -1 : find_first(config, free, desc->warps);
  if (first < 0) return false;
  *place = (struct qsm_tb_place){(uint8_t)qsm_lowest(free->tbs), (uint8_t)first, (uint8_t)base};
  return true;
}

void qsm_tb_take(const struct qsm_config *config, struct qsm_tb_free *free,
                 const struct qsm_desc *desc, struct qsm_tb_place place) {
  free->tbs &= ~(1u << place.tb);
  free->granules &= ~granule_mask(place.base, desc->granules);
  for (uint32_t j = 0; j < config->num_sched; j++)
    free->warps[j] -= warps_on(config, desc->warps, place.first, j);
  free->first = (place.first + desc->warps) % config->num_sched;
}

void qsm_tb_give_back(const struct qsm_config *config, struct qsm_tb_free *free,
                      const struct qsm_desc *desc, struct qsm_tb_place place) {
  free->tbs |= 1u << place.tb;
  free->granules |= granule_mask(place.base, desc->granules);
  for (uint32_t j = 0; j < config->num_sched; j++)
    free->warps[j] += warps_on(config, desc->warps, place.first, j);
}

int qsm_tb_youngest(const struct qsm_tb_table *table, uint32_t slots, uint32_t kernel) {
  int found = -1;
  for (uint32_t left = slots; left; left &= left - 1) {
    uint32_t tb = qsm_lowest(left);
    if (table->tb[tb].kernel == kernel && (found < 0 || table->tb[tb].age > table->tb[found].age))
      found = (int)tb;
  }
  return found;
}
