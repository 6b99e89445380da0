// SPDX-License-Identifier: Apache-2.0
#include "qsm_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_config_yaml.h"
#include "qsm_folder.h"
#include "qsm_interrupt.h"
#include "qsm_output.h"
#include "qsm_result.h"
#include "qsm_scenario.h"
#include "qsm_session.h"
#include "qsm_waves.h"
#include "qsm_yaml.h"

struct run {
  const struct qsm_run_options *options;
  struct qsm_scenario scenario;
  struct qsm_result result;
  struct qsm_outcome pass;  // the last one measured for a goal
  char dir[512];
  char replay[1024];
  char msg[1024];
  struct qsm_trace *trace;  // of the shared run
  bool traced;              // which has begun
  char interrupted_title[96];
};

static enum qsm_exit complain(enum qsm_exit code, const char *text) {
  fprintf(stderr, "qsm: %s\n", text);
  return code;
}

// ---- Output folder ----

static int prepare_folder(struct run *run) {
  const struct qsm_run_options *options = run->options;
  const char *scenario = run->scenario.path, *dir = options->out_dir;
  bool fits = dir ? *dir && snprintf(run->dir, sizeof run->dir, "%s", dir) < (int)sizeof run->dir
                  : qsm_folder_default(scenario, "", run->dir, sizeof run->dir) == 0;
  if (fits)
    return qsm_folder_claim(run->dir, scenario, options->overwrite, run->msg, sizeof run->msg);
  snprintf(run->msg, sizeof run->msg, "output folder: path empty or too long");
  return -1;
}

// ---- Measurements ----

static const char *backend_of(const struct run *run) {
  return run->options->backend ? run->options->backend : "model";
}

// Else a board is compared.
static bool is_lockstep(const struct run *run) { return strcmp(backend_of(run), "lockstep") == 0; }

static void describe_replay(struct run *run) {
  int at = snprintf(run->replay, sizeof run->replay,
                    "qsm run %s --backend %s --config %s --cycles %" PRIu64 " --seed %" PRIu64,
                    run->scenario.path, backend_of(run), run->scenario.config, run->scenario.cycles,
                    run->scenario.seed);
  if (run->options->netlist)
    at += snprintf(run->replay + at, sizeof run->replay - (size_t)at, " --netlist");
  if (run->options->inject_block)
    snprintf(run->replay + at, sizeof run->replay - (size_t)at,
             " --inject %s --inject-cycle %" PRIu64, run->options->inject_block,
             run->options->inject_cycle);
}

static struct qsm_session_plan plan_of(const struct run *run, const char *title,
                                       uint32_t kernel_mask, uint32_t scheme) {
  struct qsm_session_plan plan = {.title = title,
                                  .backend = backend_of(run),
                                  .kernel_mask = kernel_mask,
                                  .scheme = scheme,
                                  .show_progress = !run->options->quiet,
                                  .stop = qsm_interrupt_came};
  plan.options = (struct qsm_backend_options){.out_dir = run->dir,
                                              .replay = run->replay,
                                              .seed = run->scenario.seed,
                                              .netlist = run->options->netlist,
                                              .state_interval = run->options->state_interval};
  return plan;
}

// Runs the same measurement again on the tracing build, for the cycles around the difference.
static void write_waves(struct run *run, const struct qsm_session_plan *failed, uint64_t cycle) {
  char path[600], msg[1024];
  struct qsm_outcome outcome;
  struct qsm_output waves;
  struct qsm_session_plan plan = *failed;
  snprintf(path, sizeof path, "%s/difference.fst", run->dir);
  int status = qsm_output_open(&waves, path, msg, sizeof msg);
  if (!status) {
    plan.backend = "rtl";
    plan.show_progress = false;
    plan.trace = NULL;
    plan.options = qsm_waves_around(waves.place, cycle);
    bool ran = qsm_session_run(&run->scenario, &plan, &outcome, msg, sizeof msg) !=
               QSM_SESSION_ENVIRONMENT;
    qsm_outcome_clear(&outcome);
    if (!ran) qsm_output_drop(&waves);
    status = ran ? qsm_waves_close(&waves, run->scenario.config, QSM_WAVES_AROUND_CYCLES, msg,
                                   sizeof msg)
                 : -1;
  }
  if (status)
    fprintf(stderr, "qsm: no waveform: %s\n", msg);
  else
    fprintf(stderr, "qsm: waveform of the cycles around it: gtkwave %s/difference.gtkw\n",
            run->dir);
}

