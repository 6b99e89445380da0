// SPDX-License-Identifier: Apache-2.0
// The thread-block scheduler, R-TB-1 to R-TB-12, R-TB-14, R-TB-15 and R-TB-17, with SMs that only
// take notes; the allocator against a brute-force reference; the resource tables against tables of
// single warps and granules.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched_bench.h"

// Register writes in cycle bench->cycle, which is run.
static void arrive(struct bench *bench, uint32_t k, bool qos) {
  run_to(bench, bench->cycle + 1);
  bench->ctrl.regs.valid_mask |= 1u << k;
  bench->ctrl.regs.shared.qos_mask |= (uint32_t)qos << k;
  qsm_tb_sched_arrive(bench->ts, k);
  qsm_tb_sched_request_targets(bench->ts);
}

static void launch(struct bench *bench, uint32_t k, uint32_t grid, uint32_t warps,
                   uint32_t granules) {
  struct qsm_desc *desc = &bench->ctrl.regs.shared.desc[k];
  desc->grid[0] = grid;
  desc->warps = warps;
  desc->granules = granules;
  run_to(bench, bench->cycle + 1);
  qsm_tb_sched_launch(bench->ts, k);
}

// E is the cycle that is returned.
static uint64_t end_epoch(struct bench *bench) {
  uint64_t t = bench->cycle;
  qsm_tb_sched_take_had_tb(bench->ts, t);
  run_to(bench, t + 1);
  return t;
}

// Launches with the targets settled; returns the cycle of the LAUNCH.
static uint64_t launch_settled(struct bench *bench, uint32_t k, uint32_t grid, uint32_t warps,
                               uint32_t granules) {
  launch(bench, k, 0xffff, warps, granules);
  uint64_t cycle = bench->cycle - 1;
  bench->ctrl.regs.shared.desc[k].grid[0] = grid;
  return cycle;
}

static const struct qsm_event *dispatch_number(const struct bench *bench, uint32_t n) {
  return notes_event(bench->notes, QSM_EV_DISPATCH, n);
}

// ---- Launch and end ----

// A slot whose shape is {1, 0} on arrival and so asks for no new targets at its launch.
static void open_with_slot(struct bench *bench, struct qsm_config config) {
  sched_open(bench, config);
  arrive(bench, 0, false);
  run_to(bench, 200);
  assert_false(qsm_tb_sched_alloc_busy(bench->ts));
}

// R-TB-1, R-TB-17.
static void a_launch_starts_one_cycle_later_and_dispatches_four_later(void **state) {
  (void)state;
  struct bench bench;
  open_with_slot(&bench, model_tiny());
  uint64_t t = launch_settled(&bench, 0, 2, 1, 0);
  run_to(&bench, t + 20);
  assert_int_equal(notes_find(bench.notes, 0, QSM_MSG_START, 0)->cycle,
                   t + 1 + bench.config.noc_lat);
  // Candidate in t + 2, then its place, then the message.
  assert_int_equal(dispatch_number(&bench, 0)->cycle, t + 4);
  assert_int_equal(notes_find(bench.notes, 0, QSM_MSG_DISPATCH, 0)->cycle,
                   t + 4 + bench.config.noc_lat);
  // The one SM is under way in t + 3 and t + 4: the next candidate is that of t + 5.
  assert_int_equal(dispatch_number(&bench, 1)->cycle, t + 7);
  assert_null(dispatch_number(&bench, 2));
  sched_close(&bench);
}

static void the_grid_is_walked_x_then_y_then_z(void **state) {
  (void)state;
  struct bench bench;
  open_with_slot(&bench, model_demo());
  uint32_t *grid = bench.ctrl.regs.shared.desc[0].grid;
  grid[1] = 3;
  grid[2] = 2;
  uint64_t t = launch_settled(&bench, 0, 2, 1, 0);
  run_to(&bench, t + 40);
  uint32_t found[4] = {0};
  for (uint32_t n = 0; n < 12; n++) {
    const struct qsm_event *event = dispatch_number(&bench, n);
    uint32_t sm = event->word[0];
    const struct qsm_sm_msg *msg = notes_find(bench.notes, sm, QSM_MSG_DISPATCH, found[sm]++);
    assert_int_equal(msg->linear, n);
    assert_int_equal(msg->block[0], n % 2);
    assert_int_equal(msg->block[1], n / 2 % 3);
    assert_int_equal(msg->block[2], n / 6);
  }
  assert_null(dispatch_number(&bench, 12));
  sched_close(&bench);
}

static void a_launch_ends_sixteen_cycles_after_its_last_retirement_was_seen(void **state) {
  (void)state;
  struct bench bench;
  open_with_slot(&bench, model_tiny());
  uint64_t t = launch_settled(&bench, 0, 1, 1, 0);
  qsm_tb_sched_retire(bench.ts, t + 30, 0, 0, false);
  run_to(&bench, t + 31 + 16);
  assert_int_equal(qsm_tb_sched_end_at(bench.ts), t + 31 + 16);
  assert_int_equal(notes_event(bench.notes, QSM_EV_END, 0)->cycle, t + 31);
  assert_int_equal(bench.ctrl.regs.irq, 0);
  assert_int_equal(qsm_tb_sched_busy(bench.ts), 1);
  run_to(&bench, t + 31 + 17);
  assert_int_equal(bench.ctrl.regs.irq, 1);
  assert_int_equal(qsm_tb_sched_busy(bench.ts), 0);
  assert_int_equal(qsm_tb_sched_launches(bench.ts, 0), 1);
  assert_true(qsm_tb_sched_end_at(bench.ts) == QSM_NEVER);
  sched_close(&bench);
}

static void a_new_tenant_counts_its_launches_from_zero(void **state) {
  (void)state;
  struct bench bench;
  open_with_slot(&bench, model_tiny());
  uint64_t t = launch_settled(&bench, 0, 1, 1, 0);
  qsm_tb_sched_retire(bench.ts, t + 30, 0, 0, false);
  run_to(&bench, t + 60);
  arrive(&bench, 0, false);
  assert_int_equal(qsm_tb_sched_launches(bench.ts, 0), 0);
  sched_close(&bench);
}

