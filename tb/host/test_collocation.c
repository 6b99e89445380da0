// SPDX-License-Identifier: Apache-2.0
// Decisions of collocated applications: the worked example of docs/collocation.md, its rules one by
// one, and random machines against a reference that counts everything anew for each decision.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_support.h"
#include "qsm_collocation.h"
#include "qsm_random.h"

// R-CO-2, R-CO-4, R-CO-5, R-CO-6, R-CO-7, R-CO-8
static void the_example_of_the_page(void **state) {
  (void)state;
  static const uint64_t a[] = {100, 60, 50, 48}, b[] = {100, 52, 51, 50};
  struct qsm_collocation_kernel of_a = {{a, a, a, a}, 64, 0, 0}, of_b = {{b, b, b, b}, 64, 0, 0};
  struct qsm_collocation_machine machine = {4, 0};
  char msg[128];
  struct qsm_collocation *all =
      qsm_collocation_create(&machine, &qsm_collocation_defaults, msg, sizeof msg);
  assert_non_null(all);
  assert_int_equal(qsm_collocation_demand(&machine, &of_a), 3);
  assert_int_equal(qsm_collocation_demand(&machine, &of_b), 2);
  assert_int_equal(qsm_collocation_add(all, &of_a, 1, msg, sizeof msg), 0);
  assert_int_equal(qsm_collocation_add(all, &of_b, 1, msg, sizeof msg), 1);
  struct qsm_collocation_decision first = qsm_collocation_decide(all, 0, 0);
  assert_int_equal((uint64_t)first.mask, 14);
  assert_int_equal(first.policy, 0);
  qsm_collocation_begin(all, 0);
  struct qsm_collocation_decision second = qsm_collocation_decide(all, 1, 0);
  assert_int_equal((uint64_t)second.mask, 11);
  assert_int_equal(second.policy, 0);
  assert_int_equal(second.n_candidates, 2);
  assert_int_equal(second.n_draws, 2);
  qsm_collocation_destroy(all);
}

// ---- Reference, from the page ----

enum { MOST_QUEUES = 10, MOST_KERNELS = 12, RESOURCES = 3, SESSIONS = 400, DECISIONS = 60 };
typedef __int128 wide;

struct ref_kernel {
  uint64_t time[QSM_COLLOCATION_POLICIES][QSM_COLLOCATION_MOST_SMS];
  uint64_t use[RESOURCES];
};

struct ref_queue {
  bool alive, runs;
  uint32_t kernel, n_kernels, policy;
  qsm_collocation_mask mask;
  struct ref_kernel kernels[MOST_KERNELS];
};

struct reference {
  enum qsm_collocation_scheme scheme;
  uint32_t n_sms, n_arrays, n_queues, draw;
  uint64_t sigma, gamma;  // millionths
  bool last_of_equals;    // the negative control: another rule where candidates are equal
  struct ref_queue queue[MOST_QUEUES];
};

static bool has(qsm_collocation_mask mask, uint32_t sm) { return mask >> sm & 1; }

static uint32_t sms_in(qsm_collocation_mask mask) {
  uint32_t n = 0;
  for (uint32_t sm = 0; sm < QSM_COLLOCATION_MOST_SMS; sm++) n += has(mask, sm);
  return n;
}

static qsm_collocation_mask all_of(uint32_t n_sms) {
  qsm_collocation_mask mask = 0;
  for (uint32_t sm = 0; sm < n_sms; sm++) mask |= (qsm_collocation_mask)1 << sm;
  return mask;
}

static uint32_t ref_demand(const struct reference *ref, const struct ref_kernel *kernel) {
  uint32_t c = 1;
  while (10 * kernel->time[0][c - 1] > 11 * kernel->time[0][ref->n_sms - 1]) c++;
  return c;
}

static bool ref_critical(const struct reference *ref, const struct ref_queue *queue, uint32_t k) {
  uint64_t before = 0, n = (ref->sigma * queue->n_kernels + 999999) / 1000000;
  for (uint32_t other = 0; other < queue->n_kernels; other++) {
    const uint64_t mine = queue->kernels[k].time[0][ref->n_sms - 1];
    const uint64_t its = queue->kernels[other].time[0][ref->n_sms - 1];
    before += its > mine || (its == mine && other < k);
  }
  return before < n;
}

