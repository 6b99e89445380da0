// SPDX-License-Identifier: Apache-2.0
// Rules about the words that the sequencer has read: of a command, of the context's windows
// (docs/front.md, R-FR-7, R-FR-9, R-FR-10, R-FR-23).
#include "qsm_front_parts.h"

struct shape {
  uint8_t n_words;  // behind word 0
  uint8_t bytes;    // the word that must not be 0, 0: none
};

int qsm_front_wrong_word(const struct qsm_front *front) {
  static const struct shape shapes[] = {
      [QSM_CMD_NOP] = {0, 0},     [QSM_CMD_LAUNCH] = {1, 0},  [QSM_CMD_SET] = {2, 0},
      [QSM_CMD_ACQUIRE] = {2, 0}, [QSM_CMD_RELEASE] = {2, 0}, [QSM_CMD_COPY] = {3, 3},
      [QSM_CMD_FILL] = {3, 2},
  };
  const uint32_t *command = front->command;
  uint32_t opcode = command[0] & QSM_OPCODE_MASK;
  if (opcode >= QSM_FRONT_OPCODE_COUNT ||
      (command[0] & ~(uint32_t)(QSM_OPCODE_MASK | QSM_FLAG_IRQ | QSM_FLAG_STAMP)))
    return 0;
  if (shapes[opcode].bytes && !command[shapes[opcode].bytes]) return shapes[opcode].bytes;
  for (int i = shapes[opcode].n_words + 1; i < QSM_COMMAND_WORDS; i++)
    if (command[i]) return i;
  return QSM_NOWHERE;
}

bool qsm_front_in_window(const struct qsm_front *front, uint32_t base, uint32_t addr,
                         uint32_t bytes, uint32_t right) {
  const uint32_t *window = &front->context[base];
  uint32_t last = addr + (bytes - 1);
  return addr >= window[0] && last >= addr && last < window[1] && (window[2] & right);
}

bool qsm_front_descriptor_ok(const struct qsm_front *front) {
  uint32_t addr = front->seq.which;
  return addr % QSM_DESCRIPTOR_BYTES == 0 &&
         (qsm_front_in_window(front, QSM_CONTEXT_WIN0, addr, QSM_DESCRIPTOR_BYTES,
                              QSM_RIGHT_READ) ||
          qsm_front_in_window(front, QSM_CONTEXT_WIN1, addr, QSM_DESCRIPTOR_BYTES, QSM_RIGHT_READ));
}

int qsm_front_wrong_descriptor(const struct qsm_front *front) {
  const uint32_t *words = front->command;
  const uint32_t own = words[QSM_DESCRIPTOR_OWN];
  if (own & ~(uint32_t)(QSM_OWN_MASK | QSM_OWN_POLICY)) return QSM_DESCRIPTOR_OWN;
  for (int i = QSM_DESCRIPTOR_SM_MASK; i < QSM_DESCRIPTOR_WORDS; i++) {
    uint32_t needs = i < QSM_DESCRIPTOR_CACHE_POLICY ? QSM_OWN_MASK
                     : i < QSM_DESCRIPTOR_SPARE      ? QSM_OWN_POLICY
                                                     : 0;
    if (words[i] && !(own & needs)) return i;
  }
  return QSM_NOWHERE;
}

static bool has_right(const struct qsm_front *front, uint32_t which) {
  return front->context[QSM_CONTEXT_RIGHTS] >> qsm_front_setting_of(which)->right & 1;
}

int qsm_front_without_right(const struct qsm_front *front) {
  const uint32_t own = front->command[QSM_DESCRIPTOR_OWN];
  if ((own & QSM_OWN_MASK) && !has_right(front, QSM_SETTING_SM_MASK_LO))
    return QSM_SETTING_SM_MASK_LO;
  if ((own & QSM_OWN_POLICY) && !has_right(front, QSM_SETTING_CACHE_POLICY))
    return QSM_SETTING_CACHE_POLICY;
  return QSM_NOWHERE;
}

// The first window that has a range: the word of its base, or QSM_NOWHERE.
static int window_of(const struct qsm_front *front, uint32_t addr, uint32_t bytes, uint32_t right) {
  static const uint8_t windows[] = {QSM_CONTEXT_WIN0, QSM_CONTEXT_WIN1, QSM_CONTEXT_HOST};
  for (uint32_t i = 0; i < sizeof windows; i++)
    if (qsm_front_in_window(front, windows[i], addr, bytes, right)) return windows[i];
  return QSM_NOWHERE;
}

int qsm_front_wrong_range(const struct qsm_front *front, bool *link) {
  const uint32_t *command = front->command;
  bool fill = front->seq.opcode == QSM_CMD_FILL;
  uint32_t bytes = command[fill ? 2 : 3];
  int from = fill ? QSM_NOWHERE : window_of(front, command[1], bytes, QSM_RIGHT_READ);
  int to = window_of(front, command[fill ? 1 : 2], bytes, QSM_RIGHT_WRITE);
  if (!fill && from == QSM_NOWHERE) return 1;
  if (to == QSM_NOWHERE) return fill ? 1 : 2;
  *link = from == QSM_CONTEXT_HOST || to == QSM_CONTEXT_HOST;
  return QSM_NOWHERE;
}