static void a_fault_kills_with_the_record_of_the_lowest_sm(void **state) {
  (void)state;
  struct bench bench;
  open_with_slot(&bench, model_odd());
  const struct qsm_fault high = {.cause = 7, .pc = 4},
                         low = {.cause = 5, .pc = 8, .tid = 1, .block = 2, .value = 3},
                         late = {.cause = 9};
  uint64_t t = launch_settled(&bench, 0, 2, 1, 0);
  run_to(&bench, t + 10);
  qsm_tb_sched_fault(bench.ts, t + 12, 2, 0, &high);
  qsm_tb_sched_fault(bench.ts, t + 12, 1, 0, &low);
  qsm_tb_sched_fault(bench.ts, t + 13, 0, 0, &late);
  run_to(&bench, t + 14);
  assert_int_equal(qsm_tb_sched_killed(bench.ts), 1);
  assert_memory_equal(qsm_tb_sched_record(bench.ts, 0), &low, sizeof low);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(notes_find(bench.notes, i, QSM_MSG_KILL, 0)->cycle,
                     t + 12 + bench.config.noc_lat);
    assert_null(notes_find(bench.notes, i, QSM_MSG_KILL, 1));
  }
  sched_close(&bench);
}

static void a_killed_launch_dispatches_no_more_and_ends_when_its_blocks_are_back(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 2; late++) {
    struct bench bench;
    open_with_slot(&bench, model_tiny());
    uint64_t t = launch_settled(&bench, 0, 100, 1, 0);
    // KILL where the second block finds its place, which is dropped then, or in the cycle in which
    // its message is sent.
    uint64_t kill_at = t + 6 + late;
    run_to(&bench, kill_at);
    assert_int_equal(qsm_tb_sched_step(bench.ts, kill_at, 1), 0);
    bench.cycle = kill_at + 1;
    assert_int_equal(qsm_tb_sched_record(bench.ts, 0)->cause, 24);
    run_to(&bench, t + 20);
    if (late) {
      assert_non_null(dispatch_number(&bench, 1));
      assert_int_equal(dispatch_number(&bench, 1)->cycle, t + 7);
    }
    assert_null(dispatch_number(&bench, 1 + late));
    if (late) qsm_tb_sched_retire(bench.ts, t + 20, 0, 1, false);
    qsm_tb_sched_retire(bench.ts, t + 25, 0, 0, false);
    run_to(&bench, t + 60);
    assert_int_equal(notes_event(bench.notes, QSM_EV_END, 0)->cycle, t + 26);
    assert_int_equal(notes_event(bench.notes, QSM_EV_END, 0)->word[1], 1);
    assert_int_equal(bench.ctrl.regs.irq, 1);
    assert_int_equal(qsm_tb_sched_killed(bench.ts), 1);
    assert_int_equal(qsm_tb_sched_launches(bench.ts, 0), 0);
    sched_close(&bench);
  }
}

static void faults_of_ending_or_killed_launches_are_ignored(void **state) {
  (void)state;
  struct bench bench;
  const struct qsm_fault record = {.cause = 7};
  open_with_slot(&bench, model_tiny());
  uint64_t t = launch_settled(&bench, 0, 1, 1, 0);
  qsm_tb_sched_retire(bench.ts, t + 10, 0, 0, false);
  run_to(&bench, t + 12);
  qsm_tb_sched_fault(bench.ts, t + 12, 0, 0, &record);  // ending since t + 11
  run_to(&bench, t + 60);
  assert_int_equal(qsm_tb_sched_killed(bench.ts), 0);
  assert_null(notes_find(bench.notes, 0, QSM_MSG_KILL, 0));
  assert_int_equal(qsm_tb_sched_launches(bench.ts, 0), 1);
  sched_close(&bench);
}

static void a_fault_wins_over_a_kill_of_the_same_cycle(void **state) {
  (void)state;
  struct bench bench;
  const struct qsm_fault record = {.cause = 7};
  open_with_slot(&bench, model_tiny());
  uint64_t t = launch_settled(&bench, 0, 1, 1, 0);
  run_to(&bench, t + 10);
  qsm_tb_sched_fault(bench.ts, t + 10, 0, 0, &record);
  qsm_tb_sched_step(bench.ts, t + 10, 1);
  assert_int_equal(qsm_tb_sched_record(bench.ts, 0)->cause, 7);
  sched_close(&bench);
}

// ---- Targets ----

struct ref_targets {
  uint32_t target[QSM_MAX_KERNELS];
  bool assigned[QSM_MAX_KERNELS];
  uint32_t n_cycles;
};

// R-TB-7, R-TB-8 and R-TB-15 by the letter; `active`: slots that take part.
static struct ref_targets reference(const struct bench *bench, const uint32_t *warps,
                                    const uint32_t *granules, uint32_t active, uint32_t sm) {
  const struct qsm_regs *regs = &bench->ctrl.regs;
  const struct qsm_config *config = &bench->config;
  struct ref_targets ref = {.n_cycles = 1};
  uint32_t number = 0, n_others = 0, n_assigned = 0;
  bool any_qos = false, *assigned = ref.assigned;
  for (uint32_t k = 0; k < config->num_kernels; k++) {
    bool valid = (regs->valid_mask & active) >> k & 1,
         qos = (regs->shared.qos_mask & active) >> k & 1;
    any_qos |= qos;
    n_others += valid && !qos;
  }
  for (uint32_t k = 0; k < config->num_kernels; k++) {
    bool valid = (regs->valid_mask & active) >> k & 1,
         qos = (regs->shared.qos_mask & active) >> k & 1;
    bool in_mask = regs->sm_mask[k] >> sm & 1;
    bool mine = !any_qos || qos || number == sm * n_others / config->num_sms;
    assigned[k] = valid && in_mask && mine;
    number += valid && !qos;
    n_assigned += assigned[k];
  }
  for (uint32_t k = 0; k < config->num_kernels; k++) {
    if (!assigned[k]) continue;
    uint32_t cap = regs->warp_cap[k],
             n = cap ? cap / warps[k] : config->warps_per_sm / (n_assigned * warps[k]);
    if (n > config->max_tbs) n = config->max_tbs;
    ref.n_cycles += 1 + n;
    ref.target[k] = n || cap ? n : 1;
  }
  for (ref.n_cycles++;; ref.n_cycles += 2) {
    uint32_t sum_warps = 0, sum_tbs = 0, sum_granules = 0, largest = 0, largest_with_granules = 0,
             most = 0, most_with_granules = 0;
    for (uint32_t k = 0; k < config->num_kernels; k++) {
      if (regs->warp_cap[k]) continue;
      sum_warps += ref.target[k] * warps[k];
      sum_tbs += ref.target[k];
      sum_granules += ref.target[k] * granules[k];
      if (ref.target[k] >= largest) largest = ref.target[most = k];
      if (granules[k] && ref.target[k] >= largest_with_granules)
        largest_with_granules = ref.target[most_with_granules = k];
    }
    bool others_fit = sum_warps <= config->warps_per_sm && sum_tbs <= config->max_tbs;
    if (others_fit && sum_granules <= 32) return ref;
    ref.target[others_fit ? most_with_granules : most]--;
  }
}

