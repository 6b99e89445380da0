// SPDX-License-Identifier: Apache-2.0
// The control port, R-CP-1 to R-CP-4 and the ranges of docs/control_port.md, on the whole model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model_program.h"
#include "model_support.h"
#include "qsm_model.h"
#include "qsm_regs.h"

static struct qsm_model *create(const struct qsm_config *config) {
  struct qsm_model *model;
  char msg[256];
  if (qsm_model_create(config, &model, msg, sizeof msg) != 0) fail_msg("%s", msg);
  return model;
}

static int refused(struct qsm_model *model, uint32_t addr, uint32_t value) {
  return qsm_model_write(model, (uint16_t)addr, value);
}

static void constants_describe_the_configuration(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  assert_int_equal(port_read(model, QSM_REG_ID), 0x51534D31);
  assert_int_equal(port_read(model, QSM_REG_CONFIG0), 3 | 2 << 8 | 6 << 16 | 4 << 24);
  assert_int_equal(port_read(model, QSM_REG_CONFIG1), 3 | 5 << 8 | 1 << 16 | 3 << 24);
  assert_int_equal(port_read(model, QSM_REG_CONFIG2), 6144);
  assert_int_equal(port_read(model, QSM_REG_CONFIG3), 2 | 2 << 4);
  qsm_model_destroy(model);
}

// R-CP-12.
static void every_access_takes_two_cycles(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  assert_int_equal(port_read(model, QSM_REG_CYCLE_LO), 1);
  assert_int_equal(port_read(model, QSM_REG_CYCLE_LO), 3);
  port_write(model, QSM_REG_POLICY, 0);
  assert_int_equal(refused(model, QSM_REG_POLICY, QSM_POLICY_COUNT), 1);
  assert_int_equal(port_read(model, QSM_REG_CYCLE_LO), 9);
  port_write(model, QSM_REG_EPOCH_LEN, (1 << 20) - 1);  // an idle machine wakes at an epoch's end
  qsm_model_run(model, UINT64_C(0x100000000), false);
  assert_int_equal(port_read(model, QSM_REG_CYCLE_LO), 13);
  assert_int_equal(port_read(model, QSM_REG_CYCLE_HI), 1);
  qsm_model_destroy(model);
}

struct range_case {
  uint32_t addr, reset, least, most, align;
};

// Writes the edges of every range and one step beyond, and reads them back.
static void check_range(struct qsm_model *model, const struct range_case *range) {
  uint32_t addr = range->addr, align = range->align;
  uint32_t top = range->most / align * align;
  if (port_read(model, addr) != range->reset)
    fail_msg("register 0x%x: reset value 0x%x", addr, port_read(model, addr));
  port_write(model, addr, range->least);
  assert_int_equal(port_read(model, addr), range->least);
  port_write(model, addr, top);
  assert_int_equal(port_read(model, addr), top);
  if (range->least > 0 && !refused(model, addr, range->least - 1))
    fail_msg("register 0x%x took too small a value", addr);
  if (range->most < UINT32_MAX && !refused(model, addr, range->most + 1))
    fail_msg("register 0x%x took too large a value", addr);
  if (align > 1 && !refused(model, addr, align + align / 2))
    fail_msg("register 0x%x took an unaligned value", addr);
  assert_int_equal(port_read(model, addr), top);
}

