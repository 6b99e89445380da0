// SPDX-License-Identifier: Apache-2.0
#include "qsm_profile_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qsm_sql.h"

enum { APPLICATION = 0x71736d70, VERSION = 1 };  // "qsmp"

static const char tables[] =
    "CREATE TABLE profiles ("
    "  id INTEGER PRIMARY KEY, config TEXT NOT NULL, app TEXT NOT NULL, size TEXT NOT NULL,"
    "  config_hash TEXT NOT NULL, program_hash TEXT NOT NULL, timing_hash TEXT NOT NULL, n_sms INTEGER NOT NULL,"
    "  UNIQUE (config, app, size, config_hash, program_hash, timing_hash));"
    "CREATE TABLE kernels ("
    "  profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE, kernel INTEGER NOT NULL,"
    "  name TEXT NOT NULL, step TEXT NOT NULL,"
    "  launches INTEGER NOT NULL, blocks INTEGER NOT NULL, threads INTEGER NOT NULL, shared_bytes INTEGER NOT NULL,"
    "  PRIMARY KEY (profile, kernel)) WITHOUT ROWID;"
    "CREATE TABLE times ("
    "  profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE,"
    "  policy INTEGER NOT NULL, sms INTEGER NOT NULL, kernel INTEGER NOT NULL,"
    "  cycles INTEGER NOT NULL, interpolated INTEGER NOT NULL,"
    "  PRIMARY KEY (profile, policy, sms, kernel)) WITHOUT ROWID;";

struct qsm_profile_store {
  struct qsm_sql sql;
};

const char *qsm_profile_store_error(const struct qsm_profile_store *store) {
  return store->sql.msg;
}

// ---- Opening ----

static int recognise(struct qsm_profile_store *store, bool write) {
  int64_t n = qsm_sql_number(
              &store->sql, qsm_sql_prepare(&store->sql, "SELECT count(*) FROM sqlite_master", "")),
          application = qsm_sql_number(&store->sql,
                                       qsm_sql_prepare(&store->sql, "PRAGMA application_id", "")),
          version =
              qsm_sql_number(&store->sql, qsm_sql_prepare(&store->sql, "PRAGMA user_version", ""));
  char head[96];
  if (n < 0 || application < 0 || version < 0) return -1;
  if (n == 0 && application == 0 && write) {
    snprintf(head, sizeof head, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION,
             VERSION);
    return qsm_sql_execute(&store->sql, "BEGIN") || qsm_sql_execute(&store->sql, tables) ||
                   qsm_sql_execute(&store->sql, head) || qsm_sql_execute(&store->sql, "COMMIT")
               ? -1
               : 0;
  }
  if (application != APPLICATION)
    return qsm_sql_fail(&store->sql, "not a database of profiles (qsm profile)");
  return version == VERSION ? 0 : qsm_sql_fail(&store->sql, "profiles of another version of qsm");
}

struct qsm_profile_store *qsm_profile_store_open(const char *path, bool write, char *msg,
                                                 size_t msg_len) {
  struct qsm_profile_store *store = calloc(1, sizeof *store);
  if (!store) {
    snprintf(msg, msg_len, "out of memory");
    return NULL;
  }
  struct qsm_sql *sql = &store->sql;
  int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  int failed = qsm_sql_name(sql, path);
  if (!failed && !write && access(path, R_OK) != 0) failed = qsm_sql_fail(sql, strerror(errno));
  if (!failed) failed = qsm_sql_open(sql, flags) || recognise(store, write);
  if (!failed && write) failed = qsm_sql_execute(sql, "PRAGMA foreign_keys = ON");
  if (!failed) return store;
  snprintf(msg, msg_len, "%s", store->sql.msg);
  qsm_profile_store_close(store);
  return NULL;
}

void qsm_profile_store_close(struct qsm_profile_store *store) {
  if (!store) return;
  sqlite3_close(store->sql.db);
  free(store);
}

// ---- Profiles ----

struct texts {
  char config[20], program[20], timing[20];
};

static struct texts texts_of(const struct qsm_profile_key *key) {
  struct texts texts;
  snprintf(texts.config, sizeof texts.config, "%016" PRIx64, key->config_hash);
  snprintf(texts.program, sizeof texts.program, "%016" PRIx64, key->program_hash);
  snprintf(texts.timing, sizeof texts.timing, "%016" PRIx64, key->timing_hash);
  return texts;
}

