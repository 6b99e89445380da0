// SPDX-License-Identifier: Apache-2.0
// Reference of the SM manager, docs/sm_mgr.md R-SG-1 to R-SG-17, one cycle after the other, in
// 128-bit integers. It counts which lines of the rules it has come by.
#ifndef SM_REF_H
#define SM_REF_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "qsm_enums.h"

using Wide = __int128;

struct SmState {
  unsigned usage = QSM_USE_SHARED, owner = 0;
  bool moving = false;
  unsigned next_usage = QSM_USE_SHARED, next_owner = 0;
  unsigned power = QSM_POWER_ON;
  bool operator==(const SmState &o) const {
    return usage == o.usage && owner == o.owner && moving == o.moving &&
           next_usage == o.next_usage && next_owner == o.next_owner && power == o.power;
  }
};

// What the block sees in a cycle.
struct SmInputs {
  unsigned scheme = QSM_SCHEME_NONE;
  uint32_t threshold = 655, step = 2;
  std::vector<bool> valid, qos, part, had_tb, arrival, hist_clear;
  std::vector<uint32_t> goal, sm_count;
  std::vector<SmState> sms;
  std::vector<std::vector<uint32_t>> insn;       // per SM and kernel
  std::vector<std::vector<bool>> blocks, spent;  // T_i > 0; snap_c <= 0
  bool e = false;
  uint32_t epoch_len = 10000;

  SmInputs(unsigned n_sms, unsigned n_kernels)
      : valid(n_kernels),
        qos(n_kernels),
        part(n_kernels),
        had_tb(n_kernels),
        arrival(n_kernels),
        hist_clear(n_kernels),
        goal(n_kernels),
        sm_count(n_kernels),
        sms(n_sms),
        insn(n_sms, std::vector<uint32_t>(n_kernels)),
        blocks(n_sms, std::vector<bool>(n_kernels)),
        spent(n_sms, std::vector<bool>(n_kernels)) {}
};

struct SmRequest {
  bool valid = false;
  unsigned sm = 0, usage = 0, owner = 0;
};

class SmRef {
 public:
  struct Slot {
    unsigned n = 0, opt = 0;
    bool upper = false, lower = false;
    unsigned eval = QSM_EVAL_NONE, sm_last = 0;
    uint32_t i_last = 0;
    bool out = false;
    bool run = false, seen = false, ample = false;
    int64_t lead = 0;
    uint32_t insn = 0;
  };
  struct Known {
    unsigned scheme = QSM_SCHEME_NONE;
    std::vector<bool> part, qos;
    bool operator==(const Known &o) const {
      return scheme == o.scheme && part == o.part && qos == o.qos;
    }
  };

  SmRef(unsigned n_sms, unsigned n_kernels, unsigned noc_lat, uint32_t epoch_reset)
      : slots(n_kernels),
        n_sms_(n_sms),
        n_kernels_(n_kernels),
        t_e_(epoch_reset),
        counts_(n_kernels),
        had_tb_(n_kernels) {
    sm_lat = noc_lat + n_sms + 23 * n_kernels + 14;
    known_.part.resize(n_kernels);
    known_.qos.resize(n_kernels);
  }

  bool busy() const { return managed || splitting() || planning; }
  bool splitting() const { return split_end_ != 0 && now_ <= split_end_; }
  bool computing() const { return epoch_ && now_ > e_ && now_ <= e_ + sm_lat; }
  bool decides_at_end() const { return decided_; }
  // Instructions that slot k has in the epoch, as the collector adds them.
  uint32_t sum(const SmInputs &in, unsigned k) const {
    uint64_t all = 0;
    for (const auto &of_sm : in.insn) all += of_sm[k];
    return static_cast<uint32_t>(std::min<uint64_t>(all, 0x7fffffff));
  }
  uint32_t epoch_t() const { return t_; }  // of the epoch that is being computed

