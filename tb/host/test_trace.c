// SPDX-License-Identifier: Apache-2.0
// Traces (docs/traces.md) against the events that they are made of: a run of several kernels on
// odd, synthetic events for the rest.
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_support.h"
#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_random.h"
#include "qsm_konata.h"
#include "qsm_trace.h"
#include "qsm_trace_stream.h"

enum { EPOCH = 3000, SLICE = 700, COUNTER_STEP = 64 };

static const char *const names[2] = {"suite", "other"};

// ---- A run, with all its events kept ----

struct events {
  struct qsm_event *list;
  size_t n;
};

struct recording {
  struct qsm_trace *trace;
  struct events events;
};

// Room for one more than n elements, doubled at powers of two.
static void *grow(void *list, size_t n, size_t element_bytes) {
  if (n & (n - 1)) return list;
  void *more = realloc(list, (n ? 2 * n : 1) * element_bytes);
  assert_non_null(more);
  return more;
}

static void keep(struct events *events, const struct qsm_event *event) {
  events->list = grow(events->list, events->n, sizeof *events->list);
  events->list[events->n++] = *event;
}

static void record(void *ctx, const struct qsm_event *event) {
  struct recording *recording = ctx;
  keep(&recording->events, event);
  qsm_trace_event(recording->trace, event);
}

static const char *path_of(const char *name, const char *suffix) {
  static char path[96];
  snprintf(path, sizeof path, "%s/%s.%s", program_folder, name, suffix);
  return path;
}

static void wait_sampling(struct recording *recording, qsmDevice_t device, uint64_t n_cycles) {
  for (uint64_t done = 0; done < n_cycles; done += SLICE) {
    assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + SLICE), qsmSuccess);
    qsm_trace_sample(recording->trace, qsmDeviceBackend(device));
  }
}

struct preemption {
  qsmDevice_t device;
  uint32_t n, n_done;
};

// Lets a launch run and takes blocks of it from the SMs, one after the other, by every technique.
static void wait_preempting(qsmContext_t context, void *user) {
  struct preemption *preemption = user;
  while (qsmContextSynchronize(context, 900) == qsmErrorTimeout) {
    qsmPreemptResult result;
    qsmTechnique technique = preemption->n % 5 ? qsmTechniqueSwitch : qsmTechniqueDrain;
    qsmError_t error =
        qsmPreempt(preemption->device, preemption->n++ % 3, context, technique, LONG, &result);
    assert_true(error == qsmSuccess || error == qsmErrorPreempt);
    preemption->n_done += error == qsmSuccess;
  }
}

