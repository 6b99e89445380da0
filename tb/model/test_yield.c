// SPDX-License-Identifier: Apache-2.0
// Yield, R-TB-16 with R-TB-1 and R-TB-3: in the TB scheduler with SMs that only take notes, and on
// whole models, where memory shows that every block ran once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_program.h"
#include "qsm_mem.h"
#include "qsm_model.h"
#include "qsm_regs.h"
#include "sched_bench.h"

enum { END_CYCLES = 16, WAIT = 1, YIELD = 1, YIELDED = 2 };
enum {
  WORD_LINEAR = 2,
  WORD_SHARES = 5,
  WORD_YIELD = 6,
  WORD_XY = 7,
  WORD_Z = 8
};  // of QSM_STATE_SLOT

// ---- The scheduler alone ----

static const struct tenant plain = {false, 10, 1, 0};

// Tenant 0 with its targets settled; LAUNCH is written in the cycle that is returned.
static uint64_t open_launched(struct bench *bench, struct qsm_config config, uint32_t grid) {
  sched_open(bench, config);
  sched_add_tenant(bench, 0, &plain);
  run_to(bench, 300);
  bench->ctrl.regs.shared.desc[0].grid[0] = grid;
  run_to(bench, 301);
  qsm_tb_sched_launch(bench->ts, 0);
  return 300;
}

// YIELD written in the cycle that is returned.
static uint64_t yield(struct bench *bench, uint32_t k) {
  uint64_t t = bench->cycle;
  run_to(bench, t + 1);
  qsm_tb_sched_yield(bench->ts, k);
  return t;
}

static void relaunch(struct bench *bench, uint32_t k) {
  run_to(bench, bench->cycle + 1);
  qsm_tb_sched_launch(bench->ts, k);
}

static void kill(struct bench *bench, uint32_t k) {
  bench->ctrl.regs.irq |= qsm_tb_sched_step(bench->ts, bench->cycle, 1u << k);
  bench->cycle++;
}

static uint32_t state_word(const struct bench *bench, uint32_t k, uint32_t word) {
  uint32_t value = 0;
  assert_true(qsm_tb_sched_state(bench->ts, k, word, &value));
  return value;
}

static uint32_t yields(const struct bench *bench, uint32_t k) {
  return state_word(bench, k, WORD_YIELD);
}

static uint32_t waits(const struct bench *bench, uint32_t k) {
  return state_word(bench, k, WORD_SHARES) & WAIT;
}

static uint32_t n_events(const struct bench *bench, enum qsm_event_kind kind) {
  uint32_t n = 0;
  while (notes_event(bench->notes, kind, n)) n++;
  return n;
}

static uint32_t n_dispatched(const struct bench *bench) { return n_events(bench, QSM_EV_DISPATCH); }

static const struct qsm_event *dispatch_number(const struct bench *bench, uint32_t n) {
  const struct qsm_event *event = notes_event(bench->notes, QSM_EV_DISPATCH, n);
  assert_non_null(event);
  return event;
}

// The block of the n-th dispatch ends.
static void retire(struct bench *bench, uint64_t cycle, uint32_t n, bool saved) {
  const struct qsm_event *event = dispatch_number(bench, n);
  qsm_tb_sched_retire(bench->ts, cycle, event->word[0], event->word[1], saved);
}

static void retire_all(struct bench *bench, uint32_t from, uint32_t to) {
  for (uint32_t n = from; n < to; n++) {
    retire(bench, bench->cycle, n, false);
    run_to(bench, bench->cycle + 1);
  }
}

static void assert_walk(const struct bench *bench, uint32_t k, uint32_t x, uint32_t y, uint32_t z,
                        uint32_t linear) {
  const struct qsm_walk *walk = qsm_tb_sched_walk(bench->ts, k);
  assert_int_equal(walk->at[0], x);
  assert_int_equal(walk->at[1], y);
  assert_int_equal(walk->at[2], z);
  assert_int_equal(walk->linear, linear);
  assert_int_equal(state_word(bench, k, WORD_LINEAR), linear);
  assert_int_equal(state_word(bench, k, WORD_XY), x | y << 16);
  assert_int_equal(state_word(bench, k, WORD_Z), z);
}

struct outcome {
  bool killed, yielded;
  uint32_t launches, linear;
};

