// SPDX-License-Identifier: Apache-2.0
// TB scheduler (qsm_tb_sched) against sched_ref.h in every cycle: directed scenarios, then random
// launches on random SMs.
#include "bench.h"

using sched_bench::Bench;
using sched_bench::kAllSms;
using sched_bench::random_move;

namespace {

// R-TB-1, R-TB-17 and R-TB-3: LAUNCH in t, candidate in t + 2 (targets known), dispatch in t + 4,
// end 16 cycles after the cycle that sees nothing left.
void test_times_of_a_launch(qsm_unit::Tap &tap) {
  Bench bench(tap);
  bench.write_ctx(0, true, false);
  bench.settle();
  bench.launch(0, {1, 1, 1}, AllocShape{1, 0});
  bench.cycle();
  tap.expect(!bench.out.dispatch && bench.out.start[0],
             "t + 1 must send start and dispatch nothing");
  for (unsigned c = 2; c < 4; c++) {
    bench.cycle();
    tap.expect(!bench.out.dispatch, "t + %u must not dispatch", c);
  }
  bench.cycle();
  tap.expect(bench.out.dispatch, "t + 4 must dispatch");
  if (!bench.out.dispatch) return tap.done("start, first dispatch and end of a launch");
  bench.in.retire[bench.out.sm] = static_cast<int>(bench.out.tb);
  bench.cycle();
  for (unsigned c = 0; c <= 16; c++) {
    tap.expect(!bench.ref.slot[0].launches, "the launch ended %u cycles early", 17 - c);
    bench.cycle();
  }
  tap.expect(bench.ref.slot[0].launches == 1 && !bench.ref.slot[0].busy,
             "the launch has not ended");
  tap.done("start, first dispatch and end of a launch come in their cycles");
}

// R-TB-4: the lowest SM counts, later faults are ignored, KILL is no fault.
void test_kill(qsm_unit::Tap &tap) {
  Bench bench(tap);
  bench.write_ctx(0, true, false);
  bench.settle();
  bench.launch(0, {100, 1, 1}, AllocShape{1, 0});
  bench.in.kill_write = 0;
  bench.cycle();
  tap.expect(bench.out.kill[0] && bench.out.start[0], "KILL right after LAUNCH is not sent");
  bench.cycles(40);
  tap.expect(!bench.ref.slot[0].faulted && bench.ref.slot[0].launches == 0,
             "a host's KILL is no fault");
  bench.launch(0, {100, 1, 1}, AllocShape{1, 0});
  bench.in.fault[NUM_SMS - 1][0] = true;
  bench.in.fault[NUM_SMS / 2][0] = true;  // the same SM, if there is one only
  bench.in.kill_write = 0;
  bench.cycle();
  bench.in.fault[0][0] = true;
  bench.cycle();
  tap.expect(bench.ref.slot[0].faulted && bench.ref.slot[0].fault_sm == NUM_SMS / 2,
             "it is SM %u, must be the lowest of the first cycle", bench.ref.slot[0].fault_sm);
  bench.cycles(40);
  tap.done("a fault kills the launch and keeps the first SM");
}

// Retires blocks until the slot is idle; returns how many were dispatched meanwhile, restored ones
// not counted. Their linear indices must be the next ones.
unsigned run_out(Bench &bench, qsm_unit::Tap &tap, unsigned k) {
  unsigned n_new = 0;
  for (unsigned c = 0; bench.ref.slot[k].busy && c < 10000; c++) {
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const SchedRef::Sm &sm = bench.ref.sm[i];
      for (unsigned tb = 0; tb < MAX_TBS; tb++) {
        if (bench.ref.runs(i, tb) && sm.tb[tb].kernel == k)
          bench.in.retire[i] = static_cast<int>(tb);
      }
    }
    const uint32_t linear = bench.ref.slot[k].linear;
    bench.cycle();
    if (!bench.out.dispatch || bench.out.kernel != k || bench.out.restore) continue;
    tap.expect(bench.out.linear == linear, "block %u, must be %u", bench.out.linear, linear);
    n_new++;
  }
  tap.expect(!bench.ref.slot[k].busy, "the launch does not end");
  return n_new;
}

