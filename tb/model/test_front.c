// SPDX-License-Identifier: Apache-2.0
// Command channels, R-FR-1 to R-FR-20: the whole model with rings, contexts and descriptors in
// memory. Cycles are counted by hand from docs/front.md and docs/xbar.md.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_program.h"
#include "model_support.h"
#include "qsm_mem.h"
#include "qsm_model.h"
#include "qsm_partition.h"
#include "qsm_regs.h"
#include "sm_rig.h"

enum {
  // Offsets in device memory.
  CODE = 0x4000,  // window 0 from here on: a program that ends at once, one that takes its time,
  LONG_CODE = 0x4100,
  FAULT_CODE = 0x4200,  // and one that faults
  DESCRIPTORS = 0x8000,
  WINDOW0_END = 0xC000,
  CONTEXTS = 0x10000,
  RINGS = 0x20000,
  DATA = 0x80000,  // window 1 of channel 0, then those of the others
  DATA_BYTES = 0x1000,

  LOG2 = 4,
  COMMANDS = 1 << LOG2,
  MAX_CHANNELS = 6,
  MAX_EVENTS = 200000,
};

#define BASE QSM_MEM_BASE

struct rig {
  struct qsm_config config;
  struct qsm_model *model;
  uint32_t tail[MAX_CHANNELS];  // commands written, modulo the ring
  uint32_t split;
  uint32_t n_events;
  struct qsm_event *events;  // COMMAND and CHANNEL
};

static void note(void *ctx, const struct qsm_event *event) {
  struct rig *rig = ctx;
  if (event->kind != QSM_EV_COMMAND && event->kind != QSM_EV_CHANNEL) return;
  assert_true(rig->n_events < MAX_EVENTS);
  rig->events[rig->n_events++] = *event;
}

// ---- Memory, where the channels' split has it ----

static uint32_t *word_at(const struct rig *rig, uint32_t addr) {
  uint32_t place;
  qsm_partition_piece(&rig->config, rig->split, addr, 4, &place);
  return (uint32_t *)(void *)(qsm_model_memory(rig->model) + (place - BASE));
}

static void put_words(const struct rig *rig, uint32_t addr, const uint32_t *words, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) *word_at(rig, addr + 4 * i) = words[i];
}

static uint32_t context_addr(uint32_t c) { return BASE + CONTEXTS + 128 * c; }
static uint32_t ring_addr(uint32_t c) { return BASE + RINGS + 0x1000 * c; }
static uint32_t data_addr(uint32_t c) { return BASE + DATA + DATA_BYTES * c; }
static uint32_t descriptor_addr(uint32_t i) { return BASE + DESCRIPTORS + 64 * i; }

static uint32_t *context_word(const struct rig *rig, uint32_t c, uint32_t i) {
  return word_at(rig, context_addr(c) + 4 * i);
}

static void write_context(const struct rig *rig, uint32_t c) {
  uint32_t sms = rig->config.num_sms;
  const uint32_t words[32] = {[0] = 1,
                              [2] = 1,
                              [3] = UINT32_MAX >> (32 - sms),
                              [6] = BASE + CODE,
                              [7] = BASE + WINDOW0_END,
                              [8] = 5,
                              [9] = data_addr(c),
                              [10] = data_addr(c) + DATA_BYTES,
                              [11] = 3,
                              [12] = 15,
                              [13] = 1,
                              [22] = rig->split};
  put_words(rig, context_addr(c), words, 32);
}

static void write_descriptor(const struct rig *rig, uint32_t i, uint32_t entry) {
  const uint32_t words[16] = {BASE + entry, 0, 1, 1, 1, 1, 1, 1, 0};
  put_words(rig, descriptor_addr(i), words, 16);
}

static void write_programs(const struct rig *rig) {
  const uint32_t ends[] = {EXIT};
  const uint32_t lasts[] = {addi(5, 0, 400), addi(5, 5, -1), branch(BNE, 5, 0, -4), EXIT};
  const uint32_t faults[] = {sw(0, 0, 0), EXIT};
  put_words(rig, BASE + CODE, ends, 1);
  put_words(rig, BASE + LONG_CODE, lasts, 4);
  put_words(rig, BASE + FAULT_CODE, faults, 2);
  write_descriptor(rig, 0, CODE);
  write_descriptor(rig, 1, LONG_CODE);
  write_descriptor(rig, 2, FAULT_CODE);
}

