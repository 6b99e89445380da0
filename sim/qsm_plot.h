// SPDX-License-Identifier: Apache-2.0
// Plots: SVG files drawn by gnuplot.
#ifndef QSM_PLOT_H
#define QSM_PLOT_H

#include <stddef.h>
#include <stdio.h>

// Starts gnuplot on a new SVG file; the caller writes what to plot, with inline data. NULL with a message: gnuplot is missing.
FILE *qsm_plot_open(const char *path, unsigned width, unsigned height, char *msg, size_t msg_len);
// 0, or -1 with a message: gnuplot could not draw it.
int qsm_plot_close(FILE *script, const char *path, char *msg, size_t msg_len);

#endif
