// SPDX-License-Identifier: Apache-2.0
// SM ownership and moves, R-SO-1 to R-SO-11: the TB scheduler with SMs that only take notes. Power
// gating is in test_sm_power.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "qsm_sm_owner.h"
#include "sched_bench.h"

enum { MANY = 0xffff, SHARED = QSM_USE_SHARED, OWNED = QSM_USE_OWNED, FREE = QSM_USE_FREE };

static const struct tenant tenant = {false, MANY, 1, 0};

static struct qsm_sm_owner *owner_of(const struct bench *bench) {
  return qsm_tb_sched_sm_owner(bench->ts);
}

static uint32_t resident(const struct bench *bench, uint32_t sm, uint32_t k) {
  return qsm_tb_sched_resident(bench->ts, sm, k);
}

static uint32_t count(const struct bench *bench, enum qsm_event_kind kind) {
  uint32_t n = 0;
  while (notes_event(bench->notes, kind, n)) n++;
  return n;
}

static const struct qsm_event *last(const struct bench *bench, enum qsm_event_kind kind) {
  const struct qsm_event *event = notes_event(bench->notes, kind, count(bench, kind) - 1);
  assert_non_null(event);
  return event;
}

static uint32_t state_word(const struct bench *bench, uint32_t sm, uint32_t word) {
  uint32_t value = 0;
  assert_true(qsm_sm_owner_state(owner_of(bench), sm, word, &value));
  return value;
}

// Three SMs, tenants 0 .. n - 1 with settled targets that are reached.
static void open_tenants(struct bench *bench, uint32_t n) {
  sched_open(bench, model_odd());
  bench->ctrl.regs.move_technique = QSM_TECHNIQUE_DRAIN;
  for (uint32_t k = 0; k < n; k++) sched_add_tenant(bench, k, &tenant);
  for (uint32_t k = 0; k < n; k++) {
    run_to(bench, bench->cycle + 1);
    qsm_tb_sched_launch(bench->ts, k);
  }
  run_to(bench, bench->cycle + 500);
}

// A request in the cycle that is returned, which is run.
static uint64_t request(struct bench *bench, uint32_t sm, uint32_t usage, uint32_t owner) {
  uint64_t c = bench->cycle;
  qsm_sm_owner_request(owner_of(bench), c, sm, usage, owner);
  run_to(bench, c + 1);
  return c;
}

static void settle(struct bench *bench) { run_to(bench, bench->cycle + 200); }

static void set_technique(struct bench *bench, uint32_t technique) {
  run_to(bench, bench->cycle + 1);
  bench->ctrl.regs.move_technique = technique;
  qsm_tb_sched_note_move_technique(bench->ts);
}

static void expect_use(const struct bench *bench, uint32_t sm, uint32_t usage, uint32_t owner) {
  const struct qsm_sm_usage *use = qsm_sm_owner_of(owner_of(bench), sm);
  assert_int_equal(use->usage, usage);
  assert_int_equal(use->owner, owner);
  assert_int_equal(use->moving, 0);
  assert_int_equal(use->next_usage, 0);
  assert_int_equal(use->next_owner, 0);
}

static void expect_move(const struct bench *bench, uint32_t sm, uint32_t usage, uint32_t owner) {
  const struct qsm_sm_usage *use = qsm_sm_owner_of(owner_of(bench), sm);
  assert_int_equal(use->moving, 1);
  assert_int_equal(use->next_usage, usage);
  assert_int_equal(use->next_owner, owner);
}

static uint32_t slot_of(const struct bench *bench, uint32_t k, uint32_t sm, uint32_t n) {
  return sched_place_of(bench, k, sm, n);
}

// All blocks of slot k on the SM retire, one per cycle from `bench->cycle` on; the last is seen in
// the cycle that is returned, and it is run. Only of blocks that were the first ones there.
static uint64_t retire_all(struct bench *bench, uint32_t k, uint32_t sm) {
  uint32_t n = resident(bench, sm, k);
  for (uint32_t i = 0; i < n; i++) {
    qsm_tb_sched_retire(bench->ts, bench->cycle, sm, slot_of(bench, k, sm, i), false);
    run_to(bench, bench->cycle + 1);
  }
  return bench->cycle - 1;
}

// ---- Requests and ends of moves ----

// R-SO-1, R-SO-4, and the figure of the page.
static void a_drained_sm_changes_its_owner_after_the_last_block_is_gone(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 2);
  assert_true(resident(&bench, 1, 0) > 0 && resident(&bench, 1, 1) > 0);
  uint64_t c = request(&bench, 1, OWNED, 1);
  expect_move(&bench, 1, OWNED, 1);
  const struct qsm_event *begin = last(&bench, QSM_EV_MOVE);
  assert_int_equal(begin->cycle, c);
  assert_int_equal(begin->sm, 1);
  const uint32_t moving[] = {SHARED, 0, 1, OWNED, 1};
  assert_memory_equal(begin->word, moving, sizeof moving);
  settle(&bench);
  uint64_t r = retire_all(&bench, 0, 1);
  expect_move(&bench, 1, OWNED, 1);
  run_to(&bench, r + 2);
  expect_use(&bench, 1, OWNED, 1);
  assert_int_equal(last(&bench, QSM_EV_MOVE)->cycle, r + 1);
  const uint32_t moved[] = {OWNED, 1, 0, 0, 0};
  assert_memory_equal(last(&bench, QSM_EV_MOVE)->word, moved, sizeof moved);
  assert_int_equal(count(&bench, QSM_EV_MOVE), 2);
  assert_int_equal(qsm_sm_owner_moves(owner_of(&bench)), 1);
  settle(&bench);
  assert_int_equal(resident(&bench, 1, 0), 0);
  assert_int_equal(qsm_tb_sched_target(bench.ts, 1, 1), 5);  // MaxTbs
  assert_in_range(resident(&bench, 1, 1), 4, 5);             // as places on the sub-cores are free
  sched_close(&bench);
}

