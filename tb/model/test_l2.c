// SPDX-License-Identifier: Apache-2.0
// An L2 slice (docs/l2.md): cycles computed by hand from the rules, corner cases, and random
// traffic whose values are those of a flat memory and whose events are the same whether every cycle
// is stepped or only those that qsm_l2_next() names.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "qsm_l2.h"

enum {
  LINE = 16,
  WORDS = LINE / 4,
  MAX_REQUESTS = 2048,
  START = 100,
  LATER = 100000,  // than all that runs
  LATENCY = 10,
  WHOLE = 0xffff,
  FLAT_LINES = 1024
};
enum { REQUEST = 0, FILL = 1, REPLAY = 2, WALK = 3, PASS = 4 };
enum { ALL = 1 };  // of L2_FLUSH
enum { HIT = 0, MERGED = 1, PASSED_ON = 2, WHOLE_LINE = 3, MISS = 4, NO = 0xff };

struct request {
  uint64_t at;  // not offered before
  uint8_t kind, amo, slot;
  bool nc;
  uint32_t addr, bytes;
  uint32_t data[WORDS];
};

struct bench {
  struct qsm_config config;
  struct notes *notes;
  struct qsm_mem *mem;
  struct qsm_port port;
  struct qsm_l2 *l2;
  bool every_cycle;
  uint64_t cycle;
  uint32_t n_requests, n_taken, n_answered;
  struct request request[MAX_REQUESTS];
  struct qsm_mem_access access[MAX_REQUESTS];            // to the L2
  uint64_t taken[MAX_REQUESTS], answered[MAX_REQUESTS];  // by request
  uint32_t order[MAX_REQUESTS];                          // of the answers
  uint32_t value[MAX_REQUESTS][WORDS];
  uint64_t no_answer_before;  // the crossbar takes no response
};

// 32 sets of two ways.
static struct qsm_config small(void) {
  struct qsm_config config = model_tiny();
  config.mem_latency = LATENCY;
  config.mem_txns = 128;  // a tag for many requests
  config.l2_kib = 1;
  config.l2_ways = 2;
  config.l2_mshrs = 2;
  config.l2_waiters = 4;
  return config;
}

static void open_bench(struct bench *bench, const struct qsm_config *config) {
  memset(bench, 0, sizeof *bench);
  bench->config = *config;
  bench->notes = notes_create();
  bench->notes->bus.reporting = true;
  assert_int_equal(qsm_mem_create(config, &bench->mem), 0);
  bench->port = (struct qsm_port){.mem = bench->mem, .bus = &bench->notes->bus};
  if (config->dram_banks)
    bench->port.dram = qsm_dram_create(&bench->config, bench->mem, &bench->notes->bus);
  bench->l2 = qsm_l2_create(&bench->config, &bench->port, &bench->notes->bus);
  assert_non_null(bench->l2);
}

static void close_bench(struct bench *bench) {
  qsm_l2_destroy(bench->l2);
  qsm_dram_destroy(bench->port.dram);
  qsm_mem_destroy(bench->mem);
  notes_destroy(bench->notes);
}

// Line `tag` of a set.
static uint32_t line_at(uint32_t set, uint32_t tag) {
  return QSM_MEM_BASE + (tag * 32 + set) * LINE;
}

static struct request *add(struct bench *bench, uint64_t at, uint8_t kind, uint32_t addr,
                           uint32_t bytes) {
  assert_true(bench->n_requests < MAX_REQUESTS);
  struct request *request = &bench->request[bench->n_requests++];
  *request = (struct request){.at = at, .kind = kind, .addr = addr, .bytes = bytes};
  for (uint32_t i = 0; i < WORDS; i++) request->data[i] = bench->n_requests * 16 + i;
  return request;
}

// At most 128 are under way, so the tag names the request.
static void take_answer(struct bench *bench, uint64_t t) {
  const struct qsm_mem_response *response = qsm_l2_response(bench->l2, 0);
  uint32_t n = bench->n_taken - 1;
  while (n % 128 != response->tag || bench->answered[n]) n--;
  bench->answered[n] = t;
  bench->order[bench->n_answered++] = n;
  if (bench->request[n].kind != QSM_MEM_WRITE) memcpy(bench->value[n], response->data, LINE);
  assert_int_equal(response->sm, 0);
  qsm_l2_take(bench->l2, 0);
}

static void step(struct bench *bench) {
  uint64_t t = bench->cycle++;
  const struct request *request = &bench->request[bench->n_taken];
  bool offers = bench->n_taken < bench->n_requests && request->at <= t;
  bool answers = qsm_l2_response_at(bench->l2, 0) <= t && t >= bench->no_answer_before;
  struct qsm_mem_access *access = &bench->access[bench->n_taken];
  *access = (struct qsm_mem_access){.kind = request->kind,
                                    .amo = request->amo,
                                    .tag = (uint8_t)(bench->n_taken % 128),
                                    .slot = request->slot,
                                    .nc = request->nc,
                                    .addr = request->addr,
                                    .bytes = &request->bytes,
                                    .data = request->data};
  if (bench->port.dram && (bench->every_cycle || qsm_dram_next(bench->port.dram, 0, t) == t))
    qsm_dram_step(bench->port.dram, 0, t);
  if ((bench->every_cycle || qsm_l2_next(bench->l2, 0, t, offers) == t) &&
      qsm_l2_step(bench->l2, 0, t, offers ? access : NULL)) {
    bench->taken[bench->n_taken++] = t;
  }
  if (answers) take_answer(bench, t);
}

