// SPDX-License-Identifier: Apache-2.0
// Cells of the heart's muscle: membrane voltage, ion concentrations and the gates of the channels,
// 19 ordinary differential equations per cell (ten Tusscher and Panfilov, "Alternans and spiral
// breakup in a human ventricular tissue model", Am. J. Physiology: Heart and Circulatory Physiology
// 291, 2006, epicardium; Rodinia's myocyte solves another cell's). Gates move exactly as they would
// at a constant voltage (Rush and Larsen, IEEE Trans. Biomedical Engineering 25(4), 1978), all else
// by Euler's method. The cells differ in their conductances and in when they are stimulated. A step
// takes two launches, a thread per cell: together their values would not fit in the registers. The
// values of one variable lie together. Units: mV, ms, mM, pA / pF.
#include <qsm.h>
#include <qsm_math.h>

enum {
  VOLTAGE,
  POTASSIUM,
  SODIUM,
  CALCIUM,
  CALCIUM_SS,
  CALCIUM_SR,
  RELEASE,
  M,
  H,
  J,
  XR1,
  XR2,
  XS,
  R,
  S,
  D,
  F,
  F2,
  F_CA
};
enum {
  FOR_NA,
  FOR_CA,
  FOR_KR,
  FOR_KS,
  FOR_TO,
  FOR_K1,
  STIMULUS
};  // of a cell: conductances as shares of the usual ones, start of the stimulus

#define DT 0.02f
#define FARADAY 96485.3415f
#define RT_F (8314.472f * 310.0f / FARADAY)
#define K_OUTSIDE 5.4f
#define NA_OUTSIDE 140.0f
#define CA_OUTSIDE 2.0f
// Volumes of cytoplasm, of the space under the membrane, of the sarcoplasmic reticulum; from a
// current to the concentrations of univalent ions.
#define V_C 0.016404f
#define V_SS 0.00005468f
#define V_SR 0.001094f
#define FLOW(volume) (0.185f / ((volume) * FARADAY))

// A cell before and after a step; its variables lie `stride` apart.
struct cell {
  const float *from;
  float *to;
  const float *own;  // conductances, stimulus
  unsigned stride;
};

static float now(struct cell cell, unsigned variable) { return cell.from[variable * cell.stride]; }
static void set(struct cell cell, unsigned variable, float value) {
  cell.to[variable * cell.stride] = value;
}
static float own(struct cell cell, unsigned which) { return cell.own[which * cell.stride]; }

// Not inlined: there are some fifty of them, more than instruction caches hold.
static __attribute__((noinline)) float exponential(float x) { return qsm_exp(x); }

// From 1 to 0 around `middle`, the other way for a negative width.
static float fall(float v, float middle, float width) {
  return 1.0f / (1.0f + exponential((v - middle) * (1.0f / width)));
}
static float bell(float v, float middle, float width2) {
  return exponential((v - middle) * (v - middle) * (-1.0f / width2));
}

// ---- Gates ----

static void gate(struct cell cell, unsigned variable, float target, float time) {
  set(cell, variable, fmaf(now(cell, variable) - target, exponential(-DT / time), target));
}

static void sodium_gates(struct cell cell, float v) {
  float activation = fall(v, -56.86f, -9.03f), inactivation = fall(v, -71.55f, 7.43f), h_rate,
        j_rate;
  gate(cell, M, activation * activation,
       fall(v, -60.0f, -5.0f) * (0.1f * fall(v, -35.0f, 5.0f) + 0.1f * fall(v, 50.0f, 200.0f)));
  if (v < -40.0f) {
    h_rate = 0.057f * exponential((v + 80.0f) * (-1.0f / 6.8f)) +
             (2.7f * exponential(0.079f * v) + 3.1e5f * exponential(0.3485f * v));
    j_rate = (-2.5428e4f * exponential(0.2444f * v) - 6.948e-6f * exponential(-0.04391f * v)) *
                 (v + 37.78f) / (1.0f + exponential(0.311f * (v + 79.23f))) +
             0.02424f * exponential(-0.01052f * v) / (1.0f + exponential(-0.1378f * (v + 40.14f)));
  } else {
    h_rate = 0.77f / 0.13f * fall(v, -10.66f, -11.1f);
    j_rate = 0.6f * exponential(0.057f * v) / (1.0f + exponential(-0.1f * (v + 32.0f)));
  }
  gate(cell, H, inactivation * inactivation, 1.0f / h_rate);
  gate(cell, J, inactivation * inactivation, 1.0f / j_rate);
}

