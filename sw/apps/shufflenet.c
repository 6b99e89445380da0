// SPDX-License-Identifier: Apache-2.0
// Pointwise products in groups, whose channels are shuffled between them.
#include <stdio.h>

#include "qsm_network.h"

enum { GROUPS = 2 };

static const struct {
  uint32_t side, n, n_stages, n_units, n_classes;
} sizes[] = {{16, 16, 1, 2, 5}, {96, 96, 3, 3, 100}, {160, 160, 3, 4, 200}};

static const char *part_of(char part[48], const char *name, const char *what) {
  snprintf(part, 48, "%s.%s", name, what);
  return part;
}

// n channels come out. With stride 2 the input is pooled and lies behind the unit's own.
static struct qsm_tensor unit(struct qsm_network *network, const char *name, struct qsm_tensor x,
                              uint32_t n, uint32_t stride) {
  char part[48];
  uint32_t n_own = stride == 2 ? n - x.n : n;
  struct qsm_tensor y;
  y = qsm_network_pointwise(network, part_of(part, name, "narrow"), x, n / 4, GROUPS, NETWORK_RELU,
                            NULL);
  y = qsm_network_shuffle(network, part_of(part, name, "shuffle"), y, GROUPS);
  y = qsm_network_depthwise(network, part_of(part, name, "depthwise"), y,
                            (struct qsm_window){3, stride, 1}, NETWORK_LINEAR);
  if (stride == 1) {
    y = qsm_network_pointwise(network, part_of(part, name, "widen"), y, n_own, GROUPS,
                              NETWORK_LINEAR, NULL);
    return qsm_network_add(network, part_of(part, name, "add"), x, y, NETWORK_RELU);
  }
  struct qsm_tensor out = qsm_network_room(network, name, n, y.height, y.width),
                    first = qsm_tensor_part(out, 0, x.n), rest = qsm_tensor_part(out, x.n, n_own);
  qsm_network_pool_average(network, part_of(part, name, "pool"), x, (struct qsm_window){2, 2, 0},
                           &first);
  qsm_network_pointwise(network, part_of(part, name, "widen"), y, n_own, GROUPS, NETWORK_RELU,
                        &rest);
  return out;
}

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  struct qsm_network network = qsm_network_begin(plan, size);
  struct qsm_tensor x = qsm_network_input(&network, 3, sizes[size].side, sizes[size].side);
  char name[32];
  x = qsm_network_conv(&network, "conv1", x, sizes[size].n / 2, (struct qsm_window){3, 2, 1}, 1,
                       NETWORK_RELU, NULL);
  if (size != QSM_APP_T)
    x = qsm_network_pool_max(&network, "pool1", x, (struct qsm_window){3, 2, 1});
  for (uint32_t stage = 0; stage < sizes[size].n_stages; stage++) {
    for (uint32_t i = 0; i < sizes[size].n_units; i++) {
      snprintf(name, sizeof name, "stage%u.unit%u", stage + 2, i + 1);
      x = unit(&network, name, x, sizes[size].n << stage, i == 0 ? 2 : 1);
    }
  }
  x = qsm_network_pool_all(&network, "pool", x);
  x = qsm_network_dense(&network, "dense", x, sizes[size].n_classes, NETWORK_LINEAR);
  return qsm_network_end(&network, x);
}

const struct qsm_app qsm_app_shufflenet = {
    .name = "shufflenet",
    .about = "many short kernels: products in groups, shuffles, depthwise windows",
    .program = "network",
    .source = "Zhang, Zhou, Lin, Sun, \"ShuffleNet\", CVPR 2018",
    .needs_fpu = true,
    .plan = plan,
};
