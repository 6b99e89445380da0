// SPDX-License-Identifier: Apache-2.0
// Drives the block and its C twin side by side against the reference: the picks of both, and the
// twin's registers.
#ifndef QSM_WARP_SCHED_BENCH_H
#define QSM_WARP_SCHED_BENCH_H

#include "Vqsm_warp_sched.h"
#include "Vqsm_warp_sched___024root.h"

#include <array>

#include "../common/qsm_unit.h"
#include "sched_ref.h"

extern "C" {
#include "qsm_warp_sched.h"
}

constexpr unsigned kWarps = NUM_WARPS;
constexpr unsigned kKernels = NUM_KERNELS;
constexpr uint64_t kAll = (uint64_t{1} << kWarps) - 1;

class Twin {
 public:
  Twin() { qsm_warp_sched_reset(&sched, kWarps); }

  int cycle(const Inputs &in) {
    uint32_t of_kernel[kKernels] = {}, budget[kKernels];
    for (unsigned w = 0; w < kWarps; w++) of_kernel[in.kernel[w]] |= 1u << w;
    for (unsigned k = 0; k < kKernels; k++) budget[k] = in.budget[k];
    qsm_sched_in seen = {};
    seen.policy = in.policy;
    seen.resident = static_cast<uint32_t>(in.resident);
    seen.eligible = static_cast<uint32_t>(in.eligible);
    seen.long_latency = static_cast<uint32_t>(in.long_latency);
    seen.active_warps = in.active_warps;
    seen.n_kernels = kKernels;
    seen.of_kernel = of_kernel;
    seen.budget = budget;
    seen.restart = in.restart;
    seen.throttled = in.throttled;
    seen.finish =
        in.finish == kNone ? static_cast<uint32_t>(QSM_NONE) : static_cast<uint32_t>(in.finish);
    const qsm_warp_sched before = sched;
    const uint32_t pick = qsm_warp_sched_step(&sched, &seen);
    // A state that is said to rest does: a sub-core that sleeps relies on it.
    if (seen.eligible == 0 && in.finish == kNone && in.restart == 0) {
      rests_wrongly =
          rests_wrongly || (qsm_warp_sched_settled(&before, &seen) && !same(before, sched));
      n_rests += qsm_warp_sched_settled(&before, &seen);
    }
    if (in.start != kNone) qsm_warp_sched_started(&sched, static_cast<uint32_t>(in.start));
    return pick == QSM_NONE ? kNone : static_cast<int>(pick);
  }

  bool equals(const Reference &ref) const {
    const qsm_qaws &q = sched.qaws;
    return sched.active == ref.active && q.valid == ref.front_valid &&
           (!q.valid || q.budget == ref.front) && q.ncs == ref.ncs && q.head_ok == ref.head_ok &&
           q.prev == ref.prev && q.mark == ref.mark && sched.last == ref.last &&
           sched.gone == ref.gone;
  }

  qsm_warp_sched sched;
  bool rests_wrongly = false;
  unsigned n_rests = 0;

