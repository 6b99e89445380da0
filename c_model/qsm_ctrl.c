// SPDX-License-Identifier: Apache-2.0
#include "qsm_ctrl.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "qsm_dram.h"
#include "qsm_l2.h"
#include "qsm_qos_mgr.h"
#include "qsm_regs.h"
#include "qsm_tb_sched.h"
#include "qsm_warp_sched.h"

enum {
  GPU_ID = 0x51534D31,
  MAX_GRID = 65535,
  MAX_BLOCK = 1024,
  MAX_EPOCH = (1 << 20) - 1,
  WINDOW_ALIGN = 4096,
  RIGHTS_BITS = 7,
  STALL_SELECT_BITS = 0x3ff,
  MEM_SELECT_BITS = 0x1fff,
  FIRST_L1_COUNTER = 16,
  LAST_MEM_COUNTER = 21,
  BUDGET_RESET = 1,
  MAX_BUDGET = 255,
  MAX_ACTIVE_WARPS = 16,
  MAX_TECHNIQUE = 2,
  MIN_LOG2_STACK = 4,
  MAX_LOG2_STACK = 16,
};

// Where an address points: a GPU register, one of the selected SM for a slot, or one of a slot.
enum area { AREA_NONE, AREA_GPU, AREA_SMSEL, AREA_SLOT };

struct place {
  enum area area;
  uint32_t index;   // slot, or element of an array of GPU registers
  uint32_t offset;  // the register's, of an array the first one's
};

// Element of an array of n GPU registers.
static bool find_element(uint16_t addr, uint32_t array, uint32_t n, struct place *place) {
  if (addr < array || addr >= array + 4 * n) return false;
  *place = (struct place){AREA_GPU, (addr - array) / 4, array};
  return true;
}

static struct place find_place(const struct qsm_ctrl *ctrl, uint16_t addr) {
  uint32_t n = ctrl->config->num_kernels;
  struct place place = {AREA_NONE, 0, addr};
  if (addr % 4 != 0) return place;
  if (addr < QSM_SMSEL_BASE) {
    place.area = AREA_GPU;
  } else if (addr < QSM_SMSEL_BASE + n * QSM_SMSEL_STRIDE) {
    place.area = AREA_SMSEL;
    place.index = (addr - QSM_SMSEL_BASE) / QSM_SMSEL_STRIDE;
    place.offset = (addr - QSM_SMSEL_BASE) % QSM_SMSEL_STRIDE;
  } else if (addr >= QSM_SLOT_BASE && addr < QSM_SLOT_BASE + n * QSM_SLOT_STRIDE) {
    place.area = AREA_SLOT;
    place.index = (addr - QSM_SLOT_BASE) / QSM_SLOT_STRIDE;
    place.offset = (addr - QSM_SLOT_BASE) % QSM_SLOT_STRIDE;
  } else if (!find_element(addr, QSM_REG_SMSEL_IDLE, n, &place)) {
    find_element(addr, QSM_REG_SMSEL_FRONT, ctrl->config->num_sched, &place);
  }
  return place;
}

void qsm_ctrl_reset(struct qsm_ctrl *ctrl, const struct qsm_config *config) {
  memset(ctrl, 0, sizeof *ctrl);
  ctrl->config = config;
  struct qsm_regs *regs = &ctrl->regs;
  regs->shared.config = config;
  regs->shared.policy = QSM_POLICY_GTO;
  regs->shared.active_warps = 8;
  regs->shared.epoch_len = 10000;
  regs->alpha_cap = 0x40000;
  regs->rollover_cap = 8;
  regs->alpha_en = 1;
  regs->latecomers = 1;
  for (uint32_t k = 0; k < config->num_kernels; k++) {
    struct qsm_desc *desc = &regs->shared.desc[k];
    for (uint32_t d = 0; d < 3; d++) desc->grid[d] = desc->block[d] = 1;
    desc->threads = 1;
    desc->warps = 1;
    regs->shared.first_quota[k] = 1;
    regs->shared.budget[k] = BUDGET_RESET;
    regs->sm_mask[k] = qsm_first_sms(config->num_sms);
  }
}

// ---- Registers that are plain storage: where they lie in struct qsm_regs, and their range ----

enum {
  FIELD_IDLE = 1,   // R-CP-3
  FIELD_QUIET = 2,  // not while the manager computes (R-QM-3)
};

struct field {
  size_t at;  // 0: no such register
  uint32_t least, most;
  uint32_t align;
  uint32_t flags;
};

