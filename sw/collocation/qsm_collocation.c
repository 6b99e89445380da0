// SPDX-License-Identifier: Apache-2.0
// Schemes, applications, what runs where (docs/collocation.md).
#include "qsm_collocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_collocation_internal.h"

const char *const qsm_collocation_scheme_names[QSM_COLLOCATION_SCHEMES] = {
    "serial", "concurrent", "krisp", "fedc", "fedcm", "fitted"};
const struct qsm_collocation_options qsm_collocation_defaults = {QSM_COLLOCATION_FEDCM, 0.1, 1.1,
                                                                 1};

bool qsm_collocation_scheme_by_name(const char *name, enum qsm_collocation_scheme *scheme) {
  for (int i = 0; i < QSM_COLLOCATION_SCHEMES; i++) {
    if (strcmp(name, qsm_collocation_scheme_names[i]) != 0) continue;
    *scheme = (enum qsm_collocation_scheme)i;
    return true;
  }
  return false;
}

static bool valid(const struct qsm_collocation_machine *machine,
                  const struct qsm_collocation_options *options, char *msg, size_t msg_len) {
  if (!machine->n_sms || machine->n_sms > QSM_COLLOCATION_MOST_SMS)
    snprintf(msg, msg_len, "machine.n_sms = %u: must be 1..%d", machine->n_sms,
             (int)QSM_COLLOCATION_MOST_SMS);
  else if (machine->n_arrays > machine->n_sms)
    snprintf(msg, msg_len, "machine.n_arrays = %u: must be 0..%u, the SMs", machine->n_arrays,
             machine->n_sms);
  else if ((unsigned)options->scheme >= QSM_COLLOCATION_SCHEMES)
    snprintf(msg, msg_len, "options.scheme = %d: must be 0..%d", (int)options->scheme,
             QSM_COLLOCATION_SCHEMES - 1);
  else if (!(options->sigma >= 1e-6 && options->sigma <= 1))
    snprintf(msg, msg_len, "options.sigma = %g: must be 0.000001..1", options->sigma);
  else if (!(options->gamma >= 1 && options->gamma <= 1e6))
    snprintf(msg, msg_len, "options.gamma = %g: must be 1..1000000", options->gamma);
  else if (!options->seed)
    snprintf(msg, msg_len, "options.seed = 0: must not be 0");
  else
    return true;
  return false;
}

struct qsm_collocation *qsm_collocation_create(const struct qsm_collocation_machine *machine,
                                               const struct qsm_collocation_options *options,
                                               char *msg, size_t msg_len) {
  if (!valid(machine, options, msg, msg_len)) return NULL;
  struct qsm_collocation *collocation = calloc(1, sizeof *collocation);
  if (!collocation) {
    snprintf(msg, msg_len, "no memory for the machine");
    return NULL;
  }
  collocation->machine = *machine;
  collocation->options = *options;
  collocation->sigma = (uint64_t)(options->sigma * (double)COLLOCATION_MILLION + 0.5);
  collocation->gamma = (uint64_t)(options->gamma * (double)COLLOCATION_MILLION + 0.5);
  collocation->random = options->seed;
  return collocation;
}

void qsm_collocation_destroy(struct qsm_collocation *collocation) {
  if (!collocation) return;
  for (uint32_t i = 0; i < collocation->n_queues; i++) free(collocation->queues[i].kernels);
  free(collocation->queues);
  free(collocation);
}

static bool valid_kernel(const struct qsm_collocation *collocation,
                         const struct qsm_collocation_kernel *kernel, uint32_t k, char *msg,
                         size_t msg_len) {
  bool needs_all = collocation->options.scheme >= QSM_COLLOCATION_FEDCM;
  for (uint32_t s = 0; s < QSM_COLLOCATION_POLICIES; s++) {
    if (!kernel->time[s] && (!s || needs_all)) {
      snprintf(msg, msg_len, "kernels[%u].time[%u] = NULL: %s needs it", k, s,
               qsm_collocation_scheme_names[collocation->options.scheme]);
      return false;
    }
    for (uint32_t c = 0; kernel->time[s] && c < collocation->machine.n_sms; c++) {
      if (kernel->time[s][c]) continue;
      snprintf(msg, msg_len, "kernels[%u].time[%u][%u] = 0: must be above 0", k, s, c);
      return false;
    }
  }
  return true;
}

