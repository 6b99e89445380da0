// SPDX-License-Identifier: Apache-2.0
// Hybrid sort (Sintorn and Assarsson, "Fast parallel GPU-sorting using a hybrid algorithm", JPDC
// 68(10), 2008): keys go into buckets of equal ranges, then each bucket is sorted by itself; here
// by a bitonic network in shared memory (Batcher, AFIPS 1968), one block per bucket. Shared memory:
// a word per bucket; the largest bucket, rounded up to a power of 2.
#include <qsm.h>

// Keys per bucket.
__global__ void hybrid_count(const unsigned *keys, unsigned n, unsigned shift, unsigned *counts,
                             unsigned n_buckets) {
  unsigned *own = qsm_dynamic_shared();
  for (unsigned i = threadIdx.x; i < n_buckets; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[keys[i] >> shift], 1);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n_buckets; i += blockDim.x) {
    if (own[i] != 0) atomicAdd(&counts[i], own[i]);
  }
}

// Where each bucket begins, twice: `starts` stay, `places` are taken one by one. One block; every
// thread adds up a stretch.
__global__ void hybrid_starts(const unsigned *counts, unsigned *starts, unsigned *places,
                              unsigned n_buckets) {
  unsigned *sums = qsm_dynamic_shared();
  unsigned n_stretch = (n_buckets + blockDim.x - 1) / blockDim.x, first = threadIdx.x * n_stretch,
           sum = 0;
  for (unsigned i = first; i < first + n_stretch && i < n_buckets; i++) sum += counts[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  unsigned start = 0;
  for (unsigned i = 0; i < threadIdx.x; i++) start += sums[i];
  for (unsigned i = first; i < first + n_stretch && i < n_buckets; i++) {
    starts[i] = places[i] = start;
    start += counts[i];
  }
}

__global__ void hybrid_scatter(const unsigned *keys, unsigned n, unsigned shift, unsigned *places,
                               unsigned *sorted) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sorted[atomicAdd(&places[keys[i] >> shift], 1)] = keys[i];
}

// Sorts a bucket; what is missing to a power of two is filled up with the greatest key.
__global__ void hybrid_sort(unsigned *sorted, const unsigned *starts, const unsigned *counts) {
  unsigned *bucket = qsm_dynamic_shared();
  unsigned start = starts[blockIdx.x], count = counts[blockIdx.x], n = 1;
  while (n < count) n *= 2;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    bucket[i] = i < count ? sorted[start + i] : 0xFFFFFFFF;
  __syncthreads();
  for (unsigned n_run = 2; n_run <= n; n_run *= 2) {
    for (unsigned distance = n_run / 2; distance > 0; distance /= 2) {
      for (unsigned i = threadIdx.x; i < n / 2; i += blockDim.x) {
        unsigned low = 2 * i - (i & (distance - 1)),
                 high = low + distance;  // i with a zero put in at the distance's bit
        unsigned a = bucket[low], b = bucket[high];
        int descending = (low & n_run) != 0;
        if ((a > b) != descending) {
          bucket[low] = b;
          bucket[high] = a;
        }
      }
      __syncthreads();
    }
  }
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) sorted[start + i] = bucket[i];
}
