// SPDX-License-Identifier: Apache-2.0
// qsm_tb_adjust against adjust_ref.h in every cycle: directed SMs, one for each rule, then random
// ones.
#include "bench.h"

namespace {

using adjust_bench::Bench;
using adjust_bench::kAllSms;
using adjust_bench::kBehind;
using adjust_bench::kReached;

// SM 0 full: kernel 0 asks with one TB, the others hold the rest in turn. All other SMs are closed
// to it.
void fill(Bench &bench, unsigned n_others) {
  World &world = bench.world;
  world.view.kernel[0].qos = true;
  world.view.kernel[0].ratio = kBehind;
  world.view.kernel[0].mask = 1;
  world.dispatch(0, 0);
  for (unsigned n = 0; n_others > 0 && world.dispatch(0, 1 + n % n_others); n++) {}
  world.view.sm[0].target = world.view.sm[0].cnt;
  for (AdjustView::Kernel &kernel : world.view.kernel) kernel.has_block = kernel.out > 0;
}

// FGQ 3.6, decisions P2, P4: room first; else non-QoS before idle before ahead of its goal.
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
      tap.expect(static_cast<int>(a.victim) == victim && a.victim_class == cls && a.n == 1,
                 "%s: kernel %u, class %u, n %u", what, a.victim, a.victim_class, a.n);
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
    wants(above ? 1 : -1, 2,
          above ? "above its goal without one block" : "just not above its goal");
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
  for (AdjustView::Kernel &kernel : view.kernel) kernel.out = 1;  // somewhere
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
  view.kernel[0].capped = true;
  adjusts(false, "capped");
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
  tap.done("R-TA-3, R-TB-15: who asks, and gets free room");
}

// R-PA-14: under pace an empty SM is taken in one pass, block by block, and nobody is sent away
// once a block had room; the next pass has victims as ever.
void test_room(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2) return;
  const unsigned n_fit = std::min<unsigned>(MAX_TBS, WARPS_PER_SM);
  for (bool paced : {false, true}) {
    for (unsigned there : {0u, 1u}) {  // blocks of another kernel
      Bench bench(tap);
      AdjustView &view = bench.world.view;
      fill(bench, 0);
      if (there != 0) bench.world.dispatch(0, 1);
      view.sm[0].target = view.sm[0].cnt;
      view.paced = paced;
      const unsigned room = n_fit - std::min(n_fit, 1 + there);
      bench.pass();
      const std::size_t want = room == 0 ? there : paced ? room : 1;
      tap.expect(bench.log.size() == want, "%zu blocks, not %zu", bench.log.size(), want);
      for (const AdjustOutput &a : bench.log)
        tap.expect(a.has_victim == (room == 0), "a victim where there is room");
      tap.expect(room == 0 || view.sm[0].target[0] == 1 + want, "target %u", view.sm[0].target[0]);
    }
  }
  tap.done("R-PA-14: under pace all room of an SM in one pass");
}

const bool kPairs = NUM_SCHED == 4 && NUM_KERNELS > 1 && MAX_TBS >= WARPS_PER_SM / 2;

// R-TB-10's example: blocks of two warps of two kernels in turn have a pair of sub-cores each. With
// the pointer at the pair that is full, a block of who asks has free room at the other one: nobody
// goes for it.
void test_pairs(qsm_unit::Tap &tap) {
  if (!kPairs) return;
  Bench bench(tap);
  AdjustView &view = bench.world.view;
  for (unsigned k = 0; k < 2; k++) view.kernel[k].warps = 2;
  fill(bench, 0);
  for (unsigned n = 1; n < WARPS_PER_SM / 2; n++) bench.world.dispatch(0, n % 2);
  bench.world.retire(0, 0);
  bench.world.dispatch(0, 0);
  bench.world.retire_youngest(0, 0);
  view.sm[0].target = view.sm[0].cnt;
  tap.expect(
      view.sm[0].first == 2 && view.sm[0].free_warps[0] == 1 && view.sm[0].free_warps[1] == 1,
      "the pointer is at %u", view.sm[0].first);
  bench.pass();
  tap.expect(bench.log.size() == 1 && bench.log[0].kernel == 0 && !bench.log[0].has_victim,
             "%zu adjustments", bench.log.size());
  tap.done("R-TB-10: free room away from the pointer is room");
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

// R-TA-13: where a slot lacks blocks, and none fits, those go that others have beyond their
// targets.
void test_surplus(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 3) return;
  Bench bench(tap);
  AdjustView &view = bench.world.view;
  AdjustView::Sm &sm = view.sm[0];
  fill(bench, 1);
  const unsigned n_others = sm.cnt[1];
  auto clears = [&](bool wanted, const char *what) {
    const std::vector<unsigned> target = sm.target;
    bench.pass();
    tap.expect(bench.log.empty() && sm.target == target, "%s: a target moves", what);
    tap.expect(bench.ref.evict[0][1] == wanted && !bench.ref.evict[0][0], "%s: flag %d", what,
               static_cast<int>(bench.ref.evict[0][1]));
    sm.refused[1] = true;
    bench.cycle();
  };
  sm.target[0] = 2;
  sm.target[1] = n_others - 1;
  clears(false, "LATECOMERS 0");
  view.latecomers = true;
  clears(true, "one too many");
  view.preempting = true;
  clears(false, "a job is under way");
  view.preempting = false;
  view.kernel[0].ratio = kReached;
  clears(false, "at its goal");
  view.kernel[0].ratio = kBehind;
  sm.target[1] = n_others;
  clears(false, "nobody has too many");
  sm.target[1] = n_others - 2;
  bench.world.retire_youngest(0, 1);
  clears(false, "a block fits");
  tap.done("what others have beyond their targets");
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
  tap.expect(bench.log.size() == 1 && bench.log[0].n <= 2 * NUM_SCHED &&
                 bench.log[0].n >= (slots_are_left ? 2u : 1u),
             "n %u", bench.log.empty() ? 0 : bench.log[0].n);
  tap.expect(view.sm[0].target[1] == n_others - bench.log[0].n, "target %u of %u",
             view.sm[0].target[1], n_others);
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
  uint64_t passes = 0, given = 0, cls[3] = {}, ties = 0, several = 0, none = 0, second = 0,
           lower_kept = 0, ended = 0, reallocated = 0, surplus = 0;
  uint64_t claims = 0, made_room = 0, nobody = 0, gave_up = 0, broken = 0;
};