// R-SO-3: blocks of the new owner stay; on an SM that is to be shared all do; on a free one none.
static void blocks_stay_where_their_kernel_may_be(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 2);
  uint64_t c = request(&bench, 2, SHARED, 0);
  run_to(&bench, c + 2);
  expect_use(&bench, 2, SHARED, 0);
  assert_int_equal(last(&bench, QSM_EV_MOVE)->cycle, c + 1);
  settle(&bench);
  request(&bench, 0, FREE, 0);
  settle(&bench);
  retire_all(&bench, 0, 0);
  settle(&bench);
  expect_move(&bench, 0, FREE, 0);
  retire_all(&bench, 1, 0);
  run_to(&bench, bench.cycle + 1);
  expect_use(&bench, 0, FREE, 0);
  settle(&bench);
  assert_int_equal(resident(&bench, 0, 0) + resident(&bench, 0, 1), 0);
  sched_close(&bench);
}

// R-SO-1: the time goes on, as MOVE_CYCLES shows, and it is one move.
static void a_request_redirects_a_move(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 2);
  uint64_t c = request(&bench, 0, FREE, 3);  // the owner means nothing
  run_to(&bench, c + 40);
  uint64_t again = request(&bench, 0, SHARED, 0);
  expect_move(&bench, 0, SHARED, 0);
  settle(&bench);
  expect_use(&bench, 0, SHARED, 0);
  assert_int_equal(last(&bench, QSM_EV_MOVE)->cycle, again + 1);
  assert_int_equal(qsm_sm_owner_moves(owner_of(&bench)), 1);
  assert_int_equal(qsm_sm_owner_move_cycles(owner_of(&bench), bench.cycle), again + 1 - c);
  sched_close(&bench);
}

// R-SO-4: not in a cycle with a request for the SM.
static void a_request_delays_the_end_of_a_move(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 1);
  request(&bench, 0, SHARED, 0);
  uint64_t c = request(&bench, 0, SHARED, 0);
  expect_move(&bench, 0, SHARED, 0);
  run_to(&bench, c + 2);
  expect_use(&bench, 0, SHARED, 0);
  assert_int_equal(last(&bench, QSM_EV_MOVE)->cycle, c + 1);
  sched_close(&bench);
}

// ---- Who may go where (R-SO-2) ----

static void an_owned_sm_takes_its_owner_whatever_the_mask_says(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 2);
  run_to(&bench, bench.cycle + 1);
  bench.ctrl.regs.sm_mask[1] = 1;  // SM 0 alone
  qsm_tb_sched_request_targets(bench.ts);
  settle(&bench);
  request(&bench, 2, OWNED, 1);
  retire_all(&bench, 0, 2);
  settle(&bench);
  assert_true(resident(&bench, 2, 1) > 3);  // as many as fit
  assert_int_equal(qsm_tb_sched_target(bench.ts, 2, 1), 5);
  assert_int_equal(qsm_tb_sched_target(bench.ts, 2, 0), 0);
  assert_int_equal(qsm_tb_sched_target(bench.ts, 1, 0), 5);  // shared, slot 0 alone in its mask
  sched_close(&bench);
}

// Slot 1 keeps to its own SM 2 while it has one; slot 0, which has none, goes where it may.
static void a_kernel_apart_leaves_shared_sms_alone_while_it_owns_one(void **state) {
  (void)state;
  struct bench bench;
  const uint32_t apart = 3;
  open_tenants(&bench, 2);
  struct qsm_sm_owner *owner = qsm_tb_sched_sm_owner(bench.ts);
  const struct qsm_sm_may *may = qsm_sm_owner_may(owner);
  request(&bench, 2, OWNED, 1);
  retire_all(&bench, 0, 2);
  settle(&bench);
  const qsm_sm_set all = qsm_first_sms(bench.config.num_sms), own = (qsm_sm_set)1 << 2;
  assert_true((qsm_sm_may_go(may, &bench.ctrl.regs, 1) & all) == all);
  qsm_sm_owner_set_apart(owner, &apart);
  assert_true((qsm_sm_may_go(may, &bench.ctrl.regs, 1) & all) == own);
  assert_true((qsm_sm_may_go(may, &bench.ctrl.regs, 0) & all) == (all & ~own));
  uint32_t place = slot_of(&bench, 1, 0, 0), n = resident(&bench, 1, 1);
  qsm_tb_sched_retire(bench.ts, bench.cycle, 1, slot_of(&bench, 1, 1, 0), false);
  qsm_tb_sched_retire(bench.ts, bench.cycle, 1, place, false);
  settle(&bench);
  assert_true(resident(&bench, 1, 1) < n);  // nobody follows the one that ended
  request(&bench, 2, SHARED, 0);            // now it owns none
  settle(&bench);
  assert_true((qsm_sm_may_go(may, &bench.ctrl.regs, 1) & all) == all);
  assert_int_equal(resident(&bench, 1, 1), n);
  sched_close(&bench);
}

// In schemes of whole SMs a launch waits for SMs of its own (R-SG-19), but where there are more
// kernels than SMs, which share all, and under sm_rollover, which has one shared.
static void a_closed_machine_gives_no_block_to_a_shared_sm(void **state) {
  (void)state;
  static const uint32_t closing[] = {QSM_SCHEME_SM_STATIC, QSM_SCHEME_SPART, QSM_SCHEME_SMQOS};
  struct bench bench;
  open_tenants(&bench, 2);
  struct qsm_regs *regs = &bench.ctrl.regs;
  const struct qsm_sm_may *may = qsm_sm_owner_may(owner_of(&bench));
  const qsm_sm_set all = qsm_first_sms(bench.config.num_sms), own = (qsm_sm_set)1 << 2;
  request(&bench, 2, OWNED, 1);
  retire_all(&bench, 0, 2);
  settle(&bench);
  for (size_t i = 0; i < sizeof closing / sizeof *closing; i++) {
    regs->scheme = closing[i];
    assert_true((qsm_sm_may_go(may, regs, 0) & all) == 0);
    assert_true((qsm_sm_may_go(may, regs, 1) & all) == own);
  }
  uint32_t n = resident(&bench, 1, 1);
  qsm_tb_sched_retire(bench.ts, bench.cycle, 1, slot_of(&bench, 1, 1, 0), false);
  settle(&bench);
  assert_int_equal(resident(&bench, 1, 1), n - 1);  // nobody follows
  regs->scheme = QSM_SCHEME_SM_ROLLOVER;
  assert_true((qsm_sm_may_go(may, regs, 0) & all) == (all & ~own));
  settle(&bench);
  assert_int_equal(resident(&bench, 1, 1), n);
  regs->scheme = QSM_SCHEME_SM_STATIC;
  const uint32_t before = bench.config.num_sms;
  bench.config.num_sms = 1;  // fewer than kernels
  assert_true((qsm_sm_may_go(may, regs, 0) & all) == (all & ~own));
  bench.config.num_sms = before;
  sched_close(&bench);
}