static void registers_keep_values_in_their_range_and_refuse_others(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  const struct range_case gpu[] = {
      {QSM_REG_POLICY, QSM_POLICY_GTO, 0, QSM_POLICY_COUNT - 1, 1},
      {QSM_REG_ACTIVE_WARPS, 8, 1, 16, 1},
      {QSM_REG_SCHEME, QSM_SCHEME_NONE, 0, QSM_SCHEME_COUNT - 1, 1},
      {QSM_REG_EPOCH_LEN, 10000, 150 + 6 + 16, (1 << 20) - 1, 1},
      {QSM_REG_ALPHA_CAP, 0x40000, 0, 0x3fffff, 1},
      {QSM_REG_ROLLOVER_CAP, 8, 0, 255, 1},
      {QSM_REG_QUOTA_RULES, 1, 0, 0x73f, 1},
      {QSM_REG_NONQOS_QUOTA, 0, 0, 8, 1},
      {QSM_REG_SM_SELECT, 0, 0, 2, 1},
      {QSM_REG_STALL_SELECT, 0, 0, 7, 1},
      {QSM_REG_ADJUST, 0, 0, 1, 1},
      {QSM_REG_ADJUST_TECHNIQUE, 0, 0, 2, 1},
      {QSM_REG_LATECOMERS, 1, 0, 1, 1},
      {QSM_REG_MEM_SELECT, 0, 0, 0, 1},
      {QSM_REG_MOVE_TECHNIQUE, QSM_TECHNIQUE_DRAIN, 0, 2, 1},
      {QSM_REG_SM_GATING, 0, 0, 1, 1},
      {QSM_REG_WAKE_LAT, 500, 1, 65535, 1},
      {QSM_REG_SM_THRESHOLD, 655, 0, 65535, 1},
      {QSM_REG_SM_STEP, 2, 1, 4, 1},
  };
  const struct range_case slot[] = {
      {QSM_SLOT_GOAL, 0, 0, UINT32_MAX, 1},
      {QSM_SLOT_FIRST_QUOTA, 1, 1, 0x7fffffff, 1},
      {QSM_SLOT_SM_MASK_LO, 7, 0, 7, 1},
      {QSM_SLOT_SM_MASK_HI, 0, 0, 0, 1},
      {QSM_SLOT_WIN0_BASE, 0, 0, UINT32_MAX, 4096},
      {QSM_SLOT_WIN0_LIMIT, 0, 0, UINT32_MAX, 4096},
      {QSM_SLOT_WIN0_RIGHTS, 0, 0, 7, 1},
      {QSM_SLOT_WIN1_BASE, 0, 0, UINT32_MAX, 4096},
      {QSM_SLOT_WIN1_LIMIT, 0, 0, UINT32_MAX, 4096},
      {QSM_SLOT_WIN1_RIGHTS, 0, 0, 7, 1},
      {QSM_SLOT_ENTRY, 0, 0, UINT32_MAX, 4},
      {QSM_SLOT_ARG, 0, 0, UINT32_MAX, 1},
      {QSM_SLOT_GRID_X, 1, 1, 65535, 1},
      {QSM_SLOT_GRID_Y, 1, 1, 65535, 1},
      {QSM_SLOT_GRID_Z, 1, 1, 65535, 1},
      {QSM_SLOT_BLOCK_X, 1, 1, 1024, 1},
      {QSM_SLOT_BLOCK_Y, 1, 1, 1024, 1},
      {QSM_SLOT_BLOCK_Z, 1, 1, 1024, 1},
      {QSM_SLOT_BLOCK_THREADS, 1, 1, 24, 1},
      {QSM_SLOT_SHARED, 0, 0, 6144, 1},
      {QSM_SLOT_BLOCK_WARPS, 1, 1, 6, 1},
      {QSM_SLOT_SHARED_GRAN, 0, 0, 32, 1},
      {QSM_SLOT_BUDGET, 1, 1, 255, 1},
      {QSM_SLOT_ISO_IPC, 0, 0, UINT32_MAX, 1},
      {QSM_SLOT_SAVE_BASE, 0, 0, UINT32_MAX, 4096},
      {QSM_SLOT_SAVE_LIMIT, 0, 0, UINT32_MAX, 4096},
      {QSM_SLOT_IDEMPOTENT, 0, 0, 1, 1},
      {QSM_SLOT_PREEMPT_HOLD, 0, 0, 1, 1},
      {QSM_SLOT_CACHE_POLICY, 0, 0, 3, 1},
      {QSM_SLOT_SM_MASK_2, 0, 0, 0, 1},
      {QSM_SLOT_SM_COUNT, 0, 0, 3, 1},
      {QSM_SLOT_WARP_CAP, 0, 0, 6, 1},
      {QSM_SLOT_MEM_SPLIT, 0, 0, 0, 1},
      {QSM_SLOT_WALK_XY, 0, 0, UINT32_MAX, 1},
      {QSM_SLOT_WALK_Z, 0, 0, 65535, 1},
      {QSM_SLOT_WALK_LINEAR, 0, 0, UINT32_MAX, 1},
      {QSM_SLOT_DEADLINE, 0, 0, 0x7fffffff, 1},
      {QSM_SLOT_WORK, 0, 0, UINT32_MAX, 1},
      {QSM_SLOT_CTX, 0, 0, 15, 1},
  };
  for (uint32_t i = 0; i < sizeof gpu / sizeof *gpu; i++) check_range(model, &gpu[i]);
  for (uint32_t k = 0; k < config.num_kernels; k++) {
    for (uint32_t i = 0; i < sizeof slot / sizeof *slot; i++) {
      struct range_case range = slot[i];
      range.addr = slot_register(k, range.addr);
      check_range(model, &range);
    }
  }
  qsm_model_destroy(model);
}

static void holes_in_ranges_are_refused(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  assert_int_equal(refused(model, QSM_REG_ALPHA_CAP, 0xffff), 1);
  port_write(model, QSM_REG_ALPHA_CAP, 0x10000);
  assert_int_equal(refused(model, QSM_REG_QUOTA_RULES, 0x40), 1);
  assert_int_equal(refused(model, QSM_REG_QUOTA_RULES, 0x81), 1);
  port_write(model, QSM_REG_QUOTA_RULES, 0x53e);
  port_write(model, QSM_REG_STALL_SELECT, 7 | 2 << 4 | 1 << 8);
  assert_int_equal(refused(model, QSM_REG_STALL_SELECT, 8), 1);
  assert_int_equal(refused(model, QSM_REG_STALL_SELECT, 3 << 4), 1);
  assert_int_equal(refused(model, QSM_REG_STALL_SELECT, 2 << 8), 1);
  assert_int_equal(refused(model, QSM_REG_STALL_SELECT, 1 << 10), 1);
  port_write(model, QSM_REG_MEM_SELECT, 2 << 4 | 21 << 8);
  static const uint32_t outside[] = {
      1,       3 << 4,  1 << 7,  22 << 8,
      31 << 8, 1 << 13, 1u << 31};  // channel, slot, counter, the bits beside the fields
  for (uint32_t i = 0; i < sizeof outside / sizeof *outside; i++)
    assert_int_equal(refused(model, QSM_REG_MEM_SELECT, outside[i]), 1);
  assert_int_equal(port_read(model, QSM_REG_MEM_SELECT), 2 << 4 | 21 << 8);
  qsm_model_destroy(model);
}

