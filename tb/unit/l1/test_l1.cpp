// SPDX-License-Identifier: Apache-2.0
// L1, transactions and return slot against docs/l1.md: directed checks of its cycles, then random
// traffic, with every corner case of the page met.
#include "l1_bench.h"

namespace {

uint64_t n_passes = 0;

DevicePass device(Kind kind, uint32_t line, unsigned slot = 0, unsigned sub = 0) {
  DevicePass pass;
  pass.kind = kind;
  pass.line = line;
  pass.slot = slot;
  pass.bytes = kind == kStore ? 0xf0f : kind == kAmo ? 0xf0 : 0;
  pass.amo = kind == kAmo ? 1 : 0;
  pass.part.sub = sub;
  pass.part.mask = kind == kAmo ? 2 : 15;
  for (unsigned l = 0; l < kLanes; l++) {
    pass.part.offs[l] = 4 * l;
    pass.data[l] = line * 0x9E3779B9u + l + static_cast<uint32_t>(n_passes);
  }
  pass.id = n_passes++;
  return pass;
}

Inputs calm() {
  Inputs in;
  in.pop.fill(false);
  return in;
}

// Cycles until the pass has acted, results taken at once, no responses; the outputs of its act.
Outputs act(Bench &bench, const DevicePass &pass) {
  Inputs in = calm();
  in.device_valid = true;
  in.device = pass;
  while (!bench.cycle(in, false).pass) {}
  in.device_valid = false;
  for (unsigned n = 0; n < 20; n++) {
    const Outputs out = bench.cycle(in, false);
    in.pop = {};
    if (out.result) in.pop[out.result_part.sub] = true;
    if (out.acts) return out;
  }
  return Outputs{};
}

// Everything under way is answered.
void drain(Bench &bench) {
  Inputs in = calm();
  for (unsigned n = 0; n < 300; n++) {
    const Outputs out = bench.cycle(in, true);
    in.pop = {};
    if (out.result) in.pop[out.result_part.sub] = true;
  }
}

void test_times(qsm_unit::Tap &tap) {
  Covers covers;
  Bench bench(tap, covers);
  tap.expect(bench.parameters_match(), "the bench has other parameters than the RTL");
  tap.expect(act(bench, device(kLoad, 1)).allocates, "the first load does not allocate");
  drain(bench);
  Inputs in = calm();
  in.device_valid = true;
  in.device = device(kLoad, 1);
  tap.expect(bench.cycle(in, false).pass, "an empty A takes no pass");
  in.device = device(kLoad, 1);
  const Outputs second = bench.cycle(in, false);
  tap.expect(second.hit && second.pass,
             "a hit does not act one cycle after its pass, and make room for the next");
  in.device_valid = false;
  tap.expect(bench.cycle(in, false).result, "a hit has no result one cycle after its act");
  tap.done("R-L1-1, R-L1-3: pass, hit and result follow each other in three cycles");
}

void test_order_after_reset(qsm_unit::Tap &tap) {  // R-L1-9
  Covers covers;
  Bench bench(tap, covers);
  // No return op before: a line by a load whose response is not served would be needed; so the
  // order is read from the first contests.
  act(bench, device(kStore, 2));
  Inputs in = calm();
  in.shared_valid = true;
  in.shared.part.mask = 1;
  bench.cycle(calm(), true);  // the response is seen
  tap.expect(bench.cycle(in, false).returns == kResponse,
             "the first contest is not the response's");
  act(bench, device(kLoad, 1));
  bench.cycle(calm(), true);
  tap.expect(bench.cycle(in, false).returns == kPass,
             "a response goes before a pass that has never been served");
  bench.cycle(calm(), false);
  Inputs hit = calm();
  hit.device_valid = true;
  hit.device = device(kLoad, 1);
  bench.cycle(hit, false);
  tap.expect(bench.cycle(in, false).returns == kHit,
             "a hit that has never been served does not go first");
  tap.done("of the kinds of return op the one goes first that was served longest ago");
}

void test_store_behind_miss(qsm_unit::Tap &tap) {  // first corner case
  Covers covers;
  Bench bench(tap, covers);
  tap.expect(act(bench, device(kLoad, 3)).allocates, "no miss");
  tap.expect(act(bench, device(kStore, 3)).req, "the store is not sent");
  const Outputs load = act(bench, device(kLoad, 3));
  tap.expect(load.req && !load.joins && !load.allocates,
             "the load behind the store does not go to the memory");
  drain(bench);
  tap.expect(act(bench, device(kLoad, 3)).allocates, "the poisoned line is valid after its fill");
  drain(bench);
  tap.expect(act(bench, device(kLoad, 3)).hit, "a line that was filled is not valid");
  tap.expect(act(bench, device(kLoad, 3, 1)).allocates, "another slot hits");
  tap.done("R-L1-6: a load behind a store to a pending line goes to the memory");
}

void test_generations(qsm_unit::Tap &tap) {  // R-L1-11
  Covers covers;
  Bench bench(tap, covers);
  Inputs renewals[3] = {calm(), calm(), calm()};
  renewals[0].start = 1;
  renewals[1].restore = true;
  renewals[2].fence = 3;  // both sub-cores, slot 0: counts once
  for (const Inputs &renewal : renewals) {
    act(bench, device(kLoad, 5));
    drain(bench);
    tap.expect(act(bench, device(kLoad, 5)).hit, "no hit before the next generation");
    bench.cycle(renewal, false);
    tap.expect(act(bench, device(kLoad, 5)).allocates, "a line of the last generation is hit");
    drain(bench);
  }
  tap.expect(bench.cycle(calm(), false).gens == 3,
             "three renewals leave another generation than 3");
  tap.done("start, restore and device fences begin a generation");
}

void test_counters(qsm_unit::Tap &tap) {  // R-L1-13
  Covers covers;
  Bench bench(tap, covers);
  for (Kind kind : {kLoad, kLoad, kStore, kAmo}) act(bench, device(kind, 9, 2));
  drain(bench);
  for (uint32_t line : {10, 10}) {
    act(bench, device(kLoad, line, 2));
    drain(bench);
  }
  const uint32_t wanted[] = {4, 1, 1, 2, 1, 1, 0, 0};
  Inputs in = calm();
  in.read_slot = 2;
  for (unsigned n = 0; n < 8; n++) {
    in.read_counter = n;
    const uint32_t value = bench.cycle(in, false).value;
    tap.expect(value == wanted[n] && bench.top->value_o == wanted[n],
               "counter %u is %u, must be %u", 16 + n, value, wanted[n]);
  }
  in.start = 4;
  bench.cycle(in, false);
  in.read_counter = 0;
  in.start = 0;
  bench.cycle(in, false);
  tap.expect(bench.top->value_o == 0, "a start does not clear the loads");
  tap.done(
      "loads, hits, joins, allocations, stores and atomics are counted, and cleared by a start");
}

// ---- random traffic ----
struct Mood {  // of a round, in percent but for the last two
  unsigned device, shared, port, respond, pop, renew, foreign, skip, loads, tags, sets;
};

Part random_part(qsm_unit::Random &random) {
  static const unsigned sizes[] = {0, 1, 2, 2, 4, 5};
  Part part;
  part.sub = random.below(kSubs);
  part.warp = random.below(3);
  part.entry = random.below(4);
  part.funct3 = sizes[random.below(6)];
  part.rd = random.below(32);
  part.mask = 1 + random.below(15);
  part.away = random.one_in(2);
  for (unsigned &offset : part.offs)
    offset = random.below(kLineBytes) >> (part.funct3 & 3) << (part.funct3 & 3);
  return part;
}

DevicePass random_device(qsm_unit::Random &random, const Mood &mood) {
  DevicePass pass;
  pass.kind = random.below(100) < mood.loads ? kLoad : random.one_in(3) ? kAmo : kStore;
  pass.amo = random.below(9);
  pass.slot = random.one_in(6) ? 2 : random.below(2);
  const uint32_t tag = random.below(mood.tags);
  pass.line = (tag % 2 ? 1u << 27 : 0) + tag / 2 * SETS +
              random.below(mood.sets);  // tags that differ in their highest bit alone
  pass.part = random_part(random);
  pass.bytes = random.bits32() & 0xffff;
  if (pass.kind == kAmo) {
    const unsigned word = random.below(kLanes);
    pass.bytes = 15u << (4 * word);
    pass.part.funct3 = 2;
    pass.part.mask = 1u << random.below(kLanes);
    pass.part.offs.fill(4 * word);
  }
  for (uint32_t &word : pass.data) word = random.bits32();
  pass.id = n_passes++;
  return pass;
}

Mood random_mood(qsm_unit::Random &random, unsigned round) {
  if (round % 10 == 4)
    return {100, 20, 100, 5, 50, 0, 2, 0, 95, 1, 1};  // many loads wait for one line
  const auto percent = [&] { return 10 + random.below(91); };
  return {percent(),
          random.below(80),
          percent(),
          round % 3 ? percent() : 10,
          percent(),
          round % 4 == 1 ? 20 : random.below(4),
          random.below(10),
          round % 5 == 2 ? 50u : 5u,
          50 + random.below(50),
          round % 3 ? 1 + random.below(WAYS) : WAYS + 1 + random.below(4),
          1 + random.below(SETS)};
}

class Traffic {
 public:
  Traffic(qsm_unit::Random &random, Mood mood) : random_(random), mood_(mood) {}

