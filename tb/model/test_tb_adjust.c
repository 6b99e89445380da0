// SPDX-License-Identifier: Apache-2.0
// Run-time adjustment of thread blocks, R-TA-1 to R-TA-8, in the TB scheduler with SMs that only
// take notes: the rules of FGQ 3.6 and decisions P1 to P4 one by one, and whole passes over random
// tables against a reference that sums up instead of stepping.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "qsm_sm_owner.h"
#include "sched_bench.h"
#include "sched_ref.h"

enum { ONE = 0x10000, NOBODY = 0xff, MANY = 0xffff };
enum { KIND_MASK = 7, KIND_NONE = 0, KIND_DRAIN = 2 };

static void bench_open(struct bench *bench, struct qsm_config config) {
  sched_open(bench, config);
  bench->ctrl.regs.adjust = 1;
  bench->ctrl.regs.adjust_technique = QSM_TECHNIQUE_DRAIN;
}

// All arrive, then all launch; afterwards the targets are reached.
static void open_tenants(struct bench *bench, struct qsm_config config, uint32_t n,
                         const struct tenant *tenants) {
  bench_open(bench, config);
  for (uint32_t k = 0; k < n; k++) sched_add_tenant(bench, k, &tenants[k]);
  for (uint32_t k = 0; k < n; k++) {
    run_to(bench, bench->cycle + 1);
    qsm_tb_sched_launch(bench->ts, k);
  }
  run_to(bench, bench->cycle + 2000);
}

// One SM with eight places for warps, one sub-core.
static struct qsm_config eight_warps(void) {
  struct qsm_config config = model_tiny();
  config.warps_per_sm = config.max_tbs = 8;
  return config;
}

static const struct tenant goal = {true, MANY, 1, 0}, other = {false, MANY, 1, 0};

// A kernel with a goal beside one without, on one SM: two blocks of one warp each, and no place
// left.
static void open_pair(struct bench *bench) {
  open_tenants(bench, model_tiny(), 2, (const struct tenant[]){goal, other});
}

// Slot 0 asks, four slots have two of the eight places each.
static void open_four(struct bench *bench, const bool *qos) {
  const struct tenant tenants[] = {
      {qos[0], MANY, 1, 0}, {qos[1], MANY, 1, 0}, {qos[2], MANY, 1, 0}, {qos[3], MANY, 1, 0}};
  open_tenants(bench, eight_warps(), 4, tenants);
  for (uint32_t k = 1; k < 4; k++) bench->ratio[k] = qos[k] ? ONE : 0;
}

// E + QosLat is the cycle that is returned.
static uint64_t start(struct bench *bench) {
  uint64_t t = bench->cycle;
  qsm_tb_sched_adjust(bench->ts, bench->cycle, bench->ratio);
  run_to(bench, t + 1);
  return t;
}

static void finish(struct bench *bench) {
  while (qsm_tb_sched_adjust_busy(bench->ts)) run_to(bench, bench->cycle + 1);
}

static uint64_t pass(struct bench *bench) {
  uint64_t t = start(bench);
  finish(bench);
  return t;
}

static const struct qsm_event *adjustment(const struct bench *bench, uint32_t n) {
  return notes_event(bench->notes, QSM_EV_ADJUST, n);
}
static uint32_t target(const struct bench *bench, uint32_t sm, uint32_t k) {
  return qsm_tb_sched_target(bench->ts, sm, k);
}
static uint32_t resident(const struct bench *bench, uint32_t sm, uint32_t k) {
  return qsm_tb_sched_resident(bench->ts, sm, k);
}
static uint32_t job_kind(const struct bench *bench, uint32_t sm) {
  return qsm_preempt_job(qsm_tb_sched_preemption(bench->ts), sm) & KIND_MASK;
}

static uint32_t flag(const struct bench *bench, uint32_t sm, uint32_t k) {
  uint32_t value = 9;
  assert_true(qsm_tb_sched_target_state(bench->ts, sm, k, 1, &value));
  return value;
}

static uint32_t count(const struct bench *bench, enum qsm_event_kind kind) {
  uint32_t n = 0;
  while (notes_event(bench->notes, kind, n)) n++;
  return n;
}

static void assert_adjustment(const struct bench *bench, uint32_t n, uint32_t sm, uint32_t kernel,
                              uint32_t victim, uint32_t freed, uint32_t class) {
  const struct qsm_event *event = adjustment(bench, n);
  assert_non_null(event);
  const uint32_t words[] = {sm, kernel, victim, freed, class};
  assert_memory_equal(event->word, words, sizeof words);
}

// In the last epoch so many warps of the slot were idle at every sample.
static void set_idle(struct bench *bench, uint32_t k, uint32_t warps) {
  for (uint32_t i = 0; i < bench->config.num_sms; i++) bench->notes->idle[i][k] = 100 * warps;
}

static void retire(struct bench *bench, uint64_t cycle, uint32_t k, uint32_t sm, uint32_t n) {
  qsm_tb_sched_retire(bench->ts, cycle, sm, sched_place_of(bench, k, sm, n), false);
}

// ---- Who asks: a kernel under its goal with at most one idle block (FGQ 3.6) ----

static void a_kernel_under_its_goal_gets_a_block_and_one_without_goal_loses_one(void **state) {
  (void)state;
  struct bench bench;
  open_pair(&bench);
  assert_int_equal(resident(&bench, 0, 0), 2);
  assert_int_equal(resident(&bench, 0, 1), 2);
  uint64_t t = pass(&bench);
  assert_adjustment(&bench, 0, 0, 0, 1, 1, 0);
  // From t + 1: set-up, two divisions, ask, fit (2 cycles), trial (begin, free a block (2), fits
  // (2)), apply.
  assert_int_equal(adjustment(&bench, 0)->cycle, t + 12);
  assert_int_equal(bench.cycle, t + 13);
  assert_int_equal(target(&bench, 0, 0), 3);
  assert_int_equal(target(&bench, 0, 1), 1);
  assert_int_equal(flag(&bench, 0, 1), 1);
  assert_int_equal(notes_event(bench.notes, QSM_EV_EVICT, 0)->cycle, t + 12);
  assert_int_equal(notes_event(bench.notes, QSM_EV_EVICT, 0)->word[0], 2);
  assert_null(adjustment(&bench, 1));
  sched_close(&bench);
}

