// SPDX-License-Identifier: Apache-2.0
#include "qsm_attacks.h"

#include <stdio.h>

#include "qsm_config.h"
#include "qsm_passes.h"
#include "qsm_regs.h"

enum {
  ATTACK_WORDS = 1 << 16,  // of the attacker's buffer
  ATTACK_BLOCKS = 65535,
  SHORT_BLOCKS = 256,        // of an attack that ends
  EARLY_EPOCHS = 3,          // that an attack is ahead
  RESET_EPOCH = 10000,       // the first one, whatever the length of the others
  LIMIT_CYCLES = 100000000,  // for the pass under way, once the attack is gone
};

// clang-format off
const struct qsm_attack qsm_attacks[] = {
  {"read_null", QSM_ATTACK_FAULTS, qsmCauseLoadAccess, 1, false, false, false, "loads from address 0"},
  {"write_null", QSM_ATTACK_FAULTS, qsmCauseStoreAccess, 1, false, false, false, "stores to address 0"},
  {"read_other", QSM_ATTACK_FAULTS, qsmCauseLoadAccess, 1, false, false, false, "loads from the other tenant's memory"},
  {"write_other", QSM_ATTACK_FAULTS, qsmCauseStoreAccess, 1, false, false, false, "stores to it"},
  {"add_other", QSM_ATTACK_FAULTS, qsmCauseStoreAccess, 1, false, false, false, "atomic on it"},
  {"write_code", QSM_ATTACK_FAULTS, qsmCauseStoreAccess, 1, false, false, false, "stores to its own code"},
  {"write_arguments", QSM_ATTACK_FAULTS, qsmCauseStoreAccess, 1, false, false, false, "stores to its own argument block"},
  {"read_registers", QSM_ATTACK_FAULTS, qsmCauseLoadAccess, 1, false, false, false, "loads from the address of control registers"},
  {"read_top", QSM_ATTACK_FAULTS, qsmCauseLoadAccess, 1, false, false, false, "loads the last word below local memory"},
  {"jump_null", QSM_ATTACK_FAULTS, qsmCauseFetchAccess, 1, false, false, false, "jumps to address 0"},
  {"jump_other", QSM_ATTACK_FAULTS, qsmCauseFetchAccess, 1, false, false, false, "jumps into the other tenant's memory"},
  {"jump_data", QSM_ATTACK_FAULTS, qsmCauseFetchAccess, 1, false, false, false, "jumps into its own data"},
  {"jump_misaligned", QSM_ATTACK_FAULTS, qsmCauseJumpTarget, 1, false, false, false, "jumps between two instructions"},
  {"load_misaligned", QSM_ATTACK_FAULTS, qsmCauseLoadMisaligned, 1, false, false, false, "loads a word at 4n + 2"},
  {"store_misaligned", QSM_ATTACK_FAULTS, qsmCauseStoreMisaligned, 1, false, false, false, "stores a half at 2n + 1"},
  {"add_misaligned", QSM_ATTACK_FAULTS, qsmCauseStoreMisaligned, 1, false, false, false, "atomic at 4n + 1"},
  {"illegal", QSM_ATTACK_FAULTS, qsmCauseIllegal, 1, false, false, false, "an illegal instruction"},
  {"machine_return", QSM_ATTACK_FAULTS, qsmCauseIllegal, 1, false, false, false, "mret"},
  {"write_csr", QSM_ATTACK_FAULTS, qsmCauseIllegal, 1, false, false, false, "writes its slot number"},
  {"unknown_csr", QSM_ATTACK_FAULTS, qsmCauseIllegal, 1, false, false, false, "reads mstatus"},
  {"load_reserved", QSM_ATTACK_FAULTS, qsmCauseIllegal, 1, false, false, false, "lr.w"},
  {"breakpoint", QSM_ATTACK_FAULTS, qsmCauseBreakpoint, 1, false, false, false, "ebreak"},
  {"call_system", QSM_ATTACK_FAULTS, qsmCauseEcall, 1, false, false, false, "ecall"},
  {"shared_beyond", QSM_ATTACK_FAULTS, qsmCauseLoadAccess, 1, false, false, false, "loads beyond its shared memory"},
  {"stack_overflow", QSM_ATTACK_FAULTS, qsmCauseStackOverflow, 1, false, false, false, "pushes without end"},
  {"stack_of_another", QSM_ATTACK_FAULTS, qsmCauseStackOverflow, 1, false, false, false, "loads where other threads' stacks would be"},
  {"illegal", QSM_ATTACK_FAULTS, qsmCauseIllegal, QSM_ATTACK_WHOLE_SM, true, false, false, "an illegal instruction, blocks of a whole SM with all its shared memory"},

  {"spin", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "jumps to itself"},
  {"spin", QSM_ATTACK_ENDLESS, 0, QSM_ATTACK_WHOLE_SM, false, false, false, "the same, blocks of a whole SM"},
  {"spin", QSM_ATTACK_ENDLESS, 0, 1, true, false, false, "the same, all shared memory"},
  {"spin", QSM_ATTACK_ENDLESS, 0, 1, false, false, true, "the same, before the honest tenant comes"},
  {"spin", QSM_ATTACK_ENDLESS, 0, QSM_ATTACK_WHOLE_SM, false, false, true, "the same, blocks of a whole SM"},
  {"spin", QSM_ATTACK_ENDLESS, 0, 1, true, false, true, "the same, all shared memory"},
  {"spin_diverged", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "lanes spin in two loops"},
  {"half_at_barrier", QSM_ATTACK_ENDLESS, 0, QSM_ATTACK_WHOLE_SM, false, false, false, "half of the threads never come to the barrier"},
  {"barriers", QSM_ATTACK_ENDLESS, 0, QSM_ATTACK_WHOLE_SM, false, false, false, "barriers only"},
  {"add_only", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "additions"},
  {"multiply", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "multiplications"},
  {"divide", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "divisions"},
  {"float_divide", QSM_ATTACK_ENDLESS, 0, 1, false, true, false, "floating-point divisions and roots"},
  {"float_multiply", QSM_ATTACK_ENDLESS, 0, 1, false, true, false, "fused multiply-adds"},
  {"calls", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "calls without return"},
  {"code_lines", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "an instruction miss at every jump"},
  {"same_line", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "loads of one line"},
  {"read_stream", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "loads, line after line"},
  {"write_stream", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "stores, line after line"},
  {"read_scattered", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "loads, a line for each lane"},
  {"write_scattered", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "stores, a line for each lane"},
  {"read_rows", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "loads, a DRAM row for each lane"},
  {"write_bytes", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "stores of bytes, a line for each lane"},
  {"add_one_word", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "atomics on one word"},
  {"add_scattered", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "atomics, a line for each lane"},
  {"fences", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "device fences"},
  {"store_and_fence", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "scattered stores, each with a fence"},
  {"stack_storm", QSM_ATTACK_ENDLESS, 0, 1, false, false, false, "stores to its stack"},
  {"bank_conflicts", QSM_ATTACK_ENDLESS, 0, 1, true, false, false, "stores to one bank of shared memory"},
  {"shared_atomics", QSM_ATTACK_ENDLESS, 0, 1, true, false, false, "atomics on one word of shared memory"},
  {"ends_at_once", QSM_ATTACK_ENDS, 0, 1, false, false, false, "256 blocks that end at once"},
  {"ends_at_once", QSM_ATTACK_ENDS, 0, QSM_ATTACK_WHOLE_SM, false, false, false, "the same, blocks of a whole SM"},
  {"ends_at_once", QSM_ATTACK_ENDS, 0, 1, true, false, false, "the same, all shared memory, which is wiped for each"},
  {"forge_images", QSM_ATTACK_FORGES, 0, 1, false, false, false, "writes over its own saved blocks while the host preempts them"},
};
// clang-format on
const size_t qsm_n_attacks = sizeof qsm_attacks / sizeof *qsm_attacks;

