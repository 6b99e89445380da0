// SPDX-License-Identifier: Apache-2.0
// A bank of a shader array's cache in every cycle, as docs/sa_cache.md R-SA-2 to R-SA-11, R-SA-15
// and R-SA-16 say it: lines are objects that hold who waits for them, queues are queues.
#ifndef QSM_SA_REF_H
#define QSM_SA_REF_H

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

enum class Kind { kRead = 0, kWrite = 1, kAmo = 2 };
enum class Op { kNone, kWalk, kServe, kResponse, kRequest };
using Line = std::vector<uint8_t>;

struct SaRequest {
  Kind kind = Kind::kRead;
  unsigned amo = 0, member = 0, txn = 0, slot = 0;
  uint32_t line = 0, bytes = 0;
  Line data;
  unsigned gen = 0;  // of its look
};

struct SaAnswer {
  unsigned member = 0, txn = 0;
  Line data;
};

struct SaInputs {
  const SaRequest *request = nullptr;  // offered
  const SaAnswer *response = nullptr;
  bool out_ready = false, back_ready = false, wrap = false;
  std::vector<bool> skip;
  std::vector<unsigned> gens;
};

struct SaGeometry {
  unsigned sets, ways, txns, first_fetch;
};

class SaRef {
 public:
  enum Counter { kLoads, kHits, kJoined, kMisses, kStores, kAtomics, kCounters };
  struct Events {  // of the cycle
    bool replaced_by_tree = false, all_pending = false, poisoned_load = false, long_list = false,
         old_line = false, dead_way = false, wrap_in_walk = false;
  };

  SaRef(const SaGeometry &geometry, unsigned slots)
      : counters(slots, std::vector<uint32_t>(kCounters)),
        g_(geometry),
        lines_(geometry.sets, std::vector<Way>(geometry.ways)),
        tree_(geometry.sets, std::vector<bool>(geometry.ways)) {}

  // ---- what is seen at the start of a cycle ----
  bool takes_request() const { return chosen(true) == Op::kRequest; }
  bool takes_response() const { return !arrived_ || chosen(true) == Op::kResponse; }
  const std::deque<SaRequest> &out() const { return out_; }
  const std::deque<SaAnswer> &back() const { return back_; }
  bool walks() const { return walking_; }

  void cycle(const SaInputs &in) {
    events = Events();
    const Op op = chosen(in.request != nullptr);
    const bool takes = in.response && takes_response();
    std::optional<SaAnswer> made;
    int back = 0, out = 0;  // credits that come back
    back += in.back_ready && !back_.empty();
    out += in.out_ready && !out_.empty();
    if (in.back_ready && !back_.empty()) back_.pop_front();
    if (in.out_ready && !out_.empty()) out_.pop_front();
    if (answer_) back_.push_back(*answer_);

    switch (acting_) {
      case Op::kWalk: act_walk(); break;
      case Op::kServe:
        made = SaAnswer{arrived_in_act_.member, arrived_in_act_.txn, list_data_};
        break;
      case Op::kResponse: made = act_response(); break;
      case Op::kRequest: made = act_request(in, &back, &out); break;
      case Op::kNone: break;
    }
    answer_ = made;

    // Looks of this cycle.
    const bool first = first_;
    acting_ = op;
    if (op == Op::kWalk) {
      walk_in_act_ = walk_set_;
      first_in_act_ = first;
      if (++walk_set_ == g_.sets) walking_ = first_ = false, walk_set_ = 0;
    } else if (op == Op::kServe) {
      const unsigned id = list_.front();
      list_.pop_front();
      arrived_in_act_ = SaAnswer{id / g_.txns, id % g_.txns, {}};
    } else if (op == Op::kResponse) {
      arrived_in_act_ = *arrived_;
      arrived_.reset();
    } else if (op == Op::kRequest) {
      request_ = *in.request;
      request_.gen = in.gens[request_.slot];
      n_out_--;
    }
    if (op != Op::kNone && op != Op::kWalk) n_back_--;
    n_back_ += back;
    n_out_ += out;
    if (takes) arrived_ = *in.response;
    if (in.wrap) {
      events.wrap_in_walk = op == Op::kWalk;
      walking_ = true;
      walk_set_ = 0;
      first_ = first;
    }
  }

  Events events;
  std::vector<std::vector<uint32_t>> counters;  // [slot][Counter]

 private:
  struct Way {
    bool valid = false, pending = false, poison = false;
    uint32_t tag = 0;
    unsigned slot = 0, gen = 0;
    std::vector<unsigned> waiters;  // transactions, the one that fetches it first
    Line data;
  };

  unsigned id_of(unsigned member, unsigned txn) const { return member * g_.txns + txn; }

  Way *fetched_by(unsigned id) {
    for (auto &set : lines_) {
      for (Way &way : set) {
        if (way.pending && way.waiters.front() == id) return &way;
      }
    }
    return nullptr;
  }

  // The response in act leaves a list.
  bool list_starts() const {
    if (acting_ != Op::kResponse) return false;
    const Way *way =
        const_cast<SaRef *>(this)->fetched_by(id_of(arrived_in_act_.member, arrived_in_act_.txn));
    return way && way->waiters.size() > 1;
  }

