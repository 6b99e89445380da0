// SPDX-License-Identifier: Apache-2.0
// What contexts have of an SM and of the GPU, through libqsm, on the model and in lockstep: limits
// of threads in the manner of MPS (docs/tb_sched.md R-TB-15) and instances in the manner of MIG
// (docs/xbar.md R-XB-6).
#include <string.h>

#include "host_support.h"

#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_regs.h"

enum { EPOCH = 2000, MANY_WORDS = 16384, FEW_WORDS = 800 };

static char four_channels[CONFIG_PATH_BYTES], two_slots[CONFIG_PATH_BYTES],
    few_sms[CONFIG_PATH_BYTES];

static int make_configurations(void **state) {
  if (copy_programs(state)) return -1;
  change_config("smqos", "s/^num_channels: 8/num_channels: 4/", four_channels);
  change_config("smqos", "s/^num_kernels: 4/num_kernels: 2/;s/^num_groups: 4/num_groups: 2/",
                two_slots);
  change_config("smqos", "s/^num_sms: 24/num_sms: 3/", few_sms);
  return 0;
}

static void expect_refusal(qsmDevice_t device, qsmError_t got, qsmError_t wanted,
                           const char *text) {
  assert_int_equal(got, wanted);
  if (!strstr(qsmGetLastErrorText(device), text))
    fail_msg("'%s' does not say '%s'", qsmGetLastErrorText(device), text);
}

static qsmError_t launch_block(qsmContext_t context, uint32_t n_blocks, uint32_t n_threads,
                               uint32_t buffer) {
  return qsmLaunchKernel(context, "fill", (qsmDim3){n_blocks, 1, 1}, (qsmDim3){n_threads, 1, 1},
                         &buffer, 1, 0, NULL, NULL, NULL);
}

// ---- Limits of threads ----

// R-TB-15: demo has SMs of 8 warps with 8 threads.
static void a_limit_is_rounded_down_to_warps(void **unused) {
  (void)unused;
  qsmDevice_t device = open_device("demo");
  qsmContext_t context = open_context(device);
  static const struct {
    uint32_t percent, warps;
  } cases[] = {{13, 1}, {24, 1}, {25, 2}, {75, 6}, {99, 7}, {100, 8}, {0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint32_t cap = 99;
    assert_int_equal(qsmSetThreadLimit(context, cases[i].percent), qsmSuccess);
    assert_int_equal(qsmRegisterRead(device, QSM_SLOT_BASE + QSM_SLOT_WARP_CAP, &cap), qsmSuccess);
    assert_int_equal(cap, cases[i].warps);
  }
  expect_refusal(device, qsmSetThreadLimit(context, 12), qsmErrorInvalidValue,
                 "slot 0: 12 percent of an SM's 64 threads is less than a warp of 8");
  expect_refusal(device, qsmSetThreadLimit(context, 101), qsmErrorInvalidValue,
                 "slot 0: 101 percent of an SM's threads, must be 0..100");
  expect_refusal(device, qsmSetThreadLimit(context, UINT32_MAX), qsmErrorInvalidValue,
                 "must be 0..100");
  qsmDeviceClose(device);
  assert_int_equal(qsmSetThreadLimit(context, 10), qsmErrorInvalidHandle);
}

// R-TB-15.
static void a_block_larger_than_the_limit_is_refused_with_both_numbers(void **unused) {
  (void)unused;
  qsmDevice_t device = open_device("demo");
  qsmContext_t context = open_context(device);
  uint32_t buffer = allocate(context, 4096);
  assert_int_equal(qsmSetThreadLimit(context, 25), qsmSuccess);
  expect_refusal(device, launch_block(context, 1, 17, buffer), qsmErrorInvalidLaunch,
                 "kernel fill: 17 threads per block, the context's limit of 25 percent is 16");
  assert_int_equal(launch_block(context, 4, 16, buffer), qsmSuccess);
  assert_int_equal(launch_block(context, 4, 16, buffer), qsmSuccess);  // it waits
  expect_refusal(device, qsmSetThreadLimit(context, 13), qsmErrorBusy,
                 "slot 0: a launch with 16 threads per block is pending, 13 percent are 8");
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(qsmSetThreadLimit(context, 13), qsmSuccess);
  assert_int_equal(launch_block(context, 4, 8, buffer), qsmSuccess);
  assert_int_equal(qsmSetThreadLimit(context, 0), qsmSuccess);  // while it runs
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(launch_block(context, 1, 64, buffer), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  qsmDeviceClose(device);
}

static uint32_t resident(qsmDevice_t device, qsmContext_t context, uint32_t sm) {
  uint32_t value = 0;
  assert_int_equal(qsmRegisterWrite(device, QSM_REG_SM_SELECT, sm), qsmSuccess);
  assert_int_equal(qsmRegisterRead(device,
                                   (uint16_t)(QSM_SMSEL_BASE + QSM_SMSEL_TBS +
                                              QSM_SMSEL_STRIDE * qsmContextSlot(context)),
                                   &value),
                   qsmSuccess);
  return value & 0xff;
}

// R-TB-15: with 75 and 25 percent of eight warps each has what it may have, 6 and 2; with 75 and 75
// the first has all of its 6 and the second the rest.
static void contexts_fill_an_sm_up_to_their_limits(void **unused) {
  (void)unused;
  static const uint32_t limits[][2] = {{75, 25}, {75, 75}};
  for (size_t i = 0; i < 2; i++) {
    qsmDevice_t device = open_device("demo");
    qsmContext_t context[2];
    for (uint32_t k = 0; k < 2; k++) {
      context[k] = open_context(device);
      assert_int_equal(qsmSetThreadLimit(context[k], limits[i][k]), qsmSuccess);
    }
    for (uint32_t k = 0; k < 2; k++) {
      assert_int_equal(
          launch(context[k], "endless", 200, allocate(context[k], 4096), 0, NULL, NULL),
          qsmSuccess);
      assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 500), qsmSuccess);
    }
    for (uint32_t sm = 0; sm < 4; sm++) {
      assert_int_equal(resident(device, context[0], sm), 6);
      assert_int_equal(resident(device, context[1], sm), 2);
    }
    qsmDeviceClose(device);
  }
}

