// SPDX-License-Identifier: Apache-2.0
// Kernels in persistent workers, on the model (docs/workers.md R-WK-1 to R-WK-13).
#include <stdio.h>
#include <string.h>

#include "host_support.h"

#include "qsm_config.h"
#include "qsm_regs.h"

static char cached[CONFIG_PATH_BYTES];

static const qsmWorkers forms[] = {qsmWorkersRh, qsmWorkersSlate};

static int make_configuration(void **state) {
  if (copy_programs(state)) return -1;
  change_config("demo",
                "s/^l1_kib: 0/l1_kib: 2/; s/^l2_kib: 0/l2_kib: 8/; s/^dram_banks: 0/dram_banks: 4/",
                cached);
  return 0;
}

static void load(qsmContext_t context, const char *name) {
  assert_int_equal(qsmModuleLoad(context, program_path(name)), qsmSuccess);
}

static qsmContext_t open_workers(qsmDevice_t device) {
  qsmContext_t context = NULL;
  assert_int_equal(qsmContextCreate(device, &context), qsmSuccess);
  load(context, "workers.elf");
  return context;
}

static void set(qsmContext_t context, qsmWorkers form, uint32_t first, uint32_t count) {
  assert_int_equal(qsmSetWorkers(context, form, first, count, 1), qsmSuccess);
}

static void expect_refusal(qsmDevice_t device, qsmError_t got, qsmError_t wanted,
                           const char *text) {
  assert_int_equal(got, wanted);
  if (!strstr(qsmGetLastErrorText(device), text))
    fail_msg("'%s' does not say '%s'", qsmGetLastErrorText(device), text);
}

// ---- The same outputs as in the ordinary form ----

struct shape {
  qsmDim3 grid, block;
};

static const struct shape shapes[] = {{{13, 1, 1}, {8, 1, 1}},
                                      {{5, 3, 1}, {4, 3, 1}},
                                      {{3, 2, 4}, {3, 2, 3}},
                                      {{1, 1, 7}, {1, 1, 9}},
                                      {{2, 9, 1}, {20, 1, 1}}};

enum { MOST_WORDS = 24 * 20 };

static void count_end(void *user, const qsmLaunchResult *result) {
  assert_false(result->killed);
  ++*(unsigned *)user;
}

