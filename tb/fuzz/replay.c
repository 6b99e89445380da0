// SPDX-License-Identifier: Apache-2.0
// The sequences of tb/fuzz on any backend, without libFuzzer: files, and random ones.
//   replay BACKEND [--random COUNT SEED] FILE-OR-FOLDER...
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "qsm_random.h"

enum { MAX_BYTES = 4096 };

static int report(const char *what, const char *wrong) {
  if (wrong) printf("%s: %s\n", what, wrong);
  return wrong != NULL;
}

static int replay_file(const char *backend, const char *path) {
  uint8_t bytes[MAX_BYTES];
  FILE *in = fopen(path, "rb");
  if (!in) return report(path, "cannot open");
  size_t n = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  return report(path, api_sequence(backend, bytes, n));
}

static int replay_path(const char *backend, const char *path) {
  DIR *folder = opendir(path);
  int n_wrong = 0;
  if (!folder) return replay_file(backend, path);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char file[1024];
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] != '.') n_wrong += replay_file(backend, file);
  }
  closedir(folder);
  return n_wrong;
}

// Sequence `number` of a seed: any of them by itself with a count of 1.
static int replay_random(const char *backend, uint64_t seed) {
  uint8_t bytes[MAX_BYTES];
  struct qsm_random random = qsm_random_seed(seed);
  size_t n = 64 + qsm_random_below(&random, 1000);
  for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)qsm_random_below(&random, 256);
  const char *wrong = api_sequence(backend, bytes, n);
  if (wrong)
    printf("seed %" PRIu64 ": %s; replay: build/fuzz/replay %s --random 1 %" PRIu64 "\n", seed,
           wrong, backend, seed);
  return wrong != NULL;
}

int main(int argc, char **argv) {
  int n_wrong = 0;
  uint64_t n_sequences = 0;
  if (argc < 3) {
    fprintf(stderr, "usage: %s BACKEND [--random COUNT SEED] FILE-OR-FOLDER...\n", argv[0]);
    return 2;
  }
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "--random") == 0 && i + 2 < argc) {
      uint64_t count = strtoull(argv[i + 1], NULL, 10), seed = strtoull(argv[i + 2], NULL, 10);
      for (uint64_t n = 0; n < count; n++) n_wrong += replay_random(argv[1], seed + n);
      n_sequences += count;
      i += 2;
    } else {
      n_wrong += replay_path(argv[1], argv[i]);
    }
  }
  printf("%" PRIu64 " calls, %" PRIu64 " random sequences, %d wrong\n", api_calls(), n_sequences,
         n_wrong);
  return n_wrong != 0;
}
