// SPDX-License-Identifier: Apache-2.0
// qsm_tb_sched beside sched_ref.h: every register that it shows and every message, in every cycle.
#ifndef QSM_SCHED_BENCH_H
#define QSM_SCHED_BENCH_H

#include "Vbench_tb_sched.h"
#include "Vbench_tb_sched___024root.h"

#include "../common/qsm_unit.h"
#include "sched_ref.h"

namespace sched_bench {

using qsm_unit::get;
using qsm_unit::noise;
using qsm_unit::set;

const SchedParams kParams = {NUM_SMS, NUM_KERNELS, NUM_SCHED, WARPS_PER_SM,
                             MAX_TBS, NUM_IMAGES,  LINE_BYTES};
const uint64_t kAllSms = (uint64_t{1} << NUM_SMS) - 1;
const unsigned kTbW = qsm_unit::index_bits(MAX_TBS);
const unsigned kSmW = qsm_unit::index_bits(NUM_SMS);
const unsigned kKernelW = qsm_unit::index_bits(NUM_KERNELS);
const unsigned kImageW = qsm_unit::index_bits(NUM_IMAGES);
const unsigned kTicketW = qsm_unit::index_bits(NUM_IMAGES + NUM_SMS * MAX_TBS);

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : ref(kParams), tap_(tap) {
    in.ctx.valid.assign(NUM_KERNELS, false);
    in.ctx.qos.assign(NUM_KERNELS, false);
    in.ctx.mask.assign(NUM_KERNELS, kAllSms);
    in.apart.assign(NUM_KERNELS, false);
    in.ctx.cap.assign(NUM_KERNELS, 0);
    in.ctx.level.assign(NUM_KERNELS, 0);
    in.grid.assign(NUM_KERNELS, {1, 1, 1});
    in.shape.assign(NUM_KERNELS, AllocShape{});
    in.preempt.slot.resize(NUM_KERNELS);
    in.ratio.assign(NUM_KERNELS, 0);
    in.samples.assign(NUM_SMS, std::vector<unsigned>(NUM_KERNELS, 0));
    power_left_.assign(NUM_SMS, 0);
    end_cycle();
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  // One cycle with the pulses and messages in `in`, which are then cleared.
  void cycle() {
    for (unsigned i = 0; i < NUM_SMS; i++) answer_power(i);
    drive();
    top.eval();
    compare_registers();
    out = ref.step(in);
    compare_decisions();
    for (unsigned i : out.owner.gate) power_left_[i] = 4;
    for (unsigned i : out.owner.wake) power_left_[i] = 7;
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
    const bool arrives = valid && !in.ctx.valid[k];
    if (arrives) in.arrival = static_cast<int>(k);
    cycle();
    in.ctx.valid[k] = valid;
    in.ctx.qos[k] = qos;
    if (arrives) in.ctx.cap[k] = 0;
  }
  void write_mask(unsigned k, uint64_t mask) {
    in.change = in.ctx.valid[k] && in.ctx.mask[k] != mask;
    cycle();
    in.ctx.mask[k] = mask;
  }
  void write_cap(unsigned k, unsigned cap) {
    in.change = in.ctx.valid[k];
    cycle();
    in.ctx.cap[k] = cap;
  }
  // SM i gets another use with the next cycle.
  void move_next(unsigned i, unsigned use, unsigned owner) {
    in.owner.request = true;
    in.owner.request_sm = i;
    in.owner.request_use = use;
    in.owner.request_owner = owner;
  }
  // An accepted write of a word of an idle slot's walk.
  void write_walk(unsigned k, unsigned word, uint32_t value) {
    in.walk_write = static_cast<int>(k);
    in.walk_word = word;
    in.walk = value;
    cycle();
  }
  void request(const PreemptRequest &request) {
    in.preempt.host = true;
    in.preempt.request = request;
    cycle();
  }
  void launch(unsigned k, std::array<unsigned, 3> grid, AllocShape shape) {
    in.grid[k] = grid;
    in.shape[k] = shape;
    in.launch = static_cast<int>(k);
    cycle();
  }

  Vbench_tb_sched top;
  SchedInput in;
  SchedOutput out;
  SchedRef ref;
  uint64_t n_cycles = 0;

 private:
  void end_cycle() {
    in.launch = in.kill_write = in.yield_write = in.walk_write = in.arrival = -1;
    in.change = in.snapshot = in.epoch_done = false;
    in.retire.assign(NUM_SMS, -1);
    in.fault.assign(NUM_SMS, std::vector<bool>(NUM_KERNELS, false));
    in.preempt.host = false;
    in.preempt.retire_saved.assign(NUM_SMS, false);
    in.preempt.restored.assign(NUM_SMS, false);
    in.owner.request = false;
    in.owner.off.assign(NUM_SMS, false);
    in.owner.on = in.owner.off;
  }

  // An SM that was told to stop or to wake up answers some cycles later.
  void answer_power(unsigned i) {
    if (power_left_[i] == 0 || --power_left_[i] != 0) return;
    (ref.owner.sm[i].power == QSM_POWER_STOPPING ? in.owner.off : in.owner.on)[i] = true;
  }

  void drive() {
    top.closed_i = in.closed;
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const int slot = static_cast<int>(k);
      set(top.valid_i, k, 1, in.ctx.valid[k]);
      set(top.qos_i, k, 1, in.ctx.valid[k] && in.ctx.qos[k]);
      set(top.level_i, k, 2, in.ctx.level[k]);
      set(top.mask_i, k, NUM_SMS, in.ctx.mask[k]);
      set(top.cap_i, k, 7, in.ctx.cap[k]);
      set(top.apart_i, k, 1, in.apart[k]);
      for (unsigned d = 0; d < 3; d++) set(top.grid_i, k * 3 + d, 16, in.grid[k][d]);
      set(top.warps_i, k, 7, in.shape[k].warps);
      set(top.granules_i, k, 6, in.shape[k].granules);
      set(top.launch_i, k, 1, slot == in.launch);
      set(top.kill_write_i, k, 1, slot == in.kill_write);
      set(top.yield_write_i, k, 1, slot == in.yield_write);
      for (unsigned w = 0; w < 3; w++)
        set(top.walk_write_i, k * 3 + w, 1, slot == in.walk_write && w == in.walk_word);
      set(top.arrival_i, k, 1, slot == in.arrival);
    }
    drive_preempt();
    top.walk_i = in.walk_write >= 0 ? in.walk : noise(~0u);
    top.alloc_change_i = in.change;
    top.snapshot_i = in.snapshot;
    for (unsigned i = 0; i < NUM_SMS; i++) {
      set(top.retire_i, i, 1, in.retire[i] >= 0);
      set(top.retire_tb_i, i, kTbW,
          in.retire[i] >= 0 ? static_cast<uint64_t>(in.retire[i]) : noise(MAX_TBS));
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        set(top.fault_i, i * NUM_KERNELS + k, 1, in.fault[i][k]);
      }
    }
  }

  void drive_preempt() {
    const PreemptInput &pre = in.preempt;
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const PreemptSlot &slot = pre.slot[k];
      set(top.shared_i, k, 19, slot.shared);
      set(top.save_base_i, k, 20, slot.save_base >> 12);
      set(top.save_limit_i, k, 20, slot.save_limit >> 12);
      set(top.idempotent_i, k, 1, slot.idempotent);
      set(top.hold_i, k, 1, slot.hold);
      for (unsigned w = 0; w < 2; w++) {
        set(top.win_r_i, 2 * k + w, 1, slot.window[w].r);
        set(top.win_w_i, 2 * k + w, 1, slot.window[w].w);
        set(top.win_base_i, 2 * k + w, 20, slot.window[w].base >> 12);
        set(top.win_limit_i, 2 * k + w, 20, slot.window[w].limit >> 12);
      }
    }
    for (unsigned k = 0; k < NUM_KERNELS; k++) set(top.ratio_i, k, 22, in.ratio[k]);
    top.preempt_i = pre.host;
    set(top.preempt_sm_i, 0, kSmW, pre.request.sm);
    set(top.preempt_kernel_i, 0, kKernelW, pre.request.kernel);
    top.preempt_by_slot_i = pre.request.by_slot;
    set(top.preempt_tb_i, 0, kTbW, pre.request.tb);
    set(top.preempt_technique_i, 0, 2, pre.request.technique);
    top.request_i = in.owner.request;
    set(top.request_sm_i, 0, kSmW, in.owner.request_sm);
    top.request_use_i = static_cast<uint8_t>(in.owner.request_use);
    set(top.request_owner_i, 0, kKernelW, in.owner.request_owner);
    top.move_technique_i = static_cast<uint8_t>(in.owner.technique);
    top.gating_i = in.owner.gating;
    for (unsigned i = 0; i < NUM_SMS; i++) {
      set(top.off_i, i, 1, in.owner.off[i]);
      set(top.on_i, i, 1, in.owner.on[i]);
    }
    top.adjust_i = in.adjust;
    top.paced_i = in.paced;
    top.latecomers_i = in.latecomers;
    top.epoch_done_i = in.epoch_done;
    top.adjust_technique_i = pre.evict_technique;
    for (unsigned i = 0; i < NUM_SMS; i++) {
      set(top.retire_saved_i, i, 1, pre.retire_saved[i]);
      set(top.restored_i, i, 1, pre.restored[i]);
      for (unsigned k = 0; k < NUM_KERNELS; k++)
        set(top.idle_i, i * NUM_KERNELS + k, 13, in.samples[i][k]);
    }
  }

  void same(const char *what, unsigned index, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s[%u] is %llu, must be %llu",
                static_cast<unsigned long long>(n_cycles), what, index,
                static_cast<unsigned long long>(seen), static_cast<unsigned long long>(wanted));
  }

  void compare_registers() {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const SchedRef::Slot &slot = ref.slot[k];
      same("busy", k, get(top.busy_o, k, 1), slot.busy);
      same("killed", k, get(top.killed_o, k, 1), slot.killed);
      same("yielded", k, get(top.yielded_o, k, 1), slot.yielded);
      for (unsigned d = 0; d < 3; d++)
        same("walk", k * 3 + d, get(top.walk_block_o, k * 3 + d, 16), slot.block[d]);
      same("walk_linear", k, get(top.walk_linear_o, k, 32), slot.linear);
      same("launches", k, get(top.launches_o, k, 32), slot.launches);
      same("faulted", k, get(top.faulted_o, k, 1), slot.killed && slot.faulted);
      if (slot.killed && slot.faulted)
        same("fault_sm", k, get(top.fault_sm_o, k, kSmW), slot.fault_sm);
      same("had_tb", k, get(top.had_tb_o, k, 1), slot.had_tb);
      for (unsigned i = 0; i < NUM_SMS; i++) {
        same("cnt", i * NUM_KERNELS + k, get(top.cnt_o, i * NUM_KERNELS + k, 6), ref.sm[i].cnt[k]);
        same("target", i * NUM_KERNELS + k, get(top.target_o, i * NUM_KERNELS + k, 6),
             ref.alloc.target[i][k]);
      }
    }
    same("alloc_busy", 0, top.alloc_busy_o, ref.alloc.busy());
    same("adjust_busy", 0, top.adjust_busy_o, ref.adjust.busy());
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const OwnerRef::Sm &s = ref.owner.sm[i];
      same("use", i, get(top.use_o, i, 2), s.use);
      same("owner", i, get(top.owner_o, i, kKernelW), s.owner);
      same("moving", i, get(top.moving_o, i, 1), s.moving);
      same("power", i, get(top.power_o, i, 2), s.power);
    }
    for (unsigned k = 0; k < NUM_KERNELS; k++)
      same("part", k, get(top.part_o, k, 1), in.ctx.valid[k] && ref.alloc.active[k]);
    same("moves", 0, top.moves_o, ref.owner.moves);
    compare_preempt();
  }

  void compare_preempt() {
    const PreemptRef &pre = ref.preempt;
    same("code", 0, top.preempt_code_o, pre.code);
    same("code sm", 0, top.preempt_sm_o, pre.code_sm);
    same("code tb", 0, top.preempt_tb_o, pre.code_tb);
    same("code image", 0, top.preempt_image_o, pre.code_image);
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const PreemptRef::Job &job = pre.job[i];
      same("job kind", i, get(top.job_kind_o, i, 3), job.kind);
      same("job kernel", i, get(top.job_kernel_o, i, kKernelW), job.kernel);
      same("job tb", i, get(top.job_tb_o, i, kTbW), job.tb);
      same("job image", i, get(top.job_image_o, i, kImageW), job.image);
      compare_job(i, job);
      same("result", i, get(top.job_result_o, i, 3), pre.result[i]);
      for (unsigned k = 0; k < NUM_KERNELS; k++) {
        same("staying", i * NUM_KERNELS + k, get(top.staying_o, i * NUM_KERNELS + k, 6),
             ref.sm[i].cnt[k] - (job.kind == QSM_JOB_SAVE && job.kernel == k));
      }
    }
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      for (unsigned v = 0; v < NUM_IMAGES; v++) {
        same("image used", k * NUM_IMAGES + v, get(top.images_o, k * NUM_IMAGES + v, 1),
             pre.slot[k].used[v]);
      }
      same("queued", k, get(top.saved_o, 2 * k, 5), pre.slot[k].queue.size());
      same("images", k, get(top.saved_o, 2 * k + 1, 5), pre.n_used(k));
    }
  }

  // What no port shows of a job: {..., fresh, host, ticket} of job_q (job.vlt).
  void compare_job(unsigned i, const PreemptRef::Job &job) {
    const unsigned width = kKernelW + kTbW + kImageW + 2 + kTicketW, hidden = kTicketW + 2;
    uint64_t bits = 0;
    for (unsigned b = 0; b < hidden; b++)
      bits |=
          get(top.rootp->bench_tb_sched__DOT__u_dut__DOT__u_preempt__DOT__job_q, i * width + b, 1)
          << b;
    if (job.kind != QSM_JOB_NONE) {
      same("job fresh", i, bits >> (kTicketW + 1), job.fresh);
      same("job host", i, (bits >> kTicketW) & 1, job.host);
    }
    if (job.kind == QSM_JOB_SAVED) same("job ticket", i, bits & ((1u << kTicketW) - 1), job.ticket);
  }

  void compare_decisions() {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      same("start", k, get(top.start_o, k, 1), out.start[k]);
      same("kill", k, get(top.kill_o, k, 1), out.kill[k]);
      same("ended", k, get(top.ended_o, k, 1), out.ended[k]);
    }
    for (unsigned i = 0; i < NUM_SMS; i++) {
      same("gate", i, get(top.gate_o, i, 1), out.owner.gate.count(i));
      same("wake", i, get(top.wake_o, i, 1), out.owner.wake.count(i));
    }
    const PreemptDecision &d = out.decision;
    const unsigned receiver = d.now ? d.request.sm : out.sm;
    same("message valid", 0, top.dispatch_valid_o,
         out.dispatch || d.saves() ? uint64_t{1} << receiver : 0);
    same("message valid", 1, top.dispatch_any_o, out.dispatch || d.saves());
    if (d.saves()) {
      same("save op", 0, top.dispatch_op_o, d.request.technique == QSM_TECHNIQUE_FLUSH ? 3 : 2);
      same("save kernel", 0, top.dispatch_kernel_o, d.request.kernel);
      same("save tb", 0, top.dispatch_tb_o, d.request.tb);
      same("save image", 0, top.dispatch_image_o, d.image);
    }
    if (!out.dispatch) return;
    same("dispatch op", 0, top.dispatch_op_o, out.restore ? 1 : 0);
    same("dispatch image", 0, top.dispatch_image_o, out.image);
    same("dispatch fresh", 0, top.dispatch_fresh_o, out.fresh);
    same("dispatch kernel", 0, top.dispatch_kernel_o, out.kernel);
    same("dispatch tb", 0, top.dispatch_tb_o, out.tb);
    same("dispatch first", 0, top.dispatch_first_o, out.first);
    same("dispatch base", 0, top.dispatch_base_o, out.base);
    same("dispatch linear", 0, top.dispatch_linear_o, out.linear);
    same("dispatch ticket", 0, top.dispatch_ticket_o, out.ticket);
    for (unsigned d = 0; d < 3; d++)
      same("dispatch block", d, get(top.dispatch_block_o, d, 16), out.block[d]);
  }

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
  std::vector<unsigned> power_left_;  // cycles until an SM answers
};

// Another use of an SM, more often none of its own; how moves take blocks away; gating.
inline void random_move(Bench &bench, qsm_unit::Random &random) {
  const unsigned use = random.below(5);
  bench.move_next(random.below(NUM_SMS), use < 3 ? use : unsigned{QSM_USE_SHARED},
                  random.below(NUM_KERNELS));
  if (random.one_in(3)) bench.in.owner.technique = random.below(QSM_TECHNIQUE_COUNT);
  bench.in.owner.gating = !random.one_in(4);
}

}  // namespace sched_bench

#endif