// Programs with atomics, shared memory, divergence and divisions, and one that is killed, beside a
// kernel that spins, under quotas; everything ends.
static void run_traced(struct recording *recording, const char *name, bool with_l1, uint64_t from,
                       uint64_t to) {
  struct qsm_config config = {.num_sms = 3,
                              .num_sched = 2,
                              .warps_per_sm = 6,
                              .warp_size = 4,
                              .num_kernels = 3,
                              .max_tbs = 5,
                              .mem_txns = 8,
                              .noc_lat = 3,
                              .stall_counters = 1,
                              .l1_kib = with_l1,
                              .name = "odd"};
  char konata_path[96], path[CONFIG_PATH_BYTES];
  snprintf(konata_path, sizeof konata_path, "%s", path_of(name, "log"));
  const struct qsm_trace_options options = {.konata_path = konata_path,
                                            .timeline_path = path_of(name, "json"),
                                            .from = from,
                                            .to = to,
                                            .names = names,
                                            .n_names = 2};
  const struct qsm_backend_options backend = {.sink = record, .sink_ctx = recording};
  char msg[256] = "";
  qsmDevice_t device = NULL;
  *recording = (struct recording){0};
  assert_int_equal(qsm_trace_open(&options, &config, &recording->trace, msg, sizeof msg), 0);
  change_config("odd", with_l1 ? "s/^l1_kib:.*/l1_kib: 1/" : "s/^l1_kib:.*/l1_kib: 0/", path);
  if (qsmDeviceOpen("model", path, &backend, &device, msg, sizeof msg)) fail_msg("%s", msg);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeRollover, EPOCH), qsmSuccess);
  qsmContext_t suite = open_context(device), other = open_context(device);
  uint32_t flag = allocate(other, 64), room = allocate(suite, 4096);
  const uint32_t stop = 1;
  struct preemption preemption = {.device = device};
  assert_int_equal(qsmSetSaveArea(suite, 2), qsmSuccess);
  assert_int_equal(qsmSetQoS(suite, 1 << 16), qsmSuccess);
  assert_int_equal(launch(suite, "divide", 20, room, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(launch(other, "endless", 3, flag, 0, NULL, NULL), qsmSuccess);
  wait_sampling(recording, device, 30000);
  for (uint32_t i = 0; i < 12; i++) {
    const char *const killed[] = {"illegal", "peek"};
    assert_int_equal(launch(suite, killed[i % 2], 12, room, 0x40000000, NULL, NULL), qsmSuccess);
    assert_int_equal(qsmContextSynchronize(suite, LONG), qsmErrorKernelFault);
  }
  assert_int_equal(run_program_with(suite, qsm_suite_find("histogram"), QSM_SIZE_S, 1,
                                    wait_preempting, &preemption),
                   0);
  assert_int_equal(
      run_program_with(suite, qsm_suite_find("bfs"), QSM_SIZE_S, 1, wait_preempting, &preemption),
      0);
  assert_true(preemption.n_done > 5);
  assert_int_equal(qsmMemcpyHtoD(other, flag, &stop, 4), qsmSuccess);
  assert_int_equal(qsmDeviceSynchronize(device, LONG), qsmSuccess);
  wait_sampling(recording, device, 2 * EPOCH);
  qsmDeviceClose(device);
  if (qsm_trace_close(recording->trace, msg, sizeof msg)) fail_msg("%s", msg);
}

static void forget(struct recording *recording) { free(recording->events.list); }

// All of it, for several tests.
static struct recording whole;

static int run_whole(void **state) {
  if (copy_programs(state)) return -1;
  run_traced(&whole, "whole", false, 0, UINT64_MAX);
  return 0;
}

static int forget_whole(void **state) {
  forget(&whole);
  return remove_programs(state);
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *text = malloc((size_t)size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  text[size] = 0;
  fclose(file);
  return text;
}

// Cycles in which a sequencer was busy.
static uint64_t busy_cycles(const struct events *events) {
  uint64_t since[3] = {0}, sum = 0;
  for (size_t i = 0; i < events->n; i++) {
    const struct qsm_event *event = &events->list[i];
    if (event->kind != QSM_EV_TBOP) continue;
    if (since[event->sm]) sum += event->cycle - since[event->sm];
    since[event->sm] = event->word[0] ? event->cycle : 0;
  }
  return sum;
}

static size_t count_kind(const struct events *events, uint8_t kind) {
  size_t n = 0;
  for (size_t i = 0; i < events->n; i++) n += events->list[i].kind == kind;
  return n;
}

// ---- Konata ----

enum { N_STAGES = 11 };
static const char *const stage_names[N_STAGES] = {"Fm", "F", "Is", "RR", "X1", "X2",
                                                  "Q",  "L", "M",  "Dv", "Wb"};
enum {
  STAGE_FM,
  STAGE_F,
  STAGE_IS,
  STAGE_RR,
  STAGE_X1,
  STAGE_X2,
  STAGE_Q,
  STAGE_L,
  STAGE_M,
  STAGE_DV,
  STAGE_WB
};

struct line {
  uint32_t thread, pc;
  uint64_t first[N_STAGES], last[N_STAGES];  // cycles in which it was started; 0: never
  uint32_t n[N_STAGES];
  uint64_t begin, end;
  bool ended, flushed;
};

struct pipeline {
  struct line *lines;
  size_t n, n_retired;
};

static uint32_t stage_number(const char *name) {
  for (uint32_t i = 0; i < N_STAGES; i++)
    if (strcmp(stage_names[i], name) == 0) return i;
  fail_msg("stage '%s'", name);
  return 0;
}

static void read_command(struct pipeline *pipeline, const char *text, uint64_t *cycle) {
  uint64_t id = 0, value = 0;
  uint32_t thread = 0, flushed = 0, place[3], pc = 0;
  char stage[8];
  if (sscanf(text, "C=\t%" SCNu64, cycle) == 1) return;
  if (sscanf(text, "C\t%" SCNu64, &value) == 1) {
    assert_true(value > 0);
    *cycle += value;
    return;
  }
  if (sscanf(text, "I\t%" SCNu64 "\t%" SCNu64 "\t%u", &id, &value, &thread) == 3) {
    assert_int_equal(id, pipeline->n);
    assert_int_equal(value, id);
    pipeline->lines = grow(pipeline->lines, pipeline->n, sizeof *pipeline->lines);
    pipeline->lines[pipeline->n++] = (struct line){.thread = thread, .begin = *cycle};
    return;
  }
  assert_int_equal(sscanf(text + 2, "%" SCNu64, &id), 1);
  assert_true(id < pipeline->n);
  struct line *line = &pipeline->lines[id];
  assert_false(line->ended);
  if (sscanf(text, "L\t%*u\t0\t%u.%u.%u %x:", &place[0], &place[1], &place[2], &pc) == 4) {
    assert_int_equal((place[0] * 2 + place[1]) * 3 + place[2], line->thread);
    line->pc = pc;
  } else if (sscanf(text, "S\t%*u\t0\t%7s", stage) == 1) {
    uint32_t number = stage_number(stage);
    if (line->n[number]++ == 0) line->first[number] = *cycle;
    line->last[number] = *cycle;
  } else if (sscanf(text, "R\t%*u\t%" SCNu64 "\t%u", &value, &flushed) == 2) {
    assert_int_equal(value, pipeline->n_retired);
    pipeline->n_retired += !flushed;
    line->ended = true;
    line->flushed = flushed;
    line->end = *cycle;
  } else {
    assert_int_equal(text[0], 'L');
  }
}

static struct pipeline read_pipeline(const char *name) {
  struct pipeline pipeline = {0};
  uint64_t cycle = 0;
  char *text = read_file(path_of(name, "log")), *rest = NULL;
  char *line = strtok_r(text, "\n", &rest);
  assert_string_equal(line, "Kanata\t0004");
  while ((line = strtok_r(NULL, "\n", &rest))) read_command(&pipeline, line, &cycle);
  free(text);
  return pipeline;
}

static uint32_t thread_of(const struct qsm_event *event, uint32_t warp) {
  return (event->sm * 2u + event->sub) * 3 + warp;
}

// The issued line of a thread with the given cycle for a stage's start, or NULL.
static const struct line *find_line(const struct pipeline *pipeline, uint32_t thread,
                                    uint32_t stage, uint64_t cycle) {
  for (size_t i = 0; i < pipeline->n; i++) {
    const struct line *line = &pipeline->lines[i];
    if (line->thread == thread && line->n[stage] && line->first[stage] <= cycle &&
        cycle <= line->last[stage])
      return line;
  }
  return NULL;
}

// In a long run looking from the front takes too long: both are in order of cycles, nearly.
static const struct line *find_issued(const struct pipeline *pipeline, size_t *from,
                                      uint32_t thread, uint64_t cycle) {
  while (*from < pipeline->n && pipeline->lines[*from].ended && pipeline->lines[*from].end < cycle)
    ++*from;
  for (size_t i = *from; i < pipeline->n && pipeline->lines[i].begin <= cycle; i++)
    if (pipeline->lines[i].thread == thread && pipeline->lines[i].first[STAGE_IS] == cycle)
      return &pipeline->lines[i];
  return NULL;
}

static void assert_stages(const struct line *line) {
  for (uint32_t i = 1; i <= 3; i++)
    assert_int_equal(line->first[STAGE_IS + i], line->first[STAGE_IS] + i);
  for (uint32_t i = STAGE_IS; i <= STAGE_X2; i++) assert_int_equal(line->n[i], 1);
  assert_true(line->n[STAGE_F] == 0 ||
              (line->n[STAGE_F] == 1 && line->first[STAGE_F] < line->first[STAGE_IS]));
  assert_true(line->n[STAGE_FM] <= 1 &&
              (!line->n[STAGE_FM] || line->first[STAGE_FM] < line->first[STAGE_F]));
  assert_int_equal(line->n[STAGE_L] != 0, line->n[STAGE_Q] != 0);
  assert_true(line->n[STAGE_WB] == 0 || line->end == line->last[STAGE_WB] + 1);
  if (line->n[STAGE_Q] == 0 && line->n[STAGE_DV] == 0)
    assert_in_range(line->end, line->first[STAGE_IS] + 4, line->first[STAGE_IS] + 5);
}

// R-TR-1: words that were fetched, and those among them that were not issued leave with their split
// or their warp.
static void assert_fetched(const struct pipeline *pipeline, const struct events *events) {
  enum { N_THREADS = 18, N_CYCLES = 1 << 20 };
  size_t n_words = 0, n_rows = 0, n_dropped = 0;
  uint8_t *leaves = calloc(N_THREADS, N_CYCLES);
  assert_non_null(leaves);
  for (size_t i = 0; i < events->n; i++) {
    const struct qsm_event *event = &events->list[i];
    assert_true(event->cycle < N_CYCLES);
    if (event->kind == QSM_EV_FETCH) {
      n_words += event->word[2] == 0 ? (event->word[1] & 4 ? 1 : 2) : event->word[2] == 2;
      n_dropped += event->word[2] == 3;
    }
    if (event->kind == QSM_EV_RESOLVE || event->kind == QSM_EV_FINISH)
      leaves[thread_of(event, event->word[0]) * N_CYCLES + event->cycle] = 1;
  }
  for (size_t i = 0; i < pipeline->n; i++) {
    const struct line *line = &pipeline->lines[i];
    n_rows += line->n[STAGE_F];
    if (line->flushed && !leaves[line->thread * N_CYCLES + line->end])
      fail_msg("row %zu is flushed at %" PRIu64, i, line->end);
  }
  assert_int_equal(n_rows, n_words);
  assert_true(n_dropped > 0);
  free(leaves);
}

static int by_cycle(const void *a, const void *b) {
  const struct qsm_event *left = a, *right = b;
  return left->cycle < right->cycle ? -1 : left->cycle > right->cycle;
}

static void check_lines(const char *name, struct events *events) {
  struct pipeline pipeline = read_pipeline(name);
  size_t n_issued = 0, n_divided = 0, n_loaded = 0, n_written = 0, n_waited = 0, n_passes = 0,
         from = 0;
  for (size_t i = 0; i < pipeline.n; i++) {
    const struct line *line = &pipeline.lines[i];
    assert_true(line->ended);
    assert_int_equal(line->flushed, line->n[STAGE_IS] == 0);
    n_issued += !line->flushed;
    n_divided += line->n[STAGE_DV];
    n_loaded += line->n[STAGE_M] != 0;
    n_waited += line->n[STAGE_FM];
    n_written += line->n[STAGE_WB];
    n_passes += line->n[STAGE_L];
    if (!line->flushed) assert_stages(line);
  }
  assert_int_equal(n_issued, count_kind(events, QSM_EV_ISSUE) + count_kind(events, QSM_EV_INJECT));
  assert_true(count_kind(events, QSM_EV_INJECT) > 500);
  assert_int_equal(n_written, count_kind(events, QSM_EV_WB));
  assert_int_equal(n_passes, count_kind(events, QSM_EV_LSU_PASS));
  assert_true(n_divided > 20 && n_loaded > 1000 && n_waited > 20);
  assert_fetched(&pipeline, events);
  qsort(events->list, events->n, sizeof *events->list, by_cycle);
  for (size_t i = 0; i < events->n; i++) {
    const struct qsm_event *event = &events->list[i];
    if (event->kind != QSM_EV_ISSUE && event->kind != QSM_EV_INJECT) continue;
    bool issued = event->kind == QSM_EV_ISSUE;
    const struct line *line =
        find_issued(&pipeline, &from, thread_of(event, event->word[0]), event->cycle);
    if (!line || line->pc != event->word[issued ? 2 : 3] || line->n[STAGE_F] != issued)
      fail_msg("cycle %" PRIu64 ", sm %u.%u warp %u: no line", event->cycle, event->sm, event->sub,
               event->word[0]);
  }
  free(pipeline.lines);
}

// R-TR-1, R-TR-2.
static void every_issue_is_one_line_with_its_stages(void **state) {
  (void)state;
  check_lines("whole", &whole.events);
}

static void so_it_is_with_an_l1(void **state) {
  (void)state;
  struct recording recording;
  run_traced(&recording, "with_l1", true, 0, UINT64_MAX);
  assert_true(count_kind(&recording.events, QSM_EV_L1_OP) > 1000);
  check_lines("with_l1", &recording.events);
  forget(&recording);
}

// R-TR-2, R-TR-3.
static void writes_and_fetches_are_where_their_events_are(void **state) {
  (void)state;
  struct recording recording;
  run_traced(&recording, "part", false, 500, 1500);
  struct pipeline pipeline = read_pipeline("part");
  size_t n_writes = 0, n_fetches = 0;
  assert_true(pipeline.n > 300);
  for (size_t i = 0; i < pipeline.n; i++) {
    assert_in_range(pipeline.lines[i].begin, 500, 1500);
    assert_true(pipeline.lines[i].ended);
  }
  for (size_t i = 0; i < recording.events.n; i++) {
    const struct qsm_event *event = &recording.events.list[i];
    bool write = event->kind == QSM_EV_WB && event->cycle >= 800 &&
                 event->cycle <= 1500;  // of what was fetched from 500 on
    bool fetch = event->kind == QSM_EV_FETCH && event->word[2] == 0 && event->cycle >= 600 &&
                 event->cycle <= 1500;  // of lines that were missed from 500 on
    if (!write && !fetch) continue;
    const struct line *line = find_line(&pipeline, thread_of(event, event->word[0]),
                                        write ? STAGE_WB : STAGE_F, event->cycle);
    if (!line)
      fail_msg("cycle %" PRIu64 ", sm %u.%u warp %u: no %s", event->cycle, event->sm, event->sub,
               event->word[0], write ? "Wb" : "F");
    n_writes += write;
    n_fetches += fetch;
  }
  assert_true(n_writes > 50 && n_fetches > 100);
  free(pipeline.lines);
  forget(&recording);
}

// ---- Timeline ----

static double number_of(const cJSON *item, const char *key) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, key);
  assert_true(cJSON_IsNumber(value));
  return value->valuedouble;
}