// R-CP-4, register STACK: base a multiple of 4096 and of 2^(S + log2(WarpSize)).
static void stacks_have_a_size_and_lie_on_multiples_of_a_warps(void **state) {
  (void)state;
  struct qsm_config configs[] = {model_odd(), model_wide()};
  for (uint32_t i = 0; i < 2; i++) {
    struct qsm_model *model = create(&configs[i]);
    uint32_t stack = slot_register(1, QSM_SLOT_STACK), warp_size = configs[i].warp_size;
    assert_int_equal(port_read(model, stack), 0);
    for (uint32_t log2 = 0; log2 < 32; log2++) {
      bool exists = log2 >= 4 && log2 <= 16;
      uint32_t align = exists && warp_size << log2 > 4096 ? warp_size << log2 : 4096;
      assert_int_equal(refused(model, stack, log2), !exists && log2 != 0);
      assert_int_equal(refused(model, stack, 4 * align | log2), !exists);
      assert_int_equal(refused(model, stack, (0u - align) | log2), !exists);
      if (exists) assert_int_equal(port_read(model, stack), (0u - align) | log2);
      if (exists && align > 4096) assert_int_equal(refused(model, stack, (align / 2) | log2), 1);
      for (uint32_t bit = 5; bit < 12; bit++)
        assert_int_equal(refused(model, stack, 1u << bit | log2), 1);
    }
    port_write(model, stack, 0);
    assert_int_equal(port_read(model, stack), 0);
    qsm_model_destroy(model);
  }
}

static void unknown_unaligned_and_read_only_addresses_are_errors(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  static const uint16_t unknown[] = {0xf8,   0xfc,   0x130,  0x1ec,  0x20c,  0x220,
                                     0x248,  0x280,  0xffc,  0x10e4, 0x2004, 0x3000,
                                     0x1300, 0x2000, 0xfffc, 0x01,   0x12,   0x1003};
  uint32_t value = 1;
  for (uint32_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    if (!qsm_model_read(model, unknown[i], &value) || value != 0)
      fail_msg("read of 0x%x is no error", unknown[i]);
    if (!refused(model, unknown[i], 0)) fail_msg("write to 0x%x is no error", unknown[i]);
  }
  static const uint16_t read_only[] = {QSM_REG_ID,
                                       QSM_REG_CONFIG0,
                                       QSM_REG_CONFIG1,
                                       QSM_REG_CONFIG2,
                                       QSM_REG_CYCLE_LO,
                                       QSM_REG_CYCLE_HI,
                                       QSM_REG_EPOCH_COUNT,
                                       QSM_REG_EPOCH_E_LO,
                                       QSM_REG_ALLOC_BUSY,
                                       QSM_REG_STALL_VALUE,
                                       QSM_REG_MGR_BUSY,
                                       QSM_REG_CONFIG3,
                                       QSM_REG_PREEMPT_STATUS,
                                       QSM_REG_ADJUST_BUSY,
                                       QSM_REG_SMSEL_JOB,
                                       QSM_REG_MEM_VALUE,
                                       0x200,
                                       0x208,
                                       0x240,
                                       0x244,
                                       0x10b8,
                                       0x10bc,
                                       0x100,
                                       0x104,
                                       0x108,
                                       0x10c,
                                       0x12c,
                                       0x1060,
                                       0x1064,
                                       0x1068,
                                       0x106c,
                                       0x1070,
                                       0x1074,
                                       0x1078,
                                       0x107c,
                                       0x1080,
                                       0x1084,
                                       0x1088,
                                       0x1090,
                                       0x1094,
                                       0x1098};
  for (uint32_t i = 0; i < sizeof read_only / sizeof *read_only; i++) {
    port_read(model, read_only[i]);
    if (!refused(model, read_only[i], 0)) fail_msg("write to 0x%x is no error", read_only[i]);
  }
  qsm_model_destroy(model);
}

static void write_only_registers_read_zero_and_take_one_only(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  const uint32_t write_only[] = {QSM_REG_ICACHE_INV, slot_register(0, QSM_SLOT_LAUNCH),
                                 slot_register(0, QSM_SLOT_HIST_CLEAR),
                                 slot_register(0, QSM_SLOT_KILL), slot_register(0, QSM_SLOT_YIELD)};
  for (uint32_t i = 0; i < sizeof write_only / sizeof *write_only; i++) {
    assert_int_equal(port_read(model, write_only[i]), 0);
    assert_int_equal(refused(model, write_only[i], 0), 1);
    assert_int_equal(refused(model, write_only[i], 2), 1);
  }
  port_write(model, QSM_REG_ICACHE_INV, 1);
  port_write(model, slot_register(0, QSM_SLOT_HIST_CLEAR), 1);
  assert_int_equal(port_read(model, QSM_REG_PREEMPT), 0);
  static const uint32_t outside[] = {3,       3 << 8,  5 << 11,
                                     3 << 17, 1 << 19, 1u << 31};  // SM, slot, TB, technique, rest
  for (uint32_t i = 0; i < sizeof outside / sizeof *outside; i++)
    assert_int_equal(refused(model, QSM_REG_PREEMPT, outside[i]), 1);
  assert_int_equal(refused(model, QSM_REG_PREEMPT, 2 | 2 << 8 | 4 << 11 | 1 << 16 | 2 << 17), 0);
  assert_int_equal(refused(model, QSM_REG_PREEMPT, 0), 1);  // one is being examined
  qsm_model_run(model, 10, false);
  assert_int_equal(port_read(model, QSM_REG_PREEMPT_STATUS), 5 | 4 << 8 | 2u << 24);
  assert_int_equal(refused(model, QSM_REG_PREEMPT, 0), 0);
  qsm_model_destroy(model);
}

