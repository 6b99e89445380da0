// SPDX-License-Identifier: Apache-2.0
// Five stages of small windows, each with half the side and more channels than the one before.
#include <stdio.h>

#include "qsm_network.h"

static const struct {
  uint32_t side, n, n_dense, n_classes;
} sizes[] = {{8, 4, 16, 5}, {96, 8, 256, 100}, {128, 12, 384, 200}};

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  static const uint32_t n_convs[] = {2, 2, 3, 3, 3}, times[] = {1, 2, 4, 8, 8};
  struct qsm_network network = qsm_network_begin(plan, size);
  struct qsm_tensor x = qsm_network_input(&network, 3, sizes[size].side, sizes[size].side);
  char name[32];
  // The small image has room for three stages.
  for (uint32_t stage = 0; stage < (size == QSM_APP_T ? 3 : 5); stage++) {
    for (uint32_t i = 0; i < n_convs[stage]; i++) {
      snprintf(name, sizeof name, "stage%u.conv%u", stage + 1, i + 1);
      x = qsm_network_conv(&network, name, x, sizes[size].n * times[stage],
                           (struct qsm_window){3, 1, 1}, 1, NETWORK_RELU, NULL);
    }
    snprintf(name, sizeof name, "stage%u.pool", stage + 1);
    x = qsm_network_pool_max(&network, name, x, (struct qsm_window){2, 2, 0});
  }
  x = qsm_network_dense(&network, "dense1", x, sizes[size].n_dense, NETWORK_RELU);
  x = qsm_network_dense(&network, "dense2", x, sizes[size].n_dense, NETWORK_RELU);
  x = qsm_network_dense(&network, "dense3", x, sizes[size].n_classes, NETWORK_LINEAR);
  return qsm_network_end(&network, x);
}

const struct qsm_app qsm_app_vgg = {
    .name = "vgg",
    .about = "five stages of 3 x 3 windows, images shrink, channels grow",
    .program = "network",
    .source =
        "Simonyan, Zisserman, \"Very deep convolutional networks for large-scale image recognition\", ICLR 2015",
    .needs_fpu = true,
    .plan = plan,
};
