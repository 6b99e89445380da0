// SPDX-License-Identifier: Apache-2.0
// An L1 with the transactions and the return slot behind it, in every cycle, as docs/l1.md says it
// rule by rule. Decisions are made on the state at the start of a cycle; what changes is done after
// all of them.
#ifndef QSM_L1_REF_H
#define QSM_L1_REF_H

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

constexpr unsigned kSubs = 2, kLanes = 4, kTxns = 8, kSlots = 3, kCredits = 4, kCounters = 6;
constexpr unsigned kLineBytes = 4 * kLanes, kNone = ~0u;

enum Kind { kLoad = 0, kStore = 1, kAmo = 2 };
enum ReturnKind { kPass = 0, kResponse = 1, kHit = 2 };  // of return ops

using Line = std::array<uint32_t, kLanes>;

struct Part {
  unsigned sub = 0, warp = 0, entry = 0, funct3 = 2, rd = 0, mask = 0;
  bool away = false;
  std::array<unsigned, kLanes> offs{};
};

struct DevicePass {
  Kind kind = kLoad;
  unsigned amo = 0, slot = 0;
  uint32_t line = 0, bytes = 0;
  Line data{};
  Part part;
  uint64_t id = 0;  // of the bench
};

struct SharedPass {
  bool store = false;
  Part part;
  Line data{};
};

struct Inputs {
  bool device_valid = false, shared_valid = false, port_free = true, rsp_valid = false,
       restore = false;
  DevicePass device;
  SharedPass shared;
  unsigned rsp_txn = 0, restore_slot = 0, skip = 0, start = 0, fence = 0, read_slot = 0,
           read_counter = 0;
  Line rsp_data{};
  std::array<unsigned, kSubs> fence_slot{};
  std::array<bool, kSubs> pop{};
};

struct Outputs {
  bool pass = false;
  bool req = false;      // the payload is A's
  unsigned txn = kNone;  // taken
  bool acts = false, hit = false, joins = false, allocates = false;
  unsigned way = 0;         // of a hit, a join, an allocation, a store or AMO with a match
  int returns = -1;         // ReturnKind
  unsigned return_txn = 0;  // of a response
  bool ack = false;
  Part ack_part;
  bool away_taken = false, away_served = false;  // R-PA-19
  bool fill = false;
  unsigned fill_set = 0, fill_way = 0;
  uint32_t gens = 0, value = 0;
  bool result = false;  // of the return op of the cycle before
  Part result_part;
  Line result_line{};  // its lanes select from it
};

inline uint32_t load_value(uint32_t word, unsigned offset, unsigned funct3) {
  const uint32_t value = word >> (8 * (offset & 3));
  switch (funct3) {
    case 0: return static_cast<uint32_t>(static_cast<int8_t>(value));
    case 1: return static_cast<uint32_t>(static_cast<int16_t>(value));
    case 4: return value & 0xff;
    case 5: return value & 0xffff;
    default: return word;
  }
}

class L1Ref {
 public:
  struct CacheLine {
    bool valid = false, pending = false, poison = false;
    uint32_t tag = 0;
    unsigned slot = 0, gen = 0, txn = 0;
    Line data{};
  };
  struct Txn {
    bool busy = false, has_line = false;
    unsigned set = 0, way = 0;
    DevicePass pass;
    std::deque<unsigned> list;
  };

  L1Ref(unsigned n_sets, unsigned n_ways)
      : n_sets_(n_sets),
        n_ways_(n_ways),
        lines(n_sets, std::vector<CacheLine>(n_ways)),
        trees(n_sets, std::vector<bool>(n_ways)) {
    credits.fill(kCredits);
  }

  Outputs cycle(const Inputs &in) {
    Outputs out;
    report(in, out);
    decide_return(in, out);
    decide_act(in, out);
    out.pass = in.device_valid && (!a_full || out.acts);  // R-L1-1
    apply(in, out);
    return out;
  }

  const Line &result_line() const { return result_line_; }  // of this cycle's return op

  // State of the page; the bench looks at it for its covers.
  std::vector<std::vector<CacheLine>> lines;
  std::vector<std::vector<bool>> trees;  // node 1 is the root
  std::array<Txn, kTxns> txns;
  std::deque<std::pair<unsigned, Line>> queue;  // responses: transaction, data
  std::deque<unsigned>
      to_serve;  // of the head: transactions that it has not been served for; empty: not begun
  std::array<unsigned, kSubs> credits;
  std::array<unsigned, kSlots> gens{};
  bool a_full = false;
  DevicePass a;
  // R-L1-2 to R-L1-6 of the last cycle, and whose data its return op brought.
  int match = -1;
  bool match_valid = false, match_poison = false, all_pending = false, wants_hit = false,
       wants_response = false, wants_pass = false, wraps = false;
  DevicePass returned;

