// SPDX-License-Identifier: Apache-2.0
// Sums of absolute differences for H.264's motion estimation: every macroblock of 16 x 16 pixels
// against the reference frame at every offset of a square search window, for all seven block
// shapes. The shapes of a macroblock are 41 planes with one word per offset: 16 of 4 x 4 (in
// H.264's order, a Z in each quarter), then 8 x 4, 4 x 8, 8 x 8, 16 x 8, 8 x 16, 16 x 16. The frame
// continues beyond its edges with the edge's pixels.
#include <qsm.h>

enum { N_PLANES = 41, SIDE = 16 };

static int clamp(int value, int high) { return value < 0 ? 0 : value > high ? high : value; }

// Grid: offsets in x, 4 x 4 blocks in y, macroblocks in z.
__global__ void sad_blocks(const uint8_t *frame, const uint8_t *reference, int width, int height,
                           int radius, uint16_t *sads) {
  int window = 2 * radius + 1, n_offsets = window * window;
  int offset = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (offset >= n_offsets) return;
  int block = (int)blockIdx.y, macroblock = (int)blockIdx.z;
  int x = macroblock % (width / SIDE) * SIDE + 8 * (block >> 2 & 1) + 4 * (block & 1);
  int y = macroblock / (width / SIDE) * SIDE + 8 * (block >> 3) + 4 * (block >> 1 & 1);
  int dx = offset % window - radius, dy = offset / window - radius;
  int sum = 0;
  for (int j = 0; j < 4; j++) {
    const uint8_t *row = frame + (y + j) * width + x;
    const uint8_t *reference_row = reference + clamp(y + j + dy, height - 1) * width;
    for (int i = 0; i < 4; i++) {
      int difference = row[i] - reference_row[clamp(x + i + dx, width - 1)];
      sum += difference < 0 ? -difference : difference;
    }
  }
  sads[(macroblock * N_PLANES + block) * n_offsets + offset] = (uint16_t)sum;
}

// Four blocks in a Z become two wide, two tall and one whole. Grid: offsets in x, groups of four in
// y, macroblocks in z. from, wide, tall, whole: the first plane of each.
__global__ void sad_merge(uint16_t *sads, unsigned n_offsets, unsigned from, unsigned wide,
                          unsigned tall, unsigned whole) {
  unsigned offset = blockIdx.x * blockDim.x + threadIdx.x;
  if (offset >= n_offsets) return;
  unsigned group = blockIdx.y;
  uint16_t *planes = sads + blockIdx.z * N_PLANES * n_offsets + offset;
  const uint16_t *quarter = planes + (from + 4 * group) * n_offsets;
  unsigned a = quarter[0], b = quarter[n_offsets], c = quarter[2 * n_offsets],
           d = quarter[3 * n_offsets];
  planes[(wide + 2 * group) * n_offsets] = (uint16_t)(a + b);
  planes[(wide + 2 * group + 1) * n_offsets] = (uint16_t)(c + d);
  planes[(tall + 2 * group) * n_offsets] = (uint16_t)(a + c);
  planes[(tall + 2 * group + 1) * n_offsets] = (uint16_t)(b + d);
  planes[(whole + group) * n_offsets] = (uint16_t)(a + b + c + d);
}
