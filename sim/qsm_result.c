// SPDX-License-Identifier: Apache-2.0
#include "qsm_result.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qsm_config_yaml.h"
#include "qsm_output.h"
#include "qsm_plot.h"
#include "qsm_regs.h"

double qsm_result_ipc(const struct qsm_outcome *outcome, uint32_t kernel) {
  return outcome->cycles
             ? (double)outcome->kernels[kernel].thread_instructions / (double)outcome->cycles
             : 0;
}

int qsm_result_pass(const struct qsm_scenario *scenario, const struct qsm_outcome *outcome,
                    uint32_t kernel, uint64_t *instructions, char *msg, size_t msg_len) {
  const struct qsm_kernel_outcome *seen = &outcome->kernels[kernel];
  if (seen->unfinished) {
    snprintf(msg, msg_len, "%s: kernel %s: a goal for its passes, but alone %s %" PRIu64 " cycles",
             scenario->path, scenario->kernels[kernel].name,
             seen->fault.killed ? "it is killed within" : "none ends within", outcome->cycles);
    return -1;
  }
  *instructions = seen->thread_instructions;
  return 0;
}

static int timed_goal(const struct qsm_scenario *scenario, const struct qsm_scenario_kernel *wish,
                      double isolated, uint64_t pass_instructions, uint64_t *goal_q16, char *msg,
                      size_t msg_len) {
  struct qsm_config config;
  qsmGoal goal = wish->timed;
  uint32_t translated = 0;
  char why[256];
  goal.instructions = pass_instructions;
  goal.isolated_ipc_q16 = (uint32_t)(isolated * 65536);
  if (qsm_config_load(scenario->config, &config, why, sizeof why) ||
      qsmTranslateGoal(&config, &goal, &translated, why, sizeof why)) {
    snprintf(msg, msg_len, "%s: kernel %s: %s", scenario->path, wish->name, why);
    return -1;
  }
  *goal_q16 = translated;
  return 0;
}

int qsm_result_goal(const struct qsm_scenario *scenario, uint32_t kernel, double isolated,
                    uint64_t pass_instructions, uint64_t *goal_q16, char *msg, size_t msg_len) {
  const struct qsm_scenario_kernel *wish = &scenario->kernels[kernel];
  if (wish->goal_kind == QSM_GOAL_TIMED)
    return timed_goal(scenario, wish, isolated, pass_instructions, goal_q16, msg, msg_len);
  double goal = wish->goal_kind == QSM_GOAL_PERCENT ? wish->goal / 100 * isolated
                : wish->goal_kind == QSM_GOAL_IPC   ? wish->goal
                                                    : 0;
  uint64_t floor_q16 = (uint64_t)(goal * 65536);
  if (wish->goal_kind != QSM_GOAL_NONE && (goal > isolated || floor_q16 == 0)) {
    snprintf(msg, msg_len,
             "%s: kernel %s: goal of %.3f thread instructions per cycle, alone it reaches %.3f",
             scenario->path, wish->name, goal, isolated);
    return -1;
  }
  *goal_q16 = floor_q16;
  return 0;
}

int qsm_result_admission(const struct qsm_scenario *scenario, const uint64_t *goal_q16,
                         const uint32_t *isolated_q16, char *msg, size_t msg_len) {
  qsmAskedGoal goals[QSM_SCENARIO_MAX_KERNELS];
  struct qsm_config config;
  char why[600] = "";
  for (uint32_t i = 0; i < scenario->n_kernels; i++)
    goals[i] = (qsmAskedGoal){.name = scenario->kernels[i].name,
                              .goal_ipc_q16 = (uint32_t)goal_q16[i],
                              .isolated_ipc_q16 = isolated_q16[i],
                              .sm_mask = scenario->kernels[i].sm_mask};
  if (!qsm_config_load(scenario->config, &config, why, sizeof why) &&
      !qsmCheckGoals(&config, scenario->admission, goals, scenario->n_kernels, why, sizeof why))
    return 0;
  snprintf(msg, msg_len, "%s: %s (admission %s)", scenario->path, why,
           qsmAdmissionName(scenario->admission));
  return -1;
}

