// SPDX-License-Identifier: Apache-2.0
// What the library does when the GPU refuses a write, the backend fails, a launch ends unseen or is
// made to yield (R-TB-16): every call returns, and what is there afterwards, another tenant first
// of all, works.
#include <stdio.h>
#include <string.h>

#include "host_support.h"
#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_regs.h"

static qsmDevice_t device;
static qsmContext_t context;

// ---- A backend that refuses ----

enum { NEVER = 1 << 30 };

static struct {
  enum qsm_backend_status (*write)(struct qsm_backend *, uint32_t, uint32_t);
  enum qsm_backend_status (*read)(struct qsm_backend *, uint32_t, uint32_t *);
  enum qsm_backend_status (*run)(struct qsm_backend *, uint64_t, bool, uint64_t *);
  uint16_t refused_register;  // 0: none
  uint32_t n_accesses, n_launches;
  uint32_t refuse_from, refuse_to;  // writes of these accesses
  uint32_t fail_from;
} spoiled;

static enum qsm_backend_status spoiled_write(struct qsm_backend *backend, uint32_t address,
                                             uint32_t value) {
  uint32_t n = spoiled.n_accesses++;
  if (n >= spoiled.fail_from) return QSM_BACKEND_FAILED;
  if (address == spoiled.refused_register || (n >= spoiled.refuse_from && n < spoiled.refuse_to))
    return QSM_BACKEND_REFUSED;
  spoiled.n_launches +=
      address >= QSM_SLOT_BASE && (address - QSM_SLOT_BASE) % QSM_SLOT_STRIDE == QSM_SLOT_LAUNCH;
  return spoiled.write(backend, address, value);
}

static enum qsm_backend_status spoiled_read(struct qsm_backend *backend, uint32_t address,
                                            uint32_t *value) {
  return spoiled.n_accesses++ >= spoiled.fail_from ? QSM_BACKEND_FAILED
                                                   : spoiled.read(backend, address, value);
}

static enum qsm_backend_status spoiled_run(struct qsm_backend *backend, uint64_t n,
                                           bool stop_on_irq, uint64_t *ran) {
  return spoiled.n_accesses++ >= spoiled.fail_from ? QSM_BACKEND_FAILED
                                                   : spoiled.run(backend, n, stop_on_irq, ran);
}

static void spoil(void) {
  struct qsm_backend *backend = qsmDeviceBackend(device);
  spoiled.write = backend->write;
  spoiled.read = backend->read;
  spoiled.run = backend->run;
  spoiled.refused_register = 0;
  spoiled.n_accesses = 0;
  spoiled.refuse_from = spoiled.refuse_to = spoiled.fail_from = NEVER;
  backend->write = spoiled_write;
  backend->read = spoiled_read;
  backend->run = spoiled_run;
}

static int open_spoiled(void **state) {
  (void)state;
  device = open_device("odd");
  spoil();
  context = open_context(device);
  return 0;
}

static int close_device(void **state) {
  (void)state;
  qsmDeviceClose(device);
  return 0;
}

static uint16_t slot_register(uint32_t slot, uint32_t offset) {
  return (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + offset);
}

static void assert_says(const char *text) {
  if (!strstr(qsmGetLastErrorText(device), text))
    fail_msg("'%s' is not in '%s'", text, qsmGetLastErrorText(device));
}

// Until the GPU says that a launch has ended; the library does not know.
static void run_unseen(void) {
  struct qsm_backend *backend = qsmDeviceBackend(device);
  uint64_t ran = 0;
  assert_int_equal(backend->run(backend, LONG, true, &ran), QSM_BACKEND_OK);
  assert_true(ran < LONG);
}

