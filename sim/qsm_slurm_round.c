// SPDX-License-Identifier: Apache-2.0
#include "qsm_slurm_round.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Cycles of one SM that a core simulates in a second, where nothing has been measured.
#define SM_CYCLES_PER_SECOND 2e6

// ---- Expected times ----

// CPU seconds per cycle of each configuration that the database knows: a list, the last one first.
struct pace {
  struct pace *next;
  const char *config;
  double seconds_per_cycle;
};

static int find_pace(struct qsm_slurm *slurm, struct pace **paces, const struct qsm_sweep_job *job,
                     double *seconds_per_cycle) {
  struct pace *pace = *paces;
  while (pace && strcmp(pace->config, job->config) != 0) pace = pace->next;
  if (!pace) {
    pace = calloc(1, sizeof *pace);
    if (!pace) return -1;
    *pace = (struct pace){.next = *paces, .config = job->config};
    *paces = pace;
    if (slurm->store && qsm_store_pace(slurm->store, job->config, &pace->seconds_per_cycle))
      return -1;
    if (pace->seconds_per_cycle <= 0)
      pace->seconds_per_cycle = (double)job->num_sms / SM_CYCLES_PER_SECOND;
  }
  *seconds_per_cycle = pace->seconds_per_cycle;
  return 0;
}

// ---- Division ----

// CPU seconds that a task may take.
static double task_seconds(const struct qsm_slurm_options *options) {
  double wanted = (double)options->task_time_s, most = (double)options->time_s / 2;
  return (options->time && most < wanted ? most : wanted) * options->n_cpus;
}

static unsigned count_tasks(double seconds, double of_a_task, size_t n_jobs) {
  double n = ceil(seconds / of_a_task);
  if (n > (double)n_jobs) n = (double)n_jobs;
  const double most = (double)QSM_SLURM_MAX_TASKS;
  if (n > most) n = most;
  return n < 1 ? 1 : (unsigned)n;
}

int qsm_slurm_round_divide(struct qsm_slurm *slurm, struct qsm_slurm_round *round) {
  struct pace *paces = NULL;
  int failed = 0;
  for (int p = 0; p < QSM_SLURM_LAST; p++)
    if (!(round->part[p].jobs = calloc(slurm->jobs.n + 1, sizeof *round->part[p].jobs)))
      failed = -1;
  for (size_t i = 0; !failed && i < slurm->jobs.n; i++) {
    const struct qsm_sweep_job *job = &slurm->jobs.list[i];
    double seconds;
    if (job->skipped || job->status != QSM_STORE_WAITING) continue;
    failed = find_pace(slurm, &paces, job, &seconds);
    if (failed) break;
    enum qsm_slurm_part p = job->run ? QSM_SLURM_RUNS : QSM_SLURM_REFERENCES;
    seconds *= (double)job->cycles;
    round->part[p].jobs[round->part[p].n_jobs++] = i;
    round->part[p].seconds += seconds;
    round->part[p].longest_job = fmax(round->part[p].longest_job, seconds);
  }
  for (int p = 0; p < QSM_SLURM_LAST; p++)
    if (round->part[p].n_jobs)
      round->part[p].n_tasks =
          count_tasks(round->part[p].seconds, task_seconds(slurm->options), round->part[p].n_jobs);
  for (struct pace *next; paces; paces = next) {
    next = paces->next;
    free(paces);
  }
  if (failed)
    snprintf(slurm->msg, sizeof slurm->msg, "%s",
             slurm->store && *qsm_store_error(slurm->store) ? qsm_store_error(slurm->store)
                                                            : "out of memory");
  return failed;
}

void qsm_slurm_round_clear(struct qsm_slurm_round *round) {
  for (int p = 0; p < QSM_SLURM_LAST; p++) free(round->part[p].jobs);
}

bool qsm_slurm_round_has(const struct qsm_slurm_round *round, enum qsm_slurm_part part) {
  return part == QSM_SLURM_LAST || round->part[part].n_jobs > 0;
}

// ---- Printing ----

int qsm_slurm_round_print_tasks(const struct qsm_slurm *slurm, const struct qsm_slurm_round *round,
                                FILE *file) {
  size_t *jobs = calloc(slurm->jobs.n + 1, sizeof *jobs);
  if (!jobs) return -1;
  for (int p = 0; p < QSM_SLURM_LAST; p++)
    for (unsigned number = 0; number < round->part[p].n_tasks; number++) {
      struct qsm_slurm_task task = {
          .part = (enum qsm_slurm_part)p, .number = number + 1, .jobs = jobs};
      for (size_t i = number; i < round->part[p].n_jobs; i += round->part[p].n_tasks)
        jobs[task.n++] = round->part[p].jobs[i];
      task.seconds = round->part[p].seconds * (double)task.n / (double)round->part[p].n_jobs /
                     slurm->options->n_cpus;
      qsm_slurm_task_print(&task, file);
    }
  free(jobs);
  return 0;
}

