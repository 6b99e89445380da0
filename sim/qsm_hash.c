// SPDX-License-Identifier: Apache-2.0
#include "qsm_hash.h"

#include <stdio.h>

uint64_t qsm_hash_bytes(uint64_t hash, const void *bytes, size_t n) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < n; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
  return hash;
}

int qsm_hash_file(const char *path, uint64_t *hash) {
  unsigned char block[65536];
  FILE *file = fopen(path, "rb");
  if (!file) return -1;
  for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;)
    *hash = qsm_hash_bytes(*hash, block, n);
  int failed = ferror(file);
  fclose(file);
  return failed ? -1 : 0;
}
