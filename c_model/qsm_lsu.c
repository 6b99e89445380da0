// SPDX-License-Identifier: Apache-2.0
// Load/store unit, shared memory, coalescing: docs/lsu.md. It runs after the sub-cores of the same cycle; what they put in or gave
// back in this cycle carries a stamp and is not looked at before the next.
#include <string.h>

#include "qsm_exec.h"
#include "qsm_scoreboard.h"

void qsm_lsu_reset(struct qsm_lsu *lsu, uint32_t n_txns, uint32_t n_subs) {
  lsu->op_free = (1u << QSM_MAX_OPS) - 1;
  lsu->pop_last = (uint8_t)(n_subs - 1);
  lsu->n = QSM_NONE;
  lsu->c = QSM_NONE;
  lsu->last_was_pass = true;
  lsu->ret_sub = QSM_NONE;
  lsu->poked_at = QSM_NEVER;
  lsu->txn_free[0] = n_txns >= 64 ? ~0ull : (1ull << n_txns) - 1;
  lsu->txn_free[1] = n_txns == 128 ? ~0ull : 0;
}

struct qsm_mem_op *qsm_lsu_enqueue(struct qsm_sm *sm, struct qsm_subcore *sc, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  unsigned op = qsm_ctz(lsu->op_free);
  lsu->op_free &= lsu->op_free - 1;
  sc->mq[(sc->mq_head + sc->mq_count) % QSM_MQ_DEPTH] = (uint8_t)op;
  sc->mq_count++;
  sc->mq_pushed_at = c;
  qsm_lsu_poke(lsu, c);
  return &lsu->op[op];
}

void qsm_lsu_respond(struct qsm_sm *sm, const struct qsm_mem_rsp *rsp) {
  struct qsm_lsu *lsu = &sm->lsu;
  lsu->rsp[(lsu->rsp_head + lsu->rsp_count) % QSM_MAX_TXNS] = rsp->tag;
  lsu->rsp_count++;
  lsu->awake = true;
  struct qsm_txn *txn = &lsu->txn[rsp->tag];
  if (!qsm_is_store(&txn->insn)) memcpy(txn->data, rsp->data, sm->line_bytes);
}

// ---- classification (R-LS-2) ----

struct bounds {  // what a lane's address is checked against
  uint32_t align;            // bits that must be 0
  uint32_t shared_bytes;
  uint32_t base[2], size[2]; // windows that have the right; size 0: closed
};

struct lane_class {
  uint32_t shared, misaligned, bad;
};

QSM_LANE_FUNCTION void classify_lanes(const uint32_t *addr, const struct bounds *b, struct lane_class *out, uint32_t n) {
  uint32_t shared = 0, misaligned = 0, bad = 0;
  QSM_LANES {
    uint32_t a = addr[l];
    uint32_t is_shared = a >> 28 == 1;
    uint32_t in_window = (a - b->base[0] < b->size[0]) | (a - b->base[1] < b->size[1]);
    uint32_t in_shared = (a & 0x0FFFFFFF) < b->shared_bytes;
    shared |= is_shared << l;
    misaligned |= (uint32_t)((a & b->align) != 0) << l;
    bad |= ((is_shared ? in_shared : in_window) ^ 1u) << l;
  }
  *out = (struct lane_class){shared, misaligned, bad};
}

static uint32_t access_bytes(uint8_t op) {
  switch (op) {
    case QSM_OP_LB: case QSM_OP_LBU: case QSM_OP_SB: return 1;
    case QSM_OP_LH: case QSM_OP_LHU: case QSM_OP_SH: return 2;
    default: return 4;
  }
}

static bool has_rights(const struct qsm_window *win, const struct qsm_insn *insn) {
  if (insn->op == QSM_OP_AMO) return win->r && win->w;
  return qsm_is_store(insn) ? win->w : win->r;
}

static struct bounds bounds_of(const struct qsm_sm *sm, const struct qsm_mem_op *op) {
  const struct qsm_desc *desc = qsm_desc_of(sm, op->kernel);
  struct bounds b = {.align = access_bytes(op->insn.op) - 1, .shared_bytes = desc->shared_bytes};
  for (int i = 0; i < 2; i++) {
    const struct qsm_window *win = &desc->win[i];
    b.base[i] = win->base;
    b.size[i] = has_rights(win, &op->insn) && win->limit > win->base ? win->limit - win->base : 0;
  }
  return b;
}

