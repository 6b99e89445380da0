// SPDX-License-Identifier: Apache-2.0
// Several state machines over one text; chunks, and so the number of threads, are the machine's
// own. Between two kernels that fill the GPU is one of a single block.
#include <stdio.h>

#include "qsm_app_plan.h"

enum { N_STATES = 8, N_CLASSES = 16, MOST_MACHINES = 4 };

static const struct {
  uint32_t n_letters, n_machines, n_chunk[MOST_MACHINES], block_threads;
} sizes[] = {{400, 2, {19, 31}, 16},
             {300007, 4, {16, 32, 64, 128}, 64},
             {800011, 4, {24, 48, 96, 192}, 128}};

// ---- References: from one letter to the next ----

static void maps(const struct qsm_app_call *call) {
  const uint8_t *text = call->at[0], *table = call->at[3];
  uint32_t n = call->number[1], n_chunk = call->number[2], *to = call->at[5];
  for (uint32_t chunk = 0; chunk * n_chunk < n; chunk++) {
    to[chunk] = 0;
    for (uint32_t begin = 0; begin < N_STATES; begin++) {
      uint32_t state = begin;
      for (uint32_t i = chunk * n_chunk; i < (chunk + 1) * n_chunk && i < n; i++)
        state = table[N_STATES * text[i] + state];
      to[chunk] |= state << 4 * begin;
    }
  }
}

static void starts(const struct qsm_app_call *call) {
  const uint32_t *map = call->at[0];
  uint8_t *to = call->at[1];
  uint32_t state = 0;
  for (uint32_t chunk = 0; chunk < call->number[2]; chunk++) {
    to[chunk] = (uint8_t)state;
    state = map[chunk] >> 4 * state & 15;
  }
}

static void count(const struct qsm_app_call *call) {
  const uint8_t *text = call->at[0], *table = call->at[3];
  uint32_t n = call->number[1], n_chunk = call->number[2], *to = call->at[6], state = 0;
  for (uint32_t i = 0; i < n; i++) {  // no chunk's start is needed
    state = table[N_STATES * text[i] + state];
    if (i % n_chunk == 0) to[i / n_chunk] = 0;
    to[i / n_chunk] += call->number[7] >> state & 1;
  }
}

static const struct qsm_app_kernel maps_kernel = {"fsm_maps", "rnnrnw", maps},
                                   starts_kernel = {"fsm_starts", "rwn", starts},
                                   count_kernel = {"fsm_count", "rnnrnrwn", count};

// ---- Steps ----

static void fill_bytes(struct qsm_app_random *random, void *host, size_t bytes,
                       const struct qsm_app_content *content) {
  uint8_t *to = host;
  for (size_t i = 0; i < bytes; i++)
    to[i] = (uint8_t)qsm_app_random_range(random, 0, content->number[0]);
}

static uint32_t add(struct qsm_app_plan *plan, uint32_t machine, const char *what,
                    enum qsm_app_role role, size_t bytes, struct qsm_app_content content) {
  char name[32];
  snprintf(name, sizeof name, "machine%u.%s", machine, what);
  return qsm_app_plan_buffer(plan, name, role, bytes, content);
}

static void add_step(struct qsm_app_plan *plan, uint32_t machine,
                     const struct qsm_app_kernel *kernel, uint32_t n_blocks, uint32_t n_threads,
                     uint32_t shared_bytes, const qsm_app_argument *args) {
  char name[32];
  snprintf(name, sizeof name, "machine%u.%s", machine, kernel->name + sizeof "fsm");
  qsm_app_plan_step(plan, name, kernel, (qsmDim3){n_blocks, 1, 1}, (qsmDim3){n_threads, 1, 1},
                    shared_bytes, args);
}

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  static const uint32_t accepting[MOST_MACHINES] = {0xA2, 0x11, 0x4C, 0xE0};
  const struct qsm_app_content letters = {.fill = fill_bytes, .number = {N_CLASSES - 1}},
                               states = {.fill = fill_bytes, .number = {N_STATES - 1}},
                               nothing = {.fill = NULL};
  uint32_t n = sizes[size].n_letters, n_threads = sizes[size].block_threads,
           text = qsm_app_plan_buffer(plan, "text", QSM_APP_INPUT, n, letters);
  for (uint32_t i = 0; i < sizes[size].n_machines; i++) {
    uint32_t n_chunk = sizes[size].n_chunk[i], n_chunks = qsm_app_div_up(n, n_chunk),
             n_blocks = qsm_app_div_up(n_chunks, n_threads);
    uint32_t table = add(plan, i, "table", QSM_APP_WEIGHTS, N_STATES * N_CLASSES, states),
             map = add(plan, i, "maps", QSM_APP_BETWEEN, 4 * (size_t)n_chunks, nothing),
             start = add(plan, i, "starts", QSM_APP_OUTPUT, n_chunks, nothing),
             counts = add(plan, i, "counts", QSM_APP_OUTPUT, 4 * (size_t)n_chunks, nothing);
    const qsm_app_argument first[] = {text, n, n_chunk, table, N_CLASSES, map},
                           second[] = {map, start, n_chunks},
                           third[] = {text,      n,     n_chunk, table,
                                      N_CLASSES, start, counts,  accepting[i]};
    add_step(plan, i, &maps_kernel, n_blocks, n_threads, N_STATES * N_CLASSES, first);
    add_step(plan, i, &starts_kernel, 1, n_threads, 4 * n_threads, second);
    add_step(plan, i, &count_kernel, n_blocks, n_threads, N_STATES * N_CLASSES, third);
  }
  return qsm_app_plan_failed(plan) ? -1 : 0;
}

const struct qsm_app qsm_app_fsm = {
    .name = "fsm",
    .about = "state machines over one text: wide, one block, wide, with other chunks",
    .program = "app_fsm",
    .source = "Mytkowicz, Musuvathi, Schulte, \"Data-parallel finite-state machines\", ASPLOS 2014",
    .needs_fpu = false,
    .plan = plan,
};
