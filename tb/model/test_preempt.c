// SPDX-License-Identifier: Apache-2.0
// Preemption at the GPU level, R-PE-1 to R-PE-11: the TB scheduler with SMs that only take notes,
// and with SMs that answer at random.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched_bench.h"

enum { AREA = 0x80010000, AREA_LIMIT = 0x80040000 };

static void add_tenant(struct bench *bench, uint32_t k) {
  struct qsm_regs *regs = &bench->ctrl.regs;
  run_to(bench, bench->cycle + 1);
  regs->valid_mask |= 1u << k;
  regs->shared.save_base[k] = AREA;
  regs->save_limit[k] = AREA_LIMIT;
  regs->idempotent[k] = 1;
  regs->shared.desc[k].win[1] =
      (struct qsm_window){.base = AREA - 4096, .limit = AREA_LIMIT, .r = true, .w = true};
  qsm_tb_sched_arrive(bench->ts, k);
  qsm_tb_sched_request_targets(bench->ts);
}

// Tenants 0 .. n - 1, with settled targets.
static void bench_open(struct bench *bench, struct qsm_config config, uint32_t n_tenants) {
  sched_open(bench, config);
  for (uint32_t k = 0; k < n_tenants; k++) add_tenant(bench, k);
  run_to(bench, 500);
}

// Blocks of one warp without shared memory; they have all been dispatched that have room.
static void launch(struct bench *bench, uint32_t k, uint32_t grid) {
  bench->ctrl.regs.shared.desc[k].grid[0] = grid;
  run_to(bench, bench->cycle + 1);
  qsm_tb_sched_launch(bench->ts, k);
  run_to(bench, bench->cycle + 100);
}

// PREEMPT written in the cycle that is returned.
static uint64_t ask(struct bench *bench, struct qsm_preempt_request request) {
  uint64_t t = bench->cycle;
  run_to(bench, t + 1);
  qsm_tb_sched_preempt(bench->ts, &request);
  return t;
}

static const struct qsm_preempt *pe(const struct bench *bench) {
  return qsm_tb_sched_preemption(bench->ts);
}
static uint32_t kind(const struct bench *bench, uint32_t sm) {
  return qsm_preempt_job(pe(bench), sm) & 7;
}
static uint32_t result(const struct bench *bench, uint32_t sm) {
  return qsm_preempt_job(pe(bench), sm) >> 24;
}
static uint32_t code(const struct bench *bench) { return qsm_preempt_status(pe(bench)).code; }

static uint32_t decided(struct bench *bench, struct qsm_preempt_request request) {
  ask(bench, request);
  run_to(bench, bench->cycle + 40);
  return code(bench);
}

// ---- Requests ----

static void a_switch_is_decided_three_cycles_after_its_write_and_one_more_per_image(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_demo(), 1);
  launch(&bench, 0, 100);
  for (uint32_t v = 0; v < 2; v++) {
    uint64_t t = ask(&bench, (struct qsm_preempt_request){.sm = (uint8_t)v});
    assert_int_equal(code(&bench), QSM_PREEMPT_EXAMINED);
    run_to(&bench, t + 3 + v);
    assert_int_equal(code(&bench), QSM_PREEMPT_EXAMINED);
    run_to(&bench, t + 4 + v);
    assert_int_equal(code(&bench), QSM_PREEMPT_ACCEPTED);
    assert_int_equal(notes_event(bench.notes, QSM_EV_PREEMPT, v)->cycle, t + 3 + v);
    assert_int_equal(notes_find(bench.notes, v, QSM_MSG_SAVE, 0)->cycle,
                     t + 3 + v + bench.config.noc_lat);
    assert_int_equal(notes_find(bench.notes, v, QSM_MSG_SAVE, 0)->image, v);
    assert_int_equal(qsm_preempt_status(pe(&bench)).image, v);
    assert_int_equal(kind(&bench, v), QSM_JOB_SAVE);
    assert_int_equal(result(&bench, v), 1);
  }
  assert_int_equal(qsm_preempt_saved(pe(&bench), 0), 2 << 8);
  sched_close(&bench);
}