// C takes an instruction: what remains to be done, or the fault.
static void classify(struct qsm_sm *sm, const struct qsm_mem_op *op) {
  struct qsm_lsu *lsu = &sm->lsu;
  struct bounds bounds = bounds_of(sm, op);
  struct lane_class lanes;
  QSM_PER_WARP_SIZE(sm->n_lanes, classify_lanes, op->addr, &bounds, &lanes);
  uint32_t faulting = (lanes.misaligned | lanes.bad) & op->mask;
  lsu->fault_lane = QSM_NONE;
  lsu->rem_shared = op->mask & lanes.shared;
  lsu->rem_device = op->mask & ~lanes.shared;
  if (!faulting) return;
  lsu->rem_shared = 0;
  lsu->rem_device = 0;
  lsu->fault_lane = (uint8_t)qsm_ctz(faulting);
  bool load = op->insn.op <= QSM_OP_LHU;
  bool misaligned = lanes.misaligned >> lsu->fault_lane & 1;
  lsu->fault_cause = (uint8_t)((misaligned ? 4 : 5) + (load ? 0 : 2));
}

// ---- results ----

static bool has_credit(const struct qsm_subcore *sc, uint64_t c) { return sc->res_credit > (sc->res_taken_at == c); }

static uint32_t extend(uint8_t op, uint32_t word, uint32_t addr) {
  uint32_t value = word >> (addr & 3) * 8;
  switch (op) {
    case QSM_OP_LB: return (uint32_t)(int8_t)value;
    case QSM_OP_LH: return (uint32_t)(int16_t)value;
    case QSM_OP_LBU: return (uint8_t)value;
    case QSM_OP_LHU: return (uint16_t)value;
    default: return word;
  }
}

// A load or AMO part: its result enters the sub-core's queue at the end of the next cycle (R-LS-12).
static struct qsm_result *return_result(struct qsm_lsu *lsu, struct qsm_subcore *sc, const struct qsm_insn *insn, uint32_t warp,
                                        uint32_t entry, uint32_t mask) {
  struct qsm_result *result = &sc->res[(sc->res_head + sc->res_count) % QSM_RES_DEPTH];
  result->warp = (uint8_t)warp;
  result->rd = insn->rd;
  result->entry = (uint8_t)entry;
  result->mask = mask;
  sc->res_credit--;
  lsu->ret_sub = sc->index;
  return result;
}

static void deliver_result(struct qsm_sm *sm, uint64_t c) {
  struct qsm_subcore *sc = sm->sub[sm->lsu.ret_sub];
  qsm_subcore_wake(sc, c + 1);
  sc->res_count++;
  sm->lsu.ret_sub = QSM_NONE;
}

static void check_release(struct qsm_subcore *sc, uint32_t warp, uint32_t entry, uint64_t c) {
  qsm_subcore_wake(sc, c + 1);
  if (qsm_sb_check(sc, warp, entry)) qsm_subcore_refresh(sc, warp, c + 1);
}

// ---- response queue ----

static bool response_wants(const struct qsm_sm *sm, uint64_t c) {
  const struct qsm_lsu *lsu = &sm->lsu;
  if (lsu->rsp_count == 0) return false;
  const struct qsm_txn *txn = &lsu->txn[lsu->rsp[lsu->rsp_head]];
  return qsm_is_store(&txn->insn) || has_credit(sm->sub[txn->sub], c);
}

QSM_LANE_FUNCTION void pick_words(const struct qsm_txn *txn, uint32_t *out, uint32_t n) {
  QSM_LANES out[l] = txn->data[txn->addr[l] / 4 & (n - 1)];
}

static void load_lanes(const struct qsm_sm *sm, const struct qsm_txn *txn, uint32_t *out) {
  QSM_PER_WARP_SIZE(sm->n_lanes, pick_words, txn, out);
  if (txn->insn.op == QSM_OP_LW || txn->insn.op == QSM_OP_AMO) return;
  for (uint32_t l = 0; l < sm->n_lanes; l++) out[l] = extend(txn->insn.op, out[l], txn->addr[l]);
}

