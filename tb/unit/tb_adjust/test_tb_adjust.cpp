// SPDX-License-Identifier: Apache-2.0
// qsm_tb_adjust against adjust_ref.h in every cycle: directed SMs, one for each rule, then random ones.
#include "Vqsm_tb_adjust.h"
#include "Vqsm_tb_adjust___024root.h"

#include "world.h"

using qsm_unit::get;
using qsm_unit::set;

namespace {

const AdjustParams kParams = {NUM_SMS, NUM_KERNELS, NUM_SCHED, WARPS_PER_SM, MAX_TBS};
const uint64_t kAllSms = (uint64_t{1} << NUM_SMS) - 1;
const unsigned kTbW = qsm_unit::index_bits(MAX_TBS);
const unsigned kKernelW = qsm_unit::index_bits(NUM_KERNELS);
const unsigned kSubW = qsm_unit::index_bits(NUM_SCHED);
const unsigned kFreeW = qsm_unit::index_bits(WARPS_PER_SM / NUM_SCHED + 1);
const unsigned kOutW = qsm_unit::index_bits(NUM_SMS * MAX_TBS + 1);
const unsigned kBehind = 0x10001, kReached = 0x10000;  // ratios

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : world(kParams), ref(kParams), tap_(tap) {
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  // One cycle with the pulses in the world's view, which are then cleared.
  void cycle() {
    drive();
    top.eval();
    find_run();
    top.eval();
    same("busy", 0, top.busy_o, ref.busy());
    for (unsigned n = 0; n < NUM_SMS * NUM_KERNELS; n++) {
      same("evict", n, get(top.evict_o, n, 1), ref.evict[n / NUM_KERNELS][n % NUM_KERNELS]);
    }
    out = ref.step(world.view);
    same("raise", 0, top.raise_o, out.adjusted ? uint64_t{1} << out.kernel : 0);
    same("lower", 0, top.lower_o, out.has_victim ? uint64_t{1} << out.victim : 0);
    if (out.adjusted) {
      same("sm", 0, top.sm_o, out.sm);
      same("raised", 0, top.raised_o, out.raised);
    }
    same("realloc", 0, top.realloc_o, out.reallocates);
    if (out.has_victim) same("lowered", 0, top.lowered_o, out.lowered);
    compare_ask();
    clock();
    AdjustView &view = world.view;
    if (out.adjusted) view.sm[out.sm].target[out.kernel] = out.raised;
    if (out.has_victim) view.sm[out.sm].target[out.victim] = out.lowered;
    view.snapshot = view.epoch_done = false;
    for (AdjustView::Sm &sm : view.sm) {
      sm.alloc_writes = false;
      sm.refused.assign(NUM_KERNELS, false);
    }
    n_cycles++;
  }

  // A pass without anything else going on: the cycles that it took, what it did in `log`.
  unsigned pass() {
    log.clear();
    world.view.epoch_done = true;
    cycle();
    unsigned n = 0;
    for (; ref.busy() && !tap_.failed(); n++) {
      cycle();
      if (out.adjusted) log.push_back(out);
    }
    cycle();
    return n;
  }

  Vqsm_tb_adjust top;
  World world;
  AdjustRef ref;
  AdjustOutput out;
  std::vector<AdjustOutput> log;
  uint64_t n_cycles = 0;

 private:
  void drive() {
    const AdjustView &view = world.view;
    top.adjust_i = view.adjust;
    top.snapshot_i = view.snapshot;
    top.epoch_done_i = view.epoch_done;
    top.alloc_busy_i = view.alloc_busy;
    top.preempting_i = view.preempting;
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const AdjustView::Kernel &kernel = view.kernel[k];
      set(top.qos_i, k, 1, kernel.qos);
      set(top.busy_i, k, 1, kernel.busy);
      set(top.killed_i, k, 1, kernel.killed);
      set(top.has_block_i, k, 1, kernel.has_block);
      set(top.out_i, k, kOutW, kernel.out);
      set(top.mask_i, k, NUM_SMS, kernel.mask);
      set(top.ratio_i, k, 19, kernel.ratio);
      set(top.warps_i, k, 7, kernel.warps);
      set(top.whole_i, k, kFreeW, kernel.warps / NUM_SCHED);
      set(top.rest_i, k, kSubW, kernel.warps % NUM_SCHED);
      set(top.granules_i, k, 6, kernel.granules);
    }
    for (unsigned i = 0; i < NUM_SMS; i++) drive_sm(i, view.sm[i]);
  }

