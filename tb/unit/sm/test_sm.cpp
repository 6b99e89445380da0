// SPDX-License-Identifier: Apache-2.0
// The SM around its sub-cores against docs/sm.md: thread-block slots, launch, barrier, faults,
// retirement, memory port. The bench plays the sub-cores. Directed checks, then random life
// compared with an independent reference in every cycle. Configuration `odd`. Usage: test_sm
// [seed]. Output: TAP.
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "../common/qsm_unit.h"
#include "Vbench_sm.h"

double sc_time_stamp() { return 0; }

namespace {

using qsm_unit::Random;
using qsm_unit::Tap;

constexpr uint32_t kSubs = 2, kLanes = 4, kKernels = 3, kTbs = 5, kTxns = 8;
constexpr uint32_t kWarps[kKernels] = {6, 1, 3}, kThreads[kKernels] = {24, 3, 9};
constexpr uint32_t kRowBytes = 4 * kLanes, kGranuleRows = 12, kRows = 384;
using Shared = std::array<uint32_t, kKernels>;  // bytes of a block of each kernel

struct Record {
  uint32_t cause, pc, tid, block, value;
};
bool operator==(const Record &a, const Record &b) { return memcmp(&a, &b, sizeof a) == 0; }

struct Source {
  bool valid = false;
  uint32_t kernel = 0;
  Record record{};
};
struct Event {
  bool valid = false;
  uint32_t tb = 0;
};
enum Op : uint32_t { kNew, kRestore, kSave, kFlush };
struct Dispatch {
  bool valid = false;
  uint32_t kernel = 0, tb = 0, first = 0, base = 0, linear = 0, block[3] = {};
  Op op = kNew;
  bool fresh = false;
};
struct Miss {
  bool valid = false;
  uint32_t addr = 0, slot = 0;
};

struct Inputs {
  uint32_t start = 0, kill = 0;
  uint32_t record_kernel = 1;  // whose fault record is asked for
  Dispatch dispatch;
  Event arrive[kSubs], finish[kSubs];
  Source source[kSubs];
  Miss miss[kSubs];
  bool rsp_valid = false;
  uint32_t rsp_tag = 0, rsp_data = 0;
};

struct Start {
  bool valid = false;
  uint32_t kernel = 0, tb = 0, widx = 0, live = 0;
  bool restored = false;
};

struct Outputs {
  Start start[kSubs];
  uint32_t release = 0, present = 0, runnable = 0, killed = 0, fault = 0, grant = 0, fill = 0,
           tb_valid = 0;
  Event retire;
  bool restored = false, wipe = false;
  uint32_t wipe_row = 0;
  Record record{};  // of record_kernel
};

// ---- reference: the page, rule by rule ----
class Reference {
 public:
  explicit Reference(const Shared &shared) : shared_(shared) {}

  // lsu: what the load/store unit raises in this cycle
  Outputs cycle(const Inputs &in, const Source &lsu) {
    Outputs out;
    out.killed = killed_;
    out.fault = message_;
    out.record = record_[in.record_kernel];
    look_at_slots(out);
    wipe(out);
    launch(out);
    port(in, out);
    take_faults(in, lsu);
    count(in, out);
    end_job(out);
    if (in.dispatch.valid) take_message(in.dispatch, out);
    if (out.retire.valid) slot_[out.retire.tb].valid = false;  // R-SM-4
    return out;
  }

 private:
  struct Slot {
    bool valid = false;
    uint32_t kernel = 0, first = 0, left = 0, arrived = 0, base = 0;
    bool clean = false;
  };
  struct Wipe {
    bool valid = false;
    uint32_t slot = 0, row = 0, left = 0;
  };

  bool over(uint32_t s) const {
    return slot_[s].valid && !slot_[s].left && !(frozen(s) && op_ == kRestore);
  }  // R-SM-4

  void wipe(Outputs &out) {  // R-SM-10
    out.wipe = wipe_.valid;
    out.wipe_row = wipe_.row;
    if (wipe_.valid) {
      wipe_.row++;
      if (--wipe_.left) return;
      wipe_.valid = false;
      slot_[wipe_.slot].clean = true;
      return;
    }
    for (uint32_t s = 0; s < kTbs && !wipe_.valid; s++) {
      const Slot &t = slot_[s];
      if (over(s) && !t.clean)
        wipe_ = {true, s, t.base * kGranuleRows, (shared_[t.kernel] + kRowBytes - 1) / kRowBytes};
    }
  }

  // The sub-cores here never do a step and always have something in flight: a save ends when its
  // block retires (R-PE-21) or is killed, a restore when it is killed (R-PE-20).
  void end_job(Outputs &out) {
    if (op_ == kNew) return;
    const bool killed = killed_before_ >> slot_[op_tb_].kernel & 1;
    out.restored = op_ == kRestore && killed;
    if (killed || (out.retire.valid && out.retire.tb == op_tb_)) op_ = kNew;
  }

  void take_message(const Dispatch &d, const Outputs &out) {  // R-SM-1, R-PE-12
    const bool saves = d.op == kSave || d.op == kFlush;
    if (saves && (!slot_[d.tb].valid || (out.retire.valid && out.retire.tb == d.tb))) return;
    if (d.op != kNew) {
      op_ = d.op;
      op_tb_ = d.tb;
      fresh_ = d.fresh;
    }
    if (saves) return;
    slot_[d.tb] = {true, d.kernel, d.first, kWarps[d.kernel], 0, d.base, shared_[d.kernel] == 0};
    queue_.push_back(d.tb);
  }

  bool frozen(uint32_t s) const { return op_ != kNew && op_tb_ == s; }

