// SPDX-License-Identifier: Apache-2.0
// Accounting of GPU time against a GPU whose truth is known (docs/accounting.md).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_gpu.h"
#include "host_support.h"
#include "qsm_accounting.h"
#include "qsm_random.h"
#include "qsm_regs.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct qsm_accounting_settings settings_of(const char *policy) {
  struct qsm_accounting_settings settings = qsm_accounting_defaults(policy, 1);
  settings.poll_phase = 60;
  settings.nonpoll_phase = 300;
  settings.poll_cycles = 10;
  settings.neon_poll = 5;
  settings.drain_poll = 10;
  settings.poll_cost = 10;
  return settings;
}

static struct qsm_accounting *create(struct fake_gpu *gpu,
                                     const struct qsm_accounting_settings *settings) {
  struct qsm_accounting_device device = fake_device(gpu, FAKE_CHANNELS);
  struct qsm_accounting *accounting = NULL;
  char msg[256];
  if (qsm_accounting_create(&device, settings, &accounting, msg, sizeof msg)) fail_msg("%s", msg);
  return accounting;
}

static uint32_t add(struct qsm_accounting *accounting, uint32_t channel) {
  uint32_t application = 0;
  if (qsm_accounting_add(accounting, &channel, 1, &application))
    fail_msg("%s", qsm_accounting_error(accounting));
  return application;
}

static struct qsm_accounting_usage usage_of(struct qsm_accounting *accounting, uint32_t a) {
  struct qsm_accounting_usage usage;
  if (qsm_accounting_usage(accounting, a, &usage)) fail_msg("%s", qsm_accounting_error(accounting));
  return usage;
}

static struct qsm_accounting_cost cost_of(const struct qsm_accounting *accounting) {
  struct qsm_accounting_cost cost;
  qsm_accounting_cost(accounting, &cost);
  return cost;
}

static struct fake_gpu *scripted(const struct fake_segment *script, uint32_t n) {
  struct fake_gpu *gpu = calloc(1, sizeof *gpu);
  assert_non_null(gpu);
  gpu->script = script;
  gpu->n_segments = n;
  fake_start(gpu);
  return gpu;
}

static struct fake_gpu *with_clients(const struct fake_client *clients, uint32_t n) {
  struct fake_gpu *gpu = calloc(1, sizeof *gpu);
  assert_non_null(gpu);
  memcpy(gpu->client, clients, n * sizeof *clients);
  gpu->n_clients = n;
  gpu->access_cycles = 1;
  fake_start(gpu);
  return gpu;
}

static void add_clients(struct fake_gpu *gpu, struct qsm_accounting *accounting) {
  for (uint32_t i = 0; i < gpu->n_clients; i++)
    gpu->client[i].application = add(accounting, gpu->client[i].channel);
}

static void finish(struct fake_gpu *gpu, struct qsm_accounting *accounting) {
  qsm_accounting_destroy(accounting);
  free(gpu);
}

// ---- Charges ----

enum { A = 1, B = 2, BIT_A = 1 << A, BIT_B = 1 << B };

// R-AC-4, R-AC-5: the page's figure.
static void the_example_of_the_page(void **state) {
  (void)state;
  static const struct fake_segment script[] = {
      {0, B, BIT_B}, {14, A, BIT_A}, {37, A, 0}, {52, B, BIT_B}};
  struct fake_gpu *gpu = scripted(script, COUNT(script));
  struct qsm_accounting_settings settings = settings_of("loga");
  settings.poll_phase = 30;  // of each of two channels
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint32_t a = add(accounting, A), b = add(accounting, B);
  fake_run_accounting(gpu, accounting, 61);
  assert_int_equal(gpu->n_polls, 7);
  for (uint32_t i = 0; i < 7; i++) assert_int_equal(gpu->poll_at[i], 10 * i);
  assert_int_equal(usage_of(accounting, a).charged, 20);
  assert_int_equal(usage_of(accounting, b).charged, 20);
  assert_int_equal(usage_of(accounting, a).n_intervals, 1);
  assert_int_equal(usage_of(accounting, b).n_intervals, 1);
  // R-AC-7: half of 60 + 600 cycles each.
  assert_int_equal(usage_of(accounting, a).virtual_time, 330);
  assert_int_equal(usage_of(accounting, b).virtual_time, 330);
  finish(gpu, accounting);
}

// R-AC-5
static void a_phase_without_a_switch_is_charged_whole_and_an_idle_one_not_at_all(void **state) {
  (void)state;
  static const struct fake_segment busy[] = {{0, A, BIT_A}}, idle[] = {{0, A, 0}},
                                   other[] = {{0, 40, 0}};
  const struct {
    const struct fake_segment *script;
    uint64_t charged, virtual_time;
  } cases[] = {{busy, 60, 360}, {idle, 0, 0}, {other, 0, 0}};
  for (uint32_t i = 0; i < COUNT(cases); i++) {
    struct fake_gpu *gpu = scripted(cases[i].script, 1);
    struct qsm_accounting_settings settings = settings_of("loga");
    struct qsm_accounting *accounting = create(gpu, &settings);
    uint32_t a = add(accounting, A);
    fake_run_accounting(gpu, accounting, 61);
    assert_int_equal(usage_of(accounting, a).charged, cases[i].charged);
    assert_int_equal(usage_of(accounting, a).virtual_time, cases[i].virtual_time);
    finish(gpu, accounting);
  }
}

// R-AC-2: a step that comes late counts the times that have been.
static void a_late_step_charges_what_has_passed(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A}, {25, B, BIT_B}};
  struct fake_gpu *gpu = scripted(script, COUNT(script));
  struct qsm_accounting_settings settings = settings_of("loga");
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint32_t a = add(accounting, A), b = add(accounting, B);
  uint64_t next = 0;
  const uint64_t at[] = {5, 9, 37, 40, 300};
  for (uint32_t i = 0; i < COUNT(at); i++) {
    gpu->now = at[i];
    assert_int_equal(qsm_accounting_step(accounting, &next), 0);
    if (at[i] == 9) assert_int_equal(next, 15);  // early: nothing
  }
  assert_int_equal(gpu->n_polls, 3);
  assert_int_equal(usage_of(accounting, a).charged, 32);
  assert_int_equal(usage_of(accounting, b).charged, 263);
  assert_int_equal(next, 300 + 600);
  assert_int_equal(cost_of(accounting).polled_cycles, 295);
  // T = 295 + 600: floor(32 * 895 / 295), floor(263 * 895 / 295)
  assert_int_equal(usage_of(accounting, a).virtual_time, 97);
  assert_int_equal(usage_of(accounting, b).virtual_time, 797);
  finish(gpu, accounting);
}

