// SPDX-License-Identifier: Apache-2.0
// Goals of every kind (docs/goals.md): against double precision, every refusal, set while a launch
// runs, measured alone.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host_support.h"
#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_config_random.h"
#include "qsm_random.h"
#include "qsm_regs.h"

static const struct qsm_config machine = {.name = "machine",
                                          .num_sms = 4,
                                          .num_sched = 2,
                                          .warp_size = 32,
                                          .clock_mhz = 100,
                                          .link_mbytes_s = 12000,
                                          .link_latency_ns = 5000};  // peak 256

static uint32_t translate(const struct qsm_config *config, const qsmGoal *goal) {
  uint32_t ipc_q16 = 0;
  char msg[200] = "";
  if (qsmTranslateGoal(config, goal, &ipc_q16, msg, sizeof msg)) fail_msg("refused: %s", msg);
  return ipc_q16;
}

// ---- Translation ----

// R-GO-2.
static void the_example_of_the_page(void **state) {
  (void)state;
  const qsmGoal goal = {.kind = qsmGoalDeadline,
                        .value = 1000000,
                        .instructions = 1000000,
                        .bytes = 65536,
                        .copies = 2};
  assert_int_equal(translate(&machine, &goal), 665658);
}

// R-GO-1 to R-GO-3.
static void each_kind_is_exact_where_it_is_a_small_number(void **state) {
  (void)state;
  assert_int_equal(translate(&machine, &(qsmGoal){.kind = qsmGoalNone, .value = 7}), 0);
  assert_int_equal(translate(&machine, &(qsmGoal){.kind = qsmGoalIpc, .value = 256 << 16}),
                   256 << 16);
  assert_int_equal(translate(&machine, &(qsmGoal){.kind = qsmGoalIpc, .value = 1}), 1);
  assert_int_equal(
      translate(&machine,
                &(qsmGoal){.kind = qsmGoalShare, .value = 333333, .isolated_ipc_q16 = 10}),
      3);  // rounded down
  assert_int_equal(
      translate(&machine,
                &(qsmGoal){.kind = qsmGoalShare, .value = 1000000, .isolated_ipc_q16 = 256 << 16}),
      256 << 16);
  qsmGoal goal = {.kind = qsmGoalDeadline, .value = 10000, .instructions = 7000};
  assert_int_equal(translate(&machine, &goal), 7 << 16);  // 1000 cycles
  goal.instructions++;
  assert_int_equal(translate(&machine, &goal), (7 << 16) + 66);  // 65.536 rounded up
  goal.value = 10009;
  assert_int_equal(translate(&machine, &goal), (7 << 16) + 66);  // 1000.9 cycles rounded down
  goal = (qsmGoal){
      .kind = qsmGoalDeadline, .value = 15001, .instructions = 7000, .bytes = 1, .copies = 1};
  assert_int_equal(translate(&machine, &goal),
                   7 << 16);  // a byte takes a part of a nanosecond, rounded up
  goal.bytes = 12;
  assert_int_equal(translate(&machine, &goal), 7 << 16);  // 1 ns
  goal.bytes = 13;
  assert_true(translate(&machine, &goal) > 7 << 16);
  goal = (qsmGoal){.kind = qsmGoalDeadline,
                   .value = 10000,
                   .instructions = 7000,
                   .bytes = 1 << 20,
                   .copies = 9,
                   .overlapped = true};
  assert_int_equal(translate(&machine, &goal), 7 << 16);
  goal = (qsmGoal){.kind = qsmGoalRate, .value = 100000000, .instructions = 7000};  // every 10 us
  assert_int_equal(translate(&machine, &goal), 7 << 16);
  goal.value = 99999999;  // every 10000.0001 ns, rounded down
  assert_int_equal(translate(&machine, &goal), 7 << 16);
}

static double in_double(const struct qsm_config *config, const qsmGoal *goal) {
  double transfer = goal->overlapped ? 0
                                     : (double)goal->bytes * 1000 / config->link_mbytes_s +
                                           (double)goal->copies * config->link_latency_ns;
  double deadline = goal->kind == qsmGoalRate ? 1e12 / (double)goal->value : (double)goal->value;
  switch (goal->kind) {
    case qsmGoalIpc: return (double)goal->value / 65536;
    case qsmGoalShare: return goal->isolated_ipc_q16 / 65536.0 * ((double)goal->value / 1e6);
    default:
      return (double)goal->instructions / (config->clock_mhz * 1e6 * ((deadline - transfer) / 1e9));
  }
}

// Deadlines of 10 to 1000 ms and goals from 1 on, where rounding to whole ns, cycles and 2^-16 is
// below the precision asked for.
static qsmGoal random_goal(struct qsm_random *random, const struct qsm_config *config,
                           uint32_t peak) {
  qsmGoal goal = {.kind = (qsmGoalKind)(qsmGoalIpc + qsm_random_below(random, 4)),
                  .copies = (uint32_t)qsm_random_below(random, 4),
                  .overlapped = qsm_random_below(random, 4) == 0};
  uint64_t deadline = 10000000 + qsm_random_below(random, 990000000),
           cycles = deadline * config->clock_mhz / 1000;
  uint32_t ipc = 1 + (uint32_t)qsm_random_below(random, peak);
  goal.bytes = deadline * config->link_mbytes_s / 1000 * qsm_random_below(random, 1000) /
               4000;  // up to a quarter of it
  switch (goal.kind) {
    case qsmGoalIpc: goal.value = (uint64_t)ipc << 16; break;
    case qsmGoalShare:
      goal.isolated_ipc_q16 = peak << 16;
      goal.value = 1 + (uint64_t)ipc * 999999 / peak;
      break;
    case qsmGoalDeadline: goal.value = deadline; break;
    default: goal.value = 1000000000000u / deadline; break;
  }
  goal.instructions = cycles * ipc;
  return goal;
}

