// SPDX-License-Identifier: Apache-2.0
// The model's SM alone: the test plays the GPU level, with a memory of fixed latency, and runs hand-encoded programs.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "qsm_sm_blocks.h"

// ---- programs ----

static uint32_t enc_i(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, int32_t imm) {
  return opcode | rd << 7 | funct3 << 12 | rs1 << 15 | (uint32_t)imm << 20;
}
static uint32_t enc_r(uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return 0x33 | rd << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | funct7 << 25;
}
static uint32_t addi(uint32_t rd, uint32_t rs1, int32_t imm) { return enc_i(0x13, 0, rd, rs1, imm); }
static uint32_t slli(uint32_t rd, uint32_t rs1, int32_t n) { return enc_i(0x13, 1, rd, rs1, n); }
static uint32_t add(uint32_t rd, uint32_t rs1, uint32_t rs2) { return enc_r(0, 0, rd, rs1, rs2); }
static uint32_t lui(uint32_t rd, uint32_t value) { return 0x37 | rd << 7 | (value & 0xFFFFF000); }
static uint32_t csrr(uint32_t rd, uint32_t csr) { return enc_i(0x73, 2, rd, 0, (int32_t)csr); }
static uint32_t lw(uint32_t rd, uint32_t rs1, int32_t imm) { return enc_i(0x03, 2, rd, rs1, imm); }
static uint32_t sw(uint32_t rs2, uint32_t rs1, int32_t imm) {
  uint32_t u = (uint32_t)imm;
  return 0x23 | (u & 31) << 7 | 2 << 12 | rs1 << 15 | rs2 << 20 | (u >> 5 & 127) << 25;
}
static uint32_t branch(uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t offset) {
  uint32_t u = (uint32_t)offset;
  return 0x63 | (u >> 11 & 1) << 7 | (u >> 1 & 15) << 8 | funct3 << 12 | rs1 << 15 | rs2 << 20 | (u >> 5 & 63) << 25 |
         (u >> 12 & 1) << 31;
}
static uint32_t jalr(uint32_t rd, uint32_t rs1, int32_t imm) { return enc_i(0x67, 0, rd, rs1, imm); }
static uint32_t amoadd(uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return 0x2F | rd << 7 | 2 << 12 | rs1 << 15 | rs2 << 20;
}
enum { BEQ = 0, BNE = 1, BLT = 4 };
#define BAR 0x0000000Bu
#define EXIT 0x0000100Bu
#define FENCE 0x0000000Fu
#define EBREAK 0x00100073u

// ---- rig ----

#define CODE 0x80000000u
#define DATA 0x80001000u

enum { MEM_BYTES = 8192, MAX_EVENTS = 200000, MEM_LATENCY = 20, N_MEM = 64 };

struct rig {
  struct qsm_config config;
  struct qsm_sm_shared shared;
  struct qsm_sm *sm;
  uint64_t cycle;
  uint32_t window;  // cycles per run
  uint32_t mem[MEM_BYTES / 4];
  struct qsm_event *events;
  uint32_t n_events;
  uint32_t n_retired;
  uint32_t faulted;
};

static void record(void *ctx, const struct qsm_event *event) {
  struct rig *rig = ctx;
  assert_true(rig->n_events < MAX_EVENTS);
  if (rig->n_events) assert_true(event->cycle >= rig->events[rig->n_events - 1].cycle);
  rig->events[rig->n_events++] = *event;
}

static void rig_open(struct rig *rig, uint32_t subs, uint32_t warps, uint32_t lanes) {
  memset(rig, 0, sizeof *rig);
  rig->config = (struct qsm_config){
      .num_sms = 1, .num_sched = subs, .warps_per_sm = warps, .warp_size = lanes, .num_kernels = 4, .max_tbs = 4,
      .shared_bytes = 4096, .mem_txns = 8, .num_channels = 1, .icache_lines = 16, .sb_entries = 4, .noc_lat = 4,
      .qos_lat = 100, .progress_limit = 8, .stall_counters = 1,
  };
  rig->shared.config = &rig->config;
  for (int k = 0; k < 4; k++) {
    struct qsm_desc *desc = &rig->shared.desc[k];
    desc->win[0] = (struct qsm_window){.base = CODE, .limit = CODE + 4096, .x = true};
    desc->win[1] = (struct qsm_window){.base = DATA, .limit = DATA + 4096, .r = true, .w = true};
    desc->entry = CODE;
    desc->threads = lanes;
    desc->warps = 1;
    desc->shared_bytes = 1024;
    desc->granules = 8;
    rig->shared.first_quota[k] = 1;
  }
  rig->shared.policy = QSM_POLICY_GTO;
  rig->shared.active_warps = 2;
  for (uint32_t k = 0; k < 4; k++) rig->shared.budget[k] = 1 + k;
  rig->window = rig->config.noc_lat;
  rig->sm = qsm_sm_create(&rig->shared, 0);
  assert_non_null(rig->sm);
  rig->events = malloc(MAX_EVENTS * sizeof *rig->events);
  assert_non_null(rig->events);
  qsm_sm_set_sink(rig->sm, record, rig);
  qsm_sm_enable_hash(rig->sm);
}

static void rig_close(struct rig *rig) {
  qsm_sm_destroy(rig->sm);
  free(rig->events);
}

static void load_program(struct rig *rig, const uint32_t *words, size_t n) { memcpy(rig->mem, words, n * 4); }
#define LOAD(rig, ...)                              \
  do {                                              \
    const uint32_t words[] = {__VA_ARGS__};         \
    load_program((rig), words, sizeof words / 4);   \
  } while (0)

static void send(struct rig *rig, struct qsm_sm_msg msg) {
  msg.cycle = rig->cycle;
  qsm_sm_send(rig->sm, &msg);
}

