// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
// clang-format off
#include "qsm_reg_file.h"

#include <string.h>

#include "qsm_config.h"
#include "qsm_ctrl.h"
#include "qsm_enums.h"
#include "qsm_regs.h"

static bool within(uint32_t value, uint32_t least, uint32_t most) {
  return value >= least && value <= most;
}

void qsm_reg_file_reset(struct qsm_regs *regs, const struct qsm_config *config) {
  memset(regs, 0, sizeof *regs);
  regs->shared.policy = QSM_POLICY_GTO;
  regs->shared.epoch_len = 0x2710u;
  regs->alpha_cap = 0x40000u;
  regs->rollover_cap = 0x8u;
  regs->quota_rules = 0x1u;
  regs->shared.active_warps = 0x8u;
  regs->latecomers = 0x1u;
  regs->move_technique = QSM_TECHNIQUE_DRAIN;
  regs->shared.wake_lat = 0x1f4u;
  regs->sm_threshold = 0x28fu;
  regs->sm_step = 0x2u;
  regs->link_interval = 0x100u;
  for (uint32_t k = 0; k < config->num_kernels; k++) {
    regs->shared.first_quota[k] = 0x1u;
    regs->sm_mask[k] = qsm_first_sms(config->num_sms);
    regs->shared.desc[k].grid[0] = 0x1u;
    regs->shared.desc[k].grid[1] = 0x1u;
    regs->shared.desc[k].grid[2] = 0x1u;
    regs->shared.desc[k].block[0] = 0x1u;
    regs->shared.desc[k].block[1] = 0x1u;
    regs->shared.desc[k].block[2] = 0x1u;
    regs->shared.desc[k].threads = 0x1u;
    regs->shared.desc[k].warps = 0x1u;
    regs->shared.budget[k] = 0x1u;
  }
}

void qsm_reg_file_arrive(struct qsm_regs *regs, uint32_t k) {
  regs->shared.budget[k] = 1;
  regs->iso_ipc[k] = 0;
  regs->shared.save_base[k] = 0;
  regs->save_limit[k] = 0;
  regs->idempotent[k] = 0;
  regs->preempt_hold[k] = 0;
  regs->shared.cache_policy[k] = 0;
  regs->shared.desc[k].stack = 0;
  regs->sm_count[k] = 0;
  regs->warp_cap[k] = 0;
  regs->deadline[k] = 0;
  regs->work[k] = 0;
}

uint32_t qsm_gpu_reg_rules(const struct qsm_config *config, uint32_t offset) {
  switch (offset) {
    case QSM_REG_ID:
    case QSM_REG_CONFIG0:
    case QSM_REG_CONFIG1:
    case QSM_REG_CONFIG2:
    case QSM_REG_CONFIG3:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_STORED;
    case QSM_REG_CYCLE_LO:
    case QSM_REG_CYCLE_HI:
    case QSM_REG_EPOCH_COUNT:
    case QSM_REG_EPOCH_E_LO:
    case QSM_REG_ALLOC_BUSY:
    case QSM_REG_MGR_BUSY:
    case QSM_REG_PREEMPT_STATUS:
    case QSM_REG_ADJUST_BUSY:
    case QSM_REG_MEM_VALUE:
    case QSM_REG_MOVES:
    case QSM_REG_MOVE_CYCLES_LO:
    case QSM_REG_MOVE_CYCLES_HI:
    case QSM_REG_GATED_CYCLES_LO:
    case QSM_REG_GATED_CYCLES_HI:
    case QSM_REG_SMSEL_OWNER:
    case QSM_REG_SHARED_CYCLES_LO:
    case QSM_REG_SHARED_CYCLES_HI:
    case QSM_REG_WAKES:
      return QSM_REG_IS_KNOWN;
    case QSM_REG_IRQ:
    case QSM_REG_POLICY:
    case QSM_REG_SM_SELECT:
    case QSM_REG_STALL_SELECT:
    case QSM_REG_ACTIVE_WARPS:
    case QSM_REG_ADJUST:
    case QSM_REG_ADJUST_TECHNIQUE:
    case QSM_REG_MEM_SELECT:
    case QSM_REG_LATECOMERS:
    case QSM_REG_MOVE_TECHNIQUE:
    case QSM_REG_SM_GATING:
    case QSM_REG_WAKE_LAT:
    case QSM_REG_ENERGY_SELECT:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_STORED;
    case QSM_REG_ICACHE_INV:
    case QSM_REG_PREEMPT:
    case QSM_REG_L2_FLUSH:
    case QSM_REG_SM_MOVE:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE;
    case QSM_REG_SCHEME:
    case QSM_REG_EPOCH_LEN:
    case QSM_REG_ALPHA_CAP:
    case QSM_REG_ROLLOVER_CAP:
    case QSM_REG_QUOTA_RULES:
    case QSM_REG_NONQOS_QUOTA:
    case QSM_REG_SM_THRESHOLD:
    case QSM_REG_SM_STEP:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_STORED | QSM_REG_IS_QUIET;
    case QSM_REG_STALL_VALUE:
    case QSM_REG_SMSEL_JOB:
    case QSM_REG_ENERGY_VALUE:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_FIGURE;
    case QSM_REG_FRONT_MODE:
    case QSM_REG_FRONT_SLOTS:
    case QSM_REG_LINK_INTERVAL:
      return config->cmd_channels ? QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_STORED : 0;
    case QSM_REG_FRONT_IRQ0:
    case QSM_REG_FRONT_IRQ1:
    case QSM_REG_FRONT_IRQ2:
    case QSM_REG_FRONT_SNAP:
      return config->cmd_channels ? QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE : 0;
    case QSM_REG_SNAP_ENGINE:
    case QSM_REG_SNAP_CYCLE_LO:
    case QSM_REG_SNAP_CYCLE_HI:
    case QSM_REG_SNAP_BUSY0:
    case QSM_REG_SNAP_BUSY1:
    case QSM_REG_SNAP_BUSY2:
      return config->cmd_channels ? QSM_REG_IS_KNOWN : 0;
    default: return 0;
  }
}

