// SPDX-License-Identifier: Apache-2.0
// One level of a breadth-first search, one thread per vertex: vertices of the current level give
// the next one to their neighbours that have none (Harish and Narayanan, HiPC 2007). Threads that
// race for a vertex write the same value, so it does not matter whether one sees what another SM
// has stored in this launch.
#include <qsm.h>

__global__ void bfs_level(const unsigned *edge_start, const unsigned *edges, int *level,
                          unsigned n_vertices, int current, int *changed) {
  unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
  if (vertex >= n_vertices || level[vertex] != current) return;
  for (unsigned i = edge_start[vertex], end = edge_start[vertex + 1]; i < end; i++) {
    unsigned neighbour = edges[i];
    if (level[neighbour] < 0) {
      level[neighbour] = current + 1;
      *changed = 1;
    }
  }
}
