// SPDX-License-Identifier: Apache-2.0
// One SM of the golden model: its cycle and its messages (docs/sm.md).
#include "qsm_sm.h"

#include <stdlib.h>
#include <string.h>

#include "qsm_sm_blocks.h"

// ---- create, destroy ----

void *qsm_sm_zeroed(size_t n, size_t size) {
  size_t bytes = (n * size + 63) / 64 * 64;
  void *p = aligned_alloc(64, bytes);
  if (p) memset(p, 0, bytes);
  return p;
}

static void set_sizes(struct qsm_sm *sm, const struct qsm_config *config) {
  sm->n_subs = config->num_sched;
  sm->n_warps = qsm_config_warps_per_sched(config);
  sm->n_lanes = config->warp_size;
  sm->n_div_lanes = config->div_lanes ? config->div_lanes : config->warp_size;
  sm->n_kernels = config->num_kernels;
  sm->n_tbs = config->max_tbs;
  sm->n_txns = config->mem_txns;
  sm->line_bytes = qsm_config_line_bytes(config);
  sm->line_shift = qsm_ctz(sm->line_bytes);
  sm->n_lines = config->icache_lines;
  sm->sb_full = (1u << config->sb_entries) - 1;
  sm->fp_lat = config->fpu ? QSM_FP_LAT : 0;
  sm->debt_max = 1;
  while ((uint32_t)sm->debt_max < 4 * sm->n_kernels * sm->n_subs * sm->n_lanes) sm->debt_max *= 2;
}

struct qsm_sm *qsm_sm_create(const struct qsm_sm_shared *shared, struct qsm_code *code,
                             uint32_t index) {
  const struct qsm_config *config = shared->config;
  struct qsm_sm *sm = qsm_sm_zeroed(1, sizeof *sm);
  if (!sm) return NULL;
  sm->shared = shared;
  sm->code = code;
  sm->index = index;
  set_sizes(sm, config);
  qsm_energy_create(&sm->energy, config);
  sm->timer_at = QSM_NEVER;
  qsm_wipe_reset(&sm->wipe);
  qsm_quota_reset(&sm->quota, sm->n_kernels);
  qsm_share_reset(&sm->share, config);
  if (config->l1_kib) sm->l1 = qsm_l1_create(config);
  bool ok = qsm_lsu_create(&sm->lsu, config) && (sm->l1 || !config->l1_kib);
  for (uint32_t i = 0; i < sm->n_subs && ok; i++)
    ok = (sm->sub[i] = qsm_subcore_create(sm, i)) != NULL;
  if (ok) return sm;
  qsm_sm_destroy(sm);
  return NULL;
}

void qsm_sm_destroy(struct qsm_sm *sm) {
  if (!sm) return;
  for (uint32_t i = 0; i < QSM_MAX_SUBS; i++) qsm_subcore_destroy(sm->sub[i]);
  qsm_l1_destroy(sm->l1);
  qsm_lsu_destroy(&sm->lsu);
  free(sm);
}

// ---- messages in, messages out ----

void qsm_sm_send(struct qsm_sm *sm, const struct qsm_sm_msg *msg) {
  if (qsm_sm_power_loses(&sm->power, msg->kind)) return;
  if (msg->kind == QSM_MSG_WAKE) qsm_sm_power_note_call(&sm->power);
  sm->msg[(sm->msg_head + sm->msg_count++) % QSM_MAX_MSGS] = *msg;
}

const struct qsm_sm_out *qsm_sm_out(const struct qsm_sm *sm) { return &sm->out; }

// ---- what several blocks do together ----

// Slots of blocks of which nothing is left but their shared memory, as at the start of the cycle
// (R-SM-4).
static uint32_t over(const struct qsm_sm *sm) {
  uint32_t restored = sm->save.op == QSM_TB_RESTORE ? 1u << sm->save.tb : 0;  // R-PE-21
  return sm->launch.valid & sm->barrier.empty & ~restored;
}

// R-SM-3, likewise.
static uint32_t releasable(const struct qsm_sm *sm) {
  return sm->launch.valid & sm->barrier.complete;
}

static void release(struct qsm_sm *sm, uint32_t tbs, uint64_t c) {
  QSM_EMIT(sm, c, QSM_EV_RELEASE, 0, tbs);
  for (; tbs; tbs &= tbs - 1) {
    uint32_t s = qsm_ctz(tbs);
    for (uint32_t i = 0; i < sm->n_subs; i++) qsm_warp_release(sm->sub[i], s, c);
    qsm_barrier_clear(&sm->barrier, s);
  }
}

