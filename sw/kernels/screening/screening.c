// SPDX-License-Identifier: Apache-2.0
// What stands before and behind the pairs of epistasis.c in a screening of many markers (MDR in two
// stages: Ritchie et al., American Journal of Human Genetics 69(1), 2001): every marker is scored
// by itself, the best ones go on to the pairs, and of these the best is told.
#include <qsm.h>

enum { N_GENOTYPES = 3, N_CELLS = 2 * N_GENOTYPES };

static unsigned count_bits(unsigned word) {
  word -= word >> 1 & 0x55555555;
  word = (word & 0x33333333) + (word >> 2 & 0x33333333);
  word = (word + (word >> 4)) & 0x0F0F0F0F;
  return word * 0x01010101 >> 24;
}

// Adds to cells[genotype] how many people of one class have it.
static void count_class(unsigned *cells, const unsigned *planes, unsigned n_words) {
  for (unsigned genotype = 0; genotype < N_GENOTYPES; genotype++) {
    unsigned count = 0;
    for (unsigned i = threadIdx.x; i < n_words; i += blockDim.x)
      count += count_bits(planes[genotype * n_words + i]);
    atomicAdd(&cells[genotype], count);
  }
}

// People whom a marker by itself tells rightly. A block per marker. Shared memory: N_CELLS words.
__global__ void marker_scores(const unsigned *case_planes, const unsigned *control_planes,
                              unsigned n_case_words, unsigned n_control_words, unsigned n_cases,
                              unsigned n_controls, unsigned *scores) {
  unsigned *cells = qsm_dynamic_shared(), marker = blockIdx.x;
  if (threadIdx.x < N_CELLS) cells[threadIdx.x] = 0;
  __syncthreads();
  count_class(cells, case_planes + marker * N_GENOTYPES * n_case_words, n_case_words);
  count_class(cells + N_GENOTYPES, control_planes + marker * N_GENOTYPES * n_control_words,
              n_control_words);
  __syncthreads();
  if (threadIdx.x > 0) return;
  unsigned score = 0;
  for (unsigned i = 0; i < N_GENOTYPES; i++) {
    unsigned cases = cells[i], controls = cells[N_GENOTYPES + i];
    score += cases * n_controls >= controls * n_cases ? cases : controls;
  }
  scores[marker] = score;
}

// How many markers are better, or as good and in front. A thread per marker. Shared memory: a word
// per thread.
__global__ void marker_ranks(const unsigned *scores, unsigned *ranks, unsigned n_markers) {
  unsigned *tile = qsm_dynamic_shared(), i = blockIdx.x * blockDim.x + threadIdx.x, rank = 0;
  unsigned own = i < n_markers ? scores[i] : 0;
  for (unsigned first = 0; first < n_markers; first += blockDim.x) {
    unsigned n_tile = n_markers - first < blockDim.x ? n_markers - first : blockDim.x;
    if (threadIdx.x < n_tile) tile[threadIdx.x] = scores[first + threadIdx.x];
    __syncthreads();
    for (unsigned j = 0; j < n_tile; j++)
      rank += tile[j] > own || (tile[j] == own && first + j < i);
    __syncthreads();
  }
  if (i < n_markers) ranks[i] = rank;
}

// The planes of the first n_chosen markers by rank, in its order. A block per marker.
__global__ void choose_markers(const unsigned *planes, const unsigned *ranks, unsigned *chosen,
                               unsigned n_words, unsigned n_chosen) {
  unsigned rank = ranks[blockIdx.x], n = N_GENOTYPES * n_words;
  if (rank >= n_chosen) return;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    chosen[rank * n + i] = planes[blockIdx.x * n + i];
}

__global__ void clear_words(unsigned *words, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) words[i] = 0;
}

struct best {
  unsigned score, place;
};

static struct best better(struct best a, struct best b) {
  return b.score > a.score || (b.score == a.score && b.place < a.place) ? b : a;
}

// The best of what the threads have, to *to. Shared memory: two words per thread, whose number is a
// power of 2.
static void join_best(struct best own, struct best *to) {
  struct best *tile = qsm_dynamic_shared();
  tile[threadIdx.x] = own;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] = better(tile[threadIdx.x], tile[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *to = tile[0];
}

// The best of each block's stretch of scores, and where it is; blocks together pass over all.
__global__ void best_scores(const unsigned *scores, struct best *best, unsigned n) {
  struct best own = {0, 0xFFFFFFFF};
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    own = better(own, (struct best){scores[i], i});
  join_best(own, &best[blockIdx.x]);
}

// The best of these, by one block.
__global__ void best_of_all(const struct best *best, struct best *result, unsigned n) {
  struct best own = {0, 0xFFFFFFFF};
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) own = better(own, best[i]);
  join_best(own, result);
}
