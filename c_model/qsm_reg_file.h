// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
// Registers of the model's control port: storage, resets and rules.
// clang-format off
#ifndef QSM_REG_FILE_H
#define QSM_REG_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct qsm_config;
struct qsm_regs;

// Members of struct qsm_sm_shared.
#define QSM_SM_REGISTERS \
  uint32_t policy; \
  uint32_t epoch_len; \
  uint32_t stall_select; \
  uint32_t active_warps; \
  uint32_t wake_lat; \
  uint32_t energy_select; \
  uint32_t first_quota[QSM_MAX_KERNELS]; \
  uint32_t budget[QSM_MAX_KERNELS]; \
  uint32_t save_base[QSM_MAX_KERNELS]; \
  uint32_t cache_policy[QSM_MAX_KERNELS]; \
  uint32_t mem_split[QSM_MAX_KERNELS]

// Members of struct qsm_regs.
#define QSM_OTHER_REGISTERS \
  uint32_t irq; \
  uint32_t scheme; \
  uint32_t alpha_cap; \
  uint32_t rollover_cap; \
  uint32_t quota_rules; \
  uint32_t sm_select; \
  uint32_t adjust; \
  uint32_t adjust_technique; \
  uint32_t nonqos_quota; \
  uint32_t mem_select; \
  uint32_t latecomers; \
  uint32_t move_technique; \
  uint32_t sm_gating; \
  uint32_t sm_threshold; \
  uint32_t sm_step; \
  uint32_t front_mode; \
  qsm_sm_set front_slots; \
  uint32_t link_interval; \
  uint32_t ctx[QSM_MAX_KERNELS]; \
  uint32_t goal[QSM_MAX_KERNELS]; \
  qsm_sm_set sm_mask[QSM_MAX_KERNELS]; \
  uint32_t iso_ipc[QSM_MAX_KERNELS]; \
  uint32_t save_limit[QSM_MAX_KERNELS]; \
  uint32_t idempotent[QSM_MAX_KERNELS]; \
  uint32_t preempt_hold[QSM_MAX_KERNELS]; \
  uint32_t sm_count[QSM_MAX_KERNELS]; \
  uint32_t warp_cap[QSM_MAX_KERNELS]; \
  uint32_t deadline[QSM_MAX_KERNELS]; \
  uint32_t work[QSM_MAX_KERNELS]

// What registers show of the selected SM: the members of sm_figures_t by name, as registers have their values.
struct qsm_sm_figures {
  uint32_t stall_value;
  uint32_t save_phase;
  uint32_t energy_value;
  uint32_t snap_idle[8];
  struct {
    uint32_t budget, valid, ncs;
  } qaws_front[4];
  uint32_t snap_c[8];
  uint32_t snap_insn[8];
  uint32_t quota[8];
};

enum {
  QSM_REG_IS_KNOWN = 1,  // there is such a register
  QSM_REG_IS_WRITABLE = 2,
  QSM_REG_IS_STORED = 4,  // in struct qsm_regs, or a constant; else what a read returns lies elsewhere
  QSM_REG_IS_IDLE = 8,  // R-CP-3
  QSM_REG_IS_QUIET = 16,  // not while the manager computes (R-QM-3)
  QSM_REG_IS_TENANT = 32,  // R-CP-5
  QSM_REG_IS_FIGURE = 64,  // of the selected SM, at least some of its bits
};

// All registers at their reset values.
void qsm_reg_file_reset(struct qsm_regs *regs, const struct qsm_config *config);
// What a new tenant of slot k does not inherit (R-CP-5).
void qsm_reg_file_arrive(struct qsm_regs *regs, uint32_t k);

// Rules of the register at an offset, 0 where there is none; the write's value is in its range; value of
// a register that is stored; and its change to a value that is in the range.
uint32_t qsm_gpu_reg_rules(const struct qsm_config *config, uint32_t offset);
bool qsm_gpu_reg_fits(const struct qsm_config *config, uint32_t offset, uint32_t value);
uint32_t qsm_gpu_reg_load(const struct qsm_regs *regs, const struct qsm_config *config, uint32_t offset);
void qsm_gpu_reg_store(struct qsm_regs *regs, uint32_t offset, uint32_t value);
uint32_t qsm_slot_reg_rules(const struct qsm_config *config, uint32_t offset);
bool qsm_slot_reg_fits(const struct qsm_config *config, uint32_t offset, uint32_t value);
uint32_t qsm_slot_reg_load(const struct qsm_regs *regs, const struct qsm_config *config, uint32_t k, uint32_t offset);
void qsm_slot_reg_store(struct qsm_regs *regs, uint32_t k, uint32_t offset, uint32_t value);

// Register of the selected SM that there is several times: finds the address of its element 0, and the element.
bool qsm_smsel_reg_find(const struct qsm_config *config, uint32_t addr, uint32_t *first, uint32_t *k);
uint32_t qsm_smsel_reg_rules(uint32_t first);
// The bits of a register that figures of the selected SM make; `address`: of element 0, where there are several.
uint32_t qsm_reg_figures(const struct qsm_sm_figures *figures, uint32_t address, uint32_t k);

#endif
