// SPDX-License-Identifier: Apache-2.0
#include "qsm_heap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <utlist.h>

enum { ALIGNMENT = 256 };

// Allocations in ascending order; what lies between two is free.
struct block {
  uint64_t base, limit;
  uint64_t bytes;  // asked for
  bool own;        // the library's
  struct block *next;
};

struct qsm_heap {
  uint64_t base, limit;
  struct block *blocks;
};

struct qsm_heap *qsm_heap_create(uint32_t base, uint32_t limit) {
  struct qsm_heap *heap = calloc(1, sizeof *heap);
  if (heap) *heap = (struct qsm_heap){.base = base, .limit = limit};
  return heap;
}

void qsm_heap_destroy(struct qsm_heap *heap) {
  if (!heap) return;
  struct block *block, *next;
  LL_FOREACH_SAFE(heap->blocks, block, next) free(block);
  free(heap);
}

static uint32_t allocate(struct qsm_heap *heap, uint64_t bytes, bool own) {
  uint64_t size = ((bytes ? bytes : 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  uint64_t start = heap->base;
  struct block **link = &heap->blocks;
  while (*link && (*link)->base - start < size) {
    start = (*link)->limit;
    link = &(*link)->next;
  }
  if (size < bytes || start + size > heap->limit) return 0;
  struct block *block = malloc(sizeof *block);
  if (!block) return 0;
  *block = (struct block){
      .base = start, .limit = start + size, .bytes = bytes, .own = own, .next = *link};
  *link = block;
  return (uint32_t)start;
}

uint32_t qsm_heap_alloc(struct qsm_heap *heap, uint64_t bytes) {
  return allocate(heap, bytes, false);
}

uint32_t qsm_heap_alloc_own(struct qsm_heap *heap, uint64_t bytes) {
  return allocate(heap, bytes, true);
}

uint64_t qsm_heap_size(const struct qsm_heap *heap) { return heap->limit - heap->base; }

uint64_t qsm_heap_room(const struct qsm_heap *heap) {
  uint64_t room = qsm_heap_size(heap);
  for (const struct block *block = heap->blocks; block; block = block->next)
    room -= block->limit - block->base;
  return room;
}

int qsm_heap_find(const struct qsm_heap *heap, uint32_t address, uint32_t *base, uint64_t *bytes) {
  const struct block *block = heap->blocks;
  while (block && block->limit <= address) block = block->next;
  if (!block || block->base > address || block->own) return -1;
  *base = (uint32_t)block->base;
  *bytes = block->bytes;
  return 0;
}

int qsm_heap_free(struct qsm_heap *heap, uint32_t address) {
  for (struct block **link = &heap->blocks; *link; link = &(*link)->next) {
    if ((*link)->base != address) continue;
    struct block *block = *link;
    *link = block->next;
    free(block);
    return 0;
  }
  return -1;
}
