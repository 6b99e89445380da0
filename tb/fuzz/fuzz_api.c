// SPDX-License-Identifier: Apache-2.0
// libFuzzer's target: sequences of libqsm's calls on the model.
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
  const char *wrong = api_sequence("model", bytes, n_bytes);
  if (!wrong) return 0;
  fprintf(stderr, "%s\n", wrong);
  abort();
}