 private:
  static bool same(const qsm_warp_sched &a, const qsm_warp_sched &b) {
    return a.active == b.active && qsm_qaws_front(&a.qaws) == qsm_qaws_front(&b.qaws) &&
           a.qaws.head_ok == b.qaws.head_ok && a.qaws.prev == b.qaws.prev &&
           a.qaws.mark == b.qaws.mark && a.last == b.last && a.gone == b.gone;
  }
};

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : tap_(tap) {
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
    in.kernel.assign(kWarps, 0);
    in.budget.assign(kKernels, 1);
  }

  // One cycle with the inputs `in`; returns the block's pick. Start, finish and restart last one
  // cycle.
  int cycle() {
    drive();
    const int got = top.pick_valid_o ? static_cast<int>(top.pick_slot_o) : kNone;
    const int twins = twin.cycle(in), want = ref.cycle(in);
    tap_.expect(got == want && twins == want,
                "cycle %llu, policy %u, resident %llx, eligible %llx: pick %d, twin's %d, not %d",
                static_cast<unsigned long long>(n_), in.policy,
                static_cast<unsigned long long>(in.resident),
                static_cast<unsigned long long>(in.eligible), got, twins, want);
    tap_.expect(twin.equals(ref) && !twin.rests_wrongly,
                "cycle %llu, policy %u: the twin has front %x, ncs %u, active %x; not %x, %u, %llx",
                static_cast<unsigned long long>(n_), in.policy, twin.sched.qaws.budget,
                twin.sched.qaws.ncs, twin.sched.active, ref.front, ref.ncs,
                static_cast<unsigned long long>(ref.active));
    clock();
    const unsigned front = top.qaws_front_o;
    tap_.expect(front >> 16 == ref.front_valid &&
                    (!ref.front_valid || (front >> 8 & 255) == ref.front) &&
                    (front & 255) == ref.ncs,
                "cycle %llu, policy %u: shows the front %x", static_cast<unsigned long long>(n_),
                in.policy, front);
    if (in.start != kNone) in.resident |= uint64_t{1} << in.start;
    if (in.finish != kNone) in.resident &= ~(uint64_t{1} << in.finish);
    told_ = hosted();
    in.start = in.finish = kNone;
    in.restart = 0;
    n_++;
    return got;
  }

  // The same for a pick that the page or the test's writer names.
  void names(int want, uint64_t eligible, int start = kNone, int finish = kNone) {
    in.eligible = eligible;
    in.start = start;
    in.finish = finish;
    const int got = cycle();
    tap_.expect(got == want, "cycle %llu, policy %u, eligible %llx: pick %d, the rule names %d",
                static_cast<unsigned long long>(n_ - 1), in.policy,
                static_cast<unsigned long long>(eligible), got, want);
  }

  // A write of POLICY or of a budget, seen in the next cycle.
  void set_policy(unsigned policy) {
    in.policy = policy;
    in.restart = (1u << kKernels) - 1;
  }
  void set_budget(unsigned kernel, unsigned budget) {
    in.budget[kernel] = budget;
    in.restart |= 1u << kernel;
  }

  Vqsm_warp_sched top;
  Inputs in;
  Twin twin;
  Reference ref{kWarps};

 private:
  static constexpr unsigned kKernelW = qsm_unit::index_bits(kKernels);

  // Resident warps of each kernel.
  std::array<uint64_t, kKernels> hosted() const {
    std::array<uint64_t, kKernels> warps = {};
    for (unsigned w = 0; w < kWarps; w++) {
      if (has(in.resident, w)) warps[in.kernel[w]] |= uint64_t{1} << w;
    }
    return warps;
  }
  // The block learns these by starts and finishes; a test may place warps.
  void place() {
    const auto warps = hosted();
    if (warps == told_) return;
    unsigned kernels = 0;
    for (unsigned k = 0; k < kKernels; k++) {
      qsm_unit::set(top.rootp->qsm_warp_sched__DOT__of_kernel_q, k, kWarps, warps[k]);
      kernels |= (warps[k] != 0 ? 1u : 0u) << k;
    }
    top.rootp->qsm_warp_sched__DOT__u_qaws__DOT__hosted_q = static_cast<uint8_t>(kernels);
  }

  void drive() {
    place();
    top.policy_i = static_cast<uint8_t>(in.policy);
    qsm_unit::set(top.resident_i, 0, kWarps, in.resident);
    // Nobody is eligible: one way to say so is a void cycle, whatever the warps are like.
    top.issue_inhibit_i = in.eligible == 0 && qsm_unit::noise(2) != 0;
    drive_eligible(top.issue_inhibit_i ? tempting() : in.eligible);
    qsm_unit::set(top.long_latency_i, 0, kWarps, in.long_latency);
    for (unsigned w = 0; w < kWarps; w++) qsm_unit::set(top.kernel_i, w, kKernelW, in.kernel[w]);
    for (unsigned k = 0; k < kKernels; k++) {
      qsm_unit::set(top.budget_i, k, 8, in.budget[k]);
      for (unsigned j = 0; j < kKernels; j++)
        qsm_unit::set(top.above_i, k * kKernels + j, 1, in.budget[j] > in.budget[k]);
    }
    qsm_unit::set(top.restart_i, 0, kKernels, in.restart);
    qsm_unit::set(top.throttled_i, 0, kKernels, in.throttled);
    top.active_warps_i = static_cast<uint8_t>(in.active_warps);
    top.start_valid_i = in.start != kNone;
    top.start_slot_i = static_cast<uint8_t>(in.start != kNone ? static_cast<unsigned>(in.start)
                                                              : qsm_unit::noise(kWarps));
    top.start_kernel_i = static_cast<uint8_t>(
        in.start != kNone ? in.kernel[static_cast<unsigned>(in.start)] : qsm_unit::noise(kKernels));
    top.finish_valid_i = in.finish != kNone;
    top.finish_slot_i = static_cast<uint8_t>(in.finish != kNone ? static_cast<unsigned>(in.finish)
                                                                : qsm_unit::noise(kWarps));
    top.eval();
  }
  // Any warp may have a memory instruction, and a kernel issue none of these (R-PA-15, R-PA-19) or
  // have its gate shut, where it has no eligible warp of that kind; what is shut out may be able.
  void drive_eligible(uint64_t eligible) {
    uint64_t able[2] = {0, 0};  // [its instruction is of memory]
    bool mem[kWarps];
    for (bool &m : mem) m = qsm_unit::noise(2) != 0;
    unsigned open = qsm_unit::noise(1u << kKernels), no_mem = qsm_unit::noise(1u << kKernels);
    for (unsigned w = 0; w < kWarps; w++) {
      if (!has(eligible, w)) continue;
      open |= 1u << in.kernel[w];
      if (mem[w]) no_mem &= ~(1u << in.kernel[w]);
    }
    for (unsigned w = 0; w < kWarps; w++) {
      const unsigned k = in.kernel[w];
      const bool shut = !has(open, k) || (mem[w] && has(no_mem, k));
      const bool may = has(eligible, w) || (has(in.resident, w) && shut && qsm_unit::noise(2) != 0);
      able[mem[w]] |= uint64_t{may} << w;
    }
    qsm_unit::set(top.able_i, 0, kWarps, able[0]);
    qsm_unit::set(top.mem_able_i, 0, kWarps, able[1]);
    qsm_unit::set(top.gate_i, 0, kKernels, open);
    qsm_unit::set(top.no_mem_i, 0, kKernels, no_mem);
  }
  uint64_t tempting() const {
    uint64_t warps = 0;
    for (unsigned w = 0; w < kWarps; w++) {
      const bool may =
          has(in.resident, w) && !has(in.long_latency, w) && !has(in.throttled, in.kernel[w]);
      warps |= uint64_t{may && qsm_unit::noise(2) != 0} << w;
    }
    return warps;
  }
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
  std::array<uint64_t, kKernels> told_ = {};
};

#endif
