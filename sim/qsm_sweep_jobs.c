// SPDX-License-Identifier: Apache-2.0
#include "qsm_sweep_jobs.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "qsm_config_yaml.h"
#include "qsm_hash.h"
#include "qsm_yaml.h"

// ---- Inputs: a hash of all files that a result depends on ----

static int hash_program(const char *path, const struct qsm_scenario_kernel *kernel, uint32_t index,
                        uint64_t *hash, char *msg, size_t msg_len) {
  char elf[PATH_MAX];
  if (kernel->program)
    snprintf(elf, sizeof elf, "%s/build/sw/%s.elf", qsm_source_root(), kernel->program->name);
  else
    snprintf(elf, sizeof elf, "%s", kernel->elf);
  if (qsm_hash_file(elf, hash) == 0) return 0;
  snprintf(msg, msg_len, "%s: kernels[%u]: %s: cannot read: %s", path, index, elf, strerror(errno));
  return -1;
}

// The configuration is checked here, so that a wrong one does not fail run after run.
static int hash_inputs(const char *path, uint64_t program_hash, struct qsm_sweep_job *job,
                       char *msg, size_t msg_len) {
  char config_path[PATH_MAX];
  struct qsm_scenario scenario;
  struct qsm_config config;
  uint64_t hash = program_hash;
  const struct qsm_yaml_source source = {.path = path, .text = job->scenario};
  if (qsm_scenario_load(&source, &scenario, msg, msg_len) ||
      qsm_config_load(scenario.config, &config, msg, msg_len))
    return -1;
  if (qsm_config_path(scenario.config, config_path, sizeof config_path) ||
      qsm_hash_file(config_path, &hash)) {
    snprintf(msg, msg_len, "%s: configuration %s: cannot read", path, scenario.config);
    return -1;
  }
  for (uint32_t i = 0; i < scenario.n_kernels; i++)
    if (hash_program(path, &scenario.kernels[i], i, &hash, msg, msg_len)) return -1;
  snprintf(job->inputs, sizeof job->inputs, "%016" PRIx64, hash);
  job->cycles = scenario.cycles;
  job->num_sms = config.num_sms;
  job->config = strdup(scenario.config);
  if (job->config) return 0;
  snprintf(msg, msg_len, "out of memory");
  return -1;
}

static void hash_sweep(struct qsm_sweep_jobs *jobs) {
  uint64_t hash = QSM_HASH_START;
  for (size_t i = 0; i < jobs->n; i++) {
    const struct qsm_sweep_job *job = &jobs->list[i];
    hash = qsm_hash_bytes(hash, job->scenario, strlen(job->scenario) + 1);
    hash = qsm_hash_bytes(hash, job->inputs, sizeof job->inputs);
  }
  snprintf(jobs->sweep, sizeof jobs->sweep, "%016" PRIx64, hash);
}

// ---- Jobs ----

// References by their text.
struct reference {
  UT_hash_handle hh;
  const char *text;
  struct qsm_sweep_job *job;
};

struct maker {
  struct qsm_sweep_jobs *jobs;
  struct reference *references;
  struct reference *pool;  // as many as there could be
};

static struct qsm_sweep_job *reference_of(struct maker *maker, const char *text) {
  struct reference *known = NULL;
  HASH_FIND_STR(maker->references, text, known);
  if (known) return known->job;
  size_t index = maker->jobs->n_references++;
  struct reference *made = &maker->pool[index];
  made->text = text;
  made->job = &maker->jobs->list[index];
  made->job->scenario = text;
  HASH_ADD_KEYPTR(hh, maker->references, text, strlen(text), made);
  return made->job;
}

static int allocate(struct maker *maker, const struct qsm_sweep_plan *plan) {
  size_t n_references = 0;
  for (uint32_t i = 0; i < plan->n_runs; i++) n_references += plan->runs[i].n_kernels;
  maker->jobs->list = calloc(n_references + plan->n_runs, sizeof *maker->jobs->list);
  maker->pool = calloc(n_references, sizeof *maker->pool);
  return maker->jobs->list && maker->pool ? 0 : -1;
}

static void connect_runs(struct maker *maker, const struct qsm_sweep_plan *plan) {
  struct qsm_sweep_jobs *jobs = maker->jobs;
  for (uint32_t i = 0; i < plan->n_runs; i++)
    for (uint32_t k = 0; k < plan->runs[i].n_kernels; k++)
      reference_of(maker, plan->runs[i].alone[k]);
  jobs->n = jobs->n_references;
  for (uint32_t i = 0; i < plan->n_runs; i++) {
    struct qsm_sweep_job *job = &jobs->list[jobs->n++];
    job->run = &plan->runs[i];
    job->scenario = job->run->scenario;
    job->n_alone = job->run->n_kernels;
    for (uint32_t k = 0; k < job->n_alone; k++)
      job->alone[k] = reference_of(maker, job->run->alone[k]);
  }
}

