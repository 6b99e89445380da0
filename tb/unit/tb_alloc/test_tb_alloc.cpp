// SPDX-License-Identifier: Apache-2.0
// Thread-block targets (qsm_tb_alloc) against alloc_ref.h: values, and the cycle in which each
// appears.
#include "Vqsm_tb_alloc.h"

#include "../common/qsm_unit.h"
#include "alloc_ref.h"

using qsm_unit::get;
using qsm_unit::noise;
using qsm_unit::set;

namespace {

const AllocParams kParams = {NUM_SMS, NUM_KERNELS, WARPS_PER_SM, MAX_TBS};

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : ref(kParams), tap_(tap) {
    ctx.valid.assign(NUM_KERNELS, false);
    ctx.qos.assign(NUM_KERNELS, false);
    ctx.busy.assign(NUM_KERNELS, false);
    ctx.cap.assign(NUM_KERNELS, 0);
    ctx.mask.assign(NUM_KERNELS, (uint64_t{1} << NUM_SMS) - 1);
    ctx.sm.resize(NUM_SMS);
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  // One cycle in which the contexts become `next` (a write, if they differ) or a slot is launched;
  // with `snapshot` set, E.
  void cycle(const AllocContexts &next, int launch = -1, AllocShape launched = AllocShape{}) {
    bool change = false;
    int arrival = -1;
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      change = change || next.valid[k] != ctx.valid[k] || next.qos[k] != ctx.qos[k] ||
               (ctx.valid[k] && (next.mask[k] != ctx.mask[k] || next.cap[k] != ctx.cap[k]));
      if (next.valid[k] && !ctx.valid[k]) arrival = static_cast<int>(k);
    }
    drive(launch, launched, arrival, change);
    top.eval();
    compare();
    adjust();
    ref.step(ctx, launch, launched, arrival, change, snapshot, ask);
    clock();
    snapshot = false;
    ask.clear();
    ctx = next;
    n_cycles++;
  }

  void settle() {
    for (unsigned c = 0; c < 100000 && ref.busy(); c++) cycle(ctx);
  }

  // In the next cycle: a new target of one slot that is higher, of another that is lower; -1: none.
  void adjust_next(unsigned sm, int raise, int lower) {
    sm_ = sm;
    raise_ = raise;
    lower_ = lower;
  }

  bool takes_part(unsigned k) const {
    for (unsigned i = 0; i < NUM_SMS; i++) {
      if (get(top.target_o, i * NUM_KERNELS + k, 6) != 0) return true;
    }
    return false;
  }

  Vqsm_tb_alloc top;
  bool snapshot = false;
  std::set<unsigned> ask;  // in the next cycle
  AllocContexts ctx;
  AllocRef ref;
  uint64_t n_cycles = 0;

