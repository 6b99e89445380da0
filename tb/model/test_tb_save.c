// SPDX-License-Identifier: Apache-2.0
// The sequencer, R-PE-12 to R-PE-22, on whole models of one SM: which instructions it injects and
// when, the contents of an image, what a restore reads from it, broken images, flushes, and that
// injected instructions are not counted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model_program.h"
#include "model_support.h"
#include "qsm_mem.h"
#include "qsm_regs.h"

enum {
  AREA_OFFSET = 0x4000,
  MAX_EVENTS = 4000,
  LINE_WORDS = 4,
  STATE_LINE = 32,
  SPIN_PC = 11 * 4,
  AFTER_BARRIER_PC = 13 * 4
};
enum { ST, LD, STS, LDS, SET, JMP };
#define CODE_BASE (QSM_MEM_BASE + PROGRAM_CODE)
#define AREA_BASE (QSM_MEM_BASE + PROGRAM_DATA + AREA_OFFSET)

// In each warp: lane 0 (and 3) spins, lane 1 waits at a barrier, lane 2 has ended. Shared word and
// x6 of a thread: tid + 100.
static const uint32_t scattered[] = {
    0xCC0022F3,  // 0  csrr x5, tid
    0x06428313,  // 1  addi x6, x5, 100
    0x10000837,  // 2  lui x16, 0x10000
    0x00229893,  // 3  slli x17, x5, 2
    0x01180833,  // 4  add x16, x16, x17
    0x00682023,  // 5  sw x6, 0(x16)
    0x0032F393,  // 6  andi x7, x5, 3
    0x00100413,  // 7  addi x8, x0, 1
    0x00838863,  // 8  beq x7, x8, 12
    0x00200413,  // 9  addi x8, x0, 2
    0x00838863,  // 10 beq x7, x8, 14
    0x00000063,  // 11 beq x0, x0, 11
    0x0000000B,  // 12 bar
    0x0000100B,  // 13 exit
    0x0000100B,  // 14 exit
};

struct log {
  uint32_t n;
  struct qsm_event event[MAX_EVENTS];
};

static void note(void *ctx, const struct qsm_event *event) {
  struct log *log = ctx;
  bool wanted = event->kind == QSM_EV_INJECT || event->kind == QSM_EV_TBOP ||
                event->kind == QSM_EV_RESUMED || event->kind == QSM_EV_RETIRE;
  if (wanted && log->n < MAX_EVENTS) log->event[log->n++] = *event;
}

static struct log *watch(struct qsm_model *model) {
  static struct log log;
  log.n = 0;
  qsm_model_set_sink(model, note, &log);
  return &log;
}

// Blocks of `threads` threads, with a save area and held blocks; not launched.
static struct qsm_model *open(enum program program, uint32_t loops, uint32_t blocks,
                              uint32_t threads) {
  struct qsm_config config = model_tiny();
  struct qsm_model *model = NULL;
  char msg[200];
  assert_int_equal(qsm_model_create(&config, &model, msg, sizeof msg), 0);
  program_load(model, &config, 0, 1, program, loops, blocks, threads);
  port_write(model, slot_register(0, QSM_SLOT_SAVE_BASE), AREA_BASE);
  port_write(model, slot_register(0, QSM_SLOT_SAVE_LIMIT),
             QSM_MEM_BASE + PROGRAM_DATA + PROGRAM_DATA_BYTES);
  port_write(model, slot_register(0, QSM_SLOT_IDEMPOTENT), 1);
  port_write(model, slot_register(0, QSM_SLOT_PREEMPT_HOLD), 1);
  return model;
}

static struct qsm_model *open_scattered(void) {
  struct qsm_model *model = open(PROGRAM_SPIN, 1, 2, 7);
  memcpy(qsm_model_memory(model) + PROGRAM_CODE, scattered, sizeof scattered);
  program_launch(model, 0);
  qsm_model_run(model, 20000, false);  // so that every lane has come where it stays
  return model;
}