  void look_at_slots(Outputs &out) const {  // R-SM-3, -4, -5, R-PE-21, R-PE-22
    for (uint32_t s = 0; s < kTbs; s++) {
      const Slot &t = slot_[s];
      if (!t.valid) continue;
      out.tb_valid |= 1u << s;
      if (!frozen(s)) out.runnable |= 1u << t.kernel;
      if (!frozen(s) || op_ == kRestore) out.present |= 1u << t.kernel;
      if (t.arrived && t.arrived == t.left) out.release |= 1u << s;
      if (over(s) && t.clean && !out.retire.valid) out.retire = {true, s};
    }
  }

  void launch(Outputs &out) {  // R-SM-2
    if (queue_.empty()) return;
    const uint32_t tb = queue_.front(), k = slot_[tb].kernel;
    Start &s = out.start[(slot_[tb].first + next_warp_) % kSubs];
    s = {true, k, tb, next_warp_, 0, frozen(tb) && op_ == kRestore && !fresh_};
    for (uint32_t l = 0; l < kLanes; l++)
      if (next_warp_ * kLanes + l < kThreads[k] && !(killed_ >> k & 1)) s.live |= 1u << l;
    if (++next_warp_ == kWarps[k]) {
      next_warp_ = 0;
      queue_.pop_front();
    }
  }

  static void port(const Inputs &in, Outputs &out) {  // R-SM-8, R-SM-9
    for (uint32_t s = kSubs; s-- > 0;)
      if (in.miss[s].valid) out.grant = 1u << s;
    if (in.rsp_valid && in.rsp_tag >= kTxns) out.fill = 1u << (in.rsp_tag - kTxns);
  }

  void take_faults(const Inputs &in, const Source &lsu) {  // R-SM-6, R-SM-7
    uint32_t fresh = 0;
    auto take = [&](const Source &f) {
      if (!f.valid || (killed_ | fresh) >> f.kernel & 1) return;
      fresh |= 1u << f.kernel;
      record_[f.kernel] = f.record;
    };
    killed_before_ = killed_;
    take(lsu);
    for (const Source &f : in.source) take(f);
    killed_ = (killed_ & ~in.start) | in.kill | fresh;
    message_ = fresh;
  }

  void count(const Inputs &in, const Outputs &out) {  // R-SM-3
    for (uint32_t i = 0; i < kSubs; i++) {
      if (in.finish[i].valid) slot_[in.finish[i].tb].left--;
      if (in.arrive[i].valid) slot_[in.arrive[i].tb].arrived++;
    }
    for (uint32_t s = 0; s < kTbs; s++)
      if (out.release >> s & 1 || killed_before_ >> slot_[s].kernel & 1) slot_[s].arrived = 0;
  }

  const Shared shared_;
  Slot slot_[kTbs];
  Wipe wipe_;
  Op op_ = kNew;  // of the job; kNew: none
  uint32_t op_tb_ = 0;
  bool fresh_ = false;
  std::deque<uint32_t> queue_;
  uint32_t next_warp_ = 0, killed_ = 0, killed_before_ = 0, message_ = 0;
  Record record_[kKernels] = {};
};

class Rtl {
 public:
  explicit Rtl(const Shared &shared = {}) {
    for (uint32_t k = 0; k < kKernels; k++) {
      top.shared_i[k] = shared[k];
      top.warps_i[k] = kWarps[k];
      top.threads_i[k] = kThreads[k];
    }
    top.clk_i = 0;
    top.rst_ni = 1;
    top.eval();
    top.rst_ni = 0;
    top.eval();
    edge();
    top.rst_ni = 1;
  }
  ~Rtl() { top.final(); }

  Outputs cycle(const Inputs &in) {
    drive(in);
    top.eval();
    return read();
  }

  void edge() {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  }

  // Rows of shared memory that are all zeros, for each; -1: neither zeros nor ones.
  std::vector<int> cleared() {
    std::vector<int> rows;
    for (top.peek_row_i = 0; top.peek_row_i < kRows; top.peek_row_i++) {
      top.eval();
      rows.push_back(top.peek_o[0] ? 1 : top.peek_o[1] ? 0 : -1);
    }
    return rows;
  }

  void fill_shared() {  // takes cycles: while nothing happens
    top.fill_i = 1;
    for (top.peek_row_i = 0; top.peek_row_i < kRows; top.peek_row_i++) edge();
    top.fill_i = 0;
  }

  Vbench_sm top;

 private:
  void drive(const Inputs &in) {
    top.start_i = in.start;
    top.kill_i = in.kill;
    top.record_kernel_i = in.record_kernel;
    const Dispatch &d = in.dispatch;
    const uint32_t words[8] = {d.valid, d.kernel, d.tb, d.first, d.base, d.linear, d.op, d.fresh};
    for (int i = 0; i < 8; i++) top.dispatch_i[i] = words[i];
    for (int i = 0; i < 3; i++) top.block_i[i] = static_cast<uint16_t>(d.block[i]);
    for (uint32_t s = 0; s < kSubs; s++) {
      top.arrive_i[s][0] = in.arrive[s].valid;
      top.arrive_i[s][1] = in.arrive[s].tb;
      top.finish_i[s][0] = in.finish[s].valid;
      top.finish_i[s][1] = in.finish[s].tb;
      const Source &f = in.source[s];
      const uint32_t fault[7] = {f.valid,      f.kernel,       f.record.cause, f.record.pc,
                                 f.record.tid, f.record.block, f.record.value};
      for (int i = 0; i < 7; i++) top.source_i[s][i] = fault[i];
      top.miss_i[s][0] = in.miss[s].valid;
      top.miss_i[s][1] = in.miss[s].addr;
      top.miss_i[s][2] = in.miss[s].slot;
    }
    top.rsp_i[0] = in.rsp_valid;
    top.rsp_i[1] = in.rsp_tag;
    top.rsp_data_i = in.rsp_data;
  }

