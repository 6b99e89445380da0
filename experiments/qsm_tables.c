// SPDX-License-Identifier: Apache-2.0
#include "qsm_tables.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

int qsm_tables_fail(struct qsm_tables *tables, const char *what, const char *why) {
  snprintf(tables->msg, sizeof tables->msg, "%.200s: %.250s", what, why);
  return -1;
}

FILE *qsm_tables_open(struct qsm_tables *tables, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.md", tables->folder, name);
  FILE *file = fopen(path, "w");
  if (!file) qsm_tables_fail(tables, path, strerror(errno));
  if (file) setvbuf(file, NULL, _IOLBF, 0);  // what there is stays if it is interrupted
  return file;
}

int qsm_tables_close(struct qsm_tables *tables, FILE *file, int failed) {
  bool lost = ferror(file) | fclose(file);
  return failed ? -1 : lost ? qsm_tables_fail(tables, tables->folder, "cannot write") : 0;
}