bool qsm_gpu_reg_fits(const struct qsm_config *config, uint32_t offset, uint32_t value) {
  switch (offset) {
    case QSM_REG_IRQ:
    case QSM_REG_FRONT_IRQ0:
    case QSM_REG_FRONT_IRQ1:
    case QSM_REG_FRONT_IRQ2:
      return true;
    case QSM_REG_ICACHE_INV:
    case QSM_REG_FRONT_SNAP:
      return (value & 0xfffffffeu) == 0 &&
             (value & 0x1u) == 1u;
    case QSM_REG_POLICY:
      return qsm_policy_valid(value);
    case QSM_REG_SCHEME:
      return qsm_scheme_valid(value);
    case QSM_REG_EPOCH_LEN:
      return within(value, (config->qos_lat + 2 * config->noc_lat + 16), 0xfffffu);
    case QSM_REG_ALPHA_CAP:
      return (value == 0u || within(value, 0x10000u, 0x3fffffu));
    case QSM_REG_ROLLOVER_CAP:
      return within(value, 0u, 255u);
    case QSM_REG_QUOTA_RULES:
      return (value & 0xfffff8c0u) == 0;
    case QSM_REG_SM_SELECT:
      return within(value, 0u, (config->num_sms - 1));
    case QSM_REG_STALL_SELECT:
      return (value & 0xfffffc00u) == 0 &&
             qsm_stall_valid(value & 0xfu) &&
             within((value >> 4 & 0xfu), 0u, (config->num_kernels - 1)) &&
             within((value >> 8 & 0x3u), 0u, (config->num_sched - 1));
    case QSM_REG_ACTIVE_WARPS:
      return within(value, 1u, 16u);
    case QSM_REG_ADJUST:
      return within(value, 0u, 1u);
    case QSM_REG_ADJUST_TECHNIQUE:
    case QSM_REG_MOVE_TECHNIQUE:
      return qsm_technique_valid(value);
    case QSM_REG_PREEMPT:
      return (value & 0xfff80000u) == 0 &&
             within((value & 0xffu), 0u, (config->num_sms - 1)) &&
             within((value >> 8 & 0x7u), 0u, (config->num_kernels - 1)) &&
             within((value >> 11 & 0x1fu), 0u, (config->max_tbs - 1)) &&
             qsm_technique_valid(value >> 17 & 0x3u);
    case QSM_REG_NONQOS_QUOTA:
      return within(value, 0u, 8u);
    case QSM_REG_MEM_SELECT:
      return (value & 0xffffe080u) == 0 &&
             within((value & 0xfu), 0u, (config->num_channels - 1)) &&
             within((value >> 4 & 0x7u), 0u, (config->num_kernels - 1)) &&
             within((value >> 8 & 0x1fu), 0u, 29u);
    case QSM_REG_L2_FLUSH:
      return (value == 1u || within(value, 0x80000000u, 0xffffffffu));
    case QSM_REG_LATECOMERS:
      return (value & 0xfffffffeu) == 0;
    case QSM_REG_SM_MOVE:
      return (value & 0xfffcf800u) == 0 &&
             within((value & 0xffu), 0u, (config->num_sms - 1)) &&
             within((value >> 8 & 0x7u), 0u, (config->num_kernels - 1)) &&
             qsm_sm_use_valid(value >> 16 & 0x3u);
    case QSM_REG_SM_GATING:
      return within(value, 0u, (config->power_gating));
    case QSM_REG_WAKE_LAT:
      return within(value, 1u, 65535u);
    case QSM_REG_SM_THRESHOLD:
      return within(value, 0u, 65535u);
    case QSM_REG_SM_STEP:
      return within(value, 1u, 4u);
    case QSM_REG_ENERGY_SELECT:
      return (value & 0xffffff00u) == 0 &&
             qsm_energy_event_valid(value & 0xfu) &&
             within((value >> 4 & 0xfu), 0u, (config->num_kernels - 1));
    case QSM_REG_FRONT_MODE:
      return (value & 0xfffffffcu) == 0;
    case QSM_REG_FRONT_SLOTS:
      return (value & ~(uint32_t)(qsm_first_sms(config->num_kernels) >> 0)) == 0;
    case QSM_REG_LINK_INTERVAL:
      return within(value, 1u, 0xffffffu);
    default: return false;
  }
}