static const char *text_of(const cJSON *item, const char *key) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, key);
  assert_true(cJSON_IsString(value));
  return value->valuestring;
}

static cJSON *read_timeline(const char *name) {
  char *text = read_file(path_of(name, "json"));
  cJSON *root = cJSON_Parse(text);
  free(text);
  assert_non_null(root);
  return root;
}

static double counter_value(const cJSON *item) {
  return number_of(cJSON_GetObjectItemCaseSensitive(item, "args"), "value");
}

// The QUOTA events of an SM, in their order.
static struct events quotas_of(const struct events *events, uint32_t sm) {
  struct events some = {0};
  for (size_t i = 0; i < events->n; i++)
    if (events->list[i].kind == QSM_EV_QUOTA && events->list[i].sm == sm)
      keep(&some, &events->list[i]);
  return some;
}

// C of a kernel after a cycle: of the last of these events up to it.
static bool quota_after(const struct events *quotas, uint32_t kernel, uint64_t cycle,
                        int32_t *value) {
  size_t low = 0, high = quotas->n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (quotas->list[middle].cycle <= cycle)
      low = middle + 1;
    else
      high = middle;
  }
  if (low) *value = (int32_t)quotas->list[low - 1].word[kernel];
  return low != 0;
}

struct place {
  uint32_t sm, kernel;
  uint64_t at;
};