static void assert_ended(const struct bench *bench, const struct outcome *outcome) {
  assert_int_equal(qsm_tb_sched_busy(bench->ts), 0);
  assert_int_equal(bench->ctrl.regs.irq, 1);
  assert_int_equal(qsm_tb_sched_killed(bench->ts), outcome->killed);
  assert_int_equal(qsm_tb_sched_yielded(bench->ts), outcome->yielded);
  assert_int_equal(qsm_tb_sched_launches(bench->ts, 0), outcome->launches);
  assert_walk(bench, 0, outcome->linear, 0, 0, outcome->linear);
  assert_int_equal(yields(bench, 0), outcome->yielded ? YIELDED : 0);
}

// R-TB-16.
static void a_launch_that_yields_runs_its_blocks_out_and_goes_on_with_the_next(void **state) {
  (void)state;
  struct bench bench;
  uint64_t t = open_launched(&bench, model_tiny(), 10);
  run_to(&bench, t + 20);
  assert_int_equal(n_dispatched(&bench), 4);
  yield(&bench, 0);
  assert_int_equal(yields(&bench, 0), YIELD);
  retire_all(&bench, 0, 3);
  run_to(&bench, t + 100);
  assert_int_equal(qsm_tb_sched_busy(bench.ts), 1);
  retire(&bench, t + 100, 3, false);
  run_to(&bench, t + 101 + END_CYCLES);
  assert_int_equal(notes_event(bench.notes, QSM_EV_END, 0)->cycle, t + 101);
  assert_int_equal(notes_event(bench.notes, QSM_EV_END, 0)->word[1], 0);
  assert_int_equal(qsm_tb_sched_busy(bench.ts), 1);
  assert_int_equal(qsm_tb_sched_yielded(bench.ts), 0);
  run_to(&bench, t + 102 + END_CYCLES);
  assert_ended(&bench, &(struct outcome){.yielded = true, .linear = 4});
  assert_int_equal(n_dispatched(&bench), 4);
  relaunch(&bench, 0);
  assert_int_equal(qsm_tb_sched_yielded(bench.ts), 0);
  run_to(&bench, bench.cycle + 20);
  retire_all(&bench, 4, 8);
  run_to(&bench, bench.cycle + 20);
  retire_all(&bench, 8, 10);
  run_to(&bench, bench.cycle + 50);
  assert_ended(&bench, &(struct outcome){.launches = 1});
  assert_int_equal(n_dispatched(&bench), 10);
  for (uint32_t n = 0; n < 10; n++) assert_int_equal(dispatch_number(&bench, n)->word[3], n);
  sched_close(&bench);
}

// R-TB-16: from t + 1 on there is no new block.
static void a_yield_before_the_first_block_leaves_the_walk_where_it_was(void **state) {
  (void)state;
  for (uint32_t after = 1; after <= 7; after++) {
    struct bench bench;
    uint64_t t = open_launched(&bench, model_tiny(), 10);
    uint32_t sent = after < 4 ? 0 : 1 + (after - 4) / 3;  // in t + 4 and t + 7
    const struct qsm_walk from = {.at = {3, 0, 0}, .linear = 3};
    qsm_tb_sched_set_walk(bench.ts, 0, &from);
    run_to(&bench, t + after);
    yield(&bench, 0);
    run_to(&bench, t + 16);
    assert_int_equal(n_dispatched(&bench), sent);
    retire_all(&bench, 0, sent);
    if (sent == 0) assert_int_equal(notes_event(bench.notes, QSM_EV_END, 0)->cycle, t + after + 1);
    run_to(&bench, t + 50);
    assert_ended(&bench, &(struct outcome){.yielded = true, .linear = 3 + sent});
    sched_close(&bench);
  }
}