static void run_kernel(qsmContext_t context, const char *kernel, const struct shape *shape,
                       uint32_t out) {
  unsigned n_ends = 0;
  const uint32_t args[] = {out, 5};
  const struct {
    uint32_t word[6], out;
  } numbers = {{1, 2, 3, 4, 5, 6}, out};
  uint32_t words[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  qsmArgument values[9] = {{&numbers, sizeof numbers}};
  for (int i = 0; i < 8; i++) values[i + 1] = (qsmArgument){&words[i], sizeof words[i]};
  bool by_value = strcmp(kernel, "arguments") == 0;
  const qsmLaunch launch = {.kernel = kernel,
                            .grid = shape->grid,
                            .block = shape->block,
                            .args = by_value ? NULL : args,
                            .n_args = by_value                        ? 0
                                      : strcmp(kernel, "places") == 0 ? 1
                                                                      : 2,
                            .arguments = by_value ? values : NULL,
                            .n_arguments = by_value ? 9 : 0,
                            .shared_bytes = 4 * 20};
  qsmError_t error = qsmLaunchKernelEx(context, &launch, count_end, &n_ends);
  assert_int_equal(error, qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(n_ends, 1);
}

static void outputs_of(const char *config, const char *program, qsmWorkers form, uint32_t per_sm,
                       const char *kernel, const struct shape *shape, uint32_t words[MOST_WORDS]) {
  qsmDevice_t device = open_device(config);
  qsmContext_t context = open_workers(device);
  load(context, program);
  if (form == qsmWorkersPersistent)
    assert_int_equal(qsmSetWorkers(context, form, 0, 4, per_sm), qsmSuccess);
  else if (form)
    assert_int_equal(qsmSetWorkers(context, form, 1, 3, per_sm), qsmSuccess);
  uint32_t out = allocate(context, 4 * MOST_WORDS);
  // Twice: what the first launch leaves behind must not matter.
  run_kernel(context, kernel, shape, out);
  run_kernel(context, kernel, shape, out);
  assert_int_equal(qsmMemcpyDtoH(context, words, out, 4 * MOST_WORDS), qsmSuccess);
  qsmDeviceClose(device);
}

static void compare_forms(const char *config, const char *kernel, const struct shape *shape) {
  uint32_t plain[MOST_WORDS], words[MOST_WORDS];
  outputs_of(config, "plain.elf", qsmWorkersOff, 1, kernel, shape, plain);
  outputs_of(config, "workers.elf", qsmWorkersOff, 1, kernel, shape, words);
  assert_memory_equal(plain, words, sizeof plain);
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
    for (uint32_t per_sm = 1; per_sm <= 2; per_sm++) {
      outputs_of(config, "workers.elf", forms[i], per_sm, kernel, shape, words);
      assert_memory_equal(plain, words, sizeof plain);
    }
  static const uint32_t numbers[] = {1, 2, QSM_WORKERS_HALF};
  for (int i = 0; i < 3; i++) {
    outputs_of(config, "workers.elf", qsmWorkersPersistent, numbers[i], kernel, shape, words);
    assert_memory_equal(plain, words, sizeof plain);
  }
}

// A brief run has each shape without caches or with them.
static void compare_all(const char *kernel) {
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    if (!brief_run() || i % 2 == 0) compare_forms("demo", kernel, &shapes[i]);
    if (!brief_run() || i % 2) compare_forms(cached, kernel, &shapes[i]);
  }
}

static void a_task_sees_its_own_place_in_the_grid(void **unused) {
  (void)unused;
  compare_all("places");
}

static void threads_may_leave_a_task_before_its_barriers(void **unused) {
  (void)unused;
  compare_all("ragged");
}

static void each_task_gets_the_arguments_anew(void **unused) {
  (void)unused;
  compare_all("arguments");
}

// ---- Ranges ----

enum { N_TASKS = 40 };

static void start_stamps(qsmContext_t context, uint32_t out, uint32_t n_turns, unsigned *n_ends) {
  const uint32_t args[] = {out, n_turns};
  assert_int_equal(qsmLaunchKernel(context, "stamp", (qsmDim3){N_TASKS, 1, 1}, (qsmDim3){8, 1, 1},
                                   args, 2, 0, NULL, n_ends ? count_end : NULL, n_ends),
                   qsmSuccess);
}

// How many tasks ran on each SM; each has run so often.
static void count_stamps(qsmContext_t context, uint32_t out, uint32_t times,
                         uint32_t n_on[QSM_MAX_SMS]) {
  uint32_t stamps[N_TASKS];
  assert_int_equal(qsmMemcpyDtoH(context, stamps, out, sizeof stamps), qsmSuccess);
  memset(n_on, 0, QSM_MAX_SMS * sizeof *n_on);
  for (int i = 0; i < N_TASKS; i++) {
    assert_int_equal(stamps[i] >> 8, times);
    n_on[(stamps[i] & 0xFF) % QSM_MAX_SMS]++;
  }
}

static void tasks_run_once_each_on_the_range_alone(void **unused) {
  (void)unused;
  static const uint32_t ranges[][2] = {{0, 4}, {1, 2}, {3, 1}, {0, 1}};
  uint32_t n_on[QSM_MAX_SMS];
  for (size_t form = 0; form < 2; form++)
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
      qsmDevice_t device = open_device(cached);
      qsmContext_t context = open_workers(device);
      uint32_t out = allocate(context, 4 * N_TASKS);
      set(context, forms[form], ranges[i][0], ranges[i][1]);
      start_stamps(context, out, 10, NULL);
      assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
      count_stamps(context, out, 1, n_on);
      for (uint32_t sm = 0; sm < 4; sm++) {
        bool inside = sm - ranges[i][0] < ranges[i][1];
        assert_int_equal(n_on[sm] > 0, inside);
        // rh deals them out by turns.
        if (inside && forms[form] == qsmWorkersRh)
          assert_int_equal(n_on[sm], N_TASKS / ranges[i][1]);
      }
      qsmDeviceClose(device);
    }
}

