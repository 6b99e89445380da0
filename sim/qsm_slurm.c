// SPDX-License-Identifier: Apache-2.0
#include "qsm_slurm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qsm_output.h"
#include "qsm_shard.h"
#include "qsm_slurm_call.h"
#include "qsm_slurm_folder.h"
#include "qsm_slurm_round.h"
#include "qsm_slurm_task.h"
#include "qsm_sweep_database.h"
#include "qsm_sweep_runner.h"

static enum qsm_exit complain(enum qsm_exit code, const char *text) {
  fprintf(stderr, "qsm: %s\n", text);
  return code;
}

static enum qsm_exit give_msg(const struct qsm_slurm *slurm, enum qsm_exit code) {
  return complain(code, slurm->msg);
}

// ---- Times ----

// MINUTES[:SECONDS], HOURS:MINUTES:SECONDS, DAYS-HOURS[:MINUTES[:SECONDS]]
int qsm_slurm_seconds(const char *text, uint64_t *seconds) {
  static const uint64_t units[] = {86400, 3600, 60, 1};
  uint64_t value[4] = {0}, sum = 0;
  bool has_days = strchr(text, '-');
  size_t n = 0;
  for (const char *at = text;; at++) {
    size_t n_digits = strspn(at, "0123456789");
    if (n == 4 || n_digits == 0 || n_digits > 6) return -1;
    value[n++] = strtoull(at, NULL, 10);
    at += n_digits;
    if (!*at) break;
    if (*at != (has_days && n == 1 ? '-' : ':')) return -1;
  }
  if (has_days ? n < 2 : n > 3) return -1;
  const uint64_t *unit = has_days ? units : n == 3 ? units + 1 : units + 2;
  for (size_t i = 0; i < n; i++) sum += value[i] * unit[i];
  if (sum == 0) return -1;
  *seconds = sum;
  return 0;
}

// ---- Database and shards ----

static enum qsm_exit open_database(struct qsm_slurm *slurm) {
  const struct qsm_sweep_options *options = &slurm->options->sweep;
  if (qsm_sweep_database_open(options->file, options->db, QSM_STORE_SHARED, &slurm->store,
                              slurm->msg, sizeof slurm->msg))
    return give_msg(slurm, QSM_EXIT_ENVIRONMENT);
  if (qsm_sweep_jobs_enter(&slurm->jobs, slurm->store, false))
    return complain(QSM_EXIT_ENVIRONMENT, qsm_store_error(slurm->store));
  return QSM_EXIT_OK;
}

// The worst code of what is wrong with the shards; all that can be merged is.
static enum qsm_exit merge_shards(struct qsm_slurm *slurm) {
  static const enum qsm_exit codes[] = {[QSM_SHARD_OK] = QSM_EXIT_OK,
                                        [QSM_SHARD_FOREIGN] = QSM_EXIT_BAD_INPUT,
                                        [QSM_SHARD_BAD] = QSM_EXIT_ENVIRONMENT,
                                        [QSM_SHARD_DIFFERS] = QSM_EXIT_WRONG};
  struct qsm_slurm_shards shards;
  enum qsm_exit code = QSM_EXIT_OK;
  qsm_slurm_shards_find(slurm, "*.db", &shards);
  for (size_t i = 0; i < shards.n; i++) {
    enum qsm_exit found = codes[qsm_shard_merge(shards.path[i], &slurm->jobs, slurm->store,
                                                slurm->msg, sizeof slurm->msg)];
    if (found) give_msg(slurm, found);
    if (found > code) code = found;
  }
  qsm_slurm_shards_free(&shards);
  if (qsm_sweep_jobs_look(&slurm->jobs, slurm->store))
    return complain(QSM_EXIT_ENVIRONMENT, qsm_store_error(slurm->store));
  return code;
}

// Merges, and marks runs whose reference failed.
static enum qsm_exit bring_up_to_date(struct qsm_slurm *slurm, struct qsm_sweep_runner *runner) {
  *runner = (struct qsm_sweep_runner){
      .file = slurm->options->sweep.file, .jobs = &slurm->jobs, .quiet = true};
  enum qsm_exit code = open_database(slurm);
  if (code) return code;
  runner->store = slurm->store;
  code = merge_shards(slurm);
  enum qsm_exit given_up = qsm_sweep_runner_give_up(runner);
  qsm_sweep_runner_count(runner);
  return code ? code : given_up;
}

