// SPDX-License-Identifier: Apache-2.0
#include "qsm_shard.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- Making ----

static int enter(struct qsm_store *store, struct qsm_sweep_job *job, size_t number) {
  const struct qsm_sweep_run *run = job->run;
  job->id = (int64_t)number + 1;
  return qsm_sql_put(
      qsm_store_sql(store),
      "INSERT INTO runs (id, scenario, inputs, reference, variant, label, programs, goal)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      "ittitttt", job->id, job->scenario, job->inputs, (int64_t)!run, run ? run->variant : NULL,
      run ? run->label : NULL, run ? run->programs : NULL, run ? run->goal : NULL);
}

struct qsm_store *qsm_shard_create(const char *path, struct qsm_sweep_jobs *jobs,
                                   const size_t *number, char *msg, size_t msg_len) {
  struct qsm_store *store = qsm_store_open(path, QSM_STORE_SHARED, msg, msg_len);
  if (!store) return NULL;
  struct qsm_sql *sql = qsm_store_sql(store);
  int failed = qsm_sql_execute(sql, "BEGIN; CREATE TABLE shard (build TEXT, sweep TEXT)") ||
               qsm_sql_put(sql, "INSERT INTO shard VALUES (?, ?)", "tt", jobs->build, jobs->sweep);
  for (size_t i = 0; !failed && i < jobs->n; i++) failed = enter(store, &jobs->list[i], number[i]);
  if (!failed && qsm_sql_execute(sql, "COMMIT") == 0) return store;
  snprintf(msg, msg_len, "%s", qsm_store_error(store));
  qsm_store_close(store);
  return NULL;
}

// ---- A copy: a dead writer's journal is rolled back in it, the shard stays as it is ----

struct copy {
  char folder[PATH_MAX / 2], db[PATH_MAX], journal[PATH_MAX];
};

// What changes when a writer is at work: the counter of its transactions, and its journal.
struct trace {
  unsigned char counter[4];
  bool has_journal;
  off_t bytes, journal_bytes;
  struct timespec journal_time;
};

