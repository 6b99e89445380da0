// SPDX-License-Identifier: Apache-2.0
// Quota gate and counters (qsm_quota): the rules of docs/quota_gate.md and docs/guarantee.md one by
// one, then at random.
// C itself is seen through snapshots, which every test takes where it matters, and through the
// gate.
#include <string>

#include "Vqsm_quota.h"
#include "Vqsm_quota___024root.h"

#include "../common/qsm_unit.h"
#include "quota_ref.h"

using qsm_unit::get;
using qsm_unit::noise;
using qsm_unit::set;

namespace {

constexpr unsigned kKernels = NUM_KERNELS, kSched = NUM_SCHED, kLanes = WARP_SIZE;
constexpr unsigned kKernelBits = qsm_unit::index_bits(kKernels),
                   kLaneBits = qsm_unit::index_bits(kLanes + 1);

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap)
      : in(kSched, kKernels), ref(kKernels, kSched, kLanes), tap_(tap) {
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  // One cycle with the inputs `in`, of which the pulses go down again; every output against the
  // reference.
  void cycle() {
    drive();
    top.eval();
    compare();
    const bool loading = ref.loads() >= 0, ends = in.load && QuotaRef::no_quotas(in.load_scheme);
    ref.step(in);
    compare_load(ends || (loading && ref.loads() < 0));
    clock();
    n_++;
    QuotaInputs next(kSched, kKernels);
    next.present = in.present;
    next.runnable = in.runnable;
    next.saving = in.saving;
    next.full = in.full;
    next.epoch_len = in.epoch_len;
    next.qos = in.qos;
    next.first_quota = in.first_quota;
    in = next;
  }

  void issue(unsigned sched, unsigned kernel, unsigned lanes) {
    in.issue_kernel[sched] = static_cast<int>(kernel);
    in.issue_lanes[sched] = lanes;
  }
  void word(unsigned k, int64_t quota, int64_t credit) {
    in.word = static_cast<int>(k);
    in.word_quota = quota;
    in.word_credit = credit;
    cycle();
  }
  // The message, two cycles per kernel, and one in which the last may issue what is counted next.
  void load(unsigned scheme, int keep = -1) {
    in.load = true;
    in.load_scheme = scheme;
    if (keep >= 0) in.load_keep[static_cast<unsigned>(keep)] = true;
    cycle();
    for (unsigned n = 0; n < 2 * kKernels && scheme != QSM_SCHEME_NONE; n++) cycle();
    cycle();
  }
  // Cycles that take n lanes off C of k, or at least n where the last instruction has too many.
  void spend(unsigned k, int64_t n) {
    for (; n > 0; n -= kLanes) {
      issue(0, k, kLanes);
      cycle();
    }
  }
  // Cycles that take n lanes off C of k, exactly.
  void spend_exactly(unsigned k, int64_t n) {
    for (; n > 0; n -= kLanes) {
      issue(0, k, n < kLanes ? static_cast<unsigned>(n) : kLanes);
      cycle();
    }
  }
  // The message sample, an instalment for each kernel, and the judging of the last one.
  void sample() {
    in.sample = true;
    cycle();
    for (unsigned n = 0; n <= kKernels; n++) cycle();
  }
  void samples(unsigned n) {  // six behind a load: well behind, if nothing issues
    for (unsigned i = 0; i < n; i++) sample();
  }
  int64_t due(unsigned k) {
    return static_cast<int64_t>(get(top.rootp->qsm_quota__DOT__due, k, 31));
  }
  unsigned flags(unsigned k) {  // word 6 of the full state
    const auto bit = [k](uint64_t set) { return static_cast<unsigned>(set >> k & 1); };
    return bit(top.rootp->qsm_quota__DOT__behind_q) + 2 * bit(top.rootp->qsm_quota__DOT__spared_q) +
           4 * bit(top.rootp->qsm_quota__DOT__to_pace_q) +
           8 * bit(top.rootp->qsm_quota__DOT__to_judge_q) +
           16 * bit(top.rootp->qsm_quota__DOT__tight_q) +
           32 * bit(top.rootp->qsm_quota__DOT__kept_q) +
           64 * bit(top.rootp->qsm_quota__DOT__well_q);
  }
  int64_t c(unsigned k) {  // costs a cycle
    in.tick = true;
    cycle();
    top.eval();
    return static_cast<int32_t>(get(top.snap_c_o, k, 32));
  }
  bool open(unsigned k) {
    drive();
    top.eval();
    return (top.open_o >> k) & 1;
  }
  bool gaps(unsigned k) {
    drive();
    top.eval();
    return (top.gaps_o >> k) & 1;
  }
  bool no_mem(unsigned k) {
    drive();
    top.eval();
    return (top.no_mem_o >> k) & 1;
  }
  bool throttled(unsigned k) {
    drive();
    top.eval();
    return (top.throttled_o >> k) & 1;
  }
  void here(unsigned k, bool is = true) { in.present[k] = in.runnable[k] = is; }
  int64_t quota(unsigned k) { return static_cast<int64_t>(get(top.quota_o, k, 31)); }
  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  Vqsm_quota top;
  QuotaInputs in;
  QuotaRef ref;

 private:
  void drive() {
    for (unsigned s = 0; s < kSched; s++) {
      const bool issues = in.issue_kernel[s] >= 0;
      set(top.issue_valid_i, s, 1, issues);
      set(top.issue_kernel_i, s, kKernelBits,
          issues ? static_cast<uint64_t>(in.issue_kernel[s]) : noise(kKernels));
      set(top.issue_lanes_i, s, kLaneBits, issues ? in.issue_lanes[s] : noise(kLanes + 1));
    }
    for (unsigned k = 0; k < kKernels; k++) {
      set(top.present_i, k, 1, in.present[k]);
      set(top.runnable_i, k, 1, in.runnable[k]);
      set(top.qos_i, k, 1, in.qos[k]);
      set(top.load_keep_i, k, 1, in.load ? in.load_keep[k] : noise(2));
    }
    top.arrive_valid_i = in.arrive >= 0;
    const unsigned arrives = in.arrive >= 0 ? static_cast<unsigned>(in.arrive) : noise(kKernels);
    top.arrive_kernel_i = static_cast<uint8_t>(arrives);
    top.first_quota_i = static_cast<uint32_t>(in.first_quota[arrives]);
    top.tick_i = in.tick;
    top.sample_i = in.sample;
    top.saving_i = in.saving;
    top.full_i = in.full;
    top.word_valid_i = in.word >= 0;
    top.word_kernel_i =
        static_cast<uint8_t>(in.word >= 0 ? static_cast<unsigned>(in.word) : noise(kKernels));
    top.word_quota_i = in.word >= 0 ? static_cast<uint32_t>(in.word_quota) : noise(1u << 31);
    top.word_credit_i = in.word >= 0 ? static_cast<uint32_t>(in.word_credit) : noise(1u << 31);
    top.load_valid_i = in.load;
    top.load_scheme_i = static_cast<uint8_t>(in.load ? in.load_scheme : noise(QSM_SCHEME_COUNT));
    top.epoch_len_i = in.epoch_len;
  }

  void compare() {
    const auto n = static_cast<unsigned long long>(n_);
    for (unsigned k = 0; k < kKernels; k++) {
      const QuotaRef::Slot &s = ref.slots[k];
      const auto snap_c = static_cast<int64_t>(static_cast<int32_t>(get(top.snap_c_o, k, 32)));
      tap_.expect(((top.open_o >> k) & 1) == ref.open(in, k), "cycle %llu: gate of %u is not %d", n,
                  k, ref.open(in, k));
      tap_.expect(((top.gaps_o >> k) & 1) == ref.gaps(in, k), "cycle %llu: gaps of %u are not %d",
                  n, k, ref.gaps(in, k));
      tap_.expect(((top.no_mem_o >> k) & 1) == ref.no_mem(in, k),
                  "cycle %llu: no memory instructions of %u is not %d", n, k, ref.no_mem(in, k));
      tap_.expect(((top.throttled_o >> k) & 1) == ref.throttled(in, k),
                  "cycle %llu: throttled of %u is not %d", n, k, ref.throttled(in, k));
      tap_.expect(due(k) == s.due, "cycle %llu: due of %u is %lld, not %lld", n, k,
                  static_cast<long long>(due(k)), static_cast<long long>(s.due));
      tap_.expect(flags(k) == s.pace_flags(), "cycle %llu: pace's flags of %u are %x, not %x", n, k,
                  flags(k), s.pace_flags());
      tap_.expect(quota(k) == s.quota, "cycle %llu: quota of %u is %lld, not %lld", n, k,
                  static_cast<long long>(quota(k)), static_cast<long long>(s.quota));
      tap_.expect(snap_c == s.snap_c, "cycle %llu: snapshot of C of %u is %lld, not %lld", n, k,
                  static_cast<long long>(snap_c), static_cast<long long>(s.snap_c));
      tap_.expect(((top.snap_spent_o >> k) & 1) == (s.snap_c <= 0),
                  "cycle %llu: snapshot of %u with C %lld: spent is not %d", n, k,
                  static_cast<long long>(s.snap_c), s.snap_c <= 0);
      tap_.expect(get(top.snap_insn_o, k, 32) == s.snap_insn,
                  "cycle %llu: instructions of %u are %llu, not %u", n, k,
                  static_cast<unsigned long long>(get(top.snap_insn_o, k, 32)), s.snap_insn);
    }
  }

  // What the lockstep monitor reads, behind the reference's step and before the clock.
  void compare_load(bool done) {
    const auto n = static_cast<unsigned long long>(n_);
    tap_.expect(top.rootp->qsm_quota__DOT__load_done == done, "cycle %llu: the last load is not %d",
                n, done);
    for (unsigned k = 0; k < kKernels && done; k++) {
      const uint64_t next = get(top.rootp->qsm_quota__DOT__quota_next, k, 31);
      tap_.expect(static_cast<int64_t>(next) == ref.slots[k].quota,
                  "cycle %llu: next quota of %u is %llu", n, k,
                  static_cast<unsigned long long>(next));
    }
  }

  qsm_unit::Tap &tap_;
  uint64_t n_ = 0;
};

