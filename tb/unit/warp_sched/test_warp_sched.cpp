// SPDX-License-Identifier: Apache-2.0
// Warp scheduling policies (qsm_warp_sched) and their C twin against references: the rules of the
// pages (sched_ref.h), the paper's Algorithm 1 for two groups (algorithm1.h), and traces that were
// checked by hand.
#include <string>

#include "algorithm1.h"
#include "bench.hpp"

namespace {

// R-PO-2: starts at slot 0, keeps a warp until it stalls, goes on after it once it has finished.
void test_lrr(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.in.policy = QSM_POLICY_LRR;
  b.in.resident = kAll;
  b.names(0, kAll);
  b.names(0, kAll);
  if (kWarps >= 3) {
    b.names(1, kAll & ~uint64_t{1});
    b.names(1, kAll);
    b.names(kNone, 0);
    b.names(1, kAll);                    // the order persists over an idle cycle
    b.names(kNone, 0, kNone, 1);         // warp 1 finishes
    b.names(2, kAll & ~uint64_t{2}, 1);  // a new warp in its slot is not the old one
    b.names(kNone, 0, kNone, 1);         // another warp's finish changes nothing
    b.names(2, kAll & ~uint64_t{2});
    b.names(2, kAll & ~uint64_t{2}, kNone, 2);  // issues and finishes: it is gone
    b.names(kWarps == 3 ? 0 : 3, kAll & ~uint64_t{6});
  }
  tap.done("R-PO-1, R-PO-2: lrr stays with a warp until it stalls or finishes");
}

// R-PO-3 and the page's example.
void test_gto(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.in.resident = kAll;
  b.names(0, 1);
  if (kWarps >= 3) {
    Bench page(tap);
    page.in.resident = kAll;
    page.names(1, 6);
    page.names(1, 6);
    page.names(0, 5);
    page.names(0, 5);
    page.names(2, 4);
    page.names(2, 5);  // greedy: stays though 0 is older
    page.names(kNone, 0, kNone, 0);
    page.names(1, 2, 0);  // 2 stalls: the oldest; slot 0 gets a new warp, now the youngest
    page.names(kNone, 0, kNone, 1);
    page.names(2, 5, 1);  // order 2 0 1
    page.names(0, 3);
    page.names(kNone, 0, kNone, 0);
    page.names(1, 2, 0);  // gone is no longer greedy
    page.names(1, 7);
  }
  tap.done("R-PO-3, R-PO-5: gto is greedy, then oldest by dispatch");
}

void test_rotate(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.in.policy = QSM_POLICY_LRR_ROTATE;
  b.in.resident = kAll;
  for (unsigned n = 0; n < 3 * kWarps; n++) b.names(static_cast<int>(n % kWarps), kAll);
  b.names(0, 1);
  b.names(0, 1);  // the circle ends with the last issued warp
  tap.done("R-PO-4: lrr_rotate goes round");
}

// R-PO-6 to R-PO-8: one warp a cycle gets a place, one loses its own, and a freed place is taken a
// cycle later.
void test_two_level(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.in.policy = QSM_POLICY_TWO_LEVEL;
  b.in.resident = kAll;
  b.in.active_warps = 2;
  b.names(kNone, kAll);  // nobody is active yet
  b.names(0, kAll);
  if (kWarps >= 3) {
    b.names(0, kAll);
    b.names(1, kAll & ~uint64_t{1});  // slots 0 and 1 are active, 2 is not
    b.names(kNone, kAll & ~uint64_t{3});
    b.in.long_latency = 3;
    b.names(kNone, 4);  // demotes 0 alone; its place is taken in the next cycle
    b.names(kNone, 4);  // demotes 1, promotes 2
    b.in.long_latency = 2;
    b.names(2, 5);  // promotes 0
    b.names(2, 5);
    b.names(0, 1);
    b.in.active_warps = 1;
    b.in.long_latency = 0;
    b.names(2, 6);  // two are active: nobody is promoted, both go on
    b.in.long_latency = 1;
    b.names(2, 6);  // demotes 0
    b.names(2, 6);
    b.names(kNone, 2);
    b.names(kNone, 0, kNone, 2);  // 2 finishes and leaves its place
    b.names(kNone, 2, 2);         // 1 is promoted, older than the new warp in 2
    b.names(1, 6);
    b.set_policy(QSM_POLICY_GTO);
    b.names(1, 2);
    b.set_policy(QSM_POLICY_TWO_LEVEL);
    b.names(kNone, 2);  // begins anew
    b.names(1, 2);
  }
  tap.done("R-PO-6 to R-PO-8: two_level picks among the active, exchanges one a cycle");
}

// ---- QAWS ----

// Figure 3 as in qaws.md: four warps of nine instructions, w0 w1 resident from cycle 0, w2 w3 from
// cycle 1.
std::string figure3(qsm_unit::Tap &tap, unsigned policy, unsigned budget) {
  static const unsigned kStall[] = {0, 2, 1, 3, 1,
                                    1, 1, 5, 1, 1};  // cycles after instruction n before the next
  Bench b(tap);
  b.in.policy = policy;
  b.in.kernel[2] = b.in.kernel[3] = 1;
  b.set_budget(0, 1);
  b.set_budget(1, budget);
  unsigned issued[4] = {}, ready_at[4] = {0, 0, 1, 1};
  std::string trace;
  for (unsigned t = 0; t < 60 && issued[0] + issued[1] + issued[2] + issued[3] < 36; t++) {
    b.in.resident = b.in.eligible = 0;
    for (unsigned w = 0; w < 4; w++) {
      if (issued[w] == 9 || t < w / 2) continue;
      b.in.resident |= 1u << w;
      if (t >= ready_at[w]) b.in.eligible |= 1u << w;
    }
    // The finish of the ninth instruction's cycle needs the pick: asked of a copy of the reference.
    Reference ahead = b.ref;
    const int next = ahead.cycle(b.in);
    if (next != kNone && issued[next] == 8) b.in.finish = next;
    const int pick = b.cycle();
    trace += pick == kNone ? '-' : static_cast<char>('0' + pick);
    if (pick == kNone) continue;
    issued[pick]++;
    ready_at[pick] = t + kStall[issued[pick]];
  }
  return trace;
}

void test_figure3(qsm_unit::Tap &tap) {
  static const struct {
    unsigned policy, budget;
    const char *trace;
  } golden[] = {
      {QSM_POLICY_GTO, 4, "0100110000111100231122332222333322--33"},
      {QSM_POLICY_QAWS, 4, "0102322332222301102233300013311100--11"},
      {QSM_POLICY_QAWS, 6, "0102322332222333322013300001--111100--11"},
      {QSM_POLICY_QAWS_PROSE, 4, "0123223322221100223333000033111100--11"},
      {QSM_POLICY_QAWS_PROSE, 6, "0123223322223333221133111100--000011--00"},
  };
  for (const auto &row : golden) {
    if (kWarps < 4 || kKernels < 2) break;
    const std::string trace = figure3(tap, row.policy, row.budget);
    tap.expect(trace == row.trace, "policy %u, budget %u: %s, Figure 3 has %s", row.policy,
               row.budget, trace.c_str(), row.trace);
  }
  tap.done(
      "R-QW-6, R-QW-7: the traces of the paper's Figure 3: gto, both QAWS modes, budgets 4 and 6");
}

// Rules that a list of picks shows best: three groups, 9 > 5 > 2, one warp each but the first with
// two.
void test_groups(qsm_unit::Tap &tap) {
  if (kWarps >= 4 && kKernels >= 3) {
    Bench b(tap);
    b.in.policy = QSM_POLICY_QAWS;
    b.in.kernel[0] = b.in.kernel[1] = 1;
    b.in.kernel[2] = 2;
    b.set_budget(0, 2);
    b.set_budget(1, 9);
    b.set_budget(2, 5);
    b.in.resident = 15;  // w3 is kernel 0's
    b.names(0, 15);      // no history: the greatest budget
    b.names(2, 12);      // the front stalls: 5 comes after 9
    b.names(3, 8);       // then 2
    b.names(0, 11);      // the front stays 9
    b.set_budget(0, 7);
    b.names(0, 15);
    b.names(3, 12, kNone, 0);  // after the write 7 comes after 9
    b.names(1, 2, kNone, 1);   // the front's last member
    b.names(3, 12);            // the front has emptied: 7 is next
    tap.expect(b.ref.front == 7 && b.ref.ncs == 0, "front %u, ncs %u after 9 has emptied",
               b.ref.front, b.ref.ncs);
    b.in.throttled = 1;
    b.names(2, 4);  // 7 is throttled: 5 comes to the front
    tap.expect(b.ref.front == 5, "front %u while 7 is throttled", b.ref.front);
    b.in.throttled = 0;
    b.names(2, 12);  // 7 is back in the circle, not in front
    b.names(3, 8);
    tap.expect(b.ref.front == 5 && b.ref.ncs == 0, "front %u, ncs %u after 7 has come back",
               b.ref.front, b.ref.ncs);
    b.set_budget(1, 5);  // of a kernel without warps: that of the front
    b.names(2, 12);
    b.set_budget(1, 7);  // that of the group that issues: still not the front (R-QW-9, head_ok)
    b.names(3, 8);
  }
  tap.done(
      "R-QW-3, R-QW-5, R-QW-8: three groups in the circle, one empties, one is throttled for a while");
}

// A sub-core with warps that come, stall and go, and a host that may write.
class Crowd {
 public:
  Crowd(Bench &bench, qsm_unit::Random &random) : b_(bench), random_(random) {
    for (unsigned k = 0; k < kKernels; k++) b_.in.budget[k] = 1;
  }

