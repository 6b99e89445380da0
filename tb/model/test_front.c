// SPDX-License-Identifier: Apache-2.0
// Command channels, R-FR-1 to R-FR-28: the whole model with rings, contexts and descriptors in
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
#include "qsm_bus.h"
#include "qsm_mem.h"
#include "qsm_model.h"
#include "qsm_partition.h"
#include "qsm_regs.h"

enum {
  // Offsets in device memory.
  CODE = 0x4000,  // window 0 from here on: a program that ends at once, one that takes its time,
  LONG_CODE = 0x4100,
  FAULT_CODE = 0x4200,  // one that faults,
  SPIN_CODE = 0x4300,   // and one that never ends
  DESCRIPTORS = 0x8000,
  WINDOW0_END = 0xC000,
  CONTEXTS = 0x10000,
  RINGS = 0x20000,
  DATA = 0x80000,  // window 1 of channel 0, then those of the others
  DATA_BYTES = 0x1000,
  HOST = 0xA0000,  // host window of channel 0, likewise

  LOG2 = 4,
  COMMANDS = 1 << LOG2,
  SPINS = 15,  // descriptor
  MAX_CHANNELS = 16,
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
static uint32_t host_addr(uint32_t c) { return BASE + HOST + DATA_BYTES * c; }
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
                              [22] = rig->split,
                              [23] = host_addr(c),
                              [24] = host_addr(c) + DATA_BYTES,
                              [25] = 3};
  put_words(rig, context_addr(c), words, 32);
}

static void write_descriptor(const struct rig *rig, uint32_t i, uint32_t entry) {
  const uint32_t words[16] = {BASE + entry, 0, 1, 1, 1, 1, 1, 1, 0};
  put_words(rig, descriptor_addr(i), words, 16);
}

static void write_programs(const struct rig *rig) {
  const uint32_t exit = 0x0000100B;
  const uint32_t ends[] = {exit};
  const uint32_t lasts[] = {0x19000293 /* li t0, 400 */, 0xFFF28293 /* addi t0, t0, -1 */,
                            0xFE029EE3 /* bnez t0, . - 4 */, exit};
  const uint32_t faults[] = {0x00002023 /* sw zero, 0(zero) */, exit};
  put_words(rig, BASE + CODE, ends, 1);
  put_words(rig, BASE + LONG_CODE, lasts, 4);
  const uint32_t spins[] = {0x0000006F /* j . */};
  put_words(rig, BASE + FAULT_CODE, faults, 2);
  put_words(rig, BASE + SPIN_CODE, spins, 1);
  write_descriptor(rig, 0, CODE);
  write_descriptor(rig, 1, LONG_CODE);
  write_descriptor(rig, 2, FAULT_CODE);
  write_descriptor(rig, SPINS, SPIN_CODE);
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
  IRQ = 128,
  FIRST_PRIORITY = 256,
  PRIORITY = 3 * FIRST_PRIORITY,
  RESUMES = 1024,
};

static uint32_t common(const struct rig *rig, uint32_t word) {
  uint32_t value = 0;
  assert_true(
      qsm_model_state(rig->model, QSM_STATE_FRONT, 0, 0, rig->config.cmd_channels, word, &value));
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

static void add_words(struct rig *rig, uint32_t c, const uint32_t *words) {
  put_words(rig, ring_addr(c) + 32 * rig->tail[c], words, 8);
  rig->tail[c] = (rig->tail[c] + 1) % COMMANDS;
}

static void add(struct rig *rig, uint32_t c, uint32_t w0, uint32_t w1, uint32_t w2) {
  const uint32_t words[8] = {w0, w1, w2};
  add_words(rig, c, words);
}

enum {
  NOP = QSM_CMD_NOP,
  LAUNCH = QSM_CMD_LAUNCH,
  SET = QSM_CMD_SET,
  ACQUIRE = QSM_CMD_ACQUIRE,
  RELEASE = QSM_CMD_RELEASE,
  COPY = QSM_CMD_COPY,
  FILL = QSM_CMD_FILL,
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

static void add_copy(struct rig *rig, uint32_t c, uint32_t flags, uint32_t src, uint32_t dst,
                     uint32_t bytes) {
  const uint32_t words[8] = {COPY | flags, src, dst, bytes};
  add_words(rig, c, words);
}

static uint64_t copy(struct rig *rig, uint32_t c, uint32_t src, uint32_t dst, uint32_t bytes) {
  add_copy(rig, c, 0, src, dst, bytes);
  return submit(rig, c);
}

static void add_fill(struct rig *rig, uint32_t c, uint32_t flags, uint32_t dst, uint32_t bytes,
                     uint32_t pattern) {
  const uint32_t words[8] = {FILL | flags, dst, bytes, pattern};
  add_words(rig, c, words);
}

static uint64_t fill(struct rig *rig, uint32_t c, uint32_t dst, uint32_t bytes, uint32_t pattern) {
  add_fill(rig, c, 0, dst, bytes, pattern);
  return submit(rig, c);
}

static void settle(struct rig *rig) { run(rig, 8000); }

// R-FR-2: a new beginning, whatever was before.
static void expect_a_new_beginning(struct rig *rig, uint32_t c) {
  put(rig, driver(c, QSM_CH_CTRL), 0);
  put(rig, driver(c, QSM_CH_CTRL), 1);
  assert_int_equal(peek(rig, page(c, QSM_PAGE_WHERE)), 0);
  assert_int_equal(peek(rig, page(c, QSM_PAGE_STATE)), 0x21);
  run(rig, 20);
  assert_int_equal(peek(rig, page(c, QSM_PAGE_STATE)), 1);
  rig->tail[c] = 0;
  submit_one(rig, c, NOP, 0, 0);
  settle(rig);
  assert_int_equal(peek(rig, driver(c, QSM_CH_DONE)), 1);
}

static void expect_error(const struct rig *rig, uint32_t c, uint32_t code, uint32_t word,
                         uint32_t index) {
  assert_int_equal(peek(rig, driver(c, QSM_CH_ERROR)), code | word << 8 | index << 16);
  assert_int_equal(peek(rig, page(c, QSM_PAGE_WHERE)), code | word << 8 | index << 16);
  assert_int_equal(flags(rig, c) & (STOPPED | IRQ), STOPPED | IRQ);
  assert_int_equal(peek(rig, page(c, QSM_PAGE_GET)), index);
}

static void expect_error_of_launch(const struct rig *rig, uint32_t c, uint32_t error) {
  assert_int_equal(peek(rig, driver(c, QSM_CH_ERROR)), error);
  assert_int_equal(flags(rig, c) & (STOPPED | IRQ | BUSY), STOPPED | IRQ);
  assert_int_equal(peek(rig, page(c, QSM_PAGE_GET)), (error >> 16) + 1);
}

// A long way, so windows of many cycles.
static struct qsm_config far_away(struct qsm_config config) {
  config.noc_lat = 16;
  config.qos_lat = 400;
  config.epoch = 2000;
  return config;
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
#define EXPECT_STEPS(rig, base, steps) expect_steps(rig, base, steps, sizeof steps / sizeof *steps)

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
    uint32_t bind = slot + 1, count = bind + 3 * 22;  // 22 registers
    uint32_t load = count + rig.config.num_sms;
    uint32_t look = load + load_cycles(&rig, 16), product = look + 1, limit = product + 22;
    uint32_t start = limit + 1;
    uint32_t finish = start + 3 * 17;
    uint64_t put_at = launch(&rig, 0, 1);
    const struct step steps[] = {
        {QSM_FRONT_ROW, 2},
        {QSM_FRONT_CHECK, 6},
        {QSM_FRONT_FETCH, 7},
        {QSM_FRONT_DECODE, decode},
        {QSM_FRONT_CONTEXT, decode + 1},
        {QSM_FRONT_SLOT, slot},
        {QSM_FRONT_BIND, bind},
        {QSM_FRONT_COUNT, count},
        {QSM_FRONT_LOAD, load},
        {QSM_FRONT_LOOK, look},
        {QSM_FRONT_PRODUCT, product},
        {QSM_FRONT_LIMIT, limit},
        {QSM_FRONT_START, start},
        {QSM_FRONT_FINISH, finish},
        {QSM_FRONT_IDLE, finish + 1},
    };
    // The first register is SM_MASK_LO, then HI, 2, WIN0_BASE; CTX is the 13th.
    run_to(&rig, put_at + bind + 3 * 3 + 1);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_WIN0_BASE)), 0);
    run(&rig, 1);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_WIN0_BASE)), BASE + CODE);
    run_to(&rig, put_at + bind + 3 * 12 + 1);
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
    assert_int_equal(flags(&rig, 0), ENABLED | PENDING);
    run(&rig, 1);  // GET is written
    assert_int_equal(flags(&rig, 0), ENABLED | PENDING | BUSY);
    settle(&rig);
    EXPECT_STEPS(&rig, put_at, steps);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1);
    rig.n_events = 0;
    put_at = launch(&rig, 0, 1);
    const uint32_t limit2 = decode + 2 + load_cycles(&rig, 16) + 1 + 22, start2 = limit2 + 1;
    settle(&rig);
    const struct step again[] = {
        {QSM_FRONT_ROW, 2},
        {QSM_FRONT_CHECK, 6},
        {QSM_FRONT_FETCH, 7},
        {QSM_FRONT_DECODE, decode},
        {QSM_FRONT_SLOT, decode + 1},
        {QSM_FRONT_LOAD, decode + 2},
        {QSM_FRONT_LOOK, limit2 - 23},
        {QSM_FRONT_PRODUCT, limit2 - 22},
        {QSM_FRONT_LIMIT, limit2},
        {QSM_FRONT_START, start2},
        {QSM_FRONT_FINISH, start2 + 51},
        {QSM_FRONT_IDLE, start2 + 52},
    };
    EXPECT_STEPS(&rig, put_at, again);
    close_rig(&rig);
  }
}

// ---- The host keeps the front end off (R-FR-27, R-CP-13) ----

// A read, refused or not, that is chosen in the next cycle and done in this one.
static void read_in(struct rig *rig, uint64_t cycle, uint32_t addr) {
  uint32_t ignored;
  qsm_model_read(rig->model, addr, &ignored);
  assert_int_equal(now(rig), cycle + 1);
}

// R-FR-1, R-FR-6, R-FR-27, R-CP-13: an access of the host to the table costs a read of the row a
// cycle, in the next it has none; an access to a flip-flop, or to no register, costs none.
static void the_host_comes_first_at_the_table(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  uint64_t put_at = submit_one(&rig, 0, NOP, 0, 0);
  read_in(&rig, put_at + 2, page(0, QSM_PAGE_STATE));        // word 0 in 3
  read_in(&rig, put_at + 4, driver(0, QSM_CH_CTRL));         // word 1 in 5
  read_in(&rig, put_at + 6, driver(0, QSM_CH_COPY_HI) + 4);  // no register: word 2 in 6
  refuse(&rig, page(1, QSM_PAGE_GET), 0);                    // in 8: refused, but the port's
  assert_int_equal(now(&rig), put_at + 9);                   // word 3 in 7, the check in 9
  read_in(&rig, put_at + 10, driver(2, QSM_CH_DONE));        // no channel
  read_in(&rig, put_at + 12, driver(1, QSM_CH_DONE));        // nobody wants the port
  const struct step steps[] = {{QSM_FRONT_ROW, 2},
                               {QSM_FRONT_CHECK, 8},
                               {QSM_FRONT_FETCH, 10},
                               {QSM_FRONT_DECODE, 10 + load_cycles(&rig, 8)}};
  settle(&rig);
  EXPECT_STEPS(&rig, put_at, steps);
  close_rig(&rig);
}

// R-FR-11, R-FR-27, R-CP-13: any access of the host puts the choice of a register's write off by a
// cycle, the write and its answer not.
static void the_host_comes_first_at_the_registers(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  uint32_t bind = 7 + load_cycles(&rig, 8) + 1 + load_cycles(&rig, 32) + 1;
  uint64_t put_at = launch(&rig, 0, 0);
  run_to(&rig, put_at + bind);
  read_in(&rig, put_at + bind + 1, 0xFFFF0);     // chosen in 0, the first register in 1
  read_in(&rig, put_at + bind + 3, QSM_REG_ID);  // chosen in 2, in which the register is written
  read_in(&rig, put_at + bind + 5, QSM_REG_ID);  // chosen in 4, the second register in 5
  run_to(&rig, put_at + bind + 12);              // the third in 8, the fourth in 11: WIN0_BASE
  assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_WIN0_BASE)), 0);
  run(&rig, 1);
  assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_WIN0_BASE)), BASE + CODE);
  close_rig(&rig);
}
// R-FR-27, R-CP-13: a tenant writes its PUT in each access of the port, though its ring is empty.
// Another's nop waits for it one cycle per access of the table, and for an empty row per turn.
static void a_tenant_that_writes_put_all_the_time_stops_nobody(void **state) {
  (void)state;
  enum { NOPS = 8 };
  const struct qsm_config configs[] = {model_tiny(), model_demo(), far_away(model_tiny())};
  for (uint32_t i = 0; i < sizeof configs / sizeof *configs; i++) {
    struct rig rig;
    open_rig(&rig, configs[i], 2, 0);
    for (uint32_t n = 0; n < NOPS; n++) add(&rig, 1, NOP, 0, 0);
    uint64_t put_at = submit(&rig, 1);
    // Words of the row in 3, 5, 7, 9, the check in 11: free are the cycles with an odd number.
    const uint32_t decode = 12 + load_cycles(&rig, 8), idle = ((decode + 1) | 1) + 5;
    const uint32_t round = idle + 20 - 12;  // from load to load of channel 1's command
    const struct step steps[] = {
        {QSM_FRONT_ROW, 2},
        {QSM_FRONT_CHECK, 10},
        {QSM_FRONT_FETCH, 12},
        {QSM_FRONT_DECODE, decode},
        {QSM_FRONT_FINISH, decode + 1},
        {QSM_FRONT_IDLE, idle},     // GET, DONE read, DONE written
        {QSM_FRONT_ROW, idle + 1},  // of the empty ring
        {QSM_FRONT_CHECK, idle + 8},
        {QSM_FRONT_IDLE, idle + 10},
        {QSM_FRONT_ROW, idle + 11},
        {QSM_FRONT_CHECK, idle + 18},
        {QSM_FRONT_FETCH, idle + 20},
    };
    uint64_t all_done = put_at + (NOPS - 1) * round + idle;
    while (now(&rig) < all_done) {
      uint64_t before = now(&rig);
      put(&rig, page(0, QSM_PAGE_PUT), 0);
      assert_int_equal(now(&rig), before + 2);
      uint32_t done = peek(&rig, driver(1, QSM_CH_DONE));
      assert_int_equal(done, (now(&rig) + round - idle - put_at) / round);
    }
    assert_int_equal(peek(&rig, driver(1, QSM_CH_DONE)), NOPS);
    assert_int_equal(flags(&rig, 0), ENABLED | PENDING);
    EXPECT_STEPS(&rig, put_at, steps);
    close_rig(&rig);
  }
}

// R-FR-27, R-CP-13: a host that reads all the time, a register of the GPU or of the table. Each
// register of a launch takes four cycles: chosen in one of even number, written, its answer, kept
// off.
static void a_host_that_reads_all_the_time_lets_a_launch_begin(void **state) {
  (void)state;
  for (uint32_t table = 0; table < 2; table++) {
    struct rig rig;
    open_rig(&rig, model_demo(), 2, 0);
    uint32_t fetch = table ? 12 : 7, decode = fetch + load_cycles(&rig, 8);
    uint32_t slot = decode + 1 + load_cycles(&rig, 32), bind = slot + 1;
    uint32_t count = bind + bind % 2 + 4 * 22 - 1;
    uint32_t load = count + rig.config.num_sms, look = load + load_cycles(&rig, 16);
    uint32_t product = look + 1, limit = product + 22;
    uint32_t start = (table ? limit | 1 : limit) + 1;
    uint32_t finish = start + start % 2 + 4 * 17 - 1;
    uint64_t put_at = launch(&rig, 0, 1);
    const struct step steps[] = {
        {QSM_FRONT_ROW, 2},
        {QSM_FRONT_CHECK, table ? 10 : 6},
        {QSM_FRONT_FETCH, fetch},
        {QSM_FRONT_DECODE, decode},
        {QSM_FRONT_CONTEXT, decode + 1},
        {QSM_FRONT_SLOT, slot},
        {QSM_FRONT_BIND, bind},
        {QSM_FRONT_COUNT, count},
        {QSM_FRONT_LOAD, load},
        {QSM_FRONT_LOOK, look},
        {QSM_FRONT_PRODUCT, product},
        {QSM_FRONT_LIMIT, limit},
        {QSM_FRONT_START, start},
        {QSM_FRONT_FINISH, finish},
        {QSM_FRONT_IDLE, (table ? finish | 1 : finish) + 1},
    };
    while (now(&rig) <= put_at + finish + 3)
      port_read(rig.model, table ? driver(1, QSM_CH_DONE) : QSM_REG_ID);
    EXPECT_STEPS(&rig, put_at, steps);
    close_rig(&rig);
  }
}

// ---- What stops a channel (R-FR-16) ----

struct broken {
  const char *name;
  uint32_t word[8];         // of the command
  uint32_t context, value;  // a word of the context that is changed, 0: none
  uint32_t code, where;
};

