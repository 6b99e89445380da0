// SPDX-License-Identifier: Apache-2.0
// Floating point of the lanes: docs/fpu.md.
#include "qsm_fpu.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "qsm_lanes.h"

enum { FRACTION_BITS = 23, BIAS = 127, MAX_BIASED = 255 };
#define SIGN 0x80000000u
#define INFINITE 0x7F800000u
#define LARGEST 0x7F7FFFFFu
#define CANONICAL_NAN 0x7FC00000u

enum rounding { RNE, RTZ, RDN, RUP, RMM };

static bool is_nan(uint32_t bits) { return (bits & ~SIGN) > INFINITE; }
static bool is_infinite(uint32_t bits) { return (bits & ~SIGN) == INFINITE; }
static bool is_zero(uint32_t bits) { return (bits & ~SIGN) == 0; }

// ---- exact numbers ----

// A finite number: significand * 2^exponent, negative if sign is not 0. Bit 0 of a significand that
// does not fit is the or of all bits below it: the true number then lies between two of the kind,
// and is rounded as this one.
struct number {
  uint32_t sign;  // 0 or SIGN
  int32_t exponent;
  uint64_t significand;
};

static struct number unpack(uint32_t bits) {
  uint32_t biased = bits >> FRACTION_BITS & MAX_BIASED,
           fraction = bits & ((1u << FRACTION_BITS) - 1);
  return (struct number){
      .sign = bits & SIGN,
      .exponent = (int32_t)(biased ? biased : 1) - BIAS - FRACTION_BITS,
      .significand = biased ? fraction | 1u << FRACTION_BITS : fraction,
  };
}

static uint64_t shift_right_sticky(uint64_t value, uint32_t distance) {
  if (distance == 0) return value;
  if (distance > 63) return value != 0;
  return value >> distance | ((value << (64 - distance)) != 0);
}

// With the leading one of the significand (not 0) at the given bit, where it is at most there.
static struct number normalised(struct number x, int32_t bit) {
  int32_t up = __builtin_clzll(x.significand) - (63 - bit);
  x.significand <<= up;
  x.exponent -= up;
  return x;
}

static uint32_t overflow(uint32_t sign, uint32_t rm) {
  bool to_largest = rm == RTZ || rm == (sign ? RUP : RDN);
  return sign | (to_largest ? LARGEST : INFINITE);
}

// What is added to a magnitude whose last place is followed by `rest`; half: the rest that is a
// tie.
static uint32_t increment(uint32_t sign, uint32_t last_place, uint64_t rest, uint64_t half,
                          uint32_t rm) {
  switch (rm) {
    case RNE: return rest > half || (rest == half && (last_place & 1));
    case RDN: return sign && rest;
    case RUP: return !sign && rest;
    case RMM: return rest >= half;
    default: return 0;
  }
}

static uint32_t round_number(struct number x, uint32_t rm) {
  enum { TOP = 63, REST_BITS = 64 - (FRACTION_BITS + 1) };
  if (x.significand == 0) return x.sign;
  x = normalised(x, TOP);
  int32_t biased = x.exponent + TOP + BIAS;
  if (biased >= MAX_BIASED) return overflow(x.sign, rm);
  if (biased < 1) {
    x.significand = shift_right_sticky(x.significand, (uint32_t)(1 - biased));
    biased = 1;
  }
  uint32_t kept = (uint32_t)(x.significand >> REST_BITS);
  uint64_t rest = x.significand & ((UINT64_C(1) << REST_BITS) - 1);
  // The leading one, where there is one, adds to the exponent; so does a carry.
  uint32_t magnitude = ((uint32_t)(biased - 1) << FRACTION_BITS) + kept +
                       increment(x.sign, kept, rest, UINT64_C(1) << (REST_BITS - 1), rm);
  return magnitude >= INFINITE ? overflow(x.sign, rm) : x.sign | magnitude;
}

// ---- sums and products ----

