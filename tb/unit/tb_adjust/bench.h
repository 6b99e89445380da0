// SPDX-License-Identifier: Apache-2.0
// qsm_tb_adjust beside adjust_ref.h: every output and event, in every cycle.
#ifndef QSM_ADJUST_BENCH_H
#define QSM_ADJUST_BENCH_H

#include "Vqsm_tb_adjust.h"
#include "Vqsm_tb_adjust___024root.h"

#include "world.h"

namespace adjust_bench {

using qsm_unit::get;
using qsm_unit::set;

const AdjustParams kParams = {NUM_SMS, NUM_KERNELS, NUM_SCHED, WARPS_PER_SM, MAX_TBS};
const uint64_t kAllSms = (uint64_t{1} << NUM_SMS) - 1;
const unsigned kTbW = qsm_unit::index_bits(MAX_TBS);
const unsigned kKernelW = qsm_unit::index_bits(NUM_KERNELS);
const unsigned kSubW = qsm_unit::index_bits(NUM_SCHED);
const unsigned kFreeW = qsm_unit::index_bits(WARPS_PER_SM / NUM_SCHED + 1);
const unsigned kCountW = qsm_unit::index_bits(MAX_TBS + 1);
const unsigned kOutW = qsm_unit::index_bits(NUM_SMS * MAX_TBS + 1);
const unsigned kBehind = 0x10001, kReached = 0x10000;  // ratios

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : world(kParams), ref(kParams), tap_(tap) {
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  // One cycle with the pulses in the world's view, which are then cleared.
  void cycle() {
    drive();
    top.eval();
    look_up();
    top.eval();
    same("busy", 0, top.busy_o, ref.busy());
    for (unsigned n = 0; n < NUM_SMS * NUM_KERNELS; n++) {
      same("evict", n, get(top.evict_o, n, 1), ref.evict[n / NUM_KERNELS][n % NUM_KERNELS]);
    }
    const auto &seen = *top.rootp;
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      same("wait", k, get(seen.qsm_tb_adjust__DOT__u_late__DOT__wait_q, k, 1), ref.waits(k));
      same("late", k, get(seen.qsm_tb_adjust__DOT__u_late__DOT__late_q, k, 1), ref.late(k));
    }
    for (unsigned i = 0; i < NUM_SMS; i++)
      same("settled", i, get(seen.qsm_tb_adjust__DOT__settled, i, 1), ref.settled(world.view, i));
    out = ref.step(world.view);
    same("raise", 0, top.raise_o, out.raises >= 0 ? uint64_t{1} << out.raises : 0);
    same("lower", 0, top.lower_o, out.lowers >= 0 ? uint64_t{1} << out.lowers : 0);
    if (out.raises >= 0) {
      same("sm", 0, top.sm_o, out.sm);
      same("raised", 0, top.raised_o, out.raised);
    }
    same("realloc", 0, top.realloc_o, out.reallocates);
    if (out.lowers >= 0) {
      same("sm", 0, top.sm_o, out.sm);
      same("lowered", 0, top.lowered_o, out.lowered);
    }
    compare_ask();
    compare_claim();
    const uint32_t granules = top.fit_granules_o;
    const unsigned length = top.fit_len_o;
    clock();
    answer(granules, length);
    AdjustView &view = world.view;
    if (out.raises >= 0) view.sm[out.sm].target[static_cast<unsigned>(out.raises)] = out.raised;
    if (out.lowers >= 0) view.sm[out.sm].target[static_cast<unsigned>(out.lowers)] = out.lowered;
    view.snapshot = view.epoch_done = false;
    for (AdjustView::Sm &sm : view.sm) {
      sm.alloc_writes = false;
      sm.refused.assign(NUM_KERNELS, false);
    }
    n_cycles++;
  }

  // A pass without anything else going on: the cycles that it took, what it did in `log`.
  unsigned pass() {
    log.clear();
    world.view.epoch_done = true;
    cycle();
    unsigned n = 0;
    for (; ref.busy() && !tap_.failed(); n++) {
      cycle();
      if (out.adjusted) log.push_back(out);
    }
    cycle();
    return n;
  }

  Vqsm_tb_adjust top;
  World world;
  AdjustRef ref;
  AdjustOutput out;
  std::vector<AdjustOutput> log;
  uint64_t n_cycles = 0;