// ---- Random scripts ----

enum { SEGMENTS = 400, N_APPLICATIONS = 4 };

static void random_script(struct qsm_random *random, struct fake_segment *script) {
  uint64_t at = 0;
  for (uint32_t i = 0; i < SEGMENTS; i++) {
    uint32_t channel = qsm_random_below(random, N_APPLICATIONS + 1);
    script[i] = (struct fake_segment){at, channel, qsm_random_next(random) & 31};
    if (qsm_random_below(random, 2)) script[i].busy |= 1u << channel;
    at += 1 + qsm_random_below(random, qsm_random_below(random, 3) ? 60 : 400);
  }
}

// What polls from `from` on, at these cycles, tell of an application: written from R-AC-5 alone.
static uint64_t expected_charge(const struct fake_gpu *gpu, uint32_t from, uint32_t to,
                                uint32_t channel) {
  uint64_t sum = 0;
  for (uint32_t i = from; i + 1 < to; i++) {
    const struct fake_segment *segment = fake_segment_at(gpu, gpu->poll_at[i]);
    if (segment->channel == channel && segment->busy >> channel & 1)
      sum += gpu->poll_at[i + 1] - gpu->poll_at[i];
  }
  return sum;
}

struct watch {
  uint64_t virtual_time[N_APPLICATIONS], charged[N_APPLICATIONS], system_time;
};

static void check_phase(struct fake_gpu *gpu, struct qsm_accounting *accounting, uint32_t from,
                        struct watch *before) {
  uint64_t phase = gpu->poll_at[gpu->n_polls - 1] - gpu->poll_at[from], sum = 0, moved = 0;
  uint64_t t_sys = cost_of(accounting).system_time;
  assert_true(t_sys >= before->system_time);
  for (uint32_t a = 0; a < N_APPLICATIONS; a++) {
    struct qsm_accounting_usage usage = usage_of(accounting, a);
    assert_int_equal(usage.charged - before->charged[a],
                     expected_charge(gpu, from, gpu->n_polls, a));
    sum += usage.charged - before->charged[a];
    assert_true(usage.virtual_time >= before->virtual_time[a]);
    assert_true(usage.virtual_time >= t_sys);
    if (usage.virtual_time > t_sys) moved += usage.virtual_time - before->virtual_time[a];
    before->virtual_time[a] = usage.virtual_time;
    before->charged[a] = usage.charged;
  }
  before->system_time = t_sys;
  assert_true(sum <= phase);
  assert_true(moved <= phase + 4 * 300);  // R-AC-7: T at most, but for those that are lifted
}

// R-AC-5, R-AC-6, R-AC-7, R-AC-8
static void charges_of_random_scripts_are_those_of_the_polls(void **state) {
  (void)state;
  uint64_t seed = 7;
  struct fake_segment script[SEGMENTS];
  for (uint32_t round = 0; round < (brief_run() ? 20 : 200); round++) {
    struct qsm_random random = qsm_random_seed(seed + round);
    print_message("# seed %u\n", (unsigned)(seed + round));
    random_script(&random, script);
    struct fake_gpu *gpu = scripted(script, SEGMENTS);
    gpu->access_cycles = qsm_random_below(&random, 3);
    struct qsm_accounting_settings settings = settings_of("loga");
    settings.poll_cycles = 1 + qsm_random_below(&random, 30);
    struct qsm_accounting *accounting = create(gpu, &settings);
    for (uint32_t a = 0; a < N_APPLICATIONS; a++) add(accounting, a);
    struct watch watch = {0};
    uint32_t from = 0;
    uint64_t decisions = 0, next = 0;
    while (gpu->now < script[SEGMENTS - 1].from) {
      assert_int_equal(qsm_accounting_step(accounting, &next), 0);
      if (cost_of(accounting).n_decisions > decisions) {
        check_phase(gpu, accounting, from, &watch);
        from = gpu->n_polls;
        decisions++;
      }
      fake_run(gpu, next);
    }
    assert_true(decisions > 5);
    finish(gpu, accounting);
  }
}

// R-AC-16, R-AC-4: the library's counts are the GPU's.
static void every_access_is_counted(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 3, .length = 40, .gap = 7},
                                        {.channel = 9, .length = 11, .gap = 30}};
  for (const char *const *policy = qsm_accounting_policies; *policy; policy++) {
    struct fake_gpu *gpu = with_clients(clients, 2);
    struct qsm_accounting_settings settings = settings_of(*policy);
    struct qsm_accounting *accounting = create(gpu, &settings);
    add_clients(gpu, accounting);
    fake_run_accounting(gpu, accounting, 20000);
    struct qsm_accounting_cost cost = cost_of(accounting);
    assert_int_equal(cost.n_reads + cost.n_writes, gpu->n_accesses);
    assert_int_equal(cost.cpu_cycles, (gpu->n_accesses * 10 + 3) / 4);
    bool none = strcmp(*policy, "none") == 0;
    assert_true(none ? cost.n_decisions == 0 && gpu->n_accesses == 0 : cost.n_decisions > 10);
    finish(gpu, accounting);
  }
}

// R-AC-14
static void none_never_wants_to_run(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A}};
  struct fake_gpu *gpu = scripted(script, 1);
  struct qsm_accounting_settings settings = settings_of("none");
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint64_t next = 0;
  add(accounting, A);
  assert_int_equal(qsm_accounting_step(accounting, &next), 0);
  assert_true(next == UINT64_MAX);
  assert_int_equal(gpu->n_accesses, 0);
  finish(gpu, accounting);
}

// ---- Phases ----

static void next_phase(struct fake_gpu *gpu, struct qsm_accounting *accounting) {
  uint64_t n = cost_of(accounting).n_decisions, next = 0;
  do {
    assert_int_equal(qsm_accounting_step(accounting, &next), 0);
    if (cost_of(accounting).n_decisions == n) fake_run(gpu, next);
  } while (cost_of(accounting).n_decisions == n);
}