uint32_t qsm_gpu_reg_load(const struct qsm_regs *regs, const struct qsm_config *config, uint32_t offset) {
  switch (offset) {
    case QSM_REG_ID:
      return 0x51534d31u;
    case QSM_REG_CONFIG0:
      return (config->num_sms) | (config->num_sched) << 8 | (config->warps_per_sm) << 16 | (config->warp_size) << 24;
    case QSM_REG_CONFIG1:
      return (config->num_kernels) | (config->max_tbs) << 8 | (config->num_channels) << 16 | (config->noc_lat) << 24;
    case QSM_REG_CONFIG2:
      return (config->shared_bytes);
    case QSM_REG_IRQ:
      return regs->irq;
    case QSM_REG_POLICY:
      return regs->shared.policy;
    case QSM_REG_SCHEME:
      return regs->scheme;
    case QSM_REG_EPOCH_LEN:
      return regs->shared.epoch_len;
    case QSM_REG_ALPHA_CAP:
      return regs->alpha_cap;
    case QSM_REG_ROLLOVER_CAP:
      return regs->rollover_cap;
    case QSM_REG_QUOTA_RULES:
      return regs->quota_rules;
    case QSM_REG_SM_SELECT:
      return regs->sm_select;
    case QSM_REG_STALL_SELECT:
      return regs->shared.stall_select;
    case QSM_REG_ACTIVE_WARPS:
      return regs->shared.active_warps;
    case QSM_REG_ADJUST:
      return regs->adjust;
    case QSM_REG_ADJUST_TECHNIQUE:
      return regs->adjust_technique;
    case QSM_REG_CONFIG3:
      return (config->num_groups) | (config->num_images) << 4;
    case QSM_REG_NONQOS_QUOTA:
      return regs->nonqos_quota;
    case QSM_REG_MEM_SELECT:
      return regs->mem_select;
    case QSM_REG_LATECOMERS:
      return regs->latecomers;
    case QSM_REG_MOVE_TECHNIQUE:
      return regs->move_technique;
    case QSM_REG_SM_GATING:
      return regs->sm_gating;
    case QSM_REG_WAKE_LAT:
      return regs->shared.wake_lat;
    case QSM_REG_SM_THRESHOLD:
      return regs->sm_threshold;
    case QSM_REG_SM_STEP:
      return regs->sm_step;
    case QSM_REG_ENERGY_SELECT:
      return regs->shared.energy_select;
    case QSM_REG_FRONT_MODE:
      return regs->front_mode;
    case QSM_REG_FRONT_SLOTS:
      return (uint32_t)(regs->front_slots >> 0);
    case QSM_REG_LINK_INTERVAL:
      return regs->link_interval;
    default: return 0;
  }
}

