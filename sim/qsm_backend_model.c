// SPDX-License-Identifier: Apache-2.0
// Backend: the C golden model.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_backend_impl.h"
#include "qsm_model.h"

struct model_backend {
  struct qsm_backend base;
  struct qsm_model *model;
  struct qsm_config config;
  struct qsm_looks looks;
};

static struct qsm_model *model_of(struct qsm_backend *base) {
  return ((struct model_backend *)base)->model;
}

static void model_close(struct qsm_backend *base) {
  qsm_model_destroy(model_of(base));
  free(base);
}

static uint64_t model_cycle(struct qsm_backend *base) { return qsm_model_cycle(model_of(base)); }

static void look_if_due(struct qsm_backend *base) {
  qsm_look(&((struct model_backend *)base)->looks, model_cycle(base));
}

// Up to the cycle in which an access is done; somebody may look at the start of each of its two.
static struct qsm_model *begin_access(struct qsm_backend *base) {
  struct qsm_model *model = model_of(base);
  look_if_due(base);
  qsm_model_choose(model);
  look_if_due(base);
  return model;
}

static enum qsm_backend_status model_write(struct qsm_backend *base, uint32_t addr,
                                           uint32_t value) {
  return qsm_model_write(begin_access(base), addr, value) ? QSM_BACKEND_REFUSED : QSM_BACKEND_OK;
}

static enum qsm_backend_status model_read(struct qsm_backend *base, uint32_t addr,
                                          uint32_t *value) {
  return qsm_model_read(begin_access(base), addr, value) ? QSM_BACKEND_REFUSED : QSM_BACKEND_OK;
}

static enum qsm_backend_status model_run(struct qsm_backend *base, uint64_t n, bool stop_on_irq,
                                         uint64_t *ran) {
  const struct qsm_looks *looks = &((struct model_backend *)base)->looks;
  uint64_t part = 0, done = 0;
  for (*ran = 0; *ran < n && done == part; *ran += done) {
    look_if_due(base);
    part = qsm_until_look(looks, model_cycle(base), n - *ran);
    done = qsm_model_run(model_of(base), part, stop_on_irq);
  }
  return QSM_BACKEND_OK;
}

static void model_mem_write(struct qsm_backend *base, uint32_t addr, const void *src,
                            size_t bytes) {
  memcpy(qsm_model_memory(model_of(base)) + (addr - QSM_DEVICE_MEMORY_BASE), src, bytes);
}

static void model_mem_read(struct qsm_backend *base, uint32_t addr, void *dst, size_t bytes) {
  memcpy(dst, qsm_model_memory(model_of(base)) + (addr - QSM_DEVICE_MEMORY_BASE), bytes);
}

static void model_mem_clear(struct qsm_backend *base, uint32_t addr, size_t bytes) {
  qsm_clear_memory(qsm_model_memory(model_of(base)) + (addr - QSM_DEVICE_MEMORY_BASE), bytes);
}

static const char *model_error(struct qsm_backend *base) {
  (void)base;
  return "";
}

void qsm_model_stalls(const struct qsm_model *model, const struct qsm_config *config,
                      qsm_stall_sink each, void *ctx) {
  uint32_t value = 0;
  for (uint32_t sm = 0; sm < config->num_sms; sm++)
    for (uint32_t sub = 0; sub < config->num_sched; sub++)
      for (uint32_t kernel = 0; kernel < config->num_kernels; kernel++)
        for (uint32_t reason = 0;
             qsm_model_state(model, QSM_STATE_STALL, sm, sub, kernel, reason, &value); reason++)
          each(ctx, kernel, reason, value);
}

static bool model_state(struct qsm_backend *base, enum qsm_state_kind kind, uint32_t sm,
                        uint32_t index, uint32_t word, uint32_t *value) {
  return qsm_model_state(model_of(base), kind, sm, 0, index, word, value);
}

static uint32_t model_peek(struct qsm_backend *base, uint32_t addr) {
  return qsm_model_peek(model_of(base), addr);
}

static void model_look_at(struct qsm_backend *base, uint64_t first, uint64_t period,
                          void (*look)(void *ctx), void *ctx) {
  ((struct model_backend *)base)->looks =
      (struct qsm_looks){.next = first, .period = period, .look = look, .ctx = ctx};
}

static void model_stalls(struct qsm_backend *base, qsm_stall_sink each, void *ctx) {
  qsm_model_stalls(model_of(base), &((struct model_backend *)base)->config, each, ctx);
}

static uint64_t model_trace_hash(struct qsm_backend *base) {
  return qsm_model_hash(model_of(base));
}

int qsm_backend_model_open(const struct qsm_config *config,
                           const struct qsm_backend_options *options, struct qsm_backend **out,
                           char *msg, size_t msg_len) {
  struct model_backend *backend = calloc(1, sizeof *backend);
  if (!backend) {
    snprintf(msg, msg_len, "out of memory");
    return -1;
  }
  if (qsm_model_create(config, &backend->model, msg, msg_len)) {
    free(backend);
    return -1;
  }
  backend->config = *config;
  qsm_model_set_sink(backend->model, options->sink, options->sink_ctx);
  qsm_model_set_access_sink(backend->model, options->access_sink, options->access_sink_ctx);
  backend->base = (struct qsm_backend){.name = "model",
                                       .close = model_close,
                                       .cycle = model_cycle,
                                       .write = model_write,
                                       .read = model_read,
                                       .run = model_run,
                                       .mem_write = model_mem_write,
                                       .mem_read = model_mem_read,
                                       .mem_clear = model_mem_clear,
                                       .error = model_error,
                                       .stalls = model_stalls,
                                       .state = model_state,
                                       .peek = model_peek,
                                       .look_at = model_look_at};
  if (options->hash) {
    qsm_model_enable_hash(backend->model);
    backend->base.trace_hash = model_trace_hash;
  }
  *out = &backend->base;
  return 0;
}