static enum qsm_exit note_interruption(struct run *run, const struct qsm_session_plan *plan,
                                       const struct qsm_outcome *outcome) {
  snprintf(run->interrupted_title, sizeof run->interrupted_title, "%s", plan->title);
  run->result.interrupted = outcome;
  run->result.interrupted_title = run->interrupted_title;
  return QSM_EXIT_INTERRUPTED;
}

static enum qsm_exit measure(struct run *run, struct qsm_session_plan *plan,
                             struct qsm_outcome *outcome) {
  run->msg[0] = 0;
  switch (qsm_session_run(&run->scenario, plan, outcome, run->msg, sizeof run->msg)) {
    case QSM_SESSION_OK:
      return outcome->interrupted ? note_interruption(run, plan, outcome) : QSM_EXIT_OK;
    case QSM_SESSION_BAD_INPUT: return complain(QSM_EXIT_BAD_INPUT, run->msg);
    case QSM_SESSION_ENVIRONMENT: return complain(QSM_EXIT_ENVIRONMENT, run->msg);
    case QSM_SESSION_FAILED: break;
  }
  complain(QSM_EXIT_WRONG, run->msg);
  fprintf(stderr, "qsm: replay: %s\n", run->replay);
  // A board has nothing to look into.
  if (!outcome->has_lockstep || !is_lockstep(run)) return QSM_EXIT_WRONG;
  fprintf(stderr, "qsm: details: %s/difference.txt\n", run->dir);
  write_waves(run, plan, outcome->lockstep.difference_cycle);
  return QSM_EXIT_WRONG;
}

static enum qsm_exit measure_isolated(struct run *run) {
  for (uint32_t i = 0; i < run->scenario.n_kernels; i++) {
    char title[96];
    snprintf(title, sizeof title, "%s alone", run->scenario.kernels[i].name);
    struct qsm_session_plan plan = plan_of(run, title, 1u << i, qsmSchemeNone);
    enum qsm_exit code = measure(run, &plan, &run->result.isolated[i]);
    if (code) return code;
  }
  return QSM_EXIT_OK;
}

// Thread instructions of one pass: alone, all of them counted.
static enum qsm_exit measure_pass(struct run *run, uint32_t index, uint64_t *instructions) {
  struct qsm_outcome *outcome = &run->pass;
  char title[96];
  snprintf(title, sizeof title, "one pass of %s, at most", run->scenario.kernels[index].name);
  struct qsm_session_plan plan = plan_of(run, title, 1u << index, qsmSchemeNone);
  plan.one_pass = true;
  qsm_outcome_clear(outcome);
  enum qsm_exit code = measure(run, &plan, outcome);
  if (!code &&
      qsm_result_pass(&run->scenario, outcome, index, instructions, run->msg, sizeof run->msg))
    code = complain(QSM_EXIT_BAD_INPUT, run->msg);
  return code;
}

static uint32_t isolated_q16(const struct run *run, uint32_t index) {
  const struct qsm_outcome *alone = &run->result.isolated[index];
  return alone->cycles
             ? qsm_result_ipc_q16(alone->kernels[index].thread_instructions, alone->cycles)
             : 0;
}

