// SPDX-License-Identifier: Apache-2.0
// One step of a lattice-Boltzmann fluid with 19 velocities in three dimensions (D3Q19, single
// relaxation time: Qian, d'Humieres, Lallemand, "Lattice BGK models for Navier-Stokes equation",
// Europhysics Letters 17(6), 1992), a thread per cell, which pulls what streams in from its
// neighbours. The box is periodic; obstacles turn round what hits them. The values of one velocity
// lie together. Weights 1/3, 1/18 and 1/36 of resting, straight and diagonal velocities.
#include <qsm.h>
#include <qsm_math.h>

enum { N_VELOCITIES = 19 };

// Velocities in pairs of opposite ones behind the resting one, two bits each for -1, 0, 1 of x, y,
// z plus one.
#define VELOCITY(x, y, z) (((x) + 1) | ((y) + 1) << 2 | ((z) + 1) << 4)
static const uint8_t velocities[N_VELOCITIES] = {
    VELOCITY(0, 0, 0),   VELOCITY(1, 0, 0),  VELOCITY(-1, 0, 0), VELOCITY(0, 1, 0),
    VELOCITY(0, -1, 0),  VELOCITY(0, 0, 1),  VELOCITY(0, 0, -1), VELOCITY(1, 1, 0),
    VELOCITY(-1, -1, 0), VELOCITY(1, -1, 0), VELOCITY(-1, 1, 0), VELOCITY(1, 0, 1),
    VELOCITY(-1, 0, -1), VELOCITY(1, 0, -1), VELOCITY(-1, 0, 1), VELOCITY(0, 1, 1),
    VELOCITY(0, -1, -1), VELOCITY(0, 1, -1), VELOCITY(0, -1, 1)};

static int wrap(int at, int n) { return at < 0 ? at + n : at >= n ? at - n : at; }

// Grid: x; y; z.
__global__ void lbm(const float *from, float *to, const uint8_t *obstacle, int nx, int ny, int nz,
                    float omega) {
  int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y, z = (int)blockIdx.z;
  if (x >= nx) return;
  int n_cells = nx * ny * nz, cell = (z * ny + y) * nx + x;
  float f[N_VELOCITIES], density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
  for (int i = 0; i < N_VELOCITIES; i++) {
    int vx = (velocities[i] & 3) - 1, vy = (velocities[i] >> 2 & 3) - 1,
        vz = (velocities[i] >> 4) - 1;
    f[i] = from[i * n_cells + (wrap(z - vz, nz) * ny + wrap(y - vy, ny)) * nx + wrap(x - vx, nx)];
    density += f[i];
    ux = fmaf((float)vx, f[i], ux);
    uy = fmaf((float)vy, f[i], uy);
    uz = fmaf((float)vz, f[i], uz);
  }
  if (obstacle[cell]) {
    to[cell] = f[0];
#pragma unroll
    for (int i = 1; i < N_VELOCITIES; i++) to[i * n_cells + cell] = f[i % 2 ? i + 1 : i - 1];
    return;
  }
  ux /= density;
  uy /= density;
  uz /= density;
  float rest = fmaf(-1.5f, fmaf(ux, ux, fmaf(uy, uy, uz * uz)), 1.0f);
#pragma unroll
  for (int i = 0; i < N_VELOCITIES; i++) {
    int vx = (velocities[i] & 3) - 1, vy = (velocities[i] >> 2 & 3) - 1,
        vz = (velocities[i] >> 4) - 1;
    float along = fmaf((float)vx, ux, fmaf((float)vy, uy, (float)vz * uz));
    float weight = i == 0 ? 1.0f / 3.0f : i < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
    float equilibrium = weight * density * (rest + along * fmaf(4.5f, along, 3.0f));
    to[i * n_cells + cell] = fmaf(omega, equilibrium - f[i], f[i]);
  }
}