// R-SM-7: the kernels' warps stop issuing with the next cycle, at whose end they are wiped.
static void kill(struct qsm_sm *sm, uint32_t kernels, uint64_t c) {
  qsm_fault_kill(&sm->faults, kernels);
  for (uint32_t i = 0; i < sm->n_subs; i++) qsm_warp_kill(sm->sub[i], kernels, c + 1);
}

// R-WS-9 in the first cycle of a kill. Later cycles need no action: no warp of the kernel issues,
// resolves, selects a split, is released or starts with a live lane.
static void wipe_kernels(struct qsm_sm *sm, uint32_t kernels, uint64_t c) {
  for (uint32_t left = kernels; left; left &= left - 1) {
    for (uint32_t i = 0; i < sm->n_subs; i++) qsm_warp_wipe(sm->sub[i], qsm_ctz(left), c);
  }
  for (uint32_t slots = sm->launch.valid; slots; slots &= slots - 1) {
    uint32_t s = qsm_ctz(slots);
    if (kernels >> sm->launch.tb[s].kernel & 1) qsm_barrier_clear(&sm->barrier, s);
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
        in->keep = msg->keep;
        break;
      case QSM_MSG_ICACHE_INV: in->icache_inv = true; break;
      case QSM_MSG_GATE: in->gate = true; break;
      case QSM_MSG_WAKE: in->wake = true; break;
    }
  }
}

static void drop_messages(struct qsm_sm *sm, uint32_t n) {
  sm->msg_head = (sm->msg_head + n) % QSM_MAX_MSGS;
  sm->msg_count -= n;
}

// What dispatch, save and quota words do at the end of their cycle.
static void consume_messages(struct qsm_sm *sm, uint32_t n, uint64_t c) {
  for (uint32_t i = 0; i < n; i++) {
    const struct qsm_sm_msg *msg = message(sm, i);
    if (msg->kind == QSM_MSG_DISPATCH) qsm_tb_launch_arrive(sm, msg, c);
    if (msg->kind == QSM_MSG_SAVE) qsm_tb_save_begin(sm, msg);
    if (msg->kind == QSM_MSG_QUOTA_WORD && !sm->power.woken) qsm_quota_take_word(&sm->quota, msg);
  }
  drop_messages(sm, n);
}

static uint32_t missing_subcores(const struct qsm_sm *sm) {
  uint32_t subs = 0;
  for (uint32_t i = 0; i < sm->n_subs; i++)
    subs |= (uint32_t)(sm->sub[i]->fetch.miss.state != QSM_MISS_IDLE) << i;
  return subs;
}

__attribute__((noinline)) static void wake_by_timer(struct qsm_sm *sm, uint64_t c) {
  sm->timer_at = QSM_NEVER;
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    struct qsm_subcore *sc = sm->sub[i];
    if (qsm_subcore_is_due(sc, c)) qsm_subcore_wake(sc, c);
    if (sc->asleep) qsm_sm_note_asleep(sm, i, sc->wake_at);
  }
}

static void step_subcores(struct qsm_sm *sm, uint64_t c) {
  if (c >= sm->timer_at) wake_by_timer(sm, c);
  for (uint32_t subs = sm->awake; subs; subs &= subs - 1)
    qsm_subcore_step(sm->sub[qsm_ctz(subs)], c);
}

// No block or warp begins, ends, is saved or released, no wipe begins, no fetch goes out, and no
// sample is added.
static bool settled(const struct qsm_sm *sm) {
  // Blocks that are over: one that is being restored is not, but then save.op is set.
  uint32_t ended = sm->launch.valid & sm->barrier.empty;
  if (qsm_wipe_runs(&sm->wipe)) ended &= sm->wipe.clean;  // the others wait for its end
  return !(releasable(sm) | ended | sm->faults.to_wipe | sm->port.fetch_pend | sm->launch.count |
           sm->save.op | sm->idle_sampler.adds);
}

// step() where the SM is settled and gets nothing. All that step() does besides this acts on what
// settled() has found absent, or on a message or response: on those only sub-cores, load/store
// unit, L1 and quotas act by themselves, and faults that they raise. Load/store unit and quotas say
// themselves when a step would change nothing.
static void step_calm(struct qsm_sm *sm, uint64_t c) {
  static const struct qsm_inbox nothing;
  step_subcores(sm, c);
  if (sm->lsu.awake) qsm_lsu_step(sm, c, true);
  if (sm->share.moved) qsm_share_settle(sm, c + 1);
  if (!qsm_quota_may_skip(&sm->quota, sm->launch.runnable, sm->shared->qos_mask))
    qsm_quota_step(sm, &nothing, c);
  if (sm->l1) qsm_l1_end(sm, &nothing, c);
  if (sm->faults.any) kill(sm, qsm_fault_take(sm, c), c);
}

