// SPDX-License-Identifier: Apache-2.0
// Ports of the crossbar, as its benches drive and read them.
#ifndef QSM_XBAR_PORTS_H
#define QSM_XBAR_PORTS_H

#include <algorithm>
#include <cstdint>

#include "../common/qsm_unit.h"

namespace xbar {

using qsm_unit::get;
using qsm_unit::index_bits;
using qsm_unit::set;

// SMs, and the front end where there is one.
constexpr unsigned kRequesters = NUM_SMS + (NUM_CMD ? 1 : 0);
// Layout of mem_req_t, port_req_t, mem_rsp_t, port_rsp_t (rtl/qsm_pkg.sv), from bit 0 up.
const unsigned kSlotW = index_bits(NUM_KERNELS),
               kTagW = std::max(index_bits(MEM_TXNS + NUM_SCHED),
                                NUM_CMD ? index_bits(DMA_ENTRIES + 2) : 0),
               kSmW = index_bits(kRequesters + (L2_KIB ? 1 : 0));
const unsigned kLineBits = 32 * WARP_SIZE, kByteBits = 4 * WARP_SIZE;
const unsigned kInFlight = MEM_TXNS + NUM_SCHED;
// What a requester may have in flight (R-XB-1).
inline unsigned most_of(unsigned requester) {
  return requester < NUM_SMS ? kInFlight : 2 * DMA_ENTRIES + 1;
}

struct Fields {
  unsigned base;
  template <class P>
  uint64_t take(const P &port, unsigned width) {
    uint64_t value = 0;
    for (unsigned b = 0; b < width; b++) value |= get(port, base + b, 1) << b;
    base += width;
    return value;
  }
  template <class P>
  void put(P &port, unsigned width, uint64_t value) {
    for (unsigned b = 0; b < width; b++) set(port, base + b, 1, (value >> b) & 1);
    base += width;
  }
};

}  // namespace xbar

#endif