static struct field find_gpu_field(const struct qsm_config *config, uint32_t offset) {
  switch (offset) {
    case QSM_REG_POLICY:
      return (struct field){offsetof(struct qsm_regs, shared.policy), 0, QSM_POLICY_COUNT - 1, 1,
                            0};
    case QSM_REG_ACTIVE_WARPS:
      return (struct field){offsetof(struct qsm_regs, shared.active_warps), 1, MAX_ACTIVE_WARPS, 1,
                            0};
    case QSM_REG_SCHEME:
      return (struct field){offsetof(struct qsm_regs, scheme), 0, QSM_SCHEME_COUNT - 1, 1,
                            FIELD_QUIET};
    case QSM_REG_EPOCH_LEN:
      return (struct field){offsetof(struct qsm_regs, shared.epoch_len),
                            qsm_config_epoch_min(config), MAX_EPOCH, 1, FIELD_QUIET};
    case QSM_REG_ALPHA_CAP:
      return (struct field){offsetof(struct qsm_regs, alpha_cap), 0, QSM_ALPHA_MAX, 1, FIELD_QUIET};
    case QSM_REG_ROLLOVER_CAP:
      return (struct field){offsetof(struct qsm_regs, rollover_cap), 0, 255, 1, FIELD_QUIET};
    case QSM_REG_ALPHA_EN:
      return (struct field){offsetof(struct qsm_regs, alpha_en), 0, 1, 1, FIELD_QUIET};
    case QSM_REG_NONQOS_QUOTA:
      return (struct field){offsetof(struct qsm_regs, nonqos_quota), 0, 8, 1, FIELD_QUIET};
    case QSM_REG_SM_SELECT:
      return (struct field){offsetof(struct qsm_regs, sm_select), 0, config->num_sms - 1, 1, 0};
    case QSM_REG_STALL_SELECT:
      return (struct field){offsetof(struct qsm_regs, stall_select), 0, STALL_SELECT_BITS, 1, 0};
    case QSM_REG_ADJUST: return (struct field){offsetof(struct qsm_regs, adjust), 0, 1, 1, 0};
    case QSM_REG_ADJUST_TECHNIQUE:
      return (struct field){offsetof(struct qsm_regs, adjust_technique), 0, MAX_TECHNIQUE, 1, 0};
    case QSM_REG_LATECOMERS:
      return (struct field){offsetof(struct qsm_regs, latecomers), 0, 1, 1, 0};
    case QSM_REG_MEM_SELECT:
      return (struct field){offsetof(struct qsm_regs, mem_select), 0, MEM_SELECT_BITS, 1, 0};
    default: return (struct field){0};
  }
}

static struct field find_desc_field(const struct qsm_config *config, uint32_t offset) {
  uint32_t sm_threads = config->warps_per_sm * config->warp_size;
  uint32_t max_threads = sm_threads < MAX_BLOCK ? sm_threads : MAX_BLOCK;
  switch (offset) {
    case QSM_SLOT_WIN0_BASE:
      return (struct field){offsetof(struct qsm_desc, win[0].base), 0, UINT32_MAX, WINDOW_ALIGN,
                            FIELD_IDLE};
    case QSM_SLOT_WIN0_LIMIT:
      return (struct field){offsetof(struct qsm_desc, win[0].limit), 0, UINT32_MAX, WINDOW_ALIGN,
                            FIELD_IDLE};
    case QSM_SLOT_WIN1_BASE:
      return (struct field){offsetof(struct qsm_desc, win[1].base), 0, UINT32_MAX, WINDOW_ALIGN,
                            FIELD_IDLE};
    case QSM_SLOT_WIN1_LIMIT:
      return (struct field){offsetof(struct qsm_desc, win[1].limit), 0, UINT32_MAX, WINDOW_ALIGN,
                            FIELD_IDLE};
    case QSM_SLOT_ENTRY:
      return (struct field){offsetof(struct qsm_desc, entry), 0, UINT32_MAX, 4, FIELD_IDLE};
    case QSM_SLOT_ARG:
      return (struct field){offsetof(struct qsm_desc, arg), 0, UINT32_MAX, 1, FIELD_IDLE};
    case QSM_SLOT_GRID_X:
      return (struct field){offsetof(struct qsm_desc, grid[0]), 1, MAX_GRID, 1, FIELD_IDLE};
    case QSM_SLOT_GRID_Y:
      return (struct field){offsetof(struct qsm_desc, grid[1]), 1, MAX_GRID, 1, FIELD_IDLE};
    case QSM_SLOT_GRID_Z:
      return (struct field){offsetof(struct qsm_desc, grid[2]), 1, MAX_GRID, 1, FIELD_IDLE};
    case QSM_SLOT_BLOCK_X:
      return (struct field){offsetof(struct qsm_desc, block[0]), 1, MAX_BLOCK, 1, FIELD_IDLE};
    case QSM_SLOT_BLOCK_Y:
      return (struct field){offsetof(struct qsm_desc, block[1]), 1, MAX_BLOCK, 1, FIELD_IDLE};
    case QSM_SLOT_BLOCK_Z:
      return (struct field){offsetof(struct qsm_desc, block[2]), 1, MAX_BLOCK, 1, FIELD_IDLE};
    case QSM_SLOT_BLOCK_THREADS:
      return (struct field){offsetof(struct qsm_desc, threads), 1, max_threads, 1, FIELD_IDLE};
    case QSM_SLOT_SHARED:
      return (struct field){offsetof(struct qsm_desc, shared_bytes), 0, config->shared_bytes, 1,
                            FIELD_IDLE};
    case QSM_SLOT_BLOCK_WARPS:
      return (struct field){offsetof(struct qsm_desc, warps), 1, config->warps_per_sm, 1,
                            FIELD_IDLE};
    case QSM_SLOT_STACK:
      return (struct field){offsetof(struct qsm_desc, stack), 0, UINT32_MAX, 1, FIELD_IDLE};
    case QSM_SLOT_SHARED_GRAN:
      return (struct field){offsetof(struct qsm_desc, granules), 0, QSM_SHARED_GRANULES, 1,
                            FIELD_IDLE};
    default: return (struct field){0};
  }
}