  // Inputs of the next cycle. Warps that are closed by their quota are not eligible; a slot is
  // started only when it is free.
  void stir() {
    Inputs &in = b_.in;
    const unsigned s = random_.below(kWarps), f = random_.below(kWarps);
    const bool start = !has(in.resident, s) && random_.one_in(busy_ ? 3 : 12);
    const bool finish = has(in.resident, f) && random_.one_in(busy_ ? 25 : 8);
    if (random_.one_in(300)) busy_ = !busy_;
    if (random_.one_in(40)) stalling_ = random_.below(4);
    if (start) {
      in.start = static_cast<int>(s);
      next_kernel_ = random_.below(kKernels);
    }
    if (finish) in.finish = static_cast<int>(f);
    const uint64_t ready = stalling_ == 0   ? 0
                           : stalling_ == 1 ? random_.bits32() & random_.bits32()
                           : stalling_ == 2 ? random_.bits32()
                                            : ~0u;
    in.eligible = in.resident & ready & ~shut_warps();
    in.long_latency = in.resident & ~in.eligible & random_.bits32();
  }
  int cycle() {
    const int started = b_.in.start;
    const int pick = b_.cycle();
    if (started != kNone) b_.in.kernel[started] = next_kernel_;
    return pick;
  }
  void open_and_shut() {
    if (random_.one_in(20)) b_.in.throttled ^= 1u << random_.below(kKernels);
    if (random_.one_in(200)) b_.in.throttled = 0;
  }

