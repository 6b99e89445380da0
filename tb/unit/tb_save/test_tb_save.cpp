// SPDX-License-Identifier: Apache-2.0
// The SM's sequencer against docs/preemption.md: every step of saves, flushes and restores of
// random blocks in its cycle, with its operands; kills, retirements and arrivals at any moment.
// Usage: test_tb_save [seed]. Output: TAP.
#include <vector>

#include "../common/qsm_unit.h"
#include "Vbench_tb_save.h"
#include "save_ref.h"

double sc_time_stamp() { return 0; }

namespace {

using namespace save_ref;
using qsm_unit::Random;
using qsm_unit::Tap;

enum Output { kPhase, kRestoring, kFresh, kSaved, kEvict, kRestored };

class Bench {
 public:
  Bench(Tap &tap, Random &random) : tap_(tap), random_(random) {
    top.clk_i = 0;
    top.rst_ni = 1;
    top.eval();
    top.rst_ni = 0;
    top.eval();
    edge();
    top.rst_ni = 1;
    top.eval();
    subs = top.params_o[0];
    max_warps = top.params_o[1];
    lanes = top.params_o[2];
    tbs = top.params_o[3];
    all = (1u << lanes) - 1;
  }
  ~Bench() { top.final(); }

  void edge() {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
    n_cycles++;
  }

  // What an idle machine says; a job changes what it needs.
  void rest() {
    top.message_i[0] = 0;
    top.retire_i[0] = 0;
    top.done_i = top.left_zero_i = top.release_i = top.queued_i = top.killed_i = 0;
    top.quiet_i = top.drained_i = (1u << subs) - 1;
    for (uint32_t s = 0; s < subs; s++) {
      for (uint32_t n = 0; n < 8; n++) top.warp_i[s][n] = 0;
      top.word_i[s][0] = 0;
    }
  }

  void message(Op op, uint32_t tb, uint32_t image, bool fresh, uint32_t ticket,
               const Index &index) {
    const uint32_t words[11] = {1,      op,           0,       tb,      image,  fresh,
                                ticket, index.linear, index.x, index.y, index.z};
    for (int i = 0; i < 11; i++) top.message_i[i] = words[i];
  }

  Index some_index() {
    return {random_.below(65536), random_.below(65536), random_.below(65536), random_.bits32()};
  }

  void expect_index(uint32_t tb, uint32_t ticket, const Index &want, const char *what) {
    const auto &got = top.index_o;
    expect(got[0] && got[1] == tb && got[2] == ticket && got[3] == want.x && got[4] == want.y &&
               got[5] == want.z && got[6] == want.linear,
           what);
  }

  template <class... Values>
  void expect(bool holds, const char *format, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    tap_.expect(holds, "cycle %ld: %s", n_cycles, text);
  }

  Tap &tap_;
  Random &random_;
  Vbench_tb_save top;
  uint32_t subs, max_warps, lanes, tbs, all;
  long n_cycles = 0;
};

// One job, from its message to its end.
class Job {
 public:
  Job(Bench &bench, Op op, bool kills) : b_(bench), r_(bench.random_), op_(op), kills_(kills) {
    shape_.lanes = b_.lanes;
    shape_.warps = 1 + r_.below(b_.max_warps);
    shape_.shared = r_.one_in(4) ? 0 : r_.below(r_.one_in(8) ? 2048 : 8 * 4 * b_.lanes);
    shape_.base = r_.bits32() & 0xFFFFF000;
    shape_.image = r_.one_in(2) ? 0 : r_.below(16);
    tb_ = r_.below(b_.tbs);
    first_ = r_.below(b_.subs);
    fresh_ = op == kRestore && r_.one_in(4);
    eager_ = 1 + r_.below(4);
    for (uint32_t i = 0; i < shape_.warps; i++) warps_.push_back(some_warp());
    warps_[op == kRestore ? 0 : r_.below(shape_.warps)].resident = true;
    for (Warp &w : warps_)
      if (w.resident && w.live == 0) w.live = 1;
  }

