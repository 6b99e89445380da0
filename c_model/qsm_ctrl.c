// SPDX-License-Identifier: Apache-2.0
#include "qsm_ctrl.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "qsm_dram.h"
#include "qsm_front.h"
#include "qsm_l2.h"
#include "qsm_qos_mgr.h"
#include "qsm_regs.h"
#include "qsm_sm_mgr.h"
#include "qsm_sm_owner.h"
#include "qsm_tb_sched.h"
#include "qsm_warp_sched.h"

enum {
  FIRST_L1_COUNTER = 16,
  LAST_L1_COUNTER = 21,
};

// Where an address points: a GPU register, one of several of the selected SM, one of a slot, or one
// of a command channel, for the driver or its tenant.
enum area { AREA_NONE, AREA_GPU, AREA_SMSEL, AREA_SLOT, AREA_CHANNEL, AREA_PAGE };

struct place {
  enum area area;
  uint32_t index;   // slot, channel, or which of several
  uint32_t offset;  // the register's, of several the first one's address
};

static bool is_among(uint32_t addr, uint32_t base, uint32_t stride, uint32_t n) {
  return addr >= base && addr - base < n * stride;
}

static struct place place_among(enum area area, uint32_t addr, uint32_t base, uint32_t stride) {
  return (struct place){area, (addr - base) / stride, (addr - base) % stride};
}

static struct place find_place(const struct qsm_ctrl *ctrl, uint32_t addr) {
  uint32_t slots = ctrl->config->num_kernels, channels = ctrl->config->cmd_channels;
  struct place place = {AREA_NONE, 0, addr};
  if (addr % 4 != 0) return place;
  if (addr < QSM_SMSEL_BASE) {
    place.area = AREA_GPU;
  } else if (is_among(addr, QSM_SLOT_BASE, QSM_SLOT_STRIDE, slots)) {
    place = place_among(AREA_SLOT, addr, QSM_SLOT_BASE, QSM_SLOT_STRIDE);
  } else if (is_among(addr, QSM_CH_BASE, QSM_CH_STRIDE, channels)) {
    place = place_among(AREA_CHANNEL, addr, QSM_CH_BASE, QSM_CH_STRIDE);
  } else if (is_among(addr, QSM_PAGE_BASE, QSM_PAGE_STRIDE, channels)) {
    place = place_among(AREA_PAGE, addr, QSM_PAGE_BASE, QSM_PAGE_STRIDE);
  } else if (qsm_smsel_reg_find(ctrl->config, addr, &place.offset, &place.index)) {
    place.area = AREA_SMSEL;
  }
  return place;
}

void qsm_ctrl_reset(struct qsm_ctrl *ctrl, const struct qsm_config *config) {
  memset(ctrl, 0, sizeof *ctrl);
  ctrl->config = config;
  qsm_reg_file_reset(&ctrl->regs, config);
  ctrl->regs.shared.config = config;
}

// ---- Registers of channels: the front end has them (docs/front.md) ----

// What each is in the channel's row, if it is in the table.
static bool find_row_word(struct place place, enum qsm_row_word *word) {
  static const uint8_t of_driver[] = {
      [QSM_CH_RING] = QSM_ROW_RING,       [QSM_CH_CONTEXT] = QSM_ROW_CONTEXT,
      [QSM_CH_BUSY_LO] = QSM_ROW_BUSY_LO, [QSM_CH_BUSY_HI] = QSM_ROW_BUSY_HI,
      [QSM_CH_DONE] = QSM_ROW_DONE,       [QSM_CH_ERROR] = QSM_ROW_ERROR,
      [QSM_CH_LIMIT] = QSM_ROW_LIMIT,     [QSM_CH_SM_LO] = QSM_ROW_SM_LO,
      [QSM_CH_SM_HI] = QSM_ROW_SM_HI,     [QSM_CH_INSN_LO] = QSM_ROW_INSN_LO,
      [QSM_CH_INSN_HI] = QSM_ROW_INSN_HI, [QSM_CH_COPY_LO] = QSM_ROW_COPY_LO,
      [QSM_CH_COPY_HI] = QSM_ROW_COPY_HI,
  };
  static const uint8_t of_page[] = {
      [QSM_PAGE_PUT] = QSM_ROW_PUT, [QSM_PAGE_GET] = QSM_ROW_GET, [QSM_PAGE_WHERE] = QSM_ROW_ERROR};
  if (place.area == AREA_CHANNEL && place.offset <= QSM_CH_COPY_HI && place.offset != QSM_CH_CTRL) {
    *word = of_driver[place.offset];
    return true;
  }
  if (place.area == AREA_PAGE && place.offset <= QSM_PAGE_WHERE && place.offset != QSM_PAGE_STATE) {
    *word = of_page[place.offset];
    return true;
  }
  return false;
}