static void a_drain_and_one_without_an_image_are_decided_two_cycles_after(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_demo(), 1);
  launch(&bench, 0, 100);
  uint64_t t = ask(&bench, (struct qsm_preempt_request){.technique = QSM_TECHNIQUE_DRAIN});
  run_to(&bench, t + 3);
  assert_int_equal(code(&bench), QSM_PREEMPT_ACCEPTED);
  assert_int_equal(notes_event(bench.notes, QSM_EV_PREEMPT, 0)->cycle, t + 2);
  assert_int_equal(decided(&bench, (struct qsm_preempt_request){.sm = 1}), QSM_PREEMPT_ACCEPTED);
  assert_int_equal(
      decided(&bench, (struct qsm_preempt_request){.sm = 2, .technique = QSM_TECHNIQUE_FLUSH}),
      QSM_PREEMPT_ACCEPTED);
  t = ask(&bench, (struct qsm_preempt_request){.sm = 3});
  run_to(&bench, t + 3);
  assert_int_equal(code(&bench), QSM_PREEMPT_NO_IMAGE);  // num_images = 2
  sched_close(&bench);
}

static void refusals_come_in_the_order_of_their_codes(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_demo(), 2);
  struct qsm_regs *regs = &bench.ctrl.regs;
  const struct qsm_preempt_request flush = {.technique = QSM_TECHNIQUE_FLUSH};
  assert_int_equal(decided(&bench, flush), QSM_PREEMPT_NO_TB);  // not busy
  launch(&bench, 0, 100);
  assert_int_equal(decided(&bench, (struct qsm_preempt_request){.kernel = 1}), QSM_PREEMPT_NO_TB);
  assert_int_equal(decided(&bench, (struct qsm_preempt_request){.by_slot = true, .tb = 7}),
                   QSM_PREEMPT_NO_TB);  // beyond the target
  regs->idempotent[0] = 0;
  regs->save_limit[0] = 0;
  assert_int_equal(decided(&bench, flush), QSM_PREEMPT_NOT_IDEMPOTENT);
  regs->idempotent[0] = 1;
  assert_int_equal(decided(&bench, flush), QSM_PREEMPT_NO_AREA);
  uint32_t image = qsm_config_image_bytes(&bench.config, 1, 0);
  regs->save_limit[0] = AREA + image - 1;
  assert_int_equal(decided(&bench, flush), QSM_PREEMPT_TOO_SMALL);
  regs->save_limit[0] = AREA + image;
  regs->shared.desc[0].win[1].limit = AREA + image - 1;
  assert_int_equal(decided(&bench, flush), QSM_PREEMPT_TOO_SMALL);
  regs->shared.desc[0].win[1] = (struct qsm_window){.base = AREA, .limit = AREA + image, .r = true};
  assert_int_equal(decided(&bench, flush), QSM_PREEMPT_TOO_SMALL);
  regs->shared.desc[0].win[1].w = true;
  assert_int_equal(decided(&bench, flush), QSM_PREEMPT_ACCEPTED);
  assert_int_equal(decided(&bench, flush), QSM_PREEMPT_BUSY);
  sched_close(&bench);
}

static void an_area_that_wraps_is_too_small(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_demo(), 1);
  struct qsm_regs *regs = &bench.ctrl.regs;
  regs->shared.save_base[0] = 0xFFFFF000;
  regs->save_limit[0] = 0xFFFFF000;
  regs->shared.desc[0].win[0] =
      (struct qsm_window){.base = 0, .limit = 0xFFFFF000, .r = true, .w = true};
  regs->shared.desc[0].shared_bytes = 8192;  // images of more than 4096 bytes
  launch(&bench, 0, 100);
  assert_int_equal(decided(&bench, (struct qsm_preempt_request){0}), QSM_PREEMPT_TOO_SMALL);
  sched_close(&bench);
}

// R-TB-13.
static void the_youngest_block_goes_also_when_its_slot_is_low(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_tiny(), 1);
  launch(&bench, 0, 100);
  qsm_tb_sched_retire(bench.ts, bench.cycle + 5, 0, 1, false);
  run_to(&bench, bench.cycle + 20);  // a new block is in slot 1
  assert_int_equal(decided(&bench, (struct qsm_preempt_request){0}), QSM_PREEMPT_ACCEPTED);
  assert_int_equal(qsm_preempt_status(pe(&bench)).tb, 1);
  sched_close(&bench);
}

