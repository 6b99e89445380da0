// SPDX-License-Identifier: Apache-2.0
// Every program of the suite computes the right outputs on the model, on each configuration whose
// SMs hold its blocks.
#include <stdio.h>
#include <string.h>

#include "host_support.h"
#include "qsm_backend.h"
#include "qsm_config.h"

// A brief run has small inputs, and all programs on tiny only.
static void all_right(const char *config, enum qsm_suite_size size, uint64_t seed) {
  ptrdiff_t every = 1;
  if (brief_run()) {
    size = QSM_SIZE_S;
    every = strcmp(config, "tiny") == 0 ? 1 : 8;
  }
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    if ((entry - qsm_suite) % every) continue;
    qsmDevice_t device = open_device_for(config, program);
    qsmContext_t context = open_context(device);
    uint64_t n_wrong = run_program(context, program, size, seed);
    if (n_wrong)
      fail_msg("%s on %s, seed %llu: %llu outputs are wrong", program->name, config,
               (unsigned long long)seed, (unsigned long long)n_wrong);
    qsmDeviceClose(device);
  }
}

static void small_programs_are_right_on_tiny(void **state) {
  (void)state;
  all_right("tiny", QSM_SIZE_S, 1);
}

static void small_programs_are_right_on_odd(void **state) {
  (void)state;
  all_right("odd", QSM_SIZE_S, 2);
}

static void programs_are_right_on_fpga(void **state) {
  (void)state;
  all_right("fpga", full_run() ? QSM_SIZE_M : QSM_SIZE_S, 3);
}

static void medium_programs_are_right_on_demo(void **state) {
  (void)state;
  all_right("demo", QSM_SIZE_M, 4);
}

static void medium_programs_are_right_on_wang2017(void **state) {
  (void)state;
  all_right("wang2017", QSM_SIZE_M, 5);
}

static void with_l1(const char *config, const char *kib, uint64_t seed) {
  char edits[80], path[CONFIG_PATH_BYTES];
  snprintf(edits, sizeof edits, "s/^l1_kib:.*/l1_kib: %s/; s/^l1_ways:.*/l1_ways: 4/", kib);
  change_config(config, edits, path);
  all_right(path, QSM_SIZE_S, seed);
}

static void small_programs_are_right_on_demo_with_small_l1s(void **state) {
  (void)state;
  with_l1("demo", "1", 8);
}

static void small_programs_are_right_on_wang2017_with_l1s(void **state) {
  (void)state;
  with_l1("wang2017", "16", 9);
}

// Launches of one device, one program after the other in one context: modules replace each other,
// memory is used on.
static void programs_follow_each_other_in_a_context(void **state) {
  (void)state;
  qsmDevice_t device = open_device_for("demo", qsm_suite_find("sgemm"));
  qsmContext_t context = open_context(device);
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++)
    assert_int_equal(run_program(context, program, QSM_SIZE_S, 6), 0);
  qsmDeviceClose(device);
}

// On RTL and model at once, a difference being an error of the backend. Of the programs with floats
// those that the configuration can run.
static void small_programs_are_equal_on_rtl_and_model(void **state) {
  static const char *const names[] = {
      "sad", "nw",    "huffman", "mergesort", "fsm", "mummergpu", "dxtc",      "mri_q",
      "lbm", "tpacf", "lib",     "srad",      "cfd", "myocyte",   "heartwall", "car"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i += brief_run() ? 8 : 1) {
    char msg[256] = "";
    qsmDevice_t device = NULL;
    if (qsmDeviceOpen("lockstep", "tiny", &(struct qsm_backend_options){.state_interval = 1000},
                      &device, msg, sizeof msg))
      fail_msg("%s", msg);
    const struct qsm_suite_program *program = qsm_suite_find(names[i]);
    assert_non_null(program);
    if (!program->needs_fpu || qsmDeviceConfig(device)->fpu)
      assert_int_equal(run_program(open_context(device), program, QSM_SIZE_S, 7), 0);
    qsmDeviceClose(device);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_programs_are_right_on_tiny),
      cmocka_unit_test(small_programs_are_right_on_odd),
      cmocka_unit_test(programs_are_right_on_fpga),
      cmocka_unit_test(medium_programs_are_right_on_demo),
      cmocka_unit_test(medium_programs_are_right_on_wang2017),
      cmocka_unit_test(programs_follow_each_other_in_a_context),
      cmocka_unit_test(small_programs_are_right_on_demo_with_small_l1s),
      cmocka_unit_test(small_programs_are_right_on_wang2017_with_l1s),
      cmocka_unit_test(small_programs_are_equal_on_rtl_and_model),
  };
  return cmocka_run_group_tests(tests, copy_programs, remove_programs);
}