  void drive_sm(unsigned i, const AdjustView::Sm &sm) {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const unsigned n = i * NUM_KERNELS + k;
      set(top.idle_i, n, 13, sm.samples[k]);
      set(top.cnt_i, n, 6, sm.cnt[k]);
      set(top.target_i, n, 6, sm.target[k]);
      set(top.evict_refused_i, n, 1, sm.refused[k]);
    }
    for (unsigned j = 0; j < NUM_SCHED; j++) set(top.free_warps_i, i * NUM_SCHED + j, kFreeW, sm.free_warps[j]);
    set(top.free_granules_i, i, 32, sm.free_granules);
    set(top.first_i, i, kSubW, sm.first);
    set(top.alloc_we_i, i, 1, sm.alloc_writes);
    for (unsigned n = 0; n < MAX_TBS; n++) {
      const unsigned slot = world.place[i][n];
      set(top.age_valid_i, i * MAX_TBS + n, 1, slot != World::kNobody);
      set(top.age_tb_i, i * MAX_TBS + n, kTbW, slot != World::kNobody ? slot : n);
      set(top.age_kernel_i, i * MAX_TBS + n, kKernelW, slot != World::kNobody ? world.holds(i, slot)->kernel : 0);
    }
  }

  // What the scheduler answers within the cycle.
  void find_run() {
    const int base = World::lowest_run(top.fit_granules_o, top.fit_len_o);
    top.fit_found_i = base >= 0;
    top.fit_run_i = base >= 0 ? World::run(static_cast<unsigned>(base), top.fit_len_o) : 0xdeadbeef;
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const AdjustView::Tb *tb = world.holds(i, top.look_tb_o);
      set(top.look_first_i, i, kSubW, tb != nullptr ? tb->first : 0);
      set(top.look_base_i, i, 5, tb != nullptr ? tb->base : 31);
    }
  }

  // The event ASK.
  void compare_ask() {
    const auto &seen = *top.rootp;
    same("asked", 0, seen.qsm_tb_adjust__DOT__asked, out.asked);
    if (!out.asked) return;
    same("sm", 0, top.sm_o, out.sm);
    same("ask", 0, seen.qsm_tb_adjust__DOT__ask, out.ask);
    for (unsigned k = 0; k < NUM_KERNELS; k++) same("idle", k, get(seen.qsm_tb_adjust__DOT__idle_q, k, 7), ref.idle[k]);
  }

  void same(const char *what, unsigned index, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s[%u] is %llu, must be %llu", static_cast<unsigned long long>(n_cycles), what, index,
                static_cast<unsigned long long>(seen), static_cast<unsigned long long>(wanted));
  }

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
};

// SM 0 full: kernel 0 asks with one TB, the others hold the rest in turn. All other SMs are closed to it.
void fill(Bench &bench, unsigned n_others) {
  World &world = bench.world;
  world.view.kernel[0].qos = true;
  world.view.kernel[0].ratio = kBehind;
  world.view.kernel[0].mask = 1;
  world.dispatch(0, 0);
  for (unsigned n = 0; n_others > 0 && world.dispatch(0, 1 + n % n_others); n++) {}
  world.view.sm[0].target = world.view.sm[0].cnt;
}