static void print_counts(const struct qsm_slurm *slurm, const struct qsm_sweep_runner *runner) {
  if (slurm->options->sweep.quiet) return;
  printf("%s: %zu runs, %zu done, %zu failed, %zu left; database %s\n", slurm->options->sweep.file,
         runner->n, runner->n_done, runner->n_failed, runner->n - runner->n_done, slurm->db);
  fflush(stdout);
}

static enum qsm_exit merge(struct qsm_slurm *slurm) {
  struct qsm_sweep_runner runner;
  enum qsm_exit code = qsm_slurm_claim_folder(slurm, false);
  if (!code) code = bring_up_to_date(slurm, &runner);
  if (!slurm->store) return code;
  print_counts(slurm, &runner);
  if (!slurm->options->sweep.quiet && runner.n_done == runner.n && !code)
    printf("tables: qsm report %s; %s can be removed\n", slurm->db, slurm->folder);
  if (!code && (runner.n_failed || runner.n_done < runner.n)) code = QSM_EXIT_WRONG;
  return code;
}

// ---- Jobs in the queue ----

// Calls back for each job of each round that has been submitted.
struct queued {
  unsigned round;
  enum qsm_slurm_part part;
  char id[32];
};

static bool next_job(FILE *file, struct queued *job) {
  char part[16];
  while (fscanf(file, "%15s %31s", part, job->id) == 2)
    if (qsm_slurm_find_part(part, &job->part) == 0) return true;
  return false;
}

// Tasks of a job in the queue; of these, those that run.
static unsigned count_in_queue(const char *lines, const char *id, unsigned *n_running) {
  unsigned n = 0;
  char seen[32], state[32];
  *n_running = 0;
  for (const char *line = lines; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (sscanf(line, "%31s %31s", seen, state) != 2 || strcmp(seen, id) != 0) continue;
    n++;
    *n_running += strcmp(state, "RUNNING") == 0;
  }
  return n;
}

static FILE *open_jobs(const struct qsm_slurm *slurm, unsigned round) {
  char path[PATH_MAX];
  qsm_slurm_path(slurm, path, "%u.jobs", round);
  return fopen(path, "r");
}

static enum qsm_exit refuse_what_is_queued(struct qsm_slurm *slurm) {
  char *lines;
  struct queued job = {.round = qsm_slurm_last_round(slurm)};
  if (qsm_slurm_queue(&lines, slurm->msg, sizeof slurm->msg))
    return give_msg(slurm, QSM_EXIT_ENVIRONMENT);
  enum qsm_exit code = QSM_EXIT_OK;
  for (; !code && job.round; job.round--) {
    FILE *file = open_jobs(slurm, job.round);
    unsigned n, n_running;
    while (file && !code && next_job(file, &job)) {
      if ((n = count_in_queue(lines, job.id, &n_running)) == 0) continue;
      snprintf(
          slurm->msg, sizeof slurm->msg,
          "%s: job %s (%u-%s) is in the queue; --status shows how far it is, scancel %s ends it",
          slurm->folder, job.id, job.round, qsm_slurm_part_name(job.part), job.id);
      code = give_msg(slurm, QSM_EXIT_ENVIRONMENT);
    }
    if (file) fclose(file);
  }
  free(lines);
  return code;
}

// ---- Submission ----

static int write_file(struct qsm_slurm *slurm, const struct qsm_slurm_round *round,
                      enum qsm_slurm_part part) {
  char path[PATH_MAX];
  struct qsm_output output;
  bool tasks = part == QSM_SLURM_N_PARTS;
  if (tasks)
    qsm_slurm_path(slurm, path, "%u.tasks", round->number);
  else
    qsm_slurm_path(slurm, path, "%u-%s.sh", round->number, qsm_slurm_part_name(part));
  if (qsm_output_open(&output, path, slurm->msg, sizeof slurm->msg)) return -1;
  if (!tasks)
    qsm_slurm_round_print_script(slurm, round, part, output.file);
  else if (qsm_slurm_round_print_tasks(slurm, round, output.file)) {
    qsm_output_drop(&output);
    snprintf(slurm->msg, sizeof slurm->msg, "out of memory");
    return -1;
  }
  return qsm_output_close(&output, slurm->msg, sizeof slurm->msg);
}