  void cycle(Bench &bench) {
    if (!in_.device_valid && chance(mood_.device)) {
      in_.device_valid = true;
      in_.device = random_device(random_, mood_);
    }
    if (!in_.shared_valid && chance(mood_.shared)) {
      in_.shared_valid = true;
      in_.shared.store = random_.one_in(3);
      in_.shared.part = random_part(random_);
      for (uint32_t &word : in_.shared.data) word = random_.bits32();
    }
    in_.port_free = chance(mood_.port);
    for (unsigned s = 0; s < kSubs; s++) {
      in_.pop[s] = n_results_[s] > 0 && chance(mood_.pop);
      n_results_[s] -= in_.pop[s];
    }
    in_.start = in_.fence = 0;
    in_.restore = chance(mood_.renew) && random_.one_in(4);
    in_.restore_slot = random_.below(kSlots);
    for (unsigned s = 0; s < kSubs; s++) in_.fence_slot[s] = random_.below(kSlots);
    if (chance(mood_.renew)) in_.fence = random_.below(4);
    if (chance(mood_.renew) && random_.one_in(4)) in_.start = random_.below(8);
    if (random_.one_in(200)) in_.skip = chance(mood_.skip) ? random_.below(8) : 0;
    in_.read_slot = random_.below(kSlots);
    in_.read_counter = random_.below(8);
    if (chance(mood_.foreign)) {
      bench.foreign_store(random_device(random_, mood_).line, random_.below(kLineBytes),
                          static_cast<uint8_t>(random_.bits32()));
    }
    const Outputs out = bench.cycle(in_, chance(mood_.respond));
    if (out.pass) in_.device_valid = false;
    if (out.returns == kPass) in_.shared_valid = false;
    if (out.result) n_results_[out.result_part.sub]++;
  }

