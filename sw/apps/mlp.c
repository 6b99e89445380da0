// SPDX-License-Identifier: Apache-2.0
// Products of matrices that become narrower: several inputs pass the same layers at once.
#include <stdio.h>

#include "qsm_network.h"

static const struct {
  uint32_t n_rows, n_in, n_wide, n_classes;
} sizes[] = {{5, 12, 16, 3}, {64, 256, 1024, 50}, {128, 512, 1024, 100}};

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  struct qsm_network network = qsm_network_begin(plan, size);
  char name[32];
  struct qsm_tensor x = qsm_network_input(&network, 1, sizes[size].n_rows, sizes[size].n_in);
  for (uint32_t i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "layer%u", i + 1);
    x = qsm_network_rows(&network, name, x, sizes[size].n_wide >> i, NETWORK_LINEAR);
    snprintf(name, sizeof name, "gelu%u", i + 1);
    x = qsm_network_activation(&network, name, x, NETWORK_GELU);
  }
  x = qsm_network_rows(&network, "classes", x, sizes[size].n_classes, NETWORK_LINEAR);
  return qsm_network_end(&network, x);
}

const struct qsm_app qsm_app_mlp = {
    .name = "mlp",
    .about = "a batch through five products, each narrower than the one before",
    .program = "network",
    .source =
        "Rumelhart, Hinton, Williams, \"Learning representations by back-propagating errors\", Nature 323, 1986",
    .needs_fpu = true,
    .plan = plan,
};
