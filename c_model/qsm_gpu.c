// SPDX-License-Identifier: Apache-2.0
// The GPU as a whole (docs/machine.md). Every path between an SM and anything else takes NocLat
// cycles, so each SM runs a window of up to NocLat cycles alone; then the blocks of the GPU level
// run the same cycles, with what the SMs sent in earlier windows, and send what the SMs see in
// later ones. Both levels skip cycles in which nothing can happen.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_bus.h"
#include "qsm_code.h"
#include "qsm_ctrl.h"
#include "qsm_fpu.h"
#include "qsm_front.h"
#include "qsm_mem.h"
#include "qsm_model.h"
#include "qsm_qos_mgr.h"
#include "qsm_sm.h"
#include "qsm_sm_mgr.h"
#include "qsm_sm_owner.h"
#include "qsm_tb_sched.h"
#include "qsm_xbar.h"

struct qsm_model {
  struct qsm_config config;
  uint64_t cycle;  // next to run
  // What is done in the next cycle (R-CP-14): an access of the host's, or this write of the front
  // end's.
  bool host_chosen, front_chosen;
  struct qsm_front_write write;
  bool wake_all;  // a direct signal, or the state behind the crossbar, may have changed: times of
                  // next events are not valid
  struct qsm_bus bus;
  struct qsm_mem *mem;
  struct qsm_dram *dram;  // NULL: none
  struct qsm_port port;
  struct qsm_sa_cache *sa;  // NULL: no shader arrays
  struct qsm_l2 *l2;        // NULL: none
  struct qsm_xbar *xbar;
  struct qsm_tb_sched *tb_sched;
  struct qsm_qos_mgr *qos_mgr;
  struct qsm_sm_mgr *sm_mgr;
  struct qsm_front *front;   // NULL: no command channels
  const bool *front_active;  // false without them
  struct qsm_ctrl ctrl;
  struct qsm_code *code;
  struct qsm_sm *sm[QSM_MAX_SMS];
  qsm_event_sink sink;
  void *sink_ctx;
  bool irq;  // the last level that was reported
  bool hashing;
  uint64_t hash;  // of the GPU level's events
};

// ---- What the blocks of the GPU level see of the SMs and of the event stream ----

static void bus_send(void *ctx, uint32_t sm, const struct qsm_sm_msg *msg) {
  struct qsm_model *model = ctx;
  if (model->sa) qsm_sa_note(model->sa, sm, msg);
  qsm_sm_send(model->sm[sm], msg);
}

static uint32_t *bus_push_response(void *ctx, uint32_t sm, uint64_t cycle, uint8_t tag) {
  struct qsm_model *model = ctx;
  if (sm == model->config.num_sms) return qsm_front_push_response(model->front, cycle, tag);
  return qsm_sm_push_response(model->sm[sm], cycle, tag);
}

static uint32_t bus_snap_insn(void *ctx, uint32_t sm, uint32_t kernel) {
  const struct qsm_model *model = ctx;
  return qsm_sm_snap_insn(model->sm[sm], kernel);
}

static int32_t bus_snap_c(void *ctx, uint32_t sm, uint32_t kernel) {
  const struct qsm_model *model = ctx;
  return qsm_sm_snap_c(model->sm[sm], kernel);
}

static uint64_t bus_insns(void *ctx, uint32_t sm, uint32_t kernel) {
  const struct qsm_model *model = ctx;
  return qsm_sm_insns(model->sm[sm], kernel);
}

static uint32_t bus_snap_idle(void *ctx, uint32_t sm, uint32_t kernel) {
  const struct qsm_model *model = ctx;
  return qsm_sm_snap_idle(model->sm[sm], kernel);
}

static uint64_t mix_event(uint64_t hash, const struct qsm_event *event) {
  hash = qsm_hash_mix(qsm_hash_mix(hash, event->cycle), (uint64_t)event->kind << 8 | event->sm);
  for (uint32_t i = 0; i < event->n_words; i++) hash = qsm_hash_mix(hash, event->word[i]);
  return hash;
}

