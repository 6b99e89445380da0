// SPDX-License-Identifier: Apache-2.0
// The L1 (docs/l1.md) in an SM of the model alone: each rule and corner case.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sm_rig.h"

enum { LOADS = 0, STORES = 1, AMOS = 2 };
enum { HIT = 0, JOINS = 1, ALLOCATES = 2, PASSES_BY = 3 };
enum { VALID = 0, PENDING = 1, NO_MATCH = 2, NONE = 0xff };
enum {
  HIT_RETURNS = 0xFFFFFFFE,
  PASS_RETURNS = 0xFFFFFFFF,
  LINE = 16,
  SET_STRIDE = 1024
};  // of lanes 4: a way has SET_STRIDE / ways bytes

static struct qsm_config l1_config(uint32_t ways) {
  struct qsm_config config = rig_config(1, 4, 4);
  config.icache_lines = 64;
  config.l1_kib = 1;
  config.l1_ways = ways;
  return config;
}

// A rig whose programs begin with x2 = DATA + 4 * thread: a load of offset n * LINE is one pass on
// line n.
static void open_l1(struct rig *rig, uint32_t ways) {
  const struct qsm_config config = l1_config(ways);
  rig_open_config(rig, &config);
  for (uint32_t i = 0; i < MEM_BYTES / 8; i++) *mem_word(rig, DATA + 4 * i) = 0x1000 + i;
}

#define NOP addi(0, 0, 0)
#define PROLOGUE csrr(3, 0xCC0), slli(3, 3, 2), lui(2, DATA), add(2, 2, 3)

struct op {
  uint32_t kind, line, outcome, way;
};

static void expect_ops(const struct rig *rig, const struct op *ops, uint32_t n) {
  assert_int_equal(count_events(rig, QSM_EV_L1_OP), n);
  for (uint32_t i = 0; i < n; i++) {
    const struct qsm_event *op = event(rig, QSM_EV_L1_OP, i);
    const uint32_t words[] = {ops[i].kind, DATA + LINE * ops[i].line, ops[i].outcome, ops[i].way};
    if (memcmp(op->word, words, sizeof words) != 0) {
      fail_msg(
          "act %u: kind %u line %x outcome %u way %u, expected kind %u line %x outcome %u way %u",
          i, op->word[0], op->word[1], op->word[2], op->word[3], words[0], words[1], words[2],
          words[3]);
    }
    bool takes_none = ops[i].kind == LOADS && ops[i].outcome == HIT;
    assert_int_equal(op->word[4] == NONE, takes_none);
  }
}
#define EXPECT_OPS(rig, ...)                          \
  expect_ops((rig), (const struct op[]){__VA_ARGS__}, \
             sizeof(struct op[]){__VA_ARGS__} / sizeof(struct op))

// Loads a program and brings its code into the instruction cache, by a run of slot 3 that leaves
// nothing in the L1 or the memory.
static void prepare_program(struct rig *rig, const uint32_t *words, size_t n) {
  uint32_t before[MEM_BYTES / 4];
  load_program(rig, words, n);
  memcpy(before, rig->mem, sizeof before);
  rig->shared.desc[3] = rig->shared.desc[0];
  rig->shared.cache_policy[3] = QSM_CACHE_SKIP_L1;
  dispatch(rig, 3, 3);
  run(rig, 3000);
  memcpy(rig->mem, before, sizeof before);
  rig->n_events = rig->n_retired = 0;
}
#define PREPARE(rig, ...) \
  prepare_program((rig), (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4)

// Runs it in one warp of kernel 0; nothing is under way behind it.
static void run_program(struct rig *rig, const uint32_t *words, size_t n) {
  prepare_program(rig, words, n);
  dispatch(rig, 0, 0);
  run(rig, 3000);
  assert_int_equal(rig->n_retired, 1);
  assert_int_equal(rig->sm->lsu.txn_free[0], (1u << rig->config.mem_txns) - 1);
}
#define RUN(rig, ...) \
  run_program((rig), (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4)

static uint64_t op_cycle(const struct rig *rig, uint32_t n) {
  return event(rig, QSM_EV_L1_OP, n)->cycle;
}

static uint32_t n_data_requests(const struct rig *rig) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < rig->n_events; i++)
    n += rig->events[i].kind == QSM_EV_REQ && rig->events[i].word[2] < rig->config.mem_txns;
  return n;
}

static void expect_reg(const struct rig *rig, uint32_t r, uint32_t first) {
  for (uint32_t l = 0; l < 4; l++) assert_int_equal(reg(rig, 0, r, l), first + l);
}

static uint32_t counter(const struct rig *rig, uint32_t kernel, uint32_t number) {
  return qsm_sm_l1_counter(rig->sm, kernel, number);
}

