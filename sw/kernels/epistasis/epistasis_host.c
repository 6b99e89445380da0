// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

enum { N_GENOTYPES = 3, N_STRETCH = 8 };  // as in epistasis.c

static const struct size {
  uint32_t n_markers, n_cases, n_controls;
  uint32_t block_x, block_y;
} sizes[] = {
    {9, 70, 61, 4, 2}, {30, 250, 301, 4, 4}, {150, 600, 551, 16, 8}, {600, 4000, 4100, 16, 8}};

struct job {
  struct qsm_job base;
  struct qsm_array case_planes, control_planes, scores;
  const struct size *size;
};

// The genotypes of everybody: people of one class by markers.
static void generate_class(struct qsm_rng *rng, struct qsm_array *planes, uint8_t *genotypes,
                           uint32_t n_people, uint32_t n_markers, int is_case) {
  uint32_t n_words = qsm_div_up(n_people, 32), *bits = planes->host;
  for (uint32_t person = 0; person < n_people; person++) {
    for (uint32_t marker = 0; marker < n_markers; marker++) {
      // Two alleles; the rarer one is somewhat more common among cases at every fifth marker.
      int32_t rare = 20 + (int32_t)(marker % 7) * 5 + (is_case && marker % 5 == 0 ? 10 : 0);
      uint32_t genotype =
          (uint32_t)((qsm_rng_range(rng, 0, 99) < rare) + (qsm_rng_range(rng, 0, 99) < rare));
      genotypes[person * n_markers + marker] = (uint8_t)genotype;
      bits[(marker * N_GENOTYPES + genotype) * n_words + person / 32] |= 1u << person % 32;
    }
  }
}

// Person by person.
static uint32_t score(const uint8_t *cases, const uint8_t *controls, const struct size *size,
                      uint32_t x, uint32_t y) {
  uint64_t table[2][9] = {{0}};
  uint32_t right = 0;
  for (uint32_t i = 0; i < size->n_cases; i++)
    table[0][cases[i * size->n_markers + x] * 3 + cases[i * size->n_markers + y]]++;
  for (uint32_t i = 0; i < size->n_controls; i++)
    table[1][controls[i * size->n_markers + x] * 3 + controls[i * size->n_markers + y]]++;
  for (int cell = 0; cell < 9; cell++)
    right +=
        (uint32_t)table[table[0][cell] * size->n_controls < table[1][cell] * size->n_cases][cell];
  return right;
}

static int generate(struct job *job, uint64_t seed) {
  const struct size *size = job->size;
  struct qsm_rng rng = {seed};
  uint8_t *cases = malloc((size_t)size->n_cases * size->n_markers),
          *controls = malloc((size_t)size->n_controls * size->n_markers);
  uint32_t *scores = job->scores.host, n = size->n_markers;
  int error = cases == NULL || controls == NULL ? -1 : 0;
  if (!error) {
    generate_class(&rng, &job->case_planes, cases, size->n_cases, n, 1);
    generate_class(&rng, &job->control_planes, controls, size->n_controls, n, 0);
    for (uint32_t y = 0; y < n; y++) {
      for (uint32_t x = y + 1; x < n; x++) scores[y * n + x] = score(cases, controls, size, x, y);
    }
  }
  free(cases);
  free(controls);
  return error;
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  size_t n_planes = (size_t)N_GENOTYPES * job->size->n_markers;
  if (qsm_array_create(base, &job->case_planes, QSM_INPUT,
                       n_planes * qsm_div_up(job->size->n_cases, 32), 4) != 0 ||
      qsm_array_create(base, &job->control_planes, QSM_INPUT,
                       n_planes * qsm_div_up(job->size->n_controls, 32), 4) != 0 ||
      // Starts as zeros, which stay on and below the diagonal.
      qsm_array_create(base, &job->scores, QSM_STATE,
                       (size_t)job->size->n_markers * job->size->n_markers, 4) != 0) {
    return -1;
  }
  return generate(job, seed);
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "epistasis",
      .grid = {qsm_div_up(size->n_markers, size->block_x),
               qsm_div_up(size->n_markers, size->block_y), 1},
      .block = {size->block_x, size->block_y, 1},
      .shared_bytes = 4 * N_GENOTYPES * N_STRETCH * (size->block_x + size->block_y),
      .args = {job->case_planes.addr, job->control_planes.addr, qsm_div_up(size->n_cases, 32),
               qsm_div_up(size->n_controls, 32), size->n_markers, size->n_cases, size->n_controls,
               job->scores.addr},
  };
  return 1;
}

const struct qsm_suite_program qsm_epistasis = {
    .name = "epistasis",
    .about = "contingency tables of all pairs of genetic markers, bit-parallel",
    .bound = "compute",
    .paper = "FedCM",
    .source =
        "Wan et al., \"BOOST\", Am. J. Human Genetics 87(3), 2010; Ritchie et al., ibid. 69(1), 2001",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