  Outputs read() const {
    Outputs out;
    for (uint32_t s = 0; s < kSubs; s++) {
      if (top.warp_o[s][0])
        out.start[s] = {true,
                        top.warp_o[s][1],
                        top.warp_o[s][2],
                        top.warp_o[s][3],
                        top.warp_o[s][4],
                        top.warp_o[s][5] != 0};
      out.grant |= top.grant_o[s] << s;
      out.fill |= top.fill_o[s][0] << s;
    }
    out.release = top.release_o;
    out.present = top.present_o;
    out.runnable = top.runnable_o;
    out.restored = top.restored_o;
    out.wipe = top.wipe_o[0];
    out.wipe_row = top.wipe_o[1];
    out.killed = top.killed_o;
    out.fault = top.fault_o;
    if (top.retire_o[0]) out.retire = {true, top.retire_o[1]};
    out.record = {top.record_o[0], top.record_o[1], top.record_o[2], top.record_o[3],
                  top.record_o[4]};
    for (uint32_t t = 0; t < kTbs; t++) out.tb_valid |= top.info_o[t][0] << t;
    return out;
  }
};

// First field that differs, or null.
const char *difference(const Outputs &a, const Outputs &b) {
  for (uint32_t s = 0; s < kSubs; s++) {
    const Start &x = a.start[s], &y = b.start[s];
    if (x.valid != y.valid ||
        (x.valid && (x.kernel != y.kernel || x.tb != y.tb || x.widx != y.widx)))
      return "start";
    if (x.valid && x.live != y.live) return "start.live";
    if (x.valid && x.restored != y.restored) return "start.restored";
  }
  if (a.tb_valid != b.tb_valid) return "tb_valid";
  if (a.release != b.release) return "release";
  if (a.present != b.present) return "present";
  if (a.runnable != b.runnable) return "runnable";
  if (a.restored != b.restored) return "restored message";
  if (a.killed != b.killed) return "killed";
  if (a.fault != b.fault) return "fault message";
  if (a.grant != b.grant) return "miss grant";
  if (a.fill != b.fill) return "fill";
  if (a.retire.valid != b.retire.valid || a.retire.tb != b.retire.tb) return "retire";
  if (a.wipe != b.wipe || (a.wipe && a.wipe_row != b.wipe_row)) return "wipe";
  if (!(a.record == b.record)) return "fault record";
  return nullptr;
}

// Both sides together. The directed tests look at `out` of the cycle just made.
class Bench {
 public:
  explicit Bench(Tap &tap, const Shared &shared = {}) : rtl(shared), ref_(shared), tap_(tap) {}

  const Outputs &step(const Inputs &in, const Source &lsu = Source()) {
    out = rtl.cycle(in);
    const Outputs want = ref_.cycle(in, lsu);
    const char *what = difference(out, want);
    tap_.expect(!what, "cycle %ld: %s", n_cycles, what ? what : "");
    return out;
  }
  void edge() {
    rtl.edge();
    n_cycles++;
  }
  const Outputs &full(const Inputs &in, const Source &lsu = Source()) {
    step(in, lsu);
    edge();
    return out;
  }

  Rtl rtl;
  Outputs out;
  long n_cycles = 0;