bool qsm_result_complaint(const struct qsm_scenario *scenario, const struct qsm_outcome *outcome,
                          uint32_t kernel, char *msg, size_t msg_len) {
  const struct qsm_kernel_outcome *seen = &outcome->kernels[kernel];
  const char *name = scenario->kernels[kernel].name;
  if (!seen->present) return false;
  if (seen->fault.killed)
    snprintf(msg, msg_len,
             "kernel %s was killed: cause %u at PC 0x%08X, thread %u of block %u, value 0x%08X%s",
             name, seen->fault.cause, seen->fault.pc, seen->fault.tid, seen->fault.block,
             seen->fault.value, qsmFaultNote(&seen->fault));
  else if (seen->unfinished)
    snprintf(msg, msg_len,
             "kernel %s did not finish within %" PRIu64 " cycles (%" PRIu64 " of %" PRIu64
             " passes); %s",
             name, outcome->cycles, seen->passes, scenario->kernels[kernel].passes,
             seen->waits_for);
  else if (seen->checks_failed)
    snprintf(msg, msg_len, "kernel %s: %" PRIu64 " output checks failed", name,
             seen->checks_failed);
  else if (seen->thread_instructions == 0 && !outcome->interrupted)
    snprintf(msg, msg_len, "kernel %s never ran; %s", name, seen->waits_for);
  else
    return false;
  return true;
}

uint32_t qsm_result_ipc_q16(uint64_t instructions, uint64_t cycles) {
  return (uint32_t)(((unsigned __int128)instructions << 16) / cycles);
}

bool qsm_result_reached(const struct qsm_outcome *outcome, uint32_t kernel, uint64_t goal_q16) {
  return (unsigned __int128)outcome->kernels[kernel].thread_instructions << 16 >=
         (unsigned __int128)goal_q16 * outcome->cycles;
}

static void add_stats(struct qsm_lockstep_stats *sum, const struct qsm_outcome *outcome) {
  if (!outcome->has_lockstep) return;
  sum->cycles_compared += outcome->lockstep.cycles_compared;
  sum->fields_compared += outcome->lockstep.fields_compared;
  if (!outcome->lockstep.differs || sum->differs) return;
  sum->differs = true;
  memcpy(sum->first_difference, outcome->lockstep.first_difference, sizeof sum->first_difference);
}

struct qsm_lockstep_stats qsm_result_lockstep(const struct qsm_result *result) {
  struct qsm_lockstep_stats sum = {0};
  for (uint32_t i = 0; i < result->scenario->n_kernels; i++) add_stats(&sum, &result->isolated[i]);
  add_stats(&sum, &result->shared);
  add_stats(&sum, &result->without);
  return sum;
}

bool qsm_result_has_figures(const struct qsm_result *result) {
  for (uint32_t i = 0; i < result->scenario->n_kernels; i++)
    if (result->isolated[i].n_epochs) return true;
  return false;
}

// ---- Table ----

// A figure of a measurement, "-" if it was not reached.
static const char *figure(const struct qsm_outcome *outcome, double value, char text[32]) {
  snprintf(text, 32, outcome->cycles ? "%.3f" : "-", value);
  return text;
}

static void print_row(const struct qsm_result *result, const struct qsm_outcome *outcome,
                      const char *label, uint32_t i) {
  const struct qsm_kernel_outcome *kernel = &outcome->kernels[i];
  double isolated = qsm_result_ipc(&result->isolated[i], i), ipc = qsm_result_ipc(outcome, i);
  char goal[32] = "-", alone_text[32], ipc_text[32];
  const char *reached = "-";
  if (result->goal_q16[i]) {
    snprintf(goal, sizeof goal, "%.3f", (double)result->goal_q16[i] / 65536);
    if (outcome->cycles)
      reached = qsm_result_reached(outcome, i, result->goal_q16[i]) ? "yes" : "NO";
  }
  printf("  %-12s %-14s %9s %7s %9s %9s %10.1f %% %9llu   %llu ok, %llu wrong%s\n",
         result->scenario->kernels[i].name, label, goal, reached,
         figure(&result->isolated[i], isolated, alone_text), figure(outcome, ipc, ipc_text),
         isolated > 0 ? 100 * ipc / isolated : 0, (unsigned long long)kernel->launches,
         (unsigned long long)kernel->checks_passed, (unsigned long long)kernel->checks_failed,
         kernel->fault.killed ? ", KILLED" : "");
}

static double percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 0;
}

