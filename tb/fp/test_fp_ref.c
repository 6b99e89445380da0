// SPDX-License-Identifier: Apache-2.0
// The reference against results worked out by hand and against the host's own arithmetic; the
// operands: that each operation gets the hard ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <math.h>

#include "fp_operands.h"

static struct fp_ref *ref;

static int open_ref(void **state) {
  (void)state;
  ref = fp_ref_create();
  return ref == NULL;
}

static int close_ref(void **state) {
  (void)state;
  fp_ref_destroy(ref);
  return 0;
}

#define INF 0x7F800000u
#define MINUS 0x80000000u
#define NAN_BITS 0x7FC00000u
#define MAX_FLOAT 0x7F7FFFFFu
#define LEAST 1u  // the least subnormal
#define ONE 0x3F800000u

// RNE, RTZ, RDN, RUP, RMM.
static const struct {
  enum fp_op op;
  uint32_t a, b, c, result[FP_N_MODES];
} by_hand[] = {
    {FP_ADD, ONE, 0x33800000, 0, {ONE, ONE, ONE, ONE + 1, ONE + 1}},  // 1 + 2^-24: a tie
    {FP_ADD,
     ONE + 1,
     0x33800000,
     0,
     {ONE + 2, ONE + 1, ONE + 1, ONE + 2, ONE + 2}},  // above an odd one
    {FP_ADD,
     ONE,
     0x33800001,
     0,
     {ONE + 1, ONE, ONE, ONE + 1, ONE + 1}},  // a little more than the tie
    {FP_ADD, ONE, LEAST, 0, {ONE, ONE, ONE, ONE + 1, ONE}},
    {FP_SUB, ONE, LEAST, 0, {ONE, ONE - 1, ONE - 1, ONE, ONE}},
    {FP_SUB, ONE, ONE, 0, {0, 0, MINUS, 0, 0}},
    {FP_ADD, MINUS, MINUS, 0, {MINUS, MINUS, MINUS, MINUS, MINUS}},
    {FP_ADD, 0, MINUS, 0, {0, 0, MINUS, 0, 0}},
    {FP_ADD, INF, MINUS | INF, 0, {NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS}},
    {FP_ADD, MAX_FLOAT, MAX_FLOAT, 0, {INF, MAX_FLOAT, MAX_FLOAT, INF, INF}},
    {FP_ADD,
     MAX_FLOAT,
     0x73000000,
     0,
     {INF, MAX_FLOAT, MAX_FLOAT, INF, INF}},  // half of the last place
    {FP_ADD, MAX_FLOAT, 0x72FFFFFF, 0, {MAX_FLOAT, MAX_FLOAT, MAX_FLOAT, INF, MAX_FLOAT}},
    {FP_ADD,
     MINUS | MAX_FLOAT,
     MINUS | MAX_FLOAT,
     0,
     {MINUS | INF, MINUS | MAX_FLOAT, MINUS | INF, MINUS | MAX_FLOAT, MINUS | INF}},
    {FP_MUL, LEAST, 0x3F000000, 0, {0, 0, 0, LEAST, LEAST}},  // half the least subnormal
    {FP_MUL, MINUS | LEAST, 0x3F000000, 0, {MINUS, MINUS, MINUS | LEAST, MINUS, MINUS | LEAST}},
    {FP_MUL, 3, 0x3F000000, 0, {2, 1, 1, 2, 2}},
    {FP_MUL,
     0x00FFFFFF,
     0x3F000000,
     0,
     {0x00800000, 0x007FFFFF, 0x007FFFFF, 0x00800000,
      0x00800000}},  // rounded up to a normal number
    {FP_MUL, 0, INF, 0, {NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS}},
    {FP_DIV, ONE, 0x40400000, 0, {0x3EAAAAAB, 0x3EAAAAAA, 0x3EAAAAAA, 0x3EAAAAAB, 0x3EAAAAAB}},
    {FP_DIV, LEAST, 0x40000000, 0, {0, 0, 0, LEAST, LEAST}},
    {FP_DIV, ONE, MINUS, 0, {MINUS | INF, MINUS | INF, MINUS | INF, MINUS | INF, MINUS | INF}},
    {FP_DIV, 0, 0, 0, {NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS}},
    {FP_SQRT, 0x40000000, 0, 0, {0x3FB504F3, 0x3FB504F3, 0x3FB504F3, 0x3FB504F4, 0x3FB504F3}},
    {FP_SQRT, MINUS, 0, 0, {MINUS, MINUS, MINUS, MINUS, MINUS}},
    {FP_SQRT, MINUS | ONE, 0, 0, {NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS}},
    {FP_SQRT, LEAST, 0, 0, {0x1A3504F3, 0x1A3504F3, 0x1A3504F3, 0x1A3504F4, 0x1A3504F3}},
    {FP_MADD,
     ONE + 1,
     ONE + 1,
     MINUS | (ONE + 2),
     {0x28800000, 0x28800000, 0x28800000, 0x28800000, 0x28800000}},  // 2^-46 is left
    {FP_MADD, ONE, ONE, MINUS | ONE, {0, 0, MINUS, 0, 0}},
    {FP_MADD, 0, INF, NAN_BITS, {NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS}},
    {FP_MADD, LEAST, LEAST, ONE, {ONE, ONE, ONE, ONE + 1, ONE}},
    {FP_MADD, MINUS | LEAST, LEAST, ONE, {ONE, ONE - 1, ONE - 1, ONE, ONE}},
    {FP_MADD, LEAST, LEAST, 0, {0, 0, 0, LEAST, 0}},
    {FP_MSUB, ONE, 0x40000000, ONE, {ONE, ONE, ONE, ONE, ONE}},
    {FP_NMSUB,
     ONE,
     0x40000000,
     ONE,
     {MINUS | ONE, MINUS | ONE, MINUS | ONE, MINUS | ONE, MINUS | ONE}},
    {FP_NMADD, ONE, ONE, ONE, {0xC0000000, 0xC0000000, 0xC0000000, 0xC0000000, 0xC0000000}},
    {FP_NMADD, ONE, 0, 0, {MINUS, MINUS, MINUS, MINUS, MINUS}},
    {FP_CVT_W_S, 0x40200000, 0, 0, {2, 2, 2, 3, 3}},  // 2.5
    {FP_CVT_W_S, 0x40600000, 0, 0, {4, 3, 3, 4, 4}},  // 3.5
    {FP_CVT_W_S,
     0xBFC00000,
     0,
     0,
     {0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFE}},  // -1.5
    {FP_CVT_W_S, 0x4F000000, 0, 0, {0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF}},
    {FP_CVT_W_S, 0xCF000000, 0, 0, {MINUS, MINUS, MINUS, MINUS, MINUS}},
    {FP_CVT_W_S, MINUS | INF, 0, 0, {MINUS, MINUS, MINUS, MINUS, MINUS}},
    {FP_CVT_W_S,
     MINUS | NAN_BITS,
     0,
     0,
     {0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF}},
    {FP_CVT_WU_S, 0xBF000000, 0, 0, {0, 0, 0, 0, 0}},  // -0.5, in RDN and RMM -1, out of range
    {FP_CVT_WU_S, 0x4F800000, 0, 0, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}},
    {FP_CVT_WU_S, NAN_BITS, 0, 0, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}},
    {FP_CVT_S_W,
     0x01000001,
     0,
     0,
     {0x4B800000, 0x4B800000, 0x4B800000, 0x4B800001, 0x4B800001}},  // 2^24 + 1
    {FP_CVT_S_W,
     0xFEFFFFFF,
     0,
     0,
     {0xCB800000, 0xCB800000, 0xCB800001, 0xCB800000, 0xCB800001}},  // its negative
    {FP_CVT_S_W, 0, 0, 0, {0, 0, 0, 0, 0}},
    {FP_CVT_S_WU, 0xFFFFFFFF, 0, 0, {0x4F800000, 0x4F7FFFFF, 0x4F7FFFFF, 0x4F800000, 0x4F800000}},
    {FP_MIN, 0, MINUS, 0, {MINUS, MINUS, MINUS, MINUS, MINUS}},
    {FP_MAX, MINUS, 0, 0, {0, 0, 0, 0, 0}},
    {FP_MIN, 0x7F800001, ONE, 0, {ONE, ONE, ONE, ONE, ONE}},
    {FP_MAX, 0xFFC00001, 0x7F800001, 0, {NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS, NAN_BITS}},
    {FP_SGNJN, 0x7F800001, ONE, 0, {0xFF800001, 0xFF800001, 0xFF800001, 0xFF800001, 0xFF800001}},
    {FP_EQ, 0, MINUS, 0, {1, 1, 1, 1, 1}},
    {FP_LT, MINUS, 0, 0, {0, 0, 0, 0, 0}},
    {FP_LE, NAN_BITS, NAN_BITS, 0, {0, 0, 0, 0, 0}},
    {FP_CLASS, MINUS | INF, 0, 0, {1, 1, 1, 1, 1}},
    {FP_CLASS, MINUS | 0x00800000, 0, 0, {2, 2, 2, 2, 2}},
    {FP_CLASS, MINUS | 0x007FFFFF, 0, 0, {4, 4, 4, 4, 4}},
    {FP_CLASS, MINUS, 0, 0, {8, 8, 8, 8, 8}},
    {FP_CLASS, 0, 0, 0, {16, 16, 16, 16, 16}},
    {FP_CLASS, LEAST, 0, 0, {32, 32, 32, 32, 32}},
    {FP_CLASS, MAX_FLOAT, 0, 0, {64, 64, 64, 64, 64}},
    {FP_CLASS, INF, 0, 0, {128, 128, 128, 128, 128}},
    {FP_CLASS, 0x7FBFFFFF, 0, 0, {256, 256, 256, 256, 256}},
    {FP_CLASS, 0xFFC00000, 0, 0, {512, 512, 512, 512, 512}},
};

