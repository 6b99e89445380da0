// SPDX-License-Identifier: Apache-2.0
// The host's view of memory behind an L1 and an L2 that writes back, on the model: what kernels
// wrote is read, what the host writes is seen by kernels, nothing old comes back; cache policies
// and the counters of the memory.
#include <string.h>

#include "host_support.h"

#include "qsm_config.h"
#include "qsm_random.h"
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
  uint8_t all[4096];
  assert_int_equal(qsmMemcpyDtoH(context, all, buffer, sizeof all), qsmSuccess);
  assert_true(n_called > 0);
  uint32_t before = n_called;
  read_word(context, buffer + 4);  // all is in memory now
  assert_int_equal(n_called, before);
  qsmDeviceClose(device);
}

// ---- Copies that flush a part (R-L2-10) ----

// Two channels with 128 sets of 4 ways each, lines of 32 bytes.
#define FLAT "demo+l2_kib-16"
enum { FLAT_SETS = 128, FLAT_ROUND = FLAT_SETS * 2 * 32 };  // bytes until a set comes again

static void run_smear(qsmContext_t context, uint32_t buffer, uint32_t n_words) {
  assert_int_equal(launch(context, "smear", 8, buffer, n_words, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
}

static uint64_t cycles_of_read(qsmDevice_t device, qsmContext_t context, void *to, uint32_t from,
                               size_t bytes) {
  uint64_t before = qsmDeviceCycle(device);
  assert_int_equal(qsmMemcpyDtoH(context, to, from, bytes), qsmSuccess);
  return qsmDeviceCycle(device) - before;
}

static void a_word_costs_far_less_than_all(void **state) {
  (void)state;
  uint32_t words[FLAT_ROUND / 4];
  qsmDevice_t device = open_device(FLAT);
  qsmContext_t context = open_context(device);
  uint32_t buffer = allocate(context, sizeof words);
  run_smear(context, buffer, FLAT_ROUND / 4);
  uint64_t of_word = cycles_of_read(device, context, words, buffer + 400, 4);
  assert_int_equal(words[0], 0xC0FFEE00 + 100);
  run_smear(context, buffer, FLAT_ROUND / 4);
  uint64_t of_all = cycles_of_read(device, context, words, buffer, sizeof words);
  for (uint32_t i = 0; i < FLAT_ROUND / 4; i++) assert_int_equal(words[i], 0xC0FFEE00 + i);
  assert_true(8 * of_word < of_all);
  qsmDeviceClose(device);
}

// With the last of as many parts as there are sets all is flushed, and then nothing until the next
// launch.
static void many_words_end_in_a_whole_flush(void **state) {
  (void)state;
  qsmDevice_t device = open_device(FLAT);
  qsmContext_t context = open_context(device);
  uint32_t buffer = allocate(context, FLAT_ROUND), word;
  for (uint32_t n = 0; n < 2; n++) {
    uint64_t of_word = 0, cycles;
    run_smear(context, buffer, FLAT_ROUND / 4);
    for (uint32_t i = 0; i < FLAT_SETS; i++) {
      cycles = cycles_of_read(device, context, &word, buffer + 4 * i, 4);
      assert_int_equal(word, 0xC0FFEE00 + i);
      if (i == 0) of_word = cycles;
      if (i < FLAT_SETS - 1) assert_true(cycles > 0 && cycles < 2 * of_word);
    }
    assert_true(cycles > 8 * of_word);
    for (uint32_t at = 0; at < FLAT_ROUND; at += 256)
      assert_int_equal(cycles_of_read(device, context, &word, buffer + at, 4), 0);
  }
  qsmDeviceClose(device);
}

// A copy of another tenant's: its lines in other sets stay, and go with all.
static void lines_of_a_neighbour_in_other_sets_stay(void **state) {
  (void)state;
  enum { WORDS = 256, BYTES = 4 * WORDS };  // 16 sets
  static uint8_t all[FLAT_ROUND];
  qsmMemoryCounters kept, lost;
  qsmDevice_t device = open_device(FLAT);
  qsmContext_t neighbour = open_context(device), context = open_context(device);
  uint32_t theirs = allocate(neighbour, BYTES), buffer = allocate(context, 2 * FLAT_ROUND);
  // Half way round from the neighbour's buffer.
  uint32_t own = buffer + (theirs + FLAT_ROUND / 2 - buffer) % FLAT_ROUND;
  run_smear(context, own, 8);
  run_smear(neighbour, theirs, WORDS);
  assert_int_equal(read_word(context, own + 4), 0xC0FFEE00 + 1);
  run_smear(neighbour, theirs, WORDS);
  assert_int_equal(qsmReadMemoryCounters(neighbour, &kept), qsmSuccess);
  run_smear(context, own, 8);
  assert_int_equal(qsmMemcpyDtoH(context, all, buffer, sizeof all), qsmSuccess);
  run_smear(neighbour, theirs, WORDS);
  assert_int_equal(qsmReadMemoryCounters(neighbour, &lost), qsmSuccess);
  assert_int_equal(kept.misses, 0);
  assert_true(lost.misses >= BYTES / 32);
  for (uint32_t i = 0; i < WORDS; i++)
    assert_int_equal(read_word(neighbour, theirs + 4 * i), 0xC0FFEE00 + i);
  qsmDeviceClose(device);
}

// More copies than there are sets: while the kernel runs each has to flush.
static void a_running_kernel_sees_the_last_of_many_writes(void **state) {
  (void)state;
  const char *const configs[] = {FLAT, with_caches};
  for (size_t i = 0; i < 2; i++) {
    qsmDevice_t device = open_device(configs[i]);
    qsmContext_t context = open_context(device);
    uint32_t go = allocate(context, 64), out = allocate(context, 64);
    for (uint32_t value = 0; value < 2; value++) {
      const uint32_t zero = 0, args[] = {go, out};
      assert_int_equal(qsmMemcpyHtoD(context, go, &zero, 4), qsmSuccess);
      assert_int_equal(qsmLaunchKernel(context, "patient", (qsmDim3){1, 1, 1}, (qsmDim3){8, 1, 1},
                                       args, 2, 64, NULL, NULL, NULL),
                       qsmSuccess);
      assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 3000), qsmSuccess);
      for (uint32_t n = 0; n < FLAT_SETS + 10; n++) {
        assert_int_equal(qsmMemcpyHtoD(context, go, &zero, 4), qsmSuccess);
        assert_int_equal(read_word(context, go), 0);
      }
      const uint32_t one = 1;
      assert_int_equal(qsmMemcpyHtoD(context, go, &one, 4), qsmSuccess);
      assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
      for (uint32_t t = 0; t < 8; t++)
        assert_int_equal(read_word(context, out + 4 * t), 8 * t + 8 - 2 * t);
    }
    qsmDeviceClose(device);
  }
}