// R-GO-1 to R-GO-3.
static void every_kind_agrees_with_double_precision(void **state) {
  (void)state;
  struct qsm_random random = qsm_random_seed(12);
  uint32_t n_of_kind[qsmGoalRate + 1] = {0}, n_refused = 0;
  for (uint32_t round = 0; round < 20000; round++) {
    struct qsm_config config;
    char msg[200];
    assert_int_equal(qsm_config_random(round / 100, &config, msg, sizeof msg), 0);
    config.clock_mhz = 100 + round % 2000;  // of less, a cycle is too long for the precision
    config.link_latency_ns /= 1 + (uint32_t)qsm_random_below(&random, 1000);
    uint32_t peak = config.num_sms * config.num_sched * config.warp_size, ipc_q16 = 0;
    qsmGoal goal = random_goal(&random, &config, peak);
    double ideal = in_double(&config, &goal);
    if (qsmTranslateGoal(&config, &goal, &ipc_q16, msg, sizeof msg)) {
      if (ideal * (1 - 1e-7) <= peak && ideal < peak - 1e-3)
        fail_msg("round %" PRIu32 ": %s", round, msg);
      n_refused++;
      continue;
    }
    double error = fabs(ipc_q16 / 65536.0 - ideal) / ideal;
    if (ideal >= 1 && error > 1.0 / 65536)
      fail_msg("round %" PRIu32 ": kind %d, %.9f instead of %.9f", round, goal.kind,
               ipc_q16 / 65536.0, ideal);
    n_of_kind[goal.kind]++;
  }
  for (int kind = qsmGoalIpc; kind <= qsmGoalRate; kind++) assert_true(n_of_kind[kind] > 2000);
  assert_true(n_refused > 20);  // time for transfers raised them above the peak
}

static void assert_refused(const struct qsm_config *config, qsmGoal goal, qsmError_t error,
                           const char *text) {
  uint32_t untouched = 77;
  char msg[200] = "";
  assert_int_equal(qsmTranslateGoal(config, &goal, &untouched, msg, sizeof msg), error);
  assert_string_equal(msg, text);
  assert_int_equal(untouched, 77);
}

// R-GO-4.
static void impossible_goals_are_refused_with_both_numbers(void **state) {
  (void)state;
  const struct qsm_config *config = &machine;
  assert_refused(config,
                 (qsmGoal){.kind = qsmGoalDeadline,
                           .value = 1000000,
                           .instructions = 5,
                           .bytes = 14280000,
                           .copies = 2},
                 qsmErrorGoal, "transfer takes 1200000 ns of a deadline of 1000000 ns");
  assert_refused(config,
                 (qsmGoal){.kind = qsmGoalDeadline, .value = 10000, .instructions = 5, .copies = 2},
                 qsmErrorGoal, "transfer takes 10000 ns of a deadline of 10000 ns");
  assert_refused(config,
                 (qsmGoal){.kind = qsmGoalDeadline,
                           .value = 5,
                           .instructions = 5,
                           .bytes = UINT64_MAX,
                           .copies = UINT32_MAX},
                 qsmErrorGoal, "transfer takes 1537250147645604302 ns of a deadline of 5 ns");
  assert_refused(config,
                 (qsmGoal){.kind = qsmGoalRate, .value = 100000000, .instructions = 5, .copies = 2},
                 qsmErrorGoal, "transfer takes 10000 ns of a deadline of 10000 ns");
  assert_refused(config, (qsmGoal){.kind = qsmGoalRate, .value = 1000000000001, .instructions = 5},
                 qsmErrorGoal, "transfer takes 0 ns of a deadline of 0 ns");
  assert_refused(config, (qsmGoal){.kind = qsmGoalDeadline, .value = 9, .instructions = 5},
                 qsmErrorGoal, "the deadline leaves 9 ns, less than a cycle at 100 MHz");
  assert_refused(config, (qsmGoal){.kind = qsmGoalIpc, .value = 300 << 16}, qsmErrorGoal,
                 "goal 300.00000 above the peak 256 thread instructions per cycle");
  assert_refused(config, (qsmGoal){.kind = qsmGoalIpc, .value = (256 << 16) + 1}, qsmErrorGoal,
                 "goal 256.00002 above the peak 256 thread instructions per cycle");
  assert_refused(config, (qsmGoal){.kind = qsmGoalDeadline, .value = 10, .instructions = 257},
                 qsmErrorGoal, "goal 257.00000 above the peak 256 thread instructions per cycle");
  assert_refused(config,
                 (qsmGoal){.kind = qsmGoalDeadline, .value = 10, .instructions = (uint64_t)1 << 50},
                 qsmErrorGoal,  // no overflow of 32 bit
                 "goal 1125899906842624.00000 above the peak 256 thread instructions per cycle");
  assert_refused(
      config, (qsmGoal){.kind = qsmGoalIpc, .value = 3 << 16, .isolated_ipc_q16 = 5 << 15},
      qsmErrorGoal, "goal 3.00000 above the isolated 2.50000 thread instructions per cycle");
  assert_refused(config,
                 (qsmGoal){.kind = qsmGoalRate,
                           .value = 100000000,
                           .instructions = 7001,
                           .isolated_ipc_q16 = 7 << 16},
                 qsmErrorGoal,
                 "goal 7.00101 above the isolated 7.00000 thread instructions per cycle");
  assert_refused(config,
                 (qsmGoal){.kind = qsmGoalShare, .value = 1000001, .isolated_ipc_q16 = 1 << 16},
                 qsmErrorGoal, "a share of 1000001 millionths, at most 1000000");
}