// ---- loads ----

static void a_hit_returns_ten_cycles_after_issue_and_sends_nothing(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  RUN(&rig, PROLOGUE, lw(4, 2, 0), FENCE, lw(5, 2, 0), addi(6, 5, 1), EXIT);
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0}, {LOADS, 0, HIT, 0});
  assert_int_equal(n_data_requests(&rig), 1);
  uint64_t issue = issue_cycle(&rig, CODE + 24, 0);
  assert_int_equal(event(&rig, QSM_EV_LSU_PASS, 1)->cycle, issue + 6);
  assert_int_equal(op_cycle(&rig, 1), issue + 7);
  assert_int_equal(event(&rig, QSM_EV_RETURN, 1)->cycle, issue + 7);
  assert_int_equal(event(&rig, QSM_EV_RETURN, 1)->word[0], HIT_RETURNS);
  assert_int_equal(issue_cycle(&rig, CODE + 28, 0), issue + 10);
  expect_reg(&rig, 5, 0x1000);
  rig_close(&rig);
}

// R-L1-1, R-L1-5.
static void a_request_is_sent_one_cycle_after_its_pass(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  RUN(&rig, PROLOGUE, lw(4, 2, 0), EXIT);
  uint64_t pass = event(&rig, QSM_EV_LSU_PASS, 0)->cycle;
  assert_int_equal(op_cycle(&rig, 0), pass + 1);
  for (uint32_t i = 0; i < rig.n_events; i++) {
    if (rig.events[i].kind == QSM_EV_REQ && rig.events[i].word[2] == 0)
      assert_int_equal(rig.events[i].cycle, pass + 1);
  }
  rig_close(&rig);
}

static void narrow_loads_that_hit_are_extended(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  for (uint32_t i = 0; i < 4; i++) *mem_word(&rig, DATA + 4 * i) = 0x80F17F82;
  RUN(&rig, PROLOGUE, lw(4, 2, 0), FENCE, enc_i(3, 0, 5, 2, 0), enc_i(3, 4, 6, 2, 3),
      enc_i(3, 1, 7, 2, 2), enc_i(3, 5, 8, 2, 2), EXIT);
  const uint32_t expected[] = {0xFFFFFF82, 0x80, 0xFFFF80F1, 0x80F1};
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(reg(&rig, 0, 5 + i, 3), expected[i]);
  assert_int_equal(counter(&rig, 0, 17), 4);
  rig_close(&rig);
}

static void loads_of_a_line_under_way_join_and_are_served_from_one_response(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  RUN(&rig, PROLOGUE, lw(4, 2, 0), lw(5, 2, 0), lw(6, 2, LINE), lw(7, 2, 0), EXIT);
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0}, {LOADS, 0, JOINS, 0}, {LOADS, 1, ALLOCATES, 0},
             {LOADS, 0, JOINS, 0});
  assert_int_equal(n_data_requests(&rig), 2);
  const uint32_t served[] = {
      0, 1, 3,
      2};  // the list of the first response, in the order of joining, before the next response
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(event(&rig, QSM_EV_RETURN, i)->word[0], served[i]);
  expect_reg(&rig, 4, 0x1000);
  expect_reg(&rig, 5, 0x1000);
  expect_reg(&rig, 6, 0x1004);
  expect_reg(&rig, 7, 0x1000);
  rig_close(&rig);
}

// What a load or store does that acts `distance` cycles after line 8 was filled, by the number of
// instructions before it.
static bool acts_at(uint32_t instruction, int64_t distance, uint32_t *outcome) {
  for (uint32_t wait = 0; wait < 40; wait++) {
    struct rig rig;
    uint32_t program[64] = {PROLOGUE, lw(4, 2, 0), FENCE, lw(5, 2, 8 * LINE)}, n = 7;
    for (uint32_t i = 0; i < wait; i++) program[n++] = NOP;
    program[n++] = instruction;
    program[n++] = EXIT;
    open_l1(&rig, 4);
    run_program(&rig, program, n);
    int64_t found = (int64_t)(op_cycle(&rig, 2) - event(&rig, QSM_EV_L1_FILL, 1)->cycle);
    *outcome = event(&rig, QSM_EV_L1_OP, 2)->word[2];
    rig_close(&rig);
    if (found == distance) return true;
  }
  return false;
}

static void a_load_that_acts_in_the_cycle_of_the_fill_joins_and_one_later_hits(void **unused) {
  (void)unused;
  uint32_t load = lw(6, 2, 8 * LINE), outcome;
  for (int64_t distance = -1; distance < 3; distance++) {
    assert_true(acts_at(load, distance, &outcome));
    assert_int_equal(outcome, distance <= 0 ? JOINS : HIT);
  }
}

