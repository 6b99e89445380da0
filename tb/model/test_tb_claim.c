// SPDX-License-Identifier: Apache-2.0
// Room for latecomers, R-TA-10 to R-TA-12, in the TB scheduler with SMs that only record messages:
// late kernels, the claim step by step, and whole claims over random tables against a reference
// that computes the result at once instead of in steps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched_bench.h"
#include "sched_ref.h"

enum { MANY = 0xffff, SETTLE = 2000, WAIT = 1, LATE = 2 };

static const struct tenant goal = {true, MANY, 1, 0}, other = {false, MANY, 1, 0};

// The next slot from `k` on arrives and launches; afterwards the targets are reached, where there
// is room.
static void come(struct bench *bench, uint32_t k, const struct tenant *tenant) {
  sched_add_tenant(bench, k, tenant);
  run_to(bench, bench->cycle + 1);
  qsm_tb_sched_launch(bench->ts, k);
  run_to(bench, bench->cycle + SETTLE);
}

// Slot 0 has all places of the machine when slot 1 comes.
static void open_late(struct bench *bench, struct qsm_config config, const struct tenant *first,
                      const struct tenant *second) {
  sched_open(bench, config);
  bench->ctrl.regs.adjust_technique = QSM_TECHNIQUE_DRAIN;
  come(bench, 0, first);
  come(bench, 1, second);
}

// E + QosLat is the cycle that is returned.
static uint64_t turn(struct bench *bench) {
  uint64_t t = bench->cycle;
  qsm_tb_sched_adjust(bench->ts, bench->cycle, bench->ratio);
  run_to(bench, t + 1);
  return t;
}

// The second one, after which a slot that has waited is late.
static uint64_t second_turn(struct bench *bench) {
  turn(bench);
  run_to(bench, bench->cycle + 50);
  return turn(bench);
}

static void finish(struct bench *bench) {
  run_to(bench, bench->cycle + 1);
  while (qsm_tb_sched_adjust_busy(bench->ts)) run_to(bench, bench->cycle + 1);
}

static uint32_t late(const struct bench *bench, uint32_t k) {
  uint32_t value = 99;
  assert_true(qsm_tb_sched_state(bench->ts, k, 5, &value));
  return value & (WAIT | LATE);
}

static uint32_t target(const struct bench *bench, uint32_t sm, uint32_t k) {
  return qsm_tb_sched_target(bench->ts, sm, k);
}
static uint32_t resident(const struct bench *bench, uint32_t sm, uint32_t k) {
  return qsm_tb_sched_resident(bench->ts, sm, k);
}
static const struct qsm_event *claim(const struct bench *bench, uint32_t n) {
  return notes_event(bench->notes, QSM_EV_CLAIM, n);
}

static uint32_t flags(const struct bench *bench, uint32_t sm) {
  uint32_t all = 0, value = 9;
  for (uint32_t k = 0; k < bench->config.num_kernels; k++) {
    assert_true(qsm_tb_sched_target_state(bench->ts, sm, k, 1, &value));
    all |= value << k;
  }
  return all;
}

static void assert_claim(const struct bench *bench, uint32_t n, uint32_t sm, uint32_t k, bool fits,
                         const uint32_t *left) {
  const struct qsm_event *event = claim(bench, n);
  assert_non_null(event);
  assert_int_equal(event->word[0], sm);
  assert_int_equal(event->word[1], k);
  assert_int_equal(event->word[2], fits);
  assert_memory_equal(&event->word[3], left, bench->config.num_kernels * sizeof *left);
}

static void kill(struct bench *bench, uint32_t k) {
  qsm_tb_sched_step(bench->ts, bench->cycle, 1u << k);
  bench->cycle++;
}

static void retire(struct bench *bench, uint64_t cycle, uint32_t k, uint32_t sm, uint32_t n) {
  qsm_tb_sched_retire(bench->ts, cycle, sm, sched_place_of(bench, k, sm, n), false);
}

// ---- Who is late: R-TA-10 ----

static void a_slot_waits_at_its_first_load_and_is_late_at_its_second(void **state) {
  (void)state;
  struct bench bench;
  open_late(&bench, model_tiny(), &other, &other);
  bench.ctrl.regs.latecomers = 0;
  assert_int_equal(late(&bench, 1), 0);
  turn(&bench);
  assert_int_equal(late(&bench, 0), 0);
  assert_int_equal(late(&bench, 1), WAIT);
  run_to(&bench, bench.cycle + 100);
  assert_int_equal(late(&bench, 1), WAIT);
  turn(&bench);
  assert_int_equal(late(&bench, 0), 0);
  assert_int_equal(late(&bench, 1), WAIT | LATE);
  turn(&bench);
  assert_int_equal(late(&bench, 1), WAIT | LATE);
  sched_close(&bench);
}

// The cycle that is returned is the first that may have a candidate again (R-TB-9).
static uint64_t new_targets(struct bench *bench) {
  qsm_tb_sched_request_targets(bench->ts);
  run_to(bench, bench->cycle + 1);
  assert_true(qsm_tb_sched_alloc_busy(bench->ts));
  while (qsm_tb_sched_alloc_busy(bench->ts)) run_to(bench, bench->cycle + 1);
  return bench->cycle;
}

