// SPDX-License-Identifier: Apache-2.0
// Scoreboard (qsm_scoreboard) against docs/subcore.md R-SB-1 to R-SB-3 in every cycle: random
// instructions of random warps, which lie in buffers as fetch pushes them.
#include "Vqsm_scoreboard.h"

#include <deque>
#include <vector>

#include "../common/qsm_unit.h"

using qsm_unit::get;
using qsm_unit::set;

namespace {

constexpr unsigned kMaxParts = (1u << PARTS_W) - 1;
constexpr unsigned kWarpW = qsm_unit::index_bits(NUM_WARPS),
                   kEntryW = qsm_unit::index_bits(ENTRIES);

struct Entry {
  bool valid = false, mem = false, all_sent = false;
  bool injected = false;  // taken without a pop: the warp is frozen until it is released
  unsigned rd = 0, parts = 0;
};

struct Place {
  bool valid = false;
  unsigned warp = 0, entry = 0;
  bool is(const Place &other) const {
    return valid && other.valid && warp == other.warp && entry == other.entry;
  }
};

struct Head {
  unsigned rs[SOURCES] = {}, rd = 0;
  bool names(unsigned reg) const {
    bool found = rd == reg;
    for (unsigned source : rs) found = found || source == reg;
    return found && reg != 0;
  }
};

// What a cycle brings.
struct Input {
  Place alloc, done[2], pass, back[2];  // alloc: its entry is the scoreboard's choice
  Place pop;
  unsigned push_warp = 0, n_pushed = 0;
  Head pushed[2];
  unsigned rd = 0, probe_warp = 0, probe = 0;
  bool mem = false, part = false, last = false, either = false;
};

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, qsm_unit::Random &random)
      : tap_(tap),
        random_(random),
        entries_(NUM_WARPS, std::vector<Entry>(ENTRIES)),
        buffers_(NUM_WARPS) {
    top_.rst_ni = 0;
    clock();
    top_.rst_ni = 1;
  }

  void cycle() {
    if (random_.one_in(500)) fills_ = !fills_;
    if (random_.one_in(200)) n_registers_ = random_.one_in(2) ? 32 : 2 + random_.below(6);
    draw();
    drive();
    top_.eval();
    compare();
    clock();
    step();
    n_cycles_++;
  }

  unsigned n_full = 0, n_hazards = 0, n_free = 0, n_most = 0, n_injected = 0;

 private:
  Entry &at(const Place &place) { return entries_[place.warp][place.entry]; }
  unsigned draw_register() { return random_.one_in(4) ? 0 : random_.below(n_registers_); }
  Place draw_place() { return Place{true, random_.below(NUM_WARPS), random_.below(ENTRIES)}; }
  unsigned free_entry(unsigned warp) const {
    unsigned e = 0;
    while (e < ENTRIES && entries_[warp][e].valid) e++;
    return e;
  }

  bool frozen(unsigned warp) const {
    bool found = false;
    for (const Entry &entry : entries_[warp]) found = found || (entry.valid && entry.injected);
    return found;
  }

  // Instructions are issued where an entry is free; fixed ones end, those of memory send parts,
  // which come back.
  void draw() {
    in_ = Input{};
    in_.probe_warp = random_.below(NUM_WARPS);
    in_.probe = draw_register();
    in_.either = random_.one_in(2);
    in_.mem = random_.one_in(2);
    in_.pop = draw_place();
    const std::deque<Head> &issues = buffers_[in_.pop.warp];
    in_.pop.valid = !issues.empty() && !frozen(in_.pop.warp) && !random_.one_in(4);
    // An instruction that issues takes an entry or none; an injected one has no word.
    in_.alloc = draw_place();
    if (in_.pop.valid) in_.alloc.warp = in_.pop.warp;
    in_.alloc.entry = free_entry(in_.alloc.warp);
    in_.alloc.valid = in_.alloc.entry < ENTRIES && random_.one_in(!in_.pop.valid ? 40
                                                                  : fills_       ? 1
                                                                                 : 4);
    in_.rd = in_.pop.valid ? issues.front().rd : draw_register();
    in_.push_warp = random_.one_in(4) ? in_.pop.warp : random_.below(NUM_WARPS);
    if (buffers_[in_.push_warp].size() <= 2) in_.n_pushed = random_.below(3);
    for (Head &head : in_.pushed) draw_head(head);
    in_.pass = draw_place();
    const Entry &sends = at(in_.pass);
    if (sends.valid && sends.mem && !sends.all_sent) {
      in_.part = sends.parts < kMaxParts && !random_.one_in(4);
      in_.last = random_.one_in(fills_ ? 30 : 6);
    }
    for (unsigned n = 0; n < 2; n++) {
      Place &done = in_.done[n], &back = in_.back[n];
      done = draw_place();
      done.valid = at(done).valid && !at(done).mem && random_.one_in(fills_ ? 8 : 1) &&
                   !(n == 1 && done.is(in_.done[0]));
      back = draw_place();
      back.valid = at(back).valid && at(back).parts > 0 && random_.one_in(fills_ ? 8 : 1) &&
                   !(n == 1 && back.is(in_.back[0]));
    }
  }

  void draw_head(Head &head) {
    head.rd = draw_register();
    for (unsigned &rs : head.rs) rs = draw_register();
  }

  template <typename T>
  static void set_head(T &port, const Head &head, unsigned from) {
    for (unsigned s = 0; s < SOURCES; s++) set(port, from + s, 5, head.rs[s]);
    set(port, from + SOURCES, 5, head.rd);
  }

  void drive() {
    set(top_.pop_i, 0, NUM_WARPS, uint64_t{in_.pop.valid} << in_.pop.warp);
    const std::deque<Head> &grows = buffers_[in_.push_warp];
    const bool pops = in_.pop.valid && in_.pop.warp == in_.push_warp;
    const bool first = in_.n_pushed > 0 && grows.size() == (pops ? 1 : 0);
    const bool second = in_.n_pushed > 0 && grows.size() < 2;
    set(top_.first_i, 0, NUM_WARPS, uint64_t{first} << in_.push_warp);
    set(top_.second_i, 0, NUM_WARPS, uint64_t{second} << in_.push_warp);
    top_.two_i = grows.empty();
    top_.push_warp_i = static_cast<uint8_t>(in_.push_warp);
    for (unsigned n = 0; n < 2; n++) set_head(top_.pushed_i, in_.pushed[n], n * (SOURCES + 1));
    top_.push_head_rd_i = static_cast<uint8_t>(grows.empty() ? draw_register() : grows.front().rd);
    const std::deque<Head> &moved = buffers_[popped_.warp];
    Head behind;
    draw_head(behind);
    top_.behind_i = popped_.valid;
    top_.behind_warp_i = static_cast<uint8_t>(popped_.warp);
    set_head(top_.behind_regs_i, moved.size() < 2 ? behind : moved[1], 0);
    top_.behind_head_rd_i =
        static_cast<uint8_t>(moved.empty() ? draw_register() : moved.front().rd);
    top_.probe_warp_i = static_cast<uint8_t>(in_.probe_warp);
    top_.probe_i = static_cast<uint8_t>(in_.probe);
    top_.probe_either_i = in_.either;
    set(top_.alloc_i, 0, NUM_WARPS, uint64_t{in_.alloc.valid} << in_.alloc.warp);
    top_.alloc_warp_i = static_cast<uint8_t>(in_.alloc.warp);
    top_.alloc_rd_i = static_cast<uint8_t>(in_.rd);
    for (unsigned w = 0; w < NUM_WARPS; w++) {
      const bool mem = w == in_.alloc.warp ? in_.mem != 0 : qsm_unit::noise(2) != 0;
      set(top_.alloc_mem_i, w, 1, uint64_t{mem});
    }
    top_.part_i = in_.part;
    top_.last_i = in_.last;
    top_.pass_warp_i = static_cast<uint8_t>(in_.pass.warp);
    top_.pass_entry_i = static_cast<uint8_t>(in_.pass.entry);
    for (unsigned n = 0; n < 2; n++) {
      set(top_.done_i, n, 1, in_.done[n].valid);
      set(top_.done_warp_i, n, kWarpW, in_.done[n].warp);
      set(top_.done_entry_i, n, kEntryW, in_.done[n].entry);
      set(top_.back_i, n, 1, in_.back[n].valid);
      set(top_.back_warp_i, n, kWarpW, in_.back[n].warp);
      set(top_.back_entry_i, n, kEntryW, in_.back[n].entry);
    }
  }

  void compare() {
    for (unsigned w = 0; w < NUM_WARPS; w++) {
      unsigned n_valid = 0, n_mem = 0;
      bool hazard = false, hazard_mem = false, probed = false;
      for (const Entry &entry : entries_[w]) {
        if (!entry.valid) continue;
        n_valid++;
        n_mem += entry.mem;
        if (entry.rd == 0) continue;
        const bool clash = !buffers_[w].empty() && buffers_[w].front().names(entry.rd);
        hazard = hazard || clash;
        hazard_mem = hazard_mem || (clash && entry.mem);
        probed = probed || entry.rd == in_.probe || (in_.either && entry.rd == (in_.probe ^ 1));
      }
      if (!buffers_[w].empty() && !frozen(w)) {
        same("hazard", w, get(top_.hazard_o, w, 1), hazard);
        same("hazard with memory", w, get(top_.hazard_mem_o, w, 1), hazard_mem);
        n_hazards += hazard;
      }
      if (w == in_.probe_warp) same("hazard of the probe", w, top_.probe_hazard_o, probed);
      same("full", w, get(top_.full_o, w, 1), n_valid == ENTRIES);
      same("empty", w, get(top_.empty_o, w, 1), n_valid == 0);
      same("memory", w, get(top_.mem_o, w, 1), n_mem > 0);
      n_full += n_valid == ENTRIES;
    }
    if (in_.alloc.valid) same("entry", in_.alloc.warp, top_.entry_o, in_.alloc.entry);
  }

  void step() {
    for (const Place &done : in_.done) {
      if (done.valid) at(done).valid = false;
    }
    for (const Place &back : in_.back) {
      if (back.valid) at(back).parts--;
    }
    at(in_.pass).parts += in_.part;
    at(in_.pass).all_sent |= in_.last;
    n_most += at(in_.pass).parts == kMaxParts;
    for (std::vector<Entry> &warp : entries_) {
      for (Entry &entry : warp) {
        if (!entry.valid || !entry.mem || !entry.all_sent || entry.parts > 0) continue;
        entry.valid = false;
        n_free++;
      }
    }
    if (in_.alloc.valid) {
      at(in_.alloc) = Entry{true, in_.mem, false, !in_.pop.valid, in_.rd, 0};
      n_injected += !in_.pop.valid && !buffers_[in_.alloc.warp].empty();
    }
    if (in_.pop.valid) buffers_[in_.pop.warp].pop_front();
    for (unsigned n = 0; n < in_.n_pushed; n++) buffers_[in_.push_warp].push_back(in_.pushed[n]);
    popped_ = in_.pop;
  }

  void same(const char *what, unsigned warp, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s, warp %u: %llu, must be %llu", n_cycles_, what,
                warp, static_cast<unsigned long long>(seen),
                static_cast<unsigned long long>(wanted));
  }
  void clock() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  Vqsm_scoreboard top_;
  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  std::vector<std::vector<Entry>> entries_;
  std::vector<std::deque<Head>> buffers_;
  Place popped_;  // in the cycle before
  Input in_;
  bool fills_ = true;         // more instructions are issued than end
  unsigned n_registers_ = 8;  // that they name
  unsigned long long n_cycles_ = 0;
};

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_scoreboard");
  qsm_unit::Tap tap(1);
  qsm_unit::begin_with_anything();
  Bench bench(tap, random);
  for (unsigned c = 0; c < 60000 && !tap.failed(); c++) bench.cycle();
  std::printf(
      "# warps in all cycles: %u full, %u with a hazard; %u memory instructions complete, %u times as many parts as can be, %u injected beside a head\n",
      bench.n_full, bench.n_hazards, bench.n_free, bench.n_most, bench.n_injected);
  tap.expect(bench.n_full > 1000 && bench.n_hazards > 1000 && bench.n_free > 1000 &&
                 bench.n_most > 100 && bench.n_injected > 30,
             "too little happens");
  tap.done("random instructions: hazards and free entries in every cycle");
  return tap.exit_code();
}