// R-GO-4.
static void goals_of_nothing_are_refused(void **state) {
  (void)state;
  for (int kind = qsmGoalIpc; kind <= qsmGoalRate; kind++)
    assert_refused(
        &machine,
        (qsmGoal){.kind = (qsmGoalKind)kind, .instructions = 5, .isolated_ipc_q16 = 1 << 16},
        qsmErrorGoal, "a goal of 0");
  assert_refused(&machine, (qsmGoal){.kind = qsmGoalDeadline, .value = 1000}, qsmErrorGoal,
                 "a launch of 0 thread instructions");
  assert_refused(&machine, (qsmGoal){.kind = qsmGoalRate, .value = 1000}, qsmErrorGoal,
                 "a launch of 0 thread instructions");
  assert_refused(&machine, (qsmGoal){.kind = qsmGoalShare, .value = 1000}, qsmErrorGoal,
                 "a share of an isolated IPC of 0");
  assert_refused(&machine, (qsmGoal){.kind = qsmGoalShare, .value = 1, .isolated_ipc_q16 = 10},
                 qsmErrorGoal, "a goal below 1/65536 thread instructions per cycle");
  assert_refused(&machine, (qsmGoal){.kind = (qsmGoalKind)9, .value = 1}, qsmErrorInvalidValue,
                 "no such kind of goal: 9");
}

// ---- Several goals (R-GO-8), pure ----

#define THREADS(value) ((uint32_t)((value) * 65536))

static void assert_together(qsmAdmission admission, const qsmAskedGoal *goals, uint32_t n,
                            const char *text) {
  char msg[400] = "untouched";
  assert_int_equal(qsmCheckGoals(&machine, admission, goals, n, msg, sizeof msg),
                   text ? qsmErrorGoal : qsmSuccess);
  assert_string_equal(msg, text ? text : "untouched");
}

// R-GO-8: to the last part of an instruction, on all SMs and on those of a mask.
static void sure_refuses_what_sms_cannot_issue(void **state) {
  (void)state;
  qsmAskedGoal goals[] = {{.name = "a", .goal_ipc_q16 = THREADS(200)},
                          {.name = "b", .goal_ipc_q16 = THREADS(40)},
                          {.goal_ipc_q16 = THREADS(16)}};
  assert_together(qsmAdmissionSure, goals, 3, NULL);
  goals[1].goal_ipc_q16++;
  assert_together(qsmAdmissionSure, goals, 3,
                  "goals cannot be held together: a 200.00000 + b 40.00002 + goal 2 16.00000 = "
                  "256.00002 thread instructions per cycle, the 4 SMs that they may use issue 256 "
                  "at most");
  assert_together(qsmAdmissionOff, goals, 3, NULL);
  // Three on SM 2, a on all: only those whose SMs are all among these count.
  qsmAskedGoal on_one[] = {{.name = "a", .goal_ipc_q16 = THREADS(160)},
                           {.name = "b", .goal_ipc_q16 = THREADS(40), .sm_mask = 4},
                           {.name = "c", .sm_mask = 4},
                           {.name = "d", .goal_ipc_q16 = THREADS(24), .sm_mask = 4}};
  assert_together(qsmAdmissionSure, on_one, 4, NULL);
  on_one[3].goal_ipc_q16++;
  assert_together(qsmAdmissionSure, on_one, 4,
                  "goals cannot be held together: b 40.00000 + d 24.00002 = 64.00002 thread "
                  "instructions per cycle, the 1 SM that they may use issue 64 at most");
  on_one[3].sm_mask = 12;  // SM 3, too
  assert_together(qsmAdmissionSure, on_one, 4, NULL);
  on_one[3].sm_mask = (qsmSmMask)5 << 100 | 4;  // what is above the last SM is none
  assert_together(qsmAdmissionSure, on_one, 4,
                  "goals cannot be held together: b 40.00000 + d 24.00002 = 64.00002 thread "
                  "instructions per cycle, the 1 SM that they may use issue 64 at most");
  assert_together(qsmAdmissionSure, NULL, 0, NULL);
}

// R-GO-8: with SMs above the 64th.
static void goals_on_96_sms_count_each_of_their_sms(void **state) {
  (void)state;
  const qsmSmMask one = 1, upper = (one << 96) - (one << 64), across = (one << 68) - (one << 60);
  struct qsm_config large = machine;
  char msg[400] = "untouched";
  qsmAskedGoal goals[] = {{.name = "a", .goal_ipc_q16 = THREADS(1024), .sm_mask = upper},
                          {.name = "b", .goal_ipc_q16 = THREADS(1000), .sm_mask = upper},
                          {.name = "c", .goal_ipc_q16 = THREADS(24), .sm_mask = one << 95},
                          {.name = "d", .goal_ipc_q16 = THREADS(512), .sm_mask = across},
                          {.name = "e", .goal_ipc_q16 = THREADS(3584)}};
  large.num_sms = 96;
  assert_int_equal(qsmCheckGoals(&large, qsmAdmissionSure, goals, 5, msg, sizeof msg), qsmSuccess);
  goals[2].goal_ipc_q16++;  // of SMs 64 to 95
  assert_int_equal(qsmCheckGoals(&large, qsmAdmissionSure, goals, 3, msg, sizeof msg),
                   qsmErrorGoal);
  assert_string_equal(
      msg,
      "goals cannot be held together: a 1024.00000 + b 1000.00000 + c 24.00002 = "
      "2048.00002 thread instructions per cycle, the 32 SMs that they may use issue "
      "2048 at most");
  goals[2].goal_ipc_q16--;
  goals[3].goal_ipc_q16++;  // of SMs 60 to 67
  assert_int_equal(qsmCheckGoals(&large, qsmAdmissionSure, goals, 4, msg, sizeof msg),
                   qsmErrorGoal);
  assert_string_equal(msg,
                      "goals cannot be held together: d 512.00002 = 512.00002 thread instructions "
                      "per cycle, the 8 SMs that they may use issue 512 at most");
  goals[3].goal_ipc_q16--;
  goals[4].goal_ipc_q16++;  // of all
  assert_int_equal(qsmCheckGoals(&large, qsmAdmissionSure, goals, 5, msg, sizeof msg),
                   qsmErrorGoal);
  assert_non_null(strstr(msg,
                         "= 6144.00002 thread instructions per cycle, the 96 SMs that they may "
                         "use issue 6144 at most"));
}

