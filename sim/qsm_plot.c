// SPDX-License-Identifier: Apache-2.0
#include "qsm_plot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

// gnuplot does not tell when a disk is full.
static bool is_whole(const char *path) {
  enum { LAST_BYTES = 16 };
  char last[LAST_BYTES + 1] = "";
  FILE *file = fopen(path, "rb");
  bool whole = file && fseek(file, -LAST_BYTES, SEEK_END) == 0 && fread(last, 1, LAST_BYTES, file) && strstr(last, "</svg>");
  if (file) fclose(file);
  return whole;
}

int qsm_plot_close(FILE *script, const char *path, char *msg, size_t msg_len) {
  if (pclose(script) == 0 && is_whole(path)) return 0;
  snprintf(msg, msg_len, "gnuplot could not write %s", path);
  return -1;
}
