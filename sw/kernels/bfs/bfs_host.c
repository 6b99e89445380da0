// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

static const struct {
  uint32_t n_vertices, block_threads;
} sizes[] = {{149, 16}, {3989, 16}, {150001, 128}, {1000003, 128}};

enum { MAX_DEGREE = 6 };

struct job {
  struct qsm_job base;
  struct qsm_array edge_start, edges, level, changed;
  uint32_t n_vertices, block_threads;
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
  int32_t *initial = job->level.start, *level = job->level.host;
  for (uint32_t vertex = 0; vertex < job->n_vertices; vertex++) {
    initial[vertex] = level[vertex] = vertex == 0 ? 0 : -1;
  }
  generate_graph(job, seed);
  search(job, queue);
  free(queue);
  return 0;
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->n_vertices = sizes[size].n_vertices;
  job->block_threads = sizes[size].block_threads;
  if (qsm_array_create(base, &job->edge_start, QSM_INPUT, job->n_vertices + 1, 4) != 0 ||
      qsm_array_create(base, &job->edges, QSM_INPUT, (size_t)job->n_vertices * MAX_DEGREE, 4) !=
          0 ||
      qsm_array_create(base, &job->level, QSM_STATE, job->n_vertices, 4) != 0 ||
      qsm_array_create(base, &job->changed, QSM_SCRATCH, 1, 4) != 0 || generate(job, seed) != 0) {
    return -1;
  }
  return 0;
}

// Launch n expands level n. The host copy of `changed` stays 0: uploading it clears the flag, a
// mismatch says that the last launch set it.
static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched > 0 && qsm_array_mismatches(&job->changed) == 0) return 0;
  qsm_array_upload(&job->changed);
  *launch = (struct qsm_suite_launch){
      .symbol = "bfs_level",
      .grid = {qsm_div_up(job->n_vertices, job->block_threads), 1, 1},
      .block = {job->block_threads, 1, 1},
      .args = {job->edge_start.addr, job->edges.addr, job->level.addr, job->n_vertices,
               base->n_launched, job->changed.addr},
  };
  return 1;
}

const struct qsm_suite_program qsm_bfs = {
    .name = "bfs",
    .about = "breadth-first search, one launch per level",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source =
        "Harish and Narayanan, \"Accelerating large graph algorithms on the GPU using CUDA\", HiPC 2007",
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