// ---- Instances: what is possible ----

static qsmDevice_t open_static(const char *config) {
  qsmDevice_t device = open_device(config);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeSmStatic, EPOCH), qsmSuccess);
  return device;
}

static qsmContext_t open_instance(qsmDevice_t device, qsmInstance profile) {
  qsmContext_t context = NULL;
  if (qsmContextCreateInInstance(device, profile, &context))
    fail_msg("%s", qsmGetLastErrorText(device));
  assert_int_equal(qsmModuleLoad(context, program_path("k.elf")), qsmSuccess);
  return context;
}

static void expect_no_instance(qsmDevice_t device, qsmInstance profile, const char *text) {
  qsmContext_t context = NULL;
  expect_refusal(device, qsmContextCreateInInstance(device, profile, &context), qsmErrorInstance,
                 text);
  assert_null(context);
}

// R-XB-6.
static void instances_that_cannot_be_are_refused(void **unused) {
  (void)unused;
  qsmContext_t context = NULL;
  qsmDevice_t device = open_static("demo");
  expect_no_instance(
      device, qsmInstanceFourSevenths,
      "instance 4/7: configuration demo cannot divide its memory (partition_bits: 0)");
  qsmDeviceClose(device);
  assert_int_equal(qsmContextCreateInInstance(device, qsmInstanceOneSeventh, &context),
                   qsmErrorInvalidHandle);
  device = open_static(four_channels);
  expect_no_instance(device, qsmInstanceOneSeventh, "instance 1/7: 1/8 of the 4 channels");
  open_instance(device, qsmInstanceTwoSevenths);
  qsmDeviceClose(device);
  device = open_device("smqos");
  expect_no_instance(device, qsmInstanceFourSevenths,
                     "instance 4/7: has its SMs by scheme sm_static, the device has none");
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeSmStatic, EPOCH), qsmSuccess);
  expect_refusal(device, qsmContextCreateInInstance(device, (qsmInstance)5, &context),
                 qsmErrorInvalidValue, "instance 5: must be 0..4 (1/7, 2/7, 3/7, 4/7, 7/7)");
  expect_refusal(device, qsmContextCreateInInstance(device, qsmInstanceOneSeventh, NULL),
                 qsmErrorInvalidValue, "NULL for the context");
  qsmDeviceClose(device);
}

