// SPDX-License-Identifier: Apache-2.0
#include "qsm_stacks.h"

#include <stdlib.h>

#include "qsm_heap.h"
#include "qsm_internal.h"
#include "qsm_regs.h"

enum { LEAST_LOG2 = 4, MOST_LOG2 = 16 };  // STACK

struct qsm_stacks {
  uint32_t allocation;  // on the context's heap
  uint32_t base, limit;
  uint32_t n_users;  // launches, and the context of its last one
};

static uint32_t log2_of(uint32_t bytes) {
  uint32_t log2 = LEAST_LOG2;
  while (UINT64_C(1) << log2 < bytes) log2++;
  return log2;
}

// Of all threads that can be live at a time, in images too (docs/preemption.md, tickets).
static uint64_t area_bytes(const struct qsm_config *config, qsmDim3 block, uint32_t log2) {
  uint32_t warps = (block.x * block.y * block.z + config->warp_size - 1) / config->warp_size;
  return (uint64_t)qsm_config_live_blocks(config, warps) * warps * config->warp_size << log2;
}

static bool serves(const struct qsm_stacks *stacks, uint64_t bytes, uint64_t align) {
  return stacks && stacks->limit - stacks->base >= bytes && stacks->base % align == 0;
}

void qsm_stacks_release(struct qsm_context *context, struct qsm_stacks *stacks) {
  if (!stacks || --stacks->n_users) return;
  qsm_heap_free(context->heap, stacks->allocation);
  free(stacks);
}

static struct qsm_stacks *allocate(struct qsm_context *context, uint64_t bytes, uint64_t align) {
  struct qsm_stacks *stacks = calloc(1, sizeof *stacks);
  if (!stacks) return NULL;
  stacks->allocation = qsm_heap_alloc_own(context->heap, bytes + align);
  if (!stacks->allocation) {
    free(stacks);
    return NULL;
  }
  stacks->base = (uint32_t)((stacks->allocation + align - 1) / align * align);
  stacks->limit = stacks->base + (uint32_t)bytes;
  stacks->n_users = 1;
  return stacks;
}

qsmError_t qsm_stacks_take(struct qsm_context *context, const char *kernel, qsmDim3 block,
                           uint32_t bytes, struct qsm_stacks **stacks, uint32_t *value) {
  const struct qsm_config *config = &context->device->config;
  *stacks = NULL;
  *value = 0;
  if (bytes == 0) return qsmSuccess;
  uint32_t log2 = log2_of(bytes);
  if (log2 > MOST_LOG2)
    return qsm_fail(context->device, qsmErrorInvalidLaunch,
                    "kernel %s: a stack of %u bytes, at most %u", kernel, bytes, 1u << MOST_LOG2);
  uint64_t needed = area_bytes(config, block, log2), align = (uint64_t)config->warp_size << log2;
  if (align < QSM_PAGE_BYTES) align = QSM_PAGE_BYTES;
  if (!serves(context->stacks, needed, align)) {
    qsm_stacks_release(context, context->stacks);
    context->stacks = allocate(context, needed, align);
  }
  if (!context->stacks)
    return qsm_fail(
        context->device, qsmErrorMemoryAllocation,
        "%s, kernel %s: stacks of %u bytes for all threads that can be resident need %llu bytes,"
        " the context's memory has no such piece",
        context->name, kernel, 1u << log2, (unsigned long long)(needed + align));
  context->stacks->n_users++;
  *stacks = context->stacks;
  *value = context->stacks->base | log2;
  return qsmSuccess;
}

bool qsm_stacks_serve(const struct qsm_context *context, const struct qsm_stacks *stacks,
                      uint32_t value, qsmDim3 block, uint32_t bytes) {
  uint32_t log2 = value & QSM_SLOT_STACK_LOG2_MASK;
  if (bytes == 0) return true;
  return stacks && log2 >= log2_of(bytes) &&
         stacks->limit - stacks->base >= area_bytes(&context->device->config, block, log2);
}

qsmError_t qsm_stacks_replace(struct qsm_context *context, const char *kernel, qsmDim3 block,
                              uint32_t bytes, struct qsm_stacks **stacks, uint32_t *value) {
  struct qsm_stacks *shared = context->stacks;
  qsm_stacks_release(context, *stacks);
  context->stacks = NULL;  // it is a stream's own
  qsmError_t error = qsm_stacks_take(context, kernel, block, bytes, stacks, value);
  if (!error) (*stacks)->n_users = 1;
  context->stacks = shared;
  return error;
}