// R-AC-6
static void phases_grow_with_the_channels_and_random_ones_keep_their_ratio(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A}};
  uint64_t first[50];
  for (uint32_t run = 0; run < 3; run++) {
    struct fake_gpu *gpu = scripted(script, 1);
    struct qsm_accounting_settings settings = settings_of("loga");
    settings.poll_phase = 6000;
    settings.nonpoll_phase = 30000;
    settings.poll_cycles = 1000;
    settings.random_lengths = true;
    settings.seed = run == 2;
    struct qsm_accounting *accounting = create(gpu, &settings);
    const uint32_t channels[] = {A, 77};
    uint32_t a;
    assert_int_equal(qsm_accounting_add(accounting, channels, 2, &a), 0);
    uint64_t sum = 0, before = 0, differ = 0;
    for (uint32_t i = 0; i < 50; i++) {
      uint64_t begun = gpu->now, next = 0;
      next_phase(gpu, accounting);
      assert_int_equal(qsm_accounting_step(accounting, &next), 0);
      uint64_t poll = cost_of(accounting).polled_cycles - before, nonpoll = next - gpu->now;
      before = cost_of(accounting).polled_cycles;
      assert_true(poll >= 6000 && poll <= 18000);  // 12000 nominal
      assert_true(nonpoll >= 5 * poll && nonpoll <= 5 * poll + 4);
      assert_int_equal(gpu->now - begun, poll);
      if (run == 0) first[i] = poll;
      differ += poll != first[i];
      sum += poll;
      fake_run(gpu, next);
    }
    assert_true(sum > 50 * 11000 && sum < 50 * 13000);
    assert_true(run == 2 ? differ > 40 : differ == 0);
    finish(gpu, accounting);
  }
}

// R-AC-6: polls follow each other without a gap.
static void polling_always_charges_everything(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A}, {5000, B, BIT_B}, {7500, B, 0}};
  struct fake_gpu *gpu = scripted(script, COUNT(script));
  struct qsm_accounting_settings settings = settings_of("loga");
  settings.poll_always = true;
  settings.nonpoll_phase = 0;
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint32_t a = add(accounting, A), b = add(accounting, B);
  fake_run_accounting(gpu, accounting, 12001);
  assert_int_equal(usage_of(accounting, a).charged, 5000);
  assert_int_equal(usage_of(accounting, b).charged, 2500);
  assert_int_equal(usage_of(accounting, b).estimated, 2500);
  assert_int_equal(cost_of(accounting).polled_cycles, 12000);
  finish(gpu, accounting);
}

// ---- Fair queueing ----

// R-AC-9, R-AC-3: strictly more than T ahead; access comes back with the poll phase; other bits of
// CH_CTRL stay.
static void who_is_more_than_a_period_ahead_is_closed_for_the_non_poll_phase(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A | BIT_B}};
  for (uint32_t hold = 0; hold < 2; hold++) {
    struct fake_gpu *gpu = scripted(script, 1);
    struct qsm_accounting_settings settings = settings_of("loga");
    settings.hold = hold;
    struct qsm_accounting *accounting = create(gpu, &settings);
    uint32_t a = add(accounting, A), b = add(accounting, B);
    const uint32_t other_bits = 1 | 2 << 3 | (hold ? 0 : QSM_CH_CTRL_HOLD_MASK);
    gpu->ctrl[A] = other_bits;
    next_phase(gpu, accounting);
    assert_int_equal(usage_of(accounting, a).virtual_time, 720);  // T ahead: not more
    assert_int_equal(qsm_accounting_access(accounting, a), QSM_ACCESS_OPEN);
    assert_int_equal(gpu->ctrl[A], other_bits);
    next_phase(gpu, accounting);
    assert_int_equal(usage_of(accounting, a).virtual_time, 1440);
    assert_int_equal(usage_of(accounting, b).virtual_time, 0);
    assert_int_equal(qsm_accounting_access(accounting, a), QSM_ACCESS_CLOSED);
    assert_int_equal(qsm_accounting_access(accounting, b), QSM_ACCESS_OPEN);
    assert_int_equal(gpu->ctrl[A],
                     other_bits | QSM_CH_CTRL_SUSPEND_MASK | (hold ? QSM_CH_CTRL_HOLD_MASK : 0));
    assert_int_equal(gpu->ctrl[B], 1);
    uint64_t next = 0;
    assert_int_equal(qsm_accounting_step(accounting, &next), 0);
    fake_run(gpu, next);
    assert_int_equal(qsm_accounting_step(accounting, &next), 0);
    assert_int_equal(qsm_accounting_access(accounting, a), QSM_ACCESS_OPEN);
    assert_int_equal(gpu->ctrl[A], other_bits);
    assert_int_equal(usage_of(accounting, a).suspended_cycles, 600);
    finish(gpu, accounting);
  }
}

// R-AC-9
static void without_scheduling_virtual_times_move_and_nobody_is_closed(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A | BIT_B}};
  struct fake_gpu *gpu = scripted(script, 1);
  struct qsm_accounting_settings settings = settings_of("loga");
  settings.schedule = false;
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint32_t a = add(accounting, A);
  add(accounting, B);
  for (uint32_t i = 0; i < 5; i++) next_phase(gpu, accounting);
  assert_int_equal(usage_of(accounting, a).virtual_time, 5 * 720);
  assert_int_equal(usage_of(accounting, a).n_suspensions, 0);
  finish(gpu, accounting);
}

// R-AC-8, R-AC-1: the idle do not save up time, and a new application begins at the system time.
static void idle_and_new_applications_begin_at_the_system_time(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A}, {1000, B, BIT_A | BIT_B}};
  struct fake_gpu *gpu = scripted(script, 2);
  struct qsm_accounting_settings settings = settings_of("loga");
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint32_t a = add(accounting, A), b = add(accounting, B);
  next_phase(gpu, accounting);
  assert_int_equal(usage_of(accounting, a).virtual_time, 720);
  assert_int_equal(usage_of(accounting, b).virtual_time, 720);  // lifted
  assert_int_equal(cost_of(accounting).system_time, 720);
  uint32_t c = add(accounting, 8);
  assert_int_equal(usage_of(accounting, c).virtual_time, 720);
  gpu->now = 1000;
  next_phase(gpu, accounting);  // A waits, B runs: A holds the system time
  assert_int_equal(cost_of(accounting).system_time, 720);
  assert_int_equal(usage_of(accounting, b).virtual_time, 720 + 3 * 360);
  finish(gpu, accounting);
}