static void contexts_with_and_without_an_instance_do_not_go_together(void **unused) {
  (void)unused;
  qsmContext_t other = NULL;
  qsmDevice_t device = open_static("smqos");
  assert_int_equal(qsmContextCreate(device, &other), qsmSuccess);
  expect_no_instance(device, qsmInstanceOneSeventh,
                     "slot 0 is no instance: an instance would lie on its memory");
  qsmContextDestroy(other);
  qsmContext_t context = open_instance(device, qsmInstanceOneSeventh);
  expect_refusal(device, qsmContextCreate(device, &other), qsmErrorInstance,
                 "slot 0 is an instance: a context without one would lie on their memory");
  expect_refusal(device, qsmSetScheduling(device, qsmPolicyGto, qsmSchemeNone, EPOCH),
                 qsmErrorInstance, "slot 0 is an instance: the SMs of instances are by");
  expect_refusal(device, qsmSetSmCount(context, 5), qsmErrorInstance,
                 "slot 0: an instance with 3 SMs of its own");
  qsmContextDestroy(context);
  assert_int_equal(qsmContextCreate(device, &other), qsmSuccess);
  assert_int_equal(qsmSetSmCount(other, 5), qsmSuccess);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeNone, EPOCH), qsmSuccess);
  qsmDeviceClose(device);
}

static void an_instance_that_does_not_fit_beside_the_others_is_refused(void **unused) {
  (void)unused;
  qsmDevice_t device = open_static("smqos");
  qsmContext_t half = open_instance(device, qsmInstanceFourSevenths);
  expect_no_instance(device, qsmInstanceSevenSevenths,
                     "instance 7/7: no 8/8 of the memory are free beside the other instances");
  expect_no_instance(device, qsmInstanceFourSevenths,
                     "instance 4/7: has 13 SMs, the others leave 11 of 24");
  open_instance(device, qsmInstanceTwoSevenths);
  open_instance(device, qsmInstanceOneSeventh);
  expect_no_instance(device, qsmInstanceTwoSevenths,
                     "instance 2/7: no 2/8 of the memory are free beside the other instances");
  qsmContextDestroy(half);
  open_instance(device, qsmInstanceThreeSevenths);
  qsmDeviceClose(device);
  device = open_static(few_sms);  // floor(3/7) is none, so it has one
  for (uint32_t n = 0; n < 3; n++) open_instance(device, qsmInstanceOneSeventh);
  expect_no_instance(device, qsmInstanceOneSeventh,
                     "instance 1/7: has 1 SMs, the others leave 0 of 3");
  qsmDeviceClose(device);
  device = open_static(two_slots);
  for (uint32_t n = 0; n < 2; n++) open_instance(device, qsmInstanceOneSeventh);
  qsmContext_t context = NULL;
  expect_refusal(device, qsmContextCreateInInstance(device, qsmInstanceOneSeventh, &context),
                 qsmErrorNoSlot, "2 kernel slots, all taken");
  qsmDeviceClose(device);
}

// ---- Instances: what they have ----

// Of the context's last launch; bit c: its requests went to the L2 slice, or the DRAM, of channel
// c.
static uint32_t channels_of(qsmDevice_t device, qsmContext_t context) {
  enum { L2_REQUESTS = 0, DRAM_READS = 8 };
  uint32_t channels = 0, n = qsmDeviceConfig(device)->num_channels;
  for (uint32_t c = 0; c < n; c++) {
    uint32_t value = 0, sum = 0;
    for (uint32_t counter = L2_REQUESTS; counter <= DRAM_READS; counter += DRAM_READS) {
      assert_int_equal(
          qsmRegisterWrite(device, QSM_REG_MEM_SELECT,
                           c | qsmContextSlot(context) << QSM_REG_MEM_SELECT_SLOT_SHIFT |
                               counter << QSM_REG_MEM_SELECT_COUNTER_SHIFT),
          qsmSuccess);
      assert_int_equal(qsmRegisterRead(device, QSM_REG_MEM_VALUE, &value), qsmSuccess);
      sum |= value;
    }
    channels |= (uint32_t)(sum != 0) << c;
  }
  return channels;
}

static uint32_t bytes_of(qsmContext_t context) {
  uint64_t total = 0;
  assert_int_equal(qsmMemGetInfo(context, NULL, &total), qsmSuccess);
  return (uint32_t)total;
}

// Lets the SMs come to their owners.
static void settle(qsmDevice_t device) {
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 20000), qsmSuccess);
}

