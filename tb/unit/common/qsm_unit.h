// SPDX-License-Identifier: Apache-2.0
// Shared by the unit benches: bit fields of Verilator's ports of any width, TAP output, a seeded
// random source.
#ifndef QSM_UNIT_H
#define QSM_UNIT_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "qsm_parameters.h"  // of the target, see parameters.py
#include "verilated.h"

namespace qsm_unit {

// 32-bit word i of a port: Verilator has plain integers up to 64 bits, word arrays above.
template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
uint32_t word(const T &port, unsigned i) {
  return static_cast<uint32_t>(static_cast<uint64_t>(port) >> (32 * i));
}
template <std::size_t N>
uint32_t word(const VlWide<N> &port, unsigned i) {
  return port[i];
}

template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
void set_bit(T &port, unsigned bit, bool value) {
  const uint64_t one = uint64_t{1} << bit;
  port = static_cast<T>(value ? static_cast<uint64_t>(port) | one
                              : static_cast<uint64_t>(port) & ~one);
}
template <std::size_t N>
void set_bit(VlWide<N> &port, unsigned bit, bool value) {
  const uint32_t one = uint32_t{1} << (bit % 32);
  port[bit / 32] = value ? port[bit / 32] | one : port[bit / 32] & ~one;
}

// Element `index` of a packed array of `width`-bit elements (at most 64 bits each).
template <class P>
uint64_t get(const P &port, unsigned index, unsigned width) {
  uint64_t value = 0;
  for (unsigned b = 0; b < width; b++) {
    const unsigned bit = index * width + b;
    value |= static_cast<uint64_t>((word(port, bit / 32) >> (bit % 32)) & 1) << b;
  }
  return value;
}
template <class P>
void set(P &port, unsigned index, unsigned width, uint64_t value) {
  for (unsigned b = 0; b < width; b++) set_bit(port, index * width + b, (value >> b) & 1);
}

// Index width of n things; at least 1 bit.
constexpr unsigned index_bits(unsigned n) {
  unsigned bits = 1;
  while ((1u << bits) < n) bits++;
  return bits;
}

// One TAP line per test; the first failed expectation of a test is printed with it.
class Tap {
 public:
  explicit Tap(unsigned n_tests) { std::printf("1..%u\n", n_tests); }
  void expect(bool holds, const char *format, ...) __attribute__((format(printf, 3, 4))) {
    if (holds || failed_) return;
    failed_ = true;
    std::va_list args;
    va_start(args, format);
    std::vsnprintf(why_, sizeof why_, format, args);
    va_end(args);
  }
  bool failed() const { return failed_; }
  void done(const char *name) {
    std::printf("%s %u - %s\n", failed_ ? "not ok" : "ok", ++n_done_, name);
    if (failed_) std::printf("# %s\n", why_);
    all_ok_ = all_ok_ && !failed_;
    failed_ = false;
  }
  int exit_code() const { return all_ok_ ? 0 : 1; }

 private:
  unsigned n_done_ = 0;
  bool failed_ = false, all_ok_ = true;
  char why_[512] = "";
};

// xorshift64*; the seed is argv[1] (default 1) and is printed.
class Random {
 public:
  Random(int argc, char **argv, const char *bench)
      : state_(argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1) {
    std::printf("# seed %llu; replay: %s %llu\n", static_cast<unsigned long long>(state_), bench,
                static_cast<unsigned long long>(state_));
    state_ = state_ * 0x9E3779B97F4A7C15u + 1;
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(next() >> 33) % n; }
  bool one_in(uint32_t n) { return below(n) == 0; }
  uint32_t bits32() { return static_cast<uint32_t>(next() >> 32); }

 private:
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  uint64_t state_;
};

// Registers and inputs of what is made from now on hold anything until they are reset or set.
inline void begin_with_anything() { Verilated::randReset(2); }

// What stands beside a valid bit that is 0: a number below n, the same in every run.
inline uint32_t noise(uint32_t n) {
  static uint32_t state = 1;
  state = state * 1664525 + 1013904223;
  return (state >> 1) % n;
}

}  // namespace qsm_unit

#endif
