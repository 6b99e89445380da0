// SPDX-License-Identifier: Apache-2.0
#include "qsm_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_plot.h"

static const char nothing[] = "–";

// ---- Query ----

// Room for at least n + 1 pointers in a list that grows one by one.
static bool grow(char ***list, size_t n) {
  if (n & (n - 1)) return true;  // doubles at powers of two
  char **longer = realloc(*list, (n ? 2 * n : 1) * sizeof *longer);
  if (longer) *list = longer;
  return longer != NULL;
}

static char *copy_column(sqlite3_stmt *query, int column) {
  const char *text = (const char *)sqlite3_column_text(query, column);
  return text ? strdup(text) : NULL;
}

static int add_row(struct qsm_table *table, sqlite3_stmt *query) {
  for (unsigned i = 0; i < table->n_columns; i++) {
    size_t n = (size_t)table->n_rows * table->n_columns + i;
    if (!grow(&table->cells, n)) return -1;
    table->cells[n] = copy_column(query, (int)i);
  }
  table->n_rows++;
  return 0;
}

static int read_heads(struct qsm_table *table, sqlite3_stmt *query) {
  for (int i = 0; i < sqlite3_column_count(query); i++) {
    if (!grow(&table->heads, table->n_columns)) return -1;
    table->heads[table->n_columns++] = strdup(sqlite3_column_name(query, i));
  }
  return 0;
}

static int read_plain(sqlite3_stmt *query, struct qsm_table *table) {
  int code;
  if (read_heads(table, query)) return -1;
  while ((code = sqlite3_step(query)) == SQLITE_ROW)
    if (add_row(table, query)) return -1;
  return code == SQLITE_DONE ? 0 : -1;
}

// Index of a label in a table's column, or the number of rows.
static unsigned find(const struct qsm_table *table, unsigned column, const char *label) {
  unsigned row = 0;
  while (row < table->n_rows && strcmp(table->cells[row * table->n_columns + column], label) != 0)
    row++;
  return row;
}

// Appends a label to a list unless it is there; -1 when out of memory.
static int note(char ***list, unsigned *n, const char *label) {
  for (unsigned i = 0; i < *n; i++)
    if (strcmp((*list)[i], label) == 0) return 0;
  if (!grow(list, *n)) return -1;
  (*list)[(*n)++] = strdup(label);
  return 0;
}

static int pivot(const struct qsm_table *plain, const char *corner, struct qsm_table *table) {
  char **rows = NULL;
  int status = note(&table->heads, &table->n_columns, corner);
  for (unsigned i = 0; !status && i < plain->n_rows; i++) {
    status = note(&rows, &table->n_rows, plain->cells[3 * i]);
    if (!status) status = note(&table->heads, &table->n_columns, plain->cells[3 * i + 1]);
  }
  if (!status)
    table->cells = calloc((size_t)table->n_rows * table->n_columns + 1, sizeof *table->cells);
  if (!table->cells) {
    for (unsigned i = 0; i < table->n_rows; i++) free(rows[i]);
    table->n_rows = 0;
    status = -1;
  }
  for (unsigned i = 0; !status && i < table->n_rows; i++)
    table->cells[i * table->n_columns] = rows[i];
  free(rows);
  for (unsigned i = 0; !status && i < plain->n_rows; i++) {
    unsigned row = find(table, 0, plain->cells[3 * i]), column = 0;
    while (strcmp(table->heads[column], plain->cells[3 * i + 1]) != 0) column++;
    char **cell = &table->cells[row * table->n_columns + column];
    if (!*cell && plain->cells[3 * i + 2]) *cell = strdup(plain->cells[3 * i + 2]);
  }
  return status;
}

int qsm_table_query(sqlite3 *db, const char *sql, enum qsm_table_form form, const char *corner,
                    struct qsm_table *table, char *msg, size_t msg_len) {
  struct qsm_table plain = {.n_rows = 0}, turned = {.n_rows = 0};
  sqlite3_stmt *query = NULL;
  int status =
      sqlite3_prepare_v2(db, sql, -1, &query, NULL) == SQLITE_OK ? read_plain(query, &plain) : -1;
  if (status)
    snprintf(msg, msg_len, "%s",
             sqlite3_errcode(db) == SQLITE_DONE ? "out of memory" : sqlite3_errmsg(db));
  sqlite3_finalize(query);
  if (status == 0 && form == QSM_TABLE_PIVOT) {
    status = pivot(&plain, corner, &turned);
    if (status) snprintf(msg, msg_len, "out of memory");
    qsm_table_clear(&plain);
    plain = turned;
  }
  if (status == 0)
    *table = plain;
  else
    qsm_table_clear(&plain);
  return status;
}

void qsm_table_clear(struct qsm_table *table) {
  for (unsigned i = 0; i < table->n_columns; i++) free(table->heads[i]);
  for (size_t i = 0; i < (size_t)table->n_rows * table->n_columns; i++) free(table->cells[i]);
  free(table->heads);
  free(table->cells);
  *table = (struct qsm_table){.n_rows = 0};
}