static void dispatch(struct rig *rig, uint8_t kernel, uint8_t tb) {
  send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_DISPATCH, .kernel = kernel, .tb = tb, .base = (uint8_t)(tb * 8), .linear = tb});
}

static uint32_t *mem_word(struct rig *rig, uint32_t addr) { return &rig->mem[(addr - CODE) / 4 % (MEM_BYTES / 4)]; }

// Performs a request at once; the response is seen after the crossbar's way there and back and the memory's latency.
static void serve(struct rig *rig, const struct qsm_mem_req *req) {
  struct qsm_mem_rsp *rsp = qsm_sm_push_response(rig->sm);
  uint32_t n = rig->config.warp_size, *line = mem_word(rig, req->addr);
  rsp->cycle = req->cycle + 2 * rig->config.noc_lat + MEM_LATENCY;
  rsp->tag = req->tag;
  memcpy(rsp->data, line, n * 4);
  for (uint32_t i = 0; i < 4 * n; i++) {
    if (!(req->bytes[i / 32] >> i % 32 & 1)) continue;
    if (req->kind == QSM_MEM_WRITE) {
      memcpy((uint8_t *)line + i, (const uint8_t *)req->data + i, 1);
    } else if (i % 4 == 0) {
      assert_int_equal(req->amo, 1);
      line[i / 4] += req->data[i / 4];
    }
  }
}

static void run(struct rig *rig, uint64_t n_cycles) {
  uint64_t end = rig->cycle + n_cycles;
  while (rig->cycle < end) {
    uint64_t to = rig->cycle + rig->window < end ? rig->cycle + rig->window : end;
    qsm_sm_run(rig->sm, rig->cycle, to);
    const struct qsm_sm_out *out = qsm_sm_out(rig->sm);
    for (uint32_t i = 0; i < out->n_req; i++) serve(rig, &out->req[i]);
    for (uint32_t i = 0; i < out->n_fault; i++) rig->faulted |= out->fault[i].kernels;
    rig->n_retired += out->n_retire;
    rig->cycle = to;
  }
}

// The n-th event of a kind, or fails.
static const struct qsm_event *event(const struct rig *rig, enum qsm_event_kind kind, uint32_t n) {
  for (uint32_t i = 0; i < rig->n_events; i++) {
    if (rig->events[i].kind == kind && n-- == 0) return &rig->events[i];
  }
  fail_msg("no such event");
  return NULL;
}

static uint32_t count_events(const struct rig *rig, enum qsm_event_kind kind) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < rig->n_events; i++) n += rig->events[i].kind == kind;
  return n;
}

// Cycle in which the instruction at pc issues for the n-th time.
static uint64_t issue_cycle(const struct rig *rig, uint32_t pc, uint32_t n) {
  for (uint32_t i = 0; i < rig->n_events; i++) {
    if (rig->events[i].kind == QSM_EV_ISSUE && rig->events[i].word[2] == pc && n-- == 0) return rig->events[i].cycle;
  }
  fail_msg("the instruction at %08x was not issued", pc);
  return 0;
}

static uint32_t state(const struct rig *rig, enum qsm_state_kind kind, uint32_t sub, uint32_t index, uint32_t word) {
  uint32_t value;
  assert_true(qsm_sm_state(rig->sm, rig->cycle, kind, sub, index, word, &value));
  return value;
}

static uint32_t reg(const struct rig *rig, uint32_t warp, uint32_t r, uint32_t lane) {
  return state(rig, QSM_STATE_REG, 0, warp * 32 + r, lane);
}

// ---- timing ----

static void a_block_starts_and_fetches_in_the_cycles_of_the_pages(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  LOAD(&rig, addi(1, 0, 1), addi(1, 1, 1), EXIT);
  run(&rig, 10);
  dispatch(&rig, 0, 0);  // seen in 10
  run(&rig, 200);
  assert_int_equal(event(&rig, QSM_EV_ARRIVE, 0)->cycle, 10);
  assert_int_equal(event(&rig, QSM_EV_START, 0)->cycle, 11);
  const struct qsm_event *miss = event(&rig, QSM_EV_FETCH, 0);  // F1 in 12
  assert_int_equal(miss->cycle, 13);
  assert_int_equal(miss->word[2], 1);
  assert_int_equal(event(&rig, QSM_EV_REQ, 0)->cycle, 14);
  uint64_t fill = 14 + 8 + MEM_LATENCY;
  assert_int_equal(event(&rig, QSM_EV_RSP, 0)->cycle, fill);
  const struct qsm_event *hit = event(&rig, QSM_EV_FETCH, 1);
  assert_int_equal(hit->cycle, fill + 2);
  assert_int_equal(hit->word[2], 0);
  assert_int_equal(issue_cycle(&rig, CODE, 0), fill + 3);
  assert_int_equal(rig.n_retired, 1);
  rig_close(&rig);
}

static void a_dependent_instruction_issues_four_cycles_later(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  LOAD(&rig, addi(1, 0, 1), addi(1, 1, 1), addi(2, 0, 7), add(3, 1, 2), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 300);
  uint64_t first = issue_cycle(&rig, CODE, 0);
  assert_int_equal(issue_cycle(&rig, CODE + 4, 0), first + 4);
  assert_int_equal(issue_cycle(&rig, CODE + 8, 0), first + 5);
  assert_true(issue_cycle(&rig, CODE + 12, 0) >= first + 9);
  const struct qsm_event *write = event(&rig, QSM_EV_WB, 0);
  assert_int_equal(write->cycle, first + 4);
  assert_int_equal(write->word[1], 1);
  assert_int_equal(reg(&rig, 0, 3, 2), 9);
  rig_close(&rig);
}