static inline __attribute__((always_inline)) void step(struct qsm_sm *sm, uint64_t c) {
  // Decisions on the registers of the start of the cycle.
  uint32_t n_msgs = n_messages(sm, c);
  struct qsm_inbox in = {0};
  if (n_msgs) {
    read_messages(sm, n_msgs, &in);
    if (in.sample) qsm_idle_sampler_see_candidates(sm);
  }
  uint32_t ended = over(sm), complete = releasable(sm), retirable = ended & sm->wipe.clean,
           unclean = qsm_wipe_wants(&sm->wipe, ended);
  uint32_t to_wipe = qsm_fault_take_to_wipe(&sm->faults), fetch_pend = sm->port.fetch_pend;
  uint32_t missing = in.icache_inv ? missing_subcores(sm) : 0;
  struct qsm_launch launch = qsm_tb_launch_decide(sm);
  bool saving = sm->save.op != QSM_TB_NEW;
  if (saving) qsm_tb_save_decide(sm, &in, c);

  qsm_mem_port_announce(sm, c);
  step_subcores(sm, c);
  if (sm->lsu.awake) qsm_lsu_step(sm, c, fetch_pend == 0);
  if (sm->share.moved) qsm_share_settle(sm, c + 1);
  if (fetch_pend) qsm_mem_port_send_fetch(sm, qsm_ctz(fetch_pend), c);

  // The end of the cycle. Quotas go by the TB table of its start; a kill and a wipe win over
  // everything else.
  qsm_quota_step(sm, &in, c);
  qsm_mem_port_respond(sm, c);
  if (sm->l1) qsm_l1_end(sm, &in, c);
  if (in.icache_inv) {
    for (uint32_t i = 0; i < sm->n_subs; i++) qsm_fetch_invalidate(sm->sub[i], missing >> i & 1);
  }
  if (complete) release(sm, complete, c);
  if (launch.valid) qsm_tb_launch_warp(sm, &launch, c);
  if (retirable) qsm_tb_launch_retire(sm, qsm_ctz(retirable), c);
  if (sm->wipe.ends_at == c) qsm_wipe_end(sm);
  if (unclean) qsm_wipe_begin(sm, qsm_ctz(unclean), c);
  if (in.sample | sm->idle_sampler.adds) qsm_idle_sampler_end(sm, &in, c);
  if (n_msgs) consume_messages(sm, n_msgs, c);
  if (in.tick) qsm_sm_power_note_tick(&sm->power);
  if (to_wipe) wipe_kernels(sm, to_wipe, c);
  uint32_t killed = qsm_fault_take(sm, c) | in.kill;
  if (killed) kill(sm, killed, c);
  qsm_fault_start(&sm->faults, in.start & ~in.kill);
  if (saving | (sm->save.op != QSM_TB_NEW)) qsm_tb_save_end(sm, c);
  if (in.gate) qsm_sm_power_stop(&sm->power);
}

// ---- without power ----

// R-PG-3: a quiet SM loses its state, at the end of a cycle.
static void lose_state(struct qsm_sm *sm) {
  for (uint32_t i = 0; i < sm->n_subs; i++) qsm_subcore_reset(sm->sub[i]);
  qsm_lsu_reset(&sm->lsu, sm->shared->config);
  if (sm->l1) qsm_l1_reset(sm->l1);
  qsm_fault_take_to_wipe(&sm->faults);
  qsm_wipe_reset(&sm->wipe);
  qsm_quota_reset(&sm->quota, sm->n_kernels);
  qsm_share_reset(&sm->share, sm->shared->config);
  memset(&sm->barrier, 0, sizeof sm->barrier);
  memset(&sm->launch, 0, sizeof sm->launch);
  memset(&sm->save, 0, sizeof sm->save);
  memset(&sm->idle_sampler, 0, sizeof sm->idle_sampler);
  sm->timer_at = QSM_NEVER;
}

// What others may have changed meanwhile, as of cycle `from`.
static void look_again(struct qsm_sm *sm, uint64_t from) {
  qsm_quota_gate(sm, from);
  for (uint32_t i = 0; i < sm->n_subs; i++) qsm_subcore_reschedule(sm->sub[i], from);
}

// The next cycle in which anything happens while there is no clock.
static uint64_t next_unclocked(const struct qsm_sm *sm) {
  uint64_t message = sm->msg_count ? sm->msg[sm->msg_head].cycle : QSM_NEVER;
  uint64_t power = qsm_sm_power_next(&sm->power);
  return message < power ? message : power;
}

