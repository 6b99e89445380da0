// SPDX-License-Identifier: Apache-2.0
// The SM's state as others see it: registers read by the GPU level, state for comparison (R-LK-3),
// injected faults.
#include <stdio.h>
#include <string.h>

#include "qsm_tb_save.h"

int32_t qsm_sm_snap_c(const struct qsm_sm *sm, uint32_t kernel) { return sm->quota.snap_c[kernel]; }
uint32_t qsm_sm_snap_insn(const struct qsm_sm *sm, uint32_t kernel) {
  return sm->quota.snap_insn[kernel];
}
uint32_t qsm_sm_quota(const struct qsm_sm *sm, uint32_t kernel) { return sm->quota.quota[kernel]; }
uint32_t qsm_sm_snap_idle(const struct qsm_sm *sm, uint32_t kernel) {
  return sm->idle_sampler.snap[kernel];
}
const struct qsm_fault *qsm_sm_fault(const struct qsm_sm *sm, uint32_t kernel) {
  return &sm->fault[kernel];
}

uint32_t qsm_sm_l1_counter(const struct qsm_sm *sm, uint32_t kernel, uint32_t counter) {
  return sm->l1 ? sm->l1->count[kernel][counter - QSM_L1_FIRST_COUNTER] : 0;
}

uint32_t qsm_sm_save_phase(const struct qsm_sm *sm) { return sm->save.phase; }

uint32_t qsm_sm_stall(const struct qsm_sm *sm, uint64_t cycle, uint32_t sub, uint32_t kernel,
                      uint32_t reason) {
  if (!sm->shared->config->stall_counters) return 0;
  return qsm_subcore_stalls(sm->sub[sub], cycle, kernel, reason);
}

const struct qsm_qaws *qsm_sm_qaws(const struct qsm_sm *sm, uint32_t sub) {
  return &sm->sub[sub]->sched.qaws;
}

// ---- state ----

static bool give(bool exists, const uint32_t *at, uint32_t *value) {
  if (exists) *value = *at;
  return exists;
}

static bool give_word(uint32_t word, const uint32_t *words, uint32_t n, uint32_t *value) {
  return give(word < n, words + (word < n ? word : 0), value);
}

static bool warp_state(const struct qsm_subcore *sc, uint32_t w, uint32_t word, uint32_t *value) {
  const uint32_t words[] = {
      sc->resident >> w & 1,  sc->warp[w].live,      sc->warp[w].bar,    sc->path_valid >> w & 1,
      sc->warp[w].fpc,        sc->warp[w].path_mask, sc->warp[w].selcnt, sc->warp[w].rot,
      sc->warp[w].path_depth, sc->selpend >> w & 1,
  };
  return give_word(word, words, sizeof words / sizeof words[0], value);
}

static bool select_state(const struct qsm_subcore *sc, uint32_t word, uint32_t *value) {
  const uint32_t words[] = {sc->sel_waits, sc->sel_last};
  return give_word(word, words, 2, value);
}

static bool scoreboard_state(const struct qsm_sm *sm, const struct qsm_scoreboard *sb,
                             uint32_t entry, uint32_t *value) {
  if (!(sm->sb_full >> entry & 1)) return false;
  *value = 0;
  if (!(sb->valid >> entry & 1)) return true;
  *value = 1u | (sb->mem >> entry & 1u) << 1 | (sb->all_sent >> entry & 1u) << 2 |
           (uint32_t)sb->rd[entry] << 8;
  if (sb->mem >> entry & 1) *value |= (uint32_t)sb->parts[entry] << 16;
  return true;
}

static bool write_back_state(const struct qsm_subcore *sc, uint32_t *value) {
  uint32_t claim = sc->claims & ((1u << sc->sm->fp_lat) - 1);
  *value = sc->wait_count + 16 * claim;
  return true;
}

static bool policy_state(const struct qsm_warp_sched *ws, uint32_t word, uint32_t *value) {
  const struct qsm_qaws *q = &ws->qaws;
  const uint32_t words[] = {ws->active, qsm_qaws_front(q), (uint32_t)q->prev << 1 | q->head_ok,
                            q->mark};
  return give_word(word, words, 4, value);
}

