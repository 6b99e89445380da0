// SPDX-License-Identifier: Apache-2.0
// The model's SM alone, on hand-encoded programs.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fp_ref.h"
#include "model_support.h"
#include "sm_rig.h"

static void rig_open_with_fpu(struct rig *rig, uint32_t subs, uint32_t warps, uint32_t lanes) {
  struct qsm_config config = rig_config(subs, warps, lanes);
  config.fpu = 1;
  rig_open_config(rig, &config);
}

// ---- timing ----

// R-FE-2, R-FE-3, R-FE-5, R-LK-1.
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
  LOAD(&rig, lui(1, 0x10000000), csrr(2, 0xCC0), slli(3, 2, 2), add(1, 1, 3), sw(2, 1, 0),
       lw(4, 1, 0), addi(5, 4, 1), EXIT);
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

// ---- floating point (docs/fpu.md) ----

static uint32_t fp(enum fp_op op, uint32_t rd, uint32_t rs1, uint32_t rs2, uint32_t rs3) {
  return fp_encode(op, 7, rd, rs1, rs2, rs3);
}

// Behind a division, on which the first word waits, so that the buffer is full when it issues.
// Returns the first word's cycle.
static uint64_t run_behind_division(struct rig *rig, const uint32_t *words, size_t n,
                                    uint64_t cycles) {
  uint32_t program[64] = {addi(30, 0, 100), enc_r(1, 5, 31, 30, 30), add(29, 31, 31)};
  memcpy(program + 3, words, n * sizeof *words);
  program[3 + n] = EXIT;
  rig_open_with_fpu(rig, 1, 4, 4);
  load_program(rig, program, 4 + n);
  dispatch(rig, 0, 0);
  run(rig, cycles);
  return issue_cycle(rig, CODE + 12, 0);
}
#define RUN_BEHIND_DIVISION(rig, ...)                                                              \
  run_behind_division((rig), (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4, \
                      300)

static uint64_t behind_division(const struct rig *rig, uint32_t n) {
  return issue_cycle(rig, CODE + 12 + 4 * n, 0);
}

// The cycle in which the warp's register is first written.
static uint64_t write_cycle(const struct rig *rig, uint32_t rd) {
  for (uint32_t i = 0; i < rig->n_events; i++) {
    if (rig->events[i].kind == QSM_EV_WB && rig->events[i].word[1] == rd)
      return rig->events[i].cycle;
  }
  fail_msg("x%u was not written", rd);
  return 0;
}

static void a_sum_of_floats_writes_seven_cycles_after_issue(void **unused) {
  (void)unused;
  struct rig rig;
  uint64_t t = RUN_BEHIND_DIVISION(&rig, fp(FP_ADD, 3, 0, 0, 0), addi(4, 3, 1), addi(3, 0, 5));
  assert_int_equal(write_cycle(&rig, 3), t + 7);
  assert_int_equal(behind_division(&rig, 1), t + 7);  // reads x3
  assert_int_equal(behind_division(&rig, 2), t + 8);
  rig_close(&rig);
}

static void a_claimed_cycle_is_for_what_writes_nothing(void **unused) {
  (void)unused;
  struct rig rig;
  uint64_t t = RUN_BEHIND_DIVISION(&rig, fp(FP_CVT_S_W, 3, 0, 0, 0), addi(4, 0, 1), addi(5, 0, 1),
                                   addi(6, 0, 1));
  assert_int_equal(behind_division(&rig, 2), t + 2);
  assert_int_equal(behind_division(&rig, 3), t + 4);  // t + 3 is claimed
  assert_int_equal(write_cycle(&rig, 3), t + 7);
  assert_int_equal(write_cycle(&rig, 6), t + 8);
  assert_int_equal(qsm_sm_stall(rig.sm, rig.cycle, 0, 0, QSM_STALL_PIPE_THROTTLE), 1);
  rig_close(&rig);
  t = RUN_BEHIND_DIVISION(&rig, fp(FP_CVT_S_W, 3, 0, 0, 0), addi(4, 0, 1), addi(5, 0, 1),
                          addi(0, 0, 1));
  assert_int_equal(behind_division(&rig, 3), t + 3);
  rig_close(&rig);
  t = RUN_BEHIND_DIVISION(&rig, fp(FP_CVT_S_W, 0, 0, 0, 0), addi(4, 0, 1), addi(5, 0, 1),
                          addi(6, 0, 1));
  assert_int_equal(behind_division(&rig, 3), t + 3);  // x0 claims nothing
  rig_close(&rig);
  t = RUN_BEHIND_DIVISION(&rig, fp(FP_CVT_S_W, 3, 0, 0, 0), fp(FP_MUL, 4, 0, 0, 0),
                          fp(FP_ADD, 5, 0, 0, 0), fp(FP_MADD, 6, 0, 0, 0));
  assert_int_equal(behind_division(&rig, 3), t + 3);  // sums claim other cycles
  assert_int_equal(write_cycle(&rig, 6), t + 10);
  rig_close(&rig);
}

static void each_source_of_a_fused_operation_is_waited_for(void **unused) {
  (void)unused;
  for (uint32_t source = 0; source < 3; source++) {
    struct rig rig;
    uint32_t reg_of[3] = {0, 0, 0};
    reg_of[source] = 3;
    uint64_t t = RUN_BEHIND_DIVISION(&rig, fp(FP_CVT_S_W, 3, 30, 0, 0),
                                     fp(FP_MADD, 4, reg_of[0], reg_of[1], reg_of[2]));
    assert_int_equal(behind_division(&rig, 1), t + 7);
    rig_close(&rig);
  }
  struct rig rig;  // fsqrt has no second source, a comparison no third
  uint64_t t =
      RUN_BEHIND_DIVISION(&rig, fp(FP_CVT_S_W, 1, 0, 0, 0),
                          fp(FP_CVT_W_S, 4, 0, 0, 0) & ~(31u << 20), fp(FP_EQ, 5, 0, 2, 0));
  assert_int_equal(behind_division(&rig, 2), t + 2);
  rig_close(&rig);
}

static void a_later_write_to_a_source_does_not_reach_a_sum_under_way(void **unused) {
  (void)unused;
  struct rig rig;
  uint64_t t = RUN_BEHIND_DIVISION(&rig, fp(FP_CVT_S_W, 3, 30, 0, 0), addi(30, 0, 7));
  assert_int_equal(behind_division(&rig, 1), t + 1);
  assert_int_equal(reg(&rig, 0, 30, 0), 7);
  assert_int_equal(reg(&rig, 0, 3, 0), 0x42C80000);  // 100.0
  rig_close(&rig);
}

static void a_division_of_floats_writes_34_cycles_after_issue(void **unused) {
  (void)unused;
  struct rig rig;
  uint64_t t = RUN_BEHIND_DIVISION(&rig, fp(FP_DIV, 3, 30, 30, 0), fp(FP_SQRT, 4, 30, 0, 0),
                                   enc_r(1, 4, 5, 30, 30));
  assert_int_equal(write_cycle(&rig, 3), t + 34);
  assert_int_equal(behind_division(&rig, 1), t + 35);
  assert_int_equal(write_cycle(&rig, 4), t + 35 + 34);
  assert_int_equal(behind_division(&rig, 2), t + 70);
  rig_close(&rig);
}

static void a_kill_changes_nothing_in_a_sum_under_way(void **unused) {
  (void)unused;
  struct rig rig;
  uint32_t words[] = {fp(FP_CVT_S_W, 3, 30, 0, 0), BAR};
  uint64_t t = run_behind_division(&rig, words, 2, 300);
  rig_close(&rig);
  for (uint64_t at = t - 3; at < t + 8; at++) {
    rig_open_with_fpu(&rig, 1, 4, 4);
    uint32_t program[] = {addi(30, 0, 100), enc_r(1, 5, 31, 30, 30), add(29, 31, 31), words[0],
                          BAR};
    load_program(&rig, program, 5);
    dispatch(&rig, 0, 0);
    run(&rig, at);
    rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_KILL, .kernel = 0});
    run(&rig, 300 - at);
    uint32_t written = reg(&rig, 0, 3, 1);
    assert_int_equal(written,
                     at < t ? 0 : 0x42C80000);  // the kill is seen in `at`: killed from at + 1 on
    if (at >= t) assert_int_equal(write_cycle(&rig, 3), t + 7);
    assert_int_equal(rig.n_retired, 1);
    rig_close(&rig);
  }
}

