// SPDX-License-Identifier: Apache-2.0
// Reads a configuration file (docs/configuration.md).
#ifndef QSM_CONFIG_YAML_H
#define QSM_CONFIG_YAML_H

#include <stddef.h>

#include "qsm_config.h"

// Loads and checks a configuration: a path if it has a '/', else the name of one in the folder of
// configurations, with other values for some parameters if they follow it:
// NAME+KEY-VALUE+KEY-VALUE. Returns 0, or -1 with a message that names the file, the line where
// there is one, and the parameter; *config is then untouched.
int qsm_config_load(const char *path_or_name, struct qsm_config *config, char *msg, size_t msg_len);

// The file that a configuration, or what it changes, is in. 0, or -1: the path is too long.
int qsm_config_path(const char *path_or_name, char *path, size_t path_len);

// Root of the source tree: QSM_ROOT of the environment, else where this program was built. Not to
// be freed.
const char *qsm_source_root(void);

#endif