// R-TB-16: all wins, also where the last block goes out in the cycle of YIELD.
static void a_yield_after_the_last_dispatch_or_while_ending_changes_nothing(void **state) {
  (void)state;
  enum { LAST = 13, RETIRED = 20, CYCLES = RETIRED + 1 + END_CYCLES };
  for (uint32_t after = LAST; after <= CYCLES; after++) {
    struct bench bench;
    uint64_t t = open_launched(&bench, model_tiny(), 4);  // the last in t + 13
    if (after < RETIRED) {
      run_to(&bench, t + after);
      yield(&bench, 0);
    }
    run_to(&bench, t + RETIRED - 3);
    retire_all(&bench, 0, 4);
    if (after > RETIRED) {
      run_to(&bench, t + after);
      assert_int_equal(qsm_tb_sched_busy(bench.ts), 1);
      yield(&bench, 0);
    }
    run_to(&bench, t + CYCLES);
    assert_int_equal(qsm_tb_sched_busy(bench.ts), after < CYCLES);
    run_to(&bench, t + CYCLES + 1);
    assert_ended(&bench, &(struct outcome){.launches = 1});
    relaunch(&bench, 0);  // which has nothing of the yield
    run_to(&bench, bench.cycle + 20);
    assert_int_equal(n_dispatched(&bench), 8);
    sched_close(&bench);
  }
}

// R-TB-16: before the one of them that wins there is a block more to go.
static void a_kill_before_with_or_after_a_yield_ends_the_launch_for_good(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 3; n++) {
    struct bench bench;
    uint64_t t = open_launched(&bench, model_tiny(), 10);
    run_to(&bench, t + 20);
    if (n == 2) yield(&bench, 0);
    if (n == 2) run_to(&bench, t + 25);
    kill(&bench, 0);
    if (n == 1) qsm_tb_sched_yield(bench.ts, 0);
    run_to(&bench, t + 30);
    if (n == 0) yield(&bench, 0);
    retire_all(&bench, 0, 4);
    run_to(&bench, t + 80);
    assert_ended(&bench, &(struct outcome){.killed = true});
    assert_int_equal(n_dispatched(&bench), 4);
    sched_close(&bench);
  }
}

// R-TB-3: whatever else is asked of it.
static void a_kill_after_the_last_dispatch_counts_no_launch(void **state) {
  (void)state;
  for (uint32_t asked = 0; asked < 2; asked++) {
    struct bench bench;
    uint64_t t = open_launched(&bench, model_tiny(), 4);
    run_to(&bench, t + 20);
    if (asked) yield(&bench, 0);
    kill(&bench, 0);
    retire_all(&bench, 0, 4);
    run_to(&bench, t + 80);
    assert_ended(&bench, &(struct outcome){.killed = true});
    sched_close(&bench);
  }
}

// R-TB-4: what is ending cannot be killed any more.
static void a_kill_of_a_launch_that_ends_by_yield_comes_too_late(void **state) {
  (void)state;
  struct bench bench;
  uint64_t t = open_launched(&bench, model_tiny(), 10);
  run_to(&bench, t + 20);
  yield(&bench, 0);
  retire_all(&bench, 0, 4);
  run_to(&bench, bench.cycle + 2);
  kill(&bench, 0);
  run_to(&bench, t + 80);
  assert_ended(&bench, &(struct outcome){.yielded = true, .linear = 4});
  sched_close(&bench);
}

// The block of a dispatch is switched out; it is queued when this returns.
static void save(struct bench *bench, uint32_t n) {
  const struct qsm_event *event = dispatch_number(bench, n);
  const struct qsm_preempt_request request = {
      .sm = (uint8_t)event->word[0], .by_slot = true, .tb = (uint8_t)event->word[1]};
  run_to(bench, bench->cycle + 1);
  qsm_tb_sched_preempt(bench->ts, &request);
  run_to(bench, bench->cycle + 10);
  assert_int_equal(qsm_preempt_status(qsm_tb_sched_preemption(bench->ts)).code,
                   QSM_PREEMPT_ACCEPTED);
  retire(bench, bench->cycle, n, true);
  run_to(bench, bench->cycle + 2);
}