void expect_c(qsm_unit::Tap &tap, Bench &b, unsigned k, int64_t want) {
  const int64_t got = b.c(k);
  tap.expect(got == want, "C of %u is %lld, the rule names %lld", k, static_cast<long long>(got),
             static_cast<long long>(want));
}

void test_decrement(qsm_unit::Tap &tap) {
  Bench b(tap);
  int64_t want = 0;
  for (unsigned s = 0; s < kSched; s++) {  // all sub-cores issue for one kernel in one cycle
    b.issue(s, kKernels - 1, kLanes - (s % 2));
    want -= kLanes - (s % 2);
  }
  b.cycle();
  expect_c(tap, b, kKernels - 1, want);
  tap.expect(b.open(kKernels - 1), "closed without a scheme");
  tap.expect(b.ref.slots[kKernels - 1].snap_insn == static_cast<uint32_t>(-want),
             "instructions not counted");
  tap.done("R-QC-2, R-QC-8: issued lanes of all sub-cores come off in every scheme");
}

void test_prio_enc(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.in.first_quota[0] = 7;
  b.in.arrive = 0;
  b.cycle();
  b.here(0);
  expect_c(tap, b, 0, 7);
  b.in.arrive = 0;  // a second block is none
  b.issue(0, 0, 1);
  b.cycle();
  expect_c(tap, b, 0, 6);
  b.here(0, false);
  b.cycle();
  b.in.arrive = 0;  // R-QC-7: back before a load, goes on
  b.cycle();
  b.here(0);
  expect_c(tap, b, 0, 6);
  b.here(0, false);
  b.load(QSM_SCHEME_NAIVE);
  expect_c(tap, b, 0, 0);
  tap.expect(b.quota(0) == 0, "an absent kernel keeps its quota");
  b.in.arrive = 0;
  b.cycle();
  expect_c(tap, b, 0, 7);  // dropped at the load: a first block again
  tap.done("R-QC-6, R-QC-7: first block of a kernel");
}

// Blocks arrive in each cycle of a load: loads wait, no grant is lost.
void test_first_delays_load(qsm_unit::Tap &tap) {
  Bench b(tap);
  for (unsigned k = 0; k < kKernels; k++) {
    b.in.first_quota[k] = 9 + k;
    b.word(k, 100 + k, 0);
  }
  b.in.load = true;
  b.in.load_scheme = QSM_SCHEME_NAIVE;
  b.cycle();
  for (unsigned k = 0; k < kKernels; k++) {
    b.in.arrive = static_cast<int>(k);
    b.cycle();
    b.here(k);
  }
  tap.expect(b.ref.slots[0].to_load, "a first block and a load in one cycle");
  for (unsigned k = 0; k < kKernels; k++)
    tap.expect(b.quota(k) == 9 + k, "quota of %u: %lld", k, static_cast<long long>(b.quota(k)));
  for (unsigned n = 0; n < 2 * kKernels; n++) b.cycle();
  for (unsigned k = 0; k < kKernels; k++) expect_c(tap, b, k, 100 + k);
  b.word(0, 50, 400);
  b.in.load = true;
  b.in.load_scheme = QSM_SCHEME_NAIVE;
  b.cycle();
  b.cycle();
  b.in.arrive = 0;  // a second block between the two cycles of a load: no grant
  b.cycle();
  expect_c(tap, b, 0, 100 + 50);
  tap.done("R-QC-9: a first block goes before a load, which comes after it");
}

void test_load(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.in.qos[0] = true;
  b.here(0);
  b.word(0, 50, 0);
  b.load(QSM_SCHEME_NAIVE);
  b.word(0, 50, 0);
  b.in.load = true;
  b.in.load_scheme = QSM_SCHEME_NAIVE;
  b.issue(0, 0, 2);
  b.cycle();  // lanes issued before the load belong to the ending epoch
  tap.expect(!b.open(0), "a kernel that loads is open");
  b.cycle();
  tap.expect(!b.open(0), "a kernel that loads is open in its second cycle");
  b.cycle();
  tap.expect(b.open(0), "closed after the load");
  expect_c(tap, b, 0, 50);
  for (unsigned n = 1; n < 2 * kKernels; n++) b.cycle();  // the other slots
  b.load(QSM_SCHEME_NAIVE);                               // present, no word: stays
  expect_c(tap, b, 0, 50);
  tap.expect(b.quota(0) == 50, "quota not kept");

  b.issue(0, 0, 1);
  b.word(0, 60, 400);
  b.load(QSM_SCHEME_ROLLOVER);
  expect_c(tap, b, 0, 60 + 49);
  b.word(0, 60, 9);
  b.load(QSM_SCHEME_ROLLOVER);
  expect_c(tap, b, 0, 69);  // no more than the credit
  b.spend(0, 69 + 1);
  tap.expect(b.ref.slots[0].c <= 0, "not spent");
  b.word(0, 5, 400);
  b.load(QSM_SCHEME_ROLLOVER);
  expect_c(tap, b, 0, 5);       // debt is forgiven
  b.load(QSM_SCHEME_ROLLOVER);  // no word: all stays
  expect_c(tap, b, 0, 5);
  b.word(0, 30, 0);
  b.load(QSM_SCHEME_ROLLOVER_TIME);
  b.word(0, 100, 800);
  b.load(QSM_SCHEME_ROLLOVER_TIME);
  expect_c(tap, b, 0, 130);  // what is left of a quota comes on top, within the credit
  b.word(0, kQuotaMax, 0);
  b.load(QSM_SCHEME_ROLLOVER);
  expect_c(tap, b, 0, kQuotaMax);
  tap.expect(b.quota(0) == kQuotaMax, "largest quota");

  b.word(0, 1, 0);
  b.load(QSM_SCHEME_ROLLOVER);
  expect_c(tap, b, 0, 1);  // no credit
  b.word(0, 77, 0);
  b.load(QSM_SCHEME_NONE);  // drops the word, changes nothing
  expect_c(tap, b, 0, 1);
  b.load(QSM_SCHEME_NAIVE);
  expect_c(tap, b, 0, 1);
  tap.done("R-QC-3, R-QC-4, B13: loads of every scheme");
}

