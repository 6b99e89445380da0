// SPDX-License-Identifier: Apache-2.0
// Plots: SVG files drawn by gnuplot.
#ifndef QSM_PLOT_H
#define QSM_PLOT_H

#include <stddef.h>
#include <stdio.h>

#include "qsm_output.h"

struct qsm_plot {
  FILE *script;  // the caller writes what to plot, with inline data
  struct qsm_output output;
};

// Starts gnuplot on a new SVG file. 0, or -1 with a message: gnuplot is missing, the file cannot be
// made.
int qsm_plot_open(struct qsm_plot *plot, const char *path, unsigned width, unsigned height,
                  char *msg, size_t msg_len);
// 0, or -1 with a message: gnuplot could not draw it; an earlier file is as it was.
int qsm_plot_close(struct qsm_plot *plot, char *msg, size_t msg_len);

#endif
