// SPDX-License-Identifier: Apache-2.0
// Reference of the front end, from docs/front.md: a phase is a list of steps, each of which takes
// the table, a register, a line of memory or a cycle, and then says what follows.
#ifndef QSM_FRONT_REF_H
#define QSM_FRONT_REF_H

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "qsm_enums.h"

#define LINE_BYTES (4 * WARP_SIZE)
#define NUM_ENTRIES DMA_ENTRIES
#include "../dma/dma_ref.h"

struct FrontParams {
  unsigned n_channels, n_slots, lanes, granule_bytes, mem_channels, partition_bits, n_sms;
};

struct FrontInput {
  uint64_t cycle = 0;
  bool host = false, we = false;
  uint32_t addr = 0, wdata = 0;
  bool concurrent = false, take_back = false;
  uint32_t slots = 0, irq_write = 0;
  bool snap_write = false;
  uint32_t busy = 0, killed = 0, cause = 0, link_interval = 256;
  uint32_t yielded = 0;
  std::vector<std::array<uint32_t, 3>> walk;  // of a slot
  std::vector<unsigned> resident;             // of a slot: SMs with a block of it
  std::vector<std::vector<uint64_t>> insn;    // counters of a slot, by SM
  bool ready = false;                         // the host chooses no access in this cycle
  bool err = false, again = false;            // the answer to a register's write
  bool rsp = false;
  unsigned rsp_tag = 0;
  std::vector<uint32_t> line;
};

// What it shows in a cycle, from registers.
struct FrontOutput {
  bool rsp_err = false, rsp_known = true;
  uint32_t rsp_rdata = 0;
  bool reg = false;
  uint32_t reg_addr = 0, reg_wdata = 0;
  bool req = false, write = false;
  uint32_t req_addr = 0;
  unsigned req_tag = 0;
  LineMask mask = {};  // of a write
  Line data = {};
};

// R-XB-6: bits of the address move within the partition.
inline uint32_t front_permute(const FrontParams &p, unsigned v, uint32_t addr) {
  unsigned s = 2, n = 0, b = p.partition_bits;
  while ((1u << s) < 4 * p.lanes) s++;
  while ((1u << n) < p.mem_channels) n++;
  if (b == 0 || v == 0) return addr;
  auto bit = [&](unsigned i) { return addr >> i & 1; };
  uint32_t out = addr;
  auto put = [&](unsigned i, uint32_t value) { out = (out & ~(1u << i)) | value << i; };
  for (unsigned j = 1; j <= v; j++) put(s + n - j, bit(b - j));
  for (unsigned i = s + n - v; i < b - v; i++) put(i + v, bit(i));
  return out;
}

class FrontRef {
 public:
  struct Channel {
    bool enabled = false, fresh = false, stopped = false, suspended = false, held = false,
         pending = false, waits = false, busy = false, irq = false, resumes = false;
    unsigned priority = 0;
    std::array<uint32_t, 32> row{};
    std::array<bool, 32> known{};
  };
  struct Slot {
    bool bound = false, runs = false, ended = false, irq = false, overdue = false,
         kill_sent = false, yield_sent = false, old = false;
    uint8_t own = 0;
    unsigned owner = 0;
    uint64_t time = 0, sm_time = 0, insn_base = 0;
    uint32_t index = 0, limit = 0;
  };
  struct Engine {
    bool copying = false, copied = false, irq = false;
    unsigned owner = 0;
    uint64_t time = 0;
  };

  explicit FrontRef(const FrontParams &params)
      : channels(params.n_channels), slots(params.n_slots), dma(dma_cover_), p_(params) {}

  std::vector<Channel> channels;
  std::vector<Slot> slots;
  Engine engine;
  unsigned state = QSM_FRONT_IDLE, channel = 0, slot = 0, next[4] = {};
  uint64_t snap_cycle = 0;
  std::vector<bool> snap_busy;
  bool snap_runs = false;
  unsigned snap_channel = 0, last = 0, snap_copy_channel = 0;
  bool snap_copying = false;
  std::map<std::string, uint64_t> seen;  // what happened how often

  // What is to be seen in this cycle.
  FrontOutput look(uint64_t cycle, uint32_t link_interval) const {
    FrontOutput out = answer_;
    look_at_register(&out);
    const Step *step = state == QSM_FRONT_IDLE ? nullptr : &steps_.front();
    if (!step || (step->kind != kLoad && step->kind != kStore) || !sends_) {
      const DmaRequest req = dma.request(link_interval);
      out.req = req.valid;
      out.write = req.write;
      out.req_addr = front_permute(p_, req.split, req.addr);
      out.req_tag = req.tag;
      out.mask = req.mask;
      out.data = req.data;
      return out;
    }
    const uint32_t at = step->addr + 4 * done_, line = 4 * p_.lanes;
    out.req = true;
    out.write = step->kind == kStore;
    out.req_addr = front_permute(p_, row_split_, at & ~(line - 1));
    if (!out.write) return out;
    std::vector<uint32_t> words = step->words;
    if (step->stamp) words = {words[0], 0, uint32_t(cycle), uint32_t(cycle >> 32)};
    for (unsigned i = 0; i < 4 * words.size(); i++) {
      out.mask[at % line + i] = true;
      out.data[at % line + i] = uint8_t(words[i / 4] >> 8 * (i % 4));
    }
    return out;
  }

  // R-FR-25: whose KILL is to be written, -1: nobody's.
  int late() const {
    for (unsigned k = 0; k < p_.n_slots; k++)
      if (slots[k].overdue && slots[k].runs && !slots[k].kill_sent) return int(k);
    return -1;
  }

