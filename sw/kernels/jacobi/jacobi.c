// SPDX-License-Identifier: Apache-2.0
// One sweep of Jacobi's method for the heat equation in three dimensions, 7 points, in floating
// point: what Parboil calls stencil (the suite's program of that name does it in fixed point). A
// thread walks up a column of cells and keeps the cell below and above in registers, so that each
// step loads one new cell of its column and four neighbours.
#include <qsm.h>
#include <qsm_math.h>

__global__ void jacobi(const float *from, float *to, unsigned nx, unsigned ny, unsigned nz,
                       float weight_self, float weight_neighbour) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1,
           y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= nx - 1 || y >= ny - 1) return;
  unsigned plane = nx * ny, cell = y * nx + x;
  float below = from[cell], own = from[cell + plane];
  for (unsigned z = 1; z + 1 < nz; z++) {
    cell += plane;
    float above = from[cell + plane];
    float sum = below + above + from[cell - 1] + from[cell + 1] + from[cell - nx] + from[cell + nx];
    to[cell] = fmaf(weight_neighbour, sum, weight_self * own);
    below = own;
    own = above;
  }
}
