// SPDX-License-Identifier: Apache-2.0
// Applications side by side under each scheme (docs/collocated.md).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_support.h"
#include "qsm_collocated.h"

static char kernels[512], msg[600], db[] = "/tmp/qsm_collocated_XXXXXX";
static struct qsm_profile *profiles[2];

static int set_up(void **state) {
  static const char *const names[] = {"fsm", "lstm"};
  const char *root = getenv("QSM_ROOT");
  (void)state;
  snprintf(kernels, sizeof kernels, "%s/build/sw", root ? root : ".");
  close(mkstemp(db));
  const struct qsm_profile_options options = {.config = "rdna2",
                                              .db = db,
                                              .names = names,
                                              .n_names = 2,
                                              .size = QSM_APP_T,
                                              .n_jobs = 2,
                                              .counts = "1,20,40",
                                              .policies = 15,
                                              .quiet = true};
  if (qsm_profile_command(&options)) return -1;
  for (uint32_t i = 0; i < 2; i++) {
    struct qsm_profile_key key;
    if (qsm_profile_key("rdna2", qsm_app_by_name(names[i]), QSM_APP_T, &key, msg, sizeof msg))
      return -1;
    profiles[i] = qsm_profile_load(db, &key, msg, sizeof msg);
    if (!profiles[i]) return -1;
  }
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  qsm_profile_free(profiles[0]);
  qsm_profile_free(profiles[1]);
  return unlink(db);
}

static struct qsm_collocated_setting setting_of(enum qsm_collocation_scheme scheme) {
  struct qsm_collocated_setting setting = {
      .config = "rdna2",
      .kernel_folder = kernels,
      .size = QSM_APP_T,
      .app = {{.app = qsm_app_by_name("fsm"), .profile = profiles[0], .n_passes = 2},
              {.app = qsm_app_by_name("lstm"), .profile = profiles[1], .n_passes = 2}},
      .n_apps = 2,
      .options = qsm_collocation_defaults,
      .seed = 1,
      .poll_cycles = 32};
  setting.options.scheme = scheme;
  return setting;
}

static struct qsm_collocated_outcome run(const struct qsm_collocated_setting *setting) {
  struct qsm_collocated_outcome outcome;
  if (qsm_collocated_run(setting, &outcome, NULL, msg, sizeof msg)) fail_msg("%s", msg);
  return outcome;
}

static void right_and_repeatable_under_each_scheme(void **state) {
  (void)state;
  for (uint32_t s = 0; s < QSM_COLLOCATION_SCHEMES; s++) {
    struct qsm_collocated_setting setting = setting_of((enum qsm_collocation_scheme)s);
    struct qsm_collocated_outcome first = run(&setting), again = run(&setting);
    assert_memory_equal(&first, &again, sizeof first);
    assert_int_equal(first.app[0].n_launches, 2 * 6);
    assert_int_equal(first.app[1].n_launches, 2 * 9);
    bool apart = first.app[1].begin >= first.app[0].end;
    assert_int_equal(apart, s == QSM_COLLOCATION_SERIAL);
  }
}

static void decisions_take_the_time_that_is_said(void **state) {
  (void)state;
  struct qsm_collocated_setting setting = setting_of(QSM_COLLOCATION_KRISP);
  setting.n_apps = 1;
  struct qsm_collocated_outcome without = run(&setting);
  setting.decision_cycles = 1000;
  struct qsm_collocated_outcome with = run(&setting);
  assert_int_equal(with.app[0].n_decided, 12);
  assert_in_range(with.n_cycles, without.n_cycles + 11000, without.n_cycles + 15000);
  setting.decision_cycles = 0;
  setting.mask_cycles = 2000;
  struct qsm_collocated_outcome masks = run(&setting);
  const uint32_t n = masks.app[0].n_changed;
  assert_in_range(n, 1, 12);
  assert_in_range(masks.n_cycles, without.n_cycles + 1800 * n, without.n_cycles + 2400 * n);
  setting.options.scheme = QSM_COLLOCATION_CONCURRENT;
  assert_int_equal(run(&setting).app[0].n_changed, 0);
}