  void step(const FrontInput &in) {
    in_ = in;
    // as of the start of the cycle
    const std::vector<Channel> were = channels;
    const std::vector<Slot> slots_were = slots;
    const unsigned state_was = state, channel_was = channel;
    engine_were_ = engine;
    late_ = late();
    const FrontOutput seen_now = look(in.cycle, in.link_interval);
    sets_.assign(p_.n_channels, Sets());
    wake_ = false;
    gives_ = false;
    turns_ = finds_nothing_ = false;
    if (!in.ready && late_ >= 0) seen["kept from KILL"]++;
    const bool table_taken = host_access(were);
    snapshot(were, slots_were);
    sequencer(were, slots_were, table_taken);
    run_slots(slots_were);
    run_engine(seen_now);
    ctrl_writes_in_clear(state_was, channel_was);
    commit(were);
  }

 private:
  enum Kind { kOnce, kFree, kRead, kWrite, kRegister, kLoad, kStore, kDecide };
  struct Step {
    Kind kind = kOnce;
    unsigned word = 0;  // of the table
    uint32_t addr = 0;  // of a register, of memory
    uint32_t value = 0;
    unsigned n = 0;  // words; of kOnce cycles
    bool stamp = false;
    std::vector<uint32_t> words;
    std::function<uint32_t()>
        make;                     // value of a write of the table, or of a register if it has one
    std::function<void()> then;   // at the end of its last cycle
    std::function<void()> every;  // in each cycle of kOnce
    std::function<void(unsigned, uint32_t)> take;
  };
  struct Sets {  // at the end of this cycle
    bool stop = false, wait = false, empty = false, irq = false, busy = false, unbusy = false,
         cleared = false, pend = false, resume = false, unresume = false;
  };

  // ---- the host ----
  bool find(uint32_t addr, bool *page, unsigned *c, uint32_t *offset) const {
    *page = addr >= 0x40000;
    const uint32_t base = *page ? 0x40000 : 0x8000, stride = *page ? 0x1000 : 0x40;
    if (addr < base || addr % 4 != 0) return false;
    *c = (addr - base) / stride;
    *offset = (addr - base) % stride;
    return *c < p_.n_channels && *offset <= (*page ? 0xCu : 0x34u);
  }

  bool host_access(const std::vector<Channel> &were) {
    answer_ = FrontOutput();
    rise_ = written_ctrl_ = -1;
    rise_fall_ = -1;
    put_ = -1;
    if (!in_.host || in_.addr < 0x8000) return false;
    bool page;
    unsigned c;
    uint32_t offset;
    if (!find(in_.addr, &page, &c, &offset)) {
      answer_.rsp_err = true;
      return false;
    }
    const Channel &was = were[c];
    const bool flags = page ? offset == 8 : offset == 0;
    if (flags) {
      flags_access(page, c, was);
      return true;
    }
    const unsigned word =
        page ? (offset == 0   ? 3
                : offset == 4 ? 2
                              : 7)
             : std::array<unsigned, 14>{0, 0, 1, 4, 5, 6, 7, 14, 8, 9, 10, 11, 12, 13}[offset / 4];
    if (!in_.we) {
      const bool hidden = was.fresh && word >= 2 && word < 14;
      answer_.rsp_rdata = hidden ? 0 : was.row[word];
      answer_.rsp_known = hidden || was.known[word];
      return true;
    }
    bool ok = false;
    if (page && offset == 0)
      ok = in_.wdata <= 65535 && !was.suspended && !was.fresh && was.enabled;
    else if (!page && offset == 4)
      ok = !was.enabled && in_.wdata % 16 >= 1 && in_.wdata % 16 <= 12 &&
           (in_.wdata >> 4 & 7) <= most_split() && (in_.wdata >> 7 & 31) == 0;
    else if (!page && offset == 8)
      ok = !was.enabled && in_.wdata % 128 == 0;
    else if (!page && offset == 0x1C)
      ok = true;
    answer_.rsp_err = !ok;
    if (ok) {
      channels[c].row[word] = in_.wdata;
      channels[c].known[word] = true;
      if (page) put_ = int(c);
    }
    return true;
  }

  void flags_access(bool page, unsigned c, const Channel &was) {
    if (!in_.we) {
      answer_.rsp_rdata =
          page ? was.enabled | was.stopped << 1 | was.suspended << 2 | was.held << 3 |
                     (was.pending || was.busy) << 4 | was.fresh << 5
               : was.enabled | was.suspended << 1 | was.held << 2 | was.priority << 3;
      return;
    }
    answer_.rsp_err = page || in_.wdata > 31;
    if (answer_.rsp_err) return;
    written_ctrl_ = int(c);
    channels[c].enabled = in_.wdata & 1;
    channels[c].suspended = in_.wdata >> 1 & 1;
    channels[c].held = in_.wdata >> 2 & 1;
    channels[c].priority = in_.wdata >> 3 & 3;
    if ((in_.wdata & 1) && !was.enabled) rise_ = int(c);
    if (!(in_.wdata & 1)) rise_fall_ = int(c);
  }

  unsigned most_split() const {
    unsigned n = 0;
    while ((1u << n) < p_.mem_channels) n++;
    return std::min(n, p_.partition_bits);
  }