static void a_write_waits_for_a_fill_in_its_cycle_and_a_load_does_not(void **unused) {
  (void)unused;
  uint32_t outcome;
  const uint32_t writes[] = {sw(9, 2, 0), sw(9, 2, 4 * LINE), sw(9, 2, 8 * LINE), amoadd(6, 2, 9)},
                 loads[] = {lw(6, 2, 0), lw(6, 2, 4 * LINE)};
  for (uint32_t i = 0; i < 4; i++) {
    assert_true(acts_at(writes[i], -1, &outcome));
    assert_false(acts_at(writes[i], 0, &outcome));
    assert_true(acts_at(writes[i], 1, &outcome));
    assert_int_equal(outcome, i == 1 ? NO_MATCH : VALID);  // of the line that has just come too
  }
  for (uint32_t i = 0; i < 2; i++) {
    assert_true(acts_at(loads[i], 0, &outcome));
    assert_int_equal(outcome, i ? ALLOCATES : HIT);
  }
}

static void a_list_longer_than_the_result_credits_is_served_whole(void **unused) {
  (void)unused;
  struct rig rig;
  struct qsm_config config = l1_config(4);
  config.sb_entries = 8;
  rig_open_config(&rig, &config);
  RUN(&rig, PROLOGUE, lw(4, 2, 0), lw(5, 2, 0), lw(6, 2, 0), lw(7, 2, 0), lw(8, 2, 0), lw(9, 2, 0),
      lw(10, 2, 0), EXIT);
  assert_int_equal(counter(&rig, 0, 18), 6);
  for (uint32_t i = 0; i < 7; i++) assert_int_equal(event(&rig, QSM_EV_RETURN, i)->word[0], i);
  assert_int_equal(n_data_requests(&rig), 1);
  rig_close(&rig);
}

// ---- replacement ----

// R-L1-5, R-L1-10.
static void misses_take_empty_ways_first_then_the_one_of_the_tree(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  enum { STRIDE = SET_STRIDE / 4, SETS = STRIDE / LINE };
  RUN(&rig, PROLOGUE, lw(4, 2, 0), lw(4, 2, STRIDE), lw(4, 2, 2 * STRIDE), lw(4, 2, 3 * STRIDE),
      FENCE, lw(5, 2, 0), FENCE,    // the root points to ways 2 and 3, of these to 2
      lw(4, 2, 4 * STRIDE), FENCE,  // takes 2; the tree: 1
      sw(3, 2, STRIDE), FENCE,      // the store's match counts as a use of 1: the tree points to 3
      lw(4, 2, 5 * STRIDE), FENCE, EXIT);
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0}, {LOADS, SETS, ALLOCATES, 1},
             {LOADS, 2 * SETS, ALLOCATES, 2}, {LOADS, 3 * SETS, ALLOCATES, 3}, {LOADS, 0, HIT, 0},
             {LOADS, 4 * SETS, ALLOCATES, 2}, {STORES, SETS, VALID, 1},
             {LOADS, 5 * SETS, ALLOCATES, 3});
  rig_close(&rig);
}

static void a_way_that_is_pending_is_no_victim(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 2);
  enum { STRIDE = SET_STRIDE / 2, SETS = STRIDE / LINE };
  RUN(&rig, PROLOGUE, lw(4, 2, 0), FENCE, lw(4, 2, STRIDE), lw(5, 2, 0), lw(6, 2, 2 * STRIDE),
      lw(7, 2, 3 * STRIDE), EXIT);
  // The hit turns the tree to way 1, which is pending: way 0 is taken. Then all are pending.
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0}, {LOADS, SETS, ALLOCATES, 1}, {LOADS, 0, HIT, 0},
             {LOADS, 2 * SETS, ALLOCATES, 0}, {LOADS, 3 * SETS, PASSES_BY, NONE});
  assert_int_equal(counter(&rig, 0, 16), 5);
  assert_int_equal(counter(&rig, 0, 19), 3);
  expect_reg(&rig, 7, 0x1000 + 3 * STRIDE / 4);
  rig_close(&rig);
}

static void with_one_way_a_line_evicts_the_other_of_its_set(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 1);
  RUN(&rig, PROLOGUE, lw(4, 2, 0), FENCE, lw(4, 2, 1024), FENCE, lw(4, 2, 0), EXIT);
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0}, {LOADS, 64, ALLOCATES, 0}, {LOADS, 0, ALLOCATES, 0});
  rig_close(&rig);
}

// ---- stores and atomics ----

