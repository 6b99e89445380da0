// SPDX-License-Identifier: Apache-2.0
// Sums of absolute differences for H.264's motion estimation: every macroblock of 16 x 16 pixels
// against the reference frame at every offset of a square search window, for all seven block
// shapes. The shapes of a macroblock are 41 planes with one word per offset: 16 of 4 x 4 (in
// H.264's order, a Z in each quarter), then 8 x 4, 4 x 8, 8 x 8, 16 x 8, 8 x 16, 16 x 16. The
// reference frame has a border of its edge's pixels as wide as the window reaches, which the
// texture unit does for Parboil's program. Planes are as long as whole lines: behind the window's
// last row they go on with the next, for which the border has room.
#include <qsm.h>

enum { N_PLANES = 41, SIDE = 16 };

// The compiler does not make the value anew, nor from what it was made.
#define KEEP(value) __asm__ volatile("" : "+r"(value))

// Grid: parts of the offsets in x, 4 x 4 blocks in y, macroblocks in z. A thread keeps the block's
// pixels in registers and takes offsets a block apart, so that a warp's are neighbours. stride: of
// the reference; plane * window is less than 2^16, so a product with 2^16 / window divides.
__global__ void sad_blocks(const uint8_t *frame, const uint8_t *reference, int width, int stride,
                           int window, int plane, uint16_t *sads) {
  int block = (int)blockIdx.y, macroblock = (int)blockIdx.z;
  int x = macroblock % (width / SIDE) * SIDE + 8 * (block >> 2 & 1) + 4 * (block & 1);
  int y = macroblock / (width / SIDE) * SIDE + 8 * (block >> 3) + 4 * (block >> 1 & 1);
  int pixels[4][4];
#pragma unroll
  for (int j = 0; j < 4; j++) {
    unsigned word = *(const unsigned *)(frame + (y + j) * width + x);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      pixels[j][i] = (int)(word >> 8 * i & 0xFF);
      KEEP(pixels[j][i]);
    }
  }
  reference += y * stride + x;
  sads += (macroblock * N_PLANES + block) * plane;
  unsigned inverse = 65536 / (unsigned)window + 1;
  int rest = stride - window;
  unsigned part = ((unsigned)plane + gridDim.x - 1) / gridDim.x, first = blockIdx.x * part;
  unsigned end = first + part < (unsigned)plane ? first + part : (unsigned)plane;
  // The step, blockDim.x, is read each time, which takes no register.
  for (unsigned offset = first + threadIdx.x; offset < end; offset += QSM_CSR_VOLATILE(0xCC4)) {
    int dy = (int)(offset * inverse >> 16);
    const uint8_t *at = reference + dy * rest + (int)offset;  // dy * stride + offset % window
    int sum = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        int difference = pixels[j][i] - at[i], sign = difference >> 31;
        sum += (difference ^ sign) - sign;
      }
      at += stride;
      KEEP(at);
    }
    sads[offset] = (uint16_t)sum;
  }
}

// Four blocks in a Z become two wide, two tall and one whole, of two offsets at a time, as no sum
// overflows. Grid: pairs of offsets in x, groups of four in y, macroblocks in z. from, wide, tall,
// whole: the first plane of each; n_words: of a plane.
__global__ void sad_merge(unsigned *sads, unsigned n_words, unsigned from, unsigned wide,
                          unsigned tall, unsigned whole) {
  unsigned offset = blockIdx.x * blockDim.x + threadIdx.x;
  if (offset >= n_words) return;
  unsigned group = blockIdx.y;
  unsigned *planes = sads + blockIdx.z * N_PLANES * n_words + offset;
  const unsigned *quarter = planes + (from + 4 * group) * n_words;
  unsigned a = quarter[0], b = quarter[n_words], c = quarter[2 * n_words], d = quarter[3 * n_words];
  planes[(wide + 2 * group) * n_words] = a + b;
  planes[(wide + 2 * group + 1) * n_words] = c + d;
  planes[(tall + 2 * group) * n_words] = a + c;
  planes[(tall + 2 * group + 1) * n_words] = b + d;
  planes[(whole + group) * n_words] = a + b + c + d;
}
