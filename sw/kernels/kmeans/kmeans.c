// SPDX-License-Identifier: Apache-2.0
// k-means clustering (Lloyd, "Least squares quantization in PCM", IEEE Trans. Information Theory
// 28(2), 1982): points choose the nearest centre, a thread per point; then each centre becomes the
// mean of its points, a block per cluster, each feature's sum in the order of the points. Features
// of a point lie n_points apart.
#include <qsm.h>
#include <qsm_math.h>

__global__ void kmeans_assign(const float *features, const float *centres, unsigned *membership,
                              unsigned n_points, unsigned n_features, unsigned n_clusters) {
  unsigned point = blockIdx.x * blockDim.x + threadIdx.x, nearest = 0;
  if (point >= n_points) return;
  float least = INFINITY;
  for (unsigned cluster = 0; cluster < n_clusters; cluster++) {
    float distance2 = 0.0f;
    for (unsigned i = 0; i < n_features; i++) {
      float d = features[i * n_points + point] - centres[cluster * n_features + i];
      distance2 = fmaf(d, d, distance2);
    }
    if (distance2 < least) least = distance2, nearest = cluster;
  }
  membership[point] = nearest;
}

// Thread i of block c: feature i of centre c. An empty cluster keeps its centre.
__global__ void kmeans_centres(const float *features, const unsigned *membership, float *centres,
                               unsigned n_points, unsigned n_features) {
  unsigned cluster = blockIdx.x, feature = threadIdx.x, count = 0;
  if (feature >= n_features) return;
  float sum = 0.0f;
  for (unsigned point = 0; point < n_points; point++) {
    if (membership[point] != cluster) continue;
    sum += features[feature * n_points + point];
    count++;
  }
  if (count > 0) centres[cluster * n_features + feature] = sum / (float)count;
}