// ---- Registers ----

static uint32_t driver(uint32_t c, uint32_t offset) {
  return QSM_CH_BASE + QSM_CH_STRIDE * c + offset;
}
static uint32_t page(uint32_t c, uint32_t offset) {
  return QSM_PAGE_BASE + QSM_PAGE_STRIDE * c + offset;
}

static uint32_t peek(const struct rig *rig, uint32_t addr) {
  return qsm_model_peek(rig->model, addr);
}
static void put(struct rig *rig, uint32_t addr, uint32_t value) {
  port_write(rig->model, addr, value);
}
static void refuse(struct rig *rig, uint32_t addr, uint32_t value) {
  assert_int_equal(qsm_model_write(rig->model, addr, value), 1);
}
static uint64_t now(const struct rig *rig) { return qsm_model_cycle(rig->model); }
static void run(struct rig *rig, uint64_t n) { qsm_model_run(rig->model, n, false); }
static void run_to(struct rig *rig, uint64_t cycle) {
  assert_true(cycle >= now(rig));
  run(rig, cycle - now(rig));
}

static uint32_t flags(const struct rig *rig, uint32_t c) {
  uint32_t value = 0;
  assert_true(qsm_model_state(rig->model, QSM_STATE_FRONT, 0, 0, c, 0, &value));
  return value;
}
enum {
  ENABLED = 1,
  STOPPED = 2,
  SUSPENDED = 4,
  HELD = 8,
  PENDING = 16,
  WAITS = 32,
  BUSY = 64,
  IRQ = 128
};

static uint32_t common(const struct rig *rig, uint32_t word) {
  uint32_t value = 0;
  assert_true(qsm_model_state(rig->model, QSM_STATE_FRONT, 0, 0, rig->config.cmd_channels, word,
                              &value));
  return value;
}

// ---- A rig, channels, commands ----

static void set_ring(struct rig *rig, uint32_t c) {
  put(rig, driver(c, QSM_CH_RING), ring_addr(c) | LOG2 | rig->split << QSM_CH_RING_SPLIT_SHIFT);
  put(rig, driver(c, QSM_CH_CONTEXT), context_addr(c));
}

// Enabled, and cleared.
static void open_channel(struct rig *rig, uint32_t c) {
  write_context(rig, c);
  set_ring(rig, c);
  put(rig, driver(c, QSM_CH_CTRL), 1);
  run(rig, 20);
}

static void open_rig(struct rig *rig, struct qsm_config config, uint32_t channels, uint32_t split) {
  char msg[256];
  config.cmd_channels = channels;
  *rig = (struct rig){.config = config, .split = split};
  rig->events = calloc(MAX_EVENTS, sizeof *rig->events);
  assert_non_null(rig->events);
  if (qsm_model_create(&config, &rig->model, msg, sizeof msg) != 0) fail_msg("%s", msg);
  qsm_model_set_sink(rig->model, note, rig);
  write_programs(rig);
  put(rig, QSM_REG_FRONT_SLOTS, (1u << config.num_kernels) - 1);
  put(rig, QSM_REG_FRONT_MODE, 1);
  for (uint32_t c = 0; c < channels; c++) open_channel(rig, c);
  rig->n_events = 0;
}

static void close_rig(struct rig *rig) {
  qsm_model_destroy(rig->model);
  free(rig->events);
}

static void add(struct rig *rig, uint32_t c, uint32_t w0, uint32_t w1, uint32_t w2) {
  const uint32_t words[8] = {w0, w1, w2};
  put_words(rig, ring_addr(c) + 32 * rig->tail[c], words, 8);
  rig->tail[c] = (rig->tail[c] + 1) % COMMANDS;
}

enum {
  NOP = QSM_COMMAND_NOP,
  LAUNCH = QSM_COMMAND_LAUNCH,
  SET = QSM_COMMAND_SET,
  ACQUIRE = QSM_COMMAND_ACQUIRE,
  RELEASE = QSM_COMMAND_RELEASE,
  WITH_IRQ = 1 << 8,
  WITH_STAMP = 1 << 9,
};

// Returns the cycle of the write.
static uint64_t submit(struct rig *rig, uint32_t c) {
  put(rig, page(c, QSM_PAGE_PUT), rig->tail[c]);
  return now(rig) - 1;
}