void qsm_gpu_reg_store(struct qsm_regs *regs, uint32_t offset, uint32_t value) {
  switch (offset) {
    case QSM_REG_IRQ:
      regs->irq &= ~value;
      break;
    case QSM_REG_POLICY:
      regs->shared.policy = value;
      break;
    case QSM_REG_SCHEME:
      regs->scheme = value;
      break;
    case QSM_REG_EPOCH_LEN:
      regs->shared.epoch_len = value;
      break;
    case QSM_REG_ALPHA_CAP:
      regs->alpha_cap = value;
      break;
    case QSM_REG_ROLLOVER_CAP:
      regs->rollover_cap = value;
      break;
    case QSM_REG_QUOTA_RULES:
      regs->quota_rules = value;
      break;
    case QSM_REG_SM_SELECT:
      regs->sm_select = value;
      break;
    case QSM_REG_STALL_SELECT:
      regs->shared.stall_select = value;
      break;
    case QSM_REG_ACTIVE_WARPS:
      regs->shared.active_warps = value;
      break;
    case QSM_REG_ADJUST:
      regs->adjust = value;
      break;
    case QSM_REG_ADJUST_TECHNIQUE:
      regs->adjust_technique = value;
      break;
    case QSM_REG_NONQOS_QUOTA:
      regs->nonqos_quota = value;
      break;
    case QSM_REG_MEM_SELECT:
      regs->mem_select = value;
      break;
    case QSM_REG_LATECOMERS:
      regs->latecomers = value;
      break;
    case QSM_REG_MOVE_TECHNIQUE:
      regs->move_technique = value;
      break;
    case QSM_REG_SM_GATING:
      regs->sm_gating = value;
      break;
    case QSM_REG_WAKE_LAT:
      regs->shared.wake_lat = value;
      break;
    case QSM_REG_SM_THRESHOLD:
      regs->sm_threshold = value;
      break;
    case QSM_REG_SM_STEP:
      regs->sm_step = value;
      break;
    case QSM_REG_ENERGY_SELECT:
      regs->shared.energy_select = value;
      break;
    case QSM_REG_FRONT_MODE:
      regs->front_mode = value;
      break;
    case QSM_REG_FRONT_SLOTS:
      regs->front_slots = (regs->front_slots & ~((qsm_sm_set)UINT32_MAX << 0)) | (qsm_sm_set)value << 0;
      break;
    case QSM_REG_LINK_INTERVAL:
      regs->link_interval = value;
      break;
    default: break;
  }
}

uint32_t qsm_slot_reg_rules(const struct qsm_config *config, uint32_t offset) {
  switch (offset) {
    case QSM_SLOT_CTX:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_STORED | QSM_REG_IS_IDLE | QSM_REG_IS_QUIET;
    case QSM_SLOT_GOAL:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_STORED | QSM_REG_IS_QUIET;
    case QSM_SLOT_FIRST_QUOTA:
    case QSM_SLOT_SM_MASK_LO:
    case QSM_SLOT_SM_MASK_HI:
    case QSM_SLOT_SM_MASK_2:
    case QSM_SLOT_MEM_SPLIT:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_STORED;
    case QSM_SLOT_WIN0_BASE:
    case QSM_SLOT_WIN0_LIMIT:
    case QSM_SLOT_WIN0_RIGHTS:
    case QSM_SLOT_WIN1_BASE:
    case QSM_SLOT_WIN1_LIMIT:
    case QSM_SLOT_WIN1_RIGHTS:
    case QSM_SLOT_ENTRY:
    case QSM_SLOT_ARG:
    case QSM_SLOT_GRID_X:
    case QSM_SLOT_GRID_Y:
    case QSM_SLOT_GRID_Z:
    case QSM_SLOT_BLOCK_X:
    case QSM_SLOT_BLOCK_Y:
    case QSM_SLOT_BLOCK_Z:
    case QSM_SLOT_BLOCK_THREADS:
    case QSM_SLOT_SHARED:
    case QSM_SLOT_BLOCK_WARPS:
    case QSM_SLOT_SHARED_GRAN:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_STORED | QSM_REG_IS_IDLE;
    case QSM_SLOT_LAUNCH:
    case QSM_SLOT_KILL:
    case QSM_SLOT_YIELD:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE;
    case QSM_SLOT_STATUS:
    case QSM_SLOT_FAULT_CAUSE:
    case QSM_SLOT_FAULT_PC:
    case QSM_SLOT_FAULT_TID:
    case QSM_SLOT_FAULT_BLOCK:
    case QSM_SLOT_FAULT_VALUE:
    case QSM_SLOT_LAUNCHES:
    case QSM_SLOT_INSN_LO:
    case QSM_SLOT_INSN_HI:
    case QSM_SLOT_HCYC_LO:
    case QSM_SLOT_HCYC_HI:
    case QSM_SLOT_EPOCH_INSN:
    case QSM_SLOT_EPOCH_QUOTA:
    case QSM_SLOT_ALPHA:
    case QSM_SLOT_SAVED:
    case QSM_SLOT_RATIO:
    case QSM_SLOT_SM_RECORD:
    case QSM_SLOT_OWNED_CYCLES_LO:
    case QSM_SLOT_OWNED_CYCLES_HI:
      return QSM_REG_IS_KNOWN;
    case QSM_SLOT_HIST_CLEAR:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_QUIET;
    case QSM_SLOT_BUDGET:
    case QSM_SLOT_PREEMPT_HOLD:
    case QSM_SLOT_WARP_CAP:
    case QSM_SLOT_DEADLINE:
    case QSM_SLOT_WORK:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_STORED | QSM_REG_IS_TENANT;
    case QSM_SLOT_ISO_IPC:
    case QSM_SLOT_SM_COUNT:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_STORED | QSM_REG_IS_QUIET | QSM_REG_IS_TENANT;
    case QSM_SLOT_SAVE_BASE:
    case QSM_SLOT_SAVE_LIMIT:
    case QSM_SLOT_IDEMPOTENT:
    case QSM_SLOT_CACHE_POLICY:
    case QSM_SLOT_STACK:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_STORED | QSM_REG_IS_IDLE | QSM_REG_IS_TENANT;
    case QSM_SLOT_CHANNEL:
      return config->cmd_channels ? QSM_REG_IS_KNOWN : 0;
    case QSM_SLOT_WALK_XY:
    case QSM_SLOT_WALK_Z:
    case QSM_SLOT_WALK_LINEAR:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE | QSM_REG_IS_IDLE | QSM_REG_IS_TENANT;
    default: return 0;
  }
}