// A gap between launches: a kernel without blocks keeps what it has left where the message says so.
void test_keep(qsm_unit::Tap &tap) {
  Bench b(tap);
  const unsigned k = kKernels - 1, other = 0;
  b.in.qos[k] = true;
  b.here(k);
  b.word(k, 50, 0);
  b.load(QSM_SCHEME_ROLLOVER);
  b.here(k, false);
  b.load(QSM_SCHEME_ROLLOVER, static_cast<int>(k));
  expect_c(tap, b, k, 50);
  tap.expect(b.quota(k) == 50, "the quota is not kept");
  b.word(k, 9, 9);  // it has no block for it
  b.load(QSM_SCHEME_ROLLOVER, static_cast<int>(k));
  expect_c(tap, b, k, 50);
  b.in.arrive = static_cast<int>(k);
  b.cycle();
  b.here(k);
  b.load(QSM_SCHEME_ROLLOVER);  // no word: that one is gone
  expect_c(tap, b, k, 50);      // and this is no first block
  b.word(k, 20, 5);
  b.load(QSM_SCHEME_ROLLOVER, static_cast<int>(k));
  expect_c(tap, b, k, 25);  // present: loads
  b.spend(k, 25);
  b.here(k, false);
  b.load(QSM_SCHEME_ROLLOVER, static_cast<int>(k));
  expect_c(tap, b, k, 0);  // nothing is left
  tap.expect(b.quota(k) == 0, "a quota is kept without a rest");

  b.in.first_quota[k] = 7;  // of each message, its own bits
  b.in.arrive = static_cast<int>(k);
  b.cycle();
  expect_c(tap, b, k, 7);
  if (other != k) {
    b.load(QSM_SCHEME_ROLLOVER, static_cast<int>(other));
    expect_c(tap, b, k, 0);
  }
  b.load(QSM_SCHEME_ROLLOVER, static_cast<int>(k));
  b.in.arrive = static_cast<int>(k);
  b.cycle();
  b.load(QSM_SCHEME_ROLLOVER);
  expect_c(tap, b, k, 0);

  b.in.arrive = static_cast<int>(k);  // Elastic drops, whatever a message says
  b.cycle();
  b.load(QSM_SCHEME_ELASTIC, static_cast<int>(k));
  expect_c(tap, b, k, 0);
  b.in.arrive = static_cast<int>(k);
  b.cycle();
  b.load(QSM_SCHEME_NONE, static_cast<int>(k));  // no loads: nothing changes
  expect_c(tap, b, k, 7);
  tap.done("R-QC-4, R-QM-13: a rest outlives a gap where the load message says so");
}

// FGQ Figure 4: quotas 100 and 50, the non-QoS counter at -3, refill gives 47.
void test_figure4(qsm_unit::Tap &tap) {
  if (kKernels < 2 || kLanes < 4) {
    tap.done("R-QC-5: FGQ Figure 4 # SKIP needs two kernels and four lanes");
    return;
  }
  Bench b(tap);
  b.in.qos[0] = true;
  b.here(0);
  b.here(1);
  b.word(0, 100, 0);
  b.word(1, 50, 0);
  b.load(QSM_SCHEME_NAIVE);
  for (unsigned n = 0; n < 49; n++) {
    b.issue(0, 1, 1);
    b.cycle();
  }
  b.issue(0, 1, 4);  // from 1 to -3
  b.cycle();
  tap.expect(!b.open(1) && b.open(0), "gates before the QoS kernel is spent");
  for (unsigned n = 0; n < 99; n++) {
    b.issue(0, 0, 1);
    b.cycle();
  }
  expect_c(tap, b, 1, -3);
  b.issue(0, 0, 1);  // cycle t: the last QoS instruction
  b.cycle();
  tap.expect(!b.open(0) && !b.open(1), "t + 1: gates not closed");
  expect_c(tap, b, 1, -3);  // t + 1: the refill is decided
  tap.expect(b.open(1) && !b.open(0), "t + 2: not refilled");
  expect_c(tap, b, 1, 47);
  tap.done("R-QC-5: FGQ Figure 4");
}

void test_refill(qsm_unit::Tap &tap) {
  if (kKernels < 2) {
    tap.done("R-QC-5, R-QC-1: refills # SKIP needs two kernels");
    return;
  }
  Bench b(tap);
  const unsigned q = kKernels - 1;
  b.in.qos[q] = true;
  b.here(0);
  b.word(0, 1, 0);
  b.load(QSM_SCHEME_NAIVE);
  b.issue(0, 0, kLanes);
  b.cycle();
  for (int64_t left = 1 - static_cast<int64_t>(kLanes); left <= 0; left++) {
    tap.expect(!b.open(0), "open at C = %lld", static_cast<long long>(left));
    tap.expect(b.ref.slots[0].c == left, "one refill per cycle");
    b.cycle();
  }
  tap.expect(b.open(0), "refills do not end the wait");

  Bench round(tap);  // two non-QoS kernels: one after the other, each once
  if (kKernels >= 3) {
    round.in.qos[1] = true;
    for (unsigned k : {0u, 1u, 2u}) round.here(k);
    round.word(0, kLanes - 1, 0);
    round.word(2, kLanes, 0);
    round.load(QSM_SCHEME_NAIVE);
    round.spend(0, 1);
    round.spend(2, 1);
    round.cycle();
    tap.expect(round.open(0) && !round.open(2), "not the lowest kernel first");
    round.cycle();
    tap.expect(round.open(0) && round.open(2), "the second kernel of the round waits in vain");
    tap.expect(round.ref.slots[0].c == kLanes - 2 && round.ref.slots[2].c == kLanes,
               "not one refill each");

    Bench leaves(tap);  // the second one leaves before its turn
    leaves.in.qos[1] = true;
    for (unsigned k : {0u, 1u, 2u}) leaves.here(k);
    leaves.word(0, kLanes, 0);
    leaves.word(2, kLanes, 0);
    leaves.load(QSM_SCHEME_NAIVE);
    leaves.spend(0, 1);
    leaves.spend(2, 1);
    leaves.cycle();
    leaves.here(2, false);
    leaves.cycle();
    expect_c(tap, leaves, 2, 0);
  }

  Bench waits(tap);  // only spent QoS kernels: they wait
  waits.in.qos[0] = true;
  waits.here(0);
  waits.word(0, 1, 0);
  waits.load(QSM_SCHEME_NAIVE);
  waits.issue(0, 0, 1);
  waits.cycle();
  for (unsigned n = 0; n < 5; n++) waits.cycle();
  tap.expect(!waits.open(0), "a QoS kernel was refilled");
  waits.in.qos[0] = false;
  tap.expect(waits.open(0), "gated though no slot has QoS");
  tap.done("R-QC-5, R-QC-1: refills go on until C > 0; QoS kernels wait; no QoS slot, no gate");
}

