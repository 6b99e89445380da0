// SPDX-License-Identifier: Apache-2.0
// A window for each channel, then a product that mixes channels, in turn.
#include <stdio.h>

#include "qsm_network.h"

static const struct {
  uint32_t side, n, n_pairs, n_classes;
} sizes[] = {{8, 4, 3, 5}, {96, 16, 10, 100}, {128, 32, 13, 200}};

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  // Of each pair: stride, and how many times the first layer's channels come out.
  static const struct {
    uint32_t stride, times;
  } pairs[] = {{1, 2},  {2, 4},  {1, 4},  {2, 8},  {1, 8},  {2, 16}, {1, 16},
               {1, 16}, {1, 16}, {1, 16}, {1, 16}, {2, 32}, {1, 32}};
  struct qsm_network network = qsm_network_begin(plan, size);
  struct qsm_tensor x = qsm_network_input(&network, 3, sizes[size].side, sizes[size].side);
  char name[32];
  x = qsm_network_conv(&network, "conv1", x, sizes[size].n, (struct qsm_window){3, 2, 1}, 1,
                       NETWORK_RELU6, NULL);
  for (uint32_t i = 0; i < sizes[size].n_pairs; i++) {
    snprintf(name, sizeof name, "pair%u.depthwise", i + 1);
    x = qsm_network_depthwise(&network, name, x, (struct qsm_window){3, pairs[i].stride, 1},
                              NETWORK_RELU6);
    snprintf(name, sizeof name, "pair%u.pointwise", i + 1);
    x = qsm_network_pointwise(&network, name, x, sizes[size].n * pairs[i].times, 1, NETWORK_RELU6,
                              NULL);
  }
  x = qsm_network_pool_all(&network, "pool", x);
  x = qsm_network_dense(&network, "dense", x, sizes[size].n_classes, NETWORK_LINEAR);
  return qsm_network_end(&network, x);
}

const struct qsm_app qsm_app_mobilenet = {
    .name = "mobilenet",
    .about = "depthwise windows that wait for memory, pointwise products that compute",
    .program = "network",
    .source = "Howard et al., \"MobileNets\", arXiv 1704.04861, 2017",
    .needs_fpu = true,
    .plan = plan,
};