// References that are done: tasks do not look into the database.
static int write_known(struct qsm_slurm *slurm, const struct qsm_slurm_round *round) {
  char path[PATH_MAX];
  struct qsm_sweep_jobs known;
  size_t *numbers, n = 0, *done = calloc(slurm->jobs.n_references + 1, sizeof *done);
  for (size_t i = 0; done && i < slurm->jobs.n_references; i++)
    if (slurm->jobs.list[i].status == QSM_STORE_OK) done[n++] = i;
  if (!done || qsm_sweep_jobs_pick(&slurm->jobs, done, n, &known, &numbers)) {
    free(done);
    snprintf(slurm->msg, sizeof slurm->msg, "out of memory");
    return -1;
  }
  qsm_slurm_path(slurm, path, "%u.known", round->number);
  unlink(path);
  int failed = n ? qsm_shard_give(path, &slurm->jobs, &known, numbers, slurm->store, slurm->msg,
                                  sizeof slurm->msg)
                 : 0;
  free(known.list);
  free(numbers);
  free(done);
  return failed;
}

static enum qsm_exit write_round(struct qsm_slurm *slurm, const struct qsm_slurm_round *round) {
  int failed = write_known(slurm, round) || write_file(slurm, round, QSM_SLURM_N_PARTS);
  for (int p = 0; !failed && p < QSM_SLURM_N_PARTS; p++)
    if (qsm_slurm_round_has(round, (enum qsm_slurm_part)p))
      failed = write_file(slurm, round, (enum qsm_slurm_part)p);
  return failed ? give_msg(slurm, QSM_EXIT_ENVIRONMENT) : QSM_EXIT_OK;
}

// *id: the job that this one waits for, "" for none; then its own.
static int submit_part(struct qsm_slurm *slurm, const struct qsm_slurm_round *round,
                       enum qsm_slurm_part part, char id[32]) {
  char script[PATH_MAX], jobs[PATH_MAX], dependency[64], *output;
  const char *arguments[5] = {"sbatch", "--parsable"};
  int n = 2;
  qsm_slurm_path(slurm, script, "%u-%s.sh", round->number, qsm_slurm_part_name(part));
  qsm_slurm_path(slurm, jobs, "%u.jobs", round->number);
  snprintf(dependency, sizeof dependency, "--dependency=afterany:%s", id);
  if (*id) arguments[n++] = dependency;
  arguments[n] = script;
  if (qsm_slurm_call(arguments, &output, slurm->msg, sizeof slurm->msg)) return -1;
  snprintf(id, 32, "%.*s", (int)strcspn(output, ";\n"), output);
  free(output);
  FILE *file = fopen(jobs, "a");
  if (file) fprintf(file, "%s %s\n", qsm_slurm_part_name(part), id);
  if (file && fclose(file) == 0) return 0;
  snprintf(slurm->msg, sizeof slurm->msg, "%s: %s", jobs, strerror(errno));
  return -1;
}

static void cancel(unsigned n, char ids[][32]) {
  char *output, msg[256];
  for (unsigned i = 0; i < n; i++) {
    const char *const arguments[] = {"scancel", ids[i], NULL};
    if (qsm_slurm_call(arguments, &output, msg, sizeof msg))
      complain(QSM_EXIT_ENVIRONMENT, msg);
    else
      free(output);
  }
}

static enum qsm_exit submit_round(struct qsm_slurm *slurm, const struct qsm_slurm_round *round) {
  char ids[QSM_SLURM_N_PARTS][32], id[32] = "";
  unsigned n = 0;
  for (int p = 0; p < QSM_SLURM_N_PARTS; p++) {
    if (!qsm_slurm_round_has(round, (enum qsm_slurm_part)p)) continue;
    if (submit_part(slurm, round, (enum qsm_slurm_part)p, id)) {
      give_msg(slurm, QSM_EXIT_ENVIRONMENT);
      cancel(n, ids);
      return QSM_EXIT_ENVIRONMENT;
    }
    memcpy(ids[n++], id, sizeof id);
    if (!slurm->options->sweep.quiet)
      printf("%u-%s: job %s\n", round->number, qsm_slurm_part_name((enum qsm_slurm_part)p), id);
  }
  return QSM_EXIT_OK;
}

// Failed runs are to be part of the round; their shards would only bring them back.
static enum qsm_exit prepare_retry(struct qsm_slurm *slurm, struct qsm_sweep_runner *runner) {
  struct qsm_slurm_shards shards;
  int failed = qsm_sweep_jobs_enter(&slurm->jobs, slurm->store, true);
  if (failed) return complain(QSM_EXIT_ENVIRONMENT, qsm_store_error(slurm->store));
  qsm_slurm_shards_find(slurm, "*.db", &shards);
  for (size_t i = 0; !failed && i < shards.n; i++)
    if ((failed = unlink(shards.path[i])) != 0)
      snprintf(slurm->msg, sizeof slurm->msg, "%s: %s", shards.path[i], strerror(errno));
  qsm_slurm_shards_free(&shards);
  qsm_sweep_runner_count(runner);
  return failed ? give_msg(slurm, QSM_EXIT_ENVIRONMENT) : QSM_EXIT_OK;
}

