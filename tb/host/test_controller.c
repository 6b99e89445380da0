// SPDX-License-Identifier: Apache-2.0
// What libqsm tells the quota controller (docs/qos_mgr.md R-QM-13), on the model.
#include <string.h>

#include "host_support.h"

#include "qsm_regs.h"

static qsmController read_back(qsmDevice_t device) {
  qsmController controller = {0};
  assert_int_equal(qsmRegisterRead(device, QSM_REG_ALPHA_CAP, &controller.alpha_cap_q16),
                   qsmSuccess);
  assert_int_equal(qsmRegisterRead(device, QSM_REG_ROLLOVER_CAP, &controller.rollover_cap),
                   qsmSuccess);
  assert_int_equal(qsmRegisterRead(device, QSM_REG_QUOTA_RULES, &controller.rules), qsmSuccess);
  return controller;
}

static void expect_controller(qsmDevice_t device, const qsmController *wanted) {
  qsmController seen = read_back(device);
  assert_int_equal(seen.alpha_cap_q16, wanted->alpha_cap_q16);
  assert_int_equal(seen.rollover_cap, wanted->rollover_cap);
  assert_int_equal(seen.rules, wanted->rules);
}

static void the_presets_are_what_a_reset_leaves_and_what_rollover_paper_means(void **unused) {
  (void)unused;
  qsmDevice_t device = open_device("tiny");
  expect_controller(device, &qsmControllerReset);
  assert_int_equal(qsmSetController(device, &qsmControllerRolloverPaper), qsmSuccess);
  expect_controller(device, &qsmControllerRolloverPaper);
  assert_int_equal(qsmControllerRolloverPaper.alpha_cap_q16, 0);
  assert_int_equal(qsmControllerRolloverPaper.rollover_cap, 0);
  assert_int_not_equal(qsmControllerRolloverPaper.rules, qsmControllerReset.rules);
  assert_int_equal(qsmSetController(device, &qsmControllerReset), qsmSuccess);
  expect_controller(device, &qsmControllerReset);
  qsmDeviceClose(device);
}

// In the middle of an epoch's arithmetic the registers are closed: the call waits.
static void a_controller_is_taken_at_any_time(void **unused) {
  (void)unused;
  qsmDevice_t device = open_device("tiny");
  const qsmController all = {.alpha_cap_q16 = 0x3FFFFF, .rollover_cap = 255, .rules = 0x73F};
  uint32_t busy = 0;
  assert_int_equal(qsmDeviceRunUntil(device, 10050), qsmSuccess);
  assert_int_equal(qsmRegisterRead(device, QSM_REG_MGR_BUSY, &busy), qsmSuccess);
  assert_int_equal(busy, 1);
  assert_int_equal(qsmSetController(device, &all), qsmSuccess);
  expect_controller(device, &all);
  qsmDeviceClose(device);
}

static void values_out_of_their_ranges_are_refused_and_change_nothing(void **unused) {
  (void)unused;
  static const struct {
    qsmController controller;
    const char *text;
  } rows[] = {
      {{0xFFFF, 8, 1}, "largest alpha 0xFFFF: must be 0 or 0x10000..0x3FFFFF"},
      {{0x400000, 8, 1}, "largest alpha 0x400000: must be 0 or 0x10000..0x3FFFFF"},
      {{0, 256, 1}, "256 epochs carried over: must be 0..255"},
      {{0, 8, 0x40}, "rules 0x40: no bits but those of 0x73F"},
      {{0, 8, 0x800}, "rules 0x800: no bits but those of 0x73F"},
  };
  qsmDevice_t device = open_device("tiny");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    assert_int_equal(qsmSetController(device, &rows[i].controller), qsmErrorInvalidValue);
    if (!strstr(qsmGetLastErrorText(device), rows[i].text))
      fail_msg("'%s' does not say '%s'", qsmGetLastErrorText(device), rows[i].text);
    expect_controller(device, &qsmControllerReset);
  }
  assert_int_equal(qsmSetController(device, NULL), qsmErrorInvalidValue);
  qsmDeviceClose(device);
  assert_int_equal(qsmSetController(device, &qsmControllerReset), qsmErrorInvalidHandle);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_presets_are_what_a_reset_leaves_and_what_rollover_paper_means),
      cmocka_unit_test(a_controller_is_taken_at_any_time),
      cmocka_unit_test(values_out_of_their_ranges_are_refused_and_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