static void a_launch_needs_a_tenant_an_idle_slot_and_no_pending_interrupt(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  assert_int_equal(refused(model, slot_register(0, QSM_SLOT_LAUNCH), 1), 1);
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 20, 3, 4);
  assert_int_equal(refused(model, slot_register(0, QSM_SLOT_KILL), 1), 1);
  assert_int_equal(refused(model, slot_register(0, QSM_SLOT_YIELD), 1), 1);
  program_launch(model, 0);
  assert_int_equal(refused(model, slot_register(0, QSM_SLOT_LAUNCH), 1), 1);
  qsm_model_run(model, 100000, true);
  assert_int_equal(refused(model, slot_register(0, QSM_SLOT_LAUNCH), 1), 1);
  port_write(model, QSM_REG_IRQ, 0xfffffffe);  // bits without an interrupt do nothing
  assert_int_equal(port_read(model, QSM_REG_IRQ), 1);
  port_write(model, QSM_REG_IRQ, 1);
  assert_int_equal(port_read(model, QSM_REG_IRQ), 0);
  program_launch(model, 0);
  qsm_model_destroy(model);
}

// R-QW-10: odd has two groups for its three slots.
static void more_budgets_than_groups_are_refused(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  for (uint32_t k = 0; k < 3; k++) {
    program_load(model, &config, k, 1, PROGRAM_SPIN, 2000, 3, 4);
    port_write(model, slot_register(k, QSM_SLOT_BUDGET),
               10 + k);  // no slot runs: any number of budgets
  }
  program_launch(model, 0);
  program_launch(model, 1);
  assert_int_equal(refused(model, slot_register(2, QSM_SLOT_LAUNCH), 1), 1);
  assert_int_equal(port_read(model, slot_register(2, QSM_SLOT_STATUS)), 0);
  port_write(model, slot_register(2, QSM_SLOT_BUDGET), 255);
  assert_int_equal(refused(model, slot_register(2, QSM_SLOT_LAUNCH), 1), 1);
  port_write(model, slot_register(2, QSM_SLOT_BUDGET), 11);
  program_launch(model, 2);
  assert_int_equal(refused(model, slot_register(2, QSM_SLOT_BUDGET), 12), 1);
  assert_int_equal(port_read(model, slot_register(2, QSM_SLOT_BUDGET)), 11);
  port_write(model, slot_register(2, QSM_SLOT_BUDGET), 10);
  port_write(model, slot_register(1, QSM_SLOT_BUDGET), 12);  // slot 1 was the only one with 11
  port_write(model, slot_register(1, QSM_SLOT_BUDGET), 12);
  assert_int_equal(refused(model, slot_register(0, QSM_SLOT_BUDGET), 11), 1);
  port_write(model, slot_register(0, QSM_SLOT_BUDGET), 12);
  qsm_model_destroy(model);
}

// R-CP-5, R-DL-1.
static void an_arrival_resets_what_a_tenant_does_not_inherit(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  static const struct {
    uint32_t offset, reset, value;
  } settings[] = {{QSM_SLOT_BUDGET, 1, 7},
                  {QSM_SLOT_ISO_IPC, 0, 0x12345},
                  {QSM_SLOT_SAVE_BASE, 0, 0x80001000},
                  {QSM_SLOT_SAVE_LIMIT, 0, 0x80003000},
                  {QSM_SLOT_IDEMPOTENT, 0, 1},
                  {QSM_SLOT_PREEMPT_HOLD, 0, 1},
                  {QSM_SLOT_CACHE_POLICY, 0, 3},
                  {QSM_SLOT_STACK, 0, 0x80001000 | 8},
                  {QSM_SLOT_WARP_CAP, 0, 3},
                  {QSM_SLOT_WALK_XY, 0, 0x12345},
                  {QSM_SLOT_WALK_Z, 0, 0x1234},
                  {QSM_SLOT_WALK_LINEAR, 0, 0x12345678},
                  {QSM_SLOT_DEADLINE, 0, 0x7fffffff},
                  {QSM_SLOT_WORK, 0, 0x12345678}};
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    uint32_t ctx = slot_register(1, QSM_SLOT_CTX), setting = slot_register(1, settings[i].offset);
    port_write(model, setting, settings[i].value);
    port_write(model, ctx, 1);
    assert_int_equal(port_read(model, setting), settings[i].reset);
    port_write(model, setting, settings[i].value);
    port_write(model, ctx, 3);  // still the same tenant
    port_write(model, ctx, 0);
    assert_int_equal(port_read(model, setting), settings[i].value);
  }
  qsm_model_destroy(model);
}

static void an_interrupt_set_and_cleared_in_one_cycle_is_set(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *first = create(&config), *second = create(&config);
  program_load(first, &config, 0, 1, PROGRAM_SPIN, 20, 3, 4);
  program_load(second, &config, 0, 1, PROGRAM_SPIN, 20, 3, 4);
  program_launch(first, 0);
  program_launch(second, 0);
  uint64_t ran = qsm_model_run(first, 100000, true);
  qsm_model_run(second, ran - 2, false);
  port_write(second, QSM_REG_IRQ, 1);
  assert_int_equal(port_read(second, QSM_REG_IRQ), 1);
  qsm_model_destroy(first);
  qsm_model_destroy(second);
}