 private:
  bool chance(unsigned percent) { return random_.below(100) < percent; }

  qsm_unit::Random &random_;
  const Mood mood_;
  Inputs in_;
  std::array<unsigned, kSubs> n_results_{};
};

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Covers covers;
  for (unsigned round = 0; round < 60 && !tap.failed(); round++) {
    Bench bench(tap, covers);
    Traffic traffic(random, random_mood(random, round));
    bench.memory_delay = 1 + random.below(round % 2 ? 4 : 40);
    for (unsigned c = 0; c < 3000 && !tap.failed(); c++) traffic.cycle(bench);
  }
  std::vector<const char *> wanted = {"hit",
                                      "joins",
                                      "miss that allocates",
                                      "miss at a poisoned line",
                                      "miss that skips",
                                      "hit that skips",
                                      "store, valid",
                                      "store, pending",
                                      "store, none",
                                      "AMO, valid",
                                      "AMO, pending",
                                      "AMO, none",
                                      "joins in the cycle of the fill",
                                      "store waits for a fill",
                                      "AMO waits for a fill",
                                      "fill of a poisoned line",
                                      "wrap",
                                      "wrap with a fill",
                                      "wrap with an allocation",
                                      "wrap with a pending line",
                                      "three return ops wanted",
                                      "hit while a list is served",
                                      "a list longer than the credits",
                                      "eviction",
                                      "eviction of a line whose generation is over",
                                      "start and fence of a slot in one cycle"};
  if (WAYS < kTxns) wanted.push_back("miss, all ways pending");
  if (WAYS > 1) wanted.push_back("the tree points at a pending line");
  for (const char *name : wanted)
    tap.expect(covers[name] >= 10, "met %llu times only: %s",
               static_cast<unsigned long long>(covers[name]), name);
  for (const auto &[name, n] : covers)
    std::printf("# %8llu %s\n", static_cast<unsigned long long>(n), name.c_str());
  tap.done(
      "R-L1-1 to R-L1-13, R-PA-19, I-MEM-5: random traffic equals the reference in every cycle, no load brings anything older than it may; all corner cases met");
}

// The comparison must be able to fail: a reference with twice the sets is noticed.
void test_wrong_reference(qsm_unit::Tap &tap) {
  Covers covers;
  Bench bench(tap, covers, 2 * SETS);
  bench.may_differ = true;
  for (uint32_t tag = 0; tag <= WAYS; tag++) {
    act(bench, device(kLoad, tag * SETS));
    drain(bench);
  }
  act(bench, device(kLoad, 0));
  tap.expect(bench.differs, "a reference with twice the sets is not noticed");
  tap.done("a reference with twice the sets is noticed");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_l1");
  qsm_unit::Tap tap(7);
  test_times(tap);
  test_order_after_reset(tap);
  test_store_behind_miss(tap);
  test_generations(tap);
  test_counters(tap);
  test_random(tap, random);
  test_wrong_reference(tap);
  return tap.exit_code();
}
