// SPDX-License-Identifier: Apache-2.0
// How many commands the front end does in a thousand cycles, and how long a launch takes from PUT
// to its first instruction (docs/front.md), on a model of its own for each measurement.
#ifndef QSM_CHANNEL_SPEED_H
#define QSM_CHANNEL_SPEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_config.h"

// Commands of a ring, all alike. What they write is compared with what they must.
enum qsm_speed_kind {
  QSM_SPEED_NOP,
  QSM_SPEED_RELEASE,
  QSM_SPEED_ACQUIRE,  // of a word that has the value
  QSM_SPEED_FILL,     // 16 bytes
  QSM_SPEED_COPY,
  QSM_SPEED_GOAL,
  QSM_SPEED_BUDGET,
  QSM_SPEED_MASK,
  QSM_SPEED_LAUNCH,  // a warp that ends at once
  QSM_SPEED_OWN,     // likewise, with SMs and a cache policy of its own
  QSM_SPEED_KINDS
};
extern const char *const qsm_speed_kinds[QSM_SPEED_KINDS];
enum { QSM_SPEED_MOST_EACH = 127 };

struct qsm_speed_setting {
  const struct qsm_config *config;
  enum qsm_speed_kind kind;
  bool concurrent;
  uint32_t n_channels;  // that have commands
  uint32_t n_each;      // commands of a channel, up to QSM_SPEED_MOST_EACH
  uint64_t seed;        // of values, and of the cycles in which launches are submitted
};

// Cycles from the first write of PUT until all commands of all channels have ended. 0, or -1 with a
// text: a wrong value, a channel that was stopped, one that does not end.
int qsm_speed_of_commands(const struct qsm_speed_setting *setting, uint64_t *n_cycles, char *msg,
                          size_t msg_len);

struct qsm_speed_latency {
  uint32_t n;                      // launches measured
  uint64_t least, sum, most;       // cycles from PUT's write to the first issue
  uint64_t decode_sum, start_sum;  // to DECODE, and until the slot has its launch
  uint32_t turns_sum, turns_most;  // commands of others that were finished in between
};

// So many launches of a channel more, one after the other, each at a random time, while the
// channels of the setting have commands all the time. n_channels 0: the GPU is idle; then the first
// launch is counted alone, as *cold. Error too: one of the others had nothing to do.
int qsm_speed_of_launches(const struct qsm_speed_setting *setting, uint32_t n,
                          struct qsm_speed_latency *cold, struct qsm_speed_latency *warm, char *msg,
                          size_t msg_len);

#endif