// FGQ 3.6, settled P2, P4: room first; else non-QoS before idle before ahead of its goal.
void test_order_of_victims(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 3) return;
  Bench bench(tap);
  fill(bench, 2);
  AdjustView &view = bench.world.view;
  auto wants = [&](int victim, unsigned cls, const char *what) {
    const std::vector<unsigned> target = view.sm[0].target;
    bench.pass();
    const bool taken = bench.log.size() == 1 && bench.log[0].has_victim;
    tap.expect(taken == (victim >= 0), "%s: %zu adjustments", what, bench.log.size());
    if (taken) {
      const AdjustOutput &a = bench.log[0];
      tap.expect(static_cast<int>(a.victim) == victim && a.victim_class == cls && a.n == 1, "%s: kernel %u, class %u, n %u", what, a.victim,
                 a.victim_class, a.n);
      tap.expect(bench.ref.evict[0][a.victim], "%s: no evict flag", what);
      view.sm[0].refused[a.victim] = true;
      bench.cycle();
    }
    view.sm[0].target = target;
    bench.cycle();
  };
  wants(1, 0, "two without a goal");
  view.sm[0].samples[2] = 100;
  wants(2, 0, "the second has an idle block");
  view.kernel[2].qos = true;
  wants(1, 0, "the first has no goal");
  view.kernel[1].qos = true;
  view.kernel[1].ratio = view.kernel[2].ratio = kReached;
  view.sm[0].samples[2] = 199;
  wants(-1, 0, "one idle block is not one to spare");
  view.sm[0].samples[2] = 200;
  wants(2, 1, "two idle blocks are");
  view.sm[0].samples[1] = 299;
  wants(1, 1, "of equals the lower slot");
  view.sm[0].samples[2] = 300;
  wants(2, 1, "more idle blocks");
  view.sm[0].samples[1] = view.sm[0].samples[2] = 0;
  for (unsigned above : {0u, 1u}) {  // strictly more than the goal without one block
    view.kernel[1].ratio = (view.kernel[1].out - 1) * 0x10000 / view.kernel[1].out + 1 - above;
    if ((view.kernel[1].out - 1) * 0x10000 % view.kernel[1].out == 0) view.kernel[1].ratio -= 1;
    wants(above ? 1 : -1, 2, above ? "above its goal without one block" : "just not above its goal");
  }
  view.kernel[2].ratio = view.kernel[1].ratio - 1;
  if (view.kernel[2].out >= view.kernel[1].out) wants(2, 2, "further above its goal");
  view.kernel[1].ratio = 0;
  wants(1, 2, "no history");
  tap.done("a victim without a goal, else with idle blocks, else above its goal");
}

// What keeps kernel 0 from asking, or from taking.
void test_who_asks(qsm_unit::Tap &tap) {
  Bench bench(tap);
  AdjustView &view = bench.world.view;
  const AdjustView fresh = view;
  auto adjusts = [&](bool wanted, const char *what) {
    bench.pass();
    tap.expect(bench.log.size() == (wanted ? 1 : 0), "%s: %zu adjustments", what, bench.log.size());
    view.sm[0].target = fresh.sm[0].target;
    view.kernel[0] = fresh.kernel[0];
    view.kernel[0].qos = true;
    view.kernel[0].ratio = kBehind;
    view.kernel[0].mask = 1;
    bench.cycle();
  };
  adjusts(false, "no goal");
  adjusts(true, "an empty SM");
  view.kernel[0].ratio = kReached;
  adjusts(false, "at its goal");
  view.kernel[0].has_block = false;
  adjusts(false, "no block left");
  view.kernel[0].mask = 0;
  adjusts(false, "masked");
  view.sm[0].target[0] = MAX_TBS;
  adjusts(false, "all TB slots");
  view.sm[0].target[0] = 1;
  adjusts(false, "a target that is not filled yet");
  view.kernel[0].killed = true;
  adjusts(false, "killed");
  view.kernel[0].busy = false;
  adjusts(false, "ended");
  view.preempting = true;
  adjusts(true, "free room needs no eviction");
  view.adjust = false;
  adjusts(false, "ADJUST 0");
  tap.done("who asks, and gets free room");
}

