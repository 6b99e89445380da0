// SPDX-License-Identifier: Apache-2.0
#include "qsm_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "qsm_regs.h"
#include "qsm_result.h"
#include "qsm_store_schema.h"

struct qsm_store {
  struct qsm_sql sql;
  int lock_fd;  // of the writer
};

sqlite3 *qsm_store_handle(struct qsm_store *store) { return store->sql.db; }
const char *qsm_store_error(const struct qsm_store *store) { return store->sql.msg; }
struct qsm_sql *qsm_store_sql(struct qsm_store *store) { return &store->sql; }

// Runs a statement that gives at most one row, which stays readable until it is finalized.
static int step(struct qsm_store *store, sqlite3_stmt *statement) {
  return qsm_sql_next(&store->sql, statement) < 0 ? -1 : 0;
}

// ---- Opening ----

static int64_t number(struct qsm_store *store, const char *text) {
  return qsm_sql_number(&store->sql, qsm_sql_prepare(&store->sql, text, ""));
}

// 1: ours; 0: empty; -1: something else.
static int recognise(struct qsm_store *store) {
  int64_t application = number(store, "PRAGMA application_id"),
          version = number(store, "PRAGMA user_version");
  int64_t n_tables = number(store, "SELECT count(*) FROM sqlite_master");
  if (application < 0 || version < 0 || n_tables < 0) return -1;
  if (n_tables == 0 && application == 0) return 0;
  if (application != QSM_STORE_APPLICATION)
    return qsm_sql_fail(&store->sql, "a database of another program");
  if (version == QSM_STORE_VERSION) return 1;
  char what[96];
  snprintf(what, sizeof what,
           "made by another version of qsm (tables of version %d, this one knows %d)", (int)version,
           QSM_STORE_VERSION);
  return qsm_sql_fail(&store->sql, what);
}

static int create(struct qsm_store *store) {
  char head[96];
  snprintf(head, sizeof head, "PRAGMA application_id = %d; PRAGMA user_version = %d",
           QSM_STORE_APPLICATION, QSM_STORE_VERSION);
  if (qsm_sql_execute(&store->sql, "BEGIN") || qsm_sql_execute(&store->sql, qsm_store_tables) ||
      qsm_sql_execute(&store->sql, qsm_store_views) || qsm_sql_execute(&store->sql, head))
    return -1;
  return qsm_sql_execute(&store->sql, "COMMIT");
}

