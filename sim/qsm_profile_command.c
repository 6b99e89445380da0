// SPDX-License-Identifier: Apache-2.0
// `qsm profile`.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_folder.h"
#include "qsm_pool.h"
#include "qsm_profile_store.h"
#include "qsm_run.h"

struct job {
  const struct qsm_profile_key *key;
  int64_t profile;
  uint32_t policy, n_sms;
};

struct command {
  const struct qsm_profile_options *options;
  const char *path;
  struct qsm_profile_store *store;
  uint32_t n_apps;
  struct qsm_profile_key *key;
  int64_t *profile;
  bool wanted[QSM_PROFILE_MOST_SMS + 1];
  size_t n_jobs, n_next, n_done, n_failed;
  struct job *job;
  double cpu_s;
  char msg[600];
};

static int complain(int code, const char *text) {
  fprintf(stderr, "qsm: %s\n", text);
  return code;
}

// ---- What is wanted ----

static int count_apps(struct command *command) {
  const struct qsm_profile_options *options = command->options;
  uint32_t n = options->n_names;
  if (n == 0)
    while (qsm_apps[n]) n++;
  command->n_apps = n;
  command->key = calloc(n, sizeof *command->key);
  command->profile = calloc(n, sizeof *command->profile);
  return command->key && command->profile ? 0 : complain(QSM_EXIT_ENVIRONMENT, "out of memory");
}

static int find_app(struct command *command, uint32_t i, const struct qsm_app **app) {
  *app = command->options->n_names ? qsm_app_by_name(command->options->names[i]) : qsm_apps[i];
  if (*app) return 0;
  snprintf(command->msg, sizeof command->msg, "no application '%s'; qsm apps lists them",
           command->options->names[i]);
  return complain(QSM_EXIT_BAD_INPUT, command->msg);
}

static int make_keys(struct command *command) {
  const struct qsm_profile_options *options = command->options;
  int code = count_apps(command);
  for (uint32_t i = 0; !code && i < command->n_apps; i++) {
    const struct qsm_app *app = NULL;
    code = find_app(command, i, &app);
    if (!code && qsm_profile_key(options->config, app, options->size, &command->key[i],
                                 command->msg, sizeof command->msg))
      code = complain(QSM_EXIT_BAD_INPUT, command->msg);
  }
  return code;
}

// "1,2,4": numbers from 1 to n_sms, 1 and n_sms among them.
static int read_counts(struct command *command) {
  uint32_t n_sms = command->key[0].n_sms;
  const char *at = command->options->counts;
  for (uint32_t c = 1; c <= n_sms; c++) command->wanted[c] = !at;
  while (at) {
    char *end = NULL;
    unsigned long value = strtoul(at, &end, 10);
    if (*at < '0' || *at > '9' || (*end && *end != ',') || value < 1 || value > n_sms) break;
    command->wanted[value] = true;
    at = *end ? end + 1 : NULL;
  }
  if (!at && command->wanted[1] && command->wanted[n_sms]) return 0;
  snprintf(command->msg, sizeof command->msg,
           "--counts %s: must be numbers of SMs from 1 to %" PRIu32
           " (%s), with commas, the first and the last among them",
           command->options->counts, n_sms, command->options->config);
  return complain(QSM_EXIT_BAD_INPUT, command->msg);
}

static int add_jobs(struct command *command, uint32_t app) {
  bool measured[QSM_PROFILE_POLICIES][QSM_PROFILE_MOST_SMS];
  const struct qsm_profile_key *key = &command->key[app];
  command->profile[app] = qsm_profile_store_find(command->store, key, true);
  if (command->profile[app] <= 0 ||
      qsm_profile_store_measured(command->store, command->profile[app], measured))
    return complain(QSM_EXIT_ENVIRONMENT, qsm_profile_store_error(command->store));
  for (uint32_t policy = 0; policy < QSM_PROFILE_POLICIES; policy++)
    for (uint32_t c = 1; c <= key->n_sms; c++)
      if (command->options->policies >> policy & 1 && command->wanted[c] &&
          !measured[policy][c - 1])
        command->job[command->n_jobs++] = (struct job){key, command->profile[app], policy, c};
  return 0;
}