  // The request of this cycle; before step().
  SmRequest request(const SmInputs &in) {
    if (!planning) return SmRequest{};
    std::vector<unsigned> have(n_kernels_);
    for (const SmState &s : in.sms)
      if (use_of(s) == QSM_USE_OWNED) have[owner_of(s)]++;
    const auto find = [&](auto &&fits, bool highest) {
      int found = -1;
      for (unsigned i = 0; i < n_sms_; i++)
        if (fits(in.sms[i]) && (found < 0 || highest)) found = static_cast<int>(i);
      return found;
    };
    const auto is_shared = [](const SmState &s) { return use_of(s) == QSM_USE_SHARED; };
    const auto is_free = [](const SmState &s) { return use_of(s) == QSM_USE_FREE; };
    const auto n_shared = std::count_if(in.sms.begin(), in.sms.end(), is_shared);
    const bool keeps = both() && n_shared <= 1;  // R-SG-17
    if (!managed) {
      const int sm = find([&](const SmState &s) { return !is_shared(s); }, false);
      if (sm < 0) return none("plan 5 unmanaged");
      return ask("plan 1", sm, QSM_USE_SHARED, 0);
    }
    int few = -1, many = -1;
    for (unsigned k = n_kernels_; k-- > 0;) {
      if (have[k] < slots[k].n) few = static_cast<int>(k);
      if (have[k] > slots[k].n) many = static_cast<int>(k);
    }
    const auto of_many = [&](const SmState &s) {
      return many >= 0 && use_of(s) == QSM_USE_OWNED && owner_of(s) == unsigned(many);
    };
    if (few >= 0) {
      int sm = find([&](const SmState &s) { return is_free(s) && s.power == QSM_POWER_ON; }, false);
      const unsigned k = static_cast<unsigned>(few);
      const int lowest = find(is_free, false);
      if (sm > lowest) seen["plan 2 free on, not the lowest"]++;
      if (sm >= 0) return ask("plan 2 free on", sm, QSM_USE_OWNED, k);
      sm = lowest;
      if (sm >= 0) return ask("plan 2 free off", sm, QSM_USE_OWNED, k);
      sm = find(is_shared, false);
      if (sm >= 0 && !keeps)
        return ask(both() ? "both plan 2 shared" : "plan 2 shared", sm, QSM_USE_OWNED, k);
      const bool kept = sm >= 0;
      sm = find(of_many, true);
      if (sm >= 0) return ask(kept ? "both plan 2 kept" : "plan 2 owned", sm, QSM_USE_OWNED, k);
      return none("plan without an SM");
    }
    if (many >= 0) return ask("plan 3", find(of_many, true), QSM_USE_FREE, 0);
    int sm = find(is_shared, false);
    if (sm >= 0 && !keeps) return ask(both() ? "both plan 4" : "plan 4", sm, QSM_USE_FREE, 0);
    if (both() && sm < 0) {
      sm = find(is_free, false);
      if (sm >= 0) return ask("both plan shares", sm, QSM_USE_SHARED, 0);
      return none("plan without an SM");
    }
    return none(both() ? "both plan 5" : "plan 5");
  }

