// SPDX-License-Identifier: Apache-2.0
// One SM of the golden model: its cycle, messages, TB slots, launch, barrier, faults, retirement,
// memory port (docs/sm.md).
#include "qsm_sm.h"

#include <stdlib.h>
#include <string.h>

#include "qsm_sm_blocks.h"

// ---- create, destroy ----

static void *zeroed(size_t n, size_t size) {
  size_t bytes = (n * size + 63) / 64 * 64;
  void *p = aligned_alloc(64, bytes);
  if (p) memset(p, 0, bytes);
  return p;
}

static void destroy_subcore(struct qsm_subcore *sc) {
  if (!sc) return;
  free(sc->regs);
  free(sc->lane_pc);
  free(sc->lane_depth);
  free(sc->tags);
  free(sc->lines);
  free(sc);
}

static void reset_subcore(struct qsm_sm *sm, struct qsm_subcore *sc, uint32_t index) {
  sc->sm = sm;
  sc->index = (uint8_t)index;
  sc->n_warps = (uint8_t)sm->n_warps;
  sc->room = (1u << sm->n_warps) - 1;
  for (uint32_t w = 0; w < QSM_MAX_WARPS; w++) sc->warp[w].stall = QSM_STALL_NONE;
  qsm_warp_sched_reset(&sc->sched, sm->n_warps);
  sc->fetch_last = (uint8_t)(sm->n_warps - 1);
  sc->f2.warp = QSM_NONE;
  sc->sel1 = QSM_NONE;
  sc->sel2 = QSM_NONE;
  sc->sel_last = (uint8_t)(sc->n_warps - 1);
  sc->mem_credit = QSM_MQ_DEPTH;
  sc->res_credit = QSM_RES_DEPTH;
  sc->res_taken_at = QSM_NEVER;
  sc->mq_pushed_at = QSM_NEVER;
  sc->asleep = true;
  sc->wake_at = QSM_NEVER;
  for (uint32_t i = 0; i < sm->n_lines; i++) sc->tags[i] = QSM_NO_LINE;
}

static struct qsm_subcore *create_subcore(struct qsm_sm *sm, uint32_t index) {
  struct qsm_subcore *sc = zeroed(1, sizeof *sc);
  if (!sc) return NULL;
  sc->regs = zeroed((size_t)sm->n_warps * 32 * sm->n_lanes, sizeof *sc->regs);
  sc->lane_pc = zeroed((size_t)sm->n_warps * sm->n_lanes, sizeof *sc->lane_pc);
  sc->lane_depth = zeroed((size_t)sm->n_warps * sm->n_lanes, sizeof *sc->lane_depth);
  sc->tags = zeroed(sm->n_lines, sizeof *sc->tags);
  sc->lines = zeroed(sm->n_lines, sizeof *sc->lines);
  if (!sc->regs || !sc->lane_pc || !sc->lane_depth || !sc->tags || !sc->lines) {
    destroy_subcore(sc);
    return NULL;
  }
  reset_subcore(sm, sc, index);
  return sc;
}

struct qsm_sm *qsm_sm_create(const struct qsm_sm_shared *shared, struct qsm_code *code,
                             uint32_t index) {
  const struct qsm_config *config = shared->config;
  struct qsm_sm *sm = zeroed(1, sizeof *sm);
  if (!sm) return NULL;
  sm->shared = shared;
  sm->code = code;
  sm->index = index;
  sm->n_subs = config->num_sched;
  sm->n_warps = qsm_config_warps_per_sched(config);
  sm->n_lanes = config->warp_size;
  sm->n_kernels = config->num_kernels;
  sm->n_tbs = config->max_tbs;
  sm->n_txns = config->mem_txns;
  sm->line_bytes = qsm_config_line_bytes(config);
  sm->line_shift = qsm_ctz(sm->line_bytes);
  sm->n_lines = config->icache_lines;
  sm->sb_full = (1u << config->sb_entries) - 1;
  sm->fp_lat = config->fpu ? QSM_FP_LAT : 0;
  sm->timer_at = QSM_NEVER;
  sm->wipe.ends_at = QSM_NEVER;
  qsm_quota_reset(&sm->quota, sm->n_kernels);
  sm->debt_max = 1;
  while ((uint32_t)sm->debt_max < 4 * sm->n_kernels * sm->n_subs * sm->n_lanes) sm->debt_max *= 2;
  qsm_lsu_reset(&sm->lsu, sm->n_txns, sm->n_subs);
  if (config->l1_kib) sm->l1 = qsm_l1_create(config);
  sm->shared_mem = zeroed(config->shared_bytes, 1);
  bool ok = sm->shared_mem && (sm->l1 || !config->l1_kib);
  for (uint32_t i = 0; i < sm->n_subs && ok; i++) ok = (sm->sub[i] = create_subcore(sm, i)) != NULL;
  if (ok) return sm;
  qsm_sm_destroy(sm);
  return NULL;
}