static void results_are_those_worked_out_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
    for (uint32_t rm = 0; rm < FP_N_MODES; rm++) {
      uint32_t result =
          fp_ref_compute(ref, by_hand[i].op, rm, by_hand[i].a, by_hand[i].b, by_hand[i].c);
      if (result == by_hand[i].result[rm]) continue;
      fail_msg("%s %08x %08x %08x, mode %u: %08x, by hand %08x", fp_op_info[by_hand[i].op].mnemonic,
               by_hand[i].a, by_hand[i].b, by_hand[i].c, rm, result, by_hand[i].result[rm]);
    }
  }
}

static float as_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t as_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return isnan(value) ? NAN_BITS : bits;
}

static void the_host_agrees_to_nearest(void **state) {
  (void)state;
  struct fp_random random = fp_random_seed(1);
  for (uint32_t n = 0; n < 200000; n++) {
    static const enum fp_op ops[] = {FP_ADD, FP_SUB, FP_MUL, FP_DIV, FP_SQRT, FP_MADD};
    enum fp_op op = ops[n % 6];
    uint32_t x[3];
    fp_operands(&random, op, x);
    float a = as_float(x[0]), b = as_float(x[1]), c = as_float(x[2]);
    float of_host = op == FP_ADD    ? a + b
                    : op == FP_SUB  ? a - b
                    : op == FP_MUL  ? a * b
                    : op == FP_DIV  ? a / b
                    : op == FP_SQRT ? sqrtf(a)
                                    : fmaf(a, b, c);
    uint32_t result = fp_ref_compute(ref, op, FP_RNE, x[0], x[1], x[2]);
    if (result != as_bits(of_host))
      fail_msg("%s %08x %08x %08x: %08x, host %08x", fp_op_info[op].mnemonic, x[0], x[1], x[2],
               result, as_bits(of_host));
  }
}