// R-FR-7, R-FR-9, R-FR-10, R-FR-12, R-FR-16, R-FR-23.
static void a_broken_command_stops_its_channel_and_no_other(void **state) {
  (void)state;
  const uint32_t data = data_addr(0), end = data + DATA_BYTES, desc = descriptor_addr(0);
  const uint32_t host = host_addr(0), host_end = host + DATA_BYTES;
  const struct broken cases[] = {
      {"opcode", {QSM_FRONT_OPCODE_COUNT}, 0, 0, QSM_STOP_BAD_COMMAND, 0},
      {"opcode 255", {255}, 0, 0, QSM_STOP_BAD_COMMAND, 0},
      {"bit 10", {NOP | 1 << 10}, 0, 0, QSM_STOP_BAD_COMMAND, 0},
      {"bit 31", {ACQUIRE | 1u << 31, data}, 0, 0, QSM_STOP_BAD_COMMAND, 0},
      {"two words of a nop", {NOP, 0, 1, 1}, 0, 0, QSM_STOP_BAD_COMMAND, 2},
      {"word 1 of a nop", {NOP, 1}, 0, 0, QSM_STOP_BAD_COMMAND, 1},
      {"word 2 of a launch", {LAUNCH, desc, 1}, 0, 0, QSM_STOP_BAD_COMMAND, 2},
      {"word 3 of a set", {SET, 0, 0, 1}, 0, 0, QSM_STOP_BAD_COMMAND, 3},
      {"word 7 of an acquire", {ACQUIRE, data, 0, 0, 0, 0, 0, 1}, 0, 0, QSM_STOP_BAD_COMMAND, 7},
      {"word 4 of a release", {RELEASE, data, 0, 0, 9}, 0, 0, QSM_STOP_BAD_COMMAND, 4},
      {"acquire between words", {ACQUIRE, data + 2}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"acquire below", {ACQUIRE, data - 4}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"acquire above", {ACQUIRE, end}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"acquire in window 0", {ACQUIRE, desc}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"acquire without read", {ACQUIRE, data}, 11, 2, QSM_STOP_BAD_ADDRESS, 1},
      {"release without write", {RELEASE, data}, 11, 1, QSM_STOP_BAD_ADDRESS, 1},
      {"release above", {RELEASE, end}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"stamp on 8", {RELEASE | WITH_STAMP, data + 8}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"stamp over the end",
       {RELEASE | WITH_STAMP, end - 16},
       10,
       end - 8,
       QSM_STOP_BAD_ADDRESS,
       1},
      {"descriptor on 32", {LAUNCH, desc + 32}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"descriptor nowhere", {LAUNCH, BASE + WINDOW0_END}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"descriptor over the end", {LAUNCH, end - 64}, 10, end - 32, QSM_STOP_BAD_ADDRESS, 1},
      {"descriptor without read", {LAUNCH, desc}, 8, 4, QSM_STOP_BAD_ADDRESS, 1},
      {"set 6", {SET, 6}, 0, 0, QSM_STOP_NO_RIGHT, 6},
      {"set 0x1234", {SET, 0x1234}, 0, 0, QSM_STOP_NO_RIGHT, 0x34},
      {"goal", {SET, 0}, 12, 14, QSM_STOP_NO_RIGHT, 0},
      {"budget", {SET, 1}, 12, 13, QSM_STOP_NO_RIGHT, 1},
      {"mask lo", {SET, 2}, 12, 11, QSM_STOP_NO_RIGHT, 2},
      {"mask hi", {SET, 3}, 12, 11, QSM_STOP_NO_RIGHT, 3},
      {"mask 2", {SET, 4}, 12, 11, QSM_STOP_NO_RIGHT, 4},
      {"cache policy", {SET, 5}, 12, 7, QSM_STOP_NO_RIGHT, 5},
      {"copy of nothing", {COPY, data, host, 0, 0, 1}, 0, 0, QSM_STOP_BAD_COMMAND, 3},
      {"fill of nothing", {FILL, data, 0, 5}, 0, 0, QSM_STOP_BAD_COMMAND, 2},
      {"word 4 of a copy", {COPY, data, host, 4, 1}, 0, 0, QSM_STOP_BAD_COMMAND, 4},
      {"word 7 of a fill", {FILL, data, 4, 1, 0, 0, 0, 1}, 0, 0, QSM_STOP_BAD_COMMAND, 7},
      {"bit 12 of a copy of nothing", {COPY | 1 << 12, data, host}, 0, 0, QSM_STOP_BAD_COMMAND, 0},
      {"source below", {COPY, data - 1, host, 1}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"source over the end", {COPY, end - 3, host, 4}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"destination below", {COPY, data, host - 1, 2}, 0, 0, QSM_STOP_BAD_ADDRESS, 2},
      {"destination over the end", {COPY, data, host_end - 3, 4}, 0, 0, QSM_STOP_BAD_ADDRESS, 2},
      {"neither", {COPY, end, host_end, 1}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"to window 0", {COPY, data, desc, 1}, 0, 0, QSM_STOP_BAD_ADDRESS, 2},
      {"source without read", {COPY, host, data, 8}, 25, 2, QSM_STOP_BAD_ADDRESS, 1},
      {"destination without write", {COPY, host, data, 8}, 11, 1, QSM_STOP_BAD_ADDRESS, 2},
      {"over 2^32", {COPY, data, 0xFFFFFFFC, 8}, 24, 0xFFFFFFFF, QSM_STOP_BAD_ADDRESS, 2},
      {"all there is", {COPY, data, data, 0xFFFFFFFF}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"fill below", {FILL, data - 1, 2, 9}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"fill over the end", {FILL, host_end - 1, 2, 9}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"fill of window 0", {FILL, desc, 4, 9}, 0, 0, QSM_STOP_BAD_ADDRESS, 1},
      {"fill without write", {FILL, host, 4, 9}, 25, 1, QSM_STOP_BAD_ADDRESS, 1},
      {"a window that ends before it begins", {FILL, data, 1}, 10, data, QSM_STOP_BAD_ADDRESS, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct broken *it = &cases[i];
    struct rig rig;
    open_rig(&rig, model_tiny(), 2, 0);
    if (it->context) *context_word(&rig, 0, it->context) = it->value;
    add(&rig, 0, NOP, 0, 0);
    put_words(&rig, ring_addr(0) + 32, it->word, 8);
    rig.tail[0] = 2;
    add(&rig, 0, NOP, 0, 0);
    submit(&rig, 0);
    settle(&rig);
    print_message("%s\n", it->name);
    expect_error(&rig, 0, it->code, it->where, 1);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1);
    assert_int_equal(peek(&rig, QSM_REG_FRONT_IRQ0), 1);
    submit_one(&rig, 1, NOP, 0, 0);
    settle(&rig);
    assert_int_equal(peek(&rig, driver(1, QSM_CH_DONE)), 1);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CHANNEL)), 0);
    assert_int_equal(flags(&rig, 0) & BUSY, 0);
    expect_a_new_beginning(&rig, 0);
    close_rig(&rig);
  }
}

// R-FR-6, R-FR-16: the command at GET is not fetched.
static void an_index_outside_of_the_ring_stops_the_channel(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 1, 0);
  put(&rig, page(0, QSM_PAGE_PUT), COMMANDS);
  uint64_t put_at = now(&rig) - 1;
  const struct step steps[] = {
      {QSM_FRONT_ROW, 2}, {QSM_FRONT_CHECK, 6}, {QSM_FRONT_STOP, 7}, {QSM_FRONT_IDLE, 8}};
  run(&rig, 7);
  assert_int_equal(flags(&rig, 0) & STOPPED, STOPPED);
  settle(&rig);
  EXPECT_STEPS(&rig, put_at, steps);
  expect_error(&rig, 0, QSM_STOP_BAD_PUT, 0, 0);
  refuse(&rig, page(0, QSM_PAGE_PUT), 0x10000);
  close_rig(&rig);
}

struct refusal {
  uint32_t word, value, offset;
};

// R-FR-11, R-FR-13, R-FR-16: each register that the context goes to, with a value that it refuses.
static void a_refused_context_stops_the_channel_and_leaves_the_slot(void **state) {
  (void)state;
  const struct refusal cases[] = {
      {3, 2, QSM_SLOT_SM_MASK_LO},
      {4, 1, QSM_SLOT_SM_MASK_HI},
      {5, 1, QSM_SLOT_SM_MASK_2},
      {6, BASE + 4, QSM_SLOT_WIN0_BASE},
      {7, BASE + WINDOW0_END + 8, QSM_SLOT_WIN0_LIMIT},
      {8, 9, QSM_SLOT_WIN0_RIGHTS},
      {9, 1, QSM_SLOT_WIN1_BASE},
      {10, 1, QSM_SLOT_WIN1_LIMIT},
      {11, 8, QSM_SLOT_WIN1_RIGHTS},
      {2, 0, QSM_SLOT_FIRST_QUOTA},
      {22, 1, QSM_SLOT_MEM_SPLIT},
      {0, 16, QSM_SLOT_CTX},
      {13, 0, QSM_SLOT_BUDGET},
      {15, 1, QSM_SLOT_SAVE_BASE},
      {16, 1, QSM_SLOT_SAVE_LIMIT},
      {17, 2, QSM_SLOT_IDEMPOTENT},
      {18, 4, QSM_SLOT_CACHE_POLICY},
      {19, 1, QSM_SLOT_STACK},
      {20, 2, QSM_SLOT_SM_COUNT},
      {21, 5, QSM_SLOT_WARP_CAP},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig rig;
    open_rig(&rig, model_tiny(), 2, 0);
    *context_word(&rig, 0, cases[i].word) = cases[i].value;
    launch(&rig, 0, 0);
    settle(&rig);
    expect_error(&rig, 0, QSM_STOP_REFUSED, cases[i].offset, 0);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CTX)), 0);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CHANNEL)) & 0x100, 0);
    uint32_t n = rig.n_events;
    assert_int_equal(rig.events[n - 1].word[0], QSM_FRONT_IDLE);
    assert_int_equal(rig.events[n - 2].word[0], QSM_FRONT_UNBIND);
    assert_int_equal(rig.events[n - 3].word[0], QSM_FRONT_STOP);
    assert_int_equal(rig.events[n - 2].cycle - rig.events[n - 3].cycle, 1);
    assert_int_equal(rig.events[n - 1].cycle - rig.events[n - 2].cycle, 3);
    close_rig(&rig);
  }
}

// R-FR-10, R-FR-11: likewise of a descriptor. A channel whose slot was bound before keeps it.
static void a_refused_descriptor_stops_the_channel(void **state) {
  (void)state;
  const struct refusal cases[] = {
      {0, BASE + 2, QSM_SLOT_ENTRY},
      {2, 0, QSM_SLOT_GRID_X},
      {3, 0x10000, QSM_SLOT_GRID_Y},
      {4, 0, QSM_SLOT_GRID_Z},
      {5, 0, QSM_SLOT_BLOCK_X},
      {6, 1025, QSM_SLOT_BLOCK_Y},
      {7, 0x800, QSM_SLOT_BLOCK_Z},
      {5, 17, QSM_SLOT_BLOCK_THREADS},
      {8, 4097, QSM_SLOT_SHARED},
      {8, 4096, 0},
      {5, 16, 0},
      {9, 4, QSM_SLOT_BLOCK_THREADS},  // bad_launch instead
      {15, 1, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig rig;
    open_rig(&rig, model_tiny(), 2, 0);
    bool bound_before = i % 2;
    if (bound_before) launch(&rig, 0, 0);
    settle(&rig);
    *word_at(&rig, descriptor_addr(0) + 4 * cases[i].word) = cases[i].value;
    launch(&rig, 0, 0);
    settle(&rig);
    if (cases[i].word >= 9) {
      expect_error(&rig, 0, QSM_STOP_BAD_LAUNCH, cases[i].word, bound_before);
    } else if (cases[i].offset) {
      expect_error(&rig, 0, QSM_STOP_REFUSED, cases[i].offset, bound_before);
    } else {
      assert_int_equal(flags(&rig, 0), ENABLED);
    }
    bool bound = bound_before || (!cases[i].offset && cases[i].word < 9);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CHANNEL)) >> 8 & 1, bound);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CTX)), bound);
    close_rig(&rig);
  }
}

// R-FR-10: what the front end computes of a block. 1027 = 1024 + 3 has a low part that is not taken
// for a factor.
static void the_front_end_multiplies_the_block(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_wide(), 1, 0);
  const uint32_t words[] = {BASE + CODE, 7, 1, 1, 1, 3, 5, 2, rig.config.shared_bytes / 32 + 1};
  put_words(&rig, descriptor_addr(0), words, 9);
  launch(&rig, 0, 0);
  settle(&rig);
  uint32_t lanes = rig.config.warp_size;
  assert_int_equal(flags(&rig, 0), ENABLED);
  assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_BLOCK_THREADS)), 30);
  assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_BLOCK_WARPS)), (30 + lanes - 1) / lanes);
  assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_SHARED_GRAN)), 2);
  assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_ARG)), 7);
  close_rig(&rig);
}

// R-FR-11: a refused LAUNCH, by budgets of others (R-QW-10).
static void budgets_of_others_stop_a_launch(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_odd(), 3, 0);  // two groups
  for (uint32_t c = 0; c < 3; c++) {
    *context_word(&rig, c, 13) = 1 + c;
    launch(&rig, c, 1);
    run(&rig, 1500);
  }
  expect_error(&rig, 2, QSM_STOP_REFUSED, QSM_SLOT_LAUNCH, 0);
  close_rig(&rig);
}

// ---- Ends of launches ----

// The changes of a slot's `runs`, cycle by cycle: first cycle that starts with it, and first
// without.
static void watch_runs(struct rig *rig, uint32_t k, uint64_t *from, uint64_t *to) {
  while (!(peek(rig, slot_register(k, QSM_SLOT_CHANNEL)) & 0x200)) run(rig, 1);
  *from = now(rig);
  while (peek(rig, slot_register(k, QSM_SLOT_CHANNEL)) & 0x200) run(rig, 1);
  *to = now(rig);
}

// R-FR-14, R-FR-15: and STATUS.busy falls one cycle before runs does.
static void the_time_of_a_launch_is_that_of_its_slot(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  uint64_t from, to, total = 0;
  for (uint32_t i = 0; i < 3; i++) {
    bool faults = i == 2;
    submit_one(&rig, 0, LAUNCH | (i == 1 ? WITH_IRQ : 0), descriptor_addr(faults ? 2 : i), 0);
    watch_runs(&rig, 0, &from, &to);
    total += to - from - 1;
    rig.n_events = 0;
    assert_int_equal(flags(&rig, 0) & BUSY, BUSY);
    assert_int_equal(common(&rig, 2) & 0x400, 0x400);
    run(&rig, 20);
    // ended is seen in `to`: one SM, seven words read and written, and one more written where it
    // was killed.
    uint32_t last = 2 + 14 + faults;
    const struct step steps[] = {{QSM_FRONT_COUNT, 1}, {QSM_FRONT_END, 2}, {QSM_FRONT_IDLE, last}};
    EXPECT_STEPS(&rig, to, steps);
    assert_int_equal(common(&rig, 2) & 0x700, 0x100);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_BUSY_LO)), total);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_BUSY_HI)), 0);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), i + 1);
    assert_int_equal(flags(&rig, 0) & (BUSY | IRQ | STOPPED),
                     (i ? IRQ : 0) | (faults ? STOPPED : 0));
  }
  assert_int_equal(
      peek(&rig, driver(0, QSM_CH_ERROR)),
      QSM_STOP_FAULT | peek(&rig, slot_register(0, QSM_SLOT_FAULT_CAUSE)) << 8 | 2 << 16);
  close_rig(&rig);
}

// R-FR-14: the corner case of KILL.
static void a_killed_launch_stops_its_channel(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  launch(&rig, 1, 1);
  while (!(peek(&rig, slot_register(0, QSM_SLOT_CHANNEL)) & 0x200)) run(&rig, 1);
  put(&rig, slot_register(0, QSM_SLOT_KILL), 1);
  settle(&rig);
  assert_int_equal(peek(&rig, driver(1, QSM_CH_ERROR)), QSM_STOP_FAULT | 24 << 8);
  assert_int_equal(peek(&rig, page(1, QSM_PAGE_GET)), 1);
  close_rig(&rig);
}

// ---- Slots ----

static uint32_t channel_of(const struct rig *rig, uint32_t k) {
  return peek(rig, slot_register(k, QSM_SLOT_CHANNEL));
}

// R-FR-11, exclusive: all fetching is stalled by a launch that finds another one; a nop before it
// is done. Concurrent: both run.
static void the_mode_says_how_many_launches_run(void **state) {
  (void)state;
  for (uint32_t concurrent = 0; concurrent < 2; concurrent++) {
    struct rig rig;
    open_rig(&rig, model_tiny(), 3, 0);
    put(&rig, QSM_REG_FRONT_MODE, concurrent);
    launch(&rig, 0, 1);
    while (!(channel_of(&rig, 0) & 0x200)) run(&rig, 1);
    launch(&rig, 1, 1);
    run(&rig, 150);  // it has been fetched
    submit_one(&rig, 2, NOP, 0, 0);
    uint32_t most = 0;
    for (uint32_t i = 0; i < 20000; i++) {
      run(&rig, 1);
      uint32_t n = 0;
      for (uint32_t k = 0; k < 4; k++) n += channel_of(&rig, k) >> 9 & 1;
      if (n > most) most = n;
      if (!concurrent && channel_of(&rig, 0) >> 9 & 1) {
        assert_int_equal(peek(&rig, driver(2, QSM_CH_DONE)), 0);
      }
    }
    assert_int_equal(most, 1 + concurrent);
    for (uint32_t c = 0; c < 3; c++) assert_int_equal(peek(&rig, driver(c, QSM_CH_DONE)), 1);
    assert_int_equal(channel_of(&rig, 0), 0x100);
    assert_int_equal(channel_of(&rig, 1), 0x101);
    close_rig(&rig);
  }
}

// R-FR-11: FRONT_MODE is looked at in SLOT, in each cycle.
static void a_change_of_mode_lets_a_launch_go_on(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  put(&rig, QSM_REG_FRONT_MODE, 0);
  launch(&rig, 0, 1);
  while (!(channel_of(&rig, 0) & 0x200)) run(&rig, 1);
  launch(&rig, 1, 1);
  while (common(&rig, 0) != QSM_FRONT_SLOT) run(&rig, 1);
  run(&rig, 10);
  assert_int_equal(common(&rig, 0), QSM_FRONT_SLOT);
  put(&rig, QSM_REG_FRONT_MODE, 1);
  assert_int_equal(common(&rig, 0), QSM_FRONT_SLOT);
  run(&rig, 1);
  assert_int_equal(common(&rig, 0), QSM_FRONT_BIND);
  close_rig(&rig);
}

// R-FR-11, cases 1 to 4, and R-FR-20: three channels on one slot. Whose launch finds it taken
// waits, keeps the turn, and binds the slot when it has ended.
static void three_channels_take_turns_on_one_slot(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 3, 0);
  put(&rig, QSM_REG_FRONT_SLOTS, 2);
  for (uint32_t c = 0; c < 3; c++)
    for (uint32_t i = 0; i < 2; i++) add(&rig, c, LAUNCH, descriptor_addr(1), 0);
  for (uint32_t c = 0; c < 3; c++) submit(&rig, c);
  uint32_t order[16], n = 0, waited = 0, before = 0;
  for (uint32_t i = 0; i < 30000; i++) {
    run(&rig, 1);
    uint32_t value = channel_of(&rig, 1);
    if ((value & 0x200) && !(before & 0x200)) order[n++] = value & 0xFF;
    before = value;
    for (uint32_t c = 0; c < 3; c++) waited |= (flags(&rig, c) & WAITS) ? 1u << c : 0;
    assert_int_equal(channel_of(&rig, 0) | channel_of(&rig, 2) | channel_of(&rig, 3), 0);
  }
  assert_int_equal(n, 6);
  const uint32_t expected[] = {0, 1, 2, 0, 1, 2};
  assert_memory_equal(order, expected, sizeof expected);
  assert_int_not_equal(waited, 0);
  for (uint32_t c = 0; c < 3; c++) {
    assert_int_equal(peek(&rig, driver(c, QSM_CH_DONE)), 2);
    assert_int_equal(flags(&rig, c), ENABLED);
  }
  close_rig(&rig);
}

// R-FR-11, case 3: BIND begins with CTX = 0, one register more; the owner changes with the answer
// to CTX alone.
static void a_bound_slot_is_taken_over_with_its_context(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  put(&rig, QSM_REG_FRONT_SLOTS, 1);
  launch(&rig, 0, 0);
  settle(&rig);
  assert_int_equal(channel_of(&rig, 0), 0x100);
  launch(&rig, 1, 0);
  while (common(&rig, 0) != QSM_FRONT_BIND) run(&rig, 1);
  run(&rig, 1);
  assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CTX)), 1);
  run(&rig, 1);
  assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CTX)), 0);
  assert_int_equal(channel_of(&rig, 0), 0x100);
  run(&rig, 1);
  assert_int_equal(channel_of(&rig, 0), 0);
  run(&rig, 3 * 13 - 1);
  assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CTX)), 1);
  assert_int_equal(channel_of(&rig, 0), 0);
  run(&rig, 1);
  assert_int_equal(channel_of(&rig, 0), 0x101);
  while (common(&rig, 0) == QSM_FRONT_BIND) run(&rig, 1);
  settle(&rig);
  assert_int_equal(peek(&rig, driver(1, QSM_CH_DONE)), 1);
  close_rig(&rig);
}

// R-FR-5, R-FR-13.
static void a_slot_is_unbound_when_it_is_not_to_be_used_any_more(void **state) {
  (void)state;
  for (uint32_t way = 0; way < 2; way++) {
    struct rig rig;
    open_rig(&rig, model_tiny(), 2, 0);
    launch(&rig, 0, 1);
    while (!(channel_of(&rig, 0) & 0x200)) run(&rig, 1);
    if (way) {
      put(&rig, driver(0, QSM_CH_CTRL), 0);
    } else {
      put(&rig, QSM_REG_FRONT_SLOTS, 0xE);
    }
    run(&rig, 100);
    assert_int_equal(channel_of(&rig, 0), 0x300);  // it runs on
    while (channel_of(&rig, 0) & 0x200) run(&rig, 1);
    rig.n_events = 0;
    uint64_t fell = now(&rig);
    // COUNT in 1, END from 2 on for 14 cycles, idle in 16, CTX = 0 is chosen in 17, its answer
    // in 19.
    const struct step steps[] = {{QSM_FRONT_COUNT, 1},
                                 {QSM_FRONT_END, 2},
                                 {QSM_FRONT_IDLE, 16},
                                 {QSM_FRONT_UNBIND, 17},
                                 {QSM_FRONT_IDLE, 20}};
    run(&rig, 19);
    assert_int_equal(channel_of(&rig, 0), 0x100);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CTX)), 0);
    run(&rig, 20);
    EXPECT_STEPS(&rig, fell, steps);
    assert_int_equal(channel_of(&rig, 0), 0);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1);
    close_rig(&rig);
  }
}

