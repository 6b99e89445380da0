// SPDX-License-Identifier: Apache-2.0
// Run-time adjustment of thread blocks as docs/tb_adjust.md says it: an agenda of steps of one
// cycle each, pictures with every warp placed.
#ifndef QSM_ADJUST_REF_H
#define QSM_ADJUST_REF_H

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "../common/tb_place.h"

struct AdjustParams {
  unsigned n_sms, n_kernels, n_sched, warps_per_sm, max_tbs;
};

// What the adjuster sees in a cycle: registers at its start, pulses.
struct AdjustView {
  struct Kernel {
    bool qos = false, busy = false, killed = false, has_block = false;
    unsigned out = 0, ratio = 0, warps = 1, granules = 0;
    uint64_t mask = 0;
    bool capped = false;  // R-TB-15
    unsigned level = 0;   // priority
  };
  struct Tb {
    unsigned tb, kernel, first, base;
  };
  struct Sm {
    std::vector<unsigned> cnt, target, samples;  // per kernel; samples: snap_idle
    std::vector<unsigned> free_warps;            // per sub-core
    uint32_t free_granules = 0;
    unsigned first = 0;
    std::vector<Tb> age;        // resident TBs, the oldest first
    bool alloc_writes = false;  // pulse
    bool restoring = false;     // its job is a restore
    std::vector<bool> refused;  // pulse per kernel
  };
  bool paced = false;  // SCHEME is pace
  bool adjust = false, latecomers = false, snapshot = false, epoch_done = false, alloc_busy = false,
       alloc_all = true,  // if alloc_busy: its run begins, over all SMs
      preempting = false;
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
  int raises = -1, lowers = -1;      // slots whose targets are written, by a pass or a claim
  bool tried = false, fits = false;  // CLAIM
  bool gives_up = false;             // the claim has found no SM
  unsigned n_surplus = 0;            // slots whose surplus is flagged (R-TA-13)
  std::vector<unsigned> left;
};

class AdjustRef {
 public:
  explicit AdjustRef(const AdjustParams &params)
      : p(params),
        evict(p.n_sms, std::vector<bool>(p.n_kernels, false)),
        want_(p.n_kernels),
        lacks_(p.n_kernels),
        here_(p.n_kernels),
        left_(p.n_kernels),
        starved_(p.n_kernels),
        waiting_(p.n_kernels),
        late_(p.n_kernels),
        turns_(p.n_sms, 2) {}

  bool busy() const { return !agenda_.empty(); }
  bool claiming() const { return busy() && agenda_.front().kind >= kPick; }
  bool waits(unsigned k) const { return waiting_[k]; }
  bool late(unsigned k) const { return late_[k]; }
  bool settled(const AdjustView &view, unsigned i) const {
    return !view.sm[i].restoring && turns_[i] >= 2;
  }

  AdjustOutput step(const AdjustView &view) {
    AdjustOutput out;
    std::vector<std::vector<bool>> flags = evict;
    for (unsigned i = 0; i < p.n_sms; i++) {
      for (unsigned k = 0; k < p.n_kernels; k++) {
        const AdjustView::Sm &sm = view.sm[i];
        if (sm.cnt[k] <= sm.target[k] || sm.refused[k] || sm.alloc_writes) flags[i][k] = false;
      }
    }
    if (view.epoch_done) {
      agenda_.clear();
      start(view);
      out.reallocates = !view.alloc_busy && !busy() && someone_starves(view);
    } else if (!busy()) {
      claim(view);
    } else if (view.alloc_busy || view.snapshot || (claiming() && !late_[agenda_.front().k])) {
      agenda_.clear();
    } else {
      const Step now = agenda_.front();
      agenda_.pop_front();
      act(view, now, out);
      for (unsigned m : surplus_) flags[out.sm][m] = true;
      out.n_surplus = static_cast<unsigned>(surplus_.size());
      surplus_.clear();
      if (out.has_victim) flags[out.sm][out.victim] = true;
      if (out.has_victim && out.lowered == 0) starved_[out.victim] = true;
      if (!out.has_victim && out.lowers >= 0 && out.n > 0) {
        flags[out.sm][static_cast<unsigned>(out.lowers)] = true;
        if (out.lowered == 0) starved_[static_cast<unsigned>(out.lowers)] = true;
      }
    }
    wait(view);
    count_turns(view);
    if (view.alloc_busy && view.alloc_all)
      starved_.assign(p.n_kernels,
                      false);  // it starts in this cycle, or has started since any of them
    evict = flags;
    return out;
  }