// Kinds of results that show what the operands reach.
enum { TIE, INEXACT, SUBNORMAL, OVERFLOW, ZERO_SUM, N_KINDS };

static uint32_t kinds_of(enum fp_op op, const uint32_t x[3]) {
  uint32_t down = fp_ref_compute(ref, op, FP_RDN, x[0], x[1], x[2]),
           up = fp_ref_compute(ref, op, FP_RUP, x[0], x[1], x[2]);
  uint32_t even = fp_ref_compute(ref, op, FP_RNE, x[0], x[1], x[2]),
           away = fp_ref_compute(ref, op, FP_RMM, x[0], x[1], x[2]);
  uint32_t magnitude = even & ~MINUS;
  return (uint32_t)(even != away) << TIE | (uint32_t)(down != up) << INEXACT |
         (uint32_t)(magnitude && magnitude < 0x00800000) << SUBNORMAL |
         (uint32_t)(magnitude == INF && (down ^ up) == (INF ^ MAX_FLOAT)) << OVERFLOW |
         (uint32_t)(down == MINUS && up == 0) << ZERO_SUM;
}

static void operands_reach_the_hard_results(void **state) {
  static const struct {
    enum fp_op op;
    uint32_t kinds;
  } wanted[] = {
      {FP_ADD, 1 << TIE | 1 << INEXACT | 1 << SUBNORMAL | 1 << OVERFLOW | 1 << ZERO_SUM},
      {FP_SUB, 1 << TIE | 1 << INEXACT | 1 << SUBNORMAL | 1 << OVERFLOW | 1 << ZERO_SUM},
      {FP_MUL, 1 << TIE | 1 << INEXACT | 1 << SUBNORMAL | 1 << OVERFLOW},
      {FP_DIV, 1 << TIE | 1 << INEXACT | 1 << SUBNORMAL | 1 << OVERFLOW},
      {FP_SQRT, 1 << INEXACT},
      {FP_CVT_W_S, 1 << TIE | 1 << INEXACT},
      {FP_CVT_WU_S, 1 << TIE | 1 << INEXACT},
      {FP_CVT_S_W, 1 << TIE | 1 << INEXACT},
      {FP_CVT_S_WU, 1 << TIE | 1 << INEXACT},
      {FP_MADD, 1 << TIE | 1 << INEXACT | 1 << SUBNORMAL | 1 << OVERFLOW | 1 << ZERO_SUM},
      {FP_NMSUB, 1 << TIE | 1 << INEXACT | 1 << SUBNORMAL | 1 << OVERFLOW | 1 << ZERO_SUM},
  };
  enum { N_OPERANDS = 20000, AT_LEAST = 20 };
  (void)state;
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    struct fp_random random = fp_random_seed(1);
    uint32_t counts[N_KINDS] = {0};
    for (uint32_t n = 0; n < N_OPERANDS; n++) {
      uint32_t x[3];
      fp_operands(&random, wanted[i].op, x);
      uint32_t kinds = kinds_of(wanted[i].op, x);
      for (uint32_t k = 0; k < N_KINDS; k++) counts[k] += kinds >> k & 1;
    }
    printf("# %-10s ties %u, rounded %u, subnormal %u, overflow %u, sums of 0 %u of %u\n",
           fp_op_info[wanted[i].op].mnemonic, counts[TIE], counts[INEXACT], counts[SUBNORMAL],
           counts[OVERFLOW], counts[ZERO_SUM], (unsigned)N_OPERANDS);
    for (uint32_t k = 0; k < N_KINDS; k++) {
      if (wanted[i].kinds >> k & 1) assert_true(counts[k] >= AT_LEAST);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_are_those_worked_out_by_hand),
      cmocka_unit_test(the_host_agrees_to_nearest),
      cmocka_unit_test(operands_reach_the_hard_results),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, open_ref, close_ref);
}
