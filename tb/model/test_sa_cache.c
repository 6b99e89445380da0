// SPDX-License-Identifier: Apache-2.0
// Caches of shader arrays (docs/sa_cache.md) between the SMs' queues and the channels of a crossbar
// with a memory behind it: cycles of single requests, then random ones of which every answer is
// checked.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "qsm_mem.h"
#include "qsm_xbar.h"

enum { BEGIN = 100, LINE = 16, TXNS = 10, SMS = 4 };  // after the first walk

struct bench {
  struct qsm_config config;
  uint32_t policy[QSM_MAX_KERNELS];
  struct notes *notes;
  struct qsm_mem *mem;
  struct qsm_port port;
  struct qsm_sa_cache *sa;
  struct qsm_xbar *xbar;
  uint64_t cycle;  // next to run
};

// Four SMs in two arrays of two: 0 and 2, 1 and 3; two channels, a bank for each.
static void bench_open(struct bench *bench) {
  memset(bench, 0, sizeof *bench);
  bench->config = model_odd();
  bench->config.num_sms = SMS;
  bench->config.num_channels = 2;
  bench->config.num_sas = 2;
  bench->config.sa_kib = 1;
  bench->config.sa_ways = 2;
  bench->config.sa_banks = 2;
  bench->config.cmd_channels = 0;
  assert_int_equal(qsm_config_line_bytes(&bench->config), LINE);
  assert_int_equal(bench->config.mem_txns + bench->config.num_sched, TXNS);
  char msg[200];
  assert_int_equal(qsm_config_check(&bench->config, msg, sizeof msg), 0);
  bench->notes = notes_create();
  assert_int_equal(qsm_mem_create(&bench->config, &bench->mem), 0);
  for (uint32_t i = 0; i < 4096; i++) qsm_mem_bytes(bench->mem)[i] = (uint8_t)(i * 7 + i / 256);
  bench->port = (struct qsm_port){.mem = bench->mem, .bus = &bench->notes->bus};
  bench->sa = qsm_sa_create(&bench->config, bench->policy, &bench->notes->bus);
  assert_non_null(bench->sa);
  bench->xbar = qsm_xbar_create(&bench->config, bench->sa, NULL, &bench->port, &bench->notes->bus);
  assert_non_null(bench->xbar);
}

static void bench_close(struct bench *bench) {
  qsm_xbar_destroy(bench->xbar);
  qsm_sa_destroy(bench->sa);
  qsm_mem_destroy(bench->mem);
  notes_destroy(bench->notes);
}

static void run_to(struct bench *bench, uint64_t to) {
  for (uint64_t c = qsm_xbar_next(bench->xbar, bench->cycle); c < to;
       c = qsm_xbar_next(bench->xbar, c + 1))
    qsm_xbar_step(bench->xbar, c);
  bench->cycle = to;
}

static uint32_t line_addr(uint32_t line) { return QSM_MEM_BASE + LINE * line; }

// In cycles that ascend.
static void send(struct bench *bench, uint64_t cycle, uint32_t sm, uint8_t tag, uint8_t kind,
                 uint32_t line, uint32_t value) {
  struct qsm_mem_req req = {.cycle = cycle, .kind = kind, .tag = tag, .addr = line_addr(line)};
  if (cycle > bench->cycle) run_to(bench, cycle);
  if (kind != QSM_MEM_READ) req.bytes[0] = 0xf;
  req.data[0] = value;
  qsm_xbar_push(bench->xbar, sm, &req);
}

static void expect_op(const struct bench *bench, uint32_t n, uint64_t cycle, uint32_t kind,
                      uint32_t outcome, uint32_t txn) {
  const struct qsm_event *op = notes_event(bench->notes, QSM_EV_SA_OP, n);
  assert_int_equal(op->cycle, cycle);
  assert_int_equal(op->word[0], kind);
  assert_int_equal(op->word[2], outcome);
  assert_int_equal(op->word[4], txn);
}

static uint32_t memory_word(const struct bench *bench, uint32_t line) {
  uint32_t word;
  memcpy(&word, qsm_mem_bytes(bench->mem) + LINE * line, sizeof word);
  return word;
}