static void run(struct bench *bench, uint64_t to) {
  while (bench->cycle < to) step(bench);
}

static void assert_op(const struct bench *bench, uint32_t n, uint64_t cycle, uint32_t op,
                      uint32_t addr, uint32_t outcome, uint32_t way, uint32_t mshr, bool victim) {
  const struct qsm_event *event = notes_event(bench->notes, QSM_EV_L2_OP, n);
  const uint32_t expected[] = {op, addr, outcome, way, mshr, victim};
  assert_non_null(event);
  assert_memory_equal(event->word, expected, sizeof expected);
  assert_int_equal(event->cycle, cycle);
}

static void assert_sent(const struct bench *bench, uint32_t n, uint64_t cycle, uint32_t kind,
                        uint32_t addr, uint32_t sm, uint32_t txn) {
  const struct qsm_event *event = notes_event(bench->notes, QSM_EV_MEM_REQ, n);
  const uint32_t expected[] = {kind * 16, addr, sm, txn};
  assert_non_null(event);
  assert_memory_equal(event->word, expected, sizeof expected);
  assert_int_equal(event->cycle, cycle);
}

static uint32_t counter(const struct bench *bench, uint32_t n) {
  return qsm_l2_counter(bench->l2, LATER, 0, 0, n);
}

static uint32_t memory_word(const struct bench *bench, uint32_t addr) {
  uint32_t word;
  memcpy(&word, qsm_mem_bytes(bench->mem) + (addr - QSM_MEM_BASE), sizeof word);
  return word;
}

static uint32_t state_word(const struct bench *bench, enum qsm_state_kind kind, uint32_t index,
                           uint32_t word) {
  uint32_t value = UINT32_MAX;
  assert_true(qsm_l2_state(bench->l2, bench->cycle, kind, 0, index, word, &value));
  return value;
}

static void nothing_begins_while_the_tags_are_cleared(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, 0, QSM_MEM_READ, line_at(0, 0), 0);
  run(&bench, 100);
  assert_int_equal(bench.taken[0], 32);
  close_bench(&bench);
}

static void a_miss_reads_the_line_and_a_hit_answers_in_three_cycles(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, START, QSM_MEM_READ, line_at(3, 1), 0);
  add(&bench, START + 50, QSM_MEM_READ, line_at(3, 1), 0);
  run(&bench, 200);
  assert_int_equal(bench.taken[0], 100);
  assert_op(&bench, 0, 101, REQUEST, line_at(3, 1), MISS, NO, 0, false);
  assert_sent(&bench, 0, 102, QSM_MEM_READ, line_at(3, 1), 1, 0);
  assert_op(&bench, 1, 113, FILL, line_at(3, 1), 0, 0, 0, false);
  assert_int_equal(bench.answered[0], 115);
  assert_op(&bench, 2, 151, REQUEST, line_at(3, 1), HIT, 0, NO, false);
  assert_int_equal(bench.answered[1], 153);
  assert_int_equal(counter(&bench, 0), 2);
  assert_int_equal(counter(&bench, 1), 1);
  assert_int_equal(counter(&bench, 3), 1);
  close_bench(&bench);
}

static void misses_of_one_line_are_merged_and_replayed_in_order(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, START, QSM_MEM_READ, line_at(0, 0), 0);
  add(&bench, START, QSM_MEM_WRITE, line_at(0, 0), 0x000f);
  add(&bench, START, QSM_MEM_READ, line_at(0, 0), 0);
  run(&bench, 200);
  assert_op(&bench, 1, 102, REQUEST, line_at(0, 0), MERGED, NO, 0, false);
  assert_op(&bench, 3, 113, FILL, line_at(0, 0), 0, 0, 0, false);
  assert_op(&bench, 4, 115, REPLAY, line_at(0, 0), 0, 0, 0, false);
  assert_op(&bench, 5, 116, REPLAY, line_at(0, 0), 0, 0, 0, false);
  assert_int_equal(bench.answered[0], 115);
  assert_int_equal(bench.answered[1], 117);
  assert_int_equal(bench.answered[2], 118);
  assert_int_equal(bench.value[0][0], 0);
  assert_int_equal(bench.value[2][0], 2 * 16);
  assert_int_equal(bench.value[2][1], 0);
  assert_int_equal(counter(&bench, 2), 2);
  close_bench(&bench);
}

static void an_amo_waits_for_its_line_and_returns_what_was_there(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  for (uint32_t n = 0; n < 3; n++) {
    struct request *amo = add(&bench, START, QSM_MEM_AMO, line_at(0, 0), 0x00f0);
    amo->amo = QSM_AMO_ADD;
    amo->nc = true;  // of no interest to AMOs
    amo->data[1] = 5;
  }
  run(&bench, 200);
  assert_op(&bench, 1, 103, REQUEST, line_at(0, 0), MERGED, NO, 0,
            false);  // no look after an AMO's
  assert_op(&bench, 4, 115, REPLAY, line_at(0, 0), 0, 0, 0, false);
  assert_op(&bench, 5, 117, REPLAY, line_at(0, 0), 0, 0, 0, false);
  for (uint32_t n = 0; n < 3; n++) assert_int_equal(bench.value[n][1], 5 * n);
  assert_int_equal(counter(&bench, 5), 3);
  close_bench(&bench);
}