// U of the kernel of queue q on an SM, in units of 2^-32.
static uint64_t ref_u(const struct reference *ref, uint32_t q, const struct ref_kernel *kernel,
                      uint32_t sm) {
  uint64_t sum = 0, n = 0;
  for (uint32_t r = 0; r < RESOURCES; r++) {
    uint64_t others = 0;
    if (!kernel->use[r]) continue;
    for (uint32_t i = 0; i < ref->n_queues; i++) {
      const struct ref_queue *other = &ref->queue[i];
      if (i != q && other->alive && other->runs && has(other->mask, sm))
        others += other->kernels[other->kernel].use[r];
    }
    n++;
    sum += (kernel->use[r] << 32) / (kernel->use[r] + others);
  }
  if (n == 0) return UINT64_C(1) << 32;
  return sum / n ? sum / n : 1;
}

static wide distance(wide a, wide b) { return a > b ? a - b : b - a; }

struct corrected {
  qsm_collocation_mask mask;
  wide sum;
  uint32_t n_draws;
};

static struct corrected ref_correct(struct reference *ref, uint32_t q,
                                    const struct ref_kernel *kernel, qsm_collocation_mask partner) {
  const qsm_collocation_mask own = ref->queue[q].mask;
  const wide want = (wide)ref_demand(ref, kernel) << 32;
  struct corrected now = {.mask = own | partner}, best;
  for (uint32_t sm = 0; sm < ref->n_sms; sm++)
    if (has(now.mask, sm)) now.sum += ref_u(ref, q, kernel, sm);
  best = now;
  while (now.n_draws < ref->n_sms && (10 * now.sum < 9 * want || 10 * now.sum > 11 * want)) {
    const bool adds = now.sum < want;
    uint32_t sms[QSM_COLLOCATION_MOST_SMS], n = 0;
    bool nearer = false;
    for (uint32_t sm = 0; sm < ref->n_sms; sm++) {
      const bool may = adds ? !has(own | partner, sm) && !has(now.mask, sm)
                            : has(own, sm) && has(now.mask, sm) && sms_in(now.mask) > 1;
      if (!may) continue;
      const wide u = ref_u(ref, q, kernel, sm);
      nearer |= distance(now.sum + (adds ? u : -u), want) < distance(now.sum, want);
      sms[n++] = sm;
    }
    if (!nearer) break;
    ref->draw ^= ref->draw << 13;
    ref->draw ^= ref->draw >> 17;
    ref->draw ^= ref->draw << 5;
    const uint32_t sm = sms[(uint64_t)ref->draw * n >> 32];
    const wide u = ref_u(ref, q, kernel, sm);
    now.mask ^= (qsm_collocation_mask)1 << sm;
    now.sum += adds ? u : -u;
    now.n_draws++;
    if (distance(now.sum, want) < distance(best.sum, want)) best = now;
  }
  best.n_draws = now.n_draws;
  return best;
}

static bool same_arrays(const struct reference *ref, qsm_collocation_mask a,
                        qsm_collocation_mask b) {
  bool in_a[QSM_COLLOCATION_MOST_SMS] = {0}, in_b[QSM_COLLOCATION_MOST_SMS] = {0};
  if (!ref->n_arrays) return a == b;
  for (uint32_t sm = 0; sm < ref->n_sms; sm++) {
    in_a[sm % ref->n_arrays] |= has(a, sm);
    in_b[sm % ref->n_arrays] |= has(b, sm);
  }
  return memcmp(in_a, in_b, sizeof in_a) == 0;
}

static bool ref_passes(const struct reference *ref, const struct ref_kernel *kernel, uint32_t s,
                       uint32_t c) {
  return (wide)kernel->time[s][c - 1] * 1000000 <= (wide)ref->gamma * (wide)kernel->time[0][c - 1];
}

static uint32_t ref_policy(const struct reference *ref, const struct ref_kernel *kernel,
                           qsm_collocation_mask mask, const struct ref_queue *partner) {
  const uint32_t c = sms_in(mask);
  const bool rule1 = partner && same_arrays(ref, mask, partner->mask);
  const bool rule2 = same_arrays(ref, mask, all_of(ref->n_sms));
  const bool s1 = rule1 && ref_passes(ref, kernel, 1, c),
             s2 = rule2 && ref_passes(ref, kernel, 2, c);
  if (ref->scheme < QSM_COLLOCATION_FEDCM) return 0;
  if (rule1 && rule2 && ref_passes(ref, kernel, 3, c)) return 3;
  if (s1 && s2) return kernel->time[2][c - 1] < kernel->time[1][c - 1] ? 2 : 1;
  return s1 ? 1 : s2 ? 2 : 0;
}

