// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite_util.h"

#include <stdlib.h>
#include <string.h>

uint32_t qsm_rng_next(struct qsm_rng *rng) {
  rng->state += 0x9E3779B97F4A7C15u;
  uint64_t z = rng->state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ (z >> 31)) >> 32);
}

int32_t qsm_rng_range(struct qsm_rng *rng, int32_t low, int32_t high) {
  uint64_t span = (uint64_t)((int64_t)high - low + 1);
  return (int32_t)(low + (int64_t)(qsm_rng_next(rng) * span >> 32));
}

float qsm_rng_float(struct qsm_rng *rng, float low, float high) {
  float part = (float)(qsm_rng_next(rng) >> 8) / 16777216.0f;
  return low + part * (high - low);
}

// ---- Arrays ----

static size_t bytes_of(const struct qsm_array *array) {
  return array->n_elements * array->element_bytes;
}

int qsm_array_create(struct qsm_job *job, struct qsm_array *array, enum qsm_role role,
                     size_t n_elements, size_t element_bytes) {
  *array = (struct qsm_array){
      .mem = job->mem, .role = role, .n_elements = n_elements, .element_bytes = element_bytes};
  job->arrays[job->n_arrays++] = array;
  array->host = calloc(n_elements, element_bytes);
  if (array->host == NULL) return -1;
  if (role == QSM_STATE && (array->start = calloc(n_elements, element_bytes)) == NULL) return -1;
  array->addr = array->places[0] = job->mem.alloc(job->mem.ctx, bytes_of(array));
  return array->addr == 0 ? -1 : 0;
}

static void upload(const struct qsm_array *array, const void *from) {
  array->mem.write(array->mem.ctx, array->addr, from, bytes_of(array));
}

void qsm_array_upload(const struct qsm_array *array) { upload(array, array->host); }

// Makes every device element differ from the host copy, or from what that will be.
static void spoil(const struct qsm_job *job, const struct qsm_array *array) {
  enum { PIECE = 4096 };
  const uint8_t *host = array->host;
  size_t n_bytes = bytes_of(array);
  uint8_t piece[PIECE];
  for (size_t done = 0; done < n_bytes; done += PIECE) {
    size_t n = n_bytes - done < PIECE ? n_bytes - done : PIECE;
    for (size_t i = 0; i < n; i++)
      piece[i] = job->program->reference != NULL ? 0xFF : (uint8_t)~host[done + i];
    array->mem.write(array->mem.ctx, array->addr + (uint32_t)done, piece, n);
  }
  if (array->mem.spoiled != NULL) array->mem.spoiled(array->mem.ctx, array->addr, n_bytes);
}

uint64_t qsm_array_mismatches(const struct qsm_array *array) {
  size_t size = array->element_bytes;
  uint8_t *device = malloc(array->n_elements * size);
  if (device == NULL) return array->n_elements;
  array->mem.read(array->mem.ctx, array->addr, device, array->n_elements * size);
  uint64_t n_wrong = 0;
  for (size_t i = 0; i < array->n_elements; i++) {
    n_wrong += memcmp(device + i * size, (const uint8_t *)array->host + i * size, size) != 0;
  }
  free(device);
  return n_wrong;
}

struct qsm_from_to qsm_alternate(const struct qsm_array *start, const struct qsm_array *scratch,
                                 const struct qsm_array *result, uint32_t i, uint32_t n_steps) {
  int to_result = (n_steps - i) % 2 == 1;
  const struct qsm_array *from = i == 0 ? start : to_result ? scratch : result;
  return (struct qsm_from_to){from->addr, to_result ? result->addr : scratch->addr};
}

