// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of the QAWS paper ("Sort Warps with QAWS policy"), line by line; the numbers are the
// paper's. What the text leaves open is as decided: the greedy warp persists until it finishes
// (W2), g0 is the group that was in front before (Q2), an emptied front hands over with its count
// cleared (Q3, Q4), a finished greedy warp belongs to no group (Q6). Two budgets, no quotas, no
// writes.
#ifndef QSM_ALGORITHM1_H
#define QSM_ALGORITHM1_H

#include <algorithm>
#include <vector>

class Algorithm1 {
 public:
  struct Warp {
    int id;
    unsigned budget;
    unsigned long long age;  // less is older
    bool ready;
  };
  using Queue = std::vector<Warp>;

  // One cycle: sorts, and issues the first ready warp of the queue; -1: none.
  int cycle(const Queue &warps) {
    const Queue queue = SortWarps(warps);
    const auto issued =
        std::find_if(queue.begin(), queue.end(), [](const Warp &w) { return w.ready; });
    issuedhead_ = !queue.empty() && issued == queue.begin();
    issued_last_cycle_ = issued != queue.end();
    if (issued == queue.end()) return -1;
    Wgreedy_ = issued->id;
    return issued->id;
  }
  void finished(int id) {
    if (Wgreedy_ == id) Wgreedy_ = kNullPtr;
  }

 private:
  struct Group {
    unsigned budget = 0;
    unsigned ncs = 0;
    Queue warps;
  };

  Queue SortWarps(const Queue &warps) {         // 6
    GetGroups(warps);                           // 7
    if (g1_.warps.empty()) return Sort(g0_);    // 8, 9
    if (issuedhead_) {                          // 11
      return concat(Sort(g0_), Sort(g1_));      // 12
    } else {                                    // 13
      if (issued_last_cycle_ && is_in(g0_)) {   // 14
        if (g0_.ncs < g0_.budget) {             // 15
          g0_.ncs = g0_.ncs + 1;                // 16
          return concat(Sort(g0_), Sort(g1_));  // 17
        } else {                                // 18
          g0_.ncs = 0;                          // 19
          std::swap(g0_, g1_);  // the one that is returned first is the next call's g0
          return concat(Sort(g0_), Sort(g1_));  // 20
        }
      } else {                                // 22
        return concat(Sort(g0_), Sort(g1_));  // 23
      }
    }
  }

  void GetGroups(const Queue &warps) {  // 27
    for (Group *group : {&g0_, &g1_}) group->warps.clear();
    if (warps.empty()) {
      g0_ = g1_ = Group();
      history_ = false;
      return;
    }
    for (const Warp &warp : warps) group_of(warp.budget).warps.push_back(warp);  // 28
    const bool no_history = !history_;
    if (no_history ? g1_.warps.size() && (g0_.warps.empty() || g1_.budget > g0_.budget)
                   : g0_.warps.empty()) {
      g0_.ncs = 0;
      std::swap(g0_, g1_);
    }
    history_ = true;
  }
  Group &group_of(unsigned budget) {
    for (Group *group : {&g0_, &g1_}) {
      if (group->budget == 0) group->budget = budget;
      if (group->budget == budget) return *group;
    }
    std::abort();  // a third budget: the paper has none
  }

  Queue Sort(const Group &g) const {  // 30
    Queue sorted = g.warps;
    const bool greedy = Wgreedy_ != kNullPtr && is_in(g);  // 31
    std::sort(sorted.begin(), sorted.end(), [&](const Warp &a, const Warp &b) {
      if (greedy && (a.id == Wgreedy_) != (b.id == Wgreedy_)) return a.id == Wgreedy_;  // 32
      return a.age < b.age;                                                             // 34
    });
    return sorted;
  }
  bool is_in(const Group &g) const {
    return std::any_of(g.warps.begin(), g.warps.end(),
                       [&](const Warp &w) { return w.id == Wgreedy_; });
  }
  static Queue concat(Queue a, const Queue &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  static constexpr int kNullPtr = -1;
  int Wgreedy_ = kNullPtr;
  bool issuedhead_ = false, issued_last_cycle_ = false, history_ = false;
  Group g0_, g1_;
};

#endif
