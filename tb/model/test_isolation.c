// SPDX-License-Identifier: Apache-2.0
// What keeps a block's threads from those of others, on the model's SM alone: stacks of their own,
// registers of 0, wiped shared memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "sm_rig.h"

#define SHARED 0x10000000u
#define SPIN branch(BEQ, 0, 0, 0)
enum { TID = 0xCC0, LANES = 4, ROW_BYTES = 4 * LANES };

// ---- stacks ----

// A window over all device memory but the code, and stacks of 2^log2 bytes from `base` on.
static void open_stacks(struct rig *rig, uint32_t lanes, uint32_t warps, uint32_t base,
                        uint32_t log2) {
  rig_open(rig, 1, 4, lanes);
  struct qsm_desc *desc = &rig->shared.desc[0];
  desc->win[1] = (struct qsm_window){.base = 0, .limit = 0xFFFFF000u, .r = true, .w = true};
  desc->stack = base | log2;
  desc->warps = warps;
  desc->threads = warps * lanes;
}

static void dispatch_ticket(struct rig *rig, uint8_t tb, uint16_t ticket) {
  rig_send(rig,
           (struct qsm_sm_msg){
               .kind = QSM_MSG_DISPATCH, .tb = tb, .base = (uint8_t)(tb * 8), .ticket = ticket});
}

struct place {
  uint32_t base, log2, lanes, warp;  // warp: ticket * BLOCK_WARPS + widx
};

// I-MEM-6, word by word: words of a stack are `lanes` words apart, lanes one, stacks of warps lie
// one behind the other.
static uint32_t device_address(const struct place *place, uint32_t local, uint32_t lane) {
  uint32_t offset = local - (0u - (1u << place->log2)), stack = (1u << place->log2) * place->lanes;
  return place->base + place->warp * stack + (offset / 4 * place->lanes + lane) * 4 + offset % 4;
}

static uint32_t byte_at(struct rig *rig, uint32_t addr) {
  return *mem_word(rig, addr) >> addr % 4 * 8 & 255;
}

// Where no end of a stack of 1 KiB and more lies in the rig's small memory, in which addresses
// repeat.
enum { ENDS_ENTRY = 0x640 };

// x1 = tid + 0x80, stored to the bottom word, a byte, a half and the last word; all read back. x20
// is the bottom.
static void run_ends_program(struct rig *rig, uint32_t log2) {
  const uint32_t words[] = {csrr(1, TID),
                            addi(1, 1, 0x80),
                            lui(20, 0u - (log2 > 11 ? 1u << log2 : 0)),
                            addi(20, 20, log2 > 11 ? 0 : -(1 << log2)),
                            sw(1, 20, 0),
                            store(0, 1, 20, 5),
                            store(1, 1, 20, 10),
                            sw(1, 0, -4),
                            lw(2, 20, 0),
                            enc_i(3, 4, 3, 20, 5),
                            enc_i(3, 1, 4, 20, 10),
                            lw(5, 0, -4),
                            addi(6, 20, 0),
                            amoadd(7, 6, 1),
                            SPIN};
  memcpy(rig->mem + ENDS_ENTRY / 4, words, sizeof words);
  rig->shared.desc[0].entry = CODE + ENDS_ENTRY;
  run(rig, 3000);
}

static void check_ends(struct rig *rig, const struct place *place, uint32_t widx) {
  uint32_t bottom = 0u - (1u << place->log2);
  for (uint32_t l = 0; l < place->lanes; l++) {
    uint32_t value = 0x80 + widx * place->lanes + l;
    assert_int_equal(*mem_word(rig, device_address(place, bottom, l)),
                     2 * value);  // after the atomic
    assert_int_equal(byte_at(rig, device_address(place, bottom + 5, l)), value);
    assert_int_equal(byte_at(rig, device_address(place, bottom + 10, l)), value);
    assert_int_equal(byte_at(rig, device_address(place, bottom + 11, l)), 0);
    assert_int_equal(*mem_word(rig, device_address(place, 0xFFFFFFFC, l)), value);
    for (uint32_t r = 2; r < 6; r++) assert_int_equal(reg(rig, widx, r, l), value);
    assert_int_equal(reg(rig, widx, 7, l), value);
  }
}