// Arrives and launches random slots, then lets the allocator run once over all SMs and follows it
// in time.
static void compare_allocation(struct qsm_config config, uint64_t *seed) {
  struct bench bench;
  uint32_t warps[QSM_MAX_KERNELS], granules[QSM_MAX_KERNELS], n_before = 0, launched = 0;
  sched_open(&bench, config);
  for (uint32_t k = 0; k < config.num_kernels; k++) {
    warps[k] = 1;
    granules[k] = 0;
    bench.ctrl.regs.sm_mask[k] = model_random(seed, 4) ? UINT64_MAX >> (64 - config.num_sms)
                                                       : model_random(seed, 1u << config.num_sms);
    if (model_random(seed, 4) == 0) continue;
    arrive(&bench, k, model_random(seed, 2));
    if (model_random(seed, 3) == 0)
      bench.ctrl.regs.warp_cap[k] = 1 + model_random(seed, config.warps_per_sm);
    if (model_random(seed, 4) == 0) continue;
    warps[k] = 1 + model_random(seed, config.warps_per_sm);
    granules[k] = model_random(seed, 33);
    launch(&bench, k, 1, warps[k], granules[k]);
    launched |= 1u << k;
  }
  uint32_t active = bench.ctrl.regs.valid_mask;
  if (model_random(seed, 2)) {  // the others stay behind (R-TB-14)
    for (uint32_t n = 0; n < 2; n++) end_epoch(&bench);
    active = launched;
  }
  run_to(&bench, bench.cycle + 20000);
  assert_false(qsm_tb_sched_alloc_busy(bench.ts));
  while (notes_event(bench.notes, QSM_EV_TARGETS, n_before)) n_before++;
  uint64_t t = bench.cycle;
  run_to(&bench, t + 1);
  qsm_tb_sched_request_targets(bench.ts);  // in t; it starts in t + 1, SM 0 in t + 2
  uint64_t end = t + 1;
  run_to(&bench, t + 20000);
  bool written[QSM_MAX_SMS] = {false};
  for (uint32_t i = 0, n = n_before; i < config.num_sms; i++) {
    struct ref_targets ref = reference(&bench, warps, granules, active, i);
    for (uint32_t k = 0; k < config.num_kernels; k++)
      assert_int_equal(qsm_tb_sched_target(bench.ts, i, k), ref.target[k]);
    if (written[i]) continue;
    end += ref.n_cycles;  // R-TB-6: a round, for this SM and those that are alike
    for (uint32_t j = i; j < config.num_sms; j++) {
      struct ref_targets other = reference(&bench, warps, granules, active, j);
      if (memcmp(other.assigned, ref.assigned, sizeof ref.assigned) != 0) continue;
      const struct qsm_event *event = notes_event(bench.notes, QSM_EV_TARGETS, n++);
      written[j] = true;
      assert_int_equal(event->cycle, end);
      assert_int_equal(event->word[0], j);
      for (uint32_t k = 0; k < config.num_kernels; k++)
        assert_int_equal(event->word[1 + k], ref.target[k]);
    }
  }
  sched_close(&bench);
}

static void targets_and_their_time_equal_the_brute_force_reference(void **state) {
  (void)state;
  uint64_t seed = model_seed("test_tb_sched");
  for (uint32_t n = 0; n < 100; n++) {
    compare_allocation(model_tiny(), &seed);
    compare_allocation(model_odd(), &seed);
    compare_allocation(model_demo(), &seed);
    compare_allocation(model_wide(), &seed);
  }
}

static void no_block_goes_out_while_targets_are_computed(void **state) {
  (void)state;
  struct bench bench;
  open_with_slot(&bench, model_odd());
  uint64_t t =
      launch_settled(&bench, 0, 3, 2, 4);  // a new shape: allocation starts in t + 1, SM 0 in t + 2
  run_to(&bench, t + 2);
  assert_true(qsm_tb_sched_alloc_busy(bench.ts));
  run_to(&bench, t + 100);
  uint64_t last = notes_event(bench.notes, QSM_EV_TARGETS, 5)->cycle;
  assert_true(last > t + 2);
  // Candidate in last + 1.
  assert_int_equal(dispatch_number(&bench, 0)->cycle, last + 3);
  sched_close(&bench);
}

// R-TB-6, R-TB-10, R-TB-17: a request in t + 2 to t + 4; the candidates of t + 2 on are for SM 0, 1
// and so on, whatever becomes of them.
static void a_request_for_targets_drops_the_blocks_under_way(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 3; late++) {
    struct bench bench;
    open_with_slot(&bench, model_odd());
    uint64_t t = launch_settled(&bench, 0, 100, 1, 0);
    run_to(&bench, t + 3 + late);
    qsm_tb_sched_request_targets(bench.ts);
    run_to(&bench, t + 100);
    uint64_t last = notes_event(bench.notes, QSM_EV_TARGETS, 5)->cycle;
    assert_int_equal(last, t + 3 + late + 8);  // it starts; 1 + (1 + 5) + 1
    uint32_t n_sent = late == 2;  // the one whose message is sent in the cycle of the request
    if (n_sent) assert_int_equal(dispatch_number(&bench, 0)->cycle, t + 4);
    const struct qsm_event *event = dispatch_number(&bench, n_sent);
    assert_int_equal(event->cycle, last + 3);
    assert_int_equal(event->word[0], (1 + late) % 3);
    assert_int_equal(event->word[3], n_sent);
    sched_close(&bench);
  }
}

static void a_launch_of_the_same_shape_keeps_the_targets(void **state) {
  (void)state;
  struct bench bench;
  open_with_slot(&bench, model_tiny());
  uint64_t t = launch_settled(&bench, 0, 1, 1, 0);
  run_to(&bench, t + 1);
  assert_false(qsm_tb_sched_alloc_busy(bench.ts));
  sched_close(&bench);
}