// SQLite's own locks let writers take turns; two sweeps would run the same runs.
static int lock(struct qsm_store *store) {
  store->lock_fd = open(store->sql.path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (store->lock_fd < 0) return qsm_sql_fail(&store->sql, strerror(errno));
  if (flock(store->lock_fd, LOCK_EX | LOCK_NB) == 0) return 0;
  return qsm_sql_fail(&store->sql,
                      errno == EWOULDBLOCK ? "in use by another qsm sweep" : strerror(errno));
}

static int prepare_file(struct qsm_store *store, enum qsm_store_mode mode) {
  if (mode == QSM_STORE_READ && access(store->sql.path, R_OK) != 0)
    return qsm_sql_fail(&store->sql, strerror(errno));
  if (mode == QSM_STORE_WRITE && lock(store)) return -1;
  int flags =
      mode == QSM_STORE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (qsm_sql_open(&store->sql, flags)) return -1;
  int known = recognise(store);
  if (known < 0) return -1;
  if (mode == QSM_STORE_READ) return known ? 0 : qsm_sql_fail(&store->sql, "an empty database");
  bool shared = mode == QSM_STORE_SHARED;
  if (qsm_sql_execute(&store->sql,
                      shared ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL") ||
      qsm_sql_execute(&store->sql,
                      shared ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL") ||
      qsm_sql_execute(&store->sql, "PRAGMA foreign_keys = ON"))
    return -1;
  return (!known && create(store)) || qsm_sql_execute(&store->sql, qsm_store_later_tables) ? -1 : 0;
}

struct qsm_store *qsm_store_open(const char *path, enum qsm_store_mode mode, char *msg,
                                 size_t msg_len) {
  struct qsm_store *store = calloc(1, sizeof *store);
  if (!store) {
    snprintf(msg, msg_len, "out of memory");
    return NULL;
  }
  store->lock_fd = -1;
  if (qsm_sql_name(&store->sql, path) == 0 && prepare_file(store, mode) == 0) return store;
  snprintf(msg, msg_len, "%s", store->sql.msg);
  qsm_store_close(store);
  return NULL;
}

void qsm_store_close(struct qsm_store *store) {
  if (!store) return;
  if (store->sql.db &&
      store->lock_fd >=
          0) {  // one file again, unless somebody is reading: readable where nothing can be written
    sqlite3_busy_timeout(store->sql.db, 0);
    sqlite3_exec(store->sql.db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
  }
  sqlite3_close(store->sql.db);
  if (store->lock_fd >= 0) close(store->lock_fd);
  free(store);
}

int qsm_store_sweep_file(struct qsm_store *store, char *file, size_t len) {
  file[0] = 0;
  sqlite3_stmt *statement = qsm_sql_prepare(&store->sql, "SELECT file FROM sweep", "");
  int status = step(store, statement);
  if (!status && sqlite3_column_text(statement, 0))
    snprintf(file, len, "%s", (const char *)sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  return status;
}

int qsm_store_set_sweep_file(struct qsm_store *store, const char *file) {
  return qsm_sql_put(&store->sql, "INSERT INTO sweep (file) VALUES (?1)", "t", file);
}

// ---- What a sweep wants ----

int qsm_store_begin(struct qsm_store *store) {
  return qsm_sql_execute(
      &store->sql,
      "BEGIN; UPDATE runs SET position = NULL; DELETE FROM runs WHERE status = 'waiting'");
}

int qsm_store_commit(struct qsm_store *store) { return qsm_sql_execute(&store->sql, "COMMIT"); }

static enum qsm_store_status status_of(const char *word) {
  return strcmp(word, "ok") == 0       ? QSM_STORE_OK
         : strcmp(word, "failed") == 0 ? QSM_STORE_FAILED
                                       : QSM_STORE_WAITING;
}

int qsm_store_find(struct qsm_store *store, const struct qsm_store_wish *wish, int64_t *id,
                   enum qsm_store_status *status) {
  sqlite3_stmt *statement = qsm_sql_prepare(
      &store->sql,
      "SELECT id, status FROM runs WHERE scenario = ? AND inputs = ? AND reference = ?", "tti",
      wish->scenario, wish->inputs, (int64_t)(wish->position < 0));
  int row = qsm_sql_next(&store->sql, statement);
  if (row >= 0) {
    *id = row ? sqlite3_column_int64(statement, 0) : 0;
    *status = row ? status_of((const char *)sqlite3_column_text(statement, 1)) : QSM_STORE_WAITING;
  }
  sqlite3_finalize(statement);
  return row < 0 ? -1 : 0;
}

int qsm_store_pace(struct qsm_store *store, const char *config, double *seconds_per_cycle) {
  sqlite3_stmt *statement = qsm_sql_prepare(
      &store->sql, "SELECT sum(cpu_s) / sum(cycles) FROM runs WHERE status = 'ok' AND config = ?",
      "t", config);
  int failed = step(store, statement);
  if (!failed) *seconds_per_cycle = sqlite3_column_double(statement, 0);
  sqlite3_finalize(statement);
  return failed;
}

int qsm_store_want(struct qsm_store *store, const struct qsm_store_wish *wish, int64_t *id,
                   enum qsm_store_status *status) {
  sqlite3_stmt *statement = qsm_sql_prepare(
      &store->sql,
      "INSERT INTO runs (scenario, inputs, reference, position, variant, label, programs, goal)"
      " VALUES (?1, ?2, ?3 < 0, CASE WHEN ?3 >= 0 THEN ?3 END, ?4, ?5, ?6, ?7)"
      " ON CONFLICT DO UPDATE SET position = excluded.position, variant = excluded.variant, label = excluded.label,"
      " programs = excluded.programs, goal = excluded.goal RETURNING id, status",
      "ttitttt", wish->scenario, wish->inputs, wish->position, wish->variant, wish->label,
      wish->programs, wish->goal);
  int failed = step(store, statement);
  if (!failed) {
    *id = sqlite3_column_int64(statement, 0);
    *status = status_of((const char *)sqlite3_column_text(statement, 1));
  }
  sqlite3_finalize(statement);
  return failed;
}

int qsm_store_retry(struct qsm_store *store, int64_t id) {
  static const char *const deletes[] = {
      "DELETE FROM kernels WHERE run = ?", "DELETE FROM epochs WHERE run = ?",
      "DELETE FROM sms WHERE run = ?", "DELETE FROM sm_epochs WHERE run = ?",
      "DELETE FROM launch_times WHERE run = ?"};
  for (size_t i = 0; i < sizeof deletes / sizeof deletes[0]; i++)
    if (qsm_sql_put(&store->sql, deletes[i], "i", id)) return -1;
  return qsm_sql_put(
      &store->sql,
      "UPDATE runs SET status = 'waiting', exit_code = NULL, signal = NULL, error = NULL WHERE id = ?",
      "i", id);
}

int qsm_store_alone(struct qsm_store *store, int64_t id, uint64_t *instructions, uint64_t *cycles) {
  sqlite3_stmt *statement = qsm_sql_prepare(
      &store->sql, "SELECT instructions, cycles FROM kernels JOIN runs ON id = run WHERE run = ?",
      "i", id);
  int failed = step(store, statement);
  if (!failed) {
    *instructions = (uint64_t)sqlite3_column_int64(statement, 0);
    *cycles = (uint64_t)sqlite3_column_int64(statement, 1);
  }
  sqlite3_finalize(statement);
  return failed;
}

// ---- How a run ended ----

static int insert_kernel(struct qsm_store *store, const struct qsm_store_result *result,
                         uint32_t slot) {
  const struct qsm_scenario_kernel *kernel = &result->scenario->kernels[slot];
  const struct qsm_outcome *outcome = &result->measured->outcome;
  const struct qsm_kernel_outcome *seen = &outcome->kernels[slot];
  int64_t goal = (int64_t)result->measured->goal_q16[slot];
  bool reached = goal && qsm_result_reached(outcome, slot, (uint64_t)goal);
  return qsm_sql_put(
      &store->sql,
      "INSERT INTO kernels VALUES (?, ?, ?, ?, nullif(?, 0), ?, nullif(?7, 0), CASE WHEN ?7 THEN ?8 END, ?, ?, ?, ?, nullif(?, 0),"
      " CASE WHEN ?15 THEN ?14 END, CASE WHEN ?17 THEN ?16 END)",
      "iittiiiiiiiiiriri", result->id, (int64_t)slot, kernel->name,
      kernel->program ? kernel->program->bound : NULL, result->alone[slot],
      (int64_t)seen->thread_instructions, goal, (int64_t)reached, (int64_t)seen->launches,
      (int64_t)seen->checks_passed, (int64_t)seen->checks_failed, (int64_t)seen->started,
      (int64_t)seen->finished, qsm_outcome_kernel_energy(outcome, slot),
      (int64_t)outcome->has_energy,
      outcome->cycles ? (double)outcome->energy.kernel[slot].owned / (double)outcome->cycles : 0.0,
      (int64_t)(outcome->has_energy && qsm_scheme_whole_sms(outcome->scheme)));
}

// A row of numbers after the run.
static int insert_row(struct qsm_store *store, sqlite3_stmt *statement, const int64_t *values,
                      int n) {
  for (int column = 0; column < n; column++)
    sqlite3_bind_int64(statement, column + 2, values[column]);
  int failed = step(store, statement);
  sqlite3_reset(statement);
  return failed;
}

static int insert_epochs(struct qsm_store *store, const struct qsm_store_result *result) {
  const struct qsm_outcome *outcome = &result->measured->outcome;
  sqlite3_stmt *statement =
      qsm_sql_prepare(&store->sql, "INSERT INTO epochs VALUES (?, ?, ?, ?, ?, ?)", "i", result->id);
  int failed = statement ? 0 : -1;
  for (uint32_t slot = 0; !failed && slot < result->scenario->n_kernels; slot++) {
    for (uint32_t i = 0; !failed && i < outcome->n_epochs; i++) {
      const struct qsm_epoch_record *epoch = &outcome->epochs[i];
      const int64_t values[] = {slot, (int64_t)epoch->cycle, epoch->insn[slot], epoch->quota[slot],
                                epoch->counter[slot]};
      failed = insert_row(store, statement, values, 5);
    }
  }
  sqlite3_finalize(statement);
  return failed;
}

static int64_t count_uses(const struct qsm_outcome *outcome, const struct qsm_epoch_record *epoch,
                          uint32_t use) {
  int64_t n = 0;
  for (uint32_t sm = 0; sm < outcome->config.num_sms; sm++) n += epoch->use[sm] == use;
  return n;
}

// What each kernel had of whole SMs at each epoch's end, and what the manager knew of it then.
static int insert_sm_epochs(struct qsm_store *store, const struct qsm_store_result *result) {
  const struct qsm_outcome *outcome = &result->measured->outcome;
  if (!outcome->has_uses || !qsm_scheme_whole_sms(outcome->scheme)) return 0;
  sqlite3_stmt *statement = qsm_sql_prepare(
      &store->sql, "INSERT INTO sm_epochs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", "i", result->id);
  int failed = statement ? 0 : -1;
  for (uint32_t slot = 0; !failed && slot < result->scenario->n_kernels; slot++) {
    for (uint32_t i = 0; !failed && i < outcome->n_epochs; i++) {
      const struct qsm_epoch_record *epoch = &outcome->epochs[i];
      uint32_t record = epoch->sm_record[slot];
      const int64_t values[] = {
          slot,
          (int64_t)epoch->cycle,
          count_uses(outcome, epoch, QSM_SM_OF_KERNEL + slot),
          count_uses(outcome, epoch, QSM_SM_GATED),
          (record & QSM_SLOT_SM_RECORD_OPT_MASK) >> QSM_SLOT_SM_RECORD_OPT_SHIFT,
          (record & QSM_SLOT_SM_RECORD_UPPER_MASK) != 0,
          (record & QSM_SLOT_SM_RECORD_LOWER_MASK) != 0};
      failed = insert_row(store, statement, values, 7);
    }
  }
  sqlite3_finalize(statement);
  return failed;
}

static int insert_sms(struct qsm_store *store, const struct qsm_store_result *result) {
  const struct qsm_outcome *outcome = &result->measured->outcome;
  if (!outcome->has_energy) return 0;
  sqlite3_stmt *statement =
      qsm_sql_prepare(&store->sql, "INSERT INTO sms VALUES (?, ?, ?)", "i", result->id);
  int failed = statement ? 0 : -1;
  for (uint32_t sm = 0; !failed && sm < outcome->config.num_sms; sm++) {
    const int64_t values[] = {sm, (int64_t)outcome->energy.sm_lanes[sm]};
    failed = insert_row(store, statement, values, 2);
  }
  sqlite3_finalize(statement);
  return failed;
}

static int insert_launch_times(struct qsm_store *store, const struct qsm_store_result *result,
                               uint32_t slot) {
  const struct qsm_kernel_outcome *seen = &result->measured->outcome.kernels[slot];
  return qsm_sql_put(
      &store->sql,
      "INSERT INTO launch_times VALUES (?, ?, ?, nullif(?, 0), nullif(?, 0), nullif(?, 0))",
      "iiiiii", result->id, (int64_t)slot, (int64_t)seen->kills, (int64_t)seen->launch_p50,
      (int64_t)seen->launch_p99, (int64_t)seen->launch_longest);
}

static int insert_measured(struct qsm_store *store, const struct qsm_store_result *result) {
  for (uint32_t slot = 0; slot < result->scenario->n_kernels; slot++)
    if (insert_kernel(store, result, slot) || insert_launch_times(store, result, slot)) return -1;
  return insert_epochs(store, result) || insert_sm_epochs(store, result) ||
                 insert_sms(store, result)
             ? -1
             : 0;
}

static int update_run(struct qsm_store *store, const struct qsm_store_result *result,
                      bool measured) {
  const struct qsm_scenario *scenario = result->scenario;
  const struct qsm_outcome *outcome = measured ? &result->measured->outcome : NULL;
  double joules = outcome ? qsm_outcome_energy(outcome) : 0,
         seconds = outcome ? qsm_outcome_seconds(outcome) : 0;
  return qsm_sql_put(
      &store->sql,
      "UPDATE runs SET status = ?2, exit_code = ?3, signal = nullif(?4, 0), error = ?5, config = ?6, policy = ?7, scheme = ?8,"
      " seed = ?9, cycles = nullif(?10, 0), cpu_s = ?11, ended_at = datetime('now'),"
      " energy_j = nullif(?12, 0.0), power_w = nullif(?13, 0.0) WHERE id = ?1",
      "itiittttiirrr", result->id, result->error ? "failed" : "ok", (int64_t)result->exit_code,
      (int64_t)result->signal, result->error, scenario->config, qsm_policy_name(scenario->policy),
      qsm_scenario_scheme_name(scenario), (int64_t)scenario->seed,
      measured ? (int64_t)result->measured->outcome.cycles : 0, result->cpu_s, joules,
      seconds > 0 ? joules / seconds : 0.0);
}

int qsm_store_finish(struct qsm_store *store, const struct qsm_store_result *result) {
  bool measured = result->measured && result->measured->complete;
  if (qsm_sql_execute(&store->sql, "BEGIN")) return -1;
  if (update_run(store, result, measured) == 0 &&
      (!measured || insert_measured(store, result) == 0) &&
      qsm_sql_execute(&store->sql, "COMMIT") == 0)
    return 0;
  qsm_sql_roll_back(&store->sql);
  return -1;
}