static uint32_t channel_rules(struct place place) {
  bool driver = place.area == AREA_CHANNEL;
  bool known = place.offset <= (driver ? QSM_CH_COPY_HI : QSM_PAGE_WHERE);
  bool writable = driver ? place.offset <= QSM_CH_CONTEXT || place.offset == QSM_CH_LIMIT
                         : place.offset == QSM_PAGE_PUT;
  return !known ? 0 : writable ? QSM_REG_IS_KNOWN | QSM_REG_IS_WRITABLE : QSM_REG_IS_KNOWN;
}

static uint32_t read_channel(const struct qsm_ctrl *ctrl, struct place place) {
  enum qsm_row_word word;
  if (channel_rules(place) == 0) return 0;
  if (find_row_word(place, &word)) return qsm_front_read_word(ctrl->front, place.index, word);
  return place.area == AREA_CHANNEL ? qsm_front_read_ctrl(ctrl->front, place.index)
                                    : qsm_front_read_state(ctrl->front, place.index);
}

static uint32_t most_split(const struct qsm_config *config) {
  return config->partition_bits ? qsm_lowest(config->num_channels) : 0;
}

static bool ring_ok(const struct qsm_config *config, uint32_t value) {
  const uint32_t fields = QSM_CH_RING_LOG2_MASK | QSM_CH_RING_SPLIT_MASK | QSM_CH_RING_BASE_MASK;
  const uint32_t log2 = value & QSM_CH_RING_LOG2_MASK,
                 split = (value & QSM_CH_RING_SPLIT_MASK) >> QSM_CH_RING_SPLIT_SHIFT;
  return !(value & ~fields) && log2 >= 1 && log2 <= 12 && split <= most_split(config);
}

static bool channel_write_ok(const struct qsm_ctrl *ctrl, struct place place, uint32_t value) {
  const uint32_t ctrl_fields = QSM_CH_CTRL_ENABLE_MASK | QSM_CH_CTRL_SUSPEND_MASK |
                               QSM_CH_CTRL_HOLD_MASK | QSM_CH_CTRL_PRIORITY_MASK;
  if (place.area == AREA_PAGE)
    return value <= UINT16_MAX && qsm_front_may_put(ctrl->front, place.index);
  switch (place.offset) {
    case QSM_CH_CTRL: return !(value & ~ctrl_fields);
    case QSM_CH_RING:
      return ring_ok(ctrl->config, value) && qsm_front_may_set(ctrl->front, place.index);
    case QSM_CH_LIMIT: return true;
    default: return value % 128 == 0 && qsm_front_may_set(ctrl->front, place.index);
  }
}

static void write_channel(struct qsm_ctrl *ctrl, uint64_t cycle, struct place place,
                          uint32_t value) {
  enum qsm_row_word word;
  if (find_row_word(place, &word)) {
    qsm_front_write_word(ctrl->front, place.index, word, value);
  } else {
    qsm_front_write_ctrl(ctrl->front, cycle, place.index, value);
  }
}

bool qsm_ctrl_takes_table(const struct qsm_ctrl *ctrl, uint32_t addr) {
  struct place place = find_place(ctrl, addr);
  return (place.area == AREA_CHANNEL || place.area == AREA_PAGE) && channel_rules(place);
}

// What the front end shows in registers of the GPU.
static uint32_t read_front(const struct qsm_front *front, uint32_t offset) {
  switch (offset) {
    case QSM_REG_FRONT_IRQ0:
    case QSM_REG_FRONT_IRQ1:
    case QSM_REG_FRONT_IRQ2: return qsm_front_irq(front, (offset - QSM_REG_FRONT_IRQ0) / 4);
    case QSM_REG_SNAP_ENGINE: return qsm_front_snap_engine(front);
    case QSM_REG_SNAP_CYCLE_LO: return (uint32_t)qsm_front_snap_cycle(front);
    case QSM_REG_SNAP_CYCLE_HI: return (uint32_t)(qsm_front_snap_cycle(front) >> 32);
    case QSM_REG_SNAP_BUSY0:
    case QSM_REG_SNAP_BUSY1:
    case QSM_REG_SNAP_BUSY2: return qsm_front_snap_busy(front, (offset - QSM_REG_SNAP_BUSY0) / 4);
    default: return 0;
  }
}

