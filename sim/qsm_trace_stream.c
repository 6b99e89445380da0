// SPDX-License-Identifier: Apache-2.0
#include "qsm_trace_stream.h"

#include <stdbool.h>
#include <stdlib.h>

enum {
  N_BUCKETS = 32
};  // more than the largest noc_lat and the cycle by which the RTL's monitors report late

struct bucket {
  struct qsm_event *list;
  uint32_t n, room;
};

struct qsm_trace_stream {
  struct bucket buckets[N_BUCKETS];  // of cycle c: c % N_BUCKETS
  uint64_t next, last;               // first cycle not handed over; last cycle with an event
  uint32_t lag;
  bool short_of_memory;
  qsm_cycle_sink sink;
  void *ctx;
};

struct qsm_trace_stream *qsm_trace_stream_create(uint32_t noc_lat, qsm_cycle_sink sink, void *ctx) {
  struct qsm_trace_stream *stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  stream->lag = noc_lat + 2;
  stream->sink = sink;
  stream->ctx = ctx;
  return stream;
}

void qsm_trace_stream_destroy(struct qsm_trace_stream *stream) {
  if (!stream) return;
  for (uint32_t i = 0; i < N_BUCKETS; i++) free(stream->buckets[i].list);
  free(stream);
}

static int in_order(const void *a, const void *b) {
  const struct qsm_event *left = a, *right = b;
  if (left->kind != right->kind) return left->kind < right->kind ? -1 : 1;
  if (left->sm != right->sm) return left->sm < right->sm ? -1 : 1;
  return left->sub < right->sub ? -1 : left->sub > right->sub;
}

// Everything before `cycle`.
static void hand_over(struct qsm_trace_stream *stream, uint64_t cycle) {
  for (; stream->next < cycle && stream->next <= stream->last; stream->next++) {
    struct bucket *bucket = &stream->buckets[stream->next % N_BUCKETS];
    if (bucket->n == 0) continue;
    qsort(bucket->list, bucket->n, sizeof *bucket->list, in_order);
    stream->sink(stream->ctx, stream->next, bucket->list, bucket->n);
    bucket->n = 0;
  }
  if (stream->next < cycle) stream->next = cycle;
}

static struct qsm_event *grow(struct qsm_trace_stream *stream, struct bucket *bucket) {
  if (bucket->n < bucket->room) return &bucket->list[bucket->n++];
  uint32_t room = bucket->room ? 2 * bucket->room : 64;
  struct qsm_event *list = realloc(bucket->list, room * sizeof *list);
  if (!list) {
    stream->short_of_memory = true;
    return NULL;
  }
  bucket->list = list;
  bucket->room = room;
  return &list[bucket->n++];
}

// No event comes later than the last one by more than the lag.
void qsm_trace_stream_add(struct qsm_trace_stream *stream, const struct qsm_event *event) {
  if (event->cycle > stream->last) {
    if (event->cycle > stream->lag) hand_over(stream, event->cycle - stream->lag);
    stream->last = event->cycle;
  }
  struct qsm_event *place = grow(stream, &stream->buckets[event->cycle % N_BUCKETS]);
  if (place) *place = *event;
}

int qsm_trace_stream_end(struct qsm_trace_stream *stream) {
  hand_over(stream, stream->last + 1);
  return stream->short_of_memory ? -1 : 0;
}
