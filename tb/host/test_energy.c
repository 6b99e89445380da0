// SPDX-License-Identifier: Apache-2.0
// Energy through libqsm, on the model (docs/energy.md R-EN-3 to R-EN-5), and of measurements: sums
// that do not match are errors, parts of shared SMs, figures worked out by hand.
#include <math.h>
#include <string.h>

#include "host_support.h"

#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_energy_sum.h"
#include "qsm_regs.h"
#include "qsm_session.h"

static char without_counters[CONFIG_PATH_BYTES];

static int make_configuration(void **state) {
  if (copy_programs(state)) return -1;
  change_config("demo", "s/^energy_counters: 1/energy_counters: 0/", without_counters);
  return 0;
}

static void expect_close(double got, double wanted) {
  if (!(fabs(got - wanted) <= 1e-12 * fabs(wanted))) fail_msg("%.17g, not %.17g", got, wanted);
}

static uint64_t instructions_of(qsmDevice_t device, qsmContext_t context) {
  uint16_t at = (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * qsmContextSlot(context));
  uint32_t low = 0, high = 0;
  // A whole epoch (of 10000 cycles) must end before the history has all.
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 21000), qsmSuccess);
  assert_int_equal(qsmRegisterRead(device, (uint16_t)(at + QSM_SLOT_INSN_LO), &low), qsmSuccess);
  assert_int_equal(qsmRegisterRead(device, (uint16_t)(at + QSM_SLOT_INSN_HI), &high), qsmSuccess);
  return (uint64_t)high << 32 | low;
}

static void run_once(qsmContext_t context, uint32_t buffer) {
  assert_int_equal(launch(context, "divide", 12, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
}

// R-EN-3, also after a mark, and beside another context.
static void a_contexts_energy_is_of_its_own_instructions(void **unused) {
  (void)unused;
  qsmDevice_t device = open_device("demo");
  qsmContext_t a = open_context(device), b = open_context(device);
  uint32_t room_a = allocate(a, 4096), room_b = allocate(b, 4096);
  qsmEnergy first, second, other;
  run_once(a, room_a);
  run_once(b, room_b);
  assert_int_equal(qsmReadEnergy(a, &first), qsmSuccess);
  uint64_t before = instructions_of(device, a);
  assert_int_equal(qsm_energy_lanes(first.events), before);
  assert_true(first.events[qsmEnergyDiv] > 0 && first.events[qsmEnergyIssues] > 0);
  expect_close(first.event_joules, qsmEventEnergy(qsmDeviceConfig(device), first.events));
  assert_int_equal(qsmMarkEnergy(a), qsmSuccess);
  assert_int_equal(qsmReadEnergy(a, &second), qsmSuccess);
  assert_int_equal(qsm_energy_lanes(second.events), 0);
  assert_true(second.event_joules == 0);
  run_once(a, room_a);
  assert_int_equal(qsmReadEnergy(a, &second), qsmSuccess);
  assert_int_equal(qsm_energy_lanes(second.events), instructions_of(device, a) - before);
  assert_int_equal(qsmReadEnergy(b, &other), qsmSuccess);
  assert_int_equal(qsm_energy_lanes(other.events), instructions_of(device, b));
  qsmDeviceEnergy all;
  assert_int_equal(qsmReadDeviceEnergy(device, &all), qsmSuccess);
  for (uint32_t event = 0; event < QSM_ENERGY_EVENT_COUNT; event++)
    assert_int_equal(all.events[event],
                     first.events[event] + second.events[event] + other.events[event]);
  assert_int_equal(all.sm_cycles, 4 * qsmDeviceCycle(device));
  assert_true(all.sms.shared_sm_cycles > 0 && all.sms.shared_sm_cycles < all.sm_cycles);
  expect_close(all.sm_joules, qsmSmEnergy(qsmDeviceConfig(device), (double)all.sm_cycles, 0, 0));
  qsmDeviceClose(device);
}

// A new context in a slot that was used begins at 0; a query leaves the selections of the host.
static void a_slots_next_context_begins_anew(void **unused) {
  (void)unused;
  qsmDevice_t device = open_device("demo");
  qsmContext_t first = open_context(device);
  run_once(first, allocate(first, 4096));
  qsmContextDestroy(first);
  // Its instructions of the epoch would be in the next one's history.
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 21000), qsmSuccess);
  qsmContext_t second = open_context(device);
  qsmEnergy energy;
  assert_int_equal(qsmRegisterWrite(device, QSM_REG_SM_SELECT, 2), qsmSuccess);
  assert_int_equal(qsmRegisterWrite(device, QSM_REG_ENERGY_SELECT, 0x13), qsmSuccess);
  assert_int_equal(qsmReadEnergy(second, &energy), qsmSuccess);
  for (uint32_t event = 0; event < QSM_ENERGY_EVENT_COUNT; event++)
    assert_int_equal(energy.events[event], 0);
  uint32_t value = 0;
  assert_int_equal(qsmRegisterRead(device, QSM_REG_SM_SELECT, &value), qsmSuccess);
  assert_int_equal(value, 2);
  assert_int_equal(qsmRegisterRead(device, QSM_REG_ENERGY_SELECT, &value), qsmSuccess);
  assert_int_equal(value, 0x13);
  run_once(second, allocate(second, 4096));
  assert_int_equal(qsmReadEnergy(second, &energy), qsmSuccess);
  assert_int_equal(qsm_energy_lanes(energy.events), instructions_of(device, second));
  qsmDeviceClose(device);
}