  const AdjustParams p;
  std::vector<std::vector<bool>> evict;  // [SM][slot]
  std::vector<unsigned> idle;            // TBs of each slot, of the SM that is looked at

 private:
  // kLook and kLookOn: the first cycle of a fit, or of a free in a trial or a claim.
  enum Kind {
    kSetup,
    kDivide,
    kAsk,
    kLook,
    kFit,
    kTrial,
    kFree,
    kApply,
    kPick,
    kShadow,
    kLookOn,
    kYield,
    kLower
  };
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
    if (!view.adjust || view.alloc_busy || !some) return;
    for (unsigned i = 0; i < p.n_sms; i++) agenda_.push_back(Step{kSetup, i, 0, 0});
  }

  // R-TA-10.
  void wait(const AdjustView &view) {
    for (unsigned k = 0; k < p.n_kernels; k++) {
      const AdjustView::Kernel &s = view.kernel[k];
      const bool waits = s.has_block && s.out == 0 && s.mask != 0, waited = waiting_[k];
      if (view.epoch_done) {
        late_[k] = waited && waits;
        waiting_[k] = waits;
      } else if (!waits) {
        late_[k] = waiting_[k] = false;
      }
    }
    if (view.epoch_done) claimed_ = false;
  }

  // R-TA-10: an SM is settled again two E + QosLat after its last cycle of a restore.
  void count_turns(const AdjustView &view) {
    for (unsigned i = 0; i < p.n_sms; i++) {
      if (view.sm[i].restoring)
        turns_[i] = 0;
      else if (view.epoch_done)
        turns_[i]++;
    }
  }

  // R-TA-11: whose claim begins.
  void claim(const AdjustView &view) {
    if (!view.latecomers || claimed_ || view.alloc_busy || view.snapshot) return;
    for (const std::vector<bool> &flags : evict) {
      if (std::find(flags.begin(), flags.end(), true) != flags.end()) return;
    }
    for (unsigned n = 0; n < p.n_kernels && !claimed_; n++) {
      const unsigned k = (turn_ + n) % p.n_kernels;
      if (!late_[k]) continue;
      claimed_ = true;
      n_picks_ = 0;
      agenda_.push_back(Step{kPick, 0, k, 0});
    }
    if (claimed_) turn_ = (agenda_.front().k + 1) % p.n_kernels;
  }

  void pick(const AdjustView &view, unsigned k, AdjustOutput &out) {
    const unsigned i = next_sm_;
    next_sm_ = (next_sm_ + 1) % p.n_sms;
    const bool may = ((view.kernel[k].mask >> i) & 1) && settled(view, i);
    n_picks_++;
    out.gives_up = !may && n_picks_ == p.n_sms;
    if (!out.gives_up) agenda_.push_back(Step{may ? kShadow : kPick, i, k, 0});
  }

  void picture(const AdjustView::Sm &sm, const Step &now) {
    look(sm, v_);
    freed_.assign(p.max_tbs, false);
    there_ = stay_ = sm.cnt;
    agenda_.push_back(Step{kLookOn, now.sm, now.k, 0});
    agenda_.push_back(Step{kYield, now.sm, now.k, 0});
  }

  void yield(const AdjustView &view, const Step &now, AdjustOutput &out) {
    unsigned base;
    out.fits = fits(v_, view.kernel[now.k], &base);
    int who = -1;
    for (unsigned m = 0; m < p.n_kernels; m++) {
      if (m == now.k || stay_[m] == 0) continue;
      const bool goal = view.kernel[m].qos;
      if (who < 0 || (view.kernel[static_cast<unsigned>(who)].qos && !goal) ||
          (view.kernel[static_cast<unsigned>(who)].qos == goal &&
           stay_[m] >= stay_[static_cast<unsigned>(who)])) {
        who = static_cast<int>(m);
      }
    }
    if (out.fits || who < 0) {
      out.tried = true;
      out.sm = now.sm;
      out.kernel = now.k;
      out.left = stay_;
      for (unsigned m = 0; out.fits && m < p.n_kernels; m++)
        agenda_.push_back(Step{kLower, now.sm, now.k, m});
      return;
    }
    stay_[static_cast<unsigned>(who)]--;
    free_youngest(view, now.sm, static_cast<unsigned>(who));
    agenda_.push_back(Step{kLookOn, now.sm, now.k, 0});
    agenda_.push_back(now);
  }

  void lower(const AdjustView::Sm &sm, const Step &now, AdjustOutput &out) {
    out.sm = now.sm;
    if (now.m == now.k) {
      out.raises = static_cast<int>(now.k);
      out.raised = std::max(1u, sm.target[now.k]);
      return;
    }
    out.lowers = static_cast<int>(now.m);
    out.n = there_[now.m] - stay_[now.m];
    out.lowered = std::min(sm.target[now.m], sm.cnt[now.m] > out.n ? sm.cnt[now.m] - out.n : 0);
  }

  // R-TA-9.
  bool someone_starves(const AdjustView &view) const {
    for (unsigned k = 0; k < p.n_kernels; k++) {
      if (starved_[k] && view.kernel[k].has_block && view.kernel[k].out == 0) return true;
    }
    return false;
  }

  // Steps that come before all others, in their order.
  void insert(const std::vector<Step> &steps) {
    agenda_.insert(agenda_.begin(), steps.begin(), steps.end());
  }
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
      case kLook:
      case kLookOn: break;
      case kFit: fit(view, now, out); break;
      case kTrial:
        v_ = w_;
        freed_.assign(p.max_tbs, false);
        insert({Step{kLook, now.sm, now.k, now.m}, Step{kFree, now.sm, now.k, now.m}});
        break;
      case kFree: try_on(view, now); break;
      case kApply: apply(sm, now, out); break;
      case kPick: pick(view, now.k, out); break;
      case kShadow: picture(sm, now); break;
      case kYield: yield(view, now, out); break;
      case kLower: lower(sm, now, out); break;
    }
  }

  void look(const AdjustView::Sm &sm, Picture &picture) const {
    picture.free_slots = p.max_tbs - static_cast<unsigned>(sm.age.size());
    picture.first = sm.first;
    picture.free_warps = sm.free_warps;
    picture.free_granules = sm.free_granules;
  }

  void set_up(const AdjustView::Sm &sm, unsigned i) {
    look(sm, w_);
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
      lacks_[k] = view.latecomers && sm.cnt[k] < sm.target[k];
      const bool full = !lacks_[k] && (sm.target[k] > sm.cnt[k] || sm.target[k] >= p.max_tbs);
      if (want_[k] && !view.kernel[k].capped && ((view.kernel[k].mask >> i) & 1) && !full &&
          idle[k] <= 1) {
        steps.push_back(Step{kLook, i, k, 0});
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
    if (lacks_[now.k]) {  // R-TA-13
      out.sm = now.sm;
      const AdjustView::Sm &sm = view.sm[now.sm];
      for (unsigned m = 0; m < p.n_kernels && !pending_ && !fits(w_, kernel, &base); m++)
        if (sm.cnt[m] > sm.target[m]) surplus_.push_back(m);
      return;
    }
    if (fits(w_, kernel, &base)) {
      if (view.latecomers && std::find(late_.begin(), late_.end(), true) != late_.end()) return;
      w_.free_slots--;
      const unsigned f = static_cast<unsigned>(tb_place(w_.free_warps, w_.first, kernel.warps));
      for (unsigned w = 0; w < kernel.warps; w++) w_.free_warps[(f + w) % p.n_sched]--;
      w_.first = (f + kernel.warps) % p.n_sched;
      for (unsigned g = 0; g < kernel.granules; g++)
        w_.free_granules &= ~(uint32_t{1} << (base + g));
      out.adjusted = true;
      out.sm = now.sm;
      out.kernel = now.k;
      out.raises = static_cast<int>(now.k);
      out.raised = view.sm[now.sm].target[now.k] + 1;
      if (view.paced && out.raised < p.max_tbs)  // R-PA-14
        insert({Step{kLook, now.sm, now.k, 0}, Step{kFit, now.sm, now.k, 1}});
      return;
    }
    if (pending_ || now.m == 1) return;  // 1: of a slot that has got a block
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
      judge(view.kernel[now.m], now.m, view.kernel[now.k].level);
      return;
    }
    if (free_youngest(view, now.sm, now.m)) insert({Step{kLook, now.sm, now.k, now.m}, now});
  }

  // The youngest block of m not freed, in V; false: there is none.
  bool free_youngest(const AdjustView &view, unsigned i, unsigned m) {
    const std::vector<AdjustView::Tb> &age = view.sm[i].age;
    for (std::size_t n = age.size(); n-- > 0;) {
      const AdjustView::Tb &tb = age[n];
      if (tb.kernel != m || freed_[tb.tb]) continue;
      freed_[tb.tb] = true;
      v_.free_slots++;
      for (unsigned w = 0; w < view.kernel[m].warps; w++)
        v_.free_warps[(tb.first + w) % p.n_sched]++;
      for (unsigned g = 0; g < view.kernel[m].granules; g++)
        v_.free_granules |= uint32_t{1} << (tb.base + g);
      return true;
    }
    return false;
  }

  void judge(const AdjustView::Kernel &m, unsigned slot, unsigned asker_level) {
    const unsigned n = static_cast<unsigned>(std::count(freed_.begin(), freed_.end(), true));
    const int64_t out = m.out, left = out - static_cast<int64_t>(n);
    Best now{true, false, slot, n, 0, idle[slot], m.ratio};
    if (!m.qos)
      now.cls = 0;
    else if (now.idle >= n + 1)
      now.cls = 1;
    else if (left * 65536 > static_cast<int64_t>(m.ratio) * out)
      now.cls = 2;
    else if (m.level < asker_level)
      now.cls = 3;
    else
      return;
    const bool same = best_.valid && now.cls == best_.cls;
    const bool better = now.cls == 2 ? now.ratio < best_.ratio : now.idle > best_.idle;
    const bool equal = now.cls == 2 ? now.ratio == best_.ratio : now.idle == best_.idle;
    if (!best_.valid || now.cls < best_.cls || (same && better))
      best_ = now;
    else if (same && equal)
      best_.tie = true;
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
    out.raises = static_cast<int>(now.k);
    out.lowers = static_cast<int>(victim);
    out.raised = sm.target[now.k] + 1;
    out.lowered = std::min(sm.target[victim], cnt > best_.n ? cnt - best_.n : 0);
    leave_sm();
  }

  // R-TB-10.
  bool fits(const Picture &picture, const AdjustView::Kernel &kernel, unsigned *base) const {
    if (picture.free_slots == 0) return false;
    if (tb_place(picture.free_warps, picture.first, kernel.warps) < 0) return false;
    for (*base = 0; *base + kernel.granules <= 32; ++*base) {
      bool all = true;
      for (unsigned g = 0; g < kernel.granules; g++)
        all = all && ((picture.free_granules >> (*base + g)) & 1);
      if (all) return true;
    }
    return false;
  }

  std::deque<Step> agenda_;
  bool pending_ = false;
  std::vector<bool> want_, lacks_, here_, freed_;  // freed_: per TB slot
  std::vector<unsigned> surplus_;                  // slots, of this cycle
  std::vector<unsigned> left_;                     // x
  std::vector<bool> starved_, waiting_, late_;
  bool claimed_ = false;
  unsigned turn_ = 0, next_sm_ = 0;     // whose claim, on which SM, is next
  unsigned n_picks_ = 0;                // of a claim
  std::vector<unsigned> turns_;         // E + QosLat since each SM restored a block
  std::vector<unsigned> there_, stay_;  // blocks at the set-up of a claim; those that stay
  Picture w_, v_;
  Best best_;
};

#endif
