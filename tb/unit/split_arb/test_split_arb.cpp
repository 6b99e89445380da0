// SPDX-License-Identifier: Apache-2.0
// Who has SEL1 (qsm_split_arb): R-WS-4, R-WS-8, R-WS-11 of docs/warp_state.md.
// Usage: test_split_arb [seed]. Output: TAP.
#include <cstdint>

#include "Vqsm_split_arb.h"

#include "../common/qsm_unit.h"

namespace {

constexpr unsigned kWarps = NUM_WARPS, kStarveLimit = 8;
constexpr int kNone = -1;

struct Inputs {
  int due = kNone;
  uint32_t release = 0, clear = 0;
  bool asks = false;
};

// The rules, from the page.
struct Reference {
  uint32_t selpend = 0;
  unsigned sel_last = kWarps - 1, sel_wait = 0;

  bool waits(const Inputs &in) const {
    return (in.due != kNone && selpend) || (in.asks && (in.due != kNone || selpend));
  }
  bool yields(const Inputs &in) const { return waits(in) && sel_wait == kStarveLimit; }
  bool step_reads(const Inputs &in) const { return in.asks && (yields(in) || !waits(in)); }
  int sel1(const Inputs &in) const {
    if (in.due != kNone && !yields(in)) return in.due;
    if (!selpend || (yields(in) && in.asks)) return kNone;
    unsigned w = sel_last;
    do w = (w + 1) % kWarps;
    while (!(selpend >> w & 1));
    return static_cast<int>(w);
  }
  void step(const Inputs &in) {
    const int warp = sel1(in);
    const bool waiting = waits(in), yielding = yields(in);
    if (warp != kNone && (in.due == kNone || yielding)) {
      selpend &= ~(1u << warp);
      sel_last = static_cast<unsigned>(warp);
    }
    if (yielding && in.due != kNone) selpend |= 1u << in.due;
    selpend = (selpend | in.release) & ~in.clear;
    sel_wait = waiting && !yielding ? sel_wait + 1 : 0;
  }
};

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : tap_(tap) {
    top.rst_ni = 1;
    top.release_i = (1u << kWarps) - 1;  // that a reset must undo
    clock();
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }
  ~Bench() { top.final(); }

  // A cycle; the warp that has SEL1.
  int cycle(const Inputs &in) {
    top.due_i = in.due != kNone;
    top.due_warp_i = static_cast<unsigned>(in.due == kNone ? 0 : in.due);
    top.release_i = in.release;
    top.clear_i = in.clear;
    top.step_asks_i = in.asks;
    top.eval();
    const int want = ref.sel1(in),
              got = top.sel1_valid_o ? static_cast<int>(top.sel1_warp_o) : kNone;
    step_reads = in.asks && top.step_free_o;
    tap_.expect(got == want, "cycle %u: SEL1 of %d, not %d", n_cycles, got, want);
    tap_.expect(step_reads == ref.step_reads(in), "cycle %u: step reads %d, not %d", n_cycles,
                step_reads, !step_reads);
    tap_.expect(!(step_reads && got != kNone), "cycle %u: two readers", n_cycles);
    ref.step(in);
    clock();
    n_cycles++;
    return got;
  }

  Vqsm_split_arb top;
  Reference ref;
  bool step_reads = false;
  unsigned n_cycles = 0;

 private:
  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
};

void test_release(qsm_unit::Tap &tap) {
  Bench b(tap);
  Inputs in;
  in.release = (1u << kWarps) - 1;
  b.cycle(in);
  in.release = 0;
  for (unsigned w = 0; w < kWarps; w++) {
    const int got = b.cycle(in);
    tap.expect(got == static_cast<int>(w), "turn %u is of warp %d", w, got);
  }
  tap.expect(b.cycle(in) == kNone, "a SEL1 of nobody");
  in.release = 1 | 1u << (kWarps - 1);  // the last one was served last
  b.cycle(in);
  in.release = 0;
  tap.expect(b.cycle(in) == 0, "the circle does not go on behind its end");
  tap.done(
      "R-WS-8: released warps have SEL1 one after the other, in a circle from the one served last");
}

// A SEL1 due in every cycle, of warps that are not waiting.
int due_now(const Bench &b, unsigned n) {
  for (unsigned i = 0; i < kWarps; i++) {
    const unsigned w = (n + i) % kWarps;
    if (!(b.ref.selpend >> w & 1)) return static_cast<int>(w);
  }
  return kNone;
}

void test_bound_of_warps(qsm_unit::Tap &tap) {
  Bench b(tap);
  const uint32_t waiting = kWarps == 1 ? 0 : (1u << (kWarps - 1)) - 1;
  uint32_t left = waiting;
  Inputs in;
  in.release = waiting;
  b.cycle(in);
  in.release = 0;
  for (unsigned n = 0; left && n < 1000; n++) {
    in.due = due_now(b, n);
    const int got = b.cycle(in);
    if (got != kNone) left &= ~(1u << got);
    if (!left)
      tap.expect(n + 1 <= (kStarveLimit + 1) * (kWarps - 1), "the last one waits %u cycles", n + 1);
  }
  tap.expect(!left, "some wait for ever: %x", left);
  tap.done("R-WS-11: a released warp has its turn beside warps that select in every cycle");
}

void test_bound_of_steps(qsm_unit::Tap &tap) {
  Bench b(tap);
  Inputs in;
  in.asks = true;
  unsigned waited = 0, done = 0;
  for (unsigned n = 0; n < 300; n++) {
    in.due = due_now(b, n);
    b.cycle(in);
    if (b.step_reads) done++;
    waited = b.step_reads ? 0 : waited + 1;
    tap.expect(waited <= kStarveLimit, "a step waits %u cycles", waited);
  }
  tap.expect(done > 20, "%u steps", done);
  tap.done("R-WS-11: a step has its turn beside warps that select in every cycle");
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  unsigned n_yields = 0, n_steps = 0, n_cleared = 0;
  unsigned rush = 1;
  for (unsigned n = 0; n < 200000 && !tap.failed(); n++) {
    if (n % 64 == 0) rush = random.below(4);
    Inputs in;
    const unsigned w = random.below(kWarps);
    if ((rush == 3 || random.one_in(1 + rush)) && !(b.ref.selpend >> w & 1))
      in.due = static_cast<int>(w);
    if (rush == 3) in.due = due_now(b, w);
    in.release = random.one_in(10) ? random.bits32() & ((1u << kWarps) - 1) : 0;
    if (in.due != kNone) in.release &= ~(1u << in.due);
    in.clear = random.one_in(20) ? 1u << random.below(kWarps) : 0;
    in.asks = rush == 2 ? !random.one_in(20) : random.one_in(3);
    n_yields += b.ref.yields(in);
    n_cleared += b.ref.yields(in) && in.due != kNone && (in.clear >> in.due & 1);
    b.cycle(in);
    n_steps += b.step_reads;
  }
  std::printf("# %u postponed or stepped aside, %u of them killed in that cycle, %u steps\n",
              n_yields, n_cleared, n_steps);
  tap.expect(n_yields > 1000 && n_steps > 1000 && n_cleared > 5, "too little happened");
  tap.done("R-WS-4, R-WS-8, R-WS-11 in every cycle of a random run");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_split_arb");
  qsm_unit::Tap tap(4);
  test_release(tap);
  test_bound_of_warps(tap);
  test_bound_of_steps(tap);
  test_random(tap, random);
  return tap.exit_code();
}