// One value per slot: the field is slot 0's.
static struct field find_word_field(uint32_t offset) {
  switch (offset) {
    case QSM_SLOT_GOAL:
      return (struct field){offsetof(struct qsm_regs, goal), 0, UINT32_MAX, 1, FIELD_QUIET};
    case QSM_SLOT_FIRST_QUOTA:
      return (struct field){offsetof(struct qsm_regs, shared.first_quota), 1, QSM_QUOTA_MAX, 1, 0};
    case QSM_SLOT_BUDGET:
      return (struct field){offsetof(struct qsm_regs, shared.budget), 1, MAX_BUDGET, 1, 0};
    case QSM_SLOT_ISO_IPC:
      return (struct field){offsetof(struct qsm_regs, iso_ipc), 0, UINT32_MAX, 1, FIELD_QUIET};
    case QSM_SLOT_SAVE_BASE:
      return (struct field){offsetof(struct qsm_regs, shared.save_base), 0, UINT32_MAX,
                            WINDOW_ALIGN, FIELD_IDLE};
    case QSM_SLOT_SAVE_LIMIT:
      return (struct field){offsetof(struct qsm_regs, save_limit), 0, UINT32_MAX, WINDOW_ALIGN,
                            FIELD_IDLE};
    case QSM_SLOT_IDEMPOTENT:
      return (struct field){offsetof(struct qsm_regs, idempotent), 0, 1, 1, FIELD_IDLE};
    case QSM_SLOT_PREEMPT_HOLD:
      return (struct field){offsetof(struct qsm_regs, preempt_hold), 0, 1, 1, 0};
    case QSM_SLOT_CACHE_POLICY:
      return (struct field){offsetof(struct qsm_regs, shared.cache_policy), 0,
                            QSM_CACHE_POLICY_COUNT - 1, 1, FIELD_IDLE};
    default: return (struct field){0};
  }
}

static struct field find_slot_field(const struct qsm_config *config, uint32_t k, uint32_t offset) {
  struct field field = find_word_field(offset);
  if (field.at) {
    field.at += sizeof(uint32_t) * k;
    return field;
  }
  field = find_desc_field(config, offset);
  if (field.flags) field.at += offsetof(struct qsm_regs, shared.desc) + sizeof(struct qsm_desc) * k;
  return field;
}

static struct field find_field(const struct qsm_ctrl *ctrl, struct place place) {
  if (place.area == AREA_GPU) return find_gpu_field(ctrl->config, place.offset);
  if (place.area == AREA_SLOT) return find_slot_field(ctrl->config, place.index, place.offset);
  return (struct field){0};
}

static uint32_t read_field(const struct qsm_regs *regs, struct field field) {
  uint32_t value;
  memcpy(&value, (const char *)regs + field.at, sizeof value);
  return value;
}

// ---- Reading ----

static bool is_busy(const struct qsm_ctrl *ctrl, uint32_t k) {
  return qsm_tb_sched_busy(ctrl->tb_sched) >> k & 1;
}

static uint32_t read_stall(const struct qsm_ctrl *ctrl, uint64_t cycle) {
  uint32_t select = ctrl->regs.stall_select;
  if (!ctrl->config->stall_counters) return 0;
  return qsm_sm_stall(ctrl->sms[ctrl->regs.sm_select], cycle,
                      select >> QSM_REG_STALL_SELECT_SUBCORE_SHIFT,
                      (select & QSM_REG_STALL_SELECT_SLOT_MASK) >> QSM_REG_STALL_SELECT_SLOT_SHIFT,
                      select & QSM_REG_STALL_SELECT_REASON_MASK);
}

static uint32_t read_front(const struct qsm_ctrl *ctrl, uint32_t sub) {
  const struct qsm_qaws *q = qsm_sm_qaws(ctrl->sms[ctrl->regs.sm_select], sub);
  return q->budget | (uint32_t)q->valid << QSM_REG_SMSEL_FRONT_VALID_SHIFT |
         (uint32_t)q->ncs << QSM_REG_SMSEL_FRONT_NCS_SHIFT;
}

