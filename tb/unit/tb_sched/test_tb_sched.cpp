// SPDX-License-Identifier: Apache-2.0
// TB scheduler (qsm_tb_sched) against sched_ref.h in every cycle: directed scenarios, then random launches on random SMs.
#include "Vqsm_tb_sched.h"

#include "../common/qsm_unit.h"
#include "sched_ref.h"

using qsm_unit::get;
using qsm_unit::set;

namespace {

const SchedParams kParams = {NUM_SMS, NUM_KERNELS, NUM_SCHED, WARPS_PER_SM, MAX_TBS, NUM_IMAGES};
const uint64_t kAllSms = (uint64_t{1} << NUM_SMS) - 1;
const unsigned kTbW = qsm_unit::index_bits(MAX_TBS);
const unsigned kSmW = qsm_unit::index_bits(NUM_SMS);

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : ref(kParams), tap_(tap) {
    in.ctx.valid.assign(NUM_KERNELS, false);
    in.ctx.qos.assign(NUM_KERNELS, false);
    in.ctx.mask.assign(NUM_KERNELS, kAllSms);
    in.grid.assign(NUM_KERNELS, {1, 1, 1});
    in.shape.assign(NUM_KERNELS, AllocShape{});
    end_cycle();
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  // One cycle with the pulses and messages in `in`, which are then cleared.
  void cycle() {
    drive();
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

  // Until the targets are there.
  void settle() {
    while (ref.alloc.busy()) cycle();
  }

  // The cycle of an accepted CTX write; the registers have the new value afterwards.
  void write_ctx(unsigned k, bool valid, bool qos) {
    in.change = in.ctx.valid[k] != valid || in.ctx.qos[k] != qos;
    if (valid && !in.ctx.valid[k]) in.arrival = static_cast<int>(k);
    cycle();
    in.ctx.valid[k] = valid;
    in.ctx.qos[k] = qos;
  }
  void write_mask(unsigned k, uint64_t mask) {
    in.change = in.ctx.valid[k] && in.ctx.mask[k] != mask;
    cycle();
    in.ctx.mask[k] = mask;
  }
  void launch(unsigned k, std::array<unsigned, 3> grid, AllocShape shape) {
    in.grid[k] = grid;
    in.shape[k] = shape;
    in.launch = static_cast<int>(k);
    cycle();
  }

  Vqsm_tb_sched top;
  SchedInput in;
  SchedOutput out;
  SchedRef ref;
  uint64_t n_cycles = 0;

 private:
  void end_cycle() {
    in.launch = in.kill_write = in.arrival = -1;
    in.change = in.snapshot = false;
    in.retire.assign(NUM_SMS, -1);
    in.fault.assign(NUM_SMS, std::vector<bool>(NUM_KERNELS, false));
  }

  void drive() {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const int slot = static_cast<int>(k);
      set(top.valid_i, k, 1, in.ctx.valid[k]);
      set(top.qos_i, k, 1, in.ctx.valid[k] && in.ctx.qos[k]);
      set(top.mask_i, k, NUM_SMS, in.ctx.mask[k]);
      for (unsigned d = 0; d < 3; d++) set(top.grid_i, k * 3 + d, 16, in.grid[k][d]);
      set(top.warps_i, k, 7, in.shape[k].warps);
      set(top.granules_i, k, 6, in.shape[k].granules);
      set(top.launch_i, k, 1, slot == in.launch);
      set(top.kill_write_i, k, 1, slot == in.kill_write);
      set(top.arrival_i, k, 1, slot == in.arrival);
    }
    top.alloc_change_i = in.change;
    top.snapshot_i = in.snapshot;
    for (unsigned i = 0; i < NUM_SMS; i++) {
      set(top.retire_i, i, 1, in.retire[i] >= 0);
      set(top.retire_tb_i, i, kTbW, in.retire[i] >= 0 ? static_cast<uint64_t>(in.retire[i]) : 0);
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        set(top.fault_i, i * NUM_KERNELS + k, 1, in.fault[i][k]);
      }
    }
  }

  void same(const char *what, unsigned index, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s[%u] is %llu, must be %llu", static_cast<unsigned long long>(n_cycles), what, index,
                static_cast<unsigned long long>(seen), static_cast<unsigned long long>(wanted));
  }

  void compare_registers() {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const SchedRef::Slot &slot = ref.slot[k];
      same("busy", k, get(top.busy_o, k, 1), slot.busy);
      same("killed", k, get(top.killed_o, k, 1), slot.killed);
      same("launches", k, get(top.launches_o, k, 32), slot.launches);
      same("faulted", k, get(top.faulted_o, k, 1), slot.killed && slot.faulted);
      if (slot.killed && slot.faulted) same("fault_sm", k, get(top.fault_sm_o, k, kSmW), slot.fault_sm);
      same("had_tb", k, get(top.had_tb_o, k, 1), slot.had_tb);
      for (unsigned i = 0; i < NUM_SMS; i++) {
        same("cnt", i * NUM_KERNELS + k, get(top.cnt_o, i * NUM_KERNELS + k, 6), ref.sm[i].cnt[k]);
        same("target", i * NUM_KERNELS + k, get(top.target_o, i * NUM_KERNELS + k, 6), ref.alloc.target[i][k]);
      }
    }
    same("alloc_busy", 0, top.alloc_busy_o, ref.alloc.busy());
  }

  void compare_decisions() {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      same("start", k, get(top.start_o, k, 1), out.start[k]);
      same("kill", k, get(top.kill_o, k, 1), out.kill[k]);
      same("ended", k, get(top.ended_o, k, 1), out.ended[k]);
    }
    same("dispatch valid", 0, top.dispatch_valid_o, out.dispatch ? uint64_t{1} << out.sm : 0);
    if (!out.dispatch) return;
    same("dispatch kernel", 0, top.dispatch_kernel_o, out.kernel);
    same("dispatch tb", 0, top.dispatch_tb_o, out.tb);
    same("dispatch first", 0, top.dispatch_first_o, out.first);
    same("dispatch base", 0, top.dispatch_base_o, out.base);
    same("dispatch linear", 0, top.dispatch_linear_o, out.linear);
    same("dispatch ticket", 0, top.dispatch_ticket_o, out.ticket);
    for (unsigned d = 0; d < 3; d++) same("dispatch block", d, get(top.dispatch_block_o, d, 16), out.block[d]);
  }

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
};

