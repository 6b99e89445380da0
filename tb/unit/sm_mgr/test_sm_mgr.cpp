// SPDX-License-Identifier: Apache-2.0
// SM manager (qsm_sm_mgr) against sm_ref.h in every cycle: requests and all state of
// docs/sm_mgr.md. Directed cases are tables of what the page's algorithms make of an epoch (R-SG-3,
// R-SG-6, R-SG-8, R-SG-9, R-SG-14, R-SG-16); random runs have contexts that come and go, goals,
// epochs and moves of random lengths, and instructions at the bounds of each comparison, and must
// have come by every line of the rules that their size allows.
#include "Vbench_sm_mgr.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "../common/qsm_unit.h"
#include "sm_ref.h"
#include "sm_world.h"

using qsm_unit::noise;
using qsm_unit::Random;
using qsm_unit::set;
using qsm_unit::Tap;

namespace {

constexpr unsigned kKernelBits = qsm_unit::index_bits(NUM_KERNELS);
constexpr unsigned kSmBits = qsm_unit::index_bits(NUM_SMS);
constexpr uint32_t kMostInsn = (uint32_t{1} << SNAP_W) - 1;

// Element `index` of a packed array, as qsm_unit::get, by the word.
template <class P>
uint64_t field(const P &port, unsigned index, unsigned width) {
  const unsigned bit = index * width, first = bit / 32, last = (bit + width - 1) / 32;
  unsigned __int128 value = 0;
  for (unsigned w = first; w <= last; w++)
    value |= static_cast<unsigned __int128>(qsm_unit::word(port, w)) << (32 * (w - first));
  value >>= bit % 32;
  return static_cast<uint64_t>(width == 64 ? value : value & ((uint64_t{1} << width) - 1));
}

class Bench {
 public:
  Bench(Tap &tap, Random &random)
      : ref(NUM_SMS, NUM_KERNELS, NOC_LAT, EPOCH_RESET),
        world(NUM_SMS, random),
        in(NUM_SMS, NUM_KERNELS),
        driven_(NUM_SMS, NUM_KERNELS),
        insn(NUM_SMS, std::vector<uint32_t>(NUM_KERNELS)),
        spent(NUM_SMS, std::vector<bool>(NUM_KERNELS)),
        tap_(tap),
        random_(random) {
    drive(true);
    top_.rst_ni = 0;
    clock();
    top_.rst_ni = 1;
  }

  // One cycle with `in`; e: it is E, and `insn` is what the epoch that ends has.
  void cycle(bool e = false) {
    if (tap_.failed()) return;
    in.e = e;
    if (e) since_ = 0;
    // the snapshots are there NocLat + 1 cycles after E
    if (since_ == 0) {
      for (unsigned i = 0; i < NUM_SMS; i++) {
        for (unsigned k = 0; k < NUM_KERNELS; k++) {
          in.insn[i][k] = noise(kMostInsn);
          in.spent[i][k] = noise(1) != 0;
        }
      }
    }
    if (since_ == NOC_LAT + 1) {
      in.insn = insn;
      in.spent = spent;
    }
    drive(false);
    top_.eval();
    const SmRequest request = ref.request(in);
    compare(request);
    ref.step(in, request.valid);
    if (ref.decides_at_end()) n_decisions++;
    if (e) quote();
    const std::vector<bool> valid = in.valid;
    world.step(in.sms, request, valid);
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      if (!in.arrival[k]) continue;
      in.valid[k] = true;
      in.part[k] = coming_[k].part;
      in.qos[k] = coming_[k].qos;
    }
    std::fill(in.arrival.begin(), in.arrival.end(), false);
    std::fill(in.hist_clear.begin(), in.hist_clear.end(), false);
    clock();
    now_++;
    since_++;
  }
  void cycles(unsigned n) {
    while (n-- > 0 && !tap_.failed()) cycle();
  }
  // From E to the end of D.
  void epoch() {
    cycle(true);
    cycles(ref.sm_lat);
  }
  // Cycles until all moves that are planned have been made.
  void settle() {
    const auto moving = [](const SmState &s) { return s.moving; };
    for (unsigned n = 0; n < 20000 && !tap_.failed(); n++) {
      if (!ref.planning && !ref.splitting() && std::none_of(in.sms.begin(), in.sms.end(), moving) &&
          n > 2)
        return;
      cycle();
    }
    tap_.expect(false, "cycle %llu: moves do not end", static_cast<unsigned long long>(now_));
  }
  // The instructions of slot k in the epoch to come, somehow over the SMs, but for SM `not_on`.
  void issue(unsigned k, uint64_t x, unsigned not_on = NUM_SMS) {
    const unsigned last = not_on + 1 == NUM_SMS ? NUM_SMS - 2 : NUM_SMS - 1;
    for (unsigned i = 0; i < NUM_SMS; i++) {
      if (i == not_on) continue;
      const uint64_t here = i == last ? x : random_.one_in(3) ? 0 : x / (1 + random_.below(4));
      insn[i][k] = static_cast<uint32_t>(std::min<uint64_t>(here, kMostInsn));
      x -= insn[i][k];
    }
  }
  // The SM that all share, if there is just one.
  unsigned shared_sm() const {
    const auto shared = [](const SmState &s) { return s.usage == QSM_USE_SHARED && !s.moving; };
    if (std::count_if(in.sms.begin(), in.sms.end(), shared) != 1) return NUM_SMS;
    return static_cast<unsigned>(std::find_if(in.sms.begin(), in.sms.end(), shared) -
                                 in.sms.begin());
  }
  // A context comes to slot k in the next cycle, and is there after it.
  void arrive(unsigned k, bool part, bool qos) {
    in.arrival[k] = in.hist_clear[k] = true;
    coming_[k] = {part, qos};
  }
  void leave(unsigned k) { in.valid[k] = in.part[k] = false; }
  uint64_t now() const { return now_; }

  SmRef ref;
  SmWorld world;
  SmInputs in;

 private:
  SmInputs driven_;

 public:
  std::vector<std::vector<uint32_t>> insn;
  std::vector<std::vector<bool>> spent;  // the quota, at the end of the epoch
  uint64_t n_decisions = 0;

