// SPDX-License-Identifier: Apache-2.0
#include "qsm_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qsm_result.h"

int qsm_folder_make(const char *dir) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", dir);
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(path, 0777) && errno != EEXIST) return -1;
    *slash = '/';
  }
  return mkdir(path, 0777) && errno != EEXIST ? -1 : 0;
}

int qsm_folder_default(const char *file, const char *suffix, char *path, size_t len) {
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file,
             *dot = strrchr(name, '.');
  int n_chars = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  return snprintf(path, len, QSM_FOLDER_RESULTS "/%.*s%s", n_chars, name, suffix) < (int)len ? 0
                                                                                             : -1;
}

static bool is_writable(const char *dir) {
  char inside[PATH_MAX];
  return snprintf(inside, sizeof inside, "%s/.", dir) < (int)sizeof inside &&
         access(inside, W_OK) == 0;
}

int qsm_folder_claim(const char *dir, const char *scenario, bool overwrite, char *msg,
                     size_t msg_len) {
  char own[PATH_MAX], other[PATH_MAX];
  if (qsm_folder_make(dir) || !is_writable(dir)) {
    snprintf(msg, msg_len, "output folder %s: %s", dir, strerror(errno));
    return -1;
  }
  if (overwrite || !realpath(scenario, own) || !qsm_result_scenario_in(dir, other, sizeof other) ||
      strcmp(own, other) == 0)
    return 0;
  snprintf(
      msg, msg_len,
      "output folder %s has results of %.300s, not of %.300s: --out DIR names another folder, --overwrite replaces them",
      dir, other, own);
  return -1;
}