void qsm_sm_destroy(struct qsm_sm *sm) {
  if (!sm) return;
  for (uint32_t i = 0; i < QSM_MAX_SUBS; i++) destroy_subcore(sm->sub[i]);
  qsm_l1_destroy(sm->l1);
  free(sm->shared_mem);
  free(sm);
}

// ---- events and hash ----

void qsm_sm_event(struct qsm_sm *sm, uint64_t cycle, enum qsm_event_kind kind, uint32_t sub,
                  const uint32_t *words, uint32_t n) {
  struct qsm_event event = {.cycle = cycle,
                            .kind = (uint8_t)kind,
                            .sm = (uint8_t)sm->index,
                            .sub = (uint8_t)sub,
                            .n_words = (uint8_t)n};
  memcpy(event.word, words, n * sizeof *words);
  sm->sink(sm->sink_ctx, &event);
}

void qsm_sm_record(struct qsm_sm *sm, uint64_t cycle, enum qsm_event_kind kind, uint32_t sub,
                   const uint32_t *words, uint32_t n) {
  if (sm->sink) qsm_sm_event(sm, cycle, kind, sub, words, n);
  if (!sm->hashing) return;
  uint64_t hash = qsm_hash_mix(qsm_hash_mix(sm->hash, cycle), (uint64_t)kind << 8 | sub);
  for (uint32_t i = 0; i < n; i++) hash = qsm_hash_mix(hash, words[i]);
  sm->hash = hash;
}

void qsm_sm_set_sink(struct qsm_sm *sm, qsm_event_sink sink, void *ctx) {
  sm->sink = sink;
  sm->sink_ctx = ctx;
  sm->watched = sm->sink || sm->hashing;
}

void qsm_sm_set_access_sink(struct qsm_sm *sm, qsm_access_sink sink, void *ctx) {
  sm->access_sink = sink;
  sm->access_sink_ctx = ctx;
}

void qsm_sm_enable_hash(struct qsm_sm *sm) {
  sm->hashing = true;
  sm->watched = true;
  if (sm->hash == 0) sm->hash = 1;
}

uint64_t qsm_sm_hash(const struct qsm_sm *sm) { return sm->hash; }

// ---- messages in, requests out ----

void qsm_sm_send(struct qsm_sm *sm, const struct qsm_sm_msg *msg) {
  sm->msg[(sm->msg_head + sm->msg_count++) % QSM_MAX_MSGS] = *msg;
}

// Nobody looks at the line of a transaction, or of a miss, before its response.
uint32_t *qsm_sm_push_response(struct qsm_sm *sm, uint64_t cycle, uint8_t tag) {
  sm->rsp[(sm->rsp_head + sm->rsp_count++) % QSM_MAX_RSPS] = (struct qsm_mem_rsp){cycle, tag};
  return tag < sm->n_txns ? sm->lsu.txn[tag].data : sm->fetched[tag - sm->n_txns];
}

const struct qsm_sm_out *qsm_sm_out(const struct qsm_sm *sm) { return &sm->out; }

struct qsm_mem_req *qsm_sm_request(struct qsm_sm *sm, uint64_t c) {
  struct qsm_mem_req *req = &sm->out.req[sm->out.n_req++];
  req->cycle = c;
  return req;
}

void qsm_sm_report_request(struct qsm_sm *sm, const struct qsm_mem_req *req) {
  if (!sm->sink) return;
  uint32_t mask_words = (sm->line_bytes + 31) / 32;
  uint32_t words[4 + QSM_MASK_WORDS + QSM_MAX_LANES] = {req->kind * 16u + req->amo, req->addr,
                                                        req->tag, req->slot};
  memcpy(words + 4, req->bytes, mask_words * sizeof *words);
  if (req->kind != QSM_MEM_READ) memcpy(words + 4 + mask_words, req->data, sm->line_bytes);
  qsm_sm_event(sm, req->cycle, QSM_EV_REQ, 0, words, 4 + mask_words + sm->n_lanes);
}