static void preempt(struct qsm_model *model, uint32_t tb, uint32_t technique) {
  port_write(model, QSM_REG_PREEMPT,
             tb << QSM_REG_PREEMPT_TB_SHIFT | QSM_REG_PREEMPT_BY_SLOT_MASK |
                 technique << QSM_REG_PREEMPT_TECHNIQUE_SHIFT);
}

static uint32_t result(struct qsm_model *model) {
  return port_read(model, QSM_REG_SMSEL_JOB) >> QSM_REG_SMSEL_JOB_RESULT_SHIFT;
}

static uint32_t *image_word(struct qsm_model *model, uint32_t line, uint32_t lane) {
  return (uint32_t *)(void *)(qsm_model_memory(model) + PROGRAM_DATA + AREA_OFFSET) +
         LINE_WORDS * line + lane;
}

static uint32_t state(struct qsm_model *model, enum qsm_state_kind kind, uint32_t index,
                      uint32_t word) {
  uint32_t value = 0;
  assert_true(qsm_model_state(model, kind, 0, 0, index, word, &value));
  return value;
}

// ---- A save ----

struct expected {
  uint32_t step, reg, value, mask;
};

static uint32_t expect(struct expected *list, uint32_t n, uint32_t step, uint32_t reg,
                       uint32_t value, uint32_t mask) {
  list[n] = (struct expected){step, reg, value, mask};
  return n + 1;
}

static uint32_t at_line(uint32_t line) { return AREA_BASE + 16 * line; }

// What R-PE-17 says for block 1 of `scattered`.
static uint32_t expected_save(struct expected *list) {
  uint32_t n = 0;
  for (uint32_t r = 1; r < 32; r++) {
    for (uint32_t i = 0; i < 2; i++) n = expect(list, n, ST, r, at_line(3 + 33 * i + r), 15);
  }
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t spins = i == 0 ? 9 : 1, dead = i == 0 ? 4 : 12;
    n = expect(list, n, SET, 31, CODE_BASE + SPIN_PC, spins);
    n = expect(list, n, SET, 30, 32, spins);
    n = expect(list, n, SET, 31, CODE_BASE + AFTER_BARRIER_PC, 2);
    n = expect(list, n, SET, 30, 64 + 32, 2);
    n = expect(list, n, SET, 31, 0, dead);
    n = expect(list, n, SET, 30, 0, dead);
    n = expect(list, n, ST, 31, at_line(3 + 33 * i), 15);
    n = expect(list, n, ST, 30, at_line(3 + 33 * i + 32), 15);
  }
  n = expect(list, n, SET, 30, 0, 15);
  n = expect(list, n, LDS, 31, 0x10000000, 15);
  n = expect(list, n, LDS, 31, 0x10000010, 7);  // 28 bytes
  n = expect(list, n, ST, 31, at_line(3 + 33 * 2), 15);
  n = expect(list, n, ST, 31, at_line(3 + 33 * 2 + 1), 15);
  const uint32_t header[] = {1, 0, 1};
  for (uint32_t line = 0; line < 3; line++) {
    n = expect(list, n, SET, 31, header[line], 15);
    n = expect(list, n, ST, 31, at_line(line), 15);
  }
  return n;
}

static void a_save_injects_the_steps_of_the_page_in_their_order(void **unused) {
  (void)unused;
  struct qsm_model *model = open_scattered();
  struct log *log = watch(model);
  preempt(model, 1, 0);
  qsm_model_run(model, 3000, false);
  struct expected list[200];
  uint32_t n = expected_save(list), found = 0;
  for (uint32_t i = 0; i < log->n; i++) {
    const struct qsm_event *event = &log->event[i];
    if (event->kind != QSM_EV_INJECT) continue;
    assert_true(found < n);
    const uint32_t words[] = {list[found].step, list[found].reg, list[found].value,
                              list[found].mask};
    assert_memory_equal(event->word + 1, words, sizeof words);
    found++;
  }
  assert_int_equal(found, n);
  assert_int_equal(result(model), 2);
  qsm_model_destroy(model);
}

