// SPDX-License-Identifier: Apache-2.0
// The simulated memory: R-MM-1, R-MM-2 and what the memory port asks of it (docs/xbar.md).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "qsm_mem.h"

static struct qsm_mem *create(const struct qsm_config *config) {
  struct qsm_mem *mem;
  assert_int_equal(qsm_mem_create(config, &mem), 0);
  return mem;
}

static void accept(struct qsm_mem *mem, uint32_t channel, uint64_t cycle, uint8_t kind, uint8_t amo,
                   uint32_t addr, uint32_t bytes, const uint32_t *data) {
  struct qsm_mem_access access = {
      .kind = kind, .amo = amo, .sm = 3, .tag = 5, .addr = addr, .bytes = &bytes, .data = data};
  qsm_mem_accept(mem, channel, cycle, &access);
}

static uint32_t word_at(struct qsm_mem *mem, uint32_t addr) {
  uint32_t word;
  memcpy(&word, qsm_mem_bytes(mem) + (addr - QSM_MEM_BASE), sizeof word);
  return word;
}

static void a_channel_is_ready_again_after_its_interval(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_mem *mem = create(&config);
  assert_int_equal(qsm_mem_ready_at(mem, 0), 0);
  accept(mem, 0, 17, QSM_MEM_READ, 0, QSM_MEM_BASE, 0, NULL);
  assert_int_equal(qsm_mem_ready_at(mem, 0), 17 + config.mem_interval);
  qsm_mem_destroy(mem);
}

static void a_response_is_valid_after_the_latency_and_names_its_request(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_mem *mem = create(&config);
  assert_true(qsm_mem_response_at(mem, 0) == UINT64_MAX);
  accept(mem, 0, 17, QSM_MEM_READ, 0, QSM_MEM_BASE, 0, NULL);
  assert_int_equal(qsm_mem_response_at(mem, 0), 17 + config.mem_latency);
  assert_int_equal(qsm_mem_response(mem, 0)->sm, 3);
  assert_int_equal(qsm_mem_response(mem, 0)->tag, 5);
  qsm_mem_take(mem, 0, 60);
  assert_true(qsm_mem_response_at(mem, 0) == UINT64_MAX);
  qsm_mem_destroy(mem);
}

static void a_response_waits_for_the_one_before_it(void **state) {
  (void)state;
  struct qsm_config config = model_tiny();
  struct qsm_mem *mem = create(&config);
  accept(mem, 0, 10, QSM_MEM_READ, 0, QSM_MEM_BASE, 0, NULL);
  accept(mem, 0, 11, QSM_MEM_READ, 0, QSM_MEM_BASE, 0, NULL);
  assert_int_equal(qsm_mem_response_at(mem, 0), 30);
  qsm_mem_take(mem, 0, 50);
  assert_int_equal(qsm_mem_response_at(mem, 0), 51);
  qsm_mem_destroy(mem);
}

static void channels_do_not_hold_each_other(void **state) {
  (void)state;
  struct qsm_config config = model_demo();
  struct qsm_mem *mem = create(&config);
  accept(mem, 1, 10, QSM_MEM_READ, 0, QSM_MEM_BASE + 32, 0, NULL);
  assert_int_equal(qsm_mem_ready_at(mem, 0), 0);
  assert_true(qsm_mem_response_at(mem, 0) == UINT64_MAX);
  qsm_mem_destroy(mem);
}

static void a_write_changes_the_masked_bytes_and_answers_zero(void **state) {
  (void)state;
  struct qsm_config config = model_tiny();
  struct qsm_mem *mem = create(&config);
  const uint32_t before[4] = {0x11111111, 0x22222222, 0x33333333, 0x44444444};
  const uint32_t data[4] = {0xaabbccdd, 0xaabbccdd, 0xaabbccdd, 0xaabbccdd};
  memcpy(qsm_mem_bytes(mem) + 64, before, sizeof before);
  accept(mem, 0, 0, QSM_MEM_WRITE, 0, QSM_MEM_BASE + 64, 0xf061, data);
  assert_int_equal(word_at(mem, QSM_MEM_BASE + 64), 0x111111dd);
  assert_int_equal(word_at(mem, QSM_MEM_BASE + 68), 0x22bbcc22);
  assert_int_equal(word_at(mem, QSM_MEM_BASE + 72), 0x33333333);
  assert_int_equal(word_at(mem, QSM_MEM_BASE + 76), 0xaabbccdd);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(qsm_mem_response(mem, 0)->data[i], 0);
  qsm_mem_destroy(mem);
}

