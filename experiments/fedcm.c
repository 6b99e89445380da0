// SPDX-License-Identifier: Apache-2.0
// Runs the cases of the experiment on collocation (qsm_fedcm_cases.h) on all cores and keeps what
// comes out in a database; a case that is there already, of the same programs and simulator, is not
// run again.
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_fedcm_cases.h"
#include "qsm_fedcm_pair.h"
#include "qsm_options.h"
#include "qsm_pool.h"
#include "qsm_sql.h"

enum { EXIT_BAD_INPUT = 2, EXIT_INTERRUPTED = 130, MOST_PROFILES = 64 };

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY, key TEXT UNIQUE, stamp TEXT, workload"
    " TEXT, n INTEGER, config TEXT, runtime TEXT, sigma REAL, gamma REAL, seed INTEGER,"
    " decision_cycles INTEGER, mask_cycles INTEGER, cycles INTEGER, l2_requests INTEGER, l2_found"
    " INTEGER, memory_busy REAL, sa_loads INTEGER, sa_found INTEGER, decisions INTEGER,"
    " decision_ns INTEGER, cpu_s REAL);"
    "CREATE TABLE IF NOT EXISTS apps (run INTEGER REFERENCES runs ON DELETE CASCADE, slot INTEGER,"
    " app TEXT, begin INTEGER, end INTEGER, launches INTEGER, decided INTEGER, changed INTEGER,"
    " passes INTEGER, work INTEGER, u REAL, sms REAL, p50 INTEGER, p95 INTEGER, p99 INTEGER,"
    " mean REAL, PRIMARY KEY (run, slot)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS shares (run INTEGER REFERENCES runs ON DELETE CASCADE, slot"
    " INTEGER, sm INTEGER, share REAL, PRIMARY KEY (run, slot, sm)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS cases (part TEXT, position INTEGER, label TEXT, run INTEGER"
    " REFERENCES runs ON DELETE CASCADE, PRIMARY KEY (part, position)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS kernels (config TEXT, app TEXT, kernel INTEGER, name TEXT, launches"
    " INTEGER, blocks INTEGER, demand INTEGER, s0 INTEGER, s1 INTEGER, s2 INTEGER, s12 INTEGER,"
    " critical INTEGER, PRIMARY KEY (config, app, kernel)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS pairs (position INTEGER PRIMARY KEY, label TEXT, first REAL, second"
    " REAL, first_n INTEGER, second_n INTEGER);"
    "CREATE TABLE IF NOT EXISTS requests (run INTEGER REFERENCES runs ON DELETE CASCADE, slot"
    " INTEGER, number INTEGER, latency INTEGER, PRIMARY KEY (run, slot, number)) WITHOUT ROWID;";

struct bench {
  const char *kernels, *profiles, *db_path, *part;
  enum qsm_app_size size;
  uint32_t n_jobs, n_requests;
  struct qsm_sql sql;
  struct qsm_fedcm_cases cases;
  struct {
    const char *config, *app;
    struct qsm_profile *profile;
  } known[MOST_PROFILES];
  uint32_t n_known, n_left_out;
};

static int fail(struct bench *bench, const char *what, const char *why) {
  snprintf(bench->sql.msg, sizeof bench->sql.msg, "%.200s: %.450s", what, why);
  return -1;
}

// ---- Database ----

static int open_database(struct bench *bench) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  struct qsm_sql *sql = &bench->sql;
  return qsm_sql_name(sql, bench->db_path) || qsm_sql_open(sql, flags) ||
                 qsm_sql_execute(sql, "PRAGMA foreign_keys = ON") || qsm_sql_execute(sql, tables)
             ? -1
             : 0;
}

// The number of the run with this key and stamp; 0: there is none (any more).
static int64_t find_run(struct bench *bench, const char *key, const char *stamp) {
  if (qsm_sql_put(&bench->sql, "DELETE FROM runs WHERE key = ? AND stamp <> ?", "tt", key, stamp))
    return -1;
  return qsm_sql_number(
      &bench->sql, qsm_sql_prepare(&bench->sql, "SELECT id FROM runs WHERE key = ?", "t", key));
}

// ---- Profiles ----

