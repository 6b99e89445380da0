// SPDX-License-Identifier: Apache-2.0
// Accuracy of qsm_math.h against the host's functions in double precision, within the bounds that
// its head gives.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { N = 400000 };

// Distance in units in the last place of a float near `want`.
static double ulps(double got, double want) {
  int exponent;
  frexp(want, &exponent);
  return fabs(got - want) / ldexp(1.0, (exponent < -125 ? -125 : exponent) - 24);
}

struct function {
  const char *name;
  float (*single)(float);
  double (*exact)(double);
  float low, high;     // arguments
  double most, least;  // greatest error in ulps, of results of at least this size
  double most_below;   // absolute error of smaller ones
};

static double rsqrt(double x) { return 1.0 / sqrt(x); }

static void errors_are_within_bounds(void **state) {
  static const struct function functions[] = {
      {"exp", qsm_exp, exp, -87.0f, 88.7f, 1.25, 0.0, 0.0},
      {"exp", qsm_exp, exp, -0.5f, 0.5f, 1.25, 0.0, 0.0},
      {"log", qsm_log, log, 0.5f, 2.0f, 1.25, 0.0, 0.0},
      {"log", qsm_log, log, 1.2e-38f, 3e38f, 1.25, 0.0, 0.0},
      {"log", qsm_log, log, 0.0001f, 0.01f, 1.25, 0.0, 0.0},
      {"rsqrt", qsm_rsqrt, rsqrt, 0.01f, 1000.0f, 1.6, 0.0, 0.0},
      {"sin", qsm_sin, sin, -4.0f, 4.0f, 1.75, 0x1p-10, 0x1p-33},
      {"sin", qsm_sin, sin, -32768.0f, 32768.0f, 1.75, 0x1p-10, 0x1p-33},
      {"cos", qsm_cos, cos, -4.0f, 4.0f, 1.75, 0x1p-10, 0x1p-33},
      {"cos", qsm_cos, cos, -32768.0f, 32768.0f, 1.75, 0x1p-10, 0x1p-33},
  };
  (void)state;
  struct qsm_rng rng = {1};
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
    const struct function *function = &functions[f];
    double worst = 0.0;
    for (int i = 0; i < N; i++) {
      float x = qsm_rng_float(&rng, function->low, function->high);
      double got = function->single(x), want = function->exact(x);
      if (fabs(want) < function->least) {
        if (fabs(got - want) > function->most_below)
          fail_msg("%s(%.9g) = %.9g, expected %.12g", function->name, x, got, want);
      } else if (ulps(got, want) > worst) {
        worst = ulps(got, want);
        if (worst > function->most)
          fail_msg("%s(%.9g) = %.9g, expected %.12g: off by %.3f ulps", function->name, x, got,
                   want, worst);
      }
    }
    printf("# %-5s %10g .. %-10g off by at most %.3f ulps\n", function->name, function->low,
           function->high, worst);
  }
}

static void ends_of_the_ranges_are_exact(void **state) {
  (void)state;
  assert_true(qsm_exp(0.0f) == 1.0f && qsm_exp(-INFINITY) == 0.0f &&
              qsm_exp(INFINITY) == INFINITY && qsm_exp(89.5f) == INFINITY);
  assert_true(qsm_exp(-110.0f) == 0.0f && qsm_exp(-90.0f) > 0.0f);
  assert_true(qsm_log(1.0f) == 0.0f && qsm_log(0.0f) == -INFINITY &&
              qsm_log(INFINITY) == INFINITY && isnan(qsm_log(-1.0f)));
  assert_true(qsm_sin(0.0f) == 0.0f && qsm_cos(0.0f) == 1.0f);
  assert_true(qsm_rsqrt(4.0f) == 0.5f && qsm_rsqrt(0.0f) == INFINITY &&
              qsm_rsqrt(INFINITY) == 0.0f);
  assert_true(qsm_round(2.5f) == 3 && qsm_round(-2.5f) == -3 && qsm_round(0.4f) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_within_bounds),
                                     cmocka_unit_test(ends_of_the_ranges_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