static void without_an_fpu_its_instructions_are_illegal(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  LOAD(&rig, fp(FP_ADD, 3, 0, 0, 0), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 200);
  assert_int_equal(event(&rig, QSM_EV_FAULT, 0)->word[1], 2);
  assert_int_equal(event(&rig, QSM_EV_FAULT, 0)->word[5], fp(FP_ADD, 3, 0, 0, 0));
  rig_close(&rig);
}

// Loads, divisions, sums and plain instructions of four warps, so that the write port is always
// wanted.
static void load_port_program(struct rig *rig, uint64_t *seed) {
  uint32_t program[200] = {csrr(1, 0xCC0), slli(1, 1, 2), lui(2, 0x10000000), add(2, 2, 1)}, n = 4;
  while (n < 180) {
    uint32_t rd = 3 + model_random(seed, 26), rs = 3 + model_random(seed, 26);
    switch (model_random(seed, 8)) {
      case 0:
      case 1: program[n++] = lw(rd, 2, 0); break;
      case 2:
      case 3:
        program[n++] =
            fp(model_random(seed, 2) ? FP_ADD : FP_MADD, model_random(seed, 8) ? rd : 0, rs, 2, rs);
        break;
      case 4:
        program[n++] = model_random(seed, 4) ? add(rd, rs, 2) : fp(FP_DIV, rd, rs, 2, 0);
        break;
      default: program[n++] = addi(rd, 0, 1); break;
    }
  }
  program[n] = EXIT;
  load_program(rig, program, n + 1);
}