static struct qsm_profile *profile_of(struct bench *bench, const char *config,
                                      const struct qsm_app *app, enum qsm_app_size size) {
  struct qsm_profile_key key;
  char msg[512];
  for (uint32_t i = 0; i < bench->n_known; i++)
    if (strcmp(bench->known[i].config, config) == 0 && strcmp(bench->known[i].app, app->name) == 0)
      return bench->known[i].profile;
  struct qsm_profile *profile = NULL;
  if (qsm_profile_key(config, app, size, &key, msg, sizeof msg) ||
      !(profile = qsm_profile_load(bench->profiles, &key, msg, sizeof msg))) {
    fail(bench, "profile", msg);
    return NULL;
  }
  if (bench->n_known == MOST_PROFILES) {
    fail(bench, "profiles", "too many");
    qsm_profile_free(profile);
    return NULL;
  }
  bench->known[bench->n_known].config = config;
  bench->known[bench->n_known].app = app->name;
  bench->known[bench->n_known++].profile = profile;
  return profile;
}

// A kernel's time on all SMs; 0 (NULL in the table): this policy was not measured.
static int64_t time_on_all(const struct qsm_profile *profile, uint32_t policy, uint32_t kernel) {
  const uint64_t *times = qsm_profile_times(profile, policy, kernel);
  return times ? (int64_t)times[profile->key.n_sms - 1] : 0;
}

// The distinct kernels with what decisions go by (figure 3a; which bypasses gamma lets through).
static int keep_kernels(struct bench *bench, const struct qsm_profile *profile,
                        const char *config) {
  const struct qsm_collocation_machine machine = {profile->key.n_sms, 0};
  struct qsm_collocation_options options = qsm_collocation_defaults;
  options.scheme = QSM_COLLOCATION_FEDC;  // the same critical ones, without times of bypasses
  char msg[256];
  struct qsm_collocation *one = qsm_collocation_create(&machine, &options, msg, sizeof msg);
  struct qsm_collocation_kernel *kernels = calloc(profile->n_kernels, sizeof *kernels);
  int failed = one && kernels ? 0 : fail(bench, "kernels", "out of memory");
  for (uint32_t k = 0; !failed && k < profile->n_kernels; k++)
    for (uint32_t s = 0; s < QSM_COLLOCATION_POLICIES; s++)
      kernels[k].time[s] = qsm_profile_times(profile, s, k);
  if (!failed && qsm_collocation_add(one, kernels, profile->n_kernels, msg, sizeof msg) < 0)
    failed = fail(bench, "kernels", msg);
  for (uint32_t k = 0; !failed && k < profile->n_kernels; k++)
    failed = qsm_sql_put(
        &bench->sql,
        "INSERT OR REPLACE INTO kernels VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0),"
        " nullif(?, 0), nullif(?, 0), ?)",
        "ttitiiiiiiii", config, profile->key.app->name, (int64_t)k, profile->kernel[k].name,
        (int64_t)profile->kernel[k].launches, (int64_t)profile->kernel[k].blocks,
        (int64_t)qsm_profile_demand(profile, k), time_on_all(profile, 0, k),
        time_on_all(profile, 1, k), time_on_all(profile, 2, k), time_on_all(profile, 3, k),
        (int64_t)qsm_collocation_is_critical(one, 0, k));
  free(kernels);
  qsm_collocation_destroy(one);
  return failed;
}

// ---- A case ----

struct job {
  const struct qsm_fedcm_case *one;
  struct qsm_collocated_setting setting;
  char key[512], stamp[64];
};

struct result {
  struct qsm_collocated_outcome outcome;
  struct qsm_collocated_host host;
};

