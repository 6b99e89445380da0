// SPDX-License-Identifier: Apache-2.0
// Lanes of the model: what instructions compute (docs/isa.md). No timing here.
#ifndef QSM_EXEC_H
#define QSM_EXEC_H

#include "qsm_sm_blocks.h"

// Calls the always-inline function f(..., n) with the warp size as a constant, so that its lane loops vectorise.
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
// A loop over lanes l = 0 .. n - 1. Unrolled early it would not be vectorised.
#ifdef __clang__
#define QSM_LANES _Pragma("clang loop unroll(disable)") for (uint32_t l = 0; l < n; l++)
#else
#define QSM_LANES _Pragma("GCC unroll 1") for (uint32_t l = 0; l < n; l++)
#endif
#define QSM_LANE_FUNCTION static inline __attribute__((always_inline))

// Writes the result of an ALU, MUL or CTL instruction with rd != 0. ex1: the cycle in which it was in EX1.
void qsm_exec_fixed(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint64_t ex1);
// Quotients or remainders of all lanes.
void qsm_exec_div(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint32_t *out);
// Lanes of the warp in which a branch is taken (inactive lanes: any value).
uint32_t qsm_exec_taken(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot);
// Targets of a jalr, bit 0 cleared.
void qsm_exec_jalr(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint32_t *target);
// Addresses and store data of a MEM instruction.
void qsm_exec_operands(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, struct qsm_mem_op *op);
// Writes the lanes of mask.
void qsm_exec_write(struct qsm_subcore *sc, uint32_t warp, uint32_t rd, uint32_t mask, const uint32_t *data);

// The word that an AMO leaves.
uint32_t qsm_exec_amo(uint32_t amo, uint32_t old, uint32_t operand);

#endif
