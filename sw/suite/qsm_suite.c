// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_suite_util.h"

#define PROGRAM(program, class, text)                                                                             \
  {                                                                                                               \
    .name = #program, .about = (text), .elf = #program ".elf", .bound = (class), .create = qsm_##program##_create, \
    .begin = qsm_##program##_begin, .next = qsm_##program##_next, .check = qsm_##program##_check,                 \
    .destroy = qsm_##program##_destroy                                                                            \
  }

const struct qsm_suite_program qsm_suite[] = {
    PROGRAM(vadd, "memory", "vector addition"),
    PROGRAM(matmul, "compute", "matrix multiplication with tiles in shared memory"),
    PROGRAM(pathfinder, "compute", "cheapest way through a grid, dynamic programming in shared memory with halo"),
    PROGRAM(conv2d, "compute", "2D convolution of an image, 3x3 or 5x5, fixed point"),
    PROGRAM(histogram, "memory", "histogram with atomics in shared, then device memory"),
    PROGRAM(spmv, "memory", "sparse matrix (CSR) times vector, one thread per row"),
    PROGRAM(bfs, "memory", "breadth-first search, one launch per level"),
    PROGRAM(reduce, "memory", "sum of an array, block trees and a second launch"),
    PROGRAM(pc, "compute", "pure compute: long chains of ALU operations and multiplications"),
    PROGRAM(stencil, "memory", "3D 7-point stencil, fixed point, several time steps"),
    {.name = NULL},
};

const struct qsm_suite_program *qsm_suite_find(const char *name) {
  for (const struct qsm_suite_program *program = qsm_suite; program->name != NULL; program++) {
    if (strcmp(program->name, name) == 0) return program;
  }
  return NULL;
}