static void an_owned_sms_cycles_are_its_owners(void **unused) {
  (void)unused;
  qsmDevice_t device = open_device("demo");
  qsmContext_t a = open_context(device), b = open_context(device);
  assert_int_equal(qsmMoveSm(device, 3, qsmSmOwned, a), qsmSuccess);
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 100), qsmSuccess);
  assert_int_equal(qsmMarkEnergy(a), qsmSuccess);
  uint64_t from = qsmDeviceCycle(device);
  assert_int_equal(qsmDeviceRunUntil(device, from + 5000), qsmSuccess);
  qsmEnergy energy;
  assert_int_equal(qsmReadEnergy(a, &energy), qsmSuccess);
  assert_in_range(energy.owned_sm_cycles, 5000, qsmDeviceCycle(device) - from + 10);
  expect_close(energy.sm_joules,
               qsmSmEnergy(qsmDeviceConfig(device), (double)energy.owned_sm_cycles, 0, 0));
  assert_int_equal(qsmReadEnergy(b, &energy), qsmSuccess);
  assert_int_equal(energy.owned_sm_cycles, 0);
  qsmDeviceClose(device);
}

static void expect_refusal(qsmDevice_t device, qsmError_t got, const char *text) {
  assert_int_equal(got, qsmErrorInvalidValue);
  if (!strstr(qsmGetLastErrorText(device), text))
    fail_msg("'%s' does not say '%s'", qsmGetLastErrorText(device), text);
}

static void what_cannot_be_answered_is_refused(void **unused) {
  (void)unused;
  qsmDevice_t device = open_device("demo");
  qsmContext_t context = open_context(device);
  qsmEnergy energy;
  qsmDeviceEnergy all;
  expect_refusal(device, qsmReadEnergy(context, NULL), "the energy");
  expect_refusal(device, qsmReadDeviceEnergy(device, NULL), "the energy");
  qsmContextDestroy(context);
  assert_int_equal(qsmReadEnergy(context, &energy), qsmErrorInvalidHandle);
  assert_int_equal(qsmMarkEnergy(context), qsmErrorInvalidHandle);
  qsmDeviceClose(device);
  assert_int_equal(qsmReadDeviceEnergy(device, &all), qsmErrorInvalidHandle);
  device = open_device(without_counters);
  context = open_context(device);
  const char *text = "does not count it (energy_counters: 0)";
  expect_refusal(device, qsmReadEnergy(context, &energy), text);
  expect_refusal(device, qsmMarkEnergy(context), text);
  expect_refusal(device, qsmReadDeviceEnergy(device, &all), text);
  qsmDeviceClose(device);
}

