// SPDX-License-Identifier: Apache-2.0
// exact: the hardware's own counters (R-AC-13).
#include <string.h>

#include "qsm_accounting_internal.h"

static void begin(struct qsm_accounting *accounting, uint64_t now) {
  uint64_t poll, nonpoll;
  qsm_accounting_clear(accounting);
  qsm_accounting_draw(accounting, &poll, &nonpoll);
  accounting->state = QSM_ACCOUNTING_NONPOLL;
  accounting->begun = now;
  accounting->next = now + poll + nonpoll;
}

static int read_counter(struct qsm_accounting *accounting, uint32_t c) {
  struct qsm_channel *channel = &accounting->channel[c];
  uint32_t value = 0;
  if (channel->application == QSM_NOBODY) return 0;
  if (qsm_accounting_read(accounting, qsm_accounting_driver(c, accounting->settings.counter),
                          &value))
    return -1;
  accounting->application[channel->application].charged += value - channel->counter;
  channel->counter = value;
  return 0;
}

static int read_counters(struct qsm_accounting *accounting) {
  for (uint32_t c = 0; c < accounting->device.n_channels; c++)
    if (read_counter(accounting, c)) return -1;
  return 0;
}

int qsm_accounting_exact_reopen(struct qsm_accounting *accounting, uint32_t c) {
  if (read_counter(accounting, c)) return -1;
  accounting->channel[c].counter = 0;
  return 0;
}

int qsm_accounting_step_exact(struct qsm_accounting *accounting, uint64_t now) {
  if (accounting->state == QSM_ACCOUNTING_NONPOLL) {
    struct qsm_poll poll;
    if (read_counters(accounting) || qsm_accounting_snapshot(accounting, true, &poll)) return -1;
    memcpy(accounting->seen, poll.busy, sizeof poll.busy);
    accounting->engine_is_busy = poll.engine_is_busy;
    accounting->engine = poll.channel;
    accounting->span =
        (struct qsm_span){.phase = (now - accounting->begun) * accounting->settings.counter_scale};
    if (qsm_accounting_decide(accounting, false)) return -1;
  }
  begin(accounting, now);
  return 0;
}