// R-TA-10, R-TB-17: the message goes two cycles after the candidate. Slot 1 has a target but no
// place, so it is a candidate in every other cycle and dropped in those between (R-TB-9, R-TB-10).
// The place of a block that retires when slot 1 is a candidate is found by this one; of a block
// that retires in the cycle that drops it, by the next.
static void a_slot_with_a_block_is_late_no_more_one_cycle_after_it_shows(void **state) {
  (void)state;
  for (uint32_t n_turns = 1; n_turns <= 2; n_turns++) {
    for (uint32_t odd = 0; odd < 2; odd++) {
      struct bench bench;
      open_late(&bench, model_tiny(), &other, &other);
      bench.ctrl.regs.latecomers = 0;
      for (uint32_t n = 0; n < n_turns; n++) turn(&bench);
      uint64_t t = new_targets(&bench) + 10 + odd, sent = t + 2 + odd;
      assert_int_equal(late(&bench, 1), n_turns == 1 ? WAIT : WAIT | LATE);
      retire(&bench, t, 0, 0, 0);
      run_to(&bench, sent + 1);
      const struct qsm_event *event;
      uint32_t n = 0;
      while ((event = notes_event(bench.notes, QSM_EV_DISPATCH, n)) && event->word[2] != 1) n++;
      assert_non_null(event);
      assert_int_equal(event->cycle, sent);  // so out is 1 from the next cycle on
      assert_int_equal(late(&bench, 1), n_turns == 1 ? WAIT : WAIT | LATE);
      run_to(&bench, sent + 2);
      assert_int_equal(late(&bench, 1), 0);
      sched_close(&bench);
    }
  }
}

// R-TA-10.
static void who_is_killed_has_nothing_to_give_or_no_sm_does_not_wait(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 3; n++) {
    struct bench bench;
    open_late(&bench, model_tiny(), &other, &other);
    bench.ctrl.regs.latecomers = 0;
    second_turn(&bench);
    uint64_t t = bench.cycle;
    if (n == 0) kill(&bench, 1);
    if (n == 1) bench.ctrl.regs.sm_mask[1] = 0;
    run_to(&bench, t + 1);
    assert_int_equal(late(&bench, 1), n == 1 ? 0 : WAIT | LATE);
    run_to(&bench, t + 2);
    assert_int_equal(late(&bench, 1), n == 2 ? WAIT | LATE : 0);
    turn(&bench);
    assert_int_equal(late(&bench, 1), n == 2 ? WAIT | LATE : 0);
    sched_close(&bench);
  }
}

// R-TA-10: what it has to give is a saved block, as long as it is not held.
static void a_slot_whose_saved_block_is_held_does_not_wait(void **state) {
  (void)state;
  struct bench bench;
  sched_open(&bench, model_odd());
  bench.ctrl.regs.latecomers = 0;
  bench.ctrl.regs.preempt_hold[0] = 1;
  bench.ctrl.regs.sm_mask[0] = 1;
  come(&bench, 0, &(struct tenant){false, 1, 1, 0});
  qsm_tb_sched_preempt(bench.ts, &(struct qsm_preempt_request){.kernel = 0});
  run_to(&bench, bench.cycle + 20);
  qsm_tb_sched_retire(bench.ts, bench.cycle, 0, sched_place_of(&bench, 0, 0, 0), true);
  run_to(&bench, bench.cycle + 20);
  bench.ctrl.regs.sm_mask[0] = 2;  // without a word to the allocator: it has no target there
  second_turn(&bench);
  assert_int_equal(late(&bench, 0), 0);
  bench.ctrl.regs.preempt_hold[0] = 0;
  second_turn(&bench);
  assert_int_equal(late(&bench, 0), WAIT | LATE);
  bench.ctrl.regs.preempt_hold[0] = 1;
  run_to(&bench, bench.cycle + 1);
  assert_int_equal(late(&bench, 0), 0);
  sched_close(&bench);
}

// ---- The claim: R-TA-11 ----

// Begins in t + 1: pick, set-up, two times free (a cycle that looks and one that decides), four
// times lower. CLAIM_STEP is the decision of the second free.
enum { FIRST_STEP = 2, FREE_STEP = 4, CLAIM_STEP = 7, LOWER_STEP = 8, LAST_STEP = 11 };

static void a_claim_takes_the_blocks_that_stand_in_the_way(void **state) {
  (void)state;
  struct bench bench;
  open_late(&bench, model_tiny(), &other, &other);
  assert_int_equal(resident(&bench, 0, 0), 4);
  uint64_t t = second_turn(&bench);
  run_to(&bench, t + FIRST_STEP);
  assert_true(qsm_tb_sched_adjust_busy(bench.ts));
  run_to(&bench, t + LAST_STEP);
  assert_true(qsm_tb_sched_adjust_busy(bench.ts));
  run_to(&bench, t + LAST_STEP + 1);
  assert_false(qsm_tb_sched_adjust_busy(bench.ts));
  assert_claim(&bench, 0, 0, 1, true, (const uint32_t[]){3, 0, 0, 0});
  assert_int_equal(claim(&bench, 0)->cycle, t + CLAIM_STEP);
  assert_int_equal(notes_event(bench.notes, QSM_EV_EVICT, 0)->cycle, t + LOWER_STEP);
  assert_int_equal(notes_event(bench.notes, QSM_EV_EVICT, 0)->word[0], 1);
  assert_int_equal(target(&bench, 0, 0), 2);  // two of its blocks drained already
  assert_int_equal(target(&bench, 0, 1), 2);
  run_to(&bench, t + 100);
  assert_null(claim(&bench, 1));  // one per epoch
  sched_close(&bench);
}