static bool quota_state(const struct qsm_sm *sm, uint64_t cycle, uint32_t k, uint32_t word,
                        uint32_t *value) {
  const struct qsm_quota *q = &sm->quota;
  const uint32_t of_sm[] = {qsm_quota_dcnt(sm, cycle), q->early};
  if (k == sm->n_kernels) return give_word(word, of_sm, 2, value);
  if (k > sm->n_kernels) return false;
  const uint32_t of_kernel[] = {(uint32_t)q->c[k], q->quota[k], q->granted >> k & 1, q->insn[k],
                                q->fresh >> k & 1};
  return give_word(word, of_kernel, 5, value);
}

static bool idle_state(const struct qsm_sm *sm, uint32_t k, uint32_t word, uint32_t *value) {
  if (k >= sm->n_kernels) return false;
  const uint32_t words[] = {sm->idle_sampler.sum[k], sm->idle_sampler.snap[k]};
  return give_word(word, words, 2, value);
}

static bool tb_state(const struct qsm_sm *sm, uint32_t s, uint32_t word, uint32_t *value) {
  if (s >= sm->n_tbs) return false;
  const struct qsm_tb_slot *tb = &sm->tb[s];
  uint32_t words[] = {tb->valid,
                      tb->kernel,
                      tb->left,
                      tb->arrived,
                      tb->ticket,
                      tb->saved,
                      tb->block[0] | tb->block[1] << 16,
                      tb->block[2],
                      tb->linear,
                      tb->clean};
  if (!tb->valid) memset(words + 4, 0, sizeof words - 4 * sizeof *words);
  return give_word(word, words, sizeof words / sizeof *words, value);
}

// A row that is wiped already may still hold what it held before.
static bool shared_state(const struct qsm_sm *sm, uint64_t cycle, uint32_t row, uint32_t bank,
                         uint32_t *value) {
  uint32_t n_rows = sm->shared->config->shared_bytes / sm->line_bytes;
  if (row >= n_rows || bank >= sm->n_lanes) return false;
  bool wiped = row - sm->wipe.row < qsm_wipe_rows_done(&sm->wipe, cycle);
  *value = wiped ? 0 : sm->shared_mem[row * sm->n_lanes + bank];
  return true;
}

static bool wipe_state(const struct qsm_wipe *wipe, uint64_t cycle, uint32_t word,
                       uint32_t *value) {
  uint32_t done = qsm_wipe_rows_done(wipe, cycle);
  const uint32_t running[] = {1u | (uint32_t)wipe->tb << 8, wipe->row + done, wipe->n_rows - done},
                 none[] = {0, 0, 0};
  return give_word(word, qsm_wipe_runs(wipe) ? running : none, 3, value);
}

static bool saver_state(const struct qsm_tb_save *save, uint32_t word, uint32_t *value) {
  const uint32_t words[] = {
      save->op | (uint32_t)save->phase << 4,
      save->op ? save->tb | (uint32_t)save->image << 8 | (uint32_t)save->fresh << 16 : 0,
      save->op ? save->base : 0};
  return give_word(word, words, 3, value);
}

static bool fault_state(const struct qsm_sm *sm, uint32_t k, uint32_t word, uint32_t *value) {
  if (k >= sm->n_kernels) return false;
  const struct qsm_fault *f = &sm->fault[k];
  const uint32_t words[] = {sm->killed >> k & 1, f->cause, f->pc, f->tid, f->block, f->value};
  return give_word(word, words, sizeof words / sizeof words[0], value);
}

