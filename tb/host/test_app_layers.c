// SPDX-License-Identifier: Apache-2.0
// The references of the layers against their definitions in double (docs/applications.md R-AP-6):
// sums within the bound that follows from the number of their terms, functions within that of
// qsm_math.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host_support.h"
#include "qsm_app_internal.h"
#include "qsm_network.h"

static const double unit = 0x1p-24;  // rounding of a float, relative

struct layers {
  struct qsm_app_plan plan;
  struct qsm_network network;
};

static struct layers *begin(void) {
  struct layers *layers = calloc(1, sizeof *layers);
  layers->network = qsm_network_begin(&layers->plan, QSM_APP_T);
  return layers;
}

static void refer(struct layers *layers) {
  assert_int_equal(qsm_app_plan_fill(&layers->plan, 3, 5), 0);
  qsm_app_plan_refer(&layers->plan);
}

static void end(struct layers *layers) {
  qsm_app_plan_free(&layers->plan);
  free(layers);
}

static const float *values_of(const struct layers *layers, struct qsm_tensor tensor) {
  return (const float *)(layers->plan.buffers[tensor.buffer].host + tensor.offset);
}

// By name; the layers have one buffer of each.
static const float *buffer_of(const struct layers *layers, const char *name) {
  for (uint32_t i = 0; i < layers->plan.n_buffers; i++)
    if (strcmp(layers->plan.buffers[i].shown.name, name) == 0)
      return (const float *)layers->plan.buffers[i].host;
  fail_msg("no buffer %s", name);
  return NULL;
}

// A sum with what its terms are together.
struct sum {
  double value, size;
  int n;
};

static void add(struct sum *sum, double term) {
  sum->value += term;
  sum->size += fabs(term);
  sum->n++;
}

// Each of n operations rounds once; what is rounded is at most the terms together, but for second
// order, which a term more covers.
static bool is_within(float got, const struct sum *sum) {
  return fabs((double)got - sum->value) <= (sum->n + 2) * unit * sum->size;
}

static void expect_sum(float got, const struct sum *sum) {
  if (!is_within(got, sum))
    fail_msg("%.9g instead of %.9g, of %d terms", (double)got, sum->value, sum->n);
}

static void expect_relu(float got, struct sum *sum) {
  if (sum->value < 0.0 && got == 0.0f) sum->value = 0.0;  // within the bound below 0, too
  expect_sum(got, sum);
}

static void expect_near(float got, double wanted, double most) {
  if (!(fabs((double)got - wanted) <= most))
    fail_msg("%.9g instead of %.9g, off by more than %g", (double)got, wanted, most);
}

// ---- Convolutions ----

struct conv {
  uint32_t n_in, n_out, width, height, n_groups;
  struct qsm_window window;
};

// The sum over a window of one plane, which is 0 outside.
static void add_window(struct sum *sum, const float *plane, const float *filter,
                       const struct conv *conv, int x, int y) {
  int side = (int)conv->window.side, stride = (int)conv->window.stride, pad = (int)conv->window.pad;
  for (int i = 0; i < side * side; i++) {
    int column = x * stride - pad + i % side, row = y * stride - pad + i / side;
    bool inside = column >= 0 && row >= 0 && column < (int)conv->width && row < (int)conv->height;
    add(sum, inside ? (double)filter[i] * (double)plane[row * (int)conv->width + column] : 0.0);
  }
}

static void check_conv(const struct conv *conv, bool is_depthwise) {
  struct layers *layers = begin();
  struct qsm_tensor in = qsm_network_input(&layers->network, conv->n_in, conv->height, conv->width),
                    out = is_depthwise
                              ? qsm_network_depthwise(&layers->network, "c", in, conv->window,
                                                      NETWORK_RELU)
                              : qsm_network_conv(&layers->network, "c", in, conv->n_out,
                                                 conv->window, conv->n_groups, NETWORK_RELU, NULL);
  refer(layers);
  const float *x = values_of(layers, in), *got = values_of(layers, out),
              *weights = buffer_of(layers, "c.weights"), *bias = buffer_of(layers, "c.bias");
  uint32_t n_pixels = conv->width * conv->height, n_window = conv->window.side * conv->window.side,
           n_deep = conv->n_in / conv->n_groups;
  assert_int_equal(
      out.width,
      (conv->width + 2 * conv->window.pad - conv->window.side) / conv->window.stride + 1);
  for (uint32_t channel = 0; channel < out.n; channel++) {
    uint32_t first = channel * conv->n_groups / conv->n_out * n_deep;
    for (uint32_t i = 0; i < out.width * out.height; i++) {
      struct sum sum = {0};
      for (uint32_t k = 0; k < n_deep; k++)
        add_window(&sum, x + (first + k) * n_pixels, weights + (channel * n_deep + k) * n_window,
                   conv, (int)(i % out.width), (int)(i / out.width));
      add(&sum, (double)bias[channel]);
      expect_relu(got[channel * out.width * out.height + i], &sum);
    }
  }
  end(layers);
}

