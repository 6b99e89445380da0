// SPDX-License-Identifier: Apache-2.0
#include "qsm_sweep_runner.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qsm_pool.h"
#include "qsm_progress.h"
#include "qsm_yaml.h"

struct run {
  struct qsm_sweep_runner *sweep;
  struct qsm_pool *pool;
  size_t next;   // job to look at
  double start;  // seconds
  bool on_terminal;
  unsigned tenths;  // told so far, where there is no terminal
  char msg[1800];
};

// A line on stderr, in place of the progress bar where there is one.
__attribute__((format(printf, 2, 3))) static void say(const struct run *run, const char *format,
                                                      ...) {
  va_list args;
  if (run->on_terminal) fputs("\r\033[K", stderr);
  fputs("qsm: ", stderr);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}

static enum qsm_exit complain(const struct run *run, enum qsm_exit code, const char *text) {
  say(run, "%s", text);
  return code;
}

// ---- Progress ----

static void describe_progress(const struct run *run, char *text, size_t len) {
  size_t n_now = run->sweep->n_done - run->sweep->n_before;
  int at = snprintf(text, len, "%zu of %zu runs, %zu failed", run->sweep->n_done, run->sweep->n,
                    run->sweep->n_failed);
  if (n_now == 0 || run->sweep->n_done == run->sweep->n) return;
  double left_s = (qsm_progress_now() - run->start) / (double)n_now *
                  (double)(run->sweep->n - run->sweep->n_done);
  uint64_t seconds = (uint64_t)(left_s + 0.5);
  snprintf(text + at, len - (size_t)at, ", %" PRIu64 ":%02" PRIu64 ":%02" PRIu64 " left",
           seconds / 3600, seconds / 60 % 60, seconds % 60);
}

// A bar on a terminal, elsewhere a line every tenth of the way.
static void show_progress(struct run *run) {
  char text[128], bar[QSM_PROGRESS_WIDTH + 1];
  unsigned percent = run->sweep->n ? (unsigned)(100 * run->sweep->n_done / run->sweep->n) : 100;
  if (run->sweep->quiet) return;
  describe_progress(run, text, sizeof text);
  qsm_progress_bar(run->sweep->n_done, run->sweep->n, bar);
  if (run->on_terminal)
    fprintf(stderr, "\r  [%s] %3u %%  %s\033[K", bar, percent, text);
  else if (percent / 10 > run->tenths)
    fprintf(stderr, "  %3u %%  %s\n", percent, text);
  run->tenths = percent / 10;
}

// ---- Runs ----

static bool load_scenario(struct run *run, const struct qsm_sweep_job *job,
                          struct qsm_scenario *scenario) {
  const struct qsm_yaml_source source = {.path = run->sweep->file, .text = job->scenario};
  return qsm_scenario_load(&source, scenario, run->msg, sizeof run->msg) == 0;
}

