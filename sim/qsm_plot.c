// SPDX-License-Identifier: Apache-2.0
#include "qsm_plot.h"

#include <stdlib.h>

FILE *qsm_plot_open(const char *path, unsigned width, unsigned height, char *msg, size_t msg_len) {
  if (system("command -v gnuplot >/dev/null 2>&1") != 0) {
    snprintf(msg, msg_len, "gnuplot not found, no plot written: apt-get install gnuplot-nox");
    return NULL;
  }
  FILE *script = popen("gnuplot >/dev/null 2>&1", "w");
  if (!script) {
    snprintf(msg, msg_len, "cannot run gnuplot");
    return NULL;
  }
  fprintf(script, "set terminal svg size %u,%u dynamic background 'white' font 'sans,13'\nset output '%s'\n", width, height, path);
  fprintf(script, "set grid\nset key outside right noenhanced\nset title noenhanced\n");
  return script;
}

int qsm_plot_close(FILE *script, const char *path, char *msg, size_t msg_len) {
  if (pclose(script) == 0) return 0;
  snprintf(msg, msg_len, "gnuplot could not write %s", path);
  return -1;
}
