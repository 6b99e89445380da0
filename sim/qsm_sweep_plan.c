// SPDX-License-Identifier: Apache-2.0
#include "qsm_sweep_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "qsm_sweep_axes.h"
#include "qsm_yaml.h"

// Which combinations of programs are runs.
enum pick { PICK_ANY, PICK_DISTINCT, PICK_SAME };
static const char *const pick_names[] = {"any", "distinct", "same"};

static const char variants_key[] = "variants", cases_key[] = "cases", programs_key[] = "programs",
                  label_key[] = "label";
static const char *const keys_of_sweep[] = {variants_key, cases_key, programs_key, NULL};
static const char *const keys_of_variant[] = {label_key, NULL};
static const char *const keys_of_case[] = {NULL};

// A run's name in tables, and what it runs: no two have one of these in common.
struct title {
  UT_hash_handle hh, hh_scenario;
  const char *scenario;  // the plan's
  char text[];
};

struct planner {
  const char *path;
  yaml_document_t document;
  yaml_node_t *root;
  enum pick pick;
  struct qsm_sweep_plan *plan;
  struct title *titles, *scenarios;
  char *msg;
  size_t msg_len;
};

__attribute__((format(printf, 3, 4))) static int refuse(struct planner *planner, unsigned line,
                                                        const char *format, ...) {
  char what[512];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return qsm_sweep_refuse(planner->path, line, planner->msg, planner->msg_len, "%s", what);
}

static unsigned line_of(const yaml_node_t *node) { return (unsigned)node->start_mark.line + 1; }

// Value of a key of a mapping, or NULL.
static yaml_node_t *lookup(struct planner *planner, const yaml_node_t *mapping, const char *key) {
  for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
       pair < mapping->data.mapping.pairs.top; pair++) {
    const yaml_node_t *name = yaml_document_get_node(&planner->document, pair->key);
    if (name->type == YAML_SCALAR_NODE && strcmp((const char *)name->data.scalar.value, key) == 0)
      return yaml_document_get_node(&planner->document, pair->value);
  }
  return NULL;
}

// ---- Titles ----

static void append(char *text, size_t len, const char *separator, const char *more) {
  size_t at = strlen(text);
  snprintf(text + at, len - at, "%s%s", at ? separator : "", more);
}