// R-GO-8.
static void cautious_refuses_more_than_a_part_for_each_tenant(void **state) {
  (void)state;
  qsmAskedGoal goals[] = {
      {.name = "a", .goal_ipc_q16 = THREADS(3), .isolated_ipc_q16 = THREADS(10)},
      {.name = "b", .goal_ipc_q16 = THREADS(4), .isolated_ipc_q16 = THREADS(20)},
      {.name = "c", .isolated_ipc_q16 = THREADS(20)},
  };
  assert_together(qsmAdmissionCautious, goals, 2, NULL);  // 30 + 20 %
  assert_together(qsmAdmissionSure, goals, 3, NULL);
  assert_together(qsmAdmissionCautious, goals, 3,
                  "goals may not be held together: a 30.00 % + b 20.00 % = 50.00 % of what they "
                  "reach alone, 3 tenants may have 33.33 %");
  goals[0].goal_ipc_q16 += 100;
  assert_together(qsmAdmissionCautious, goals, 2,
                  "goals may not be held together: a 30.02 % + b 20.00 % = 50.02 % of what they "
                  "reach alone, 2 tenants may have 50.00 %");
  goals[1].isolated_ipc_q16 = 0;
  assert_together(qsmAdmissionCautious, goals, 2,
                  "goals may not be held together: what b reaches alone is not known");
  goals[1].goal_ipc_q16 = 0;  // one goal beside others is not refused here, however high
  goals[0].goal_ipc_q16 = THREADS(10);
  assert_together(qsmAdmissionCautious, goals, 3, NULL);
  // What no SMs issue is refused as by sure.
  goals[1] = (qsmAskedGoal){.goal_ipc_q16 = THREADS(247), .isolated_ipc_q16 = THREADS(247)};
  assert_together(qsmAdmissionCautious, goals, 2,
                  "goals cannot be held together: a 10.00000 + goal 1 247.00000 = 257.00000 thread "
                  "instructions per cycle, the 4 SMs that they may use issue 256 at most");
}

// R-GO-8. Random goals: sure refuses some set if and only if the goals within some tenant's mask,
// or of all, sum to more than that many SMs issue.
static void sure_agrees_with_sums_in_double_precision(void **state) {
  (void)state;
  struct qsm_random random = qsm_random_seed(22);
  uint32_t n_refused = 0;
  for (uint32_t round = 0; round < 5000; round++) {
    qsmAskedGoal goals[6] = {{0}};
    char msg[8];
    bool refused = false;
    for (uint32_t i = 0; i < 6; i++) {
      goals[i].goal_ipc_q16 = (uint32_t)qsm_random_below(&random, THREADS(80));
      goals[i].sm_mask = (qsmSmMask)qsm_random_below(&random, 16);
    }
    for (uint32_t i = 0; i <= 6; i++) {
      uint32_t sms = i == 6 || !goals[i].sm_mask ? 15 : (uint32_t)goals[i].sm_mask;
      double sum = 0;
      for (uint32_t k = 0; k < 6; k++) {
        uint32_t mask = goals[k].sm_mask ? (uint32_t)goals[k].sm_mask : 15;
        if ((mask & ~sms) == 0) sum += goals[k].goal_ipc_q16 / 65536.0;
      }
      refused |= sum > 64.0 * __builtin_popcount(sms);
    }
    assert_int_equal(qsmCheckGoals(&machine, qsmAdmissionSure, goals, 6, msg, sizeof msg),
                     refused ? qsmErrorGoal : qsmSuccess);
    n_refused += refused;
  }
  assert_in_range(n_refused, 500, 4500);
}

static void wrong_admissions_are_refused(void **state) {
  (void)state;
  char msg[200] = "";
  assert_int_equal(qsmCheckGoals(NULL, qsmAdmissionSure, NULL, 0, msg, sizeof msg),
                   qsmErrorInvalidValue);
  assert_int_equal(qsmCheckGoals(&machine, qsmAdmissionSure, NULL, 1, msg, sizeof msg),
                   qsmErrorInvalidValue);
  assert_int_equal(qsmCheckGoals(&machine, (qsmAdmission)3, NULL, 0, msg, sizeof msg),
                   qsmErrorInvalidValue);
  assert_string_equal(msg, "NULL for configuration or goals, or no such admission: 3");
  assert_string_equal(qsmAdmissionName(qsmAdmissionCautious), "cautious");
  assert_null(qsmAdmissionName((qsmAdmission)3));
}

// ---- On a device ----

static qsmDevice_t device;
static qsmContext_t context;

static int open_model(void **state) {
  (void)state;
  device = open_device("tiny");
  context = open_context(device);
  return 0;
}

static int open_lockstep(void **state) {
  (void)state;
  char msg[256] = "";
  if (qsmDeviceOpen("lockstep", "tiny", &(struct qsm_backend_options){.state_interval = 1000},
                    &device, msg, sizeof msg))
    fail_msg("%s", msg);
  context = open_context(device);
  return 0;
}

static int close_device(void **state) {
  (void)state;
  qsmDeviceClose(device);
  return 0;
}

static uint32_t slot_value(uint32_t offset) {
  uint32_t value = 0;
  assert_int_equal(
      qsmRegisterRead(
          device, (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * qsmContextSlot(context) + offset),
          &value),
      qsmSuccess);
  return value;
}

static uint32_t register_value(uint16_t address) {
  uint32_t value = 0;
  assert_int_equal(qsmRegisterRead(device, address, &value), qsmSuccess);
  return value;
}