// The larger one's leading one stands at bit 62, and at least 15 zeros behind its last bit: a
// sticky bit stays below the places that count, also when a difference moves them up.
static uint32_t round_sum(struct number x, struct number y, uint32_t rm) {
  uint32_t zero = x.sign == y.sign ? x.sign : rm == RDN ? SIGN : 0;
  if (x.significand == 0 && y.significand == 0) return zero;
  if (x.significand == 0) return round_number(y, rm);
  if (y.significand == 0) return round_number(x, rm);
  x = normalised(x, 62);
  y = normalised(y, 62);
  if (x.exponent < y.exponent || (x.exponent == y.exponent && x.significand < y.significand)) {
    struct number larger = y;
    y = x;
    x = larger;
  }
  uint64_t below = shift_right_sticky(y.significand, (uint32_t)(x.exponent - y.exponent));
  x.significand = x.sign == y.sign ? x.significand + below : x.significand - below;
  return x.significand ? round_number(x, rm) : zero;
}

// a * b + c.
static uint32_t fused(uint32_t a, uint32_t b, uint32_t c, uint32_t rm) {
  uint32_t sign = (a ^ b) & SIGN;
  if (is_nan(a) || is_nan(b) || is_nan(c)) return CANONICAL_NAN;
  if ((is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b))) return CANONICAL_NAN;
  if (is_infinite(a) || is_infinite(b))
    return is_infinite(c) && (c & SIGN) != sign ? CANONICAL_NAN : sign | INFINITE;
  if (is_infinite(c)) return c;
  struct number x = unpack(a), y = unpack(b);
  struct number product = {sign, x.exponent + y.exponent, x.significand * y.significand};
  return round_sum(product, unpack(c), rm);
}

static uint32_t add(uint32_t a, uint32_t b, uint32_t rm) {
  if (is_nan(a) || is_nan(b)) return CANONICAL_NAN;
  if (is_infinite(a)) return is_infinite(b) && a != b ? CANONICAL_NAN : a;
  if (is_infinite(b)) return b;
  return round_sum(unpack(a), unpack(b), rm);
}

static uint32_t multiply(uint32_t a, uint32_t b, uint32_t rm) {
  uint32_t sign = (a ^ b) & SIGN;
  return fused(a, b, sign, rm);  // plus a zero of the same sign
}

// ---- quotients and roots ----

static uint32_t divide(uint32_t a, uint32_t b, uint32_t rm) {
  uint32_t sign = (a ^ b) & SIGN;
  if (is_nan(a) || is_nan(b)) return CANONICAL_NAN;
  if ((is_infinite(a) && is_infinite(b)) || (is_zero(a) && is_zero(b))) return CANONICAL_NAN;
  if (is_infinite(a) || is_zero(b)) return sign | INFINITE;
  if (is_infinite(b) || is_zero(a)) return sign;
  struct number x = normalised(unpack(a), 63), y = normalised(unpack(b), FRACTION_BITS);
  uint64_t quotient = x.significand / y.significand, remainder = x.significand % y.significand;
  return round_number(
      (struct number){sign, x.exponent - y.exponent - 1, quotient << 1 | (remainder != 0)}, rm);
}

// floor(sqrt(x)), bit by bit.
static uint64_t integer_root(uint64_t x) {
  uint64_t root = 0;
  for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1) {
    if ((root | bit) * (root | bit) <= x) root |= bit;
  }
  return root;
}

static uint32_t square_root(uint32_t a, uint32_t rm) {
  if (is_zero(a)) return a;
  if (is_nan(a) || (a & SIGN)) return CANONICAL_NAN;
  if (is_infinite(a)) return a;
  struct number x = normalised(unpack(a), 62);
  if (x.exponent & 1) {
    x.significand >>= 1;  // its last bits are zeros
    x.exponent++;
  }
  uint64_t root = integer_root(x.significand);
  return round_number(
      (struct number){0, x.exponent / 2 - 1, root << 1 | (root * root != x.significand)}, rm);
}

// ---- conversions ----

static uint32_t from_integer(uint32_t sign, uint32_t magnitude, uint32_t rm) {
  return magnitude ? round_number((struct number){sign, 0, magnitude}, rm) : 0;
}

static uint32_t to_integer(uint32_t bits, bool is_signed, uint32_t rm) {
  uint32_t least = is_signed ? SIGN : 0, largest = is_signed ? ~SIGN : UINT32_MAX;
  if (is_nan(bits)) return largest;
  struct number x = unpack(bits);
  uint32_t limit = x.sign ? least : largest;
  if (x.exponent > 8) return limit;  // at least 2^32, for all significands of normal numbers
  // Two bits behind the point, the last one sticky.
  uint64_t quarters = x.exponent >= -2
                          ? x.significand << (x.exponent + 2)
                          : shift_right_sticky(x.significand, (uint32_t)(-2 - x.exponent));
  uint64_t magnitude =
      (quarters >> 2) + increment(x.sign, (uint32_t)(quarters >> 2), quarters & 3, 2, rm);
  if (x.sign) return magnitude > least ? least : 0u - (uint32_t)magnitude;
  return magnitude > largest ? largest : (uint32_t)magnitude;
}