bool qsm_slot_reg_fits(const struct qsm_config *config, uint32_t offset, uint32_t value) {
  switch (offset) {
    case QSM_SLOT_CTX:
      return (value & 0xfffffff0u) == 0;
    case QSM_SLOT_GOAL:
    case QSM_SLOT_ARG:
    case QSM_SLOT_ISO_IPC:
    case QSM_SLOT_WALK_XY:
    case QSM_SLOT_WALK_LINEAR:
    case QSM_SLOT_WORK:
      return true;
    case QSM_SLOT_FIRST_QUOTA:
      return within(value, 1u, 0x7fffffffu);
    case QSM_SLOT_SM_MASK_LO:
      return (value & ~(uint32_t)(qsm_first_sms(config->num_sms) >> 0)) == 0;
    case QSM_SLOT_SM_MASK_HI:
      return (value & ~(uint32_t)(qsm_first_sms(config->num_sms) >> 32)) == 0;
    case QSM_SLOT_WIN0_BASE:
    case QSM_SLOT_WIN0_LIMIT:
    case QSM_SLOT_WIN1_BASE:
    case QSM_SLOT_WIN1_LIMIT:
    case QSM_SLOT_SAVE_BASE:
    case QSM_SLOT_SAVE_LIMIT:
      return (value & 0x00000fffu) == 0;
    case QSM_SLOT_WIN0_RIGHTS:
    case QSM_SLOT_WIN1_RIGHTS:
      return (value & 0xfffffff8u) == 0;
    case QSM_SLOT_ENTRY:
      return (value & 0x00000003u) == 0;
    case QSM_SLOT_GRID_X:
    case QSM_SLOT_GRID_Y:
    case QSM_SLOT_GRID_Z:
      return within(value, 1u, 65535u);
    case QSM_SLOT_BLOCK_X:
    case QSM_SLOT_BLOCK_Y:
    case QSM_SLOT_BLOCK_Z:
      return within(value, 1u, 1024u);
    case QSM_SLOT_BLOCK_THREADS:
      return within(value, 1u, ((1024 < config->warps_per_sm * config->warp_size ? 1024 : config->warps_per_sm * config->warp_size)));
    case QSM_SLOT_SHARED:
      return within(value, 0u, (config->shared_bytes));
    case QSM_SLOT_BLOCK_WARPS:
      return within(value, 1u, (config->warps_per_sm));
    case QSM_SLOT_SHARED_GRAN:
      return within(value, 0u, 32u);
    case QSM_SLOT_LAUNCH:
    case QSM_SLOT_HIST_CLEAR:
    case QSM_SLOT_KILL:
    case QSM_SLOT_YIELD:
      return (value & 0xfffffffeu) == 0 &&
             (value & 0x1u) == 1u;
    case QSM_SLOT_BUDGET:
      return within(value, 1u, 255u);
    case QSM_SLOT_IDEMPOTENT:
    case QSM_SLOT_PREEMPT_HOLD:
      return within(value, 0u, 1u);
    case QSM_SLOT_CACHE_POLICY:
      return qsm_cache_policy_valid(value);
    case QSM_SLOT_SM_MASK_2:
      return (value & ~(uint32_t)(qsm_first_sms(config->num_sms) >> 64)) == 0;
    case QSM_SLOT_STACK:
      return (value & 0x00000fe0u) == 0 &&
             ((value & 0x1fu) == 0u || within((value & 0x1fu), 4u, 16u));
    case QSM_SLOT_SM_COUNT:
      return within(value, 0u, (config->num_sms));
    case QSM_SLOT_WARP_CAP:
      return within(value, 0u, (config->warps_per_sm));
    case QSM_SLOT_MEM_SPLIT:
      return within(value, 0u, ((qsm_lowest(config->num_channels) < config->partition_bits ? qsm_lowest(config->num_channels) : config->partition_bits)));
    case QSM_SLOT_WALK_Z:
      return (value & 0xffff0000u) == 0;
    case QSM_SLOT_DEADLINE:
      return within(value, 0u, 0x7fffffffu);
    default: return false;
  }
}