static void a_whole_line_is_written_without_reading_it(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, START, QSM_MEM_WRITE, line_at(0, 0), WHOLE);
  add(&bench, START, QSM_MEM_READ, line_at(0, 0), 0);
  run(&bench, 200);
  assert_op(&bench, 0, 101, REQUEST, line_at(0, 0), WHOLE_LINE, 0, NO, false);
  assert_int_equal(bench.answered[0], 103);
  assert_int_equal(bench.taken[1], 102);
  assert_int_equal(bench.value[1][3], 16 + 3);
  assert_null(notes_event(bench.notes, QSM_EV_MEM_REQ, 0));
  close_bench(&bench);
}

static void a_whole_line_joins_a_line_that_is_on_its_way(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, START, QSM_MEM_READ, line_at(0, 0), 0);
  add(&bench, START, QSM_MEM_WRITE, line_at(0, 0), WHOLE);
  add(&bench, START + 60, QSM_MEM_READ, line_at(0, 0), 0);
  run(&bench, 200);
  assert_op(&bench, 1, 102, REQUEST, line_at(0, 0), MERGED, NO, 0, false);
  assert_int_equal(bench.value[0][2], 0);
  assert_int_equal(bench.value[2][2], 2 * 16 + 2);
  close_bench(&bench);
}

static void a_dirty_victim_is_written_two_cycles_after_the_act(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  for (uint32_t tag = 0; tag < 3; tag++)
    add(&bench, START + 20 * tag, QSM_MEM_WRITE, line_at(5, tag), WHOLE);
  run(&bench, 142);
  assert_op(&bench, 2, 141, REQUEST, line_at(5, 2), WHOLE_LINE, 0, NO, true);
  assert_int_equal(state_word(&bench, QSM_STATE_L2, 0, 6), 1);  // unacked
  assert_int_equal(state_word(&bench, QSM_STATE_L2, 0, 1), 6 - 1);
  assert_int_equal(state_word(&bench, QSM_STATE_L2, 0, 5), 0);
  assert_int_equal(state_word(&bench, QSM_STATE_L2_SET, 5, 0),
                   1 | 1 << 1 | (line_at(5, 2) / LINE / 32) << 2);
  run(&bench, 200);
  assert_sent(&bench, 0, 143, QSM_MEM_WRITE, line_at(5, 0), 1, 2);
  assert_int_equal(memory_word(&bench, line_at(5, 0)), 16);
  assert_int_equal(memory_word(&bench, line_at(5, 1)), 0);
  assert_int_equal(counter(&bench, 6), 1);
  assert_int_equal(state_word(&bench, QSM_STATE_L2, 0, 1), 6);
  close_bench(&bench);
}

static void the_tree_points_away_from_what_was_used_but_not_for_nc(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  config.l2_ways = 4;  // 16 sets
  open_bench(&bench, &config);
  for (uint32_t n = 0; n < 4; n++) add(&bench, START, QSM_MEM_WRITE, line_at(0, n), WHOLE);
  add(&bench, START + 20, QSM_MEM_READ, line_at(0, 0), 0);
  add(&bench, START + 40, QSM_MEM_READ, line_at(0, 2), 0)->nc = true;
  add(&bench, START + 60, QSM_MEM_WRITE, line_at(0, 4), WHOLE);
  run(&bench, START + 20);
  assert_int_equal(state_word(&bench, QSM_STATE_L2_SET, 0, 4),
                   0);  // 0, 1, 2, 3 used in turn: away from 3 is way 0
  run(&bench, START + 40);
  assert_int_equal(state_word(&bench, QSM_STATE_L2_SET, 0, 4), 1 << 1 | 1 << 2);
  run(&bench, START + 80);
  assert_op(&bench, 6, START + 61, REQUEST, line_at(0, 4), WHOLE_LINE, 2, NO, true);
  close_bench(&bench);
}

// R-L2-6, R-L2-11.
static void nc_bypasses_and_keeps_the_order_of_a_line(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, START, QSM_MEM_WRITE, line_at(0, 0), 0x000f)->nc = true;
  add(&bench, START, QSM_MEM_READ, line_at(0, 0), 0);
  add(&bench, START, QSM_MEM_READ, line_at(1, 0), 0)->nc = true;
  run(&bench, 200);
  assert_op(&bench, 0, 101, REQUEST, line_at(0, 0), PASSED_ON, NO, NO, false);
  assert_sent(&bench, 0, 102, QSM_MEM_WRITE, line_at(0, 0), 0, 0);
  assert_op(&bench, 1, 102, REQUEST, line_at(0, 0), MISS, NO, 0, false);
  assert_op(&bench, 3, 113, PASS, 0, 0, NO, NO, false);
  assert_int_equal(bench.answered[0], 115);
  assert_int_equal(bench.value[1][0], 16);
  assert_int_equal(state_word(&bench, QSM_STATE_L2_SET, 1, 0), 0);
  assert_int_equal(counter(&bench, 4), 2);
  close_bench(&bench);
}

