// SPDX-License-Identifier: Apache-2.0
#include "qsm_sweep.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_folder.h"
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

static enum qsm_exit name_database(struct sweep *sweep) {
  const char *db = sweep->options->db;
  bool fits =
      db ? snprintf(sweep->db_path, sizeof sweep->db_path, "%s", db) < (int)sizeof sweep->db_path
         : qsm_folder_default(sweep->options->file, ".db", sweep->db_path, sizeof sweep->db_path) ==
               0;
  if (fits && (db || qsm_folder_make(QSM_FOLDER_RESULTS) == 0)) return QSM_EXIT_OK;
  if (fits)
    snprintf(sweep->msg, sizeof sweep->msg, "folder %s: %s", QSM_FOLDER_RESULTS, strerror(errno));
  else
    snprintf(sweep->msg, sizeof sweep->msg, "database: path too long");
  return complain(QSM_EXIT_ENVIRONMENT, sweep->msg);
}

// A database by default is of one sweep file; one that the user names takes several.
static enum qsm_exit claim_database(struct sweep *sweep) {
  char own[PATH_MAX], other[PATH_MAX];
  if (qsm_store_sweep_file(sweep->store, other, sizeof other))
    return complain(QSM_EXIT_ENVIRONMENT, qsm_store_error(sweep->store));
  if (!realpath(sweep->options->file, own)) snprintf(own, sizeof own, "%s", sweep->options->file);
  if (!other[0] && qsm_store_set_sweep_file(sweep->store, own))
    return complain(QSM_EXIT_ENVIRONMENT, qsm_store_error(sweep->store));
  if (sweep->options->db || !other[0] || strcmp(own, other) == 0) return QSM_EXIT_OK;
  snprintf(sweep->msg, sizeof sweep->msg,
           "%s has results of %.300s, not of %.300s: --db FILE names another database, or this one",
           sweep->db_path, other, own);
  return complain(QSM_EXIT_ENVIRONMENT, sweep->msg);
}

static enum qsm_exit open_database(struct sweep *sweep) {
  enum qsm_exit code = name_database(sweep);
  if (code) return code;
  sweep->store = qsm_store_open(sweep->db_path, QSM_STORE_WRITE, sweep->msg, sizeof sweep->msg);
  if (!sweep->store) return complain(QSM_EXIT_ENVIRONMENT, sweep->msg);
  code = claim_database(sweep);
  if (!code && qsm_sweep_jobs_enter(&sweep->jobs, sweep->store, sweep->options->retry))
    code = complain(QSM_EXIT_ENVIRONMENT, qsm_store_error(sweep->store));
  return code;
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
