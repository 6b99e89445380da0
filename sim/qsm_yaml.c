// SPDX-License-Identifier: Apache-2.0
#include "qsm_yaml.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

// What libcyaml logged about the first error.
struct complaint {
  char what[256];
  char field[48];
  unsigned line;  // 0: not told
};

static void keep_complaint(cyaml_log_t level, void *ctx, const char *fmt, va_list args) {
  static const char prefix[] = "Load: ";
  struct complaint *complaint = ctx;
  char text[256];
  vsnprintf(text, sizeof text, fmt, args);
  text[strcspn(text, "\n")] = '\0';
  if (level != CYAML_LOG_ERROR) return;
  const char *place = strstr(text, "(line: ");
  if (place != NULL) {  // of the backtrace only the innermost place matters
    if (complaint->line > 0) return;
    sscanf(place, "(line: %u", &complaint->line);
    sscanf(text, "  in mapping field '%47[^']'", complaint->field);
  } else if (complaint->what[0] == '\0') {
    const size_t skip = strncmp(text, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
    snprintf(complaint->what, sizeof complaint->what, "%s", text + skip);
  }
}

// The key that a complaint is about, where libcyaml would tell the place before the key instead of
// the key's; else NULL.
static const char *key_of(const char *what) {
  static const char *const about_keys[] = {"Unexpected key: ", "Mapping field already seen: "};
  for (size_t i = 0; i < sizeof about_keys / sizeof about_keys[0]; i++) {
    const size_t len = strlen(about_keys[i]);
    if (strncmp(what, about_keys[i], len) == 0) return what + len;
  }
  return NULL;
}

static unsigned line_in_file(const struct qsm_yaml_source *source, unsigned line) {
  return source->lines != NULL && line > 0 ? source->lines[line - 1] : line;
}

static int report(const struct qsm_yaml_source *source, struct complaint *complaint,
                  cyaml_err_t error, char *msg, size_t msg_len) {
  static const char wrong_type[] = "Expecting ";
  if (error == CYAML_ERR_FILE_OPEN) {
    snprintf(msg, msg_len, "%s: cannot open: %s", source->path, strerror(errno));
    return -1;
  }
  const char *key = key_of(complaint->what);
  const unsigned line =
      key != NULL ? qsm_yaml_line_of(source, key) : line_in_file(source, complaint->line);
  // Other complaints name their key, or are of the YAML itself, and the field is then a neighbour.
  const bool of_field =
      complaint->field[0] != '\0' && strncmp(complaint->what, wrong_type, strlen(wrong_type)) == 0;
  snprintf(msg, msg_len, "%s:%u: %s%s%s", source->path, line > 0 ? line : 1,
           of_field ? complaint->field : "", of_field ? ": " : "",
           complaint->what[0] != '\0' ? complaint->what : cyaml_strerror(error));
  return -1;
}

static cyaml_config_t cyaml_settings(struct complaint *complaint) {
  return (cyaml_config_t){.log_fn = keep_complaint,
                          .log_ctx = complaint,
                          .log_level = CYAML_LOG_WARNING,
                          .mem_fn = cyaml_mem};
}

int qsm_yaml_load(const struct qsm_yaml_source *source, const cyaml_schema_value_t *schema,
                  void **data, char *msg, size_t msg_len) {
  struct complaint complaint = {.line = 0};
  const cyaml_config_t settings = cyaml_settings(&complaint);
  void *loaded = NULL;
  errno = 0;
  const cyaml_err_t error =
      source->text != NULL ? cyaml_load_data((const uint8_t *)source->text, strlen(source->text),
                                             &settings, schema, &loaded, NULL)
                           : cyaml_load_file(source->path, &settings, schema, &loaded, NULL);
  if (error != CYAML_OK) return report(source, &complaint, error, msg, msg_len);
  if (loaded == NULL) {
    snprintf(msg, msg_len, "%s:1: the file is empty", source->path);
    return -1;
  }
  *data = loaded;
  return 0;
}

void qsm_yaml_free(const cyaml_schema_value_t *schema, void *data) {
  struct complaint ignored = {.line = 0};
  const cyaml_config_t settings = cyaml_settings(&ignored);
  if (data != NULL) cyaml_free(&settings, schema, data, 0);
}

static FILE *open_source(const struct qsm_yaml_source *source) {
  return source->text != NULL ? fmemopen((void *)(uintptr_t)source->text, strlen(source->text), "r")
                              : fopen(source->path, "r");
}

static int load_document(const struct qsm_yaml_source *source, yaml_document_t *document) {
  yaml_parser_t parser;
  FILE *file = open_source(source);
  if (file == NULL) return -1;
  int loaded = yaml_parser_initialize(&parser);
  if (loaded) {
    yaml_parser_set_input_file(&parser, file);
    loaded = yaml_parser_load(&parser, document);
    yaml_parser_delete(&parser);
  }
  fclose(file);
  return loaded ? 0 : -1;
}

static const char *text_of(const yaml_node_t *node) {
  return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static yaml_node_t *value_of(yaml_document_t *document, const yaml_node_t *mapping,
                             const char *key) {
  if (mapping == NULL || mapping->type != YAML_MAPPING_NODE) return NULL;
  for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
       pair < mapping->data.mapping.pairs.top; pair++) {
    const char *text = text_of(yaml_document_get_node(document, pair->key));
    if (text != NULL && strcmp(text, key) == 0)
      return yaml_document_get_node(document, pair->value);
  }
  return NULL;
}

static yaml_node_t *entry_of(yaml_document_t *document, const yaml_node_t *list, unsigned index) {
  if (list == NULL || list->type != YAML_SEQUENCE_NODE ||
      index >= list->data.sequence.items.top - list->data.sequence.items.start)
    return NULL;
  return yaml_document_get_node(document, list->data.sequence.items.start[index]);
}

// False where one is no text or too long.
static bool copy_pair(const char *key, const char *text, struct qsm_yaml_pair *pair) {
  return key != NULL && text != NULL &&
         snprintf(pair->key, sizeof pair->key, "%s", key) < (int)sizeof pair->key &&
         snprintf(pair->text, sizeof pair->text, "%s", text) < (int)sizeof pair->text;
}

// Returns what is wrong, or NULL.
static const char *copy_pairs(yaml_document_t *document, const yaml_node_t *node,
                              struct qsm_yaml_pair *pairs, unsigned most, unsigned *n) {
  static const char wrong[] = "must be text, or a mapping of texts";
  if (node->type != YAML_MAPPING_NODE) {
    *n = 1;
    return copy_pair("", text_of(node), &pairs[0]) ? NULL : wrong;
  }
  for (const yaml_node_pair_t *at = node->data.mapping.pairs.start;
       at < node->data.mapping.pairs.top; at++, ++*n) {
    if (*n == most) return "too many keys";
    if (!copy_pair(text_of(yaml_document_get_node(document, at->key)),
                   text_of(yaml_document_get_node(document, at->value)), &pairs[*n]))
      return wrong;
    for (unsigned i = 0; i < *n; i++)
      if (strcmp(pairs[i].key, pairs[*n].key) == 0) return "has a key twice";
  }
  return NULL;
}

int qsm_yaml_pairs(const struct qsm_yaml_source *source, const char *list, unsigned index,
                   const char *key, struct qsm_yaml_pair *pairs, unsigned most, unsigned *n,
                   char *msg, size_t msg_len) {
  yaml_document_t document;
  *n = 0;
  if (load_document(source, &document)) {
    snprintf(msg, msg_len, "%s: cannot read again", source->path);
    return -1;
  }
  const yaml_node_t *node = value_of(
      &document,
      entry_of(&document, value_of(&document, yaml_document_get_root_node(&document), list), index),
      key);
  const char *wrong = node != NULL ? copy_pairs(&document, node, pairs, most, n) : NULL;
  if (wrong != NULL)
    snprintf(msg, msg_len, "%s:%u: %s: %s", source->path,
             line_in_file(source, (unsigned)node->start_mark.line + 1), key, wrong);
  yaml_document_delete(&document);
  return wrong != NULL ? -1 : 0;
}

int qsm_yaml_uint(const char *text, uint64_t largest, uint64_t *value) {
  uint64_t sum = 0;
  if (*text == '\0') return -1;
  for (; *text != '\0'; text++) {
    if (!isdigit((unsigned char)*text)) return -1;
    const uint64_t digit = (uint64_t)(*text - '0');
    if (digit > largest || sum > (largest - digit) / 10) return -1;
    sum = sum * 10 + digit;
  }
  *value = sum;
  return 0;
}

unsigned qsm_yaml_line_of(const struct qsm_yaml_source *source, const char *key) {
  FILE *file = open_source(source);
  if (file == NULL) return 0;
  const size_t key_len = strlen(key);
  char text[512];
  unsigned found = 0;
  for (unsigned line = 1; found == 0 && fgets(text, sizeof text, file) != NULL; line++) {
    const char *start = text + strspn(text, " -{\"'");
    const char *after = start + key_len;
    if (strncmp(start, key, key_len) == 0 && after[strspn(after, " \"'")] == ':') found = line;
  }
  fclose(file);
  return line_in_file(source, found);
}
