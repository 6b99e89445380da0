// SPDX-License-Identifier: Apache-2.0
// Backend: RTL and model side by side, every event of every cycle compared (docs/lockstep.md).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_backend_impl.h"
#include "qsm_compare.h"
#include "qsm_model.h"

enum { CHUNK_CYCLES = 256 };

struct lockstep {
  struct qsm_backend base;
  struct qsm_backend_options options;
  struct qsm_config config;
  const struct qsm_rtl_api *api;
  struct qsm_rtl *rtl;
  struct qsm_model *model;
  struct qsm_compare *compare;
  uint64_t cycle, next_state, state_words;
  bool injected, failed;
  uint64_t difference_cycle;
  char injection[256];
  char difference[512];
  char error[1024];
};

static struct lockstep *of(struct qsm_backend *base) { return (struct lockstep *)base; }

static void rtl_event(void *ctx, const struct qsm_event *event) { qsm_compare_add(((struct lockstep *)ctx)->compare, QSM_SIDE_RTL, event); }
static void model_event(void *ctx, const struct qsm_event *event) { qsm_compare_add(((struct lockstep *)ctx)->compare, QSM_SIDE_MODEL, event); }

// ---- Reporting ----

static void write_report(struct lockstep *lockstep) {
  if (!lockstep->options.out_dir) return;
  char path[1024];
  snprintf(path, sizeof path, "%s/difference.txt", lockstep->options.out_dir);
  FILE *out = fopen(path, "w");
  if (!out) return;
  fprintf(out, "%s\n", lockstep->difference);
  if (!qsm_compare_check(lockstep->compare, 0)) qsm_compare_report(lockstep->compare, out);
  fprintf(out, "configuration: %s\nseed: %" PRIu64 "\n", lockstep->config.name, lockstep->options.seed);
  if (lockstep->injected) fprintf(out, "injected: %s: %s\n", lockstep->options.inject_block, lockstep->injection);
  if (lockstep->options.replay) fprintf(out, "replay: %s\n", lockstep->options.replay);
  fclose(out);
}

static enum qsm_backend_status differs(struct lockstep *lockstep) {
  bool by_event = !qsm_compare_check(lockstep->compare, 0);
  lockstep->failed = true;
  lockstep->difference_cycle = by_event ? qsm_compare_cycle(lockstep->compare) : lockstep->cycle;
  write_report(lockstep);
  snprintf(lockstep->error, sizeof lockstep->error, "RTL and model differ: %s", lockstep->difference);
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
  snprintf(lockstep->difference, sizeof lockstep->difference, "RTL assertion before cycle %" PRIu64 ": %.400s", lockstep->cycle, first);
  return differs(lockstep);
}

// ---- Full state (R-LK-3) ----

static const char *const state_names[QSM_STATE_COUNT] = {
    [QSM_STATE_REG] = "exec registers", [QSM_STATE_SHARED] = "lsu shared memory", [QSM_STATE_LANE_PC] = "warp_state lane pc",
    [QSM_STATE_LANE_DEPTH] = "warp_state lane depth", [QSM_STATE_WARP] = "warp_state warp", [QSM_STATE_SCOREBOARD] = "issue scoreboard",
    [QSM_STATE_QUOTA] = "quota counters", [QSM_STATE_TBS] = "barrier tb slots", [QSM_STATE_STALL] = "issue stall counters",
    [QSM_STATE_SLOT] = "tb_sched slots"};

static void compare_state(void *ctx, uint32_t kind, uint32_t sm, uint32_t sub, uint32_t index, uint32_t word, uint32_t value) {
  struct lockstep *lockstep = ctx;
  uint32_t model = 0;
  if (!qsm_model_state(lockstep->model, (enum qsm_state_kind)kind, sm, sub, index, word, &model)) return;
  lockstep->state_words++;
  if (model == value || lockstep->difference[0]) return;
  snprintf(lockstep->difference, sizeof lockstep->difference,
           "cycle %" PRIu64 ", block %s (sm %u, sub-core %u), state [%u] word %u: RTL 0x%x, model 0x%x", lockstep->cycle, state_names[kind], sm, sub,
           index, word, value, model);
}

// ---- Running ----