void test_debt(qsm_unit::Tap &tap) {
  Bench b(tap);
  const int64_t limit = b.ref.debt_max;
  for (int64_t n = 0; n < limit; n += kLanes) {
    b.issue(0, kKernels - 1, kLanes);
    b.cycle();
  }
  expect_c(tap, b, kKernels - 1, -limit);
  for (unsigned n = 0; n < 9; n++) {
    for (unsigned s = 0; s < kSched; s++) b.issue(s, kKernels - 1, 1 + n % kLanes);
    b.cycle();
  }
  expect_c(tap, b, kKernels - 1, -limit - kSched);  // the last lanes that counted
  b.in.qos[0] = true;
  b.here(kKernels - 1);
  b.word(kKernels - 1, 3, 5);
  b.load(QSM_SCHEME_ROLLOVER);
  expect_c(tap, b, kKernels - 1, 3);
  tap.done("R-QC-2, W12: debt has an end, and is forgiven");
}

// A pair with quotas 100 (slot 0, QoS) and 50 under a scheme, its counters at c0 and c1, which are
// not above the quotas.
void pair(Bench &b, unsigned scheme, int64_t c0, int64_t c1) {
  b.in.qos[0] = true;
  b.here(0);
  b.here(1);
  b.word(0, 100, 0);
  b.word(1, 50, 0);
  b.load(scheme);
  const int64_t want[] = {c0, c1};
  for (unsigned k :
       {1u, 0u}) {  // the QoS kernel last, as a counter of the other may be under 0 then only
    while (b.ref.slots[k].c > want[k]) {
      const int64_t left = b.ref.slots[k].c - want[k];
      b.issue(
          0, k,
          left > kLanes ? (b.ref.slots[k].c > kLanes ? kLanes : 1) : static_cast<unsigned>(left));
      b.cycle();
    }
  }
}

bool needs_pair(qsm_unit::Tap &tap, const char *name) {
  if (kKernels >= 2 && kLanes >= 4) return true;
  tap.done((std::string(name) + " # SKIP needs two kernels and four lanes").c_str());
  return false;
}

// FGQ Figure 4 under Elastic: all spent, the SM's next epoch starts at once, and lasts T.
void test_elastic(qsm_unit::Tap &tap) {
  const char *name = "R-SC-4 to R-SC-7: Elastic starts early when all are spent, and after T";
  if (!needs_pair(tap, name)) return;
  Bench b(tap);
  b.in.epoch_len = 200;
  pair(b, QSM_SCHEME_ELASTIC, 0,
       -3);  // cycle t is over: all spent at the start of t + 1, in which the epoch starts
  tap.expect(!b.open(0) && !b.open(1) && b.throttled(0) && b.throttled(1),
             "gates of spent kernels");
  b.cycle();
  tap.expect(b.ref.dcnt == 199 && b.ref.early, "no early start");
  for (unsigned n = 0; n < 4; n++) b.cycle();
  tap.expect(b.open(0) && b.open(1), "t + 6: not loaded");
  expect_c(tap, b, 0, 100);
  expect_c(tap, b, 1, 47);
  b.in.epoch_len = 150;  // counts from the next start on
  while (b.ref.dcnt != 0) b.cycle();
  expect_c(tap, b, 0, 100);  // the cycle of the timed start
  for (unsigned n = 0; n < 2 * kKernels; n++) b.cycle();
  expect_c(tap, b, 0, 100);
  expect_c(tap, b, 1, 50);  // a quota, and not what was left
  unsigned n_left = 0;
  for (; b.ref.dcnt != 0; n_left++) b.cycle();
  tap.expect(n_left == 150 - 1 - 2 * kKernels - 2, "%u cycles left of the second epoch", n_left);
  b.load(QSM_SCHEME_NAIVE);  // wins over the timed start; no words: C stays
  expect_c(tap, b, 1, 50);
  tap.done(name);
}

// The manager's words under Elastic: they count from the load message on, and C changes at starts
// only.
void test_elastic_words(qsm_unit::Tap &tap) {
  const char *name = "R-SC-4, R-SC-5: words of a running epoch of Elastic";
  if (!needs_pair(tap, name)) return;
  Bench b(tap);
  pair(b, QSM_SCHEME_ELASTIC, 0, -3);
  b.word(0, 70, 0);  // in the cycle of the early start
  for (unsigned n = 0; n < 2 * kKernels; n++) b.cycle();
  expect_c(tap, b, 0, 100);  // not without a load message
  b.in.load = true;
  b.in.load_scheme = QSM_SCHEME_ELASTIC;
  b.cycle();
  tap.expect(!b.open(0) && b.open(1), "a fresh quota is taken over behind a closed gate");
  b.cycle();
  b.cycle();
  tap.expect(b.open(0) && b.quota(0) == 70, "the fresh quota is %lld",
             static_cast<long long>(b.quota(0)));
  expect_c(tap, b, 0, 100);
  while (b.ref.dcnt != 0) b.cycle();
  for (unsigned n = 0; n < 2 * kKernels + 1; n++) b.cycle();
  expect_c(tap, b, 0, 70);
  expect_c(tap, b, 1, 50);

  Bench first(tap);  // a first block between an early start and its load: its grant comes twice,
                     // and saturates
  pair(first, QSM_SCHEME_ELASTIC, 0, -3);
  first.here(1, false);
  first.load(QSM_SCHEME_NAIVE);  // drops slot 1
  first.load(QSM_SCHEME_ELASTIC);
  first.spend(0, 100);
  first.in.first_quota[1] = kQuotaMax - 5;
  first.cycle();  // the start
  first.in.arrive = 1;
  first.cycle();
  first.here(1);
  expect_c(tap, first, 1, kQuotaMax - 5);
  for (unsigned n = 0; n < 2 * kKernels; n++) first.cycle();
  expect_c(tap, first, 1, kQuotaMax);

  // Another scheme's load message while the loads of an early start are under way.
  for (unsigned n = 0; n <= 2 * kKernels; n++) {
    Bench late(tap);
    pair(late, QSM_SCHEME_ELASTIC, 0, -3);
    for (unsigned i = 0; i < n; i++) late.cycle();
    late.in.load = true;
    late.in.load_scheme = n % 2 ? QSM_SCHEME_NAIVE : QSM_SCHEME_NONE;
    late.cycle();
    for (unsigned i = 0; i < 2 * kKernels; i++) late.cycle();
    for (unsigned k : {0u, 1u}) late.c(k);  // against the reference
  }
  tap.done(name);
}