  // What the cycle does, at its end; asked: request() was one.
  void step(const SmInputs &in, bool asked) {
    const bool was_computing = computing(), was_splitting = splitting(), was_planning = planning;
    const Known now = now_of(in);
    const bool d = epoch_ && now_ == e_ + sm_lat;
    const bool moves =
        std::any_of(in.sms.begin(), in.sms.end(), [](const SmState &s) { return s.moving; });
    decided_ = false;
    if (planning && !asked) planning = false;
    if (was_splitting && now_ >= split_begin_ + 2 && now_ <= split_begin_ + 1 + n_kernels_) {
      const unsigned k = static_cast<unsigned>(now_ - split_begin_ - 2);
      counts_[k] = in.sm_count[k];
    }
    if (d) compute(in, now);
    if (was_splitting && now_ == split_end_) {
      split();
      planning = true;
    }
    if (!was_computing && !was_splitting && !in.e && (whole(now.scheme) || managed) &&
        (stale || !(now == known_))) {
      const unsigned p = parts(now);
      if (now == known_) seen["change of a tenant only"]++;
      stale = false;
      known_ = now;
      managed = whole(now.scheme) && p >= 1 && (both() ? n_sms_ >= 2 : p <= n_sms_);
      seen[was_planning ? "change of a plan" : "change"]++;
      planning = false;
      if (whole(now.scheme) && p > n_sms_)
        seen[managed ? "both more kernels than SMs" : "more kernels than SMs"]++;
      if (both() && !managed) seen["both unmanaged"]++;
      for (Slot &s : slots) {
        clear_move(s);
        s.upper = s.lower = false;
      }
      split_begin_ = now_;
      split_end_ = now_ + 3 * n_kernels_ + 10;
    }
    if (in.e) {
      t_ = t_e_;
      t_e_ = in.epoch_len;
      had_tb_ = in.had_tb;
      still_ = !moves;
      calm_ = still_ && !moved;
      e_sms_ = in.sms;
      steady_ = !was_splitting && !was_planning;
      if (was_splitting) seen["E in a split"]++;
      if (was_planning) seen[moves ? "E in a plan" : "E in a plan, still"]++;
      epoch_ = true;
      e_ = now_;
    }
    moved = !in.e && (moved || moves);
    for (unsigned k = 0; k < n_kernels_; k++) {
      stale = stale || in.arrival[k];
      if (!in.hist_clear[k]) continue;
      slots[k].run = slots[k].seen = slots[k].ample = false;
      slots[k].lead = 0;
      slots[k].insn = 0;
    }
    now_++;
  }

  std::vector<Slot> slots;
  bool managed = false, planning = false, stale = false, moved = false;
  unsigned sm_lat;
  std::map<std::string, uint64_t> seen;  // lines of the rules, how often

  // R-SG-18
  bool apart(unsigned k) const {
    return managed && both() && known_.part[k] && known_.qos[k] && 2 * slots[k].n > n_sms_ &&
           !slots[k].ample;
  }
  // R-SG-19
  bool closed(const SmInputs &in) const {
    const Known now = now_of(in);
    return whole(now.scheme) && now.scheme != QSM_SCHEME_SM_ROLLOVER && parts(now) >= 1 &&
           parts(now) <= n_sms_;
  }

 private:
  static unsigned use_of(const SmState &s) { return s.moving ? s.next_usage : s.usage; }
  static unsigned owner_of(const SmState &s) { return s.moving ? s.next_owner : s.owner; }
  static bool whole(unsigned scheme) {
    return scheme == QSM_SCHEME_SM_STATIC || scheme == QSM_SCHEME_SPART ||
           scheme == QSM_SCHEME_SMQOS || scheme == QSM_SCHEME_SM_ROLLOVER;
  }
  bool both() const { return known_.scheme == QSM_SCHEME_SM_ROLLOVER; }
  static unsigned parts(const Known &known) {
    return static_cast<unsigned>(std::count(known.part.begin(), known.part.end(), true));
  }
  static void clear_move(Slot &s) {
    s.eval = QSM_EVAL_NONE;
    s.sm_last = 0;
    s.i_last = 0;
    s.out = false;
  }
  SmRequest ask(const char *line, int sm, unsigned usage, unsigned owner) {
    seen[line]++;
    return SmRequest{true, static_cast<unsigned>(sm), usage, owner};
  }
  SmRequest none(const char *line) {
    seen[line]++;
    return SmRequest{};
  }
  Known now_of(const SmInputs &in) const {
    Known now{in.scheme, in.part, std::vector<bool>(n_kernels_)};
    for (unsigned k = 0; k < n_kernels_; k++) now.qos[k] = in.qos[k] && in.part[k];
    return now;
  }
  // Slots of a kind in slot order.
  std::vector<unsigned> taking_part(bool qos) const {
    std::vector<unsigned> found;
    for (unsigned k = 0; k < n_kernels_; k++)
      if (known_.part[k] && known_.qos[k] == qos) found.push_back(k);
    return found;
  }
  // left SMs equally to these, the remainder to the first.
  void share(const std::vector<unsigned> &whom, unsigned left) {
    for (unsigned j = 0; j < whom.size(); j++) {
      const unsigned m = static_cast<unsigned>(whom.size());
      slots[whom[j]].n = left / m + (j < left % m ? 1 : 0);
    }
  }

