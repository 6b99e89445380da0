// SPDX-License-Identifier: Apache-2.0
// SMs of their own for contexts, through libqsm, on the model (docs/sm_mgr.md R-SG-1, R-SG-3;
// docs/sm_owner.md R-SO-1, R-SO-2, R-SO-6, R-SO-9, R-SO-11).
#include <string.h>

#include "host_support.h"

#include "qsm_config.h"

enum { EPOCH = 1000 };

static char without_gating[CONFIG_PATH_BYTES];

static int make_configuration(void **state) {
  if (copy_programs(state)) return -1;
  change_config("demo", "s/^power_gating: 1/power_gating: 0/", without_gating);
  return 0;
}

struct pair {
  qsmDevice_t device;
  qsmContext_t a, b;
};

static struct pair open_pair(qsmScheme scheme) {
  struct pair pair = {.device = open_device("demo")};
  assert_int_equal(qsmSetScheduling(pair.device, qsmPolicyGto, scheme, EPOCH), qsmSuccess);
  pair.a = open_context(pair.device);
  pair.b = open_context(pair.device);
  return pair;
}

static void expect_refusal(qsmDevice_t device, qsmError_t got, qsmError_t wanted,
                           const char *text) {
  assert_int_equal(got, wanted);
  if (!strstr(qsmGetLastErrorText(device), text))
    fail_msg("'%s' does not say '%s'", qsmGetLastErrorText(device), text);
}

static qsmSmState state_of(qsmDevice_t device, uint32_t sm) {
  qsmSmState state;
  assert_int_equal(qsmGetSmState(device, sm, &state), qsmSuccess);
  return state;
}

static uint32_t count_owned(const struct pair *pair, qsmContext_t context) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < qsmDeviceConfig(pair->device)->num_sms; i++) {
    qsmSmState state = state_of(pair->device, i);
    n += state.use == qsmSmOwned && !state.moving && state.slot == qsmContextSlot(context);
  }
  return n;
}

static void let_time_pass(const struct pair *pair, uint64_t n_cycles) {
  assert_int_equal(qsmDeviceRunUntil(pair->device, qsmDeviceCycle(pair->device) + n_cycles),
                   qsmSuccess);
}

// So much that it runs for some epochs.
static void start(qsmContext_t context) {
  assert_int_equal(launch(context, "fill", 512, allocate(context, 32 * 1024), 0, NULL, NULL),
                   qsmSuccess);
}

static void settings_out_of_their_ranges_are_refused(void **unused) {
  (void)unused;
  struct pair pair = open_pair(qsmSchemeNone);
  qsmDevice_t device = pair.device;
  expect_refusal(device, qsmSetMoveTechnique(device, (qsmTechnique)3), qsmErrorInvalidValue,
                 "move technique 3: must be 0..2 (switch, drain, flush)");
  expect_refusal(device, qsmSetWakeLatency(device, 0), qsmErrorInvalidValue,
                 "wake latency of 0: must be 1..65535");
  expect_refusal(device, qsmSetWakeLatency(device, 65536), qsmErrorInvalidValue, "65536");
  expect_refusal(device, qsmSetSmThreshold(device, 65536), qsmErrorInvalidValue,
                 "threshold of 65536: must be 0..65535");
  expect_refusal(device, qsmSetSmStep(device, 0), qsmErrorInvalidValue,
                 "step of SMs 0: must be 1..4");
  expect_refusal(device, qsmSetSmStep(device, 5), qsmErrorInvalidValue, "must be 1..4");
  expect_refusal(device, qsmSetSmCount(pair.a, 5), qsmErrorInvalidValue,
                 "slot 0: 5 SMs, must be 0..4");
  expect_refusal(device, qsmGetSmState(device, 4, &(qsmSmState){0}), qsmErrorInvalidValue,
                 "SM 4: must be 0..3");
  expect_refusal(device, qsmGetSmState(device, 0, NULL), qsmErrorInvalidValue, "the state");
  expect_refusal(device, qsmReadSmCounters(device, NULL), qsmErrorInvalidValue, "the counters");
  expect_refusal(device, qsmReadSmRecord(pair.a, NULL), qsmErrorInvalidValue, "the record");
  expect_refusal(device, qsmMoveSm(device, 4, qsmSmFree, NULL), qsmErrorInvalidValue,
                 "SM 4: must be 0..3");
  expect_refusal(device, qsmMoveSm(device, 0, (qsmSmUse)3, NULL), qsmErrorInvalidValue,
                 "use of an SM 3: must be 0..2 (shared, owned, free)");
  assert_int_equal(qsmSetMoveTechnique(device, qsmTechniqueFlush), qsmSuccess);
  assert_int_equal(qsmSetWakeLatency(device, 65535), qsmSuccess);
  assert_int_equal(qsmSetSmThreshold(device, 0), qsmSuccess);
  assert_int_equal(qsmSetSmStep(device, 4), qsmSuccess);
  assert_int_equal(qsmSetSmCount(pair.a, 4), qsmSuccess);
  qsmDeviceClose(device);
}

