// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

// The gates last; which conductances of a cell differ. As in myocyte.c.
enum {
  VOLTAGE,
  POTASSIUM,
  SODIUM,
  CALCIUM,
  CALCIUM_SS,
  CALCIUM_SR,
  RELEASE,
  M,
  H,
  J,
  XR1,
  XR2,
  XS,
  R,
  S,
  D,
  F,
  F2,
  F_CA,
  N_STATES
};
enum { FOR_NA, FOR_CA, FOR_KR, FOR_KS, FOR_TO, FOR_K1, STIMULUS, N_OWN };

static const struct size {
  uint32_t n_cells, n_steps, block_threads;
} sizes[] = {{21, 2, 16}, {151, 5, 16}, {12007, 3, 64}, {200003, 20, 128}};

// Of a cell at rest.
static const float REST[N_STATES] = {-85.23f,   136.89f, 8.604f,   0.000126f, 0.00036f,
                                     3.64f,     0.9073f, 0.00172f, 0.7444f,   0.7045f,
                                     0.00621f,  0.4712f, 0.0095f,  2.42e-8f,  0.999998f,
                                     3.373e-5f, 0.7888f, 0.9755f,  0.9953f};

static const float DT = 0.02f, FARADAY = 96485.3415f, K_OUTSIDE = 5.4f, NA_OUTSIDE = 140.0f,
                   CA_OUTSIDE = 2.0f;
static const float V_C = 0.016404f, V_SS = 0.00005468f, V_SR = 0.001094f;

struct job {
  struct qsm_job base;
  struct qsm_array start, own, scratch, result;
  const struct size *size;
};

static float rt_f(void) { return 8314.472f * 310.0f / FARADAY; }
static float flow(float volume) { return 0.185f / (volume * FARADAY); }

// 1 / (1 + e^((v - middle) / width))
static float sigmoid(float v, float middle, float width) {
  return 1.0f / (1.0f + qsm_exp((v - middle) * (1.0f / width)));
}
static float bell(float v, float middle, float width2) {
  return qsm_exp((v - middle) * (v - middle) * (-1.0f / width2));
}
static float square(float x) { return x * x; }

// What the gates go towards at voltage v.
static void targets(float v, float ca_ss, float to[N_STATES]) {
  to[M] = square(sigmoid(v, -56.86f, -9.03f));
  to[H] = to[J] = square(sigmoid(v, -71.55f, 7.43f));
  to[XR1] = sigmoid(v, -26.0f, -7.0f);
  to[XR2] = sigmoid(v, -88.0f, 24.0f);
  to[XS] = sigmoid(v, -5.0f, -14.0f);
  to[R] = sigmoid(v, 20.0f, -6.0f);
  to[S] = sigmoid(v, -20.0f, 5.0f);
  to[D] = sigmoid(v, -8.0f, -7.5f);
  to[F] = sigmoid(v, -20.0f, 7.0f);
  to[F2] = 0.67f * sigmoid(v, -35.0f, 7.0f) + 0.33f;
  to[F_CA] = 0.6f * (1.0f / (1.0f + square(ca_ss * 20.0f))) + 0.4f;
}

static float rate_of_h(float v) {
  if (v >= -40.0f) return 0.77f / 0.13f * sigmoid(v, -10.66f, -11.1f);
  return 0.057f * qsm_exp((v + 80.0f) * (-1.0f / 6.8f)) +
         (2.7f * qsm_exp(0.079f * v) + 3.1e5f * qsm_exp(0.3485f * v));
}

static float rate_of_j(float v) {
  if (v >= -40.0f) return 0.6f * qsm_exp(0.057f * v) / (1.0f + qsm_exp(-0.1f * (v + 32.0f)));
  float opening = -2.5428e4f * qsm_exp(0.2444f * v) - 6.948e-6f * qsm_exp(-0.04391f * v);
  return opening * (v + 37.78f) / (1.0f + qsm_exp(0.311f * (v + 79.23f))) +
         0.02424f * qsm_exp(-0.01052f * v) / (1.0f + qsm_exp(-0.1378f * (v + 40.14f)));
}

// How long the gates take to go there.
static void times(float v, float ca_ss, float time[N_STATES]) {
  time[M] = sigmoid(v, -60.0f, -5.0f) *
            (0.1f * sigmoid(v, -35.0f, 5.0f) + 0.1f * sigmoid(v, 50.0f, 200.0f));
  time[H] = 1.0f / rate_of_h(v);
  time[J] = 1.0f / rate_of_j(v);
  time[XR1] = 450.0f * sigmoid(v, -45.0f, -10.0f) * 6.0f * sigmoid(v, -30.0f, 11.5f);
  time[XR2] = 3.0f * sigmoid(v, -60.0f, -20.0f) * 1.12f * sigmoid(v, 60.0f, 20.0f);
  time[XS] = 1400.0f * sqrtf(sigmoid(v, 5.0f, -6.0f)) * sigmoid(v, 35.0f, 15.0f) + 80.0f;
  time[R] = 9.5f * bell(v, -40.0f, 1800.0f) + 0.8f;
  time[S] = 85.0f * bell(v, -45.0f, 320.0f) + 5.0f * sigmoid(v, 20.0f, 5.0f) + 3.0f;
  time[D] = (1.4f * sigmoid(v, -35.0f, -13.0f) + 0.25f) * 1.4f * sigmoid(v, -5.0f, 5.0f) +
            sigmoid(v, 50.0f, -20.0f);
  time[F] = 1102.5f * bell(v, -27.0f, 225.0f) + 200.0f * sigmoid(v, 13.0f, -10.0f) +
            180.0f * sigmoid(v, -30.0f, 10.0f) + 20.0f;
  time[F2] = 562.0f * bell(v, -27.0f, 240.0f) + 31.0f * sigmoid(v, 25.0f, -10.0f) +
             80.0f * sigmoid(v, -30.0f, 10.0f);
  time[F_CA] = 80.0f * (1.0f / (1.0f + square(ca_ss * 20.0f))) + 2.0f;
}

