// SPDX-License-Identifier: Apache-2.0
// What an SM reports.
#include "qsm_sm_trace.h"

#include <string.h>

#include "qsm_sm_blocks.h"

void qsm_sm_event(struct qsm_sm *sm, uint64_t cycle, enum qsm_event_kind kind, uint32_t sub,
                  const uint32_t *words, uint32_t n) {
  struct qsm_event event = {.cycle = cycle,
                            .kind = (uint8_t)kind,
                            .sm = (uint8_t)sm->index,
                            .sub = (uint8_t)sub,
                            .n_words = (uint8_t)n};
  memcpy(event.word, words, n * sizeof *words);
  sm->trace.sink(sm->trace.sink_ctx, &event);
}

void qsm_sm_record(struct qsm_sm *sm, uint64_t cycle, enum qsm_event_kind kind, uint32_t sub,
                   const uint32_t *words, uint32_t n) {
  struct qsm_sm_trace *trace = &sm->trace;
  if (trace->sink) qsm_sm_event(sm, cycle, kind, sub, words, n);
  if (!trace->hashing) return;
  uint64_t hash = qsm_hash_mix(qsm_hash_mix(trace->hash, cycle), (uint64_t)kind << 8 | sub);
  for (uint32_t i = 0; i < n; i++) hash = qsm_hash_mix(hash, words[i]);
  trace->hash = hash;
}

void qsm_sm_set_sink(struct qsm_sm *sm, qsm_event_sink sink, void *ctx) {
  sm->trace.sink = sink;
  sm->trace.sink_ctx = ctx;
  sm->trace.watched = sink || sm->trace.hashing;
}

void qsm_sm_set_access_sink(struct qsm_sm *sm, qsm_access_sink sink, void *ctx) {
  sm->trace.access_sink = sink;
  sm->trace.access_sink_ctx = ctx;
}

void qsm_sm_enable_hash(struct qsm_sm *sm) {
  sm->trace.hashing = true;
  sm->trace.watched = true;
  if (sm->trace.hash == 0) sm->trace.hash = 1;
}

uint64_t qsm_sm_hash(const struct qsm_sm *sm) { return sm->trace.hash; }