static struct qsm_collocation_decision ref_fedcm(struct reference *ref, uint32_t q, uint32_t k) {
  struct ref_queue *queue = &ref->queue[q];
  const struct ref_kernel *kernel = &queue->kernels[k];
  struct qsm_collocation_decision d = {.decided = true};
  struct corrected best = {0};
  const struct ref_queue *partner = NULL;
  for (uint32_t i = 0; i <= ref->n_queues; i++) {  // first the own mask
    const struct ref_queue *with = i ? &ref->queue[i - 1] : NULL;
    if (with && (i - 1 == q || !with->alive || !with->runs)) continue;
    const struct corrected one = ref_correct(ref, q, kernel, with ? with->mask : 0);
    const uint32_t c = sms_in(one.mask), c_best = best.mask ? sms_in(best.mask) : 0;
    d.n_candidates++;
    d.n_draws += one.n_draws;
    if (best.mask) {
      const wide its = (wide)(kernel->time[0][c - 1] * c) * best.sum;
      const wide least = (wide)(kernel->time[0][c_best - 1] * c_best) * one.sum;
      if (its > least || (its == least && !ref->last_of_equals)) continue;
    }
    best = one;
    partner = with;
  }
  d.mask = best.mask;
  d.policy = ref_policy(ref, kernel, best.mask, partner);
  return d;
}

static struct qsm_collocation_decision ref_krisp(const struct reference *ref, uint32_t q,
                                                 uint32_t k) {
  struct qsm_collocation_decision d = {.decided = true};
  for (uint32_t left = ref_demand(ref, &ref->queue[q].kernels[k]); left; left--) {
    uint32_t least = UINT32_MAX, chosen = 0;
    for (uint32_t sm = 0; sm < ref->n_sms; sm++) {
      uint32_t n = 0;
      for (uint32_t i = 0; i < ref->n_queues; i++)
        n += ref->queue[i].alive && ref->queue[i].runs && has(ref->queue[i].mask, sm);
      if (has(d.mask, sm) || n >= least) continue;
      least = n;
      chosen = sm;
    }
    d.mask |= (qsm_collocation_mask)1 << chosen;
  }
  return d;
}

static struct qsm_collocation_decision ref_decide(struct reference *ref, uint32_t q, uint32_t k) {
  struct ref_queue *queue = &ref->queue[q];
  struct qsm_collocation_decision d = {.mask = queue->mask, .policy = queue->policy};
  if (ref->scheme == QSM_COLLOCATION_SERIAL)
    for (uint32_t i = 0; i < q; i++) d.wait |= ref->queue[i].alive;
  if (ref->scheme == QSM_COLLOCATION_KRISP) d = ref_krisp(ref, q, k);
  const uint32_t n = sms_in(queue->mask), demand = ref_demand(ref, &queue->kernels[k]);
  const bool fits = demand <= 2 * n && n <= 2 * demand;
  if (ref->scheme >= QSM_COLLOCATION_FEDC &&
      (ref_critical(ref, queue, k) || (ref->scheme == QSM_COLLOCATION_FITTED && !fits)))
    d = ref_fedcm(ref, q, k);
  queue->mask = d.mask;
  queue->policy = d.policy;
  queue->kernel = k;
  return d;
}

// ---- Random sessions ----

static uint64_t draw_time(struct qsm_random *random, uint32_t c, uint32_t kind, uint64_t work) {
  switch (kind) {
    case 0: return 1 + qsm_random_below(random, 1000);            // anything
    case 1: return work;                                          // one SM is enough
    case 2: return 1 + work / c;                                  // scales
    default: return 1 + work / c + qsm_random_below(random, 20);  // nearly so
  }
}

