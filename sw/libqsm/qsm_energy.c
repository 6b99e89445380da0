// SPDX-License-Identifier: Apache-2.0
// Energy (docs/energy.md): events counted by the GPU, times the energies of the configuration. The
// counters have 32 bits and wrap, so they are read often enough, whether anybody asks or not.
#include <stdlib.h>
#include <string.h>

#include "qsm_internal.h"
#include "qsm_regs.h"

enum { MAX_SLOTS = 8, MAX_OPERANDS = 3 };

#define FEMTO 1e-15

struct qsm_energy_sums {
  uint64_t read_at;  // cycle of the last reading of all slots in use
  uint32_t used;     // bit per slot: it has had a context
  uint64_t sum[MAX_SLOTS][QSM_ENERGY_EVENT_COUNT];
  uint64_t mark[MAX_SLOTS][QSM_ENERGY_EVENT_COUNT];
  uint64_t owned_mark[MAX_SLOTS];
  uint32_t last[];  // [SM][slot][event]
};

// ---- Joules ----

static double joules(double n, uint32_t femtojoules) { return n * (double)femtojoules * FEMTO; }

double qsmEventEnergy(const struct qsm_config *config, const uint64_t *events) {
  const uint32_t of_event[QSM_ENERGY_EVENT_COUNT] = {
      [QSM_ENERGY_ISSUES] = config->energy_issue,
      [QSM_ENERGY_ALU] = config->energy_alu,
      [QSM_ENERGY_MUL] = config->energy_mul,
      [QSM_ENERGY_DIV] = config->energy_div,
      [QSM_ENERGY_FMA] = config->energy_fma,
      [QSM_ENERGY_MEM] = config->energy_mem,
      [QSM_ENERGY_REG_READS] = config->energy_reg_read,
      [QSM_ENERGY_REG_WRITES] = config->energy_reg_write,
      [QSM_ENERGY_SHARED] = config->energy_shared,
      [QSM_ENERGY_LINES] = config->l1_kib ? config->energy_l1 : 0,
  };
  double sum = 0;
  for (uint32_t event = 0; event < QSM_ENERGY_EVENT_COUNT; event++)
    sum += joules((double)events[event], of_event[event]);
  return sum;
}

double qsmMemoryEnergy(const struct qsm_config *config, const qsmMemoryCounters *counters) {
  const uint64_t in_arrays = counters->sa_loads + counters->sa_stores + counters->sa_atomics;
  return joules((double)in_arrays, config->energy_sa) +
         joules((double)counters->requests, config->energy_l2) +
         joules((double)counters->dram_reads, config->energy_dram_read) +
         joules((double)counters->dram_writes, config->energy_dram_write) +
         joules((double)counters->rows_opened, config->energy_dram_row);
}

double qsmSmEnergy(const struct qsm_config *config, double on_cycles, double gated_cycles,
                   double wakes) {
  return joules(on_cycles, config->energy_sm_clock) + joules(on_cycles, config->energy_sm_leakage) +
         joules(gated_cycles, config->energy_sm_leakage) * config->energy_gated_permille / 1000 +
         joules(wakes, config->energy_sm_wake);
}

// ---- Sums ----

qsmError_t qsm_energy_open(struct qsm_device *device) {
  size_t n = (size_t)device->config.num_sms * MAX_SLOTS * QSM_ENERGY_EVENT_COUNT;
  if (!device->config.energy_counters) return qsmSuccess;
  device->energy = calloc(1, sizeof *device->energy + n * sizeof *device->energy->last);
  return device->energy ? qsmSuccess : qsmErrorMemoryAllocation;
}

static qsmError_t read_counter(struct qsm_device *device, uint32_t sm, uint32_t slot,
                               uint32_t event) {
  struct qsm_energy_sums *sums = device->energy;
  uint32_t now = 0, *last = &sums->last[(sm * MAX_SLOTS + slot) * QSM_ENERGY_EVENT_COUNT + event];
  qsmError_t error = qsm_register_write(
      device, QSM_REG_ENERGY_SELECT,
      event << QSM_REG_ENERGY_SELECT_WHAT_SHIFT | slot << QSM_REG_ENERGY_SELECT_SLOT_SHIFT);
  if (!error) error = qsm_register_read(device, QSM_REG_ENERGY_VALUE, &now);
  if (error) return error;
  sums->sum[slot][event] += now - *last;
  *last = now;
  return qsmSuccess;
}

// Leaves SM_SELECT and ENERGY_SELECT as the host has set them.
static qsmError_t read_slots(struct qsm_device *device, uint32_t slots) {
  uint32_t sm_select = 0, energy_select = 0;
  qsmError_t error = qsm_register_read(device, QSM_REG_SM_SELECT, &sm_select);
  if (!error) error = qsm_register_read(device, QSM_REG_ENERGY_SELECT, &energy_select);
  for (uint32_t sm = 0; !error && sm < device->config.num_sms; sm++) {
    error = qsm_register_write(device, QSM_REG_SM_SELECT, sm);
    for (uint32_t slot = 0; !error && slot < device->config.num_kernels; slot++)
      for (uint32_t event = 0; !error && (slots >> slot & 1) && event < QSM_ENERGY_EVENT_COUNT;
           event++)
        error = read_counter(device, sm, slot, event);
  }
  if (!error) error = qsm_register_write(device, QSM_REG_SM_SELECT, sm_select);
  return error ? error : qsm_register_write(device, QSM_REG_ENERGY_SELECT, energy_select);
}