static void nc_hits_what_is_there(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, START, QSM_MEM_WRITE, line_at(0, 0), WHOLE);
  add(&bench, START, QSM_MEM_WRITE, line_at(0, 0), 0x000f)->nc = true;
  add(&bench, START, QSM_MEM_READ, line_at(0, 0), 0)->nc = true;
  run(&bench, 200);
  assert_op(&bench, 2, 104, REQUEST, line_at(0, 0), HIT, 0, NO, false);
  assert_int_equal(bench.value[2][0], 2 * 16);
  assert_int_equal(bench.value[2][1], 16 + 1);
  assert_null(notes_event(bench.notes, QSM_EV_MEM_REQ, 0));
  close_bench(&bench);
}

// R-L2-3.
static void requests_wait_for_an_mshr_and_for_a_waiter(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  config.l2_mshrs = 1;
  config.l2_waiters = 1;
  open_bench(&bench, &config);
  for (uint32_t n = 0; n < 3; n++) add(&bench, START, QSM_MEM_READ, line_at(n, 0), 0);
  run(&bench, 200);
  assert_int_equal(bench.taken[1], 114);  // both come back with the fill's act in 113
  assert_int_equal(bench.taken[2], 128);
  close_bench(&bench);
}

// R-L2-3.
static void four_answers_wait_while_the_crossbar_takes_none(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  for (uint32_t n = 0; n < 7; n++) add(&bench, START, QSM_MEM_WRITE, line_at(n, 0), WHOLE);
  bench.no_answer_before = 150;
  run(&bench, 150);
  assert_int_equal(bench.n_taken, 4);
  assert_int_equal(state_word(&bench, QSM_STATE_L2, 0, 0), 0);
  assert_int_equal(state_word(&bench, QSM_STATE_L2, 0, 4), 4);
  run(&bench, 200);
  assert_int_equal(bench.taken[4], 151);
  assert_int_equal(bench.n_answered, 7);
  close_bench(&bench);
}

// R-L2-10.
static void a_flush_writes_back_and_empties_and_says_when_it_is_done(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, START, QSM_MEM_WRITE, line_at(0, 1), WHOLE);
  add(&bench, START, QSM_MEM_READ, line_at(2, 1), 0);
  run(&bench, 201);
  assert_false(qsm_l2_is_flushing(bench.l2, 200));
  qsm_l2_flush(bench.l2, 200, ALL);
  assert_true(qsm_l2_is_flushing(bench.l2, 201));
  run(&bench, 400);
  assert_op(&bench, 3, 203, WALK, line_at(0, 1), 0, 0, NO,
            true);  // seen in 201, walking from 202 on
  assert_op(&bench, 4, 205, WALK, 0, 0, 1, NO, false);
  assert_op(&bench, 7, 211, WALK, line_at(2, 1), 0, 0, NO, false);
  assert_op(&bench, 66, 203 + 2 * 63, WALK, 0, 0, 1, NO, false);
  assert_sent(&bench, 1, 205, QSM_MEM_WRITE, line_at(0, 1), 1, 2);
  assert_int_equal(memory_word(&bench, line_at(0, 1) + 4), 16 + 1);
  assert_true(qsm_l2_is_flushing(bench.l2, 330 + 1));  // done in 330, the message takes one cycle
  assert_false(qsm_l2_is_flushing(bench.l2, 332));
  for (uint32_t set = 0; set < 32; set++) {
    for (uint32_t way = 0; way < 2; way++)
      assert_int_equal(state_word(&bench, QSM_STATE_L2_SET, set, way), 0);
  }
  close_bench(&bench);
}

// R-L2-10, R-L2-12.
static void a_flush_is_done_when_the_last_write_is_acknowledged(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  config.mem_latency = 500;
  open_bench(&bench, &config);
  add(&bench, START, QSM_MEM_WRITE, line_at(31, 1), WHOLE);
  run(&bench, 201);
  qsm_l2_flush(bench.l2, 200, ALL);
  run(&bench, 1000);
  uint64_t sent = notes_event(bench.notes, QSM_EV_MEM_REQ, 0)->cycle;
  assert_int_equal(sent, 202 + 2 * 62 + 3);
  assert_true(qsm_l2_is_flushing(bench.l2, sent + 500 + 2));
  assert_false(qsm_l2_is_flushing(bench.l2, sent + 500 + 3));
  close_bench(&bench);
}

// A victim of set 5 is decided before a flush that is written in 200 ends its walk.
static void open_with_a_victim(struct bench *bench) {
  struct qsm_config config = small();
  config.mem_latency = 500;
  open_bench(bench, &config);
  for (uint32_t tag = 0; tag < 3; tag++) add(bench, 195, QSM_MEM_WRITE, line_at(5, tag), WHOLE);
  run(bench, 201);
}