static void convolutions(void **state) {
  (void)state;
  check_conv(&(struct conv){3, 5, 9, 7, 1, {3, 1, 1}}, false);
  check_conv(&(struct conv){4, 8, 9, 10, 2, {5, 2, 2}}, false);
  check_conv(&(struct conv){6, 6, 9, 7, 6, {3, 2, 1}}, true);
}

// ---- Matrices ----

static void products(void **state) {
  (void)state;
  struct layers *layers = begin();
  struct qsm_tensor in = qsm_network_input(&layers->network, 6, 3, 5), out[3];
  out[0] = qsm_network_pointwise(&layers->network, "p", in, 8, 2, NETWORK_LINEAR, NULL);
  out[1] = qsm_network_dense(&layers->network, "d", in, 7, NETWORK_LINEAR);
  struct qsm_tensor rows = {in.buffer, 0, 1, 6, 15};
  out[2] = qsm_network_rows(&layers->network, "r", rows, 9, NETWORK_LINEAR);
  refer(layers);
  const float *x = values_of(layers, in);
  for (uint32_t i = 0; i < 8 * 15; i++) {
    struct sum sum = {0};
    uint32_t channel = i / 15, group = channel / 4;
    for (uint32_t k = 0; k < 3; k++)
      add(&sum, (double)buffer_of(layers, "p.weights")[channel * 3 + k] *
                    (double)x[(group * 3 + k) * 15 + i % 15]);
    add(&sum, (double)buffer_of(layers, "p.bias")[channel]);
    expect_sum(values_of(layers, out[0])[i], &sum);
  }
  for (uint32_t i = 0; i < 7; i++) {
    struct sum sum = {0};
    for (uint32_t k = 0; k < 90; k++)
      add(&sum, (double)buffer_of(layers, "d.weights")[i * 90 + k] * (double)x[k]);
    assert_false(is_within(values_of(layers, out[1])[i], &sum));  // a term is missing
    add(&sum, (double)buffer_of(layers, "d.bias")[i]);
    expect_sum(values_of(layers, out[1])[i], &sum);
  }
  for (uint32_t i = 0; i < 6 * 9; i++) {
    struct sum sum = {0};
    for (uint32_t k = 0; k < 15; k++)
      add(&sum, (double)x[i / 9 * 15 + k] * (double)buffer_of(layers, "r.weights")[k * 9 + i % 9]);
    add(&sum, (double)buffer_of(layers, "r.bias")[i % 9]);
    expect_sum(values_of(layers, out[2])[i], &sum);
  }
  end(layers);
}

static void attention(void **state) {
  (void)state;
  enum { LONG_ = 5, WIDE = 8, HEADS = 2, EACH = WIDE / HEADS };
  struct layers *layers = begin();
  struct qsm_tensor in = qsm_network_input(&layers->network, 1, LONG_, WIDE),
                    out = qsm_network_attention(&layers->network, "a", in, HEADS);
  refer(layers);
  const float *qkv = buffer_of(layers, "a.qkv"), *got = values_of(layers, out),
              *shares = buffer_of(layers, "a.softmax");
  for (int head = 0; head < HEADS; head++) {
    for (int i = 0; i < LONG_; i++) {
      double e[LONG_], all = 0.0;
      for (int j = 0; j < LONG_; j++) {
        double dot = 0.0;
        for (int k = 0; k < EACH; k++)
          dot += (double)qkv[i * 3 * WIDE + head * EACH + k] *
                 (double)qkv[j * 3 * WIDE + WIDE + head * EACH + k];
        all += e[j] = exp(dot / sqrt((double)EACH));
      }
      for (int j = 0; j < LONG_; j++) {
        // The exponent, at most 8 here, is off by 2^-21 of its size at most, and e by as much; 16
        // operations more round once each.
        double share = e[j] / all;
        expect_near(shares[(head * LONG_ + i) * LONG_ + j], share, share * (0x1p-17 + 16 * unit));
      }
      for (int k = 0; k < EACH; k++) {
        struct sum sum = {0};
        for (int j = 0; j < LONG_; j++)
          add(&sum, (double)shares[(head * LONG_ + i) * LONG_ + j] *
                        (double)qkv[j * 3 * WIDE + 2 * WIDE + head * EACH + k]);
        expect_sum(got[i * WIDE + head * EACH + k], &sum);
      }
    }
  }
  end(layers);
}

