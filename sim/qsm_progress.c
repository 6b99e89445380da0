// SPDX-License-Identifier: Apache-2.0
#include "qsm_progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double qsm_progress_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void qsm_progress_bar(uint64_t done, uint64_t total, char bar[QSM_PROGRESS_WIDTH + 1]) {
  int filled = total ? (int)(done * QSM_PROGRESS_WIDTH / total) : QSM_PROGRESS_WIDTH;
  for (int i = 0; i < QSM_PROGRESS_WIDTH; i++) bar[i] = i < filled ? '=' : ' ';
  bar[QSM_PROGRESS_WIDTH] = 0;
}

static void draw(const struct qsm_progress *progress, uint64_t cycles, double elapsed) {
  char bar[QSM_PROGRESS_WIDTH + 1];
  qsm_progress_bar(cycles, progress->total, bar);
  fprintf(stderr, "\r  %-28.28s [%s] %3d %%  %8.1f kcycles/s ", progress->title, bar,
          progress->total ? (int)(100 * cycles / progress->total) : 100,
          elapsed > 0 ? (double)cycles / elapsed / 1000 : 0.0);
}

void qsm_progress_start(struct qsm_progress *progress, const char *title, uint64_t total_cycles,
                        bool wanted) {
  *progress = (struct qsm_progress){.title = title,
                                    .total = total_cycles,
                                    .start = qsm_progress_now(),
                                    .on = wanted && isatty(STDERR_FILENO)};
  if (wanted && !progress->on)
    fprintf(stderr, "  %s: %llu cycles\n", title, (unsigned long long)total_cycles);
}

void qsm_progress_show(struct qsm_progress *progress, uint64_t cycles) {
  double time = qsm_progress_now();
  if (!progress->on || time - progress->shown < 0.1) return;
  progress->shown = time;
  draw(progress, cycles, time - progress->start);
}

void qsm_progress_end(struct qsm_progress *progress, uint64_t cycles) {
  if (!progress->on) return;
  draw(progress, cycles, qsm_progress_now() - progress->start);
  fprintf(stderr, "\n");
}