struct port_counts {
  uint32_t sums, eights, waits;
};

// R-FP-1, R-FP-3, R-WB-1 .. R-WB-3 by the events and the state of every cycle.
static void check_port(const struct rig *rig, const uint32_t *states, uint64_t n_cycles,
                       struct port_counts *counts) {
  static uint8_t writes[8192], fixed_due[8192], sums[8192], plain[8192];
  assert_true(n_cycles + 16 < sizeof writes);
  memset(writes, 0, sizeof writes);
  memset(fixed_due, 0, sizeof fixed_due);
  memset(sums, 0, sizeof sums);
  memset(plain, 0, sizeof plain);
  for (uint32_t i = 0; i < rig->n_events; i++) {
    const struct qsm_event *e = &rig->events[i];
    if (e->kind == QSM_EV_WB) writes[e->cycle]++;
    if (e->kind != QSM_EV_ISSUE) continue;
    struct qsm_insn insn;
    qsm_decode(e->word[4], true, &insn);
    uint8_t class = qsm_op_class[insn.op];
    if (insn.rd == 0 || class == QSM_CLASS_MEM || class == QSM_CLASS_DIV) continue;
    fixed_due[e->cycle + (class == QSM_CLASS_FMA ? 7 : 4)]++;
    (class == QSM_CLASS_FMA ? sums : plain)[e->cycle]++;
  }
  for (uint64_t c = 8; c < n_cycles; c++) {
    uint32_t wb_wait = states[c] % 16, claims = states[c] / 16;
    assert_true(wb_wait <= 8 && claims < 8);
    assert_true(writes[c] <= 1 && fixed_due[c] <= 1 && writes[c] >= fixed_due[c]);
    assert_int_equal(claims & 1, sums[c - 3] || states[c - 3] % 16 == 8);
    assert_int_equal(states[c + 1] / 16, claims >> 1 | (sums[c] || wb_wait == 8 ? 4u : 0));
    assert_false((claims & 1) && plain[c]);
    assert_false(wb_wait == 8 && sums[c]);
    if (wb_wait == 8) assert_int_equal(fixed_due[c + 7], 0);
    counts->sums += sums[c];
    counts->eights += wb_wait == 8;
    counts->waits += wb_wait != 0;
  }
}

