// SPDX-License-Identifier: Apache-2.0
// A whole SM whose blocks are saved, flushed and restored at random moments, and which is gated
// between them: their results must be those of an undisturbed run (docs/preemption.md,
// docs/sm_owner.md). The bench plays the TB scheduler and the
// memory, which answers out of order. Usage: test_sm_preempt [seed [launches]]. Output: TAP.
#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "../common/qsm_unit.h"
#include "Vbench_sm_preempt.h"
#include "kernel.h"
#include "qsm_enums.h"

double sc_time_stamp() { return 0; }

namespace {

using qsm_unit::Random;
using qsm_unit::Tap;

enum Op : uint32_t { kNew, kRestore, kSave, kFlush };
constexpr uint32_t kBase = 0x80000000u, kCode = kBase, kArea = kBase + 0x4000, kAreaBytes = 0x4000,
                   kData = kBase + 0x20000, kDataBytes = 0x4000, kBytes = 0x40000, kImages = 4;

class Memory {
 public:
  explicit Memory(uint32_t line) : bytes(kBytes, 0), line_(line) {}
  uint32_t word(uint32_t address) const {
    uint32_t value;
    std::memcpy(&value, &bytes.at(address - kBase), 4);
    return value;
  }
  void set_word(uint32_t address, uint32_t value) {
    std::memcpy(&bytes.at(address - kBase), &value, 4);
  }

  std::vector<uint8_t> bytes;
  uint32_t line_;
};

struct Block {
  uint32_t kernel, number, ticket;
};
struct Slot {
  bool used = false;
  Block block{};
  uint32_t first = 0, base = 0, warps = 0;
};
struct Image {
  bool used = false;
  bool fresh = false;
  Block block{};
};
struct Launch {
  uint32_t threads = 0, warps = 0, shared = 0, granules = 0, blocks = 0, next = 0, done = 0;
  bool counts = false, killed = false;
};

struct Statistics {
  long n_saves = 0, n_flushes = 0, n_early = 0, n_restores = 0, n_kills = 0;
  long n_gated = 0, n_waits = 0;       // n_waits: cycles from gate to off
  long n_issues = 0;                   // counted when it was woken
  long n_running = 0, n_injected = 0;  // passes of the LSU
};

class Bench {
 public:
  Bench(Tap &tap, Random &random, bool kills)
      : tap_(tap), random_(random), kills_(kills), memory_(1) {
    top.clk_i = 0;
    top.rst_ni = 1;
    top.eval();
    top.rst_ni = 0;
    top.eval();
    edge();
    top.rst_ni = 1;
    top.eval();
    subs_ = top.params_o[0];
    warps_ = top.params_o[1];
    lanes_ = top.params_o[2];
    kernels_ = top.params_o[3] < 2 ? 1 : 2;
    slots_.resize(top.params_o[4]);
    memory_ = Memory(4 * lanes_);
    free_.assign(subs_, warps_ / subs_);
    granules_.assign(32, false);
    top.policy_i = random_.below(QSM_POLICY_COUNT);
    top.code_i[0] = kCode;
    top.code_i[1] = kArea;
    top.energy_i[0] = random_.below(kernels_);
    top.energy_i[1] = random_.below(QSM_ENERGY_EVENT_COUNT);
    calm_ = 20 << random_.below(5);
    slow_ = 1 + random_.below(40);
    for (uint32_t k = 0; k < kernels_; k++) make_launch(k);
  }
  ~Bench() { top.final(); }

  void run() {
    while (!done() && !tap_.failed()) {
      if (n_cycles_++ > 400000) return tap_.expect(false, "does not end: phase %u", top.phase_o);
      cycle();
    }
    check();
  }

  Statistics statistics;

 private:
  void edge() {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  }

  void make_launch(uint32_t k) {
    Launch &l = launches_[k];
    l.warps = 1 + random_.below(warps_);
    l.threads = (l.warps - 1) * lanes_ + 1 + random_.below(lanes_);
    if (l.warps < warps_ && random_.one_in(8)) l.warps++;  // one without a thread
    l.shared = 4 * l.threads + random_.below(64);
    l.granules = (l.shared + top.granule_bytes_o - 1) / top.granule_bytes_o;
    l.blocks = 3 + random_.below(10);
    l.counts = random_.one_in(2);
    const Program code = kernel::make(l.counts);
    const uint32_t entry = kCode + 0x1000 * k;
    for (size_t i = 0; i < code.size(); i++)
      memory_.set_word(entry + 4 * static_cast<uint32_t>(i), code[i]);
    const uint32_t words[7] = {entry,      kData + kDataBytes * k, l.warps, l.threads, l.shared,
                               l.granules, kBase + kBytes};
    for (int i = 0; i < 7; i++) top.launch_i[k][i] = words[i];
  }

