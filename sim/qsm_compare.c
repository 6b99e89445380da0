// SPDX-License-Identifier: Apache-2.0
#include "qsm_compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  HEADER_WORDS = 3,
  MAX_SUBS = 4,
  REPORT_EVENTS = 24
};  // header of a record: cycle low, cycle high, payload words

struct buffer {
  uint32_t *words;
  size_t n, capacity;
};

struct stream {
  struct buffer side[2];  // not yet compared
  struct buffer past;     // what was equal in the last check, for reports
};

struct qsm_compare {
  const char *side;  // of QSM_SIDE_RTL, for text
  uint32_t n_sources, n_streams;
  struct stream *streams;  // [kind][source][sub]
  uint64_t n_words;
  bool out_of_memory;
  bool differs;
  uint32_t bad_stream;
  uint64_t bad_cycle;
  bool has[2];
  struct qsm_event bad[2];
};

struct qsm_compare *qsm_compare_create(const struct qsm_config *config, const char *side) {
  struct qsm_compare *compare = calloc(1, sizeof *compare);
  if (!compare) return NULL;
  compare->side = side;
  compare->n_sources =
      config->num_sms > config->num_channels ? config->num_sms : config->num_channels;
  compare->n_streams = QSM_EVENT_KIND_COUNT * compare->n_sources * MAX_SUBS;
  compare->streams = calloc(compare->n_streams, sizeof *compare->streams);
  if (compare->streams) return compare;
  free(compare);
  return NULL;
}

void qsm_compare_destroy(struct qsm_compare *compare) {
  if (!compare) return;
  for (uint32_t i = 0; i < compare->n_streams; i++) {
    free(compare->streams[i].side[0].words);
    free(compare->streams[i].side[1].words);
    free(compare->streams[i].past.words);
  }
  free(compare->streams);
  free(compare);
}

static bool append(struct buffer *buffer, const uint32_t *words, size_t n) {
  if (buffer->n + n > buffer->capacity) {
    size_t capacity = (buffer->n + n) * 2;
    uint32_t *grown = realloc(buffer->words, capacity * sizeof *grown);
    if (!grown) return false;
    buffer->words = grown;
    buffer->capacity = capacity;
  }
  memcpy(buffer->words + buffer->n, words, n * sizeof *words);
  buffer->n += n;
  return true;
}

void qsm_compare_add(struct qsm_compare *compare, enum qsm_side side,
                     const struct qsm_event *event) {
  uint32_t index = (event->kind * compare->n_sources + event->sm) * MAX_SUBS + event->sub;
  struct buffer *buffer = &compare->streams[index].side[side];
  uint32_t header[HEADER_WORDS] = {(uint32_t)event->cycle, (uint32_t)(event->cycle >> 32),
                                   event->n_words};
  if (!append(buffer, header, HEADER_WORDS) || !append(buffer, event->word, event->n_words))
    compare->out_of_memory = true;
}

static uint64_t record_cycle(const uint32_t *record) {
  return record[0] | (uint64_t)record[1] << 32;
}
static size_t record_words(const uint32_t *record) { return HEADER_WORDS + record[2]; }

static struct qsm_event unpack(const struct qsm_compare *compare, uint32_t stream,
                               const uint32_t *record) {
  struct qsm_event event = {.cycle = record_cycle(record),
                            .kind = (uint8_t)(stream / MAX_SUBS / compare->n_sources),
                            .sm = (uint8_t)(stream / MAX_SUBS % compare->n_sources),
                            .sub = (uint8_t)(stream % MAX_SUBS),
                            .n_words = (uint8_t)record[2]};
  memcpy(event.word, record + HEADER_WORDS, record[2] * sizeof *record);
  return event;
}

// Words of the records of a buffer that belong to cycles before the limit.
static size_t words_before(const struct buffer *buffer, size_t from, uint64_t before) {
  size_t at = from;
  while (at < buffer->n && record_cycle(buffer->words + at) < before)
    at += record_words(buffer->words + at);
  return at;
}