 private:
  uint64_t shut_warps() const {
    uint64_t warps = 0;
    for (unsigned w = 0; w < kWarps; w++)
      warps |= uint64_t{has(b_.in.throttled, b_.in.kernel[w])} << w;
    return warps;
  }
  Bench &b_;
  qsm_unit::Random &random_;
  unsigned next_kernel_ = 0, stalling_ = 2;
  bool busy_ = true;
};

// What a warp is to the paper.
class PaperView {
 public:
  int cycle(const Inputs &in, const Reference &ref) {
    Algorithm1::Queue warps;
    for (unsigned w = 0; w < kWarps; w++) {
      if (!has(in.resident, w)) continue;
      const auto place = std::find(ref.order.begin(), ref.order.end(), w) - ref.order.begin();
      warps.push_back({id_[w], in.budget[in.kernel[w]], static_cast<unsigned long long>(place),
                       has(in.eligible, w)});
    }
    const int id = paper_.cycle(warps);
    if (in.finish != kNone) paper_.finished(id_[in.finish]);
    int pick = kNone;
    for (unsigned w = 0; w < kWarps; w++) {
      if (id_[w] == id && has(in.resident, w)) pick = static_cast<int>(w);
    }
    if (in.start != kNone) id_[in.start] = next_id_++;
    return pick;
  }

