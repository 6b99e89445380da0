// SPDX-License-Identifier: Apache-2.0
// Run-time adjustment of thread blocks as docs/tb_adjust.md says it: an agenda of steps of one cycle each, pictures with every warp placed.
#ifndef QSM_ADJUST_REF_H
#define QSM_ADJUST_REF_H

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

struct AdjustParams {
  unsigned n_sms, n_kernels, n_sched, warps_per_sm, max_tbs;
};

// What the adjuster sees in a cycle: registers at its start, pulses.
struct AdjustView {
  struct Kernel {
    bool qos = false, busy = false, killed = false, has_block = false;
    unsigned out = 0, ratio = 0, warps = 1, granules = 0;
    uint64_t mask = 0;
  };
  struct Tb {
    unsigned tb, kernel, first, base;
  };
  struct Sm {
    std::vector<unsigned> cnt, target, samples;  // per kernel; samples: snap_idle
    std::vector<unsigned> free_warps;            // per sub-core
    uint32_t free_granules = 0;
    unsigned first = 0;
    std::vector<Tb> age;                         // resident TBs, the oldest first
    bool alloc_writes = false;                   // pulse
    std::vector<bool> refused;                   // pulse per kernel
  };
  bool adjust = false, snapshot = false, epoch_done = false, alloc_busy = false, preempting = false;
  std::vector<Kernel> kernel;
  std::vector<Sm> sm;
};

// What it decides in a cycle.
struct AdjustOutput {
  bool asked = false, adjusted = false, has_victim = false, reallocates = false;
  unsigned sm = 0, kernel = 0, victim = 0, n = 0, victim_class = 0;
  unsigned raised = 0, lowered = 0;  // targets
  uint64_t ask = 0;                  // slots
  bool tie = false;                  // the victim was no better than another slot
};

class AdjustRef {
 public:
  explicit AdjustRef(const AdjustParams &params)
      : p(params), evict(p.n_sms, std::vector<bool>(p.n_kernels, false)), want_(p.n_kernels), here_(p.n_kernels), left_(p.n_kernels), starved_(p.n_kernels) {}

  bool busy() const { return !agenda_.empty(); }

  AdjustOutput step(const AdjustView &view) {
    AdjustOutput out;
    std::vector<std::vector<bool>> flags = evict;
    for (unsigned i = 0; i < p.n_sms; i++) {
      for (unsigned k = 0; k < p.n_kernels; k++) {
        const AdjustView::Sm &sm = view.sm[i];
        if (sm.cnt[k] <= sm.target[k] || sm.refused[k] || sm.alloc_writes) flags[i][k] = false;
      }
    }
    if (!busy()) {
      start(view);
      out.reallocates = view.epoch_done && !view.alloc_busy && !busy() && someone_starves(view);
    } else if (view.alloc_busy || view.snapshot) {
      agenda_.clear();
    } else {
      const Step now = agenda_.front();
      agenda_.pop_front();
      act(view, now, out);
      if (out.has_victim) flags[out.sm][out.victim] = true;
      if (out.has_victim && out.lowered == 0) starved_[out.victim] = true;
    }
    if (view.alloc_busy) starved_.assign(p.n_kernels, false);  // it starts in this cycle, or has started since any of them
    evict = flags;
    return out;
  }

  const AdjustParams p;
  std::vector<std::vector<bool>> evict;  // [SM][slot]
  std::vector<unsigned> idle;            // TBs of each slot, of the SM that is looked at

 private:
  enum Kind { kSetup, kDivide, kAsk, kFit, kTrial, kFree, kApply };
  struct Step {
    Kind kind;
    unsigned sm, k, m;
  };
  struct Picture {
    unsigned free_slots = 0, first = 0;
    std::vector<unsigned> free_warps;
    uint32_t free_granules = 0;
  };
  struct Best {
    bool valid = false, tie = false;
    unsigned slot = 0, n = 0, cls = 0, idle = 0, ratio = 0;
  };

