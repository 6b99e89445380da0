// SPDX-License-Identifier: Apache-2.0
// The layers on the host: for each element the operations of sw/kernels/network/ in their order.
#include "qsm_network.h"

enum { MOST_THREADS = 256 };

// The sum of a block's threads' values, by halves.
static float tree(float *values, uint32_t n_threads) {
  for (uint32_t half = n_threads / 2; half > 0; half /= 2)
    for (uint32_t i = 0; i < half; i++) values[i] += values[i + half];
  return values[0];
}

// ---- Convolutions ----

// One place of a window over one plane.
static float window_sum(float sum, const float *plane, const float *filter, uint32_t image,
                        uint32_t window, uint32_t x, uint32_t y) {
  int32_t side = (int32_t)network_part(window, 0), stride = (int32_t)network_part(window, 1),
          pad = (int32_t)network_part(window, 2), width = (int32_t)network_low(image),
          height = (int32_t)network_high(image);
  for (int32_t dy = 0; dy < side; dy++) {
    int32_t row = (int32_t)y * stride - pad + dy;
    for (int32_t dx = 0; dx < side; dx++, filter++) {
      int32_t column = (int32_t)x * stride - pad + dx;
      bool inside = column >= 0 && row >= 0 && column < width && row < height;
      sum = fmaf(*filter, inside ? plane[row * width + column] : 0.0f, sum);
    }
  }
  return sum;
}

static void conv(const struct qsm_app_call *call) {
  const float *in = call->at[0], *weights = call->at[2], *bias = call->at[3];
  float *out = call->at[1];
  uint32_t image = call->number[4], window = call->number[6], n_in = network_low(call->number[5]),
           n_out = network_high(call->number[5]), n_groups = network_low(call->number[7]),
           n_deep = n_in / n_groups, n_window = network_part(window, 0) * network_part(window, 0),
           n_pixels = network_low(image) * network_high(image),
           width = network_places(network_low(image), window),
           height = network_places(network_high(image), window);
  for (uint32_t channel = 0; channel < n_out; channel++) {
    const float *first = in + channel / (n_out / n_groups) * n_deep * n_pixels,
                *filters = weights + channel * n_deep * n_window;
    for (uint32_t i = 0; i < width * height; i++) {
      float sum = 0.0f;
      for (uint32_t k = 0; k < n_deep; k++)
        sum = window_sum(sum, first + k * n_pixels, filters + k * n_window, image, window,
                         i % width, i / width);
      *out++ = network_activate(sum + bias[channel], network_part(window, 3));
    }
  }
}

static void depthwise(const struct qsm_app_call *call) {
  const float *in = call->at[0], *weights = call->at[2], *bias = call->at[3];
  float *out = call->at[1];
  uint32_t image = call->number[4], window = call->number[6],
           width = network_places(network_low(image), window),
           height = network_places(network_high(image), window),
           n_window = network_part(window, 0) * network_part(window, 0);
  for (uint32_t channel = 0; channel < call->number[5]; channel++) {
    const float *plane = in + channel * network_low(image) * network_high(image);
    for (uint32_t i = 0; i < width * height; i++) {
      float sum = window_sum(0.0f, plane, weights + channel * n_window, image, window, i % width,
                             i / width);
      *out++ = network_activate(sum + bias[channel], network_part(window, 3));
    }
  }
}

const struct qsm_app_kernel qsm_network_conv_kernel = {"conv", "rwrrnnnn", conv},
                            qsm_network_depthwise_kernel = {"depthwise", "rwrrnnn", depthwise};

// ---- Matrices ----

static void gemm(const struct qsm_app_call *call) {
  uint32_t n_rows = call->number[4], n_inner = call->number[5], n_columns = call->number[6],
           how = call->number[7];
  for (uint32_t z = 0; z < call->grid.z; z++) {
    const float *a = (const float *)call->at[0] + z * n_rows * n_inner,
                *b = (const float *)call->at[1] + z * n_inner * n_columns,
                *bias = (const float *)call->at[3] + z * (network_high(how) ? n_columns : n_rows);
    float *c = (float *)call->at[2] + z * n_rows * n_columns;
    for (uint32_t row = 0; row < n_rows; row++, c += n_columns) {
      for (uint32_t column = 0; column < n_columns; column++) c[column] = 0.0f;
      for (uint32_t k = 0; k < n_inner; k++)
        for (uint32_t column = 0; column < n_columns; column++)
          c[column] = fmaf(a[row * n_inner + k], b[k * n_columns + column], c[column]);
      for (uint32_t column = 0; column < n_columns; column++)
        c[column] =
            network_activate(c[column] + bias[network_high(how) ? column : row], network_low(how));
    }
  }
}

static void dense(const struct qsm_app_call *call) {
  const float *in = call->at[0], *weights = call->at[2], *bias = call->at[3];
  float *out = call->at[1];
  uint32_t n_in = call->number[4], n_threads = call->block.x;
  for (uint32_t row = 0; row < call->number[5]; row++) {
    float sums[MOST_THREADS] = {0.0f};
    for (uint32_t i = 0; i < n_in; i++)
      sums[i % n_threads] = fmaf(weights[row * n_in + i], in[i], sums[i % n_threads]);
    out[row] = network_activate(tree(sums, n_threads) + bias[row], call->number[6]);
  }
}

