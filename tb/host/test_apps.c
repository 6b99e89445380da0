// SPDX-License-Identifier: Apache-2.0
// Applications (docs/applications.md): their lists of steps, each alone on the model, two at once,
// negative controls and bad input.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_support.h"
#include "qsm_app_internal.h"
#include "qsm_config.h"

enum { SLOTS = 2, SEED = 1, MOST_STACK = 256, CYCLES = 20000000 };

static char kernels[512];
static qsmDevice_t device;
static char msg[512];

static void check_call(qsmError_t error, int line) {
  if (error)
    fail_msg("line %d: %s: %s, %s", line, qsmGetErrorString(error), msg,
             qsmGetLastErrorText(device));
}
#define CHECK(call) check_call(call, __LINE__)

static void expect(qsmError_t got, qsmError_t wanted, const char *text, int line) {
  if (got != wanted)
    fail_msg("line %d: %s (%s) instead of %s", line, qsmGetErrorString(got), msg,
             qsmGetErrorString(wanted));
  if (!strstr(msg, text)) fail_msg("line %d: '%s' does not say '%s'", line, msg, text);
}
#define EXPECT(call, error, text) expect(call, error, text, __LINE__)

static int set_up(void **state) {
  const char *root = getenv("QSM_ROOT");
  (void)state;
  snprintf(kernels, sizeof kernels, "%s/build/sw", root ? root : ".");
  return 0;
}

// ---- Runs ----

static qsmContext_t open_slot(const char *config) {
  qsmContext_t context = NULL;
  device = open_device(config);
  CHECK(qsmContextCreate(device, &context));
  return context;
}

static struct qsm_app_run *create(const struct qsm_app *app, qsmContext_t context,
                                  qsmStream_t stream, uint64_t seed) {
  struct qsm_app_run *run = NULL;
  const struct qsm_app_options options = {.size = QSM_APP_T,
                                          .weight_seed = seed,
                                          .input_seed = seed,
                                          .kernel_folder = kernels,
                                          .stream = stream};
  CHECK(qsm_app_create(app, &options, device, context, &run, msg, sizeof msg));
  return run;
}

static struct qsm_app_difference check(struct qsm_app_run *run) {
  struct qsm_app_difference difference = {.n_wrong = UINT64_MAX};
  CHECK(qsm_app_check(run, CYCLES, &difference));
  return difference;
}

static void expect_right(struct qsm_app_run *run, const char *when) {
  struct qsm_app_difference difference = check(run);
  if (difference.n_wrong)
    fail_msg("%s, %s: %llu wrong elements, first step %s, element %llu of %s: %08x, not %08x",
             qsm_app_of(run)->name, when, (unsigned long long)difference.n_wrong, difference.step,
             (unsigned long long)difference.element, difference.buffer, difference.got,
             difference.expected);
}

// One pass without step `left_out`. A step behind it may take what is missing for an index, and is
// killed then: true.
static bool run_without(struct qsm_app_run *run, qsmContext_t context, uint32_t left_out) {
  bool killed = false;
  for (uint32_t i = 0; i < qsm_app_step_count(run); i++) {
    qsmLaunch launch = qsm_app_launch(run, i);
    if (i == left_out) continue;
    CHECK(qsmLaunchKernelEx(context, &launch, NULL, NULL));
    qsmError_t error = qsmContextSynchronize(context, CYCLES);
    killed |= error == qsmErrorKernelFault;
    if (error != qsmErrorKernelFault) CHECK(error);
  }
  return killed;
}

// ---- Lists of steps ----

static bool is_in(uint32_t buffer, const uint32_t *list, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (list[i] == buffer) return true;
  return false;
}

static void check_buffers(const struct qsm_app *app, const struct qsm_app_plan *plan) {
  bool *written = calloc(plan->n_buffers, sizeof *written);
  uint32_t n_outputs = 0;
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    const struct qsm_app_step *step = &plan->steps[i].shown;
    for (uint32_t j = 0; j < step->n_reads; j++) {
      const struct qsm_app_buffer *buffer = &plan->buffers[step->reads[j]].shown;
      bool given = buffer->role == QSM_APP_WEIGHTS || buffer->role == QSM_APP_INPUT;
      if (!given && !written[step->reads[j]])
        fail_msg("%s: %s reads %s, which nobody has written", app->name, step->name, buffer->name);
    }
    for (uint32_t j = 0; j < step->n_writes; j++) {
      enum qsm_app_role role = plan->buffers[step->writes[j]].shown.role;
      assert_true(role == QSM_APP_BETWEEN || role == QSM_APP_OUTPUT);
      written[step->writes[j]] = true;
    }
  }
  for (uint32_t i = 0; i < plan->n_buffers; i++) {
    enum qsm_app_role role = plan->buffers[i].shown.role;
    assert_int_equal(written[i], role == QSM_APP_BETWEEN || role == QSM_APP_OUTPUT);
    n_outputs += role == QSM_APP_OUTPUT;
  }
  assert_true(n_outputs > 0);
  free(written);
}