// R-TB-16, R-PE-8, R-PE-10.
static void saved_blocks_come_back_and_end_before_a_launch_has_yielded(void **state) {
  (void)state;
  for (uint32_t held = 0; held < 2; held++) {
    struct bench bench;
    uint64_t t = open_launched(&bench, model_tiny(), 10);
    run_to(&bench, t + 20);
    yield(&bench, 0);
    bench.ctrl.regs.preempt_hold[0] = (uint8_t)held;
    save(&bench, 1);
    if (held) {
      retire_all(&bench, 2, 4);
      retire(&bench, bench.cycle, 0, false);
      run_to(&bench, bench.cycle + 300);
      assert_int_equal(n_events(&bench, QSM_EV_END), 0);
      assert_int_equal(qsm_preempt_saved(qsm_tb_sched_preemption(bench.ts), 0), 1 | 1 << 8);
      bench.ctrl.regs.preempt_hold[0] = 0;
    }
    run_to(&bench, bench.cycle + 10);
    assert_int_equal(n_dispatched(&bench), 5);
    assert_int_equal(dispatch_number(&bench, 4)->word[4], QSM_TB_RESTORE);
    qsm_tb_sched_restored(bench.ts, bench.cycle, 0);
    run_to(&bench, bench.cycle + 50);
    assert_int_equal(n_events(&bench, QSM_EV_END), 0);
    if (!held) {
      retire_all(&bench, 2, 4);
      retire(&bench, bench.cycle, 0, false);
      run_to(&bench, bench.cycle + 50);
      assert_int_equal(n_events(&bench, QSM_EV_END), 0);
    }
    retire(&bench, bench.cycle, 4, false);
    run_to(&bench, bench.cycle + 50);
    assert_ended(&bench, &(struct outcome){.yielded = true, .linear = 4});
    assert_int_equal(n_dispatched(&bench), 5);
    sched_close(&bench);
  }
}

// R-TB-16, R-TB-2: linear is believed.
static void a_walk_that_the_host_writes_is_where_the_launch_begins(void **state) {
  (void)state;
  struct bench bench;
  sched_open(&bench, model_demo());
  sched_add_tenant(&bench, 0, &plain);
  run_to(&bench, 300);
  uint32_t *grid = bench.ctrl.regs.shared.desc[0].grid;
  grid[0] = 3;
  grid[1] = 4;
  grid[2] = 2;
  const struct qsm_walk from = {.at = {1, 2, 0}, .linear = 0xFFFFFFFE};
  qsm_tb_sched_set_walk(bench.ts, 0, &from);
  assert_walk(&bench, 0, 1, 2, 0, 0xFFFFFFFE);
  relaunch(&bench, 0);
  run_to(&bench, bench.cycle + 3 + 6);
  assert_walk(&bench, 0, 1, 0, 1, 0xFFFFFFFE + 6u);
  run_to(&bench, bench.cycle + 60);
  assert_int_equal(n_dispatched(&bench), 24 - 7);
  uint32_t found[4] = {0};
  for (uint32_t n = 0; n < 24 - 7; n++) {
    uint32_t sm = dispatch_number(&bench, n)->word[0], at = n + 7;
    const struct qsm_sm_msg *msg = notes_find(bench.notes, sm, QSM_MSG_DISPATCH, found[sm]++);
    assert_int_equal(msg->linear, 0xFFFFFFFEu + n);
    assert_int_equal(msg->block[0], at % 3);
    assert_int_equal(msg->block[1], at / 3 % 4);
    assert_int_equal(msg->block[2], at / 12);
  }
  assert_walk(&bench, 0, 0, 0, 0, 0xFFFFFFFEu + 17);
  retire_all(&bench, 0, 17);
  run_to(&bench, bench.cycle + 50);
  assert_ended(&bench, &(struct outcome){.launches = 1});
  sched_close(&bench);
}

// R-TB-16, R-CP-5: the place was the last tenant's.
static void an_arrival_begins_at_the_first_block(void **state) {
  (void)state;
  struct bench bench;
  uint64_t t = open_launched(&bench, model_tiny(), 10);
  run_to(&bench, t + 20);
  yield(&bench, 0);
  retire_all(&bench, 0, 4);
  run_to(&bench, t + 80);
  assert_walk(&bench, 0, 4, 0, 0, 4);
  qsm_tb_sched_arrive(bench.ts, 0);
  assert_ended(&bench, &(struct outcome){.yielded = true});
  sched_close(&bench);
}