static void idle_registers_are_closed_while_a_launch_runs(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 2000, 3, 4);
  program_launch(model, 0);
  for (uint32_t offset = 0; offset <= QSM_SLOT_SHARED_GRAN; offset += 4) {
    uint32_t value = port_read(model, slot_register(0, offset));
    bool open = offset == QSM_SLOT_GOAL || offset == QSM_SLOT_FIRST_QUOTA ||
                offset == QSM_SLOT_SM_MASK_LO || offset == QSM_SLOT_SM_MASK_HI;
    assert_int_equal(refused(model, slot_register(0, offset), value), !open);
  }
  for (uint32_t offset = QSM_SLOT_SAVE_BASE; offset <= QSM_SLOT_IDEMPOTENT; offset += 4) {
    assert_int_equal(refused(model, slot_register(0, offset), 0), 1);
  }
  port_write(model, slot_register(0, QSM_SLOT_PREEMPT_HOLD), 1);
  assert_int_equal(refused(model, slot_register(0, QSM_SLOT_CACHE_POLICY), 0), 1);
  assert_int_equal(refused(model, slot_register(0, QSM_SLOT_STACK), 0), 1);
  for (uint32_t offset = QSM_SLOT_WALK_XY; offset <= QSM_SLOT_WALK_LINEAR; offset += 4)
    assert_int_equal(refused(model, slot_register(0, offset), 0), 1);
  port_write(model, slot_register(0, QSM_SLOT_DEADLINE), 1000);  // R-DL-1
  port_write(model, slot_register(0, QSM_SLOT_WORK), 1000);
  qsm_model_destroy(model);
}

// R-QM-3, R-SC-13.
static void settings_are_closed_while_the_manager_computes(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  const uint32_t closed[] = {slot_register(0, QSM_SLOT_CTX),
                             slot_register(0, QSM_SLOT_GOAL),
                             slot_register(0, QSM_SLOT_HIST_CLEAR),
                             slot_register(0, QSM_SLOT_ISO_IPC),
                             QSM_REG_SCHEME,
                             QSM_REG_QUOTA_RULES,
                             QSM_REG_ROLLOVER_CAP,
                             QSM_REG_NONQOS_QUOTA};
  uint64_t e = 10000 - 1 + config.noc_lat;
  qsm_model_run(model, e - 2, false);
  port_write(model, QSM_REG_SCHEME, 1);  // in E - 1
  qsm_model_destroy(model);
  model = create(&config);
  qsm_model_run(model, e - 3, false);
  assert_int_equal(port_read(model, QSM_REG_MGR_BUSY), 0);  // in E - 2
  assert_int_equal(refused(model, QSM_REG_SCHEME, 2), 1);   // in E
  assert_int_equal(port_read(model, QSM_REG_MGR_BUSY), 1);  // in E + 2
  for (uint32_t i = 0; i < sizeof closed / sizeof *closed; i++)
    assert_int_equal(refused(model, closed[i], 1), 1);
  assert_int_equal(refused(model, QSM_REG_EPOCH_LEN, 5000), 1);
  assert_int_equal(refused(model, QSM_REG_ALPHA_CAP, 0), 1);
  port_write(model, slot_register(0, QSM_SLOT_FIRST_QUOTA), 5);
  port_write(model, QSM_REG_POLICY, 0);
  qsm_model_run(model, e + config.qos_lat - 1 - qsm_model_cycle(model), false);
  assert_int_equal(refused(model, QSM_REG_SCHEME, 2), 1);  // in E + QosLat
  assert_int_equal(port_read(model, QSM_REG_EPOCH_COUNT), 1);
  assert_int_equal(port_read(model, QSM_REG_EPOCH_E_LO), e);
  for (uint32_t i = 0; i < sizeof closed / sizeof *closed; i++)
    assert_int_equal(refused(model, closed[i], 1), 0);
  qsm_model_destroy(model);
}

// R-QM-2, R-QM-13: from the cycle after a write on. HCYC of a launch that ended long before the
// epoch, with all cycles on between two writes, or from the second on.
static void a_write_of_all_cycles_counts_from_the_next_cycle_on(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  const uint32_t on = QSM_REG_QUOTA_RULES_ALL_CYCLES_MASK;
  uint32_t hist[3];
  uint64_t first = 0, second = 0, e = 10000 - 1 + config.noc_lat;
  for (uint32_t n = 0; n < 3; n++) {
    struct qsm_model *model = create(&config);
    program_load(model, &config, 0, 1, PROGRAM_SPIN, 20, 3, 4);
    program_launch(model, 0);
    qsm_model_run(model, 3000, false);
    assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_STATUS)), 0);
    first = port_read(model, QSM_REG_CYCLE_LO) + 2;  // the cycle of the write that follows
    port_write(model, QSM_REG_QUOTA_RULES, n == 1 ? on : 0);
    qsm_model_run(model, 1234, false);
    second = port_read(model, QSM_REG_CYCLE_LO) + 2;
    port_write(model, QSM_REG_QUOTA_RULES, n == 2 ? on : 0);
    qsm_model_run(model, 8000, false);
    hist[n] = port_read(model, slot_register(0, QSM_SLOT_HCYC_LO));
    qsm_model_destroy(model);
  }
  assert_true(hist[0] > 0 && hist[0] < 3000);
  assert_int_equal(hist[1] - hist[0], second - first);
  assert_int_equal(hist[2] - hist[0], e - second);
}

static void an_arrival_clears_the_history_and_asks_for_targets(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 20, 30, 4);
  program_launch(model, 0);
  qsm_model_run(model, 12000, false);
  assert_int_not_equal(port_read(model, slot_register(0, QSM_SLOT_INSN_LO)), 0);
  assert_int_not_equal(port_read(model, slot_register(0, QSM_SLOT_HCYC_LO)), 0);
  port_write(model, slot_register(0, QSM_SLOT_CTX), 3);  // a change of qos only
  assert_int_equal(port_read(model, QSM_REG_ALLOC_BUSY), 1);
  assert_int_not_equal(port_read(model, slot_register(0, QSM_SLOT_INSN_LO)), 0);
  qsm_model_run(model, 100, false);
  port_write(model, slot_register(0, QSM_SLOT_CTX), 3);
  assert_int_equal(port_read(model, QSM_REG_ALLOC_BUSY), 0);
  port_write(model, slot_register(0, QSM_SLOT_CTX), 0);
  port_write(model, slot_register(0, QSM_SLOT_CTX), 1);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_INSN_LO)), 0);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_HCYC_LO)), 0);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_LAUNCHES)), 0);
  qsm_model_destroy(model);
}