// Keeps the earliest difference; among those of one cycle the lowest stream (R-LK-2).
static void note_difference(struct qsm_compare *compare, uint32_t index, const uint32_t *rtl,
                            const uint32_t *model) {
  uint64_t cycle = UINT64_MAX;
  if (rtl) cycle = record_cycle(rtl);
  if (model && record_cycle(model) < cycle) cycle = record_cycle(model);
  if (compare->differs && compare->bad_cycle <= cycle) return;
  compare->differs = true;
  compare->bad_stream = index;
  compare->bad_cycle = cycle;
  // When the two records belong to different cycles, the earlier one has no partner.
  compare->has[QSM_SIDE_RTL] = rtl && record_cycle(rtl) == cycle;
  compare->has[QSM_SIDE_MODEL] = model && record_cycle(model) == cycle;
  if (rtl) compare->bad[QSM_SIDE_RTL] = unpack(compare, index, rtl);
  if (model) compare->bad[QSM_SIDE_MODEL] = unpack(compare, index, model);
}

// Finds the first record that differs within the first `limit` words of each side.
static void find_difference(struct qsm_compare *compare, uint32_t index, const size_t limit[2]) {
  const struct buffer *rtl = &compare->streams[index].side[QSM_SIDE_RTL],
                      *model = &compare->streams[index].side[QSM_SIDE_MODEL];
  size_t at = 0;
  while (at < limit[QSM_SIDE_RTL] && at < limit[QSM_SIDE_MODEL]) {
    size_t words = record_words(rtl->words + at);
    if (words != record_words(model->words + at) ||
        memcmp(rtl->words + at, model->words + at, words * sizeof(uint32_t)))
      break;
    at += words;
  }
  note_difference(compare, index, at < limit[QSM_SIDE_RTL] ? rtl->words + at : NULL,
                  at < limit[QSM_SIDE_MODEL] ? model->words + at : NULL);
}

static void drop_front(struct buffer *buffer, size_t n) {
  memmove(buffer->words, buffer->words + n, (buffer->n - n) * sizeof *buffer->words);
  buffer->n -= n;
}

static uint64_t payload_words(const struct buffer *buffer, size_t limit) {
  uint64_t total = 0;
  for (size_t at = 0; at < limit; at += record_words(buffer->words + at))
    total += buffer->words[at + 2];
  return total;
}

static void check_stream(struct qsm_compare *compare, uint32_t index, uint64_t before) {
  struct stream *stream = &compare->streams[index];
  struct buffer *rtl = &stream->side[QSM_SIDE_RTL], *model = &stream->side[QSM_SIDE_MODEL];
  if (rtl->n == 0 && model->n == 0) return;
  size_t limit[2] = {words_before(rtl, 0, before), words_before(model, 0, before)};
  size_t n = limit[0];
  if (n != limit[1] || (n && memcmp(rtl->words, model->words, n * sizeof(uint32_t)))) {
    find_difference(compare, index, limit);
    return;
  }
  if (n == 0) return;
  compare->n_words += payload_words(rtl, n);
  stream->past.n = 0;
  if (!append(&stream->past, rtl->words, n)) compare->out_of_memory = true;
  drop_front(rtl, n);
  drop_front(model, n);
}

bool qsm_compare_check(struct qsm_compare *compare, uint64_t before) {
  for (uint32_t i = 0; i < compare->n_streams; i++) check_stream(compare, i, before);
  return !compare->differs && !compare->out_of_memory;
}

uint64_t qsm_compare_words(const struct qsm_compare *compare) { return compare->n_words; }
uint64_t qsm_compare_cycle(const struct qsm_compare *compare) { return compare->bad_cycle; }

// ---- Text ----

// Name of payload word i: field names in order; those that end in [] take the rest in turn: a[0],
// b[0], a[1], b[1] …
static void field_name(uint32_t kind, uint32_t i, char *name, size_t n) {
  const char *at = qsm_event_kind_words(kind);
  uint32_t n_single = 1, n_rest = 0, field = i, index = 0;
  for (const char *c = at; *c; c++) {
    n_single += *c == ' ';
    n_rest += *c == '[';
  }
  n_single -= n_rest;
  if (n_rest && i >= n_single) {
    field = n_single + (i - n_single) % n_rest;
    index = (i - n_single) / n_rest;
  }
  for (const char *space; field && (space = strchr(at, ' ')); field--) at = space + 1;
  size_t len = strcspn(at, " [");
  if (at[len] == '[')
    snprintf(name, n, "%.*s[%u]", (int)len, at, index);
  else
    snprintf(name, n, "%.*s", (int)len, at);
}

void qsm_event_print(FILE *out, const struct qsm_event *event) {
  fprintf(out, "%8" PRIu64 "  sm%u.%u  %-8s", event->cycle, event->sm, event->sub,
          qsm_event_kind_name(event->kind));
  for (uint32_t i = 0; i < event->n_words; i++) {
    char name[64];
    field_name(event->kind, i, name, sizeof name);
    fprintf(out, " %s=%x", name, event->word[i]);
  }
}