// I-MEM-6, R-LS-2: the words of a warp's lanes at one place are one line, at the address of the
// page's formula.
static void a_stack_lies_where_the_formula_says(void **unused) {
  (void)unused;
  for (uint32_t lanes = 2; lanes <= 32; lanes *= 2) {
    for (uint32_t log2 = 4; log2 <= 16; log2++) {
      for (uint32_t ticket = 0; ticket < 4; ticket += 3) {
        struct rig rig;
        bool small = 8 * (lanes << log2) <= 4096;  // warps' stacks do not lie on each other
        uint32_t base = 0x80200000 + 4096 * small;
        open_stacks(&rig, lanes, 2, base, log2);
        dispatch_ticket(&rig, 1, (uint16_t)ticket);
        run_ends_program(&rig, log2);
        assert_int_equal(rig.faulted, 0);
        struct place place = {.base = base, .log2 = log2, .lanes = lanes};
        for (uint32_t widx = 0; widx < 2 && small; widx++) {
          place.warp = ticket * 2 + widx;
          check_ends(&rig, &place, widx);
        }
        uint32_t n_lines = 0, bottom = 0u - (1u << log2), seen = 0;
        for (uint32_t i = 0; i < rig.n_events; i++) {
          const struct qsm_event *e = &rig.events[i];
          if (e->kind == QSM_EV_LSU_PASS) n_lines += e->word[2] == 1;
          if (e->kind != QSM_EV_REQ || e->word[2] >= rig.config.mem_txns) continue;
          for (place.warp = ticket * 2; place.warp <= ticket * 2 + 1; place.warp++) {
            seen |= (uint32_t)(e->word[1] == device_address(&place, bottom, 0)) << (place.warp & 1);
            seen |= (uint32_t)(e->word[1] == device_address(&place, 0xFFFFFFFC, 0))
                    << (2 + (place.warp & 1));
          }
        }
        assert_int_equal(n_lines, 2 * (8 + lanes));  // an atomic takes a pass per lane
        assert_int_equal(seen, 15);
        rig_close(&rig);
      }
    }
  }
}

struct fault_case {
  uint32_t stack;
  struct qsm_window window;
  uint32_t program[8];
  uint32_t cause, pc, tid, value;
};

static void expect_stack_fault(const struct fault_case *expected) {
  struct rig rig;
  open_stacks(&rig, LANES, 1, expected->stack & ~31u, expected->stack & 31);
  rig.shared.desc[0].win[1] = expected->window;
  uint32_t program[8];
  for (uint32_t i = 0; i < 8; i++) program[i] = expected->program[i] ? expected->program[i] : FENCE;
  load_program(&rig, program, 8);
  dispatch_ticket(&rig, 0, 1);
  run(&rig, 400);
  const struct qsm_fault *fault = qsm_sm_fault(rig.sm, 0);
  assert_int_equal(rig.faulted, 1);
  assert_int_equal(fault->cause, expected->cause);
  assert_int_equal(fault->pc, expected->pc);
  assert_int_equal(fault->tid, expected->tid);
  assert_int_equal(fault->value, expected->value);
  for (uint32_t i = 0; i < rig.n_events; i++) {  // I-FLT-1: no lane accesses memory
    if (rig.events[i].kind == QSM_EV_REQ) assert_true(rig.events[i].word[2] >= rig.config.mem_txns);
  }
  rig_close(&rig);
}

static uint32_t sub(uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return enc_r(0x20, 0, rd, rs1, rs2);
}

#define ALL_MEMORY ((struct qsm_window){.base = 0, .limit = 0xFFFFF000u, .r = true, .w = true})
#define NOTHING ((struct qsm_window){0})

