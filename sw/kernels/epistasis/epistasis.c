// SPDX-License-Identifier: Apache-2.0
// Epistasis: for every pair of genetic markers, how well the nine combinations of their genotypes
// tell cases from controls. Genotypes are bit planes, a bit per person, so a contingency table is
// counted by logic and population counts (BOOST: Wan et al., American Journal of Human Genetics
// 87(3), 2010). The score is MDR's (Ritchie et al., ibid. 69(1), 2001): a combination says "case"
// where its share of cases is at least that of all; counted is who is told rightly. Shared memory:
// the planes of a tile of blockDim.x + blockDim.y markers, a stretch of words at a time.
#include <qsm.h>

enum { N_GENOTYPES = 3, N_CELLS = N_GENOTYPES * N_GENOTYPES, N_STRETCH = 8 };

// Bits set, by sums of pairs, nibbles, bytes (there is no instruction for it).
static unsigned count_bits(unsigned word) {
  word -= word >> 1 & 0x55555555;
  word = (word & 0x33333333) + (word >> 2 & 0x33333333);
  word = (word + (word >> 4)) & 0x0F0F0F0F;
  return word * 0x01010101 >> 24;
}

// Copies words first .. first + N_STRETCH - 1 of all planes of n markers; beyond the last marker or
// word are zeros.
static void load_tile(unsigned *tile, const unsigned *planes, unsigned marker, unsigned n,
                      unsigned n_markers, unsigned first, unsigned n_words) {
  unsigned n_threads = blockDim.x * blockDim.y;
  for (unsigned i = qsm_tid(); i < n * N_GENOTYPES * N_STRETCH; i += n_threads) {
    unsigned plane = marker * N_GENOTYPES + i / N_STRETCH, word = first + i % N_STRETCH;
    tile[i] =
        plane < n_markers * N_GENOTYPES && word < n_words ? planes[plane * n_words + word] : 0;
  }
}

// Adds the counts of one class of people (cases or controls) to `cells`.
static void count_cells(unsigned *cells, const unsigned *planes, unsigned n_words,
                        unsigned n_markers) {
  unsigned *tile_x = qsm_dynamic_shared(), *tile_y = tile_x + blockDim.x * N_GENOTYPES * N_STRETCH;
  for (unsigned first = 0; first < n_words; first += N_STRETCH) {
    load_tile(tile_x, planes, blockIdx.x * blockDim.x, blockDim.x, n_markers, first, n_words);
    load_tile(tile_y, planes, blockIdx.y * blockDim.y, blockDim.y, n_markers, first, n_words);
    __syncthreads();
    const unsigned *x = tile_x + threadIdx.x * N_GENOTYPES * N_STRETCH,
                   *y = tile_y + threadIdx.y * N_GENOTYPES * N_STRETCH;
    for (unsigned word = 0; word < N_STRETCH; word++) {
      for (unsigned cell = 0; cell < N_CELLS; cell++) {
        cells[cell] += count_bits(x[cell % N_GENOTYPES * N_STRETCH + word] &
                                  y[cell / N_GENOTYPES * N_STRETCH + word]);
      }
    }
    __syncthreads();
  }
}

// planes: for each marker and genotype the people who have it. scores: n_markers x n_markers,
// written above the diagonal.
__global__ void epistasis(const unsigned *case_planes, const unsigned *control_planes,
                          unsigned n_case_words, unsigned n_control_words, unsigned n_markers,
                          unsigned n_cases, unsigned n_controls, unsigned *scores) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if ((blockIdx.x + 1) * blockDim.x - 1 <= blockIdx.y * blockDim.y)
    return;  // the whole block lies on or below the diagonal
  unsigned cases[N_CELLS] = {0}, controls[N_CELLS] = {0};
  count_cells(cases, case_planes, n_case_words, n_markers);
  count_cells(controls, control_planes, n_control_words, n_markers);
  if (x >= n_markers || y >= x) return;
  unsigned score = 0;
  for (unsigned cell = 0; cell < N_CELLS; cell++) {
    score += cases[cell] * n_controls >= controls[cell] * n_cases ? cases[cell] : controls[cell];
  }
  scores[y * n_markers + x] = score;
}
