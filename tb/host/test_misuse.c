// SPDX-License-Identifier: Apache-2.0
// What a host must not do, and what it is told: copies past an allocation, NULL, handles of what
// has gone.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "host_support.h"
#include "qsm_config.h"
#include "qsm_heap.h"
#include "qsm_regs.h"

static qsmDevice_t device;
static qsmContext_t context;

static int open_both(void **state) {
  (void)state;
  device = open_device("tiny");
  context = open_context(device);
  return 0;
}

static int close_device(void **state) {
  (void)state;
  qsmDeviceClose(device);
  return 0;
}

static void assert_says(const char *text) {
  if (!strstr(qsmGetLastErrorText(device), text))
    fail_msg("'%s' is not in '%s'", text, qsmGetLastErrorText(device));
}

// ---- Copies ----

static void copies_end_with_the_bytes_asked_for(void **state) {
  (void)state;
  static uint8_t bytes[8192];
  uint32_t a = allocate(context, 4096), b = allocate(context, 1000), c = allocate(context, 256);
  assert_int_equal(b, a + 4096);
  assert_int_equal(c, b + 1024);
  assert_int_equal(qsmMemcpyHtoD(context, a, bytes, 8192), qsmErrorInvalidValue);
  assert_says("+ 8192 is outside the allocation of 4096 bytes at 0x");
  assert_int_equal(qsmMemcpyDtoH(context, bytes, a + 4, 4093), qsmErrorInvalidValue);
  assert_int_equal(qsmMemcpyHtoD(context, a + 4, bytes, 4092), qsmSuccess);
  assert_int_equal(qsmMemcpyHtoD(context, b, bytes, 1001),
                   qsmErrorInvalidValue);  // within the rounded size
  assert_int_equal(qsmMemcpyHtoD(context, b + 1008, bytes, 1), qsmErrorInvalidValue);
  assert_int_equal(qsmMemcpyDtoH(context, bytes, b + 999, 1), qsmSuccess);
  assert_int_equal(qsmMemcpyDtoH(context, bytes, c + 256, 1), qsmErrorInvalidValue);
  assert_says("is in no allocation of the context");
  assert_int_equal(qsmMemcpyHtoD(context, c, bytes, SIZE_MAX), qsmErrorInvalidValue);
  assert_int_equal(qsmFree(context, b), qsmSuccess);
  assert_int_equal(qsmMemcpyHtoD(context, b, bytes, 4), qsmErrorInvalidValue);
  assert_int_equal(qsmMemcpyHtoD(context, 0x80000000, bytes, 4),
                   qsmErrorInvalidValue);  // arguments and code
  assert_int_equal(qsmMemcpyHtoD(context, 0xFFFFFFFF, bytes, 4), qsmErrorInvalidValue);
  assert_int_equal(qsmMemcpyHtoD(context, 5, NULL, 0), qsmSuccess);
}

