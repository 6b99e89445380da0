// SPDX-License-Identifier: Apache-2.0
#include "qsm_network.h"

#include <stdio.h>

enum { FILTERS = 4, NAME_BYTES = 48, MOST_THREADS = 256, SMALL_THREADS = 16, ENOUGH_BLOCKS = 48 };

static const struct qsm_app_content zeros = {.fill = NULL};

static struct qsm_app_content floats(float low, float high) {
  return (struct qsm_app_content){.fill = qsm_app_fill_floats, .low = low, .high = high};
}

// Of sums with so many terms (R-AP-5).
static struct qsm_app_content weights_of(uint32_t n_terms) {
  float most = sqrtf(6.0f / (float)n_terms);
  return floats(-most, most);
}

static const char *join_names(char joined[NAME_BYTES], const char *name, const char *part) {
  snprintf(joined, NAME_BYTES, "%s.%s", name, part);
  return joined;
}

static uint32_t add_weights(struct qsm_network *network, const char *name, const char *part,
                            uint32_t n, struct qsm_app_content content) {
  char joined[NAME_BYTES];
  return qsm_app_plan_buffer(network->plan, join_names(joined, name, part), QSM_APP_WEIGHTS,
                             4 * (size_t)n, content);
}

static uint32_t add_bias(struct qsm_network *network, const char *name, uint32_t n) {
  return add_weights(network, name, "bias", n, floats(-0.1f, 0.4f));
}

static uint32_t words_of(struct qsm_tensor tensor) {
  return tensor.n * tensor.height * tensor.width;
}

static qsm_app_argument at(struct qsm_tensor tensor) {
  return qsm_app_at(tensor.buffer, tensor.offset);
}

static uint32_t pack(uint32_t low, uint32_t high) { return high << 16 | low; }

static uint32_t pack_window(struct qsm_window window, enum network_activation activation) {
  return window.side | window.stride << 8 | window.pad << 16 | (uint32_t)activation << 24;
}

struct qsm_network qsm_network_begin(struct qsm_app_plan *plan, enum qsm_app_size size) {
  return (struct qsm_network){plan, size == QSM_APP_T};
}

int qsm_network_end(struct qsm_network *network, struct qsm_tensor last) {
  struct qsm_tensor shares = qsm_network_softmax(network, "softmax", last);
  qsm_app_plan_set_role(network->plan, last.buffer, QSM_APP_OUTPUT);
  qsm_app_plan_set_role(network->plan, shares.buffer, QSM_APP_OUTPUT);
  return qsm_app_plan_failed(network->plan) ? -1 : 0;
}

struct qsm_tensor qsm_network_input(struct qsm_network *network, uint32_t n, uint32_t height,
                                    uint32_t width) {
  uint32_t buffer = qsm_app_plan_buffer(network->plan, "input", QSM_APP_INPUT,
                                        4 * (size_t)n * height * width, floats(-1.0f, 1.0f));
  return (struct qsm_tensor){buffer, 0, n, height, width};
}

struct qsm_tensor qsm_network_room(struct qsm_network *network, const char *name, uint32_t n,
                                   uint32_t height, uint32_t width) {
  uint32_t buffer = qsm_app_plan_buffer(network->plan, name, QSM_APP_BETWEEN,
                                        4 * (size_t)n * height * width, zeros);
  return (struct qsm_tensor){buffer, 0, n, height, width};
}

struct qsm_tensor qsm_tensor_part(struct qsm_tensor tensor, uint32_t first, uint32_t n) {
  tensor.offset += 4 * first * tensor.height * tensor.width;
  tensor.n = n;
  return tensor;
}

static struct qsm_tensor room_or(struct qsm_network *network, const char *name, uint32_t n,
                                 uint32_t height, uint32_t width, const struct qsm_tensor *into) {
  return into ? *into : qsm_network_room(network, name, n, height, width);
}

// ---- Shapes of blocks ----

static qsmDim3 tiles(uint32_t width, uint32_t height, uint32_t n, qsmDim3 block) {
  return (qsmDim3){qsm_app_div_up(width, block.x), qsm_app_div_up(height, block.y),
                   qsm_app_div_up(n, block.z)};
}

