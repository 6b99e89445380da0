// SPDX-License-Identifier: Apache-2.0
// Which database a sweep has: one by its name, or what the user says.
#ifndef QSM_SWEEP_DATABASE_H
#define QSM_SWEEP_DATABASE_H

#include "qsm_store.h"

// Path of the database; `db` NULL: qsm-results/NAME.db. 0, or -1 with a message: too long.
int qsm_sweep_database_name(const char *file, const char *db, char *path, size_t len, char *msg,
                            size_t msg_len);
// Opens it. One by default is of one sweep file, and its folder is made; one that the user names
// takes several. 0, or -1 with a message.
int qsm_sweep_database_open(const char *file, const char *db, enum qsm_store_mode mode,
                            struct qsm_store **store, char *msg, size_t msg_len);

#endif
