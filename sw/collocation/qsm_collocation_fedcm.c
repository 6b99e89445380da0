// SPDX-License-Identifier: Apache-2.0
// FedCM's candidates, their correction, and cache bypass (docs/collocation.md).
#include "qsm_collocation_internal.h"

struct search {
  struct qsm_collocation *collocation;
  const struct collocation_kernel *kernel;
  uint64_t u[QSM_COLLOCATION_MOST_SMS];
  uint32_t n_draws;
};

static uint64_t sum_of(const struct search *search, qsm_collocation_mask mask) {
  uint64_t sum = 0;
  for (; mask; mask &= mask - 1) sum += search->u[collocation_lowest(mask)];
  return sum;
}

static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

// R-CO-7: one SM of the mask.
static uint32_t draw(struct search *search, qsm_collocation_mask mask) {
  uint32_t x = search->collocation->random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  search->collocation->random = x;
  search->n_draws++;
  for (uint64_t index = (uint64_t)x * collocation_count(mask) >> 32; index; index--)
    mask &= mask - 1;
  return collocation_lowest(mask);
}

static bool brings_nearer(const struct search *search, qsm_collocation_mask choice, uint64_t sum,
                          uint64_t target) {
  for (; choice; choice &= choice - 1) {
    uint64_t u = search->u[collocation_lowest(choice)];
    if (distance(sum < target ? sum + u : sum - u, target) < distance(sum, target)) return true;
  }
  return false;
}

// R-CO-6. `own` may be removed, `neither` added.
static qsm_collocation_mask correct(struct search *search, qsm_collocation_mask mask,
                                    qsm_collocation_mask own, qsm_collocation_mask neither) {
  uint64_t target = (uint64_t)search->kernel->demand << 32, sum = sum_of(search, mask);
  qsm_collocation_mask best = mask;
  uint64_t best_distance = distance(sum, target);
  for (uint32_t step = 0; step < search->collocation->machine.n_sms; step++) {
    if (sum * 10 >= target * 9 && sum * 10 <= target * 11) break;
    bool add = sum < target;
    qsm_collocation_mask choice = add ? neither & ~mask : own & mask;
    if (!add && !(mask & (mask - 1))) break;
    if (!brings_nearer(search, choice, sum, target)) break;
    uint32_t sm = draw(search, choice);
    mask ^= collocation_bit(sm);
    sum = add ? sum + search->u[sm] : sum - search->u[sm];
    if (distance(sum, target) < best_distance) {
      best_distance = distance(sum, target);
      best = mask;
    }
  }
  return best;
}

static uint64_t arrays_of(const struct qsm_collocation_machine *machine, qsm_collocation_mask mask,
                          qsm_collocation_mask *arrays) {
  *arrays = mask;
  if (!machine->n_arrays) return machine->n_sms;
  *arrays = 0;
  for (; mask; mask &= mask - 1)
    *arrays |= collocation_bit(collocation_lowest(mask) % machine->n_arrays);
  return machine->n_arrays;
}

// R-CO-8 and R-CO-9; `partner` is 0 if there is none.
static uint32_t policy_of(const struct search *search, qsm_collocation_mask mask,
                          qsm_collocation_mask partner) {
  const struct qsm_collocation *collocation = search->collocation;
  qsm_collocation_mask mine, theirs;
  uint64_t all = arrays_of(&collocation->machine, mask, &mine);
  arrays_of(&collocation->machine, partner, &theirs);
  uint32_t rules = (partner && mine == theirs ? 1u : 0) | (collocation_count(mine) == all ? 2u : 0);
  uint32_t c = collocation_count(mask) - 1;
  const uint64_t *const *time = search->kernel->time;
  bool passes[QSM_COLLOCATION_POLICIES] = {false};
  for (uint32_t s = 1; s < QSM_COLLOCATION_POLICIES; s++)
    passes[s] = (s & ~rules) == 0 && (qsm_collocation_mask)time[s][c] * COLLOCATION_MILLION <=
                                         (qsm_collocation_mask)time[0][c] * collocation->gamma;
  if (passes[3]) return 3;
  if (passes[1] && passes[2]) return time[2][c] < time[1][c] ? 2 : 1;
  return passes[1] ? 1 : passes[2] ? 2 : 0;
}

void collocation_fedcm(struct qsm_collocation *collocation, uint32_t queue,
                       const struct collocation_kernel *kernel,
                       struct qsm_collocation_decision *decision) {
  struct search search = {.collocation = collocation, .kernel = kernel};
  uint32_t n_sms = collocation->machine.n_sms;
  // Where the same kernels run, U is the same.
  for (uint32_t sm = 0; sm < n_sms; sm++) {
    const uint64_t *used = collocation->used[sm], *left = collocation->used[sm ? sm - 1 : 0];
    bool same = sm && used[0] == left[0] && used[1] == left[1] && used[2] == left[2];
    search.u[sm] = same ? search.u[sm - 1] : collocation_u(kernel->use, used);
  }
  qsm_collocation_mask all = qsm_collocation_profile_mask(n_sms);
  qsm_collocation_mask own = collocation->queues[queue].mask, partner = 0;
  qsm_collocation_mask best_time = 0, best_sum = 1;
  for (uint32_t k = 0; k <= collocation->n_queues; k++) {  // its own, then those of the others
    uint32_t i = k ? k - 1 : queue;
    if (k && (i == queue || !collocation->queues[i].running)) continue;
    qsm_collocation_mask other = k ? collocation->queues[i].mask : 0;
    qsm_collocation_mask mask = correct(&search, own | other, own, all & ~(own | other));
    uint64_t sum = sum_of(&search, mask);
    uint32_t c = collocation_count(mask);
    qsm_collocation_mask time = (qsm_collocation_mask)kernel->time[0][c - 1] * c;
    if (!decision->n_candidates++ || time * best_sum < best_time * sum) {
      best_time = time;
      best_sum = sum;
      decision->mask = mask;
      partner = other;
    }
  }
  decision->policy = collocation->options.scheme >= QSM_COLLOCATION_FEDCM
                         ? policy_of(&search, decision->mask, partner)
                         : 0;
  decision->n_draws = search.n_draws;
}
