// SPDX-License-Identifier: Apache-2.0
// The model's quota gate and counters, on an SM.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sm_rig.h"

// ---- quotas ----

static void load_quotas(struct rig *rig, uint8_t scheme, uint32_t quota0, uint32_t quota1) {
  uint32_t credit = scheme == QSM_SCHEME_ROLLOVER ? 100000 : 0;
  rig_send(rig, (struct qsm_sm_msg){
                    .kind = QSM_MSG_QUOTA_WORD, .kernel = 0, .quota = quota0, .credit = credit});
  run(rig, 1);
  rig_send(rig, (struct qsm_sm_msg){
                    .kind = QSM_MSG_QUOTA_WORD, .kernel = 1, .quota = quota1, .credit = credit});
  run(rig, 1);
  rig_send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_LOAD, .scheme = scheme});
  run(rig, 1 + 6);  // the message, then two cycles for a slot, three where it issued before them
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
  assert_true(c[0] > 100 - 25 && c[0] <= 100 && c[1] > 50 - 9 && c[1] <= 50);
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
  assert_true(c[0] <= 0 && c[0] > -16);
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

// ---- schemes, on an SM without warps: the test sets which kernels are present ----

enum { T = 500 };

static void set_quotas(struct rig *rig, enum qsm_scheme scheme, int32_t c0, int32_t c1) {
  struct qsm_quota *q = &rig->sm->quota;
  const int32_t c[] = {c0, c1};
  rig->shared.qos_mask = 1;
  rig->shared.epoch_len = T;
  rig->sm->launch.present = rig->sm->launch.runnable = 3;
  q->scheme = scheme;
  q->loaded = scheme;
  q->timed_start_at = scheme == QSM_SCHEME_ELASTIC ? rig->cycle + T - 1 : QSM_NEVER;
  q->granted = 3;
  q->positive = 0;
  for (uint32_t k = 0; k < 2; k++) {
    q->c[k] = c[k];
    q->quota[k] = k == 0 ? 100 : 50;
    q->positive |= (uint32_t)(c[k] > 0) << k;
  }
  qsm_quota_gate(rig->sm, rig->cycle);
}

static bool has_no_quotas(uint32_t scheme) {  // R-SG-1
  return qsm_scheme_open(scheme);
}

static int32_t counter(const struct rig *rig, uint32_t k) {
  return (int32_t)state(rig, QSM_STATE_QUOTA, 0, k, 0);
}
static uint32_t dcnt(const struct rig *rig) {
  return state(rig, QSM_STATE_QUOTA, 0, rig->sm->n_kernels, 0);
}

static void expect_counters(const struct rig *rig, int32_t c0, int32_t c1) {
  assert_int_equal(counter(rig, 0), c0);
  assert_int_equal(counter(rig, 1), c1);
}

