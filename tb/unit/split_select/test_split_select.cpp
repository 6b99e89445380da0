// SPDX-License-Identifier: Apache-2.0
// Selection of a diverged warp's next split (qsm_split_select): R-WS-5 to R-WS-7 of
// docs/warp_state.md, and what a step reads (R-WS-11), in every cycle.
// Usage: test_split_select [seed]. Output: TAP.
#include <cstdint>
#include <vector>

#include "Vbench_split_select.h"

#include "../common/qsm_unit.h"

namespace {

constexpr unsigned kMaxLanes = 32, kMaxWarps = 32;

// What SEL1 reads of a warp.
struct Lanes {
  uint32_t cand = 0, pc[kMaxLanes] = {}, depth[kMaxLanes] = {};
};

struct Inputs {
  bool select = false, start = false;
  bool step = false;  // the save sequencer's step reads what this lane has
  unsigned warp = 0, started = 0, lane = 0;
  uint32_t alive = ~0u;
  Lanes lanes;
};

struct Split {
  bool set = false;
  uint32_t warp = 0, pc = 0, depth = 0, mask = 0;
};
struct Reconvergence {
  bool set = false, valid = false;
  uint32_t warp = 0, pc = 0;
};

// The rules, from the page.
class Reference {
 public:
  Reference(unsigned n_lanes, unsigned limit) : n_lanes_(n_lanes), limit_(limit) {}

  Split split;
  Reconvergence reconv;
  Split step;  // set: pc and depth of the lane that was read in the cycle before
  unsigned rot[kMaxWarps] = {}, selcnt[kMaxWarps] = {};
  unsigned n_fair = 0;

  // The outputs of a cycle, and its end.
  void cycle(const Inputs &in) {
    reconv = sel3_.valid && (in.alive >> sel3_.warp & 1) ? reconvergence_of() : Reconvergence{};
    split = Split{};
    step = step_;
    step_ = {in.step, 0, in.lanes.pc[in.lane], in.lanes.depth[in.lane], 0};
    sel3_.valid = sel2_.valid && (in.alive >> sel2_.warp & 1);
    if (sel3_.valid) {
      split = choose(sel2_);
      sel3_.warp = sel2_.warp;
      sel3_.lanes = sel2_.lanes;
      sel3_split_ = split;
      sel3_fair_ = picked_fairly_;
    }
    if (in.start) rot[in.started] = selcnt[in.started] = 0;
    sel2_ = {in.select, in.warp, in.lanes};
  }

  // Whether the next selection of a diverged warp is a fairness pick.
  bool fair_next(unsigned warp) const { return selcnt[warp] == limit_ - 1; }

 private:
  struct Stage {
    bool valid = false;
    unsigned warp = 0;
    Lanes lanes;
  };

  uint32_t group_of(const Lanes &lanes, unsigned leader) const {
    uint32_t group = 0;
    for (unsigned l = 0; l < n_lanes_; l++)
      if ((lanes.cand >> l & 1) && lanes.depth[l] == lanes.depth[leader] &&
          lanes.pc[l] == lanes.pc[leader])
        group |= 1u << l;
    return group;
  }

  Split choose(const Stage &stage) {  // R-WS-6
    const Lanes &lanes = stage.lanes;
    unsigned leader = 0;
    while (!(lanes.cand >> leader & 1)) leader++;
    for (unsigned l = leader + 1; l < n_lanes_; l++) {
      if (!(lanes.cand >> l & 1)) continue;
      if (lanes.depth[l] > lanes.depth[leader] ||
          (lanes.depth[l] == lanes.depth[leader] && lanes.pc[l] < lanes.pc[leader]))
        leader = l;
    }
    const unsigned w = stage.warp;
    picked_fairly_ = fair_next(w);
    if (group_of(lanes, leader) != lanes.cand) {
      const bool fair = fair_next(w);
      if (fair) {
        leader = rot[w];
        while (!(lanes.cand >> leader & 1)) leader = (leader + 1) % n_lanes_;
        rot[w] = (leader + 1) % n_lanes_;
        n_fair++;
      }
      selcnt[w] = fair ? 0 : selcnt[w] + 1;
    }
    return {true, w, lanes.pc[leader], lanes.depth[leader], group_of(lanes, leader)};
  }

  Reconvergence reconvergence_of() const {  // R-WS-7
    const Stage &stage = sel3_;
    Reconvergence found{true, false, stage.warp, 0};
    for (unsigned l = 0; l < n_lanes_; l++) {
      const bool waits =
          !sel3_fair_ && (stage.lanes.cand >> l & 1) && !(sel3_split_.mask >> l & 1) &&
          stage.lanes.depth[l] == sel3_split_.depth && stage.lanes.pc[l] > sel3_split_.pc;
      if (waits && (!found.valid || stage.lanes.pc[l] < found.pc)) found.pc = stage.lanes.pc[l];
      found.valid = found.valid || waits;
    }
    return found;
  }

