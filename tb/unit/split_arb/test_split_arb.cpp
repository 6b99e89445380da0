// SPDX-License-Identifier: Apache-2.0
// Who reads the lane store (qsm_split_arb): R-WS-4, R-WS-8, R-WS-11 of docs/warp_state.md.
// Usage: test_split_arb [seed]. Output: TAP.
#include <cstdint>

#include "Vqsm_split_arb.h"

#include "../common/qsm_unit.h"

namespace {

constexpr unsigned kWarps = NUM_WARPS;
constexpr int kNone = -1;

struct Inputs {
  uint32_t wait = 0, clear = 0;
  bool step = false;  // a step of the save sequencer asks
};

// The rules, from the page.
struct Reference {
  uint32_t selpend = 0;
  unsigned sel_last = kWarps - 1;
  bool busy = false;       // there was a read in the cycle before
  bool step_read = false;  // by a step

  bool step_reads(const Inputs &in) const { return in.step && !busy; }
  int sel1(const Inputs &in) const {
    if (!selpend || busy || in.step) return kNone;
    unsigned w = sel_last;
    do w = (w + 1) % kWarps;
    while (!(selpend >> w & 1));
    return static_cast<int>(w);
  }
  void step(const Inputs &in) {
    const int warp = sel1(in);
    step_read = step_reads(in);
    busy = warp != kNone || step_read;
    if (warp != kNone) {
      selpend &= ~(1u << warp);
      sel_last = static_cast<unsigned>(warp);
    }
    selpend = (selpend | in.wait) & ~in.clear;
  }
};

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : tap_(tap) {
    top.rst_ni = 1;
    top.clear_i = top.step_asks_i = 0;
    top.wait_i = (1u << kWarps) - 1;  // that a reset must undo
    clock();
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }
  ~Bench() { top.final(); }

  // A cycle; the warp that has SEL1.
  int cycle(const Inputs &in) {
    top.wait_i = in.wait;
    top.clear_i = in.clear;
    top.step_asks_i = in.step;
    top.eval();
    const int want = ref.sel1(in),
              got = top.sel1_valid_o ? static_cast<int>(top.sel1_warp_o) : kNone;
    tap_.expect(got == want, "cycle %u: SEL1 of %d, not %d", n_cycles, got, want);
    tap_.expect(top.step_reads_o == ref.step_reads(in), "cycle %u: a step reads: %d", n_cycles,
                top.step_reads_o);
    tap_.expect(top.step_read_o == ref.step_read, "cycle %u: a step has read: %d", n_cycles,
                top.step_read_o);
    if (got != kNone)
      tap_.expect(top.sel1_set_o == 1u << got, "cycle %u: the set %x is not of warp %d", n_cycles,
                  top.sel1_set_o, got);
    ref.step(in);
    clock();
    n_cycles++;
    return got;
  }

  Vqsm_split_arb top;
  Reference ref;
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

// The next SEL1, and that there is none in the cycle behind it.
int next_sel1(Bench &b) {
  const int got = b.cycle({});
  if (got != kNone) b.cycle({});
  return got;
}

void test_release(qsm_unit::Tap &tap) {
  Bench b(tap);
  Inputs in;
  in.wait = (1u << kWarps) - 1;
  b.cycle(in);
  for (unsigned w = 0; w < kWarps; w++) {
    const int got = next_sel1(b);
    tap.expect(got == static_cast<int>(w), "turn %u is of warp %d", w, got);
  }
  tap.expect(b.cycle({}) == kNone, "a SEL1 of nobody");
  in.wait = 1 | 1u << (kWarps - 1);  // the last one was served last
  b.cycle(in);
  tap.expect(next_sel1(b) == 0, "the circle does not go on behind its end");
  tap.done("R-WS-8: waiting warps have SEL1 in turn, every second cycle, from the one served last");
}

// A warp waits, and the others do so again as soon as they can; with steps one asks whenever it
// can, in the fourth cycle after its read.
void test_bound(qsm_unit::Tap &tap, bool steps) {
  Bench b(tap);
  unsigned since_read = 4, asked = 0;
  const auto cycle = [&](Inputs &in) {
    in.step = steps && since_read >= 4;
    asked = in.step ? asked + 1 : 0;
    tap.expect(asked <= 2, "a step waits for two cycles");
    since_read = b.ref.step_reads(in) ? 1 : since_read + 1;
    return b.cycle(in);
  };
  for (unsigned n = 0; n < 40 * kWarps; n++) {
    const unsigned one = n % kWarps;
    Inputs in;
    in.wait = ((1u << kWarps) - 1) & ~b.ref.selpend;
    cycle(in);
    unsigned waited = 1;
    for (int got = kNone; got != static_cast<int>(one) && waited < 100; waited++) {
      in.wait = ((1u << kWarps) - 1) & ~b.ref.selpend & ~(1u << one);
      got = cycle(in);
    }
    tap.expect(waited <= (steps ? 4 : 2) * kWarps + 1, "warp %u waits for %u cycles", one, waited);
  }
  tap.done(steps ? "R-WS-11: and beside a step that asks whenever it can, which waits for one read"
                 : "R-WS-11: a warp has its turn beside warps that select whenever they can");
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  unsigned n_selections = 0, n_together = 0, n_cleared = 0, n_steps = 0;
  unsigned rush = 1;
  for (unsigned n = 0; n < 200000 && !tap.failed(); n++) {
    if (n % 64 == 0) rush = random.below(4);
    Inputs in;
    const unsigned w = random.below(kWarps);
    if (random.one_in(1 + rush)) in.wait = 1u << w;
    if (random.one_in(10)) in.wait |= random.bits32() & ((1u << kWarps) - 1);
    in.wait &= ~b.ref.selpend;
    in.clear = random.one_in(20) ? 1u << random.below(kWarps) : 0;
    in.step = random.one_in(8);
    n_steps += b.ref.step_reads(in) && b.ref.selpend;
    const int next = b.ref.sel1(in);
    n_cleared += next != kNone && (in.clear >> next & 1);
    n_together += next != kNone && in.wait;
    n_selections += b.cycle(in) != kNone;
  }
  std::printf(
      "# %u selections, %u beside a warp that begins to wait, %u of a warp that is killed; "
      "%u reads of steps before a selection\n",
      n_selections, n_together, n_cleared, n_steps);
  tap.expect(n_selections > 1000 && n_together > 1000 && n_cleared > 5 && n_steps > 100,
             "too little happened");
  tap.done("R-WS-4, R-WS-8 in every cycle of a random run");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_split_arb");
  qsm_unit::Tap tap(4);
  test_release(tap);
  test_bound(tap, false);
  test_bound(tap, true);
  test_random(tap, random);
  return tap.exit_code();
}
