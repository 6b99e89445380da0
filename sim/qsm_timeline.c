// SPDX-License-Identifier: Apache-2.0
#include "qsm_timeline.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Processes and threads of the file: the GPU with a thread per kernel slot, then the SMs with one
// per TB slot.
enum {
  PID_GPU = 1,
  PID_SM = 2,
  TID_EPOCHS = 100,
  TID_SLOT = 1,
  TID_TB = 1,
  TID_LOADS = 100,
  TID_JOBS = 101,
  TID_USE = 102
};
enum { MAX_KERNELS = 8, MAX_TBS = 32, COUNTER_STEP = 64, EPOCH_WORDS = 8 };
#define NEVER UINT64_MAX

// A slice that has begun.
struct slice {
  bool open;
  uint64_t begin;
  uint32_t kernel, number;
  bool restored;  // a block that was saved
};

// A quota counter: what has been seen, and what of it is in the file.
struct counter {
  bool seen, pending;
  int32_t value;
  uint64_t changed, shown;
};

struct sm_use {
  struct slice slice;
  uint32_t word[5];  // of the last MOVE: use, owner, moving, next use, next owner
  uint32_t power;
};

struct sm_lines {
  struct sm_use use;
  struct slice blocks[MAX_TBS];
  struct slice phase;  // of a preemption; kernel: op, number: phase
  struct counter counters[MAX_KERNELS];
};

struct qsm_timeline {
  const struct qsm_config *config;
  const char *const *names;
  uint32_t n_names;
  uint64_t from, to;
  uint64_t now;  // start of the cycle after the last one with events: what they changed is seen
                 // from then on
  FILE *out;
  bool has_lines;
  struct slice launches[MAX_KERNELS];
  uint32_t n_launches[MAX_KERNELS];
  uint64_t epoch_begin;  // NEVER before the first load
  uint32_t n_epochs;
  struct sm_lines *sms;
  uint32_t *stalls;  // [kernel][reason], sums over the GPU at the last sample
  uint64_t sampled;
};

// ---- Lines ----

__attribute__((format(printf, 2, 3))) static void put_line(struct qsm_timeline *timeline,
                                                           const char *format, ...) {
  va_list args;
  fputs(timeline->has_lines ? ",\n" : "\n", timeline->out);
  timeline->has_lines = true;
  va_start(args, format);
  vfprintf(timeline->out, format, args);
  va_end(args);
}

static bool is_shown(const struct qsm_timeline *timeline, uint64_t at) {
  return at >= timeline->from && at <= timeline->to;
}

static const char *name_of(const struct qsm_timeline *timeline, uint32_t kernel) {
  return kernel < timeline->n_names ? timeline->names[kernel] : "kernel";
}

// Ends a slice now; what lies outside the cycles shown is cut off. `args` is the inside of a JSON
// object.
static void close_slice(struct qsm_timeline *timeline, struct slice *slice, uint32_t pid,
                        uint32_t tid, const char *title, const char *args) {
  uint64_t begin = slice->begin > timeline->from ? slice->begin : timeline->from;
  uint64_t end = timeline->now <= timeline->to ? timeline->now : timeline->to + 1;
  bool open = slice->open;
  slice->open = false;
  if (!open || begin >= end) return;
  put_line(timeline,
           "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
           ",\"name\":\"%s\",\"args\":{%s}}",
           pid, tid, begin, end - begin, title, args);
}

__attribute__((format(printf, 6, 7))) static void put_instant(struct qsm_timeline *timeline,
                                                              uint32_t pid, uint32_t tid,
                                                              uint64_t at, const char *name,
                                                              const char *format, ...) {
  char text[256];
  va_list args;
  if (!is_shown(timeline, at)) return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  put_line(timeline,
           "{\"ph\":\"i\",\"s\":\"t\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64
           ",\"name\":\"%s\",\"args\":{%s}}",
           pid, tid, at, name, text);
}

