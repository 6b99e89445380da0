// SPDX-License-Identifier: Apache-2.0
// A few large windows, then layers that read each weight once.
#include "qsm_network.h"

// Side of the image, channels of the first layer, width of the dense layers, classes.
static const struct {
  uint32_t side, n, n_dense, n_classes;
} sizes[] = {{19, 4, 16, 5}, {67, 24, 384, 100}, {99, 32, 512, 200}};

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  struct qsm_network network = qsm_network_begin(plan, size);
  uint32_t n = sizes[size].n, n_dense = sizes[size].n_dense;
  const struct qsm_window eleven = {7, 2, 2}, five = {5, 1, 2}, three = {3, 1, 1}, pool = {3, 2, 0};
  struct qsm_tensor x = qsm_network_input(&network, 3, sizes[size].side, sizes[size].side);
  x = qsm_network_conv(&network, "conv1", x, n, eleven, 1, NETWORK_RELU, NULL);
  x = qsm_network_pool_max(&network, "pool1", x, pool);
  x = qsm_network_conv(&network, "conv2", x, 2 * n, five, 1, NETWORK_RELU, NULL);
  x = qsm_network_pool_max(&network, "pool2", x, pool);
  x = qsm_network_conv(&network, "conv3", x, 3 * n, three, 1, NETWORK_RELU, NULL);
  x = qsm_network_conv(&network, "conv4", x, 3 * n, three, 1, NETWORK_RELU, NULL);
  x = qsm_network_conv(&network, "conv5", x, 2 * n, three, 1, NETWORK_RELU, NULL);
  if (x.width >= 3) x = qsm_network_pool_max(&network, "pool5", x, pool);
  x = qsm_network_dense(&network, "dense6", x, n_dense, NETWORK_RELU);
  x = qsm_network_dense(&network, "dense7", x, n_dense, NETWORK_RELU);
  x = qsm_network_dense(&network, "dense8", x, sizes[size].n_classes, NETWORK_LINEAR);
  return qsm_network_end(&network, x);
}

const struct qsm_app qsm_app_alexnet = {
    .name = "alexnet",
    .about = "large windows, then dense layers that wait for memory",
    .program = "network",
    .source =
        "Krizhevsky, Sutskever, Hinton, \"ImageNet classification with deep convolutional neural networks\", NIPS 2012",
    .needs_fpu = true,
    .plan = plan,
};
