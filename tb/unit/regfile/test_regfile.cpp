// SPDX-License-Identifier: Apache-2.0
// Register file against docs/subcore.md (R-WB-4, R-EX-1): random starts, writes with any mask, and
// reads of all ports in every cycle, compared with registers that are simply 0 at a warp's start,
// in all lanes. Usage: test_regfile [seed]. Output: TAP.
#include <array>
#include <vector>

#include "../common/qsm_unit.h"
#include "Vqsm_regfile.h"

double sc_time_stamp() { return 0; }

namespace {

using qsm_unit::Random;
using qsm_unit::Tap;

constexpr uint32_t kLanes = WARP_SIZE, kWarps = WARPS_PER_SM / NUM_SCHED, kPorts = FPU ? 3 : 2;

struct Write {
  bool valid = false;
  uint32_t warp = 0, rd = 1, mask = 0, data[kLanes] = {};
};
using Registers = std::array<std::array<uint32_t, kLanes>, 32>;

class Bench {
 public:
  Bench() : want_(kWarps) {
    top.rst_ni = 1;
    top.eval();
    top.rst_ni = 0;
    edge();
    top.rst_ni = 1;
  }
  ~Bench() { top.final(); }

  // One cycle: reads, a write, a start (of no warp: kWarps). What is read, by the reference, is
  // compared in the next cycle.
  void cycle(Tap &tap, uint32_t warp, const uint32_t (&rs)[3], const Write &write, uint32_t start) {
    top.read_warp_i = static_cast<uint8_t>(warp);
    top.rs1_i = static_cast<uint8_t>(rs[0]);
    top.rs2_i = static_cast<uint8_t>(rs[1]);
    top.rs3_i = static_cast<uint8_t>(rs[2]);
    top.start_i = start < kWarps;
    top.start_warp_i = static_cast<uint8_t>(start % kWarps);
    drive(write);
    edge();
    compare(tap, warp, rs);
    if (write.valid) {
      for (uint32_t l = 0; l < kLanes; l++)
        if (write.mask >> l & 1) want_[write.warp][write.rd][l] = write.data[l];
    }
    if (start < kWarps) want_[start] = Registers{};
    n_cycles++;
  }

  Vqsm_regfile top;
  long n_cycles = 0, n_zeros = 0;

 private:
  // Inputs settle before the edge: assertions see what is there before it.
  void edge() {
    top.eval();
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  }

  // wb_t from bit 0 up: data, mask, rd, warp, valid.
  void drive(const Write &write) {
    unsigned at = 0;
    auto put = [&](uint32_t value, unsigned width) {
      for (unsigned b = 0; b < width; b++) qsm_unit::set_bit(top.write_i, at++, value >> b & 1);
    };
    for (uint32_t l = 0; l < kLanes; l++) put((write.mask >> l & 1) ? write.data[l] : 0, 32);
    put(write.mask, kLanes);
    put(write.rd, 5);
    put(write.warp, qsm_unit::index_bits(kWarps));
    put(write.valid, 1);
  }

  void compare(Tap &tap, uint32_t warp, const uint32_t (&rs)[3]) {
    for (uint32_t l = 0; l < kLanes; l++) {
      const uint32_t got[3] = {lane(top.rs1_o, l), lane(top.rs2_o, l), lane(top.rs3_o, l)};
      for (uint32_t p = 0; p < kPorts; p++) {
        const uint32_t want = want_[warp][rs[p]][l];
        tap.expect(got[p] == want, "cycle %ld, port %u, warp %u, x%u, lane %u: %08x, must be %08x",
                   n_cycles, p + 1, warp, rs[p], l, got[p], want);
        n_zeros += want == 0 && rs[p] != 0;
      }
    }
  }
  template <class P>
  static uint32_t lane(const P &port, uint32_t l) {
    return static_cast<uint32_t>(qsm_unit::get(port, l, 32));
  }

  std::vector<Registers> want_;
};

void test_random(Tap &tap, Random &random) {
  Bench bench;
  uint32_t seldom = 40;  // a start in so many cycles
  while (bench.n_cycles < 200000 && !tap.failed()) {
    if (bench.n_cycles % 1000 == 0) seldom = 2 + random.below(random.one_in(2) ? 8 : 200);
    Write write{random.below(3) != 0,
                random.below(kWarps),
                1 + random.below(31),
                random.below(1u << kLanes),
                {}};
    for (uint32_t &data : write.data) data = random.bits32() | 1;
    // A warp that starts has nothing in flight; the scoreboard keeps a register from being read
    // while it is written.
    uint32_t start = random.one_in(seldom) ? random.below(kWarps) : kWarps;
    if (write.valid && start == write.warp) start = kWarps;
    const uint32_t warp = random.one_in(3) ? write.warp : random.below(kWarps);
    uint32_t rs[3];
    for (uint32_t &r : rs) {
      r = random.below(32);
      if (write.valid && warp == write.warp && r == write.rd) r = 0;
    }
    bench.cycle(tap, warp, rs, write, start);
  }
  tap.expect(bench.n_zeros > 10000, "only %ld zeros were read", bench.n_zeros);
  tap.done(
      "registers are 0 from a warp's start to their first write, and in lanes that it leaves out (R-WB-4, R-EX-1)");
}

// The first write of a warp clears the other lanes, whatever the warp before had written.
void test_first_write(Tap &tap) {
  Bench bench;
  const uint32_t none[3] = {}, seven[3] = {7, 7, 7};
  Write all{true, 1, 7, (1u << kLanes) - 1, {}}, one{true, 1, 7, 1u << (kLanes - 1), {}};
  for (uint32_t l = 0; l < kLanes; l++) all.data[l] = one.data[l] = 0x100 + l;
  bench.cycle(tap, 0, none, all, kWarps);
  bench.cycle(tap, 1, seven, {}, 1);
  bench.cycle(tap, 1, seven, {}, kWarps);
  bench.cycle(tap, 0, none, one, kWarps);
  bench.cycle(tap, 1, seven, {}, kWarps);
  bench.cycle(tap, 0, none, all, kWarps);
  bench.cycle(tap, 1, seven, {}, kWarps);
  tap.done(
      "a start hides what was written, the first write after it clears the other lanes (R-WB-4)");
}

}  // namespace

int main(int argc, char **argv) {
  Random random(argc, argv, "test_regfile");
  Tap tap(2);
  test_first_write(tap);
  test_random(tap, random);
  return tap.exit_code();
}