// R-QC-4: of two kernels that are not here only the one that the message names keeps its counter,
// and only what is above 0; one that is here loads whatever it says.
static void a_load_keeps_the_credit_of_kernels_that_it_names(void **unused) {
  (void)unused;
  static const struct {
    uint8_t scheme, keep;
    uint32_t present;
    int32_t before[2], after[2];
    uint32_t granted;
  } cases[] = {{QSM_SCHEME_ROLLOVER, 1, 0, {30, 40}, {30, 0}, 1},
               {QSM_SCHEME_ROLLOVER, 2, 0, {30, 40}, {0, 40}, 2},
               {QSM_SCHEME_ROLLOVER, 0, 0, {30, 40}, {0, 0}, 0},
               {QSM_SCHEME_ROLLOVER, 3, 0, {0, 1}, {0, 1}, 2},
               {QSM_SCHEME_ROLLOVER_TIME, 3, 0, {-5, 40}, {0, 40}, 2},
               {QSM_SCHEME_ROLLOVER, 3, 1, {30, 40}, {30, 40}, 3},
               {QSM_SCHEME_ELASTIC, 3, 0, {30, 40}, {0, 0}, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct rig rig;
    rig_open(&rig, 1, 4, 4);
    set_quotas(&rig, QSM_SCHEME_ROLLOVER, cases[i].before[0], cases[i].before[1]);
    rig.sm->launch.present = rig.sm->launch.runnable = cases[i].present;
    rig_send(&rig,
             (struct qsm_sm_msg){
                 .kind = QSM_MSG_QUOTA_LOAD, .scheme = cases[i].scheme, .keep = cases[i].keep});
    run(&rig, 12);
    expect_counters(&rig, cases[i].after[0], cases[i].after[1]);
    for (uint32_t k = 0; k < 2; k++) {
      assert_int_equal(state(&rig, QSM_STATE_QUOTA, 0, k, 2), cases[i].granted >> k & 1);
      assert_int_equal(state(&rig, QSM_STATE_QUOTA, 0, k, 1),
                       cases[i].granted >> k & 1 ? (k ? 50 : 100) : 0);
    }
    send_quota_load(&rig, QSM_SCHEME_ROLLOVER);  // the next message names nobody
    run(&rig, 12);
    expect_counters(&rig, cases[i].present ? cases[i].after[0] : 0, 0);
    rig_close(&rig);
  }
}

// FGQ Figure 4: quotas 100 and 50, C = 0 and -3. What each scheme has made of it when it is done.
static void all_spent_gives_what_each_scheme_says(void **unused) {
  (void)unused;
  static const struct {
    enum qsm_scheme scheme;
    int32_t c[2];
  } cases[] = {
      {QSM_SCHEME_NONE, {0, -3}},          {QSM_SCHEME_NAIVE, {0, 47}},
      {QSM_SCHEME_NAIVE_HISTORY, {0, 47}}, {QSM_SCHEME_ELASTIC, {100, 47}},
      {QSM_SCHEME_ROLLOVER, {0, 47}},      {QSM_SCHEME_ROLLOVER_TIME, {0, 47}},
      {QSM_SCHEME_FAIR, {100, 47}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct rig rig;
    rig_open(&rig, 1, 4, 4);
    set_quotas(&rig, cases[i].scheme, 0, -3);
    run(&rig, 20);
    expect_counters(&rig, cases[i].c[0], cases[i].c[1]);
    rig_close(&rig);
  }
}

// The table of docs/schemes.md, cycle by cycle: C and dcnt at the start of t, t + 1 …
static void an_early_start_loads_one_kernel_after_the_other(void **unused) {
  (void)unused;
  static const int32_t c0[] = {-2, -2, -2, 98, 98, 98}, c1[] = {-3, -3, -3, -3, -3, 47};
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_ELASTIC, -2, -3);
  for (uint32_t i = 0; i < 6; i++) {
    expect_counters(&rig, c0[i], c1[i]);
    assert_int_equal(dcnt(&rig), i == 0 ? T - 1 : T - i);
    assert_int_equal(rig.sm->quota.open, i < 3 ? 0 : i < 5 ? 0x1 : 0x3);
    run(&rig, 1);
  }
  run(&rig, 10);
  const struct qsm_event *load = event(&rig, QSM_EV_QLOAD, 0);  // of the fourth slot
  assert_int_equal(load->cycle, 8);
  assert_int_equal(load->word[0], QSM_SCHEME_ELASTIC);
  assert_int_equal(load->word[2], T - 9);
  assert_int_equal(load->word[3], 1);
  assert_int_equal(load->word[4], 100);
  assert_int_equal(load->n_words, 4 + 4);
  assert_int_equal(count_events(&rig, QSM_EV_QLOAD), 1);
  rig_close(&rig);
}

static void a_debt_beyond_the_quota_takes_several_early_starts(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_ELASTIC, -250, -3);
  rig.sm->launch.present = rig.sm->launch.runnable = 1;
  run(&rig, 60);
  expect_counters(&rig, 50, 0);  // slot 1 is not here: dropped
  assert_int_equal(count_events(&rig, QSM_EV_QLOAD), 3);
  rig_close(&rig);
}

static void an_early_start_waits_for_every_runnable_kernel_and_for_somebody_with_a_goal(
    void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_ELASTIC, 5, -3);
  run(&rig, 50);
  expect_counters(&rig, 5, -3);
  rig.sm->launch.present = rig.sm->launch.runnable = 2;
  run(&rig, 20);
  expect_counters(&rig, 0, 47);
  set_quotas(&rig, QSM_SCHEME_ELASTIC, 0, -3);
  rig.shared.qos_mask = 0;  // nobody is held
  run(&rig, 50);
  expect_counters(&rig, 0, -3);
  rig.shared.qos_mask = 1;
  rig.sm->launch.present = rig.sm->launch.runnable = 0;
  run(&rig, 50);
  expect_counters(&rig, 0, -3);
  rig_close(&rig);
}

static void a_timed_start_forgets_what_is_left(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_ELASTIC, 70, -3);
  run(&rig, T - 1);
  expect_counters(&rig, 70, -3);
  assert_int_equal(dcnt(&rig), 0);
  run(&rig, 1);
  assert_int_equal(dcnt(&rig), T - 1);
  run(&rig, 8);
  expect_counters(&rig, 100, 50);
  assert_int_equal(event(&rig, QSM_EV_QLOAD, 0)->word[3], 0);
  rig.shared.epoch_len = 2 * T;
  run(&rig, T - 8);
  assert_int_equal(dcnt(&rig), 2 * T - 1);  // the new length at the next start
  rig_close(&rig);
}

static void a_timed_start_wins_over_an_early_one(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_ELASTIC, -2, -3);
  rig.sm->quota.timed_start_at = rig.cycle;
  run(&rig, 20);
  expect_counters(&rig, 100, 50);
  rig_close(&rig);
}

