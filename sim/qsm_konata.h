// SPDX-License-Identifier: Apache-2.0
// Pipeline trace: each fetched instruction of each warp with its stages, in the text format of
// Konata (Kanata 0004; docs/traces.md).
#ifndef QSM_KONATA_H
#define QSM_KONATA_H

#include <stdint.h>
#include <stdio.h>

#include "qsm_config.h"
#include "qsm_events.h"

struct qsm_konata;

// Shows instructions that are fetched in cycles from .. to. NULL: out of memory.
struct qsm_konata *qsm_konata_create(const struct qsm_config *config, uint64_t from, uint64_t to,
                                     const char *const *names, uint32_t n_names, FILE *out);
// All events of a cycle, as qsm_trace_stream.h hands them over.
void qsm_konata_cycle(struct qsm_konata *konata, uint64_t cycle, const struct qsm_event *events,
                      uint32_t n);
// Ends what is in flight. The file stays open.
void qsm_konata_end(struct qsm_konata *konata);
void qsm_konata_destroy(struct qsm_konata *konata);  // NULL is fine

#endif
