// SPDX-License-Identifier: Apache-2.0
// Where a thread block goes on the sub-cores of an SM (docs/tb_sched.md R-TB-10), every warp
// placed.
#ifndef QSM_TB_PLACE_H
#define QSM_TB_PLACE_H

#include <vector>

// The sub-core of warp 0: the first f, circular from `first`, with which all warps have room; -1 if
// there is none.
inline int tb_place(const std::vector<unsigned> &free_warps, unsigned first, unsigned warps) {
  const unsigned n_sched = static_cast<unsigned>(free_warps.size());
  for (unsigned n = 0; n < n_sched; n++) {
    const unsigned f = (first + n) % n_sched;
    std::vector<unsigned> left = free_warps;
    unsigned w = 0;
    while (w < warps && left[(f + w) % n_sched] > 0) left[(f + w++) % n_sched]--;
    if (w == warps) return static_cast<int>(f);
  }
  return -1;
}

#endif