// R-FR-11: a slot that the host runs is refused, and stays the host's; in FRONT_SLOTS it should not
// be. Beside it the front end uses others.
static void slots_of_the_host_are_left_alone(void **state) {
  (void)state;
  for (uint32_t in_front_slots = 0; in_front_slots < 2; in_front_slots++) {
    struct rig rig;
    open_rig(&rig, model_tiny(), 2, 0);
    program_load(rig.model, &rig.config, 0, 1, PROGRAM_SPIN, 200, 4, 4);
    write_programs(&rig);  // on the page of slot 3
    put(&rig, QSM_REG_FRONT_SLOTS, in_front_slots ? 1 : 2);
    program_launch(rig.model, 0);
    launch(&rig, 0, 1);
    run(&rig, 3000);
    if (in_front_slots) {
      expect_error(&rig, 0, QSM_STOP_REFUSED, QSM_SLOT_WIN0_BASE, 0);
      assert_int_equal(channel_of(&rig, 0), 0);
    } else {
      assert_int_equal(channel_of(&rig, 1) & 0x100, 0x100);
    }
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CTX)), 1);
    settle(&rig);
    settle(&rig);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_LAUNCHES)), 1);
    close_rig(&rig);
  }
}

// ---- Copies (R-FR-23, R-FR-24) ----

enum { JOB = 10, COPYING = 0x100, COPIED = 0x200 };  // word of the common state

static uint8_t *byte_at(const struct rig *rig, uint32_t addr) {
  return (uint8_t *)word_at(rig, addr & ~3u) + addr % 4;
}

static void write_pattern(struct rig *rig, uint32_t addr, uint32_t salt) {
  for (uint32_t i = 0; i < DATA_BYTES; i++)
    *byte_at(rig, addr + i) = (uint8_t)((i * 0x9E3779B1u + salt) >> 24);
}

static void await_common(struct rig *rig, uint32_t word, uint32_t mask, uint32_t value) {
  for (uint32_t i = 0; (common(rig, word) & mask) != value; i++) {
    assert_true(i < 20000);
    run(rig, 1);
  }
}

// Cycles in which the DMA engine copied for a channel.
static uint32_t copy_cycles(const struct rig *rig, uint32_t c) {
  assert_int_equal(peek(rig, driver(c, QSM_CH_COPY_HI)), 0);
  return peek(rig, driver(c, QSM_CH_COPY_LO));
}

// R-FR-23, R-FR-24: a copy within the window; RANGE takes six cycles. COPY_END has three words,
// read and written.
static void a_copy_takes_the_cycles_of_the_page(void **state) {
  (void)state;
  const struct qsm_config configs[] = {model_tiny(), model_demo(), model_wide()};
  for (uint32_t i = 0; i < 6; i++) {
    struct rig rig;
    bool fills = i % 2;
    open_rig(&rig, configs[i / 2], 2, 0);
    uint32_t decode = 7 + load_cycles(&rig, 8);
    uint32_t range = decode + 1 + load_cycles(&rig, 32);
    if (fills) {
      add_fill(&rig, 1, WITH_IRQ, data_addr(1), 4, 0x12345678);
    } else {
      add_copy(&rig, 1, WITH_IRQ, data_addr(1), data_addr(1) + 0x100, 4);
    }
    *word_at(&rig, data_addr(1)) = 0x12345678;
    uint64_t put_at = submit(&rig, 1);
    const struct step steps[] = {
        {QSM_FRONT_ROW, 2},
        {QSM_FRONT_CHECK, 6},
        {QSM_FRONT_FETCH, 7},
        {QSM_FRONT_DECODE, decode},
        {QSM_FRONT_CONTEXT, decode + 1},
        {QSM_FRONT_RANGE, range},
        {QSM_FRONT_ENGINE, range + 6},
        {QSM_FRONT_FINISH, range + 7},
        {QSM_FRONT_IDLE, range + 8},
    };
    run_to(&rig, put_at + range + 7);
    assert_int_equal(common(&rig, JOB), 1 | COPYING);
    assert_int_equal(flags(&rig, 1) & BUSY, 0);
    run(&rig, 1);
    assert_int_equal(flags(&rig, 1) & BUSY, BUSY);
    EXPECT_STEPS(&rig, put_at, steps);
    assert_int_equal(peek(&rig, page(1, QSM_PAGE_GET)), 1);
    assert_int_equal(peek(&rig, driver(1, QSM_CH_DONE)), 0);
    await_common(&rig, JOB, COPIED, COPIED);
    // A line is read and written, or written; the sequencer's accesses are over.
    uint64_t done = now(&rig) - 1, since = put_at + range + 7;
    assert_int_equal(done - since, fills ? round_trip(&rig) + 1 : 2 * round_trip(&rig) + 3);
    assert_int_equal(common(&rig, JOB), 1 | COPIED);
    rig.n_events = 0;
    uint64_t at = now(&rig);
    while (common(&rig, 0) != QSM_FRONT_IDLE || (common(&rig, JOB) & COPIED)) run(&rig, 1);
    const struct step end[] = {{QSM_FRONT_COPY_END, 1}, {QSM_FRONT_IDLE, 7}};
    if (rig.events[0].word[0] == QSM_FRONT_COPY_END) EXPECT_STEPS(&rig, at, end);
    assert_int_equal(now(&rig) - at, 7);
    assert_int_equal(common(&rig, JOB), 1);
    assert_int_equal(copy_cycles(&rig, 1), done - since);
    assert_int_equal(peek(&rig, driver(1, QSM_CH_DONE)), 1);
    assert_int_equal(flags(&rig, 1) & (BUSY | IRQ), IRQ);
    assert_int_equal(*word_at(&rig, data_addr(1) + (fills ? 0 : 0x100)), 0x12345678);
    close_rig(&rig);
  }
}

// R-FR-23: device, host and fills at any byte, against memmove and memset; nothing beside it is
// touched.
static void copies_and_fills_move_the_bytes_they_name(void **state) {
  (void)state;
  static uint8_t expected[2][DATA_BYTES];
  struct qsm_config configs[] = {model_tiny(), model_odd(), model_wide()};
  uint64_t seed = model_seed("test_front");
  configs[2].partition_bits = 20;
  configs[2].mem_bytes = 1 << 20;
  for (uint32_t i = 0; i < 4; i++) {
    struct rig rig;
    open_rig(&rig, configs[i < 3 ? i : 2], 2, i == 3 ? 2 : 0);
    const uint32_t bases[] = {data_addr(1), host_addr(1)};
    for (uint32_t j = 0; j < 2; j++) {
      write_pattern(&rig, bases[j], i + j);
      for (uint32_t k = 0; k < DATA_BYTES; k++) expected[j][k] = *byte_at(&rig, bases[j] + k);
    }
    for (uint32_t n = 0; n < 40; n++) {
      uint32_t bytes = 1 + model_random(&seed, model_random(&seed, 3) ? 150 : 1500);
      uint32_t from = model_random(&seed, 2), to = model_random(&seed, 2);
      uint32_t src = model_random(&seed, DATA_BYTES / 2 - bytes),
               dst = DATA_BYTES / 2 + model_random(&seed, DATA_BYTES / 2 - bytes);
      if (model_random(&seed, 3)) {
        copy(&rig, 1, bases[from] + src, bases[to] + dst, bytes);
        memmove(&expected[to][dst], &expected[from][src], bytes);
      } else {
        fill(&rig, 1, bases[to] + dst, bytes, 0x04030201);
        for (uint32_t k = 0; k < bytes; k++) expected[to][dst + k] = (uint8_t)(1 + (dst + k) % 4);
      }
      run(&rig, 1000 + 12 * bytes);
      assert_int_equal(peek(&rig, driver(1, QSM_CH_DONE)), n + 1);
    }
    for (uint32_t j = 0; j < 2; j++)
      for (uint32_t k = 0; k < DATA_BYTES; k++)
        assert_int_equal(*byte_at(&rig, bases[j] + k), expected[j][k]);
    assert_int_equal(flags(&rig, 1), ENABLED);
    close_rig(&rig);
  }
}

// R-DM-7: a line per interval where one side is the host's, as it is from the cycle after the write
// on; the first may be sent at once. Not where both are the device's.
static void the_link_takes_its_time(void **state) {
  (void)state;
  enum { LINES = 12, INTERVAL = 100 };
  struct rig rig;
  open_rig(&rig, model_tiny(), 1, 0);
  uint32_t bytes = LINES * 4 * rig.config.warp_size, before = 0;
  const uint32_t data = data_addr(0), host = host_addr(0);
  const struct {
    uint32_t src, dst;
    bool link;
  } cases[] = {{host, data, true},
               {data, host, true},
               {host, host + 0x800, true},
               {data, data + 0x800, false}};
  assert_int_equal(peek(&rig, QSM_REG_LINK_INTERVAL), 256);
  refuse(&rig, QSM_REG_LINK_INTERVAL, 0);
  refuse(&rig, QSM_REG_LINK_INTERVAL, 1 << 24);
  put(&rig, QSM_REG_LINK_INTERVAL, INTERVAL << 8);
  for (uint32_t i = 0; i < 8; i++) {
    bool fills = i % 2, link = cases[i / 2].link && (!fills || cases[i / 2].dst >= host);
    if (fills) {
      fill(&rig, 0, cases[i / 2].dst, bytes, 7);
    } else {
      copy(&rig, 0, cases[i / 2].src, cases[i / 2].dst, bytes);
    }
    settle(&rig);
    uint32_t cycles = copy_cycles(&rig, 0) - before;
    // The last line is sent after all others' intervals; a copy's is written then, a cycle later.
    uint32_t last = fills ? round_trip(&rig) + 1 : 2 * round_trip(&rig) + 3;
    if (link) assert_int_equal(cycles, (LINES - 1) * INTERVAL + last);
    if (!link) assert_true(cycles < LINES * INTERVAL / 4);
    before += cycles;
  }
  // The fourth line waits for a credit that was made cheaper.
  fill(&rig, 0, host, bytes, 7);
  await_common(&rig, JOB, COPYING, COPYING);
  run(&rig, 2 * INTERVAL + 50);
  put(&rig, QSM_REG_LINK_INTERVAL, 30 << 8);
  settle(&rig);
  // Line 3 goes in 251, with a credit of 51 cycles; line 4 when there are 30 again, in 260.
  assert_int_equal(copy_cycles(&rig, 0) - before,
                   2 * INTERVAL + 60 + 7 * 30 + round_trip(&rig) + 1);
  close_rig(&rig);
}

// R-FR-23: in exclusive mode a copy that finds the engine taken stalls all fetching until it is
// free, and waits for the end of the other's command alone; in concurrent mode it waits, keeps its
// turn, and others go on.
static void a_copy_that_finds_the_engine_taken_waits(void **state) {
  (void)state;
  for (uint32_t concurrent = 0; concurrent < 2; concurrent++) {
    struct rig rig;
    open_rig(&rig, model_tiny(), 4, 0);
    put(&rig, QSM_REG_FRONT_MODE, concurrent);
    put(&rig, QSM_REG_LINK_INTERVAL, 200 << 8);
    copy(&rig, 1, host_addr(1), data_addr(1), 160);
    await_common(&rig, JOB, COPYING, COPYING);
    copy(&rig, 2, data_addr(2), data_addr(2) + 64, 16);
    await_common(&rig, 0, 0xFF, QSM_FRONT_ENGINE);
    run(&rig, 1);
    submit_one(&rig, 3, NOP, 0, 0);
    if (concurrent) {
      assert_int_equal(flags(&rig, 2) & WAITS, WAITS);
      assert_int_equal(common(&rig, 1), 2);  // next
      run(&rig, 200);
      assert_int_equal(peek(&rig, driver(3, QSM_CH_DONE)), 1);
      assert_int_equal(common(&rig, JOB), 1 | COPYING);
    } else {
      assert_int_equal(common(&rig, 0), QSM_FRONT_ENGINE);
      rig.n_events = 0;
      await_common(&rig, JOB, COPIED, COPIED);
      assert_int_equal(peek(&rig, driver(3, QSM_CH_DONE)), 0);
      uint64_t at = now(&rig);
      run(&rig, 10);
      const struct step steps[] = {
          {QSM_FRONT_IDLE, 1}, {QSM_FRONT_COPY_END, 2}, {QSM_FRONT_IDLE, 8}, {QSM_FRONT_ROW, 9}};
      EXPECT_STEPS(&rig, at, steps);
      assert_int_equal(common(&rig, 1), 2);
      assert_int_equal(rig.events[3].word[1], 2);
    }
    assert_int_equal(peek(&rig, driver(2, QSM_CH_DONE)), 0);
    settle(&rig);
    for (uint32_t c = 1; c < 4; c++) assert_int_equal(peek(&rig, driver(c, QSM_CH_DONE)), 1);
    close_rig(&rig);
  }
}

// In both modes a launch and a copy of two channels are done side by side, and the snapshot shows
// both engines (R-FR-17).
static void a_copy_runs_beside_a_launch(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 4; i++) {
    struct rig rig;
    bool copy_first = i / 2;
    open_rig(&rig, model_tiny(), 3, 0);
    put(&rig, QSM_REG_FRONT_MODE, i % 2);
    put(&rig, QSM_REG_LINK_INTERVAL, 100 << 8);
    for (uint32_t j = 0; j < 2; j++) {
      if (copy_first == (j == 0)) {
        copy(&rig, 2, host_addr(2), data_addr(2), 160);
        await_common(&rig, JOB, COPYING, COPYING);
      } else {
        launch(&rig, 1, 1);
        await_common(&rig, 2, 0x200, 0x200);
      }
    }
    put(&rig, QSM_REG_FRONT_SNAP, 1);
    assert_int_equal(peek(&rig, QSM_REG_SNAP_ENGINE), 0x1020101);
    assert_int_equal(peek(&rig, QSM_REG_SNAP_BUSY0), 6);
    settle(&rig);
    put(&rig, QSM_REG_FRONT_SNAP, 1);
    assert_int_equal(peek(&rig, QSM_REG_SNAP_ENGINE), 0x20001);  // who were last
    assert_int_equal(peek(&rig, QSM_REG_SNAP_BUSY0), 0);
    for (uint32_t c = 1; c < 3; c++) assert_int_equal(peek(&rig, driver(c, QSM_CH_DONE)), 1);
    close_rig(&rig);
  }
}

// R-FR-23: a channel that is disabled while it copies: to the end, as the command was.
static void a_disabled_channel_copies_to_the_end(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  write_pattern(&rig, host_addr(0), 5);
  put(&rig, QSM_REG_LINK_INTERVAL, 50 << 8);
  add_copy(&rig, 0, 0, host_addr(0), data_addr(0), 333);
  add(&rig, 0, NOP, 0, 0);
  submit(&rig, 0);
  await_common(&rig, JOB, COPYING, COPYING);
  put(&rig, driver(0, QSM_CH_CTRL), 0);
  put(&rig, driver(0, QSM_CH_RING), ring_addr(1) | LOG2);
  put(&rig, driver(0, QSM_CH_CONTEXT), context_addr(1));
  run(&rig, 300);
  assert_int_equal(flags(&rig, 0) & (ENABLED | BUSY), BUSY);
  settle(&rig);
  assert_int_equal(flags(&rig, 0) & (ENABLED | BUSY), 0);
  assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1);
  for (uint32_t i = 0; i < 333; i++)
    assert_int_equal(*byte_at(&rig, data_addr(0) + i), *byte_at(&rig, host_addr(0) + i));
  assert_int_equal(*word_at(&rig, data_addr(0) + 336), 0);
  set_ring(&rig, 0);
  expect_a_new_beginning(&rig, 0);
  close_rig(&rig);
}

// Its words, while a fill is under way and after it.
static void the_state_of_the_engine_is_seen(void **state) {
  (void)state;
  struct rig rig;
  uint32_t value[5] = {0};
  open_rig(&rig, model_tiny(), 1, 0);
  // R-DM-7: LINK_INTERVAL after reset, of which credit has 255 more at most.
  assert_true(qsm_model_state(rig.model, QSM_STATE_DMA, 0, 0, 0, 3, &value[3]));
  assert_int_equal(value[3], 256 + 255);
  put(&rig, QSM_REG_LINK_INTERVAL, 1000 << 8);
  fill(&rig, 0, host_addr(0), 16 * 5, 1);
  await_common(&rig, JOB, COPYING, COPYING);
  run(&rig, 3);
  for (uint32_t i = 0; i < 4; i++)
    assert_true(qsm_model_state(rig.model, QSM_STATE_DMA, 0, 0, 0, i, &value[i]));
  assert_int_equal(value[0], 1 + 256);
  assert_int_equal(value[1], 0);
  assert_int_equal(value[2], 4);
  assert_int_equal(value[3], 3 * 256);
  assert_false(qsm_model_state(rig.model, QSM_STATE_DMA, 0, 0, 0, 4, &value[4]));
  assert_false(qsm_model_state(rig.model, QSM_STATE_DMA, 0, 0, 1, 0, &value[4]));
  close_rig(&rig);
}

// ---- Counters ----

static uint32_t counter(const struct rig *rig, uint32_t c, uint32_t offset) {
  assert_int_equal(peek(rig, driver(c, offset + 4)), 0);
  return peek(rig, driver(c, offset));
}

enum { LONG_INSNS = 1 + 2 * 400 + 1 };  // of a thread of LONG_CODE

static uint64_t insns_of(const struct rig *rig, uint32_t sm, uint32_t k) {
  uint32_t word[2] = {0};
  for (uint32_t j = 0; j < 2; j++)
    assert_true(qsm_model_state(rig->model, QSM_STATE_INSN, 0, 0, sm, 2 * k + j, &word[j]));
  return word[0] | (uint64_t)word[1] << 32;
}

static uint64_t insns_of_slot(const struct rig *rig, uint32_t k) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < rig->config.num_sms; i++) sum += insns_of(rig, i, k);
  return sum;
}

// As its last event has it.
static uint32_t slot_of_sequencer(const struct rig *rig) {
  return rig->events[rig->n_events - 1].word[2];
}

// R-FR-21, R-FR-22, R-IS-7: of launches of any shape, in slots that others have used before; and
// SM-cycles as one SM after the other shows them.
static void launches_are_counted_exactly(void **state) {
  (void)state;
  const uint32_t shapes[][4] = {{1, 1, 1, 1}, {5, 1, 7, 1}, {3, 2, 5, 3}, {9, 1, 16, 1}};
  for (uint32_t n = 0; n < 3; n++) {
    struct qsm_config config = n == 0 ? model_tiny() : n == 1 ? model_odd() : model_wide();
    uint64_t seen = 0;
    uint32_t sm_cycles = 0;
    for (uint32_t sm = 0; sm < config.num_sms; sm++) {
      struct rig rig;
      uint32_t insns = 0;
      uint64_t resident = 0;
      open_rig(&rig, config, 2, 0);
      put(&rig, QSM_REG_FRONT_SLOTS, 1);
      put(&rig, QSM_REG_SM_SELECT, sm);
      for (uint32_t i = 0; i < 4; i++) {
        const uint32_t *s = shapes[i];
        const uint32_t words[16] = {BASE + LONG_CODE, 0, s[0], s[1], 1, s[2], s[3], 1, 0};
        put_words(&rig, descriptor_addr(3), words, 16);
        for (uint32_t c = 0; c < 2; c++) {
          launch(&rig, c, 3);
          while (!(channel_of(&rig, 0) & 0x200)) run(&rig, 1);
          for (; channel_of(&rig, 0) & 0x200; run(&rig, 1))
            resident +=
                (peek(&rig, QSM_SMSEL_BASE + QSM_SMSEL_TBS) & QSM_SMSEL_TBS_RESIDENT_MASK) != 0;
          settle(&rig);
        }
        insns += s[0] * s[1] * s[2] * s[3] * LONG_INSNS;
        for (uint32_t c = 0; c < 2; c++) assert_int_equal(counter(&rig, c, QSM_CH_INSN_LO), insns);
        assert_int_equal(insns_of_slot(&rig, 0), 2 * insns);
      }
      seen += resident;
      sm_cycles = counter(&rig, 0, QSM_CH_SM_LO) + counter(&rig, 1, QSM_CH_SM_LO);
      close_rig(&rig);
    }
    assert_int_equal(sm_cycles, seen);
  }
}

