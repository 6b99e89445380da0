// SPDX-License-Identifier: Apache-2.0
// Progress line of long runs: a bar with cycles per second on a terminal, nothing elsewhere.
#ifndef QSM_PROGRESS_H
#define QSM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct qsm_progress {
  const char *title;
  uint64_t total;
  double start, shown;  // seconds
  bool on;
};

enum { QSM_PROGRESS_WIDTH = 30 };

// A bar of so many characters, filled as far as `done` is of `total`.
void qsm_progress_bar(uint64_t done, uint64_t total, char bar[QSM_PROGRESS_WIDTH + 1]);
double qsm_progress_now(void);  // seconds

// `wanted` false, or an error stream that is no terminal: the bar stays off.
void qsm_progress_start(struct qsm_progress *progress, const char *title, uint64_t total_cycles,
                        bool wanted);
void qsm_progress_show(struct qsm_progress *progress, uint64_t cycles);
void qsm_progress_end(struct qsm_progress *progress, uint64_t cycles);

#endif
