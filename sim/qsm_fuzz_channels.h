// SPDX-License-Identifier: Apache-2.0
// Random tenants and a random driver of command channels (docs/front.md), for `qsm fuzz`: rings,
// contexts and descriptors, good and bad ones, and what a host does beside them.
#ifndef QSM_FUZZ_CHANNELS_H
#define QSM_FUZZ_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_random.h"

enum {
  QSM_FUZZ_CHANNELS = 8,  // that take part, at most
  // Of the channels' memory: rings, contexts, descriptors; before it the programs, after it
  // nothing.
  QSM_FUZZ_RING_COMMANDS = 128,  // largest
};

struct qsm_fuzz_channel {
  uint32_t log2, tail;
  bool is_open;
};

struct qsm_fuzz_channels {
  struct qsm_backend *gpu;
  const struct qsm_config *config;
  struct qsm_random *random;
  uint32_t
      base;  // of the channels' memory, which has programs and, behind them, data like a slot's
  uint32_t at_once;  // address of a program that ends at once
  uint32_t data;     // address of QSM_FUZZ_DATA_BYTES, window 1
  uint32_t limit;    // of window 1, behind the save area
  uint32_t lists;    // address of QSM_FUZZ_LISTS_BYTES for rings, contexts and descriptors
  uint32_t host;     // address of a page in them, the host window
  uint32_t split;
  uint32_t n;          // channels that take part
  uint32_t slots;      // FRONT_SLOTS, as it was written last
  uint32_t semaphore;  // value that grows
  struct qsm_fuzz_channel channel[QSM_FUZZ_CHANNELS];
  uint64_t commands, stops;
};

enum { QSM_FUZZ_LISTS_BYTES = 4096 * (QSM_FUZZ_CHANNELS + 3) };

// Mode, slots and first channels. The struct is filled up to `split`, the program is in memory.
enum qsm_backend_status qsm_fuzz_channels_start(struct qsm_fuzz_channels *channels);
// One thing that a tenant, the driver or somebody else does.
enum qsm_backend_status qsm_fuzz_channels_step(struct qsm_fuzz_channels *channels);
// Channels' interrupts are looked at and cleared; stopped ones begin anew.
enum qsm_backend_status qsm_fuzz_channels_serve(struct qsm_fuzz_channels *channels);

#endif