static void a_taken_branch_costs_its_resolution_and_a_fetch(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  LOAD(&rig, addi(1, 0, 2), addi(1, 1, -1), branch(BNE, 1, 0, -4), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 300);
  uint64_t first = issue_cycle(&rig, CODE + 8, 0);
  assert_int_equal(event(&rig, QSM_EV_RESOLVE, 0)->cycle, first + 3);
  assert_int_equal(event(&rig, QSM_EV_RESOLVE, 0)->word[3], 0);
  assert_int_equal(issue_cycle(&rig, CODE + 4, 1), first + 6);  // F1 in +4, F2 in +5
  rig_close(&rig);
}

static void a_division_writes_38_cycles_after_issue(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  LOAD(&rig, csrr(1, 0xCC0), addi(2, 0, 100), enc_r(1, 5, 3, 2, 1), enc_r(1, 7, 4, 2, 1), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 400);
  uint64_t first = issue_cycle(&rig, CODE + 8, 0);
  assert_int_equal(event(&rig, QSM_EV_WB, 2)->cycle, first + 38);
  assert_int_equal(issue_cycle(&rig, CODE + 12, 0), first + 39);
  assert_int_equal(reg(&rig, 0, 3, 0), 0xFFFFFFFF);
  assert_int_equal(reg(&rig, 0, 3, 3), 33);
  assert_int_equal(reg(&rig, 0, 4, 3), 1);
  rig_close(&rig);
}

static void a_shared_load_returns_nine_cycles_after_issue(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  LOAD(&rig, lui(1, 0x10000000), csrr(2, 0xCC0), slli(3, 2, 2), add(1, 1, 3), sw(2, 1, 0), lw(4, 1, 0), addi(5, 4, 1),
       EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 400);
  // Both issue one after the other; the load passes one cycle after the store.
  uint64_t load = issue_cycle(&rig, CODE + 20, 0);
  assert_int_equal(issue_cycle(&rig, CODE + 24, 0), load + 9);
  for (uint32_t l = 0; l < 4; l++) assert_int_equal(reg(&rig, 0, 5, l), l + 1);
  rig_close(&rig);
}

static void the_cycle_csr_gives_the_cycle_of_ex1(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  LOAD(&rig, csrr(1, 0xC00), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 200);
  assert_int_equal(reg(&rig, 0, 1, 0), issue_cycle(&rig, CODE, 0) + 2);
  rig_close(&rig);
}

// ---- results ----

static uint32_t high(int64_t a, int64_t b) { return (uint32_t)((uint64_t)(a * b) >> 32); }

// The OP and M instructions by their definition; n counts them as the program below does.
static uint32_t definition(uint32_t n, uint32_t a, uint32_t b) {
  int64_t sa = (int32_t)a, sb = (int32_t)b;
  switch (n) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return (uint32_t)((uint64_t)a << (b % 32));
    case 3: return sa < sb;
    case 4: return a < b;
    case 5: return a ^ b;
    case 6: return a >> (b % 32);
    case 7: return (uint32_t)(sa >> (b % 32));
    case 8: return a | b;
    case 9: return a & b;
    case 10: return a * b;
    case 11: return high(sa, sb);
    case 12: return high(sa, (int64_t)(uint64_t)b);
    case 13: return (uint32_t)((uint64_t)a * b >> 32);
    case 14: return b == 0 ? 0xFFFFFFFFu : (uint32_t)(sa / sb);
    case 15: return b == 0 ? 0xFFFFFFFFu : a / b;
    case 16: return b == 0 ? a : (uint32_t)(sa % sb);
    default: return b == 0 ? a : a % b;
  }
}

static const uint8_t op_fields[18][2] = {  // funct7, funct3
    {0, 0}, {0x20, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0x20, 5}, {0, 6},
    {0, 7}, {1, 0},    {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6},    {1, 7},
};

static void every_register_operation_gives_its_definition_at_every_warp_size(void **unused) {
  (void)unused;
  static const uint32_t corners[] = {0, 1, 2, 31, 32, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFE0};
  enum { N_CORNERS = sizeof corners / sizeof corners[0] };
  uint64_t seed = model_seed("test_sm");
  for (uint32_t lanes = 2; lanes <= 32; lanes *= 2) {
    for (uint32_t round = 0; round < 8; round++) {
      struct rig rig;
      rig_open(&rig, 1, 4, lanes);
      uint32_t program[26] = {csrr(1, 0xCC0), slli(1, 1, 3), lui(2, DATA), add(2, 2, 1), lw(1, 2, 0), lw(2, 2, 4)};
      for (uint32_t n = 0; n < 18; n++) program[6 + n] = enc_r(op_fields[n][0], op_fields[n][1], 3 + n, 1, 2);
      program[24] = EXIT;
      load_program(&rig, program, 26);
      for (uint32_t i = 0; i < 2 * lanes; i++) {
        bool corner = model_random(&seed, 2);
        *mem_word(&rig, DATA + 4 * i) = corner ? corners[model_random(&seed, N_CORNERS)] : model_random(&seed, UINT32_MAX);
      }
      dispatch(&rig, 0, 0);
      run(&rig, 1000);
      assert_int_equal(rig.n_retired, 1);
      for (uint32_t i = 0; i < 18 * lanes; i++) {
        uint32_t n = i / lanes, l = i % lanes, a = *mem_word(&rig, DATA + 8 * l), b = *mem_word(&rig, DATA + 8 * l + 4);
        uint32_t got = reg(&rig, 0, 3 + n, l);
        if (got != definition(n, a, b)) fail_msg("operation %u of %08x and %08x gave %08x", n, a, b, got);
      }
      rig_close(&rig);
    }
  }
}