 private:
  Reference ref_;
  Tap &tap_;
};

Inputs dispatch(uint32_t kernel, uint32_t tb, uint32_t first = 0) {
  Inputs in;
  in.dispatch = {true, kernel, tb, first, 3 + tb, 100 + tb, {7, 8, 9}};
  return in;
}
Inputs message(Op op, uint32_t kernel, uint32_t tb, bool fresh = false) {
  Inputs in = dispatch(kernel, tb);
  in.dispatch.op = op;
  in.dispatch.fresh = fresh;
  return in;
}
Inputs finish(uint32_t sub, uint32_t tb) {
  Inputs in;
  in.finish[sub] = {true, tb};
  return in;
}
Inputs arrive(uint32_t sub, uint32_t tb) {
  Inputs in;
  in.arrive[sub] = {true, tb};
  return in;
}
Source fault(uint32_t kernel, uint32_t cause) {
  return {true, kernel, {cause, 0x1000 + cause, 5, 77, 0xabc}};
}

void test_launch(Tap &tap) {
  Bench b(tap);
  b.full(dispatch(2, 4, 1));
  // 9 threads: 4, 4, 1; sub-cores 1, 0, 1
  const uint32_t sub[3] = {1, 0, 1}, live[3] = {15, 15, 1};
  for (uint32_t i = 0; i < 3; i++) {
    b.full({});
    const Start &s = b.out.start[sub[i]];
    tap.expect(s.valid && s.widx == i && s.live == live[i] && s.tb == 4 && s.kernel == 2, "warp %u",
               i);
    tap.expect(!b.out.start[1 - sub[i]].valid, "warp %u on one sub-core only", i);
  }
  b.full({});
  tap.expect(!b.out.start[0].valid && !b.out.start[1].valid, "no fourth warp");
  tap.expect(b.rtl.top.info_o[4][2] == 7 && b.rtl.top.info_o[4][3] == 104,
             "what the load/store unit is told of the block");
  tap.done("warps of a block start one per cycle, circular over the sub-cores (R-SM-1, R-SM-2)");
}

void test_order(Tap &tap) {
  Bench b(tap);
  b.full(dispatch(1, 3));
  b.full(dispatch(2, 0));
  b.full(dispatch(1, 1));
  std::vector<uint32_t> seen;
  for (int i = 0; i < 6; i++) {
    b.full({});
    for (const Start &s : b.out.start)
      if (s.valid) seen.push_back(s.tb);
  }
  tap.expect(seen == std::vector<uint32_t>({0, 0, 1}),
             "two warps of slot 0 were left, then slot 1");
  tap.done("blocks launch in the order of their arrival (R-SM-1)");
}

void test_barrier(Tap &tap) {
  Bench b(tap);
  b.full(dispatch(2, 1));
  for (int i = 0; i < 3; i++) b.full({});
  Inputs both = arrive(0, 1);
  both.arrive[1] = {true, 1};
  b.full(both);
  tap.expect(!b.out.release, "not in the cycle of arrival");
  b.full({});
  tap.expect(!b.out.release, "two of three do not release");
  b.full(finish(0, 1));  // the third thread ends instead
  b.full({});
  tap.expect(b.out.release == 2, "release in the cycle after the last arrived or finished");
  b.full({});
  tap.expect(!b.out.release, "once");
  b.full(finish(0, 1));
  b.full(finish(1, 1));
  b.full({});
  tap.expect(b.out.retire.valid && b.out.retire.tb == 1 && b.out.present == 4,
             "retires when none is left");
  b.full({});
  tap.expect(!b.out.retire.valid && !b.out.present, "once");
  tap.done("barrier and retirement (R-SM-3, R-SM-4, R-SM-5)");
}

void test_retire_order(Tap &tap) {
  Bench b(tap);
  b.full(dispatch(1, 2));
  b.full(dispatch(1, 0));
  b.full({});
  Inputs in = finish(0, 2);
  in.finish[1] = {true, 0};
  b.full(in);
  b.full({});
  tap.expect(b.out.retire.valid && b.out.retire.tb == 0, "lowest first");
  b.full({});
  tap.expect(b.out.retire.valid && b.out.retire.tb == 2, "then the next");
  tap.done("one retirement per cycle, lowest slot first (R-SM-4)");
}

// Cycles from the one after the last finish of a block of kernel 1 to its retirement; 999: never.
uint32_t cycles_to_retire(Bench &b, uint32_t tb) {
  for (uint32_t i = 0; i < 500; i++) {
    b.full({});
    if (b.out.retire.valid && b.out.retire.tb == tb) return i;
  }
  return 999;
}

void test_wipe(Tap &tap) {
  for (uint32_t bytes : {0u, 1u, 15u, 16u, 17u, 192u, 193u, kRows * kRowBytes}) {
    const uint32_t rows = (bytes + kRowBytes - 1) / kRowBytes,
                   base = bytes == kRows * kRowBytes ? 0 : 30;
    Bench b(tap, {0, bytes, 0});
    b.rtl.fill_shared();
    for (int round = 0; round < 2; round++) {  // the slot's second block is wiped too
      Inputs in = dispatch(1, 2);
      in.dispatch.base = base;
      b.full(in);
      b.full({});
      b.full(finish(0, 2));
      const uint32_t late = cycles_to_retire(b, 2);
      tap.expect(late == (rows ? rows + 1 : 0), "%u bytes: retires %u cycles late", bytes, late);
      const std::vector<int> cleared = b.rtl.cleared();
      for (uint32_t r = 0; r < kRows; r++) {
        const bool own = r >= base * kGranuleRows && r < base * kGranuleRows + rows;
        tap.expect(cleared[r] == own, "%u bytes: row %u", bytes, r);
      }
      b.rtl.fill_shared();
    }
  }
  tap.done(
      "a block's shared memory is zeros when it retires, and no other; n + 1 cycles later for n rows (R-SM-10)");
}

void test_wipes_in_turn(Tap &tap) {
  Bench b(tap, {0, 40, 0});  // three rows a block of kernel 1
  for (uint32_t tb : {3u, 1u}) b.full(dispatch(1, tb));
  b.full(dispatch(2, 4));
  for (int i = 0; i < 4; i++) b.full({});
  b.full(finish(0, 4));
  b.full(finish(0, 4));
  Inputs in = finish(0, 3);
  in.finish[1] = {true, 1};
  b.full(in);
  b.full(finish(0, 4));
  std::vector<std::pair<int, uint32_t>> retired;
  for (int i = 1; i < 12; i++) {
    b.full({});
    if (b.out.retire.valid) retired.push_back({i, b.out.retire.tb});
  }
  // Over in 0: wipe of slot 1 in 1 to 3, it retires in 4, when slot 3 is found: wiped in 5 to 7.
  // Slot 4 needs none.
  tap.expect(retired == std::vector<std::pair<int, uint32_t>>({{1, 4}, {4, 1}, {8, 3}}),
             "%zu retirements", retired.size());
  tap.done(
      "blocks that are over at once are wiped one after the other, the lowest first; others retire meanwhile (R-SM-4, R-SM-10)");
}

void test_wipe_of_killed(Tap &tap) {
  Bench b(tap, {0, 40, 0});
  b.rtl.fill_shared();
  Inputs in = dispatch(1, 0);
  in.kill = 2;
  b.full(in);
  b.full({});
  b.full(finish(0, 0));
  tap.expect(cycles_to_retire(b, 0) == 4 && b.rtl.cleared()[3 * kGranuleRows + 2] == 1,
             "a killed block is wiped");
  tap.done("a killed kernel's block is wiped like any other (R-SM-10)");
}

void test_faults(Tap &tap) {
  Bench b(tap);
  Inputs in;
  in.source[0] = fault(1, 2);
  in.source[1] = fault(1, 3);
  b.full(in);
  tap.expect(!b.out.killed && !b.out.fault, "not in the cycle of the fault");
  b.full({});
  tap.expect(b.out.killed == 2 && b.out.fault == 2 && b.out.record.cause == 2,
             "the lowest sub-core counts");
  in = {};
  in.source[1] = fault(1, 8);
  b.full(in);
  b.full({});
  tap.expect(b.out.fault == 0 && b.out.record.cause == 2, "a killed kernel faults no more");
  in = {};
  in.source[0] = fault(0, 1);
  in.source[1] = fault(2, 4);
  b.full(in);
  b.full({});
  tap.expect(b.out.fault == 5 && b.out.killed == 7, "two kernels in one cycle");
  in = {};
  in.start = 2;
  b.full(in);
  b.full({});
  tap.expect(b.out.killed == 5, "start clears the flag");
  in = {};
  in.start = in.kill = 1;
  b.full(in);
  b.full({});
  tap.expect(b.out.killed == 5 && !b.out.fault, "a kill wins over a start and sends no fault");
  tap.done("faults, kills and starts (R-SM-6, R-SM-7)");
}

// A load of kernel 1 whose fault would be raised in the cycle of one of a sub-core.
void lsu_fault_beside(Tap &tap, uint32_t kernel) {
  Bench b(tap);
  b.full(dispatch(1, 3));
  b.rtl.top.mq_i[1][0] = 1;
  b.rtl.top.mq_i[1][1] = 1;
  b.rtl.top.mq_i[1][2] = 3;
  b.rtl.top.mq_i[1][3] = 0x70000000;
  b.step({});
  tap.expect(b.rtl.top.pop_o[1] == 1 && b.rtl.top.pop_o[0] == 0, "popped from its sub-core");
  b.edge();
  b.rtl.top.mq_i[1][0] = 0;
  b.full({});
  Inputs in;
  in.source[0] = fault(kernel, 2);
  const Source lsu{true, 1, {5, 0x80000040, 2 * kLanes + 1, 103, 0x70000000}};
  b.full(in);
  b.full({}, lsu);
  tap.expect(b.out.killed == 1u << kernel && b.out.fault == 1u << kernel, "the load's waits");
  b.full({});
  if (kernel == 1)
    tap.expect(!b.out.fault && b.out.record == in.source[0].record, "and finds its kernel killed");
  else
    tap.expect(b.out.fault == 2 && b.out.record == lsu.record, "by a cycle");
}

void test_lsu_fault_waits(Tap &tap) {
  for (uint32_t kernel = 0; kernel < kKernels; kernel++) lsu_fault_beside(tap, kernel);
  tap.done("a fault of the load/store unit waits for those of the sub-cores (R-SM-6, R-LS-3)");
}

void test_killed_launch(Tap &tap) {
  Bench b(tap);
  Inputs in = dispatch(0, 0);
  b.full(in);
  in = {};
  in.kill = 1;
  b.full(in);
  tap.expect(b.out.start[0].valid && b.out.start[0].live == 15,
             "seen in this cycle: not yet killed");
  for (int i = 1; i < 6; i++) {
    b.full({});
    tap.expect(b.out.start[i % 2].valid && b.out.start[i % 2].live == 0,
               "warp %d starts with no live lane", i);
  }
  tap.done("warps of a killed kernel start dead and are counted (R-SM-2, R-SM-4)");
}

void test_save_message(Tap &tap) {
  Bench b(tap);
  b.full(message(kSave, 1, 3));
  b.full({});
  tap.expect(b.rtl.top.phase_o == 0 && b.out.tb_valid == 0,
             "a message for an unused slot does nothing");
  b.full(dispatch(1, 3));
  b.full(message(kFlush, 1, 3));
  b.full({});
  tap.expect(b.rtl.top.phase_o == 2 && b.out.tb_valid == 8 && !b.out.present && !b.out.runnable,
             "a block that is flushed is not present");
  b.full(finish(0, 3));
  b.full({});
  tap.expect(b.out.retire.valid && b.rtl.top.retire_o[2] == 0,
             "it ends before it is quiet: retires, not saved");
  b.full({});
  tap.expect(b.rtl.top.phase_o == 0, "which ends the job");
  b.full(dispatch(1, 3));
  b.full({});
  b.full(finish(0, 3));
  b.full(message(kSave, 1, 3));
  tap.expect(b.out.retire.valid, "a message in the cycle in which the block retires");
  b.full({});
  tap.expect(b.rtl.top.phase_o == 0, "does nothing");
  b.full(dispatch(1, 3));
  b.full(message(kSave, 1, 3));
  Inputs in;
  in.kill = 2;
  b.full(in);
  b.full({});
  b.full({});
  tap.expect(b.rtl.top.phase_o == 0 && b.out.present == 2, "a kill ends the job");
  tap.done(
      "a save begins only with a block, and ends with it (R-PE-12, R-PE-20, R-PE-21, R-PE-22)");
}

// A flushed block waits for its retirement while another, lower slot retires.
void test_saved(Tap &tap) {
  for (const uint32_t bytes : {0u, 40u}) {
    Rtl rtl({0, bytes, 0});
    auto cycle = [&](const Inputs &in) {
      rtl.cycle(in);
      rtl.edge();
    };
    cycle(dispatch(1, 1));
    cycle(dispatch(1, 3));
    for (int i = 0; i < 3; i++) cycle({});
    cycle(message(kFlush, 1, 3));
    rtl.top.quiet_i = 1;
    // quiet, find and six steps of the header in two cycles each, the last step, evict
    for (int i = 0; i < 17; i++) cycle({});
    Inputs in = finish(0, 3);
    in.finish[1] = {true, 1};
    cycle(in);
    // Three rows each: slot 1 is over in 0, wiped in 1 to 3; slot 3 in 5 to 7.
    for (int i = 0; i < 9; i++) {
      const Outputs out = rtl.cycle({});
      const bool first = i == (bytes ? 4 : 0), second = i == (bytes ? 8 : 1);
      tap.expect(out.retire.valid == (first || second) && rtl.top.retire_o[2] == second,
                 "cycle %d: slot %u retires, saved or not", i, first ? 1 : 3);
      if (first || second)
        tap.expect(out.retire.tb == (first ? 1 : 3), "cycle %d: another slot", i);
      rtl.edge();
    }
    rtl.cycle({});
    tap.expect(rtl.top.phase_o == 0, "which ends the job");
  }
  tap.done(
      "a block that is saved retires marked so, another does not, both wiped (R-PE-17, R-SM-4, R-SM-10)");
}

void test_restore_message(Tap &tap) {
  for (const bool fresh : {false, true}) {
    Bench b(tap);
    b.full(message(kRestore, 1, 2, fresh));
    b.full({});
    tap.expect(b.out.start[0].valid && b.out.start[0].restored == !fresh,
               "the warp of a restored block starts without a split, unless it is fresh");
    b.full(finish(0, 2));
    for (int i = 0; i < 5; i++) b.full({});
    tap.expect(!b.out.retire.valid && b.out.present == 2 && !b.out.runnable,
               "a block does not retire while it is restored");
    Inputs in;
    in.kill = 2;
    b.full(in);
    b.full({});
    tap.expect(b.out.restored, "a kill ends the restore");
    b.full({});
    tap.expect(b.out.retire.valid && !b.out.restored, "then it retires");
  }
  tap.done("a restored block starts frozen and stays (R-PE-12, R-PE-13, R-PE-20, R-PE-21)");
}

void test_port(Tap &tap) {
  Bench b(tap);
  b.full(dispatch(1, 0));
  Inputs in;
  in.miss[0] = {true, 0x80000040, 1};
  in.miss[1] = {true, 0x80000080, 2};
  b.step(in);
  auto &req = b.rtl.top.req_o;
  tap.expect(b.out.grant == 1 && req[0] == 1 && req[1] == 0 && req[2] == 0x80000040 &&
                 req[4] == kTxns && req[5] == 1,
             "lowest sub-core first");
  b.edge();
  in.miss[0].valid = false;
  b.step(in);
  tap.expect(b.out.grant == 2 && req[4] == kTxns + 1 && req[2] == 0x80000080 && req[5] == 2,
             "then the other");
  b.edge();
  b.step({});
  tap.expect(!req[0], "quiet without a miss");
  b.edge();
  in = {};
  in.rsp_valid = true;
  in.rsp_tag = kTxns + 1;
  in.rsp_data = 0x1234;
  b.step(in);
  tap.expect(b.out.fill == 2 && b.rtl.top.fill_o[1][1] == 0x1234,
             "the line goes to its sub-core in the same cycle");
  b.edge();
  tap.done("memory port and fills (R-SM-8, R-SM-9)");
}

// Two channels and lines of 16 bytes: the upper half of 64 MiB is all of channel 1. Who asks
// counts, and the cycle.
void test_split(Tap &tap) {
  Bench b(tap);
  auto &top = b.rtl.top;
  const uint32_t whole = 0x82000040, divided = 0x80000090;
  Inputs in;
  in.miss[1] = {true, whole, 1};
  for (const uint32_t v : {0u, 1u, 0u}) {
    top.split_i[1] = v;
    b.step(in);
    tap.expect(top.req_o[0] && top.req_o[2] == (v ? divided : whole), "v = %u: at 0x%x", v,
               top.req_o[2]);
    b.edge();
  }
  top.split_i[2] = 1;
  b.step(in);
  tap.expect(top.req_o[2] == whole, "the split of another slot: at 0x%x", top.req_o[2]);
  b.edge();
  in.miss[0] = {true, whole, 2};
  b.step(in);
  tap.expect(top.req_o[5] == 2 && top.req_o[2] == divided, "beside it its own: at 0x%x",
             top.req_o[2]);
  b.edge();
  tap.done("R-XB-6: a request leaves with the address that its slot's split gives its line");
}

void test_counters(Tap &tap) {
  Bench b(tap);
  auto issue = [&](uint32_t sub, uint32_t valid, uint32_t kernel, uint32_t lanes) {
    b.rtl.top.issue_i[sub][0] = valid;
    b.rtl.top.issue_i[sub][1] = kernel;
    b.rtl.top.issue_i[sub][2] = lanes;
  };
  issue(0, 1, 2, 4);
  issue(1, 1, 2, 3);
  b.full({});
  issue(0, 1, 0, 1);
  issue(1, 0, 0, 4);
  b.rtl.top.tick_i = 1;
  b.full({});
  b.rtl.top.tick_i = 0;
  issue(0, 0, 0, 0);
  b.full({});  // samples are added in the cycle after theirs
  tap.expect(b.rtl.top.snap_insn_o[2] == 7 && b.rtl.top.snap_insn_o[0] == 1 &&
                 b.rtl.top.snap_insn_o[1] == 0,
             "lanes of all sub-cores");
  for (uint32_t s = 0; s < kSubs; s++) {
    b.rtl.top.stall_i[0] = s;
    b.rtl.top.stall_i[1] = 5;
    b.step({});
    tap.expect(b.rtl.top.stall_value_o == 0x100 * s + 5, "stall counter of sub-core %u", s);
    tap.expect(b.rtl.top.snap_idle_o[s + 1] == s + 1, "idle warps of sub-core %u", s);
    tap.expect(b.rtl.top.front_o[s] == (1u << 16 | (s + 1) << 8 | 5),
               "front of QAWS of sub-core %u", s);
  }
  // All of them were of class DIV, with two operands and a register that is written.
  b.step({});
  auto energy = [&](uint32_t slot, uint32_t event) {
    b.rtl.top.energy_i[0] = slot;
    b.rtl.top.energy_i[1] = event;
    b.step({});
    return b.rtl.top.energy_value_o;
  };
  tap.expect(energy(2, 0) == 2 && energy(2, 1) == 0 && energy(2, 3) == 7 && energy(2, 6) == 14 &&
                 energy(2, 7) == 7 && energy(1, 0) == 0,
             "energy counters of kernel 2: %u issues, %u lanes, %u, %u registers", energy(2, 0),
             energy(2, 3), energy(2, 6), energy(2, 7));
  for (uint32_t k = 0; k < kKernels; k++) b.full({});  // the RTL looks at its sums, R-EN-3
  tap.expect(energy(0, 0) == 1 && energy(0, 3) == 1 && energy(0, 6) == 2,
             "energy counters of kernel 0");
  tap.done("issue, stall and energy counters and idle warps of all sub-cores are wired (R-EN-2)");
}

// R-PA-19: what the sub-cores and the load/store unit tell is counted, and what follows of it is
// told to the sub-cores. Three are full, an instruction weighs two, and there is an L1
// (configuration odd).
void test_share(Tap &tap) {
  Bench b(tap);
  auto &top = b.rtl.top;
  const auto expect = [&](uint32_t away, uint32_t no_mem, const char *what) {
    tap.expect(top.share_o[0] == away && top.share_o[1] == no_mem, "%s: away %u, no memory %x",
               what, top.share_o[0], top.share_o[1]);
  };
  b.full(dispatch(1, 3));
  top.qos_i = 4;
  top.pace_i = 1;
  b.full({});
  top.pace_i = 0;
  for (int i = 0; i < 10; i++) b.full({});  // no words: nothing is loaded
  tap.expect(top.share_o[2] == 4, "goals of the cycle before: %x", top.share_o[2]);
  for (uint32_t s = 0; s < kSubs; s++) {
    const uint32_t issue[4] = {1, 1, 1, 1};
    for (int i = 0; i < 4; i++) top.issue_i[s][i] = issue[i];
  }
  b.step({});
  expect(0, 0, "in RR");
  b.edge();
  for (uint32_t s = 0; s < kSubs; s++) top.issue_i[s][0] = top.issue_i[s][3] = 0;
  b.step({});
  expect(4, 3, "two have issued");
  top.qos_i = 6;
  b.step({});
  expect(4, 1, "one kernel gets a goal");
  top.qos_i = 0;
  b.step({});
  expect(4, 0, "nobody has one");
  top.qos_i = 4;
  b.edge();
  b.full({});
  for (uint32_t s = 0; s < kSubs; s++) {
    const uint32_t mq[5] = {1, 1, 3, 0x80000010 + 0x40 * s, 1};
    for (int i = 0; i < 5; i++) top.mq_i[s][i] = mq[i];
  }
  b.full({});  // popped one after the other
  top.mq_i[0][0] = 0;
  b.full({});
  top.mq_i[1][0] = 0;
  b.step({});
  expect(4, 3, "the first one's pass");
  b.edge();
  b.step({});
  expect(2, 0, "it acts in the L1");
  b.edge();
  b.step({});
  expect(1, 0, "and has its transaction");
  b.edge();
  b.step({});
  expect(2, 0, "both have");
  b.edge();
  Inputs in;
  in.rsp_valid = true;
  b.full(in);
  b.step({});
  expect(2, 0, "the first response is served");
  b.edge();
  in.rsp_tag = 1;
  b.full(in);
  b.full({});
  b.step({});
  expect(0, 0, "both are");
  tap.done("R-PA-19: what is away is counted over the SM, and holds kernels without a goal back");
}

// ---- random life ----
struct Warp {
  uint32_t tb, kernel, sub;
  bool waits, dead;
};

class Life {
 public:
  Life(Bench &bench, Random &random) : bench_(bench), random_(random) {}