// R-TB-16: a launch of 3 x 4 x 5 blocks yields again and again, and goes on at its place, also in
// another slot; YIELD in the cycle of its last block, after it, and in the last busy cycle.
void test_yield(qsm_unit::Tap &tap) {
  Bench bench(tap);
  const unsigned last_slot = NUM_KERNELS - 1;
  bench.write_ctx(0, true, false);
  bench.settle();
  unsigned n_blocks = 0, n_yields = 0;
  const std::array<unsigned, 3> grid = {3, 4, 5};
  unsigned k = 0;
  while (n_yields < 60) {
    bench.launch(k, grid, AllocShape{1, 0});
    tap.expect(!bench.ref.slot[k].yielded, "LAUNCH leaves yielded");
    for (unsigned c = 0; c < 3 + n_yields % 4; c++) {
      bench.cycle();
      n_blocks += bench.out.dispatch;
    }
    bench.in.yield_write = static_cast<int>(k);
    bench.cycle();
    n_blocks += bench.out.dispatch;
    const bool all = bench.ref.slot[k].all;
    tap.expect(run_out(bench, tap, k) == 0, "a new block under yield");
    if (all) break;
    const SchedRef::Slot left = bench.ref.slot[k];
    tap.expect(bench.ref.slot[k].yielded && left.launches == 0, "it has not yielded");
    tap.expect(left.linear == n_blocks && left.block[0] == n_blocks % 3 &&
                   left.block[1] == n_blocks / 3 % 4 && left.block[2] == n_blocks / 12,
               "the walk is not at block %u", n_blocks);
    n_yields++;
    if (n_yields != 3 || last_slot == 0) continue;
    bench.write_ctx(last_slot, true, false);
    bench.write_walk(last_slot, 0, left.block[0] | left.block[1] << 16);
    bench.write_walk(last_slot, 1, left.block[2]);
    bench.write_walk(last_slot, 2, left.linear);
    bench.settle();
    k = last_slot;
  }
  const SchedRef::Slot &done = bench.ref.slot[k];
  tap.expect(n_yields > 3 && n_blocks == 60, "%u yields, %u blocks", n_yields, n_blocks);
  tap.expect(
      done.launches == 1 && !bench.ref.slot[k].yielded && done.linear == 0 && done.block[2] == 0,
      "a launch that yields after its last block has not ended as one that does not");
  // In the cycle in which it falls, busy wins.
  bench.launch(k, {1, 1, 1}, AllocShape{1, 0});
  while (!(bench.ref.slot[k].ending && bench.ref.slot[k].countdown == 0)) {
    for (unsigned i = 0; i < NUM_SMS; i++) {
      if (bench.ref.runs(i, 0)) bench.in.retire[i] = 0;
    }
    bench.cycle();
  }
  bench.in.yield_write = static_cast<int>(k);
  bench.cycle();
  bench.launch(k, {2, 1, 1}, AllocShape{1, 0});
  tap.expect(run_out(bench, tap, k) == 2 && bench.ref.slot[k].launches == 3,
             "YIELD in the last busy cycle stays for the next launch");
  // Before the first block; killed later; and an arrival.
  bench.launch(k, grid, AllocShape{1, 0});
  bench.in.yield_write = static_cast<int>(k);
  bench.cycle();
  tap.expect(run_out(bench, tap, k) == 0 && bench.ref.slot[k].yielded, "YIELD after LAUNCH");
  bench.write_walk(k, 0, 2);
  bench.launch(k, grid, AllocShape{1, 0});
  bench.cycles(3);
  bench.in.yield_write = static_cast<int>(k);
  bench.cycle();
  bench.in.kill_write = static_cast<int>(k);
  bench.cycle();
  run_out(bench, tap, k);
  tap.expect(!bench.ref.slot[k].yielded && bench.ref.slot[k].block[0] == 0 &&
                 bench.ref.slot[k].launches == 3,
             "a killed launch that yields");
  bench.write_walk(k, 0, 0x00030002);
  bench.write_walk(k, 1, 4);
  bench.write_walk(k, 2, 7);
  bench.write_ctx(k, false, false);
  tap.expect(bench.ref.slot[k].linear == 7, "the walk is another at departure");
  bench.write_ctx(k, true, false);
  tap.expect(bench.ref.slot[k].linear == 0 && bench.ref.slot[k].block[1] == 0, "not 0 at arrival");
  bench.cycle();
  tap.done("R-TB-16: a launch that yields goes on at its place, and ends once");
}