static void assert_works(qsmContext_t tenant) {
  uint32_t buffer = allocate(tenant, 256);
  assert_int_equal(launch(tenant, "fill", 4, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(tenant, LONG), qsmSuccess);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(read_word(tenant, buffer + 4 * i), 1);
}

struct ends {
  uint32_t n, n_killed, last_cause;
};

static void note_end(void *user, const qsmLaunchResult *result) {
  struct ends *ends = user;
  ends->n++;
  ends->n_killed += result->killed;
  ends->last_cause = result->cause;
}

// ---- Launches that have ended unseen ----

static void a_context_goes_whose_launch_has_ended_unseen(void **state) {
  (void)state;
  struct ends ends = {0};
  assert_int_equal(launch(context, "fill", 4, allocate(context, 256), 0, note_end, &ends),
                   qsmSuccess);
  run_unseen();
  qsmContextDestroy(context);
  assert_int_equal(ends.n, 1);
  assert_int_equal(ends.n_killed, 0);
  context = open_context(device);
  assert_int_equal(qsmContextSlot(context), 0);
  assert_works(context);
}

static void a_launch_that_has_ended_unseen_is_killed_without_an_error(void **state) {
  (void)state;
  struct ends ends = {0};
  uint32_t buffer = allocate(context, 256);
  assert_int_equal(launch(context, "fill", 4, buffer, 0, note_end, &ends), qsmSuccess);
  assert_int_equal(launch(context, "fill", 4, buffer, 0, note_end, &ends), qsmSuccess);
  run_unseen();
  assert_int_equal(qsmContextKill(context), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(ends.n, 2);
  assert_int_equal(ends.n_killed, 1);
  assert_works(context);
}

// The host may write any register: an end that belongs to no launch of the library's.
static void an_interrupt_of_no_launch_is_passed_over(void **state) {
  (void)state;
  assert_works(context);
  qsmContext_t other = open_context(device);
  assert_int_equal(qsmRegisterWrite(device, slot_register(0, QSM_SLOT_LAUNCH), 1), qsmSuccess);
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 100000), qsmSuccess);
  assert_works(other);
  assert_int_equal(qsmRegisterWrite(device, slot_register(0, QSM_SLOT_LAUNCH), 1), qsmSuccess);
  run_unseen();
  qsmContextDestroy(context);
  context = open_context(device);
  assert_works(context);
}

// ---- Launches that somebody makes yield ----

enum { MANY_BLOCKS = 60, A_WHILE = 300 };  // more blocks than find room; some have ended by then

static void assert_filled(uint32_t buffer, uint32_t n_words) {
  for (uint32_t i = 0; i < n_words; i++) assert_int_equal(read_word(context, buffer + 4 * i), 1);
}

static void let_time_pass(uint64_t cycles) {
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + cycles), qsmSuccess);
}

static void write_slot(uint32_t offset, uint32_t value) {
  assert_int_equal(qsmRegisterWrite(device, slot_register(0, offset), value), qsmSuccess);
}

// A launch of MANY_BLOCKS that has yielded, of which the library does not even know that it shall.
static void yield_unseen(uint32_t buffer, struct ends *ends) {
  struct qsm_backend *backend = qsmDeviceBackend(device);
  uint32_t walk = 0;
  assert_int_equal(launch(context, "fill", MANY_BLOCKS, buffer, 0, note_end, ends), qsmSuccess);
  let_time_pass(A_WHILE);
  assert_int_equal(backend->write(backend, slot_register(0, QSM_SLOT_YIELD), 1), QSM_BACKEND_OK);
  run_unseen();
  assert_int_equal(qsmRegisterRead(device, slot_register(0, QSM_SLOT_WALK_LINEAR), &walk),
                   qsmSuccess);
  assert_true(walk > 0 && walk < MANY_BLOCKS);
}

static void a_launch_that_yields_goes_on_and_ends_once(void **state) {
  (void)state;
  struct ends ends = {0};
  uint32_t buffer = allocate(context, 4 * 8 * MANY_BLOCKS), before = spoiled.n_launches;
  assert_int_equal(launch(context, "fill", MANY_BLOCKS, buffer, 0, note_end, &ends), qsmSuccess);
  for (uint32_t n = 0; n < 3; n++) {
    let_time_pass(A_WHILE);
    write_slot(QSM_SLOT_YIELD, 1);
  }
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_true(spoiled.n_launches - before > 1);
  assert_int_equal(ends.n, 1);
  assert_int_equal(ends.n_killed, 0);
  assert_filled(buffer, 8 * MANY_BLOCKS);
  assert_works(context);
}

