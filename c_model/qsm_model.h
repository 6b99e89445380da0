// SPDX-License-Identifier: Apache-2.0
// The golden model: a C library equal to the RTL in every cycle. One struct qsm_model is one GPU
// with its simulated memory; any number may live side by side (no globals). Not thread-safe per
// instance; different instances may run in different threads.
#ifndef QSM_MODEL_H
#define QSM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_config.h"
#include "qsm_events.h"

struct qsm_model;

// Builds a GPU in reset (cycle 0, memory zero). Returns 0 and sets *out, or -1 with a message (bad
// configuration, no memory).
int qsm_model_create(const struct qsm_config *config, struct qsm_model **out, char *msg,
                     size_t msg_len);
void qsm_model_destroy(struct qsm_model *model);  // NULL is fine

// Number of the next cycle to run.
uint64_t qsm_model_cycle(const struct qsm_model *model);

// Runs up to n_cycles; with stop_on_irq it ends before the first cycle at whose start there is an
// interrupt, of a slot or a channel (at once if there is now). Returns the cycles run.
uint64_t qsm_model_run(struct qsm_model *model, uint64_t n_cycles, bool stop_on_irq);

// Control port accesses; each runs two cycles: in one it is chosen, in the next it is done
// (R-CP-12). Return 0, or 1 when the port answered err (*value is then 0).
int qsm_model_write(struct qsm_model *model, uint32_t addr, uint32_t value);
int qsm_model_read(struct qsm_model *model, uint32_t addr, uint32_t *value);

// The first of these cycles by itself. The next call that runs cycles has to be the access.
void qsm_model_choose(struct qsm_model *model);

// What a read would give, without a cycle; 0 where it would be refused.
uint32_t qsm_model_peek(const struct qsm_model *model, uint32_t addr);

// Device memory, config.mem_bytes bytes; the host may read and write it between calls.
uint8_t *qsm_model_memory(struct qsm_model *model);

// Every event goes to sink from now on; NULL turns reporting off. Within one run call events of
// different SMs may come out of cycle order (look-ahead); within one SM and within the GPU level
// they are ordered by cycle, and after the call all events of its cycles have been delivered.
void qsm_model_set_sink(struct qsm_model *model, qsm_event_sink sink, void *ctx);
// Likewise for memory accesses, among the events.
void qsm_model_set_access_sink(struct qsm_model *model, qsm_access_sink sink, void *ctx);

// 64-bit hash over what has happened so far, each with its cycle: issues, injected instructions,
// write-backs, quotas, samples, and all of the GPU level; equal machines give equal hashes. Off
// until enabled. Used to prove that a faster model is the same model.
void qsm_model_enable_hash(struct qsm_model *model);
uint64_t qsm_model_hash(const struct qsm_model *model);

// ---- State for comparison with the RTL (docs/lockstep.md, R-LK-3) ----
// Kinds, and what selects a word of each: enum qsm_state_kind (qsm_enums.h).
// One word of state; false where no such element exists.
bool qsm_model_state(const struct qsm_model *model, enum qsm_state_kind kind, uint32_t sm,
                     uint32_t sub, uint32_t index, uint32_t word, uint32_t *value);

// Negative control of the harness: flips one bit of a live state element of the block (names as in
// qsm_events.h, and "ctrl"), such that the lockstep sees it first in this block; chosen by `seed`,
// between two cycles. Returns 0 and describes the flip in `what`, or -1: nothing of that block is
// live now (try again later), -2: unknown block.
int qsm_model_inject(struct qsm_model *model, const char *block, uint64_t seed, char *what,
                     size_t what_len);

#endif
