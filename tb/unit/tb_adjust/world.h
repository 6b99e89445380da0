// SPDX-License-Identifier: Apache-2.0
// SMs full of thread blocks for the adjuster: what the TB scheduler would show it, made up and kept
// consistent by hand.
#ifndef QSM_ADJUST_WORLD_H
#define QSM_ADJUST_WORLD_H

#include "../common/qsm_unit.h"
#include "adjust_ref.h"

class World {
 public:
  static constexpr unsigned kNobody = ~0u;

  explicit World(const AdjustParams &params)
      : p(params), place(p.n_sms, std::vector<unsigned>(p.max_tbs, kNobody)) {
    view.adjust = true;
    view.kernel.resize(p.n_kernels);
    view.sm.resize(p.n_sms);
    for (AdjustView::Kernel &k : view.kernel) {
      k.mask = (uint64_t{1} << p.n_sms) - 1;
      k.busy = k.has_block = true;
    }
    for (AdjustView::Sm &sm : view.sm) {
      sm.cnt.assign(p.n_kernels, 0);
      sm.target = sm.samples = sm.cnt;
      sm.free_warps.assign(p.n_sched, p.warps_per_sm / p.n_sched);
      sm.free_granules = ~uint32_t{0};
      sm.refused.assign(p.n_kernels, false);
    }
  }

  // A TB of k on SM i, if there is room for it.
  bool dispatch(unsigned i, unsigned k) {
    AdjustView::Sm &sm = view.sm[i];
    const AdjustView::Kernel &kernel = view.kernel[k];
    const int found = tb_place(sm.free_warps, sm.first, kernel.warps);
    unsigned slot = 0;
    while (slot < p.max_tbs && holds(i, slot)) slot++;
    const int base = lowest_run(sm.free_granules, kernel.granules);
    if (slot == p.max_tbs || base < 0 || found < 0) return false;
    const unsigned f = static_cast<unsigned>(found);
    for (unsigned w = 0; w < kernel.warps; w++) sm.free_warps[(f + w) % p.n_sched]--;
    sm.free_granules &= ~run(static_cast<unsigned>(base), kernel.granules);
    sm.age.push_back(AdjustView::Tb{slot, k, f, static_cast<unsigned>(base)});
    sm.first = (f + kernel.warps) % p.n_sched;
    sm.cnt[k]++;
    view.kernel[k].out++;
    unsigned hole = 0;  // the younger ones move on as far as the first hole
    while (place[i][hole] != kNobody) hole++;
    for (; hole > 0; hole--) place[i][hole] = place[i][hole - 1];
    place[i][0] = slot;
    return true;
  }

  // The n-th oldest TB of SM i leaves.
  void retire(unsigned i, std::size_t n) {
    AdjustView::Sm &sm = view.sm[i];
    const AdjustView::Tb tb = sm.age[n];
    AdjustView::Kernel &kernel = view.kernel[tb.kernel];
    sm.age.erase(sm.age.begin() + static_cast<std::ptrdiff_t>(n));
    for (unsigned w = 0; w < kernel.warps; w++) sm.free_warps[(tb.first + w) % p.n_sched]++;
    sm.free_granules |= run(tb.base, kernel.granules);
    sm.cnt[tb.kernel]--;
    kernel.out--;
    *std::find(place[i].begin(), place[i].end(), tb.tb) = kNobody;
  }
  void retire_youngest(unsigned i, unsigned k) {
    for (std::size_t n = view.sm[i].age.size(); n-- > 0;) {
      if (view.sm[i].age[n].kernel != k) continue;
      retire(i, n);
      return;
    }
  }

  const AdjustView::Tb *holds(unsigned i, unsigned slot) const {
    for (const AdjustView::Tb &tb : view.sm[i].age) {
      if (tb.tb == slot) return &tb;
    }
    return nullptr;
  }

  static uint32_t run(unsigned base, unsigned n) {
    return n == 0 ? 0 : (~uint32_t{0} >> (32 - n)) << base;
  }
  static int lowest_run(uint32_t free, unsigned n) {
    for (unsigned base = 0; base + n <= 32; base++) {
      if ((free & run(base, n)) == run(base, n)) return static_cast<int>(base);
    }
    return -1;
  }

  const AdjustParams p;
  AdjustView view;
  std::vector<std::vector<unsigned>>
      place;  // [SM][place]: TB slot or nobody, the youngest first (qsm_tb_ages)
};

#endif