  void cycle() {
    Inputs in;
    messages(in);
    for (uint32_t s = 0; s < kSubs; s++) warps(in, s);
    faults(in);
    memory(in);
    bench_.full(in);
    follow(in);
  }

  long n_release = 0, n_retire = 0, n_fault = 0, n_dead_start = 0, n_restored = 0, n_saves = 0,
       n_wiped = 0;

 private:
  bool killed(uint32_t k) const { return bench_.rtl.top.killed_o >> k & 1; }

  void messages(Inputs &in) {
    in.record_kernel = random_.below(kKernels);
    for (uint32_t k = 0; k < kKernels; k++) {
      if (killed(k) && !blocks_of(k) && random_.one_in(8))
        in.start |= 1u << k;
      else if (random_.one_in(300))
        in.kill |= 1u << k;
    }
    if (!job_ && random_.one_in(100)) {  // at a block that is there, or was
      const uint32_t t = random_.below(kTbs);
      in.dispatch = {true, kernel_[t], t, 0, 0, 0, {}, random_.one_in(2) ? kSave : kFlush, false};
      return;
    }
    for (uint32_t t = 0; t < kTbs; t++) {
      if (used_[t] || random_.below(3)) continue;
      const uint32_t k = random_.below(kKernels);
      if (in.start >> k & 1) return;
      in.dispatch = {
          true,      k,    t,    random_.below(kSubs), random_.below(32), random_.bits32(),
          {1, 2, 3}, kNew, false};
      if (!job_ && random_.one_in(100)) in.dispatch.op = kRestore;
      in.dispatch.fresh = in.dispatch.op == kRestore && random_.one_in(2);
      return;
    }
  }