static void a_store_writes_its_bytes_into_a_valid_line_and_goes_on(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  RUN(&rig, PROLOGUE, lw(4, 2, 0), addi(8, 0, 0x7AB), FENCE, store(0, 8, 2, 3), store(1, 8, 2, 0),
      lw(5, 2, 0), sw(8, 2, 0), lw(6, 2, 0), FENCE, EXIT);
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0}, {STORES, 0, VALID, 0}, {STORES, 0, VALID, 0},
             {LOADS, 0, HIT, 0}, {STORES, 0, VALID, 0}, {LOADS, 0, HIT, 0});
  for (uint32_t l = 0; l < 4; l++) {
    assert_int_equal(reg(&rig, 0, 5, l), 0xAB0007AB);
    assert_int_equal(reg(&rig, 0, 6, l), 0x7AB);
    assert_int_equal(*mem_word(&rig, DATA + 4 * l), 0x7AB);
  }
  assert_int_equal(counter(&rig, 0, 20), 3);
  rig_close(&rig);
}

static void a_store_allocates_nothing(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  RUN(&rig, PROLOGUE, sw(3, 2, 0), lw(4, 2, 0), EXIT);
  EXPECT_OPS(&rig, {STORES, 0, NO_MATCH, NONE}, {LOADS, 0, ALLOCATES, 0});
  for (uint32_t l = 0; l < 4; l++) assert_int_equal(reg(&rig, 0, 4, l), 4 * l);
  rig_close(&rig);
}

static void a_store_to_a_line_under_way_poisons_it(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  RUN(&rig, PROLOGUE, lw(4, 2, 0), sw(3, 2, 0), lw(5, 2, 0), FENCE, lw(6, 2, 0), FENCE, lw(7, 2, 0),
      EXIT);
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0}, {STORES, 0, PENDING, 0}, {LOADS, 0, PASSES_BY, NONE},
             {LOADS, 0, ALLOCATES, 0}, {LOADS, 0, HIT, 0});
  assert_int_equal(event(&rig, QSM_EV_L1_FILL, 0)->word[3], 0);
  assert_int_equal(event(&rig, QSM_EV_L1_FILL, 1)->word[3], 1);
  expect_reg(&rig, 4, 0x1000);
  for (uint32_t r = 5; r < 8; r++) assert_int_equal(reg(&rig, 0, r, 2), 8);
  rig_close(&rig);
}

static void an_atomic_takes_a_valid_line_away_and_poisons_one_under_way(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  rig.shared.desc[0].threads = 1;
  RUN(&rig, PROLOGUE, addi(8, 0, 5), lw(4, 2, 0), FENCE, amoadd(5, 2, 8), lw(6, 2, 0),
      amoadd(7, 2, 8), FENCE, lw(9, 2, 0), EXIT);
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0}, {AMOS, 0, VALID, 0}, {LOADS, 0, ALLOCATES, 0},
             {AMOS, 0, PENDING, 0}, {LOADS, 0, ALLOCATES, 0});
  const uint32_t expected[] = {0x1000, 0x1000, 0x1005, 0x1005, 0, 0x100A};
  for (uint32_t i = 0; i < 6; i++) {
    if (i != 4) assert_int_equal(reg(&rig, 0, 4 + i, 0), expected[i]);
  }
  assert_int_equal(event(&rig, QSM_EV_L1_FILL, 1)->word[3], 0);
  assert_int_equal(counter(&rig, 0, 21), 2);
  rig_close(&rig);
}

// ---- generations ----

static uint32_t gens(const struct rig *rig) { return state(rig, QSM_STATE_L1, 0, 0, 5); }

// Another SM writes line 0 when this one writes line 8.
static uint32_t other_writes(struct rig *rig, const struct qsm_mem_req *req) {
  if (req->kind == QSM_MEM_WRITE) *mem_word(rig, DATA) = 77;
  return 2 * rig->config.noc_lat + MEM_LATENCY;
}

static void a_device_fence_shows_what_others_have_stored_and_a_plain_one_does_not(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  rig.delay = other_writes;
  enum { FENCE_RW_W = 0x0310000F, FENCE_R_RW = 0x0230000F };
  RUN(&rig, PROLOGUE, lw(4, 2, 0), sw(3, 2, 8 * LINE), FENCE_RW_W, lw(5, 2, 0), FENCE_R_RW,
      lw(6, 2, 0), DEVICE_FENCE, EXIT);
  assert_int_equal(reg(&rig, 0, 4, 0), 0x1000);
  assert_int_equal(reg(&rig, 0, 5, 0), 0x1000);
  assert_int_equal(reg(&rig, 0, 6, 0), 77);
  assert_int_equal(count_events(&rig, QSM_EV_L1_GEN), 2);
  assert_int_equal(event(&rig, QSM_EV_L1_GEN, 0)->cycle, issue_cycle(&rig, CODE + 32, 0) + 1);
  assert_int_equal(event(&rig, QSM_EV_L1_GEN, 0)->word[0] & 15, 1);
  assert_int_equal(gens(&rig) & 15, 2);
  // The line of the old generation is evicted like any other: the new one took an empty way beside
  // it.
  assert_int_equal(event(&rig, QSM_EV_L1_OP, 3)->word[3], 1);
  rig_close(&rig);
}

