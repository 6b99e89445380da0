// SPDX-License-Identifier: Apache-2.0
// Load/store unit, shared memory, coalescing: docs/lsu.md. It runs after the sub-cores of the same
// cycle. Entries and credits that they add in this cycle carry a time stamp and are not used before
// the next cycle.
#include "qsm_lsu.h"

#include <stdlib.h>

#include "qsm_lanes.h"
#include "qsm_regs.h"
#include "qsm_sm_blocks.h"

bool qsm_lsu_create(struct qsm_lsu *lsu, const struct qsm_config *config) {
  lsu->shared_mem = qsm_sm_zeroed(config->shared_bytes, 1);
  qsm_lsu_reset(lsu, config);
  return lsu->shared_mem;
}

// The shared memory is none of it: it holds zeros where no block is (R-SM-10).
void qsm_lsu_reset(struct qsm_lsu *lsu, const struct qsm_config *config) {
  uint32_t n_txns = config->mem_txns, *shared_mem = lsu->shared_mem;
  memset(lsu, 0, sizeof *lsu);
  lsu->shared_mem = shared_mem;
  lsu->op_free = (1u << QSM_MAX_OPS) - 1;
  lsu->pop_last = (uint8_t)(config->num_sched - 1);
  lsu->n = QSM_NONE;
  lsu->c = QSM_NONE;
  lsu->served_at[QSM_RETURN_HIT] = 1;  // nothing is served as early as that
  lsu->served_at[QSM_RETURN_PASS] = 2;
  lsu->serving = QSM_NONE;
  lsu->ret_sub = QSM_NONE;
  lsu->poked_at = QSM_NEVER;
  lsu->txn_free[0] = n_txns >= 64 ? ~0ull : (1ull << n_txns) - 1;
  lsu->txn_free[1] = n_txns == 128 ? ~0ull : 0;
  for (uint32_t i = 0; i < QSM_MAX_SUBS; i++)
    lsu->sub[i] = (struct qsm_lsu_sub){
        .res_credit = QSM_RES_DEPTH, .res_taken_at = QSM_NEVER, .pushed_at = QSM_NEVER};
}

void qsm_lsu_destroy(struct qsm_lsu *lsu) { free(lsu->shared_mem); }

struct qsm_mem_op *qsm_lsu_enqueue(struct qsm_lsu *lsu, uint32_t sub, uint64_t c) {
  struct qsm_lsu_sub *of = &lsu->sub[sub];
  unsigned op = qsm_ctz(lsu->op_free);
  lsu->op_free &= lsu->op_free - 1;
  of->queue[(of->head + of->count) % QSM_MQ_DEPTH] = (uint8_t)op;
  of->count++;
  of->pushed_at = c;
  lsu->queued |= 1u << sub;
  qsm_lsu_poke(lsu, c);
  return &lsu->op[op];
}

void qsm_lsu_respond(struct qsm_lsu *lsu, uint8_t tag) {
  lsu->rsp[(lsu->rsp_head + lsu->rsp_count) % QSM_MAX_TXNS] = tag;
  lsu->rsp_count++;
  qsm_lsu_wake(lsu);
}

// ---- classification (R-LS-2) ----

#define LOCAL_BEGIN 0xC0000000u  // local addresses: from here on

struct bounds {    // what a lane's address is checked against
  uint32_t align;  // bits that must be 0
  uint32_t shared_bytes;
  uint32_t base[2], size[2];  // windows that have the right; size 0: closed
};

struct lane_class {
  uint32_t shared, local, misaligned, bad, overflow;  // overflow: not of those that are misaligned
};

static inline uint32_t in_windows(uint32_t a, const struct bounds *b) {
  return (a - b->base[0] < b->size[0]) | (a - b->base[1] < b->size[1]);
}

QSM_LANE_FUNCTION void classify_lanes(const uint32_t *addr, const struct bounds *b,
                                      struct lane_class *out, uint32_t n) {
  uint32_t shared = 0, local = 0, misaligned = 0, bad = 0;
  QSM_LANES {
    uint32_t a = addr[l];
    uint32_t is_shared = a >> 28 == 1;
    uint32_t in_shared = (a & 0x0FFFFFFF) < b->shared_bytes;
    shared |= is_shared << l;
    local |= (uint32_t)(a >= LOCAL_BEGIN) << l;
    misaligned |= (uint32_t)((a & b->align) != 0) << l;
    bad |= ((is_shared ? in_shared : in_windows(a, b)) ^ 1u) << l;
  }
  *out =
      (struct lane_class){.shared = shared, .local = local, .misaligned = misaligned, .bad = bad};
}