// R-AC-8
static void a_stopped_channel_with_commands_is_not_active(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A | BIT_B}};
  struct fake_gpu *gpu = scripted(script, 1);
  struct qsm_accounting_settings settings = settings_of("loga");
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint32_t a = add(accounting, A), b = add(accounting, B);
  gpu->stopped[B] = true;
  for (uint32_t i = 0; i < 4; i++) next_phase(gpu, accounting);
  assert_int_equal(usage_of(accounting, a).n_suspensions, 0);
  assert_int_equal(usage_of(accounting, b).virtual_time, 4 * 720);
  finish(gpu, accounting);
}

// R-AC-7, R-AC-8: all idle.
static void when_all_are_idle_no_virtual_time_moves(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A}, {500, A, 0}};
  struct fake_gpu *gpu = scripted(script, 2);
  struct qsm_accounting_settings settings = settings_of("loga");
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint32_t a = add(accounting, A);
  for (uint32_t i = 0; i < 2; i++) next_phase(gpu, accounting);
  uint64_t then = usage_of(accounting, a).virtual_time;
  for (uint32_t i = 0; i < 3; i++) next_phase(gpu, accounting);
  assert_int_equal(usage_of(accounting, a).virtual_time, then);
  assert_int_equal(cost_of(accounting).system_time, then);
  assert_int_equal(usage_of(accounting, a).n_suspensions, 0);
  finish(gpu, accounting);
}

// R-AC-7: what one has had that has gone is not the others'. R-AC-1: its number is free again.
static void an_application_that_goes_in_a_phase_leaves_its_time_in_the_total(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A}, {60, B, BIT_B}};
  struct fake_gpu *gpu = scripted(script, 2);
  struct qsm_accounting_settings settings = settings_of("loga");
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint32_t a = add(accounting, A), b = add(accounting, B);
  fake_run_accounting(gpu, accounting, 90);
  assert_int_equal(qsm_accounting_remove(accounting, a), 0);
  next_phase(gpu, accounting);
  assert_int_equal(usage_of(accounting, b).charged, 60);
  assert_int_equal(usage_of(accounting, b).virtual_time, 360);  // half of 720
  assert_int_equal(add(accounting, 17), a);
  finish(gpu, accounting);
}

// R-AC-1: one that goes is opened.
static void a_closed_application_that_goes_has_its_channels_back(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A | BIT_B}};
  struct fake_gpu *gpu = scripted(script, 1);
  struct qsm_accounting_settings settings = settings_of("loga");
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint32_t a = add(accounting, A);
  add(accounting, B);
  for (uint32_t i = 0; i < 2; i++) next_phase(gpu, accounting);
  assert_true(fake_closed(gpu, A));
  assert_int_equal(qsm_accounting_remove(accounting, a), 0);
  assert_false(fake_closed(gpu, A));
  assert_int_equal(qsm_accounting_access(accounting, a), QSM_ACCESS_CLOSED);
  finish(gpu, accounting);
}

// R-AC-10: A in intervals of 20 and 40, B in one of 20; charged 60 and 20, lengths 30 and 20.
static void loga_cl_takes_mean_lengths(void **state) {
  (void)state;
  static const struct fake_segment script[] = {
      {0, A, BIT_A}, {20, B, BIT_B}, {40, B, 0}, {60, A, BIT_A}, {100, A, 0}};
  struct fake_gpu *gpu = scripted(script, COUNT(script));
  struct qsm_accounting_settings settings = settings_of("loga_cl");
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint32_t a = add(accounting, A), b = add(accounting, B);
  next_phase(gpu, accounting);
  assert_int_equal(usage_of(accounting, a).charged, 60);
  assert_int_equal(usage_of(accounting, a).n_intervals, 2);
  assert_int_equal(usage_of(accounting, b).charged, 20);
  assert_int_equal(usage_of(accounting, a).virtual_time, 720 * 3 / 5);
  assert_int_equal(usage_of(accounting, b).virtual_time, 720 * 2 / 5);
  finish(gpu, accounting);
}

// ---- neon ----

// R-AC-11: after the barrier one at a time, with all others drained; free runs in between.
static void neon_lets_one_application_at_a_time_run(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 40, .gap = 10},
                                        {.channel = 1, .length = 25, .gap = 3},
                                        {.channel = 2, .length = 9, .gap = 50}};
  struct fake_gpu *gpu = with_clients(clients, 3);
  struct qsm_accounting_settings settings = settings_of("neon");
  settings.schedule = false;
  struct qsm_accounting *accounting = create(gpu, &settings);
  add_clients(gpu, accounting);
  uint32_t samples[3] = {0}, free_cycles = 0;
  while (gpu->now < 20000) {
    fake_run_accounting(gpu, accounting, gpu->now + 1);
    uint32_t open = 0, trapped = 3;
    for (uint32_t i = 0; i < 3; i++) {
      enum qsm_accounting_access access = qsm_accounting_access(accounting, i);
      open += access == QSM_ACCESS_OPEN;
      if (access == QSM_ACCESS_TRAPPED) trapped = i;
      assert_int_equal(fake_closed(gpu, i), access != QSM_ACCESS_OPEN);
    }
    assert_true(open == 0 || (open == 3 && trapped == 3));
    free_cycles += open == 3;
    if (trapped < 3) {
      samples[trapped]++;
      if (gpu->running != FAKE_NEVER) assert_int_equal(gpu->running, trapped);
    }
  }
  assert_true(free_cycles > 10000);
  for (uint32_t i = 0; i < 3; i++) assert_true(samples[i] > 300);
  finish(gpu, accounting);
}