static uint64_t submit_one(struct rig *rig, uint32_t c, uint32_t w0, uint32_t w1, uint32_t w2) {
  add(rig, c, w0, w1, w2);
  return submit(rig, c);
}

static uint64_t launch(struct rig *rig, uint32_t c, uint32_t descriptor) {
  return submit_one(rig, c, LAUNCH, descriptor_addr(descriptor), 0);
}

static void settle(struct rig *rig) { run(rig, 8000); }

static void expect_error(const struct rig *rig, uint32_t c, uint32_t code, uint32_t word,
                         uint32_t index) {
  assert_int_equal(peek(rig, driver(c, QSM_CH_ERROR)), code | word << 8 | index << 16);
  assert_int_equal(peek(rig, page(c, QSM_PAGE_WHERE)), code | word << 8 | index << 16);
  assert_int_equal(flags(rig, c) & (STOPPED | IRQ), STOPPED | IRQ);
  assert_int_equal(peek(rig, page(c, QSM_PAGE_GET)), index);
}

// ---- Timing ----

struct step {
  uint32_t state, cycle;  // first cycle of the state, from a base on
};

// The first changes of state since the rig's events were forgotten.
static void expect_steps(const struct rig *rig, uint64_t base, const struct step *steps,
                         uint32_t n) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < rig->n_events && found < n; i++) {
    const struct qsm_event *event = &rig->events[i];
    if (event->kind != QSM_EV_CHANNEL) continue;
    if (event->word[0] != steps[found].state || event->cycle + 1 != base + steps[found].cycle)
      fail_msg("step %u: state %u from cycle %d on, expected %u from %u", found, event->word[0],
               (int)(event->cycle + 1 - base), steps[found].state, steps[found].cycle);
    found++;
  }
  assert_int_equal(found, n);
}
#define EXPECT_STEPS(rig, base, steps) \
  expect_steps(rig, base, steps, sizeof steps / sizeof *steps)

// Cycles from the request for a line to its response, if nobody is in the way: NocLat, grant, port,
// memory, response queue, NocLat.
static uint32_t round_trip(const struct rig *rig) {
  return 2 * rig->config.noc_lat + 2 + rig->config.mem_latency;
}

// Cycles of a load: per line the round trip and its words, and one between two lines.
static uint32_t load_cycles(const struct rig *rig, uint32_t n_words) {
  uint32_t per_line = rig->config.warp_size < n_words ? rig->config.warp_size : n_words;
  uint32_t lines = n_words / per_line;
  return lines * (round_trip(rig) + 1 + per_line);
}

// R-FR-3, R-FR-5, R-FR-6, R-FR-7, R-FR-8, R-FR-19. PUT is written in cycle 0, pending from 1 on.
// Four reads from 2 on, the check in 6, the load of the command from 7 on.
static void a_nop_takes_the_cycles_of_the_page(void **state) {
  (void)state;
  const struct qsm_config configs[] = {model_tiny(), model_demo(), model_wide()};
  for (uint32_t i = 0; i < 3; i++) {
    struct rig rig;
    open_rig(&rig, configs[i], 2, 0);
    uint32_t decode = 7 + load_cycles(&rig, 8);
    uint64_t put_at = submit_one(&rig, 1, NOP | WITH_IRQ, 0, 0);
    assert_int_equal(flags(&rig, 1), ENABLED | PENDING);
    const struct step steps[] = {
        {QSM_FRONT_ROW, 2},
        {QSM_FRONT_CHECK, 6},
        {QSM_FRONT_FETCH, 7},
        {QSM_FRONT_DECODE, decode},
        {QSM_FRONT_FINISH, decode + 1},
        {QSM_FRONT_IDLE, decode + 4},  // GET, DONE read, DONE written
        {QSM_FRONT_ROW, decode + 5},
        {QSM_FRONT_CHECK, decode + 9},  // PUT = GET
        {QSM_FRONT_IDLE, decode + 10},
    };
    run_to(&rig, put_at + decode + 2);
    assert_int_equal(peek(&rig, page(1, QSM_PAGE_GET)), 1);
    assert_int_equal(peek(&rig, driver(1, QSM_CH_DONE)), 0);
    run_to(&rig, put_at + decode + 4);
    assert_int_equal(peek(&rig, driver(1, QSM_CH_DONE)), 1);
    assert_int_equal(peek(&rig, QSM_REG_FRONT_IRQ0), 2);
    assert_int_equal(common(&rig, 1), 0);  // next: after channel 1, of two
    run_to(&rig, put_at + decode + 9);
    assert_int_equal(flags(&rig, 1), ENABLED | PENDING | IRQ);
    run_to(&rig, put_at + decode + 10);
    assert_int_equal(flags(&rig, 1), ENABLED | IRQ);
    settle(&rig);
    EXPECT_STEPS(&rig, put_at, steps);
    assert_int_equal(rig.n_events, sizeof steps / sizeof *steps + 1);
    const struct qsm_event *command = &rig.events[4];
    while (command->kind != QSM_EV_COMMAND) command--;
    assert_int_equal(command->cycle, put_at + decode);
    const uint32_t words[] = {1, 0, NOP | WITH_IRQ, 0, 0};
    assert_memory_equal(command->word, words, sizeof words);
    close_rig(&rig);
  }
}