static void a_launch_that_yields_counts_what_it_did_before(void **state) {
  (void)state;
  qsmMemoryCounters whole, in_parts;
  uint32_t buffer = allocate(context, 4 * 8 * MANY_BLOCKS), before;
  assert_int_equal(launch(context, "fill", MANY_BLOCKS, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(qsmReadMemoryCounters(context, &whole), qsmSuccess);
  assert_int_equal(launch(context, "fill", MANY_BLOCKS, buffer, 0, NULL, NULL), qsmSuccess);
  before = spoiled.n_launches;
  let_time_pass(A_WHILE);
  write_slot(QSM_SLOT_YIELD, 1);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(spoiled.n_launches, before + 1);
  assert_int_equal(qsmReadMemoryCounters(context, &in_parts), qsmSuccess);
  assert_true(whole.l1_stores > 0);
  assert_int_equal(in_parts.l1_stores, whole.l1_stores);
}

static void a_launch_that_has_yielded_unseen_is_killed_and_does_not_go_on(void **state) {
  (void)state;
  struct ends ends = {0};
  uint32_t buffer = allocate(context, 4 * 8 * MANY_BLOCKS);
  yield_unseen(buffer, &ends);
  assert_int_equal(qsmContextKill(context), qsmSuccess);
  uint32_t before = spoiled.n_launches;
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmErrorKernelFault);
  assert_int_equal(spoiled.n_launches, before);
  assert_int_equal(ends.n, 1);
  assert_int_equal(ends.n_killed, 1);
  assert_int_equal(ends.last_cause, qsmCauseHost);
  assert_works(context);  // with fewer blocks than the walk has behind it
}

static void a_context_goes_whose_launch_has_yielded_unseen(void **state) {
  (void)state;
  struct ends ends = {0};
  yield_unseen(allocate(context, 4 * 8 * MANY_BLOCKS), &ends);
  qsmContextDestroy(context);
  assert_int_equal(ends.n, 1);
  assert_int_equal(ends.n_killed, 1);
  context = open_context(device);
  assert_works(context);
}

static void a_launch_that_may_not_go_on_ends_as_one_that_cannot_start(void **state) {
  (void)state;
  struct ends ends = {0};
  uint32_t buffer = allocate(context, 4 * 8 * MANY_BLOCKS);
  yield_unseen(buffer, &ends);
  assert_int_equal(launch(context, "fill", 4, buffer, 0, note_end, &ends), qsmSuccess);
  spoiled.refused_register = slot_register(0, QSM_SLOT_LAUNCH);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmErrorInvalidValue);
  assert_says("refused to write 0x00000001 to register");
  assert_int_equal(ends.n, 2);
  assert_int_equal(ends.n_killed, 2);
  assert_int_equal(ends.last_cause, 63);
  spoiled.refused_register = 0;
  assert_works(context);
}

