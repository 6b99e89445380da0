// SPDX-License-Identifier: Apache-2.0
// Unit test of qsm_div against C++ (docs/subcore.md R-EX-3, RV32M): operands of their own in every
// lane, any mask, a result that waits. Output: TAP.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "../common/qsm_unit.h"
#include "Vbench_div.h"
#include "qsm_parameters.h"

namespace {

constexpr unsigned kGroup = DIV_LANES ? DIV_LANES : WARP_SIZE;
constexpr unsigned kDivisions = 20000;

uint32_t quotient(unsigned funct, uint32_t a, uint32_t b) {
  const bool overflow = a == 0x80000000u && b == ~0u;
  switch (funct) {
    case 0: return b == 0 ? ~0u : overflow ? a : uint32_t(int32_t(a) / int32_t(b));
    case 1: return b == 0 ? ~0u : a / b;
    case 2: return b == 0 ? a : overflow ? 0 : uint32_t(int32_t(a) % int32_t(b));
    default: return b == 0 ? a : a % b;
  }
}

// Cycles from EX1 (t+2) to the first in which the result is ready.
unsigned latency(uint32_t mask, const uint32_t *a, const uint32_t *b) {
  if (kGroup == WARP_SIZE) return 38 - 2;
  unsigned turns = 0;
  for (unsigned g = 0; g < WARP_SIZE; g += kGroup) {
    bool takes = false, is_long = false;
    for (unsigned l = g; l < g + kGroup; l++) {
      takes |= mask >> l & 1;
      is_long |= (mask >> l & 1) && (a[l] > 0xFFFF || b[l] == 0);
    }
    turns += !takes ? 0 : is_long ? 19 : 11;
  }
  return 5 + turns - 2;
}

}  // namespace

int main(int argc, char **argv) {
  const uint32_t seed = argc > 1 ? static_cast<uint32_t>(strtoul(argv[1], nullptr, 0)) : 1;
  std::mt19937 rng(seed);
  auto operand = [&]() -> uint32_t {
    const uint32_t corners[] = {0, 1, 2, ~0u, 0x80000000u, 0x7FFFFFFFu};
    const uint32_t x = rng();
    return x % 4 == 0 ? corners[x / 4 % 6] : uint32_t(int32_t(rng()) >> (x / 4 % 32));
  };
  qsm_unit::begin_with_anything();
  Vbench_div top;
  auto tick = [&] {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  };
  top.clk_i = top.start_i = top.pop_i = top.next_i = 0;
  top.rst_ni = 0;
  top.eval();
  tick();
  top.rst_ni = 1;

  uint64_t n_wrong_time = 0, n_wrong_tag = 0, n_wrong = 0, n_leaks = 0;
  for (unsigned c = 0; c < 200; c++) {  // nothing was started
    top.next_i = rng() & 1;
    n_wrong_time += top.ready_o;
    tick();
  }
  for (unsigned i = 0; i < kDivisions; i++) {
    uint32_t a[WARP_SIZE], b[WARP_SIZE];
    const uint32_t mask = 1 + rng() % ((1u << WARP_SIZE) - 1), tag = rng() & 31, funct = rng() & 3;
    for (unsigned l = 0; l < WARP_SIZE; l++) {
      qsm_unit::set(top.a_i, l, 32, a[l] = operand());
      qsm_unit::set(top.b_i, l, 32, b[l] = operand());
    }
    top.mask_i = static_cast<uint8_t>(mask);
    top.tag_i = static_cast<uint8_t>(tag);
    top.funct_i = static_cast<uint8_t>(funct);
    top.start_i = 1;
    auto step = [&] {  // everything else may change meanwhile
      const bool pops = top.next_i;
      tick();
      top.start_i = 0;
      for (unsigned l = 0; l < WARP_SIZE; l++) {
        qsm_unit::set(top.a_i, l, 32, rng());
        qsm_unit::set(top.b_i, l, 32, rng());
      }
      top.mask_i = static_cast<uint8_t>(1 + rng() % ((1u << WARP_SIZE) - 1));
      top.tag_i = rng() & 31;
      top.funct_i = rng() & 3;
      top.next_i = rng() & 1;
      top.pop_i = top.ready_o && pops;
      top.eval();
    };
    top.next_i = rng() & 1;
    step();
    for (unsigned c = 1; c < latency(mask, a, b); c++) {
      n_wrong_time += top.ready_o;
      for (unsigned l = 0; l < WARP_SIZE; l++) n_leaks += qsm_unit::get(top.data_o, l, 32) != 0;
      step();
    }
    while (!top.pop_i) {
      n_wrong_time += !top.ready_o;
      for (unsigned l = 0; l < WARP_SIZE; l++) n_leaks += qsm_unit::get(top.data_o, l, 32) != 0;
      if (!top.ready_o) break;
      step();
    }
    n_wrong_time += !top.ready_o;
    n_wrong_tag += top.tag_o != tag || top.mask_o != mask;
    for (unsigned l = 0; l < WARP_SIZE; l++) {
      const uint32_t want = mask >> l & 1 ? quotient(funct, a[l], b[l]) : 0;
      n_wrong += qsm_unit::get(top.data_o, l, 32) != want;
    }
    step();
    n_wrong_time += top.ready_o;
    for (unsigned l = 0; l < WARP_SIZE; l++) n_leaks += qsm_unit::get(top.data_o, l, 32) != 0;
    top.pop_i = 0;
  }
  unsigned n = 0;
  auto report = [&](uint64_t wrong, const char *what) {
    printf("%sok %u - %s\n", wrong ? "not " : "", ++n, what);
    if (wrong) printf("# %llu times not, seed %u\n", static_cast<unsigned long long>(wrong), seed);
    return wrong != 0;
  };
  bool failed = report(n_wrong, "div, divu, rem, remu of every lane of the mask (I-ISA-4)");
  failed |= report(
      n_wrong_time,
      "ready after a turn of each group with a lane of the mask, a shorter one of short dividends, "
      "until it is popped (R-EX-3)");
  failed |= report(n_wrong_tag, "the result goes to its register, with its mask");
  failed |= report(n_leaks, "nothing leaves but in the cycle of the pop");
  printf("1..%u\n", n);
  return failed;
}
