// SPDX-License-Identifier: Apache-2.0
// A hostile tenant (experiments/attack_kernels.c) beside an honest one: no output of the honest
// program is wrong, each fault kills the attacker with its cause (I-FLT-1, I-FLT-2, I-MEM-1,
// I-MEM-2), whatever fills the GPU leaves the honest tenant its way (R-TB-14, R-TA-11), and RTL
// equals model. Under pace a goal holds beside them (docs/guarantee.md, R-PA-8).
#include <string.h>

#include "host_support.h"
#include "qsm_attacks.h"
#include "qsm_config.h"

enum { MODEL_EPOCHS = 2, FULL_EPOCHS = 6, LOCKSTEP_EPOCHS = 1 };

// In lockstep an attack runs on tiny or on odd, and on both with QSM_TEST_FULL, which has more
// epochs on the model, too. A brief run has one epoch for each, on the model without or with
// caches, and few of them in lockstep.
static bool on_turn(size_t attack, size_t turn, const char *backend) {
  bool lockstep = strcmp(backend, "lockstep") == 0;
  size_t n_turns = brief_run() ? (lockstep ? 16 : 2) : lockstep && !full_run() ? 2 : 1;
  return attack % n_turns == turn % n_turns;
}

static void withstand(const struct qsm_attack_setting *setting, const struct qsm_attack *attack) {
  struct qsm_attack_outcome outcome;
  char msg[512];
  if (qsm_attack_run(setting, attack, &outcome, msg, sizeof msg))
    fail_msg("%s on %s of %s: %s", attack->kernel, setting->backend, setting->config, msg);
  if (outcome.n_unexpected)
    fail_msg(
        "%s on %s of %s: %d of %d ends not as expected; killed %d, cause %u, PC 0x%08X, value 0x%08X",
        attack->kernel, setting->backend, setting->config, (int)outcome.n_unexpected,
        (int)outcome.n_attacks, outcome.unexpected.killed, outcome.unexpected.cause,
        outcome.unexpected.pc, outcome.unexpected.value);
  // A block of a whole SM may wait for its turn for longer than that.
  bool must_end = attack->end == QSM_ATTACK_FAULTS && attack->warps == 1 && !attack->all_shared;
  if (must_end && outcome.n_attacks == 0)
    fail_msg("%s on %s of %s: never ended", attack->kernel, setting->backend, setting->config);
  assert_int_equal(outcome.n_wrong, 0);
  assert_true(outcome.n_right > 0);
}

static bool has_fpu(const char *config) {
  qsmDevice_t device = open_device(config);
  bool fpu = qsmDeviceConfig(device)->fpu;
  qsmDeviceClose(device);
  return fpu;
}

static void withstand_all(struct qsm_attack_setting setting, size_t turn) {
  char path[PROGRAM_PATH_BYTES];
  attack_kernels(path);
  setting.attackers = path;
  setting.seed = 1;
  if (brief_run()) setting.n_epochs = 1;
  if (full_run() && strcmp(setting.backend, "model") == 0) setting.n_epochs = FULL_EPOCHS;
  bool fpu = has_fpu(setting.config);
  for (size_t i = 0; i < qsm_n_attacks; i++)
    if ((fpu || !qsm_attacks[i].needs_fpu) && on_turn(i, turn, setting.backend))
      withstand(&setting, &qsm_attacks[i]);
}

static void attacks_leave_honest_results_right_without_a_scheme(void **state) {
  (void)state;
  withstand_all((struct qsm_attack_setting){.backend = "model",
                                            .config = "demo",
                                            .program = qsm_suite_find("matmul"),
                                            .scheme = qsmSchemeNone,
                                            .adjust = qsmAdjustSwitch,
                                            .n_epochs = MODEL_EPOCHS},
                0);
}

