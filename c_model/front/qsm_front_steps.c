// SPDX-License-Identifier: Apache-2.0
// Which register a step of the sequencer writes, and with what (docs/front.md, R-FR-11, R-FR-12,
// R-FR-25, R-FR-26, R-FR-28).
#include "qsm_front_parts.h"

const struct qsm_setting_rule *qsm_front_setting_of(uint32_t which) {
  static const struct qsm_setting_rule settings[] = {
      [QSM_SETTING_GOAL] = {1, 0, QSM_SLOT_GOAL},
      [QSM_SETTING_BUDGET] = {13, 1, QSM_SLOT_BUDGET},
      [QSM_SETTING_SM_MASK_LO] = {3, 2, QSM_SLOT_SM_MASK_LO},
      [QSM_SETTING_SM_MASK_HI] = {4, 2, QSM_SLOT_SM_MASK_HI},
      [QSM_SETTING_SM_MASK_2] = {5, 2, QSM_SLOT_SM_MASK_2},
      [QSM_SETTING_CACHE_POLICY] = {18, 3, QSM_SLOT_CACHE_POLICY},
  };
  return which < sizeof settings / sizeof *settings ? &settings[which] : NULL;
}

struct bind_step {
  uint8_t word;  // of the context
  uint8_t offset;
};

static const struct bind_step of_bind[QSM_BIND_STEPS] = {
    {QSM_CONTEXT_CTX, QSM_SLOT_CTX},  // of the owner before: 0
    {3, QSM_SLOT_SM_MASK_LO},        {4, QSM_SLOT_SM_MASK_HI},  {5, QSM_SLOT_SM_MASK_2},
    {6, QSM_SLOT_WIN0_BASE},         {7, QSM_SLOT_WIN0_LIMIT},  {8, QSM_SLOT_WIN0_RIGHTS},
    {9, QSM_SLOT_WIN1_BASE},         {10, QSM_SLOT_WIN1_LIMIT}, {11, QSM_SLOT_WIN1_RIGHTS},
    {2, QSM_SLOT_FIRST_QUOTA},       {1, QSM_SLOT_GOAL},        {22, QSM_SLOT_MEM_SPLIT},
    {QSM_CONTEXT_CTX, QSM_SLOT_CTX}, {13, QSM_SLOT_BUDGET},     {14, QSM_SLOT_ISO_IPC},
    {15, QSM_SLOT_SAVE_BASE},        {16, QSM_SLOT_SAVE_LIMIT}, {17, QSM_SLOT_IDEMPOTENT},
    {18, QSM_SLOT_CACHE_POLICY},     {19, QSM_SLOT_STACK},      {20, QSM_SLOT_SM_COUNT},
    {21, QSM_SLOT_WARP_CAP},
};

// Words 0 .. 7 of the descriptor, the walk, what follows from the descriptor, own settings.
static const uint8_t of_start[QSM_START_STEPS] = {
    QSM_SLOT_ENTRY,      QSM_SLOT_ARG,         QSM_SLOT_GRID_X,       QSM_SLOT_GRID_Y,
    QSM_SLOT_GRID_Z,     QSM_SLOT_BLOCK_X,     QSM_SLOT_BLOCK_Y,      QSM_SLOT_BLOCK_Z,
    QSM_SLOT_WALK_XY,    QSM_SLOT_WALK_Z,      QSM_SLOT_WALK_LINEAR,  QSM_SLOT_BLOCK_THREADS,
    QSM_SLOT_SHARED,     QSM_SLOT_BLOCK_WARPS, QSM_SLOT_SHARED_GRAN,  QSM_SLOT_SM_MASK_LO,
    QSM_SLOT_SM_MASK_HI, QSM_SLOT_SM_MASK_2,   QSM_SLOT_CACHE_POLICY, 0 /* IRQ */,
    QSM_SLOT_LAUNCH,
};

uint32_t qsm_front_bind_offset(uint32_t step) { return of_bind[step].offset; }
uint32_t qsm_front_start_offset(uint32_t step) { return of_start[step]; }

// R-FR-28: where the step's register has its value from.
struct own_step {
  uint8_t bit;    // of OWN
  uint8_t word;   // of the descriptor
  uint8_t which;  // setting
};