// R-TA-12: slot 0 fills all SMs with blocks that never end; who comes later gets a block once one
// of them is drained.
void test_latecomer(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2) return tap.done("a latecomer # SKIP one slot");
  Bench bench(tap);
  bench.in.latecomers = true;
  bench.in.preempt.evict_technique = QSM_TECHNIQUE_DRAIN;
  bench.write_ctx(0, true, true);
  bench.settle();
  bench.launch(0, {65535, 65535, 1}, AllocShape{1, 0});
  bench.cycles(3 * NUM_SMS * MAX_TBS + 4);
  bench.write_ctx(1, true, false);
  bench.launch(1, {1, 1, 1}, AllocShape{WARPS_PER_SM, 0});
  unsigned n_epochs = 0, n_blocks = 0;
  const unsigned length = 20 * NUM_SMS + 10 * MAX_TBS + 100;
  for (; n_epochs < NUM_KERNELS + 2 && n_blocks == 0; n_epochs++) {
    for (unsigned c = 0; c < length; c++) {
      bench.in.snapshot = c == length - 10;
      bench.in.epoch_done = c == length - 1;
      for (unsigned i = 0; i < NUM_SMS; i++) {
        const PreemptRef::Job &job = bench.ref.preempt.job[i];
        if (job.kind == QSM_JOB_DRAIN && bench.ref.runs(i, job.tb))
          bench.in.retire[i] = static_cast<int>(job.tb);
      }
      bench.cycle();
      n_blocks += bench.out.dispatch && bench.out.kernel == 1;
    }
  }
  tap.expect(n_blocks == 1, "no block after %u epochs", n_epochs);
  tap.done("a latecomer gets a block beside endless ones within NumKernels + 2 epochs");
}

// R-TB-15: endless blocks of one warp on SM 0, with a cap that goes up and down, beside a slot
// without one.
void test_cap(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2 || WARPS_PER_SM < 4 || MAX_TBS < 4) return tap.done("a cap # SKIP too small");
  Bench bench(tap);
  auto have = [&](unsigned k) { return bench.ref.sm[0].cnt[k]; };
  auto cap = [&](unsigned warps) {
    bench.write_cap(0, warps);
    bench.settle();
    bench.cycles(3 * NUM_SMS * MAX_TBS);
  };
  bench.write_ctx(0, true, true);
  bench.write_cap(0, 1);
  bench.settle();
  bench.launch(0, {65535, 65535, 1}, AllocShape{1, 0});
  bench.cycles(3 * NUM_SMS * MAX_TBS);
  tap.expect(have(0) == 1, "cap 1: %u blocks", have(0));
  cap(3);
  tap.expect(have(0) == 3, "cap 3: %u blocks", have(0));
  cap(2);
  tap.expect(have(0) == 3, "a lower cap takes blocks away: %u are left", have(0));
  unsigned tb = 0;
  while (!bench.ref.sm[0].tb[tb].used) tb++;
  for (unsigned n = 0; n < 2; n++) {
    while (!bench.ref.sm[0].tb[tb].used || bench.ref.sm[0].tb[tb].kernel != 0)
      tb = (tb + 1) % MAX_TBS;
    bench.in.retire[0] = static_cast<int>(tb);
    bench.cycles(3 * NUM_SMS * MAX_TBS);
    tap.expect(have(0) == 2, "cap 2, %u gone: %u blocks", n + 1, have(0));
  }
  // The other's share is half, of which what comes first to the SM is no concern.
  bench.write_ctx(1, true, true);
  bench.settle();
  bench.launch(1, {65535, 65535, 1}, AllocShape{1, 0});
  bench.cycles(3 * NUM_SMS * MAX_TBS);
  const unsigned share = std::min<unsigned>(MAX_TBS, WARPS_PER_SM / 2),
                 room = std::min<unsigned>(MAX_TBS, WARPS_PER_SM) - 2;
  tap.expect(have(1) == std::min(share, room), "the other has %u blocks of %u", have(1), share);
  cap(WARPS_PER_SM);
  const unsigned both = have(0) + have(1);
  tap.expect(both == std::min<unsigned>(MAX_TBS, WARPS_PER_SM) && have(0) == both - have(1),
             "a cap of all: %u and %u blocks", have(0), have(1));
  tap.done("R-TB-15: a slot has the blocks of its cap, those that are there stay");
}