static void phases_follow_each_other_and_the_slot_retires_saved(void **unused) {
  (void)unused;
  struct qsm_model *model = open_scattered();
  struct log *log = watch(model);
  uint64_t t = qsm_model_cycle(model) + 1;  // in which PREEMPT is written
  preempt(model, 1, 0);
  qsm_model_run(model, 3000, false);
  static const uint32_t phases[] = {2, 3, 4, 5, 6, 7, 8, 9, 0};
  uint32_t n = 0;
  uint64_t begin[sizeof phases / sizeof *phases], retired = 0;
  for (uint32_t i = 0; i < log->n; i++) {
    if (log->event[i].kind == QSM_EV_RETIRE) {
      retired = log->event[i].cycle;
      assert_int_equal(log->event[i].word[1], 1);
    }
    if (log->event[i].kind != QSM_EV_TBOP) continue;
    assert_true(n < sizeof phases / sizeof *phases);
    assert_int_equal(log->event[i].word[2], phases[n]);
    assert_int_equal(log->event[i].word[0], phases[n] ? QSM_TB_SAVE : QSM_TB_NEW);
    begin[n++] = log->event[i].cycle;
  }
  assert_int_equal(n, sizeof phases / sizeof *phases);
  assert_int_equal(begin[0], t + 3 + 1);       // decision, NocLat, frozen at its end
  assert_int_equal(begin[2], begin[1] + 2);    // warp 0 is there; a place takes two cycles
  assert_true(begin[3] >= begin[2] + 2 * 62);  // R-PE-16: a step in two cycles
  assert_true(begin[5] - begin[4] >= 2 * 3);   // a SET and a place for each warp
  assert_int_equal(begin[8], retired);
  qsm_model_destroy(model);
}

static void an_image_holds_what_the_page_says(void **unused) {
  (void)unused;
  struct qsm_model *model = open_scattered();
  preempt(model, 1, 0);
  qsm_model_run(model, 3000, false);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_SAVED)), 1 | 1 << 8);
  for (uint32_t lane = 0; lane < 4; lane++) {
    const uint32_t header[] = {1, 0, 1};
    for (uint32_t line = 0; line < 3; line++)
      assert_int_equal(*image_word(model, line, lane), header[line]);
    for (uint32_t i = 0; i < 2; i++) {
      bool dead = lane == 2 || (i == 1 && lane == 3), waits = lane == 1;
      uint32_t pc = dead ? 0 : CODE_BASE + (waits ? AFTER_BARRIER_PC : SPIN_PC);
      assert_int_equal(*image_word(model, 3 + 33 * i, lane), pc);
      assert_int_equal(*image_word(model, 3 + 33 * i + STATE_LINE, lane), dead    ? 0
                                                                          : waits ? 96
                                                                                  : 32);
      if (!dead) assert_int_equal(*image_word(model, 3 + 33 * i + 6, lane), 100 + 4 * i + lane);
    }
    assert_int_equal(*image_word(model, 3 + 33 * 2, lane), 100 + lane);
    if (lane < 3) assert_int_equal(*image_word(model, 3 + 33 * 2 + 1, lane), 104 + lane);
  }
  qsm_model_destroy(model);
}

// ---- A restore ----

static void let_go(struct qsm_model *model) {
  port_write(model, slot_register(0, QSM_SLOT_PREEMPT_HOLD), 0);
  qsm_model_run(model, 4000, false);
}