// Tiles of images: the largest blocks of which there are enough to keep a GPU busy; `n` of them
// have the same place and other channels, where a block has one.
static qsmDim3 block_for(const struct qsm_network *network, uint32_t width, uint32_t height,
                         uint32_t n) {
  static const qsmDim3 blocks[] = {{16, 16, 1}, {8, 8, 1}, {4, 4, 2}};
  if (network->is_small) return (qsmDim3){4, 4, 1};
  uint32_t i = 0;
  for (; i + 1 < sizeof blocks / sizeof *blocks; i++) {
    qsmDim3 grid = tiles(width, height, n, blocks[i]);
    bool fits = width > blocks[i].x / 2 && height > blocks[i].y / 2;
    if (fits && grid.x * grid.y * grid.z >= ENOUGH_BLOCKS) break;
  }
  return blocks[i];
}

static uint32_t threads_for(const struct qsm_network *network, uint32_t n) {
  uint32_t threads = network->is_small ? SMALL_THREADS : MOST_THREADS;
  while (threads > 32 && threads / 2 >= n) threads /= 2;
  return threads;
}

static void add_line(struct qsm_network *network, const char *name,
                     const struct qsm_app_kernel *kernel, uint32_t n, uint32_t n_y,
                     const qsm_app_argument *args) {
  qsmDim3 block = {threads_for(network, n), 1, 1};
  qsm_app_plan_step(network->plan, name, kernel, (qsmDim3){qsm_app_div_up(n, block.x), n_y, 1},
                    block, 0, args);
}

// A block per row, with a word of shared memory per thread.
static void add_rows(struct qsm_network *network, const char *name,
                     const struct qsm_app_kernel *kernel, uint32_t n_rows, uint32_t n_columns,
                     const qsm_app_argument *args) {
  qsmDim3 block = {threads_for(network, n_columns), 1, 1};
  qsm_app_plan_step(network->plan, name, kernel, (qsmDim3){n_rows, 1, 1}, block, 4 * block.x, args);
}

// ---- Images ----

static uint32_t tile_words(qsmDim3 block, struct qsm_window window) {
  return ((block.x - 1) * window.stride + window.side) *
         ((block.y - 1) * window.stride + window.side);
}

struct qsm_tensor qsm_network_conv(struct qsm_network *network, const char *name,
                                   struct qsm_tensor in, uint32_t n_out, struct qsm_window window,
                                   uint32_t n_groups, enum network_activation activation,
                                   const struct qsm_tensor *into) {
  uint32_t packed = pack_window(window, activation), n_deep = in.n / n_groups,
           n_window = window.side * window.side, width = network_places(in.width, packed),
           height = network_places(in.height, packed);
  qsmDim3 block = block_for(network, width, height, qsm_app_div_up(n_out, FILTERS));
  // A block's channels are in one group.
  while (n_groups > 1 && n_out / n_groups % (block.z * FILTERS)) block.z /= 2;
  uint32_t n_planes = network->is_small ? 2 : 4, n_channels = block.z * FILTERS;
  if (n_planes > n_deep) n_planes = n_deep;
  uint32_t weights = add_weights(network, name, "weights", n_out * n_deep * n_window,
                                 weights_of(n_deep * n_window)),
           bias = add_bias(network, name, n_out);
  struct qsm_tensor out = room_or(network, name, n_out, height, width, into);
  const qsm_app_argument args[] = {at(in),
                                   at(out),
                                   weights,
                                   bias,
                                   pack(in.width, in.height),
                                   pack(in.n, n_out),
                                   packed,
                                   pack(n_groups, n_planes)};
  qsm_app_plan_step(network->plan, name, &qsm_network_conv_kernel,
                    tiles(width, height, n_out, (qsmDim3){block.x, block.y, n_channels}), block,
                    4 * n_planes * (tile_words(block, window) + n_channels * n_window), args);
  return out;
}

struct qsm_tensor qsm_network_depthwise(struct qsm_network *network, const char *name,
                                        struct qsm_tensor in, struct qsm_window window,
                                        enum network_activation activation) {
  uint32_t packed = pack_window(window, activation), n_window = window.side * window.side,
           width = network_places(in.width, packed), height = network_places(in.height, packed);
  qsmDim3 block = block_for(network, width, height, in.n);
  uint32_t weights = add_weights(network, name, "weights", in.n * n_window, weights_of(n_window)),
           bias = add_bias(network, name, in.n);
  struct qsm_tensor out = qsm_network_room(network, name, in.n, height, width);
  const qsm_app_argument args[] = {at(in), at(out), weights, bias, pack(in.width, in.height),
                                   in.n,   packed};
  qsm_app_plan_step(network->plan, name, &qsm_network_depthwise_kernel,
                    tiles(width, height, in.n, block), block,
                    4 * block.z * tile_words(block, window), args);
  return out;
}

