// SPDX-License-Identifier: Apache-2.0
// An AXI4 subordinate with a memory: takes addresses and data when it likes, performs accesses in
// any order, answers in any order with the beats of its reads in turns. Checks what IHI 0022
// demands of the other side, and knows nothing of how that works.
#ifndef QSM_AXI_SLAVE_H
#define QSM_AXI_SLAVE_H

#include <algorithm>
#include <unordered_map>

#include "../common/qsm_unit.h"
#include "axi_ref.h"

// What stands at a channel towards the slave.
struct AddressPins {
  uint32_t valid, id, addr, len, size, burst, lock, cache, prot, qos;
  bool operator!=(const AddressPins &o) const { return std::memcmp(this, &o, sizeof o) != 0; }
};
struct DataPins {
  bool valid, last;
  Beat data;
  std::bitset<kBeatBytes> strb;
};

// How a slave behaves: chances of 16 in a cycle.
struct SlaveManners {
  unsigned address, data, perform, answer;
  enum { Apart, AddressFirst, DataFirst } writes;  // W waits for its AW, or AW for its W
  bool bad_lines;                                  // some lines answer with an error
};

// Words of memory that was never written: unlike each other and those of other lines.
inline Line fresh(uint32_t line) {
  Line data;
  for (unsigned i = 0; i < BYTES_PER_LINE; i++)
    data[i] = static_cast<uint8_t>((line * 2654435761u + i * 40503u) >> 13);
  return data;
}
inline bool is_bad(uint32_t line) { return line * 2654435761u >> 29 == 3; }

class Memory {
 public:
  Line &operator[](uint32_t line) { return lines_.emplace(line, fresh(line)).first->second; }
  void write(const Access &access) {
    Line &line = (*this)[access.line];
    for (unsigned i = 0; i < BYTES_PER_LINE; i++) {
      if (access.bytes[i]) line[i] = access.data[i];
    }
  }
  const std::unordered_map<uint32_t, Line> &lines() const { return lines_; }

 private:
  std::unordered_map<uint32_t, Line> lines_;
};

class AxiSlave {
 public:
  AxiSlave(qsm_unit::Tap &tap, qsm_unit::Random &random, SlaveManners manners)
      : manners(manners), tap_(tap), random_(random) {}

  // Before the clock edge, without a look at the pins: what the slave shows and takes in this
  // cycle.
  void choose(AxiInputs &in) {
    const bool w_owed = n_bursts_ < n_addresses_, aw_owed = n_addresses_ < n_bursts_;
    in.ar_ready = chance(manners.address);
    in.aw_ready = chance(manners.address) && (manners.writes != SlaveManners::DataFirst || aw_owed);
    in.w_ready = chance(manners.data) && (manners.writes != SlaveManners::AddressFirst || w_owed) &&
                 (manners.writes != SlaveManners::DataFirst || !aw_owed);
    perform_some();
    in.r_valid = !reads_.empty() && chance(manners.answer);
    if (in.r_valid) show_beat(in);
    in.b_valid = !acks_.empty() && chance(manners.answer);
    if (in.b_valid) {
      const Ack ack = take_any(acks_);
      in.b_id = ack.id;
      in.b_resp = ack.resp;
      write_out_[ack.id] = false;
    }
    n_both_errors += in.r_valid && in.b_valid && in.r_resp >= 2 && in.b_resp >= 2;
  }

  // At the clock edge: the pins of this cycle.
  void take(const AxiInputs &in, const AddressPins &ar, const AddressPins &aw, const DataPins &w) {
    stable("AR", ar, ar_stalled_);
    stable("AW", aw, aw_stalled_);
    if (w_stalled_.valid) {
      tap_.expect(w.valid && w.last == w_stalled_.last && w.data == w_stalled_.data &&
                      w.strb == w_stalled_.strb,
                  "W changes before it is taken");
    }
    if (ar.valid && in.ar_ready) take_read(ar);
    if (w.valid && in.w_ready) take_data(w);
    if (aw.valid && in.aw_ready) take_write(aw);
    pair_writes();
    ar_stalled_ = ar;
    ar_stalled_.valid = ar.valid && !in.ar_ready;
    aw_stalled_ = aw;
    aw_stalled_.valid = aw.valid && !in.aw_ready;
    w_stalled_ = w;
    w_stalled_.valid = w.valid && !in.w_ready;
  }

  bool idle() const {
    return reads_.empty() && writes_.empty() && acks_.empty() && addresses_.empty() &&
           burst_.empty() && bursts_.empty();
  }

  SlaveManners manners;
  Memory memory;
  uint64_t n_in_turns = 0, n_empty_beats = 0, n_data_first = 0, n_address_first = 0,
           n_first_beat_errors = 0, n_both_errors = 0;

 private:
  struct Read {
    unsigned id;
    uint32_t line;
    unsigned beat;
    unsigned bad_beat;  // that answers with an error
  };
  struct Ack {
    unsigned id, resp;
  };
  struct Write {
    unsigned id;
    Access access;
  };

