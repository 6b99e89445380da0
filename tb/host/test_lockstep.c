// SPDX-License-Identifier: Apache-2.0
// The lockstep (docs/lockstep.md): which difference is reported, on events made by hand; state and
// registers that differ while no event does.
#include <string.h>

#include "host_support.h"
#include "qsm_backend.h"
#include "qsm_compare.h"
#include "qsm_regs.h"

// ---- Events (R-LK-2) ----

static const struct qsm_config machine = {.num_sms = 3, .num_sched = 2, .num_channels = 1};
static struct qsm_compare *compare;

static int open_compare(void **state) {
  (void)state;
  compare = qsm_compare_create(&machine, "RTL");
  return compare ? 0 : -1;
}

static int close_compare(void **state) {
  (void)state;
  qsm_compare_destroy(compare);
  return 0;
}

static struct qsm_event release(uint64_t cycle, uint8_t sm, uint32_t word) {
  return (struct qsm_event){
      .cycle = cycle, .kind = QSM_EV_RELEASE, .sm = sm, .n_words = 1, .word = {word}};
}

static struct qsm_event resolve(uint64_t cycle, uint8_t sm, uint8_t sub, uint32_t bar) {
  return (struct qsm_event){.cycle = cycle,
                            .kind = QSM_EV_RESOLVE,
                            .sm = sm,
                            .sub = sub,
                            .n_words = 4,
                            .word = {1, 15, bar, 0}};
}

static void add(enum qsm_side side, struct qsm_event event) {
  qsm_compare_add(compare, side, &event);
}

static void on_both(struct qsm_event event) {
  add(QSM_SIDE_RTL, event);
  add(QSM_SIDE_MODEL, event);
}

static void assert_difference(uint64_t cycle, const char *text) {
  char seen[256];
  assert_false(qsm_compare_check(compare, 1000));
  assert_int_equal(qsm_compare_cycle(compare), cycle);
  qsm_compare_describe(compare, seen, sizeof seen);
  assert_string_equal(seen, text);
}

static void equal_streams_are_equal_whatever_the_order_of_their_sources(void **state) {
  (void)state;
  add(QSM_SIDE_RTL, resolve(10, 0, 0, 1));
  add(QSM_SIDE_RTL, resolve(10, 2, 1, 2));
  add(QSM_SIDE_RTL, release(10, 1, 3));
  add(QSM_SIDE_MODEL, release(10, 1, 3));
  add(QSM_SIDE_MODEL, resolve(10, 2, 1, 2));
  add(QSM_SIDE_MODEL, resolve(10, 0, 0, 1));
  assert_true(qsm_compare_check(compare, 11));
  assert_int_equal(qsm_compare_words(compare), 4 + 4 + 1);
}

// R-LK-2.
static void the_earliest_cycle_goes_before_the_order_of_kinds(void **state) {
  (void)state;
  on_both(release(10, 1, 3));
  add(QSM_SIDE_RTL, release(11, 1, 3));
  add(QSM_SIDE_MODEL, release(11, 1, 7));
  add(QSM_SIDE_RTL, resolve(12, 0, 0, 1));  // a kind that stands before it in the table
  add(QSM_SIDE_MODEL, resolve(12, 0, 0, 2));
  assert_difference(
      11,
      "cycle 11, block barrier (sm 1, sub-core 0), event RELEASE: field tbs: RTL 0x3, model 0x7");
}

// R-LK-2.
static void in_a_cycle_kind_then_sm_then_sub_core_decide(void **state) {
  (void)state;
  add(QSM_SIDE_RTL, release(11, 0, 3));
  for (uint8_t sm = 2; sm >= 1; sm--) {
    for (uint8_t sub = 0; sub < 2; sub++) {
      if (sm == 1 && sub == 0) continue;
      add(QSM_SIDE_RTL, resolve(11, sm, sub, 1));
      add(QSM_SIDE_MODEL, resolve(11, sm, sub, 2));
    }
  }
  assert_difference(
      11,
      "cycle 11, block warp_state (sm 1, sub-core 1), event RESOLVE: field bar: RTL 0x1, model 0x2");
}