// R-FR-22: what the host launches in a bound slot is the channel's, at its next end; also when the
// host's launch runs while the slot is counted, wherever windows end.
static void the_hosts_launches_in_a_bound_slot_are_counted(void **state) {
  (void)state;
  for (uint32_t delay = 0; delay < 40; delay += 3) {
    uint32_t first[2], total[2];
    for (uint32_t by_cycle = 0; by_cycle < 2; by_cycle++) {
      struct rig rig;
      open_rig(&rig, far_away(model_odd()), 3, 0);
      put(&rig, QSM_REG_FRONT_SLOTS, 1);
      launch(&rig, 0, 1);
      await_common(&rig, 2, 0x200, 0x200);
      await_common(&rig, 2, 0x200, 0);
      rig.n_events = 0;
      put(&rig, QSM_REG_IRQ, 1);
      put(&rig, slot_register(0, QSM_SLOT_LAUNCH), 1);
      // Reads of the table keep the sequencer in END, but for what it has to do.
      for (uint32_t i = 0; i < delay; i++) port_read(rig.model, driver(2, QSM_CH_DONE));
      for (uint32_t i = 0; i < 60; i++) port_read(rig.model, driver(2, QSM_CH_DONE));
      for (uint32_t i = 0; by_cycle && i < 8000; i++) run(&rig, 1);
      settle(&rig);
      first[by_cycle] = counter(&rig, 0, QSM_CH_INSN_LO);
      put(&rig, QSM_REG_IRQ, 1);
      launch(&rig, 0, 0);
      settle(&rig);
      total[by_cycle] = counter(&rig, 0, QSM_CH_INSN_LO);
      close_rig(&rig);
    }
    assert_int_equal(first[0], first[1]);
    assert_int_equal(total[0], 2 * LONG_INSNS + 1);
    assert_int_equal(total[1], total[0]);
  }
}

// The host has launched something in the slot when COUNT begins: it goes on as it counts, in
// windows of any length. A launch of another channel keeps the sequencer meanwhile.
static void a_slot_is_counted_while_the_host_runs_it(void **state) {
  (void)state;
  uint32_t live = 0, n_seen = 0;
  for (uint32_t at = 0; at < 240; at += 8) {
    uint32_t first[2];
    for (uint32_t by_cycle = 0; by_cycle < 2; by_cycle++) {
      struct rig rig;
      open_rig(&rig, far_away(model_odd()), 3, 0);
      put(&rig, QSM_REG_FRONT_SLOTS, 3);
      launch(&rig, 0, 0);
      await_common(&rig, 2, 0x200, 0x200);
      run(&rig, at);
      launch(&rig, 1, 0);
      while (peek(&rig, slot_register(0, QSM_SLOT_STATUS)) & 1) run(&rig, 1);
      put(&rig, QSM_REG_IRQ, 1);
      put(&rig, slot_register(0, QSM_SLOT_ENTRY), BASE + LONG_CODE);
      put(&rig, slot_register(0, QSM_SLOT_LAUNCH), 1);
      uint64_t sum = 0;
      bool seen = false;
      for (uint32_t i = 0, sm = 0; by_cycle && i < 3000; i++) {
        // The counter of SM i as of the start of the i-th cycle.
        if (common(&rig, 0) == QSM_FRONT_COUNT && slot_of_sequencer(&rig) == 0)
          sum += insns_of(&rig, sm++, 0);
        seen = sm == rig.config.num_sms;
        run(&rig, 1);
      }
      settle(&rig);
      settle(&rig);
      first[by_cycle] = counter(&rig, 0, QSM_CH_INSN_LO);
      if (seen) assert_int_equal(first[1], sum);
      n_seen += seen;
      close_rig(&rig);
    }
    assert_int_equal(first[0], first[1]);
    live += first[0] > 1 && first[0] < 1 + LONG_INSNS;
  }
  assert_true(live > 2 && n_seen > 2);
}

// ---- Limits (R-FR-25) ----

// R-FR-25: the cycle in which the slot is looked at and found over its limit is the first with its
// number modulo 8; KILL is written in the next. The channel stops with a record, at the launch's
// end.
static void a_launch_over_its_limit_is_killed(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 24; i++) {
    struct rig rig;
    bool far = i % 3 == 1, waits = i % 3 == 2;
    uint64_t since = 0, to;
    uint32_t limit = 100 + i, k = i % 3;
    open_rig(&rig, far ? far_away(model_odd()) : model_odd(), 2, 0);
    put(&rig, QSM_REG_FRONT_SLOTS, 1u << k);
    put(&rig, driver(1, QSM_CH_LIMIT), limit);
    assert_int_equal(peek(&rig, driver(1, QSM_CH_LIMIT)), limit);
    add(&rig, 1, NOP, 0, 0);
    launch(&rig, 1, 1);
    await_common(&rig, 2 + k, 0x200, 0x200);
    since = now(&rig);
    put(&rig, driver(1, QSM_CH_LIMIT), 0);  // acts from the next launch on
    if (waits) put(&rig, QSM_REG_FRONT_MODE, 0);
    uint64_t overdue = since + limit;
    while (overdue % 8 != k) overdue++;
    if (i < 12) {
      run_to(&rig, overdue);
      assert_int_equal(common(&rig, 2 + k) & 0x1800, 0);
      run(&rig, 1);
      assert_int_equal(common(&rig, 2 + k) & 0x1800, 0x800);
      assert_int_equal(peek(&rig, slot_register(k, QSM_SLOT_STATUS)), 1);
    }
    run_to(&rig, overdue + 2);
    assert_int_equal(common(&rig, 2 + k) & 0x1800, 0x1800);
    while (common(&rig, 2 + k) & 0x200) run(&rig, 1);
    to = now(&rig);
    settle(&rig);
    expect_error_of_launch(&rig, 1, QSM_STOP_TIMEOUT | 24 << 8 | 1 << 16);
    assert_int_equal(counter(&rig, 1, QSM_CH_BUSY_LO), to - since - 1);
    assert_true(counter(&rig, 1, QSM_CH_INSN_LO) > 0);
    assert_true(counter(&rig, 1, QSM_CH_INSN_LO) < LONG_INSNS);
    assert_int_equal(common(&rig, 2 + k) & 0x1F00, 0x1900);
    // The next has none; the marks fall when it begins.
    rig.tail[1] = 0;
    put(&rig, driver(1, QSM_CH_CTRL), 0);
    put(&rig, driver(1, QSM_CH_CTRL), 1);
    run(&rig, 20);
    launch(&rig, 1, 1);
    settle(&rig);
    assert_int_equal(common(&rig, 2 + k) & 0x1F00, 0x100);
    assert_int_equal(peek(&rig, driver(1, QSM_CH_DONE)), 1);
    assert_int_equal(peek(&rig, driver(1, QSM_CH_ERROR)), 0);
    close_rig(&rig);
  }
}

// Two launches, of channel c in slot c, whose time begins in since[c] and is over its limit from
// `overdue` on, if since[c] is known before; 0: no limit.
static void launch_two(struct rig *rig, uint64_t overdue, uint64_t since[2]) {
  for (uint32_t c = 0; c < 2; c++) {
    put(rig, driver(c, QSM_CH_LIMIT), overdue ? (uint32_t)(overdue - since[c]) : 0);
    launch(rig, c, SPINS);
    await_common(rig, 2 + c, 0x200, 0x200);
    since[c] = now(rig);
  }
}

static uint32_t kills_sent(const struct rig *rig) {
  return (common(rig, 2) >> 12 & 1) | (common(rig, 3) >> 12 & 1) << 1;
}

// R-FR-25, R-FR-11, R-FR-27, R-CP-13: an access of the host puts KILL off by a cycle, and no
// register of the sequencer goes before it: here a BIND is under way. Slots 0 and 1 are overdue in
// cycles 1 and 2.
static void a_kill_waits_for_the_host_alone(void **state) {
  (void)state;
  for (uint32_t reads = 0; reads < 2; reads++) {
    struct rig rig;
    uint64_t since[2];
    open_rig(&rig, model_tiny(), 3, 0);
    launch_two(&rig, 0, since);
    close_rig(&rig);
    open_rig(&rig, model_tiny(), 3, 0);
    uint32_t bind = 7 + load_cycles(&rig, 8) + 1 + load_cycles(&rig, 32) + 1;
    uint64_t base = (since[1] + bind + 200) / 8 * 8;
    launch_two(&rig, base, since);
    run_to(&rig, base - 16 - bind);
    launch(&rig, 2, 0);
    // A register is chosen in -15, -12 .. 0: the last is WIN0_RIGHTS.
    run_to(&rig, base + 1);
    assert_int_equal(common(&rig, 0), QSM_FRONT_BIND);
    for (uint32_t k = 0; k < 2; k++) assert_int_equal(common(&rig, 2 + k) & 0x800, k ? 0 : 0x800);
    assert_int_equal(kills_sent(&rig), 0);
    // The KILLs are chosen in 1 and 2, the next register in 3; or beside reads that are chosen in
    // 1, 3 and 5 in 2, 4 and 6.
    for (uint32_t i = 0; i < 3; i++) {
      if (reads) {
        read_in(&rig, base + 2 + 2 * i, QSM_REG_ID);
      } else {
        run(&rig, 1);
      }
      assert_int_equal(kills_sent(&rig), i ? 3 : 1);
    }
    assert_int_equal(peek(&rig, slot_register(2, QSM_SLOT_WIN0_RIGHTS)), 5);
    assert_int_equal(peek(&rig, slot_register(2, QSM_SLOT_WIN1_BASE)), 0);
    run(&rig, 1);
    assert_int_equal(peek(&rig, slot_register(2, QSM_SLOT_WIN1_BASE)), data_addr(2));
    settle(&rig);
    for (uint32_t c = 0; c < 2; c++) expect_error_of_launch(&rig, c, QSM_STOP_TIMEOUT | 24 << 8);
    assert_int_equal(peek(&rig, driver(2, QSM_CH_DONE)), 1);
    close_rig(&rig);
  }
}

// R-FR-25, R-FR-14: a launch that ends in time, or with a fault, has its own end; one with a limit
// of 1 is killed before it has done anything.
static void a_limit_shows_only_where_it_is_reached(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 3, 0);
  put(&rig, driver(0, QSM_CH_LIMIT), 5000);
  put(&rig, driver(1, QSM_CH_LIMIT), 5000);
  put(&rig, driver(2, QSM_CH_LIMIT), 1);
  launch(&rig, 0, 1);
  launch(&rig, 1, 2);
  launch(&rig, 2, 0);
  settle(&rig);
  assert_int_equal(peek(&rig, driver(0, QSM_CH_ERROR)), 0);
  assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1);
  assert_int_equal(peek(&rig, driver(1, QSM_CH_ERROR)) & 0xFF, QSM_STOP_FAULT);
  expect_error_of_launch(&rig, 2, QSM_STOP_TIMEOUT | 24 << 8);
  assert_int_equal(counter(&rig, 2, QSM_CH_INSN_LO), 0);
  close_rig(&rig);
}

// ---- Taking a slot back (R-FR-26) ----

enum {
  CONCURRENT = QSM_REG_FRONT_MODE_CONCURRENT_MASK,
  TAKE_BACK = QSM_REG_FRONT_MODE_TAKE_BACK_MASK,
  RUNS = 0x200,
  YIELD_SENT = 0x2000,
  OLD = 0x4000,
  MANY_BLOCKS = 11 * 3 * 2,
};

static void set_priority(struct rig *rig, uint32_t c, uint32_t priority) {
  put(rig, driver(c, QSM_CH_CTRL), 1 | priority << QSM_CH_CTRL_PRIORITY_SHIFT);
}

// Descriptor 3: a grid of MANY_BLOCKS of LONG_CODE.
static void write_many_blocks(const struct rig *rig) {
  const uint32_t words[16] = {BASE + LONG_CODE, 0, 11, 3, 2, 1, 1, 1, 0};
  put_words(rig, descriptor_addr(3), words, 16);
}

// One slot, and channel 0 has it.
static void open_taken(struct rig *rig, struct qsm_config config, uint32_t mode) {
  open_rig(rig, config, 4, 0);
  write_many_blocks(rig);
  put(rig, QSM_REG_FRONT_SLOTS, mode & CONCURRENT ? 1 : 3);
  put(rig, QSM_REG_FRONT_MODE, mode);
  for (uint32_t c = 1; c < 4; c++) set_priority(rig, c, c);
  launch(rig, 0, 3);
  await_common(rig, 2, RUNS, RUNS);
}

static void await_yielded(struct rig *rig, uint32_t c) {
  for (uint32_t i = 0; (flags(rig, c) & (RESUMES | BUSY)) != RESUMES; i++) {
    assert_true(i < 20000);
    run(rig, 1);
  }
}

static void await_done(struct rig *rig, uint32_t c, uint32_t done) {
  for (uint32_t i = 0; peek(rig, driver(c, QSM_CH_DONE)) != done; i++) {
    assert_true(i < 400);
    run(rig, 500);
  }
}

// R-FR-26: the command of a higher priority writes YIELD and waits; the launch ends at the border
// of blocks, and its command comes again. Nothing is done twice, and nothing is left out.
static void a_higher_priority_takes_a_slot_back(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 6; n++) {
    struct rig rig;
    const struct qsm_config configs[] = {model_tiny(), model_odd(), far_away(model_tiny())};
    uint32_t mode = TAKE_BACK | (n % 2 ? CONCURRENT : 0);
    open_taken(&rig, configs[n / 2], mode);
    run(&rig, 3000 + 100 * n);
    rig.n_events = 0;
    uint64_t put_at = launch(&rig, 2, 0);
    uint32_t decode = 7 + load_cycles(&rig, 8), slot = decode + 1 + load_cycles(&rig, 32);
    bool alone = rig.config.num_sms == 1;  // who else is at the memory
    run_to(&rig, put_at + slot);
    await_common(&rig, 0, 0xFF, QSM_FRONT_YIELD);
    uint64_t at = now(&rig);
    assert_true(!alone || at == put_at + slot + 1);
    assert_int_equal(common(&rig, 2) & (RUNS | YIELD_SENT), RUNS);
    run(&rig, 2);
    assert_int_equal(common(&rig, 2) & YIELD_SENT, 0);
    run(&rig, 1);
    assert_int_equal(common(&rig, 0), QSM_FRONT_IDLE);
    assert_int_equal(common(&rig, 2) & (RUNS | YIELD_SENT | OLD), RUNS | YIELD_SENT);
    assert_int_equal(flags(&rig, 2), ENABLED | PENDING | WAITS | 2 * FIRST_PRIORITY);
    assert_int_equal(common(&rig, 1), 1);  // of priority 0; that of 2 stays
    assert_int_equal(flags(&rig, 0) & (BUSY | RESUMES), BUSY);
    const struct qsm_event *last = &rig.events[rig.n_events - 1];
    assert_int_equal(last->word[2], 0);  // slot
    await_common(&rig, 2, RUNS, 0);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_STATUS)), QSM_SLOT_STATUS_YIELDED_MASK);
    rig.n_events = 0;
    uint64_t fell = now(&rig);
    uint32_t sms = rig.config.num_sms;
    uint32_t walk[] = {peek(&rig, slot_register(0, QSM_SLOT_WALK_XY)),
                       peek(&rig, slot_register(0, QSM_SLOT_WALK_Z)),
                       peek(&rig, slot_register(0, QSM_SLOT_WALK_LINEAR))};
    run(&rig, 1 + sms + 16);
    // 6 words read and written, 4 written.
    const struct step end[] = {
        {QSM_FRONT_COUNT, 1}, {QSM_FRONT_END, 1 + sms}, {QSM_FRONT_IDLE, 1 + sms + 16}};
    if (rig.events[0].word[0] == QSM_FRONT_COUNT) EXPECT_STEPS(&rig, fell, end);
    await_yielded(&rig, 0);
    assert_int_equal(flags(&rig, 0), ENABLED | PENDING | RESUMES);
    assert_int_equal(peek(&rig, page(0, QSM_PAGE_GET)), 0);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 0);
    assert_int_equal(counter(&rig, 0, QSM_CH_INSN_LO), walk[2] * LONG_INSNS);
    assert_int_equal(walk[2], (walk[0] & 0xFFFF) + 11 * (walk[0] >> 16) + 33 * walk[1]);
    assert_true(walk[2] > 0 && walk[2] < MANY_BLOCKS);
    await_done(&rig, 2, 1);
    await_done(&rig, 0, 1);
    assert_int_equal(counter(&rig, 0, QSM_CH_INSN_LO), MANY_BLOCKS * LONG_INSNS);
    run(&rig, 100);  // PUT is looked at once more: the ring is empty
    assert_int_equal(flags(&rig, 0), ENABLED);
    assert_int_equal(peek(&rig, page(0, QSM_PAGE_GET)), 1);
    launch(&rig, 0, 3);  // the next one begins at the beginning
    await_done(&rig, 0, 2);
    assert_int_equal(counter(&rig, 0, QSM_CH_INSN_LO), 2 * MANY_BLOCKS * LONG_INSNS);
    close_rig(&rig);
  }
}

// R-FR-14, R-FR-26: it was asked to yield when its last block was on its way: it is done.
static void a_launch_without_a_rest_does_not_come_again(void **state) {
  (void)state;
  struct rig rig;
  open_taken(&rig, model_tiny(), TAKE_BACK | CONCURRENT);
  await_done(&rig, 0, 1);
  submit_one(&rig, 0, LAUNCH | WITH_IRQ, descriptor_addr(1), 0);
  await_common(&rig, 2, RUNS, RUNS);
  run(&rig, 100);
  launch(&rig, 3, 0);
  await_common(&rig, 2, YIELD_SENT, YIELD_SENT);
  assert_int_equal(flags(&rig, 0) & (BUSY | RESUMES), BUSY);
  await_done(&rig, 3, 1);
  assert_int_equal(flags(&rig, 0), ENABLED | IRQ);
  assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 2);
  assert_int_equal(peek(&rig, page(0, QSM_PAGE_GET)), 2);
  assert_int_equal(counter(&rig, 0, QSM_CH_INSN_LO), (MANY_BLOCKS + 1) * LONG_INSNS);
  close_rig(&rig);
}

// R-FR-11: with resumes three registers more, each after its word was read.
static void a_launch_that_goes_on_writes_its_walk(void **state) {
  (void)state;
  struct rig rig;
  open_taken(&rig, model_tiny(), TAKE_BACK | CONCURRENT);
  put(&rig, QSM_REG_FRONT_SLOTS, 3);
  launch(&rig, 2, 3);
  settle(&rig);
  assert_int_equal(common(&rig, 3) & RUNS, RUNS);  // there was another slot
  put(&rig, QSM_REG_FRONT_SLOTS, 1);
  launch(&rig, 3, 0);
  await_yielded(&rig, 0);
  // Channel 0 comes again: three reads more, and one cycle for the host at the table.
  for (uint32_t i = 0;
       common(&rig, 0) != QSM_FRONT_START || rig.events[rig.n_events - 1].word[1] != 0; i++) {
    assert_true(i < 20000);
    run(&rig, 1);
  }
  uint64_t start = now(&rig);
  assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_WALK_LINEAR)), 0);
  run(&rig, 3 * 8 - 1);
  port_read(rig.model, driver(2, QSM_CH_DONE));  // the read of WALK_XY waits
  run(&rig, 4 * 3);
  assert_int_not_equal(peek(&rig, slot_register(0, QSM_SLOT_WALK_LINEAR)), 0);
  assert_int_equal(flags(&rig, 0) & RESUMES, RESUMES);
  await_common(&rig, 0, 0xFF, QSM_FRONT_FINISH);
  assert_int_equal(now(&rig), start + 3 * 17 + 3 + 1);
  assert_int_equal(common(&rig, 2) & (YIELD_SENT | OLD), 0);
  assert_int_equal(flags(&rig, 0) & RESUMES, RESUMES);
  run(&rig, 1);
  assert_int_equal(flags(&rig, 0) & RESUMES, 0);
  await_done(&rig, 0, 1);
  assert_int_equal(counter(&rig, 0, QSM_CH_INSN_LO), MANY_BLOCKS * LONG_INSNS);
  close_rig(&rig);
}

