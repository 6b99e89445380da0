// SPDX-License-Identifier: Apache-2.0
// Modules that squeeze the channels and expand them again, by two ways.
#include <stdio.h>

#include "qsm_network.h"

static const struct {
  uint32_t side, n, n_modules, n_classes;
} sizes[] = {{11, 8, 2, 5}, {83, 16, 8, 100}, {131, 24, 8, 200}};

static const char *part_of(char part[48], const char *name, const char *what) {
  snprintf(part, 48, "%s.%s", name, what);
  return part;
}

static struct qsm_tensor fire(struct qsm_network *network, const char *name, struct qsm_tensor x,
                              uint32_t n) {
  char part[48];
  struct qsm_tensor out = qsm_network_room(network, name, 8 * n, x.height, x.width),
                    one = qsm_tensor_part(out, 0, 4 * n),
                    three = qsm_tensor_part(out, 4 * n, 4 * n);
  x = qsm_network_pointwise(network, part_of(part, name, "squeeze"), x, n, 1, NETWORK_RELU, NULL);
  qsm_network_pointwise(network, part_of(part, name, "one"), x, 4 * n, 1, NETWORK_RELU, &one);
  qsm_network_conv(network, part_of(part, name, "three"), x, 4 * n, (struct qsm_window){3, 1, 1}, 1,
                   NETWORK_RELU, &three);
  return out;
}

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  struct qsm_network network = qsm_network_begin(plan, size);
  struct qsm_tensor x = qsm_network_input(&network, 3, sizes[size].side, sizes[size].side);
  const struct qsm_window pool = {3, 2, 0};
  uint32_t n = sizes[size].n;
  char name[32];
  x = qsm_network_conv(&network, "conv1", x, 2 * n, (struct qsm_window){3, 2, 0}, 1, NETWORK_RELU,
                       NULL);
  x = qsm_network_pool_max(&network, "pool1", x, pool);
  for (uint32_t i = 0; i < sizes[size].n_modules; i++) {
    snprintf(name, sizeof name, "fire%u", i + 2);
    x = fire(&network, name, x, n / 2 + n / 4 * (i / 2));
    if (i != 1 && i != 3) continue;
    if (x.width < 3) continue;
    snprintf(name, sizeof name, "pool%u", i + 2);
    x = qsm_network_pool_max(&network, name, x, pool);
  }
  x = qsm_network_pointwise(&network, "classes", x, sizes[size].n_classes, 1, NETWORK_LINEAR, NULL);
  x = qsm_network_pool_all(&network, "pool", x);
  return qsm_network_end(&network, x);
}

const struct qsm_app qsm_app_squeezenet = {
    .name = "squeezenet",
    .about = "squeeze and expand: small matrix products beside 3 x 3 windows",
    .program = "network",
    .source = "Iandola et al., \"SqueezeNet\", arXiv 1602.07360, 2016",
    .needs_fpu = true,
    .plan = plan,
};
