// SPDX-License-Identifier: Apache-2.0
#include "qsm_waves.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_config_yaml.h"

struct qsm_backend_options qsm_waves_around(const char *wave_path, uint64_t cycle) {
  return (struct qsm_backend_options){
      .wave_path = wave_path,
      .wave_from = cycle > QSM_WAVES_BEFORE_CYCLES ? cycle - QSM_WAVES_BEFORE_CYCLES : 0,
      .wave_to = cycle + QSM_WAVES_AFTER_CYCLES};
}

// The one that was made with the tracing RTL of the configuration.
static FILE *open_template(const char *config, char *msg, size_t msg_len) {
  const char *slash = strrchr(config, '/'), *name = slash ? slash + 1 : config;
  char path[1024];
  int len = snprintf(path, sizeof path, "%s/build/rtl-trace/%.*s.gtkw", qsm_source_root(),
                     (int)strcspn(name, "."), name);
  FILE *file = len < (int)sizeof path ? fopen(path, "r") : NULL;
  if (!file) snprintf(msg, msg_len, "%s: %s", path, strerror(errno));
  return file;
}

static void copy(FILE *from, FILE *to) {
  char part[4096];
  for (size_t n = fread(part, 1, sizeof part, from); n > 0; n = fread(part, 1, sizeof part, from))
    fwrite(part, 1, n, to);
}

// Z of GTKWave's zoom -Z: 2^Z units of time on 200 pixels, a cycle has two, and some 1200 pixels
// are in sight.
static int zoom_out(uint64_t n_cycles) {
  int zoom = 0;
  while (zoom < 40 && (UINT64_C(6) << zoom) < 2 * n_cycles) zoom++;
  return zoom;
}

static int write_save_file(const char *config, const char *wave_path, uint64_t n_cycles, char *msg,
                           size_t msg_len) {
  char path[PATH_MAX], wave[PATH_MAX];
  struct qsm_output output;
  const char *dot = strrchr(wave_path, '.');
  snprintf(path, sizeof path, "%.*s.gtkw", dot ? (int)(dot - wave_path) : (int)strlen(wave_path),
           wave_path);
  if (!realpath(wave_path, wave)) {
    snprintf(msg, msg_len, "%.300s: %s", wave_path, strerror(errno));
    return -1;
  }
  FILE *from = open_template(config, msg, msg_len);
  if (!from) return -1;
  int status = qsm_output_open(&output, path, msg, msg_len);
  if (!status) {
    fprintf(output.file, "[dumpfile] \"%s\"\n*-%d.0 -1\n", wave, zoom_out(n_cycles));
    copy(from, output.file);
    qsm_output_note(&output);
    status = qsm_output_close(&output, msg, msg_len);
  }
  fclose(from);
  return status;
}

// An FST is blocks of a kind and a length, which has the bytes of the length in it. What writes
// them does not tell when a disk is full; the two kinds that end a file are then missing, or a
// block lacks its end.
static bool is_whole(const char *path) {
  enum { GEOMETRY = 3, HIERARCHY = 4, HIERARCHY_LZ4 = 6, HIERARCHY_LZ4_TWICE = 7, HEAD_BYTES = 9 };
  FILE *file = fopen(path, "rb");
  unsigned char head[HEAD_BYTES];
  bool geometry = false, hierarchy = false;
  off_t at = 0;
  while (file && fseeko(file, at, SEEK_SET) == 0 &&
         fread(head, 1, sizeof head, file) == sizeof head) {
    uint64_t len = 0;
    for (int i = 1; i < HEAD_BYTES; i++) len = len << 8 | head[i];
    geometry |= head[0] == GEOMETRY;
    hierarchy |= head[0] == HIERARCHY || head[0] == HIERARCHY_LZ4 || head[0] == HIERARCHY_LZ4_TWICE;
    if (len < sizeof head - 1 || len > INT64_MAX / 2) break;
    at += 1 + (off_t)len;
  }
  bool ends_here = file && fseeko(file, 0, SEEK_END) == 0 && ftello(file) == at;
  if (file) fclose(file);
  return geometry && hierarchy && ends_here;
}

int qsm_waves_close(struct qsm_output *wave, const char *config, uint64_t n_cycles, char *msg,
                    size_t msg_len) {
  if (!is_whole(wave->place)) {
    snprintf(msg, msg_len, "cannot write %.600s: the waveform is not complete", wave->path);
    qsm_output_drop(wave);
    return -1;
  }
  if (qsm_output_close(wave, msg, msg_len)) return -1;
  return write_save_file(config, wave->path, n_cycles, msg, msg_len);
}