// I-MEM-6, I-FLT-1, I-FLT-2: cause 25.
static void below_its_stack_a_thread_faults(void **unused) {
  (void)unused;
  const struct fault_case cases[] = {
      {DATA | 8, ALL_MEMORY, {lw(1, 0, -260)}, 25, CODE, 0, 0xFFFFFEFC},
      {DATA | 8, NOTHING, {lw(1, 0, -260)}, 25, CODE, 0, 0xFFFFFEFC},  // whatever the windows say
      {DATA | 8, ALL_MEMORY, {sw(1, 0, -260)}, 25, CODE, 0, 0xFFFFFEFC},
      {DATA | 8, ALL_MEMORY, {store(0, 1, 0, -257)}, 25, CODE, 0, 0xFFFFFEFF},
      {DATA | 8, ALL_MEMORY, {store(1, 1, 0, -258)}, 25, CODE, 0, 0xFFFFFEFE},
      {DATA | 8, ALL_MEMORY, {addi(1, 0, -260), amoadd(2, 1, 1)}, 25, CODE + 4, 0, 0xFFFFFEFC},
      {DATA | 8,
       ALL_MEMORY,
       {lui(1, 0xC0000000), lw(2, 1, 0)},
       25,
       CODE + 4,
       0,
       0xC0000000},  // the first local address
      {DATA | 4, ALL_MEMORY, {lw(1, 0, -20)}, 25, CODE, 0, 0xFFFFFFEC},
      {DATA | 16, ALL_MEMORY, {lui(1, 0xFFFF0000), lw(2, 1, -4)}, 25, CODE + 4, 0, 0xFFFEFFFC},
      {0, ALL_MEMORY, {sw(1, 0, -4)}, 25, CODE, 0, 0xFFFFFFFC},  // no stack at all
      {0, ALL_MEMORY, {enc_i(3, 0, 1, 0, -1)}, 25, CODE, 0, 0xFFFFFFFF},
      // -8 - 4 * lane: lanes 0 to 2 are on their stacks of 16 bytes.
      {DATA | 4,
       ALL_MEMORY,
       {csrr(1, TID), slli(1, 1, 2), sub(1, 0, 1), lw(2, 1, -8)},
       25,
       CODE + 12,
       3,
       0xFFFFFFEC},
      // Misaligned goes before it in a lane, with the address as it is, on the stack too; of
      // several lanes the lowest.
      {DATA | 4, ALL_MEMORY, {lw(1, 0, -18)}, 4, CODE, 0, 0xFFFFFFEE},
      {DATA | 4, ALL_MEMORY, {sw(1, 0, -6)}, 6, CODE, 0, 0xFFFFFFFA},
      {DATA | 4, NOTHING, {lw(1, 0, -3)}, 4, CODE, 0, 0xFFFFFFFD},
      {DATA | 4,
       ALL_MEMORY,
       {csrr(1, TID), sub(1, 0, 1), lw(2, 1, -20)},
       25,
       CODE + 8,
       0,
       0xFFFFFFEC},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect_stack_fault(&cases[i]);
}

// I-MEM-6, I-FLT-2: the windows are looked at with the device address, which the fault records.
// Ticket 1: the second warp's stacks.
static void outside_the_windows_a_stack_faults_with_its_device_address(void **unused) {
  (void)unused;
  const struct qsm_window local = {.base = 0xC0000000u, .limit = 0xFFFFF000u, .r = true, .w = true};
  const struct qsm_window reads = {.base = DATA, .limit = DATA + 4096, .r = true};
  const struct fault_case cases[] = {
      {DATA | 8, local, {lw(1, 0, -256)}, 5, CODE, 0, DATA + 1024},
      {DATA | 8, local, {lw(1, 0, -4)}, 5, CODE, 0, DATA + 2048 - 16},
      {DATA | 8,
       reads,
       {enc_i(3, 4, 1, 0, -3), FENCE, sw(1, 0, -252)},
       7,
       CODE + 8,
       0,
       DATA + 1024 + 16},
      // Lanes 0 and 1 within the window's last bytes: lanes 2 and 3 are not, 4 bytes on.
      {0x80001000 | 16,
       {.base = 0x80001000, .limit = 0x80001000 + 0x40000 + 8, .r = true, .w = true},
       {lui(1, 0xFFFF0000), sw(0, 1, 0)},
       7,
       CODE + 4,
       2,
       0x80001000 + 0x40000 + 8},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fault_case one = cases[i];
    if (i == 2) one.program[0] = addi(0, 0, 0);  // its load would be a request
    expect_stack_fault(&one);
  }
}

// I-MEM-6, R-LS-2: a device address, whatever its upper bits; it may wrap.
static void a_stack_may_lie_anywhere(void **unused) {
  (void)unused;
  const struct {
    uint32_t base, ticket, line;
  } cases[] = {{0x10000000, 0, 0x100000F0},
               {0xC0001000, 0, 0xC00010F0},
               {0xFFFFF000, 16, 0x000000F0},
               {0x80001000, 65535, 0x80001000 + 65535 * 256 + 0xF0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig rig;
    open_stacks(&rig, LANES, 1, cases[i].base, 6);
    LOAD(&rig, csrr(1, TID), sw(1, 0, -4), FENCE, lw(2, 0, -4), SPIN);
    dispatch_ticket(&rig, 0, (uint16_t)cases[i].ticket);
    run(&rig, 500);
    assert_int_equal(rig.faulted, 0);
    uint32_t n_requests = 0;
    for (uint32_t n = 0; n < rig.n_events; n++) {
      const struct qsm_event *e = &rig.events[n];
      if (e->kind == QSM_EV_LSU_PASS) assert_int_equal(e->word[2], 1);
      if (e->kind != QSM_EV_REQ || e->word[2] >= rig.config.mem_txns) continue;
      assert_int_equal(e->word[1], cases[i].line);
      n_requests++;
    }
    assert_int_equal(n_requests, 2);
    for (uint32_t l = 0; l < LANES; l++) assert_int_equal(reg(&rig, 0, 2, l), l);
    rig_close(&rig);
  }
}

// ---- registers ----

enum { SECOND_ENTRY = 64 * 4 };

// Kernel 0 fills every register of every lane and ends; kernel 1 has SECOND_ENTRY.
static void leave_registers(struct rig *rig, const uint32_t *second, size_t n_second) {
  uint32_t program[96] = {0};
  uint32_t n = 0;
  program[n++] = csrr(1, TID);
  for (uint32_t r = 2; r < 32; r++) program[n++] = addi(r, 1, 100 + (int32_t)r);
  program[n++] = addi(1, 1, 101);
  program[n++] = EXIT;
  memcpy(program + SECOND_ENTRY / 4, second, n_second * sizeof *second);
  load_program(rig, program, 96);
  rig->shared.desc[0].shared_bytes = rig->shared.desc[1].shared_bytes = 0;
  rig->shared.desc[1].entry = CODE + SECOND_ENTRY;
  dispatch(rig, 0, 0);
  run(rig, 1000);
  assert_int_equal(rig->n_retired, 1);
  for (uint32_t r = 1; r < 32; r++) assert_int_equal(reg(rig, 0, r, 3), 103 + r);
}

// R-WB-4, I-ISA-5.
static void a_warp_starts_with_registers_of_zero(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, LANES);
  const uint32_t second[] = {SPIN};
  leave_registers(&rig, second, 1);
  dispatch(&rig, 1, 1);
  while (count_events(&rig, QSM_EV_START) < 2) run(&rig, 1);
  for (uint32_t i = 0; i < 200; i++) {
    for (uint32_t r = 0; r < 32; r++) {
      for (uint32_t l = 0; l < LANES; l++) assert_int_equal(reg(&rig, 0, r, l), 0);
    }
    run(&rig, 1);
  }
  rig_close(&rig);
}

// R-WB-4: by instructions of each class, of some lanes first and of the others later or never.
static void lanes_that_write_nothing_keep_their_zeros(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, LANES);
  const uint32_t second[] = {
      csrr(1, TID),         addi(2, 0, 2),
      lui(3, DATA),         branch(BLT, 1, 2, 28),  // lanes 0 and 1 skip
      addi(5, 6, 7),        enc_r(1, 0, 8, 2, 2),
      enc_r(1, 5, 9, 2, 2), lw(10, 3, 0),
      amoadd(11, 3, 0),     addi(12, 0, 5),
      branch(BNE, 1, 0, 8), addi(12, 12, 1),
      add(13, 14, 31),      SPIN,  // lane 0 alone
  };
  leave_registers(&rig, second, sizeof second / sizeof *second);
  *mem_word(&rig, DATA) = 77;
  dispatch(&rig, 1, 1);
  run(&rig, 1000);
  static const uint32_t written[][2] = {{5, 7}, {8, 4}, {9, 1}, {10, 77}, {11, 77}, {12, 5}};
  for (uint32_t l = 0; l < LANES; l++) {
    for (uint32_t i = 0; i < sizeof written / sizeof *written; i++) {
      uint32_t expected = l >= 2 ? written[i][1] : l == 0 && written[i][0] == 12 ? 1 : 0;
      assert_int_equal(reg(&rig, 0, written[i][0], l), expected);
    }
    assert_int_equal(reg(&rig, 0, 13, l), 0);
    assert_int_equal(reg(&rig, 0, 31, l), 0);
  }
  rig_close(&rig);
}