 private:
  void drive(int launch, AllocShape launched, int arrival, bool change) {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const bool now = static_cast<int>(k) == launch;
      set(top.valid_i, k, 1, ctx.valid[k]);
      set(top.qos_i, k, 1, ctx.valid[k] && ctx.qos[k]);
      set(top.mask_i, k, NUM_SMS, ctx.mask[k]);
      set(top.busy_i, k, 1, ctx.busy[k]);
      set(top.cap_i, k, 7, ctx.cap[k]);
      set(top.launch_i, k, 1, now);
      set(top.warps_i, k, 7, now ? launched.warps : 1 + noise(WARPS_PER_SM));
      set(top.granules_i, k, 6, now ? launched.granules : noise(33));
      set(top.arrival_i, k, 1, static_cast<int>(k) == arrival);
      set(top.raise_i, k, 1, static_cast<int>(k) == raise_);
      set(top.lower_i, k, 1, static_cast<int>(k) == lower_);
    }
    for (unsigned i = 0; i < NUM_SMS; i++) {
      set(top.use_i, i, 2, ctx.sm[i].use);
      set(top.owner_i, i, qsm_unit::index_bits(NUM_KERNELS), ctx.sm[i].owner);
      set(top.moving_i, i, 1, ctx.sm[i].moving);
      set(top.ask_i, i, 1, ask.count(i));
    }
    top.change_i = change;
    top.snapshot_i = snapshot;
    top.sm_i = static_cast<uint8_t>(sm_);
    top.raised_i = static_cast<uint8_t>(noise(MAX_TBS + 1));
    top.lowered_i = static_cast<uint8_t>(noise(MAX_TBS + 1));
  }

  void adjust() {
    if (raise_ >= 0) ref.adjust(sm_, static_cast<unsigned>(raise_), top.raised_i);
    if (lower_ >= 0) ref.adjust(sm_, static_cast<unsigned>(lower_), top.lowered_i);
    adjust_next(0, -1, -1);
  }

  void compare() {
    tap_.expect(top.busy_o == ref.busy(), "cycle %llu: busy is %d",
                static_cast<unsigned long long>(n_cycles), top.busy_o);
    tap_.expect(top.all_o == ref.starts_all(), "cycle %llu: a run over all SMs starts is %d",
                static_cast<unsigned long long>(n_cycles), top.all_o);
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      tap_.expect(get(top.part_o, k, 1) == (ctx.valid[k] && ref.active[k]),
                  "cycle %llu: slot %u takes part is %llu",
                  static_cast<unsigned long long>(n_cycles), k,
                  static_cast<unsigned long long>(get(top.part_o, k, 1)));
    }
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const bool writes = ref.writes(i);
      tap_.expect(get(top.we_o, i, 1) == writes,
                  "cycle %llu: targets of SM %u are written is not %d",
                  static_cast<unsigned long long>(n_cycles), i, writes);
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        const uint64_t seen = get(top.target_o, i * NUM_KERNELS + k, 6);
        tap_.expect(seen == ref.target[i][k],
                    "cycle %llu: target of slot %u on SM %u is %llu, must be %u",
                    static_cast<unsigned long long>(n_cycles), k, i,
                    static_cast<unsigned long long>(seen), ref.target[i][k]);
      }
    }
  }

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
  unsigned sm_ = 0;
  int raise_ = -1, lower_ = -1;
};

AllocContexts with(AllocContexts ctx, unsigned k, bool valid, bool qos) {
  ctx.valid[k] = valid;
  ctx.qos[k] = qos;
  return ctx;
}

// One slot alone gets all warps, up to the TB slots; when it leaves, another has them.
void test_arrival_and_leave(qsm_unit::Tap &tap) {
  const unsigned all = std::min<unsigned>(MAX_TBS, WARPS_PER_SM), last = NUM_KERNELS - 1;
  Bench bench(tap);
  bench.cycle(with(bench.ctx, 0, true, true));
  bench.settle();
  tap.expect(get(bench.top.target_o, 0, 6) == all, "a slot alone must have all of SM 0");
  bench.cycle(with(bench.ctx, 0, false, false));
  bench.cycle(with(bench.ctx, last, true, false));
  bench.settle();
  for (unsigned i = 0; i < NUM_SMS; i++) {
    tap.expect(get(bench.top.target_o, i * NUM_KERNELS + last, 6) == all,
               "the other slot must have all of SM %u", i);
    tap.expect(last == 0 || get(bench.top.target_o, i * NUM_KERNELS, 6) == 0,
               "an invalid slot keeps a target on SM %u", i);
  }
  tap.done("arrival and leaving of a context give and take targets");
}

