// SPDX-License-Identifier: Apache-2.0
// What `qsm memcheck` is made of (docs/memcheck.md): memory, blocks, and the checker on a device of
// libqsm. The command is for tb/cli/test_memcheck.sh.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_support.h"
#include "qsm_backend.h"
#include "qsm_config_yaml.h"
#include "qsm_observer.h"
#include "qsm_memcheck_block.h"
#include "qsm_memcheck_check.h"
#include "qsm_memcheck_memory.h"
#include "qsm_random.h"

#define BASE 0x80000000u
enum { LIMIT_BYTES = 65536, SHARED = 64, STACK = 256 };

// ---- Memory ----

static void assert_described(const struct qsm_mc_memory *memory, uint32_t address,
                             const char *expected) {
  char text[128];
  qsm_mc_memory_describe(memory, address, text, sizeof text);
  assert_string_equal(text, expected);
}

// R-MC-2
static void memory_is_initialised_by_who_writes_it(void **state) {
  (void)state;
  struct qsm_mc_memory *memory = qsm_mc_memory_create(BASE, BASE + LIMIT_BYTES);
  assert_int_equal(qsm_mc_memory_allocate(memory, BASE + 0x100, 10), 0);
  assert_int_equal(qsm_mc_memory_look(memory, BASE + 0x100, 4), QSM_MC_UNINITIALISED);
  qsm_mc_memory_store(memory, BASE + 0x101, 2);
  assert_int_equal(qsm_mc_memory_look(memory, BASE + 0x101, 2), QSM_MC_INITIALISED);
  assert_int_equal(qsm_mc_memory_look(memory, BASE + 0x100, 4), QSM_MC_UNINITIALISED);
  qsm_mc_memory_write(memory, BASE + 0x100, 8);
  assert_int_equal(qsm_mc_memory_look(memory, BASE + 0x104, 4), QSM_MC_INITIALISED);
  qsm_mc_memory_spoil(memory, BASE + 0x100, 4);
  assert_int_equal(qsm_mc_memory_look(memory, BASE + 0x103, 1), QSM_MC_UNINITIALISED);
  qsm_mc_memory_write(memory, BASE + 0x2000, 48);  // what the library needs itself
  assert_int_equal(qsm_mc_memory_look(memory, BASE + 0x2000, 4), QSM_MC_INITIALISED);
  qsm_mc_memory_destroy(memory);
}

// R-MC-3
static void memory_belongs_to_its_allocation(void **state) {
  (void)state;
  struct qsm_mc_memory *memory = qsm_mc_memory_create(BASE, BASE + LIMIT_BYTES);
  assert_described(memory, BASE, "there are no allocations");
  qsm_mc_memory_allocate(memory, BASE + 0x100, 10);
  qsm_mc_memory_allocate(memory, BASE + 0x200, 256);
  assert_int_equal(qsm_mc_memory_look(memory, BASE + 0x108, 2), QSM_MC_UNINITIALISED);
  assert_int_equal(qsm_mc_memory_look(memory, BASE + 0x108, 4), QSM_MC_NOWHERE);
  qsm_mc_memory_store(memory, BASE + 0x110, 4);
  assert_int_equal(qsm_mc_memory_look(memory, BASE + 0x110, 4), QSM_MC_NOWHERE);
  assert_described(memory, BASE + 0x10A,
                   "0 bytes past the end of allocation 0 (0x80000100, 10 bytes)");
  assert_described(memory, BASE + 0x1F0, "16 bytes before allocation 1 (0x80000200, 256 bytes)");
  assert_described(memory, BASE + 0x280, "offset 128 of allocation 1 (0x80000200, 256 bytes)");
  qsm_mc_memory_free(memory, BASE + 0x200);
  assert_int_equal(qsm_mc_memory_look(memory, BASE + 0x200, 4), QSM_MC_NOWHERE);
  assert_described(memory, BASE + 0x280,
                   "offset 128 of freed allocation 1 (0x80000200, 256 bytes)");
  assert_described(memory, BASE + 0x300,
                   "502 bytes past the end of allocation 0 (0x80000100, 10 bytes)");
  qsm_mc_memory_allocate(memory, BASE + 0x200, 16);
  assert_described(memory, BASE + 0x208, "offset 8 of allocation 2 (0x80000200, 16 bytes)");
  assert_described(memory, BASE + 0x280,
                   "offset 128 of freed allocation 1 (0x80000200, 256 bytes)");
  assert_int_equal(qsm_mc_memory_look(memory, BASE - 4, 4), QSM_MC_FOREIGN);
  assert_int_equal(qsm_mc_memory_look(memory, BASE + LIMIT_BYTES, 4), QSM_MC_FOREIGN);
  qsm_mc_memory_destroy(memory);
}