// R-LK-2.
static void every_word_counts(void **state) {
  (void)state;
  for (uint32_t word = 0; word < 4; word++) {
    struct qsm_event rtl = resolve(11, 0, 0, 1), model = rtl;
    model.word[word] ^= 0x80000000;
    qsm_compare_destroy(compare);
    compare = qsm_compare_create(&machine, "RTL");
    add(QSM_SIDE_RTL, rtl);
    add(QSM_SIDE_MODEL, model);
    assert_false(qsm_compare_check(compare, 1000));
  }
}

// R-LK-2.
static void an_event_of_one_side_is_a_difference(void **state) {
  (void)state;
  on_both(release(11, 0, 1));
  add(QSM_SIDE_MODEL, release(13, 0, 1));
  on_both(release(14, 0, 1));
  assert_difference(13,
                    "cycle 13, block barrier (sm 0, sub-core 0), event RELEASE: only in the model");
}

static void an_event_a_cycle_later_is_one_that_the_other_side_lacks(void **state) {
  (void)state;
  add(QSM_SIDE_RTL, release(13, 0, 1));
  add(QSM_SIDE_MODEL, release(14, 0, 1));
  assert_difference(13,
                    "cycle 13, block barrier (sm 0, sub-core 0), event RELEASE: only in the RTL");
}

static void what_one_side_has_not_reached_yet_waits(void **state) {
  (void)state;
  add(QSM_SIDE_RTL, release(20, 0, 1));
  assert_true(qsm_compare_check(compare, 20));
  add(QSM_SIDE_MODEL, release(20, 0, 1));
  assert_true(qsm_compare_check(compare, 21));
  assert_int_equal(qsm_compare_words(compare), 1);
}

// ---- State and registers: a target of an idle GPU, which nothing looks at, is flipped in cycle
// 1500 ----

static qsmDevice_t flipped_device(uint64_t state_interval) {
  const struct qsm_backend_options options = {
      .state_interval = state_interval, .inject_block = "tb_alloc", .inject_cycle = 1500};
  char msg[256] = "";
  qsmDevice_t device = NULL;
  qsmContext_t context = NULL;
  if (qsmDeviceOpen("lockstep", "tiny", &options, &device, msg, sizeof msg)) fail_msg("%s", msg);
  assert_int_equal(qsmContextCreate(device, &context), qsmSuccess);
  return device;
}

// R-LK-3.
static void state_is_compared_at_its_interval(void **state) {
  (void)state;
  qsmDevice_t device = flipped_device(1000);
  assert_int_equal(qsmDeviceRunUntil(device, 2000), qsmSuccess);
  assert_int_equal(qsmDeviceRunUntil(device, 3000), qsmErrorBackend);
  assert_non_null(strstr(qsmGetLastErrorText(device),
                         "block tb_alloc targets and evict flags (sm 0, sub-core 0), state"));
  qsmDeviceClose(device);
}

// R-LK-4.
static void an_answer_that_differs_names_the_block_of_its_register(void **state) {
  (void)state;
  qsmDevice_t device = flipped_device(0);
  uint32_t value = 0;
  qsmError_t error = qsmDeviceRunUntil(device, 3000);
  assert_int_equal(error, qsmSuccess);
  for (uint32_t slot = 0; slot < 4 && !error; slot++)
    error = qsmRegisterRead(
        device, (uint16_t)(QSM_SMSEL_BASE + QSM_SMSEL_STRIDE * slot + QSM_SMSEL_TBS), &value);
  assert_int_equal(error, qsmErrorBackend);
  assert_non_null(strstr(qsmGetLastErrorText(device), "block tb_alloc, read of register 0x"));
  qsmDeviceClose(device);
}

int main(void) {
#define FRESH(test) cmocka_unit_test_setup_teardown(test, open_compare, close_compare)
  const struct CMUnitTest tests[] = {
      FRESH(equal_streams_are_equal_whatever_the_order_of_their_sources),
      FRESH(the_earliest_cycle_goes_before_the_order_of_kinds),
      FRESH(in_a_cycle_kind_then_sm_then_sub_core_decide),
      FRESH(every_word_counts),
      FRESH(an_event_of_one_side_is_a_difference),
      FRESH(an_event_a_cycle_later_is_one_that_the_other_side_lacks),
      FRESH(what_one_side_has_not_reached_yet_waits),
      cmocka_unit_test(state_is_compared_at_its_interval),
      cmocka_unit_test(an_answer_that_differs_names_the_block_of_its_register),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
