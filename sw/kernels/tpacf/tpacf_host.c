// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { MOST_BINS = 32 };  // that the kernel takes

// n_copies: histograms of a block.
static const struct size {
  uint32_t n_points, n_bins, n_parts, block_threads, n_copies;
} sizes[] = {
    {29, 11, 1, 16, 8}, {161, 20, 1, 16, 8}, {640, 32, 16, 128, 32}, {4096, 32, 8, 128, 32}};

struct job {
  struct qsm_job base;
  struct qsm_array observed, random, edges, counts;
  const struct size *size;
};

// Even over the sphere: a uniform height and a uniform angle; the observed ones keep to an eighth
// of it. All x, all y, all z.
static void generate_points(struct qsm_rng *rng, float *points, uint32_t n, int eighth) {
  for (uint32_t i = 0; i < n; i++) {
    float height = qsm_rng_float(rng, eighth ? 0.0f : -1.0f, 1.0f),
          angle = qsm_rng_float(rng, 0.0f, eighth ? 1.57f : 6.28f);
    float radius = sqrtf(1.0f - height * height);
    points[i] = radius * qsm_cos(angle);
    points[n + i] = radius * qsm_sin(angle);
    points[2 * n + i] = height;
  }
}

static void count(const float *a, const float *b, const struct size *size, const float *edges,
                  uint32_t *counts) {
  uint32_t n = size->n_points;
  for (uint32_t i = 0; i < size->n_points; i++) {
    for (uint32_t j = a == b ? i + 1 : 0; j < size->n_points; j++) {
      float cosine = fmaf(a[i], b[j], fmaf(a[n + i], b[n + j], a[2 * n + i] * b[2 * n + j]));
      uint32_t bin = 0;
      while (bin < size->n_bins - 1 && cosine <= edges[bin]) bin++;
      counts[bin]++;
    }
  }
}

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t n_bins = job->size->n_bins;
  float *observed = job->observed.host, *random = job->random.host, *edges = job->edges.host;
  generate_points(&rng, observed, job->size->n_points, 1);
  generate_points(&rng, random, job->size->n_points, 0);
  for (uint32_t i = 0; i + 1 < n_bins; i++)
    edges[i] = qsm_cos(3.14159265f * (float)(i + 1) / (float)n_bins);
}

static void reference(struct qsm_job *base) {
  struct job *job = (struct job *)base;
  const float *observed = job->observed.host, *random = job->random.host, *edges = job->edges.host;
  uint32_t n_bins = job->size->n_bins, *counts = job->counts.host;
  count(observed, observed, job->size, edges, counts);
  count(random, random, job->size, edges, counts + n_bins);
  count(observed, random, job->size, edges, counts + 2 * n_bins);
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  if (qsm_array_create(base, &job->observed, QSM_INPUT, job->size->n_points, 12) != 0 ||
      qsm_array_create(base, &job->random, QSM_INPUT, job->size->n_points, 12) != 0 ||
      qsm_array_create(base, &job->edges, QSM_INPUT, job->size->n_bins - 1, 4) != 0 ||
      qsm_array_create(base, &job->counts, QSM_STATE, 3 * job->size->n_bins, 4) !=
          0) {  // starts as zeros
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "tpacf",
      .grid = {qsm_div_up(size->n_points, size->block_threads), 3, size->n_parts},
      .block = {size->block_threads, 1, 1},
      .shared_bytes = 4 * (size->n_bins * size->n_copies + MOST_BINS + 3 * size->block_threads),
      .args = {job->observed.addr, job->random.addr, size->n_points, job->edges.addr, size->n_bins,
               size->n_copies, job->counts.addr},
  };
  return 1;
}

const struct qsm_suite_program qsm_tpacf = {
    .name = "tpacf",
    .about = "two-point angular correlation: histograms of the angles between points of the sky",
    .bound = "compute",
    .paper = "Parboil",
    .source =
        "Landy and Szalay, \"Bias and variance of angular correlation functions\", Astrophysical Journal 412, 1993",
    .needs_fpu = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .reference = reference,
    .next = next,
};