// R-TA-3 b: nobody is evicted while something of before is under way.
void test_pending(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2 || WARPS_PER_SM < 2) return;
  Bench bench(tap);
  fill(bench, 1);
  AdjustView &view = bench.world.view;
  view.preempting = true;
  bench.pass();
  tap.expect(bench.log.empty(), "a job is under way");
  view.preempting = false;
  bench.pass();
  tap.expect(bench.log.size() == 1 && bench.ref.evict[0][1], "%zu adjustments", bench.log.size());
  view.sm[0].target[0] = view.sm[0].cnt[0];
  bench.pass();
  tap.expect(bench.log.empty(), "an evict flag is set");
  bench.world.retire_youngest(0, 1);
  bench.cycle();
  tap.expect(!bench.ref.evict[0][1], "the flag stays");
  tap.done("one eviction after the other");
}

// R-TA-4: the youngest go, no more than are needed; R-TA-3: a target that is lower already stays.
void test_least_number(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2 || WARPS_PER_SM < 3 * NUM_SCHED || MAX_TBS < 4) return;
  Bench bench(tap);
  AdjustView &view = bench.world.view;
  view.kernel[0].warps = 2 * NUM_SCHED;
  fill(bench, 1);
  const unsigned n_others = view.sm[0].cnt[1];
  view.kernel[0].warps = std::min(2u * NUM_SCHED, n_others);
  bench.pass();
  const bool slots_are_left = view.sm[0].age.size() < MAX_TBS;
  tap.expect(bench.log.size() == 1 && bench.log[0].n <= 2 * NUM_SCHED && bench.log[0].n >= (slots_are_left ? 2u : 1u), "n %u",
             bench.log.empty() ? 0 : bench.log[0].n);
  tap.expect(view.sm[0].target[1] == n_others - bench.log[0].n, "target %u of %u", view.sm[0].target[1], n_others);
  tap.done("as many of the youngest go as the new block needs");
}

// The page's worst case without asking slots, and what a pass leaves out.
void test_time(qsm_unit::Tap &tap) {
  Bench bench(tap);
  AdjustView &view = bench.world.view;
  unsigned wanted = 0;
  view.kernel[0].qos = true;
  view.kernel[0].ratio = kBehind;
  for (unsigned i = 0; i < NUM_SMS; i++) {
    wanted += 2;
    view.kernel[0].mask = 0;
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      if (!bench.world.dispatch(i, k)) continue;
      view.sm[i].samples[k] = 100 * (k + i) + 99;
      wanted += k + i + 1;
    }
  }
  const unsigned n = bench.pass();
  tap.expect(n == wanted, "%u cycles, must be %u", n, wanted);
  for (unsigned end = 0; end < 2; end++) {
    view.epoch_done = true;
    bench.cycle();
    bench.cycle();
    (end ? view.alloc_busy : view.snapshot) = true;
    bench.cycle();
    tap.expect(!bench.ref.busy(), "the pass goes on");
    view.alloc_busy = false;
    bench.cycle();
  }
  tap.done("time of a pass; the next epoch or the allocator ends it");
}

// R-TA-9: who has yielded everything gets it back when nobody is behind.
void test_starved(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2 || WARPS_PER_SM < 2) return;
  Bench bench(tap);
  AdjustView &view = bench.world.view;
  fill(bench, 1);
  while (view.sm[0].cnt[1] > 1) bench.world.retire_youngest(0, 1);
  while (bench.world.dispatch(0, 0)) {}
  view.sm[0].target = view.sm[0].cnt;
  bench.pass();
  tap.expect(view.sm[0].target[1] == 0, "target %u", view.sm[0].target[1]);
  auto reallocates = [&](const char *what, bool wanted) {
    view.epoch_done = true;
    bench.cycle();
    tap.expect(bench.out.reallocates == wanted, "%s: %d", what, bench.out.reallocates);
    while (bench.ref.busy()) bench.cycle();
  };
  view.kernel[0].ratio = kReached;
  reallocates("its last block is out", false);
  bench.world.retire_youngest(0, 1);
  view.kernel[0].ratio = kBehind;
  reallocates("somebody is behind", false);
  view.adjust = false;
  reallocates("ADJUST 0", true);
  view.kernel[0].ratio = kReached;
  view.adjust = true;
  view.kernel[1].has_block = false;
  reallocates("no block left", false);
  view.kernel[1].has_block = true;
  reallocates("nobody is behind", true);
  view.alloc_busy = true;
  bench.cycle();
  view.alloc_busy = false;
  reallocates("after the allocator", false);
  tap.done("a kernel that has yielded its last block gets the symmetric targets back");
}