// R-TB-1 and R-TB-3: LAUNCH in t, dispatch in t + 2 (targets known), end 16 cycles after the cycle that sees nothing left.
void test_times_of_a_launch(qsm_unit::Tap &tap) {
  Bench bench(tap);
  bench.write_ctx(0, true, false);
  bench.settle();
  bench.launch(0, {1, 1, 1}, AllocShape{1, 0});
  bench.cycle();
  tap.expect(!bench.out.dispatch && bench.out.start[0], "t + 1 must send start and dispatch nothing");
  bench.cycle();
  tap.expect(bench.out.dispatch, "t + 2 must dispatch");
  bench.in.retire[bench.out.sm] = static_cast<int>(bench.out.tb);
  bench.cycle();
  for (unsigned c = 0; c <= 16; c++) {
    tap.expect(!bench.ref.slot[0].launches, "the launch ended %u cycles early", 17 - c);
    bench.cycle();
  }
  tap.expect(bench.ref.slot[0].launches == 1 && !bench.ref.slot[0].busy, "the launch has not ended");
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
  tap.expect(!bench.ref.slot[0].faulted && bench.ref.slot[0].launches == 0, "a host's KILL is no fault");
  bench.launch(0, {100, 1, 1}, AllocShape{1, 0});
  bench.in.fault[NUM_SMS - 1][0] = true;
  bench.in.fault[NUM_SMS / 2][0] = true;  // the same SM, if there is one only
  bench.in.kill_write = 0;
  bench.cycle();
  bench.in.fault[0][0] = true;
  bench.cycle();
  tap.expect(bench.ref.slot[0].faulted && bench.ref.slot[0].fault_sm == NUM_SMS / 2, "it is SM %u, must be the lowest of the first cycle", bench.ref.slot[0].fault_sm);
  bench.cycles(40);
  tap.done("a fault kills the launch and keeps the first SM");
}

// Host and SMs at random: contexts, masks, launches, kills, faults, retirements, snapshots. With more SMs targets take longer to
// compute, so the host acts less often.
void random_cycle(Bench &bench, qsm_unit::Random &random) {
  for (unsigned i = 0; i < NUM_SMS; i++) {
    const unsigned tb = random.below(MAX_TBS);
    if (random.one_in(6) && bench.ref.sm[i].tb[tb].used) bench.in.retire[i] = static_cast<int>(tb);
    if (random.one_in(200 * NUM_SMS)) bench.in.fault[i][random.below(NUM_KERNELS)] = true;
  }
  bench.in.snapshot = random.one_in(50);
  const unsigned k = random.below(NUM_KERNELS);
  const bool busy = bench.ref.slot[k].busy;
  switch (random.below(8 * NUM_SMS)) {
    case 0:
      if (!busy) return bench.write_ctx(k, !random.one_in(4), random.one_in(2));
      break;
    case 1:
      if (random.one_in(6)) return bench.write_mask(k, random.bits32() & kAllSms);
      break;
    case 2:
      if (busy && random.one_in(4)) bench.in.kill_write = static_cast<int>(k);
      break;
    case 3:
    case 4:
      if (!busy && bench.in.ctx.valid[k]) {
        const AllocShape shape = {1 + random.below(WARPS_PER_SM), random.one_in(2) ? 0 : random.below(20)};
        return bench.launch(k, {1 + random.below(5), 1 + random.below(4), 1 + random.below(3)}, random.one_in(2) ? bench.in.shape[k] : shape);
      }
      break;
    default:
      break;
  }
  bench.cycle();
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  uint64_t n_dispatched = 0, n_ended = 0, n_killed = 0;
  for (unsigned round = 0; round < 10 && !tap.failed(); round++) {
    Bench bench(tap);
    for (unsigned c = 0; c < 10000 && !tap.failed(); c++) {
      random_cycle(bench, random);
      n_dispatched += bench.out.dispatch;
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        n_ended += bench.out.ended[k];
        n_killed += bench.out.kill[k];
      }
    }
  }
  tap.expect(n_dispatched > 1000 && n_ended > 100 && n_killed > 50, "the test did too little: %llu dispatched, %llu ended, %llu killed",
             static_cast<unsigned long long>(n_dispatched), static_cast<unsigned long long>(n_ended),
             static_cast<unsigned long long>(n_killed));
  std::printf("# %llu dispatched, %llu launches ended, %llu killed\n", static_cast<unsigned long long>(n_dispatched),
              static_cast<unsigned long long>(n_ended), static_cast<unsigned long long>(n_killed));
  tap.done("random launches: every register and message in every cycle");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_tb_sched");
  qsm_unit::Tap tap(3);
  test_times_of_a_launch(tap);
  test_kill(tap);
  test_random(tap, random);
  return tap.exit_code();
}