// R-FR-26: of several that run the one of the lowest priority, of equals that in the lowest slot;
// none of an equal or higher one, and none at all without take_back.
static void who_has_to_yield(void **state) {
  (void)state;
  const struct {
    uint32_t of[3], own, slots, victim;  // priorities of the slots' owners; 9: nobody
  } cases[] = {{{1, 0, 0}, 2, 7, 1}, {{1, 1, 1}, 2, 7, 0}, {{2, 1, 3}, 3, 7, 1},
               {{2, 2, 2}, 2, 7, 9}, {{3, 3, 2}, 1, 7, 9}, {{0, 1, 1}, 3, 6, 1},
               {{0, 0, 0}, 0, 7, 9}};
  for (uint32_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    struct rig rig;
    bool exclusive = i % 2;
    uint32_t victim = cases[i / 2].victim;
    open_rig(&rig, model_odd(), 4, 0);
    write_many_blocks(&rig);
    for (uint32_t c = 0; c < 3; c++) {
      launch(&rig, c, 3);
      await_common(&rig, 2 + c, RUNS, RUNS);
    }
    put(&rig, QSM_REG_FRONT_SLOTS, cases[i / 2].slots);
    for (uint32_t c = 0; c < 3; c++) set_priority(&rig, c, cases[i / 2].of[c]);
    set_priority(&rig, 3, cases[i / 2].own);
    put(&rig, QSM_REG_FRONT_MODE, exclusive ? 0 : CONCURRENT);
    launch(&rig, 3, 0);
    run(&rig, 700);
    for (uint32_t k = 0; k < 3; k++) assert_int_equal(common(&rig, 2 + k) & YIELD_SENT, 0);
    put(&rig, QSM_REG_FRONT_MODE, TAKE_BACK | (exclusive ? 0 : CONCURRENT));
    // In exclusive mode it was in SLOT; else it has waited, and looks again.
    run(&rig, 1500);
    uint32_t n_yields = 0;
    for (uint32_t n = 0; n < rig.n_events; n++) {
      if (rig.events[n].kind != QSM_EV_CHANNEL || rig.events[n].word[0] != QSM_FRONT_YIELD)
        continue;
      if (n_yields++ == 0) assert_int_equal(rig.events[n].word[2], victim);
    }
    assert_int_equal(n_yields != 0, victim != 9);
    if (victim == 9 && exclusive) assert_int_equal(common(&rig, 0), QSM_FRONT_SLOT);
    close_rig(&rig);
  }
}

// R-FR-14, R-FR-26: a launch that yields and is killed meanwhile, by its limit or by the host, ends
// as killed.
static void a_launch_that_yields_may_be_killed(void **state) {
  (void)state;
  for (uint32_t by_host = 0; by_host < 2; by_host++) {
    struct rig rig;
    open_taken(&rig, model_tiny(), TAKE_BACK | CONCURRENT);
    run(&rig, 2500);
    launch(&rig, 1, 0);
    await_common(&rig, 2, YIELD_SENT, YIELD_SENT);
    if (by_host) put(&rig, slot_register(0, QSM_SLOT_KILL), 1);
    if (!by_host) {
      // Over a limit that counts from the launch's beginning.
      close_rig(&rig);
      open_rig(&rig, model_tiny(), 4, 0);
      write_many_blocks(&rig);
      put(&rig, QSM_REG_FRONT_SLOTS, 1);
      put(&rig, QSM_REG_FRONT_MODE, TAKE_BACK | CONCURRENT);
      set_priority(&rig, 1, 1);
      put(&rig, driver(0, QSM_CH_LIMIT), 2000);
      launch(&rig, 0, 3);
      await_common(&rig, 2, RUNS, RUNS);
      run(&rig, 1600);
      launch(&rig, 1, 0);
      await_common(&rig, 2, YIELD_SENT, YIELD_SENT);
    }
    settle(&rig);
    expect_error_of_launch(&rig, 0, (by_host ? QSM_STOP_FAULT : QSM_STOP_TIMEOUT) | 24 << 8);
    assert_int_equal(flags(&rig, 0) & RESUMES, 0);
    assert_int_equal(peek(&rig, driver(1, QSM_CH_DONE)), 1);
    assert_int_equal(common(&rig, 2) & 0x300, 0x100);
    close_rig(&rig);
  }
}

// R-FR-26: enabled anew, a channel does not go on with a launch of its life before: what then
// yields counts as done.
static void a_new_beginning_resumes_nothing(void **state) {
  (void)state;
  for (uint32_t early = 0; early < 2; early++) {
    struct rig rig;
    open_taken(&rig, model_tiny(), TAKE_BACK | CONCURRENT);
    run(&rig, 2500);
    launch(&rig, 1, 0);
    if (early) await_common(&rig, 2, YIELD_SENT, YIELD_SENT);
    if (!early) await_yielded(&rig, 0);
    put(&rig, driver(0, QSM_CH_CTRL), 0);
    assert_int_equal(common(&rig, 2) & (YIELD_SENT | OLD), YIELD_SENT);
    assert_int_equal(flags(&rig, 0) & RESUMES, early ? 0 : RESUMES);
    put(&rig, driver(0, QSM_CH_CTRL), 1);
    assert_int_equal(common(&rig, 2) & OLD, OLD);
    assert_int_equal(flags(&rig, 0) & RESUMES, 0);
    await_done(&rig, 1, 1);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), early);
    assert_int_equal(peek(&rig, page(0, QSM_PAGE_GET)), 0);
    uint32_t before = counter(&rig, 0, QSM_CH_INSN_LO);
    assert_int_equal(before % LONG_INSNS, 0);
    assert_int_equal(before != 0, early);
    rig.tail[0] = 0;
    launch(&rig, 0, 3);
    await_done(&rig, 0, 1 + early);
    assert_int_equal(counter(&rig, 0, QSM_CH_INSN_LO), before + MANY_BLOCKS * LONG_INSNS);
    close_rig(&rig);
  }
}

// R-FR-26: nor with one that is asked to yield only when the channel has begun anew. What the
// channel has then is behind the launch, and stays.
static void an_old_launch_moves_nothing(void **state) {
  (void)state;
  struct rig rig;
  open_taken(&rig, model_tiny(), TAKE_BACK | CONCURRENT);
  await_common(&rig, 0, 0xFF, QSM_FRONT_IDLE);
  assert_int_equal(common(&rig, 2) & OLD, 0);
  put(&rig, driver(0, QSM_CH_CTRL), 0);
  put(&rig, driver(0, QSM_CH_CTRL), 1);
  run(&rig, 20);
  assert_int_equal(common(&rig, 2) & (RUNS | OLD), RUNS | OLD);
  rig.tail[0] = 0;
  for (uint32_t i = 0; i < 2; i++) add(&rig, 0, NOP, 0, 0);
  submit(&rig, 0);
  run(&rig, 3000);
  launch(&rig, 1, 0);
  await_common(&rig, 2, YIELD_SENT, YIELD_SENT);
  assert_int_equal(flags(&rig, 0) & RESUMES, 0);
  await_done(&rig, 0, 1 + 2);
  assert_int_equal(peek(&rig, page(0, QSM_PAGE_GET)), 2);
  assert_int_equal(flags(&rig, 0), ENABLED);
  await_done(&rig, 1, 1);
  add(&rig, 0, LAUNCH, descriptor_addr(3), 0);
  submit(&rig, 0);
  await_common(&rig, 2, RUNS | 0xFF, RUNS | 0);
  assert_int_equal(common(&rig, 2) & OLD, 0);
  close_rig(&rig);
}

// R-FR-6: behind a launch that has begun the ring was filled; it yields, and PUT = GET is no empty
// ring. When what has come in its place is behind it is one again.
static void a_full_ring_is_not_empty_when_its_launch_yields(void **state) {
  (void)state;
  for (uint32_t changed = 0; changed < 2; changed++) {
    struct rig rig;
    open_taken(&rig, model_tiny(), TAKE_BACK | CONCURRENT);
    await_common(&rig, 0, 0xFF, QSM_FRONT_IDLE);
    uint32_t n = changed ? 0 : COMMANDS - 1;
    for (uint32_t i = 0; i < n; i++) add(&rig, 0, NOP, 0, 0);
    if (!changed) submit(&rig, 0);
    run(&rig, 3000);
    launch(&rig, 2, 0);
    await_yielded(&rig, 0);
    assert_int_equal(peek(&rig, page(0, QSM_PAGE_GET)), 0);
    assert_int_equal(rig.tail[0], changed);
    if (changed) {
      rig.tail[0] = 0;
      add(&rig, 0, NOP, 0, 0);
    }
    await_done(&rig, 0, 1 + n);
    assert_int_equal(flags(&rig, 0) & RESUMES, 0);
    run(&rig, 500);
    assert_int_equal(peek(&rig, page(0, QSM_PAGE_GET)), rig.tail[0]);
    assert_int_equal(flags(&rig, 0), ENABLED);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1 + n);
    close_rig(&rig);
  }
}

// ---- Semaphores (R-FR-9, R-FR-19, R-FR-20) ----

// Signed differences: 0x80000001 is behind 1.
static void an_acquire_goes_on_when_the_value_is_reached(void **state) {
  (void)state;
  const struct {
    uint32_t word, value;
    bool reached;
  } cases[] = {{5, 5, true},
               {6, 5, true},
               {4, 5, false},
               {0, 0xFFFFFFFF, true},
               {0x80000000, 1, true},
               {0x80000001, 1, false},
               {0x7FFFFFFF, 0x80000000, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig rig;
    open_rig(&rig, model_tiny(), 1, 0);
    *word_at(&rig, data_addr(0) + 12) = cases[i].word;
    submit_one(&rig, 0, ACQUIRE, data_addr(0) + 12, cases[i].value);
    run(&rig, 600);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), cases[i].reached);
    assert_int_equal(flags(&rig, 0) & WAITS, cases[i].reached ? 0 : WAITS);
    close_rig(&rig);
  }
}

static void an_acquire_takes_the_cycles_of_the_page(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  uint32_t address = 7 + load_cycles(&rig, 8) + 1 + load_cycles(&rig, 32);
  uint32_t compare = address + 1 + round_trip(&rig) + 2;  // request, response, word
  uint64_t put_at = submit_one(&rig, 0, ACQUIRE, data_addr(0), 1);
  const struct step steps[] = {{QSM_FRONT_ROW, 2},
                               {QSM_FRONT_CHECK, 6},
                               {QSM_FRONT_FETCH, 7},
                               {QSM_FRONT_DECODE, 7 + load_cycles(&rig, 8)},
                               {QSM_FRONT_CONTEXT, 8 + load_cycles(&rig, 8)},
                               {QSM_FRONT_ADDRESS, address},
                               {QSM_FRONT_ACCESS, address + 1},
                               {QSM_FRONT_COMPARE, compare},
                               {QSM_FRONT_IDLE, compare + 1}};
  run_to(&rig, put_at + compare + 1);
  assert_int_equal(flags(&rig, 0), ENABLED | PENDING | WAITS);
  assert_int_equal(common(&rig, 1), 1);  // the turn is over
  EXPECT_STEPS(&rig, put_at, steps);
  close_rig(&rig);
}

// R-FR-2: a new beginning does not wait.
static void a_channel_that_is_enabled_anew_does_not_wait(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  submit_one(&rig, 0, ACQUIRE, data_addr(0), 1);
  run(&rig, 500);
  assert_int_equal(flags(&rig, 0), ENABLED | PENDING | WAITS);
  put(&rig, driver(0, QSM_CH_CTRL), 0);
  assert_int_equal(flags(&rig, 0), PENDING | WAITS);
  put(&rig, driver(0, QSM_CH_CTRL), 1);
  assert_int_equal(flags(&rig, 0), ENABLED | WAITS);
  run(&rig, 20);  // CLEAR
  assert_int_equal(flags(&rig, 0), ENABLED);
  close_rig(&rig);
}

// R-FR-20: a host's write is seen after the next multiple of 1024.
static void waiting_channels_look_again(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  submit_one(&rig, 0, ACQUIRE, data_addr(0), 1);
  run_to(&rig, 900);
  assert_int_equal(flags(&rig, 0) & WAITS, WAITS);
  *word_at(&rig, data_addr(0)) = 1;
  rig.n_events = 0;
  run_to(&rig, 1024);
  assert_int_equal(flags(&rig, 0) & WAITS, WAITS);
  run(&rig, 1);
  assert_int_equal(flags(&rig, 0) & WAITS, 0);
  run(&rig, 300);
  const struct step steps[] = {{QSM_FRONT_ROW, 2}};
  EXPECT_STEPS(&rig, 1024, steps);
  assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1);
  close_rig(&rig);
}

// R-FR-20: within a command nothing falls; it comes with the turn, at whose end a multiple of 1024
// has passed since the last open cycle. A nop's PUT is written in each cycle up to 1023.
static void waits_fall_with_the_turn(void **state) {
  (void)state;
  for (uint32_t far = 0; far < 2; far++) {
    struct rig rig;
    open_rig(&rig, far ? far_away(model_tiny()) : model_tiny(), 2, 0);
    const uint32_t turn = 7 + load_cycles(&rig, 8) + 3;  // the last cycle of FINISH
    close_rig(&rig);
    for (uint64_t put_at = 1024 - turn - 9; put_at < 1024; put_at++) {
      open_rig(&rig, far ? far_away(model_tiny()) : model_tiny(), 2, 0);
      submit_one(&rig, 0, ACQUIRE, data_addr(0), 1);
      run_to(&rig, put_at - 1);
      assert_int_equal(flags(&rig, 0) & WAITS, WAITS);
      rig.n_events = 0;
      submit_one(&rig, 1, NOP, 0, 0);
      // Open are put_at, the turn, the turn of the empty row, and all cycles after it.
      uint64_t nop = put_at + turn, row = nop + 6;
      run_to(&rig, nop >= 1024 ? nop : row >= 1024 ? row : 1024);
      assert_int_equal(flags(&rig, 0) & WAITS, WAITS);
      run(&rig, 1);
      assert_int_equal(flags(&rig, 0) & WAITS, 0);
      // It waits anew, up to the next multiple.
      run_to(&rig, 2048);
      assert_int_equal(flags(&rig, 0) & WAITS, WAITS);
      uint32_t n_tries = 0;
      for (uint32_t i = 0; i < rig.n_events; i++)
        n_tries += rig.events[i].kind == QSM_EV_COMMAND && rig.events[i].word[0] == 0;
      assert_int_equal(n_tries, 1);
      run(&rig, 1);
      assert_int_equal(flags(&rig, 0) & WAITS, 0);
      close_rig(&rig);
    }
  }
}

// R-FR-20, R-FR-6: all slots run launches without an end, and so many channels wait for one that
// to try them all takes more than 1024 cycles. Each is tried once between two commands of the
// channel behind them.
static void channels_behind_those_that_wait_for_a_slot_come_on(void **state) {
  (void)state;
  enum { SLOTS = 4, WAITING = 6, LAST = SLOTS + WAITING, NOPS = 3 };
  struct rig rig;
  open_rig(&rig, model_tiny(), LAST + 2, 0);
  for (uint32_t c = 0; c < SLOTS; c++) {
    launch(&rig, c, SPINS);
    await_common(&rig, 2 + c, 0x200, 0x200);
  }
  rig.n_events = 0;
  for (uint32_t c = SLOTS; c < LAST; c++) launch(&rig, c, 0);
  for (uint32_t i = 0; i < NOPS; i++) add(&rig, LAST, NOP, 0, 0);
  submit(&rig, LAST);
  // From DECODE to the next one: of a launch context, SLOT, choice, row, check, command; of a nop
  // FINISH, and the same from the choice on.
  const uint32_t next = 1 + 4 + 1 + load_cycles(&rig, 8) + 1;
  const uint32_t launch_to = load_cycles(&rig, 32) + 1 + next, nop_to = 3 + next;
  assert_true(WAITING * launch_to > 1024);
  run(&rig, NOPS * (WAITING * launch_to + nop_to) + 100);
  assert_int_equal(peek(&rig, driver(LAST, QSM_CH_DONE)), NOPS);
  uint32_t n = 0;
  uint64_t at = 0;
  for (uint32_t i = 0; i < rig.n_events && n < NOPS * (WAITING + 1); i++) {
    if (rig.events[i].kind != QSM_EV_COMMAND) continue;
    uint32_t c = SLOTS + n++ % (WAITING + 1);
    assert_int_equal(rig.events[i].word[0], c);
    if (n > 1) assert_int_equal(rig.events[i].cycle, at);
    at = rig.events[i].cycle + (c == LAST ? nop_to : launch_to);
  }
  assert_int_equal(n, NOPS * (WAITING + 1));
  // Likewise a copy.
  copy(&rig, LAST, data_addr(LAST), data_addr(LAST) + 256, 64);
  run(&rig, 2 * (WAITING * launch_to + launch_to + 200));
  assert_int_equal(peek(&rig, driver(LAST, QSM_CH_DONE)), NOPS + 1);
  for (uint32_t c = SLOTS; c < LAST; c++) assert_int_equal(peek(&rig, page(c, QSM_PAGE_GET)), 0);
  close_rig(&rig);
}

// R-FR-9: the stamp is the cycle of the store's request. Of R-FR-19: waits fall at the end of
// FINISH.
static void a_release_wakes_and_stamps(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  *context_word(&rig, 1, 9) = data_addr(0);
  submit_one(&rig, 0, ACQUIRE, data_addr(0) + 16, 9);
  run(&rig, 450);
  assert_int_equal(flags(&rig, 0) & WAITS, WAITS);
  rig.n_events = 0;
  uint32_t address = 7 + load_cycles(&rig, 8) + 1 + load_cycles(&rig, 32);
  uint64_t put_at = submit_one(&rig, 1, RELEASE | WITH_STAMP, data_addr(0) + 16, 9);
  uint32_t finish = address + 1 + round_trip(&rig) + 1;
  const struct step steps[] = {{QSM_FRONT_ROW, 2},
                               {QSM_FRONT_CHECK, 6},
                               {QSM_FRONT_FETCH, 7},
                               {QSM_FRONT_DECODE, 7 + load_cycles(&rig, 8)},
                               {QSM_FRONT_CONTEXT, 8 + load_cycles(&rig, 8)},
                               {QSM_FRONT_ADDRESS, address},
                               {QSM_FRONT_ACCESS, address + 1},
                               {QSM_FRONT_FINISH, finish},
                               {QSM_FRONT_IDLE, finish + 3}};
  run_to(&rig, put_at + finish + 2);
  assert_int_equal(flags(&rig, 0) & WAITS, WAITS);
  run(&rig, 1);
  assert_int_equal(flags(&rig, 0) & WAITS, 0);
  EXPECT_STEPS(&rig, put_at, steps);
  assert_int_equal(*word_at(&rig, data_addr(0) + 16), 9);
  assert_int_equal(*word_at(&rig, data_addr(0) + 20), 0);
  assert_int_equal(*word_at(&rig, data_addr(0) + 24), put_at + address + 1);
  assert_int_equal(*word_at(&rig, data_addr(0) + 28), 0);
  settle(&rig);
  assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1);
  // Without a stamp one word.
  *word_at(&rig, data_addr(0) + 36) = 77;
  submit_one(&rig, 0, RELEASE, data_addr(0) + 32, 5);
  settle(&rig);
  assert_int_equal(*word_at(&rig, data_addr(0) + 32), 5);
  assert_int_equal(*word_at(&rig, data_addr(0) + 36), 77);
  close_rig(&rig);
}

// ---- Settings, the context buffer ----

// R-FR-12: the register of the bound slot, memory, and the buffer.
static void a_setting_changes_slot_and_context(void **state) {
  (void)state;
  const struct {
    uint32_t which, value, word, offset;
  } cases[] = {{QSM_SETTING_GOAL, 0x12345, 1, QSM_SLOT_GOAL},
               {QSM_SETTING_BUDGET, 7, 13, QSM_SLOT_BUDGET},
               {QSM_SETTING_SM_MASK_LO, 5, 3, QSM_SLOT_SM_MASK_LO},
               {QSM_SETTING_CACHE_POLICY, 3, 18, QSM_SLOT_CACHE_POLICY}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (uint32_t bound = 0; bound < 2; bound++) {
      struct rig rig;
      open_rig(&rig, model_odd(), 2, 0);
      if (bound) launch(&rig, 0, 0);
      settle(&rig);
      uint32_t before = peek(&rig, slot_register(0, cases[i].offset));
      submit_one(&rig, 0, SET, cases[i].which, cases[i].value);
      settle(&rig);
      assert_int_equal(*context_word(&rig, 0, cases[i].word), cases[i].value);
      assert_int_equal(peek(&rig, slot_register(0, cases[i].offset)),
                       bound ? cases[i].value : before);
      // What is in the buffer goes to the next slot, whatever memory has.
      *context_word(&rig, 0, cases[i].word) = 0xFFFFFFFF;
      put(&rig, QSM_REG_FRONT_SLOTS, 4);
      launch(&rig, 0, 0);
      settle(&rig);
      assert_int_equal(flags(&rig, 0), ENABLED);
      assert_int_equal(peek(&rig, slot_register(2, cases[i].offset)), cases[i].value);
      close_rig(&rig);
    }
  }
}

