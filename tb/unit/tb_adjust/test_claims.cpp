// SPDX-License-Identifier: Apache-2.0
// Latecomers (docs/tb_adjust.md R-TA-10 to R-TA-12) beside blocks that never end, each claim
// against adjust_ref.h and against what must come of it.
#include "bench.h"

using adjust_bench::Bench;
using adjust_bench::kAllSms;

namespace {

// Kernel 0 waits; the others hold every SM, in turn, with blocks that never end.
void crowd(Bench &bench, unsigned n_others) {
  AdjustView &view = bench.world.view;
  view.adjust = false;
  view.latecomers = true;
  for (unsigned i = 0; i < NUM_SMS; i++) {
    unsigned k = 0, refused = 0;
    while (n_others > 0 && refused < n_others) {
      refused = bench.world.dispatch(i, 1 + k % n_others) ? 0 : refused + 1;
      k++;
    }
    view.sm[i].target = view.sm[i].cnt;
  }
  for (unsigned k = 1; k < NUM_KERNELS; k++) view.kernel[k].has_block = view.kernel[k].out > 0;
}

// Acts like preemption engine and dispatch, one block per cycle: a kernel with a flag loses its
// youngest block, a kernel that has room and fits gets a block.
void surroundings(Bench &bench) {
  AdjustView &view = bench.world.view;
  for (unsigned i = 0; i < NUM_SMS; i++) {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      if (!bench.ref.evict[i][k] || view.sm[i].cnt[k] <= view.sm[i].target[k]) continue;
      bench.world.retire_youngest(i, k);
      return;
    }
  }
  for (unsigned k = 0; k < NUM_KERNELS && !bench.ref.busy(); k++) {
    const AdjustView::Kernel &kernel = view.kernel[k];
    for (unsigned i = 0; kernel.has_block && i < NUM_SMS; i++) {
      const bool room = ((kernel.mask >> i) & 1) && view.sm[i].cnt[k] < view.sm[i].target[k];
      if (room && bench.world.dispatch(i, k)) return;
    }
  }
}

const unsigned kEpoch =
    NUM_SMS + 3 * MAX_TBS + 2 * NUM_KERNELS + 10;  // longer than a claim and its evictions

// An epoch from its E + QosLat on; the claims in it are added to `claims`.
void epoch(Bench &bench, std::vector<AdjustOutput> &claims, bool moves = true) {
  bench.world.view.epoch_done = true;
  for (unsigned c = 0; c < kEpoch; c++) {
    if (c == kEpoch - 2) bench.world.view.snapshot = true;
    bench.cycle();
    if (bench.out.tried) claims.push_back(bench.out);
    if (moves) surroundings(bench);
  }
}

bool all_of_one_goal_went_first(const Bench &bench, const AdjustOutput &claim,
                                const std::vector<unsigned> &cnt) {
  bool goal_goes = false, others_left = false;
  for (unsigned m = 1; m < NUM_KERNELS; m++) {
    if (bench.world.view.kernel[m].qos)
      goal_goes = goal_goes || claim.left[m] < cnt[m];
    else
      others_left = others_left || claim.left[m] > 0;
  }
  return !goal_goes || !others_left;
}

