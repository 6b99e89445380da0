// SPDX-License-Identifier: Apache-2.0
#include "qsm_config_yaml.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_yaml.h"

// The file's values as written; read_numbers() turns them into numbers.
struct texts {
#define TEXT(key, sv, kind, least, largest) char *key;
  QSM_CONFIG_HARDWARE(TEXT) QSM_CONFIG_ENVIRONMENT(TEXT)
#undef TEXT
};

static const cyaml_schema_field_t fields[] = {
#define TEXT(key, sv, kind, least, largest) \
  CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, struct texts, key, 0, CYAML_UNLIMITED),
    QSM_CONFIG_HARDWARE(TEXT) QSM_CONFIG_ENVIRONMENT(TEXT)
#undef TEXT
        CYAML_FIELD_END};

static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct texts, fields)};

struct number {
  const char *key;
  const char *text;
  uint32_t *value;
};

static int read_number(const char *path, const struct number *number, char *msg, size_t msg_len) {
  uint64_t value;
  if (qsm_yaml_uint(number->text, UINT32_MAX, &value) != 0) {
    snprintf(msg, msg_len, "%s:%u: parameter '%s' = %s: must be a plain number, 0..%" PRIu32, path,
             qsm_yaml_line_of(&(struct qsm_yaml_source){.path = path}, number->key), number->key,
             number->text, UINT32_MAX);
    return -1;
  }
  *number->value = (uint32_t)value;
  return 0;
}

static int read_numbers(const char *path, const struct texts *texts, struct qsm_config *config,
                        char *msg, size_t msg_len) {
  const struct number numbers[] = {
#define NUMBER(key, sv, kind, least, largest) {#key, texts->key, &config->key},
      QSM_CONFIG_HARDWARE(NUMBER) QSM_CONFIG_ENVIRONMENT(NUMBER)
#undef NUMBER
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    if (read_number(path, &numbers[i], msg, msg_len) != 0) return -1;
  }
  return 0;
}

// "some/where/tiny.yaml" -> "tiny"
static int name_of(const char *path, struct qsm_config *config, char *msg, size_t msg_len) {
  const char *slash = strrchr(path, '/');
  const char *base = slash != NULL ? slash + 1 : path;
  const size_t len = strcspn(base, ".");
  if (len == 0 || len >= sizeof config->name) {
    snprintf(msg, msg_len, "%s: the name of a configuration has 1..%zu characters", path,
             sizeof config->name - 1);
    return -1;
  }
  memcpy(config->name, base, len);
  return 0;
}

// Rule of a parameter broken: "FILE:LINE: message of qsm_config_check()".
static int refuse(const char *path, const char *rule, char *msg, size_t msg_len) {
  char key[64] = "";
  sscanf(rule, "parameter '%63[^']'", key);
  snprintf(msg, msg_len, "%s:%u: %s", path,
           qsm_yaml_line_of(&(struct qsm_yaml_source){.path = path}, key), rule);
  return -1;
}

static int read_file(const char *path, struct qsm_config *config, char *msg, size_t msg_len) {
  void *texts = NULL;
  const struct qsm_yaml_source source = {.path = path};
  if (name_of(path, config, msg, msg_len) != 0 ||
      qsm_yaml_load(&source, &schema, &texts, msg, msg_len) != 0)
    return -1;
  const int status = read_numbers(path, texts, config, msg, msg_len);
  qsm_yaml_free(&schema, texts);
  return status;
}

// NULL: there is no such parameter.
static uint32_t *find_parameter(struct qsm_config *config, const char *key) {
#define FIND(name, sv, kind, least, largest) \
  if (strcmp(key, #name) == 0) return &config->name;
  QSM_CONFIG_HARDWARE(FIND)
  QSM_CONFIG_ENVIRONMENT(FIND)
#undef FIND
  return NULL;
}

// One "KEY-VALUE" of a name.
static int change(const char *name, const char *text, int len, struct qsm_config *config, char *msg,
                  size_t msg_len) {
  char key[64] = "", value[16] = "", rest;
  uint32_t *parameter = NULL;
  uint64_t number;
  char part[96];
  snprintf(part, sizeof part, "%.*s", len, text);
  if (sscanf(part, "%63[a-z0-9_]-%15[0-9]%c", key, value, &rest) == 2)
    parameter = find_parameter(config, key);
  if (parameter != NULL && qsm_yaml_uint(value, UINT32_MAX, &number) == 0) {
    *parameter = (uint32_t)number;
    return 0;
  }
  snprintf(
      msg, msg_len,
      "configuration '%s': '%s': must be PARAMETER-NUMBER, a parameter of docs/configuration.md",
      name, part);
  return -1;
}

// "titanv+num_sms-2": what the file has, with other values.
static int change_all(const char *name, struct qsm_config *config, char *msg, size_t msg_len) {
  for (const char *at = strchr(name, '+'); at != NULL; at = strchr(at + 1, '+')) {
    if (change(name, at + 1, (int)strcspn(at + 1, "+"), config, msg, msg_len) != 0) return -1;
  }
  if (strlen(name) < sizeof config->name) {
    memcpy(config->name, name, strlen(name) + 1);
    return 0;
  }
  snprintf(msg, msg_len, "configuration '%s': the name of a configuration has 1..%zu characters",
           name, sizeof config->name - 1);
  return -1;
}

static bool is_changed(const char *path_or_name) {
  return strchr(path_or_name, '/') == NULL && strchr(path_or_name, '+') != NULL;
}

int qsm_config_path(const char *path_or_name, char *path, size_t path_len) {
  const int len = strchr(path_or_name, '/') != NULL
                      ? snprintf(path, path_len, "%s", path_or_name)
                      : snprintf(path, path_len, "%s/configs/%.*s.yaml", qsm_source_root(),
                                 (int)strcspn(path_or_name, "+"), path_or_name);
  return len < 0 || (size_t)len >= path_len ? -1 : 0;
}

int qsm_config_load(const char *path_or_name, struct qsm_config *config, char *msg,
                    size_t msg_len) {
  char path[PATH_MAX], rule[256];
  struct qsm_config loaded = {.name = ""};
  if (qsm_config_path(path_or_name, path, sizeof path) != 0) {
    snprintf(msg, msg_len, "the path of configuration '%s' is too long", path_or_name);
    return -1;
  }
  if (read_file(path, &loaded, msg, msg_len) != 0) return -1;
  if (is_changed(path_or_name) && change_all(path_or_name, &loaded, msg, msg_len) != 0) return -1;
  if (qsm_config_check(&loaded, rule, sizeof rule) != 0) {
    if (!is_changed(path_or_name)) return refuse(path, rule, msg, msg_len);
    snprintf(msg, msg_len, "configuration '%s': %s", path_or_name, rule);
    return -1;
  }
  *config = loaded;
  return 0;
}

const char *qsm_source_root(void) {
  const char *root = getenv("QSM_ROOT");
  return root != NULL && *root != '\0' ? root : QSM_SOURCE_ROOT;
}