// The save area lies among the allocations, but is none of them.
static void the_save_area_is_not_the_hosts(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 256), base = 0, area = 0;
  assert_int_equal(qsmSetSaveArea(context, 2), qsmSuccess);
  assert_int_equal(launch(context, "fill", 1, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(qsmRegisterRead(device, QSM_SLOT_BASE + QSM_SLOT_SAVE_BASE, &base), qsmSuccess);
  assert_int_not_equal(base, 0);
  assert_int_equal(qsmMemcpyHtoD(context, base, &area, 4), qsmErrorInvalidValue);
  for (area = buffer; area < base + 4096; area += 256)
    if (area != buffer) assert_int_equal(qsmFree(context, area), qsmErrorInvalidValue);
}

static void a_heap_finds_what_an_address_lies_in(void **state) {
  (void)state;
  struct qsm_heap *heap = qsm_heap_create(0xFFFF0000, 0xFFFFFF00);
  uint32_t a = qsm_heap_alloc(heap, 100), b = qsm_heap_alloc(heap, 0xFE00), base = 7;
  uint64_t bytes = 9;
  assert_int_equal(b, a + 256);
  assert_int_equal(qsm_heap_find(heap, a - 1, &base, &bytes), -1);
  assert_int_equal(base, 7);
  assert_int_equal(bytes, 9);
  assert_int_equal(qsm_heap_find(heap, a + 255, &base, &bytes), 0);
  assert_int_equal(base, a);
  assert_int_equal(bytes, 100);
  assert_int_equal(qsm_heap_find(heap, 0xFFFFFEFF, &base, &bytes), 0);
  assert_int_equal(base, b);
  assert_int_equal(bytes, 0xFE00);
  assert_int_equal(qsm_heap_find(heap, 0xFFFFFF00, &base, &bytes), -1);
  assert_int_equal(qsm_heap_free(heap, a), 0);
  assert_int_equal(qsm_heap_find(heap, a, &base, &bytes), -1);
  qsm_heap_destroy(heap);
}

// ---- NULL ----

#define ASSERT_NULL_REFUSED(call)                   \
  do {                                              \
    assert_int_equal((call), qsmErrorInvalidValue); \
    assert_says("NULL for ");                       \
  } while (0)

static void null_is_refused_where_something_is_needed(void **state) {
  (void)state;
  const qsmDim3 one = {1, 1, 1};
  const qsmLaunch nameless = {.grid = one, .block = one},
                  without_args = {.kernel = "fill", .grid = one, .block = one, .n_args = 1};
  qsmGoal goal = {.kind = qsmGoalNone};
  qsmKernelAttributes attributes;
  char msg[100];
  uint32_t goal_q16, buffer = allocate(context, 64);
  ASSERT_NULL_REFUSED(qsmRegisterRead(device, QSM_REG_ID, NULL));
  ASSERT_NULL_REFUSED(qsmContextCreate(device, NULL));
  ASSERT_NULL_REFUSED(qsmSetGoal(context, NULL));
  ASSERT_NULL_REFUSED(qsmMeasureIsolated(context, NULL, 100, &goal));
  ASSERT_NULL_REFUSED(qsmMeasureIsolated(context, &nameless, 100, NULL));
  ASSERT_NULL_REFUSED(qsmMeasureIsolated(context, &nameless, 100, &goal));
  ASSERT_NULL_REFUSED(qsmMeasureIsolated(context, &without_args, 100, &goal));
  ASSERT_NULL_REFUSED(qsmReadMemoryCounters(context, NULL));
  ASSERT_NULL_REFUSED(qsmPreempt(device, 0, context, qsmTechniqueDrain, 100, NULL));
  ASSERT_NULL_REFUSED(qsmModuleLoad(context, NULL));
  ASSERT_NULL_REFUSED(qsmMalloc(context, 4, NULL));
  ASSERT_NULL_REFUSED(qsmMemcpyHtoD(context, buffer, NULL, 4));
  ASSERT_NULL_REFUSED(qsmMemcpyDtoH(context, NULL, buffer, 4));
  ASSERT_NULL_REFUSED(qsmLaunchKernel(context, NULL, one, one, NULL, 0, 0, NULL, NULL, NULL));
  ASSERT_NULL_REFUSED(qsmLaunchKernel(context, "fill", one, one, NULL, 2, 0, NULL, NULL, NULL));
  ASSERT_NULL_REFUSED(qsmLaunchKernelEx(context, NULL, NULL, NULL));
  ASSERT_NULL_REFUSED(qsmLaunchKernelEx(
      context, &(qsmLaunch){.kernel = "fill", .grid = one, .block = one, .n_arguments = 1}, NULL,
      NULL));
  ASSERT_NULL_REFUSED(qsmGetKernelAttributes(context, NULL, &attributes));
  ASSERT_NULL_REFUSED(qsmGetKernelAttributes(context, "fill", NULL));
  ASSERT_NULL_REFUSED(qsmExplainWait(context, NULL, 10));
  assert_int_equal(qsmMemGetInfo(context, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmTranslateGoal(NULL, &goal, &goal_q16, msg, sizeof msg), qsmErrorInvalidValue);
  assert_int_equal(qsmTranslateGoal(qsmDeviceConfig(device), NULL, &goal_q16, msg, sizeof msg),
                   qsmErrorInvalidValue);
  assert_int_equal(qsmTranslateGoal(qsmDeviceConfig(device), &goal, NULL, NULL, 5),
                   qsmErrorInvalidValue);
  goal = (qsmGoal){.kind = qsmGoalRate, .value = 1, .instructions = 1};
  assert_int_equal(qsmTranslateGoal(&(struct qsm_config){0}, &goal, &goal_q16, msg, sizeof msg),
                   qsmErrorInvalidValue);
  qsmDevice_t untouched = device;
  assert_int_equal(qsmDeviceOpen(NULL, "tiny", NULL, &untouched, msg, sizeof msg),
                   qsmErrorInvalidValue);
  assert_string_equal(msg, "NULL for the backend");
  assert_int_equal(qsmDeviceOpen("model", NULL, NULL, &untouched, msg, sizeof msg),
                   qsmErrorInvalidValue);
  assert_int_equal(qsmDeviceOpen("model", "tiny", NULL, NULL, msg, sizeof msg),
                   qsmErrorInvalidValue);
  assert_int_equal(qsmDeviceOpen("model", "no_such", NULL, &untouched, NULL, 0), qsmErrorNotFound);
  assert_ptr_equal(untouched, device);
}

// ---- Handles ----

static void assert_device_is_refused(qsmDevice_t stale) {
  uint32_t value;
  qsmContext_t created = context;
  qsmPreemptResult result;
  assert_int_equal(qsmRegisterRead(stale, QSM_REG_ID, &value), qsmErrorInvalidHandle);
  assert_int_equal(qsmRegisterWrite(stale, QSM_REG_POLICY, 0), qsmErrorInvalidHandle);
  assert_int_equal(qsmDeviceRunUntil(stale, 10), qsmErrorInvalidHandle);
  assert_int_equal(qsmDeviceSynchronize(stale, 10), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetScheduling(stale, qsmPolicyLrr, qsmSchemeNone, 5000),
                   qsmErrorInvalidHandle);
  assert_int_equal(qsmSetAdjustment(stale, qsmAdjustOff), qsmErrorInvalidHandle);
  assert_int_equal(qsmContextCreate(stale, &created), qsmErrorInvalidHandle);
  assert_int_equal(qsmPreempt(stale, 0, context, qsmTechniqueDrain, 10, &result),
                   qsmErrorInvalidHandle);
  assert_ptr_equal(created, context);
  assert_null(qsmDeviceConfig(stale));
  assert_null(qsmDeviceBackend(stale));
  assert_int_equal(qsmDeviceCycle(stale), 0);
  assert_non_null(qsmGetLastErrorText(stale));
  qsmSetWatch(stale, NULL, NULL);
  qsmDeviceClose(stale);
}

static void assert_context_is_refused(qsmContext_t stale) {
  const qsmDim3 one = {1, 1, 1};
  const qsmLaunch what = {.kernel = "fill", .grid = one, .block = one};
  uint32_t word = 0;
  uint64_t bytes;
  char text[100];
  qsmGoal goal = {.kind = qsmGoalNone};
  qsmMemoryCounters counters;
  qsmPreemptResult result;
  qsmKernelAttributes attributes;
  assert_int_equal(qsmSetGoal(stale, &goal), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetQoS(stale, 0), qsmErrorInvalidHandle);
  assert_int_equal(qsmMeasureIsolated(stale, &what, 10, &goal), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetIsolatedIpc(stale, 1), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetBudget(stale, 1), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetSmMask(stale, 1), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetSaveArea(stale, 0), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetIdempotent(stale, true), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetCachePolicy(stale, qsmCacheUseAll), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetThreadLimit(stale, 50), qsmErrorInvalidHandle);
  assert_int_equal(qsmReadMemoryCounters(stale, &counters), qsmErrorInvalidHandle);
  assert_int_equal(qsmSetPreemptHold(stale, false), qsmErrorInvalidHandle);
  assert_int_equal(qsmPreempt(device, 0, stale, qsmTechniqueDrain, 10, &result),
                   qsmErrorInvalidHandle);
  assert_int_equal(qsmModuleLoad(stale, program_path("k.elf")), qsmErrorInvalidHandle);
  assert_int_equal(qsmMemGetInfo(stale, &bytes, NULL), qsmErrorInvalidHandle);
  assert_int_equal(qsmMalloc(stale, 4, &word), qsmErrorInvalidHandle);
  assert_int_equal(qsmFree(stale, word), qsmErrorInvalidHandle);
  assert_int_equal(qsmMemcpyHtoD(stale, word, &word, 4), qsmErrorInvalidHandle);
  assert_int_equal(qsmMemcpyDtoH(stale, &word, word, 4), qsmErrorInvalidHandle);
  assert_int_equal(qsmLaunchKernel(stale, "fill", one, one, NULL, 0, 0, NULL, NULL, NULL),
                   qsmErrorInvalidHandle);
  assert_int_equal(qsmLaunchKernelEx(stale, &what, NULL, NULL), qsmErrorInvalidHandle);
  assert_int_equal(qsmGetKernelAttributes(stale, "fill", &attributes), qsmErrorInvalidHandle);
  assert_int_equal(qsmContextSynchronize(stale, 10), qsmErrorInvalidHandle);
  assert_int_equal(qsmExplainWait(stale, text, sizeof text), qsmErrorInvalidHandle);
  assert_int_equal(qsmContextKill(stale), qsmErrorInvalidHandle);
  assert_int_equal(qsmContextSlot(stale), UINT32_MAX);
  qsmContextDestroy(stale);
}

static void handles_of_nothing_are_refused(void **state) {
  (void)state;
  int anything = 0;
  assert_device_is_refused(NULL);
  assert_context_is_refused(NULL);
  assert_device_is_refused((qsmDevice_t)(void *)&anything);
  assert_context_is_refused((qsmContext_t)(void *)&anything);
  assert_device_is_refused((qsmDevice_t)(void *)context);  // of the other kind
  assert_context_is_refused((qsmContext_t)(void *)device);
}

// What comes after is never taken for what has gone.
static void handles_of_what_has_gone_are_refused(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 20; n++) {
    qsmContext_t gone = context;
    qsmContextDestroy(gone);
    context = open_context(device);
    assert_int_equal(qsmContextSlot(context), 0);
    assert_context_is_refused(gone);
    qsmDevice_t closed = device;
    gone = context;
    qsmDeviceClose(closed);
    open_both(NULL);
    assert_device_is_refused(closed);
    assert_context_is_refused(gone);
  }
}

static void contexts_are_preempted_on_their_own_device(void **state) {
  (void)state;
  qsmDevice_t other = open_device("tiny");
  qsmPreemptResult result;
  assert_int_equal(qsmPreempt(other, 0, context, qsmTechniqueDrain, 10, &result),
                   qsmErrorInvalidValue);
  assert_non_null(strstr(qsmGetLastErrorText(other), "another device's"));
  qsmDeviceClose(other);
}

// ---- Threads ----

enum { THREADS = 4, ROUNDS = 25 };

static void *use_a_device(void *path) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    char msg[256];
    qsmDevice_t own = NULL;
    qsmContext_t tenant = NULL;
    uint32_t buffer = 0, word = 0;
    if (qsmDeviceOpen("model", "tiny", NULL, &own, msg, sizeof msg)) return "device";
    if (qsmContextCreate(own, &tenant) || qsmModuleLoad(tenant, path)) return "context";
    if (qsmMalloc(tenant, 256, &buffer) || launch(tenant, "fill", 2, buffer, 0, NULL, NULL))
      return "launch";
    if (qsmContextSynchronize(tenant, LONG) || qsmMemcpyDtoH(tenant, &word, buffer + 60, 4) ||
        word != 1)
      return "result";
    qsmDeviceClose(own);
    if (qsmContextSynchronize(tenant, LONG) != qsmErrorInvalidHandle) return "stale";
  }
  return NULL;
}

static void threads_use_devices_of_their_own(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  char path[128];
  snprintf(path, sizeof path, "%s", program_path("k.elf"));
  for (uint32_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, use_a_device, path), 0);
  for (uint32_t i = 0; i < THREADS; i++) {
    void *wrong = NULL;
    assert_int_equal(pthread_join(threads[i], &wrong), 0);
    if (wrong) fail_msg("%s", (char *)wrong);
  }
}

int main(void) {
#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, open_both, close_device)
  const struct CMUnitTest tests[] = {
      WITH_DEVICE(copies_end_with_the_bytes_asked_for),
      WITH_DEVICE(the_save_area_is_not_the_hosts),
      cmocka_unit_test(a_heap_finds_what_an_address_lies_in),
      WITH_DEVICE(null_is_refused_where_something_is_needed),
      WITH_DEVICE(handles_of_nothing_are_refused),
      WITH_DEVICE(handles_of_what_has_gone_are_refused),
      WITH_DEVICE(contexts_are_preempted_on_their_own_device),
      cmocka_unit_test(threads_use_devices_of_their_own),
  };
  return cmocka_run_group_tests(tests, copy_programs, remove_programs);
}