static uint32_t read_preempt_status(const struct qsm_ctrl *ctrl) {
  const struct qsm_preempt_status status =
      qsm_preempt_status(qsm_tb_sched_preemption(ctrl->tb_sched));
  return status.code | status.tb << QSM_REG_PREEMPT_STATUS_TB_SHIFT |
         status.image << QSM_REG_PREEMPT_STATUS_IMAGE_SHIFT |
         status.sm << QSM_REG_PREEMPT_STATUS_SM_SHIFT;
}

static uint32_t read_job(const struct qsm_ctrl *ctrl) {
  uint32_t sm = ctrl->regs.sm_select;
  return qsm_preempt_job(qsm_tb_sched_preemption(ctrl->tb_sched), sm) |
         qsm_sm_save_phase(ctrl->sms[sm]) << QSM_REG_SMSEL_JOB_PHASE_SHIFT;
}

// R-L2-13, R-DR-9, R-L1-13.
static uint32_t read_mem_counter(const struct qsm_ctrl *ctrl) {
  uint32_t select = ctrl->regs.mem_select;
  uint32_t channel = select & QSM_REG_MEM_SELECT_CHANNEL_MASK;
  uint32_t slot = (select & QSM_REG_MEM_SELECT_SLOT_MASK) >> QSM_REG_MEM_SELECT_SLOT_SHIFT;
  uint32_t counter = (select & QSM_REG_MEM_SELECT_COUNTER_MASK) >> QSM_REG_MEM_SELECT_COUNTER_SHIFT;
  if (counter >= FIRST_L1_COUNTER)
    return qsm_sm_l1_counter(ctrl->sms[ctrl->regs.sm_select], slot, counter);
  if (ctrl->l2 && counter < QSM_L2_COUNTERS)
    return qsm_l2_counter(ctrl->l2, channel, slot, counter);
  if (ctrl->dram && counter - QSM_DRAM_FIRST_COUNTER < QSM_DRAM_COUNTERS)
    return qsm_dram_counter(ctrl->dram, channel, slot, counter);
  return 0;
}

static bool is_flushing(const struct qsm_ctrl *ctrl, uint64_t cycle) {
  return ctrl->l2 && qsm_l2_is_flushing(ctrl->l2, cycle);
}

static uint32_t pack(uint32_t b0, uint32_t b1, uint32_t b2, uint32_t b3) {
  return b0 | b1 << 8 | b2 << 16 | b3 << 24;
}

// Registers that are not plain storage; false: no such register.
static bool read_gpu(const struct qsm_ctrl *ctrl, uint64_t cycle, struct place place,
                     uint32_t *value) {
  const struct qsm_config *config = ctrl->config;
  switch (place.offset) {
    case QSM_REG_ID: *value = GPU_ID; return true;
    case QSM_REG_CONFIG0:
      *value = pack(config->num_sms, config->num_sched, config->warps_per_sm, config->warp_size);
      return true;
    case QSM_REG_CONFIG1:
      *value = pack(config->num_kernels, config->max_tbs, config->num_channels, config->noc_lat);
      return true;
    case QSM_REG_CONFIG3:
      *value = config->num_groups | config->num_images << QSM_REG_CONFIG3_NUM_IMAGES_SHIFT;
      return true;
    case QSM_REG_CONFIG2: *value = config->shared_bytes; return true;
    case QSM_REG_CYCLE_LO: *value = (uint32_t)cycle; return true;
    case QSM_REG_CYCLE_HI: *value = (uint32_t)(cycle >> 32); return true;
    case QSM_REG_IRQ: *value = ctrl->regs.irq; return true;
    case QSM_REG_ICACHE_INV: *value = 0; return true;
    case QSM_REG_EPOCH_COUNT: *value = qsm_qos_mgr_epoch_count(ctrl->qos_mgr); return true;
    case QSM_REG_EPOCH_E_LO: *value = qsm_qos_mgr_epoch_e(ctrl->qos_mgr); return true;
    case QSM_REG_ALLOC_BUSY: *value = qsm_tb_sched_alloc_busy(ctrl->tb_sched); return true;
    case QSM_REG_STALL_VALUE: *value = read_stall(ctrl, cycle); return true;
    case QSM_REG_MGR_BUSY: *value = qsm_qos_mgr_busy(ctrl->qos_mgr, cycle); return true;
    case QSM_REG_SMSEL_FRONT: *value = read_front(ctrl, place.index); return true;
    case QSM_REG_PREEMPT: *value = 0; return true;
    case QSM_REG_PREEMPT_STATUS: *value = read_preempt_status(ctrl); return true;
    case QSM_REG_SMSEL_JOB: *value = read_job(ctrl); return true;
    case QSM_REG_SMSEL_IDLE:
      *value = qsm_sm_snap_idle(ctrl->sms[ctrl->regs.sm_select], place.index);
      return true;
    case QSM_REG_ADJUST_BUSY: *value = qsm_tb_sched_adjust_busy(ctrl->tb_sched); return true;
    case QSM_REG_MEM_VALUE: *value = read_mem_counter(ctrl); return true;
    case QSM_REG_L2_FLUSH: *value = is_flushing(ctrl, cycle); return true;
    default: return false;
  }
}