static enum qsm_exit check_admission(struct run *run) {
  uint32_t isolated[QSM_SCENARIO_MAX_KERNELS];
  for (uint32_t i = 0; i < run->scenario.n_kernels; i++) isolated[i] = isolated_q16(run, i);
  return qsm_result_admission(&run->scenario, run->result.goal_q16, isolated, run->msg,
                              sizeof run->msg)
             ? complain(QSM_EXIT_BAD_INPUT, run->msg)
             : QSM_EXIT_OK;
}

static enum qsm_exit set_goals(struct run *run) {
  for (uint32_t i = 0; i < run->scenario.n_kernels; i++) {
    uint64_t instructions = 0;
    enum qsm_exit code = run->scenario.kernels[i].goal_kind == QSM_GOAL_TIMED
                             ? measure_pass(run, i, &instructions)
                             : QSM_EXIT_OK;
    if (code) return code;
    double isolated = qsm_result_ipc(&run->result.isolated[i], i);
    if (qsm_result_goal(&run->scenario, i, isolated, instructions, &run->result.goal_q16[i],
                        run->msg, sizeof run->msg))
      return complain(QSM_EXIT_BAD_INPUT, run->msg);
  }
  return check_admission(run);
}

// What there is of a waveform is kept when the backend fails, or the user.
static enum qsm_exit measure_with_waves(struct run *run, struct qsm_session_plan *plan,
                                        struct qsm_outcome *outcome) {
  char path[600];
  struct qsm_output waves;
  snprintf(path, sizeof path, "%s/waves.fst", run->dir);
  if (qsm_output_open(&waves, path, run->msg, sizeof run->msg))
    return complain(QSM_EXIT_ENVIRONMENT, run->msg);
  plan->options.wave_path = waves.place;
  plan->options.wave_to = UINT64_MAX;
  enum qsm_exit code = measure(run, plan, outcome);
  if (code == QSM_EXIT_BAD_INPUT || code == QSM_EXIT_ENVIRONMENT)
    qsm_output_drop(&waves);
  else if (qsm_waves_close(&waves, run->scenario.config, outcome->total_cycles, run->msg,
                           sizeof run->msg)) {
    complain(QSM_EXIT_ENVIRONMENT, run->msg);
    if (!code) code = QSM_EXIT_ENVIRONMENT;
  }
  return code;
}

static enum qsm_exit measure_shared(struct run *run, const char *title, uint32_t scheme,
                                    struct qsm_outcome *outcome, bool main_run) {
  struct qsm_session_plan plan = plan_of(run, title, (1u << run->scenario.n_kernels) - 1, scheme);
  for (uint32_t i = 0; i < run->scenario.n_kernels; i++) {
    plan.goal_q16[i] = (uint32_t)run->result.goal_q16[i];
    plan.isolated_q16[i] = isolated_q16(run, i);
  }
  run->traced |= main_run;
  if (main_run && run->trace) {
    plan.trace = run->trace;
    plan.options.sink = qsm_trace_event;
    plan.options.sink_ctx = run->trace;
  }
  if (main_run) {
    plan.options.hash = run->options->hash;
    plan.adjust = run->scenario.adjust;
    plan.limits = true;
    plan.options.inject_block = run->options->inject_block;
    plan.options.inject_cycle = run->options->inject_cycle;
  }
  return main_run && run->options->waves ? measure_with_waves(run, &plan, outcome)
                                         : measure(run, &plan, outcome);
}

// ---- Traces ----

