// SPDX-License-Identifier: Apache-2.0
// SM ownership (qsm_sm_owner) against owner_ref.h in every cycle: directed scenarios, then random
// requests while blocks come and go, contexts end and SMs answer.
#include "Vbench_sm_owner.h"

#include "../common/qsm_unit.h"
#include "owner_ref.h"

using qsm_unit::get;
using qsm_unit::noise;
using qsm_unit::set;

namespace {

const OwnerParams kParams = {NUM_SMS, NUM_KERNELS, GATING != 0};
const unsigned kKernelW = qsm_unit::index_bits(NUM_KERNELS), kSmW = qsm_unit::index_bits(NUM_SMS);
const unsigned kLast = NUM_SMS - 1, kOther = NUM_KERNELS - 1;
using ull = unsigned long long;

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : ref(kParams), tap_(tap) {
    in.valid.assign(NUM_KERNELS, true);
    in.mask.assign(NUM_KERNELS, std::vector<bool>(NUM_SMS, true));
    in.apart.assign(NUM_KERNELS, false);
    in.cnt.assign(NUM_SMS, std::vector<unsigned>(NUM_KERNELS, 0));
    end_cycle();
    top.poke_i = 0;
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  void cycle() {
    drive();
    asked_ = !asked_ && noise(2) == 1;
    top.count_ask_i = asked_;
    top.count_which_i = static_cast<uint8_t>(asked_ ? noise(5 + NUM_KERNELS) : 0);
    top.eval();
    compare_registers();
    out = ref.step(in);
    compare_decisions();
    clock();
    end_cycle();
    n_cycles++;
  }
  void cycles(unsigned n) {
    for (unsigned c = 0; c < n; c++) cycle();
  }
  void request(unsigned i, unsigned use, unsigned owner) {
    in.request = true;
    in.request_sm = i;
    in.request_use = use;
    in.request_owner = owner;
    cycle();
  }
  void epoch() {
    in.snapshot = true;
    cycle();
    cycles(3);
    in.epoch_done = true;
    cycle();
  }
  // All counters have this value from the next cycle on.
  void poke(uint64_t value) {
    top.poke_i = 1;
    top.poke_value_i = value;
    top.clk_i = 0;
    top.eval();
    top.poke_i = 0;
    ref.count_from(value);
  }
  // A free SM that is gated, or would be.
  void gate(unsigned i) {
    request(i, QSM_USE_FREE, 0);
    cycle();
    in.gating = true;
    epoch();
  }

  Vbench_sm_owner top;
  OwnerInput in;
  OwnerOutput out;
  OwnerRef ref;
  uint64_t n_cycles = 0;

 private:
  void end_cycle() {
    in.request = in.snapshot = in.epoch_done = false;
    in.refused.assign(NUM_SMS, std::vector<bool>(NUM_KERNELS, false));
    in.off.assign(NUM_SMS, false);
    in.on.assign(NUM_SMS, false);
  }

  void drive() {
    top.request_i = in.request;
    set(top.request_sm_i, 0, kSmW, in.request ? in.request_sm : noise(NUM_SMS));
    top.request_use_i = static_cast<uint8_t>(in.request ? in.request_use : noise(3));
    set(top.request_owner_i, 0, kKernelW, in.request ? in.request_owner : noise(NUM_KERNELS));
    top.technique_i = static_cast<uint8_t>(in.technique);
    top.gating_i = in.gating;
    top.closed_i = in.closed;
    top.snapshot_i = in.snapshot;
    top.epoch_done_i = in.epoch_done;
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      set(top.valid_i, k, 1, in.valid[k]);
      set(top.apart_i, k, 1, in.apart[k]);
      for (unsigned i = 0; i < NUM_SMS; i++) set(top.mask_i, k * NUM_SMS + i, 1, in.mask[k][i]);
    }
    for (unsigned i = 0; i < NUM_SMS; i++) {
      set(top.off_i, i, 1, in.off[i]);
      set(top.on_i, i, 1, in.on[i]);
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        set(top.cnt_i, i * NUM_KERNELS + k, 6, in.cnt[i][k]);
        set(top.refused_i, i * NUM_KERNELS + k, 1, in.refused[i][k]);
      }
    }
  }

  void same(const char *what, unsigned index, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s[%u] is %llu, must be %llu", ull{n_cycles}, what,
                index, ull{seen}, ull{wanted});
  }

  void compare_registers() {
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const OwnerRef::Sm &s = ref.sm[i];
      same("use", i, get(top.use_o, i, 2), s.use);
      same("owner", i, get(top.owner_o, i, kKernelW), s.owner);
      same("moving", i, get(top.moving_o, i, 1), s.moving);
      same("next_use", i, get(top.next_use_o, i, 2), s.next_use);
      same("next_owner", i, get(top.next_owner_o, i, kKernelW), s.next_owner);
      same("power", i, get(top.power_o, i, 2), s.power);
      same("rested", i, get(top.rested_o, i, 1), s.rested);
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        const unsigned at = i * NUM_KERNELS + k;
        same("refused", at, get(top.refused_o, at, 1), s.refused.count(k));
        same("may", at, get(top.may_o, k * NUM_SMS + i, 1), ref.may(in, k, i));
        same("evict", at, get(top.evict_o, at, 1), ref.move_flag(in, i, k));
      }
    }
    same("moves", 0, top.moves_o, ref.moves);
    same("move_cycles", 0, top.move_cycles_o, ref.move_cycles);
    same("gated_cycles", 0, top.gated_cycles_o, ref.gated_cycles);
    same("shared_cycles", 0, top.shared_cycles_o, ref.shared_cycles);
    same("wakes", 0, top.wakes_o, ref.wakes);
    for (unsigned k = 0; k < NUM_KERNELS; k++)
      same("owned_cycles", k, get(top.owned_cycles_o, k, 48), ref.owned_cycles[k]);
    // asked for in the cycle before, shown now
    if (shown_) same("counter", which_, top.count_o & bits_, value_);
    shown_ = asked_;
    if (!asked_) return;
    which_ = top.count_which_i;
    const uint64_t first[] = {ref.moves, ref.wakes, ref.move_cycles, ref.gated_cycles,
                              ref.shared_cycles};
    // of two the block keeps 48 bits, of which the registers have 32
    bits_ = which_ < 2 ? 0xffffffff : (uint64_t{1} << 48) - 1;
    value_ = which_ < 5 ? first[which_] : ref.owned_cycles[which_ - 5];
  }

  void compare_decisions() {
    for (unsigned i = 0; i < NUM_SMS; i++) {
      same("gate", i, get(top.gate_o, i, 1), out.gate.count(i));
      same("wake", i, get(top.wake_o, i, 1), out.wake.count(i));
      same("ask", i, get(top.ask_o, i, 1), out.ask.count(i));
    }
  }

  bool asked_ = false;  // for a counter in this cycle
  bool shown_ = false;  // for this one in the cycle before, which had this value
  unsigned which_ = 0;
  uint64_t value_ = 0, bits_ = 0;

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
};

