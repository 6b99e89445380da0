// SPDX-License-Identifier: Apache-2.0
// The rules of docs/warp_sched.md and docs/qaws.md as lists: ages are a list of slots, the circle
// of slots is walked one by one, the groups of QAWS are a sorted map, and what may issue is the
// first of a list of warps.
#ifndef QSM_SCHED_REF_H
#define QSM_SCHED_REF_H

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "qsm_enums.h"

constexpr int kNone = -1;

// What a block sees in one cycle. Masks: bit per warp, but restart and throttled: bit per kernel.
struct Inputs {
  unsigned policy = QSM_POLICY_GTO;
  uint64_t resident = 0, eligible = 0, long_latency = 0;
  std::vector<unsigned> kernel;  // [warp]
  std::vector<unsigned> budget;  // [kernel]
  uint32_t restart = 0, throttled = 0;
  unsigned active_warps = 8;
  int start = kNone, finish = kNone;
};

inline bool has(uint64_t set, unsigned i) { return (set >> i) & 1; }

struct Reference {
  unsigned n_warps, last;
  bool gone = true;
  std::vector<unsigned> order;  // oldest first
  uint64_t active = 0;
  bool front_valid = false, head_ok = false, prev = false;
  unsigned front = 0, ncs = 0;
  uint64_t mark = 0;

  explicit Reference(unsigned warps) : n_warps(warps), last(warps - 1) {
    for (unsigned w = 0; w < warps; w++) order.push_back(w);
  }

  // One cycle; returns the pick.
  int cycle(const Inputs &in) {
    int pick = kNone;
    uint64_t next_active = 0;
    if (in.policy == QSM_POLICY_LRR) pick = circular(in.eligible, gone ? last + 1 : last);
    if (in.policy == QSM_POLICY_GTO) pick = gto(in.eligible);
    if (in.policy == QSM_POLICY_LRR_ROTATE) pick = circular(in.eligible, last + 1);
    if (in.policy == QSM_POLICY_TWO_LEVEL) {
      pick = circular(in.eligible & active, gone ? last + 1 : last);
      next_active = after_exchange(in);
    }
    if (qsm_policy_has_groups(in.policy))
      pick = qaws(in);
    else
      leave_qaws();
    active = next_active;
    for (int slot : {in.start, in.finish}) {
      if (slot == kNone) continue;
      active &= ~(uint64_t{1} << slot);
      mark &= ~(uint64_t{1} << slot);
    }
    if (pick != kNone) {
      last = static_cast<unsigned>(pick);
      gone = false;
    }
    if (in.finish == static_cast<int>(last)) gone = true;
    if (in.start != kNone) {
      order.erase(std::find(order.begin(), order.end(), static_cast<unsigned>(in.start)));
      order.push_back(static_cast<unsigned>(in.start));
    }
    return pick;
  }

  int gto(uint64_t eligible) const {
    return !gone && has(eligible, last) ? static_cast<int>(last) : oldest(eligible);
  }

 private:
  int circular(uint64_t eligible, unsigned from) const {
    for (unsigned n = 0; n < n_warps; n++) {
      const unsigned w = (from + n) % n_warps;
      if (has(eligible, w)) return static_cast<int>(w);
    }
    return kNone;
  }
  int oldest(uint64_t warps) const {
    for (unsigned w : order) {
      if (has(warps, w)) return static_cast<int>(w);
    }
    return kNone;
  }

  // R-PO-8.
  uint64_t after_exchange(const Inputs &in) const {
    uint64_t next = active;
    unsigned n_active = 0;
    bool demoted = false;
    for (unsigned w = 0; w < n_warps; w++) {
      if (!has(active, w)) continue;
      n_active++;
      if (has(in.long_latency, w) && !demoted) next &= ~(uint64_t{1} << w);
      demoted = demoted || has(in.long_latency, w);
    }
    const int promoted =
        n_active < in.active_warps ? oldest(in.resident & ~active & ~in.long_latency) : kNone;
    return promoted == kNone ? next : next | uint64_t{1} << promoted;
  }

