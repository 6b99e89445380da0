// SPDX-License-Identifier: Apache-2.0
#include "input_file.h"

#include <stdio.h>
#include <unistd.h>

static char path[64];

const char *write_input_file(const uint8_t *bytes, size_t n_bytes) {
  snprintf(path, sizeof path, "/tmp/qsm-fuzz-%d", (int)getpid());
  FILE *out = fopen(path, "wb");
  if (!out) return NULL;
  size_t n_written = fwrite(bytes, 1, n_bytes, out);
  return fclose(out) == 0 && n_written == n_bytes ? path : NULL;
}

void remove_input_file(void) {
  static const char *const beside[] = {"", "-wal", "-shm", "-journal"};
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
    char name[96];
    snprintf(name, sizeof name, "%s%s", path, beside[i]);
    unlink(name);
  }
}