// ---- Norms, pooling, elements ----

static void norms(void **state) {
  (void)state;
  enum { ROWS = 3, WIDE = 21, CHANNELS = 3, PIXELS = WIDE };
  struct layers *layers = begin();
  struct qsm_tensor in = qsm_network_input(&layers->network, 1, ROWS, WIDE),
                    planes = {in.buffer, 0, CHANNELS, 1, PIXELS},
                    rows = qsm_network_layer_norm(&layers->network, "l", in, in),
                    channels =
                        qsm_network_batch_norm(&layers->network, "b", planes, NETWORK_LINEAR);
  refer(layers);
  const float *x = values_of(layers, in), *l = buffer_of(layers, "l.scales"),
              *b = buffer_of(layers, "b.scales");
  for (int row = 0; row < ROWS; row++) {
    double mean = 0.0, variance = 0.0;
    for (int i = 0; i < WIDE; i++) mean += 2.0 * (double)x[row * WIDE + i] / WIDE;
    for (int i = 0; i < WIDE; i++)
      variance += pow(2.0 * (double)x[row * WIDE + i] - mean, 2.0) / WIDE;
    double scale = 1.0 / sqrt(variance + 1e-5);
    for (int i = 0; i < WIDE; i++) {
      double wanted =
          (2.0 * (double)x[row * WIDE + i] - mean) * scale * (double)l[i] + (double)l[WIDE + i];
      // The mean of values within 2 is off by (WIDE + 2) roundings of 2, and the variance, through
      // squares within 16, by (2 WIDE + 4) of 16 over it; factors are within 1.5.
      double most = 1.5 * scale * (WIDE + 2) * 2.0 * unit +
                    4.0 * 1.5 * scale * (2 * WIDE + 4) * 16.0 * unit * scale * scale +
                    8.0 * unit * (fabs(wanted) + 3.0);
      expect_near(values_of(layers, rows)[row * WIDE + i], wanted, most);
    }
  }
  for (int i = 0; i < CHANNELS * PIXELS; i++) {
    int c = i / PIXELS;
    double mean = (double)b[2 * CHANNELS + c], variance = (double)b[3 * CHANNELS + c],
           wanted = ((double)x[i] - mean) / sqrt(variance + 1e-5) * (double)b[c] +
                    (double)b[CHANNELS + c];
    // Eight operations on numbers within 4.
    expect_near(values_of(layers, channels)[i], wanted, 8 * 4.0 * unit);
  }
  end(layers);
}

static void pooling(void **state) {
  (void)state;
  enum { N = 2, WIDTH = 9, HEIGHT = 8, PIXELS = WIDTH * HEIGHT };
  struct layers *layers = begin();
  struct qsm_tensor in = qsm_network_input(&layers->network, N, HEIGHT, WIDTH),
                    greatest = qsm_network_pool_max(&layers->network, "m", in,
                                                    (struct qsm_window){3, 2, 1}),
                    mean = qsm_network_pool_average(&layers->network, "a", in,
                                                    (struct qsm_window){2, 2, 0}, NULL),
                    all = qsm_network_pool_all(&layers->network, "g", in);
  refer(layers);
  const float *x = values_of(layers, in);
  assert_int_equal(greatest.width, 5);
  assert_int_equal(greatest.height, 4);
  for (int i = 0; i < N * 5 * 4; i++) {
    float wanted = -INFINITY;
    for (int row = 0; row < HEIGHT; row++)
      for (int column = 0; column < WIDTH; column++)
        if (abs(column - 2 * (i % 5)) <= 1 && abs(row - 2 * (i / 5 % 4)) <= 1)
          wanted = fmaxf(wanted, x[i / 20 * PIXELS + row * WIDTH + column]);
    assert_true(values_of(layers, greatest)[i] == wanted);
  }
  for (int i = 0; i < N * 4 * 4; i++) {
    struct sum sum = {0};
    for (int j = 0; j < 4; j++)
      add(&sum,
          (double)x[i / 16 * PIXELS + (i / 4 % 4 * 2 + j / 2) * WIDTH + i % 4 * 2 + j % 2] / 4.0);
    expect_sum(values_of(layers, mean)[i], &sum);
  }
  for (int i = 0; i < N; i++) {
    struct sum sum = {0};
    for (int j = 0; j < PIXELS; j++) add(&sum, (double)x[i * PIXELS + j] / PIXELS);
    expect_sum(values_of(layers, all)[i], &sum);
  }
  end(layers);
}