static void nothing_is_dispatched_to_an_sm_that_moves(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 2);
  uint32_t place = slot_of(&bench, 1, 0, 0), n = resident(&bench, 0, 1);
  uint64_t c = request(&bench, 0, OWNED, 1);
  qsm_tb_sched_retire(bench.ts, bench.cycle, 0, place, false);
  run_to(&bench, c + 100);
  assert_int_equal(resident(&bench, 0, 1), n - 1);  // though slot 1 has room and may stay
  sched_close(&bench);
}

// The request's own cycle still sees the SM as it was: the third step of a dispatch in it is done.
static void a_dispatch_in_the_cycle_of_the_request_goes_out(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 1);
  uint32_t place = slot_of(&bench, 0, 0, 0), n = count(&bench, QSM_EV_DISPATCH);
  qsm_tb_sched_retire(bench.ts, bench.cycle, 0, place, false);
  run_to(&bench, bench.cycle + 3);
  uint64_t c = request(&bench, 0, FREE, 0);
  assert_int_equal(count(&bench, QSM_EV_DISPATCH), n + 1);
  assert_int_equal(last(&bench, QSM_EV_DISPATCH)->cycle, c);
  sched_close(&bench);
}

// R-TB-7 by R-SO-2: nobody has targets on a free SM, nor an owner that takes no part.
static void targets_follow_the_use(void **state) {
  (void)state;
  struct bench bench;
  sched_open(&bench, model_odd());
  for (uint32_t k = 0; k < 2; k++) sched_add_tenant(&bench, k, &tenant);
  settle(&bench);
  request(&bench, 0, FREE, 0);
  request(&bench, 1, OWNED, 1);
  settle(&bench);
  static const uint8_t with_part[3][2] = {{0, 0}, {0, 5}, {3, 2}};
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 2; k++)
      assert_int_equal(qsm_tb_sched_target(bench.ts, i, k), with_part[i][k]);
  for (uint32_t n = 0; n < 2; n++) {  // R-TB-14: both fall idle
    run_to(&bench, bench.cycle + 1);
    qsm_tb_sched_take_had_tb(bench.ts, bench.cycle);
    settle(&bench);
  }
  assert_int_equal(qsm_tb_sched_part(bench.ts), 0);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(qsm_tb_sched_target(bench.ts, i, 1), 0);
  sched_close(&bench);
}

// R-TA-10 by R-SO-2.
static void a_kernel_whose_sms_all_move_does_not_wait(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 1);
  sched_add_tenant(&bench, 1, &tenant);
  settle(&bench);
  for (uint32_t i = 0; i < 3; i++) request(&bench, i, OWNED, 1);
  qsm_tb_sched_launch(bench.ts, 1);
  for (uint32_t n = 0; n < 3; n++) {
    uint32_t word = 0;
    qsm_tb_sched_adjust(bench.ts, bench.cycle, bench.ratio);
    run_to(&bench, bench.cycle + 50);
    assert_true(qsm_tb_sched_state(bench.ts, 1, 5, &word));
    assert_int_equal(word & 3, 0);
  }
  request(&bench, 0, SHARED, 0);
  run_to(&bench, bench.cycle + 1);
  qsm_tb_sched_adjust(bench.ts, bench.cycle, bench.ratio);
  run_to(&bench, bench.cycle + 1);
  uint32_t word = 0;
  assert_true(qsm_tb_sched_state(bench.ts, 1, 5, &word));
  assert_int_equal(word & 3, 1);
  sched_close(&bench);
}

// ---- The allocator (R-SO-8) ----

static void the_end_of_a_move_computes_the_targets_of_its_sm_alone(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 2);
  request(&bench, 1, SHARED, 0);
  uint32_t n = count(&bench, QSM_EV_TARGETS);
  assert_false(qsm_tb_sched_alloc_busy(bench.ts));
  uint64_t end = bench.cycle;
  run_to(&bench, end + 1);
  assert_true(qsm_tb_sched_alloc_busy(bench.ts));
  settle(&bench);
  assert_int_equal(count(&bench, QSM_EV_TARGETS), n + 1);
  const struct qsm_event *targets = last(&bench, QSM_EV_TARGETS);
  assert_int_equal(targets->word[0], 1);
  // Asked at the end of `end`, started in end + 1, set up in end + 2; R-TB-8: two slots of three
  // blocks each, reduced by one, which takes two cycles.
  assert_int_equal(targets->cycle, end + 2 + (1 + 2 * (1 + 3) + 1 + 2) - 1);
  sched_close(&bench);
}

static void ends_during_a_run_are_taken_together_by_the_next(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 1);
  uint32_t n = count(&bench, QSM_EV_TARGETS);
  request(&bench, 2, SHARED, 0);
  request(&bench, 1, SHARED, 0);
  request(&bench, 0, SHARED, 0);
  settle(&bench);
  static const uint8_t order[] = {2, 0, 1};
  assert_int_equal(count(&bench, QSM_EV_TARGETS), n + 3);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(notes_event(bench.notes, QSM_EV_TARGETS, n + i)->word[0], order[i]);
  sched_close(&bench);
}