static void step_unclocked(struct qsm_sm *sm, uint64_t c) {
  struct qsm_inbox in = {0};
  uint32_t n_msgs = n_messages(sm, c);
  read_messages(sm, n_msgs, &in);
  drop_messages(sm, n_msgs);
  qsm_sm_power_step(sm, &in, c);
  if (sm->power.state == QSM_POWER_ON) look_again(sm, c + 1);
}

__attribute__((noinline)) static void step_stopping(struct qsm_sm *sm, uint64_t c) {
  bool quiet = qsm_sm_power_is_quiet(sm);
  step(sm, c);
  if (!quiet) return;
  qsm_sm_power_cut(sm, c);
  lose_state(sm);
}

// From cycle `from` until the SM is on, or until `to`: returns the first cycle that it did not do.
static uint64_t run_powerless(struct qsm_sm *sm, uint64_t from, uint64_t to) {
  for (uint64_t c = from; c < to; c++) {
    if (sm->power.state == QSM_POWER_ON) return c;
    if (sm->power.state == QSM_POWER_STOPPING) {
      step_stopping(sm, c);
      continue;
    }
    uint64_t next = next_unclocked(sm);
    if (next >= to) break;
    c = next > c ? next : c;
    step_unclocked(sm, c);
  }
  return to;
}

// Of a settled SM: nothing happens in the next cycle unless an input or a timer says so, as all
// that step_calm() does is done by who is awake or busy here. Such cycles are passed over.
static bool rests(const struct qsm_sm *sm) {
  return !sm->awake && !sm->lsu.awake && !qsm_quota_busy(sm);
}

// The next cycle in which a message, a response or the end of a wipe is due.
static uint64_t next_input(const struct qsm_sm *sm) {
  uint64_t message = sm->msg_count ? sm->msg[sm->msg_head].cycle : QSM_NEVER;
  uint64_t response = qsm_mem_port_next(&sm->port);
  uint64_t first = message < response ? message : response;
  return first < sm->wipe.ends_at ? first : sm->wipe.ends_at;
}

static uint64_t next_timer(const struct qsm_sm *sm) {
  return sm->timer_at < sm->quota.timed_start_at ? sm->timer_at : sm->quota.timed_start_at;
}

__attribute__((noinline)) static uint64_t next_powerless(const struct qsm_sm *sm) {
  return sm->power.state == QSM_POWER_STOPPING ? sm->next_cycle : next_unclocked(sm);
}

uint64_t qsm_sm_next_event(const struct qsm_sm *sm) {
  if (sm->power.state != QSM_POWER_ON) return next_powerless(sm);
  if (!settled(sm) || !rests(sm)) return sm->next_cycle;
  uint64_t input = next_input(sm), timer = next_timer(sm);
  return input < timer ? input : timer;
}

// From cycle `from` to `to`, or until the SM is told to stop: returns the first cycle that it did
// not do.
static uint64_t run_clocked(struct qsm_sm *sm, uint64_t from, uint64_t to) {
  if (sm->quota.qos_mask != sm->shared->qos_mask) qsm_quota_gate(sm, from);
  if (sm->shared->resched_at == from) {
    for (uint32_t i = 0; i < sm->n_subs; i++) qsm_subcore_reschedule(sm->sub[i], from);
  }
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
    if (sm->power.state != QSM_POWER_ON) return c + 1;
    input = next_input(sm);
  }
  return to;
}

void qsm_sm_run(struct qsm_sm *sm, uint64_t from, uint64_t to) {
  sm->out.n_req = 0;
  sm->out.n_retire = 0;
  sm->out.n_fault = 0;
  sm->out.n_fence = 0;
  sm->out.restored = false;
  sm->out.told_power = false;
  for (uint64_t c = from; c < to;)
    c = sm->power.state == QSM_POWER_ON ? run_clocked(sm, c, to) : run_powerless(sm, c, to);
  sm->next_cycle = to;
}

// A thread block on its way from the TB scheduler.
bool qsm_sm_flip_dispatch(struct qsm_flip *flip, struct qsm_sm *sm) {
  for (uint32_t i = 0; i < sm->msg_count; i++) {
    struct qsm_sm_msg *msg = &sm->msg[(sm->msg_head + i) % QSM_MAX_MSGS];
    if (msg->kind != QSM_MSG_DISPATCH) continue;
    qsm_flip_bit(flip, &msg->linear, qsm_flip_draw(flip, 8), "linear block of dispatched slot",
                 msg->tb);
    return true;
  }
  return false;
}
