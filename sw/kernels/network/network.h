// SPDX-License-Identifier: Apache-2.0
// What the layers of networks share, on the device and on the host that checks them: packed
// arguments and activations. Images are planes of rows (channel, y, x), matrices row by row.
#ifndef NETWORK_H
#define NETWORK_H

#include <qsm_math.h>

// An argument that holds two numbers of 16 bits: image (width, height), channels (in, out).
static inline unsigned network_low(unsigned word) { return word & 0xFFFF; }
static inline unsigned network_high(unsigned word) { return word >> 16; }

// And one of four: side of the window, stride, border of zeros, activation.
static inline unsigned network_part(unsigned word, unsigned part) { return word >> 8 * part & 255; }

enum network_activation {
  NETWORK_LINEAR,
  NETWORK_RELU,
  NETWORK_GELU,
  NETWORK_RELU6  // of MobileNet
};

// Places of a window on `length` pixels.
static inline unsigned network_places(unsigned length, unsigned window) {
  return (length + 2 * network_part(window, 2) - network_part(window, 0)) /
             network_part(window, 1) +
         1;
}

static inline float network_sigmoid(float x) { return 1.0f / (1.0f + qsm_exp(-x)); }

static inline float network_tanh(float x) { return fmaf(2.0f, network_sigmoid(2.0f * x), -1.0f); }

// x times the probability that a normal variable is below x, by the sigmoid (Hendrycks and Gimpel,
// "Gaussian error linear units", 2016).
static inline float network_gelu(float x) {
  return x * network_sigmoid(1.59576912f * fmaf(0.044715f * x * x, x, x));
}

static inline float network_activate(float x, unsigned activation) {
  if (activation == NETWORK_RELU) return x > 0.0f ? x : 0.0f;
  if (activation == NETWORK_GELU) return network_gelu(x);
  if (activation == NETWORK_RELU6) return x > 0.0f ? (x < 6.0f ? x : 6.0f) : 0.0f;
  return x;
}

// A value less its mean, over its deviation, scaled and moved.
static inline float network_normalise(float x, float mean, float variance, float gamma,
                                      float beta) {
  return fmaf((x - mean) * qsm_rsqrt(variance + 1e-5f), gamma, beta);
}

#endif