// ---- Taking blocks away (R-SO-5) ----

// The youngest first, one after the other, decided two cycles after the latch of a request with
// image 0.
static void a_switch_takes_the_blocks_that_must_leave(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 2);
  bench.ctrl.regs.adjust_technique = QSM_TECHNIQUE_DRAIN;
  set_technique(&bench, QSM_TECHNIQUE_SWITCH);
  settle(&bench);
  uint32_t n = resident(&bench, 0, 0), stay = resident(&bench, 0, 1);
  uint64_t c = request(&bench, 0, OWNED, 1);
  assert_int_equal(n, 3);
  for (uint32_t i = 0; i < n; i++) {
    run_to(&bench, bench.cycle + 20);
    const struct qsm_event *event = notes_event(bench.notes, QSM_EV_PREEMPT, i);
    assert_non_null(event);
    if (i == 0) assert_int_equal(event->cycle, c + 3);
    uint32_t code = i < 2 ? QSM_PREEMPT_ACCEPTED : QSM_PREEMPT_NO_IMAGE;  // the last one drains
    const uint32_t words[] = {0, 0, event->word[2], QSM_TECHNIQUE_SWITCH, i % 2, code, 0};
    assert_memory_equal(event->word, words, sizeof words);
    assert_null(notes_event(bench.notes, QSM_EV_PREEMPT, i + 1));
    qsm_tb_sched_retire(bench.ts, bench.cycle, 0, event->word[2], i < 2);
    run_to(&bench, bench.cycle + 1);
  }
  run_to(&bench, bench.cycle + 1);
  expect_use(&bench, 0, OWNED, 1);
  settle(&bench);
  assert_int_equal(resident(&bench, 0, 0), 0);
  assert_true(resident(&bench, 0, 1) >= stay);
  assert_int_equal(count(&bench, QSM_EV_EVICT), 0);  // the adjuster's flags are its own
  sched_close(&bench);
}

// Blocks that were switched come back elsewhere before new ones.
static void a_switched_block_comes_back_on_another_sm(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 1);
  set_technique(&bench, QSM_TECHNIQUE_SWITCH);
  request(&bench, 0, FREE, 0);
  run_to(&bench, bench.cycle + 20);
  qsm_tb_sched_retire(bench.ts, bench.cycle, 0, last(&bench, QSM_EV_PREEMPT)->word[2], true);
  run_to(&bench, bench.cycle + 20);
  qsm_tb_sched_retire(bench.ts, bench.cycle, 2, slot_of(&bench, 0, 2, 0), false);
  run_to(&bench, bench.cycle + 20);
  const struct qsm_event *event = last(&bench, QSM_EV_DISPATCH);
  assert_int_equal(event->word[0], 2);
  assert_int_equal(event->word[4], QSM_TB_RESTORE);
  sched_close(&bench);
}

// A refusal leaves them to run to their end, under any technique; a new request asks again.
static void blocks_that_cannot_be_flushed_drain(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 1);
  set_technique(&bench, QSM_TECHNIQUE_FLUSH);
  uint64_t c = request(&bench, 0, FREE, 0);
  run_to(&bench, c + 4);
  const struct qsm_event *event = last(&bench, QSM_EV_PREEMPT);
  assert_int_equal(event->cycle, c + 3);
  assert_int_equal(event->word[5], QSM_PREEMPT_NOT_IDEMPOTENT);
  assert_int_equal(state_word(&bench, 0, 1), 1);
  settle(&bench);
  set_technique(&bench, QSM_TECHNIQUE_SWITCH);
  settle(&bench);
  assert_int_equal(count(&bench, QSM_EV_PREEMPT), 1);
  request(&bench, 0, FREE, 0);
  assert_int_equal(state_word(&bench, 0, 1), 0);
  run_to(&bench, bench.cycle + 20);
  assert_int_equal(last(&bench, QSM_EV_PREEMPT)->word[3], QSM_TECHNIQUE_SWITCH);
  assert_int_equal(count(&bench, QSM_EV_PREEMPT), 2);
  sched_close(&bench);
}

// A refusal and a request in one cycle: R-SO-1 has the last word.
static void a_request_forgets_the_refusal_of_its_cycle(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 1);
  set_technique(&bench, QSM_TECHNIQUE_FLUSH);
  uint64_t c = request(&bench, 0, FREE, 0);
  run_to(&bench, c + 3);
  request(&bench, 0, FREE, 0);
  assert_int_equal(count(&bench, QSM_EV_PREEMPT), 1);
  assert_int_equal(state_word(&bench, 0, 1), 0);
  run_to(&bench, bench.cycle + 20);
  assert_int_equal(count(&bench, QSM_EV_PREEMPT), 2);
  assert_int_equal(state_word(&bench, 0, 1), 1);
  sched_close(&bench);
}

static void the_technique_counts_in_every_cycle(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 1);
  request(&bench, 0, FREE, 0);
  settle(&bench);
  assert_int_equal(count(&bench, QSM_EV_PREEMPT), 0);
  uint64_t t = bench.cycle;
  set_technique(&bench, QSM_TECHNIQUE_SWITCH);  // written in t: latched in t + 1
  run_to(&bench, t + 2);
  set_technique(&bench,
                QSM_TECHNIQUE_DRAIN);  // in t + 2: the flag is gone at the decision in t + 3
  settle(&bench);
  assert_int_equal(count(&bench, QSM_EV_PREEMPT), 0);
  t = bench.cycle;
  set_technique(&bench, QSM_TECHNIQUE_SWITCH);
  settle(&bench);
  assert_int_equal(last(&bench, QSM_EV_PREEMPT)->cycle, t + 3);
  sched_close(&bench);
}