static void draw_kernel(struct qsm_random *random, const struct reference *ref,
                        struct ref_kernel *kernel) {
  const uint32_t kind = qsm_random_below(random, 4);
  const uint64_t work = 1 + qsm_random_below(random, 100000);
  for (uint32_t c = 1; c <= ref->n_sms; c++) {
    const uint64_t time = draw_time(random, c, kind, work);
    kernel->time[0][c - 1] = time;
    for (uint32_t s = 1; s < QSM_COLLOCATION_POLICIES; s++)
      kernel->time[s][c - 1] = 1 + time * (70 + qsm_random_below(random, 60)) / 100;
  }
  for (uint32_t r = 0; r < RESOURCES; r++)
    kernel->use[r] = qsm_random_chance(random, 60) ? 1 + qsm_random_below(random, 4096) : 0;
}

struct session {
  struct reference ref;
  struct qsm_collocation *library;
  struct qsm_random random;
  uint32_t n_decisions, n_policies[QSM_COLLOCATION_POLICIES], n_waits, n_partners;
};

static void open_session(struct session *s, uint64_t seed) {
  memset(s, 0, sizeof *s);
  s->random = qsm_random_seed(seed);
  struct reference *ref = &s->ref;
  ref->scheme = (enum qsm_collocation_scheme)qsm_random_below(&s->random, 9);
  if (ref->scheme >= QSM_COLLOCATION_SCHEMES)
    ref->scheme = ref->scheme % 2 ? QSM_COLLOCATION_FEDCM : QSM_COLLOCATION_FEDC;
  ref->n_sms = 1 + qsm_random_below(&s->random, qsm_random_chance(&s->random, 25) ? 128 : 20);
  ref->n_arrays =
      qsm_random_chance(&s->random, 50) ? 1 + qsm_random_below(&s->random, ref->n_sms) : 0;
  ref->sigma = 1000 * (1 + qsm_random_below(&s->random, 1000));
  ref->gamma = 1000000 + 1000 * (uint64_t)qsm_random_below(&s->random, 400);
  ref->draw = 1 + qsm_random_below(&s->random, 1000000);
  const struct qsm_collocation_machine machine = {ref->n_sms, ref->n_arrays};
  const struct qsm_collocation_options options = {ref->scheme, (double)ref->sigma / 1e6,
                                                  (double)ref->gamma / 1e6, ref->draw};
  char msg[200];
  s->library = qsm_collocation_create(&machine, &options, msg, sizeof msg);
  assert_non_null(s->library);
}

static void add_queue(struct session *s) {
  struct reference *ref = &s->ref;
  struct qsm_collocation_kernel kernels[MOST_KERNELS];
  struct ref_queue *queue = &ref->queue[ref->n_queues];
  char msg[200];
  queue->alive = true;
  queue->mask = all_of(ref->n_sms);
  queue->n_kernels = 1 + qsm_random_below(&s->random, MOST_KERNELS);
  for (uint32_t k = 0; k < queue->n_kernels; k++) {
    struct ref_kernel *kernel = &queue->kernels[k];
    draw_kernel(&s->random, ref, kernel);
    kernels[k] = (struct qsm_collocation_kernel){.threads = (uint32_t)kernel->use[0],
                                                 .shared_bytes = (uint32_t)kernel->use[1],
                                                 .registers = (uint32_t)kernel->use[2]};
    for (uint32_t p = 0; p < QSM_COLLOCATION_POLICIES; p++) kernels[k].time[p] = kernel->time[p];
  }
  assert_int_equal(qsm_collocation_add(s->library, kernels, queue->n_kernels, msg, sizeof msg),
                   ref->n_queues);
  for (uint32_t k = 0; k < queue->n_kernels; k++)
    assert_int_equal(qsm_collocation_is_critical(s->library, ref->n_queues, k),
                     ref_critical(ref, queue, k));
  ref->n_queues++;
}

// The share that the library tells of every running kernel.
static bool shares_equal(const struct session *s) {
  const struct reference *ref = &s->ref;
  for (uint32_t q = 0; q < ref->n_queues; q++) {
    const struct ref_queue *queue = &ref->queue[q];
    for (uint32_t sm = 0; sm < ref->n_sms; sm++) {
      const bool is_there = queue->alive && queue->runs && has(queue->mask, sm);
      const double u =
          is_there ? (double)ref_u(ref, q, &queue->kernels[queue->kernel], sm) / 4294967296.0 : 0;
      if (qsm_collocation_share(s->library, q, sm) != u) return false;
    }
  }
  return true;
}

