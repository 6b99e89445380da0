// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t n_points, n_features, n_clusters, n_rounds, block_threads;
} sizes[] = {{61, 3, 3, 2, 16}, {350, 6, 4, 3, 16}, {3000, 16, 5, 4, 64}, {30000, 32, 8, 4, 128}};

struct job {
  struct qsm_job base;
  struct qsm_array features, centres, membership;
  const struct size *size;
};

static void assign(struct job *job) {
  const struct size *size = job->size;
  const float *features = job->features.host, *centres = job->centres.host;
  uint32_t *membership = job->membership.host;
  for (uint32_t point = 0; point < size->n_points; point++) {
    float least = INFINITY;
    for (uint32_t cluster = 0; cluster < size->n_clusters; cluster++) {
      float distance2 = 0.0f;
      for (uint32_t i = 0; i < size->n_features; i++) {
        float d = features[i * size->n_points + point] - centres[cluster * size->n_features + i];
        distance2 = fmaf(d, d, distance2);
      }
      if (distance2 >= least) continue;
      least = distance2;
      membership[point] = cluster;
    }
  }
}

// Point by point, all clusters at once; `counts` and `sums` per cluster.
static void move_centres(struct job *job) {
  const struct size *size = job->size;
  const float *features = job->features.host;
  const uint32_t *membership = job->membership.host;
  float *centres = job->centres.host, sums[8][32] = {{0.0f}};
  uint32_t counts[8] = {0};
  for (uint32_t point = 0; point < size->n_points; point++) {
    counts[membership[point]]++;
    for (uint32_t i = 0; i < size->n_features; i++)
      sums[membership[point]][i] += features[i * size->n_points + point];
  }
  for (uint32_t i = 0; i < size->n_clusters * size->n_features; i++) {
    uint32_t cluster = i / size->n_features;
    if (counts[cluster] > 0)
      centres[i] = sums[cluster][i % size->n_features] / (float)counts[cluster];
  }
}

// Points around as many middles as there are clusters; the first centres are the first points.
static void generate(struct job *job, uint64_t seed) {
  const struct size *size = job->size;
  struct qsm_rng rng = {seed};
  float *features = job->features.host, *centres = job->centres.host;
  for (uint32_t i = 0; i < size->n_features; i++) {
    for (uint32_t point = 0; point < size->n_points; point++) {
      features[i * size->n_points + point] =
          (float)((point % size->n_clusters) * (i + 1) % 5) + qsm_rng_float(&rng, -1.5f, 1.5f);
    }
  }
  for (uint32_t i = 0; i < size->n_clusters * size->n_features; i++)
    centres[i] = features[i % size->n_features * size->n_points + i / size->n_features];
  memcpy(job->centres.start, centres, 4 * size->n_clusters * size->n_features);
  for (uint32_t round = 0; round < size->n_rounds; round++) {
    assign(job);
    move_centres(job);
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  if (qsm_array_create(base, &job->features, QSM_INPUT, job->size->n_points * job->size->n_features,
                       4) != 0 ||
      qsm_array_create(base, &job->centres, QSM_STATE,
                       job->size->n_clusters * job->size->n_features, 4) != 0 ||
      qsm_array_create(base, &job->membership, QSM_OUTPUT, job->size->n_points, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 2 * size->n_rounds) return 0;
  if (base->n_launched % 2 == 0) {
    *launch = (struct qsm_suite_launch){
        .symbol = "kmeans_assign",
        .grid = {qsm_div_up(size->n_points, size->block_threads), 1, 1},
        .block = {size->block_threads, 1, 1},
        .args = {job->features.addr, job->centres.addr, job->membership.addr, size->n_points,
                 size->n_features, size->n_clusters},
    };
  } else {
    *launch = (struct qsm_suite_launch){
        .symbol = "kmeans_centres",
        .grid = {size->n_clusters, 1, 1},
        .block = {size->n_features, 1, 1},
        .args = {job->features.addr, job->membership.addr, job->centres.addr, size->n_points,
                 size->n_features},
    };
  }
  return 1;
}

const struct qsm_suite_program qsm_kmeans = {
    .name = "kmeans",
    .about = "k-means clustering, some rounds",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source =
        "Lloyd, \"Least squares quantization in PCM\", IEEE Trans. Information Theory 28(2), 1982",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