 private:
  void drive() {
    const AdjustView &view = world.view;
    top.adjust_i = view.adjust;
    top.latecomers_i = view.latecomers;
    top.paced_i = view.paced;
    top.snapshot_i = view.snapshot;
    top.epoch_done_i = view.epoch_done;
    top.alloc_busy_i = view.alloc_busy;
    top.alloc_all_i = view.alloc_busy && view.alloc_all;
    top.preempting_i = view.preempting;
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const AdjustView::Kernel &kernel = view.kernel[k];
      set(top.qos_i, k, 1, kernel.qos);
      set(top.level_i, k, 2, kernel.level);
      set(top.busy_i, k, 1, kernel.busy);
      set(top.killed_i, k, 1, kernel.killed);
      set(top.has_block_i, k, 1, kernel.has_block);
      set(top.out_i, k, kOutW, kernel.out);
      set(top.mask_i, k, NUM_SMS, kernel.mask);
      set(top.capped_i, k, 1, kernel.capped);
      set(top.ratio_i, k, 22, kernel.ratio);
      set(top.warps_i, k, 7, kernel.warps);
      set(top.whole_i, k, kFreeW, kernel.warps / NUM_SCHED);
      set(top.rest_i, k, kSubW, kernel.warps % NUM_SCHED);
      set(top.granules_i, k, 6, kernel.granules);
    }
    for (unsigned i = 0; i < NUM_SMS; i++) drive_sm(i, view.sm[i]);
  }

  void drive_sm(unsigned i, const AdjustView::Sm &sm) {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const unsigned n = i * NUM_KERNELS + k;
      set(top.idle_i, n, 13, sm.samples[k]);
      set(top.cnt_i, n, 6, sm.cnt[k]);
      set(top.target_i, n, 6, sm.target[k]);
      set(top.evict_refused_i, n, 1, sm.refused[k]);
    }
    for (unsigned j = 0; j < NUM_SCHED; j++)
      set(top.free_warps_i, i * NUM_SCHED + j, kFreeW, sm.free_warps[j]);
    set(top.first_i, i, kSubW, sm.first);
    set(top.alloc_we_i, i, 1, sm.alloc_writes);
    set(top.restoring_i, i, 1, sm.restoring);
    for (unsigned n = 0; n < MAX_TBS; n++) {
      const unsigned slot = world.place[i][n];
      set(top.age_valid_i, i * MAX_TBS + n, 1, slot != World::kNobody);
      set(top.age_tb_i, i * MAX_TBS + n, kTbW, slot != World::kNobody ? slot : n);
      set(top.age_kernel_i, i * MAX_TBS + n, kKernelW,
          slot != World::kNobody ? world.holds(i, slot)->kernel : 0);
    }
  }

  // What the scheduler answers in the next cycle.
  void answer(uint32_t granules, unsigned length) {
    const int base = World::lowest_run(granules, length);
    top.fit_found_i = base >= 0;
    top.fit_run_i = base >= 0 ? World::run(static_cast<unsigned>(base), length) : 0xdeadbeef;
  }

  // And within the cycle.
  void look_up() {
    const unsigned sm = top.sm_o < NUM_SMS ? top.sm_o : 0;  // before the first pass it is anything
    const AdjustView::Tb *tb = world.holds(sm, top.look_tb_o);
    top.free_granules_i = world.view.sm[sm].free_granules;
    top.look_first_i = static_cast<uint8_t>(tb != nullptr ? tb->first : 0);
    top.look_base_i = static_cast<uint8_t>(tb != nullptr ? tb->base : 31);
  }

  // The event ASK.
  void compare_ask() {
    const auto &seen = *top.rootp;
    same("asked", 0, seen.qsm_tb_adjust__DOT__asked, out.asked);
    if (!out.asked) return;
    same("sm", 0, top.sm_o, out.sm);
    same("ask", 0, seen.qsm_tb_adjust__DOT__ask, out.ask);
    for (unsigned k = 0; k < NUM_KERNELS; k++)
      same("idle", k, get(seen.qsm_tb_adjust__DOT__idle_q, k, 7), ref.idle[k]);
  }

  // The event CLAIM.
  void compare_claim() {
    const auto &seen = *top.rootp;
    same("tried", 0, seen.qsm_tb_adjust__DOT__claim_tried, out.tried);
    if (!out.tried) return;
    same("sm", 0, top.sm_o, out.sm);
    same("claimer", 0, seen.qsm_tb_adjust__DOT__asker_idx, out.kernel);
    same("claim fits", 0, seen.qsm_tb_adjust__DOT__fits, out.fits);
    for (unsigned k = 0; k < NUM_KERNELS; k++)
      same("left", k, get(seen.qsm_tb_adjust__DOT__u_claim__DOT__left_q, k, kCountW), out.left[k]);
  }

  void same(const char *what, unsigned index, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s[%u] is %llu, must be %llu",
                static_cast<unsigned long long>(n_cycles), what, index,
                static_cast<unsigned long long>(seen), static_cast<unsigned long long>(wanted));
  }

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
};

void test_claims(qsm_unit::Tap &tap);
const unsigned kClaimTests = 7;

}  // namespace adjust_bench

#endif
