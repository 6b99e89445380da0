// SPDX-License-Identifier: Apache-2.0
#include "sm_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void record(void *ctx, const struct qsm_event *event) {
  struct rig *rig = ctx;
  assert_true(rig->n_events < MAX_EVENTS);
  if (rig->n_events) assert_true(event->cycle >= rig->events[rig->n_events - 1].cycle);
  rig->events[rig->n_events++] = *event;
  if (event->kind != QSM_EV_REQ) return;
  assert_true(event->cycle >= rig->port_free_at);  // R-SM-8
  rig->port_free_at = event->cycle + 1;
}

// The crossbar's way there and back and the memory's latency.
static uint32_t usual_delay(struct rig *rig, const struct qsm_mem_req *req) {
  (void)req;
  return 2 * rig->config.noc_lat + MEM_LATENCY;
}

struct qsm_config rig_config(uint32_t subs, uint32_t warps, uint32_t lanes) {
  return (struct qsm_config){
      .num_sms = 1,
      .num_sched = subs,
      .warps_per_sm = warps,
      .warp_size = lanes,
      .num_kernels = 4,
      .max_tbs = 4,
      .shared_bytes = 4096,
      .mem_txns = 8,
      .num_channels = 1,
      .icache_lines = 16,
      .sb_entries = 4,
      .noc_lat = 4,
      .qos_lat = 100,
      .progress_limit = 8,
      .stall_counters = 1,
      .power_gating = 1,
      .energy_counters = 1,
      .dma_entries = 2,
  };
}

void rig_open_config(struct rig *rig, const struct qsm_config *config) {
  memset(rig, 0, sizeof *rig);
  rig->config = *config;
  rig->shared.config = &rig->config;
  for (int k = 0; k < 4; k++) {
    struct qsm_desc *desc = &rig->shared.desc[k];
    desc->win[0] = (struct qsm_window){.base = CODE, .limit = CODE + 4096, .x = true};
    desc->win[1] = (struct qsm_window){.base = DATA, .limit = DATA + 4096, .r = true, .w = true};
    desc->entry = CODE;
    desc->threads = config->warp_size;
    desc->warps = 1;
    desc->shared_bytes = 1024;
    desc->granules = 8;
    rig->shared.first_quota[k] = 1;
  }
  rig->shared.policy = QSM_POLICY_GTO;
  rig->shared.active_warps = 2;
  for (uint32_t k = 0; k < 4; k++) rig->shared.budget[k] = 1 + k;
  rig->window = rig->config.noc_lat;
  rig->delay = usual_delay;
  rig->code = qsm_code_create(&rig->config);
  assert_non_null(rig->code);
  rig->sm = qsm_sm_create(&rig->shared, rig->code, 0);
  assert_non_null(rig->sm);
  rig->events = malloc(MAX_EVENTS * sizeof *rig->events);
  assert_non_null(rig->events);
  qsm_sm_set_sink(rig->sm, record, rig);
  qsm_sm_enable_hash(rig->sm);
}

void rig_open(struct rig *rig, uint32_t subs, uint32_t warps, uint32_t lanes) {
  const struct qsm_config config = rig_config(subs, warps, lanes);
  rig_open_config(rig, &config);
}

void rig_close(struct rig *rig) {
  qsm_sm_destroy(rig->sm);
  qsm_code_destroy(rig->code);
  free(rig->events);
}

void load_program(struct rig *rig, const uint32_t *words, size_t n) {
  memcpy(rig->mem, words, n * 4);
}

void rig_send(struct rig *rig, struct qsm_sm_msg msg) {
  msg.cycle = rig->cycle;
  qsm_sm_send(rig->sm, &msg);
}

void dispatch(struct rig *rig, uint8_t kernel, uint8_t tb) {
  rig_send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_DISPATCH,
                                    .kernel = kernel,
                                    .tb = tb,
                                    .base = (uint8_t)(tb * 8),
                                    .linear = tb});
}

uint32_t *mem_word(struct rig *rig, uint32_t addr) {
  return &rig->mem[(addr - CODE) / 4 % (MEM_BYTES / 4)];
}

// Performs a request at once; its response is under way until `cycle`.
static void serve(struct rig *rig, const struct qsm_mem_req *req) {
  uint32_t n = rig->config.warp_size, *line = mem_word(rig, req->addr);
  assert_true(rig->n_responses < sizeof rig->response / sizeof *rig->response);
  struct line_rsp *rsp = &rig->response[rig->n_responses++];
  rsp->cycle = req->cycle + rig->delay(rig, req);
  rsp->tag = req->tag;
  memcpy(rsp->data, line, n * 4);
  const struct qsm_mem_access access = {
      .kind = req->kind, .amo = req->amo, .bytes = req->bytes, .data = req->data};
  qsm_mem_apply(&access, (uint8_t *)line, n);
}

// The one that has waited longest of those that may be seen in this cycle.
static void respond(struct rig *rig, uint64_t cycle) {
  uint32_t first = 0;
  for (uint32_t i = 1; i < rig->n_responses; i++) {
    if (rig->response[i].cycle < rig->response[first].cycle) first = i;
  }
  if (rig->n_responses == 0 || rig->response[first].cycle > cycle) return;
  const struct line_rsp *rsp = &rig->response[first];
  memcpy(qsm_sm_push_response(rig->sm, cycle, rsp->tag), rsp->data, sizeof rsp->data);
  rig->n_responses--;
  memmove(&rig->response[first], &rig->response[first + 1],
          (rig->n_responses - first) * sizeof *rig->response);
}

