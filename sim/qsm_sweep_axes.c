// SPDX-License-Identifier: Apache-2.0
#include "qsm_sweep_axes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_scenario.h"

int qsm_sweep_refuse(const char *path, unsigned line, char *msg, size_t msg_len, const char *format,
                     ...) {
  char what[512];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  snprintf(msg, msg_len, "%s:%u: %s", path, line, what);
  return -1;
}

static bool contains(const char *const *names, const char *name) {
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

static unsigned line_of(const yaml_node_t *node) { return (unsigned)node->start_mark.line + 1; }
static const char *scalar(const yaml_node_t *node) { return (const char *)node->data.scalar.value; }
static unsigned n_items(const yaml_node_t *node) {
  return (unsigned)(node->data.sequence.items.top - node->data.sequence.items.start);
}
static yaml_node_t *item(const struct qsm_sweep_axes *axes, const yaml_node_t *node, unsigned i) {
  return yaml_document_get_node(axes->document, node->data.sequence.items.start[i]);
}

// ---- Axes ----

// Keys whose value in a scenario is a list already.
static bool is_list_key(const char *key) {
  return contains((const char *const[]){"grid", "block", "args", "quota_rules", NULL}, key);
}

static bool is_plain_list(const struct qsm_sweep_axes *axes, const yaml_node_t *node) {
  if (node->type != YAML_SEQUENCE_NODE) return false;
  for (unsigned i = 0; i < n_items(node); i++)
    if (item(axes, node, i)->type != YAML_SCALAR_NODE) return false;
  return true;
}

// Keys whose value in a scenario may be a mapping.
static bool is_mapping_key(const char *key) { return strcmp(key, "goal") == 0; }

static bool is_plain_mapping(const struct qsm_sweep_axes *axes, const yaml_node_t *node) {
  if (node->type != YAML_MAPPING_NODE) return false;
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
       pair < node->data.mapping.pairs.top; pair++)
    if (yaml_document_get_node(axes->document, pair->key)->type != YAML_SCALAR_NODE ||
        yaml_document_get_node(axes->document, pair->value)->type != YAML_SCALAR_NODE)
      return false;
  return true;
}

static bool has_alternatives(const struct qsm_sweep_axes *axes, const char *key,
                             const yaml_node_t *value) {
  return value->type == YAML_SEQUENCE_NODE && !(is_list_key(key) && is_plain_list(axes, value));
}

static int check_value(const struct qsm_sweep_axes *axes, const char *key, const yaml_node_t *value,
                       char *msg, size_t msg_len) {
  bool alternatives = has_alternatives(axes, key, value);
  if (alternatives && n_items(value) == 0)
    return qsm_sweep_refuse(axes->path, line_of(value), msg, msg_len, "%s: the list is empty", key);
  for (unsigned i = 0; i < (alternatives ? n_items(value) : 1); i++) {
    const yaml_node_t *choice = alternatives ? item(axes, value, i) : value;
    if (choice->type == YAML_SCALAR_NODE || (is_list_key(key) && is_plain_list(axes, choice)) ||
        (is_mapping_key(key) && is_plain_mapping(axes, choice)))
      continue;
    return qsm_sweep_refuse(axes->path, line_of(choice), msg, msg_len,
                            "%s: must be a value or a list of values", key);
  }
  return 0;
}

static int add_axis(struct qsm_sweep_axes *axes, const struct qsm_sweep_axis *axis, char *msg,
                    size_t msg_len) {
  if (check_value(axes, axis->key, axis->value, msg, msg_len)) return -1;
  for (unsigned i = 0; axis->overlay && i < axes->n; i++) {
    struct qsm_sweep_axis *old = &axes->list[i];
    if (old->kernel != axis->kernel || strcmp(old->key, axis->key) != 0 ||
        old->overlay == axis->overlay)
      continue;
    *old = *axis;
    return 0;
  }
  if (axes->n == QSM_SWEEP_MAX_AXES)
    return qsm_sweep_refuse(axes->path, axis->line, msg, msg_len, "%s: more than %d keys",
                            axis->key, QSM_SWEEP_MAX_AXES);
  axes->list[axes->n++] = *axis;
  return 0;
}

static int add_mapping(struct qsm_sweep_axes *axes, int kernel, yaml_node_t *mapping,
                       const char *overlay, const char *const *skip, char *msg, size_t msg_len);

static int add_kernels(struct qsm_sweep_axes *axes, yaml_node_t *kernels, const char *overlay,
                       char *msg, size_t msg_len) {
  static const char *const none[] = {NULL};
  if (kernels->type != YAML_SEQUENCE_NODE)
    return qsm_sweep_refuse(axes->path, line_of(kernels), msg, msg_len,
                            "kernels: must be a list of kernels");
  unsigned n = n_items(kernels);
  if (n > QSM_SCENARIO_MAX_KERNELS)
    return qsm_sweep_refuse(axes->path, line_of(kernels), msg, msg_len, "kernels: more than %d",
                            QSM_SCENARIO_MAX_KERNELS);
  if (n > axes->n_kernels) axes->n_kernels = n;
  for (unsigned i = 0; i < n; i++)
    if (add_mapping(axes, (int)i, item(axes, kernels, i), overlay, none, msg, msg_len)) return -1;
  return 0;
}

