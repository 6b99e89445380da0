// SPDX-License-Identifier: Apache-2.0
#include "qsm_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

uint64_t qsm_option_number(struct argp_state *state, const char *option, const char *text,
                           uint64_t least, uint64_t largest) {
  char *end = NULL;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || errno || value < least || value > largest)
    argp_error(state, "--%s %s: must be a number from %" PRIu64 " to %" PRIu64, option, text, least,
               largest);
  return value;
}