static void potassium_gates(struct cell cell, float v) {
  gate(cell, XR1, fall(v, -26.0f, -7.0f),
       450.0f * fall(v, -45.0f, -10.0f) * 6.0f * fall(v, -30.0f, 11.5f));
  gate(cell, XR2, fall(v, -88.0f, 24.0f),
       3.0f * fall(v, -60.0f, -20.0f) * 1.12f * fall(v, 60.0f, 20.0f));
  gate(cell, XS, fall(v, -5.0f, -14.0f),
       1400.0f * sqrtf(fall(v, 5.0f, -6.0f)) * fall(v, 35.0f, 15.0f) + 80.0f);
  gate(cell, R, fall(v, 20.0f, -6.0f), 9.5f * bell(v, -40.0f, 1800.0f) + 0.8f);
  gate(cell, S, fall(v, -20.0f, 5.0f),
       85.0f * bell(v, -45.0f, 320.0f) + 5.0f * fall(v, 20.0f, 5.0f) + 3.0f);
}

static void calcium_gates(struct cell cell, float v) {
  float ratio = now(cell, CALCIUM_SS) * 20.0f, closed = 1.0f / (1.0f + ratio * ratio);
  gate(cell, F_CA, 0.6f * closed + 0.4f, 80.0f * closed + 2.0f);
  gate(cell, D, fall(v, -8.0f, -7.5f),
       (1.4f * fall(v, -35.0f, -13.0f) + 0.25f) * 1.4f * fall(v, -5.0f, 5.0f) +
           fall(v, 50.0f, -20.0f));
  gate(cell, F, fall(v, -20.0f, 7.0f),
       1102.5f * bell(v, -27.0f, 225.0f) + 200.0f * fall(v, 13.0f, -10.0f) +
           180.0f * fall(v, -30.0f, 10.0f) + 20.0f);
  gate(cell, F2, 0.67f * fall(v, -35.0f, 7.0f) + 0.33f,
       562.0f * bell(v, -27.0f, 240.0f) + 31.0f * fall(v, 25.0f, -10.0f) +
           80.0f * fall(v, -30.0f, 10.0f));
}

__global__ void myocyte_gates(const float *from, float *to, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  struct cell cell = {.from = from + i, .to = to + i, .stride = n};
  float v = now(cell, VOLTAGE);
  sodium_gates(cell, v);
  potassium_gates(cell, v);
  calcium_gates(cell, v);
}

// ---- Currents ----

static float inward_rectifier(float above) {
  float closing = 0.1f * fall(above, 200.0f, 1.0f / 0.06f);
  float opening =
      (3.0f * exponential(0.0002f * (above + 100.0f)) + exponential(0.1f * (above - 10.0f))) *
      fall(above, 0.0f, -2.0f);
  return 5.405f * (closing / (closing + opening)) * above;
}

static float potassium(struct cell cell, float v, float k, float na) {
  float above = v - RT_F * qsm_log(K_OUTSIDE / k),
        slowly_above = v - RT_F * qsm_log((K_OUTSIDE + 0.03f * NA_OUTSIDE) / (k + 0.03f * na));
  float xs = now(cell, XS), slow = own(cell, FOR_KS) * 0.392f * xs * xs * slowly_above;
  float rapid = own(cell, FOR_KR) * 0.153f * now(cell, XR1) * now(cell, XR2) * above;
  float transient = own(cell, FOR_TO) * 0.294f * now(cell, R) * now(cell, S) * above;
  return rapid + slow + transient + own(cell, FOR_K1) * inward_rectifier(above) +
         0.0146f * fall(v, 25.0f, -5.98f) * above;
}

static float sodium(struct cell cell, float v, float na) {
  float above = v - RT_F * qsm_log(NA_OUTSIDE / na), m = now(cell, M);
  return own(cell, FOR_NA) * 14.838f * m * m * m * now(cell, H) * now(cell, J) * above +
         0.00029f * above;
}

// x / (e^x - 1), by its series where that is 0 / 0.
static float bernoulli(float x, float e_x) {
  return fabsf(x) < 1.0e-3f ? 1.0f - 0.5f * x : x / (e_x - 1.0f);
}

static float l_type_calcium(struct cell cell, float v, float ca_ss) {
  float x = 2.0f * (v - 15.0f) / RT_F, e_x = exponential(x),
        open = now(cell, D) * now(cell, F) * now(cell, F2) * now(cell, F_CA);
  return own(cell, FOR_CA) * 3.98e-5f * open * (2.0f * FARADAY) * bernoulli(x, e_x) *
         (0.25f * ca_ss * e_x - CA_OUTSIDE);
}

