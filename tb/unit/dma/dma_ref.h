// SPDX-License-Identifier: Apache-2.0
// The engine as docs/dma.md says it: which lines are asked for and written, and when. A byte that
// is written is looked up in the source line that has it, so nothing is turned here.
#ifndef QSM_DMA_REF_H
#define QSM_DMA_REF_H

#include <array>
#include <cstdint>
#include <deque>

using Line = std::array<uint8_t, LINE_BYTES>;
using LineMask = std::array<bool, LINE_BYTES>;

struct DmaJob {
  bool fill, link;
  uint32_t src, dst, bytes, pattern;
  unsigned split;
};

struct DmaRequest {
  bool valid, write;
  uint32_t addr;
  LineMask mask;
  Line data;
  unsigned tag, split;
};

struct DmaAnswer {
  unsigned tag;
  Line data;
};

// What happened, asserted at the end of the random test.
struct DmaCover {
  uint64_t copies, fills, skip[2], tail, no_tail, no_turn, one_line, several, link_waits[2],
      writes_full, entries_full, out_of_order, stays, use_alone, read_beside_use;
};

class DmaRef {
 public:
  explicit DmaRef(DmaCover &cover) : cover_(cover) {}

  bool busy() const { return busy_; }
  uint32_t credit() const { return credit_; }
  bool done() const { return busy_ && written_ == n_writes_ && under_way_ == 0; }

  DmaRequest request(uint32_t interval) const {
    DmaRequest req = {};
    if (!busy_) return req;
    const bool write = !may_read(interval);
    if (write && !ready(interval)) return req;
    req.valid = true;
    req.write = write;
    req.split = job_.split;
    req.tag = write ? 1 + NUM_ENTRIES : 1 + next_entry_;
    const uint64_t line = write ? job_.dst / LINE_BYTES + written_ : job_.src / LINE_BYTES + asked_;
    req.addr = static_cast<uint32_t>(line * LINE_BYTES);
    if (write) fill_in(req);
    return req;
  }

  // The end of a cycle in which `sent` says whether request() was taken.
  void step(uint32_t interval, bool sent, const DmaAnswer *answer, const DmaJob *start) {
    const DmaRequest req = request(interval);
    cover(interval, req, sent, answer);
    const bool writes = sent && req.write, reads = sent && !req.write;
    const bool uses = head_there() && (skips() || writes);
    step_credit(interval, writes, reads, start != nullptr);
    if (done()) busy_ = false;
    if (uses) {
      before_ = entries_.front().line;
      used_up_++;
      entries_.pop_front();
    }
    if (reads) {
      entries_.push_back(Entry{next_entry_, false, false, {}});
      next_entry_ = (next_entry_ + 1) % NUM_ENTRIES;
      asked_++;
    }
    written_ += writes;
    under_way_ += writes;
    for (Entry &entry : entries_) entry.there |= entry.came;
    if (answer) step_answer(*answer);
    if (start) step_start(*start);
  }

 private:
  struct Entry {
    unsigned number;
    bool came, there;
    Line line;
  };

  // ---- R-DM-3, R-DM-4 ----
  bool has_credit(uint32_t interval) const { return !job_.link || credit_ >= interval; }
  bool head_there() const { return !entries_.empty() && entries_.front().there; }
  bool skips() const { return skip_ && used_up_ == 0; }
  bool is_tail() const { return !job_.fill && used_up_ == n_reads_; }
  bool could_write() const {
    return written_ < n_writes_ && (job_.fill || (head_there() && !skips()) || is_tail());
  }
  bool ready(uint32_t interval) const {
    return under_way_ < NUM_ENTRIES && could_write() && (!job_.fill || has_credit(interval));
  }
  bool may_read(uint32_t interval) const {
    return asked_ < n_reads_ && entries_.size() < NUM_ENTRIES && has_credit(interval);
  }

