// SPDX-License-Identifier: Apache-2.0
// What the suite's host programs share: a seeded generator, arrays that live on both sides, and the declarations of
// the programs themselves.
#ifndef QSM_SUITE_UTIL_H
#define QSM_SUITE_UTIL_H

#include "qsm_suite.h"

struct qsm_rng {
  uint64_t state;
};

// 32 random bits (SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
uint32_t qsm_rng_next(struct qsm_rng *rng);
// Uniform in low .. high, both included.
int32_t qsm_rng_range(struct qsm_rng *rng, int32_t low, int32_t high);

// An array in device memory with a host copy: an input's content, or what an output should become.
struct qsm_array {
  struct qsm_suite_mem mem;
  uint32_t addr; // device address
  size_t n_elements;
  size_t element_bytes;
  void *host;
};

// Allocates both sides, the host copy zeroed. Returns 0, or -1 when there is no room.
int qsm_array_create(struct qsm_array *array, const struct qsm_suite_mem *mem, size_t n_elements, size_t element_bytes);
// Copies the host side to the device.
void qsm_array_upload(const struct qsm_array *array);
// Makes every device element differ from the host copy, so that an element that no kernel writes counts as wrong.
void qsm_array_spoil(const struct qsm_array *array);
// Number of device elements that differ from the host copy; all of them when the host has no room to compare.
uint64_t qsm_array_mismatches(const struct qsm_array *array);
// Frees the host copy; device memory belongs to whoever gave it. A zeroed array is fine.
void qsm_array_destroy(struct qsm_array *array);

static inline uint32_t qsm_div_up(uint32_t dividend, uint32_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

#define QSM_SUITE_DECLARE(name)                                                                                   \
  void *qsm_##name##_create(const struct qsm_suite_mem *mem, uint64_t seed, enum qsm_suite_size size);            \
  void qsm_##name##_begin(void *job);                                                                             \
  int qsm_##name##_next(void *job, struct qsm_suite_launch *launch);                                              \
  uint64_t qsm_##name##_check(void *job);                                                                         \
  void qsm_##name##_destroy(void *job);

QSM_SUITE_DECLARE(vadd)
QSM_SUITE_DECLARE(matmul)
QSM_SUITE_DECLARE(pathfinder)
QSM_SUITE_DECLARE(conv2d)
QSM_SUITE_DECLARE(histogram)
QSM_SUITE_DECLARE(spmv)
QSM_SUITE_DECLARE(bfs)
QSM_SUITE_DECLARE(reduce)
QSM_SUITE_DECLARE(pc)
QSM_SUITE_DECLARE(stencil)

#endif