static const struct own_step of_own[QSM_START_IRQ - QSM_START_OWN] = {
    {QSM_OWN_MASK, QSM_DESCRIPTOR_SM_MASK, QSM_SETTING_SM_MASK_LO},
    {QSM_OWN_MASK, QSM_DESCRIPTOR_SM_MASK + 1, QSM_SETTING_SM_MASK_HI},
    {QSM_OWN_MASK, QSM_DESCRIPTOR_SM_MASK + 2, QSM_SETTING_SM_MASK_2},
    {QSM_OWN_POLICY, QSM_DESCRIPTOR_CACHE_POLICY, QSM_SETTING_CACHE_POLICY},
};

static bool is_own(uint32_t step) { return step >= QSM_START_OWN && step < QSM_START_IRQ; }

uint32_t qsm_front_start_step(uint32_t from, uint32_t writes_own) {
  while (is_own(from) && !(of_own[from - QSM_START_OWN].bit & writes_own)) from++;
  return from;
}

static uint32_t own_value(const struct qsm_front *front, uint32_t step) {
  const struct own_step *own = &of_own[step - QSM_START_OWN];
  return front->command[QSM_DESCRIPTOR_OWN] & own->bit
             ? front->command[own->word]
             : front->context[qsm_front_setting_of(own->which)->word];
}

static struct qsm_front_write slot_write(uint32_t k, uint32_t offset, uint32_t value) {
  return (struct qsm_front_write){.addr = QSM_SLOT_BASE + QSM_SLOT_STRIDE * k + offset,
                                  .value = value};
}

static struct qsm_front_write bind_write(const struct qsm_front *front, uint32_t step) {
  uint32_t offset = of_bind[step].offset, value = front->context[of_bind[step].word];
  if (offset == QSM_SLOT_CTX) value |= QSM_SLOT_CTX_VALID_MASK;
  return slot_write(front->seq.slot, offset, step ? value : 0);
}

static struct qsm_front_write start_write(const struct qsm_front *front, uint32_t step) {
  const uint32_t granule = qsm_config_granule_bytes(front->config), k = front->seq.slot;
  const uint32_t threads = front->seq.threads, shared = front->command[QSM_DESCRIPTOR_SHARED];
  if (step < QSM_START_WALK) return slot_write(k, of_start[step], front->command[step]);
  if (step < QSM_START_DERIVED) return slot_write(k, of_start[step], front->seq.walk);
  if (is_own(step)) return slot_write(k, of_start[step], own_value(front, step));
  if (step == QSM_START_IRQ) return (struct qsm_front_write){.addr = QSM_REG_IRQ, .value = 1u << k};
  // Sums cannot wrap where they matter: a factor or SHARED too large has been refused before.
  const uint32_t value[] = {threads, shared,
                            (threads + front->config->warp_size - 1) / front->config->warp_size,
                            (shared + granule - 1) / granule};
  if (step == QSM_START_STEPS - 1) return slot_write(k, of_start[step], 1);
  return slot_write(k, of_start[step], value[step - QSM_START_DERIVED]);
}

bool qsm_front_writes(const struct qsm_front *front, struct qsm_front_write *write) {
  const struct qsm_front_seq *seq = &front->seq;
  uint32_t overdue = qsm_front_to_kill(front);
  if (overdue) {
    *write = slot_write(qsm_lowest(overdue), QSM_SLOT_KILL, 1);
    write->by_watchdog = true;
    return true;
  }
  if (!seq->asks) return false;
  switch (seq->state) {
    case QSM_FRONT_BIND: *write = bind_write(front, seq->step); break;
    case QSM_FRONT_START: *write = start_write(front, seq->step); break;
    case QSM_FRONT_SET_REG:
      *write = slot_write(seq->slot, qsm_front_setting_of(seq->which)->offset, seq->value);
      break;
    case QSM_FRONT_YIELD: *write = slot_write(seq->slot, QSM_SLOT_YIELD, 1); break;
    default: *write = slot_write(seq->slot, QSM_SLOT_CTX, 0); break;
  }
  return true;
}

void qsm_front_note_chosen(struct qsm_front *front, const struct qsm_front_write *write) {
  if (write->by_watchdog) {
    front->kill_sent |= 1u << (write->addr - QSM_SLOT_BASE) / QSM_SLOT_STRIDE;
  } else {
    front->seq.asks = false;
  }
}

void qsm_front_note_answer(struct qsm_front *front, uint64_t cycle,
                           const struct qsm_front_write *write, enum qsm_front_answer answer) {
  if (write->by_watchdog) return;
  front->seq.refused = answer == QSM_FRONT_REFUSED;
  front->seq.again = answer == QSM_FRONT_AGAIN;
  front->seq.at = cycle + 1;
}
