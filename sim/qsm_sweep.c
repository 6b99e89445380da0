// SPDX-License-Identifier: Apache-2.0
#include "qsm_sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_sweep_database.h"
#include "qsm_sweep_jobs.h"
#include "qsm_sweep_runner.h"

struct sweep {
  const struct qsm_sweep_options *options;
  char db_path[1024];
  struct qsm_sweep_plan *plan;
  struct qsm_sweep_jobs jobs;
  struct qsm_store *store;
  struct qsm_sweep_runner runner;
  char msg[1800];
};

static enum qsm_exit complain(enum qsm_exit code, const char *text) {
  fprintf(stderr, "qsm: %s\n", text);
  return code;
}

// ---- The sweep ----

static enum qsm_exit open_database(struct sweep *sweep) {
  const struct qsm_sweep_options *options = sweep->options;
  if (qsm_sweep_database_name(options->file, options->db, sweep->db_path, sizeof sweep->db_path,
                              sweep->msg, sizeof sweep->msg) ||
      qsm_sweep_database_open(options->file, options->db, QSM_STORE_WRITE, &sweep->store,
                              sweep->msg, sizeof sweep->msg))
    return complain(QSM_EXIT_ENVIRONMENT, sweep->msg);
  if (qsm_sweep_jobs_enter(&sweep->jobs, sweep->store, options->retry))
    return complain(QSM_EXIT_ENVIRONMENT, qsm_store_error(sweep->store));
  return QSM_EXIT_OK;
}

static enum qsm_exit list_runs(const struct sweep *sweep) {
  for (size_t i = sweep->jobs.n_references; i < sweep->jobs.n; i++) {
    char title[640];
    qsm_sweep_run_title(sweep->jobs.list[i].run, title, sizeof title);
    puts(title);
  }
  printf("%zu runs, and %zu of a kernel alone\n", sweep->jobs.n - sweep->jobs.n_references,
         sweep->jobs.n_references);
  return QSM_EXIT_OK;
}

static void tell_what_is_done(const struct sweep *sweep) {
  const struct qsm_sweep_runner *runner = &sweep->runner;
  if (!sweep->options->quiet)
    printf("%s: %zu runs, %zu of them done before%s; database %s\n", sweep->options->file,
           runner->n, runner->n_before, runner->n_failed ? " (failed ones again with --retry)" : "",
           sweep->db_path);
  fflush(stdout);
}

static enum qsm_exit sum_up(const struct sweep *sweep, enum qsm_exit code) {
  const struct qsm_sweep_runner *runner = &sweep->runner;
  if (code) {
    fprintf(stderr,
            "qsm: %s: %zu of %zu runs done, %zu remain; the same command goes on from there\n",
            code == QSM_EXIT_INTERRUPTED ? "interrupted" : "stopped", runner->n_done, runner->n,
            runner->n - runner->n_done);
    return code;
  }
  if (!sweep->options->quiet)
    printf("%zu runs, %zu failed; tables: qsm report %s\n", runner->n, runner->n_failed,
           sweep->db_path);
  return runner->n_failed ? QSM_EXIT_WRONG : QSM_EXIT_OK;
}

static enum qsm_exit carry_out(struct sweep *sweep) {
  enum qsm_exit code = open_database(sweep);
  if (code) return code;
  sweep->runner = (struct qsm_sweep_runner){.file = sweep->options->file,
                                            .jobs = &sweep->jobs,
                                            .store = sweep->store,
                                            .n_workers = sweep->options->n_jobs,
                                            .quiet = sweep->options->quiet};
  qsm_sweep_runner_count(&sweep->runner);
  tell_what_is_done(sweep);
  return sum_up(sweep, qsm_sweep_runner_run(&sweep->runner));
}

enum qsm_exit qsm_sweep(const struct qsm_sweep_options *options) {
  struct sweep sweep = {.options = options};
  if (qsm_sweep_plan_load(options->file, &sweep.plan, sweep.msg, sizeof sweep.msg) ||
      qsm_sweep_jobs_create(options->file, sweep.plan, &sweep.jobs, sweep.msg, sizeof sweep.msg)) {
    qsm_sweep_plan_free(sweep.plan);
    return complain(QSM_EXIT_BAD_INPUT, sweep.msg);
  }
  enum qsm_exit code = options->dry_run ? list_runs(&sweep) : carry_out(&sweep);
  qsm_store_close(sweep.store);
  qsm_sweep_jobs_clear(&sweep.jobs);
  qsm_sweep_plan_free(sweep.plan);
  return code;
}
