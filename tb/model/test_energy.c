// SPDX-License-Identifier: Apache-2.0
// Energy counters, R-EN-1 to R-EN-3, R-PG-3: an SM alone, against sums over its events; then the
// whole model, by its registers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_program.h"
#include "qsm_model.h"
#include "qsm_regs.h"
#include "sm_rig.h"

enum { LANES = 4, MAX_WARPS_OF_RIG = 64, EVENTS = QSM_ENERGY_EVENT_COUNT };

typedef uint32_t figures[4][EVENTS];  // [kernel][event]

static void read_figures(const struct rig *rig, figures out) {
  for (uint32_t k = 0; k < 4; k++)
    for (uint32_t e = 0; e < EVENTS; e++) out[k][e] = state(rig, QSM_STATE_ENERGY, 0, k, e);
}

// ---- Reference: from the instruction words of the page ----

static uint32_t field(uint32_t word, uint32_t at) { return word >> at & 31; }

static enum qsm_energy_event class_of(uint32_t word) {
  uint32_t opcode = word & 0x7F, funct7 = word >> 25, funct3 = word >> 12 & 7;
  if (opcode == 0x03 || opcode == 0x23 || opcode == 0x2F) return QSM_ENERGY_MEM;
  if (opcode == 0x33 && funct7 == 1) return funct3 < 4 ? QSM_ENERGY_MUL : QSM_ENERGY_DIV;
  if (opcode == 0x53 && (funct7 == 0x0C || funct7 == 0x2C)) return QSM_ENERGY_DIV;
  if (opcode == 0x53 && (funct7 == 0x00 || funct7 == 0x04 || funct7 == 0x08 || funct7 >= 0x60))
    return QSM_ENERGY_FMA;
  if (opcode == 0x43) return QSM_ENERGY_FMA;
  return QSM_ENERGY_ALU;
}

struct ports {
  bool rd, rs1, rs2, rs3;
};

static struct ports ports_of(uint32_t word) {
  bool one_operand = (word >> 25 & 0x20) && word >> 25 != 0x20;  // fsqrt, fcvt
  switch (word & 0x7F) {
    case 0x13:
    case 0x03:
    case 0x67: return (struct ports){.rd = true, .rs1 = true};
    case 0x33:
    case 0x2F: return (struct ports){.rd = true, .rs1 = true, .rs2 = true};
    case 0x23:
    case 0x63: return (struct ports){.rs1 = true, .rs2 = true};
    case 0x37:
    case 0x6F: return (struct ports){.rd = true};
    case 0x73: return (struct ports){.rd = word != EBREAK};
    case 0x53: return (struct ports){.rd = true, .rs1 = true, .rs2 = !one_operand};
    case 0x43: return (struct ports){.rd = true, .rs1 = true, .rs2 = true, .rs3 = true};
    default: return (struct ports){0};
  }
}

static void count_issue(const uint32_t *word, figures out) {
  uint32_t instr = word[4], lanes = qsm_popcount(word[3]), *of = out[word[1]];
  struct ports ports = ports_of(instr);
  of[QSM_ENERGY_ISSUES]++;
  of[class_of(instr)] += lanes;
  if (ports.rs1 && field(instr, 15)) of[QSM_ENERGY_REG_READS] += lanes;
  if (ports.rs2 && field(instr, 20)) of[QSM_ENERGY_REG_READS] += lanes;
  if (ports.rs3 && field(instr, 27)) of[QSM_ENERGY_REG_READS] += lanes;
  if (ports.rd && field(instr, 7)) of[QSM_ENERGY_REG_WRITES] += lanes;
}

// Of events of a rig in which each warp has one kernel only.
static void expect_figures(const struct rig *rig, figures out) {
  uint32_t kernel[QSM_MAX_SUBS][MAX_WARPS_OF_RIG] = {0};
  memset(out, 0, sizeof(figures));
  for (uint32_t i = 0; i < rig->n_events; i++) {
    const struct qsm_event *event = &rig->events[i];
    const uint32_t *word = event->word;
    if (event->kind == QSM_EV_START) kernel[event->sub][word[0]] = word[1];
    bool counted = event->cycle + 1 < rig->cycle;  // in the cycle after the issue
    if (event->kind == QSM_EV_ISSUE && counted) count_issue(word, out);
    if (event->kind != QSM_EV_LSU_PASS) continue;
    uint32_t k = kernel[word[0]][word[1]];
    if (word[2] == 0) out[k][QSM_ENERGY_SHARED] += qsm_popcount(word[3]);
    if (word[2] == 1) out[k][QSM_ENERGY_LINES]++;
  }
}

