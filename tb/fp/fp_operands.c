// SPDX-License-Identifier: Apache-2.0
// Two layers: single operands of a kind that is hard by itself, and operands that belong together
// so that the result is hard: a tie, next to one, a sum that cancels, a result at either end of the
// range.
#include "fp_operands.h"

#include <string.h>

#define SIGN 0x80000000u
enum { FRACTION_BITS = 23, BIAS = 127 };

struct fp_random fp_random_seed(uint64_t seed) {
  return (struct fp_random){seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
}

static uint32_t bits32(struct fp_random *random) {
  random->state ^= random->state >> 12;
  random->state ^= random->state << 25;
  random->state ^= random->state >> 27;
  return (uint32_t)(random->state * UINT64_C(0x2545F4914F6CDD1D) >> 32);
}

static uint32_t below(struct fp_random *random, uint32_t n) {
  return (uint32_t)((uint64_t)bits32(random) * n >> 32);
}
static int32_t around(struct fp_random *random, int32_t distance) {
  return (int32_t)below(random, 2 * (uint32_t)distance + 1) - distance;
}
static uint32_t sign(struct fp_random *random) { return bits32(random) & SIGN; }
static uint32_t clamp(int32_t x, int32_t least, int32_t largest) {
  return (uint32_t)(x < least ? least : x > largest ? largest : x);
}

static uint32_t to_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float to_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// ---- single operands ----

// All zeros, all ones, one bit, a run of ones at either end, or anything.
static uint32_t fraction(struct fp_random *random) {
  uint32_t mask = (1u << FRACTION_BITS) - 1, n = below(random, FRACTION_BITS + 1);
  switch (below(random, 8)) {
    case 0: return 0;
    case 1: return mask;
    case 2: return 1u << below(random, FRACTION_BITS);
    case 3: return mask ^ 1u << below(random, FRACTION_BITS);
    case 4: return mask >> n;
    case 5: return mask & ~(mask >> n);
    default: return bits32(random) & mask;
  }
}

static uint32_t with_exponent(struct fp_random *random, int32_t biased) {
  return sign(random) | clamp(biased, 0, 254) << FRACTION_BITS | fraction(random);
}

static uint32_t subnormal(struct fp_random *random) {
  return sign(random) | ((bits32(random) & 0x7FFFFF) >> below(random, FRACTION_BITS)) | 1;
}

// A float next to 2^n, as far as n goes for integers of 33 bits; next to 0 too.
static uint32_t near_integer_power(struct fp_random *random) {
  uint32_t power = (BIAS - 2 + below(random, 36)) << FRACTION_BITS;
  return sign(random) | (power + (uint32_t)around(random, 3));
}

// An integer, and maybe a half or something next to that.
static uint32_t near_half_integer(struct fp_random *random) {
  float halves = (float)(bits32(random) >> (8 + below(random, 24)));
  return sign(random) | clamp((int32_t)to_bits(halves / 2) + around(random, 2), 0, 0x7F7FFFFF);
}

static uint32_t operand_of_any_kind(struct fp_random *random) {
  switch (below(random, 16)) {
    case 0: return sign(random);  // zero
    case 1: return subnormal(random);
    case 2:
      return sign(random) |
             (0x00800000u + (uint32_t)around(random, 3));  // next to the least normal number
    case 3: return sign(random) | (0x3F800000u + (uint32_t)around(random, 3));  // next to 1
    case 4: return with_exponent(random, 254 - (int32_t)below(random, 3));      // next to overflow
    case 5: return with_exponent(random, (int32_t)below(random, 26));           // next to underflow
    case 6: return sign(random) | 0x7F800000u;                                  // infinity
    case 7: return sign(random) | 0x7FC00000u | bits32(random) >> 10;           // quiet NaN
    case 8: return sign(random) | 0x7F800000u | (1 + below(random, 0x3FFFFF));  // signalling NaN
    case 9: return near_integer_power(random);
    case 10: return near_half_integer(random);
    case 11: return bits32(random);
    default: return with_exponent(random, BIAS + around(random, 30));
  }
}

// Finite and not 0: what a relation starts from.
static uint32_t number(struct fp_random *random) {
  switch (below(random, 8)) {
    case 0:
    case 1: return subnormal(random);
    case 2:
    case 3: return with_exponent(random, 1 + (int32_t)below(random, 254));
    case 4: return with_exponent(random, 254 - (int32_t)below(random, 2));
    default: return with_exponent(random, BIAS + around(random, 20));
  }
}

static uint32_t neighbour(struct fp_random *random, uint32_t bits, int32_t distance) {
  return (bits & SIGN) | clamp((int32_t)(bits & ~SIGN) + around(random, distance), 0, 0x7F800000);
}

// A number whose significand has n bits (1 .. 24), the last one set.
static uint32_t short_number(struct fp_random *random, uint32_t n, int32_t biased) {
  uint32_t significand =
      (1u << (n - 1)) | 1u | (n > 1 ? bits32(random) & ((1u << (n - 1)) - 1) : 0);
  uint32_t top = significand << (24 - n) & 0x7FFFFF;
  return sign(random) | clamp(biased, 1, 254) << FRACTION_BITS | top;
}

// ---- operands that belong together ----

// The second one is half a unit of the first one's last place or next to that, lies a given
// distance below, or cancels it.
static void addends(struct fp_random *random, uint32_t *a, uint32_t *b) {
  *a = number(random);
  int32_t exponent = (int32_t)(*a >> FRACTION_BITS & 0xFF);
  switch (below(random, 4)) {
    case 0: *b = neighbour(random, *a ^ sign(random), 3); break;
    case 1:
      *b = sign(random) | neighbour(random, clamp(exponent - 24, 0, 254) << FRACTION_BITS, 1);
      break;
    case 2: *b = with_exponent(random, exponent - (int32_t)below(random, 28)); break;
    default:
      *b = short_number(random, 1 + below(random, 12), exponent - (int32_t)below(random, 26));
      break;
  }
  if (below(random, 2)) {
    uint32_t first = *a;
    *a = *b;
    *b = first;
  }
}

// The product has 25 bits, so that it is a tie, or lies at one end of the range.
static void factors(struct fp_random *random, uint32_t *a, uint32_t *b) {
  uint32_t n = 2 + below(random, 22);
  int32_t exponent = 1 + (int32_t)below(random, 254), sum;
  switch (below(random, 4)) {
    case 0: sum = 2 * BIAS + around(random, 40); break;
    case 1: sum = 3 * BIAS + around(random, 3); break;     // overflow
    default: sum = BIAS - 12 + around(random, 14); break;  // underflow, subnormals
  }
  *a = short_number(random, n, exponent);
  *b = short_number(random, below(random, 4) ? 25 - n : 24, sum - exponent);
  if (below(random, 4) == 0) *b = neighbour(random, *b, 2);
}

// By a power of two, such that the last bit of the quotient is half the least subnormal: the only
// ties of a division are among those.
static void divide_to_tie(struct fp_random *random, uint32_t *a, uint32_t *b) {
  uint32_t n = 1 + below(random, 24);
  int32_t exponent = 1 + (int32_t)below(random, 103);
  *a = short_number(random, n, exponent);
  *b = short_number(random, 1, exponent + 151 - (int32_t)n);
  if (below(random, 4) == 0) *a = neighbour(random, *a, 1);
}

// a = q * b or next to it; q has few bits, so that the division is exact, also at the ends of the
// range.
static void dividends(struct fp_random *random, uint32_t *a, uint32_t *b) {
  uint32_t n = 1 + below(random, 23);
  *b = short_number(random, 25 - n, 1 + (int32_t)below(random, 254));
  int32_t exponent = (int32_t)(*b >> FRACTION_BITS & 0xFF);
  uint32_t q = short_number(
      random, n,
      below(random, 2) ? BIAS + around(random, 20) : BIAS - exponent + (int32_t)below(random, 28));
  *a = to_bits(to_float(*b) * to_float(q));
  if ((*a & ~SIGN) >= 0x7F800000u || below(random, 3) == 0)
    *a = neighbour(random, with_exponent(random, exponent - BIAS + around(random, 26)), 1);
  else if (below(random, 3) == 0)
    *a = neighbour(random, *a, 1);
  if (below(random, 8) == 0) *b = subnormal(random);
}

// A square, or next to one.
static uint32_t square(struct fp_random *random) {
  float root =
      to_float(short_number(random, 1 + below(random, 13), 64 + (int32_t)below(random, 127)));
  return neighbour(random, to_bits(root * root), (int32_t)below(random, 2)) ^
         (below(random, 16) ? 0 : SIGN);
}

// The addend cancels the product, is half a unit of its last place, the product is half a unit of
// the addend's last place, or they are far apart.
static void fused(struct fp_random *random, uint32_t operand[3]) {
  if (below(random, 2))
    factors(random, &operand[0], &operand[1]);
  else {
    operand[0] = number(random);
    operand[1] = with_exponent(
        random, 2 * BIAS - (int32_t)(operand[0] >> FRACTION_BITS & 0xFF) + around(random, 20));
  }
  uint32_t product = to_bits(to_float(operand[0]) * to_float(operand[1]));
  if ((product & ~SIGN) >= 0x7F800000u) product = 0x7F7FFFFFu;
  int32_t exponent = (int32_t)(product >> FRACTION_BITS & 0xFF);
  switch (below(random, 6)) {
    case 0:
    case 1: operand[2] = neighbour(random, product ^ sign(random), 2); break;
    case 2:
      operand[2] =
          sign(random) | neighbour(random, clamp(exponent - 24, 0, 254) << FRACTION_BITS, 1);
      break;
    case 3: operand[2] = short_number(random, 24, exponent + 24 + around(random, 1)); break;
    case 4: operand[2] = with_exponent(random, exponent + around(random, 52)); break;
    default: operand[2] = operand_of_any_kind(random); break;
  }
}

// An integer whose bits below the 24 that a float has are a tie or next to one.
static uint32_t integer(struct fp_random *random) {
  uint32_t n = below(random, 33),
           value = n == 32 ? bits32(random) : bits32(random) & ((1u << n) - 1);
  uint32_t top = 31 - (uint32_t)__builtin_clz(value | 1);
  if (top > 23 && below(random, 2)) {
    uint32_t half = 1u << (top - 24);
    value = ((value & ~(2 * half - 1)) | half) + (uint32_t)around(random, 1);
  }
  if (below(random, 8) == 0) value = (1u << below(random, 32)) + (uint32_t)around(random, 1);
  return below(random, 2) ? value : 0u - value;
}

static void related(struct fp_random *random, enum fp_op op, uint32_t operand[3]) {
  switch (op) {
    case FP_ADD:
    case FP_SUB: addends(random, &operand[0], &operand[1]); break;
    case FP_MUL: factors(random, &operand[0], &operand[1]); break;
    case FP_DIV:
      (below(random, 5) ? dividends : divide_to_tie)(random, &operand[0], &operand[1]);
      break;
    case FP_SQRT: operand[0] = square(random); break;
    case FP_CVT_W_S:
    case FP_CVT_WU_S:
      operand[0] = below(random, 2) ? near_half_integer(random) : near_integer_power(random);
      break;
    case FP_MADD:
    case FP_MSUB:
    case FP_NMSUB:
    case FP_NMADD: fused(random, operand); break;
    default:
      operand[1] = neighbour(random, operand[0] ^ sign(random), 1);
      break;  // comparisons: equal, or nearly
  }
}

void fp_operands(struct fp_random *random, enum fp_op op, uint32_t operand[3]) {
  for (uint32_t i = 0; i < 3; i++) operand[i] = operand_of_any_kind(random);
  if (op == FP_CVT_S_W || op == FP_CVT_S_WU)
    operand[0] = below(random, 8) ? integer(random) : bits32(random);
  else if (below(random, 3))
    related(random, op, operand);
}
