// SPDX-License-Identifier: Apache-2.0
// The text format of Konata, Kanata 0004: rows with stages, as commands in order of cycles.
#ifndef QSM_KONATA_FILE_H
#define QSM_KONATA_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct qsm_konata_file {
  FILE *out;
  uint64_t cycle;  // the present one; the caller lets it grow
  uint64_t written;
  bool begun;
  uint64_t n_rows, n_retired;
};

// A row that is not shown: the functions below do nothing with it.
#define QSM_KONATA_UNSHOWN UINT64_MAX

// The header, if nothing has been written yet.
void qsm_konata_file_begin(struct qsm_konata_file *file);
// A new row; returns its number.
uint64_t qsm_konata_file_row(struct qsm_konata_file *file, uint32_t thread);
// Appends to the row's text, or to what is shown beside the mouse.
__attribute__((format(printf, 4, 5))) void qsm_konata_file_text(struct qsm_konata_file *file,
                                                                uint64_t row, bool beside,
                                                                const char *format, ...);
// Starts a stage, which ends the one before.
void qsm_konata_file_stage(struct qsm_konata_file *file, uint64_t row, const char *stage);
void qsm_konata_file_end(struct qsm_konata_file *file, uint64_t row, bool flushed);

#endif