// QSM_REG_IS bits of the register at a place, 0 where there is none.
static uint32_t find_rules(const struct qsm_ctrl *ctrl, struct place place) {
  switch (place.area) {
    case AREA_GPU: return qsm_gpu_reg_rules(ctrl->config, place.offset);
    case AREA_SMSEL: return qsm_smsel_reg_rules(place.offset);
    case AREA_SLOT: return qsm_slot_reg_rules(ctrl->config, place.offset);
    case AREA_CHANNEL:
    case AREA_PAGE: return channel_rules(place);
    case AREA_NONE:
    default: return 0;
  }
}

// ---- Reading ----

static bool is_busy(const struct qsm_ctrl *ctrl, uint32_t k) {
  return qsm_tb_sched_busy(ctrl->tb_sched) >> k & 1;
}

// What the selected SM shows; its snapshots are what the QoS manager read of them (R-QM-14).
static uint32_t read_figures(const struct qsm_ctrl *ctrl, uint64_t cycle, struct place place) {
  struct qsm_sm_figures figures;
  qsm_sm_figures(ctrl->sms[ctrl->regs.sm_select], cycle, &figures);
  for (uint32_t k = 0; k < ctrl->config->num_kernels; k++) {
    const struct qsm_qos_shown *shown = qsm_qos_mgr_shown(ctrl->qos_mgr, ctrl->regs.sm_select, k);
    figures.snap_c[k] = shown->c;
    figures.snap_insn[k] = shown->insn;
  }
  return qsm_reg_figures(&figures, place.offset, place.index);
}

static uint32_t read_preempt_status(const struct qsm_ctrl *ctrl) {
  const struct qsm_preempt_status status =
      qsm_preempt_status(qsm_tb_sched_preemption(ctrl->tb_sched));
  return status.code | status.tb << QSM_REG_PREEMPT_STATUS_TB_SHIFT |
         status.image << QSM_REG_PREEMPT_STATUS_IMAGE_SHIFT |
         status.sm << QSM_REG_PREEMPT_STATUS_SM_SHIFT;
}

static uint32_t read_job(const struct qsm_ctrl *ctrl) {
  return qsm_preempt_job(qsm_tb_sched_preemption(ctrl->tb_sched), ctrl->regs.sm_select);
}

// An L1 has no channels, and a shader array banks instead.
static bool mem_counter_exists(const struct qsm_config *config, uint32_t channel,
                               uint32_t counter) {
  if (counter < FIRST_L1_COUNTER) return true;
  if (counter >= QSM_SA_FIRST_COUNTER)
    return config->num_sas && channel < config->sa_banks &&
           counter < QSM_SA_FIRST_COUNTER + QSM_SA_COUNTERS;
  return channel == 0 && counter <= LAST_L1_COUNTER;
}

// R-L2-13, R-DR-9, R-L1-13, R-SA-18. `channel` is the bank of a shader array.
static uint32_t mem_counter(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t sm,
                            uint32_t channel, uint32_t slot, uint32_t counter) {
  if (counter >= QSM_SA_FIRST_COUNTER) return qsm_sa_counter(ctrl->sa, sm, channel, slot, counter);
  if (counter >= FIRST_L1_COUNTER) return qsm_sm_l1_counter(ctrl->sms[sm], slot, counter);
  if (ctrl->l2 && counter < QSM_L2_COUNTERS)
    return qsm_l2_counter(ctrl->l2, cycle, channel, slot, counter);
  if (ctrl->dram && counter - QSM_DRAM_FIRST_COUNTER < QSM_DRAM_COUNTERS)
    return qsm_dram_counter(ctrl->dram, channel, slot, counter);
  return 0;
}

static uint32_t read_mem_counter(const struct qsm_ctrl *ctrl, uint64_t cycle) {
  uint32_t select = ctrl->regs.mem_select;
  uint32_t channel = select & QSM_REG_MEM_SELECT_CHANNEL_MASK;
  uint32_t slot = (select & QSM_REG_MEM_SELECT_SLOT_MASK) >> QSM_REG_MEM_SELECT_SLOT_SHIFT;
  uint32_t counter = (select & QSM_REG_MEM_SELECT_COUNTER_MASK) >> QSM_REG_MEM_SELECT_COUNTER_SHIFT;
  return mem_counter(ctrl, cycle, ctrl->regs.sm_select, channel, slot, counter);
}

