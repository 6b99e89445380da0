// SPDX-License-Identifier: Apache-2.0
// Backend: RTL and model side by side, every event of every cycle compared (docs/lockstep.md).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_backend_impl.h"
#include "qsm_compare.h"
#include "qsm_model.h"
#include "qsm_output.h"
#include "qsm_regs.h"

enum { CHUNK_CYCLES = 256 };

struct lockstep {
  struct qsm_backend base;
  struct qsm_looks looks;
  struct qsm_backend_options options;
  struct qsm_config config;
  const struct qsm_rtl_api *api;
  struct qsm_rtl *rtl;
  struct qsm_model *model;
  struct qsm_compare *compare;
  const char *side;  // beside the model, in messages
  uint64_t cycle, next_state, state_words;
  bool injected, failed;
  uint64_t difference_cycle;
  char injection[256];
  char difference[512];
  char error[1024];
};

static struct lockstep *of(struct qsm_backend *base) { return (struct lockstep *)base; }

static void rtl_event(void *ctx, const struct qsm_event *event) {
  qsm_compare_add(((struct lockstep *)ctx)->compare, QSM_SIDE_RTL, event);
}
// What a netlist is compared by (R-NL-2).
static bool is_at_ports(uint8_t kind) {
  return kind == QSM_EV_MEM_REQ || kind == QSM_EV_MEM_LINE || kind == QSM_EV_MEM_RSP ||
         kind == QSM_EV_IRQ;
}
static void model_event(void *ctx, const struct qsm_event *event) {
  const struct lockstep *lockstep = ctx;
  if (!lockstep->api->at_ports || is_at_ports(event->kind))
    qsm_compare_add(lockstep->compare, QSM_SIDE_MODEL, event);
  if (lockstep->options.sink) lockstep->options.sink(lockstep->options.sink_ctx, event);
}

// ---- Reporting ----

static int write_report(struct lockstep *lockstep, char *msg, size_t msg_len) {
  if (!lockstep->options.out_dir) return 0;
  char path[1024];
  struct qsm_output output;
  snprintf(path, sizeof path, "%s/difference.txt", lockstep->options.out_dir);
  if (qsm_output_open(&output, path, msg, msg_len)) return -1;
  FILE *out = output.file;
  fprintf(out, "%s\n", lockstep->difference);
  if (!qsm_compare_check(lockstep->compare, 0)) qsm_compare_report(lockstep->compare, out);
  fprintf(out, "configuration: %s\nseed: %" PRIu64 "\n", lockstep->config.name,
          lockstep->options.seed);
  if (lockstep->injected)
    fprintf(out, "injected: %s: %s\n", lockstep->options.inject_block, lockstep->injection);
  if (lockstep->options.replay) fprintf(out, "replay: %s\n", lockstep->options.replay);
  qsm_output_note(&output);
  return qsm_output_close(&output, msg, msg_len);
}

static enum qsm_backend_status differs(struct lockstep *lockstep) {
  bool by_event = !qsm_compare_check(lockstep->compare, 0);
  lockstep->failed = true;
  lockstep->difference_cycle = by_event ? qsm_compare_cycle(lockstep->compare) : lockstep->cycle;
  char why[320] = "";
  bool reported = write_report(lockstep, why, sizeof why) == 0;
  snprintf(lockstep->error, sizeof lockstep->error, "%s and model differ: %s%s%s", lockstep->side,
           lockstep->difference, reported ? "" : "; no report: ", why);
  return QSM_BACKEND_FAILED;
}

static enum qsm_backend_status check_events(struct lockstep *lockstep, uint64_t before) {
  if (qsm_compare_check(lockstep->compare, before)) return QSM_BACKEND_OK;
  qsm_compare_describe(lockstep->compare, lockstep->difference, sizeof lockstep->difference);
  return differs(lockstep);
}

static enum qsm_backend_status check_assertions(struct lockstep *lockstep) {
  const char *first = NULL;
  if (!lockstep->api->assertions_failed(lockstep->rtl, &first)) return QSM_BACKEND_OK;
  snprintf(lockstep->difference, sizeof lockstep->difference,
           "%s assertion before cycle %" PRIu64 ": %.400s", lockstep->side, lockstep->cycle, first);
  return differs(lockstep);
}

// ---- Full state (R-LK-3) ----