static bool injection_due(const struct lockstep *lockstep) {
  return lockstep->options.inject_block && !lockstep->injected && lockstep->cycle >= lockstep->options.inject_cycle;
}

static void inject(struct lockstep *lockstep) {
  if (!injection_due(lockstep)) return;
  int status = qsm_model_inject(lockstep->model, lockstep->options.inject_block, lockstep->options.seed + lockstep->cycle, lockstep->injection,
                                sizeof lockstep->injection);
  lockstep->injected = status == 0;
}

// One cycle on both sides, with a control access or without.
static enum qsm_backend_status step(struct lockstep *lockstep, const struct qsm_rtl_control *control, uint32_t *value) {
  struct qsm_rtl_answer answer = {0};
  inject(lockstep);
  lockstep->api->cycle(lockstep->rtl, control, &answer);
  uint32_t model_value = 0;
  int refused = control->write ? qsm_model_write(lockstep->model, control->addr, control->wdata)
                               : qsm_model_read(lockstep->model, control->addr, &model_value);
  lockstep->cycle++;
  if (answer.err != (refused != 0) || (!refused && answer.rdata != model_value)) {
    snprintf(lockstep->difference, sizeof lockstep->difference,
             "cycle %" PRIu64 ", block ctrl, %s of register 0x%04X: RTL %s 0x%x, model %s 0x%x", lockstep->cycle - 1,
             control->write ? "write" : "read", control->addr, answer.err ? "err" : "ok", answer.rdata, refused ? "err" : "ok", model_value);
    check_events(lockstep, lockstep->cycle - 1);
    return differs(lockstep);
  }
  if (value) *value = answer.rdata;
  return refused ? QSM_BACKEND_REFUSED : QSM_BACKEND_OK;
}

// Up to n cycles without control accesses; the RTL leads and says how many. Events may be reported one cycle late, hence the -1.
static enum qsm_backend_status run_chunk(struct lockstep *lockstep, uint64_t n, bool stop_on_irq, uint64_t *ran) {
  uint64_t done = 0;
  inject(lockstep);
  if (lockstep->cycle >= lockstep->next_state) lockstep->api->dump_state(lockstep->rtl, compare_state, lockstep);
  while (done < n && !(stop_on_irq && lockstep->api->irq(lockstep->rtl))) {
    lockstep->api->cycle(lockstep->rtl, NULL, NULL);
    done++;
    if (lockstep->cycle >= lockstep->next_state) {
      lockstep->next_state = lockstep->cycle + (lockstep->options.state_interval ? lockstep->options.state_interval : UINT64_MAX / 2);
      if (lockstep->difference[0]) {
        check_events(lockstep, lockstep->cycle - 1);
        return differs(lockstep);
      }
    }
  }
  uint64_t model_ran = qsm_model_run(lockstep->model, done, stop_on_irq);
  lockstep->cycle += done;
  *ran = done;
  enum qsm_backend_status status = check_assertions(lockstep);
  if (!status && lockstep->cycle) status = check_events(lockstep, lockstep->cycle - 1);
  if (status || model_ran == done) return status;
  snprintf(lockstep->difference, sizeof lockstep->difference, "cycle %" PRIu64 ", block tb_sched, irq: RTL 0, model 1",
           lockstep->cycle - done + model_ran);
  return differs(lockstep);
}

static enum qsm_backend_status lockstep_run(struct qsm_backend *base, uint64_t n, bool stop_on_irq, uint64_t *ran) {
  struct lockstep *lockstep = of(base);
  uint64_t done = 0;
  while (done < n) {
    // State that lives for a few cycles only needs a try in every one.
    uint64_t part = 0, most = injection_due(lockstep) ? 1 : CHUNK_CYCLES, want = n - done < most ? n - done : most;
    if (lockstep->failed) return QSM_BACKEND_FAILED;
    enum qsm_backend_status status = run_chunk(lockstep, want, stop_on_irq, &part);
    if (status) return status;
    done += part;
    if (part < want) break;
  }
  // A launch has ended: its full state is compared at the start of the next chunk.
  if (done < n) lockstep->next_state = lockstep->cycle;
  *ran = done;
  return QSM_BACKEND_OK;
}