// An evict flag of the adjuster survives the refusal of a move, and is served by its own technique.
static void the_adjusters_flag_outlives_the_refusal_of_a_move(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 1);
  bench.ctrl.regs.adjust_technique = QSM_TECHNIQUE_DRAIN;
  set_technique(&bench, QSM_TECHNIQUE_FLUSH);
  uint64_t c = request(&bench, 0, FREE, 0);
  qsm_tb_sched_set_evict(bench.ts, 0, 1);
  run_to(&bench, c + 20);
  const struct qsm_event *refusal = notes_event(bench.notes, QSM_EV_PREEMPT, 0),
                         *drain = notes_event(bench.notes, QSM_EV_PREEMPT, 1);
  assert_int_equal(refusal->word[5], QSM_PREEMPT_NOT_IDEMPOTENT);
  assert_non_null(drain);
  assert_int_equal(drain->word[3], QSM_TECHNIQUE_DRAIN);
  assert_int_equal(drain->word[5], QSM_PREEMPT_ACCEPTED);
  sched_close(&bench);
}

// The blocks of a killed kernel retire, which ends the move; its saved ones are dropped.
static void a_kill_ends_a_move(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 1);
  set_technique(&bench, QSM_TECHNIQUE_SWITCH);
  request(&bench, 0, FREE, 0);
  run_to(&bench, bench.cycle + 10);
  uint64_t t = bench.cycle;
  qsm_tb_sched_step(bench.ts, t, 1);
  bench.cycle = t + 1;
  assert_int_equal(qsm_tb_sched_killed(bench.ts), 1);
  for (uint32_t i = 0; i < 3; i++) retire_all(&bench, 0, i);
  settle(&bench);
  expect_use(&bench, 0, FREE, 0);
  assert_int_equal(qsm_tb_sched_busy(bench.ts), 0);
  sched_close(&bench);
}

// ---- Ends of contexts (R-SO-10) ----

static void leave(struct bench *bench, uint32_t k) {
  run_to(bench, bench->cycle + 1);
  bench->ctrl.regs.valid_mask &= ~(1u << k);
  qsm_tb_sched_request_targets(bench->ts);
}

static void sms_of_a_context_that_ends_are_shared(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 1);
  sched_add_tenant(&bench, 1, &tenant);
  settle(&bench);
  request(&bench, 0, OWNED, 1);
  request(&bench, 1, OWNED, 1);
  retire_all(&bench, 0, 0);
  settle(&bench);
  expect_use(&bench, 0, OWNED, 1);
  expect_move(&bench, 1, OWNED, 1);
  uint64_t t = bench.cycle;
  uint32_t n = qsm_sm_owner_moves(owner_of(&bench));
  leave(&bench, 1);
  run_to(&bench, t + 2);
  expect_use(&bench, 0, SHARED, 0);
  expect_move(&bench, 1, SHARED, 0);
  assert_int_equal(last(&bench, QSM_EV_MOVE)->cycle, t + 1);
  assert_int_equal(qsm_sm_owner_moves(owner_of(&bench)), n);  // no move has ended
  run_to(&bench, t + 3);
  expect_use(&bench, 1, SHARED, 0);
  assert_int_equal(qsm_sm_owner_moves(owner_of(&bench)), n + 1);
  settle(&bench);
  assert_int_equal(resident(&bench, 0, 0), 5);
  sched_close(&bench);
}

// The use of a moving SM is not looked at: its owner has left, and it becomes free.
static void an_sm_that_moves_away_from_a_context_that_ends_goes_on(void **state) {
  (void)state;
  struct bench bench;
  open_tenants(&bench, 2);
  request(&bench, 0, OWNED, 1);
  retire_all(&bench, 0, 0);
  settle(&bench);
  expect_use(&bench, 0, OWNED, 1);
  request(&bench, 0, FREE, 0);
  leave(&bench, 1);  // (with blocks: a CTX write would be refused)
  run_to(&bench, bench.cycle + 10);
  expect_move(&bench, 0, FREE, 0);
  sched_close(&bench);
}

// A tenant that comes in the next cycle inherits nothing.
static void a_stranger_in_the_same_slot_gets_no_sm(void **state) {
  (void)state;
  struct bench bench;
  sched_open(&bench, model_odd());
  sched_add_tenant(&bench, 0, &tenant);
  request(&bench, 0, OWNED, 0);
  settle(&bench);
  expect_use(&bench, 0, OWNED, 0);
  leave(&bench, 0);
  sched_add_tenant(&bench, 0, &tenant);
  settle(&bench);
  expect_use(&bench, 0, SHARED, 0);
  sched_close(&bench);
}

// ---- Gating, as the GPU level has it (R-SO-6, R-SO-7, R-SO-11) ----

static uint64_t end_epoch(struct bench *bench) {
  uint64_t e = bench->cycle;
  qsm_tb_sched_take_had_tb(bench->ts, e);
  run_to(bench, e + 1);
  return e;
}

// E + QosLat, some cycles later.
static uint64_t turn(struct bench *bench) {
  run_to(bench, bench->cycle + 30);
  uint64_t l = bench->cycle;
  qsm_tb_sched_adjust(bench->ts, l, bench->ratio);
  run_to(bench, l + 1);
  return l;
}

static uint32_t power(const struct bench *bench, uint32_t sm) {
  return qsm_sm_owner_of(owner_of(bench), sm)->power;
}

static bool rested(const struct bench *bench, uint32_t sm) {
  return state_word(bench, sm, 2) >> 2 & 1;
}

static void open_gating(struct bench *bench) {
  sched_open(bench, model_odd());
  sched_add_tenant(bench, 0, &tenant);
  bench->ctrl.regs.sm_gating = 1;
  settle(bench);
}

// Likewise, and SM 0 was free at the end of an epoch.
static void open_resting(struct bench *bench) {
  open_gating(bench);
  request(bench, 0, FREE, 0);
  settle(bench);
  end_epoch(bench);
}