// ---- operations that do not round ----

// Signed integers in the order of the numbers, -0 before +0.
static inline int32_t order(uint32_t bits) {
  return (int32_t)(bits ^ ((uint32_t)((int32_t)bits >> 31) & ~SIGN));
}

static inline uint32_t canonical(uint32_t bits) { return is_nan(bits) ? CANONICAL_NAN : bits; }
static inline bool ordered(uint32_t a, uint32_t b) { return !is_nan(a) && !is_nan(b); }
static inline bool are_zeros(uint32_t a, uint32_t b) { return (a | b) << 1 == 0; }

static inline uint32_t lesser(uint32_t a, uint32_t b) {
  return canonical(is_nan(a) ? b : is_nan(b) ? a : order(a) < order(b) ? a : b);
}
static inline uint32_t greater(uint32_t a, uint32_t b) {
  return canonical(is_nan(a) ? b : is_nan(b) ? a : order(a) < order(b) ? b : a);
}
static inline uint32_t equal(uint32_t a, uint32_t b) {
  return ordered(a, b) && (a == b || are_zeros(a, b));
}
static inline uint32_t less(uint32_t a, uint32_t b) {
  return ordered(a, b) && order(a) < order(b) && !are_zeros(a, b);
}
static inline uint32_t less_or_equal(uint32_t a, uint32_t b) {
  return ordered(a, b) && (order(a) <= order(b) || are_zeros(a, b));
}

// Bit 0 to 9: -infinity, -normal, -subnormal, -0, +0, +subnormal, +normal, +infinity, signalling
// NaN, quiet NaN.
static inline uint32_t classify(uint32_t bits) {
  uint32_t magnitude = bits & ~SIGN;
  if (magnitude > INFINITE) return magnitude & 0x400000 ? 1u << 9 : 1u << 8;
  uint32_t up =
      (uint32_t)(magnitude != 0) + (magnitude >> FRACTION_BITS != 0) + (magnitude == INFINITE);
  return bits & SIGN ? 1u << (3 - up) : 1u << (4 + up);
}

// ---- operations that round, one lane, integers alone ----

// The fused operations are a * b + c, and a subtraction is a sum, with signs changed before.
static uint32_t flips_product(uint8_t op) {
  return op == QSM_OP_FNMSUB || op == QSM_OP_FNMADD ? SIGN : 0;
}
static uint32_t flips_addend(uint8_t op) {
  return op == QSM_OP_FMSUB || op == QSM_OP_FNMADD || op == QSM_OP_FSUB ? SIGN : 0;
}

static uint32_t compute(uint8_t op, uint32_t rm, uint32_t a, uint32_t b, uint32_t c) {
  switch (op) {
    case QSM_OP_FADD:
    case QSM_OP_FSUB: return add(a, b ^ flips_addend(op), rm);
    case QSM_OP_FMUL: return multiply(a, b, rm);
    case QSM_OP_FDIV: return divide(a, b, rm);
    case QSM_OP_FSQRT: return square_root(a, rm);
    case QSM_OP_FCVT_W_S: return to_integer(a, true, rm);
    case QSM_OP_FCVT_WU_S: return to_integer(a, false, rm);
    case QSM_OP_FCVT_S_W: return from_integer(a & SIGN, a & SIGN ? 0u - a : a, rm);
    case QSM_OP_FCVT_S_WU: return from_integer(0, a, rm);
    default: return fused(a ^ flips_product(op), b, c ^ flips_addend(op), rm);
  }
}

// ---- all lanes, by the host ----

// Floats of 32 bits, operations that round to 32 bits at once, no liberties of the compiler.
#if defined __FAST_MATH__ || FLT_RADIX != 2 || FLT_MANT_DIG != 24 || FLT_MAX_EXP != 128 || \
    FLT_EVAL_METHOD != 0
enum { HOST_HAS_FLOATS = false };
#else
enum { HOST_HAS_FLOATS = true };
#endif
#if defined __FMA__ || defined __ARM_FEATURE_FMA || defined FP_FAST_FMAF
enum { HOST_HAS_FMA = true };
#else
enum { HOST_HAS_FMA = false };
#endif