// R-SC-4: an early start between the words and their load message does not see them, and the
// message leaves C alone.
static void words_count_from_their_load_message_on(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_ELASTIC, 60, 40);
  send_quota_word(&rig, 0, 1000);
  send_quota_word(&rig, 1, 2000);
  run(&rig, 10);
  rig.sm->quota.c[0] = rig.sm->quota.c[1] = 0;
  rig.sm->quota.positive = 0;
  run(&rig, 20);
  expect_counters(&rig, 100, 50);
  uint32_t left = dcnt(&rig), n_loads = count_events(&rig, QSM_EV_QLOAD);
  send_quota_load(&rig, QSM_SCHEME_ELASTIC);
  run(&rig, 20);
  expect_counters(&rig, 100, 50);
  assert_int_equal(dcnt(&rig), left - 20);
  struct qsm_sm_figures figures;
  qsm_sm_figures(rig.sm, rig.cycle, &figures);
  assert_int_equal(figures.quota[0], 1000);
  assert_int_equal(figures.quota[1], 2000);
  assert_int_equal(count_events(&rig, QSM_EV_QLOAD), n_loads + 1);
  send_quota_load(&rig, QSM_SCHEME_ELASTIC);  // without words it starts nothing
  run(&rig, 20);
  assert_int_equal(count_events(&rig, QSM_EV_QLOAD), n_loads + 1);
  run(&rig, T);
  expect_counters(&rig, 1000, 2000);
  rig_close(&rig);
}

static void an_early_start_waits_for_words_that_are_being_taken(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_ELASTIC, 5, -3);
  send_quota_word(&rig, 0, 1000);
  send_quota_word(&rig, 1, 2000);
  run(&rig, 1);
  send_quota_load(&rig, QSM_SCHEME_ELASTIC);
  run(&rig, 1);
  rig.sm->quota.c[0] = 0;
  rig.sm->quota.positive = 0;
  run(&rig, 30);
  expect_counters(&rig, 1000, 1997);
  assert_int_equal(event(&rig, QSM_EV_QLOAD, 0)->cycle, 5);
  assert_int_equal(event(&rig, QSM_EV_QLOAD, 1)->cycle, 14);  // started in 6
  rig_close(&rig);
}

// R-SC-13.
static void a_change_of_scheme_ends_an_elastic_epoch(void **unused) {
  (void)unused;
  for (uint8_t to = 0; to < QSM_SCHEME_COUNT; to++) {
    struct rig rig;
    rig_open(&rig, 1, 4, 4);
    set_quotas(&rig, QSM_SCHEME_ELASTIC, -2, -3);
    send_quota_word(&rig, 0, 70);
    send_quota_word(&rig, 1, 80);
    run(&rig,
        2);  // an early start is under way: slot 0 is in its second cycle when the message comes
    send_quota_load(&rig, to);
    run(&rig, 30);
    if (to == QSM_SCHEME_ELASTIC)
      expect_counters(&rig, 98, 77);
    else if (has_no_quotas(to))
      expect_counters(&rig, 98, -3);
    else
      expect_counters(&rig, 70, 80);
    if (to != QSM_SCHEME_ELASTIC) assert_int_equal(dcnt(&rig), 0);
    assert_int_equal(event(&rig, QSM_EV_QLOAD, 0)->cycle,
                     has_no_quotas(to) ? 2 : 10);  // two cycles for each of four slots
    assert_int_equal(count_events(&rig, QSM_EV_QLOAD), 1);
    bool all_open = has_no_quotas(to) || to == QSM_SCHEME_PACE;
    assert_int_equal(rig.sm->quota.open, all_open ? 0xF : to == QSM_SCHEME_ROLLOVER_TIME ? 1 : 3);
    rig_close(&rig);
  }
}

static void an_early_start_saturates(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_ELASTIC, -2, 1);
  rig.sm->launch.present = rig.sm->launch.runnable =
      1;  // slot 1 is in the gap between two launches, with C > 0
  rig.sm->quota.quota[1] = INT32_MAX;
  run(&rig, 1);
  rig.sm->launch.present = rig.sm->launch.runnable = 3;
  run(&rig, 20);
  expect_counters(&rig, 98, INT32_MAX);
  rig_close(&rig);
}

static void a_kernel_without_a_goal_waits_while_one_with_a_goal_has_quota(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_ROLLOVER_TIME, 1, 40);
  assert_int_equal(rig.sm->quota.open, 0x1);
  assert_int_equal(rig.sm->quota.throttled, 0xC);  // slot 1 is closed, not throttled
  set_quotas(&rig, QSM_SCHEME_ROLLOVER_TIME, 0, 40);
  assert_int_equal(rig.sm->quota.open, 0x2);
  set_quotas(&rig, QSM_SCHEME_ROLLOVER_TIME, 1, 40);
  rig.sm->launch.runnable = 2;  // its blocks are frozen
  qsm_quota_runnable_changed(rig.sm, rig.cycle);
  assert_int_equal(rig.sm->quota.open, 0x3);
  set_quotas(&rig, QSM_SCHEME_ROLLOVER, 1, 40);
  assert_int_equal(rig.sm->quota.open, 0x3);
  rig_close(&rig);
}