struct stacks {    // of a warp
  uint32_t bytes;  // of a lane's; 0: none
  uint32_t at;     // device address of the warp's
};

// I-MEM-6: the lanes in `map` get their device addresses, unless they lie below the stack.
QSM_LANE_FUNCTION void map_local_lanes(uint32_t *addr, uint32_t map, const struct stacks *s,
                                       const struct bounds *b, struct lane_class *out, uint32_t n) {
  uint32_t bad = 0, overflow = 0;
  QSM_LANES {
    uint32_t a = addr[l], below = ~a >= s->bytes,
             device = s->at + (a & (s->bytes - 4)) * n + 4 * l + (a & 3);
    uint32_t mapped = (map >> l & 1) & (below ^ 1), select = 0u - mapped;
    addr[l] = (device & select) | (a & ~select);
    bad |= (in_windows(device, b) ^ 1u) << l;
    overflow |= below << l;
  }
  out->bad = (out->bad & ~map) | (bad & ~overflow & map);
  out->overflow = overflow & map;
}

static bool has_rights(const struct qsm_window *win, const struct qsm_insn *insn) {
  if (insn->op == QSM_OP_AMO) return win->r && win->w;
  return qsm_is_store(insn) ? win->w : win->r;
}

static struct bounds bounds_of(const struct qsm_sm *sm, const struct qsm_mem_op *op) {
  const struct qsm_desc *desc = qsm_desc_of(sm, op->kernel);
  struct bounds b = {.align = qsm_access_bytes(op->insn.op) - 1,
                     .shared_bytes = desc->shared_bytes};
  for (int i = 0; i < 2; i++) {
    const struct qsm_window *win = &desc->win[i];
    b.base[i] = win->base;
    b.size[i] = has_rights(win, &op->insn) && win->limit > win->base ? win->limit - win->base : 0;
  }
  return b;
}

// Lanes that are misaligned keep the address that their fault records.
static void map_local(const struct qsm_sm *sm, struct qsm_mem_op *op, const struct bounds *bounds,
                      struct lane_class *lanes) {
  const struct qsm_desc *desc = qsm_desc_of(sm, op->kernel);
  uint32_t log2 = desc->stack & QSM_SLOT_STACK_LOG2_MASK,
           warp = sm->launch.tb[op->tb].ticket * desc->warps + op->widx;
  const struct stacks stacks = {
      .bytes = log2 ? 1u << log2 : 0,
      .at = (desc->stack & QSM_SLOT_STACK_BASE_MASK) + warp * (sm->n_lanes << log2),
  };
  QSM_PER_WARP_SIZE(sm->n_lanes, map_local_lanes, op->addr,
                    lanes->local & ~lanes->misaligned & op->mask, &stacks, bounds, lanes);
}

static uint8_t cause_of(const struct qsm_mem_op *op, const struct lane_class *lanes,
                        uint32_t lane) {
  bool misaligned = lanes->misaligned >> lane & 1, load = op->insn.op <= QSM_OP_LHU;
  if (lanes->overflow >> lane & 1) return QSM_CAUSE_STACK_OVERFLOW;
  if (misaligned) return load ? QSM_CAUSE_LOAD_MISALIGNED : QSM_CAUSE_STORE_MISALIGNED;
  return load ? QSM_CAUSE_LOAD_ACCESS : QSM_CAUSE_STORE_ACCESS;
}