// R-SP-4.
static void a_pass_divides_idle_sums_and_holds_dispatch_back(void **state) {
  (void)state;
  struct bench bench;
  open_pair(&bench);
  bench.ctrl.regs.latecomers = 0;
  bench.notes->idle[0][0] = 199;
  bench.notes->idle[0][1] = 300;
  uint32_t n_dispatched = count(&bench, QSM_EV_DISPATCH);
  uint64_t t = start(&bench);
  assert_true(qsm_tb_sched_adjust_busy(bench.ts));
  retire(&bench, t + 2, 0, 0, 0);  // room from t + 3 on
  run_to(&bench, t + 40);
  // Set-up, 2 + 4 cycles of division, ask in t + 8; slot 0 has a block less than its target by then
  // and does not ask. The pass is over at the end of t + 8: candidate t + 9, place, message t + 11.
  const struct qsm_event *ask = notes_event(bench.notes, QSM_EV_ASK, 0);
  const uint32_t words[] = {0, 0, 1, 3, 0, 0};
  assert_int_equal(ask->cycle, t + 8);
  assert_memory_equal(ask->word, words, sizeof words);
  assert_int_equal(notes_event(bench.notes, QSM_EV_DISPATCH, n_dispatched)->cycle, t + 11);
  sched_close(&bench);
}

static void two_idle_blocks_or_a_goal_that_is_met_ask_for_nothing(void **state) {
  (void)state;
  static const struct {
    uint32_t ratio, idle;
    bool asks;
  } cases[] = {{ONE + 1, 199, true},
               {ONE + 1, 200, false},
               {ONE, 0, false},
               {0, 0, false},
               {0x3fffff, 0, true}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    struct bench bench;
    open_pair(&bench);
    bench.ratio[0] = cases[n].ratio;
    bench.notes->idle[0][0] = cases[n].idle;
    pass(&bench);
    assert_int_equal(adjustment(&bench, 0) != NULL, cases[n].asks);
    sched_close(&bench);
  }
}

static void a_kernel_without_a_goal_asks_for_nothing(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, model_tiny(), 2, (const struct tenant[]){other, other});
  bench.ratio[0] = SCHED_BEHIND;
  start(&bench);
  assert_false(qsm_tb_sched_adjust_busy(bench.ts));
  sched_close(&bench);
}

static void a_kernel_without_a_block_to_give_asks_for_nothing(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, model_tiny(), 2, (const struct tenant[]){{true, 2, 1, 0}, other});
  start(&bench);
  assert_false(qsm_tb_sched_adjust_busy(bench.ts));
  sched_close(&bench);
}

static void a_saved_block_is_one_to_give_unless_it_is_held(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, model_tiny(), 2, (const struct tenant[]){{true, 3, 1, 0}, other});
  bench.ctrl.regs.preempt_hold[0] = 1;
  const struct qsm_preempt_request request = {.by_slot = true,
                                              .tb = (uint8_t)sched_place_of(&bench, 0, 0, 0)};
  qsm_tb_sched_preempt(bench.ts, &request);
  run_to(&bench, bench.cycle + 20);
  qsm_tb_sched_retire(bench.ts, bench.cycle, 0, request.tb, true);
  run_to(&bench, bench.cycle + 20);
  assert_int_equal(resident(&bench, 0, 0), 2);  // the third block came, which was the last
  start(&bench);
  assert_false(qsm_tb_sched_adjust_busy(bench.ts));
  bench.ctrl.regs.preempt_hold[0] = 0;
  pass(&bench);
  assert_non_null(adjustment(&bench, 0));
  sched_close(&bench);
}

static void a_masked_kernel_and_one_with_all_places_do_not_ask(void **state) {
  (void)state;
  struct bench bench;
  open_pair(&bench);
  bench.ctrl.regs.sm_mask[0] = 0;  // without a word to the allocator
  pass(&bench);
  assert_null(adjustment(&bench, 0));
  sched_close(&bench);
  open_tenants(&bench, model_tiny(), 1, &goal);
  pass(&bench);
  assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 0)->word[1], 0);
  sched_close(&bench);
}

// R-TB-15: it does not ask, but may be a victim.
static void a_capped_kernel_does_not_ask(void **state) {
  (void)state;
  struct bench bench;
  open_pair(&bench);
  bench.ctrl.regs.warp_cap[0] = 4;
  pass(&bench);
  assert_null(adjustment(&bench, 0));
  bench.ctrl.regs.warp_cap[0] = 0;
  bench.ctrl.regs.warp_cap[1] = 4;
  pass(&bench);
  assert_adjustment(&bench, 0, 0, 0, 1, 1, 0);
  sched_close(&bench);
}

static void a_kernel_that_waits_for_its_last_block_asks_for_no_other(void **state) {
  (void)state;
  struct bench bench;
  open_pair(&bench);
  bench.ctrl.regs.latecomers = 0;
  pass(&bench);
  run_to(&bench, bench.cycle + 100);  // the victim's block drains
  pass(&bench);
  assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 1)->word[1], 0);
  retire(&bench, bench.cycle, 1, 0, 1);
  run_to(&bench, bench.cycle + 20);
  assert_int_equal(resident(&bench, 0, 0), 3);
  pass(&bench);
  assert_adjustment(&bench, 1, 0, 0, 1, 1, 0);
  assert_int_equal(target(&bench, 0, 1), 0);  // even the last one
  sched_close(&bench);
}

// ---- Surplus (R-TA-13) ----

// Slot 1 has filled the SM; slot 0 came late and has one block, of a target of two.
static void open_late(struct bench *bench) {
  bench_open(bench, model_tiny());
  sched_add_tenant(bench, 1, &other);
  run_to(bench, bench->cycle + 1);
  qsm_tb_sched_launch(bench->ts, 1);
  run_to(bench, bench->cycle + 2000);
  sched_add_tenant(bench, 0, &goal);
  run_to(bench, bench->cycle + 1);
  qsm_tb_sched_launch(bench->ts, 0);
  run_to(bench, bench->cycle + 200);
  retire(bench, bench->cycle, 1, 0, 0);
  run_to(bench, bench->cycle + 50);
  assert_int_equal(resident(bench, 0, 0), 1);
  assert_int_equal(resident(bench, 0, 1), 3);
}

static void assert_targets_of_two(const struct bench *bench) {
  assert_int_equal(target(bench, 0, 0), 2);
  assert_int_equal(target(bench, 0, 1), 2);
  assert_null(adjustment(bench, 0));
}