  bool done() const {
    for (const Slot &s : slots_)
      if (s.used) return false;
    if (job_.busy) return false;
    for (uint32_t k = 0; k < kernels_; k++)
      if (!launches_[k].killed && launches_[k].done < launches_[k].blocks) return false;
    return true;
  }

  void cycle() {
    top.message_i[0] = 0;
    top.kill_i = 0;
    if (kills_ && random_.one_in(3000)) kill(random_.below(kernels_));
    power();
    if (power_ != QSM_POWER_ON)
      ;
    else if (!job_.busy && requests_ > 0 && random_.one_in(calm_))
      request();
    else
      dispatch();
    respond();
    top.eval();
    take_request();
    watch();
    watch_power();
    watch_energy();
    edge();
  }

  // ---- power: an SM is told to stop now and then, often before its last block has ended ----
  bool empty() const {
    for (const Slot &s : slots_)
      if (s.used) return false;
    return !job_.busy;
  }
  void power() {
    top.gate_i = top.wake_i = 0;
    top.wake_lat_i = static_cast<uint16_t>(1 + random_.below(20));
    if (power_ == QSM_POWER_ON) {
      stops_ = stops_ || random_.one_in(2000);  // no new block until it was gated
      if (!stops_ || job_.busy || !(empty() || random_.one_in(100))) return;
      top.gate_i = 1;
      power_ = QSM_POWER_STOPPING;
    } else if (power_ == QSM_POWER_OFF && random_.one_in(30)) {
      top.wake_i = 1;
      power_ = QSM_POWER_WAKING;
    }
  }
  void watch_power() {
    if (top.off_o) {
      tap_.expect(power_ == QSM_POWER_STOPPING && !top.gate_i && answers_.empty(),
                  "R-PG-1, R-PG-2: it goes off unasked, or with an access under way");
      power_ = QSM_POWER_OFF;
      statistics.n_gated++;
      for (int i = 0; i < 3; i++) kept_[i] = top.kept_o[i];
    } else if (power_ == QSM_POWER_STOPPING && !top.gate_i) {
      statistics.n_waits++;
    }
    tap_.expect(!top.gated_o || top.reset_o, "R-PG-3: state of a gated SM is not that of reset");
    for (int i = 0; i < 3; i++)
      tap_.expect(!top.gated_o || kept_[i] == top.kept_o[i],
                  "R-PG-3, R-EN-1: counter %u of a gated SM, must be %u", top.kept_o[i], kept_[i]);
    if (!top.on_o) return;
    statistics.n_issues = std::max<long>(statistics.n_issues, kept_[0]);
    tap_.expect(power_ == QSM_POWER_WAKING && top.gated_o, "R-PG-4: it goes on unasked");
    power_ = QSM_POWER_ON;
    stops_ = false;
  }

  // R-EN-1: passes of the sequencer's steps do not count, all others do.
  void watch_energy() {
    statistics.n_running += top.running_o;
    statistics.n_injected += top.injected_o;
    tap_.expect(top.counted_o == top.running_o, "R-EN-1: a pass, injected %u, is counted %u",
                top.injected_o, top.counted_o);
  }

  // ---- the TB scheduler ----
  void kill(uint32_t k) {
    if (launches_[k].killed) return;
    launches_[k].killed = true;
    top.kill_i = 1u << k;
    for (Image &v : images_)
      if (v.used && v.block.kernel == k && !(job_.busy && job_.image == &v)) v.used = false;
    statistics.n_kills++;
  }

  void message(Op op, uint32_t tb, const Block &b, uint32_t image, bool fresh, const Slot &slot) {
    const bool begins = op == kNew;
    const uint32_t words[10] = {
        1, op, b.kernel, tb, image, fresh, b.ticket, begins ? b.number : 0, slot.first, slot.base};
    for (int i = 0; i < 10; i++) top.message_i[i] = words[i];
    top.save_base_i = kArea + kAreaBytes * b.kernel;
  }

  void request() {
    const uint32_t tb = random_.below(static_cast<uint32_t>(slots_.size()));
    const Slot &s = slots_[tb];
    if (!s.used || launches_[s.block.kernel].killed) return;
    const Op op = launches_[s.block.kernel].counts || random_.one_in(2)
                      ? kSave
                      : kFlush;  // a count is not idempotent
    for (uint32_t v = 0; v < kImages; v++) {
      Image &image = images_[s.block.kernel * kImages + v];
      if (image.used) continue;
      image = {true, op == kFlush, s.block};
      job_ = {true, op, tb, &image};
      requests_--;
      message(op, tb, s.block, v, false, s);
      return;
    }
  }