 private:
  // What the QoS manager says from the snapshot on (R-QM-12).
  void quote() {
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const SmState &s = in.sms[i];
      const bool common =
          in.scheme != QSM_SCHEME_SM_ROLLOVER || (s.usage == QSM_USE_SHARED && !s.moving);
      set(top_.common_i, i, 1, common);
      for (unsigned k = 0; k < NUM_KERNELS; k++)
        set(top_.quoted_i, i * NUM_KERNELS + k, 1, common && in.blocks[i][k]);
    }
  }
  // What has changed; at first all.
  void drive(bool all) {
    top_.scheme_i = static_cast<uint8_t>(in.scheme);
    top_.sm_threshold_i = static_cast<uint16_t>(in.threshold);
    top_.sm_step_i = static_cast<uint8_t>(in.step);
    top_.e_i = in.e;
    top_.epoch_len_i = in.epoch_len;
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      set(top_.valid_i, k, 1, in.valid[k]);
      set(top_.qos_i, k, 1, in.qos[k]);
      set(top_.part_i, k, 1, in.part[k]);
      set(top_.had_tb_i, k, 1, in.had_tb[k]);
      set(top_.arrival_i, k, 1, in.arrival[k]);
      set(top_.hist_clear_i, k, 1, in.hist_clear[k]);
    }
    if (all || in.goal != driven_.goal || in.sm_count != driven_.sm_count) {
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        set(top_.goal_i, k, 32, in.goal[k]);
        set(top_.sm_count_i, k, 7, in.sm_count[k]);
      }
      driven_.goal = in.goal;
      driven_.sm_count = in.sm_count;
    }
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const SmState &s = in.sms[i];
      if (!all && s == driven_.sms[i]) continue;
      driven_.sms[i] = s;
      set(top_.usage_i, i, 2, s.usage);
      set(top_.owner_i, i, kKernelBits, s.owner);
      set(top_.moving_i, i, 1, s.moving);
      set(top_.next_usage_i, i, 2, s.next_usage);
      set(top_.next_owner_i, i, kKernelBits, s.next_owner);
      set(top_.power_i, i, 2, s.power);
    }
    if (!all && since_ != 0 && since_ != NOC_LAT + 1) return;
    for (unsigned i = 0; i < NUM_SMS; i++)
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        set(top_.snap_insn_i, i * NUM_KERNELS + k, SNAP_W, in.insn[i][k]);
        set(top_.snap_spent_i, i * NUM_KERNELS + k, 1, in.spent[i][k]);
      }
  }

  void check(bool holds, const char *what, unsigned k, uint64_t got, uint64_t must) {
    tap_.expect(holds, "cycle %llu: %s of %u is %llu, must be %llu",
                static_cast<unsigned long long>(now_), what, k,
                static_cast<unsigned long long>(got), static_cast<unsigned long long>(must));
  }
  void same(const char *what, unsigned k, uint64_t got, uint64_t must) {
    check(got == must, what, k, got, must);
  }
  void compare(const SmRequest &r) {
    same("request", 0, top_.request_valid_o, r.valid);
    if (r.valid) {
      same("SM of the request", 0, field(top_.request_sm_o, 0, kSmBits), r.sm);
      same("usage of the request", r.sm, top_.request_usage_o, r.usage);
      same("owner of the request", r.sm, field(top_.request_owner_o, 0, kKernelBits), r.owner);
    }
    same("busy", 0, top_.busy_o, ref.busy());
    same("closed", 0, top_.closed_o, ref.closed(in));
    same("stale", 0, top_.stale_o, ref.stale);
    same("moved", 0, top_.moved_o, ref.moved);
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const SmRef::Slot &s = ref.slots[k];
      same("n", k, field(top_.n_o, k, 7), s.n);
      same("opt", k, field(top_.opt_o, k, 7), s.opt);
      same("upper", k, field(top_.upper_o, k, 1), s.upper);
      same("lower", k, field(top_.lower_o, k, 1), s.lower);
      same("eval", k, field(top_.eval_o, k, 2), s.eval);
      same("run", k, field(top_.run_o, k, 1), s.run);
      same("seen", k, field(top_.seen_o, k, 1), s.seen);
      same("ample", k, field(top_.ample_o, k, 1), s.ample);
      same("apart", k, field(top_.apart_o, k, 1), ref.apart(k));
      same("lead", k, field(top_.lead_o, k, 64), static_cast<uint64_t>(s.lead));
      same("i", k, field(top_.insn_o, k, 31), s.insn);
      same("i_last", k, field(top_.insn_last_o, k, 31), s.i_last);
      same("sm_last", k, field(top_.sm_last_o, k, 7), s.sm_last);
      same("out", k, field(top_.out_o, k, 1), s.out);
    }
  }
  void clock() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  Vbench_sm_mgr top_;
  Tap &tap_;
  Random &random_;
  uint64_t now_ = 0;
  unsigned since_ = 0;
  struct {
    bool part, qos;
  } coming_[NUM_KERNELS] = {};
};

// ---- Directed: tables of the algorithms ----

constexpr unsigned kT = 10000;
constexpr uint64_t kGoalInsn = 40000;  // of a slot with a goal, per epoch: 4 per cycle