  void start(const AdjustView &view) {
    pending_ = view.preempting;
    for (const std::vector<bool> &flags : evict) {
      for (bool flag : flags) pending_ = pending_ || flag;
    }
    bool some = false;
    for (unsigned k = 0; k < p.n_kernels; k++) {
      const AdjustView::Kernel &s = view.kernel[k];
      want_[k] = s.qos && s.has_block && s.ratio > 0x10000;
      some = some || want_[k];
    }
    if (!view.epoch_done || !view.adjust || view.alloc_busy || !some) return;
    for (unsigned i = 0; i < p.n_sms; i++) agenda_.push_back(Step{kSetup, i, 0, 0});
  }

  // R-TA-9.
  bool someone_starves(const AdjustView &view) const {
    for (unsigned k = 0; k < p.n_kernels; k++) {
      if (starved_[k] && view.kernel[k].has_block && view.kernel[k].out == 0) return true;
    }
    return false;
  }

  // Steps that come before all others, in their order.
  void insert(const std::vector<Step> &steps) { agenda_.insert(agenda_.begin(), steps.begin(), steps.end()); }
  void leave_sm() {
    while (!agenda_.empty() && agenda_.front().kind != kSetup) agenda_.pop_front();
  }

  void act(const AdjustView &view, const Step &now, AdjustOutput &out) {
    const AdjustView::Sm &sm = view.sm[now.sm];
    switch (now.kind) {
      case kSetup: set_up(sm, now.sm); break;
      case kDivide:
        if (left_[now.k] < 100 * view.kernel[now.k].warps) break;
        left_[now.k] -= 100 * view.kernel[now.k].warps;
        idle[now.k]++;
        insert({now});
        break;
      case kAsk: ask(view, now.sm, out); break;
      case kFit: fit(view, now, out); break;
      case kTrial:
        v_ = w_;
        freed_.assign(p.max_tbs, false);
        insert({Step{kFree, now.sm, now.k, now.m}});
        break;
      case kFree: try_on(view, now); break;
      case kApply: apply(sm, now, out); break;
    }
  }

  void set_up(const AdjustView::Sm &sm, unsigned i) {
    w_.free_slots = p.max_tbs - static_cast<unsigned>(sm.age.size());
    w_.first = sm.first;
    w_.free_warps = sm.free_warps;
    w_.free_granules = sm.free_granules;
    left_ = sm.samples;
    idle.assign(p.n_kernels, 0);
    std::vector<Step> steps;
    for (unsigned k = 0; k < p.n_kernels; k++) {
      here_[k] = sm.cnt[k] > 0;
      if (here_[k]) steps.push_back(Step{kDivide, i, k, 0});
    }
    steps.push_back(Step{kAsk, i, 0, 0});
    insert(steps);
  }

  void ask(const AdjustView &view, unsigned i, AdjustOutput &out) {
    const AdjustView::Sm &sm = view.sm[i];
    out.asked = true;
    out.sm = i;
    std::vector<Step> steps;
    for (unsigned k = 0; k < p.n_kernels; k++) {
      const bool full = sm.target[k] > sm.cnt[k] || sm.target[k] >= p.max_tbs;
      if (want_[k] && ((view.kernel[k].mask >> i) & 1) && !full && idle[k] <= 1) {
        steps.push_back(Step{kFit, i, k, 0});
        out.ask |= uint64_t{1} << k;
      }
    }
    insert(steps);
  }

  void fit(const AdjustView &view, const Step &now, AdjustOutput &out) {
    const AdjustView::Kernel &kernel = view.kernel[now.k];
    best_ = Best{};
    if (!kernel.busy || kernel.killed) return;
    unsigned base = 0;
    if (fits(w_, kernel, &base)) {
      w_.free_slots--;
      for (unsigned w = 0; w < kernel.warps; w++) w_.free_warps[(w_.first + w) % p.n_sched]--;
      w_.first = (w_.first + kernel.warps) % p.n_sched;
      for (unsigned g = 0; g < kernel.granules; g++) w_.free_granules &= ~(uint32_t{1} << (base + g));
      out.adjusted = true;
      out.sm = now.sm;
      out.kernel = now.k;
      out.raised = view.sm[now.sm].target[now.k] + 1;
      return;
    }
    if (pending_) return;
    std::vector<Step> steps;
    for (unsigned m = 0; m < p.n_kernels; m++) {
      if (here_[m] && m != now.k) steps.push_back(Step{kTrial, now.sm, now.k, m});
    }
    steps.push_back(Step{kApply, now.sm, now.k, 0});
    insert(steps);
  }