void test_rollover_time(qsm_unit::Tap &tap) {
  const char *name =
      "R-SC-2, B16: Rollover-Time closes the others while a QoS kernel that runs has quota";
  if (!needs_pair(tap, name)) return;
  Bench b(tap);
  pair(b, QSM_SCHEME_ROLLOVER, 1, 40);
  tap.expect(b.open(0) && b.open(1), "Rollover closes");
  b.load(QSM_SCHEME_ROLLOVER_TIME);  // no words: C stays
  tap.expect(b.open(0) && !b.open(1) && !b.throttled(1), "not closed, or throttled");
  b.in.runnable[0] = false;
  tap.expect(b.open(1), "closed for a kernel that is frozen");
  b.in.runnable[0] = true;
  b.issue(0, 0, 1);
  b.cycle();
  tap.expect(!b.open(0) && b.open(1), "closed though no QoS kernel has quota");
  b.here(0, false);
  b.cycle();
  tap.expect(b.open(1), "closed though none is here");
  tap.done(name);
}

void test_fair(qsm_unit::Tap &tap) {
  const char *name = "R-SC-3, B17: Fair refills all when all are spent, and needs no QoS slot";
  if (!needs_pair(tap, name)) return;
  for (bool with_qos : {true, false}) {
    Bench b(tap);
    pair(b, QSM_SCHEME_FAIR, 1, -3);
    b.in.qos[0] = with_qos;
    tap.expect(b.open(0) && !b.open(1), "gates before the last is spent");
    b.cycle();
    expect_c(tap, b, 1, -3);
    b.issue(0, 0, 4);
    b.cycle();
    b.cycle();  // slot 0's
    tap.expect(b.open(0) && !b.open(1), "not the lowest first");
    b.cycle();
    expect_c(tap, b, 0, 97);
    expect_c(tap, b, 1, 47);
  }
  tap.done(name);
}

// R-SC-1: a kernel whose blocks are all frozen loads, but nobody waits for it, and it is not
// refilled.
void test_frozen(qsm_unit::Tap &tap) {
  const char *name = "R-SC-1: frozen kernels are left out of refills and early starts";
  if (!needs_pair(tap, name)) return;
  for (unsigned scheme : {QSM_SCHEME_NAIVE, QSM_SCHEME_ELASTIC, QSM_SCHEME_FAIR}) {
    Bench b(tap);
    pair(b, scheme, 5, -3);
    b.in.runnable[0] = false;
    for (unsigned n = 0; n <= 2 * kKernels + 1; n++) b.cycle();
    expect_c(tap, b, 1, 47);
    expect_c(tap, b, 0, scheme == QSM_SCHEME_ELASTIC ? 105 : 5);
    b.in.runnable[0] = true;
    b.in.runnable[1] = false;
    b.spend(0, b.ref.slots[0].c);
    for (unsigned n = 0; n <= 2 * kKernels; n++) b.cycle();
    expect_c(tap, b, 1, scheme == QSM_SCHEME_ELASTIC ? 97 : 47);
  }
  tap.done(name);
}

// No snapshot for as long as an epoch may be, all lanes for one kernel.
void test_longest_epoch(qsm_unit::Tap &tap) {
  Bench b(tap);
  const uint64_t cycles = (1u << 20) - 1;
  for (uint64_t n = 0; n < cycles; n++) {
    for (unsigned s = 0; s < kSched; s++) b.issue(s, kKernels - 1, kLanes);
    b.cycle();
  }
  b.c(kKernels - 1);
  const uint64_t counted = get(b.top.snap_insn_o, kKernels - 1, 32);
  tap.expect(counted == cycles * kSched * kLanes, "%llu instructions",
             static_cast<unsigned long long>(counted));
  tap.done("R-QC-8, R-QM-1: the instructions of the longest epoch");
}

int64_t any_quota(qsm_unit::Random &random) {
  switch (random.below(4)) {
    case 0: return 1 + random.below(4);
    case 1: return kQuotaMax - random.below(3);
    default: return 1 + random.below(60 * kLanes);
  }
}

// Blocks arrive, leave and freeze, words and loads come as they like; issue follows the gate, and
// is counted in the next cycle.
void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  std::vector<int> issued(kSched, -1);
  for (unsigned n = 0; n < 400000 && !tap.failed(); n++) {
    for (unsigned s = 0; s < kSched; s++) {
      if (issued[s] >= 0 && b.in.present[static_cast<unsigned>(issued[s])])
        b.issue(s, static_cast<unsigned>(issued[s]), random.below(kLanes + 1));
      const unsigned k = random.below(kKernels);
      const bool issues = b.in.present[k] && b.ref.slots[k].granted && b.ref.open(b.in, k);
      issued[s] = issues && !random.one_in(3) ? static_cast<int>(k) : -1;
    }
    if (random.one_in(20)) b.in.arrive = static_cast<int>(random.below(kKernels));
    if (random.one_in(100)) b.in.first_quota[random.below(kKernels)] = any_quota(random);
    if (random.one_in(100)) b.in.epoch_len = 60 + random.below(200);
    b.in.tick = random.one_in(n / 1000 % 2 ? 5 : 400);
    b.in.sample = random.one_in(n / 5000 % 2 ? 2 : 12);
    const bool elastic = b.ref.scheme == QSM_SCHEME_ELASTIC;
    if (b.ref.loads() >= 0 && !elastic) {  // neither words nor loads come then
    } else if (random.one_in(60)) {
      b.in.load = true;
      const bool stays = (elastic || b.ref.scheme == QSM_SCHEME_PACE) && !random.one_in(4);
      b.in.load_scheme = stays ? b.ref.scheme : random.below(QSM_SCHEME_COUNT);
      for (unsigned k = 0; k < kKernels; k++) b.in.load_keep[k] = random.one_in(2);
    } else if (random.one_in(20)) {
      b.in.word = static_cast<int>(random.below(kKernels));
      b.in.word_quota = any_quota(random);
      b.in.word_credit = std::min<int64_t>(kQuotaMax - b.in.word_quota,
                                           random.one_in(3) ? kQuotaMax : random.below(200));
    }
    const int arrives = b.in.arrive;
    b.cycle();
    for (unsigned k = 0; k < kKernels; k++) {
      if (random.one_in(100)) b.in.present[k] = false;
      if (random.one_in(200))
        b.in.present[k] = true;  // a save is given up as the kernel is killed (R-PE-20): if
                                 // dropped, it issues no more
      b.in.runnable[k] = b.in.present[k] && b.in.runnable[k] != random.one_in(50);
      if (random.one_in(2000)) b.in.qos[k] = !b.in.qos[k];
    }
    if (arrives >= 0) b.here(static_cast<unsigned>(arrives));
    if (random.one_in(30)) b.in.saving = !b.in.saving;
    if (random.one_in(10)) b.in.full = !b.in.full;
  }
  tap.done("400,000 random cycles equal the reference");
}

// What is due, and who is behind: the examples of docs/guarantee.md.
struct Paced {
  int64_t c, due;
  unsigned flags;
};
void expect_paced(qsm_unit::Tap &tap, Bench &b, unsigned k, const Paced &want, const char *what) {
  const unsigned flags = b.flags(k);
  const int64_t due = b.due(k);
  expect_c(tap, b, k, want.c);
  tap.expect(due == want.due && flags == want.flags, "%s: due %lld, flags %x, not %lld, %x", what,
             static_cast<long long>(due), flags, static_cast<long long>(want.due), want.flags);
}
constexpr unsigned kBehind = 1, kSpared = 2, kToPace = 4, kToJudge = 8, kTight = 16, kKept = 32,
                   kWell = 64;

// One kernel with a goal that issued insn instructions since the tick, and loads.
void paced_load(Bench &b, unsigned k, int64_t quota, int64_t insn) {
  b.in.qos[k] = true;
  b.here(k);
  b.c(k);  // the tick
  b.spend_exactly(k, insn);
  b.word(k, quota, 0);
  b.load(QSM_SCHEME_PACE);
}