static void print_time(double seconds, FILE *file) {
  unsigned long s = (unsigned long)ceil(seconds);
  fprintf(file, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
}

static double seconds_of_task(const struct qsm_slurm *slurm, const struct qsm_slurm_round *round,
                              int p) {
  return round->part[p].seconds / round->part[p].n_tasks / slurm->options->n_cpus;
}

// "1-runs: 500 runs in 10 tasks of 0:10:00 on 1 core, by estimate"
static void print_part(const struct qsm_slurm *slurm, const struct qsm_slurm_round *round, int p,
                       FILE *file) {
  const struct qsm_slurm_options *options = slurm->options;
  fprintf(file, "%u-%s: %zu run%s in %u task%s of ", round->number,
          qsm_slurm_part_name((enum qsm_slurm_part)p), round->part[p].n_jobs,
          round->part[p].n_jobs == 1 ? "" : "s", round->part[p].n_tasks,
          round->part[p].n_tasks == 1 ? "" : "s");
  print_time(seconds_of_task(slurm, round, p), file);
  fprintf(file, " on %u core%s, by estimate\n", options->n_cpus, options->n_cpus == 1 ? "" : "s");
}

void qsm_slurm_round_print_summary(const struct qsm_slurm *slurm,
                                   const struct qsm_slurm_round *round, FILE *file) {
  for (int p = 0; p < QSM_SLURM_LAST; p++)
    if (round->part[p].n_jobs) print_part(slurm, round, p, file);
}

// So early that the runs in flight should end, but not before half of the time.
static unsigned long warning_seconds(const struct qsm_slurm_options *options, double longest) {
  double lead = ceil(1.5 * longest) + 60;
  if (options->time && lead > (double)options->time_s / 2) lead = (double)options->time_s / 2;
  return lead > 65535 ? 65535 : (unsigned long)lead;
}

static void print_options_of_array(const struct qsm_slurm *slurm,
                                   const struct qsm_slurm_round *round, int p, FILE *file) {
  const struct qsm_slurm_options *options = slurm->options;
  fprintf(file, "#SBATCH --array=1-%u", round->part[p].n_tasks);
  if (options->n_nodes) fprintf(file, "%%%u", options->n_nodes);
  fprintf(file, "\n#SBATCH --cpus-per-task=%u\n", options->n_cpus);
  if (options->time) fprintf(file, "#SBATCH --time=%s\n", options->time);
  fprintf(file, "#SBATCH --signal=B:USR1@%lu\n",
          warning_seconds(options, round->part[p].longest_job));
}

static void print_command(const struct qsm_slurm *slurm, const struct qsm_slurm_round *round,
                          enum qsm_slurm_part part, FILE *file) {
  fprintf(file, "exec '%s' sweep --slurm ", slurm->program);
  if (part == QSM_SLURM_LAST)
    fprintf(file, "--merge");
  else
    fprintf(file, "--task %u-%s --cpus %u", round->number, qsm_slurm_part_name(part),
            slurm->options->n_cpus);
  fprintf(file, " --db '%s' '%s'\n", slurm->db, slurm->file);
}

void qsm_slurm_round_print_script(const struct qsm_slurm *slurm,
                                  const struct qsm_slurm_round *round, enum qsm_slurm_part part,
                                  FILE *file) {
  const struct qsm_slurm_options *options = slurm->options;
  const char *name = qsm_slurm_part_name(part), *root = getenv("QSM_ROOT"),
             *slash = strrchr(slurm->folder, '/');
  fprintf(file, "#!/bin/bash\n#SBATCH --job-name=\"%.*s-%u-%s\"\n",
          (int)(strlen(slash + 1) - strlen(".slurm")), slash + 1, round->number, name);
  if (part != QSM_SLURM_LAST) print_options_of_array(slurm, round, (int)part, file);
  fprintf(file, "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --requeue\n");
  fprintf(file, "#SBATCH --open-mode=append\n#SBATCH --output=\"%s/logs/%u-%s%s.log\"\n",
          slurm->folder, round->number, name, part == QSM_SLURM_LAST ? "" : "-%a");
  if (options->partition) fprintf(file, "#SBATCH --partition=%s\n", options->partition);
  for (uint32_t i = 0; i < options->n_extras; i++)
    fprintf(file, "#SBATCH %s\n", options->extras[i]);
  if (root) fprintf(file, "export QSM_ROOT='%s'\n", root);
  print_command(slurm, round, part, file);
}