// R-TA-11: what the evicted blocks leave is the latecomer's.
static void the_latecomer_gets_the_place_of_a_block_that_is_switched_out(void **state) {
  (void)state;
  struct bench bench;
  open_late(&bench, model_tiny(), &(struct tenant){false, MANY, 4, 0},
            &(struct tenant){false, MANY, 3, 0});
  bench.ctrl.regs.adjust_technique = QSM_TECHNIQUE_SWITCH;
  second_turn(&bench);
  finish(&bench);
  assert_int_equal(target(&bench, 0, 0), 0);
  assert_int_equal(target(&bench, 0, 1), 1);
  run_to(&bench, bench.cycle + 20);
  assert_int_equal(notes_event(bench.notes, QSM_EV_PREEMPT, 0)->word[5], QSM_PREEMPT_ACCEPTED);
  qsm_tb_sched_retire(bench.ts, bench.cycle, 0, sched_place_of(&bench, 0, 0, 0), true);
  run_to(&bench, bench.cycle + 20);
  assert_int_equal(resident(&bench, 0, 0), 0);
  assert_int_equal(resident(&bench, 0, 1), 1);
  assert_int_equal(late(&bench, 1), 0);
  turn(&bench);  // starved (R-TA-9): the symmetric targets come back
  assert_true(qsm_tb_sched_alloc_busy(bench.ts));
  sched_close(&bench);
}

// R-TA-11.
static void a_slot_that_keeps_a_target_or_gave_nothing_is_not_starved(void **state) {
  (void)state;
  struct bench bench;
  open_late(&bench, model_tiny(), &(struct tenant){false, 4, 1, 0}, &other);
  second_turn(&bench);
  finish(&bench);
  assert_int_equal(target(&bench, 0, 0), 2);
  for (uint32_t n = 0; n < 4; n++) retire(&bench, bench.cycle + 10 + n, 0, 0, n);
  run_to(&bench, bench.cycle + 100);
  assert_int_equal(resident(&bench, 0, 1), 2);
  turn(&bench);
  assert_false(qsm_tb_sched_alloc_busy(bench.ts));
  sched_close(&bench);
}

// One SM with eight places for warps, one sub-core.
static struct qsm_config eight_warps(void) {
  struct qsm_config config = model_tiny();
  config.warps_per_sm = config.max_tbs = 8;
  return config;
}

// R-TA-11 c, by what is left of each slot at the end.
static void those_without_goal_give_first_then_who_has_most_then_the_highest_slot(void **state) {
  (void)state;
  static const struct {
    bool qos[3];
    uint32_t grid[3], warps, left[4];
  } cases[] = {
      {{false, false, false}, {4, 2, 2}, 1, {3, 2, 2, 0}},  // most
      {{false, false, false},
       {2, 2, 2},
       3,
       {2, 2, 1, 0}},  // two warps are free: the highest gives one
      {{false, false, false}, {3, 3, 2}, 2, {2, 2, 2, 0}},  // slot 1, then slot 0
      {{true, false, true}, {4, 2, 2}, 1, {4, 1, 2, 0}},    // without a goal
      {{true, false, true}, {4, 2, 2}, 3, {3, 0, 2, 0}},    // and only then those with one
      {{true, true, true}, {2, 4, 2}, 1, {2, 3, 2, 0}},
      {{false, true, true}, {2, 4, 2}, 8, {0, 0, 0, 0}},  // the whole SM
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    struct bench bench;
    sched_open(&bench, eight_warps());
    bench.ctrl.regs.adjust_technique = QSM_TECHNIQUE_FLUSH;  // refused
    for (uint32_t k = 0; k < 3; k++)
      come(&bench, k, &(struct tenant){false, cases[n].grid[k], 1, 0});
    for (uint32_t k = 0; k < 3; k++) {
      assert_int_equal(resident(&bench, 0, k), cases[n].grid[k]);
      bench.ctrl.regs.shared.qos_mask |= (uint32_t)cases[n].qos[k] << k;
      bench.ratio[k] = 0;
    }
    come(&bench, 3, &(struct tenant){false, MANY, cases[n].warps, 0});
    if (resident(&bench, 0, 3)) fail_msg("case %zu: there was room", n);
    second_turn(&bench);
    finish(&bench);
    assert_claim(&bench, 0, 0, 3, true, cases[n].left);
    for (uint32_t k = 0; k < 3; k++) assert_true(target(&bench, 0, k) <= cases[n].left[k]);
    assert_true(target(&bench, 0, 3) >= 1);
    sched_close(&bench);
  }
}

// R-TA-11: warps, slots and granules alike.
static void whatever_is_short_is_made_free(void **state) {
  (void)state;
  static const struct {
    uint32_t max_tbs;
    struct tenant first, second;
    uint32_t left;
  } cases[] = {
      {8, {false, MANY, 2, 0}, {false, MANY, 5, 0}, 1},  // three of four blocks of two warps
      {2, {false, MANY, 1, 0}, {false, MANY, 1, 0}, 1},  // a TB slot
      {8,
       {false, MANY, 1, 8},
       {false, MANY, 1, 9},
       2},  // the two youngest of four lie side by side
      {8, {false, MANY, 1, 32}, {false, MANY, 1, 1}, 0},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    struct bench bench;
    struct qsm_config config = eight_warps();
    config.max_tbs = cases[n].max_tbs;
    open_late(&bench, config, &cases[n].first, &cases[n].second);
    second_turn(&bench);
    finish(&bench);
    assert_claim(&bench, 0, 0, 1, true, (const uint32_t[]){cases[n].left, 0, 0, 0});
    sched_close(&bench);
  }
}