static void compare_state(void *ctx, uint32_t kind, uint32_t sm, uint32_t sub, uint32_t index,
                          uint32_t word, uint32_t value) {
  struct lockstep *lockstep = ctx;
  uint32_t model = 0;
  if (!qsm_model_state(lockstep->model, (enum qsm_state_kind)kind, sm, sub, index, word, &model))
    return;
  lockstep->state_words++;
  if (model == value || lockstep->difference[0]) return;
  snprintf(lockstep->difference, sizeof lockstep->difference,
           "cycle %" PRIu64
           ", block %s (sm %u, sub-core %u), state [%u] word %u: RTL 0x%x, model 0x%x",
           lockstep->cycle, qsm_state_kind_name(kind), sm, sub, index, word, value, model);
}

// ---- Control accesses ----

struct registers {
  uint32_t first, last;
  const char *block;
};

static const char *find_block(const struct registers *table, size_t n, uint32_t address) {
  for (size_t i = 0; i < n; i++)
    if (address >= table[i].first && address <= table[i].last) return table[i].block;
  return "ctrl";
}

// The block whose state a register shows; `bits` of it differ.
static const char *block_of_register(uint32_t address, uint32_t bits) {
  static const struct registers of_slot[] = {
      {QSM_SLOT_STATUS, QSM_SLOT_LAUNCHES, "tb_sched"},
      {QSM_SLOT_INSN_LO, QSM_SLOT_HCYC_HI, "qos_mgr"},
      {QSM_SLOT_EPOCH_INSN, QSM_SLOT_ALPHA, "qos_mgr"},
      {QSM_SLOT_RATIO, QSM_SLOT_RATIO, "qos_mgr"},
      {QSM_SLOT_SAVED, QSM_SLOT_SAVED, "preempt"},
      {QSM_SLOT_SM_RECORD, QSM_SLOT_SM_RECORD, "sm_mgr"},
      {QSM_SLOT_OWNED_CYCLES_LO, QSM_SLOT_OWNED_CYCLES_HI, "sm_owner"},
      {QSM_SLOT_CHANNEL, QSM_SLOT_CHANNEL, "front"},
      {QSM_SLOT_WALK_XY, QSM_SLOT_WALK_LINEAR, "tb_sched"}};
  static const struct registers of_sm[] = {{QSM_SMSEL_C, QSM_SMSEL_QUOTA, "quota"},
                                           {QSM_SMSEL_TBS, QSM_SMSEL_TBS, "tb_sched"}};
  static const struct registers of_gpu[] = {
      {QSM_REG_EPOCH_COUNT, QSM_REG_EPOCH_E_LO, "qos_mgr"},
      {QSM_REG_ALLOC_BUSY, QSM_REG_ALLOC_BUSY, "tb_alloc"},
      {QSM_REG_STALL_VALUE, QSM_REG_STALL_VALUE, "issue"},
      {QSM_REG_MGR_BUSY, QSM_REG_MGR_BUSY, "qos_mgr"},
      {QSM_REG_SMSEL_IDLE, QSM_REG_SMSEL_IDLE + 31, "idle_sampler"},
      {QSM_REG_SMSEL_FRONT, QSM_REG_SMSEL_FRONT + 15, "warp_sched"},
      {QSM_REG_ADJUST_BUSY, QSM_REG_ADJUST_BUSY, "tb_adjust"},
      {QSM_REG_PREEMPT_STATUS, QSM_REG_PREEMPT_STATUS, "preempt"},
      {QSM_REG_SMSEL_JOB, QSM_REG_SMSEL_JOB, "preempt"},
      {QSM_REG_MEM_VALUE, QSM_REG_L2_FLUSH, "l2"},
      {QSM_REG_MOVES, QSM_REG_SMSEL_OWNER, "sm_owner"},
      {QSM_REG_ENERGY_VALUE, QSM_REG_ENERGY_VALUE, "energy"},
      {QSM_REG_SHARED_CYCLES_LO, QSM_REG_WAKES, "sm_owner"},
      {QSM_REG_FRONT_IRQ0, QSM_REG_SNAP_BUSY2, "front"}};
  if (address == QSM_REG_SMSEL_JOB && !(bits & ~QSM_REG_SMSEL_JOB_PHASE_MASK)) return "tb_save";
  if (address >= QSM_CH_BASE) return "front";
  if (address >= QSM_SLOT_BASE)
    return find_block(of_slot, sizeof of_slot / sizeof of_slot[0],
                      (address - QSM_SLOT_BASE) % QSM_SLOT_STRIDE);
  if (address < QSM_SMSEL_BASE || address >= QSM_REG_SMSEL_IDLE)
    return find_block(of_gpu, sizeof of_gpu / sizeof of_gpu[0], address);
  uint32_t offset = (address - QSM_SMSEL_BASE) % QSM_SMSEL_STRIDE;
  if (offset == QSM_SMSEL_TBS && !(bits & QSM_SMSEL_TBS_RESIDENT_MASK)) return "tb_alloc";
  return find_block(of_sm, sizeof of_sm / sizeof of_sm[0], offset);
}

