// SPDX-License-Identifier: Apache-2.0
// Modules of four ways side by side, whose outputs lie behind each other.
#include <stdio.h>

#include "qsm_network.h"

static const struct {
  uint32_t side, n, n_modules, n_classes;
} sizes[] = {{8, 8, 2, 5}, {96, 12, 6, 100}, {128, 16, 8, 200}};

static const char *part_of(char part[48], const char *name, const char *what) {
  snprintf(part, 48, "%s.%s", name, what);
  return part;
}

// n channels of each of: 1 x 1; 3 x 3 and 5 x 5 behind a 1 x 1 of half as many; 1 x 1 behind
// pooling.
static struct qsm_tensor module(struct qsm_network *network, const char *name, struct qsm_tensor x,
                                uint32_t n) {
  char part[48];
  struct qsm_tensor out = qsm_network_room(network, name, 4 * n, x.height, x.width), y,
                    into[] = {qsm_tensor_part(out, 0, n), qsm_tensor_part(out, n, n),
                              qsm_tensor_part(out, 2 * n, n), qsm_tensor_part(out, 3 * n, n)};
  qsm_network_pointwise(network, part_of(part, name, "one"), x, n, 1, NETWORK_RELU, &into[0]);
  y = qsm_network_pointwise(network, part_of(part, name, "three.narrow"), x, n / 2, 1, NETWORK_RELU,
                            NULL);
  qsm_network_conv(network, part_of(part, name, "three"), y, n, (struct qsm_window){3, 1, 1}, 1,
                   NETWORK_RELU, &into[1]);
  y = qsm_network_pointwise(network, part_of(part, name, "five.narrow"), x, n / 2, 1, NETWORK_RELU,
                            NULL);
  qsm_network_conv(network, part_of(part, name, "five"), y, n, (struct qsm_window){5, 1, 2}, 1,
                   NETWORK_RELU, &into[2]);
  y = qsm_network_pool_max(network, part_of(part, name, "pool"), x, (struct qsm_window){3, 1, 1});
  qsm_network_pointwise(network, part_of(part, name, "pool.one"), y, n, 1, NETWORK_RELU, &into[3]);
  return out;
}

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  struct qsm_network network = qsm_network_begin(plan, size);
  struct qsm_tensor x = qsm_network_input(&network, 3, sizes[size].side, sizes[size].side);
  uint32_t n = sizes[size].n;
  char name[32];
  x = qsm_network_conv(&network, "conv1", x, n, (struct qsm_window){7, 2, 3}, 1, NETWORK_RELU,
                       NULL);
  x = qsm_network_pointwise(&network, "conv2.narrow", x, n, 1, NETWORK_RELU, NULL);
  x = qsm_network_conv(&network, "conv2", x, 2 * n, (struct qsm_window){3, 1, 1}, 1, NETWORK_RELU,
                       NULL);
  for (uint32_t i = 0; i < sizes[size].n_modules; i++) {
    snprintf(name, sizeof name, "module%u", i + 1);
    x = module(&network, name, x, n + n / 2 * (i / 2));
    if (i % 2 == 0 || x.width < 4) continue;
    snprintf(name, sizeof name, "pool%u", i + 1);
    x = qsm_network_pool_max(&network, name, x, (struct qsm_window){3, 2, 1});
  }
  x = qsm_network_pool_all(&network, "pool", x);
  x = qsm_network_dense(&network, "dense", x, sizes[size].n_classes, NETWORK_LINEAR);
  return qsm_network_end(&network, x);
}

const struct qsm_app qsm_app_inception = {
    .name = "inception",
    .about = "modules of four ways with different windows",
    .program = "network",
    .source = "Szegedy et al., \"Going deeper with convolutions\", CVPR 2015",
    .needs_fpu = true,
    .plan = plan,
};