// The figure of the page: kernel 0 owns the SM, kernel 1 gets it when the last block has gone.
void test_drain(qsm_unit::Tap &tap) {
  Bench bench(tap);
  const auto &sm = bench.ref.sm[kLast];
  bench.request(kLast, QSM_USE_OWNED, 0);
  bench.cycle();
  tap.expect(sm.use == QSM_USE_OWNED && !sm.moving && bench.ref.moves == 1,
             "an empty SM must be owned two cycles after the request");
  bench.in.mask[0].assign(NUM_SMS, false);
  tap.expect(bench.ref.may(bench.in, 0, kLast), "R-SO-2: the mask keeps out the owner");
  bench.in.cnt[kLast][0] = 32;
  bench.request(kLast, QSM_USE_OWNED, kOther);
  if (kOther == 0) {
    bench.cycle();
    tap.expect(!sm.moving, "R-SO-3: blocks of the new owner keep it waiting");
    return tap.done("a move by drain # blocks of the owner stay");
  }
  for (unsigned c = 0; c < 5; c++) {
    tap.expect(sm.moving && sm.owner == 0 && !bench.ref.may(bench.in, 0, kLast),
               "it must wait, and nobody may go there");
    tap.expect(get(bench.top.evict_o, kLast * NUM_KERNELS, 1) == 0, "drain evicts");
    bench.cycle();
  }
  bench.in.cnt[kLast][0] = 0;  // r + 1
  bench.cycle();
  tap.expect(!sm.moving && sm.owner == kOther && bench.out.ask.count(kLast) &&
                 bench.ref.move_cycles == 1 + 5 + 1,
             "R-SO-4: the move must end in r + 1, with a request for this SM's targets");
  tap.done("a move by drain ends in the cycle after the last block was seen to retire");
}