static void the_write_port_is_claimed_as_the_rules_say(void **unused) {
  (void)unused;
  static uint32_t states[6002];
  uint64_t seed = model_seed("test_sm");
  struct port_counts counts = {0};
  for (uint32_t round = 0; round < 6; round++) {
    struct rig rig;
    rig_open_with_fpu(&rig, 1, 4, 4);
    rig.window = 1;
    load_port_program(&rig, &seed);
    for (uint8_t tb = 0; tb < 4; tb++) dispatch(&rig, tb, tb);
    for (uint32_t c = 0; c < 6001; c++) {
      states[c] = state(&rig, QSM_STATE_WRITE_BACK, 0, 0, 0);
      run(&rig, 1);
    }
    assert_int_equal(rig.n_retired, 4);
    check_port(&rig, states, 5990, &counts);
    rig_close(&rig);
  }
  printf("# %u sums, results waited in %u cycles, %u of them the eighth\n", counts.sums,
         counts.waits, counts.eights);
  assert_true(counts.sums > 100 && counts.eights > 3);
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

static const uint8_t op_fields[18][2] = {
    // funct7, funct3
    {0, 0}, {0x20, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0x20, 5}, {0, 6},
    {0, 7}, {1, 0},    {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6},    {1, 7},
};

static void every_register_operation_gives_its_definition_at_every_warp_size(void **unused) {
  (void)unused;
  static const uint32_t corners[] = {0,          1,          2,          31,         32,
                                     0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFE0};
  enum { N_CORNERS = sizeof corners / sizeof corners[0] };
  uint64_t seed = model_seed("test_sm");
  for (uint32_t lanes = 2; lanes <= 32; lanes *= 2) {
    for (uint32_t round = 0; round < 8; round++) {
      struct rig rig;
      rig_open(&rig, 1, 4, lanes);
      uint32_t program[26] = {csrr(1, 0xCC0), slli(1, 1, 3), lui(2, DATA),
                              add(2, 2, 1),   lw(1, 2, 0),   lw(2, 2, 4)};
      for (uint32_t n = 0; n < 18; n++)
        program[6 + n] = enc_r(op_fields[n][0], op_fields[n][1], 3 + n, 1, 2);
      program[24] = EXIT;
      load_program(&rig, program, 26);
      for (uint32_t i = 0; i < 2 * lanes; i++) {
        bool corner = model_random(&seed, 2);
        *mem_word(&rig, DATA + 4 * i) =
            corner ? corners[model_random(&seed, N_CORNERS)] : model_random(&seed, UINT32_MAX);
      }
      dispatch(&rig, 0, 0);
      run(&rig, 1000);
      assert_int_equal(rig.n_retired, 1);
      for (uint32_t i = 0; i < 18 * lanes; i++) {
        uint32_t n = i / lanes, l = i % lanes, a = *mem_word(&rig, DATA + 8 * l),
                 b = *mem_word(&rig, DATA + 8 * l + 4);
        uint32_t got = reg(&rig, 0, 3 + n, l);
        if (got != definition(n, a, b))
          fail_msg("operation %u of %08x and %08x gave %08x", n, a, b, got);
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
    LOAD(&rig, csrr(1, 0xCC0), slli(1, 1, 1), lui(2, shared ? 0x10000000 : DATA), add(2, 2, 1),
         addi(3, 1, -3), 0x00311023 /* sh x3, 0(x2) */, FENCE, enc_i(3, 1, 4, 2, 0),
         enc_i(3, 5, 5, 2, 0), enc_i(3, 0, 6, 2, 1), enc_i(3, 4, 7, 2, 1),
         0x003100A3 /* sb x3, 1(x2) */, FENCE, enc_i(3, 5, 8, 2, 0), EXIT);
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

// ---- divergence and barriers ----

static void a_diverged_warp_runs_the_lowest_pc_and_reconverges(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  LOAD(&rig, csrr(1, 0xCC0), addi(2, 0, 2), branch(BLT, 1, 2, 12), addi(3, 0, 5), addi(3, 3, 1),
       addi(4, 3, 1), EXIT);
  dispatch(&rig, 0,
           0);  // lanes 0 and 1 jump to CODE + 20, lanes 2 and 3 run CODE + 12 and + 16 first
  run(&rig, 400);
  const struct qsm_event *split = event(&rig, QSM_EV_SPLIT, 0),
                         *merged = event(&rig, QSM_EV_SPLIT, 1);
  assert_int_equal(split->cycle, issue_cycle(&rig, CODE + 8, 0) + 5);  // EX2, SEL1, SEL2
  assert_int_equal(split->word[1], CODE + 12);
  assert_int_equal(split->word[3], 0xC);
  assert_int_equal(merged->word[1], CODE + 20);
  assert_int_equal(merged->word[3], 0xF);
  assert_int_equal(merged->cycle, issue_cycle(&rig, CODE + 16, 0) + 5);
  assert_int_equal(reg(&rig, 0, 4, 3), 7);
  assert_int_equal(count_events(&rig, QSM_EV_SPLIT), 2);
  assert_int_equal(rig.n_retired, 1);
  rig_close(&rig);
}

// I-DIV-2.
static void a_spinning_lane_does_not_hold_the_others_for_ever(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  // Lane 0 spins at the lower pc until lane 3 has written.
  LOAD(&rig, csrr(1, 0xCC0), lui(2, 0x10000000), branch(BNE, 1, 0, 16), lw(3, 2, 0),
       branch(BEQ, 3, 0, -4), branch(BEQ, 0, 0, 12), addi(4, 0, 1), sw(4, 2, 0), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 4000);
  assert_int_equal(rig.n_retired, 1);
  assert_true(count_events(&rig, QSM_EV_SPLIT) > 8);
  rig_close(&rig);
}

// I-DIV-3.
static void a_barrier_releases_when_all_warps_of_the_block_wait(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 2, 4, 4);
  rig.shared.desc[0].threads = 15;  // the last lane of the last warp does not live
  rig.shared.desc[0].warps = 4;
  LOAD(&rig, csrr(1, 0xCC0), lui(2, 0x10000000), slli(3, 1, 2), add(3, 3, 2), sw(1, 3, 0), FENCE,
       BAR, lw(4, 2, 56), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 1000);
  assert_int_equal(count_events(&rig, QSM_EV_RELEASE), 1);
  uint64_t last_resolve = 0;
  for (uint32_t n = 0; n < 4; n++) {
    uint64_t bar = event(&rig, QSM_EV_RESOLVE, n)->cycle;
    if (bar > last_resolve) last_resolve = bar;
  }
  assert_int_equal(event(&rig, QSM_EV_RELEASE, 0)->cycle, last_resolve + 1);
  assert_int_equal(event(&rig, QSM_EV_SPLIT, 0)->cycle, last_resolve + 3);
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(state(&rig, QSM_STATE_REG, i % 2, i / 2 * 32 + 4, 0), 14);
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
  const struct qsm_event *first = event(&rig, QSM_EV_REQ, 1),
                         *second = event(&rig, QSM_EV_REQ, 2);  // 0 is the fetch
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
  LOAD(&rig, addi(1, 0, 3), lui(2, DATA), amoadd(3, 2, 1), lui(4, 0x10000000), amoadd(5, 4, 1),
       FENCE, branch(BEQ, 0, 0, 0));
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

static void expect_fault(const uint32_t *program, size_t n, uint32_t cause, uint32_t pc,
                         uint32_t tid, uint32_t value) {
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
#define EXPECT_FAULT(cause, pc, tid, value, ...)                              \
  do {                                                                        \
    const uint32_t program[] = {__VA_ARGS__};                                 \
    expect_fault(program, sizeof program / 4, (cause), (pc), (tid), (value)); \
  } while (0)

// I-FLT-2.
static void each_fault_records_cause_place_and_value(void **unused) {
  (void)unused;
  EXPECT_FAULT(0, CODE + 4, 0, 0x102, addi(1, 0, 0x102), jalr(2, 1, 0));
  EXPECT_FAULT(1, 0x100, 0, 0x100, addi(1, 0, 0x100), jalr(2, 1, 0));
  EXPECT_FAULT(2, CODE, 0, 0, 0);
  EXPECT_FAULT(2, CODE, 0, 0x1000202F, 0x1000202F);  // lr.w
  EXPECT_FAULT(3, CODE + 12, 1, CODE + 12, csrr(1, 0xCC0), branch(BNE, 1, 0, 8), EXIT, EBREAK);
  EXPECT_FAULT(8, CODE, 0, CODE, 0x73);
}

// I-FLT-1, I-FLT-2, I-ISA-6.
static void faults_of_memory_take_the_lowest_faulting_lane(void **unused) {
  (void)unused;
  // Address DATA + 4096 - 8 + 4 * lane: lane 2 is outside. With 1 added every lane is misaligned.
  EXPECT_FAULT(5, CODE + 16, 2, DATA + 4096, csrr(1, 0xCC0), slli(1, 1, 2), lui(2, DATA + 4096),
               add(2, 2, 1), lw(3, 2, -8), FENCE);
  EXPECT_FAULT(7, CODE + 16, 2, DATA + 4096, csrr(1, 0xCC0), slli(1, 1, 2), lui(2, DATA + 4096),
               add(2, 2, 1), sw(3, 2, -8), FENCE);
  EXPECT_FAULT(4, CODE + 16, 0, DATA + 4096 - 7, csrr(1, 0xCC0), slli(1, 1, 2), lui(2, DATA + 4096),
               add(2, 2, 1), lw(3, 2, -7), FENCE);
  EXPECT_FAULT(7, CODE + 4, 0, CODE, lui(1, CODE), amoadd(2, 1, 1), FENCE);
  EXPECT_FAULT(5, CODE + 8, 0, 0x10000400, lui(1, 0x10000000), addi(1, 1, 1024), lw(2, 1, 0),
               FENCE);
}

static void a_fault_leaves_the_other_kernel_unharmed(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  // Slot 1 faults; slot 0 counts on.
  LOAD(&rig, csrr(1, 0xCCE), branch(BEQ, 1, 0, 8), EBREAK, addi(2, 0, 100), addi(2, 2, -1),
       branch(BNE, 2, 0, -4), EXIT);
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
    rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_START, .kernel = 0});
    if (kills) rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_KILL, .kernel = 0});
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
    rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_ICACHE_INV});
    run(&rig, 200);
    assert_int_equal(count_events(&rig, QSM_EV_REQ), late ? 1 : 2);
    assert_int_equal(rig.n_retired, 1);
    rig_close(&rig);
  }
}