static int add_mapping(struct qsm_sweep_axes *axes, int kernel, yaml_node_t *mapping,
                       const char *overlay, const char *const *skip, char *msg, size_t msg_len) {
  if (mapping->type != YAML_MAPPING_NODE)
    return qsm_sweep_refuse(axes->path, line_of(mapping), msg, msg_len,
                            "must be keys of a scenario with their values");
  for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
       pair < mapping->data.mapping.pairs.top; pair++) {
    yaml_node_t *key = yaml_document_get_node(axes->document, pair->key),
                *value = yaml_document_get_node(axes->document, pair->value);
    if (key->type != YAML_SCALAR_NODE)
      return qsm_sweep_refuse(axes->path, line_of(key), msg, msg_len, "a key must be a name");
    if (contains(skip, scalar(key))) continue;
    bool is_kernels = kernel == QSM_SWEEP_TOP && strcmp(scalar(key), "kernels") == 0;
    struct qsm_sweep_axis axis = {.kernel = kernel,
                                  .key = scalar(key),
                                  .overlay = overlay,
                                  .line = line_of(key),
                                  .value = value};
    axis.n_choices = has_alternatives(axes, axis.key, value) ? n_items(value) : 1;
    if (is_kernels ? add_kernels(axes, value, overlay, msg, msg_len)
                   : add_axis(axes, &axis, msg, msg_len))
      return -1;
  }
  return 0;
}

int qsm_sweep_add(struct qsm_sweep_axes *axes, yaml_node_t *mapping, const char *overlay,
                  const char *const *skip, char *msg, size_t msg_len) {
  return add_mapping(axes, QSM_SWEEP_TOP, mapping, overlay, skip, msg, msg_len);
}

bool qsm_sweep_next(struct qsm_sweep_axes *axes) {
  for (unsigned i = axes->n; i-- > 0;) {
    if (++axes->list[i].choice < axes->list[i].n_choices) return true;
    axes->list[i].choice = 0;
  }
  return false;
}

static yaml_node_t *chosen(const struct qsm_sweep_axes *axes, const struct qsm_sweep_axis *axis) {
  return has_alternatives(axes, axis->key, axis->value) ? item(axes, axis->value, axis->choice)
                                                        : axis->value;
}

static const char *scalar_of(const struct qsm_sweep_axes *axes, int index) {
  return scalar(yaml_document_get_node(axes->document, index));
}

void qsm_sweep_value(const struct qsm_sweep_axes *axes, const struct qsm_sweep_axis *axis,
                     char *text, size_t len) {
  const yaml_node_t *node = chosen(axes, axis);
  size_t at = 0;
  text[0] = 0;
  if (node->type == YAML_SCALAR_NODE) snprintf(text, len, "%s", scalar(node));
  if (node->type == YAML_SEQUENCE_NODE && n_items(node) == 0) snprintf(text, len, "none");
  for (unsigned i = 0; node->type == YAML_SEQUENCE_NODE && i < n_items(node) && at < len; i++)
    at += (size_t)snprintf(text + at, len - at, "%s%s", i ? "," : "", scalar(item(axes, node, i)));
  if (node->type != YAML_MAPPING_NODE) return;
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
       pair < node->data.mapping.pairs.top && at < len; pair++)
    at += (size_t)snprintf(text + at, len - at, "%s%s %s", at ? " " : "",
                           scalar_of(axes, pair->key), scalar_of(axes, pair->value));
}

// ---- Canonical text ----

struct writer {
  FILE *out;
  unsigned *lines;  // of the file, for each line written
  size_t n_lines;
  bool failed;
};

static void end_line(struct writer *writer, unsigned line) {
  unsigned *longer =
      realloc(writer->lines, (writer->n_lines + 2) *
                                 sizeof *longer);  // one more: a complaint may be about the end
  if (!longer) {
    writer->failed = true;
    return;
  }
  writer->lines = longer;
  longer[writer->n_lines++] = line;
  longer[writer->n_lines] = line;
  fputc('\n', writer->out);
}

static void put_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    if ((unsigned char)*text < ' ')
      fprintf(out, "\\u%04x", (unsigned char)*text);
    else
      fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  }
  fputc('"', out);
}

static void put_mapping(FILE *out, const struct qsm_sweep_axes *axes, const yaml_node_t *node) {
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
       pair < node->data.mapping.pairs.top; pair++) {
    fputs(pair == node->data.mapping.pairs.start ? "{" : ", ", out);
    put_string(out, scalar_of(axes, pair->key));
    fputs(": ", out);
    put_string(out, scalar_of(axes, pair->value));
  }
  fputs(node->data.mapping.pairs.start == node->data.mapping.pairs.top ? "{}" : "}", out);
}

