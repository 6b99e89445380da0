// SPDX-License-Identifier: Apache-2.0
// Unit test of qsm_fp_div against the reference (docs/fpu.md I-FP-2, -3, R-FP-6, R-FP-8): all lanes
// with operands of their own, the result in its cycle and kept until it is taken. Output: TAP.
#include "../common/fp_bench.hpp"
#include "../common/qsm_unit.h"
#include "Vbench_fp_div.h"

namespace {

constexpr unsigned kLanes = 4, kLatency = 32;  // EX1 (t+2) to t+34

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::FpBench bench(argc, argv);
  qsm_unit::begin_with_anything();
  Vbench_fp_div top;
  auto tick = [&] {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  };
  top.clk_i = top.start_i = top.pop_i = 0;
  top.rst_ni = 0;
  top.eval();
  tick();
  top.rst_ni = 1;

  uint64_t n_wrong_time = 0, n_wrong_tag = 0, n_lost = 0;
  for (unsigned c = 0; c < 2 * kLatency; c++) {  // nothing was started
    n_wrong_time += top.ready_o;
    tick();
  }
  bench.each({FP_DIV, FP_SQRT}, [&] {
    for (uint64_t i = 0; i < bench.n_operands(); i += kLanes) {
      qsm_unit::FpCase next[kLanes];
      for (unsigned l = 0; l < kLanes; l++) {
        next[l] = bench.next();
        qsm_unit::set(top.a_i, l, 32, next[l].operand[0]);
        qsm_unit::set(top.b_i, l, 32, next[l].operand[1]);
      }
      const uint8_t tag = static_cast<uint8_t>(qsm_unit::noise(32));
      top.instr_i = qsm_unit::fp_word(next[0]);
      top.tag_i = tag;
      top.start_i = 1;
      tick();
      top.start_i = 0;
      for (unsigned l = 0; l < kLanes; l++) {
        qsm_unit::set(top.a_i, l, 32, qsm_unit::noise(1u << 31));
        qsm_unit::set(top.b_i, l, 32, qsm_unit::noise(1u << 31));
      }
      top.instr_i = qsm_unit::noise(1u << 31);
      top.tag_i = static_cast<uint8_t>(qsm_unit::noise(256));
      for (unsigned c = 1; c < kLatency; c++) {
        n_wrong_time += top.ready_o;
        tick();
      }
      n_wrong_time += !top.ready_o;
      n_wrong_tag += top.tag_o != tag;
      for (unsigned waits = qsm_unit::noise(3); waits > 0; waits--) {
        tick();
        n_lost += !top.ready_o;
      }
      for (unsigned l = 0; l < kLanes; l++)
        bench.check(next[l], static_cast<uint32_t>(qsm_unit::get(top.data_o, l, 32)));
      top.pop_i = 1;
      tick();
      top.pop_i = 0;
      n_lost += top.ready_o;
    }
  });
  bench.expect(n_wrong_time == 0, "ready 34 cycles after the issue, not before");
  bench.expect(n_wrong_tag == 0, "the result goes to its register");
  bench.expect(n_lost == 0, "ready until the result is taken, no longer");
  return bench.finish();
}
