// SPDX-License-Identifier: Apache-2.0
// Unit test of the FMA unit, one lane, against the reference (docs/fpu.md I-FP-2 to -4, R-FP-1,
// R-FP-7): an instruction per cycle, with gaps and others between, some of them to x0. Output: TAP.
#include <deque>

#include "../common/fp_bench.hpp"
#include "../common/qsm_unit.h"
#include "Vbench_fp_fma.h"

namespace {

constexpr uint64_t kLatency = 4;  // EX1 to F5

const auto kOps = {FP_ADD,   FP_SUB,     FP_MUL,      FP_MADD,    FP_MSUB,    FP_NMSUB,
                   FP_NMADD, FP_CVT_W_S, FP_CVT_WU_S, FP_CVT_S_W, FP_CVT_S_WU};

struct Flying {
  uint64_t cycle;
  qsm_unit::FpCase what;
};

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::FpBench bench(argc, argv);
  qsm_unit::begin_with_anything();
  Vbench_fp_fma top;
  top.valid_i = 0;
  top.clk_i = 0;
  top.rst_ni = 0;
  top.eval();
  top.clk_i = 1;
  top.eval();
  top.clk_i = 0;
  top.rst_ni = 1;

  uint64_t cycle = 0, n_late = 0;
  std::deque<Flying> flying;
  // One cycle, with an instruction or without.
  auto step = [&](const qsm_unit::FpCase *next, uint32_t rd = 1) {
    top.valid_i = next != nullptr;
    top.instr_i = next ? qsm_unit::fp_word(*next, rd) : qsm_unit::noise(1u << 31);
    top.a_i = next ? next->operand[0] : qsm_unit::noise(1u << 31);
    top.b_i = next ? next->operand[1] : qsm_unit::noise(1u << 31);
    top.c_i = next ? next->operand[2] : qsm_unit::noise(1u << 31);
    if (next && rd != 0) flying.push_back({cycle, *next});
    top.eval();
    const bool due = !flying.empty() && flying.front().cycle + kLatency == cycle;
    n_late += due != (top.valid_o != 0);
    if (due) {
      bench.check(flying.front().what, top.result_o);
      flying.pop_front();
    }
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    cycle++;
  };

  bench.each(kOps, [&] {
    for (uint64_t i = 0; i < bench.n_operands(); i++) {
      const qsm_unit::FpCase next = bench.next();
      step(&next);
      while (qsm_unit::noise(4) == 0) step(nullptr);
      if (qsm_unit::noise(16) == 0) {
        const qsm_unit::FpCase other = bench.other(kOps);
        step(&other, qsm_unit::noise(64) / 32);
      }
    }
    while (!flying.empty()) step(nullptr);
  });
  bench.expect(n_late == 0, "every result comes four cycles after its operands, and none else");
  return bench.finish();
}
