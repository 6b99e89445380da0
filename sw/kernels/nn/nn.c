// SPDX-License-Identifier: Apache-2.0
// Nearest neighbours of places on a map (Rodinia's nn: Che et al., IISWC 2009): for each query the
// record of least distance. A block per query: every thread looks through its share of the records,
// the best of the block is found by a tree. Shared memory: two words per thread, whose number is a
// power of 2.
#include <qsm.h>
#include <qsm_math.h>

struct place {
  float latitude, longitude;
};

// Of equal distances the lower record wins.
static int is_nearer(float distance, unsigned record, float best, unsigned best_record) {
  return distance < best || (distance == best && record < best_record);
}

__global__ void nn(const struct place *records, unsigned n_records, const struct place *queries,
                   unsigned *nearest, float *distances) {
  float *best = qsm_dynamic_shared();
  unsigned *best_record = (unsigned *)(best + blockDim.x), x = threadIdx.x;
  struct place query = queries[blockIdx.x];
  float least = INFINITY;
  unsigned record = 0;
  for (unsigned i = x; i < n_records; i += blockDim.x) {
    float north = records[i].latitude - query.latitude,
          east = records[i].longitude - query.longitude;
    float distance = sqrtf(fmaf(north, north, east * east));
    if (distance < least) least = distance, record = i;
  }
  best[x] = least;
  best_record[x] = record;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (x < half && is_nearer(best[x + half], best_record[x + half], best[x], best_record[x])) {
      best[x] = best[x + half];
      best_record[x] = best_record[x + half];
    }
    __syncthreads();
  }
  if (x == 0) nearest[blockIdx.x] = best_record[0];
  if (x == 1) distances[blockIdx.x] = best[0];
}
