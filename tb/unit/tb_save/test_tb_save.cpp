// SPDX-License-Identifier: Apache-2.0
// The SM's sequencer against docs/preemption.md: every place of saves, flushes and restores of
// random blocks in its cycles, every step with its operands; kills, retirements and arrivals at any
// moment. Usage: test_tb_save [seed]. Output: TAP.
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
      for (uint32_t n = 0; n < 6; n++) top.warp_i[s][n] = 0;
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
    do_places(items);
    if (!ended_ && !b_.tap_.failed()) finish();
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

  // The warp that is sought, and what the sub-cores say of the step's.
  void show_warps() {
    for (uint32_t s = 0; s < b_.subs; s++) {
      uint32_t *at = &b_.top.warp_i[s][0];
      at[0] = r_.below(2);
      for (uint32_t n = 1; n < 6; n++) at[n] = r_.bits32();
    }
    b_.top.eval();
    const uint32_t sought = b_.top.find_o[1];
    b_.top.warp_i[sub_of(sought)][0] = sought < shape_.warps && warps_[sought].resident;
    if (kept_ >= shape_.warps) return;
    const Warp &w = warps_[kept_];
    uint32_t *at = &b_.top.warp_i[sub_of(kept_)][0];
    at[2] = w.split_valid;
    at[3] = w.live;
    at[4] = w.bar;
  }

  // In the cycle after its read of the lane store the lane that was asked for is there.
  void show_lane(const Item *asked) {
    for (uint32_t s = 0; s < b_.subs; s++) {
      const bool given = asked && s == sub_of(asked->warp);
      uint32_t *at = &b_.top.lane_i[s][0];
      at[0] = given;
      at[1] = r_.bits32();
      at[2] = r_.bits32();
      if (!given) continue;
      const auto lane = static_cast<uint32_t>(__builtin_ctz(asked->mask));
      at[1] = warps_[asked->warp].pc[lane];
      at[2] = warps_[asked->warp].depth[lane];
    }
  }

  uint32_t sub_of(uint32_t warp) const { return (first_ + warp) % b_.subs; }

  // The places, two cycles each, and the steps that wait for theirs behind them.
  void do_places(const std::vector<Item> &items) {
    size_t at = 0;
    bool second = false, whole = false;  // of the place; of the step that waits
    const Item *waits = nullptr, *before = nullptr;
    uint32_t words_left = 7;
    index_read_ = b_.some_index();
    while (!ended_ && !b_.tap_.failed() && (at < items.size() || waits)) {
      inputs();
      const Item *place = at < items.size() ? &items[at] : nullptr;
      show_warps();
      const bool header_waits = second && place->kind == kHeaderWait;
      bool last = true;
      if (header_waits) last = header_comes(&words_left);
      const bool asks = waits && !second && !whole, gets = asks && !kill_ && r_.one_in(2);
      show_lane(gets ? waits : nullptr);
      const bool done = waits && whole && !kill_ && r_.below(eager_) == 0;
      if (done) {
        b_.top.done_i = 1u << sub_of(waits->warp);
        if (waits->of_split) b_.top.warp_i[sub_of(waits->warp)][5] = warps_[waits->warp].split_mask;
      }
      b_.top.eval();
      expect_waiting(waits, whole, asks);
      if (done) expect_operands(*waits);
      if (before) expect_operands(*before);  // they stay for the cycle after the step
      const bool choice = place && !second && (!waits || done);
      const uint32_t sought = b_.top.find_o[1];
      const bool keeps = b_.top.find_o[0];
      b_.expect(!keeps || choice || kill_, "a warp is sought outside of a choice");
      b_.expect(kill_ || !(b_.top.job_o[kEvict] || b_.top.job_o[kRestored]),
                "the end before a step");
      if (!cycle(place ? place->phase : kWait)) return;
      before = done ? waits : nullptr;
      if (done) {
        n_steps++;
        waits = nullptr;
      } else if (gets) {
        whole = true;
      }
      if (keeps) kept_ = sought;
      if (second) {
        whole = waits && !waits->of_lane;
        if (last) at++;
        second = !last;
      } else if (choice) {
        second = true;
        whole = false;
        const bool step = place->kind != kCycle && place->kind != kHeaderWait;
        if (step && warps_[place->warp].resident)
          waits = place;
        else
          n_skipped++;
      }
    }
    b_.expect(at == items.size() || ended_, "%zu places of %zu", at, items.size());
  }

  void expect_waiting(const Item *waits, bool whole, bool asks) {
    for (uint32_t s = 0; s < b_.subs; s++) {
      const auto &step = b_.top.step_o[s];
      const bool here = waits && !kill_ && s == sub_of(waits->warp);
      b_.expect(step[0] == here, "a step waits in sub-core %u: %u, not %u", s, step[0], here);
      b_.expect(step[4] == (here && asks), "it asks for a lane in sub-core %u: %u", s, step[4]);
      if (!here) continue;
      b_.expect(step[1] == whole, "its operands are there: %u, not %u", step[1], whole);
      b_.expect(step[2] == waits->kind && step[3] == waits->xreg, "kind %u of x%u, not %u of x%u",
                step[2], step[3], waits->kind, waits->xreg);
      b_.expect(kept_ == waits->warp, "the slot of warp %u, not %u", kept_, waits->warp);
    }
  }

  void expect_operands(const Item &item) {
    const auto &got = b_.top.operand_o;
    const Warp &w = warps_[item.warp];
    const uint32_t pc = got[4] + (got[2] ? w.split_pc : 0) + (got[3] ? w.split_depth : 0),
                   mask = got[2] || got[3] ? w.split_mask : got[5];
    b_.expect(got[0] == item.kind && got[1] == item.xreg, "instruction of kind %u with x%u", got[0],
              got[1]);
    b_.expect((got[2] || got[3]) == item.of_split, "operands of the split: %u", !item.of_split);
    b_.expect(pc == item.pc, "phase %u, warp %u, x%u: pc field %08x, not %08x", item.phase,
              item.warp, item.xreg, pc, item.pc);
    b_.expect(mask == item.mask, "phase %u, warp %u: mask %x, not %x", item.phase, item.warp, mask,
              item.mask);
  }

  // The three words come in any order; then the wait ends in the first cycle without an arrival.
  bool header_comes(uint32_t *left) {
    const uint32_t words[3] = {index_read_.x + 65536 * index_read_.y, index_read_.z,
                               index_read_.linear};
    const uint32_t n = r_.below(3);
    const bool comes = (*left >> n & 1) && r_.one_in(2), empty = *left == 0;
    b_.top.warp_i[first_][1] = empty;
    if (comes) {
      b_.top.word_i[first_][0] = 1;
      b_.top.word_i[first_][1] = 31 - n;
      b_.top.word_i[first_][2] = words[n];
      *left &= ~(1u << n);
    }
    b_.top.eval();
    const bool last = empty && !arrival_;
    n_delayed += empty && arrival_;
    header_written_ = last;
    if (last) b_.expect_index(tb_, ticket_, index_read_, "R-PE-18: index from the image");
    return last;
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
  Index index_{}, other_index_{}, index_read_{};
  uint32_t kept_ = ~0u;  // whose slot the sub-cores have
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
  if (op != kFlush) tap.expect(n_skipped > 200, "too thin: %ld skipped", n_skipped);
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