static void a_restored_block_is_where_it_was(void **unused) {
  (void)unused;
  struct qsm_model *model = open_scattered();
  preempt(model, 1, 0);
  qsm_model_run(model, 3000, false);
  struct log *log = watch(model);
  let_go(model);
  uint32_t resumed = 0, jumps = 0;
  for (uint32_t i = 0; i < log->n; i++) {
    resumed += log->event[i].kind == QSM_EV_RESUMED;
    jumps += log->event[i].kind == QSM_EV_INJECT && log->event[i].word[1] == JMP;
  }
  assert_int_equal(resumed, 1);
  assert_int_equal(jumps, 2);
  assert_int_equal(state(model, QSM_STATE_TBS, 1, 0), 1);
  assert_int_equal(state(model, QSM_STATE_TBS, 1, 3), 0);  // no warp has wholly arrived
  assert_int_equal(state(model, QSM_STATE_TBS, 1, 6), 1);
  assert_int_equal(state(model, QSM_STATE_TBS, 1, 8), 1);
  const uint32_t live[] = {11, 3};
  for (uint32_t w = 2; w < 4; w++) {  // slots 0 and 1 are block 0's
    assert_int_equal(state(model, QSM_STATE_WARP, w, 1), live[w - 2]);
    assert_int_equal(state(model, QSM_STATE_WARP, w, 2), 2);
    assert_int_equal(state(model, QSM_STATE_LANE_PC, w, 1), CODE_BASE + AFTER_BARRIER_PC);
    for (uint32_t lane = 0; lane < 2; lane++)
      assert_int_equal(state(model, QSM_STATE_REG, 32 * w + 6, lane), 100 + 4 * (w - 2) + lane);
    for (uint32_t r = 30; r < 32; r++) {
      assert_int_equal(state(model, QSM_STATE_REG, 32 * w + r, 0),
                       *image_word(model, 3 + 33 * (w - 2) + r, 0));
    }
  }
  qsm_model_destroy(model);
}

// ---- Shared memory (R-SM-10) ----

// Words of block 1's shared memory, whose 28 bytes begin at its granule.
static void expect_shared(struct qsm_model *model, uint32_t first) {
  enum { FIRST_ROW = 8, N_WORDS = 7 };
  for (uint32_t i = 0; i < N_WORDS; i++) {
    assert_int_equal(state(model, QSM_STATE_SHARED, FIRST_ROW + i / LINE_WORDS, i % LINE_WORDS),
                     first ? first + i : 0);
  }
}

static void a_saved_block_is_wiped_and_comes_back_with_its_words(void **unused) {
  (void)unused;
  struct qsm_model *model = open_scattered();
  expect_shared(model, 100);
  preempt(model, 1, 0);
  qsm_model_run(model, 3000, false);
  assert_int_equal(state(model, QSM_STATE_TBS, 1, 0), 0);
  expect_shared(model, 0);
  let_go(model);
  assert_int_equal(state(model, QSM_STATE_TBS, 1, 0), 1);
  expect_shared(model, 100);
  qsm_model_destroy(model);
}

// Each thread adds its number and 100 to its word, once each time that its block starts.
static const uint32_t adds[] = {
    0xCC0022F3,  // csrr x5, tid
    0x10000837,  // lui x16, 0x10000
    0x00229893,  // slli x17, x5, 2
    0x01180833,  // add x16, x16, x17
    0x00082303,  // lw x6, 0(x16)
    0x06430313,  // addi x6, x6, 100
    0x00530333,  // add x6, x6, x5
    0x00682023,  // sw x6, 0(x16)
    0x00000063,  // beq x0, x0, 0
};

static void a_flushed_block_starts_again_with_zeros(void **unused) {
  (void)unused;
  struct qsm_model *model = open(PROGRAM_SPIN, 1, 2, 7);
  memcpy(qsm_model_memory(model) + PROGRAM_CODE, adds, sizeof adds);
  program_launch(model, 0);
  qsm_model_run(model, 3000, false);
  expect_shared(model, 100);
  preempt(model, 1, 2);
  qsm_model_run(model, 3000, false);
  assert_int_equal(result(model), 2);
  expect_shared(model, 0);
  let_go(model);
  expect_shared(model, 100);
  qsm_model_destroy(model);
}

// Both blocks are over at once; the launch ends when both are wiped.
static void a_killed_block_is_wiped(void **unused) {
  (void)unused;
  struct qsm_model *model = open_scattered();
  port_write(model, slot_register(0, QSM_SLOT_KILL), 1);
  qsm_model_run(model, 200, true);
  assert_int_equal(port_read(model, QSM_REG_IRQ), 1);
  for (uint32_t row = 0; row < 16; row++) {
    for (uint32_t bank = 0; bank < LINE_WORDS; bank++)
      assert_int_equal(state(model, QSM_STATE_SHARED, row, bank), 0);
  }
  qsm_model_destroy(model);
}