static void a_mask_asks_for_targets_only_when_it_changes_a_tenants(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  port_write(model, slot_register(0, QSM_SLOT_SM_MASK_LO), 3);
  assert_int_equal(port_read(model, QSM_REG_ALLOC_BUSY), 0);
  port_write(model, slot_register(0, QSM_SLOT_CTX), 1);
  qsm_model_run(model, 200, false);
  port_write(model, slot_register(0, QSM_SLOT_SM_MASK_LO), 3);
  assert_int_equal(port_read(model, QSM_REG_ALLOC_BUSY), 0);
  port_write(model, slot_register(0, QSM_SLOT_SM_MASK_LO), 6);
  assert_int_equal(port_read(model, QSM_REG_ALLOC_BUSY), 1);
  qsm_model_run(model, 200, false);
  // One warp of six per block, five TB slots: targets 0 5 5.
  for (uint32_t i = 0; i < 3; i++) {
    port_write(model, QSM_REG_SM_SELECT, i);
    assert_int_equal(port_read(model, QSM_SMSEL_BASE + QSM_SMSEL_TBS), i ? 5 << 8 : 0);
  }
  qsm_model_destroy(model);
}

// R-TB-15.
static void a_cap_below_a_block_is_refused_while_and_when_it_is_launched(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  uint32_t cap = slot_register(0, QSM_SLOT_WARP_CAP);
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 2000, 3, 2 * config.warp_size);
  port_write(model, cap, 1);
  assert_int_equal(refused(model, slot_register(0, QSM_SLOT_LAUNCH), 1), 1);
  port_write(model, cap, 2);
  program_launch(model, 0);
  assert_int_equal(refused(model, cap, 1), 1);
  assert_int_equal(refused(model, cap, config.warps_per_sm + 1), 1);
  port_write(model, cap, 0);
  port_write(model, cap, 3);
  assert_int_equal(port_read(model, cap), 3);
  qsm_model_destroy(model);
}

// R-TB-15: of a valid slot every accepted write asks.
static void a_cap_asks_for_targets(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  uint32_t cap = slot_register(0, QSM_SLOT_WARP_CAP);
  port_write(model, cap, 2);
  assert_int_equal(port_read(model, QSM_REG_ALLOC_BUSY), 0);
  port_write(model, slot_register(0, QSM_SLOT_CTX), 1);
  qsm_model_run(model, 200, false);
  for (uint32_t n = 0; n < 2; n++) {
    port_write(model, cap, 2);
    assert_int_equal(port_read(model, QSM_REG_ALLOC_BUSY), 1);
    qsm_model_run(model, 200, false);
    assert_int_equal(port_read(model, QSM_SMSEL_BASE + QSM_SMSEL_TBS), 2 << 8);
  }
  qsm_model_destroy(model);
}

// R-XB-6.
static void a_tenant_keeps_the_split_that_it_came_with(void **state) {
  (void)state;
  struct qsm_config config = model_wide();
  config.partition_bits = 20;
  struct qsm_model *model = create(&config);
  uint32_t split = slot_register(1, QSM_SLOT_MEM_SPLIT), ctx = slot_register(1, QSM_SLOT_CTX);
  const struct range_case range = {split, 0, 0, 2, 1};  // four channels
  check_range(model, &range);
  port_write(model, ctx, 1);
  for (uint32_t value = 0; value < 3; value++) assert_int_equal(refused(model, split, value), 1);
  assert_int_equal(port_read(model, split), 2);
  port_write(model, ctx, 0);
  port_write(model, split, 1);
  qsm_model_destroy(model);
}

static uint32_t tbs_on(struct qsm_model *model, uint32_t sm) {
  port_write(model, QSM_REG_SM_SELECT, sm);
  return port_read(model, QSM_SMSEL_BASE + QSM_SMSEL_TBS);
}

static void a_gpu_of_more_than_64_sms_has_a_third_word_of_the_mask(void **state) {
  (void)state;
  struct qsm_config config = model_tiny();
  config.num_sms = 80;
  config.qos_lat = 600;
  struct qsm_model *model = create(&config);
  const uint32_t low = slot_register(0, QSM_SLOT_SM_MASK_LO),
                 high = slot_register(0, QSM_SLOT_SM_MASK_HI),
                 third = slot_register(0, QSM_SLOT_SM_MASK_2);
  assert_int_equal(port_read(model, low), UINT32_MAX);
  assert_int_equal(port_read(model, high), UINT32_MAX);
  assert_int_equal(port_read(model, third), 0xffff);
  assert_int_equal(refused(model, third, 0x10000), 1);
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 1000, 9, 4);
  port_write(model, third, 0x8001);
  port_write(model, high, 0x80000000);
  port_write(model, low, 0);
  assert_int_equal(port_read(model, third), 0x8001);
  program_launch(model, 0);
  qsm_model_run(model, 2000, false);
  // A warp per block, four fit; round-robin from SM 63.
  for (uint32_t i = 0; i < config.num_sms; i++) {
    bool mine = i == 63 || i == 64 || i == 79;
    assert_int_equal(tbs_on(model, i), mine ? 3 | 4 << 8 : 0);
  }
  port_write(model, third, 0x8000);
  assert_int_equal(port_read(model, QSM_REG_ALLOC_BUSY), 1);
  qsm_model_run(model, 1000, false);
  assert_int_equal(tbs_on(model, 64) >> 8, 0);
  assert_int_equal(tbs_on(model, 79) >> 8, 4);
  qsm_model_destroy(model);
}

