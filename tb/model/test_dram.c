// SPDX-License-Identifier: Apache-2.0
// The memory controller (docs/dram.md): times computed by hand from the rules, corner cases, and
// random traffic against a reference that does R-DR-2 to R-DR-9 literally, cycle by cycle, with
// counters that count down.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "qsm_dram.h"
#include "qsm_port.h"

enum { LINE = 16, MAX_REQUESTS = 4096 };

struct request {
  uint64_t at;  // not offered before
  uint32_t kind, addr, slot;
};

struct bench {
  struct qsm_config config;
  struct notes *notes;
  struct qsm_mem *mem;
  struct qsm_dram *dram;
  uint64_t cycle;
  uint32_t n_requests, n_accepted, n_answered;
  struct request request[MAX_REQUESTS];
  uint64_t accepted[MAX_REQUESTS], answered[MAX_REQUESTS];
  uint32_t tag[MAX_REQUESTS];  // of the answers
  uint64_t no_answer_before;   // the upstream side takes no response
};

// Two banks of rows of four lines.
static struct qsm_config small(void) {
  struct qsm_config config = model_tiny();
  config.mem_latency = 3;
  config.dram_banks = 2;
  config.dram_row_bytes = 4 * LINE;
  config.dram_queue = 4;
  config.dram_rcd = 3;
  config.dram_rp = 4;
  config.dram_ras = 10;
  config.dram_cl = 5;
  config.dram_wr = 6;
  config.dram_burst = 2;
  return config;
}

static uint32_t line_at(uint32_t bank, uint32_t row, uint32_t column) {
  return ((row * 2 + bank) * 4 + column) * LINE;
}

static void open_bench(struct bench *bench, const struct qsm_config *config) {
  memset(bench, 0, sizeof *bench);
  bench->config = *config;
  bench->notes = notes_create();
  bench->notes->bus.reporting = true;
  assert_int_equal(qsm_mem_create(config, &bench->mem), 0);
  bench->dram = qsm_dram_create(&bench->config, bench->mem, &bench->notes->bus);
  assert_non_null(bench->dram);
}

static void close_bench(struct bench *bench) {
  qsm_dram_destroy(bench->dram);
  qsm_mem_destroy(bench->mem);
  notes_destroy(bench->notes);
}

static void add(struct bench *bench, uint64_t at, uint32_t kind, uint32_t addr) {
  assert_true(bench->n_requests < MAX_REQUESTS);
  bench->request[bench->n_requests++] = (struct request){at, kind, addr, 0};
}

static struct qsm_mem_access access_of(const struct bench *bench, uint32_t n) {
  static const uint32_t bytes = 0xffff, data[4] = {1, 2, 3, 4};
  const struct request *request = &bench->request[n];
  return (struct qsm_mem_access){.kind = (uint8_t)request->kind,
                                 .sm = 0,
                                 .tag = (uint8_t)n,
                                 .slot = (uint8_t)request->slot,
                                 .addr = request->addr,
                                 .bytes = &bytes,
                                 .data = data};
}

static void step(struct bench *bench) {
  uint64_t t = bench->cycle++;
  bool offers = bench->n_accepted < bench->n_requests &&
                bench->request[bench->n_accepted].at <= t && qsm_dram_ready_at(bench->dram, 0) <= t;
  bool answers = qsm_dram_response_at(bench->dram, 0) <= t && t >= bench->no_answer_before;
  if (qsm_dram_next(bench->dram, 0, t) == t) qsm_dram_step(bench->dram, 0, t);
  if (offers) {
    struct qsm_mem_access access = access_of(bench, bench->n_accepted);
    bench->accepted[bench->n_accepted++] = t;
    qsm_dram_accept(bench->dram, 0, t, &access);
  }
  if (!answers) return;
  bench->tag[bench->n_answered] = qsm_dram_response(bench->dram, 0)->tag;
  bench->answered[bench->n_answered++] = t;
  qsm_dram_take(bench->dram, 0, t);
}

static void run(struct bench *bench, uint64_t to) {
  while (bench->cycle < to) step(bench);
}

// The n-th command: kind (0 column access, 1 row), cycle, bank, row, column, passed.
static void assert_command(const struct bench *bench, uint32_t n, uint32_t kind, uint64_t cycle,
                           uint32_t bank, uint32_t row, uint32_t column, uint32_t passed) {
  const struct qsm_event *event = notes_event(bench->notes, QSM_EV_DRAM, n);
  assert_non_null(event);
  assert_int_equal(event->word[0], kind);
  assert_int_equal(event->cycle, cycle);
  assert_int_equal(event->word[1], bank);
  assert_int_equal(event->word[2], row);
  assert_int_equal(event->word[3], column);
  assert_int_equal(event->word[4], passed);
}