static void a_surplus_goes_where_another_kernel_lacks_blocks(void **state) {
  (void)state;
  struct bench bench;
  open_late(&bench);
  uint64_t t = pass(&bench);
  // Set-up, two divisions, ask, fit (2 cycles): the flag is set at the end of t + 6.
  assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 0)->word[1], 1);
  assert_int_equal(notes_event(bench.notes, QSM_EV_EVICT, 0)->cycle, t + 6);
  assert_int_equal(notes_event(bench.notes, QSM_EV_EVICT, 0)->word[0], 2);
  assert_int_equal(bench.cycle, t + 7);
  run_to(&bench, bench.cycle + 20);
  assert_int_equal(job_kind(&bench, 0), KIND_DRAIN);
  retire(&bench, bench.cycle, 1, 0, 2);
  run_to(&bench, bench.cycle + 50);
  assert_int_equal(flag(&bench, 0, 1), 0);
  assert_int_equal(resident(&bench, 0, 0), 2);
  assert_targets_of_two(&bench);
  sched_close(&bench);
}

static void a_surplus_stays_without_latecomers_and_during_a_preemption(void **state) {
  (void)state;
  for (uint32_t preempting = 0; preempting < 2; preempting++) {
    struct bench bench;
    open_late(&bench);
    if (preempting)
      qsm_tb_sched_preempt(
          bench.ts, &(struct qsm_preempt_request){.kernel = 1, .technique = QSM_TECHNIQUE_DRAIN});
    else
      bench.ctrl.regs.latecomers = 0;
    run_to(&bench, bench.cycle + 10);
    pass(&bench);
    assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 0)->word[1], preempting);
    assert_int_equal(flag(&bench, 0, 1), 0);
    assert_targets_of_two(&bench);
    sched_close(&bench);
  }
}

// The room of a block that has ended since is the slot's own already.
static void a_block_that_fits_needs_nobodys_surplus(void **state) {
  (void)state;
  struct bench bench;
  open_late(&bench);
  retire(&bench, bench.cycle, 0, 0, 0);
  run_to(&bench, bench.cycle + 1);
  pass(&bench);
  assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 0)->word[1], 1);
  assert_int_equal(flag(&bench, 0, 1), 0);
  assert_targets_of_two(&bench);
  sched_close(&bench);
}

// ---- Who yields (P2, P4) ----

static void a_block_that_fits_needs_no_victim(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, model_tiny(), 2, (const struct tenant[]){goal, {false, 2, 1, 0}});
  retire(&bench, bench.cycle, 1, 0, 0);
  run_to(&bench, bench.cycle + 20);
  uint64_t t = pass(&bench);
  assert_adjustment(&bench, 0, 0, 0, NOBODY, 0, 0);
  // Set-up, two divisions, ask, and the second cycle of fit.
  assert_int_equal(adjustment(&bench, 0)->cycle, t + 6);
  run_to(&bench, bench.cycle + 20);
  assert_int_equal(resident(&bench, 0, 0), 3);
  assert_int_equal(count(&bench, QSM_EV_PREEMPT), 0);
  assert_int_equal(target(&bench, 0, 1), 2);
  sched_close(&bench);
}

static void those_without_goal_come_first_then_the_idle_then_those_with_margin(void **state) {
  (void)state;
  struct bench bench;
  for (uint32_t n = 0; n < 3; n++) {
    open_four(&bench, (const bool[]){true, true, true, n > 0});
    bench.ratio[1] = 0;                 // margin
    if (n < 2) set_idle(&bench, 2, 2);  // idle
    pass(&bench);
    assert_adjustment(&bench, 0, 0, 0, 3 - n, 1, n);
    sched_close(&bench);
  }
}

static void an_idle_victim_has_one_idle_block_more_than_it_gives(void **state) {
  (void)state;
  struct bench bench;
  for (uint32_t idle = 1; idle <= 2; idle++) {
    open_four(&bench, (const bool[]){true, true, true, true});
    set_idle(&bench, 2, idle);
    pass(&bench);
    assert_int_equal(adjustment(&bench, 0) != NULL, idle == 2);
    if (idle == 2) assert_adjustment(&bench, 0, 0, 0, 2, 1, 1);
    sched_close(&bench);
  }
}

// The last class: others that can spare a block come first, and an equal priority is no victim.
static void who_is_behind_takes_the_blocks_of_a_lower_priority(void **state) {
  (void)state;
  static const struct {
    uint32_t level[4], with_margin, victim, class;
  } cases[] = {
      {{0, 0, 0, 0}, NOBODY, NOBODY, 0}, {{1, 1, 1, 1}, NOBODY, NOBODY, 0},
      {{1, 2, 3, 1}, NOBODY, NOBODY, 0}, {{1, 2, 0, 0}, NOBODY, 2, 3},
      {{3, 3, 2, 2}, NOBODY, 2, 3},      {{1, 1, 1, 0}, NOBODY, 3, 3},
      {{3, 0, 0, 0}, 3, 3, 2},
  };
  for (uint32_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    struct bench bench;
    open_four(&bench, (const bool[]){true, true, true, true});
    for (uint32_t k = 0; k < 4; k++) bench.ctrl.regs.ctx[k] = 3 | cases[n].level[k] << 2;
    if (cases[n].with_margin != NOBODY) bench.ratio[cases[n].with_margin] = 0;
    pass(&bench);
    if (cases[n].victim == NOBODY)
      assert_null(adjustment(&bench, 0));
    else
      assert_adjustment(&bench, 0, 0, 0, cases[n].victim, 1, cases[n].class);
    sched_close(&bench);
  }
}

static void a_victim_with_margin_stays_above_its_goal_without_the_blocks(void **state) {
  (void)state;
  struct bench bench;
  for (uint32_t n = 0; n < 2; n++) {
    open_four(&bench, (const bool[]){true, true, true, true});
    bench.ratio[3] = 0x8000 - 1 + n;  // two blocks, one goes: half the speed must be above the goal
    pass(&bench);
    assert_int_equal(adjustment(&bench, 0) != NULL, n == 0);
    if (n == 0) assert_adjustment(&bench, 0, 0, 0, 3, 1, 2);
    sched_close(&bench);
  }
}

static void a_last_block_has_no_margin_even_without_a_history(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, model_tiny(), 2,
               (const struct tenant[]){{true, MANY, 2, 0}, {true, MANY, 2, 0}});
  bench.ratio[1] = 0;
  pass(&bench);
  assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 0)->word[1], 1);
  assert_null(adjustment(&bench, 0));
  sched_close(&bench);
}