static void a_request_during_a_run_starts_the_next_run(void **state) {
  (void)state;
  struct bench bench;
  open_with_slot(&bench, model_odd());
  run_to(&bench, 300);
  qsm_tb_sched_request_targets(bench.ts);
  run_to(&bench, 303);
  qsm_tb_sched_request_targets(bench.ts);
  run_to(&bench, 500);
  // One slot alone, all SMs alike: 1 set-up, 1 + 5, 1 check: 8 cycles. Start in 300, round to 308;
  // start in 309.
  assert_int_equal(notes_event(bench.notes, QSM_EV_TARGETS, 3)->cycle, 308);
  assert_int_equal(notes_event(bench.notes, QSM_EV_TARGETS, 5)->cycle, 308);
  assert_int_equal(notes_event(bench.notes, QSM_EV_TARGETS, 6)->cycle, 317);
  assert_null(notes_event(bench.notes, QSM_EV_TARGETS, 9));
  sched_close(&bench);
}

// ---- Caps: R-TB-15 ----

static uint32_t capped_target(const struct bench *bench, uint32_t sm, uint32_t k) {
  return qsm_tb_sched_target(bench->ts, sm, k);
}

// Slot 0 with a cap of three of four warps, and slot 1 with one or none, on one SM.
static void open_capped(struct bench *bench, uint32_t other_cap) {
  sched_open(bench, model_tiny());
  for (uint32_t k = 0; k < 2; k++) arrive(bench, k, false);
  bench->ctrl.regs.warp_cap[0] = 3;
  bench->ctrl.regs.warp_cap[1] = other_cap;
  launch(bench, 0, 0xffff, 1, 0);
  run_to(bench, bench->cycle + 100);
}

// R-TB-15: who comes first is served, up to the cap and no further.
static void capped_slots_take_what_is_free(void **state) {
  (void)state;
  struct bench bench;
  open_capped(&bench, 3);
  assert_int_equal(capped_target(&bench, 0, 0), 3);
  assert_int_equal(capped_target(&bench, 0, 1), 3);
  assert_int_equal(qsm_tb_sched_resident(bench.ts, 0, 0), 3);
  launch(&bench, 1, 0xffff, 1, 0);
  run_to(&bench, bench.cycle + 100);
  assert_int_equal(qsm_tb_sched_resident(bench.ts, 0, 1), 1);
  for (uint32_t n = 0; n < 2; n++) {  // what slot 0 loses either may have, in turn
    qsm_tb_sched_retire(bench.ts, bench.cycle, 0, n, false);
    run_to(&bench, bench.cycle + 1);
  }
  run_to(&bench, bench.cycle + 50);
  assert_int_equal(qsm_tb_sched_resident(bench.ts, 0, 0), 2);
  assert_int_equal(qsm_tb_sched_resident(bench.ts, 0, 1), 2);
  sched_close(&bench);
}

// R-TB-15: a capped slot counts among the n that share, its blocks do not.
static void a_slot_beside_a_capped_one_has_its_symmetric_share(void **state) {
  (void)state;
  struct bench bench;
  open_capped(&bench, 0);
  assert_int_equal(capped_target(&bench, 0, 0), 3);
  assert_int_equal(capped_target(&bench, 0, 1), 2);
  sched_close(&bench);
}

// R-TB-15: blocks that are there stay, however many.
static void a_smaller_cap_binds_later_blocks_only(void **state) {
  (void)state;
  struct bench bench;
  open_capped(&bench, 0);
  bench.ctrl.regs.warp_cap[0] = 1;
  qsm_tb_sched_request_targets(bench.ts);
  run_to(&bench, bench.cycle + 100);
  assert_int_equal(capped_target(&bench, 0, 0), 1);
  assert_int_equal(qsm_tb_sched_resident(bench.ts, 0, 0), 3);
  for (uint32_t n = 0; n < 3; n++) {
    qsm_tb_sched_retire(bench.ts, bench.cycle, 0, n, false);
    run_to(&bench, bench.cycle + 50);
    assert_int_equal(qsm_tb_sched_resident(bench.ts, 0, 0), n < 2 ? 2 - n : 1);
  }
  sched_close(&bench);
}

// R-TB-15: of a cap below one block of an idle slot comes a target of 0.
static void a_cap_below_a_block_lets_none_go(void **state) {
  (void)state;
  struct bench bench;
  sched_open(&bench, model_tiny());
  arrive(&bench, 0, false);
  launch(&bench, 0, 1, 4, 0);
  run_to(&bench, 100);
  qsm_tb_sched_retire(bench.ts, 100, 0, 0, false);
  run_to(&bench, 200);
  bench.ctrl.regs.warp_cap[0] = 3;
  qsm_tb_sched_request_targets(bench.ts);
  run_to(&bench, 300);
  assert_int_equal(capped_target(&bench, 0, 0), 0);
  sched_close(&bench);
}

// ---- Active contexts: R-TB-14 ----

enum { ACTIVE = 4, USED = 8 };

static uint32_t life(const struct bench *bench, uint32_t k) {
  uint32_t value = 0;
  assert_true(qsm_tb_sched_state(bench->ts, k, 5, &value));
  return value & (ACTIVE | USED);
}

static uint32_t target(const struct bench *bench, uint32_t sm, uint32_t k) {
  return qsm_tb_sched_target(bench->ts, sm, k);
}

// Slot 0 runs for ever, slot 1 has only arrived.
static void open_idle(struct bench *bench, struct qsm_config config, bool first_qos,
                      bool second_qos) {
  sched_open(bench, config);
  arrive(bench, 0, first_qos);
  launch(bench, 0, 0xffff, 1, 0);
  arrive(bench, 1, second_qos);
  run_to(bench, bench->cycle + 300);
  assert_false(qsm_tb_sched_alloc_busy(bench->ts));
}

static void a_context_without_a_launch_takes_no_part_after_a_whole_epoch(void **state) {
  (void)state;
  struct bench bench;
  open_idle(&bench, model_tiny(), false, false);
  assert_int_equal(target(&bench, 0, 0), 2);
  assert_int_equal(life(&bench, 1), ACTIVE | USED);
  end_epoch(&bench);
  assert_int_equal(life(&bench, 0), ACTIVE | USED);
  assert_int_equal(life(&bench, 1), ACTIVE);
  assert_false(qsm_tb_sched_alloc_busy(bench.ts));
  end_epoch(&bench);
  assert_int_equal(life(&bench, 1), 0);
  assert_true(qsm_tb_sched_alloc_busy(bench.ts));
  run_to(&bench, bench.cycle + 100);
  assert_int_equal(target(&bench, 0, 0), 4);
  assert_int_equal(target(&bench, 0, 1), 0);
  end_epoch(&bench);
  assert_false(qsm_tb_sched_alloc_busy(bench.ts));
  launch(&bench, 1, 1, 1, 0);  // of the shape it has
  assert_int_equal(life(&bench, 1), ACTIVE | USED);
  assert_true(qsm_tb_sched_alloc_busy(bench.ts));
  run_to(&bench, bench.cycle + 100);
  assert_int_equal(target(&bench, 0, 0), 2);
  assert_int_equal(target(&bench, 0, 1), 2);
  sched_close(&bench);
}

