// SPDX-License-Identifier: Apache-2.0
// Compares the event streams of RTL and model (docs/lockstep.md). Events of one (kind, SM,
// sub-core) form a stream, ordered by cycle on both sides; equal machines give byte-identical
// streams.
#ifndef QSM_COMPARE_H
#define QSM_COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "qsm_config.h"
#include "qsm_events.h"

enum qsm_side { QSM_SIDE_RTL, QSM_SIDE_MODEL };

struct qsm_compare;

// `side` is what stands beside the model, for text. NULL: out of memory.
struct qsm_compare *qsm_compare_create(const struct qsm_config *config, const char *side);
void qsm_compare_destroy(struct qsm_compare *compare);  // NULL is fine

// Adds an event of one side.
void qsm_compare_add(struct qsm_compare *compare, enum qsm_side side,
                     const struct qsm_event *event);

// Compares all events with cycle < before; both sides must have delivered all of those. Returns
// true while everything is equal.
bool qsm_compare_check(struct qsm_compare *compare, uint64_t before);

uint64_t qsm_compare_words(const struct qsm_compare *compare);  // payload words compared so far
uint64_t qsm_compare_cycle(const struct qsm_compare *compare);  // cycle of the first difference

// One line that names cycle, block, field and both values; then (report) the last events of that
// warp or block.
void qsm_compare_describe(const struct qsm_compare *compare, char *text, size_t n);
void qsm_compare_report(const struct qsm_compare *compare, FILE *out);

// Prints "kind field=value …" without a newline.
void qsm_event_print(FILE *out, const struct qsm_event *event);

#endif
