// SPDX-License-Identifier: Apache-2.0
#include "qsm_slurm_task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "qsm_shard.h"
#include "qsm_sweep_runner.h"

struct attempt {
  struct qsm_slurm *slurm;
  unsigned round, number;
  enum qsm_slurm_part part;
  const char *job, *restart;  // of the scheduler
  size_t *jobs, n_jobs;       // of the task
  struct qsm_sweep_jobs picked;
  size_t *numbers;  // of the picked ones in the sweep
};

static enum qsm_exit complain(enum qsm_exit code, const char *text) {
  fprintf(stderr, "qsm: %s\n", text);
  return code;
}

// ---- Which task ----

static enum qsm_exit find_name(struct attempt *attempt) {
  const char *array_task = getenv("SLURM_ARRAY_TASK_ID"), *name = attempt->slurm->options->task;
  char *end, part[16] = "";
  attempt->job = getenv("SLURM_JOB_ID");
  attempt->restart = getenv("SLURM_RESTART_COUNT");
  if (!attempt->restart || !*attempt->restart) attempt->restart = "0";
  if (!array_task || !attempt->job)
    return complain(
        QSM_EXIT_BAD_INPUT,
        "--task: only in a job of Slurm (SLURM_ARRAY_TASK_ID and SLURM_JOB_ID are not set)");
  attempt->number = (unsigned)strtoul(array_task, &end, 10);
  if (!*end && sscanf(name, "%u-%15s", &attempt->round, part) == 2 &&
      qsm_slurm_find_part(part, &attempt->part) == 0 && attempt->part != QSM_SLURM_LAST)
    return QSM_EXIT_OK;
  snprintf(attempt->slurm->msg, sizeof attempt->slurm->msg,
           "--task %s, SLURM_ARRAY_TASK_ID %s: no task is called so", name, array_task);
  return complain(QSM_EXIT_BAD_INPUT, attempt->slurm->msg);
}

static enum qsm_exit read_jobs(struct attempt *attempt) {
  struct qsm_slurm *slurm = attempt->slurm;
  struct qsm_slurm_task task = {.n = 0};
  char path[PATH_MAX];
  qsm_slurm_path(slurm, path, "%u.tasks", attempt->round);
  FILE *file = fopen(path, "r");
  if (!file) {
    snprintf(slurm->msg, sizeof slurm->msg, "%s: %s", path, strerror(errno));
    return complain(QSM_EXIT_ENVIRONMENT, slurm->msg);
  }
  int status;
  while ((status = qsm_slurm_task_read(file, slurm->jobs.n, &task)) > 0 &&
         (task.part != attempt->part || task.number != attempt->number))
    continue;
  fclose(file);
  attempt->jobs = task.jobs;
  attempt->n_jobs = task.n;
  if (status > 0) return QSM_EXIT_OK;
  snprintf(slurm->msg, sizeof slurm->msg, "%s: %s %s %u", path,
           status ? "cannot be read; looked for" : "has no task",
           qsm_slurm_part_name(attempt->part), attempt->number);
  return complain(QSM_EXIT_ENVIRONMENT, slurm->msg);
}

// ---- What is known ----

// One that cannot be read is passed over: its runs are run here, and the merge complains.
static enum qsm_exit learn(struct attempt *attempt, const char *path) {
  struct qsm_slurm *slurm = attempt->slurm;
  switch (qsm_shard_learn(path, &slurm->jobs, slurm->msg, sizeof slurm->msg)) {
    case QSM_SHARD_FOREIGN: return complain(QSM_EXIT_BAD_INPUT, slurm->msg);
    case QSM_SHARD_BAD: complain(QSM_EXIT_OK, slurm->msg); break;
    default: break;
  }
  return QSM_EXIT_OK;
}

static enum qsm_exit learn_shards(struct attempt *attempt, const char *pattern) {
  struct qsm_slurm_shards shards;
  enum qsm_exit code = QSM_EXIT_OK;
  qsm_slurm_shards_find(attempt->slurm, pattern, &shards);
  for (size_t i = 0; !code && i < shards.n; i++) code = learn(attempt, shards.path[i]);
  qsm_slurm_shards_free(&shards);
  return code;
}

// References that the database had, those that tasks have measured, and what earlier attempts did.
static enum qsm_exit learn_all(struct attempt *attempt) {
  char path[PATH_MAX], pattern[64];
  enum qsm_exit code = QSM_EXIT_OK;
  qsm_slurm_path(attempt->slurm, path, "%u.known", attempt->round);
  if (attempt->part == QSM_SLURM_RUNS && access(path, F_OK) == 0) code = learn(attempt, path);
  if (!code && attempt->part == QSM_SLURM_RUNS) code = learn_shards(attempt, "*-references-*.db");
  snprintf(pattern, sizeof pattern, "%u-%s-%u.*.db", attempt->round,
           qsm_slurm_part_name(attempt->part), attempt->number);
  return code ? code : learn_shards(attempt, pattern);
}