  void run() {
    begin();
    until_quiet();
    List list(shape_, warps_);
    const std::vector<Item> items =
        op_ == kRestore ? list.restore(fresh_) : list.save(op_ == kFlush, index_);
    for (const Item &item : items) {
      if (ended_ || b_.tap_.failed()) return;
      do_item(item);
    }
    if (!ended_) finish();
  }

  long n_skipped = 0, n_steps = 0, n_killed = 0, n_delayed = 0;

 private:
  Warp some_warp() {
    Warp w;
    w.resident = !r_.one_in(4);
    w.live = r_.one_in(2) ? b_.all : r_.below(b_.all + 1);
    if (w.live == 0) w.live = 1 + r_.below(b_.all);
    w.bar = r_.one_in(2) ? 0 : w.live & r_.bits32();
    const uint32_t running = w.live & ~w.bar;
    w.split_valid = running != 0;
    w.split_mask = r_.one_in(2) ? running : running & r_.bits32();
    if (w.split_valid && w.split_mask == 0) w.split_mask = running;
    w.split_pc = r_.bits32() & ~3u;
    w.split_depth = r_.below(32);
    for (uint32_t l = 0; l < b_.lanes; l++) {
      w.pc.push_back(r_.bits32() & ~3u);
      w.depth.push_back(r_.below(32));
    }
    return w;
  }

  // Inputs of a cycle of this job: also a block that arrives in another slot now and then, and a
  // kill.
  void inputs() {
    b_.rest();
    b_.top.warps_i = shape_.warps;
    b_.top.shared_i = shape_.shared;
    b_.top.save_base_i = r_.bits32();
    b_.top.first_i = first_;
    b_.top.tb_valid_i = 1u << tb_;
    arrival_ = r_.one_in(6) && b_.tbs > 1;
    if (arrival_) {
      other_index_ = b_.some_index();
      b_.message(kNone, (tb_ + 1) % b_.tbs, 0, false, 1, other_index_);
    }
    kill_ = kills_ && r_.one_in(100);
    b_.top.killed_i = kill_;
  }

  // The end of a cycle with the job under way. Returns false if it was killed in it.
  bool cycle(uint32_t phase) {
    auto &job = b_.top.job_o;
    b_.expect(job[kPhase] == phase, "phase %u, not %u", job[kPhase], phase);
    b_.expect(b_.top.freeze_o[0] == 1 && b_.top.freeze_o[1] == tb_, "slot %u is frozen", tb_);
    b_.expect(job[kRestoring] == (op_ == kRestore) && job[kFresh] == fresh_, "restoring, fresh");
    if (arrival_ && !header_written_)
      b_.expect_index((tb_ + 1) % b_.tbs, 1, other_index_, "index of the block that arrives");
    header_written_ = false;
    if (kill_) {
      for (uint32_t s = 0; s < b_.subs; s++)
        b_.expect(!b_.top.step_o[s][0], "R-PE-20: a step in the cycle of a kill");
      b_.expect(job[kRestored] == (op_ == kRestore) && !job[kEvict], "R-PE-20: messages of a kill");
      b_.edge();
      b_.rest();
      b_.top.eval();
      b_.expect(job[kPhase] == kIdle && !b_.top.freeze_o[0] && !job[kRestored],
                "R-PE-20: idle after a kill");
      ended_ = true;
      n_killed++;
      return false;
    }
    b_.edge();
    return true;
  }

  void begin() {
    inputs();
    b_.top.killed_i = kill_ = false;
    if (op_ != kRestore) {  // it arrived some time ago
      index_ = b_.some_index();
      b_.message(kNone, tb_, 0, false, 0, index_);
      b_.top.tb_valid_i = 0;
      b_.top.eval();
      b_.edge();
      b_.top.tb_valid_i = 1u << tb_;
    } else {
      b_.top.tb_valid_i = 0;
    }
    ticket_ = r_.below(4);
    b_.top.save_base_i = shape_.base;
    b_.message(op_, tb_, shape_.image, fresh_, ticket_, {});
    b_.top.eval();
    b_.expect(!b_.top.freeze_o[0] && b_.top.job_o[kPhase] == kIdle, "not yet frozen");
    if (op_ == kRestore)
      b_.expect_index(tb_, ticket_, {}, "R-PE-8: index of the message");
    else
      b_.expect(!b_.top.index_o[0], "a save brings no index");
    b_.edge();
  }