bool qsm_sm_state(const struct qsm_sm *sm, uint64_t cycle, enum qsm_state_kind kind, uint32_t sub,
                  uint32_t index, uint32_t word, uint32_t *value) {
  uint32_t n = sm->n_lanes;
  if (sub >= sm->n_subs) return false;
  const struct qsm_subcore *sc = sm->sub[sub];
  bool is_warp = index < sm->n_warps, is_lane = word < n;
  switch (kind) {
    case QSM_STATE_REG:
      return give(index < sm->n_warps * 32 && is_lane, sc->regs + index * n + word, value);
    case QSM_STATE_SHARED: return shared_state(sm, cycle, index, word, value);
    case QSM_STATE_LANE_PC: return give(is_warp && is_lane, sc->lane_pc + index * n + word, value);
    case QSM_STATE_LANE_DEPTH:
      if (!is_warp || !is_lane) return false;
      *value = sc->lane_depth[index * n + word];
      return true;
    case QSM_STATE_WARP: return is_warp && warp_state(sc, index, word, value);
    case QSM_STATE_SELECT: return index == 0 && select_state(sc, word, value);
    case QSM_STATE_SCOREBOARD:
      return is_warp && word < QSM_MAX_SB && scoreboard_state(sm, &sc->warp[index].sb, word, value);
    case QSM_STATE_QUOTA: return quota_state(sm, cycle, index, word, value);
    case QSM_STATE_IDLE: return idle_state(sm, index, word, value);
    case QSM_STATE_TBS: return tb_state(sm, index, word, value);
    case QSM_STATE_SAVER: return index == 0 && saver_state(&sm->save, word, value);
    case QSM_STATE_FAULT: return fault_state(sm, index, word, value);
    case QSM_STATE_STALL:
      if (index >= sm->n_kernels || word >= QSM_STALL_COUNT) return false;
      *value = qsm_sm_stall(sm, cycle, sub, index, word);
      return true;
    case QSM_STATE_WRITE_BACK: return index == 0 && word == 0 && write_back_state(sc, value);
    case QSM_STATE_L1:
    case QSM_STATE_L1_SET: return qsm_l1_state(sm, kind, index, word, value);
    case QSM_STATE_WIPE: return index == 0 && wipe_state(&sm->wipe, cycle, word, value);
    case QSM_STATE_POLICY: return index == 0 && policy_state(&sc->sched, word, value);
    default: return false;
  }
}

// ---- injected faults ----

// A flip that the machine must notice: `what` says where. Each function returns false when its
// block holds nothing live.
struct injection {
  uint64_t seed;
  char *what;
  size_t what_len;
};

static uint32_t draw(struct injection *in, uint32_t n) {
  in->seed = in->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(in->seed >> 33) % n;
}

static uint32_t draw_bit(struct injection *in, uint32_t bits) {
  for (uint32_t skip = draw(in, qsm_popcount(bits)); skip; skip--) bits &= bits - 1;
  return qsm_ctz(bits);
}

static void flip(struct injection *in, uint32_t *word, uint32_t bit, const char *name,
                 uint32_t index) {
  *word ^= 1u << bit;
  snprintf(in->what, in->what_len, "%s[%u] bit %u", name, index, bit);
}

static void flip_small(struct injection *in, uint8_t *word, uint32_t bit, const char *name,
                       uint32_t index) {
  uint32_t wide = *word;
  flip(in, &wide, bit, name, index);
  *word = (uint8_t)wide;
}

static bool inject_fetch(struct injection *in, struct qsm_subcore *sc) {
  uint32_t fetching = sc->path_valid & ~(sc->fstop | sc->finfl);
  if (!fetching) return false;
  uint32_t w = draw_bit(in, fetching);
  flip(in, &sc->warp[w].fpc, 2 + draw(in, 10), "fpc", w);
  return true;
}

// Of a warp that can issue at once: the state of warps would show a flip that waits.
static bool inject_issue(struct injection *in, struct qsm_subcore *sc) {
  uint32_t issuing = sc->ready & ~sc->shut;
  if (!issuing) return false;
  uint32_t w = draw_bit(in, issuing);
  flip(in, &sc->warp[w].path_pc, 2 + draw(in, 10), "path_pc", w);
  return true;
}

// A warp that is demoted in the next cycle loses its place before.
static bool inject_two_level(struct injection *in, struct qsm_warp_sched *ws,
                             const struct qsm_sched_in *seen) {
  uint32_t demoted = ws->active & seen->stalled_long;
  if (!demoted) return false;
  uint32_t w = qsm_ctz(demoted);
  flip(in, &ws->active, w, "active", w);
  return true;
}

// The count that the next cycle adds to, such that it stays a count below the budget: the front
// moves later or earlier, but not now.
static bool inject_qaws(struct injection *in, struct qsm_warp_sched *ws,
                        const struct qsm_sched_in *seen) {
  struct qsm_qaws *q = &ws->qaws;
  struct qsm_warp_sched next = *ws;
  qsm_warp_sched_step(&next, seen);
  if (qsm_qaws_front(&next.qaws) != qsm_qaws_front(q) + 1 || (q->ncs ^ 1) >= q->budget)
    return false;
  flip_small(in, &q->ncs, 0, "ncs of the group of budget", q->budget);
  return true;
}