static void a_start_and_a_restore_end_the_generation_of_their_slot_only(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  LOAD(&rig, PROLOGUE, lw(4, 2, 0), EXIT);
  dispatch(&rig, 0, 0);
  dispatch(&rig, 1, 1);
  run(&rig, 400);
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0},
             {LOADS, 0, ALLOCATES, 1});  // a line is its slot's alone
  rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_START, .kernel = 1});
  run(&rig, 10);
  assert_int_equal(gens(&rig), 0x10);
  assert_int_equal(counter(&rig, 0, 16), 1);
  assert_int_equal(counter(&rig, 1, 16), 0);
  dispatch(&rig, 0, 0);
  run(&rig, 400);
  dispatch(&rig, 1, 1);
  run(&rig, 400);
  assert_int_equal(event(&rig, QSM_EV_L1_OP, 2)->word[2], HIT);
  assert_int_equal(event(&rig, QSM_EV_L1_OP, 3)->word[2], ALLOCATES);
  uint64_t cycle = rig.cycle;
  rig.shared.save_base[0] = DATA + 2048;
  rig_send(&rig, (struct qsm_sm_msg){
                     .kind = QSM_MSG_DISPATCH, .kernel = 0, .op = QSM_TB_RESTORE, .fresh = true});
  run(&rig, 400);
  assert_int_equal(event(&rig, QSM_EV_L1_GEN, 1)->cycle, cycle);
  assert_int_equal(gens(&rig), 0x11);
  for (uint32_t i = 0; i < 3; i++) {  // the head of its image, ordinary lines
    assert_int_equal(event(&rig, QSM_EV_L1_OP, 4 + i)->word[1], DATA + 2048 + i * LINE);
    assert_int_equal(event(&rig, QSM_EV_L1_OP, 4 + i)->word[2], ALLOCATES);
  }
  assert_int_equal(event(&rig, QSM_EV_L1_OP, 7)->word[1], DATA);
  assert_int_equal(event(&rig, QSM_EV_L1_OP, 7)->word[2], ALLOCATES);
  rig_close(&rig);
}

static void fences_of_several_sub_cores_in_one_cycle_count_once(void **unused) {
  (void)unused;
  struct rig rig;
  struct qsm_config config = rig_config(2, 4, 4);
  config.l1_kib = 1;
  config.l1_ways = 4;
  rig_open_config(&rig, &config);
  rig.shared.desc[0].threads = 8;
  rig.shared.desc[0].warps = 2;
  LOAD(&rig, BAR, DEVICE_FENCE, EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 400);
  uint32_t n_fences = 0;
  uint64_t cycle[2] = {0};
  for (uint32_t i = 0; i < rig.n_events; i++) {
    if (rig.events[i].kind == QSM_EV_ISSUE && rig.events[i].word[2] == CODE + 4)
      cycle[n_fences++] = rig.events[i].cycle;
  }
  assert_int_equal(n_fences, 2);
  assert_int_equal(cycle[0], cycle[1]);
  assert_int_equal(gens(&rig), 1);
  rig_close(&rig);
}

// A load of line 0 is under way, or there, when the generation of another slot wraps in `cycle` (0:
// never).
static void open_with_wrap(struct rig *rig, uint64_t cycle) {
  open_l1(rig, 4);
  LOAD(rig, PROLOGUE, lw(4, 2, 0), lw(5, 2, 0), EXIT);
  for (uint32_t i = 0; i < 15; i++) {
    rig_send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_START, .kernel = 3});
    run(rig, 1);
  }
  dispatch(rig, 0, 0);
  if (cycle) {
    run(rig, cycle - rig->cycle);
    rig_send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_START, .kernel = 3});
  }
  run(rig, 400);
}

static void a_wrap_poisons_what_is_under_way_and_empties_the_rest(void **unused) {
  (void)unused;
  struct rig rig;
  open_with_wrap(&rig, 0);
  uint64_t act = op_cycle(&rig, 0), fill = event(&rig, QSM_EV_L1_FILL, 0)->cycle;
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0}, {LOADS, 0, JOINS, 0});
  rig_close(&rig);
  for (uint64_t wrap = act - 2; wrap < fill + 4; wrap++) {
    open_with_wrap(&rig, wrap);
    const struct qsm_event *filled = event(&rig, QSM_EV_L1_FILL, 0);
    assert_int_equal(op_cycle(&rig, 0), act);
    assert_int_equal(filled->cycle, fill);
    assert_int_equal(filled->word[3], wrap < act || wrap > fill);
    assert_int_equal(event(&rig, QSM_EV_L1_OP, 1)->word[2],
                     wrap == act ? PASSES_BY : JOINS);  // the second load acts one cycle later
    uint32_t way_0 = state(&rig, QSM_STATE_L1_SET, 0, 0, 0);
    assert_int_equal(way_0, wrap < act);  // valid, of gen 0 and slot 0
    assert_int_equal(gens(&rig), 0);
    expect_reg(&rig, 5, 0x1000);
    rig_close(&rig);
  }
}