int64_t qsm_profile_store_find(struct qsm_profile_store *store, const struct qsm_profile_key *key,
                               bool make) {
  struct texts texts = texts_of(key);
  const char *size = qsm_app_size_names[key->size];
  if (make && qsm_sql_put(&store->sql,
                          "INSERT OR IGNORE INTO profiles (config, app, size, config_hash, "
                          "program_hash, timing_hash, n_sms) VALUES (?, ?, ?, ?, ?, ?, ?)",
                          "ttttt"
                          "ti",
                          key->config, key->app->name, size, texts.config, texts.program,
                          texts.timing, (int64_t)key->n_sms))
    return -1;
  return qsm_sql_number(
      &store->sql,
      qsm_sql_prepare(&store->sql,
                      "SELECT id FROM profiles WHERE config = ? AND app = ? AND size = "
                      "? AND config_hash = ? AND program_hash = ? AND timing_hash = ?",
                      "tttttt", key->config, key->app->name, size, texts.config, texts.program,
                      texts.timing));
}

void qsm_profile_store_explain(struct qsm_profile_store *store, const struct qsm_profile_key *key,
                               char *msg, size_t msg_len) {
  struct texts texts = texts_of(key);
  const char *size = qsm_app_size_names[key->size];
  sqlite3_stmt *statement = qsm_sql_prepare(
      &store->sql,
      "SELECT config_hash, program_hash FROM profiles WHERE config = ? AND app = ? AND size "
      "= ? ORDER BY id DESC",
      "ttt", key->config, key->app->name, size);
  const char *what = "has no profile of";
  if (qsm_sql_next(&store->sql, statement) == 1) {
    if (strcmp((const char *)sqlite3_column_text(statement, 0), texts.config) != 0)
      what = "was made with another configuration file: it has no profile of";
    else if (strcmp((const char *)sqlite3_column_text(statement, 1), texts.program) != 0)
      what = "was made with another program (its ELF differs): it has no profile of";
    else
      what = "was made with another timing of the simulator: it has no profile of";
  }
  sqlite3_finalize(statement);
  snprintf(msg, msg_len, "%s %s %s, size %s, on %s; qsm profile makes one", store->sql.path, what,
           key->app->name, size, key->config);
}

int qsm_profile_store_measured(struct qsm_profile_store *store, int64_t profile,
                               bool measured[QSM_PROFILE_POLICIES][QSM_PROFILE_MOST_SMS]) {
  sqlite3_stmt *statement = qsm_sql_prepare(
      &store->sql, "SELECT DISTINCT policy, sms FROM times WHERE profile = ? AND interpolated = 0",
      "i", profile);
  int code;
  memset(measured, 0, sizeof(bool) * QSM_PROFILE_POLICIES * QSM_PROFILE_MOST_SMS);
  while ((code = qsm_sql_next(&store->sql, statement)) == 1) {
    int64_t policy = sqlite3_column_int64(statement, 0), sms = sqlite3_column_int64(statement, 1);
    if (policy >= 0 && policy < QSM_PROFILE_POLICIES && sms >= 1 && sms <= QSM_PROFILE_MOST_SMS)
      measured[policy][sms - 1] = true;
  }
  sqlite3_finalize(statement);
  return code;
}

static int keep_time(struct qsm_profile_store *store, int64_t profile, uint32_t policy,
                     uint32_t n_sms, uint32_t kernel, uint64_t cycles, bool interpolated) {
  return qsm_sql_put(&store->sql, "INSERT OR REPLACE INTO times VALUES (?, ?, ?, ?, ?, ?)",
                     "iiiiii", profile, (int64_t)policy, (int64_t)n_sms, (int64_t)kernel,
                     (int64_t)cycles, (int64_t)interpolated);
}

static int keep_kernel(struct qsm_profile_store *store, int64_t profile, uint32_t number,
                       const struct qsm_profile_kernel *kernel) {
  return qsm_sql_put(&store->sql, "INSERT OR IGNORE INTO kernels VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                     "iittiiii", profile, (int64_t)number, kernel->name, kernel->step,
                     (int64_t)kernel->launches, (int64_t)kernel->blocks, (int64_t)kernel->threads,
                     (int64_t)kernel->shared_bytes);
}

int qsm_profile_store_keep(struct qsm_profile_store *store, int64_t profile, uint32_t policy,
                           uint32_t n_sms, const struct qsm_profile_kernel *kernels, uint32_t n) {
  int failed = qsm_sql_execute(&store->sql, "BEGIN IMMEDIATE");
  for (uint32_t i = 0; !failed && i < n; i++)
    failed = keep_kernel(store, profile, i, &kernels[i]) ||
             keep_time(store, profile, policy, n_sms, i, kernels[i].cycles, false);
  if (!failed) return qsm_sql_execute(&store->sql, "COMMIT");
  qsm_sql_roll_back(&store->sql);
  return -1;
}

int qsm_profile_store_fill(struct qsm_profile_store *store, int64_t number,
                           const struct qsm_profile *profile) {
  int failed = qsm_sql_execute(&store->sql, "BEGIN IMMEDIATE");
  for (uint32_t policy = 0; policy < QSM_PROFILE_POLICIES; policy++)
    for (uint32_t c = 1; !failed && profile->times[policy] && c <= profile->key.n_sms; c++)
      for (uint32_t i = 0; !failed && !profile->measured[policy][c - 1] && i < profile->n_kernels;
           i++)
        failed = keep_time(store, number, policy, c, i,
                           qsm_profile_times(profile, policy, i)[c - 1], true);
  if (!failed) return qsm_sql_execute(&store->sql, "COMMIT");
  qsm_sql_roll_back(&store->sql);
  return -1;
}

