// SPDX-License-Identifier: Apache-2.0
// One direction of a 2D discrete wavelet transform with the reversible 5/3 filter in lifting form
// (Le Gall and Tabatabai, ICASSP 1988; JPEG 2000, ITU-T T.800 annex F): odd samples become
// differences from their neighbours' mean, even ones are smoothed by the differences beside them;
// the line continues mirrored at its ends. A thread makes one of each; it computes the difference
// left of its even sample once more rather than wait for it.
#include <qsm.h>

// Sample i of a line of n, mirrored at both ends.
static int sample(const int *line, int i, int n, int stride) {
  if (i < 0) i = -i;
  if (i >= n) i = 2 * (n - 1) - i;
  return line[i * stride];
}

static int difference(const int *line, int i, int n, int stride) {
  return sample(line, 2 * i + 1, n, stride) -
         ((sample(line, 2 * i, n, stride) + sample(line, 2 * i + 2, n, stride)) >> 1);
}

// n_lines lines of n samples each: sample i of line l lies at l * line_stride + i * stride, in and
// out. The smooth half goes first. Grid: pairs of samples in x, lines in y.
__global__ void dwt2d(const int *in, int *out, int n, int n_lines, int stride, int line_stride) {
  int pair = (int)(blockIdx.x * blockDim.x + threadIdx.x),
      line = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  if (2 * pair >= n || line >= n_lines) return;
  in += line * line_stride;
  out += line * line_stride;
  int right = difference(in, pair, n, stride);
  int left = pair > 0 ? difference(in, pair - 1, n, stride) : right;
  out[pair * stride] = sample(in, 2 * pair, n, stride) + ((left + right + 2) >> 2);
  if (2 * pair + 1 < n) out[((n + 1) / 2 + pair) * stride] = right;
}