static void take_response(struct qsm_sm *sm, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  uint32_t tag = lsu->rsp[lsu->rsp_head];
  const struct qsm_txn *txn = &lsu->txn[tag];
  struct qsm_subcore *sc = sm->sub[txn->sub];
  lsu->rsp_head = (uint8_t)((lsu->rsp_head + 1) % QSM_MAX_TXNS);
  lsu->rsp_count--;
  lsu->txn_free[tag / 64] |= 1ull << tag % 64;
  lsu->last_was_pass = false;
  if (qsm_is_store(&txn->insn)) {
    sc->sb[txn->warp].parts[txn->entry]--;
    check_release(sc, txn->warp, txn->entry, c);
  } else {
    load_lanes(sm, txn, return_result(lsu, sc, &txn->insn, txn->warp, txn->entry, txn->mask)->data);
  }
  QSM_EMIT(sm, c, QSM_EV_RETURN, 0, tag);
}

// ---- device pass (R-LS-5, R-LS-6) ----

QSM_LANE_FUNCTION void lanes_in_line(const uint32_t *addr, uint32_t line, uint32_t *out, uint32_t n) {
  uint32_t bits = 0;
  QSM_LANES bits |= (uint32_t)((addr[l] & ~(4 * n - 1)) == line) << l;
  *out = bits;
}

static uint32_t device_lanes(const struct qsm_sm *sm, const struct qsm_mem_op *op, uint32_t remaining) {
  uint32_t leader = qsm_ctz(remaining);
  if (op->insn.op == QSM_OP_AMO) return 1u << leader;
  uint32_t line = op->addr[leader] & ~(sm->line_bytes - 1), lanes;
  QSM_PER_WARP_SIZE(sm->n_lanes, lanes_in_line, op->addr, line, &lanes);
  return lanes & remaining;
}

// Byte mask and data of the lanes that join a store or an AMO; ascending, so that the highest lane stays.
static void place_data(const struct qsm_sm *sm, const struct qsm_mem_op *op, uint32_t lanes, struct qsm_mem_req *req) {
  uint32_t bytes = access_bytes(op->insn.op);
  memset(req->data, 0, sm->line_bytes);
  for (; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes), offset = op->addr[l] & (sm->line_bytes - 1);
    uint32_t shift = offset % 4 * 8, field = (bytes == 4 ? ~0u : (1u << bytes * 8) - 1) << shift;
    uint32_t *word = &req->data[offset / 4];
    *word = (*word & ~field) | (op->data[l] << shift & field);
    req->bytes[offset / 32] |= ((1u << bytes) - 1) << offset % 32;
  }
}

static uint32_t take_txn(struct qsm_sm *sm, const struct qsm_mem_op *op, uint32_t lanes) {
  struct qsm_lsu *lsu = &sm->lsu;
  uint32_t half = lsu->txn_free[0] ? 0 : 1;
  uint32_t tag = half * 64 + (uint32_t)__builtin_ctzll(lsu->txn_free[half]);
  lsu->txn_free[half] &= lsu->txn_free[half] - 1;
  struct qsm_txn *txn = &lsu->txn[tag];
  txn->insn = op->insn;
  txn->sub = op->sub;
  txn->warp = op->warp;
  txn->entry = op->entry;
  txn->mask = lanes;
  memcpy(txn->addr, op->addr, sm->line_bytes);  // one word per lane
  return tag;
}

static void device_pass(struct qsm_sm *sm, const struct qsm_mem_op *op, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  uint32_t lanes = device_lanes(sm, op, lsu->rem_device);
  struct qsm_mem_req *req = qsm_sm_request(sm, c);
  bool amo = op->insn.op == QSM_OP_AMO, store = qsm_is_store(&op->insn);
  req->kind = amo ? QSM_MEM_AMO : store ? QSM_MEM_WRITE : QSM_MEM_READ;
  req->amo = amo ? (uint8_t)op->insn.imm : 0;
  req->addr = op->addr[qsm_ctz(lanes)] & ~(sm->line_bytes - 1);
  req->slot = op->kernel;
  req->nc = sm->shared->cache_policy[op->kernel] & QSM_BYPASS_L2;
  memset(req->bytes, 0, sizeof req->bytes);
  if (amo || store) place_data(sm, op, lanes, req);
  req->tag = (uint8_t)take_txn(sm, op, lanes);
  lsu->rem_device &= ~lanes;
  sm->sub[op->sub]->sb[op->warp].parts[op->entry]++;
  QSM_EMIT(sm, c, QSM_EV_LSUPASS, 0, op->sub, op->warp, 1, lanes);
  qsm_sm_report_request(sm, req);
}

