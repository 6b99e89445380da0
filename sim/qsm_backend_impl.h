// SPDX-License-Identifier: Apache-2.0
// Constructors of the backends, for qsm_backend.c only.
#ifndef QSM_BACKEND_IMPL_H
#define QSM_BACKEND_IMPL_H

#include "qsm_backend.h"
#include "qsm_rtl.h"

struct qsm_model;

#define QSM_DEVICE_MEMORY_BASE 0x80000000u

int qsm_backend_model_open(const struct qsm_config *config,
                           const struct qsm_backend_options *options, struct qsm_backend **out,
                           char *msg, size_t msg_len);
int qsm_backend_rtl_open(const struct qsm_config *config, const struct qsm_backend_options *options,
                         struct qsm_backend **out, char *msg, size_t msg_len);
int qsm_backend_lockstep_open(const struct qsm_config *config,
                              const struct qsm_backend_options *options, struct qsm_backend **out,
                              char *msg, size_t msg_len);
// `name` is what stands behind "serial:" (docs/link.md).
int qsm_backend_serial_open(const char *name, const struct qsm_config *config,
                            const struct qsm_backend_options *options, struct qsm_backend **out,
                            char *msg, size_t msg_len);

// The same with the model beside it; `name` is what stands behind "checked:serial:".
int qsm_backend_checked_open(const char *name, const struct qsm_config *config,
                             const struct qsm_backend_options *options, struct qsm_backend **out,
                             char *msg, size_t msg_len);

// What is Verilated of a configuration: its RTL from build/rtl, the RTL that writes waveforms from
// build/rtl-trace, or its netlist from build/netlist, as the options ask. Stays loaded until the
// process ends.
int qsm_rtl_load(const struct qsm_config *config, const struct qsm_backend_options *options,
                 const struct qsm_rtl_api **api, char *msg, size_t msg_len);

// Zeros for a part of a simulated memory.
void qsm_clear_memory(uint8_t *bytes, size_t n_bytes);

// Cycles at whose start somebody looks (backend function `look_at`).
struct qsm_looks {
  uint64_t next, period;
  void (*look)(void *ctx);  // NULL: nobody
  void *ctx;
};
// Before the cycle runs.
static inline void qsm_look(struct qsm_looks *looks, uint64_t cycle) {
  if (!looks->look || cycle != looks->next) return;
  looks->next += looks->period;
  looks->look(looks->ctx);
}
// Of n cycles those until the next look.
static inline uint64_t qsm_until_look(const struct qsm_looks *looks, uint64_t cycle, uint64_t n) {
  return looks->look && looks->next > cycle && looks->next - cycle < n ? looks->next - cycle : n;
}

// The backend function `stalls` of a model.
void qsm_model_stalls(const struct qsm_model *model, const struct qsm_config *config,
                      qsm_stall_sink each, void *ctx);

#endif