// Until the quotas of the next epoch have been loaded.
static void run_past_load(void) {
  uint32_t count = register_value(QSM_REG_EPOCH_COUNT);
  while (register_value(QSM_REG_EPOCH_COUNT) == count)
    assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 20), qsmSuccess);
}

enum { EPOCH = 2000, OVERSHOOT = 8 };

// Spins with a goal of an eighth of an instruction per cycle, in epochs of EPOCH cycles, up to
// where that is what it gets.
static void spin_with_goal(uint32_t *buffer) {
  *buffer = allocate(context, 256);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeNaive, EPOCH), qsmSuccess);
  assert_int_equal(qsmSetGoal(context, &(qsmGoal){.kind = qsmGoalIpc, .value = 1 << 13}),
                   qsmSuccess);
  assert_int_equal(launch(context, "endless", 1, *buffer, 0, NULL, NULL), qsmSuccess);
  for (uint32_t i = 0; i < 4; i++) run_past_load();
}

static void assert_epoch(uint32_t quota) {
  assert_int_equal(slot_value(QSM_SLOT_EPOCH_QUOTA), quota);
  assert_in_range(slot_value(QSM_SLOT_EPOCH_INSN), quota - OVERSHOOT, quota + OVERSHOOT);
}

// R-GO-6.
static void a_goal_changed_while_it_runs_acts_from_the_next_epoch_on(void **state) {
  (void)state;
  uint32_t buffer;
  const uint32_t stop = 1;
  spin_with_goal(&buffer);
  assert_epoch(EPOCH / 8);
  assert_true(slot_value(QSM_SLOT_HCYC_LO) > 2 * EPOCH);
  // 80000 cycles of 75 MHz for 20000 instructions
  assert_int_equal(
      qsmSetGoal(context,
                 &(qsmGoal){.kind = qsmGoalDeadline, .value = 1066667, .instructions = 20000}),
      qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_GOAL), 1 << 14);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA), EPOCH / 4);
  assert_int_equal(slot_value(QSM_SLOT_HCYC_LO), 0);
  run_past_load();
  assert_int_equal(slot_value(QSM_SLOT_EPOCH_QUOTA), EPOCH / 4);
  assert_true(slot_value(QSM_SLOT_HCYC_LO) < EPOCH);  // from the change on
  run_past_load();
  run_past_load();
  assert_epoch(EPOCH / 4);
  assert_int_equal(qsmMemcpyHtoD(context, buffer, &stop, 4), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
}

// R-GO-6: in every phase of the manager's work, among them the cycle that closes and the one that
// opens its registers.
static void a_goal_is_set_in_every_cycle_around_an_epochs_end(void **state) {
  (void)state;
  uint32_t buffer, n_waited = 0;
  const struct qsm_config *config = qsmDeviceConfig(device);
  spin_with_goal(&buffer);
  for (uint32_t i = 0; i < config->qos_lat + 8; i++) {
    run_past_load();
    uint64_t snapshot = register_value(QSM_REG_EPOCH_E_LO) + EPOCH;
    assert_int_equal(qsmDeviceRunUntil(device, snapshot - 4 + i), qsmSuccess);
    uint64_t begin = qsmDeviceCycle(device);
    qsmError_t error = qsmSetQoS(context, (1 << 13) + 1 + i);
    if (error)
      fail_msg("%d cycles after the snapshot: %s", (int)i - 4, qsmGetLastErrorText(device));
    uint64_t took = qsmDeviceCycle(device) - begin;
    // Two accesses of two cycles at least; a refused one is made again.
    assert_in_range(took, 4, config->qos_lat + 10);
    n_waited += took > 6;
    assert_int_equal(slot_value(QSM_SLOT_GOAL), (1 << 13) + 1 + i);
  }
  assert_in_range(n_waited, config->qos_lat, config->qos_lat + 4);
}

// R-GO-6.
static void the_average_is_forgotten_only_with_its_goal(void **state) {
  (void)state;
  uint32_t buffer;
  spin_with_goal(&buffer);
  uint32_t cycles = slot_value(QSM_SLOT_HCYC_LO);
  assert_int_equal(qsmSetQoS(context, 1 << 13), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_HCYC_LO), cycles);
  assert_int_equal(qsmSetQoS(context, 1 << 12), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_HCYC_LO), 0);
}

// R-GO-6.
static void a_goal_and_none_are_exchanged_only_when_idle(void **state) {
  (void)state;
  uint32_t buffer;
  const uint32_t stop = 1;
  spin_with_goal(&buffer);
  assert_int_equal(qsmSetGoal(context, &(qsmGoal){.kind = qsmGoalNone}), qsmErrorBusy);
  assert_int_equal(slot_value(QSM_SLOT_GOAL), 1 << 13);
  assert_int_equal(qsmMemcpyHtoD(context, buffer, &stop, 4), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(qsmSetGoal(context, &(qsmGoal){.kind = qsmGoalNone}), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_CTX), 1);
  assert_int_equal(slot_value(QSM_SLOT_HCYC_LO), 0);
}

// R-GO-4.
static void a_refused_goal_changes_nothing(void **state) {
  (void)state;
  assert_int_equal(qsmSetQoS(context, 3 << 16), qsmSuccess);
  uint64_t cycle = qsmDeviceCycle(device);
  assert_int_equal(qsmSetGoal(context, &(qsmGoal){.kind = qsmGoalIpc, .value = 5 << 16}),
                   qsmErrorGoal);
  assert_string_equal(qsmGetLastErrorText(device),
                      "slot 0: goal 5.00000 above the peak 4 thread instructions per cycle");
  assert_int_equal(qsmDeviceCycle(device), cycle);
  assert_int_equal(slot_value(QSM_SLOT_GOAL), 3 << 16);
}