// R-CO-3: the longest; of equal ones those launched first.
static void mark_critical(const struct qsm_collocation *collocation,
                          struct collocation_queue *queue) {
  uint32_t all = collocation->machine.n_sms - 1;
  uint64_t n =
      (collocation->sigma * queue->n_kernels + COLLOCATION_MILLION - 1) / COLLOCATION_MILLION;
  for (; n; n--) {
    struct collocation_kernel *longest = NULL;
    for (uint32_t k = 0; k < queue->n_kernels; k++) {
      struct collocation_kernel *kernel = &queue->kernels[k];
      if (!kernel->critical && (!longest || kernel->time[0][all] > longest->time[0][all]))
        longest = kernel;
    }
    longest->critical = true;
  }
}

int qsm_collocation_add(struct qsm_collocation *collocation,
                        const struct qsm_collocation_kernel *kernels, uint32_t n_kernels, char *msg,
                        size_t msg_len) {
  if (!n_kernels) {
    snprintf(msg, msg_len, "n_kernels = 0: an application has at least one kernel");
    return -1;
  }
  for (uint32_t k = 0; k < n_kernels; k++)
    if (!valid_kernel(collocation, &kernels[k], k, msg, msg_len)) return -1;
  uint32_t q = collocation->n_queues;
  struct collocation_queue *queues =
      realloc(collocation->queues, (q + 1) * sizeof *collocation->queues);
  if (queues) collocation->queues = queues;
  struct collocation_kernel *copies = calloc(n_kernels, sizeof *copies);
  if (!queues || !copies) {
    free(copies);
    snprintf(msg, msg_len, "no memory for queue %u", q);
    return -1;
  }
  for (uint32_t k = 0; k < n_kernels; k++) {
    memcpy(copies[k].time, kernels[k].time, sizeof copies[k].time);
    copies[k].use[0] = kernels[k].threads;
    copies[k].use[1] = kernels[k].shared_bytes;
    copies[k].use[2] = kernels[k].registers;
    copies[k].demand = qsm_collocation_demand(&collocation->machine, &kernels[k]);
  }
  queues[q] =
      (struct collocation_queue){.kernels = copies,
                                 .n_kernels = n_kernels,
                                 .mask = qsm_collocation_profile_mask(collocation->machine.n_sms)};
  mark_critical(collocation, &queues[q]);
  collocation->n_queues++;
  return (int)q;
}

void qsm_collocation_remove(struct qsm_collocation *collocation, uint32_t queue) {
  free(collocation->queues[queue].kernels);
  collocation->queues[queue].kernels = NULL;
}

static bool is_first(const struct qsm_collocation *collocation, uint32_t queue) {
  for (uint32_t i = 0; i < queue; i++)
    if (collocation->queues[i].kernels) return false;
  return true;
}

// R-CO-13: more than twice as many SMs as it wants, or less than half.
static bool misfits(const struct collocation_queue *queue, const struct collocation_kernel *ready) {
  uint32_t n = collocation_count(queue->mask);
  return 2 * n < ready->demand || n > 2 * ready->demand;
}

static bool decides_for(enum qsm_collocation_scheme scheme, const struct collocation_queue *queue,
                        const struct collocation_kernel *ready) {
  return scheme >= QSM_COLLOCATION_FEDC &&
         (ready->critical || (scheme == QSM_COLLOCATION_FITTED && misfits(queue, ready)));
}