 private:
  unsigned set_of(uint32_t line) const { return line % n_sets_; }

  void report(const Inputs &in, Outputs &out) {
    out.result = result_;
    out.result_part = result_part_;
    out.result_line = result_line_;
    for (unsigned k = 0; k < kSlots; k++) out.gens |= gens[k] << (4 * k);
    out.value = in.read_counter < kCounters ? counters_[in.read_slot][in.read_counter] : 0;
    out.fill = in.rsp_valid && txns[in.rsp_txn].has_line;
    out.fill_set = txns[in.rsp_txn].set;
    out.fill_way = txns[in.rsp_txn].way;
    find_match();
  }

  void find_match() {  // R-L1-2
    match = -1;
    all_pending = true;
    if (!a_full) return;
    for (unsigned w = 0; w < n_ways_; w++) {
      const CacheLine &line = lines[set_of(a.line)][w];
      all_pending = all_pending && line.pending;
      if ((line.valid || line.pending) && line.tag == a.line / n_sets_ && line.slot == a.slot &&
          line.gen == gens[a.slot])
        match = static_cast<int>(w);
    }
    const CacheLine *line =
        match < 0 ? nullptr : &lines[set_of(a.line)][static_cast<unsigned>(match)];
    match_valid = line && line->valid;
    match_poison = line && line->pending && line->poison;
  }

  unsigned served_now() const { return to_serve.empty() ? queue.front().first : to_serve.front(); }

  void decide_return(const Inputs &in, Outputs &out) {  // R-L1-8, R-L1-9
    wants_hit = a_full && a.kind == kLoad && match_valid && credits[a.part.sub] > 0;
    wants_response = false;
    if (!queue.empty()) {
      const DevicePass &pass = txns[served_now()].pass;
      wants_response = pass.kind == kStore || credits[pass.part.sub] > 0;
      out.return_txn = served_now();
    }
    wants_pass = in.shared_valid && (in.shared.store || credits[in.shared.part.sub] > 0);
    for (unsigned kind : order_) {
      const bool wants = kind == kHit ? wants_hit : kind == kResponse ? wants_response : wants_pass;
      if (wants && out.returns < 0) out.returns = static_cast<int>(kind);
    }
    out.away_served = out.returns == kResponse && txns[out.return_txn].pass.part.away;
    if (out.returns == kResponse && txns[out.return_txn].pass.kind == kStore) {
      out.ack = true;
      out.ack_part = txns[out.return_txn].pass.part;
    }
  }

  void decide_act(const Inputs &in, Outputs &out) {  // R-L1-3 to R-L1-6
    if (!a_full) return;
    unsigned free = kNone;
    for (unsigned t = kTxns; t-- > 0;)
      if (!txns[t].busy) free = t;
    const bool load = a.kind == kLoad;
    out.way = match < 0 ? 0 : static_cast<unsigned>(match);
    if (load && match_valid) {
      out.hit = out.acts = out.returns == kHit;
    } else if (load && match >= 0 && !match_poison) {
      out.joins = out.acts = free != kNone;
    } else if (load) {
      out.req = out.acts = free != kNone && in.port_free;
      out.allocates = out.acts && !(in.skip >> a.slot & 1) && match < 0 && !all_pending;  // R-L1-12
      if (out.allocates) out.way = way_for_a();
    } else {
      out.req = out.acts = free != kNone && in.port_free && !out.fill;
    }
    if (out.req || out.joins) out.txn = free;
    out.away_taken = out.txn != kNone && a.part.away;
  }

  unsigned way_for_a() const {  // R-L1-5
    const auto &set = lines[set_of(a.line)];
    for (unsigned w = 0; w < n_ways_; w++)
      if (!set[w].valid && !set[w].pending) return w;
    unsigned node = 1;
    while (node < n_ways_) node = 2 * node + (trees[set_of(a.line)][node] ? 1 : 0);
    if (!set[node - n_ways_].pending) return node - n_ways_;
    unsigned lowest = 0;
    while (set[lowest].pending) lowest++;
    return lowest;
  }

  void touch(unsigned way) {  // R-L2-9
    for (unsigned node = way + n_ways_; node > 1; node /= 2)
      trees[set_of(a.line)][node / 2] = node % 2 == 0;
  }