  // ---- bytes of destination line written_ ----
  void fill_in(DmaRequest &req) const {
    for (uint64_t j = 0; j < LINE_BYTES; j++) {
      const uint64_t at = req.addr + j;
      if (at < job_.dst || at >= uint64_t{job_.dst} + job_.bytes) continue;
      req.mask[j] = true;
      req.data[j] = job_.fill ? static_cast<uint8_t>(job_.pattern >> (8 * (at % 4)))
                              : source_byte(at - job_.dst + job_.src);
    }
  }
  uint8_t source_byte(uint64_t at) const {
    const uint64_t m = at / LINE_BYTES - job_.src / LINE_BYTES;
    if (m == used_up_ && head_there()) return entries_.front().line[at % LINE_BYTES];
    if (m + 1 == used_up_) return before_[at % LINE_BYTES];
    std::printf("# R-DM-5: source line %llu is needed, %llu are used up\n",
                static_cast<unsigned long long>(m), static_cast<unsigned long long>(used_up_));
    std::exit(1);
  }

  // ---- R-DM-7 ----
  void step_credit(uint32_t interval, bool writes, bool reads, bool start) {
    const bool counts = job_.link && (job_.fill ? writes : reads);
    credit_ = credit_ + 256 - (counts ? interval : 0);
    if (credit_ > interval + 255) credit_ = interval + 255;
    if (start) credit_ = interval;
  }

  // ---- R-DM-6 ----
  void step_answer(const DmaAnswer &answer) {
    if (answer.tag == 1 + NUM_ENTRIES) under_way_--;
    for (Entry &entry : entries_) {
      if (answer.tag != 1 + entry.number) continue;
      entry.came = true;
      entry.line = answer.data;
    }
  }

  // ---- R-DM-1 ----
  static uint64_t lines(uint32_t from, uint32_t n_bytes) {
    return (uint64_t{from} + n_bytes - 1) / LINE_BYTES - from / LINE_BYTES + 1;
  }
  void step_start(const DmaJob &job) {
    job_ = job;
    busy_ = true;
    n_reads_ = job.fill ? 0 : lines(job.src, job.bytes);
    n_writes_ = lines(job.dst, job.bytes);
    asked_ = used_up_ = written_ = 0;
    const uint32_t d = (job.dst - job.src) % LINE_BYTES;
    skip_ = !job.fill && job.src % LINE_BYTES + d >= LINE_BYTES;
    cover_.fills += job.fill;
    if (job.fill) return;
    cover_.copies++;
    cover_.skip[skip_]++;
    cover_.no_turn += d == 0;
    cover_.one_line += n_reads_ == 1 && n_writes_ == 1;
    cover_.several += n_reads_ > 2 * NUM_ENTRIES;
    const bool with_tail = n_writes_ > n_reads_ - skip_;
    cover_.tail += with_tail;
    cover_.no_tail += !with_tail && d != 0;
  }

  void cover(uint32_t interval, const DmaRequest &req, bool sent, const DmaAnswer *answer) {
    if (!busy_) return;
    const bool full = under_way_ == NUM_ENTRIES, credit = has_credit(interval);
    cover_.writes_full += full && could_write() && credit;
    cover_.entries_full += asked_ < n_reads_ && entries_.size() == NUM_ENTRIES && !req.write;
    cover_.link_waits[1] += job_.fill && !full && could_write() && !credit;
    cover_.link_waits[0] +=
        !job_.fill && !req.write && asked_ < n_reads_ && entries_.size() < NUM_ENTRIES && !credit;
    const bool uses = head_there() && skips();
    cover_.use_alone += uses && !sent;
    cover_.read_beside_use += uses && sent && !req.write;
    if (!answer) return;
    cover_.stays += sent && req.write && answer->tag == 1 + NUM_ENTRIES;
    for (const Entry &entry : entries_) {
      if (answer->tag == 1 + entry.number) break;
      if (!entry.came && answer->tag >= 1 && answer->tag <= NUM_ENTRIES) cover_.out_of_order++;
    }
  }

  DmaCover &cover_;
  DmaJob job_ = {};
  bool busy_ = false, skip_ = false;
  uint64_t n_reads_ = 0, n_writes_ = 0, asked_ = 0, used_up_ = 0, written_ = 0;
  uint32_t credit_ = 0;
  unsigned next_entry_ = 0, under_way_ = 0;
  std::deque<Entry> entries_;  // in use, the head first
  Line before_ = {};           // as it came
};

#endif
