// SPDX-License-Identifier: Apache-2.0
// Bench of the L1: RTL and reference (l1_ref.h) get the same inputs and are compared in every
// cycle; a memory behind them performs what they send. Beside that, what a load brings is checked
// against I-MEM-5 of docs/l1.md: no byte is older than its kernel's last store to it in this SM, or
// the start of its generation.
#ifndef QSM_L1_BENCH_H
#define QSM_L1_BENCH_H

#include <map>
#include <memory>
#include <string>

#include "Vbench_l1.h"

#include "../common/qsm_unit.h"
#include "l1_ref.h"

using Covers = std::map<std::string, uint64_t>;

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, Covers &covers, unsigned ref_sets = SETS)
      : ref(ref_sets, WAYS), tap_(tap), covers_(covers) {
    qsm_unit::begin_with_anything();
    top.reset(new Vbench_l1);
    drive(Inputs{});
    top->rst_ni = 0;
    clock();
    top->rst_ni = 1;
  }
  ~Bench() { top->final(); }

  bool parameters_match() {
    return top->params_o[0] == kSubs && top->params_o[1] == kLanes && top->params_o[2] == kTxns &&
           top->params_o[3] == kSlots;
  }

  // A cycle with these inputs; the response, if there is to be one, is chosen here.
  Outputs cycle(Inputs in, bool respond) {
    if (respond) choose_response(in);
    drive(in);
    top->eval();
    const DevicePass a = ref.a;
    note_covers_before(in);
    const Outputs out = ref.cycle(in);
    compare(out, a);
    note_covers(in, out, a);
    if (out.acts && a.kind == kLoad) remember_bounds(a);
    if (out.req) perform(a, out.txn);
    if (out.returns == kHit || out.returns == kResponse) check_freshness(out);
    renew(in);
    clock();
    now++;
    return out;
  }

  // Another SM writes a byte.
  void foreign_store(uint32_t line, unsigned byte, uint8_t value) { write_byte(line, byte, value); }

  bool idle() const { return !ref.a_full && ref.queue.empty() && accesses_.empty(); }
  Line memory_line(uint32_t line) {
    auto &bytes = memory_.emplace(line, std::vector<Byte>(kLineBytes)).first->second;
    Line words{};
    for (unsigned b = 0; b < kLineBytes; b++) {
      if (bytes[b].history.empty())
        bytes[b].history.push_back({0, static_cast<uint8_t>(line * 31 + b)});
      words[b / 4] |= static_cast<uint32_t>(bytes[b].history.back().value) << (8 * (b % 4));
    }
    return words;
  }

  std::unique_ptr<Vbench_l1> top;
  L1Ref ref;
  uint64_t now = 1;
  unsigned memory_delay = 1;  // cycles from a request to its response at least
  bool differs = false, may_differ = false;

 private:
  struct Version {
    uint64_t from;
    uint8_t value;
  };
  struct Byte {
    std::vector<Version> history;
    std::array<uint64_t, kSlots> stored{};  // last store or AMO of the slot
  };
  struct Access {
    unsigned txn;
    uint32_t line;
    uint64_t from;
    Line data;
  };
  using Bounds = std::array<uint64_t, kLineBytes>;

  void same(const char *what, uint64_t seen, uint64_t wanted) {
    differs = differs || seen != wanted;
    tap_.expect(seen == wanted || may_differ, "cycle %llu: %s is 0x%llx, must be 0x%llx",
                static_cast<unsigned long long>(now), what, static_cast<unsigned long long>(seen),
                static_cast<unsigned long long>(wanted));
  }

  // ---- memory ----
  void write_byte(uint32_t line, unsigned byte, uint8_t value) {
    memory_line(line);
    memory_[line][byte].history.push_back({now, value});
  }

  void perform(const DevicePass &a, unsigned txn) {
    const Line before = memory_line(a.line);
    for (unsigned b = 0; b < kLineBytes; b++) {
      if (a.kind == kLoad || !(a.bytes >> b & 1)) continue;
      const uint32_t word = a.kind == kStore ? a.data[b / 4] : before[b / 4] + a.data[b / 4];
      write_byte(a.line, b, static_cast<uint8_t>(word >> (8 * (b % 4))));
      memory_[a.line][b].stored[a.slot] = now;
    }
    accesses_.push_back({txn, a.line, now + memory_delay, a.kind == kStore ? Line{} : before});
  }

  // Any access whose time has come, but those of one line in order.
  void choose_response(Inputs &in) {
    for (size_t tries = 0; tries < accesses_.size(); tries++) {
      const size_t n = (now * 7 + tries) % accesses_.size();
      bool first = accesses_[n].from <= now;
      for (size_t m = 0; m < n; m++) first = first && accesses_[m].line != accesses_[n].line;
      if (!first) continue;
      in.rsp_valid = true;
      in.rsp_txn = accesses_[n].txn;
      in.rsp_data = accesses_[n].data;
      accesses_.erase(accesses_.begin() + static_cast<std::ptrdiff_t>(n));
      return;
    }
  }

  // ---- I-MEM-5 ----
  void remember_bounds(const DevicePass &a) {
    Bounds &bounds = bounds_[a.id];
    memory_line(a.line);
    for (unsigned b = 0; b < kLineBytes; b++)
      bounds[b] = std::max(renewed_[a.slot], memory_[a.line][b].stored[a.slot]);
  }

  void check_freshness(const Outputs &out) {
    const DevicePass &pass = ref.returned;
    if (pass.kind != kLoad) return;
    const Bounds bounds = bounds_[pass.id];
    bounds_.erase(pass.id);
    const Line line = ref.result_line();
    for (unsigned b = 0; b < kLineBytes; b++) {
      const auto &history = memory_[pass.line][b].history;
      const uint8_t value = static_cast<uint8_t>(line[b / 4] >> (8 * (b % 4)));
      bool fresh = false;
      for (size_t n = 0; n < history.size(); n++) {
        const bool over = n + 1 < history.size() && history[n + 1].from <= bounds[b];
        fresh = fresh || (!over && history[n].value == value);
      }
      tap_.expect(fresh || may_differ,
                  "cycle %llu: byte %u of line 0x%x is older than its kernel may see (%s)",
                  static_cast<unsigned long long>(now), b, pass.line,
                  out.returns == kHit ? "hit" : "response");
    }
  }

  void renew(const Inputs &in) {
    for (unsigned k = 0; k < kSlots; k++) {
      bool renewed = (in.start >> k & 1) || (in.restore && in.restore_slot == k);
      for (unsigned s = 0; s < kSubs; s++)
        renewed = renewed || ((in.fence >> s & 1) && in.fence_slot[s] == k);
      if (renewed) renewed_[k] = now;
    }
  }

  // ---- covers: the corner cases of the page ----
  void note_covers_before(const Inputs &in) {
    listing_ = !ref.to_serve.empty();
    if (in.rsp_valid)
      covers_["a list longer than the credits"] += ref.txns[in.rsp_txn].list.size() > kCredits;
    if (in.rsp_valid && ref.txns[in.rsp_txn].has_line) {
      covers_["fill of a poisoned line"] +=
          ref.lines[ref.txns[in.rsp_txn].set][ref.txns[in.rsp_txn].way].poison;
    }
    before_ = ref.lines;
    trees_before_ = ref.trees;
    gens_before_ = ref.gens;
  }

  void note_covers(const Inputs &in, const Outputs &out, const DevicePass &a) {
    const bool load = a.kind == kLoad;
    const std::string kind = load ? "load" : a.kind == kStore ? "store" : "AMO";
    if (out.hit) covers_["hit"]++;
    if (out.joins) covers_["joins"]++;
    if (out.allocates) covers_["miss that allocates"]++;
    if (out.req && load && !out.allocates) {
      covers_[ref.match >= 0            ? "miss at a poisoned line"
              : (in.skip >> a.slot & 1) ? "miss that skips"
                                        : "miss, all ways pending"]++;
    }
    if (out.req && !load)
      covers_[kind + (ref.match_valid ? ", valid" : ref.match >= 0 ? ", pending" : ", none")]++;
    if (out.hit && (in.skip >> a.slot & 1)) covers_["hit that skips"]++;
    if (out.joins && out.fill)
      covers_["joins in the cycle of the fill"] +=
          out.fill_set == a.line % SETS && out.fill_way == out.way;
    if (ref.wraps) {
      covers_["wrap"]++;
      covers_["wrap with a fill"] += out.fill;
      covers_["wrap with an allocation"] += out.allocates;
      for (const auto &set : ref.lines)
        for (const auto &line : set) covers_["wrap with a pending line"] += line.pending;
    }
    if (ref.wants_hit && ref.wants_pass && ref.wants_response) covers_["three return ops wanted"]++;
    if (out.returns == kHit && listing_) covers_["hit while a list is served"]++;
    if (out.allocates) {
      const unsigned set = a.line % SETS;
      const auto &line = before_[set][out.way];
      covers_["eviction of a line whose generation is over"] +=
          line.valid && line.gen != gens_before_[line.slot];
      covers_["eviction"] += line.valid;
      unsigned node = 1;
      while (node < WAYS) node = 2 * node + (trees_before_[set][node] ? 1 : 0);
      covers_["the tree points at a pending line"] +=
          line.valid && before_[set][node - WAYS].pending;
    }
    if (!load && ref.a_full && out.fill && !out.acts && in.port_free)
      covers_[kind + " waits for a fill"]++;
    if (in.start & (in.fence ? 1u << in.fence_slot[in.fence & 1 ? 0 : 1] : 0))
      covers_["start and fence of a slot in one cycle"]++;
  }

  // ---- the RTL ----
  void clock() {
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
    top->clk_i = 0;
  }

  template <class P>
  static void put_part(P &words, const Part &part) {
    const unsigned values[] = {part.sub, part.warp, part.entry, part.funct3,
                               part.rd,  part.mask, part.away};
    for (unsigned n = 0; n < 7; n++) words[n] = values[n];
  }

  void drive(const Inputs &in) {
    top->device_valid_i = in.device_valid;
    const uint32_t device[] = {in.device.kind, in.device.amo, in.device.line, in.device.bytes,
                               in.device.slot};
    for (unsigned n = 0; n < 5; n++) top->device_i[n] = device[n];
    put_part(top->device_part_i, in.device.part);
    put_part(top->shared_part_i, in.shared.part);
    for (unsigned l = 0; l < kLanes; l++) {
      top->device_data_i[l] = in.device.data[l];
      top->device_offs_i[l] = in.device.part.offs[l];
      top->shared_offs_i[l] = in.shared.part.offs[l];
      top->shared_data_i[l] = in.shared.data[l];
      top->rsp_data_i[l] = in.rsp_data[l];
    }
    top->shared_valid_i = in.shared_valid;
    top->shared_store_i = in.shared.store;
    top->port_free_i = in.port_free;
    top->rsp_valid_i = in.rsp_valid;
    top->rsp_txn_i = in.rsp_txn;
    top->skip_i = in.skip;
    top->start_i = in.start;
    top->restore_i = in.restore;
    top->restore_slot_i = in.restore_slot;
    top->fence_i = in.fence;
    for (unsigned s = 0; s < kSubs; s++) {
      top->fence_slot_i[s] = in.fence_slot[s];
      top->result_pop_i[s] = in.pop[s];
    }
    top->read_slot_i = in.read_slot;
    top->read_counter_i = in.read_counter;
  }

  void compare(const Outputs &out, const DevicePass &a) {
    same("pass", top->pass_o, out.pass);
    same("an act", top->act_o[0], out.acts);
    if (out.acts) {
      same("a hit", top->act_o[1], out.hit);
      same("a join", top->act_o[2], out.joins);
      same("an allocation", top->act_o[3], out.allocates);
      if (out.allocates || ref.match >= 0) same("the way", top->act_o[4], out.way);
    }
    same("a request", top->req_o[0], out.req);
    if (out.req) {
      const uint32_t wanted[] = {1, a.kind, a.amo, a.line, a.bytes, a.slot, out.txn};
      const char *const names[] = {"", "kind", "amo", "line", "bytes", "slot", "transaction"};
      for (unsigned n = 1; n < 7; n++) same(names[n], top->req_o[n], wanted[n]);
      for (unsigned l = 0; l < kLanes; l++) same("a word sent", top->req_data_o[l], a.data[l]);
    }
    if (out.joins) same("transaction of a join", top->req_o[6], out.txn);
    same("a return op", top->return_o[0], out.returns >= 0);
    if (out.returns >= 0) {
      same("return of a pass", top->return_o[1], out.returns == kPass);
      same("return of a hit", top->return_o[2], out.returns == kHit);
      if (out.returns == kResponse) same("transaction served", top->return_o[3], out.return_txn);
    }
    same("a transaction that counts as away", top->away_o[0], out.away_taken);
    same("the service of one", top->away_o[1], out.away_served);
    same("a fill", top->fill_o[0], out.fill);
    if (out.fill)
      same("place of a fill", top->fill_o[1] * WAYS + top->fill_o[2],
           out.fill_set * WAYS + out.fill_way);
    same("generations", top->gens_o, out.gens);
    same("counter", top->value_o, out.value);
    same("an acknowledgement", top->ack_o[0], out.ack);
    if (out.ack)
      same("whose", top->ack_o[1] << 16 | top->ack_o[2] << 8 | top->ack_o[3],
           out.ack_part.sub << 16 | out.ack_part.warp << 8 | out.ack_part.entry);
    for (unsigned s = 0; s < kSubs; s++)
      same("a result", top->result_valid_o[s], out.result && out.result_part.sub == s);
    if (out.result) compare_result(out.result_part, out.result_line);
  }

  void compare_result(const Part &part, const Line &line) {
    const unsigned wanted[] = {part.warp, part.rd, part.mask, part.entry};
    for (unsigned n = 0; n < 4; n++)
      same("warp, rd, mask or entry of a result", top->result_o[n], wanted[n]);
    for (unsigned l = 0; l < kLanes; l++) {
      if (part.mask >> l & 1)
        same("a lane's value", top->result_data_o[l],
             load_value(line[part.offs[l] / 4], part.offs[l], part.funct3));
    }
  }

  qsm_unit::Tap &tap_;
  Covers &covers_;
  std::vector<Access> accesses_;
  std::map<uint32_t, std::vector<Byte>> memory_;
  std::map<uint64_t, Bounds> bounds_;
  std::array<uint64_t, kSlots> renewed_{};
  bool listing_ = false;
  std::vector<std::vector<L1Ref::CacheLine>> before_;
  std::vector<std::vector<bool>> trees_before_;
  std::array<unsigned, kSlots> gens_before_{};
};

#endif