// The victim's line is no longer there when the walk comes.
static void a_flush_waits_for_a_victim_on_its_way(void **state) {
  (void)state;
  struct bench bench;
  open_with_a_victim(&bench);
  qsm_l2_flush(bench.l2, 200, ALL);
  run(&bench, 1200);
  assert_sent(&bench, 0, 202, QSM_MEM_WRITE, line_at(5, 0), 1, 2);
  uint64_t last = notes_event(bench.notes, QSM_EV_MEM_REQ, 2)->cycle;
  assert_true(qsm_l2_is_flushing(bench.l2, last + 500 + 2));
  assert_false(qsm_l2_is_flushing(bench.l2, last + 500 + 3));
  add(&bench, 1200, QSM_MEM_WRITE, line_at(5, 0), WHOLE);  // the other colour
  run(&bench, 1301);
  assert_int_equal(state_word(&bench, QSM_STATE_L2, 0, 7), 1 << 2);
  qsm_l2_flush(bench.l2, 1300, ALL);
  run(&bench, 2200);
  assert_sent(&bench, 3, 1302 + 2 * 10 + 3, QSM_MEM_WRITE, line_at(5, 0), 1, 3);
  assert_false(qsm_l2_is_flushing(bench.l2, 2200));
  assert_int_equal(state_word(&bench, QSM_STATE_L2, 0, 7), 0);
  close_bench(&bench);
}

// The part from unit to unit.
static uint32_t part(uint32_t first, uint32_t last) {
  return UINT32_C(1) << 31 | last << 16 | first;
}

// Bit 0: valid, bit 1: dirty.
static uint32_t line_state(const struct bench *bench, uint32_t set) {
  return state_word(bench, QSM_STATE_L2_SET, set, 0) & 3;
}

// R-L2-10.
static void a_part_empties_its_sets_and_leaves_the_others(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  for (uint32_t set = 3; set <= 6; set++)
    add(&bench, START, QSM_MEM_WRITE, line_at(set, 1), WHOLE)->slot = (uint8_t)(set % 2);
  run(&bench, 201);
  qsm_l2_flush(bench.l2, 200, part(4, 5));
  run(&bench, 204);
  assert_int_equal(state_word(&bench, QSM_STATE_L2, 0, 7), 3);
  assert_int_equal(state_word(&bench, QSM_STATE_L2, 0, 8), 4);
  assert_int_equal(state_word(&bench, QSM_STATE_L2, 0, 9), 1);
  run(&bench, 400);
  assert_op(&bench, 4, 203, WALK, line_at(4, 1), 0, 0, NO, true);
  assert_op(&bench, 5, 205, WALK, 0, 0, 1, NO, false);
  assert_op(&bench, 6, 207, WALK, line_at(5, 1), 0, 0, NO, true);
  assert_op(&bench, 7, 209, WALK, 0, 0, 1, NO, false);
  assert_null(notes_event(bench.notes, QSM_EV_L2_OP, 8));
  assert_true(qsm_l2_is_flushing(bench.l2, 209 + LATENCY + 2));  // the last write was sent in 209
  assert_false(qsm_l2_is_flushing(bench.l2, 209 + LATENCY + 3));
  for (uint32_t set = 3; set <= 6; set++) {
    bool in_part = set == 4 || set == 5;
    assert_int_equal(line_state(&bench, set), in_part ? 0 : 3);
    assert_int_equal(memory_word(&bench, line_at(set, 1)), in_part ? (set - 2) * 16 : 0);
    assert_int_equal(state_word(&bench, QSM_STATE_L2_SET, set, 2), 1 << 1);  // the tree stays
  }
  close_bench(&bench);
}

// Of 32 sets: a part's first and last one as L2_FLUSH has them and as they are.
struct part_case {
  uint32_t value, first, n_sets;
};

static void check_part(const struct part_case *part_case) {
  struct qsm_config config = small();
  static struct bench bench;
  open_bench(&bench, &config);
  for (uint32_t set = 0; set < 32; set++) add(&bench, START, QSM_MEM_WRITE, line_at(set, 1), WHOLE);
  run(&bench, 201);
  qsm_l2_flush(bench.l2, 200, part_case->value);
  run(&bench, 500);
  for (uint32_t n = 0; n < 32; n++) {
    uint32_t set = (part_case->first + n) % 32;
    bool in_part = n < part_case->n_sets;
    assert_int_equal(line_state(&bench, set), in_part ? 0 : 3);
    if (in_part) assert_op(&bench, 32 + 2 * n, 203 + 4 * n, WALK, line_at(set, 1), 0, 0, NO, true);
  }
  assert_null(notes_event(bench.notes, QSM_EV_L2_OP, 32 + 2 * part_case->n_sets));
  close_bench(&bench);
}