  void apply(const Inputs &in, const Outputs &out) {
    apply_return(in, out);
    if (out.fill) {  // R-L1-7
      CacheLine &line = lines[out.fill_set][out.fill_way];
      line.valid = !line.poison;
      line.pending = line.poison = false;
      line.data = in.rsp_data;
    }
    if (out.acts) apply_act(in, out);
    if (in.rsp_valid) queue.emplace_back(in.rsp_txn, in.rsp_data);
    renew(in);
    if (out.acts) a_full = false;
    if (out.pass) {
      a_full = true;
      a = in.device;
    }
  }

  void apply_return(const Inputs &in, const Outputs &out) {
    for (unsigned s = 0; s < kSubs; s++) credits[s] += in.pop[s];
    result_ = false;
    if (out.returns < 0) return;
    for (unsigned n = 0; n < 3; n++) {
      if (order_[n] != static_cast<unsigned>(out.returns)) continue;
      order_.erase(order_.begin() + n);
      order_.push_back(static_cast<unsigned>(out.returns));
      break;
    }
    bool store = false;
    if (out.returns == kPass) {
      store = in.shared.store;
      result_part_ = in.shared.part;
      result_line_ = in.shared.data;
    } else if (out.returns == kHit) {
      returned = a;
      result_part_ = a.part;
      result_line_ = lines[set_of(a.line)][out.way].data;
    } else {
      returned = txns[out.return_txn].pass;
      store = returned.kind == kStore;
      result_part_ = returned.part;
      result_line_ = queue.front().second;
      serve();
    }
    result_ = !store;
    if (!store) credits[result_part_.sub]--;
  }

  void serve() {  // R-L1-8
    const unsigned head = queue.front().first;
    if (to_serve.empty()) {
      to_serve = txns[head].list;
    } else {
      txns[to_serve.front()].busy = false;
      to_serve.pop_front();
    }
    if (!to_serve.empty()) return;
    txns[head].busy = false;
    queue.pop_front();
  }

  void apply_act(const Inputs &in, const Outputs &out) {
    CacheLine *line = &lines[set_of(a.line)][out.way];
    const bool skip = in.skip >> a.slot & 1;
    if (out.txn != kNone) {
      Txn &txn = txns[out.txn];
      txn = Txn{};
      txn.busy = true;
      txn.pass = a;
      txn.has_line = out.allocates;
      txn.set = set_of(a.line);
      txn.way = out.way;
    }
    if (out.joins) txns[line->txn].list.push_back(out.txn);
    if (out.allocates) {
      *line = CacheLine{};
      line->pending = true;
      line->tag = a.line / n_sets_;
      line->slot = a.slot;
      line->gen = gens[a.slot];
      line->txn = out.txn;
    }
    if (a.kind != kLoad && match >= 0) {
      if (!match_valid)
        line->poison = true;
      else if (a.kind == kAmo)
        line->valid = false;
      else
        store_bytes(line->data);
    }
    if (!skip && (out.hit || out.allocates || (a.kind == kStore && match_valid)))
      touch(out.way);  // R-L1-10, R-L1-12
    auto &counter = counters_[a.slot];
    counter[a.kind == kLoad ? 0 : a.kind == kStore ? 4 : 5]++;
    if (out.hit) counter[1]++;
    if (out.joins) counter[2]++;
    if (out.allocates) counter[3]++;
  }

  void store_bytes(Line &line) const {
    for (unsigned b = 0; b < kLineBytes; b++) {
      const uint32_t mask = 0xffu << (8 * (b % 4));
      if (a.bytes >> b & 1) line[b / 4] = (line[b / 4] & ~mask) | (a.data[b / 4] & mask);
    }
  }

  void renew(const Inputs &in) {  // R-L1-11, R-L1-13
    unsigned renewed = in.start;
    if (in.restore) renewed |= 1u << in.restore_slot;
    for (unsigned s = 0; s < kSubs; s++)
      if (in.fence >> s & 1) renewed |= 1u << in.fence_slot[s];
    wraps = false;
    for (unsigned k = 0; k < kSlots; k++) {
      if (in.start >> k & 1) counters_[k] = {};
      if (!(renewed >> k & 1)) continue;
      gens[k] = (gens[k] + 1) % 16;
      wraps = wraps || gens[k] == 0;
    }
    if (!wraps) return;
    for (auto &set : lines) {
      for (CacheLine &line : set) {
        line.poison = line.pending;
        line.valid = false;
      }
    }
  }

  const unsigned n_sets_, n_ways_;
  std::vector<unsigned> order_ = {kResponse, kHit, kPass};  // served longest ago first
  std::array<std::array<uint32_t, kCounters>, kSlots> counters_{};
  bool result_ = false;
  Part result_part_;
  Line result_line_{};
};

#endif