// ---- Printing ----

static const char *cell(const struct qsm_table *table, unsigned row, unsigned column) {
  return table->cells[row * table->n_columns + column];
}

// Characters on a screen: bytes but for those that go on a UTF-8 character.
static unsigned width(const char *text) {
  unsigned n = 0;
  for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
  return n;
}

static unsigned column_width(const struct qsm_table *table, unsigned column) {
  unsigned widest = width(table->heads[column]) > 3 ? width(table->heads[column]) : 3;
  for (unsigned row = 0; row < table->n_rows; row++) {
    const char *text = cell(table, row, column);
    if (text && width(text) > widest) widest = width(text);
  }
  return widest;
}

static void print_padded(const char *text, unsigned wide, bool to_the_left, FILE *out) {
  unsigned gap = wide - width(text);
  fprintf(out, " %*s%s%*s |", to_the_left ? 0 : (int)gap, "", text, to_the_left ? (int)gap : 0, "");
}

void qsm_table_print_markdown(const struct qsm_table *table, FILE *out) {
  for (int row = -2; row < (int)table->n_rows; row++) {
    fputc('|', out);
    for (unsigned column = 0; column < table->n_columns; column++) {
      unsigned wide = column_width(table, column);
      if (row == -1) {
        fputc(' ', out);
        for (unsigned i = 0; i + 1 < wide; i++) fputc('-', out);
        fputs(column ? ": |" : "- |", out);
        continue;
      }
      const char *text = row < 0 ? table->heads[column] : cell(table, (unsigned)row, column);
      print_padded(text ? text : nothing, wide, column == 0, out);
    }
    fputc('\n', out);
  }
}

static void print_csv_text(const char *text, FILE *out) {
  if (!text[strcspn(text, ",\"\n")]) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
  fputc('"', out);
}

void qsm_table_print_csv(const struct qsm_table *table, FILE *out) {
  for (int row = -1; row < (int)table->n_rows; row++) {
    for (unsigned column = 0; column < table->n_columns; column++) {
      const char *text = row < 0 ? table->heads[column] : cell(table, (unsigned)row, column);
      if (column) fputc(',', out);
      if (text) print_csv_text(text, out);
    }
    fputc('\n', out);
  }
}

// ---- Plots ----

// Names are the user's: without what would end a string of gnuplot's.
static void put_name(const char *before, const char *name, const char *after, FILE *script) {
  fputs(before, script);
  for (; *name; name++)
    if (!strchr("'\"\n", *name)) fputc(*name, script);
  fputs(after, script);
}

static void plot_lines(const struct qsm_table *table, FILE *script) {
  fputs("plot ", script);
  for (unsigned row = 0; row < table->n_rows; row++)
    put_name("'-' using 1:2 with linespoints lw 2 pt 7 ps 0.5 title '", cell(table, row, 0),
             row + 1 < table->n_rows ? "', " : "'", script);
  fputc('\n', script);
  for (unsigned row = 0; row < table->n_rows; row++) {
    for (unsigned column = 1; column < table->n_columns; column++) {
      char *end = table->heads[column];
      double x = strtod(end, &end);
      if (end != table->heads[column] && cell(table, row, column))
        fprintf(script, "%g %s\n", x, cell(table, row, column));
    }
    fputs("e\n", script);
  }
}

static void plot_bars(const struct qsm_table *table, FILE *script) {
  fputs(
      "set style data histograms\nset style fill solid 0.8\nset xtics rotate by 40 right noenhanced\nset datafile missing '?'\nplot ",
      script);
  for (unsigned column = 1; column < table->n_columns; column++)
    put_name("'-' using 2:xtic(1) title '", table->heads[column],
             column + 1 < table->n_columns ? "', " : "'", script);
  fputc('\n', script);
  for (unsigned column = 1; column < table->n_columns; column++) {
    for (unsigned row = 0; row < table->n_rows; row++) {
      const char *text = cell(table, row, column);
      put_name("\"", cell(table, row, 0), "\" ", script);
      fprintf(script, "%s\n", text ? text : "?");
    }
    fputs("e\n", script);
  }
}

int qsm_table_plot(const struct qsm_table *table, const struct qsm_table_plot *plot,
                   const char *path, char *msg, size_t msg_len) {
  unsigned wide = plot->lines || table->n_rows < 24 ? 960 : 40 * table->n_rows;
  struct qsm_plot drawing;
  if (qsm_plot_open(&drawing, path, wide, 480, msg, msg_len)) return -1;
  fprintf(drawing.script, "set title '%s'\nset xlabel '%s'\nset ylabel '%s'\n", plot->title,
          plot->x, plot->y);
  if (plot->lines)
    plot_lines(table, drawing.script);
  else
    plot_bars(table, drawing.script);
  return qsm_plot_close(&drawing, msg, msg_len);
}