// Half of them of a line or less.
static uint32_t draw_range(struct qsm_random *random, uint32_t n_bytes, uint32_t *bytes) {
  uint32_t at = qsm_random_below(random, n_bytes), left = n_bytes - at;
  uint32_t most = qsm_random_chance(random, 50) && left > 40 ? 40 : left;
  *bytes = 1 + qsm_random_below(random, most);
  return at;
}

// Bytes that the host writes anywhere, a kernel copies, and the host reads anywhere.
static void check_copies(qsmContext_t context, struct qsm_random *random, uint32_t n_rounds) {
  enum { BYTES = 16384 };
  static uint8_t in[BYTES], out[BYTES], got[BYTES];
  uint32_t from = allocate(context, BYTES), to = allocate(context, BYTES), bytes, at;
  memset(in, 0, BYTES);
  assert_int_equal(qsmMemcpyHtoD(context, from, in, BYTES), qsmSuccess);
  for (uint32_t round = 0; round < n_rounds; round++) {
    for (uint32_t n = qsm_random_below(random, 4); n > 0; n--) {
      at = draw_range(random, BYTES, &bytes);
      for (uint32_t i = 0; i < bytes; i++) in[at + i] = (uint8_t)qsm_random_next(random);
      assert_int_equal(qsmMemcpyHtoD(context, from + at, in + at, bytes), qsmSuccess);
    }
    const uint32_t args[] = {to, from, BYTES / 4};  // a word per thread
    assert_int_equal(qsmLaunchKernel(context, "spy", (qsmDim3){BYTES / 4 / 8, 1, 1},
                                     (qsmDim3){8, 1, 1}, args, 3, 0, NULL, NULL, NULL),
                     qsmSuccess);
    assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
    memcpy(out, in, BYTES);
    for (uint32_t n = qsm_random_below(random, 8); n > 0; n--) {
      at = draw_range(random, BYTES, &bytes);
      if (qsm_random_chance(random, 25)) {
        memset(out + at, (int)n, bytes);
        assert_int_equal(qsmMemcpyHtoD(context, to + at, out + at, bytes), qsmSuccess);
        continue;
      }
      assert_int_equal(qsmMemcpyDtoH(context, got, to + at, bytes), qsmSuccess);
      assert_memory_equal(got, out + at, bytes);
    }
  }
  assert_int_equal(qsmMemcpyDtoH(context, got, to, BYTES), qsmSuccess);
  assert_memory_equal(got, out, BYTES);
}

// Sets of 16 and of 128, which the buffer goes round several times; 32768, eight in a unit.
static void copies_find_their_lines(void **state) {
  (void)state;
  const char *const configs[] = {with_caches, FLAT, "odd+l2_kib-2+l2_ways-1",
                                 "demo+l2_kib-1024+l2_ways-1"};
  struct qsm_random random = qsm_random_seed(20);
  for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
    qsmDevice_t device = open_device(configs[i]);
    check_copies(open_context(device), &random, brief_run() ? 3 : 20);
    qsmDeviceClose(device);
  }
}

// R-XB-6.
static void copies_find_their_lines_in_parts_of_the_memory(void **state) {
  static const qsmInstance profiles[] = {qsmInstanceTwoSevenths, qsmInstanceOneSeventh,
                                         qsmInstanceFourSevenths};
  (void)state;
  struct qsm_random random = qsm_random_seed(21);
  qsmContext_t context[3] = {NULL};
  char path[CONFIG_PATH_BYTES];
  change_config("smqos", "s/^l2_kib: 128/l2_kib: 8/", path);  // 8 sets: 16 KiB go round
  qsmDevice_t device = open_device(path);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeSmStatic, 2000), qsmSuccess);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(qsmContextCreateInInstance(device, profiles[i], &context[i]), qsmSuccess);
    assert_int_equal(qsmModuleLoad(context[i], program_path("k.elf")), qsmSuccess);
  }
  for (uint32_t i = 0; i < 3; i++) check_copies(context[i], &random, brief_run() ? 2 : 8);
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
      cmocka_unit_test(a_word_costs_far_less_than_all),
      cmocka_unit_test(many_words_end_in_a_whole_flush),
      cmocka_unit_test(lines_of_a_neighbour_in_other_sets_stay),
      cmocka_unit_test(a_running_kernel_sees_the_last_of_many_writes),
      cmocka_unit_test(copies_find_their_lines),
      cmocka_unit_test(copies_find_their_lines_in_parts_of_the_memory),
  };
  return cmocka_run_group_tests(tests, make_configuration, remove_programs);
}
