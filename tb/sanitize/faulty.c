// SPDX-License-Identifier: Apache-2.0
// Makes the mistake that it is asked for: the sanitizers must stop it. Without an argument it makes
// none.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int read_behind_block(void) {
  volatile char *block = malloc(8);
  int value = block[8];
  free((void *)block);
  return value;
}

static int overflow(void) {
  volatile int most = INT_MAX;
  return (most + 1) & 1;
}

static int leak(void) {
  char *volatile block = malloc(8);
  block[0] = 0;
  block = NULL;
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 0;
  if (strcmp(argv[1], "address") == 0) return read_behind_block();
  if (strcmp(argv[1], "undefined") == 0) return overflow();
  return leak();
}