// Before the measurements, so that a file that cannot be written is known at once.
static enum qsm_exit open_trace(struct run *run) {
  const struct qsm_run_options *options = run->options;
  const char *names[QSM_SCENARIO_MAX_KERNELS];
  struct qsm_config config;
  if (!options->konata && !options->timeline) return QSM_EXIT_OK;
  for (uint32_t i = 0; i < run->scenario.n_kernels; i++) names[i] = run->scenario.kernels[i].name;
  const struct qsm_trace_options wanted = {.konata_path = options->konata,
                                           .timeline_path = options->timeline,
                                           .from = options->from,
                                           .to = options->to,
                                           .names = names,
                                           .n_names = run->scenario.n_kernels};
  if (qsm_config_load(run->scenario.config, &config, run->msg, sizeof run->msg))
    return complain(QSM_EXIT_BAD_INPUT, run->msg);
  if (qsm_trace_open(&wanted, &config, &run->trace, run->msg, sizeof run->msg))
    return complain(QSM_EXIT_ENVIRONMENT, run->msg);
  return QSM_EXIT_OK;
}

// Without a shared run there is nothing to show: earlier traces stay.
static enum qsm_exit close_trace(struct run *run) {
  struct qsm_trace *trace = run->trace;
  run->trace = NULL;
  if (run->traced)
    return qsm_trace_close(trace, run->msg, sizeof run->msg)
               ? complain(QSM_EXIT_ENVIRONMENT, run->msg)
               : QSM_EXIT_OK;
  qsm_trace_drop(trace);
  return QSM_EXIT_OK;
}

// What went wrong in the kernels themselves.
static enum qsm_exit judge(struct run *run, const struct qsm_outcome *outcome) {
  enum qsm_exit code = QSM_EXIT_OK;
  for (uint32_t i = 0; i < run->scenario.n_kernels; i++)
    if (qsm_result_complaint(&run->scenario, outcome, i, run->msg, sizeof run->msg))
      code = complain(QSM_EXIT_WRONG, run->msg);
  return code;
}

static enum qsm_exit measure_all(struct run *run) {
  enum qsm_exit code = measure_isolated(run);
  if (!code) code = set_goals(run);
  if (!code)
    code = measure_shared(run, qsm_scenario_scheme_name(&run->scenario), run->scenario.scheme,
                          &run->result.shared, true);
  if (!code && run->scenario.compare_without_qos)
    code = measure_shared(run, "without QoS", 0, &run->result.without, false);
  return code;
}

// ---- Results ----

static void announce(const struct run *run) {
  const struct qsm_scenario *scenario = &run->scenario;
  printf("%s: %" PRIu32
         " kernel%s on configuration %s, backend %s, policy %s, scheme %s%s%s, %" PRIu64
         " cycles\n",
         scenario->path, scenario->n_kernels, scenario->n_kernels == 1 ? "" : "s", scenario->config,
         backend_of(run), qsm_policy_name(scenario->policy), qsm_scenario_scheme_name(scenario),
         scenario->adjust ? ", adjust " : "",
         scenario->adjust ? qsm_adjustment_name(scenario->adjust) : "", scenario->cycles);
  fflush(stdout);
}

// Files first, so that the table ends the output; a plot that cannot be drawn takes nothing from
// the rest.
static enum qsm_exit write_results(struct run *run) {
  if (qsm_result_write_json(&run->result, run->dir, run->msg, sizeof run->msg))
    return complain(QSM_EXIT_ENVIRONMENT, run->msg);
  bool plotted = qsm_result_write_plot(&run->result, run->dir, run->msg, sizeof run->msg) == 0;
  enum qsm_exit code = plotted ? QSM_EXIT_OK : complain(QSM_EXIT_ENVIRONMENT, run->msg);
  if (run->options->quiet) return code;
  qsm_result_print_table(&run->result);
  if (run->result.shared.has_lockstep) {
    struct qsm_lockstep_stats stats = qsm_result_lockstep(&run->result);
    printf("\n  lockstep: %s and model equal in all %" PRIu64
           " cycles, %.1f values compared per cycle\n",
           !is_lockstep(run)       ? "board"
           : run->options->netlist ? "netlist"
                                   : "RTL",
           stats.cycles_compared,
           stats.cycles_compared ? (double)stats.fields_compared / (double)stats.cycles_compared
                                 : 0.0);
  }
  if (run->result.shared.has_hash)
    printf("\n  trace hash 0x%016" PRIX64 "\n", run->result.shared.trace_hash);
  printf("\n  results  %s/result.json\n", run->dir);
  if (plotted && run->result.shared.n_epochs) printf("  plot     %s/plot.svg\n", run->dir);
  if (run->options->waves && run->traced) printf("  waves    gtkwave %s/waves.gtkw\n", run->dir);
  if (run->options->konata && run->traced)
    printf("  pipeline %s, for Konata\n", run->options->konata);
  if (run->options->timeline && run->traced)
    printf("  timeline %s, for https://ui.perfetto.dev\n", run->options->timeline);
  printf("  docs     %s/docs/reading-order.md\n", qsm_source_root());
  return code;
}