static void compare(const struct rig *rig) {
  figures expected, counted;
  expect_figures(rig, expected);
  read_figures(rig, counted);
  for (uint32_t k = 0; k < 4; k++)
    for (uint32_t e = 0; e < EVENTS; e++)
      if (expected[k][e] != counted[k][e])
        fail_msg("kernel %u, %s: %u, not %u", k, qsm_energy_event_name(e), counted[k][e],
                 expected[k][e]);
}

// ---- An SM alone ----

// R-EN-1: one of each kind; what is read and written by hand.
static void each_instruction_counts_what_it_does(void **unused) {
  (void)unused;
  enum { FADD = 0x00008053, FMADD = 0x00000043 };
  static const struct {
    uint32_t word;
    uint8_t event, reads, writes;
  } rows[] = {
      {0, QSM_ENERGY_ALU, 0, 0},  // addi x0, x0, 0
      {0, QSM_ENERGY_ALU, 1, 1},  // addi x5, x6, 1
      {0, QSM_ENERGY_ALU, 0, 1},  // addi x5, x0, 1
      {0, QSM_ENERGY_ALU, 1, 1},  // slli: of class ALU
      {0, QSM_ENERGY_ALU, 2, 1},  // add x5, x6, x6
      {0, QSM_ENERGY_ALU, 2, 0},  // add x0, x6, x7
      {0, QSM_ENERGY_ALU, 0, 1},  // lui
      {0, QSM_ENERGY_ALU, 0, 1},  // csrr
      {0, QSM_ENERGY_MUL, 2, 1}, {0, QSM_ENERGY_DIV, 2, 1},
      {0, QSM_ENERGY_DIV, 1, 0}, {0, QSM_ENERGY_MEM, 1, 1},  // lw x5, 0(x3)
      {0, QSM_ENERGY_MEM, 2, 0},                             // sw x5, 0(x3)
      {0, QSM_ENERGY_MEM, 1, 0},                             // sw x0, 0(x3)
      {0, QSM_ENERGY_MEM, 2, 1},                             // amoadd x5, x3, x6
      {0, QSM_ENERGY_ALU, 2, 0},                             // beq x6, x7
      {0, QSM_ENERGY_ALU, 0, 0},                             // fence
      {0, QSM_ENERGY_FMA, 2, 1},                             // fadd x5, x6, x7
      {0, QSM_ENERGY_FMA, 3, 1},                             // fmadd x5, x6, x7, x6
      {0, QSM_ENERGY_FMA, 2, 0},                             // fmadd x0, x6, x7, x0
      {0, QSM_ENERGY_DIV, 1, 1},                             // fsqrt x5, x6
      {0, QSM_ENERGY_ALU, 0, 0},                             // ebreak: its kernel ends
  };
  const uint32_t words[] = {addi(0, 0, 0),
                            addi(5, 6, 1),
                            addi(5, 0, 1),
                            slli(5, 6, 1),
                            add(5, 6, 6),
                            add(0, 6, 7),
                            lui(5, 1 << 12),
                            csrr(5, 0xCC0),
                            enc_r(1, 0, 5, 6, 7),
                            enc_r(1, 4, 5, 6, 7),
                            enc_r(1, 4, 0, 6, 0),
                            lw(5, 3, 0),
                            sw(5, 3, 0),
                            sw(0, 3, 0),
                            amoadd(5, 3, 6),
                            branch(BEQ, 6, 7, 4),
                            FENCE,
                            FADD | 5 << 7 | 6 << 15 | 7 << 20,
                            FMADD | 5 << 7 | 6 << 15 | 7 << 20 | 6u << 27,
                            FMADD | 6 << 15 | 7 << 20,
                            0x58000053 | 5 << 7 | 6 << 15,
                            EBREAK};
  enum { N = sizeof rows / sizeof rows[0] };
  _Static_assert(N == sizeof words / sizeof words[0], "a row for each word");
  for (uint32_t i = 0; i < N; i++) {
    struct qsm_config config = rig_config(1, 4, LANES);
    config.fpu = 1;
    struct rig rig;
    rig_open_config(&rig, &config);
    rig.shared.desc[1].threads = 3;
    const uint32_t program[] = {lui(3, DATA), words[i], EBREAK};
    load_program(&rig, program, 3);
    dispatch(&rig, 1, 0);
    run(&rig, 400);
    figures counted, expected = {{0}};
    read_figures(&rig, counted);
    uint32_t *of = expected[1], n_ends = words[i] != EBREAK;
    of[QSM_ENERGY_ISSUES] = 2 + n_ends;
    of[QSM_ENERGY_ALU] = 3 * (1 + n_ends);
    of[QSM_ENERGY_REG_WRITES] = 3u * (1 + rows[i].writes);
    of[QSM_ENERGY_REG_READS] = 3u * rows[i].reads;
    of[rows[i].event] += 3;
    if (rows[i].event == QSM_ENERGY_MEM)
      of[QSM_ENERGY_LINES] = words[i] == amoadd(5, 3, 6) ? 3 : 1;  // AMOs: a lane each
    for (uint32_t k = 0; k < 4; k++)
      for (uint32_t e = 0; e < EVENTS; e++)
        if (counted[k][e] != expected[k][e])
          fail_msg("word %u (%08x), kernel %u, %s: %u, not %u", i, words[i], k,
                   qsm_energy_event_name(e), counted[k][e], expected[k][e]);
    compare(&rig);
    rig_close(&rig);
  }
}