// R-SM-8: the memory port goes to the lowest sub-core with a miss.
static void send_fetch(struct qsm_sm *sm, uint32_t sub, uint64_t c) {
  struct qsm_subcore *sc = sm->sub[sub];
  struct qsm_mem_req *req = qsm_sm_request(sm, c);
  req->kind = QSM_MEM_READ;
  req->amo = 0;
  req->tag = (uint8_t)(sm->n_txns + sub);
  req->slot = sc->miss.kernel;
  req->nc = false;
  req->addr = sc->miss.line;
  memset(req->bytes, 0, sizeof req->bytes);
  sm->fetch_pend &= ~(1u << sub);
  qsm_fetch_granted(sc);
  qsm_sm_report_request(sm, req);
}

// ---- TB slots ----

void qsm_sm_update_tb(struct qsm_sm *sm, uint32_t s) {
  const struct qsm_tb_slot *tb = &sm->tb[s];
  uint32_t bit = 1u << s;
  bool releasable = tb->valid && tb->arrived == tb->left && tb->arrived != 0;
  bool restored = sm->save.op == QSM_TB_RESTORE && sm->save.tb == s;  // R-PE-21
  bool over = tb->valid && tb->left == 0 && !restored;
  sm->tb_releasable = releasable ? sm->tb_releasable | bit : sm->tb_releasable & ~bit;
  sm->tb_retirable = over && tb->clean ? sm->tb_retirable | bit : sm->tb_retirable & ~bit;
  sm->tb_unclean = over && !tb->clean ? sm->tb_unclean | bit : sm->tb_unclean & ~bit;
}

void qsm_sm_arrived(struct qsm_sm *sm, uint32_t tb) {
  sm->tb[tb].arrived++;
  qsm_sm_update_tb(sm, tb);
}

void qsm_sm_finished(struct qsm_sm *sm, uint32_t tb) {
  sm->tb[tb].left--;
  qsm_sm_update_tb(sm, tb);
}

void qsm_sm_update_presence(struct qsm_sm *sm, uint64_t from) {
  uint32_t before = sm->runnable;
  sm->present = 0;
  sm->runnable = 0;
  for (uint32_t s = 0; s < sm->n_tbs; s++) {
    if (!sm->tb[s].valid) continue;
    uint32_t bit = 1u << sm->tb[s].kernel;
    bool frozen = qsm_tb_save_holds(sm, s);
    if (!frozen || sm->save.op == QSM_TB_RESTORE) sm->present |= bit;
    if (!frozen) sm->runnable |= bit;
  }
  if (sm->runnable != before) qsm_quota_runnable_changed(sm, from);
}

// R-SM-1.
static void arrive(struct qsm_sm *sm, const struct qsm_sm_msg *msg, uint64_t c) {
  struct qsm_tb_slot *tb = &sm->tb[msg->tb];
  *tb = (struct qsm_tb_slot){
      .valid = true,
      .kernel = msg->kernel,
      .first = msg->first,
      .base = msg->base,
      .left = (uint8_t)qsm_desc_of(sm, msg->kernel)->warps,
      .clean = qsm_desc_of(sm, msg->kernel)->shared_bytes == 0,
      .ticket = msg->ticket,
      .block = {msg->block[0], msg->block[1], msg->block[2]},
      .linear = msg->linear,
  };
  qsm_sm_update_tb(sm, msg->tb);
  sm->launch_queue[(sm->launch_head + sm->launch_count++) % QSM_MAX_TBS] = msg->tb;
  if (msg->op == QSM_TB_RESTORE) qsm_tb_save_begin(sm, msg);
  qsm_sm_update_presence(sm, c + 1);
  QSM_EMIT(sm, c, QSM_EV_ARRIVE, 0, msg->tb, msg->kernel, msg->linear, msg->first, msg->base,
           msg->op, msg->image, msg->ticket);
}

struct launch {  // R-SM-2, decided at the start of a cycle
  bool valid;
  uint32_t sub, warp;  // where
};