static void put_counter_of(struct qsm_timeline *timeline, uint32_t pid, uint64_t at,
                           const char *what, const char *of, double value) {
  if (!is_shown(timeline, at)) return;
  put_line(timeline,
           "{\"ph\":\"C\",\"pid\":%u,\"ts\":%" PRIu64
           ",\"name\":\"%s of %s\",\"args\":{\"value\":%.10g}}",
           pid, at, what, of, value);
}

static void put_counter(struct qsm_timeline *timeline, uint32_t pid, uint64_t at, const char *what,
                        uint32_t kernel, double value) {
  put_counter_of(timeline, pid, at, what, name_of(timeline, kernel), value);
}

static void put_name(struct qsm_timeline *timeline, const char *kind, uint32_t pid, uint32_t tid,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
static void put_name(struct qsm_timeline *timeline, const char *kind, uint32_t pid, uint32_t tid,
                     const char *format, ...) {
  char name[128];
  va_list args;
  va_start(args, format);
  vsnprintf(name, sizeof name, format, args);
  va_end(args);
  put_line(timeline,
           "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":\"%s\"}}", pid,
           tid, kind, name);
}

// ---- Launches and thread blocks ----

static void close_launch(struct qsm_timeline *timeline, uint32_t kernel, const char *args) {
  char title[96];
  snprintf(title, sizeof title, "%s %u", name_of(timeline, kernel), timeline->n_launches[kernel]);
  close_slice(timeline, &timeline->launches[kernel], PID_GPU, TID_SLOT + kernel, title, args);
}

// A launch is seen from its first block on.
static void on_dispatch(struct qsm_timeline *timeline, const struct qsm_event *event) {
  uint32_t kernel = event->word[2];
  struct slice *launch = &timeline->launches[kernel];
  if (launch->open) return;
  *launch = (struct slice){.open = true, .begin = timeline->now, .kernel = kernel};
  timeline->n_launches[kernel]++;
}

static void on_end(struct qsm_timeline *timeline, const struct qsm_event *event) {
  for (uint32_t k = 0; k < timeline->config->num_kernels; k++)
    if (event->word[0] >> k & 1)
      close_launch(timeline, k, event->word[1] >> k & 1 ? "\"killed\":true" : "");
}

static void on_arrive(struct qsm_timeline *timeline, const struct qsm_event *event) {
  timeline->sms[event->sm].blocks[event->word[0]] = (struct slice){.open = true,
                                                                   .begin = timeline->now,
                                                                   .kernel = event->word[1],
                                                                   .number = event->word[2],
                                                                   .restored = event->word[5] != 0};
}

static void close_block(struct qsm_timeline *timeline, uint32_t sm, uint32_t tb,
                        const char *ending) {
  struct slice *block = &timeline->sms[sm].blocks[tb];
  char title[96], args[64];
  snprintf(title, sizeof title, "%s block %u", name_of(timeline, block->kernel), block->number);
  snprintf(args, sizeof args, "%s%s%s", block->restored ? "\"restored\":true" : "",
           block->restored && ending[0] ? "," : "", ending);
  close_slice(timeline, block, PID_SM + sm, TID_TB + tb, title, args);
}

static void on_retire(struct qsm_timeline *timeline, const struct qsm_event *event) {
  close_block(timeline, event->sm, event->word[0], event->word[1] ? "\"saved\":true" : "");
}

static void on_fault(struct qsm_timeline *timeline, const struct qsm_event *event) {
  const uint32_t *word = event->word;
  put_instant(timeline, PID_SM + event->sm, TID_LOADS, timeline->now, "fault",
              "\"kernel\":\"%s\",\"cause\":%u,\"pc\":\"%08x\",\"thread\":%u,\"block\":%u",
              name_of(timeline, word[0]), word[1], word[2], word[3], word[4]);
}

// ---- Preemption ----

static void on_preempt(struct qsm_timeline *timeline, const struct qsm_event *event) {
  static const char *const techniques[] = {"switch", "drain", "flush"};
  const uint32_t *word = event->word;
  put_instant(timeline, PID_SM + word[0], TID_JOBS, timeline->now, techniques[word[3] % 3],
              "\"kernel\":\"%s\",\"tb\":%u,\"image\":%u,\"code\":%u,\"host\":%u",
              name_of(timeline, word[1]), word[2], word[4], word[5], word[6]);
}

static void close_phase(struct qsm_timeline *timeline, uint32_t sm) {
  static const char *const ops[] = {"idle", "restore", "save", "flush"};
  static const char *const phases[] = {"idle",      "address", "quiet or launch", "find",
                                       "registers", "state",   "finished warps",  "shared memory",
                                       "header",    "wait"};
  struct slice *slice = &timeline->sms[sm].phase;
  char title[64];
  snprintf(title, sizeof title, "%s: %s", ops[slice->kernel], phases[slice->number]);
  close_slice(timeline, slice, PID_SM + sm, TID_JOBS, title, "");
}

static void on_tbop(struct qsm_timeline *timeline, const struct qsm_event *event) {
  close_phase(timeline, event->sm);
  timeline->sms[event->sm].phase = (struct slice){.open = event->word[0] != 0,
                                                  .begin = timeline->now,
                                                  .kernel = event->word[0],
                                                  .number = event->word[2]};
}

static void on_resumed(struct qsm_timeline *timeline, const struct qsm_event *event) {
  put_instant(timeline, PID_SM + event->sm, TID_JOBS, timeline->now, "resumed", "\"tb\":%u",
              event->word[0]);
}

// ---- Use of the SMs ----

static const char *use_text(const struct qsm_timeline *timeline, uint32_t usage, uint32_t owner) {
  return usage == QSM_USE_OWNED ? name_of(timeline, owner) : qsm_sm_use_name(usage);
}

static void close_use(struct qsm_timeline *timeline, uint32_t sm) {
  struct sm_use *use = &timeline->sms[sm].use;
  char args[128] = "";
  const char *title = use->power == QSM_POWER_OFF ? "gated"
                      : use->power == QSM_POWER_WAKING
                          ? "waking"
                          : use_text(timeline, use->word[0], use->word[1]);
  if (use->word[2])
    snprintf(args, sizeof args, "\"moves_to\":\"%s\"",
             use_text(timeline, use->word[3], use->word[4]));
  close_slice(timeline, &use->slice, PID_SM + sm, TID_USE, title, args);
  use->slice = (struct slice){.open = true, .begin = timeline->now};
}

static void on_move(struct qsm_timeline *timeline, const struct qsm_event *event) {
  close_use(timeline, event->sm);
  memcpy(timeline->sms[event->sm].use.word, event->word, sizeof timeline->sms[event->sm].use.word);
}

static void on_power(struct qsm_timeline *timeline, const struct qsm_event *event) {
  close_use(timeline, event->sm);
  timeline->sms[event->sm].use.power = event->word[0];
}

void qsm_timeline_energy(struct qsm_timeline *timeline, const struct qsm_energy_epoch *epoch,
                         uint64_t end, uint64_t n_cycles) {
  double seconds = (double)n_cycles / (timeline->config->clock_mhz * 1e6),
         all = qsm_energy_of_nobody(timeline->config, epoch);
  for (uint32_t k = 0; k < timeline->n_names; k++) {
    double joules = qsm_energy_of_kernel(timeline->config, &epoch->kernel[k], NULL);
    put_counter(timeline, PID_GPU, end - n_cycles, "power", k, joules / seconds);
    all += joules;
  }
  put_counter_of(timeline, PID_GPU, end - n_cycles, "power", "all SMs", all / seconds);
}

// ---- Quality of service ----

static void on_epoch(struct qsm_timeline *timeline, const struct qsm_event *event) {
  uint64_t length = timeline->epoch_begin == NEVER ? 0 : timeline->now - timeline->epoch_begin;
  char title[32];
  snprintf(title, sizeof title, "epoch %u", timeline->n_epochs++);
  struct slice epoch = {.open = length != 0, .begin = timeline->epoch_begin};
  close_slice(timeline, &epoch, PID_GPU, TID_EPOCHS, title, "");
  for (uint32_t k = 0; k < timeline->n_names; k++) {
    const uint32_t *word = event->word + EPOCH_WORDS * k;
    put_counter(timeline, PID_GPU, timeline->now, "quota", k, word[0]);
    put_counter(timeline, PID_GPU, timeline->now, "alpha", k, word[1] / 65536.0);
    if (length)
      put_counter(timeline, PID_GPU, timeline->epoch_begin, "IPC", k,
                  (double)word[2] / (double)length);
  }
  timeline->epoch_begin = timeline->now;
}

static void on_load(struct qsm_timeline *timeline, const struct qsm_event *event) {
  put_instant(timeline, PID_SM + event->sm, TID_LOADS, timeline->now, "load",
              "\"scheme\":%u,\"granted\":%u", event->word[0], event->word[1]);
}

// The value of before the cycles shown is shown at their start, unless it changes just then.
static void show_counter(struct qsm_timeline *timeline, uint32_t sm, uint32_t kernel) {
  struct counter *counter = &timeline->sms[sm].counters[kernel];
  uint64_t at = counter->changed > timeline->from ? counter->changed : timeline->from;
  if (counter->changed < at && timeline->now <= at) return;
  put_counter(timeline, PID_SM + sm, at, "C", kernel, counter->value);
  counter->shown = at;
  counter->pending = false;
}

// Falling a little with each instruction is shown in steps; a refill and the gate's opening and
// shutting when they happen.
static void change_counter(struct qsm_timeline *timeline, uint32_t sm, uint32_t kernel,
                           int32_t value) {
  struct counter *counter = &timeline->sms[sm].counters[kernel];
  bool jump = !counter->seen || value > counter->value || (value > 0) != (counter->value > 0);
  if (counter->seen && value == counter->value) return;
  if (counter->pending && (jump || timeline->now - counter->changed >= COUNTER_STEP))
    show_counter(timeline, sm, kernel);
  counter->seen = counter->pending = true;
  counter->value = value;
  counter->changed = timeline->now;
  if (jump || timeline->now - counter->shown >= COUNTER_STEP) show_counter(timeline, sm, kernel);
}

static void on_quota(struct qsm_timeline *timeline, const struct qsm_event *event) {
  for (uint32_t k = 0; k < timeline->n_names; k++)
    change_counter(timeline, event->sm, k, (int32_t)event->word[k]);
}

// ---- Why warps did not issue ----

static void add_stall(void *ctx, uint32_t kernel, uint32_t reason, uint32_t value) {
  ((uint32_t *)ctx)[kernel * QSM_STALL_COUNT + reason] += value;
}

void qsm_timeline_sample(struct qsm_timeline *timeline, struct qsm_backend *backend) {
  uint32_t sums[MAX_KERNELS * QSM_STALL_COUNT] = {0};
  uint64_t cycle = backend->cycle(backend);
  if (!backend->stalls || cycle == timeline->sampled) return;
  backend->stalls(backend, add_stall, sums);
  for (uint32_t k = 0; k < timeline->n_names; k++)
    for (uint32_t reason = 0; reason < QSM_STALL_COUNT; reason++) {
      uint32_t index = k * QSM_STALL_COUNT + reason, grown = sums[index] - timeline->stalls[index];
      char what[64];
      snprintf(what, sizeof what, "warps: %s", qsm_stall_name(reason));
      put_counter(timeline, PID_GPU, timeline->sampled, what, k,
                  (double)grown / (double)(cycle - timeline->sampled));
    }
  memcpy(timeline->stalls, sums, sizeof sums);
  timeline->sampled = cycle;
}

// ---- Cycles ----

// A kind that shall be seen gets a line here and a function above.
static void (*const handlers[QSM_EVENT_KIND_COUNT])(struct qsm_timeline *,
                                                    const struct qsm_event *) = {
    [QSM_EV_DISPATCH] = on_dispatch, [QSM_EV_END] = on_end,         [QSM_EV_ARRIVE] = on_arrive,
    [QSM_EV_RETIRE] = on_retire,     [QSM_EV_PREEMPT] = on_preempt, [QSM_EV_TBOP] = on_tbop,
    [QSM_EV_RESUMED] = on_resumed,   [QSM_EV_FAULT] = on_fault,     [QSM_EV_EPOCH] = on_epoch,
    [QSM_EV_QLOAD] = on_load,        [QSM_EV_QUOTA] = on_quota,     [QSM_EV_MOVE] = on_move,
    [QSM_EV_POWER] = on_power,
};

void qsm_timeline_cycle(struct qsm_timeline *timeline, uint64_t cycle,
                        const struct qsm_event *events, uint32_t n) {
  timeline->now = cycle + 1;
  for (uint32_t i = 0; i < n; i++)
    if (handlers[events[i].kind]) handlers[events[i].kind](timeline, &events[i]);
}

void qsm_timeline_end(struct qsm_timeline *timeline) {
  static const char unfinished[] = "\"unfinished\":true";
  for (uint32_t k = 0; k < timeline->config->num_kernels; k++)
    close_launch(timeline, k, unfinished);
  for (uint32_t sm = 0; sm < timeline->config->num_sms; sm++) {
    for (uint32_t tb = 0; tb < timeline->config->max_tbs; tb++)
      close_block(timeline, sm, tb, unfinished);
    close_phase(timeline, sm);
    close_use(timeline, sm);
    for (uint32_t k = 0; k < timeline->n_names; k++)
      if (timeline->sms[sm].counters[k].pending) show_counter(timeline, sm, k);
  }
  fputs("\n]}\n", timeline->out);
}

static void put_names(struct qsm_timeline *timeline) {
  put_name(timeline, "process_name", PID_GPU, 0, "GPU");
  for (uint32_t k = 0; k < timeline->n_names; k++)
    put_name(timeline, "thread_name", PID_GPU, TID_SLOT + k, "slot %u: %s", k, timeline->names[k]);
  put_name(timeline, "thread_name", PID_GPU, TID_EPOCHS, "epochs");
  for (uint32_t sm = 0; sm < timeline->config->num_sms; sm++) {
    put_name(timeline, "process_name", PID_SM + sm, 0, "SM %u", sm);
    for (uint32_t tb = 0; tb < timeline->config->max_tbs; tb++)
      put_name(timeline, "thread_name", PID_SM + sm, TID_TB + tb, "TB slot %u", tb);
    put_name(timeline, "thread_name", PID_SM + sm, TID_LOADS, "loads and faults");
    put_name(timeline, "thread_name", PID_SM + sm, TID_JOBS, "preemption");
    put_name(timeline, "thread_name", PID_SM + sm, TID_USE, "use");
  }
}

struct qsm_timeline *qsm_timeline_create(const struct qsm_config *config, uint64_t from,
                                         uint64_t to, const char *const *names, uint32_t n_names,
                                         FILE *out) {
  struct qsm_timeline *timeline = calloc(1, sizeof *timeline);
  if (!timeline) return NULL;
  *timeline = (struct qsm_timeline){.config = config,
                                    .names = names,
                                    .n_names = n_names,
                                    .from = from,
                                    .to = to,
                                    .out = out,
                                    .epoch_begin = NEVER};
  timeline->sms = calloc(config->num_sms, sizeof *timeline->sms);
  timeline->stalls = calloc(MAX_KERNELS * QSM_STALL_COUNT, sizeof *timeline->stalls);
  if (!timeline->sms || !timeline->stalls) {
    qsm_timeline_destroy(timeline);
    return NULL;
  }
  for (uint32_t sm = 0; sm < config->num_sms; sm++)
    timeline->sms[sm].use.slice.open = true;  // shared, and on
  fprintf(
      out,
      "{\"otherData\":{\"configuration\":\"%s\",\"unit\":\"a microsecond shown is a cycle\"},\"traceEvents\":[",
      config->name);
  put_names(timeline);
  return timeline;
}

void qsm_timeline_destroy(struct qsm_timeline *timeline) {
  if (!timeline) return;
  free(timeline->sms);
  free(timeline->stalls);
  free(timeline);
}