bool qsm_ctrl_memory_state(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t sm, uint32_t index,
                           uint32_t counter, uint32_t *value) {
  const struct qsm_config *config = ctrl->config;
  const uint32_t slot = index & 15, bank = index >> 4;
  const bool of_array = counter >= QSM_SA_FIRST_COUNTER, of_channel = counter < FIRST_L1_COUNTER;
  if (slot >= config->num_kernels || !mem_counter_exists(config, bank, counter) ||
      sm >= (of_channel ? config->num_channels : config->num_sms))
    return false;
  *value = mem_counter(ctrl, cycle, sm, of_array ? bank : sm, slot, counter);
  return true;
}

// ---- SM ownership ----

static uint32_t read_owner(const struct qsm_ctrl *ctrl) {
  const struct qsm_sm_usage *use =
      qsm_sm_owner_of(qsm_tb_sched_sm_owner(ctrl->tb_sched), ctrl->regs.sm_select);
  return use->usage | (uint32_t)use->owner << QSM_REG_SMSEL_OWNER_SLOT_SHIFT |
         (uint32_t)use->moving << QSM_REG_SMSEL_OWNER_MOVING_SHIFT |
         (uint32_t)use->next_usage << QSM_REG_SMSEL_OWNER_NEXT_USAGE_SHIFT |
         (uint32_t)use->next_owner << QSM_REG_SMSEL_OWNER_NEXT_SLOT_SHIFT |
         (uint32_t)use->power << QSM_REG_SMSEL_OWNER_POWER_SHIFT;
}

// R-SO-11; 0: another register.
static uint32_t read_moves(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t offset) {
  const struct qsm_sm_owner *so = qsm_tb_sched_sm_owner(ctrl->tb_sched);
  switch (offset) {
    case QSM_REG_MOVES: return qsm_sm_owner_moves(so);
    case QSM_REG_MOVE_CYCLES_LO: return (uint32_t)qsm_sm_owner_move_cycles(so, cycle);
    case QSM_REG_MOVE_CYCLES_HI: return (uint32_t)(qsm_sm_owner_move_cycles(so, cycle) >> 32);
    case QSM_REG_GATED_CYCLES_LO: return (uint32_t)qsm_sm_owner_gated_cycles(so, cycle);
    case QSM_REG_GATED_CYCLES_HI: return (uint32_t)(qsm_sm_owner_gated_cycles(so, cycle) >> 32);
    case QSM_REG_SHARED_CYCLES_LO: return (uint32_t)qsm_sm_owner_shared_cycles(so, cycle);
    case QSM_REG_SHARED_CYCLES_HI: return (uint32_t)(qsm_sm_owner_shared_cycles(so, cycle) >> 32);
    case QSM_REG_WAKES: return qsm_sm_owner_wakes(so);
    case QSM_REG_SMSEL_OWNER: return read_owner(ctrl);
    default: return 0;
  }
}

static bool is_flushing(const struct qsm_ctrl *ctrl, uint64_t cycle) {
  return ctrl->l2 && qsm_l2_is_flushing(ctrl->l2, cycle);
}

// What other blocks show in registers, besides the figures of SMs.
static uint32_t read_gpu(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t offset) {
  switch (offset) {
    case QSM_REG_CYCLE_LO: return (uint32_t)cycle;
    case QSM_REG_CYCLE_HI: return (uint32_t)(cycle >> 32);
    case QSM_REG_EPOCH_COUNT: return qsm_qos_mgr_epoch_count(ctrl->qos_mgr);
    case QSM_REG_EPOCH_E_LO: return qsm_qos_mgr_epoch_e(ctrl->qos_mgr);
    case QSM_REG_ALLOC_BUSY: return qsm_tb_sched_alloc_busy(ctrl->tb_sched);
    case QSM_REG_MGR_BUSY: return qsm_qos_mgr_busy(ctrl->qos_mgr, cycle);
    case QSM_REG_PREEMPT_STATUS: return read_preempt_status(ctrl);
    case QSM_REG_SMSEL_JOB: return read_job(ctrl);
    case QSM_REG_ADJUST_BUSY: return qsm_tb_sched_adjust_busy(ctrl->tb_sched);
    case QSM_REG_MEM_VALUE: return read_mem_counter(ctrl, cycle);
    case QSM_REG_L2_FLUSH: return is_flushing(ctrl, cycle);
    default:
      return offset < QSM_REG_FRONT_MODE ? read_moves(ctrl, cycle, offset)
             : ctrl->front               ? read_front(ctrl->front, offset)
                                         : 0;
  }
}