static void put_axis(struct writer *writer, const struct qsm_sweep_axes *axes,
                     const struct qsm_sweep_axis *axis) {
  const yaml_node_t *node = chosen(axes, axis);
  put_string(writer->out, axis->key);
  fputs(": ", writer->out);
  if (node->type == YAML_SCALAR_NODE) {
    put_string(writer->out, scalar(node));
    return;
  }
  if (node->type == YAML_MAPPING_NODE) {
    put_mapping(writer->out, axes, node);
    return;
  }
  fputc('[', writer->out);
  for (unsigned i = 0; i < n_items(node); i++) {
    if (i) fputs(", ", writer->out);
    put_string(writer->out, scalar(item(axes, node, i)));
  }
  fputc(']', writer->out);
}

// Alone, such a kernel is in the ordinary form, on all SMs.
static bool in_workers(const struct qsm_sweep_axes *axes, int kernel) {
  for (unsigned i = 0; i < axes->n; i++) {
    const struct qsm_sweep_axis *axis = &axes->list[i];
    if (axis->kernel == kernel && strcmp(axis->key, "workers") == 0)
      return strcmp(scalar(chosen(axes, axis)), "off") != 0;
  }
  return false;
}

// What makes no difference to a kernel that is alone.
static bool left_out_alone(const struct qsm_sweep_axes *axes, const struct qsm_sweep_axis *axis) {
  static const char *const top[] = {
      "scheme",       "alpha_cap",  "rollover_cap",   "goal_margin", "nonqos_ipc",
      "adjust",       "latecomers", "move_technique", "sm_gating",   "wake_latency",
      "sm_threshold", "sm_step",    "quota_rules",    "admission",   NULL};
  static const char *const of_kernel[] = {
      "name",     "goal",         "budget",   "save_images", "idempotent",
      "sm_count", "thread_limit", "instance", "workers",     "workers_per_sm",
      "arrival",  "deadline",     "work",     "priority",    NULL};
  if (strcmp(axis->key, "sms") == 0) return in_workers(axes, axis->kernel);
  return contains(axis->kernel == QSM_SWEEP_TOP ? top : of_kernel, axis->key);
}

static int by_key(const void *a, const void *b) {
  const struct qsm_sweep_axis *const *left = a, *const *right = b;
  int order = strcmp((*left)->key, (*right)->key);
  return order ? order : (*left)->line<(*right)->line ? -1 : (*left)->line>(*right)->line;
}

// The axes of one kernel, or of the scenario itself, in alphabetical order.
static unsigned sorted(const struct qsm_sweep_axes *axes, int kernel, bool alone,
                       const struct qsm_sweep_axis *list[QSM_SWEEP_MAX_AXES]) {
  unsigned n = 0;
  for (unsigned i = 0; i < axes->n; i++)
    if (axes->list[i].kernel == kernel && !(alone && left_out_alone(axes, &axes->list[i])))
      list[n++] = &axes->list[i];
  qsort(list, n, sizeof *list, by_key);
  return n;
}

static void put_kernel(struct writer *writer, const struct qsm_sweep_axes *axes, int kernel,
                       bool alone, bool last) {
  const struct qsm_sweep_axis *list[QSM_SWEEP_MAX_AXES];
  unsigned n = sorted(axes, kernel, alone, list);
  for (unsigned i = 0; i < n; i++) {
    fputs(i ? "   " : "  {", writer->out);
    put_axis(writer, axes, list[i]);
    if (i + 1 < n)
      fputc(',', writer->out);
    else
      fputs(last ? "}" : "},", writer->out);
    end_line(writer, list[i]->line);
  }
  if (n) return;
  fputs(last ? "  {}" : "  {},", writer->out);
  end_line(writer, 1);
}

static void put_kernels(struct writer *writer, const struct qsm_sweep_axes *axes, int kernel) {
  bool alone = kernel != QSM_SWEEP_TOP;
  fputs(" \"kernels\": [", writer->out);
  end_line(writer, 1);
  for (int i = alone ? kernel : 0; i < (alone ? kernel + 1 : (int)axes->n_kernels); i++)
    put_kernel(writer, axes, i, alone, alone || i + 1 == (int)axes->n_kernels);
  fputs(" ]", writer->out);
}

char *qsm_sweep_text(const struct qsm_sweep_axes *axes, int kernel, unsigned **lines) {
  const struct qsm_sweep_axis *list[QSM_SWEEP_MAX_AXES];
  char *text = NULL;
  size_t len = 0;
  struct writer writer = {.out = open_memstream(&text, &len)};
  if (!writer.out) return NULL;
  unsigned n = sorted(axes, QSM_SWEEP_TOP, kernel != QSM_SWEEP_TOP, list);
  fputc('{', writer.out);
  end_line(&writer, 1);
  for (unsigned i = 0; i < n; i++) {
    fputc(' ', writer.out);
    put_axis(&writer, axes, list[i]);
    fputc(',', writer.out);
    end_line(&writer, list[i]->line);
  }
  put_kernels(&writer, axes, kernel);
  end_line(&writer, 1);
  fputs("}\n", writer.out);
  bool failed = fclose(writer.out) != 0 || writer.failed;
  if (failed) {
    free(text);
    text = NULL;
  }
  if (lines && text)
    *lines = writer.lines;
  else
    free(writer.lines);
  return text;
}