  bool fits(const Launch &l, Slot *slot, uint32_t *tb) {
    uint32_t need[8] = {};
    for (uint32_t w = 0; w < l.warps; w++) need[(first_ + w) % subs_]++;
    for (uint32_t s = 0; s < subs_; s++)
      if (need[s] > free_[s]) return false;
    for (*tb = 0; *tb < slots_.size() && slots_[*tb].used;) ++*tb;
    if (*tb == slots_.size()) return false;
    uint32_t base = 0, n = 0;
    for (uint32_t i = 0; i < 32 && n < l.granules; i++) {
      if (granules_[i])
        n = 0;
      else if (n++ == 0)
        base = i;
    }
    if (n < l.granules) return false;
    slot->first = first_;
    slot->base = base;
    slot->warps = l.warps;
    return true;
  }

  void dispatch() {
    const uint32_t k = random_.below(kernels_);
    Launch &l = launches_[k];
    if (l.killed || random_.one_in(4)) return;
    if (stops_) return;
    Image *image = nullptr;
    for (uint32_t v = 0; v < kImages; v++)
      if (images_[k * kImages + v].used && !(job_.busy && job_.image == &images_[k * kImages + v]))
        image = &images_[k * kImages + v];
    if (image && (job_.busy || random_.one_in(4))) image = nullptr;
    if (!image && l.next == l.blocks) return;
    Slot slot;
    uint32_t tb;
    if (!fits(l, &slot, &tb)) return;
    slot.used = true;
    slot.block = image ? image->block : Block{k, l.next++, random_.below(4)};
    if (image) {
      job_ = {true, kRestore, tb, image};
      message(kRestore, tb, slot.block, static_cast<uint32_t>(image - images_) % kImages,
              image->fresh, slot);
      statistics.n_restores++;
    } else {
      message(kNew, tb, slot.block, 0, false, slot);
    }
    slots_[tb] = slot;
    take_or_free(slot, l.granules, true);
    first_ = (first_ + l.warps) % subs_;
  }

  void take_or_free(const Slot &s, uint32_t n_granules, bool take) {
    for (uint32_t w = 0; w < s.warps; w++) free_[(s.first + w) % subs_] += take ? -1u : 1u;
    for (uint32_t g = 0; g < n_granules; g++) granules_[s.base + g] = take;
  }

  void watch() {
    if (top.fault_o) tap_.expect(false, "a fault of kernels %x", top.fault_o);
    if (top.restored_o) {
      tap_.expect(job_.busy && job_.op == kRestore, "a message restored without a restore");
      job_.image->used = false;
      job_.busy = false;
    }
    if (!top.retire_o[0]) return;
    Slot &s = slots_.at(top.retire_o[1]);
    Launch &l = launches_[s.block.kernel];
    const bool saved = top.retire_o[2],
               here = job_.busy && job_.op != kRestore && job_.tb == top.retire_o[1];
    tap_.expect(s.used && (!saved || here), "slot %u retires, saved %d", top.retire_o[1], saved);
    if (here) {
      job_.image->used = saved && !l.killed;
      job_.busy = false;
      if (!saved)
        statistics.n_early++;
      else if (job_.op == kSave)
        statistics.n_saves++;
      else
        statistics.n_flushes++;
    }
    if (!saved) l.done++;
    s.used = false;
    take_or_free(s, l.granules, false);
  }

  // ---- memory: answers after a random time, in any order ----
  struct Answer {
    uint64_t at;
    uint32_t tag;
    std::vector<uint32_t> data;
  };

  void take_request() {
    if (!top.req_o[0]) return;
    const uint32_t kind = top.req_o[1], address = top.req_o[3];
    Answer answer{n_cycles_ + 1 + random_.below(slow_), top.req_o[5], {}};
    for (uint32_t l = 0; l < lanes_; l++) answer.data.push_back(memory_.word(address + 4 * l));
    for (uint32_t l = 0; l < lanes_; l++) {
      const uint32_t at = address + 4 * l, bytes = top.req_o[4] >> (4 * l) & 15,
                     old = memory_.word(at);
      if (kind == 0 || bytes == 0) continue;
      uint32_t mask = 0;
      for (uint32_t b = 0; b < 4; b++) mask |= (bytes >> b & 1) ? 0xFFu << (8 * b) : 0;
      if (kind == 2)
        tap_.expect(top.req_o[2] == 1 && bytes == 15, "an atomic that no kernel has");  // amoadd
      memory_.set_word(
          at, kind == 2 ? old + top.req_data_o[l] : (old & ~mask) | (top.req_data_o[l] & mask));
    }
    answers_.push_back(answer);
  }