// R-SA-1, R-SA-13.
static void members_take_turns(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench);
  const uint64_t seen = BEGIN + bench.config.noc_lat;
  for (uint8_t n = 0; n < 2; n++)
    for (uint32_t sm = 0; sm <= 2; sm += 2)
      send(&bench, BEGIN + n, sm, n, QSM_MEM_READ, 2 * (2 * n + sm / 2), 0);
  run_to(&bench, 1000);
  for (uint32_t n = 0; n < 4; n++) expect_op(&bench, n, seen + 1 + n, 0, 2, n % 2 * TXNS + n / 2);
  for (uint32_t n = 0; n < 4; n++) {  // and so they leave
    const struct qsm_event *asked = notes_event(bench.notes, QSM_EV_MEM_REQ, n);
    assert_int_equal(asked->word[2], n % 2 * 2);
    if (n == 0) assert_int_equal(asked->cycle, seen + 3);  // in out, granted, at the port
  }
  bench_close(&bench);
}

// R-SA-13: arrays take turns at a channel.
static void arrays_take_turns_at_a_channel(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench);
  for (uint8_t n = 0; n < 3; n++)
    for (uint32_t sm = 0; sm < 2; sm++)
      send(&bench, BEGIN + n, sm, n, QSM_MEM_READ, 2 * (3 * sm + n), 0);
  run_to(&bench, 1000);
  for (uint32_t n = 0; n < 6; n++)
    assert_int_equal(notes_event(bench.notes, QSM_EV_MEM_REQ, n)->word[2], n % 2);
  bench_close(&bench);
}

// R-SA-2, R-SA-5, R-SA-8, R-SA-9, R-SA-10, R-SA-11, R-SA-12: the page's figure.
static void two_loads_of_a_line_are_one_access(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench);
  const uint64_t noc = bench.config.noc_lat, seen = BEGIN + noc;
  send(&bench, BEGIN, 0, 3, QSM_MEM_READ, 4, 0);
  send(&bench, BEGIN + 1, 2, 5, QSM_MEM_READ, 4, 0);
  run_to(&bench, 500);
  expect_op(&bench, 0, seen + 1, 0, 2, 3);
  expect_op(&bench, 1, seen + 2, 0, 1, TXNS + 5);
  const uint64_t taken = notes_event(bench.notes, QSM_EV_MEM_RSP, 0)->cycle + 1;
  const struct qsm_event *fill = notes_event(bench.notes, QSM_EV_SA_FILL, 0);
  assert_int_equal(fill->cycle, taken + 2);
  assert_int_equal(fill->word[2], 3);
  assert_int_equal(fill->word[3], 1);
  assert_int_equal(fill->word[4], TXNS + 5);
  assert_int_equal(bench.notes->n_rsps, 2);
  const struct noted_rsp *rsp = bench.notes->rsp;
  assert_int_equal(rsp[0].sm, 0);
  assert_int_equal(rsp[0].rsp.tag, 3);
  assert_int_equal(rsp[0].rsp.cycle, taken + 4 + noc);
  assert_int_equal(rsp[1].sm, 2);
  assert_int_equal(rsp[1].rsp.tag, 5);
  assert_int_equal(rsp[1].rsp.cycle, taken + 6 + noc);
  send(&bench, 600, 2, 1, QSM_MEM_READ, 4, 0);
  run_to(&bench, 1000);
  expect_op(&bench, 2, 600 + noc + 1, 0, 0, TXNS + 1);
  assert_int_equal(rsp[2].rsp.cycle, 600 + noc + 3 + noc);
  for (uint32_t n = 0; n < 3; n++) assert_int_equal(rsp[n].rsp.data[0], memory_word(&bench, 4));
  assert_int_equal(qsm_sa_counter(bench.sa, 2, 0, 0, 24), 3);
  assert_int_equal(qsm_sa_counter(bench.sa, 2, 0, 0, 25), 1);
  assert_int_equal(qsm_sa_counter(bench.sa, 0, 0, 0, 26), 1);
  assert_int_equal(qsm_sa_counter(bench.sa, 0, 0, 0, 27), 1);
  assert_int_equal(qsm_sa_counter(bench.sa, 1, 0, 0, 24), 0);
  bench_close(&bench);
}