static void attention_scores(const struct qsm_app_call *call) {
  float *scores = call->at[1];
  uint32_t n_long = call->number[2], n_wide = call->number[3], n = n_wide / call->number[4];
  for (uint32_t head = 0; head < call->number[4]; head++) {
    const float *queries = (const float *)call->at[0] + head * n, *keys = queries + n_wide;
    for (uint32_t i = 0; i < n_long * n_long; i++) {
      const float *query = queries + i / n_long * 3 * n_wide, *key = keys + i % n_long * 3 * n_wide;
      float sum = 0.0f;
      for (uint32_t k = 0; k < n; k++) sum = fmaf(query[k], key[k], sum);
      *scores++ = sum * qsm_rsqrt((float)n);
    }
  }
}

static void attention_values(const struct qsm_app_call *call) {
  const float *shares = call->at[0], *values = (const float *)call->at[1] + 2 * call->number[4];
  float *out = call->at[2];
  uint32_t n_long = call->number[3], n_wide = call->number[4], n = n_wide / call->number[5];
  for (uint32_t row = 0; row < n_long; row++) {
    for (uint32_t column = 0; column < n_wide; column++) {
      const float *share = shares + (column / n * n_long + row) * n_long;
      float sum = 0.0f;
      for (uint32_t k = 0; k < n_long; k++)
        sum = fmaf(share[k], values[k * 3 * n_wide + column], sum);
      *out++ = sum;
    }
  }
}

const struct qsm_app_kernel qsm_network_gemm_kernel = {"gemm", "rrwrnnnn", gemm},
                            qsm_network_dense_kernel = {"dense", "rwrrnnn", dense},
                            qsm_network_scores_kernel = {"attention_scores", "rwnnn",
                                                         attention_scores},
                            qsm_network_values_kernel = {"attention_values", "rrwnnn",
                                                         attention_values};

// ---- Pooling ----

static void pool_max(const struct qsm_app_call *call) {
  const float *in = call->at[0];
  float *out = call->at[1];
  uint32_t image = call->number[2], window = call->number[4];
  int32_t side = (int32_t)network_part(window, 0), stride = (int32_t)network_part(window, 1),
          pad = (int32_t)network_part(window, 2), width = (int32_t)network_low(image),
          height = (int32_t)network_high(image);
  int32_t n_x = (int32_t)network_places(network_low(image), window),
          n_y = (int32_t)network_places(network_high(image), window);
  for (uint32_t channel = 0; channel < call->number[3]; channel++, in += width * height) {
    for (int32_t i = 0; i < n_x * n_y; i++) {
      float greatest = -INFINITY;
      for (int32_t j = 0; j < side * side; j++) {
        int32_t x = i % n_x * stride - pad + j % side, y = i / n_x * stride - pad + j / side;
        if (x < 0 || y < 0 || x >= width || y >= height) continue;
        if (in[y * width + x] > greatest) greatest = in[y * width + x];
      }
      *out++ = greatest;
    }
  }
}

static void pool_average(const struct qsm_app_call *call) {
  const float *in = call->at[0];
  float *out = call->at[1];
  uint32_t image = call->number[2], window = call->number[4], side = network_part(window, 0),
           stride = network_part(window, 1), width = network_low(image),
           n_x = network_places(width, window), n_y = network_places(network_high(image), window);
  for (uint32_t channel = 0; channel < call->number[3];
       channel++, in += width * network_high(image)) {
    for (uint32_t i = 0; i < n_x * n_y; i++) {
      float sum = 0.0f;
      for (uint32_t j = 0; j < side * side; j++)
        sum += in[(i / n_x * stride + j / side) * width + i % n_x * stride + j % side];
      *out++ = sum / (float)(side * side);
    }
  }
}

static void pool_all(const struct qsm_app_call *call) {
  const float *in = call->at[0];
  float *out = call->at[1];
  uint32_t n_pixels = call->number[2];
  for (uint32_t channel = 0; channel < call->grid.x; channel++, in += n_pixels) {
    float sums[MOST_THREADS] = {0.0f};
    for (uint32_t i = 0; i < n_pixels; i++) sums[i % call->block.x] += in[i];
    out[channel] = tree(sums, call->block.x) / (float)n_pixels;
  }
}

const struct qsm_app_kernel qsm_network_pool_max_kernel = {"pool_max", "rwnnn", pool_max},
                            qsm_network_pool_average_kernel = {"pool_average", "rwnnn",
                                                               pool_average},
                            qsm_network_pool_all_kernel = {"pool_all", "rwn", pool_all};

// ---- Rows ----

