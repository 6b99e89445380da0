// SPDX-License-Identifier: Apache-2.0
// The database of profiles (SQLite; docs/collocated.md has the tables).
#ifndef QSM_PROFILE_STORE_H
#define QSM_PROFILE_STORE_H

#include "qsm_profile.h"

struct qsm_profile_store;

// To write: it is made if it is not there. NULL with a message: not a database of profiles, no
// access.
struct qsm_profile_store *qsm_profile_store_open(const char *path, bool write, char *msg,
                                                 size_t msg_len);
void qsm_profile_store_close(struct qsm_profile_store *store);  // NULL is fine
const char *qsm_profile_store_error(const struct qsm_profile_store *store);

// The profile's number; made if it is not there and `make` is set. 0: there is none; -1: an error.
int64_t qsm_profile_store_find(struct qsm_profile_store *store, const struct qsm_profile_key *key,
                               bool make);
// Why there is none: what differs from the one that is like it.
void qsm_profile_store_explain(struct qsm_profile_store *store, const struct qsm_profile_key *key,
                               char *msg, size_t msg_len);
// Which points are measured.
int qsm_profile_store_measured(struct qsm_profile_store *store, int64_t profile,
                               bool measured[QSM_PROFILE_POLICIES][QSM_PROFILE_MOST_SMS]);
// A point, in one transaction.
int qsm_profile_store_keep(struct qsm_profile_store *store, int64_t profile, uint32_t policy,
                           uint32_t n_sms, const struct qsm_profile_kernel *kernels, uint32_t n);
// The kernels and times of a profile whose key is set; those between are filled in and kept, too,
// where the store is open for writing.
int qsm_profile_store_read(struct qsm_profile_store *store, int64_t number,
                           struct qsm_profile *profile);
// Writes what is interpolated.
int qsm_profile_store_fill(struct qsm_profile_store *store, int64_t number,
                           const struct qsm_profile *profile);

#endif
