// SPDX-License-Identifier: Apache-2.0
// Energy of a measurement (docs/energy.md, R-EN-3, R-EN-4): what the counters grew by in an epoch,
// and what it took by the energies of the configuration.
#ifndef QSM_ENERGY_SUM_H
#define QSM_ENERGY_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_config.h"
#include "qsm_enums.h"
#include "qsm_runtime.h"
#include "qsm_scenario.h"

// Of a kernel in an epoch.
struct qsm_energy_kernel {
  uint64_t events[QSM_ENERGY_EVENT_COUNT];
  uint64_t owned;    // cycles of SMs that it owned
  double sm_cycles;  // these, and its part of the shared SMs'
};

// Of the machine in an epoch; SM-cycles.
struct qsm_energy_epoch {
  struct qsm_energy_kernel kernel[QSM_SCENARIO_MAX_KERNELS];
  uint64_t others;  // thread instructions of slots that no kernel of the scenario has
  uint64_t all, shared, gated, wakes;
  uint64_t sm_lanes[QSM_MAX_SMS];  // thread instructions of each SM, whoever's
};

// Thread instructions: the lanes of all classes (R-EN-3).
uint64_t qsm_energy_lanes(const uint64_t *events);
// Gives each kernel its part of the shared SMs' cycles, by the thread instructions of the epoch.
void qsm_energy_share(struct qsm_energy_epoch *epoch);
void qsm_energy_add(struct qsm_energy_epoch *sum, const struct qsm_energy_epoch *epoch);

// Joules; memory may be NULL.
double qsm_energy_of_kernel(const struct qsm_config *config, const struct qsm_energy_kernel *kernel,
                            const qsmMemoryCounters *memory);
// Of the SMs' cycles that are no kernel's, and of waking.
double qsm_energy_of_nobody(const struct qsm_config *config, const struct qsm_energy_epoch *epoch);

// What the counters show now, of a backend that can tell; and what they grew by since.
struct qsm_energy_meter;
struct qsm_backend;

struct qsm_energy_meter *qsm_energy_meter_create(
    const struct qsm_config *config);                           // NULL: no memory
void qsm_energy_meter_destroy(struct qsm_energy_meter *meter);  // NULL is fine
// slot[i]: of kernel i, UINT32_MAX: none.
void qsm_energy_meter_read(struct qsm_energy_meter *meter, struct qsm_backend *backend,
                           const uint32_t *slot, uint32_t n_kernels,
                           struct qsm_energy_epoch *epoch);

#endif