class RandomRound {
 public:
  RandomRound(qsm_unit::Tap &tap, qsm_unit::Random &random, Counts &counts)
      : bench(tap), tap_(tap), random_(random), counts_(counts) {
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
    view.latecomers = !random_.one_in(6);
    view.paced = random_.one_in(2);
    if (random_.one_in(6)) absent_ = random_.bits32();
    view.preempting = random_.one_in(10);
    restores_ = random_.one_in(4) ? 1 + random_.below(4) : 0;
    for (AdjustView::Kernel &kernel : view.kernel) {
      kernel.qos = random_.one_in(2);
      kernel.level = random_.one_in(2) ? 0 : random_.below(4);
      kernel.busy = true;
      kernel.killed = false;
      kernel.has_block = !random_.one_in(6);
      const unsigned edge =
          kernel.out ? (kernel.out - random_.below(kernel.out + 1)) * 0x10000 / kernel.out : 0;
      const unsigned ratios[] = {0,        0x8000,   edge,
                                 edge + 1, 0xffff,   kReached,
                                 kBehind,  0x3fffff, random_.below(0x20000),
                                 0x18000};
      kernel.ratio = kernel.qos ? ratios[random_.below(10)] : 0;
      kernel.capped = random_.one_in(8);
      kernel.mask = random_.one_in(3) ? random_.bits32() & kAllSms : kAllSms;
    }
    for (unsigned i = 0; i < NUM_SMS; i++) {
      AdjustView::Sm &sm = view.sm[i];
      sm.restoring = restores_ && random_.one_in(restores_);
      const bool one = random_.one_in(8);  // all blocks there are of one kernel
      while (!sm.age.empty() && (one || random_.one_in(3)))
        bench.world.retire(i, random_.below(static_cast<uint32_t>(sm.age.size())));
      unsigned from = random_.below(NUM_KERNELS);
      for (unsigned n = random_.one_in(2) ? random_.below(MAX_TBS) : 4 * MAX_TBS; n > 0;
           n--, from = one ? from : random_.below(NUM_KERNELS)) {
        if (!((absent_ >> from) & 1)) bench.world.dispatch(i, from);
      }
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        sm.target[k] = std::min<unsigned>(MAX_TBS, sm.cnt[k] + (random_.one_in(5) ? 1 : 0));
        if (random_.one_in(5)) sm.target[k] -= random_.below(sm.target[k] + 1);
        const unsigned warps = view.kernel[k].warps;
        const unsigned idle = random_.one_in(4) ? random_.below(7) : random_.below(3);
        sm.samples[k] =
            std::min(100u * WARPS_PER_SM,
                     100 * warps * idle + (random_.one_in(2) ? random_.below(100 * warps) : 0));
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
      counts_.surplus += bench.out.n_surplus > 0;
      count(last_sm);
      if (random_.one_in(disturbed ? 8 : 100)) disturb();
      if (bench.ref.busy() && random_.one_in(800))
        (random_.one_in(2) ? view.alloc_busy : view.snapshot) = true;
      if (bench.ref.busy() && (view.alloc_busy || view.snapshot)) {
        counts_.ended++;
        view.alloc_all = random_.one_in(2);
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
    switch (random_.below(7)) {
      case 0: view.kernel[k].killed = true; break;
      case 1: view.kernel[k].busy = view.kernel[k].has_block = false; break;
      case 2: view.sm[i].refused[k] = bench.ref.evict[i][k]; break;
      case 3: view.preempting = !view.preempting; break;
      case 4: view.sm[i].restoring = !view.sm[i].restoring; break;
      default:
        if (!view.sm[i].age.empty())
          bench.world.retire(i, random_.below(static_cast<uint32_t>(view.sm[i].age.size())));
        break;
    }
  }

  // The engine takes what is flagged, or not yet.
  void settle() {
    AdjustView &view = bench.world.view;
    view.alloc_busy = false;
    for (unsigned c = random_.below(4); c > 0; c--) bench.cycle();
    claim();
    const bool takes = !random_.one_in(4);
    for (unsigned i = 0; i < NUM_SMS; i++) {
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        while (takes && bench.ref.evict[i][k] && !tap_.failed()) {
          if (view.sm[i].cnt[k] > view.sm[i].target[k] && !random_.one_in(8))
            bench.world.retire_youngest(i, k);
          else if (random_.one_in(2))
            view.sm[i].refused[k] = true;
          else
            view.sm[i].alloc_writes = random_.one_in(4);
          bench.cycle();
        }
      }
    }
    for (unsigned c = random_.below(3); c > 0; c--) bench.cycle();
    claim();
  }

  // To the end of a claim that is under way, or a bit of it, if another pass follows.
  void claim() {
    AdjustView &view = bench.world.view;
    const bool disturbed = random_.one_in(3), another = random_.one_in(8);
    while (bench.ref.busy() && !tap_.failed()) {
      if (another && bench.ref.claiming() && random_.one_in(10)) view.epoch_done = true;
      if (disturbed && random_.one_in(4)) disturb();
      if (random_.one_in(200)) (random_.one_in(2) ? view.alloc_busy : view.snapshot) = true;
      const bool claiming = bench.ref.claiming();
      bench.cycle();
      counts_.gave_up += bench.out.gives_up;
      view.alloc_busy = false;
      counts_.claims += bench.out.tried;
      counts_.made_room += bench.out.tried && bench.out.fits;
      counts_.nobody += bench.out.tried && !bench.out.fits;
      const bool ended =
          bench.out.tried || bench.out.gives_up || bench.out.raises >= 0 || bench.out.lowers >= 0;
      counts_.broken += claiming && !bench.ref.busy() && !ended;
    }
  }

  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  Counts &counts_;
  uint32_t absent_ = 0;    // kernels that get no block anywhere
  unsigned restores_ = 0;  // one SM in so many restores a block; 0: none
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
  std::printf(
      "# %llu cycles, %llu passes (%llu ended early): %llu into free room (%llu second ones), victims of class 0: %llu, 1: %llu, 2: %llu\n",
      ull{n_cycles}, ull{counts.passes}, ull{counts.ended}, ull{counts.given}, ull{counts.second},
      ull{counts.cls[0]}, ull{counts.cls[1]}, ull{counts.cls[2]});
  std::printf(
      "# ties: %llu, more than one block: %llu, down to 0: %llu, back to symmetric targets: %llu, surplus: %llu\n",
      ull{counts.ties}, ull{counts.several}, ull{counts.lower_kept}, ull{counts.reallocated},
      ull{counts.surplus});
  std::printf(
      "# claims: %llu, %llu made room, %llu found nobody to go, %llu found no SM, %llu broken off\n",
      ull{counts.claims}, ull{counts.made_room}, ull{counts.nobody}, ull{counts.gave_up},
      ull{counts.broken});
  if (NUM_KERNELS > 2)
    tap.expect(counts.made_room > 100 && counts.gave_up > 10 && counts.broken > 10,
               "too few claims");
  if (NUM_SMS < 16) tap.expect(counts.given > 20, "too little room");
  if (NUM_KERNELS > 2 && WARPS_PER_SM > 2) {
    tap.expect(counts.cls[0] > 100 && counts.cls[1] > 100 && counts.cls[2] > 30, "too few victims");
    tap.expect(counts.ties > 20 && counts.several > 20 && counts.lower_kept > 20 &&
                   counts.second > 0 && counts.ended > 10 && counts.surplus > 20,
               "too little variety");
  }
  tap.done("random SMs, kernels and disturbances: every decision in its cycle");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_tb_adjust");
  const bool several = NUM_KERNELS > 2;
  qsm_unit::Tap tap((several ? 9 : NUM_KERNELS > 1 ? 4 : 3) + kPairs + adjust_bench::kClaimTests);
  qsm_unit::begin_with_anything();
  test_order_of_victims(tap);
  test_who_asks(tap);
  test_room(tap);
  test_pairs(tap);
  test_pending(tap);
  test_surplus(tap);
  test_least_number(tap);
  test_starved(tap);
  test_time(tap);
  adjust_bench::test_claims(tap);
  test_random(tap, random);
  return tap.exit_code();
}