uint32_t qsm_slot_reg_load(const struct qsm_regs *regs, const struct qsm_config *config, uint32_t k, uint32_t offset) {
  (void)config;
  switch (offset) {
    case QSM_SLOT_CTX:
      return regs->ctx[k];
    case QSM_SLOT_GOAL:
      return regs->goal[k];
    case QSM_SLOT_FIRST_QUOTA:
      return regs->shared.first_quota[k];
    case QSM_SLOT_SM_MASK_LO:
      return (uint32_t)(regs->sm_mask[k] >> 0);
    case QSM_SLOT_SM_MASK_HI:
      return (uint32_t)(regs->sm_mask[k] >> 32);
    case QSM_SLOT_WIN0_BASE:
      return regs->shared.desc[k].win[0].base;
    case QSM_SLOT_WIN0_LIMIT:
      return regs->shared.desc[k].win[0].limit;
    case QSM_SLOT_WIN0_RIGHTS:
      return (uint32_t)regs->shared.desc[k].win[0].r << 0 | (uint32_t)regs->shared.desc[k].win[0].w << 1 | (uint32_t)regs->shared.desc[k].win[0].x << 2;
    case QSM_SLOT_WIN1_BASE:
      return regs->shared.desc[k].win[1].base;
    case QSM_SLOT_WIN1_LIMIT:
      return regs->shared.desc[k].win[1].limit;
    case QSM_SLOT_WIN1_RIGHTS:
      return (uint32_t)regs->shared.desc[k].win[1].r << 0 | (uint32_t)regs->shared.desc[k].win[1].w << 1 | (uint32_t)regs->shared.desc[k].win[1].x << 2;
    case QSM_SLOT_ENTRY:
      return regs->shared.desc[k].entry;
    case QSM_SLOT_ARG:
      return regs->shared.desc[k].arg;
    case QSM_SLOT_GRID_X:
      return regs->shared.desc[k].grid[0];
    case QSM_SLOT_GRID_Y:
      return regs->shared.desc[k].grid[1];
    case QSM_SLOT_GRID_Z:
      return regs->shared.desc[k].grid[2];
    case QSM_SLOT_BLOCK_X:
      return regs->shared.desc[k].block[0];
    case QSM_SLOT_BLOCK_Y:
      return regs->shared.desc[k].block[1];
    case QSM_SLOT_BLOCK_Z:
      return regs->shared.desc[k].block[2];
    case QSM_SLOT_BLOCK_THREADS:
      return regs->shared.desc[k].threads;
    case QSM_SLOT_SHARED:
      return regs->shared.desc[k].shared_bytes;
    case QSM_SLOT_BLOCK_WARPS:
      return regs->shared.desc[k].warps;
    case QSM_SLOT_SHARED_GRAN:
      return regs->shared.desc[k].granules;
    case QSM_SLOT_BUDGET:
      return regs->shared.budget[k];
    case QSM_SLOT_ISO_IPC:
      return regs->iso_ipc[k];
    case QSM_SLOT_SAVE_BASE:
      return regs->shared.save_base[k];
    case QSM_SLOT_SAVE_LIMIT:
      return regs->save_limit[k];
    case QSM_SLOT_IDEMPOTENT:
      return regs->idempotent[k];
    case QSM_SLOT_PREEMPT_HOLD:
      return regs->preempt_hold[k];
    case QSM_SLOT_CACHE_POLICY:
      return regs->shared.cache_policy[k];
    case QSM_SLOT_SM_MASK_2:
      return (uint32_t)(regs->sm_mask[k] >> 64);
    case QSM_SLOT_STACK:
      return regs->shared.desc[k].stack;
    case QSM_SLOT_SM_COUNT:
      return regs->sm_count[k];
    case QSM_SLOT_WARP_CAP:
      return regs->warp_cap[k];
    case QSM_SLOT_MEM_SPLIT:
      return regs->shared.mem_split[k];
    case QSM_SLOT_DEADLINE:
      return regs->deadline[k];
    case QSM_SLOT_WORK:
      return regs->work[k];
    default: return 0;
  }
}