// R-FR-12: a value that its register refuses is not stored.
static void a_refused_setting_stops_the_channel(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_odd(), 2, 0);
  launch(&rig, 0, 0);
  settle(&rig);
  submit_one(&rig, 0, SET, QSM_SETTING_BUDGET, 256);
  settle(&rig);
  expect_error(&rig, 0, QSM_STOP_REFUSED, QSM_SLOT_BUDGET, 1);
  assert_int_equal(*context_word(&rig, 0, 13), 1);
  assert_int_equal(channel_of(&rig, 0), 0x100);
  close_rig(&rig);
}

// ---- Own settings (R-FR-28) ----

enum { OWN_MASK = 1, OWN_POLICY = 2, ALL_OF_ODD = 7, OWN = 10 /* descriptor */ };

static void write_own(const struct rig *rig, uint32_t own, uint32_t mask, uint32_t policy) {
  write_descriptor(rig, OWN, CODE);
  *word_at(rig, descriptor_addr(OWN) + 36) = own;
  *word_at(rig, descriptor_addr(OWN) + 40) = mask;
  *word_at(rig, descriptor_addr(OWN) + 52) = policy;
}

static uint32_t own_of(const struct rig *rig, uint32_t k) { return common(rig, 2 + k) >> 15; }

static void expect_settings(const struct rig *rig, uint32_t k, uint32_t mask, uint32_t policy) {
  assert_int_equal(peek(rig, slot_register(k, QSM_SLOT_SM_MASK_LO)), mask);
  assert_int_equal(peek(rig, slot_register(k, QSM_SLOT_SM_MASK_HI)), 0);
  assert_int_equal(peek(rig, slot_register(k, QSM_SLOT_SM_MASK_2)), 0);
  assert_int_equal(peek(rig, slot_register(k, QSM_SLOT_CACHE_POLICY)), policy);
}

// Cycles that the last launch was in START.
static uint64_t start_cycles(const struct rig *rig) {
  for (uint32_t i = rig->n_events - 1; i > 0; i--)
    if (rig->events[i - 1].kind == QSM_EV_CHANNEL && rig->events[i - 1].word[0] == QSM_FRONT_START)
      return rig->events[i].cycle - rig->events[i - 1].cycle;
  fail_msg("no launch");
  return 0;
}

// R-FR-28: each with the registers that it writes: those of its own settings, and of the launch
// before.
static void own_settings_are_of_one_launch(void **state) {
  (void)state;
  const struct {
    uint32_t own, mask, policy;            // words
    uint32_t has_mask, has_policy, steps;  // afterwards; registers that START writes
  } cases[] = {
      {0, 0, 0, ALL_OF_ODD, 1, 17}, {1, 2, 0, 2, 1, 20},          {0, 0, 0, ALL_OF_ODD, 1, 20},
      {0, 0, 0, ALL_OF_ODD, 1, 17}, {2, 0, 3, ALL_OF_ODD, 3, 18}, {0, 0, 0, ALL_OF_ODD, 1, 18},
      {3, 5, 2, 5, 2, 21},          {1, 1, 0, 1, 1, 21},          {2, 0, 0, ALL_OF_ODD, 0, 21},
      {2, 0, 2, ALL_OF_ODD, 2, 18}, {1, 4, 0, 4, 1, 21},          {1, 6, 0, 6, 1, 20},
      {0, 0, 0, ALL_OF_ODD, 1, 20}, {0, 0, 0, ALL_OF_ODD, 1, 17}};
  struct rig rig;
  open_rig(&rig, model_odd(), 2, 0);
  *context_word(&rig, 0, 18) = 1;
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_own(&rig, cases[i].own, cases[i].mask, cases[i].policy);
    launch(&rig, 0, OWN);
    settle(&rig);
    assert_int_equal(flags(&rig, 0), ENABLED);
    expect_settings(&rig, 0, cases[i].has_mask, cases[i].has_policy);
    assert_int_equal(own_of(&rig, 0), cases[i].own);
    assert_int_equal(start_cycles(&rig), 3 * cases[i].steps);
    assert_int_equal(*context_word(&rig, 0, 3), ALL_OF_ODD);
    assert_int_equal(*context_word(&rig, 0, 18), 1);
  }
  close_rig(&rig);
}

// R-FR-28: the blocks are where the mask says.
static void the_own_mask_is_obeyed(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_odd(), 2, 0);
  write_many_blocks(&rig);
  for (uint32_t mask = 1; mask <= ALL_OF_ODD; mask++) {
    uint64_t before[3], blocks = 0;
    for (uint32_t sm = 0; sm < 3; sm++) before[sm] = insns_of(&rig, sm, 0);
    *word_at(&rig, descriptor_addr(3) + 36) = mask == ALL_OF_ODD ? 0 : OWN_MASK;
    *word_at(&rig, descriptor_addr(3) + 40) = mask == ALL_OF_ODD ? 0 : mask;
    launch(&rig, 0, 3);
    await_done(&rig, 0, mask);
    for (uint32_t sm = 0; sm < 3; sm++) {
      uint64_t insns = insns_of(&rig, sm, 0) - before[sm];
      assert_int_equal(insns != 0, mask >> sm & 1);
      blocks += insns;
    }
    assert_int_equal(blocks, MANY_BLOCKS * LONG_INSNS);
  }
  close_rig(&rig);
}

// R-FR-28: own(k): the cycles at whose ends it changes, also where the host keeps the first
// register off.
static void own_changes_in_the_cycles_of_the_page(void **state) {
  (void)state;
  for (uint32_t meddles = 0; meddles < 2; meddles++) {
    struct rig rig;
    open_rig(&rig, model_odd(), 2, 0);
    write_own(&rig, OWN_POLICY, 0, 3);
    launch(&rig, 0, OWN);
    settle(&rig);
    assert_int_equal(own_of(&rig, 0), OWN_POLICY);
    write_own(&rig, OWN_MASK, 2, 0);
    launch(&rig, 0, OWN);
    await_common(&rig, 0, 0xFF, QSM_FRONT_START);
    uint64_t start = now(&rig);
    assert_int_equal(own_of(&rig, 0), OWN_POLICY);
    if (meddles)
      qsm_model_choose(rig.model);
    else
      run(&rig, 1);
    assert_int_equal(own_of(&rig, 0), OWN_MASK | OWN_POLICY);
    if (meddles) port_read(rig.model, QSM_REG_FRONT_MODE);
    // Behind 15 registers, LO is there when its answer is.
    run_to(&rig, start + meddles + 3 * 15 + 1);
    expect_settings(&rig, 0, ALL_OF_ODD, 3);
    run(&rig, 1);
    expect_settings(&rig, 0, 2, 3);
    run(&rig, 3 * 3 - 1);
    expect_settings(&rig, 0, 2, 3);
    run(&rig, 1);
    expect_settings(&rig, 0, 2, 0);
    run_to(&rig, start + meddles + 3 * 21 - 1);
    assert_int_equal(own_of(&rig, 0), OWN_MASK | OWN_POLICY);
    assert_int_equal(common(&rig, 2) & RUNS, 0);
    run(&rig, 1);
    assert_int_equal(own_of(&rig, 0), OWN_MASK);
    assert_int_equal(common(&rig, 2) & RUNS, RUNS);
    close_rig(&rig);
  }
}

// Its slot stays bound to it, since the sequencer is at another channel's command.
static void enable_anew(struct rig *rig, uint32_t c, uint32_t other) {
  submit_one(rig, other, NOP, 0, 0);
  await_common(rig, 0, 0xFF, QSM_FRONT_FETCH);
  put(rig, driver(c, QSM_CH_CTRL), 0);
  put(rig, driver(c, QSM_CH_CTRL), 1);
  rig->tail[c] = 0;
  put(rig, QSM_REG_FRONT_IRQ0, 1u << c);
  settle(rig);
  assert_int_equal(flags(rig, c), ENABLED);
}

// R-FR-28: what has been written before the refusal, and what has not, is gone with the next
// launch.
static void a_refused_own_setting_leaves_nothing(void **state) {
  (void)state;
  const struct {
    uint32_t own, word, value, offset, own_after, next;  // the latter: steps of the next launch
  } cases[] = {{1, 10, 8, QSM_SLOT_SM_MASK_LO, 1, 20},   {1, 11, 1, QSM_SLOT_SM_MASK_HI, 1, 20},
               {1, 12, 1, QSM_SLOT_SM_MASK_2, 1, 20},    {2, 13, 4, QSM_SLOT_CACHE_POLICY, 2, 18},
               {3, 13, 5, QSM_SLOT_CACHE_POLICY, 3, 21}, {3, 11, 1, QSM_SLOT_SM_MASK_HI, 3, 21},
               {3, 2, 0, QSM_SLOT_GRID_X, 3, 21}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig rig;
    open_rig(&rig, model_odd(), 2, 0);
    launch(&rig, 0, 0);
    settle(&rig);
    write_own(&rig, cases[i].own, cases[i].own & OWN_MASK ? 2 : 0, cases[i].own & OWN_POLICY);
    *word_at(&rig, descriptor_addr(OWN) + 4 * cases[i].word) = cases[i].value;
    launch(&rig, 0, OWN);
    settle(&rig);
    expect_error(&rig, 0, QSM_STOP_REFUSED, cases[i].offset, 1);
    assert_int_equal(own_of(&rig, 0), cases[i].own_after);
    assert_int_equal(channel_of(&rig, 0), 0x100);
    if (cases[i].offset == QSM_SLOT_SM_MASK_HI)
      assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_SM_MASK_LO)), 2);
    enable_anew(&rig, 0, 1);
    assert_int_equal(channel_of(&rig, 0), 0x100);
    assert_int_equal(own_of(&rig, 0), cases[i].own_after);
    launch(&rig, 0, 0);
    settle(&rig);
    assert_int_equal(flags(&rig, 0), ENABLED);
    expect_settings(&rig, 0, ALL_OF_ODD, 0);
    assert_int_equal(own_of(&rig, 0), 0);
    assert_int_equal(start_cycles(&rig), 3 * cases[i].next);
    close_rig(&rig);
  }
}

// R-FR-28, R-FR-10: the lowest wrong word; a right is looked for where no word is wrong.
static void wrong_words_of_own_settings_stop_the_channel(void **state) {
  (void)state;
  const struct {
    uint32_t words[7], rights, code, word;  // 9 to 15
  } cases[] = {
      {{4}, 15, QSM_STOP_BAD_LAUNCH, 9},
      {{0x80000001, 1}, 15, QSM_STOP_BAD_LAUNCH, 9},
      {{0, 1}, 15, QSM_STOP_BAD_LAUNCH, 10},
      {{0, 0, 1}, 15, QSM_STOP_BAD_LAUNCH, 11},
      {{0, 0, 0, 1}, 15, QSM_STOP_BAD_LAUNCH, 12},
      {{0, 0, 0, 0, 1}, 15, QSM_STOP_BAD_LAUNCH, 13},
      {{0, 0, 0, 0, 0, 1}, 15, QSM_STOP_BAD_LAUNCH, 14},
      {{0, 0, 0, 0, 0, 0, 1}, 15, QSM_STOP_BAD_LAUNCH, 15},
      {{2, 1, 0, 0, 1}, 15, QSM_STOP_BAD_LAUNCH, 10},
      {{2, 0, 0, 1, 1}, 15, QSM_STOP_BAD_LAUNCH, 12},
      {{1, 1, 0, 0, 1}, 15, QSM_STOP_BAD_LAUNCH, 13},
      {{3, 1, 0, 0, 1, 1}, 15, QSM_STOP_BAD_LAUNCH, 14},
      {{3, 1, 0, 0, 1, 0, 1}, 0, QSM_STOP_BAD_LAUNCH, 15},
      {{1, 1}, 11, QSM_STOP_NO_RIGHT, QSM_SETTING_SM_MASK_LO},
      {{2, 0, 0, 0, 1}, 7, QSM_STOP_NO_RIGHT, QSM_SETTING_CACHE_POLICY},
      {{3, 1, 0, 0, 1}, 7, QSM_STOP_NO_RIGHT, QSM_SETTING_CACHE_POLICY},
      {{3, 1, 0, 0, 1}, 11, QSM_STOP_NO_RIGHT, QSM_SETTING_SM_MASK_LO},
      {{3, 1, 0, 0, 1}, 3, QSM_STOP_NO_RIGHT, QSM_SETTING_SM_MASK_LO},
      {{1, 1}, 4, 0, 0},
      {{2, 0, 0, 0, 1}, 8, 0, 0},
      {{3, 1, 0, 0, 1}, 12, 0, 0},
      {{0}, 0, 0, 0},
  };
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig rig;
    open_rig(&rig, model_tiny(), 2, 0);
    *context_word(&rig, 0, 12) = cases[i].rights;
    write_descriptor(&rig, OWN, CODE);
    put_words(&rig, descriptor_addr(OWN) + 36, cases[i].words, 7);
    launch(&rig, 0, OWN);
    settle(&rig);
    if (cases[i].code)
      expect_error(&rig, 0, cases[i].code, cases[i].word, 0);
    else
      assert_int_equal(flags(&rig, 0), ENABLED);
    assert_int_equal(own_of(&rig, 0), cases[i].code ? 0 : cases[i].words[0]);
    close_rig(&rig);
  }
}

// R-FR-28: a slot that another channel was in has nothing own any more, when BIND has ended.
static void a_slot_that_is_bound_has_nothing_own(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_odd(), 2, 0);
  put(&rig, QSM_REG_FRONT_SLOTS, 1);
  write_own(&rig, OWN_MASK | OWN_POLICY, 2, 3);
  launch(&rig, 0, OWN);
  settle(&rig);
  expect_settings(&rig, 0, 2, 3);
  launch(&rig, 1, 0);
  await_common(&rig, 0, 0xFF, QSM_FRONT_BIND);
  run(&rig, 3 * 23 - 1);
  assert_int_equal(common(&rig, 0), QSM_FRONT_BIND);
  assert_int_equal(own_of(&rig, 0), OWN_MASK | OWN_POLICY);
  run(&rig, 1);
  assert_int_equal(common(&rig, 0), QSM_FRONT_COUNT);
  assert_int_equal(own_of(&rig, 0), 0);
  settle(&rig);
  assert_int_equal(start_cycles(&rig), 3 * 17);
  expect_settings(&rig, 0, ALL_OF_ODD, 0);
  assert_int_equal(channel_of(&rig, 0), 0x101);
  close_rig(&rig);
}

// R-FR-28: *set* beside own settings: of what follows, not of what is own.
static void a_setting_between_own_ones_is_of_the_next_launch(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_odd(), 2, 0);
  write_own(&rig, OWN_MASK | OWN_POLICY, 2, 3);
  launch(&rig, 0, OWN);
  settle(&rig);
  submit_one(&rig, 0, SET, QSM_SETTING_SM_MASK_LO, 4);
  settle(&rig);
  expect_settings(&rig, 0, 4, 3);
  submit_one(&rig, 0, SET, QSM_SETTING_CACHE_POLICY, 1);
  launch(&rig, 0, OWN);
  settle(&rig);
  expect_settings(&rig, 0, 2, 3);
  assert_int_equal(*context_word(&rig, 0, 3), 4);
  assert_int_equal(*context_word(&rig, 0, 18), 1);
  launch(&rig, 0, 0);
  settle(&rig);
  expect_settings(&rig, 0, 4, 1);
  assert_int_equal(flags(&rig, 0), ENABLED);
  close_rig(&rig);
}

// R-FR-28: its command is fetched again, so it has them again, in whatever slot.
static void a_launch_that_goes_on_has_its_own_settings(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_odd(), 4, 0);
  write_many_blocks(&rig);
  *word_at(&rig, descriptor_addr(3) + 36) = OWN_MASK | OWN_POLICY;
  *word_at(&rig, descriptor_addr(3) + 40) = 4;
  *word_at(&rig, descriptor_addr(3) + 52) = 3;
  put(&rig, QSM_REG_FRONT_SLOTS, 1);
  put(&rig, QSM_REG_FRONT_MODE, TAKE_BACK | CONCURRENT);
  set_priority(&rig, 2, 2);
  launch(&rig, 0, 3);
  await_common(&rig, 2, RUNS, RUNS);
  run(&rig, 3000);
  launch(&rig, 2, 0);
  await_yielded(&rig, 0);
  await_done(&rig, 2, 1);
  await_common(&rig, 2, RUNS | 0xFF, RUNS);
  expect_settings(&rig, 0, 4, 3);
  assert_int_equal(own_of(&rig, 0), OWN_MASK | OWN_POLICY);
  assert_int_equal(start_cycles(&rig), 3 * 21 + 3);
  await_done(&rig, 0, 1);
  assert_int_equal(insns_of(&rig, 2, 0), MANY_BLOCKS * LONG_INSNS);
  assert_int_equal(counter(&rig, 0, QSM_CH_INSN_LO), MANY_BLOCKS * LONG_INSNS);
  launch(&rig, 0, 0);
  await_done(&rig, 0, 2);
  expect_settings(&rig, 0, ALL_OF_ODD, 0);
  close_rig(&rig);
}

static bool loads_context(struct rig *rig, uint32_t c) {
  rig->n_events = 0;
  submit_one(rig, c, RELEASE, data_addr(c), 1);
  settle(rig);
  for (uint32_t i = 0; i < rig->n_events; i++)
    if (rig->events[i].kind == QSM_EV_CHANNEL && rig->events[i].word[0] == QSM_FRONT_CONTEXT)
      return true;
  return false;
}

// The context buffer: of whom it is, and what empties it, also while the context is being loaded.
static void the_context_is_loaded_when_it_may_have_changed(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  assert_true(loads_context(&rig, 0));
  assert_false(loads_context(&rig, 0));
  put(&rig, driver(1, QSM_CH_CTRL), 1);
  assert_false(loads_context(&rig, 0));
  refuse(&rig, driver(0, QSM_CH_CTRL), 32);
  assert_false(loads_context(&rig, 0));
  put(&rig, driver(0, QSM_CH_CTRL), 1);
  assert_true(loads_context(&rig, 0));
  assert_false(loads_context(&rig, 0));
  assert_true(loads_context(&rig, 1));
  assert_true(loads_context(&rig, 0));
  // In each cycle from DECODE, which is before the load, to behind its end.
  uint32_t cycles = load_cycles(&rig, 32);
  for (uint32_t at = 0; at < cycles + 2; at++) {
    put(&rig, driver(0, QSM_CH_CTRL), 1);
    submit_one(&rig, 0, RELEASE, data_addr(0), 1);
    uint64_t decode = now(&rig) - 1 + 7 + load_cycles(&rig, 8);
    run_to(&rig, decode + at - 1);
    put(&rig, driver(0, QSM_CH_CTRL), 1);  // in DECODE + at
    settle(&rig);
    assert_int_equal(loads_context(&rig, 0), at != 0);
  }
  close_rig(&rig);
}

// ---- Enable, suspend, hold ----

