// SPDX-License-Identifier: Apache-2.0
// Floating point of the model: arithmetic against the reference of tb/fp, by integers and by the
// host's floats; decoding of every word of its opcodes. QSM_FP_OPERANDS: operands for each
// operation and mode.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <fenv.h>
#if defined __SSE__
#include <xmmintrin.h>
#endif

#include "fp_operands.h"
#include "model_support.h"
#include "qsm_fpu.h"

enum { LANES = 32 };

// By enum fp_op.
static const uint8_t op_of[FP_N_OPS] = {
#define OP_OF(name, mnemonic, word, n_operands, rounds) QSM_OP_F##name,
    FP_OPS(OP_OF)
#undef OP_OF
};

static uint64_t n_operands(void) {
  const char *text = getenv("QSM_FP_OPERANDS");
  return text ? strtoull(text, NULL, 0) : 100000;
}

static void compute(enum fp_op op, uint32_t rm, bool host, uint32_t x[3][LANES], uint32_t *out,
                    uint32_t n_lanes) {
  if (qsm_op_class[op_of[op]] == QSM_CLASS_ALU)
    qsm_fpu_simple(op_of[op], x[0], x[1], out, n_lanes);
  else
    qsm_fpu_rounded(op_of[op], rm, host, x[0], x[1], x[2], out, n_lanes);
}

static void draw(struct fp_random *random, enum fp_op op, uint32_t x[3][LANES]) {
  for (uint32_t l = 0; l < LANES; l++) {
    uint32_t operand[3];
    fp_operands(random, op, operand);
    for (uint32_t i = 0; i < 3; i++) x[i][l] = operand[i];
  }
}

static void expect(const uint32_t *expected, const uint32_t *out, enum fp_op op, uint32_t rm,
                   uint32_t x[3][LANES], const char *way) {
  for (uint32_t l = 0; l < LANES; l++) {
    if (out[l] == expected[l]) continue;
    fail_msg("%s, mode %u, by %s: of %08x %08x %08x %08x, reference %08x", fp_op_info[op].mnemonic,
             rm, way, x[0][l], x[1][l], x[2][l], out[l], expected[l]);
  }
}

static void every_result_is_the_references(void **unused) {
  (void)unused;
  struct fp_ref *ref = fp_ref_create();
  assert_non_null(ref);
  struct fp_random random = fp_random_seed(model_seed("test_fpu"));
  bool host = qsm_fpu_host_is_exact();
  uint64_t n = n_operands(), n_computed = 0;
  for (enum fp_op op = 0; op < FP_N_OPS; op++) {
    for (uint32_t rm = 0; rm < (fp_op_info[op].rounds ? FP_N_MODES : 1); rm++) {
      for (uint64_t i = 0; i < n; i += LANES) {
        uint32_t x[3][LANES], expected[LANES], out[LANES];
        draw(&random, op, x);
        for (uint32_t l = 0; l < LANES; l++)
          expected[l] = fp_ref_compute(ref, op, rm, x[0][l], x[1][l], x[2][l]);
        compute(op, rm, false, x, out, LANES);
        expect(expected, out, op, rm, x, "integers");
        n_computed += LANES;
        if (!host || rm != FP_RNE) continue;
        compute(op, rm, true, x, out, LANES);
        expect(expected, out, op, rm, x, "the host's floats");
      }
    }
  }
  printf("# %llu results of %u operations; the host's floats are %sused\n",
         (unsigned long long)n_computed, (unsigned)FP_N_OPS, host ? "" : "not ");
  fp_ref_destroy(ref);
}

static void a_warp_of_any_size_computes_the_same(void **unused) {
  (void)unused;
  struct fp_random random = fp_random_seed(1);
  bool host = qsm_fpu_host_is_exact();
  for (enum fp_op op = 0; op < FP_N_OPS; op++) {
    uint32_t x[3][LANES], all[LANES];
    draw(&random, op, x);
    compute(op, FP_RNE, host, x, all, LANES);
    for (uint32_t n_lanes = 2; n_lanes < LANES; n_lanes *= 2) {
      uint32_t out[LANES];
      for (uint32_t l = 0; l < LANES; l++) out[l] = 0xDEADBEEF;
      compute(op, FP_RNE, host, x, out, n_lanes);
      for (uint32_t l = 0; l < LANES; l++)
        assert_int_equal(out[l], l < n_lanes ? all[l] : 0xDEADBEEF);
    }
  }
}

// ---- the host's settings ----

// As the thread is set now: the host's floats are refused, and every result is what it was.
static void expect_no_host(const uint32_t expected[FP_N_OPS][LANES],
                           uint32_t operands[FP_N_OPS][3][LANES]) {
  assert_false(qsm_fpu_host_is_exact());
  for (enum fp_op op = 0; op < FP_N_OPS; op++) {
    uint32_t out[LANES];
    compute(op, FP_RNE, qsm_fpu_host_is_exact(), operands[op], out, LANES);
    expect(expected[op], out, op, FP_RNE, operands[op], "a host set otherwise");
  }
}