static uint32_t read_smsel(const struct qsm_ctrl *ctrl, uint32_t k, uint32_t first) {
  uint32_t sm = ctrl->regs.sm_select;
  if (first != QSM_SMSEL_BASE + QSM_SMSEL_TBS) return 0;
  return qsm_tb_sched_resident(ctrl->tb_sched, sm, k) | qsm_tb_sched_target(ctrl->tb_sched, sm, k)
                                                            << QSM_SMSEL_TBS_TARGET_SHIFT;
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

static uint64_t owned_cycles(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t k) {
  return qsm_sm_owner_owned_cycles(qsm_tb_sched_sm_owner(ctrl->tb_sched), cycle, k);
}

static uint32_t read_status(const struct qsm_ctrl *ctrl, uint32_t k) {
  uint32_t killed = qsm_tb_sched_killed(ctrl->tb_sched) >> k & 1,
           yielded = qsm_tb_sched_yielded(ctrl->tb_sched) >> k & 1;
  return (uint32_t)is_busy(ctrl, k) | killed << QSM_SLOT_STATUS_KILLED_SHIFT |
         yielded << QSM_SLOT_STATUS_YIELDED_SHIFT;
}

// R-TB-16.
static uint32_t read_walk(const struct qsm_walk *walk, uint32_t offset) {
  switch (offset) {
    case QSM_SLOT_WALK_XY: return walk->at[0] | walk->at[1] << QSM_SLOT_WALK_XY_Y_SHIFT;
    case QSM_SLOT_WALK_Z: return walk->at[2];
    default: return walk->linear;
  }
}

static uint32_t read_slot(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t k,
                          uint32_t offset) {
  uint32_t value = 0;
  switch (offset) {
    case QSM_SLOT_STATUS: return read_status(ctrl, k);
    case QSM_SLOT_WALK_XY:
    case QSM_SLOT_WALK_Z:
    case QSM_SLOT_WALK_LINEAR: return read_walk(qsm_tb_sched_walk(ctrl->tb_sched, k), offset);
    case QSM_SLOT_LAUNCHES: return qsm_tb_sched_launches(ctrl->tb_sched, k);
    case QSM_SLOT_SAVED: return qsm_preempt_saved(qsm_tb_sched_preemption(ctrl->tb_sched), k);
    case QSM_SLOT_CHANNEL: return ctrl->front ? qsm_front_read_slot(ctrl->front, k) : 0;
    case QSM_SLOT_SM_RECORD: return qsm_sm_mgr_record(ctrl->sm_mgr, k);
    case QSM_SLOT_OWNED_CYCLES_LO: return (uint32_t)owned_cycles(ctrl, cycle, k);
    case QSM_SLOT_OWNED_CYCLES_HI: return (uint32_t)(owned_cycles(ctrl, cycle, k) >> 32);
    default:
      if (!read_record(qsm_tb_sched_record(ctrl->tb_sched, k), offset, &value))
        read_qos(qsm_qos_mgr_slot(ctrl->qos_mgr, k), offset, &value);
      return value;
  }
}

static uint32_t load(const struct qsm_ctrl *ctrl, struct place place) {
  if (place.area == AREA_GPU) return qsm_gpu_reg_load(&ctrl->regs, ctrl->config, place.offset);
  return qsm_slot_reg_load(&ctrl->regs, ctrl->config, place.index, place.offset);
}

// What blocks show in a register that the register file does not store.
static uint32_t read_blocks(const struct qsm_ctrl *ctrl, uint64_t cycle, struct place place) {
  switch (place.area) {
    case AREA_GPU: return read_gpu(ctrl, cycle, place.offset);
    case AREA_SMSEL: return read_smsel(ctrl, place.index, place.offset);
    case AREA_SLOT: return read_slot(ctrl, cycle, place.index, place.offset);
    case AREA_CHANNEL:
    case AREA_PAGE: return read_channel(ctrl, place);
    case AREA_NONE:
    default: return 0;
  }
}

// Write-only registers read as 0.
int qsm_ctrl_read(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t addr, uint32_t *value) {
  struct place place = find_place(ctrl, addr);
  uint32_t rules = find_rules(ctrl, place);
  if (rules & QSM_REG_IS_STORED) {
    *value = load(ctrl, place);
    return 0;
  }
  *value = read_blocks(ctrl, cycle, place);
  if (rules & QSM_REG_IS_FIGURE) *value |= read_figures(ctrl, cycle, place);
  return rules ? 0 : 1;
}

// ---- Writing ----

static bool is_quiet(const struct qsm_ctrl *ctrl, uint64_t cycle) {
  return !qsm_qos_mgr_refuses_writes(ctrl->qos_mgr, cycle);
}

static uint32_t bits_of(uint32_t value, uint32_t mask, uint32_t shift) {
  return (value & mask) >> shift;
}

static bool mem_select_ok(const struct qsm_config *config, uint32_t value) {
  return mem_counter_exists(
      config, value & QSM_REG_MEM_SELECT_CHANNEL_MASK,
      bits_of(value, QSM_REG_MEM_SELECT_COUNTER_MASK, QSM_REG_MEM_SELECT_COUNTER_SHIFT));
}

// I-MEM-6: the pieces of warps, 2^(S + log2(WarpSize)) bytes each, lie on multiples of their size.
static bool stack_ok(const struct qsm_config *config, uint32_t value) {
  uint32_t log2 = value & QSM_SLOT_STACK_LOG2_MASK, base = value & QSM_SLOT_STACK_BASE_MASK;
  return log2 == 0 ? base == 0 : base % (config->warp_size << log2) == 0;
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

struct move_request {
  uint32_t sm, usage, owner;
};

static struct move_request parse_move(uint32_t value) {
  return (struct move_request){
      .sm = bits_of(value, QSM_REG_SM_MOVE_SM_MASK, QSM_REG_SM_MOVE_SM_SHIFT),
      .usage = bits_of(value, QSM_REG_SM_MOVE_USAGE_MASK, QSM_REG_SM_MOVE_USAGE_SHIFT),
      .owner = bits_of(value, QSM_REG_SM_MOVE_SLOT_MASK, QSM_REG_SM_MOVE_SLOT_SHIFT),
  };
}

// R-SO-9.
static bool may_move(const struct qsm_ctrl *ctrl, struct move_request request) {
  return !qsm_scheme_whole_sms(ctrl->regs.scheme) && !qsm_sm_mgr_busy(ctrl->sm_mgr) &&
         (request.usage != QSM_USE_OWNED || (ctrl->regs.valid_mask >> request.owner & 1));
}

// What a write of a value in the range needs besides.
static bool gpu_guard(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t offset,
                      uint32_t value) {
  switch (offset) {
    case QSM_REG_MEM_SELECT: return mem_select_ok(ctrl->config, value);
    case QSM_REG_L2_FLUSH: return !is_flushing(ctrl, cycle);
    case QSM_REG_PREEMPT:  // R-PE-11
      return qsm_preempt_status(qsm_tb_sched_preemption(ctrl->tb_sched)).code !=
             QSM_PREEMPT_EXAMINED;
    case QSM_REG_SM_MOVE: return may_move(ctrl, parse_move(value));
    default: return true;
  }
}

// R-TB-15: not one block of the slot could ever run.
static bool cap_starves(uint32_t cap, const struct qsm_desc *desc) {
  return cap && cap < desc->warps;
}

// R-TB-16.
static bool walk_is_inside(const struct qsm_walk *walk, const struct qsm_desc *desc) {
  return walk->at[0] < desc->grid[0] && walk->at[1] < desc->grid[1] && walk->at[2] < desc->grid[2];
}

static bool slot_guard(const struct qsm_ctrl *ctrl, uint32_t k, uint32_t offset, uint32_t value) {
  const struct qsm_desc *desc = &ctrl->regs.shared.desc[k];
  bool busy = is_busy(ctrl, k), valid = ctrl->regs.valid_mask >> k & 1;
  switch (offset) {
    case QSM_SLOT_LAUNCH:
      return !busy && valid && !(ctrl->regs.irq >> k & 1) &&
             groups_fit(ctrl, k, ctrl->regs.shared.budget[k]) &&
             !cap_starves(ctrl->regs.warp_cap[k], desc) &&
             walk_is_inside(qsm_tb_sched_walk(ctrl->tb_sched, k), desc);
    case QSM_SLOT_KILL:
    case QSM_SLOT_YIELD: return busy;
    case QSM_SLOT_BUDGET: return !busy || groups_fit(ctrl, k, value);
    case QSM_SLOT_STACK: return stack_ok(ctrl->config, value);
    case QSM_SLOT_WARP_CAP: return !busy || !cap_starves(value, desc);
    case QSM_SLOT_MEM_SPLIT: return !valid;  // R-XB-6
    default: return true;
  }
}

static bool write_ok(const struct qsm_ctrl *ctrl, uint64_t cycle, struct place place,
                     uint32_t value) {
  uint32_t rules = find_rules(ctrl, place);
  if (!(rules & QSM_REG_IS_WRITABLE)) return false;
  if ((rules & QSM_REG_IS_IDLE) && is_busy(ctrl, place.index)) return false;
  if ((rules & QSM_REG_IS_QUIET) && !is_quiet(ctrl, cycle)) return false;
  if (place.area == AREA_GPU)
    return qsm_gpu_reg_fits(ctrl->config, place.offset, value) &&
           gpu_guard(ctrl, cycle, place.offset, value);
  if (place.area != AREA_SLOT) return channel_write_ok(ctrl, place, value);
  return qsm_slot_reg_fits(ctrl->config, place.offset, value) &&
         slot_guard(ctrl, place.index, place.offset, value);
}

int qsm_ctrl_check_write(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t addr, uint32_t value,
                         struct qsm_ctrl_effect *effect) {
  struct place place = find_place(ctrl, addr);
  *effect = (struct qsm_ctrl_effect){0};
  if (!write_ok(ctrl, cycle, place, value)) return 1;
  if (place.area == AREA_GPU) {
    effect->icache_inv = place.offset == QSM_REG_ICACHE_INV;
    effect->snapshot = place.offset == QSM_REG_FRONT_SNAP;
  } else if (place.area == AREA_SLOT) {
    effect->launch = (uint32_t)(place.offset == QSM_SLOT_LAUNCH) << place.index;
    effect->kill = (uint32_t)(place.offset == QSM_SLOT_KILL) << place.index;
  }
  return 0;
}

// CTX has changed from `old`.
static void follow_ctx(struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t k, uint32_t old) {
  struct qsm_regs *regs = &ctrl->regs;
  uint32_t value = regs->ctx[k], bit = 1u << k;
  bool valid = value & QSM_SLOT_CTX_VALID_MASK;
  bool qos = valid && (value & QSM_SLOT_CTX_QOS_MASK);
  regs->valid_mask = (regs->valid_mask & ~bit) | (valid ? bit : 0);
  regs->shared.qos_mask = (regs->shared.qos_mask & ~bit) | (qos ? bit : 0);
  if (valid && !(old & QSM_SLOT_CTX_VALID_MASK)) {
    qsm_reg_file_arrive(regs, k);
    qsm_tb_sched_arrive(ctrl->tb_sched, k);
    qsm_qos_mgr_clear_history(ctrl->qos_mgr, k, cycle + 1);
    qsm_sm_mgr_arrive(ctrl->sm_mgr, k);
  }
  qsm_tb_sched_request_targets(ctrl->tb_sched);
}

// R-TB-16.
static void write_walk(struct qsm_ctrl *ctrl, uint32_t k, uint32_t offset, uint32_t value) {
  struct qsm_walk walk = *qsm_tb_sched_walk(ctrl->tb_sched, k);
  switch (offset) {
    case QSM_SLOT_WALK_XY:
      walk.at[0] = value & QSM_SLOT_WALK_XY_X_MASK;
      walk.at[1] = value >> QSM_SLOT_WALK_XY_Y_SHIFT;
      break;
    case QSM_SLOT_WALK_Z: walk.at[2] = value; break;
    default: walk.linear = value; break;
  }
  qsm_tb_sched_set_walk(ctrl->tb_sched, k, &walk);
}

// What follows from a write to a slot's register, whose value was `old`.
static void follow_slot(struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t k, uint32_t offset,
                        uint32_t old, uint32_t value) {
  switch (offset) {
    case QSM_SLOT_CTX:
      if (value != old) follow_ctx(ctrl, cycle, k, old);
      break;
    case QSM_SLOT_SM_MASK_LO:
    case QSM_SLOT_SM_MASK_HI:
    case QSM_SLOT_SM_MASK_2:
      if (value != old && (ctrl->regs.valid_mask >> k & 1))
        qsm_tb_sched_request_targets(ctrl->tb_sched);
      break;
    case QSM_SLOT_WARP_CAP:
      if (ctrl->regs.valid_mask >> k & 1) qsm_tb_sched_request_targets(ctrl->tb_sched);
      break;
    case QSM_SLOT_LAUNCH:
      qsm_tb_sched_launch(ctrl->tb_sched, k);
      qsm_qos_mgr_note_launch(ctrl->qos_mgr, k, cycle);
      qsm_qos_mgr_set_busy(ctrl->qos_mgr, k, true, cycle + 1);
      break;
    case QSM_SLOT_YIELD: qsm_tb_sched_yield(ctrl->tb_sched, k); break;
    case QSM_SLOT_WALK_XY:
    case QSM_SLOT_WALK_Z:
    case QSM_SLOT_WALK_LINEAR: write_walk(ctrl, k, offset, value); break;
    case QSM_SLOT_HIST_CLEAR:
      qsm_qos_mgr_clear_history(ctrl->qos_mgr, k, cycle + 1);
      qsm_sm_mgr_clear_history(ctrl->sm_mgr, k);
      break;
    default: break;  // KILL took effect within the cycle
  }
}

static void follow_gpu(struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t offset, uint32_t value,
                       uint32_t ended) {
  const struct qsm_preempt_request request = parse_preempt(value);
  const struct move_request move = parse_move(value);
  switch (offset) {
    case QSM_REG_IRQ: ctrl->regs.irq |= ended; break;  // they win over the clear
    case QSM_REG_PREEMPT: qsm_tb_sched_preempt(ctrl->tb_sched, &request); break;
    case QSM_REG_SM_MOVE:
      qsm_sm_owner_request(qsm_tb_sched_sm_owner(ctrl->tb_sched), cycle + 1, move.sm, move.usage,
                           move.owner);
      break;
    case QSM_REG_MOVE_TECHNIQUE: qsm_tb_sched_note_move_technique(ctrl->tb_sched); break;
    case QSM_REG_L2_FLUSH:
      if (ctrl->l2) qsm_l2_flush(ctrl->l2, cycle, value);
      break;
    case QSM_REG_FRONT_SLOTS: qsm_front_note_slots(ctrl->front); break;
    case QSM_REG_LINK_INTERVAL: qsm_front_note_link(ctrl->front, cycle + 1); break;
    case QSM_REG_FRONT_IRQ0:
    case QSM_REG_FRONT_IRQ1:
    case QSM_REG_FRONT_IRQ2:
      qsm_front_clear_irq(ctrl->front, cycle, (offset - QSM_REG_FRONT_IRQ0) / 4, value);
      break;
    default: break;
  }
}

// Writes that the warp schedulers react to in the next cycle (R-QW-4).
static void reschedule(struct qsm_ctrl *ctrl, uint64_t cycle, struct place place) {
  struct qsm_sm_shared *shared = &ctrl->regs.shared;
  bool is_gpu = place.area == AREA_GPU;
  bool budget = place.area == AREA_SLOT && place.offset == QSM_SLOT_BUDGET;
  bool policy = is_gpu && place.offset == QSM_REG_POLICY;
  if (!budget && !policy && !(is_gpu && place.offset == QSM_REG_ACTIVE_WARPS)) return;
  shared->restart =
      policy ? (1u << ctrl->config->num_kernels) - 1 : (uint32_t)budget << place.index;
  shared->resched_at = cycle + 1;
}

void qsm_ctrl_commit_write(struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t addr, uint32_t value,
                           uint32_t ended) {
  struct place place = find_place(ctrl, addr);
  if (place.area == AREA_SLOT) {
    uint32_t old = load(ctrl, place);
    qsm_slot_reg_store(&ctrl->regs, place.index, place.offset, value);
    follow_slot(ctrl, cycle, place.index, place.offset, old, value);
  } else if (place.area == AREA_CHANNEL || place.area == AREA_PAGE) {
    write_channel(ctrl, cycle, place, value);
  } else {
    if (place.offset == QSM_REG_QUOTA_RULES) qsm_qos_mgr_settle(ctrl->qos_mgr, cycle + 1);
    qsm_gpu_reg_store(&ctrl->regs, place.offset, value);
    follow_gpu(ctrl, cycle, place.offset, value, ended);
  }
  reschedule(ctrl, cycle, place);
}

bool qsm_ctrl_waits_for_quiet(const struct qsm_ctrl *ctrl, uint64_t cycle, uint32_t addr) {
  return (find_rules(ctrl, find_place(ctrl, addr)) & QSM_REG_IS_QUIET) && !is_quiet(ctrl, cycle);
}

bool qsm_ctrl_interrupts(const struct qsm_ctrl *ctrl) {
  return (ctrl->regs.irq & ~(uint32_t)ctrl->regs.front_slots) ||
         (ctrl->front && qsm_front_interrupts(ctrl->front));
}

int qsm_ctrl_inject(struct qsm_ctrl *ctrl, uint64_t seed, char *what, size_t what_len) {
  uint32_t slot = (uint32_t)(seed % ctrl->config->num_kernels);
  if (ctrl->regs.irq >> slot & 1) return -1;
  ctrl->regs.irq |= 1u << slot;
  snprintf(what, what_len, "ctrl: bit %u of IRQ", slot);
  return 0;
}