// Writes all over an area, looks where its blocks ran, and returns the channels of both.
static uint32_t use_all(qsmDevice_t device, qsmContext_t context, uint32_t n_sms,
                        uint32_t n_words) {
  enum { BLOCKS = 256 };
  uint32_t at = allocate(context, 4 * n_words), where = allocate(context, 4 * BLOCKS), sms = 0,
           sm[BLOCKS], channels = 0;
  assert_int_equal(launch(context, "smear", 64, at, n_words, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  channels |= channels_of(device, context);
  for (uint32_t i = 0; i < n_words; i += 97)
    assert_int_equal(read_word(context, at + 4 * i), 0xC0FFEE00 + i);
  // Where no instance had a launch for an epoch, this one waits for its SMs (R-SG-19).
  assert_int_equal(launch(context, "where", BLOCKS, where, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(qsmMemcpyDtoH(context, sm, where, sizeof sm), qsmSuccess);
  for (uint32_t i = 0; i < BLOCKS; i++) sms |= 1u << sm[i];
  assert_int_equal(__builtin_popcount(sms), n_sms);
  return channels;
}

// R-XB-6: SMs, channels and memory of each profile; the lowest part that is free.
static void an_instance_has_its_sms_channels_and_memory(void **unused) {
  (void)unused;
  static const struct {
    qsmInstance profile;
    uint32_t n_sms, channels, eighths;
  } expected[] = {{qsmInstanceOneSeventh, 3, 0x01, 1},
                  {qsmInstanceThreeSevenths, 10, 0xf0, 4},
                  {qsmInstanceTwoSevenths, 6, 0x0c, 2},
                  {qsmInstanceOneSeventh, 3, 0x02, 1}};
  enum { OWN = (32 + 256) * 1024, EIGHTH = 1 << 25 };
  qsmDevice_t device = open_static("smqos");
  qsmContext_t context[4];
  for (uint32_t i = 0; i < 4; i++) context[i] = open_instance(device, expected[i].profile);
  settle(device);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(use_all(device, context[i], expected[i].n_sms, MANY_WORDS),
                     expected[i].channels);
    assert_int_equal(bytes_of(context[i]), expected[i].eighths * EIGHTH - OWN);
  }
  qsmContextDestroy(context[0]);
  qsmContextDestroy(context[1]);
  qsmContext_t again = open_instance(device, qsmInstanceFourSevenths);
  settle(device);
  assert_int_equal(use_all(device, again, 13, MANY_WORDS), 0xf0);
  qsmDeviceClose(device);
  device = open_static("smqos");
  again = open_instance(device, qsmInstanceSevenSevenths);
  settle(device);
  assert_int_equal(use_all(device, again, 24, MANY_WORDS), 0xff);
  assert_int_equal(bytes_of(again), 8 * EIGHTH - OWN);
  qsmDeviceClose(device);
}

// The number of SMs is there when they are split, whenever in an epoch the instance is created.
static void an_instance_alone_has_no_more_than_its_sms(void **unused) {
  (void)unused;
  qsmDevice_t device = open_static("smqos");
  for (uint32_t n = 0; n < 60; n += brief_run() ? 4 : 1) {
    qsmContext_t context = NULL;
    uint32_t n_owned = 0;
    uint64_t at = qsmDeviceCycle(device) / EPOCH * EPOCH + EPOCH - 40 + n;
    assert_int_equal(qsmDeviceRunUntil(device, at), qsmSuccess);
    assert_int_equal(qsmContextCreateInInstance(device, qsmInstanceThreeSevenths, &context),
                     qsmSuccess);
    assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 800), qsmSuccess);
    for (uint32_t sm = 0; sm < 24; sm++) {
      qsmSmState state;
      assert_int_equal(qsmGetSmState(device, sm, &state), qsmSuccess);
      n_owned += state.use == qsmSmOwned && !state.moving;
    }
    assert_int_equal(n_owned, 10);
    qsmContextDestroy(context);
  }
  qsmDeviceClose(device);
}

// Clearing, too, goes where the part lies: by a tenant with another split, whose addresses are
// other lines.
static void the_next_tenant_of_a_part_finds_zeros(void **unused) {
  (void)unused;
  enum { SPIES = 512 };
  const uint32_t n_words = brief_run() ? 1 << 17 : 1 << 20;
  qsmDevice_t device = open_static("smqos");
  qsmContext_t first = open_instance(device, qsmInstanceFourSevenths),
               neighbour = open_instance(device, qsmInstanceThreeSevenths);
  uint32_t own = allocate(neighbour, 4 * n_words / 64);
  assert_int_equal(launch(neighbour, "smear", 64, own, n_words / 64, NULL, NULL), qsmSuccess);
  assert_int_equal(launch(first, "smear", 512, allocate(first, 4 * n_words), n_words, NULL, NULL),
                   qsmSuccess);
  assert_int_equal(qsmDeviceSynchronize(device, LONG), qsmSuccess);
  qsmContextDestroy(first);
  for (uint32_t i = 0; i < n_words / 64; i += 7)
    assert_int_equal(read_word(neighbour, own + 4 * i), 0xC0FFEE00 + i);
  for (uint32_t n = 0; n < 2; n++) {
    qsmContext_t next = open_instance(device, qsmInstanceOneSeventh);
    uint32_t sums = allocate(next, 4 * SPIES), from = allocate(next, 4 * n_words), seen[SPIES];
    const uint32_t args[] = {sums, from, n_words};
    assert_int_equal(qsmLaunchKernel(next, "spy", (qsmDim3){16, 1, 1}, (qsmDim3){32, 1, 1}, args, 3,
                                     0, NULL, NULL, NULL),
                     qsmSuccess);
    assert_int_equal(qsmContextSynchronize(next, 4 * LONG), qsmSuccess);
    assert_int_equal(qsmMemcpyDtoH(next, seen, sums, sizeof seen), qsmSuccess);
    for (uint32_t i = 0; i < SPIES; i++) assert_int_equal(seen[i], 0);
  }
  qsmDeviceClose(device);
}

// ---- Programs ----

struct other {
  qsmDevice_t device;
  qsmContext_t context;
  const char *program;
  bool ran;
  uint32_t channels[2];
};

static void wait_and_look(qsmContext_t context, void *user) {
  struct other *other = user;
  assert_int_equal(qsmContextSynchronize(context, 10 * LONG), qsmSuccess);
  other->channels[1] |= channels_of(other->device, context);
}

// While the first launch of one program runs, the whole other does.
static void let_other_run(qsmContext_t context, void *user) {
  struct other *other = user;
  if (!other->ran) {
    other->ran = true;
    assert_int_equal(run_program_with(other->context, qsm_suite_find(other->program), QSM_SIZE_S, 1,
                                      wait_and_look, other),
                     0);
  }
  assert_int_equal(qsmContextSynchronize(context, 10 * LONG), qsmSuccess);
  other->channels[0] |= channels_of(other->device, context);
}

// R-XB-6.
static void programs_in_two_instances_are_right_and_share_no_channel(void **unused) {
  (void)unused;
  qsmDevice_t device = open_static("smqos");
  qsmContext_t context = open_instance(device, qsmInstanceFourSevenths);
  struct other other = {.device = device,
                        .context = open_instance(device, qsmInstanceThreeSevenths),
                        .program = "spmv"};
  assert_int_equal(
      run_program_with(context, qsm_suite_find("matmul"), QSM_SIZE_M, 1, let_other_run, &other), 0);
  assert_int_equal(other.channels[0], 0x0f);
  assert_int_equal(other.channels[1], 0xf0);
  qsmDeviceClose(device);
}

// RTL and model equal in every cycle: halves of odd, with limits in them, of which one goes to
// another tenant.
static void instances_and_limits_are_equal_on_rtl_and_model(void **unused) {
  (void)unused;
  char msg[256];
  qsmDevice_t device = NULL;
  if (qsmDeviceOpen("lockstep", "odd", &(struct qsm_backend_options){.state_interval = 1000},
                    &device, msg, sizeof msg))
    fail_msg("%s", msg);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeSmStatic, EPOCH), qsmSuccess);
  qsmContext_t first = open_instance(device, qsmInstanceFourSevenths),
               second = open_instance(device, qsmInstanceThreeSevenths);
  assert_int_equal(qsmSetThreadLimit(first, 34), qsmSuccess);
  assert_int_equal(
      launch(second, "smear", 500, allocate(second, 4 * MANY_WORDS), MANY_WORDS, NULL, NULL),
      qsmSuccess);
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 3 * EPOCH), qsmSuccess);
  assert_int_equal(use_all(device, first, 1, FEW_WORDS), 1);
  qsmContextDestroy(first);
  first = open_instance(device, qsmInstanceThreeSevenths);
  assert_int_equal(use_all(device, first, 1, FEW_WORDS), 1);
  assert_int_equal(qsmContextKill(second), qsmSuccess);
  assert_int_equal(channels_of(device, second), 2);
  qsmDeviceClose(device);
}