static void among_equals_the_most_idle_or_the_largest_margin_and_then_the_lower_slot_yields(
    void **state) {
  (void)state;
  static const struct {
    bool qos;
    uint32_t idle[4], ratio[4], victim;
  } cases[] = {
      {false, {0, 0, 1, 0}, {0}, 2},
      {false, {0, 1, 0, 1}, {0}, 1},
      {true, {0, 2, 3, 2}, {0, ONE, ONE, ONE}, 2},
      {true, {0, 1, 2, 2}, {0, ONE, ONE, ONE}, 2},
      {true, {0, 0, 0, 0}, {0, 300, 300, 299}, 3},
      {true, {0, 0, 1, 1}, {0, 300, 300, 300}, 1},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    // Without goals they have their SM for themselves only if the shares say so: one SM, so all
    // others but slot 0 stay QoS for the allocator, and give up their goal afterwards.
    struct bench bench;
    open_four(&bench, (const bool[]){true, true, true, true});
    if (!cases[n].qos) bench.ctrl.regs.shared.qos_mask = 1;
    for (uint32_t k = 1; k < 4; k++) {
      set_idle(&bench, k, cases[n].idle[k]);
      bench.ratio[k] = cases[n].ratio[k];
    }
    pass(&bench);
    assert_int_equal(adjustment(&bench, 0)->word[2], cases[n].victim);
    sched_close(&bench);
  }
}

static void as_few_blocks_go_as_make_room_and_all_of_one_victim(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, eight_warps(), 2,
               (const struct tenant[]){{true, MANY, 3, 0}, other});  // 3 + 4 of 8 warps
  assert_int_equal(resident(&bench, 0, 1), 4);
  pass(&bench);
  assert_adjustment(&bench, 0, 0, 0, 1, 2, 0);
  assert_int_equal(target(&bench, 0, 1), 2);
  sched_close(&bench);
  open_tenants(
      &bench, eight_warps(), 3,
      (const struct tenant[]){{true, MANY, 2, 14}, {true, MANY, 1, 9}, {true, MANY, 1, 9}});
  assert_int_equal(resident(&bench, 0, 1) + resident(&bench, 0, 2),
                   2);  // neither alone has 14 granules in a row
  set_idle(&bench, 1, 8);
  set_idle(&bench, 2, 8);
  bench.ratio[1] = bench.ratio[2] = ONE;
  pass(&bench);
  assert_null(adjustment(&bench, 0));
  sched_close(&bench);
}

static void nobody_yields_to_itself(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, model_tiny(), 1, (const struct tenant[]){{true, MANY, 2, 0}});
  pass(&bench);
  assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 0)->word[1], 1);
  assert_null(adjustment(&bench, 0));
  sched_close(&bench);
}

static void the_youngest_blocks_go_one_after_the_other_until_the_target_is_reached(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, eight_warps(), 2, (const struct tenant[]){{true, MANY, 3, 0}, other});
  bench.ctrl.regs.adjust_technique = QSM_TECHNIQUE_SWITCH;
  pass(&bench);
  for (uint32_t n = 0; n < 2; n++) {
    run_to(&bench, bench.cycle + 10);
    const struct qsm_event *event = notes_event(bench.notes, QSM_EV_PREEMPT, n);
    assert_int_equal(event->word[1], 1);
    assert_int_equal(event->word[2], sched_place_of(&bench, 1, 0, 3 - n));
    assert_int_equal(event->word[5], QSM_PREEMPT_ACCEPTED);
    assert_int_equal(event->word[6], 0);
    assert_int_equal(flag(&bench, 0, 1), 1);
    qsm_tb_sched_retire(bench.ts, bench.cycle + 5, 0, event->word[2], true);
    run_to(&bench, bench.cycle + 6);
  }
  uint64_t seen = bench.cycle - 1;
  run_to(&bench, bench.cycle + 100);
  assert_int_equal(notes_event(bench.notes, QSM_EV_EVICT, 1)->cycle, seen + 1);
  assert_int_equal(flag(&bench, 0, 1), 0);
  assert_null(notes_event(bench.notes, QSM_EV_PREEMPT, 2));
  assert_int_equal(resident(&bench, 0, 0), 2);
  assert_int_equal(resident(&bench, 0, 1), 2);
  sched_close(&bench);
}

// ---- When (P1) ----

static void a_preemption_under_way_forbids_victims_but_not_additions(void **state) {
  (void)state;
  for (uint32_t free = 0; free < 2; free++) {
    struct bench bench;
    open_tenants(&bench, model_tiny(), 2,
                 (const struct tenant[]){goal, {false, free ? 2 : MANY, 1, 0}});
    if (free) retire(&bench, bench.cycle, 1, 0, 0);
    run_to(&bench, bench.cycle + 50);
    qsm_tb_sched_preempt(
        bench.ts, &(struct qsm_preempt_request){.kernel = 1, .technique = QSM_TECHNIQUE_DRAIN});
    run_to(&bench, bench.cycle + 10);
    assert_int_equal(job_kind(&bench, 0), KIND_DRAIN);
    pass(&bench);
    assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 0)->word[1], 1);
    if (free)
      assert_adjustment(&bench, 0, 0, 0, NOBODY, 0, 0);
    else
      assert_null(adjustment(&bench, 0));
    sched_close(&bench);
  }
}

static void a_request_that_is_not_decided_yet_is_a_preemption_under_way(void **state) {
  (void)state;
  struct bench bench;
  open_pair(&bench);
  qsm_tb_sched_preempt(
      bench.ts, &(struct qsm_preempt_request){.by_slot = true, .tb = 3, .kernel = 2});  // in vain
  pass(&bench);
  assert_int_equal(notes_event(bench.notes, QSM_EV_PREEMPT, 0)->word[5], QSM_PREEMPT_NO_TB);
  assert_null(adjustment(&bench, 0));
  sched_close(&bench);
}

static void what_a_pass_begins_does_not_stop_it_but_the_next_one(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, model_demo(), 2,
               (const struct tenant[]){{true, MANY, 2, 0}, {false, MANY, 2, 0}});
  pass(&bench);
  for (uint32_t i = 0; i < 4; i++) {
    assert_adjustment(&bench, i, i, 0, 1, 1, 0);
    assert_int_equal(flag(&bench, i, 1), 1);
  }
  retire(&bench, bench.cycle + 50, 1, 0,
         1);  // the youngest of SM 0; on the other three SMs blocks drain on
  run_to(&bench, bench.cycle + 70);
  assert_int_equal(resident(&bench, 0, 0), 3);
  pass(&bench);
  assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 4)->word[1], 1);
  assert_null(adjustment(&bench, 4));
  sched_close(&bench);
}

static void one_kernel_gets_a_victims_block_on_an_sm_and_the_next_one_an_epoch_later(void **state) {
  (void)state;
  struct bench bench;
  open_four(&bench, (const bool[]){true, true, true, false});
  bench.ratio[1] = SCHED_BEHIND;
  pass(&bench);
  assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 0)->word[1], 3);
  assert_adjustment(&bench, 0, 0, 0, 3, 1, 0);
  assert_null(adjustment(&bench, 1));
  retire(&bench, bench.cycle + 50, 3, 0, 1);
  run_to(&bench, bench.cycle + 100);
  bench.ratio[0] = ONE;
  pass(&bench);
  assert_adjustment(&bench, 1, 0, 1, 3, 1, 0);
  sched_close(&bench);
}

