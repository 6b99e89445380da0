// SPDX-License-Identifier: Apache-2.0
#include "qsm_energy_sum.h"

#include <stdlib.h>
#include <string.h>

#include "qsm_backend.h"
#include "qsm_regs.h"

enum { MAX_SLOTS = 8 };

#define COUNT_MASK ((UINT64_C(1) << 48) - 1)

struct qsm_energy_meter {
  const struct qsm_config *config;
  uint64_t cycle;
  uint64_t shared, gated, owned[MAX_SLOTS];
  uint32_t wakes;
  uint64_t grown[MAX_SLOTS][QSM_ENERGY_EVENT_COUNT];  // since the last reading
  uint32_t last[];                                    // [SM][slot][event]
};

// ---- Sums ----

uint64_t qsm_energy_lanes(const uint64_t *events) {
  uint64_t lanes = 0;
  for (uint32_t event = QSM_ENERGY_ALU; event <= QSM_ENERGY_MEM; event++) lanes += events[event];
  return lanes;
}

void qsm_energy_share(struct qsm_energy_epoch *epoch) {
  uint64_t lanes = 0;
  for (uint32_t i = 0; i < QSM_SCENARIO_MAX_KERNELS; i++)
    lanes += qsm_energy_lanes(epoch->kernel[i].events);
  for (uint32_t i = 0; i < QSM_SCENARIO_MAX_KERNELS; i++) {
    struct qsm_energy_kernel *kernel = &epoch->kernel[i];
    double part = lanes ? (double)qsm_energy_lanes(kernel->events) / (double)lanes : 0;
    kernel->sm_cycles = (double)kernel->owned + part * (double)epoch->shared;
  }
}

void qsm_energy_add(struct qsm_energy_epoch *sum, const struct qsm_energy_epoch *epoch) {
  for (uint32_t i = 0; i < QSM_SCENARIO_MAX_KERNELS; i++) {
    for (uint32_t event = 0; event < QSM_ENERGY_EVENT_COUNT; event++)
      sum->kernel[i].events[event] += epoch->kernel[i].events[event];
    sum->kernel[i].owned += epoch->kernel[i].owned;
    sum->kernel[i].sm_cycles += epoch->kernel[i].sm_cycles;
  }
  sum->others += epoch->others;
  sum->all += epoch->all;
  sum->shared += epoch->shared;
  sum->gated += epoch->gated;
  sum->wakes += epoch->wakes;
  for (uint32_t sm = 0; sm < QSM_MAX_SMS; sm++) sum->sm_lanes[sm] += epoch->sm_lanes[sm];
}

// ---- Joules ----

double qsm_energy_of_kernel(const struct qsm_config *config, const struct qsm_energy_kernel *kernel,
                            const qsmMemoryCounters *memory) {
  return qsmEventEnergy(config, kernel->events) + qsmSmEnergy(config, kernel->sm_cycles, 0, 0) +
         (memory ? qsmMemoryEnergy(config, memory) : 0);
}

double qsm_energy_of_nobody(const struct qsm_config *config, const struct qsm_energy_epoch *epoch) {
  double on = (double)epoch->all - (double)epoch->gated;
  for (uint32_t i = 0; i < QSM_SCENARIO_MAX_KERNELS; i++) on -= epoch->kernel[i].sm_cycles;
  return qsmSmEnergy(config, on, (double)epoch->gated, (double)epoch->wakes);
}

// ---- Meter ----

struct qsm_energy_meter *qsm_energy_meter_create(const struct qsm_config *config) {
  size_t n = (size_t)config->num_sms * config->num_kernels * QSM_ENERGY_EVENT_COUNT;
  struct qsm_energy_meter *meter = calloc(1, sizeof *meter + n * sizeof *meter->last);
  if (meter) meter->config = config;
  return meter;
}

void qsm_energy_meter_destroy(struct qsm_energy_meter *meter) { free(meter); }

// Counters wrap; between two readings they grow by less than that.
static void read_events(struct qsm_energy_meter *meter, struct qsm_backend *backend,
                        uint64_t *sm_lanes) {
  uint32_t *last = meter->last, value = 0;
  memset(meter->grown, 0, sizeof meter->grown);
  for (uint32_t sm = 0; sm < meter->config->num_sms; sm++)
    for (uint32_t slot = 0; slot < meter->config->num_kernels; slot++) {
      uint64_t grown[QSM_ENERGY_EVENT_COUNT] = {0};
      for (uint32_t event = 0; event < QSM_ENERGY_EVENT_COUNT; event++, last++) {
        if (!backend->state(backend, QSM_STATE_ENERGY, sm, slot, event, &value)) continue;
        grown[event] = value - *last;
        meter->grown[slot][event] += grown[event];
        *last = value;
      }
      sm_lanes[sm] += qsm_energy_lanes(grown);
    }
}

static uint64_t wide(struct qsm_backend *backend, uint16_t low_at) {
  return backend->peek(backend, low_at) | (uint64_t)backend->peek(backend, (uint16_t)(low_at + 4))
                                              << 32;
}

static uint64_t grown(uint64_t *last, uint64_t now) {
  uint64_t before = *last;
  *last = now;
  return (now - before) & COUNT_MASK;
}

// SM-cycles, and whose; owned[slot].
static void read_sms(struct qsm_energy_meter *meter, struct qsm_backend *backend,
                     struct qsm_energy_epoch *epoch, uint64_t *owned) {
  uint32_t wakes = backend->peek(backend, QSM_REG_WAKES);
  epoch->all = grown(&meter->cycle, backend->cycle(backend)) * meter->config->num_sms;
  epoch->shared = grown(&meter->shared, wide(backend, QSM_REG_SHARED_CYCLES_LO));
  epoch->gated = grown(&meter->gated, wide(backend, QSM_REG_GATED_CYCLES_LO));
  epoch->wakes = wakes - meter->wakes;
  meter->wakes = wakes;
  for (uint32_t slot = 0; slot < meter->config->num_kernels; slot++)
    owned[slot] =
        grown(&meter->owned[slot], wide(backend, (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot +
                                                            QSM_SLOT_OWNED_CYCLES_LO)));
}

void qsm_energy_meter_read(struct qsm_energy_meter *meter, struct qsm_backend *backend,
                           const uint32_t *slot, uint32_t n_kernels,
                           struct qsm_energy_epoch *epoch) {
  uint64_t owned[MAX_SLOTS];
  uint32_t used = 0;
  *epoch = (struct qsm_energy_epoch){0};
  read_events(meter, backend, epoch->sm_lanes);
  read_sms(meter, backend, epoch, owned);
  for (uint32_t i = 0; i < n_kernels; i++) {
    if (slot[i] >= meter->config->num_kernels) continue;
    used |= 1u << slot[i];
    epoch->kernel[i].owned = owned[slot[i]];
    for (uint32_t event = 0; event < QSM_ENERGY_EVENT_COUNT; event++)
      epoch->kernel[i].events[event] = meter->grown[slot[i]][event];
  }
  for (uint32_t k = 0; k < meter->config->num_kernels; k++)
    if (!(used >> k & 1)) epoch->others += qsm_energy_lanes(meter->grown[k]);
  qsm_energy_share(epoch);
}