// A flip that shows in the next cycle, and not in what that cycle issues.
static bool inject_warp_sched(struct injection *in, struct qsm_subcore *sc) {
  const struct qsm_sched_in seen =
      qsm_subcore_sched_in(sc, qsm_subcore_eligible(sc), QSM_NONE, sc->sm->next_cycle);
  if (seen.policy == QSM_POLICY_TWO_LEVEL) return inject_two_level(in, &sc->sched, &seen);
  return qsm_policy_has_groups(seen.policy) && inject_qaws(in, &sc->sched, &seen);
}

// A lane more or less outside the path, unless that has all: a path that loses its only lane would
// first show in what is not issued.
static bool inject_warp_state(struct injection *in, struct qsm_subcore *sc) {
  uint32_t living = 0;
  for (uint32_t w = 0; w < sc->n_warps; w++) living |= (uint32_t)(sc->warp[w].live != 0) << w;
  living &= sc->resident;
  if (!living) return false;
  uint32_t w = draw_bit(in, living);
  uint32_t lanes = UINT32_MAX >> (32 - sc->sm->n_lanes), outside = lanes & ~sc->warp[w].path_mask,
           lane = draw_bit(in, outside ? outside : lanes);
  if (sc->warp[w].live == 1u << lane) return false;
  flip(in, &sc->warp[w].live, lane, "live", w);
  return true;
}

// An instruction that will write its register.
static bool inject_exec(struct injection *in, struct qsm_subcore *sc) {
  for (uint32_t i = 0; i < QSM_PIPE_SLOTS; i++) {
    struct qsm_pipe_slot *slot = &sc->pipe[i];
    uint8_t class = qsm_op_class[slot->insn.op];
    if (!qsm_pipe_holds(sc, i) || slot->insn.rd == 0 ||
        (class != QSM_CLASS_ALU && class != QSM_CLASS_MUL && class != QSM_CLASS_FMA))
      continue;
    flip(in, &slot->mask, draw_bit(in, slot->mask), "mask of pipe slot", i);
    return true;
  }
  return false;
}

// A thread block on its way from the TB scheduler.
static bool inject_dispatch(struct injection *in, struct qsm_sm *sm) {
  for (uint32_t i = 0; i < sm->msg_count; i++) {
    struct qsm_sm_msg *msg = &sm->msg[(sm->msg_head + i) % QSM_MAX_MSGS];
    if (msg->kind != QSM_MSG_DISPATCH) continue;
    flip(in, &msg->linear, draw(in, 8), "linear block of dispatched slot", msg->tb);
    return true;
  }
  return false;
}

// The warp that a waiting block starts next, or a block that is about to wait.
static bool inject_tb_launch(struct injection *in, struct qsm_sm *sm) {
  if (!sm->launch_count) return inject_dispatch(in, sm);
  flip(in, &sm->launch_warp, 0, "next warp of slot", sm->launch_queue[sm->launch_head]);
  return true;
}

static bool in_a_window(const struct qsm_desc *desc, uint32_t address) {
  for (uint32_t i = 0; i < 2; i++)
    if (address >= desc->win[i].base && address < desc->win[i].limit) return true;
  return false;
}

// A good address that is still to be classified: the wrong one is checked against the windows like
// any other. With a bad one both sides would fault, and differ in the fault's record.
static bool inject_lsu(struct injection *in, struct qsm_sm *sm) {
  uint32_t used = ~sm->lsu.op_free & ((1u << QSM_MAX_OPS) - 1);
  if (sm->lsu.c != QSM_NONE) used &= ~(1u << sm->lsu.c);
  if (!used) return false;
  uint32_t i = draw_bit(in, used);
  struct qsm_mem_op *op = &sm->lsu.op[i];
  uint32_t lane = qsm_ctz(op->mask);
  if (!in_a_window(qsm_desc_of(sm, op->kernel), op->addr[lane])) return false;
  flip(in, &op->addr[lane], 24 + draw(in, 4), "address of memory instruction", i);
  return true;
}

// Another block than the wiper's becomes clean.
static bool inject_wipe(struct injection *in, struct qsm_sm *sm) {
  if (!qsm_wipe_runs(&sm->wipe)) return false;
  flip_small(in, &sm->wipe.tb, 0, "slot of the wipe of sm", sm->index);
  return true;
}

// The warps of a block that are left, or those of them that wait.
static bool inject_barrier(struct injection *in, struct qsm_sm *sm) {
  if (inject_wipe(in, sm)) return true;
  for (uint32_t s = 0; s < sm->n_tbs; s++) {
    struct qsm_tb_slot *tb = &sm->tb[s];
    if (!tb->valid) continue;
    if (tb->arrived)
      flip_small(in, &tb->arrived, draw(in, 3), "arrived", s);
    else
      flip_small(in, &tb->left, draw(in, 3), "left", s);
    qsm_sm_update_tb(sm, s);
    return true;
  }
  return false;
}