static void stall_values_count_a_running_kernel(void **state) {
  (void)state;
  struct qsm_config config = model_tiny();
  struct qsm_model *model = create(&config);
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 100, 4, 4);
  program_launch(model, 0);
  qsm_model_run(model, 2000, false);
  uint32_t issued = port_read(model, QSM_REG_STALL_VALUE);
  assert_true(issued > 4 * 100);
  config.stall_counters = 0;
  struct qsm_model *without = create(&config);
  program_load(without, &config, 0, 1, PROGRAM_SPIN, 100, 4, 4);
  program_launch(without, 0);
  qsm_model_run(without, 2000, false);
  assert_int_equal(port_read(without, QSM_REG_STALL_VALUE), 0);
  qsm_model_destroy(model);
  qsm_model_destroy(without);
}

static void without_caches_counters_are_zero_and_a_flush_is_done_at_once(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  for (uint32_t counter = 0; counter <= 21; counter++) {
    port_write(model, QSM_REG_MEM_SELECT, counter << 8);
    assert_int_equal(port_read(model, QSM_REG_MEM_VALUE), 0);
  }
  const uint32_t no_flush[] = {0, 2, 0x7fffffff},
                 flushes[] = {1, 0x80000000u, 0x80000001u, 0x8abcdef0u, 0xffffffffu, 1};
  for (size_t i = 0; i < sizeof no_flush / sizeof no_flush[0]; i++)
    assert_int_equal(refused(model, QSM_REG_L2_FLUSH, no_flush[i]), 1);
  for (size_t i = 0; i < sizeof flushes / sizeof flushes[0]; i++) {
    port_write(model, QSM_REG_L2_FLUSH, flushes[i]);
    assert_int_equal(port_read(model, QSM_REG_L2_FLUSH), 0);
  }
  qsm_model_destroy(model);
}

// R-CP-6.
static void the_front_of_qaws_is_that_of_the_selected_sm_and_sub_core(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 2000, 1, 4);  // one warp: SM 0, sub-core 0
  port_write(model, slot_register(0, QSM_SLOT_BUDGET), 9);
  port_write(model, QSM_REG_POLICY, 4);
  assert_int_equal(port_read(model, QSM_REG_SMSEL_FRONT), 0);
  program_launch(model, 0);
  qsm_model_run(model, 1000, false);
  assert_int_equal(port_read(model, QSM_REG_SMSEL_FRONT), QSM_REG_SMSEL_FRONT_VALID_MASK | 9);
  assert_int_equal(port_read(model, QSM_REG_SMSEL_FRONT + 4), 0);
  port_write(model, QSM_REG_SM_SELECT, 1);
  assert_int_equal(port_read(model, QSM_REG_SMSEL_FRONT), 0);
  qsm_model_destroy(model);
}

struct last_move {
  uint32_t n;
  struct qsm_event event;
};

static void note_move(void *ctx, const struct qsm_event *event) {
  struct last_move *last = ctx;
  if (event->kind != QSM_EV_MOVE) return;
  last->n++;
  last->event = *event;
}

// R-SO-9: what SM_MOVE takes, and its request in the cycle after the write.
static void a_move_is_requested_in_the_cycle_after_its_write(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  struct last_move last = {0};
  qsm_model_set_sink(model, note_move, &last);
  port_write(model, slot_register(1, QSM_SLOT_CTX), 1);
  port_write(model, QSM_REG_SM_SELECT, 2);
  uint64_t t = qsm_model_cycle(model) + 1;  // in which it is written
  port_write(model, QSM_REG_SM_MOVE, 2 | 1 << 8 | QSM_USE_OWNED << 16);
  assert_int_equal(last.n, 0);
  qsm_model_choose(model);
  assert_int_equal(last.n, 1);
  assert_int_equal(last.event.cycle, t + 1);
  assert_int_equal(last.event.sm, 2);
  // The move ends in t + 2, in which this is read.
  assert_int_equal(port_read(model, QSM_REG_SMSEL_OWNER),
                   1 << QSM_REG_SMSEL_OWNER_MOVING_SHIFT |
                       QSM_USE_OWNED << QSM_REG_SMSEL_OWNER_NEXT_USAGE_SHIFT |
                       1 << QSM_REG_SMSEL_OWNER_NEXT_SLOT_SHIFT);
  assert_int_equal(port_read(model, QSM_REG_SMSEL_OWNER),
                   QSM_USE_OWNED | 1 << QSM_REG_SMSEL_OWNER_SLOT_SHIFT);
  assert_int_equal(last.event.cycle, t + 2);
  assert_int_equal(port_read(model, QSM_REG_MOVES), 1);
  assert_int_equal(port_read(model, QSM_REG_MOVE_CYCLES_LO), 1);
  assert_int_equal(port_read(model, QSM_REG_MOVE_CYCLES_HI), 0);
  assert_int_equal(port_read(model, QSM_REG_GATED_CYCLES_LO), 0);
  assert_int_equal(port_read(model, QSM_REG_GATED_CYCLES_HI), 0);
  assert_int_equal(port_read(model, QSM_REG_SHARED_CYCLES_LO), 0);
  assert_int_equal(port_read(model, QSM_REG_SHARED_CYCLES_HI), 0);
  assert_int_equal(port_read(model, QSM_REG_WAKES), 0);
  uint64_t now = qsm_model_cycle(model) + 1;  // of the read; owned from t + 3 on
  assert_int_equal(port_read(model, slot_register(1, QSM_SLOT_OWNED_CYCLES_LO)), now - (t + 3));
  assert_int_equal(port_read(model, slot_register(1, QSM_SLOT_OWNED_CYCLES_HI)), 0);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_OWNED_CYCLES_LO)), 0);
  assert_int_equal(port_read(model, QSM_REG_SM_MOVE), 0);  // write-only
  qsm_model_destroy(model);
}

