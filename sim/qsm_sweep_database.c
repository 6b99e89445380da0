// SPDX-License-Identifier: Apache-2.0
#include "qsm_sweep_database.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_folder.h"

int qsm_sweep_database_name(const char *file, const char *db, char *path, size_t len, char *msg,
                            size_t msg_len) {
  bool fits = db ? snprintf(path, len, "%s", db) < (int)len
                 : qsm_folder_default(file, ".db", path, len) == 0;
  if (fits) return 0;
  snprintf(msg, msg_len, "database: path too long");
  return -1;
}

static int claim(struct qsm_store *store, const char *file, bool by_default, const char *path,
                 char *msg, size_t msg_len) {
  char own[PATH_MAX], other[PATH_MAX];
  int failed = qsm_store_sweep_file(store, other, sizeof other);
  if (!realpath(file, own)) snprintf(own, sizeof own, "%s", file);
  if (!failed && !other[0]) failed = qsm_store_set_sweep_file(store, own);
  if (failed) {
    snprintf(msg, msg_len, "%s", qsm_store_error(store));
    return -1;
  }
  if (!by_default || !other[0] || strcmp(own, other) == 0) return 0;
  snprintf(msg, msg_len,
           "%s has results of %.300s, not of %.300s: --db FILE names another database, or this one",
           path, other, own);
  return -1;
}

int qsm_sweep_database_open(const char *file, const char *db, enum qsm_store_mode mode,
                            struct qsm_store **store, char *msg, size_t msg_len) {
  char path[1024];
  if (qsm_sweep_database_name(file, db, path, sizeof path, msg, msg_len)) return -1;
  if (!db && qsm_folder_make(QSM_FOLDER_RESULTS)) {
    snprintf(msg, msg_len, "folder %s: %s", QSM_FOLDER_RESULTS, strerror(errno));
    return -1;
  }
  *store = qsm_store_open(path, mode, msg, msg_len);
  return *store && claim(*store, file, !db, path, msg, msg_len) == 0 ? 0 : -1;
}
