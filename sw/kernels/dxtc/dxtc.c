// SPDX-License-Identifier: Apache-2.0
// DXT1 texture compression (S3TC: Iourcha, Nayak, Hong, US patent 5,956,431, 1999): a tile of 4 x 4
// pixels becomes two colours of 16 bits and, per pixel, the best of these and of two between them.
// The pair is searched among all pairs of the tile's own colours, rounded to 16 bits: thread i
// tries pixel i with those after it, the block takes the pair of least squared error, of equals the
// first. A block of 16 threads per tile. Shared memory: 49 words.
#include <qsm.h>

enum { N_PIXELS = 16, NOTHING_FOUND = 0x7FFFFFFF };

struct colour {
  int r, g, b;
};

struct tile {
  unsigned pixels[N_PIXELS];  // 8 bits each: red lowest
  unsigned packed[N_PIXELS];  // as 16 bits: red highest
  int errors[N_PIXELS];       // least error of each thread
  unsigned partner;           // pixel that goes with the winner
};

static struct colour unpack_pixel(unsigned pixel) {
  return (struct colour){(int)(pixel & 255), (int)(pixel >> 8 & 255), (int)(pixel >> 16 & 255)};
}

static unsigned pack(struct colour c) {
  return (unsigned)(c.r >> 3 << 11 | c.g >> 2 << 5 | c.b >> 3);
}

// The upper bits fill the lower ones.
static struct colour expand(unsigned packed) {
  int r = (int)(packed >> 11), g = (int)(packed >> 5 & 63), b = (int)(packed & 31);
  return (struct colour){r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2};
}

static struct colour between(struct colour near, struct colour far) {
  return (struct colour){(2 * near.r + far.r) / 3, (2 * near.g + far.g) / 3,
                         (2 * near.b + far.b) / 3};
}

static int distance(struct colour a, struct colour b) {
  int r = a.r - b.r, g = a.g - b.g, blue = a.b - b.b;
  return r * r + g * g + blue * blue;
}

// DXT1 has four colours where the first word is the greater one; equal words mean one colour.
static void make_palette(struct colour palette[4], unsigned high, unsigned low) {
  palette[0] = expand(high);
  palette[1] = expand(low);
  palette[2] = between(palette[0], palette[1]);
  palette[3] = between(palette[1], palette[0]);
}

// Index of the nearest colour, and how far it is. Of equals the first.
static unsigned nearest(const struct colour palette[4], struct colour colour, int *error) {
  unsigned best = 0;
  *error = distance(palette[0], colour);
  for (unsigned i = 1; i < 4; i++) {
    int d = distance(palette[i], colour);
    if (d < *error) best = i, *error = d;
  }
  return best;
}

static void order(unsigned *high, unsigned *low) {
  if (*high >= *low) return;
  unsigned swap = *high;
  *high = *low;
  *low = swap;
}

static int error_of_pair(const struct tile *tile, unsigned a, unsigned b) {
  struct colour palette[4];
  int sum = 0, error;
  order(&a, &b);
  make_palette(palette, a, b);
  for (unsigned i = 0; i < N_PIXELS; i++) {
    nearest(palette, unpack_pixel(tile->pixels[i]), &error);
    sum += error;
  }
  return sum;
}

// width: in pixels, a multiple of 4. Grid: tiles in x and y. out: per tile the colours, the first
// one lower, and the indices.
__global__ void dxtc(const unsigned *image, unsigned *out, unsigned width) {
  struct tile *tile = qsm_dynamic_shared();
  unsigned x = threadIdx.x, own_partner = x;
  unsigned pixel = image[(4 * blockIdx.y + x / 4) * width + 4 * blockIdx.x + x % 4];
  tile->pixels[x] = pixel;
  tile->packed[x] = pack(unpack_pixel(pixel));
  __syncthreads();

  int least = NOTHING_FOUND;
  for (unsigned i = x; i < N_PIXELS; i++) {
    int error = error_of_pair(tile, tile->packed[x], tile->packed[i]);
    if (error < least) least = error, own_partner = i;
  }
  tile->errors[x] = least;
  __syncthreads();
  unsigned winner = 0;
  for (unsigned i = 1; i < N_PIXELS; i++) {
    if (tile->errors[i] < tile->errors[winner]) winner = i;
  }
  if (x == winner) tile->partner = own_partner;
  __syncthreads();

  unsigned high = tile->packed[winner], low = tile->packed[tile->partner];
  order(&high, &low);
  struct colour palette[4];
  int error;
  make_palette(palette, high, low);
  unsigned *indices = &tile->pixels[0];  // every thread has its pixel by now
  unsigned index = nearest(palette, unpack_pixel(pixel), &error);
  if (x == 0) *indices = 0;
  __syncthreads();
  atomicOr(indices, index << (2 * x));
  __syncthreads();
  unsigned *to = out + 2 * (blockIdx.y * gridDim.x + blockIdx.x);
  if (x == 0) to[0] = low << 16 | high;
  if (x == 1) to[1] = *indices;
}