static void a_block_whose_retirement_is_seen_at_the_decision_is_none(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 2; late++) {
    struct bench bench;
    bench_open(&bench, model_tiny(), 1);
    launch(&bench, 0, 3);
    uint64_t t = bench.cycle;
    qsm_tb_sched_retire(bench.ts, t + 3 + late, 0, 2, false);
    ask(&bench, (struct qsm_preempt_request){.by_slot = true, .tb = 2});
    run_to(&bench, t + 4);
    assert_int_equal(code(&bench), late ? QSM_PREEMPT_ACCEPTED : QSM_PREEMPT_NO_TB);
    run_to(&bench, t + 6);
    if (late) assert_int_equal(result(&bench, 0), 3);
    sched_close(&bench);
  }
}

// ---- The adjuster's flags ----

static void flags_are_served_one_sm_after_the_other_behind_the_host(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_demo(), 2);
  launch(&bench, 0, 100);
  launch(&bench, 1, 100);
  bench.ctrl.regs.adjust_technique = QSM_TECHNIQUE_DRAIN;
  for (uint32_t i = 0; i < 3; i++) qsm_tb_sched_set_evict(bench.ts, i, i == 1 ? 2 : 3);
  ask(&bench, (struct qsm_preempt_request){.sm = 3});
  run_to(&bench, bench.cycle + 40);
  static const uint32_t sms[] = {0, 3, 1, 2}, kernels[] = {0, 0, 1, 0},
                        hosts[] = {0, 1, 0, 0};  // the first is latched in the cycle of the write
  for (uint32_t n = 0; n < 4; n++) {
    const struct qsm_event *event = notes_event(bench.notes, QSM_EV_PREEMPT, n);
    assert_int_equal(event->word[0], sms[n]);
    assert_int_equal(event->word[1], kernels[n]);
    assert_int_equal(event->word[5], QSM_PREEMPT_ACCEPTED);
    assert_int_equal(event->word[6], hosts[n]);
  }
  assert_null(notes_event(bench.notes, QSM_EV_PREEMPT, 4));  // every SM has a job
  assert_int_equal(result(&bench, 0), 0);
  sched_close(&bench);
}

static void a_refused_flag_falls_and_one_that_has_fallen_is_dropped(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_demo(), 1);
  launch(&bench, 0, 100);
  bench.ctrl.regs.save_limit[0] = 0;
  qsm_tb_sched_set_evict(bench.ts, 2, 1);
  run_to(&bench, bench.cycle + 10);
  assert_int_equal(notes_event(bench.notes, QSM_EV_PREEMPT, 0)->word[5], QSM_PREEMPT_NO_AREA);
  assert_int_equal(qsm_preempt_evict(pe(&bench), 2), 0);
  assert_int_equal(code(&bench), QSM_PREEMPT_NONE);
  qsm_tb_sched_set_evict(bench.ts, 1, 1);
  run_to(&bench, bench.cycle + 1);
  qsm_tb_sched_set_evict(bench.ts, 1, 0);
  run_to(&bench, bench.cycle + 10);
  assert_null(notes_event(bench.notes, QSM_EV_PREEMPT, 1));
  sched_close(&bench);
}

// ---- From saved to restored ----

// Saves the block in a slot of SM 0: the retirement is seen in the cycle returned.
static uint64_t save(struct bench *bench, uint32_t tb) {
  assert_int_equal(decided(bench, (struct qsm_preempt_request){.by_slot = true, .tb = (uint8_t)tb}),
                   QSM_PREEMPT_ACCEPTED);
  uint64_t seen = bench->cycle + 10;
  qsm_tb_sched_retire(bench->ts, seen, 0, tb, true);
  run_to(bench, seen + 1);
  assert_int_equal(kind(bench, 0), QSM_JOB_SAVED);
  return seen;
}