static enum qsm_exit submit_rest(struct qsm_slurm *slurm, struct qsm_slurm_round *round) {
  if (qsm_slurm_round_divide(slurm, round)) return give_msg(slurm, QSM_EXIT_ENVIRONMENT);
  if (!slurm->options->sweep.quiet) qsm_slurm_round_print_summary(slurm, round, stdout);
  fflush(stdout);
  enum qsm_exit code = write_round(slurm, round);
  return code ? code : submit_round(slurm, round);
}

static enum qsm_exit submit(struct qsm_slurm *slurm) {
  struct qsm_sweep_runner runner;
  enum qsm_exit code = qsm_slurm_claim_folder(slurm, true);
  if (!code) code = refuse_what_is_queued(slurm);
  if (!code) code = bring_up_to_date(slurm, &runner);
  if (!code && slurm->options->sweep.retry) code = prepare_retry(slurm, &runner);
  if (code) return code;
  print_counts(slurm, &runner);
  if (runner.n_done == runner.n) return runner.n_failed ? QSM_EXIT_WRONG : QSM_EXIT_OK;
  struct qsm_slurm_round round = {.number = qsm_slurm_last_round(slurm) + 1};
  code = submit_rest(slurm, &round);
  qsm_slurm_round_clear(&round);
  return code;
}

// ---- Without writing anything ----

// What database and shards say; neither need be there.
static enum qsm_exit look(struct qsm_slurm *slurm, struct qsm_sweep_runner *runner) {
  struct qsm_slurm_shards shards;
  enum qsm_exit code = QSM_EXIT_OK;
  *runner = (struct qsm_sweep_runner){.jobs = &slurm->jobs};
  if (access(slurm->db, F_OK) == 0) {
    slurm->store = qsm_store_open(slurm->db, QSM_STORE_READ, slurm->msg, sizeof slurm->msg);
    if (!slurm->store) return give_msg(slurm, QSM_EXIT_ENVIRONMENT);
    if (qsm_sweep_jobs_look(&slurm->jobs, slurm->store))
      return complain(QSM_EXIT_ENVIRONMENT, qsm_store_error(slurm->store));
  }
  qsm_slurm_shards_find(slurm, "*.db", &shards);
  for (size_t i = 0; i < shards.n; i++)
    if (qsm_shard_learn(shards.path[i], &slurm->jobs, slurm->msg, sizeof slurm->msg))
      code = give_msg(slurm, QSM_EXIT_ENVIRONMENT);
  qsm_slurm_shards_free(&shards);
  qsm_sweep_runner_count(runner);
  return code;
}

static void print_submission(const struct qsm_slurm *slurm, const struct qsm_slurm_round *round) {
  const char *before = NULL;
  for (int p = 0; p < QSM_SLURM_N_PARTS; p++) {
    const char *name = qsm_slurm_part_name((enum qsm_slurm_part)p);
    if (!qsm_slurm_round_has(round, (enum qsm_slurm_part)p)) continue;
    printf("\n==> %s/%u-%s.sh <==\n", slurm->folder, round->number, name);
    qsm_slurm_round_print_script(slurm, round, (enum qsm_slurm_part)p, stdout);
  }
  printf("\n");
  for (int p = 0; p < QSM_SLURM_N_PARTS; p++) {
    const char *name = qsm_slurm_part_name((enum qsm_slurm_part)p);
    if (!qsm_slurm_round_has(round, (enum qsm_slurm_part)p)) continue;
    printf("sbatch --parsable");
    if (before) printf(" --dependency=afterany:JOB_OF_%s", before);
    printf(" '%s/%u-%s.sh'\n", slurm->folder, round->number, name);
    before = name;
  }
}

static enum qsm_exit dry_run(struct qsm_slurm *slurm) {
  struct qsm_sweep_runner runner;
  enum qsm_exit code = look(slurm, &runner);
  if (code) return code;
  print_counts(slurm, &runner);
  struct qsm_slurm_round round = {.number = qsm_slurm_last_round(slurm) + 1};
  if (runner.n_done == runner.n) return QSM_EXIT_OK;
  if (qsm_slurm_round_divide(slurm, &round))
    code = give_msg(slurm, QSM_EXIT_ENVIRONMENT);
  else {
    qsm_slurm_round_print_summary(slurm, &round, stdout);
    print_submission(slurm, &round);
  }
  qsm_slurm_round_clear(&round);
  return code;
}

