// SPDX-License-Identifier: Apache-2.0
// What an L2 slice does with each request and fill, as docs/l2.md R-L2-4 to R-L2-9 say it:
// outcomes, ways, victims. Ops are told in the order in which they act; cycles are the bench's
// business.
#ifndef QSM_L2_REF_H
#define QSM_L2_REF_H

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

enum class Kind { kRead = 0, kWrite = 1, kAmo = 2 };
enum class Outcome { kHit = 0, kMerged = 1, kBypassed = 2, kWhole = 3, kMiss = 4 };

struct L2Request {
  uint32_t line = 0, bytes = 0;
  Kind kind = Kind::kRead;
  unsigned amo = 0, id = 0, slot = 0;
  bool nc = false, whole = false;  // whole: a write of all bytes
  std::vector<uint32_t> data;
};

struct L2Effect {
  Outcome outcome = Outcome::kHit;
  bool victim = false;  // dirty
  uint32_t victim_line = 0;
  unsigned slot = 0;
  bool was_dirty = false;  // of a hit: the line
};

class L2Ref {
 public:
  struct Mshr {
    uint32_t line;
    unsigned slot;
    std::vector<Kind> waiters;
  };

  L2Ref(unsigned n_sets, unsigned n_ways) : n_sets_(n_sets), n_ways_(n_ways), sets_(n_sets) {
    for (Set &set : sets_) {
      set.ways.resize(n_ways);
      set.tree.assign(n_ways, false);
    }
  }

  L2Effect request(const L2Request &req) {
    L2Effect effect;
    effect.slot = req.slot;
    for (auto &[index, mshr] : mshrs) {
      if (mshr.line != req.line) continue;
      mshr.waiters.push_back(req.kind);
      effect.outcome = Outcome::kMerged;
      return effect;
    }
    Set &set = sets_[req.line % n_sets_];
    const int hit = way_of(set, req.line);
    if (hit >= 0) {
      Way &way = set.ways[static_cast<unsigned>(hit)];
      effect.was_dirty = way.dirty;
      way.dirty = way.dirty || req.kind != Kind::kRead;
      if (!req.nc) touch(set, static_cast<unsigned>(hit));
      return effect;
    }
    if (req.nc && req.kind != Kind::kAmo) {
      effect.outcome = Outcome::kBypassed;
    } else if (req.whole) {
      effect.outcome = Outcome::kWhole;
      allocate(set, req.line, true, &effect);
    } else {
      effect.outcome = Outcome::kMiss;
      unsigned lowest = 0;
      while (mshrs.count(lowest)) lowest++;
      mshrs[lowest] = Mshr{req.line, req.slot, {req.kind}};
    }
    return effect;
  }

  // The waiters are all performed before anything else looks at the line (R-L2-2).
  L2Effect fill(unsigned index) {
    const Mshr mshr = mshrs.at(index);
    mshrs.erase(index);
    bool dirty = false;
    for (Kind kind : mshr.waiters) dirty = dirty || kind != Kind::kRead;
    L2Effect effect;
    effect.slot = mshr.slot;
    allocate(sets_[mshr.line % n_sets_], mshr.line, dirty, &effect);
    return effect;
  }

  // A flush from the first to the last set while nothing else happens there: the lines that are
  // written back, in order.
  std::deque<uint32_t> flush(unsigned first, unsigned last) {
    std::deque<uint32_t> written;
    for (unsigned n = 0, s = first; n < n_sets_; n++, s = (s + 1) % n_sets_) {
      for (Way &way : sets_[s].ways) {
        if (way.valid && way.dirty) written.push_back(way.line);
        way.valid = way.dirty = false;
      }
      if (s == last) break;
    }
    return written;
  }

  std::map<unsigned, Mshr> mshrs;

 private:
  struct Way {
    bool valid = false, dirty = false;
    uint32_t line = 0;
  };
  struct Set {
    std::vector<Way> ways;
    std::vector<bool> tree;  // node 1 is the root
  };

  static int way_of(const Set &set, uint32_t line) {
    for (unsigned w = 0; w < set.ways.size(); w++) {
      if (set.ways[w].valid && set.ways[w].line == line) return static_cast<int>(w);
    }
    return -1;
  }

  unsigned replaced(const Set &set) const {
    for (unsigned w = 0; w < n_ways_; w++) {
      if (!set.ways[w].valid) return w;
    }
    unsigned node = 1;
    while (node < n_ways_) node = 2 * node + (set.tree[node] ? 1 : 0);
    return node - n_ways_;
  }

  void touch(Set &set, unsigned way) const {
    for (unsigned node = way + n_ways_; node > 1; node /= 2) set.tree[node / 2] = node % 2 == 0;
  }

  void allocate(Set &set, uint32_t line, bool dirty, L2Effect *effect) const {
    const unsigned w = replaced(set);
    effect->victim = set.ways[w].valid && set.ways[w].dirty;
    effect->victim_line = set.ways[w].line;
    set.ways[w] = Way{true, dirty, line};
    touch(set, w);
  }

  const unsigned n_sets_, n_ways_;
  std::vector<Set> sets_;
};

#endif