// One latecomer: the second E + QosLat makes it late, the claim follows in that epoch, and so does
// its block.
void beside(qsm_unit::Tap &tap, Bench &bench, const char *what) {
  AdjustView &view = bench.world.view;
  const std::vector<AdjustView::Sm> before = view.sm;
  std::vector<AdjustOutput> claims;
  epoch(bench, claims);
  tap.expect(claims.empty() && view.kernel[0].out == 0, "%s: a claim in the first epoch", what);
  epoch(bench, claims);
  tap.expect(claims.size() == 1 && claims[0].kernel == 0 && claims[0].fits, "%s: %zu claims", what,
             claims.size());
  if (claims.size() != 1) return;
  const unsigned i = claims[0].sm;
  tap.expect((view.kernel[0].mask >> i) & 1, "%s: a claim on SM %u", what, i);
  tap.expect(all_of_one_goal_went_first(bench, claims[0], before[i].cnt),
             "%s: a block of a kernel with a goal goes first", what);
  tap.expect(view.sm[i].cnt[0] >= 1, "%s: no block after the claim", what);
  for (unsigned m = 1; m < NUM_KERNELS; m++) {
    tap.expect(view.sm[i].cnt[m] == claims[0].left[m] && view.sm[i].target[m] == claims[0].left[m],
               "%s: kernel %u has %u, target %u, left %u", what, m, view.sm[i].cnt[m],
               view.sm[i].target[m], claims[0].left[m]);
    for (unsigned other = 0; other < NUM_SMS; other++) {
      tap.expect(other == i || view.sm[other].cnt[m] == before[other].cnt[m],
                 "%s: SM %u has changed", what, other);
    }
  }
  epoch(bench, claims);
  tap.expect(claims.size() == 1, "%s: a claim for who is not late", what);
}

void test_endless(qsm_unit::Tap &tap) {
  const unsigned most = NUM_KERNELS - 1;
  for (unsigned n_others = 1; n_others <= most; n_others++) {
    for (unsigned qos = 0; qos < (1u << most); qos++) {
      Bench bench(tap);
      for (unsigned m = 0; m < most; m++) bench.world.view.kernel[1 + m].qos = (qos >> m) & 1;
      bench.world.view.kernel[0].warps = std::max(1u, WARPS_PER_SM / 2u);
      crowd(bench, n_others);
      beside(tap, bench, "endless blocks");
    }
  }
  tap.done(
      "a latecomer gets a block beside endless ones, of one kernel or several, with goals or without");
}

void test_limits(qsm_unit::Tap &tap) {
  struct Case {
    const char *what;
    unsigned warps, granules, other_warps, other_granules;
  };
  const std::vector<Case> cases = {
      {"TB slots", 1, 0, 1, 0},
      {"warps, the whole SM", WARPS_PER_SM, 0, 1, 0},
      {"warps of blocks as large as the SM", 1, 0, WARPS_PER_SM, 0},
      {"granules", 1, 20, 1, 7},
      {"all granules", 1, 32, 1, 1},
      {"granules and warps", std::max(1u, WARPS_PER_SM / 2u), 16, std::max(1u, WARPS_PER_SM / 3u),
       9},
  };
  for (const Case &c : cases) {
    if (NUM_KERNELS < 2) break;
    for (uint64_t mask : {kAllSms, uint64_t{1} << (NUM_SMS - 1)}) {
      Bench bench(tap);
      AdjustView &view = bench.world.view;
      for (AdjustView::Kernel &kernel : view.kernel) {
        kernel.warps = c.other_warps;
        kernel.granules = c.other_granules;
      }
      view.kernel[0].warps = c.warps;
      view.kernel[0].granules = c.granules;
      view.kernel[0].mask = mask;
      crowd(bench, NUM_KERNELS - 1);
      beside(tap, bench, c.what);
    }
  }
  tap.done("whatever its block is short of: TB slots, warps, granules; masked SMs are passed over");
}

// To the first cycle of the claim; false if none comes.
bool to_claim(Bench &bench) {
  AdjustView &view = bench.world.view;
  for (unsigned n = 0; n < 2; n++) {
    view.epoch_done = true;
    bench.cycle();
  }
  for (unsigned c = 0; c < 3 && !bench.ref.busy(); c++) bench.cycle();
  return bench.ref.claiming();
}

