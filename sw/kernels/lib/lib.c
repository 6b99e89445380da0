// SPDX-License-Identifier: Apache-2.0
// LIBOR: the value of a portfolio of swaptions by Monte Carlo simulation of forward rates (Giles
// and Su, "Notes on using the NVIDIA 8800 GTX graphics card", 2007; the market model: Brace,
// Gatarek, Musiela, 1997). A thread per path; its rates are a local array, in device memory. The
// random numbers come with the inputs.
#include <qsm.h>
#include <qsm_math.h>

enum { MAX_RATES = 40 };

struct model {
  float delta;                  // years between two rates
  float initial;                // all rates at the start
  unsigned n_rates, n_periods;  // n_periods of them are simulated
  unsigned n_swaptions;
};

// A period later: the rates behind `period` drift and move with the random number z.
static void advance(float *rate, const struct model *model, const float *volatility,
                    unsigned period, float z) {
  float root = sqrtf(model->delta) * z, drift = 0.0f;
  for (unsigned i = period + 1; i < model->n_rates; i++) {
    float own = volatility[i - period - 1], scaled = model->delta * own;
    drift = fmaf(scaled * rate[i], 1.0f / fmaf(model->delta, rate[i], 1.0f), drift);
    rate[i] *= qsm_exp(fmaf(scaled, drift, own * fmaf(-0.5f, scaled, root)));
  }
}

// What the swaptions pay, in today's money. strikes: of each swaption; maturities: its number of
// periods.
static float payoff(const float *rate, const struct model *model, const float *strikes,
                    const unsigned *maturities) {
  float value = 0.0f, bond = 1.0f, annuity = 0.0f;
  unsigned swaption = 0;
  for (unsigned i = model->n_periods; i < model->n_rates; i++) {
    bond /= fmaf(model->delta, rate[i], 1.0f);
    annuity = fmaf(model->delta, bond, annuity);
    for (; swaption < model->n_swaptions && model->n_periods + maturities[swaption] == i + 1;
         swaption++) {
      value += 100.0f * fmaxf(1.0f - bond - strikes[swaption] * annuity, 0.0f);
    }
  }
  for (unsigned i = 0; i < model->n_periods; i++) value /= fmaf(model->delta, rate[i], 1.0f);
  return value;
}

// normals: a row of n_paths per period.
__global__ void lib(const struct model *model, const float *volatility, const float *strikes,
                    const unsigned *maturities, const float *normals, float *values,
                    unsigned n_paths) {
  unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
  if (path >= n_paths) return;
  struct model own = *model;
  float rate[MAX_RATES];
  for (unsigned i = 0; i < own.n_rates; i++) rate[i] = own.initial;
  for (unsigned period = 0; period < own.n_periods; period++)
    advance(rate, &own, volatility, period, normals[period * n_paths + path]);
  values[path] = payoff(rate, &own, strikes, maturities);
}
