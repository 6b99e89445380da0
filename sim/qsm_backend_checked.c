// SPDX-License-Identifier: Apache-2.0
// Backend: a board with the C model beside it (docs/link.md R-HL-19). All that the host sees is
// compared: answers, cycles, interrupts, memory.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_backend_impl.h"
#include "qsm_model.h"

struct checked {
  struct qsm_backend base;
  struct qsm_backend *board;
  struct qsm_model *model;
  struct qsm_backend_options options;
  uint64_t n_compared;  // words
  bool injected;
  char injection[256];
  uint64_t difference_cycle;
  char difference[512];  // empty: none
  char error[1024];
};

static struct checked *of(struct qsm_backend *base) { return (struct checked *)base; }

static uint64_t checked_cycle(struct qsm_backend *base) { return qsm_model_cycle(of(base)->model); }

// Keeps the first.
static enum qsm_backend_status differs(struct checked *checked, const char *format, ...) {
  va_list args;
  if (checked->error[0]) return QSM_BACKEND_FAILED;
  checked->difference_cycle = qsm_model_cycle(checked->model);
  int used = snprintf(checked->difference, sizeof checked->difference, "cycle %" PRIu64 ", ",
                      checked->difference_cycle);
  va_start(args, format);
  vsnprintf(checked->difference + used, sizeof checked->difference - (size_t)used, format, args);
  va_end(args);
  snprintf(checked->error, sizeof checked->error, "board and model differ: %s",
           checked->difference);
  return QSM_BACKEND_FAILED;
}

static enum qsm_backend_status board_failed(struct checked *checked) {
  if (!checked->error[0])
    snprintf(checked->error, sizeof checked->error, "%s", checked->board->error(checked->board));
  return QSM_BACKEND_FAILED;
}

// After each call, which let as many cycles pass on both sides.
static enum qsm_backend_status same_cycle(struct checked *checked) {
  uint64_t board = checked->board->cycle(checked->board);
  checked->n_compared++;
  if (board == qsm_model_cycle(checked->model)) return QSM_BACKEND_OK;
  return differs(checked, "the board is in cycle %" PRIu64, board);
}

// ---- Negative control: one bit of the model is flipped, as soon as the block has one to flip ----

static bool injection_due(const struct checked *checked) {
  return checked->options.inject_block && !checked->injected &&
         qsm_model_cycle(checked->model) >= checked->options.inject_cycle;
}

static void inject(struct checked *checked) {
  if (!injection_due(checked)) return;
  checked->injected = qsm_model_inject(checked->model, checked->options.inject_block,
                                       checked->options.seed + qsm_model_cycle(checked->model),
                                       checked->injection, sizeof checked->injection) == 0;
}

// Of n cycles those until the flip; one, while there is no bit to flip.
static uint64_t until_injection(const struct checked *checked, uint64_t n) {
  uint64_t cycle = qsm_model_cycle(checked->model), at = checked->options.inject_cycle;
  if (!checked->options.inject_block || checked->injected || cycle + n <= at) return n;
  return cycle < at ? at - cycle : 1;
}

// ---- The backend's functions ----

static const char *answer(enum qsm_backend_status status) {
  return status == QSM_BACKEND_REFUSED ? "err" : "ok";
}

static enum qsm_backend_status compare_access(struct checked *checked, const char *what,
                                              uint32_t addr, enum qsm_backend_status board,
                                              uint32_t board_value, enum qsm_backend_status model,
                                              uint32_t model_value) {
  checked->n_compared += 2;
  if (board == QSM_BACKEND_FAILED) return board_failed(checked);
  if (board != model || (!board && board_value != model_value))
    return differs(checked, "%s of register 0x%04X: board %s 0x%x, model %s 0x%x", what, addr,
                   answer(board), board_value, answer(model), model_value);
  enum qsm_backend_status status = same_cycle(checked);
  return status ? status : board;
}

static enum qsm_backend_status checked_write(struct qsm_backend *base, uint32_t addr,
                                             uint32_t value) {
  struct checked *checked = of(base);
  if (checked->error[0]) return QSM_BACKEND_FAILED;
  inject(checked);
  enum qsm_backend_status board = checked->board->write(checked->board, addr, value);
  qsm_model_choose(checked->model);
  enum qsm_backend_status model =
      qsm_model_write(checked->model, addr, value) ? QSM_BACKEND_REFUSED : QSM_BACKEND_OK;
  return compare_access(checked, "write", addr, board, value, model, value);
}