static void a_row_miss_opens_the_row_and_answers_after_rcd_burst_and_cl(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, 0, QSM_MEM_READ, line_at(1, 5, 3));
  run(&bench, 40);
  assert_command(&bench, 0, 1, 1, 1, 5, 3, 0);
  assert_command(&bench, 1, 0, 1 + 3, 1, 5, 3, 0);
  assert_int_equal(bench.n_answered, 1);
  assert_int_equal(bench.answered[0], 4 + 5 + 2);
  assert_int_equal(notes_event(bench.notes, QSM_EV_MEM_REQ, 0)->cycle, 4);
  assert_int_equal(notes_event(bench.notes, QSM_EV_MEM_RSP, 0)->cycle, 4 + 3);
  close_bench(&bench);
}

static void a_slow_port_answers_one_cycle_after_its_own_time(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  config.mem_latency = 20;
  open_bench(&bench, &config);
  add(&bench, 0, QSM_MEM_READ, line_at(0, 0, 0));
  run(&bench, 40);
  assert_int_equal(bench.answered[0], 4 + 20 + 1);
  close_bench(&bench);
}

static void row_hits_follow_each_other_on_the_bus(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  for (uint32_t n = 0; n < 3; n++) add(&bench, 0, QSM_MEM_READ, line_at(0, 0, n));
  run(&bench, 40);
  for (uint32_t n = 0; n < 3; n++) {
    assert_command(&bench, 1 + n, 0, 4 + 2 * n, 0, 0, n, 0);
    assert_int_equal(bench.answered[n], 11 + 2 * n);
  }
  assert_int_equal(qsm_dram_counter(bench.dram, 0, 0, 8), 3);
  assert_int_equal(qsm_dram_counter(bench.dram, 0, 0, 9), 0);
  assert_int_equal(qsm_dram_counter(bench.dram, 0, 0, 10), 2);
  assert_int_equal(qsm_dram_counter(bench.dram, 0, 0, 11), 1);
  qsm_dram_clear_counters(bench.dram, 1);
  assert_int_equal(qsm_dram_counter(bench.dram, 0, 0, 8), 0);
  close_bench(&bench);
}

static void another_row_of_the_bank_waits_for_ras_and_pays_rp_and_rcd(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, 0, QSM_MEM_READ, line_at(0, 0, 0));
  add(&bench, 0, QSM_MEM_READ, line_at(0, 1, 2));
  run(&bench, 60);
  assert_command(&bench, 2, 1, 1 + 10, 0, 1, 2, 0);
  assert_command(&bench, 3, 0, 11 + 3 + 4, 0, 1, 2, 0);
  close_bench(&bench);
}

static void a_write_keeps_its_row_for_wr_after_its_burst(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, 0, QSM_MEM_WRITE, line_at(0, 0, 0));
  add(&bench, 0, QSM_MEM_READ, line_at(0, 1, 0));
  run(&bench, 60);
  assert_int_equal(bench.answered[0], 4 + 3 + 1);  // t + 1, but the port took 3
  assert_command(&bench, 2, 1, 4 + 2 + 6, 0, 1, 0, 0);
  assert_int_equal(qsm_dram_counter(bench.dram, 0, 0, 9), 1);
  close_bench(&bench);
}

static void banks_work_side_by_side_and_share_the_bus(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, 0, QSM_MEM_READ, line_at(0, 0, 0));
  add(&bench, 0, QSM_MEM_READ, line_at(1, 0, 0));
  run(&bench, 60);
  assert_command(&bench, 0, 1, 1, 0, 0, 0, 0);
  assert_command(&bench, 1, 1, 2, 1, 0, 0, 0);
  assert_command(&bench, 2, 0, 4, 0, 0, 0, 0);
  assert_command(&bench, 3, 0, 6, 1, 0, 0, 0);
  close_bench(&bench);
}

static void first_ready_goes_first_but_fifteen_times_at_most(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, 0, QSM_MEM_READ, line_at(0, 0, 0));
  add(&bench, 0, QSM_MEM_READ, line_at(0, 7, 0));  // waits while row 0 is asked for
  for (uint32_t n = 0; n < 20; n++) add(&bench, 0, QSM_MEM_READ, line_at(0, 0, n % 4));
  run(&bench, 300);
  assert_command(&bench, 1, 0, 4, 0, 0, 0, 0);
  for (uint32_t n = 1; n <= 15; n++)
    assert_command(&bench, 1 + n, 0, 4 + 2 * n, 0, 0, (n - 1) % 4, n);
  assert_command(&bench, 17, 1, 4 + 2 * 15 + 2, 0, 7, 0, 15);
  assert_command(&bench, 18, 0, 36 + 7, 0, 7, 0, 0);
  assert_int_equal(bench.n_answered, 22);
  close_bench(&bench);
}