// What the kernels did in the caches and the DRAM, where there are any.
static void print_memory_row(const struct qsm_outcome *outcome, const char *name, const char *label,
                             const qsmMemoryCounters *memory) {
  printf("  %-12s %-14s", name, label);
  if (outcome->has_l1)
    printf(" %12llu %7.1f %% %7.1f %%", (unsigned long long)memory->l1_loads,
           percent(memory->l1_hits, memory->l1_loads),
           percent(memory->l1_merged, memory->l1_loads));
  if (outcome->has_sa)
    printf(" %12llu %7.1f %% %7.1f %%", (unsigned long long)memory->sa_loads,
           percent(memory->sa_hits, memory->sa_loads),
           percent(memory->sa_merged, memory->sa_loads));
  if (outcome->has_l2)
    printf(" %12llu %7.1f %% %7.1f %% %12llu %12llu", (unsigned long long)memory->requests,
           percent(memory->hits, memory->requests), percent(memory->merged, memory->requests),
           (unsigned long long)memory->misses, (unsigned long long)memory->bypassed);
  if (outcome->has_dram)
    printf(" %12llu %12llu %7.1f %%", (unsigned long long)memory->dram_reads,
           (unsigned long long)memory->dram_writes,
           percent(memory->row_hits, memory->dram_reads + memory->dram_writes));
  printf("\n");
}

static void print_memory_rows(const struct qsm_result *result, const struct qsm_outcome *outcome,
                              const char *label) {
  for (uint32_t i = 0; i < result->scenario->n_kernels; i++)
    print_memory_row(outcome, result->scenario->kernels[i].name, label,
                     &outcome->kernels[i].memory);
}

static void print_memory_table(const struct qsm_result *result, const char *scheme) {
  const struct qsm_outcome *shared = &result->shared;
  if (!shared->has_l1 && !shared->has_sa && !shared->has_l2 && !shared->has_dram) return;
  printf("\n  %-12s %-14s", "kernel", "scheme");
  if (result->shared.has_l1) printf(" %12s %9s %9s", "L1 loads", "hits", "merged");
  if (result->shared.has_sa) printf(" %12s %9s %9s", "array loads", "hits", "merged");
  if (result->shared.has_l2)
    printf(" %12s %9s %9s %12s %12s", "L2 requests", "hits", "merged", "misses", "bypassed");
  if (result->shared.has_dram) printf(" %12s %12s %9s", "DRAM reads", "DRAM writes", "row hits");
  printf("\n");
  print_memory_rows(result, &result->shared, scheme);
  if (result->without.n_epochs) print_memory_rows(result, &result->without, "without QoS");
}

// Whose energies these are.
static void describe_energies(const struct qsm_outcome *outcome, char text[160]) {
  snprintf(text, 160,
           "by the energies of configuration %.64s (docs/energy.md): to compare schemes, "
           "not to predict watts",
           outcome->config.name);
}

// Whose part of the energy is how much, and what all of it comes to.
static void print_energy(const struct qsm_result *result, const struct qsm_outcome *outcome,
                         const char *label) {
  if (!outcome->has_energy || !outcome->cycles) return;
  double all = qsm_outcome_energy(outcome), rest = all;
  printf("  %-14s %.4g mJ, %.4g W:", label, all * 1e3, all / qsm_outcome_seconds(outcome));
  for (uint32_t i = 0; i < result->scenario->n_kernels; i++) {
    double joules = qsm_outcome_kernel_energy(outcome, i);
    printf(" %s %.1f %%,", result->scenario->kernels[i].name, 100 * joules / all);
    rest -= joules;
  }
  printf(" nobody %.1f %%\n", 100 * (rest > 0 ? rest : 0) / all);
}

static void print_energy_lines(const struct qsm_result *result, const char *scheme) {
  char text[160];
  if (!result->shared.has_energy || !result->shared.cycles) return;
  describe_energies(&result->shared, text);
  printf("\n  energy %s\n", text);
  print_energy(result, &result->shared, scheme);
  if (result->without.n_epochs) print_energy(result, &result->without, "without QoS");
}

static double mean_slack(const qsmDeadlines *deadlines) {
  uint64_t n = deadlines->n_met + deadlines->n_missed;
  return n ? (double)deadlines->slack_sum / (double)n : 0;
}

// Of the kernels whose launches have them, in the shared measurement.
static void print_deadlines(const struct qsm_result *result) {
  for (uint32_t i = 0; i < result->scenario->n_kernels; i++) {
    const qsmDeadlines *deadlines = &result->shared.kernels[i].deadlines;
    if (!result->scenario->kernels[i].deadline) continue;
    printf("  %-12s %" PRIu64 " of %" PRIu64 " deadlines missed, slack %" PRId64
           " cycles at least, %.0f in the mean%s\n",
           result->scenario->kernels[i].name, deadlines->n_missed,
           deadlines->n_met + deadlines->n_missed, deadlines->least_slack, mean_slack(deadlines),
           deadlines->n_killed ? "; others were killed" : "");
  }
}