// R-GO-8: sure at first; the goals that other contexts have count, those of destroyed ones do not;
// a goal that is lowered is never refused.
static void a_goal_is_refused_beside_those_that_are_there(void **state) {
  (void)state;
  qsmContext_t other = open_context(device);
  assert_int_equal(qsmSetQoS(context, 3 << 16), qsmSuccess);
  assert_int_equal(qsmSetQoS(other, (1 << 16) + 1), qsmErrorGoal);
  assert_string_equal(qsmGetLastErrorText(device),
                      "slot 1: goals cannot be held together: slot 0 3.00000 + slot 1 1.00002 = "
                      "4.00002 thread instructions per cycle, the 1 SM that they may use issue 4 "
                      "at most (admission sure)");
  assert_int_equal(qsmSetQoS(other, 1 << 16), qsmSuccess);
  assert_int_equal(qsmSetQoS(context, (3 << 16) + 1), qsmErrorGoal);
  assert_int_equal(slot_value(QSM_SLOT_GOAL), 3 << 16);
  assert_int_equal(qsmSetAdmission(device, qsmAdmissionOff), qsmSuccess);
  assert_int_equal(qsmSetQoS(context, 4 << 16), qsmSuccess);
  assert_int_equal(qsmSetAdmission(device, qsmAdmissionCautious), qsmSuccess);
  assert_int_equal(qsmSetQoS(context, (3 << 16) + 5), qsmSuccess);
  assert_int_equal(qsmSetQoS(other, 0), qsmSuccess);
  assert_int_equal(qsmSetQoS(other, 1), qsmErrorGoal);
  assert_string_equal(qsmGetLastErrorText(device),
                      "slot 1: goals may not be held together: what slot 0 reaches alone is not "
                      "known (admission cautious)");
  // A quarter of what each reaches alone, and a little more.
  assert_int_equal(qsmSetQoS(context, 0), qsmSuccess);
  assert_int_equal(qsmSetIsolatedIpc(other, 2 << 16), qsmSuccess);
  assert_int_equal(qsmSetQoS(other, 1 << 15), qsmSuccess);
  qsmGoal goal = {.kind = qsmGoalShare, .value = 250000, .isolated_ipc_q16 = 2 << 16};
  assert_int_equal(qsmSetGoal(context, &goal), qsmSuccess);
  goal.value = 251000;
  assert_int_equal(qsmSetGoal(context, &goal), qsmErrorGoal);
  assert_string_equal(qsmGetLastErrorText(device),
                      "slot 0: goals may not be held together: slot 0 25.10 % + slot 1 25.00 % = "
                      "50.10 % of what they reach alone, 2 tenants may have 50.00 % (admission "
                      "cautious)");
  qsmContextDestroy(other);
  assert_int_equal(qsmSetGoal(context, &goal), qsmSuccess);
  assert_int_equal(qsmSetAdmission(device, (qsmAdmission)7), qsmErrorInvalidValue);
  assert_string_equal(qsmGetLastErrorText(device), "no such admission: 7");
  assert_int_equal(qsmSetAdmission(NULL, qsmAdmissionOff), qsmErrorInvalidHandle);
}

// ---- Measured alone ----

static const qsmDim3 two_warps = {8, 1, 1};

static qsmGoal measure(const char *kernel, uint32_t n_blocks, uint32_t buffer) {
  const uint32_t args[] = {buffer};
  qsmGoal goal = {.kind = qsmGoalShare, .value = 500000};
  const qsmLaunch alone = {
      .kernel = kernel, .grid = {n_blocks, 1, 1}, .block = two_warps, .args = args, .n_args = 1};
  if (qsmMeasureIsolated(context, &alone, LONG, &goal)) fail_msg("%s", qsmGetLastErrorText(device));
  return goal;
}

// R-GO-5.
static void a_launch_is_measured_alone(void **state) {
  (void)state;
  qsmContext_t other = open_context(device);
  uint32_t others = allocate(other, 256), buffer = allocate(context, 4096);
  assert_int_equal(launch(other, "endless", 1, others, 0, NULL, NULL), qsmSuccess);
  uint64_t cycle = qsmDeviceCycle(device);
  qsmGoal ten = measure("fill", 10, buffer), twenty = measure("fill", 20, buffer);
  assert_int_equal(qsmDeviceCycle(device), cycle + 8);  // the policy has been read, no more
  assert_int_equal(read_word(context, buffer), 0);
  assert_int_equal(twenty.instructions, 2 * ten.instructions);
  assert_true(ten.instructions > 10 * 8 * 5);  // threads of some instructions
  assert_in_range(ten.isolated_ipc_q16, 1 << 12, 4 << 16);
  assert_true(qsmSetGoal(context, &ten) == qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_GOAL), ten.isolated_ipc_q16 / 2);

  // What the launch itself adds to the count of the GPU.
  assert_int_equal(launch(context, "fill", 10, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  run_past_load();
  run_past_load();
  assert_int_equal(slot_value(QSM_SLOT_INSN_LO), ten.instructions);
}

// R-GO-5: each of the two launches finds the word that "take" takes.
static void the_memory_is_as_at_the_call(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 4096);
  const uint32_t stop = 1, one[] = {buffer};
  assert_int_equal(qsmMemcpyHtoD(context, buffer, &stop, 4), qsmSuccess);
  assert_true(measure("take", 1, buffer).instructions > 3 * 100);
  assert_int_equal(read_word(context, buffer), 1);
  const uint32_t go_on = 0;
  assert_int_equal(qsmMemcpyHtoD(context, buffer, &go_on, 4), qsmSuccess);
  qsmGoal untouched = {.instructions = 5};
  const qsmLaunch alone = {
      .kernel = "endless", .grid = {1, 1, 1}, .block = two_warps, .args = one, .n_args = 1};
  assert_int_equal(qsmMeasureIsolated(context, &alone, 30000, &untouched), qsmErrorTimeout);
  assert_string_equal(qsmGetLastErrorText(device),
                      "slot 0: launch still running after 30000 cycles");
  assert_int_equal(untouched.instructions, 5);
}