static int set_apps(struct bench *bench, struct job *job) {
  char text[256], *rest = NULL;
  uint64_t stamp = 0;
  snprintf(text, sizeof text, "%s", job->one->workload);
  for (char *name = strtok_r(text, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) {
    const struct qsm_app *app = qsm_app_by_name(name);
    if (!app || job->setting.n_apps == QSM_COLLOCATED_MOST)
      return fail(bench, job->one->workload, app ? "too many applications" : "no such application");
    const struct qsm_profile *profile = profile_of(bench, job->one->config, app, job->one->size);
    if (!profile) return -1;
    stamp = stamp * 31 + profile->key.config_hash + profile->key.program_hash * 3 +
            profile->key.timing_hash * 7;
    struct qsm_collocated_app *to = &job->setting.app[job->setting.n_apps++];
    *to = (struct qsm_collocated_app){.app = app, .profile = profile, .n_passes = 1};
    if (!job->one->n_requests) continue;
    bool first = job->setting.n_apps == 1;
    bool asked = qsm_fedcm_is_asked(job->one, job->setting.n_apps - 1);
    to->n_passes = asked ? job->one->n_requests : 0;
    to->thread_limit = first ? job->one->thread_limit : job->one->other_limit;
    if (!first) continue;
    to->n_sms = job->one->n_sms;
    to->goal_permille = job->one->goal_permille;
    to->one_goal = job->one->one_goal;
    to->budget = job->one->budget;
  }
  snprintf(job->stamp, sizeof job->stamp, "%016" PRIx64, stamp);
  return 0;
}

static int make_job(struct bench *bench, const struct qsm_fedcm_case *one, struct job *job) {
  *job = (struct job){
      .one = one,
      .setting = {.config = one->config,
                  .kernel_folder = bench->kernels,
                  .size = one->size,
                  .options = {one->runtime, one->sigma, one->gamma, one->draw_seed},
                  .seed = 1,
                  .decision_cycles = one->decision_cycles,
                  .mask_cycles = one->runtime < QSM_COLLOCATION_KRISP ? 0 : one->mask_cycles,
                  .poll_cycles = 32,
                  .own_slots = one->own_slots,
                  .policy = one->policy,
                  .scheme = one->scheme,
                  .epoch_cycles = one->epoch_cycles}};
  qsm_fedcm_key(one, job->key, sizeof job->key);
  return set_apps(bench, job);
}

// One application alone: how long it takes, and the IPC of its kernels.
static int run_alone(const struct job *job, uint32_t app, struct result *result, char *msg,
                     size_t msg_len) {
  struct qsm_collocated_setting alone = job->setting;
  alone.n_apps = 1;
  alone.app[0] = job->setting.app[app];
  alone.app[0].n_passes = 1;
  alone.app[0].goal_permille = alone.app[0].budget = 0;
  alone.app[0].thread_limit = alone.app[0].n_sms = 0;
  alone.options.scheme = QSM_COLLOCATION_CONCURRENT;
  alone.decision_cycles = alone.mask_cycles = 0;
  alone.own_slots = false;
  alone.scheme = qsmSchemeNone;
  alone.policy = qsmPolicyGto;
  return qsm_collocated_run(&alone, &result->outcome, NULL, msg, msg_len);
}

// In a worker.
static int work(const void *ctx, FILE *to) {
  struct job job = *(const struct job *)ctx;
  static struct result alone, result;
  char msg[512] = "";
  int failed = 0;
  for (uint32_t i = 0; !failed && i < job.setting.n_apps; i++) {
    struct qsm_collocated_app *app = &job.setting.app[i];
    if (!qsm_fedcm_is_asked(job.one, i)) continue;
    failed = run_alone(&job, i, &alone, msg, sizeof msg);
    app->mean_gap = alone.outcome.n_cycles * 100 / job.one->load_percent;
    if (i == 0 && job.one->goal_permille) app->alone = alone.outcome.app[0].kernel;
  }
  if (!failed)
    failed = qsm_collocated_run(&job.setting, &result.outcome, &result.host, msg, sizeof msg);
  if (failed) fprintf(stderr, "%s\n", msg);
  return failed || fwrite(&result, sizeof result, 1, to) != 1 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int keep_app(struct bench *bench, const struct job *job, int64_t run, uint32_t i,
                    const struct qsm_collocated_outcome *outcome) {
  const uint64_t *latency = outcome->app[i].latency;
  uint32_t n = outcome->app[i].n_passes;
  if (n > QSM_COLLOCATED_MOST_REQUESTS) n = QSM_COLLOCATED_MOST_REQUESTS;
  double mean = 0;
  for (uint32_t r = 0; r < n; r++) mean += (double)latency[r] / n;
  int failed = qsm_sql_put(
      &bench->sql, "INSERT INTO apps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      "iitiiiiiiirriiir", run, (int64_t)i, job->setting.app[i].app->name,
      (int64_t)outcome->app[i].begin, (int64_t)outcome->app[i].end,
      (int64_t)outcome->app[i].n_launches, (int64_t)outcome->app[i].n_decided,
      (int64_t)outcome->app[i].n_changed, (int64_t)outcome->app[i].n_passes,
      (int64_t)outcome->app[i].work, outcome->app[i].u, outcome->app[i].n_sms,
      (int64_t)qsm_collocated_percentile(latency, n, 50),
      (int64_t)qsm_collocated_percentile(latency, n, 95),
      (int64_t)qsm_collocated_percentile(latency, n, 99), mean);
  for (uint32_t r = 0; !failed && qsm_fedcm_is_asked(job->one, i) && r < n; r++)
    failed = qsm_sql_put(&bench->sql, "INSERT INTO requests VALUES (?, ?, ?, ?)", "iiii", run,
                         (int64_t)i, (int64_t)r, (int64_t)latency[r]);
  for (uint32_t sm = 0; !failed && sm < QSM_COLLOCATION_MOST_SMS; sm++)
    if (outcome->app[i].share[sm] > 0)
      failed = qsm_sql_put(&bench->sql, "INSERT INTO shares VALUES (?, ?, ?, ?)", "iiir", run,
                           (int64_t)i, (int64_t)sm, outcome->app[i].share[sm]);
  return failed;
}

static int keep(struct bench *bench, const struct job *job, const struct result *result,
                double cpu_s) {
  const struct qsm_collocated_outcome *outcome = &result->outcome;
  const struct qsm_fedcm_case *one = job->one;
  if (qsm_sql_execute(&bench->sql, "BEGIN IMMEDIATE")) return -1;
  int failed = qsm_sql_put(
      &bench->sql,
      "INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      "tttittrriiiiiiriiiir", job->key, job->stamp, one->workload, (int64_t)job->setting.n_apps,
      one->config, qsm_collocation_scheme_names[one->runtime], one->sigma, one->gamma,
      (int64_t)one->draw_seed, (int64_t)one->decision_cycles, (int64_t)one->mask_cycles,
      (int64_t)outcome->n_cycles, (int64_t)outcome->l2_requests, (int64_t)outcome->l2_found,
      outcome->memory_busy, (int64_t)outcome->sa_loads, (int64_t)outcome->sa_found,
      (int64_t)result->host.n_decisions, (int64_t)result->host.ns, cpu_s);
  int64_t run = sqlite3_last_insert_rowid(bench->sql.db);
  for (uint32_t i = 0; !failed && i < job->setting.n_apps; i++)
    failed = keep_app(bench, job, run, i, outcome);
  return failed || qsm_sql_execute(&bench->sql, "COMMIT") ? -1 : 0;
}

// ---- Two kernels (figure 3b) ----

static int keep_pairs(struct bench *bench) {
  static const struct {
    const char *label;
    bool first, second;
    int from, sms_first, sms_second;  // the second's first SM; SMs of each
    qsmCachePolicy policy;            // of the second
  } ways[] = {
      {"conv alone, 14 SMs", true, false, 0, 14, 0, 0},
      {"softmax alone, 14 SMs", false, true, 0, 0, 14, 0},
      {"exclusive, 7 + 7", true, true, 7, 7, 7, 0},
      {"collocated, 14", true, true, 0, 14, 14, 0},
      {"collocated, 14, softmax skips the array's cache", true, true, 0, 14, 14, 1},
      {"collocated, 14, softmax skips the L2", true, true, 0, 14, 14, 2},
      {"collocated, 14, softmax skips both", true, true, 0, 14, 14, 3},
  };
  char msg[512] = "";
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct qsm_fedcm_pair_side side[2] = {
        {.app = qsm_app_by_name("vgg"),
         .kernel = ways[i].first ? "conv" : NULL,
         .mask = ((qsmSmMask)1 << ways[i].sms_first) - 1},
        {.app = qsm_app_by_name("transformer"),
         .kernel = ways[i].second ? "softmax_rows" : NULL,
         .mask = (((qsmSmMask)1 << ways[i].sms_second) - 1) << ways[i].from,
         .policy = ways[i].policy}};
    if (qsm_fedcm_pair("rdna2", bench->kernels, bench->size, 300000, side, msg, sizeof msg))
      return fail(bench, ways[i].label, msg);
    if (qsm_sql_put(&bench->sql, "INSERT OR REPLACE INTO pairs VALUES (?, ?, ?, ?, ?, ?)", "itrrii",
                    (int64_t)i, ways[i].label, side[0].cycles, side[1].cycles,
                    (int64_t)side[0].n_launches, (int64_t)side[1].n_launches))
      return -1;
  }
  return 0;
}

// ---- All of them ----

static bool is_part(const struct bench *bench, const char *part) {
  return !bench->part || strcmp(bench->part, part) == 0;
}

static bool is_wanted(const struct bench *bench, const struct qsm_fedcm_case *one) {
  return is_part(bench, one->part);
}

// Applications of which only what their kernels want is asked (figure 3a): part "demand".
static void know_others(struct bench *bench) {
  static const char *const others[] = {"resnet", "inception"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (profile_of(bench, "rdna2", qsm_app_by_name(others[i]), bench->size)) continue;
    bench->n_left_out++;
    fprintf(stderr, "fedcm: %s: %s\n", others[i], bench->sql.msg);
  }
}

static bool is_planned(const struct job *jobs, size_t n, const struct job *job) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(jobs[i].key, job->key) == 0) return true;
  return false;
}