// R-TB-16, R-TA-10: all places of the machine are another's.
static void a_launch_that_yields_is_no_latecomer(void **state) {
  (void)state;
  struct bench bench;
  uint64_t t = open_launched(&bench, model_tiny(), 100);
  bench.ctrl.regs.latecomers = 0;
  run_to(&bench, t + 20);
  sched_add_tenant(&bench, 1, &plain);
  relaunch(&bench, 1);
  run_to(&bench, t + 500);
  assert_int_equal(n_dispatched(&bench), 4);
  qsm_tb_sched_adjust(bench.ts, bench.cycle, bench.ratio);
  run_to(&bench, bench.cycle + 1);
  assert_int_equal(waits(&bench, 1), WAIT);
  uint64_t y = yield(&bench, 1);
  assert_int_equal(waits(&bench, 1), WAIT);
  run_to(&bench, y + 2);
  assert_int_equal(waits(&bench, 1), 0);
  assert_int_equal(notes_event(bench.notes, QSM_EV_END, 0)->cycle, y + 1);
  sched_close(&bench);
}

// R-TB-16, R-TA-1: it has no block to give.
static void the_adjuster_makes_no_room_for_a_launch_that_yields(void **state) {
  (void)state;
  for (uint32_t asked = 0; asked < 2; asked++) {
    struct bench bench;
    sched_open(&bench, model_tiny());
    bench.ctrl.regs.adjust = 1;
    for (uint32_t k = 0; k < 2; k++)
      sched_add_tenant(&bench, k, &(struct tenant){k == 0, 0xFFFF, 1, 0});
    relaunch(&bench, 0);
    relaunch(&bench, 1);
    run_to(&bench, bench.cycle + 1000);
    if (asked) yield(&bench, 0);
    qsm_tb_sched_adjust(bench.ts, bench.cycle, bench.ratio);
    run_to(&bench, bench.cycle + 1);
    assert_int_equal(qsm_tb_sched_adjust_busy(bench.ts), !asked);
    sched_close(&bench);
  }
}

// The walk of a launch that yields shows no more what a flipped bit of it does.
static void only_a_walk_that_goes_on_is_flipped(void **state) {
  (void)state;
  struct bench bench;
  char what[128];
  uint64_t t = open_launched(&bench, model_tiny(), 100);
  run_to(&bench, t + 20);
  yield(&bench, 0);
  assert_int_equal(qsm_tb_sched_inject_slot(bench.ts, 0, what, sizeof what), -1);
  sched_close(&bench);
}

// ---- The whole model ----

enum { LOOPS = 6, ENOUGH_CYCLES = 400000, BLOCKS = 14 };

static struct qsm_config config_number(uint32_t n) {
  return n == 0 ? model_tiny() : n == 1 ? model_odd() : model_demo();
}

static struct qsm_model *create(const struct qsm_config *config) {
  struct qsm_model *model;
  char msg[256];
  if (qsm_model_create(config, &model, msg, sizeof msg) != 0) fail_msg("%s", msg);
  return model;
}

// PROGRAM_COUNT in slot 0, of which each block leaves in memory how often it ran, with a save area;
// on two SMs at most, which have no room for all blocks.
static struct qsm_model *open_counting(const struct qsm_config *config) {
  enum { AREA = PROGRAM_DATA_BYTES / 4 };
  struct qsm_model *model = create(config);
  uint32_t limit = QSM_MEM_BASE + PROGRAM_DATA + PROGRAM_DATA_BYTES;
  program_load(model, config, 0, 1, PROGRAM_COUNT, LOOPS, BLOCKS, 2 * config->warp_size);
  port_write(model, slot_register(0, QSM_SLOT_SM_MASK_LO), config->num_sms > 1 ? 3 : 1);
  port_write(model, slot_register(0, QSM_SLOT_SAVE_BASE), limit - 3 * AREA);
  port_write(model, slot_register(0, QSM_SLOT_SAVE_LIMIT), limit);
  return model;
}

static void assert_every_block_once(struct qsm_model *model, const struct qsm_config *config) {
  uint32_t n_threads = BLOCKS * 2 * config->warp_size;
  assert_int_equal(program_word(model, 0, 0), n_threads / 2 * LOOPS);
  for (uint32_t i = 0; i < n_threads; i++)
    assert_int_equal(program_word(model, 0, 1 + i), i * LOOPS);
}

static int refused(struct qsm_model *model, uint32_t addr, uint32_t value) {
  return qsm_model_write(model, addr, value);
}

static uint32_t slot_read(struct qsm_model *model, uint32_t k, uint32_t offset) {
  return port_read(model, slot_register(k, offset));
}