// R-L2-10.
static void parts_go_round_and_are_modulo_the_sets(void **state) {
  static const struct part_case cases[] = {
      {0x80000000u, 0, 1},   // 0 to 0
      {0x801f001fu, 31, 1},  // 31 to 31
      {0x8001001eu, 30, 4},  // 30 to 1
      {0x801f0000u, 0, 32},  // 0 to 31
      {0x80040005u, 5, 32},  // 5 to 4: all, from 5 on
      {0x80440023u, 3, 2},   // 35 to 68
      {0xf002f001u, 1, 2},   // with bits that mean nothing
      {0xffffffffu, 31, 1},  // 4095 to 4095
      {ALL, 0, 32},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check_part(&cases[i]);
}

// R-L2-10: 16384 sets of one way, four in a unit.
static void a_unit_of_a_large_slice_has_many_sets(void **state) {
  (void)state;
  enum { SETS = 16384, CLEARED = SETS };
  static const struct part_case cases[] = {{0x80020001u, 4, 8}, {0x80000fffu, SETS - 4, 8}};
  struct qsm_config config = small();
  static struct bench bench;
  config.l2_kib = 256;
  config.l2_ways = 1;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    open_bench(&bench, &config);
    for (uint32_t n = 0; n < 10; n++)  // one before, one behind
      add(&bench, CLEARED, QSM_MEM_WRITE,
          QSM_MEM_BASE + (cases[i].first + SETS - 1 + n) % SETS * LINE, WHOLE);
    run(&bench, CLEARED + 100);
    qsm_l2_flush(bench.l2, CLEARED + 99, cases[i].value);
    run(&bench, CLEARED + 200);
    assert_false(qsm_l2_is_flushing(bench.l2, bench.cycle));
    for (uint32_t n = 0; n < 10; n++)
      assert_int_equal(line_state(&bench, (cases[i].first + SETS - 1 + n) % SETS),
                       n == 0 || n == 9 ? 3 : 0);
    assert_non_null(notes_event(bench.notes, QSM_EV_L2_OP, 10 + cases[i].n_sets - 1));
    assert_null(notes_event(bench.notes, QSM_EV_L2_OP, 10 + cases[i].n_sets));
    close_bench(&bench);
  }
}

// R-L2-10, R-L2-12: the sets of the flush before mean nothing to the next.
static void a_part_and_a_whole_flush_follow_each_other(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  for (uint32_t n = 0; n < 4; n++)
    add(&bench, START + 400 * n, QSM_MEM_WRITE, line_at(7, 1), WHOLE);
  run(&bench, 201);
  qsm_l2_flush(bench.l2, 200, ALL);
  run(&bench, 601);
  qsm_l2_flush(bench.l2, 600, part(7, 7));
  run(&bench, 1001);
  assert_false(qsm_l2_is_flushing(bench.l2, 650));
  qsm_l2_flush(bench.l2, 1000, ALL);
  run(&bench, 1500);
  assert_sent(&bench, 0, 202 + 28 + 3, QSM_MEM_WRITE, line_at(7, 1), 1, 2);
  assert_sent(&bench, 1, 602 + 3, QSM_MEM_WRITE, line_at(7, 1), 1, 3);
  assert_sent(&bench, 2, 1002 + 28 + 3, QSM_MEM_WRITE, line_at(7, 1), 1, 2);
  assert_int_equal(line_state(&bench, 7), 3);  // written in 1300, behind the walk
  assert_non_null(notes_event(bench.notes, QSM_EV_L2_OP, 4 + 64 + 2 + 64 - 1));
  assert_null(notes_event(bench.notes, QSM_EV_L2_OP, 4 + 64 + 2 + 64));
  close_bench(&bench);
}

// A victim of another set was decided before the part's walk ended: its write is waited for.
static void a_part_waits_for_a_victim_of_another_set(void **state) {
  (void)state;
  struct bench bench;
  open_with_a_victim(&bench);
  qsm_l2_flush(bench.l2, 200, part(9, 9));
  run(&bench, 1200);
  assert_sent(&bench, 0, 202, QSM_MEM_WRITE, line_at(5, 0), 1, 2);
  assert_true(qsm_l2_is_flushing(bench.l2, 202 + 500 + 2));
  assert_false(qsm_l2_is_flushing(bench.l2, 202 + 500 + 3));
  close_bench(&bench);
}

static void a_flush_ends_beside_traffic_that_does_not(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  config.l2_mshrs = 1;
  open_bench(&bench, &config);
  for (uint32_t n = 0; n < 1000; n++)
    add(&bench, START, QSM_MEM_WRITE, line_at(n % 32, n), WHOLE);  // always some victim under way
  run(&bench, 201);
  qsm_l2_flush(bench.l2, 200, ALL);
  while (qsm_l2_is_flushing(bench.l2, bench.cycle)) step(&bench);
  assert_true(bench.n_taken < bench.n_requests);
  assert_true(bench.cycle < 1000);
  close_bench(&bench);
}

// R-L2-13.
static void counters_are_kept_by_slot_and_cleared(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, START, QSM_MEM_WRITE, line_at(0, 1), WHOLE)->slot = 2;
  run(&bench, 150);
  assert_int_equal(qsm_l2_counter(bench.l2, LATER, 0, 2, 0), 1);
  assert_int_equal(qsm_l2_counter(bench.l2, LATER, 0, 1, 0), 0);
  qsm_l2_clear_counters(bench.l2, LATER, 1 << 1);
  assert_int_equal(qsm_l2_counter(bench.l2, LATER, 0, 2, 0), 1);
  qsm_l2_clear_counters(bench.l2, LATER, 1 << 2);
  assert_int_equal(qsm_l2_counter(bench.l2, LATER, 0, 2, 0), 0);
  close_bench(&bench);
}