static void fair_holds_kernels_without_goals_too(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_FAIR, 0, 40);
  rig.shared.qos_mask = 0;
  run(&rig, 10);
  expect_counters(&rig, 0, 40);
  assert_int_equal(rig.sm->quota.open, 0x2);
  rig.sm->quota.c[1] = -1;
  rig.sm->quota.positive = 0;
  run(&rig, 10);
  expect_counters(&rig, 100, 49);
  rig_close(&rig);
}

static void rollover_time_carries_over_like_rollover(void **unused) {
  (void)unused;
  static const struct {
    int32_t before, after;
  } cases[] = {{30, 130}, {900, 900}, {-5, 100}};
  for (uint8_t scheme = 0; scheme < QSM_SCHEME_COUNT; scheme++) {
    if (!qsm_scheme_carries_over(scheme)) continue;
    for (size_t i = 0; i < 3; i++) {
      struct rig rig;
      rig_open(&rig, 1, 4, 4);
      set_quotas(&rig, scheme, cases[i].before, 7);
      rig_send(&rig, (struct qsm_sm_msg){
                         .kind = QSM_MSG_QUOTA_WORD, .kernel = 0, .quota = 100, .credit = 800});
      send_quota_word(&rig, 1, 50);
      run(&rig, 1);
      send_quota_load(&rig, scheme);
      run(&rig, 20);
      expect_counters(&rig, cases[i].after, 50);
      rig_close(&rig);
    }
  }
}

// ---- pace (docs/guarantee.md) ----

struct pace {
  int32_t c;
  uint32_t due;
  bool spared, behind, well;
};

static void expect_pace(const struct rig *rig, uint32_t k, struct pace expected) {
  assert_int_equal(counter(rig, k), expected.c);
  assert_int_equal(state(rig, QSM_STATE_QUOTA, 0, k, 5), expected.due);
  assert_int_equal(state(rig, QSM_STATE_QUOTA, 0, k, 6),
                   expected.behind + 2u * expected.spared + 64u * expected.well);  // at rest
}

// Two blocks, slot 0 with a goal, which has issued so much since the tick; its word's load.
static void load_pace(struct rig *rig, uint32_t quota, uint32_t issued) {
  set_quotas(rig, QSM_SCHEME_NAIVE, 7, -3);
  rig->sm->quota.insn[0] = issued;
  send_quota_word(rig, 0, quota);
  run(rig, 1);
  send_quota_load(rig, QSM_SCHEME_PACE);
  run(rig, 12);
}

static void send_sample(struct rig *rig) {
  rig_send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_SAMPLE});
}

static void issue(struct rig *rig, uint32_t k, uint32_t n) {
  rig->sm->quota.c[k] -= (int32_t)n;
  if (rig->sm->quota.c[k] <= 0) rig->sm->quota.positive &= ~(1u << k);
  qsm_quota_gate(rig->sm, rig->cycle);
}

static void pass_sample(struct rig *rig) {
  send_sample(rig);
  run(rig, 12);
}

// R-PA-4, R-PA-5, R-PA-6, R-PA-7: the worked example.
static void a_quota_is_due_in_instalments(void **unused) {
  (void)unused;
  static const struct {
    uint32_t issued;
    struct pace after;
  } samples[] = {
      {0, {12500, 12800, false, false, false}},   {51, {12449, 12673, false, false, false}},
      {0, {12449, 12546, false, false, false}},   {0, {12449, 12419, false, true, false}},
      {157, {12292, 12292, false, false, false}}, {0, {12292, 12165, false, true, false}},
      {0, {12292, 12038, false, true, false}},    {0, {12292, 11911, false, true, false}},
      {0, {12292, 11784, false, true, false}},    {0, {12292, 11657, false, true, true}},
      {254, {12038, 11530, false, true, false}}};
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  load_pace(&rig, 12800, 300);
  expect_pace(&rig, 0, (struct pace){12500, 12800, true, false, false});
  expect_counters(&rig, 12500, -3);  // without a word slot 1 stays as it is
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
    issue(&rig, 0, samples[i].issued);
    pass_sample(&rig);
    expect_pace(&rig, 0, samples[i].after);
    assert_int_equal(rig.sm->quota.gaps, samples[i].after.behind ? 0xE : 0);  // R-PA-8
    assert_int_equal(rig.sm->quota.no_mem, samples[i].after.well ? 0xE : 0);  // R-PA-15
  }
  issue(&rig, 0, 12037);
  for (uint32_t i = 11; i < 101; i++) pass_sample(&rig);
  expect_pace(&rig, 0, (struct pace){1, 12800 - 100 * 127, false, false, false});
  pass_sample(&rig);  // the 102nd
  expect_pace(&rig, 0, (struct pace){1, 0, false, true, false});
  rig_close(&rig);
}