// R-CR-9
static void requests_arrive_wait_and_are_served(void **state) {
  (void)state;
  struct qsm_collocated_setting setting = setting_of(QSM_COLLOCATION_CONCURRENT);
  setting.n_apps = 1;
  setting.app[0].n_passes = 1;
  struct qsm_collocated_outcome alone = run(&setting);
  uint64_t service = alone.n_cycles;
  setting.app[0].n_passes = 40;
  setting.app[0].mean_gap = 2 * service;
  struct qsm_collocated_outcome rare = run(&setting), again = run(&setting);
  assert_memory_equal(&rare, &again, sizeof rare);
  // 40 exponential gaps: the sum is within three standard deviations of its mean.
  assert_in_range(rare.n_cycles, 40 * 2 * service / 2, 40 * 2 * service * 3 / 2);
  setting.app[0].mean_gap = service / 2;  // more than it can serve: each waits for all before it
  struct qsm_collocated_outcome often = run(&setting);
  for (uint32_t i = 0; i < 40; i++)
    assert_in_range(rare.app[0].latency[i], service * 8 / 10, 100 * service);
  assert_true(qsm_collocated_percentile(often.app[0].latency, 40, 99) > 8 * service);
  assert_true(qsm_collocated_percentile(rare.app[0].latency, 40, 50) < 2 * service);
  setting.seed = 2;
  struct qsm_collocated_outcome other = run(&setting);
  assert_memory_not_equal(&often.app[0].latency, &other.app[0].latency,
                          sizeof other.app[0].latency);
}

static void percentiles_are_by_nearest_rank(void **state) {
  (void)state;
  static const uint64_t latency[] = {15, 20, 35, 40, 50};
  assert_int_equal(qsm_collocated_percentile(latency, 5, 5), 15);
  assert_int_equal(qsm_collocated_percentile(latency, 5, 30), 20);
  assert_int_equal(qsm_collocated_percentile(latency, 5, 40), 20);
  assert_int_equal(qsm_collocated_percentile(latency, 5, 50), 35);
  assert_int_equal(qsm_collocated_percentile(latency, 5, 100), 50);
  assert_int_equal(qsm_collocated_percentile(latency, 0, 50), 0);
}

// R-CR-6: an application without a number of passes.
static void one_goes_on_until_the_other_is_done(void **state) {
  (void)state;
  struct qsm_collocated_setting setting = setting_of(QSM_COLLOCATION_CONCURRENT);
  setting.app[0].n_passes = 6;
  setting.app[1].n_passes = 0;
  struct qsm_collocated_outcome outcome = run(&setting);
  assert_int_equal(outcome.app[0].n_passes, 6);
  assert_true(outcome.app[1].n_passes >= 1);
  assert_true(outcome.app[1].end >= outcome.n_cycles);
  assert_int_equal(outcome.app[1].n_launches % 9, 0);  // the last pass was ended
  assert_int_equal(outcome.n_cycles, outcome.app[0].end);
  assert_in_range(outcome.app[1].work, 1, outcome.n_cycles * 2);
}

// R-CR-10
static void use_of_the_memory_is_what_the_model_has_counted(void **state) {
  (void)state;
  struct qsm_collocated_setting setting = setting_of(QSM_COLLOCATION_CONCURRENT);
  struct qsm_collocated_outcome both = run(&setting);
  uint64_t requests = 0, lines = 0;
  for (uint32_t i = 0; i < 2; i++) {
    struct qsm_collocated_setting one = setting;
    one.app[0] = setting.app[i];
    one.n_apps = 1;
    struct qsm_collocated_outcome alone = run(&one);
    assert_in_range(alone.l2_found, 1, alone.l2_requests);
    requests += alone.l2_requests;
    lines += alone.memory_lines;
  }
  // Together they ask for what they ask for alone, but for what the L1s and arrays had kept.
  assert_in_range(both.l2_requests, requests * 9 / 10, requests * 11 / 10);
  assert_in_range(both.memory_lines, lines / 2, lines * 2);
  assert_in_range(both.sa_found, 1, both.sa_loads);
  assert_true(both.memory_busy > 0 && both.memory_busy < 1);
}

// R-CR-11
static void shares_are_those_of_the_paper(void **state) {
  (void)state;
  struct qsm_collocated_setting setting = setting_of(QSM_COLLOCATION_CONCURRENT);
  struct qsm_collocated_outcome both = run(&setting);
  for (uint32_t i = 0; i < 2; i++) {
    double sum = 0;
    assert_true(both.app[i].u > 0.3 && both.app[i].u < 1);
    assert_true(both.app[i].n_sms == 40);
    for (uint32_t sm = 0; sm < 40; sm++) sum += both.app[i].share[sm];
    assert_true(sum / 40 > both.app[i].u - 1e-9 && sum / 40 < both.app[i].u + 1e-9);
  }
  setting.n_apps = 1;
  struct qsm_collocated_outcome alone = run(&setting);
  assert_true(alone.app[0].u == 1 && alone.app[0].share[39] == 1 && alone.app[0].share[40] == 0);
}

