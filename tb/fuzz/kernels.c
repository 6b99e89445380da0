// SPDX-License-Identifier: Apache-2.0
// Kernels of the hostile tenants of tb/fuzz, and one of the honest one's.
#include <qsm.h>

unsigned table[64] = {3, 1, 4, 1, 5, 9, 2, 6};

// What the honest tenant computes: of its input, through shared memory, the stack and the program's
// data.
__global__ void honest(unsigned *out, const unsigned *in, unsigned salt) {
  volatile unsigned own[8];
  unsigned *shared = qsm_dynamic_shared();
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < 8; i++) own[i] = in[thread] + table[i] * salt;
  shared[threadIdx.x] = own[threadIdx.x % 8];
  __syncthreads();
  out[thread] = shared[blockDim.x - 1 - threadIdx.x] ^ own[7];
}

__global__ void store(volatile unsigned *p, unsigned value) { p[threadIdx.x] = value; }
__global__ void load(volatile unsigned *p, const volatile unsigned *from) {
  p[0] = from[threadIdx.x];
}
__global__ void endless(volatile unsigned *p) {
  while (*p != 1) __threadfence();
}
__global__ void illegal(unsigned *p) {
  *p = 1;
  __asm__ volatile(".word 0");
}
__global__ void jump(unsigned address) { ((void (*)(void))address)(); }
__global__ void add(unsigned *p, unsigned n) {
  for (unsigned i = 0; i < n % 64; i++) atomicAdd(p, 1);
}
__global__ void alone_at_the_barrier(unsigned *p) {
  if (threadIdx.x == 0) __syncthreads();
  *p = 1;
}
__global__ void shared_too_far(unsigned at) {
  volatile unsigned *shared = qsm_dynamic_shared();
  shared[at] = 1;
}

static __attribute__((noinline)) unsigned deeper(unsigned n) {
  volatile unsigned room[16];
  room[n % 16] = n;
  return n == 0 ? room[0] : deeper(n - 1) + room[n % 16];
}
__global__ void overflow(unsigned *p, unsigned depth) { *p = deeper(depth); }

__global__ void over_arguments(unsigned n) {
  unsigned *block;
  __asm__ volatile("csrr %0, 0xccc" : "=r"(block));
  for (unsigned i = 0; i < n % 4096; i++) ((volatile unsigned *)block)[i] = i;
}