// R-TB-10's example: blocks of two warps of two kernels, dispatched in turn to an SM of four
// sub-cores, have a pair each; when only those of the one end, with the pointer at the pair of the
// other, all of their places are used again.
void test_pairs(qsm_unit::Tap &tap) {
  const char *what = "R-TB-10: of two kernels with a pair of sub-cores each one keeps its blocks";
  if (NUM_SCHED != 4 || NUM_KERNELS < 2 || MAX_TBS < WARPS_PER_SM / 2)
    return tap.done("R-TB-10: a pair of sub-cores each # SKIP not four sub-cores, or few TB slots");
  Bench bench(tap);
  const SchedRef::Sm &sm = bench.ref.sm[0];
  const unsigned share = WARPS_PER_SM / 4;
  for (unsigned k = 0; k < 2; k++) {
    bench.write_mask(k, 1);
    bench.write_ctx(k, true, true);
  }
  for (unsigned k = 0; k < 2; k++) bench.launch(k, {65535, 1, 1}, AllocShape{2, 0});
  bench.settle();
  bench.cycles(6 * share + 4);
  tap.expect(sm.cnt[0] == share && sm.cnt[1] == share, "%u and %u blocks, must be %u", sm.cnt[0],
             sm.cnt[1], share);
  unsigned n_elsewhere = 0;  // dispatched not from `first` on
  for (unsigned n = 0; n < 3 * share && !tap.failed(); n++) {
    unsigned tb = n % MAX_TBS;
    while (!sm.tb[tb].used || sm.tb[tb].kernel != 0) tb = (tb + 1) % MAX_TBS;
    const unsigned gone = sm.tb[tb].first, pointer = sm.first;
    bench.in.retire[0] = static_cast<int>(tb);
    bench.cycle();
    for (unsigned c = 0; c < 4; c++) {
      bench.cycle();
      if (!bench.out.dispatch) continue;
      tap.expect(bench.out.kernel == 0 && bench.out.first == gone,
                 "block of kernel %u from sub-core %u on, must be 0 from %u on", bench.out.kernel,
                 bench.out.first, gone);
      n_elsewhere += bench.out.first != pointer;
    }
    tap.expect(sm.cnt[0] == share && sm.cnt[1] == share, "%u gone: %u and %u blocks, must be %u",
               n + 1, sm.cnt[0], sm.cnt[1], share);
  }
  tap.expect(n_elsewhere >= 3 * share - 1, "only %u blocks not at the pointer", n_elsewhere);
  tap.done(what);
}

