// SPDX-License-Identifier: Apache-2.0
// Two encoder layers over a text, and a class from its first token.
#include <stdio.h>

#include "qsm_network.h"

static const struct {
  uint32_t n_long, n_tokens, n_wide, n_heads, n_classes;
} sizes[] = {{6, 20, 8, 2, 3}, {96, 1000, 128, 4, 20}, {192, 2000, 256, 8, 20}};

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  struct qsm_network network = qsm_network_begin(plan, size);
  char name[32];
  struct qsm_tensor x = qsm_network_embed(&network, "embed", sizes[size].n_long,
                                          sizes[size].n_tokens, sizes[size].n_wide);
  for (uint32_t layer = 1; layer <= 2; layer++) {
    snprintf(name, sizeof name, "layer%u.attention", layer);
    struct qsm_tensor y = qsm_network_attention(&network, name, x, sizes[size].n_heads);
    snprintf(name, sizeof name, "layer%u.heads", layer);
    y = qsm_network_rows(&network, name, y, sizes[size].n_wide, NETWORK_LINEAR);
    snprintf(name, sizeof name, "layer%u.norm1", layer);
    x = qsm_network_layer_norm(&network, name, x, y);
    snprintf(name, sizeof name, "layer%u.wide", layer);
    y = qsm_network_rows(&network, name, x, 4 * sizes[size].n_wide, NETWORK_LINEAR);
    snprintf(name, sizeof name, "layer%u.gelu", layer);
    y = qsm_network_activation(&network, name, y, NETWORK_GELU);
    snprintf(name, sizeof name, "layer%u.narrow", layer);
    y = qsm_network_rows(&network, name, y, sizes[size].n_wide, NETWORK_LINEAR);
    snprintf(name, sizeof name, "layer%u.norm2", layer);
    x = qsm_network_layer_norm(&network, name, x, y);
  }
  // The first row alone.
  struct qsm_tensor first = {x.buffer, x.offset, sizes[size].n_wide, 1, 1};
  first = qsm_network_dense(&network, "classes", first, sizes[size].n_classes, NETWORK_LINEAR);
  return qsm_network_end(&network, first);
}

const struct qsm_app qsm_app_transformer = {
    .name = "transformer",
    .about = "two encoder layers: wide products, attention by heads, row by row norms",
    .program = "network",
    .source = "Vaswani et al., \"Attention is all you need\", NIPS 2017",
    .needs_fpu = true,
    .plan = plan,
};
