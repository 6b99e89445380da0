// SPDX-License-Identifier: Apache-2.0
// Output files that appear whole or not at all: written as NAME.new in the same folder, renamed
// when they are complete.
#ifndef QSM_OUTPUT_H
#define QSM_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

enum { QSM_OUTPUT_PATH_BYTES = 4096 };

struct qsm_output {
  FILE *file;                        // NULL: none
  int lock_fd;                       // keeps a second writer out until the file has its name
  int error;                         // first errno
  char path[QSM_OUTPUT_PATH_BYTES];  // a link is followed
  char
      place[QSM_OUTPUT_PATH_BYTES];  // where the bytes go: a device or a pipe has no temporary name
};

// Begins a file; bytes go to ->file, or are put at ->place by a writer of its own. 0, or -1 with a
// message.
int qsm_output_open(struct qsm_output *output, const char *path, char *msg, size_t msg_len);
// Remembers the first error of ->file, while errno still tells it.
void qsm_output_note(struct qsm_output *output);
// The file is complete. 0, or -1 with a message: it could not be written in full, what was at
// `path` is as it was. Without a file: 0.
int qsm_output_close(struct qsm_output *output, char *msg, size_t msg_len);
// Gives the file up; what was at `path` is as it was. Without a file: nothing.
void qsm_output_drop(struct qsm_output *output);

#endif
