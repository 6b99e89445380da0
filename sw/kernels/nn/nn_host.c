// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t n_records, n_queries, block_threads;
} sizes[] = {{301, 4, 16}, {2501, 20, 16}, {42003, 40, 128}, {400009, 200, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array records, queries, nearest, distances;
  const struct size *size;
};

static void generate_places(struct qsm_rng *rng, float (*places)[2], uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    places[i][0] = qsm_rng_float(rng, 7.0f, 70.0f);
    places[i][1] = qsm_rng_float(rng, 0.0f, 358.0f);
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  struct qsm_rng rng = {seed};
  job->size = &sizes[size];
  uint32_t n_records = job->size->n_records, n_queries = job->size->n_queries;
  if (qsm_array_create(base, &job->records, QSM_INPUT, n_records, 8) != 0 ||
      qsm_array_create(base, &job->queries, QSM_INPUT, n_queries, 8) != 0 ||
      qsm_array_create(base, &job->nearest, QSM_OUTPUT, n_queries, 4) != 0 ||
      qsm_array_create(base, &job->distances, QSM_OUTPUT, n_queries, 4) != 0) {
    return -1;
  }
  float(*records)[2] = job->records.host, (*queries)[2] = job->queries.host,
  *distances = job->distances.host;
  uint32_t *nearest = job->nearest.host;
  generate_places(&rng, records, n_records);
  generate_places(&rng, queries, n_queries);
  for (uint32_t query = 0; query < n_queries; query++) {
    distances[query] = INFINITY;
    for (uint32_t i = 0; i < n_records; i++) {
      float north = records[i][0] - queries[query][0], east = records[i][1] - queries[query][1],
            distance = sqrtf(fmaf(north, north, east * east));
      if (distance >= distances[query]) continue;
      distances[query] = distance;
      nearest[query] = i;
    }
  }
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "nn",
      .grid = {job->size->n_queries, 1, 1},
      .block = {job->size->block_threads, 1, 1},
      .shared_bytes = 8 * job->size->block_threads,
      .args = {job->records.addr, job->size->n_records, job->queries.addr, job->nearest.addr,
               job->distances.addr},
  };
  return 1;
}

const struct qsm_suite_program qsm_nn = {
    .name = "nn",
    .about = "nearest of many places on a map, a block per query",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source = "Che et al., \"Rodinia\", IISWC 2009",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
