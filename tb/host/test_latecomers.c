// SPDX-License-Identifier: Apache-2.0
// Latecomers, through libqsm (docs/tb_adjust.md R-TA-10 to R-TA-12, docs/tb_sched.md R-TB-14):
// blocks that never end fill the machine, and another tenant still gets its first block within the
// bound. Idle contexts do not delay other tenants. Results stay correct. On the model, and in
// lockstep.
#include <stdio.h>

#include "host_support.h"
#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_regs.h"

enum { RESET_EPOCH = 10000, EPOCH = 2000, STATE_INTERVAL = 10000, WORD = 4, FIRST_BLOCKS = 8 };

static const char *const backends[] = {"model", "lockstep"};
static const char *const configs[] = {"tiny", "odd"};

// Of the machines, the first half being the model's: a brief run has one on the model and one in
// lockstep.
static uint32_t step(void) { return brief_run() ? 3 : 1; }

// How the machine is set, and what fills it.
struct situation {
  const char *backend, *config;
  qsmScheme scheme;
  qsmAdjustment adjust;
  bool victim_goal, late_goal;
  bool whole_sm;  // blocks of the victim; else of one warp
};

// In an epoch of EPOCH cycles: the first one after reset is over.
static qsmDevice_t open(const char *backend, const char *config, qsmScheme scheme) {
  char msg[256] = "";
  qsmDevice_t device = NULL;
  const struct qsm_backend_options options = {.state_interval = STATE_INTERVAL};
  if (qsmDeviceOpen(backend, config, &options, &device, msg, sizeof msg)) fail_msg("%s", msg);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, scheme, EPOCH), qsmSuccess);
  assert_int_equal(qsmDeviceRunUntil(device, RESET_EPOCH + EPOCH / 2), qsmSuccess);
  return device;
}

static uint32_t read_register(qsmDevice_t device, uint32_t address) {
  uint32_t value = 0;
  if (qsmRegisterRead(device, (uint16_t)address, &value))
    fail_msg("%s", qsmGetLastErrorText(device));
  return value;
}

// Blocks of the context, summed over the SMs, or their targets.
static uint32_t count_blocks(qsmContext_t context, qsmDevice_t device, bool targets) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < qsmDeviceConfig(device)->num_sms; i++) {
    assert_int_equal(qsmRegisterWrite(device, QSM_REG_SM_SELECT, i), qsmSuccess);
    uint32_t tbs = read_register(
        device, QSM_SMSEL_BASE + QSM_SMSEL_STRIDE * qsmContextSlot(context) + QSM_SMSEL_TBS);
    n += targets ? tbs >> QSM_SMSEL_TBS_TARGET_SHIFT
                 : tbs & ((1u << QSM_SMSEL_TBS_TARGET_SHIFT) - 1);
  }
  return n;
}

static void run_for(qsmDevice_t device, uint64_t n_cycles) {
  if (qsmDeviceRunUntil(device, qsmDeviceCycle(device) + n_cycles))
    fail_msg("%s", qsmGetLastErrorText(device));
}

// A launch of blocks that wait for the host.
struct endless {
  qsmContext_t context;
  uint32_t go, out, n_blocks, threads;
};

static void launch_endless(struct endless *endless) {
  static const uint32_t zero;
  endless->go = allocate(endless->context, 256);
  endless->out = allocate(endless->context, (size_t)WORD * endless->n_blocks * endless->threads);
  assert_int_equal(qsmMemcpyHtoD(endless->context, endless->go, &zero, sizeof zero), qsmSuccess);
  const uint32_t args[] = {endless->go, endless->out};
  const qsmDim3 grid = {endless->n_blocks, 1, 1}, block = {endless->threads, 1, 1};
  uint32_t shared_bytes = WORD * endless->threads;
  assert_int_equal(qsmLaunchKernel(endless->context, "patient", grid, block, args, 2, shared_bytes,
                                   NULL, NULL, NULL),
                   qsmSuccess);
}

static void end_endless(const struct endless *endless) {
  static const uint32_t one = 1;
  assert_int_equal(qsmMemcpyHtoD(endless->context, endless->go, &one, sizeof one), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(endless->context, LONG), qsmSuccess);
  for (uint32_t thread = 0; thread < endless->n_blocks * endless->threads; thread++) {
    uint32_t block = thread / endless->threads,
             opposite = (2 * block + 1) * endless->threads - 1 - thread;
    assert_int_equal(read_word(endless->context, endless->out + WORD * thread),
                     7 * thread + 1 + opposite);
  }
}

