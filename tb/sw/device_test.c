// SPDX-License-Identifier: Apache-2.0
// Kernels that use everything qsm.h, crt0.S and sw/lib offer; test_device.c says what they must
// compute.
#include <qsm.h>
#include <qsm_math.h>

unsigned launches = 40;  // initialised data: keeps its value from launch to launch
static unsigned zeroed[16];

// Two different objects in static shared memory, one behind the other, and dynamic memory behind
// both.
__global__ void indices(unsigned *out) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned n_threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned *at = out + 8 * (block * n_threads + thread);
  at[0] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16;
  at[1] = blockIdx.x | blockIdx.y << 8 | blockIdx.z << 16;
  at[2] = blockDim.x | blockDim.y << 8 | blockDim.z << 16;
  at[3] = gridDim.x | gridDim.y << 8 | gridDim.z << 16;
  at[4] = qsm_tid();
  at[5] = warpSize << 8 | qsm_lane();
  at[6] = qsm_slot();
  at[7] = qsm_tid() == thread && (qsm_active_mask() >> qsm_lane() & 1);
}

// Reverses a block's values through three pieces of shared memory. The dynamic one begins behind
// variables of any name.
__global__ void shared(const unsigned *in, unsigned *out) {
  __shared__ unsigned queue[16];
  __shared__ uint8_t second[16];
  unsigned *third = qsm_dynamic_shared();
  unsigned x = threadIdx.x, opposite = 15 - x;
  unsigned value = in[16 * blockIdx.x + x];
  queue[x] = value;
  second[x] = (uint8_t)value;
  third[x] = value * 3;
  __syncthreads();
  out[16 * blockIdx.x + x] = queue[opposite] + second[opposite] + third[opposite];
}

// One word per operation; out starts at zero except where the test says so.
__global__ void atomics(int *out, unsigned *out_unsigned) {
  __shared__ int count;
  int x = (int)threadIdx.x;
  if (x == 0) count = 0;
  __syncthreads();
  atomicAdd(&out[0], x);
  atomicSub(&out[1], x);
  atomicMin(&out[2], -x);
  atomicMax(&out[3], x);
  atomicAnd(&out[4], ~(1 << x));
  atomicOr(&out[5], 1 << x);
  atomicXor(&out[6], 3 << x);
  if (x == 5) out[7] = atomicExch(&out[8], 77);
  atomicMin(&out_unsigned[0], 0x80000000u + (unsigned)x);
  atomicMax(&out_unsigned[1], 0x80000000u + (unsigned)x);
  atomicAdd(&count, 1);
  __syncthreads();
  if (x == 0) out[9] = count;
  if (x == 5) out[10] = qsm_load_device(&out[8]) + (int)(qsm_load_device(&out_unsigned[1]) & 0xFF);
}

__attribute__((noinline)) static unsigned twice(unsigned value) { return 2 * value; }
__attribute__((noinline)) static unsigned square(unsigned value) { return value * value; }

static unsigned recursive_sum(unsigned n) {
  volatile unsigned on_stack = n;
  return n == 0 ? 0 : on_stack + recursive_sum(n - 1);
}

// Jump table, calls through pointers, recursion, library calls, globals.
__global__ void language(unsigned *out, unsigned selector, unsigned n, unsigned big) {
  unsigned (*function)(unsigned) = selector & 1 ? twice : square;
  unsigned long long wide = (unsigned long long)big << 32 | n;
  struct {
    unsigned words[12];
  } block = {{0}};
  switch (selector) {
    case 0: out[0] = n + 1; break;
    case 1: out[0] = n * 7; break;
    case 2: out[0] = n ^ 0xFF; break;
    case 3: out[0] = n << 3; break;
    case 4: out[0] = n / 3; break;
    case 5: out[0] = ~n; break;
    default: out[0] = 0;
  }
  out[1] = function(n);
  out[2] = recursive_sum(n);
  out[3] = (unsigned)(wide / 1000003u);
  out[4] = (unsigned)(wide % 1000003u);
  out[5] = (unsigned)((long long)wide / -7);
  out[6] = (unsigned)((long long)wide % -7);
  memset(&block, (int)selector, sizeof block);
  memcpy(out + 8, &block, 4 * (n & 7));
  out[7] = (unsigned)memcmp(out + 8, &block, 4 * (n & 7));
  out[16] = launches++;
  out[17] = zeroed[n & 15]++;
}