// R-FR-11, R-FR-10: with the context to be loaded and the slot to be bound, and without either.
static void a_launch_takes_the_cycles_of_the_page(void **state) {
  (void)state;
  const struct qsm_config configs[] = {model_tiny(), model_demo(), model_wide()};
  for (uint32_t i = 0; i < 3; i++) {
    struct rig rig;
    open_rig(&rig, configs[i], 2, 0);
    uint32_t decode = 7 + load_cycles(&rig, 8);
    uint32_t slot = decode + 1 + load_cycles(&rig, 32);
    uint32_t bind = slot + 1, load = bind + 2 * 22;  // 22 registers
    uint32_t look = load + load_cycles(&rig, 16), product = look + 1, start = product + 22;
    uint32_t finish = start + 2 * 14;
    uint64_t put_at = launch(&rig, 0, 1);
    const struct step steps[] = {
        {QSM_FRONT_ROW, 2},           {QSM_FRONT_CHECK, 6},
        {QSM_FRONT_FETCH, 7},         {QSM_FRONT_DECODE, decode},
        {QSM_FRONT_CONTEXT, decode + 1}, {QSM_FRONT_SLOT, slot},
        {QSM_FRONT_BIND, bind},       {QSM_FRONT_LOAD, load},
        {QSM_FRONT_LOOK, look},       {QSM_FRONT_PRODUCT, product},
        {QSM_FRONT_START, start},     {QSM_FRONT_FINISH, finish},
        {QSM_FRONT_IDLE, finish + 1},
    };
    // The first register is SM_MASK_LO, then HI, 2, WIN0_BASE; CTX is the 13th.
    run_to(&rig, put_at + bind + 6);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_WIN0_BASE)), 0);
    run_to(&rig, put_at + bind + 7);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_WIN0_BASE)), BASE + CODE);
    run_to(&rig, put_at + bind + 2 * 12);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CTX)), 0);
    run(&rig, 1);  // its answer is there
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CTX)), 1);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CHANNEL)), 0);
    run(&rig, 1);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CHANNEL)), 0x100);
    run_to(&rig, put_at + finish - 2);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_STATUS)), 0);
    run(&rig, 1);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_STATUS)), 1);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CHANNEL)), 0x100);
    run(&rig, 1);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CHANNEL)), 0x300);
    assert_int_equal(flags(&rig, 0), ENABLED | PENDING | BUSY);
    settle(&rig);
    EXPECT_STEPS(&rig, put_at, steps);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1);
    rig.n_events = 0;
    put_at = launch(&rig, 0, 1);
    const uint32_t start2 = decode + 2 + load_cycles(&rig, 16) + 1 + 22;
    settle(&rig);
    const struct step again[] = {
        {QSM_FRONT_ROW, 2},           {QSM_FRONT_CHECK, 6},
        {QSM_FRONT_FETCH, 7},         {QSM_FRONT_DECODE, decode},
        {QSM_FRONT_SLOT, decode + 1}, {QSM_FRONT_LOAD, decode + 2},
        {QSM_FRONT_LOOK, start2 - 23}, {QSM_FRONT_PRODUCT, start2 - 22},
        {QSM_FRONT_START, start2},    {QSM_FRONT_FINISH, start2 + 28},
        {QSM_FRONT_IDLE, start2 + 29},
    };
    EXPECT_STEPS(&rig, put_at, again);
    close_rig(&rig);
  }
}