  void until_quiet() {
    for (uint32_t n = 0; n < shape_.image && !ended_; n++) {  // R-PE-14
      inputs();
      b_.top.eval();
      cycle(kAddress);
    }
    for (bool quiet = false; !quiet && !ended_;) {  // R-PE-15: one thing at a time is in the way
      inputs();
      const uint32_t reason = r_.below(5);
      quiet = reason == 4 || (op_ == kRestore && reason != 0);
      if (reason == 0) b_.top.queued_i = 1u << tb_;
      if (reason == 1) b_.top.left_zero_i = 1u << tb_;
      if (reason == 2) b_.top.release_i = 1u << tb_;
      if (reason == 3) b_.top.quiet_i = ((1u << b_.subs) - 1) & ~(1u << r_.below(b_.subs));
      b_.top.eval();
      cycle(kQuiet);
    }
  }

  void show_warp(uint32_t sub, const Warp &w, bool done) {
    uint32_t *at = &b_.top.warp_i[sub][0];
    at[0] = w.resident;
    at[2] = w.resident && w.split_valid;
    at[3] = w.live;
    at[4] = w.bar;
    // The split is read in the cycle of the step only.
    at[5] = done ? w.split_pc : r_.bits32();
    at[6] = done ? w.split_depth : r_.below(32);
    at[7] = done ? w.split_mask : r_.below(b_.all + 1);
    for (uint32_t l = 0; l < b_.lanes; l++) {
      b_.top.lane_pc_i[sub][l] = w.pc[l];
      b_.top.lane_depth_i[sub][l] = w.depth[l];
    }
  }

  void do_item(const Item &item) {
    if (item.kind == kHeaderWait) return header_wait();
    const uint32_t sub = (first_ + item.warp) % b_.subs;
    for (;;) {
      inputs();
      const bool wants = r_.below(eager_) == 0;
      const bool found = item.kind != kCycle && warps_[item.warp].resident;
      b_.top.eval();
      const uint32_t widx = b_.top.operand_o[0], step_sub = (first_ + widx) % b_.subs;
      if (widx < shape_.warps) show_warp(step_sub, warps_[widx], false);
      b_.top.eval();
      const bool done = found && wants && !kill_;
      if (done) {
        b_.expect(widx == item.warp && b_.top.step_o[sub][0], "a step of warp %u, not %u",
                  item.warp, widx);
        show_warp(sub, warps_[item.warp], true);
        b_.top.done_i = 1u << sub;
        b_.top.eval();
        expect_step(item, sub);
      }
      if (item.kind == kCycle && widx < shape_.warps)
        b_.expect(!b_.top.step_o[step_sub][0] || !warps_[widx].resident, "a step too many");
      if (!cycle(item.phase)) return;
      if (done) {
        n_steps++;
        if (item.kind == kJmp && r_.one_in(3))
          warps_[item.warp].resident = false;  // of a warp that had ended
        return;
      }
      if (item.kind == kCycle || !found) {
        n_skipped++;
        return;
      }
    }
  }

  void expect_step(const Item &item, uint32_t sub) {
    const uint32_t want[3] = {item.kind, item.xreg, item.of_lane};
    for (uint32_t n = 0; n < 3; n++)
      b_.expect(b_.top.step_o[sub][n + 1] == want[n], "step's field %u: %u, not %u", n,
                b_.top.step_o[sub][n + 1], want[n]);
    for (uint32_t s = 0; s < b_.subs; s++)
      b_.expect(s == sub || !b_.top.step_o[s][0], "a step in two sub-cores");
    b_.expect(b_.top.operand_o[1] == item.pc, "phase %u, warp %u, x%u: pc field %08x, not %08x",
              item.phase, item.warp, item.xreg, b_.top.operand_o[1], item.pc);
    b_.expect(b_.top.operand_o[2] == item.mask, "phase %u, warp %u: mask %x, not %x", item.phase,
              item.warp, b_.top.operand_o[2], item.mask);
  }