// C takes an instruction: what remains to be done, or the fault.
static void classify(struct qsm_sm *sm, struct qsm_mem_op *op) {
  struct qsm_lsu *lsu = &sm->lsu;
  struct bounds bounds = bounds_of(sm, op);
  struct lane_class lanes;
  QSM_PER_WARP_SIZE(sm->n_lanes, classify_lanes, op->addr, &bounds, &lanes);
  if (lanes.local & op->mask) map_local(sm, op, &bounds, &lanes);
  uint32_t faulting = (lanes.misaligned | lanes.bad | lanes.overflow) & op->mask;
  lsu->fault_lane = QSM_NONE;
  lsu->rem_shared = op->mask & lanes.shared;
  lsu->rem_device = op->mask & ~lanes.shared;
  if (!faulting) return;
  lsu->rem_shared = 0;
  lsu->rem_device = 0;
  lsu->fault_lane = (uint8_t)qsm_ctz(faulting);
  lsu->fault_cause = cause_of(op, &lanes, lsu->fault_lane);
}

// ---- results ----

// What a load of the word at `addr & ~3` gives (R-LS-12).
static uint32_t extended(uint8_t op, uint32_t word, uint32_t addr) {
  uint32_t value = word >> (addr & 3) * 8;
  switch (op) {
    case QSM_OP_LB: return (uint32_t)(int8_t)value;
    case QSM_OP_LH: return (uint32_t)(int16_t)value;
    case QSM_OP_LBU: return (uint8_t)value;
    case QSM_OP_LHU: return (uint16_t)value;
    default: return word;
  }
}

static bool is_whole_word(uint8_t op) { return op == QSM_OP_LW || op == QSM_OP_AMO; }

void qsm_lsu_extend(const struct qsm_sm *sm, uint8_t op, const uint32_t *addr, uint32_t *data) {
  if (is_whole_word(op)) return;
  for (uint32_t l = 0; l < sm->n_lanes; l++) data[l] = extended(op, data[l], addr[l]);
}

struct qsm_result *qsm_lsu_return(struct qsm_sm *sm, const struct qsm_insn *insn, uint32_t sub,
                                  uint32_t warp, uint32_t entry, uint32_t mask) {
  struct qsm_result *result = qsm_subcore_next_result(sm->sub[sub]);
  result->warp = (uint8_t)warp;
  result->rd = insn->rd;
  result->entry = (uint8_t)entry;
  result->mask = mask;
  sm->lsu.sub[sub].res_credit--;
  sm->lsu.ret_sub = (uint8_t)sub;
  return result;
}

QSM_LANE_FUNCTION void pick_words(const uint32_t *line, const uint8_t *at, uint32_t *out,
                                  uint32_t n) {
  QSM_LANES out[l] = line[at[l] / 4u];
}

void qsm_lsu_return_lanes(struct qsm_sm *sm, const struct qsm_part *part, const uint32_t *line) {
  uint32_t *out =
      qsm_lsu_return(sm, &part->insn, part->sub, part->warp, part->entry, part->mask)->data;
  QSM_PER_WARP_SIZE(sm->n_lanes, pick_words, line, part->at, out);
  if (is_whole_word(part->insn.op)) return;
  for (uint32_t l = 0; l < sm->n_lanes; l++) out[l] = extended(part->insn.op, out[l], part->at[l]);
}

static void deliver_result(struct qsm_sm *sm, uint64_t c) {
  qsm_subcore_take_in_result(sm->sub[sm->lsu.ret_sub], c + 1);
  sm->lsu.ret_sub = QSM_NONE;
}

// ---- response queue ----

// The part that the head of the queue serves next: that of its own transaction, then those of its
// list (R-L1-8).
static uint32_t next_served(const struct qsm_lsu *lsu) {
  return lsu->serving == QSM_NONE ? lsu->rsp[lsu->rsp_head] : lsu->serving;
}

static bool response_wants(const struct qsm_sm *sm, uint64_t c) {
  const struct qsm_lsu *lsu = &sm->lsu;
  if (lsu->rsp_count == 0) return false;
  const struct qsm_part *part = &lsu->txn[next_served(lsu)].part;
  return qsm_is_store(&part->insn) || qsm_lsu_has_credit(lsu, part->sub, c);
}

static void free_txn(struct qsm_lsu *lsu, uint32_t tag) {
  lsu->txn_free[tag / 64] |= 1ull << tag % 64;
}