void qsm_slot_reg_store(struct qsm_regs *regs, uint32_t k, uint32_t offset, uint32_t value) {
  switch (offset) {
    case QSM_SLOT_CTX:
      regs->ctx[k] = value;
      break;
    case QSM_SLOT_GOAL:
      regs->goal[k] = value;
      break;
    case QSM_SLOT_FIRST_QUOTA:
      regs->shared.first_quota[k] = value;
      break;
    case QSM_SLOT_SM_MASK_LO:
      regs->sm_mask[k] = (regs->sm_mask[k] & ~((qsm_sm_set)UINT32_MAX << 0)) | (qsm_sm_set)value << 0;
      break;
    case QSM_SLOT_SM_MASK_HI:
      regs->sm_mask[k] = (regs->sm_mask[k] & ~((qsm_sm_set)UINT32_MAX << 32)) | (qsm_sm_set)value << 32;
      break;
    case QSM_SLOT_WIN0_BASE:
      regs->shared.desc[k].win[0].base = value;
      break;
    case QSM_SLOT_WIN0_LIMIT:
      regs->shared.desc[k].win[0].limit = value;
      break;
    case QSM_SLOT_WIN0_RIGHTS:
      regs->shared.desc[k].win[0].r = value >> 0 & 0x1u;
      regs->shared.desc[k].win[0].w = value >> 1 & 0x1u;
      regs->shared.desc[k].win[0].x = value >> 2 & 0x1u;
      break;
    case QSM_SLOT_WIN1_BASE:
      regs->shared.desc[k].win[1].base = value;
      break;
    case QSM_SLOT_WIN1_LIMIT:
      regs->shared.desc[k].win[1].limit = value;
      break;
    case QSM_SLOT_WIN1_RIGHTS:
      regs->shared.desc[k].win[1].r = value >> 0 & 0x1u;
      regs->shared.desc[k].win[1].w = value >> 1 & 0x1u;
      regs->shared.desc[k].win[1].x = value >> 2 & 0x1u;
      break;
    case QSM_SLOT_ENTRY:
      regs->shared.desc[k].entry = value;
      break;
    case QSM_SLOT_ARG:
      regs->shared.desc[k].arg = value;
      break;
    case QSM_SLOT_GRID_X:
      regs->shared.desc[k].grid[0] = value;
      break;
    case QSM_SLOT_GRID_Y:
      regs->shared.desc[k].grid[1] = value;
      break;
    case QSM_SLOT_GRID_Z:
      regs->shared.desc[k].grid[2] = value;
      break;
    case QSM_SLOT_BLOCK_X:
      regs->shared.desc[k].block[0] = value;
      break;
    case QSM_SLOT_BLOCK_Y:
      regs->shared.desc[k].block[1] = value;
      break;
    case QSM_SLOT_BLOCK_Z:
      regs->shared.desc[k].block[2] = value;
      break;
    case QSM_SLOT_BLOCK_THREADS:
      regs->shared.desc[k].threads = value;
      break;
    case QSM_SLOT_SHARED:
      regs->shared.desc[k].shared_bytes = value;
      break;
    case QSM_SLOT_BLOCK_WARPS:
      regs->shared.desc[k].warps = value;
      break;
    case QSM_SLOT_SHARED_GRAN:
      regs->shared.desc[k].granules = value;
      break;
    case QSM_SLOT_BUDGET:
      regs->shared.budget[k] = value;
      break;
    case QSM_SLOT_ISO_IPC:
      regs->iso_ipc[k] = value;
      break;
    case QSM_SLOT_SAVE_BASE:
      regs->shared.save_base[k] = value;
      break;
    case QSM_SLOT_SAVE_LIMIT:
      regs->save_limit[k] = value;
      break;
    case QSM_SLOT_IDEMPOTENT:
      regs->idempotent[k] = value;
      break;
    case QSM_SLOT_PREEMPT_HOLD:
      regs->preempt_hold[k] = value;
      break;
    case QSM_SLOT_CACHE_POLICY:
      regs->shared.cache_policy[k] = value;
      break;
    case QSM_SLOT_SM_MASK_2:
      regs->sm_mask[k] = (regs->sm_mask[k] & ~((qsm_sm_set)UINT32_MAX << 64)) | (qsm_sm_set)value << 64;
      break;
    case QSM_SLOT_STACK:
      regs->shared.desc[k].stack = value;
      break;
    case QSM_SLOT_SM_COUNT:
      regs->sm_count[k] = value;
      break;
    case QSM_SLOT_WARP_CAP:
      regs->warp_cap[k] = value;
      break;
    case QSM_SLOT_MEM_SPLIT:
      regs->shared.mem_split[k] = value;
      break;
    case QSM_SLOT_DEADLINE:
      regs->deadline[k] = value;
      break;
    case QSM_SLOT_WORK:
      regs->work[k] = value;
      break;
    default: break;
  }
}