// R-TA-11: these blocks need no room any more, but the shadow copy still has them. One that retires
// in the set-up or while free looks is gone when free decides.
static void a_claim_ends_without_effect_when_its_givers_have_retired(void **state) {
  (void)state;
  for (uint64_t step = FREE_STEP - 1; step <= FREE_STEP; step++) {
    struct bench bench;
    open_late(&bench, model_tiny(), &(struct tenant){false, 1, 4, 0}, &other);
    uint64_t t = second_turn(&bench);
    retire(&bench, t + step, 0, 0, 0);
    finish(&bench);
    assert_claim(&bench, 0, 0, 1, false, (const uint32_t[]){0, 0, 0, 0});
    assert_int_equal(claim(&bench, 0)->cycle, t + CLAIM_STEP);
    assert_int_equal(bench.cycle, t + CLAIM_STEP + 1);
    assert_int_equal(flags(&bench, 0), 0);
    turn(&bench);
    finish(&bench);
    assert_claim(&bench, 1, 0, 1, true, (const uint32_t[]){0, 0, 0, 0});
    run_to(&bench, bench.cycle + 2);
    assert_int_equal(resident(&bench, 0, 1), 0);
    run_to(&bench, bench.cycle + 1);  // candidate, place, message (R-TB-9, R-TB-10, R-TB-17)
    assert_int_equal(resident(&bench, 0, 1), 1);
    sched_close(&bench);
  }
}

// R-TA-11: the cycle of a kill shows two cycles later (late falls in between), a request of targets
// one later, E at once.
static void a_kill_an_allocation_and_a_snapshot_end_a_claim_in_each_of_its_steps(void **state) {
  (void)state;
  for (uint32_t way = 0; way < 3; way++) {
    for (uint64_t step = FIRST_STEP; step <= LAST_STEP; step++) {
      struct bench bench;
      open_late(&bench, model_tiny(), &(struct tenant){false, MANY, 2, 0}, &other);
      uint64_t t = second_turn(&bench), last;
      run_to(&bench, t + step);
      if (way == 0) {
        last = t + step + 1;
        kill(&bench, 1);
      } else if (way == 1) {
        last = t + step;
        run_to(&bench, t + step + 1);
        qsm_tb_sched_request_targets(bench.ts);
      } else {
        last = t + step - 1;
        qsm_tb_sched_take_had_tb(bench.ts, bench.cycle);
      }
      run_to(&bench, last + 1);
      assert_int_equal(qsm_tb_sched_adjust_busy(bench.ts), last < t + LAST_STEP);
      assert_int_equal(target(&bench, 0, 0), 1);
      assert_int_equal(claim(&bench, 0) != NULL, last >= t + CLAIM_STEP);
      assert_int_equal(flags(&bench, 0), last >= t + LOWER_STEP);
      run_to(&bench, last + 2);
      assert_false(qsm_tb_sched_adjust_busy(bench.ts));
      run_to(&bench, last + 100);
      assert_int_equal(claim(&bench, 0) != NULL, last >= t + CLAIM_STEP);
      assert_int_equal(notes_event(bench.notes, QSM_EV_EVICT, 0) != NULL, last >= t + LOWER_STEP);
      assert_null(claim(&bench, 1));
      sched_close(&bench);
    }
  }
}

// R-TA-11.
static void a_claim_picks_only_sms_of_the_mask_and_goes_round(void **state) {
  (void)state;
  struct bench bench;
  open_late(&bench, model_odd(), &other, &other);
  bench.ctrl.regs.adjust_technique = QSM_TECHNIQUE_FLUSH;  // refused, and the blocks never end
  bench.ctrl.regs.sm_mask[1] = 6;
  uint64_t t = second_turn(&bench);
  static const uint32_t sm[] = {1, 2, 1}, picks[] = {2, 1, 2};
  for (uint32_t n = 0; n < 3; n++) {
    run_to(&bench, t + 100);
    assert_int_equal(claim(&bench, n)->word[0], sm[n]);
    assert_int_equal(claim(&bench, n)->cycle, t + CLAIM_STEP - 1 + picks[n]);
    t = turn(&bench);
  }
  sched_close(&bench);
}

// Slot 0 has one block, which comes back after a host's switch; slot 1 is late and needs the whole
// SM.
static void open_restored(struct bench *bench) {
  open_late(bench, model_tiny(), &other, &(struct tenant){false, MANY, 4, 0});
  bench->ctrl.regs.latecomers = 0;
  for (uint32_t n = 1; n < 4; n++) retire(bench, bench->cycle + n, 0, 0, n);
  run_to(bench, bench->cycle + 20);
  second_turn(bench);
  qsm_tb_sched_preempt(bench->ts, &(struct qsm_preempt_request){.kernel = 0});
  run_to(bench, bench->cycle + 20);
  qsm_tb_sched_retire(bench->ts, bench->cycle, 0, sched_place_of(bench, 0, 0, 0), true);
  run_to(bench, bench->cycle + 20);
  assert_int_equal(resident(bench, 0, 0), 1);
  bench->ctrl.regs.latecomers = 1;
}

// R-TA-10, R-TA-11: young until the first load after the restore, fresh until the second.
static void a_block_that_came_back_has_an_epoch_before_a_claim_takes_it(void **state) {
  (void)state;
  struct bench bench;
  open_restored(&bench);
  uint64_t t = bench.cycle;
  run_to(&bench, t + 2);
  assert_false(qsm_tb_sched_adjust_busy(bench.ts));  // begun in t, and one pick
  for (uint32_t n = 0; n < 2; n++) {
    turn(&bench);
    run_to(&bench, bench.cycle + 50);
    assert_null(claim(&bench, 0));  // still restoring
  }
  qsm_tb_sched_restored(bench.ts, bench.cycle, 0);
  run_to(&bench, bench.cycle + 50);
  for (uint32_t n = 0; n < 2; n++) {
    turn(&bench);
    run_to(&bench, bench.cycle + 50);
    assert_int_equal(claim(&bench, 0) != NULL, n == 1);
  }
  sched_close(&bench);
}

