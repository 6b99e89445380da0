// SPDX-License-Identifier: Apache-2.0
// FedCM's throughput and end-to-end time on this machine (docs/collocated.md): applications side by
// side under each scheme. Writes a table in Markdown.
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_collocated.h"
#include "qsm_options.h"
#include "qsm_tables.h"

enum { EXIT_BAD_INPUT = 2, MOST_WORKLOADS = 64 };

struct bench {
  const char *config, *kernels, *db, *workload[MOST_WORKLOADS];
  uint32_t n_workloads;
  uint64_t decision_cycles;
  enum qsm_app_size size;
  struct qsm_tables tables;
};

// "fsm+fft": the applications and their profiles.
static int set_apps(struct bench *bench, const char *workload,
                    struct qsm_collocated_setting *setting) {
  char text[256], *rest = NULL;
  snprintf(text, sizeof text, "%s", workload);
  for (char *name = strtok_r(text, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) {
    if (setting->n_apps == QSM_COLLOCATED_MOST)
      return qsm_tables_fail(&bench->tables, workload, "too many applications");
    struct qsm_collocated_app *app = &setting->app[setting->n_apps];
    struct qsm_profile_key key;
    char msg[512];
    app->app = qsm_app_by_name(name);
    if (!app->app) return qsm_tables_fail(&bench->tables, name, "no such application");
    if (qsm_profile_key(bench->config, app->app, bench->size, &key, msg, sizeof msg) ||
        !(app->profile = qsm_profile_load(bench->db, &key, msg, sizeof msg)))
      return qsm_tables_fail(&bench->tables, workload, msg);
    setting->n_apps++;
  }
  return 0;
}

static int measure_alone(struct bench *bench, const struct qsm_collocated_setting *setting,
                         uint64_t *alone) {
  char msg[512];
  for (uint32_t i = 0; i < setting->n_apps; i++) {
    struct qsm_collocated_setting one = *setting;
    struct qsm_collocated_outcome outcome;
    one.app[0] = setting->app[i];
    one.n_apps = 1;
    one.options.scheme = QSM_COLLOCATION_CONCURRENT;
    one.decision_cycles = 0;
    if (qsm_collocated_run(&one, &outcome, msg, sizeof msg))
      return qsm_tables_fail(&bench->tables, "alone", msg);
    alone[i] = outcome.n_cycles;
  }
  return 0;
}

// Serial is one by definition: at each time one application has its full speed.
static int measure(struct bench *bench, const char *workload,
                   struct qsm_collocated_setting *setting, FILE *table) {
  uint64_t alone[QSM_COLLOCATED_MOST], serial = 0;
  char msg[512];
  if (set_apps(bench, workload, setting) || measure_alone(bench, setting, alone)) return -1;
  for (uint32_t s = 0; s < QSM_COLLOCATION_SCHEMES; s++) {
    struct qsm_collocated_outcome outcome;
    double throughput = 0;
    setting->options.scheme = (enum qsm_collocation_scheme)s;
    if (qsm_collocated_run(setting, &outcome, msg, sizeof msg))
      return qsm_tables_fail(&bench->tables, workload, msg);
    if (s == QSM_COLLOCATION_SERIAL) serial = outcome.n_cycles;
    for (uint32_t i = 0; i < setting->n_apps; i++)
      throughput +=
          (double)alone[i] / (double)(s == QSM_COLLOCATION_SERIAL ? serial : outcome.app[i].end);
    fprintf(table, "| %s | %" PRIu32 " | %s | %.3f | %" PRIu64 " | %.3f |\n", workload,
            setting->n_apps, qsm_collocation_scheme_names[s], throughput, outcome.n_cycles,
            (double)serial / (double)outcome.n_cycles);
  }
  return 0;
}

static int measure_all(struct bench *bench) {
  FILE *table = qsm_tables_open(&bench->tables, "throughput");
  int failed = 0;
  if (!table) return -1;
  fputs(
      "| workload | N | scheme | throughput | cycles | speed over serial |\n"
      "| --- | ---: | --- | ---: | ---: | ---: |\n",
      table);
  for (uint32_t i = 0; !failed && i < bench->n_workloads; i++) {
    struct qsm_collocated_setting setting = {.config = bench->config,
                                             .kernel_folder = bench->kernels,
                                             .size = bench->size,
                                             .n_passes = 1,
                                             .options = qsm_collocation_defaults,
                                             .seed = 1,
                                             .decision_cycles = (uint32_t)bench->decision_cycles,
                                             .poll_cycles = 32};
    failed = measure(bench, bench->workload[i], &setting, table);
    for (uint32_t k = 0; k < setting.n_apps; k++)
      qsm_profile_free((struct qsm_profile *)setting.app[k].profile);
  }
  return qsm_tables_close(&bench->tables, table, failed);
}

static const struct argp_option option_table[] = {
    {"config", 'c', "NAME", 0, "configuration (default rdna2)", 0},
    {"size", 'z', "T|S|M", 0, "of the applications (default S)", 0},
    {"workload", 'w', "APP+APP..", 0, "applications side by side; may be given again", 0},
    {"decision", 'd', "N", 0, "cycles of the host for a decision (default 0)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct bench *bench = state->input;
  const char **places[] = {&bench->kernels, &bench->db, &bench->tables.folder};
  switch (key) {
    case 'c': bench->config = arg; break;
    case 'd':
      bench->decision_cycles = qsm_option_number(state, "decision", arg, 0, 100000000);
      break;
    case 'z':
      if (!qsm_app_size_by_name(arg, &bench->size))
        argp_error(state, "--size %s: must be T, S or M", arg);
      break;
    case 'w':
      if (bench->n_workloads == MOST_WORKLOADS) argp_error(state, "--workload %s: too many", arg);
      bench->workload[bench->n_workloads++] = arg;
      break;
    case ARGP_KEY_ARG:
      if (state->arg_num >= 3) argp_error(state, "too many arguments: '%s'", arg);
      *places[state->arg_num] = arg;
      break;
    case ARGP_KEY_END:
      if (!bench->tables.folder) argp_error(state, "which KERNELS, PROFILES and FOLDER?");
      if (!bench->n_workloads) argp_error(state, "which --workload?");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

int main(int argc, char **argv) {
  static struct bench bench = {.config = "rdna2", .size = QSM_APP_S};
  const struct argp argp = {option_table,
                            parse,
                            "KERNELS PROFILES FOLDER",
                            "Measures applications side by side; PROFILES is of qsm profile.",
                            0,
                            0,
                            0};
  argp_err_exit_status = EXIT_BAD_INPUT;
  argp_parse(&argp, argc, argv, 0, NULL, &bench);
  int failed = measure_all(&bench);
  if (failed) fprintf(stderr, "fedcm: %s\n", bench.tables.msg);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