  void respond() {
    top.rsp_i[0] = 0;
    for (size_t i = 0; i < answers_.size(); i++) {
      if (answers_[i].at > n_cycles_) continue;
      top.rsp_i[0] = 1;
      top.rsp_i[1] = answers_[i].tag;
      for (uint32_t l = 0; l < lanes_; l++) top.rsp_data_i[l] = answers_[i].data[l];
      answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }

  void check() {
    for (uint32_t k = 0; k < kernels_; k++) {
      const Launch &l = launches_[k];
      if (l.killed) continue;
      const uint32_t at = kData + kDataBytes * k;
      tap_.expect(memory_.word(at) == (l.counts ? l.blocks * l.threads : 0),
                  "kernel %u counted %u threads of %u", k, memory_.word(at), l.blocks * l.threads);
      for (uint32_t b = 0; b < l.blocks; b++) {
        const std::vector<uint32_t> want = kernel::expected(b, l.threads);
        for (uint32_t t = 0; t < l.threads; t++) {
          const uint32_t got = memory_.word(at + 4 + 4 * (b * l.threads + t));
          tap_.expect(got == want[t], "kernel %u, block %u, thread %u: %08x, not %08x", k, b, t,
                      got, want[t]);
        }
      }
    }
  }

  struct Job {
    bool busy = false;
    Op op = kNew;
    uint32_t tb = 0;
    Image *image = nullptr;
  };

  Tap &tap_;
  Random &random_;
  bool kills_;
  Vbench_sm_preempt top;
  Memory memory_;
  uint32_t subs_, warps_, lanes_, kernels_, calm_, slow_, first_ = 0;
  uint32_t requests_ = 60;  // at most: a block that is flushed all the time never ends
  uint64_t n_cycles_ = 0;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  std::vector<bool> granules_;
  Image images_[2 * kImages];
  Launch launches_[2];
  Job job_;
  uint32_t kept_[3] = {};
  unsigned power_ = QSM_POWER_ON;  // as the GPU level knows it
  bool stops_ = false;
  std::deque<Answer> answers_;
};

void test(Tap &tap, Random &random, uint32_t n_launches, bool kills, const char *name) {
  Statistics sum;
  for (uint32_t n = 0; n < n_launches && !tap.failed(); n++) {
    Bench bench(tap, random, kills);
    bench.run();
    const Statistics &s = bench.statistics;
    sum.n_saves += s.n_saves;
    sum.n_flushes += s.n_flushes;
    sum.n_early += s.n_early;
    sum.n_restores += s.n_restores;
    sum.n_kills += s.n_kills;
    sum.n_gated += s.n_gated;
    sum.n_running += s.n_running;
    sum.n_injected += s.n_injected;
    sum.n_waits += s.n_waits;
    sum.n_issues = std::max(sum.n_issues, s.n_issues);
  }
  std::printf(
      "# %ld saves, %ld flushes, %ld ended by themselves, %ld restores, %ld kills, "
      "%ld times gated after %ld cycles; %ld passes, %ld injected\n",
      sum.n_saves, sum.n_flushes, sum.n_early, sum.n_restores, sum.n_kills, sum.n_gated,
      sum.n_waits, sum.n_running, sum.n_injected);
  tap.expect(sum.n_running > 0 && sum.n_injected > 0, "no pass of a kernel, or of a step");
  tap.expect(sum.n_gated > 0 && sum.n_waits > sum.n_gated && sum.n_issues > 0,
             "gated too seldom, never while something was under way, or without a count");
  const long enough = n_launches / 4;
  tap.expect(sum.n_saves > enough && sum.n_flushes > enough && sum.n_early > 0 &&
                 sum.n_restores > enough && (sum.n_kills > 0) == kills,
             "too little happened");
  tap.done(name);
}

}  // namespace

int main(int argc, char **argv) {
  Random random(argc, argv, "test_sm_preempt");
  const uint32_t n_launches =
      argc > 2 ? static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 0)) : 20;
  Tap tap(2);
  test(
      tap, random, n_launches, false,
      "R-PG-1 to R-PG-5, R-EN-1: blocks that are preempted at random moments, on an SM that is gated "
      "between them, give the results of an undisturbed run; saving them does not count");
  test(tap, random, n_launches, true, "a killed kernel leaves the results of another alone");
  return tap.exit_code();
}
