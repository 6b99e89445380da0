// SPDX-License-Identifier: Apache-2.0
// Kernel table entry (qsm_tb_kernel with qsm_tb_walk) against docs/tb_sched.md R-TB-1 to R-TB-4 and
// R-TB-16 in every cycle, with grids of all sizes: walks begin anywhere by writes of their
// registers, counts of launches by force, as no test can wait for 2^32 blocks.
#include "Vbench_tb_kernel.h"
#include "Vbench_tb_kernel___024root.h"

#include <algorithm>
#include <array>

#include "../common/qsm_unit.h"

using qsm_unit::get;
using qsm_unit::set;

namespace {

constexpr unsigned kEndDelay = 16, kMaxOut = (1u << OUT_W) - 1;

// What a cycle brings.
struct Input {
  bool launch = false, kill_write = false, yield_write = false, arrival = false, dispatch = false,
       resume = false, unfinished = false;
  unsigned faults = 0, retires = 0;
  unsigned walk_write = 0;  // bit 0 x and y, 1 z, 2 linear
  uint32_t walk = 0;
};

struct Ref {
  bool busy = false, killed = false, yield = false, yielded = false, starting = false, all = false,
       ending = false, faulted = false;
  unsigned countdown = 0, out = 0, fault_sm = 0;
  uint32_t launches = 0, linear = 0;
  std::array<unsigned, 3> grid = {1, 1, 1}, block = {};

  bool has_block(const Input &in) const {
    return busy && !killed && !ending && ((!all && !yield) || in.resume);
  }
  bool kills(const Input &in) const {
    return (in.kill_write || in.faults != 0) && busy && !killed && !ending;
  }
  bool begins_to_end(const Input &in) const {
    return busy && !ending && (all || yield || killed) && out == 0 && !in.unfinished;
  }
  bool ends() const { return ending && countdown == 0; }

  void step(const Input &in) {
    const bool kill = kills(in), begin = begins_to_end(in), end = ends();
    if (in.yield_write) yield = true;
    if (end) {
      busy = ending = yield = false;
      launches += !killed && all;
      yielded = !killed && !all;
      if (!yielded) block = {};
      if (!yielded) linear = 0;
    }
    if (ending) countdown--;
    if (begin) {
      ending = true;
      countdown = kEndDelay - 1;
    }
    if (kill) {
      killed = true;
      faulted = in.faults != 0;
      fault_sm = faulted ? static_cast<unsigned>(__builtin_ctz(in.faults)) : 0;
    }
    if (in.dispatch && !in.resume) walk();
    out += in.dispatch;
    out -= in.retires;
    starting = in.launch;
    if (in.launch) {
      busy = true;
      killed = yielded = all = false;
    }
    if (in.walk_write & 1) {
      block[0] = in.walk & 0xFFFF;
      block[1] = in.walk >> 16;
    }
    if (in.walk_write & 2) block[2] = in.walk & 0xFFFF;
    if (in.walk_write & 4) linear = in.walk;
    if (in.arrival) {
      launches = linear = 0;
      block = {};
    }
  }