// ---- shared pass (R-LS-7, R-LS-8) ----

// Words of the lanes in shared memory; the bank is the low bits of the word number, so one word is one row of one bank.
static void shared_words(const struct qsm_sm *sm, const struct qsm_mem_op *op, uint32_t *word) {
  uint32_t base = sm->tb[op->tb].base * qsm_config_granule_bytes(sm->shared->config);
  for (uint32_t l = 0; l < sm->n_lanes; l++) word[l] = (base + (op->addr[l] & 0x0FFFFFFF)) / 4;
}

static uint32_t shared_lanes(const struct qsm_sm *sm, const uint32_t *word, bool load, uint32_t remaining) {
  uint32_t leader_word[QSM_MAX_LANES];
  uint32_t banks = 0, lanes = 0;
  for (; remaining; remaining &= remaining - 1) {
    uint32_t l = qsm_ctz(remaining), bank = word[l] & (sm->n_lanes - 1);
    if (!(banks >> bank & 1)) {
      banks |= 1u << bank;
      leader_word[bank] = word[l];
    } else if (!load || leader_word[bank] != word[l]) {
      continue;
    }
    lanes |= 1u << l;
  }
  return lanes;
}

static void store_shared(struct qsm_sm *sm, const struct qsm_mem_op *op, const uint32_t *word, uint32_t lanes) {
  uint32_t bytes = access_bytes(op->insn.op);
  for (; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes);
    uint32_t shift = (op->addr[l] & 3) * 8, field = (bytes == 4 ? ~0u : (1u << bytes * 8) - 1) << shift;
    uint32_t *at = &sm->shared_mem[word[l]];
    *at = (*at & ~field) | (op->data[l] << shift & field);
  }
}

static void amo_shared(struct qsm_sm *sm, const struct qsm_mem_op *op, const uint32_t *word, uint32_t lanes) {
  struct qsm_lsu *lsu = &sm->lsu;
  lsu->amo_lanes = lanes;
  for (; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes);
    lsu->amo_word[l] = word[l];
    lsu->amo_value[l] = qsm_exec_amo(op->insn.imm, sm->shared_mem[word[l]], op->data[l]);
  }
}

static void write_amo(struct qsm_sm *sm, uint32_t lanes) {
  for (; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes);
    sm->shared_mem[sm->lsu.amo_word[l]] = sm->lsu.amo_value[l];
  }
}

static void load_shared(struct qsm_sm *sm, const struct qsm_mem_op *op, const uint32_t *word, uint32_t lanes) {
  struct qsm_subcore *sc = sm->sub[op->sub];
  struct qsm_result *result = return_result(&sm->lsu, sc, &op->insn, op->warp, op->entry, lanes);
  sc->sb[op->warp].parts[op->entry]++;
  for (; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes);
    result->data[l] = extend(op->insn.op, sm->shared_mem[word[l]], op->addr[l]);
  }
}

static void shared_pass(struct qsm_sm *sm, const struct qsm_mem_op *op, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  bool store = qsm_is_store(&op->insn), amo = op->insn.op == QSM_OP_AMO;
  uint32_t word[QSM_MAX_LANES];
  shared_words(sm, op, word);
  uint32_t lanes = shared_lanes(sm, word, !store && !amo, lsu->rem_shared);
  if (store) store_shared(sm, op, word, lanes);
  if (amo) amo_shared(sm, op, word, lanes);
  if (!store) load_shared(sm, op, word, lanes);
  lsu->rem_shared &= ~lanes;
  lsu->last_was_pass = true;
  QSM_EMIT(sm, c, QSM_EV_LSUPASS, 0, op->sub, op->warp, 0, lanes);
  QSM_EMIT(sm, c, QSM_EV_RETURN, 0, 0xFFFFFFFFu);
}

// ---- C ----

