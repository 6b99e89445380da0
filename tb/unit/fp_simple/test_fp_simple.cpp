// SPDX-License-Identifier: Apache-2.0
// Unit test of qsm_fp_simple against the reference (docs/fpu.md I-FP-3). Output: TAP.
#include "../common/fp_bench.hpp"
#include "Vbench_fp_simple.h"

int main(int argc, char **argv) {
  qsm_unit::FpBench bench(argc, argv);
  Vbench_fp_simple top;
  bench.each({FP_SGNJ, FP_SGNJN, FP_SGNJX, FP_MIN, FP_MAX, FP_EQ, FP_LT, FP_LE, FP_CLASS}, [&] {
    for (uint64_t i = 0; i < bench.n_operands(); i++) {
      const qsm_unit::FpCase next = bench.next();
      top.instr_i = qsm_unit::fp_word(next);
      top.a_i = next.operand[0];
      top.b_i = next.operand[1];
      top.eval();
      bench.check(next, top.result_o);
    }
  });
  return bench.finish();
}