static void a_saved_block_is_queued_a_cycle_later_and_restored_before_new_ones(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_tiny(), 1);
  launch(&bench, 0, 100);
  const struct qsm_event *first = notes_event(bench.notes, QSM_EV_DISPATCH, 2);
  assert_int_equal(first->word[1], 2);
  uint32_t ticket = first->word[6];
  uint64_t seen = save(&bench, 2);
  run_to(&bench, seen + 2);
  assert_int_equal(kind(&bench, 0), QSM_JOB_NONE);
  assert_int_equal(result(&bench, 0), 2);
  assert_int_equal(qsm_preempt_saved(pe(&bench), 0), 1 | 1 << 8);
  run_to(&bench, seen + 5);
  const struct qsm_event *restore = notes_event(bench.notes, QSM_EV_DISPATCH, 4);
  assert_int_equal(restore->cycle, seen + 4);  // a candidate in seen + 2
  const uint32_t words[] = {0, 2,     0, 0, QSM_TB_RESTORE,
                            0, ticket};  // sm, tb, kernel, linear, op, image, ticket: its own
  assert_memory_equal(restore->word, words, sizeof words);
  assert_int_equal(kind(&bench, 0), QSM_JOB_RESTORE);
  qsm_tb_sched_restored(bench.ts, seen + 30, 0);
  run_to(&bench, seen + 31);
  assert_int_equal(kind(&bench, 0), QSM_JOB_FREED);
  assert_int_equal(qsm_preempt_saved(pe(&bench), 0), 1 << 8);
  run_to(&bench, seen + 32);
  assert_int_equal(kind(&bench, 0), QSM_JOB_NONE);
  assert_int_equal(qsm_preempt_saved(pe(&bench), 0), 0);
  sched_close(&bench);
}

static void held_blocks_wait_and_so_does_the_end(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_tiny(), 1);
  bench.ctrl.regs.preempt_hold[0] = 1;
  launch(&bench, 0, 2);
  uint64_t seen = save(&bench, 1);
  qsm_tb_sched_retire(bench.ts, seen + 10, 0, 0, false);
  run_to(&bench, seen + 300);
  assert_int_equal(qsm_preempt_saved(pe(&bench), 0), 1 | 1 << 8);
  assert_int_equal(qsm_tb_sched_busy(bench.ts), 1);
  assert_null(notes_event(bench.notes, QSM_EV_END, 0));
  bench.ctrl.regs.preempt_hold[0] = 0;
  run_to(&bench, seen + 303);
  assert_int_equal(notes_event(bench.notes, QSM_EV_DISPATCH, 2)->word[4], QSM_TB_RESTORE);
  qsm_tb_sched_restored(bench.ts, seen + 310, 0);
  qsm_tb_sched_retire(bench.ts, seen + 311, 0, 0, false);
  run_to(&bench, seen + 320);
  assert_int_equal(notes_event(bench.notes, QSM_EV_END, 0)->cycle,
                   seen + 313);  // freed in 312: the clean-up passes an SM whose retirement is seen
  sched_close(&bench);
}

static void no_new_block_comes_to_an_sm_that_drains_until_it_has(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_tiny(), 1);
  launch(&bench, 0, 100);
  assert_int_equal(decided(&bench, (struct qsm_preempt_request){.technique = QSM_TECHNIQUE_DRAIN}),
                   QSM_PREEMPT_ACCEPTED);  // slot 3
  uint64_t t = bench.cycle;
  qsm_tb_sched_retire(bench.ts, t + 5, 0, 0, false);
  run_to(&bench, t + 50);
  assert_null(notes_event(bench.notes, QSM_EV_DISPATCH, 4));
  qsm_tb_sched_retire(bench.ts, t + 50, 0, 3, false);
  run_to(&bench, t + 54);
  assert_int_equal(result(&bench, 0), 2);
  assert_int_equal(notes_event(bench.notes, QSM_EV_DISPATCH, 4)->cycle, t + 53);
  sched_close(&bench);
}