bool qsm_smsel_reg_find(const struct qsm_config *config, uint32_t addr, uint32_t *first, uint32_t *k) {
  if (within(addr, QSM_SMSEL_BASE, QSM_SMSEL_BASE + 16 * config->num_kernels - 1)) {
    *k = (addr - QSM_SMSEL_BASE) / 16;
    *first = addr - 16 * *k;
    return true;
  }
  if (within(addr, QSM_REG_SMSEL_IDLE, QSM_REG_SMSEL_IDLE + 4 * config->num_kernels - 1)) {
    *k = (addr - QSM_REG_SMSEL_IDLE) / 4;
    *first = addr - 4 * *k;
    return true;
  }
  if (within(addr, QSM_REG_SMSEL_FRONT, QSM_REG_SMSEL_FRONT + 4 * config->num_sched - 1)) {
    *k = (addr - QSM_REG_SMSEL_FRONT) / 4;
    *first = addr - 4 * *k;
    return true;
  }
  return false;
}

uint32_t qsm_smsel_reg_rules(uint32_t first) {
  switch (first) {
    case QSM_SMSEL_BASE + QSM_SMSEL_C:
    case QSM_SMSEL_BASE + QSM_SMSEL_INSN:
    case QSM_SMSEL_BASE + QSM_SMSEL_QUOTA:
    case QSM_REG_SMSEL_IDLE:
    case QSM_REG_SMSEL_FRONT:
      return QSM_REG_IS_KNOWN | QSM_REG_IS_FIGURE;
    case QSM_SMSEL_BASE + QSM_SMSEL_TBS:
      return QSM_REG_IS_KNOWN;
    default: return 0;
  }
}

uint32_t qsm_reg_figures(const struct qsm_sm_figures *figures, uint32_t address, uint32_t k) {
  switch (address) {
    case QSM_REG_STALL_VALUE:
      return figures->stall_value;
    case QSM_REG_SMSEL_JOB:
      return figures->save_phase << 17;
    case QSM_REG_ENERGY_VALUE:
      return figures->energy_value;
    case QSM_SMSEL_BASE + QSM_SMSEL_C:
      return figures->snap_c[k];
    case QSM_SMSEL_BASE + QSM_SMSEL_INSN:
      return figures->snap_insn[k];
    case QSM_SMSEL_BASE + QSM_SMSEL_QUOTA:
      return figures->quota[k];
    case QSM_REG_SMSEL_IDLE:
      return figures->snap_idle[k];
    case QSM_REG_SMSEL_FRONT:
      return figures->qaws_front[k].budget | figures->qaws_front[k].valid << 8 | figures->qaws_front[k].ncs << 16;
    default: return 0;
  }
}