static void invalid_handles_are_refused(void **unused) {
  (void)unused;
  struct pair pair = open_pair(qsmSchemeNone);
  qsmSmState state;
  qsmSmCounters counters;
  qsmSmRecord record;
  assert_int_equal(qsmMoveSm(pair.device, 0, qsmSmOwned, NULL), qsmErrorInvalidHandle);
  qsmDeviceClose(pair.device);
  assert_int_equal(qsmSetMoveTechnique(pair.device, qsmTechniqueDrain), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetSmGating(pair.device, false), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetWakeLatency(pair.device, 1), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetSmThreshold(pair.device, 1), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetSmStep(pair.device, 1), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetSmCount(pair.a, 1), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetQoSPercent(pair.a, 1), qsmErrorInvalidHandle);
  assert_int_equal(qsmMoveSm(pair.device, 0, qsmSmFree, NULL), qsmErrorInvalidHandle);
  assert_int_equal(qsmGetSmState(pair.device, 0, &state), qsmErrorInvalidHandle);
  assert_int_equal(qsmReadSmCounters(pair.device, &counters), qsmErrorInvalidHandle);
  assert_int_equal(qsmReadSmRecord(pair.a, &record), qsmErrorInvalidHandle);
}

static void a_percentage_is_of_the_isolated_ipc_and_needs_it(void **unused) {
  (void)unused;
  struct pair pair = open_pair(qsmSchemeSmqos);
  uint32_t goal = 0;
  expect_refusal(pair.device, qsmSetQoSPercent(pair.a, 80), qsmErrorGoal,
                 "slot 0: 80 percent of an isolated IPC that is not known");
  assert_int_equal(qsmSetIsolatedIpc(pair.a, 10 << 16), qsmSuccess);
  expect_refusal(pair.device, qsmSetQoSPercent(pair.a, 101), qsmErrorInvalidValue,
                 "slot 0: 101 percent of the isolated IPC, must be 0..100");
  assert_int_equal(qsmSetQoSPercent(pair.a, 80), qsmSuccess);
  assert_int_equal(qsmRegisterRead(pair.device, 0x1004, &goal), qsmSuccess);
  assert_int_equal(goal, 8 << 16);
  assert_int_equal(qsmSetQoSPercent(pair.a, 0), qsmSuccess);
  assert_int_equal(qsmRegisterRead(pair.device, 0x1004, &goal), qsmSuccess);
  assert_int_equal(goal, 0);
  qsmDeviceClose(pair.device);
}

static uint32_t sm_count_of_a(const struct pair *pair) {
  uint32_t value = 0;
  assert_int_equal(qsmRegisterRead(pair->device, 0x10CC, &value), qsmSuccess);
  return value;
}