// Slots with these flags of a goal, the split done, a first epoch over that does not count.
struct Scene {
  Scene(Tap &tap, Random &random, unsigned scheme, const std::vector<bool> &qos,
        const std::vector<uint32_t> &count = {})
      : bench(tap, random), tap_(tap) {
    bench.world.gating = false;
    bench.in.scheme = scheme;
    bench.in.epoch_len = kT;
    for (unsigned k = 0; k < qos.size(); k++) {
      bench.in.valid[k] = bench.in.part[k] = bench.in.had_tb[k] = true;
      bench.in.qos[k] = qos[k];
      bench.in.goal[k] = qos[k] ? (kGoalInsn << 16) / kT : 0;
    }
    std::copy(count.begin(), count.end(), bench.in.sm_count.begin());
    bench.settle();
    // the first epoch has the reset value of T, the second sets seen, from the third on records run
    bench.epoch();
    bench.settle();
  }
  // An epoch with these instructions, decision, moves.
  void epoch(const std::vector<uint64_t> &x) {
    for (unsigned k = 0; k < x.size(); k++) bench.issue(k, x[k]);
    bench.epoch();
    n.clear();
    for (const SmRef::Slot &s : bench.ref.slots) n.push_back(s.n);
    bench.settle();
  }
  void expect(const char *what, const std::vector<unsigned> &must) {
    for (unsigned k = 0; k < must.size(); k++)
      tap_.expect(n[k] == must[k], "%s: slot %u has %u SMs, must have %u", what, k, n[k], must[k]);
  }
  // opt, upper, lower, eval of a slot
  void expect(const char *what, unsigned k, unsigned opt, bool upper, bool lower, unsigned eval) {
    const SmRef::Slot &s = bench.ref.slots[k];
    tap_.expect(s.opt == opt && s.upper == upper && s.lower == lower && s.eval == eval,
                "%s: slot %u has opt %u, upper %d, lower %d, eval %u", what, k, s.opt, s.upper,
                s.lower, s.eval);
  }

  Bench bench;
  std::vector<unsigned> n;

 private:
  Tap &tap_;
};

// R-SG-3, R-SG-14: SMs of each slot; count 0 takes a share.
void test_splits(Tap &tap, Random &random) {
  struct Row {
    unsigned scheme;
    std::vector<bool> qos;
    std::vector<unsigned> count, n;
  };
  const unsigned smqos = QSM_SCHEME_SMQOS, spart = QSM_SCHEME_SPART, fixed = QSM_SCHEME_SM_STATIC,
                 both = QSM_SCHEME_SM_ROLLOVER;
  const std::vector<Row> rows = {
      {smqos, {false}, {0}, {24}},
      {smqos, {false, true, false, true}, {0, 0, 0, 0}, {6, 6, 6, 6}},
      {smqos, {false, false, true}, {9, 9, 9}, {8, 8, 8}},
      {spart, {false, true}, {0, 0}, {12, 12}},
      {fixed, {false, true}, {0, 7}, {17, 7}},
      {fixed, {true, false, false}, {5, 0, 0}, {5, 10, 9}},
      {fixed, {true, false, true}, {24, 24, 24}, {22, 1, 1}},
      {fixed, {true, false, true}, {0, 24, 24}, {1, 22, 1}},
      {fixed, {true, true, true}, {2, 3, 4}, {2, 3, 4}},
      {fixed, {false, false, false, false}, {0, 20, 0, 0}, {2, 20, 1, 1}},
      {both, {true}, {0}, {23}},
      {both, {false, true, false}, {0, 0, 0}, {0, 23, 0}},
      {both, {false, true, false, true}, {0, 0, 5, 0}, {0, 9, 5, 9}},
      {both, {true, false, true, true}, {0, 0, 0, 3}, {10, 0, 10, 3}},
      {both, {false, false, false}, {0, 0, 0}, {8, 8, 7}},
      {both, {false, true, false, true}, {0, 17, 0, 4}, {1, 17, 1, 4}},
      {both, {true, false, true, false}, {0, 20, 9, 0}, {0, 20, 3, 0}},
      {both, {true, true}, {24, 1}, {23, 0}},
  };
  for (const Row &row : rows) {
    Bench bench(tap, random);
    bench.in.scheme = row.scheme;
    for (unsigned k = 0; k < row.qos.size(); k++) {
      bench.in.valid[k] = bench.in.part[k] = true;
      bench.in.qos[k] = row.qos[k];
      bench.in.sm_count[k] = row.count[k];
    }
    bench.settle();
    for (unsigned k = 0; k < row.n.size(); k++)
      tap.expect(bench.ref.slots[k].n == row.n[k], "row %u: slot %u has %u SMs, must have %u",
                 static_cast<unsigned>(&row - rows.data()), k, bench.ref.slots[k].n, row.n[k]);
  }
  tap.done("splits, R-SG-3, R-SG-14: even, by count, less than asked");
}

// R-SG-2: in a split slot 0's tenant leaves, and another one comes, whose count is its own.
void test_tenants(Tap &tap, Random &random) {
  Bench bench(tap, random);
  bench.in.scheme = QSM_SCHEME_SM_STATIC;
  bench.arrive(0, true, false);
  bench.arrive(1, true, false);
  bench.in.sm_count[0] = 5;
  bench.cycle();
  bench.settle();
  tap.expect(bench.ref.slots[0].n == 5, "slot 0 has %u SMs, must have 5", bench.ref.slots[0].n);
  bench.in.qos[1] = true;
  bench.cycles(1 + NUM_KERNELS);  // the counts are read
  tap.expect(bench.ref.splitting(), "no split is under way");
  bench.leave(0);
  bench.cycles(2);
  bench.arrive(0, true, false);
  bench.in.sm_count[0] = 9;
  bench.cycle();
  bench.settle();
  tap.expect(bench.ref.slots[0].n == 9 && bench.ref.slots[1].n == 15,
             "the slots have %u and %u SMs, must have 9 and 15", bench.ref.slots[0].n,
             bench.ref.slots[1].n);
  tap.done("a tenant that comes in a split, R-SG-2: SMs by its own count");
}

// A scheme that begins in any of the first cycles: nothing is under way after the reset.
void test_begin(Tap &tap, Random &random) {
  for (unsigned wait = 0; wait < NUM_SMS + 23 * NUM_KERNELS + 20 && !tap.failed(); wait++) {
    Bench bench(tap, random);
    bench.cycles(wait);
    bench.in.scheme = QSM_SCHEME_SMQOS;
    for (unsigned k = 0; k < 2; k++) bench.in.valid[k] = bench.in.part[k] = true;
    bench.settle();
    tap.expect(bench.ref.slots[1].n == NUM_SMS / 2, "after %u cycles: slot 1 has %u SMs", wait,
               bench.ref.slots[1].n);
  }
  tap.done("a split in any cycle after the reset, R-SG-2");
}