void qsm_result_print_table(const struct qsm_result *result) {
  const char *scheme = qsm_scenario_scheme_name(result->scenario);
  printf("\n  %-12s %-14s %9s %7s %9s %9s %12s %9s   %s\n", "kernel", "scheme", "goal IPC",
         "reached", "isolated", "IPC", "normalised", "launches", "output checks");
  for (uint32_t i = 0; i < result->scenario->n_kernels; i++)
    print_row(result, &result->shared, scheme, i);
  for (uint32_t i = 0; result->without.n_epochs && i < result->scenario->n_kernels; i++)
    print_row(result, &result->without, "without QoS", i);
  print_deadlines(result);
  print_memory_table(result, scheme);
  print_energy_lines(result, scheme);
}

// ---- JSON ----

static void add_counter(cJSON *item, const char *name, uint64_t value) {
  cJSON_AddNumberToObject(item, name, (double)value);
}

static void add_deadlines_json(cJSON *item, const struct qsm_scenario_kernel *kernel,
                               const qsmDeadlines *deadlines) {
  if (!kernel->deadline) return;
  cJSON *of_kernel = cJSON_AddObjectToObject(item, "deadlines");
  add_counter(of_kernel, "met", deadlines->n_met);
  add_counter(of_kernel, "missed", deadlines->n_missed);
  add_counter(of_kernel, "killed", deadlines->n_killed);
  cJSON_AddNumberToObject(of_kernel, "least_slack", (double)deadlines->least_slack);
  cJSON_AddNumberToObject(of_kernel, "mean_slack", mean_slack(deadlines));
}

enum { CACHE_COUNTERS = 6 };

// Of the L1s, or the caches of shader arrays.
static void add_cache_json(cJSON *item, const char *cache, const uint64_t *counts) {
  static const char *const names[CACHE_COUNTERS] = {"loads",  "hits",   "merged",
                                                    "misses", "stores", "atomics"};
  cJSON *object = cJSON_AddObjectToObject(item, cache);
  for (uint32_t i = 0; i < CACHE_COUNTERS; i++) add_counter(object, names[i], counts[i]);
}

static void add_memory_json(cJSON *item, const struct qsm_outcome *outcome,
                            const qsmMemoryCounters *memory) {
  if (outcome->has_l1) {
    const uint64_t counts[] = {memory->l1_loads,  memory->l1_hits,   memory->l1_merged,
                               memory->l1_misses, memory->l1_stores, memory->l1_atomics};
    add_cache_json(item, "l1", counts);
  }
  if (outcome->has_sa) {
    const uint64_t counts[] = {memory->sa_loads,  memory->sa_hits,   memory->sa_merged,
                               memory->sa_misses, memory->sa_stores, memory->sa_atomics};
    add_cache_json(item, "sa", counts);
  }
  if (outcome->has_l2) {
    cJSON *l2 = cJSON_AddObjectToObject(item, "l2");
    add_counter(l2, "requests", memory->requests);
    add_counter(l2, "hits", memory->hits);
    add_counter(l2, "merged", memory->merged);
    add_counter(l2, "misses", memory->misses);
    add_counter(l2, "bypassed", memory->bypassed);
    add_counter(l2, "atomics", memory->atomics);
    add_counter(l2, "victims", memory->victims);
  }
  if (outcome->has_dram) {
    cJSON *dram = cJSON_AddObjectToObject(item, "dram");
    add_counter(dram, "reads", memory->dram_reads);
    add_counter(dram, "writes", memory->dram_writes);
    add_counter(dram, "row_hits", memory->row_hits);
    add_counter(dram, "rows_opened", memory->rows_opened);
  }
}

// null without a measurement.
static void add_figure(cJSON *item, const char *name, const struct qsm_outcome *outcome,
                       double value) {
  if (outcome->cycles)
    cJSON_AddNumberToObject(item, name, value);
  else
    cJSON_AddNullToObject(item, name);
}

static void add_energy_json(cJSON *item, const struct qsm_outcome *outcome, uint32_t i) {
  if (!outcome->has_energy || !outcome->cycles) {
    cJSON_AddNullToObject(item, "energy_j");
    return;
  }
  const struct qsm_energy_kernel *kernel = &outcome->energy.kernel[i];
  cJSON_AddNumberToObject(item, "energy_j", qsm_outcome_kernel_energy(outcome, i));
  cJSON *events = cJSON_AddObjectToObject(item, "energy_events");
  for (uint32_t event = 0; event < QSM_ENERGY_EVENT_COUNT; event++)
    add_counter(events, qsm_energy_event_name(event), kernel->events[event]);
  cJSON_AddNumberToObject(events, "sm_cycles", kernel->sm_cycles);
}