// R-TA-11: as many picks as there are SMs.
static void a_claim_without_a_settled_sm_ends(void **state) {
  (void)state;
  struct bench bench;
  open_late(&bench, model_odd(), &other, &other);
  turn(&bench);
  uint64_t t = turn(&bench);
  bench.ctrl.regs.sm_mask[1] = 8;  // a mask that names no SM of the machine
  run_to(&bench, t + 1 + 3);
  assert_true(qsm_tb_sched_adjust_busy(bench.ts));
  run_to(&bench, t + 1 + 4);
  assert_false(qsm_tb_sched_adjust_busy(bench.ts));
  run_to(&bench, t + 100);
  assert_null(claim(&bench, 0));
  sched_close(&bench);
}

// R-TA-11: one claim per epoch.
static void two_late_slots_have_their_claims_in_turn(void **state) {
  (void)state;
  struct bench bench;
  open_late(&bench, model_tiny(), &goal, &other);
  come(&bench, 2, &goal);
  bench.ratio[0] = bench.ratio[2] = 0;
  bench.ctrl.regs.adjust_technique = QSM_TECHNIQUE_FLUSH;
  second_turn(&bench);
  for (uint32_t n = 0; n < 5; n++) {
    run_to(&bench, bench.cycle + 100);
    assert_int_equal(claim(&bench, n)->word[1], 1 + n % 2);
    assert_null(claim(&bench, n + 1));
    turn(&bench);
  }
  sched_close(&bench);
}

// R-TA-11: the claim that waited begins as soon as nothing holds it back.
static void no_claim_begins_during_an_allocation_or_with_a_flag(void **state) {
  (void)state;
  struct bench bench;
  open_late(&bench, model_tiny(), &other, &other);
  turn(&bench);
  qsm_tb_sched_request_targets(bench.ts);
  uint64_t t = turn(&bench);
  while (qsm_tb_sched_alloc_busy(bench.ts)) run_to(&bench, bench.cycle + 1);
  uint64_t idle = bench.cycle;
  assert_true(idle > t + 2);
  finish(&bench);
  assert_int_equal(claim(&bench, 0)->cycle, idle + CLAIM_STEP - 1);
  assert_int_equal(flags(&bench, 0), 1);  // its blocks drain
  turn(&bench);
  run_to(&bench, bench.cycle + 100);
  assert_null(claim(&bench, 1));
  sched_close(&bench);
}

// R-TA-11.
static void with_latecomers_off_nobody_gives_way_but_a_claim_ends_as_it_began(void **state) {
  (void)state;
  struct bench bench;
  open_late(&bench, model_tiny(), &other, &other);
  bench.ctrl.regs.latecomers = 0;
  second_turn(&bench);
  run_to(&bench, bench.cycle + 100);
  assert_null(claim(&bench, 0));
  bench.ctrl.regs.latecomers = 1;  // in the middle of an epoch
  uint64_t t = bench.cycle - 1;
  run_to(&bench, t + FIRST_STEP);
  bench.ctrl.regs.latecomers = 0;
  finish(&bench);
  assert_int_equal(claim(&bench, 0)->cycle, t + CLAIM_STEP);
  assert_int_equal(bench.cycle, t + LAST_STEP + 1);
  sched_close(&bench);
}

// R-TA-3: slot 0 has two of four places and a target of one, slot 1 needs three.
static void a_pass_leaves_to_a_latecomer_what_is_free(void **state) {
  (void)state;
  for (uint32_t on = 0; on < 2; on++) {
    struct bench bench;
    open_late(&bench, model_tiny(), &goal, &(struct tenant){false, MANY, 3, 0});
    bench.ctrl.regs.adjust = 1;
    bench.ctrl.regs.latecomers = on;
    bench.ratio[0] = 0;
    turn(&bench);
    for (uint32_t n = 0; n < 2; n++) retire(&bench, bench.cycle + n, 0, 0, n);
    run_to(&bench, bench.cycle + 20);
    assert_int_equal(resident(&bench, 0, 0), 2);
    assert_int_equal(target(&bench, 0, 0), 1);
    bench.ratio[0] = SCHED_BEHIND;
    uint64_t t = turn(&bench);
    run_to(&bench, t + 100);
    const struct qsm_event *ask = notes_event(bench.notes, QSM_EV_ASK, 0);
    assert_int_equal(ask->word[1], 1);
    assert_int_equal(notes_event(bench.notes, QSM_EV_ADJUST, 0) != NULL, !on);
    assert_int_equal(claim(&bench, 0) != NULL, on);
    if (on) assert_true(claim(&bench, 0)->cycle > ask->cycle);
    sched_close(&bench);
  }
}