// R-AP-3, from the plan's own arguments.
static bool alike(const struct qsm_app_plan *plan, uint32_t a, uint32_t b) {
  const struct qsm_app_launch_plan *p = &plan->steps[a], *q = &plan->steps[b];
  bool same = strcmp(p->shown.kernel, q->shown.kernel) == 0 && p->shown.grid.x == q->shown.grid.x &&
              p->shown.grid.y == q->shown.grid.y && p->shown.grid.z == q->shown.grid.z &&
              p->shown.block.x == q->shown.block.x && p->shown.block.y == q->shown.block.y &&
              p->shown.block.z == q->shown.block.z &&
              p->shown.shared_bytes == q->shown.shared_bytes;
  for (uint32_t i = 0; same && i < p->shown.n_args; i++) {
    if (p->kernel->pattern[i] == 'n') {
      same = p->args[i] == q->args[i];
    } else {
      const struct qsm_app_buffer *x = &plan->buffers[(uint32_t)p->args[i]].shown,
                                  *y = &plan->buffers[(uint32_t)q->args[i]].shown;
      same = x->bytes == y->bytes && x->role == y->role;
    }
  }
  return same;
}

static void check_distinct(const struct qsm_app_plan *plan) {
  uint32_t n_seen = 0;
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    uint32_t distinct = plan->steps[i].shown.distinct;
    assert_true(distinct <= n_seen);
    n_seen += distinct == n_seen;
    for (uint32_t j = 0; j < i; j++)
      assert_int_equal(plan->steps[j].shown.distinct == distinct, alike(plan, i, j));
  }
  assert_int_equal(n_seen, plan->n_distinct);
}

// The demand changes: of at least two launches the blocks are as unlike as one to four.
static void check_demand(const struct qsm_app_plan *plan) {
  uint32_t fewest = UINT32_MAX, most = 0;
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    qsmDim3 grid = plan->steps[i].shown.grid;
    uint32_t n = grid.x * grid.y * grid.z;
    if (n < fewest) fewest = n;
    if (n > most) most = n;
  }
  assert_true(most >= 4 * fewest);
}

static void lists_hold_together(void **state) {
  (void)state;
  uint32_t n_apps = 0;
  for (const struct qsm_app *const *app = qsm_apps; *app; app++, n_apps++) {
    assert_ptr_equal(qsm_app_by_name((*app)->name), *app);
    for (int size = 0; size < QSM_APP_SIZE_COUNT; size++) {
      struct qsm_app_plan plan;
      assert_int_equal(qsm_app_plan_make(&plan, *app, (enum qsm_app_size)size), 0);
      check_buffers(*app, &plan);
      check_distinct(&plan);
      if (size != QSM_APP_T) check_demand(&plan);
      for (uint32_t i = 0; size == QSM_APP_T && i < plan.n_steps; i++) {
        qsmDim3 block = plan.steps[i].shown.block;
        assert_true(block.x * block.y * block.z <= 16);
        assert_true(plan.steps[i].shown.shared_bytes <= 4096);
      }
      assert_int_equal(qsm_app_bytes(*app, (enum qsm_app_size)size), qsm_app_plan_bytes(&plan));
      qsm_app_plan_free(&plan);
    }
  }
  assert_true(n_apps >= 12);
}

static bool same_contents(const struct qsm_app_plan *a, const struct qsm_app_plan *b,
                          enum qsm_app_role role) {
  for (uint32_t i = 0; i < a->n_buffers; i++)
    if (a->buffers[i].shown.role == role &&
        memcmp(a->buffers[i].host, b->buffers[i].host, a->buffers[i].shown.bytes))
      return false;
  return true;
}