static const char *answer_kind(const struct qsm_rtl_answer *answer) {
  return !answer->done ? "waits" : answer->err ? "err" : "ok";
}

// Two answers to one access; a refusal is the control port's own, and so is when it answers.
static void describe_access(struct lockstep *lockstep, const struct qsm_rtl_control *control,
                            const struct qsm_rtl_answer *rtl, const struct qsm_rtl_answer *model) {
  const char *block = rtl->done == model->done && rtl->err == model->err
                          ? block_of_register(control->addr, rtl->rdata ^ model->rdata)
                          : "ctrl";
  snprintf(lockstep->difference, sizeof lockstep->difference,
           "cycle %" PRIu64 ", block %s, %s of register 0x%04X: %s %s 0x%x, model %s 0x%x",
           lockstep->cycle, block, control->write ? "write" : "read", control->addr, lockstep->side,
           answer_kind(rtl), rtl->rdata, answer_kind(model), model->rdata);
}

// ---- Running ----

static bool injection_due(const struct lockstep *lockstep) {
  return lockstep->options.inject_block && !lockstep->injected &&
         lockstep->cycle >= lockstep->options.inject_cycle;
}

// Not where the full state is compared, which would see the flip at once.
static void inject(struct lockstep *lockstep) {
  if (!injection_due(lockstep) || lockstep->cycle >= lockstep->next_state) return;
  int status = qsm_model_inject(lockstep->model, lockstep->options.inject_block,
                                lockstep->options.seed + lockstep->cycle, lockstep->injection,
                                sizeof lockstep->injection);
  lockstep->injected = status == 0;
}

// One cycle of the RTL, the model being at its start: where it is due the full state there is
// compared.
static void rtl_cycle(struct lockstep *lockstep, const struct qsm_rtl_control *control,
                      struct qsm_rtl_answer *answer) {
  if (lockstep->cycle >= lockstep->next_state) {
    lockstep->api->dump_state(lockstep->rtl, compare_state, lockstep);
    lockstep->next_state =
        lockstep->cycle +
        (lockstep->options.state_interval ? lockstep->options.state_interval : UINT64_MAX / 2);
  }
  lockstep->api->cycle(lockstep->rtl, control, answer);
}

// The state or an answer differs in the last cycle run; an event that differed before it comes
// first.
static enum qsm_backend_status differs_unless_earlier(struct lockstep *lockstep, uint64_t cycle) {
  enum qsm_backend_status status = check_events(lockstep, cycle);
  return status ? status : differs(lockstep);
}

static bool same_answer(const struct qsm_rtl_answer *a, const struct qsm_rtl_answer *b) {
  return a->done == b->done && a->err == b->err && a->rdata == b->rdata;
}

// One of the two cycles of an access (R-CP-12): in the first it is chosen, in the second done. Both
// sides' answers, which come at the end of the second.
static bool access_cycle(struct lockstep *lockstep, const struct qsm_rtl_control *control,
                         bool second, struct qsm_rtl_answer *answer) {
  struct qsm_rtl_answer model = {.done = second};
  qsm_look(&lockstep->looks, lockstep->cycle);
  inject(lockstep);
  rtl_cycle(lockstep, second ? NULL : control, answer);
  if (!second) {
    qsm_model_choose(lockstep->model);
  } else if (control->write) {
    model.err = qsm_model_write(lockstep->model, control->addr, control->wdata) != 0;
  } else {
    model.err = qsm_model_read(lockstep->model, control->addr, &model.rdata) != 0;
  }
  if (!lockstep->difference[0] && !same_answer(answer, &model))
    describe_access(lockstep, control, answer, &model);
  lockstep->cycle++;
  return !lockstep->difference[0];
}

static enum qsm_backend_status step(struct lockstep *lockstep,
                                    const struct qsm_rtl_control *control, uint32_t *value) {
  struct qsm_rtl_answer answer = {0};
  if (!access_cycle(lockstep, control, false, &answer) ||
      !access_cycle(lockstep, control, true, &answer))
    return differs_unless_earlier(lockstep, lockstep->cycle - 1);
  if (value) *value = answer.rdata;
  return answer.err ? QSM_BACKEND_REFUSED : QSM_BACKEND_OK;
}

