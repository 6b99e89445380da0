// SPDX-License-Identifier: Apache-2.0
// Partition of the channels, R-XB-6: the addresses against the rule bit by bit, and tenants on the
// whole model whose memory and channels are their own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_program.h"
#include "model_support.h"
#include "qsm_partition.h"
#include "qsm_regs.h"
#include "sm_rig.h"

static uint32_t log2_of(uint32_t power) { return (uint32_t)__builtin_ctz(power); }

static uint32_t field(uint32_t value, uint32_t top, uint32_t bottom) {
  return top < bottom ? 0 : value >> bottom & (UINT32_MAX >> (31 - top + bottom));
}

// R-XB-6 by the letter. Bits top .. bottom, none where top = bottom - 1.
static uint32_t reference(const struct qsm_config *config, uint32_t v, uint32_t addr) {
  uint32_t b = config->partition_bits, s = log2_of(qsm_config_line_bytes(config)),
           n = log2_of(config->num_channels), to = 0;
  to |= b < 32 ? addr >> b << b : 0;
  if (v) to |= field(addr, b - 1, b - v) << (s + n - v);
  to |= field(addr, b - v - 1, s + n - v) << (s + n);
  return to | field(addr, s + n - v - 1, 0);
}

static struct qsm_config random_partition(uint64_t *seed) {
  struct qsm_config config = model_demo();
  config.warp_size = 2u << model_random(seed, 5);
  config.num_channels = 2u << model_random(seed, 4);
  config.partition_bits = 20 + model_random(seed, 11);
  config.mem_bytes = UINT32_C(1) << config.partition_bits;
  return config;
}

static uint32_t channel_of(const struct qsm_config *config, uint32_t addr) {
  return addr / qsm_config_line_bytes(config) % config->num_channels;
}

// R-XB-6: any address, also where no memory is.
static void addresses_are_permuted_as_the_rule_says(void **state) {
  (void)state;
  uint64_t seed = model_seed("test_partition");
  for (uint32_t i = 0; i < 2000; i++) {
    struct qsm_config config = random_partition(&seed);
    uint32_t n = log2_of(config.num_channels);
    for (uint32_t v = 0; v <= n; v++) {
      uint32_t addr = (uint32_t)(model_random(&seed, 1 << 16) << 16) + model_random(&seed, 1 << 16);
      uint32_t to = qsm_partition_address(&config, v, addr);
      assert_int_equal(to, reference(&config, v, addr));
      if (v == 0) assert_int_equal(to, addr);
      uint32_t part = addr % config.mem_bytes / (config.mem_bytes >> v);
      assert_int_equal(channel_of(&config, to) >> (n - v), part);  // of neighbours
      uint32_t run = qsm_partition_run_bytes(&config, v);
      assert_int_equal(qsm_partition_address(&config, v, addr / run * run) + addr % run, to);
    }
  }
}

// R-XB-6: one to one.
static void no_two_lines_meet(void **state) {
  (void)state;
  struct qsm_config config = model_wide();
  config.partition_bits = 20;
  uint32_t line = qsm_config_line_bytes(&config), n_lines = (1u << 20) / line;
  uint8_t *seen = malloc(n_lines);
  assert_non_null(seen);
  for (uint32_t v = 0; v <= 2; v++) {
    memset(seen, 0, n_lines);
    for (uint32_t i = 0; i < n_lines; i++) {
      uint32_t to = qsm_partition_address(&config, v, i * line) / line;
      assert_true(to < n_lines && !seen[to]);
      seen[to] = 1;
    }
  }
  free(seen);
}

// ---- Tenants ----

static struct qsm_config partitioned(void) {
  struct qsm_config config = model_wide();
  config.partition_bits = 22;
  config.mem_bytes = 1 << 22;
  config.l1_kib = 1;
  config.l1_ways = 2;
  config.l2_kib = 1;
  config.l2_ways = 2;
  config.l2_mshrs = 4;
  config.l2_waiters = 8;
  config.dram_banks = 4;
  config.dram_row_bytes = 256;
  config.dram_queue = 8;
  config.dram_rcd = config.dram_rp = config.dram_ras = config.dram_cl = config.dram_wr = 5;
  config.dram_burst = 2;
  return config;
}