// R-FR-2, R-FR-5: CLEAR.
static void a_channel_that_is_enabled_begins_anew(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  copy(&rig, 0, data_addr(0), data_addr(0) + 0x100, 64);
  put(&rig, driver(0, QSM_CH_LIMIT), 4000000000u);
  launch(&rig, 0, 2);  // it faults: all words of the row are set
  settle(&rig);
  refuse(&rig, driver(0, QSM_CH_RING), ring_addr(0) | LOG2);
  refuse(&rig, driver(0, QSM_CH_CONTEXT), context_addr(0));
  put(&rig, driver(0, QSM_CH_CTRL), 0);
  refuse(&rig, page(0, QSM_PAGE_PUT), 0);
  assert_int_not_equal(peek(&rig, page(0, QSM_PAGE_WHERE)), 0);
  const struct {
    uint32_t offset, value;
  } bad[] = {{QSM_CH_RING, ring_addr(0)},
             {QSM_CH_RING, ring_addr(0) | 13},
             {QSM_CH_RING, ring_addr(0) | 4 | 1 << QSM_CH_RING_SPLIT_SHIFT},
             {QSM_CH_RING, ring_addr(0) | 4 | 1 << 7},
             {QSM_CH_CONTEXT, context_addr(0) + 64},
             {QSM_CH_CTRL, 32},
             {QSM_CH_BUSY_LO, 0},
             {QSM_CH_SM_HI, 0},
             {QSM_CH_INSN_LO, 0},
             {QSM_CH_COPY_HI, 0},
             {QSM_CH_ERROR, 0}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    refuse(&rig, driver(0, bad[i].offset), bad[i].value);
  set_ring(&rig, 0);
  settle(&rig);  // its slot is unbound
  rig.n_events = 0;
  put(&rig, driver(0, QSM_CH_CTRL), 1);
  uint64_t at = now(&rig) - 1;
  assert_int_equal(flags(&rig, 0) & ~(uint32_t)IRQ, ENABLED);
  assert_int_equal(peek(&rig, page(0, QSM_PAGE_STATE)), 0x21);
  // In the table they are still what they were.
  static const uint32_t words[] = {QSM_CH_BUSY_LO, QSM_CH_BUSY_HI, QSM_CH_DONE,    QSM_CH_ERROR,
                                   QSM_CH_SM_LO,   QSM_CH_SM_HI,   QSM_CH_INSN_LO, QSM_CH_INSN_HI,
                                   QSM_CH_COPY_LO, QSM_CH_COPY_HI};
  for (uint32_t i = 0; i < 14; i++) {
    for (uint32_t j = 0; j < 10; j++) assert_int_equal(peek(&rig, driver(0, words[j])), 0);
    assert_int_equal(peek(&rig, page(0, QSM_PAGE_PUT)) | peek(&rig, page(0, QSM_PAGE_GET)), 0);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_LIMIT)), 4000000000u);  // no part of it
    run(&rig, 1);
  }
  assert_int_equal(peek(&rig, page(0, QSM_PAGE_STATE)), 1);
  assert_int_equal(peek(&rig, driver(0, QSM_CH_RING)), ring_addr(0) | LOG2);
  const struct step steps[] = {{QSM_FRONT_CLEAR, 2}, {QSM_FRONT_IDLE, 14}};
  EXPECT_STEPS(&rig, at, steps);
  // Anew within it, in each of its cycles: CLEAR comes again.
  for (uint32_t i = 0; i < 12; i++) {
    put(&rig, driver(0, QSM_CH_CTRL), 0);
    put(&rig, driver(0, QSM_CH_CTRL), 1);
    rig.n_events = 0;
    run(&rig, i);
    put(&rig, driver(0, QSM_CH_CTRL), 0);
    put(&rig, driver(0, QSM_CH_CTRL), 1);
    refuse(&rig, page(0, QSM_PAGE_PUT), 0);
    settle(&rig);
    uint32_t clears = 0;
    for (uint32_t j = 0; j < rig.n_events; j++) clears += rig.events[j].word[0] == QSM_FRONT_CLEAR;
    assert_int_equal(clears, 2);
    assert_int_equal(peek(&rig, page(0, QSM_PAGE_STATE)), 1);
  }
  close_rig(&rig);
}

// R-FR-2, R-FR-4: held, nothing is begun; suspended, nothing is taken; nothing is lost.
static void suspend_and_hold_stop_one_end_each(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  put(&rig, driver(0, QSM_CH_CTRL), 1 | QSM_CH_CTRL_HOLD_MASK);
  submit_one(&rig, 0, NOP, 0, 0);
  rig.n_events = 0;
  settle(&rig);
  assert_int_equal(rig.n_events, 0);
  assert_int_equal(flags(&rig, 0), ENABLED | HELD | PENDING);
  assert_int_equal(peek(&rig, page(0, QSM_PAGE_STATE)), 0x19);
  put(&rig, driver(0, QSM_CH_CTRL), 1 | QSM_CH_CTRL_HOLD_MASK | QSM_CH_CTRL_SUSPEND_MASK);
  refuse(&rig, page(0, QSM_PAGE_PUT), 2);
  put(&rig, driver(0, QSM_CH_CTRL), 1 | QSM_CH_CTRL_SUSPEND_MASK);
  settle(&rig);
  assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1);
  assert_int_equal(peek(&rig, page(0, QSM_PAGE_STATE)), 5);
  put(&rig, driver(0, QSM_CH_CTRL), 1);
  submit_one(&rig, 0, NOP, 0, 0);
  settle(&rig);
  assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 2);
  close_rig(&rig);
}

// R-FR-2: what is in the sequencer is done to its end; what runs, runs on.
static void a_disabled_channel_finishes_what_has_begun(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 2, 0);
  add(&rig, 0, RELEASE, data_addr(0), 5);
  add(&rig, 0, RELEASE, data_addr(0), 6);
  submit(&rig, 0);
  run(&rig, 20);
  put(&rig, driver(0, QSM_CH_CTRL), 0);
  settle(&rig);
  assert_int_equal(*word_at(&rig, data_addr(0)), 5);
  assert_int_equal(peek(&rig, page(0, QSM_PAGE_GET)), 1);
  assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1);
  assert_int_equal(flags(&rig, 0), PENDING);
  close_rig(&rig);
}

// R-FR-5, R-FR-6: in turn from the one after the last that was fetched; empty ones are skipped.
static void channels_are_fetched_in_turn(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 5, 0);
  static const uint32_t counts[] = {3, 1, 0, 2, 3};
  put(&rig, driver(0, QSM_CH_CTRL), 1 | QSM_CH_CTRL_HOLD_MASK);
  for (uint32_t c = 0; c < 5; c++)
    for (uint32_t i = 0; i < counts[c]; i++) add(&rig, c, NOP, 0, 0);
  for (uint32_t c = 5; c-- > 0;) submit(&rig, c);
  put(&rig, driver(0, QSM_CH_CTRL), 1);
  settle(&rig);
  static const uint32_t expected[] = {4, 0, 1, 3, 4, 0, 3, 4, 0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < rig.n_events; i++)
    if (rig.events[i].kind == QSM_EV_COMMAND)
      assert_int_equal(rig.events[i].word[0], expected[n++]);
  assert_int_equal(n, 9);
  close_rig(&rig);
}

// R-FR-2, R-FR-5: in turn among those of the highest priority, as it is when the choice is made.
static void a_higher_priority_goes_first(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 6, 0);
  static const uint32_t priority[] = {1, 3, 0, 3, 2, 1};
  for (uint32_t c = 0; c < 6; c++) {
    put(&rig, driver(c, QSM_CH_CTRL), 1 | QSM_CH_CTRL_HOLD_MASK);
    for (uint32_t i = 0; i < 2; i++) add(&rig, c, NOP, 0, 0);
    submit(&rig, c);
  }
  for (uint32_t c = 6; c-- > 0;) {
    put(&rig, driver(c, QSM_CH_CTRL), 1 | priority[c] << QSM_CH_CTRL_PRIORITY_SHIFT);
    assert_int_equal(peek(&rig, driver(c, QSM_CH_CTRL)), 1 | priority[c] << 3);
    assert_int_equal(flags(&rig, c) >> 8, priority[c]);
  }
  settle(&rig);
  // The first choice is made when channel 5 alone may be fetched.
  static const uint32_t expected[] = {5, 1, 3, 1, 3, 4, 4, 0, 5, 0, 2, 2};
  uint32_t n = 0;
  for (uint32_t i = 0; i < rig.n_events; i++)
    if (rig.events[i].kind == QSM_EV_COMMAND)
      assert_int_equal(rig.events[i].word[0], expected[n++]);
  assert_int_equal(n, 12);
  refuse(&rig, driver(0, QSM_CH_CTRL), 32);
  close_rig(&rig);
}

// R-FR-6: each priority has its turns, whatever comes between them. Channel 5 does all it has with
// one PUT after the other; 0 and 1 take turns beside it.
static void turns_of_a_priority_are_its_own(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 6, 0);
  put(&rig, driver(5, QSM_CH_CTRL), 1 | 2 << QSM_CH_CTRL_PRIORITY_SHIFT);
  for (uint32_t c = 0; c < 2; c++)
    put(&rig, driver(c, QSM_CH_CTRL), 1 | 1 << QSM_CH_CTRL_PRIORITY_SHIFT | QSM_CH_CTRL_HOLD_MASK);
  for (uint32_t c = 0; c < 2; c++) {
    for (uint32_t i = 0; i < 4; i++) add(&rig, c, NOP, 0, 0);
    submit(&rig, c);
  }
  submit_one(&rig, 5, NOP, 0, 0);
  for (uint32_t c = 0; c < 2; c++)
    put(&rig, driver(c, QSM_CH_CTRL), 1 | 1 << QSM_CH_CTRL_PRIORITY_SHIFT);
  uint32_t order[24], n = 0, seen = 0;
  for (uint32_t i = 0; i < 3000 && n < 12; i++) {
    run(&rig, 1);
    for (; seen < rig.n_events; seen++) {
      if (rig.events[seen].kind != QSM_EV_COMMAND) continue;
      order[n] = rig.events[seen].word[0];
      if (order[n++] != 5) submit_one(&rig, 5, NOP, 0, 0);
    }
  }
  assert_int_equal(n, 12);
  for (uint32_t i = 0; i < 12; i++) assert_int_equal(order[i], i % 2 == 0 ? 5 : i / 2 % 2);
  assert_int_equal(common(&rig, 1) & 0xFFFF00FF, 0);  // 5 + 1, of six; no other priority
  close_rig(&rig);
}

// R-FR-3, R-FR-6 and the corner case: PUT moved while the row is read, in each cycle of it.
static void a_put_while_the_row_is_read_is_not_lost(void **state) {
  (void)state;
  for (uint32_t at = 0; at < 12; at++) {
    struct rig rig;
    open_rig(&rig, model_tiny(), 1, 0);
    add(&rig, 0, NOP, 0, 0);
    put(&rig, page(0, QSM_PAGE_PUT), 0);  // nothing there yet
    run(&rig, at);
    submit(&rig, 0);
    settle(&rig);
    assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 1);
    assert_int_equal(flags(&rig, 0), ENABLED);
    close_rig(&rig);
  }
}

// R-FR-19, and R-FR-8: behind an L2 too commands are those that the host has written last.
static void a_ring_goes_round(void **state) {
  (void)state;
  for (uint32_t l2_kib = 0; l2_kib <= 4; l2_kib += 4) {
    struct rig rig;
    struct qsm_config config = model_tiny();
    config.l2_kib = l2_kib;
    open_rig(&rig, config, 1, 0);
    for (uint32_t i = 0; i < 3 * COMMANDS; i++) {
      submit_one(&rig, 0, RELEASE, data_addr(0), i);
      run(&rig, 700);
      assert_int_equal(*word_at(&rig, data_addr(0)), i);
      assert_int_equal(peek(&rig, page(0, QSM_PAGE_GET)), (i + 1) % COMMANDS);
    }
    close_rig(&rig);
  }
}

// ---- Watching ----

// R-FR-17.
static void a_snapshot_is_of_one_cycle(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 6, 0);
  put(&rig, QSM_REG_FRONT_SNAP, 1);
  uint64_t at = now(&rig) - 1;
  assert_int_equal(peek(&rig, QSM_REG_SNAP_ENGINE), 0);
  assert_int_equal(peek(&rig, QSM_REG_SNAP_BUSY0), 0);
  assert_int_equal(peek(&rig, QSM_REG_SNAP_CYCLE_LO), at);
  launch(&rig, 4, 1);
  while (!(channel_of(&rig, 0) & 0x200)) run(&rig, 1);
  put(&rig, driver(2, QSM_CH_CTRL), 1 | QSM_CH_CTRL_HOLD_MASK);
  submit_one(&rig, 2, NOP, 0, 0);
  run(&rig, 30);
  put(&rig, QSM_REG_FRONT_SNAP, 1);
  at = now(&rig) - 1;
  run(&rig, 50);
  assert_int_equal(peek(&rig, QSM_REG_SNAP_ENGINE), 0x104);
  assert_int_equal(peek(&rig, QSM_REG_SNAP_BUSY0), 1 << 4 | 1 << 2);
  assert_int_equal(peek(&rig, QSM_REG_SNAP_BUSY1) | peek(&rig, QSM_REG_SNAP_BUSY2), 0);
  assert_int_equal(peek(&rig, QSM_REG_SNAP_CYCLE_LO), at);
  assert_int_equal(peek(&rig, QSM_REG_SNAP_CYCLE_HI), 0);
  settle(&rig);
  put(&rig, QSM_REG_FRONT_SNAP, 1);
  assert_int_equal(peek(&rig, QSM_REG_SNAP_ENGINE), 4);  // who was last
  assert_int_equal(peek(&rig, QSM_REG_SNAP_BUSY0), 1 << 2);
  refuse(&rig, QSM_REG_FRONT_SNAP, 0);
  refuse(&rig, QSM_REG_SNAP_ENGINE, 1);
  close_rig(&rig);
}

// R-FR-18; the run ends before the first cycle with the interrupt, wherever windows end.
static void channels_interrupt_and_slots_of_the_front_end_do_not(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_wide(), 3, 0);
  uint32_t decode = 7 + load_cycles(&rig, 8);
  uint64_t put_at = submit_one(&rig, 2, NOP | WITH_IRQ, 0, 0);
  qsm_model_run(rig.model, 100000, true);
  assert_int_equal(now(&rig) - put_at, decode + 4);
  assert_int_equal(qsm_model_run(rig.model, 100, true), 0);
  put(&rig, QSM_REG_FRONT_IRQ0, 3);
  assert_int_equal(peek(&rig, QSM_REG_FRONT_IRQ0), 4);
  put(&rig, QSM_REG_FRONT_IRQ0, 4);
  put(&rig, QSM_REG_FRONT_IRQ2, 0xFFFFFFFF);  // bits without a channel
  assert_int_equal(qsm_model_run(rig.model, 100, true), 100);
  launch(&rig, 0, 0);
  assert_int_equal(qsm_model_run(rig.model, 8000, true), 8000);
  assert_int_equal(peek(&rig, QSM_REG_IRQ), 1);
  put(&rig, QSM_REG_FRONT_SLOTS, 2);
  assert_int_equal(qsm_model_run(rig.model, 100, true), 0);
  put(&rig, QSM_REG_IRQ, 1);
  // Of a launch the interrupt comes when it ends.
  submit_one(&rig, 0, LAUNCH | WITH_IRQ, descriptor_addr(1), 0);
  qsm_model_run(rig.model, 100000, true);
  assert_int_equal(peek(&rig, driver(0, QSM_CH_DONE)), 2);
  assert_int_equal(common(&rig, 0), QSM_FRONT_IDLE);
  assert_int_equal(rig.events[rig.n_events - 1].cycle + 1, now(&rig));
  close_rig(&rig);
}

// What happens within a window of 16 cycles, wherever it begins: waits fall and a channel is
// stopped; a launch ends, and its slot is unbound.
static void the_longest_window_ends_where_something_shows(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 34; n++) {
    uint32_t i = n / 2;
    bool once = n % 2;
    struct rig rig;
    open_rig(&rig, far_away(model_tiny()), 2, 0);
    submit_one(&rig, 0, ACQUIRE, data_addr(0), 1);
    run_to(&rig, 1006 + i);
    assert_int_equal(flags(&rig, 0), ENABLED | PENDING | WAITS);
    put(&rig, page(0, QSM_PAGE_PUT), COMMANDS);
    qsm_model_run(rig.model, 100000, true);
    assert_int_equal(now(&rig), 1024 + 8);  // idle, four reads, CHECK, STOP
    put(&rig, QSM_REG_FRONT_IRQ0, 1);
    submit_one(&rig, 1, LAUNCH | WITH_IRQ, descriptor_addr(1), 0);
    while (!(peek(&rig, slot_register(0, QSM_SLOT_CHANNEL)) & 0x200)) run(&rig, 1);
    put(&rig, driver(1, QSM_CH_CTRL), 0);
    run(&rig, i);
    if (once) {
      run(&rig, 10000);  // UNBIND's write is not late
    } else {
      qsm_model_run(rig.model, 100000, true);
      assert_int_equal(rig.events[rig.n_events - 1].cycle + 1, now(&rig));
      assert_int_equal(common(&rig, 0), QSM_FRONT_IDLE);
      run(&rig, 4);
    }
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_CHANNEL)) & 0x100, 0);
    const struct qsm_event *last = &rig.events[rig.n_events - 1];
    assert_int_equal(last[-1].word[0], QSM_FRONT_UNBIND);
    assert_int_equal(last->cycle - last[-1].cycle, 3);
    close_rig(&rig);
  }
}

// Likewise of a copy, whenever it is done.
static void the_interrupt_of_a_copy_ends_a_window(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 16; i++) {
    struct rig rig;
    open_rig(&rig, far_away(model_tiny()), 1, 0);
    add_copy(&rig, 0, WITH_IRQ, data_addr(0), data_addr(0) + 0x200, 1 + 16 * i);
    submit(&rig, 0);
    run(&rig, i);
    qsm_model_run(rig.model, 100000, true);
    const struct qsm_event *last = &rig.events[rig.n_events - 1];
    assert_int_equal(last->cycle + 1, now(&rig));
    assert_int_equal(last[-1].word[0], QSM_FRONT_COPY_END);
    assert_int_equal(common(&rig, 0), QSM_FRONT_IDLE);
    close_rig(&rig);
  }
}

// R-CP-4: an interrupt that is set and cleared in one cycle is set.
static void an_interrupt_wins_over_its_clear(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, model_tiny(), 3, 0);
  uint32_t decode = 7 + load_cycles(&rig, 8);
  for (uint32_t i = 0; i < 2; i++) {
    uint64_t put_at = submit_one(&rig, 2, NOP | WITH_IRQ, 0, 0);
    run_to(&rig, put_at + decode + 2 + i);
    put(&rig, QSM_REG_FRONT_IRQ0, 4);  // in the cycle in which DONE is written, or the next
    assert_int_equal(peek(&rig, QSM_REG_FRONT_IRQ0), i ? 0 : 4);
    settle(&rig);
    put(&rig, QSM_REG_FRONT_IRQ0, 4);
  }
  close_rig(&rig);
}

static void registers_are_there_only_with_channels(void **state) {
  (void)state;
  static const uint32_t addresses[] = {QSM_REG_FRONT_MODE, QSM_REG_FRONT_SLOTS,
                                       QSM_REG_FRONT_IRQ0, QSM_REG_SNAP_ENGINE,
                                       QSM_REG_SNAP_BUSY2, QSM_REG_LINK_INTERVAL};
  struct qsm_config config = model_tiny();
  for (uint32_t channels = 0; channels <= QSM_MAX_CMD; channels += QSM_MAX_CMD / 2) {
    struct qsm_model *model;
    char msg[256];
    uint32_t value;
    config.cmd_channels = channels;
    assert_int_equal(qsm_model_create(&config, &model, msg, sizeof msg), 0);
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
      assert_int_equal(qsm_model_read(model, addresses[i], &value), channels == 0);
    assert_int_equal(qsm_model_read(model, slot_register(3, QSM_SLOT_CHANNEL), &value),
                     channels == 0);
    for (uint32_t c = 0; c < QSM_MAX_CMD + 2; c++) {
      for (uint32_t offset = 0; offset < QSM_CH_STRIDE; offset += 4)
        assert_int_equal(qsm_model_read(model, driver(c, offset), &value),
                         c >= channels || offset > QSM_CH_COPY_HI);
      assert_int_equal(qsm_model_read(model, driver(c, QSM_CH_CTRL) + 2, &value), 1);
      assert_int_equal(qsm_model_read(model, page(c, QSM_PAGE_WHERE), &value), c >= channels);
      assert_int_equal(qsm_model_read(model, page(c, QSM_PAGE_WHERE) + 4, &value), 1);
      assert_int_equal(qsm_model_write(model, page(c, QSM_PAGE_STATE), 0), 1);
    }
    qsm_model_destroy(model);
  }
}

// The last of the most channels there can be.
static void the_last_channel_is_like_the_first(void **state) {
  (void)state;
  struct rig rig;
  struct qsm_config config = model_tiny();
  open_rig(&rig, config, 1, 0);
  close_rig(&rig);
  config.cmd_channels = QSM_MAX_CMD;
  struct qsm_model *model;
  char msg[256];
  assert_int_equal(qsm_model_create(&config, &model, msg, sizeof msg), 0);
  rig = (struct rig){.config = config, .model = model};
  const uint32_t c = QSM_MAX_CMD - 1;
  port_write(model, driver(c, QSM_CH_RING), ring_addr(0) | LOG2);
  port_write(model, driver(c, QSM_CH_CTRL), 1);
  qsm_model_run(model, 20, false);
  *word_at(&rig, ring_addr(0)) = NOP | WITH_IRQ;
  port_write(model, page(c, QSM_PAGE_PUT), 1);
  port_write(model, QSM_REG_FRONT_SNAP, 1);
  assert_int_equal(peek(&rig, QSM_REG_SNAP_BUSY2), 1u << 31);
  qsm_model_run(model, 1000, false);
  assert_int_equal(peek(&rig, QSM_REG_FRONT_IRQ2), 1u << 31);
  assert_int_equal(peek(&rig, driver(c, QSM_CH_DONE)), 1);
  assert_int_equal(common(&rig, 1), 0);
  port_write(model, QSM_REG_FRONT_IRQ2, 1u << 31);
  assert_int_equal(peek(&rig, QSM_REG_FRONT_IRQ2), 0);
  qsm_model_destroy(model);
}