// ---- Reading ----

static int read_kernels(struct qsm_profile_store *store, int64_t number,
                        struct qsm_profile *profile) {
  int64_t n = qsm_sql_number(
      &store->sql,
      qsm_sql_prepare(&store->sql, "SELECT count(*) FROM kernels WHERE profile = ?", "i", number));
  if (n < 0) return -1;
  if (n == 0)
    return qsm_sql_fail(&store->sql, "a profile without a kernel: qsm profile goes on with it");
  profile->kernel = calloc((size_t)n, sizeof *profile->kernel);
  if (!profile->kernel) return qsm_sql_fail(&store->sql, "out of memory");
  sqlite3_stmt *statement = qsm_sql_prepare(
      &store->sql,
      "SELECT name, step, launches, blocks, threads, shared_bytes FROM kernels WHERE profile = ? "
      "ORDER BY kernel",
      "i", number);
  int code;
  while ((code = qsm_sql_next(&store->sql, statement)) == 1 && profile->n_kernels < n) {
    struct qsm_profile_kernel *kernel = &profile->kernel[profile->n_kernels++];
    snprintf(kernel->name, sizeof kernel->name, "%s", sqlite3_column_text(statement, 0));
    snprintf(kernel->step, sizeof kernel->step, "%s", sqlite3_column_text(statement, 1));
    kernel->launches = (uint32_t)sqlite3_column_int(statement, 2);
    kernel->blocks = (uint32_t)sqlite3_column_int(statement, 3);
    kernel->threads = (uint32_t)sqlite3_column_int(statement, 4);
    kernel->shared_bytes = (uint32_t)sqlite3_column_int(statement, 5);
  }
  sqlite3_finalize(statement);
  return code < 0 ? -1 : 0;
}

static int read_times(struct qsm_profile_store *store, int64_t number,
                      struct qsm_profile *profile) {
  sqlite3_stmt *statement = qsm_sql_prepare(
      &store->sql,
      "SELECT policy, sms, kernel, cycles FROM times WHERE profile = ? AND interpolated = 0", "i",
      number);
  int code;
  while ((code = qsm_sql_next(&store->sql, statement)) == 1) {
    uint32_t policy = (uint32_t)sqlite3_column_int(statement, 0),
             sms = (uint32_t)sqlite3_column_int(statement, 1),
             kernel = (uint32_t)sqlite3_column_int(statement, 2);
    if (policy < QSM_PROFILE_POLICIES && profile->times[policy] && sms >= 1 &&
        sms <= profile->key.n_sms && kernel < profile->n_kernels)
      profile->times[policy][kernel * profile->key.n_sms + sms - 1] =
          (uint64_t)sqlite3_column_int64(statement, 3);
  }
  sqlite3_finalize(statement);
  return code;
}

// A policy is there if any of its points is; then its first and last must be.
static int set_policies(struct qsm_profile_store *store, struct qsm_profile *profile) {
  uint32_t n_sms = profile->key.n_sms;
  for (uint32_t policy = 0; policy < QSM_PROFILE_POLICIES; policy++) {
    const bool *measured = profile->measured[policy];
    char what[200];
    bool any = policy == 0;
    for (uint32_t i = 0; i < n_sms; i++) any |= measured[i];
    if (!any) continue;
    snprintf(what, sizeof what,
             "the profile of %s, size %s, on %s is not complete (%s on 1 and on %" PRIu32
             " SMs); qsm profile goes on with it",
             profile->key.app->name, qsm_app_size_names[profile->key.size], profile->key.config,
             qsm_profile_policy_names[policy], n_sms);
    if (!measured[0] || !measured[n_sms - 1]) return qsm_sql_fail(&store->sql, what);
    profile->times[policy] = calloc((size_t)profile->n_kernels * n_sms, sizeof(uint64_t));
    if (!profile->times[policy]) return qsm_sql_fail(&store->sql, "out of memory");
  }
  return 0;
}

int qsm_profile_store_read(struct qsm_profile_store *store, int64_t number,
                           struct qsm_profile *profile) {
  if (qsm_profile_store_measured(store, number, profile->measured) ||
      read_kernels(store, number, profile) || set_policies(store, profile) ||
      read_times(store, number, profile))
    return -1;
  for (uint32_t policy = 0; policy < QSM_PROFILE_POLICIES; policy++)
    for (uint32_t i = 0; profile->times[policy] && i < profile->n_kernels; i++)
      qsm_profile_interpolate(profile->times[policy] + (size_t)i * profile->key.n_sms,
                              profile->measured[policy], profile->key.n_sms);
  return 0;
}