void qsm_compare_describe(const struct qsm_compare *compare, char *text, size_t n) {
  if (!compare->differs) {
    snprintf(text, n, "%s", compare->out_of_memory ? "out of memory while comparing" : "");
    return;
  }
  uint32_t kind = compare->bad_stream / MAX_SUBS / compare->n_sources;
  const struct qsm_event *rtl = &compare->bad[QSM_SIDE_RTL], *model = &compare->bad[QSM_SIDE_MODEL];
  int at = snprintf(
      text, n, "cycle %" PRIu64 ", block %s (sm %u, sub-core %u), event %s: ", compare->bad_cycle,
      qsm_event_kind_block(kind), compare->bad_stream / MAX_SUBS % compare->n_sources,
      compare->bad_stream % MAX_SUBS, qsm_event_kind_name(kind));
  if (at < 0 || (size_t)at >= n) return;
  if (!compare->has[QSM_SIDE_RTL] || !compare->has[QSM_SIDE_MODEL]) {
    snprintf(text + at, n - (size_t)at, "only in the %s",
             compare->has[QSM_SIDE_RTL] ? compare->side : "model");
    return;
  }
  for (uint32_t i = 0; i < QSM_EVENT_MAX_WORDS; i++) {
    if (rtl->word[i] == model->word[i] && (i < rtl->n_words) == (i < model->n_words)) continue;
    char name[64];
    field_name(kind, i, name, sizeof name);
    snprintf(text + at, n - (size_t)at, "field %s: %s 0x%x, model 0x%x", name, compare->side,
             rtl->word[i], model->word[i]);
    return;
  }
}

static int by_cycle(const void *a, const void *b) {
  const struct qsm_event *x = a, *y = b;
  if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
  return (int)x->kind - (int)y->kind;
}

static bool has_warp(uint32_t kind) { return strncmp(qsm_event_kind_words(kind), "warp ", 5) == 0; }

// Is this past event one of the same warp, or where the difference has no warp of the same SM or
// block?
static bool is_related(const struct qsm_compare *compare, const struct qsm_event *event) {
  const struct qsm_event *bad =
      &compare->bad[compare->has[QSM_SIDE_RTL] ? QSM_SIDE_RTL : QSM_SIDE_MODEL];
  if (event->sm != bad->sm) return false;
  if (has_warp(bad->kind))
    return has_warp(event->kind) && event->sub == bad->sub && event->word[0] == bad->word[0];
  return !has_warp(event->kind);
}

void qsm_compare_report(const struct qsm_compare *compare, FILE *out) {
  char text[512];
  qsm_compare_describe(compare, text, sizeof text);
  fprintf(out, "first difference: %s\n", text);
  if (!compare->differs) return;
  const char *const side_names[2] = {compare->side, "model"};
  for (int side = 0; side < 2; side++) {
    fprintf(out, "  %-5s ", side_names[side]);
    if (compare->has[side])
      qsm_event_print(out, &compare->bad[side]);
    else
      fprintf(out, "  (nothing)");
    fprintf(out, "\n");
  }
  size_t n = 0, capacity = 0;
  struct qsm_event *events = NULL;
  for (uint32_t i = 0; i < compare->n_streams; i++) {
    const struct stream *stream = &compare->streams[i];
    const struct buffer *parts[2] = {&stream->past, &stream->side[QSM_SIDE_RTL]};
    for (int part = 0; part < 2; part++)
      for (size_t at = 0; at < parts[part]->n; at += record_words(parts[part]->words + at)) {
        struct qsm_event event = unpack(compare, i, parts[part]->words + at);
        if (event.cycle >= compare->bad_cycle || !is_related(compare, &event)) continue;
        if (n == capacity) {
          capacity = capacity ? capacity * 2 : 64;
          struct qsm_event *grown = realloc(events, capacity * sizeof *events);
          if (!grown) break;
          events = grown;
        }
        events[n++] = event;
      }
  }
  if (n) qsort(events, n, sizeof *events, by_cycle);
  fprintf(out, "  events before it, of the same warp or block (%s):\n", compare->side);
  for (size_t i = n > REPORT_EVENTS ? n - REPORT_EVENTS : 0; i < n; i++) {
    fprintf(out, "    ");
    qsm_event_print(out, &events[i]);
    fprintf(out, "\n");
  }
  free(events);
}