static void an_act_shows_in_its_counters_two_cycles_later(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, START, QSM_MEM_READ, line_at(0, 1), 0)->slot = 2;
  run(&bench, START + 5);
  uint64_t act = notes_event(bench.notes, QSM_EV_L2_OP, 0)->cycle;
  assert_int_equal(qsm_l2_counter(bench.l2, act + 1, 0, 2, 0), 0);
  assert_int_equal(qsm_l2_counter(bench.l2, act + 2, 0, 2, 0), 1);
  qsm_l2_clear_counters(bench.l2, act, 1 << 2);
  assert_int_equal(qsm_l2_counter(bench.l2, act + 2, 0, 2, 0), 1);
  qsm_l2_clear_counters(bench.l2, act + 1, 1 << 2);
  assert_int_equal(qsm_l2_counter(bench.l2, act + 2, 0, 2, 0), 0);
  close_bench(&bench);
}

static void a_lost_line_shows_in_the_next_op_that_meets_it(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  char what[96];
  open_bench(&bench, &config);
  assert_int_equal(qsm_l2_inject(bench.l2, 7, what, sizeof what), -1);
  add(&bench, START, QSM_MEM_WRITE, line_at(4, 1), WHOLE);
  add(&bench, START + 50, QSM_MEM_READ, line_at(4, 1), 0);
  run(&bench, 120);
  assert_int_equal(qsm_l2_inject(bench.l2, 7, what, sizeof what), 0);
  run(&bench, 160);
  assert_op(&bench, 1, 151, REQUEST, line_at(4, 1), MISS, NO, 0, false);
  close_bench(&bench);
}

// ---- Random traffic ----

static struct qsm_config draw_config(uint64_t *random) {
  struct qsm_config config = small();
  config.mem_latency = 1 + model_random(random, 60);
  config.mem_interval = 1 + model_random(random, 4);
  config.l2_ways = 1u << model_random(random, 5);
  config.l2_mshrs = 1 + model_random(random, model_random(random, 2) ? 12 : 2);
  config.l2_waiters = 1 + model_random(random, model_random(random, 2) ? 20 : 2);
  if (model_random(random, 2)) {
    config.dram_banks = 1u << model_random(random, 3);
    config.dram_row_bytes = LINE << model_random(random, 4);
    config.dram_queue = 1 + model_random(random, 9);
  }
  return config;
}

static void draw_traffic(struct bench *bench, uint64_t *random) {
  uint32_t n_lines = 1u << (2 + model_random(random, 8)), gap = 1u << model_random(random, 6),
           nc = model_random(random, 3);
  for (uint64_t at = 0; bench->n_requests < 400; at += model_random(random, gap + 1)) {
    uint8_t kind = (uint8_t)(model_random(random, 8) == 0  ? QSM_MEM_AMO
                             : model_random(random, 5) < 2 ? QSM_MEM_WRITE
                                                           : QSM_MEM_READ);
    uint32_t bytes = kind == QSM_MEM_AMO       ? 0xfu << 4 * model_random(random, WORDS)
                     : model_random(random, 2) ? WHOLE
                                               : model_random(random, 0x10000);
    struct request *request =
        add(bench, at, kind, QSM_MEM_BASE + model_random(random, n_lines) * LINE, bytes);
    request->amo = (uint8_t)model_random(random, 9);
    request->nc = nc && model_random(random, nc + 1) != 0;
    request->slot = (uint8_t)model_random(random, 4);
  }
}

// R-L2-10: sets that a walk by this value has, counted.
static uint32_t sets_of_walk(const struct bench *bench, uint32_t value) {
  uint32_t n_sets = 1024 / (LINE * bench->config.l2_ways), n = 1;
  if (value == ALL) return n_sets;
  for (uint32_t set = value & 0xfff; set % n_sets != (value >> 16 & 0xfff) % n_sets; set++) n++;
  return n;
}

static void flush(struct bench *bench, uint32_t value, uint32_t *n_walks) {
  qsm_l2_flush(bench->l2, bench->cycle, value);
  *n_walks += sets_of_walk(bench, value) * bench->config.l2_ways;
}

static void check_walks(const struct bench *bench, uint32_t expected) {
  uint32_t n_walks = 0;
  for (uint32_t n = 0; n < bench->notes->n_events; n++) {
    const struct qsm_event *event = &bench->notes->event[n];
    n_walks += event->kind == QSM_EV_L2_OP && event->word[0] == WALK;
  }
  assert_int_equal(n_walks, expected);
}

// Runs until all is answered and flushed; the crossbar stops now and then. Flushes on the way, most
// of them of a part.
static void run_traffic(struct bench *bench, uint64_t random) {
  uint64_t flushed_at = model_random(&random, 1000);
  uint32_t n_walks = 0, n_flushes = 1 + model_random(&random, 8);
  bool flushing = false;
  while (bench->n_answered < bench->n_requests || flushing) {
    assert_true(bench->cycle < 200000);
    if (model_random(&random, 100) == 0)
      bench->no_answer_before = bench->cycle + model_random(&random, 40);
    if (bench->cycle == flushed_at) {
      bool whole = model_random(&random, 4) == 0;
      flush(bench, whole ? ALL : model_random(&random, 1u << 31) | 1u << 31, &n_walks);
      flushing = true;
    }
    step(bench);
    if (!flushing || qsm_l2_is_flushing(bench->l2, bench->cycle)) continue;
    flushing = false;
    if (--n_flushes) flushed_at = bench->cycle + model_random(&random, 1000);
  }
  flush(bench, ALL, &n_walks);
  do step(bench);
  while (qsm_l2_is_flushing(bench->l2, bench->cycle));
  check_walks(bench, n_walks);
}