// R-TB-18: all blocks of all SMs retire, one of each SM in a cycle.
void test_retire_turns(qsm_unit::Tap &tap) {
  Bench bench(tap);
  bench.write_ctx(0, true, false);
  bench.settle();
  bench.launch(0, {65535, 1, 1}, AllocShape{1, 0});
  bench.cycles(6 * NUM_SMS * MAX_TBS);
  bench.in.yield_write = 0;
  bench.cycle();
  bench.cycles(4);
  auto resident = [&] {
    std::vector<unsigned> n;
    for (unsigned i = 0; i < NUM_SMS; i++) n.push_back(bench.ref.sm[i].cnt[0]);
    return n;
  };
  const unsigned per_sm = resident()[0];
  unsigned last = NUM_SMS - 1;  // nothing has retired yet: SM 0 is the first
  for (unsigned n = 0; n < per_sm * NUM_SMS && !tap.failed(); n++) {
    for (unsigned i = 0; i < NUM_SMS && n < MAX_TBS; i++)
      if (bench.ref.runs(i, n)) bench.in.retire[i] = static_cast<int>(n);
    const std::vector<unsigned> before = resident();
    bench.cycle();
    const unsigned next = (last + 1) % NUM_SMS;
    for (unsigned i = 0; i < NUM_SMS; i++)
      tap.expect(before[i] - resident()[i] == (i == next), "cycle %u: SM %u has %u blocks, had %u",
                 n, i, resident()[i], before[i]);
    last = next;
  }
  tap.expect(per_sm > 0 && resident()[last] == 0, "%u blocks per SM, %u left", per_sm,
             resident()[last]);
  tap.done("R-TB-18: retirements are seen one in a cycle, SM by SM");
}

