// SPDX-License-Identifier: Apache-2.0
// The axes of a sweep: keys of a scenario with the values that each of them takes.
#ifndef QSM_SWEEP_AXES_H
#define QSM_SWEEP_AXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

enum { QSM_SWEEP_MAX_AXES = 128, QSM_SWEEP_TOP = -1 };

struct qsm_sweep_axis {
  int kernel;  // the kernel that the key is of, or QSM_SWEEP_TOP
  const char *key;
  const char
      *overlay;  // the list that it comes from, "variants" or "cases"; NULL: from the file itself
  unsigned line;
  yaml_node_t *value;
  unsigned n_choices;
  unsigned choice;  // the one of the present run
};

struct qsm_sweep_axes {
  const char *path;  // of the file, for complaints
  yaml_document_t *document;
  unsigned n;
  uint32_t n_kernels;
  struct qsm_sweep_axis list[QSM_SWEEP_MAX_AXES];  // in the order of the file
};

// "FILE:LINE: what"; returns -1.
__attribute__((format(printf, 5, 6))) int qsm_sweep_refuse(const char *path, unsigned line,
                                                           char *msg, size_t msg_len,
                                                           const char *format, ...);

// Adds the keys of a mapping of the file; a key that is there already gets the new value. Keys in
// `skip` (ended by NULL) are passed over.
int qsm_sweep_add(struct qsm_sweep_axes *axes, yaml_node_t *mapping, const char *overlay,
                  const char *const *skip, char *msg, size_t msg_len);

// The next combination of choices; false after the last one.
bool qsm_sweep_next(struct qsm_sweep_axes *axes);

// Value of an axis in the present run as text; of one that is a list itself, its first entry; of a
// mapping, its keys and values.
void qsm_sweep_value(const struct qsm_sweep_axes *axes, const struct qsm_sweep_axis *axis,
                     char *text, size_t len);

// Canonical text of the present run: JSON, keys in alphabetical order, all values strings. With
// `kernel` not QSM_SWEEP_TOP, that kernel by itself, without goal and scheme. *lines gets the
// file's line for each line. The caller frees both; NULL when out of memory.
char *qsm_sweep_text(const struct qsm_sweep_axes *axes, int kernel, unsigned **lines);

#endif
