// SPDX-License-Identifier: Apache-2.0
// Counters of the L1s, the caches of shader arrays, the L2 and the memory controllers (docs/l1.md
// R-L1-13, docs/sa_cache.md R-SA-18, docs/l2.md R-L2-13, docs/dram.md R-DR-9).
#include "qsm_internal.h"
#include "qsm_regs.h"

enum { FIRST_L1_COUNTER = 16, FIRST_SA_COUNTER = 24 };

static qsmError_t add_counter(struct qsm_context *context, uint32_t channel, uint32_t counter,
                              uint64_t *sum) {
  struct qsm_device *device = context->device;
  uint32_t value = 0;
  qsmError_t error = qsm_register_write(device, QSM_REG_MEM_SELECT,
                                        channel << QSM_REG_MEM_SELECT_CHANNEL_SHIFT |
                                            context->slot << QSM_REG_MEM_SELECT_SLOT_SHIFT |
                                            counter << QSM_REG_MEM_SELECT_COUNTER_SHIFT);
  if (!error) error = qsm_register_read(device, QSM_REG_MEM_VALUE, &value);
  *sum += value;
  return error;
}

static qsmError_t add_l1_counters(struct qsm_context *context, uint32_t sm,
                                  qsmMemoryCounters *sum) {
  uint64_t *const fields[] = {&sum->l1_loads,  &sum->l1_hits,   &sum->l1_merged,
                              &sum->l1_misses, &sum->l1_stores, &sum->l1_atomics};
  qsmError_t error = qsm_register_write(context->device, QSM_REG_SM_SELECT, sm);
  for (uint32_t i = 0; !error && i < sizeof fields / sizeof fields[0]; i++)
    error = add_counter(context, 0, FIRST_L1_COUNTER + i, fields[i]);
  return error;
}

// An array is that of the SM with its number (R-SA-18).
static qsmError_t add_array_counters(struct qsm_context *context, uint32_t array,
                                     qsmMemoryCounters *sum) {
  uint64_t *const fields[] = {&sum->sa_loads,  &sum->sa_hits,   &sum->sa_merged,
                              &sum->sa_misses, &sum->sa_stores, &sum->sa_atomics};
  qsmError_t error = qsm_register_write(context->device, QSM_REG_SM_SELECT, array);
  for (uint32_t bank = 0; !error && bank < context->device->config.sa_banks; bank++)
    for (uint32_t i = 0; !error && i < sizeof fields / sizeof fields[0]; i++)
      error = add_counter(context, bank, FIRST_SA_COUNTER + i, fields[i]);
  return error;
}

// Adds what the GPU shows now.
static qsmError_t add_counters(struct qsm_context *context, qsmMemoryCounters *counters) {
  const struct qsm_config *config = &context->device->config;
  qsmMemoryCounters sum = *counters;
  const struct {
    uint32_t counter;
    bool exists;
    uint64_t *sum;
  } fields[] = {{0, config->l2_kib, &sum.requests},        {1, config->l2_kib, &sum.hits},
                {2, config->l2_kib, &sum.merged},          {3, config->l2_kib, &sum.misses},
                {4, config->l2_kib, &sum.bypassed},        {5, config->l2_kib, &sum.atomics},
                {6, config->l2_kib, &sum.victims},         {8, config->dram_banks, &sum.dram_reads},
                {9, config->dram_banks, &sum.dram_writes}, {10, config->dram_banks, &sum.row_hits},
                {11, config->dram_banks, &sum.rows_opened}};
  for (uint32_t channel = 0; channel < config->num_channels; channel++)
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
      qsmError_t error = fields[i].exists
                             ? add_counter(context, channel, fields[i].counter, fields[i].sum)
                             : qsmSuccess;
      if (error) return error;
    }
  for (uint32_t sm = 0; config->l1_kib && sm < config->num_sms; sm++) {
    qsmError_t error = add_l1_counters(context, sm, &sum);
    if (error) return error;
  }
  for (uint32_t array = 0; array < config->num_sas; array++) {
    qsmError_t error = add_array_counters(context, array, &sum);
    if (error) return error;
  }
  *counters = sum;
  return qsmSuccess;
}

void qsm_counters_begin(struct qsm_context *context, bool anew, bool counts) {
  if (anew) context->kept = (qsmMemoryCounters){0};
  context->counts = counts;
}

qsmError_t qsm_counters_keep(struct qsm_context *context) {
  context->counts = false;
  return add_counters(context, &context->kept);
}

qsmError_t qsmReadMemoryCounters(qsmContext_t handle, qsmMemoryCounters *counters) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (qsm_check_has_slot(context, "counters of the memory")) return qsmErrorStream;
  if (!counters) return qsm_check_pointer(context->device, counters, "the counters");
  qsmMemoryCounters sum = context->kept;
  qsmError_t error = context->counts ? add_counters(context, &sum) : qsmSuccess;
  if (!error) *counters = sum;
  return error;
}