// ---- Ends of jobs ----

static void a_broken_image_kills_its_kernel_only(void **unused) {
  (void)unused;
  struct qsm_model *model = open_scattered();
  preempt(model, 1, 0);
  qsm_model_run(model, 3000, false);
  *image_word(model, 3 + 33, 1) = CODE_BASE + 0x123;  // warp 1, lane 1
  let_go(model);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_STATUS)),
                   QSM_SLOT_STATUS_KILLED_MASK);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_FAULT_CAUSE)), 0);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_FAULT_PC)), 0);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_FAULT_TID)), 5);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_FAULT_BLOCK)), 1);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_FAULT_VALUE)), CODE_BASE + 0x122);
  assert_int_equal(port_read(model, QSM_REG_SMSEL_JOB) &
                       (QSM_REG_SMSEL_JOB_KIND_MASK | QSM_REG_SMSEL_JOB_PHASE_MASK),
                   0);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_SAVED)), 0);
  qsm_model_destroy(model);
}

static void a_flush_saves_the_header_only_and_starts_again(void **unused) {
  (void)unused;
  struct qsm_model *model = open_scattered();
  struct log *log = watch(model);
  preempt(model, 1, 2);
  qsm_model_run(model, 3000, false);
  uint32_t injected = 0;
  for (uint32_t i = 0; i < log->n; i++) injected += log->event[i].kind == QSM_EV_INJECT;
  assert_int_equal(injected, 6);
  log = watch(model);
  let_go(model);
  injected = 0;
  for (uint32_t i = 0; i < log->n; i++) injected += log->event[i].kind == QSM_EV_INJECT;
  assert_int_equal(injected, 3);
  assert_int_equal(state(model, QSM_STATE_TBS, 1, 6), 1);
  assert_int_equal(state(model, QSM_STATE_REG, 32 * 2 + 6, 0), 100);  // it runs: x6 = tid + 100
  qsm_model_destroy(model);
}

static void a_save_is_killed_in_any_of_its_cycles(void **unused) {
  (void)unused;
  for (uint32_t after = 0; after < 400; after += 7) {
    struct qsm_model *model = open_scattered();
    preempt(model, 1, 0);
    qsm_model_run(model, after, false);
    port_write(model, slot_register(0, QSM_SLOT_KILL), 1);
    qsm_model_run(model, 500, true);
    assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_STATUS)),
                     QSM_SLOT_STATUS_KILLED_MASK);
    assert_int_equal(port_read(model, QSM_REG_SMSEL_JOB) &
                         (QSM_REG_SMSEL_JOB_KIND_MASK | QSM_REG_SMSEL_JOB_PHASE_MASK),
                     0);
    uint32_t how = result(model);
    assert_true(
        how == 4 || how == 2 ||
        (how == 0 && after < 2));  // 2: it was queued already; 0: the decision found it killed
    qsm_model_destroy(model);
  }
}

static void a_restore_is_killed_in_any_of_its_cycles(void **unused) {
  (void)unused;
  for (uint32_t after = 0; after < 500; after += 9) {
    struct qsm_model *model = open_scattered();
    preempt(model, 1, 0);
    qsm_model_run(model, 3000, false);
    port_write(model, slot_register(0, QSM_SLOT_PREEMPT_HOLD), 0);
    qsm_model_run(model, after, false);
    port_write(model, slot_register(0, QSM_SLOT_KILL), 1);
    qsm_model_run(model, 500, true);
    assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_STATUS)),
                     QSM_SLOT_STATUS_KILLED_MASK);
    assert_int_equal(port_read(model, QSM_REG_SMSEL_JOB) &
                         (QSM_REG_SMSEL_JOB_KIND_MASK | QSM_REG_SMSEL_JOB_PHASE_MASK),
                     0);
    assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_SAVED)), 0);
    qsm_model_destroy(model);
  }
}