static bool read_smsel(const struct qsm_ctrl *ctrl, uint32_t k, uint32_t offset, uint32_t *value) {
  uint32_t select = ctrl->regs.sm_select;
  const struct qsm_sm *sm = ctrl->sms[select];
  switch (offset) {
    case QSM_SMSEL_C: *value = (uint32_t)qsm_sm_snap_c(sm, k); return true;
    case QSM_SMSEL_INSN: *value = qsm_sm_snap_insn(sm, k); return true;
    case QSM_SMSEL_QUOTA: *value = qsm_sm_quota(sm, k); return true;
    case QSM_SMSEL_TBS:
      *value = qsm_tb_sched_resident(ctrl->tb_sched, select, k) |
               qsm_tb_sched_target(ctrl->tb_sched, select, k) << QSM_SMSEL_TBS_TARGET_SHIFT;
      return true;
    default: return false;
  }
}

static bool read_record(const struct qsm_fault *record, uint32_t offset, uint32_t *value) {
  switch (offset) {
    case QSM_SLOT_FAULT_CAUSE: *value = record->cause; return true;
    case QSM_SLOT_FAULT_PC: *value = record->pc; return true;
    case QSM_SLOT_FAULT_TID: *value = record->tid; return true;
    case QSM_SLOT_FAULT_BLOCK: *value = record->block; return true;
    case QSM_SLOT_FAULT_VALUE: *value = record->value; return true;
    default: return false;
  }
}

static bool read_qos(const struct qsm_qos_slot *slot, uint32_t offset, uint32_t *value) {
  switch (offset) {
    case QSM_SLOT_INSN_LO: *value = (uint32_t)slot->hist_insn; return true;
    case QSM_SLOT_INSN_HI: *value = (uint32_t)(slot->hist_insn >> 32); return true;
    case QSM_SLOT_HCYC_LO: *value = (uint32_t)slot->hist_cycles; return true;
    case QSM_SLOT_HCYC_HI: *value = (uint32_t)(slot->hist_cycles >> 32); return true;
    case QSM_SLOT_EPOCH_INSN: *value = slot->epoch_insn; return true;
    case QSM_SLOT_EPOCH_QUOTA: *value = slot->quota; return true;
    case QSM_SLOT_ALPHA: *value = slot->alpha; return true;
    case QSM_SLOT_RATIO: *value = slot->ratio; return true;
    default: return false;
  }
}

static uint32_t rights_bits(const struct qsm_window *window) {
  return (uint32_t)window->r | (uint32_t)window->w << 1 | (uint32_t)window->x << 2;
}

// SM that bit 0 of a SM_MASK register stands for.
static uint32_t mask_shift(uint32_t offset) {
  return offset == QSM_SLOT_SM_MASK_LO ? 0 : offset == QSM_SLOT_SM_MASK_HI ? 32 : 64;
}

static bool read_slot(const struct qsm_ctrl *ctrl, uint32_t k, uint32_t offset, uint32_t *value) {
  const struct qsm_regs *regs = &ctrl->regs;
  switch (offset) {
    case QSM_SLOT_CTX: *value = regs->ctx[k]; return true;
    case QSM_SLOT_SM_MASK_LO:
    case QSM_SLOT_SM_MASK_HI:
    case QSM_SLOT_SM_MASK_2:
      *value = (uint32_t)(regs->sm_mask[k] >> mask_shift(offset));
      return true;
    case QSM_SLOT_WIN0_RIGHTS: *value = rights_bits(&regs->shared.desc[k].win[0]); return true;
    case QSM_SLOT_WIN1_RIGHTS: *value = rights_bits(&regs->shared.desc[k].win[1]); return true;
    case QSM_SLOT_STATUS:
      *value = (uint32_t)is_busy(ctrl, k) | (qsm_tb_sched_killed(ctrl->tb_sched) >> k & 1)
                                                << QSM_SLOT_STATUS_KILLED_SHIFT;
      return true;
    case QSM_SLOT_LAUNCHES: *value = qsm_tb_sched_launches(ctrl->tb_sched, k); return true;
    case QSM_SLOT_LAUNCH:
    case QSM_SLOT_HIST_CLEAR:
    case QSM_SLOT_KILL: *value = 0; return true;
    case QSM_SLOT_SAVED:
      *value = qsm_preempt_saved(qsm_tb_sched_preemption(ctrl->tb_sched), k);
      return true;
    default:
      return read_record(qsm_tb_sched_record(ctrl->tb_sched, k), offset, value) ||
             read_qos(qsm_qos_mgr_slot(ctrl->qos_mgr, k), offset, value);
  }
}