  void snapshot(const std::vector<Channel> &were, const std::vector<Slot> &slots_were) {
    int runs = -1;
    for (unsigned k = p_.n_slots; k-- > 0;)
      if (slots_were[k].runs) runs = int(k);
    if (in_.snap_write) {
      snap_cycle = in_.cycle;
      snap_runs = runs >= 0;
      snap_channel = runs >= 0 ? slots_were[runs].owner : last;
      snap_copying = engine_were_.copying;
      snap_copy_channel = engine_were_.owner;
      snap_busy.assign(p_.n_channels, false);
      for (unsigned c = 0; c < p_.n_channels; c++) snap_busy[c] = were[c].pending || were[c].busy;
    }
    for (unsigned k = p_.n_slots; k-- > 0;)
      if (slots_were[k].runs && !(in_.busy >> k & 1)) last = slots_were[k].owner;
  }

  void run_slots(const std::vector<Slot> &slots_were) {
    for (unsigned k = 0; k < p_.n_slots; k++) {
      if (!slots_were[k].runs) continue;
      if (in_.busy >> k & 1) {
        slots[k].time++;
        slots[k].sm_time += in_.resident[k];
      } else {
        slots[k].runs = false;
        slots[k].ended = true;
      }
    }
    const unsigned k = in_.cycle % 8;
    if (k < p_.n_slots && slots_were[k].runs && slots_were[k].limit &&
        slots_were[k].time >= slots_were[k].limit) {
      slots[k].overdue = true;
      seen["overdue"]++;
    }
    if (late_ >= 0 && in_.ready) {
      slots[late_].kill_sent = true;
      seen["KILL"]++;
    }
  }

  void run_engine(const FrontOutput &seen_now) {
    if (engine_were_.copying && !dma.done()) engine.time++;
    if (dma.done()) {
      engine.copying = false;
      engine.copied = true;
    }
    DmaAnswer answer = {in_.rsp_tag, {}};
    for (unsigned i = 0; in_.rsp && i < LINE_BYTES; i++)
      answer.data[i] = uint8_t(in_.line[i / 4] >> 8 * (i % 4));
    const bool of_dma = in_.rsp && in_.rsp_tag != 0;
    dma.step(in_.link_interval, seen_now.req && seen_now.req_tag != 0, of_dma ? &answer : nullptr,
             gives_ ? &job_ : nullptr);
  }

  // R-FR-5, 2: another enable keeps fresh; R-FR-8: what becomes of the context buffer.
  void ctrl_writes_in_clear(unsigned state_was, unsigned channel_was) {
    if (state_was == QSM_FRONT_CLEAR && rise_ == int(channel_was)) renewed_ = true;
    if (sets_[channel_was].cleared) {
      if (!renewed_) cleared_now_ = int(channel_was);
      sets_[channel_was].unresume = true;
      for (Slot &s : slots)
        if (s.owner == channel_was) s.old = true;
    }
    if (state_was != QSM_FRONT_CLEAR) renewed_ = false;
    if (state_was == QSM_FRONT_CONTEXT) {
      if (written_ctrl_ == int(channel_was)) spoilt_ = true;
      if (state != QSM_FRONT_CONTEXT) buffer_owner_ = spoilt_ ? -1 : int(channel_was);
    } else if (written_ctrl_ >= 0 && written_ctrl_ == buffer_owner_) {
      buffer_owner_ = -1;
    }
  }

  // Flags: set wins.
  void commit(const std::vector<Channel> &were) {
    // R-FR-20: the open cycle before this one was last_open_, -1: there was none
    bool all_fall = wake_;
    if (turns_ || finds_nothing_) {
      const int64_t multiple = int64_t(in_.cycle / 1024 * 1024);  // the last one
      if (multiple > last_open_) {
        all_fall = true;
        seen[turns_ ? "waits fall in a turn" : "waits fall at rest"]++;
        if (turns_ && in_.cycle % 1024) seen["waits fall late"]++;
      }
      last_open_ = int64_t(in_.cycle);
    }
    for (unsigned c = 0; c < p_.n_channels; c++) {
      Channel &now = channels[c];
      const Sets &s = sets_[c];
      const bool rise = rise_ == int(c);
      if (rise || rise_fall_ == int(c)) now.fresh = false;
      if (cleared_now_ == int(c)) now.fresh = false;
      if (rise) now.fresh = true;
      if (rise) now.stopped = now.pending = now.resumes = false;
      if (all_fall) now.waits = false;
      if (s.wait) now.waits = true;
      if (s.empty) now.pending = false;
      if (put_ == int(c) || s.pend) now.pending = true;
      if (s.stop || s.unresume) now.resumes = false;
      if (s.resume) now.resumes = true;
      if (s.stop) now.stopped = true;
      if (s.busy) now.busy = true;
      if (s.unbusy) now.busy = false;
      if ((in_.irq_write >> c / 32 & 1) && (in_.wdata >> c % 32 & 1)) now.irq = false;
      if (s.irq) now.irq = true;
      (void)were;
    }
    for (unsigned k = 0; k < p_.n_slots; k++) {
      if (rise_ >= 0 && slots[k].owner == unsigned(rise_)) slots[k].old = true;
    }
    cleared_now_ = -1;
  }

  // ---- sequencer ----
  void enter(unsigned phase, std::deque<Step> steps) {
    state = phase;
    steps_ = std::move(steps);
    begin();
    seen["state " + std::to_string(phase)]++;
  }
  void begin() {
    asked_ = 0;
    sends_ = true;
    done_ = 0;
    line_.clear();
  }
  // The end of a command or of a piece of work; `turn`: the channel had its turn (R-FR-6).
  void rest(bool turn) {
    state = QSM_FRONT_IDLE;
    steps_.clear();
    turns_ = turn && has_turn_;
    if (turns_) next[(*were_)[channel].priority] = (channel + 1) % p_.n_channels;
    has_turn_ = binding_ = false;
  }