static void a_free_sm_is_gated_after_a_whole_epochs_end(void **state) {
  (void)state;
  struct bench bench;
  open_gating(&bench);
  request(&bench, 2, FREE, 0);
  end_epoch(&bench);  // in the cycle in which the move ends
  expect_use(&bench, 2, FREE, 0);
  assert_false(rested(&bench, 2));
  turn(&bench);
  assert_int_equal(power(&bench, 2), QSM_POWER_ON);
  end_epoch(&bench);
  assert_true(rested(&bench, 2));
  uint64_t l = turn(&bench);
  assert_int_equal(power(&bench, 2), QSM_POWER_STOPPING);
  assert_int_equal(notes_find(bench.notes, 2, QSM_MSG_GATE, 0)->cycle, l + 3);
  assert_null(notes_find(bench.notes, 1, QSM_MSG_GATE, 0));
  const struct qsm_event *event = last(&bench, QSM_EV_POWER);
  assert_int_equal(event->cycle, l);
  assert_int_equal(event->sm, 2);
  assert_int_equal(event->word[0], QSM_POWER_STOPPING);
  qsm_tb_sched_power(bench.ts, l + 8, 2, false);
  run_to(&bench, l + 9);
  assert_int_equal(power(&bench, 2), QSM_POWER_OFF);
  assert_int_equal(last(&bench, QSM_EV_POWER)->cycle, l + 8);
  assert_int_equal(qsm_sm_owner_gated_cycles(owner_of(&bench), l + 9), 0);
  end_epoch(&bench);
  turn(&bench);
  assert_null(notes_find(bench.notes, 2, QSM_MSG_GATE, 1));  // it is off
  uint64_t c = request(&bench, 2, OWNED, 0);
  assert_false(rested(&bench, 2));
  run_to(&bench, c + 2);
  assert_int_equal(power(&bench, 2), QSM_POWER_WAKING);
  assert_int_equal(notes_find(bench.notes, 2, QSM_MSG_WAKE, 0)->cycle, c + 1 + 3);
  assert_int_equal(qsm_sm_owner_gated_cycles(owner_of(&bench), bench.cycle), c + 1 - (l + 8));
  run_to(&bench, c + 40);
  expect_move(&bench, 2, OWNED, 0);
  qsm_tb_sched_power(bench.ts, c + 50, 2, true);
  run_to(&bench, c + 51);
  assert_int_equal(power(&bench, 2), QSM_POWER_ON);
  expect_move(&bench, 2, OWNED, 0);
  run_to(&bench, c + 52);
  expect_use(&bench, 2, OWNED, 0);
  assert_int_equal(qsm_sm_owner_moves(owner_of(&bench)), 2);
  assert_int_equal(count(&bench, QSM_EV_POWER), 4);
  sched_close(&bench);
}

static void gating_is_off_without_its_register(void **state) {
  (void)state;
  struct bench bench;
  open_gating(&bench);
  bench.ctrl.regs.sm_gating = 0;
  request(&bench, 0, FREE, 0);
  settle(&bench);
  end_epoch(&bench);
  turn(&bench);
  assert_int_equal(power(&bench, 0), QSM_POWER_ON);
  bench.ctrl.regs.sm_gating = 1;
  turn(&bench);  // rested since then
  assert_int_equal(power(&bench, 0), QSM_POWER_STOPPING);
  sched_close(&bench);
}

// R-SO-6: a request in E, or in E + QosLat, keeps the SM on.
static void a_request_in_the_epochs_end_or_at_the_load_keeps_the_sm_on(void **state) {
  (void)state;
  for (uint32_t at_load = 0; at_load < 2; at_load++) {
    struct bench bench;
    open_gating(&bench);
    request(&bench, 0, FREE, 0);
    settle(&bench);
    if (!at_load) qsm_sm_owner_request(owner_of(&bench), bench.cycle, 0, FREE, 0);
    end_epoch(&bench);
    assert_int_equal(rested(&bench, 0), at_load);
    run_to(&bench, bench.cycle + 29);
    if (at_load) qsm_sm_owner_request(owner_of(&bench), bench.cycle, 0, FREE, 0);
    qsm_tb_sched_adjust(bench.ts, bench.cycle, bench.ratio);
    settle(&bench);
    expect_use(&bench, 0, FREE, 0);
    assert_int_equal(power(&bench, 0), QSM_POWER_ON);
    sched_close(&bench);
  }
}

// R-SO-4, R-SO-7: a move towards free does not wait for the power, and does not wake; one that is
// turned back while the SM stops waits for off, then wakes it.
static void moves_meet_power_on_its_way(void **state) {
  (void)state;
  struct bench bench;
  open_resting(&bench);
  uint64_t l = turn(&bench);
  uint64_t c = request(&bench, 0, FREE, 0);
  run_to(&bench, c + 2);
  expect_use(&bench, 0, FREE, 0);
  request(&bench, 0, SHARED, 0);
  run_to(&bench, l + 20);
  assert_int_equal(power(&bench, 0), QSM_POWER_STOPPING);
  assert_null(notes_find(bench.notes, 0, QSM_MSG_WAKE, 0));
  qsm_tb_sched_power(bench.ts, l + 20, 0, false);
  run_to(&bench, l + 22);
  assert_int_equal(power(&bench, 0), QSM_POWER_WAKING);
  assert_int_equal(notes_find(bench.notes, 0, QSM_MSG_WAKE, 0)->cycle, l + 21 + 3);
  c = request(&bench, 0, FREE, 0);
  run_to(&bench, c + 2);
  expect_use(&bench, 0, FREE, 0);
  qsm_tb_sched_power(bench.ts, l + 40, 0, true);
  run_to(&bench, l + 41);
  assert_int_equal(power(&bench, 0), QSM_POWER_ON);
  assert_null(notes_find(bench.notes, 0, QSM_MSG_WAKE, 1));
  end_epoch(&bench);
  turn(&bench);
  assert_int_equal(power(&bench, 0), QSM_POWER_STOPPING);
  sched_close(&bench);
}

// R-SO-7: the cycle of a request towards free still sees the old destination.
static void a_wake_goes_out_in_the_cycle_of_a_request_towards_free(void **state) {
  (void)state;
  struct bench bench;
  open_resting(&bench);
  turn(&bench);
  qsm_tb_sched_power(bench.ts, bench.cycle, 0, false);
  settle(&bench);
  request(&bench, 0, SHARED, 0);
  uint64_t c = request(&bench, 0, FREE, 0);
  assert_int_equal(power(&bench, 0), QSM_POWER_WAKING);
  assert_int_equal(notes_find(bench.notes, 0, QSM_MSG_WAKE, 0)->cycle, c + 3);
  sched_close(&bench);
}

