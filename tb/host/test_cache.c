// SPDX-License-Identifier: Apache-2.0
// The host's view of memory behind an L1 and an L2 that writes back, on the model: what kernels
// wrote is read, what the host writes is seen by kernels, nothing old comes back; cache policies
// and the counters of the memory.
#include <string.h>

#include "host_support.h"

#include "qsm_config.h"
#include "qsm_regs.h"

static char with_caches[CONFIG_PATH_BYTES];  // tiny with an L1 and an L2 of 64 lines each, and a
                                             // memory controller

static int make_configuration(void **state) {
  if (copy_programs(state)) return -1;
  change_config("tiny",
                "s/^l1_kib: 0/l1_kib: 1/; s/^l2_kib: 0/l2_kib: 1/; s/^dram_banks: 0/dram_banks: 4/",
                with_caches);
  return 0;
}

static int open_both(void **state, qsmDevice_t *device, qsmContext_t *context) {
  (void)state;
  *device = open_device(with_caches);
  *context = open_context(*device);
  return 0;
}

static void run_fill(qsmContext_t context, uint32_t buffer) {
  assert_int_equal(launch(context, "fill", 4, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
}

static void the_host_reads_what_a_kernel_wrote(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  open_both(state, &device, &context);
  uint32_t buffer = allocate(context, 4096);
  run_fill(context, buffer);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(read_word(context, buffer + 4 * i), 1);
  qsmDeviceClose(device);
}

// Dirty lines that are evicted later must not take back what the host wrote meanwhile.
static void nothing_takes_back_what_the_host_wrote(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  open_both(state, &device, &context);
  uint32_t buffer = allocate(context, 4096), other = allocate(context, 8192);
  const uint32_t value = 77;
  run_fill(context, buffer);
  assert_int_equal(qsmMemcpyHtoD(context, buffer + 4, &value, 4), qsmSuccess);
  assert_int_equal(launch(context, "fill", 256, other, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(read_word(context, buffer), 1);
  assert_int_equal(read_word(context, buffer + 4), value);
  qsmDeviceClose(device);
}

static void a_kernel_reads_what_the_host_wrote_over_a_line_in_the_l2(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  open_both(state, &device, &context);
  uint32_t buffer = allocate(context, 4096);
  uint32_t address = buffer + 64;
  for (uint32_t value = 1; value < 5; value++) {
    assert_int_equal(qsmMemcpyHtoD(context, address, &value, 4), qsmSuccess);
    assert_int_equal(launch(context, "peek", 4, buffer, address, NULL, NULL), qsmSuccess);
    assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
    assert_int_equal(read_word(context, buffer), value);
  }
  qsmDeviceClose(device);
}

static void a_running_kernel_sees_what_the_host_writes(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  open_both(state, &device, &context);
  uint32_t buffer = allocate(context, 4096);
  const uint32_t stop = 1;
  assert_int_equal(launch(context, "endless", 1, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmDeviceRunUntil(device, 5000), qsmSuccess);
  assert_int_equal(qsmMemcpyHtoD(context, buffer, &stop, 4), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  qsmDeviceClose(device);
}

// More argument blocks than there is room for, each launch with its own; then some of them again.
static void every_launch_finds_its_own_arguments(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  open_both(state, &device, &context);
  enum { DISTINCT = 300, LAUNCHES = 310 };
  uint32_t buffer = allocate(context, 32 * LAUNCHES);
  for (uint32_t n = 0; n < LAUNCHES; n++) {
    uint32_t value = n < DISTINCT ? n : 3;
    assert_int_equal(qsmLaunchKernel(context, "pass", (qsmDim3){1, 1, 1}, (qsmDim3){8, 1, 1},
                                     (uint32_t[]){buffer + 32 * n, value}, 2, 64, NULL, NULL, NULL),
                     qsmSuccess);
  }
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  for (uint32_t n = 0; n < LAUNCHES; n++)
    assert_int_equal(read_word(context, buffer + 32 * n), n < DISTINCT ? n : 3);
  qsmDeviceClose(device);
}

// An equal launch uses the block again, without the host looking at it.
static void a_kernel_cannot_write_over_its_arguments(void **state) {
  static const char *const configs[] = {"tiny", "odd", "demo+l2_kib-16", "wang2017"};
  (void)state;
  for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
    qsmDevice_t device = open_device(configs[i]);
    qsmContext_t context = open_context(device);
    const uint32_t buffer = allocate(context, 4096), args[] = {buffer}, zero = 0;
    for (uint32_t n = 0; n < 2; n++) {
      assert_int_equal(qsmLaunchKernel(context, "scribble", (qsmDim3){1, 1, 1}, (qsmDim3){1, 1, 1},
                                       args, 1, 0, NULL, NULL, NULL),
                       qsmSuccess);
      assert_int_equal(qsmContextSynchronize(context, LONG), qsmErrorKernelFault);
      assert_non_null(strstr(qsmGetLastErrorText(device), "cause 7 at"));
      assert_int_equal(read_word(context, buffer), 1);  // so far it has come each time
      assert_int_equal(qsmMemcpyHtoD(context, buffer, &zero, 4), qsmSuccess);
    }
    qsmDeviceClose(device);
  }
}

static void a_new_tenant_finds_nothing_of_the_old_one(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  open_both(state, &device, &context);
  uint32_t buffer = allocate(context, 4096), zero[32] = {0};
  run_fill(context, buffer);
  qsmContextDestroy(context);
  context = open_context(device);
  assert_int_equal(allocate(context, 4096), buffer);
  assert_int_equal(qsmMemcpyHtoD(context, buffer, zero, sizeof zero), qsmSuccess);
  run_fill(context, buffer + 256);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(read_word(context, buffer + 4 * i), 0);
  qsmDeviceClose(device);
}

static void programs_are_right_one_after_the_other(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  open_both(state, &device, &context);
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++)
    if (!program->needs_fpu || qsmDeviceConfig(device)->fpu)
      assert_int_equal(run_program(context, program, QSM_SIZE_S, 6), 0);
  qsmDeviceClose(device);
}

// R-L2-13, R-DR-9.
static void counters_tell_of_the_last_launch(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  qsmMemoryCounters first, second, skipped;
  open_both(state, &device, &context);
  uint32_t buffer = allocate(context, 4096);
  run_fill(context, buffer);
  assert_int_equal(qsmReadMemoryCounters(context, &first), qsmSuccess);
  assert_true(first.misses > 0 && first.bypassed == 0);
  assert_int_equal(first.requests, first.hits + first.merged + first.misses + first.bypassed);
  assert_int_equal(first.dram_reads + first.dram_writes, first.row_hits + first.rows_opened);
  run_fill(context, buffer);  // code and data are there
  assert_int_equal(qsmReadMemoryCounters(context, &second), qsmSuccess);
  assert_true(second.hits > 0 && second.misses < first.misses);
  assert_int_equal(qsmSetCachePolicy(context, qsmCacheSkipL2), qsmSuccess);
  run_fill(context, buffer + 2048);  // lines that are not there
  assert_int_equal(qsmReadMemoryCounters(context, &skipped), qsmSuccess);
  assert_true(skipped.bypassed > 0);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(read_word(context, buffer + 2048 + 4 * i), 1);
  qsmDeviceClose(device);
}

// R-L1-13.
static void counters_of_the_l1s_are_those_of_all_sms(void **state) {
  char path[CONFIG_PATH_BYTES];
  (void)state;
  change_config("demo", "s/^l1_kib: 0/l1_kib: 2/", path);
  qsmDevice_t device = open_device(path);
  qsmContext_t context = open_context(device);
  qsmMemoryCounters counters, skipped;
  assert_int_equal(run_program(context, qsm_suite_find("matmul"), QSM_SIZE_S, 3), 0);
  assert_int_equal(qsmReadMemoryCounters(context, &counters), qsmSuccess);
  assert_true(counters.l1_hits > 0 && counters.l1_merged > 0 && counters.l1_misses > 0 &&
              counters.l1_stores > 0);
  assert_in_range(counters.l1_loads, counters.l1_hits + counters.l1_merged + counters.l1_misses,
                  2 * counters.l1_loads);
  assert_int_equal(counters.requests + counters.dram_reads, 0);  // it has neither
  assert_int_equal(qsmSetCachePolicy(context, qsmCacheSkipL1), qsmSuccess);
  assert_int_equal(run_program(context, qsm_suite_find("matmul"), QSM_SIZE_S, 3), 0);
  assert_int_equal(qsmReadMemoryCounters(context, &skipped), qsmSuccess);
  assert_int_equal(skipped.l1_loads, counters.l1_loads);
  assert_int_equal(skipped.l1_hits + skipped.l1_merged + skipped.l1_misses, 0);
  qsmDeviceClose(device);
}

// Four SMs in two shader arrays, with all caches.
static void open_arrays(qsmDevice_t *device, qsmContext_t *context) {
  char path[CONFIG_PATH_BYTES];
  change_config("demo",
                "s/^l1_kib: 0/l1_kib: 1/; s/^num_sas: 0/num_sas: 2/; s/^sa_kib: 4/sa_kib: 2/; "
                "s/^sa_banks: 1/sa_banks: 2/; s/^l2_kib: 0/l2_kib: 16/",
                path);
  *device = open_device(path);
  *context = open_context(*device);
}

// R-SA-17, R-SA-18.
static void counters_of_arrays_and_their_policy(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  qsmMemoryCounters counters, skipped;
  (void)state;
  open_arrays(&device, &context);
  assert_int_equal(run_program(context, qsm_suite_find("matmul"), QSM_SIZE_S, 3), 0);
  assert_int_equal(qsmReadMemoryCounters(context, &counters), qsmSuccess);
  assert_true(counters.sa_hits > 0 && counters.sa_merged > 0 && counters.sa_misses > 0);
  assert_int_equal(counters.sa_stores, counters.l1_stores);
  assert_int_equal(counters.sa_loads, counters.l1_loads - counters.l1_hits - counters.l1_merged);
  assert_true(counters.requests >=
              counters.sa_loads - counters.sa_hits - counters.sa_merged + counters.sa_stores);
  assert_int_equal(qsmSetCachePolicy(context, qsmCacheSkipL1), qsmSuccess);
  assert_int_equal(run_program(context, qsm_suite_find("matmul"), QSM_SIZE_S, 3), 0);
  assert_int_equal(qsmReadMemoryCounters(context, &skipped), qsmSuccess);
  assert_true(skipped.sa_loads > 0 && skipped.l1_hits > 0 && skipped.l1_misses > 0);
  assert_int_equal(skipped.sa_hits + skipped.sa_merged + skipped.sa_misses, 0);
  qsmDeviceClose(device);
}

// R-SA-18: no such counter, no such bank, no arrays.
static void counters_that_are_not_there_are_refused(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  (void)state;
  open_arrays(&device, &context);
  const uint32_t refused[] = {22 << 8, 23 << 8, 30 << 8, 24 << 8 | 2};
  for (uint32_t i = 0; i < sizeof refused / sizeof *refused; i++)
    assert_int_not_equal(qsmRegisterWrite(device, QSM_REG_MEM_SELECT, refused[i]), qsmSuccess);
  assert_int_equal(qsmRegisterWrite(device, QSM_REG_MEM_SELECT, 29 << 8 | 1), qsmSuccess);
  qsmDeviceClose(device);
  device = open_device("demo");
  assert_int_not_equal(qsmRegisterWrite(device, QSM_REG_MEM_SELECT, 24 << 8), qsmSuccess);
  qsmDeviceClose(device);
}

// R-SA-6, R-SA-14, R-SA-17: blocks on all SMs hand data to each other behind fences, and launches
// to the next one, under every pair of policies.
static void data_is_handed_over_under_every_pair_of_policies(void **state) {
  enum { BLOCKS = 8, ROUNDS = 6, WORDS = 16, POLICIES = 4 };
  qsmDevice_t device;
  qsmContext_t context;
  (void)state;
  open_arrays(&device, &context);
  const uint32_t buffer = allocate(context, 4096), zero[WORDS + 64] = {0};
  uint32_t turn = 0;
  assert_int_equal(qsmMemcpyHtoD(context, buffer, zero, sizeof zero), qsmSuccess);
  for (uint32_t pair = 0; pair < POLICIES * POLICIES; pair++) {
    const uint32_t policy[] = {pair / POLICIES, pair % POLICIES};
    for (uint32_t i = 0; i < 2; i++) {
      assert_int_equal(qsmSetCachePolicy(context, (qsmCachePolicy)policy[i]), qsmSuccess);
      assert_int_equal(
          qsmLaunchKernel(context, "relay", (qsmDim3){BLOCKS, 1, 1}, (qsmDim3){1, 1, 1},
                          (uint32_t[]){buffer, buffer + 256, ROUNDS, turn}, 4, 0, NULL, NULL, NULL),
          qsmSuccess);
      assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
      turn += BLOCKS * ROUNDS;
    }
    for (uint32_t i = 0; i < WORDS; i++)
      assert_int_equal(read_word(context, buffer + 256 + 4 * i), turn * (i + 1));
  }
  qsmDeviceClose(device);
}

static void counters_are_zero_without_caches(void **state) {
  (void)state;
  qsmDevice_t device = open_device("tiny");
  qsmContext_t context = open_context(device);
  qsmMemoryCounters counters;
  run_fill(context, allocate(context, 4096));
  uint64_t cycle = qsmDeviceCycle(device);
  assert_int_equal(qsmReadMemoryCounters(context, &counters), qsmSuccess);
  assert_memory_equal(&counters, &(qsmMemoryCounters){0}, sizeof counters);
  assert_int_equal(qsmDeviceCycle(device), cycle);  // nothing is asked for
  qsmDeviceClose(device);
}

static void a_cache_policy_is_one_of_four(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  open_both(state, &device, &context);
  assert_int_equal(qsmSetCachePolicy(context, qsmCacheSkipL1AndL2), qsmSuccess);
  assert_int_equal(qsmSetCachePolicy(context, (qsmCachePolicy)4), qsmErrorInvalidValue);
  assert_string_equal(qsmGetLastErrorText(device),
                      "slot 0: cache policy 4: must be 0..3 (s0, s1, s2, s12)");
  qsmDeviceClose(device);
}

static void note_cycle(void *user) { ++*(uint32_t *)user; }

static void a_watch_is_called_while_the_library_flushes(void **state) {
  qsmDevice_t device;
  qsmContext_t context;
  uint32_t n_called = 0;
  open_both(state, &device, &context);
  uint32_t buffer = allocate(context, 4096);
  qsmSetWatch(device, note_cycle, &n_called);
  run_fill(context, buffer);
  assert_int_equal(n_called, 0);
  read_word(context, buffer);
  assert_true(n_called > 0);
  uint32_t before = n_called;
  read_word(context, buffer + 4);  // all is in memory now
  assert_int_equal(n_called, before);
  qsmDeviceClose(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_host_reads_what_a_kernel_wrote),
      cmocka_unit_test(nothing_takes_back_what_the_host_wrote),
      cmocka_unit_test(a_kernel_reads_what_the_host_wrote_over_a_line_in_the_l2),
      cmocka_unit_test(a_running_kernel_sees_what_the_host_writes),
      cmocka_unit_test(every_launch_finds_its_own_arguments),
      cmocka_unit_test(a_kernel_cannot_write_over_its_arguments),
      cmocka_unit_test(a_new_tenant_finds_nothing_of_the_old_one),
      cmocka_unit_test(programs_are_right_one_after_the_other),
      cmocka_unit_test(counters_tell_of_the_last_launch),
      cmocka_unit_test(counters_of_the_l1s_are_those_of_all_sms),
      cmocka_unit_test(counters_of_arrays_and_their_policy),
      cmocka_unit_test(counters_that_are_not_there_are_refused),
      cmocka_unit_test(data_is_handed_over_under_every_pair_of_policies),
      cmocka_unit_test(counters_are_zero_without_caches),
      cmocka_unit_test(a_cache_policy_is_one_of_four),
      cmocka_unit_test(a_watch_is_called_while_the_library_flushes),
  };
  return cmocka_run_group_tests(tests, make_configuration, remove_programs);
}