  void sequencer(const std::vector<Channel> &were, const std::vector<Slot> &slots_were,
                 bool table_taken) {
    were_ = &were;
    slots_were_ = &slots_were;
    if (state == QSM_FRONT_IDLE) return choose(were, slots_were);
    if (start_begins_) begin_start();
    if (steps_.front().kind == kDecide) {
      if (taken(table_taken)) return;
      const auto decide = steps_.front().then;
      steps_.pop_front();
      decide();
    }
    Step &step = steps_.front();
    Channel &now = channels[channel];
    switch (step.kind) {
      case kOnce:
        if (step.every) step.every();
        if (step.n-- > 1) return;
        break;
      case kRead:
        if (taken(table_taken)) return;
        read_[step.word] = were[channel].row[step.word];
        break;
      case kFree:
        put_again_ |= put_ == int(channel);
        if (taken(table_taken)) return;
        break;
      case kWrite:
        if (taken(table_taken)) return;
        now.row[step.word] = step.make();
        now.known[step.word] = true;
        break;
      case kRegister:
        // chosen, done, answered (R-FR-11)
        if (asked_ == 0) {
          if (!in_.ready && late_ < 0) seen["kept from a register"]++;
          asked_ = in_.ready && late_ < 0;
          return;
        }
        if (asked_++ == 1) return;
        if (in_.again) {
          seen["a register again"]++;
          asked_ = 0;
          return;
        }
        break;
      case kLoad:
        if (!load(step)) return;
        break;
      case kDecide: break;
      case kStore:
        sends_ = false;
        if (!in_.rsp || in_.rsp_tag != 0) return;
        break;
    }
    const auto then = step.then;
    if (then) {
      const unsigned state_was = state;
      const size_t left = steps_.size();
      then();
      if (state != state_was || steps_.size() != left || state == QSM_FRONT_IDLE) return;
      if (stays_) {
        stays_ = false;
        return;
      }
    }
    steps_.pop_front();
    begin();
  }

  // A cycle that would be free but for the host.
  bool taken(bool table_taken) {
    if (table_taken) seen["kept from the table"]++;
    return table_taken;
  }

  // One cycle of a load; true: it ends.
  bool load(Step &step) {
    const unsigned lanes = p_.lanes;
    if (sends_) {
      sends_ = false;
      return false;
    }
    if (line_.empty()) {
      if (in_.rsp && in_.rsp_tag == 0) line_ = in_.line;
      return false;
    }
    const unsigned lane = (step.addr / 4 + done_) % lanes;
    step.take(done_, line_[lane]);
    done_++;
    if (done_ == step.n) return true;
    if (lane == lanes - 1) {
      line_.clear();
      sends_ = true;
    }
    return false;
  }

  static Step once(std::function<void()> then, unsigned n = 1) {
    Step s;
    s.n = n;
    s.then = std::move(then);
    return s;
  }
  static Step read(unsigned word, std::function<void()> then = nullptr) {
    Step s;
    s.kind = kRead;
    s.word = word;
    s.then = std::move(then);
    return s;
  }
  static Step write(unsigned word, std::function<uint32_t()> make,
                    std::function<void()> then = nullptr) {
    Step s;
    s.kind = kWrite;
    s.word = word;
    s.make = std::move(make);
    s.then = std::move(then);
    return s;
  }
  static Step load_of(uint32_t addr, unsigned n, std::function<void(unsigned, uint32_t)> take,
                      std::function<void()> then) {
    Step s;
    s.kind = kLoad;
    s.addr = addr;
    s.n = n;
    s.take = std::move(take);
    s.then = std::move(then);
    return s;
  }
  static Step store_of(uint32_t addr, std::vector<uint32_t> words, bool stamp,
                       std::function<void()> then) {
    Step s;
    s.kind = kStore;
    s.addr = addr;
    s.words = std::move(words);
    s.stamp = stamp;
    s.then = std::move(then);
    return s;
  }
  // A register of the slot (or of the GPU); refused: stop.
  Step put(uint32_t offset, uint32_t value, std::function<void()> then = nullptr,
           bool of_slot = true, bool stops = true) {
    Step s;
    s.kind = kRegister;
    s.addr = of_slot ? 0x1000 + 0x100 * slot + offset : offset;
    s.value = value;
    s.then = [this, then, offset, stops] {
      if (then) then();
      if (in_.err && stops) stop(QSM_STOP_REFUSED, offset);
    };
    return s;
  }

  void choose(const std::vector<Channel> &were, const std::vector<Slot> &slots_were) {
    for (unsigned k = 0; k < p_.n_slots; k++) {
      if (!slots_were[k].ended) continue;
      slot = k;
      channel = slots_were[k].owner;
      return count([this, k] {
        launch_insn_ = (count_ - slots[k].insn_base) & ((uint64_t{1} << 40) - 1);
        slots[k].insn_base = count_;
        end();
      });
    }
    if (engine_were_.copied) {
      channel = engine_were_.owner;
      return copy_end();
    }
    for (unsigned c = 0; c < p_.n_channels; c++) {
      if (!were[c].fresh) continue;
      channel = c;
      std::deque<Step> steps;
      for (unsigned w = 2; w < 14; w++) steps.push_back(write(w, [] { return 0; }));
      steps.back().then = [this] {
        sets_[channel].cleared = true;
        wake_ = true;
        rest(false);
      };
      return enter(QSM_FRONT_CLEAR, steps);
    }
    for (unsigned k = 0; k < p_.n_slots; k++) {
      const Slot &s = slots_were[k];
      if (!s.bound || s.runs || (were[s.owner].enabled && (in_.slots >> k & 1))) continue;
      slot = k;
      channel = s.owner;
      return unbind();
    }
    int chosen = -1;
    bool others = false;
    for (unsigned level = 4; level-- > 0;) {
      for (unsigned n = 0; n < p_.n_channels; n++) {
        const unsigned c = (next[level] + n) % p_.n_channels;
        const Channel &w = were[c];
        if (w.priority != level || !w.enabled || !w.pending || w.fresh || w.stopped || w.held ||
            w.busy || w.waits)
          continue;
        if (chosen < 0) chosen = int(c);
        others |= level != were[unsigned(chosen)].priority;
      }
    }
    if (others) seen["priority"]++;
    finds_nothing_ = chosen < 0;
    if (chosen >= 0) {
      channel = unsigned(chosen);
      has_turn_ = true;
      return enter(QSM_FRONT_ROW, {read(0), read(1), read(2), read(3, [this] {
                                     Step step = once([this] { check(); });
                                     step.kind = kFree;
                                     put_again_ = false;
                                     enter(QSM_FRONT_CHECK, {step});
                                   })});
    }
  }