// Four SMs, one of them for all: as many as the share says, unless the host says how many.
static void under_sm_rollover_a_goal_brings_its_sms_along(void **unused) {
  (void)unused;
  static const struct {
    uint32_t percent, sms;
  } rows[] = {{1, 1}, {25, 1}, {49, 1}, {50, 2}, {74, 2}, {75, 3}, {99, 3}, {100, 3}, {0, 0}};
  struct pair pair = open_pair(qsmSchemeSmRollover);
  assert_int_equal(qsmSetIsolatedIpc(pair.a, (10 << 16) + 7), qsmSuccess);
  for (uint32_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    assert_int_equal(qsmSetQoSPercent(pair.a, rows[row].percent), qsmSuccess);
    assert_int_equal(sm_count_of_a(&pair), rows[row].sms);
  }
  assert_int_equal(qsmSetQoS(pair.a, 8 << 16), qsmSuccess);  // 80 %
  assert_int_equal(sm_count_of_a(&pair), 3);
  assert_int_equal(qsmSetSmCount(pair.a, 1), qsmSuccess);
  assert_int_equal(qsmSetQoSPercent(pair.a, 90), qsmSuccess);
  assert_int_equal(sm_count_of_a(&pair), 1);
  assert_int_equal(qsmSetSmCount(pair.a, 0), qsmSuccess);
  assert_int_equal(sm_count_of_a(&pair), 3);
  // Other schemes do not see it.
  assert_int_equal(qsmSetScheduling(pair.device, qsmPolicyGto, qsmSchemeSmStatic, EPOCH),
                   qsmSuccess);
  assert_int_equal(sm_count_of_a(&pair), 0);
  assert_int_equal(qsmSetQoSPercent(pair.a, 60), qsmSuccess);
  assert_int_equal(sm_count_of_a(&pair), 0);
  assert_int_equal(qsmSetScheduling(pair.device, qsmPolicyGto, qsmSchemeSmRollover, EPOCH),
                   qsmSuccess);
  assert_int_equal(sm_count_of_a(&pair), 2);
  qsmDeviceClose(pair.device);
}

static void sm_rollover_keeps_an_sm_for_all(void **unused) {
  (void)unused;
  struct pair pair = open_pair(qsmSchemeSmRollover);
  assert_int_equal(qsmSetIsolatedIpc(pair.a, 10 << 16), qsmSuccess);
  assert_int_equal(qsmSetQoSPercent(pair.a, 50), qsmSuccess);
  start(pair.a);
  start(pair.b);
  let_time_pass(&pair, EPOCH - 100);  // blocks that were there before the moves end
  assert_int_equal(count_owned(&pair, pair.a), 2);
  assert_int_equal(count_owned(&pair, pair.b), 1);
  qsmDeviceClose(pair.device);
}

static void sm_static_gives_each_context_what_it_asked_for(void **unused) {
  (void)unused;
  struct pair pair = open_pair(qsmSchemeSmStatic);
  qsmSmRecord record;
  assert_int_equal(qsmSetSmCount(pair.a, 3), qsmSuccess);
  start(pair.a);
  start(pair.b);
  let_time_pass(&pair, 2 * EPOCH);
  assert_int_equal(count_owned(&pair, pair.a), 3);
  assert_int_equal(count_owned(&pair, pair.b), 1);
  assert_int_equal(qsmReadSmRecord(pair.a, &record), qsmSuccess);
  assert_int_equal(record.sms, 3);
  expect_refusal(pair.device, qsmMoveSm(pair.device, 0, qsmSmFree, NULL), qsmErrorBusy,
                 "SM 0: under scheme sm_static the SM manager moves the SMs");
  assert_int_equal(qsmDeviceSynchronize(pair.device, LONG), qsmSuccess);
  qsmDeviceClose(pair.device);
}