  void try_on(const AdjustView &view, const Step &now) {
    unsigned base;
    if (fits(v_, view.kernel[now.k], &base)) {
      judge(view.kernel[now.m], now.m);
      return;
    }
    const std::vector<AdjustView::Tb> &age = view.sm[now.sm].age;
    for (std::size_t n = age.size(); n-- > 0;) {
      const AdjustView::Tb &tb = age[n];
      if (tb.kernel != now.m || freed_[tb.tb]) continue;
      freed_[tb.tb] = true;
      v_.free_slots++;
      for (unsigned w = 0; w < view.kernel[now.m].warps; w++) v_.free_warps[(tb.first + w) % p.n_sched]++;
      for (unsigned g = 0; g < view.kernel[now.m].granules; g++) v_.free_granules |= uint32_t{1} << (tb.base + g);
      insert({now});
      return;
    }
  }

  void judge(const AdjustView::Kernel &m, unsigned slot) {
    const unsigned n = static_cast<unsigned>(std::count(freed_.begin(), freed_.end(), true));
    const int64_t out = m.out, left = out - static_cast<int64_t>(n);
    Best now{true, false, slot, n, 0, idle[slot], m.ratio};
    if (!m.qos) now.cls = 0;
    else if (now.idle >= n + 1) now.cls = 1;
    else if (left * 65536 > static_cast<int64_t>(m.ratio) * out) now.cls = 2;
    else return;
    const bool same = best_.valid && now.cls == best_.cls;
    const bool better = now.cls == 2 ? now.ratio < best_.ratio : now.idle > best_.idle;
    const bool equal = now.cls == 2 ? now.ratio == best_.ratio : now.idle == best_.idle;
    if (!best_.valid || now.cls < best_.cls || (same && better)) best_ = now;
    else if (same && equal) best_.tie = true;
  }

  void apply(const AdjustView::Sm &sm, const Step &now, AdjustOutput &out) {
    if (!best_.valid) return;
    const unsigned victim = best_.slot, cnt = sm.cnt[victim];
    out.adjusted = out.has_victim = true;
    out.sm = now.sm;
    out.kernel = now.k;
    out.victim = victim;
    out.n = best_.n;
    out.victim_class = best_.cls;
    out.tie = best_.tie;
    out.raised = sm.target[now.k] + 1;
    out.lowered = std::min(sm.target[victim], cnt > best_.n ? cnt - best_.n : 0);
    leave_sm();
  }

  // R-TB-10.
  bool fits(const Picture &picture, const AdjustView::Kernel &kernel, unsigned *base) const {
    std::vector<unsigned> left = picture.free_warps;
    if (picture.free_slots == 0) return false;
    for (unsigned w = 0; w < kernel.warps; w++) {
      unsigned &free = left[(picture.first + w) % p.n_sched];
      if (free-- == 0) return false;
    }
    for (*base = 0; *base + kernel.granules <= 32; ++*base) {
      bool all = true;
      for (unsigned g = 0; g < kernel.granules; g++) all = all && ((picture.free_granules >> (*base + g)) & 1);
      if (all) return true;
    }
    return false;
  }

  std::deque<Step> agenda_;
  bool pending_ = false;
  std::vector<bool> want_, here_, freed_;  // freed_: per TB slot
  std::vector<unsigned> left_;             // x
  std::vector<bool> starved_;
  Picture w_, v_;
  Best best_;
};

#endif
