// SPDX-License-Identifier: Apache-2.0
#include "qsm_sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qsm_folder.h"
#include "qsm_pool.h"
#include "qsm_progress.h"
#include "qsm_sweep_jobs.h"
#include "qsm_yaml.h"

struct sweep {
  const struct qsm_sweep_options *options;
  char db_path[1024];
  struct qsm_sweep_plan *plan;
  struct qsm_sweep_jobs jobs;
  struct qsm_store *store;
  struct qsm_pool *pool;
  size_t next;                        // job to look at
  size_t n_done, n_failed, n_before;  // ended, of these failed; ended before this sweep began
  double start;                       // seconds
  bool on_terminal;
  unsigned tenths;  // told so far, where there is no terminal
  char msg[1800];
};

// A line on stderr, in place of the progress bar where there is one.
__attribute__((format(printf, 2, 3))) static void say(const struct sweep *sweep, const char *format,
                                                      ...) {
  va_list args;
  if (sweep->on_terminal) fputs("\r\033[K", stderr);
  fputs("qsm: ", stderr);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}

static enum qsm_exit complain(const struct sweep *sweep, enum qsm_exit code, const char *text) {
  say(sweep, "%s", text);
  return code;
}

// ---- Progress ----

static void describe_progress(const struct sweep *sweep, char *text, size_t len) {
  size_t n_now = sweep->n_done - sweep->n_before;
  int at = snprintf(text, len, "%zu of %zu runs, %zu failed", sweep->n_done, sweep->jobs.n,
                    sweep->n_failed);
  if (n_now == 0 || sweep->n_done == sweep->jobs.n) return;
  double left_s =
      (qsm_progress_now() - sweep->start) / (double)n_now * (double)(sweep->jobs.n - sweep->n_done);
  uint64_t seconds = (uint64_t)(left_s + 0.5);
  snprintf(text + at, len - (size_t)at, ", %" PRIu64 ":%02" PRIu64 ":%02" PRIu64 " left",
           seconds / 3600, seconds / 60 % 60, seconds % 60);
}

// A bar on a terminal, elsewhere a line every tenth of the way.
static void show_progress(struct sweep *sweep) {
  char text[128], bar[QSM_PROGRESS_WIDTH + 1];
  unsigned percent = sweep->jobs.n ? (unsigned)(100 * sweep->n_done / sweep->jobs.n) : 100;
  if (sweep->options->quiet) return;
  describe_progress(sweep, text, sizeof text);
  qsm_progress_bar(sweep->n_done, sweep->jobs.n, bar);
  if (sweep->on_terminal)
    fprintf(stderr, "\r  [%s] %3u %%  %s\033[K", bar, percent, text);
  else if (percent / 10 > sweep->tenths)
    fprintf(stderr, "  %3u %%  %s\n", percent, text);
  sweep->tenths = percent / 10;
}

// ---- Runs ----

static bool load_scenario(struct sweep *sweep, const struct qsm_sweep_job *job,
                          struct qsm_scenario *scenario) {
  const struct qsm_yaml_source source = {.path = sweep->options->file, .text = job->scenario};
  return qsm_scenario_load(&source, scenario, sweep->msg, sizeof sweep->msg) == 0;
}

// Keeps how a run ended; `error` NULL if it is right.
static enum qsm_exit keep(struct sweep *sweep, struct qsm_sweep_job *job,
                          struct qsm_store_result *result) {
  struct qsm_scenario scenario;
  if (!load_scenario(sweep, job, &scenario)) return complain(sweep, QSM_EXIT_BAD_INPUT, sweep->msg);
  result->id = job->id;
  result->scenario = &scenario;
  for (uint32_t i = 0; i < job->n_alone; i++) result->alone[i] = job->alone[i]->id;
  if (qsm_store_finish(sweep->store, result))
    return complain(sweep, QSM_EXIT_ENVIRONMENT, qsm_store_error(sweep->store));
  job->status = result->error ? QSM_STORE_FAILED : QSM_STORE_OK;
  sweep->n_done++;
  if (!result->error) return QSM_EXIT_OK;
  char title[640];
  sweep->n_failed++;
  qsm_sweep_job_title(job, &scenario, title, sizeof title);
  say(sweep, "%s: %s", title, result->error);
  return QSM_EXIT_OK;
}