static void add_gemm(struct qsm_network *network, const char *name, qsm_app_argument a,
                     qsm_app_argument b, qsm_app_argument c, uint32_t bias, uint32_t n_rows,
                     uint32_t n_inner, uint32_t n_columns, uint32_t n_matrices, uint32_t how) {
  // Small products have smaller tiles, so that there are more blocks.
  uint32_t n = network->is_small ? 4 : n_rows * n_columns * n_matrices < 32 * 1024 ? 8 : 16;
  const qsm_app_argument args[] = {a, b, c, bias, n_rows, n_inner, n_columns, how};
  qsm_app_plan_step(
      network->plan, name, &qsm_network_gemm_kernel,
      (qsmDim3){qsm_app_div_up(n_columns, 2 * n), qsm_app_div_up(n_rows, 2 * n), n_matrices},
      (qsmDim3){n, n, 1}, 32 * n * n, args);
}

struct qsm_tensor qsm_network_pointwise(struct qsm_network *network, const char *name,
                                        struct qsm_tensor in, uint32_t n_out, uint32_t n_groups,
                                        enum network_activation activation,
                                        const struct qsm_tensor *into) {
  uint32_t n_deep = in.n / n_groups,
           weights = add_weights(network, name, "weights", n_out * n_deep, weights_of(n_deep)),
           bias = add_bias(network, name, n_out);
  struct qsm_tensor out = room_or(network, name, n_out, in.height, in.width, into);
  add_gemm(network, name, weights, at(in), at(out), bias, n_out / n_groups, n_deep,
           in.height * in.width, n_groups, pack(activation, 0));
  return out;
}

// Scales, what is added, means and variances of `n` channels.
static void fill_scales(struct qsm_app_random *random, void *host, size_t bytes,
                        const struct qsm_app_content *content) {
  float *values = host;
  (void)content;
  for (size_t i = 0, n = bytes / 16; i < 4 * n; i++)
    values[i] = i < n || i >= 3 * n ? qsm_app_random_float(random, 0.5f, 1.5f)
                                    : qsm_app_random_float(random, -0.2f, 0.2f);
}

struct qsm_tensor qsm_network_batch_norm(struct qsm_network *network, const char *name,
                                         struct qsm_tensor in, enum network_activation activation) {
  uint32_t scales =
      add_weights(network, name, "scales", 4 * in.n, (struct qsm_app_content){.fill = fill_scales});
  struct qsm_tensor out = qsm_network_room(network, name, in.n, in.height, in.width);
  const qsm_app_argument args[] = {at(in), at(out), scales, in.height * in.width, activation};
  add_line(network, name, &qsm_network_batch_norm_kernel, in.height * in.width, in.n, args);
  return out;
}

struct qsm_tensor qsm_network_add(struct qsm_network *network, const char *name,
                                  struct qsm_tensor a, struct qsm_tensor b,
                                  enum network_activation activation) {
  struct qsm_tensor out = qsm_network_room(network, name, a.n, a.height, a.width);
  const qsm_app_argument args[] = {at(a), at(b), at(out), words_of(a), activation};
  add_line(network, name, &qsm_network_add_kernel, words_of(a), 1, args);
  return out;
}

struct qsm_tensor qsm_network_activation(struct qsm_network *network, const char *name,
                                         struct qsm_tensor in, enum network_activation activation) {
  struct qsm_tensor out = qsm_network_room(network, name, in.n, in.height, in.width);
  const qsm_app_argument args[] = {at(in), at(out), words_of(in), activation};
  add_line(network, name, &qsm_network_activation_kernel, words_of(in), 1, args);
  return out;
}

static struct qsm_tensor pool(struct qsm_network *network, const char *name,
                              const struct qsm_app_kernel *kernel, struct qsm_tensor in,
                              struct qsm_window window, const struct qsm_tensor *into) {
  uint32_t packed = pack_window(window, NETWORK_LINEAR), width = network_places(in.width, packed),
           height = network_places(in.height, packed);
  qsmDim3 block = block_for(network, width, height, in.n);
  struct qsm_tensor out = room_or(network, name, in.n, height, width, into);
  const qsm_app_argument args[] = {at(in), at(out), pack(in.width, in.height), in.n, packed};
  qsm_app_plan_step(network->plan, name, kernel, tiles(width, height, in.n, block), block, 0, args);
  return out;
}