// Of a launch of its own that it made yield, or by the registers.
static void a_walk_that_the_host_leaves_behind_is_no_launchs_of_the_library(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 4 * 8 * MANY_BLOCKS), walk = 0;
  assert_int_equal(launch(context, "fill", MANY_BLOCKS, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  write_slot(QSM_SLOT_LAUNCH, 1);
  let_time_pass(A_WHILE);
  write_slot(QSM_SLOT_YIELD, 1);
  let_time_pass(LONG);
  assert_int_equal(qsmRegisterRead(device, slot_register(0, QSM_SLOT_WALK_XY), &walk), qsmSuccess);
  assert_true(walk > 4);
  assert_works(context);
  assert_works(context);
  write_slot(QSM_SLOT_WALK_XY, 1);
  assert_works(context);
  write_slot(QSM_SLOT_WALK_Z, 1);
  assert_works(context);
}

// ---- Refusals ----

static void a_slot_whose_launch_cannot_be_killed_is_given_to_nobody(void **state) {
  (void)state;
  struct ends ends = {0};
  qsmContext_t others[3];
  assert_int_equal(launch(context, "endless", 1, allocate(context, 256), 0, note_end, &ends),
                   qsmSuccess);
  spoiled.refused_register = slot_register(0, QSM_SLOT_KILL);
  assert_int_equal(qsmContextKill(context), qsmErrorInvalidValue);
  assert_says("slot 0: the GPU refused to kill the launch");
  qsmContextDestroy(context);
  assert_says("slot 0: the GPU refused to kill the launch");
  assert_int_equal(ends.n, 1);
  assert_int_equal(ends.n_killed, 1);
  for (uint32_t i = 1; i < 3; i++) {
    others[i] = open_context(device);
    assert_int_equal(qsmContextSlot(others[i]), i);
    assert_works(others[i]);
  }
  assert_int_equal(qsmContextCreate(device, &context), qsmErrorNoSlot);
  assert_says("3 kernel slots, all taken; 1 of them by launches that could not be killed");
}

// Other tenants do not notice.
static void a_launch_that_cannot_start_ends_with_those_behind_it(void **state) {
  (void)state;
  struct ends ends = {0};
  qsmContext_t other = open_context(device);
  uint32_t buffer = allocate(context, 4096);
  for (uint32_t n = 0; n < 3; n++)
    assert_int_equal(launch(context, "fill", 4 + n, buffer, 0, note_end, &ends), qsmSuccess);
  spoiled.refused_register = slot_register(0, QSM_SLOT_LAUNCH);
  for (uint32_t n = 0; ends.n < 3 && n < 100; n++) assert_works(other);
  assert_int_equal(ends.n, 3);
  assert_int_equal(ends.n_killed, 2);
  assert_int_equal(ends.last_cause, 63);
  assert_int_equal(launch(context, "fill", 4, buffer, 0, note_end, &ends), qsmErrorInvalidValue);
  assert_int_equal(ends.n, 3);
  spoiled.refused_register = 0;
  assert_int_equal(qsmContextSynchronize(context, LONG),
                   qsmErrorInvalidValue);  // of the launches before
  assert_says("refused to write 0x00000001 to register");
  assert_works(context);
}

static void a_scheduling_that_is_refused_changes_nothing(void **state) {
  (void)state;
  static const uint16_t registers[] = {QSM_REG_POLICY, QSM_REG_SCHEME, QSM_REG_EPOCH_LEN};
  uint32_t before[3], after[3];
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(qsmRegisterRead(device, registers[i], &before[i]), qsmSuccess);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyLrr, qsmSchemeRollover, 100),
                   qsmErrorInvalidValue);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyLrr, (qsmScheme)QSM_SCHEME_COUNT, 5000),
                   qsmErrorInvalidValue);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(qsmRegisterRead(device, registers[i], &after[i]), qsmSuccess);
  assert_memory_equal(before, after, sizeof before);
}

// A save area that cannot grow is given back: maybe at another place, and the GPU has to know it.
static void a_save_area_that_cannot_grow_is_where_the_gpu_has_it(void **state) {
  (void)state;
  uint64_t room = 0;
  uint32_t value = 0, address, hole = allocate(context, 1 << 16);
  assert_int_equal(qsmSetSaveArea(context, 1), qsmSuccess);
  assert_works(context);
  assert_int_equal(qsmFree(context, hole), qsmSuccess);
  assert_int_equal(qsmMemGetInfo(context, &room, NULL), qsmSuccess);
  while (qsmMalloc(context, 1 << 17, &address) == qsmSuccess) {}
  while (qsmMalloc(context, 12288, &address) == qsmSuccess) {}
  assert_int_equal(qsmRegisterRead(device, slot_register(0, QSM_SLOT_SAVE_BASE), &value),
                   qsmSuccess);
  const uint32_t args[] = {value};
  qsmError_t error = qsmLaunchKernel(context, "fill", (qsmDim3){1, 1, 1}, (qsmDim3){24, 1, 1}, args,
                                     1, 6144 - 64, NULL, NULL, NULL);
  assert_int_equal(error, qsmErrorSaveArea);
  assert_int_equal(qsmRegisterRead(device, slot_register(0, QSM_SLOT_SAVE_BASE), &value),
                   qsmSuccess);
  // Nothing that is allocated from now on lies in it.
  while (qsmMalloc(context, 256, &address) == qsmSuccess)
    assert_false(address + 256 > value && address < value + 4096);
}

// ---- Callbacks ----

static void misbehave(void *user, const qsmLaunchResult *result) {
  qsmContext_t tenant = *(qsmContext_t *)user;
  (void)result;
  assert_int_equal(qsmContextSynchronize(tenant, LONG), qsmErrorBusy);
  assert_int_equal(qsmDeviceSynchronize(device, LONG), qsmErrorBusy);
  assert_int_equal(qsmDeviceRunUntil(device, UINT64_MAX), qsmErrorBusy);
  assert_says("not in a callback");
  qsmContextDestroy(tenant);
  qsmDeviceClose(device);
  assert_int_equal(qsmContextKill(tenant), qsmSuccess);
}