// Requests to a line are performed in the order in which they are taken, which is that of the list.
static void compare_with_flat_memory(const struct bench *bench) {
  static uint32_t flat[FLAT_LINES][WORDS];
  memset(flat, 0, sizeof flat);
  for (uint32_t n = 0; n < bench->n_requests; n++) {
    const struct request *request = &bench->request[n];
    uint32_t *line = flat[(request->addr - QSM_MEM_BASE) / LINE];
    struct qsm_mem_access access = {.kind = request->kind,
                                    .amo = request->amo,
                                    .bytes = &request->bytes,
                                    .data = request->data};
    if (request->kind != QSM_MEM_WRITE) assert_memory_equal(bench->value[n], line, LINE);
    qsm_mem_apply(&access, (uint8_t *)line, WORDS);
  }
  assert_memory_equal(qsm_mem_bytes(bench->mem), flat, sizeof flat);
}

static void compare_events(const struct notes *a, const struct notes *b) {
  assert_int_equal(a->n_events, b->n_events);
  assert_true(a->n_events < NOTES_MAX);
  for (uint32_t n = 0; n < a->n_events; n++) {
    assert_int_equal(a->event[n].cycle, b->event[n].cycle);
    assert_int_equal(a->event[n].kind, b->event[n].kind);
    assert_memory_equal(a->event[n].word, b->event[n].word,
                        a->event[n].n_words * sizeof a->event[n].word[0]);
  }
}

// With all at rest.
static void assert_credits_are_back(const struct bench *bench) {
  assert_int_equal(state_word(bench, QSM_STATE_L2, 0, 0), 4);
  assert_int_equal(state_word(bench, QSM_STATE_L2, 0, 1), bench->config.l2_mshrs + 4);
  assert_int_equal(state_word(bench, QSM_STATE_L2, 0, 2), bench->config.l2_mshrs);
  assert_int_equal(state_word(bench, QSM_STATE_L2, 0, 3), bench->config.l2_waiters);
}

static void random_traffic_has_the_values_of_a_flat_memory(void **state) {
  (void)state;
  static struct bench bench, literal;
  uint64_t random = model_seed("test_l2");
  for (uint32_t round = 0; round < 60; round++) {
    struct qsm_config config = draw_config(&random);
    open_bench(&bench, &config);
    open_bench(&literal, &config);
    literal.every_cycle = true;
    uint64_t seed = random;
    draw_traffic(&bench, &seed);
    draw_traffic(&literal, &random);
    run_traffic(&bench, random);
    run_traffic(&literal, random);
    compare_with_flat_memory(&bench);
    compare_events(bench.notes, literal.notes);
    assert_credits_are_back(&bench);
    close_bench(&bench);
    close_bench(&literal);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_begins_while_the_tags_are_cleared),
      cmocka_unit_test(a_miss_reads_the_line_and_a_hit_answers_in_three_cycles),
      cmocka_unit_test(misses_of_one_line_are_merged_and_replayed_in_order),
      cmocka_unit_test(an_amo_waits_for_its_line_and_returns_what_was_there),
      cmocka_unit_test(a_whole_line_is_written_without_reading_it),
      cmocka_unit_test(a_whole_line_joins_a_line_that_is_on_its_way),
      cmocka_unit_test(a_dirty_victim_is_written_two_cycles_after_the_act),
      cmocka_unit_test(the_tree_points_away_from_what_was_used_but_not_for_nc),
      cmocka_unit_test(nc_bypasses_and_keeps_the_order_of_a_line),
      cmocka_unit_test(nc_hits_what_is_there),
      cmocka_unit_test(requests_wait_for_an_mshr_and_for_a_waiter),
      cmocka_unit_test(four_answers_wait_while_the_crossbar_takes_none),
      cmocka_unit_test(a_flush_writes_back_and_empties_and_says_when_it_is_done),
      cmocka_unit_test(a_flush_is_done_when_the_last_write_is_acknowledged),
      cmocka_unit_test(a_flush_waits_for_a_victim_on_its_way),
      cmocka_unit_test(a_part_empties_its_sets_and_leaves_the_others),
      cmocka_unit_test(parts_go_round_and_are_modulo_the_sets),
      cmocka_unit_test(a_unit_of_a_large_slice_has_many_sets),
      cmocka_unit_test(a_part_and_a_whole_flush_follow_each_other),
      cmocka_unit_test(a_part_waits_for_a_victim_of_another_set),
      cmocka_unit_test(a_flush_ends_beside_traffic_that_does_not),
      cmocka_unit_test(counters_are_kept_by_slot_and_cleared),
      cmocka_unit_test(an_act_shows_in_its_counters_two_cycles_later),
      cmocka_unit_test(a_lost_line_shows_in_the_next_op_that_meets_it),
      cmocka_unit_test(random_traffic_has_the_values_of_a_flat_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