struct qsm_collocation_decision qsm_collocation_decide(struct qsm_collocation *collocation,
                                                       uint32_t queue, uint32_t kernel) {
  struct collocation_queue *own = &collocation->queues[queue];
  const struct collocation_kernel *ready = &own->kernels[kernel];
  enum qsm_collocation_scheme scheme = collocation->options.scheme;
  struct qsm_collocation_decision decision = {.mask = own->mask, .policy = own->policy};
  if (scheme == QSM_COLLOCATION_SERIAL && !is_first(collocation, queue)) decision.wait = true;
  if (scheme == QSM_COLLOCATION_KRISP) {
    decision.mask = collocation_krisp(collocation, ready->demand);
    decision.decided = true;
  } else if (decides_for(scheme, own, ready)) {
    collocation_fedcm(collocation, queue, ready, &decision);
    decision.decided = true;
  }
  own->kernel = kernel;
  own->mask = decision.mask;
  own->policy = decision.policy;
  return decision;
}

void qsm_collocation_begin(struct qsm_collocation *collocation, uint32_t queue) {
  struct collocation_queue *own = &collocation->queues[queue];
  own->running = true;
  for (qsm_collocation_mask mask = own->mask; mask; mask &= mask - 1) {
    uint32_t sm = collocation_lowest(mask);
    collocation->load[sm]++;
    for (uint32_t r = 0; r < COLLOCATION_RESOURCES; r++)
      collocation->used[sm][r] += own->kernels[own->kernel].use[r];
  }
}

void qsm_collocation_end(struct qsm_collocation *collocation, uint32_t queue) {
  struct collocation_queue *own = &collocation->queues[queue];
  own->running = false;
  for (qsm_collocation_mask mask = own->mask; mask; mask &= mask - 1) {
    uint32_t sm = collocation_lowest(mask);
    collocation->load[sm]--;
    for (uint32_t r = 0; r < COLLOCATION_RESOURCES; r++)
      collocation->used[sm][r] -= own->kernels[own->kernel].use[r];
  }
}

bool qsm_collocation_is_critical(const struct qsm_collocation *collocation, uint32_t queue,
                                 uint32_t kernel) {
  return collocation->queues[queue].kernels[kernel].critical;
}

uint32_t qsm_collocation_demand(const struct qsm_collocation_machine *machine,
                                const struct qsm_collocation_kernel *kernel) {
  uint32_t c = 1;
  qsm_collocation_mask most = (qsm_collocation_mask)kernel->time[0][machine->n_sms - 1] * 11;
  while ((qsm_collocation_mask)kernel->time[0][c - 1] * 10 > most) c++;
  return c;
}

qsm_collocation_mask qsm_collocation_profile_mask(uint32_t c) {
  return c >= QSM_COLLOCATION_MOST_SMS ? ~(qsm_collocation_mask)0 : collocation_bit(c) - 1;
}

uint64_t collocation_u(const uint32_t use[COLLOCATION_RESOURCES],
                       const uint64_t others[COLLOCATION_RESOURCES]) {
  uint64_t sum = 0, n = 0;
  for (uint32_t r = 0; r < COLLOCATION_RESOURCES; r++) {
    if (!use[r]) continue;
    n++;
    sum += others[r] ? ((uint64_t)use[r] << 32) / (use[r] + others[r]) : (uint64_t)1 << 32;
  }
  if (!n) return (uint64_t)1 << 32;
  return sum >= n ? sum / n : 1;
}

double qsm_collocation_share(const struct qsm_collocation *collocation, uint32_t queue,
                             uint32_t sm) {
  const struct collocation_queue *own = &collocation->queues[queue];
  if (!own->running || !(own->mask & collocation_bit(sm))) return 0;
  const uint32_t *use = own->kernels[own->kernel].use;
  uint64_t others[COLLOCATION_RESOURCES];
  for (uint32_t r = 0; r < COLLOCATION_RESOURCES; r++)
    others[r] = collocation->used[sm][r] - use[r];
  return (double)collocation_u(use, others) / 4294967296.0;
}