// What is wrong with a run whose worker ended like this; NULL: nothing.
static const char *judge(const struct qsm_pool_end *end, const struct qsm_sweep_measured *measured,
                         bool readable, char *text, size_t len) {
  if (end->signal)
    snprintf(text, len, "ended by signal %d (%s)%s%s", end->signal, strsignal(end->signal),
             end->last_words[0] ? ": " : "", end->last_words);
  else if (end->exit_code || !readable)
    snprintf(text, len, "%s",
             readable             ? measured->error
             : end->last_words[0] ? end->last_words
                                  : "the worker handed back nothing");
  else
    return NULL;
  return text;
}

static enum qsm_exit take_end(struct sweep *sweep, const struct qsm_pool_end *end) {
  char error[900];
  struct qsm_sweep_job *job = &sweep->jobs.list[end->tag];
  struct qsm_sweep_measured measured = {.complete = false};
  bool readable = !end->signal && qsm_sweep_read(end->result, end->result_bytes, &measured) == 0;
  struct qsm_store_result result = {.exit_code = end->exit_code,
                                    .signal = end->signal,
                                    .cpu_s = end->cpu_s,
                                    .measured = readable ? &measured : NULL};
  result.error = judge(end, &measured, readable, error, sizeof error);
  if (!job->run && !result.error) {
    job->alone_instructions = measured.outcome.kernels[0].thread_instructions;
    job->alone_cycles = measured.outcome.cycles;
  }
  enum qsm_exit code = keep(sweep, job, &result);
  qsm_outcome_clear(&measured.outcome);
  free(end->result);
  return code;
}

static enum qsm_exit start(struct sweep *sweep, struct qsm_sweep_job *job) {
  struct qsm_sweep_task task = {
      .path = sweep->options->file, .scenario = job->scenario, .alone = !job->run};
  for (uint32_t i = 0; i < job->n_alone; i++) {
    task.alone_instructions[i] = job->alone[i]->alone_instructions;
    task.alone_cycles = job->alone[i]->alone_cycles;
  }
  if (qsm_pool_start(sweep->pool, (size_t)(job - sweep->jobs.list), qsm_sweep_measure, &task) == 0)
    return QSM_EXIT_OK;
  snprintf(sweep->msg, sizeof sweep->msg, "cannot start a worker: %s", strerror(errno));
  return complain(sweep, QSM_EXIT_ENVIRONMENT, sweep->msg);
}

static const struct qsm_sweep_job *reference_in(const struct qsm_sweep_job *job,
                                                enum qsm_store_status status) {
  for (uint32_t i = 0; i < job->n_alone; i++)
    if (job->alone[i]->status == status) return job->alone[i];
  return NULL;
}

static enum qsm_exit give_up(struct sweep *sweep, struct qsm_sweep_job *job,
                             const struct qsm_sweep_job *reference) {
  char error[96];
  snprintf(error, sizeof error, "no reference: run %" PRId64 ", its kernel alone, failed",
           reference->id);
  struct qsm_store_result result = {.exit_code = QSM_EXIT_WRONG, .error = error};
  return keep(sweep, job, &result);
}

// Starts what can start now. References come first; a run waits for its own.
static enum qsm_exit start_some(struct sweep *sweep) {
  enum qsm_exit code = QSM_EXIT_OK;
  for (; !code && sweep->next < sweep->jobs.n && qsm_pool_n_free(sweep->pool); sweep->next++) {
    struct qsm_sweep_job *job = &sweep->jobs.list[sweep->next];
    if (job->status != QSM_STORE_WAITING) continue;
    const struct qsm_sweep_job *failed = reference_in(job, QSM_STORE_FAILED);
    if (!failed && reference_in(job, QSM_STORE_WAITING)) break;
    code = failed ? give_up(sweep, job, failed) : start(sweep, job);
  }
  return code;
}

static enum qsm_exit run_all(struct sweep *sweep) {
  enum qsm_exit code = start_some(sweep);
  while (!code && sweep->n_done < sweep->jobs.n) {
    struct qsm_pool_end end;
    show_progress(sweep);
    switch (qsm_pool_wait(sweep->pool, &end)) {
      case QSM_POOL_ENDED: code = take_end(sweep, &end); break;
      case QSM_POOL_INTERRUPTED: code = QSM_EXIT_INTERRUPTED; break;
      case QSM_POOL_TICK: break;
    }
    if (!code) code = start_some(sweep);
  }
  show_progress(sweep);
  if (sweep->on_terminal) fputc('\n', stderr);
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
  return complain(sweep, QSM_EXIT_ENVIRONMENT, sweep->msg);
}