static void answers_keep_the_order_of_the_accesses(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  add(&bench, 0, QSM_MEM_READ, line_at(0, 0, 0));
  add(&bench, 0, QSM_MEM_WRITE,
      line_at(1, 0,
              0));  // done at the port in 6, its acknowledgement comes behind the data of the read
  run(&bench, 60);
  assert_int_equal(bench.tag[0], 0);
  assert_int_equal(bench.answered[0], 11);
  assert_int_equal(bench.answered[1], 12);
  close_bench(&bench);
}

static void a_queue_of_one_takes_the_next_after_the_column_access(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  config.dram_queue = 1;
  open_bench(&bench, &config);
  add(&bench, 0, QSM_MEM_READ, line_at(0, 0, 0));
  add(&bench, 0, QSM_MEM_READ, line_at(0, 0, 1));
  run(&bench, 60);
  assert_int_equal(bench.accepted[0], 0);
  assert_int_equal(bench.accepted[1], 5);
  assert_command(&bench, 2, 0, 12, 0, 0, 1, 0);  // the one place on the way back is free after 11
  close_bench(&bench);
}

static void accesses_on_the_way_are_bounded_while_no_answer_is_taken(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  open_bench(&bench, &config);
  bench.no_answer_before = 100;
  for (uint32_t n = 0; n < 12; n++) add(&bench, 0, QSM_MEM_READ, line_at(0, 0, n % 4));
  run(&bench, 100);
  assert_int_equal(qsm_dram_counter(bench.dram, 0, 0, 8), 4);
  assert_int_equal(bench.n_accepted, 8);
  run(&bench, 300);
  assert_int_equal(bench.n_answered, 12);
  close_bench(&bench);
}

static void the_port_must_be_ready_for_a_column_access(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  config.mem_interval = 9;
  open_bench(&bench, &config);
  add(&bench, 0, QSM_MEM_READ, line_at(0, 0, 0));
  add(&bench, 0, QSM_MEM_READ, line_at(0, 0, 1));
  run(&bench, 60);
  assert_command(&bench, 2, 0, 4 + 9, 0, 0, 1, 0);
  close_bench(&bench);
}

static void a_row_of_one_line_and_one_bank_is_always_a_miss(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  config.dram_banks = 1;
  config.dram_row_bytes = LINE;
  open_bench(&bench, &config);
  for (uint32_t n = 0; n < 3; n++) add(&bench, 0, QSM_MEM_READ, n * LINE);
  run(&bench, 100);
  assert_int_equal(qsm_dram_counter(bench.dram, 0, 0, 10), 0);
  assert_int_equal(qsm_dram_counter(bench.dram, 0, 0, 11), 3);
  assert_command(&bench, 5, 0, 1 + 10 + (4 + 10) + 7, 0, 2, 0,
                 0);  // rows at 1, 11, and ras + rp later
  close_bench(&bench);
}

static void a_flipped_row_shows_in_the_next_command(void **state) {
  (void)state;
  struct qsm_config config = small();
  struct bench bench;
  char what[96];
  open_bench(&bench, &config);
  assert_int_equal(qsm_dram_inject(bench.dram, 3, what, sizeof what), -1);
  add(&bench, 0, QSM_MEM_READ, line_at(0, 0, 0));
  run(&bench, 1);
  assert_int_equal(qsm_dram_inject(bench.dram, 3, what, sizeof what), 0);
  run(&bench, 10);
  assert_command(&bench, 0, 1, 1, 0, 8, 0, 0);
  close_bench(&bench);
}

// ---- Reference ----

struct ref_bank {
  bool open;
  uint32_t row, busy, keep;
};

struct ref_entry {
  uint32_t n, bank, row, column;
  bool opened;
};

struct ref {
  const struct bench *bench;  // configuration and requests
  struct ref_bank bank[16];
  struct ref_entry queue[64];
  uint32_t bus, passed, n_queue, n_accepted, n_answered, n_commands, count[4];
  uint32_t n_back;
  uint64_t back_at[64];  // shown upstream at the earliest
  uint64_t mem_free, mem_last;
  uint64_t answered[MAX_REQUESTS];
  struct qsm_event command[2 * MAX_REQUESTS];
};

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void ref_report(struct ref *ref, uint64_t t, uint32_t kind, const struct ref_entry *entry) {
  struct qsm_event *event = &ref->command[ref->n_commands++];
  *event = (struct qsm_event){.cycle = t,
                              .word = {kind, entry->bank, entry->row, entry->column, ref->passed}};
}

