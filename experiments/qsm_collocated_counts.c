// SPDX-License-Identifier: Apache-2.0
// What collocated applications have done to memory, and had of the SMs (docs/collocated.md R-CR-10,
// R-CR-11). The model tells it in no time, so that looking changes nothing.
#include <stdio.h>
#include <stdlib.h>

#include "qsm_collocated_internal.h"
#include "qsm_regs.h"

enum {
  L2_REQUESTS,
  L2_HITS,
  L2_MERGED,
  DRAM_READS = 8,
  DRAM_WRITES,
  SA_LOADS = 24,
  SA_HITS,
  SA_MERGED
};

static uint32_t state_of(const struct collocated_gpu *gpu, enum qsm_state_kind kind, uint32_t sm,
                         uint32_t index, uint32_t word) {
  uint32_t value = 0;
  gpu->backend->state(gpu->backend, kind, sm, index, word, &value);
  return value;
}

// The counters of a slot, one after the other: each with the sum it belongs to.
struct counter {
  uint32_t sm, index, word;
  uint64_t *sum;
};

static uint32_t n_counters(const struct collocated_gpu *gpu) {
  return 5 * gpu->config->num_channels + 3 * gpu->config->num_sas * gpu->config->sa_banks;
}

static struct counter counter_of(const struct collocated_gpu *gpu, uint32_t slot, uint32_t i) {
  struct qsm_collocated_outcome *outcome = gpu->outcome;
  static const uint32_t of_channel[] = {L2_REQUESTS, L2_HITS, L2_MERGED, DRAM_READS, DRAM_WRITES};
  uint64_t *const channel_sum[] = {&outcome->l2_requests, &outcome->l2_found, &outcome->l2_found,
                                   &outcome->memory_lines, &outcome->memory_lines};
  static const uint32_t of_bank[] = {SA_LOADS, SA_HITS, SA_MERGED};
  uint64_t *const bank_sum[] = {&outcome->sa_loads, &outcome->sa_found, &outcome->sa_found};
  if (i < 5 * gpu->config->num_channels)
    return (struct counter){i / 5, slot, of_channel[i % 5], channel_sum[i % 5]};
  i -= 5 * gpu->config->num_channels;
  uint32_t bank = i / 3 % gpu->config->sa_banks, array = i / 3 / gpu->config->sa_banks;
  return (struct counter){array, slot | bank << 4, of_bank[i % 3], bank_sum[i % 3]};
}

int collocated_counts_open(struct collocated_gpu *gpu) {
  for (uint32_t slot = 0; slot < gpu->config->num_kernels; slot++) {
    gpu->slot[slot].seen = calloc(n_counters(gpu) + 1, sizeof(uint32_t));
    if (gpu->slot[slot].seen) continue;
    snprintf(gpu->msg, gpu->msg_len, "out of memory");
    return -1;
  }
  return 0;
}

void collocated_counts_close(struct collocated_gpu *gpu) {
  for (uint32_t slot = 0; slot < COLLOCATED_MOST_SLOTS; slot++) free(gpu->slot[slot].seen);
}

// Launches of the slot that have begun.
static uint32_t starts_of(const struct collocated_gpu *gpu, uint32_t slot) {
  return state_of(gpu, QSM_STATE_SLOT, 0, slot, 4) + state_of(gpu, QSM_STATE_SLOT, 0, slot, 0);
}

void collocated_counts_add(struct collocated_gpu *gpu) {
  for (uint32_t slot = 0; slot < gpu->config->num_kernels; slot++) {
    struct collocated_slot *of = &gpu->slot[slot];
    uint32_t n_starts = starts_of(gpu, slot);
    for (uint32_t i = 0; i < n_counters(gpu); i++) {
      const struct counter counter = counter_of(gpu, slot, i);
      uint32_t value = state_of(gpu, QSM_STATE_MEMORY, counter.sm, counter.index, counter.word);
      if (!gpu->over) *counter.sum += value - (n_starts == of->n_starts ? of->seen[i] : 0);
      of->seen[i] = value;
    }
    of->n_starts = n_starts;
  }
}

void collocated_shares_add(struct collocated_gpu *gpu, uint64_t now) {
  const double cycles = (double)(now - gpu->looked);
  for (uint32_t i = 0; i < gpu->setting->n_apps; i++) {
    struct collocated_tenant *tenant = &gpu->tenant[i];
    double sum = 0, n = 0;
    if (!tenant->running) continue;
    for (uint32_t sm = 0; sm < gpu->config->num_sms; sm++) {
      double share = qsm_collocation_share(gpu->collocation, tenant->queue, sm);
      tenant->share[sm] += share * cycles;
      sum += share;
      n += share > 0;
    }
    tenant->run_cycles += now - gpu->looked;
    tenant->u += n > 0 ? sum / n * cycles : 0;
    tenant->n_sms += n * cycles;
  }
  gpu->looked = now;
}

uint64_t collocated_instructions(const struct collocated_gpu *gpu) {
  uint64_t sum = 0;
  for (uint32_t sm = 0; sm < gpu->config->num_sms; sm++)
    for (uint32_t slot = 0; slot < gpu->config->num_kernels; slot++)
      sum += state_of(gpu, QSM_STATE_INSN, 0, sm, 2 * slot) |
             (uint64_t)state_of(gpu, QSM_STATE_INSN, 0, sm, 2 * slot + 1) << 32;
  return sum;
}
