// SPDX-License-Identifier: Apache-2.0
// Warp scheduling policies (qsm_warp_sched) against a reference written from docs/warp_sched.md:
// ages are a list of slots, and the circle is walked slot by slot.
#include <algorithm>
#include <vector>

#include "Vqsm_warp_sched.h"

#include "../common/qsm_unit.h"

namespace {

constexpr unsigned kWarps = NUM_WARPS;
constexpr unsigned kLrr = 0, kGto = 1, kRotate = 2;
constexpr int kNone = -1;

struct Reference {
  unsigned last = kWarps - 1;
  bool gone = true;
  std::vector<unsigned> order;  // oldest first

  Reference() {
    for (unsigned w = 0; w < kWarps; w++) order.push_back(w);
  }

  static int circular(uint64_t eligible, unsigned from) {
    for (unsigned n = 0; n < kWarps; n++) {
      const unsigned w = (from + n) % kWarps;
      if ((eligible >> w) & 1) return static_cast<int>(w);
    }
    return kNone;
  }

  int pick(unsigned policy, uint64_t eligible) const {
    if (policy == kLrr) return circular(eligible, gone ? last + 1 : last);
    if (policy == kRotate) return circular(eligible, last + 1);
    if (!gone && ((eligible >> last) & 1)) return static_cast<int>(last);
    for (unsigned w : order) {
      if ((eligible >> w) & 1) return static_cast<int>(w);
    }
    return kNone;
  }

  void step(int picked, int start, int finish) {
    if (picked != kNone) {
      last = static_cast<unsigned>(picked);
      gone = false;
    } else if (finish == static_cast<int>(last)) {
      gone = true;
    }
    if (start == kNone) return;
    order.erase(std::find(order.begin(), order.end(), static_cast<unsigned>(start)));
    order.push_back(static_cast<unsigned>(start));
  }
};

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : tap_(tap) {
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  // One cycle against the reference; returns the block's pick.
  int cycle(unsigned policy, uint64_t eligible, int start = kNone, int finish = kNone) {
    top.policy_i = static_cast<uint8_t>(policy);
    qsm_unit::set(top.eligible_i, 0, kWarps, eligible);
    top.start_valid_i = start != kNone;
    top.start_slot_i = static_cast<uint8_t>(std::max(start, 0));
    top.finish_valid_i = finish != kNone;
    top.finish_slot_i = static_cast<uint8_t>(std::max(finish, 0));
    top.eval();
    const int got = top.pick_valid_o ? static_cast<int>(top.pick_slot_o) : kNone;
    const int want = ref.pick(policy, eligible);
    tap_.expect(got == want, "cycle %llu, policy %u, eligible %llx: pick %d, not %d", static_cast<unsigned long long>(n_),
                policy, static_cast<unsigned long long>(eligible), got, want);
    ref.step(want, start, finish);
    clock();
    n_++;
    return got;
  }

  // The same, for a pick that the page or the test's writer names.
  void names(int want, unsigned policy, uint64_t eligible, int start = kNone, int finish = kNone) {
    const int got = cycle(policy, eligible, start, finish);
    tap_.expect(got == want, "policy %u, eligible %llx: pick %d, the rule names %d", policy,
                static_cast<unsigned long long>(eligible), got, want);
  }

  Vqsm_warp_sched top;
  Reference ref;

 private:
  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  }
  qsm_unit::Tap &tap_;
  uint64_t n_ = 0;
};

// R-PO-2: starts at slot 0, keeps a warp until it stalls, goes on after it once it has finished.
void test_lrr(qsm_unit::Tap &tap) {
  Bench b(tap);
  const uint64_t all = (uint64_t{1} << kWarps) - 1;
  b.names(0, kLrr, all);
  b.names(0, kLrr, all);
  if (kWarps >= 3) {
    b.names(1, kLrr, all & ~uint64_t{1});
    b.names(1, kLrr, all);
    b.names(kNone, kLrr, 0);
    b.names(1, kLrr, all);                        // the order persists over an idle cycle
    b.names(kNone, kLrr, 0, kNone, 1);            // warp 1 finishes
    b.names(2, kLrr, all, 1);                     // a new warp in its slot is not the old one
    b.names(kNone, kLrr, 0, kNone, 1);            // another warp's finish changes nothing
    b.names(2, kLrr, all);
    b.names(2, kLrr, all, kNone, 2);              // a pick wins over a finish of the same cycle
    b.names(2, kLrr, all);
  }
  tap.done("R-PO-1, R-PO-2: lrr stays with a warp until it stalls or finishes");
}

// R-PO-3 and the page's example.
void test_gto(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.names(0, kGto, 1);
  if (kWarps >= 3) {
    Bench page(tap);
    page.names(1, kGto, 6);
    page.names(1, kGto, 6);
    page.names(0, kGto, 5);
    page.names(0, kGto, 5);
    page.names(2, kGto, 4);
    page.names(2, kGto, 5);                       // greedy: stays though 0 is older
    page.names(0, kGto, 3, 0);                    // 2 stalls: the oldest; slot 0 gets a new warp, now the youngest
    page.names(kNone, kGto, 0, kNone, 0);
    page.names(1, kGto, 7);                       // order 1 2 0
    page.names(kNone, kGto, 0, kNone, 1);
    page.names(1, kGto, 7, 1);                    // gone is no longer greedy, but the slot is still the oldest
    page.names(2, kGto, 5);                       // order 2 0 1
  }
  tap.done("R-PO-3, R-PO-5: gto is greedy, then oldest by dispatch");
}

void test_rotate(qsm_unit::Tap &tap) {
  Bench b(tap);
  const uint64_t all = (uint64_t{1} << kWarps) - 1;
  for (unsigned n = 0; n < 3 * kWarps; n++) b.names(static_cast<int>(n % kWarps), kRotate, all);
  const uint64_t lowest = 1;
  b.names(0, kRotate, lowest);
  b.names(0, kRotate, lowest);                    // the circle ends with the last issued warp
  tap.done("R-PO-4: lrr_rotate goes round");
}

// Warps come and go as a sub-core would have it; the policy changes now and then.
void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  uint64_t resident = 0;
  unsigned policy = kLrr;
  for (unsigned n = 0; n < 200000 && !tap.failed(); n++) {
    if (random.one_in(100)) policy = random.below(3);
    const uint64_t eligible = resident & random.bits32() & (random.one_in(2) ? random.bits32() : ~0u);
    const unsigned s = random.below(kWarps), f = random.below(kWarps);
    const bool start = !((resident >> s) & 1) && random.one_in(3);
    const bool finish = ((resident >> f) & 1) && random.one_in(12);
    b.cycle(policy, eligible, start ? static_cast<int>(s) : kNone, finish ? static_cast<int>(f) : kNone);
    if (start) resident |= uint64_t{1} << s;
    if (finish) resident &= ~(uint64_t{1} << f);
  }
  tap.done("200,000 random cycles equal the reference");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, argv[0]);
  qsm_unit::Tap tap(4);
  test_lrr(tap);
  test_gto(tap);
  test_rotate(tap);
  test_random(tap, random);
  return tap.exit_code();
}