// R-PA-6: whatever the quota, nothing is left to fall due after 103 instalments; R-PA-4 below 0.
static void small_and_large_quotas_fall_due_within_the_epoch(void **unused) {
  (void)unused;
  static const struct {
    uint32_t quota, issued, n;  // instalments until due is 0
  } cases[] = {{1, 0, 1}, {2, 0, 1}, {127, 0, 64}, {255, 0, 85}, {INT32_MAX, 5, 103}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig rig;
    rig_open(&rig, 1, 4, 4);
    load_pace(&rig, cases[i].quota, cases[i].issued);
    pass_sample(&rig);
    int32_t c = (int32_t)(cases[i].quota - cases[i].issued);
    expect_pace(&rig, 0, (struct pace){c, cases[i].quota, false, false, false});
    for (uint32_t n = 1; n < cases[i].n; n++) pass_sample(&rig);
    assert_true(state(&rig, QSM_STATE_QUOTA, 0, 0, 5) > 0);
    pass_sample(&rig);
    expect_pace(&rig, 0, (struct pace){c, 0, false, true, cases[i].n > 1});
    rig_close(&rig);
  }
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  load_pace(&rig, 100, 130);
  expect_pace(&rig, 0, (struct pace){-30, 100, true, false, false});
  for (uint32_t n = 0; n < 90; n++) pass_sample(&rig);
  expect_pace(&rig, 0, (struct pace){-30, 0, false, false, false});
  assert_int_equal(rig.sm->quota.open, 0xE);
  assert_int_equal(rig.sm->quota.throttled, 0x1);
  rig_close(&rig);
}

// R-PA-6, R-PA-7, R-PA-11, cycle by cycle: the sample is seen in the first, slot 0 pays in the
// second, slot 2 in the third; each is judged behind its payment.
static void instalments_and_judgements_take_a_cycle_each(void **unused) {
  (void)unused;
  static const uint32_t bits[][2] = {{4, 4}, {8, 4}, {1, 8}, {1, 1}, {1, 1}};
  static const uint32_t gaps[] = {0, 0, 0xE, 0xA, 0xA};
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_PACE, 1000, 40);
  rig.shared.qos_mask = 5;
  rig.sm->launch.present = rig.sm->launch.runnable = 7;
  for (uint32_t k = 0; k < 3; k += 2) {
    rig.sm->quota.c[k] = 1000;
    rig.sm->quota.quota[k] = 12800;
    rig.sm->quota.due[k] = 900;
    rig.sm->quota.positive |= 1u << k;
  }
  send_sample(&rig);
  for (uint32_t i = 0; i < 5; i++) {
    run(&rig, 1);
    for (uint32_t k = 0; k < 2; k++)
      assert_int_equal(state(&rig, QSM_STATE_QUOTA, 0, 2 * k, 6), bits[i][k]);
    assert_int_equal(state(&rig, QSM_STATE_QUOTA, 0, 0, 5), i == 0 ? 900 : 773);
    assert_int_equal(state(&rig, QSM_STATE_QUOTA, 0, 2, 5), i < 2 ? 900 : 773);
    assert_int_equal(rig.sm->quota.gaps, gaps[i]);
  }
  rig_close(&rig);
}

// R-PA-6: one that comes while instalments are being paid does nothing.
static void a_sample_during_the_last_ones_instalments_is_dropped(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  load_pace(&rig, 12800, 0);
  pass_sample(&rig);
  send_sample(&rig);
  run(&rig, 1);
  send_sample(&rig);
  run(&rig, 12);
  expect_pace(&rig, 0, (struct pace){12800, 12673, false, true, false});
  rig_close(&rig);
}

