// SPDX-License-Identifier: Apache-2.0
// Profiles of applications (docs/collocated.md).
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_support.h"
#include "qsm_profile.h"
#include "qsm_run.h"

enum { ALL_POLICIES = 15 };

static char msg[600], folder[] = "/tmp/qsm_profile_XXXXXX", db[64];

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(db, sizeof db, "%s/p.db", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unlink(db);
  return rmdir(folder);
}

static struct qsm_profile_key key_of(const char *config) {
  struct qsm_profile_key key;
  if (qsm_profile_key(config, qsm_app_by_name("fsm"), QSM_APP_T, &key, msg, sizeof msg))
    fail_msg("%s", msg);
  return key;
}

static int profile(const char *config, const char *counts) {
  const char *const names[] = {"fsm"};
  const struct qsm_profile_options options = {.config = config,
                                              .db = db,
                                              .names = names,
                                              .n_names = 1,
                                              .size = QSM_APP_T,
                                              .n_jobs = 2,
                                              .counts = counts,
                                              .policies = ALL_POLICIES,
                                              .quiet = true};
  return qsm_profile_command(&options);
}

static struct qsm_profile *load(const struct qsm_profile_key *key) {
  struct qsm_profile *loaded = qsm_profile_load(db, key, msg, sizeof msg);
  if (!loaded) fail_msg("%s", msg);
  return loaded;
}

static void refuse(const struct qsm_profile_key *key, const char *text) {
  assert_null(qsm_profile_load(db, key, msg, sizeof msg));
  if (!strstr(msg, text)) fail_msg("'%s' does not say '%s'", msg, text);
}

static void execute(const char *sql) {
  sqlite3 *handle = NULL;
  assert_int_equal(sqlite3_open(db, &handle), SQLITE_OK);
  assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(handle);
}

static void is_what_was_measured(void **state) {
  (void)state;
  struct qsm_profile_key key = key_of("rdna2");
  assert_int_equal(profile("rdna2", "1,20,40"), QSM_EXIT_OK);
  struct qsm_profile *loaded = load(&key);
  for (uint32_t policy = 0; policy < QSM_PROFILE_POLICIES; policy++) {
    struct qsm_profile_kernel *kernels = NULL;
    uint32_t n = 0;
    if (qsm_profile_measure(&key, policy, 20, &kernels, &n, msg, sizeof msg)) fail_msg("%s", msg);
    assert_int_equal(n, loaded->n_kernels);
    for (uint32_t i = 0; i < n; i++) {
      assert_true(kernels[i].cycles > 0);
      assert_int_equal(kernels[i].cycles, qsm_profile_times(loaded, policy, i)[19]);
    }
    free(kernels);
  }
  qsm_profile_free(loaded);
}

static void goes_on_where_it_was(void **state) {
  (void)state;
  struct qsm_profile_key key = key_of("rdna2");
  // A point that is there is not measured again.
  execute("UPDATE times SET cycles = 12345678 WHERE policy = 0 AND sms = 20 AND kernel = 0");
  assert_int_equal(profile("rdna2", "1,10,20,40"), QSM_EXIT_OK);
  struct qsm_profile *loaded = load(&key);
  assert_int_equal(qsm_profile_times(loaded, 0, 0)[19], 12345678);
  assert_true(loaded->measured[3][9]);
  qsm_profile_free(loaded);
}

static void interpolated_is_marked_and_between(void **state) {
  (void)state;
  struct qsm_profile_key key = key_of("rdna2");
  struct qsm_profile *loaded = load(&key);
  assert_true(loaded->measured[0][19] && !loaded->measured[0][20]);
  for (uint32_t i = 0; i < loaded->n_kernels; i++) {
    const uint64_t *times = qsm_profile_times(loaded, 1, i);
    uint64_t least = times[19] < times[39] ? times[19] : times[39],
             most = times[19] < times[39] ? times[39] : times[19];
    for (uint32_t c = 21; c < 40; c++) assert_true(times[c - 1] >= least && times[c - 1] <= most);
  }
  qsm_profile_free(loaded);
  uint64_t times[4] = {400, 0, 0, 100};
  const bool measured[4] = {true, false, false, true};
  qsm_profile_interpolate(times, measured, 4);
  assert_int_equal(times[1], 200);
  assert_int_equal(times[2], 133);
}

static void another_one_is_refused(void **state) {
  (void)state;
  struct qsm_profile_key key = key_of("rdna2"), other = key;
  other.program_hash++;
  refuse(&other, "was made with another program (its ELF differs)");
  other = key;
  other.config_hash++;
  refuse(&other, "was made with another configuration file");
  other = key;
  other.timing_hash++;
  refuse(&other, "was made with another timing of the simulator");
  other = key_of("tiny");
  refuse(&other, "has no profile of fsm, size T, on tiny");
  execute("DELETE FROM times WHERE sms = 40 AND policy = 2");
  refuse(&key, "is not complete (s2 on 1 and on 40 SMs)");
}

static void bad_input_is_refused(void **state) {
  (void)state;
  struct qsm_profile_key key;
  assert_int_equal(profile("rdna2", "1,20"), QSM_EXIT_BAD_INPUT);
  assert_int_equal(profile("rdna2", "1,41,40"), QSM_EXIT_BAD_INPUT);
  assert_int_equal(profile("none", NULL), QSM_EXIT_BAD_INPUT);
  assert_int_equal(qsm_profile_key("odd", qsm_app_by_name("vgg"), QSM_APP_T, &key, msg, sizeof msg),
                   -1);
  assert_non_null(strstr(msg, "has no FPU"));
  assert_null(qsm_profile_load("/none/p.db", &key, msg, sizeof msg));
  assert_non_null(strstr(msg, "/none/p.db: "));
}

static void demand_is_the_fewest_within_a_tenth(void **state) {
  (void)state;
  uint64_t times[] = {400, 221, 220, 200};
  struct qsm_profile made = {.key = {.n_sms = 4}, .n_kernels = 1, .times = {times}};
  assert_int_equal(qsm_profile_demand(&made, 0), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      {"R-CR-1 a profile is what each kernel takes alone", is_what_was_measured, NULL, NULL, NULL},
      {"R-CR-2 what is there is not measured again", goes_on_where_it_was, NULL, NULL, NULL},
      {"R-CR-3 interpolated times are marked and lie between", interpolated_is_marked_and_between,
       NULL, NULL, NULL},
      {"R-CR-4 a profile of something else is refused", another_one_is_refused, NULL, NULL, NULL},
      {"R-CR-5 demand", demand_is_the_fewest_within_a_tenth, NULL, NULL, NULL},
      {"R-CR-4 bad input is refused", bad_input_is_refused, NULL, NULL, NULL},
  };
  return cmocka_run_group_tests_name("profile", tests, set_up, tear_down);
}