// What requests carry, and the interrupt's level, are not in the hash: both follow from what is,
// and profiles are kept by their hash.
static bool is_hashed(uint8_t kind) { return kind != QSM_EV_MEM_LINE && kind != QSM_EV_IRQ; }

static void bus_emit(void *ctx, const struct qsm_event *event) {
  struct qsm_model *model = ctx;
  if (model->hashing && is_hashed(event->kind)) model->hash = mix_event(model->hash, event);
  if (model->sink) model->sink(model->sink_ctx, event);
}

// ---- What the SM manager sees of the TB scheduler ----

static const struct qsm_sm_usage *port_usage(void *ctx, uint32_t sm) {
  const struct qsm_model *model = ctx;
  return qsm_sm_owner_of(qsm_tb_sched_sm_owner(model->tb_sched), sm);
}

static uint32_t port_part(void *ctx) {
  const struct qsm_model *model = ctx;
  return qsm_tb_sched_part(model->tb_sched);
}

static uint32_t port_tbs(void *ctx, uint32_t sm, uint32_t kernel) {
  const struct qsm_model *model = ctx;
  return qsm_tb_sched_sharing(model->tb_sched, sm, kernel);
}

static uint64_t port_move_cycles(void *ctx, uint64_t cycle) {
  const struct qsm_model *model = ctx;
  return qsm_sm_owner_move_cycles(qsm_tb_sched_sm_owner(model->tb_sched), cycle);
}

static void port_request(void *ctx, uint64_t cycle, uint32_t sm, uint32_t usage, uint32_t owner) {
  const struct qsm_model *model = ctx;
  qsm_sm_owner_request(qsm_tb_sched_sm_owner(model->tb_sched), cycle, sm, usage, owner);
}

// ---- Creation ----

static int create_memory(struct qsm_model *model) {
  const struct qsm_config *config = &model->config;
  if (qsm_mem_create(config, &model->mem) != 0) return -1;
  if (config->dram_banks && !(model->dram = qsm_dram_create(config, model->mem, &model->bus)))
    return -1;
  model->port = (struct qsm_port){.mem = model->mem, .dram = model->dram, .bus = &model->bus};
  if (config->l2_kib && !(model->l2 = qsm_l2_create(config, &model->port, &model->bus))) return -1;
  if (config->num_sas &&
      !(model->sa = qsm_sa_create(config, model->ctrl.regs.shared.cache_policy, &model->bus)))
    return -1;
  model->xbar = qsm_xbar_create(config, model->sa, model->l2, &model->port, &model->bus);
  return model->xbar ? 0 : -1;
}

static int create_blocks(struct qsm_model *model) {
  const struct qsm_config *config = &model->config;
  if (create_memory(model) != 0) return -1;
  model->tb_sched = qsm_tb_sched_create(&model->ctrl.regs, &model->bus);
  model->code = qsm_code_create(config);
  model->qos_mgr = qsm_qos_mgr_create(&model->ctrl.regs, model->tb_sched, &model->bus);
  const struct qsm_sm_ports ports = {.ctx = model,
                                     .usage = port_usage,
                                     .part = port_part,
                                     .tbs = port_tbs,
                                     .move_cycles = port_move_cycles,
                                     .request = port_request};
  model->sm_mgr = qsm_sm_mgr_create(&model->ctrl.regs, &ports, &model->bus);
  if (!model->tb_sched || !model->qos_mgr || !model->sm_mgr || !model->code) return -1;
  qsm_sm_owner_set_apart(qsm_tb_sched_sm_owner(model->tb_sched), qsm_sm_mgr_apart(model->sm_mgr));
  if (config->cmd_channels) {
    model->front = qsm_front_create(&model->ctrl.regs, model->tb_sched, model->xbar, &model->bus);
    if (!model->front) return -1;
    model->front_active = qsm_front_active(model->front);
  }
  for (uint32_t i = 0; i < config->num_sms; i++) {
    model->sm[i] = qsm_sm_create(&model->ctrl.regs.shared, model->code, i);
    if (!model->sm[i]) return -1;
  }
  model->ctrl.tb_sched = model->tb_sched;
  model->ctrl.qos_mgr = model->qos_mgr;
  model->ctrl.sm_mgr = model->sm_mgr;
  model->ctrl.sms = model->sm;
  model->ctrl.sa = model->sa;
  model->ctrl.l2 = model->l2;
  model->ctrl.dram = model->dram;
  model->ctrl.front = model->front;
  return 0;
}