int qsm_ascending_words(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

// ---- Jobs ----

struct qsm_job *qsm_suite_create(const struct qsm_suite_program *program,
                                 const struct qsm_suite_mem *mem, uint64_t seed,
                                 enum qsm_suite_size size) {
  struct qsm_job *job = calloc(1, program->job_bytes);
  if (job == NULL) return NULL;
  job->program = program;
  job->mem = *mem;
  job->n_sets = 1;
  if (program->create(job, seed, size) != 0) {
    qsm_suite_destroy(job);
    return NULL;
  }
  for (uint32_t i = 0; i < job->n_arrays; i++) {
    if (job->arrays[i]->role == QSM_INPUT) qsm_array_upload(job->arrays[i]);
  }
  return job;
}

void qsm_suite_begin(struct qsm_job *job) {
  job->n_launched = 0;
  for (uint32_t i = 0; i < job->n_arrays; i++) {
    const struct qsm_array *array = job->arrays[i];
    if (array->role == QSM_STATE)
      upload(array, array->start);
    else if (array->role != QSM_INPUT)
      spoil(job, array);
  }
  if (job->program->begin != NULL) job->program->begin(job);
}

int qsm_suite_next(struct qsm_job *job, struct qsm_suite_launch *launch) {
  if (!job->program->next(job, launch)) return 0;
  job->n_launched++;
  return 1;
}

// Elements whose reference is what they began with: nobody would notice that no kernel wrote them.
static uint64_t all_ones(const struct qsm_array *array) {
  const uint8_t *host = array->host;
  uint64_t n = 0;
  for (size_t i = 0; i < array->n_elements; i++) {
    size_t at = i * array->element_bytes, end = at + array->element_bytes;
    while (at < end && host[at] == 0xFF) at++;
    n += at == end;
  }
  return n;
}

uint64_t qsm_suite_check(struct qsm_job *job) {
  uint64_t n_wrong = 0;
  int late = job->program->reference != NULL;
  if (late && !job->has_reference) job->program->reference(job);
  job->has_reference = 1;
  for (uint32_t i = 0; i < job->n_arrays; i++) {
    enum qsm_role role = job->arrays[i]->role;
    if (role == QSM_OUTPUT || role == QSM_STATE) n_wrong += qsm_array_mismatches(job->arrays[i]);
    if (role == QSM_OUTPUT && late) n_wrong += all_ones(job->arrays[i]);
  }
  return n_wrong;
}

void qsm_suite_destroy(struct qsm_job *job) {
  if (job == NULL) return;
  for (uint32_t i = 0; i < job->n_arrays; i++) {
    free(job->arrays[i]->host);
    free(job->arrays[i]->start);
  }
  free(job);
}

// ---- Sets ----

static uint64_t room_of(const struct qsm_array *array) {
  return (bytes_of(array) + 255) / 256 * 256;
}

static uint64_t bytes_of_set(const struct qsm_job *job) {
  uint64_t n_bytes = 0;
  for (uint32_t i = 0; i < job->n_arrays; i++)
    if (job->arrays[i]->role != QSM_INPUT) n_bytes += room_of(job->arrays[i]);
  return n_bytes;
}

// Returns 0, or -1 when there is no room: what has been allocated then belongs to no set.
static int add_set(struct qsm_job *job) {
  for (uint32_t i = 0; i < job->n_arrays; i++) {
    struct qsm_array *array = job->arrays[i];
    uint32_t place =
        array->role == QSM_INPUT ? array->addr : job->mem.alloc(job->mem.ctx, bytes_of(array));
    if (place == 0) return -1;
    array->places[job->n_sets] = place;
  }
  job->n_sets++;
  return 0;
}

uint32_t qsm_suite_add_sets(struct qsm_job *job, uint64_t most_bytes) {
  uint64_t set_bytes = bytes_of_set(job), left = most_bytes;
  while (job->n_sets < QSM_SUITE_MOST_SETS && left >= set_bytes && add_set(job) == 0)
    left -= set_bytes;
  return job->n_sets;
}

void qsm_suite_use_set(struct qsm_job *job, uint32_t set) {
  for (uint32_t i = 0; i < job->n_arrays; i++) job->arrays[i]->addr = job->arrays[i]->places[set];
  job->n_launched = 0;
}

// ---- Sizes ----

// Memory without end that keeps nothing but how much was asked for.
static uint32_t count_bytes(void *ctx, size_t bytes) {
  *(uint64_t *)ctx += (bytes + 255) / 256 * 256;
  return 256;
}

static void forget(void *ctx, uint32_t addr, const void *src, size_t bytes) {
  (void)ctx, (void)addr, (void)src, (void)bytes;
}

uint64_t qsm_suite_bytes(const struct qsm_suite_program *program, uint64_t seed,
                         enum qsm_suite_size size) {
  uint64_t n_bytes = 0;
  const struct qsm_suite_mem mem = {&n_bytes, count_bytes, forget, NULL, NULL};
  struct qsm_job *job = qsm_suite_create(program, &mem, seed, size);
  if (job == NULL) return 0;
  qsm_suite_destroy(job);
  return n_bytes;
}