struct duel {
  const struct qsm_attack_setting *setting;
  const struct qsm_attack *attack;
  struct qsm_attack_outcome *outcome;
  qsmDevice_t device;
  qsmContext_t honest, hostile;
  struct qsm_passes passes;
  uint64_t begun;       // cycle of the honest tenant's first launch
  uint32_t own, other;  // the attacker's buffer, an address of the honest tenant's
  bool stop;
  qsmError_t error;  // of a launch from a callback
};

static void note_error(struct duel *duel, qsmError_t error) {
  if (error && !duel->error) duel->error = error;
}

// ---- The honest tenant: passes without end ----

static void submit_honest(struct duel *duel);

static void honest_ended(void *user, const qsmLaunchResult *result) {
  struct duel *duel = user;
  if (result->killed)
    duel->outcome->n_wrong++;
  else
    submit_honest(duel);
}

static void submit_honest(struct duel *duel) {
  struct qsm_suite_launch launch = {0};
  if (!qsm_passes_next(&duel->passes, &launch)) {
    if (!duel->outcome->first_pass)
      duel->outcome->first_pass = qsmDeviceCycle(duel->device) - duel->begun;
    if (duel->stop) return;
    qsm_passes_begin(&duel->passes);
    note_error(duel, duel->passes.error);
    if (duel->error || !qsm_passes_next(&duel->passes, &launch)) return;
  }
  note_error(duel, qsmLaunchKernel(duel->honest, launch.symbol,
                                   (qsmDim3){launch.grid[0], launch.grid[1], launch.grid[2]},
                                   (qsmDim3){launch.block[0], launch.block[1], launch.block[2]},
                                   launch.args, qsm_passes_words(duel->honest, launch.symbol),
                                   launch.shared_bytes, NULL, honest_ended, duel));
}