  unsigned n_lanes_, limit_;
  Stage sel2_, sel3_;
  Split sel3_split_, step_;
  bool picked_fairly_ = false, sel3_fair_ = false;
};

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap)
      : tap_(tap),
        n_warps(parameter(0)),
        n_lanes(parameter(1)),
        limit(parameter(2)),
        max_depth((1u << parameter(3)) - 1),
        ref(n_lanes, limit) {
    top.rst_ni = 1;
    clock();
    top.rst_ni = 0;
    top.sel1_valid_i = 0;
    top.start_valid_i = 0;
    clock();
    top.rst_ni = 1;
  }
  ~Bench() { top.final(); }

  void cycle(const Inputs &in) {
    top.alive_i = in.alive;
    top.start_valid_i = in.start;
    top.start_slot_i = in.started;
    top.sel1_valid_i = in.select;
    top.sel1_warp_i = in.warp;
    top.sel1_cand_i = in.lanes.cand;
    top.step_reads_i = in.step;
    top.step_lane_i = in.lane;
    for (unsigned l = 0; l < n_lanes; l++) {
      top.sel1_pc_i[l] = in.lanes.pc[l];
      top.sel1_depth_i[l] = in.lanes.depth[l];
    }
    top.eval();
    ref.cycle(in);
    compare();
    clock();
    n_cycles++;
  }

  // A selection alone, to its end; the split that was chosen.
  Split select(unsigned warp, const Lanes &lanes) {
    Inputs in;
    in.select = true;
    in.warp = warp;
    in.lanes = lanes;
    cycle(in);
    cycle({});
    const Split chosen = ref.split;
    cycle({});
    return chosen;
  }

  Vbench_split_select top;

 private:
  qsm_unit::Tap &tap_;

 public:
  unsigned n_warps, n_lanes, limit, max_depth;
  Reference ref;
  unsigned n_cycles = 0;

 private:
  unsigned parameter(unsigned i) {
    top.eval();
    return top.params_o[i];
  }
  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
  }
  void compare() {
    const Split &p = ref.split;
    tap_.expect(top.path_o[0] == p.set, "cycle %u: split set %u, not %d", n_cycles, top.path_o[0],
                p.set);
    if (p.set)
      tap_.expect(top.path_o[1] == p.warp && top.path_o[2] == p.pc && top.path_o[3] == p.depth &&
                      top.path_o[4] == p.mask,
                  "cycle %u: warp %u: split {%x, %u, %x}, not {%x, %u, %x} of warp %u", n_cycles,
                  top.path_o[1], top.path_o[2], top.path_o[3], top.path_o[4], p.pc, p.depth, p.mask,
                  p.warp);
    if (ref.step.set)
      tap_.expect(top.path_o[2] == ref.step.pc && top.path_o[3] == ref.step.depth,
                  "cycle %u: a step has read {%x, %u}, not {%x, %u}", n_cycles, top.path_o[2],
                  top.path_o[3], ref.step.pc, ref.step.depth);
    const Reconvergence &m = ref.reconv;
    tap_.expect(top.reconv_o[0] == m.set, "cycle %u: reconv set %u, not %d", n_cycles,
                top.reconv_o[0], m.set);
    if (m.set)
      tap_.expect(top.reconv_o[1] == m.warp && top.reconv_o[2] == m.valid &&
                      (!m.valid || top.reconv_o[3] == m.pc),
                  "cycle %u: warp %u: reconv {%u, %x}, not {%d, %x} of warp %u", n_cycles,
                  top.reconv_o[1], top.reconv_o[2], top.reconv_o[3], m.valid, m.pc, m.warp);
  }
};

// Lanes of `cand`, each at a pc of its own: the lowest lane has the lowest.
Lanes apart(uint32_t cand) {
  Lanes lanes;
  lanes.cand = cand;
  for (unsigned l = 0; l < kMaxLanes; l++) lanes.pc[l] = 0x80000000 + 16 * l;
  return lanes;
}

// Selections of a diverged warp until the next one is a fairness pick.
void until_fair(Bench &b, unsigned warp) {
  for (unsigned n = 0; n < b.limit && !b.ref.fair_next(warp); n++) b.select(warp, apart(3));
}

void start(Bench &b, unsigned warp) {
  Inputs in;
  in.start = true;
  in.started = warp;
  b.cycle(in);
}

