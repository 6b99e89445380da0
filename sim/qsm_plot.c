// SPDX-License-Identifier: Apache-2.0
#include "qsm_plot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int qsm_plot_open(struct qsm_plot *plot, const char *path, unsigned width, unsigned height,
                  char *msg, size_t msg_len) {
  if (system("command -v gnuplot >/dev/null 2>&1") != 0) {
    snprintf(msg, msg_len, "gnuplot not found, no plot written: apt-get install gnuplot-nox");
    return -1;
  }
  if (qsm_output_open(&plot->output, path, msg, msg_len)) return -1;
  plot->script = popen("gnuplot >/dev/null 2>&1", "w");
  if (!plot->script) {
    qsm_output_drop(&plot->output);
    snprintf(msg, msg_len, "cannot run gnuplot");
    return -1;
  }
  fprintf(plot->script, "set terminal svg size %u,%u dynamic background 'white' font 'sans,13'\n",
          width, height);
  fprintf(plot->script, "set output '%s'\n", plot->output.place);
  fprintf(plot->script, "set grid\nset key outside right noenhanced\nset title noenhanced\n");
  return 0;
}

// gnuplot does not tell when a disk is full.
static bool is_whole(const char *path) {
  enum { LAST_BYTES = 16 };
  char last[LAST_BYTES + 1] = "";
  FILE *file = fopen(path, "rb");
  bool whole = file && fseek(file, -LAST_BYTES, SEEK_END) == 0 &&
               fread(last, 1, LAST_BYTES, file) && strstr(last, "</svg>");
  if (file) fclose(file);
  return whole;
}

int qsm_plot_close(struct qsm_plot *plot, char *msg, size_t msg_len) {
  if (pclose(plot->script) == 0 && is_whole(plot->output.place))
    return qsm_output_close(&plot->output, msg, msg_len);
  snprintf(msg, msg_len, "gnuplot could not write %.600s", plot->output.path);
  qsm_output_drop(&plot->output);
  return -1;
}