static qsmError_t set_up_honest(struct duel *duel, const struct qsm_scenario *scenario, char *msg,
                                size_t msg_len) {
  qsmError_t error = qsmContextCreate(duel->device, &duel->honest);
  if (!error && duel->setting->goal_q16) error = qsmSetQoS(duel->honest, duel->setting->goal_q16);
  if (!error && (duel->setting->adjust || duel->setting->machine))
    error = qsmSetSaveArea(duel->honest, qsmDeviceConfig(duel->device)->num_images);
  if (!error)
    error = qsm_passes_load(&duel->passes, duel->device, duel->honest, scenario,
                            &scenario->kernels[0], false, "", msg, msg_len);
  return error;
}

static void begin_honest(struct duel *duel) {
  duel->begun = qsmDeviceCycle(duel->device);
  qsm_passes_begin(&duel->passes);
  submit_honest(duel);
}

// ---- The hostile tenant ----

static void submit_hostile(struct duel *duel);

static bool as_expected(const struct qsm_attack *attack, const qsmLaunchResult *result) {
  if (attack->end == QSM_ATTACK_FORGES || attack->end == QSM_ATTACK_ANYHOW) return true;
  if (attack->end == QSM_ATTACK_FAULTS) return result->killed && result->cause == attack->cause;
  return attack->end == QSM_ATTACK_ENDS && !result->killed;
}

static void hostile_ended(void *user, const qsmLaunchResult *result) {
  struct duel *duel = user;
  if (duel->stop) return;
  duel->outcome->n_attacks++;
  if (!as_expected(duel->attack, result)) {
    duel->outcome->n_unexpected++;
    duel->outcome->unexpected = *result;
  }
  submit_hostile(duel);
}

static void submit_hostile(struct duel *duel) {
  const struct qsm_config *config = qsmDeviceConfig(duel->device);
  uint32_t warps =
      duel->attack->warps == QSM_ATTACK_WHOLE_SM ? config->warps_per_sm : duel->attack->warps;
  const uint32_t args[] = {duel->own, ATTACK_WORDS, duel->other};
  note_error(
      duel,
      qsmLaunchKernel(
          duel->hostile, duel->attack->kernel,
          (qsmDim3){duel->attack->end == QSM_ATTACK_ENDS ? SHORT_BLOCKS : ATTACK_BLOCKS, 1, 1},
          (qsmDim3){warps * config->warp_size, 1, 1}, args, 3,
          duel->attack->all_shared ? config->shared_bytes : duel->setting->shared_bytes, NULL,
          hostile_ended, duel));
}

static qsmError_t set_up_hostile(struct duel *duel) {
  qsmError_t error = qsmContextCreate(duel->device, &duel->hostile);
  if (!error) error = qsmSetSaveArea(duel->hostile, qsmDeviceConfig(duel->device)->num_images);
  if (!error) error = qsmModuleLoad(duel->hostile, duel->setting->attackers);
  if (!error) error = qsmMalloc(duel->hostile, 4 * ATTACK_WORDS, &duel->own);
  return error;
}

// ---- A duel ----

// A block of the attacker's that forges goes out of each SM where there is one: refusals do not
// matter.
static void preempt_forger(struct duel *duel) {
  const struct qsm_config *config = qsmDeviceConfig(duel->device);
  qsmPreemptResult result;
  for (uint32_t sm = 0; sm < config->num_sms; sm++)
    (void)qsmPreempt(duel->device, sm, duel->hostile, qsmTechniqueSwitch, config->epoch, &result);
}

static qsmError_t run_epochs(struct duel *duel, uint32_t n) {
  uint64_t epoch = qsmDeviceConfig(duel->device)->epoch,
           end = qsmDeviceCycle(duel->device) + n * epoch;
  bool forges = duel->attack && duel->attack->end == QSM_ATTACK_FORGES;
  qsmError_t error = qsmSuccess;
  while (!error && qsmDeviceCycle(duel->device) < end) {
    if (forges) preempt_forger(duel);
    uint64_t next = qsmDeviceCycle(duel->device) + (forges ? epoch / 16 : epoch);
    error = qsmDeviceRunUntil(duel->device, next < end ? next : end);
    if (!error) error = duel->error;
  }
  return error;
}