struct shape {
  struct place *places;  // of the values of quota counters
  uint64_t end[64][64];  // of the last slice of a thread; in file order they do not overlap
  size_t n_blocks, n_launches, n_epochs, n_counters, n_quotas, n_faults, n_saved, n_restored,
      n_requests, n_resumed;
  uint64_t busy_cycles, use_cycles;
  bool killed;
  double issued[2];  // warps, summed over the samples
};

static void look_at_slice(struct shape *shape, const cJSON *item) {
  uint32_t pid = (uint32_t)number_of(item, "pid"), tid = (uint32_t)number_of(item, "tid") % 64;
  uint64_t begin = (uint64_t)number_of(item, "ts"), length = (uint64_t)number_of(item, "dur");
  assert_true(length > 0);
  if (begin < shape->end[pid][tid])
    fail_msg("process %u, thread %u: slices overlap at %" PRIu64, pid, tid, begin);
  shape->end[pid][tid] = begin + length;
  bool epoch = strncmp(text_of(item, "name"), "epoch ", 6) == 0;
  shape->n_epochs += epoch;
  shape->killed |=
      pid == 1 && cJSON_HasObjectItem(cJSON_GetObjectItemCaseSensitive(item, "args"), "killed");
  shape->n_launches += pid == 1 && !epoch;
  bool job = tid == 101 % 64, use = tid == 102 % 64;
  const cJSON *args = cJSON_GetObjectItemCaseSensitive(item, "args");
  shape->busy_cycles += job ? length : 0;
  shape->n_blocks += pid > 1 && !job && !use;
  if (use) assert_string_equal(text_of(item, "name"), "shared");
  shape->use_cycles += use ? length : 0;
  shape->n_saved += cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(args, "saved"));
  shape->n_restored += cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(args, "restored"));
}