// Keeps how a run ended; `error` NULL if it is right.
static enum qsm_exit keep(struct run *run, struct qsm_sweep_job *job,
                          struct qsm_store_result *result) {
  struct qsm_scenario scenario;
  if (!load_scenario(run, job, &scenario)) return complain(run, QSM_EXIT_BAD_INPUT, run->msg);
  result->id = job->id;
  result->scenario = &scenario;
  for (uint32_t i = 0; i < job->n_alone; i++) result->alone[i] = job->alone[i]->id;
  if (qsm_store_finish(run->sweep->store, result))
    return complain(run, QSM_EXIT_ENVIRONMENT, qsm_store_error(run->sweep->store));
  job->status = result->error ? QSM_STORE_FAILED : QSM_STORE_OK;
  run->sweep->n_done++;
  if (!result->error) return QSM_EXIT_OK;
  char title[640];
  run->sweep->n_failed++;
  qsm_sweep_job_title(job, &scenario, title, sizeof title);
  say(run, "%s: %s", title, result->error);
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

// The scheduler ends the processes of a job in any order, and so does a machine out of memory.
static enum qsm_exit pass_over(struct run *run, struct qsm_sweep_job *job,
                               const struct qsm_pool_end *end) {
  struct qsm_scenario scenario;
  char title[640];
  free(end->result);
  if (!load_scenario(run, job, &scenario)) return complain(run, QSM_EXIT_BAD_INPUT, run->msg);
  qsm_sweep_job_title(job, &scenario, title, sizeof title);
  say(run, "%s: its worker was ended by signal %d (%s): not recorded", title, end->signal,
      strsignal(end->signal));
  job->skipped = true;
  run->sweep->n_unjudged++;
  return QSM_EXIT_OK;
}

static enum qsm_exit take_end(struct run *run, const struct qsm_pool_end *end) {
  char error[900];
  struct qsm_sweep_job *job = &run->sweep->jobs->list[end->tag];
  if (run->sweep->in_task && (end->signal == SIGKILL || end->signal == SIGTERM))
    return pass_over(run, job, end);
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
  enum qsm_exit code = keep(run, job, &result);
  qsm_outcome_clear(&measured.outcome);
  free(end->result);
  return code;
}

static enum qsm_exit start(struct run *run, struct qsm_sweep_job *job) {
  struct qsm_sweep_task task = {
      .path = run->sweep->file, .scenario = job->scenario, .alone = !job->run};
  for (uint32_t i = 0; i < job->n_alone; i++) {
    task.alone_instructions[i] = job->alone[i]->alone_instructions;
    task.alone_cycles = job->alone[i]->alone_cycles;
  }
  if (qsm_pool_start(run->pool, (size_t)(job - run->sweep->jobs->list), qsm_sweep_measure, &task) ==
      0)
    return QSM_EXIT_OK;
  snprintf(run->msg, sizeof run->msg, "cannot start a worker: %s", strerror(errno));
  return complain(run, QSM_EXIT_ENVIRONMENT, run->msg);
}

static const struct qsm_sweep_job *reference_in(const struct qsm_sweep_job *job,
                                                enum qsm_store_status status) {
  for (uint32_t i = 0; i < job->n_alone; i++)
    if (job->alone[i]->status == status) return job->alone[i];
  return NULL;
}

static enum qsm_exit give_up(struct run *run, struct qsm_sweep_job *job,
                             const struct qsm_sweep_job *reference) {
  char error[96];
  snprintf(error, sizeof error, "no reference: run %" PRId64 ", its kernel alone, failed",
           reference->id);
  struct qsm_store_result result = {.exit_code = QSM_EXIT_WRONG, .error = error};
  return keep(run, job, &result);
}

// Starts what can start now. References come first; a run waits for its own.
static enum qsm_exit start_some(struct run *run) {
  enum qsm_exit code = QSM_EXIT_OK;
  for (; !code && !run->sweep->closed && run->next < run->sweep->jobs->n &&
         qsm_pool_n_free(run->pool);
       run->next++) {
    struct qsm_sweep_job *job = &run->sweep->jobs->list[run->next];
    if (job->skipped || job->status != QSM_STORE_WAITING) continue;
    const struct qsm_sweep_job *failed = reference_in(job, QSM_STORE_FAILED);
    if (!failed && reference_in(job, QSM_STORE_WAITING)) break;
    code = failed ? give_up(run, job, failed) : start(run, job);
  }
  return code;
}

static bool is_over(const struct run *run) {
  return run->sweep->n_done + run->sweep->n_unjudged == run->sweep->n ||
         (run->sweep->closed && qsm_pool_n_busy(run->pool) == 0);
}

static enum qsm_exit run_all(struct run *run) {
  enum qsm_exit code = start_some(run);
  while (!code && !is_over(run)) {
    struct qsm_pool_end end;
    show_progress(run);
    switch (qsm_pool_wait(run->pool, &end)) {
      case QSM_POOL_ENDED: code = take_end(run, &end); break;
      case QSM_POOL_INTERRUPTED: code = QSM_EXIT_INTERRUPTED; break;
      case QSM_POOL_CLOSING: run->sweep->closed = true; break;
      case QSM_POOL_TICK: break;
    }
    if (!code) code = start_some(run);
  }
  show_progress(run);
  if (run->on_terminal) fputc('\n', stderr);
  bool left = run->sweep->n_done + run->sweep->n_unjudged < run->sweep->n;
  return code ? code : left ? QSM_EXIT_INTERRUPTED : QSM_EXIT_OK;
}

void qsm_sweep_runner_count(struct qsm_sweep_runner *runner) {
  runner->n = runner->n_done = runner->n_failed = 0;
  for (size_t i = 0; i < runner->jobs->n; i++) {
    const struct qsm_sweep_job *job = &runner->jobs->list[i];
    if (job->skipped) continue;
    runner->n++;
    runner->n_done += job->status != QSM_STORE_WAITING;
    runner->n_failed += job->status == QSM_STORE_FAILED;
  }
  runner->n_before = runner->n_done;
}

enum qsm_exit qsm_sweep_runner_run(struct qsm_sweep_runner *runner) {
  struct run run = {.sweep = runner,
                    .on_terminal = !runner->quiet && isatty(STDERR_FILENO),
                    .start = qsm_progress_now()};
  run.tenths = runner->n ? (unsigned)(10 * runner->n_done / runner->n) : 0;
  run.pool = qsm_pool_create(runner->n_workers ? runner->n_workers : qsm_pool_n_cores());
  if (!run.pool) return complain(&run, QSM_EXIT_ENVIRONMENT, "out of memory");
  enum qsm_exit code = run_all(&run);
  qsm_pool_destroy(run.pool);
  return code;
}

enum qsm_exit qsm_sweep_runner_give_up(struct qsm_sweep_runner *runner) {
  struct run run = {.sweep = runner};
  enum qsm_exit code = QSM_EXIT_OK;
  for (size_t i = 0; !code && i < runner->jobs->n; i++) {
    struct qsm_sweep_job *job = &runner->jobs->list[i];
    const struct qsm_sweep_job *failed = reference_in(job, QSM_STORE_FAILED);
    if (failed && !job->skipped && job->status == QSM_STORE_WAITING)
      code = give_up(&run, job, failed);
  }
  return code;
}
