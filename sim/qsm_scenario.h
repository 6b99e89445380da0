// SPDX-License-Identifier: Apache-2.0
// Scenario files: which kernels share which GPU, under which goals and scheduling, for how long
// (docs/scenarios.md).
#ifndef QSM_SCENARIO_H
#define QSM_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_runtime.h"
#include "qsm_suite.h"

enum {
  QSM_SCENARIO_MAX_KERNELS = 8,
  QSM_SCENARIO_TEXT = 256,
  QSM_SCENARIO_ARRIVAL_MAX = 1000000,
  QSM_SCENARIO_ARRIVAL_STEP = 2  // the host writes a register in two cycles
};

#define QSM_SCENARIO_ALL_IMAGES UINT32_MAX

enum qsm_goal_kind { QSM_GOAL_NONE, QSM_GOAL_IPC, QSM_GOAL_PERCENT, QSM_GOAL_TIMED };

// One tenant: a program of the suite, or a user's ELF with one launch repeated.
struct qsm_scenario_kernel {
  char name[64];
  const struct qsm_suite_program *program;  // NULL: user's ELF
  char elf[QSM_SCENARIO_TEXT];
  char symbol[64];
  uint32_t grid[3], block[3], shared_bytes;
  uint32_t n_args;
  uint32_t arg[8];
  uint32_t buffer_bytes[8];  // not 0: the argument is the address of a zeroed buffer of this size
  enum qsm_goal_kind goal_kind;
  double goal;      // thread instructions per cycle, or percent of isolated
  qsmGoal timed;    // deadline or rate of a pass, but for what is measured
  uint64_t passes;  // 0: repeat until the end
  bool arrives;     // so many cycles after the first one that does
  uint64_t arrival;
  qsmSmMask sm_mask;                    // 0: all
  qsmWorkers workers;                   // persistent ones, on SMs worker_first, ...
  uint32_t worker_first, worker_count;  // worker_count 0: all
  uint32_t workers_per_sm;              // or QSM_WORKERS_HALF
  uint32_t sm_count;                    // SM_COUNT: 0: not said (qsmSetSmCount)
  uint32_t thread_limit;                // percent of an SM's threads, 0: none
  bool in_instance;                     // of its own, with this profile
  qsmInstance instance;
  uint32_t budget;       // BUDGET: of its group under the QAWS policies
  uint32_t priority;     // among kernels with goals, 3 before 0
  uint32_t save_images;  // saved thread blocks at a time; QSM_SCENARIO_ALL_IMAGES: as many as the
                         // GPU takes
  bool idempotent;
  uint64_t deadline, work;  // of a launch: cycles from its submission, 0: none; its instructions
  bool relaunch;  // a launch that a fault has killed is followed by the next, and no failure
  qsmCachePolicy cache_policy;  // caches that its launches skip
};

struct qsm_scenario {
  char path[QSM_SCENARIO_TEXT];
  char config[QSM_SCENARIO_TEXT];
  qsmPolicy policy;
  qsmScheme scheme;
  bool rollover_paper;  // the scheme's name: rollover, with this controller
  uint64_t epoch;       // 0: the configuration's
  qsmController controller;
  double goal_margin;      // percent of a goal that the GPU is told on top of it
  uint32_t nonqos_quota;   // NONQOS_QUOTA: 0 artificial goals, n: 2^(n-1) instructions per cycle
  uint32_t active_warps;   // ACTIVE_WARPS: places under two_level
  qsmAdjustment adjust;    // of thread blocks at run time
  bool latecomers;         // room for kernels that wait for their first block
  qsmAdmission admission;  // of several goals beside each other
  qsmTechnique move_technique;  // how blocks leave an SM that moves
  bool sm_gating;
  uint32_t wake_latency;  // WAKE_LAT, 0: as after reset
  uint32_t sm_threshold;  // SM_THRESHOLD: Q0.16
  uint32_t sm_step;       // SM_STEP, 0: as after reset
  uint64_t cycles;        // length of the measurement, rounded up to whole epochs
  uint64_t seed;
  enum qsm_suite_size size;
  bool compare_without_qos;
  uint32_t n_kernels;
  struct qsm_scenario_kernel kernels[QSM_SCENARIO_MAX_KERNELS];
};

// As the file names it.
const char *qsm_scenario_scheme_name(const struct qsm_scenario *scenario);

// Some kernel runs in workers: software holds their SMs, the GPU is told no goals.
bool qsm_scenario_has_workers(const struct qsm_scenario *scenario);

struct qsm_yaml_source;

// Reads and checks a file, or text that stands for one. Returns 0, or -1 with "FILE:LINE: what is
// wrong".
int qsm_scenario_load(const struct qsm_yaml_source *source, struct qsm_scenario *scenario,
                      char *msg, size_t msg_len);

#endif