// ---- Blocks ----

static struct qsm_mc_verdict touch(struct qsm_mc_block *block, enum qsm_access_kind kind,
                                   uint32_t tid, uint32_t offset, uint32_t value) {
  return qsm_mc_block_shared(
      block, offset,
      &(struct qsm_mc_touch){.kind = kind, .tid = tid, .pc = 4 * tid, .bytes = 4, .value = value});
}

// R-MC-4
static void shared_memory_is_the_blocks_own(void **state) {
  (void)state;
  struct qsm_mc_block *block = qsm_mc_block_create(8, SHARED, STACK);
  assert_true(touch(block, QSM_ACCESS_LOAD, 0, 0, 0).uninitialised);
  assert_true(touch(block, QSM_ACCESS_LOAD, 0, 0, 0).uninitialised);
  assert_true(touch(block, QSM_ACCESS_AMO, 0, 4, 0).uninitialised);
  assert_false(touch(block, QSM_ACCESS_LOAD, 0, 4, 0).uninitialised);
  assert_false(touch(block, QSM_ACCESS_STORE, 0, 0, 0).uninitialised);
  qsm_mc_block_release(block);
  assert_false(touch(block, QSM_ACCESS_LOAD, 1, 0, 0).uninitialised);
  assert_true(touch(block, QSM_ACCESS_LOAD, 1, 60, 0).uninitialised);
  qsm_mc_block_destroy(block);
}

// R-MC-7: every pair, R-MC-8: but stores of one value.
static void two_threads_race_unless_none_stores(void **state) {
  (void)state;
  // [first][second]: load, store, atomic
  static const bool expected[3][3] = {
      {false, true, false}, {true, true, true}, {false, true, false}};
  for (uint32_t pair = 0; pair < 9; pair++) {
    enum qsm_access_kind first = pair / 3, second = pair % 3;
    struct qsm_mc_block *block = qsm_mc_block_create(8, SHARED, STACK);
    touch(block, first, 2, 8, 1);
    assert_false(touch(block, second, 2, 8, 2).races);
    qsm_mc_block_release(block);
    touch(block, first, 2, 8, 1);
    assert_false(touch(block, second, 3, 12, 2).races);
    struct qsm_mc_verdict verdict = touch(block, second, 3, 8, 2);
    assert_int_equal(verdict.races, expected[first][second]);
    if (verdict.races) {
      assert_int_equal(verdict.other_kind, first);
      assert_int_equal(verdict.other_tid, 2);
      assert_int_equal(verdict.other_pc, 8);
    }
    qsm_mc_block_release(block);
    assert_false(touch(block, second, 4, 8, 2).races);
    qsm_mc_block_release(block);
    touch(block, first, 2, 8, 7);
    bool both_store = first == QSM_ACCESS_STORE && second == QSM_ACCESS_STORE;
    assert_int_equal(touch(block, second, 3, 8, 7).races, expected[first][second] && !both_store);
    qsm_mc_block_destroy(block);
  }
}

// R-MC-7: by bytes.
static void neighbours_in_a_word_do_not_race(void **state) {
  (void)state;
  struct qsm_mc_block *block = qsm_mc_block_create(8, SHARED, STACK);
  for (uint32_t tid = 0; tid < 4; tid++) {
    const struct qsm_mc_touch byte = {
        .kind = QSM_ACCESS_STORE, .tid = tid, .bytes = 1, .value = tid};
    assert_false(qsm_mc_block_shared(block, tid, &byte).races);
  }
  assert_true(touch(block, QSM_ACCESS_LOAD, 3, 0, 0).races);
  qsm_mc_block_destroy(block);
}