// The record of a killed kernel, which no other fault replaces; without one, of any.
static bool inject_fault(struct injection *in, struct qsm_sm *sm) {
  uint32_t k = sm->killed ? draw_bit(in, sm->killed) : draw(in, sm->n_kernels);
  flip(in, &sm->fault[k].pc, draw(in, 32), "pc of the fault record", k);
  return true;
}

// While an epoch's loads are under way, whose event shows dcnt; few bits, so that it does not run
// out before.
static bool inject_dcnt(struct injection *in, struct qsm_sm *sm) {
  if (sm->quota.scheme != QSM_SCHEME_ELASTIC || !sm->quota.to_load) return false;
  uint32_t dcnt = qsm_quota_dcnt(sm, sm->next_cycle);
  flip(in, &dcnt, draw(in, 5), "dcnt of sm", sm->index);
  sm->quota.timed_start_at = sm->next_cycle + dcnt;
  return true;
}

// Of a kernel that may issue under a scheme: a spent C, or one that nobody looks at, is overwritten
// by the next load or launch.
static bool inject_quota(struct injection *in, struct qsm_sm *sm) {
  if (inject_dcnt(in, sm)) return true;
  uint32_t spending = sm->quota.scheme == QSM_SCHEME_NONE ? 0 : sm->present & sm->quota.positive;
  if (!spending) return false;
  uint32_t k = draw_bit(in, spending), value = (uint32_t)sm->quota.c[k];
  flip(in, &value, draw(in, 16), "C", k);
  sm->quota.c[k] = (int32_t)value;
  return true;
}

// The image's address, while the sequencer still has a line to move.
static bool inject_tb_save(struct injection *in, struct qsm_sm *sm) {
  if (!qsm_tb_save_uses_base(&sm->save)) return false;
  flip(in, &sm->save.base, 12 + draw(in, 12), "base of image", sm->save.image);
  return true;
}

// The sum of a slot, whether it has warps here or not: the next sample shows all.
static bool inject_idle_sampler(struct injection *in, struct qsm_sm *sm) {
  uint32_t k = draw(in, sm->n_kernels);
  flip(in, &sm->idle_sampler.sum[k], draw(in, 13), "idle_sum", k);
  return true;
}

// The generation of a kernel that has blocks here: its lines do not match, or lines match that
// should not; and the count stays off.
static bool inject_l1(struct injection *in, struct qsm_sm *sm) {
  if (!sm->l1 || !sm->present) return false;
  uint32_t k = draw_bit(in, sm->present);
  flip_small(in, &sm->l1->gen[k], draw(in, 4), "gen", k);
  return true;
}

int qsm_sm_inject(struct qsm_sm *sm, const char *block, uint64_t seed, char *what,
                  size_t what_len) {
  static const struct {
    const char *block;
    bool (*in_sm)(struct injection *, struct qsm_sm *);
    bool (*in_subcore)(struct injection *, struct qsm_subcore *);
  } table[] = {
      {"fetch", NULL, inject_fetch},
      {"issue", NULL, inject_issue},
      {"warp_state", NULL, inject_warp_state},
      {"exec", NULL, inject_exec},
      {"tb_launch", inject_tb_launch, NULL},
      {"lsu", inject_lsu, NULL},
      {"barrier", inject_barrier, NULL},
      {"fault", inject_fault, NULL},
      {"quota", inject_quota, NULL},
      {"warp_sched", NULL, inject_warp_sched},
      {"tb_save", inject_tb_save, NULL},
      {"idle_sampler", inject_idle_sampler, NULL},
      {"l1", inject_l1, NULL},
  };
  struct injection in = {.seed = seed, .what = what, .what_len = what_len};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (strcmp(block, table[i].block) != 0) continue;
    if (table[i].in_sm) return table[i].in_sm(&in, sm) ? 0 : -1;
    uint32_t first = draw(&in, sm->n_subs);
    for (uint32_t n = 0; n < sm->n_subs; n++) {
      if (table[i].in_subcore(&in, sm->sub[(first + n) % sm->n_subs])) return 0;
    }
    return -1;
  }
  return -2;
}