// ---- Running ----

// References are another task's; a run that lacks one, or whose reference failed, is left.
static size_t skip_others(struct attempt *attempt) {
  size_t n_lacking = 0;
  for (size_t i = 0; attempt->part == QSM_SLURM_RUNS && i < attempt->picked.n; i++) {
    struct qsm_sweep_job *job = &attempt->picked.list[i];
    bool lacks = false;
    for (uint32_t k = 0; k < job->n_alone; k++) {
      lacks |= job->alone[k]->status != QSM_STORE_OK;
      job->skipped |= job->alone[k]->status != QSM_STORE_OK;
    }
    job->skipped |= !job->run;
    n_lacking += job->run && lacks;
  }
  return n_lacking;
}

static enum qsm_exit open_shard(struct attempt *attempt) {
  struct qsm_slurm *slurm = attempt->slurm;
  char path[PATH_MAX];
  qsm_slurm_path(slurm, path, "shards/%u-%s-%u.%s.%s.db", attempt->round,
                 qsm_slurm_part_name(attempt->part), attempt->number, attempt->job,
                 attempt->restart);
  if (access(path, F_OK) == 0)
    snprintf(slurm->msg, sizeof slurm->msg, "%s: there already, so another process writes it",
             path);
  else
    slurm->store =
        qsm_shard_create(path, &attempt->picked, attempt->numbers, slurm->msg, sizeof slurm->msg);
  return slurm->store ? QSM_EXIT_OK : complain(QSM_EXIT_ENVIRONMENT, slurm->msg);
}

// Becomes the scheduler's command, which then ends this job and puts the task into the queue.
static void requeue(void) {
  const char *array = getenv("SLURM_ARRAY_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID");
  char name[128];
  if (!array || !task) return;
  snprintf(name, sizeof name, "%s_%s", array, task);
  fprintf(stderr, "qsm: the time is nearly over: asks to be requeued\n");
  execlp("scontrol", "scontrol", "requeue", name, (char *)NULL);
  fprintf(stderr, "qsm: scontrol: %s\n", strerror(errno));
}

static double cpu_seconds(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static enum qsm_exit carry_out(struct attempt *attempt) {
  struct qsm_slurm *slurm = attempt->slurm;
  struct qsm_sweep_runner runner = {.file = slurm->options->sweep.file,
                                    .jobs = &attempt->picked,
                                    .n_workers = slurm->options->n_cpus,
                                    .quiet = slurm->options->sweep.quiet,
                                    .in_task = true};
  size_t n_lacking = skip_others(attempt);
  qsm_sweep_runner_count(&runner);
  enum qsm_exit code = runner.n_done < runner.n ? open_shard(attempt) : QSM_EXIT_OK;
  if (!code && slurm->store) {
    runner.store = slurm->store;
    code = qsm_sweep_runner_run(&runner);
  }
  printf("%s, task %u: %zu runs, %zu done before, %zu now, %zu failed, %zu left\n",
         slurm->options->task, attempt->number, attempt->n_jobs, runner.n_before,
         runner.n_done - runner.n_before, runner.n_failed, runner.n - runner.n_done + n_lacking);
  printf("%.2f s of CPU time, %.2f s of them in runs\n",
         cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN), cpu_seconds(RUSAGE_CHILDREN));
  fflush(stdout);
  if (n_lacking) fprintf(stderr, "qsm: %zu runs lack a reference, for the next round\n", n_lacking);
  qsm_store_close(slurm->store);
  slurm->store = NULL;
  if (code == QSM_EXIT_INTERRUPTED && runner.closed && runner.n_done > runner.n_before) requeue();
  if (code) return code;
  return runner.n_unjudged ? QSM_EXIT_ENVIRONMENT : n_lacking ? QSM_EXIT_WRONG : QSM_EXIT_OK;
}

enum qsm_exit qsm_slurm_task(struct qsm_slurm *slurm) {
  struct attempt attempt = {.slurm = slurm};
  enum qsm_exit code = find_name(&attempt);
  if (!code) code = qsm_slurm_find_folder(slurm);
  if (!code) code = read_jobs(&attempt);
  if (!code) code = learn_all(&attempt);
  if (!code && qsm_sweep_jobs_pick(&slurm->jobs, attempt.jobs, attempt.n_jobs, &attempt.picked,
                                   &attempt.numbers)) {
    attempt.picked.list = NULL;
    attempt.numbers = NULL;
    code = complain(QSM_EXIT_ENVIRONMENT, "out of memory");
  }
  if (!code) code = carry_out(&attempt);
  free(attempt.picked.list);
  free(attempt.numbers);
  free(attempt.jobs);
  return code;
}
