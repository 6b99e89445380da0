// SPDX-License-Identifier: Apache-2.0
// Follows points of the heart's walls through frames of ultrasound by matching templates (Rodinia's
// heartwall: Szafaryn, Skadron, Saucerman, "Experiences accelerating MATLAB systems biology
// applications", BiC 2009): a point's template, what was around it before, is laid on every place
// within reach, and the point goes where both correlate most, normalised by how much the image
// itself varies there. Sums of windows of the image come from tables of sums over all rectangles
// from the corner (Lewis, "Fast template matching", Vision Interface 1995). The template then takes
// a share of what it has found. A launch per frame, a block per point.
#include <qsm.h>
#include <qsm_math.h>

// Templates are `side` pixels wide and high, at most 15, so that their pixels' number squared times
// a pixel squared fits in 32 bits.
struct geometry {
  int width, height, side, reach;
  float keep;  // share of the old template in the new one
};

struct place {
  int x, y;
};

// Before both of its pixels a table of sums has a line and a column of zeros.
struct tables {
  unsigned *sums, *squares;
  int stride;
};

static int clamp(int value, int high) { return value < 0 ? 0 : value > high ? high : value; }

// Over the `side` * `side` pixels from (x, y) on.
static unsigned window_sum(const unsigned *table, int stride, int x, int y, int side) {
  const unsigned *top = table + y * stride + x, *bottom = top + side * stride;
  return bottom[side] - bottom[0] - top[side] + top[0];
}

// First along lines, a thread per line, then down the columns.
static void fill_tables(struct tables tables, const float *window, int n) {
  for (int line = (int)threadIdx.x; line <= n; line += (int)blockDim.x) {
    unsigned sum = 0, square = 0;
    for (int i = 0; i <= n; i++) {
      unsigned pixel = line > 0 && i > 0 ? (unsigned)window[(line - 1) * n + i - 1] : 0;
      tables.sums[line * tables.stride + i] = sum += pixel;
      tables.squares[line * tables.stride + i] = square += pixel * pixel;
    }
  }
  __syncthreads();
  for (int column = (int)threadIdx.x; column <= n; column += (int)blockDim.x) {
    for (int i = 1; i <= n; i++) {
      tables.sums[i * tables.stride + column] += tables.sums[(i - 1) * tables.stride + column];
      tables.squares[i * tables.stride + column] +=
          tables.squares[(i - 1) * tables.stride + column];
    }
  }
  __syncthreads();
}

// How well the template, whose mean is zero, fits the window's pixels from (x, y) on.
static float fit(struct tables tables, const float *window, const float *template, int n, int side,
                 int x, int y) {
  float sum = 0.0f;
  for (int i = 0; i < side; i++) {
    for (int j = 0; j < side; j++)
      sum = fmaf(template[i * side + j], window[(y + i) * n + x + j], sum);
  }
  unsigned pixels = window_sum(tables.sums, tables.stride, x, y, side),
           squares = window_sum(tables.squares, tables.stride, x, y, side);
  unsigned variance = (unsigned)(side * side) * squares - pixels * pixels;
  return variance > 0 ? sum / sqrtf((float)variance) : 0.0f;
}

// Every thread's best fit and where it is; leaves the block's in the first ones. Of equal ones the
// earlier counts.
static void choose(float *fits, int *places) {
  int x = (int)threadIdx.x;
  __syncthreads();
  for (int n = (int)blockDim.x / 2; n > 0; n /= 2) {
    if (x < n && (fits[x + n] > fits[x] || (fits[x + n] == fits[x] && places[x + n] < places[x]))) {
      fits[x] = fits[x + n];
      places[x] = places[x + n];
    }
    __syncthreads();
  }
}

// Threads: a power of two. Shared memory: window, template, two tables; two words per thread.
__global__ void heartwall(const uint8_t *frame, const struct geometry *constants,
                          const struct place *from, struct place *to, const float *old_templates,
                          float *templates, float *fits) {
  struct geometry geometry = *constants;
  int point = (int)blockIdx.x, thread = (int)threadIdx.x, n_threads = (int)blockDim.x,
      side = geometry.side, n_pixels = side * side;
  int n_places = 2 * geometry.reach + 1, n = side + n_places - 1;
  float *window = qsm_dynamic_shared(), *template = window + n * n, *own_fits = template + n_pixels;
  int *own_places = (int *)(own_fits + n_threads);
  struct tables tables = {(unsigned *)(own_places + n_threads),
                          (unsigned *)(own_places + n_threads) + (n + 1) * (n + 1), n + 1};
  int left = clamp(from[point].x - n / 2, geometry.width - n),
      top = clamp(from[point].y - n / 2, geometry.height - n);

  for (int i = thread; i < n * n; i += n_threads)
    window[i] = (float)frame[(top + i / n) * geometry.width + left + i % n];
  for (int i = thread; i < n_pixels; i += n_threads)
    template[i] = old_templates[point * n_pixels + i];
  __syncthreads();
  fill_tables(tables, window, n);
  own_fits[thread] = -INFINITY;
  own_places[thread] = 0;
  for (int place = thread; place < n_places * n_places; place += n_threads) {
    float here = fit(tables, window, template, n, side, place % n_places, place / n_places);
    if (here > own_fits[thread]) {
      own_fits[thread] = here;
      own_places[thread] = place;
    }
  }
  choose(own_fits, own_places);

  int x = own_places[0] % n_places, y = own_places[0] / n_places;
  if (thread == 0) {
    to[point] = (struct place){left + x + side / 2, top + y + side / 2};
    fits[point] = own_fits[0];
  }
  float mean = (float)window_sum(tables.sums, tables.stride, x, y, side) / (float)n_pixels;
  for (int i = thread; i < n_pixels; i += n_threads) {
    float found = window[(y + i / side) * n + x + i % side] - mean;
    templates[point * n_pixels + i] = fmaf(geometry.keep, template[i] - found, found);
  }
}
