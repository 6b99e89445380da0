// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite_util.h"

#include <stdlib.h>
#include <string.h>

uint32_t qsm_rng_next(struct qsm_rng *rng) {
  rng->state += 0x9E3779B97F4A7C15u;
  uint64_t z = rng->state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ (z >> 31)) >> 32);
}

int32_t qsm_rng_range(struct qsm_rng *rng, int32_t low, int32_t high) {
  uint64_t span = (uint64_t)((int64_t)high - low + 1);
  return (int32_t)(low + (int64_t)(qsm_rng_next(rng) * span >> 32));
}

int qsm_array_create(struct qsm_array *array, const struct qsm_suite_mem *mem, size_t n_elements,
                     size_t element_bytes) {
  void *host = calloc(n_elements, element_bytes);
  if (host == NULL) return -1;
  uint32_t addr = mem->alloc(mem->ctx, n_elements * element_bytes);
  if (addr == 0) {
    free(host);
    return -1;
  }
  *array = (struct qsm_array){
      .mem = *mem, .addr = addr, .n_elements = n_elements, .element_bytes = element_bytes, .host = host};
  return 0;
}

void qsm_array_upload(const struct qsm_array *array) {
  array->mem.write(array->mem.ctx, array->addr, array->host, array->n_elements * array->element_bytes);
}

void qsm_array_spoil(const struct qsm_array *array) {
  enum { PIECE = 4096 };
  const uint8_t *host = array->host;
  size_t n_bytes = array->n_elements * array->element_bytes;
  uint8_t piece[PIECE];
  for (size_t done = 0; done < n_bytes; done += PIECE) {
    size_t n = n_bytes - done < PIECE ? n_bytes - done : PIECE;
    for (size_t i = 0; i < n; i++) piece[i] = (uint8_t)~host[done + i];
    array->mem.write(array->mem.ctx, array->addr + (uint32_t)done, piece, n);
  }
}

uint64_t qsm_array_mismatches(const struct qsm_array *array) {
  size_t size = array->element_bytes;
  uint8_t *device = malloc(array->n_elements * size);
  if (device == NULL) return array->n_elements;
  array->mem.read(array->mem.ctx, array->addr, device, array->n_elements * size);
  uint64_t n_wrong = 0;
  for (size_t i = 0; i < array->n_elements; i++) {
    n_wrong += memcmp(device + i * size, (const uint8_t *)array->host + i * size, size) != 0;
  }
  free(device);
  return n_wrong;
}

void qsm_array_destroy(struct qsm_array *array) {
  free(array->host);
  array->host = NULL;
}