// ---- Skipping cycles ----

// Two benches with the same inputs; one runs every cycle, the other only those that it asks for.
struct pair {
  struct bench skips, each;
  uint64_t shared, gated, owned[3];  // cycles of SMs of the latter
};

// R-SO-11: at the start of a cycle.
static void count_sms(struct pair *pair) {
  for (uint32_t sm = 0; sm < 3; sm++) {
    const struct qsm_sm_usage *use = qsm_sm_owner_of(owner_of(&pair->each), sm);
    uint32_t blocks = 0;
    for (uint32_t k = 0; k < 3; k++) blocks += resident(&pair->each, sm, k);
    pair->shared += use->usage == SHARED && blocks > 0;
    pair->gated += use->power == QSM_POWER_OFF;
    if (use->usage == OWNED) pair->owned[use->owner]++;
  }
}

static void advance(struct pair *pair, uint64_t to) {
  run_to(&pair->skips, to);
  struct bench *each = &pair->each;
  for (; each->cycle < to; each->cycle++) {
    count_sms(pair);
    each->ctrl.regs.irq |= qsm_tb_sched_step(each->ts, each->cycle, 0);
  }
}

static void expect_counted(const struct pair *pair, const struct bench *bench) {
  const struct qsm_sm_owner *so = owner_of(bench);
  uint32_t wakes = 0;
  for (uint32_t i = 0; i < bench->notes->n_msgs; i++)
    wakes += bench->notes->msg[i].msg.kind == QSM_MSG_WAKE;
  assert_int_equal(qsm_sm_owner_wakes(so), wakes);
  assert_int_equal(qsm_sm_owner_gated_cycles(so, bench->cycle), pair->gated);
  assert_int_equal(qsm_sm_owner_shared_cycles(so, bench->cycle), pair->shared);
  for (uint32_t k = 0; k < 3; k++)
    assert_int_equal(qsm_sm_owner_owned_cycles(so, bench->cycle, k), pair->owned[k]);
}

// What the SMs of a bench hold, bit per TB slot.
struct sms {
  uint32_t seen;  // messages
  uint32_t blocks[3], saving[3], restoring[3];
};

static void expect_same(const struct pair *pair) {
  const struct notes *a = pair->skips.notes, *b = pair->each.notes;
  uint64_t cycle = pair->skips.cycle;
  assert_int_equal(a->n_events, b->n_events);
  assert_int_equal(a->n_msgs, b->n_msgs);
  assert_true(a->n_events < NOTES_MAX && a->n_msgs < NOTES_MAX);
  for (uint32_t i = 0; i < a->n_events; i++) {
    const struct qsm_event *x = &a->event[i], *y = &b->event[i];
    assert_int_equal(x->cycle, y->cycle);
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->sm, y->sm);
    assert_memory_equal(x->word, y->word, x->n_words * sizeof *x->word);
  }
  for (uint32_t i = 0; i < a->n_msgs; i++) {
    assert_int_equal(a->msg[i].sm, b->msg[i].sm);
    assert_int_equal(a->msg[i].msg.kind, b->msg[i].msg.kind);
    assert_int_equal(a->msg[i].msg.cycle, b->msg[i].msg.cycle);
  }
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t word = 0; word < 3; word++)
      assert_int_equal(state_word(&pair->skips, i, word), state_word(&pair->each, i, word));
  const struct qsm_sm_owner *x = owner_of(&pair->skips), *y = owner_of(&pair->each);
  assert_int_equal(qsm_sm_owner_moves(x), qsm_sm_owner_moves(y));
  assert_int_equal(qsm_sm_owner_move_cycles(x, cycle), qsm_sm_owner_move_cycles(y, cycle));
  assert_int_equal(qsm_sm_owner_gated_cycles(x, cycle), qsm_sm_owner_gated_cycles(y, cycle));
  expect_counted(pair, &pair->skips);
  expect_counted(pair, &pair->each);
}

// What an SM does of itself, as far as there is anything: it answers gate and wake; a block that is
// to be saved goes, one that was restored runs on, another ends.
static void answer(struct bench *bench, struct sms *sms, uint32_t sm) {
  const struct notes *notes = bench->notes;
  for (; sms->seen < notes->n_msgs; sms->seen++) {
    const struct noted_msg *noted = &notes->msg[sms->seen];
    uint32_t tb = 1u << noted->msg.tb;
    if (noted->msg.kind == QSM_MSG_DISPATCH) sms->blocks[noted->sm] |= tb;
    if (noted->msg.kind == QSM_MSG_DISPATCH && noted->msg.op == QSM_TB_RESTORE)
      sms->restoring[noted->sm] |= tb;
    if (noted->msg.kind == QSM_MSG_SAVE) sms->saving[noted->sm] |= tb;
  }
  uint32_t p = power(bench, sm), *saving = &sms->saving[sm], *restoring = &sms->restoring[sm],
           ready = *saving ? *saving : sms->blocks[sm] & ~*restoring;
  if (p == QSM_POWER_STOPPING || p == QSM_POWER_WAKING)
    qsm_tb_sched_power(bench->ts, bench->cycle, sm, p == QSM_POWER_WAKING);
  if (*restoring) {
    qsm_tb_sched_restored(bench->ts, bench->cycle, sm);
    *restoring = 0;
  } else if (ready) {
    qsm_tb_sched_retire(bench->ts, bench->cycle, sm, qsm_lowest(ready), *saving != 0);
    sms->blocks[sm] &= ~(ready & -ready);
    *saving = 0;
  }
}

