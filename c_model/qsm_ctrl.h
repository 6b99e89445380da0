// SPDX-License-Identifier: Apache-2.0
// The control port and the registers behind it (docs/control_port.md). The registers that other
// blocks see as direct signals stand in struct qsm_regs; the others live in their blocks.
#ifndef QSM_CTRL_H
#define QSM_CTRL_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_config.h"
#include "qsm_sm.h"

struct qsm_tb_sched;
struct qsm_qos_mgr;
struct qsm_sm_mgr;
struct qsm_l2;
struct qsm_dram;
struct qsm_front;

struct qsm_regs {
  struct qsm_sm_shared shared;  // what the SMs see
  QSM_OTHER_REGISTERS;          // by name, as docs/registers.md has them
  uint32_t valid_mask;          // bit k: CTX.valid of slot k
};

struct qsm_ctrl {
  const struct qsm_config *config;
  struct qsm_regs regs;
  struct qsm_tb_sched *tb_sched;
  struct qsm_qos_mgr *qos_mgr;
  struct qsm_sm_mgr *sm_mgr;
  struct qsm_sm *const *sms;
  struct qsm_sa_cache *sa;  // NULL: no shader arrays
  struct qsm_l2 *l2;        // NULL: none
  struct qsm_dram *dram;    // NULL: none
  struct qsm_front *front;  // NULL: no command channels
};

// Registers at their reset values. The other blocks are set by the caller; all outlive the control
// port.
void qsm_ctrl_reset(struct qsm_ctrl *ctrl, const struct qsm_config *config);

// A read in `cycle`, which is about to run. Returns err; *value is then 0.
int qsm_ctrl_read(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t addr, uint32_t *value);

// A counter of the memory side (QSM_STATE_MEMORY), without MEM_SELECT; false: there is none.
bool qsm_ctrl_memory_state(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t sm, uint32_t index,
                           uint32_t counter, uint32_t *value);

// What a write does within its cycle, besides changing a register at its end.
struct qsm_ctrl_effect {
  uint32_t kill;    // bit k: KILL of slot k
  uint32_t launch;  // bit k: LAUNCH of slot k
  bool icache_inv;
  bool snapshot;  // of the channels
};

// First half of a write in `cycle`, which is about to run: returns err, or 0 and the effect.
int qsm_ctrl_check_write(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t addr, uint32_t value,
                         struct qsm_ctrl_effect *effect);
// Second half, after the cycle has run, for a write that was no err. `ended`: interrupts that the
// cycle set, which win over a clear.
void qsm_ctrl_commit_write(struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t addr, uint32_t value,
                           uint32_t ended);

// The access takes the port of the channel table and the flags (R-FR-1).
bool qsm_ctrl_takes_table(const struct qsm_ctrl *ctrl, uint32_t addr);
// A write there would be refused because the manager computes, and later not (R-FR-11).
bool qsm_ctrl_waits_for_quiet(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t addr);
// The interrupt (R-FR-18).
bool qsm_ctrl_interrupts(const struct qsm_ctrl *ctrl);

// Raises an interrupt of a slot; see qsm_model_inject().
int qsm_ctrl_inject(struct qsm_ctrl *ctrl, uint64_t seed, char *what, size_t what_len);

#endif
