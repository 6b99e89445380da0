// SPDX-License-Identifier: Apache-2.0
// Decisions of collocated applications: the worked example of docs/collocation.md.
#include "host_support.h"
#include "qsm_collocation.h"

// R-CO-2, R-CO-4, R-CO-5, R-CO-6, R-CO-7, R-CO-8
static void the_example_of_the_page(void **state) {
  (void)state;
  static const uint64_t a[] = {100, 60, 50, 48}, b[] = {100, 52, 51, 50};
  struct qsm_collocation_kernel of_a = {{a, a, a, a}, 64, 0, 0}, of_b = {{b, b, b, b}, 64, 0, 0};
  struct qsm_collocation_machine machine = {4, 0};
  char msg[128];
  struct qsm_collocation *all =
      qsm_collocation_create(&machine, &qsm_collocation_defaults, msg, sizeof msg);
  assert_non_null(all);
  assert_int_equal(qsm_collocation_demand(&machine, &of_a), 3);
  assert_int_equal(qsm_collocation_demand(&machine, &of_b), 2);
  assert_int_equal(qsm_collocation_add(all, &of_a, 1, msg, sizeof msg), 0);
  assert_int_equal(qsm_collocation_add(all, &of_b, 1, msg, sizeof msg), 1);
  struct qsm_collocation_decision first = qsm_collocation_decide(all, 0, 0);
  assert_int_equal((uint64_t)first.mask, 14);
  assert_int_equal(first.policy, 0);
  qsm_collocation_begin(all, 0);
  struct qsm_collocation_decision second = qsm_collocation_decide(all, 1, 0);
  assert_int_equal((uint64_t)second.mask, 11);
  assert_int_equal(second.policy, 0);
  assert_int_equal(second.n_candidates, 2);
  assert_int_equal(second.n_draws, 2);
  qsm_collocation_destroy(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_example_of_the_page)};
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