// R-EN-1 with divergence, two kernels on two sub-cores, with and without an L1.
static void counters_are_sums_over_what_happens(void **unused) {
  (void)unused;
  for (uint32_t l1 = 0; l1 < 2; l1++) {
    struct qsm_config config = rig_config(2, 8, LANES);
    config.l1_kib = l1;
    config.l1_ways = 2;
    struct rig rig;
    rig_open_config(&rig, &config);
    start_mixed_work(&rig);
    for (uint32_t i = 0; i < 40; i++) {
      run(&rig, 37);
      compare(&rig);
    }
    figures counted;
    read_figures(&rig, counted);
    assert_int_not_equal(counted[0][QSM_ENERGY_DIV], 0);
    assert_int_not_equal(counted[2][QSM_ENERGY_LINES], 0);
    assert_int_equal(counted[1][QSM_ENERGY_ISSUES], 0);
    rig_close(&rig);
  }
}

// R-EN-1: shared passes count their lanes, whatever the conflicts of banks.
static void shared_passes_count_their_lanes(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, LANES);
  // Lanes in one bank each (stride 4 words): a pass for each lane; then one pass of all lanes.
  LOAD(&rig, csrr(1, 0xCC0), lui(3, 0x10000000), slli(2, 1, 4), add(4, 3, 2), sw(1, 4, 0),
       slli(2, 1, 2), add(4, 3, 2), lw(5, 4, 0), EXIT);
  dispatch(&rig, 3, 0);
  run(&rig, 500);
  assert_int_equal(count_events(&rig, QSM_EV_LSU_PASS), LANES + 1);
  assert_int_equal(state(&rig, QSM_STATE_ENERGY, 0, 3, QSM_ENERGY_SHARED), 2 * LANES);
  assert_int_equal(state(&rig, QSM_STATE_ENERGY, 0, 3, QSM_ENERGY_LINES), 0);
  compare(&rig);
  rig_close(&rig);
}

// A pass that faults is none (R-LS-3); the instruction has issued all the same.
static void a_fault_of_memory_is_no_line(void **unused) {
  (void)unused;
  struct rig rig;
  rig_open(&rig, 1, 4, LANES);
  LOAD(&rig, lw(5, 0, 0), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 300);
  assert_int_equal(rig.faulted, 1);
  assert_int_equal(state(&rig, QSM_STATE_ENERGY, 0, 0, QSM_ENERGY_MEM), LANES);
  assert_int_equal(state(&rig, QSM_STATE_ENERGY, 0, 0, QSM_ENERGY_LINES), 0);
  rig_close(&rig);
}