static uint64_t instructions_of_stacks(uint32_t buffer, uint32_t words) {
  const uint32_t args[] = {buffer, words};
  qsmGoal goal = {.kind = qsmGoalNone};
  const qsmLaunch alone = {
      .kernel = "stacks", .grid = {2, 1, 1}, .block = two_warps, .args = args, .n_args = 2};
  if (qsmMeasureIsolated(context, &alone, LONG, &goal)) fail_msg("%s", qsmGetLastErrorText(device));
  return goal.instructions;
}

// R-GO-5: with the arguments of the call, whatever was launched before.
static void arguments_are_those_of_the_call(void **state) {
  static const char *const configs[] = {"tiny", "odd", "demo+l2_kib-16", "wang2017"};
  (void)state;
  for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
    device = open_device(configs[i]);
    context = open_context(device);
    const uint32_t buffer = allocate(context, 4096), args[] = {buffer, 32};
    uint64_t few = instructions_of_stacks(buffer, 1), many = instructions_of_stacks(buffer, 32);
    assert_true(few > 0 && many > 2 * few);
    assert_int_equal(qsmLaunchKernel(context, "stacks", (qsmDim3){2, 1, 1}, two_warps, args, 2, 0,
                                     NULL, NULL, NULL),
                     qsmSuccess);
    assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
    assert_int_equal(instructions_of_stacks(buffer, 1), few);
    assert_int_equal(instructions_of_stacks(buffer, 32), many);
    qsmDeviceClose(device);
  }
}

static void what_cannot_be_launched_cannot_be_measured(void **state) {
  (void)state;
  qsmGoal untouched = {.instructions = 5};
  const uint32_t args[] = {allocate(context, 256)};
  assert_int_equal(
      qsmMeasureIsolated(context,
                         &(qsmLaunch){.kernel = "nothing", .grid = {1, 1, 1}, .block = two_warps},
                         LONG, &untouched),
      qsmErrorNotFound);
  assert_string_equal(qsmGetLastErrorText(device), "no kernel 'nothing' in the module");
  assert_int_equal(qsmMeasureIsolated(context,
                                      &(qsmLaunch){.kernel = "illegal",
                                                   .grid = {3, 1, 1},
                                                   .block = two_warps,
                                                   .args = args,
                                                   .n_args = 1},
                                      LONG, &untouched),
                   qsmErrorKernelFault);
  qsmContext_t empty = NULL;
  assert_int_equal(qsmContextCreate(device, &empty), qsmSuccess);
  assert_int_equal(qsmMeasureIsolated(
                       empty, &(qsmLaunch){.kernel = "fill", .grid = {1, 1, 1}, .block = two_warps},
                       LONG, &untouched),
                   qsmErrorNotFound);
  assert_int_equal(untouched.instructions, 5);
}

// ---- Deadlines (docs/deadlines.md) ----

struct seen {
  uint32_t n;
  qsmLaunchResult result[4];
};

static void see(void *user, const qsmLaunchResult *result) {
  struct seen *seen = user;
  seen->result[seen->n++] = *result;
}

static qsmError_t launch_within(const char *kernel, uint32_t n_blocks, uint32_t buffer,
                                uint64_t deadline, uint64_t work, struct seen *seen) {
  const uint32_t args[] = {buffer};
  const qsmLaunch what = {.kernel = kernel,
                          .grid = {n_blocks, 1, 1},
                          .block = two_warps,
                          .args = args,
                          .n_args = 1,
                          .deadline_cycles = deadline,
                          .work = work};
  return qsmLaunchKernelEx(context, &what, see, seen);
}

// R-DL-1, R-DL-2: counted from the submission, by what was measured of a block; in RTL and model.
static void a_launch_has_a_deadline_from_its_submission_on(void **state) {
  (void)state;
  struct seen seen = {0};
  uint32_t buffer = allocate(context, 4096);
  qsmGoal ten = measure("fill", 10, buffer);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemePace, EPOCH), qsmSuccess);
  assert_int_equal(qsmSetGoal(context, &(qsmGoal){.kind = qsmGoalIpc, .value = 1 << 16}),
                   qsmSuccess);
  assert_int_equal(launch_within("fill", 25, buffer, 40000, 0, &seen), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_DEADLINE), 40000 - EPOCH);
  assert_int_equal(slot_value(QSM_SLOT_WORK), (ten.instructions * 25 + 9) / 10);
  assert_int_equal(launch_within("fill", 10, buffer, 50000, 1234, &seen), qsmSuccess);  // waits
  assert_int_equal(launch_within("fill", 10, buffer, 1, 1, &seen), qsmSuccess);
  uint64_t submitted = qsmDeviceCycle(device);
  assert_int_equal(launch_within("fill", 1, buffer, 0, 77, &seen), qsmSuccess);
  while (seen.n < 1)
    assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 10), qsmSuccess);
  uint64_t waited = seen.result[0].end_cycle - submitted;
  assert_int_equal(slot_value(QSM_SLOT_WORK), 1234);
  uint64_t most = 50000 - waited - EPOCH;
  assert_in_range(slot_value(QSM_SLOT_DEADLINE), most - 100, most);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_DEADLINE), 0);  // of the last, which has none
  static const bool has[] = {true, true, true, false}, missed[] = {false, false, true, false};
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(seen.result[i].deadline_cycle != 0, has[i]);
    assert_int_equal(seen.result[i].missed, missed[i]);
  }
  assert_int_equal(seen.result[1].deadline_cycle, submitted + 50000);
  qsmDeadlines counts;
  assert_int_equal(qsmReadDeadlines(context, &counts), qsmSuccess);
  assert_int_equal(counts.n_met, 2);
  assert_int_equal(counts.n_missed, 1);
  assert_int_equal(counts.n_killed, 0);
  assert_int_equal(counts.least_slack,
                   (int64_t)(seen.result[2].deadline_cycle - seen.result[2].end_cycle));
  int64_t sum = 0;
  for (uint32_t i = 0; i < 3; i++)
    sum += (int64_t)(seen.result[i].deadline_cycle - seen.result[i].end_cycle);
  assert_int_equal(counts.slack_sum, sum);
  assert_int_equal(qsmClearDeadlines(context), qsmSuccess);
  assert_int_equal(qsmReadDeadlines(context, &counts), qsmSuccess);
  assert_int_equal(counts.n_met + counts.n_missed + (uint64_t)counts.slack_sum, 0);
}

