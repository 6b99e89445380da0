// SPDX-License-Identifier: Apache-2.0
#include "qsm_memcheck.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "qsm_config_yaml.h"
#include "qsm_memcheck_check.h"
#include "qsm_passes.h"
#include "qsm_result.h"
#include "qsm_scenario.h"
#include "qsm_session.h"
#include "qsm_source_lines.h"
#include "qsm_yaml.h"

struct memcheck {
  const struct qsm_memcheck_options *options;
  struct qsm_scenario scenario;
  struct qsm_config config;
  char msg[1024];
};

static enum qsm_exit complain(enum qsm_exit code, const char *text) {
  fprintf(stderr, "qsm: %s\n", text);
  return code;
}

static enum qsm_exit code_of(enum qsm_session_status status) {
  return status == QSM_SESSION_ENVIRONMENT ? QSM_EXIT_ENVIRONMENT : QSM_EXIT_BAD_INPUT;
}

static void report_fault(const qsmLaunchResult *fault, const struct qsm_source_lines *lines,
                         uint32_t at) {
  char place[1200];
  if (!fault->killed) return;
  qsm_source_lines_describe(lines, fault->pc - at, place, sizeof place);
  fprintf(stderr, "qsm: PC 0x%08" PRIX32 " is in %s\n", fault->pc, place);
}

// What was found in a kernel, and what else went wrong with it.
static enum qsm_exit report(struct memcheck *memcheck, uint32_t index,
                            const struct qsm_mc_check *check, const struct qsm_outcome *outcome) {
  const struct qsm_scenario_kernel *kernel = &memcheck->scenario.kernels[index];
  struct qsm_mc_findings *findings = qsm_mc_check_findings(check);
  struct qsm_source_lines *lines = NULL;
  char path[1024];
  qsm_passes_path(kernel, false, path, sizeof path);
  if (qsm_source_lines_open(path, &lines, memcheck->msg, sizeof memcheck->msg))
    return complain(QSM_EXIT_ENVIRONMENT, memcheck->msg);
  qsm_mc_findings_drop_copies(findings, lines);
  size_t n = qsm_mc_findings_count(findings);
  bool complaint = qsm_result_complaint(&memcheck->scenario, outcome, index, memcheck->msg,
                                        sizeof memcheck->msg);
  enum qsm_exit code = n ? QSM_EXIT_WRONG : QSM_EXIT_OK;
  if (n)
    printf("%s: %zu finding%s\n", kernel->name, n, n == 1 ? "" : "s");
  else if (!complaint)
    printf("%s: no findings\n", kernel->name);
  qsm_mc_findings_print(findings, lines, qsm_mc_check_program_at(check), stdout);
  fflush(stdout);
  if (complaint) {
    code = complain(QSM_EXIT_WRONG, memcheck->msg);
    report_fault(&outcome->kernels[index].fault, lines, qsm_mc_check_program_at(check));
  }
  qsm_source_lines_close(lines);
  if (qsm_mc_check_failed(check))
    return complain(QSM_EXIT_ENVIRONMENT, "out of memory: not everything was checked");
  return code;
}

static enum qsm_exit check_kernel(struct memcheck *memcheck, uint32_t index) {
  struct qsm_mc_check *check = qsm_mc_check_create(&memcheck->config, memcheck->options->exited);
  if (!check) return complain(QSM_EXIT_ENVIRONMENT, "out of memory");
  struct qsm_session_plan plan = {.title = memcheck->scenario.kernels[index].name,
                                  .backend = "model",
                                  .kernel_mask = 1u << index,
                                  .one_pass = true,
                                  .show_progress = !memcheck->options->quiet,
                                  .observer = qsm_mc_check_observer(check)};
  plan.options.sink = qsm_mc_check_event;
  plan.options.sink_ctx = check;
  plan.options.access_sink = qsm_mc_check_access;
  plan.options.access_sink_ctx = check;
  struct qsm_outcome outcome;
  enum qsm_session_status status =
      qsm_session_run(&memcheck->scenario, &plan, &outcome, memcheck->msg, sizeof memcheck->msg);
  enum qsm_exit code =
      status ? complain(code_of(status), memcheck->msg) : report(memcheck, index, check, &outcome);
  qsm_outcome_clear(&outcome);
  qsm_mc_check_destroy(check);
  return code;
}

static enum qsm_exit load(struct memcheck *memcheck) {
  const struct qsm_memcheck_options *options = memcheck->options;
  struct qsm_scenario *scenario = &memcheck->scenario;
  const struct qsm_yaml_source source = {.path = options->scenario};
  if (qsm_scenario_load(&source, scenario, memcheck->msg, sizeof memcheck->msg))
    return complain(QSM_EXIT_BAD_INPUT, memcheck->msg);
  if (options->config) snprintf(scenario->config, sizeof scenario->config, "%s", options->config);
  if (options->has_seed) scenario->seed = options->seed;
  scenario->cycles = options->cycles;
  for (uint32_t i = 0; i < scenario->n_kernels; i++) scenario->kernels[i].passes = 1;
  if (qsm_config_load(scenario->config, &memcheck->config, memcheck->msg, sizeof memcheck->msg))
    return complain(QSM_EXIT_BAD_INPUT, memcheck->msg);
  return QSM_EXIT_OK;
}

// A kernel with findings does not keep the next from being checked; input or environment that is
// wrong does.
enum qsm_exit qsm_memcheck(const struct qsm_memcheck_options *options) {
  struct memcheck *memcheck = calloc(1, sizeof *memcheck);
  if (!memcheck) return complain(QSM_EXIT_ENVIRONMENT, "out of memory");
  memcheck->options = options;
  enum qsm_exit worst = load(memcheck);
  for (uint32_t i = 0; i < memcheck->scenario.n_kernels && worst <= QSM_EXIT_WRONG; i++) {
    enum qsm_exit code = check_kernel(memcheck, i);
    if (code > worst) worst = code;
  }
  free(memcheck);
  return worst;
}