struct step {
  enum qsm_access_kind kind;
  uint32_t tid, value;
};

static bool conflicts(const struct step *a, const struct step *b) {
  bool stores = a->kind == QSM_ACCESS_STORE && b->kind == QSM_ACCESS_STORE;
  return a->tid != b->tid && (a->kind == QSM_ACCESS_STORE || b->kind == QSM_ACCESS_STORE) &&
         !(stores && a->value == b->value);
}

// A thread's earlier store is forgotten for its later one.
static bool is_overwritten(const struct step *steps, uint32_t i, uint32_t n) {
  bool overwritten = false;
  for (uint32_t later = i + 1; later < n; later++)
    overwritten |= steps[i].kind == QSM_ACCESS_STORE && steps[later].kind == QSM_ACCESS_STORE &&
                   steps[later].tid == steps[i].tid;
  return overwritten;
}

// R-MC-7, R-MC-8: the first race between barriers is found where a list of all accesses has it.
static void races_are_found_as_by_a_list(void **state) {
  (void)state;
  const char *given = getenv("QSM_TEST_SEED");
  uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
  printf("# seed %llu; replay: QSM_TEST_SEED=%llu build/tests/host/test_memcheck\n",
         (unsigned long long)seed, (unsigned long long)seed);
  struct qsm_random random = qsm_random_seed(seed);
  struct qsm_mc_block *block = qsm_mc_block_create(8, SHARED, STACK);
  uint32_t n_races = 0;
  for (uint32_t round = 0; round < 20000; round++) {
    struct step steps[12];
    bool raced = false;
    for (uint32_t n = 0; n < 12 && !raced; n++) {
      steps[n].kind = (enum qsm_access_kind)qsm_random_below(&random, 3);
      steps[n].tid = qsm_random_below(&random, 4);
      steps[n].value = qsm_random_below(&random, 2);
      for (uint32_t i = 0; i < n; i++)
        raced |= conflicts(&steps[i], &steps[n]) && !is_overwritten(steps, i, n);
      assert_int_equal(touch(block, steps[n].kind, steps[n].tid, 0, steps[n].value).races, raced);
    }
    n_races += raced;
    qsm_mc_block_release(block);
  }
  assert_in_range(n_races, 1000, 19999);
  qsm_mc_block_destroy(block);
}

// R-MC-5
static void stacks_are_initialised_byte_by_byte(void **state) {
  (void)state;
  struct qsm_mc_block *block = qsm_mc_block_create(8, 0, STACK);
  const struct qsm_mc_touch store = {.kind = QSM_ACCESS_STORE, .tid = 7, .bytes = 2};
  const struct qsm_mc_touch load = {.kind = QSM_ACCESS_LOAD, .tid = 7, .bytes = 4};
  const struct qsm_mc_touch half = {.kind = QSM_ACCESS_LOAD, .tid = 7, .bytes = 2};
  const struct qsm_mc_touch other = {.kind = QSM_ACCESS_LOAD, .tid = 6, .bytes = 2};
  assert_false(qsm_mc_block_stack(block, 254, &store));
  assert_false(qsm_mc_block_stack(block, 254, &half));
  assert_true(qsm_mc_block_stack(block, 252, &load));
  assert_true(qsm_mc_block_stack(block, 252, &load));
  assert_true(qsm_mc_block_stack(block, 254, &other));
  assert_false(qsm_mc_block_stack(block, 252, &store));
  assert_false(qsm_mc_block_stack(block, 252, &load));
  qsm_mc_block_destroy(block);
}

