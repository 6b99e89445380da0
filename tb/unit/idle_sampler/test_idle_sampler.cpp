// SPDX-License-Identifier: Apache-2.0
// Idle-warp sampler (qsm_idle_sampler): R-SP-2 and R-SP-3 of docs/sampler.md. Sums are seen through
// snapshots.
#include <vector>

#include "Vqsm_idle_sampler.h"

#include "../common/qsm_unit.h"

using qsm_unit::get;
using qsm_unit::set;

namespace {

constexpr unsigned kKernels = NUM_KERNELS, kWarps = NUM_SCHED * NUM_WARPS, kReasons = 8,
                   kSamples = 100, kSumBits = 13;
constexpr unsigned kKernelBits = qsm_unit::index_bits(kKernels);

struct Warp {
  bool resident = false;
  unsigned kernel = 0, reason = 1;
  bool issues() const { return resident && reason == 0; }
  bool ready() const { return resident && (reason == 0 || reason >= 6); }
};

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap)
      : warps(kWarps), tap_(tap), sum_(kKernels), sampled_(kKernels), snap_(kKernels) {
    for (unsigned w = 0; w < kWarps; w++)
      warps[w] = Warp{true, w % kKernels, 7};  // that a reset must undo
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
    top.sample_i = 1;
    drive();
    clock();
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
    warps.assign(kWarps, Warp{});
  }

  // One cycle; snapshots against the reference at its start.
  void cycle(bool sample, bool tick = false) {
    top.sample_i = sample;
    top.tick_i = tick;
    drive();
    top.eval();
    for (unsigned k = 0; k < kKernels; k++) {
      const auto got = static_cast<unsigned>(get(top.snap_idle_o, k, kSumBits));
      tap_.expect(got == snap_[k], "kernel %u: snapshot %u, not %u", k, got, snap_[k]);
    }
    // What was sampled in the cycle before is added now.
    for (unsigned k = 0; k < kKernels; k++) sum_[k] += sampled_[k];
    if (ticked_) {
      snap_ = sum_;
      sum_.assign(kKernels, 0);
    }
    sampled_.assign(kKernels, 0);
    ticked_ = tick;
    for (const Warp &w : warps) {
      if (sample && w.resident && (w.reason == 6 || w.reason == 7)) sampled_[w.kernel]++;
    }
    clock();
  }

  // Of the warps of a sub-core with reason 0 all but the first lose.
  void one_issues() {
    for (unsigned s = 0; s < NUM_SCHED; s++) {
      bool issued = false;
      for (unsigned w = s * NUM_WARPS; w < (s + 1) * NUM_WARPS; w++) {
        if (!warps[w].issues()) continue;
        if (issued) warps[w].reason = 7;
        issued = true;
      }
    }
  }

  unsigned snap(unsigned k) {
    top.eval();
    return static_cast<unsigned>(get(top.snap_idle_o, k, kSumBits));
  }

  Vqsm_idle_sampler top;
  std::vector<Warp> warps;

 private:
  struct Issued {
    bool valid = false;
    unsigned kernel = 0;
  };
  // Of a sub-core one warp issues at most.
  void drive() {
    for (unsigned s = 0; s < NUM_SCHED; s++) {
      const Warp *picked = nullptr;
      for (unsigned w = s * NUM_WARPS; w < (s + 1) * NUM_WARPS; w++) {
        set(top.kernel_i, w, kKernelBits, warps[w].kernel);
        set(top.ready_i, w, 1, warps[w].ready());
        if (warps[w].issues()) picked = &warps[w];
      }
      // told one cycle later
      set(top.issued_valid_i, s, 1, issued_[s].valid);
      set(top.issued_kernel_i, s, kKernelBits,
          issued_[s].valid ? issued_[s].kernel : qsm_unit::noise(kKernels));
      issued_[s] = picked != nullptr ? Issued{true, picked->kernel} : Issued{};
    }
  }
  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
  std::vector<unsigned> sum_, sampled_, snap_;
  bool ticked_ = false;
  std::vector<Issued> issued_ = std::vector<Issued>(NUM_SCHED);
};

void test_reasons(qsm_unit::Tap &tap) {
  for (unsigned reason = 0; reason < kReasons; reason++) {
    Bench b(tap);
    for (unsigned w = 0; w < kWarps; w++) b.warps[w] = Warp{true, kKernels - 1, reason};
    b.one_issues();
    b.cycle(true, true);
    b.cycle(false);
    const unsigned want = reason >= 6 ? kWarps : reason == 0 ? kWarps - NUM_SCHED : 0;
    tap.expect(b.snap(kKernels - 1) == want, "reason %u: %u warps, not %u", reason,
               b.snap(kKernels - 1), want);
  }
  tap.done("R-SP-2, W9: warps that wait for a unit or lost arbitration are idle, others are not");
}

void test_place(qsm_unit::Tap &tap) {
  for (unsigned w = 0; w < kWarps; w++) {
    for (bool resident : {true, false}) {
      Bench b(tap);
      b.warps[w] = Warp{resident, w % kKernels, 7};
      b.cycle(true, true);
      b.cycle(false);
      for (unsigned k = 0; k < kKernels; k++) {
        const unsigned want = resident && k == w % kKernels;
        tap.expect(b.snap(k) == want, "warp %u, kernel %u: %u, not %u", w, k, b.snap(k), want);
      }
    }
  }
  tap.done("R-SP-2: each resident warp of all sub-cores counts for its kernel, once");
}

void test_epoch(qsm_unit::Tap &tap) {
  for (unsigned k = 0; k < kKernels; k++) {
    Bench b(tap);
    for (Warp &w : b.warps) w = Warp{true, k, 6};
    unsigned last = 0;
    for (unsigned samples : {kSamples, kSamples, 64u, 32u, 16u, 8u, 4u, 2u,
                             1u}) {  // fewer: so that each bit of a sum is set once
      for (unsigned n = 1; n < samples; n++) {
        b.cycle(true);
        b.cycle(false);
        tap.expect(b.snap(k) == last, "the snapshot changes within the epoch");
      }
      b.cycle(true, true);
      b.cycle(false);
      last = samples * kWarps;
      tap.expect(b.snap(k) == last, "kernel %u, %u samples: %u", k, samples, b.snap(k));
    }
  }
  tap.done("R-SP-3: a hundred samples of all warps, that of the tick included, and from 0 again");
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  for (unsigned n = 0; n < 30000 && !tap.failed(); n++) {
    for (Warp &w : b.warps) {
      if (random.one_in(3))
        w = Warp{!random.one_in(4), random.below(kKernels), random.below(kReasons)};
    }
    b.one_issues();
    const bool tick = random.one_in(60);
    b.cycle(tick || random.one_in(3), tick);
  }
  tap.done("30,000 random cycles equal the reference");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, argv[0]);
  qsm_unit::Tap tap(4);
  qsm_unit::begin_with_anything();
  test_reasons(tap);
  test_place(tap);
  test_epoch(tap);
  test_random(tap, random);
  return tap.exit_code();
}