// False: the library decides otherwise.
static bool decide_both(struct session *s, uint32_t q) {
  const uint32_t k = qsm_random_below(&s->random, s->ref.queue[q].n_kernels);
  const struct qsm_collocation_decision its = qsm_collocation_decide(s->library, q, k);
  const struct qsm_collocation_decision want = ref_decide(&s->ref, q, k);
  assert_true(its.mask != 0 && (its.mask & ~all_of(s->ref.n_sms)) == 0);
  assert_true(its.policy == 0 || s->ref.scheme >= QSM_COLLOCATION_FEDCM);
  s->n_decisions++;
  s->n_policies[its.policy]++;
  s->n_waits += its.wait;
  s->n_partners += its.n_candidates > 1;
  if (its.mask != want.mask || its.policy != want.policy || its.wait != want.wait ||
      its.decided != want.decided)
    return false;
  if (s->ref.scheme >= QSM_COLLOCATION_FEDC &&
      (its.n_candidates != want.n_candidates || its.n_draws != want.n_draws))
    return false;
  if (its.wait) return true;
  qsm_collocation_begin(s->library, q);
  s->ref.queue[q].runs = true;
  return shares_equal(s);
}

static bool step(struct session *s) {
  struct reference *ref = &s->ref;
  if (ref->n_queues < MOST_QUEUES && (ref->n_queues == 0 || qsm_random_chance(&s->random, 8)))
    add_queue(s);
  const uint32_t q = qsm_random_below(&s->random, ref->n_queues);
  struct ref_queue *queue = &ref->queue[q];
  if (!queue->alive) return true;
  if (!queue->runs) {
    if (!qsm_random_chance(&s->random, 6)) return decide_both(s, q);
    qsm_collocation_remove(s->library, q);
    queue->alive = false;
    return true;
  }
  qsm_collocation_end(s->library, q);
  queue->runs = false;
  return true;
}

struct totals {
  uint32_t n_decisions, n_policies[QSM_COLLOCATION_POLICIES], n_waits, n_partners, n_differences;
};

static void run_session(uint64_t seed, bool last_of_equals, struct totals *totals) {
  static struct session s;
  open_session(&s, seed);
  s.ref.last_of_equals = last_of_equals;
  bool equal = true;
  for (uint32_t i = 0; equal && i < 4 * DECISIONS; i++) equal = step(&s);
  if (!equal && !last_of_equals)
    printf("# session %llu: decision %u of scheme %s on %u SMs differs\n", (unsigned long long)seed,
           s.n_decisions, qsm_collocation_scheme_names[s.ref.scheme], s.ref.n_sms);
  totals->n_differences += !equal;
  totals->n_decisions += s.n_decisions;
  totals->n_waits += s.n_waits;
  totals->n_partners += s.n_partners;
  for (uint32_t p = 0; p < QSM_COLLOCATION_POLICIES; p++) totals->n_policies[p] += s.n_policies[p];
  qsm_collocation_destroy(s.library);
}

static uint64_t first_seed(void) {
  const char *given = getenv("QSM_TEST_SEED");
  const uint64_t seed = given ? strtoull(given, NULL, 0) : 20261124;
  printf("# seed %llu; replay: QSM_TEST_SEED=%llu build/tests/host/test_collocation\n",
         (unsigned long long)seed, (unsigned long long)seed);
  return seed;
}

// R-CO-1, R-CO-2, R-CO-3, R-CO-4, R-CO-5, R-CO-6, R-CO-7, R-CO-8, R-CO-9, R-CO-10, R-CO-11, R-CO-13
static void random_decisions_are_those_of_the_page(void **state) {
  (void)state;
  struct totals totals = {0};
  const uint64_t seed = first_seed();
  for (uint32_t i = 0; i < SESSIONS; i++) run_session(seed + i, false, &totals);
  printf("# %u decisions, %u with others; s1 %u, s2 %u, s12 %u; %u waits\n", totals.n_decisions,
         totals.n_partners, totals.n_policies[1], totals.n_policies[2], totals.n_policies[3],
         totals.n_waits);
  assert_int_equal(totals.n_differences, 0);
  assert_true(totals.n_decisions >= 20000);
  for (uint32_t p = 0; p < QSM_COLLOCATION_POLICIES; p++) assert_true(totals.n_policies[p] > 20);
  assert_true(totals.n_waits > 20 && totals.n_partners > 2000);
}