// SMs that the kernel owned, in the mean; of schemes of whole SMs.
static void add_sms_json(cJSON *item, const struct qsm_outcome *outcome, uint32_t i) {
  if (outcome->has_energy && outcome->cycles && qsm_scheme_whole_sms(outcome->scheme))
    cJSON_AddNumberToObject(item, "sms_mean",
                            (double)outcome->energy.kernel[i].owned / (double)outcome->cycles);
}

static void add_power_json(cJSON *item, const struct qsm_outcome *outcome) {
  char text[160];
  if (!outcome->has_energy || !outcome->cycles) {
    cJSON_AddNullToObject(item, "energy_j");
    cJSON_AddNullToObject(item, "power_w");
    return;
  }
  describe_energies(outcome, text);
  cJSON_AddNumberToObject(item, "energy_j", qsm_outcome_energy(outcome));
  cJSON_AddNumberToObject(item, "power_w",
                          qsm_outcome_energy(outcome) / qsm_outcome_seconds(outcome));
  cJSON_AddStringToObject(item, "energies", text);
}

static void add_limits_json(cJSON *item, const struct qsm_outcome *outcome,
                            const struct qsm_scenario_kernel *kernel) {
  if (outcome->limits && kernel->thread_limit)
    cJSON_AddNumberToObject(item, "thread_limit", kernel->thread_limit);
  else
    cJSON_AddNullToObject(item, "thread_limit");
  if (outcome->limits && kernel->in_instance)
    cJSON_AddStringToObject(item, "instance", qsm_instance_name(kernel->instance));
  else
    cJSON_AddNullToObject(item, "instance");
}