// R-SA-3, R-SA-4, R-SA-6, R-SA-7.
static void a_store_poisons_what_is_on_its_way(void **state) {
  (void)state;
  struct bench bench;
  bench_open(&bench);
  const uint64_t noc = bench.config.noc_lat;
  send(&bench, BEGIN, 0, 0, QSM_MEM_READ, 4, 0);
  send(&bench, BEGIN + 1, 2, 0, QSM_MEM_WRITE, 4, 77);
  send(&bench, BEGIN + 2, 2, 1, QSM_MEM_READ, 4, 0);         // does not join
  send(&bench, BEGIN + 3, 2, TXNS - 1, QSM_MEM_READ, 4, 0);  // a fetch
  const uint32_t old = memory_word(&bench, 4);
  run_to(&bench, 500);
  expect_op(&bench, 1, BEGIN + noc + 2, 1, 1, TXNS);
  expect_op(&bench, 2, BEGIN + noc + 3, 0, 3, TXNS + 1);
  expect_op(&bench, 3, BEGIN + noc + 4, 3, 2, TXNS + TXNS - 1);
  assert_int_equal(notes_event(bench.notes, QSM_EV_SA_FILL, 0)->word[3], 0);
  assert_int_equal(bench.notes->rsp[0].rsp.data[0], old);
  send(&bench, 600, 0, 0, QSM_MEM_READ, 4, 0);
  send(&bench, 700, 2, 0, QSM_MEM_WRITE, 4, 78);  // now the line is valid
  send(&bench, 800, 0, 1, QSM_MEM_READ, 4, 0);
  send(&bench, 900, 0, 2, QSM_MEM_AMO, 4, 1);
  send(&bench, 1000, 0, 3, QSM_MEM_READ, 4, 0);
  run_to(&bench, 2000);
  expect_op(&bench, 4, 600 + noc + 1, 0, 2, 0);
  expect_op(&bench, 5, 700 + noc + 1, 1, 0, TXNS);
  expect_op(&bench, 6, 800 + noc + 1, 0, 0, 1);
  expect_op(&bench, 7, 900 + noc + 1, 2, 0, 2);
  expect_op(&bench, 8, 1000 + noc + 1, 0, 2, 3);
  assert_int_equal(bench.notes->rsp[4].rsp.data[0], 77);
  assert_int_equal(bench.notes->rsp[6].rsp.data[0], 78);
  bench_close(&bench);
}

static void load_and_expect(struct bench *bench, uint32_t *n, uint32_t sm, uint32_t outcome) {
  send(bench, bench->cycle, sm, 0, QSM_MEM_READ, 4, 0);
  const uint64_t acts = bench->cycle + bench->config.noc_lat + 1;
  run_to(bench, bench->cycle + 300);
  expect_op(bench, (*n)++, acts, 0, outcome, sm / 2 * TXNS);
}

// R-SA-14, R-SA-15: a fence of a member is its array's, a start and a restore too; after 256 of
// them no old line is there.
static void events_begin_generations(void **state) {
  (void)state;
  struct bench bench;
  uint32_t n = 0;
  bench_open(&bench);
  run_to(&bench, BEGIN);
  for (uint32_t sm = 0; sm < SMS; sm++) load_and_expect(&bench, &n, sm, sm < 2 ? 2 : 0);
  qsm_sa_note_fences(bench.sa, 2, bench.cycle, 1);
  run_to(&bench, bench.cycle + 1);
  const struct qsm_event *gen = notes_event(bench.notes, QSM_EV_SA_GEN, 0);
  assert_int_equal(gen->sm, 0);
  assert_int_equal(gen->word[0], 1);
  load_and_expect(&bench, &n, 0, 2);
  load_and_expect(&bench, &n, 1, 0);
  struct qsm_sm_msg msg = {.cycle = bench.cycle, .kind = QSM_MSG_START, .kernel = 0};
  for (uint32_t sm = 0; sm < SMS; sm++) qsm_sa_note(bench.sa, sm, &msg);
  run_to(&bench, bench.cycle + 1);
  load_and_expect(&bench, &n, 0, 2);
  load_and_expect(&bench, &n, 1, 2);
  assert_int_equal(qsm_sa_counter(bench.sa, 1, 0, 0, 24), 1);  // cleared by the start
  msg = (struct qsm_sm_msg){
      .cycle = bench.cycle, .kind = QSM_MSG_DISPATCH, .op = QSM_TB_RESTORE, .kernel = 0};
  qsm_sa_note(bench.sa, 3, &msg);
  run_to(&bench, bench.cycle + 1);
  load_and_expect(&bench, &n, 0, 0);
  load_and_expect(&bench, &n, 1, 2);
  for (uint32_t i = 0; i < 256; i++) {
    qsm_sa_note_fences(bench.sa, 0, bench.cycle, 1);
    run_to(&bench, bench.cycle + 1);
  }
  run_to(&bench, bench.cycle + 50);  // the walk
  load_and_expect(&bench, &n, 0, 2);
  bench_close(&bench);
}