int qsm_ctrl_read(const struct qsm_ctrl *ctrl, uint64_t cycle, uint16_t addr, uint32_t *value) {
  struct place place = find_place(ctrl, addr);
  struct field field = find_field(ctrl, place);
  bool known = false;
  *value = 0;
  if (field.at) {
    *value = read_field(&ctrl->regs, field);
    return 0;
  }
  if (place.area == AREA_GPU) known = read_gpu(ctrl, cycle, place, value);
  if (place.area == AREA_SMSEL) known = read_smsel(ctrl, place.index, place.offset, value);
  if (place.area == AREA_SLOT) known = read_slot(ctrl, place.index, place.offset, value);
  return known ? 0 : 1;
}

// ---- Writing ----

static bool is_quiet(const struct qsm_ctrl *ctrl, uint64_t cycle) {
  return !qsm_qos_mgr_refuses_writes(ctrl->qos_mgr, cycle);
}

static bool stall_select_ok(const struct qsm_config *config, uint32_t value) {
  return (value & QSM_REG_STALL_SELECT_REASON_MASK) < QSM_STALL_COUNT &&
         (value & QSM_REG_STALL_SELECT_SLOT_MASK) >> QSM_REG_STALL_SELECT_SLOT_SHIFT <
             config->num_kernels &&
         value >> QSM_REG_STALL_SELECT_SUBCORE_SHIFT < config->num_sched;
}

static bool mem_select_ok(const struct qsm_config *config, uint32_t value) {
  const uint32_t fields = QSM_REG_MEM_SELECT_CHANNEL_MASK | QSM_REG_MEM_SELECT_SLOT_MASK |
                          QSM_REG_MEM_SELECT_COUNTER_MASK;
  uint32_t channel = value & QSM_REG_MEM_SELECT_CHANNEL_MASK,
           counter = (value & QSM_REG_MEM_SELECT_COUNTER_MASK) >> QSM_REG_MEM_SELECT_COUNTER_SHIFT;
  return !(value & ~fields) && channel < config->num_channels && counter <= LAST_MEM_COUNTER &&
         (channel == 0 || counter < FIRST_L1_COUNTER) &&
         (value & QSM_REG_MEM_SELECT_SLOT_MASK) >> QSM_REG_MEM_SELECT_SLOT_SHIFT <
             config->num_kernels;
}

// I-MEM-6: the pieces of warps, 2^(S + log2(WarpSize)) bytes each, lie on multiples of their size.
static bool stack_ok(const struct qsm_config *config, uint32_t value) {
  uint32_t log2 = value & QSM_SLOT_STACK_LOG2_MASK, base = value & QSM_SLOT_STACK_BASE_MASK;
  if (value != (log2 | base)) return false;
  if (log2 == 0) return base == 0;
  return log2 >= MIN_LOG2_STACK && log2 <= MAX_LOG2_STACK &&
         base % (config->warp_size << log2) == 0;
}

// R-QW-10: slot k runs, or is about to, and has this budget.
static bool groups_fit(const struct qsm_ctrl *ctrl, uint32_t k, uint32_t budget) {
  uint64_t seen[4] = {0};  // bit per budget
  uint32_t n_groups = 0;
  for (uint32_t slot = 0; slot < ctrl->config->num_kernels; slot++) {
    if (slot != k && !is_busy(ctrl, slot)) continue;
    uint32_t value = slot == k ? budget : ctrl->regs.shared.budget[slot];
    n_groups += !(seen[value / 64] >> value % 64 & 1);
    seen[value / 64] |= UINT64_C(1) << value % 64;
  }
  return n_groups <= ctrl->config->num_groups;
}

// Values inside the range that are refused all the same.
static bool has_gap(const struct qsm_ctrl *ctrl, struct place place, uint32_t value) {
  if (place.area == AREA_SLOT && place.offset == QSM_SLOT_BUDGET)
    return is_busy(ctrl, place.index) && !groups_fit(ctrl, place.index, value);
  if (place.area == AREA_SLOT && place.offset == QSM_SLOT_STACK)
    return !stack_ok(ctrl->config, value);
  if (place.area != AREA_GPU) return false;
  switch (place.offset) {
    case QSM_REG_ALPHA_CAP: return value != 0 && value < QSM_ALPHA_ONE;
    case QSM_REG_STALL_SELECT: return !stall_select_ok(ctrl->config, value);
    case QSM_REG_MEM_SELECT: return !mem_select_ok(ctrl->config, value);
    default: return false;
  }
}

static bool field_write_ok(const struct qsm_ctrl *ctrl, uint64_t cycle, struct place place,
                           struct field field, uint32_t value) {
  if (value < field.least || value > field.most || value % field.align != 0) return false;
  if ((field.flags & FIELD_IDLE) && is_busy(ctrl, place.index)) return false;
  if ((field.flags & FIELD_QUIET) && !is_quiet(ctrl, cycle)) return false;
  return !has_gap(ctrl, place, value);
}

static uint32_t bits_of(uint32_t value, uint32_t mask, uint32_t shift) {
  return (value & mask) >> shift;
}