// Endless blocks on all SMs, more than there is room for.
static struct endless fill_machine(qsmDevice_t device, const struct situation *situation) {
  const struct qsm_config *config = qsmDeviceConfig(device);
  uint32_t per_sm = situation->whole_sm                      ? 1
                    : config->max_tbs < config->warps_per_sm ? config->max_tbs
                                                             : config->warps_per_sm;
  struct endless endless = {
      .context = open_context(device),
      .n_blocks = 2 * per_sm * config->num_sms,
      .threads = config->warp_size * (situation->whole_sm ? config->warps_per_sm : 1)};
  assert_int_equal(qsmSetSaveArea(endless.context, config->num_images), qsmSuccess);
  if (situation->victim_goal) assert_int_equal(qsmSetQoS(endless.context, 1u << 16), qsmSuccess);
  launch_endless(&endless);
  run_for(device, 3000);
  assert_int_equal(count_blocks(endless.context, device, false), per_sm * config->num_sms);
  return endless;
}

// Cycles that a switch of the victim's youngest block takes, seen by the host; the block comes
// back. Without other tenants.
static uint64_t measure_switch(const struct situation *situation) {
  qsmDevice_t device = open("model", situation->config, qsmSchemeNone);
  struct endless endless = fill_machine(device, situation);
  qsmPreemptResult result = {0};
  assert_int_equal(qsmPreempt(device, 0, endless.context, qsmTechniqueSwitch, LONG, &result),
                   qsmSuccess);
  qsmDeviceClose(device);
  return result.n_cycles;
}

// R-TA-12.
static void check_first_block(const struct situation *situation) {
  uint64_t of_switch = measure_switch(situation);
  qsmDevice_t device = open(situation->backend, situation->config, situation->scheme);
  const struct qsm_config *config = qsmDeviceConfig(device);
  assert_int_equal(qsmSetAdjustment(device, situation->adjust), qsmSuccess);
  struct endless endless = fill_machine(device, situation);
  qsmContext_t late = open_context(device);
  if (situation->late_goal) assert_int_equal(qsmSetQoS(late, 1u << 14), qsmSuccess);
  uint32_t out = allocate(late, 1024);
  uint64_t begin = qsmDeviceCycle(device),
           bound = (config->num_kernels + 2) * EPOCH + config->max_tbs * of_switch;
  assert_int_equal(launch(late, "where", FIRST_BLOCKS, out, 0, NULL, NULL), qsmSuccess);
  while (count_blocks(late, device, false) == 0) {
    if (qsmDeviceCycle(device) - begin > bound) {
      fail_msg("%s %s, scheme %u, adjustment %u: no block after %llu cycles", situation->backend,
               situation->config, situation->scheme, situation->adjust, (unsigned long long)bound);
    }
    run_for(device, 20);
  }
  uint64_t n_cycles = qsmDeviceCycle(device) - begin;
  printf("# %s %s, scheme %u, adjustment %u, blocks of %s: first block after %llu of %llu cycles\n",
         situation->backend, situation->config, situation->scheme, situation->adjust,
         situation->whole_sm ? "an SM" : "a warp", (unsigned long long)n_cycles,
         (unsigned long long)bound);
  if (qsmContextSynchronize(late, LONG)) fail_msg("%s", qsmGetLastErrorText(device));
  for (uint32_t block = 0; block < FIRST_BLOCKS; block++)
    assert_true(read_word(late, out + WORD * block) < config->num_sms);
  end_endless(&endless);
  qsmDeviceClose(device);
}

// A brief run has each situation on one of the machines.
static void check_all(const struct situation *common) {
  static uint32_t turn;
  uint32_t first = brief_run() ? turn++ % 4 : 0, end = brief_run() ? first + 1 : 4;
  for (uint32_t n = first; n < end; n++) {
    struct situation situation = *common;
    situation.backend = backends[n / 2];
    situation.config = configs[n % 2];
    check_first_block(&situation);
  }
}

static void a_latecomer_has_a_block_within_the_bound_without_a_scheme(void **state) {
  (void)state;
  for (uint32_t whole = 0; whole < 2; whole++)
    check_all(&(struct situation){.scheme = qsmSchemeNone, .whole_sm = whole});
}

static void a_latecomer_has_a_block_within_the_bound_under_rollover(void **state) {
  (void)state;
  for (uint32_t goal = 0; goal < 2; goal++) {
    check_all(&(struct situation){
        .scheme = qsmSchemeRollover, .victim_goal = goal, .late_goal = !goal, .whole_sm = goal});
  }
}