 private:
  void walk() {
    linear++;
    for (unsigned d = 0; d < 3; d++) {
      if (++block[d] < grid[d]) return;
      block[d] = 0;
    }
    all = true;
  }
};

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : tap_(tap) {
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  void cycle(const Input &in) {
    top.launch_i = in.launch;
    top.kill_write_i = in.kill_write;
    top.yield_write_i = in.yield_write;
    top.walk_write_i = static_cast<uint8_t>(in.walk_write);
    top.walk_i = in.walk;
    top.arrival_i = in.arrival;
    top.dispatch_i = in.dispatch;
    top.resume_i = in.resume;
    top.unfinished_i = in.unfinished;
    top.fault_i = static_cast<uint8_t>(in.faults);
    top.retires_i = static_cast<uint8_t>(in.retires);
    for (unsigned d = 0; d < 3; d++) set(top.grid_i, d, 16, ref.grid[d]);
    top.eval();
    compare(in);
    clock();
    forced_ = false;
    ref.step(in);
    n_cycles_++;
  }

  // In the cycle of the start message.
  void force(uint32_t launches) {
    top.rootp->bench_tb_kernel__DOT__u_dut__DOT__launches_q = ref.launches = launches;
    forced_ = true;
  }

  Vbench_tb_kernel top;
  Ref ref;

 private:
  void compare(const Input &in) {
    same("busy", top.busy_o, ref.busy);
    same("killed", top.killed_o, ref.killed);
    same("start", top.start_o, ref.starting);
    same("kill", top.kill_o, ref.kills(in));
    same("ending", top.ending_o, ref.begins_to_end(in));
    same("ended", top.ended_o, ref.ends());
    same("yielded", top.yielded_o, ref.yielded);
    same("launches", top.launches_o, ref.launches, !forced_);
    same("faulted", top.faulted_o, ref.killed && ref.faulted);
    same("fault SM", top.fault_sm_o, ref.fault_sm, ref.killed && ref.faulted);
    same("has block", top.has_block_o, ref.has_block(in));
    same("ready", top.ready_o, ref.has_block(in) && !ref.starting);
    same("out", top.out_o, ref.out);
    for (unsigned d = 0; d < 3; d++) same("block", get(top.block_o, d, 16), ref.block[d]);
    same("linear", top.linear_o, ref.linear);
  }
  void same(const char *what, uint64_t seen, uint64_t wanted, bool counts = true) {
    tap_.expect(!counts || seen == wanted, "cycle %llu: %s is %llu, must be %llu", n_cycles_, what,
                static_cast<unsigned long long>(seen), static_cast<unsigned long long>(wanted));
  }
  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
  unsigned long long n_cycles_ = 0;
  bool forced_ = false;
};

// A small grid or one of any size, and a block of it, in each dimension often near the end.
void draw_walk(qsm_unit::Random &random, std::array<unsigned, 3> &grid,
               std::array<unsigned, 3> &block) {
  const unsigned largest = random.one_in(4) ? 65535 : 4;
  for (unsigned d = 0; d < 3; d++) {
    grid[d] = 1 + random.below(largest);
    block[d] = random.one_in(4) ? random.below(grid[d])
                                : grid[d] - 1 - random.below(std::min(grid[d], 3u));
    // as near to what would be the end without the top bit
    if (grid[d] > 32768 + 3 && random.one_in(3)) block[d] = grid[d] - 32768 - 1 - random.below(3);
  }
}

void begin_at(Bench &bench, const std::array<unsigned, 3> &block, uint32_t linear) {
  const uint32_t words[] = {block[0] | block[1] << 16, block[2], linear};
  for (unsigned w = 0; w < 3; w++) {
    Input in;
    in.walk_write = 1u << w;
    in.walk = words[w];
    bench.cycle(in);
  }
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench(tap);
  Ref &ref = bench.ref;
  unsigned n_ended = 0, n_killed = 0, n_yielded = 0, n_full = 0, pace = 1, stay = 1;
  std::array<unsigned, 3> block = {};
  bool saved = false;  // some block waits in an image
  for (unsigned c = 0; c < 200000 && !tap.failed(); c++) {
    Input in;
    // A launch at the place that another left, or anywhere.
    in.launch = !ref.busy && random.one_in(4);
    if (in.launch && !random.one_in(ref.yielded ? 3 : 12)) {
      draw_walk(random, ref.grid, block);
      begin_at(bench, block, random.bits32());
    }
    if (in.launch) {
      for (unsigned d = 0; d < 3; d++) ref.grid[d] = std::max(ref.grid[d], ref.block[d] + 1);
      pace = 1 + random.below(3);
      stay = 1 + random.below(8);
    }
    in.arrival = !ref.busy && !in.launch && random.one_in(60);
    if (!ref.busy && !in.launch && !in.arrival && random.one_in(8)) in.walk_write = random.below(8);
    in.walk = random.bits32() & (random.one_in(4) ? 0x7FFF7FFF : 0x00030003);
    in.kill_write = random.one_in(700);
    in.yield_write = ref.busy && random.one_in(ref.ending ? 30 : 200);
    if (random.one_in(700)) in.faults = random.below(1u << NUM_SMS);
    if (random.one_in(20)) saved = ref.busy && !ref.ending && ref.out > 0;
    if (random.one_in(10) || ref.killed) saved = false;
    in.unfinished = saved;
    in.resume = saved && random.one_in(2);
    in.dispatch = ref.has_block(in) && !ref.starting && ref.out < kMaxOut && random.one_in(pace);
    in.retires = random.one_in(stay) && ref.out > 0;
    if (ref.starting && !random.one_in(4)) bench.force(random.bits32());
    n_ended += ref.ends() && !ref.killed && ref.all;
    n_yielded += ref.ends() && !ref.killed && !ref.all;
    n_killed += ref.kills(in);
    n_full += ref.out == kMaxOut;
    bench.cycle(in);
  }
  std::printf("# %u launches ended, %u killed, %u yielded, %u cycles with all blocks out\n",
              n_ended, n_killed, n_yielded, n_full);
  tap.expect(n_ended > 100 && n_killed > 100 && n_yielded > 100 && n_full > 100,
             "too few launches ended, or were killed, or yielded, or had many blocks out");
  tap.done("R-TB-1 to R-TB-4, R-TB-16: random launches: registers and messages in every cycle");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_tb_kernel");
  qsm_unit::Tap tap(1);
  qsm_unit::begin_with_anything();
  test_random(tap, random);
  return tap.exit_code();
}