static void look_at_counter(struct shape *shape, const cJSON *item, const struct events quotas[3]) {
  const char *name = text_of(item, "name");
  uint32_t pid = (uint32_t)number_of(item, "pid"), kernel = strstr(name, "of other") != NULL;
  uint64_t at = (uint64_t)number_of(item, "ts");
  int32_t value = 0;
  shape->n_quotas += strncmp(name, "quota", 5) == 0;
  if (strncmp(name, "C of", 4) != 0) return;
  shape->places = grow(shape->places, shape->n_counters, sizeof *shape->places);
  shape->places[shape->n_counters++] = (struct place){pid - 2, kernel, at};
  if (!quota_after(&quotas[pid - 2], kernel, at - 1, &value) || value != counter_value(item))
    fail_msg("%s on SM %u at %" PRIu64 ": %g, the event had %d", name, pid - 2, at,
             counter_value(item), value);
}

static struct shape look_at(const cJSON *root, const struct events *events) {
  struct shape shape = {0};
  struct events quotas[3];
  for (uint32_t sm = 0; sm < 3; sm++) quotas[sm] = quotas_of(events, sm);
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "traceEvents")) {
    shape.n_faults += strcmp(text_of(item, "name"), "fault") == 0;
    shape.n_resumed += strcmp(text_of(item, "name"), "resumed") == 0;
    shape.n_requests +=
        strcmp(text_of(item, "name"), "switch") == 0 || strcmp(text_of(item, "name"), "drain") == 0;
    if (text_of(item, "ph")[0] == 'X') look_at_slice(&shape, item);
    if (text_of(item, "ph")[0] == 'C') look_at_counter(&shape, item, quotas);
  }
  for (uint32_t sm = 0; sm < 3; sm++) free(quotas[sm].list);
  return shape;
}

