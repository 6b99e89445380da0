// SPDX-License-Identifier: Apache-2.0
// Loops over the lanes of a warp, such that compilers vectorise them.
#ifndef QSM_LANES_H
#define QSM_LANES_H

// Calls the always-inline function f(..., n) with the warp size as a constant, so that its lane
// loops vectorise.
#define QSM_PER_WARP_SIZE(n_lanes, f, ...) \
  do {                                     \
    switch (n_lanes) {                     \
      case 32: f(__VA_ARGS__, 32); break;  \
      case 16: f(__VA_ARGS__, 16); break;  \
      case 8: f(__VA_ARGS__, 8); break;    \
      case 4: f(__VA_ARGS__, 4); break;    \
      default: f(__VA_ARGS__, 2); break;   \
    }                                      \
  } while (0)
// A loop over lanes l = 0 .. n - 1, each of which writes words of its own lane only, that no other
// lane reads: a destination may be one of the sources. Unrolled early it would not be vectorised.
#ifdef __clang__
#define QSM_LANES \
  _Pragma("clang loop unroll(disable) vectorize(assume_safety)") for (uint32_t l = 0; l < n; l++)
#else
#define QSM_LANES _Pragma("GCC unroll 1") _Pragma("GCC ivdep") for (uint32_t l = 0; l < n; l++)
#endif
#define QSM_LANE_FUNCTION static inline __attribute__((always_inline))

#endif
