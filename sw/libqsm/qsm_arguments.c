// SPDX-License-Identifier: Apache-2.0
#include "qsm_arguments.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 4, STACK_ALIGN = 16, MOST_VALUES = QSM_MOST_ARGUMENT_BYTES };

static const struct qsm_argument a_word = {.bytes = WORD, .align = WORD, .type = "a word"};

static const struct qsm_argument *argument_of(const struct qsm_kernel *kernel, uint32_t i) {
  return kernel->signature ? &kernel->arguments[i] : &a_word;
}

// ---- What does not fit ----

static size_t append(char *text, size_t len, size_t at, const char *what) {
  if (at < len) at += (size_t)snprintf(text + at, len - at, "%s", what);
  return at;
}

// "4, 8 bytes"
static void list_sizes(const qsmArgument *values, uint32_t n_values, char *text, size_t len) {
  size_t at = append(text, len, 0, n_values ? "" : "none");
  for (uint32_t i = 0; i < n_values; i++) {
    char one[24];
    snprintf(one, sizeof one, "%s%u", i ? ", " : "", values[i].bytes);
    at = append(text, len, at, one);
  }
  if (n_values) append(text, len, at, " bytes");
}

static int refuse(const struct qsm_kernel *kernel, const qsmArgument *values, uint32_t n_values,
                  char *msg, size_t msg_len) {
  char given[128];
  list_sizes(values, n_values, given, sizeof given);
  snprintf(msg, msg_len, "kernel %s takes %s; the launch gives %u arguments: %s", kernel->name,
           kernel->signature ? kernel->signature : "up to 8 words, as far as is known", n_values,
           given);
  return -1;
}

static bool fit(const struct qsm_kernel *kernel, const qsmArgument *values, uint32_t n_values) {
  uint32_t n_bytes = 0;
  if (kernel->signature ? n_values != kernel->n_arguments : n_values > QSM_ARGUMENT_REGISTERS)
    return false;
  for (uint32_t i = 0; i < n_values; i++) {
    if (!values[i].value || values[i].bytes != argument_of(kernel, i)->bytes ||
        values[i].bytes > QSM_MOST_ARGUMENT_BYTES)
      return false;
    n_bytes += values[i].bytes;
  }
  return n_bytes <= QSM_MOST_ARGUMENT_BYTES;
}

// ---- Where they go ----

struct layout {
  struct qsm_entry_arguments *entry;
  uint32_t n_registers, n_stack_bytes;  // taken
};

static uint32_t align_up(uint32_t at, uint32_t align) {
  return align > 1 ? (at + align - 1) / align * align : at;
}

// Takes the place of the next word.
static uint8_t *next_word(struct layout *layout) {
  if (layout->n_registers < QSM_ARGUMENT_REGISTERS)
    return (uint8_t *)&layout->entry->registers[layout->n_registers++];
  uint8_t *word = layout->entry->stack + layout->n_stack_bytes;
  layout->n_stack_bytes += WORD;
  return word;
}

// Integers narrower than a word are widened; aggregates take the word's first bytes.
static uint32_t widen(const struct qsm_argument *argument, const uint8_t *bytes) {
  uint32_t word = 0, bits = 8 * argument->bytes;
  memcpy(&word, bytes, argument->bytes);
  if (argument->is_signed && bits < 32 && (word >> (bits - 1) & 1)) word |= UINT32_MAX << bits;
  return word;
}

static void put_value(struct layout *layout, const struct qsm_argument *argument,
                      const uint8_t *bytes) {
  uint32_t words[2] = {0};
  if (argument->bytes <= WORD)
    words[0] = widen(argument, bytes);
  else
    memcpy(words, bytes, argument->bytes);
  if (layout->n_registers == QSM_ARGUMENT_REGISTERS)
    layout->n_stack_bytes = align_up(layout->n_stack_bytes, argument->align);
  for (uint32_t i = 0; i < (argument->bytes + WORD - 1) / WORD; i++)
    memcpy(next_word(layout), &words[i], WORD);
}

// Where the copies go behind the words; their number of bytes then.
static uint32_t measure_copies(const struct qsm_kernel *kernel, uint32_t n_values, uint32_t from) {
  for (uint32_t i = 0; i < n_values; i++) {
    const struct qsm_argument *argument = argument_of(kernel, i);
    if (argument->by_reference)
      from = align_up(from, argument->align < WORD ? WORD : argument->align) + argument->bytes;
  }
  return from;
}

static void put_copies(const struct qsm_kernel *kernel, const qsmArgument *values,
                       uint32_t n_values, struct layout *layout, uint8_t *const *places) {
  uint32_t at = layout->n_stack_bytes, n = layout->entry->n_stack_bytes;
  for (uint32_t i = 0; i < n_values; i++) {
    const struct qsm_argument *argument = argument_of(kernel, i);
    if (!argument->by_reference) continue;
    at = align_up(at, argument->align < WORD ? WORD : argument->align);
    const uint32_t address = at - n;  // from the end of the address space
    memcpy(layout->entry->stack + at, values[i].value, argument->bytes);
    memcpy(places[i], &address, WORD);
    at += argument->bytes;
  }
}

int qsm_arguments_lay_out(const struct qsm_kernel *kernel, const qsmArgument *values,
                          uint32_t n_values, struct qsm_entry_arguments *entry, char *msg,
                          size_t msg_len) {
  struct qsm_entry_arguments made = {.n_stack_bytes = 0};
  struct layout layout = {.entry = &made};
  uint8_t *places[MOST_VALUES];  // of addresses
  if (n_values > MOST_VALUES || !fit(kernel, values, n_values))
    return refuse(kernel, values, n_values, msg, msg_len);
  for (uint32_t i = 0; i < n_values; i++) {
    const struct qsm_argument *argument = argument_of(kernel, i);
    if (argument->by_reference)
      places[i] = next_word(&layout);
    else
      put_value(&layout, argument, values[i].value);
  }
  made.n_stack_bytes =
      align_up(measure_copies(kernel, n_values, layout.n_stack_bytes), STACK_ALIGN);
  if (made.n_stack_bytes > QSM_MOST_STACK_BYTES)
    return refuse(kernel, values, n_values, msg, msg_len);
  put_copies(kernel, values, n_values, &layout, places);
  *entry = made;
  return 0;
}

int qsm_arguments_of_words(const struct qsm_kernel *kernel, const uint32_t *words, uint32_t n_words,
                           struct qsm_entry_arguments *entry, char *msg, size_t msg_len) {
  qsmArgument values[MOST_VALUES];
  if (n_words > MOST_VALUES) return refuse(kernel, NULL, 0, msg, msg_len);
  for (uint32_t i = 0; i < n_words; i++) {
    uint32_t bytes =
        kernel->signature && i < kernel->n_arguments ? kernel->arguments[i].bytes : WORD;
    values[i] = (qsmArgument){&words[i], bytes < WORD ? bytes : WORD};
  }
  return qsm_arguments_lay_out(kernel, values, n_words, entry, msg, msg_len);
}