static const bool never = false;

int qsm_model_create(const struct qsm_config *config, struct qsm_model **out, char *msg,
                     size_t msg_len) {
  if (qsm_config_check(config, msg, msg_len) != 0) return -1;
  struct qsm_model *model = calloc(1, sizeof *model);
  if (!model) goto no_memory;
  model->config = *config;
  model->front_active = &never;
  model->bus = (struct qsm_bus){.ctx = model,
                                .send = bus_send,
                                .push_response = bus_push_response,
                                .snap_insn = bus_snap_insn,
                                .snap_c = bus_snap_c,
                                .insns = bus_insns,
                                .snap_idle = bus_snap_idle,
                                .emit = bus_emit};
  qsm_ctrl_reset(&model->ctrl, &model->config);
  if (create_blocks(model) != 0) goto no_memory;
  *out = model;
  return 0;
no_memory:
  qsm_model_destroy(model);
  snprintf(msg, msg_len, "no memory for a GPU of %u SMs with %u bytes of device memory",
           config->num_sms, config->mem_bytes);
  return -1;
}

void qsm_model_destroy(struct qsm_model *model) {
  if (!model) return;
  for (uint32_t i = 0; i < model->config.num_sms; i++) qsm_sm_destroy(model->sm[i]);
  qsm_code_destroy(model->code);
  qsm_front_destroy(model->front);
  qsm_sm_mgr_destroy(model->sm_mgr);
  qsm_qos_mgr_destroy(model->qos_mgr);
  qsm_tb_sched_destroy(model->tb_sched);
  qsm_xbar_destroy(model->xbar);
  qsm_sa_destroy(model->sa);
  qsm_l2_destroy(model->l2);
  qsm_dram_destroy(model->dram);
  qsm_mem_destroy(model->mem);
  free(model);
}

// ---- Time ----

// Hands what an SM sent in its last window to the blocks that will see it.
static void collect(struct qsm_model *model, uint32_t sm) {
  const struct qsm_sm_out *out = qsm_sm_out(model->sm[sm]);
  uint32_t noc_lat = model->config.noc_lat;
  for (uint32_t i = 0; i < out->n_req; i++) qsm_xbar_push(model->xbar, sm, &out->req[i]);
  for (uint32_t i = 0; i < out->n_retire; i++) {
    qsm_tb_sched_retire(model->tb_sched, out->retire[i].cycle + noc_lat, sm, out->retire[i].tb,
                        out->retire[i].saved);
  }
  if (out->told_power)
    qsm_tb_sched_power(model->tb_sched, out->power_at + noc_lat, sm, out->power_on);
  for (uint32_t i = 0; i < out->n_fence; i++)
    qsm_sa_note_fences(model->sa, sm, out->fence[i].cycle + noc_lat, out->fence[i].kernels);
  if (out->restored) qsm_tb_sched_restored(model->tb_sched, out->restored_at + noc_lat, sm);
  for (uint32_t i = 0; i < out->n_fault; i++) {
    for (uint32_t left = out->fault[i].kernels; left; left &= left - 1) {
      uint32_t k = qsm_lowest(left);
      qsm_tb_sched_fault(model->tb_sched, out->fault[i].cycle + noc_lat, sm, k,
                         qsm_sm_fault(model->sm[sm], k));
    }
  }
}

