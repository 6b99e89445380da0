// SPDX-License-Identifier: Apache-2.0
// Loads YAML through a libcyaml schema; errors come as one line "FILE:LINE: what" instead of a log.
// Numbers are best taken as strings and read with qsm_yaml_uint(): libcyaml's own integers accept
// "4 KiB" as 4.
#ifndef QSM_YAML_H
#define QSM_YAML_H

#include <cyaml/cyaml.h>
#include <stddef.h>
#include <stdint.h>

// A file, or text in memory that was made from one: complaints then name the file all the same, and
// the lines there.
struct qsm_yaml_source {
  const char *path;
  const char *text;       // NULL: what the file holds
  const unsigned *lines;  // with text: line of the file that each line of the text comes from;
                          // NULL: they are the same
};

// `schema` is a mapping with CYAML_FLAG_POINTER. Returns 0 and sets *data (free it with
// qsm_yaml_free), or -1 with a message.
int qsm_yaml_load(const struct qsm_yaml_source *source, const cyaml_schema_value_t *schema,
                  void **data, char *msg, size_t msg_len);
void qsm_yaml_free(const cyaml_schema_value_t *schema, void *data);  // NULL is fine

// What libcyaml has no schema for: a value that is text, or a mapping of texts.
struct qsm_yaml_pair {
  char key[32];  // empty: the value itself is the text
  char text[64];
};
// The value of `key` in entry `index` of the list `list`. Sets *n (0: there is none) and returns 0,
// or -1 with a message: neither text nor such a mapping, more than `most` pairs, a key given twice.
// To libcyaml the key is one to ignore, and it has read the file without complaint.
int qsm_yaml_pairs(const struct qsm_yaml_source *source, const char *list, unsigned index,
                   const char *key, struct qsm_yaml_pair *pairs, unsigned most, unsigned *n,
                   char *msg, size_t msg_len);

// Plain decimal number, digits only. Returns 0, or -1 when the text is anything else or the number
// is above `largest`.
int qsm_yaml_uint(const char *text, uint64_t largest, uint64_t *value);

// Line of the first "key:" in the file (of the text: the file's line for it), counted from 1; 0
// where there is none.
unsigned qsm_yaml_line_of(const struct qsm_yaml_source *source, const char *key);

#endif