// ---- the fast paths change nothing ----

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

// R-SP-6.
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
    for (uint32_t i = 0; i < 2 * 4 * QSM_STALL_COUNT; i++) {
      uint32_t n = qsm_sm_stall(rig.sm, rig.cycle, i % 2, i / 2 % 4, i / 8);
      counted += n;
      if (i / 8 == 0) issued += n;
    }
    assert_int_equal(counted, warp_cycles);
    assert_int_equal(issued, count_events(&rig, QSM_EV_ISSUE));
  }
  rig_close(&rig);
}

// ---- injected faults ----

static void an_injected_fault_changes_the_run(void **unused) {
  (void)unused;
  static const char *const blocks[] = {"fetch", "issue",   "warp_state", "exec",        "tb_launch",
                                       "lsu",   "barrier", "quota",      "idle_sampler"};
  uint64_t expected = 0;
  for (size_t b = 0; b <= sizeof blocks / sizeof blocks[0]; b++) {
    struct rig rig;
    rig_open(&rig, 2, 8, 4);
    for (uint32_t k = 0; k < 2; k++) rig.shared.first_quota[k] = 100000;
    rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_LOAD,
                                       .scheme = QSM_SCHEME_ROLLOVER});  // so that C is used
    start_mixed_work(&rig);
    bool injected = b == 0;
    for (uint32_t i = 0; i < 3000; i++) {
      char what[80];
      if (!injected) injected = qsm_sm_inject(rig.sm, blocks[b - 1], 7, what, sizeof what) == 0;
      if (i % 100 == 0) rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_SAMPLE});
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