// A case without a profile is left out, and makes the command fail at its end.
static int plan(struct bench *bench, struct job *jobs, size_t *n_jobs) {
  *n_jobs = 0;
  for (uint32_t i = 0; i < bench->cases.n; i++) {
    struct job *job = &jobs[*n_jobs];
    if (!is_wanted(bench, &bench->cases.one[i])) continue;
    if (make_job(bench, &bench->cases.one[i], job)) {
      bench->n_left_out++;
      fprintf(stderr, "fedcm: %s: %s\n", bench->cases.one[i].workload, bench->sql.msg);
      continue;
    }
    int64_t run = find_run(bench, job->key, job->stamp);
    if (run < 0) return -1;
    if (run == 0 && !is_planned(jobs, *n_jobs, job)) ++*n_jobs;
  }
  if (is_part(bench, "demand")) know_others(bench);
  int failed = 0;
  for (uint32_t i = 0; !failed && i < bench->n_known; i++)
    failed = keep_kernels(bench, bench->known[i].profile, bench->known[i].config);
  return failed;
}

// 0, -1, or EXIT_INTERRUPTED.
static int run_jobs(struct bench *bench, const struct job *jobs, size_t n) {
  struct qsm_pool *pool = qsm_pool_create(bench->n_jobs ? bench->n_jobs : qsm_pool_n_cores());
  size_t next = 0, done = 0, wrong = 0;
  int failed = pool ? 0 : fail(bench, "processes", "out of memory");
  while (!failed && done < n) {
    struct qsm_pool_end end;
    for (; next < n && qsm_pool_n_free(pool); next++)
      if (qsm_pool_start(pool, next, work, &jobs[next])) return fail(bench, "processes", "none");
    enum qsm_pool_event event = qsm_pool_wait(pool, &end);
    if (event == QSM_POOL_INTERRUPTED || event == QSM_POOL_CLOSING) failed = EXIT_INTERRUPTED;
    if (event != QSM_POOL_ENDED) continue;
    done++;
    if (end.signal || end.exit_code || end.result_bytes != sizeof(struct result)) {
      wrong++;
      fprintf(stderr, "fedcm: %s: %s\n", jobs[end.tag].key,
              end.last_words[0] ? end.last_words : "its process has crashed");
    } else {
      failed = keep(bench, &jobs[end.tag], end.result, end.cpu_s);
      fprintf(stderr, "  %zu of %zu: %s: %.0f s\n", done, n, jobs[end.tag].key, end.cpu_s);
    }
    free(end.result);
  }
  qsm_pool_destroy(pool);
  if (failed == EXIT_INTERRUPTED)
    fprintf(stderr, "fedcm: interrupted; the command goes on there\n");
  return failed ? failed : wrong ? fail(bench, "runs", "some have failed") : 0;
}