static void seeds_give_weights_and_input(void **state) {
  (void)state;
  const struct qsm_app *app = qsm_app_by_name("resnet");
  static const uint64_t seeds[][2] = {{0, 0}, {0, 0}, {0, 7}, {7, 0}};
  struct qsm_app_plan plan[4];
  for (int i = 0; i < 4; i++) {
    assert_int_equal(qsm_app_plan_make(&plan[i], app, QSM_APP_T), 0);
    assert_int_equal(qsm_app_plan_fill(&plan[i], seeds[i][0], seeds[i][1]), 0);
  }
  for (int i = 1; i < 4; i++) {
    assert_int_equal(same_contents(&plan[0], &plan[i], QSM_APP_WEIGHTS), seeds[i][0] == 0);
    assert_int_equal(same_contents(&plan[0], &plan[i], QSM_APP_INPUT), seeds[i][1] == 0);
  }
  for (int i = 0; i < 4; i++) qsm_app_plan_free(&plan[i]);
}

// Of a layer whose outputs are all zero nothing behind it depends on what is before it.
static void no_layer_is_dead(void **state) {
  (void)state;
  for (const struct qsm_app *const *app = qsm_apps; *app; app++) {
    struct qsm_app_plan plan;
    assert_int_equal(qsm_app_plan_make(&plan, *app, QSM_APP_T), 0);
    assert_int_equal(qsm_app_plan_fill(&plan, SEED, SEED), 0);
    qsm_app_plan_refer(&plan);
    for (uint32_t i = 0; (*app)->needs_fpu && i < plan.n_buffers; i++) {
      const struct qsm_app_buffer *buffer = &plan.buffers[i].shown;
      const float *values = (const float *)plan.buffers[i].host;
      uint32_t n = (uint32_t)(buffer->bytes / 4), n_alive = 0;
      if (buffer->role != QSM_APP_BETWEEN && buffer->role != QSM_APP_OUTPUT) continue;
      for (uint32_t j = 0; j < n; j++) n_alive += values[j] != 0.0f && values[j] < 1e6f;
      if (10 * n_alive < n) fail_msg("%s: %s is mostly zero", (*app)->name, buffer->name);
    }
    qsm_app_plan_free(&plan);
  }
}

// ---- Alone ----

static void check_stacks(struct qsm_app_run *run, qsmContext_t context) {
  for (uint32_t i = 0; i < qsm_app_step_count(run); i++) {
    qsmKernelAttributes attributes;
    CHECK(qsmGetKernelAttributes(context, qsm_app_step(run, i)->kernel, &attributes));
    assert_true(attributes.stack_bytes <= MOST_STACK);
  }
}

static void check_places(struct qsm_app_run *run) {
  for (uint32_t i = 0; i < qsm_app_buffer_count(run); i++) {
    const struct qsm_app_buffer *a = qsm_app_buffer(run, i);
    for (uint32_t j = 0; j < i; j++) {
      const struct qsm_app_buffer *b = qsm_app_buffer(run, j);
      assert_true(a->address + a->bytes <= b->address || b->address + b->bytes <= a->address);
    }
  }
}

// Three passes: as made, once more as it is, and with another input.
static void run_alone(const char *config, const struct qsm_app *app) {
  qsmContext_t context = open_slot(config);
  uint64_t before = 0, after = 0;
  CHECK(qsmMemGetInfo(context, &before, NULL));
  struct qsm_app_run *run = create(app, context, NULL, SEED);
  check_stacks(run, context);
  check_places(run);
  assert_true(check(run).n_wrong > 0);  // nothing has run yet
  CHECK(qsm_app_run_alone(run, CYCLES));
  expect_right(run, "first pass");
  if (!brief_run()) {
    CHECK(qsm_app_run_alone(run, CYCLES));
    expect_right(run, "another pass behind it");
    CHECK(qsm_app_reset(run, SEED + 1, false));
    assert_true(check(run).n_wrong > 0);  // what is there belongs to the other input
    CHECK(qsm_app_run_alone(run, CYCLES));
    expect_right(run, "another input");
  }
  qsm_app_destroy(run);
  CHECK(qsmMemGetInfo(context, &after, NULL));
  assert_true(after <= before);  // stacks stay
  qsmDeviceClose(device);
}

static void each_computes_on_tiny(void **state) {
  (void)state;
  for (const struct qsm_app *const *app = qsm_apps; *app; app++) run_alone("tiny", *app);
}

static void each_computes_on_rdna2(void **state) {
  (void)state;
  for (const struct qsm_app *const *app = qsm_apps; *app; app++) run_alone("rdna2", *app);
}

// ---- On channels ----

