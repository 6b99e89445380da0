// SPDX-License-Identifier: Apache-2.0
#include "qsm_waves.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_config_yaml.h"

struct qsm_backend_options qsm_waves_around(const char *wave_path, uint64_t cycle) {
  return (struct qsm_backend_options){.wave_path = wave_path, .wave_from = cycle > QSM_WAVES_BEFORE_CYCLES ? cycle - QSM_WAVES_BEFORE_CYCLES : 0,
                                      .wave_to = cycle + QSM_WAVES_AFTER_CYCLES};
}

// The one that was made with the tracing RTL of the configuration.
static FILE *open_template(const char *config, char *msg, size_t msg_len) {
  const char *slash = strrchr(config, '/'), *name = slash ? slash + 1 : config;
  char path[1024];
  int len = snprintf(path, sizeof path, "%s/build/rtl-trace/%.*s.gtkw", qsm_source_root(), (int)strcspn(name, "."), name);
  FILE *file = len < (int)sizeof path ? fopen(path, "r") : NULL;
  if (!file) snprintf(msg, msg_len, "%s: %s", path, strerror(errno));
  return file;
}

static int copy(FILE *from, FILE *to) {
  char part[4096];
  for (size_t n = fread(part, 1, sizeof part, from); n > 0; n = fread(part, 1, sizeof part, from)) {
    if (fwrite(part, 1, n, to) != n) return -1;
  }
  return ferror(from) ? -1 : 0;
}

// Z of GTKWave's zoom -Z: 2^Z units of time on 200 pixels, a cycle has two, and some 1200 pixels are in sight.
static int zoom_out(uint64_t n_cycles) {
  int zoom = 0;
  while (zoom < 40 && (UINT64_C(6) << zoom) < 2 * n_cycles) zoom++;
  return zoom;
}

int qsm_waves_write_save_file(const char *config, const char *wave_path, uint64_t n_cycles, char *msg, size_t msg_len) {
  char path[1024], wave[PATH_MAX];
  const char *dot = strrchr(wave_path, '.');
  FILE *from = open_template(config, msg, msg_len);
  if (!from) return -1;
  int len = snprintf(path, sizeof path, "%.*s.gtkw", dot ? (int)(dot - wave_path) : (int)strlen(wave_path), wave_path);
  FILE *to = len < (int)sizeof path && realpath(wave_path, wave) ? fopen(path, "w") : NULL;
  int status = to ? 0 : -1;
  if (to) {
    if (fprintf(to, "[dumpfile] \"%s\"\n*-%d.0 -1\n", wave, zoom_out(n_cycles)) < 0 || copy(from, to)) status = -1;
    if (fclose(to)) status = -1;
  }
  if (status) snprintf(msg, msg_len, "%s: %s", path, strerror(errno));
  fclose(from);
  return status;
}