static void raise(struct qsm_sm *sm, const struct qsm_mem_op *op, uint64_t c) {
  const struct qsm_lsu *lsu = &sm->lsu;
  const struct qsm_fault record = {
      .cause = lsu->fault_cause,
      .pc = op->pc,
      .tid = op->widx * sm->n_lanes + lsu->fault_lane,
      .block = sm->tb[op->tb].linear,
      .value = op->addr[lsu->fault_lane],
  };
  QSM_EMIT(sm, c, QSM_EV_LSUPASS, 0, op->sub, op->warp, 2, op->mask);
  qsm_sm_raise(sm, 0, op->kernel, &record);
}

static bool pass_wants(const struct qsm_sm *sm, uint64_t c) {
  const struct qsm_lsu *lsu = &sm->lsu;
  if (lsu->c == QSM_NONE || lsu->rem_shared == 0 || lsu->amo_lanes) return false;
  const struct qsm_mem_op *op = &lsu->op[lsu->c];
  return qsm_is_store(&op->insn) || has_credit(sm->sub[op->sub], c);
}

// At most one pass of C; true if there was one (or a fault).
static bool step_c(struct qsm_sm *sm, bool pass_granted, bool port_free, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  const struct qsm_mem_op *op = &lsu->op[lsu->c];
  if (lsu->fault_lane != QSM_NONE) {
    raise(sm, op, c);
  } else if (lsu->rem_shared) {
    if (!pass_granted) return false;
    shared_pass(sm, op, c);
  } else {
    if (!port_free || !(lsu->txn_free[0] | lsu->txn_free[1])) return false;
    device_pass(sm, op, c);
  }
  return true;
}

static void finish_c(struct qsm_sm *sm, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  const struct qsm_mem_op *op = &lsu->op[lsu->c];
  struct qsm_subcore *sc = sm->sub[op->sub];
  sc->sb[op->warp].all_sent |= (uint8_t)(1u << op->entry);
  check_release(sc, op->warp, op->entry, c);
  lsu->op_free |= 1u << lsu->c;
  lsu->c = QSM_NONE;
}

// ---- N ----

static bool move(struct qsm_sm *sm) {
  struct qsm_lsu *lsu = &sm->lsu;
  if (lsu->n == QSM_NONE || lsu->c != QSM_NONE) return false;
  lsu->c = lsu->n;
  lsu->n = QSM_NONE;
  classify(sm, &lsu->op[lsu->c]);
  return true;
}

static bool pop(struct qsm_sm *sm, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  if (lsu->n != QSM_NONE) return false;
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    waiting |= (uint32_t)(sm->sub[i]->mq_count > (sm->sub[i]->mq_pushed_at == c)) << i;
  }
  if (!waiting) return false;
  uint32_t sub = qsm_circular_first(waiting, lsu->pop_last + 1u == sm->n_subs ? 0 : lsu->pop_last + 1u);
  struct qsm_subcore *sc = sm->sub[sub];
  qsm_subcore_wake(sc, c + 1);
  lsu->n = sc->mq[sc->mq_head];
  sc->mq_head = (uint8_t)((sc->mq_head + 1) % QSM_MQ_DEPTH);
  sc->mq_count--;
  sc->mem_credit++;
  lsu->pop_last = (uint8_t)sub;
  return true;
}

void qsm_lsu_step(struct qsm_sm *sm, uint64_t c, bool port_free) {
  struct qsm_lsu *lsu = &sm->lsu;
  bool pass = pass_wants(sm, c), response = response_wants(sm, c);
  if (pass && response) {
    pass = !lsu->last_was_pass;
    response = !pass;
  }
  uint32_t amo_lanes = lsu->amo_lanes;
  lsu->amo_lanes = 0;
  bool active = amo_lanes != 0;
  if (lsu->ret_sub != QSM_NONE) {
    deliver_result(sm, c);
    active = true;
  }
  if (lsu->c != QSM_NONE && step_c(sm, pass, port_free, c)) {
    if (!(lsu->rem_shared | lsu->rem_device)) finish_c(sm, c);
    active = true;
  }
  if (response) {
    take_response(sm, c);
    active = true;
  }
  write_amo(sm, amo_lanes);
  active |= move(sm);
  active |= pop(sm, c);
  lsu->awake = active || !port_free || lsu->poked_at == c;
}