void run(struct rig *rig, uint64_t n_cycles) {
  uint64_t end = rig->cycle + n_cycles;
  while (rig->cycle < end) {
    uint64_t to = rig->cycle + rig->window < end ? rig->cycle + rig->window : end;
    for (uint64_t cycle = rig->cycle; cycle < to; cycle++) respond(rig, cycle);
    qsm_sm_run(rig->sm, rig->cycle, to);
    const struct qsm_sm_out *out = qsm_sm_out(rig->sm);
    for (uint32_t i = 0; i < out->n_req; i++) serve(rig, &out->req[i]);
    for (uint32_t i = 0; i < out->n_fault; i++) rig->faulted |= out->fault[i].kernels;
    rig->n_retired += out->n_retire;
    rig->cycle = to;
  }
}

const struct qsm_event *event(const struct rig *rig, enum qsm_event_kind kind, uint32_t n) {
  for (uint32_t i = 0; i < rig->n_events; i++) {
    if (rig->events[i].kind == kind && n-- == 0) return &rig->events[i];
  }
  fail_msg("no such event");
  return NULL;
}

uint32_t count_events(const struct rig *rig, enum qsm_event_kind kind) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < rig->n_events; i++) n += rig->events[i].kind == kind;
  return n;
}

uint64_t issue_cycle(const struct rig *rig, uint32_t pc, uint32_t n) {
  for (uint32_t i = 0; i < rig->n_events; i++) {
    if (rig->events[i].kind == QSM_EV_ISSUE && rig->events[i].word[2] == pc && n-- == 0)
      return rig->events[i].cycle;
  }
  fail_msg("the instruction at %08x was not issued", pc);
  return 0;
}

uint32_t state(const struct rig *rig, enum qsm_state_kind kind, uint32_t sub, uint32_t index,
               uint32_t word) {
  uint32_t value;
  assert_true(qsm_sm_state(rig->sm, rig->cycle, kind, sub, index, word, &value));
  return value;
}

uint32_t reg(const struct rig *rig, uint32_t warp, uint32_t r, uint32_t lane) {
  return state(rig, QSM_STATE_REG, 0, warp * 32 + r, lane);
}

void start_mixed_work(struct rig *rig) {
  rig->shared.qos_mask = 1;
  rig->shared.desc[0].warps = 2;
  rig->shared.desc[0].threads = 7;
  rig->shared.desc[2].warps = 3;
  rig->shared.desc[2].threads = 12;
  LOAD(rig, csrr(1, 0xCC0), slli(2, 1, 5), lui(3, DATA), add(3, 3, 2), addi(9, 0, 20), lw(4, 3, 0),
       enc_r(1, 4, 5, 2, 9), amoadd(6, 3, 9), branch(BLT, 1, 9, 8), addi(4, 4, 9), sw(4, 3, 4),
       FENCE, BAR, addi(9, 9, -1), branch(BNE, 9, 0, -36), EXIT);
  dispatch(rig, 0, 0);
  dispatch(rig, 2, 1);
}

void send_quota_word(struct rig *rig, uint8_t kernel, uint32_t quota) {
  rig_send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_WORD, .kernel = kernel, .quota = quota});
}

void send_quota_load(struct rig *rig, uint8_t scheme) {
  rig_send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_LOAD, .scheme = scheme});
}

// Of everything that was reported.
uint64_t hash_events(const struct rig *rig) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < rig->n_events; i++) {
    const struct qsm_event *e = &rig->events[i];
    hash = (hash ^ e->cycle ^ (uint64_t)e->kind << 32) * 0x9E3779B97F4A7C15u;
    for (uint32_t w = 0; w < e->n_words; w++) hash = (hash ^ e->word[w]) * 0x9E3779B97F4A7C15u;
  }
  return hash;
}

static uint64_t hash_of_kind(const struct rig *rig, uint64_t cycle, uint8_t kind) {
  uint64_t hash = 1;
  for (uint32_t i = 0; i < rig->n_events; i++) {
    const struct qsm_event *e = &rig->events[i];
    if (e->cycle != cycle || e->kind != kind) continue;
    for (uint32_t w = 0; w < e->n_words; w++)
      hash = (hash ^ e->word[w] ^ (uint64_t)e->sub << 32) * 0x9E3779B97F4A7C15u;
  }
  return hash;
}

static bool same_in_cycle(const struct rig *a, const struct rig *b, uint64_t cycle, uint8_t kind) {
  return hash_of_kind(a, cycle, kind) == hash_of_kind(b, cycle, kind);
}

// Cycle and kind of the first difference, as the lockstep names it.
uint64_t first_difference(const struct rig *a, const struct rig *b, uint8_t *kind) {
  for (uint32_t i = 0; i < a->n_events && i < b->n_events; i++) {
    const struct qsm_event *x = &a->events[i], *y = &b->events[i];
    if (memcmp(x, y, offsetof(struct qsm_event, word)) == 0 &&
        memcmp(x->word, y->word, x->n_words * sizeof *x->word) == 0)
      continue;
    uint64_t cycle = x->cycle < y->cycle ? x->cycle : y->cycle;
    for (*kind = 0; *kind < QSM_EVENT_KIND_COUNT && same_in_cycle(a, b, cycle, *kind); ++*kind)
      continue;
    return cycle;
  }
  return 0;
}