static struct launch decide_launch(const struct qsm_sm *sm) {
  if (sm->launch_count == 0) return (struct launch){0};
  const struct qsm_tb_slot *tb = &sm->tb[sm->launch_queue[sm->launch_head]];
  uint32_t sub = (tb->first + sm->launch_warp) % sm->n_subs;
  uint32_t warp = qsm_ctz(~sm->sub[sub]->resident);  // the TB scheduler keeps one free; only an
                                                     // injected fault can fill the sub-core
  return (struct launch){warp < sm->n_warps, sub, warp};
}

static uint32_t lanes_below(uint32_t n_threads, uint32_t n_lanes) {
  return n_threads >= n_lanes ? (uint32_t)((1ull << n_lanes) - 1) : (1u << n_threads) - 1;
}

static void launch_warp(struct qsm_sm *sm, const struct launch *launch, uint64_t c) {
  uint32_t s = sm->launch_queue[sm->launch_head], i = sm->launch_warp, kernel = sm->tb[s].kernel;
  const struct qsm_desc *desc = qsm_desc_of(sm, kernel);
  uint32_t before = i * sm->n_lanes;
  uint32_t live = lanes_below(desc->threads > before ? desc->threads - before : 0, sm->n_lanes);
  if (sm->killed >> kernel & 1) live = 0;
  bool resumes = sm->save.op == QSM_TB_RESTORE && sm->save.tb == s && !sm->save.fresh;  // R-PE-13
  qsm_warp_start(sm->sub[launch->sub], launch->warp, kernel, s, i, live, !resumes, c);
  sm->launch_warp++;
  if (sm->launch_warp < desc->warps) return;
  sm->launch_warp = 0;
  sm->launch_head = (sm->launch_head + 1) % QSM_MAX_TBS;
  sm->launch_count--;
}

// R-SM-3.
static void release(struct qsm_sm *sm, uint32_t tbs, uint64_t c) {
  QSM_EMIT(sm, c, QSM_EV_RELEASE, 0, tbs);
  for (; tbs; tbs &= tbs - 1) {
    uint32_t s = qsm_ctz(tbs);
    for (uint32_t i = 0; i < sm->n_subs; i++) qsm_warp_release(sm->sub[i], s, c);
    sm->tb[s].arrived = 0;
    qsm_sm_update_tb(sm, s);
  }
}

// R-SM-4.
static void retire(struct qsm_sm *sm, uint32_t s, uint64_t c) {
  bool saved = sm->tb[s].saved;
  sm->tb[s].valid = false;
  qsm_sm_update_tb(sm, s);
  if (qsm_tb_save_holds(sm, s)) qsm_tb_save_stop(sm, c + 1);
  qsm_sm_update_presence(sm, c + 1);
  sm->out.retire[sm->out.n_retire++] =
      (struct qsm_retire){.cycle = c, .tb = (uint8_t)s, .saved = saved};
  QSM_EMIT(sm, c, QSM_EV_RETIRE, 0, s, saved);
}

// ---- the wipe of shared memory (R-SM-10) ----

// Slots of which the lowest is wiped next.
static uint32_t wipeable(const struct qsm_sm *sm) {
  return qsm_wipe_runs(&sm->wipe) ? 0 : sm->tb_unclean;
}

static void begin_wipe(struct qsm_sm *sm, uint32_t s, uint64_t c) {
  const struct qsm_config *config = sm->shared->config;
  uint32_t n_rows =
      qsm_config_shared_lines(config, qsm_desc_of(sm, sm->tb[s].kernel)->shared_bytes);
  sm->wipe = (struct qsm_wipe){
      .begins_at = c + 1,
      .ends_at = c + n_rows,
      .row = sm->tb[s].base * qsm_config_granule_bytes(config) / sm->line_bytes,
      .n_rows = n_rows,
      .tb = (uint8_t)s,
  };
}

static void end_wipe(struct qsm_sm *sm) {
  const struct qsm_wipe *wipe = &sm->wipe;
  memset(sm->shared_mem + wipe->row * sm->n_lanes, 0, wipe->n_rows * sm->line_bytes);
  sm->tb[wipe->tb].clean = true;
  qsm_sm_update_tb(sm, wipe->tb);
  sm->wipe.ends_at = QSM_NEVER;
}

// ---- faults and kills (R-SM-6, R-SM-7, R-WS-9) ----

void qsm_sm_raise(struct qsm_sm *sm, uint32_t source, uint32_t kernel,
                  const struct qsm_fault *record) {
  if (sm->killed >> kernel & 1) return;
  sm->fault_event[source] =
      (struct qsm_fault_event){.valid = true, .kernel = (uint8_t)kernel, .record = *record};
  sm->any_fault = true;
}