// Half of what it takes until the counter that grows fastest, of register reads, may wrap.
static uint64_t interval(const struct qsm_config *config) {
  return (UINT64_C(1) << 31) / (MAX_OPERANDS * config->num_sched * config->warp_size);
}

uint64_t qsm_energy_due(const struct qsm_device *device) {
  return device->energy && device->energy->used
             ? device->energy->read_at + interval(&device->config)
             : UINT64_MAX;
}

qsmError_t qsm_energy_keep_up(struct qsm_device *device) {
  if (qsm_device_cycle(device) < qsm_energy_due(device)) return qsmSuccess;
  device->energy->read_at = qsm_device_cycle(device);
  return read_slots(device, device->energy->used);
}

static qsmError_t mark(struct qsm_context *context) {
  struct qsm_energy_sums *sums = context->device->energy;
  uint32_t slot = context->slot;
  qsmError_t error = qsm_read_owned_cycles(context->device, slot, &sums->owned_mark[slot]);
  if (!error) memcpy(sums->mark[slot], sums->sum[slot], sizeof sums->mark[slot]);
  return error;
}

qsmError_t qsm_energy_use(struct qsm_device *device, uint32_t slots) {
  struct qsm_energy_sums *sums = device->energy;
  if (!sums) return qsmSuccess;
  if (!sums->used) sums->read_at = qsm_device_cycle(device);
  sums->used |= slots;
  return qsmSuccess;
}

// A slot that nobody has had yet has counted nothing.
qsmError_t qsm_energy_begin(struct qsm_context *context) {
  struct qsm_energy_sums *sums = context->device->energy;
  uint32_t bit = 1u << context->slot;
  if (!sums) return qsmSuccess;
  if (!sums->used) sums->read_at = qsm_device_cycle(context->device);
  bool had_one = sums->used & bit;
  sums->used |= bit;
  if (!had_one) return qsmSuccess;
  qsmError_t error = read_slots(context->device, bit);
  return error ? error : mark(context);
}

// ---- Queries ----

static qsmError_t check_counters(struct qsm_device *device) {
  if (device->energy) return qsmSuccess;
  return qsm_fail(device, qsmErrorInvalidValue,
                  "energy: configuration %s does not count it (energy_counters: 0)",
                  device->config.name);
}

qsmError_t qsmMarkEnergy(qsmContext_t handle) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  qsmError_t error = qsm_check_has_slot(context, "energy of a tenant");
  if (!error) error = check_counters(context->device);
  if (!error) error = read_slots(context->device, 1u << context->slot);
  return error ? error : mark(context);
}

qsmError_t qsmReadEnergy(qsmContext_t handle, qsmEnergy *energy) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  struct qsm_device *device = context->device;
  uint32_t slot = context->slot;
  uint64_t owned = 0;
  qsmError_t error = qsm_check_pointer(device, energy, "the energy");
  if (!error) error = qsm_check_has_slot(context, "energy of a tenant");
  if (!error) error = check_counters(device);
  if (!error) error = read_slots(device, 1u << slot);
  if (!error) error = qsm_read_owned_cycles(device, slot, &owned);
  if (error) return error;
  const struct qsm_energy_sums *sums = device->energy;
  for (uint32_t event = 0; event < QSM_ENERGY_EVENT_COUNT; event++)
    energy->events[event] = sums->sum[slot][event] - sums->mark[slot][event];
  energy->owned_sm_cycles = (owned - sums->owned_mark[slot]) & QSM_WIDE_MASK;
  energy->event_joules = qsmEventEnergy(&device->config, energy->events);
  energy->sm_joules = qsmSmEnergy(&device->config, (double)energy->owned_sm_cycles, 0, 0);
  return qsmSuccess;
}

qsmError_t qsmReadDeviceEnergy(qsmDevice_t handle, qsmDeviceEnergy *energy) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  qsmDeviceEnergy got = {0};
  qsmError_t error = qsm_check_pointer(device, energy, "the energy");
  if (!error) error = check_counters(device);
  if (!error) error = read_slots(device, device->energy->used);
  if (!error) error = qsmReadSmCounters(handle, &got.sms);
  if (error) return error;
  for (uint32_t slot = 0; slot < MAX_SLOTS; slot++)
    for (uint32_t event = 0; event < QSM_ENERGY_EVENT_COUNT; event++)
      got.events[event] += device->energy->sum[slot][event];
  got.sm_cycles = qsm_device_cycle(device) * device->config.num_sms;
  got.event_joules = qsmEventEnergy(&device->config, got.events);
  got.sm_joules = qsmSmEnergy(&device->config, (double)(got.sm_cycles - got.sms.gated_sm_cycles),
                              (double)got.sms.gated_sm_cycles, got.sms.wakes);
  *energy = got;
  return qsmSuccess;
}