static int plan(struct command *command) {
  command->job = calloc((size_t)command->n_apps * QSM_PROFILE_POLICIES * command->key[0].n_sms,
                        sizeof(struct job));
  if (!command->job) return complain(QSM_EXIT_ENVIRONMENT, "out of memory");
  int code = 0;
  for (uint32_t i = 0; !code && i < command->n_apps; i++) code = add_jobs(command, i);
  return code;
}

// ---- Measuring ----

// In a worker.
static int work(const void *ctx, FILE *result) {
  const struct job *job = ctx;
  struct qsm_profile_kernel *kernels = NULL;
  uint32_t n = 0;
  char msg[512] = "";
  if (qsm_profile_measure(job->key, job->policy, job->n_sms, &kernels, &n, msg, sizeof msg)) {
    fprintf(stderr, "%s\n", msg);
    return QSM_EXIT_WRONG;
  }
  bool written = fwrite(kernels, sizeof *kernels, n, result) == n;
  free(kernels);
  return written ? QSM_EXIT_OK : QSM_EXIT_ENVIRONMENT;
}

static int take_end(struct command *command, struct qsm_pool_end *end) {
  const struct job *job = &command->job[end->tag];
  int code = 0;
  command->n_done++;
  command->cpu_s += end->cpu_s;
  if (end->signal || end->exit_code || !end->result_bytes) {
    command->n_failed++;
    fprintf(stderr, "qsm: %s, %s on %" PRIu32 " SMs: %s\n", job->key->app->name,
            qsm_profile_policy_names[job->policy], job->n_sms,
            end->last_words[0] ? end->last_words : "its process has crashed");
  } else if (qsm_profile_store_keep(
                 command->store, job->profile, job->policy, job->n_sms, end->result,
                 (uint32_t)(end->result_bytes / sizeof(struct qsm_profile_kernel)))) {
    code = complain(QSM_EXIT_ENVIRONMENT, qsm_profile_store_error(command->store));
  }
  free(end->result);
  return code;
}

static int start_some(struct command *command, struct qsm_pool *pool) {
  while (command->n_next < command->n_jobs && qsm_pool_n_free(pool)) {
    if (qsm_pool_start(pool, command->n_next, work, &command->job[command->n_next]))
      return complain(QSM_EXIT_ENVIRONMENT, strerror(errno));
    command->n_next++;
  }
  return 0;
}

static void show(const struct command *command) {
  size_t step = command->n_jobs / 10 ? command->n_jobs / 10 : 1;
  if (!command->options->quiet && command->n_done % step == 0)
    fprintf(stderr, "  %zu of %zu points, %.0f s of CPU time\n", command->n_done, command->n_jobs,
            command->cpu_s);
}

static int measure_all(struct command *command) {
  uint32_t n = command->options->n_jobs ? command->options->n_jobs : qsm_pool_n_cores();
  struct qsm_pool *pool = qsm_pool_create(n);
  if (!pool) return complain(QSM_EXIT_ENVIRONMENT, "out of memory");
  int code = start_some(command, pool);
  while (!code && command->n_done < command->n_jobs) {
    struct qsm_pool_end end;
    switch (qsm_pool_wait(pool, &end)) {
      case QSM_POOL_ENDED:
        code = take_end(command, &end);
        show(command);
        break;
      case QSM_POOL_CLOSING:
      case QSM_POOL_INTERRUPTED: code = QSM_EXIT_INTERRUPTED; break;
      case QSM_POOL_TICK: break;
    }
    if (!code) code = start_some(command, pool);
  }
  qsm_pool_destroy(pool);
  if (code == QSM_EXIT_INTERRUPTED)
    fprintf(stderr, "qsm: interrupted: %zu points remain; the same command goes on from there\n",
            command->n_jobs - command->n_done);
  return !code && command->n_failed ? QSM_EXIT_WRONG : code;
}

// ---- What it says ----

static void print_times(const struct qsm_profile *profile, uint32_t kernel) {
  uint32_t n_sms = profile->key.n_sms;
  const uint64_t *s0 = qsm_profile_times(profile, 0, kernel);
  printf(" %9" PRIu64 " %9" PRIu64 " %9" PRIu64, s0[0], s0[(n_sms + 1) / 2 - 1], s0[n_sms - 1]);
  for (uint32_t policy = 1; policy < QSM_PROFILE_POLICIES; policy++) {
    const uint64_t *times = qsm_profile_times(profile, policy, kernel);
    if (times)
      printf(" %9" PRIu64, times[n_sms - 1]);
    else
      printf(" %9s", "-");
  }
  putchar('\n');
}