  // The three words come in any order; then the wait ends in the first cycle without an arrival.
  void header_wait() {
    index_ = b_.some_index();
    const uint32_t words[3] = {index_.x + 65536 * index_.y, index_.z, index_.linear};
    uint32_t left = 7;
    while (!ended_ && !b_.tap_.failed()) {
      inputs();
      show_warp(first_, warps_[0], false);
      const uint32_t n = r_.below(3);
      const bool comes = (left >> n & 1) && r_.one_in(2), empty = left == 0;
      b_.top.warp_i[first_][1] = empty;
      if (comes) {
        b_.top.word_i[first_][0] = 1;
        b_.top.word_i[first_][1] = 31 - n;
        b_.top.word_i[first_][2] = words[n];
        left &= ~(1u << n);
      }
      b_.top.eval();
      const bool last = empty && !arrival_;
      n_delayed += empty && arrival_;
      header_written_ = last;
      if (last) b_.expect_index(tb_, ticket_, index_, "R-PE-18: index from the image");
      if (!cycle(kHeader) || last) return;
    }
  }

  void finish() {
    bool drained = false;
    while (!drained && !ended_) {
      inputs();
      if (kills_ && r_.one_in(8)) b_.top.killed_i = kill_ = true;
      drained = r_.one_in(3);
      if (!drained) b_.top.drained_i = ((1u << b_.subs) - 1) & ~(1u << r_.below(b_.subs));
      b_.top.eval();
      const bool acts = drained && !kill_;
      b_.expect(b_.top.job_o[kEvict] == (acts && op_ != kRestore), "R-PE-17: evict");
      b_.expect(b_.top.job_o[kRestored] == (op_ == kRestore && (acts || kill_)),
                "R-PE-18: message restored");
      cycle(kWait);
    }
    if (ended_) return;
    if (op_ != kRestore) leave();
    b_.rest();
    b_.top.eval();
    b_.expect(b_.top.job_o[kPhase] == kIdle && !b_.top.freeze_o[0] && !b_.top.job_o[kSaved],
              "the end");
  }

  // After the evict the slot waits for its retirement; a kill in between leaves it marked.
  void leave() {
    for (uint32_t n = r_.below(6);; n--) {
      inputs();
      b_.top.left_zero_i = 1u << tb_;
      b_.top.retire_i[0] = n == 0 || r_.one_in(3);
      b_.top.retire_i[1] = n == 0 ? tb_ : (tb_ + 1) % b_.tbs;
      if (n != 0 && b_.tbs == 1) b_.top.retire_i[0] = 0;
      if (n == 0) kill_ = b_.top.killed_i = false;
      b_.top.eval();
      b_.expect(b_.top.job_o[kSaved] && b_.top.freeze_o[1] == tb_,
                "R-PE-17: marked saved until it retires");
      b_.expect(!b_.top.job_o[kEvict], "one evict");
      if (!cycle(kWait)) {
        b_.expect(b_.top.job_o[kSaved], "marked saved after a kill");
        b_.top.retire_i[0] = 1;
        b_.top.retire_i[1] = tb_;
        b_.top.eval();
        b_.edge();
        return;
      }
      if (n == 0) return;
    }
  }