// R-TB-14: the epoch in which it ended does not count.
static void a_context_whose_launch_ends_or_is_killed_drops_out_an_epoch_later(void **state) {
  (void)state;
  for (uint32_t killed = 0; killed < 2; killed++) {
    struct bench bench;
    open_with_slot(&bench, model_tiny());
    uint64_t t = launch_settled(&bench, 0, 1, 4, 0);
    run_to(&bench, t + 100);
    for (uint32_t n = 0; n < 3; n++) end_epoch(&bench);
    assert_int_equal(life(&bench, 0), ACTIVE | USED);
    if (killed) {
      qsm_tb_sched_step(bench.ts, bench.cycle, 1);
      bench.cycle++;
    }
    qsm_tb_sched_retire(bench.ts, bench.cycle, 0, 0, false);
    run_to(&bench, bench.cycle + 30);
    assert_int_equal(qsm_tb_sched_busy(bench.ts), 0);
    assert_int_equal(target(&bench, 0, 0), 1);
    end_epoch(&bench);
    assert_int_equal(life(&bench, 0), ACTIVE);
    end_epoch(&bench);
    assert_int_equal(life(&bench, 0), 0);
    run_to(&bench, bench.cycle + 100);
    assert_int_equal(target(&bench, 0, 0), 0);
    sched_close(&bench);
  }
}

// R-TB-14.
static void a_launch_or_an_arrival_in_a_snapshot_stays(void **state) {
  (void)state;
  struct bench bench;
  open_idle(&bench, model_tiny(), false, false);
  end_epoch(&bench);
  qsm_tb_sched_will_launch(bench.ts, 2);
  end_epoch(&bench);
  qsm_tb_sched_launch(bench.ts, 1);
  assert_int_equal(life(&bench, 1), ACTIVE | USED);
  assert_false(qsm_tb_sched_alloc_busy(bench.ts));  // nothing has changed
  sched_close(&bench);
  sched_open(&bench, model_tiny());
  end_epoch(&bench);
  arrive(&bench, 1, false);
  assert_int_equal(life(&bench, 1), ACTIVE | USED);
  sched_close(&bench);
}

// R-TB-14: a launch that ends in E, at whose start it is busy, was there.
static void a_slot_busy_at_the_start_of_a_snapshot_was_used(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 2; late++) {
    struct bench bench;
    open_with_slot(&bench, model_tiny());
    uint64_t t = launch_settled(&bench, 0, 1, 1, 0);
    run_to(&bench, t + 50);
    end_epoch(&bench);
    qsm_tb_sched_retire(bench.ts, t + 60, 0, 0, false);
    uint64_t last = t + 61 + 16;  // at its end busy falls
    run_to(&bench, last + late);
    end_epoch(&bench);
    assert_int_equal(qsm_tb_sched_busy(bench.ts), 0);
    assert_int_equal(life(&bench, 0), late ? ACTIVE : ACTIVE | USED);
    sched_close(&bench);
  }
}

// R-TB-14, R-TB-7.
static void a_context_with_a_goal_that_is_idle_leaves_its_sms_to_all(void **state) {
  (void)state;
  struct bench bench;
  sched_open(&bench, model_demo());
  arrive(&bench, 0, false);
  launch(&bench, 0, 0xffff, 1, 0);
  arrive(&bench, 1, false);
  launch(&bench, 1, 0xffff, 1, 0);
  arrive(&bench, 2, true);
  run_to(&bench, bench.cycle + 500);
  assert_int_equal(target(&bench, 0, 1), 0);  // the SMs are shared out among those without a goal
  assert_int_equal(target(&bench, 3, 0), 0);
  for (uint32_t n = 0; n < 2; n++) end_epoch(&bench);
  run_to(&bench, bench.cycle + 500);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(target(&bench, i, 0), 4);
    assert_int_equal(target(&bench, i, 1), 4);
    assert_int_equal(target(&bench, i, 2), 0);
  }
  sched_close(&bench);
}

// R-TB-14, R-TB-8: active is read in a round's set-up, at its start.
static void a_snapshot_in_a_set_up_changes_the_next_run(void **state) {
  (void)state;
  struct bench bench;
  open_idle(&bench, model_odd(), false, false);
  end_epoch(&bench);
  run_to(&bench, bench.cycle + 50);
  uint32_t n_before = 0;
  while (notes_event(bench.notes, QSM_EV_TARGETS, n_before)) n_before++;
  qsm_tb_sched_request_targets(bench.ts);
  run_to(&bench, bench.cycle + 1);  // it starts
  end_epoch(&bench);                // the set-up of SM 0
  run_to(&bench, bench.cycle + 200);
  static const uint32_t targets[] = {3, 3, 3, 5, 5, 5};  // and then another run
  for (uint32_t n = 0; n < 6; n++)
    assert_int_equal(notes_event(bench.notes, QSM_EV_TARGETS, n_before + n)->word[1], targets[n]);
  assert_null(notes_event(bench.notes, QSM_EV_TARGETS, n_before + 6));
  sched_close(&bench);
}

// ---- Dispatch ----

// LAUNCH of slot k in 300 + k; `kernels`: the slots of the first blocks in order, a block in every
// cycle. Each goes round the SMs for itself.
static void check_turns(struct qsm_config config, uint32_t n_slots, const char *kernels) {
  struct bench bench;
  uint32_t next_sm[QSM_MAX_KERNELS] = {0};
  sched_open(&bench, config);
  for (uint32_t k = 0; k < n_slots; k++) arrive(&bench, k, true);
  run_to(&bench, 300);
  for (uint32_t k = 0; k < n_slots; k++) launch(&bench, k, 12, 1, 0);
  run_to(&bench, 400);
  for (uint32_t n = 0; kernels[n]; n++) {
    uint32_t k = (uint32_t)(kernels[n] - '0');
    const struct qsm_event *event = dispatch_number(&bench, n);
    assert_int_equal(event->cycle, 304 + n);
    assert_int_equal(event->word[2], k);
    assert_int_equal(event->word[0], next_sm[k]);
    next_sm[k] = (next_sm[k] + 1) % config.num_sms;
  }
  sched_close(&bench);
}