static void slate_moves_a_running_launch_to_a_new_range(void **unused) {
  (void)unused;
  const char *configs[] = {"demo", cached};
  uint32_t n_on[QSM_MAX_SMS];
  for (size_t i = 0; i < 2; i++) {
    unsigned n_ends = 0;
    qsmDevice_t device = open_device(configs[i]);
    qsmContext_t context = open_workers(device);
    uint32_t out = allocate(context, 4 * N_TASKS);
    qsmMemoryCounters counters;
    set(context, qsmWorkersSlate, 0, 2);
    start_stamps(context, out, 200, &n_ends);
    assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 40000), qsmSuccess);
    set(context, qsmWorkersSlate, 2, 2);
    assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
    assert_int_equal(n_ends, 1);
    count_stamps(context, out, 1, n_on);
    for (int sm = 0; sm < 4; sm++) assert_in_range(n_on[sm], 2, N_TASKS - 2);
    // R-WK-11: those of both ranges; each task adds to a word.
    assert_int_equal(qsmReadMemoryCounters(context, &counters), qsmSuccess);
    if (i) assert_in_range(counters.l1_stores, N_TASKS, 1000 * N_TASKS);
    // The flag is gone.
    set(context, qsmWorkersSlate, 1, 1);
    start_stamps(context, out, 1, &n_ends);
    assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
    qsmDeviceClose(device);
  }
}

static void a_launch_of_rh_keeps_its_range(void **unused) {
  (void)unused;
  uint32_t n_on[QSM_MAX_SMS];
  qsmDevice_t device = open_device("demo");
  qsmContext_t context = open_workers(device);
  uint32_t out = allocate(context, 4 * N_TASKS);
  set(context, qsmWorkersRh, 0, 2);
  start_stamps(context, out, 100, NULL);
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 5000), qsmSuccess);
  set(context, qsmWorkersRh, 2, 2);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  count_stamps(context, out, 1, n_on);
  assert_int_equal(n_on[0] + n_on[1], N_TASKS);
  uint32_t zeros[N_TASKS] = {0};
  assert_int_equal(qsmMemcpyHtoD(context, out, zeros, sizeof zeros), qsmSuccess);
  start_stamps(context, out, 1, NULL);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  count_stamps(context, out, 1, n_on);
  assert_int_equal(n_on[2] + n_on[3], N_TASKS);
  qsmDeviceClose(device);
}

// ---- Launched again ----

static uint32_t n_launches(qsmDevice_t device, qsmContext_t context) {
  uint32_t n = 0;
  uint16_t at =
      (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * qsmContextSlot(context) + QSM_SLOT_LAUNCHES);
  assert_int_equal(qsmRegisterRead(device, at, &n), qsmSuccess);
  return n;
}

// SM 0 is full of another kernel's block when the workers come.
static void workers_are_launched_again_for_an_sm_that_had_no_room(void **unused) {
  (void)unused;
  uint32_t n_on[QSM_MAX_SMS];
  for (size_t form = 0; form < 2; form++) {
    unsigned n_ends = 0;
    qsmDevice_t device = open_device("demo");
    assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeNone, 1000), qsmSuccess);
    qsmContext_t other = NULL, context = NULL;
    assert_int_equal(qsmContextCreate(device, &other), qsmSuccess);
    load(other, "plain.elf");
    assert_int_equal(qsmSetSmMask(other, 1), qsmSuccess);
    uint32_t args[] = {allocate(other, 4), 300};
    assert_int_equal(qsmLaunchKernel(other, "stamp", (qsmDim3){1, 1, 1}, (qsmDim3){64, 1, 1}, args,
                                     2, 0, NULL, NULL, NULL),
                     qsmSuccess);
    assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 2000), qsmSuccess);
    context = open_workers(device);
    uint32_t out = allocate(context, 4 * N_TASKS), before = n_launches(device, context);
    set(context, forms[form], 0, 1);
    start_stamps(context, out, 1, &n_ends);
    assert_int_equal(qsmDeviceSynchronize(device, LONG), qsmSuccess);
    assert_int_equal(n_ends, 1);
    count_stamps(context, out, 1, n_on);
    assert_int_equal(n_on[0], N_TASKS);
    // Without the obstacle: one of the workers, one that closes it.
    assert_in_range(n_launches(device, context) - before, 4, 10000);
    before = n_launches(device, context);
    start_stamps(context, out, 1, &n_ends);
    assert_int_equal(qsmDeviceSynchronize(device, LONG), qsmSuccess);
    assert_int_equal(n_launches(device, context) - before, 2);
    qsmDeviceClose(device);
  }
}

