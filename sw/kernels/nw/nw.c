// SPDX-License-Identifier: Apache-2.0
// Needleman-Wunsch: the score of the best alignment of each prefix of one sequence with each of the
// other. A cell needs its left, upper and diagonal neighbours, so tiles of the matrix run diagonal
// by diagonal, one launch each, and so do the cells of a tile, one thread per column (the wavefront
// of Rodinia: Che et al., IISWC 2009). Scores of a match, a mismatch and a gap are 5, -3 and -4.
// Shared memory: a tile with the row above and the column left of it.
#include <qsm.h>

enum { MATCH = 5, MISMATCH = -3, GAP = -4 };

static int max(int a, int b) { return a > b ? a : b; }

// scores: (n + 1) x (n + 1), first row and column filled. Tile (column, row) of this launch: column
// = first_column + the block, row = diagonal - column. n is a multiple of the block's threads.
__global__ void nw_diagonal(const uint8_t *across, const uint8_t *down, int *scores, unsigned n,
                            unsigned diagonal, unsigned first_column) {
  unsigned tile = blockDim.x, x = threadIdx.x, pitch = tile + 1;
  unsigned column = first_column + blockIdx.x, row = diagonal - column;
  int *corner =
      scores + (row * tile) * (n + 1) + column * tile;  // the cell above and left of the tile
  int *cells = qsm_dynamic_shared();

  cells[x + 1] = corner[x + 1];
  cells[(x + 1) * pitch] = corner[(x + 1) * (n + 1)];
  if (x == 0) cells[0] = corner[0];
  uint8_t own = across[column * tile + x];
  __syncthreads();
  for (unsigned step = 0; step < 2 * tile - 1; step++) {
    if (step >= x && step - x < tile) {
      unsigned y = step - x;
      int *cell = cells + (y + 1) * pitch + x + 1;
      int aligned = cell[-(int)pitch - 1] + (down[row * tile + y] == own ? MATCH : MISMATCH);
      *cell = max(aligned, max(cell[-1], cell[-(int)pitch]) + GAP);
    }
    __syncthreads();
  }
  for (unsigned y = 1; y <= tile; y++) corner[y * (n + 1) + x + 1] = cells[y * pitch + x + 1];
}