// R-SO-5: flags, their technique at every time, a refusal.
void test_evict(qsm_unit::Tap &tap) {
  Bench bench(tap);
  const unsigned at = kLast * NUM_KERNELS;
  auto flag = [&](unsigned k) { return get(bench.top.evict_o, at + k, 1) != 0; };
  bench.in.technique = QSM_TECHNIQUE_SWITCH;
  bench.in.cnt[kLast].assign(NUM_KERNELS, 1);
  bench.cycle();
  tap.expect(!flag(0), "an SM that does not move evicts");
  bench.request(kLast, QSM_USE_FREE, kOther);
  bench.cycle();
  for (unsigned k = 0; k < NUM_KERNELS; k++) tap.expect(flag(k), "slot %u need not leave", k);
  bench.in.technique = QSM_TECHNIQUE_DRAIN;
  bench.cycle();
  tap.expect(!flag(0), "MOVE_TECHNIQUE was changed to drain");
  bench.in.technique = QSM_TECHNIQUE_FLUSH;
  bench.cycle();
  tap.expect(flag(0), "MOVE_TECHNIQUE was changed to flush");
  bench.in.refused[kLast][0] = true;
  bench.cycle();
  tap.expect(!flag(0), "what was refused drains");
  bench.request(kLast, QSM_USE_OWNED, kOther);
  bench.cycle();
  tap.expect(flag(0) == (kOther != 0) && !flag(kOther),
             "a new destination: all but its owner leave, refusals are forgotten");
  bench.request(kLast, QSM_USE_SHARED, 0);
  bench.cycle();
  tap.expect(!flag(0) && !bench.ref.sm[kLast].moving, "on an SM that becomes shared all stay");
  tap.done("R-SO-3, R-SO-5: blocks that must leave have move flags, until they are refused");
}

// R-SO-10: who leaves, leaves no SM behind.
void test_end_of_a_context(qsm_unit::Tap &tap) {
  Bench bench(tap);
  const auto &sm = bench.ref.sm[kLast];
  bench.request(kLast, QSM_USE_OWNED, kOther);
  bench.cycle();
  bench.in.cnt[kLast][0] = 1;
  bench.in.valid[kOther] = false;
  bench.cycle();
  tap.expect(sm.use == QSM_USE_SHARED && sm.owner == 0 && bench.out.ask.count(kLast) &&
                 bench.ref.moves == 1,
             "an owner that leaves gives its SM to all at once, and that is no move");
  bench.request(kLast, QSM_USE_OWNED, kOther);
  bench.cycle();
  tap.expect(sm.moving && sm.next_use == QSM_USE_SHARED && sm.next_owner == 0,
             "a destination that leaves becomes shared");
  bench.cycle();
  tap.expect(!sm.moving && sm.use == QSM_USE_SHARED && bench.ref.moves == 2, "the move must end");
  tap.done("R-SO-10: SMs of a context that ends are shared");
}

