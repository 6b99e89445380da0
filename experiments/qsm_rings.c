// SPDX-License-Identifier: Apache-2.0
#include "qsm_rings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "qsm_regs.h"

enum { MOST_CLEAR = 10000 };  // cycles until a channel is cleared

int qsm_rings_fail(struct qsm_rings *rings, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(rings->msg, rings->msg_len, format, arguments);
  va_end(arguments);
  return -1;
}

// ---- Registers and memory ----

int qsm_rings_put(struct qsm_rings *rings, uint32_t address, uint32_t value) {
  if (rings->backend->write(rings->backend, address, value) == QSM_BACKEND_OK) return 0;
  return qsm_rings_fail(rings, "register 0x%05" PRIX32 " does not take 0x%08" PRIX32, address,
                        value);
}

int qsm_rings_run(struct qsm_rings *rings, uint64_t n_cycles) {
  uint64_t ran;
  if (rings->backend->run(rings->backend, n_cycles, false, &ran) == QSM_BACKEND_OK) return 0;
  return qsm_rings_fail(rings, "%s", rings->backend->error(rings->backend));
}

uint32_t qsm_rings_driver(uint32_t c, uint32_t offset) {
  return QSM_CH_BASE + QSM_CH_STRIDE * c + offset;
}

uint32_t qsm_rings_page(uint32_t c, uint32_t offset) {
  return QSM_PAGE_BASE + QSM_PAGE_STRIDE * c + offset;
}

uint32_t qsm_rings_context_at(uint32_t c) {
  return (uint32_t)QSM_RINGS_MEMORY + QSM_RINGS_CONTEXT_BYTES * c;
}

uint32_t qsm_rings_ring_at(uint32_t c) {
  return (uint32_t)QSM_RINGS_MEMORY + QSM_RINGS_AT + QSM_RING_BYTES * c;
}

uint64_t qsm_rings_cycle(struct qsm_rings *rings) { return rings->backend->cycle(rings->backend); }

uint32_t qsm_rings_peek(struct qsm_rings *rings, uint32_t address) {
  return rings->backend->peek(rings->backend, address);
}

uint64_t qsm_rings_counter(struct qsm_rings *rings, uint32_t c, uint32_t low) {
  return (uint64_t)qsm_rings_peek(rings, qsm_rings_driver(c, low + 4)) << 32 |
         qsm_rings_peek(rings, qsm_rings_driver(c, low));
}

bool qsm_rings_is_fresh(struct qsm_rings *rings, uint32_t c) {
  return qsm_rings_peek(rings, qsm_rings_page(c, QSM_PAGE_STATE)) & QSM_PAGE_STATE_FRESH_MASK;
}

void qsm_rings_store(struct qsm_rings *rings, uint32_t address, const void *data, size_t bytes) {
  rings->backend->mem_write(rings->backend, address, data, bytes);
}

uint32_t qsm_rings_load(struct qsm_rings *rings, uint32_t address) {
  uint32_t word;
  rings->backend->mem_read(rings->backend, address, &word, sizeof word);
  return word;
}

void qsm_rings_command(struct qsm_rings *rings, uint32_t c, uint32_t index,
                       const uint32_t command[8]) {
  qsm_rings_store(rings, qsm_rings_ring_at(c) + 32 * index, command, 32);
}

// ---- The driver ----

int qsm_rings_open(struct qsm_rings *rings, const struct qsm_backend_options *options,
                   bool concurrent) {
  if (rings->config->cmd_channels == 0)
    return qsm_rings_fail(rings, "configuration %s has no command channels", rings->config->name);
  if (qsm_backend_open("model", rings->config, options, &rings->backend, rings->msg,
                       rings->msg_len))
    return -1;
  return qsm_rings_put(rings, QSM_REG_FRONT_SLOTS, (1u << rings->config->num_kernels) - 1) ||
                 qsm_rings_put(rings, QSM_REG_FRONT_MODE, concurrent)
             ? -1
             : 0;
}

int qsm_rings_enable(struct qsm_rings *rings, uint32_t c, const struct qsm_ring_setting *setting) {
  uint32_t n = rings->config->num_sms;
  const uint32_t context[QSM_RINGS_CONTEXT_BYTES / 4] = {
      [0] = 1,
      [2] = 1,
      [3] = n >= 32 ? UINT32_MAX : UINT32_MAX >> (32 - n),
      [4] = n <= 32   ? 0
            : n >= 64 ? UINT32_MAX
                      : UINT32_MAX >> (64 - n),
      [5] = n <= 64 ? 0 : UINT32_MAX >> (96 - n),
      [6] = setting->base,
      [7] = setting->data,
      [8] = QSM_SLOT_WIN0_RIGHTS_READ_MASK | QSM_SLOT_WIN0_RIGHTS_EXECUTE_MASK,
      [9] = setting->data,
      [10] = setting->limit,
      [11] = QSM_SLOT_WIN1_RIGHTS_READ_MASK | QSM_SLOT_WIN1_RIGHTS_WRITE_MASK,
      [12] = setting->rights,
      [13] = 1,
      [19] = setting->stack,
  };
  qsm_rings_store(rings, qsm_rings_context_at(c), context, sizeof context);
  return qsm_rings_put(rings, qsm_rings_driver(c, QSM_CH_CTRL), 0) ||
                 qsm_rings_put(rings, qsm_rings_driver(c, QSM_CH_RING),
                               qsm_rings_ring_at(c) | setting->log2) ||
                 qsm_rings_put(rings, qsm_rings_driver(c, QSM_CH_CONTEXT),
                               qsm_rings_context_at(c)) ||
                 qsm_rings_put(rings, qsm_rings_driver(c, QSM_CH_LIMIT), setting->limit_cycles) ||
                 qsm_rings_put(rings, qsm_rings_driver(c, QSM_CH_CTRL), 1)
             ? -1
             : 0;
}

int qsm_rings_wait_cleared(struct qsm_rings *rings, uint32_t c) {
  for (uint32_t i = 0; i < MOST_CLEAR; i++) {
    if (!qsm_rings_is_fresh(rings, c)) return 0;
    if (qsm_rings_run(rings, 1)) return -1;
  }
  return qsm_rings_fail(rings, "channel %" PRIu32 " is not cleared", c);
}