static void skipped_cycles_change_nothing(void **state) {
  (void)state;
  uint64_t seed = model_seed("skipped_cycles_change_nothing"), gated = 0;
  uint32_t moves = 0, n_preempted = 0;
  for (uint32_t round = 0; round < 40; round++) {
    struct pair pair = {0};
    struct sms sms[2] = {0};
    struct bench *benches[] = {&pair.skips, &pair.each};
    for (uint32_t b = 0; b < 2; b++) {
      sched_open(benches[b], model_odd());
      benches[b]->ctrl.regs.sm_gating = 1;
      benches[b]->ctrl.regs.move_technique = round % 3;
    }
    for (uint32_t n = 0; n < 150; n++) {
      uint32_t what = model_random(&seed, 9), sm = model_random(&seed, 3),
               k = model_random(&seed, 3), usage = model_random(&seed, 3);
      uint64_t rest = 1 + model_random(&seed, 40);
      for (uint32_t b = 0; b < 2; b++) {
        struct bench *bench = benches[b];
        uint32_t bit = 1u << k;
        bool valid = bench->ctrl.regs.valid_mask & bit;
        bool busy = qsm_tb_sched_busy(bench->ts) & bit;
        switch (what) {
          case 0:
            if (!valid) {
              if (b) count_sms(&pair);  // a cycle passes
              sched_add_tenant(bench, k, &(struct tenant){false, 5, 1, 0});
              bench->ctrl.regs.idempotent[k] = round / 3 % 2;
            } else if (!busy) {
              bench->ctrl.regs.valid_mask &= ~bit;
              qsm_tb_sched_request_targets(bench->ts);
            }
            break;
          case 1:
            if (valid && !busy) qsm_tb_sched_launch(bench->ts, k);
            break;
          case 2:
          case 3:
            if (usage != OWNED || valid)
              qsm_sm_owner_request(owner_of(bench), bench->cycle, sm, usage, k);
            break;
          case 4: qsm_tb_sched_take_had_tb(bench->ts, bench->cycle); break;
          case 5: qsm_tb_sched_adjust(bench->ts, bench->cycle, bench->ratio); break;
          case 6:
          case 7: answer(bench, &sms[b], sm); break;
          default:
            bench->ctrl.regs.move_technique = usage;
            qsm_tb_sched_note_move_technique(bench->ts);
            break;
        }
      }
      advance(&pair, pair.skips.cycle + rest);
    }
    expect_same(&pair);
    moves += qsm_sm_owner_moves(owner_of(&pair.each));
    gated += qsm_sm_owner_gated_cycles(owner_of(&pair.each), pair.each.cycle);
    n_preempted += notes_find(pair.each.notes, 0, QSM_MSG_SAVE, 0) != NULL;
    sched_close(&pair.skips);
    sched_close(&pair.each);
  }
  assert_true(moves > 100 && gated > 1000 && n_preempted > 5);
}

// ---- Negative control ----

static void a_flipped_use_shows_as_a_move_in_the_next_cycle(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed += 7) {
    struct bench bench;
    open_tenants(&bench, 2);
    if (seed % 2) request(&bench, (uint32_t)(seed % 3), FREE, 0);
    settle(&bench);
    uint32_t n = count(&bench, QSM_EV_MOVE), all = bench.notes->n_events;
    uint64_t t = bench.cycle;
    char what[128];
    assert_int_equal(qsm_sm_owner_inject(owner_of(&bench), seed, what, sizeof what), 0);
    run_to(&bench, t + 1);
    assert_int_equal(count(&bench, QSM_EV_MOVE), n + 1);
    assert_int_equal(last(&bench, QSM_EV_MOVE)->cycle, t);
    assert_int_equal(bench.notes->n_events, all + 1);
    sched_close(&bench);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_drained_sm_changes_its_owner_after_the_last_block_is_gone),
      cmocka_unit_test(blocks_stay_where_their_kernel_may_be),
      cmocka_unit_test(a_request_redirects_a_move),
      cmocka_unit_test(a_request_delays_the_end_of_a_move),
      cmocka_unit_test(an_owned_sm_takes_its_owner_whatever_the_mask_says),
      cmocka_unit_test(a_kernel_apart_leaves_shared_sms_alone_while_it_owns_one),
      cmocka_unit_test(a_closed_machine_gives_no_block_to_a_shared_sm),
      cmocka_unit_test(nothing_is_dispatched_to_an_sm_that_moves),
      cmocka_unit_test(a_dispatch_in_the_cycle_of_the_request_goes_out),
      cmocka_unit_test(targets_follow_the_use),
      cmocka_unit_test(a_kernel_whose_sms_all_move_does_not_wait),
      cmocka_unit_test(the_end_of_a_move_computes_the_targets_of_its_sm_alone),
      cmocka_unit_test(ends_during_a_run_are_taken_together_by_the_next),
      cmocka_unit_test(a_switch_takes_the_blocks_that_must_leave),
      cmocka_unit_test(a_switched_block_comes_back_on_another_sm),
      cmocka_unit_test(blocks_that_cannot_be_flushed_drain),
      cmocka_unit_test(a_request_forgets_the_refusal_of_its_cycle),
      cmocka_unit_test(the_technique_counts_in_every_cycle),
      cmocka_unit_test(the_adjusters_flag_outlives_the_refusal_of_a_move),
      cmocka_unit_test(a_kill_ends_a_move),
      cmocka_unit_test(sms_of_a_context_that_ends_are_shared),
      cmocka_unit_test(an_sm_that_moves_away_from_a_context_that_ends_goes_on),
      cmocka_unit_test(a_stranger_in_the_same_slot_gets_no_sm),
      cmocka_unit_test(a_free_sm_is_gated_after_a_whole_epochs_end),
      cmocka_unit_test(gating_is_off_without_its_register),
      cmocka_unit_test(a_request_in_the_epochs_end_or_at_the_load_keeps_the_sm_on),
      cmocka_unit_test(moves_meet_power_on_its_way),
      cmocka_unit_test(a_wake_goes_out_in_the_cycle_of_a_request_towards_free),
      cmocka_unit_test(skipped_cycles_change_nothing),
      cmocka_unit_test(a_flipped_use_shows_as_a_move_in_the_next_cycle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