static void a_kill_drops_what_is_saved_and_what_is_being_saved(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_tiny(), 1);
  bench.ctrl.regs.preempt_hold[0] = 1;
  launch(&bench, 0, 2);
  uint64_t seen = save(&bench, 1);
  run_to(&bench, seen + 5);
  assert_int_equal(decided(&bench, (struct qsm_preempt_request){0}), QSM_PREEMPT_ACCEPTED);
  uint64_t t = bench.cycle;
  qsm_tb_sched_step(bench.ts, t, 1);
  bench.cycle = t + 1;
  qsm_tb_sched_retire(bench.ts, t + 20, 0, 0, true);  // evicted before the kill came
  run_to(&bench, t + 60);
  assert_int_equal(result(&bench, 0), 4);
  assert_int_equal(notes_event(bench.notes, QSM_EV_END, 0)->cycle, t + 22);
  assert_int_equal(qsm_preempt_saved(pe(&bench), 0), 0);
  assert_int_equal(qsm_tb_sched_busy(bench.ts), 0);
  sched_close(&bench);
}

// R-SC-12, R-PE-22.
static void a_saved_block_does_not_count_for_quotas_from_the_decision_on(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench, model_tiny(), 1);
  launch(&bench, 0, 100);
  uint32_t resident = qsm_tb_sched_sharing(bench.ts, 0, 0);
  assert_int_equal(resident, qsm_tb_sched_resident(bench.ts, 0, 0));
  assert_int_equal(decided(&bench, (struct qsm_preempt_request){0}), QSM_PREEMPT_ACCEPTED);
  assert_int_equal(qsm_tb_sched_sharing(bench.ts, 0, 0), resident - 1);
  assert_int_equal(qsm_tb_sched_resident(bench.ts, 0, 0), resident);
  sched_close(&bench);
}

// ---- SMs that answer at random, with a reference of the location of each block ----

enum { MAX_SMS = 8, MAX_TBS = 16, MAX_LIVE = 512 };

struct block {
  uint32_t ticket, linear;
  int image;  // >= 0: it lies there
  bool fresh;
};

struct answer {
  uint64_t cycle;  // 0: none
  uint32_t sm, tb;
  bool restored, saved;
};

struct world {
  struct bench bench;
  uint64_t random;
  bool used[MAX_SMS][MAX_TBS];
  uint64_t told_at[MAX_SMS][MAX_TBS];  // when the slot's last block retired
  uint32_t kernel[MAX_SMS][MAX_TBS];
  struct block resident[MAX_SMS][MAX_TBS];
  uint32_t n_queued[QSM_MAX_KERNELS];
  struct block queue[QSM_MAX_KERNELS][16];
  bool busy[MAX_SMS];  // the SM's sequencer
  uint32_t busy_tb[MAX_SMS];
  struct answer pending[MAX_SMS][MAX_TBS];
  uint64_t answered[MAX_SMS];  // cycle of the SM's last answer
  uint64_t saved_at;           // cycle of the last one of a saved block
  uint32_t n_msgs, n_done[QSM_MAX_KERNELS];
  uint64_t n_saved, n_restored, n_ended_before;
};

static void check_tickets(const struct world *world, uint32_t k) {
  const struct qsm_config *config = &world->bench.config;
  bool seen[MAX_LIVE] = {false};
  for (uint32_t i = 0; i < config->num_sms; i++) {
    for (uint32_t s = 0; s < config->max_tbs; s++) {
      if (!world->used[i][s] || world->kernel[i][s] != k) continue;
      uint32_t ticket = world->resident[i][s].ticket;
      assert_true(ticket < config->num_images + config->num_sms * config->max_tbs);
      assert_false(seen[ticket]);
      seen[ticket] = true;
    }
  }
  for (uint32_t n = 0; n < world->n_queued[k]; n++) {
    assert_false(seen[world->queue[k][n].ticket]);
    seen[world->queue[k][n].ticket] = true;
  }
}

// One answer per SM and cycle; blocks that are saved are seen in the order of their answers
// (R-TB-18).
static void answer_later(struct world *world, uint32_t sm, uint32_t tb, bool restored, bool saved,
                         uint32_t after) {
  uint64_t cycle = world->bench.cycle + 1 + after;
  const struct qsm_config *config = &world->bench.config;
  uint64_t settled = world->saved_at + 2 * config->num_sms * config->max_tbs;
  if (saved && cycle <= settled) cycle = settled + 1;
  if (cycle <= world->answered[sm]) cycle = world->answered[sm] + 1;
  if (saved) world->saved_at = cycle;
  world->answered[sm] = cycle;
  world->pending[sm][tb] =
      (struct answer){.cycle = cycle, .sm = sm, .tb = tb, .restored = restored, .saved = saved};
}

