// SPDX-License-Identifier: Apache-2.0
#include "qsm_konata_file.h"

#include <inttypes.h>
#include <stdarg.h>

static void write_time(struct qsm_konata_file *file) {
  if (!file->begun)
    fprintf(file->out, "Kanata\t0004\nC=\t%" PRIu64 "\n", file->cycle);
  else if (file->cycle != file->written)
    fprintf(file->out, "C\t%" PRIu64 "\n", file->cycle - file->written);
  file->begun = true;
  file->written = file->cycle;
}

void qsm_konata_file_begin(struct qsm_konata_file *file) {
  if (!file->begun) write_time(file);
}

uint64_t qsm_konata_file_row(struct qsm_konata_file *file, uint32_t thread) {
  uint64_t row = file->n_rows++;
  write_time(file);
  fprintf(file->out, "I\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\n", row, row, thread);
  return row;
}

void qsm_konata_file_text(struct qsm_konata_file *file, uint64_t row, bool beside,
                          const char *format, ...) {
  if (row == QSM_KONATA_UNSHOWN) return;
  va_list args;
  write_time(file);
  fprintf(file->out, "L\t%" PRIu64 "\t%d\t", row, beside);
  va_start(args, format);
  vfprintf(file->out, format, args);
  va_end(args);
  fputc('\n', file->out);
}

void qsm_konata_file_stage(struct qsm_konata_file *file, uint64_t row, const char *stage) {
  if (row == QSM_KONATA_UNSHOWN) return;
  write_time(file);
  fprintf(file->out, "S\t%" PRIu64 "\t0\t%s\n", row, stage);
}

void qsm_konata_file_end(struct qsm_konata_file *file, uint64_t row, bool flushed) {
  if (row == QSM_KONATA_UNSHOWN) return;
  write_time(file);
  fprintf(file->out, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", row, file->n_retired, flushed);
  file->n_retired += !flushed;
}