static qsmContext_t open_on_channels(const struct qsm_app *app) {
  qsmContext_t context = NULL;
  CHECK(qsmContextCreateOnChannels(
      device, qsm_app_context_bytes(app, QSM_APP_T, qsmDeviceConfig(device), 2), &context));
  return context;
}

static void submit(struct qsm_app_run *run, qsmContext_t context, uint32_t step) {
  qsmLaunch launch = qsm_app_launch(run, step);
  if (step < qsm_app_step_count(run)) CHECK(qsmLaunchKernelEx(context, &launch, NULL, NULL));
}

// The outputs, one behind the other.
static uint8_t *outputs_of(struct qsm_app_run *run, qsmContext_t context, size_t *n_bytes) {
  uint8_t *bytes = malloc(1 << 20);
  *n_bytes = 0;
  for (uint32_t i = 0; i < qsm_app_buffer_count(run); i++) {
    const struct qsm_app_buffer *buffer = qsm_app_buffer(run, i);
    if (buffer->role != QSM_APP_OUTPUT) continue;
    CHECK(qsmMemcpyDtoH(context, bytes + *n_bytes, buffer->address, buffer->bytes));
    *n_bytes += buffer->bytes;
  }
  return bytes;
}

static uint8_t *outputs_alone(const char *config, const struct qsm_app *app, size_t *n_bytes) {
  qsmContext_t context = open_slot(config);
  struct qsm_app_run *run = create(app, context, NULL, SEED);
  CHECK(qsm_app_run_alone(run, CYCLES));
  uint8_t *bytes = outputs_of(run, context, n_bytes);
  qsm_app_destroy(run);
  qsmDeviceClose(device);
  return bytes;
}

static void run_two(const char *config, const char *first, const char *second) {
  const struct qsm_app *app[] = {qsm_app_by_name(first), qsm_app_by_name(second)};
  uint8_t *alone[2];
  size_t n_alone[2];
  for (int i = 0; i < 2; i++) alone[i] = outputs_alone(config, app[i], &n_alone[i]);
  device = open_device(config);
  CHECK(qsmDeviceUseChannels(device, SLOTS, qsmChannelsConcurrent));
  qsmContext_t context[2];
  struct qsm_app_run *run[2];
  uint32_t most = 0;
  for (int i = 0; i < 2; i++) {
    qsmStream_t stream = NULL;
    context[i] = open_on_channels(app[i]);
    CHECK(qsmStreamCreate(context[i], &stream));
    run[i] = create(app[i], context[i], stream, SEED);
    if (qsm_app_step_count(run[i]) > most) most = qsm_app_step_count(run[i]);
  }
  for (uint32_t step = 0; step < most; step++)
    for (int i = 0; i < 2; i++)
      if (step < qsm_app_step_count(run[i])) submit(run[i], context[i], step);
  for (int i = 0; i < 2; i++) {
    size_t n_bytes = 0;
    expect_right(run[i], "beside another");
    uint8_t *together = outputs_of(run[i], context[i], &n_bytes);
    assert_int_equal(n_bytes, n_alone[i]);
    assert_memory_equal(together, alone[i], n_bytes);
    free(together);
  }
  // Another input is put into the stream behind the passes, and nothing waits for it.
  for (int i = 0; i < 2; i++) CHECK(qsm_app_reset(run[i], SEED + 2, true));
  for (int i = 0; i < 2; i++) CHECK(qsm_app_run_alone(run[i], CYCLES));
  for (int i = 0; i < 2; i++) expect_right(run[i], "another input in a stream");
  for (int i = 0; i < 2; i++) {
    qsm_app_destroy(run[i]);
    free(alone[i]);
  }
  qsmDeviceClose(device);
}

static void two_at_once_compute_what_they_do_alone(void **state) {
  (void)state;
  run_two("tiny", "transformer", "fft");
  if (!brief_run()) run_two("rdna2", "shufflenet", "epistasis");
}

// One after the other, each in a context of the bytes that it is said to need.
static void run_in_least_memory(const char *config, const struct qsm_app *app) {
  qsmContext_t context = NULL;
  device = open_device(config);
  CHECK(qsmDeviceUseChannels(device, SLOTS, qsmChannelsExclusive));
  CHECK(qsmContextCreateOnChannels(
      device, qsm_app_context_bytes(app, QSM_APP_T, qsmDeviceConfig(device), 1), &context));
  struct qsm_app_run *run = create(app, context, NULL, SEED);
  CHECK(qsm_app_run_alone(run, CYCLES));
  expect_right(run, "in the default stream");
  qsm_app_destroy(run);
  qsmDeviceClose(device);
}