static enum qsm_backend_status checked_read(struct qsm_backend *base, uint32_t addr,
                                            uint32_t *value) {
  struct checked *checked = of(base);
  uint32_t of_board = 0, of_model = 0;
  if (checked->error[0]) return QSM_BACKEND_FAILED;
  inject(checked);
  enum qsm_backend_status board = checked->board->read(checked->board, addr, &of_board);
  qsm_model_choose(checked->model);
  enum qsm_backend_status model =
      qsm_model_read(checked->model, addr, &of_model) ? QSM_BACKEND_REFUSED : QSM_BACKEND_OK;
  *value = of_board;
  return compare_access(checked, "read", addr, board, of_board, model, of_model);
}

static enum qsm_backend_status checked_run(struct qsm_backend *base, uint64_t n, bool stop_on_irq,
                                           uint64_t *ran) {
  struct checked *checked = of(base);
  uint64_t part = 0, done = 0;
  for (*ran = 0; *ran < n && done == part; *ran += done) {
    if (checked->error[0]) return QSM_BACKEND_FAILED;
    inject(checked);
    part = until_injection(checked, n - *ran);
    if (checked->board->run(checked->board, part, stop_on_irq, &done)) return board_failed(checked);
    uint64_t model = qsm_model_run(checked->model, part, stop_on_irq);
    checked->n_compared++;
    if (done != model)
      return differs(checked,
                     "of %" PRIu64 " cycles before an interrupt the board ran %" PRIu64
                     ", the model %" PRIu64,
                     part, done, model);
  }
  return same_cycle(checked);
}

static uint8_t *model_memory(const struct checked *checked, uint32_t addr) {
  return qsm_model_memory(checked->model) + (addr - QSM_DEVICE_MEMORY_BASE);
}

static void checked_mem_write(struct qsm_backend *base, uint32_t addr, const void *src,
                              size_t bytes) {
  struct checked *checked = of(base);
  checked->board->mem_write(checked->board, addr, src, bytes);
  memcpy(model_memory(checked, addr), src, bytes);
}

// A difference fails the next access or run.
static void checked_mem_read(struct qsm_backend *base, uint32_t addr, void *dst, size_t bytes) {
  struct checked *checked = of(base);
  const uint8_t *board = dst, *model = model_memory(checked, addr);
  checked->board->mem_read(checked->board, addr, dst, bytes);
  checked->n_compared += (bytes + 3) / 4;
  if (checked->board->error(checked->board)[0]) return;  // and so does that
  for (size_t i = 0; i < bytes; i++)
    if (board[i] != model[i]) {
      differs(checked, "byte 0x%08X of device memory: board 0x%02x, model 0x%02x",
              addr + (uint32_t)i, board[i], model[i]);
      return;
    }
}

static void checked_mem_clear(struct qsm_backend *base, uint32_t addr, size_t bytes) {
  struct checked *checked = of(base);
  checked->board->mem_clear(checked->board, addr, bytes);
  qsm_clear_memory(model_memory(checked, addr), bytes);
}

static const char *checked_error(struct qsm_backend *base) { return of(base)->error; }

static void checked_stats(struct qsm_backend *base, struct qsm_lockstep_stats *stats) {
  const struct checked *checked = of(base);
  *stats = (struct qsm_lockstep_stats){.cycles_compared = qsm_model_cycle(checked->model),
                                       .fields_compared = checked->n_compared,
                                       .differs = checked->difference[0] != '\0',
                                       .difference_cycle = checked->difference_cycle};
  memcpy(stats->first_difference, checked->difference, sizeof stats->first_difference);
}

static void checked_close(struct qsm_backend *base) {
  struct checked *checked = of(base);
  if (checked->board) checked->board->close(checked->board);
  qsm_model_destroy(checked->model);
  free(checked);
}

int qsm_backend_checked_open(const char *name, const struct qsm_config *config,
                             const struct qsm_backend_options *options, struct qsm_backend **out,
                             char *msg, size_t msg_len) {
  struct checked *checked = calloc(1, sizeof *checked);
  struct qsm_backend_options of_board = *options;
  of_board.inject_block = NULL;
  if (!checked) {
    snprintf(msg, msg_len, "out of memory");
    return -1;
  }
  checked->options = *options;
  if (qsm_backend_serial_open(name, config, &of_board, &checked->board, msg, msg_len) ||
      qsm_model_create(config, &checked->model, msg, msg_len)) {
    checked_close(&checked->base);
    return -1;
  }
  qsm_model_set_sink(checked->model, options->sink, options->sink_ctx);
  checked->base = (struct qsm_backend){.name = "checked",
                                       .close = checked_close,
                                       .cycle = checked_cycle,
                                       .write = checked_write,
                                       .read = checked_read,
                                       .run = checked_run,
                                       .mem_write = checked_mem_write,
                                       .mem_read = checked_mem_read,
                                       .mem_clear = checked_mem_clear,
                                       .error = checked_error,
                                       .lockstep_stats = checked_stats};
  *out = &checked->base;
  return 0;
}
