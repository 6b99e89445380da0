// SPDX-License-Identifier: Apache-2.0
#include "fp_ref.h"

#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

enum {
  PRECISION = 24,
  LEAST_EXPONENT =
      -148,  // MPFR's significands lie in 1/2 .. 1: the least subnormal is 0.5 * 2^-148
  LARGEST_EXPONENT = 128,
  WIDE_PRECISION = 64,  // a tie of floats, or of integers of 32 bits and a half, fits into it
};
#define CANONICAL_NAN 0x7FC00000u
#define INFINITY_BITS 0x7F800000u
#define SIGN 0x80000000u

struct fp_ref {
  mpfr_exp_t emin, emax;  // MPFR's own
  mpfr_t a, b, c, result, wide, tie;
};

const struct fp_op_info fp_op_info[FP_N_OPS] = {
#define FP_OP_INFO(name, mnemonic, word, n_operands, rounds) {mnemonic, word, n_operands, rounds},
    FP_OPS(FP_OP_INFO)
#undef FP_OP_INFO
};

uint32_t fp_encode(enum fp_op op, uint32_t rm, uint32_t rd, uint32_t rs1, uint32_t rs2,
                   uint32_t rs3) {
  const struct fp_op_info *info = &fp_op_info[op];
  uint32_t word = info->word | rd << 7 | rs1 << 15;
  if (info->rounds) word |= rm << 12;
  if (info->n_operands >= 2) word |= rs2 << 20;
  if (info->n_operands >= 3) word |= rs3 << 27;
  return word;
}

enum fp_op fp_decode(uint32_t word) {
  uint32_t rm = word >> 12 & 7, rd = word >> 7 & 31, rs1 = word >> 15 & 31, rs2 = word >> 20 & 31,
           rs3 = word >> 27;
  for (enum fp_op op = (enum fp_op)0; op < FP_N_OPS; op = (enum fp_op)(op + 1)) {
    bool illegal_mode = fp_op_info[op].rounds && (rm == 5 || rm == 6);
    if (!illegal_mode && fp_encode(op, rm, rd, rs1, rs2, rs3) == word) return op;
  }
  return FP_N_OPS;
}

struct fp_ref *fp_ref_create(void) {
  struct fp_ref *ref = malloc(sizeof *ref);
  if (!ref) return NULL;
  ref->emin = mpfr_get_emin();
  ref->emax = mpfr_get_emax();
  mpfr_inits2(PRECISION, ref->a, ref->b, ref->c, ref->result, (mpfr_ptr)NULL);
  mpfr_inits2(WIDE_PRECISION, ref->wide, ref->tie, (mpfr_ptr)NULL);
  return ref;
}

void fp_ref_destroy(struct fp_ref *ref) {
  if (!ref) return;
  mpfr_clears(ref->a, ref->b, ref->c, ref->result, ref->wide, ref->tie, (mpfr_ptr)NULL);
  free(ref);
}

// ---- bits and numbers ----

static void from_bits(mpfr_t number, uint32_t bits) {
  uint32_t exponent = bits >> 23 & 0xFF, fraction = bits & 0x7FFFFF;
  if (exponent == 255 && fraction)
    mpfr_set_nan(number);
  else if (exponent == 255)
    mpfr_set_inf(number, 1);
  else if (exponent == 0)
    mpfr_set_ui_2exp(number, fraction, -149, MPFR_RNDN);
  else
    mpfr_set_ui_2exp(number, fraction | 0x800000, (mpfr_exp_t)exponent - 150, MPFR_RNDN);
  mpfr_setsign(number, number, bits & SIGN, MPFR_RNDN);
}

