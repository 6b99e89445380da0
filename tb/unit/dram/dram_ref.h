// SPDX-License-Identifier: Apache-2.0
// The memory controller as docs/dram.md says it, R-DR-1 to R-DR-9, in the words of the page: a list
// in order of arrival, times as cycles.
#ifndef QSM_DRAM_REF_H
#define QSM_DRAM_REF_H

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

struct DramTimes {
  unsigned rcd, rp, ras, cl, wr, burst;
};

struct DramRequest {
  uint32_t number, line;
  unsigned slot;
  bool write;
};

// What a cycle does.
struct DramCommand {
  bool column = false, row = false,
       first_column = false;  // first_column: no row was opened for the access
  DramRequest request = {};
};

class DramRef {
 public:
  DramRef(unsigned columns, unsigned n_banks, unsigned queue, DramTimes times)
      : columns_(columns), n_banks_(n_banks), queue_(queue), times_(times), banks_(n_banks) {}

  bool ready() const { return entries_.size() < queue_; }

  DramCommand command(uint64_t now, bool port_ready) const {
    DramCommand result;
    const size_t looked_at =
        passed_ == kStarveLimit ? std::min<size_t>(1, entries_.size()) : entries_.size();
    if (port_ready && bus_free_ <= now && places_.size() < queue_) {
      for (size_t i = 0; i < looked_at; i++) {
        if (!asks_open_row(entries_[i]) || bank(entries_[i]).takes > now) continue;
        result.column = true;
        result.first_column = !entries_[i].opened;
        result.request = entries_[i].request;
        return result;
      }
    }
    for (size_t i = 0; i < looked_at; i++) {
      const Bank &b = bank(entries_[i]);
      if (asks_open_row(entries_[i]) || b.takes > now) continue;
      if (b.open && (b.closable > now || (passed_ != kStarveLimit && open_row_wanted(entries_[i]))))
        continue;
      result.row = true;
      result.request = entries_[i].request;
      return result;
    }
    return result;
  }

  // Number of the response that is shown in this cycle, or -1.
  int64_t shown(uint64_t now) const {
    const bool there = !places_.empty() && places_.front().answered && places_.front().due <= now;
    return there ? static_cast<int64_t>(places_.front().number) : -1;
  }

  // One cycle: the request that comes in (or null), the port's answer for the oldest access (if
  // any), whether the shown response is taken.
  void step(uint64_t now, bool port_ready, const DramRequest *arrival, bool answer, bool taken) {
    const DramCommand done = command(now, port_ready);
    if (taken) places_.pop_front();
    if (answer) {
      Place &place =
          *std::find_if(places_.begin(), places_.end(), [](const Place &p) { return !p.answered; });
      place.answered = true;
      place.due = std::max(place.due, now + 1);
    }
    if (done.row) open_row(now, done.request.number);
    if (done.column) access(now, done.request.number);
    if (arrival) entries_.push_back(Entry{*arrival, false});
  }

  unsigned passed() const { return passed_; }
  size_t size() const { return entries_.size(); }
  static constexpr unsigned kStarveLimit = 15;

 private:
  struct Bank {
    bool open = false;
    uint32_t row = 0;
    uint64_t takes = 0, closable = 0;  // first cycle with a command, in which the row may be closed
  };
  struct Entry {
    DramRequest request;
    bool opened;
  };
  struct Place {
    uint32_t number;
    uint64_t due;
    bool answered;
  };

  uint32_t row_of(const Entry &e) const { return e.request.line / columns_ / n_banks_; }
  unsigned bank_of(const Entry &e) const { return e.request.line / columns_ % n_banks_; }
  const Bank &bank(const Entry &e) const { return banks_[bank_of(e)]; }
  bool asks_open_row(const Entry &e) const { return bank(e).open && bank(e).row == row_of(e); }
  bool open_row_wanted(const Entry &entry) const {
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry &e) {
      return bank_of(e) == bank_of(entry) && asks_open_row(e);
    });
  }
  std::deque<Entry>::iterator find(uint32_t number) {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const Entry &e) { return e.request.number == number; });
  }

  void open_row(uint64_t now, uint32_t number) {
    Entry &entry = *find(number);
    Bank &b = banks_[bank_of(entry)];
    const unsigned precharge = b.open ? times_.rp : 0;
    b = Bank{true, row_of(entry), now + times_.rcd + precharge, now + times_.ras + precharge};
    entry.opened = true;
  }

  void access(uint64_t now, uint32_t number) {
    const auto entry = find(number);
    Bank &b = banks_[bank_of(*entry)];
    const bool write = entry->request.write;
    bus_free_ = b.takes = now + times_.burst;
    if (write) b.closable = std::max(b.closable, now + times_.burst + times_.wr);
    passed_ = entry == entries_.begin() ? 0 : passed_ + 1;
    entries_.erase(entry);
    places_.push_back(Place{number, now + (write ? 1 : times_.cl + times_.burst), false});
  }

  unsigned columns_, n_banks_, queue_;
  DramTimes times_;
  std::vector<Bank> banks_;
  std::deque<Entry> entries_;
  std::deque<Place> places_;
  uint64_t bus_free_ = 0;
  unsigned passed_ = 0;
};

#endif
