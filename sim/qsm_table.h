// SPDX-License-Identifier: Apache-2.0
// Tables of text made from an SQL query; printed as Markdown or CSV, or plotted.
#ifndef QSM_TABLE_H
#define QSM_TABLE_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>

struct qsm_table {
  unsigned n_rows, n_columns;  // without the heads
  char **heads;                // n_columns
  char **cells;                // n_rows * n_columns; NULL: nothing there
};

enum qsm_table_form {
  QSM_TABLE_PLAIN,  // as the query gives it
  QSM_TABLE_PIVOT,  // the query gives row, column, value; rows and columns in the order in which
                    // they first come
};

// `corner` heads the first column of a pivot. 0, or -1 with a message.
int qsm_table_query(sqlite3 *db, const char *sql, enum qsm_table_form form, const char *corner,
                    struct qsm_table *table, char *msg, size_t msg_len);
void qsm_table_clear(struct qsm_table *table);

void qsm_table_print_markdown(const struct qsm_table *table, FILE *out);
void qsm_table_print_csv(const struct qsm_table *table, FILE *out);

struct qsm_table_plot {
  const char *title, *x, *y;
  int lines;  // 1: a line per row over the columns that are numbers ("70%"); 0: bars, a group per
              // row
};
// 0, or -1 with a message.
int qsm_table_plot(const struct qsm_table *table, const struct qsm_table_plot *plot,
                   const char *path, char *msg, size_t msg_len);

#endif
