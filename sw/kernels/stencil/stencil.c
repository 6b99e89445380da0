// SPDX-License-Identifier: Apache-2.0
// One time step of a 3D 7-point stencil (the Jacobi iteration of a heat equation): a cell becomes a
// weighted sum of itself and its six neighbours, weights in 16.16 fixed point; cells on the surface
// keep their value.
#include <qsm.h>

__global__ void stencil(const int *from, int *to, unsigned nx, unsigned ny, unsigned nz,
                        int weight_self, int weight_neighbour) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  unsigned plane = nx * ny, cell = z * plane + y * nx + x;
  int value = from[cell];
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
    int neighbours = from[cell - 1] + from[cell + 1] + from[cell - nx] + from[cell + nx] +
                     from[cell - plane] + from[cell + plane];
    value =
        (int)(((long long)weight_self * value + (long long)weight_neighbour * neighbours) >> 16);
  }
  to[cell] = value;
}