static void a_latecomer_has_a_block_within_the_bound_beside_a_victim_that_asks_for_more(
    void **state) {
  (void)state;
  for (uint32_t goal = 0; goal < 2; goal++) {
    check_all(&(struct situation){.scheme = qsmSchemeRollover,
                                  .adjust = qsmAdjustSwitch,
                                  .victim_goal = true,
                                  .late_goal = goal,
                                  .whole_sm = !goal});
  }
}

// R-TA-11: off, they wait as long as the others run; with blocks that can be saved or not.
static void with_latecomers_off_a_launch_waits_until_the_others_end(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 4; n += step()) {
    qsmDevice_t device = open(backends[n / 2], configs[n % 2], qsmSchemeNone);
    assert_int_equal(qsmSetLatecomers(device, false), qsmSuccess);
    struct endless endless = fill_machine(device, &(struct situation){.whole_sm = true});
    qsmContext_t late = open_context(device);
    uint32_t out = allocate(late, 1024);
    assert_int_equal(launch(late, "where", FIRST_BLOCKS, out, 0, NULL, NULL), qsmSuccess);
    assert_int_equal(qsmContextSynchronize(late, 20 * EPOCH), qsmErrorTimeout);
    assert_int_equal(count_blocks(late, device, false), 0);
    end_endless(&endless);
    assert_int_equal(qsmContextSynchronize(late, LONG), qsmSuccess);
    qsmDeviceClose(device);
  }
}

// R-TA-11: of two tenants whose blocks need whole SMs each runs to its end though both are always
// there.
static void tenants_that_need_whole_sms_take_turns(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 4; n += step()) {
    qsmDevice_t device = open(backends[n / 2], configs[n % 2], qsmSchemeNone);
    const struct situation situation = {.whole_sm = true};
    struct endless first = fill_machine(device, &situation);
    struct endless second = {
        .context = open_context(device), .n_blocks = 2, .threads = first.threads};
    assert_int_equal(qsmSetSaveArea(second.context, qsmDeviceConfig(device)->num_images),
                     qsmSuccess);
    launch_endless(&second);
    bool had[2] = {false, false};
    for (uint32_t epoch = 0; epoch < 40; epoch++) {
      run_for(device, EPOCH);
      had[0] |= count_blocks(first.context, device, false) > 0;
      had[1] |= count_blocks(second.context, device, false) > 0;
      if (!had[1]) continue;
      if (epoch == 20) had[0] = had[1] = false;  // and again
    }
    assert_true(had[0] && had[1]);
    end_endless(&second);
    end_endless(&first);
    qsmDeviceClose(device);
  }
}

// R-TB-14: the block of an SM's size that a context ran last, or was killed with, counts no more
// after an epoch.
static void an_idle_context_keeps_nobody_out(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 8; n += step()) {
    bool kills = n & 1;
    qsmDevice_t device = open(backends[n / 4], configs[n / 2 % 2], qsmSchemeNone);
    assert_int_equal(qsmSetLatecomers(device, false), qsmSuccess);
    struct endless idle = fill_machine(device, &(struct situation){.whole_sm = true});
    if (kills) {
      assert_int_equal(qsmContextKill(idle.context), qsmSuccess);
      assert_int_equal(qsmContextSynchronize(idle.context, LONG), qsmErrorKernelFault);
    } else {
      end_endless(&idle);
    }
    run_for(device, 3 * EPOCH);
    assert_int_equal(count_blocks(idle.context, device, true), 0);
    const struct qsm_config *config = qsmDeviceConfig(device);
    uint32_t per_sm =
        config->max_tbs < config->warps_per_sm ? config->max_tbs : config->warps_per_sm;
    struct endless other = {.context = open_context(device),
                            .n_blocks = 2 * per_sm * config->num_sms,
                            .threads = config->warp_size};
    launch_endless(&other);
    run_for(device, 500);
    assert_int_equal(count_blocks(other.context, device, false), per_sm * config->num_sms);
    end_endless(&other);
    idle.n_blocks = 1;
    launch_endless(&idle);  // it is back with its launch
    end_endless(&idle);
    qsmDeviceClose(device);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_latecomer_has_a_block_within_the_bound_without_a_scheme),
      cmocka_unit_test(a_latecomer_has_a_block_within_the_bound_under_rollover),
      cmocka_unit_test(a_latecomer_has_a_block_within_the_bound_beside_a_victim_that_asks_for_more),
      cmocka_unit_test(with_latecomers_off_a_launch_waits_until_the_others_end),
      cmocka_unit_test(tenants_that_need_whole_sms_take_turns),
      cmocka_unit_test(an_idle_context_keeps_nobody_out),
  };
  return cmocka_run_group_tests(tests, copy_programs, remove_programs);
}