// ---- the wipe of shared memory ----

// Fills the block's shared memory with ones and ends: x1 is a word's address.
static void load_filler(struct rig *rig, uint32_t shared_bytes) {
  LOAD(rig, csrr(1, TID), slli(1, 1, 2), lui(2, SHARED), add(1, 1, 2),
       addi(2, 2, (int32_t)(shared_bytes & ~3u)), addi(3, 0, -1), branch(7, 1, 2, 16), sw(3, 1, 0),
       addi(1, 1, ROW_BYTES), branch(BEQ, 0, 0, -12), EXIT);
}

static uint32_t shared_word(const struct rig *rig, uint32_t row, uint32_t bank) {
  return state(rig, QSM_STATE_SHARED, 0, row, bank);
}
static uint32_t wipe_word(const struct rig *rig, uint32_t word) {
  return state(rig, QSM_STATE_WIPE, 0, 0, word);
}
static uint32_t is_clean(const struct rig *rig, uint32_t tb) {
  return state(rig, QSM_STATE_TBS, 0, tb, 9);
}

// The first cycle in which slot `tb` is over.
static uint64_t over_at(const struct rig *rig, uint32_t tb) {
  uint64_t cycle = 0;
  for (uint32_t i = 0; i < rig->n_events; i++) {
    if (rig->events[i].kind == QSM_EV_FINISH && rig->events[i].word[1] == tb)
      cycle = rig->events[i].cycle + 1;
  }
  return cycle;
}