// Which run each case is; what is not a case any more goes.
static int keep_cases(struct bench *bench) {
  struct job job;
  if (qsm_sql_put(&bench->sql, "DELETE FROM cases WHERE coalesce(part = ?, 1)", "t", bench->part))
    return -1;
  for (uint32_t i = 0; i < bench->cases.n; i++) {
    const struct qsm_fedcm_case *one = &bench->cases.one[i];
    if (!is_wanted(bench, one)) continue;
    if (make_job(bench, one, &job)) continue;
    if (qsm_sql_put(&bench->sql,
                    "INSERT OR REPLACE INTO cases SELECT ?, ?, ?, id FROM runs WHERE key = ?",
                    "titt", one->part, (int64_t)i, one->label, job.key))
      return -1;
  }
  return 0;
}

static int run_all(struct bench *bench) {
  struct job *jobs = calloc(QSM_FEDCM_MOST_CASES, sizeof *jobs);
  size_t n_jobs = 0;
  int failed = jobs ? open_database(bench) : fail(bench, "cases", "out of memory");
  qsm_fedcm_list(&bench->cases, bench->size, bench->n_requests);
  bool known = is_part(bench, "pairs") || is_part(bench, "demand");
  for (uint32_t i = 0; i < bench->cases.n; i++) known |= is_wanted(bench, &bench->cases.one[i]);
  if (!failed && !known) failed = fail(bench, bench->part, "no such part");
  if (!failed) failed = plan(bench, jobs, &n_jobs);
  if (!failed) failed = run_jobs(bench, jobs, n_jobs);
  if (!failed && is_part(bench, "pairs")) failed = keep_pairs(bench);
  if (!failed && bench->n_left_out) failed = fail(bench, "cases", "some have no profile");
  if (bench->sql.db) {  // what there is, after an interruption, too
    char part[600];
    snprintf(part, sizeof part, "%s", bench->sql.msg);
    if (keep_cases(bench)) failed = -1;
    if (part[0]) snprintf(bench->sql.msg, sizeof bench->sql.msg, "%s", part);
  }
  for (uint32_t i = 0; i < bench->n_known; i++) qsm_profile_free(bench->known[i].profile);
  sqlite3_close(bench->sql.db);
  free(jobs);
  return failed;
}