  uint32_t blocks_of(uint32_t k) const {
    uint32_t n = 0;
    for (uint32_t t = 0; t < kTbs; t++) n += used_[t] && kernel_[t] == k;
    return n;
  }

  void warps(Inputs &in, uint32_t sub) {
    for (Warp &w : warps_) {
      if (w.sub != sub) continue;
      if (!in.finish[sub].valid && (w.dead || !w.waits) && random_.one_in(w.dead ? 2 : 12)) {
        in.finish[sub] = {true, w.tb};
        w.tb = kTbs;  // gone
      } else if (!in.arrive[sub].valid && !w.dead && !w.waits && !killed(w.kernel) &&
                 random_.one_in(4)) {
        in.arrive[sub] = {true, w.tb};
        w.waits = true;
      }
    }
    std::vector<Warp> rest;
    for (const Warp &w : warps_)
      if (w.tb != kTbs) rest.push_back(w);
    warps_ = rest;
  }

  void faults(Inputs &in) {
    for (Source &s : in.source) {
      const uint32_t k = random_.below(kKernels);
      if (random_.below(60) || in.start >> k & 1) continue;
      s = {true,
           k,
           {random_.below(9), random_.bits32(), random_.below(24), random_.bits32(),
            random_.bits32()}};
    }
  }