struct qsm_tensor qsm_network_pool_max(struct qsm_network *network, const char *name,
                                       struct qsm_tensor in, struct qsm_window window) {
  return pool(network, name, &qsm_network_pool_max_kernel, in, window, NULL);
}

struct qsm_tensor qsm_network_pool_average(struct qsm_network *network, const char *name,
                                           struct qsm_tensor in, struct qsm_window window,
                                           const struct qsm_tensor *into) {
  return pool(network, name, &qsm_network_pool_average_kernel, in, window, into);
}

struct qsm_tensor qsm_network_pool_all(struct qsm_network *network, const char *name,
                                       struct qsm_tensor in) {
  struct qsm_tensor out = qsm_network_room(network, name, in.n, 1, 1);
  const qsm_app_argument args[] = {at(in), at(out), in.height * in.width};
  add_rows(network, name, &qsm_network_pool_all_kernel, in.n, in.height * in.width, args);
  return out;
}

struct qsm_tensor qsm_network_shuffle(struct qsm_network *network, const char *name,
                                      struct qsm_tensor in, uint32_t n_groups) {
  struct qsm_tensor out = qsm_network_room(network, name, in.n, in.height, in.width);
  const qsm_app_argument args[] = {at(in), at(out), in.height * in.width, n_groups};
  add_line(network, name, &qsm_network_shuffle_kernel, in.height * in.width, in.n, args);
  return out;
}

// ---- Vectors and matrices ----

static void add_dense(struct qsm_network *network, const char *name, qsm_app_argument in,
                      qsm_app_argument out, uint32_t weights, uint32_t bias, uint32_t n_in,
                      uint32_t n_out, enum network_activation activation) {
  qsmDim3 block = network->is_small ? (qsmDim3){8, 2, 1} : (qsmDim3){64, 4, 1};
  const qsm_app_argument args[] = {in, out, weights, bias, n_in, n_out, activation};
  qsm_app_plan_step(network->plan, name, &qsm_network_dense_kernel,
                    (qsmDim3){qsm_app_div_up(n_out, block.y), 1, 1}, block, 4 * block.x * block.y,
                    args);
}

struct qsm_tensor qsm_network_dense(struct qsm_network *network, const char *name,
                                    struct qsm_tensor in, uint32_t n_out,
                                    enum network_activation activation) {
  uint32_t n_in = words_of(in),
           weights = add_weights(network, name, "weights", n_out * n_in, weights_of(n_in)),
           bias = add_bias(network, name, n_out);
  struct qsm_tensor out = qsm_network_room(network, name, n_out, 1, 1);
  add_dense(network, name, at(in), at(out), weights, bias, n_in, n_out, activation);
  return out;
}

struct qsm_tensor qsm_network_rows(struct qsm_network *network, const char *name,
                                   struct qsm_tensor in, uint32_t n_out,
                                   enum network_activation activation) {
  uint32_t weights = add_weights(network, name, "weights", in.width * n_out, weights_of(in.width)),
           bias = add_bias(network, name, n_out);
  struct qsm_tensor out = qsm_network_room(network, name, 1, in.height, n_out);
  add_gemm(network, name, at(in), weights, at(out), bias, in.height, in.width, n_out, 1,
           pack(activation, 1));
  return out;
}

struct qsm_tensor qsm_network_softmax(struct qsm_network *network, const char *name,
                                      struct qsm_tensor in) {
  bool is_vector = in.height == 1 && in.width == 1;
  uint32_t n_columns = is_vector ? in.n : in.width, n_rows = words_of(in) / n_columns;
  struct qsm_tensor out = qsm_network_room(network, name, in.n, in.height, in.width);
  const qsm_app_argument args[] = {at(in), at(out), n_columns};
  add_rows(network, name, &qsm_network_softmax_kernel, n_rows, n_columns, args);
  return out;
}

struct qsm_tensor qsm_network_layer_norm(struct qsm_network *network, const char *name,
                                         struct qsm_tensor a, struct qsm_tensor b) {
  uint32_t scales = add_weights(network, name, "scales", 2 * a.width, floats(0.5f, 1.5f));
  struct qsm_tensor out = qsm_network_room(network, name, 1, a.height, a.width);
  const qsm_app_argument args[] = {at(a), at(b), at(out), scales, a.width};
  add_rows(network, name, &qsm_network_layer_norm_kernel, a.height, a.width, args);
  return out;
}

