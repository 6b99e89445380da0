// SPDX-License-Identifier: Apache-2.0
#include "model_support.h"

#include <stdio.h>
#include <stdlib.h>

// What configurations without L2 and memory controller say of them.
#define MODEL_NO_CACHES                                                                     \
  .l1_ways = 4, .sa_kib = 4, .sa_ways = 4, .sa_banks = 1, .l2_ways = 4, .l2_mshrs = 8,      \
  .l2_waiters = 16, .dram_row_bytes = 1024, .dram_queue = 8, .dram_rcd = 12, .dram_rp = 12, \
  .dram_ras = 28, .dram_cl = 12, .dram_wr = 12, .dram_burst = 2

struct qsm_config model_tiny(void) {
  return (struct qsm_config){.name = "tiny",
                             .num_sms = 1,
                             .num_sched = 1,
                             .warps_per_sm = 4,
                             .warp_size = 4,
                             .num_kernels = 4,
                             .max_tbs = 4,
                             .shared_bytes = 4096,
                             .mem_txns = 8,
                             .num_channels = 1,
                             .icache_lines = 16,
                             .sb_entries = 4,
                             .noc_lat = 1,
                             .qos_lat = 170,
                             .num_groups = 4,
                             .progress_limit = 255,
                             .stall_counters = 1,
                             .power_gating = 1,
                             .energy_counters = 1,
                             .dma_entries = 2,
                             .mem_bytes = 1 << 20,
                             .mem_latency = 20,
                             .mem_interval = 1,
                             .clock_mhz = 50,
                             .epoch = 1000,
                             .num_images = 2,
                             .link_mbytes_s = 12000,
                             .link_latency_ns = 5000,
                             MODEL_NO_CACHES};
}

struct qsm_config model_odd(void) {
  return (struct qsm_config){.name = "odd",
                             .num_sms = 3,
                             .num_sched = 2,
                             .warps_per_sm = 6,
                             .warp_size = 4,
                             .num_kernels = 3,
                             .max_tbs = 5,
                             .shared_bytes = 6144,
                             .mem_txns = 8,
                             .num_channels = 1,
                             .icache_lines = 8,
                             .sb_entries = 3,
                             .noc_lat = 3,
                             .qos_lat = 150,
                             .num_groups = 2,
                             .progress_limit = 7,
                             .stall_counters = 1,
                             .power_gating = 1,
                             .energy_counters = 1,
                             .dma_entries = 4,
                             .mem_bytes = 1 << 20,
                             .mem_latency = 33,
                             .mem_interval = 3,
                             .clock_mhz = 50,
                             .epoch = 1000,
                             .num_images = 2,
                             .link_mbytes_s = 12000,
                             .link_latency_ns = 5000,
                             MODEL_NO_CACHES};
}

struct qsm_config model_demo(void) {
  return (struct qsm_config){.name = "demo",
                             .num_sms = 4,
                             .num_sched = 2,
                             .warps_per_sm = 8,
                             .warp_size = 8,
                             .num_kernels = 4,
                             .max_tbs = 8,
                             .shared_bytes = 16384,
                             .mem_txns = 16,
                             .num_channels = 2,
                             .icache_lines = 32,
                             .sb_entries = 4,
                             .noc_lat = 4,
                             .qos_lat = 200,
                             .num_groups = 4,
                             .progress_limit = 255,
                             .stall_counters = 1,
                             .power_gating = 1,
                             .energy_counters = 1,
                             .dma_entries = 4,
                             .mem_bytes = 1 << 20,
                             .mem_latency = 60,
                             .mem_interval = 1,
                             .clock_mhz = 75,
                             .epoch = 10000,
                             .num_images = 2,
                             .link_mbytes_s = 12000,
                             .link_latency_ns = 5000,
                             MODEL_NO_CACHES};
}