// R-SG-8, Algorithm 1: what a slot with a goal does. Slot 0 has it, slot 1 is batch; 12 and 12 SMs.
void test_goals(Tap &tap, Random &random) {
  struct Row {
    const char *what;
    std::vector<uint64_t> before;  // instructions of slot 0 in epochs whose records lead here
    uint64_t x;
    std::vector<unsigned> n;
  };
  const uint64_t g = kGoalInsn;
  const std::vector<Row> rows = {
      {"behind in the first epoch", {}, g - 1, {13, 11}},
      {"exactly at its goal", {}, g, {12, 12}},
      {"ahead by less than an epoch", {}, g + 1, {12, 12}},
      {"ahead by exactly an epoch", {}, 2 * g, {12, 12}},
      {"ahead by more than an epoch", {}, 2 * g + 1, {11, 13}},
  };
  for (const Row &row : rows) {
    Scene scene(tap, random, QSM_SCHEME_SMQOS, {true, false});
    scene.epoch({row.x, 1000});  // seen was set by the first epoch: this one counts
    scene.expect(row.what, row.n);
  }
  {
    // ahead on average, but not in this epoch: it needs; the other way round: it is behind
    Scene scene(tap, random, QSM_SCHEME_SMQOS, {true, false});
    scene.epoch({2 * g, 1000});
    scene.expect("ahead", {12, 12});
    scene.epoch({g - 1, 1000});
    scene.expect("short in this epoch", {13, 11});
    scene.epoch({g, 1000});
    scene.expect("ahead, at its goal in this epoch", {13, 11});
  }
  {
    Scene scene(tap, random, QSM_SCHEME_SMQOS, {true, false});
    scene.epoch({0, 1000});
    scene.expect("nothing issued", {13, 11});
    // the batch slot moved and is not judged yet, but slot 0 is behind
    scene.epoch({g + 1, 1000});
    scene.expect("behind on average", {14, 10});
    for (unsigned e = 0; e < 12; e++) scene.epoch({0, 1000});
    scene.expect("all but one", {23, 1});
  }
  {
    // two with goals: slot order, one move of a batch slot in all
    Scene scene(tap, random, QSM_SCHEME_SMQOS, {true, true, false});
    scene.epoch({0, 0, 1000});
    scene.expect("the first of two", {9, 8, 7});
    scene.epoch({3 * g + 1, 0, 1000});  // the batch slot settles: nobody gets what is given
    scene.expect("the other takes what one gives", {8, 9, 7});
  }
  {
    // alone: what it gives is free
    Scene scene(tap, random, QSM_SCHEME_SMQOS, {true});
    for (unsigned e = 0; e < 16; e++) scene.epoch({100 * g});
    scene.expect("sixteen are free", {8});
    scene.epoch({0});
    scene.expect("one of them comes back", {9});
  }
  tap.done("slots with goals, R-SG-8, Algorithm 1: behind, needs, gives");
}

// R-SG-6, Algorithm 2: slot 0 makes the batch slot gain or lose an SM, slot 1 learns.
void test_learning(Tap &tap, Random &random) {
  const uint64_t g = kGoalInsn, more = 3 * g, less = 0;
  // threshold 655: 100 million instructions make 999,450.68 of a hundredth
  const uint64_t base = 100000000, change = base * 655 / 65536;
  struct Row {
    const char *what;
    uint64_t first;    // slot 0: makes the batch slot's SM come or go
    uint64_t settled;  // instructions of the batch slot after the move
    unsigned opt;
    bool upper, lower;
  };
  const std::vector<Row> rows = {
      {"one came, more", more, base + change + 1, 13, false, true},
      {"one came, not enough more", more, base + change, 12, true, false},
      {"one came, less", more, base - change, 12, true, false},
      {"one went, less", less, base - change - 1, 12, false, true},
      {"one went, not enough less", less, base - change, 11, true, false},
      {"one went, more", less, base + change, 11, true, false},
  };
  for (const Row &row : rows) {
    Scene scene(tap, random, QSM_SCHEME_SMQOS, {true, false});
    // later slot 0 neither needs nor gives: at its goal in each epoch, ahead by less than one
    scene.epoch({row.first, base});
    scene.expect(row.what, 1, 12, false, false, QSM_EVAL_MOVING);
    const uint64_t rest = row.first == more ? g : 2 * g;  // ahead by 2 g keeps: equal in the epoch
    scene.epoch({rest, 77});
    scene.expect(row.what, 1, 12, false, false, QSM_EVAL_SETTLING);
    scene.epoch({g, row.settled});
    scene.expect(row.what, 1, row.opt, row.upper, row.lower, QSM_EVAL_NONE);
  }
  for (const bool came : {true, false}) {
    // exactly the threshold is not more, and not less
    Scene scene(tap, random, QSM_SCHEME_SMQOS, {true, false});
    scene.bench.in.threshold = 0x8000;
    scene.epoch({came ? more : less, base});
    scene.epoch({came ? g : 2 * g, 77});
    scene.epoch({g, came ? base * 3 / 2 : base / 2});
    scene.expect("exactly the threshold", 1, came ? 12 : 11, true, false, QSM_EVAL_NONE);
  }
  {
    // away from opt nothing is learned, and once both bounds are known neither
    Scene scene(tap, random, QSM_SCHEME_SMQOS, {true, false});
    scene.epoch({more, base});
    scene.epoch({g, 77});
    scene.epoch({g, base});  // upper: 12 is as good as 13
    scene.expect("upper", 1, 12, true, false, QSM_EVAL_NONE);
    scene.epoch({0, base});  // slot 0 wants one back: from 13, which is not opt
    scene.epoch({g, 77});
    scene.epoch({g, 1});
    scene.expect("away from opt", 1, 12, true, false, QSM_EVAL_NONE);
    for (unsigned e = 0; e < 3; e++) scene.epoch({g, base});
    scene.epoch({0, base});  // from 12 on: below opt the IPC falls
    scene.epoch({2 * g, 77});
    scene.epoch({g, 1});
    scene.expect("lower", 1, 12, true, true, QSM_EVAL_NONE);
    scene.expect("both bounds", {13, 11});
    scene.epoch({4 * g, base});  // slot 0 gives: to the batch slot below its opt
    scene.expect("below opt", {12, 12});
    scene.epoch({g, 77});
    scene.epoch({g, 2 * base});
    scene.expect("frozen", 1, 12, true, true, QSM_EVAL_NONE);
    scene.epoch({9 * g, base});  // at opt, both bounds known: the SM becomes free
    scene.expect("free", {11, 12});
    scene.epoch({0, base});  // and comes back from there
    scene.expect("back from the free ones", {12, 12});
  }
  {
    // Algorithm 3: at the upper bound, below it not yet known: one more becomes free
    Scene scene(tap, random, QSM_SCHEME_SMQOS, {true, false});
    scene.epoch({more, base});
    scene.epoch({g, 77});
    scene.epoch({g, base});
    scene.expect("upper", 1, 12, true, false, QSM_EVAL_NONE);
    scene.epoch({4 * g, base});
    scene.expect("both give one", {10, 12});
  }
  tap.done("learning, R-SG-6, Algorithm 2, and what is gated, Algorithm 3");
}

