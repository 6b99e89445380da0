// SPDX-License-Identifier: Apache-2.0
// Where the lines of a tenant with a part of the memory lie (docs/xbar.md, R-XB-6).
#ifndef QSM_PARTITION_H
#define QSM_PARTITION_H

#include <stddef.h>
#include <stdint.h>

#include "qsm_config.h"

// Addresses up to the next multiple of so many bytes stay neighbours.
static inline uint32_t qsm_partition_run_bytes(const struct qsm_config *config, uint32_t split) {
  return qsm_config_line_bytes(config) * (config->num_channels >> split);
}

// `addr` as memory sees it. `split`: MEM_SPLIT, 0 .. log2(num_channels), with partition_bits > 0.
static inline uint32_t qsm_partition_address(const struct qsm_config *config, uint32_t split,
                                             uint32_t addr) {
  const uint32_t top = UINT32_C(1) << config->partition_bits, part_bytes = top >> split;
  const uint32_t run = qsm_partition_run_bytes(config, split);
  const uint32_t part = (addr & (top - 1)) / part_bytes, between = (addr & (part_bytes - 1)) / run;
  return (addr & ~(top - 1)) | between * (run << split) | part * run | (addr & (run - 1));
}

// Of `bytes` from `addr` on, how many lie beside each other in memory, from *place on. A split of 0
// may be that of a GPU without a partition.
static inline size_t qsm_partition_piece(const struct qsm_config *config, uint32_t split,
                                         uint32_t addr, size_t bytes, uint32_t *place) {
  *place = split ? qsm_partition_address(config, split, addr) : addr;
  const uint32_t run = qsm_partition_run_bytes(config, split), left = run - addr % run;
  return split && bytes > left ? left : bytes;
}

#endif