// R-AC-12, R-AC-15: every look in each cycle, lengths are those of the commands.
static void neon_measures_the_lengths_of_commands(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 40, .gap = 10},
                                        {.channel = 1, .length = 300, .gap = 3}};
  struct fake_gpu *gpu = with_clients(clients, 2);
  gpu->access_cycles = 0;
  struct qsm_accounting_settings settings = settings_of("neon");
  settings.neon_poll = settings.drain_poll = 1;
  settings.schedule = false;
  struct qsm_accounting *accounting = create(gpu, &settings);
  add_clients(gpu, accounting);
  fake_run_accounting(gpu, accounting, 40000);
  for (uint32_t i = 0; i < 2; i++) {
    struct qsm_accounting_usage usage = usage_of(accounting, i);
    assert_true(usage.n_intervals > 20);
    // A command starts in the cycle of its submission; its end is seen a cycle after it.
    assert_in_range(usage.charged, usage.n_intervals * clients[i].length,
                    usage.n_intervals * (clients[i].length + 2));
  }
  assert_true(cost_of(accounting).n_traps >= usage_of(accounting, 0).n_intervals);
  // Shares of the free run as the lengths: 40 : 300.
  uint64_t one = usage_of(accounting, 0).estimated, other = usage_of(accounting, 1).estimated;
  assert_in_range(1000 * other / one, 7200, 7600);
  finish(gpu, accounting);
}

// R-AC-12: commands in a row share the time between two looks.
static void neon_divides_the_time_between_looks_among_commands(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 10, .gap = 0}};
  struct fake_gpu *gpu = with_clients(clients, 1);
  struct qsm_accounting_settings settings = settings_of("neon");
  settings.poll_phase = 1000;
  settings.neon_poll = 100;
  struct qsm_accounting *accounting = create(gpu, &settings);
  add_clients(gpu, accounting);
  fake_run_accounting(gpu, accounting, 20000);
  struct qsm_accounting_usage usage = usage_of(accounting, 0);
  assert_true(usage.n_intervals > 200);
  assert_in_range(usage.charged / usage.n_intervals, 10, 16);  // a trap takes five accesses
  finish(gpu, accounting);
}

// R-AC-12: a driver that enables the channel anew, whose CH_DONE then begins with 0.
static void neon_survives_a_channel_that_is_enabled_anew(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 40, .gap = 10}};
  struct fake_gpu *gpu = with_clients(clients, 1);
  struct qsm_accounting_settings settings = settings_of("neon");
  struct qsm_accounting *accounting = create(gpu, &settings);
  add_clients(gpu, accounting);
  for (uint32_t i = 1; i <= 400; i++) {
    fake_run_accounting(gpu, accounting, 97 * i);
    gpu->done[0] = 0;
  }
  struct qsm_accounting_usage usage = usage_of(accounting, 0);
  assert_in_range(usage.n_intervals, 10, 500);
  assert_in_range(usage.charged / usage.n_intervals, 10, 100);
  finish(gpu, accounting);
}

// R-AC-11, R-AC-9: with ring held while closed, the drain still ends.
static void neon_with_hold_drains_what_was_held(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 200, .floods = true},
                                        {.channel = 1, .length = 20, .gap = 5}};
  struct fake_gpu *gpu = with_clients(clients, 2);
  struct qsm_accounting_settings settings = settings_of("neon");
  settings.hold = true;
  settings.nonpoll_phase = 10000;
  settings.poll_phase = 2000;
  struct qsm_accounting *accounting = create(gpu, &settings);
  add_clients(gpu, accounting);
  fake_run_accounting(gpu, accounting, 300000);
  assert_true(cost_of(accounting).n_decisions > 5);
  finish(gpu, accounting);
}

// R-AC-11: it is not waited for.
static void neon_does_not_wait_for_a_stopped_channel(void **state) {
  (void)state;
  static const struct fake_segment script[] = {{0, A, BIT_A}};
  struct fake_gpu *gpu = scripted(script, 1);
  struct qsm_accounting_settings settings = settings_of("neon");
  struct qsm_accounting *accounting = create(gpu, &settings);
  add(accounting, A);
  gpu->stopped[A] = true;
  fake_run_accounting(gpu, accounting, 3600);
  assert_in_range(cost_of(accounting).n_decisions, 8, 10);
  finish(gpu, accounting);
}

// An application that comes or goes while others are shut out (corner cases).
static void neon_goes_on_when_applications_come_and_go_in_its_samples(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 40, .gap = 10},
                                        {.channel = 1, .length = 25, .gap = 3}};
  struct fake_gpu *gpu = with_clients(clients, 2);
  struct qsm_accounting_settings settings = settings_of("neon");
  struct qsm_accounting *accounting = create(gpu, &settings);
  add_clients(gpu, accounting);
  uint64_t next = 0;
  while (qsm_accounting_access(accounting, 0) != QSM_ACCESS_TRAPPED) {
    assert_int_equal(qsm_accounting_step(accounting, &next), 0);
    fake_run_accounting(gpu, accounting, gpu->now + 1);
  }
  uint32_t late = add(accounting, 5);
  assert_int_equal(qsm_accounting_access(accounting, late), QSM_ACCESS_CLOSED);
  assert_true(fake_closed(gpu, 5));
  assert_int_equal(qsm_accounting_remove(accounting, 0), 0);
  assert_int_equal(qsm_accounting_step(accounting, &next), 0);
  fake_run_accounting(gpu, accounting, gpu->now + 5000);
  assert_true(cost_of(accounting).n_decisions > 2);
  assert_false(fake_closed(gpu, 0));
  finish(gpu, accounting);
}

// ---- exact ----

// R-AC-13: to the cycle, counters that wrap included.
static void exact_charges_what_the_counters_say(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 40, .gap = 10},
                                        {.channel = 1, .length = 25, .gap = 3},
                                        {.channel = 2, .length = 9, .gap = 50}};
  struct fake_gpu *gpu = with_clients(clients, 3);
  gpu->busy_cycles[0] = gpu->busy_cycles[1] = UINT32_MAX - 700;
  struct qsm_accounting_settings settings = settings_of("exact");
  settings.schedule = false;
  struct qsm_accounting *accounting = create(gpu, &settings);
  add_clients(gpu, accounting);
  fake_run_accounting(gpu, accounting, 50000);
  const uint32_t first[] = {UINT32_MAX - 700, UINT32_MAX - 700, 0};
  for (uint32_t decision = 0; decision < 5; decision++) {
    next_phase(gpu, accounting);
    for (uint32_t i = 0; i < 3; i++) {
      struct qsm_accounting_usage usage = usage_of(accounting, i);
      // The registers were read up to 10 cycles ago.
      uint32_t now = gpu->busy_cycles[i] - first[i];
      assert_in_range(usage.charged, now - clients[i].length, now);
      assert_int_equal(usage.charged % clients[i].length, 0);
      assert_int_equal(usage.estimated, usage.charged);
      assert_true(usage.virtual_time >= usage.charged);
    }
  }
  finish(gpu, accounting);
}