  void memory(Inputs &in) {
    for (uint32_t s = 0; s < kSubs; s++) {
      if (!miss_[s].valid && random_.one_in(3))
        miss_[s] = {true, random_.bits32() & ~15u, random_.below(kKernels)};
      in.miss[s] = miss_[s];
    }
    if (random_.one_in(3)) {
      in.rsp_valid = true;
      in.rsp_tag = kTxns + random_.below(kSubs);
    }
  }

  void follow(const Inputs &in) {
    const Outputs &out = bench_.out;
    for (uint32_t s = 0; s < kSubs; s++) {
      if (out.grant >> s & 1) miss_[s].valid = false;
      if (out.start[s].valid)
        warps_.push_back({out.start[s].tb, out.start[s].kernel, s, false, out.start[s].live == 0});
      n_dead_start += out.start[s].valid && out.start[s].live == 0;
    }
    for (Warp &w : warps_) {
      if (out.release >> w.tb & 1) w.waits = false;
      if (out.killed >> w.kernel & 1) w.dead = true;
    }
    const bool saves = in.dispatch.op == kSave || in.dispatch.op == kFlush;
    if (in.dispatch.valid && !saves) {
      used_[in.dispatch.tb] = true;
      kernel_[in.dispatch.tb] = in.dispatch.kernel;
    }
    // The scheduler knows of a job until it hears of its end: here, until nothing of it is left.
    if (in.dispatch.valid && in.dispatch.op != kNew) job_ = 40;
    if (bench_.rtl.top.phase_o != 0)
      job_ = 40;
    else if (job_)
      job_--;
    n_restored += out.restored;
    n_saves += in.dispatch.valid && saves;
    if (out.retire.valid) used_[out.retire.tb] = false;
    n_release += out.release != 0;
    n_retire += out.retire.valid;
    n_fault += out.fault != 0;
    n_wiped += out.wipe;
  }