static void narrow_loads_and_stores_touch_their_bytes_only(void **unused) {
  (void)unused;
  for (uint32_t shared = 0; shared < 2; shared++) {
    struct rig rig;
    rig_open(&rig, 1, 4, 4);
    // Lane l stores at byte 2 * l, so two lanes share a word.
    LOAD(&rig, csrr(1, 0xCC0), slli(1, 1, 1), lui(2, shared ? 0x10000000 : DATA), add(2, 2, 1), addi(3, 1, -3),
         0x00311023 /* sh x3, 0(x2) */, FENCE, enc_i(3, 1, 4, 2, 0), enc_i(3, 5, 5, 2, 0),
         enc_i(3, 0, 6, 2, 1), enc_i(3, 4, 7, 2, 1), 0x003100A3 /* sb x3, 1(x2) */, FENCE, enc_i(3, 5, 8, 2, 0), EXIT);
    dispatch(&rig, 0, 0);
    run(&rig, 1000);
    assert_int_equal(rig.n_retired, 1);
    for (uint32_t l = 0; l < 4; l++) {
      uint32_t half = (2 * l - 3) & 0xFFFF, top = half >> 8;
      assert_int_equal(reg(&rig, 0, 4, l), 2 * l - 3);
      assert_int_equal(reg(&rig, 0, 5, l), half);
      assert_int_equal(reg(&rig, 0, 6, l), top ? 0xFFFFFFFF : 0);
      assert_int_equal(reg(&rig, 0, 7, l), top);
      assert_int_equal(reg(&rig, 0, 8, l), (half & 0xFF) * 0x101);
    }
    rig_close(&rig);
  }
}

// ---- policies ----

// R-PO-2 .. R-PO-4 as they are written.
static uint32_t circular(uint32_t eligible, uint32_t from, uint32_t n) {
  while (!(eligible >> from % n & 1)) from++;
  return from % n;
}

static uint32_t pick_by_the_page(uint32_t policy, uint32_t eligible, uint32_t last, bool gone, const uint8_t *order, uint32_t n) {
  if (policy == QSM_POLICY_LRR) return circular(eligible, gone ? last + 1 : last, n);
  if (policy == QSM_POLICY_LRR_ROTATE) return circular(eligible, last + 1, n);
  if (!gone && (eligible >> last & 1)) return last;
  for (uint32_t i = 0;; i++) {
    if (eligible >> order[i] & 1) return order[i];
  }
}

static void a_policy_picks_what_its_rule_says(void **unused) {
  (void)unused;
  uint64_t seed = model_seed("test_sm");
  for (uint32_t n = 1; n <= QSM_MAX_WARPS; n++) {
    struct qsm_warp_sched ws;
    qsm_warp_sched_reset(&ws, n);
    for (uint32_t i = 0; i < 500; i++) {
      uint32_t started = model_random(&seed, n), policy = i % 3, eligible = 1 + model_random(&seed, (1u << n) - 1);
      qsm_warp_sched_started(&ws, started);
      assert_int_equal(ws.order[n - 1], started);
      ws.last = (uint8_t)model_random(&seed, n);
      ws.gone = model_random(&seed, 2);
      assert_int_equal(qsm_warp_sched_pick(&ws, policy, eligible),
                       pick_by_the_page(policy, eligible, ws.last, ws.gone, ws.order, n));
    }
  }
}

// ---- divergence and barriers ----

static void a_diverged_warp_runs_the_lowest_pc_and_merges(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  LOAD(&rig, csrr(1, 0xCC0), addi(2, 0, 2), branch(BLT, 1, 2, 12), addi(3, 0, 5), addi(3, 3, 1), addi(4, 3, 1), EXIT);
  dispatch(&rig, 0, 0);  // lanes 0 and 1 jump to CODE + 20, lanes 2 and 3 run CODE + 12 and + 16 first
  run(&rig, 400);
  const struct qsm_event *split = event(&rig, QSM_EV_PATH, 0), *merged = event(&rig, QSM_EV_PATH, 1);
  assert_int_equal(split->cycle, issue_cycle(&rig, CODE + 8, 0) + 5);  // EX2, SEL1, SEL2
  assert_int_equal(split->word[1], CODE + 12);
  assert_int_equal(split->word[3], 0xC);
  assert_int_equal(merged->word[1], CODE + 20);
  assert_int_equal(merged->word[3], 0xF);
  assert_int_equal(merged->cycle, issue_cycle(&rig, CODE + 16, 0) + 5);
  assert_int_equal(reg(&rig, 0, 4, 3), 7);
  assert_int_equal(count_events(&rig, QSM_EV_PATH), 2);
  assert_int_equal(rig.n_retired, 1);
  rig_close(&rig);
}

static void a_spinning_lane_does_not_hold_the_others_for_ever(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  // Lane 0 spins at the lower pc until lane 3 has written.
  LOAD(&rig, csrr(1, 0xCC0), lui(2, 0x10000000), branch(BNE, 1, 0, 16), lw(3, 2, 0), branch(BEQ, 3, 0, -4),
       branch(BEQ, 0, 0, 12), addi(4, 0, 1), sw(4, 2, 0), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 4000);
  assert_int_equal(rig.n_retired, 1);
  assert_true(count_events(&rig, QSM_EV_PATH) > 8);
  rig_close(&rig);
}

static void a_barrier_releases_when_all_warps_of_the_block_wait(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 2, 4, 4);
  rig.shared.desc[0].threads = 15;  // the last lane of the last warp does not live
  rig.shared.desc[0].warps = 4;
  LOAD(&rig, csrr(1, 0xCC0), lui(2, 0x10000000), slli(3, 1, 2), add(3, 3, 2), sw(1, 3, 0), FENCE, BAR, lw(4, 2, 56),
       EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 1000);
  assert_int_equal(count_events(&rig, QSM_EV_RELEASE), 1);
  uint64_t last_resolve = 0;
  for (uint32_t n = 0; n < 4; n++) {
    uint64_t bar = event(&rig, QSM_EV_RESOLVE, n)->cycle;
    if (bar > last_resolve) last_resolve = bar;
  }
  assert_int_equal(event(&rig, QSM_EV_RELEASE, 0)->cycle, last_resolve + 1);
  assert_int_equal(event(&rig, QSM_EV_PATH, 0)->cycle, last_resolve + 3);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(state(&rig, QSM_STATE_REG, i % 2, i / 2 * 32 + 4, 0), 14);
  assert_int_equal(rig.n_retired, 1);
  rig_close(&rig);
}