// ---- Beside warps that select in every cycle (R-WS-11) ----

// Lanes of one warp in two loops of one jump: every jump is followed by a selection.
static const uint32_t apart[] = {
    0xCC0022F3,  // 0  csrr x5, tid
    0x0012F393,  // 1  andi x7, x5, 1
    0x00038463,  // 2  beq x7, x0, 4
    0x0000006F,  // 3  jal x0, 3
    0x0000006F,  // 4  jal x0, 4
};

// In a block of two warps all of warp 0 waits at a barrier, which warp 1 never reaches.
static const uint32_t half_at_barrier[] = {
    0xCC0022F3,  // 0  csrr x5, tid
    0x0042F393,  // 1  andi x7, x5, 4
    0x00038463,  // 2  beq x7, x0, 4
    0x0000006F,  // 3  jal x0, 3
    0x0000000B,  // 4  bar
    0x0000100B,  // 5  exit
};

// A sub-core of 16 warps, 13 of which select in turn, one in every cycle. Stores are slow, so that
// no step follows another one at once.
static struct qsm_model *open_crowded(void) {
  enum { SPINNERS = 13 };
  struct qsm_config config = model_tiny();
  struct qsm_model *model = NULL;
  char msg[200];
  config.warps_per_sm = config.max_tbs = 16;
  config.mem_txns = 2;
  assert_int_equal(qsm_model_create(&config, &model, msg, sizeof msg), 0);
  program_load(model, &config, 1, 1, PROGRAM_SPIN, 1, SPINNERS, 4);
  port_write(model, slot_register(1, QSM_SLOT_SHARED_GRAN), 0);
  memcpy(qsm_model_memory(model) + PROGRAM_CODE + 0x1000, apart, sizeof apart);
  program_launch(model, 1);
  qsm_model_run(model, 2000, false);
  return model;
}

static void a_block_whose_lanes_wait_is_saved_beside_warps_that_select_in_every_cycle(
    void **unused) {
  (void)unused;
  struct qsm_model *model = open_crowded();
  struct qsm_config config = model_tiny();
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 1, 1, 8);
  memcpy(qsm_model_memory(model) + PROGRAM_CODE, half_at_barrier, sizeof half_at_barrier);
  port_write(model, slot_register(0, QSM_SLOT_SAVE_BASE), AREA_BASE);
  port_write(model, slot_register(0, QSM_SLOT_SAVE_LIMIT),
             QSM_MEM_BASE + PROGRAM_DATA + PROGRAM_DATA_BYTES);
  port_write(model, slot_register(0, QSM_SLOT_PREEMPT_HOLD), 1);
  program_launch(model, 0);
  qsm_model_run(model, 2000, false);
  port_write(model, QSM_REG_PREEMPT, 0);
  qsm_model_run(model, 6000, false);
  assert_int_equal(result(model), 2);
  qsm_model_destroy(model);
}

static void a_released_warp_goes_on_beside_warps_that_select_in_every_cycle(void **unused) {
  (void)unused;
  enum { LOOPS = 10 };
  struct qsm_model *model = open_crowded();
  struct qsm_config config = model_tiny();
  program_load(model, &config, 0, 1, PROGRAM_COUNT, LOOPS, 1, 4);
  port_write(model, QSM_REG_POLICY, QSM_POLICY_LRR_ROTATE);  // the only one that lets nobody starve
  program_launch(model, 0);
  qsm_model_run(model, 20000, true);
  assert_int_equal(port_read(model, QSM_REG_IRQ), 1);
  assert_int_equal(program_word(model, 0, 0), LOOPS * 2);
  qsm_model_destroy(model);
}

// ---- Every cycle of a block's life ----

// What a request met and became, over many runs.
struct tally {
  uint32_t no_tb, done, ended, in_launch, at_barrier, release_under_way, at_end;
};

