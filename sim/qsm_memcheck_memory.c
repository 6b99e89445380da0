// SPDX-License-Identifier: Apache-2.0
#include "qsm_memcheck_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct allocation {
  uint32_t base;
  uint64_t bytes;
  bool freed;
};

struct qsm_mc_memory {
  uint32_t base, limit;
  uint8_t *state;  // enum qsm_mc_state of each byte
  size_t n_allocations;
  struct allocation *allocations;  // in the order in which they were made, freed ones too
};

struct qsm_mc_memory *qsm_mc_memory_create(uint32_t base, uint32_t limit) {
  struct qsm_mc_memory *memory = calloc(1, sizeof *memory);
  if (!memory) return NULL;
  *memory = (struct qsm_mc_memory){.base = base, .limit = limit, .state = calloc(1, limit - base)};
  if (memory->state) return memory;
  free(memory);
  return NULL;
}

void qsm_mc_memory_destroy(struct qsm_mc_memory *memory) {
  if (!memory) return;
  free(memory->allocations);
  free(memory->state);
  free(memory);
}

static bool is_inside(const struct qsm_mc_memory *memory, uint32_t address, uint64_t bytes) {
  return address >= memory->base && address + bytes <= memory->limit;
}

static void set_state(struct qsm_mc_memory *memory, uint32_t address, uint64_t bytes,
                      enum qsm_mc_state state) {
  if (is_inside(memory, address, bytes))
    memset(memory->state + (address - memory->base), (int)state, bytes);
}

int qsm_mc_memory_allocate(struct qsm_mc_memory *memory, uint32_t address, size_t bytes) {
  struct allocation *grown =
      realloc(memory->allocations, (memory->n_allocations + 1) * sizeof *grown);
  if (!grown) return -1;
  memory->allocations = grown;
  grown[memory->n_allocations++] = (struct allocation){.base = address, .bytes = bytes};
  set_state(memory, address, bytes, QSM_MC_UNINITIALISED);
  return 0;
}

void qsm_mc_memory_free(struct qsm_mc_memory *memory, uint32_t address) {
  for (size_t i = 0; i < memory->n_allocations; i++) {
    struct allocation *allocation = &memory->allocations[i];
    if (allocation->base != address || allocation->freed) continue;
    allocation->freed = true;
    set_state(memory, address, allocation->bytes, QSM_MC_NOWHERE);
  }
}

void qsm_mc_memory_write(struct qsm_mc_memory *memory, uint32_t address, size_t bytes) {
  set_state(memory, address, bytes, QSM_MC_INITIALISED);
}

void qsm_mc_memory_spoil(struct qsm_mc_memory *memory, uint32_t address, size_t bytes) {
  set_state(memory, address, bytes, QSM_MC_UNINITIALISED);
}

enum qsm_mc_state qsm_mc_memory_look(const struct qsm_mc_memory *memory, uint32_t address,
                                     uint32_t bytes) {
  if (!is_inside(memory, address, bytes)) return QSM_MC_FOREIGN;
  uint8_t worst = QSM_MC_INITIALISED;
  for (uint32_t i = 0; i < bytes; i++) {
    uint8_t state = memory->state[address - memory->base + i];
    if (state < worst) worst = state;
  }
  return (enum qsm_mc_state)worst;
}

void qsm_mc_memory_store(struct qsm_mc_memory *memory, uint32_t address, uint32_t bytes) {
  if (!is_inside(memory, address, bytes)) return;
  for (uint32_t i = 0; i < bytes; i++) {
    uint8_t *state = &memory->state[address - memory->base + i];
    if (*state == QSM_MC_UNINITIALISED) *state = QSM_MC_INITIALISED;
  }
}

// ---- The allocation near an address ----

static uint64_t distance(const struct allocation *allocation, uint32_t address) {
  uint64_t end = allocation->base + allocation->bytes;
  if (address < allocation->base) return allocation->base - address;
  return address < end ? 0 : address - end + 1;
}

// The nearest one, of several the last: what was made later at the same place. A freed one counts
// for its own bytes only.
static const struct allocation *nearest(const struct qsm_mc_memory *memory, uint32_t address) {
  const struct allocation *best = NULL;
  for (size_t i = 0; i < memory->n_allocations; i++) {
    const struct allocation *allocation = &memory->allocations[i];
    uint64_t away = distance(allocation, address);
    if (allocation->freed && away) continue;
    if (!best || away <= distance(best, address)) best = allocation;
  }
  return best;
}

void qsm_mc_memory_describe(const struct qsm_mc_memory *memory, uint32_t address, char *text,
                            size_t text_len) {
  const struct allocation *allocation = nearest(memory, address);
  if (!allocation) {
    snprintf(text, text_len, "there are no allocations");
    return;
  }
  uint64_t end = allocation->base + allocation->bytes;
  char where[64];
  if (address < allocation->base)
    snprintf(where, sizeof where, "%u bytes before", allocation->base - address);
  else if (address < end)
    snprintf(where, sizeof where, "offset %u of", address - allocation->base);
  else
    snprintf(where, sizeof where, "%llu bytes past the end of",
             (unsigned long long)(address - end));
  snprintf(text, text_len, "%s %sallocation %zu (0x%08X, %llu bytes)", where,
           allocation->freed ? "freed " : "", (size_t)(allocation - memory->allocations),
           allocation->base, (unsigned long long)allocation->bytes);
}