// R-SO-9, R-SG-1: refused in schemes of whole SMs, for an owner that is not valid, and with a field
// outside the machine.
static void moves_that_may_not_be_are_refused(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  struct last_move last = {0};
  qsm_model_set_sink(model, note_move, &last);
  port_write(model, slot_register(1, QSM_SLOT_CTX), 1);
  static const uint32_t bad[] = {
      3 | QSM_USE_FREE << 16,         // no such SM
      QSM_USE_FREE << 16 | 0x80,      // nor this one
      3 << 16,                        // no such use
      QSM_USE_FREE << 16 | 3 << 8,    // no such slot, though a free SM has no owner
      QSM_USE_OWNED << 16,            // slot 0 is not valid
      QSM_USE_OWNED << 16 | 2 << 8,   // nor is slot 2
      QSM_USE_FREE << 16 | 1u << 11,  // no field
      QSM_USE_FREE << 16 | 1u << 31,  // no field
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(refused(model, QSM_REG_SM_MOVE, bad[i]), 1);
  for (uint32_t scheme = 0; scheme < QSM_SCHEME_COUNT; scheme++) {
    last.n = 0;
    port_write(model, QSM_REG_SCHEME, scheme);
    int err = refused(model, QSM_REG_SM_MOVE, QSM_USE_SHARED << 16);
    assert_int_equal(err, qsm_scheme_whole_sms(scheme));
    port_write(model, QSM_REG_SCHEME, QSM_SCHEME_NONE);
    // A scheme of whole SMs leaves the SM manager at work (R-SO-9).
    qsm_model_run(model, err ? 500 : 3, false);
    if (!err) assert_int_equal(last.n, 2);
  }
  qsm_model_destroy(model);
}

// Where it is not built SM_GATING stays 0; moves go on.
static void a_gpu_without_power_gating_refuses_to_gate(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  config.power_gating = 0;
  struct qsm_model *model = create(&config);
  assert_int_equal(refused(model, QSM_REG_SM_GATING, 1), 1);
  port_write(model, QSM_REG_SM_GATING, 0);
  port_write(model, QSM_REG_SM_MOVE, QSM_USE_FREE << 16);
  qsm_model_run(model, 25000, false);
  assert_int_equal(port_read(model, QSM_REG_SMSEL_OWNER), QSM_USE_FREE);
  assert_int_equal(port_read(model, QSM_REG_GATED_CYCLES_LO), 0);
  qsm_model_destroy(model);
}

static void a_flip_raises_an_interrupt_once(void **state) {
  (void)state;
  struct qsm_config config = model_tiny();
  struct qsm_model *model = create(&config);
  char what[64];
  assert_int_equal(qsm_model_inject(model, "ctrl", 2, what, sizeof what), 0);
  assert_int_equal(port_read(model, QSM_REG_IRQ), 1 << 2);
  assert_int_equal(qsm_model_inject(model, "ctrl", 2, what, sizeof what), -1);
  qsm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constants_describe_the_configuration),
      cmocka_unit_test(every_access_takes_two_cycles),
      cmocka_unit_test(registers_keep_values_in_their_range_and_refuse_others),
      cmocka_unit_test(holes_in_ranges_are_refused),
      cmocka_unit_test(stacks_have_a_size_and_lie_on_multiples_of_a_warps),
      cmocka_unit_test(unknown_unaligned_and_read_only_addresses_are_errors),
      cmocka_unit_test(write_only_registers_read_zero_and_take_one_only),
      cmocka_unit_test(a_launch_needs_a_tenant_an_idle_slot_and_no_pending_interrupt),
      cmocka_unit_test(more_budgets_than_groups_are_refused),
      cmocka_unit_test(an_arrival_resets_what_a_tenant_does_not_inherit),
      cmocka_unit_test(an_interrupt_set_and_cleared_in_one_cycle_is_set),
      cmocka_unit_test(idle_registers_are_closed_while_a_launch_runs),
      cmocka_unit_test(settings_are_closed_while_the_manager_computes),
      cmocka_unit_test(a_write_of_all_cycles_counts_from_the_next_cycle_on),
      cmocka_unit_test(an_arrival_clears_the_history_and_asks_for_targets),
      cmocka_unit_test(a_mask_asks_for_targets_only_when_it_changes_a_tenants),
      cmocka_unit_test(a_cap_below_a_block_is_refused_while_and_when_it_is_launched),
      cmocka_unit_test(a_cap_asks_for_targets),
      cmocka_unit_test(a_tenant_keeps_the_split_that_it_came_with),
      cmocka_unit_test(a_gpu_of_more_than_64_sms_has_a_third_word_of_the_mask),
      cmocka_unit_test(stall_values_count_a_running_kernel),
      cmocka_unit_test(without_caches_counters_are_zero_and_a_flush_is_done_at_once),
      cmocka_unit_test(the_front_of_qaws_is_that_of_the_selected_sm_and_sub_core),
      cmocka_unit_test(a_move_is_requested_in_the_cycle_after_its_write),
      cmocka_unit_test(moves_that_may_not_be_are_refused),
      cmocka_unit_test(a_gpu_without_power_gating_refuses_to_gate),
      cmocka_unit_test(a_flip_raises_an_interrupt_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