// R-TB-9. Slot 0 is alone in the first cycle, and goes on for the two in which slot 1 is held up
// at SM 0. On three SMs that is a round, and then slot 0 is held up at SM 0 itself, and so on in
// rounds; on four its next SM is another one, and they take turns block by block. Of three slots
// slot 2 is held up at SM 0 in 306 and 307 and has its turn in 308, then slot 0, after slot 2 at
// SM 0, in 309 and 310: slot 1 goes on, and slot 0 is the first in 311.
static void kernels_and_sms_take_turns(void **state) {
  (void)state;
  check_turns(model_odd(), 2, "000111000111");
  check_turns(model_demo(), 2, "000101010101");
  check_turns(model_demo(), 3, "000101211022");
}

// Slot 1, launched in 400, is a candidate for the one SM in 402 and every other cycle, and dropped
// in the next one for want of a place. What a retirement frees is seen in the cycle after it.
static void check_wait(uint64_t retired, uint64_t sent) {
  struct bench bench;
  open_with_slot(&bench, model_tiny());
  launch(&bench, 0, 100, 1, 0);
  run_to(&bench, 300);
  arrive(&bench, 1, true);  // slot 0 has all four warps, two more than its new target
  run_to(&bench, 400);
  launch(&bench, 1, 100, 1, 0);
  qsm_tb_sched_retire(bench.ts, retired, 0, 2, false);
  run_to(&bench, 500);
  assert_int_equal(qsm_tb_sched_resident(bench.ts, 0, 0), 3);
  const struct qsm_event *event = dispatch_number(&bench, 4);
  assert_int_equal(event->cycle, sent);
  assert_int_equal(event->word[1], 2);
  assert_int_equal(event->word[2], 1);
  assert_null(dispatch_number(&bench, 5));
  sched_close(&bench);
}

// R-TB-10, R-TB-17.
static void a_block_waits_until_it_fits(void **state) {
  (void)state;
  check_wait(450, 452);  // the candidate of 450 finds its place in 451
  check_wait(451, 454);  // that one does not; the next is that of 452
}

static void a_block_that_does_not_fit_passes_the_turn_to_the_next_sm(void **state) {
  (void)state;
  struct bench bench;
  open_with_slot(&bench, model_demo());
  launch(&bench, 0, 100, 1, 0);
  run_to(&bench, 400);
  arrive(&bench, 1, true);
  run_to(&bench, 600);
  launch(&bench, 1, 100, 2, 0);
  run_to(&bench, 650);
  qsm_tb_sched_retire(bench.ts, 650, 2, 5, false);  // both of sub-core 1: room for one warp of two
  run_to(&bench, 660);
  qsm_tb_sched_retire(bench.ts, 660, 2, 7, false);
  run_to(&bench, 690);
  assert_null(dispatch_number(&bench, 32));
  qsm_tb_sched_retire(bench.ts, 690, 2, 4, false);  // the one place
  run_to(&bench, 695);
  const struct qsm_event *event = dispatch_number(&bench, 32);
  assert_non_null(event);
  // The allocator runs from 602 to 611 (1 + 5 + 3 + 1), slot 1 is a candidate for SM 0 in 612, and
  // goes on by one SM in each cycle: SM 2 in 690, a place in 691.
  assert_int_equal(event->cycle, 692);
  assert_int_equal(event->word[0], 2);
  assert_int_equal(event->word[1], 4);
  assert_int_equal(event->word[2], 1);
  sched_close(&bench);
}

// R-TB-10: slots 0 and 1 have a pair of sub-cores each, and the next first warp goes to the full
// pair.
static void a_block_goes_to_the_sub_cores_that_have_room(void **state) {
  (void)state;
  struct bench bench;
  sched_open(&bench, model_wide());
  arrive(&bench, 0, true);
  arrive(&bench, 1, true);
  launch(&bench, 0, 0xffff, 2, 0);
  launch(&bench, 1, 0xffff, 2, 0);
  run_to(&bench, 2000);
  uint32_t n_before = bench.notes->n_msgs, tb = 0;
  for (uint32_t n = 0; n < n_before; n++) {
    const struct noted_msg *noted = &bench.notes->msg[n];
    if (noted->msg.kind != QSM_MSG_DISPATCH) continue;
    assert_int_equal(noted->msg.first, 2 * noted->msg.kernel);
    if (noted->sm == 5 && noted->msg.kernel == 1) tb = noted->msg.tb;
  }
  assert_int_equal(qsm_tb_sched_resident(bench.ts, 5, 1), 4);
  qsm_tb_sched_retire(bench.ts, 2000, 5, tb, false);
  run_to(&bench, 2020);
  assert_int_equal(bench.notes->n_msgs, n_before + 1);
  const struct noted_msg *noted = &bench.notes->msg[n_before];
  // Both slots had all they may have: candidate in 2001, message in 2003.
  assert_int_equal(noted->msg.cycle, 2003 + bench.config.noc_lat);
  assert_int_equal(noted->sm, 5);
  assert_int_equal(noted->msg.kernel, 1);
  assert_int_equal(noted->msg.tb, tb);
  assert_int_equal(noted->msg.first, 2);
  sched_close(&bench);
}

static void a_mask_keeps_blocks_off_an_sm(void **state) {
  (void)state;
  struct bench bench;
  open_with_slot(&bench, model_demo());
  bench.ctrl.regs.sm_mask[0] = 0xa;
  qsm_tb_sched_request_targets(bench.ts);
  run_to(&bench, 600);
  launch(&bench, 0, 100, 1, 0);
  run_to(&bench, 800);
  for (uint32_t n = 0; n < 16; n++) assert_true(0xa >> dispatch_number(&bench, n)->word[0] & 1);
  assert_null(dispatch_number(&bench, 16));
  sched_close(&bench);
}

// Tables of single things, against which every dispatch is checked.
struct ref_sm {
  uint32_t owner_of_granule[32];  // TB slot + 1
  uint32_t warps_on[4];
  uint32_t first;
  bool used[32];
  uint32_t kernel[32], tb_first[32];
};

static uint32_t first_free_run(const struct ref_sm *sm, uint32_t n) {
  for (uint32_t base = 0; base + n <= 32; base++) {
    uint32_t length = 0;
    while (length < n && sm->owner_of_granule[base + length] == 0) length++;
    if (length == n) return base;
  }
  return 32;
}