// Up to n cycles without control accesses; the RTL leads and says how many. Events may be reported
// one cycle late, hence the -1.
static enum qsm_backend_status run_chunk(struct lockstep *lockstep, uint64_t n, bool stop_on_irq,
                                         uint64_t *ran) {
  uint64_t done = 0;
  inject(lockstep);
  while (done < n && !(stop_on_irq && lockstep->api->irq(lockstep->rtl))) {
    rtl_cycle(lockstep, NULL, NULL);
    done++;
    if (lockstep->difference[0]) return differs_unless_earlier(lockstep, lockstep->cycle);
  }
  uint64_t model_ran = qsm_model_run(lockstep->model, done, stop_on_irq);
  uint64_t both_ran_to = lockstep->cycle + model_ran;
  lockstep->cycle += done;
  *ran = done;
  enum qsm_backend_status status = check_assertions(lockstep);
  if (!status && both_ran_to) status = check_events(lockstep, both_ran_to - 1);
  if (status || model_ran == done) return status;
  snprintf(lockstep->difference, sizeof lockstep->difference,
           "cycle %" PRIu64 ", block ctrl, interrupt: %s 0, model 1", both_ran_to, lockstep->side);
  return differs(lockstep);
}

static enum qsm_backend_status lockstep_run(struct qsm_backend *base, uint64_t n, bool stop_on_irq,
                                            uint64_t *ran) {
  struct lockstep *lockstep = of(base);
  uint64_t done = 0;
  while (done < n) {
    // State that lives for a few cycles only needs a try in every one.
    uint64_t part = 0, most = injection_due(lockstep) ? 1 : CHUNK_CYCLES,
             want = n - done < most ? n - done : most;
    if (lockstep->failed) return QSM_BACKEND_FAILED;
    qsm_look(&lockstep->looks, lockstep->cycle);
    want = qsm_until_look(&lockstep->looks, lockstep->cycle, want);
    enum qsm_backend_status status = run_chunk(lockstep, want, stop_on_irq, &part);
    if (status) return status;
    done += part;
    if (part < want) break;
  }
  // A launch has ended: its full state is compared in the next cycle.
  if (done < n) lockstep->next_state = lockstep->cycle;
  *ran = done;
  return QSM_BACKEND_OK;
}

static enum qsm_backend_status lockstep_write(struct qsm_backend *base, uint32_t addr,
                                              uint32_t value) {
  if (of(base)->failed) return QSM_BACKEND_FAILED;
  return step(of(base),
              &(struct qsm_rtl_control){.valid = true, .write = true, .addr = addr, .wdata = value},
              NULL);
}

static enum qsm_backend_status lockstep_read(struct qsm_backend *base, uint32_t addr,
                                             uint32_t *value) {
  if (of(base)->failed) return QSM_BACKEND_FAILED;
  return step(of(base), &(struct qsm_rtl_control){.valid = true, .addr = addr}, value);
}

static void lockstep_mem_write(struct qsm_backend *base, uint32_t addr, const void *src,
                               size_t bytes) {
  memcpy(of(base)->api->memory(of(base)->rtl) + (addr - QSM_DEVICE_MEMORY_BASE), src, bytes);
  memcpy(qsm_model_memory(of(base)->model) + (addr - QSM_DEVICE_MEMORY_BASE), src, bytes);
}

// Reads the RTL's memory and compares it with the model's; a difference fails the next access or
// run.
static void lockstep_mem_read(struct qsm_backend *base, uint32_t addr, void *dst, size_t bytes) {
  struct lockstep *lockstep = of(base);
  const uint8_t *model = qsm_model_memory(lockstep->model) + (addr - QSM_DEVICE_MEMORY_BASE);
  memcpy(dst, lockstep->api->memory(lockstep->rtl) + (addr - QSM_DEVICE_MEMORY_BASE), bytes);
  if (lockstep->failed || memcmp(dst, model, bytes) == 0) return;
  snprintf(lockstep->difference, sizeof lockstep->difference,
           "cycle %" PRIu64 ", device memory in 0x%08X + %zu bytes", lockstep->cycle, addr, bytes);
  differs(lockstep);
}

static void lockstep_mem_clear(struct qsm_backend *base, uint32_t addr, size_t bytes) {
  qsm_clear_memory(of(base)->api->memory(of(base)->rtl) + (addr - QSM_DEVICE_MEMORY_BASE), bytes);
  qsm_clear_memory(qsm_model_memory(of(base)->model) + (addr - QSM_DEVICE_MEMORY_BASE), bytes);
}

static bool lockstep_state(struct qsm_backend *base, enum qsm_state_kind kind, uint32_t sm,
                           uint32_t index, uint32_t word, uint32_t *value) {
  return qsm_model_state(of(base)->model, kind, sm, 0, index, word, value);
}