  // R-FR-22
  void count(std::function<void()> then) {
    count_ = 0;
    count_sm_ = 0;
    Step step = once(std::move(then), p_.n_sms);
    step.every = [this] {
      count_ = (count_ + in_.insn[slot][count_sm_++]) & ((uint64_t{1} << 40) - 1);
    };
    enter(QSM_FRONT_COUNT, {step});
  }

  // A counter of 48 bits in two words of the row, the low one first; and DONE.
  void add(std::deque<Step> *steps, unsigned low, uint64_t amount) {
    for (unsigned half = 0; half < 2; half++) {
      steps->push_back(read(low + half));
      steps->push_back(write(low + half, [this, low, half, amount] {
        const uint64_t carry = half && uint64_t{read_[low]} + uint32_t(amount) > 0xFFFFFFFF;
        const uint64_t sum = read_[low + half] + (amount >> 32 * half) + carry;
        return half ? uint32_t(sum) & 0xFFFF : uint32_t(sum);
      }));
    }
  }
  void add_done(std::deque<Step> *steps, std::function<void()> then) {
    steps->push_back(read(6));
    steps->push_back(write(6, [this] { return read_[6] + 1; }, std::move(then)));
  }

  void end() {
    const unsigned k = slot;
    std::deque<Step> steps;
    add(&steps, 4, slots[k].time);
    add(&steps, 8, slots[k].sm_time);
    add(&steps, 10, launch_insn_);
    Step decide;
    decide.kind = kDecide;
    decide.then = [this, k] {
      if (!(in_.yielded >> k & 1) || (in_.killed >> k & 1) || !(*slots_were_)[k].yield_sent ||
          (*slots_were_)[k].old) {
        if (in_.yielded >> k & 1) seen["yielded in vain"]++;
        return;
      }
      seen["yielded"]++;
      steps_ = {write(2, [this, k] { return slots[k].index; }),
                write(15, [this, k] { return in_.walk[k][0]; }),
                write(16, [this, k] { return in_.walk[k][1]; }),
                write(
                    17, [this, k] { return in_.walk[k][2]; },
                    [this, k] {
                      slots[k].ended = false;
                      sets_[channel].unbusy = sets_[channel].pend = sets_[channel].resume = true;
                      wake_ = true;
                      rest(false);
                    })};
    };
    steps.push_back(decide);
    add_done(&steps, [this, k] {
      if (!(in_.killed >> k & 1)) ended(k);
    });
    steps.push_back(write(
        7,
        [this, k] {
          const uint32_t what = slots[k].overdue ? uint32_t{QSM_STOP_TIMEOUT} | 24 << 8
                                                 : QSM_STOP_FAULT | in_.cause << 8;
          return what | slots[k].index << 16;
        },
        [this, k] {
          sets_[channel].stop = sets_[channel].irq = true;
          seen[slots[k].overdue ? "timeout" : "fault"]++;
          ended(k);
        }));
    enter(QSM_FRONT_END, steps);
  }

  void copy_end() {
    std::deque<Step> steps;
    add(&steps, 12, engine.time);
    add_done(&steps, [this] {
      engine.copied = false;
      sets_[channel].unbusy = true;
      wake_ = true;
      if (engine.irq) sets_[channel].irq = true;
      rest(false);
    });
    enter(QSM_FRONT_COPY_END, steps);
  }
  void ended(unsigned k) {
    slots[k].ended = false;
    sets_[channel].unbusy = true;
    wake_ = true;
    if (slots[k].irq) sets_[channel].irq = true;
    rest(false);
  }

  void unbind() {
    enter(QSM_FRONT_UNBIND, {put(
                                0, 0,
                                [this] {
                                  slots[slot].bound = false;
                                  rest(true);
                                },
                                true, false)});
  }

  void stop(unsigned code, uint32_t word) {
    seen["stop " + std::to_string(code)]++;
    const uint32_t error = code | (word & 0xFF) << 8 | (read_[2] & 0xFFFF) << 16;
    enter(QSM_FRONT_STOP, {write(
                              7, [error] { return error; },
                              [this] {
                                sets_[channel].stop = sets_[channel].irq = true;
                                wake_ = true;
                                if (binding_) {
                                  seen["stop unbinds"]++;
                                  unbind();
                                } else {
                                  rest(true);
                                }
                              })});
  }

  void check() {
    const unsigned log2 = read_[0] & 15;
    const uint32_t n = 1u << log2, get = read_[2], put_index = read_[3];
    row_split_ = read_[0] >> 4 & 7;
    if (get >= n || put_index >= n) return stop(QSM_STOP_BAD_PUT, 0);
    if (get == put_index && !(*were_)[channel].resumes) {
      sets_[channel].empty = !put_again_;
      return rest(true);
    }
    enter(QSM_FRONT_FETCH,
          {load_of((read_[0] & ~0xFFFu) + 32 * get, 8,
                   [this](unsigned i, uint32_t word) { command_[i] = word; },
                   [this] { enter(QSM_FRONT_DECODE, {once([this] { decode(); })}); })});
  }

