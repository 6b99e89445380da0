// SPDX-License-Identifier: Apache-2.0
// One large product, then a chain of small steps, each of which needs the one before.
#include "qsm_network.h"

static const struct {
  uint32_t n_long, n_in, n_wide, n_classes;
} sizes[] = {{3, 8, 8, 3}, {32, 128, 256, 50}, {64, 256, 384, 100}};

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  struct qsm_network network = qsm_network_begin(plan, size);
  struct qsm_tensor x = qsm_network_input(&network, 1, sizes[size].n_long, sizes[size].n_in);
  x = qsm_network_lstm(&network, "lstm", x, sizes[size].n_wide);
  x = qsm_network_dense(&network, "dense", x, sizes[size].n_classes, NETWORK_LINEAR);
  return qsm_network_end(&network, x);
}

const struct qsm_app qsm_app_lstm = {
    .name = "lstm",
    .about = "a product for the whole text, then short steps in a chain",
    .program = "network",
    .source = "Hochreiter, Schmidhuber, \"Long short-term memory\", Neural Computation 9(8), 1997",
    .needs_fpu = true,
    .plan = plan,
};