// R-TR-4, R-TR-5: every rise and every passing of 0 is shown in its cycle, every other change not
// more than some cycles after a value; what is there before a rise, a passing or a pause, too.
static void assert_counter_is_followed(const struct shape *shape, const struct events *quotas,
                                       uint32_t sm, uint32_t kernel) {
  size_t next = 0;
  uint64_t shown = 0, changed = 0, shown_before = 0;
  int32_t before = 0;
  for (size_t i = 0; i < quotas->n; i++) {
    int32_t value = (int32_t)quotas->list[i].word[kernel];
    uint64_t at = quotas->list[i].cycle + 1;
    for (; next < shape->n_counters &&
           (shape->places[next].at <= at || shape->places[next].sm != sm ||
            shape->places[next].kernel != kernel);
         next++)
      if (shape->places[next].sm == sm && shape->places[next].kernel == kernel)
        shown = shape->places[next].at;
    bool jump = value > before || (value > 0) != (before > 0);
    if (value != before) {
      if (jump ? shown != at : shown + COUNTER_STEP <= at)
        fail_msg("sm %u, kernel %u: C from %d to %d at %" PRIu64 ", shown at %" PRIu64, sm, kernel,
                 before, value, at, shown);
      if ((jump || at - changed >= COUNTER_STEP) && changed != shown_before)
        fail_msg("sm %u, kernel %u: C at %" PRIu64 " is not shown", sm, kernel, changed);
      changed = at;
      shown_before = shown;
    }
    before = value;
  }
}

static void assert_counters_are_followed(const struct shape *shape, const struct events *events) {
  for (uint32_t sm = 0; sm < 3; sm++) {
    struct events quotas = quotas_of(events, sm);
    for (uint32_t kernel = 0; kernel < 2; kernel++)
      assert_counter_is_followed(shape, &quotas, sm, kernel);
    free(quotas.list);
  }
}

