// SPDX-License-Identifier: Apache-2.0
#include "qsm_config_random.h"

#include <inttypes.h>

#include "qsm_random.h"

enum { TRIES = 1000 };

static uint32_t between(struct qsm_random *random, uint32_t least, uint32_t most) {
  return least + qsm_random_below(random, most - least + 1);
}

// Mostly up to `usual`, now and then up to `most`.
static uint32_t skewed(struct qsm_random *random, uint32_t least, uint32_t usual, uint32_t most) {
  return between(random, least, qsm_random_chance(random, 75) ? usual : most);
}

static uint32_t power(struct qsm_random *random, uint32_t least, uint32_t most_digits) {
  return least << qsm_random_below(random, most_digits);
}

// Small, so that lines, MSHRs, rows and queues collide. What a GPU without them has of their
// parameters means nothing.
static void draw_l1(struct qsm_random *random, struct qsm_config *c) {
  c->l1_kib = qsm_random_chance(random, 50) ? power(random, 1, 3) : 0;
  c->l1_ways = power(random, 1, 4);
}

static void draw_arrays(struct qsm_random *random, struct qsm_config *c) {
  c->num_sas = qsm_random_chance(random, 50) ? between(random, 1, c->num_sms) : 0;
  c->sa_kib = power(random, 1, 2);
  c->sa_ways = power(random, 1, 4);
  c->sa_banks = power(random, 1, 3);
}

static void draw_l2(struct qsm_random *random, struct qsm_config *c) {
  c->l2_kib = qsm_random_chance(random, 50) ? power(random, 1, 2) : 0;
  c->l2_ways = power(random, 1, 5);
  c->l2_mshrs = skewed(random, 1, 5, 20);
  c->l2_waiters = skewed(random, 1, 8, 40);
}

static void draw_dram(struct qsm_random *random, struct qsm_config *c) {
  c->dram_banks = qsm_random_chance(random, 50) ? power(random, 1, 4) : 0;
  c->dram_row_bytes = power(random, qsm_config_line_bytes(c), 5);
  c->dram_queue = skewed(random, 1, 7, 30);
  c->dram_rcd = skewed(random, 1, 9, 40);
  c->dram_rp = skewed(random, 1, 9, 40);
  c->dram_ras = skewed(random, 1, 25, 80);
  c->dram_cl = skewed(random, 1, 9, 40);
  c->dram_wr = skewed(random, 1, 9, 40);
  c->dram_burst = skewed(random, 1, 4, 12);
}

static void draw_partition(struct qsm_random *random, struct qsm_config *c) {
  c->partition_bits = 0;
  if (c->num_channels == 1 || qsm_random_chance(random, 50)) return;
  c->partition_bits = between(random, 20, 21);
  c->mem_bytes = UINT32_C(1) << c->partition_bits;
}

static void draw_div_lanes(struct qsm_random *random, struct qsm_config *c) {
  c->div_lanes = power(random, 1, 4);
  if (c->div_lanes >= c->warp_size) c->div_lanes = 0;
}

// Sizes are bounded by what Verilator builds in seconds; whether they are legal together is for
// qsm_config_check() to say.
static void draw(struct qsm_random *random, struct qsm_config *c) {
  c->num_sms = between(random, 1, 3);
  c->num_sched = between(random, 1, 2);
  c->warps_per_sm = c->num_sched * between(random, 1, 7);
  c->warp_size = power(random, 2, 3);
  c->num_kernels = between(random, 1, 5);
  c->max_tbs = skewed(random, 1, 7, 19);
  c->shared_bytes = QSM_SHARED_GRANULES * qsm_config_line_bytes(c) * skewed(random, 1, 9, 40);
  c->mem_txns = power(random, 2, 4);
  c->num_channels = power(random, 1, 3);
  c->icache_lines = power(random, 4, 4);
  c->sb_entries = between(random, 2, 8);
  c->noc_lat = skewed(random, 1, 4, 16);
  c->qos_lat = qsm_config_qos_lat_min(c) + skewed(random, 0, 3, 100);
  c->num_groups = between(random, 1, c->num_kernels);
  c->num_images = skewed(random, 1, 3, 16);
  c->progress_limit = skewed(random, 4, 9, 255);
  c->fpu = qsm_random_chance(random, 50);
  c->stall_counters = qsm_random_chance(random, 75);
  c->power_gating = qsm_random_chance(random, 75);
  c->energy_counters = qsm_random_chance(random, 75);
  c->mem_bytes = (256 + between(random, 0, 99)) * 4096;
  c->mem_latency = skewed(random, 1, 50, 300);
  c->mem_interval = skewed(random, 1, 3, 17);
  c->clock_mhz = between(random, 1, 1000);
  c->epoch = qsm_config_epoch_min(c) + between(random, 0, 5000);
  c->link_mbytes_s = between(random, 1, 1000000);
  c->link_latency_ns = between(random, 0, 1000000);
  draw_l2(random, c);
  draw_dram(random, c);
  draw_l1(random, c);
  draw_arrays(random, c);
  draw_partition(random, c);
  const bool has_channels = qsm_random_chance(random, 70) && c->warp_size >= 4;
  c->cmd_channels = has_channels ? skewed(random, 1, 5, 11) : 0;
  c->dma_entries = UINT32_C(2) << between(random, 0, 3);
  draw_div_lanes(random, c);
  c->rsp_lat = c->num_sas == 0 && qsm_random_chance(random, 50) ? skewed(random, 1, 20, 255) : 0;
  c->others_txns = between(random, 0, c->mem_txns);
}

int qsm_config_random(uint64_t seed, struct qsm_config *config, char *msg, size_t msg_len) {
  struct qsm_random random = qsm_random_seed(seed);
  struct qsm_config drawn = {.name = ""};
  snprintf(drawn.name, sizeof drawn.name, "random-%" PRIu64, seed);
  for (int i = 0; i < TRIES; i++) {
    draw(&random, &drawn);
    if (qsm_config_check(&drawn, msg, msg_len)) continue;
    *config = drawn;
    return 0;
  }
  return -1;
}

void qsm_config_print_yaml(const struct qsm_config *config, FILE *out) {
  fprintf(out, "# %s: made by qsm-config.\n", config->name);
#define PRINT(key, sv, kind, least, largest) fprintf(out, #key ": %" PRIu32 "\n", config->key);
  QSM_CONFIG_HARDWARE(PRINT) QSM_CONFIG_ENVIRONMENT(PRINT)
#undef PRINT
}