  void decode() {
    const uint32_t head = command_[0], opcode = head & 0xFF;
    const bool copy = opcode == QSM_CMD_COPY, fill = opcode == QSM_CMD_FILL;
    unsigned named = opcode == QSM_CMD_NOP      ? 1
                     : opcode == QSM_CMD_LAUNCH ? 2
                     : copy || fill             ? 4
                                                : 3;
    if ((head & ~0x3FFu) || opcode > QSM_CMD_FILL) return stop(QSM_STOP_BAD_COMMAND, 0);
    for (unsigned w = 1; w < 8; w++) {
      const bool bytes = (copy && w == 3) || (fill && w == 2);
      if (bytes ? !command_[w] : w >= named && command_[w]) return stop(QSM_STOP_BAD_COMMAND, w);
    }
    seen["command " + std::to_string(opcode)]++;
    if (opcode == QSM_CMD_NOP) return finish();
    if (buffer_owner_ == int(channel)) {
      seen["context kept"]++;
      return with_context();
    }
    buffer_owner_ = -1;
    spoilt_ = false;
    enter(QSM_FRONT_CONTEXT,
          {load_of(
              read_[1], 32, [this](unsigned i, uint32_t word) { context_[i] = word; },
              [this] { with_context(); })});
  }

  void with_context() {
    const uint32_t opcode = command_[0] & 0xFF;
    if (opcode == QSM_CMD_LAUNCH) {
      first_ = true;
      return enter(QSM_FRONT_SLOT, {once([this] { find_slot(); })});
    }
    if (opcode == QSM_CMD_SET) return enter(QSM_FRONT_SET, {once([this] { set(); })});
    if (opcode == QSM_CMD_COPY || opcode == QSM_CMD_FILL)
      return enter(QSM_FRONT_RANGE, {once([this] { range(); }, 6)});
    enter(QSM_FRONT_ADDRESS, {once([this] { semaphore(); })});
  }

  bool in_window(unsigned n, uint32_t bytes, unsigned right) const {
    const uint64_t at = command_[1];
    return context_[6 + 3 * n] <= at && at + bytes <= context_[7 + 3 * n] &&
           (context_[8 + 3 * n] >> right & 1);
  }

  // R-FR-23: the window that has all these bytes, -1: none.
  int window_of(uint64_t from, uint64_t bytes, unsigned right) const {
    static const unsigned words[] = {6, 9, 23};
    for (unsigned n = 0; n < 3; n++) {
      const uint32_t *window = &context_[words[n]];
      if (window[0] <= from && from + bytes - 1 < window[1] && (window[2] >> right & 1))
        return int(n);
    }
    return -1;
  }

  void range() {
    const bool copy = (command_[0] & 0xFF) == QSM_CMD_COPY;
    const uint32_t to = command_[copy ? 2 : 1], bytes = command_[copy ? 3 : 2];
    const int source = copy ? window_of(command_[1], bytes, 0) : 0;
    const int target = window_of(to, bytes, 1);
    if (source < 0) return stop(QSM_STOP_BAD_ADDRESS, 1);
    if (target < 0) {
      seen["bad target"]++;
      return stop(QSM_STOP_BAD_ADDRESS, copy ? 2 : 1);
    }
    job_ =
        DmaJob{!copy, source == 2 || target == 2, command_[1], to, bytes, command_[3], row_split_};
    if (job_.link) seen["link"]++;
    enter(QSM_FRONT_ENGINE, {once([this] { find_engine(); })});
  }

  void find_engine() {
    if (!in_.concurrent && engine_were_.copying) {
      seen["copy waits"]++;
      steps_.front().n = 1;
      stays_ = true;
      return;
    }
    if (engine_were_.copying || engine_were_.copied) {
      seen[engine_were_.copied ? "engine copied" : "engine taken"]++;
      sets_[channel].wait = true;
      return rest(false);
    }
    gives_ = true;
    engine.copying = true;
    engine.owner = channel;
    engine.time = 0;
    engine.irq = command_[0] >> 8 & 1;
    finish();
  }

  void semaphore() {
    const bool release = (command_[0] & 0xFF) == QSM_CMD_RELEASE;
    const bool stamp = release && (command_[0] >> 9 & 1);
    const uint32_t bytes = stamp ? 16 : 4;
    if (command_[1] % bytes || !in_window(1, bytes, release)) return stop(QSM_STOP_BAD_ADDRESS, 1);
    if (stamp) seen["stamp"]++;
    if (release)
      return enter(QSM_FRONT_ACCESS,
                   {store_of(command_[1], {command_[2]}, stamp, [this] { finish(); })});
    enter(QSM_FRONT_ACCESS, {load_of(
                                command_[1], 1, [this](unsigned, uint32_t word) { loaded_ = word; },
                                [this] {
                                  enter(QSM_FRONT_COMPARE, {once([this] {
                                          if (int32_t(loaded_ - command_[2]) >= 0) return finish();
                                          seen["acquire waits"]++;
                                          sets_[channel].wait = true;
                                          rest(true);
                                        })});
                                })});
  }