// R-DL-3, R-DL-4: with time for ten epochs a launch that runs alone takes about that long.
static void a_launch_takes_the_time_that_it_has(void **state) {
  (void)state;
  struct seen seen = {0};
  uint32_t buffer = allocate(context, 4096 * 16);
  qsmGoal all = measure("fill", 400, buffer);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemePace, EPOCH), qsmSuccess);
  assert_int_equal(
      qsmSetGoal(context, &(qsmGoal){.kind = qsmGoalIpc, .value = all.isolated_ipc_q16}),
      qsmSuccess);
  uint64_t alone = (all.instructions << 16) / all.isolated_ipc_q16, begin = qsmDeviceCycle(device);
  assert_true(alone > EPOCH);
  assert_int_equal(launch_within("fill", 400, buffer, 4 * alone, 0, &seen), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_false(seen.result[0].missed);
  assert_in_range(seen.result[0].end_cycle - begin, 3 * alone, 4 * alone);
}

static void a_killed_launch_has_missed_its_deadline(void **state) {
  (void)state;
  struct seen seen = {0};
  uint32_t buffer = allocate(context, 4096);
  assert_int_equal(launch_within("endless", 1, buffer, 40000, 1, &seen), qsmSuccess);
  assert_int_equal(launch_within("endless", 1, buffer, 40000, 1, &seen), qsmSuccess);
  assert_int_equal(qsmContextKill(context), qsmSuccess);
  (void)qsmContextSynchronize(context, LONG);
  qsmDeadlines counts;
  assert_int_equal(qsmReadDeadlines(context, &counts), qsmSuccess);
  assert_int_equal(counts.n_killed, 2);
  assert_int_equal(counts.n_met + counts.n_missed, 0);
  assert_true(seen.result[0].missed && seen.result[1].missed);
}

static void deadlines_that_cannot_be_are_refused(void **state) {
  (void)state;
  struct seen seen = {0};
  uint32_t buffer = allocate(context, 4096);
  const struct {
    uint64_t deadline, work;
    qsmError_t error;
    const char *text;
  } cases[] = {
      {0x80000000, 1, qsmErrorInvalidValue,
       "kernel fill: a deadline of 2147483648 cycles, must be 0..2147483647"},
      {1000, (uint64_t)1 << 32, qsmErrorInvalidValue,
       "kernel fill: a deadline for 4294967296 thread instructions, must be at most 4294967295"},
      {1000, 0, qsmErrorGoal,
       "kernel fill: the work of a launch with a deadline is not known: say it (qsmLaunch.work), "
       "or measure the kernel before (qsmMeasureIsolated)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(launch_within("fill", 1, buffer, cases[i].deadline, cases[i].work, &seen),
                     cases[i].error);
    assert_string_equal(qsmGetLastErrorText(device), cases[i].text);
  }
  assert_int_equal(seen.n, 0);
  assert_int_equal(qsmReadDeadlines(context, NULL), qsmErrorInvalidValue);
  assert_int_equal(qsmReadDeadlines(NULL, NULL), qsmErrorInvalidHandle);
  assert_int_equal(qsmClearDeadlines(NULL), qsmErrorInvalidHandle);
}

int main(void) {
#define ON_MODEL(test) cmocka_unit_test_setup_teardown(test, open_model, close_device)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_of_the_page),
      cmocka_unit_test(each_kind_is_exact_where_it_is_a_small_number),
      cmocka_unit_test(every_kind_agrees_with_double_precision),
      cmocka_unit_test(impossible_goals_are_refused_with_both_numbers),
      cmocka_unit_test(goals_of_nothing_are_refused),
      cmocka_unit_test(sure_refuses_what_sms_cannot_issue),
      cmocka_unit_test(cautious_refuses_more_than_a_part_for_each_tenant),
      cmocka_unit_test(sure_agrees_with_sums_in_double_precision),
      cmocka_unit_test(goals_on_96_sms_count_each_of_their_sms),
      cmocka_unit_test(wrong_admissions_are_refused),
      cmocka_unit_test_setup_teardown(a_goal_changed_while_it_runs_acts_from_the_next_epoch_on,
                                      open_lockstep, close_device),
      ON_MODEL(a_goal_is_set_in_every_cycle_around_an_epochs_end),
      ON_MODEL(the_average_is_forgotten_only_with_its_goal),
      ON_MODEL(a_goal_and_none_are_exchanged_only_when_idle),
      ON_MODEL(a_refused_goal_changes_nothing),
      ON_MODEL(a_goal_is_refused_beside_those_that_are_there),
      ON_MODEL(a_launch_is_measured_alone),
      ON_MODEL(the_memory_is_as_at_the_call),
      cmocka_unit_test(arguments_are_those_of_the_call),
      ON_MODEL(what_cannot_be_launched_cannot_be_measured),
      cmocka_unit_test_setup_teardown(a_launch_has_a_deadline_from_its_submission_on, open_lockstep,
                                      close_device),
      ON_MODEL(a_launch_takes_the_time_that_it_has),
      ON_MODEL(a_killed_launch_has_missed_its_deadline),
      ON_MODEL(deadlines_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, copy_programs, remove_programs);
}