static void softmax_rows(const struct qsm_app_call *call) {
  const float *in = call->at[0];
  float *out = call->at[1];
  uint32_t n = call->number[2];
  for (uint32_t row = 0; row < call->grid.x; row++, in += n, out += n) {
    float greatest = in[0], sums[MOST_THREADS] = {0.0f};
    for (uint32_t i = 1; i < n; i++) greatest = in[i] > greatest ? in[i] : greatest;
    for (uint32_t i = 0; i < n; i++) sums[i % call->block.x] += qsm_exp(in[i] - greatest);
    float sum = tree(sums, call->block.x);
    for (uint32_t i = 0; i < n; i++) out[i] = qsm_exp(in[i] - greatest) / sum;
  }
}

static void layer_norm(const struct qsm_app_call *call) {
  const float *a = call->at[0], *b = call->at[1], *scales = call->at[3];
  float *out = call->at[2];
  uint32_t n = call->number[4], n_threads = call->block.x;
  for (uint32_t row = 0; row < call->grid.x; row++, a += n, b += n, out += n) {
    float sums[MOST_THREADS] = {0.0f}, squares[MOST_THREADS] = {0.0f};
    for (uint32_t i = 0; i < n; i++) sums[i % n_threads] += a[i] + b[i];
    float mean = tree(sums, n_threads) / (float)n;
    for (uint32_t i = 0; i < n; i++) {
      float off = a[i] + b[i] - mean;
      squares[i % n_threads] = fmaf(off, off, squares[i % n_threads]);
    }
    float variance = tree(squares, n_threads) / (float)n;
    for (uint32_t i = 0; i < n; i++)
      out[i] = network_normalise(a[i] + b[i], mean, variance, scales[i], scales[n + i]);
  }
}

const struct qsm_app_kernel qsm_network_softmax_kernel = {"softmax_rows", "rwn", softmax_rows},
                            qsm_network_layer_norm_kernel = {"layer_norm", "rrwrn", layer_norm};

// ---- Elements ----

static void batch_norm(const struct qsm_app_call *call) {
  const float *in = call->at[0], *scales = call->at[2];
  float *out = call->at[1];
  uint32_t n = call->grid.y, n_pixels = call->number[3];
  for (uint32_t channel = 0; channel < n; channel++)
    for (uint32_t i = 0; i < n_pixels; i++)
      *out++ = network_activate(
          network_normalise(*in++, scales[2 * n + channel], scales[3 * n + channel],
                            scales[channel], scales[n + channel]),
          call->number[4]);
}

static void add(const struct qsm_app_call *call) {
  const float *a = call->at[0], *b = call->at[1];
  float *out = call->at[2];
  for (uint32_t i = 0; i < call->number[3]; i++)
    out[i] = network_activate(a[i] + b[i], call->number[4]);
}

static void activation(const struct qsm_app_call *call) {
  const float *in = call->at[0];
  float *out = call->at[1];
  for (uint32_t i = 0; i < call->number[2]; i++) out[i] = network_activate(in[i], call->number[3]);
}

static void shuffle(const struct qsm_app_call *call) {
  const float *in = call->at[0];
  float *out = call->at[1];
  uint32_t n_pixels = call->number[2], n_groups = call->number[3], n_each = call->grid.y / n_groups;
  for (uint32_t group = 0; group < n_groups; group++)
    for (uint32_t channel = 0; channel < n_each; channel++)
      for (uint32_t i = 0; i < n_pixels; i++)
        out[(channel * n_groups + group) * n_pixels + i] = *in++;
}

static void embed(const struct qsm_app_call *call) {
  const uint32_t *tokens = call->at[0];
  const float *table = call->at[1], *positions = call->at[2];
  float *out = call->at[3];
  uint32_t n = call->number[4];
  for (uint32_t i = 0; i < call->grid.y * n; i++)
    out[i] = table[tokens[i / n] * n + i % n] + positions[i];
}

static void lstm_cell(const struct qsm_app_call *call) {
  const float *from_input = call->at[0], *from_last = call->at[1], *cell = call->at[2];
  float *next_cell = call->at[3], *next = call->at[4];
  uint32_t n = call->number[5];
  for (uint32_t i = 0; i < n; i++) {
    float gates[4];
    for (uint32_t gate = 0; gate < 4; gate++) {
      float x = from_input[gate * n + i] + from_last[gate * n + i];
      gates[gate] = gate == 2 ? network_tanh(x) : network_sigmoid(x);
    }
    next_cell[i] = fmaf(gates[1], cell[i], gates[0] * gates[2]);
    next[i] = gates[3] * network_tanh(next_cell[i]);
  }
}

const struct qsm_app_kernel qsm_network_batch_norm_kernel = {"batch_norm", "rwrnn", batch_norm},
                            qsm_network_add_kernel = {"add", "rrwnn", add},
                            qsm_network_activation_kernel = {"activation", "rwnn", activation},
                            qsm_network_shuffle_kernel = {"shuffle", "rwnn", shuffle},
                            qsm_network_embed_kernel = {"embed", "rrrwn", embed},
                            qsm_network_lstm_kernel = {"lstm_cell", "rrrwwn", lstm_cell};