// Two QoS slots share evenly; floor(i * M / NumSms) picks the one non-QoS slot that SM i serves.
void test_shares(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 3 || NUM_SMS < 2) return tap.done("shares # SKIP fewer than 3 slots or 2 SMs");
  Bench bench(tap);
  const AllocShape half = {std::max(1u, WARPS_PER_SM / 2u), 0};
  for (unsigned k = 0; k < 3; k++) bench.cycle(with(bench.ctx, k, true, k == 0));
  for (unsigned k = 0; k < 3; k++) bench.cycle(bench.ctx, static_cast<int>(k), half);
  bench.settle();
  const unsigned slot_1 = 1, slot_2 = (NUM_SMS - 1) * NUM_KERNELS + 2;
  for (unsigned i = 0; i < NUM_SMS; i++)
    tap.expect(get(bench.top.target_o, i * NUM_KERNELS, 6) == 1, "the QoS slot misses SM %u", i);
  tap.expect(get(bench.top.target_o, slot_1, 6) == 1 && get(bench.top.target_o, 2, 6) == 0,
             "SM 0 must serve slot 1 only");
  tap.expect(get(bench.top.target_o, slot_2, 6) == 1 && get(bench.top.target_o, slot_2 - 1, 6) == 0,
             "the last SM must serve slot 2 only");
  tap.done("QoS slots are on every SM, each SM serves one non-QoS slot");
}

// Blocks too large for both slots: of equals the higher slot yields, down to nothing.
void test_reduction(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2) return tap.done("reduction # SKIP one slot");
  Bench bench(tap);
  bench.cycle(with(bench.ctx, 0, true, true));
  bench.cycle(with(bench.ctx, 1, true, true));
  bench.cycle(bench.ctx, 0, AllocShape{WARPS_PER_SM, 32});
  bench.cycle(bench.ctx, 1, AllocShape{WARPS_PER_SM, 32});
  bench.settle();
  for (unsigned i = 0; i < NUM_SMS; i++) {
    tap.expect(get(bench.top.target_o, i * NUM_KERNELS, 6) == 1 &&
                   get(bench.top.target_o, i * NUM_KERNELS + 1, 6) == 0,
               "SM %u: the lower slot must have 1, the higher 0", i);
  }
  tap.done("what does not fit is taken from the highest of equal slots");
}

// One-warp blocks of two slots where the TB slots are short: half each.
void test_even_reduction(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2 || WARPS_PER_SM / 2 + WARPS_PER_SM / 2 <= MAX_TBS)
    return tap.done("even reduction # SKIP TB slots are not short");
  Bench bench(tap);
  bench.cycle(with(bench.ctx, 0, true, true));
  bench.cycle(with(bench.ctx, 1, true, true));
  bench.settle();
  const uint64_t lower = get(bench.top.target_o, 0, 6), higher = get(bench.top.target_o, 1, 6);
  tap.expect(lower + higher == MAX_TBS && lower - higher <= 1,
             "targets %llu and %llu of %u TB slots", static_cast<unsigned long long>(lower),
             static_cast<unsigned long long>(higher), static_cast<unsigned>(MAX_TBS));
  tap.done("equal slots keep equal targets when TB slots are short");
}

// R-TB-14: who was not busy in a whole epoch has no targets; an arrival or a launch gives them
// back, in E too.
void test_idle_contexts(qsm_unit::Tap &tap) {
  if (NUM_KERNELS < 2) return tap.done("idle contexts # SKIP one slot");
  Bench bench(tap);
  auto wants = [&](const char *what, bool first, bool second) {
    bench.settle();
    tap.expect(bench.takes_part(0) == first && bench.takes_part(1) == second, "%s: %d %d", what,
               bench.takes_part(0), bench.takes_part(1));
  };
  auto end_epoch = [&](int launch = -1) {
    bench.snapshot = true;
    bench.cycle(bench.ctx, launch);
  };
  auto busy = [&](unsigned k, bool now) {
    AllocContexts next = bench.ctx;
    next.busy[k] = now;
    bench.cycle(next);
  };
  bench.cycle(with(bench.ctx, 0, true, true));
  bench.cycle(bench.ctx, 0);
  busy(0, true);
  bench.settle();
  bench.snapshot = true;
  bench.cycle(with(bench.ctx, 1, true, true));  // arrival in E
  wants("arrival in E", true, true);
  end_epoch();
  wants("the epoch of its arrival ends", true, true);
  end_epoch();
  wants("an epoch without a launch", true, false);
  const unsigned alone = static_cast<unsigned>(get(bench.top.target_o, 0, 6));
  tap.expect(alone == std::min<unsigned>(MAX_TBS, WARPS_PER_SM), "slot 0 alone has %u", alone);
  end_epoch(1);  // launch in E, shape as ever
  AllocContexts next = bench.ctx;
  next.busy[1] = true;
  bench.cycle(next);
  wants("launch in E", true, true);
  end_epoch();
  wants("busy", true, true);
  busy(1, false);
  end_epoch();
  wants("the epoch in which it ended", true, true);
  bench.cycle(bench.ctx);
  end_epoch();
  wants("idle", true, false);
  bench.cycle(bench.ctx, 1);
  wants("launch", true, true);
  end_epoch();
  wants("the epoch of its launch", true, true);
  tap.done(
      "a context that launches nothing has no targets after a whole epoch, and gets them back");
}