static void take_dispatch(struct world *world, uint32_t sm, const struct qsm_sm_msg *msg) {
  assert_false(world->used[sm][msg->tb]);
  struct block block = {.ticket = msg->ticket, .linear = msg->linear, .image = -1};
  if (msg->op == QSM_TB_RESTORE) {
    const struct block *head = &world->queue[msg->kernel][0];  // FIFO
    assert_true(world->n_queued[msg->kernel] > 0);
    assert_int_equal(msg->image, head->image);
    assert_int_equal(msg->fresh, head->fresh);
    assert_int_equal(msg->ticket, head->ticket);
    assert_false(world->busy[sm]);
    block = *head;
    world->n_queued[msg->kernel]--;
    memmove(world->queue[msg->kernel], head + 1, world->n_queued[msg->kernel] * sizeof *head);
    world->busy[sm] = true;
    world->busy_tb[sm] = msg->tb;
    world->n_restored++;
  }
  world->used[sm][msg->tb] = true;
  world->kernel[sm][msg->tb] = msg->kernel;
  world->resident[sm][msg->tb] = block;
  world->pending[sm][msg->tb].cycle = 0;
  if (msg->op == QSM_TB_RESTORE)
    answer_later(world, sm, msg->tb, true, false, model_random(&world->random, 60));
  check_tickets(world, msg->kernel);
}

static void take_messages(struct world *world) {
  struct notes *notes = world->bench.notes;
  for (; world->n_msgs < notes->n_msgs; world->n_msgs++) {
    const struct noted_msg *noted = &notes->msg[world->n_msgs % NOTES_MAX];
    if (noted->msg.kind == QSM_MSG_DISPATCH) take_dispatch(world, noted->sm, &noted->msg);
    if (noted->msg.kind != QSM_MSG_SAVE) continue;
    uint32_t sm = noted->sm, tb = noted->msg.tb;
    if (world->pending[sm][tb].cycle) continue;  // its retirement is under way
    if (!world->used[sm][tb]) {                  // or waits to be seen (R-TB-18)
      const struct qsm_config *config = &world->bench.config;
      assert_true(world->told_at[sm][tb] > 0 && world->bench.cycle - world->told_at[sm][tb] <
                                                    2 * config->num_sms * config->max_tbs);
      continue;
    }
    assert_false(world->busy[sm]);
    bool saved = model_random(&world->random, 4) != 0;
    world->resident[sm][tb].image = noted->msg.image;
    world->resident[sm][tb].fresh = noted->msg.op == QSM_TB_FLUSH;
    world->busy[sm] = true;
    world->busy_tb[sm] = tb;
    answer_later(world, sm, tb, false, saved, model_random(&world->random, 60));
    world->n_ended_before += !saved;
  }
}

static void send_answers(struct world *world) {
  struct bench *bench = &world->bench;
  for (uint32_t i = 0; i < bench->config.num_sms; i++) {
    for (uint32_t s = 0; s < bench->config.max_tbs; s++) {
      struct answer *answer = &world->pending[i][s];
      if (answer->cycle != bench->cycle) continue;
      answer->cycle = 0;
      if (world->busy[i] && world->busy_tb[i] == s) world->busy[i] = false;
      if (answer->restored) {
        qsm_tb_sched_restored(bench->ts, bench->cycle, i);
        continue;
      }
      uint32_t k = world->kernel[i][s];
      qsm_tb_sched_retire(bench->ts, bench->cycle, i, s, answer->saved);
      world->used[i][s] = false;
      world->told_at[i][s] = bench->cycle;
      world->n_done[k] += !answer->saved;
      world->n_saved += answer->saved;
      if (answer->saved) world->queue[k][world->n_queued[k]++] = world->resident[i][s];
    }
  }
}