// R-AC-13: another counter of a channel, that counts up to four in a cycle.
static void exact_takes_any_counter_of_a_channel(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 400, .gap = 20},
                                        {.channel = 1, .length = 100, .gap = 20}};
  struct qsm_accounting_usage usage[2][2];
  for (uint32_t other = 0; other < 2; other++) {
    struct fake_gpu *gpu = with_clients(clients, 2);
    struct qsm_accounting_settings settings = settings_of("exact");
    settings.poll_phase = 500;
    settings.nonpoll_phase = 2500;
    if (other) settings.counter = FAKE_COUNTER, settings.counter_scale = FAKE_COUNTER_SCALE;
    struct qsm_accounting *accounting = create(gpu, &settings);
    add_clients(gpu, accounting);
    fake_run_accounting(gpu, accounting, 100000);
    for (uint32_t i = 0; i < 2; i++) usage[other][i] = usage_of(accounting, i);
    finish(gpu, accounting);
  }
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(usage[1][i].charged, FAKE_COUNTER_SCALE * usage[0][i].charged);
    assert_int_equal(usage[1][i].virtual_time, FAKE_COUNTER_SCALE * usage[0][i].virtual_time);
    assert_int_equal(usage[1][i].n_suspensions, usage[0][i].n_suspensions);
  }
  assert_true(usage[0][0].n_suspensions > 3);
}

// R-AC-20: the counter that begins anew is no difference of 2^32, and what it had is charged.
static void exact_charges_a_channel_that_is_enabled_anew(void **state) {
  (void)state;
  const struct fake_client client = {.channel = 1, .length = 40, .gap = 10};
  struct fake_gpu *gpu = with_clients(&client, 1);
  struct qsm_accounting_settings settings = settings_of("exact");
  settings.schedule = false;
  struct qsm_accounting *accounting = create(gpu, &settings);
  add_clients(gpu, accounting);
  uint64_t gone = 0;
  for (uint32_t i = 0; i < 4; i++) {
    fake_run_accounting(gpu, accounting, gpu->now + 10000);
    gone += gpu->busy_cycles[1];
    assert_int_equal(qsm_accounting_reopen(accounting, 1), 0);
    gpu->busy_cycles[1] = 0;
  }
  fake_run_accounting(gpu, accounting, gpu->now + 10000);
  next_phase(gpu, accounting);
  uint64_t all = gone + gpu->busy_cycles[1];
  assert_in_range(usage_of(accounting, 0).charged, all - client.length, all);
  assert_true(gone > 4 * 5000);
  assert_int_equal(qsm_accounting_reopen(accounting, 0), -1);
  assert_string_equal(qsm_accounting_error(accounting), "channel 0 is no application's");
  assert_int_equal(qsm_accounting_reopen(accounting, UINT32_MAX), -1);
  finish(gpu, accounting);
}

// R-AC-13: without a phase in which it polls, a fraction of the accesses.
static void exact_costs_little(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 40, .gap = 10},
                                        {.channel = 1, .length = 25, .gap = 3}};
  uint64_t accesses[2];
  for (uint32_t i = 0; i < 2; i++) {
    struct fake_gpu *gpu = with_clients(clients, 2);
    struct qsm_accounting_settings settings = settings_of(i ? "exact" : "loga");
    settings.schedule = false;
    settings.poll_phase = 500;
    settings.nonpoll_phase = 2500;
    struct qsm_accounting *accounting = create(gpu, &settings);
    add_clients(gpu, accounting);
    fake_run_accounting(gpu, accounting, 50000);
    accesses[i] = gpu->n_accesses;
    // A counter of each channel and a poll; nobody is closed, so CH_CTRL is left alone.
    if (i) assert_int_equal(accesses[i], 2 + cost_of(accounting).n_decisions * (2 + 4));
    finish(gpu, accounting);
  }
  assert_true(accesses[1] * 10 < accesses[0]);
}

// ---- Fairness ----

// Cycles that each of two clients gets of 400,000 under a policy.
static void shares_under(const char *policy, const struct fake_client *clients, bool hold,
                         bool spare, uint64_t ran[2]) {
  struct fake_gpu *gpu = with_clients(clients, 2);
  struct qsm_accounting_settings settings = settings_of(policy);
  settings.poll_phase = 500;
  settings.nonpoll_phase = 2500;
  settings.hold = hold;
  settings.spare_closed = spare;
  struct qsm_accounting *accounting = create(gpu, &settings);
  add_clients(gpu, accounting);
  fake_run_accounting(gpu, accounting, 400000);
  for (uint32_t i = 0; i < 2; i++) ran[i] = gpu->client[i].ran;
  finish(gpu, accounting);
}

// R-AC-7 to R-AC-9, R-AC-13, R-AC-18: under none shares are as the kernels' lengths, 4 : 1; fair
// queueing brings them near each other, on the counters nearest.
static void unequal_clients_get_equal_time_by_fair_queueing(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 400, .gap = 20},
                                        {.channel = 1, .length = 100, .gap = 20}};
  uint64_t ran[2];
  shares_under("none", clients, false, false, ran);
  assert_in_range(100 * ran[0] / (ran[0] + ran[1]), 75, 82);
  shares_under("loga", clients, false, true, ran);
  assert_in_range(100 * ran[0] / (ran[0] + ran[1]), 45, 60);
  shares_under("neon", clients, false, true, ran);
  assert_in_range(100 * ran[0] / (ran[0] + ran[1]), 40, 60);
  // As the papers have it: who was closed is charged, and stays closed in all non-poll phases.
  shares_under("loga", clients, false, false, ran);
  assert_in_range(100 * ran[0] / (ran[0] + ran[1]), 15, 30);
  shares_under("exact", clients, false, false, ran);
  assert_in_range(1000 * ran[0] / (ran[0] + ran[1]), 490, 515);
}