// R-TA-1, R-TA-11: a claim that begins after E runs in E + QosLat, which ends it; the epoch that
// follows has a claim of its own.
static void the_load_ends_a_claim_and_may_begin_a_pass(void **state) {
  (void)state;
  for (uint32_t behind = 0; behind < 2; behind++) {
    struct bench bench;
    open_late(&bench, model_tiny(), &goal, &other);
    bench.ctrl.regs.latecomers = 0;
    bench.ctrl.regs.adjust = 1;
    bench.ratio[0] = 0;
    second_turn(&bench);
    run_to(&bench, bench.cycle + 20);
    if (behind) bench.ratio[0] = SCHED_BEHIND;
    bench.ctrl.regs.latecomers = 1;
    run_to(&bench, bench.cycle + FIRST_STEP);
    assert_true(qsm_tb_sched_adjust_busy(bench.ts));
    uint64_t t = turn(&bench);
    assert_int_equal(qsm_tb_sched_adjust_busy(bench.ts), behind);
    run_to(&bench, t + 100);
    const struct qsm_event *ask = notes_event(bench.notes, QSM_EV_ASK, 0);
    assert_int_equal(ask != NULL, behind);
    assert_non_null(claim(&bench, 0));
    if (behind)
      assert_true(ask->cycle < claim(&bench, 0)->cycle);
    else
      assert_int_equal(claim(&bench, 0)->cycle, t + CLAIM_STEP);
    assert_null(claim(&bench, 1));
    sched_close(&bench);
  }
}

// R-TA-11: a snapshot in the cycle in which a claim could begin puts it off by one, the load by as
// many as it takes.
static void no_claim_begins_in_a_snapshot_or_a_load(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 2; n++) {
    struct bench bench;
    open_late(&bench, model_tiny(), &other, &other);
    bench.ctrl.regs.latecomers = 0;
    second_turn(&bench);
    run_to(&bench, bench.cycle + 20);
    bench.ctrl.regs.latecomers = 1;
    uint64_t t = bench.cycle;
    if (n)
      turn(&bench);
    else
      qsm_tb_sched_take_had_tb(bench.ts, t);
    run_to(&bench, t + 1);
    finish(&bench);
    assert_int_equal(claim(&bench, 0)->cycle, t + CLAIM_STEP);
    sched_close(&bench);
  }
}

// ---- Whole claims ----

struct ref {
  struct ref_sm sm[8];
  uint32_t next_slot, next_sm, n_claims;
};

static uint32_t out(const struct bench *bench, uint32_t k) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < bench->config.num_sms; i++) n += resident(bench, i, k);
  return n;
}

// The slot whose turn it is; `busy`: launched slots.
static int ref_pick_slot(const struct bench *bench, const struct ref *ref, uint32_t busy) {
  for (uint32_t n = 0; n < bench->config.num_kernels; n++) {
    uint32_t k = (ref->next_slot + n) % bench->config.num_kernels;
    if ((busy >> k & 1) && out(bench, k) == 0 && bench->ctrl.regs.sm_mask[k]) return (int)k;
  }
  return -1;
}

// Who gives next, by sorting: a key of goal, blocks left and slot.
static int ref_giver(const struct bench *bench, uint32_t slot, const uint32_t *left) {
  uint32_t best = 0;
  int giver = -1;
  for (uint32_t m = 0; m < bench->config.num_kernels; m++) {
    uint32_t key = (uint32_t)!(bench->ctrl.regs.shared.qos_mask >> m & 1) << 16 | left[m] << 8 | m;
    if (m == slot || !left[m] || key < best) continue;
    best = key;
    giver = (int)m;
  }
  return giver;
}

// The claim that begins in the cycle after the load in `t`. Returns its last cycle, t if there is
// none.
static uint64_t ref_claim(const struct bench *bench, struct ref *ref, uint32_t busy, uint64_t t,
                          uint32_t target_after[8][QSM_MAX_KERNELS], uint32_t *flagged) {
  int slot = ref_pick_slot(bench, ref, busy);
  if (slot < 0) return t;
  uint32_t k = (uint32_t)slot, sm, tb, base, left[QSM_MAX_KERNELS] = {0},
           words[3 + QSM_MAX_KERNELS];
  ref->next_slot = (k + 1) % bench->config.num_kernels;
  for (t++, sm = 8; sm == 8 || !(bench->ctrl.regs.sm_mask[k] >> sm & 1); t++) {
    sm = ref->next_sm;
    ref->next_sm = (sm + 1) % bench->config.num_sms;
  }
  struct ref_sm v = ref->sm[sm];
  for (uint32_t m = 0; m < bench->config.num_kernels; m++) left[m] = resident(bench, sm, m);
  for (t += 3; !ref_fits(bench, &v, k, &tb, &base); t += 2) {  // set-up, look, decision
    int giver = ref_giver(bench, k, left);
    assert_true(giver >= 0);  // an empty SM takes every block
    uint32_t m = (uint32_t)giver;
    ref_put(bench, &v, (uint32_t)ref_youngest(bench, &v, m), -1);
    left[m]--;
  }
  words[0] = sm;
  words[1] = k;
  words[2] = 1;
  memcpy(&words[3], left, sizeof left);
  const struct qsm_event *event = claim(bench, ref->n_claims++);
  assert_non_null(event);
  assert_int_equal(event->cycle, t);
  assert_memory_equal(event->word, words, (3 + bench->config.num_kernels) * sizeof *words);
  for (uint32_t m = 0; m < bench->config.num_kernels; m++) {
    uint32_t *after = &target_after[sm][m];
    if (m == k)
      *after = *after ? *after : 1;
    else if (left[m] < *after)
      *after = left[m];
    *flagged |= (uint32_t)(left[m] < resident(bench, sm, m)) << m;
  }
  return t + bench->config.num_kernels;
}

