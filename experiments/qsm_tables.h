// SPDX-License-Identifier: Apache-2.0
// Tables that the experiments' host programs write into a folder, and the text of what failed.
#ifndef QSM_TABLES_H
#define QSM_TABLES_H

#include <stdio.h>

struct qsm_tables {
  const char *folder;
  char msg[512];  // of the last failure
};

// Returns -1.
int qsm_tables_fail(struct qsm_tables *tables, const char *what, const char *why);
// FOLDER/NAME.md; NULL with a text if it cannot be written.
FILE *qsm_tables_open(struct qsm_tables *tables, const char *name);
// 0, or -1 where its measurement has failed or what was written is lost, then with a text.
int qsm_tables_close(struct qsm_tables *tables, FILE *file, int failed);

#endif
