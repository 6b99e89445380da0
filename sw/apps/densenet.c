// SPDX-License-Identifier: Apache-2.0
// Each layer reads what all layers before it have made.
#include <stdio.h>

#include "qsm_network.h"

static const struct {
  uint32_t side, n, growth, n_layers, n_classes;
} sizes[] = {{8, 4, 4, 2, 5}, {96, 16, 8, 4, 100}, {128, 24, 12, 6, 200}};

static const char *part_of(char part[48], const char *name, const char *what) {
  snprintf(part, 48, "%s.%s", name, what);
  return part;
}

// The block's room holds its input and what each layer adds; a layer reads the part that is there.
static struct qsm_tensor block(struct qsm_network *network, const char *name,
                               struct qsm_tensor room, uint32_t n_in, uint32_t growth,
                               uint32_t n_layers) {
  char layer[32], part[48];
  for (uint32_t i = 0; i < n_layers; i++) {
    struct qsm_tensor x = qsm_tensor_part(room, 0, n_in + i * growth),
                      into = qsm_tensor_part(room, n_in + i * growth, growth);
    snprintf(layer, sizeof layer, "%s.layer%u", name, i + 1);
    x = qsm_network_batch_norm(network, part_of(part, layer, "norm1"), x, NETWORK_RELU);
    x = qsm_network_pointwise(network, part_of(part, layer, "narrow"), x, 2 * growth, 1,
                              NETWORK_LINEAR, NULL);
    x = qsm_network_batch_norm(network, part_of(part, layer, "norm2"), x, NETWORK_RELU);
    qsm_network_conv(network, part_of(part, layer, "conv"), x, growth, (struct qsm_window){3, 1, 1},
                     1, NETWORK_LINEAR, &into);
  }
  return room;
}

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  struct qsm_network network = qsm_network_begin(plan, size);
  uint32_t n = sizes[size].n, growth = sizes[size].growth, n_layers = sizes[size].n_layers,
           n_room = n + n_layers * growth, side = sizes[size].side / 2;
  struct qsm_tensor x = qsm_network_input(&network, 3, 2 * side, 2 * side),
                    room = qsm_network_room(&network, "block1", n_room, side, side),
                    begin = qsm_tensor_part(room, 0, n);
  qsm_network_conv(&network, "conv1", x, n, (struct qsm_window){3, 2, 1}, 1, NETWORK_RELU, &begin);
  x = block(&network, "block1", room, n, growth, n_layers);
  char name[32];
  for (uint32_t i = 2; i <= (size == QSM_APP_T ? 2 : 3); i++) {
    side /= 2;
    snprintf(name, sizeof name, "between%u.narrow", i - 1);
    x = qsm_network_pointwise(&network, name, x, n, 1, NETWORK_RELU, NULL);
    snprintf(name, sizeof name, "block%u", i);
    room = qsm_network_room(&network, name, n_room, side, side);
    begin = qsm_tensor_part(room, 0, n);
    snprintf(name, sizeof name, "between%u.pool", i - 1);
    qsm_network_pool_average(&network, name, x, (struct qsm_window){2, 2, 0}, &begin);
    snprintf(name, sizeof name, "block%u", i);
    x = block(&network, name, room, n, growth, n_layers);
  }
  x = qsm_network_batch_norm(&network, "norm", x, NETWORK_RELU);
  x = qsm_network_pool_all(&network, "pool", x);
  x = qsm_network_dense(&network, "dense", x, sizes[size].n_classes, NETWORK_LINEAR);
  return qsm_network_end(&network, x);
}

const struct qsm_app qsm_app_densenet = {
    .name = "densenet",
    .about = "layers that read all before them: inputs grow, outputs stay narrow",
    .program = "network",
    .source =
        "Huang, Liu, van der Maaten, Weinberger, \"Densely connected convolutional networks\", CVPR 2017",
    .needs_fpu = true,
    .plan = plan,
};