// A warp that just has started, and then looks first at lane `rot`.
void turn_to(Bench &b, unsigned warp, unsigned rot) {
  start(b, warp);
  if (rot == 0) return;
  until_fair(b, warp);
  b.select(warp, apart(1u << (rot - 1) | 1u << rot));
}

unsigned lane_of(const Split &split) { return static_cast<unsigned>(__builtin_ctz(split.mask)); }

// Pairs of lanes on, just behind and just before the one where the circle begins, wherever that is.
void test_circle(qsm_unit::Tap &tap) {
  Bench b(tap);
  for (unsigned rot = 0; rot < b.n_lanes; rot++) {
    std::vector<uint32_t> candidates;
    for (const unsigned one : {0u, 1u, b.n_lanes - 1})
      for (const unsigned other : {0u, 1u, 2u, b.n_lanes / 2, b.n_lanes - 1})
        if (other != one)
          candidates.push_back(1u << (rot + one) % b.n_lanes | 1u << (rot + other) % b.n_lanes);
    for (const uint32_t cand : candidates) {
      turn_to(b, 1, rot);
      until_fair(b, 1);
      unsigned want = rot;
      while (!(cand >> want & 1)) want = (want + 1) % b.n_lanes;
      const unsigned got = lane_of(b.select(1, apart(cand)));
      tap.expect(got == want, "lanes %x from %u on: lane %u, not %u", cand, rot, got, want);
      until_fair(b, 1);
      const unsigned next = (want + 1) % b.n_lanes;
      const uint32_t all = b.n_lanes == 32 ? ~0u : (1u << b.n_lanes) - 1;
      tap.expect(lane_of(b.select(1, apart(all))) == next,
                 "after lane %u the next pick is not lane %u", want, next);
      if (tap.failed()) break;
    }
  }
  tap.done("R-WS-6: a fairness pick is the first lane in the circle, which then begins behind it");
}

void test_limit(qsm_unit::Tap &tap) {
  Bench b(tap);
  unsigned n = 0;
  while (lane_of(b.select(0, apart(3))) == 0 && n < 3 * b.limit) {
    n++;
    if (n == b.limit) b.select(0, apart(2));  // a warp that is not diverged: does not count
  }
  tap.expect(n == 2 * b.limit - 1, "lane 1 has waited for %u selections", n);
  tap.done(
      "R-WS-6: every ProgressLimit-th selection of a diverged warp is a fairness pick, in turns");
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  std::vector<unsigned> rests(b.n_warps, 0);  // cycles until a warp may select again
  bool read = false;                          // in the cycle before
  unsigned n_reconvergences = 0, n_dead = 0, n_steps = 0;
  for (unsigned n = 0; n < 400000 && !tap.failed(); n++) {
    Inputs in;
    in.warp = random.below(b.n_warps);
    in.select = rests[in.warp] == 0 && !read && !random.one_in(8);
    in.step = !in.select && !read && random.one_in(2);
    in.lane = random.below(b.n_lanes);
    read = in.select || in.step;
    n_steps += in.step;
    in.lanes.cand = random.bits32() & (b.n_lanes == 32 ? ~0u : (1u << b.n_lanes) - 1);
    if (in.lanes.cand == 0) in.lanes.cand = 1;
    const uint32_t spread = random.one_in(3) ? 1 : 4;
    for (unsigned l = 0; l < b.n_lanes; l++) {
      in.lanes.pc[l] =
          (random.one_in(40) ? random.bits32() & ~3u : 0x80000000) + 4 * random.below(spread);
      in.lanes.depth[l] = random.one_in(40) ? b.max_depth : random.below(2);
    }
    for (unsigned w = 0; w < b.n_warps; w++)
      if (rests[w] && random.one_in(100)) in.alive &= ~(1u << w);  // killed in SEL2 or SEL3
    in.start = random.one_in(2000);
    in.started = random.below(b.n_warps);
    if (in.start && (rests[in.started] || (in.select && in.started == in.warp))) in.start = false;
    for (auto &rest : rests) rest -= rest != 0;
    if (in.select) rests[in.warp] = 2;
    b.cycle(in);
    n_reconvergences += b.ref.reconv.valid;
    n_dead += in.alive != ~0u;
  }
  std::printf("# %u fairness picks, %u reconvergence points, %u cycles with a kill, %u steps\n",
              b.ref.n_fair, n_reconvergences, n_dead, n_steps);
  tap.expect(b.ref.n_fair > 200 && n_reconvergences > 1000 && n_dead > 1000 && n_steps > 1000,
             "too little happened");
  tap.done("R-WS-5, R-WS-6, R-WS-7, R-WS-11 in every cycle of a random run");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_split_select");
  qsm_unit::Tap tap(3);
  test_limit(tap);
  test_circle(tap);
  test_random(tap, random);
  return tap.exit_code();
}
