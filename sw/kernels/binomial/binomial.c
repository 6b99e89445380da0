// SPDX-License-Identifier: Apache-2.0
// European call options by binomial trees (Cox, Ross, Rubinstein, "Option pricing: a simplified
// approach", J. Financial Economics 7, 1979). A block per option: its threads hold the values at
// the leaves, then step back in time, each value becoming the discounted mean of the two behind it.
// Shared memory: a word per leaf.
#include <qsm.h>
#include <qsm_math.h>

struct option {
  float price, strike, years;
};

__global__ void binomial(const struct option *options, float *values, unsigned n_steps, float rate,
                         float volatility) {
  float *value = qsm_dynamic_shared();
  struct option option = options[blockIdx.x];
  float step = option.years / (float)n_steps, up = volatility * sqrtf(step),
        growth = qsm_exp(rate * step);
  float down_factor = qsm_exp(-up), up_factor = qsm_exp(up),
        chance = (growth - down_factor) / (up_factor - down_factor);
  float weight_up = chance / growth, weight_down = (1.0f - chance) / growth;
  for (unsigned leaf = threadIdx.x; leaf <= n_steps; leaf += blockDim.x) {
    float price = option.price * qsm_exp(up * (float)(2 * (int)leaf - (int)n_steps));
    value[leaf] = fmaxf(price - option.strike, 0.0f);
  }
  __syncthreads();
  // Each round of the block's threads reads a value that the round before it has left alone.
  for (unsigned n = n_steps; n > 0; n--) {
    for (unsigned first = 0; first < n; first += blockDim.x) {
      unsigned node = first + threadIdx.x;
      float back = node < n ? fmaf(weight_up, value[node + 1], weight_down * value[node]) : 0.0f;
      __syncthreads();
      if (node < n) value[node] = back;
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) values[blockIdx.x] = value[0];
}