static void print_profile(const struct qsm_profile *profile, uint32_t *n_small) {
  uint32_t n_sms = profile->key.n_sms, n_measured = 0;
  for (uint32_t c = 0; c < n_sms; c++) n_measured += profile->measured[0][c];
  printf("%s, size %s, on %s: %" PRIu32 " distinct kernels; s0 measured on %" PRIu32
         " numbers of SMs of %" PRIu32 "%s\n",
         profile->key.app->name, qsm_app_size_names[profile->key.size], profile->key.config,
         profile->n_kernels, n_measured, n_sms, n_measured < n_sms ? ", others interpolated" : "");
  printf("%4s %-22s %-22s %8s %7s %7s %6s %9s %9s %9s %9s %9s %9s\n", "", "kernel", "first step",
         "launches", "blocks", "threads", "demand", "s0, 1", "s0, half", "s0, all", "s1, all",
         "s2, all", "s12, all");
  for (uint32_t i = 0; i < profile->n_kernels; i++) {
    const struct qsm_profile_kernel *kernel = &profile->kernel[i];
    uint32_t demand = qsm_profile_demand(profile, i);
    *n_small += 2 * demand < n_sms;
    printf("%4" PRIu32 " %-22s %-22s %8" PRIu32 " %7" PRIu32 " %7" PRIu32 " %6" PRIu32, i,
           kernel->name, kernel->step, kernel->launches, kernel->blocks, kernel->threads, demand);
    print_times(profile, i);
  }
}

static int finish_profile(struct command *command, uint32_t app, uint32_t *n_kernels,
                          uint32_t *n_small) {
  struct qsm_profile profile = {.key = command->key[app]};
  int failed = qsm_profile_store_read(command->store, command->profile[app], &profile) ||
               qsm_profile_store_fill(command->store, command->profile[app], &profile);
  if (failed)
    complain(QSM_EXIT_ENVIRONMENT, qsm_profile_store_error(command->store));
  else if (!command->options->quiet)
    print_profile(&profile, n_small);
  *n_kernels += profile.n_kernels;
  for (uint32_t i = 0; i < QSM_PROFILE_POLICIES; i++) free(profile.times[i]);
  free(profile.kernel);
  return failed ? QSM_EXIT_ENVIRONMENT : 0;
}

static int finish(struct command *command) {
  uint32_t n_kernels = 0, n_small = 0;
  int code = 0;
  for (uint32_t i = 0; !code && i < command->n_apps; i++)
    code = finish_profile(command, i, &n_kernels, &n_small);
  if (!code && !command->options->quiet)
    printf("%" PRIu32 " of %" PRIu32
           " distinct kernels want less than half of the SMs; %zu points measured now, %.0f s of "
           "CPU time; database %s\n",
           n_small, n_kernels, command->n_jobs, command->cpu_s, command->path);
  return code;
}

static int open_store(struct command *command) {
  if (!command->options->db && qsm_folder_make(QSM_FOLDER_RESULTS))
    return complain(QSM_EXIT_ENVIRONMENT, QSM_FOLDER_RESULTS ": cannot be made");
  command->path = command->options->db ? command->options->db : QSM_FOLDER_RESULTS "/profiles.db";
  command->store = qsm_profile_store_open(command->path, true, command->msg, sizeof command->msg);
  return command->store ? 0 : complain(QSM_EXIT_ENVIRONMENT, command->msg);
}

int qsm_profile_command(const struct qsm_profile_options *options) {
  struct command command = {.options = options};
  int code = make_keys(&command);
  if (!code) code = read_counts(&command);
  if (!code) code = open_store(&command);
  if (!code) code = plan(&command);
  if (!code && command.n_jobs) code = measure_all(&command);
  if (!code) code = finish(&command);
  qsm_profile_store_close(command.store);
  free(command.job);
  free(command.key);
  free(command.profile);
  return code;
}