// R-PA-8, R-PA-15: late is who has a goal, runs here, is behind and has quota; others leave memory
// alone in the gaps of one that is well behind.
static void while_somebody_is_late_the_others_have_gaps_or_are_closed(void **unused) {
  (void)unused;
  static const struct {
    uint32_t qos, runnable, behind, tight, positive, open, throttled, gaps, well, no_mem;
  } cases[] = {{1, 3, 0, 0, 1, 0xF, 0, 0, 0, 0},
               {1, 3, 1, 0, 1, 0xF, 0, 0xE, 0, 0},
               {1, 3, 1, 1, 1, 0x1, 0, 0, 0, 0},
               {1, 3, 0, 1, 1, 0xF, 0, 0, 0, 0},
               {1, 2, 1, 1, 1, 0xF, 0, 0, 0, 0},
               {1, 3, 1, 1, 0, 0xE, 1, 0, 0, 0},
               {1, 3, 0, 0, 0, 0xE, 1, 0, 0, 0},
               {5, 7, 1, 0, 5, 0xF, 0, 0xE, 0, 0},
               {5, 7, 1, 4, 5, 0xF, 0, 0xE, 0, 0},
               {5, 7, 1, 1, 5, 0x1, 0, 0, 0, 0},
               {5, 7, 5, 0, 5, 0xF, 0, 0xA, 0, 0},
               {5, 7, 5, 4, 5, 0x5, 0, 0, 0, 0},
               {5, 7, 1, 0, 1, 0xB, 4, 0xE, 0, 0},
               {5, 7, 4, 5, 1, 0xB, 4, 0, 0, 0},
               {5, 7, 0, 0, 4, 0xE, 1, 0, 0, 0},
               {1, 3, 2, 2, 3, 0xF, 0, 0, 0, 0},  // of a time with a goal
               {0, 3, 1, 1, 0, 0xF, 0, 0, 0, 0},
               {1, 3, 1, 0, 1, 0xF, 0, 0xE, 1, 0xE},
               {5, 7, 5, 0, 5, 0xF, 0, 0xA, 4, 0xA},
               {5, 7, 5, 0, 1, 0xB, 4, 0xE, 4, 0},  // which has spent its quota
               {5, 7, 5, 1, 5, 0x5, 0, 0, 5, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig rig;
    rig_open(&rig, 1, 4, 4);
    set_quotas(&rig, QSM_SCHEME_PACE, 5, 5);
    rig.shared.qos_mask = cases[i].qos;
    rig.sm->launch.present = rig.sm->launch.runnable = cases[i].runnable;
    rig.sm->quota.behind = cases[i].behind;
    rig.sm->quota.well_behind = cases[i].well;
    rig.sm->quota.tight = cases[i].tight;
    rig.sm->quota.positive = cases[i].positive;
    qsm_quota_runnable_changed(rig.sm, rig.cycle);
    assert_int_equal(rig.sm->quota.open, cases[i].open);
    assert_int_equal(rig.sm->quota.throttled, cases[i].throttled);
    assert_int_equal(rig.sm->quota.gaps, cases[i].gaps);
    assert_int_equal(rig.sm->quota.no_mem, cases[i].no_mem);
    rig_close(&rig);
  }
}

// R-PA-9.
static void nobody_is_refilled_under_pace(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  set_quotas(&rig, QSM_SCHEME_PACE, 0, -3);
  rig.sm->quota.to_refill = 2;
  run(&rig, 20);
  expect_counters(&rig, 0, -3);
  assert_int_equal(rig.sm->quota.to_refill, 0);
  rig_close(&rig);
}

// R-PA-5, R-PA-10, R-PA-16: a load under any scheme sets what is due, and another scheme ends
// pacing; under pace who was well behind is tight then.
static void another_scheme_ends_pacing(void **unused) {
  (void)unused;
  for (uint8_t to = 0; to < QSM_SCHEME_COUNT; to++) {
    struct rig rig;
    rig_open(&rig, 1, 4, 4);
    load_pace(&rig, 12800, 0);
    for (uint32_t i = 0; i < 6; i++) pass_sample(&rig);
    expect_pace(&rig, 0, (struct pace){12800, 12165, false, true, true});
    send_quota_word(&rig, 0, 70);
    send_sample(&rig);
    run(&rig, 1);
    send_quota_load(&rig, to);
    run(&rig, 1);
    uint32_t bits = state(&rig, QSM_STATE_QUOTA, 0, 0, 6);
    assert_int_equal(bits, to == QSM_SCHEME_PACE ? 1 + 8 + 64 : 0);
    run(&rig, 20);
    bool loads = !has_no_quotas(to);
    assert_int_equal(state(&rig, QSM_STATE_QUOTA, 0, 0, 5),
                     loads ? 70 : 12165);  // the message wins over the instalment of its cycle
    uint32_t tight = to == QSM_SCHEME_PACE ? 16 : 0;
    assert_int_equal(state(&rig, QSM_STATE_QUOTA, 0, 0, 6), loads ? 2 + tight : 0);
    rig_close(&rig);
  }
}

// R-PA-5: a first block begins with a first quota that is not due yet.
static void a_first_block_begins_with_its_first_quota_not_due(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, 4);
  rig.shared.qos_mask = 1;
  rig.shared.first_quota[0] = 3000;
  LOAD(&rig, addi(1, 0, 1), branch(BEQ, 0, 0, 0));
  send_quota_load(&rig, QSM_SCHEME_PACE);
  run(&rig, 20);
  dispatch(&rig, 0, 0);
  run(&rig, 1);
  expect_pace(&rig, 0, (struct pace){3000, 3000, true, false, false});
  rig_close(&rig);
}

// ---- schemes, with warps ----

// R-SC-7: as long as no epoch starts early, every issue and every counter is equal to naive with
// history.
static void elastic_without_early_starts_is_naive_with_history(void **unused) {
  (void)unused;
  uint64_t expected = 0;
  for (uint8_t scheme = QSM_SCHEME_NAIVE_HISTORY; scheme <= QSM_SCHEME_ELASTIC; scheme++) {
    struct rig rig;
    rig_open(&rig, 2, 8, 4);
    start_mixed_work(&rig);
    rig.shared.qos_mask = 5;
    rig.shared.epoch_len = 200;
    rig.shared.first_quota[0] = rig.shared.first_quota[2] = 300;
    for (uint32_t i = 0; i < 30; i++) {
      send_quota_word(&rig, 0, 100 + i);  // spent before the others' is
      send_quota_word(&rig, 2, 1000);
      run(&rig, 1);
      send_quota_load(&rig, scheme);
      run(&rig, 199);
    }
    assert_true(count_events(&rig, QSM_EV_QUOTA) > 300);
    for (uint32_t i = 0; i < rig.n_events; i++) {
      if (rig.events[i].kind == QSM_EV_QLOAD) rig.events[i].word[0] = rig.events[i].word[2] = 0;
    }
    uint64_t hash = hash_events(&rig);
    if (scheme == QSM_SCHEME_NAIVE_HISTORY) expected = hash;
    assert_int_equal(hash, expected);
    rig_close(&rig);
  }
}