static void look(struct qsm_model *model, uint32_t tb, struct tally *tally) {
  uint32_t left = state(model, QSM_STATE_TBS, tb, 2), arrived = state(model, QSM_STATE_TBS, tb, 3),
           resident = 0;
  if (!state(model, QSM_STATE_TBS, tb, 0)) return;
  for (uint32_t w = 0; w < 4; w++) resident += state(model, QSM_STATE_WARP, w, 0);
  tally->in_launch += resident < 2;
  tally->at_barrier += arrived && arrived < left;
  tally->release_under_way += arrived && arrived == left;
  tally->at_end += left < 2;
}

// One block of two warps that counts with barriers and atomics; a request `delay` cycles after the
// launch.
static void run_with_request(uint32_t technique, uint32_t delay, struct tally *tally) {
  enum { LOOPS = 2, THREADS = 8 };
  struct qsm_model *model = open(PROGRAM_COUNT, LOOPS, 1, THREADS);
  port_write(model, slot_register(0, QSM_SLOT_PREEMPT_HOLD), 0);
  program_launch(model, 0);
  qsm_model_run(model, delay, false);
  preempt(model, 0, technique);
  qsm_model_run(model, 4, false);  // decided, and seen by the SM
  look(model, 0, tally);
  qsm_model_run(model, 20000, true);
  assert_int_equal(port_read(model, QSM_REG_IRQ), 1);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_STATUS)), 0);
  uint32_t code = port_read(model, QSM_REG_PREEMPT_STATUS) & QSM_REG_PREEMPT_STATUS_CODE_MASK,
           how = result(model);
  assert_true(code == 5 || (code == 2 && (how == 2 || how == 3)));
  tally->no_tb += code == 5;
  tally->done += code == 2 && how == 2;
  tally->ended += code == 2 && how == 3;
  assert_int_equal(program_word(model, 0, 0), LOOPS * THREADS / 2);
  for (uint32_t i = 0; i < THREADS; i++) assert_int_equal(program_word(model, 0, 1 + i), LOOPS * i);
  qsm_model_destroy(model);
}

static void a_block_is_switched_in_every_cycle_of_its_life(void **unused) {
  (void)unused;
  struct tally tally = {0};
  for (uint32_t delay = 0; delay < 700; delay++) run_with_request(0, delay, &tally);
  assert_true(tally.no_tb && tally.done && tally.ended);
  assert_true(tally.in_launch && tally.at_barrier && tally.release_under_way && tally.at_end);
}

static void a_block_is_drained_in_every_cycle_of_its_life(void **unused) {
  (void)unused;
  struct tally tally = {0};
  for (uint32_t delay = 0; delay < 700; delay += 3) run_with_request(1, delay, &tally);
  assert_true(tally.no_tb && tally.done && !tally.ended);
}

// ---- Beside sums of floats (R-FP-3) ----

struct claims {
  uint64_t sum_at[4];  // cycles of the last sums issued
  uint32_t n_sums, n_sets, n_stores_in_claimed;
};

static void note_claims(void *ctx, const struct qsm_event *event) {
  struct claims *claims = ctx;
  bool claimed = false;
  for (uint32_t i = 0; i < 4; i++)
    claimed |= claims->n_sums && claims->sum_at[i] + 3 == event->cycle;
  if (event->kind == QSM_EV_ISSUE && (event->word[4] & 0x7F) == 0x53)
    claims->sum_at[claims->n_sums++ % 4] = event->cycle;
  if (event->kind != QSM_EV_INJECT) return;
  claims->n_sets += event->word[1] == SET;
  claims->n_stores_in_claimed += claimed && event->word[1] == ST;
  if (claimed && event->word[1] == SET)
    fail_msg("SET in cycle %llu, which a sum has claimed", (unsigned long long)event->cycle);
}

