// SPDX-License-Identifier: Apache-2.0
// The load/store unit's device pass (R-LS-5, R-LS-6 of docs/lsu.md), its transactions.
#include <string.h>

#include "qsm_lanes.h"
#include "qsm_sm_blocks.h"

QSM_LANE_FUNCTION void lanes_in_line(const uint32_t *addr, uint32_t line, uint32_t *out,
                                     uint32_t n) {
  uint32_t bits = 0;
  QSM_LANES bits |= (uint32_t)((addr[l] & ~(4 * n - 1)) == line) << l;
  *out = bits;
}

static uint32_t device_lanes(const struct qsm_sm *sm, const struct qsm_mem_op *op,
                             uint32_t remaining) {
  uint32_t leader = qsm_ctz(remaining);
  if (op->insn.op == QSM_OP_AMO) return 1u << leader;
  uint32_t line = op->addr[leader] & ~(sm->line_bytes - 1), lanes;
  QSM_PER_WARP_SIZE(sm->n_lanes, lanes_in_line, op->addr, line, &lanes);
  return lanes & remaining;
}

QSM_LANE_FUNCTION void lanes_moved(const uint32_t *addr, uint32_t *out, uint32_t n) {
  uint32_t bits = 0;
  QSM_LANES bits |= (uint32_t)((addr[l] & (4 * n - 1)) != 4 * l) << l;
  *out = bits;
}

// Four bits for each of eight: halves are moved apart, then their halves.
static inline uint32_t word_bytes(uint32_t words) {
  words = (words | words << 12) & 0x000F000Fu;
  words = (words | words << 6) & 0x03030303u;
  words = (words | words << 3) & 0x11111111u;
  return words * 0xfu;
}

QSM_LANE_FUNCTION void place_row(const struct qsm_mem_op *op, uint32_t lanes,
                                 struct qsm_mem_req *req, uint32_t n) {
  QSM_LANES req->data[l] = op->data[l] & (0u - (lanes >> l & 1));
  for (uint32_t l = 0; l < n; l += 8) req->bytes[l / 8] = word_bytes(lanes >> l & 0xff);
}

// Whether each lane stores the word of its own place in the line: most stores do. Then no two lanes
// meet in a word and none stores a part of one, so place_row() does at once what place_lanes() does
// lane by lane.
static bool is_row(const struct qsm_sm *sm, const struct qsm_mem_op *op, uint32_t lanes) {
  uint32_t moved;
  QSM_PER_WARP_SIZE(sm->n_lanes, lanes_moved, op->addr, &moved);
  return op->insn.op != QSM_OP_AMO && qsm_access_bytes(op->insn.op) == 4 && !(moved & lanes);
}

// Byte mask and data of the lanes that join a store or an AMO; ascending, so that the highest lane
// stays.
static void place_lanes(const struct qsm_sm *sm, const struct qsm_mem_op *op, uint32_t lanes,
                        struct qsm_mem_req *req) {
  uint32_t bytes = qsm_access_bytes(op->insn.op);
  memset(req->data, 0, sm->line_bytes);
  for (; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes), offset = op->addr[l] & (sm->line_bytes - 1);
    uint32_t shift = offset % 4 * 8, field = (bytes == 4 ? ~0u : (1u << bytes * 8) - 1) << shift;
    uint32_t *word = &req->data[offset / 4];
    *word = (*word & ~field) | (op->data[l] << shift & field);
    req->bytes[offset / 32] |= ((1u << bytes) - 1) << offset % 32;
  }
}

uint32_t qsm_lsu_take_txn(struct qsm_lsu *lsu) {
  uint32_t half = lsu->txn_free[0] ? 0 : 1;
  uint32_t tag = half * 64 + (uint32_t)__builtin_ctzll(lsu->txn_free[half]);
  lsu->txn_free[half] &= lsu->txn_free[half] - 1;
  lsu->txn[tag].next = QSM_NONE;
  return tag;
}

uint32_t qsm_lsu_open_txn(struct qsm_lsu *lsu, const struct qsm_part *part) {
  uint32_t tag = qsm_lsu_take_txn(lsu);
  lsu->txn[tag].part = *part;
  lsu->txn[tag].line = QSM_L1_NONE;
  return tag;
}

void qsm_lsu_join_txn(struct qsm_lsu *lsu, uint32_t head, uint32_t tag) {
  struct qsm_txn *txn = lsu->txn;
  uint32_t last = txn[head].next == QSM_NONE ? head : txn[head].last;
  txn[last].next = (uint8_t)tag;
  txn[head].last = (uint8_t)tag;
}

static inline void form_request(const struct qsm_sm *sm, const struct qsm_mem_op *op,
                                uint32_t lanes, struct qsm_mem_req *req) {
  bool amo = op->insn.op == QSM_OP_AMO, store = qsm_is_store(&op->insn);
  req->kind = amo ? QSM_MEM_AMO : store ? QSM_MEM_WRITE : QSM_MEM_READ;
  req->amo = amo ? (uint8_t)op->insn.imm : 0;
  req->addr = op->addr[qsm_ctz(lanes)] & ~(sm->line_bytes - 1);
  req->slot = op->kernel;
  req->nc = sm->shared->cache_policy[op->kernel] & QSM_CACHE_SKIP_L2;
  memset(req->bytes, 0, sizeof req->bytes);
  if (!amo && !store) return;
  if (is_row(sm, op, lanes)) {
    QSM_PER_WARP_SIZE(sm->n_lanes, place_row, op, lanes, req);
  } else {
    place_lanes(sm, op, lanes, req);
  }
}

QSM_LANE_FUNCTION void find_offsets(const uint32_t *addr, uint8_t *at, uint32_t n) {
  QSM_LANES at[l] = (uint8_t)(addr[l] & (4 * n - 1));
}

static inline void form_part(const struct qsm_sm *sm, const struct qsm_mem_op *op, uint32_t lanes,
                             struct qsm_part *part) {
  part->insn = op->insn;
  part->sub = op->sub;
  part->warp = op->warp;
  part->entry = op->entry;
  part->away = op->away;
  part->mask = lanes;
  QSM_PER_WARP_SIZE(sm->n_lanes, find_offsets, op->addr, part->at);
}

// With an L1 the pass goes there and is sent when it acts (R-L1-1).
void qsm_lsu_device_pass(struct qsm_sm *sm, const struct qsm_mem_op *op, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  uint32_t lanes = device_lanes(sm, op, lsu->rem_device);
  QSM_EMIT(sm, c, QSM_EV_LSU_PASS, 0, op->sub, op->warp, 1, lanes);
  struct qsm_l1_pass *pass = sm->l1 ? qsm_l1_enter(sm->l1) : NULL;
  struct qsm_mem_req *req = pass ? &pass->req : qsm_mem_port_request(sm, c);
  if (!pass) req->tag = (uint8_t)qsm_lsu_take_txn(lsu);
  form_request(sm, op, lanes, req);
  form_part(sm, op, lanes, pass ? &pass->part : &lsu->txn[req->tag].part);
  if (!pass) {
    qsm_mem_port_send(sm, req);
    if (op->away) qsm_share_take(&sm->share);
  }
  lsu->rem_device &= ~lanes;
  if (!op->injected) qsm_energy_note_line(&sm->energy, op->kernel);
  qsm_subcore_add_part(sm->sub[op->sub], op->warp, op->entry);
}