// What comes in the c-th cycle of a claim, for every c, ends it.
void test_ends(qsm_unit::Tap &tap) {
  const char *const names[] = {"a kill", "its last block", "ALLOC_BUSY",
                               "E",      "E + QosLat",     "an empty mask"};
  unsigned n_ended = 0;
  for (unsigned what = 0; what < 6; what++) {
    bool over = NUM_KERNELS < 2;
    for (unsigned c = 0; !over && !tap.failed(); c++) {
      Bench bench(tap);
      AdjustView &view = bench.world.view;
      view.kernel[0].warps = WARPS_PER_SM;
      crowd(bench, NUM_KERNELS - 1);
      tap.expect(to_claim(bench), "no claim");
      for (unsigned n = 0; n < c && bench.ref.busy(); n++) bench.cycle();
      over = !bench.ref.busy();
      if (over) break;
      if (what == 0) view.kernel[0].killed = true;
      if (what <= 1) view.kernel[0].has_block = false;
      if (what == 2) view.alloc_busy = true;
      if (what == 3) view.snapshot = true;
      if (what == 4) view.epoch_done = true;
      if (what == 5) view.kernel[0].mask = 0;
      const std::vector<std::vector<bool>> flags = bench.ref.evict;
      bench.cycle();
      if (what == 0 || what == 1 || what == 5) {
        over = !bench.ref.busy();  // it was the last cycle
        bench.cycle();
      }
      tap.expect(!bench.ref.busy(), "%s in cycle %u does not end the claim", names[what], c);
      if (what == 2 || what == 3)
        tap.expect(bench.out.raises < 0 && bench.out.lowers < 0, "%s in cycle %u: a target moves",
                   names[what], c);
      view.alloc_busy = false;
      n_ended++;
      for (unsigned n = 0; n < 3; n++) bench.cycle();
    }
  }
  if (NUM_KERNELS > 1) tap.expect(n_ended >= 6 * 4, "only %u claims ended", n_ended);
  tap.done(
      "a kill, no block left, the allocator, E, E + QosLat and an empty mask end a claim in each of its cycles");
}

// All others retire during the claim: there is nobody to free any more, and V is as it was.
void test_nobody(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2) return tap.done("nobody can go # SKIP one slot");
  Bench bench(tap);
  AdjustView &view = bench.world.view;
  view.kernel[0].warps = WARPS_PER_SM;
  crowd(bench, NUM_KERNELS - 1);
  tap.expect(to_claim(bench), "no claim");
  bench.cycle();  // pick
  bench.cycle();  // set-up
  const std::size_t n = view.sm[0].age.size();
  while (!view.sm[0].age.empty()) bench.world.retire(0, 0);
  for (std::size_t c = 0; c < 2 * n + 1; c++) bench.cycle();
  bench.cycle();
  tap.expect(bench.out.tried && !bench.out.fits, "the claim has not failed after %zu blocks", n);
  tap.expect(!bench.ref.busy(), "the claim goes on");
  tap.done("a claim whose blocks have all retired meanwhile has no effect");
}

void test_turns(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 3) return tap.done("two late slots # SKIP two slots");
  Bench bench(tap);
  AdjustView &view = bench.world.view;
  crowd(bench, NUM_KERNELS - 2);
  view.kernel[NUM_KERNELS - 1].has_block = true;
  std::vector<AdjustOutput> claims;
  for (unsigned n = 0; n < 6; n++) {
    epoch(bench, claims, false);
    for (unsigned i = 0; i < NUM_SMS; i++)
      view.sm[i].refused.assign(NUM_KERNELS, true);  // nobody is evicted
    bench.cycle();
  }
  tap.expect(claims.size() == 5, "%zu claims in 5 epochs", claims.size());
  for (std::size_t n = 0; n < claims.size(); n++) {
    tap.expect(claims[n].kernel == (n % 2 ? NUM_KERNELS - 1 : 0), "claim %zu is of kernel %u", n,
               claims[n].kernel);
    tap.expect(claims[n].sm == n % NUM_SMS, "claim %zu is on SM %u", n, claims[n].sm);
  }
  tap.done("late slots and SMs take turns, one claim an epoch");
}