static void the_second_kernel_tries_where_the_first_finds_no_victim(void **state) {
  (void)state;
  struct bench bench;
  // Slot 0 needs three warps and slots 1, 2 have two blocks of one warp.
  open_tenants(&bench, eight_warps(), 3, (const struct tenant[]){{true, MANY, 4, 0}, goal, other});
  assert_int_equal(resident(&bench, 0, 0), 1);
  assert_int_equal(resident(&bench, 0, 2), 2);
  pass(&bench);
  assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 0)->word[1], 3);
  assert_adjustment(&bench, 0, 0, 1, 2, 1, 0);
  sched_close(&bench);
}

static void a_pass_ends_at_the_next_snapshot_and_at_an_allocation(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 2; n++) {
    struct bench bench;
    open_pair(&bench);
    uint64_t t = start(&bench);
    // t + 11 would find that the block fits, t + 12 apply that.
    run_to(&bench, t + 11 - n);
    if (n)
      qsm_tb_sched_request_targets(bench.ts);  // written in t + 9
    else
      qsm_tb_sched_take_had_tb(bench.ts, t + 11);
    run_to(&bench, t + 11);
    assert_int_equal(qsm_tb_sched_adjust_busy(bench.ts), !n);
    run_to(&bench, t + 12);
    assert_false(qsm_tb_sched_adjust_busy(bench.ts));
    run_to(&bench, t + 50);
    assert_null(adjustment(&bench, 0));
    sched_close(&bench);
  }
}

static void no_pass_begins_during_an_allocation(void **state) {
  (void)state;
  struct bench bench;
  open_pair(&bench);
  qsm_tb_sched_request_targets(bench.ts);
  start(&bench);
  assert_false(qsm_tb_sched_adjust_busy(bench.ts));
  sched_close(&bench);
}

// ---- What happens meanwhile ----

static void a_refused_preemption_leaves_the_targets_and_the_blocks_drain(void **state) {
  (void)state;
  struct bench bench;
  open_pair(&bench);
  bench.ctrl.regs.adjust_technique = QSM_TECHNIQUE_FLUSH;
  pass(&bench);
  run_to(&bench, bench.cycle + 10);
  assert_int_equal(notes_event(bench.notes, QSM_EV_PREEMPT, 0)->word[5],
                   QSM_PREEMPT_NOT_IDEMPOTENT);
  assert_int_equal(notes_event(bench.notes, QSM_EV_EVICT, 1)->cycle,
                   notes_event(bench.notes, QSM_EV_PREEMPT, 0)->cycle);
  assert_int_equal(flag(&bench, 0, 1), 0);
  assert_int_equal(target(&bench, 0, 1), 1);
  retire(&bench, bench.cycle, 1, 0, 0);  // the older one ends first
  run_to(&bench, bench.cycle + 10);
  assert_int_equal(resident(&bench, 0, 0), 3);
  assert_int_equal(resident(&bench, 0, 1), 1);
  sched_close(&bench);
}

static void new_targets_forget_adjustment_and_flags(void **state) {
  (void)state;
  struct bench bench;
  open_pair(&bench);
  pass(&bench);
  qsm_tb_sched_request_targets(bench.ts);
  run_to(&bench, bench.cycle + 100);
  assert_int_equal(target(&bench, 0, 0), 2);
  assert_int_equal(target(&bench, 0, 1), 2);
  assert_int_equal(flag(&bench, 0, 1), 0);
  sched_close(&bench);
}

static void a_starved_kernel_gets_its_blocks_back_when_nobody_is_behind(void **state) {
  (void)state;
  struct bench bench;
  open_pair(&bench);
  for (uint32_t n = 0; n < 2; n++) {
    pass(&bench);
    retire(&bench, bench.cycle + 50, 1, 0, 1 - n);
    run_to(&bench, bench.cycle + 100);
  }
  assert_int_equal(target(&bench, 0, 1), 0);
  assert_int_equal(resident(&bench, 0, 1), 0);
  pass(&bench);  // slot 0 has all places and is behind all the same
  assert_false(qsm_tb_sched_alloc_busy(bench.ts));
  bench.ratio[0] = ONE;
  start(&bench);
  assert_true(qsm_tb_sched_alloc_busy(bench.ts));
  run_to(&bench, bench.cycle + 50);
  assert_int_equal(target(&bench, 0, 1), 2);
  start(&bench);  // its blocks wait for room, but it has a target
  assert_false(qsm_tb_sched_alloc_busy(bench.ts));
  sched_close(&bench);
}

// R-SO-8: a run for the SM of a move gives no targets back elsewhere, so starved stays.
static void a_starved_kernel_stays_so_over_a_move_elsewhere(void **state) {
  (void)state;
  struct qsm_config config = model_tiny();
  config.num_sms = 2;
  struct bench bench;
  open_tenants(&bench, config, 2, (const struct tenant[]){goal, other});
  bench.ctrl.regs.sm_mask[0] = bench.ctrl.regs.sm_mask[1] = 1;
  qsm_tb_sched_request_targets(bench.ts);
  run_to(&bench, bench.cycle + 100);
  for (uint32_t n = 0; n < 2; n++) retire(&bench, bench.cycle + n, 1, 1, n);
  for (uint32_t n = 0; n < 2; n++) {
    pass(&bench);
    retire(&bench, bench.cycle + 50, 1, 0, 1 - n);
    run_to(&bench, bench.cycle + 100);
  }
  assert_int_equal(target(&bench, 0, 1), 0);
  qsm_sm_owner_request(qsm_tb_sched_sm_owner(bench.ts), bench.cycle, 1, QSM_USE_SHARED, 0);
  run_to(&bench, bench.cycle + 100);
  assert_int_equal(target(&bench, 0, 1), 0);
  bench.ratio[0] = ONE;
  start(&bench);
  assert_true(qsm_tb_sched_alloc_busy(bench.ts));
  run_to(&bench, bench.cycle + 100);
  assert_int_equal(target(&bench, 0, 1), 2);
  sched_close(&bench);
}

