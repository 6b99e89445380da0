// SPDX-License-Identifier: Apache-2.0
// Lanes of the model: docs/isa.md, operations of docs/subcore.md.
#include "qsm_exec.h"

#include <string.h>

#include "qsm_fpu.h"
#include "qsm_lanes.h"
#include "qsm_sm_blocks.h"

static inline bool is_whole(uint32_t mask, uint32_t n) {
  return mask == (uint32_t)((1ull << n) - 1);
}  // as most warps most of the time

QSM_LANE_FUNCTION void write_lanes(uint32_t *dst, uint32_t mask, const uint32_t *src, uint32_t n) {
  if (is_whole(mask, n)) {
    memcpy(dst, src, n * sizeof *dst);
    return;
  }
  QSM_LANES {
    uint32_t select = 0u - (mask >> l & 1);  // a conditional expression would become a branch
    dst[l] = (src[l] & select) | (dst[l] & ~select);
  }
}

static uint32_t csr_uniform(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                            uint64_t ex1) {
  const struct qsm_sm *sm = sc->sm;
  const struct qsm_desc *desc = qsm_desc_of(sm, slot->kernel);
  const struct qsm_tb_slot *tb = &sm->launch.tb[sc->warp[slot->warp].state.tb];
  switch (slot->insn.imm) {
    case 0xC00: return (uint32_t)ex1;
    case 0xC80: return (uint32_t)(ex1 >> 32);
    case 0xCC0: return sc->warp[slot->warp].state.widx * sm->n_lanes;  // + lane
    case 0xCC1:
    case 0xCC2:
    case 0xCC3: return tb->block[slot->insn.imm - 0xCC1];
    case 0xCC4:
    case 0xCC5:
    case 0xCC6: return desc->block[slot->insn.imm - 0xCC4];
    case 0xCC7:
    case 0xCC8:
    case 0xCC9: return desc->grid[slot->insn.imm - 0xCC7];
    case 0xCCA: return 0;  // + lane
    case 0xCCB: return sm->index;
    case 0xCCC: return desc->arg;
    case 0xCCD:  // + lane
      return (sm->index * sm->n_subs * sm->n_warps + sc->index * sm->n_warps + slot->warp) *
             sm->n_lanes;
    case 0xCCE: return slot->kernel;
    case 0xCCF: return slot->mask;
    case 0xCD0: return sm->n_lanes;
    default: return tb->ticket;  // 0xCD1
  }
}

static bool csr_adds_lane(uint32_t number) {
  return number == 0xCC0 || number == 0xCCA || number == 0xCCD;
}

struct operands {
  const uint32_t *a, *b;
  uint32_t *rd;
  uint32_t pc, imm, mask, uniform,
      lane_step;  // the last two: CSR value = uniform + lane * lane_step
  uint8_t op;
};

// One operation with a register and, where there is one, its form with an immediate.
#define REGISTER_OP(name, expression) \
  case QSM_OP_##name:                 \
    QSM_LANES {                       \
      uint32_t x = a[l], y = b[l];    \
      out[l] = (expression);          \
    }                                 \
    break;
#define BOTH_OPS(name, expression)   \
  REGISTER_OP(name, expression)      \
  case QSM_OP_##name##I:             \
    QSM_LANES {                      \
      uint32_t x = a[l], y = o->imm; \
      out[l] = (expression);         \
    }                                \
    break;

// A whole warp's results go to their register at once, as no lane reads another's operands.
QSM_LANE_FUNCTION void fixed(const struct operands *o, uint32_t n) {
  const uint32_t *a = o->a, *b = o->b;
  uint32_t some[QSM_MAX_LANES];
  bool whole = is_whole(o->mask, n);
  uint32_t *out = whole ? o->rd : some;
  switch (o->op) {
    BOTH_OPS(ADD, x + y)
    BOTH_OPS(SLL, x << (y & 31))
    BOTH_OPS(SLT, (int32_t)x < (int32_t)y)
    BOTH_OPS(SLTU, x < y)
    BOTH_OPS(XOR, x ^ y)
    BOTH_OPS(SRL, x >> (y & 31))
    BOTH_OPS(SRA, (uint32_t)((int32_t)x >> (y & 31)))
    BOTH_OPS(OR, x | y)
    BOTH_OPS(AND, x & y)
    REGISTER_OP(SUB, x - y)
    REGISTER_OP(MUL, x * y)
    REGISTER_OP(MULH, (uint32_t)((uint64_t)((int64_t)(int32_t)x * (int32_t)y) >> 32))
    REGISTER_OP(MULHSU, (uint32_t)((uint64_t)((int64_t)(int32_t)x * (int64_t)y) >> 32))
    REGISTER_OP(MULHU, (uint32_t)((uint64_t)x * y >> 32))
    case QSM_OP_CSR: QSM_LANES out[l] = o->uniform + l * o->lane_step; break;
    case QSM_OP_LUI: QSM_LANES out[l] = o->imm; break;
    case QSM_OP_AUIPC: QSM_LANES out[l] = o->pc + o->imm; break;
    case QSM_OP_JAL:
    case QSM_OP_JALR: QSM_LANES out[l] = o->pc + 4; break;
    default: qsm_fpu_simple(o->op, a, b, out, n); break;
  }
  if (!whole) write_lanes(o->rd, o->mask, some, n);
}