// R-SG-8 with several batch slots: who gives and who gets. 6 SMs each.
void test_batch(Tap &tap, Random &random) {
  const uint64_t g = kGoalInsn;
  {
    Scene scene(tap, random, QSM_SCHEME_SMQOS, {false, true, false, false});
    scene.epoch({1, 0, 1, 1});
    scene.expect("equals: the lowest gives", {5, 7, 6, 6});
    scene.epoch({1, 2 * g + 1, 1, 1});
    scene.expect("ahead, has its goal", {5, 7, 6, 6});
    scene.epoch({1, g - 1, 1, 1});  // slot 0: one went, not less: opt 5, upper
    scene.expect("needs, not behind: of equals the lowest", {4, 8, 6, 6});
    scene.epoch({1, 9 * g, 1, 1});  // slot 0 settles, cannot move; 2, 3 have no upper bound
    scene.expect("gives to who has no upper bound", {4, 7, 7, 6});
    scene.epoch({1, 9 * g, 1, 1});  // slot 0 is judged: went, not less: opt 4
    scene.expect("and fewest", {4, 6, 7, 7});
    scene.epoch({1, 9 * g, 1, 1});  // slot 2: came, not more: upper, opt 6
    scene.epoch({1, 9 * g, 1, 1});
  }
  {
    // each is slower with fewer SMs, so that opt stays 6
    Scene scene(tap, random, QSM_SCHEME_SMQOS, {false, true, false, false});
    scene.epoch({6000, 2 * g, 6000, 6000});
    scene.epoch({6000, g - 1, 6000, 6000});
    scene.expect("the first loses one", {5, 7, 6, 6});
    scene.epoch({5000, g - 1, 6000, 6000});
    scene.expect("the second, while the first settles", {5, 8, 5, 6});
    scene.epoch({5000, g - 1, 5000, 6000});
    scene.expect("the third has most above opt", {5, 9, 5, 5});
    scene.epoch({5000, g - 1, 5000, 5000});
    scene.expect("all are one below: the first", {4, 10, 5, 5});
    scene.epoch({4000, g, 5000, 5000});
    for (unsigned k : {0u, 2u, 3u}) scene.expect("below", k, 6, false, true, k ? 0 : 2);
    scene.epoch({4000, 9 * g, 5000, 5000});
    scene.expect("gives to who is most below opt", {5, 9, 5, 5});
  }
  tap.done("batch slots, R-SG-8: the largest distance, the lowest of equals");
}

// R-SG-9: the linear model. Slot 0 has the goal; 12 SMs each.
void test_spart(Tap &tap, Random &random) {
  struct Row {
    const char *what;
    uint32_t step;
    uint64_t x;
    std::vector<unsigned> n;
  };
  const uint64_t g = kGoalInsn;
  const std::vector<Row> rows = {
      {"at its goal", 2, g, {12, 12}},
      {"12 * g / x just above 12", 2, g - 1, {13, 11}},
      {"exactly 13", 2, g * 12 / 13 + 1, {13, 11}},
      {"just above 13", 2, g * 12 / 13, {14, 10}},
      {"far behind, by two", 2, 1, {14, 10}},
      {"far behind, by four", 4, 1, {16, 8}},
      {"far behind, by one", 1, 1, {13, 11}},
      {"nothing issued", 4, 0, {12, 12}},
      {"just above 11", 2, g * 12 / 11, {12, 12}},
      {"below 11", 2, g * 12 / 11 + 1, {11, 13}},
      {"far ahead, by two", 2, 100 * g, {10, 14}},
      {"far ahead, by three", 3, 100 * g, {9, 15}},
      {"just below 10, by four", 4, g * 12 / 10 + 1, {10, 14}},
  };
  for (const Row &row : rows) {
    Scene scene(tap, random, QSM_SCHEME_SPART, {true, false});
    scene.bench.in.step = row.step;
    scene.epoch({row.x, 1});
    scene.expect(row.what, row.n);
  }
  {
    // later slots yield; the others share the rest, remainder to lower slots
    Scene scene(tap, random, QSM_SCHEME_SPART, {true, true, false, false});
    scene.bench.in.step = 4;
    scene.epoch({1, 1, 1, 1});
    scene.expect("both up", {10, 10, 2, 2});
    scene.epoch({1, 1, 1, 1});
    scene.expect("the second is bound", {14, 8, 1, 1});
    scene.epoch({1, 100 * g, 1, 1});
    scene.expect("the second gives", {18, 4, 1, 1});
    scene.epoch({100 * g, g, 1, 1});
    scene.expect("rest of three", {14, 4, 3, 3});
  }
  {
    // without others the rest is free
    Scene scene(tap, random, QSM_SCHEME_SPART, {true});
    scene.epoch({100 * g});
    scene.expect("alone", {22});
    for (unsigned e = 0; e < 15; e++) scene.epoch({100 * g});
    scene.expect("one at least", {1});
    scene.epoch({1});
    scene.expect("back", {3});
  }
  tap.done("linear model, R-SG-9");
}