// Each thread has two inputs and 16 outputs.
__global__ void floats(const float *in, float *out) {
  float x = in[2 * threadIdx.x], y = in[2 * threadIdx.x + 1], *at = out + 16 * threadIdx.x;
  at[0] = sqrtf(x);
  at[1] = fabsf(x);
  at[2] = copysignf(x, y);
  at[3] = fminf(x, y);
  at[4] = fmaxf(x, y);
  at[5] = fmaf(x, y, x);
  at[6] = floorf(x);
  at[7] = ceilf(x);
  at[8] = truncf(x);
  at[9] = roundf(x);
  at[10] = rintf(x);
  at[11] = x / y;
  at[12] = (float)(int)x;
  at[13] = (float)(unsigned)fabsf(y);
  at[14] = x < y ? 1.0f : x == y ? 0.0f : -1.0f;
  at[15] = -x - y;
}

// qsm_math.h of each value.
__global__ void elementary(const float *in, float *out) {
  float x = in[threadIdx.x], *at = out + 5 * threadIdx.x;
  at[0] = qsm_exp(x);
  at[1] = qsm_log(x);
  at[2] = qsm_sin(x);
  at[3] = qsm_cos(x);
  at[4] = qsm_rsqrt(x);
}

__global__ void timing(unsigned *out) {
  unsigned before = clock();
  unsigned long long before64 = clock64();
  __threadfence();
  out[0] = clock() > before;
  out[1] = clock64() > before64;
}

// Threads from `limit` on leave early; the others still meet at the barrier.
__global__ void early_exit(unsigned *out, unsigned limit) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x >= limit) qsm_exit();
  atomicAdd(&sum, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

__global__ void failing_assert(unsigned tid) { assert(threadIdx.x != tid); }

__global__ void write_code(void) { *(volatile unsigned *)(uintptr_t)write_code = 0; }

struct pair {
  short first;
  int second;
};
struct wide {
  long long number;
};
struct large {
  int words[5];
};
struct bytes {
  char at[3];
};

// In registers: out, a short, the pair, the wide one, a character and the first half of a long; on
// the stack its second half, another long and one in a structure at multiples of 8, a large
// structure by reference, a float, three bytes and a small negative one.
__global__ void arguments(int *out, short small, struct pair pair, struct wide wide, char letter,
                          long long a, long long b, struct wide c, struct large large, float f,
                          struct bytes bytes, signed char negative) {
  out += 16 * threadIdx.x;
  out[0] = pair.first;
  out[1] = pair.second;
  *(long long *)(out + 2) = wide.number;
  out[4] = letter;
  out[5] = small;
  *(long long *)(out + 6) = a + b;
  *(long long *)(out + 8) = c.number;
  out[10] = large.words[0] + 10 * large.words[4];
  out[11] = (int)(4 * f);
  out[12] = bytes.at[0] | bytes.at[1] << 8 | bytes.at[2] << 16;
  out[13] = negative;
  large.words[0] = (int)threadIdx.x;  // the copy is the thread's own
  __asm__ volatile("" ::"r"(&large) : "memory");
  __syncthreads();
  out[14] = large.words[0];
}

__global__ void large_array(int *out) {
  volatile int array[200];
  for (int i = 0; i < 200; i++) array[i] = i * (int)threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 200; i++) sum += array[i];
  out[threadIdx.x] = sum;
}
