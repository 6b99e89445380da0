// SPDX-License-Identifier: Apache-2.0
#include "qsm_report.h"

#include <stdio.h>
#include <string.h>

#include "qsm_store.h"
#include "qsm_table.h"

struct report_table {
  const char *name, *title;
  enum qsm_table_form form;
  const char *corner;
  bool lines;  // how it is plotted: x and y are then named
  const char *x, *y;
  const char *sql;
};

// A figure per variant and goal, and over all goals.
#define BY_GOAL(value, from)                                                             \
  "SELECT variant, col, v FROM (SELECT variant, goal AS col, min(position) AS p, " value \
  " AS v FROM " from                                                                     \
  " GROUP BY variant, goal"                                                              \
  " UNION ALL SELECT variant, 'all', 1e18 + min(position), " value " FROM " from         \
  " GROUP BY variant) ORDER BY p"

static const struct report_table tables[] = {
    {"runs", "Runs", QSM_TABLE_PIVOT, "variant", false, "", "runs",
     "SELECT variant, s.word, sum(status = s.word) FROM runs JOIN (SELECT 'ok' AS word UNION SELECT 'failed' UNION SELECT 'waiting') s"
     " WHERE position IS NOT NULL GROUP BY variant, s.word ORDER BY min(position), s.word = 'waiting', s.word = 'failed'"},
    {"errors", "Runs that failed", QSM_TABLE_PLAIN, NULL, false, NULL, NULL,
     "SELECT variant, programs, goal, error FROM runs WHERE position IS NOT NULL AND status = 'failed' ORDER BY position"},
    {"summary", "Goals and throughput, per cent", QSM_TABLE_PIVOT, "variant", false, "", "per cent",
     "SELECT variant, col, v FROM ("
     "SELECT variant, min(position) AS p, 0 AS i, 'cases' AS col, count(*) AS v FROM cases GROUP BY variant UNION ALL "
     "SELECT variant, min(position), 1, 'met', sum(met) FROM cases GROUP BY variant UNION ALL "
     "SELECT variant, min(position), 2, 'met, %', printf('%.1f', 100.0 * avg(met)) FROM cases GROUP BY variant UNION ALL "
     "SELECT variant, min(position), 3, 'above goal, %', printf('%.1f', 100.0 * (avg(ratio) - 1)) FROM cases WHERE met GROUP BY variant UNION ALL "
     "SELECT variant, min(position), 4, 'others, %', printf('%.1f', 100.0 * avg(others)) FROM cases WHERE met GROUP BY variant UNION ALL "
     "SELECT variant, min(position), 5, 'met by all', count(*) FROM met_by_all GROUP BY variant UNION ALL "
     "SELECT variant, min(position), 6, 'others there, %', printf('%.1f', 100.0 * avg(others)) FROM met_by_all GROUP BY variant) ORDER BY p, i"},
    {"goals", "Cases that meet their goals, per cent", QSM_TABLE_PIVOT, "variant", true, "goal",
     "cases met, per cent", BY_GOAL("printf('%.1f', 100.0 * avg(met))", "cases")},
    {"overshoot", "Throughput above the goal in cases that meet it, per cent", QSM_TABLE_PIVOT,
     "variant", true, "goal", "above the goal, per cent",
     BY_GOAL("printf('%.1f', 100.0 * (avg(ratio) - 1))", "(SELECT * FROM cases WHERE met)")},
    {"misses", "Cases by how far they stay behind the goal, per cent", QSM_TABLE_PIVOT, "variant",
     false, "", "cases, per cent",
     "SELECT variant, word, printf('%.1f', 100.0 * avg(CASE WHEN met THEN i = 0 ELSE i > 0 AND 100 * (1 - worst) > low AND 100 * (1 - worst) <= high END))"
     " FROM cases JOIN (SELECT 0 AS i, 'met' AS word, 0 AS low, 0 AS high UNION ALL SELECT 1, 'up to 1 %', -1, 1 UNION ALL SELECT 2, '1 to 5 %', 1, 5"
     " UNION ALL SELECT 3, '5 to 10 %', 5, 10 UNION ALL SELECT 4, '10 to 20 %', 10, 20 UNION ALL SELECT 5, 'above 20 %', 20, 100)"
     " GROUP BY variant, i ORDER BY min(position), i"},
    {"throughput", "Throughput of the other kernels in cases met by the variant, per cent of alone",
     QSM_TABLE_PIVOT, "variant", true, "goal", "other kernels, per cent of alone",
     BY_GOAL("printf('%.1f', 100.0 * avg(others))", "(SELECT * FROM cases WHERE met)")},
    {"throughput_all", "The same in cases met by all variants", QSM_TABLE_PIVOT, "variant", true,
     "goal", "other kernels, per cent of alone",
     BY_GOAL("printf('%.1f', 100.0 * avg(others))", "met_by_all")},
    {"classes",
     "Cases that meet their goals by class of the kernels (C compute, M memory), per cent",
     QSM_TABLE_PIVOT, "variant", false, "", "cases met, per cent",
     "SELECT variant, classes, printf('%.1f', 100.0 * avg(met)) FROM cases WHERE classes IS NOT NULL GROUP BY variant, classes"
     " ORDER BY min(position), classes"},
    {"pairs", "Cases that meet their goals by programs, per cent", QSM_TABLE_PIVOT, "programs",
     false, "", "cases met, per cent",
     "SELECT programs, variant, printf('%.0f', 100.0 * avg(met)) FROM cases GROUP BY programs, variant ORDER BY min(position)"},
    {"relative", "Times against the first variant, mean over the programs, per cent",
     QSM_TABLE_PIVOT, "variant", false, "", "change, per cent",
     "SELECT variant, col, v FROM ("
     "SELECT variant, min(position) AS p, 0 AS i, 'response of the last kernel' AS col, printf('%+.1f', 100 * (avg(response) - 1)) AS v"
     " FROM relative GROUP BY variant UNION ALL "
     "SELECT variant, min(position), 1, 'all kernels', printf('%+.1f', 100 * (avg(total) - 1)) FROM relative GROUP BY variant) ORDER BY p, i"},
    {"best",
     "Shortest response of the last kernel under each label, against the first variant, per cent",
     QSM_TABLE_PIVOT, "programs", false, "", "change, per cent",
     "WITH b AS (SELECT label, programs, seed, min(position) AS p, min(response) AS r FROM relative GROUP BY label, programs, seed)"
     "SELECT programs, label, v FROM (SELECT programs, label, min(p) AS p, printf('%+.1f', 100 * (avg(r) - 1)) AS v FROM b GROUP BY programs, label"
     " UNION ALL SELECT 'mean', label, 1e18 + min(p), printf('%+.1f', 100 * (avg(r) - 1)) FROM b GROUP BY label) ORDER BY p"},
    {"energy", "Energy of the runs, mean: by the energies of their configuration (docs/energy.md)",
     QSM_TABLE_PIVOT, "variant", false, "", "see the columns",
     "SELECT variant, col, v FROM ("
     "SELECT variant, min(position) AS p, 0 AS i, 'mJ' AS col, printf('%.4g', 1e3 * avg(energy_j)) AS v FROM energy GROUP BY variant UNION ALL "
     "SELECT variant, min(position), 1, 'W', printf('%.4g', avg(power_w)) FROM energy GROUP BY variant UNION ALL "
     "SELECT variant, min(position), 2, 'M insn per J', printf('%.4g', 1e-6 * avg(insn_per_j)) FROM energy GROUP BY variant) ORDER BY p, i"},
    {"energy_programs", "Thread instructions per joule by programs, millions", QSM_TABLE_PIVOT,
     "programs", false, "", "M insn per J",
     "SELECT programs, variant, printf('%.4g', 1e-6 * avg(insn_per_j)) FROM energy GROUP BY programs, variant ORDER BY min(position)"},
    {"response", "Response time of the last kernel, cycles", QSM_TABLE_PIVOT, "programs", false, "",
     "cycles",
     "SELECT programs, variant, printf('%.0f', avg(response)) FROM times GROUP BY programs, variant ORDER BY min(position)"},
    {"total", "Time until all kernels have ended, cycles", QSM_TABLE_PIVOT, "programs", false, "",
     "cycles",
     "SELECT programs, variant, printf('%.0f', avg(total)) FROM times GROUP BY programs, variant ORDER BY min(position)"},
};
enum { N_TABLES = sizeof tables / sizeof tables[0] };