  struct Group {
    std::vector<unsigned> members;  // oldest first
    bool throttled = true;
  };
  using Groups = std::map<unsigned, Group, std::greater<unsigned>>;  // by budget, greatest first

  Groups groups_of(const Inputs &in) const {
    Groups groups;
    for (unsigned w : order) {
      if (!has(in.resident, w)) continue;
      Group &group = groups[in.budget[in.kernel[w]]];
      group.members.push_back(w);
      if (!has(in.throttled, in.kernel[w])) group.throttled = false;
    }
    return groups;
  }
  // Budgets of the groups that count, in the order of the circle from `from` on, which leads if it
  // counts.
  static std::vector<unsigned> circle(const Groups &groups, unsigned from) {
    std::vector<unsigned> budgets;
    for (const auto &entry : groups) {
      if (!entry.second.throttled && entry.first <= from) budgets.push_back(entry.first);
    }
    for (const auto &entry : groups) {
      if (!entry.second.throttled && entry.first > from) budgets.push_back(entry.first);
    }
    return budgets;
  }
  // Members in the order in which they are asked: the leader, then by age (R-QW-8).
  std::vector<unsigned> sorted(const Inputs &in, const Group &group) const {
    std::vector<unsigned> warps = group.members;
    const auto leader =
        std::find_if(warps.begin(), warps.end(), [&](unsigned w) { return leads(in, w); });
    if (leader != warps.end()) std::rotate(warps.begin(), leader, leader + 1);
    return warps;
  }
  bool leads(const Inputs &in, unsigned w) const {
    return in.policy == QSM_POLICY_QAWS_PROSE ? has(mark, w) : !gone && w == last;
  }

  void leave_qaws() {
    front_valid = head_ok = prev = false;
    ncs = 0;
    mark = 0;
  }
  bool restarted(const Inputs &in) const {
    for (unsigned w = 0; w < n_warps; w++) {
      if (has(in.resident, w) && has(in.restart, in.kernel[w])) return true;
    }
    return false;
  }
  bool switches(const Inputs &in, const Group &group) const {
    const auto any = [&](auto rule) {
      return std::any_of(group.members.begin(), group.members.end(), rule);
    };
    if (in.policy == QSM_POLICY_QAWS)
      return !head_ok && prev && any([&](unsigned w) { return !gone && w == last; });
    return any([&](unsigned w) { return has(mark, w) && !has(in.eligible, w); }) &&
           any([&](unsigned w) { return has(in.eligible, w); });
  }
  void choose_front(const Inputs &in, const Groups &groups) {
    if (restarted(in) || !front_valid) {
      const auto all = circle(groups, 255);
      front_valid = !all.empty();
      if (front_valid) front = all[0];
      ncs = 0;
      mark = !gone && has(in.resident, last) ? uint64_t{1} << last : 0;
      return;
    }
    const auto round = circle(groups, front);
    if (round.empty()) return;
    if (round[0] != front) {
      if (!groups.count(front)) ncs = 0;
      front = round[0];
    } else if (round.size() > 1 && switches(in, groups.at(front))) {
      const bool spent = ncs >= front;
      ncs = spent ? 0 : ncs + 1;
      if (spent) front = round[1];
    }
  }
  int qaws(const Inputs &in) {
    if (in.resident == 0) {
      leave_qaws();
      return kNone;
    }
    const Groups groups = groups_of(in);
    choose_front(in, groups);
    std::vector<unsigned> queue;
    for (unsigned budget : circle(groups, front)) {
      const auto warps = sorted(in, groups.at(budget));
      queue.insert(queue.end(), warps.begin(), warps.end());
    }
    const auto first =
        std::find_if(queue.begin(), queue.end(), [&](unsigned w) { return has(in.eligible, w); });
    prev = first != queue.end();
    head_ok = prev && first == queue.begin();
    if (!prev) return kNone;
    for (unsigned w : groups.at(in.budget[in.kernel[*first]]).members) mark &= ~(uint64_t{1} << w);
    mark |= uint64_t{1} << *first;
    return static_cast<int>(*first);
  }
};

#endif
