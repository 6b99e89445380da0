// SPDX-License-Identifier: Apache-2.0
// Cheapest way through a grid of costs from the first row to each cell of the last: a step goes
// down, or diagonally down. Written from Rodinia's description (Che et al., IISWC 2009): a launch
// takes several rows; each block reads a halo of one cell per row and side, so it computes
// blockDim.x - 2 * n_steps cells that are right. Shared memory: two words per thread.
#include <qsm.h>

static int min(int a, int b) { return a < b ? a : b; }

// costs: rows from the first one that this launch adds; from, to: cheapest sums before and after.
__global__ void pathfinder(const int *costs, const int *from, int *to, int n_columns, int n_steps) {
  int x = (int)threadIdx.x, n_threads = (int)blockDim.x;
  int column = (int)blockIdx.x * (n_threads - 2 * n_steps) - n_steps + x;
  int inside = column >= 0 && column < n_columns;
  int *previous = qsm_dynamic_shared();
  int *current = previous + n_threads;

  if (inside) previous[x] = from[column];
  __syncthreads();
  for (int step = 0; step < n_steps; step++) {
    int valid = inside && x > step && x < n_threads - 1 - step;
    if (valid) {
      int best = previous[x];
      if (column > 0) best = min(best, previous[x - 1]);
      if (column < n_columns - 1) best = min(best, previous[x + 1]);
      current[x] = best + costs[step * n_columns + column];
    }
    __syncthreads();
    if (valid) previous[x] = current[x];
    __syncthreads();
  }
  if (inside && x >= n_steps && x < n_threads - n_steps) to[column] = previous[x];
}