  // R-SG-3, R-SG-14
  void split() {
    for (Slot &s : slots) s.n = 0;
    if (managed && both()) {
      std::vector<unsigned> sharing, goals;
      unsigned left = n_sms_ - 1;
      for (unsigned k = 0; k < n_kernels_; k++) {
        if (!known_.part[k]) continue;
        if (counts_[k] == 0) {
          (known_.qos[k] ? goals : sharing).push_back(k);
          continue;
        }
        slots[k].n = std::min(counts_[k], left);
        seen[slots[k].n == counts_[k] ? "both as asked" : "both less"]++;
        left -= slots[k].n;
      }
      if (!goals.empty()) {
        seen[sharing.empty() ? "both only goals" : "both goals first"]++;
        sharing = goals;
      }
      share(sharing, left);
      if (!sharing.empty()) seen[left < sharing.size() ? "both share of none" : "both share"]++;
    } else if (managed && known_.scheme != QSM_SCHEME_SM_STATIC) {
      std::vector<unsigned> order = taking_part(true);
      for (const unsigned k : taking_part(false)) order.push_back(k);
      share(order, n_sms_);
      seen["split even"]++;
    } else if (managed) {
      std::vector<unsigned> sharing;
      unsigned left = n_sms_, unserved = parts(known_);
      for (unsigned k = 0; k < n_kernels_; k++) {
        if (!known_.part[k]) continue;
        if (counts_[k] == 0) {
          sharing.push_back(k);
          continue;
        }
        unserved--;
        slots[k].n = std::min(counts_[k], left - unserved);
        seen[slots[k].n == counts_[k] ? "static as asked" : "static less"]++;
        left -= slots[k].n;
      }
      if (!sharing.empty()) seen["static share"]++;
      share(sharing, left);
    }
    for (Slot &s : slots) s.opt = s.n;
  }

  // The end of D.
  void compute(const SmInputs &in, const Known &now) {
    std::vector<uint32_t> x(n_kernels_);
    std::vector<int64_t> goal(n_kernels_), gain(n_kernels_);
    for (unsigned k = 0; k < n_kernels_; k++) {
      x[k] = sum(in, k);
      goal[k] = static_cast<int64_t>(uint64_t{in.goal[k]} * t_);
      gain[k] = (static_cast<int64_t>(x[k]) << 16) - goal[k];
      Slot &s = slots[k];
      if (!in.valid[k]) continue;
      if (!s.seen) {
        s.seen = had_tb_[k];
        continue;
      }
      s.run = true;
      s.lead = static_cast<int64_t>(static_cast<uint64_t>(s.lead) + static_cast<uint64_t>(gain[k]));
      s.insn = x[k];
      s.ample = s.lead > goal[k];
    }
    const bool same = now == known_ && !stale;
    if (!same) seen["changed at D"]++;
    if (same && managed && known_.scheme == QSM_SCHEME_SMQOS) evaluate(in, x);
    if (!managed || !same || known_.scheme == QSM_SCHEME_SM_STATIC || !whole(known_.scheme)) return;
    if (!still_) seen["not still"]++;
    if (!steady_) seen["not steady"]++;
    if (both() && still_ && !calm_) seen["still, not calm"]++;
    if (!(both() ? calm_ : still_) || !steady_) return;
    decided_ = true;
    planning = true;
    if (both()) {
      sm_rollover(in, x, goal, gain);
    } else if (known_.scheme == QSM_SCHEME_SMQOS) {
      smqos(x, goal, gain);
    } else {
      spart(in, goal);
    }
  }

