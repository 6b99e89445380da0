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
}

int main(void) {
  const struct CMUnitTest tests[] = {
      {"R-CR-6 outputs are right and runs repeat under each scheme",
       right_and_repeatable_under_each_scheme, NULL, NULL, NULL},
      {"R-CR-7 decisions take the time that is said", decisions_take_the_time_that_is_said, NULL,
       NULL, NULL},
      {"R-CR-8 bad input is refused", bad_input_is_refused, NULL, NULL, NULL},
  };
  return cmocka_run_group_tests_name("collocated", tests, set_up, tear_down);
}