static void a_miss_under_way_of_an_old_generation_is_not_merged_with(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  LOAD(&rig, PROLOGUE, lw(4, 2, 0), EXIT);
  dispatch(&rig, 0, 0);
  while (count_events(&rig, QSM_EV_L1_OP) == 0) run(&rig, 1);
  rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_START, .kernel = 0});
  dispatch(&rig, 0, 1);
  run(&rig, 400);
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0}, {LOADS, 0, ALLOCATES, 1});
  assert_true(op_cycle(&rig, 1) < event(&rig, QSM_EV_L1_FILL, 0)->cycle);
  assert_int_equal(event(&rig, QSM_EV_L1_FILL, 0)->word[3], 1);  // valid, and nobody's
  rig_close(&rig);
}

static void what_is_counted_in_the_cycle_of_a_start_is_lost(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  RUN(&rig, PROLOGUE, lw(4, 2, 0), EXIT);
  uint64_t act = op_cycle(&rig, 0);
  rig_close(&rig);
  for (uint64_t start = act - 1; start <= act + 1; start++) {
    open_l1(&rig, 4);
    PREPARE(&rig, PROLOGUE, lw(4, 2, 0), EXIT);
    dispatch(&rig, 0, 0);
    run(&rig, start - rig.cycle);
    rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_START, .kernel = 0});
    run(&rig, 400);
    assert_int_equal(counter(&rig, 0, 16), start < act);
    assert_int_equal(counter(&rig, 0, 19), start < act);
    rig_close(&rig);
  }
}

// ---- policy ----

// R-L1-12.
static void a_kernel_that_skips_the_l1_uses_what_is_there_and_leaves_the_tree(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 2);
  enum { STRIDE = SET_STRIDE / 2, SETS = STRIDE / LINE };
  RUN(&rig, PROLOGUE, lw(4, 2, 0), lw(4, 2, STRIDE), FENCE, EXIT);  // the tree points to way 0
  rig.shared.cache_policy[0] = QSM_CACHE_SKIP_L1;
  LOAD(&rig, PROLOGUE, lw(4, 2, 0), lw(5, 2, 2 * STRIDE), sw(3, 2, 0), lw(6, 2, 0), FENCE,
       lw(5, 2, 2 * STRIDE), EXIT);
  rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_ICACHE_INV});
  dispatch(&rig, 0, 0);
  run(&rig, 400);
  assert_int_equal(reg(&rig, 0, 6, 3), 12);
  rig.shared.cache_policy[0] = 0;
  LOAD(&rig, PROLOGUE, lw(5, 2, 2 * STRIDE), EXIT);
  rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_ICACHE_INV});
  dispatch(&rig, 0, 0);
  run(&rig, 400);
  EXPECT_OPS(&rig, {LOADS, 0, ALLOCATES, 0}, {LOADS, SETS, ALLOCATES, 1}, {LOADS, 0, HIT, 0},
             {LOADS, 2 * SETS, PASSES_BY, NONE}, {STORES, 0, VALID, 0}, {LOADS, 0, HIT, 0},
             {LOADS, 2 * SETS, PASSES_BY, NONE}, {LOADS, 2 * SETS, ALLOCATES, 0});
  rig_close(&rig);
}

// ---- the stage, sleep ----

static uint32_t slow(struct rig *rig, const struct qsm_mem_req *req) {
  return 2 * rig->config.noc_lat + (req->tag < rig->config.mem_txns ? 1000 : MEM_LATENCY);
}