static void a_kernel_with_a_target_is_not_starved(void **state) {
  (void)state;
  struct bench bench;
  open_pair(&bench);
  pass(&bench);
  assert_int_equal(target(&bench, 0, 1), 1);
  retire(&bench, bench.cycle + 50, 1, 0, 1);
  run_to(&bench, bench.cycle + 60);
  bench.ratio[0] = ONE;
  start(&bench);
  assert_false(qsm_tb_sched_alloc_busy(bench.ts));
  sched_close(&bench);
}

static void blocks_that_end_during_the_trials_cost_their_kernel_no_more_than_all(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, eight_warps(), 3,
               (const struct tenant[]){{true, MANY, 2, 0}, {false, 2, 1, 0}, {true, MANY, 4, 0}});
  bench.ratio[2] = ONE;
  uint64_t t = start(&bench);
  // Set-up, three divisions, ask, fit to t + 7; the trial of slot 1 (1 + 3 * 2 cycles) ends in
  // t + 14 with two blocks, that of slot 2 (1 + 2 * 2) in t + 19.
  retire(&bench, t + 14, 1, 0, 0);
  retire(&bench, t + 15, 1, 0, 1);
  finish(&bench);
  assert_adjustment(&bench, 0, 0, 0, 1, 2, 0);
  assert_int_equal(adjustment(&bench, 0)->cycle, t + 20);
  assert_int_equal(target(&bench, 0, 1), 0);
  run_to(&bench, bench.cycle + 20);
  assert_int_equal(notes_event(bench.notes, QSM_EV_EVICT, 1)->cycle, t + 21);
  assert_int_equal(count(&bench, QSM_EV_PREEMPT), 0);
  sched_close(&bench);
}

static void a_victim_whose_target_is_lower_already_keeps_it(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, eight_warps(), 4,
               (const struct tenant[]){{true, MANY, 2, 0}, goal, other, {true, MANY, 2, 0}});
  bench.ctrl.regs.adjust_technique = QSM_TECHNIQUE_FLUSH;
  bench.ratio[3] = ONE;
  pass(&bench);
  assert_adjustment(&bench, 0, 0, 0, 2, 2, 0);
  run_to(&bench, bench.cycle + 20);
  assert_int_equal(flag(&bench, 0, 2), 0);  // refused: both blocks run to their ends
  pass(&bench);
  assert_adjustment(&bench, 1, 0, 1, 2, 1, 0);
  assert_int_equal(resident(&bench, 0, 2), 2);
  assert_int_equal(target(&bench, 0, 2), 0);
  sched_close(&bench);
}

static void a_kernel_killed_during_the_pass_gets_nothing(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 2; n++) {
    struct bench bench;
    open_pair(&bench);
    uint64_t t = start(&bench);
    // KILL of slot 0 while it is asked, or in the first cycle of fit; the second, t + 6, decides.
    run_to(&bench, t + 4 + n);
    qsm_tb_sched_step(bench.ts, t + 4 + n, 1);
    bench.cycle = t + 5 + n;
    finish(&bench);
    assert_int_equal(bench.cycle, t + 7);
    assert_null(adjustment(&bench, 0));
    sched_close(&bench);
  }
}

// ---- Whole passes ----

struct ref {
  const struct bench *bench;
  struct ref_sm sm[8];
  uint64_t cycle;
  bool pending;
  uint32_t n_asks, n_adjustments;  // events before the pass
};

static const struct qsm_desc *shape(const struct ref *ref, uint32_t k) {
  return &ref->bench->ctrl.regs.shared.desc[k];
}

static uint32_t ref_out(const struct ref *ref, uint32_t k) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < ref->bench->config.num_sms; i++) n += resident(ref->bench, i, k);
  return n;
}

static bool ref_wants(const struct ref *ref, uint32_t k) {
  const struct qsm_regs *regs = &ref->bench->ctrl.regs;
  return (regs->shared.qos_mask >> k & 1) && shape(ref, k)->grid[0] > ref_out(ref, k) &&
         ref->bench->ratio[k] > ONE;
}

struct ref_victim {
  uint32_t slot, n, class, key;  // the largest key of a class wins
};

// How many of m's blocks must go, and what that makes of it; moves the time on: a cycle, and two
// for each block and for the end.
static bool ref_try(struct ref *ref, uint32_t i, const struct ref_sm *w, const uint32_t *idle,
                    uint32_t k, uint32_t m, struct ref_victim *victim) {
  struct ref_sm v = *w;
  uint32_t tb, base, n = 0, out = ref_out(ref, m), ratio = ref->bench->ratio[m];
  for (; !ref_fits(ref->bench, &v, k, &tb, &base); n++) {
    int youngest = -1;
    for (uint32_t s = 0; s < ref->bench->config.max_tbs; s++) {
      if (ref->sm[i].used[s] && v.used[s] && v.kernel[s] == m &&
          (youngest < 0 || v.age[s] > v.age[youngest]))
        youngest = (int)s;
    }
    if (youngest < 0) {
      ref->cycle += 3 + 2 * n;
      return false;
    }
    ref_put(ref->bench, &v, (uint32_t)youngest, -1);
  }
  ref->cycle += 3 + 2 * n;
  uint32_t class = !(ref->bench->ctrl.regs.shared.qos_mask >> m & 1) ? 0 : idle[m] > n ? 1 : 2;
  const uint32_t *ctx = ref->bench->ctrl.regs.ctx;
  if (class == 2 && (int64_t)(out - n) * ONE <= (int64_t)ratio * out) {
    if (ctx[m] >> 2 >= ctx[k] >> 2) return false;
    class = 3;
  }
  *victim = (struct ref_victim){m, n, class, class == 2 ? UINT32_MAX - ratio : idle[m]};
  return true;
}

static void ref_expect(struct ref *ref, uint32_t i, uint32_t k, const struct ref_victim *victim,
                       uint32_t raised) {
  const struct qsm_event *event = adjustment(ref->bench, ref->n_adjustments++);
  const uint32_t words[] = {i, k, victim->slot, victim->n, victim->class, raised};
  assert_non_null(event);
  assert_int_equal(event->cycle, ref->cycle);
  assert_memory_equal(event->word, words, sizeof words);
}

// In this cycle; it may have fallen since.
static bool ref_flag_rose(const struct ref *ref, uint32_t i, uint32_t k) {
  const struct qsm_event *event;
  for (uint32_t n = 0; (event = notes_event(ref->bench->notes, QSM_EV_EVICT, n)); n++) {
    if (event->cycle == ref->cycle && event->sm == i) return event->word[0] >> k & 1;
  }
  return false;
}