// Acknowledges the end of slot k's launch. True: it has yielded.
static bool take_end(struct qsm_model *model, uint32_t k) {
  if (!(port_read(model, QSM_REG_IRQ) >> k & 1))
    assert_true(qsm_model_run(model, ENOUGH_CYCLES, true) < ENOUGH_CYCLES);
  port_write(model, QSM_REG_IRQ, 1u << k);
  uint32_t status = slot_read(model, k, QSM_SLOT_STATUS);
  assert_int_equal(status & (QSM_SLOT_STATUS_BUSY_MASK | QSM_SLOT_STATUS_KILLED_MASK), 0);
  uint32_t xy = slot_read(model, k, QSM_SLOT_WALK_XY);
  assert_int_equal(slot_read(model, k, QSM_SLOT_WALK_LINEAR), xy);  // a row of blocks
  assert_int_equal(slot_read(model, k, QSM_SLOT_WALK_Z), 0);
  if (!status) assert_int_equal(xy, 0);
  return status;
}

// R-TB-16: what may be written when.
static void yields_and_walks_are_refused_where_they_have_no_meaning(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  const uint32_t walk[] = {slot_register(0, QSM_SLOT_WALK_XY), slot_register(0, QSM_SLOT_WALK_Z),
                           slot_register(0, QSM_SLOT_WALK_LINEAR)};
  const uint32_t values[] = {0x12345678, 0x9ABC, 0xDEF01234};
  uint32_t to_yield = slot_register(0, QSM_SLOT_YIELD);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(port_read(model, walk[i]), 0);
    port_write(model, walk[i], values[i]);
    for (uint32_t j = 0; j < 3; j++)
      assert_int_equal(port_read(model, walk[j]), j <= i ? values[j] : 0);
  }
  assert_int_equal(refused(model, walk[1], 0x10000), 1);
  assert_int_equal(slot_read(model, 1, QSM_SLOT_WALK_XY), 0);
  assert_int_equal(port_read(model, to_yield), 0);
  assert_int_equal(refused(model, to_yield, 1), 1);  // nothing runs
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 2000, 5, 4);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(port_read(model, walk[i]), 0);  // R-CP-5
  program_launch(model, 0);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(refused(model, walk[i], 0), 1);
  assert_int_equal(refused(model, to_yield, 0), 1);
  assert_int_equal(refused(model, to_yield, 2), 1);
  assert_int_equal(refused(model, to_yield, 3), 1);
  port_write(model, to_yield, 1);
  port_write(model, to_yield, 1);
  assert_int_equal(slot_read(model, 1, QSM_SLOT_STATUS), 0);
  qsm_model_destroy(model);
}

// R-TB-16: each coordinate by itself, at the grid's edge and inside.
static void a_launch_from_outside_of_its_grid_is_refused(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  static const struct {
    uint32_t xy, z;
    bool is_outside;
  } walks[] = {{3, 0, true},           {4 << 16, 0, true}, {0, 5, true},
               {0xFFFF, 0, true},      {0, 0xFFFF, true},  {0xFFFFu << 16, 0, true},
               {2 | 3 << 16, 4, false}};
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 2, 3, 4);
  port_write(model, slot_register(0, QSM_SLOT_GRID_Y), 4);
  port_write(model, slot_register(0, QSM_SLOT_GRID_Z), 5);
  port_write(model, slot_register(0, QSM_SLOT_WALK_LINEAR), UINT32_MAX);  // believed
  for (size_t i = 0; i < sizeof walks / sizeof *walks; i++) {
    port_write(model, slot_register(0, QSM_SLOT_WALK_XY), walks[i].xy);
    port_write(model, slot_register(0, QSM_SLOT_WALK_Z), walks[i].z);
    assert_int_equal(refused(model, slot_register(0, QSM_SLOT_LAUNCH), 1), walks[i].is_outside);
    assert_int_equal(slot_read(model, 0, QSM_SLOT_STATUS) & 1, !walks[i].is_outside);
  }
  assert_false(take_end(model, 0));
  assert_int_equal(slot_read(model, 0, QSM_SLOT_LAUNCHES), 1);
  qsm_model_destroy(model);
}

