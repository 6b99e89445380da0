// SPDX-License-Identifier: Apache-2.0
// What an SM sees in one cycle: the messages of the cycle, for the blocks that act on them.
#ifndef QSM_INBOX_H
#define QSM_INBOX_H

#include <stdbool.h>
#include <stdint.h>

struct qsm_inbox {
  uint32_t start, kill, arrive, restore;  // bit per kernel; arrive: restored blocks too
  bool tick, sample, load, icache_inv, gate, wake;
  uint8_t scheme, keep;  // of the load message
};

#endif
