// SPDX-License-Identifier: Apache-2.0
// Thread-block targets as docs/tb_sched.md R-TB-5..R-TB-8, R-TB-14, R-TB-15 and docs/sm_owner.md
// R-SO-2, R-SO-8 say them, one whole round at a time.
#ifndef QSM_ALLOC_REF_H
#define QSM_ALLOC_REF_H

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "qsm_enums.h"

struct AllocParams {
  unsigned n_sms, n_kernels, warps_per_sm, max_tbs;
};

struct AllocShape {
  unsigned warps = 1, granules = 0;
};

// Who uses an SM.
struct AllocUse {
  unsigned use = QSM_USE_SHARED, owner = 0;
  bool moving = false;
};

// Contexts and SMs as the allocator sees them at the start of a cycle.
struct AllocContexts {
  std::vector<bool> valid, qos, busy;
  std::vector<uint64_t> mask;
  std::vector<unsigned> cap;    // WARP_CAP
  std::vector<unsigned> level;  // priority
  std::vector<AllocUse> sm;
};

class AllocRef {
 public:
  explicit AllocRef(const AllocParams &params)
      : p(params),
        target(p.n_sms, std::vector<unsigned>(p.n_kernels, 0)),
        shape(p.n_kernels),
        active(p.n_kernels),
        used(p.n_kernels) {}

  bool busy() const { return !asked_.empty() || running_; }
  bool starts_all() const { return !running_ && asked_.size() == p.n_sms; }
  // This cycle writes the SM's targets. (The first cycle of a round is never its last.)
  bool writes(unsigned sm) const { return running_ && cycles_left_ == 1 && round_.count(sm) != 0; }

  // R-TA-1: another slot's target, while nobody computes them.
  void adjust(unsigned sm, unsigned k, unsigned to) { target[sm][k] = to; }

  // One cycle. launch, arrival: slot or -1; change: R-TB-5's writes; snapshot: it is E; ask: SMs
  // whose targets are asked for besides.
  void step(const AllocContexts &ctx, int launch, AllocShape launched, int arrival, bool change,
            bool snapshot, const std::set<unsigned> &ask = {}) {
    bool wanted = change;
    const std::vector<bool> takes_part = active;
    if (snapshot) end_epoch(ctx);
    for (unsigned k = 0; k < p.n_kernels; k++) {
      const bool comes = static_cast<int>(k) == launch || static_cast<int>(k) == arrival;
      if (comes) active[k] = true;
      if (comes || ctx.busy[k]) used[k] = true;
      if (ctx.valid[k] && active[k] != takes_part[k]) wanted = true;
    }
    if (launch >= 0) {
      const AllocShape &now = shape[launch];
      wanted = wanted || now.warps != launched.warps || now.granules != launched.granules;
    }
    if (running_) {
      run(ctx, takes_part);
    } else if (!asked_.empty()) {
      running_ = true;
      left_.swap(asked_);
      asked_.clear();
    }
    asked_.insert(ask.begin(), ask.end());
    for (unsigned i = 0; wanted && i < p.n_sms; i++) asked_.insert(i);
    if (launch >= 0) shape[launch] = launched;
    if (arrival >= 0) shape[arrival] = AllocShape{};
  }

  const AllocParams p;
  std::vector<std::vector<unsigned>> target;  // [SM][slot]
  std::vector<AllocShape> shape;
  std::vector<bool> active, used;  // R-TB-14

 private:
  void end_epoch(const AllocContexts &ctx) {
    for (unsigned k = 0; k < p.n_kernels; k++) {
      active[k] = used[k] || ctx.busy[k];
      used[k] = ctx.busy[k];
    }
  }

  void run(const AllocContexts &ctx, const std::vector<bool> &takes_part) {
    if (cycles_left_ == 0) {
      AllocContexts seen = ctx;
      for (unsigned k = 0; k < p.n_kernels; k++) seen.valid[k] = ctx.valid[k] && takes_part[k];
      compute(seen);
    }
    if (--cycles_left_ != 0) return;
    for (unsigned sm : round_) {
      target[sm] = result_;
      left_.erase(sm);
    }
    running_ = !left_.empty();
  }

  std::vector<unsigned> assigned(const AllocContexts &ctx, unsigned sm) const {
    std::vector<unsigned> others, result;
    const AllocUse &use = ctx.sm[sm];
    if (use.moving || use.use == QSM_USE_FREE) return result;
    if (use.use == QSM_USE_OWNED) {
      if (ctx.valid[use.owner]) result.push_back(use.owner);
      return result;
    }
    bool any_qos = false;
    for (unsigned k = 0; k < p.n_kernels; k++) {
      if (!ctx.valid[k]) continue;
      if (ctx.qos[k])
        any_qos = true;
      else
        others.push_back(k);
    }
    for (unsigned k = 0; k < p.n_kernels; k++) {
      if (!ctx.valid[k] || !((ctx.mask[k] >> sm) & 1)) continue;
      const bool served = !others.empty() && others[sm * others.size() / p.n_sms] == k;
      if (!any_qos || ctx.qos[k] || served) result.push_back(k);
    }
    return result;
  }

  void compute(const AllocContexts &ctx) {
    const std::vector<unsigned> slots = assigned(ctx, *left_.begin());
    round_.clear();
    for (unsigned sm : left_)
      if (assigned(ctx, sm) == slots) round_.insert(sm);
    cap_ = ctx.cap;
    result_.assign(p.n_kernels, 0);
    cycles_left_ = 2;
    for (unsigned k : slots) {
      if (cap_[k] != 0) {
        result_[k] = std::min(p.max_tbs, cap_[k] / shape[k].warps);
        cycles_left_ += 1 + result_[k];
        continue;
      }
      const unsigned share =
          p.warps_per_sm / (static_cast<unsigned>(slots.size()) * shape[k].warps);
      result_[k] = std::max(1u, std::min(p.max_tbs, share));
      cycles_left_ += 1 + std::min(p.max_tbs, share);
    }
    while (too_much(true) || too_much(false)) {
      result_[loser(!too_much(false))]--;
      cycles_left_ += 2;
    }
  }

  // Of granules, or of anything else, by slots without a cap.
  bool too_much(bool of_granules) const {
    unsigned warps = 0, tbs = 0, granules = 0;
    for (unsigned k = 0; k < p.n_kernels; k++) {
      if (cap_[k] != 0) continue;
      warps += result_[k] * shape[k].warps;
      tbs += result_[k];
      granules += result_[k] * shape[k].granules;
    }
    return of_granules ? granules > 32 : warps > p.warps_per_sm || tbs > p.max_tbs;
  }

  unsigned loser(bool only_granules) const {
    unsigned best = p.n_kernels;
    for (unsigned k = p.n_kernels; k-- > 0;) {
      if (cap_[k] != 0 || (only_granules && shape[k].granules == 0)) continue;
      if (best == p.n_kernels || result_[k] > result_[best]) best = k;
    }
    return best;
  }

  std::set<unsigned> asked_, left_, round_;  // SMs: of the next run, of this one, of the round
  bool running_ = false;
  unsigned cycles_left_ = 0;
  std::vector<unsigned> result_, cap_;  // caps as of the set-up
};

#endif