// A smaller grid after a yield, R-TB-16.
static void a_grid_that_has_become_smaller_than_the_walk_is_refused(void **state) {
  (void)state;
  struct qsm_config config = model_tiny();
  struct qsm_model *model = open_counting(&config);
  program_launch(model, 0);
  qsm_model_run(model, 1500, false);
  port_write(model, slot_register(0, QSM_SLOT_YIELD), 1);
  assert_true(take_end(model, 0));
  uint32_t at = slot_read(model, 0, QSM_SLOT_WALK_XY);
  port_write(model, slot_register(0, QSM_SLOT_GRID_X), at);
  assert_int_equal(refused(model, slot_register(0, QSM_SLOT_LAUNCH), 1), 1);
  assert_int_equal(slot_read(model, 0, QSM_SLOT_STATUS), QSM_SLOT_STATUS_YIELDED_MASK);
  port_write(model, slot_register(0, QSM_SLOT_GRID_X), BLOCKS);
  program_launch(model, 0);
  assert_false(take_end(model, 0));
  assert_every_block_once(model, &config);
  qsm_model_destroy(model);
}

// R-TB-16: wherever the yield falls, until the launch has ended by itself.
static void every_block_runs_once_whenever_a_launch_yields(void **state) {
  (void)state;
  uint32_t n_asked = 0, n_yields = 0;
  for (uint32_t n = 0; n < 3; n++) {
    struct qsm_config config = config_number(n);
    for (uint64_t piece = 0; piece < 4000; piece += 1 + piece / 4) {
      struct qsm_model *model = open_counting(&config);
      uint32_t n_launches = 0;
      do {
        n_launches++;
        program_launch(model, 0);
        qsm_model_run(model, piece + 40 * n_launches, true);
        if (slot_read(model, 0, QSM_SLOT_STATUS) & 1)
          n_asked += refused(model, slot_register(0, QSM_SLOT_YIELD), 1) == 0;
      } while (take_end(model, 0));
      n_yields += n_launches - 1;
      assert_int_equal(slot_read(model, 0, QSM_SLOT_LAUNCHES), 1);
      assert_every_block_once(model, &config);
      qsm_model_destroy(model);
    }
  }
  printf("# %u launches yielded, %u were asked to\n", n_yields, n_asked);
  assert_true(n_yields > 100 && n_asked > n_yields);
}

// All that describes slot `from`'s launch, with its place.
static void move_launch(struct qsm_model *model, uint32_t from, uint32_t to) {
  static const uint32_t more[] = {QSM_SLOT_SAVE_BASE, QSM_SLOT_SAVE_LIMIT, QSM_SLOT_WALK_XY,
                                  QSM_SLOT_WALK_Z, QSM_SLOT_WALK_LINEAR};
  port_write(model, slot_register(to, QSM_SLOT_CTX), 0);
  port_write(model, slot_register(to, QSM_SLOT_CTX), 1);
  for (uint32_t offset = QSM_SLOT_SM_MASK_LO; offset <= QSM_SLOT_SHARED_GRAN; offset += 4)
    port_write(model, slot_register(to, offset), slot_read(model, from, offset));
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    port_write(model, slot_register(to, more[i]), slot_read(model, from, more[i]));
}

// R-TB-16: between the slots there is another tenant's turn.
static void a_launch_goes_on_in_another_slot(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 3; n++) {
    struct qsm_config config = config_number(n);
    struct qsm_model *model = open_counting(&config);
    uint32_t slot = 0, n_moves = 0;
    for (;; n_moves++) {
      program_launch(model, slot);
      qsm_model_run(model, 700, true);
      if (slot_read(model, slot, QSM_SLOT_STATUS) & 1)
        port_write(model, slot_register(slot, QSM_SLOT_YIELD), 1);
      if (!take_end(model, slot)) break;
      move_launch(model, slot, 1 - slot);
      slot = 1 - slot;
    }
    assert_true(n_moves > 0);
    assert_every_block_once(model, &config);
    qsm_model_destroy(model);
  }
}

// A sum over all events, whatever their order.
static void sum_event(void *ctx, const struct qsm_event *event) {
  uint64_t *sum = ctx, hash = event->cycle * 64 + event->kind;
  for (uint32_t i = 0; i < event->n_words; i++)
    hash = (hash ^ event->word[i] ^ (uint64_t)event->sm << 32) * UINT64_C(0x9E3779B97F4A7C15);
  *sum += hash ^ hash >> 31;
}

