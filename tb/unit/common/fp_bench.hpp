// SPDX-License-Identifier: Apache-2.0
// Benches of floating-point units: operands and results of the reference (tb/fp), TAP for each
// operation and rounding mode.
//   run [seed [operands [shard shards]]]   of the operands, which are so many for each operation
//   and mode, one shard
#ifndef QSM_FP_BENCH_H
#define QSM_FP_BENCH_H

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "fp_operands.h"

namespace qsm_unit {

constexpr uint64_t kFpOperands = 100000;

struct FpCase {
  fp_op op;
  fp_rm rm;
  uint32_t operand[3];
  uint32_t expected;
};

class FpBench {
 public:
  FpBench(int argc, char **argv) : ref_(fp_ref_create()) {
    if (argc > 1) seed_ = std::strtoull(argv[1], nullptr, 0);
    if (argc > 2) n_ = std::strtoull(argv[2], nullptr, 0);
    if (argc > 4)
      n_ = (n_ + std::strtoull(argv[4], nullptr, 0) - 1) / std::strtoull(argv[4], nullptr, 0);
    if (argc > 3) seed_ += std::strtoull(argv[3], nullptr, 0) << 32;
    std::printf("# seed %" PRIu64 ", %" PRIu64 " operands each; replay: %s %" PRIu64 " %" PRIu64
                "\n",
                seed_, n_, argv[0], seed_, n_);
  }
  ~FpBench() { fp_ref_destroy(ref_); }

  uint64_t n_operands() const { return n_; }

  void begin(fp_op op, fp_rm rm) {
    random_ =
        fp_random_seed(seed_ * FP_N_OPS * FP_N_MODES + static_cast<uint64_t>(op) * FP_N_MODES + rm);
    op_ = op;
    rm_ = rm;
    n_wrong_ = 0;
  }
  FpCase next() {
    FpCase next = {op_, rm_, {0, 0, 0}, 0};
    fp_operands(&random_, op_, next.operand);
    next.expected =
        fp_ref_compute(ref_, op_, rm_, next.operand[0], next.operand[1], next.operand[2]);
    return next;
  }
  // Another instruction, of any of the operations, for its neighbours to be mixed up with.
  FpCase other(std::initializer_list<fp_op> ops) {
    FpCase other = {*(ops.begin() + n_others_ % ops.size()),
                    static_cast<fp_rm>(n_others_ / ops.size() % FP_N_MODES),
                    {0, 0, 0},
                    0};
    n_others_++;
    fp_operands(&random_, other.op, other.operand);
    other.expected = fp_ref_compute(ref_, other.op, other.rm, other.operand[0], other.operand[1],
                                    other.operand[2]);
    return other;
  }
  void check(const FpCase &that, uint32_t result) {
    if (result == that.expected) return;
    if (n_wrong_++ < 4) {
      std::printf("# %s rm %d of %08x %08x %08x: %08x, not %08x\n", fp_op_info[that.op].mnemonic,
                  that.rm, that.operand[0], that.operand[1], that.operand[2], result,
                  that.expected);
    }
  }
  void end() {
    static const char *const modes[] = {"rne", "rtz", "rdn", "rup", "rmm"};
    std::printf("%sok %u - %s%s%s: %" PRIu64 " operands, %" PRIu64 " failures\n",
                n_wrong_ ? "not " : "", ++n_done_, fp_op_info[op_].mnemonic,
                fp_op_info[op_].rounds ? " " : "", fp_op_info[op_].rounds ? modes[rm_] : "", n_,
                n_wrong_);
    failed_ |= n_wrong_ != 0;
  }
  void expect(bool holds, const char *what) {
    std::printf("%sok %u - %s\n", holds ? "" : "not ", ++n_done_, what);
    failed_ |= !holds;
  }
  int finish() {
    std::printf("1..%u\n", n_done_);
    return failed_;
  }

  // Each operation in each mode that makes a difference.
  template <class F>
  void each(std::initializer_list<fp_op> ops, F run) {
    for (fp_op op : ops) {
      for (int rm = 0; rm < (fp_op_info[op].rounds ? FP_N_MODES : 1); rm++) {
        begin(op, static_cast<fp_rm>(rm));
        run();
        end();
      }
    }
  }

 private:
  fp_ref *ref_;
  uint64_t seed_ = 1, n_ = kFpOperands;
  fp_random random_ = {};
  fp_op op_ = FP_ADD;
  fp_rm rm_ = FP_RNE;
  uint64_t n_wrong_ = 0, n_others_ = 0;
  unsigned n_done_ = 0;
  bool failed_ = false;
};

// The instruction; the tops of the benches decode it.
inline uint32_t fp_word(const FpCase &that, uint32_t rd = 1) {
  return fp_encode(that.op, that.rm, rd, 2, 3, 4);
}

}  // namespace qsm_unit

#endif
