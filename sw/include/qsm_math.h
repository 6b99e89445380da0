// SPDX-License-Identifier: Apache-2.0
// Elementary functions in single precision, for kernels and for the host that checks them. Each is
// a fixed sequence of IEEE operations (+, -, *, /, fmaf, sqrtf, conversions), so device and host
// give the same bits, as long as the compiler does not contract products and sums by itself
// (-ffp-contract=off).
//
// Greatest error in units in the last place of the result, as tb/sw/test_math.c asks for it:
// qsm_exp 1.25, qsm_log 1.25, qsm_rsqrt 1.6; qsm_sin and qsm_cos, for |x| up to 2^15, 1.75 where
// the result is at least 2^-10 and otherwise an absolute 2^-33. Arguments of qsm_log and qsm_rsqrt,
// results of qsm_exp: normal numbers, zero, infinity.
#ifndef QSM_MATH_H
#define QSM_MATH_H

#ifdef __riscv
#include <qsm.h>
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#else
#include <math.h>
#endif

static inline float qsm_from_bits(unsigned bits) {
  union {
    unsigned bits;
    float value;
  } u = {.bits = bits};
  return u.value;
}

static inline unsigned qsm_to_bits(float value) {
  union {
    float value;
    unsigned bits;
  } u = {.value = value};
  return u.bits;
}

// The nearest integer, halves away from zero. |x| < 2^31.
static inline int qsm_round(float x) { return (int)(x + copysignf(0.5f, x)); }

// 2^n for n in -126 .. 127.
static inline float qsm_power_of_two(int n) { return qsm_from_bits((unsigned)(n + 127) << 23); }

static inline float qsm_rsqrt(float x) { return 1.0f / sqrtf(x); }

// e^x = 2^n e^r with |r| <= ln 2 / 2; e^r by its series to r^7. The product with 2^n is made in two
// steps, as n may lie beyond the exponents of a normal number.
static inline float qsm_exp(float x) {
  if (x > 89.0f) return INFINITY;
  if (x < -104.0f) return 0.0f;
  int n = qsm_round(x * 1.44269504f);
  float r = fmaf((float)-n, 0.693145752f, x);
  r = fmaf((float)-n, 1.42860677e-6f, r);
  float p = 1.98412698e-4f;
  p = fmaf(p, r, 1.38888889e-3f);
  p = fmaf(p, r, 8.33333333e-3f);
  p = fmaf(p, r, 4.16666667e-2f);
  p = fmaf(p, r, 1.66666667e-1f);
  p = fmaf(p, r, 0.5f);
  p = fmaf(p * r, r, r) + 1.0f;
  int half = n / 2;
  return p * qsm_power_of_two(half) * qsm_power_of_two(n - half);
}

// ln x of a positive normal x = 2^n m, sqrt(1/2) <= m < sqrt(2): with s = (m - 1) / (m + 1), ln m =
// 2 s + 2 s^3 / 3 + ...
static inline float qsm_log(float x) {
  if (x == 0.0f) return -INFINITY;
  if (!(x > 0.0f)) return NAN;
  if (x == INFINITY) return x;
  unsigned bits = qsm_to_bits(x) - 0x3F3504F3u;  // sqrt(1/2)
  int n = (int)bits >> 23;
  float f = qsm_from_bits((bits & 0x7FFFFF) + 0x3F3504F3u) - 1.0f;
  float s = f / (2.0f + f), z = s * s;
  float p = 0.2222222222f;
  p = fmaf(p, z, 0.2857142857f);
  p = fmaf(p, z, 0.4f);
  p = fmaf(p, z, 0.6666666667f);
  // 2 s = f - s f: the leading term is then f itself, which is exact.
  float small = fmaf(s, p * z, -s * f);
  return fmaf((float)n, 0.693145752f, fmaf((float)n, 1.42860677e-6f, small) + f);
}

// sin and cos of r, |r| <= pi / 4, by their series.
static inline float qsm_sin_small(float r) {
  float z = r * r, p = 2.75573192e-6f;
  p = fmaf(p, z, -1.98412698e-4f);
  p = fmaf(p, z, 8.33333333e-3f);
  p = fmaf(p, z, -1.66666667e-1f);
  return fmaf(p * z, r, r);
}

static inline float qsm_cos_small(float r) {
  float z = r * r, p = -2.75573192e-7f;
  p = fmaf(p, z, 2.48015873e-5f);
  p = fmaf(p, z, -1.38888889e-3f);
  p = fmaf(p, z, 4.16666667e-2f);
  return fmaf(p * z, z, fmaf(-0.5f, z, 1.0f));
}

// x - n pi / 2, pi / 2 in three parts (Cody and Waite); *n as the quadrant.
static inline float qsm_reduce(float x, int *n) {
  *n = qsm_round(x * 0.636619772f);
  float r = fmaf((float)-*n, 1.57079601f, x);
  r = fmaf((float)-*n, 3.13916473e-7f, r);
  return fmaf((float)-*n, 5.39030253e-15f, r);
}

// sin r, cos r, -sin r or -cos r by the quadrant. Chosen by masks, as neighbouring threads would
// take different branches.
static inline float qsm_quadrant(float r, int n) {
  unsigned odd = 0u - ((unsigned)n & 1), sine = qsm_to_bits(qsm_sin_small(r)),
           cosine = qsm_to_bits(qsm_cos_small(r));
  return qsm_from_bits(((cosine & odd) | (sine & ~odd)) ^ ((unsigned)n & 2) << 30);
}

static inline float qsm_sin(float x) {
  int n;
  float r = qsm_reduce(x, &n);
  return qsm_quadrant(r, n);
}

static inline float qsm_cos(float x) {
  int n;
  float r = qsm_reduce(x, &n);
  return qsm_quadrant(r, n + 1);
}

#endif