// R-MC-9, R-MC-10
static void a_barrier_knows_who_waits_where(void **state) {
  (void)state;
  struct qsm_mc_block *block = qsm_mc_block_create(6, 0, STACK);
  static const uint32_t places[] = {100, 200, 100, 300};
  for (uint32_t tid = 0; tid < 4; tid++) qsm_mc_block_wait(block, tid, places[tid]);
  qsm_mc_block_exit(block, 4);
  struct qsm_mc_barrier barrier = qsm_mc_block_release(block);
  assert_int_equal(barrier.n_waiting, 4);
  assert_int_equal(barrier.n_places, 3);
  assert_int_equal(barrier.place[1].pc, 200);
  assert_int_equal(barrier.place[2].tid, 3);
  assert_int_equal(barrier.n_exited, 1);
  assert_int_equal(barrier.exited_tid, 4);
  for (uint32_t tid = 0; tid < 4; tid++) qsm_mc_block_wait(block, tid, 400);
  barrier = qsm_mc_block_release(block);
  assert_int_equal(barrier.n_places, 1);
  for (uint32_t tid = 0; tid < 6; tid++) qsm_mc_block_wait(block, tid, 400 + tid % 2);
  assert_int_equal(qsm_mc_block_release(block).n_places, 2);
  qsm_mc_block_destroy(block);
}

// ---- The checker ----

static struct qsm_mc_check *check;
static struct qsm_source_lines *lines;

static qsmDevice_t open_checked(bool checked, bool hash) {
  struct qsm_backend_options options = {.hash = hash};
  qsmDevice_t device = NULL;
  char msg[256] = "";
  struct qsm_config config;
  assert_int_equal(qsm_config_load("tiny", &config, msg, sizeof msg), 0);
  if (checked) {
    check = qsm_mc_check_create(&config, false);
    options.sink = qsm_mc_check_event;
    options.access_sink = qsm_mc_check_access;
    options.sink_ctx = options.access_sink_ctx = check;
  }
  if (qsmDeviceOpen("model", "tiny", &options, &device, msg, sizeof msg)) fail_msg("%s", msg);
  if (checked) qsm_device_observe(device, qsm_mc_check_observer(check));
  return device;
}

// What was found: its title and what it was, without addresses; "" if nothing.
static const char *found(void) {
  static char text[1024];
  char *report = NULL, *at;
  size_t n = 0;
  FILE *out = open_memstream(&report, &n);
  qsm_mc_findings_print(qsm_mc_check_findings(check), lines, qsm_mc_check_program_at(check), out);
  fclose(out);
  snprintf(text, sizeof text, "%s", report);
  free(report);
  while ((at = strstr(text, "0x8"))) memset(at, '-', 10);
  return text;
}

static void close_checked(qsmDevice_t device) {
  qsmDeviceClose(device);
  qsm_mc_check_destroy(check);
  check = NULL;
}