static uint32_t random_tenants(struct bench *bench, uint64_t *seed) {
  const struct qsm_config *config = &bench->config;
  uint32_t busy = 0;
  for (uint32_t k = 0; k < config->num_kernels; k++) {
    bench->ctrl.regs.sm_mask[k] = model_random(seed, 4) ? UINT64_MAX >> (64 - config->num_sms)
                                                        : model_random(seed, 1u << config->num_sms);
    if (k && model_random(seed, 4) == 0) continue;
    uint32_t warps = 1 + model_random(seed, model_random(seed, 3) ? 2 : config->warps_per_sm);
    uint32_t granules = model_random(seed, 2) ? 0 : 1 + model_random(seed, 32);
    come(bench, k, &(struct tenant){model_random(seed, 2), MANY, warps, granules});
    bench->ratio[k] = 0;
    busy |= 1u << k;
  }
  return busy;
}

// One load of an epoch, and what follows from it; true if there was a claim.
static bool compare_claim(struct bench *bench, struct ref *ref, uint32_t busy) {
  const struct qsm_config *config = &bench->config;
  uint32_t before[8][QSM_MAX_KERNELS], flagged = 0, n_claims = ref->n_claims;
  for (uint32_t i = 0; i < config->num_sms; i++) {
    for (uint32_t k = 0; k < config->num_kernels; k++) before[i][k] = target(bench, i, k);
  }
  uint64_t t = turn(bench), first = t + 2;
  finish(bench);
  ref_open(bench, ref->sm);
  ref_follow(bench, ref->sm);
  uint64_t last = ref_claim(bench, ref, busy, t, before, &flagged);
  assert_null(claim(bench, ref->n_claims));
  if (ref->n_claims == n_claims) return false;
  assert_true(bench->cycle == last + 1);
  assert_true(last + 1 - first <=
              config->num_sms + 1 + 2 * (config->max_tbs + 1) + config->num_kernels);  // R-TA-12
  for (uint32_t i = 0; i < config->num_sms; i++) {
    for (uint32_t k = 0; k < config->num_kernels; k++)
      assert_int_equal(target(bench, i, k), before[i][k]);
  }
  run_to(bench, bench->cycle + 300);
  uint32_t asked = 0;
  const struct qsm_event *event;
  for (uint32_t n = 0; (event = notes_event(bench->notes, QSM_EV_PREEMPT, n)); n++) {
    if (event->cycle > t) asked |= 1u << event->word[1];
  }
  assert_int_equal(asked & ~flagged, 0);
  return true;
}

// R-TA-11, R-TA-12.
static void claims_over_random_tables_equal_the_reference(void **state) {
  (void)state;
  struct qsm_config configs[] = {model_tiny(), eight_warps(), model_odd(), model_demo(),
                                 model_wide()};
  uint64_t seed = model_seed("test_tb_claim");
  uint32_t n_claims = 0;
  for (uint32_t n = 0; n < 500; n++) {
    struct bench bench;
    struct ref ref = {0};
    sched_open(&bench, configs[n % (sizeof configs / sizeof *configs)]);
    bench.ctrl.regs.adjust_technique = QSM_TECHNIQUE_FLUSH;  // refused, so tables stay as they are
    uint32_t busy = random_tenants(&bench, &seed);
    turn(&bench);
    for (uint32_t epoch = 0; epoch < 4; epoch++) {
      if (!compare_claim(&bench, &ref, busy)) break;
      n_claims++;
      if (out(&bench, claim(&bench, ref.n_claims - 1)->word[1]) > 0)
        break;  // there was room elsewhere
    }
    sched_close(&bench);
  }
  printf("# %u claims\n", n_claims);
  assert_true(n_claims > 100);
}

// ---- Skipped cycles ----

static void run_each_to(struct bench *bench, uint64_t to) {
  for (; bench->cycle < to; bench->cycle++)
    bench->ctrl.regs.irq |= qsm_tb_sched_step(bench->ts, bench->cycle, 0);
}

struct skip_pair {
  struct bench skips, each;
};

// Both do the same.
static void advance(struct skip_pair *pair, uint64_t n_cycles) {
  run_to(&pair->skips, pair->skips.cycle + n_cycles);
  run_each_to(&pair->each, pair->each.cycle + n_cycles);
}

static void retire_in_both(struct skip_pair *pair, uint32_t sm, uint32_t tb, bool saved) {
  qsm_tb_sched_retire(pair->skips.ts, pair->skips.cycle, sm, tb, saved);
  qsm_tb_sched_retire(pair->each.ts, pair->each.cycle, sm, tb, saved);
}

static void restore_in_both(struct skip_pair *pair, uint32_t sm) {
  qsm_tb_sched_restored(pair->skips.ts, pair->skips.cycle, sm);
  qsm_tb_sched_restored(pair->each.ts, pair->each.cycle, sm);
}

static void assert_same(const struct skip_pair *pair) {
  const struct notes *a = pair->skips.notes, *b = pair->each.notes;
  assert_int_equal(a->n_events, b->n_events);
  assert_int_equal(a->n_msgs, b->n_msgs);
  for (uint32_t n = 0; n < a->n_events; n++) {
    assert_true(a->event[n].cycle == b->event[n].cycle && a->event[n].kind == b->event[n].kind);
    assert_memory_equal(a->event[n].word, b->event[n].word,
                        a->event[n].n_words * sizeof *a->event[n].word);
  }
  for (uint32_t k = 0; k < pair->skips.config.num_kernels; k++) {
    uint32_t x = 0, y = 1;
    assert_true(qsm_tb_sched_state(pair->skips.ts, k, 5, &x) &&
                qsm_tb_sched_state(pair->each.ts, k, 5, &y));
    assert_int_equal(x, y);
  }
}