static int look(const char *path, const char *journal, struct trace *trace) {
  struct stat state;
  *trace = (struct trace){.bytes = 0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  int failed = fstat(fd, &state);
  trace->bytes = state.st_size;
  if (!failed && pread(fd, trace->counter, sizeof trace->counter, 24) < 0) failed = -1;
  close(fd);
  trace->has_journal = stat(journal, &state) == 0;
  if (trace->has_journal) {
    trace->journal_bytes = state.st_size;
    trace->journal_time = state.st_mtim;
  }
  return failed;
}

static bool same(const struct trace *a, const struct trace *b) {
  return memcmp(a->counter, b->counter, sizeof a->counter) == 0 && a->bytes == b->bytes &&
         a->has_journal == b->has_journal && a->journal_bytes == b->journal_bytes &&
         a->journal_time.tv_sec == b->journal_time.tv_sec &&
         a->journal_time.tv_nsec == b->journal_time.tv_nsec;
}

static int copy_bytes(int from, int to) {
  char block[65536];
  ssize_t n;
  while ((n = read(from, block, sizeof block)) > 0)
    for (ssize_t at = 0, put; at < n; at += put)
      if ((put = write(to, block + at, (size_t)(n - at))) < 0) return -1;
  return n < 0 ? -1 : 0;
}

static int copy_file(const char *from_path, const char *to_path) {
  int from = open(from_path, O_RDONLY | O_CLOEXEC);
  int to = from < 0 ? -1 : open(to_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  int failed = to < 0 ? -1 : copy_bytes(from, to), error = errno;
  if (from >= 0) close(from);
  if (to >= 0 && close(to) && !failed) {
    failed = -1;
    error = errno;
  }
  errno = error;
  return failed;
}

// A copy during which nothing was written. 1: somebody wrote; -1 with errno.
static int try_copy(const char *path, const char *journal, const struct copy *copy) {
  struct trace before, after;
  unlink(copy->journal);
  if (look(path, journal, &before)) return -1;
  if (before.has_journal && copy_file(journal, copy->journal)) return errno == ENOENT ? 1 : -1;
  if (copy_file(path, copy->db) || look(path, journal, &after)) return -1;
  return same(&before, &after) ? 0 : 1;
}

static void drop(const struct copy *copy) {
  unlink(copy->journal);
  unlink(copy->db);
  rmdir(copy->folder);
}

static int make_folder(struct copy *copy) {
  const char *scratch = getenv("TMPDIR");
  int len = snprintf(copy->folder, sizeof copy->folder, "%s/qsm-shard-XXXXXX",
                     scratch && *scratch ? scratch : "/tmp");
  if (len >= (int)sizeof copy->folder) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (!mkdtemp(copy->folder)) return -1;
  snprintf(copy->db, sizeof copy->db, "%s/shard.db", copy->folder);
  snprintf(copy->journal, sizeof copy->journal, "%s/shard.db-journal", copy->folder);
  return 0;
}

static int make_copy(const char *path, struct copy *copy, char *msg, size_t msg_len) {
  static const struct timespec pause = {.tv_nsec = 100000000};
  char journal[PATH_MAX];
  snprintf(journal, sizeof journal, "%s-journal", path);
  if (make_folder(copy)) {
    snprintf(msg, msg_len, "scratch folder for a copy of %s: %s", path, strerror(errno));
    return -1;
  }
  int status = 1;
  for (int tries = 0; status == 1 && tries < 50; tries++) {
    if (tries) nanosleep(&pause, NULL);
    status = try_copy(path, journal, copy);
  }
  if (status == 0) return 0;
  snprintf(msg, msg_len, "%s: %s", path,
           status == 1 ? "written to all the time, cannot be copied" : strerror(errno));
  drop(copy);
  return -1;
}

// ---- Reading ----

static int64_t number(struct qsm_sql *sql, const char *text) {
  return qsm_sql_number(sql, qsm_sql_prepare(sql, text, ""));
}

// A message of SQLite about the copy names the shard instead.
static enum qsm_shard_state bad(const char *path, const struct copy *copy, const char *what,
                                char *msg, size_t msg_len) {
  size_t n = strlen(copy->db);
  bool named = strncmp(what, copy->db, n) == 0 && what[n] == ':';
  snprintf(msg, msg_len, "%s: %s", path, named ? what + n + 2 : what);
  return QSM_SHARD_BAD;
}

static enum qsm_shard_state check_owner(struct qsm_sql *sql, const char *path,
                                        const struct copy *copy, const struct qsm_sweep_jobs *jobs,
                                        char *msg, size_t msg_len) {
  sqlite3_stmt *statement = qsm_sql_prepare(sql, "SELECT build, sweep FROM shard", "");
  enum qsm_shard_state state = QSM_SHARD_OK;
  int row = qsm_sql_next(sql, statement);
  if (row < 0)
    state = bad(path, copy, sql->msg, msg, msg_len);
  else if (row) {
    const char *build = (const char *)sqlite3_column_text(statement, 0),
               *sweep = (const char *)sqlite3_column_text(statement, 1);
    bool own_build = build && strcmp(build, jobs->build) == 0;
    if (!own_build || !sweep || strcmp(sweep, jobs->sweep) != 0) {
      snprintf(msg, msg_len, "%s: of another %s (%s, this one is %s)", path,
               own_build ? "sweep" : "build of qsm",
               own_build ? (sweep ? sweep : "none") : (build ? build : "none"),
               own_build ? jobs->sweep : jobs->build);
      state = QSM_SHARD_FOREIGN;
    }
  }
  sqlite3_finalize(statement);
  return state;
}

// Opens the copy; *store NULL and OK: nothing is in it.
static enum qsm_shard_state open_copy(const char *path, const struct copy *copy,
                                      const struct qsm_sweep_jobs *jobs, struct qsm_store **store,
                                      char *msg, size_t msg_len) {
  char what[1100];
  *store = qsm_store_open(copy->db, QSM_STORE_SHARED, what, sizeof what);
  if (!*store) return bad(path, copy, what, msg, msg_len);
  struct qsm_sql *sql = qsm_store_sql(*store);
  int64_t n_wrong =
              number(sql, "SELECT count(*) FROM pragma_quick_check WHERE quick_check <> 'ok'"),
          n_tables = number(sql, "SELECT count(*) FROM sqlite_master WHERE name = 'shard'");
  enum qsm_shard_state state =
      n_wrong < 0 || n_tables < 0 ? bad(path, copy, sql->msg, msg, msg_len)
      : n_wrong  ? bad(path, copy, "database disk image is malformed", msg, msg_len)
      : n_tables ? check_owner(sql, path, copy, jobs, msg, msg_len)
                 : QSM_SHARD_OK;
  if (state || !n_tables) {
    qsm_store_close(*store);
    *store = NULL;
  }
  return state;
}

static int learn_row(struct qsm_store *store, sqlite3_stmt *row, struct qsm_sweep_jobs *jobs) {
  int64_t id = sqlite3_column_int64(row, 0);
  const char *scenario = (const char *)sqlite3_column_text(row, 2);
  struct qsm_sweep_job *job = id > 0 && (size_t)id <= jobs->n ? &jobs->list[id - 1] : NULL;
  if (!job || !scenario || strcmp(scenario, job->scenario) != 0)
    return qsm_sql_fail(qsm_store_sql(store), "a run that the sweep does not have");
  if (job->status != QSM_STORE_WAITING) return 0;
  bool ok = strcmp((const char *)sqlite3_column_text(row, 1), "ok") == 0;
  job->status = ok ? QSM_STORE_OK : QSM_STORE_FAILED;
  return !job->run && ok ? qsm_store_alone(store, id, &job->alone_instructions, &job->alone_cycles)
                         : 0;
}

static int learn_all(struct qsm_store *store, struct qsm_sweep_jobs *jobs) {
  struct qsm_sql *sql = qsm_store_sql(store);
  sqlite3_stmt *statement =
      qsm_sql_prepare(sql, "SELECT id, status, scenario FROM runs WHERE status <> 'waiting'", "");
  int row, failed = 0;
  while (!failed && (row = qsm_sql_next(sql, statement)) != 0)
    failed = row < 0 ? -1 : learn_row(store, statement, jobs);
  sqlite3_finalize(statement);
  return failed;
}

enum qsm_shard_state qsm_shard_learn(const char *path, struct qsm_sweep_jobs *jobs, char *msg,
                                     size_t msg_len) {
  struct copy copy;
  struct qsm_store *store;
  if (make_copy(path, &copy, msg, msg_len)) return QSM_SHARD_BAD;
  enum qsm_shard_state state = open_copy(path, &copy, jobs, &store, msg, msg_len);
  if (!state && store && learn_all(store, jobs))
    state = bad(path, &copy, qsm_store_error(store), msg, msg_len);
  qsm_store_close(store);
  drop(&copy);
  return state;
}

// ---- Merging ----

#define RUN_FIGURES \
  "status, exit_code, signal, error, config, policy, scheme, seed, cycles, energy_j, power_w"
#define KERNEL_FIGURES \
  "instructions, goal_q16, reached, launches, checks_passed, checks_failed, started, finished, energy_j, sms_mean"

// Runs of the shard and of the database; of the shard's, those that are new there, and those that
// it has already.
static const char begin_merge[] =
    "BEGIN IMMEDIATE;"
    "CREATE TEMP TABLE IF NOT EXISTS fresh (theirs INTEGER PRIMARY KEY, ours INTEGER);"
    "CREATE TEMP TABLE IF NOT EXISTS again (theirs INTEGER PRIMARY KEY, ours INTEGER);"
    "DELETE FROM fresh; DELETE FROM again;"
    "INSERT INTO fresh SELECT theirs, ours FROM map JOIN shard.runs s ON s.id = theirs JOIN main.runs m ON m.id = ours"
    "  WHERE s.status <> 'waiting' AND m.status = 'waiting';"
    "INSERT INTO again SELECT theirs, ours FROM map JOIN shard.runs s ON s.id = theirs JOIN main.runs m ON m.id = ours"
    "  WHERE s.status <> 'waiting' AND m.status <> 'waiting'";

static const char count_strangers[] =
    "SELECT count(*) FROM shard.runs s LEFT JOIN map ON theirs = s.id LEFT JOIN main.runs m ON m.id = ours"
    "  WHERE m.scenario IS NOT s.scenario OR m.inputs IS NOT s.inputs OR m.reference IS NOT s.reference";

static const char take_fresh[] =
    "UPDATE main.runs SET (" RUN_FIGURES
    ", cpu_s, ended_at) ="
    "  (SELECT " RUN_FIGURES
    ", cpu_s, ended_at FROM shard.runs s JOIN fresh ON theirs = s.id WHERE ours = main.runs.id)"
    "  WHERE id IN (SELECT ours FROM fresh);"
    "INSERT INTO main.kernels (run, slot, name, class, alone, " KERNEL_FIGURES
    ")"
    "  SELECT ours, slot, name, class, (SELECT ours FROM map WHERE theirs = alone), " KERNEL_FIGURES
    "  FROM shard.kernels JOIN fresh ON theirs = run;"
    "INSERT INTO main.epochs SELECT ours, slot, cycle, instructions, quota, counter FROM shard.epochs JOIN fresh ON theirs = run;"
    "INSERT INTO main.sms SELECT ours, sm, instructions FROM shard.sms JOIN fresh ON theirs = run;"
    "INSERT INTO main.sm_epochs SELECT ours, slot, cycle, sms, gated, opt, upper, lower FROM shard.sm_epochs JOIN fresh ON theirs = run;"
    "INSERT INTO main.launch_times SELECT ours, slot, kills, p50, p99, longest FROM shard.launch_times JOIN fresh ON theirs = run;"
    "COMMIT";

// In each table, of the runs that are there again: what only one of the two has.
#define ONLY_ONE(OURS, THEIRS)                                                                   \
  "SELECT run FROM (SELECT * FROM (" OURS " EXCEPT " THEIRS ") UNION ALL SELECT * FROM (" THEIRS \
  " EXCEPT " OURS "))"
static const char
    find_difference[] =
        ONLY_ONE(
            "SELECT id AS run, " RUN_FIGURES " FROM main.runs JOIN again ON ours = id", "SELECT ours AS run, " RUN_FIGURES " FROM shard.runs JOIN again ON theirs = id") " UNION ALL " ONLY_ONE("SELECT run, slot, name, class, alone, " KERNEL_FIGURES
                                                                                                                                                                                                " FROM main.kernels JOIN again ON ours = run",
                                                                                                                                                                                                "SELECT ours AS run, slot, name, class, (SELECT ours FROM map WHERE theirs = alone), " KERNEL_FIGURES " FROM shard.kernels JOIN again ON theirs = run") " UNION ALL " ONLY_ONE("SELECT run, slot, cycle, instructions, quota, counter FROM main.epochs JOIN again ON ours = run", "SELECT ours AS run, slot, cycle, instructions, quota, counter FROM shard.epochs JOIN again ON theirs = run") " UNION ALL " ONLY_ONE("SELECT run, sm, instructions FROM main.sms JOIN again ON ours = run",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       "SELECT ours AS run, sm, instructions FROM shard.sms JOIN again ON theirs = run") " UNION ALL " ONLY_ONE("SELECT run, slot, cycle, sms, gated, opt, upper, lower FROM main.sm_epochs JOIN again ON ours = run", "SELECT ours AS run, slot, cycle, sms, gated, opt, upper, lower FROM shard.sm_epochs JOIN again ON theirs = run") " UNION ALL " ONLY_ONE("SELECT run, slot, kills, p50, p99, longest FROM main.launch_times JOIN again ON ours = run", "SELECT ours AS run, slot, kills, p50, p99, longest FROM shard.launch_times JOIN again ON theirs = run") " LIMIT 1";

// Once for all shards of a merge.
static int fill_map(struct qsm_sql *sql, const struct qsm_sweep_jobs *jobs) {
  if (qsm_sql_execute(
          sql,
          "CREATE TEMP TABLE IF NOT EXISTS map (theirs INTEGER PRIMARY KEY, ours INTEGER UNIQUE)"))
    return -1;
  int64_t n = number(sql, "SELECT count(*) FROM map");
  if (n < 0 || (size_t)n == jobs->n) return n < 0 ? -1 : 0;
  if (qsm_sql_execute(sql, "BEGIN; DELETE FROM map")) return -1;
  for (size_t i = 0; i < jobs->n; i++)
    if (qsm_sql_put(sql, "INSERT INTO map VALUES (?, ?)", "ii", (int64_t)i + 1, jobs->list[i].id)) {
      qsm_sql_roll_back(sql);
      return -1;
    }
  return qsm_sql_execute(sql, "COMMIT");
}

// The run whose result differs, 0: none; -1: an error.
static int64_t different(struct qsm_sql *sql) {
  return qsm_sql_number(sql, qsm_sql_prepare(sql, find_difference, ""));
}

static enum qsm_shard_state merge_attached(const char *path, const struct qsm_sweep_jobs *jobs,
                                           struct qsm_sql *sql, char *msg, size_t msg_len) {
  int64_t run = -1;
  if (fill_map(sql, jobs)) {
    snprintf(msg, msg_len, "%s: cannot be merged: %s", path, sql->msg);
    return QSM_SHARD_BAD;
  }
  if (number(sql, count_strangers) > 0) {
    snprintf(msg, msg_len, "%s: has runs that the sweep does not have", path);
    return QSM_SHARD_BAD;
  }
  bool done = qsm_sql_execute(sql, begin_merge) == 0 && (run = different(sql)) >= 0 &&
              qsm_sql_execute(sql, take_fresh) == 0;
  if (!done) {
    snprintf(msg, msg_len, "%s: cannot be merged: %s", path, sql->msg);
    qsm_sql_roll_back(sql);
    return QSM_SHARD_BAD;
  }
  if (run == 0) return QSM_SHARD_OK;
  for (size_t i = 0; i < jobs->n; i++) {
    char title[640] = "a reference";
    if (jobs->list[i].id != run) continue;
    if (jobs->list[i].run) qsm_sweep_run_title(jobs->list[i].run, title, sizeof title);
    snprintf(msg, msg_len, "%s: run %" PRId64 " (%s) has another result than in %s", path, run,
             title, sql->path);
  }
  return QSM_SHARD_DIFFERS;
}

enum qsm_shard_state qsm_shard_merge(const char *path, const struct qsm_sweep_jobs *jobs,
                                     struct qsm_store *into, char *msg, size_t msg_len) {
  struct copy copy;
  struct qsm_store *store;
  struct qsm_sql *sql = qsm_store_sql(into);
  if (make_copy(path, &copy, msg, msg_len)) return QSM_SHARD_BAD;
  enum qsm_shard_state state = open_copy(path, &copy, jobs, &store, msg, msg_len);
  bool any = store != NULL;
  qsm_store_close(store);
  if (!state && any) {
    if (qsm_sql_put(sql, "ATTACH ? AS shard", "t", copy.db)) {
      snprintf(msg, msg_len, "%s: %s", path, sql->msg);
      state = QSM_SHARD_BAD;
    } else {
      state = merge_attached(path, jobs, sql, msg, msg_len);
      qsm_sql_execute(sql, "DETACH shard");
    }
  }
  drop(&copy);
  return state;
}

// ---- Giving ----

static const char give_known[] =
    "BEGIN IMMEDIATE;"
    "UPDATE shard.runs SET (" RUN_FIGURES
    ") ="
    "  (SELECT " RUN_FIGURES
    " FROM main.runs m JOIN map ON ours = m.id WHERE theirs = shard.runs.id);"
    "INSERT INTO shard.kernels (run, slot, name, class, " KERNEL_FIGURES
    ")"
    "  SELECT theirs, slot, name, class, " KERNEL_FIGURES
    "  FROM main.kernels JOIN map ON ours = run WHERE theirs IN (SELECT id FROM shard.runs);"
    "COMMIT";

int qsm_shard_give(const char *path, const struct qsm_sweep_jobs *jobs,
                   struct qsm_sweep_jobs *known, const size_t *numbers, struct qsm_store *from,
                   char *msg, size_t msg_len) {
  struct qsm_sql *sql = qsm_store_sql(from);
  struct qsm_store *made = qsm_shard_create(path, known, numbers, msg, msg_len);
  if (!made) return -1;
  qsm_store_close(made);
  int failed = fill_map(sql, jobs) || qsm_sql_put(sql, "ATTACH ? AS shard", "t", path);
  if (!failed) {
    failed = qsm_sql_execute(sql, give_known);
    if (failed) qsm_sql_roll_back(sql);
    sqlite3_exec(sql->db, "DETACH shard", NULL, NULL, NULL);
  }
  if (failed) snprintf(msg, msg_len, "%s: cannot be made: %s", path, sql->msg);
  return failed;
}