static struct qsm_preempt_request parse_preempt(uint32_t value) {
  return (struct qsm_preempt_request){
      .sm = (uint8_t)bits_of(value, QSM_REG_PREEMPT_SM_MASK, QSM_REG_PREEMPT_SM_SHIFT),
      .kernel = (uint8_t)bits_of(value, QSM_REG_PREEMPT_SLOT_MASK, QSM_REG_PREEMPT_SLOT_SHIFT),
      .tb = (uint8_t)bits_of(value, QSM_REG_PREEMPT_TB_MASK, QSM_REG_PREEMPT_TB_SHIFT),
      .by_slot = value & QSM_REG_PREEMPT_BY_SLOT_MASK,
      .technique =
          (uint8_t)bits_of(value, QSM_REG_PREEMPT_TECHNIQUE_MASK, QSM_REG_PREEMPT_TECHNIQUE_SHIFT),
  };
}

// R-PE-11.
static bool preempt_ok(const struct qsm_ctrl *ctrl, uint32_t value) {
  const struct qsm_preempt_request request = parse_preempt(value);
  const uint32_t fields = QSM_REG_PREEMPT_SM_MASK | QSM_REG_PREEMPT_SLOT_MASK |
                          QSM_REG_PREEMPT_TB_MASK | QSM_REG_PREEMPT_BY_SLOT_MASK |
                          QSM_REG_PREEMPT_TECHNIQUE_MASK;
  return !(value & ~fields) && request.sm < ctrl->config->num_sms &&
         request.kernel < ctrl->config->num_kernels && request.tb < ctrl->config->max_tbs &&
         request.technique <= MAX_TECHNIQUE &&
         qsm_preempt_status(qsm_tb_sched_preemption(ctrl->tb_sched)).code != QSM_PREEMPT_EXAMINED;
}

static bool gpu_write_ok(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t offset,
                         uint32_t value, struct qsm_ctrl_effect *effect) {
  switch (offset) {
    case QSM_REG_IRQ: return true;
    case QSM_REG_ICACHE_INV: return effect->icache_inv = value == 1;
    case QSM_REG_PREEMPT: return preempt_ok(ctrl, value);
    case QSM_REG_L2_FLUSH: return value == 1 && !is_flushing(ctrl, cycle);
    default: return false;
  }
}

static bool slot_write_ok(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t k, uint32_t offset,
                          uint32_t value, struct qsm_ctrl_effect *effect) {
  bool busy = is_busy(ctrl, k);
  switch (offset) {
    case QSM_SLOT_CTX:
      return value <= (QSM_SLOT_CTX_VALID_MASK | QSM_SLOT_CTX_QOS_MASK) && !busy &&
             is_quiet(ctrl, cycle);
    case QSM_SLOT_SM_MASK_LO:
    case QSM_SLOT_SM_MASK_HI:
    case QSM_SLOT_SM_MASK_2:
      return (value & ~(qsm_first_sms(ctrl->config->num_sms) >> mask_shift(offset))) == 0;
    case QSM_SLOT_WIN0_RIGHTS:
    case QSM_SLOT_WIN1_RIGHTS: return value <= RIGHTS_BITS && !busy;
    case QSM_SLOT_LAUNCH:
      effect->launch = value == 1 && !busy && (ctrl->regs.valid_mask >> k & 1) &&
                               !(ctrl->regs.irq >> k & 1) &&
                               groups_fit(ctrl, k, ctrl->regs.shared.budget[k])
                           ? 1u << k
                           : 0;
      return effect->launch != 0;
    case QSM_SLOT_HIST_CLEAR: return value == 1 && is_quiet(ctrl, cycle);
    case QSM_SLOT_KILL: effect->kill = value == 1 && busy ? 1u << k : 0; return effect->kill != 0;
    default: return false;
  }
}

int qsm_ctrl_check_write(const struct qsm_ctrl *ctrl, uint64_t cycle, uint16_t addr, uint32_t value,
                         struct qsm_ctrl_effect *effect) {
  struct place place = find_place(ctrl, addr);
  struct field field = find_field(ctrl, place);
  bool ok = false;
  *effect = (struct qsm_ctrl_effect){0};
  if (field.at) {
    ok = field_write_ok(ctrl, cycle, place, field, value);
  } else if (place.area == AREA_GPU) {
    ok = gpu_write_ok(ctrl, cycle, place.offset, value, effect);
  } else if (place.area == AREA_SLOT) {
    ok = slot_write_ok(ctrl, cycle, place.index, place.offset, value, effect);
  }
  return ok ? 0 : 1;
}

// What a tenant does not inherit.
static void reset_tenant(struct qsm_regs *regs, uint32_t k) {
  regs->shared.budget[k] = BUDGET_RESET;
  regs->shared.desc[k].stack = 0;
  regs->iso_ipc[k] = regs->shared.save_base[k] = regs->save_limit[k] = regs->idempotent[k] =
      regs->preempt_hold[k] = regs->shared.cache_policy[k] = 0;
}