static uint64_t retired_at(const struct rig *rig, uint32_t tb) {
  for (uint32_t i = 0; i < rig->n_events; i++) {
    if (rig->events[i].kind == QSM_EV_RETIRE && rig->events[i].word[0] == tb)
      return rig->events[i].cycle;
  }
  return 0;
}

static void run_until_over(struct rig *rig, uint32_t tb) {
  while (over_at(rig, tb) == 0) run(rig, 1);
}

// R-SM-10, R-SM-4: row by row, from the cycle after the one in which the slot is found on.
static void a_block_is_wiped_row_by_row_before_it_retires(void **unused) {
  (void)unused;
  static const uint32_t sizes[] = {0, 1, 15, 16, 17, 200, 1024};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct rig rig;
    rig_open(&rig, 1, 4, LANES);
    rig.shared.desc[0].shared_bytes = sizes[i];
    load_filler(&rig, sizes[i]);
    dispatch(&rig, 0, 1);
    run_until_over(&rig, 1);
    uint64_t over = over_at(&rig, 1);
    uint32_t n_rows = (sizes[i] + ROW_BYTES - 1) / ROW_BYTES, first = 64;  // of slot 1 at granule 8
    assert_int_equal(rig.cycle, over);
    assert_int_equal(wipe_word(&rig, 0), 0);
    assert_int_equal(is_clean(&rig, 1), n_rows == 0);
    for (uint32_t done = 0; done < n_rows; done++) {
      run(&rig, 1);
      assert_int_equal(rig.cycle, over + 1 + done);
      assert_int_equal(wipe_word(&rig, 0), 1 | 1 << 8);
      assert_int_equal(wipe_word(&rig, 1), first + done);
      assert_int_equal(wipe_word(&rig, 2), n_rows - done);
      assert_int_equal(is_clean(&rig, 1), 0);
      for (uint32_t word = 0; word < sizes[i] / 4; word++)
        assert_int_equal(shared_word(&rig, first + word / LANES, word % LANES),
                         word / LANES < done ? 0 : 0xFFFFFFFF);
    }
    if (n_rows) run(&rig, 1);
    for (uint32_t word = 0; word < 3; word++) assert_int_equal(wipe_word(&rig, word), 0);
    assert_int_equal(is_clean(&rig, 1), 1);
    assert_int_equal(state(&rig, QSM_STATE_TBS, 0, 1, 0), 1);
    for (uint32_t row = 0; row < 256; row++) {
      for (uint32_t bank = 0; bank < LANES; bank++)
        assert_int_equal(shared_word(&rig, row, bank), 0);
    }
    run(&rig, 1);
    assert_int_equal(retired_at(&rig, 1), over + (n_rows ? n_rows + 1 : 0));
    assert_int_equal(is_clean(&rig, 1), 0);  // no longer valid
    rig_close(&rig);
  }
}