static void attacks_leave_honest_results_right_behind_caches(void **state) {
  (void)state;
  withstand_all((struct qsm_attack_setting){.backend = "model",
                                            .config = "demo+l1_kib-4+l2_kib-16+dram_banks-8",
                                            .program = qsm_suite_find("histogram"),
                                            .scheme = qsmSchemeRollover,
                                            .goal_q16 = 1 << 16,
                                            .adjust = qsmAdjustSwitch,
                                            .n_epochs = MODEL_EPOCHS},
                1);
}

static void attacks_are_the_same_on_rtl_and_model_of_tiny(void **state) {
  (void)state;
  withstand_all((struct qsm_attack_setting){.backend = "lockstep",
                                            .config = "tiny",
                                            .program = qsm_suite_find("reduce"),
                                            .scheme = qsmSchemeRollover,
                                            .goal_q16 = 1 << 14,
                                            .adjust = qsmAdjustSwitch,
                                            .n_epochs = LOCKSTEP_EPOCHS},
                0);
}

static void attacks_are_the_same_on_rtl_and_model_of_odd(void **state) {
  (void)state;
  withstand_all((struct qsm_attack_setting){.backend = "lockstep",
                                            .config = "odd",
                                            .program = qsm_suite_find("vadd"),
                                            .scheme = qsmSchemeNone,
                                            .adjust = qsmAdjustSwitch,
                                            .n_epochs = LOCKSTEP_EPOCHS},
                1);
}

// ---- Goals beside them ----

// Half of the speed alone, in epochs after the first: what Rollover misses by far, pace reaches.
static void hold_beside(const char *config, const char *program, const char *kernel) {
  char path[PROGRAM_PATH_BYTES], msg[512];
  attack_kernels(path);
  struct qsm_attack_setting setting = {.backend = "model",
                                       .config = config,
                                       .attackers = path,
                                       .program = qsm_suite_find(program),
                                       .size = QSM_SIZE_M,
                                       .seed = 1,
                                       .n_epochs = 20};
  struct qsm_attack_outcome alone, beside;
  if (qsm_attack_run(&setting, NULL, &alone, msg, sizeof msg)) fail_msg("%s", msg);
  setting.goal_q16 = (uint32_t)(alone.ipc / 2 * 65536);
  size_t i = 0;
  while (strcmp(qsm_attacks[i].kernel, kernel) != 0) i++;
  static const qsmScheme schemes[] = {qsmSchemePace, qsmSchemeRollover};
  for (size_t n = 0; n < 2; n++) {
    setting.scheme = schemes[n];
    if (qsm_attack_run(&setting, &qsm_attacks[i], &beside, msg, sizeof msg)) fail_msg("%s", msg);
    double reached = beside.ipc / (alone.ipc / 2);
    printf("# %s beside %s, scheme %d: %.1f %% of the goal\n", program, kernel, (int)schemes[n],
           100 * reached);
    assert_int_equal(beside.n_wrong, 0);
    if (schemes[n] == qsmSchemePace)
      assert_true(reached >= 0.99);
    else
      assert_true(reached < 0.9);
  }
}

static void pace_holds_a_goal_beside_divisions(void **state) {
  (void)state;
  hold_beside("demo", "matmul", "divide");
}

static void pace_holds_a_goal_beside_a_full_memory(void **state) {
  (void)state;
  hold_beside("demo+l1_kib-4+l2_kib-16+dram_banks-8", "vadd", "read_scattered");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attacks_leave_honest_results_right_without_a_scheme),
      cmocka_unit_test(attacks_leave_honest_results_right_behind_caches),
      cmocka_unit_test(pace_holds_a_goal_beside_divisions),
      cmocka_unit_test(pace_holds_a_goal_beside_a_full_memory),
      cmocka_unit_test(attacks_are_the_same_on_rtl_and_model_of_tiny),
      cmocka_unit_test(attacks_are_the_same_on_rtl_and_model_of_odd),
  };
  return cmocka_run_group_tests_name("attacks", tests, NULL, NULL);
}