 private:
  Algorithm1 paper_;
  int id_[kWarps] = {};
  int next_id_ = 1;
};

void test_algorithm1(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  unsigned n_rotations = 0;
  for (unsigned round = 0; round < 60 && !tap.failed(); round++) {
    Bench b(tap);
    Crowd crowd(b, random);
    PaperView paper;
    b.in.policy = QSM_POLICY_QAWS;
    const unsigned low = 1 + random.below(round % 3 ? 4 : 255),
                   high = 1 + random.below(round % 2 ? 9 : 255);
    for (unsigned k = 0; k < kKernels; k++) b.in.budget[k] = k % 2 ? high : low;
    for (unsigned n = 0; n < 3000 && !tap.failed(); n++) {
      crowd.stir();
      const int want = paper.cycle(b.in, b.ref);
      const unsigned front = b.ref.front;
      const int got = crowd.cycle();
      n_rotations += b.ref.front != front;
      tap.expect(got == want, "round %u, cycle %u, budgets %u and %u: pick %d, Algorithm 1 has %d",
                 round, n, low, high, got, want);
    }
  }
  tap.expect(kWarps == 1 || kKernels == 1 || n_rotations > 1000, "only %u changes of the front",
             n_rotations);
  tap.done("R-QW-5, R-QW-6: qaws with two groups picks what Algorithm 1 picks, line by line");
}

// Equal budgets in either mode, and in qaws one group that is alone for whatever reason, give the
// picks of gto.
void test_equals_gto(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  unsigned n_alone = 0;
  for (unsigned round = 0; round < 40 && !tap.failed(); round++) {
    Bench b(tap);
    Crowd crowd(b, random);
    const bool equal = round % 4 != 0;
    b.in.policy = equal && round % 2 ? QSM_POLICY_QAWS_PROSE : QSM_POLICY_QAWS;
    for (unsigned k = 0; k < kKernels; k++)
      b.in.budget[k] = equal ? 1 + round : random.one_in(kKernels) ? 2 : 1;
    for (unsigned n = 0; n < 2000 && !tap.failed(); n++) {
      crowd.stir();
      unsigned low = 256, high = 0;
      for (unsigned w = 0; w < kWarps; w++) {
        if (!has(b.in.resident, w)) continue;
        low = std::min(low, b.in.budget[b.in.kernel[w]]);
        high = std::max(high, b.in.budget[b.in.kernel[w]]);
      }
      const int want = b.ref.gto(b.in.eligible);
      const int got = crowd.cycle();
      n_alone += low == high && !equal;
      tap.expect(low != high || got == want, "round %u, cycle %u, one group: pick %d, gto's %d",
                 round, n, got, want);
    }
  }
  tap.expect(kWarps == 1 || n_alone > 1000, "only %u cycles of one group among unequal budgets",
             n_alone);
  tap.done("equal budgets, and one group alone, issue as gto does");
}

// Everything: quotas, writes of policy, budgets and ACTIVE_WARPS in mid-run.
void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  Crowd crowd(b, random);
  bool above = false;
  for (unsigned n = 0; n < 300000 && !tap.failed(); n++) {
    if (random.one_in(150)) b.set_policy(random.below(QSM_POLICY_COUNT));
    if (random.one_in(50))
      b.set_budget(random.below(kKernels),
                   random.one_in(8) ? 1 + random.below(255) : 1 + random.below(5));
    if (random.one_in(100)) b.in.active_warps = 1 + random.below(16);
    crowd.open_and_shut();
    crowd.stir();
    crowd.cycle();
    above = above || b.ref.ncs > b.ref.front;
    tap.expect((b.ref.active & ~b.in.resident) == 0 && (b.ref.mark & ~b.in.resident) == 0,
               "cycle %u: a place of a warp that is gone", n);
  }
  tap.expect(b.twin.n_rests > 100, "the twin was at rest in %u cycles only", b.twin.n_rests);
  tap.expect(kWarps < 16 || above, "no front ever kept the count of a throttled one");
  tap.done(
      "R-PO-1 to R-PO-9, R-QW-1 to R-QW-9: 300,000 random cycles of all policies equal the pages");
}

