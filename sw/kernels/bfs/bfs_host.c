// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

static const struct {
  uint32_t n_vertices, block_threads;
} sizes[] = {{149, 16}, {3989, 16}, {150001, 128}};

enum { MAX_DEGREE = 6 };

struct job {
  struct qsm_array edge_start, edges, initial_level, level, changed;
  uint32_t n_vertices, block_threads;
  int32_t current; // level that the next launch expands
};

// Degrees 0 .. MAX_DEGREE and random targets: a few vertices cannot be reached.
static void generate_graph(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t *edge_start = job->edge_start.host, *edges = job->edges.host;
  for (uint32_t vertex = 0; vertex < job->n_vertices; vertex++) {
    uint32_t degree = (uint32_t)qsm_rng_range(&rng, vertex == 0, MAX_DEGREE);
    edge_start[vertex + 1] = edge_start[vertex] + degree;
    for (uint32_t i = edge_start[vertex]; i < edge_start[vertex + 1]; i++) {
      edges[i] = (uint32_t)qsm_rng_range(&rng, 0, (int32_t)job->n_vertices - 1);
    }
  }
}

// The search with a queue; needs room for every vertex in `queue`.
static void search(const struct job *job, uint32_t *queue) {
  const uint32_t *edge_start = job->edge_start.host, *edges = job->edges.host;
  int32_t *level = job->level.host;
  uint32_t n_queued = 0;
  queue[n_queued++] = 0;
  for (uint32_t head = 0; head < n_queued; head++) {
    uint32_t vertex = queue[head];
    for (uint32_t i = edge_start[vertex]; i < edge_start[vertex + 1]; i++) {
      if (level[edges[i]] >= 0) continue;
      level[edges[i]] = level[vertex] + 1;
      queue[n_queued++] = edges[i];
    }
  }
}

static int generate(struct job *job, uint64_t seed) {
  uint32_t *queue = malloc(job->n_vertices * sizeof *queue);
  if (queue == NULL) return -1;
  int32_t *initial = job->initial_level.host, *level = job->level.host;
  for (uint32_t vertex = 0; vertex < job->n_vertices; vertex++) {
    initial[vertex] = level[vertex] = vertex == 0 ? 0 : -1;
  }
  generate_graph(job, seed);
  search(job, queue);
  free(queue);
  return 0;
}

void *qsm_bfs_create(const struct qsm_suite_mem *mem, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = calloc(1, sizeof *job);
  if (job == NULL) return NULL;
  job->n_vertices = sizes[size].n_vertices;
  job->block_threads = sizes[size].block_threads;
  if (qsm_array_create(&job->edge_start, mem, job->n_vertices + 1, 4) != 0 ||
      qsm_array_create(&job->edges, mem, (size_t)job->n_vertices * MAX_DEGREE, 4) != 0 ||
      qsm_array_create(&job->initial_level, mem, job->n_vertices, 4) != 0 ||
      qsm_array_create(&job->level, mem, job->n_vertices, 4) != 0 ||
      qsm_array_create(&job->changed, mem, 1, 4) != 0 || generate(job, seed) != 0) {
    qsm_bfs_destroy(job);
    return NULL;
  }
  qsm_array_upload(&job->edge_start);
  qsm_array_upload(&job->edges);
  return job;
}

static void write_levels(const struct job *job) {
  const struct qsm_array *level = &job->level;
  level->mem.write(level->mem.ctx, level->addr, job->initial_level.host, level->n_elements * level->element_bytes);
}

void qsm_bfs_begin(void *opaque) {
  struct job *job = opaque;
  job->current = 0;
  write_levels(job);
}

// The host copy of `changed` stays 0: uploading it clears the flag, a mismatch says that the last launch set it.
int qsm_bfs_next(void *opaque, struct qsm_suite_launch *launch) {
  struct job *job = opaque;
  if (job->current > 0 && qsm_array_mismatches(&job->changed) == 0) return 0;
  qsm_array_upload(&job->changed);
  *launch = (struct qsm_suite_launch){
      .symbol = "bfs_level",
      .grid = {qsm_div_up(job->n_vertices, job->block_threads), 1, 1},
      .block = {job->block_threads, 1, 1},
      .args = {job->edge_start.addr, job->edges.addr, job->level.addr, job->n_vertices, (uint32_t)job->current,
               job->changed.addr},
  };
  job->current++;
  return 1;
}

uint64_t qsm_bfs_check(void *opaque) {
  const struct job *job = opaque;
  return qsm_array_mismatches(&job->level);
}

void qsm_bfs_destroy(void *opaque) {
  struct job *job = opaque;
  if (job == NULL) return;
  qsm_array_destroy(&job->edge_start);
  qsm_array_destroy(&job->edges);
  qsm_array_destroy(&job->initial_level);
  qsm_array_destroy(&job->level);
  qsm_array_destroy(&job->changed);
  free(job);
}