// What is wrong with the kernels goes before what the folder or the tools lacked.
static enum qsm_exit report(struct run *run) {
  enum qsm_exit written = write_results(run);
  enum qsm_exit code = judge(run, &run->result.shared);
  if (!code && run->scenario.compare_without_qos) code = judge(run, &run->result.without);
  return code ? code : written;
}

// What was measured until the signal is kept; without an epoch there is nothing that could replace
// earlier results.
static enum qsm_exit report_interrupted(struct run *run) {
  const struct qsm_outcome *last = run->result.interrupted;
  char what[sizeof run->dir + 64] = "no epoch is complete, nothing was written";
  if (qsm_result_has_figures(&run->result)) {
    report(run);
    snprintf(what, sizeof what, "what there is until then is in %s/result.json", run->dir);
  }
  snprintf(run->msg, sizeof run->msg,
           "interrupted: %s, %" PRIu64 " of %" PRIu64 " cycles measured; %s",
           run->interrupted_title, last->cycles, last->planned_cycles, what);
  return complain(QSM_EXIT_INTERRUPTED, run->msg);
}

static void clear(struct run *run) {
  for (uint32_t i = 0; i < QSM_SCENARIO_MAX_KERNELS; i++)
    qsm_outcome_clear(&run->result.isolated[i]);
  qsm_outcome_clear(&run->result.shared);
  qsm_outcome_clear(&run->result.without);
  qsm_outcome_clear(&run->pass);
}

enum qsm_exit qsm_run(const struct qsm_run_options *options) {
  struct run *run = calloc(1, sizeof *run);
  if (!run) return complain(QSM_EXIT_ENVIRONMENT, "out of memory");
  run->options = options;
  enum qsm_exit code = QSM_EXIT_OK;
  const struct qsm_yaml_source source = {.path = options->scenario};
  if (qsm_scenario_load(&source, &run->scenario, run->msg, sizeof run->msg)) {
    code = complain(QSM_EXIT_BAD_INPUT, run->msg);
    goto done;
  }
  if (options->config)
    snprintf(run->scenario.config, sizeof run->scenario.config, "%s", options->config);
  if (options->cycles) run->scenario.cycles = options->cycles;
  if (options->has_seed) run->scenario.seed = options->seed;
  run->result.scenario = &run->scenario;
  run->result.backend = backend_of(run);
  if (prepare_folder(run)) {
    code = complain(QSM_EXIT_ENVIRONMENT, run->msg);
    goto done;
  }
  describe_replay(run);
  if (!options->quiet) announce(run);
  qsm_interrupt_watch();
  code = open_trace(run);
  if (!code) code = measure_all(run);
  qsm_interrupt_release();
  enum qsm_exit traced = close_trace(run);
  if (code == QSM_EXIT_INTERRUPTED)
    code = report_interrupted(run);
  else if (!code)
    code = report(run);
  if (!code) code = traced;
  if (!code && options->inject_block) {
    snprintf(run->msg, sizeof run->msg, "the flipped bit in %s was not found",
             options->inject_block);
    code = complain(QSM_EXIT_UNSEEN, run->msg);
  }
done:
  clear(run);
  free(run);
  return code;
}
