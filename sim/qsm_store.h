// SPDX-License-Identifier: Apache-2.0
// The database of a sweep: runs, their kernels and epochs (SQLite; docs/sweeps.md has the tables
// and views).
#ifndef QSM_STORE_H
#define QSM_STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_sql.h"
#include "qsm_sweep_worker.h"

struct qsm_store;

enum qsm_store_mode { QSM_STORE_READ, QSM_STORE_WRITE, QSM_STORE_SHARED };

// READ: the database must be there. WRITE: it is made if it is not, and no second writer is let in.
// SHARED: the same for files that other hosts see, too: a rollback journal, synced at each
// transaction, and it is for the caller to keep a second writer out.
// NULL with a message: not a database, or not one of this program; no access; in use.
struct qsm_store *qsm_store_open(const char *path, enum qsm_store_mode mode, char *msg,
                                 size_t msg_len);
void qsm_store_close(struct qsm_store *store);  // NULL is fine
sqlite3 *qsm_store_handle(struct qsm_store *store);
// What went wrong in the last call that returned -1, with the path.
const char *qsm_store_error(const struct qsm_store *store);
struct qsm_sql *qsm_store_sql(struct qsm_store *store);

enum qsm_store_status { QSM_STORE_WAITING, QSM_STORE_OK, QSM_STORE_FAILED };

// The sweep file that the database was made for, as an absolute path, "" if it does not say. 0, or
// -1.
int qsm_store_sweep_file(struct qsm_store *store, char *file, size_t len);
int qsm_store_set_sweep_file(struct qsm_store *store, const char *file);

// A run that a sweep wants.
struct qsm_store_wish {
  const char *scenario;
  const char *inputs;                             // hash of what the result depends on besides
  int64_t position;                               // in the sweep; below 0: a reference
  const char *variant, *label, *programs, *goal;  // NULL of a reference
};

// Between begin and commit: the runs of this sweep. Those of earlier ones stay, but tables no
// longer show them.
int qsm_store_begin(struct qsm_store *store);
int qsm_store_want(struct qsm_store *store, const struct qsm_store_wish *wish, int64_t *id,
                   enum qsm_store_status *status);
int qsm_store_commit(struct qsm_store *store);
// The same of one that is only asked after: *id = 0 and WAITING if it is not there.
int qsm_store_find(struct qsm_store *store, const struct qsm_store_wish *wish, int64_t *id,
                   enum qsm_store_status *status);
// Failed runs wait again, this one.
int qsm_store_retry(struct qsm_store *store, int64_t id);

// CPU seconds per cycle, the mean over the runs with this configuration; 0 without any.
int qsm_store_pace(struct qsm_store *store, const char *config, double *seconds_per_cycle);

// What a reference measured.
int qsm_store_alone(struct qsm_store *store, int64_t id, uint64_t *instructions, uint64_t *cycles);

// How a run ended; one transaction.
struct qsm_store_result {
  int64_t id;
  const struct qsm_scenario *scenario;
  int exit_code, signal;
  const char *error;                          // NULL: it is right
  const struct qsm_sweep_measured *measured;  // NULL, or not complete: nothing was measured
  int64_t alone[QSM_SCENARIO_MAX_KERNELS];    // references; 0: it is one
  double cpu_s;
};
int qsm_store_finish(struct qsm_store *store, const struct qsm_store_result *result);

#endif