static void come_in_both(struct skip_pair *pair, uint32_t k, const struct tenant *tenant) {
  sched_add_tenant(&pair->skips, k, tenant);
  run_to(&pair->skips, pair->skips.cycle + 1);
  sched_add_tenant(&pair->each, k, tenant);  // the bench's own pace, which is shown to be the same
  run_each_to(&pair->each, pair->each.cycle + 1);
  qsm_tb_sched_launch(pair->skips.ts, k);
  qsm_tb_sched_launch(pair->each.ts, k);
}

static void an_epoch_in_both(struct skip_pair *pair, uint64_t *seed) {
  uint64_t to_load = 1 + model_random(seed, 30);
  qsm_tb_sched_take_had_tb(pair->skips.ts, pair->skips.cycle);
  qsm_tb_sched_take_had_tb(pair->each.ts, pair->each.cycle);
  advance(pair, to_load);
  qsm_tb_sched_adjust(pair->skips.ts, pair->skips.cycle, pair->skips.ratio);
  qsm_tb_sched_adjust(pair->each.ts, pair->each.cycle, pair->each.ratio);
  advance(pair, 1 + model_random(seed, 60));
}

// A block that is being saved, drains or comes back is done with it after a while.
static void answer_in_both(struct skip_pair *pair, uint64_t *seed) {
  enum { KIND = 7, SAVE = 1, DRAIN = 2, RESTORE = 3, TB_SHIFT = 8, TB = 31 };
  for (uint32_t i = 0; i < pair->skips.config.num_sms; i++) {
    uint32_t job = qsm_preempt_job(qsm_tb_sched_preemption(pair->skips.ts), i), kind = job & KIND;
    if ((kind == SAVE || kind == DRAIN) && model_random(seed, 2))
      retire_in_both(pair, i, job >> TB_SHIFT & TB, kind == SAVE);
    if (kind == RESTORE && model_random(seed, 2)) restore_in_both(pair, i);
  }
  advance(pair, 1 + model_random(seed, 40));
}

// R-TA-10, R-TA-11, R-TB-14: no cycle in which anything changes is left out.
static void a_scheduler_that_skips_cycles_does_as_one_that_does_each(void **state) {
  (void)state;
  uint64_t seed = model_seed("test_tb_claim");
  struct qsm_config configs[] = {model_tiny(), model_odd(), model_demo()};
  uint32_t n_claims = 0, n_restored = 0;
  for (uint32_t n = 0; n < 60; n++) {
    struct skip_pair pair;
    sched_open(&pair.skips, configs[n % 3]);
    sched_open(&pair.each, configs[n % 3]);
    for (uint32_t k = 0; k < 3; k++) {
      uint32_t warps = 1 + model_random(&seed, pair.skips.config.warps_per_sm);
      const struct tenant tenant = {model_random(&seed, 2), MANY, warps, model_random(&seed, 33)};
      come_in_both(&pair, k, &tenant);
      pair.skips.ratio[k] = pair.each.ratio[k] = 0;
      advance(&pair, model_random(&seed, 500));
    }
    for (uint32_t epoch = 0; epoch < 8; epoch++) {
      an_epoch_in_both(&pair, &seed);
      for (uint32_t i = 0; i < 6; i++) answer_in_both(&pair, &seed);
      assert_same(&pair);
    }
    for (uint32_t e = 0; claim(&pair.skips, e); e++) n_claims++;
    const struct qsm_event *event;
    for (uint32_t e = 0; (event = notes_event(pair.skips.notes, QSM_EV_DISPATCH, e)); e++)
      n_restored += event->word[4];
    sched_close(&pair.skips);
    sched_close(&pair.each);
  }
  printf("# %u claims, %u blocks came back\n", n_claims, n_restored);
  assert_true(n_claims > 30 && n_restored > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slot_waits_at_its_first_load_and_is_late_at_its_second),
      cmocka_unit_test(a_slot_with_a_block_is_late_no_more_one_cycle_after_it_shows),
      cmocka_unit_test(who_is_killed_has_nothing_to_give_or_no_sm_does_not_wait),
      cmocka_unit_test(a_slot_whose_saved_block_is_held_does_not_wait),
      cmocka_unit_test(a_claim_takes_the_blocks_that_stand_in_the_way),
      cmocka_unit_test(the_latecomer_gets_the_place_of_a_block_that_is_switched_out),
      cmocka_unit_test(a_slot_that_keeps_a_target_or_gave_nothing_is_not_starved),
      cmocka_unit_test(those_without_goal_give_first_then_who_has_most_then_the_highest_slot),
      cmocka_unit_test(whatever_is_short_is_made_free),
      cmocka_unit_test(a_claim_ends_without_effect_when_its_givers_have_retired),
      cmocka_unit_test(a_kill_an_allocation_and_a_snapshot_end_a_claim_in_each_of_its_steps),
      cmocka_unit_test(a_claim_picks_only_sms_of_the_mask_and_goes_round),
      cmocka_unit_test(a_block_that_came_back_has_an_epoch_before_a_claim_takes_it),
      cmocka_unit_test(a_claim_without_a_settled_sm_ends),
      cmocka_unit_test(two_late_slots_have_their_claims_in_turn),
      cmocka_unit_test(no_claim_begins_during_an_allocation_or_with_a_flag),
      cmocka_unit_test(with_latecomers_off_nobody_gives_way_but_a_claim_ends_as_it_began),
      cmocka_unit_test(a_pass_leaves_to_a_latecomer_what_is_free),
      cmocka_unit_test(the_load_ends_a_claim_and_may_begin_a_pass),
      cmocka_unit_test(no_claim_begins_in_a_snapshot_or_a_load),
      cmocka_unit_test(claims_over_random_tables_equal_the_reference),
      cmocka_unit_test(a_scheduler_that_skips_cycles_does_as_one_that_does_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