// R-SA-16, R-SA-17: who skips allocates nothing, and uses what is there.
static void a_policy_skips_the_array(void **state) {
  (void)state;
  struct bench bench;
  uint32_t n = 0;
  bench_open(&bench);
  run_to(&bench, BEGIN);
  bench.policy[0] = QSM_CACHE_SKIP_L1;
  load_and_expect(&bench, &n, 0, 3);
  bench.policy[0] = 0;
  load_and_expect(&bench, &n, 0, 2);
  bench.policy[0] = QSM_CACHE_SKIP_L1;
  load_and_expect(&bench, &n, 2, 0);
  bench_close(&bench);
}

// ---- Random requests ----

struct asked {
  bool waits;
  uint8_t kind;
  uint32_t line, want;
  uint64_t seen;  // the tag is free from then on
};

// R-SA-2, R-SA-6, R-SA-9, R-SA-12: each request is answered once, an SM sees one answer per cycle,
// and its loads have what it stored last in a line that nobody else writes.
static void every_request_is_answered_once(void **state) {
  (void)state;
  enum { LINES = 24, CYCLES = 20000, OWN = 4 };
  uint64_t seed = model_seed("test_sa_cache");
  struct bench bench;
  struct asked asked[SMS][TXNS] = {0};
  uint32_t stored[LINES], n_answered = 0, n_asked = 0, n_checked = 0;
  uint64_t last_seen[SMS] = {0};
  bench_open(&bench);
  for (uint32_t l = 0; l < LINES; l++) stored[l] = memory_word(&bench, l);
  for (uint64_t cycle = BEGIN; cycle < CYCLES + 2000; cycle++) {
    for (uint32_t sm = 0; sm < SMS && cycle < CYCLES; sm++) {
      const uint8_t tag = (uint8_t)model_random(&seed, TXNS);
      if (asked[sm][tag].waits || asked[sm][tag].seen > cycle || model_random(&seed, 3) == 0)
        continue;
      // Lines 4 n + sm are this SM's; it loads those of all.
      uint32_t line = model_random(&seed, LINES);
      const bool is_load = tag >= TXNS - 2 || model_random(&seed, 3) != 0;
      if (!is_load) line = line / OWN * OWN + sm;
      if (!is_load) stored[line] = model_random(&seed, UINT32_MAX);
      send(&bench, cycle, sm, tag, is_load ? QSM_MEM_READ : QSM_MEM_WRITE, line, stored[line]);
      asked[sm][tag] = (struct asked){.waits = true,
                                      .kind = is_load ? QSM_MEM_READ : QSM_MEM_WRITE,
                                      .line = line,
                                      .want = stored[line]};
      n_asked++;
    }
    if (model_random(&seed, 200) == 0)
      qsm_sa_note_fences(bench.sa, model_random(&seed, SMS), cycle, 1);
    run_to(&bench, cycle + 1);
    for (; n_answered < bench.notes->n_rsps; n_answered++) {
      const struct noted_rsp *rsp = &bench.notes->rsp[n_answered % NOTES_MAX];
      struct asked *of = &asked[rsp->sm][rsp->rsp.tag];
      assert_true(of->waits);
      assert_true(rsp->rsp.cycle > last_seen[rsp->sm]);
      last_seen[rsp->sm] = rsp->rsp.cycle;
      if (of->kind == QSM_MEM_READ && of->line % OWN == rsp->sm) {
        assert_int_equal(rsp->rsp.data[0], of->want);
        n_checked++;
      }
      of->waits = false;
      of->seen = rsp->rsp.cycle;
    }
  }
  assert_int_equal(n_answered, n_asked);
  assert_true(n_checked > 500 && n_asked > 5000);
  for (uint32_t l = 0; l < LINES; l++) assert_int_equal(memory_word(&bench, l), stored[l]);
  bench_close(&bench);
}

static void a_flip_takes_a_line(void **state) {
  (void)state;
  struct bench bench;
  char what[128];
  uint32_t n = 0;
  bench_open(&bench);
  run_to(&bench, BEGIN);
  assert_int_equal(qsm_sa_inject(bench.sa, 5, what, sizeof what), -1);
  load_and_expect(&bench, &n, 0, 2);
  assert_int_equal(qsm_sa_inject(bench.sa, 5, what, sizeof what), 0);
  assert_non_null(strstr(what, "in bank 0 of array 0"));
  load_and_expect(&bench, &n, 0, 2);
  bench_close(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_take_turns),
      cmocka_unit_test(arrays_take_turns_at_a_channel),
      cmocka_unit_test(two_loads_of_a_line_are_one_access),
      cmocka_unit_test(a_store_poisons_what_is_on_its_way),
      cmocka_unit_test(events_begin_generations),
      cmocka_unit_test(a_policy_skips_the_array),
      cmocka_unit_test(every_request_is_answered_once),
      cmocka_unit_test(a_flip_takes_a_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