static void write_ctx(struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t k, uint32_t value) {
  struct qsm_regs *regs = &ctrl->regs;
  uint32_t old = regs->ctx[k], bit = 1u << k;
  if (value == old) return;
  bool valid = value & QSM_SLOT_CTX_VALID_MASK;
  bool qos = valid && (value & QSM_SLOT_CTX_QOS_MASK);
  regs->ctx[k] = value;
  regs->valid_mask = (regs->valid_mask & ~bit) | (valid ? bit : 0);
  regs->shared.qos_mask = (regs->shared.qos_mask & ~bit) | (qos ? bit : 0);
  if (valid && !(old & QSM_SLOT_CTX_VALID_MASK)) {
    reset_tenant(regs, k);
    qsm_tb_sched_arrive(ctrl->tb_sched, k);
    qsm_qos_mgr_clear_history(ctrl->qos_mgr, k, cycle + 1);
  }
  qsm_tb_sched_request_targets(ctrl->tb_sched);
}

static void write_sm_mask(struct qsm_ctrl *ctrl, uint32_t k, uint32_t shift, uint32_t word) {
  qsm_sm_set value = (ctrl->regs.sm_mask[k] & ~((qsm_sm_set)UINT32_MAX << shift)) | (qsm_sm_set)word
                                                                                        << shift;
  if (value != ctrl->regs.sm_mask[k] && (ctrl->regs.valid_mask >> k & 1))
    qsm_tb_sched_request_targets(ctrl->tb_sched);
  ctrl->regs.sm_mask[k] = value;
}

static void write_rights(struct qsm_window *window, uint32_t value) {
  window->r = value & 1;
  window->w = value >> 1 & 1;
  window->x = value >> 2 & 1;
}

static void write_slot(struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t k, uint32_t offset,
                       uint32_t value) {
  switch (offset) {
    case QSM_SLOT_CTX: write_ctx(ctrl, cycle, k, value); break;
    case QSM_SLOT_SM_MASK_LO:
    case QSM_SLOT_SM_MASK_HI:
    case QSM_SLOT_SM_MASK_2: write_sm_mask(ctrl, k, mask_shift(offset), value); break;
    case QSM_SLOT_WIN0_RIGHTS: write_rights(&ctrl->regs.shared.desc[k].win[0], value); break;
    case QSM_SLOT_WIN1_RIGHTS: write_rights(&ctrl->regs.shared.desc[k].win[1], value); break;
    case QSM_SLOT_LAUNCH:
      qsm_tb_sched_launch(ctrl->tb_sched, k);
      qsm_qos_mgr_set_busy(ctrl->qos_mgr, k, true, cycle + 1);
      break;
    case QSM_SLOT_HIST_CLEAR: qsm_qos_mgr_clear_history(ctrl->qos_mgr, k, cycle + 1); break;
    default: break;  // KILL took effect within the cycle
  }
}

// Writes that the warp schedulers react to in the next cycle (R-QW-4).
static void reschedule(struct qsm_ctrl *ctrl, uint64_t cycle, struct place place) {
  struct qsm_sm_shared *shared = &ctrl->regs.shared;
  bool is_gpu = place.area == AREA_GPU, budget = !is_gpu && place.offset == QSM_SLOT_BUDGET;
  bool policy = is_gpu && place.offset == QSM_REG_POLICY;
  if (!budget && !policy && !(is_gpu && place.offset == QSM_REG_ACTIVE_WARPS)) return;
  shared->restart =
      policy ? (1u << ctrl->config->num_kernels) - 1 : (uint32_t)budget << place.index;
  shared->resched_at = cycle + 1;
}

void qsm_ctrl_commit_write(struct qsm_ctrl *ctrl, uint64_t cycle, uint16_t addr, uint32_t value,
                           uint32_t ended) {
  struct place place = find_place(ctrl, addr);
  struct field field = find_field(ctrl, place);
  if (field.at) {
    memcpy((char *)&ctrl->regs + field.at, &value, sizeof value);
    reschedule(ctrl, cycle, place);
  } else if (place.area == AREA_SLOT) {
    write_slot(ctrl, cycle, place.index, place.offset, value);
  } else if (place.offset == QSM_REG_PREEMPT) {
    const struct qsm_preempt_request request = parse_preempt(value);
    qsm_tb_sched_preempt(ctrl->tb_sched, &request);
  } else if (place.offset == QSM_REG_L2_FLUSH) {
    if (ctrl->l2) qsm_l2_flush(ctrl->l2, cycle);
  } else if (place.offset == QSM_REG_IRQ) {
    ctrl->regs.irq &= ~value | ended;
  }
}

int qsm_ctrl_inject(struct qsm_ctrl *ctrl, uint64_t seed, char *what, size_t what_len) {
  uint32_t slot = (uint32_t)(seed % ctrl->config->num_kernels);
  if (ctrl->regs.irq >> slot & 1) return -1;
  ctrl->regs.irq |= 1u << slot;
  snprintf(what, what_len, "ctrl: bit %u of IRQ", slot);
  return 0;
}
