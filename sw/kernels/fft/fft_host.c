// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

// Numbers of a transform; transforms.
static const struct size {
  uint32_t n, n_transforms, block_threads;
} sizes[] = {{32, 3, 16}, {64, 35, 16}, {512, 80, 128}, {1024, 2000, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array in, factors, out;
  const struct size *size;
};

struct complex {
  float real, imaginary;
};

// The definition by halves (Danielson and Lanczos, 1942): the same butterflies as the kernel's,
// another order and other places.
static void transform(const struct complex *in, struct complex *out, const struct complex *factors,
                      uint32_t n, uint32_t stride) {
  if (n == 1) {
    *out = *in;
    return;
  }
  transform(in, out, factors, n / 2, 2 * stride);
  transform(in + stride, out + n / 2, factors, n / 2, 2 * stride);
  for (uint32_t i = 0; i < n / 2; i++) {
    struct complex a = out[i], b = out[i + n / 2], w = factors[i * stride];
    struct complex turned = {fmaf(b.real, w.real, -(b.imaginary * w.imaginary)),
                             fmaf(b.real, w.imaginary, b.imaginary * w.real)};
    out[i] = (struct complex){a.real + turned.real, a.imaginary + turned.imaginary};
    out[i + n / 2] = (struct complex){a.real - turned.real, a.imaginary - turned.imaginary};
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  struct qsm_rng rng = {seed};
  job->size = &sizes[size];
  uint32_t n = job->size->n, n_numbers = n * job->size->n_transforms;
  if (qsm_array_create(base, &job->in, QSM_INPUT, n_numbers, 8) != 0 ||
      qsm_array_create(base, &job->factors, QSM_INPUT, n / 2, 8) != 0 ||
      qsm_array_create(base, &job->out, QSM_OUTPUT, n_numbers, 8) != 0) {
    return -1;
  }
  struct complex *in = job->in.host, *factors = job->factors.host, *out = job->out.host;
  for (uint32_t i = 0; i < n_numbers; i++)
    in[i] = (struct complex){qsm_rng_float(&rng, -1.0f, 1.0f), qsm_rng_float(&rng, -1.0f, 1.0f)};
  for (uint32_t i = 0; i < n / 2; i++) {
    float angle = -6.28318531f * (float)i / (float)n;
    factors[i] = (struct complex){qsm_cos(angle), qsm_sin(angle)};
  }
  for (uint32_t i = 0; i < job->size->n_transforms; i++)
    transform(in + i * n, out + i * n, factors, n, 1);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "fft",
      .grid = {job->size->n_transforms, 1, 1},
      .block = {job->size->block_threads, 1, 1},
      .shared_bytes = 16 * job->size->n,
      .args = {job->in.addr, job->out.addr, job->factors.addr, job->size->n},
  };
  return 1;
}

const struct qsm_suite_program qsm_fft = {
    .name = "fft",
    .about = "fast Fourier transforms, one per block, in shared memory",
    .bound = "compute",
    .paper = "FedCM",
    .source =
        "Cochran et al., \"What is the fast Fourier transform?\", Proc. IEEE 55(10), 1967 (Stockham)",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