  Bench &b_;
  Random &r_;
  Op op_;
  bool kills_;
  Shape shape_{};
  uint32_t tb_, first_, ticket_ = 0, eager_;
  bool fresh_, ended_ = false, arrival_ = false, kill_ = false, header_written_ = false;
  Index index_{}, other_index_{};
  std::vector<Warp> warps_;
};

void test_jobs(Tap &tap, Random &random, Op op, bool kills, const char *name) {
  Bench bench(tap, random);
  long n_skipped = 0, n_steps = 0, n_killed = 0, n_delayed = 0;
  for (int n = 0; n < 150 && !tap.failed(); n++) {
    Job job(bench, op, kills);
    job.run();
    n_skipped += job.n_skipped;
    n_steps += job.n_steps;
    n_killed += job.n_killed;
    n_delayed += job.n_delayed;
  }
  tap.expect(n_steps > 500 && (n_killed > 20) == kills, "too thin: %ld steps, %ld kills", n_steps,
             n_killed);
  if (op != kFlush) tap.expect(n_skipped > 500, "too thin: %ld skipped", n_skipped);
  if (op == kRestore) tap.expect(n_delayed > 5, "too thin: %ld headers delayed", n_delayed);
  tap.done(name);
}

// A block that retires by itself before it is quiet; messages for a slot that is not there, or is
// about to go.
void test_gone(Tap &tap, Random &random) {
  Bench b(tap, random);
  for (int n = 0; n < 200 && !tap.failed(); n++) {
    const Op op = random.one_in(2) ? kSave : kFlush;
    const uint32_t tb = random.below(b.tbs), image = random.below(3), wait = random.below(6);
    const bool valid = random.one_in(2), retires = random.one_in(3);
    b.rest();
    b.top.tb_valid_i = valid ? 1u << tb : ~(1u << tb);
    b.top.retire_i[0] = retires;
    b.top.retire_i[1] = tb;
    b.message(op, tb, image, false, 0, {});
    b.top.eval();
    b.edge();
    b.rest();
    b.top.quiet_i = 0;
    b.top.eval();
    const bool begins = valid && !retires;
    b.expect(b.top.freeze_o[0] == begins, "R-PE-12: a message for a slot that is %s",
             begins ? "there" : "gone");
    if (!begins) continue;
    for (uint32_t c = 0; c < wait; c++) b.edge();
    b.top.retire_i[0] = 1;
    b.top.eval();
    b.expect(b.top.freeze_o[0] && !b.top.job_o[kSaved], "frozen until it retires, not marked");
    b.edge();
    b.rest();
    b.top.eval();
    b.expect(!b.top.freeze_o[0] && b.top.job_o[kPhase] == kIdle && !b.top.job_o[kSaved],
             "R-PE-21: its retirement ends the job");
  }
  tap.done("a block that ends by itself (R-PE-12, R-PE-21)");
}

// The reference notices a wrong image address and a step left out.
void test_control(Tap &tap) {
  Shape shape{4, 2, 20, 0x1000, 1}, other = shape;
  other.shared = 36;
  std::vector<Warp> warps(2);
  for (Warp &w : warps) w.resident = true, w.pc = w.depth = {0, 0, 0, 0};
  auto pc_of_last = [&](const Shape &s) {
    return List(s, warps).save(true, {1, 2, 3, 4}).back().pc;
  };
  tap.expect(pc_of_last(shape) != pc_of_last(other), "another shape, another place of the image");
  warps[1].resident = false;
  const size_t n_gone = List(shape, warps).save(false, {}).size();
  warps[1].resident = true;
  tap.expect(List(shape, warps).save(false, {}).size() > n_gone,
             "a warp that has ended needs fewer steps");
  tap.done("the reference depends on the block");
}

}  // namespace

int main(int argc, char **argv) {
  Random random(argc, argv, "test_tb_save");
  Tap tap(8);
  test_jobs(tap, random, kSave, false, "saves do every step in its order (R-PE-14 to R-PE-17)");
  test_jobs(tap, random, kFlush, false, "flushes save the block's index only");
  test_jobs(tap, random, kRestore, false, "restores do every step in its order (R-PE-18)");
  test_jobs(tap, random, kSave, true, "saves that are killed (R-PE-20)");
  test_jobs(tap, random, kFlush, true, "flushes that are killed");
  test_jobs(tap, random, kRestore, true, "restores that are killed");
  test_gone(tap, random);
  test_control(tap);
  return tap.exit_code();
}
