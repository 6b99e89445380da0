// SPDX-License-Identifier: Apache-2.0
// Folders for results: below the user's current folder, named after the file that was run.
#ifndef QSM_FOLDER_H
#define QSM_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#define QSM_FOLDER_RESULTS "qsm-results"

// Makes a folder and those above it. 0, or -1 with errno.
int qsm_folder_make(const char *dir);
// qsm-results/NAME and the suffix, NAME after the file. 0, or -1: too long.
int qsm_folder_default(const char *file, const char *suffix, char *path, size_t len);
// Makes the folder of a run. -1 with a message: it cannot be written, or it holds results of
// another scenario and `overwrite` is not set.
int qsm_folder_claim(const char *dir, const char *scenario, bool overwrite, char *msg,
                     size_t msg_len);

#endif
