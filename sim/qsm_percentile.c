// SPDX-License-Identifier: Apache-2.0
#include "qsm_percentile.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
  const uint64_t *left = a, *right = b;
  return (*left > *right) - (*left < *right);
}

void qsm_sort_values(uint64_t *values, size_t n) {
  if (n) qsort(values, n, sizeof *values, compare);
}

uint64_t qsm_percentile(const uint64_t *ascending, size_t n, uint32_t percent) {
  size_t rank = (n * percent + 99) / 100;
  return n ? ascending[rank ? rank - 1 : 0] : 0;
}