// R-SG-15, R-SG-16, R-SG-17: own SMs and a shared one. Slot 0 has the goal, slot 1 is batch.
void test_both(Tap &tap, Random &random) {
  constexpr uint64_t g = kGoalInsn;
  struct Row {
    const char *what;
    uint32_t count;        // SMs of slot 0 by the split
    uint64_t own, common;  // instructions of slot 0 on its own SMs, on the shared one
    bool blocks, spent;    // it had blocks and no quota left there
    uint64_t
        before;  // instructions of the epoch before, on the shared one: the lead is that less g
    std::vector<unsigned> n;
  };
  // of 10 SMs: 20 * (own - g) >= own from own = 20/19 g on
  constexpr uint64_t half = (20 * g + 18) / 19;
  const std::vector<Row> rows = {
      {"short, quota left", 10, g - 2, 1, true, false, g, {11, 12}},
      {"short, quota spent", 10, g - 2, 1, true, true, g, {10, 13}},
      {"short, without a block on the shared SM", 10, g - 1, 0, false, true, g, {11, 12}},
      {"at its goal with the shared SM", 10, g - 1000, 1000, true, false, g, {10, 13}},
      {"at its goal by its own SMs", 10, g, 0, true, false, 3 * g, {10, 13}},
      {"ahead by less than half an SM", 10, half - 1, 0, true, false, 3 * g, {10, 13}},
      {"ahead by half an SM", 10, half, 0, true, true, 3 * g, {9, 14}},
      {"ahead by half an SM, not by an epoch", 10, half, 0, true, false, g, {10, 13}},
      {"ahead by exactly an epoch", 10, 2 * g, 0, true, false, g, {10, 13}},
      {"ahead by just more", 10, 2 * g + 1, 0, true, false, g, {9, 14}},
      {"far ahead, but on the shared SM", 10, half - 1, 9 * g, true, false, g, {10, 13}},
      {"far ahead", 10, 9 * g, 9 * g, true, false, g, {9, 14}},
      {"one SM, ahead by less than half", 1, 2 * g - 1, 0, true, false, 3 * g, {1, 22}},
      {"one SM, ahead by half", 1, 2 * g, 0, true, false, 3 * g, {0, 23}},
      {"all SMs, short", 23, g - 1, 0, true, false, g, {23, 0}},
  };
  const auto begin = [&](Scene &scene, const Row &row) {
    Bench &b = scene.bench;
    const unsigned sm = b.shared_sm();
    tap.expect(sm < NUM_SMS, "%s: not one SM is shared", row.what);
    if (tap.failed()) return;
    b.issue(0, row.own, sm);
    b.insn[sm][0] = static_cast<uint32_t>(row.common);
    b.spent[sm][0] = row.spent;
    for (unsigned i = 0; i < NUM_SMS; i++) b.in.blocks[i][0] = i != sm || row.blocks;
    b.epoch();
    scene.n.clear();
    for (const SmRef::Slot &s : b.ref.slots) scene.n.push_back(s.n);
    b.settle();
    tap.expect(b.shared_sm() < NUM_SMS, "%s: not one SM is shared after it", row.what);
  };
  for (const Row &row : rows) {
    Scene scene(tap, random, QSM_SCHEME_SM_ROLLOVER, {true, false}, {row.count, 0});
    begin(scene, {"before", row.count, 0, row.before, true, false, 0, {}});
    begin(scene, row);
    scene.expect(row.what, row.n);
    if (row.n[0] == row.count) continue;
    begin(scene, row);  // it decides nothing: an SM has moved since the last E
    scene.expect("not calm", row.n);
  }
  {
    // a slot without SMs of its own lives on the shared one, until it is short
    Scene scene(tap, random, QSM_SCHEME_SM_ROLLOVER, {true, false}, {1, 0});
    begin(scene, {"before", 0, 0, 3 * g, true, false, 0, {}});
    begin(scene, {"none of its own", 0, 2 * g, 0, true, false, 0, {}});
    scene.expect("none of its own", {0, 23});
    scene.epoch({g, 1000});
    begin(scene, {"ahead without SMs", 0, 0, 9 * g, true, false, 0, {}});
    scene.expect("ahead without SMs", {0, 23});
    begin(scene, {"ahead, short in this epoch", 0, 0, g - 1, true, false, 0, {}});
    scene.expect("ahead, short in this epoch", {0, 23});
  }
  {
    // all have goals and claim more than there is: slot order
    Scene scene(tap, random, QSM_SCHEME_SM_ROLLOVER, {true, true, true}, {9, 9, 9});
    scene.epoch({0, 0, 0});
    scene.expect("the last one is bound", {10, 10, 3});
    scene.epoch({0, 0, 0});
    scene.expect("not calm", {10, 10, 3});
    scene.epoch({0, 0, 0});
    scene.expect("and bound again", {11, 11, 1});
  }
  tap.done("own SMs and a shared one, R-SG-15, R-SG-16, R-SG-17: short, limited, half an SM ahead");
}

// ---- Random ----

// A number around the bound.
int64_t near(Random &random, Wide bound) {
  const Wide value = bound + static_cast<int>(random.below(5)) - 2;
  return static_cast<int64_t>(std::min(std::max(value, Wide{0}), Wide{0x7fffffff}));
}

class RandomRun {
 public:
  RandomRun(Tap &tap, Random &random) : bench_(tap, random), tap_(tap), random_(random) {}

  void run(unsigned n_epochs) {
    SmInputs &in = bench_.in;
    for (unsigned n = 0; n < n_epochs && !tap_.failed(); n++) {
      if (left_ == 0) {
        fresh();
        bench_.cycle();  // nobody comes in E
      }
      left_--;
      // what changes between epochs
      const unsigned pause = random_.below(random_.one_in(4) ? 4 * NUM_SMS + 60 : 12);
      for (unsigned c = 0; c < pause && !tap_.failed(); c++) {
        if (random_.one_in(calm_)) change();
        bench_.cycle();
      }
      for (unsigned k = 0; k < NUM_KERNELS; k++)
        if (random_.one_in(8)) adjoin(k);
      // E in the first cycle of a plan
      const bool waits = random_.one_in(4);
      while (waits && bench_.ref.splitting() && !tap_.failed()) bench_.cycle();
      if (random_.one_in(3)) bench_.world.longest = random_.one_in(4) ? 600 : random_.below(20);
      for (unsigned k = 0; k < NUM_KERNELS; k++)
        in.had_tb[k] = random_.one_in(4) || !random_.one_in(4);
      draw();
      bench_.cycle(true);
      for (unsigned c = 1; c < bench_.ref.sm_lat + 2 && !tap_.failed(); c++) {
        if (random_.one_in(40 * calm_)) activity();
        bench_.cycle();
      }
    }
  }
  const std::map<std::string, uint64_t> &seen() const { return bench_.ref.seen; }
  uint64_t decisions() const { return bench_.n_decisions; }
  uint64_t cycles() const { return bench_.now(); }

