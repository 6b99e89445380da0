// SPDX-License-Identifier: Apache-2.0
// One interface to a GPU, five implementations: the C model, the Verilated RTL, both in lockstep,
// a GPU on a board, and one with the model beside it. libqsm and the `qsm` command see only this.
// Time advances only inside these calls, by the same number of cycles in every backend.
#ifndef QSM_BACKEND_H
#define QSM_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_config.h"
#include "qsm_events.h"

enum qsm_backend_status {
  QSM_BACKEND_OK = 0,
  QSM_BACKEND_REFUSED = 1,  // the control port answered err
  QSM_BACKEND_FAILED =
      -1,  // the backend cannot go on; error() says why (lockstep: a difference was found)
};

struct qsm_backend_options {
  const char *out_dir;  // lockstep: where a difference's report and waveform go; may be NULL
  const char
      *replay;    // command line that replays this run, printed in a difference report; may be NULL
  uint64_t seed;  // printed in a difference report
  const char *wave_path;  // rtl: FST to write, or NULL; the tracing build of the RTL is used then
  uint64_t wave_from, wave_to;  // cycles that the FST covers
  uint64_t state_interval;      // lockstep: full state comparison every so many cycles (0: only at
                                // launch ends)
  const char *inject_block;     // negative control: flip one bit of this block in the model at
                                // inject_cycle; NULL: none
  uint64_t inject_cycle;
  bool netlist;         // rtl, lockstep: the netlist in place of the RTL (docs/netlist.md)
  bool hash;            // model, lockstep: hash what happens, for trace_hash()
  qsm_event_sink sink;  // gets the events (of the model in lockstep), SMs up to noc_lat cycles
                        // ahead of each other; NULL: none
  void *sink_ctx;
  qsm_access_sink access_sink;  // model: gets the memory accesses too; NULL: none
  void *access_sink_ctx;
};

typedef void (*qsm_stall_sink)(void *ctx, uint32_t kernel, uint32_t reason, uint32_t value);

struct qsm_lockstep_stats {
  uint64_t cycles_compared;
  uint64_t fields_compared;  // words of events and of state
  bool differs;
  uint64_t difference_cycle;
  char first_difference[512];  // one line: cycle, block, field, both values; empty when equal
};

struct qsm_backend {
  const char *name;  // "model", "rtl", "lockstep", "serial", "checked"
  void (*close)(struct qsm_backend *);
  uint64_t (*cycle)(struct qsm_backend *);
  // Accesses of the control port: two cycles each (R-CP-12).
  enum qsm_backend_status (*write)(struct qsm_backend *, uint32_t addr, uint32_t value);
  enum qsm_backend_status (*read)(struct qsm_backend *, uint32_t addr, uint32_t *value);
  // Runs up to n cycles, with stop_on_irq as in qsm_model_run; *ran gets the cycles run.
  enum qsm_backend_status (*run)(struct qsm_backend *, uint64_t n, bool stop_on_irq, uint64_t *ran);
  void (*mem_write)(struct qsm_backend *, uint32_t addr, const void *src,
                    size_t bytes);  // no time passes
  void (*mem_read)(struct qsm_backend *, uint32_t addr, void *dst, size_t bytes);
  void (*mem_clear)(struct qsm_backend *, uint32_t addr, size_t bytes);  // to zeros
  const char *(*error)(struct qsm_backend *);  // text of the last failure, "" if none
  // The counters of R-IS-6 of all sub-cores, now, in no time; NULL where the backend cannot tell.
  void (*stalls)(struct qsm_backend *, qsm_stall_sink each, void *ctx);
  // Likewise a word of state (qsm_model_state), and a register as a read would show it, 0 where
  // there is none.
  bool (*state)(struct qsm_backend *, enum qsm_state_kind kind, uint32_t sm, uint32_t index,
                uint32_t word, uint32_t *value);
  uint32_t (*peek)(struct qsm_backend *, uint32_t addr);
  // Calls `look` at the start of cycle `first`, and of each one `period` later, whoever lets time
  // pass; it lets none pass itself. NULL: not any more.
  void (*look_at)(struct qsm_backend *, uint64_t first, uint64_t period, void (*look)(void *ctx),
                  void *ctx);
  // Of all that happened so far (qsm_model_hash); NULL unless options.hash was set, and in rtl.
  uint64_t (*trace_hash)(struct qsm_backend *);
  void (*lockstep_stats)(struct qsm_backend *,
                         struct qsm_lockstep_stats *);  // NULL but for lockstep and checked
};

// Opens "model", "rtl", "lockstep", "serial:DEVICE" or "checked:serial:DEVICE" (docs/link.md).
// Returns 0 and sets *out, or -1 with a message (unknown name, RTL of this configuration not built,
// …). options may be NULL.
int qsm_backend_open(const char *name, const struct qsm_config *config,
                     const struct qsm_backend_options *options, struct qsm_backend **out, char *msg,
                     size_t msg_len);

// NULL-terminated list of block names that inject_block takes.
const char *const *qsm_backend_inject_blocks(void);

#endif