static void a_killed_launch_leaves_nothing_to_the_next(void **unused) {
  (void)unused;
  uint32_t n_on[QSM_MAX_SMS];
  for (size_t form = 0; form < 2; form++)
    for (uint64_t wait = 100; wait < 6000; wait += 1100) {
      qsmDevice_t device = open_device(cached);
      qsmContext_t context = open_workers(device);
      uint32_t lost = allocate(context, 4 * N_TASKS), out = allocate(context, 4 * N_TASKS);
      set(context, forms[form], 0, 3);
      start_stamps(context, lost, 100, NULL);
      assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + wait), qsmSuccess);
      assert_int_equal(qsmContextKill(context), qsmSuccess);
      assert_int_equal(qsmContextSynchronize(context, LONG), qsmErrorKernelFault);
      start_stamps(context, out, 1, NULL);
      assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
      count_stamps(context, out, 1, n_on);
      qsmDeviceClose(device);
    }
}

static void two_kernels_of_workers_share_the_gpu(void **unused) {
  (void)unused;
  uint32_t n_on[QSM_MAX_SMS];
  for (size_t form = 0; form < 2; form++) {
    qsmDevice_t device = open_device(cached);
    qsmContext_t a = open_workers(device), b = open_workers(device);
    uint32_t out_a = allocate(a, 4 * N_TASKS), out_b = allocate(b, 4 * N_TASKS);
    set(a, forms[form], 0, 3);
    set(b, forms[1 - form], 3, 1);
    for (int i = 0; i < 3; i++) {
      start_stamps(a, out_a, 20, NULL);
      start_stamps(b, out_b, 20, NULL);
    }
    assert_int_equal(qsmDeviceSynchronize(device, LONG), qsmSuccess);
    uint32_t stamps[N_TASKS];
    assert_int_equal(qsmMemcpyDtoH(b, stamps, out_b, sizeof stamps), qsmSuccess);
    for (int i = 0; i < N_TASKS; i++) assert_int_equal(stamps[i], 3 * 0x103);
    assert_int_equal(qsmMemcpyDtoH(a, stamps, out_a, sizeof stamps), qsmSuccess);
    for (int i = 0; i < N_TASKS; i++) assert_int_equal(stamps[i] >> 8, 3);
    (void)n_on;
    qsmDeviceClose(device);
  }
}

// ---- Persistent threads ----

static uint32_t resident(qsmDevice_t device, qsmContext_t context, uint32_t sm) {
  uint32_t tbs = 0;
  assert_int_equal(qsmRegisterWrite(device, QSM_REG_SM_SELECT, sm), qsmSuccess);
  assert_int_equal(qsmRegisterRead(device,
                                   (uint16_t)(QSM_SMSEL_BASE + QSM_SMSEL_TBS +
                                              QSM_SMSEL_STRIDE * qsmContextSlot(context)),
                                   &tbs),
                   qsmSuccess);
  return (tbs & QSM_SMSEL_TBS_RESIDENT_MASK) >> QSM_SMSEL_TBS_RESIDENT_SHIFT;
}