static uint32_t lockstep_peek(struct qsm_backend *base, uint32_t addr) {
  return qsm_model_peek(of(base)->model, addr);
}

static void lockstep_look_at(struct qsm_backend *base, uint64_t first, uint64_t period,
                             void (*look)(void *ctx), void *ctx) {
  of(base)->looks = (struct qsm_looks){.next = first, .period = period, .look = look, .ctx = ctx};
}

static uint64_t lockstep_cycle(struct qsm_backend *base) { return of(base)->cycle; }
static const char *lockstep_error(struct qsm_backend *base) { return of(base)->error; }

static void lockstep_stats(struct qsm_backend *base, struct qsm_lockstep_stats *stats) {
  struct lockstep *lockstep = of(base);
  *stats = (struct qsm_lockstep_stats){
      .cycles_compared = lockstep->cycle,
      .differs = lockstep->failed,
      .difference_cycle = lockstep->difference_cycle,
      .fields_compared = qsm_compare_words(lockstep->compare) + lockstep->state_words};
  memcpy(stats->first_difference, lockstep->difference, sizeof stats->first_difference);
}

static void lockstep_stalls(struct qsm_backend *base, qsm_stall_sink each, void *ctx) {
  qsm_model_stalls(of(base)->model, &of(base)->config, each, ctx);
}

static void lockstep_close(struct qsm_backend *base) {
  struct lockstep *lockstep = of(base);
  if (lockstep->rtl) lockstep->api->destroy(lockstep->rtl);
  qsm_model_destroy(lockstep->model);
  qsm_compare_destroy(lockstep->compare);
  free(lockstep);
}

static uint64_t lockstep_trace_hash(struct qsm_backend *base) {
  return qsm_model_hash(((struct lockstep *)base)->model);
}

// Blocks that some GPUs do not have.
static bool has_block(const struct qsm_config *config, const char *block) {
  if (strcmp(block, "l1") == 0) return config->l1_kib != 0;
  if (strcmp(block, "sa") == 0) return config->num_sas != 0;
  if (strcmp(block, "l2") == 0) return config->l2_kib != 0;
  if (strcmp(block, "dram") == 0) return config->dram_banks != 0;
  if (strcmp(block, "front") == 0) return config->cmd_channels != 0;
  return true;
}

int qsm_backend_lockstep_open(const struct qsm_config *config,
                              const struct qsm_backend_options *options, struct qsm_backend **out,
                              char *msg, size_t msg_len) {
  if (options->inject_block && !has_block(config, options->inject_block)) {
    snprintf(msg, msg_len, "no bit to flip: configuration %s has no block %s", config->name,
             options->inject_block);
    return -1;
  }
  struct lockstep *lockstep = calloc(1, sizeof *lockstep);
  if (!lockstep) {
    snprintf(msg, msg_len, "out of memory");
    return -1;
  }
  lockstep->options = *options;
  lockstep->config = *config;
  lockstep->side = options->netlist ? "netlist" : "RTL";
  lockstep->compare = qsm_compare_create(config, lockstep->side);
  if (!lockstep->compare || qsm_rtl_load(config, options, &lockstep->api, msg, msg_len) ||
      !(lockstep->rtl =
            lockstep->api->create(config, options->seed, options->wave_path, options->wave_from,
                                  options->wave_to, msg, msg_len)) ||
      qsm_model_create(config, &lockstep->model, msg, msg_len)) {
    if (!lockstep->compare) snprintf(msg, msg_len, "out of memory");
    lockstep_close(&lockstep->base);
    return -1;
  }
  lockstep->api->set_sink(lockstep->rtl, rtl_event, lockstep);
  qsm_model_set_sink(lockstep->model, model_event, lockstep);
  lockstep->base = (struct qsm_backend){.name = "lockstep",
                                        .close = lockstep_close,
                                        .cycle = lockstep_cycle,
                                        .write = lockstep_write,
                                        .read = lockstep_read,
                                        .run = lockstep_run,
                                        .mem_write = lockstep_mem_write,
                                        .mem_read = lockstep_mem_read,
                                        .mem_clear = lockstep_mem_clear,
                                        .error = lockstep_error,
                                        .lockstep_stats = lockstep_stats,
                                        .stalls = lockstep_stalls,
                                        .state = lockstep_state,
                                        .peek = lockstep_peek,
                                        .look_at = lockstep_look_at};
  if (options->hash) {
    qsm_model_enable_hash(lockstep->model);
    lockstep->base.trace_hash = lockstep_trace_hash;
  }
  *out = &lockstep->base;
  return 0;
}