int qsm_sweep_jobs_create(const char *path, const struct qsm_sweep_plan *plan,
                          struct qsm_sweep_jobs *jobs, char *msg, size_t msg_len) {
  struct maker maker = {.jobs = jobs};
  uint64_t program_hash = QSM_HASH_START;
  *jobs = (struct qsm_sweep_jobs){.n = 0};
  int status = allocate(&maker, plan);
  if (status)
    snprintf(msg, msg_len, "out of memory");
  else
    connect_runs(&maker, plan);
  HASH_CLEAR(hh, maker.references);
  free(maker.pool);
  if (status == 0 && qsm_hash_file("/proc/self/exe", &program_hash)) {
    snprintf(msg, msg_len, "/proc/self/exe: cannot read");
    status = -1;
  }
  for (size_t i = 0; status == 0 && i < jobs->n; i++)
    status = hash_inputs(path, program_hash, &jobs->list[i], msg, msg_len);
  if (status) {
    qsm_sweep_jobs_clear(jobs);
    return status;
  }
  snprintf(jobs->build, sizeof jobs->build, "%016" PRIx64, program_hash);
  hash_sweep(jobs);
  return 0;
}

void qsm_sweep_jobs_clear(struct qsm_sweep_jobs *jobs) {
  for (size_t i = 0; i < jobs->n; i++) free(jobs->list[i].config);
  free(jobs->list);
  *jobs = (struct qsm_sweep_jobs){.n = 0};
}

// ---- Some of them ----

static size_t number_of(const struct qsm_sweep_jobs *all, const struct qsm_sweep_job *job) {
  return (size_t)(job - all->list);
}

int qsm_sweep_jobs_pick(const struct qsm_sweep_jobs *all, const size_t *wanted, size_t n_wanted,
                        struct qsm_sweep_jobs *picked, size_t **numbers) {
  const size_t there = SIZE_MAX;
  size_t *place = calloc(all->n + 1, sizeof *place);  // in the new list, from 1 on
  for (size_t i = 0; place && i < n_wanted; i++) {
    const struct qsm_sweep_job *job = &all->list[wanted[i]];
    place[wanted[i]] = there;
    for (uint32_t k = 0; k < job->n_alone; k++) place[number_of(all, job->alone[k])] = there;
  }
  size_t n = 0;
  for (size_t i = 0; place && i < all->n; i++)
    if (place[i] == there) place[i] = ++n;
  *picked = *all;
  picked->n = n;
  picked->n_references = 0;
  picked->list = calloc(n + 1, sizeof *picked->list);
  *numbers = calloc(n + 1, sizeof **numbers);
  bool done = place && picked->list && *numbers;
  for (size_t i = 0; done && i < all->n; i++) {
    if (!place[i]) continue;
    struct qsm_sweep_job *job = &picked->list[place[i] - 1];
    *job = all->list[i];
    (*numbers)[place[i] - 1] = i;
    picked->n_references += !job->run;
    for (uint32_t k = 0; k < job->n_alone; k++)
      job->alone[k] = &picked->list[place[number_of(all, job->alone[k])] - 1];
  }
  free(place);
  if (done) return 0;
  free(picked->list);
  free(*numbers);
  return -1;
}

// ---- Database ----

static int enter(struct qsm_sweep_job *job, int64_t position, struct qsm_store *store, bool retry) {
  struct qsm_store_wish wish = {
      .scenario = job->scenario, .inputs = job->inputs, .position = position};
  if (job->run) {
    wish.variant = job->run->variant;
    wish.label = job->run->label;
    wish.programs = job->run->programs;
    wish.goal = job->run->goal;
  }
  if (qsm_store_want(store, &wish, &job->id, &job->status)) return -1;
  if (job->status == QSM_STORE_FAILED && retry) {
    job->status = QSM_STORE_WAITING;
    return qsm_store_retry(store, job->id);
  }
  return !job->run && job->status == QSM_STORE_OK
             ? qsm_store_alone(store, job->id, &job->alone_instructions, &job->alone_cycles)
             : 0;
}

int qsm_sweep_jobs_enter(struct qsm_sweep_jobs *jobs, struct qsm_store *store, bool retry) {
  if (qsm_store_begin(store)) return -1;
  for (size_t i = 0; i < jobs->n; i++)
    if (enter(&jobs->list[i], (int64_t)i - (int64_t)jobs->n_references, store, retry)) return -1;
  return qsm_store_commit(store);
}

int qsm_sweep_jobs_look(struct qsm_sweep_jobs *jobs, struct qsm_store *store) {
  for (size_t i = 0; i < jobs->n; i++) {
    struct qsm_sweep_job *job = &jobs->list[i];
    const struct qsm_store_wish wish = {
        .scenario = job->scenario, .inputs = job->inputs, .position = job->run ? 0 : -1};
    if (qsm_store_find(store, &wish, &job->id, &job->status)) return -1;
  }
  return 0;
}

void qsm_sweep_job_title(const struct qsm_sweep_job *job, const struct qsm_scenario *scenario,
                         char *text, size_t len) {
  if (job->run)
    qsm_sweep_run_title(job->run, text, len);
  else
    snprintf(text, len, "%s alone", scenario->kernels[0].name);
}