// R-SM-10: what the slot's next block did not write is 0.
static void a_block_finds_zeros_where_another_was(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, LANES);
  load_filler(&rig, 1024);
  dispatch(&rig, 0, 0);
  run(&rig, 4000);
  assert_int_equal(rig.n_retired, 1);
  LOAD(&rig, csrr(1, TID), slli(1, 1, 2), lui(2, SHARED), add(1, 1, 2), lw(4, 1, 0), lw(5, 1, 512),
       lw(6, 1, 1024 - ROW_BYTES), SPIN);
  rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_ICACHE_INV});
  dispatch(&rig, 2, 0);
  run(&rig, 1000);
  assert_int_equal(count_events(&rig, QSM_EV_WB) - count_events(&rig, QSM_EV_ISSUE) > 0, 1);
  for (uint32_t r = 4; r < 7; r++) {
    for (uint32_t l = 0; l < LANES; l++) assert_int_equal(reg(&rig, 0, r, l), 0);
  }
  rig_close(&rig);
}

// R-SM-10, R-SM-4: slots 0, 2 and 3, and slot 1 without shared memory, are over one after the
// other, by kills.
static void one_block_is_wiped_at_a_time_the_lowest_first(void **unused) {
  (void)unused;
  enum { ROWS_0 = 5, ROWS_2 = 9, ROWS_3 = 2 };
  struct rig rig;
  rig_open(&rig, 1, 4, LANES);
  static const uint32_t rows[] = {ROWS_0, 0, ROWS_2, ROWS_3};
  for (uint32_t k = 0; k < 4; k++) rig.shared.desc[k].shared_bytes = rows[k] * ROW_BYTES;
  LOAD(&rig, SPIN);
  for (uint8_t k = 0; k < 4; k++) dispatch(&rig, k, k);
  run(&rig, 200);
  for (uint8_t k = 0; k < 4; k++)
    rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_KILL, .kernel = k});
  run(&rig, 100);
  // One warp finishes per cycle: the slots are over in cycles t .. t + 3; slot 1 needs no wipe.
  uint64_t begin_0 = over_at(&rig, 0), begin_2 = begin_0 + ROWS_0 + 1,
           begin_3 = begin_2 + ROWS_2 + 1;
  assert_int_equal(over_at(&rig, 2), begin_0 + 2);
  assert_int_equal(over_at(&rig, 3), begin_0 + 3);  // slot 2 goes first all the same
  assert_int_equal(retired_at(&rig, 1), over_at(&rig, 1));
  assert_int_equal(retired_at(&rig, 0), begin_0 + ROWS_0 + 1);
  assert_int_equal(retired_at(&rig, 2), begin_2 + ROWS_2 + 1);
  assert_int_equal(retired_at(&rig, 3), begin_3 + ROWS_3 + 1);
  assert_int_equal(rig.n_retired, 4);
  rig_close(&rig);
}