static void run_sms(struct qsm_model *model, uint64_t from, uint64_t to) {
  for (uint32_t i = 0; i < model->config.num_sms; i++) {
    if (!model->wake_all && qsm_sm_next_event(model->sm[i]) >= to) continue;
    qsm_sm_run(model->sm[i], from, to);
    collect(model, i);
  }
  model->wake_all = false;
}

// The manager comes before the TB scheduler, whose state of the cycle's start it keeps in E.
static uint32_t step_tb_sched(struct qsm_model *model, uint64_t cycle, uint32_t kill) {
  uint32_t started = qsm_tb_sched_starting(model->tb_sched);
  uint32_t ended = qsm_tb_sched_step(model->tb_sched, cycle, kill);
  if (started && model->l2) qsm_l2_clear_counters(model->l2, cycle, started);
  if (started && model->dram) qsm_dram_clear_counters(model->dram, started);
  for (uint32_t left = ended; left; left &= left - 1)
    qsm_qos_mgr_set_busy(model->qos_mgr, qsm_lowest(left), false, cycle + 1);
  return ended;
}

// True if the TB scheduler was told something. The SM manager learns of E before its own step.
static bool step_qos_mgr(struct qsm_model *model, uint64_t cycle) {
  uint32_t ep_len = 0, had_tb = 0;
  bool tells = qsm_qos_mgr_step(model->qos_mgr, cycle);
  if (qsm_qos_mgr_epoch_ended(model->qos_mgr, cycle, &ep_len, &had_tb)) {
    qsm_qos_mgr_note_ample(model->qos_mgr, qsm_sm_mgr_ample(model->sm_mgr));
    qsm_sm_mgr_end_epoch(model->sm_mgr, cycle, ep_len, had_tb);
  }
  return tells;
}

static uint64_t front_next(const struct qsm_model *model, uint64_t from) {
  return *model->front_active ? qsm_front_next(model->front, from) : QSM_NEVER;
}

// What an access does within its cycle, to the GPU level.
struct access {
  uint32_t kill;     // slots
  bool takes_table;  // of channels
};
static const struct access no_access;

// Cycles from .. to - 1 of the GPU level; an access belongs to the first. Returns the launches that
// ended.
static uint32_t run_gpu_level(struct qsm_model *model, uint64_t from, uint64_t to,
                              struct access access) {
  uint32_t ended = 0, kill = access.kill;
  uint64_t front_at = front_next(model, from);
  uint64_t xbar_at = qsm_xbar_next(model->xbar, from);
  uint64_t mgr_at = qsm_qos_mgr_next(model->qos_mgr, from);
  uint64_t sm_mgr_at = qsm_sm_mgr_next(model->sm_mgr, from);
  uint64_t tb_at = kill ? from : qsm_tb_sched_next(model->tb_sched, from);
  for (;;) {
    uint64_t cycle = qsm_earlier(qsm_earlier(xbar_at, mgr_at), qsm_earlier(sm_mgr_at, tb_at));
    if (front_at <= cycle && front_at < to) {
      // It looks at the launches of the cycle's start, so it comes before the TB scheduler.
      qsm_front_step(model->front, front_at, access.takes_table);
      front_at = front_next(model, front_at + 1);
      continue;
    }
    if (cycle >= to) return ended;
    if (cycle == xbar_at) {
      qsm_xbar_step(model->xbar, cycle);
      xbar_at = qsm_xbar_next(model->xbar, cycle + 1);
    }
    if (cycle == mgr_at) {
      bool tells = step_qos_mgr(model, cycle);
      mgr_at = qsm_qos_mgr_next(model->qos_mgr, cycle + 1);
      sm_mgr_at = qsm_sm_mgr_next(model->sm_mgr, cycle);
      if (tells && tb_at > cycle)
        tb_at =
            qsm_tb_sched_next(model->tb_sched, cycle);  // slots may fall idle, an adjustment start
    }
    const bool managed = cycle == sm_mgr_at;
    if (managed) {
      bool requests = qsm_sm_mgr_step(model->sm_mgr, cycle);
      sm_mgr_at = qsm_sm_mgr_next(model->sm_mgr, cycle + 1);
      if (requests && tb_at > cycle) tb_at = qsm_tb_sched_next(model->tb_sched, cycle);
    }
    if (cycle == tb_at) {
      ended |= step_tb_sched(model, cycle, kill);
      kill = 0;
      if (ended) front_at = front_next(model, cycle + 1);
      tb_at = qsm_tb_sched_next(model->tb_sched, cycle + 1);
      sm_mgr_at = qsm_sm_mgr_next(model->sm_mgr, cycle + 1);  // who takes part may have changed
    }
    if (managed && qsm_sm_mgr_end_cycle(model->sm_mgr))
      tb_at = qsm_tb_sched_next(model->tb_sched, cycle + 1);
  }
}

