// SPDX-License-Identifier: Apache-2.0
#include "qsm_sql.h"

#include <stdarg.h>
#include <stdio.h>

int qsm_sql_fail(struct qsm_sql *sql, const char *what) {
  snprintf(sql->msg, sizeof sql->msg, "%s: %s", sql->path, what);
  return -1;
}

static int fail_sqlite(struct qsm_sql *sql) { return qsm_sql_fail(sql, sqlite3_errmsg(sql->db)); }

int qsm_sql_name(struct qsm_sql *sql, const char *path) {
  if (snprintf(sql->path, sizeof sql->path, "%s", path) < (int)sizeof sql->path) return 0;
  snprintf(sql->msg, sizeof sql->msg, "%.200s: path too long", path);
  return -1;
}

int qsm_sql_open(struct qsm_sql *sql, int flags) {
  if (sqlite3_open_v2(sql->path, &sql->db, flags, NULL) != SQLITE_OK) return fail_sqlite(sql);
  sqlite3_busy_timeout(sql->db, 10000);
  return 0;
}

int qsm_sql_execute(struct qsm_sql *sql, const char *text) {
  return sqlite3_exec(sql->db, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail_sqlite(sql);
}

void qsm_sql_roll_back(struct qsm_sql *sql) { sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL); }

static sqlite3_stmt *prepare(struct qsm_sql *sql, const char *text, const char *types,
                             va_list args) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(sql->db, text, -1, &statement, NULL) != SQLITE_OK) {
    fail_sqlite(sql);
    return NULL;
  }
  for (int i = 0; types[i]; i++) {
    switch (types[i]) {
      case 'i': sqlite3_bind_int64(statement, i + 1, va_arg(args, int64_t)); break;
      case 'r': sqlite3_bind_double(statement, i + 1, va_arg(args, double)); break;
      default:
        sqlite3_bind_text(statement, i + 1, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
        break;
    }
  }
  return statement;
}

sqlite3_stmt *qsm_sql_prepare(struct qsm_sql *sql, const char *text, const char *types, ...) {
  va_list args;
  va_start(args, types);
  sqlite3_stmt *statement = prepare(sql, text, types, args);
  va_end(args);
  return statement;
}

int qsm_sql_next(struct qsm_sql *sql, sqlite3_stmt *statement) {
  int code = statement ? sqlite3_step(statement) : SQLITE_ERROR;
  if (code == SQLITE_ROW || code == SQLITE_DONE) return code == SQLITE_ROW;
  return statement ? fail_sqlite(sql) : -1;
}

int qsm_sql_put(struct qsm_sql *sql, const char *text, const char *types, ...) {
  va_list args;
  va_start(args, types);
  sqlite3_stmt *statement = prepare(sql, text, types, args);
  va_end(args);
  int code = qsm_sql_next(sql, statement);
  sqlite3_finalize(statement);
  return code < 0 ? -1 : 0;
}

int64_t qsm_sql_number(struct qsm_sql *sql, sqlite3_stmt *statement) {
  int code = qsm_sql_next(sql, statement);
  int64_t value = code == 1 ? sqlite3_column_int64(statement, 0) : code;
  sqlite3_finalize(statement);
  return value;
}
