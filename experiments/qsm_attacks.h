// SPDX-License-Identifier: Apache-2.0
// A hostile tenant beside an honest one: attack_kernels.c against a program of the suite, on a GPU
// of their own. Functions return 0, or -1 with the reason in msg.
#ifndef QSM_ATTACKS_H
#define QSM_ATTACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_runtime.h"
#include "qsm_scenario.h"
#include "qsm_suite.h"

enum qsm_attack_end {
  QSM_ATTACK_ENDLESS,  // it runs until it is killed
  QSM_ATTACK_ENDS,     // it ends, and is launched again at once
  QSM_ATTACK_FAULTS,   // it is killed by a fault, and launched again at once
  QSM_ATTACK_FORGES,  // it may end anyhow: the host switches blocks out whose images the attack has
                      // written
  QSM_ATTACK_ANYHOW,  // it runs for ever, ends or is killed, and is then launched again at once
};

enum { QSM_ATTACK_WHOLE_SM = 0 };

struct qsm_attack {
  const char *kernel;
  enum qsm_attack_end end;
  uint32_t cause;   // of the fault (docs/isa.md)
  uint32_t warps;   // of a block; QSM_ATTACK_WHOLE_SM: as many as an SM has
  bool all_shared;  // a block takes the SM's whole shared memory
  bool needs_fpu;
  bool early;  // it fills the GPU before the honest tenant comes
  const char *does;
};

extern const struct qsm_attack qsm_attacks[];
extern const size_t qsm_n_attacks;

struct qsm_attack_setting {
  const char *backend, *config;
  const char *attackers;                    // the ELF of attack_kernels.c
  const struct qsm_suite_program *program;  // of the honest tenant
  enum qsm_suite_size size;
  uint64_t seed;
  qsmScheme scheme;
  uint32_t goal_q16;  // of the honest tenant, thread instructions per cycle; 0: none
  qsmAdjustment adjust;
  uint32_t n_epochs;  // measured, after n_settle that are not; 0: after one
  uint32_t n_settle;
  uint32_t shared_bytes;  // of a block of an attack that does not take all
  // Policy, scheme, controller, adjustment and latecomers of this scenario, in place of GTO and
  // what stands here, and both tenants come when its epochs have begun; NULL: none.
  const struct qsm_scenario *machine;
};

struct qsm_attack_outcome {
  double ipc;                 // of the honest tenant, thread instructions per cycle
  uint64_t n_right, n_wrong;  // its passes, by their outputs
  uint64_t first_pass;  // cycles until its first pass has ended; 0: it has not in the measured time
  uint64_t n_attacks;   // launches of the attack that have ended
  uint64_t n_unexpected;       // of these, with another end than the attack's, or another cause
  qsmLaunchResult unexpected;  // the last of them
};

// attack NULL: the honest tenant alone.
int qsm_attack_run(const struct qsm_attack_setting *setting, const struct qsm_attack *attack,
                   struct qsm_attack_outcome *outcome, char *msg, size_t msg_len);

#endif
