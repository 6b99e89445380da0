// SPDX-License-Identifier: Apache-2.0
// Memory behind the port: 4 GiB of bytes that follow from their address, and the lines that were
// touched. An access is done when it is asked for, or when it is answered; answers come in any
// order.
#ifndef QSM_DMA_MEMORY_H
#define QSM_DMA_MEMORY_H

#include <unordered_map>
#include <vector>

#include "dma_ref.h"

// How memory behaves in a round of a test. Latencies: from the request to the first cycle in which
// the answer may be seen.
struct DmaPace {
  unsigned read_least, read_most, write_least, write_most;
  bool in_order, late;  // late: accesses are done when they are answered
};

class DmaMemory {
 public:
  void forget(uint32_t salt) {
    salt_ = salt;
    lines.clear();
  }

  uint8_t original(uint64_t at) const {
    const uint32_t x = (static_cast<uint32_t>(at) ^ salt_) * 2654435761u;
    return static_cast<uint8_t>(x >> 24 ^ x >> 13);
  }
  uint8_t byte(uint64_t at) {
    return line(static_cast<uint32_t>(at / LINE_BYTES))[at % LINE_BYTES];
  }

  void ask(const DmaRequest &req, uint64_t now, const DmaPace &pace, qsm_unit::Random &random) {
    const unsigned least = req.write ? pace.write_least : pace.read_least;
    const unsigned most = req.write ? pace.write_most : pace.read_most;
    Access access = {req, now + least + random.below(most - least + 1), pace.late, {}};
    if (!pace.late) perform(access);
    waiting_.push_back(access);
  }

  bool answer(uint64_t now, const DmaPace &pace, qsm_unit::Random &random, DmaAnswer *out) {
    std::vector<size_t> ripe;
    for (size_t i = 0; i < waiting_.size(); i++) {
      if (waiting_[i].from <= now) ripe.push_back(i);
      if (pace.in_order && ripe.size() != i + 1) break;
    }
    if (ripe.empty()) return false;
    const size_t chosen =
        pace.in_order ? 0 : ripe[random.below(static_cast<uint32_t>(ripe.size()))];
    Access access = waiting_[chosen];
    waiting_.erase(waiting_.begin() + static_cast<long>(chosen));
    if (access.late) perform(access);
    *out = DmaAnswer{access.req.tag, access.data};
    return true;
  }

  std::unordered_map<uint32_t, Line> lines;

 private:
  struct Access {
    DmaRequest req;
    uint64_t from;
    bool late;
    Line data;
  };

  Line &line(uint32_t number) {
    const auto found = lines.find(number);
    if (found != lines.end()) return found->second;
    Line &made = lines[number];
    for (uint64_t j = 0; j < LINE_BYTES; j++) made[j] = original(uint64_t{number} * LINE_BYTES + j);
    return made;
  }
  void perform(Access &access) {
    Line &that = line(access.req.addr / LINE_BYTES);
    access.data = that;
    if (!access.req.write) return;
    for (unsigned j = 0; j < LINE_BYTES; j++) {
      if (access.req.mask[j]) that[j] = access.req.data[j];
      access.data[j] = static_cast<uint8_t>(0xa0 + j);  // of an acknowledgement: nothing looks
    }
  }

  std::vector<Access> waiting_;
  uint32_t salt_ = 0;
};

#endif