// The number is one that a float can hold.
static uint32_t to_bits(const mpfr_t number) {
  if (mpfr_nan_p(number)) return CANONICAL_NAN;
  uint32_t bits;
  float value = mpfr_get_flt(number, MPFR_RNDN);
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// ---- rounding operations ----

// The operation's result in the precision of `out`, in the range of exponents that is set; MPFR's
// ternary value.
static int compute(struct fp_ref *ref, enum fp_op op, uint32_t a, mpfr_t out, mpfr_rnd_t mode) {
  switch (op) {
    case FP_ADD: return mpfr_add(out, ref->a, ref->b, mode);
    case FP_SUB: return mpfr_sub(out, ref->a, ref->b, mode);
    case FP_MUL: return mpfr_mul(out, ref->a, ref->b, mode);
    case FP_DIV: return mpfr_div(out, ref->a, ref->b, mode);
    case FP_SQRT: return mpfr_sqrt(out, ref->a, mode);
    case FP_CVT_S_W: return mpfr_set_si(out, (int32_t)a, mode);
    case FP_CVT_S_WU: return mpfr_set_ui(out, a, mode);
    default: return mpfr_fma(out, ref->a, ref->b, ref->c, mode);
  }
}

static uint32_t round_by_mpfr(struct fp_ref *ref, enum fp_op op, uint32_t a, mpfr_rnd_t mode) {
  mpfr_set_emin(LEAST_EXPONENT);
  mpfr_set_emax(LARGEST_EXPONENT);
  int ternary = compute(ref, op, a, ref->result, mode);
  mpfr_subnormalize(ref->result, ternary, mode);
  mpfr_set_emin(ref->emin);
  mpfr_set_emax(ref->emax);
  return to_bits(ref->result);
}

// Ties away from zero, which MPFR does not have. The wide result is cut off, so that it is at least
// a tie exactly where the true one is; cut further it is one of its two neighbours among the
// floats.
static uint32_t round_ties_away(struct fp_ref *ref, enum fp_op op, uint32_t a) {
  compute(ref, op, a, ref->wide, MPFR_RNDZ);
  if (mpfr_nan_p(ref->wide)) return CANONICAL_NAN;
  mpfr_set_emin(LEAST_EXPONENT);
  mpfr_set_emax(LARGEST_EXPONENT);
  int ternary =
      mpfr_check_range(ref->result, mpfr_set(ref->result, ref->wide, MPFR_RNDZ), MPFR_RNDZ);
  mpfr_subnormalize(ref->result, ternary, MPFR_RNDZ);
  mpfr_set_emin(ref->emin);
  mpfr_set_emax(ref->emax);
  uint32_t inner = to_bits(ref->result), magnitude = inner & ~SIGN;
  if (magnitude == INFINITY_BITS) return inner;
  uint32_t exponent = magnitude >> 23 ? magnitude >> 23 : 1;
  from_bits(ref->tie, magnitude);
  mpfr_set_ui_2exp(ref->result, 1, (mpfr_exp_t)exponent - 151, MPFR_RNDN);  // half a step
  mpfr_add(ref->tie, ref->tie, ref->result, MPFR_RNDN);
  return mpfr_cmpabs(ref->wide, ref->tie) >= 0 ? inner + 1 : inner;
}

static uint32_t rounded(struct fp_ref *ref, enum fp_op op, enum fp_rm rm, uint32_t a) {
  switch (rm) {
    case FP_RNE: return round_by_mpfr(ref, op, a, MPFR_RNDN);
    case FP_RTZ: return round_by_mpfr(ref, op, a, MPFR_RNDZ);
    case FP_RDN: return round_by_mpfr(ref, op, a, MPFR_RNDD);
    case FP_RUP: return round_by_mpfr(ref, op, a, MPFR_RNDU);
    default: return round_ties_away(ref, op, a);
  }
}

static uint32_t fused(struct fp_ref *ref, enum fp_op op, enum fp_rm rm) {
  if (op == FP_NMSUB || op == FP_NMADD) mpfr_neg(ref->a, ref->a, MPFR_RNDN);
  if (op == FP_MSUB || op == FP_NMADD) mpfr_neg(ref->c, ref->c, MPFR_RNDN);
  return rounded(ref, FP_MADD, rm, 0);
}

static uint32_t to_integer(struct fp_ref *ref, enum fp_rm rm, bool is_signed) {
  double least = is_signed ? -2147483648.0 : 0, largest = is_signed ? 2147483647.0 : 4294967295.0;
  if (mpfr_nan_p(ref->a)) return is_signed ? 0x7FFFFFFF : 0xFFFFFFFF;
  switch (rm) {
    case FP_RNE: mpfr_rint(ref->result, ref->a, MPFR_RNDN); break;
    case FP_RTZ: mpfr_trunc(ref->result, ref->a); break;
    case FP_RDN: mpfr_floor(ref->result, ref->a); break;
    case FP_RUP: mpfr_ceil(ref->result, ref->a); break;
    default: mpfr_round(ref->result, ref->a); break;
  }
  double value = mpfr_get_d(ref->result, MPFR_RNDN);
  return (uint32_t)(int64_t)(value < least ? least : value > largest ? largest : value);
}

// ---- operations that do not round ----

static uint32_t class_of(const mpfr_t number, uint32_t bits) {
  bool negative = bits & SIGN;
  if (mpfr_nan_p(number)) return bits & 0x400000 ? 1u << 9 : 1u << 8;
  if (mpfr_inf_p(number)) return negative ? 1u << 0 : 1u << 7;
  if (mpfr_zero_p(number)) return negative ? 1u << 3 : 1u << 4;
  bool normal = mpfr_get_exp(number) > LEAST_EXPONENT + 22;
  if (negative) return normal ? 1u << 1 : 1u << 2;
  return normal ? 1u << 6 : 1u << 5;
}

uint32_t fp_ref_compute(struct fp_ref *ref, enum fp_op op, enum fp_rm rm, uint32_t a, uint32_t b,
                        uint32_t c) {
  from_bits(ref->a, a);
  from_bits(ref->b, b);
  from_bits(ref->c, c);
  switch (op) {
    case FP_SGNJ: return (a & ~SIGN) | (b & SIGN);
    case FP_SGNJN: return (a & ~SIGN) | (~b & SIGN);
    case FP_SGNJX: return a ^ (b & SIGN);
    case FP_MIN: mpfr_min(ref->result, ref->a, ref->b, MPFR_RNDN); return to_bits(ref->result);
    case FP_MAX: mpfr_max(ref->result, ref->a, ref->b, MPFR_RNDN); return to_bits(ref->result);
    case FP_EQ: return mpfr_equal_p(ref->a, ref->b) != 0;
    case FP_LT: return mpfr_less_p(ref->a, ref->b) != 0;
    case FP_LE: return mpfr_lessequal_p(ref->a, ref->b) != 0;
    case FP_CLASS: return class_of(ref->a, a);
    case FP_CVT_W_S: return to_integer(ref, rm, true);
    case FP_CVT_WU_S: return to_integer(ref, rm, false);
    case FP_MADD:
    case FP_MSUB:
    case FP_NMSUB:
    case FP_NMADD: return fused(ref, op, rm);
    default: return rounded(ref, op, rm, a);
  }
}