static enum qsm_backend_status lockstep_write(struct qsm_backend *base, uint16_t addr, uint32_t value) {
  if (of(base)->failed) return QSM_BACKEND_FAILED;
  return step(of(base), &(struct qsm_rtl_control){.valid = true, .write = true, .addr = addr, .wdata = value}, NULL);
}

static enum qsm_backend_status lockstep_read(struct qsm_backend *base, uint16_t addr, uint32_t *value) {
  if (of(base)->failed) return QSM_BACKEND_FAILED;
  return step(of(base), &(struct qsm_rtl_control){.valid = true, .addr = addr}, value);
}

static void lockstep_mem_write(struct qsm_backend *base, uint32_t addr, const void *src, size_t bytes) {
  memcpy(of(base)->api->memory(of(base)->rtl) + (addr - QSM_DEVICE_MEMORY_BASE), src, bytes);
  memcpy(qsm_model_memory(of(base)->model) + (addr - QSM_DEVICE_MEMORY_BASE), src, bytes);
}

// Reads the RTL's memory and compares it with the model's; a difference fails the next access or run.
static void lockstep_mem_read(struct qsm_backend *base, uint32_t addr, void *dst, size_t bytes) {
  struct lockstep *lockstep = of(base);
  const uint8_t *model = qsm_model_memory(lockstep->model) + (addr - QSM_DEVICE_MEMORY_BASE);
  memcpy(dst, lockstep->api->memory(lockstep->rtl) + (addr - QSM_DEVICE_MEMORY_BASE), bytes);
  if (lockstep->failed || memcmp(dst, model, bytes) == 0) return;
  snprintf(lockstep->difference, sizeof lockstep->difference, "cycle %" PRIu64 ", device memory in 0x%08X + %zu bytes", lockstep->cycle, addr, bytes);
  differs(lockstep);
}

static uint64_t lockstep_cycle(struct qsm_backend *base) { return of(base)->cycle; }
static const char *lockstep_error(struct qsm_backend *base) { return of(base)->error; }

static void lockstep_stats(struct qsm_backend *base, struct qsm_lockstep_stats *stats) {
  struct lockstep *lockstep = of(base);
  *stats = (struct qsm_lockstep_stats){.cycles_compared = lockstep->cycle, .differs = lockstep->failed,
                                       .difference_cycle = lockstep->difference_cycle,
                                       .fields_compared = qsm_compare_words(lockstep->compare) + lockstep->state_words};
  memcpy(stats->first_difference, lockstep->difference, sizeof stats->first_difference);
}

static void lockstep_close(struct qsm_backend *base) {
  struct lockstep *lockstep = of(base);
  if (lockstep->rtl) lockstep->api->destroy(lockstep->rtl);
  qsm_model_destroy(lockstep->model);
  qsm_compare_destroy(lockstep->compare);
  free(lockstep);
}

int qsm_backend_lockstep_open(const struct qsm_config *config, const struct qsm_backend_options *options, struct qsm_backend **out,
                              char *msg, size_t msg_len) {
  struct lockstep *lockstep = calloc(1, sizeof *lockstep);
  if (!lockstep) {
    snprintf(msg, msg_len, "out of memory");
    return -1;
  }
  lockstep->options = *options;
  lockstep->config = *config;
  lockstep->compare = qsm_compare_create(config);
  if (!lockstep->compare || qsm_rtl_load(config, options->wave_path != NULL, &lockstep->api, msg, msg_len) ||
      !(lockstep->rtl = lockstep->api->create(config, options->wave_path, options->wave_from, options->wave_to, msg, msg_len)) ||
      qsm_model_create(config, &lockstep->model, msg, msg_len)) {
    if (!lockstep->compare) snprintf(msg, msg_len, "out of memory");
    lockstep_close(&lockstep->base);
    return -1;
  }
  lockstep->api->set_sink(lockstep->rtl, rtl_event, lockstep);
  qsm_model_set_sink(lockstep->model, model_event, lockstep);
  lockstep->base = (struct qsm_backend){.name = "lockstep", .close = lockstep_close, .cycle = lockstep_cycle, .write = lockstep_write,
                                        .read = lockstep_read, .run = lockstep_run, .mem_write = lockstep_mem_write,
                                        .mem_read = lockstep_mem_read, .error = lockstep_error, .lockstep_stats = lockstep_stats};
  *out = &lockstep->base;
  return 0;
}
