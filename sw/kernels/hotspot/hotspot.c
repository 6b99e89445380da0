// SPDX-License-Identifier: Apache-2.0
// Temperature of a chip from the power of its parts: a grid of thermal resistances and capacities,
// stepped in time (HotSpot: Huang et al., IEEE TVLSI 14(5), 2006; as Rodinia has it: Che et al.,
// IISWC 2009). A launch takes n_steps steps: a block loads a tile with a halo of one cell per step,
// and each step leaves one ring less that is right. Cells beyond the chip's edge are as warm as the
// edge. Shared memory: two words per thread.
#include <qsm.h>
#include <qsm_math.h>

static int clamp(int value, int high) { return value < 0 ? 0 : value > high ? high : value; }

// A step is t += rate (power + (north + south - 2 t) per_y + (east + west - 2 t) per_x + (ambient -
// t) per_z).
struct chip {
  float rate, per_x, per_y, per_z, ambient;
};

__global__ void hotspot(const float *from, float *to, const float *power, int width, int height,
                        int n_steps, const struct chip *constants) {
  int x = (int)threadIdx.x, y = (int)threadIdx.y, side_x = (int)blockDim.x,
      side_y = (int)blockDim.y;
  int column = (int)blockIdx.x * (side_x - 2 * n_steps) - n_steps + x,
      row = (int)blockIdx.y * (side_y - 2 * n_steps) - n_steps + y;
  int at = y * side_x + x, cell = clamp(row, height - 1) * width + clamp(column, width - 1);
  int inside = column >= 0 && row >= 0 && column < width && row < height;
  // Neighbours in the tile; at the chip's edge the cell itself.
  int west = column > 0 ? at - 1 : at, east = column < width - 1 ? at + 1 : at;
  int north = row > 0 ? at - side_x : at, south = row < height - 1 ? at + side_x : at;
  float *now = qsm_dynamic_shared(), *after = now + side_x * side_y;
  struct chip chip = *constants;
  float own_power = power[cell];

  now[at] = from[cell];
  __syncthreads();
  for (int step = 1; step <= n_steps; step++) {
    if (inside && x >= step && y >= step && x < side_x - step && y < side_y - step) {
      float t = now[at];
      float vertical = fmaf(-2.0f, t, now[north] + now[south]),
            horizontal = fmaf(-2.0f, t, now[east] + now[west]);
      float heat = fmaf(chip.ambient - t, chip.per_z,
                        fmaf(horizontal, chip.per_x, fmaf(vertical, chip.per_y, own_power)));
      after[at] = fmaf(chip.rate, heat, t);
    }
    __syncthreads();
    float *swap = now;
    now = after;
    after = swap;
  }
  if (inside && x >= n_steps && y >= n_steps && x < side_x - n_steps && y < side_y - n_steps)
    to[cell] = now[at];
}
