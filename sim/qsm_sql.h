// SPDX-License-Identifier: Apache-2.0
// What databases of results and profiles share: statements with their parameters, numbers, the
// first error as text. Functions return -1 where SQLite fails, and then `msg` says why.
#ifndef QSM_SQL_H
#define QSM_SQL_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

struct qsm_sql {
  sqlite3 *db;
  char path[512];
  char msg[1024];  // "PATH: what"
};

// -1: the path is too long.
int qsm_sql_name(struct qsm_sql *sql, const char *path);
// `flags` of sqlite3_open_v2(). A writer waits ten seconds for another.
int qsm_sql_open(struct qsm_sql *sql, int flags);
int qsm_sql_fail(struct qsm_sql *sql, const char *what);  // sets msg; -1

int qsm_sql_execute(struct qsm_sql *sql, const char *text);
void qsm_sql_roll_back(struct qsm_sql *sql);  // the first message stays
// Binds one parameter for each letter of `types`: i int64_t, r double, t text or NULL. NULL on
// error, which the functions below take.
sqlite3_stmt *qsm_sql_prepare(struct qsm_sql *sql, const char *text, const char *types, ...);
// 1: a row, readable until the next call; 0: no more.
int qsm_sql_next(struct qsm_sql *sql, sqlite3_stmt *statement);
// Runs a statement whose rows do not matter; parameters as above.
int qsm_sql_put(struct qsm_sql *sql, const char *text, const char *types, ...);
// The first row's first value, 0 without a row; and finalizes it. (-1 is an error.)
int64_t qsm_sql_number(struct qsm_sql *sql, sqlite3_stmt *statement);

#endif
