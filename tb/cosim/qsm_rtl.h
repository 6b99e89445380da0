// SPDX-License-Identifier: Apache-2.0
// C interface to the Verilated GPU with its simulated memory: one shared object per configuration,
// opened at run time. The one C++ file behind it is qsm_rtl_shim.cpp.
#ifndef QSM_RTL_H
#define QSM_RTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_config.h"
#include "qsm_events.h"

struct qsm_rtl;

struct qsm_rtl_control {
  bool valid, write;
  uint32_t addr;
  uint32_t wdata;
};

struct qsm_rtl_answer {
  bool done;  // else it comes with a later cycle
  bool err;
  uint32_t rdata;
};

// One word of state as the RTL holds it at the start of a cycle; kinds as enum qsm_state_kind.
typedef void (*qsm_rtl_state_sink)(void *ctx, uint32_t kind, uint32_t sm, uint32_t sub,
                                   uint32_t index, uint32_t word, uint32_t value);

// What both sides of the interface must agree on, as text: one that was built from other
// enumerations (events among them) or parameters is refused.
#define QSM_RTL_PARAMETER_TEXT(key, sv, kind, least, largest) #key "\n"
#define QSM_RTL_INTERFACE                                           \
  QSM_ENUMS_DIGEST "\n" QSM_CONFIG_HARDWARE(QSM_RTL_PARAMETER_TEXT) \
      QSM_CONFIG_ENVIRONMENT(QSM_RTL_PARAMETER_TEXT)

struct qsm_rtl_api {
  const char *interface;  // QSM_RTL_INTERFACE
  // A netlist (docs/netlist.md): of events only those of its ports are reported, and no state.
  bool at_ports;
  // Builds the GPU and takes it through reset. NULL with a message when the shared object was built
  // for another configuration. seed: of what a netlist holds before the reset.
  struct qsm_rtl *(*create)(const struct qsm_config *config, uint64_t seed, const char *wave_path,
                            uint64_t wave_from, uint64_t wave_to, char *msg, size_t msg_len);
  void (*destroy)(struct qsm_rtl *);
  // Runs one cycle; control may be NULL, and is the next access only when the one before it has its
  // answer. *answer (may be NULL) gets the control port's answer, if it is there at the end.
  void (*cycle)(struct qsm_rtl *, const struct qsm_rtl_control *control,
                struct qsm_rtl_answer *answer);
  bool (*irq)(const struct qsm_rtl *);  // at the start of the next cycle
  uint8_t *(*memory)(struct qsm_rtl *);
  void (*set_sink)(struct qsm_rtl *, qsm_event_sink sink, void *ctx);
  // The next cycle() reports all state to the sink as it is at that cycle's start.
  void (*dump_state)(struct qsm_rtl *, qsm_rtl_state_sink sink, void *ctx);
  // Number of failed assertions so far, and the text of the first.
  uint64_t (*assertions_failed)(const struct qsm_rtl *, const char **first);
};

// Symbol of the shared object: `const struct qsm_rtl_api qsm_rtl_api`.
#define QSM_RTL_API_SYMBOL "qsm_rtl_api"

#endif
