// SPDX-License-Identifier: Apache-2.0
// What the experiment on collocation runs (docs/collocated.md, experiments/fedcm.md): cases, in
// parts.
#ifndef QSM_FEDCM_CASES_H
#define QSM_FEDCM_CASES_H

#include "qsm_collocated.h"

enum { QSM_FEDCM_MOST_CASES = 512 };

// A run. Applications and their profiles are found by the workload's names.
struct qsm_fedcm_case {
  const char *part, *label, *workload;  // label: within the part; workload: "fsm+fft"
  const char *config;
  enum qsm_app_size size;
  enum qsm_collocation_scheme runtime;
  double sigma, gamma;
  uint32_t draw_seed;
  uint32_t decision_cycles, mask_cycles;
  // Requests: the first application is asked for n_requests times, so that it takes load_percent of
  // the GPU's time alone, and the others are there all the while; all_asked: each is asked for like
  // that; 0: batches.
  uint32_t n_requests, load_percent;
  bool all_asked;
  qsmPolicy policy;
  qsmScheme scheme;
  uint32_t epoch_cycles;           // 0: the configuration's
  uint32_t goal_permille, budget;  // of the first
  bool one_goal;                   // of all its kernels: that of the fastest
  bool own_slots;
  uint32_t n_sms, thread_limit, other_limit;  // of the first; of each of the others
};

struct qsm_fedcm_cases {
  uint32_t n;
  struct qsm_fedcm_case one[QSM_FEDCM_MOST_CASES];
};

// The application in this place is asked for.
bool qsm_fedcm_is_asked(const struct qsm_fedcm_case *one, uint32_t app);

// All of them, with applications of this size, in the order in which they are best run; `requests`
// of each case with some.
void qsm_fedcm_list(struct qsm_fedcm_cases *cases, enum qsm_app_size size, uint32_t requests);

// A text that is the same for equal cases only, but for the part: a run serves all parts.
void qsm_fedcm_key(const struct qsm_fedcm_case *one, char *key, size_t key_len);

#endif