// Kernels killed by this cycle's faults; their records.
static uint32_t take_faults(struct qsm_sm *sm, uint64_t c) {
  if (!sm->any_fault) return 0;
  uint32_t kernels = 0;
  for (uint32_t i = 0; i < 1 + sm->n_subs; i++) {
    struct qsm_fault_event *event = &sm->fault_event[i];
    if (event->valid && !(kernels >> event->kernel & 1)) {
      kernels |= 1u << event->kernel;
      sm->fault[event->kernel] = event->record;
    }
    event->valid = false;
  }
  sm->any_fault = false;
  sm->out.fault[sm->out.n_fault++] = (struct qsm_fault_pulse){.cycle = c + 1, .kernels = kernels};
  uint32_t k = qsm_ctz(kernels);
  const struct qsm_fault *f = &sm->fault[k];
  QSM_EMIT(sm, c, QSM_EV_FAULT, 0, k, f->cause, f->pc, f->tid, f->block, f->value);
  return kernels;
}

// The kernels' warps stop issuing with the next cycle, at whose end they are wiped.
static void kill(struct qsm_sm *sm, uint32_t kernels, uint64_t c) {
  sm->killed |= kernels;
  sm->to_wipe |= kernels;
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    struct qsm_subcore *sc = sm->sub[i];
    qsm_subcore_wake(sc, c + 1);
    for (uint32_t left = kernels; left; left &= left - 1)
      sc->killed |= sc->of_kernel[qsm_ctz(left)];
    for (uint32_t warps = sc->killed & sc->resident; warps; warps &= warps - 1)
      qsm_subcore_refresh(sc, qsm_ctz(warps), c + 1);
  }
}

// R-WS-9 in the first cycle of a kill. In later ones there is nothing left to do: no warp of the
// kernel issues, resolves, selects, is released or starts with a live lane.
static void wipe(struct qsm_sm *sm, uint32_t kernels, uint64_t c) {
  for (; kernels; kernels &= kernels - 1) {
    uint32_t kernel = qsm_ctz(kernels);
    for (uint32_t i = 0; i < sm->n_subs; i++) qsm_warp_wipe(sm->sub[i], kernel, c);
    for (uint32_t s = 0; s < sm->n_tbs; s++) {
      if (!sm->tb[s].valid || sm->tb[s].kernel != kernel) continue;
      sm->tb[s].arrived = 0;
      qsm_sm_update_tb(sm, s);
    }
  }
}

// ---- one cycle ----

static uint32_t n_messages(const struct qsm_sm *sm, uint64_t c) {
  uint32_t n = 0;
  while (n < sm->msg_count && sm->msg[(sm->msg_head + n) % QSM_MAX_MSGS].cycle == c) n++;
  return n;
}

static const struct qsm_sm_msg *message(const struct qsm_sm *sm, uint32_t i) {
  return &sm->msg[(sm->msg_head + i) % QSM_MAX_MSGS];
}

static void read_messages(const struct qsm_sm *sm, uint32_t n, struct qsm_inbox *in) {
  for (uint32_t i = 0; i < n; i++) {
    const struct qsm_sm_msg *msg = message(sm, i);
    uint32_t bit = 1u << msg->kernel;
    switch ((enum qsm_sm_msg_kind)msg->kind) {
      case QSM_MSG_START: in->start |= bit; break;
      case QSM_MSG_KILL: in->kill |= bit; break;
      case QSM_MSG_DISPATCH:
        in->arrive |= bit;
        if (msg->op == QSM_TB_RESTORE) in->restore |= bit;
        break;
      case QSM_MSG_SAVE: break;  // like a quota word
      case QSM_MSG_TICK: in->tick = true; break;
      case QSM_MSG_SAMPLE: in->sample = true; break;
      case QSM_MSG_QUOTA_WORD: break;  // only acts at the end of the cycle
      case QSM_MSG_QUOTA_LOAD:
        in->load = true;
        in->scheme = msg->scheme;
        break;
      case QSM_MSG_ICACHE_INV: in->icache_inv = true; break;
    }
  }
}