// Cycle in which the simulated memory's answer is taken, R-MM-1: at once, and one per cycle.
static uint64_t ref_memory(struct ref *ref, uint64_t t) {
  ref->mem_free = t + ref->bench->config.mem_interval;
  ref->mem_last = later(t + ref->bench->config.mem_latency, ref->mem_last + 1);
  return ref->mem_last;
}

static bool ref_column(struct ref *ref, uint64_t t, uint32_t n_seen) {
  const struct qsm_config *config = &ref->bench->config;
  if (ref->bus || ref->n_back == config->dram_queue || t < ref->mem_free) return false;
  for (uint32_t i = 0; i < n_seen; i++) {
    struct ref_entry entry = ref->queue[i];
    struct ref_bank *bank = &ref->bank[entry.bank];
    if (!bank->open || bank->row != entry.row || bank->busy) continue;
    bool write = ref->bench->request[entry.n].kind == QSM_MEM_WRITE;
    ref->bus = bank->busy = config->dram_burst;
    if (write && bank->keep < config->dram_burst + config->dram_wr)
      bank->keep = config->dram_burst + config->dram_wr;
    uint64_t due = t + (write ? 1 : config->dram_cl + config->dram_burst);
    ref->back_at[ref->n_back++] = later(due, ref_memory(ref, t) + 1);
    ref->passed = i == 0 ? 0 : ref->passed < 15 ? ref->passed + 1 : 15;
    ref->count[write]++;
    if (!entry.opened) ref->count[2]++;
    ref_report(ref, t, 0, &entry);
    memmove(&ref->queue[i], &ref->queue[i + 1], (--ref->n_queue - i) * sizeof entry);
    return true;
  }
  return false;
}

static void ref_row(struct ref *ref, uint64_t t, uint32_t n_seen) {
  const struct qsm_config *config = &ref->bench->config;
  for (uint32_t i = 0; i < n_seen; i++) {
    struct ref_entry *entry = &ref->queue[i];
    struct ref_bank *bank = &ref->bank[entry->bank];
    bool wanted = false;
    if (bank->busy || (bank->open && (bank->row == entry->row || bank->keep))) continue;
    for (uint32_t k = 0; k < ref->n_queue; k++)
      wanted |= bank->open && ref->queue[k].bank == entry->bank && ref->queue[k].row == bank->row;
    if (wanted && ref->passed < 15) continue;
    uint32_t close = bank->open ? config->dram_rp : 0;
    *bank = (struct ref_bank){true, entry->row, config->dram_rcd + close, config->dram_ras + close};
    entry->opened = true;
    ref->count[3]++;
    ref_report(ref, t, 1, entry);
    return;
  }
}

static void ref_step(struct ref *ref, uint64_t t) {
  const struct bench *bench = ref->bench;
  const struct qsm_config *config = &bench->config;
  uint32_t n_queue = ref->n_queue, n_seen = ref->passed == 15 ? 1 : n_queue;
  bool answers = ref->n_back && ref->back_at[0] <= t && t >= bench->no_answer_before;
  if (n_queue && !ref_column(ref, t, n_seen)) ref_row(ref, t, n_seen);
  if (ref->bus) ref->bus--;
  for (uint32_t b = 0; b < config->dram_banks; b++) {
    if (ref->bank[b].busy) ref->bank[b].busy--;
    if (ref->bank[b].keep) ref->bank[b].keep--;
  }
  if (n_queue < config->dram_queue && ref->n_accepted < bench->n_requests &&
      bench->request[ref->n_accepted].at <= t) {
    uint32_t m = bench->request[ref->n_accepted].addr / LINE,
             columns = config->dram_row_bytes / LINE;
    ref->queue[ref->n_queue++] =
        (struct ref_entry){ref->n_accepted++, m / columns % config->dram_banks,
                           m / columns / config->dram_banks, m % columns, false};
  }
  if (!answers) return;
  ref->answered[ref->n_answered++] = t;
  memmove(&ref->back_at[0], &ref->back_at[1], --ref->n_back * sizeof ref->back_at[0]);
}

static uint32_t state_word(const struct bench *bench, uint32_t index, uint32_t word) {
  uint32_t value = UINT32_MAX;
  assert_true(qsm_dram_state(bench->dram, bench->cycle, 0, index, word, &value));
  return value;
}

