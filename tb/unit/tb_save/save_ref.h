// SPDX-License-Identifier: Apache-2.0
// What a save, flush or restore has to do, place by place, as docs/preemption.md lists it (R-PE-16
// to R-PE-18).
#ifndef SAVE_REF_H
#define SAVE_REF_H

#include <cstdint>
#include <vector>

namespace save_ref {

enum Op : uint32_t { kNone, kRestore, kSave, kFlush };
enum Phase : uint32_t {
  kIdle,
  kAddress,
  kQuiet,
  kFind,
  kRegisters,
  kState,
  kFinished,
  kShared,
  kHeader,
  kWait
};
enum Kind : uint32_t {
  kSt,
  kLd,
  kSts,
  kLds,
  kSet,
  kJmp,
  kCycle,
  kHeaderWait
};  // both last are places without a step

struct Shape {
  uint32_t lanes, warps, shared, base, image;
};

struct Warp {
  bool resident = false;
  bool split_valid = false;
  uint32_t live = 0, bar = 0;
  uint32_t split_pc = 0, split_depth = 0, split_mask = 0;
  std::vector<uint32_t> pc, depth;  // of the lanes that are not on the split
};

struct Index {
  uint32_t x, y, z, linear;
};

// A place of the list; a step of a warp that is not there is none.
struct Item {
  Phase phase;
  Kind kind;
  uint32_t warp, xreg, pc, mask;
  bool of_lane, of_split;  // SET: the value is a lane's, the split's
};

class List {
 public:
  List(const Shape &shape, const std::vector<Warp> &warps) : s_(shape), w_(warps) {
    line_ = 4 * s_.lanes;
    all_ = (s_.lanes == 32) ? ~0u : (1u << s_.lanes) - 1;
    rows_ = (s_.shared + line_ - 1) / line_;
    base_ = s_.base + s_.image * line_ * (3 + 33 * s_.warps + rows_);
  }

  std::vector<Item> save(bool flush, const Index &index) {
    phase_ = kFind;
    uint32_t f = 0;
    while (cycle(), !w_[f].resident) f++;
    if (!flush) {
      phase_ = kRegisters;
      for (uint32_t r = 1; r <= 31; r++)
        for (uint32_t i = 0; i < s_.warps; i++) st(i, r, 3 + 33 * i + r);
      phase_ = kState;
      for (uint32_t i = 0; i < s_.warps; i++) state(i);
      phase_ = kFinished;
      set(f, 30, 0, all_);
      for (uint32_t i = 0; i < s_.warps; i++) {
        if (w_[i].resident)
          cycle();
        else
          st(f, 30, 3 + 33 * i + 32);
      }
      phase_ = kShared;
      shared(kLds, kSt);
    }
    phase_ = kHeader;
    const uint32_t words[3] = {index.x + 65536 * index.y, index.z, index.linear};
    for (uint32_t n = 0; n < 3; n++) {
      set(f, 31, words[n], all_);
      st(f, 31, n);
    }
    return items_;
  }

  std::vector<Item> restore(bool fresh) {
    phase_ = kHeader;
    for (uint32_t n = 0; n < 3; n++) ld(0, 31 - n, n);
    items_.push_back({phase_, kHeaderWait, 0, 0, 0, 0, false, false});
    if (fresh) return items_;
    phase_ = kShared;
    shared(kLd, kSts);
    phase_ = kRegisters;
    for (uint32_t r = 1; r <= 29; r++)
      for (uint32_t i = 0; i < s_.warps; i++) ld(i, r, 3 + 33 * i + r);
    phase_ = kState;
    for (uint32_t i = 0; i < s_.warps; i++) ld(i, 31, 3 + 33 * i);
    for (uint32_t i = 0; i < s_.warps; i++) ld(i, 30, 3 + 33 * i + 32);
    for (uint32_t i = 0; i < s_.warps; i++) step(kJmp, i, 31, 0, all_);
    for (uint32_t r = 30; r <= 31; r++)
      for (uint32_t i = 0; i < s_.warps; i++) ld(i, r, 3 + 33 * i + r);
    return items_;
  }

 private:
  void step(Kind kind, uint32_t i, uint32_t xreg, uint32_t pc, uint32_t mask, bool of_lane = false,
            bool of_split = false) {
    items_.push_back({phase_, kind, i, xreg, pc, mask, of_lane, of_split});
  }
  void cycle() { step(kCycle, 0, 0, 0, 0); }
  void st(uint32_t i, uint32_t r, uint32_t line) { step(kSt, i, r, base_ + line_ * line, all_); }
  void ld(uint32_t i, uint32_t r, uint32_t line) { step(kLd, i, r, base_ + line_ * line, all_); }
  void set(uint32_t i, uint32_t r, uint32_t value, uint32_t mask, bool of_lane = false,
           bool of_split = false) {
    step(kSet, i, r, value, mask, of_lane, of_split);
  }

  void state(uint32_t i) {
    const Warp &w = w_[i];
    cycle();
    if (!w.resident) return;
    uint32_t rest = w.live;
    if (w.split_valid) {
      set(i, 31, w.split_pc, w.split_mask, false, true);
      set(i, 30, 32 + w.split_depth, w.split_mask, false, true);
      rest &= ~w.split_mask;
    }
    for (uint32_t l = 0; l < s_.lanes; l++) {
      if (!(rest >> l & 1)) continue;
      set(i, 31, w.pc[l], 1u << l, true);
      set(i, 30, 64 * (w.bar >> l & 1) + 32 + w.depth[l], 1u << l, true);
    }
    if (w.live != all_) {
      set(i, 31, 0, all_ & ~w.live);
      set(i, 30, 0, all_ & ~w.live);
    }
    st(i, 31, 3 + 33 * i);
    st(i, 30, 3 + 33 * i + 32);
  }

  // Rows go to the warps in turn: first all of a round from one side into x31, then to the other
  // side.
  void shared(Kind first, Kind second) {
    for (uint32_t q = 0; q < rows_;) {
      const uint32_t round = q;
      uint32_t i = 0;
      for (; i < s_.warps && q < rows_; i++) row(first, i, &q);
      const uint32_t end = i;
      q = round;
      for (i = 0; i < end; i++) row(second, i, &q);
    }
  }

  void row(Kind kind, uint32_t i, uint32_t *q) {
    if (!w_[i].resident) return cycle();
    if (kind == kLds || kind == kSts) {
      uint32_t mask = 0;
      for (uint32_t l = 0; l < s_.lanes; l++) mask |= (*q * line_ + 4 * l < s_.shared) << l;
      step(kind, i, 31, 0x10000000 + *q * line_, mask);
    } else {
      step(kind, i, 31, base_ + line_ * (3 + 33 * s_.warps + *q), all_);
    }
    ++*q;
  }

  Shape s_;
  std::vector<Warp> w_;
  std::vector<Item> items_;
  uint32_t line_, all_, rows_, base_;
  Phase phase_ = kIdle;
};

}  // namespace save_ref

#endif