// R-CR-12: the second has a goal of nearly all that its kernels have alone, or of next to nothing.
static void goals_and_budgets_reach_the_kernels(void **state) {
  (void)state;
  struct qsm_collocated_setting setting = setting_of(QSM_COLLOCATION_CONCURRENT);
  struct qsm_collocated_setting one = setting;
  one.app[0] = setting.app[1];
  one.n_apps = 1;
  struct qsm_collocated_outcome alone = run(&one), plain = run(&setting);
  setting.epoch_cycles = 1000;
  setting.scheme = qsmSchemeRolloverTime;
  setting.app[1].alone = alone.app[0].kernel;
  setting.app[1].goal_permille = 950;
  struct qsm_collocated_outcome held = run(&setting);
  for (uint32_t k = 0; k < 3; k++) assert_true(alone.app[0].kernel[k].instructions > 0);
  setting.app[1].goal_permille = 20;  // the same for the host, but hardly an instruction
  struct qsm_collocated_outcome starved = run(&setting);
  assert_true(held.app[1].end < starved.app[1].end);
  setting.scheme = qsmSchemeNone;
  setting.policy = qsmPolicyQawsProse;
  setting.app[1].goal_permille = 0;
  setting.app[1].budget = 8;
  struct qsm_collocated_outcome first = run(&setting);
  assert_true(first.n_cycles != plain.n_cycles);
  setting.policy = qsmPolicyGto;
  setting.own_slots = true;
  setting.app[1].budget = 0;
  setting.app[0].thread_limit = 50;
  assert_int_equal(run(&setting).app[1].n_passes, 2);
}

static void bad_input_is_refused(void **state) {
  (void)state;
  struct qsm_collocated_outcome outcome;
  struct qsm_collocated_setting setting = setting_of(QSM_COLLOCATION_KRISP);
  setting.app[1].profile = NULL;
  assert_int_equal(qsm_collocated_run(&setting, &outcome, NULL, msg, sizeof msg), -1);
  assert_non_null(strstr(msg, "application 1, lstm: profile: there is none"));
  setting.app[1].profile = profiles[0];
  assert_int_equal(qsm_collocated_run(&setting, &outcome, NULL, msg, sizeof msg), -1);
  assert_non_null(strstr(msg, "application 1, lstm: profile: has other kernels"));
  setting = setting_of(QSM_COLLOCATION_SERIAL);
  setting.app[0].n_passes = setting.app[1].n_passes = 0;
  assert_int_equal(qsm_collocated_run(&setting, &outcome, NULL, msg, sizeof msg), -1);
  assert_non_null(strstr(msg, "no application has a number of passes"));
  setting.app[0].n_passes = 2;
  setting.app[1].goal_permille = 500;
  assert_int_equal(qsm_collocated_run(&setting, &outcome, NULL, msg, sizeof msg), -1);
  assert_non_null(strstr(msg, "application 1, lstm: goal"));
  setting.app[1].goal_permille = 0;
  setting.app[1].thread_limit = 50;
  assert_int_equal(qsm_collocated_run(&setting, &outcome, NULL, msg, sizeof msg), -1);
  assert_non_null(strstr(msg, "needs a context with a slot of its own"));
  setting = setting_of(QSM_COLLOCATION_KRISP);
  setting.own_slots = true;
  assert_int_equal(qsm_collocated_run(&setting, &outcome, NULL, msg, sizeof msg), -1);
  assert_non_null(strstr(msg, "launches have no masks"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      {"R-CR-6 outputs are right and runs repeat under each scheme",
       right_and_repeatable_under_each_scheme, NULL, NULL, NULL},
      {"R-CR-7 decisions take the time that is said", decisions_take_the_time_that_is_said, NULL,
       NULL, NULL},
      {"R-CR-8 bad input is refused", bad_input_is_refused, NULL, NULL, NULL},
      {"R-CR-9 requests arrive at random and wait for those before them",
       requests_arrive_wait_and_are_served, NULL, NULL, NULL},
      {"R-CR-9 percentiles are by nearest rank", percentiles_are_by_nearest_rank, NULL, NULL, NULL},
      {"R-CR-6 one without a number of passes goes on", one_goes_on_until_the_other_is_done, NULL,
       NULL, NULL},
      {"R-CR-10 use of the memory", use_of_the_memory_is_what_the_model_has_counted, NULL, NULL,
       NULL},
      {"R-CR-11 shares are the paper's U", shares_are_those_of_the_paper, NULL, NULL, NULL},
      {"R-CR-12 goals and budgets reach the kernels", goals_and_budgets_reach_the_kernels, NULL,
       NULL, NULL},
  };
  return cmocka_run_group_tests_name("collocated", tests, set_up, tear_down);
}