// R-WK-12, R-WK-13: two kernels of different blocks have half of the warps of each SM; the launch
// is one of the GPU's.
static void persistent_workers_of_two_kernels_have_half_of_each_sm(void **unused) {
  (void)unused;
  static const uint32_t threads[2] = {16, 8};  // of 8 warps of 8 lanes: two workers, and four
  qsmDevice_t device = open_device(cached);
  qsmContext_t context[2];
  uint32_t out[2], n_on[QSM_MAX_SMS], before[2];
  for (int i = 0; i < 2; i++) {
    context[i] = open_workers(device);
    out[i] = allocate(context[i], 4 * N_TASKS);
    assert_int_equal(qsmSetWorkers(context[i], qsmWorkersPersistent, 0, 4, QSM_WORKERS_HALF),
                     qsmSuccess);
    before[i] = n_launches(device, context[i]);
  }
  for (int i = 0; i < 2; i++) {
    const uint32_t args[] = {out[i], 100};
    assert_int_equal(qsmLaunchKernel(context[i], "stamp", (qsmDim3){N_TASKS, 1, 1},
                                     (qsmDim3){threads[i], 1, 1}, args, 2, 0, NULL, NULL, NULL),
                     qsmSuccess);
  }
  for (int look = 0; look < 5; look++) {
    assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 1000), qsmSuccess);
    for (uint32_t sm = 0; sm < 4; sm++) {
      assert_int_equal(resident(device, context[0], sm), 2);
      assert_int_equal(resident(device, context[1], sm), 4);
    }
  }
  assert_int_equal(qsmDeviceSynchronize(device, LONG), qsmSuccess);
  for (int i = 0; i < 2; i++) {
    count_stamps(context[i], out[i], 1, n_on);
    for (int sm = 0; sm < 4; sm++) assert_in_range(n_on[sm], 8, 12);  // 40 over 8 or 16 workers
    assert_int_equal(n_launches(device, context[i]) - before[i], 1);
  }
  qsmDeviceClose(device);
}

// Shared memory and thread-block slots divide a half, too: of 8 slots 4, of 16 KiB 8.
static void half_of_an_sm_is_half_of_all_that_it_has(void **unused) {
  (void)unused;
  static const struct {
    uint32_t threads, shared_bytes, n;
  } cases[] = {{8, 0, 4}, {24, 0, 1}, {8, 2048, 3}, {8, 4000, 2}, {32, 8000, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    qsmDevice_t device = open_device("demo");
    qsmContext_t context = open_workers(device);
    const uint32_t args[] = {allocate(context, 4 * N_TASKS), 100};
    assert_int_equal(qsmSetWorkers(context, qsmWorkersPersistent, 0, 4, QSM_WORKERS_HALF),
                     qsmSuccess);
    assert_int_equal(qsmLaunchKernel(context, "stamp", (qsmDim3){N_TASKS, 1, 1},
                                     (qsmDim3){cases[i].threads, 1, 1}, args, 2,
                                     cases[i].shared_bytes, NULL, NULL, NULL),
                     qsmSuccess);
    assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 500), qsmSuccess);
    for (uint32_t sm = 0; sm < 4; sm++) assert_int_equal(resident(device, context, sm), cases[i].n);
    qsmDeviceClose(device);
  }
}