// R-TB-10: the first sub-core, circular, from which on each warp finds a place.
static uint32_t first_that_fits(const struct bench *bench, const struct ref_sm *sm,
                                uint32_t n_warps) {
  uint32_t n_subs = bench->config.num_sched, first = sm->first;
  for (uint32_t tries = 0; tries < n_subs; tries++, first = (first + 1) % n_subs) {
    uint32_t on[4], w = 0;
    memcpy(on, sm->warps_on, sizeof on);
    while (w < n_warps && on[(first + w) % n_subs]++ < qsm_config_warps_per_sched(&bench->config))
      w++;
    if (w == n_warps) return first;
  }
  return 4;
}

// R-TB-10: the place is the first one of the SM as it was when the block looked for it.
static void check_place(const struct bench *bench, const struct ref_sm *sm,
                        const struct qsm_sm_msg *msg) {
  const struct qsm_desc *desc = &bench->ctrl.regs.shared.desc[msg->kernel];
  for (uint32_t s = 0; s < msg->tb; s++) assert_true(sm->used[s]);
  assert_false(sm->used[msg->tb]);
  assert_int_equal(msg->base, desc->granules ? first_free_run(sm, desc->granules) : 0);
  assert_int_equal(msg->first, first_that_fits(bench, sm, desc->warps));
}

// Takes what is free.
static void ref_take(const struct bench *bench, struct ref_sm *sm, const struct qsm_sm_msg *msg) {
  const struct qsm_desc *desc = &bench->ctrl.regs.shared.desc[msg->kernel];
  assert_false(sm->used[msg->tb]);
  sm->used[msg->tb] = true;
  sm->kernel[msg->tb] = msg->kernel;
  sm->tb_first[msg->tb] = msg->first;
  for (uint32_t g = 0; g < desc->granules; g++) {
    assert_int_equal(sm->owner_of_granule[msg->base + g], 0);
    sm->owner_of_granule[msg->base + g] = msg->tb + 1u;
  }
  for (uint32_t w = 0; w < desc->warps; w++) {
    uint32_t sub = (msg->first + w) % bench->config.num_sched;
    sm->warps_on[sub]++;
    assert_true(sm->warps_on[sub] <= qsm_config_warps_per_sched(&bench->config));
  }
  sm->first = (msg->first + desc->warps) % bench->config.num_sched;
}

static void ref_free(const struct bench *bench, struct ref_sm *sm, uint32_t tb) {
  uint32_t warps = bench->ctrl.regs.shared.desc[sm->kernel[tb]].warps;
  sm->used[tb] = false;
  for (uint32_t g = 0; g < 32; g++) {
    if (sm->owner_of_granule[g] == tb + 1) sm->owner_of_granule[g] = 0;
  }
  for (uint32_t w = 0; w < warps; w++)
    sm->warps_on[(sm->tb_first[tb] + w) % bench->config.num_sched]--;
}

// Of an SM: the TBs that have told that they retire and still count, the oldest first.
struct waiting {
  uint32_t n, tb[32], n_resident;
  uint64_t until[32];  // it is seen before that cycle
};

// A random TB of the SM tells that it retires, in the cycle that is about to run.
static void retire_some(struct bench *bench, const struct ref_sm *ref, struct waiting *waiting,
                        uint32_t sm, uint64_t *seed) {
  uint32_t tb = model_random(seed, bench->config.max_tbs);
  if (!ref->used[tb] || model_random(seed, 8)) return;
  for (uint32_t n = 0; n < waiting->n; n++) {
    if (waiting->tb[n] == tb) return;
  }
  qsm_tb_sched_retire(bench->ts, bench->cycle, sm, tb, false);
  waiting->until[waiting->n] = bench->cycle + 2ull * (waiting->n + 1) * bench->config.num_sms;
  waiting->tb[waiting->n++] = tb;
}

// R-TB-18: the oldest one of one SM at most has been seen, in time. Returns how many.
static uint32_t see_retired(const struct bench *bench, struct ref_sm *ref, struct waiting *waiting,
                            uint32_t sm) {
  uint32_t n_before = waiting->n_resident;
  waiting->n_resident = 0;
  for (uint32_t k = 0; k < bench->config.num_kernels; k++)
    waiting->n_resident += qsm_tb_sched_resident(bench->ts, sm, k);
  if (waiting->n_resident >= n_before) return 0;
  assert_true(waiting->n > 0 && waiting->n_resident == n_before - 1);
  assert_true(bench->cycle <= waiting->until[0]);
  ref_free(bench, ref, waiting->tb[0]);
  memmove(&waiting->tb[0], &waiting->tb[1], --waiting->n * sizeof waiting->tb[0]);
  memmove(&waiting->until[0], &waiting->until[1], waiting->n * sizeof waiting->until[0]);
  return 1;
}

static void check_resources(struct qsm_config config, uint64_t *seed) {
  // The SMs now; at the start of the cycle, which a message sees; at the start of the one before,
  // in which its place was found.
  struct ref_sm ref[8] = {0}, before[8] = {0}, earlier[8];
  struct waiting waiting[8] = {0};
  uint64_t free_from[8] = {0}, gpu_free_from = 0;
  struct bench bench;
  sched_open(&bench, config);
  for (uint32_t k = 0; k < config.num_kernels; k++) arrive(&bench, k, true);
  for (uint32_t k = 0; k < config.num_kernels; k++) {
    launch(&bench, k, 0xffff, 1 + model_random(seed, config.warps_per_sm / config.num_kernels + 1),
           model_random(seed, 9));
  }
  uint32_t n_seen = 0, n_dispatches = 0;
  for (uint32_t n = 0; n < 3000; n++) {
    memcpy(earlier, before, sizeof before);
    memcpy(before, ref, sizeof ref);
    for (uint32_t i = 0; i < config.num_sms; i++)
      retire_some(&bench, &ref[i], &waiting[i], i, seed);
    run_to(&bench, bench.cycle + 1);
    uint32_t n_retired = 0;
    for (uint32_t i = 0; i < config.num_sms; i++)
      n_retired += see_retired(&bench, &ref[i], &waiting[i], i);
    assert_true(n_retired <= 1);
    for (; n_seen < bench.notes->n_msgs; n_seen++) {
      const struct noted_msg *noted = &bench.notes->msg[n_seen % NOTES_MAX];
      if (noted->msg.kind != QSM_MSG_DISPATCH) continue;
      check_place(&bench, &earlier[noted->sm], &noted->msg);
      // Still free, and without what retires in the cycle of the message.
      struct ref_sm at_start = before[noted->sm];
      ref_take(&bench, &at_start, &noted->msg);
      ref_take(&bench, &ref[noted->sm], &noted->msg);
      // R-TB-17: one block per cycle, and to an SM one in three.
      assert_true(noted->msg.cycle >= gpu_free_from && noted->msg.cycle >= free_from[noted->sm]);
      gpu_free_from = noted->msg.cycle + 1;
      free_from[noted->sm] = noted->msg.cycle + 3;
      n_dispatches++;
    }
  }
  assert_true(n_dispatches > 50);
  sched_close(&bench);
}