// R-AC-3: a ring that is kept full is done to its end where it is not held; held, the other one has
// its half.
static void holding_stops_a_client_that_floods_its_ring(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 400, .floods = true},
                                        {.channel = 1, .length = 100, .gap = 20}};
  uint64_t free[2], held[2], none[2];
  shares_under("none", clients, false, false, none);
  shares_under("exact", clients, false, false, free);
  shares_under("exact", clients, true, false, held);
  assert_in_range(100 * none[0] / (none[0] + none[1]), 75, 82);
  assert_true(free[0] < none[0]);
  assert_in_range(1000 * held[0] / (held[0] + held[1]), 480, 520);
}

// Cycles of the first client in the last half of the run.
static uint64_t ran_late(const struct fake_client *clients, bool work_conserving) {
  struct fake_gpu *gpu = with_clients(clients, 2);
  struct qsm_accounting_settings settings = settings_of("exact");
  settings.work_conserving = work_conserving;
  settings.poll_phase = 500;
  settings.nonpoll_phase = 2500;
  struct qsm_accounting *accounting = create(gpu, &settings);
  add_clients(gpu, accounting);
  fake_run_accounting(gpu, accounting, 200000);
  uint64_t before = gpu->client[0].ran;
  fake_run_accounting(gpu, accounting, 400000);
  uint64_t ran = gpu->client[0].ran - before;
  finish(gpu, accounting);
  return ran;
}

// R-AC-19: closed for the sake of one that has gone idle meanwhile.
static void exact_opens_the_only_one_that_is_left(void **state) {
  (void)state;
  for (uint64_t until = 100000; until < 112000; until += 1500) {
    const struct fake_client clients[] = {{.channel = 0, .length = 400, .gap = 20},
                                          {.channel = 1, .length = 20, .gap = 100, .until = until}};
    assert_in_range(ran_late(clients, false), 180000, 200000);
  }
}

// R-AC-19
static void exact_does_not_wait_for_one_that_waits_for_a_semaphore(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 400, .gap = 20},
                                        {.channel = 1, .length = 20, .waits = true}};
  assert_in_range(ran_late(clients, false), 180000, 200000);
}

// R-AC-21: one that runs a fifth of the time, for ever, has no claim to the rest.
static void work_that_is_left_is_done_by_who_was_closed(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 400, .gap = 20},
                                        {.channel = 1, .length = 20, .gap = 80}};
  uint64_t strict = ran_late(clients, false), conserving = ran_late(clients, true);
  assert_in_range(strict, 0, 90000);
  assert_in_range(conserving, 120000, 200000);
}

// R-AC-21: as without it where who is open uses the GPU; a launch longer than a period is no time
// that was left, though it is charged later.
static void work_conserving_takes_nothing_from_who_uses_his_time(void **state) {
  (void)state;
  const struct fake_client all[][2] = {
      {{.channel = 0, .length = 400, .gap = 20}, {.channel = 1, .length = 100, .gap = 20}},
      {{.channel = 0, .length = 400, .gap = 20}, {.channel = 1, .length = 20000, .gap = 20}}};
  for (uint32_t i = 0; i < 2; i++)
    assert_int_equal(ran_late(all[i], true), ran_late(all[i], false));
}

// The same calls give the same run.
static void runs_repeat(void **state) {
  (void)state;
  const struct fake_client clients[] = {{.channel = 0, .length = 400, .gap = 20},
                                        {.channel = 1, .length = 100, .gap = 20}};
  for (const char *const *policy = qsm_accounting_policies; *policy; policy++) {
    uint64_t first[2], second[2];
    shares_under(*policy, clients, false, true, first);
    shares_under(*policy, clients, false, true, second);
    assert_memory_equal(first, second, sizeof first);
  }
}

// ---- Errors ----

static void expect_refused(const struct qsm_accounting_settings *settings, const char *text) {
  static struct fake_gpu gpu;
  struct qsm_accounting_device device = fake_device(&gpu, 16);
  struct qsm_accounting *accounting = NULL;
  char msg[256] = "";
  assert_int_equal(qsm_accounting_create(&device, settings, &accounting, msg, sizeof msg), -1);
  assert_null(accounting);
  if (!strstr(msg, text)) fail_msg("'%s' does not say '%s'", msg, text);
}

// R-AC-17
static void wrong_settings_are_refused_with_a_text(void **state) {
  (void)state;
  struct qsm_accounting_settings good = settings_of("loga"), bad = good;
  bad.policy = "fifo";
  expect_refused(&bad, "no accounting policy fifo: none, loga, neon, loga_cl, exact");
  bad.policy = NULL;
  expect_refused(&bad, "no accounting policy");
  bad = good, bad.poll_phase = 0;
  expect_refused(&bad, "poll_phase is 0");
  bad = good, bad.nonpoll_phase = 0;
  expect_refused(&bad, "nonpoll_phase is 0");
  bad = good, bad.poll_cycles = 0;
  expect_refused(&bad, "poll_cycles is 0");
  bad = good, bad.neon_poll = 0;
  expect_refused(&bad, "neon_poll is 0");
  bad = good, bad.drain_poll = 0;
  expect_refused(&bad, "drain_poll is 0");
  bad = good, bad.poll_phase = UINT64_C(1) << 32;
  expect_refused(&bad, "more than 32 bits");
  bad = settings_of("exact"), bad.poll_always = true;
  expect_refused(&bad, "poll_always is for loga");
  bad = good, bad.counter = 0x41;
  expect_refused(&bad, "counter is no register");
  bad = good, bad.counter = 0x40;
  expect_refused(&bad, "counter is no register");
  bad = good, bad.counter_scale = 0;
  expect_refused(&bad, "counter_scale is 0");
}

static void expect_text(const struct qsm_accounting *accounting, int status, const char *text) {
  assert_int_equal(status, -1);
  if (!strstr(qsm_accounting_error(accounting), text))
    fail_msg("'%s' does not say '%s'", qsm_accounting_error(accounting), text);
}