static void a_timeline_is_made_of_its_events(void **state) {
  (void)state;
  const struct events *events = &whole.events;
  cJSON *root = read_timeline("whole");
  struct shape shape = look_at(root, events);
  size_t n_ended = 0, n_saved = 0, n_restored = 0;
  for (size_t i = 0; i < events->n; i++) {
    const struct qsm_event *event = &events->list[i];
    if (event->kind == QSM_EV_END) n_ended += (size_t)__builtin_popcount(event->word[0]);
    n_saved += event->kind == QSM_EV_RETIRE && event->word[1];
    n_restored += event->kind == QSM_EV_ARRIVE && event->word[5];
  }
  assert_int_equal(shape.n_blocks, count_kind(events, QSM_EV_RETIRE));
  assert_int_equal(shape.n_launches, n_ended);
  assert_int_equal(shape.n_saved, n_saved);
  assert_int_equal(shape.n_restored, n_restored);
  assert_int_equal(shape.n_requests, count_kind(events, QSM_EV_PREEMPT));
  assert_int_equal(shape.n_resumed, count_kind(events, QSM_EV_RESUMED));
  assert_int_equal(shape.busy_cycles, busy_cycles(events));
  assert_true(n_saved > 3 && n_restored > 3);
  assert_true(n_ended > 5);
  assert_int_equal(shape.n_epochs, count_kind(events, QSM_EV_EPOCH) - 1);
  assert_int_equal(shape.n_quotas, 2 * count_kind(events, QSM_EV_EPOCH));
  assert_int_equal(shape.n_faults, count_kind(events, QSM_EV_FAULT));
  assert_true(shape.killed && shape.n_faults > 0);
  assert_counters_are_followed(&shape, events);
  assert_true(shape.n_counters < count_kind(events, QSM_EV_QUOTA));
  free(shape.places);
  cJSON_Delete(root);
}

// The counters of why warps did not issue, times the cycles of their intervals: selected is what
// ISSUE events say.
static void the_stall_mix_has_what_was_issued(void **state) {
  (void)state;
  cJSON *root = read_timeline("whole");
  const cJSON *item = NULL;
  size_t n_issued = 0;
  double sum = 0, at[1000], rate[1000];
  uint32_t n = 0;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "traceEvents")) {
    if (strcmp(text_of(item, "name"), "warps: selected of suite") != 0) continue;
    assert_true(n < 1000);
    at[n] = number_of(item, "ts");
    rate[n++] = counter_value(item);
  }
  for (uint32_t i = 0; i + 1 < n; i++) sum += rate[i] * (at[i + 1] - at[i]);
  for (size_t i = 0; i < whole.events.n; i++)
    n_issued += whole.events.list[i].kind == QSM_EV_ISSUE && whole.events.list[i].word[1] == 0;
  assert_int_equal((int64_t)(sum + 0.5), n_issued);
  cJSON_Delete(root);
}

// R-TR-6.
static void a_part_of_a_timeline_is_cut_from_the_whole(void **state) {
  (void)state;
  struct recording recording;
  run_traced(&recording, "part", false, 15000, 17000);
  cJSON *root = read_timeline("part");
  struct shape shape = look_at(root, &recording.events);
  const cJSON *item = NULL;
  size_t n_at_start = 0;
  assert_true(shape.n_blocks > 0 && shape.n_counters > 10);
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "traceEvents")) {
    if (text_of(item, "ph")[0] == 'M') continue;
    double at = number_of(item, "ts"),
           length = text_of(item, "ph")[0] == 'X' ? number_of(item, "dur") : 0;
    assert_true(at >= 15000 && at + length <= 17001);
    n_at_start += text_of(item, "ph")[0] == 'X' && at == 15000;
  }
  assert_true(n_at_start > 1);  // what was going on
  free(shape.places);
  cJSON_Delete(root);
  forget(&recording);
}

// ---- Order ----

struct seen {
  struct events events;
};

static void see(void *ctx, uint64_t cycle, const struct qsm_event *events, uint32_t n) {
  struct seen *seen = ctx;
  for (uint32_t i = 0; i < n; i++) {
    assert_int_equal(events[i].cycle, cycle);
    keep(&seen->events, &events[i]);
  }
}