static float rectifier(float above) {
  float closing = 0.1f * sigmoid(above, 200.0f, 1.0f / 0.06f);
  float opening = (3.0f * qsm_exp(0.0002f * (above + 100.0f)) + qsm_exp(0.1f * (above - 10.0f))) *
                  sigmoid(above, 0.0f, -2.0f);
  return 5.405f * (closing / (closing + opening)) * above;
}

static float l_type(const float y[N_STATES], float share) {
  float x = 2.0f * (y[VOLTAGE] - 15.0f) / rt_f(), e_x = qsm_exp(x),
        driven = fabsf(x) < 1.0e-3f ? 1.0f - 0.5f * x : x / (e_x - 1.0f);
  return share * 3.98e-5f * (y[D] * y[F] * y[F2] * y[F_CA]) * (2.0f * FARADAY) * driven *
         (0.25f * y[CALCIUM_SS] * e_x - CA_OUTSIDE);
}

static float exchange(const float y[N_STATES]) {
  float nao3 = NA_OUTSIDE * NA_OUTSIDE * NA_OUTSIDE, in = qsm_exp(0.35f * y[VOLTAGE] / rt_f()),
        out = qsm_exp(-0.65f * y[VOLTAGE] / rt_f());
  float net = in * y[SODIUM] * y[SODIUM] * y[SODIUM] * CA_OUTSIDE - out * nao3 * y[CALCIUM] * 2.5f;
  return 1000.0f / ((87.5f * 87.5f * 87.5f + nao3) * (1.38f + CA_OUTSIDE)) * net /
         (1.0f + 0.1f * out);
}

static float pump(const float y[N_STATES]) {
  float hindered = 1.0f + 0.1245f * qsm_exp(-0.1f * y[VOLTAGE] / rt_f()) +
                   0.0353f * qsm_exp(-y[VOLTAGE] / rt_f());
  return 2.724f * K_OUTSIDE / (K_OUTSIDE + 1.0f) * y[SODIUM] / ((y[SODIUM] + 40.0f) * hindered);
}

static float unbuffered(float ca, float n_buffers, float half) {
  return 1.0f / (1.0f + n_buffers * half / square(ca + half));
}

static void move_calcium(const float y[N_STATES], float current_ss, float current,
                         float after[N_STATES]) {
  float ca = y[CALCIUM], ss = y[CALCIUM_SS], sr = y[CALCIUM_SR],
        hindrance = 2.5f - 1.5f / (1.0f + square(1.5f / sr));
  float opening = 0.15f / hindrance * square(ss),
        released = 0.102f * (opening * y[RELEASE] / (0.06f + opening)) * (sr - ss);
  float leaked = 0.00036f * (sr - ca),
        taken_up = 0.006375f / (1.0f + 0.00025f * 0.00025f / square(ca)),
        transferred = 0.0038f * (ss - ca);
  after[RELEASE] =
      fmaf(DT, 0.005f * (1.0f - y[RELEASE]) - 0.045f * hindrance * ss * y[RELEASE], y[RELEASE]);
  after[CALCIUM_SR] = fmaf(DT * unbuffered(sr, 10.0f, 0.3f), taken_up - released - leaked, sr);
  after[CALCIUM_SS] = fmaf(
      DT * unbuffered(ss, 0.4f, 0.00025f),
      released * (V_SR / V_SS) - current_ss * (0.5f * flow(V_SS)) - transferred * (V_C / V_SS), ss);
  after[CALCIUM] =
      fmaf(DT * unbuffered(ca, 0.2f, 0.001f),
           (leaked - taken_up) * (V_SR / V_C) + transferred - current * (0.5f * flow(V_C)), ca);
}