  Op chosen(bool offered) const {  // R-SA-2
    if (walking_) return Op::kWalk;
    if (!list_.empty() && n_back_) return Op::kServe;
    if (arrived_ && list_.empty() && !list_starts() && n_back_) return Op::kResponse;
    return offered && n_back_ && n_out_ ? Op::kRequest : Op::kNone;
  }

  void act_walk() {
    for (Way &way : lines_[walk_in_act_]) {
      way.valid = false;
      way.poison = way.pending;
      if (first_in_act_) way = Way();
    }
    if (first_in_act_) tree_[walk_in_act_].assign(g_.ways, false);
  }

  SaAnswer act_response() {
    Way *way = fetched_by(id_of(arrived_in_act_.member, arrived_in_act_.txn));
    if (way) {
      events.long_list = way->waiters.size() > 2;
      way->pending = false;
      way->valid = !way->poison;
      way->poison = false;
      way->data = arrived_in_act_.data;
      list_.assign(way->waiters.begin() + 1, way->waiters.end());
      list_data_ = arrived_in_act_.data;
    }
    return arrived_in_act_;
  }

  std::optional<SaAnswer> act_request(const SaInputs &in, int *back, int *out) {
    const SaRequest &req = request_;
    const unsigned id = id_of(req.member, req.txn);
    const unsigned set = req.line % g_.sets;
    const bool fetch = req.kind == Kind::kRead && req.txn >= g_.first_fetch;
    Way *way = fetch ? nullptr : match(set, req);
    auto &count = counters[req.slot];
    if (!fetch)
      count[req.kind == Kind::kRead ? kLoads : req.kind == Kind::kWrite ? kStores : kAtomics]++;
    if (req.kind == Kind::kRead && way && way->valid) {
      count[kHits]++;
      touch(in, set, way);
      ++*out;
      return SaAnswer{req.member, req.txn, way->data};
    }
    if (req.kind == Kind::kRead && way && !way->poison) {
      count[kJoined]++;
      way->waiters.push_back(id);
      ++*out;
      ++*back;
      return std::nullopt;
    }
    events.poisoned_load = req.kind == Kind::kRead && way;
    if (req.kind == Kind::kRead && !fetch && !way && !in.skip[req.slot]) allocate(in, set, id);
    if (req.kind != Kind::kRead && way) {
      if (way->pending) {
        way->poison = true;
      } else if (req.kind == Kind::kAmo) {
        way->valid = false;
      } else {
        for (unsigned b = 0; b < req.data.size(); b++) {
          if (req.bytes >> b & 1) way->data[b] = req.data[b];
        }
        touch(in, set, way);
      }
    }
    out_.push_back(req);
    ++*back;
    return std::nullopt;
  }

  Way *match(unsigned set, const SaRequest &req) {
    for (Way &way : lines_[set]) {
      if ((!way.valid && !way.pending) || way.tag != req.line / g_.sets || way.slot != req.slot)
        continue;
      if (way.gen == req.gen) return &way;
      events.old_line = true;
    }
    return nullptr;
  }

  void allocate(const SaInputs &in, unsigned set, unsigned id) {
    Way *chosen = nullptr;
    for (Way &way : lines_[set]) {
      const bool live = way.valid && way.gen == in.gens[way.slot];
      if (chosen || way.pending || live) continue;
      chosen = &way;
      events.dead_way = way.valid;
    }
    if (!chosen) {
      unsigned node = 1;
      while (node < g_.ways) node = 2 * node + (tree_[set][node] ? 1 : 0);
      Way *pointed = &lines_[set][node - g_.ways];
      if (!pointed->pending) chosen = pointed;
      events.replaced_by_tree = chosen != nullptr;
    }
    for (Way &way : lines_[set]) {
      if (!chosen && !way.pending) chosen = &way;
    }
    events.all_pending = !chosen;
    if (!chosen) return;
    counters[request_.slot][kMisses]++;
    *chosen = Way();
    chosen->pending = true;
    chosen->tag = request_.line / g_.sets;
    chosen->slot = request_.slot;
    chosen->gen = request_.gen;
    chosen->waiters = {id};
    touch(in, set, chosen);
  }

  void touch(const SaInputs &in, unsigned set, const Way *way) {
    if (in.skip[request_.slot]) return;
    const unsigned leaf = static_cast<unsigned>(way - lines_[set].data()) + g_.ways;
    for (unsigned node = leaf; node > 1; node /= 2) tree_[set][node / 2] = node % 2 == 0;
  }

  const SaGeometry g_;
  std::vector<std::vector<Way>> lines_;
  std::vector<std::vector<bool>> tree_;  // node 1 is the root
  std::deque<SaRequest> out_;
  std::deque<SaAnswer> back_;
  std::optional<SaAnswer> arrived_, answer_;
  int n_back_ = 4, n_out_ = 4;  // credits
  Op acting_ = Op::kNone;
  SaRequest request_;        // in act
  SaAnswer arrived_in_act_;  // response, or who is served
  std::deque<unsigned> list_;
  Line list_data_;
  bool walking_ = true, first_ = true, first_in_act_ = false;
  unsigned walk_set_ = 0, walk_in_act_ = 0;
};

#endif
