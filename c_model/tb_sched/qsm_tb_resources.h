// SPDX-License-Identifier: Apache-2.0
// What thread blocks take on an SM, and whether one more fits (docs/tb_sched.md, R-TB-10). The
// tables belong to the TB scheduler; the adjuster asks the same questions of copies.
#ifndef QSM_TB_RESOURCES_H
#define QSM_TB_RESOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_config.h"
#include "qsm_sm.h"

enum { QSM_MAX_TB_SLOTS = 32, QSM_MAX_SCHED = 4 };

// What is free on an SM.
struct qsm_tb_free {
  uint32_t tbs;       // bit map of TB slots
  uint32_t granules;  // bit map
  uint32_t warps[QSM_MAX_SCHED];
  uint32_t first;  // sub-core of the next TB's first warp, if it fits so
};

// Where a TB is.
struct qsm_tb_place {
  uint8_t tb, first, base;
};

struct qsm_tb_entry {
  uint8_t kernel;
  struct qsm_tb_place place;
  uint16_t ticket;
  uint64_t age;  // dispatches before it, of all SMs
};

struct qsm_tb_table {
  struct qsm_tb_free free;
  uint32_t cnt[QSM_MAX_KERNELS];
  uint32_t target[QSM_MAX_KERNELS];
  struct qsm_tb_entry tb[QSM_MAX_TB_SLOTS];
};

static inline uint32_t qsm_tb_used(const struct qsm_config *config,
                                   const struct qsm_tb_free *free) {
  return ~free->tbs & UINT32_MAX >> (32 - config->max_tbs);
}

void qsm_tb_free_reset(const struct qsm_config *config, struct qsm_tb_free *free);
// Where the next TB of this shape goes; false: it does not fit, *place is untouched.
bool qsm_tb_fits(const struct qsm_config *config, const struct qsm_tb_free *free,
                 const struct qsm_desc *desc, struct qsm_tb_place *place);
// A dispatch takes the place and moves `first` on; a retirement gives the place back.
void qsm_tb_take(const struct qsm_config *config, struct qsm_tb_free *free,
                 const struct qsm_desc *desc, struct qsm_tb_place place);
void qsm_tb_give_back(const struct qsm_config *config, struct qsm_tb_free *free,
                      const struct qsm_desc *desc, struct qsm_tb_place place);
// The kernel's youngest TB among `slots`, a bit map (P3): -1 if there is none.
int qsm_tb_youngest(const struct qsm_tb_table *table, uint32_t slots, uint32_t kernel);

#endif