  void find_slot() {
    if (first_ && (command_[1] % 64 || !(in_window(0, 64, 0) || in_window(1, 64, 0))))
      return stop(QSM_STOP_BAD_ADDRESS, 1);
    first_ = false;
    bool some_runs = false;
    for (const Slot &s : *slots_were_) some_runs |= s.runs;
    if (!in_.concurrent && some_runs && take_back()) return;
    if (!in_.concurrent && some_runs) {
      seen["engine busy"]++;
      steps_.front().n = 1;
      stays_ = true;
      return;
    }
    for (unsigned match = 1; match <= 3; match++) {
      for (unsigned k = 0; k < p_.n_slots; k++) {
        const Slot &s = (*slots_were_)[k];
        if (!(in_.slots >> k & 1)) continue;
        if (match == 1   ? !(s.bound && s.owner == channel)
            : match == 2 ? s.bound
                         : (!s.bound || s.runs || s.ended))
          continue;
        seen["slot " + std::to_string(match)]++;
        slot = k;
        return match == 1 ? load_launch() : bind(match == 3);
      }
    }
    if (take_back()) return;
    seen["slot 4"]++;
    sets_[channel].wait = true;
    rest(false);
  }

  // R-FR-26; true: there is somebody who yields.
  bool take_back() {
    if (!in_.take_back) return false;
    const auto level = [this](unsigned k) { return (*were_)[(*slots_were_)[k].owner].priority; };
    int victim = -1;
    for (unsigned k = 0; k < p_.n_slots; k++) {
      if (!(in_.slots >> k & 1) || !(*slots_were_)[k].runs) continue;
      if (level(k) >= (*were_)[channel].priority) continue;
      if (victim < 0 || level(k) < level(unsigned(victim))) victim = int(k);
    }
    if (victim < 0) return false;
    if ((*slots_were_)[unsigned(victim)].yield_sent) {
      seen["yield was sent"]++;
      sets_[channel].wait = true;
      rest(false);
      return true;
    }
    slot = unsigned(victim);
    enter(QSM_FRONT_YIELD, {put(
                               0xE8, 1,
                               [this] {
                                 slots[slot].yield_sent = true;
                                 sets_[channel].wait = true;
                                 rest(false);
                               },
                               true, false)});
    return true;
  }

  void bind(bool bound) {
    static const struct {
      unsigned word, offset;
    } order[] = {{3, 0x0C},  {4, 0x10},  {5, 0xC4},  {6, 0x14},  {7, 0x18},  {8, 0x1C},
                 {9, 0x20},  {10, 0x24}, {11, 0x28}, {2, 0x08},  {1, 0x04},  {22, 0xE0},
                 {0, 0x00},  {13, 0xA0}, {14, 0xA4}, {15, 0xA8}, {16, 0xAC}, {17, 0xB0},
                 {18, 0xC0}, {19, 0xC8}, {20, 0xCC}, {21, 0xDC}};
    binding_ = true;
    std::deque<Step> steps;
    if (bound) steps.push_back(put(0, 0, [this] { slots[slot].bound = false; }));
    for (const auto &o : order) {
      const bool ctx = o.word == 0, is_last = o.word == 21;
      steps.push_back(put(o.offset, context_[o.word] | (ctx ? 1 : 0), [this, ctx, is_last] {
        if (in_.err) return;
        if (ctx) {
          slots[slot].bound = true;
          slots[slot].owner = channel;
        }
        if (is_last) {
          slots[slot].own = 0;
          count([this] {
            slots[slot].insn_base = count_;
            load_launch();
          });
        }
      }));
    }
    enter(QSM_FRONT_BIND, steps);
  }

  void load_launch() {
    enter(QSM_FRONT_LOAD,
          {load_of(
              command_[1], 16, [this](unsigned i, uint32_t word) { launch_[i] = word; },
              [this] { enter(QSM_FRONT_LOOK, {once([this] { look_at_launch(); })}); })});
  }

  void look_at_launch() {
    const uint32_t own = launch_[9];
    for (unsigned w = 9; w < 16; w++) {
      const uint32_t may = w == 9 ? 3 : w < 13 ? -(own & 1) : w == 13 ? -(own >> 1 & 1) : 0;
      if (launch_[w] & ~may) return stop(QSM_STOP_BAD_LAUNCH, w);
    }
    if (own & 1 && !(context_[12] & 4)) return stop(QSM_STOP_NO_RIGHT, QSM_SETTING_SM_MASK_LO);
    if (own & 2 && !(context_[12] & 8)) return stop(QSM_STOP_NO_RIGHT, QSM_SETTING_CACHE_POLICY);
    enter(QSM_FRONT_PRODUCT, {once(
                                 [this] {
                                   enter(QSM_FRONT_LIMIT, {read(14, [this] {
                                           resumes_ = (*were_)[channel].resumes;
                                           start();
                                         })});
                                 },
                                 22)});
  }