// R-SO-2, R-SO-8: an owned SM is its owner's, a free one and one that moves is nobody's; a request
// for one SM leaves the targets of the others as the adjuster made them.
void test_owners(qsm_unit::Tap &tap) {
  Bench bench(tap);
  const unsigned all = std::min<unsigned>(MAX_TBS, WARPS_PER_SM), last = NUM_SMS - 1,
                 owner = NUM_KERNELS - 1;
  auto on = [&](unsigned i, unsigned k) {
    return static_cast<unsigned>(get(bench.top.target_o, i * NUM_KERNELS + k, 6));
  };
  auto ask = [&](unsigned i, AllocUse use) {
    AllocContexts next = bench.ctx;
    next.sm[i] = use;
    bench.cycle(next);
    bench.ask.insert(i);
    bench.cycle(bench.ctx);
    bench.settle();
  };
  for (unsigned k = 0; k < NUM_KERNELS; k++) bench.cycle(with(bench.ctx, k, true, k == 0));
  AllocContexts next = bench.ctx;
  next.mask[owner] = 0;
  bench.cycle(next);
  bench.settle();
  bench.adjust_next(0, 0, -1);
  bench.cycle(bench.ctx);
  const unsigned kept = bench.ref.target[0][0];
  ask(last, AllocUse{QSM_USE_OWNED, owner, false});
  tap.expect(on(last, owner) == all, "the owner has %u on its SM", on(last, owner));
  for (unsigned k = 0; k < owner; k++) tap.expect(on(last, k) == 0, "slot %u has an owned SM", k);
  tap.expect(last == 0 || on(0, 0) == kept, "SM 0 has lost its adjustment");
  ask(last, AllocUse{QSM_USE_FREE, 0, false});
  for (unsigned k = 0; k <= owner; k++) tap.expect(on(last, k) == 0, "slot %u has a free SM", k);
  ask(last, AllocUse{QSM_USE_SHARED, 0, true});
  for (unsigned k = 0; k <= owner; k++) tap.expect(on(last, k) == 0, "slot %u: it moves", k);
  ask(last, AllocUse{});
  tap.expect(NUM_KERNELS == 1 || on(last, 0) != 0, "SM %u is shared again", last);
  tap.done("R-SO-2, R-SO-8: an owned SM is its owner's alone, others keep their targets");
}