// A database by default is of one sweep file; one that the user names takes several.
static enum qsm_exit claim_database(struct sweep *sweep) {
  char own[PATH_MAX], other[PATH_MAX];
  if (qsm_store_sweep_file(sweep->store, other, sizeof other))
    return complain(sweep, QSM_EXIT_ENVIRONMENT, qsm_store_error(sweep->store));
  if (!realpath(sweep->options->file, own)) snprintf(own, sizeof own, "%s", sweep->options->file);
  if (!other[0] && qsm_store_set_sweep_file(sweep->store, own))
    return complain(sweep, QSM_EXIT_ENVIRONMENT, qsm_store_error(sweep->store));
  if (sweep->options->db || !other[0] || strcmp(own, other) == 0) return QSM_EXIT_OK;
  snprintf(sweep->msg, sizeof sweep->msg,
           "%s has results of %.300s, not of %.300s: --db FILE names another database, or this one",
           sweep->db_path, other, own);
  return complain(sweep, QSM_EXIT_ENVIRONMENT, sweep->msg);
}

static enum qsm_exit open_database(struct sweep *sweep) {
  enum qsm_exit code = name_database(sweep);
  if (code) return code;
  sweep->store = qsm_store_open(sweep->db_path, QSM_STORE_WRITE, sweep->msg, sizeof sweep->msg);
  if (!sweep->store) return complain(sweep, QSM_EXIT_ENVIRONMENT, sweep->msg);
  code = claim_database(sweep);
  if (!code && qsm_sweep_jobs_enter(&sweep->jobs, sweep->store, sweep->options->retry))
    code = complain(sweep, QSM_EXIT_ENVIRONMENT, qsm_store_error(sweep->store));
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

static void count_what_is_done(struct sweep *sweep) {
  for (size_t i = 0; i < sweep->jobs.n; i++) {
    sweep->n_done += sweep->jobs.list[i].status != QSM_STORE_WAITING;
    sweep->n_failed += sweep->jobs.list[i].status == QSM_STORE_FAILED;
  }
  sweep->n_before = sweep->n_done;
  sweep->tenths = (unsigned)(10 * sweep->n_done / sweep->jobs.n);
  if (!sweep->options->quiet)
    printf("%s: %zu runs, %zu of them done before%s; database %s\n", sweep->options->file,
           sweep->jobs.n, sweep->n_before,
           sweep->n_failed ? " (failed ones again with --retry)" : "", sweep->db_path);
  fflush(stdout);
}

static enum qsm_exit sum_up(struct sweep *sweep, enum qsm_exit code) {
  size_t n_left = sweep->jobs.n - sweep->n_done;
  if (code) {
    say(sweep, "%s: %zu of %zu runs done, %zu remain; the same command goes on from there",
        code == QSM_EXIT_INTERRUPTED ? "interrupted" : "stopped", sweep->n_done, sweep->jobs.n,
        n_left);
    return code;
  }
  if (!sweep->options->quiet)
    printf("%zu runs, %zu failed; tables: qsm report %s\n", sweep->jobs.n, sweep->n_failed,
           sweep->db_path);
  return sweep->n_failed ? QSM_EXIT_WRONG : QSM_EXIT_OK;
}

static enum qsm_exit carry_out(struct sweep *sweep) {
  enum qsm_exit code = open_database(sweep);
  if (code) return code;
  count_what_is_done(sweep);
  sweep->on_terminal = !sweep->options->quiet && isatty(STDERR_FILENO);
  sweep->start = qsm_progress_now();
  sweep->pool =
      qsm_pool_create(sweep->options->n_jobs ? sweep->options->n_jobs : qsm_pool_n_cores());
  if (!sweep->pool) return complain(sweep, QSM_EXIT_ENVIRONMENT, "out of memory");
  code = run_all(sweep);
  qsm_pool_destroy(sweep->pool);
  return sum_up(sweep, code);
}

enum qsm_exit qsm_sweep(const struct qsm_sweep_options *options) {
  struct sweep sweep = {.options = options};
  if (qsm_sweep_plan_load(options->file, &sweep.plan, sweep.msg, sizeof sweep.msg) ||
      qsm_sweep_jobs_create(options->file, sweep.plan, &sweep.jobs, sweep.msg, sizeof sweep.msg)) {
    qsm_sweep_plan_free(sweep.plan);
    return complain(&sweep, QSM_EXIT_BAD_INPUT, sweep.msg);
  }
  enum qsm_exit code = options->dry_run ? list_runs(&sweep) : carry_out(&sweep);
  qsm_store_close(sweep.store);
  qsm_sweep_jobs_clear(&sweep.jobs);
  qsm_sweep_plan_free(sweep.plan);
  return code;
}