// What dispatch, save and quota words do at the end of their cycle.
static void consume_messages(struct qsm_sm *sm, uint32_t n, uint64_t c) {
  for (uint32_t i = 0; i < n; i++) {
    const struct qsm_sm_msg *msg = message(sm, i);
    if (msg->kind == QSM_MSG_DISPATCH) arrive(sm, msg, c);
    if (msg->kind == QSM_MSG_SAVE) qsm_tb_save_begin(sm, msg);
    if (msg->kind == QSM_MSG_QUOTA_WORD) qsm_quota_word(sm, msg);
  }
  sm->msg_head = (sm->msg_head + n) % QSM_MAX_MSGS;
  sm->msg_count -= n;
}

static const struct qsm_mem_rsp *response_of(const struct qsm_sm *sm, uint64_t c) {
  const struct qsm_mem_rsp *rsp = &sm->rsp[sm->rsp_head];
  return sm->rsp_count && rsp->cycle == c ? rsp : NULL;
}

// A sub-core that gets a line in this cycle does not fetch in it, and an L1 that does writes no
// other.
static void announce_fill(struct qsm_sm *sm, uint64_t c) {
  const struct qsm_mem_rsp *rsp = response_of(sm, c);
  if (rsp && rsp->tag >= sm->n_txns)
    sm->sub[rsp->tag - sm->n_txns]->filling = true;
  else if (rsp && sm->l1)
    sm->l1->filling = sm->lsu.txn[rsp->tag].line;
}

// R-SM-9.
static void take_response(struct qsm_sm *sm, uint64_t c) {
  const struct qsm_mem_rsp *rsp = response_of(sm, c);
  if (!rsp) return;
  QSM_EMIT(sm, c, QSM_EV_RSP, 0, rsp->tag);
  if (rsp->tag >= sm->n_txns) {
    qsm_fetch_fill(sm->sub[rsp->tag - sm->n_txns], sm->fetched[rsp->tag - sm->n_txns], c);
  } else {
    qsm_lsu_respond(sm, rsp->tag);
  }
  sm->rsp_head = (sm->rsp_head + 1) % QSM_MAX_RSPS;
  sm->rsp_count--;
}

static uint32_t missing_subcores(const struct qsm_sm *sm) {
  uint32_t subs = 0;
  for (uint32_t i = 0; i < sm->n_subs; i++)
    subs |= (uint32_t)(sm->sub[i]->miss.state != QSM_MISS_IDLE) << i;
  return subs;
}

__attribute__((noinline)) static void wake_by_timer(struct qsm_sm *sm, uint64_t c) {
  sm->timer_at = QSM_NEVER;
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    struct qsm_subcore *sc = sm->sub[i];
    if (!sc->asleep) continue;
    if (sc->wake_at == c)
      qsm_subcore_wake(sc, c);
    else if (sc->wake_at < sm->timer_at)
      sm->timer_at = sc->wake_at;
  }
}

static void step_subcores(struct qsm_sm *sm, uint64_t c) {
  if (c >= sm->timer_at) wake_by_timer(sm, c);
  for (uint32_t subs = sm->awake; subs; subs &= subs - 1)
    qsm_subcore_step(sm->sub[qsm_ctz(subs)], c);
}

// No block or warp begins, ends, is saved or released, no wipe begins, and no fetch goes out.
static bool settled(const struct qsm_sm *sm) {
  return !(sm->tb_releasable | sm->tb_retirable | wipeable(sm) | sm->to_wipe | sm->fetch_pend |
           sm->launch_count | sm->save.op);
}

// step() where the SM is settled and gets nothing: only sub-cores, load/store unit, L1 and quotas
// act, and faults that they raise.
static void step_calm(struct qsm_sm *sm, uint64_t c) {
  static const struct qsm_inbox nothing;
  step_subcores(sm, c);
  if (sm->lsu.awake) qsm_lsu_step(sm, c, true);
  if (sm->quota.issued || !qsm_quota_only_counts(sm)) qsm_quota_step(sm, &nothing, c);
  if (sm->l1) qsm_l1_end(sm, &nothing, c);
  if (sm->any_fault) kill(sm, take_faults(sm, c), c);
}