// A slot's turn; true: SM i is done. `target`: what the targets on the SM are so far.
static bool ref_ask(struct ref *ref, uint32_t i, struct ref_sm *w, const uint32_t *idle, uint32_t k,
                    uint32_t *target) {
  uint32_t tb, base;
  ref->cycle++;  // of fit; the second decides
  if (ref_fits(ref->bench, w, k, &tb, &base)) {
    ref_expect(ref, i, k, &(struct ref_victim){.slot = NOBODY}, ++target[k]);
    ref_dispatch(ref->bench, w, tb, k, base);
    ref->cycle++;
    return false;
  }
  ref->cycle++;
  if (ref->pending) return false;
  struct ref_victim best = {.slot = NOBODY}, victim;
  for (uint32_t m = 0; m < ref->bench->config.num_kernels; m++) {
    if (m == k || resident(ref->bench, i, m) == 0 || !ref_try(ref, i, w, idle, k, m, &victim))
      continue;
    if (best.slot == NOBODY || victim.class < best.class ||
        (victim.class == best.class && victim.key > best.key))
      best = victim;
  }
  if (best.slot != NOBODY) {
    uint32_t kept = resident(ref->bench, i, best.slot) - best.n;
    ref_expect(ref, i, k, &best, ++target[k]);
    if (kept < target[best.slot]) target[best.slot] = kept;
    assert_true(ref_flag_rose(ref, i, best.slot));
  }
  ref->cycle++;
  return best.slot != NOBODY;
}

static void ref_sm_turn(struct ref *ref, uint32_t i, const uint32_t *before) {
  const struct bench *bench = ref->bench;
  uint32_t words[2 + QSM_MAX_KERNELS] = {i}, *idle = &words[2],
                     n_kernels = bench->config.num_kernels;
  ref->cycle++;
  for (uint32_t k = 0; k < n_kernels; k++) {
    if (resident(bench, i, k) == 0) continue;
    idle[k] = bench->notes->idle[i][k] / (100 * shape(ref, k)->warps);
    ref->cycle += idle[k] + 1;
  }
  for (uint32_t k = 0; k < n_kernels; k++) {
    bool reached = before[k] <= resident(bench, i, k) && before[k] < bench->config.max_tbs;
    if (ref_wants(ref, k) && (bench->ctrl.regs.sm_mask[k] >> i & 1) && reached && idle[k] <= 1)
      words[1] |= 1u << k;
  }
  const struct qsm_event *event = notes_event(bench->notes, QSM_EV_ASK, ref->n_asks++);
  assert_non_null(event);
  assert_int_equal(event->cycle, ref->cycle++);
  assert_memory_equal(event->word, words, (2 + n_kernels) * sizeof *words);
  struct ref_sm w = ref->sm[i];
  uint32_t after[QSM_MAX_KERNELS];
  memcpy(after, before, n_kernels * sizeof *after);
  bool done = false;
  for (uint32_t k = 0; k < n_kernels && !done; k++)
    done = (words[1] >> k & 1) && ref_ask(ref, i, &w, idle, k, after);
  for (uint32_t k = 0; k < n_kernels; k++) assert_int_equal(target(bench, i, k), after[k]);
}

static void random_tenants(struct bench *bench, uint64_t *seed) {
  const struct qsm_config *config = &bench->config;
  for (uint32_t k = 0; k < config->num_kernels; k++) {
    bench->ctrl.regs.sm_mask[k] = model_random(seed, 4) ? UINT64_MAX >> (64 - config->num_sms)
                                                        : model_random(seed, 1u << config->num_sms);
    bench->ctrl.regs.ctx[k] = 3 | (uint32_t)model_random(seed, 4) << 2;
    if (k && model_random(seed, 4) == 0) continue;
    uint32_t grid = model_random(seed, 3) ? MANY : 1 + model_random(seed, 3 * config->num_sms);
    uint32_t warps = 1 + model_random(seed, model_random(seed, 3) ? 2 : config->warps_per_sm);
    sched_add_tenant(bench, k,
                     &(struct tenant){k == 0 || model_random(seed, 2), grid, warps,
                                      model_random(seed, 2) ? 0 : model_random(seed, 20)});
    run_to(bench, bench->cycle + 1);
    qsm_tb_sched_launch(bench->ts, k);
  }
  run_to(bench, bench->cycle + 4000);
}

static void random_figures(struct bench *bench, uint64_t *seed) {
  static const uint32_t ratios[] = {0, ONE - 1, ONE, ONE + 1, 0x3fffff, ONE / 2, ONE / 2 + 1};
  for (uint32_t k = 0; k < bench->config.num_kernels; k++) {
    bench->ratio[k] = model_random(seed, 2)
                          ? ratios[model_random(seed, sizeof ratios / sizeof *ratios)]
                          : model_random(seed, 0x20000);
    for (uint32_t i = 0; i < bench->config.num_sms; i++) {
      uint32_t warps = bench->ctrl.regs.shared.desc[k].warps,
               n_tbs = model_random(seed, resident(bench, i, k) + 2);
      bench->notes->idle[i][k] =
          100 * warps * n_tbs + (model_random(seed, 2) ? model_random(seed, 100 * warps) : 0);
    }
  }
}

static bool preempting(const struct bench *bench) {
  bool found = false;
  for (uint32_t i = 0; i < bench->config.num_sms; i++) {
    found |= job_kind(bench, i) != KIND_NONE;
    for (uint32_t k = 0; k < bench->config.num_kernels; k++) found |= flag(bench, i, k);
  }
  return found;
}

// True if it adjusted anything.
static bool compare_pass(struct bench *bench, uint64_t *seed) {
  struct ref ref;
  uint32_t before[8][QSM_MAX_KERNELS];
  random_figures(bench, seed);
  memset(&ref, 0, sizeof ref);
  ref.bench = bench;
  ref_open(bench, ref.sm);
  ref_follow(bench, ref.sm);
  ref.pending = preempting(bench);
  ref.n_asks = count(bench, QSM_EV_ASK);
  ref.n_adjustments = count(bench, QSM_EV_ADJUST);
  uint32_t n_before = ref.n_adjustments;
  bool wanted = false;
  for (uint32_t k = 0; k < bench->config.num_kernels; k++) {
    wanted |= ref_wants(&ref, k);
    for (uint32_t i = 0; i < bench->config.num_sms; i++) before[i][k] = target(bench, i, k);
  }
  ref.cycle = start(bench) + 1;
  assert_int_equal(qsm_tb_sched_adjust_busy(bench->ts), wanted);
  finish(bench);
  for (uint32_t i = 0; wanted && i < bench->config.num_sms; i++) ref_sm_turn(&ref, i, before[i]);
  assert_true(bench->cycle == ref.cycle);
  assert_null(adjustment(bench, ref.n_adjustments));
  assert_int_equal(count(bench, QSM_EV_ASK), ref.n_asks);
  return ref.n_adjustments > n_before;
}

