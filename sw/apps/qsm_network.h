// SPDX-License-Identifier: Apache-2.0
// Networks, layer by layer: each call adds the layer's weights, its output and its steps to a plan.
// What the layers compute: docs/applications.md; kernels: sw/kernels/network/.
#ifndef QSM_NETWORK_H
#define QSM_NETWORK_H

#include "../kernels/network/network.h"
#include "qsm_app_plan.h"

struct qsm_network {
  struct qsm_app_plan *plan;
  bool is_small;  // size T: blocks of 16 threads
};

// A place in memory for n planes of height x width floats, maybe behind others of the same buffer.
struct qsm_tensor {
  uint32_t buffer, offset;  // in bytes
  uint32_t n, height, width;
};

struct qsm_network qsm_network_begin(struct qsm_app_plan *plan, enum qsm_app_size size);
// Adds the softmax of the last layer; both are outputs, as the softmax of values far apart tells
// little of them. 0, or -1: no memory.
int qsm_network_end(struct qsm_network *network, struct qsm_tensor last);

struct qsm_tensor qsm_network_input(struct qsm_network *network, uint32_t n, uint32_t height,
                                    uint32_t width);
// Room for a layer's output, which layers write in parts (qsm_tensor_part()).
struct qsm_tensor qsm_network_room(struct qsm_network *network, const char *name, uint32_t n,
                                   uint32_t height, uint32_t width);
// Planes first .. first + n - 1.
struct qsm_tensor qsm_tensor_part(struct qsm_tensor tensor, uint32_t first, uint32_t n);

struct qsm_window {
  uint32_t side, stride, pad;
};

// Windows over all channels of their group. With `into` not NULL the output is put there.
struct qsm_tensor qsm_network_conv(struct qsm_network *network, const char *name,
                                   struct qsm_tensor in, uint32_t n_out, struct qsm_window window,
                                   uint32_t n_groups, enum network_activation activation,
                                   const struct qsm_tensor *into);
struct qsm_tensor qsm_network_depthwise(struct qsm_network *network, const char *name,
                                        struct qsm_tensor in, struct qsm_window window,
                                        enum network_activation activation);
struct qsm_tensor qsm_network_pointwise(struct qsm_network *network, const char *name,
                                        struct qsm_tensor in, uint32_t n_out, uint32_t n_groups,
                                        enum network_activation activation,
                                        const struct qsm_tensor *into);
struct qsm_tensor qsm_network_batch_norm(struct qsm_network *network, const char *name,
                                         struct qsm_tensor in, enum network_activation activation);
struct qsm_tensor qsm_network_add(struct qsm_network *network, const char *name,
                                  struct qsm_tensor a, struct qsm_tensor b,
                                  enum network_activation activation);
struct qsm_tensor qsm_network_activation(struct qsm_network *network, const char *name,
                                         struct qsm_tensor in, enum network_activation activation);
struct qsm_tensor qsm_network_pool_max(struct qsm_network *network, const char *name,
                                       struct qsm_tensor in, struct qsm_window window);
struct qsm_tensor qsm_network_pool_average(struct qsm_network *network, const char *name,
                                           struct qsm_tensor in, struct qsm_window window,
                                           const struct qsm_tensor *into);
// The mean of each plane.
struct qsm_tensor qsm_network_pool_all(struct qsm_network *network, const char *name,
                                       struct qsm_tensor in);
struct qsm_tensor qsm_network_shuffle(struct qsm_network *network, const char *name,
                                      struct qsm_tensor in, uint32_t n_groups);

// All of the input is one vector; so is the output (n planes of one).
struct qsm_tensor qsm_network_dense(struct qsm_network *network, const char *name,
                                    struct qsm_tensor in, uint32_t n_out,
                                    enum network_activation activation);
// Matrices: one plane. The same layer for each row; n_out columns.
struct qsm_tensor qsm_network_rows(struct qsm_network *network, const char *name,
                                   struct qsm_tensor in, uint32_t n_out,
                                   enum network_activation activation);
// A vector counts as one row.
struct qsm_tensor qsm_network_softmax(struct qsm_network *network, const char *name,
                                      struct qsm_tensor in);
struct qsm_tensor qsm_network_layer_norm(struct qsm_network *network, const char *name,
                                         struct qsm_tensor a, struct qsm_tensor b);
// Tokens of a text, as rows.
struct qsm_tensor qsm_network_embed(struct qsm_network *network, const char *name, uint32_t n_long,
                                    uint32_t n_tokens, uint32_t n_wide);
// Self attention, softmax included; without what follows the heads.
struct qsm_tensor qsm_network_attention(struct qsm_network *network, const char *name,
                                        struct qsm_tensor in, uint32_t n_heads);
// A long short-term memory over the rows; the last output.
struct qsm_tensor qsm_network_lstm(struct qsm_network *network, const char *name,
                                   struct qsm_tensor in, uint32_t n_wide);

// What each kernel does, on the host (qsm_network_ref.c).
extern const struct qsm_app_kernel qsm_network_conv_kernel, qsm_network_depthwise_kernel,
    qsm_network_gemm_kernel, qsm_network_dense_kernel, qsm_network_scores_kernel,
    qsm_network_values_kernel, qsm_network_pool_max_kernel, qsm_network_pool_average_kernel,
    qsm_network_pool_all_kernel, qsm_network_softmax_kernel, qsm_network_layer_norm_kernel,
    qsm_network_batch_norm_kernel, qsm_network_add_kernel, qsm_network_activation_kernel,
    qsm_network_shuffle_kernel, qsm_network_embed_kernel, qsm_network_lstm_kernel;

#endif