// Blocks that nothing happens to end some time.
static void retire_some(struct world *world) {
  struct bench *bench = &world->bench;
  uint32_t i = model_random(&world->random, bench->config.num_sms),
           s = model_random(&world->random, bench->config.max_tbs);
  bool frozen = world->busy[i] && world->busy_tb[i] == s;
  if (world->used[i][s] && !frozen && !world->pending[i][s].cycle)
    answer_later(world, i, s, false, false, bench->config.noc_lat);
}

static void random_requests_lose_no_block_and_no_ticket_is_given_twice(void **state) {
  (void)state;
  struct qsm_config configs[] = {model_tiny(), model_odd(), model_demo()};
  uint64_t seed = model_seed("random_requests_lose_no_block_and_no_ticket_is_given_twice");
  for (uint32_t n = 0; n < 3; n++) {
    enum { GRID = 400 };
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->random = seed + n;
    struct bench *bench = &world->bench;
    bench_open(bench, configs[n], 2);
    for (uint32_t k = 0; k < 2; k++) {
      bench->ctrl.regs.shared.desc[k].grid[0] = GRID;
      run_to(bench, bench->cycle + 1);
      qsm_tb_sched_launch(bench->ts, k);
    }
    uint64_t limit = bench->cycle + 400000;
    while (qsm_tb_sched_busy(bench->ts)) {
      take_messages(world);
      send_answers(world);
      if (model_random(&world->random, 8) == 0) retire_some(world);
      run_to(bench, bench->cycle + 1);
      if (model_random(&world->random, 200) == 0)
        bench->ctrl.regs.preempt_hold[model_random(&world->random, 2)] ^= 1;
      if (bench->cycle > limit - 50000)
        memset(bench->ctrl.regs.preempt_hold, 0, sizeof bench->ctrl.regs.preempt_hold);
      assert_true(bench->cycle < limit);
      if (code(bench) == QSM_PREEMPT_EXAMINED || model_random(&world->random, 30)) continue;
      const struct qsm_preempt_request request = {
          .sm = (uint8_t)model_random(&world->random, configs[n].num_sms),
          .kernel = (uint8_t)model_random(&world->random, 2),
          .tb = (uint8_t)model_random(&world->random, configs[n].max_tbs),
          .by_slot = model_random(&world->random, 2),
          .technique = (uint8_t)model_random(&world->random, QSM_TECHNIQUE_COUNT)};
      qsm_tb_sched_preempt(bench->ts, &request);
    }
    for (uint32_t k = 0; k < 2; k++) assert_int_equal(world->n_done[k], GRID);
    assert_true(world->n_saved > 20 && world->n_restored == world->n_saved &&
                world->n_ended_before > 5);
    printf("# %s: %llu saved, %llu restored, %llu ended before\n", configs[n].name,
           (unsigned long long)world->n_saved, (unsigned long long)world->n_restored,
           (unsigned long long)world->n_ended_before);
    sched_close(bench);
    free(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_switch_is_decided_three_cycles_after_its_write_and_one_more_per_image),
      cmocka_unit_test(a_drain_and_one_without_an_image_are_decided_two_cycles_after),
      cmocka_unit_test(refusals_come_in_the_order_of_their_codes),
      cmocka_unit_test(an_area_that_wraps_is_too_small),
      cmocka_unit_test(the_youngest_block_goes_also_when_its_slot_is_low),
      cmocka_unit_test(a_block_whose_retirement_is_seen_at_the_decision_is_none),
      cmocka_unit_test(flags_are_served_one_sm_after_the_other_behind_the_host),
      cmocka_unit_test(a_refused_flag_falls_and_one_that_has_fallen_is_dropped),
      cmocka_unit_test(a_saved_block_is_queued_a_cycle_later_and_restored_before_new_ones),
      cmocka_unit_test(held_blocks_wait_and_so_does_the_end),
      cmocka_unit_test(no_new_block_comes_to_an_sm_that_drains_until_it_has),
      cmocka_unit_test(a_kill_drops_what_is_saved_and_what_is_being_saved),
      cmocka_unit_test(a_saved_block_does_not_count_for_quotas_from_the_decision_on),
      cmocka_unit_test(random_requests_lose_no_block_and_no_ticket_is_given_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