 private:
  void fresh() {
    SmInputs &in = bench_.in;
    const unsigned schemes[] = {QSM_SCHEME_SMQOS,       QSM_SCHEME_SMQOS,     QSM_SCHEME_SPART,
                                QSM_SCHEME_SM_ROLLOVER, QSM_SCHEME_SM_STATIC, QSM_SCHEME_ROLLOVER};
    in.scheme = schemes[random_.below(random_.one_in(2) ? 6 : 4)];
    const bool learns = in.scheme != QSM_SCHEME_SM_STATIC && in.scheme != QSM_SCHEME_ROLLOVER;
    left_ = learns ? 60 : 6;
    calm_ = learns && !random_.one_in(3) ? 5000 : random_.one_in(2) ? 100 : 10;
    const unsigned density = random_.one_in(2) ? 2 : 2 + random_.below(10);
    in.step = 1 + random_.below(4);
    in.threshold = random_.one_in(4) ? 0x8000 * random_.below(2) : random_.below(3000);
    bench_.world.gating = !random_.one_in(3);
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      context(k, !random_.one_in(density));
      mood_[k] = random_.below(4);
    }
  }
  void context(unsigned k, bool valid) {
    SmInputs &in = bench_.in;
    const bool part = !random_.one_in(8), qos = random_.one_in(2);
    if (!valid) {
      bench_.leave(k);
    } else if (!in.valid[k]) {
      bench_.arrive(k, part, qos);
    } else {
      in.part[k] = part;
      in.qos[k] = qos;
    }
    // now and then all of them leave some SMs over
    const unsigned most = random_.one_in(2) ? NUM_SMS : std::max(1, NUM_SMS / NUM_KERNELS);
    in.sm_count[k] = random_.one_in(3) ? 0 : random_.below(most + 1);
    // the goal may be any; small ones are met by instructions below 2^31
    in.goal[k] =
        random_.one_in(10) ? random_.bits32() : random_.bits32() >> (6 + random_.below(20));
    if (random_.one_in(3)) in.goal[k] &= 0xffff0000;
  }
  void activity() {
    const unsigned k = random_.below(NUM_KERNELS);
    bench_.in.part[k] = bench_.in.valid[k] && !bench_.in.part[k];
  }
  // Another tenant for slot k while a split is under way.
  void replace(unsigned k) {
    SmInputs &in = bench_.in;
    if (!in.valid[k] || !bench_.ref.splitting()) return;
    const bool part = in.part[k] || random_.one_in(4), qos = in.qos[k];
    bench_.leave(k);
    bench_.cycles(1 + random_.below(4));
    in.sm_count[k] = random_.below(NUM_SMS + 1);
    bench_.arrive(k, part, qos);
  }
  // What may change but from E to E + QosLat.
  void change() {
    SmInputs &in = bench_.in;
    const unsigned k = random_.below(NUM_KERNELS);
    switch (random_.below(10)) {
      case 0: context(k, !in.valid[k]); break;
      case 1: in.hist_clear[k] = true; break;
      case 2: in.goal[k] = random_.bits32() >> (6 + random_.below(20)); break;
      case 3: in.sm_count[k] = random_.below(NUM_SMS + 1); break;
      case 4: in.threshold = random_.below(2000); break;
      case 5:
        if (random_.one_in(4)) fresh();
        break;
      case 6: in.qos[k] = !in.qos[k]; break;
      case 7:
      case 8: replace(k); break;
      default: activity();
    }
  }
  // A goal of almost whole instructions in the epoch that runs, if its length can make one.
  void adjoin(unsigned k) {
    if (length_ % 2 == 0) return;
    uint32_t inverse = length_;
    for (unsigned n = 0; n < 4; n++) inverse *= 2 - length_ * inverse;
    uint32_t &goal = bench_.in.goal[k];
    goal = (goal & 0xffff0000) | (inverse * (random_.below(9) - 4) & 0xffff);
  }
  // Instructions of the epoch that ends, at the bounds of what is compared.
  void draw() {
    SmInputs &in = bench_.in;
    const uint64_t t = length_;
    const bool both = in.scheme == QSM_SCHEME_SM_ROLLOVER;
    const unsigned shared = both ? bench_.shared_sm() : NUM_SMS;
    for (auto *bits : {&in.blocks, &bench_.spent})
      for (auto &of_sm : *bits)
        for (unsigned k = 0; k < NUM_KERNELS; k++) of_sm[k] = !random_.one_in(3);
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const SmRef::Slot &s = bench_.ref.slots[k];
      const Wide g = Wide{in.goal[k]} * t, lead = s.lead;
      Wide x = random_.bits32() >> (1 + random_.below(31));
      Wide common = -1;  // sm_rollover: instructions on the shared SM, the others are x
      if (random_.one_in(20)) mood_[k] = random_.below(4);
      if (in.qos[k] && mood_[k] < 2 && !random_.one_in(3)) {
        // mostly ahead, mostly behind
        x = mood_[k] == 0 ? (g >> 16) * 2 + random_.below(1000) : (g >> 16) / 2;
      } else if (in.qos[k]) {
        switch (random_.below(8)) {
          case 0: x = near(random_, g >> 16); break;
          case 1: x = near(random_, (g - lead) >> 16); break;      // lead 0
          case 2: x = near(random_, (2 * g - lead) >> 16); break;  // lead g
          case 3: x = (g >> 16) * (1 + random_.below(8)) / 4; break;
          case 4: x = 0; break;
          case 5: x = (g >> 16) * 2; break;
          default:
            if (both) {  // its own SMs alone are ahead by about half an SM's part
              common = random_.one_in(2) ? random_.below(1000) : random_.bits32() >> 2;
              if (s.n > 0 && shared < NUM_SMS)
                x = near(random_, (g * 2 * s.n / (2 * s.n - 1)) >> 16);
            } else if (s.n > 0) {  // Spart: the need is about n + j
              const Wide need =
                  std::max(Wide{1}, Wide{s.n} + static_cast<int>(random_.below(9)) - 4);
              x = near(random_, ((Wide{s.n} * g) >> 16) / need);
            }
        }
      } else if (s.eval == QSM_EVAL_SETTLING && !random_.one_in(4)) {
        const Wide by = 0x10000 + (s.out ? -1 : 1) * static_cast<int>(in.threshold);
        x = near(random_, (Wide{s.i_last} * by) >> 16);
      } else if (random_.one_in(2)) {
        x = 1000 + random_.below(3);
      }
      // now and then more than 2^31 - 1 on all SMs
      if (random_.one_in(30)) x = Wide{kMostInsn} * (1 + random_.below(NUM_SMS));
      const auto all =
          static_cast<uint64_t>(std::min(std::max(x, Wide{0}), Wide{kMostInsn} * NUM_SMS));
      if (shared < NUM_SMS && common >= 0) {
        bench_.issue(k, all, shared);
        bench_.insn[shared][k] = static_cast<uint32_t>(std::min(common, Wide{kMostInsn}));
      } else {
        bench_.issue(k, all);
      }
    }
    in.epoch_len = random_.one_in(8) ? random_.bits32() >> 12 : 200 + random_.below(20000);
    length_ = in.epoch_len;
  }

  Bench bench_;
  Tap &tap_;
  Random &random_;
  uint32_t length_ = EPOCH_RESET;  // T of the epoch that runs
  unsigned calm_ = 100;            // cycles between changes
  unsigned left_ = 0;              // epochs of this scene
  unsigned mood_[NUM_KERNELS] = {};
};

