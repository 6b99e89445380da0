// SPDX-License-Identifier: Apache-2.0
// What kernels without a goal have under way in memory, and what they wait for (R-PA-19 of
// docs/guarantee.md), in the model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sm_rig.h"

enum { LANES = 4, W = 2, SHARED = 0x10000000 };

static uint32_t away(const struct rig *rig) {
  return state(rig, QSM_STATE_QUOTA, 0, rig->config.num_kernels, 2);
}

static void open_limited(struct rig *rig, uint32_t subs, uint32_t l1_kib, uint32_t others_txns) {
  struct qsm_config config = rig_config(subs, 4 * subs, LANES);
  config.l1_kib = l1_kib;
  config.l1_ways = 2;
  config.others_txns = others_txns;
  rig_open_config(rig, &config);
  rig->window = 1;
}

// As a load message would, with a goal that nobody is behind of.
static void set_pace(struct rig *rig) {
  struct qsm_quota *q = &rig->sm->quota;
  q->scheme = q->loaded = QSM_SCHEME_PACE;
  q->granted = q->positive = 0xf;
  for (uint32_t k = 0; k < 4; k++) q->c[k] = 1000000;
  qsm_quota_gate(rig->sm, rig->cycle);
}

static bool has_issued(const struct rig *rig, uint32_t pc) {
  for (uint32_t i = 0; i < rig->n_events; i++)
    if (rig->events[i].kind == QSM_EV_ISSUE && rig->events[i].word[2] == pc) return true;
  return false;
}

// Values of away from the issue of the instruction at `pc` on, cycle by cycle.
static void expect_away(struct rig *rig, uint32_t pc, const uint32_t *expected, uint32_t n) {
  while (!has_issued(rig, pc)) {
    run(rig, 1);
    assert_true(rig->cycle < 1000);
  }
  assert_int_equal(rig->cycle, issue_cycle(rig, pc, 0) + 1);
  for (uint32_t i = 0; i < n; i++, run(rig, 1)) assert_int_equal(away(rig), expected[i]);
}

// A store of one line: W from the end of RR to its pass, then its transaction, until its
// acknowledgement.
static void an_instruction_counts_w_until_its_last_pass(void **unused) {
  (void)unused;
  struct rig rig;
  open_limited(&rig, 1, 0, 0);
  LOAD(&rig, lui(1, DATA), sw(2, 1, 0), EXIT);
  dispatch(&rig, 0, 0);
  // issued in t; from t + 1: RR, EX1, EX2, queue, N, C
  expect_away(&rig, CODE + 4, (const uint32_t[]){0, W, W, W, W, W, 1, 1}, 8);
  run(&rig, 100);
  const struct qsm_event *back = event(&rig, QSM_EV_RETURN, 0);
  assert_true(back->cycle > issue_cycle(&rig, CODE + 4, 0) + 8);
  assert_int_equal(away(&rig), 0);
  rig_close(&rig);
}

// A store of LANES lines: each pass takes a transaction, and W goes with the last.
static void scattered_lanes_count_each(void **unused) {
  (void)unused;
  struct rig rig;
  open_limited(&rig, 1, 0, 0);
  LOAD(&rig, csrr(3, 0xCC0), slli(3, 3, 6), lui(1, DATA), add(1, 1, 3), sw(2, 1, 0), EXIT);
  dispatch(&rig, 0, 0);
  expect_away(&rig, CODE + 16, (const uint32_t[]){0, W, W, W, W, W, W + 1, W + 2, W + 3, 4, 4}, 11);
  run(&rig, 100);
  assert_int_equal(away(&rig), 0);
  rig_close(&rig);
}

// Shared memory takes no transaction; neither does a fault, which ends in C.
static void shared_memory_and_faults_take_no_transaction(void **unused) {
  (void)unused;
  static const uint32_t base[] = {SHARED, 0x40000000};
  for (int i = 0; i < 2; i++) {
    struct rig rig;
    open_limited(&rig, 1, 0, 0);
    LOAD(&rig, lui(1, base[i]), lw(2, 1, 0), EXIT);
    dispatch(&rig, 0, 0);
    expect_away(&rig, CODE + 4, (const uint32_t[]){0, W, W, W, W, W, 0, 0}, 8);
    assert_int_equal(rig.faulted, i);
    rig_close(&rig);
  }
}

// With an L1: a miss and what joins it have a transaction each, from the act on; a hit has none.
static void of_the_l1_misses_and_joins_count(void **unused) {
  (void)unused;
  struct rig rig;
  open_limited(&rig, 1, 1, 0);
  LOAD(&rig, lui(1, DATA), lw(2, 1, 0), lw(3, 1, 0), FENCE, lw(4, 1, 0), FENCE, EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 12);
  uint32_t most = 0;
  while (rig.n_retired == 0) {
    run(&rig, 1);
    assert_true(rig.cycle < 1000);
    if (away(&rig) > most) most = away(&rig);
  }
  assert_int_equal(count_events(&rig, QSM_EV_L1_OP), 3);
  assert_int_equal(event(&rig, QSM_EV_L1_OP, 1)->word[2], 1);  // joins
  assert_int_equal(event(&rig, QSM_EV_L1_OP, 2)->word[2], 0);  // hits
  assert_int_equal(most, 2 * W);
  assert_int_equal(away(&rig), 0);
  rig_close(&rig);
}

