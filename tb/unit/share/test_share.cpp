// SPDX-License-Identifier: Apache-2.0
// What kernels without a goal have under way in memory (qsm_share): R-PA-19 of docs/guarantee.md.
// The reference is a list of their instructions, each with its transactions.
#include <vector>

#include "Vqsm_share.h"
#include "Vqsm_share___024root.h"

#include "../common/qsm_unit.h"

namespace {

constexpr unsigned kSched = NUM_SCHED, kInsns = INSNS, kTxns = TXNS, kLimit = LIMIT;
constexpr unsigned kAllKernels = (1u << NUM_KERNELS) - 1;
constexpr unsigned kWeight = WARP_SIZE == 2 ? 1 : WARP_SIZE == 4 ? 2 : 4;  // min(4, WarpSize / 2)

struct Insn {
  bool finished = false;
  unsigned txns = 0;
};

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : tap_(tap) {
    top.rst_ni = 0;
    top.issued_i = static_cast<uint8_t>((1u << kSched) - 1);  // that a reset must undo
    top.finish_i = 0;
    top.take_i = 1;
    top.serve_i = 0;
    top.qos_i = kAllKernels;
    clock();
    top.rst_ni = 1;
  }

  // One cycle with what happens in it; outputs and the counter against the reference at its start.
  void cycle(unsigned issued, bool finish = false, bool take = false, bool serve = false,
             unsigned qos = 0) {
    top.issued_i = static_cast<uint8_t>(issued);
    top.finish_i = finish;
    top.take_i = take;
    top.serve_i = serve;
    top.qos_i = static_cast<uint8_t>(qos);
    top.eval();
    const unsigned want = away();
    const auto got = static_cast<unsigned>(top.rootp->qsm_share__DOT__away_q);
    tap_.expect(got == want, "cycle %u: away is %u, not %u", n_, got, want);
    tap_.expect(top.full_o == (kLimit != 0 && want >= kLimit), "cycle %u: full is %u with %u", n_,
                top.full_o, want);
    tap_.expect(top.qos_was_o == qos_was_, "cycle %u: goals of the cycle before are %x, not %x", n_,
                top.qos_was_o, qos_was_);
    follow(issued, finish, take, serve);
    qos_was_ = qos;
    clock();
    n_++;
  }

  unsigned away() const {
    unsigned sum = 0;
    for (const Insn &insn : insns) sum += (insn.finished ? 0 : kWeight) + insn.txns;
    return sum;
  }
  unsigned unfinished() const {
    unsigned n = 0;
    for (const Insn &insn : insns) n += !insn.finished;
    return n;
  }
  unsigned txns() const {
    unsigned n = 0;
    for (const Insn &insn : insns) n += insn.txns;
    return n;
  }
  bool full() const { return kLimit != 0 && away() >= kLimit; }

  Vqsm_share top;
  std::vector<Insn> insns;  // in the order of their issue, until nothing is left of them

 private:
  // Instructions pass C in order; transactions end in any.
  void follow(unsigned issued, bool finish, bool take, bool serve) {
    if (serve) {
      size_t i = n_ % insns.size();
      while (insns[i].txns == 0) i = (i + 1) % insns.size();
      insns[i].txns--;
    }
    for (Insn &insn : insns) {
      if (insn.finished) continue;
      insn.txns += take;
      insn.finished = finish;
      break;
    }
    for (unsigned s = 0; s < kSched; s++)
      if (issued >> s & 1) insns.push_back(Insn{});
    std::vector<Insn> left;
    for (const Insn &insn : insns)
      if (!insn.finished || insn.txns != 0) left.push_back(insn);
    insns = left;
  }
  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
  unsigned n_ = 0, qos_was_ = 0;
};

void test_rows(qsm_unit::Tap &tap) {
  Bench b(tap);
  const auto is = [&](unsigned want, const char *what) {
    b.cycle(0);
    tap.expect(b.away() == want, "%s: %u", what, b.away());
  };
  for (unsigned s = 0; s < kSched; s++) {
    b.cycle(1u << s);
    is(kWeight, "after an issue");
    b.cycle(0, false, true);
    is(kWeight + 1, "after its first transaction");
    b.cycle(0, true, true);
    is(2, "when it is finished with the second");
    b.cycle(0, false, false, true);
    is(1, "when one is served");
    b.cycle(0, false, false, true);
    is(0, "when both are");
  }
  b.cycle(1);
  b.cycle(1, true, true);  // one issues while the one before finishes
  is(kWeight + 1, "two in turn");
  b.cycle(0, true, true, true);
  is(1, "all but an issue in one cycle");
  b.cycle(0, false, false, true);
  is(0, "the last is served");
  b.cycle(1);
  b.cycle(0, true);
  is(0, "shared memory only: without a transaction");
  tap.done("R-PA-19: each row of the table changes away by what it says");
}

void test_full(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.cycle(1);
  for (unsigned n = 0; n < kTxns; n++) {
    b.cycle(0, false, true);
    b.cycle(0);
    tap.expect(b.top.full_o == (kLimit != 0 && kWeight + n + 1 >= kLimit), "full with %u of %u",
               kWeight + n + 1, kLimit);
  }
  b.cycle(0, true);
  for (unsigned n = kTxns; n-- > 0;) {
    b.cycle(0, false, false, true);
    b.cycle(0);
    tap.expect(b.top.full_o == (kLimit != 0 && n >= kLimit), "full with %u of %u", n, kLimit);
  }
  tap.done("R-PA-19: full from the limit on, never without one");
}

void test_most(qsm_unit::Tap &tap) {
  Bench b(tap);
  for (unsigned n = 0; n < kTxns; n++) {
    if (b.unfinished() == 0) b.cycle(1);
    b.cycle(0, n % 3 == 2, true);
  }
  while (b.unfinished() < kInsns) b.cycle(1);
  b.cycle(0);
  tap.expect(b.away() == kWeight * kInsns + kTxns, "%u of %u", b.away(), kWeight * kInsns + kTxns);
  tap.done("R-PA-19: away holds all that can be under way");
}

void test_goals(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  for (unsigned n = 0; n < 200; n++) b.cycle(0, false, false, false, random.bits32() & kAllKernels);
  tap.done("R-PA-19: goals are told as they were in the cycle before");
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  unsigned n_full = 0, n_empty = 0;
  for (unsigned n = 0; n < 100000 && !tap.failed(); n++) {
    const bool fills = n / 500 % 2 == 0;
    unsigned issued = 0;
    for (unsigned s = 0, room = kInsns - b.unfinished(); s < kSched && room != 0; s++) {
      if (!random.one_in(fills ? 2 : 8)) continue;
      issued |= 1u << s;
      room--;
    }
    const bool in_c = b.unfinished() != 0;
    const bool take = in_c && b.txns() < kTxns && random.one_in(fills ? 2 : 6);
    b.cycle(issued, in_c && random.one_in(fills ? 6 : 2), take,
            b.txns() != 0 && random.one_in(fills ? 6 : 2), random.bits32() & kAllKernels);
    n_full += b.full();
    n_empty += b.away() == 0;
  }
  tap.expect((kLimit == 0 || n_full > 1000) && n_empty > 100, "%u cycles full, %u empty", n_full,
             n_empty);
  tap.done("R-PA-19: 100,000 random cycles equal the reference");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, argv[0]);
  qsm_unit::Tap tap(5);
  qsm_unit::begin_with_anything();
  test_rows(tap);
  test_full(tap);
  test_most(tap);
  test_goals(tap, random);
  test_random(tap, random);
  return tap.exit_code();
}