void test_instalments(qsm_unit::Tap &tap) {
  Bench b(tap);
  const unsigned k = kKernels - 1;
  paced_load(b, k, 12800, 300);
  expect_paced(tap, b, k, {12500, 12800, kSpared}, "load");
  b.sample();
  expect_paced(tap, b, k, {12500, 12800, 0}, "first sample");
  b.spend_exactly(k, 51);
  b.sample();
  expect_paced(tap, b, k, {12449, 12673, 0}, "second");
  b.sample();
  expect_paced(tap, b, k, {12449, 12546, 0}, "third");
  b.sample();
  expect_paced(tap, b, k, {12449, 12419, kBehind}, "fourth");
  b.spend_exactly(k, 157);
  b.sample();
  expect_paced(tap, b, k, {12292, 12292, 0}, "fifth: equal");
  b.samples(4);
  expect_paced(tap, b, k, {12292, 11784, kBehind}, "ninth: four instalments");
  b.sample();
  expect_paced(tap, b, k, {12292, 11657, kBehind | kWell}, "tenth: more");
  b.spend_exactly(k, 254);
  b.sample();
  expect_paced(tap, b, k, {12038, 11530, kBehind}, "eleventh: four again");
  b.spend_exactly(k, 12037);
  b.samples(90);
  expect_paced(tap, b, k, {1, 100, 0}, "101st");
  b.sample();
  expect_paced(tap, b, k, {1, 0, kBehind}, "102nd");
  b.sample();
  expect_paced(tap, b, k, {1, 0, kBehind}, "103rd");
  tap.expect(b.open(k), "a late kernel is closed");
  b.spend_exactly(k, 1);
  tap.expect(!b.open(k) && b.throttled(k) && b.flags(k) == kBehind, "spent: not closed");
  b.sample();
  expect_paced(tap, b, k, {0, 0, 0}, "spent");

  struct Case {
    int64_t quota, insn, c;
    unsigned n;      // samples until due is 0
    int64_t second;  // due after the second one
  };
  for (const Case &of :
       {Case{1, 0, 1, 2, 0}, Case{255, 0, 255, 86, 252}, Case{100, 130, -30, 51, 98},
        Case{kQuotaMax, 0, kQuotaMax, 104, kQuotaMax - 20971520}}) {
    Bench one(tap);
    paced_load(one, k, of.quota, of.insn);
    expect_paced(tap, one, k, {of.c, of.quota, kSpared}, "load");
    one.sample();
    one.sample();
    tap.expect(one.due(k) == of.second, "quota %lld: due %lld", static_cast<long long>(of.quota),
               static_cast<long long>(one.due(k)));
    tap.expect((one.flags(k) == kBehind) == (of.c > of.second), "behind");
    for (unsigned n = 2; n + 1 < of.n; n++) one.sample();
    tap.expect(of.n == 2 || one.due(k) > 0, "due is 0 too early");
    if (of.n > 2) one.sample();
    const bool well = of.c > 4 * (of.quota - of.second);
    tap.expect(one.due(k) == 0 && one.flags(k) == (of.c > 0 ? kBehind + (well ? kWell : 0u) : 0u),
               "due %lld, flags %x", static_cast<long long>(one.due(k)), one.flags(k));
    tap.expect(one.open(k) == (of.c > 0), "gate at C = %lld", static_cast<long long>(of.c));
  }
  tap.done("R-PA-4, R-PA-6, R-PA-7: loads, instalments and judging, by the examples");
}

// The figure of the page: a sample in cycle s, the others have gaps only from s + 3 on.
void test_pace_cycles(qsm_unit::Tap &tap) {
  Bench b(tap);
  paced_load(b, 0, 12800, 0);
  b.sample();
  b.spend_exactly(0, 127 - 1);
  const unsigned other = kKernels - 1;
  const bool pair = kKernels >= 2;
  if (pair) b.here(other);
  auto is = [&](unsigned flags, bool gaps, const char *what) {
    tap.expect(b.flags(0) == flags && b.open(0) && !b.gaps(0), "%s: flags %x", what, b.flags(0));
    if (pair) tap.expect(b.open(other) && b.gaps(other) == gaps, "%s: gaps of the other", what);
  };
  b.in.sample = true;
  is(0, false, "s");
  b.cycle();
  b.in.sample = true;  // it does nothing: an instalment is to come
  is(kToPace, false, "s + 1");
  b.cycle();
  is(kToJudge, false, "s + 2");
  tap.expect(b.due(0) == 12673, "due");
  b.cycle();
  is(kBehind, true, "s + 3");
  b.cycle();
  is(kBehind, true, "s + 4");
  b.issue(0, 0, 2);  // issued in s + 4, counted in s + 5; judged again in s + 7
  b.cycle();
  tap.expect(b.due(0) == 12673, "an instalment of a sample that is dropped");
  b.spend_exactly(0, 127);
  b.in.sample = true;
  b.cycle();
  is(kBehind | kToPace, true, "s' + 1");
  b.cycle();
  is(kBehind | kToJudge, true, "s' + 2");
  b.in.sample = true;  // in the cycle of the judging: no instalment is to come, so it counts
  b.cycle();
  is(kToPace, false, "s' + 3");
  b.cycle();
  tap.expect(b.due(0) == 12419, "the instalment of a sample that is seen with a judging");
  tap.done("R-PA-6 to R-PA-8, R-PA-11: the cycles of a sample");
}