static void the_hosts_settings_change_no_result(void **unused) {
  (void)unused;
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  static uint32_t operands[FP_N_OPS][3][LANES], expected[FP_N_OPS][LANES];
  struct fp_random random = fp_random_seed(2);
  for (enum fp_op op = 0; op < FP_N_OPS; op++) {
    draw(&random, op, operands[op]);
    compute(op, FP_RNE, false, operands[op], expected[op], LANES);
  }
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    assert_int_equal(fesetround(modes[i]), 0);
    expect_no_host(expected, operands);
  }
  assert_int_equal(fesetround(FE_TONEAREST), 0);
#if defined __SSE__
  static const unsigned flushes[] = {0x8000, 0x0040};  // of results, of operands
  unsigned before = _mm_getcsr();
  for (size_t i = 0; i < sizeof flushes / sizeof flushes[0]; i++) {
    _mm_setcsr(before | flushes[i]);
    expect_no_host(expected, operands);
  }
  _mm_setcsr(before);
#endif
}

// ---- decoding ----

static void expect_illegal(uint32_t word, bool fpu) {
  struct qsm_insn insn;
  qsm_decode(word, fpu, &insn);
  if (insn.op != QSM_OP_ILLEGAL || insn.rd || insn.rs1 || insn.rs2 || insn.need)
    fail_msg("%08x is not refused, with fpu %d", word, fpu);
}

static void expect_decoded(uint32_t word, enum fp_op op) {
  const struct fp_op_info *info = &fp_op_info[op];
  struct qsm_insn insn;
  qsm_decode(word, true, &insn);
  uint32_t rd = word >> 7 & 31, rs1 = word >> 15 & 31,
           rs2 = info->n_operands >= 2 ? word >> 20 & 31 : 0,
           rs3 = info->n_operands >= 3 ? word >> 27 : 0;
  uint32_t need = (1u << rd | 1u << rs1 | 1u << rs2 | 1u << rs3) & ~1u, rm = word >> 12 & 7;
  if (rd || qsm_op_class[insn.op] == QSM_CLASS_DIV) need |= QSM_NEED_ENTRY;
  if (insn.op != op_of[op])
    fail_msg("%08x is decoded as operation %u, not %s", word, insn.op, info->mnemonic);
  assert_int_equal(insn.instr, word);
  assert_int_equal(insn.rd, rd);
  assert_int_equal(insn.rs1, rs1);
  assert_int_equal(insn.rs2, rs2);
  assert_int_equal(qsm_fp_rs3(&insn), rs3);
  assert_int_equal(insn.need, need);
  assert_int_equal(insn.n_reads, (rs1 != 0) + (rs2 != 0) + (rs3 != 0));
  if (info->rounds) assert_int_equal(qsm_fp_rm(&insn), rm == 7 ? FP_RNE : rm);
}

static void every_word_is_decoded_as_the_page_says(void **unused) {
  (void)unused;
  static const uint32_t opcodes[] = {0x53, 0x43, 0x47, 0x4B, 0x4F};
  uint32_t n_legal = 0;
  for (uint32_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
    for (uint32_t upper = 0; upper < 1u << 15; upper++) {  // funct7 or rs3 and fmt, rs2, funct3
      uint32_t rd = upper % 3 ? upper * 7 % 32 : 0, rs1 = upper * 11 % 32;
      uint32_t word = (upper >> 3) << 20 | rs1 << 15 | (upper & 7) << 12 | rd << 7 | opcodes[i];
      enum fp_op op = fp_decode(word);
      expect_illegal(word, false);
      if (op == FP_N_OPS) {
        expect_illegal(word, true);
      } else {
        expect_decoded(word, op);
        n_legal++;
      }
    }
  }
  // fadd … fdiv: 32 rs2 with 6 modes; fsgnj*, fmin, fmax, comparisons: 32 rs2; fsqrt, conversions:
  // 6 modes; fclass; fused: 32 x 32, 6 modes.
  assert_int_equal(n_legal, 4 * 32 * 6 + 8 * 32 + 5 * 6 + 1 + 4 * 32 * 32 * 6);
}

static void what_zfinx_does_not_have_is_illegal(void **unused) {
  (void)unused;
  static const uint32_t words[] = {
      0x00002007,                          // flw
      0x00002027,                          // fsw
      0xE00000D3,                          // fmv.x.w
      0xF00000D3,                          // fmv.w.x
      0x020000D3,                          // fadd.d
      0x002020F3, 0x001020F3, 0x003020F3,  // reads of frm, fflags, fcsr
      0x003010F3,                          // fscsr
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) expect_illegal(words[i], true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_result_is_the_references),
      cmocka_unit_test(a_warp_of_any_size_computes_the_same),
      cmocka_unit_test(the_hosts_settings_change_no_result),
      cmocka_unit_test(every_word_is_decoded_as_the_page_says),
      cmocka_unit_test(what_zfinx_does_not_have_is_illegal),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