// The negative control: another choice among equal candidates is noticed.
static void another_rule_for_equals_is_noticed(void **state) {
  (void)state;
  struct totals totals = {0};
  for (uint32_t i = 0; i < SESSIONS; i++) run_session(20261124 + i, true, &totals);
  assert_true(totals.n_differences > 0);
}

// R-CO-12
static void what_cannot_be_is_refused(void **state) {
  (void)state;
  const struct qsm_collocation_options good = qsm_collocation_defaults;
  const struct {
    struct qsm_collocation_machine machine;
    struct qsm_collocation_options options;
    const char *says;
  } bad[] = {
      {{0, 0}, good, "n_sms"},
      {{129, 0}, good, "n_sms"},
      {{4, 5}, good, "n_arrays"},
      {{4, 0}, {(enum qsm_collocation_scheme)QSM_COLLOCATION_SCHEMES, 0.1, 1.1, 1}, "scheme"},
      {{4, 0}, {QSM_COLLOCATION_FEDCM, 0, 1.1, 1}, "sigma"},
      {{4, 0}, {QSM_COLLOCATION_FEDCM, 1.5, 1.1, 1}, "sigma"},
      {{4, 0}, {QSM_COLLOCATION_FEDCM, 0.1, 0.9, 1}, "gamma"},
      {{4, 0}, {QSM_COLLOCATION_FEDCM, 0.1, 2e6, 1}, "gamma"},
      {{4, 0}, {QSM_COLLOCATION_FEDCM, 0.1, 1.1, 0}, "seed"},
  };
  char msg[200];
  for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_null(qsm_collocation_create(&bad[i].machine, &bad[i].options, msg, sizeof msg));
    assert_non_null(strstr(msg, bad[i].says));
  }
  const struct qsm_collocation_machine machine = {2, 0};
  struct qsm_collocation *all = qsm_collocation_create(&machine, &good, msg, sizeof msg);
  static const uint64_t times[] = {5, 4}, zero[] = {5, 0};
  struct qsm_collocation_kernel kernel = {{times, times, times, times}, 1, 0, 0};
  assert_int_equal(qsm_collocation_add(all, &kernel, 0, msg, sizeof msg), -1);
  assert_non_null(strstr(msg, "kernel"));
  kernel.time[2] = zero;
  assert_int_equal(qsm_collocation_add(all, &kernel, 1, msg, sizeof msg), -1);
  kernel.time[2] = NULL;
  assert_int_equal(qsm_collocation_add(all, &kernel, 1, msg, sizeof msg), -1);
  kernel.time[2] = times;
  assert_int_equal(qsm_collocation_add(all, &kernel, 1, msg, sizeof msg), 0);
  qsm_collocation_destroy(all);
}

// What a decision costs, on 40 SMs in eight arrays.
static void decisions_are_timed(void **state) {
  (void)state;
  enum { ROUNDS = 20000, SMS = 40 };
  static uint64_t times[SMS];
  char msg[200];
  for (uint32_t c = 0; c < SMS; c++) times[c] = 1 + 100000 / (c + 1);
  const struct qsm_collocation_kernel kernel = {{times, times, times, times}, 256, 4096, 0};
  const struct qsm_collocation_machine machine = {SMS, 8};
  for (uint32_t n = 2; n <= 4; n++) {
    struct qsm_collocation *all =
        qsm_collocation_create(&machine, &qsm_collocation_defaults, msg, sizeof msg);
    for (uint32_t q = 0; q < n; q++) {
      assert_int_equal(qsm_collocation_add(all, &kernel, 1, msg, sizeof msg), q);
      assert_true(qsm_collocation_decide(all, q, 0).mask != 0);
      qsm_collocation_begin(all, q);
    }
    const clock_t begin = clock();
    for (uint32_t i = 0; i < ROUNDS; i++) {
      qsm_collocation_end(all, i % n);
      assert_true(qsm_collocation_decide(all, i % n, 0).mask != 0);
      qsm_collocation_begin(all, i % n);
    }
    printf("# %u queues: %.2f us per decision\n", n,
           1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC / ROUNDS);
    qsm_collocation_destroy(all);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_example_of_the_page),
                                     cmocka_unit_test(random_decisions_are_those_of_the_page),
                                     cmocka_unit_test(another_rule_for_equals_is_noticed),
                                     cmocka_unit_test(what_cannot_be_is_refused),
                                     cmocka_unit_test(decisions_are_timed)};
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