struct qsm_config model_wide(void) {
  return (struct qsm_config){.name = "wide",
                             .num_sms = 8,
                             .num_sched = 4,
                             .warps_per_sm = 16,
                             .warp_size = 32,
                             .num_kernels = 8,
                             .max_tbs = 16,
                             .shared_bytes = 32768,
                             .mem_txns = 32,
                             .num_channels = 4,
                             .icache_lines = 64,
                             .sb_entries = 4,
                             .noc_lat = 8,
                             .qos_lat = 600,
                             .num_groups = 8,
                             .progress_limit = 255,
                             .stall_counters = 1,
                             .power_gating = 1,
                             .energy_counters = 1,
                             .dma_entries = 8,
                             .mem_bytes = 1 << 20,
                             .mem_latency = 100,
                             .mem_interval = 2,
                             .clock_mhz = 75,
                             .epoch = 10000,
                             .num_images = 2,
                             .link_mbytes_s = 12000,
                             .link_latency_ns = 5000,
                             MODEL_NO_CACHES};
}

uint32_t model_random(uint64_t *state, uint32_t n) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (uint32_t)((*state * UINT64_C(0x2545F4914F6CDD1D) >> 32) % n);
}

uint64_t model_seed(const char *test) {
  const char *text = getenv("QSM_TEST_SEED");
  uint64_t seed = text ? strtoull(text, NULL, 0) : 20261121;
  printf("# %s: replay with QSM_TEST_SEED=%llu\n", test, (unsigned long long)seed);
  return seed ? seed : 1;
}

bool model_brief_run(void) { return getenv("QSM_TEST_BRIEF") != NULL; }

static void note_msg(void *ctx, uint32_t sm, const struct qsm_sm_msg *msg) {
  struct notes *notes = ctx;
  notes->msg[notes->n_msgs++ % NOTES_MAX] = (struct noted_msg){sm, *msg};
}

static uint32_t *note_rsp(void *ctx, uint32_t sm, uint64_t cycle, uint8_t tag) {
  struct notes *notes = ctx;
  struct noted_rsp *noted = &notes->rsp[notes->n_rsps++ % NOTES_MAX];
  *noted = (struct noted_rsp){sm, {.cycle = cycle, .tag = tag}};
  return noted->rsp.data;
}

static uint32_t answer_insn(void *ctx, uint32_t sm, uint32_t kernel) {
  const struct notes *notes = ctx;
  return notes->insn[sm][kernel];
}

static int32_t answer_c(void *ctx, uint32_t sm, uint32_t kernel) {
  const struct notes *notes = ctx;
  return notes->c[sm][kernel];
}

static uint32_t answer_idle(void *ctx, uint32_t sm, uint32_t kernel) {
  const struct notes *notes = ctx;
  return notes->idle[sm][kernel];
}

static void note_event(void *ctx, const struct qsm_event *event) {
  struct notes *notes = ctx;
  notes->event[notes->n_events++ % NOTES_MAX] = *event;
}

struct notes *notes_create(void) {
  struct notes *notes = calloc(1, sizeof *notes);
  if (!notes) abort();
  notes->bus = (struct qsm_bus){.ctx = notes,
                                .send = note_msg,
                                .push_response = note_rsp,
                                .snap_insn = answer_insn,
                                .snap_c = answer_c,
                                .snap_idle = answer_idle,
                                .emit = note_event,
                                .reporting = true};
  return notes;
}

void notes_destroy(struct notes *notes) { free(notes); }

const struct qsm_sm_msg *notes_find(const struct notes *notes, uint32_t sm,
                                    enum qsm_sm_msg_kind kind, uint32_t n) {
  for (uint32_t i = 0; i < notes->n_msgs && i < NOTES_MAX; i++) {
    if (notes->msg[i].sm == sm && notes->msg[i].msg.kind == kind && n-- == 0)
      return &notes->msg[i].msg;
  }
  return NULL;
}

const struct qsm_event *notes_event(const struct notes *notes, enum qsm_event_kind kind,
                                    uint32_t n) {
  for (uint32_t i = 0; i < notes->n_events && i < NOTES_MAX; i++) {
    if (notes->event[i].kind == kind && n-- == 0) return &notes->event[i];
  }
  return NULL;
}