static void a_callback_cannot_take_its_context_away(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 256);
  for (uint32_t n = 0; n < 4; n++)
    assert_int_equal(launch(context, "fill", 4, buffer, 0, misbehave, &context), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG),
                   qsmSuccess);  // the first callback kills the others
  assert_int_equal(launch(context, "fill", 4, buffer, 0, misbehave, &context), qsmSuccess);
  assert_int_equal(launch(context, "fill", 4, buffer, 0, misbehave, &context), qsmSuccess);
  assert_int_equal(qsmContextKill(context), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmErrorKernelFault);
  assert_works(context);
}

static void submit_again(void *user, const qsmLaunchResult *result) {
  (void)result;
  launch(*(qsmContext_t *)user, "endless", 1, 0, 0, submit_again, user);
}

static void a_context_that_goes_takes_no_more_launches(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 256);
  for (uint32_t n = 0; n < 3; n++)
    assert_int_equal(launch(context, "endless", 1, buffer, 0, submit_again, &context), qsmSuccess);
  uint64_t cycle = qsmDeviceCycle(device);
  qsmContextDestroy(context);
  assert_true(qsmDeviceCycle(device) < cycle + 500000);
  context = open_context(device);
  assert_works(context);
}

// ---- Every access in turn ----

// Calls of every kind; errors are welcome.
static void use_everything(void) {
  qsmContext_t tenant = NULL;
  qsmGoal goal = {.kind = qsmGoalNone};
  qsmPreemptResult result;
  qsmMemoryCounters counters;
  char text[200];
  uint32_t buffer = 0, word = 0;
  if (qsmContextCreate(device, &tenant)) return;
  qsmModuleLoad(tenant, program_path("k.elf"));
  qsmSetScheduling(device, qsmPolicyQaws, qsmSchemeRollover, 5000);
  qsmSetGoal(tenant, &(qsmGoal){.kind = qsmGoalIpc, .value = 1 << 16});
  qsmSetBudget(tenant, 2);
  qsmSetSmMask(tenant, 5);
  qsmSetSaveArea(tenant, 1);
  qsmSetIdempotent(tenant, true);
  if (qsmMalloc(tenant, 4096, &buffer) == qsmSuccess) {
    qsmMemcpyHtoD(tenant, buffer, &word, 4);
    launch(tenant, "endless", 2, buffer, 0, NULL, NULL);
    launch(tenant, "fill", 2, buffer, 0, NULL, NULL);
    qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 2000);
    qsmPreempt(device, 0, tenant, qsmTechniqueSwitch, 1000, &result);
    qsmExplainWait(tenant, text, sizeof text);
    qsmReadMemoryCounters(tenant, &counters);
    word = 1;
    qsmMemcpyHtoD(tenant, buffer, &word, 4);
    qsmContextSynchronize(tenant, 20000);
    qsmMemcpyDtoH(tenant, &word, buffer, 4);
    launch(tenant, "outside", 5, buffer, 0x40000000, NULL, NULL);
    launch(tenant, "endless", 2, buffer, 0, NULL, NULL);
    qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 3000);
  }
  qsmSetGoal(tenant, &goal);
  qsmContextDestroy(tenant);
}

// And of those about streams (docs/streams.md).
static void use_streams(void) {
  static uint32_t words[100];
  qsmContext_t tenant = NULL;
  qsmStream_t a = NULL, b = NULL;
  qsmEvent_t event = NULL;
  uint32_t buffer = 0;
  if (qsmDeviceUseChannels(device, 1, qsmChannelsConcurrent)) return;
  qsmSetSubmitLimit(device, 5000);
  if (qsmContextCreateOnChannels(device, 1 << 20, &tenant)) return;
  qsmModuleLoad(tenant, program_path("streams.elf"));
  qsmStreamCreate(tenant, &a);
  qsmStreamCreate(tenant, &b);
  qsmEventCreate(tenant, &event);
  if (qsmMalloc(tenant, 4096, &buffer) == qsmSuccess) {
    const qsmDim3 one = {1, 1, 1}, block = {8, 1, 1};
    qsmMemcpyAsync(tenant, qsmDevicePointer(buffer), words, sizeof words, qsmMemcpyHostToDevice, a);
    qsmLaunchKernel(tenant, "shallow", one, block, &buffer, 1, 0, a, NULL, NULL);
    qsmEventRecord(event, a);
    qsmStreamWaitEvent(b, event);
    qsmMemcpyAsync(tenant, words, qsmDevicePointer(buffer), sizeof words, qsmMemcpyDeviceToHost, b);
    qsmSetQoS(tenant, 1 << 16);
    qsmStreamSynchronize(b, 20000);
    qsmLaunchKernel(tenant, "illegal", one, block, &buffer, 1, 0, b, NULL, NULL);
    qsmStreamSynchronize(b, 20000);
    qsmMemsetAsync(tenant, buffer, 0, 4, a);
    qsmLaunchKernel(tenant, "endless", one, block, &buffer, 1, 0, a, NULL, NULL);
    qsmStreamSynchronize(a, 20000);
    qsmSetBudget(tenant, 2);
    qsmStreamDestroy(b);
  }
  qsmContextDestroy(tenant);
}

