// SPDX-License-Identifier: Apache-2.0
// The AXI4 manager as docs/axi.md says it, R-AX-1 to R-AX-10, cycle by cycle: what stands at its
// outputs, and what a cycle changes.
#ifndef QSM_AXI_REF_H
#define QSM_AXI_REF_H

#include <array>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

constexpr unsigned kBeatBytes = DATA_W / 8, kBeats = BYTES_PER_LINE / kBeatBytes,
                   kEntries = 1u << ID_W;

using Line = std::array<uint8_t, BYTES_PER_LINE>;
using Mask = std::bitset<BYTES_PER_LINE>;
using Beat = std::array<uint8_t, kBeatBytes>;

struct Access {
  bool write;
  uint32_t line, tag;
  Line data;
  Mask bytes;
};

// What comes from outside in a cycle.
struct AxiInputs {
  const Access *request = nullptr;
  bool ar_ready, aw_ready, w_ready, rsp_ready;
  bool r_valid = false, b_valid = false;
  unsigned r_id = 0, r_resp = 0, b_id = 0, b_resp = 0;
  Beat r_data = {};
};

class AxiRef {
 public:
  struct Address {
    bool valid = false;
    unsigned id = 0;
    uint32_t line = 0;
  };
  struct Entry {
    bool used = false, under_way = false, ended = false, error = false;
    unsigned beat = 0;
    Access access = {};
  };
  struct Error {
    bool valid = false, write = false;
    unsigned resp = 0;
    uint32_t line = 0;
  };

  bool ready() const { return queue_.size() < 2; }
  const Entry *shown() const {
    return shown_ < 0 ? nullptr : &entries_[static_cast<unsigned>(shown_)];
  }
  const std::array<Entry, kEntries> &entries() const { return entries_; }
  bool waits() const { return !queue_.empty(); }
  bool idle() const { return queue_.empty() && n_used() == 0; }
  unsigned n_used() const {
    unsigned n = 0;
    for (const Entry &e : entries_) n += e.used;
    return n;
  }
  // R-AX-5: what is in the way of the queue's head.
  bool in_way(bool of_reads, bool of_writes) const {
    if (queue_.empty()) return false;
    const Access &head = queue_.front();
    for (const Entry &e : entries_) {
      if (!e.under_way || e.access.line != head.line || (!head.write && !e.access.write)) continue;
      if (e.access.write ? of_writes : of_reads) return true;
    }
    return false;
  }
  bool head_writes() const { return queue_.front().write; }

  void step(const AxiInputs &in) {
    const int entry = start_entry();
    const bool ar_free = !ar.valid || in.ar_ready, aw_free = !aw.valid || in.aw_ready;
    const bool w_free = !w_valid || (in.w_ready && w_beat == kBeats - 1);
    const bool starts = !queue_.empty() && entry >= 0 && !in_way(true, true) &&
                        (queue_.front().write ? aw_free && w_free : ar_free);
    const bool arrives = in.request && ready();
    const bool may_choose = shown_ < 0 || in.rsp_ready;
    const int chosen = may_choose ? choice() : -1;

    note_error(in);
    if (in.r_valid) take_beat(in);
    if (in.b_valid) end(in.b_id);
    if (ar_free) ar.valid = false;
    if (aw_free) aw.valid = false;
    if (w_valid && in.w_ready) w_valid = ++w_beat < kBeats;
    if (shown_ >= 0 && in.rsp_ready) entries_[static_cast<unsigned>(shown_)].used = false;
    if (may_choose) shown_ = chosen;
    if (chosen >= 0) {
      entries_[static_cast<unsigned>(chosen)].ended = false;
      chosen_last_ = static_cast<unsigned>(chosen);
    }
    if (starts) start(static_cast<unsigned>(entry));
    if (arrives) queue_.push_back(*in.request);
  }

  Address ar, aw;
  bool w_valid = false;
  unsigned w_beat = 0;
  Access w_access = {};
  Error error;

 private:
  int start_entry() const {
    if (IN_ORDER) return entries_[next_].used ? -1 : static_cast<int>(next_);
    for (unsigned e = 0; e < kEntries; e++) {
      if (!entries_[e].used) return static_cast<int>(e);
    }
    return -1;
  }

  // Entries are taken in turns in order, so the one after the last answered is the oldest (R-AX-8).
  int choice() const {
    for (unsigned n = 1; n <= (IN_ORDER ? 1 : kEntries); n++) {
      const unsigned e = (chosen_last_ + n) % kEntries;
      if (entries_[e].ended) return static_cast<int>(e);
    }
    return -1;
  }

  void start(unsigned entry) {
    const Access &head = queue_.front();
    entries_[entry] = Entry{true, true, false, false, 0, head};
    next_ = (entry + 1) % kEntries;
    (head.write ? aw : ar) = Address{true, entry, head.line};
    if (head.write) {
      w_valid = true;
      w_beat = 0;
      w_access = head;
    } else {
      entries_[entry].access.data = Line{};
    }
    queue_.pop_front();
  }

  void end(unsigned id) {
    entries_[id].under_way = false;
    entries_[id].ended = true;
  }

  void take_beat(const AxiInputs &in) {
    Entry &e = entries_[in.r_id];
    std::memcpy(&e.access.data[e.beat * kBeatBytes], in.r_data.data(), kBeatBytes);
    e.error |= in.r_resp >= 2;
    if (++e.beat == kBeats) end(in.r_id);
  }

  void note_error(const AxiInputs &in) {
    if (error.valid) return;
    if (in.r_valid && in.r_resp >= 2) {
      error = Error{true, false, in.r_resp, entries_[in.r_id].access.line};
    } else if (in.b_valid && in.b_resp >= 2) {
      error = Error{true, true, in.b_resp, entries_[in.b_id].access.line};
    }
  }

  std::deque<Access> queue_;
  std::array<Entry, kEntries> entries_ = {};
  int shown_ = -1;
  unsigned next_ = 0, chosen_last_ = kEntries - 1;
};

#endif
