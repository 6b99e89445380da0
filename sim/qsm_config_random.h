// SPDX-License-Identifier: Apache-2.0
// Random configurations: `qsm fuzz --config random`.
#ifndef QSM_CONFIG_RANDOM_H
#define QSM_CONFIG_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "qsm_config.h"

// A configuration that is small enough to be built for one run and keeps every rule of
// qsm_config_check(), the same for a seed everywhere. Returns 0, or -1 with a message: the rule
// that the last of many tries breaks.
int qsm_config_random(uint64_t seed, struct qsm_config *config, char *msg, size_t msg_len);

// Prints a configuration as qsm_config_load() reads it.
void qsm_config_print_yaml(const struct qsm_config *config, FILE *out);

#endif