// ---- memory ----

static void lanes_of_one_line_make_one_request(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 8);
  LOAD(&rig, csrr(1, 0xCC0), slli(1, 1, 2), lui(2, DATA), add(2, 2, 1), sw(1, 2, 4), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 400);
  const struct qsm_event *first = event(&rig, QSM_EV_REQ, 1), *second = event(&rig, QSM_EV_REQ, 2);  // 0 is the fetch
  assert_int_equal(first->word[1], DATA);
  assert_int_equal(first->word[4], 0xFFFFFFF0);
  assert_int_equal(second->word[1], DATA + 32);
  assert_int_equal(second->word[4], 0x0000000F);
  assert_int_equal(second->cycle, first->cycle + 1);
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(*mem_word(&rig, DATA + 4 + 4 * i), 4 * i);
  rig_close(&rig);
}

static void atomics_of_one_word_are_performed_lane_by_lane(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 8);
  LOAD(&rig, addi(1, 0, 3), lui(2, DATA), amoadd(3, 2, 1), lui(4, 0x10000000), amoadd(5, 4, 1), FENCE, EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 800);
  assert_int_equal(*mem_word(&rig, DATA), 24);
  assert_int_equal(state(&rig, QSM_STATE_SHARED, 0, 0, 0), 24);
  for (uint32_t l = 0; l < 8; l++) {
    assert_int_equal(reg(&rig, 0, 3, l), 3 * l);
    assert_int_equal(reg(&rig, 0, 5, l), 3 * l);
  }
  rig_close(&rig);
}

// ---- faults ----

static void expect_fault(const uint32_t *program, size_t n, uint32_t cause, uint32_t pc, uint32_t tid, uint32_t value) {
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  load_program(&rig, program, n);
  dispatch(&rig, 1, 2);
  run(&rig, 400);
  const struct qsm_fault *fault = qsm_sm_fault(rig.sm, 1);
  assert_int_equal(rig.faulted, 2);
  assert_int_equal(fault->cause, cause);
  assert_int_equal(fault->pc, pc);
  assert_int_equal(fault->tid, tid);
  assert_int_equal(fault->block, 2);
  assert_int_equal(fault->value, value);
  assert_int_equal(rig.n_retired, 1);
  rig_close(&rig);
}
#define EXPECT_FAULT(cause, pc, tid, value, ...)                             \
  do {                                                                       \
    const uint32_t program[] = {__VA_ARGS__};                                \
    expect_fault(program, sizeof program / 4, (cause), (pc), (tid), (value)); \
  } while (0)

static void each_fault_records_cause_place_and_value(void **unused) {
  (void)unused;
  EXPECT_FAULT(0, CODE + 4, 0, 0x102, addi(1, 0, 0x102), jalr(2, 1, 0));
  EXPECT_FAULT(1, 0x100, 0, 0x100, addi(1, 0, 0x100), jalr(2, 1, 0));
  EXPECT_FAULT(2, CODE, 0, 0, 0);
  EXPECT_FAULT(2, CODE, 0, 0x1000202F, 0x1000202F);  // lr.w
  EXPECT_FAULT(3, CODE + 12, 1, CODE + 12, csrr(1, 0xCC0), branch(BNE, 1, 0, 8), EXIT, EBREAK);
  EXPECT_FAULT(8, CODE, 0, CODE, 0x73);
}

static void faults_of_memory_take_the_lowest_faulting_lane(void **unused) {
  (void)unused;
  // Address DATA + 4096 - 8 + 4 * lane: lane 2 is outside. With 1 added every lane is misaligned.
  EXPECT_FAULT(5, CODE + 16, 2, DATA + 4096, csrr(1, 0xCC0), slli(1, 1, 2), lui(2, DATA + 4096), add(2, 2, 1), lw(3, 2, -8),
               FENCE);
  EXPECT_FAULT(7, CODE + 16, 2, DATA + 4096, csrr(1, 0xCC0), slli(1, 1, 2), lui(2, DATA + 4096), add(2, 2, 1), sw(3, 2, -8),
               FENCE);
  EXPECT_FAULT(4, CODE + 16, 0, DATA + 4096 - 7, csrr(1, 0xCC0), slli(1, 1, 2), lui(2, DATA + 4096), add(2, 2, 1),
               lw(3, 2, -7), FENCE);
  EXPECT_FAULT(7, CODE + 4, 0, CODE, lui(1, CODE), amoadd(2, 1, 1), FENCE);
  EXPECT_FAULT(5, CODE + 8, 0, 0x10000400, lui(1, 0x10000000), addi(1, 1, 1024), lw(2, 1, 0), FENCE);
}

static void a_fault_leaves_the_other_kernel_unharmed(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  // Slot 1 faults; slot 0 counts on.
  LOAD(&rig, csrr(1, 0xCCE), branch(BEQ, 1, 0, 8), EBREAK, addi(2, 0, 100), addi(2, 2, -1), branch(BNE, 2, 0, -4), EXIT);
  dispatch(&rig, 0, 0);
  dispatch(&rig, 1, 1);
  run(&rig, 2000);
  assert_int_equal(rig.faulted, 2);
  assert_int_equal(rig.n_retired, 2);
  assert_int_equal(reg(&rig, 0, 2, 0), 0);
  uint64_t fault = event(&rig, QSM_EV_FAULT, 0)->cycle;
  assert_int_equal(event(&rig, QSM_EV_FINISH, 0)->cycle, fault + 2);  // wiped at the end of + 1
  rig_close(&rig);
}