static void serve(struct qsm_sm *sm, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  uint32_t head = lsu->rsp[lsu->rsp_head], tag = next_served(lsu);
  const struct qsm_txn *txn = &lsu->txn[tag];
  const struct qsm_part *part = &txn->part;
  if (tag != head) free_txn(lsu, tag);
  lsu->serving = txn->next;
  if (part->away) qsm_share_serve(&sm->share);
  if (txn->next == QSM_NONE) {
    free_txn(lsu, head);
    lsu->rsp_head = (uint8_t)((lsu->rsp_head + 1) % QSM_MAX_TXNS);
    lsu->rsp_count--;
  }
  if (qsm_is_store(&part->insn)) {
    qsm_subcore_end_part(sm->sub[part->sub], part->warp, part->entry, c + 1);
  } else {
    qsm_lsu_return_lanes(sm, part, lsu->txn[head].data);
  }
  QSM_EMIT(sm, c, QSM_EV_RETURN, 0, tag);
}

// ---- C ----

static void raise(struct qsm_sm *sm, const struct qsm_mem_op *op, uint64_t c) {
  const struct qsm_lsu *lsu = &sm->lsu;
  const struct qsm_fault record = {
      .cause = lsu->fault_cause,
      .pc = op->pc,
      .tid = op->widx * sm->n_lanes + lsu->fault_lane,
      .block = sm->launch.tb[op->tb].linear,
      .value = op->addr[lsu->fault_lane],
  };
  QSM_EMIT(sm, c, QSM_EV_LSU_PASS, 0, op->sub, op->warp, 2, op->mask);
  qsm_fault_raise(&sm->faults, 0, op->kernel, &record);
}

static bool pass_wants(const struct qsm_sm *sm, uint64_t c) {
  const struct qsm_lsu *lsu = &sm->lsu;
  if (lsu->c == QSM_NONE || lsu->rem_shared == 0 || lsu->amo_lanes) return false;
  const struct qsm_mem_op *op = &lsu->op[lsu->c];
  return qsm_is_store(&op->insn) || qsm_lsu_has_credit(lsu, op->sub, c);
}

// At most one pass of C; true if there was one (or a fault).
static bool step_c(struct qsm_sm *sm, bool pass_granted, bool port_free, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  const struct qsm_mem_op *op = &lsu->op[lsu->c];
  if (lsu->fault_lane != QSM_NONE) {
    if (sm->faults.any) return false;  // a sub-core's (R-LS-3)
    raise(sm, op, c);
  } else if (lsu->rem_shared) {
    if (!pass_granted) return false;
    qsm_lsu_shared_pass(sm, op, c);
  } else {
    // R-LS-5, R-L1-1.
    if (!(sm->l1 ? qsm_l1_is_free(sm->l1) : port_free && qsm_lsu_has_txn(lsu))) return false;
    qsm_lsu_device_pass(sm, op, c);
  }
  return true;
}

// Nothing remains of what C has, nor does an atomic write in the next cycle.
static bool is_done(const struct qsm_lsu *lsu) {
  return !(lsu->rem_shared | lsu->rem_device | lsu->amo_lanes);
}