static void compare_state(const struct bench *bench, const struct ref *ref) {
  uint32_t n_banks = bench->config.dram_banks;
  for (uint32_t b = 0; b < n_banks; b++) {
    const struct ref_bank *bank = &ref->bank[b];
    assert_int_equal(state_word(bench, b, 0), bank->open);
    assert_int_equal(state_word(bench, b, 1), bank->open ? bank->row : 0);
    assert_int_equal(state_word(bench, b, 2), bank->busy);
    assert_int_equal(state_word(bench, b, 3), bank->keep);
  }
  assert_int_equal(state_word(bench, n_banks, 0), ref->bus);
  assert_int_equal(state_word(bench, n_banks, 1), ref->passed);
  assert_int_equal(state_word(bench, n_banks, 2), ref->n_queue);
  assert_int_equal(state_word(bench, n_banks, 3), ref->n_back);
}

static uint32_t draw_power(uint64_t *random, uint32_t least, uint32_t digits) {
  return least << model_random(random, digits);
}

static struct qsm_config draw_config(uint64_t *random) {
  struct qsm_config config = small();
  config.mem_latency = 1 + model_random(random, 30);
  config.mem_interval = 1 + model_random(random, 4);
  config.dram_banks = draw_power(random, 1, 4);
  config.dram_row_bytes = draw_power(random, LINE, 4);
  config.dram_queue = 1 + model_random(random, model_random(random, 2) ? 20 : 4);
  config.dram_rcd = 1 + model_random(random, 9);
  config.dram_rp = 1 + model_random(random, 9);
  config.dram_ras = 1 + model_random(random, 30);
  config.dram_cl = 1 + model_random(random, 12);
  config.dram_wr = 1 + model_random(random, 12);
  config.dram_burst = 1 + model_random(random, 5);
  return config;
}

static void random_traffic_is_served_as_the_rules_say(void **state) {
  (void)state;
  static struct bench bench;
  static struct ref ref;
  uint64_t random = model_seed("test_dram");
  for (uint32_t round = 0; round < 60; round++) {
    struct qsm_config config = draw_config(&random);
    uint32_t n_lines = draw_power(&random, 4, 7), gap = draw_power(&random, 1, 6);
    open_bench(&bench, &config);
    for (uint64_t at = 0; bench.n_requests < 120; at += model_random(&random, gap + 1)) {
      add(&bench, at, model_random(&random, 3) ? QSM_MEM_READ : QSM_MEM_WRITE,
          model_random(&random, n_lines) * LINE);
    }
    memset(&ref, 0, sizeof ref);
    ref.bench = &bench;
    while (bench.n_answered < bench.n_requests) {
      assert_true(bench.cycle < 100000);
      if (model_random(&random, 200) == 0)
        bench.no_answer_before = bench.cycle + model_random(&random, 60);
      ref_step(&ref, bench.cycle);
      step(&bench);
      compare_state(&bench, &ref);
    }
    assert_memory_equal(bench.answered, ref.answered, bench.n_answered * sizeof bench.answered[0]);
    for (uint32_t n = 0; n < ref.n_commands; n++) {
      const uint32_t *word = ref.command[n].word;
      assert_command(&bench, n, word[0], ref.command[n].cycle, word[1], word[2], word[3], word[4]);
    }
    assert_null(notes_event(bench.notes, QSM_EV_DRAM, ref.n_commands));
    for (uint32_t n = 0; n < 4; n++)
      assert_int_equal(qsm_dram_counter(bench.dram, 0, 0, 8 + n), ref.count[n]);
    close_bench(&bench);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_miss_opens_the_row_and_answers_after_rcd_burst_and_cl),
      cmocka_unit_test(a_slow_port_answers_one_cycle_after_its_own_time),
      cmocka_unit_test(row_hits_follow_each_other_on_the_bus),
      cmocka_unit_test(another_row_of_the_bank_waits_for_ras_and_pays_rp_and_rcd),
      cmocka_unit_test(a_write_keeps_its_row_for_wr_after_its_burst),
      cmocka_unit_test(banks_work_side_by_side_and_share_the_bus),
      cmocka_unit_test(first_ready_goes_first_but_fifteen_times_at_most),
      cmocka_unit_test(answers_keep_the_order_of_the_accesses),
      cmocka_unit_test(a_queue_of_one_takes_the_next_after_the_column_access),
      cmocka_unit_test(accesses_on_the_way_are_bounded_while_no_answer_is_taken),
      cmocka_unit_test(the_port_must_be_ready_for_a_column_access),
      cmocka_unit_test(a_row_of_one_line_and_one_bank_is_always_a_miss),
      cmocka_unit_test(a_flipped_row_shows_in_the_next_command),
      cmocka_unit_test(random_traffic_is_served_as_the_rules_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