static void events_come_in_order_however_far_ahead_an_sm_is(void **state) {
  (void)state;
  for (uint32_t noc_lat = 1; noc_lat <= 16; noc_lat++) {
    struct seen seen = {0};
    struct qsm_random random = qsm_random_seed(noc_lat);
    struct qsm_trace_stream *stream = qsm_trace_stream_create(noc_lat, see, &seen);
    uint32_t n = 0;
    assert_non_null(stream);
    for (uint64_t window = 5; window < 5000;
         window += noc_lat + (qsm_random_below(&random, 10) ? 0 : 300))
      for (uint32_t sm = 0; sm < 4; sm++)
        for (uint32_t i = 0; i < noc_lat; i++) {
          if (qsm_random_below(&random, 3)) continue;
          qsm_trace_stream_add(stream,
                               &(struct qsm_event){.cycle = window + i - (sm == 3),
                                                   .kind = (uint8_t)qsm_random_below(&random, 3),
                                                   .sm = (uint8_t)sm});
          n++;
        }
    assert_int_equal(qsm_trace_stream_end(stream), 0);
    assert_int_equal(seen.events.n, n);
    for (uint32_t i = 1; i < n; i++) {
      const struct qsm_event *a = &seen.events.list[i - 1], *b = &seen.events.list[i];
      assert_true(
          a->cycle < b->cycle ||
          (a->cycle == b->cycle && (a->kind < b->kind || (a->kind == b->kind && a->sm <= b->sm))));
    }
    qsm_trace_stream_destroy(stream);
    free(seen.events.list);
  }
}

// ---- The format, word by word ----

static const struct qsm_config small = {
    .num_sms = 1, .num_sched = 1, .warps_per_sm = 4, .warp_size = 4, .mem_txns = 8};

// A missed pair of words, a load that goes through memory, and a branch behind it, whose packet's
// second word is dropped.
static void the_pipeline_of_three_words(void **state) {
  (void)state;
  enum { LW = 0x0002A303 /* lw t1, 0(t0) */, BEQ = 0x00000463 /* beq zero, zero, +8 */ };
  static const struct qsm_event events[] = {
      {.cycle = 10, .kind = QSM_EV_FETCH, .word = {2, 0x80000004, 1}},
      {.cycle = 30, .kind = QSM_EV_FETCH, .word = {2, 0x80000004, 0}},
      {.cycle = 31, .kind = QSM_EV_ISSUE, .word = {2, 0, 0x80000004, 0xF, LW, 0}},
      {.cycle = 32, .kind = QSM_EV_FETCH, .word = {2, 0x80000008, 0}},
      {.cycle = 33, .kind = QSM_EV_ISSUE, .word = {2, 0, 0x80000008, 0xF, BEQ, 0xFF}},
      {.cycle = 36, .kind = QSM_EV_RESOLVE, .word = {2, 0xF}},
      {.cycle = 37, .kind = QSM_EV_LSU_PASS, .word = {0, 2, 1, 0xF}},
      {.cycle = 37, .kind = QSM_EV_REQ, .word = {0, 0x80001000, 5}},
      {.cycle = 60, .kind = QSM_EV_RETURN, .word = {5}},
      {.cycle = 62, .kind = QSM_EV_WB, .word = {2, 6, 0xF}},
  };
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  struct qsm_konata *konata = qsm_konata_create(&small, 0, UINT64_MAX, names, 1, out);
  for (size_t i = 0, n; i < sizeof events / sizeof events[0]; i += n) {
    for (n = 1; i + n < sizeof events / sizeof events[0] && events[i + n].cycle == events[i].cycle;)
      n++;
    qsm_konata_cycle(konata, events[i].cycle, &events[i], (uint32_t)n);
  }
  qsm_konata_end(konata);
  qsm_konata_destroy(konata);
  fclose(out);
  char *golden = read_file("tb/host/golden/pipeline.log");
  assert_string_equal(text, golden);
  free(golden);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pipeline_of_three_words),
      cmocka_unit_test(events_come_in_order_however_far_ahead_an_sm_is),
      cmocka_unit_test(every_issue_is_one_line_with_its_stages),
      cmocka_unit_test(so_it_is_with_an_l1),
      cmocka_unit_test(writes_and_fetches_are_where_their_events_are),
      cmocka_unit_test(a_timeline_is_made_of_its_events),
      cmocka_unit_test(the_stall_mix_has_what_was_issued),
      cmocka_unit_test(a_part_of_a_timeline_is_cut_from_the_whole),
  };
  return cmocka_run_group_tests(tests, run_whole, forget_whole);
}
