// SPDX-License-Identifier: Apache-2.0
// Lanes of the model: what instructions compute (docs/isa.md). No timing here.
#ifndef QSM_EXEC_H
#define QSM_EXEC_H

#include "qsm_lsu.h"
#include "qsm_subcore.h"

// Writes the result of an ALU, MUL or CTL instruction with rd != 0. ex1: the cycle in which it was
// in EX1.
void qsm_exec_fixed(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint64_t ex1);
// Results of an FMA instruction.
void qsm_exec_float(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint32_t *out);
// Of a DIV instruction: quotients, remainders or roots of all lanes.
void qsm_exec_div(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint32_t *out);
// Lanes of the warp in which a branch is taken (inactive lanes: any value).
uint32_t qsm_exec_taken(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot);
// Targets of a jalr, bit 0 cleared.
void qsm_exec_jalr(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                   uint32_t *target);
// Addresses and store data of a MEM instruction.
void qsm_exec_operands(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                       struct qsm_mem_op *op);
// Writes the lanes of mask.
void qsm_exec_write(struct qsm_subcore *sc, uint32_t warp, uint32_t rd, uint32_t mask,
                    const uint32_t *data);

// The word that an AMO leaves.
uint32_t qsm_exec_amo(uint32_t amo, uint32_t old, uint32_t operand);

#endif