// Host and SMs at random: contexts, masks, caps, launches, kills, yields, walks, faults,
// retirements, epochs. With more SMs targets take longer to compute, so the host acts less often.
void random_cycle(Bench &bench, qsm_unit::Random &random, bool moves) {
  for (unsigned i = 0; i < NUM_SMS; i++) {
    const unsigned tb = random.below(MAX_TBS);
    if (random.one_in(6) && bench.ref.runs(i, tb)) bench.in.retire[i] = static_cast<int>(tb);
    if (random.one_in(200 * NUM_SMS)) bench.in.fault[i][random.below(NUM_KERNELS)] = true;
  }
  bench.in.snapshot = random.one_in(50);
  bench.in.latecomers = true;
  bench.in.epoch_done = !bench.in.snapshot && random.one_in(40);
  if (moves && random.one_in(30)) random_move(bench, random);
  if (random.one_in(60)) bench.in.apart[random.below(NUM_KERNELS)].flip();
  if (moves && random.one_in(80)) bench.in.closed = random.one_in(3);
  const unsigned k = random.below(NUM_KERNELS);
  const bool busy = bench.ref.slot[k].busy;
  switch (random.below(8 * NUM_SMS)) {
    case 0:
      if (!busy) return bench.write_ctx(k, !random.one_in(4), random.one_in(2));
      break;
    case 1:
      if (random.one_in(6)) return bench.write_mask(k, random.bits32() & kAllSms);
      if (random.one_in(3)) {  // what the control port lets through
        const unsigned cap = random.below(WARPS_PER_SM + 1);
        return bench.write_cap(k, busy && cap < bench.in.shape[k].warps ? 0 : cap);
      }
      break;
    case 2:
      if (busy && random.one_in(4)) bench.in.kill_write = static_cast<int>(k);
      if (busy && random.one_in(2)) bench.in.yield_write = static_cast<int>(k);
      if (!busy && random.one_in(2)) {
        const unsigned word = random.below(3);
        const uint32_t y = word == 0 ? random.below(4) << 16 : 0;
        return bench.write_walk(k, word, word == 2 ? random.bits32() : random.below(3) | y);
      }
      break;
    case 3:
    case 4:
      if (!busy && bench.in.ctx.valid[k]) {
        const unsigned cap = bench.in.ctx.cap[k] ? bench.in.ctx.cap[k] : WARPS_PER_SM;
        const AllocShape shape = {1 + random.below(cap), random.one_in(2) ? 0 : random.below(20)};
        std::array<unsigned, 3> grid = {1 + random.below(5), 1 + random.below(4),
                                        1 + random.below(3)};
        // the control port refuses a walk outside
        for (unsigned d = 0; d < 3; d++)
          grid[d] = std::max(grid[d], bench.ref.slot[k].block[d] + 1);
        return bench.launch(
            k, grid,
            random.one_in(2) && bench.in.shape[k].warps <= cap ? bench.in.shape[k] : shape);
      }
      break;
    default: break;
  }
  bench.cycle();
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  uint64_t n_dispatched = 0, n_ended = 0, n_killed = 0, n_yielded = 0, n_claims = 0, n_moves = 0,
           n_gated = 0, n_dropped[SchedOutput::kDrops] = {};
  // Longer, where something is rare.
  const auto seen = [&](unsigned why) {
    return n_dropped[why] > 5 || (why == SchedOutput::kDecision && NUM_KERNELS == 1);
  };
  const auto all_seen = [&] {
    for (unsigned why = SchedOutput::kClosed; why < SchedOutput::kDrops; why++)
      if (!seen(why)) return false;
    return true;
  };
  for (unsigned round = 0; (round < 10 || (round < 50 && !all_seen())) && !tap.failed(); round++) {
    Bench bench(tap);
    for (unsigned c = 0; c < 10000 && !tap.failed(); c++) {
      random_cycle(bench, random, round % 2 == 1);
      n_gated += bench.out.owner.gate.size();
      n_dispatched += bench.out.dispatch;
      n_dropped[bench.out.drop]++;
      n_claims += bench.out.adjust.tried;
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        n_ended += bench.out.ended[k];
        n_yielded += bench.out.ended[k] && bench.ref.slot[k].yielded;
        n_killed += bench.out.kill[k];
      }
    }
    n_moves += bench.ref.owner.moves;
  }
  tap.expect(n_moves > 200 && n_gated > 10, "only %llu moves, %llu gated",
             static_cast<unsigned long long>(n_moves), static_cast<unsigned long long>(n_gated));
  tap.expect(n_yielded > 30, "only %llu yielded", static_cast<unsigned long long>(n_yielded));
  tap.expect(n_dispatched > 1000 && n_ended > 100 && n_killed > 50,
             "the test did too little: %llu dispatched, %llu ended, %llu killed",
             static_cast<unsigned long long>(n_dispatched),
             static_cast<unsigned long long>(n_ended), static_cast<unsigned long long>(n_killed));
  for (unsigned why = SchedOutput::kClosed; why < SchedOutput::kDrops; why++) {
    std::printf("# dropped, reason %u: %llu\n", why,
                static_cast<unsigned long long>(n_dropped[why]));
    tap.expect(seen(why), "only %llu candidates dropped for reason %u",
               static_cast<unsigned long long>(n_dropped[why]), why);
  }
  if (NUM_KERNELS > 1 && NUM_SMS < 16)
    tap.expect(n_claims > 20, "only %llu claims", static_cast<unsigned long long>(n_claims));
  std::printf(
      "# %llu dispatched, %llu launches ended, %llu killed, %llu yielded, %llu claims, %llu moves, "
      "%llu gated\n",
      static_cast<unsigned long long>(n_dispatched), static_cast<unsigned long long>(n_ended),
      static_cast<unsigned long long>(n_killed), static_cast<unsigned long long>(n_yielded),
      static_cast<unsigned long long>(n_claims), static_cast<unsigned long long>(n_moves),
      static_cast<unsigned long long>(n_gated));
  tap.done(
      "R-TB-15 to R-TB-17: random launches, caps and yields: every register and message in every cycle");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_tb_sched");
  qsm_unit::Tap tap(8);
  qsm_unit::begin_with_anything();
  test_times_of_a_launch(tap);
  test_kill(tap);
  test_yield(tap);
  test_latecomer(tap);
  test_cap(tap);
  test_pairs(tap);
  test_retire_turns(tap);
  test_random(tap, random);
  return tap.exit_code();
}
