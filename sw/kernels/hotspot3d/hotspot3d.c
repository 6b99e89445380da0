// SPDX-License-Identifier: Apache-2.0
// One step of the temperature in a stack of chip layers (Rodinia's hotspot3D; the model: Huang et
// al., IEEE TVLSI 14(5), 2006): each cell takes shares of its own temperature, of its six
// neighbours', of its power and of the ambient. Outside is as warm as the border. A thread walks up
// a column of layers with the cells below and above in registers.
#include <qsm.h>
#include <qsm_math.h>

struct shares {
  float own, north_south, east_west, top_bottom, power,
      ambient;  // ambient: share times temperature
};

__global__ void hotspot3d(const float *from, float *to, const float *power,
                          const struct shares *constants, unsigned nx, unsigned ny, unsigned nz) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  struct shares share = *constants;
  unsigned plane = nx * ny, cell = y * nx + x;
  unsigned west = x > 0 ? 1 : 0, east = x < nx - 1 ? 1 : 0, north = y > 0 ? nx : 0,
           south = y < ny - 1 ? nx : 0;
  float own = from[cell], below = own;
  for (unsigned z = 0; z < nz; z++, cell += plane) {
    float above = z < nz - 1 ? from[cell + plane] : own;
    float t = fmaf(share.own, own, share.ambient);
    t = fmaf(share.power, power[cell], t);
    t = fmaf(share.north_south, from[cell - north] + from[cell + south], t);
    t = fmaf(share.east_west, from[cell - west] + from[cell + east], t);
    to[cell] = fmaf(share.top_bottom, below + above, t);
    below = own;
    own = above;
  }
}
