// SPDX-License-Identifier: Apache-2.0
// What the tests of the model share: configurations, a seeded generator, and SMs that only take
// notes, for tests of one GPU-level block.
#ifndef MODEL_SUPPORT_H
#define MODEL_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_config.h"

// Small machines of different shapes: one SM; three odd SMs; four SMs with two channels; eight SMs
// with four.
struct qsm_config model_tiny(void);
struct qsm_config model_odd(void);
struct qsm_config model_demo(void);
struct qsm_config model_wide(void);

// xorshift64*; the state must not be 0. Uniform in 0 .. n - 1.
uint32_t model_random(uint64_t *state, uint32_t n);
// The seed of a random test: QSM_TEST_SEED or a fixed one. Prints it with the command that replays
// the test.
uint64_t model_seed(const char *test);

// A brief run (QSM_TEST_BRIEF) does on one machine what others do on several.
bool model_brief_run(void);

// SMs that note what they are sent, and the events that the block reports.
enum { NOTES_MAX = 4096 };

struct noted_msg {
  uint32_t sm;
  struct qsm_sm_msg msg;
};

// A memory response to an SM, with its line.
struct line_rsp {
  uint64_t cycle;
  uint8_t tag;
  uint32_t data[QSM_MAX_LANES];
};

struct noted_rsp {
  uint32_t sm;
  struct line_rsp rsp;
};

struct notes {
  struct qsm_bus bus;  // ctx is the notes
  uint32_t n_msgs, n_rsps, n_events;
  struct noted_msg msg[NOTES_MAX];
  struct noted_rsp rsp[NOTES_MAX];
  struct qsm_event event[NOTES_MAX];
  uint32_t insn[QSM_MAX_SMS][QSM_MAX_KERNELS];  // what snap_insn answers
  int32_t c[QSM_MAX_SMS][QSM_MAX_KERNELS];      // what snap_c answers
  uint32_t idle[QSM_MAX_SMS][QSM_MAX_KERNELS];  // what snap_idle answers
};

// Owned by the caller: free with notes_destroy().
struct notes *notes_create(void);
void notes_destroy(struct notes *notes);
// The n-th message (from 0) of a kind to an SM; NULL: there is none.
const struct qsm_sm_msg *notes_find(const struct notes *notes, uint32_t sm,
                                    enum qsm_sm_msg_kind kind, uint32_t n);
// The n-th event of a kind; NULL: there is none.
const struct qsm_event *notes_event(const struct notes *notes, enum qsm_event_kind kind,
                                    uint32_t n);

#endif