static void an_act_that_waits_for_a_transaction_lets_the_sm_sleep(void **unused) {
  (void)unused;
  struct rig rig;
  struct qsm_config config = l1_config(4);
  config.mem_txns = 2;
  rig_open_config(&rig, &config);
  rig.delay = slow;
  LOAD(&rig, PROLOGUE, lw(4, 2, 0), lw(5, 2, LINE), lw(6, 2, 2 * LINE), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 400);
  assert_int_equal(count_events(&rig, QSM_EV_L1_OP), 2);
  assert_int_equal(state(&rig, QSM_STATE_L1, 0, 0, 0), 1);
  assert_int_equal(state(&rig, QSM_STATE_L1, 0, 0, 1), DATA + 2 * LINE);
  assert_int_equal(state(&rig, QSM_STATE_L1, 0, 0, 2), 15);
  assert_int_equal(state(&rig, QSM_STATE_L1, 0, 0, 3) & 0xFFFF, 0);  // sub-core and warp 0; kind 0
  assert_int_equal(qsm_sm_next_event(rig.sm),
                   UINT64_MAX);  // the responses are not under way to the SM yet
  run(&rig, 1500);
  assert_int_equal(event(&rig, QSM_EV_RETURN, 0)->cycle + 1, op_cycle(&rig, 2));
  assert_int_equal(state(&rig, QSM_STATE_L1, 0, 0, 0), 0);
  run(&rig, 1500);
  assert_int_equal(rig.n_retired, 1);
  rig_close(&rig);
}

static void a_new_generation_wakes_an_act_that_waits(void **unused) {
  (void)unused;
  // Kernel 0's list keeps the credits of its sub-core; kernel 1's hit there becomes a miss by a
  // start, and goes at once.
  struct rig rig;
  struct qsm_config config = l1_config(4);
  rig_open_config(&rig, &config);
  LOAD(&rig, PROLOGUE, lw(4, 2, 0), FENCE, lw(5, 2, 0), lw(6, 2, 0), EXIT);
  dispatch(&rig, 0, 0);
  while (count_events(&rig, QSM_EV_L1_OP) < 1) run(&rig, 1);
  run(&rig, 60);
  assert_int_equal(count_events(&rig, QSM_EV_L1_OP), 3);
  uint64_t pass = event(&rig, QSM_EV_LSU_PASS, 1)->cycle;
  rig_close(&rig);
  rig_open_config(&rig, &config);
  LOAD(&rig, PROLOGUE, lw(4, 2, 0), FENCE, lw(5, 2, 0), lw(6, 2, 0), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, pass + 1);
  rig.sm->lsu.sub[0].res_credit = 0;  // as if the sub-core had taken none of four results
  run(&rig, 20);
  assert_int_equal(count_events(&rig, QSM_EV_L1_OP), 1);
  assert_int_equal(state(&rig, QSM_STATE_L1, 0, 0, 0), 1);
  uint64_t start = rig.cycle;
  rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_START, .kernel = 0});
  run(&rig, 4);
  assert_int_equal(event(&rig, QSM_EV_L1_OP, 1)->word[2], ALLOCATES);
  assert_int_equal(op_cycle(&rig, 1), start + 1);
  rig_close(&rig);
}

// ---- the return slot ----

// What wants the return slot in one cycle after this history of return ops: the three are served in
// this order.
struct contest {
  uint32_t history[4], order[3];
};

// The cycle in which all three want it comes with some number of instructions between the load that
// misses and the one that hits.
static bool contest_is_met(const struct contest *contest) {
  for (uint32_t wait = 0; wait < 60; wait++) {
    struct rig rig;
    uint32_t program[96] = {PROLOGUE, lui(10, 0x10000000), add(10, 10, 3)}, n = 6, n_history = 0;
    for (; n_history < 4 && contest->history[n_history]; n_history++) {
      program[n++] = contest->history[n_history];
      program[n++] = FENCE;
    }
    program[n++] = lw(4, 2, 8 * LINE);
    for (uint32_t i = 0; i < wait; i++) program[n++] = NOP;
    const uint32_t end[] = {lw(5, 2, 0), lw(6, 10, 0), EXIT};
    memcpy(program + n, end, sizeof end);
    open_l1(&rig, 4);
    run_program(&rig, program, n + 3);
    const struct qsm_event *served[3];
    for (uint32_t i = 0; i < 3; i++) served[i] = event(&rig, QSM_EV_RETURN, n_history + i);
    uint64_t hit_enters = event(&rig, QSM_EV_LSU_PASS, n_history + 1)->cycle,
             response = event(&rig, QSM_EV_L1_FILL, count_events(&rig, QSM_EV_L1_FILL) - 1)->cycle;
    bool all_want = served[0]->cycle == hit_enters + 1 && response == hit_enters &&
                    served[2]->cycle == hit_enters + 3;
    bool in_order = true;
    for (uint32_t i = 0; i < 3; i++) in_order &= served[i]->word[0] == contest->order[i];
    rig_close(&rig);
    if (all_want) return in_order;
  }
  return false;
}