static void the_host_moves_sms_but_leaves_nobody_without_one(void **unused) {
  (void)unused;
  struct pair pair = open_pair(qsmSchemeNone);
  qsmSmCounters counters;
  assert_int_equal(qsmMoveSm(pair.device, 1, qsmSmOwned, pair.b), qsmSuccess);
  assert_int_equal(qsmMoveSm(pair.device, 0, qsmSmFree, NULL), qsmSuccess);
  assert_int_equal(qsmMoveSm(pair.device, 2, qsmSmFree, NULL), qsmSuccess);
  expect_refusal(pair.device, qsmMoveSm(pair.device, 3, qsmSmOwned, pair.b), qsmErrorInvalidValue,
                 "SM 3: slot 0 would be left without an SM");
  expect_refusal(pair.device, qsmMoveSm(pair.device, 3, qsmSmFree, NULL), qsmErrorInvalidValue,
                 "slot 0 would be left");
  assert_int_equal(qsmMoveSm(pair.device, 3, qsmSmOwned, pair.a), qsmSuccess);
  let_time_pass(&pair, 10);
  qsmSmState state = state_of(pair.device, 1);
  assert_int_equal(state.use, qsmSmOwned);
  assert_int_equal(state.slot, 1);
  assert_false(state.moving);
  assert_int_equal(state_of(pair.device, 2).use, qsmSmFree);
  assert_int_equal(qsmReadSmCounters(pair.device, &counters), qsmSuccess);
  assert_int_equal(counters.moves, 4);
  assert_true(counters.move_cycles >= 4);
  assert_int_equal(counters.gated_sm_cycles, 0);
  start(pair.a);
  start(pair.b);
  assert_int_equal(qsmDeviceSynchronize(pair.device, LONG), qsmSuccess);
  qsmDeviceClose(pair.device);
}

static void after_a_scheme_of_whole_sms_the_host_may_move_again(void **unused) {
  (void)unused;
  struct pair pair = open_pair(qsmSchemeSmqos);
  start(pair.a);
  start(pair.b);
  let_time_pass(&pair, 2 * EPOCH);
  assert_true(count_owned(&pair, pair.a) > 0);
  assert_int_equal(qsmSetScheduling(pair.device, qsmPolicyGto, qsmSchemeNone, EPOCH), qsmSuccess);
  assert_int_equal(qsmMoveSm(pair.device, 0, qsmSmShared, NULL), qsmSuccess);
  assert_int_equal(qsmDeviceSynchronize(pair.device, LONG), qsmSuccess);
  qsmDeviceClose(pair.device);
}

static void free_sms_are_gated_where_that_is_on_and_wake_up_again(void **unused) {
  (void)unused;
  struct pair pair = open_pair(qsmSchemeNone);
  qsmSmCounters counters;
  assert_int_equal(qsmSetSmGating(pair.device, true), qsmSuccess);
  assert_int_equal(qsmSetWakeLatency(pair.device, 100), qsmSuccess);
  assert_int_equal(qsmMoveSm(pair.device, 2, qsmSmFree, NULL), qsmSuccess);
  let_time_pass(&pair, 10000 + 3 * EPOCH);  // the first epoch is as long as after reset
  assert_true(state_of(pair.device, 2).gated);
  assert_int_equal(qsmReadSmCounters(pair.device, &counters), qsmSuccess);
  assert_true(counters.gated_sm_cycles > EPOCH / 2);
  assert_int_equal(qsmMoveSm(pair.device, 2, qsmSmShared, NULL), qsmSuccess);
  let_time_pass(&pair, 50);
  assert_true(state_of(pair.device, 2).moving);
  let_time_pass(&pair, 100);
  assert_false(state_of(pair.device, 2).moving);
  assert_false(state_of(pair.device, 2).gated);
  qsmDeviceClose(pair.device);
  pair.device = open_device(without_gating);
  expect_refusal(pair.device, qsmSetSmGating(pair.device, true), qsmErrorInvalidValue,
                 "(power_gating: 0)");
  assert_int_equal(qsmSetSmGating(pair.device, false), qsmSuccess);
  qsmDeviceClose(pair.device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settings_out_of_their_ranges_are_refused),
      cmocka_unit_test(invalid_handles_are_refused),
      cmocka_unit_test(a_percentage_is_of_the_isolated_ipc_and_needs_it),
      cmocka_unit_test(under_sm_rollover_a_goal_brings_its_sms_along),
      cmocka_unit_test(sm_rollover_keeps_an_sm_for_all),
      cmocka_unit_test(sm_static_gives_each_context_what_it_asked_for),
      cmocka_unit_test(the_host_moves_sms_but_leaves_nobody_without_one),
      cmocka_unit_test(after_a_scheme_of_whole_sms_the_host_may_move_again),
      cmocka_unit_test(free_sms_are_gated_where_that_is_on_and_wake_up_again),
  };
  return cmocka_run_group_tests(tests, make_configuration, remove_programs);
}