// Tasks and runs of each part of a round.
struct tally {
  unsigned n_tasks;
  size_t n_runs, n_done, n_failed;
};

static int tally_round(struct qsm_slurm *slurm, unsigned round, struct tally *tally) {
  char path[PATH_MAX];
  struct qsm_slurm_task task = {.n = 0};
  int status = -1;
  qsm_slurm_path(slurm, path, "%u.tasks", round);
  FILE *file = fopen(path, "r");
  while (file && (status = qsm_slurm_task_read(file, slurm->jobs.n, &task)) > 0) {
    tally[task.part].n_tasks++;
    tally[task.part].n_runs += task.n;
    for (size_t i = 0; i < task.n; i++) {
      enum qsm_store_status of_job = slurm->jobs.list[task.jobs[i]].status;
      tally[task.part].n_done += of_job != QSM_STORE_WAITING;
      tally[task.part].n_failed += of_job == QSM_STORE_FAILED;
    }
  }
  free(task.jobs);
  if (file) fclose(file);
  if (status == 0) return 0;
  snprintf(slurm->msg, sizeof slurm->msg, "%s: cannot be read", path);
  return -1;
}

static void print_part(const struct queued *job, const struct tally *tally, const char *lines) {
  unsigned n_running = 0, n = lines ? count_in_queue(lines, job->id, &n_running) : 0;
  printf("%u-%s, job %s:", job->round, qsm_slurm_part_name(job->part), job->id);
  if (job->part == QSM_SLURM_LAST)
    printf(lines ? n_running ? " running" : n ? " waits" : " has ended" : "");
  else {
    printf(" %zu runs, %zu done, %zu failed; %u task%s", tally->n_runs, tally->n_done,
           tally->n_failed, tally->n_tasks, tally->n_tasks == 1 ? "" : "s");
    if (lines)
      printf(", %u running, %u waiting, %u ended", n_running, n - n_running,
             tally->n_tasks > n ? tally->n_tasks - n : 0);
  }
  putchar('\n');
}

static enum qsm_exit print_rounds(struct qsm_slurm *slurm, const char *lines) {
  struct queued job = {.round = 1};
  for (unsigned last = qsm_slurm_last_round(slurm); job.round <= last; job.round++) {
    struct tally tally[QSM_SLURM_N_PARTS] = {{0}};
    if (tally_round(slurm, job.round, tally)) return give_msg(slurm, QSM_EXIT_ENVIRONMENT);
    FILE *file = open_jobs(slurm, job.round);
    while (file && next_job(file, &job)) print_part(&job, &tally[job.part], lines);
    if (file) fclose(file);
  }
  return QSM_EXIT_OK;
}

static enum qsm_exit status(struct qsm_slurm *slurm) {
  struct qsm_sweep_runner runner;
  char *lines = NULL;
  enum qsm_exit code = look(slurm, &runner);
  print_counts(slurm, &runner);
  if (qsm_slurm_last_round(slurm) && qsm_slurm_queue(&lines, slurm->msg, sizeof slurm->msg))
    code = give_msg(slurm, QSM_EXIT_ENVIRONMENT);
  enum qsm_exit printed = print_rounds(slurm, lines);
  free(lines);
  return code ? code : printed;
}

// ---- The command ----

static enum qsm_exit act(struct qsm_slurm *slurm) {
  if (slurm->options->action == QSM_SLURM_TASK) return qsm_slurm_task(slurm);
  enum qsm_exit code = qsm_slurm_find_folder(slurm);
  if (code) return code;
  switch (slurm->options->action) {
    case QSM_SLURM_STATUS: return status(slurm);
    case QSM_SLURM_MERGE: return merge(slurm);
    default: return slurm->options->sweep.dry_run ? dry_run(slurm) : submit(slurm);
  }
}

enum qsm_exit qsm_slurm(const struct qsm_slurm_options *options) {
  struct qsm_slurm slurm = {.options = options, .lock_fd = -1};
  const char *file = options->sweep.file;
  enum qsm_exit code;
  if (qsm_sweep_plan_load(file, &slurm.plan, slurm.msg, sizeof slurm.msg) ||
      qsm_sweep_jobs_create(file, slurm.plan, &slurm.jobs, slurm.msg, sizeof slurm.msg))
    code = give_msg(&slurm, QSM_EXIT_BAD_INPUT);
  else
    code = act(&slurm);
  qsm_store_close(slurm.store);
  qsm_sweep_jobs_clear(&slurm.jobs);
  qsm_sweep_plan_free(slurm.plan);
  if (slurm.lock_fd >= 0) close(slurm.lock_fd);
  return code;
}
