// SPDX-License-Identifier: Apache-2.0
// The functions that clang calls without being asked: block copies and 64-bit division. Linked into
// every program; what is not used is dropped.
#include <stddef.h>
#include <stdint.h>

// Keeps the compiler from turning these loops into calls of the functions that they define.
#define NO_BUILTIN __attribute__((no_builtin))

NO_BUILTIN void *memcpy(void *restrict to, const void *restrict from, size_t n_bytes) {
  uint8_t *t = to;
  const uint8_t *f = from;
  if ((((uintptr_t)t | (uintptr_t)f) & 3u) == 0) {
    for (; n_bytes >= 4; n_bytes -= 4, t += 4, f += 4) *(uint32_t *)t = *(const uint32_t *)f;
  }
  while (n_bytes-- > 0) *t++ = *f++;
  return to;
}

NO_BUILTIN void *memmove(void *to, const void *from, size_t n_bytes) {
  uint8_t *t = to;
  const uint8_t *f = from;
  if (t <= f) {
    for (size_t i = 0; i < n_bytes; i++) t[i] = f[i];
  } else {
    for (size_t i = n_bytes; i > 0; i--) t[i - 1] = f[i - 1];
  }
  return to;
}

NO_BUILTIN void *memset(void *to, int byte, size_t n_bytes) {
  uint8_t *t = to;
  while (n_bytes-- > 0) *t++ = (uint8_t)byte;
  return to;
}

NO_BUILTIN int memcmp(const void *a, const void *b, size_t n_bytes) {
  const uint8_t *x = a, *y = b;
  for (size_t i = 0; i < n_bytes; i++) {
    if (x[i] != y[i]) return x[i] - y[i];
  }
  return 0;
}

// Shift-and-subtract division. By zero it gives what RISC-V's divu and remu give: all ones, and the
// dividend.
static uint64_t divide(uint64_t dividend, uint64_t divisor, uint64_t *remainder) {
  uint64_t quotient = 0, rest = 0;
  for (int bit = 63; bit >= 0; bit--) {
    uint64_t carry = rest >> 63;
    rest = rest << 1 | (dividend >> bit & 1);
    if (carry || rest >= divisor) {
      rest -= divisor;
      quotient |= 1ull << bit;
    }
  }
  *remainder = rest;
  return quotient;
}

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor) {
  uint64_t remainder;
  return divide(dividend, divisor, &remainder);
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor) {
  uint64_t remainder;
  divide(dividend, divisor, &remainder);
  return remainder;
}

static uint64_t magnitude(int64_t value) {
  return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

int64_t __divdi3(int64_t dividend, int64_t divisor) {
  uint64_t quotient = __udivdi3(magnitude(dividend), magnitude(divisor));
  return (int64_t)((dividend < 0) != (divisor < 0) && divisor != 0 ? 0 - quotient : quotient);
}

int64_t __moddi3(int64_t dividend, int64_t divisor) {
  uint64_t remainder = __umoddi3(magnitude(dividend), magnitude(divisor));
  return (int64_t)(dividend < 0 ? 0 - remainder : remainder);
}