static void a_kill_wins_over_a_start_in_the_same_cycle(void **unused) {
  (void)unused;
  for (uint32_t kills = 0; kills < 2; kills++) {
    struct rig rig;
    rig_open(&rig, 1, 4, 4);
    LOAD(&rig, EXIT);
    send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_START, .kernel = 0});
    if (kills) send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_KILL, .kernel = 0});
    run(&rig, 1);
    dispatch(&rig, 0, 0);
    run(&rig, 200);
    assert_int_equal(count_events(&rig, QSM_EV_ISSUE), kills ? 0 : 1);
    assert_int_equal(rig.n_retired, 1);
    rig_close(&rig);
  }
}

static void an_invalidation_drops_the_line_on_its_way(void **unused) {
  (void)unused;
  for (uint32_t late = 0; late < 2; late++) {
    struct rig rig;
    rig_open(&rig, 1, 4, 4);
    LOAD(&rig, EXIT);
    dispatch(&rig, 0, 0);
    run(&rig, late ? 100 : 10);  // the request leaves in 4, the line arrives in 32
    send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_ICACHE_INV});
    run(&rig, 200);
    assert_int_equal(count_events(&rig, QSM_EV_REQ), late ? 1 : 2);
    assert_int_equal(rig.n_retired, 1);
    rig_close(&rig);
  }
}

// ---- quotas ----

static void load_quotas(struct rig *rig, uint8_t scheme, uint32_t quota0, uint32_t quota1) {
  uint32_t credit = scheme == QSM_SCHEME_ROLLOVER ? 100000 : 0;
  send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_WORD, .kernel = 0, .quota = quota0, .credit = credit});
  run(rig, 1);
  send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_WORD, .kernel = 1, .quota = quota1, .credit = credit});
  run(rig, 1);
  send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_LOAD, .scheme = scheme});
  run(rig, 1 + 4);  // the message, then two cycles for a slot
}

static void the_gate_never_lets_a_spent_kernel_issue(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 2, 4, 4);
  rig.shared.qos_mask = 1;
  rig.shared.first_quota[0] = 1000;
  rig.shared.first_quota[1] = 1000;
  for (int k = 0; k < 2; k++) {
    rig.shared.desc[k].warps = 2;
    rig.shared.desc[k].threads = 8;
  }
  LOAD(&rig, addi(1, 1, 1), addi(2, 2, 1), addi(3, 3, 1), branch(BEQ, 0, 0, -12));
  dispatch(&rig, 0, 0);
  dispatch(&rig, 1, 1);
  run(&rig, 100);
  load_quotas(&rig, QSM_SCHEME_NAIVE, 100, 50);
  uint64_t loaded = rig.cycle;
  uint32_t first = rig.n_events;
  int32_t c[2];
  for (uint32_t k = 0; k < 2; k++) c[k] = (int32_t)state(&rig, QSM_STATE_QUOTA, 0, k, 0);
  assert_true(c[0] > 100 - 17 && c[0] <= 100 && c[1] == 50);
  run(&rig, 400);
  uint32_t n_refills = 0;
  for (uint32_t i = first; i < rig.n_events; i++) {
    const struct qsm_event *e = &rig.events[i];
    assert_true(e->cycle >= loaded);
    if (e->kind == QSM_EV_ISSUE) assert_true(c[e->word[1]] > 0);
    if (e->kind != QSM_EV_QUOTA) continue;
    if ((int32_t)e->word[1] > c[1]) {  // refill: only when both are spent, and it adds the quota
      assert_true(c[0] <= 0 && c[1] <= 0);
      assert_int_equal((int32_t)e->word[1], c[1] + 50);
      n_refills++;
    }
    c[0] = (int32_t)e->word[0];
    c[1] = (int32_t)e->word[1];
  }
  assert_true(n_refills > 3);
  assert_true(c[0] <= 0 && c[0] > -8);
  rig_close(&rig);
}

static void rollover_carries_what_is_left(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  rig.shared.qos_mask = 1;
  LOAD(&rig, addi(1, 0, 1), branch(BEQ, 0, 0, 0));
  dispatch(&rig, 0, 0);
  run(&rig, 50);
  load_quotas(&rig, QSM_SCHEME_ROLLOVER, 1000, 1000);  // slot 1 has no TB here
  uint32_t left = state(&rig, QSM_STATE_QUOTA, 0, 0, 0);
  assert_int_equal(state(&rig, QSM_STATE_QUOTA, 0, 1, 0), 0);
  load_quotas(&rig, QSM_SCHEME_ROLLOVER, 1000, 1000);
  assert_true(state(&rig, QSM_STATE_QUOTA, 0, 0, 0) > left + 970);
  load_quotas(&rig, QSM_SCHEME_NAIVE, 1000, 1000);
  uint32_t naive = state(&rig, QSM_STATE_QUOTA, 0, 0, 0);
  assert_true(naive <= 1000 && naive > 1000 - 16);
  rig_close(&rig);
}

// ---- the fast paths change nothing ----

static void start_mixed_work(struct rig *rig) {
  rig->shared.qos_mask = 1;
  rig->shared.desc[0].warps = 2;
  rig->shared.desc[0].threads = 7;
  rig->shared.desc[2].warps = 3;
  rig->shared.desc[2].threads = 12;
  LOAD(rig, csrr(1, 0xCC0), slli(2, 1, 5), lui(3, DATA), add(3, 3, 2), addi(9, 0, 20), lw(4, 3, 0), enc_r(1, 4, 5, 2, 9),
       amoadd(6, 3, 9), branch(BLT, 1, 9, 8), addi(4, 4, 9), sw(4, 3, 4), FENCE, BAR, addi(9, 9, -1),
       branch(BNE, 9, 0, -36), EXIT);
  dispatch(rig, 0, 0);
  dispatch(rig, 2, 1);
}