static bool is_one_of(const char *const *names, const char *name) {
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

// Programs, goals and seeds say on what variants are compared.
static bool names_the_case(const struct qsm_sweep_axis *axis) {
  static const char *const top[] = {"seed", NULL}, *const of_kernel[] = {"program", "elf",
                                                                         "symbol",  "name",
                                                                         "goal",    NULL};
  return is_one_of(axis->kernel == QSM_SWEEP_TOP ? top : of_kernel, axis->key);
}

static void append_choice(const struct qsm_sweep_axes *axes, const struct qsm_sweep_axis *axis,
                          char *text, size_t len) {
  static const char *const plain[] = {"scheme", "policy", "config", "size", NULL};
  char value[96], part[128];
  qsm_sweep_value(axes, axis, value, sizeof value);
  if (is_one_of(plain, axis->key))
    snprintf(part, sizeof part, "%s", value);
  else
    snprintf(part, sizeof part, "%s=%s", axis->key, value);
  append(text, len, " ", part);
}

static void title_variant(const struct qsm_sweep_axes *axes, const char *label,
                          const struct qsm_scenario *scenario, struct qsm_sweep_run *run) {
  if (label) append(run->variant, sizeof run->variant, " ", label);
  for (unsigned i = 0; i < axes->n; i++) {
    const struct qsm_sweep_axis *axis = &axes->list[i];
    bool varies = axis->n_choices > 1 || (!label && axis->overlay == variants_key);
    if (varies && !names_the_case(axis))
      append_choice(axes, axis, run->variant, sizeof run->variant);
  }
  if (!run->variant[0])
    append(run->variant, sizeof run->variant, " ", qsm_scenario_scheme_name(scenario));
  append(run->label, sizeof run->label, "", label ? label : run->variant);
}

static void title_case(const struct qsm_sweep_axes *axes, const struct qsm_scenario *scenario,
                       struct qsm_sweep_run *run) {
  run->seed = scenario->seed;
  for (uint32_t i = 0; i < scenario->n_kernels; i++)
    append(run->programs, sizeof run->programs, " + ", scenario->kernels[i].name);
  for (uint32_t k = 0; k < scenario->n_kernels; k++)
    for (unsigned i = 0; i < axes->n; i++)
      if (axes->list[i].kernel == (int)k && strcmp(axes->list[i].key, "goal") == 0) {
        char value[96];
        qsm_sweep_value(axes, &axes->list[i], value, sizeof value);
        append(run->goal, sizeof run->goal, ", ", value);
      }
}

void qsm_sweep_run_title(const struct qsm_sweep_run *run, char *text, size_t len) {
  snprintf(text, len, "%s, %s%s%s, seed %" PRIu64, run->variant, run->programs,
           run->goal[0] ? ", goal " : "", run->goal, run->seed);
}

static int check_title(struct planner *planner, const struct qsm_sweep_run *run) {
  char text[640];
  qsm_sweep_run_title(run, text, sizeof text);
  struct title *title = NULL;
  HASH_FIND_STR(planner->titles, text, title);
  if (title)
    return refuse(planner, 1, "two runs are both called '%s'; a label or a name tells them apart",
                  text);
  HASH_FIND(hh_scenario, planner->scenarios, run->scenario, strlen(run->scenario), title);
  if (title)
    return refuse(planner, 1, "'%s' and '%s' run the same; one of them has to go", title->text,
                  text);
  title = calloc(1, sizeof *title + strlen(text) + 1);
  if (!title) return refuse(planner, 1, "out of memory");
  title->scenario = run->scenario;
  memcpy(title->text, text, strlen(text));
  HASH_ADD_STR(planner->titles, text, title);
  HASH_ADD_KEYPTR(hh_scenario, planner->scenarios, title->scenario, strlen(title->scenario), title);
  return 0;
}

// ---- Runs ----

static bool same_program(const struct qsm_scenario_kernel *a, const struct qsm_scenario_kernel *b) {
  return a->program == b->program && strcmp(a->elf, b->elf) == 0 &&
         strcmp(a->symbol, b->symbol) == 0;
}

static bool is_picked(enum pick pick, const struct qsm_scenario *scenario) {
  for (uint32_t i = 0; pick != PICK_ANY && i < scenario->n_kernels; i++)
    for (uint32_t j = 0; j < i; j++)
      if (same_program(&scenario->kernels[i], &scenario->kernels[j]) != (pick == PICK_SAME))
        return false;
  return true;
}

static void clear_run(struct qsm_sweep_run *run) {
  free(run->scenario);
  for (uint32_t i = 0; i < QSM_SCENARIO_MAX_KERNELS; i++) free(run->alone[i]);
}

// Room for one more run; NULL with a message.
static struct qsm_sweep_run *grow(struct planner *planner) {
  struct qsm_sweep_plan *plan = planner->plan;
  if (plan->n_runs == QSM_SWEEP_MAX_RUNS) {
    refuse(planner, 1, "more than %d runs", QSM_SWEEP_MAX_RUNS);
    return NULL;
  }
  if ((plan->n_runs & (plan->n_runs - 1)) == 0) {  // doubles at powers of two
    struct qsm_sweep_run *more =
        realloc(plan->runs, (plan->n_runs ? 2 * (size_t)plan->n_runs : 1) * sizeof *more);
    if (!more) {
      refuse(planner, 1, "out of memory");
      return NULL;
    }
    plan->runs = more;
  }
  struct qsm_sweep_run *run = &plan->runs[plan->n_runs++];
  *run = (struct qsm_sweep_run){.n_kernels = 0};
  return run;
}

static int load_scenario(struct planner *planner, const char *text, const unsigned *lines,
                         struct qsm_scenario *scenario) {
  const struct qsm_yaml_source source = {planner->path, text, lines};
  if (qsm_scenario_load(&source, scenario, planner->msg, planner->msg_len)) return -1;
  if (!scenario->compare_without_qos) return 0;
  return refuse(planner, qsm_yaml_line_of(&source, "compare_without_qos"),
                "compare_without_qos: a sweep compares by scheme: [none, ...]");
}

static int add_run(struct planner *planner, const struct qsm_sweep_axes *axes, const char *label) {
  struct qsm_scenario scenario;
  unsigned *lines = NULL;
  char *text = qsm_sweep_text(axes, QSM_SWEEP_TOP, &lines);
  if (!text) return refuse(planner, 1, "out of memory");
  int status = load_scenario(planner, text, lines, &scenario);
  free(lines);
  struct qsm_sweep_run *run =
      status == 0 && is_picked(planner->pick, &scenario) ? grow(planner) : NULL;
  if (!run) {
    free(text);
    return status || planner->msg[0] ? -1 : 0;
  }
  run->scenario = text;
  run->n_kernels = scenario.n_kernels;
  for (uint32_t i = 0; i < run->n_kernels; i++) {
    run->alone[i] = qsm_sweep_text(axes, (int)i, NULL);
    if (!run->alone[i]) return refuse(planner, 1, "out of memory");
  }
  title_variant(axes, label, &scenario, run);
  title_case(axes, &scenario, run);
  return check_title(planner, run);
}

// All runs of one case under one variant (each NULL where the file has no such list).
static int expand(struct planner *planner, yaml_node_t *one_case, yaml_node_t *variant) {
  struct qsm_sweep_axes axes = {.path = planner->path, .document = &planner->document};
  const char *label = NULL;
  if (qsm_sweep_add(&axes, planner->root, NULL, keys_of_sweep, planner->msg, planner->msg_len))
    return -1;
  if (one_case &&
      qsm_sweep_add(&axes, one_case, cases_key, keys_of_case, planner->msg, planner->msg_len))
    return -1;
  if (variant &&
      qsm_sweep_add(&axes, variant, variants_key, keys_of_variant, planner->msg, planner->msg_len))
    return -1;
  if (axes.n_kernels == 0) return refuse(planner, 1, "Missing required mapping field: kernels");
  const yaml_node_t *node = variant ? lookup(planner, variant, label_key) : NULL;
  if (node && node->type != YAML_SCALAR_NODE)
    return refuse(planner, line_of(node), "label: must be a text");
  if (node) label = (const char *)node->data.scalar.value;
  do
    if (add_run(planner, &axes, label)) return -1;
  while (qsm_sweep_next(&axes));
  return 0;
}

// ---- File ----

static int read_pick(struct planner *planner) {
  const yaml_node_t *node = lookup(planner, planner->root, programs_key);
  if (!node) return 0;
  for (int i = PICK_ANY; node->type == YAML_SCALAR_NODE && i <= PICK_SAME; i++) {
    if (strcmp((const char *)node->data.scalar.value, pick_names[i]) != 0) continue;
    planner->pick = (enum pick)i;
    return 0;
  }
  return refuse(planner, line_of(node), "programs: must be one of any, distinct, same");
}

// A list of mappings; *n = 1 and *list = NULL where the file has none.
static int read_list(struct planner *planner, const char *key, yaml_node_t **list, unsigned *n) {
  *list = lookup(planner, planner->root, key);
  *n = 1;
  if (!*list) return 0;
  if ((*list)->type == YAML_SEQUENCE_NODE)
    *n = (unsigned)((*list)->data.sequence.items.top - (*list)->data.sequence.items.start);
  if ((*list)->type == YAML_SEQUENCE_NODE && *n) return 0;
  return refuse(planner, line_of(*list),
                "%s: must be a list of keys of a scenario with their values", key);
}

static yaml_node_t *entry(struct planner *planner, const yaml_node_t *list, unsigned i) {
  return list ? yaml_document_get_node(&planner->document, list->data.sequence.items.start[i])
              : NULL;
}

static int expand_all(struct planner *planner) {
  yaml_node_t *variants, *cases;
  unsigned n_variants, n_cases;
  planner->root = yaml_document_get_root_node(&planner->document);
  if (!planner->root) return refuse(planner, 1, "the file is empty");
  if (planner->root->type != YAML_MAPPING_NODE)
    return refuse(planner, 1, "must be keys of a scenario with their values");
  if (read_pick(planner) || read_list(planner, variants_key, &variants, &n_variants) ||
      read_list(planner, cases_key, &cases, &n_cases))
    return -1;
  for (unsigned v = 0; v < n_variants; v++)
    for (unsigned c = 0; c < n_cases; c++)
      if (expand(planner, entry(planner, cases, c), entry(planner, variants, v))) return -1;
  if (planner->plan->n_runs) return 0;
  return refuse(planner, 1, "no run is left: programs: %s leaves out every combination",
                pick_names[planner->pick]);
}

static int load_document(struct planner *planner) {
  yaml_parser_t parser;
  FILE *file = fopen(planner->path, "r");
  if (!file) {
    snprintf(planner->msg, planner->msg_len, "%s: cannot open: %s", planner->path, strerror(errno));
    return -1;
  }
  int status = -1;
  if (yaml_parser_initialize(&parser)) {
    yaml_parser_set_input_file(&parser, file);
    if (yaml_parser_load(&parser, &planner->document))
      status = 0;
    else
      refuse(planner, (unsigned)parser.problem_mark.line + 1, "%s",
             parser.problem ? parser.problem : "cannot be read");
    yaml_parser_delete(&parser);
  }
  fclose(file);
  return status;
}

int qsm_sweep_plan_load(const char *path, struct qsm_sweep_plan **plan, char *msg, size_t msg_len) {
  struct planner planner = {
      .path = path, .msg = msg, .msg_len = msg_len, .plan = calloc(1, sizeof *planner.plan)};
  msg[0] = 0;
  if (!planner.plan) return refuse(&planner, 1, "out of memory");
  int status = load_document(&planner);
  if (status == 0) {
    status = expand_all(&planner);
    yaml_document_delete(&planner.document);
  }
  struct title *title, *next;
  HASH_CLEAR(hh_scenario, planner.scenarios);
  HASH_ITER(hh, planner.titles, title, next) {
    HASH_DEL(planner.titles, title);
    free(title);
  }
  if (status == 0)
    *plan = planner.plan;
  else
    qsm_sweep_plan_free(planner.plan);
  return status;
}

void qsm_sweep_plan_free(struct qsm_sweep_plan *plan) {
  if (!plan) return;
  for (uint32_t i = 0; i < plan->n_runs; i++) clear_run(&plan->runs[i]);
  free(plan->runs);
  free(plan);
}