static uint32_t run_window(struct qsm_model *model, uint64_t to, struct access access) {
  if (model->wake_all) qsm_xbar_look_again(model->xbar);
  if (*model->front_active) qsm_front_look(model->front);
  run_sms(model, model->cycle, to);
  uint32_t ended = run_gpu_level(model, model->cycle, to, access);
  model->ctrl.regs.irq |= ended;
  model->cycle = to;
  return ended;
}

// First cycle from now on in which anything can happen. The SMs first: they are what is busy most
// of the time, and then nobody else need be asked.
static uint64_t next_event(const struct qsm_model *model) {
  uint64_t now = model->cycle, next = model->wake_all ? now : QSM_NEVER;
  for (uint32_t i = 0; i < model->config.num_sms && next > now; i++)
    next = qsm_earlier(next, qsm_sm_next_event(model->sm[i]));
  if (next <= now) return now;
  next = qsm_earlier(next, qsm_xbar_next(model->xbar, now));
  next = qsm_earlier(next, qsm_tb_sched_next(model->tb_sched, now));
  next = qsm_earlier(next, qsm_qos_mgr_next(model->qos_mgr, now));
  next = qsm_earlier(next, qsm_sm_mgr_next(model->sm_mgr, now));
  next = qsm_earlier(next, front_next(model, now));
  return next > now ? next : now;
}

static bool interrupts(const struct qsm_model *model) {
  return (model->ctrl.regs.irq || *model->front_active) && qsm_ctrl_interrupts(&model->ctrl);
}

// The level at the start of the next cycle, where it is another than before.
static void report_interrupt(struct qsm_model *model) {
  if (!model->sink || model->irq == interrupts(model)) return;
  model->irq = !model->irq;
  const uint32_t level = model->irq;
  qsm_bus_report(&model->bus, model->cycle, QSM_EV_IRQ, 0, 1, &level);
}

// Where a window ends at the latest: before the first register write of the front end, and behind
// the first interrupt that it sets.
static uint64_t after_front(const struct qsm_model *model) {
  uint64_t bound = qsm_front_bound(model->front, model->cycle);
  return bound > model->cycle ? bound : model->cycle + 1;
}

// The thread's settings of floating point may change from call to call.
static void look_at_host(struct qsm_model *model) {
  if (model->config.fpu) model->ctrl.regs.shared.host_floats = qsm_fpu_host_is_exact();
}

static void send_icache_inv(struct qsm_model *model) {
  struct qsm_sm_msg msg = {.cycle = model->cycle + model->config.noc_lat,
                           .kind = QSM_MSG_ICACHE_INV};
  qsm_bus_broadcast(&model->bus, model->config.num_sms, &msg);
}