// R-TB-15: a cap gives its slot that many warps of an SM, in whole blocks, whatever the others
// have; and these have what they would have beside it without one.
void test_caps(qsm_unit::Tap &tap) {
  Bench bench(tap);
  const unsigned last = NUM_KERNELS - 1;
  auto on = [&](unsigned i, unsigned k) {
    return static_cast<unsigned>(get(bench.top.target_o, i * NUM_KERNELS + k, 6));
  };
  auto cap = [&](unsigned k, unsigned warps) {
    AllocContexts next = bench.ctx;
    next.cap[k] = warps;
    bench.cycle(next);
    bench.settle();
  };
  for (unsigned k = 0; k < NUM_KERNELS; k++) bench.cycle(with(bench.ctx, k, true, true));
  bench.settle();
  const std::vector<unsigned> before = bench.ref.target[0];
  for (unsigned warps = 1; warps <= WARPS_PER_SM; warps++) {
    cap(last, warps);
    for (unsigned i = 0; i < NUM_SMS; i++)
      tap.expect(on(i, last) == std::min<unsigned>(MAX_TBS, warps), "SM %u: cap %u gives %u", i,
                 warps, on(i, last));
  }
  // without the capped one in the sums, others lose no TB to it
  for (unsigned k = 0; k < last; k++)
    tap.expect(on(0, k) >= before[k], "slot %u has %u beside a cap, %u without", k, on(0, k),
               before[k]);
  cap(last, 0);
  for (unsigned k = 0; k <= last; k++)
    tap.expect(on(0, k) == before[k], "slot %u has %u without caps again", k, on(0, k));
  for (unsigned k = 0; k <= last; k++) cap(k, WARPS_PER_SM);
  for (unsigned k = 0; k <= last; k++)
    tap.expect(on(0, k) == std::min<unsigned>(MAX_TBS, WARPS_PER_SM),
               "slot %u of those that may have all has %u", k, on(0, k));
  bench.cycle(bench.ctx, 0, AllocShape{WARPS_PER_SM, 32});
  bench.settle();
  tap.expect(on(0, 0) == 1, "one block as large as the cap: %u", on(0, 0));
  cap(0, WARPS_PER_SM - 1);
  tap.expect(on(0, 0) == (WARPS_PER_SM == 1), "a block larger than the cap: %u", on(0, 0));
  tap.done("R-TB-15: a capped slot has its cap in whole blocks, and nobody yields to it");
}

// Another use of an SM at random, and requests for one SM.
void random_use(Bench &bench, AllocContexts &next, qsm_unit::Random &random) {
  const unsigned i = random.below(NUM_SMS);
  if (random.one_in(40))
    next.sm[i] =
        AllocUse{random.below(QSM_SM_USE_COUNT), random.below(NUM_KERNELS), random.one_in(4)};
  if (random.one_in(50)) bench.ask.insert(random.below(NUM_SMS));
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  for (unsigned round = 0; round < 40 && !tap.failed(); round++) {
    Bench bench(tap);
    for (unsigned c = 0; c < 2000 && !tap.failed(); c++) {
      AllocContexts next = bench.ctx;
      const unsigned k = random.below(NUM_KERNELS);
      const unsigned what = random.below(60);
      bench.snapshot = random.one_in(60);
      if (random.one_in(100)) next.busy[k] = false;
      if (round % 2 == 0) random_use(bench, next, random);
      int launch = -1;
      AllocShape shape;
      if (what == 0) next = with(next, k, random.one_in(2), random.one_in(2));
      if (what == 1) next.mask[k] = random.bits32() & ((uint64_t{1} << NUM_SMS) - 1);
      if (what == 3) next.cap[k] = random.one_in(3) ? 0 : random.below(WARPS_PER_SM + 1);
      if (what == 2) {
        launch = static_cast<int>(k);
        shape = {1 + random.below(WARPS_PER_SM), random.one_in(2) ? 0 : random.below(33)};
        next.busy[k] = random.one_in(2);
      }
      if (!bench.ref.busy() && random.one_in(4)) {
        const unsigned lower = random.below(NUM_KERNELS + 1);
        bench.adjust_next(random.below(NUM_SMS), static_cast<int>(k),
                          lower == k || lower == NUM_KERNELS ? -1 : static_cast<int>(lower));
      }
      bench.cycle(next, launch, shape);
    }
    bench.settle();
  }
  tap.done(
      "R-TB-15: random contexts, masks, caps, launches, epochs, adjustments: targets in their cycle");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_tb_alloc");
  qsm_unit::Tap tap(8);
  qsm_unit::begin_with_anything();
  test_arrival_and_leave(tap);
  test_shares(tap);
  test_reduction(tap);
  test_even_reduction(tap);
  test_idle_contexts(tap);
  test_owners(tap);
  test_caps(tap);
  test_random(tap, random);
  return tap.exit_code();
}