  // R-SG-6
  void evaluate(const SmInputs &in, const std::vector<uint32_t> &x) {
    for (const unsigned k : taking_part(false)) {
      Slot &s = slots[k];
      if (s.eval == QSM_EVAL_MOVING) {
        if (still_) s.eval = QSM_EVAL_SETTLING;
        seen[still_ ? "eval settles" : "eval moves on"]++;
      } else if (s.eval == QSM_EVAL_SETTLING) {
        const Wide now = Wide{x[k]} << 16, last = Wide{s.i_last};
        if (s.sm_last == s.opt && !(s.upper && s.lower)) {
          if (!s.out) {
            if (now > last * (0x10000 + in.threshold)) {
              s.lower = true;
              s.opt = s.n;
              seen["eval came, more"]++;
            } else {
              s.upper = true;
              seen["eval came, not more"]++;
            }
          } else if (now < last * (0x10000 - Wide{in.threshold})) {
            s.lower = true;
            seen["eval went, less"]++;
          } else {
            s.upper = true;
            s.opt = s.n;
            seen["eval went, not less"]++;
          }
        } else {
          seen[s.sm_last != s.opt ? "eval elsewhere" : "eval frozen"]++;
        }
        clear_move(s);
      }
    }
  }

  // R-SG-8
  void smqos(const std::vector<uint32_t> &x, const std::vector<int64_t> &goal,
             const std::vector<int64_t> &gain) {
    unsigned all = 0;
    for (const Slot &s : slots) all += s.n;
    unsigned free = n_sms_ - all;
    bool moved = false;
    const std::vector<unsigned> batch = taking_part(false);
    const auto move = [&](unsigned b, bool out) {
      Slot &s = slots[b];
      if (s.eval != QSM_EVAL_NONE) seen["moved again"]++;
      s.eval = QSM_EVAL_MOVING;
      s.sm_last = s.n;
      s.i_last = x[b];
      s.out = out;
      s.n = out ? s.n - 1 : s.n + 1;
      moved = true;
    };
    const int none = -1;
    for (const unsigned k : taking_part(true)) {
      Slot &s = slots[k];
      if (!s.run) {
        seen["smqos no record"]++;
        continue;
      }
      const bool behind = s.lead < 0, needs = behind || gain[k] < 0,
                 gives = !needs && s.lead > goal[k] && gain[k] > 0;
      const auto can_move = [&](unsigned b) { return slots[b].eval == QSM_EVAL_NONE || behind; };
      // Of the batch slots that fit the one with the greatest value, the lowest of equals.
      const auto best = [&](auto &&fits, auto &&value) {
        int found = none;
        for (const unsigned b : batch) {
          if (!can_move(b) || !fits(slots[b])) continue;
          if (found == none || value(slots[b]) > value(slots[found])) found = static_cast<int>(b);
        }
        return found;
      };
      const auto above = [](const Slot &b) { return int(b.n) - int(b.opt); };
      if (needs) {
        if (s.n >= n_sms_ - (parts(known_) - 1)) {
          seen["smqos needs, has all"]++;
        } else if (free > 0) {
          s.n++;
          free--;
          seen["smqos needs 1"]++;
        } else {
          const int b = moved ? none : best([](const Slot &c) { return c.n > 1; }, above);
          if (b != none) {
            if (slots[b].eval != QSM_EVAL_NONE) seen["smqos behind"]++;
            move(static_cast<unsigned>(b), true);
            s.n++;
            seen["smqos needs 2"]++;
          } else {
            seen[moved ? "smqos needs, moved" : "smqos needs in vain"]++;
          }
        }
      } else if (gives && s.n > 1) {
        s.n--;
        if (moved) {
          free++;
          seen["smqos gives, moved"]++;
          continue;
        }
        int b = best([](const Slot &c) { return c.n < c.opt; },
                     [](const Slot &c) { return int(c.opt) - int(c.n); });
        if (b != none) {
          move(static_cast<unsigned>(b), false);
          seen["smqos gives 1"]++;
          continue;
        }
        b = best([](const Slot &c) { return !c.upper; }, [](const Slot &c) { return -int(c.n); });
        if (b != none) {
          move(static_cast<unsigned>(b), false);
          seen["smqos gives 2"]++;
          continue;
        }
        free++;
        b = best([](const Slot &c) { return !c.lower && c.n > 1; }, above);
        if (b != none) {
          move(static_cast<unsigned>(b), true);
          free++;
          seen["smqos gives 3"]++;
        } else {
          seen["smqos gives to nobody"]++;
        }
      } else {
        seen[gives ? "smqos gives, has one" : "smqos rests"]++;
      }
    }
  }