static void default_stream_and_least_memory_serve(void **state) {
  (void)state;
  for (const struct qsm_app *const *app = qsm_apps; *app; app++) {
    run_in_least_memory("tiny", *app);
    if (!brief_run()) run_in_least_memory("rdna2", *app);
  }
}

// ---- Negative controls ----

static void a_launch_left_out_is_noticed(void **state) {
  (void)state;
  for (const struct qsm_app *const *app = qsm_apps; *app; app++) {
    qsmContext_t context = open_slot("tiny");
    struct qsm_app_run *run = create(*app, context, NULL, SEED);
    struct qsm_app_random random = qsm_app_random_of(SEED);
    uint32_t n = qsm_app_step_count(run);
    CHECK(qsm_app_run_alone(run, CYCLES));
    // The first, the last and one of the others; with time all.
    for (uint32_t i = 0; i < (full_run() ? n : brief_run() ? 1 : 3); i++) {
      uint32_t step = full_run() ? i
                      : i == 1   ? n - 1
                      : i == 2   ? qsm_app_random_range(&random, 1, n - 2)
                                 : 0;
      const struct qsm_app_step *left_out = qsm_app_step(run, step), *named = NULL;
      CHECK(qsm_app_reset(run, SEED, true));
      if (run_without(run, context, step)) continue;
      struct qsm_app_difference difference = check(run);
      if (!difference.n_wrong) fail_msg("%s without %s is right", (*app)->name, left_out->name);
      for (uint32_t j = 0; j < n; j++)
        if (strcmp(qsm_app_step(run, j)->name, difference.step) == 0) named = qsm_app_step(run, j);
      if (!is_in(left_out->writes[0], named->writes, named->n_writes))
        fail_msg("%s without %s: %s is named", (*app)->name, left_out->name, named->name);
    }
    qsm_app_destroy(run);
    qsmDeviceClose(device);
  }
}

// A word within the last weights, not at the border of an image; of an application without, of the
// first input.
static uint32_t victim_of(const struct qsm_app_run *run) {
  uint32_t input = 0;
  for (uint32_t i = qsm_app_buffer_count(run); i-- > 0;) {
    const struct qsm_app_buffer *buffer = qsm_app_buffer(run, i);
    uint32_t middle = buffer->address + (uint32_t)buffer->bytes / 10 * 4;
    if (buffer->role == QSM_APP_WEIGHTS) return middle;
    if (buffer->role == QSM_APP_INPUT) input = middle;
  }
  return input;
}

static void a_wrong_weight_is_noticed(void **state) {
  (void)state;
  for (const struct qsm_app *const *app = qsm_apps; *app; app++) {
    qsmContext_t context = open_slot("tiny");
    struct qsm_app_run *run = create(*app, context, NULL, SEED);
    uint32_t at = victim_of(run),
             word = read_word(context, at) ^ ((*app)->needs_fpu ? 0x3F000000 : 1);
    CHECK(qsmMemcpyHtoD(context, at, &word, sizeof word));
    CHECK(qsm_app_run_alone(run, CYCLES));
    if (!check(run).n_wrong) fail_msg("%s is right with a wrong weight", (*app)->name);
    qsm_app_destroy(run);
    qsmDeviceClose(device);
  }
}

// ---- Bad input ----

static qsmError_t try_to_create(const char *name, qsmContext_t context, enum qsm_app_size size,
                                const char *folder, qsmStream_t stream) {
  struct qsm_app_run *run = NULL;
  const struct qsm_app_options options = {.size = size, .kernel_folder = folder, .stream = stream};
  qsmError_t error =
      qsm_app_create(qsm_app_by_name(name), &options, device, context, &run, msg, sizeof msg);
  if (error) assert_null(run);
  qsm_app_destroy(run);
  return error;
}

