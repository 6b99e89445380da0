// SPDX-License-Identifier: Apache-2.0
// Profiles of applications: how long each distinct kernel takes alone, on 1 .. all SMs, under the
// four cache policies (docs/collocated.md).
#ifndef QSM_PROFILE_H
#define QSM_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_app.h"

enum { QSM_PROFILE_POLICIES = 4, QSM_PROFILE_MOST_SMS = 96, QSM_PROFILE_NAME = 48 };
extern const char *const qsm_profile_policy_names[QSM_PROFILE_POLICIES];  // "s0", "s1", "s2", "s12"

// A distinct kernel of an application.
struct qsm_profile_kernel {
  char name[QSM_PROFILE_NAME], step[QSM_PROFILE_NAME];  // function; the first step that launches it
  uint32_t launches, blocks, threads, shared_bytes;     // of a pass; of a launch; of a block
  uint64_t cycles;                                      // mean of a launch, to the nearest
};

// Of a configuration and application, what a profile depends on.
struct qsm_profile_key {
  char config[96];  // as it was named
  const struct qsm_app *app;
  enum qsm_app_size size;
  uint64_t config_hash;   // of its file
  uint64_t program_hash;  // of what is loaded of the ELF
  uint64_t timing_hash;   // of all that happens in a pass of size T: the simulator's timing
  uint32_t n_sms;
};

// 0, or -1 with a message: no configuration, no program, an application that this GPU cannot run.
int qsm_profile_key(const char *config, const struct qsm_app *app, enum qsm_app_size size,
                    struct qsm_profile_key *key, char *msg, size_t msg_len);

// One point: a pass on the SMs 0 .. n_sms - 1 of a GPU of its own under a policy, after another one
// that has warmed it up. *kernels: an array of *n, to be freed. 0, or -1 with a message (outputs
// that are wrong are one).
int qsm_profile_measure(const struct qsm_profile_key *key, uint32_t policy, uint32_t n_sms,
                        struct qsm_profile_kernel **kernels, uint32_t *n, char *msg,
                        size_t msg_len);

struct qsm_profile {
  struct qsm_profile_key key;
  uint32_t n_kernels;
  struct qsm_profile_kernel *kernel;      // cycles: 0
  uint64_t *times[QSM_PROFILE_POLICIES];  // n_sms for each kernel; NULL: not in the profile
  bool measured[QSM_PROFILE_POLICIES][QSM_PROFILE_MOST_SMS];  // [c - 1]; false: interpolated
};

// What the database has of exactly this key. NULL with a message: there is none, it is of another
// program, configuration or simulator (which), or is not complete.
struct qsm_profile *qsm_profile_load(const char *path, const struct qsm_profile_key *key, char *msg,
                                     size_t msg_len);
void qsm_profile_free(struct qsm_profile *profile);  // NULL is fine
// T[policy, c] for c = 1 .. n_sms, from [0] on; NULL where the profile has not this policy.
const uint64_t *qsm_profile_times(const struct qsm_profile *profile, uint32_t policy,
                                  uint32_t kernel);
// The smallest c with T[s0, c] <= 1.1 T[s0, n_sms] (F7).
uint32_t qsm_profile_demand(const struct qsm_profile *profile, uint32_t kernel);
// Fills in times[c - 1] between those that are measured, of which the first and the last are: with
// 1/c, as a kernel has of which a part divides over the SMs; never outside of the two neighbours.
void qsm_profile_interpolate(uint64_t *times, const bool *measured, uint32_t n_sms);

struct qsm_profile_options {
  const char *config, *db;
  const char *const *names;  // applications
  uint32_t n_names;          // 0: all
  enum qsm_app_size size;
  uint32_t n_jobs;     // 0: as many as there are cores
  const char *counts;  // "1,2,4,40": measured ones; NULL: all
  uint32_t policies;   // mask of those measured
  bool quiet;
};
// `qsm profile`: measures what the database lacks, fills in between, prints. An exit code.
int qsm_profile_command(const struct qsm_profile_options *options);

#endif
