// SPDX-License-Identifier: Apache-2.0
// Residual blocks whose middle convolution is in groups.
#include <stdio.h>

#include "qsm_network.h"

static const struct {
  uint32_t side, n, n_stages, n_blocks, n_classes;
} sizes[] = {{12, 4, 2, 1, 5}, {112, 24, 3, 2, 100}, {128, 48, 3, 3, 200}};

static const char *part_of(char part[48], const char *name, const char *what) {
  snprintf(part, 48, "%s.%s", name, what);
  return part;
}

enum { WIDTH = 4 };  // channels of a group

static struct qsm_tensor block(struct qsm_network *network, const char *name, struct qsm_tensor x,
                               uint32_t n, uint32_t stride) {
  char part[48];
  struct qsm_tensor past = x, y;
  y = qsm_network_pointwise(network, part_of(part, name, "narrow"), x, n / 2, 1, NETWORK_LINEAR,
                            NULL);
  y = qsm_network_batch_norm(network, part_of(part, name, "norm1"), y, NETWORK_RELU);
  y = qsm_network_conv(network, part_of(part, name, "groups"), y, n / 2,
                       (struct qsm_window){3, stride, 1}, n / 2 / WIDTH, NETWORK_LINEAR, NULL);
  y = qsm_network_batch_norm(network, part_of(part, name, "norm2"), y, NETWORK_RELU);
  y = qsm_network_pointwise(network, part_of(part, name, "widen"), y, n, 1, NETWORK_LINEAR, NULL);
  y = qsm_network_batch_norm(network, part_of(part, name, "norm3"), y, NETWORK_LINEAR);
  if (stride > 1 || x.n != n) {
    past = qsm_network_conv(network, part_of(part, name, "past"), x, n,
                            (struct qsm_window){1, stride, 0}, 1, NETWORK_LINEAR, NULL);
    past = qsm_network_batch_norm(network, part_of(part, name, "past.norm"), past, NETWORK_LINEAR);
  }
  return qsm_network_add(network, part_of(part, name, "add"), y, past, NETWORK_RELU);
}

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  struct qsm_network network = qsm_network_begin(plan, size);
  struct qsm_tensor x = qsm_network_input(&network, 3, sizes[size].side, sizes[size].side);
  char name[32];
  x = qsm_network_conv(&network, "conv1", x, sizes[size].n, (struct qsm_window){5, 2, 2}, 1,
                       NETWORK_LINEAR, NULL);
  x = qsm_network_batch_norm(&network, "norm1", x, NETWORK_RELU);
  x = qsm_network_pool_max(&network, "pool1", x, (struct qsm_window){3, 2, 1});
  for (uint32_t stage = 0; stage < sizes[size].n_stages; stage++) {
    for (uint32_t i = 0; i < sizes[size].n_blocks; i++) {
      snprintf(name, sizeof name, "stage%u.block%u", stage + 1, i + 1);
      x = block(&network, name, x, sizes[size].n << stage << 1, stage > 0 && i == 0 ? 2 : 1);
    }
  }
  x = qsm_network_pool_all(&network, "pool", x);
  x = qsm_network_dense(&network, "dense", x, sizes[size].n_classes, NETWORK_LINEAR);
  return qsm_network_end(&network, x);
}

const struct qsm_app qsm_app_resnext = {
    .name = "resnext",
    .about = "residual blocks, narrow convolutions in groups between pointwise ones",
    .program = "network",
    .source =
        "Xie, Girshick, Dollar, Tu, He, \"Aggregated residual transformations for deep neural networks\", CVPR 2017",
    .needs_fpu = true,
    .plan = plan,
};