// A prepared launch is one register write (two cycles), so kernels start as far apart as the host
// says; it may be another one in the end.
static void prepared_launches_start_in_the_cycle_of_the_call(void **unused) {
  (void)unused;
  static const qsmWorkers settings[] = {qsmWorkersOff, qsmWorkersRh, qsmWorkersPersistent};
  for (int i = 0; i < 3; i++) {
    uint32_t stamps[N_TASKS];
    qsmDevice_t device = open_device("demo");
    qsmContext_t context = open_workers(device);
    const uint32_t args[] = {allocate(context, 4 * N_TASKS), 10};
    const qsmLaunch launch = {
        .kernel = "stamp", .grid = {N_TASKS, 1, 1}, .block = {8, 1, 1}, .args = args, .n_args = 2};
    const qsmLaunch other = {
        .kernel = "stamp", .grid = {N_TASKS, 1, 1}, .block = {16, 1, 1}, .args = args, .n_args = 2};
    if (settings[i]) set(context, settings[i], 0, 4);
    for (uint32_t n = 1; n <= 3; n++) {
      assert_int_equal(qsmPrepareLaunch(context, n < 3 ? &launch : &other), qsmSuccess);
      uint64_t before = qsmDeviceCycle(device);
      assert_int_equal(qsmLaunchKernelEx(context, &launch, NULL, NULL), qsmSuccess);
      // rh clears its places first, in no time; the other shape is written anew.
      if (n < 3) assert_int_equal(qsmDeviceCycle(device) - before, 2);
      expect_refusal(device, qsmPrepareLaunch(context, &launch), qsmErrorBusy,
                     "launches are pending, none can be prepared");
      assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
      assert_int_equal(qsmMemcpyDtoH(context, stamps, args[0], sizeof stamps), qsmSuccess);
      for (int task = 0; task < N_TASKS; task++) assert_int_equal(stamps[task] >> 8, n);
    }
    assert_int_equal(qsmPrepareLaunch(context, NULL), qsmErrorInvalidValue);
    assert_int_equal(qsmPrepareLaunch(NULL, &launch), qsmErrorInvalidHandle);
    qsmDeviceClose(device);
  }
}

// ---- Refusals ----

static void settings_that_make_no_sense_are_refused(void **unused) {
  (void)unused;
  qsmDevice_t device = open_device("demo");
  qsmContext_t context = open_workers(device);
  expect_refusal(device, qsmSetWorkers(context, (qsmWorkers)4, 0, 1, 1), qsmErrorInvalidValue,
                 "workers 4: must be 0..3 (off, rh, slate, persistent)");
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersPersistent, 1, 3, 1),
                 qsmErrorInvalidValue, "persistent workers on 3 of 4 SMs: they are on all of them");
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersSlate, 0, 4, QSM_WORKERS_HALF),
                 qsmErrorInvalidValue, "4294967295 workers per SM");
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersRh, 0, 0, 1), qsmErrorInvalidValue,
                 "workers on 0 SMs from SM 0 on: configuration demo has SMs 0..3");
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersRh, 2, 3, 1), qsmErrorInvalidValue,
                 "workers on 3 SMs from SM 2 on");
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersRh, 4, 1, 1), qsmErrorInvalidValue,
                 "from SM 4 on");
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersRh, 1, UINT32_MAX, 1),
                 qsmErrorInvalidValue, "configuration demo has SMs 0..3");
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersSlate, 0, 1, 0), qsmErrorInvalidValue,
                 "0 workers per SM: an SM of configuration demo has room for 1..8");
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersSlate, 0, 1, 9), qsmErrorInvalidValue,
                 "9 workers per SM");
  assert_int_equal(qsmSetSmMask(context, 3), qsmSuccess);
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersRh, 1, 2, 1), qsmErrorInvalidValue,
                 "workers on SMs 1..2: the context's SM mask leaves some of them out");
  set(context, qsmWorkersRh, 0, 2);
  expect_refusal(device, qsmSetSmMask(context, 2), qsmErrorInvalidValue,
                 "the SM mask leaves out SMs of its workers, 0..1");
  assert_int_equal(qsmSetWorkers(NULL, qsmWorkersRh, 0, 1, 1), qsmErrorInvalidHandle);
  qsmDeviceClose(device);
}

static void only_the_range_changes_while_launches_are_pending(void **unused) {
  (void)unused;
  qsmDevice_t device = open_device("demo");
  qsmContext_t context = open_workers(device);
  uint32_t out = allocate(context, 4 * N_TASKS);
  set(context, qsmWorkersRh, 0, 2);
  start_stamps(context, out, 1, NULL);
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersSlate, 0, 2, 1), qsmErrorBusy,
                 "only the range of workers may change");
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersOff, 0, 2, 1), qsmErrorBusy, "range");
  expect_refusal(device, qsmSetWorkers(context, qsmWorkersRh, 0, 2, 2), qsmErrorBusy, "range");
  set(context, qsmWorkersRh, 1, 1);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  set(context, qsmWorkersOff, 0, 0);
  qsmDeviceClose(device);
}