// R-XB-6 for all that the front end reads and writes.
static void a_channel_with_a_part_of_the_memory_finds_everything_there(void **state) {
  (void)state;
  struct qsm_config config = model_wide();
  config.partition_bits = 20;
  config.mem_bytes = 1 << 20;
  for (uint32_t split = 0; split <= 2; split++) {
    struct rig rig;
    open_rig(&rig, config, 2, split);
    launch(&rig, 1, 1);
    settle(&rig);
    submit_one(&rig, 1, RELEASE | WITH_STAMP, data_addr(1) + 0x230, 0x1234);
    submit_one(&rig, 1, ACQUIRE, data_addr(1) + 0x230, 0x1234);
    submit_one(&rig, 1, SET, QSM_SETTING_GOAL, 0x777);
    settle(&rig);
    assert_int_equal(flags(&rig, 1), ENABLED);
    assert_int_equal(peek(&rig, driver(1, QSM_CH_DONE)), 4);
    assert_int_equal(*word_at(&rig, data_addr(1) + 0x230), 0x1234);
    assert_int_equal(*context_word(&rig, 1, 1), 0x777);
    assert_int_equal(peek(&rig, slot_register(0, QSM_SLOT_MEM_SPLIT)), split);
    close_rig(&rig);
  }
}

// ---- Anything, against what must hold ----

enum { OPS = 250, NEW_COMMANDS = 5 };

// What a host does to channels, and what it knows of them.
struct game {
  struct rig rig;
  uint64_t random;
  uint32_t piece;                    // cycles of a run, 0: all at once
  bool has_priorities;               // else all channels have the same
  uint32_t submitted[MAX_CHANNELS];  // commands, since the channel was enabled
  uint32_t begun[MAX_CHANNELS];      // different ones
  uint32_t last_get[MAX_CHANNELS];   // of the last that began
  bool waited[MAX_CHANNELS];         // since then
  uint32_t passed[MAX_CHANNELS];     // fetches of others since it was eligible
  uint32_t last, last_passed;        // the last fetch: of whom, and who was eligible beside it
  uint32_t semaphore[MAX_CHANNELS];  // value that the last acquire waits for
  uint32_t chosen_among, chosen;     // of the last ROW
  uint32_t seen;                     // events
};

static uint32_t draw(struct game *game, uint32_t n) { return model_random(&game->random, n); }

static uint32_t eligible_now(const struct rig *rig) {
  uint32_t set = 0;
  for (uint32_t c = 0; c < rig->config.cmd_channels; c++) {
    bool fresh = peek(rig, page(c, QSM_PAGE_STATE)) & QSM_PAGE_STATE_FRESH_MASK;
    bool eligible =
        (flags(rig, c) & ~(uint32_t)(SUSPENDED | IRQ | PRIORITY)) == (ENABLED | PENDING);
    set |= (uint32_t)(eligible && !fresh) << c;
  }
  return set;
}

// Of a set those of its highest priority.
static uint32_t foremost(const struct rig *rig, uint32_t channels) {
  for (uint32_t priority = PRIORITY; channels; priority -= FIRST_PRIORITY) {
    uint32_t set = 0;
    for (uint32_t left = channels; left; left &= left - 1)
      if ((flags(rig, qsm_lowest(left)) & PRIORITY) == priority) set |= left & -left;
    if (set) return set;
  }
  return 0;
}

// The turn of their priority.
static uint32_t next_of(const struct rig *rig, uint32_t channels) {
  uint32_t priority = channels ? flags(rig, qsm_lowest(channels)) / FIRST_PRIORITY : 0;
  return common(rig, 1) >> 8 * priority & 0xFF;
}

// R-FR-5: the first circular from next, among the eligible ones of the highest priority at the
// cycle's start.
static void check_choice(struct game *game, uint32_t c, uint32_t among, uint32_t next) {
  assert_int_equal(c, qsm_first_from(among, next));
  game->chosen = c;
  game->chosen_among = among;
}

// Nobody is passed over by more than the others of his priority. Who finds slots or the engine
// taken keeps the turn, so that a fetch that has led to waiting does not count.
static void check_turns(struct game *game, uint32_t c) {
  const uint32_t n = game->rig.config.cmd_channels;
  for (uint32_t i = 0; i < n; i++) {
    bool eligible = i != c && (game->chosen_among >> i & 1);
    game->passed[i] += (game->last_passed >> i & 1) && !game->waited[game->last];
    if (!eligible) game->passed[i] = 0;
    assert_true(game->passed[i] <= n - 1);
  }
  game->last = c;
  game->last_passed = game->chosen_among & ~(1u << c);
}

// A command is begun once and in order, never one that is not there.
static void check_command(struct game *game, const struct qsm_event *event) {
  uint32_t c = event->word[0], get = event->word[1];
  bool again = game->begun[c] && get == game->last_get[c];
  assert_int_equal(c, game->chosen);
  if (again) {
    assert_true(game->waited[c]);
  } else {
    assert_int_equal(get, game->begun[c]++ % COMMANDS);
  }
  assert_true(game->begun[c] <= game->submitted[c]);
  check_turns(game, c);
  game->last_get[c] = get;
  game->waited[c] = false;
}

// One cycle, with the state at its start known.
static void watch_cycle(struct game *game) {
  struct rig *rig = &game->rig;
  uint32_t among = foremost(rig, eligible_now(rig)), next = next_of(rig, among);
  run(rig, 1);
  for (; game->seen < rig->n_events; game->seen++) {
    const struct qsm_event *event = &rig->events[game->seen];
    if (event->kind == QSM_EV_COMMAND) check_command(game, event);
    if (event->kind == QSM_EV_CHANNEL && event->word[0] == QSM_FRONT_ROW &&
        event->cycle + 1 == now(rig))
      check_choice(game, event->word[1], among, next);
  }
  for (uint32_t c = 0; c < rig->config.cmd_channels; c++)
    game->waited[c] |= (flags(rig, c) & WAITS) != 0;
}

static void pass_time(struct game *game, uint32_t n) {
  if (game->piece == 1) {
    while (n--) watch_cycle(game);
  } else if (game->piece == 0) {
    run(&game->rig, n);
  } else {
    for (uint32_t part; n; n -= part) {
      part = n < game->piece ? n : game->piece;
      run(&game->rig, part);
    }
  }
}

// One of the two cycles of an access, in which the sequencer goes on as well: the first without
// `addr`.
static bool access_cycle(struct game *game, const uint32_t *addr, uint32_t value) {
  struct rig *rig = &game->rig;
  uint32_t among = foremost(rig, eligible_now(rig)), next = next_of(rig, among);
  uint32_t seen = rig->n_events;
  bool ok = true;
  if (addr) {
    ok = qsm_model_write(rig->model, *addr, value) == 0;
  } else {
    qsm_model_choose(rig->model);
  }
  for (; game->piece == 1 && seen < rig->n_events; seen++)
    if (rig->events[seen].kind == QSM_EV_CHANNEL && rig->events[seen].word[0] == QSM_FRONT_ROW)
      check_choice(game, rig->events[seen].word[1], among, next);
  for (uint32_t c = 0; game->piece == 1 && c < rig->config.cmd_channels; c++)
    game->waited[c] |= (flags(rig, c) & WAITS) != 0;
  return ok;
}

static bool access(struct game *game, uint32_t addr, uint32_t value) {
  access_cycle(game, NULL, 0);
  return access_cycle(game, &addr, value);
}

static void submit_some(struct game *game, uint32_t c) {
  struct rig *rig = &game->rig;
  const uint32_t to = page(c, QSM_PAGE_PUT);
  access_cycle(game, NULL, 0);
  uint32_t get = peek(rig, page(c, QSM_PAGE_GET)), state = peek(rig, page(c, QSM_PAGE_STATE));
  uint32_t room = (get - rig->tail[c] - 1) % COMMANDS, n = draw(game, NEW_COMMANDS);
  bool taken = (state & 0x25) == 1;  // enabled, neither suspended nor fresh
  if (n > room) n = room;
  for (uint32_t i = 0; taken && i < n; i++) {
    switch (draw(game, 7)) {
      case 0: add(rig, c, LAUNCH, descriptor_addr(0), 0); break;
      case 5:
        add_copy(rig, c, 0, host_addr(c) + draw(game, 90), data_addr(c) + 128 + draw(game, 90),
                 1 + draw(game, 400));
        break;
      case 6:
        add_fill(rig, c, draw(game, 2) ? WITH_IRQ : 0, host_addr(c) + draw(game, 90),
                 1 + draw(game, 90), draw(game, 1000));
        break;
      case 1: add(rig, c, NOP | (draw(game, 2) ? WITH_IRQ : 0), 0, 0); break;
      case 2: add(rig, c, ACQUIRE, data_addr(c), ++game->semaphore[c]); break;
      default: add(rig, c, RELEASE, data_addr(c) + 64, game->submitted[c] + i + 1); break;
    }
  }
  if (taken) game->submitted[c] += n;
  assert_int_equal(access_cycle(game, &to, rig->tail[c]), taken);
}

// A driver that takes a channel away, and gives it anew when nothing of it is left.
static void renew(struct game *game, uint32_t c) {
  struct rig *rig = &game->rig;
  access(game, driver(c, QSM_CH_CTRL), 0);
  pass_time(game, 5000);
  assert_int_equal(flags(rig, c) & (ENABLED | BUSY), 0);
  rig->tail[c] = game->submitted[c] = game->begun[c] = 0;
  game->waited[c] = false;
  game->semaphore[c] = 0;
  *word_at(rig, data_addr(c)) = 0;
  assert_true(access(game, driver(c, QSM_CH_CTRL), 1));
}

// With a priority; turns are counted anew.
static uint32_t enabled(struct game *game) {
  if (game->has_priorities) memset(game->passed, 0, sizeof game->passed);
  if (game->has_priorities) game->last_passed = 0;
  return 1 | (game->has_priorities ? draw(game, 4) << QSM_CH_CTRL_PRIORITY_SHIFT : 0);
}

static void play_game(struct game *game) {
  struct rig *rig = &game->rig;
  for (uint32_t i = 0; i < OPS; i++) {
    uint32_t c = draw(game, rig->config.cmd_channels);
    switch (draw(game, 17)) {
      case 0: access(game, driver(c, QSM_CH_CTRL), enabled(game) | QSM_CH_CTRL_HOLD_MASK); break;
      case 1: access(game, driver(c, QSM_CH_CTRL), enabled(game) | QSM_CH_CTRL_SUSPEND_MASK); break;
      case 2:
      case 3: access(game, driver(c, QSM_CH_CTRL), enabled(game)); break;
      case 16: access(game, QSM_REG_LINK_INTERVAL, 1 + draw(game, 8000)); break;
      case 4: access(game, QSM_REG_FRONT_MODE, draw(game, 2)); break;
      case 5:
      case 6:
      case 7: *word_at(rig, data_addr(c)) += 1; break;
      case 8:
        if (draw(game, 4) == 0) renew(game, c);
        break;
      case 9: access(game, QSM_REG_FRONT_IRQ0, 1u << c); break;
      default: submit_some(game, c); break;
    }
    pass_time(game, draw(game, draw(game, 3) ? 40 : 700));
  }
  // Nobody is kept any more: nothing was lost.
  for (uint32_t c = 0; c < rig->config.cmd_channels; c++) {
    access(game, driver(c, QSM_CH_CTRL), 1);
    *word_at(rig, data_addr(c)) = game->semaphore[c];
  }
  pass_time(game, 60000);
}

static struct qsm_config game_config(uint32_t n) {
  struct qsm_config config = n % 3 == 0   ? far_away(model_tiny())
                             : n % 3 == 1 ? model_odd()
                                          : model_wide();
  config.cmd_channels = config.num_kernels < MAX_CHANNELS ? config.num_kernels : MAX_CHANNELS;
  return config;
}

static void start_game(struct game *game, uint32_t n, uint64_t seed, uint32_t piece) {
  struct qsm_config config = game_config(n);
  *game = (struct game){.random = seed, .piece = piece, .has_priorities = n / 3};
  open_rig(&game->rig, config, config.cmd_channels, 0);
}

// R-FR-4, R-FR-5, R-FR-6, R-FR-19.
static void commands_are_done_once_in_order_and_in_turn(void **state) {
  (void)state;
  uint64_t seed = model_seed("test_front");
  for (uint32_t n = 0; n < (model_brief_run() ? 1u : 6u); n++) {
    struct game game;
    start_game(&game, n, seed + n, 1);
    play_game(&game);
    for (uint32_t c = 0; c < game.rig.config.cmd_channels; c++) {
      assert_int_equal(flags(&game.rig, c) & ~(uint32_t)(IRQ | PRIORITY), ENABLED);
      assert_int_equal(peek(&game.rig, driver(c, QSM_CH_DONE)), game.submitted[c]);
      assert_int_equal(game.begun[c], game.submitted[c]);
      assert_int_equal(peek(&game.rig, page(c, QSM_PAGE_GET)), game.rig.tail[c]);
    }
    close_rig(&game.rig);
  }
}

// The model's windows show nowhere: whether cycles are run one by one, in pieces or at once.
static void events_do_not_depend_on_pieces(void **state) {
  (void)state;
  uint64_t seed = model_seed("test_front");
  for (uint32_t n = 0; n < (model_brief_run() ? 1u : 6u); n++) {
    struct game one, other;
    start_game(&one, n, seed + n, 0);
    play_game(&one);
    for (uint32_t piece = 1; piece < 8; piece += 6) {
      start_game(&other, n, seed + n, piece);
      play_game(&other);
      assert_int_equal(now(&one.rig), now(&other.rig));
      assert_int_equal(one.rig.n_events, other.rig.n_events);
      for (uint32_t i = 0; i < one.rig.n_events; i++) {
        const struct qsm_event *a = &one.rig.events[i], *b = &other.rig.events[i];
        assert_int_equal(a->cycle, b->cycle);
        assert_int_equal(a->kind, b->kind);
        assert_memory_equal(a->word, b->word, 5 * sizeof *a->word);
      }
      close_rig(&other.rig);
    }
    close_rig(&one.rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(commands_are_done_once_in_order_and_in_turn),
      cmocka_unit_test(events_do_not_depend_on_pieces),
      cmocka_unit_test(a_nop_takes_the_cycles_of_the_page),
      cmocka_unit_test(a_launch_takes_the_cycles_of_the_page),
      cmocka_unit_test(the_host_comes_first_at_the_table),
      cmocka_unit_test(the_host_comes_first_at_the_registers),
      cmocka_unit_test(a_tenant_that_writes_put_all_the_time_stops_nobody),
      cmocka_unit_test(a_host_that_reads_all_the_time_lets_a_launch_begin),
      cmocka_unit_test(a_broken_command_stops_its_channel_and_no_other),
      cmocka_unit_test(an_index_outside_of_the_ring_stops_the_channel),
      cmocka_unit_test(a_refused_context_stops_the_channel_and_leaves_the_slot),
      cmocka_unit_test(a_refused_descriptor_stops_the_channel),
      cmocka_unit_test(the_front_end_multiplies_the_block),
      cmocka_unit_test(budgets_of_others_stop_a_launch),
      cmocka_unit_test(the_time_of_a_launch_is_that_of_its_slot),
      cmocka_unit_test(a_killed_launch_stops_its_channel),
      cmocka_unit_test(the_mode_says_how_many_launches_run),
      cmocka_unit_test(a_change_of_mode_lets_a_launch_go_on),
      cmocka_unit_test(three_channels_take_turns_on_one_slot),
      cmocka_unit_test(a_bound_slot_is_taken_over_with_its_context),
      cmocka_unit_test(a_slot_is_unbound_when_it_is_not_to_be_used_any_more),
      cmocka_unit_test(slots_of_the_host_are_left_alone),
      cmocka_unit_test(a_copy_takes_the_cycles_of_the_page),
      cmocka_unit_test(copies_and_fills_move_the_bytes_they_name),
      cmocka_unit_test(the_link_takes_its_time),
      cmocka_unit_test(a_copy_that_finds_the_engine_taken_waits),
      cmocka_unit_test(a_copy_runs_beside_a_launch),
      cmocka_unit_test(a_disabled_channel_copies_to_the_end),
      cmocka_unit_test(the_state_of_the_engine_is_seen),
      cmocka_unit_test(launches_are_counted_exactly),
      cmocka_unit_test(the_hosts_launches_in_a_bound_slot_are_counted),
      cmocka_unit_test(a_slot_is_counted_while_the_host_runs_it),
      cmocka_unit_test(a_launch_over_its_limit_is_killed),
      cmocka_unit_test(a_kill_waits_for_the_host_alone),
      cmocka_unit_test(a_limit_shows_only_where_it_is_reached),
      cmocka_unit_test(a_higher_priority_takes_a_slot_back),
      cmocka_unit_test(a_launch_without_a_rest_does_not_come_again),
      cmocka_unit_test(a_launch_that_goes_on_writes_its_walk),
      cmocka_unit_test(who_has_to_yield),
      cmocka_unit_test(a_launch_that_yields_may_be_killed),
      cmocka_unit_test(a_new_beginning_resumes_nothing),
      cmocka_unit_test(an_old_launch_moves_nothing),
      cmocka_unit_test(a_full_ring_is_not_empty_when_its_launch_yields),
      cmocka_unit_test(an_acquire_goes_on_when_the_value_is_reached),
      cmocka_unit_test(an_acquire_takes_the_cycles_of_the_page),
      cmocka_unit_test(a_channel_that_is_enabled_anew_does_not_wait),
      cmocka_unit_test(waiting_channels_look_again),
      cmocka_unit_test(waits_fall_with_the_turn),
      cmocka_unit_test(channels_behind_those_that_wait_for_a_slot_come_on),
      cmocka_unit_test(a_release_wakes_and_stamps),
      cmocka_unit_test(a_setting_changes_slot_and_context),
      cmocka_unit_test(a_refused_setting_stops_the_channel),
      cmocka_unit_test(own_settings_are_of_one_launch),
      cmocka_unit_test(the_own_mask_is_obeyed),
      cmocka_unit_test(own_changes_in_the_cycles_of_the_page),
      cmocka_unit_test(a_refused_own_setting_leaves_nothing),
      cmocka_unit_test(wrong_words_of_own_settings_stop_the_channel),
      cmocka_unit_test(a_slot_that_is_bound_has_nothing_own),
      cmocka_unit_test(a_setting_between_own_ones_is_of_the_next_launch),
      cmocka_unit_test(a_launch_that_goes_on_has_its_own_settings),
      cmocka_unit_test(the_context_is_loaded_when_it_may_have_changed),
      cmocka_unit_test(a_channel_that_is_enabled_begins_anew),
      cmocka_unit_test(suspend_and_hold_stop_one_end_each),
      cmocka_unit_test(a_disabled_channel_finishes_what_has_begun),
      cmocka_unit_test(channels_are_fetched_in_turn),
      cmocka_unit_test(a_higher_priority_goes_first),
      cmocka_unit_test(turns_of_a_priority_are_its_own),
      cmocka_unit_test(a_put_while_the_row_is_read_is_not_lost),
      cmocka_unit_test(a_ring_goes_round),
      cmocka_unit_test(a_snapshot_is_of_one_cycle),
      cmocka_unit_test(channels_interrupt_and_slots_of_the_front_end_do_not),
      cmocka_unit_test(the_longest_window_ends_where_something_shows),
      cmocka_unit_test(the_interrupt_of_a_copy_ends_a_window),
      cmocka_unit_test(an_interrupt_wins_over_its_clear),
      cmocka_unit_test(registers_are_there_only_with_channels),
      cmocka_unit_test(the_last_channel_is_like_the_first),
      cmocka_unit_test(a_channel_with_a_part_of_the_memory_finds_everything_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