// Stacks, save areas and images lie in the part, too; a launch alone is measured on the whole GPU.
static void stacks_images_and_isolated_runs_work_in_an_instance(void **unused) {
  (void)unused;
  enum { BLOCKS = 32, THREADS = 8 * BLOCKS };
  qsmDevice_t device = open_static("smqos");
  open_instance(device, qsmInstanceTwoSevenths);
  qsmContext_t context = open_instance(device, qsmInstanceThreeSevenths);
  settle(device);
  uint32_t out = allocate(context, 4 * THREADS), go = allocate(context, 4), one = 1;
  assert_int_equal(launch(context, "large_array", BLOCKS, out, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  for (uint32_t i = 0; i < THREADS; i++)
    assert_int_equal(read_word(context, out + 4 * i), 200 * i + 199 * 200 / 2);
  assert_int_equal(qsmSetSaveArea(context, 2), qsmSuccess);
  const uint32_t args[] = {go, out};
  const qsmLaunch what = {.kernel = "patient",
                          .grid = {BLOCKS, 1, 1},
                          .block = {8, 1, 1},
                          .args = args,
                          .n_args = 2,
                          .shared_bytes = 32};
  qsmGoal goal = {.kind = qsmGoalShare, .value = 500000};
  assert_int_equal(qsmMemcpyHtoD(context, go, &one, sizeof one), qsmSuccess);
  if (qsmMeasureIsolated(context, &what, LONG, &goal)) fail_msg("%s", qsmGetLastErrorText(device));
  assert_true(goal.isolated_ipc_q16 > 0);
  one = 0;
  assert_int_equal(qsmMemcpyHtoD(context, go, &one, sizeof one), qsmSuccess);
  assert_int_equal(qsmLaunchKernelEx(context, &what, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 3000), qsmSuccess);
  uint32_t n_saved = 0;
  for (uint32_t sm = 0; sm < 24 && n_saved < 2; sm++) {
    qsmPreemptResult result;
    qsmSmState state;
    assert_int_equal(qsmGetSmState(device, sm, &state), qsmSuccess);
    if (state.use != qsmSmOwned || state.slot != qsmContextSlot(context)) continue;
    if (qsmPreempt(device, sm, context, qsmTechniqueSwitch, LONG, &result))
      fail_msg("%s", qsmGetLastErrorText(device));
    n_saved += result.how == qsmPreemptDone;
  }
  assert_int_equal(n_saved, 2);
  one = 1;
  assert_int_equal(qsmMemcpyHtoD(context, go, &one, sizeof one), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  for (uint32_t i = 0; i < THREADS; i++)
    assert_int_equal(read_word(context, out + 4 * i), 7 * i + 1 + (i / 8 * 8 + 7 - i % 8));
  qsmDeviceClose(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_limit_is_rounded_down_to_warps),
      cmocka_unit_test(a_block_larger_than_the_limit_is_refused_with_both_numbers),
      cmocka_unit_test(contexts_fill_an_sm_up_to_their_limits),
      cmocka_unit_test(instances_that_cannot_be_are_refused),
      cmocka_unit_test(contexts_with_and_without_an_instance_do_not_go_together),
      cmocka_unit_test(an_instance_that_does_not_fit_beside_the_others_is_refused),
      cmocka_unit_test(an_instance_has_its_sms_channels_and_memory),
      cmocka_unit_test(an_instance_alone_has_no_more_than_its_sms),
      cmocka_unit_test(the_next_tenant_of_a_part_finds_zeros),
      cmocka_unit_test(programs_in_two_instances_are_right_and_share_no_channel),
      cmocka_unit_test(instances_and_limits_are_equal_on_rtl_and_model),
      cmocka_unit_test(stacks_images_and_isolated_runs_work_in_an_instance),
  };
  return cmocka_run_group_tests(tests, make_configurations, remove_programs);
}