// The next cycle is run, in which a register is written. Returns err.
static int write_register(struct qsm_model *model, uint32_t addr, uint32_t value,
                          struct access access) {
  uint64_t cycle = model->cycle;
  struct qsm_ctrl_effect effect;
  int err = qsm_ctrl_check_write(&model->ctrl, cycle, addr, value, &effect);
  if (effect.icache_inv) send_icache_inv(model);
  if (effect.launch) qsm_tb_sched_will_launch(model->tb_sched, effect.launch);
  if (effect.snapshot) qsm_front_take_snapshot(model->front, cycle);
  access.kill = effect.kill;
  uint32_t ended = run_window(model, cycle + 1, access);
  if (err) return err;
  qsm_ctrl_commit_write(&model->ctrl, cycle, addr, value, ended);
  model->wake_all = true;
  return 0;
}

// Likewise, of the front end (R-FR-11, R-FR-25).
static void run_front_write(struct qsm_model *model) {
  const struct qsm_front_write write = model->write;
  uint64_t cycle = model->cycle;
  bool again = qsm_ctrl_waits_for_quiet(&model->ctrl, cycle, write.addr);
  int err = write_register(model, write.addr, write.value, no_access);
  qsm_front_note_answer(model->front, cycle, &write,
                        again ? QSM_FRONT_AGAIN
                        : err ? QSM_FRONT_REFUSED
                              : QSM_FRONT_DONE);
}

// A write of the front end's can be chosen in the next cycle.
static bool front_writes(const struct qsm_model *model, struct qsm_front_write *write) {
  return *model->front_active && qsm_front_writes(model->front, write);
}

// The next cycle has run: what was chosen in it.
static void note_chosen(struct qsm_model *model, bool front, const struct qsm_front_write *write) {
  model->front_chosen = front;
  if (!front) return;
  model->write = *write;
  qsm_front_note_chosen(model->front, write);
}

// The next cycle is run, in which no access of the host's is done. `host`: one is chosen.
static void run_port_cycle(struct qsm_model *model, bool host) {
  struct qsm_front_write next = {0};
  bool front = !host && front_writes(model, &next);
  if (model->front_chosen) {
    run_front_write(model);
  } else {
    run_window(model, model->cycle + 1, no_access);
  }
  note_chosen(model, front, &next);
  model->host_chosen = host;
  report_interrupt(model);
}

// A launch that begins to end within a window ends after it, since R-TB-3 takes at least a window's
// length: only those that are ending already can cut it. The front end writes registers in windows
// of their own, and sets interrupts in a window's first cycle.
uint64_t qsm_model_run(struct qsm_model *model, uint64_t n_cycles, bool stop_on_irq) {
  uint64_t begin = model->cycle;
  uint64_t end = n_cycles < UINT64_MAX - begin ? begin + n_cycles : UINT64_MAX;
  struct qsm_front_write write;
  look_at_host(model);
  while (model->cycle < end && !(stop_on_irq && interrupts(model))) {
    if (model->front_chosen || front_writes(model, &write)) {
      run_port_cycle(model, false);
      continue;
    }
    uint64_t to = qsm_earlier(end, model->cycle + model->config.noc_lat);
    uint64_t next = next_event(model);
    uint64_t end_at = qsm_tb_sched_end_at(model->tb_sched);
    if ((stop_on_irq || model->sink) && end_at < to) to = end_at + 1;
    if (*model->front_active) to = qsm_earlier(to, after_front(model));
    if (next >= to) {
      model->cycle = qsm_earlier(end, next);
    } else {
      run_window(model, to, no_access);
    }
    report_interrupt(model);
  }
  return model->cycle - begin;
}

uint64_t qsm_model_cycle(const struct qsm_model *model) { return model->cycle; }

// ---- Control port ----

void qsm_model_choose(struct qsm_model *model) {
  look_at_host(model);
  run_port_cycle(model, true);
}