static cJSON *kernels_json(const struct qsm_result *result, const struct qsm_outcome *outcome) {
  cJSON *list = cJSON_CreateArray();
  for (uint32_t i = 0; i < result->scenario->n_kernels; i++) {
    const struct qsm_kernel_outcome *kernel = &outcome->kernels[i];
    double isolated = qsm_result_ipc(&result->isolated[i], i), ipc = qsm_result_ipc(outcome, i);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", result->scenario->kernels[i].name);
    cJSON_AddBoolToObject(item, "qos", result->goal_q16[i] != 0);
    if (result->goal_q16[i])
      cJSON_AddNumberToObject(item, "goal_ipc", (double)result->goal_q16[i] / 65536);
    else
      cJSON_AddNullToObject(item, "goal_ipc");
    add_limits_json(item, outcome, &result->scenario->kernels[i]);
    add_figure(item, "ipc", outcome, ipc);
    add_figure(item, "isolated_ipc", &result->isolated[i], isolated);
    add_figure(item, "normalised", outcome, isolated > 0 ? ipc / isolated : 0);
    if (result->goal_q16[i] && outcome->cycles)
      cJSON_AddBoolToObject(item, "reached", qsm_result_reached(outcome, i, result->goal_q16[i]));
    else
      cJSON_AddNullToObject(item, "reached");
    cJSON_AddNumberToObject(item, "thread_instructions", (double)kernel->thread_instructions);
    cJSON_AddNumberToObject(item, "launches", (double)kernel->launches);
    if (kernel->finished)
      cJSON_AddNumberToObject(item, "response_cycles",
                              (double)(kernel->finished - kernel->started));
    else
      cJSON_AddNullToObject(item, "response_cycles");
    add_deadlines_json(item, &result->scenario->kernels[i], &kernel->deadlines);
    cJSON_AddNumberToObject(item, "checks_passed", (double)kernel->checks_passed);
    cJSON_AddNumberToObject(item, "checks_failed", (double)kernel->checks_failed);
    if (kernel->fault.killed) {
      cJSON *fault = cJSON_AddObjectToObject(item, "fault");
      cJSON_AddNumberToObject(fault, "cause", kernel->fault.cause);
      cJSON_AddNumberToObject(fault, "pc", kernel->fault.pc);
      cJSON_AddNumberToObject(fault, "thread", kernel->fault.tid);
      cJSON_AddNumberToObject(fault, "block", kernel->fault.block);
      cJSON_AddNumberToObject(fault, "value", kernel->fault.value);
    } else {
      cJSON_AddNullToObject(item, "fault");
    }
    add_memory_json(item, outcome, &kernel->memory);
    add_energy_json(item, outcome, i);
    add_sms_json(item, outcome, i);
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

static bool has_strip(const struct qsm_outcome *outcome) {
  return outcome->has_uses && qsm_scheme_whole_sms(outcome->scheme);
}

static const char *use_name(const struct qsm_result *result, uint32_t use) {
  static const char *const others[] = {
      [QSM_SM_SHARED] = "shared", [QSM_SM_FREE] = "free", [QSM_SM_GATED] = "gated"};
  return use < QSM_SM_OF_KERNEL ? others[use]
                                : result->scenario->kernels[use - QSM_SM_OF_KERNEL].name;
}

static uint32_t opt_of(uint32_t sm_record) {
  return (sm_record & QSM_SLOT_SM_RECORD_OPT_MASK) >> QSM_SLOT_SM_RECORD_OPT_SHIFT;
}

static cJSON *epochs_json(const struct qsm_result *result, const struct qsm_outcome *outcome) {
  cJSON *list = cJSON_CreateArray();
  uint64_t length = outcome->n_epochs ? outcome->cycles / outcome->n_epochs : 1;
  for (uint32_t e = 0; e < outcome->n_epochs; e++) {
    const struct qsm_epoch_record *record = &outcome->epochs[e];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "cycle", (double)record->cycle);
    cJSON *ipc = cJSON_AddArrayToObject(item, "ipc"),
          *quota = cJSON_AddArrayToObject(item, "quota"),
          *counter = cJSON_AddArrayToObject(item, "counter");
    for (uint32_t i = 0; i < result->scenario->n_kernels; i++) {
      cJSON_AddItemToArray(ipc, cJSON_CreateNumber((double)record->insn[i] / (double)length));
      cJSON_AddItemToArray(quota, cJSON_CreateNumber(record->quota[i]));
      cJSON_AddItemToArray(counter, cJSON_CreateNumber((double)record->counter[i]));
    }
    if (has_strip(outcome)) {
      cJSON *uses = cJSON_AddArrayToObject(item, "sms");
      for (uint32_t sm = 0; sm < outcome->config.num_sms; sm++)
        cJSON_AddItemToArray(uses, cJSON_CreateString(use_name(result, record->use[sm])));
      cJSON *opt = cJSON_AddArrayToObject(item, "opt");
      for (uint32_t i = 0; i < result->scenario->n_kernels; i++)
        cJSON_AddItemToArray(opt, cJSON_CreateNumber(opt_of(record->sm_record[i])));
    }
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

static cJSON *lockstep_json(const struct qsm_result *result) {
  if (!result->shared.has_lockstep) return cJSON_CreateNull();
  struct qsm_lockstep_stats stats = qsm_result_lockstep(result);
  cJSON *item = cJSON_CreateObject();
  cJSON_AddNumberToObject(item, "cycles_compared", (double)stats.cycles_compared);
  cJSON_AddNumberToObject(
      item, "fields_per_cycle",
      stats.cycles_compared ? (double)stats.fields_compared / (double)stats.cycles_compared : 0);
  if (stats.differs)
    cJSON_AddStringToObject(item, "first_difference", stats.first_difference);
  else
    cJSON_AddNullToObject(item, "first_difference");
  return item;
}

static cJSON *interrupted_json(const struct qsm_result *result) {
  if (!result->interrupted) return cJSON_CreateNull();
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "during", result->interrupted_title);
  cJSON_AddNumberToObject(item, "cycles", (double)result->interrupted->cycles);
  cJSON_AddNumberToObject(item, "planned_cycles", (double)result->interrupted->planned_cycles);
  return item;
}

static void add_scenario_json(cJSON *root, const struct qsm_scenario *scenario) {
  char absolute[PATH_MAX];
  cJSON_AddStringToObject(root, "scenario", scenario->path);
  if (realpath(scenario->path, absolute)) cJSON_AddStringToObject(root, "scenario_file", absolute);
}

static cJSON *result_json(const struct qsm_result *result) {
  const struct qsm_scenario *scenario = result->scenario;
  cJSON *root = cJSON_CreateObject();
  add_scenario_json(root, scenario);
  cJSON_AddStringToObject(root, "config", scenario->config);
  cJSON_AddStringToObject(root, "backend", result->backend);
  cJSON_AddStringToObject(root, "policy", qsm_policy_name(scenario->policy));
  cJSON_AddStringToObject(root, "scheme", qsm_scenario_scheme_name(scenario));
  cJSON_AddStringToObject(root, "adjust", qsm_adjustment_name(scenario->adjust));
  cJSON_AddNumberToObject(root, "cycles", (double)result->shared.cycles);
  cJSON_AddItemToObject(root, "interrupted", interrupted_json(result));
  cJSON_AddNumberToObject(root, "cpu_s", result->shared.cpu_s);
  cJSON_AddNumberToObject(
      root, "cycles_per_cpu_s",
      result->shared.cpu_s > 0 ? (double)result->shared.cpu_cycles / result->shared.cpu_s : 0);
  cJSON_AddNumberToObject(root, "moves", result->shared.sms.moves);
  cJSON_AddNumberToObject(root, "move_cycles", (double)result->shared.sms.move_cycles);
  cJSON_AddNumberToObject(root, "gated_sm_cycles", (double)result->shared.sms.gated_sm_cycles);
  add_power_json(root, &result->shared);
  cJSON_AddNumberToObject(root, "seed", (double)scenario->seed);
  if (result->shared.has_hash) {
    char hash[24];  // as text: a number of JSON has 53 bits
    snprintf(hash, sizeof hash, "0x%016" PRIX64, result->shared.trace_hash);
    cJSON_AddStringToObject(root, "trace_hash", hash);
  }
  cJSON_AddItemToObject(root, "kernels", kernels_json(result, &result->shared));
  cJSON_AddItemToObject(root, "epochs", epochs_json(result, &result->shared));
  cJSON_AddItemToObject(root, "lockstep", lockstep_json(result));
  if (result->without.n_epochs) {
    cJSON *without = cJSON_AddObjectToObject(root, "without_qos");
    add_power_json(without, &result->without);
    cJSON_AddItemToObject(without, "kernels", kernels_json(result, &result->without));
    cJSON_AddItemToObject(without, "epochs", epochs_json(result, &result->without));
  }
  return root;
}

static int write_file(const char *dir, const char *name, const char *text, char *msg,
                      size_t msg_len) {
  char path[1024];
  struct qsm_output output;
  snprintf(path, sizeof path, "%s/%s", dir, name);
  if (qsm_output_open(&output, path, msg, msg_len)) return -1;
  fputs(text, output.file);
  qsm_output_note(&output);
  return qsm_output_close(&output, msg, msg_len);
}

int qsm_result_write_json(const struct qsm_result *result, const char *dir, char *msg,
                          size_t msg_len) {
  cJSON *root = result_json(result);
  char *text = cJSON_Print(root);
  int status = -1;
  if (text)
    status = write_file(dir, "result.json", text, msg, msg_len);
  else
    snprintf(msg, msg_len, "out of memory");
  cJSON_free(text);
  cJSON_Delete(root);
  return status;
}

static cJSON *parse_file(FILE *file) {
  struct stat now;
  if (fstat(fileno(file), &now) || now.st_size < 0) return NULL;
  char *text = malloc((size_t)now.st_size + 1);
  if (!text) return NULL;
  text[fread(text, 1, (size_t)now.st_size, file)] = 0;
  cJSON *root = cJSON_Parse(text);
  free(text);
  return root;
}

bool qsm_result_scenario_in(const char *dir, char *scenario, size_t len) {
  char path[1024];
  snprintf(path, sizeof path, "%s/result.json", dir);
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  cJSON *root = parse_file(file);
  const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(root, "scenario_file"));
  snprintf(scenario, len, "%s", name ? name : "an unknown scenario");
  cJSON_Delete(root);
  fclose(file);
  return true;
}

// ---- Plot ----

static void plot_data(FILE *script, const struct qsm_result *result,
                      const struct qsm_outcome *outcome) {
  double length = (double)outcome->cycles / outcome->n_epochs;
  for (uint32_t i = 0; i < result->scenario->n_kernels; i++) {
    for (uint32_t e = 0; e < outcome->n_epochs; e++)
      fprintf(script, "%g %g\n", (double)outcome->epochs[e].cycle / 1000,
              outcome->epochs[e].insn[i] / length);
    fprintf(script, "e\n");
  }
}

static void plot_panel(FILE *script, const struct qsm_result *result,
                       const struct qsm_outcome *outcome, const char *title) {
  const struct qsm_scenario *scenario = result->scenario;
  fprintf(script, "set title '%s'\nplot ", title);
  for (uint32_t i = 0; i < scenario->n_kernels; i++) {
    fprintf(script, "%s'-' using 1:2 with linespoints lw 2 pt 7 ps 0.4 lc %u title '%s'",
            i ? ", " : "", i + 1, scenario->kernels[i].name);
    if (result->goal_q16[i])
      fprintf(script, ", %g with lines dt 2 lw 2 lc %u title 'goal of %s'",
              (double)result->goal_q16[i] / 65536, i + 1, scenario->kernels[i].name);
  }
  fprintf(script, "\n");
  // Inline data is consumed in the order of the '-' items; the goal lines have none.
  plot_data(script, result, outcome);
}

// ---- Plot of who uses the SMs ----

static bool is_used_so(const struct qsm_outcome *outcome, uint32_t use) {
  for (uint32_t e = 0; e < outcome->n_epochs; e++)
    if (memchr(outcome->epochs[e].use, (int)use, outcome->config.num_sms)) return true;
  return false;
}

static void use_data(FILE *script, const struct qsm_outcome *outcome, uint32_t use) {
  double length = (double)outcome->cycles / outcome->n_epochs / 1000;
  for (uint32_t e = 0; e < outcome->n_epochs; e++)
    for (uint32_t sm = 0; sm < outcome->config.num_sms; sm++)
      if (outcome->epochs[e].use[sm] == use)
        fprintf(script, "%g %u %g %g %g %g\n", (e + 0.5) * length, sm, e * length, (e + 1) * length,
                sm - 0.4, sm + 0.4);
  fprintf(script, "e\n");
}

// A row per SM, in the colours of the kernels above: whose it was at the end of each epoch.
static void plot_strip(FILE *script, const struct qsm_result *result,
                       const struct qsm_outcome *outcome) {
  static const char *const others[] = {
      [QSM_SM_SHARED] = "gold", [QSM_SM_FREE] = "gray90", [QSM_SM_GATED] = "gray50"};
  const char *comma = "";
  fprintf(script,
          "set title 'who has which SM'\nset ylabel 'SM'\nset yrange [-0.5:%g]\n"
          "set ytics 0, %u\nset xrange [0:%g]\nplot ",
          outcome->config.num_sms - 0.5, outcome->config.num_sms / 16 + 1,
          (double)outcome->cycles / 1000);
  for (uint32_t use = 0; use < QSM_SM_OF_KERNEL + result->scenario->n_kernels; use++) {
    if (!is_used_so(outcome, use)) continue;
    fprintf(script, "%s'-' using 1:2:3:4:5:6 with boxxyerror fs solid noborder lc ", comma);
    if (use < QSM_SM_OF_KERNEL)
      fprintf(script, "rgb '%s'", others[use]);
    else
      fprintf(script, "%u", use - QSM_SM_OF_KERNEL + 1);
    fprintf(script, " title '%s'", use_name(result, use));
    comma = ", ";
  }
  fprintf(script, "\n");
  for (uint32_t use = 0; use < QSM_SM_OF_KERNEL + result->scenario->n_kernels; use++)
    if (is_used_so(outcome, use)) use_data(script, outcome, use);
}

int qsm_result_write_plot(const struct qsm_result *result, const char *dir, char *msg,
                          size_t msg_len) {
  bool two = result->without.n_epochs != 0;
  char path[1024], title[400];
  struct qsm_plot plot;
  snprintf(path, sizeof path, "%s/plot.svg", dir);
  if (!result->shared.n_epochs) {
    unlink(path);
    return 0;
  }
  uint32_t n_panels = 1 + (uint32_t)two + (uint32_t)has_strip(&result->shared);
  if (qsm_plot_open(&plot, path, 960, n_panels == 1 ? 400 : 360 * n_panels, msg, msg_len))
    return -1;
  snprintf(title, sizeof title, "%s over %s, configuration %s",
           qsm_scenario_scheme_name(result->scenario), qsm_policy_name(result->scenario->policy),
           result->scenario->config);
  fprintf(
      plot.script,
      "set xlabel 'kilocycles'\nset ylabel 'thread instructions per cycle'\nset yrange [0:*]\n");
  if (n_panels > 1) fprintf(plot.script, "set multiplot layout %u,1\n", n_panels);
  if (has_strip(&result->shared))  // so that times stand below each other
    fprintf(plot.script,
            "set lmargin at screen 0.08\nset rmargin at screen 0.77\nset xrange [0:%g]\n",
            (double)result->shared.cycles / 1000);
  plot_panel(plot.script, result, &result->shared, title);
  if (two) plot_panel(plot.script, result, &result->without, "the same without QoS");
  if (has_strip(&result->shared)) plot_strip(plot.script, result, &result->shared);
  return qsm_plot_close(&plot, msg, msg_len);
}
