// SPDX-License-Identifier: Apache-2.0
// First-fit allocator of a context's device memory; the bookkeeping lives on the host.
#ifndef QSM_HEAP_H
#define QSM_HEAP_H

#include <stdint.h>

struct qsm_heap;

struct qsm_heap *qsm_heap_create(uint32_t base,
                                 uint32_t limit);                // NULL when the host has no memory
void qsm_heap_destroy(struct qsm_heap *heap);                    // NULL is fine
uint32_t qsm_heap_alloc(struct qsm_heap *heap, uint64_t bytes);  // aligned to 256; 0: no room
uint32_t qsm_heap_alloc_own(
    struct qsm_heap *heap,
    uint64_t bytes);  // the same for the library itself: qsm_heap_find does not find it
uint64_t qsm_heap_room(const struct qsm_heap *heap);         // bytes that are free, maybe in pieces
uint64_t qsm_heap_size(const struct qsm_heap *heap);         // free or not
int qsm_heap_free(struct qsm_heap *heap, uint32_t address);  // -1: not the start of an allocation
// The allocation that the address lies in, up to the next multiple of 256 after it; *bytes is what
// was asked for. -1: none, and *base and *bytes stay as they are.
int qsm_heap_find(const struct qsm_heap *heap, uint32_t address, uint32_t *base, uint64_t *bytes);

#endif