static void run_in_pieces(struct qsm_model *model, uint64_t piece, uint64_t n_cycles) {
  for (uint64_t n = 0; n < n_cycles;)
    n += qsm_model_run(model, piece < n_cycles - n ? piece : n_cycles - n, false);
}

// A host that preempts, holds, lets go and yields, and launches again what has yielded; at last it
// leaves the launch alone. Returns the sum of all events.
static uint64_t play(const struct qsm_config *config, uint64_t seed, uint64_t piece,
                     uint32_t *n_saved) {
  struct qsm_model *model = open_counting(config);
  uint32_t hold = slot_register(0, QSM_SLOT_PREEMPT_HOLD), n_steps = 0, status;
  uint64_t sum = 0;
  qsm_model_set_sink(model, sum_event, &sum);
  program_launch(model, 0);
  for (bool done = false; !done; n_steps++) {
    bool calm = n_steps > 100;
    assert_true(n_steps < 1000);
    run_in_pieces(model, piece, 1 + model_random(&seed, 150));
    uint32_t action = calm ? 0 : model_random(&seed, 6), sm = model_random(&seed, config->num_sms);
    if (calm || action == 1) port_write(model, hold, 0);
    if (action == 2) port_write(model, hold, 1);
    if (action == 3) (void)refused(model, slot_register(0, QSM_SLOT_YIELD), 1);
    if (action >= 4) (void)refused(model, QSM_REG_PREEMPT, sm);
    *n_saved += slot_read(model, 0, QSM_SLOT_SAVED) != 0;
    if (!port_read(model, QSM_REG_IRQ)) continue;
    port_write(model, QSM_REG_IRQ, 1);
    status = slot_read(model, 0, QSM_SLOT_STATUS);
    assert_int_equal(slot_read(model, 0, QSM_SLOT_SAVED), 0);
    done = status == 0;
    if (!done) program_launch(model, 0);
  }
  assert_every_block_once(model, config);
  qsm_model_destroy(model);
  return sum;
}

// R-TB-16: the look-ahead skips no cycle that counts.
static void preempted_blocks_run_once_too_and_pieces_give_the_same_run(void **state) {
  (void)state;
  uint64_t seed = model_seed("test_yield");
  uint32_t n_saved = 0;
  for (uint32_t n = 0; n < 3; n++) {
    struct qsm_config config = config_number(n);
    for (uint32_t i = 0; i < 8; i++) {
      uint64_t own = seed + 100 * n + i, sum = play(&config, own, UINT64_MAX, &n_saved);
      assert_true(play(&config, own, 1, &n_saved) == sum);
    }
  }
  printf("# saved blocks were seen %u times\n", n_saved);
  assert_true(n_saved > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_launch_that_yields_runs_its_blocks_out_and_goes_on_with_the_next),
      cmocka_unit_test(a_yield_before_the_first_block_leaves_the_walk_where_it_was),
      cmocka_unit_test(a_yield_after_the_last_dispatch_or_while_ending_changes_nothing),
      cmocka_unit_test(a_kill_before_with_or_after_a_yield_ends_the_launch_for_good),
      cmocka_unit_test(a_kill_after_the_last_dispatch_counts_no_launch),
      cmocka_unit_test(a_kill_of_a_launch_that_ends_by_yield_comes_too_late),
      cmocka_unit_test(saved_blocks_come_back_and_end_before_a_launch_has_yielded),
      cmocka_unit_test(a_walk_that_the_host_writes_is_where_the_launch_begins),
      cmocka_unit_test(an_arrival_begins_at_the_first_block),
      cmocka_unit_test(a_launch_that_yields_is_no_latecomer),
      cmocka_unit_test(the_adjuster_makes_no_room_for_a_launch_that_yields),
      cmocka_unit_test(only_a_walk_that_goes_on_is_flipped),
      cmocka_unit_test(yields_and_walks_are_refused_where_they_have_no_meaning),
      cmocka_unit_test(a_launch_from_outside_of_its_grid_is_refused),
      cmocka_unit_test(a_grid_that_has_become_smaller_than_the_walk_is_refused),
      cmocka_unit_test(every_block_runs_once_whenever_a_launch_yields),
      cmocka_unit_test(a_launch_goes_on_in_another_slot),
      cmocka_unit_test(preempted_blocks_run_once_too_and_pieces_give_the_same_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
