// SPDX-License-Identifier: Apache-2.0
// Applications side by side on one GPU of the model, each in a context of its own: batches, or
// requests that arrive. Who decides their SMs and caches is qsm_collocation.h (docs/collocated.md).
#ifndef QSM_COLLOCATED_H
#define QSM_COLLOCATED_H

#include "qsm_app.h"
#include "qsm_collocation.h"
#include "qsm_config.h"
#include "qsm_profile.h"
#include "qsm_runtime.h"

enum {
  QSM_COLLOCATED_MOST = 8,
  QSM_COLLOCATED_MOST_KERNELS = 64,
  QSM_COLLOCATED_MOST_REQUESTS = 1024
};

// A distinct kernel of an application that ran alone.
struct qsm_collocated_kernel {
  uint64_t instructions, cycles;  // of all its launches; thread instructions
  uint32_t n_launches;
};

struct qsm_collocated_app {
  const struct qsm_app *app;
  const struct qsm_profile *profile;  // NULL: only under serial and concurrent
  uint32_t n_passes;  // 1 .. MOST_REQUESTS; 0: goes on until all that have a number are done
  uint64_t
      mean_gap;  // cycles between two requests, at random (R-CR-9); 0: a batch, pass after pass
  // Its goal while a kernel runs, in thousandths of the kernel's IPC alone; 0: none. `alone`: of an
  // outcome in which it ran alone.
  uint32_t goal_permille;
  bool one_goal;  // all its kernels have the goal of the fastest
  const struct qsm_collocated_kernel *alone;
  uint32_t budget;        // of QAWS; 0: the least
  uint32_t thread_limit;  // percent of the threads of each SM; 0: none
  uint32_t n_sms;         // under scheme sm_static; 0: nothing said
  uint32_t instance;      // 1 + its profile (qsmInstance); 0: none
};

struct qsm_collocated_setting {
  const char *config, *kernel_folder;
  enum qsm_app_size size;
  struct qsm_collocated_app app[QSM_COLLOCATED_MOST];
  uint32_t n_apps;
  struct qsm_collocation_options options;
  uint64_t seed;             // of weights, inputs and arrivals
  uint32_t decision_cycles;  // that the host takes for a launch that is decided anew
  uint32_t mask_cycles;  // and for one with another mask or policy than its application's last one
  uint32_t poll_cycles;  // between two looks of the host, at least 1
  // Contexts with a slot of their own instead of streams: launches have no masks, so only serial
  // and concurrent decide. The only way under schemes that give whole SMs, limits and instances.
  bool own_slots;
  qsmPolicy policy;
  qsmScheme scheme;
  uint32_t epoch_cycles;  // 0: the configuration's
};

struct qsm_collocated_outcome {
  struct {
    uint64_t begin, end;  // cycles from the start of all: call of its first launch, end of its last
    uint32_t n_launches, n_decided, n_changed;
    uint32_t n_passes;                               // that ended before the others were done
    uint64_t latency[QSM_COLLOCATED_MOST_REQUESTS];  // of these: from arrival to end, in order
    // Sum over its launches that ended before the others were done of the cycles that these take
    // alone on all SMs, by the profile; over n_cycles: its speed.
    uint64_t work;
    // While its kernels run, on average over time: the paper's U on each SM (0 outside of the
    // mask), its mean over the mask (u), and the mask's SMs.
    double share[QSM_COLLOCATION_MOST_SMS], u, n_sms;
    struct qsm_collocated_kernel kernel[QSM_COLLOCATED_MOST_KERNELS];  // where it ran alone
  } app[QSM_COLLOCATED_MOST];
  uint64_t n_cycles;  // until the last one with a number of passes has done them
  // Requests of the L2, those that found their line there or on its way, reads and writes of the
  // memory (lines), loads and hits of the shader arrays; until n_cycles.
  uint64_t l2_requests, l2_found, memory_lines, sa_loads, sa_found;
  double
      memory_busy;  // share of the cycles in which a memory port's bus is busy, mean of the ports
};

// What the host took to decide; of the host's clock, so it differs from run to run.
struct qsm_collocated_host {
  uint64_t n_decisions, ns;
};

// An application whose passes are done is not launched again; one without a number ends the pass
// that it is at when the others are done. Outputs are checked after all have ended. `host` may be
// NULL. 0, or -1 with a message.
int qsm_collocated_run(const struct qsm_collocated_setting *setting,
                       struct qsm_collocated_outcome *outcome, struct qsm_collocated_host *host,
                       char *msg, size_t msg_len);

// The smallest of n latencies that percent of them do not exceed (nearest rank); 0 of none.
uint64_t qsm_collocated_percentile(const uint64_t *latency, uint32_t n, uint32_t percent);

#endif