// Currents in the order in which the kernel adds them up.
static void step(float y[N_STATES], const float own[N_OWN], float time) {
  float v = y[VOLTAGE], since = time - own[STIMULUS], after[N_STATES], to[N_STATES],
        gate_time[N_STATES];
  float e_k = rt_f() * qsm_log(K_OUTSIDE / y[POTASSIUM]),
        e_na = rt_f() * qsm_log(NA_OUTSIDE / y[SODIUM]);
  float e_ks =
      rt_f() * qsm_log((K_OUTSIDE + 0.03f * NA_OUTSIDE) / (y[POTASSIUM] + 0.03f * y[SODIUM]));
  float e_ca = 0.5f * rt_f() * qsm_log(CA_OUTSIDE / y[CALCIUM]);
  float potassium = own[FOR_KR] * 0.153f * y[XR1] * y[XR2] * (v - e_k);
  potassium += own[FOR_KS] * 0.392f * y[XS] * y[XS] * (v - e_ks);
  potassium += own[FOR_TO] * 0.294f * y[R] * y[S] * (v - e_k);
  potassium += own[FOR_K1] * rectifier(v - e_k);
  potassium += 0.0146f * sigmoid(v, 25.0f, -5.98f) * (v - e_k);
  float to_k = (since >= 0.0f && since < 1.0f ? -52.0f : 0.0f) + potassium;
  float to_na =
      own[FOR_NA] * 14.838f * y[M] * y[M] * y[M] * y[H] * y[J] * (v - e_na) + 0.00029f * (v - e_na);
  float to_ss = l_type(y, own[FOR_CA]),
        to_ca = 0.000592f * (v - e_ca) + 0.1238f * y[CALCIUM] / (0.0005f + y[CALCIUM]);
  float pumped = pump(y), exchanged = exchange(y);

  move_calcium(y, to_ss, to_ca - 2.0f * exchanged, after);
  after[POTASSIUM] = fmaf(-DT * flow(V_C), to_k - 2.0f * pumped, y[POTASSIUM]);
  after[SODIUM] = fmaf(-DT * flow(V_C), to_na + 3.0f * pumped + 3.0f * exchanged, y[SODIUM]);
  after[VOLTAGE] = fmaf(-DT, to_k + to_na + to_ss + to_ca + pumped + exchanged, v);
  targets(v, y[CALCIUM_SS], to);
  times(v, y[CALCIUM_SS], gate_time);
  for (int i = M; i < N_STATES; i++)
    after[i] = fmaf(y[i] - to[i], qsm_exp(-DT / gate_time[i]), to[i]);
  memcpy(y, after, sizeof after);
}

// Cells at all voltages that a beat goes through, the rest within a twentieth of what it is at
// rest; stimulated at some step.
static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t n = job->size->n_cells, n_steps = job->size->n_steps;
  float *start = job->start.host, *owns = job->own.host, *result = job->result.host;
  for (uint32_t cell = 0; cell < n; cell++) {
    float y[N_STATES], own[N_OWN];
    for (uint32_t i = 0; i < N_STATES; i++)
      y[i] = REST[i] *
             (i == VOLTAGE ? qsm_rng_float(&rng, -0.5f, 1.1f) : qsm_rng_float(&rng, 0.95f, 1.0f));
    for (uint32_t i = 0; i < N_OWN; i++)
      own[i] = i == STIMULUS ? qsm_rng_float(&rng, 0.0f, DT * (float)n_steps)
                             : qsm_rng_float(&rng, 0.7f, 1.3f);
    for (uint32_t i = 0; i < N_STATES; i++) start[i * n + cell] = y[i];
    for (uint32_t i = 0; i < N_OWN; i++) owns[i * n + cell] = own[i];
    for (uint32_t done = 0; done < n_steps; done++) step(y, own, DT * (float)done);
    for (uint32_t i = 0; i < N_STATES; i++) result[i * n + cell] = y[i];
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n = job->size->n_cells;
  if (qsm_array_create(base, &job->start, QSM_INPUT, N_STATES * n, 4) != 0 ||
      qsm_array_create(base, &job->own, QSM_INPUT, N_OWN * n, 4) != 0 ||
      qsm_array_create(base, &job->scratch, QSM_SCRATCH, N_STATES * n, 4) != 0 ||
      qsm_array_create(base, &job->result, QSM_OUTPUT, N_STATES * n, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

// Two launches per step.
static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  uint32_t done = base->n_launched / 2, n = size->n_cells;
  if (done == size->n_steps) return 0;
  struct qsm_from_to turn =
      qsm_alternate(&job->start, &job->scratch, &job->result, done, size->n_steps);
  const struct qsm_suite_launch launches[] = {
      {.symbol = "myocyte_gates", .args = {turn.from, turn.to, n}},
      {.symbol = "myocyte_currents",
       .args = {turn.from, turn.to, job->own.addr, n, qsm_to_bits(DT * (float)done)}},
  };
  *launch = launches[base->n_launched % 2];
  launch->grid[0] = qsm_div_up(n, size->block_threads), launch->grid[1] = 1, launch->grid[2] = 1;
  launch->block[0] = size->block_threads, launch->block[1] = 1, launch->block[2] = 1;
  return 1;
}

const struct qsm_suite_program qsm_myocyte = {
    .name = "myocyte",
    .about = "cells of the heart's muscle, 19 differential equations each",
    .bound = "compute",
    .paper = "LoGA (Rodinia)",
    .source =
        "ten Tusscher and Panfilov, Am. J. Physiology 291, 2006; Rush and Larsen, IEEE Trans. Biomedical Engineering 25(4), 1978",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