static void finish_c(struct qsm_sm *sm, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  const struct qsm_mem_op *op = &lsu->op[lsu->c];
  qsm_subcore_note_all_sent(sm->sub[op->sub], op->warp, op->entry, c + 1);
  if (op->away) qsm_share_finish(&sm->share);
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

// Sub-cores with an instruction that was in their queue at the cycle's start: all that have one, if
// none has put one in in this cycle, which it would have told by a poke.
static uint32_t waiting_subs(const struct qsm_lsu *lsu, uint64_t c) {
  uint32_t waiting = lsu->queued;
  if (lsu->poked_at != c) return waiting;
  for (uint32_t left = waiting; left; left &= left - 1) {
    uint32_t sub = qsm_ctz(left);
    if (lsu->sub[sub].count == 1 && lsu->sub[sub].pushed_at == c) waiting &= ~(1u << sub);
  }
  return waiting;
}

static bool pop(struct qsm_sm *sm, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  if (lsu->n != QSM_NONE) return false;
  uint32_t waiting = waiting_subs(lsu, c);
  if (!waiting) return false;
  uint32_t sub =
      qsm_circular_first(waiting, lsu->pop_last + 1u == sm->n_subs ? 0 : lsu->pop_last + 1u);
  struct qsm_lsu_sub *of = &lsu->sub[sub];
  lsu->n = of->queue[of->head];
  of->head = (uint8_t)((of->head + 1) % QSM_MQ_DEPTH);
  if (--of->count == 0) lsu->queued &= ~(1u << sub);
  qsm_subcore_give_credit(sm->sub[sub], c + 1);
  lsu->pop_last = (uint8_t)sub;
  return true;
}

// The kind of return operation that gets the return slot: of those in the mask, the one served
// longest ago (R-LS-10, R-L1-9).
static enum qsm_return_op grant(struct qsm_lsu *lsu, uint32_t wants, uint64_t c) {
  if (!wants) return QSM_RETURN_COUNT;
  uint32_t op = qsm_ctz(wants);
  for (wants &= wants - 1; wants; wants &= wants - 1) {
    if (lsu->served_at[qsm_ctz(wants)] < lsu->served_at[op]) op = qsm_ctz(wants);
  }
  lsu->served_at[op] = c;
  return (enum qsm_return_op)op;
}

void qsm_lsu_step(struct qsm_sm *sm, uint64_t c, bool port_free) {
  struct qsm_lsu *lsu = &sm->lsu;
  uint32_t wants = (uint32_t)pass_wants(sm, c) << QSM_RETURN_PASS | (uint32_t)response_wants(sm, c)
                                                                        << QSM_RETURN_RESPONSE;
  const struct qsm_l1 *l1 = sm->l1;
  if (l1 && qsm_l1_look(sm, c)) wants |= 1u << QSM_RETURN_HIT;
  enum qsm_return_op granted = grant(lsu, wants, c);
  uint32_t amo_lanes = lsu->amo_lanes;
  lsu->amo_lanes = 0;
  bool active = amo_lanes != 0;
  if (lsu->ret_sub != QSM_NONE) {
    deliver_result(sm, c);
    active = true;
  }
  if (l1)
    active |=
        qsm_l1_act(sm, granted == QSM_RETURN_HIT, port_free, c);  // before a pass takes its place
  // In the cycle of an AMO's write C does no pass (R-LS-8).
  if (lsu->c != QSM_NONE && (amo_lanes || step_c(sm, granted == QSM_RETURN_PASS, port_free, c))) {
    if (is_done(lsu)) finish_c(sm, c);
    active = true;
  }
  active |= sm->faults.any;  // for which a fault in C may wait
  if (granted == QSM_RETURN_RESPONSE) {
    serve(sm, c);
    active = true;
  }
  if (amo_lanes) qsm_lsu_write_amo(lsu, amo_lanes);
  active |= move(sm);
  active |= pop(sm, c);
  lsu->awake = active || !port_free || lsu->poked_at == c;
}

// ---- State and flips ----

uint32_t qsm_lsu_turns(const struct qsm_lsu *lsu) {
  uint32_t order = 0;
  for (uint32_t op = 0; op < QSM_RETURN_COUNT; op++) {
    uint32_t place = 0;
    for (uint32_t other = 0; other < QSM_RETURN_COUNT; other++)
      place += lsu->served_at[other] < lsu->served_at[op];
    order |= op << 2 * place;
  }
  return order;
}

static bool in_a_window(const struct qsm_desc *desc, uint32_t address) {
  for (uint32_t i = 0; i < 2; i++)
    if (address >= desc->win[i].base && address < desc->win[i].limit) return true;
  return false;
}

// A valid address that is not classified yet: the changed address is checked against the windows
// like any other. With an invalid address both sides would fault, and the fault records would
// differ.
bool qsm_lsu_flip(struct qsm_flip *flip, struct qsm_sm *sm) {
  struct qsm_lsu *lsu = &sm->lsu;
  uint32_t used = ~lsu->op_free & ((1u << QSM_MAX_OPS) - 1);
  if (lsu->c != QSM_NONE) used &= ~(1u << lsu->c);
  if (!used) return false;
  uint32_t i = qsm_flip_draw_bit(flip, used);
  struct qsm_mem_op *op = &lsu->op[i];
  uint32_t lane = qsm_ctz(op->mask);
  if (!in_a_window(qsm_desc_of(sm, op->kernel), op->addr[lane])) return false;
  qsm_flip_bit(flip, &op->addr[lane], 24 + qsm_flip_draw(flip, 4), "address of memory instruction",
               i);
  return true;
}