struct Counts {
  uint64_t passes = 0, given = 0, cls[3] = {}, ties = 0, several = 0, none = 0, second = 0, lower_kept = 0, ended = 0, reallocated = 0;
};

class RandomRound {
 public:
  RandomRound(qsm_unit::Tap &tap, qsm_unit::Random &random, Counts &counts) : bench(tap), tap_(tap), random_(random), counts_(counts) {
    AdjustView &view = bench.world.view;
    const unsigned widest = 1 + random_.below(std::min(WARPS_PER_SM, 6));
    const bool shared = random_.one_in(2);
    for (AdjustView::Kernel &kernel : view.kernel) {
      kernel.warps = 1 + random_.below(widest);
      kernel.granules = shared ? random_.below(random_.one_in(4) ? 33 : 12) : 0;
    }
  }

  void run(unsigned n_passes) {
    for (unsigned n = 0; n < n_passes && !tap_.failed(); n++) {
      prepare();
      pass();
      settle();
    }
  }

  Bench bench;

 private:
  // Registers and SMs as an epoch may leave them.
  void prepare() {
    AdjustView &view = bench.world.view;
    view.adjust = !random_.one_in(20);
    view.preempting = random_.one_in(10);
    for (AdjustView::Kernel &kernel : view.kernel) {
      kernel.qos = random_.one_in(2);
      kernel.busy = true;
      kernel.killed = false;
      kernel.has_block = !random_.one_in(6);
      const unsigned edge = kernel.out ? (kernel.out - random_.below(kernel.out + 1)) * 0x10000 / kernel.out : 0;
      const unsigned ratios[] = {0, 0x8000, edge, edge + 1, 0xffff, kReached, kBehind, 0x7ffff, random_.below(0x20000), 0x18000};
      kernel.ratio = kernel.qos ? ratios[random_.below(10)] : 0;
      kernel.mask = random_.one_in(3) ? random_.bits32() & kAllSms : kAllSms;
    }
    for (unsigned i = 0; i < NUM_SMS; i++) {
      AdjustView::Sm &sm = view.sm[i];
      const bool one = random_.one_in(8);  // all blocks there are of one kernel
      while (!sm.age.empty() && (one || random_.one_in(3))) bench.world.retire(i, random_.below(static_cast<uint32_t>(sm.age.size())));
      unsigned from = random_.below(NUM_KERNELS);
      for (unsigned n = random_.one_in(2) ? random_.below(MAX_TBS) : 4 * MAX_TBS; n > 0; n--, from = one ? from : random_.below(NUM_KERNELS)) {
        bench.world.dispatch(i, from);
      }
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        sm.target[k] = std::min<unsigned>(MAX_TBS, sm.cnt[k] + (random_.one_in(5) ? 1 : 0));
        if (random_.one_in(5)) sm.target[k] -= random_.below(sm.target[k] + 1);
        const unsigned warps = view.kernel[k].warps;
        const unsigned idle = random_.one_in(4) ? random_.below(7) : random_.below(3);
        sm.samples[k] = std::min(6400u, 100 * warps * idle + (random_.one_in(2) ? random_.below(100 * warps) : 0));
      }
    }
  }

  void pass() {
    AdjustView &view = bench.world.view;
    view.epoch_done = true;
    bool disturbed = random_.one_in(4);
    unsigned last_sm = ~0u;
    do {
      bench.cycle();
      counts_.reallocated += bench.out.reallocates;
      count(last_sm);
      if (random_.one_in(disturbed ? 8 : 100)) disturb();
      if (bench.ref.busy() && random_.one_in(800)) (random_.one_in(2) ? view.alloc_busy : view.snapshot) = true;
      if (bench.ref.busy() && (view.alloc_busy || view.snapshot)) {
        counts_.ended++;
        if (view.alloc_busy) view.sm[random_.below(NUM_SMS)].alloc_writes = random_.one_in(2);
      }
    } while (bench.ref.busy() && !tap_.failed());
    counts_.passes++;
  }

  void count(unsigned &last_sm) {
    const AdjustOutput &out = bench.out;
    if (!out.adjusted) return;
    if (!out.has_victim) {
      counts_.given++;
      if (last_sm == out.sm) counts_.second++;
      last_sm = out.sm;
      return;
    }
    counts_.cls[out.victim_class]++;
    counts_.ties += out.tie;
    counts_.several += out.n > 1;
    counts_.lower_kept += out.lowered == 0;
  }

  // Saves and retirements go on during a pass; kernels are killed and end; requests are refused.
  void disturb() {
    AdjustView &view = bench.world.view;
    const unsigned i = random_.below(NUM_SMS), k = random_.below(NUM_KERNELS);
    switch (random_.below(6)) {
      case 0: view.kernel[k].killed = true; break;
      case 1: view.kernel[k].busy = view.kernel[k].has_block = false; break;
      case 2: view.sm[i].refused[k] = bench.ref.evict[i][k]; break;
      case 3: view.preempting = !view.preempting; break;
      default:
        if (!view.sm[i].age.empty()) bench.world.retire(i, random_.below(static_cast<uint32_t>(view.sm[i].age.size())));
        break;
    }
  }

  // The engine takes what is flagged, or not yet.
  void settle() {
    AdjustView &view = bench.world.view;
    view.alloc_busy = false;
    for (unsigned c = random_.below(4); c > 0; c--) bench.cycle();
    const bool takes = !random_.one_in(4);
    for (unsigned i = 0; i < NUM_SMS; i++) {
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        while (takes && bench.ref.evict[i][k] && !tap_.failed()) {
          if (view.sm[i].cnt[k] > view.sm[i].target[k] && !random_.one_in(8)) bench.world.retire_youngest(i, k);
          else if (random_.one_in(2)) view.sm[i].refused[k] = true;
          else view.sm[i].alloc_writes = random_.one_in(4);
          bench.cycle();
        }
      }
    }
  }

  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  Counts &counts_;
};

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Counts counts;
  uint64_t n_cycles = 0;
  for (unsigned round = 0; round < N_ROUNDS && !tap.failed(); round++) {
    RandomRound r(tap, random, counts);
    r.run(100);
    n_cycles += r.bench.n_cycles;
  }
  using ull = unsigned long long;
  std::printf("# %llu cycles, %llu passes (%llu ended early): %llu into free room (%llu second ones), victims of class 0: %llu, 1: %llu, 2: %llu\n",
              ull{n_cycles}, ull{counts.passes}, ull{counts.ended}, ull{counts.given}, ull{counts.second}, ull{counts.cls[0]}, ull{counts.cls[1]},
              ull{counts.cls[2]});
  std::printf("# ties: %llu, more than one block: %llu, down to 0: %llu, back to symmetric targets: %llu\n", ull{counts.ties}, ull{counts.several},
              ull{counts.lower_kept}, ull{counts.reallocated});
  if (NUM_SMS < 16) tap.expect(counts.given > 20, "too little room");
  if (NUM_KERNELS > 2 && WARPS_PER_SM > 2) {
    tap.expect(counts.cls[0] > 100 && counts.cls[1] > 100 && counts.cls[2] > 30, "too few victims");
    tap.expect(counts.ties > 20 && counts.several > 20 && counts.lower_kept > 20 && counts.second > 0 && counts.ended > 10,
               "too little variety");
  }
  tap.done("random SMs, kernels and disturbances: every decision in its cycle");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_tb_adjust");
  const bool several = NUM_KERNELS > 2;
  qsm_unit::Tap tap(several ? 7 : 3);
  qsm_unit::begin_with_anything();
  test_order_of_victims(tap);
  test_who_asks(tap);
  test_pending(tap);
  test_least_number(tap);
  test_starved(tap);
  test_time(tap);
  test_random(tap, random);
  return tap.exit_code();
}