enum { AREA_BYTES = 0x60000, LOOPS = 3, BLOCKS = 12, THREADS = 16 };

// Copies what program_load() has put at the bottom of memory into the part, where the slot finds it
// at `shift` more.
static void load_in_part(struct qsm_model *model, const struct qsm_config *config, uint32_t k,
                         uint32_t split, uint32_t shift) {
  static const uint32_t registers[] = {QSM_SLOT_WIN0_BASE,  QSM_SLOT_WIN0_LIMIT, QSM_SLOT_WIN1_BASE,
                                       QSM_SLOT_WIN1_LIMIT, QSM_SLOT_ENTRY,      QSM_SLOT_ARG};
  uint8_t *memory = qsm_model_memory(model), *before = malloc(AREA_BYTES),
          *copy = malloc(AREA_BYTES);
  assert_non_null(before);
  assert_non_null(copy);
  memcpy(before, memory, AREA_BYTES);
  memset(memory, 0, AREA_BYTES);
  port_write(model, slot_register(k, QSM_SLOT_MEM_SPLIT), split);
  program_load(model, config, k, 1, PROGRAM_COUNT, LOOPS, BLOCKS, THREADS);
  memcpy(copy, memory, AREA_BYTES);
  memcpy(memory, before, AREA_BYTES);
  uint32_t line = qsm_config_line_bytes(config);
  for (uint32_t at = 0; at < AREA_BYTES; at += line)
    memcpy(memory + qsm_partition_address(config, split, at + shift), copy + at, line);
  for (uint32_t i = 0; i < sizeof registers / sizeof registers[0]; i++)
    port_write(model, slot_register(k, registers[i]),
               port_read(model, slot_register(k, registers[i])) + shift);
  free(before);
  free(copy);
}

static uint32_t word_in_part(struct qsm_model *model, const struct qsm_config *config, uint32_t k,
                             uint32_t split, uint32_t shift, uint32_t index) {
  uint32_t word, at = PROGRAM_DATA + PROGRAM_DATA_BYTES * k + 4 * index + shift;
  memcpy(&word, qsm_model_memory(model) + qsm_partition_address(config, split, at), sizeof word);
  return word;
}

// Each thread has counted its index LOOPS times in its own word, odd ones in the common one.
static void check_output(struct qsm_model *model, const struct qsm_config *config, uint32_t k,
                         uint32_t split, uint32_t shift) {
  assert_int_equal(word_in_part(model, config, k, split, shift, 0), LOOPS * BLOCKS * THREADS / 2);
  for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
    assert_int_equal(word_in_part(model, config, k, split, shift, 1 + i), LOOPS * i);
}

static uint32_t memory_counter(struct qsm_model *model, uint32_t channel, uint32_t k,
                               uint32_t counter) {
  port_write(
      model, QSM_REG_MEM_SELECT,
      channel | k << QSM_REG_MEM_SELECT_SLOT_SHIFT | counter << QSM_REG_MEM_SELECT_COUNTER_SHIFT);
  return port_read(model, QSM_REG_MEM_VALUE);
}

// R-XB-6: half of the memory for slot 0, a quarter each for slots 1 and 2; none sends a request to
// a channel of another, and all find their own lines.
static void tenants_in_parts_share_no_channel(void **state) {
  (void)state;
  enum { L2_REQUESTS = 0, DRAM_READS = 8 };
  static const uint32_t split[] = {1, 2, 2}, channels[] = {0x3, 0x4, 0x8};
  struct qsm_config config = partitioned();
  const uint32_t eighth = config.mem_bytes / 8, shift[] = {0, 4 * eighth, 6 * eighth};
  struct qsm_model *model;
  char msg[256];
  assert_int_equal(config.num_channels, 4);
  if (qsm_model_create(&config, &model, msg, sizeof msg)) fail_msg("%s", msg);
  for (uint32_t k = 0; k < 3; k++) load_in_part(model, &config, k, split[k], shift[k]);
  for (uint32_t k = 0; k < 3; k++) program_launch(model, k);
  for (uint32_t n = 0; n < 3; n++) qsm_model_run(model, 200000, false);
  assert_int_equal(port_read(model, QSM_REG_IRQ), 7);
  for (uint32_t k = 0; k < 3; k++) {
    assert_int_equal(port_read(model, slot_register(k, QSM_SLOT_STATUS)), 0);
    for (uint32_t c = 0; c < 4; c++) {
      bool mine = channels[k] >> c & 1;
      assert_int_equal(memory_counter(model, c, k, L2_REQUESTS) > 0, mine);
      assert_int_equal(memory_counter(model, c, k, DRAM_READS) > 0, mine);
    }
  }
  port_write(model, QSM_REG_L2_FLUSH, 1);
  qsm_model_run(model, 100000, false);
  for (uint32_t k = 0; k < 3; k++) check_output(model, &config, k, split[k], shift[k]);
  qsm_model_destroy(model);
}

