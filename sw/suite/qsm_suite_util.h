// SPDX-License-Identifier: Apache-2.0
// What the suite's host programs share: a seeded generator, and arrays that live on both sides.
#ifndef QSM_SUITE_UTIL_H
#define QSM_SUITE_UTIL_H

#include "qsm_suite.h"

struct qsm_rng {
  uint64_t state;
};

// 32 random bits (SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014).
uint32_t qsm_rng_next(struct qsm_rng *rng);
// Uniform in low .. high, both included.
int32_t qsm_rng_range(struct qsm_rng *rng, int32_t low, int32_t high);
// One of 2^24 values evenly spread over low .. high, `high` itself not included but for rounding.
float qsm_rng_float(struct qsm_rng *rng, float low, float high);

// What a pass does with an array.
enum qsm_role {
  QSM_INPUT,    // written once
  QSM_OUTPUT,   // must become the host copy; begins as something else, so that an element that no
                // kernel writes is wrong
  QSM_STATE,    // must become the host copy; begins as `start`
  QSM_SCRATCH,  // belongs to the kernels; begins as something
};

// An array in device memory with a host copy: an input's content, or what an output should become.
struct qsm_array {
  struct qsm_suite_mem mem;
  enum qsm_role role;
  uint32_t addr;                         // device address, of the set in use
  uint32_t places[QSM_SUITE_MOST_SETS];  // of each set; an input's is the same in all
  size_t n_elements;
  size_t element_bytes;
  void *host;
  void *start;  // of QSM_STATE, as large as host
};

// What every job begins with.
struct qsm_job {
  const struct qsm_suite_program *program;
  struct qsm_suite_mem mem;
  struct qsm_array *arrays[10];
  uint32_t n_arrays;
  uint32_t n_sets;
  uint32_t n_launched;  // launches of this pass so far
  int has_reference;    // the host copies of outputs are what they should become
};

// Makes `array`, a member of the job, on both sides, the host's zeroed. Returns 0, or -1 when there
// is no room.
int qsm_array_create(struct qsm_job *job, struct qsm_array *array, enum qsm_role role,
                     size_t n_elements, size_t element_bytes);
// Copies the host side to the device.
void qsm_array_upload(const struct qsm_array *array);
// Number of device elements that differ from the host copy; all of them when the host has no room
// to compare.
uint64_t qsm_array_mismatches(const struct qsm_array *array);

// Device addresses of what a launch reads and writes.
struct qsm_from_to {
  uint32_t from, to;
};

// Of step `i` of n_steps that alternate between `scratch` and `result` so that the last one writes
// the result; the first one reads `start`.
struct qsm_from_to qsm_alternate(const struct qsm_array *start, const struct qsm_array *scratch,
                                 const struct qsm_array *result, uint32_t i, uint32_t n_steps);

// For qsort: uint32_t in ascending order.
int qsm_ascending_words(const void *a, const void *b);

static inline uint32_t qsm_div_up(uint32_t dividend, uint32_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

#endif