  // R-SG-15, R-SG-16
  void sm_rollover(const SmInputs &in, const std::vector<uint32_t> &x,
                   const std::vector<int64_t> &goal, const std::vector<int64_t> &gain) {
    std::vector<unsigned> common;
    for (unsigned i = 0; i < n_sms_; i++)
      if (e_sms_[i].usage == QSM_USE_SHARED && !e_sms_[i].moving) common.push_back(i);
    if (common.size() != 1) {
      seen["both without a common SM"]++;
      return;
    }
    const unsigned sm = common[0];
    unsigned left = n_sms_ - 1;
    for (const unsigned k : taking_part(true)) {
      Slot &s = slots[k];
      // an SM's instructions are below 2^31 where an epoch is below 2^20 cycles
      const Wide own = Wide{x[k] - std::min<uint32_t>(in.insn[sm][k], 0x7fffffff)} << 16;
      const bool limited = in.blocks[sm][k] && in.spent[sm][k];
      if (!s.run) {
        seen["both no record"]++;
      } else if (s.lead < 0 && gain[k] < 0 && !limited) {
        seen[in.blocks[sm][k] ? "both up" : "both up, no block"]++;
        s.n++;
      } else if (s.lead < 0) {
        seen[gain[k] < 0 ? "both limited" : "both behind, gaining"]++;
      } else if (s.lead <= goal[k]) {
        seen["both not ample"]++;
      } else if (s.n == 0) {
        seen["both ahead without SMs"]++;
      } else if (2 * Wide{s.n} * (own - goal[k]) >= own) {
        seen["both down"]++;
        if (2 * Wide{s.n} * (own - goal[k]) == own) seen["both down, equal"]++;
        s.n--;
      } else {
        seen["both ahead"]++;
      }
      if (s.n > left) seen["both is bound"]++;
      s.n = std::min(s.n, left);
      left -= s.n;
    }
    const std::vector<unsigned> others = taking_part(false);
    seen[others.empty()         ? "both alone"
         : left < others.size() ? "both rest of none"
                                : "both rest"]++;
    share(others, left);
  }

  // R-SG-9
  void spart(const SmInputs &in, const std::vector<int64_t> &goal) {
    const std::vector<unsigned> qos = taking_part(true), others = taking_part(false);
    const Wide most = n_sms_ - (parts(known_) - 1);
    unsigned left = n_sms_ - static_cast<unsigned>(others.size());
    unsigned given = 0;
    for (unsigned j = 0; j < qos.size(); j++) {
      Slot &s = slots[qos[j]];
      Wide need = s.n;
      if (s.run && s.insn != 0) {
        const Wide per = Wide{s.insn} << 16;
        need = (Wide{s.n} * goal[qos[j]] + per - 1) / per;
      } else {
        seen["spart keeps"]++;
      }
      need = std::min(std::max(need, Wide{1}), most);
      const Wide n = s.n, step = in.step;
      if (need > n) {
        seen[need - n > step ? "spart up by the step" : "spart up"]++;
        s.n = static_cast<unsigned>(std::min(need, n + step));
      } else if (need < n) {
        seen[n - need > step ? "spart down by the step" : "spart down"]++;
        s.n = static_cast<unsigned>(std::max(need, n - step));
      } else {
        seen["spart stays"]++;
      }
      const unsigned later = static_cast<unsigned>(qos.size() - 1 - j);
      if (s.n > left - later) seen["spart is bound"]++;
      s.n = std::min(s.n, left - later);
      left -= s.n;
      given += s.n;
    }
    if (others.empty()) seen["spart alone"]++;
    share(others, n_sms_ - given);
  }

  unsigned n_sms_, n_kernels_;
  uint64_t now_ = 1;  // so that 0 is no cycle
  Known known_;
  uint32_t t_e_, t_ = 0;
  uint64_t split_begin_ = 0, split_end_ = 0, e_ = 0;
  std::vector<uint32_t> counts_;
  std::vector<bool> had_tb_;
  std::vector<SmState> e_sms_;  // as of the start of E
  bool epoch_ = false, still_ = false, calm_ = false, steady_ = false, decided_ = false;
};

#endif
