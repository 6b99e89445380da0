// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite.h"

#include <string.h>

// Each in its kernels/NAME/NAME_host.c.
#define PROGRAM(name) extern const struct qsm_suite_program qsm_##name;
#include "qsm_suite.inc"
#undef PROGRAM

const struct qsm_suite_program *const qsm_suite[] = {
#define PROGRAM(name) &qsm_##name,
#include "qsm_suite.inc"
#undef PROGRAM
    NULL};

const char *const qsm_suite_size_names[QSM_N_SIZES] = {"S", "M", "L", "XL"};

const struct qsm_suite_program *qsm_suite_find(const char *name) {
  for (const struct qsm_suite_program *const *program = qsm_suite; *program != NULL; program++) {
    if (strcmp((*program)->name, name) == 0) return *program;
  }
  return NULL;
}
