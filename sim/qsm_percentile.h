// SPDX-License-Identifier: Apache-2.0
// Percentiles by nearest rank.
#ifndef QSM_PERCENTILE_H
#define QSM_PERCENTILE_H

#include <stddef.h>
#include <stdint.h>

// Ascending.
void qsm_sort_values(uint64_t *values, size_t n);
// The smallest of n ascending values that percent of them do not exceed; 0 of none.
uint64_t qsm_percentile(const uint64_t *ascending, size_t n, uint32_t percent);

#endif