static void launches_that_workers_cannot_run_are_refused(void **unused) {
  (void)unused;
  qsmDevice_t device = open_device("demo");
  qsmContext_t a = open_workers(device), b = open_workers(device);
  const uint32_t args[] = {allocate(a, 4096), 100};
  set(a, qsmWorkersRh, 0, 2);
  set(b, qsmWorkersSlate, 2, 2);
  expect_refusal(device,
                 qsmLaunchKernel(a, "stamp", (qsmDim3){65535, 32769, 1}, (qsmDim3){8, 1, 1}, args,
                                 2, 0, NULL, NULL, NULL),
                 qsmErrorInvalidLaunch, "workers take at most 2147483647 tasks");
  assert_int_equal(qsmLaunchKernel(a, "stamp", (qsmDim3){4, 1, 1}, (qsmDim3){40, 1, 1}, args, 2, 0,
                                   NULL, NULL, NULL),
                   qsmSuccess);
  expect_refusal(device,
                 qsmLaunchKernel(b, "stamp", (qsmDim3){4, 1, 1}, (qsmDim3){32, 1, 1}, args, 2, 0,
                                 NULL, NULL, NULL),
                 qsmErrorInvalidLaunch, "workers of 2 kernels need 9 of 8 warps");
  assert_int_equal(qsmContextSynchronize(a, LONG), qsmSuccess);
  const qsmLaunch with_mask = {.kernel = "stamp",
                               .grid = {4, 1, 1},
                               .block = {8, 1, 1},
                               .args = args,
                               .n_args = 2,
                               .sm_mask = 1};
  expect_refusal(device, qsmLaunchKernelEx(a, &with_mask, NULL, NULL), qsmErrorInvalidValue,
                 "kernel stamp: a launch in workers has no SMs of its own");
  assert_int_equal(qsmSetWorkers(a, qsmWorkersPersistent, 0, 4, QSM_WORKERS_HALF), qsmSuccess);
  expect_refusal(
      device,
      qsmLaunchKernel(a, "stamp", (qsmDim3){4, 1, 1}, (qsmDim3){40, 1, 1}, args, 2, 0, NULL, NULL,
                      NULL),
      qsmErrorInvalidLaunch,
      "a worker takes 5 of 8 warps and 1 of 32 pieces of shared memory of an SM: half of "
      "it has no room for one");
  load(a, "plain.elf");
  expect_refusal(device,
                 qsmLaunchKernel(a, "stamp", (qsmDim3){1, 1, 1}, (qsmDim3){8, 1, 1}, args, 2, 0,
                                 NULL, NULL, NULL),
                 qsmErrorInvalidLaunch, "compile it with qsm-cc --workers");
  qsmDeviceClose(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_task_sees_its_own_place_in_the_grid),
      cmocka_unit_test(threads_may_leave_a_task_before_its_barriers),
      cmocka_unit_test(each_task_gets_the_arguments_anew),
      cmocka_unit_test(tasks_run_once_each_on_the_range_alone),
      cmocka_unit_test(slate_moves_a_running_launch_to_a_new_range),
      cmocka_unit_test(a_launch_of_rh_keeps_its_range),
      cmocka_unit_test(workers_are_launched_again_for_an_sm_that_had_no_room),
      cmocka_unit_test(a_killed_launch_leaves_nothing_to_the_next),
      cmocka_unit_test(two_kernels_of_workers_share_the_gpu),
      cmocka_unit_test(persistent_workers_of_two_kernels_have_half_of_each_sm),
      cmocka_unit_test(half_of_an_sm_is_half_of_all_that_it_has),
      cmocka_unit_test(prepared_launches_start_in_the_cycle_of_the_call),
      cmocka_unit_test(settings_that_make_no_sense_are_refused),
      cmocka_unit_test(only_the_range_changes_while_launches_are_pending),
      cmocka_unit_test(launches_that_workers_cannot_run_are_refused),
  };
  return cmocka_run_group_tests(tests, make_configuration, remove_programs);
}