// R-PG-3.
static void counters_are_kept_while_the_sm_is_gated(void **unused) {
  (void)unused;
  struct qsm_config config = rig_config(2, 8, LANES);
  struct rig rig;
  rig_open_config(&rig, &config);
  rig.shared.wake_lat = 20;
  start_mixed_work(&rig);
  run(&rig, 10000);
  figures before, after;
  read_figures(&rig, before);
  assert_int_not_equal(before[0][QSM_ENERGY_ISSUES], 0);
  rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_GATE});
  run(&rig, 100);
  assert_int_equal(state(&rig, QSM_STATE_POWER, 0, 0, 0), QSM_POWER_OFF);
  read_figures(&rig, after);
  assert_memory_equal(before, after, sizeof before);
  rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_START});
  rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_WAKE});
  run(&rig, 100);
  assert_int_equal(state(&rig, QSM_STATE_POWER, 0, 0, 0), QSM_POWER_ON);
  read_figures(&rig, after);
  assert_memory_equal(before, after, sizeof before);
  start_mixed_work(&rig);
  run(&rig, 10000);
  compare(&rig);
  rig_close(&rig);
}

// R-EN-2: without counters neither state nor flips.
static void without_counters_there_is_nothing(void **unused) {
  (void)unused;
  struct qsm_config config = rig_config(2, 8, LANES);
  config.energy_counters = 0;
  struct rig rig;
  rig_open_config(&rig, &config);
  start_mixed_work(&rig);
  run(&rig, 1000);
  uint32_t value;
  char what[100];
  struct qsm_sm_figures shown;
  assert_false(qsm_sm_state(rig.sm, rig.cycle, QSM_STATE_ENERGY, 0, 0, 0, &value));
  assert_int_equal(qsm_sm_inject(rig.sm, "energy", 7, what, sizeof what), -1);
  qsm_sm_figures(rig.sm, rig.cycle, &shown);
  assert_int_equal(shown.energy_value, 0);
  rig_close(&rig);
}

// R-EN-2, R-LK-5: one bit of one counter, which stays.
static void a_flip_changes_one_counter(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed < 200; seed++) {
    struct rig rig;
    char what[100];
    rig_open(&rig, 2, 8, LANES);
    start_mixed_work(&rig);
    run(&rig, 300);
    figures before, after;
    read_figures(&rig, before);
    assert_int_equal(qsm_sm_inject(rig.sm, "energy", seed, what, sizeof what), 0);
    read_figures(&rig, after);
    uint32_t n_bits = 0;
    for (uint32_t k = 0; k < 4; k++)
      for (uint32_t e = 0; e < EVENTS; e++) n_bits += qsm_popcount(before[k][e] ^ after[k][e]);
    assert_int_equal(n_bits, 1);
    rig_close(&rig);
  }
}

static void what_is_not_there_has_no_state(void **unused) {
  (void)unused;
  struct rig rig;
  uint32_t value;
  rig_open(&rig, 2, 8, LANES);
  assert_false(qsm_sm_state(rig.sm, 0, QSM_STATE_ENERGY, 0, 4, 0, &value));
  assert_false(qsm_sm_state(rig.sm, 0, QSM_STATE_ENERGY, 0, 0, EVENTS, &value));
  rig_close(&rig);
}

// ---- The whole model ----

static struct qsm_model *create(const struct qsm_config *config) {
  struct qsm_model *model = NULL;
  char msg[200];
  assert_int_equal(qsm_model_create(config, &model, msg, sizeof msg), 0);
  return model;
}

static uint32_t counter(struct qsm_model *model, uint32_t sm, uint32_t k, uint32_t event) {
  port_write(model, QSM_REG_SM_SELECT, sm);
  port_write(model, QSM_REG_ENERGY_SELECT, k << QSM_REG_ENERGY_SELECT_SLOT_SHIFT | event);
  return port_read(model, QSM_REG_ENERGY_VALUE);
}