static inline float as_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t as_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return canonical(bits);
}

bool qsm_fpu_host_is_exact(void) {
  if (!HOST_HAS_FLOATS) return false;
  volatile float one = 1, half_step = as_float(0x33800000), least_normal = as_float(0x00800000),
                 least = as_float(1);
  volatile float tie_down = one + half_step, tie_up = one + 3 * half_step,
                 minus_tie_up = -one - 3 * half_step;
  volatile float subnormal = least_normal * as_float(0x3F000000),
                 from_subnormal = least * as_float(0x4B000000);
  return as_bits(tie_down) == 0x3F800000 && as_bits(tie_up) == 0x3F800002 &&
         as_bits(minus_tie_up) == 0xBF800002 && as_bits(subnormal) == 0x00400000 &&
         as_bits(from_subnormal) == 0x00800000;
}

static bool host_computes(uint8_t op, uint32_t rm) {
  switch (op) {
    case QSM_OP_FADD:
    case QSM_OP_FSUB:
    case QSM_OP_FMUL:
    case QSM_OP_FDIV:
    case QSM_OP_FSQRT:
    case QSM_OP_FCVT_S_W:
    case QSM_OP_FCVT_S_WU: return rm == RNE;
    case QSM_OP_FMADD:
    case QSM_OP_FMSUB:
    case QSM_OP_FNMSUB:
    case QSM_OP_FNMADD: return rm == RNE && HOST_HAS_FMA;
    default: return false;
  }
}

#define LANES_OF(name, expression) \
  case QSM_OP_##name: QSM_LANES out[l] = (expression); break;

QSM_LANE_FUNCTION void by_host(uint8_t op, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                               uint32_t *out, uint32_t n) {
  uint32_t flip_a = flips_product(op), flip_c = flips_addend(op);
  switch (op) {
    LANES_OF(FADD, as_bits(as_float(a[l]) + as_float(b[l])))
    LANES_OF(FSUB, as_bits(as_float(a[l]) - as_float(b[l])))
    LANES_OF(FMUL, as_bits(as_float(a[l]) * as_float(b[l])))
    LANES_OF(FDIV, as_bits(as_float(a[l]) / as_float(b[l])))
    LANES_OF(FSQRT, as_bits(sqrtf(as_float(a[l]))))
    LANES_OF(FCVT_S_W, as_bits((float)(int32_t)a[l]))
    LANES_OF(FCVT_S_WU, as_bits((float)a[l]))
    default:
      QSM_LANES out[l] =
          as_bits(fmaf(as_float(a[l] ^ flip_a), as_float(b[l]), as_float(c[l] ^ flip_c)));
      break;
  }
}

// ---- all lanes, those that do not round ----

QSM_LANE_FUNCTION void unrounded(uint8_t op, const uint32_t *a, const uint32_t *b, uint32_t *out,
                                 uint32_t n) {
  switch (op) {
    LANES_OF(FSGNJ, (a[l] & ~SIGN) | (b[l] & SIGN))
    LANES_OF(FSGNJN, (a[l] & ~SIGN) | (~b[l] & SIGN))
    LANES_OF(FSGNJX, a[l] ^ (b[l] & SIGN))
    LANES_OF(FMIN, lesser(a[l], b[l]))
    LANES_OF(FMAX, greater(a[l], b[l]))
    LANES_OF(FEQ, equal(a[l], b[l]))
    LANES_OF(FLT, less(a[l], b[l]))
    LANES_OF(FLE, less_or_equal(a[l], b[l]))
    default: QSM_LANES out[l] = classify(a[l]); break;
  }
}

void qsm_fpu_simple(uint8_t op, const uint32_t *a, const uint32_t *b, uint32_t *out,
                    uint32_t n_lanes) {
  QSM_PER_WARP_SIZE(n_lanes, unrounded, op, a, b, out);
}

void qsm_fpu_rounded(uint8_t op, uint32_t rm, bool host, const uint32_t *a, const uint32_t *b,
                     const uint32_t *c, uint32_t *out, uint32_t n_lanes) {
  if (host && host_computes(op, rm)) {
    QSM_PER_WARP_SIZE(n_lanes, by_host, op, a, b, c, out);
  } else {
    for (uint32_t l = 0; l < n_lanes; l++) out[l] = compute(op, rm, a[l], b[l], c[l]);
  }
}