// Follows each counter through its events: a kernel that issues has quota, and under rollover_time
// non-QoS kernels wait for QoS kernels.
static void no_scheme_lets_a_closed_kernel_issue(void **unused) {
  (void)unused;
  for (uint8_t scheme = QSM_SCHEME_NAIVE; scheme < QSM_SCHEME_COUNT; scheme++) {
    if (has_no_quotas(scheme)) continue;
    struct rig rig;
    int32_t c[4];
    rig_open(&rig, 2, 8, 4);
    start_mixed_work(&rig);
    rig.shared.epoch_len = 300;
    run(&rig, 60);
    send_quota_word(&rig, 0, 60);
    send_quota_word(&rig, 2, 40);
    send_quota_load(&rig, scheme);
    run(&rig, 10);
    uint32_t first = rig.n_events, n_waits = 0;
    for (uint32_t k = 0; k < 4; k++) c[k] = counter(&rig, k);
    run(&rig, 1500);
    for (uint32_t i = first; i < rig.n_events; i++) {
      const struct qsm_event *e = &rig.events[i];
      if (e->kind == QSM_EV_QUOTA) memcpy(c, e->word, sizeof c);
      if (e->kind != QSM_EV_ISSUE) continue;
      bool no_quota = scheme == QSM_SCHEME_PACE && !(rig.shared.qos_mask >> e->word[1] & 1);
      assert_true(c[e->word[1]] > 0 || no_quota);  // R-PA-8
      if (e->word[1] == 2)
        assert_false(scheme == QSM_SCHEME_ROLLOVER_TIME && c[0] > 0 && rig.sm->launch.runnable & 1);
      n_waits++;
    }
    assert_true(n_waits > 20);
    rig_close(&rig);
  }
}

// R-PA-15: beside a late kernel another one issues nothing in the cycle after one in which a warp
// of the late one was ready, and if that is well behind no memory instruction; what waits has
// reason
// 6. When the late one is in time all goes on.
static void issue_in_gaps(bool well) {
  enum { STORE = 0x0020A023 };  // sw x2, 0(x1)
  struct rig rig;
  uint32_t n[2] = {0}, n_stores[2] = {0};
  uint64_t last = 0;
  rig_open(&rig, 1, 4, 4);
  rig.shared.qos_mask = 1;
  LOAD(&rig, lui(1, DATA), addi(2, 2, 1), addi(2, 2, 1), addi(3, 3, 1), addi(2, 2, 1), STORE,
       branch(BEQ, 0, 0, -20));
  dispatch(&rig, 0, 0);
  dispatch(&rig, 1, 1);
  run(&rig, 100);
  struct qsm_quota *q = &rig.sm->quota;
  q->scheme = q->loaded = QSM_SCHEME_PACE;
  q->granted = 3;
  q->positive = q->behind = 1;
  q->well_behind = well;
  q->c[0] = 1000000;
  qsm_quota_gate(rig.sm, rig.cycle);
  run(&rig, 1);  // in the first cycle of its gaps both may issue
  uint32_t first = rig.n_events, waited = state(&rig, QSM_STATE_STALL, 0, 1, 6);
  run(&rig, 300);
  for (uint32_t i = first; i < rig.n_events; i++) {
    const struct qsm_event *e = &rig.events[i];
    if (e->kind != QSM_EV_ISSUE) continue;
    n[e->word[1]]++;
    n_stores[e->word[1]] += e->word[4] == STORE;
    if (e->word[1] == 0) last = e->cycle;
    assert_true(e->word[1] == 0 || e->cycle != last + 1);
  }
  assert_true(n[0] > 50 && n_stores[0] > 10 && n[1] > 0);
  assert_true(well ? n_stores[1] == 0 : n_stores[1] > 0);
  assert_true(state(&rig, QSM_STATE_STALL, 0, 1, 6) - waited > (well ? 200 : 10));
  q->behind = q->well_behind = 0;
  qsm_quota_gate(rig.sm, rig.cycle);
  first = rig.n_events;
  run(&rig, 300);
  for (uint32_t i = first; i < rig.n_events; i++) {
    const struct qsm_event *e = &rig.events[i];
    if (e->kind == QSM_EV_ISSUE) n_stores[e->word[1]] += e->word[4] == STORE;
  }
  assert_true(n_stores[1] > 10);
  rig_close(&rig);
}
static void beside_a_late_kernel_another_one_issues_in_its_gaps(void **unused) {
  (void)unused;
  issue_in_gaps(false);
  issue_in_gaps(true);
}