  void start() {
    const uint32_t threads = (launch_[5] & 0x7FF) * (launch_[6] & 0x7FF) * (launch_[7] & 0x7FF);
    std::deque<Step> steps;
    for (unsigned w = 0; w < 8; w++) steps.push_back(put(0x2C + 4 * w, launch_[w]));
    steps.push_back(put(0x4C, threads));
    steps.push_back(put(0x50, launch_[8]));
    steps.push_back(put(0x54, uint32_t((uint64_t(threads) + p_.lanes - 1) / p_.lanes)));
    steps.push_back(
        put(0x58, uint32_t((uint64_t(launch_[8]) + p_.granule_bytes - 1) / p_.granule_bytes)));
    // R-FR-28
    static const unsigned masks[] = {0x0C, 0x10, 0xC4};
    const unsigned own = launch_[9], written = own | slots[slot].own;
    for (unsigned n = 0; n < 3 && written & 1; n++)
      steps.push_back(put(masks[n], own & 1 ? launch_[10 + n] : context_[3 + n]));
    if (written & 2) steps.push_back(put(0xC0, own & 2 ? launch_[13] : context_[18]));
    if (own)
      seen["own settings"]++;
    else if (written)
      seen["own settings fall"]++;
    steps.push_back(put(0x18, 1u << slot, nullptr, false));
    steps.push_back(put(0x5C, 1, [this] {
      if (in_.err) return;
      Slot &s = slots[slot];
      s.runs = true;
      s.time = s.sm_time = 0;
      s.limit = read_[14];
      s.overdue = s.kill_sent = s.yield_sent = s.old = false;
      s.own = uint8_t(launch_[9]);
      s.index = read_[2];
      s.irq = command_[0] >> 8 & 1;
      finish();
    }));
    enter(QSM_FRONT_START, steps);
    start_begins_ = true;
  }
  // In the first cycle: what is written after words 0 to 7.
  void begin_start() {
    static const unsigned offsets[] = {0xEC, 0xF0, 0xF4};
    start_begins_ = false;
    slots[slot].own |= uint8_t(launch_[9]);
    if (resumes_) seen["resumes"]++;
    auto at = steps_.begin() + 8;
    for (unsigned n = 0; n < 3; n++) {
      Step step = put(offsets[n], 0);
      if (resumes_) {
        at = steps_.insert(at, read(15 + n)) + 1;
        step.make = [this, n] { return read_[15 + n]; };
      }
      at = steps_.insert(at, step) + 1;
    }
  }

  void set() {
    static const unsigned words[] = {1, 13, 3, 4, 5, 18}, rights[] = {0, 1, 2, 2, 2, 3};
    static const unsigned offsets[] = {0x04, 0xA0, 0x0C, 0x10, 0xC4, 0xC0};
    const uint32_t which = command_[1];
    if (which > 5 || !(context_[12] >> rights[which] & 1)) return stop(QSM_STOP_NO_RIGHT, which);
    const unsigned word = words[which];
    for (unsigned k = 0; k < p_.n_slots; k++) {
      if (!(*slots_were_)[k].bound || (*slots_were_)[k].owner != channel) continue;
      slot = k;
      return enter(QSM_FRONT_SET_REG, {put(offsets[which], command_[2], [this, word] {
                     if (!in_.err) set_word(word);
                   })});
    }
    set_word(word);
  }
  void set_word(unsigned word) {
    enter(QSM_FRONT_SET_STORE, {store_of(read_[1] + 4 * word, {command_[2]}, false, [this, word] {
            context_[word] = command_[2];
            finish();
          })});
  }

  void finish() {
    const uint32_t n = 1u << (read_[0] & 15), opcode = command_[0] & 0xFF;
    const auto advance = [this, n] { return (read_[2] + 1) % n; };
    if (opcode == QSM_CMD_LAUNCH || opcode == QSM_CMD_COPY || opcode == QSM_CMD_FILL)
      return enter(QSM_FRONT_FINISH, {write(2, advance, [this] {
                     sets_[channel].unresume = sets_[channel].busy = true;
                     rest(true);
                   })});
    const auto goes_on = [this] { sets_[channel].unresume = true; };
    enter(QSM_FRONT_FINISH, {write(2, advance, goes_on), read(6),
                             write(
                                 6, [this] { return read_[6] + 1; },
                                 [this, opcode] {
                                   if (command_[0] >> 8 & 1) {
                                     sets_[channel].irq = true;
                                     seen["irq of a command"]++;
                                   }
                                   if (opcode == QSM_CMD_RELEASE) wake_ = true;
                                   rest(true);
                                 })});
  }

  void look_at_register(FrontOutput *out) const {
    const int k = late();
    if (k >= 0) {
      out->reg = true;
      out->reg_addr = 0x1000 + 0x100 * unsigned(k) + 0x9C;
      out->reg_wdata = 1;
      return;
    }
    if (state == QSM_FRONT_IDLE || steps_.front().kind != kRegister || asked_) return;
    out->reg = true;
    out->reg_addr = steps_.front().addr;
    out->reg_wdata = steps_.front().make ? steps_.front().make() : steps_.front().value;
  }

  DmaCover dma_cover_ = {};

 public:
  DmaRef dma;

 private:
  const FrontParams p_;
  FrontInput in_;
  Engine engine_were_;
  DmaJob job_ = {};
  bool gives_ = false;
  int late_ = -1;
  uint64_t count_ = 0, launch_insn_ = 0;
  unsigned count_sm_ = 0;
  FrontOutput answer_;
  std::vector<Sets> sets_;
  bool wake_ = false, turns_ = false, finds_nothing_ = false;
  int64_t last_open_ = -1;
  int rise_ = -1, rise_fall_ = -1, written_ctrl_ = -1, put_ = -1, cleared_now_ = -1;
  bool renewed_ = false;
  const std::vector<Channel> *were_ = nullptr;
  const std::vector<Slot> *slots_were_ = nullptr;

  std::deque<Step> steps_;
  int asked_ = 0;  // cycles since a register's write was chosen, 0: it is not
  bool sends_ = false, stays_ = false, first_ = false;
  unsigned done_ = 0;
  std::vector<uint32_t> line_;
  bool start_begins_ = false, resumes_ = false, put_again_ = false;
  std::array<uint32_t, 32> read_{};
  std::array<uint32_t, 8> command_{};
  std::array<uint32_t, 16> launch_{};
  std::array<uint32_t, 32> context_{};
  uint32_t loaded_ = 0;
  unsigned row_split_ = 0;
  int buffer_owner_ = -1;
  bool spoilt_ = false, has_turn_ = false, binding_ = false;
};

#endif