static void every_dispatch_takes_free_resources_only(void **state) {
  (void)state;
  uint64_t seed = model_seed("test_tb_sched");
  for (uint32_t n = 0; n < 20; n++) {
    check_resources(model_odd(), &seed);
    check_resources(model_demo(), &seed);
    check_resources(model_wide(), &seed);
  }
}

// ---- For the manager ----

static void had_tb_shows_one_cycle_after_the_count_and_starts_anew_at_the_snapshot(void **state) {
  (void)state;
  struct bench bench;
  open_with_slot(&bench, model_tiny());
  uint64_t t = launch_settled(&bench, 0, 1, 1,
                              0);  // dispatched in t + 4: count 1 from t + 5, had_tb from t + 6
  run_to(&bench, t + 5);
  assert_int_equal(qsm_tb_sched_take_had_tb(bench.ts, t + 5), 0);
  assert_int_equal(qsm_tb_sched_take_had_tb(bench.ts, t + 6), 1);
  qsm_tb_sched_retire(bench.ts, t + 10, 0, 0, false);
  run_to(&bench, t + 50);
  assert_int_equal(qsm_tb_sched_take_had_tb(bench.ts, t + 50), 1);  // it had one since t + 6
  assert_int_equal(qsm_tb_sched_take_had_tb(bench.ts, t + 51), 0);
  sched_close(&bench);
}

// ---- Negative control ----

static void a_flipped_walk_changes_what_is_dispatched(void **state) {
  (void)state;
  struct bench bench;
  char what[128];
  open_with_slot(&bench, model_tiny());
  assert_int_equal(qsm_tb_sched_inject_slot(bench.ts, 8 * 5, what, sizeof what), -1);
  uint64_t t = launch_settled(&bench, 0, 100, 1, 0);
  run_to(&bench, t + 5);  // the first block was sent in t + 4, the second is in t + 7
  assert_int_equal(qsm_tb_sched_inject_slot(bench.ts, 8 * 5, what, sizeof what), 0);
  assert_int_equal(qsm_tb_sched_inject_target(bench.ts, 0, what, sizeof what), -1);
  run_to(&bench, t + 30);
  assert_int_equal(dispatch_number(&bench, 0)->word[3], 0);
  assert_int_equal(dispatch_number(&bench, 1)->word[3], 1 ^ 1 << 5);
  sched_close(&bench);
}

static void a_flipped_target_shows_in_the_state(void **state) {
  (void)state;
  struct bench bench;
  char what[128];
  uint32_t before, after;
  sched_open(&bench, model_tiny());
  assert_int_equal(qsm_tb_sched_inject_target(bench.ts, 0, what, sizeof what), -1);
  sched_close(&bench);
  open_with_slot(&bench, model_tiny());
  run_to(&bench, 200);
  assert_true(qsm_tb_sched_target_state(bench.ts, 0, 0, 0, &before));
  assert_int_equal(qsm_tb_sched_inject_target(bench.ts, 8 * QSM_MAX_SMS * 3, what, sizeof what), 0);
  assert_true(qsm_tb_sched_target_state(bench.ts, 0, 0, 0, &after));
  assert_int_equal(after, before ^ 1 << 3);
  sched_close(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_launch_starts_one_cycle_later_and_dispatches_four_later),
      cmocka_unit_test(the_grid_is_walked_x_then_y_then_z),
      cmocka_unit_test(a_launch_ends_sixteen_cycles_after_its_last_retirement_was_seen),
      cmocka_unit_test(a_new_tenant_counts_its_launches_from_zero),
      cmocka_unit_test(a_fault_kills_with_the_record_of_the_lowest_sm),
      cmocka_unit_test(a_killed_launch_dispatches_no_more_and_ends_when_its_blocks_are_back),
      cmocka_unit_test(faults_of_ending_or_killed_launches_are_ignored),
      cmocka_unit_test(a_fault_wins_over_a_kill_of_the_same_cycle),
      cmocka_unit_test(targets_and_their_time_equal_the_brute_force_reference),
      cmocka_unit_test(no_block_goes_out_while_targets_are_computed),
      cmocka_unit_test(a_request_for_targets_drops_the_blocks_under_way),
      cmocka_unit_test(a_launch_of_the_same_shape_keeps_the_targets),
      cmocka_unit_test(a_request_during_a_run_starts_the_next_run),
      cmocka_unit_test(capped_slots_take_what_is_free),
      cmocka_unit_test(a_slot_beside_a_capped_one_has_its_symmetric_share),
      cmocka_unit_test(a_smaller_cap_binds_later_blocks_only),
      cmocka_unit_test(a_cap_below_a_block_lets_none_go),
      cmocka_unit_test(a_context_without_a_launch_takes_no_part_after_a_whole_epoch),
      cmocka_unit_test(a_context_whose_launch_ends_or_is_killed_drops_out_an_epoch_later),
      cmocka_unit_test(a_launch_or_an_arrival_in_a_snapshot_stays),
      cmocka_unit_test(a_slot_busy_at_the_start_of_a_snapshot_was_used),
      cmocka_unit_test(a_context_with_a_goal_that_is_idle_leaves_its_sms_to_all),
      cmocka_unit_test(a_snapshot_in_a_set_up_changes_the_next_run),
      cmocka_unit_test(kernels_and_sms_take_turns),
      cmocka_unit_test(a_block_waits_until_it_fits),
      cmocka_unit_test(a_block_that_does_not_fit_passes_the_turn_to_the_next_sm),
      cmocka_unit_test(a_block_goes_to_the_sub_cores_that_have_room),
      cmocka_unit_test(a_mask_keeps_blocks_off_an_sm),
      cmocka_unit_test(every_dispatch_takes_free_resources_only),
      cmocka_unit_test(had_tb_shows_one_cycle_after_the_count_and_starts_anew_at_the_snapshot),
      cmocka_unit_test(a_flipped_walk_changes_what_is_dispatched),
      cmocka_unit_test(a_flipped_target_shows_in_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