// R-EN-4, R-EN-5 by hand.
static void joules_are_events_times_energies(void **unused) {
  (void)unused;
  struct qsm_config config = {.num_sms = 2,
                              .energy_issue = 1000,
                              .energy_alu = 2,
                              .energy_mul = 3,
                              .energy_div = 5,
                              .energy_fma = 7,
                              .energy_mem = 11,
                              .energy_reg_read = 13,
                              .energy_reg_write = 17,
                              .energy_shared = 19,
                              .energy_l1 = 23,
                              .energy_l2 = 29,
                              .energy_dram_read = 31,
                              .energy_dram_write = 37,
                              .energy_dram_row = 41,
                              .energy_sm_clock = 100,
                              .energy_sm_leakage = 200,
                              .energy_sm_wake = 5000,
                              .energy_gated_permille = 50};
  const uint64_t events[QSM_ENERGY_EVENT_COUNT] = {1, 10, 20, 30, 40, 50, 60, 70, 80, 90};
  const qsmMemoryCounters memory = {
      .requests = 2, .hits = 99, .dram_reads = 3, .dram_writes = 4, .rows_opened = 5};
  double instructions = 1000 + 20 + 60 + 150 + 280 + 550 + 780 + 1190 + 1520;
  expect_close(qsmEventEnergy(&config, events), 1e-15 * instructions);
  config.l1_kib = 1;
  expect_close(qsmEventEnergy(&config, events), 1e-15 * (instructions + 90 * 23));
  expect_close(qsmMemoryEnergy(&config, &memory), 1e-15 * (58 + 93 + 148 + 205));
  expect_close(qsmSmEnergy(&config, 10, 0, 0), 1e-15 * 3000);
  expect_close(qsmSmEnergy(&config, 10, 40, 2), 1e-15 * (3000 + 40 * 10 + 10000));
}

// R-EN-4: by the thread instructions of the time; where nobody issues they are nobody's.
static void shared_sms_go_by_thread_instructions(void **unused) {
  (void)unused;
  const struct qsm_config config = {.energy_sm_clock = 1000};
  struct qsm_energy_epoch epoch = {.all = 400, .shared = 100, .gated = 60};
  epoch.kernel[0].owned = 40;
  qsm_energy_share(&epoch);
  expect_close(epoch.kernel[0].sm_cycles, 40);
  expect_close(qsm_energy_of_nobody(&config, &epoch), 1e-12 * (400 - 60 - 40));
  epoch.kernel[0].events[qsmEnergyAlu] = 10;
  epoch.kernel[0].events[qsmEnergyRegReads] = 1000;  // no instructions
  epoch.kernel[1].events[qsmEnergyMul] = 20;
  epoch.kernel[1].events[qsmEnergyMem] = 10;
  qsm_energy_share(&epoch);
  expect_close(epoch.kernel[0].sm_cycles, 40 + 25);
  expect_close(epoch.kernel[1].sm_cycles, 75);
  expect_close(qsm_energy_of_nobody(&config, &epoch), 1e-12 * (400 - 60 - 40 - 100));
}

// R-EN-3: the check can fail.
static void sums_that_do_not_match_are_errors(void **unused) {
  (void)unused;
  static struct qsm_scenario scenario = {.n_kernels = 2};
  static struct qsm_outcome outcome = {.has_energy = true};
  char msg[200] = "";
  snprintf(scenario.kernels[0].name, sizeof scenario.kernels[0].name, "one");
  snprintf(scenario.kernels[1].name, sizeof scenario.kernels[1].name, "two");
  outcome.kernels[1].thread_instructions = 12;
  outcome.energy.kernel[1].events[qsmEnergyAlu] = 5;
  outcome.energy.kernel[1].events[qsmEnergyFma] = 7;
  assert_int_equal(qsm_outcome_check_energy(&scenario, &outcome, msg, sizeof msg), 0);
  outcome.energy.kernel[1].events[qsmEnergyDiv] = 1;
  assert_int_equal(qsm_outcome_check_energy(&scenario, &outcome, msg, sizeof msg), -1);
  assert_string_equal(
      msg, "energy counters: kernel two: 13 lanes in all classes, but 12 thread instructions");
  outcome.energy.kernel[1].events[qsmEnergyDiv] = 0;
  outcome.energy.others = 3;
  assert_int_equal(qsm_outcome_check_energy(&scenario, &outcome, msg, sizeof msg), -1);
  assert_string_equal(msg, "energy counters: 3 thread instructions of no kernel");
}

