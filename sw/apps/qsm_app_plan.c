// SPDX-License-Identifier: Apache-2.0
#include "qsm_app_internal.h"

#include <stdlib.h>
#include <string.h>

// ---- Random contents ----

struct qsm_app_random qsm_app_random_of(uint64_t seed) {
  uint64_t z = seed + 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return (struct qsm_app_random){z ? z : 1};
}

uint32_t qsm_app_random_next(struct qsm_app_random *random) {
  uint64_t x = random->state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  random->state = x;
  return (uint32_t)(x * 0x2545F4914F6CDD1Du >> 32);
}

uint32_t qsm_app_random_range(struct qsm_app_random *random, uint32_t low, uint32_t high) {
  return low + (uint32_t)(qsm_app_random_next(random) * ((uint64_t)high - low + 1) >> 32);
}

float qsm_app_random_float(struct qsm_app_random *random, float low, float high) {
  float part = (float)(qsm_app_random_next(random) >> 8) / 16777216.0f;
  return low + part * (high - low);
}

void qsm_app_fill_floats(struct qsm_app_random *random, void *host, size_t bytes,
                         const struct qsm_app_content *content) {
  float *values = host;
  for (size_t i = 0; i < bytes / 4; i++)
    values[i] = qsm_app_random_float(random, content->low, content->high);
}

void qsm_app_fill_words(struct qsm_app_random *random, void *host, size_t bytes,
                        const struct qsm_app_content *content) {
  uint32_t *words = host;
  for (size_t i = 0; i < bytes / 4; i++)
    words[i] = qsm_app_random_range(random, content->number[0], content->number[1]);
}

// ---- The plan ----

// Room for one more element; NULL, and the plan has failed: no memory.
static void *grow(struct qsm_app_plan *plan, void *list, uint32_t n, size_t element_bytes) {
  if (plan->failed) return NULL;
  if (n & (n - 1)) return list;  // it doubles at powers of 2
  void *larger = realloc(list, (n ? 2 * (size_t)n : 1) * element_bytes);
  if (!larger) plan->failed = true;
  return larger;
}

static char *copy_name(struct qsm_app_plan *plan, const char *name) {
  char *copy = strdup(name);
  if (!copy) plan->failed = true;
  return copy;
}

uint32_t qsm_app_plan_buffer(struct qsm_app_plan *plan, const char *name, enum qsm_app_role role,
                             size_t bytes, struct qsm_app_content content) {
  struct qsm_app_place *list = grow(plan, plan->buffers, plan->n_buffers, sizeof *plan->buffers);
  if (!list) return 0;
  plan->buffers = list;
  char *own = copy_name(plan, name);
  if (!own) return 0;
  list[plan->n_buffers] = (struct qsm_app_place){
      .shown = {.name = own, .role = role, .bytes = bytes}, .content = content};
  return plan->n_buffers++;
}

void qsm_app_plan_set_role(struct qsm_app_plan *plan, uint32_t buffer, enum qsm_app_role role) {
  if (!plan->failed) plan->buffers[buffer].shown.role = role;
}

bool qsm_app_plan_failed(const struct qsm_app_plan *plan) { return plan->failed; }

// R-AP-3. Where in a buffer an argument begins makes no difference.
static bool same_kernel(const struct qsm_app_plan *plan, const struct qsm_app_launch_plan *a,
                        const struct qsm_app_launch_plan *b) {
  const struct qsm_app_step *x = &a->shown, *y = &b->shown;
  if (a->kernel != b->kernel || memcmp(&x->grid, &y->grid, sizeof x->grid) ||
      memcmp(&x->block, &y->block, sizeof x->block) || x->shared_bytes != y->shared_bytes)
    return false;
  for (uint32_t i = 0; i < x->n_args; i++) {
    if (a->kernel->pattern[i] == 'n') {
      if (a->args[i] != b->args[i]) return false;
      continue;
    }
    const struct qsm_app_buffer *p = &plan->buffers[(uint32_t)a->args[i]].shown,
                                *q = &plan->buffers[(uint32_t)b->args[i]].shown;
    if (p->bytes != q->bytes || p->role != q->role) return false;
  }
  return true;
}

void qsm_app_plan_number(struct qsm_app_plan *plan) {
  plan->n_distinct = 0;
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    uint32_t j = 0;
    while (j < i && !same_kernel(plan, &plan->steps[i], &plan->steps[j])) j++;
    plan->steps[i].shown.distinct = j < i ? plan->steps[j].shown.distinct : plan->n_distinct++;
  }
}

static void add_once(uint32_t *list, uint32_t *n, uint32_t buffer) {
  for (uint32_t i = 0; i < *n; i++)
    if (list[i] == buffer) return;
  list[(*n)++] = buffer;
}

void qsm_app_plan_step(struct qsm_app_plan *plan, const char *name,
                       const struct qsm_app_kernel *kernel, qsmDim3 grid, qsmDim3 block,
                       uint32_t shared_bytes, const qsm_app_argument *args) {
  struct qsm_app_launch_plan *list = grow(plan, plan->steps, plan->n_steps, sizeof *plan->steps);
  if (!list) return;
  plan->steps = list;
  char *own = copy_name(plan, name);
  if (!own) return;
  struct qsm_app_launch_plan *step = &list[plan->n_steps++];
  *step = (struct qsm_app_launch_plan){.kernel = kernel,
                                       .shown = {.name = own,
                                                 .kernel = kernel->name,
                                                 .grid = grid,
                                                 .block = block,
                                                 .shared_bytes = shared_bytes}};
  for (const char *letter = kernel->pattern; *letter; letter++) {
    uint32_t i = step->shown.n_args++, buffer = (uint32_t)args[i];
    step->args[i] = args[i];
    if (*letter == 'r' || *letter == 'u') add_once(step->shown.reads, &step->shown.n_reads, buffer);
    if (*letter == 'w' || *letter == 'u')
      add_once(step->shown.writes, &step->shown.n_writes, buffer);
  }
}

int qsm_app_plan_make(struct qsm_app_plan *plan, const struct qsm_app *app,
                      enum qsm_app_size size) {
  *plan = (struct qsm_app_plan){.failed = false};
  int error = app->plan(plan, size);
  if (!error && !plan->failed) {
    qsm_app_plan_number(plan);
    return 0;
  }
  qsm_app_plan_free(plan);
  return -1;
}

void qsm_app_plan_free(struct qsm_app_plan *plan) {
  for (uint32_t i = 0; i < plan->n_buffers; i++) {
    free((void *)(uintptr_t)plan->buffers[i].shown.name);
    free(plan->buffers[i].host);
  }
  for (uint32_t i = 0; i < plan->n_steps; i++) free((void *)(uintptr_t)plan->steps[i].shown.name);
  free(plan->buffers);
  free(plan->steps);
  *plan = (struct qsm_app_plan){.failed = false};
}

uint64_t qsm_app_plan_bytes(const struct qsm_app_plan *plan) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < plan->n_buffers; i++)
    bytes += (plan->buffers[i].shown.bytes + 255) / 256 * 256;
  return bytes;
}
