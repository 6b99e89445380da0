// SPDX-License-Identifier: Apache-2.0
// The DMA engine: copies and fills at any byte address, several lines under way at a time
// (docs/dma.md, R-DM). It stands alone: it sends its requests through a function, and is told
// their answers.
#ifndef QSM_DMA_H
#define QSM_DMA_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_sm.h"

struct qsm_dma;

enum { QSM_DMA_MAX_ENTRIES = 16 };

// Who sends the requests: a split, and where they go, is his to add. The request is his until the
// function returns. slot 0; nc is set.
struct qsm_dma_port {
  void *ctx;  // first argument of the function
  void (*send)(void *ctx, struct qsm_mem_req *req);
};

struct qsm_dma_job {
  bool fill;
  bool link;  // over the host link
  uint32_t src, dst;
  uint32_t n_bytes;  // not 0; neither area goes over the end of the address space
  uint32_t pattern;  // of a fill
};

// After reset, before cycle 0, with a LINK_INTERVAL of 0: no limit. n_entries: a power of two, 2 ..
// QSM_DMA_MAX_ENTRIES. NULL: no memory.
struct qsm_dma *qsm_dma_create(uint32_t line_bytes, uint32_t n_entries,
                               const struct qsm_dma_port *port);
void qsm_dma_destroy(struct qsm_dma *dma);  // NULL is fine
// Back to what qsm_dma_create() gave, but for LINK_INTERVAL, which is an input.
void qsm_dma_reset(struct qsm_dma *dma);

// LINK_INTERVAL has this value from `cycle` on, the next cycle to run.
void qsm_dma_set_interval(struct qsm_dma *dma, uint64_t cycle, uint32_t interval_q8);

// A job comes in `cycle`, in which the engine is not busy.
void qsm_dma_start(struct qsm_dma *dma, uint64_t cycle, const struct qsm_dma_job *job);

// First cycle from `from` on in which the engine does anything or is done, if it may send in each,
// and no answers come but those that it was told. QSM_NEVER: none.
uint64_t qsm_dma_next(const struct qsm_dma *dma, uint64_t from);
// Does one cycle, and sends one request at most; cycles ascending, none that qsm_dma_next() names
// left out. `may_send`: the port is free (R-DM-2).
void qsm_dma_step(struct qsm_dma *dma, uint64_t cycle, bool may_send);

// The engine sees a response in `cycle`: it may be told so before, at once, or when that cycle was
// stepped. One per cycle, in the order of cycles. Returns where its line is to be put before the
// next step; NULL: nowhere (an acknowledgement, or a tag that is not the engine's).
uint32_t *qsm_dma_answer(struct qsm_dma *dma, uint64_t cycle, uint8_t tag);

// Of a cycle, when those before it are over: R-DM-8.
bool qsm_dma_is_busy(const struct qsm_dma *dma, uint64_t cycle);
bool qsm_dma_is_done(const struct qsm_dma *dma, uint64_t cycle);
// The cycle in which the last job is done. QSM_NEVER: it is not known yet, or there was none.
uint64_t qsm_dma_done_at(const struct qsm_dma *dma);

// As qsm_model_state(); `cycle` is the next one to run.
bool qsm_dma_state(const struct qsm_dma *dma, uint64_t cycle, uint32_t word, uint32_t *value);

#endif