static void windows_of_any_length_give_the_same_run(void **unused) {
  (void)unused;
  uint64_t expected = 0;
  for (uint32_t window = 1; window <= 4; window++) {
    struct rig rig;
    rig_open(&rig, 2, 8, 4);
    rig.window = window;
    start_mixed_work(&rig);
    run(&rig, 12000);
    assert_int_equal(rig.n_retired, 2);
    if (window == 1) expected = qsm_sm_hash(rig.sm);
    assert_int_equal(qsm_sm_hash(rig.sm), expected);
    rig_close(&rig);
  }
}

static void stall_counters_count_every_resident_warp_in_every_cycle(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 2, 8, 4);
  rig.window = 1;
  start_mixed_work(&rig);
  uint32_t warp_cycles = 0;
  for (uint32_t c = 0; c < 3000; c++) {
    for (uint32_t i = 0; i < 8; i++) warp_cycles += state(&rig, QSM_STATE_WARP, i / 4, i % 4, 0);
    run(&rig, 1);
    uint32_t counted = 0, issued = 0;
    for (uint32_t i = 0; i < 2 * 4 * QSM_N_STALL_REASONS; i++) {
      uint32_t n = qsm_sm_stall(rig.sm, rig.cycle, i % 2, i / 2 % 4, i / 8);
      counted += n;
      if (i / 8 == 0) issued += n;
    }
    assert_int_equal(counted, warp_cycles);
    assert_int_equal(issued, count_events(&rig, QSM_EV_ISSUE));
  }
  rig_close(&rig);
}

// Of everything that was reported.
static uint64_t hash_events(const struct rig *rig) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < rig->n_events; i++) {
    const struct qsm_event *e = &rig->events[i];
    hash = (hash ^ e->cycle ^ (uint64_t)e->kind << 32) * 0x9E3779B97F4A7C15u;
    for (uint32_t w = 0; w < e->n_words; w++) hash = (hash ^ e->word[w]) * 0x9E3779B97F4A7C15u;
  }
  return hash;
}

// What the host does in mid-run: everything that the warp schedulers see at once.
static void meddle(struct rig *rig, uint32_t i) {
  rig->shared.policy = i % 5 == 4 ? 1 : 3 + i / 2 % 3;
  rig->shared.budget[i % 4] = 1 + i % 3;
  rig->shared.active_warps = 1 + i % 4;
  rig->shared.restart = i % 2 ? 15 : 1u << i % 4;
  rig->shared.resched_at = rig->cycle;
}

// Sub-cores that sleep through stalled stretches end as those that are stepped in every cycle: the same events, the same state.
static void a_policy_with_groups_may_sleep_and_miss_nothing(void **unused) {
  (void)unused;
  uint64_t expected = 0;
  for (uint32_t awake = 0; awake < 2; awake++) {
    struct rig rig;
    rig_open(&rig, 2, 8, 4);
    start_mixed_work(&rig);
    send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_LOAD, .scheme = QSM_SCHEME_NAIVE});
    rig.window = awake ? 1 : 4;
    for (uint32_t i = 0; i < 60; i++) {
      meddle(&rig, i);
      if (i % 4 == 3) {
        for (uint8_t k = 0; k < 4; k++) send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_WORD, .kernel = k, .quota = k == (i / 4 + 2) % 4 ? 0 : 40 + 7 * k});
        send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_LOAD, .scheme = i % 8 == 3 ? QSM_SCHEME_ROLLOVER : QSM_SCHEME_NONE});
      }
      for (uint32_t c = 0; c < 200; c += rig.window) {
        run(&rig, rig.window);
        // A write that changes nothing wakes every sub-core.
        if (awake) {
          rig.shared.restart = 0;
          rig.shared.resched_at = rig.cycle;
        }
      }
    }
    assert_true(count_events(&rig, QSM_EV_TWOLEVEL) > 100);
    assert_true(count_events(&rig, QSM_EV_QAWS) > 40);
    uint64_t hash = hash_events(&rig);
    for (uint32_t i = 0; i < 8; i++) hash = hash * 31 + state(&rig, QSM_STATE_POLICY, i / 4, 0, i % 4);
    if (!awake) expected = hash;
    assert_int_equal(hash, expected);
    rig_close(&rig);
  }
}

static void an_injected_fault_changes_the_run(void **unused) {
  (void)unused;
  static const char *const blocks[] = {"fetch", "issue", "warp_state", "exec", "tb_launch", "lsu", "barrier", "quota"};
  uint64_t expected = 0;
  for (size_t b = 0; b <= sizeof blocks / sizeof blocks[0]; b++) {
    struct rig rig;
    rig_open(&rig, 2, 8, 4);
    for (uint32_t k = 0; k < 2; k++) rig.shared.first_quota[k] = 100000;
    send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_LOAD, .scheme = QSM_SCHEME_ROLLOVER});  // so that somebody looks at C
    start_mixed_work(&rig);
    bool injected = b == 0;
    for (uint32_t i = 0; i < 3000; i++) {
      char what[80];
      if (!injected) injected = qsm_sm_inject(rig.sm, blocks[b - 1], 7, what, sizeof what) == 0;
      run(&rig, 1);
    }
    if (!injected) fail_msg("%s was never live", blocks[b - 1]);
    run(&rig, 3000);
    uint64_t hash = hash_events(&rig);
    if (b == 0) expected = hash;
    if (b != 0 && hash == expected) fail_msg("a fault in %s changed nothing", blocks[b - 1]);
    rig_close(&rig);
  }
}

static uint64_t hash_of_kind(const struct rig *rig, uint64_t cycle, uint8_t kind) {
  uint64_t hash = 1;
  for (uint32_t i = 0; i < rig->n_events; i++) {
    const struct qsm_event *e = &rig->events[i];
    if (e->cycle != cycle || e->kind != kind) continue;
    for (uint32_t w = 0; w < e->n_words; w++) hash = (hash ^ e->word[w] ^ (uint64_t)e->sub << 32) * 0x9E3779B97F4A7C15u;
  }
  return hash;
}