// ---- What an SM shows ----

static uint32_t n_requests;

// The event of the request has just been recorded.
static uint32_t check_address(struct rig *rig, const struct qsm_mem_req *req) {
  assert_int_equal(event(rig, QSM_EV_REQ, n_requests++)->word[1], req->addr);
  return MEM_LATENCY;
}

// The kinds of requests for the line at this address, as the kernel knows it; bit per kind.
static uint32_t kinds_for(const struct rig *rig, uint32_t before) {
  uint32_t kinds = 0, after = reference(&rig->config, 2, before);
  for (uint32_t i = 0; i < n_requests; i++) {
    const struct qsm_event *e = event(rig, QSM_EV_REQ, i);
    if (e->word[1] == after) kinds |= 1u << e->word[0] / 16;
  }
  return kinds;
}

enum { LOADED = 1 << QSM_MEM_READ, STORED = 1 << QSM_MEM_WRITE, ADDED = 1 << QSM_MEM_AMO };

// R-XB-6: its requests and their events have the address behind the permutation, of fetches, loads,
// stores and atomics, with an L1 or without; what the L1 shows has the one before.
static void what_leaves_an_sm_has_the_address_behind(void **state) {
  (void)state;
  const uint32_t words[] = {lui(1, DATA),  addi(2, 0, 9), sw(2, 1, 0),    lw(3, 1, 0),
                            addi(3, 3, 1), sw(3, 1, 32),  addi(4, 1, 48), amoadd(5, 4, 3),
                            lw(6, 1, 0),   EXIT};
  for (uint32_t l1 = 0; l1 < 2; l1++) {
    struct rig rig;
    struct qsm_config config = rig_config(1, 4, 4);
    config.num_channels = 4;
    config.partition_bits = log2_of(MEM_BYTES);
    config.l1_kib = l1;
    config.l1_ways = 2;
    rig_open_config(&rig, &config);
    rig.shared.mem_split[0] = 2;
    rig.delay = check_address;
    rig.window = 1;
    n_requests = 0;
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
      *mem_word(&rig, qsm_partition_address(&config, 2, CODE + 4 * i)) = words[i];
    dispatch(&rig, 0, 0);
    run(&rig, 1000);
    assert_int_equal(rig.n_retired, 1);
    assert_int_equal(rig.faulted, 0);
    for (uint32_t at = 0; at < sizeof words; at += 16)
      assert_int_equal(kinds_for(&rig, CODE + at), LOADED);
    assert_int_equal(kinds_for(&rig, DATA), LOADED | STORED);
    assert_int_equal(kinds_for(&rig, DATA + 32), STORED);
    assert_int_equal(kinds_for(&rig, DATA + 48), ADDED);
    assert_int_equal(*mem_word(&rig, qsm_partition_address(&config, 2, DATA + 32)), 10);
    assert_int_equal(*mem_word(&rig, qsm_partition_address(&config, 2, DATA + 48)), 4 * 10);
    for (uint32_t i = 0; i < count_events(&rig, QSM_EV_L1_OP); i++)
      assert_int_equal(event(&rig, QSM_EV_L1_OP, i)->word[1] & ~63u, DATA);
    assert_int_equal(count_events(&rig, QSM_EV_L1_OP) > 0, l1);
    rig_close(&rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(addresses_are_permuted_as_the_rule_says),
      cmocka_unit_test(no_two_lines_meet),
      cmocka_unit_test(tenants_in_parts_share_no_channel),
      cmocka_unit_test(what_leaves_an_sm_has_the_address_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