void test_late(qsm_unit::Tap &tap) {
  const char *name =
      "R-PA-8, R-PA-9, R-PA-16: gates and gaps while a kernel is late, and no refills";
  if (kKernels < 3) {
    tap.done((std::string(name) + " # SKIP needs three kernels").c_str());
    return;
  }
  Bench b(tap);  // kernels 0 and 1 have goals, 2 has none
  b.in.qos[0] = b.in.qos[1] = true;
  for (unsigned k : {0u, 1u, 2u}) b.here(k);
  b.word(0, 1000, 0);
  b.word(1, 100, 0);
  b.load(QSM_SCHEME_PACE);
  auto is = [&](unsigned open, unsigned throttled, unsigned gaps, const char *what,
                bool well = false) {
    for (unsigned k = 0; k < 3; k++)
      tap.expect(b.open(k) == (open >> k & 1) && b.throttled(k) == (throttled >> k & 1) &&
                     b.gaps(k) == (gaps >> k & 1) && b.no_mem(k) == (well && (gaps >> k & 1)),
                 "%s: gate of %u is %d, throttled %d, gaps %d, without memory %d", what, k,
                 b.open(k), b.throttled(k), b.gaps(k), b.no_mem(k));
  };
  is(0b111, 0, 0, "nobody is late");
  b.spend(2, 500);  // without a quota
  is(0b111, 0, 0, "C of a kernel without a goal means nothing");
  b.spend_exactly(1, 50);
  b.sample();
  b.sample();
  is(0b111, 0, 0b110, "0 is late");
  b.samples(4);
  is(0b111, 0, 0b110, "0 is well behind", true);
  b.in.runnable[0] = false;
  is(0b111, 0, 0, "0 is frozen");
  b.in.runnable[0] = true;
  b.spend_exactly(0, 1000);
  is(0b110, 0b001, 0, "0 has spent its quota, though it is behind");
  tap.expect(b.flags(0) == (kBehind | kWell), "not judged yet");
  b.samples(22);
  is(0b110, 0b001, 0b101, "1 is late");
  b.samples(4);
  is(0b110, 0b001, 0b101, "1 is well behind", true);
  b.spend_exactly(1, 50);
  is(0b100, 0b011, 0, "all goals are reached");
  b.in.runnable[2] = false;
  for (unsigned n = 0; n < 5; n++) b.cycle();
  expect_c(tap, b, 0, 0);
  b.in.runnable[2] = true;
  for (unsigned n = 0; n < 5; n++) b.cycle();
  tap.expect(b.c(2) < 0, "a refill");
  is(0b100, 0b011, 0, "no refills");
  b.word(0, 1000, 0);
  b.word(1, 1000, 0);
  b.load(QSM_SCHEME_PACE);
  is(0b111, 0, 0, "loaded");
  for (unsigned n = 0; n < 2 * kKernels; n++) b.cycle();
  b.sample();
  b.sample();
  expect_c(tap, b, 0, 1000);
  tap.expect(b.flags(1) == kBehind, "1 is not late");
  is(0b111, 0, 0b100, "both are late");
  b.spend_exactly(0, 10);
  b.samples(4);
  is(0b111, 0, 0b100, "both are late, one of them well behind", true);
  b.sample();
  b.spend_exactly(1, 1000);
  b.c(0);  // the tick
  b.word(0, 1000, 0);
  b.word(1, 1000, 0);
  b.load(QSM_SCHEME_PACE);
  is(0b111, 0, 0, "loaded while 0 was late, and 1 behind with nothing left");
  for (unsigned n = 0; n < 2 * kKernels; n++) b.cycle();
  tap.expect(b.flags(0) == (kSpared | kTight) && b.flags(1) == kSpared, "flags %x, %x", b.flags(0),
             b.flags(1));
  b.spend_exactly(1, 500);
  b.samples(2);
  tap.expect(b.flags(0) == (kBehind | kTight), "not late, or not tight");
  is(0b001, 0, 0, "0 is late, and tight");
  b.in.runnable[0] = false;
  is(0b111, 0, 0, "0 is tight, but cannot run");
  b.in.runnable[0] = true;
  b.spend_exactly(0, 500);
  b.sample();
  tap.expect(b.flags(0) == kTight, "in time: tight falls before the next quota");
  is(0b111, 0, 0, "0 is in time");
  b.word(0, 1000, 0);
  b.load(QSM_SCHEME_PACE);
  tap.expect(b.flags(0) == kSpared, "loaded in time: still tight");
  b.in.qos[0] = b.in.qos[1] = false;
  is(0b111, 0, 0, "no goals: not held");
  tap.done(name);
}

void test_pace_changes(qsm_unit::Tap &tap) {
  const unsigned k = kKernels - 1;
  for (unsigned wait = 0; wait < 4; wait++) {  // with to_pace, to_judge, behind
    Bench b(tap);
    paced_load(b, k, 1280, 0);
    b.sample();
    b.sample();  // due 1280 - 14
    tap.expect(b.flags(k) == kBehind && b.due(k) == 1266, "not behind");
    b.in.sample = true;
    for (unsigned n = 0; n < wait; n++) b.cycle();
    b.in.load = true;  // with wait 0 in the cycle of the sample
    b.in.load_scheme = QSM_SCHEME_ROLLOVER;
    b.cycle();
    tap.expect(b.flags(k) == 0 && b.due(k) == (wait < 2 ? 1266 : 1252),
               "wait %u: flags %x, due %lld", wait, b.flags(k), static_cast<long long>(b.due(k)));
    b.in.sample = true;
    b.cycle();
    tap.expect(b.flags(k) == 0, "a sample under another scheme");
    for (unsigned n = 0; n < 2 * kKernels; n++) b.cycle();
    b.in.sample = true;
    b.in.load = true;
    b.in.load_scheme = QSM_SCHEME_PACE;
    b.cycle();
    tap.expect(b.flags(k) == 0, "a sample in the cycle of the message acts by the scheme before");
    for (unsigned n = 0; n < 2 * kKernels; n++) b.cycle();
    b.sample();  // no word: what was due goes on
    tap.expect(b.flags(k) == kBehind && b.due(k) == (wait < 2 ? 1252 : 1238), "due %lld",
               static_cast<long long>(b.due(k)));
    b.in.sample = true;
    b.cycle();
    b.in.load = true;
    b.in.load_scheme = QSM_SCHEME_PACE;
    b.cycle();
    tap.expect(b.flags(k) == (kBehind | kToJudge), "a load message with pace disturbs");
    for (unsigned n = 0; n < 2 * kKernels; n++) b.cycle();
  }
  tap.done("R-PA-10: changes of the scheme");
}

// R-PA-17: who is late and far behind is behind until its quota is spent, or the next load.
void test_kept(qsm_unit::Tap &tap) {
  const unsigned k = kKernels - 1;
  const int far = static_cast<int>(k);
  constexpr unsigned kAll = kBehind | kWell | kTight | kKept;
  for (unsigned wait = 0; wait < 6; wait++) {  // between instalment, judging and load
    Bench b(tap);
    paced_load(b, k, 1280, 0);
    b.samples(5);
    b.word(k, 1280, 0);
    b.load(QSM_SCHEME_PACE, far);  // behind by four instalments: late, not well behind
    expect_paced(tap, b, k, {1280, 1280, kSpared}, "in no hurry");
    b.samples(6);
    b.word(k, 1280, 0);
    b.load(QSM_SCHEME_PACE);  // well behind, not far behind
    expect_paced(tap, b, k, {1280, 1280, kSpared | kTight}, "tight");
    b.samples(6);
    b.word(k, 640, 0);
    b.in.sample = true;
    for (unsigned n = 0; n < wait; n++) b.cycle();
    b.load(QSM_SCHEME_PACE, far);
    for (unsigned n = 0; n < 2 * kKernels; n++) b.cycle();
    expect_paced(tap, b, k, {640, 0, kAll}, "kept");
    b.samples(3);
    b.spend_exactly(k, 639);
    b.sample();
    expect_paced(tap, b, k, {1, 0, kAll}, "nearly spent");
    if (kKernels > 1) tap.expect(!b.open(0), "the others are open beside who is kept");
    b.spend_exactly(k, 1);
    b.sample();
    expect_paced(tap, b, k, {0, 0, kTight | kKept}, "spent");
    if (kKernels > 1) tap.expect(b.open(0), "closed beside who has spent its quota");
    b.word(k, 640, 0);
    b.load(QSM_SCHEME_PACE, far);
    expect_paced(tap, b, k, {640, 640, kSpared}, "far behind, but not here: it has spent all");
    b.samples(6);
    b.word(k, 320, 0);
    b.load(QSM_SCHEME_PACE, far);
    b.here(k, false);  // away over a load, and back: as it was, without its word
    b.word(k, 999, 0);
    b.load(QSM_SCHEME_PACE, far);
    b.sample();
    expect_paced(tap, b, k, {320, 0, kAll}, "away");
    b.in.arrive = far;
    b.cycle();
    b.here(k);
    expect_paced(tap, b, k, {320, 0, kAll}, "back");
    b.here(k, false);
    b.load(QSM_SCHEME_PACE);
    expect_paced(tap, b, k, {0, 0, kSpared}, "away over a load that keeps nothing");
    b.in.first_quota[k] = 256;
    b.in.arrive = far;
    b.cycle();
    b.here(k);
    b.samples(6);
    b.word(k, 320, 0);
    b.load(QSM_SCHEME_PACE, far);
    expect_paced(tap, b, k, {320, 0, kAll}, "again");
    b.in.load = true;
    b.in.load_scheme = QSM_SCHEME_ROLLOVER;
    b.cycle();
    tap.expect(b.flags(k) == kKept && b.due(k) == 0, "another scheme: due stays");
  }
  tap.done("R-PA-17: who is far behind stays behind over a load");
}