static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

static void functions(void **state) {
  (void)state;
  for (float x = -6.0f; x < 6.0f; x += 0.0137f) {
    double d = (double)x;
    // e^x has 1.25 units in the last place, the sum and the quotient round: below 8 roundings.
    expect_near(network_sigmoid(x), sigmoid(d), 8 * unit);
    expect_near(network_tanh(x), tanh(d), 18 * unit);
    // Its exponent is within 25 and off by 4 roundings of that; sigmoid is nowhere steeper than
    // 1/4.
    expect_near(network_gelu(x), d * sigmoid(1.59576912 * (d + 0.044715 * d * d * d)),
                fabs(d) * (8 + 4 * 25 / 4.0) * unit);
    // That formula itself is within 5e-4 of the normal distribution's.
    expect_near(network_gelu(x), 0.5 * d * (1.0 + erf(d / sqrt(2.0))), 5e-4);
  }
}

static void memories(void **state) {
  (void)state;
  enum { LONG_ = 3, IN = 4, WIDE = 5 };
  struct layers *layers = begin();
  struct qsm_tensor in = qsm_network_input(&layers->network, 1, LONG_, IN),
                    out = qsm_network_lstm(&layers->network, "m", in, WIDE);
  refer(layers);
  const float *x = values_of(layers, in), *w = buffer_of(layers, "m.input.weights"),
              *b = buffer_of(layers, "m.input.bias"), *u = buffer_of(layers, "m.weights"),
              *c = buffer_of(layers, "m.bias");
  double cell[WIDE] = {0.0}, last[WIDE] = {0.0};
  for (int t = 0; t < LONG_; t++) {
    double gate[4 * WIDE];
    for (int i = 0; i < 4 * WIDE; i++) {
      gate[i] = (double)b[i] + (double)c[i];
      for (int k = 0; k < IN; k++) gate[i] += (double)x[t * IN + k] * (double)w[k * 4 * WIDE + i];
      for (int k = 0; k < WIDE; k++) gate[i] += last[k] * (double)u[i * WIDE + k];
    }
    for (int i = 0; i < WIDE; i++) {
      cell[i] = sigmoid(gate[WIDE + i]) * cell[i] + sigmoid(gate[i]) * tanh(gate[2 * WIDE + i]);
      last[i] = sigmoid(gate[3 * WIDE + i]) * tanh(cell[i]);
    }
  }
  // A step's sums have 11 terms within 2 together within 16, functions 18 roundings; through the
  // gates (slopes up to 1, weights together within 5) an error grows by less than 8 in each of the
  // two steps behind.
  for (int i = 0; i < WIDE; i++)
    expect_near(values_of(layers, out)[i], last[i], (1 + 8 + 64) * (13 * 16.0 + 4 * 18) * unit);
  end(layers);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      {"R-AP-6: convolutions are what they are in double", convolutions, NULL, NULL, NULL},
      {"R-AP-6: products are what they are in double", products, NULL, NULL, NULL},
      {"R-AP-6: attention is what it is in double", attention, NULL, NULL, NULL},
      {"R-AP-6: norms are what they are in double", norms, NULL, NULL, NULL},
      {"R-AP-6: pooling is what it is in double", pooling, NULL, NULL, NULL},
      {"R-AP-6: activations are what they are in double", functions, NULL, NULL, NULL},
      {"R-AP-6: a memory is what it is in double", memories, NULL, NULL, NULL},
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