// R-AC-17
static void wrong_applications_are_refused_with_a_text(void **state) {
  (void)state;
  struct fake_gpu *gpu = scripted((const struct fake_segment[]){{0, A, 0}}, 1);
  struct qsm_accounting_settings settings = settings_of("loga");
  struct qsm_accounting_device device = fake_device(gpu, 16);
  struct qsm_accounting *accounting = NULL;
  struct qsm_accounting_usage usage;
  char msg[256];
  assert_int_equal(qsm_accounting_create(&device, &settings, &accounting, msg, sizeof msg), 0);
  const uint32_t twice[] = {3, 4, 3}, beyond[] = {16}, some[] = {5, 6}, taken[] = {7, 6};
  uint32_t a = 99;
  bool accepted;
  expect_text(accounting, qsm_accounting_add(accounting, some, 0, &a), "without channels");
  expect_text(accounting, qsm_accounting_add(accounting, twice, 3, &a), "channel 3 is given twice");
  expect_text(accounting, qsm_accounting_add(accounting, beyond, 1, &a), "no channel 16");
  assert_int_equal(a, 99);
  assert_int_equal(qsm_accounting_add(accounting, some, 2, &a), 0);
  assert_int_equal(a, 0);
  expect_text(accounting, qsm_accounting_add(accounting, taken, 2, &a),
              "channel 6 belongs to application 0");
  expect_text(accounting, qsm_accounting_remove(accounting, 1), "no application 1");
  expect_text(accounting, qsm_accounting_usage(accounting, 96, &usage), "no application 96");
  expect_text(accounting, qsm_accounting_submit(accounting, 7, 1, &accepted), "no application's");
  qsm_accounting_destroy(NULL);
  finish(gpu, accounting);
}

// R-AC-17
static void a_register_that_refuses_and_a_clock_that_goes_back_end_the_step(void **state) {
  (void)state;
  struct fake_gpu *gpu = scripted((const struct fake_segment[]){{0, A, 0}}, 1);
  struct qsm_accounting_settings settings = settings_of("loga");
  struct qsm_accounting *accounting = create(gpu, &settings);
  uint64_t next = 0;
  add(accounting, A);
  gpu->refuse = QSM_REG_FRONT_SNAP;
  expect_text(accounting, qsm_accounting_step(accounting, &next), "0x000E0 does not take");
  gpu->refuse = QSM_REG_SNAP_ENGINE;
  expect_text(accounting, qsm_accounting_step(accounting, &next), "0x000E4 cannot be read");
  gpu->refuse = 0;
  gpu->now = 100;
  assert_int_equal(qsm_accounting_step(accounting, &next), 0);
  gpu->now = 99;
  expect_text(accounting, qsm_accounting_step(accounting, &next), "clock goes back from 100 to 99");
  finish(gpu, accounting);
}

// R-AC-15: open and closed.
static void submitting_writes_put_where_there_is_access(void **state) {
  (void)state;
  struct fake_gpu *gpu = scripted((const struct fake_segment[]){{0, A, BIT_A | BIT_B}}, 1);
  struct qsm_accounting_settings settings = settings_of("loga");
  struct qsm_accounting *accounting = create(gpu, &settings);
  bool accepted = false;
  add(accounting, A);
  add(accounting, B);
  assert_int_equal(qsm_accounting_submit(accounting, A, 3, &accepted), 0);
  assert_true(accepted);
  assert_int_equal(gpu->put[A], 3);
  for (uint32_t i = 0; i < 2; i++) next_phase(gpu, accounting);
  assert_int_equal(qsm_accounting_submit(accounting, A, 5, &accepted), 0);
  assert_false(accepted);
  assert_int_equal(gpu->put[A], 3);
  finish(gpu, accounting);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_of_the_page),
      cmocka_unit_test(a_phase_without_a_switch_is_charged_whole_and_an_idle_one_not_at_all),
      cmocka_unit_test(a_late_step_charges_what_has_passed),
      cmocka_unit_test(charges_of_random_scripts_are_those_of_the_polls),
      cmocka_unit_test(every_access_is_counted),
      cmocka_unit_test(none_never_wants_to_run),
      cmocka_unit_test(phases_grow_with_the_channels_and_random_ones_keep_their_ratio),
      cmocka_unit_test(polling_always_charges_everything),
      cmocka_unit_test(who_is_more_than_a_period_ahead_is_closed_for_the_non_poll_phase),
      cmocka_unit_test(without_scheduling_virtual_times_move_and_nobody_is_closed),
      cmocka_unit_test(idle_and_new_applications_begin_at_the_system_time),
      cmocka_unit_test(a_stopped_channel_with_commands_is_not_active),
      cmocka_unit_test(when_all_are_idle_no_virtual_time_moves),
      cmocka_unit_test(an_application_that_goes_in_a_phase_leaves_its_time_in_the_total),
      cmocka_unit_test(a_closed_application_that_goes_has_its_channels_back),
      cmocka_unit_test(loga_cl_takes_mean_lengths),
      cmocka_unit_test(neon_lets_one_application_at_a_time_run),
      cmocka_unit_test(neon_measures_the_lengths_of_commands),
      cmocka_unit_test(neon_divides_the_time_between_looks_among_commands),
      cmocka_unit_test(neon_survives_a_channel_that_is_enabled_anew),
      cmocka_unit_test(neon_with_hold_drains_what_was_held),
      cmocka_unit_test(neon_does_not_wait_for_a_stopped_channel),
      cmocka_unit_test(neon_goes_on_when_applications_come_and_go_in_its_samples),
      cmocka_unit_test(exact_charges_what_the_counters_say),
      cmocka_unit_test(exact_takes_any_counter_of_a_channel),
      cmocka_unit_test(exact_charges_a_channel_that_is_enabled_anew),
      cmocka_unit_test(exact_costs_little),
      cmocka_unit_test(unequal_clients_get_equal_time_by_fair_queueing),
      cmocka_unit_test(holding_stops_a_client_that_floods_its_ring),
      cmocka_unit_test(exact_opens_the_only_one_that_is_left),
      cmocka_unit_test(exact_does_not_wait_for_one_that_waits_for_a_semaphore),
      cmocka_unit_test(work_that_is_left_is_done_by_who_was_closed),
      cmocka_unit_test(work_conserving_takes_nothing_from_who_uses_his_time),
      cmocka_unit_test(runs_repeat),
      cmocka_unit_test(wrong_settings_are_refused_with_a_text),
      cmocka_unit_test(wrong_applications_are_refused_with_a_text),
      cmocka_unit_test(a_register_that_refuses_and_a_clock_that_goes_back_end_the_step),
      cmocka_unit_test(submitting_writes_put_where_there_is_access),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