struct qsm_tensor qsm_network_embed(struct qsm_network *network, const char *name, uint32_t n_long,
                                    uint32_t n_tokens, uint32_t n_wide) {
  uint32_t tokens = qsm_app_plan_buffer(
               network->plan, "tokens", QSM_APP_INPUT, 4 * (size_t)n_long,
               (struct qsm_app_content){.fill = qsm_app_fill_words, .number = {0, n_tokens - 1}}),
           table = add_weights(network, name, "table", n_tokens * n_wide, floats(-1.0f, 1.0f)),
           positions =
               add_weights(network, name, "positions", n_long * n_wide, floats(-1.0f, 1.0f));
  struct qsm_tensor out = qsm_network_room(network, name, 1, n_long, n_wide);
  const qsm_app_argument args[] = {tokens, table, positions, at(out), n_wide};
  add_line(network, name, &qsm_network_embed_kernel, n_wide, n_long, args);
  return out;
}

struct qsm_tensor qsm_network_attention(struct qsm_network *network, const char *name,
                                        struct qsm_tensor in, uint32_t n_heads) {
  char part[NAME_BYTES];
  uint32_t n_long = in.height, n_wide = in.width, n = network->is_small ? 4 : 16;
  struct qsm_tensor qkv = qsm_network_rows(network, join_names(part, name, "qkv"), in, 3 * n_wide,
                                           NETWORK_LINEAR),
                    scores = qsm_network_room(network, join_names(part, name, "scores"), n_heads,
                                              n_long, n_long);
  const qsm_app_argument first[] = {at(qkv), at(scores), n_long, n_wide, n_heads};
  const qsmDim3 block = {n, n, 1};
  qsm_app_plan_step(network->plan, part, &qsm_network_scores_kernel,
                    (qsmDim3){qsm_app_div_up(n_long, n), qsm_app_div_up(n_long, n), n_heads}, block,
                    8 * n * n, first);
  struct qsm_tensor shares =
                        qsm_network_softmax(network, join_names(part, name, "softmax"), scores),
                    out = qsm_network_room(network, join_names(part, name, "values"), 1, n_long,
                                           n_wide);
  const qsm_app_argument second[] = {at(shares), at(qkv), at(out), n_long, n_wide, n_heads};
  qsm_app_plan_step(
      network->plan, part, &qsm_network_values_kernel,
      (qsmDim3){qsm_app_div_up(n_wide / n_heads, n), qsm_app_div_up(n_long, n), n_heads}, block,
      8 * n * n, second);
  return out;
}

struct qsm_tensor qsm_network_lstm(struct qsm_network *network, const char *name,
                                   struct qsm_tensor in, uint32_t n_wide) {
  char part[NAME_BYTES];
  struct qsm_tensor gates =
      qsm_network_rows(network, join_names(part, name, "input"), in, 4 * n_wide, NETWORK_LINEAR);
  uint32_t weights =
               add_weights(network, name, "weights", 4 * n_wide * n_wide, weights_of(2 * n_wide)),
           bias = add_bias(network, name, 4 * n_wide),
           state = add_weights(network, name, "zeros", n_wide, zeros), cell = state;
  for (uint32_t row = 0; row < in.height; row++) {
    struct qsm_tensor last = qsm_network_room(network, join_names(part, name, "last"), 4 * n_wide,
                                              1, 1),
                      next_cell =
                          qsm_network_room(network, join_names(part, name, "cell"), n_wide, 1, 1),
                      next =
                          qsm_network_room(network, join_names(part, name, "state"), n_wide, 1, 1);
    snprintf(part, sizeof part, "%s.%u.gates", name, row);
    add_dense(network, part, state, at(last), weights, bias, n_wide, 4 * n_wide, NETWORK_LINEAR);
    const qsm_app_argument args[] = {qsm_app_at(gates.buffer, 16 * row * n_wide),
                                     at(last),
                                     cell,
                                     at(next_cell),
                                     at(next),
                                     n_wide};
    snprintf(part, sizeof part, "%s.%u.cell", name, row);
    add_line(network, part, &qsm_network_lstm_kernel, n_wide, 1, args);
    cell = next_cell.buffer;
    state = next.buffer;
  }
  return (struct qsm_tensor){state, 0, n_wide, 1, 1};
}