  bool chance(unsigned of_16) { return random_.below(16) < of_16; }
  template <class T>
  T take_any(std::vector<T> &from) {
    const size_t i = random_.below(static_cast<uint32_t>(from.size()));
    const T taken = from[i];
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
    return taken;
  }

  void stable(const char *channel, const AddressPins &now, const AddressPins &stalled) {
    if (stalled.valid) tap_.expect(!(now != stalled), "%s changes before it is taken", channel);
  }

  void check_address(const char *channel, const AddressPins &pins,
                     std::array<bool, kEntries> &out) {
    const uint32_t bytes = (pins.len + 1) << pins.size;
    tap_.expect(pins.burst == 1 && (1u << pins.size) == kBeatBytes && bytes == BYTES_PER_LINE,
                "%s: burst %u of %u beats of %u bytes", channel, pins.burst, pins.len + 1,
                1u << pins.size);
    tap_.expect(
        pins.addr % BYTES_PER_LINE == 0 && pins.addr / 4096 == (pins.addr + (bytes - 1)) / 4096,
        "%s: address %x", channel, pins.addr);
    tap_.expect(pins.lock == 0 && pins.cache == 2 && pins.prot == 2 && pins.qos == 0,
                "%s: lock %u, cache %u, prot %u, qos %u", channel, pins.lock, pins.cache, pins.prot,
                pins.qos);
    tap_.expect(!out[pins.id], "%s: ID %u is already outstanding", channel, pins.id);
    out[pins.id] = true;
  }

  void take_read(const AddressPins &pins) {
    check_address("AR", pins, read_out_);
    const uint32_t line = pins.addr / BYTES_PER_LINE;
    reads_.push_back(Read{pins.id, line, 0, bad(line) ? random_.below(kBeats) : kBeats});
    memory[line];
  }
  void take_write(const AddressPins &pins) {
    check_address("AW", pins, write_out_);
    addresses_.push_back(Write{pins.id, Access{true, pins.addr / BYTES_PER_LINE, 0, {}, {}}});
    n_addresses_++;
    n_data_first += n_bursts_ >= n_addresses_;
    n_address_first += n_bursts_ < n_addresses_ && burst_.empty();
  }
  void take_data(const DataPins &pins) {
    burst_.push_back(pins);
    tap_.expect(pins.last == (burst_.size() == kBeats), "WLAST is %d with beat %zu of %u",
                pins.last, burst_.size(), kBeats);
    n_empty_beats += pins.strb.none();
    if (burst_.size() < kBeats) return;
    Access whole = {};
    for (unsigned b = 0; b < kBeats; b++) {
      std::memcpy(&whole.data[b * kBeatBytes], burst_[b].data.data(), kBeatBytes);
      for (unsigned i = 0; i < kBeatBytes; i++) whole.bytes[b * kBeatBytes + i] = burst_[b].strb[i];
    }
    bursts_.push_back(whole);
    burst_.clear();
    n_bursts_++;
  }
  // Data come in the order of the addresses.
  void pair_writes() {
    while (!addresses_.empty() && !bursts_.empty()) {
      Write write = addresses_.front();
      write.access.data = bursts_.front().data;
      write.access.bytes = bursts_.front().bytes;
      writes_.push_back(write);
      addresses_.pop_front();
      bursts_.pop_front();
    }
  }

  bool bad(uint32_t line) const { return manners.bad_lines && is_bad(line); }
  unsigned some_error() { return 2 + random_.below(2); }

  void perform_some() {
    if (writes_.empty() || !chance(manners.perform)) return;
    const Write write = take_any(writes_);
    if (!bad(write.access.line)) memory.write(write.access);
    acks_.push_back(Ack{write.id, bad(write.access.line) ? some_error() : 0});
  }
  void show_beat(AxiInputs &in) {
    const size_t i = random_.below(static_cast<uint32_t>(reads_.size()));
    Read &read = reads_[i];
    in.r_id = read.id;
    in.r_resp = read.beat == read.bad_beat ? some_error() : 0;
    std::memcpy(in.r_data.data(), &memory[read.line][read.beat * kBeatBytes], kBeatBytes);
    n_first_beat_errors += read.beat == 0 && in.r_resp != 0 && kBeats > 1;
    n_in_turns += std::any_of(reads_.begin(), reads_.end(),
                              [&](const Read &r) { return &r != &read && r.beat > 0; });
    if (++read.beat < kBeats) return;
    read_out_[read.id] = false;
    reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  std::vector<Read> reads_;
  std::deque<Write> addresses_;  // without their data
  std::deque<Access> bursts_;    // data without their addresses
  std::vector<DataPins> burst_;  // beats of the burst that comes
  std::vector<Write> writes_;    // not performed
  std::vector<Ack> acks_;        // performed, not answered
  std::array<bool, kEntries> read_out_ = {}, write_out_ = {};
  uint64_t n_addresses_ = 0, n_bursts_ = 0;
  AddressPins ar_stalled_ = {}, aw_stalled_ = {};
  DataPins w_stalled_ = {};
};

#endif