static bool same_in_cycle(const struct rig *a, const struct rig *b, uint64_t cycle, uint8_t kind) {
  return hash_of_kind(a, cycle, kind) == hash_of_kind(b, cycle, kind);
}

// Cycle and kind of the first difference, as the lockstep names it.
static uint64_t first_difference(const struct rig *a, const struct rig *b, uint8_t *kind) {
  for (uint32_t i = 0; i < a->n_events && i < b->n_events; i++) {
    const struct qsm_event *x = &a->events[i], *y = &b->events[i];
    if (memcmp(x, y, offsetof(struct qsm_event, word)) == 0 && memcmp(x->word, y->word, x->n_words * sizeof *x->word) == 0) continue;
    uint64_t cycle = x->cycle < y->cycle ? x->cycle : y->cycle;
    for (*kind = 0; *kind < QSM_EV_COUNT && same_in_cycle(a, b, cycle, *kind); ++*kind) continue;
    return cycle;
  }
  return 0;
}

// Two machines, one of which is hit: what differs first, and in the next cycle, is what the scheduler reports.
static void a_flip_in_the_warp_scheduler_shows_as_its_event(void **unused) {
  (void)unused;
  static const uint8_t kinds[] = {[QSM_POLICY_GTO] = QSM_EV_COUNT, [QSM_POLICY_TWO_LEVEL] = QSM_EV_TWOLEVEL, [QSM_POLICY_QAWS] = QSM_EV_QAWS,
                                  [QSM_POLICY_QAWS_PROSE] = QSM_EV_QAWS};
  for (uint32_t policy = QSM_POLICY_GTO; policy <= QSM_POLICY_QAWS_PROSE; policy++) {
    struct rig hit, whole;
    struct rig *rigs[] = {&hit, &whole};
    char what[80];
    uint64_t at = 0;
    for (uint32_t i = 0; i < 2; i++) {
      rig_open(rigs[i], 2, 8, 4);
      rigs[i]->shared.policy = policy;
      rigs[i]->shared.budget[2] = 4;
      start_mixed_work(rigs[i]);
      rigs[i]->shared.qos_mask = 0;
      rigs[i]->shared.restart = 15;
      rigs[i]->shared.resched_at = 300;  // when all warps are there: the group of more than one warp comes to the front
    }
    for (uint32_t c = 0; c < 4000; c++) {
      if (!at && qsm_sm_inject(hit.sm, "warp_sched", 7, what, sizeof what) == 0) at = hit.cycle;
      for (uint32_t i = 0; i < 2; i++) run(rigs[i], 1);
    }
    uint8_t kind = QSM_EV_COUNT;
    assert_int_equal(first_difference(&hit, &whole, &kind), at);
    if (policy != QSM_POLICY_LRR_ROTATE) assert_int_equal(kind, kinds[policy]);
    assert_int_equal(at != 0, policy >= QSM_POLICY_TWO_LEVEL);
    for (uint32_t i = 0; i < 2; i++) rig_close(rigs[i]);
  }
}

static void a_flip_in_a_fault_record_shows_in_the_state(void **unused) {
  (void)unused;
  struct rig rig;
  char what[80];
  uint32_t flipped = 0;
  rig_open(&rig, 2, 8, 4);
  assert_int_equal(qsm_sm_inject(rig.sm, "fault", 7, what, sizeof what), 0);
  for (uint32_t kernel = 0; kernel < 4; kernel++) flipped |= state(&rig, QSM_STATE_FAULT, 0, kernel, 2);
  assert_int_equal(__builtin_popcount(flipped), 1);
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_starts_and_fetches_in_the_cycles_of_the_pages),
      cmocka_unit_test(a_dependent_instruction_issues_four_cycles_later),
      cmocka_unit_test(a_taken_branch_costs_its_resolution_and_a_fetch),
      cmocka_unit_test(a_division_writes_38_cycles_after_issue),
      cmocka_unit_test(a_shared_load_returns_nine_cycles_after_issue),
      cmocka_unit_test(the_cycle_csr_gives_the_cycle_of_ex1),
      cmocka_unit_test(every_register_operation_gives_its_definition_at_every_warp_size),
      cmocka_unit_test(narrow_loads_and_stores_touch_their_bytes_only),
      cmocka_unit_test(a_policy_picks_what_its_rule_says),
      cmocka_unit_test(a_diverged_warp_runs_the_lowest_pc_and_merges),
      cmocka_unit_test(a_spinning_lane_does_not_hold_the_others_for_ever),
      cmocka_unit_test(a_barrier_releases_when_all_warps_of_the_block_wait),
      cmocka_unit_test(lanes_of_one_line_make_one_request),
      cmocka_unit_test(atomics_of_one_word_are_performed_lane_by_lane),
      cmocka_unit_test(each_fault_records_cause_place_and_value),
      cmocka_unit_test(faults_of_memory_take_the_lowest_faulting_lane),
      cmocka_unit_test(a_fault_leaves_the_other_kernel_unharmed),
      cmocka_unit_test(a_kill_wins_over_a_start_in_the_same_cycle),
      cmocka_unit_test(an_invalidation_drops_the_line_on_its_way),
      cmocka_unit_test(the_gate_never_lets_a_spent_kernel_issue),
      cmocka_unit_test(rollover_carries_what_is_left),
      cmocka_unit_test(windows_of_any_length_give_the_same_run),
      cmocka_unit_test(stall_counters_count_every_resident_warp_in_every_cycle),
      cmocka_unit_test(a_policy_with_groups_may_sleep_and_miss_nothing),
      cmocka_unit_test(an_injected_fault_changes_the_run),
      cmocka_unit_test(a_flip_in_the_warp_scheduler_shows_as_its_event),
      cmocka_unit_test(a_flip_in_a_fault_record_shows_in_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