// A loop of stores; the kernel with a goal is slot 0.
static void load_loop(struct rig *rig) {
  LOAD(rig, lui(1, DATA), sw(2, 1, 0), addi(2, 2, 1), sw(2, 1, 16), addi(2, 2, 1),
       branch(BEQ, 0, 0, -16));
  for (uint32_t k = 0; k < 4; k++) rig->shared.desc[k].warps = 1;
  rig->shared.qos_mask = 1;
  dispatch(rig, 0, 0);
  dispatch(rig, 1, 1);
  dispatch(rig, 2, 2);
  run(rig, 60);
}

static bool is_store_event(const struct qsm_event *e) {
  return e->kind == QSM_EV_ISSUE && (e->word[4] & 0x7f) == 0x23;
}

// With pace and a goal somewhere kernels without one do not issue a memory instruction while full,
// by the count at the start of the cycle; the one with a goal does, and everybody computes. What
// waits has reason 6. Two more than the limit says, at most, issue on each sub-core.
static void full_keeps_memory_from_kernels_without_a_goal(void **unused) {
  (void)unused;
  enum { LIMIT = 3 };
  for (uint32_t subs = 1; subs <= 2; subs++) {
    struct rig rig;
    open_limited(&rig, subs, 0, LIMIT);
    load_loop(&rig);
    set_pace(&rig);
    uint32_t stores[4] = {0}, others[4] = {0}, n_full = 0,
             waited = state(&rig, QSM_STATE_STALL, 0, 1, 6);
    for (uint32_t i = 0; i < 2000; i++) {
      uint32_t first = rig.n_events;
      bool full = away(&rig) >= LIMIT;
      n_full += full;
      assert_true(away(&rig) <= LIMIT - 1 + 2 * W * subs);
      run(&rig, 1);
      for (uint32_t e = first; e < rig.n_events; e++) {
        const struct qsm_event *event = &rig.events[e];
        if (event->kind != QSM_EV_ISSUE) continue;
        uint32_t k = event->word[1];
        if (is_store_event(event)) {
          assert_true(!full || k == 0);
          if (full) stores[k]++;
        } else if (full) {
          others[k]++;
        }
      }
    }
    assert_true(n_full > 500 && n_full < 2000);
    assert_true(stores[0] > 20 && others[0] > 20 && others[1] + others[2] > 20);
    assert_true(state(&rig, QSM_STATE_STALL, 0, 1, 6) - waited > 100);
    rig_close(&rig);
  }
}

// Not without pace, without a goal, or with others_txns 0.
static void only_pace_with_a_goal_and_a_limit_keeps_anybody(void **unused) {
  (void)unused;
  static const struct {
    uint32_t limit, qos;
    uint8_t scheme;
    bool limited;
  } cases[] = {
      {1, 1, QSM_SCHEME_PACE, true},      {0, 1, QSM_SCHEME_PACE, false},
      {1, 0, QSM_SCHEME_PACE, false},     {1, 1, QSM_SCHEME_NONE, false},
      {1, 1, QSM_SCHEME_ROLLOVER, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig rig;
    open_limited(&rig, 1, 0, cases[i].limit);
    load_loop(&rig);
    rig.shared.qos_mask = cases[i].qos;
    set_pace(&rig);
    rig.sm->quota.scheme = rig.sm->quota.loaded = cases[i].scheme;
    qsm_quota_gate(rig.sm, rig.cycle);
    bool seen = false;
    for (uint32_t c = 0; c < 500; c++, run(&rig, 1)) seen |= rig.sm->quota.no_mem != 0;
    assert_int_equal(seen, cases[i].limited);
    rig_close(&rig);
  }
}

// What has issued stays as it was counted when the kernel gets a goal, and when it loses it.
static void a_change_of_goals_loses_nothing(void **unused) {
  (void)unused;
  struct rig rig;
  open_limited(&rig, 2, 0, 2);
  load_loop(&rig);
  set_pace(&rig);
  for (uint32_t i = 0; i < 300; i++) {
    rig.shared.qos_mask = 1 + (i * 5 / 3 & 6);
    run(&rig, 7);
    assert_true(away(&rig) < 64);
  }
  rig.shared.qos_mask = 7;  // what issues from here on does not count
  run(&rig, 200);
  assert_int_equal(away(&rig), 0);
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_instruction_counts_w_until_its_last_pass),
      cmocka_unit_test(scattered_lanes_count_each),
      cmocka_unit_test(shared_memory_and_faults_take_no_transaction),
      cmocka_unit_test(of_the_l1_misses_and_joins_count),
      cmocka_unit_test(full_keeps_memory_from_kernels_without_a_goal),
      cmocka_unit_test(only_pace_with_a_goal_and_a_limit_keeps_anybody),
      cmocka_unit_test(a_change_of_goals_loses_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
