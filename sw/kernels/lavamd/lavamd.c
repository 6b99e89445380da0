// SPDX-License-Identifier: Apache-2.0
// Forces between particles within a cutoff (Rodinia's lavaMD, after Szafaryn et al., 2011): space
// is cut into boxes, a block per box; its threads hold the box's particles, and the particles of
// each neighbouring box pass through shared memory. The potential of a pair falls as e^(-2 alpha^2
// r^2). Shared memory: four words per thread.
#include <qsm.h>
#include <qsm_math.h>

struct particle {
  float x, y, z, charge;
};

// n_boxes in each direction; as many particles per box as the block has threads. forces: potential
// and force of each.
__global__ void lavamd(const struct particle *particles, float *forces, int n_boxes, float alpha2) {
  struct particle *others = qsm_dynamic_shared();
  unsigned n = blockDim.x, x = threadIdx.x;
  int box_x = (int)blockIdx.x, box_y = (int)blockIdx.y, box_z = (int)blockIdx.z;
  unsigned own_index = (unsigned)((box_z * n_boxes + box_y) * n_boxes + box_x) * n + x;
  struct particle own = particles[own_index];
  float potential = 0.0f, force_x = 0.0f, force_y = 0.0f, force_z = 0.0f;
  for (int neighbour = 0; neighbour < 27; neighbour++) {
    int bx = box_x + neighbour % 3 - 1, by = box_y + neighbour / 3 % 3 - 1,
        bz = box_z + neighbour / 9 - 1;
    if (bx < 0 || by < 0 || bz < 0 || bx >= n_boxes || by >= n_boxes || bz >= n_boxes)
      continue;  // the same for the whole block
    others[x] = particles[(unsigned)((bz * n_boxes + by) * n_boxes + bx) * n + x];
    __syncthreads();
    for (unsigned i = 0; i < n; i++) {
      float dx = own.x - others[i].x, dy = own.y - others[i].y, dz = own.z - others[i].z;
      float r2 = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
      float pair = others[i].charge * qsm_exp(-2.0f * alpha2 * r2), pull = 2.0f * alpha2 * pair;
      potential += pair;
      force_x = fmaf(pull, dx, force_x);
      force_y = fmaf(pull, dy, force_y);
      force_z = fmaf(pull, dz, force_z);
    }
    __syncthreads();
  }
  float *to = forces + 4 * own_index;
  to[0] = potential;
  to[1] = force_x;
  to[2] = force_y;
  to[3] = force_z;
}