// R-SO-6, R-SO-7: gated after a whole epoch only, woken for use only.
void test_power(qsm_unit::Tap &tap) {
  if (!kParams.gating) {
    Bench bench(tap);
    bench.gate(kLast);
    bench.epoch();
    tap.expect(bench.ref.sm[kLast].power == QSM_POWER_ON, "power is always on");
    return tap.done("power # not built, always on");
  }
  Bench bench(tap);
  const auto &sm = bench.ref.sm[kLast];
  bench.in.gating = true;
  bench.request(kLast, QSM_USE_FREE, 0);
  bench.cycle();
  bench.in.epoch_done = true;
  bench.cycle();
  tap.expect(sm.power == QSM_POWER_ON, "gated before the end of a whole epoch");
  bench.in.snapshot = true;
  bench.cycle();
  bench.in.gating = false;
  bench.in.epoch_done = true;
  bench.cycle();
  tap.expect(sm.power == QSM_POWER_ON, "gated with SM_GATING = 0");
  bench.in.gating = true;
  bench.in.epoch_done = true;
  bench.cycle();
  tap.expect(sm.power == QSM_POWER_STOPPING && bench.out.gate.count(kLast), "not gated");
  bench.request(kLast, QSM_USE_OWNED, 0);
  bench.cycles(5);
  tap.expect(sm.moving && sm.power == QSM_POWER_STOPPING, "used while it stops");
  bench.in.off[kLast] = true;
  bench.cycle();
  bench.cycle();
  tap.expect(sm.power == QSM_POWER_WAKING && bench.out.wake.count(kLast), "not woken at once");
  tap.expect(bench.ref.gated_cycles == 1, "gated for %llu cycles", ull{bench.ref.gated_cycles});
  bench.cycles(5);
  tap.expect(sm.moving, "used before it is on");
  bench.in.on[kLast] = true;
  bench.cycle();
  bench.cycle();
  tap.expect(!sm.moving && sm.use == QSM_USE_OWNED, "not used though it is on");
  bench.gate(kLast);
  bench.in.off[kLast] = true;
  bench.cycle();
  bench.request(kLast, QSM_USE_FREE, 0);
  bench.cycles(3);
  tap.expect(!sm.moving && sm.power == QSM_POWER_OFF, "a move to free wakes it");
  tap.done("R-SO-6, R-SO-7: gated after an epoch without use, woken before the next use");
}

// R-SO-11: every counter goes from its greatest value to 0, in what the other tests have in part.
void test_counters(qsm_unit::Tap &tap) {
  Bench bench(tap);
  bench.poke(~uint64_t{0});
  bench.cycles(2);
  bench.in.cnt[0][0] = 1;
  bench.cycle();
  tap.expect(bench.ref.shared_cycles == 0 && bench.ref.moves == 0xffffffff,
             "a shared SM with a block");
  bench.in.cnt[0][0] = 0;
  for (unsigned k = 0; k < NUM_KERNELS; k++) {
    bench.request(kLast, QSM_USE_OWNED, k);
    bench.cycles(2);
  }
  bench.gate(kLast);
  if (kParams.gating) {
    bench.in.off[kLast] = true;
    bench.cycles(2);
    bench.request(kLast, QSM_USE_OWNED, 0);
    bench.cycles(2);
    bench.in.on[kLast] = true;
    bench.cycles(3);
  }
  const uint64_t most = 1000;
  tap.expect(bench.ref.moves < most && bench.ref.move_cycles < most, "moves do not wrap");
  for (unsigned k = 0; k < NUM_KERNELS; k++)
    tap.expect(bench.ref.owned_cycles[k] < most, "cycles of owner %u do not wrap", k);
  if (kParams.gating)
    tap.expect(bench.ref.wakes == 0 && bench.ref.gated_cycles < most, "power does not wrap");
  tap.done("R-SO-11: counters have 32 and 48 bits and wrap");
}

struct Counts {
  uint64_t moves = 0, turned = 0, gated = 0, woken = 0, orphans = 0, evicts = 0, refused = 0;
};

class Traffic {
 public:
  Traffic(Bench &bench, qsm_unit::Random &random, Counts &counts)
      : bench_(bench), random_(random), counts_(counts), answer_(NUM_SMS, 0) {}