// ---- Command ----

static const struct argp_option option_table[] = {
    {"part", 'p', "NAME", 0, "only cases of this part", 0},
    {"size", 'z', "T|S|M", 0, "of the applications in all cases (default S)", 0},
    {"requests", 'r', "N", 0, "of each case with some (default 10)", 0},
    {"jobs", 'j', "N", 0, "runs at a time (default: one for each core)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct bench *bench = state->input;
  const char **places[] = {&bench->kernels, &bench->profiles, &bench->db_path};
  switch (key) {
    case 'p': bench->part = arg; break;
    case 'z':
      if (!qsm_app_size_by_name(arg, &bench->size))
        argp_error(state, "--size %s: must be T, S or M", arg);
      break;
    case 'r':
      bench->n_requests =
          (uint32_t)qsm_option_number(state, "requests", arg, 1, QSM_COLLOCATED_MOST_REQUESTS);
      break;
    case 'j': bench->n_jobs = (uint32_t)qsm_option_number(state, "jobs", arg, 1, 1024); break;
    case ARGP_KEY_ARG:
      if (state->arg_num >= 3) argp_error(state, "too many arguments: '%s'", arg);
      *places[state->arg_num] = arg;
      break;
    case ARGP_KEY_END:
      if (!bench->db_path) argp_error(state, "which KERNELS, PROFILES and DATABASE?");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

int main(int argc, char **argv) {
  static struct bench bench = {.size = QSM_APP_S, .n_requests = 10};
  const struct argp argp = {option_table,
                            parse,
                            "KERNELS PROFILES DATABASE",
                            "Runs applications side by side; PROFILES is of qsm profile.",
                            0,
                            0,
                            0};
  argp_err_exit_status = EXIT_BAD_INPUT;
  argp_parse(&argp, argc, argv, 0, NULL, &bench);
  int failed = run_all(&bench);
  if (failed < 0) fprintf(stderr, "fedcm: %s\n", bench.sql.msg);
  return failed == EXIT_INTERRUPTED ? failed : failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