static void a_flip_in_a_fault_record_shows_in_the_state(void **unused) {
  (void)unused;
  struct rig rig;
  char what[80];
  uint32_t flipped = 0;
  rig_open(&rig, 2, 8, 4);
  assert_int_equal(qsm_sm_inject(rig.sm, "fault", 7, what, sizeof what), 0);
  for (uint32_t kernel = 0; kernel < 4; kernel++)
    flipped |= state(&rig, QSM_STATE_FAULT, 0, kernel, 2);
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
      cmocka_unit_test(a_sum_of_floats_writes_seven_cycles_after_issue),
      cmocka_unit_test(a_claimed_cycle_is_for_what_writes_nothing),
      cmocka_unit_test(each_source_of_a_fused_operation_is_waited_for),
      cmocka_unit_test(a_later_write_to_a_source_does_not_reach_a_sum_under_way),
      cmocka_unit_test(a_division_of_floats_writes_34_cycles_after_issue),
      cmocka_unit_test(a_kill_changes_nothing_in_a_sum_under_way),
      cmocka_unit_test(without_an_fpu_its_instructions_are_illegal),
      cmocka_unit_test(the_write_port_is_claimed_as_the_rules_say),
      cmocka_unit_test(every_register_operation_gives_its_definition_at_every_warp_size),
      cmocka_unit_test(narrow_loads_and_stores_touch_their_bytes_only),
      cmocka_unit_test(a_diverged_warp_runs_the_lowest_pc_and_reconverges),
      cmocka_unit_test(a_spinning_lane_does_not_hold_the_others_for_ever),
      cmocka_unit_test(a_barrier_releases_when_all_warps_of_the_block_wait),
      cmocka_unit_test(lanes_of_one_line_make_one_request),
      cmocka_unit_test(atomics_of_one_word_are_performed_lane_by_lane),
      cmocka_unit_test(each_fault_records_cause_place_and_value),
      cmocka_unit_test(faults_of_memory_take_the_lowest_faulting_lane),
      cmocka_unit_test(a_fault_leaves_the_other_kernel_unharmed),
      cmocka_unit_test(a_kill_wins_over_a_start_in_the_same_cycle),
      cmocka_unit_test(an_invalidation_drops_the_line_on_its_way),
      cmocka_unit_test(windows_of_any_length_give_the_same_run),
      cmocka_unit_test(stall_counters_count_every_resident_warp_in_every_cycle),
      cmocka_unit_test(an_injected_fault_changes_the_run),
      cmocka_unit_test(a_flip_in_a_fault_record_shows_in_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