  void cycle() {
    epochs();
    contexts();
    blocks();
    answers();
    if (random_.one_in(40)) bench_.in.technique = random_.below(QSM_TECHNIQUE_COUNT);
    if (random_.one_in(200)) bench_.in.gating = kParams.gating && !random_.one_in(4);
    if (random_.one_in(1 + 30 / NUM_SMS)) ask();
    const uint32_t moves = bench_.ref.moves;
    bench_.cycle();
    counts_.moves += bench_.ref.moves - moves;
    counts_.gated += bench_.out.gate.size();
    counts_.woken += bench_.out.wake.size();
    counts_.orphans += bench_.out.ask.size() - (bench_.ref.moves - moves);
    for (unsigned i : bench_.out.gate) answer_[i] = 1 + random_.below(12);
    for (unsigned i : bench_.out.wake) answer_[i] = 1 + random_.below(20);
  }

 private:
  void epochs() {
    bench_.in.snapshot = since_ == 0;
    bench_.in.epoch_done = since_ == 9;
    if (++since_ > 20 && random_.one_in(20)) since_ = 0;
  }
  void contexts() {
    const unsigned k = random_.below(NUM_KERNELS);
    if (random_.one_in(100)) bench_.in.valid[k] = !bench_.in.valid[k];
    if (random_.one_in(100)) bench_.in.mask[k][random_.below(NUM_SMS)].flip();
    if (random_.one_in(50)) bench_.in.apart[k].flip();
    if (random_.one_in(60)) bench_.in.closed = random_.one_in(3);
  }
  void blocks() {
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const unsigned k = random_.below(NUM_KERNELS);
      unsigned &cnt = bench_.in.cnt[i][k];
      const bool leaves = bench_.ref.move_flag(bench_.in, i, k);
      counts_.evicts += leaves;
      if (leaves && random_.one_in(6)) {
        bench_.in.refused[i][k] = true;
        counts_.refused++;
      }
      if (bench_.ref.may(bench_.in, k, i) && cnt < 32 && random_.one_in(6)) {
        cnt++;
      } else if (cnt > 0 && random_.one_in(leaves ? 4 : 12)) {
        cnt--;
      }
    }
  }
  void answers() {
    for (unsigned i = 0; i < NUM_SMS; i++) {
      if (answer_[i] == 0 || --answer_[i] != 0) continue;
      if (bench_.ref.sm[i].power == QSM_POWER_STOPPING)
        bench_.in.off[i] = true;
      else
        bench_.in.on[i] = true;
    }
  }
  void ask() {
    bench_.in.request = true;
    bench_.in.request_sm = random_.below(NUM_SMS);
    bench_.in.request_use = random_.one_in(3) ? unsigned{QSM_USE_FREE} : random_.below(3);
    bench_.in.request_owner = random_.below(NUM_KERNELS);
    counts_.turned += bench_.ref.sm[bench_.in.request_sm].moving;
  }

  Bench &bench_;
  qsm_unit::Random &random_;
  Counts &counts_;
  std::vector<unsigned> answer_;  // cycles until an SM answers
  unsigned since_ = 0;
};

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Counts counts;
  for (unsigned round = 0; round < 10 && !tap.failed(); round++) {
    Bench bench(tap);
    Traffic traffic(bench, random, counts);
    const unsigned n = NUM_SMS > 16 ? 1500 : 10000;
    for (unsigned c = 0; c < n && !tap.failed(); c++) traffic.cycle();
  }
  std::printf(
      "# %llu moves, %llu turned, %llu gated, %llu woken, %llu orphans, %llu flags, "
      "%llu refused\n",
      ull{counts.moves}, ull{counts.turned}, ull{counts.gated}, ull{counts.woken},
      ull{counts.orphans}, ull{counts.evicts}, ull{counts.refused});
  tap.expect(counts.moves > 500 && counts.turned > 50 && counts.orphans > 5 &&
                 counts.evicts > 100 && counts.refused > 20 &&
                 (!kParams.gating || (counts.gated > 20 && counts.woken > 20)),
             "the test did too little");
  tap.done("R-SO-1 to R-SO-8, R-SO-10, R-SO-11: every register and message in every cycle");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_sm_owner");
  qsm_unit::Tap tap(6);
  qsm_unit::begin_with_anything();
  test_drain(tap);
  test_evict(tap);
  test_end_of_a_context(tap);
  test_power(tap);
  test_counters(tap);
  test_random(tap, random);
  return tap.exit_code();
}
