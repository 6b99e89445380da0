// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication of floats, c = alpha a b + beta c. As in Parboil's program, a is stored by
// columns, so that both factors are read in whole lines. A block of SIDE by SIDE threads makes a
// tile of 4 SIDE by 4 SIDE elements, each thread sixteen of them, SIDE apart, in registers: eight
// values read from shared memory serve sixteen products. The factors pass through shared memory in
// tiles of DEPTH by 4 SIDE; neither their stores nor their loads meet in a bank. Beyond the edges
// of c a tile has copies of its last rows and columns, whose products nobody stores; what is left
// of the inner dimension comes behind the loop.
#include <qsm.h>

#define TILE 4

// The compiler forgets how a value came about, so it cannot keep multiples and sums of it in
// registers that the sums of products need.
#define FORGET(value) __asm__ volatile("" : "+r"(value))

// The start of shared memory, found anew at each call: two instructions, where the compiler would
// keep it on the stack. Stores to the stack between two tiles halve this kernel's speed.
static inline float *tiles(void) {
  float *start;
  __asm__ volatile(
      "lui %0, %%tprel_hi(qsm_dynamic_shared_start)\n"
      "add %0, %0, tp, %%tprel_add(qsm_dynamic_shared_start)\n"
      "addi %0, %0, %%tprel_lo(qsm_dynamic_shared_start)"
      : "=r"(start));
  return start;
}

// The thread's number, found anew at each call, too.
#define TID() QSM_CSR_VOLATILE(0xCC0)

// Where this thread begins to read both tiles, so that constants reach all of them.
#define PLACES(at_a, at_b)                         \
  unsigned at_tid = TID();                         \
  const float *at_a = tiles() + depth * width / 2; \
  const float *at_b = at_a + depth * width;        \
  FORGET(at_b);                                    \
  at_a += at_tid / (unsigned)side;                 \
  at_b += at_tid % (unsigned)side;                 \
  FORGET(at_a);                                    \
  FORGET(at_b)

// Column k of a and row k of b, in shared memory.
#define MULTIPLY(k)                                                   \
  {                                                                   \
    float columns[TILE];                                              \
    _Pragma("unroll") for (int j = 0; j < TILE; j++) columns[j] =     \
        at_b[(k) * width + j * side - depth * width / 2];             \
    _Pragma("unroll") for (int i = 0; i < TILE; i++) {                \
      float value = at_a[(k) * width + i * side - depth * width / 2]; \
      _Pragma("unroll") for (int j = 0; j < TILE; j++) sum[i][j] =    \
          fmaf(value, columns[j], sum[i][j]);                         \
    }                                                                 \
  }

static inline __attribute__((always_inline)) void multiply(const float *a, const float *b, float *c,
                                                           unsigned n_rows, unsigned n_inner,
                                                           unsigned n_columns, float alpha,
                                                           float beta, const int side,
                                                           const int depth) {
  const int width = TILE * side, n_loads = depth * TILE / side;
  unsigned top = blockIdx.y * (unsigned)width, left = blockIdx.x * (unsigned)width;

  // What this thread brings: of each tile n_loads elements of one column, side / TILE rows apart.
  unsigned place = qsm_tid() % (unsigned)width, first = qsm_tid() / (unsigned)width;
  unsigned row = top + place < n_rows ? top + place : n_rows - 1;
  unsigned column = left + place < n_columns ? left + place : n_columns - 1;
  const float *from_a = a + first * n_rows + row, *from_b = b + first * n_columns + column;
  unsigned step_a = (unsigned)(side / TILE) * n_rows, step_b = (unsigned)(side / TILE) * n_columns;
  int rest = (int)n_inner;

  float sum[TILE][TILE] = {{0}};
  for (; rest >= depth; rest -= depth) {
    float *to_a = tiles() + depth * width / 2 + TID(), *to_b = to_a + depth * width;
    FORGET(to_a);
    FORGET(to_b);
#pragma unroll
    for (int i = 0; i < n_loads; i++) {
      float value_a = *from_a, value_b = *from_b;  // both under way before one is stored
      to_a[i * (side / TILE) * width - depth * width / 2] = value_a;
      to_b[i * (side / TILE) * width - depth * width / 2] = value_b;
      from_a += step_a;
      from_b += step_b;
      FORGET(from_a);
      FORGET(from_b);
    }
    __syncthreads();
    PLACES(at_a, at_b);
#pragma unroll
    for (int k = 0; k < depth; k++) MULTIPLY(k)
    __syncthreads();
  }
  if (rest > 0) {
    float *tile_a = tiles(), *tile_b = tile_a + depth * width;
    for (int i = (int)first; i < rest; i += side / TILE, from_a += step_a, from_b += step_b) {
      tile_a[i * width + (int)place] = *from_a;
      tile_b[i * width + (int)place] = *from_b;
    }
    __syncthreads();
    PLACES(at_a, at_b);
#pragma nounroll
    for (int k = 0; k < rest; k++) MULTIPLY(k)
  }

  unsigned y = blockIdx.y * (unsigned)width + threadIdx.y,
           x = blockIdx.x * (unsigned)width + threadIdx.x;
  float *at = c + y * n_columns + x;
#pragma unroll
  for (int i = 0; i < TILE; i++) {
#pragma unroll
    for (int j = 0; j < TILE; j++) {
      if (y < n_rows && x + (unsigned)(j * side) < n_columns)
        at[j * side] = fmaf(beta, at[j * side], alpha * sum[i][j]);
    }
    y += (unsigned)side;
    at += (unsigned)side * n_columns;
    FORGET(y);
    FORGET(at);
  }
}

// Blocks of 16 by 16 threads, 8 KiB of shared memory.
__global__ void sgemm(const float *a, const float *b, float *c, unsigned n_rows, unsigned n_inner,
                      unsigned n_columns, float alpha, float beta) {
  multiply(a, b, c, n_rows, n_inner, n_columns, alpha, beta, 16, 16);
}

// The same for small machines: blocks of 4 by 4 threads, 1 KiB of shared memory.
__global__ void sgemm_small(const float *a, const float *b, float *c, unsigned n_rows,
                            unsigned n_inner, unsigned n_columns, float alpha, float beta) {
  multiply(a, b, c, n_rows, n_inner, n_columns, alpha, beta, 4, 8);
}
