// SPDX-License-Identifier: Apache-2.0
// libFuzzer's target: scenario files, and sweep files.
#include <stdlib.h>
#include <string.h>

#include "input_file.h"
#include "qsm_scenario.h"
#include "qsm_sweep_plan.h"
#include "qsm_yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static void load_scenario(const char *path) {
  struct qsm_scenario scenario;
  char msg[512] = "";
  if (qsm_scenario_load(&(struct qsm_yaml_source){.path = path}, &scenario, msg, sizeof msg) &&
      !msg[0])
    abort();
}

static void load_sweep(const char *path) {
  struct qsm_sweep_plan *plan = NULL;
  char msg[512] = "", title[64];
  int status = qsm_sweep_plan_load(path, &plan, msg, sizeof msg);
  if (status && !msg[0]) abort();
  for (uint32_t i = 0; !status && i < plan->n_runs; i++)
    qsm_sweep_run_title(&plan->runs[i], title, sizeof title);
  qsm_sweep_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
  const char *path = write_input_file(bytes, n_bytes);
  if (!path) return 0;
  load_scenario(path);
  load_sweep(path);
  remove_input_file();
  return 0;
}