void qsm_exec_fixed(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint64_t ex1) {
  uint32_t n_lanes = sc->sm->n_lanes;
  struct operands o = {
      .a = slot->rs1,
      .b = slot->rs2,
      .rd = slot->rd,
      .pc = slot->pc,
      .imm = slot->insn.imm,
      .mask = slot->mask,
      .op = slot->insn.op,
  };
  if (slot->insn.op == QSM_OP_CSR) {
    o.uniform = csr_uniform(sc, slot, ex1);
    o.lane_step = csr_adds_lane(slot->insn.imm);
  }
  QSM_PER_WARP_SIZE(n_lanes, fixed, &o);
}

static uint32_t divide(uint8_t op, uint32_t x, uint32_t y) {
  bool overflow = x == 0x80000000u && y == 0xFFFFFFFFu;
  switch (op) {
    case QSM_OP_DIV:
      return y == 0 ? 0xFFFFFFFFu : overflow ? x : (uint32_t)((int32_t)x / (int32_t)y);
    case QSM_OP_DIVU: return y == 0 ? 0xFFFFFFFFu : x / y;
    case QSM_OP_REM: return y == 0 ? x : overflow ? 0 : (uint32_t)((int32_t)x % (int32_t)y);
    default: return y == 0 ? x : x % y;
  }
}

void qsm_exec_float(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint32_t *out) {
  const struct qsm_insn *insn = &slot->insn;
  uint32_t n = sc->sm->n_lanes;
  const uint32_t *c = qsm_reg(sc, n, slot->warp, qsm_fp_rs3(insn));
  qsm_fpu_rounded(insn->op, qsm_fp_rm(insn), sc->sm->shared->host_floats, slot->rs1, slot->rs2, c,
                  out, n);
}

void qsm_exec_div(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint32_t *out) {
  if (qsm_is_float(&slot->insn)) {
    qsm_exec_float(sc, slot, out);
    return;
  }
  uint32_t n = sc->sm->n_lanes;
  const uint32_t *a = slot->rs1, *b = slot->rs2;
  QSM_LANES out[l] = divide(slot->insn.op, a[l], b[l]);
}

#define TAKEN_IF(name, condition)         \
  case QSM_OP_##name:                     \
    QSM_LANES {                           \
      uint32_t x = a[l], y = b[l];        \
      bits |= (uint32_t)(condition) << l; \
    }                                     \
    break;

QSM_LANE_FUNCTION void taken(uint8_t op, const uint32_t *a, const uint32_t *b, uint32_t *out,
                             uint32_t n) {
  uint32_t bits = 0;
  switch (op) {
    TAKEN_IF(BEQ, x == y)
    TAKEN_IF(BNE, x != y)
    TAKEN_IF(BLT, (int32_t)x < (int32_t)y)
    TAKEN_IF(BGE, (int32_t)x >= (int32_t)y)
    TAKEN_IF(BLTU, x < y)
    default: QSM_LANES bits |= (uint32_t)(a[l] >= b[l]) << l; break;
  }
  *out = bits;
}

uint32_t qsm_exec_taken(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot) {
  uint32_t n_lanes = sc->sm->n_lanes;
  uint32_t bits;
  QSM_PER_WARP_SIZE(n_lanes, taken, slot->insn.op, slot->rs1, slot->rs2, &bits);
  return bits;
}

void qsm_exec_jalr(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                   uint32_t *target) {
  uint32_t n = sc->sm->n_lanes;
  const uint32_t *a = slot->rs1;
  QSM_LANES target[l] = (a[l] + slot->insn.imm) & ~1u;
}

QSM_LANE_FUNCTION void operands(const uint32_t *a, const uint32_t *b, uint32_t offset,
                                struct qsm_mem_op *op, uint32_t n) {
  QSM_LANES op->addr[l] = a[l] + offset;
  QSM_LANES op->data[l] = b[l];
}

// R-PE-16: pc is the address of lane 0.
static void injected_operands(const uint32_t *b, uint32_t addr, struct qsm_mem_op *op, uint32_t n) {
  QSM_LANES op->addr[l] = addr + 4 * l;
  QSM_LANES op->data[l] = b[l];
}

void qsm_exec_operands(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                       struct qsm_mem_op *op) {
  uint32_t n_lanes = sc->sm->n_lanes;
  if (slot->injected) {
    injected_operands(slot->rs2, slot->pc, op, n_lanes);
    return;
  }
  uint32_t offset =
      slot->insn.op == QSM_OP_AMO ? 0 : slot->insn.imm;  // an AMO's imm is its operation
  QSM_PER_WARP_SIZE(n_lanes, operands, slot->rs1, slot->rs2, offset, op);
}

void qsm_exec_write(struct qsm_subcore *sc, uint32_t warp, uint32_t rd, uint32_t mask,
                    const uint32_t *data) {
  uint32_t n_lanes = sc->sm->n_lanes;
  uint32_t *dst = qsm_reg(sc, n_lanes, warp, rd);
  QSM_PER_WARP_SIZE(n_lanes, write_lanes, dst, mask, data);
}

uint32_t qsm_exec_amo(uint32_t amo, uint32_t old, uint32_t operand) {
  switch (amo) {
    case 0: return operand;
    case 1: return old + operand;
    case 2: return old ^ operand;
    case 3: return old & operand;
    case 4: return old | operand;
    case 5: return (int32_t)old < (int32_t)operand ? old : operand;
    case 6: return (int32_t)old > (int32_t)operand ? old : operand;
    case 7: return old < operand ? old : operand;
    default: return old > operand ? old : operand;
  }
}
