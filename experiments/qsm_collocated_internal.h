// SPDX-License-Identifier: Apache-2.0
// What the files of the runner share (docs/collocated.md).
#ifndef QSM_COLLOCATED_INTERNAL_H
#define QSM_COLLOCATED_INTERNAL_H

#include "qsm_backend.h"
#include "qsm_collocated.h"
#include "qsm_random.h"

enum { COLLOCATED_MOST_SLOTS = 8 };

struct collocated_tenant {
  qsmContext_t context;
  qsmStream_t stream;  // NULL: it has a slot
  struct qsm_app_run *run;
  uint32_t queue, step, pass;
  bool running, ended;  // a launch of it; it has ended, unseen
  bool done;            // all passes
  bool killed;
  uint64_t launched, end_cycle;  // of the last launch; from the start of all, of the GPU
  uint64_t arrival;              // of the pass that is next or under way
  struct qsm_random random;      // of arrivals
  struct qsm_collocation_decision last;
  uint32_t goal;  // Q16.16, as it was set last
  // Sums over the time in which its kernels run, to the cycle of the last look.
  uint64_t run_cycles;
  double share[QSM_COLLOCATION_MOST_SMS], u, n_sms;
};

// Of a slot's counters, which begin anew with each launch, the part that has been added.
struct collocated_slot {
  uint32_t n_starts;
  uint32_t *seen;
};

struct collocated_gpu {
  const struct qsm_collocated_setting *setting;
  struct qsm_collocated_outcome *outcome;
  struct qsm_collocated_host *host;
  qsmDevice_t device;
  const struct qsm_config *config;
  struct qsm_backend *backend;
  struct qsm_collocation *collocation;
  struct collocated_tenant tenant[QSM_COLLOCATED_MOST];
  uint64_t begun, looked;  // cycles
  bool over;               // all that have a number of passes have done them
  struct collocated_slot slot[COLLOCATED_MOST_SLOTS];
  uint64_t instructions;  // of all, at the launch under way: where one application runs alone
  char *msg;
  size_t msg_len;
};

// ---- What is counted (qsm_collocated_counts.c) ----
int collocated_counts_open(struct collocated_gpu *gpu);
void collocated_counts_close(struct collocated_gpu *gpu);
// Adds what the slots have counted. To be called whenever a launch has ended, before the next one
// is put in.
void collocated_counts_add(struct collocated_gpu *gpu);
// Adds U and masks from the last look on, during which nothing began or ended.
void collocated_shares_add(struct collocated_gpu *gpu, uint64_t now);
// Thread instructions of all launches so far.
uint64_t collocated_instructions(const struct collocated_gpu *gpu);

#endif
