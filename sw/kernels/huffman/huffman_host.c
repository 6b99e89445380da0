// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

enum { PER_THREAD = 8, N_SYMBOLS = 256 };  // PER_THREAD as in huffman.c

static const struct size {
  uint32_t n_bytes, block_threads;
} sizes[] = {{1201, 16}, {25013, 16}, {1000003, 128}, {16000057, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array text, lengths, codes, block_bits, block_starts, stream;
  const struct size *size;
  uint32_t n_blocks;
};

// Every second byte is one of few: the number of leading zeros of a random word; the rest are of
// any kind.
static void generate_text(struct job *job, uint64_t seed, uint64_t weights[N_SYMBOLS]) {
  struct qsm_rng rng = {seed};
  uint8_t *text = job->text.host;
  for (uint32_t i = 0; i < job->size->n_bytes; i++) {
    uint32_t word = qsm_rng_next(&rng);
    text[i] = (uint8_t)(word & 1 ? __builtin_clz(word | 1) : qsm_rng_range(&rng, 0, N_SYMBOLS - 1));
    weights[text[i]]++;
  }
}

// Huffman's algorithm: joins the two lightest trees until one is left. weights: of the bytes, all
// above 0.
static void code_lengths(const uint64_t weights[N_SYMBOLS], uint8_t lengths[N_SYMBOLS]) {
  uint64_t weight[2 * N_SYMBOLS];
  int parent[2 * N_SYMBOLS], joined[2 * N_SYMBOLS] = {0};
  int n = N_SYMBOLS;
  for (int i = 0; i < N_SYMBOLS; i++) weight[i] = weights[i];
  for (; n < 2 * N_SYMBOLS - 1; n++) {
    weight[n] = 0;
    for (int child = 0; child < 2; child++) {
      int lightest = -1;
      for (int i = 0; i < n; i++) {
        if (!joined[i] && (lightest < 0 || weight[i] < weight[lightest])) lightest = i;
      }
      joined[lightest] = 1;
      parent[lightest] = n;
      weight[n] += weight[lightest];
    }
  }
  for (int i = 0; i < N_SYMBOLS; i++) {
    lengths[i] = 0;
    for (int node = i; node != n - 1; node = parent[node]) lengths[i]++;
  }
}

// Canonical codes, shortest first, with their bits turned round.
static void assign_codes(const uint8_t lengths[N_SYMBOLS], uint32_t codes[N_SYMBOLS]) {
  uint32_t code = 0;
  for (uint32_t length = 1; length <= 32; length++, code <<= 1) {
    for (int i = 0; i < N_SYMBOLS; i++) {
      if (lengths[i] != length) continue;
      codes[i] = 0;
      for (uint32_t bit = 0; bit < length; bit++)
        codes[i] |= (code >> bit & 1) << (length - 1 - bit);
      code++;
    }
  }
}

static uint64_t count_bits(const struct job *job, const uint8_t *lengths) {
  uint64_t n_bits = 0;
  for (uint32_t i = 0; i < job->size->n_bytes; i++)
    n_bits += lengths[((const uint8_t *)job->text.host)[i]];
  return n_bits;
}

// Bit by bit.
static void encode(struct job *job) {
  const uint8_t *text = job->text.host, *lengths = job->lengths.host;
  const uint32_t *codes = job->codes.host;
  uint32_t *stream = job->stream.host, *block_bits = job->block_bits.host,
           *block_starts = job->block_starts.host;
  uint32_t at = 0, per_block = PER_THREAD * job->size->block_threads;
  for (uint32_t i = 0; i < job->size->n_bytes; i++) {
    if (i % per_block == 0) block_starts[i / per_block] = at;
    block_bits[i / per_block] += lengths[text[i]];
    for (uint32_t bit = 0; bit < lengths[text[i]]; bit++, at++)
      stream[at / 32] |= (codes[text[i]] >> bit & 1) << at % 32;
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  job->n_blocks = qsm_div_up(job->size->n_bytes, PER_THREAD * job->size->block_threads);
  if (qsm_array_create(base, &job->text, QSM_INPUT, job->size->n_bytes, 1) != 0 ||
      qsm_array_create(base, &job->lengths, QSM_INPUT, N_SYMBOLS, 1) != 0 ||
      qsm_array_create(base, &job->codes, QSM_INPUT, N_SYMBOLS, 4) != 0 ||
      qsm_array_create(base, &job->block_bits, QSM_OUTPUT, job->n_blocks, 4) != 0 ||
      qsm_array_create(base, &job->block_starts, QSM_OUTPUT, job->n_blocks, 4) != 0) {
    return -1;
  }
  uint64_t weights[N_SYMBOLS];
  for (int i = 0; i < N_SYMBOLS; i++)
    weights[i] = 1;  // every byte has a code, whether it occurs or not
  generate_text(job, seed, weights);
  code_lengths(weights, job->lengths.host);
  assign_codes(job->lengths.host, job->codes.host);
  if (qsm_array_create(base, &job->stream, QSM_STATE,
                       (size_t)(count_bits(job, job->lengths.host) / 32 + 1), 4) != 0)
    return -1;
  encode(job);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  uint32_t threads = job->size->block_threads, n_bytes = job->size->n_bytes;
  const struct qsm_suite_launch launches[] = {
      {.symbol = "huffman_count",
       .grid = {job->n_blocks, 1, 1},
       .args = {job->text.addr, n_bytes, job->lengths.addr, job->block_bits.addr}},
      {.symbol = "huffman_offsets",
       .grid = {1, 1, 1},
       .args = {job->block_bits.addr, job->block_starts.addr, job->n_blocks}},
      {.symbol = "huffman_encode",
       .grid = {job->n_blocks, 1, 1},
       .args = {job->text.addr, n_bytes, job->lengths.addr, job->codes.addr, job->block_starts.addr,
                job->stream.addr}},
  };
  if (base->n_launched == sizeof launches / sizeof *launches) return 0;
  *launch = launches[base->n_launched];
  launch->block[0] = threads, launch->block[1] = 1, launch->block[2] = 1;
  launch->shared_bytes = 8 * threads;
  return 1;
}

const struct qsm_suite_program qsm_huffman = {
    .name = "huffman",
    .about = "Huffman encoding of bytes, places by prefix sums",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source =
        "Huffman, Proc. IRE 40(9), 1952; Balevic, \"Parallel variable-length encoding on GPGPUs\", Euro-Par 2009",
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