struct seen {
  uint32_t n;
  uint64_t cycle[64];
  struct qsm_backend *backend;
};

static void note(void *ctx) {
  struct seen *seen = ctx;
  seen->cycle[seen->n++] = seen->backend->cycle(seen->backend);
}

// Whoever lets time pass, and without changing what happens.
static void a_backend_is_looked_at_in_the_cycles_asked_for(void **unused) {
  (void)unused;
  const struct qsm_backend_options options = {.hash = true};
  uint64_t hash[2];
  for (uint32_t looks = 0; looks < 2; looks++) {
    char msg[200];
    qsmDevice_t device = NULL;
    assert_int_equal(qsmDeviceOpen("model", "demo", &options, &device, msg, sizeof msg),
                     qsmSuccess);
    struct qsm_backend *backend = qsmDeviceBackend(device);
    struct seen seen = {.backend = backend};
    if (looks) backend->look_at(backend, 501, 777, note, &seen);
    qsmContext_t context = open_context(device);
    run_once(context, allocate(context, 4096));
    assert_int_equal(qsmDeviceRunUntil(device, 15000), qsmSuccess);
    hash[looks] = backend->trace_hash(backend);
    if (looks) assert_int_equal(seen.n, (15000 - 501 - 1) / 777 + 1);
    for (uint32_t i = 0; i < seen.n; i++) assert_int_equal(seen.cycle[i], 501 + 777 * i);
    qsmDeviceClose(device);
  }
  assert_true(hash[0] == hash[1]);
}

// R-CP-12: also in the cycle in which an access is chosen. Channel 0 is cleared meanwhile.
static void a_backend_is_looked_at_in_both_cycles_of_an_access(void **unused) {
  (void)unused;
  char msg[200];
  qsmDevice_t device = NULL;
  assert_int_equal(qsmDeviceOpen("model", "tiny", NULL, &device, msg, sizeof msg), qsmSuccess);
  struct qsm_backend *backend = qsmDeviceBackend(device);
  struct seen seen = {.backend = backend};
  assert_int_equal(backend->write(backend, QSM_CH_BASE + QSM_CH_CTRL, 1), QSM_BACKEND_OK);
  uint64_t begin = backend->cycle(backend);
  backend->look_at(backend, begin, 1, note, &seen);
  for (uint32_t i = 0; i < 6; i++)
    assert_int_equal(backend->write(backend, QSM_CH_BASE + QSM_CH_STRIDE + QSM_CH_LIMIT, i),
                     QSM_BACKEND_OK);
  assert_int_equal(backend->cycle(backend), begin + 12);
  assert_int_equal(seen.n, 12);
  for (uint32_t i = 0; i < seen.n; i++) assert_int_equal(seen.cycle[i], begin + i);
  qsmDeviceClose(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_contexts_energy_is_of_its_own_instructions),
      cmocka_unit_test(a_slots_next_context_begins_anew),
      cmocka_unit_test(an_owned_sms_cycles_are_its_owners),
      cmocka_unit_test(what_cannot_be_answered_is_refused),
      cmocka_unit_test(joules_are_events_times_energies),
      cmocka_unit_test(shared_sms_go_by_thread_instructions),
      cmocka_unit_test(sums_that_do_not_match_are_errors),
      cmocka_unit_test(a_backend_is_looked_at_in_the_cycles_asked_for),
      cmocka_unit_test(a_backend_is_looked_at_in_both_cycles_of_an_access),
  };
  return cmocka_run_group_tests(tests, make_configuration, remove_programs);
}