static void step(struct qsm_sm *sm, uint64_t c) {
  // Decisions on the registers of the start of the cycle.
  uint32_t n_msgs = n_messages(sm, c);
  struct qsm_inbox in = {0};
  if (n_msgs) {
    read_messages(sm, n_msgs, &in);
    if (in.sample) qsm_idle_sampler_add_candidates(sm);
  }
  uint32_t releasable = sm->tb_releasable, retirable = sm->tb_retirable, to_wipe = sm->to_wipe,
           fetch_pend = sm->fetch_pend;
  uint32_t unclean = wipeable(sm);
  uint32_t missing = in.icache_inv ? missing_subcores(sm) : 0;
  struct launch launch = decide_launch(sm);
  bool saving = sm->save.op != QSM_TB_NEW;
  sm->to_wipe = 0;
  if (saving) qsm_tb_save_decide(sm, &in, c);

  announce_fill(sm, c);
  step_subcores(sm, c);
  if (sm->lsu.awake) qsm_lsu_step(sm, c, fetch_pend == 0);
  if (fetch_pend) send_fetch(sm, qsm_ctz(fetch_pend), c);

  // The end of the cycle. Quotas go by the TB table of its start; a kill and a wipe win over
  // everything else.
  qsm_quota_step(sm, &in, c);
  take_response(sm, c);
  if (sm->l1) qsm_l1_end(sm, &in, c);
  if (in.icache_inv) {
    for (uint32_t i = 0; i < sm->n_subs; i++) qsm_fetch_invalidate(sm->sub[i], missing >> i & 1);
  }
  if (releasable) release(sm, releasable, c);
  if (launch.valid) launch_warp(sm, &launch, c);
  if (retirable) retire(sm, qsm_ctz(retirable), c);
  if (sm->wipe.ends_at == c) end_wipe(sm);
  if (unclean) begin_wipe(sm, qsm_ctz(unclean), c);
  if (n_msgs) {
    if (in.sample) qsm_idle_sampler_end(sm, &in, c);
    consume_messages(sm, n_msgs, c);
  }
  if (to_wipe) wipe(sm, to_wipe, c);
  uint32_t killed = take_faults(sm, c) | in.kill;
  if (killed) kill(sm, killed, c);
  sm->killed &= ~(in.start & ~in.kill);
  if (saving | (sm->save.op != QSM_TB_NEW)) qsm_tb_save_end(sm, c);
}

// Of a settled SM: nothing happens in the next cycle unless an input or a timer says so.
static bool rests(const struct qsm_sm *sm) {
  return !sm->awake && !sm->lsu.awake && !qsm_quota_busy(sm);
}

// The next cycle in which a message, a response or the end of a wipe is due.
static uint64_t next_input(const struct qsm_sm *sm) {
  uint64_t message = sm->msg_count ? sm->msg[sm->msg_head].cycle : QSM_NEVER;
  uint64_t response = sm->rsp_count ? sm->rsp[sm->rsp_head].cycle : QSM_NEVER;
  uint64_t first = message < response ? message : response;
  return first < sm->wipe.ends_at ? first : sm->wipe.ends_at;
}

static uint64_t next_timer(const struct qsm_sm *sm) {
  return sm->timer_at < sm->quota.timed_start_at ? sm->timer_at : sm->quota.timed_start_at;
}

uint64_t qsm_sm_next_event(const struct qsm_sm *sm) {
  if (!settled(sm) || !rests(sm)) return sm->next_cycle;
  uint64_t input = next_input(sm), timer = next_timer(sm);
  return input < timer ? input : timer;
}

static void reschedule(struct qsm_sm *sm, uint64_t from) {
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    struct qsm_subcore *sc = sm->sub[i];
    sc->sched.grouping |= qsm_policy_has_state(sm->shared->policy);
    qsm_subcore_wake(sc, from);
  }
}

void qsm_sm_run(struct qsm_sm *sm, uint64_t from, uint64_t to) {
  sm->out.n_req = 0;
  sm->out.n_retire = 0;
  sm->out.n_fault = 0;
  sm->out.restored = false;
  if (sm->quota.qos_mask != sm->shared->qos_mask) qsm_quota_gate(sm, from);
  if (sm->shared->resched_at == from) reschedule(sm, from);
  uint64_t input = next_input(sm);  // all that reaches the SM before `to` is there
  for (uint64_t c = from; c < to; c++) {
    if (settled(sm)) {
      if (rests(sm)) {
        uint64_t timer = next_timer(sm);
        c = input < timer ? input : timer;
        if (c >= to) break;
      }
      if (c != input) {
        step_calm(sm, c);
        continue;
      }
    }
    step(sm, c);
    input = next_input(sm);
  }
  sm->next_cycle = to;
}