static void run(qsmContext_t context, const char *kernel, uint32_t buffer, uint32_t address) {
  assert_int_equal(launch(context, kernel, 4, buffer, address, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
}

static int open_lines(void **state) {
  char msg[256];
  return copy_programs(state) ||
         qsm_source_lines_open(program_path("k.elf"), &lines, msg, sizeof msg);
}

static int close_lines(void **state) {
  qsm_source_lines_close(lines);
  return remove_programs(state);
}

// R-MC-2: memory that nobody has written; R-MC-11: once with a count.
static void unwritten_memory_is_found(void **state) {
  (void)state;
  qsmDevice_t device = open_checked(true, false);
  qsmContext_t context = open_context(device);
  uint32_t buffer = allocate(context, 16), other = allocate(context, 100), value = 5;
  qsmMemcpyHtoD(context, other + 8, &value, 4);
  run(context, "peek", buffer, other + 8);
  assert_string_equal(found(), "");
  run(context, "peek", buffer, other + 12);
  run(context, "peek", buffer, other + 16);
  assert_string_equal(
      found(),
      "  read of uninitialised device memory, 2 times\n"
      "    at      ---------- in peek+0x18 (no lines: compile with -g)\n"
      "    first   kernel peek, block (3, 0, 0), thread 2\n"
      "    what    load of 4 bytes at ----------, offset 12 of allocation 1 (----------, 100 bytes)\n");
  close_checked(device);
}

// R-MC-3
static void memory_that_was_freed_is_found(void **state) {
  (void)state;
  qsmDevice_t device = open_checked(true, false);
  qsmContext_t context = open_context(device);
  uint32_t buffer = allocate(context, 16), other = allocate(context, 100);
  run(context, "outside", buffer, other + 96);
  assert_string_equal(found(), "");
  assert_int_equal(qsmFree(context, other), qsmSuccess);
  run(context, "outside", buffer, other + 96);
  assert_non_null(strstr(
      found(),
      "store of 4 bytes at ----------, offset 96 of freed allocation 1 (----------, 100 bytes)\n"));
  close_checked(device);
}

// R-MC-3
static void padding_is_found(void **state) {
  (void)state;
  qsmDevice_t device = open_checked(true, false);
  qsmContext_t context = open_context(device);
  uint32_t buffer = allocate(context, 16), other = allocate(context, 100);
  run(context, "outside", buffer, other + 100);
  assert_non_null(strstr(found(), "  access outside any allocation, 1 time\n"));
  assert_non_null(strstr(
      found(),
      "store of 4 bytes at ----------, 0 bytes past the end of allocation 1 (----------, 100 bytes)\n"));
  close_checked(device);
}

// Of a checker without a device: a block of 16 threads on SM 1, one of 3 x 2 x 2.
static struct qsm_mc_check *check_block(void) {
  struct qsm_mc_check *alone =
      qsm_mc_check_create(&(struct qsm_config){.warp_size = 8, .num_sms = 2}, false);
  const struct qsm_observer *observer = qsm_mc_check_observer(alone);
  const struct qsm_observed_launch one = {
      .grid = {3, 2, 2}, .block = {16, 1, 1}, .stack_bytes = STACK};
  observer->created(observer->ctx, BASE, BASE + LIMIT_BYTES);
  observer->loaded(observer->ctx, BASE);
  observer->launched(observer->ctx, &one);
  qsm_mc_check_event(
      alone, &(struct qsm_event){.kind = QSM_EV_ARRIVE, .sm = 1, .word = {0, 0, 7, 0, 0, 0, 0, 1}});
  return alone;
}

static void access_stack(struct qsm_mc_check *alone, enum qsm_access_kind kind, uint32_t address) {
  const uint32_t data[32] = {0};
  struct qsm_access access = {.kind = (uint8_t)kind,
                              .bytes = 4,
                              .sm = 1,
                              .widx = 1,
                              .pc = BASE + 4 * kind,
                              .mask = 2,
                              .data = data};
  access.address[1] = address;
  qsm_mc_check_access(alone, &access);
}

// R-MC-6: thread 9.
static void a_thread_has_its_own_stack(void **state) {
  (void)state;
  uint32_t bottom = 0u - STACK;
  struct qsm_mc_check *alone = check_block();
  const struct qsm_mc_findings *findings = qsm_mc_check_findings(alone);
  access_stack(alone, QSM_ACCESS_STORE, bottom);
  access_stack(alone, QSM_ACCESS_LOAD, bottom);
  access_stack(alone, QSM_ACCESS_STORE, bottom + STACK - 4);
  access_stack(alone, QSM_ACCESS_LOAD, bottom + 6);  // the hardware faults
  assert_int_equal(qsm_mc_findings_count(findings), 0);
  access_stack(alone, QSM_ACCESS_STORE, bottom - 4);
  assert_int_equal(qsm_mc_findings_count(findings), 1);
  access_stack(alone, QSM_ACCESS_LOAD, 0xC0000000);
  assert_int_equal(qsm_mc_findings_count(findings), 2);
  qsm_mc_check_destroy(alone);
}

// R-MC-11
static void a_finding_says_which_block_and_thread(void **state) {
  (void)state;
  uint32_t bottom = 0u - STACK;
  check = check_block();
  access_stack(check, QSM_ACCESS_LOAD, bottom + 16);
  assert_non_null(strstr(found(), "block (1, 0, 1), thread 9\n"));
  assert_non_null(strstr(
      found(),
      "load of 4 bytes at 0xFFFFFF10, 240 bytes below the top of the thread's stack of 256\n"));
  qsm_mc_check_destroy(check);
  check = NULL;
}

// R-MC-11: one finding per kind, kernel and PC, R-MC-9: but one for each pair of barriers.
static void findings_are_merged(void **state) {
  (void)state;
  struct qsm_mc_findings *findings = qsm_mc_findings_create();
  assert_non_null(qsm_mc_findings_add(findings, QSM_MC_RACE, 0, (struct qsm_mc_pcs){4, 8}));
  assert_null(qsm_mc_findings_add(findings, QSM_MC_RACE, 0, (struct qsm_mc_pcs){4, 12}));
  assert_non_null(qsm_mc_findings_add(findings, QSM_MC_RACE, 0, (struct qsm_mc_pcs){8, 8}));
  assert_non_null(qsm_mc_findings_add(findings, QSM_MC_RACE, 4, (struct qsm_mc_pcs){4, 8}));
  assert_non_null(qsm_mc_findings_add(findings, QSM_MC_BARRIERS, 0, (struct qsm_mc_pcs){4, 8}));
  assert_non_null(qsm_mc_findings_add(findings, QSM_MC_BARRIERS, 0, (struct qsm_mc_pcs){4, 12}));
  assert_null(qsm_mc_findings_add(findings, QSM_MC_BARRIERS, 0, (struct qsm_mc_pcs){4, 8}));
  assert_int_equal(qsm_mc_findings_count(findings), 5);
  qsm_mc_findings_destroy(findings);
}

// R-MC-5: the next block with the ticket finds nothing of the last one's.
static void stacks_die_with_their_block(void **state) {
  (void)state;
  uint32_t bottom = 0u - STACK;
  struct qsm_mc_check *alone = check_block();
  access_stack(alone, QSM_ACCESS_STORE, bottom);
  qsm_mc_check_event(alone, &(struct qsm_event){.kind = QSM_EV_RETIRE, .sm = 1, .word = {0, 0}});
  qsm_mc_check_event(
      alone, &(struct qsm_event){.kind = QSM_EV_ARRIVE, .sm = 1, .word = {0, 0, 1, 0, 0, 0, 0, 1}});
  access_stack(alone, QSM_ACCESS_LOAD, bottom);
  assert_int_equal(qsm_mc_findings_count(qsm_mc_check_findings(alone)), 1);
  qsm_mc_check_destroy(alone);
}

static uint64_t hash_of(bool checked) {
  qsmDevice_t device = open_checked(checked, true);
  qsmContext_t context = NULL;
  assert_int_equal(qsmContextCreate(device, &context), qsmSuccess);
  assert_int_equal(run_program(context, qsm_suite_find("reduce"), QSM_SIZE_S, 1), 0);
  struct qsm_backend *backend = qsmDeviceBackend(device);
  uint64_t hash = backend->trace_hash(backend);
  if (checked)
    close_checked(device);
  else
    qsmDeviceClose(device);
  return hash;
}

// R-MC-12
static void the_machine_does_not_notice(void **state) {
  (void)state;
  assert_int_equal(hash_of(true), hash_of(false));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_initialised_by_who_writes_it),
      cmocka_unit_test(memory_belongs_to_its_allocation),
      cmocka_unit_test(shared_memory_is_the_blocks_own),
      cmocka_unit_test(two_threads_race_unless_none_stores),
      cmocka_unit_test(neighbours_in_a_word_do_not_race),
      cmocka_unit_test(races_are_found_as_by_a_list),
      cmocka_unit_test(stacks_are_initialised_byte_by_byte),
      cmocka_unit_test(a_barrier_knows_who_waits_where),
      cmocka_unit_test(unwritten_memory_is_found),
      cmocka_unit_test(memory_that_was_freed_is_found),
      cmocka_unit_test(padding_is_found),
      cmocka_unit_test(a_thread_has_its_own_stack),
      cmocka_unit_test(a_finding_says_which_block_and_thread),
      cmocka_unit_test(findings_are_merged),
      cmocka_unit_test(stacks_die_with_their_block),
      cmocka_unit_test(the_machine_does_not_notice),
  };
  return cmocka_run_group_tests(tests, open_lines, close_lines);
}
