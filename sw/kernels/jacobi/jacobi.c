// SPDX-License-Identifier: Apache-2.0
// One sweep of Jacobi's method for the heat equation in three dimensions, 7 points, in floating
// point: what Parboil calls stencil (the suite's program of that name does it in fixed point). A
// thread walks up a column of cells and keeps the cell below and above in registers, so that each
// step loads one new cell of its column and four neighbours. Threads begin at the surface, which
// they leave as it is: where rows are whole lines, warps read and write whole lines.
#include <qsm.h>
#include <qsm_math.h>

__global__ void jacobi(const float *from, float *to, unsigned nx, unsigned ny, unsigned nz,
                       float weight_self, float weight_neighbour) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x - 1 >= nx - 2 || y >= ny - 1) return;
  unsigned plane = nx * ny, cell = y * nx + x;
  float below = from[cell], own = from[cell + plane];
  const float *at = from + cell + plane;
  to += cell;
  for (unsigned z = 1; z + 1 < nz; z++) {
    float neighbours = at[-1] + at[1], back = *(at - nx), front = at[nx];
    at += plane;
    to += plane;
    float above = *at;
    *to = fmaf(weight_neighbour, below + above + neighbours + back + front, weight_self * own);
    below = own;
    own = above;
  }
}