static float exchange(float v, float na, float ca) {
  float in = exponential(0.35f * v / RT_F), out = exponential(-0.65f * v / RT_F);
  float flow =
      in * na * na * na * CA_OUTSIDE - out * (NA_OUTSIDE * NA_OUTSIDE * NA_OUTSIDE) * ca * 2.5f;
  return 1000.0f /
         ((87.5f * 87.5f * 87.5f + NA_OUTSIDE * NA_OUTSIDE * NA_OUTSIDE) * (1.38f + CA_OUTSIDE)) *
         flow / (1.0f + 0.1f * out);
}

static float pump(float v, float na) {
  float hindered =
      1.0f + 0.1245f * exponential(-0.1f * v / RT_F) + 0.0353f * exponential(-v / RT_F);
  return 2.724f * K_OUTSIDE / (K_OUTSIDE + 1.0f) * na / ((na + 40.0f) * hindered);
}

// Of what enters a space, the share that buffers leave free.
static float unbuffered(float ca, float n_buffers, float half) {
  return 1.0f / (1.0f + n_buffers * half / ((ca + half) * (ca + half)));
}

// One step of the three spaces; `l_type` enters below the membrane, `other` the cytoplasm, both as
// currents.
static void move_calcium(struct cell cell, float ca, float ca_ss, float l_type, float other) {
  float ca_sr = now(cell, CALCIUM_SR), release = now(cell, RELEASE), load = 1.5f / ca_sr;
  float hindrance = 2.5f - 1.5f / (1.0f + load * load),
        opening = 0.15f / hindrance * (ca_ss * ca_ss), closing = 0.045f * hindrance * ca_ss;
  float released = 0.102f * (opening * release / (0.06f + opening)) * (ca_sr - ca_ss),
        leaked = 0.00036f * (ca_sr - ca);
  float taken_up = 0.006375f / (1.0f + 0.00025f * 0.00025f / (ca * ca)),
        transferred = 0.0038f * (ca_ss - ca);
  set(cell, RELEASE, fmaf(DT, 0.005f * (1.0f - release) - closing * release, release));
  set(cell, CALCIUM_SR,
      fmaf(DT * unbuffered(ca_sr, 10.0f, 0.3f), taken_up - released - leaked, ca_sr));
  float to_ss =
      released * (V_SR / V_SS) - l_type * (0.5f * FLOW(V_SS)) - transferred * (V_C / V_SS);
  set(cell, CALCIUM_SS, fmaf(DT * unbuffered(ca_ss, 0.4f, 0.00025f), to_ss, ca_ss));
  float to_c = (leaked - taken_up) * (V_SR / V_C) + transferred - other * (0.5f * FLOW(V_C));
  set(cell, CALCIUM, fmaf(DT * unbuffered(ca, 0.2f, 0.001f), to_c, ca));
}

__global__ void myocyte_currents(const float *from, float *to, const float *owns, unsigned n,
                                 float time) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  struct cell cell = {from + i, to + i, owns + i, n};
  float v = now(cell, VOLTAGE), k = now(cell, POTASSIUM), na = now(cell, SODIUM),
        ca = now(cell, CALCIUM), since = time - own(cell, STIMULUS);
  float stimulus = since >= 0.0f && since < 1.0f ? -52.0f : 0.0f;  // made of potassium
  float pumped = pump(v, na), to_k = stimulus + potassium(cell, v, k, na);
  set(cell, POTASSIUM, fmaf(-DT * FLOW(V_C), to_k - 2.0f * pumped, k));
  float exchanged = exchange(v, na, ca), to_na = sodium(cell, v, na);
  set(cell, SODIUM, fmaf(-DT * FLOW(V_C), to_na + 3.0f * pumped + 3.0f * exchanged, na));
  float ca_ss = now(cell, CALCIUM_SS), l_type = l_type_calcium(cell, v, ca_ss),
        e_ca = 0.5f * RT_F * qsm_log(CA_OUTSIDE / ca);
  float to_ca = 0.000592f * (v - e_ca) + 0.1238f * ca / (0.0005f + ca);
  set(cell, VOLTAGE, fmaf(-DT, to_k + to_na + l_type + to_ca + pumped + exchanged, v));
  move_calcium(cell, ca, ca_ss, l_type, to_ca - 2.0f * exchanged);
}