// Up to the cycle in which the host's access is done, the next. What is chosen in it is the front
// end's, if it has something (R-CP-13).
static bool begin_access(struct qsm_model *model, struct qsm_front_write *next) {
  if (!model->host_chosen) qsm_model_choose(model);
  model->host_chosen = false;
  look_at_host(model);
  return front_writes(model, next);
}

int qsm_model_read(struct qsm_model *model, uint32_t addr, uint32_t *value) {
  struct qsm_front_write next = {0};
  bool front = begin_access(model, &next);
  const struct access access = {.takes_table = qsm_ctrl_takes_table(&model->ctrl, addr)};
  int err = qsm_ctrl_read(&model->ctrl, model->cycle, addr, value);
  run_window(model, model->cycle + 1, access);
  note_chosen(model, front, &next);
  report_interrupt(model);
  return err;
}

int qsm_model_write(struct qsm_model *model, uint32_t addr, uint32_t value) {
  struct qsm_front_write next = {0};
  bool front = begin_access(model, &next);
  const struct access access = {.takes_table = qsm_ctrl_takes_table(&model->ctrl, addr)};
  int err = write_register(model, addr, value, access);
  note_chosen(model, front, &next);
  report_interrupt(model);
  return err;
}

uint32_t qsm_model_peek(const struct qsm_model *model, uint32_t addr) {
  uint32_t value = 0;
  qsm_ctrl_read(&model->ctrl, model->cycle, addr, &value);
  return value;
}

uint8_t *qsm_model_memory(struct qsm_model *model) { return qsm_mem_bytes(model->mem); }

// ---- Observation ----

void qsm_model_set_sink(struct qsm_model *model, qsm_event_sink sink, void *ctx) {
  model->sink = sink;
  model->sink_ctx = ctx;
  model->bus.reporting = sink || model->hashing;
  model->bus.lines = sink != NULL;
  model->irq = interrupts(model);
  for (uint32_t i = 0; i < model->config.num_sms; i++) qsm_sm_set_sink(model->sm[i], sink, ctx);
}

void qsm_model_set_access_sink(struct qsm_model *model, qsm_access_sink sink, void *ctx) {
  for (uint32_t i = 0; i < model->config.num_sms; i++)
    qsm_sm_set_access_sink(model->sm[i], sink, ctx);
}

void qsm_model_enable_hash(struct qsm_model *model) {
  model->hashing = true;
  model->bus.reporting = true;
  for (uint32_t i = 0; i < model->config.num_sms; i++) qsm_sm_enable_hash(model->sm[i]);
}

uint64_t qsm_model_hash(const struct qsm_model *model) {
  uint64_t hash = model->hash;
  for (uint32_t i = 0; i < model->config.num_sms; i++)
    hash = qsm_hash_mix(hash, qsm_sm_hash(model->sm[i]));
  return hash;
}

static bool insn_state(const struct qsm_model *model, uint32_t sm, uint32_t word, uint32_t *value) {
  if (sm >= model->config.num_sms || word / 2 >= model->config.num_kernels) return false;
  *value = (uint32_t)(qsm_sm_insns(model->sm[sm], word / 2) >> (word % 2 ? 32 : 0));
  return true;
}