// What keeps a claim from starting: it comes when that is over; E and E + QosLat only shift it.
void test_starts(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2) return tap.done("what holds a claim # SKIP one slot");
  const char *const names[] = {"LATECOMERS 0", "ALLOC_BUSY", "an evict flag", "E", "a pass"};
  for (unsigned what = 0; what < 5; what++) {
    Bench bench(tap);
    AdjustView &view = bench.world.view;
    crowd(bench, 1);
    view.epoch_done = true;
    bench.cycle();
    if (what == 2) {  // from a claim that was made before: the flag stays
      tap.expect(to_claim(bench), "no claim");
      while (bench.ref.busy()) bench.cycle();
      view.epoch_done = true;
      bench.cycle();
      bench.cycle();
    } else {
      view.latecomers = what != 0;
      view.alloc_busy = what == 1;
      if (what == 4) {
        view.adjust = view.kernel[1].qos = true;
        view.kernel[1].ratio = adjust_bench::kBehind;
      }
      view.epoch_done = true;
      bench.cycle();
      view.snapshot = what == 3;
      bench.cycle();
    }
    tap.expect(!bench.ref.claiming(), "%s does not hold the claim", names[what]);
    while (bench.ref.busy() && !bench.ref.claiming()) bench.cycle();
    view.latecomers = true;
    view.alloc_busy = false;
    if (what == 2) view.sm[0].refused[1] = true;
    for (unsigned n = 0; n < 2 && !bench.ref.claiming(); n++) bench.cycle();
    tap.expect(bench.ref.claiming(), "%s holds the claim for ever", names[what]);
    view.latecomers = false;  // ends no claim
    while (bench.ref.busy() && bench.out.raises < 0) bench.cycle();
    tap.expect(bench.out.raises == 0, "%s: no room", names[what]);
  }
  tap.done("what holds a claim, and that it comes afterwards");
}

// A restore on all SMs but one, or on all, before, in, between or after the two E + QosLat that
// make the slot late: a claim is on the SM that is settled; without one it gives up after as many
// picks as there are SMs, and the next may find one.
void test_settled(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2) return tap.done("settled SMs # SKIP one slot");
  const char *const names[] = {"before both turns",  "in the first turn",   "between the turns",
                               "in the second turn", "as the claim starts", "beside the claim"};
  for (unsigned when = 0; when < 6; when++) {
    for (unsigned only = 0; only <= NUM_SMS; only++) {
      Bench bench(tap);
      AdjustView &view = bench.world.view;
      crowd(bench, 1);
      for (unsigned c = 0; c < 5; c++) {
        for (unsigned i = 0; i < NUM_SMS; i++) view.sm[i].restoring = i != only && c == when;
        view.epoch_done = c == 1 || c == 3;
        bench.cycle();
      }
      tap.expect(bench.ref.claiming(), "%s: no claim", names[when]);
      for (unsigned i = 0; i < NUM_SMS; i++) view.sm[i].restoring = i != only && when == 5;
      unsigned n_cycles = 0, n_tried = 0;
      for (; bench.ref.claiming() && !tap.failed(); n_cycles++) {
        bench.cycle();
        n_tried += bench.out.tried;
        const bool right = bench.out.sm == (when == 0 ? 0 : only);
        if (bench.out.tried)
          tap.expect(right, "restores %s, SM %u settled: a claim on SM %u", names[when], only,
                     bench.out.sm);
      }
      const bool finds = when == 0 || only < NUM_SMS;
      tap.expect(n_tried == finds, "restores %s, SM %u settled: %u claims", names[when], only,
                 n_tried);
      if (finds) continue;
      tap.expect(n_cycles == NUM_SMS, "restores %s: a claim without an SM takes %u cycles",
                 names[when], n_cycles);
      for (unsigned i = 0; i < NUM_SMS; i++) view.sm[i].restoring = false;
      std::vector<AdjustOutput> claims;
      epoch(bench, claims);
      epoch(bench, claims);
      tap.expect(claims.size() == 1 && claims[0].sm == 0, "restores %s: %zu claims afterwards",
                 names[when], claims.size());
    }
  }
  tap.done("a claim is on a settled SM, or gives up after NumSms picks");
}

}  // namespace

void adjust_bench::test_claims(qsm_unit::Tap &tap) {
  test_endless(tap);
  test_limits(tap);
  test_ends(tap);
  test_nobody(tap);
  test_turns(tap);
  test_starts(tap);
  test_settled(tap);
}