static const struct report_table all_results = {"results",
                                                "",
                                                QSM_TABLE_PLAIN,
                                                NULL,
                                                false,
                                                NULL,
                                                NULL,
                                                "SELECT * FROM results ORDER BY position, slot"};

static const struct report_table *find_table(const char *name) {
  for (int i = 0; i < N_TABLES; i++)
    if (strcmp(tables[i].name, name) == 0) return &tables[i];
  return NULL;
}

bool qsm_report_knows(const char *table) { return find_table(table) != NULL; }

bool qsm_report_can_plot(const char *table) { return find_table(table) && find_table(table)->y; }

void qsm_report_list(char *text, size_t len) {
  size_t at = 0;
  for (int i = 0; i < N_TABLES && at < len; i++)
    at += (size_t)snprintf(text + at, len - at, "%s%s", i ? ", " : "", tables[i].name);
}

// ---- Report ----

struct report {
  const struct qsm_report_options *options;
  struct qsm_store *store;
  char msg[1200];
};

static enum qsm_exit complain(enum qsm_exit code, const char *text) {
  fprintf(stderr, "qsm: %s\n", text);
  return code;
}

static enum qsm_exit query(struct report *report, const struct report_table *wanted,
                           struct qsm_table *table) {
  char why[512];
  if (qsm_table_query(qsm_store_handle(report->store), wanted->sql, wanted->form, wanted->corner,
                      table, why, sizeof why) == 0)
    return QSM_EXIT_OK;
  snprintf(report->msg, sizeof report->msg, "%s: %s", report->options->db, why);
  return complain(QSM_EXIT_ENVIRONMENT, report->msg);
}