bool qsm_model_state(const struct qsm_model *model, enum qsm_state_kind kind, uint32_t sm,
                     uint32_t sub, uint32_t index, uint32_t word, uint32_t *value) {
  if (kind == QSM_STATE_SLOT) return qsm_tb_sched_state(model->tb_sched, index, word, value);
  if (kind == QSM_STATE_TARGET)
    return qsm_tb_sched_target_state(model->tb_sched, sm, index, word, value);
  if (kind == QSM_STATE_OWNER)
    return index == 0 &&
           qsm_sm_owner_state(qsm_tb_sched_sm_owner(model->tb_sched), sm, word, value);
  if (kind == QSM_STATE_JOB || kind == QSM_STATE_SAVED || kind == QSM_STATE_TICKETS) {
    return qsm_preempt_state(qsm_tb_sched_preemption(model->tb_sched), kind, sm, index, word,
                             value);
  }
  if (kind == QSM_STATE_SA || kind == QSM_STATE_SA_SET)
    return model->sa && qsm_sa_state(model->sa, kind, sm, sub, index, word, value);
  if (kind == QSM_STATE_L2 || kind == QSM_STATE_L2_SET)
    return model->l2 && qsm_l2_state(model->l2, model->cycle, kind, sm, index, word, value);
  if (kind == QSM_STATE_DRAM)
    return model->dram && qsm_dram_state(model->dram, model->cycle, sm, index, word, value);
  if (kind == QSM_STATE_FRONT)
    return model->front && qsm_front_state(model->front, index, word, value);
  if (kind == QSM_STATE_DMA)
    return model->front && index == 0 &&
           qsm_front_dma_state(model->front, model->cycle, word, value);
  if (kind == QSM_STATE_INSN) return model->front && insn_state(model, index, word, value);
  if (kind == QSM_STATE_MEMORY)
    return qsm_ctrl_memory_state(&model->ctrl, model->cycle, sm, index, word, value);
  if (kind == QSM_STATE_SM_RECORD)
    return qsm_sm_mgr_state(model->sm_mgr, model->cycle, index, word, value);
  if (sm >= model->config.num_sms) return false;
  return qsm_sm_state(model->sm[sm], model->cycle, kind, sub, index, word, value);
}

static int inject_sm(struct qsm_model *model, const char *block, uint64_t seed, char *what,
                     size_t what_len) {
  int status = -1;
  for (uint32_t n = 0; n < model->config.num_sms && status == -1; n++) {
    uint32_t sm = (uint32_t)((seed + n) % model->config.num_sms);
    status = qsm_sm_inject(model->sm[sm], block, seed / QSM_MAX_SMS, what, what_len);
  }
  return status;
}

int qsm_model_inject(struct qsm_model *model, const char *block, uint64_t seed, char *what,
                     size_t what_len) {
  model->wake_all = true;
  if (strcmp(block, "xbar") == 0) return qsm_xbar_inject(model->xbar, seed, what, what_len);
  if (strcmp(block, "sa") == 0)
    return model->sa ? qsm_sa_inject(model->sa, seed, what, what_len) : -1;
  if (strcmp(block, "l2") == 0)
    return model->l2 ? qsm_l2_inject(model->l2, seed, what, what_len) : -1;
  if (strcmp(block, "dram") == 0)
    return model->dram ? qsm_dram_inject(model->dram, seed, what, what_len) : -1;
  if (strcmp(block, "front") == 0)
    return model->front ? qsm_front_inject(model->front, seed, what, what_len) : -1;
  if (strcmp(block, "tb_sched") == 0)
    return qsm_tb_sched_inject_slot(model->tb_sched, seed, what, what_len);
  if (strcmp(block, "tb_alloc") == 0)
    return qsm_tb_sched_inject_target(model->tb_sched, seed, what, what_len);
  if (strcmp(block, "tb_adjust") == 0)
    return qsm_tb_sched_inject_adjust(model->tb_sched, seed, what, what_len);
  if (strcmp(block, "sm_owner") == 0)
    return qsm_sm_owner_inject(qsm_tb_sched_sm_owner(model->tb_sched), seed, what, what_len);
  if (strcmp(block, "preempt") == 0)
    return qsm_tb_sched_inject_request(model->tb_sched, seed, what, what_len);
  if (strcmp(block, "ctrl") == 0) return qsm_ctrl_inject(&model->ctrl, seed, what, what_len);
  if (strcmp(block, "qos_mgr") == 0)
    return qsm_qos_mgr_inject(model->qos_mgr, seed, what, what_len);
  if (strcmp(block, "sm_mgr") == 0) return qsm_sm_mgr_inject(model->sm_mgr, seed, what, what_len);
  return inject_sm(model, block, seed, what, what_len);
}