static void three_that_want_the_return_slot_in_one_cycle_get_it_in_turn(void **unused) {
  (void)unused;
  struct rig rig;
  open_l1(&rig, 4);
  assert_int_equal(state(&rig, QSM_STATE_L1, 0, 0, 4), 1 | 2 << 2 | 0 << 4);
  rig_close(&rig);
  const uint32_t miss = lw(4, 2, 0), other = lw(4, 2, 4 * LINE), hit = lw(4, 2, 0),
                 shared = lw(7, 10, 0), response = 0;
  const struct contest contests[] = {
      {{miss, shared}, {HIT_RETURNS, response, PASS_RETURNS}},
      {{miss, hit, shared}, {response, HIT_RETURNS, PASS_RETURNS}},
      {{miss, shared, hit}, {response, PASS_RETURNS, HIT_RETURNS}},
      {{shared, miss, hit}, {PASS_RETURNS, response, HIT_RETURNS}},
      {{shared, miss, hit, other}, {PASS_RETURNS, HIT_RETURNS, response}},
      {{miss, hit, shared, other}, {HIT_RETURNS, PASS_RETURNS, response}},
  };
  for (uint32_t i = 0; i < sizeof contests / sizeof *contests; i++) {
    if (!contest_is_met(&contests[i])) fail_msg("contest %u", i);
  }
}

// ---- injected faults ----

static void a_flipped_generation_shows_in_the_next_act_or_in_the_state(void **unused) {
  (void)unused;
  struct rig rig;
  char what[100];
  open_l1(&rig, 4);
  assert_int_equal(qsm_sm_inject(rig.sm, "l1", 1, what, sizeof what), -1);  // nobody is here
  LOAD(&rig, PROLOGUE, lw(4, 2, 0), FENCE, lw(5, 2, 0), EXIT);
  dispatch(&rig, 0, 0);
  while (count_events(&rig, QSM_EV_L1_FILL) == 0) run(&rig, 1);
  assert_int_equal(qsm_sm_inject(rig.sm, "l1", 1, what, sizeof what), 0);
  assert_non_null(strstr(what, "gen[0]"));
  assert_int_not_equal(gens(&rig), 0);
  run(&rig, 400);
  assert_int_equal(event(&rig, QSM_EV_L1_OP, 1)->word[2], ALLOCATES);
  rig_close(&rig);
  rig_open(&rig, 1, 4, 4);
  dispatch(&rig, 0, 0);
  run(&rig, 10);
  assert_int_equal(qsm_sm_inject(rig.sm, "l1", 1, what, sizeof what), -1);  // no L1
  uint32_t value;
  assert_false(qsm_sm_state(rig.sm, rig.cycle, QSM_STATE_L1, 0, 0, 0, &value));
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hit_returns_ten_cycles_after_issue_and_sends_nothing),
      cmocka_unit_test(a_request_is_sent_one_cycle_after_its_pass),
      cmocka_unit_test(narrow_loads_that_hit_are_extended),
      cmocka_unit_test(loads_of_a_line_under_way_join_and_are_served_from_one_response),
      cmocka_unit_test(a_load_that_acts_in_the_cycle_of_the_fill_joins_and_one_later_hits),
      cmocka_unit_test(a_write_waits_for_a_fill_in_its_cycle_and_a_load_does_not),
      cmocka_unit_test(a_list_longer_than_the_result_credits_is_served_whole),
      cmocka_unit_test(misses_take_empty_ways_first_then_the_one_of_the_tree),
      cmocka_unit_test(a_way_that_is_pending_is_no_victim),
      cmocka_unit_test(with_one_way_a_line_evicts_the_other_of_its_set),
      cmocka_unit_test(a_store_writes_its_bytes_into_a_valid_line_and_goes_on),
      cmocka_unit_test(a_store_allocates_nothing),
      cmocka_unit_test(a_store_to_a_line_under_way_poisons_it),
      cmocka_unit_test(an_atomic_takes_a_valid_line_away_and_poisons_one_under_way),
      cmocka_unit_test(a_device_fence_shows_what_others_have_stored_and_a_plain_one_does_not),
      cmocka_unit_test(a_start_and_a_restore_end_the_generation_of_their_slot_only),
      cmocka_unit_test(fences_of_several_sub_cores_in_one_cycle_count_once),
      cmocka_unit_test(a_wrap_poisons_what_is_under_way_and_empties_the_rest),
      cmocka_unit_test(a_miss_under_way_of_an_old_generation_is_not_merged_with),
      cmocka_unit_test(what_is_counted_in_the_cycle_of_a_start_is_lost),
      cmocka_unit_test(a_kernel_that_skips_the_l1_uses_what_is_there_and_leaves_the_tree),
      cmocka_unit_test(an_act_that_waits_for_a_transaction_lets_the_sm_sleep),
      cmocka_unit_test(a_new_generation_wakes_an_act_that_waits),
      cmocka_unit_test(three_that_want_the_return_slot_in_one_cycle_get_it_in_turn),
      cmocka_unit_test(a_flipped_generation_shows_in_the_next_act_or_in_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