// Lines of the rules that a machine of this size comes by. The largest one has too few epochs: its
// run is for the widths and the time.
std::vector<std::string> lines() {
  std::vector<std::string> all;
  if (NUM_SMS > 24) return all;
  const auto add = [&](bool reached, std::initializer_list<const char *> names) {
    if (reached) all.insert(all.end(), names.begin(), names.end());
  };
  add(true, {"change",
             "change of a tenant only",
             "change of a plan",
             "plan 1",
             "plan 2 shared",
             "plan 5",
             "plan 5 unmanaged",
             "changed at D",
             "not still",
             "not steady",
             "E in a plan, still",
             "E in a split",
             "split even",
             "spart keeps",
             "spart stays",
             "spart alone",
             "smqos rests",
             "smqos no record",
             "static share",
             "static as asked"});
  add(NUM_SMS == 1, {"both unmanaged"});
  add(NUM_SMS > 1, {"both as asked",
                    "both less",
                    "both share",
                    "both goals first",
                    "both only goals",
                    "both plan 2 shared",
                    "both plan 2 kept",
                    "both plan shares",
                    "both plan 5",
                    "still, not calm",
                    "both no record",
                    "both up",
                    "both up, no block",
                    "both limited",
                    "both behind, gaining",
                    "both not ample",
                    "both ahead without SMs",
                    "both down",
                    "both ahead",
                    "both alone"});
  add(NUM_KERNELS > NUM_SMS && NUM_SMS > 1, {"both more kernels than SMs"});
  add(true, {"smqos gives, has one", "smqos needs, has all"});
  add(NUM_SMS > 1, {"plan 2 free on", "plan 2 free off", "plan 2 owned", "plan 3", "spart up",
                    "spart down", "E in a plan", "smqos needs 1", "smqos gives to nobody"});
  add(NUM_KERNELS > NUM_SMS, {"more kernels than SMs"});
  add(NUM_SMS > 8, {"plan 2 free on, not the lowest"});
  if (NUM_KERNELS > 2 && NUM_SMS > 2) {
    add(true, {"static less",
               "plan 4",
               "both plan 4",
               "eval settles",
               "eval moves on",
               "eval came, more",
               "eval came, not more",
               "eval went, less",
               "eval went, not less",
               "eval elsewhere",
               "smqos needs 2",
               "smqos needs in vain",
               "smqos gives 1",
               "smqos gives 2",
               "spart down by the step",
               "spart is bound",
               "both share of none",
               "both is bound",
               "both down, equal",
               "both rest",
               "both rest of none"});
    add(NUM_SMS > 3, {"eval frozen", "smqos needs, moved", "smqos behind", "moved again",
                      "smqos gives 3", "spart up by the step"});
    add(NUM_SMS > 4, {"smqos gives, moved"});  // two slots with a goal have two SMs each
  }
  return all;
}

void test_random(Tap &tap, Random &random) {
  RandomRun run(tap, random);
  run.run(N_EPOCHS);
  std::printf("# %llu cycles, %llu decisions", static_cast<unsigned long long>(run.cycles()),
              static_cast<unsigned long long>(run.decisions()));
  for (const auto &line : run.seen())
    std::printf("; %s %llu", line.first.c_str(), static_cast<unsigned long long>(line.second));
  std::printf("\n");
  for (const std::string &line : lines())
    tap.expect(run.seen().count(line) > 0, "nothing has come by \"%s\"", line.c_str());
  tap.expect(run.seen().count("plan without an SM") == 0, "a slot with too few finds no SM");
  tap.expect(run.seen().count("both without a common SM") == 0, "not one SM is common");
  tap.done("random runs, R-SG-1 to R-SG-17: requests and state in every cycle, every line reached");
}

}  // namespace

int main(int argc, char **argv) {
  Random random(argc, argv, "test_sm_mgr");
  const bool directed = NUM_SMS == 24 && NUM_KERNELS == 4;
  Tap tap(directed ? 9 : 1);
  qsm_unit::begin_with_anything();
  if (directed) {
    test_splits(tap, random);
    test_tenants(tap, random);
    test_begin(tap, random);
    test_goals(tap, random);
    test_learning(tap, random);
    test_batch(tap, random);
    test_spart(tap, random);
    test_both(tap, random);
  }
  test_random(tap, random);
  return tap.exit_code();
}