// INSN of the honest tenant: up to the last epoch.
static qsmError_t read_instructions(const struct duel *duel, uint64_t *n) {
  uint32_t slot = QSM_SLOT_BASE + QSM_SLOT_STRIDE * qsmContextSlot(duel->honest), low = 0, high = 0;
  qsmError_t error = qsmRegisterRead(duel->device, (uint16_t)(slot + QSM_SLOT_INSN_LO), &low);
  if (!error) error = qsmRegisterRead(duel->device, (uint16_t)(slot + QSM_SLOT_INSN_HI), &high);
  *n = (uint64_t)high << 32 | low;
  return error;
}

static qsmError_t measure(struct duel *duel) {
  uint64_t before = 0, after = 0;
  qsmError_t error = run_epochs(duel, duel->setting->n_settle ? duel->setting->n_settle : 1);
  if (!error) error = read_instructions(duel, &before);
  if (!error) error = run_epochs(duel, duel->setting->n_epochs);
  if (!error) error = read_instructions(duel, &after);
  duel->outcome->ipc = (double)(after - before) /
                       ((double)duel->setting->n_epochs * qsmDeviceConfig(duel->device)->epoch);
  return error;
}

// The attack is over; what the honest tenant has under way must come out right.
static qsmError_t finish(struct duel *duel) {
  duel->stop = true;
  qsmError_t error = duel->hostile ? qsmContextKill(duel->hostile) : qsmSuccess;
  if (!error) error = qsmContextSynchronize(duel->honest, LIMIT_CYCLES);
  if (!error) error = duel->error;
  if (error) return error;
  qsm_passes_check(&duel->passes);
  duel->outcome->n_right = duel->passes.n_right;
  duel->outcome->n_wrong += duel->passes.n_wrong;
  return duel->passes.error;
}

// An early attack has the GPU for itself until the honest tenant's context is made. It aims at that
// tenant's memory, which lies behind its own.
static qsmError_t begin(struct duel *duel, const struct qsm_scenario *scenario, char *msg,
                        size_t msg_len) {
  bool early = duel->attack && duel->attack->early;
  qsmError_t error = qsmSuccess;
  if (!early) error = set_up_honest(duel, scenario, msg, msg_len);
  if (!error && duel->attack) error = set_up_hostile(duel);
  if (!error && !early) error = qsmMalloc(duel->honest, 256, &duel->other);
  if (!error && early) submit_hostile(duel);
  if (!error && early) error = run_epochs(duel, EARLY_EPOCHS);
  if (!error && early) error = set_up_honest(duel, scenario, msg, msg_len);
  if (!error) begin_honest(duel);
  if (!error && duel->attack && !early) submit_hostile(duel);
  return error ? error : duel->error;
}

static qsmError_t set_up_machine(const struct duel *duel) {
  const struct qsm_attack_setting *setting = duel->setting;
  const struct qsm_scenario *machine = setting->machine;
  qsmError_t error = qsmSetScheduling(duel->device, machine ? machine->policy : qsmPolicyGto,
                                      machine ? machine->scheme : setting->scheme,
                                      qsmDeviceConfig(duel->device)->epoch);
  if (!error) error = qsmSetAdjustment(duel->device, machine ? machine->adjust : setting->adjust);
  if (error || !machine) return error;
  error = qsmSetController(duel->device, &machine->controller);
  if (!error) error = qsmSetLatecomers(duel->device, machine->latecomers);
  if (!error) error = qsmRegisterWrite(duel->device, QSM_REG_NONQOS_QUOTA, machine->nonqos_quota);
  if (!error) error = qsmRegisterWrite(duel->device, QSM_REG_ACTIVE_WARPS, machine->active_warps);
  return error ? error : qsmDeviceRunUntil(duel->device, RESET_EPOCH);
}

int qsm_attack_run(const struct qsm_attack_setting *setting, const struct qsm_attack *attack,
                   struct qsm_attack_outcome *outcome, char *msg, size_t msg_len) {
  struct duel duel = {.setting = setting, .attack = attack, .outcome = outcome};
  struct qsm_scenario scenario = {
      .path = "attacks", .seed = setting->seed, .size = setting->size, .n_kernels = 1};
  scenario.kernels[0].program = setting->program;
  *outcome = (struct qsm_attack_outcome){0};
  msg[0] = 0;
  if (qsmDeviceOpen(setting->backend, setting->config, NULL, &duel.device, msg, msg_len)) return -1;
  qsmError_t error = set_up_machine(&duel);
  if (!error) error = begin(&duel, &scenario, msg, msg_len);
  if (!error) error = measure(&duel);
  if (!error) error = finish(&duel);
  if (error && !msg[0])
    snprintf(msg, msg_len, "%s: %s", attack ? attack->kernel : "alone",
             qsmGetLastErrorText(duel.device));
  qsm_passes_free(&duel.passes);
  qsmDeviceClose(duel.device);
  return error ? -1 : 0;
}