static void passes_over_random_tables_equal_the_reference(void **state) {
  (void)state;
  struct qsm_config configs[] = {model_tiny(), eight_warps(), model_odd(), model_demo(),
                                 model_wide()};
  uint64_t seed = model_seed("test_tb_adjust");
  uint32_t n_adjusting = 0, n_classes[4] = {0};
  for (uint32_t n = 0; n < 500; n++) {
    struct bench bench;
    bench_open(&bench, configs[n % (sizeof configs / sizeof *configs)]);
    bench.ctrl.regs.latecomers = 0;
    bench.ctrl.regs.adjust_technique = model_random(&seed, 2)
                                           ? QSM_TECHNIQUE_FLUSH
                                           : QSM_TECHNIQUE_DRAIN;  // refused, or under way for ever
    random_tenants(&bench, &seed);
    for (uint32_t epoch = 0; epoch < 4; epoch++) {
      n_adjusting += compare_pass(&bench, &seed);
      run_to(&bench, bench.cycle + 300);
    }
    const struct qsm_event *event;
    for (uint32_t e = 0; (event = adjustment(&bench, e)); e++) {
      if (event->word[2] != NOBODY) n_classes[event->word[4]]++;
    }
    sched_close(&bench);
  }
  printf(
      "# %u passes adjusted something; victims without a goal %u, idle %u, with margin %u, of lower priority %u\n",
      n_adjusting, n_classes[0], n_classes[1], n_classes[2], n_classes[3]);
  assert_true(n_adjusting > 100 && n_classes[0] > 30 && n_classes[1] > 30 && n_classes[2] > 30 &&
              n_classes[3] > 30);
}

// ---- Negative control ----

static void a_flipped_flag_falls_at_once_and_shows(void **state) {
  (void)state;
  struct bench bench;
  char what[100];
  open_pair(&bench);
  assert_int_equal(qsm_tb_sched_inject_adjust(bench.ts, 1, what, sizeof what), 0);
  assert_int_equal(flag(&bench, 0, 1), 1);
  uint64_t t = bench.cycle;
  run_to(&bench, t + 20);
  assert_int_equal(notes_event(bench.notes, QSM_EV_EVICT, 0)->cycle, t);
  sched_close(&bench);
}

static void flipped_idle_blocks_show_when_the_sm_is_asked(void **state) {
  (void)state;
  struct bench bench;
  char what[100];
  open_pair(&bench);
  uint64_t t = start(&bench);
  assert_int_equal(qsm_tb_sched_inject_adjust(bench.ts, 0, what, sizeof what),
                   -1);  // the set-up would clear it
  run_to(&bench, t + 3);
  assert_int_equal(qsm_tb_sched_inject_adjust(bench.ts, 8, what, sizeof what), 0);
  finish(&bench);
  assert_int_equal(notes_event(bench.notes, QSM_EV_ASK, 0)->word[2], 2);
  sched_close(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_kernel_under_its_goal_gets_a_block_and_one_without_goal_loses_one),
      cmocka_unit_test(a_pass_divides_idle_sums_and_holds_dispatch_back),
      cmocka_unit_test(two_idle_blocks_or_a_goal_that_is_met_ask_for_nothing),
      cmocka_unit_test(a_kernel_without_a_goal_asks_for_nothing),
      cmocka_unit_test(a_kernel_without_a_block_to_give_asks_for_nothing),
      cmocka_unit_test(a_saved_block_is_one_to_give_unless_it_is_held),
      cmocka_unit_test(a_masked_kernel_and_one_with_all_places_do_not_ask),
      cmocka_unit_test(a_capped_kernel_does_not_ask),
      cmocka_unit_test(a_kernel_that_waits_for_its_last_block_asks_for_no_other),
      cmocka_unit_test(a_surplus_goes_where_another_kernel_lacks_blocks),
      cmocka_unit_test(a_surplus_stays_without_latecomers_and_during_a_preemption),
      cmocka_unit_test(a_block_that_fits_needs_nobodys_surplus),
      cmocka_unit_test(a_block_that_fits_needs_no_victim),
      cmocka_unit_test(those_without_goal_come_first_then_the_idle_then_those_with_margin),
      cmocka_unit_test(an_idle_victim_has_one_idle_block_more_than_it_gives),
      cmocka_unit_test(who_is_behind_takes_the_blocks_of_a_lower_priority),
      cmocka_unit_test(a_victim_with_margin_stays_above_its_goal_without_the_blocks),
      cmocka_unit_test(a_last_block_has_no_margin_even_without_a_history),
      cmocka_unit_test(
          among_equals_the_most_idle_or_the_largest_margin_and_then_the_lower_slot_yields),
      cmocka_unit_test(as_few_blocks_go_as_make_room_and_all_of_one_victim),
      cmocka_unit_test(nobody_yields_to_itself),
      cmocka_unit_test(the_youngest_blocks_go_one_after_the_other_until_the_target_is_reached),
      cmocka_unit_test(a_preemption_under_way_forbids_victims_but_not_additions),
      cmocka_unit_test(a_request_that_is_not_decided_yet_is_a_preemption_under_way),
      cmocka_unit_test(what_a_pass_begins_does_not_stop_it_but_the_next_one),
      cmocka_unit_test(one_kernel_gets_a_victims_block_on_an_sm_and_the_next_one_an_epoch_later),
      cmocka_unit_test(the_second_kernel_tries_where_the_first_finds_no_victim),
      cmocka_unit_test(a_pass_ends_at_the_next_snapshot_and_at_an_allocation),
      cmocka_unit_test(no_pass_begins_during_an_allocation),
      cmocka_unit_test(a_refused_preemption_leaves_the_targets_and_the_blocks_drain),
      cmocka_unit_test(new_targets_forget_adjustment_and_flags),
      cmocka_unit_test(a_starved_kernel_gets_its_blocks_back_when_nobody_is_behind),
      cmocka_unit_test(a_starved_kernel_stays_so_over_a_move_elsewhere),
      cmocka_unit_test(a_kernel_with_a_target_is_not_starved),
      cmocka_unit_test(blocks_that_end_during_the_trials_cost_their_kernel_no_more_than_all),
      cmocka_unit_test(a_victim_whose_target_is_lower_already_keeps_it),
      cmocka_unit_test(a_kernel_killed_during_the_pass_gets_nothing),
      cmocka_unit_test(passes_over_random_tables_equal_the_reference),
      cmocka_unit_test(a_flipped_flag_falls_at_once_and_shows),
      cmocka_unit_test(flipped_idle_blocks_show_when_the_sm_is_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