// R-QW-8, R-QW-9: counts of all eight bits, kept when their group is throttled.
void test_long_counts(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  Crowd crowd(b, random);
  unsigned n_kept = 0;
  for (unsigned n = 0; n < 100000 && !tap.failed(); n++) {
    if (n % 10000 == 0) b.set_policy(n % 20000 ? QSM_POLICY_QAWS_PROSE : QSM_POLICY_QAWS);
    if (n % 10000 == 0)
      for (unsigned k = 0; k < kKernels; k++) b.set_budget(k, 160 + random.below(96));
    if (random.one_in(30)) b.in.throttled = 0;
    for (unsigned k = 0; k < kKernels; k++)
      if (b.ref.ncs >= 128 && b.in.budget[k] == b.ref.front && random.one_in(20))
        b.in.throttled = 1u << k;
    crowd.stir();
    const unsigned front = b.ref.front, ncs = b.ref.ncs;
    crowd.cycle();
    n_kept += b.ref.front != front && b.ref.ncs == ncs && ncs >= 128;
  }
  tap.expect(kWarps < 16 || n_kept > 5, "a count of 128 or more was kept %u times only", n_kept);
  tap.done("R-QW-8, R-QW-9: counts up to 255 equal the pages");
}

// R-QW-9: ncs stays within the budget while nothing is throttled, and every group that counts is in
// front within sum of budgets + m steps.
void test_bounds(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  for (unsigned round = 0; round < 30 && !tap.failed(); round++) {
    Bench b(tap);
    b.in.policy = round % 2 ? QSM_POLICY_QAWS_PROSE : QSM_POLICY_QAWS;
    unsigned sum = 0;
    for (unsigned k = 0; k < kKernels; k++) b.in.budget[k] = 1 + 2 * k + random.below(2);
    for (unsigned k = 0; k < kKernels; k++) sum += b.in.budget[k];
    for (unsigned w = 0; w < kWarps; w++) b.in.kernel[w] = w % kKernels;
    b.in.resident = kAll;
    std::map<unsigned, unsigned> seen_at;  // budget -> steps so far when it was last in front
    unsigned steps = 0;
    for (unsigned n = 0; n < 2000; n++) {
      b.in.eligible = kAll & random.bits32();
      const unsigned front = b.ref.front, ncs = b.ref.ncs;
      const bool valid = b.ref.front_valid;
      b.cycle();
      steps += valid && (b.ref.front != front || b.ref.ncs != ncs);
      seen_at[b.ref.front] = steps;
      tap.expect(b.ref.ncs <= b.ref.front, "round %u: ncs %u above budget %u", round, b.ref.ncs,
                 b.ref.front);
      for (unsigned w = 0; w < kWarps; w++) {
        const unsigned budget = b.in.budget[b.in.kernel[w]];
        tap.expect(steps <= seen_at[budget] + sum + kKernels,
                   "round %u: the group of budget %u waits for %u steps", round, budget,
                   steps - seen_at[budget]);
      }
    }
    tap.expect(kKernels == 1 || kWarps < 2 * kKernels || steps > sum, "round %u: %u steps only",
               round, steps);
  }
  tap.done("R-QW-9: ncs stays within the budget, every group has its turn within the bound");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, argv[0]);
  qsm_unit::Tap tap(11);
  qsm_unit::begin_with_anything();
  test_lrr(tap);
  test_gto(tap);
  test_rotate(tap);
  test_two_level(tap);
  test_figure3(tap);
  test_groups(tap);
  test_algorithm1(tap, random);
  test_equals_gto(tap, random);
  test_bounds(tap, random);
  test_long_counts(tap, random);
  test_random(tap, random);
  return tap.exit_code();
}