// R-PA-18
void test_saving(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.here(0);
  b.load(QSM_SCHEME_PACE);
  b.in.saving = true;
  b.cycle();
  tap.expect(b.open(0), "closed without a goal on the GPU");
  b.in.qos[kKernels - 1] = true;
  if (kKernels > 1) tap.expect(!b.open(0) && !b.throttled(0), "open while a block is saved");
  b.in.saving = false;
  if (kKernels > 1) tap.expect(b.open(0), "closed when it is over");
  b.in.saving = true;
  b.word(0, 10, 0);
  b.load(QSM_SCHEME_ROLLOVER);
  tap.expect(b.open(0), "closed under another scheme");
  tap.done("R-PA-18: others are closed while a block is taken off the SM");
}

void test_full(qsm_unit::Tap &tap) {
  Bench b(tap);
  const unsigned k = kKernels - 1;
  b.here(0);
  b.load(QSM_SCHEME_PACE);
  b.in.full = true;
  b.cycle();
  tap.expect(!b.no_mem(0), "kept from memory without a goal on the GPU");
  b.in.qos[k] = true;
  if (kKernels > 1)
    tap.expect(b.no_mem(0) && b.open(0) && !b.gaps(0) && !b.throttled(0),
               "more than memory is closed, or less");
  tap.expect(!b.no_mem(k) && b.open(k) == (b.ref.slots[k].c > 0), "a goal makes no difference");
  b.in.full = false;
  tap.expect(!b.no_mem(0), "kept from memory without being full");
  b.in.full = true;
  b.word(0, 10, 0);
  b.load(QSM_SCHEME_ROLLOVER);
  tap.expect(!b.no_mem(0), "kept from memory under another scheme");
  tap.done("R-PA-19: full keeps memory instructions of kernels without a goal back, nothing else");
}

// R-PA-5: what is due begins with each quota, beside and before instalments and judging.
void test_due_begins(qsm_unit::Tap &tap) {
  const unsigned k = kKernels - 1;
  for (unsigned wait = 0; wait < 4; wait++) {
    Bench b(tap);
    b.in.qos[k] = true;
    b.load(QSM_SCHEME_PACE);
    b.in.first_quota[k] = 500;
    b.in.sample = true;
    for (unsigned n = 0; n < wait; n++) b.cycle();
    b.in.arrive = static_cast<int>(k);  // with wait 1 in the cycle of the instalment
    b.cycle();
    b.here(k);
    const unsigned flags = b.flags(k);
    tap.expect(b.due(k) == 500 && flags == (wait == 0   ? kSpared | kToPace
                                            : wait == 1 ? kSpared | kToJudge
                                                        : kSpared),
               "wait %u: due %lld, flags %x", wait, static_cast<long long>(b.due(k)), flags);
    for (unsigned n = 0; n < 4; n++) b.cycle();
    tap.expect(b.flags(k) == (wait == 0 ? 0 : kSpared), "behind by what was due before");
    b.in.arrive = static_cast<int>(k);  // a second block is none
    b.sample();
    b.sample();
    expect_paced(tap, b, k, {500, wait == 0 ? 490 : 495, kBehind}, "first quota");
    b.here(k, false);
    b.load(QSM_SCHEME_PACE);
    expect_paced(tap, b, k, {0, 0, kSpared}, "dropped");
    b.sample();
    expect_paced(tap, b, k, {0, 0, 0}, "dropped, and a sample");
    b.in.first_quota[k] = 128;
    b.in.arrive = static_cast<int>(k);
    b.cycle();
    b.here(k);
    expect_paced(tap, b, k, {128, 128, kSpared}, "a first block again");
    b.load(QSM_SCHEME_ELASTIC);  // a start of Elastic gives quotas anew
    b.load(QSM_SCHEME_PACE);
    for (unsigned n = 0; n < 2 * kKernels; n++) b.cycle();
    expect_paced(tap, b, k, {128, 128, kSpared}, "Elastic's start");
  }
  tap.done("R-PA-5: what is due begins with every quota");
}

// R-PA-4 leaves C far below the bound of R-QC-2, at which it then stops.
void test_pace_debt(qsm_unit::Tap &tap) {
  Bench b(tap);
  const unsigned k = kKernels - 1;
  // With -DebtMax - 1 and -3 * DebtMax no single bit above DebtMax tells it.
  for (int64_t beyond : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{5000}, 2 * b.ref.debt_max}) {
    const int64_t c = -b.ref.debt_max - beyond;
    b.load(QSM_SCHEME_NONE);
    paced_load(b, k, 100, 100 - c);
    expect_c(tap, b, k, c);
    tap.expect(!b.open(k) && b.throttled(k), "open with a debt");
    b.load(QSM_SCHEME_NONE);
    b.spend_exactly(k, 2);
    expect_c(tap, b, k, c < -b.ref.debt_max ? c : c - 2);
  }
  tap.done("R-PA-4, R-QC-2: a debt beyond its bound grows no more");
}

// R-SC-15: an SM has quotas, becomes a kernel's own, moves and is shared again; the loads say so.
void test_sm_rollover(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.in.qos[0] = true;
  b.here(0);
  b.word(0, 100, 50);
  b.load(QSM_SCHEME_SM_ROLLOVER);
  b.spend(0, 100);
  tap.expect(!b.open(0) && b.throttled(0), "the quota is spent, on a common SM");
  b.load(QSM_SCHEME_NONE);
  tap.expect(b.open(0) && !b.throttled(0), "held without a quota on an SM of its own");
  b.spend(0, 1000);
  tap.expect(b.open(0), "held by what it issues on an SM of its own");
  b.load(QSM_SCHEME_NONE);
  tap.expect(b.c(0) < 0 && b.open(0), "a load that brings nothing");
  b.word(0, 70, 50);
  tap.expect(b.open(0), "a word closes nothing before its load");
  b.load(QSM_SCHEME_SM_ROLLOVER);
  expect_c(tap, b, 0, 70);  // its debt is forgiven
  tap.expect(b.open(0), "a quota on an SM that is shared again");
  b.word(0, 70, 50);
  b.load(QSM_SCHEME_SM_ROLLOVER);
  expect_c(tap, b, 0, 120);  // as rollover
  tap.done("R-SC-15: held by the loads that bring quotas, open by those that say none");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, argv[0]);
  qsm_unit::Tap tap(25);
  qsm_unit::begin_with_anything();
  test_decrement(tap);
  test_prio_enc(tap);
  test_first_delays_load(tap);
  test_load(tap);
  test_keep(tap);
  test_figure4(tap);
  test_refill(tap);
  test_debt(tap);
  test_elastic(tap);
  test_elastic_words(tap);
  test_rollover_time(tap);
  test_fair(tap);
  test_frozen(tap);
  test_longest_epoch(tap);
  test_sm_rollover(tap);
  test_instalments(tap);
  test_pace_cycles(tap);
  test_late(tap);
  test_pace_changes(tap);
  test_kept(tap);
  test_saving(tap);
  test_full(tap);
  test_due_begins(tap);
  test_pace_debt(tap);
  test_random(tap, random);
  return tap.exit_code();
}