static enum qsm_exit print(struct report *report, const struct report_table *wanted) {
  struct qsm_table table;
  enum qsm_exit code = query(report, wanted, &table);
  if (code) return code;
  if (report->options->csv)
    qsm_table_print_csv(&table, stdout);
  else
    qsm_table_print_markdown(&table, stdout);
  qsm_table_clear(&table);
  return QSM_EXIT_OK;
}

static enum qsm_exit print_all(struct report *report) {
  enum qsm_exit code = QSM_EXIT_OK;
  bool first = true;
  for (int i = 0; !code && i < N_TABLES; i++) {
    struct qsm_table table;
    code = query(report, &tables[i], &table);
    if (code) break;
    if (table.n_rows) {
      printf("%s%s (%s)\n\n", first ? "" : "\n", tables[i].title, tables[i].name);
      qsm_table_print_markdown(&table, stdout);
      first = false;
    }
    qsm_table_clear(&table);
  }
  return code;
}

static enum qsm_exit draw(struct report *report, const struct report_table *wanted) {
  char path[1024];
  struct qsm_table table;
  const char *db = report->options->db, *slash = strrchr(db, '/'), *name = slash ? slash + 1 : db,
             *dot = strrchr(name, '.');
  if (report->options->out)
    snprintf(path, sizeof path, "%s", report->options->out);
  else
    snprintf(path, sizeof path, "%.*s-%s.svg",
             dot && dot > name ? (int)(dot - db) : (int)strlen(db), db, wanted->name);
  enum qsm_exit code = query(report, wanted, &table);
  if (code) return code;
  const struct qsm_table_plot plot = {
      .title = wanted->title, .x = wanted->x, .y = wanted->y, .lines = wanted->lines};
  if (table.n_rows == 0) {
    snprintf(report->msg, sizeof report->msg, "%s: nothing in table %s to plot", db, wanted->name);
    code = complain(QSM_EXIT_BAD_INPUT, report->msg);
  } else if (qsm_table_plot(&table, &plot, path, report->msg, sizeof report->msg)) {
    code = complain(QSM_EXIT_ENVIRONMENT, report->msg);
  } else {
    printf("%s\n", path);
  }
  qsm_table_clear(&table);
  return code;
}

enum qsm_exit qsm_report(const struct qsm_report_options *options) {
  struct report report = {.options = options};
  report.store = qsm_store_open(options->db, QSM_STORE_READ, report.msg, sizeof report.msg);
  if (!report.store) return complain(QSM_EXIT_ENVIRONMENT, report.msg);
  enum qsm_exit code = options->plot    ? draw(&report, find_table(options->plot))
                       : options->table ? print(&report, find_table(options->table))
                       : options->csv   ? print(&report, &all_results)
                                        : print_all(&report);
  qsm_store_close(report.store);
  return code;
}
