// SPDX-License-Identifier: Apache-2.0
// One step of a lattice-Boltzmann fluid with 19 velocities in three dimensions (D3Q19, single
// relaxation time: Qian, d'Humieres, Lallemand, "Lattice BGK models for Navier-Stokes equation",
// Europhysics Letters 17(6), 1992), a thread per cell, which pulls what streams in from its
// neighbours. The box is periodic; obstacles turn round what hits them. As in Parboil's program,
// the values of one velocity lie together, in rows of whole lines. Weights 1/3, 1/18 and 1/36 of
// resting, straight and diagonal velocities.
#include <qsm.h>
#include <qsm_math.h>

enum { N_VELOCITIES = 19 };

#define OMEGA 1.25f

// Velocities in pairs of opposite ones behind the resting one, two bits each for -1, 0, 1 of x, y,
// z plus one.
#define VELOCITY(x, y, z) (((x) + 1) | ((y) + 1) << 2 | ((z) + 1) << 4)
static const uint8_t velocities[N_VELOCITIES] = {
    VELOCITY(0, 0, 0),   VELOCITY(1, 0, 0),  VELOCITY(-1, 0, 0), VELOCITY(0, 1, 0),
    VELOCITY(0, -1, 0),  VELOCITY(0, 0, 1),  VELOCITY(0, 0, -1), VELOCITY(1, 1, 0),
    VELOCITY(-1, -1, 0), VELOCITY(1, -1, 0), VELOCITY(-1, 1, 0), VELOCITY(1, 0, 1),
    VELOCITY(-1, 0, -1), VELOCITY(1, 0, -1), VELOCITY(-1, 0, 1), VELOCITY(0, 1, 1),
    VELOCITY(0, -1, -1), VELOCITY(0, 1, -1), VELOCITY(0, -1, 1)};

// sum + v f for a v of -1, 0 or 1. A sum begins with -0, to which the compiler need not add.
static float add(float sum, int v, float f) { return v > 0 ? sum + f : v < 0 ? sum - f : sum; }

// What is made of a value is made behind this, and not early, when there are no registers for it.
#define FORGET(value) __asm__ volatile("" : "+r"(value))

// Grid: x; y; z.
__global__ void lbm(const float *from, float *to, const uint8_t *obstacle, int nx, int ny, int nz) {
  int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y, z = (int)blockIdx.z;
  if (x >= nx) return;
  int row = 4 * nx, slab = row * ny, n_bytes = slab * nz, cell = (z * ny + y) * nx + x;

  // Bytes to the neighbour against each axis' velocity of 1 and -1.
  int off_x[3] = {x + 1 == nx ? 4 - row : 4, 0, x == 0 ? row - 4 : -4};
  int off_y[3] = {y + 1 == ny ? row - slab : row, 0, y == 0 ? slab - row : -row};
  int off_z[3] = {z + 1 == nz ? slab - n_bytes : slab, 0, z == 0 ? n_bytes - slab : -slab};
  float f[N_VELOCITIES];
  const char *at = (const char *)(from + cell);
  uint32_t is_obstacle = obstacle[cell], from_to = (uint32_t)to - (uint32_t)from;
  FORGET(is_obstacle);
#pragma unroll
  for (int i = 0; i < N_VELOCITIES; i++) {
    int v = velocities[i];
    f[i] = *(const float *)(at + off_x[v & 3] + off_y[v >> 2 & 3] + off_z[v >> 4]);
    if (i + 1 < N_VELOCITIES) at += n_bytes;
    FORGET(at);
  }
  char *out = (char *)(uintptr_t)((uint32_t)at - (N_VELOCITIES - 1) * (uint32_t)n_bytes + from_to);
  if (is_obstacle) {
    *(float *)out = f[0];
#pragma unroll
    for (int i = 1; i < N_VELOCITIES; i++) {
      out += n_bytes;
      FORGET(out);
      *(float *)out = f[i % 2 ? i + 1 : i - 1];
    }
    return;
  }

  float density = f[0], ux = -0.0f, uy = -0.0f, uz = -0.0f;
#pragma unroll
  for (int i = 1; i < N_VELOCITIES; i++) {
    int v = velocities[i];
    density += f[i];
    ux = add(ux, (v & 3) - 1, f[i]);
    uy = add(uy, (v >> 2 & 3) - 1, f[i]);
    uz = add(uz, (v >> 4) - 1, f[i]);
  }
  float volume = 3.0f / density;  // three times the velocity is what the sums below need
  ux *= volume;
  uy *= volume;
  uz *= volume;
  float rest = fmaf(-1.0f / 6.0f, fmaf(ux, ux, fmaf(uy, uy, uz * uz)), 1.0f);
  float weight = OMEGA / 3.0f * density;
  *(float *)out = fmaf(1.0f - OMEGA, f[0], weight * rest);
#pragma unroll
  for (int i = 1; i < N_VELOCITIES; i += 2) {
    int v = velocities[i];
    if (i == 1) weight = OMEGA / 18.0f * density;
    if (i == 7) weight *= 0.5f;
    FORGET(ux);
    FORGET(uy);
    FORGET(uz);
    float along = add(add(add(-0.0f, (v & 3) - 1, ux), (v >> 2 & 3) - 1, uy), (v >> 4) - 1, uz);
    float even = fmaf(0.5f * along, along, rest);
    out += n_bytes;
    FORGET(out);
    *(float *)out = fmaf(1.0f - OMEGA, f[i], weight * (even + along));
    out += n_bytes;
    FORGET(out);
    *(float *)out = fmaf(1.0f - OMEGA, f[i + 1], weight * (even - along));
  }
}
