// SPDX-License-Identifier: Apache-2.0
// Functions and lines of a device program's source, from its symbols and its debugging information.
#ifndef QSM_SOURCE_LINES_H
#define QSM_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qsm_source_lines;

// Reads a program. 0, or -1 with a message.
int qsm_source_lines_open(const char *path, struct qsm_source_lines **out, char *msg,
                          size_t msg_len);
void qsm_source_lines_close(struct qsm_source_lines *lines);  // NULL is fine

// The function that an offset in the program's image is in; "?" if none.
const char *qsm_source_lines_function(const struct qsm_source_lines *lines, uint32_t offset);
// "scale at mine.c:12", or without debugging information "scale+0x24 (no lines: compile with -g)".
// What comes from the device header is where it is used.
void qsm_source_lines_describe(const struct qsm_source_lines *lines, uint32_t offset, char *text,
                               size_t text_len);
// Whether two instructions come from one line, by the same calls: the compiler may make several
// copies of it. False without lines.
bool qsm_source_lines_same(const struct qsm_source_lines *lines, uint32_t a, uint32_t b);

#endif
