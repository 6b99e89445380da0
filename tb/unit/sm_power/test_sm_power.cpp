// SPDX-License-Identifier: Apache-2.0
// Power controller of an SM and its clock gate against R-PG-2 to R-PG-4 of docs/sm_owner.md:
// answers and states in every cycle, and which clock edges and resets the SM gets.
#include "Vbench_sm_power.h"

#include "../common/qsm_unit.h"
#include "qsm_enums.h"

namespace {

using ull = unsigned long long;

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : tap_(tap) {
    top.rst_ni = 0;
    top.wake_lat_i = 1;
    top.gate_i = top.wake_i = 0;
    clock();  // resets the controller, so that the next edge goes through the gate
    clock();
    top.rst_ni = 1;
  }

  void cycle() {
    top.eval();
    const bool gated = power == QSM_POWER_OFF || power == QSM_POWER_WAKING;
    off = power == QSM_POWER_STOPPING && top.quiet_i;
    on = power == QSM_POWER_WAKING && wait == 1;
    same("power", top.power_o, power);
    same("off", top.off_o, off);
    same("on", top.on_o, on);
    same("gated", top.gated_o, gated);
    same("wait", top.wait_o, wait);
    same("counter of the SM", top.count_o, count);
    if (!gated || was_gated) same("counter cleared with a clock", top.cleared_o, count);
    same("kept counter", top.kept_o, kept);
    same("edges", top.edges_o, edges);
    // What this cycle's edge does.
    if (!gated) {
      count++;
      kept++;
    }
    edges += !gated || !was_gated;
    was_gated = gated;
    if (power == QSM_POWER_WAKING) {
      if (wait-- == 1) power = QSM_POWER_ON;
    } else if (top.wake_i) {
      power = QSM_POWER_WAKING;
      wait = top.wake_lat_i;
    } else if (off) {
      power = QSM_POWER_OFF;
      count = 0;
    } else if (top.gate_i) {
      power = QSM_POWER_STOPPING;
    }
    clock();
    top.gate_i = top.wake_i = 0;
    n_cycles++;
  }
  void cycles(unsigned n) {
    for (unsigned c = 0; c < n; c++) cycle();
  }

  Vbench_sm_power top;
  unsigned power = QSM_POWER_ON, wait = 0;
  uint32_t count = 0, kept = 0, edges = 0;
  bool off = false, on = false, was_gated = false;
  uint64_t n_cycles = 0;

 private:
  void same(const char *what, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s is %llu, must be %llu", ull{n_cycles}, what,
                ull{seen}, ull{wanted});
  }

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
};

// gate in a, quiet in t: off in t; wake in w: on in w + WAKE_LAT.
void test_times(qsm_unit::Tap &tap) {
  Bench bench(tap);
  bench.top.quiet_i = 1;
  bench.cycles(3);
  bench.top.gate_i = 1;
  bench.cycle();
  tap.expect(!bench.off, "it stops in the cycle of the message");
  bench.top.quiet_i = 0;
  bench.cycles(5);
  tap.expect(bench.power == QSM_POWER_STOPPING, "it stops though it is not quiet");
  bench.top.quiet_i = 1;
  bench.cycle();
  tap.expect(bench.off, "it does not stop in the first quiet cycle");
  const uint32_t edges = bench.edges;
  bench.top.quiet_i = 0;  // means nothing now
  bench.cycles(20);
  tap.expect(bench.edges == edges + 1, "%u clock edges while gated", bench.edges - edges);
  for (unsigned latency : {1u, 2u, 500u, 65535u}) {
    bench.top.wake_i = 1;
    bench.top.wake_lat_i = static_cast<uint16_t>(latency);
    bench.cycle();
    bench.top.wake_lat_i = 7;
    bench.cycles(latency - 1);
    tap.expect(!bench.on, "on before WAKE_LAT %u is over", latency);
    bench.cycle();
    tap.expect(bench.on && bench.power == QSM_POWER_ON, "not on after WAKE_LAT %u", latency);
    bench.cycles(2);
    bench.top.gate_i = 1;
    bench.top.quiet_i = 1;
    bench.cycles(4);
  }
  tap.done(
      "R-PG-2, R-PG-4: off in the first quiet cycle after gate, on WAKE_LAT cycles after wake");
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  unsigned n_off = 0, n_on = 0;
  for (unsigned round = 0; round < 20 && !tap.failed(); round++) {
    Bench bench(tap);
    for (unsigned c = 0; c < 5000 && !tap.failed(); c++) {
      bench.top.quiet_i = random.one_in(1 + round % 5);
      bench.top.wake_lat_i = static_cast<uint16_t>(1 + random.below(random.one_in(4) ? 100 : 5));
      if (random.one_in(10)) {
        bench.top.gate_i = bench.power == QSM_POWER_ON;
        bench.top.wake_i = bench.power == QSM_POWER_OFF;
      }
      bench.cycle();
      n_off += bench.off;
      n_on += bench.on;
    }
  }
  std::printf("# %u times off, %u times on\n", n_off, n_on);
  tap.expect(n_off > 500 && n_on > 500, "the test did too little");
  tap.done("R-PG-2 to R-PG-4: answers, clock edges, what is reset and what is kept in every cycle");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_sm_power");
  qsm_unit::Tap tap(2);
  qsm_unit::begin_with_anything();
  test_times(tap);
  test_random(tap, random);
  return tap.exit_code();
}