  Bench &bench_;
  Random &random_;
  std::vector<Warp> warps_;
  Miss miss_[kSubs];
  bool used_[kTbs] = {};
  uint32_t job_ = 0;  // cycles until the next job
  uint32_t kernel_[kTbs] = {};
};

void test_random(Tap &tap, Random &random) {
  Bench b(tap, {100, 0, 33});
  Life life(b, random);
  while (b.n_cycles < 100000 && !tap.failed()) life.cycle();
  tap.expect(
      life.n_release > 100 && life.n_retire > 100 && life.n_fault > 100 &&
          life.n_dead_start > 100 && life.n_restored > 50 && life.n_saves > 100 &&
          life.n_wiped > 1000,
      "life too thin: %ld releases, %ld retirements, %ld faults, %ld dead starts, %ld restores, %ld saves, %ld wiped rows",
      life.n_release, life.n_retire, life.n_fault, life.n_dead_start, life.n_restored, life.n_saves,
      life.n_wiped);
  tap.done("random life equals the reference in every cycle (R-SM-1 to R-SM-10)");
}

void test_control(Tap &tap) {
  Rtl rtl;
  Reference ref({});
  const Inputs in = dispatch(2, 1), other = dispatch(1, 1);
  bool differs = difference(rtl.cycle(in), ref.cycle(other, Source())) != nullptr;
  for (int i = 0; i < 6; i++) {
    rtl.edge();
    differs = differs || difference(rtl.cycle({}), ref.cycle({}, Source())) != nullptr;
  }
  tap.expect(differs, "another dispatch went unnoticed");
  tap.done("a different dispatch is noticed");
}

void test_parameters(Tap &tap) {
  Rtl rtl;
  rtl.top.eval();
  const uint32_t want[5] = {kSubs, kLanes, kKernels, kTbs, kTxns};
  for (int i = 0; i < 5; i++) tap.expect(rtl.top.params_o[i] == want[i], "parameter %d", i);
  tap.done("the bench has the parameters of the RTL");
}

}  // namespace

int main(int argc, char **argv) {
  Random random(argc, argv, "test_sm");
  Tap tap(20);
  test_parameters(tap);
  test_launch(tap);
  test_order(tap);
  test_barrier(tap);
  test_retire_order(tap);
  test_wipe(tap);
  test_wipes_in_turn(tap);
  test_wipe_of_killed(tap);
  test_faults(tap);
  test_lsu_fault_waits(tap);
  test_killed_launch(tap);
  test_save_message(tap);
  test_saved(tap);
  test_restore_message(tap);
  test_port(tap);
  test_split(tap);
  test_counters(tap);
  test_share(tap);
  test_control(tap);
  test_random(tap, random);
  return tap.exit_code();
}