static void (*const uses[])(void) = {use_everything, use_streams};

// Accesses of such calls on a fresh device.
static uint32_t count_accesses(void (*use)(void)) {
  open_spoiled(NULL);
  uint32_t before = spoiled.n_accesses;
  use();
  uint32_t n = spoiled.n_accesses - before;
  qsmDeviceClose(device);
  return n;
}

static void refuse_everywhere(void (*use)(void)) {
  uint32_t n_accesses = count_accesses(use);
  print_message("# %u accesses\n", n_accesses);
  assert_true(n_accesses > 150);

  // In a brief run each access is among the refused ones of two rounds instead of eight.
  for (uint32_t n = 0; n < n_accesses; n += brief_run() ? 4 : 1) {
    open_spoiled(NULL);
    spoiled.refuse_from = spoiled.n_accesses + n;
    spoiled.refuse_to = spoiled.refuse_from + 8;
    use();
    spoiled.refuse_from = NEVER;
    assert_works(context);
    assert_works(open_context(device));
    qsmDeviceClose(device);
  }
}

static void a_refusal_anywhere_leaves_a_gpu_that_works(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 2; i++) refuse_everywhere(uses[i]);
}

static void fail_everywhere(void (*use)(void)) {
  uint32_t n_accesses = count_accesses(use);
  for (uint32_t n = 0; n < n_accesses; n++) {
    open_spoiled(NULL);
    spoiled.fail_from = spoiled.n_accesses + n;
    use();
    uint32_t value;
    assert_int_equal(qsmRegisterRead(device, QSM_REG_ID, &value), qsmErrorBackend);
    qsmContextDestroy(context);
    assert_int_not_equal(qsmContextCreate(device, &context), qsmSuccess);
    qsmDeviceClose(device);
  }
}

static void a_failure_anywhere_ends_in_errors_only(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 2; i++) fail_everywhere(uses[i]);
}

int main(void) {
#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, open_spoiled, close_device)
  const struct CMUnitTest tests[] = {
      WITH_DEVICE(a_context_goes_whose_launch_has_ended_unseen),
      WITH_DEVICE(a_launch_that_has_ended_unseen_is_killed_without_an_error),
      WITH_DEVICE(an_interrupt_of_no_launch_is_passed_over),
      WITH_DEVICE(a_launch_that_yields_goes_on_and_ends_once),
      WITH_DEVICE(a_launch_that_yields_counts_what_it_did_before),
      WITH_DEVICE(a_launch_that_has_yielded_unseen_is_killed_and_does_not_go_on),
      WITH_DEVICE(a_context_goes_whose_launch_has_yielded_unseen),
      WITH_DEVICE(a_launch_that_may_not_go_on_ends_as_one_that_cannot_start),
      WITH_DEVICE(a_walk_that_the_host_leaves_behind_is_no_launchs_of_the_library),
      WITH_DEVICE(a_slot_whose_launch_cannot_be_killed_is_given_to_nobody),
      WITH_DEVICE(a_launch_that_cannot_start_ends_with_those_behind_it),
      WITH_DEVICE(a_scheduling_that_is_refused_changes_nothing),
      WITH_DEVICE(a_save_area_that_cannot_grow_is_where_the_gpu_has_it),
      WITH_DEVICE(a_callback_cannot_take_its_context_away),
      WITH_DEVICE(a_context_that_goes_takes_no_more_launches),
      cmocka_unit_test(a_refusal_anywhere_leaves_a_gpu_that_works),
      cmocka_unit_test(a_failure_anywhere_ends_in_errors_only),
  };
  return cmocka_run_group_tests(tests, copy_programs, remove_programs);
}
