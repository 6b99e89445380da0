// SPDX-License-Identifier: Apache-2.0
// `qsm report`: tables and plots of a sweep's database (docs/sweeps.md).
#ifndef QSM_REPORT_H
#define QSM_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "qsm_run.h"

struct qsm_report_options {
  const char *db;
  const char *table;  // NULL: all that have something in them
  const char *plot;   // name of a table, drawn to `out`
  const char *out;    // NULL: NAME.svg beside the database
  bool csv;           // instead of Markdown; without a table every kernel of every run
};

bool qsm_report_knows(const char *table);
bool qsm_report_can_plot(const char *table);
// The names of the tables.
void qsm_report_list(char *text, size_t len);

enum qsm_exit qsm_report(const struct qsm_report_options *options);

#endif