// Windows of any length, sleep included, give the same events under every scheme, samples among
// them.
static void schemes_and_samples_may_sleep_and_miss_nothing(void **unused) {
  (void)unused;
  for (uint8_t scheme = 0; scheme < QSM_SCHEME_COUNT; scheme++) {
    uint64_t expected = 0;
    for (uint32_t window = 1; window <= 4; window++) {
      struct rig rig;
      rig_open(&rig, 2, 8, 4);
      rig.window = window;
      start_mixed_work(&rig);
      rig.shared.epoch_len = 333;
      for (uint32_t i = 0; i < 200; i++) {
        if (i % 20 == 0) {
          send_quota_word(&rig, 0, 10 + 17 * (i % 7));
          send_quota_word(&rig, 2, 10 + 11 * (i % 5));
        }
        if (i % 20 == 0) send_quota_load(&rig, i % 100 == 80 ? QSM_SCHEME_NONE : scheme);
        if (i % 3 == 0) rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_SAMPLE});
        run(&rig, 36);
      }
      uint64_t hash = hash_events(&rig);
      for (uint32_t k = 0; k < 5; k++) hash = hash * 31 + state(&rig, QSM_STATE_QUOTA, 0, k, 0);
      if (window == 1) expected = hash;
      assert_int_equal(hash, expected);
      rig_close(&rig);
    }
  }
}

// dcnt while an elastic epoch begins, and the sum of a slot.
static void a_flip_in_the_gate_or_the_sampler_shows_as_its_event(void **unused) {
  (void)unused;
  static const struct {
    const char *block;
    uint8_t kind;
  } cases[] = {{"quota", QSM_EV_QLOAD}, {"idle_sampler", QSM_EV_SAMPLE}};
  for (uint32_t n = 0; n < 2; n++) {
    struct rig hit, whole;
    struct rig *rigs[] = {&hit, &whole};
    char what[80];
    bool injected = false;
    for (uint32_t i = 0; i < 2; i++) {
      rig_open(rigs[i], 2, 8, 4);
      rigs[i]->shared.epoch_len = 200;
      start_mixed_work(rigs[i]);
      send_quota_load(rigs[i], QSM_SCHEME_ELASTIC);
    }
    for (uint32_t c = 0; c < 400; c++) {
      if (!injected && c >= 150 && whole.sm->quota.to_load)
        injected = qsm_sm_inject(hit.sm, cases[n].block, 7, what, sizeof what) == 0;
      for (uint32_t i = 0; i < 2; i++) {
        if (c % 20 == 3) rig_send(rigs[i], (struct qsm_sm_msg){.kind = QSM_MSG_SAMPLE});
        run(rigs[i], 1);
      }
    }
    uint8_t kind = QSM_EVENT_KIND_COUNT;
    assert_true(injected);
    assert_true(first_difference(&hit, &whole, &kind) > 150);
    assert_int_equal(kind, cases[n].kind);
    for (uint32_t i = 0; i < 2; i++) rig_close(rigs[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gate_never_lets_a_spent_kernel_issue),
      cmocka_unit_test(rollover_carries_what_is_left),
      cmocka_unit_test(a_load_keeps_the_credit_of_kernels_that_it_names),
      cmocka_unit_test(all_spent_gives_what_each_scheme_says),
      cmocka_unit_test(an_early_start_loads_one_kernel_after_the_other),
      cmocka_unit_test(a_debt_beyond_the_quota_takes_several_early_starts),
      cmocka_unit_test(an_early_start_waits_for_every_runnable_kernel_and_for_somebody_with_a_goal),
      cmocka_unit_test(a_timed_start_forgets_what_is_left),
      cmocka_unit_test(a_timed_start_wins_over_an_early_one),
      cmocka_unit_test(words_count_from_their_load_message_on),
      cmocka_unit_test(an_early_start_waits_for_words_that_are_being_taken),
      cmocka_unit_test(a_change_of_scheme_ends_an_elastic_epoch),
      cmocka_unit_test(an_early_start_saturates),
      cmocka_unit_test(a_kernel_without_a_goal_waits_while_one_with_a_goal_has_quota),
      cmocka_unit_test(fair_holds_kernels_without_goals_too),
      cmocka_unit_test(rollover_time_carries_over_like_rollover),
      cmocka_unit_test(a_quota_is_due_in_instalments),
      cmocka_unit_test(small_and_large_quotas_fall_due_within_the_epoch),
      cmocka_unit_test(instalments_and_judgements_take_a_cycle_each),
      cmocka_unit_test(a_sample_during_the_last_ones_instalments_is_dropped),
      cmocka_unit_test(while_somebody_is_late_the_others_have_gaps_or_are_closed),
      cmocka_unit_test(beside_a_late_kernel_another_one_issues_in_its_gaps),
      cmocka_unit_test(nobody_is_refilled_under_pace),
      cmocka_unit_test(another_scheme_ends_pacing),
      cmocka_unit_test(a_first_block_begins_with_its_first_quota_not_due),
      cmocka_unit_test(elastic_without_early_starts_is_naive_with_history),
      cmocka_unit_test(no_scheme_lets_a_closed_kernel_issue),
      cmocka_unit_test(schemes_and_samples_may_sleep_and_miss_nothing),
      cmocka_unit_test(a_flip_in_the_gate_or_the_sampler_shows_as_its_event),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