static void bad_input_has_clear_errors(void **state) {
  (void)state;
  enum qsm_app_size size = QSM_APP_M;
  uint64_t before = 0, after = 0;
  assert_null(qsm_app_by_name("lenet"));
  assert_false(qsm_app_size_by_name("L", &size));
  assert_int_equal(size, QSM_APP_M);
  assert_true(qsm_app_size_by_name("S", &size));
  assert_int_equal(size, QSM_APP_S);

  qsmContext_t context = open_slot("tiny");
  CHECK(qsmMemGetInfo(context, &before, NULL));
  EXPECT(try_to_create("lenet", context, QSM_APP_T, kernels, NULL), qsmErrorInvalidValue,
         "no application");
  EXPECT(try_to_create("vgg", context, QSM_APP_SIZE_COUNT, kernels, NULL), qsmErrorInvalidValue,
         "no such size");
  EXPECT(try_to_create("vgg", context, QSM_APP_T, "/nowhere", NULL), qsmErrorNotFound,
         "application vgg: no program /nowhere/network.elf");
  EXPECT(try_to_create("vgg", context, QSM_APP_S, kernels, NULL), qsmErrorInvalidLaunch,
         "application vgg, size S, step 0 (stage1.conv1): blocks of 256 threads and");
  CHECK(qsmMemGetInfo(context, &after, NULL));
  assert_int_equal(before, after);

  struct qsm_app_run *run = create(qsm_app_by_name("fsm"), context, NULL, SEED);
  qsmLaunch launch = qsm_app_launch(run, 0);
  struct qsm_app_difference difference;
  CHECK(qsmLaunchKernelEx(context, &launch, NULL, NULL));
  assert_int_equal(qsm_app_check(run, 1, &difference), qsmErrorTimeout);
  CHECK(qsmContextSynchronize(context, CYCLES));
  qsm_app_destroy(run);
  qsmDeviceClose(device);

  context = open_slot("odd");
  EXPECT(try_to_create("vgg", context, QSM_APP_T, kernels, NULL), qsmErrorInvalidLaunch,
         "application vgg computes floats, configuration odd has no FPU");
  assert_int_equal(try_to_create("fsm", context, QSM_APP_T, kernels, NULL), qsmSuccess);
  qsmDeviceClose(device);
}

static void no_room_has_clear_errors(void **state) {
  (void)state;
  const struct qsm_app *app = qsm_app_by_name("vgg");
  qsmContext_t context = NULL, other = NULL;
  qsmStream_t stream = NULL;
  uint64_t before = 0, after = 0;
  device = open_device("tiny");
  CHECK(qsmDeviceUseChannels(device, SLOTS, qsmChannelsConcurrent));
  CHECK(qsmContextCreateOnChannels(device, (32 + 256 + 64) * 1024, &context));
  CHECK(qsmStreamCreate(context, &stream));
  CHECK(qsmMemGetInfo(context, &before, NULL));
  EXPECT(try_to_create("vgg", context, QSM_APP_T, kernels, stream), qsmErrorMemoryAllocation,
         "application vgg, size T: its buffers need ");
  CHECK(qsmMemGetInfo(context, &after, NULL));
  assert_int_equal(before, after);
  // A stream of another context.
  other = open_on_channels(app);
  assert_int_equal(try_to_create("vgg", other, QSM_APP_T, kernels, stream), qsmErrorStream);
  // And no channel for one.
  for (int i = 0; i < 3; i++) CHECK(qsmStreamCreate(other, &stream));
  EXPECT(try_to_create("vgg", context, QSM_APP_T, kernels, NULL), qsmErrorNoChannel,
         "application vgg: its stream: ");
  qsmDeviceClose(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      {"R-AP-1, R-AP-3, R-AP-4, R-AP-9: lists, buffers and distinct kernels hold together",
       lists_hold_together, NULL, NULL, NULL},
      {"R-AP-5: seeds give weights and input", seeds_give_weights_and_input, NULL, NULL, NULL},
      {"R-AP-5: no layer is dead", no_layer_is_dead, NULL, NULL, NULL},
      {"R-AP-2, R-AP-6, R-AP-8: each computes what the host does, on tiny", each_computes_on_tiny,
       NULL, NULL, NULL},
      {"R-AP-6: each computes what the host does, on rdna2", each_computes_on_rdna2, NULL, NULL,
       NULL},
      {"R-AP-7: two at once compute what they do alone", two_at_once_compute_what_they_do_alone,
       NULL, NULL, NULL},
      {"R-AP-7: the default stream and the least memory serve",
       default_stream_and_least_memory_serve, NULL, NULL, NULL},
      {"R-AP-8: a launch left out is noticed", a_launch_left_out_is_noticed, NULL, NULL, NULL},
      {"R-AP-6: a wrong weight is noticed", a_wrong_weight_is_noticed, NULL, NULL, NULL},
      {"R-AP-10: bad input has clear errors", bad_input_has_clear_errors, NULL, NULL, NULL},
      {"R-AP-10: no room has clear errors", no_room_has_clear_errors, NULL, NULL, NULL},
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