// R-EN-2, R-EN-3.
static void registers_show_the_selected_counter(void **unused) {
  (void)unused;
  struct qsm_config config = model_demo();
  struct qsm_model *model = create(&config);
  static const enum program programs[] = {PROGRAM_COUNT, PROGRAM_DIVIDE};
  for (uint32_t k = 0; k < 2; k++) {
    program_load(model, &config, k, 1, programs[k], 30, 5, 8);
    program_launch(model, k);
  }
  qsm_model_run(model, 60000, false);
  for (uint32_t k = 0; k < 2; k++) {
    uint64_t lanes = 0;
    assert_int_equal(port_read(model, slot_register(k, QSM_SLOT_STATUS)) & 1, 0);
    for (uint32_t sm = 0; sm < config.num_sms; sm++) {
      for (uint32_t event = 0; event < EVENTS; event++) {
        uint32_t value = counter(model, sm, k, event), kept;
        assert_true(qsm_model_state(model, QSM_STATE_ENERGY, sm, 0, k, event, &kept));
        assert_int_equal(value, kept);
        if (event >= QSM_ENERGY_ALU && event <= QSM_ENERGY_MEM) lanes += value;
      }
    }
    assert_int_not_equal(lanes, 0);
    assert_int_equal(lanes, port_read(model, slot_register(k, QSM_SLOT_INSN_LO)));
  }
  uint32_t value;
  assert_int_equal(qsm_model_write(model, QSM_REG_ENERGY_SELECT, EVENTS), 1);
  assert_int_equal(qsm_model_write(model, QSM_REG_ENERGY_SELECT,
                                   config.num_kernels << QSM_REG_ENERGY_SELECT_SLOT_SHIFT),
                   1);
  assert_int_equal(qsm_model_write(model, QSM_REG_ENERGY_VALUE, 0), 1);
  qsm_model_destroy(model);
  config.energy_counters = 0;
  model = create(&config);
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 30, 5, 8);
  program_launch(model, 0);
  qsm_model_run(model, 5000, false);
  assert_int_equal(counter(model, 0, 0, QSM_ENERGY_ISSUES), 0);
  assert_false(qsm_model_state(model, QSM_STATE_ENERGY, 0, 0, 0, 0, &value));
  qsm_model_destroy(model);
}

struct seen {
  uint32_t issues, injects, passes;
};

static void look(void *ctx, const struct qsm_event *event) {
  struct seen *seen = ctx;
  seen->issues += event->kind == QSM_EV_ISSUE;
  seen->injects += event->kind == QSM_EV_INJECT;
  seen->passes += event->kind == QSM_EV_LSU_PASS;
}

// W11: a program without memory is saved and restored; what the sequencer injects is not counted.
static void injected_instructions_do_not_count(void **unused) {
  (void)unused;
  enum { AREA = PROGRAM_DATA + 0x4000 };
  struct qsm_config config = model_tiny();
  struct qsm_model *model = create(&config);
  struct seen seen = {0};
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 300, 1, 7);
  port_write(model, slot_register(0, QSM_SLOT_SAVE_BASE), QSM_MEM_BASE + AREA);
  port_write(model, slot_register(0, QSM_SLOT_SAVE_LIMIT),
             QSM_MEM_BASE + PROGRAM_DATA + PROGRAM_DATA_BYTES);
  qsm_model_set_sink(model, look, &seen);
  program_launch(model, 0);
  qsm_model_run(model, 500, false);
  port_write(model, QSM_REG_PREEMPT,
             QSM_REG_PREEMPT_BY_SLOT_MASK | qsmTechniqueSwitch << QSM_REG_PREEMPT_TECHNIQUE_SHIFT);
  qsm_model_run(model, 60000, false);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_STATUS)) & 1, 0);
  assert_true(seen.injects > 60);
  assert_true(seen.passes > 60);
  uint32_t lanes = 0;
  for (uint32_t event = QSM_ENERGY_ALU; event <= QSM_ENERGY_MEM; event++)
    lanes += counter(model, 0, 0, event);
  assert_int_equal(lanes, port_read(model, slot_register(0, QSM_SLOT_INSN_LO)));
  assert_int_equal(counter(model, 0, 0, QSM_ENERGY_ISSUES), seen.issues);
  assert_int_equal(counter(model, 0, 0, QSM_ENERGY_MEM), 0);
  assert_int_equal(counter(model, 0, 0, QSM_ENERGY_SHARED), 0);
  assert_int_equal(counter(model, 0, 0, QSM_ENERGY_LINES), 0);
  qsm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_instruction_counts_what_it_does),
      cmocka_unit_test(counters_are_sums_over_what_happens),
      cmocka_unit_test(shared_passes_count_their_lanes),
      cmocka_unit_test(a_fault_of_memory_is_no_line),
      cmocka_unit_test(counters_are_kept_while_the_sm_is_gated),
      cmocka_unit_test(without_counters_there_is_nothing),
      cmocka_unit_test(a_flip_changes_one_counter),
      cmocka_unit_test(what_is_not_there_has_no_state),
      cmocka_unit_test(registers_show_the_selected_counter),
      cmocka_unit_test(injected_instructions_do_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