static void no_set_takes_the_place_of_a_sum(void **unused) {
  (void)unused;
  uint32_t sums[10];
  for (uint32_t i = 0; i < 9; i++) sums[i] = 0x00007053 | (10 + i) << 7;  // fadd.s
  sums[9] = 0xFDDFF06F;                                                   // jal x0, -36
  struct qsm_config config = model_tiny();
  struct qsm_model *model = NULL;
  struct claims claims = {0};
  char msg[200];
  config.fpu = 1;
  assert_int_equal(qsm_model_create(&config, &model, msg, sizeof msg), 0);
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 1, 1, 7);
  program_load(model, &config, 1, 1, PROGRAM_SPIN, 1, 1, 8);
  memcpy(qsm_model_memory(model) + PROGRAM_CODE, scattered, sizeof scattered);
  memcpy(qsm_model_memory(model) + PROGRAM_CODE + 0x1000, sums, sizeof sums);
  port_write(model, slot_register(0, QSM_SLOT_SAVE_BASE), AREA_BASE);
  port_write(model, slot_register(0, QSM_SLOT_SAVE_LIMIT),
             QSM_MEM_BASE + PROGRAM_DATA + PROGRAM_DATA_BYTES);
  port_write(model, slot_register(0, QSM_SLOT_PREEMPT_HOLD), 1);
  program_launch(model, 0);
  program_launch(model, 1);
  qsm_model_run(model, 20000, false);
  qsm_model_set_sink(model, note_claims, &claims);
  port_write(model, QSM_REG_PREEMPT, 0);
  qsm_model_run(model, 6000, false);
  assert_int_equal(result(model), 2);
  assert_true(claims.n_sums > 3000 && claims.n_sets > 10 && claims.n_stores_in_claimed > 10);
  qsm_model_destroy(model);
}

// ---- Accounting ----

// Thread instructions of a launch by the end of the epoch that follows it.
static uint64_t instructions(bool preempted) {
  struct qsm_model *model = open(PROGRAM_DIVIDE, 20, 6, 8);
  port_write(model, slot_register(0, QSM_SLOT_PREEMPT_HOLD), 0);
  program_launch(model, 0);
  uint32_t n_saved = 0;
  while (!port_read(model, QSM_REG_IRQ)) {
    qsm_model_run(model, 150, true);
    if (!preempted || port_read(model, QSM_REG_IRQ)) continue;
    port_write(model, QSM_REG_PREEMPT, 0);
    qsm_model_run(model, 10, false);
    n_saved += (port_read(model, QSM_REG_PREEMPT_STATUS) & 15) == 2;
  }
  if (preempted) assert_true(n_saved > 5);
  qsm_model_run(model, 12000, false);
  uint64_t n = port_read(model, slot_register(0, QSM_SLOT_INSN_LO));
  qsm_model_destroy(model);
  return n;
}

// R-IS-5.
static void injected_instructions_count_for_nobody(void **unused) {
  (void)unused;
  assert_int_equal(instructions(true), instructions(false));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_save_injects_the_steps_of_the_page_in_their_order),
      cmocka_unit_test(phases_follow_each_other_and_the_slot_retires_saved),
      cmocka_unit_test(an_image_holds_what_the_page_says),
      cmocka_unit_test(a_restored_block_is_where_it_was),
      cmocka_unit_test(a_saved_block_is_wiped_and_comes_back_with_its_words),
      cmocka_unit_test(a_flushed_block_starts_again_with_zeros),
      cmocka_unit_test(a_killed_block_is_wiped),
      cmocka_unit_test(a_broken_image_kills_its_kernel_only),
      cmocka_unit_test(a_flush_saves_the_header_only_and_starts_again),
      cmocka_unit_test(a_save_is_killed_in_any_of_its_cycles),
      cmocka_unit_test(a_restore_is_killed_in_any_of_its_cycles),
      cmocka_unit_test(a_block_whose_lanes_wait_is_saved_beside_warps_that_select_in_every_cycle),
      cmocka_unit_test(a_released_warp_goes_on_beside_warps_that_select_in_every_cycle),
      cmocka_unit_test(a_block_is_switched_in_every_cycle_of_its_life),
      cmocka_unit_test(a_block_is_drained_in_every_cycle_of_its_life),
      cmocka_unit_test(no_set_takes_the_place_of_a_sum),
      cmocka_unit_test(injected_instructions_count_for_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