static void a_read_returns_the_line_of_its_acceptance(void **state) {
  (void)state;
  struct qsm_config config = model_tiny();
  struct qsm_mem *mem = create(&config);
  const uint32_t data[4] = {1, 2, 3, 4};
  accept(mem, 0, 0, QSM_MEM_READ, 0, QSM_MEM_BASE, 0, NULL);
  accept(mem, 0, 1, QSM_MEM_WRITE, 0, QSM_MEM_BASE, 0xffff, data);
  accept(mem, 0, 2, QSM_MEM_READ, 0, QSM_MEM_BASE, 0, NULL);
  assert_int_equal(qsm_mem_response(mem, 0)->data[2], 0);
  qsm_mem_take(mem, 0, 30);
  qsm_mem_take(mem, 0, 31);
  assert_int_equal(qsm_mem_response(mem, 0)->data[2], 3);
  qsm_mem_destroy(mem);
}

struct amo_case {
  uint8_t amo;
  uint32_t old, operand, result;
};

static void every_amo_changes_its_word_and_returns_the_old_line(void **state) {
  (void)state;
  static const struct amo_case cases[] = {
      {QSM_AMO_SWAP, 5, 9, 9},
      {QSM_AMO_ADD, 0xffffffff, 3, 2},
      {QSM_AMO_XOR, 0xf0f0, 0xff00, 0x0ff0},
      {QSM_AMO_AND, 0xf0f0, 0xff00, 0xf000},
      {QSM_AMO_OR, 0xf0f0, 0xff00, 0xfff0},
      {QSM_AMO_MIN, 0xffffffff, 1, 0xffffffff},
      {QSM_AMO_MAX, 0xffffffff, 1, 1},
      {QSM_AMO_MINU, 0xffffffff, 1, 1},
      {QSM_AMO_MAXU, 0xffffffff, 1, 0xffffffff},
  };
  struct qsm_config config = model_tiny();
  struct qsm_mem *mem = create(&config);
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint32_t before[4] = {7, 7, cases[i].old, 7};
    const uint32_t data[4] = {99, 99, cases[i].operand, 99};
    memcpy(qsm_mem_bytes(mem), before, sizeof before);
    accept(mem, 0, 100 * i, QSM_MEM_AMO, cases[i].amo, QSM_MEM_BASE, 0x0f00, data);
    assert_int_equal(word_at(mem, QSM_MEM_BASE + 8), cases[i].result);
    assert_int_equal(word_at(mem, QSM_MEM_BASE + 4), 7);
    assert_int_equal(word_at(mem, QSM_MEM_BASE + 12), 7);
    assert_memory_equal(qsm_mem_response(mem, 0)->data, before, sizeof before);
    qsm_mem_take(mem, 0, 100 * i + 50);
  }
  qsm_mem_destroy(mem);
}

static void outside_the_memory_reads_are_zero_and_writes_are_lost(void **state) {
  (void)state;
  struct qsm_config config = model_tiny();
  struct qsm_mem *mem = create(&config);
  const uint32_t data[4] = {1, 2, 3, 4};
  const uint32_t outside[] = {QSM_MEM_BASE + config.mem_bytes, QSM_MEM_BASE - 16, 0, 0xfffffff0};
  memcpy(qsm_mem_bytes(mem) + config.mem_bytes - 16, data, sizeof data);
  for (uint32_t i = 0; i < sizeof outside / sizeof *outside; i++) {
    accept(mem, 0, 100 * i, QSM_MEM_WRITE, 0, outside[i], 0xffff, data);
    accept(mem, 0, 100 * i + 1, QSM_MEM_AMO, QSM_AMO_ADD, outside[i], 0x000f, data);
    qsm_mem_take(mem, 0, 100 * i + 50);
    for (uint32_t w = 0; w < 4; w++) assert_int_equal(qsm_mem_response(mem, 0)->data[w], 0);
    qsm_mem_take(mem, 0, 100 * i + 51);
  }
  accept(mem, 0, 1000, QSM_MEM_READ, 0, QSM_MEM_BASE + config.mem_bytes - 16, 0, NULL);
  assert_memory_equal(qsm_mem_response(mem, 0)->data, data, sizeof data);
  qsm_mem_destroy(mem);
  qsm_mem_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_channel_is_ready_again_after_its_interval),
      cmocka_unit_test(a_response_is_valid_after_the_latency_and_names_its_request),
      cmocka_unit_test(a_response_waits_for_the_one_before_it),
      cmocka_unit_test(channels_do_not_hold_each_other),
      cmocka_unit_test(a_write_changes_the_masked_bytes_and_answers_zero),
      cmocka_unit_test(a_read_returns_the_line_of_its_acceptance),
      cmocka_unit_test(every_amo_changes_its_word_and_returns_the_old_line),
      cmocka_unit_test(outside_the_memory_reads_are_zero_and_writes_are_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