// R-SM-10: an SM that sleeps through a wipe wakes in time, whatever the length of its windows.
static void a_wipe_ends_in_its_cycle_however_the_windows_lie(void **unused) {
  (void)unused;
  for (uint32_t window = 1; window <= 16; window++) {
    struct rig rig;
    rig_open(&rig, 1, 4, LANES);
    rig.window = window;
    load_filler(&rig, 1024);
    dispatch(&rig, 0, 2);
    run(&rig, 8000);
    assert_int_equal(retired_at(&rig, 2), over_at(&rig, 2) + 64 + 1);
    rig_close(&rig);
  }
}

// R-SM-10: nothing needs to be run while a row after the other is cleared.
static void a_wipe_is_an_event_of_an_sm_at_rest(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, LANES);
  load_filler(&rig, 1024);
  dispatch(&rig, 0, 0);
  run_until_over(&rig, 0);
  uint64_t over = over_at(&rig, 0);
  assert_int_equal(qsm_sm_next_event(rig.sm), over);
  run(&rig, 1);
  assert_int_equal(qsm_sm_next_event(rig.sm), over + 64);
  rig.cycle = over + 60;  // skipped
  assert_int_equal(wipe_word(&rig, 2), 64 - 59);
  assert_int_equal(shared_word(&rig, 58, 0), 0);
  assert_int_equal(shared_word(&rig, 59, 0), 0xFFFFFFFF);
  run(&rig, 20);
  assert_int_equal(retired_at(&rig, 0), over + 65);
  rig_close(&rig);
}

// R-LK-5.
static void a_flip_in_the_wiper_shows_as_a_block_that_does_not_retire(void **unused) {
  (void)unused;
  struct rig rig;
  char what[80];
  rig_open(&rig, 1, 4, LANES);
  load_filler(&rig, 1024);
  dispatch(&rig, 0, 0);
  run_until_over(&rig, 0);
  run(&rig, 10);
  assert_int_equal(wipe_word(&rig, 0), 1);
  assert_int_equal(qsm_sm_inject(rig.sm, "barrier", 7, what, sizeof what), 0);
  assert_int_equal(wipe_word(&rig, 0), 1 | 1 << 8);
  run(&rig, 70);
  assert_int_equal(rig.n_retired, 0);
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stack_lies_where_the_formula_says),
      cmocka_unit_test(below_its_stack_a_thread_faults),
      cmocka_unit_test(outside_the_windows_a_stack_faults_with_its_device_address),
      cmocka_unit_test(a_stack_may_lie_anywhere),
      cmocka_unit_test(a_warp_starts_with_registers_of_zero),
      cmocka_unit_test(lanes_that_write_nothing_keep_their_zeros),
      cmocka_unit_test(a_block_is_wiped_row_by_row_before_it_retires),
      cmocka_unit_test(a_block_finds_zeros_where_another_was),
      cmocka_unit_test(one_block_is_wiped_at_a_time_the_lowest_first),
      cmocka_unit_test(a_wipe_ends_in_its_cycle_however_the_windows_lie),
      cmocka_unit_test(a_wipe_is_an_event_of_an_sm_at_rest),
      cmocka_unit_test(a_flip_in_the_wiper_shows_as_a_block_that_does_not_retire),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
