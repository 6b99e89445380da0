// SPDX-License-Identifier: Apache-2.0
// Host program of saxpy: opens a GPU, runs the kernel, checks every element.
//   saxpy PROGRAM.elf [model|rtl|lockstep [CONFIGURATION]]
#include <stdio.h>
#include <stdlib.h>

#include "qsm_runtime.h"

enum {
  N = 1000,
  BLOCK_THREADS = 16,
  FACTOR = 640 /* 2.5 */,
  FRACTION_BITS = 8,
  MAX_CYCLES = 1000000
};

static int32_t x[N], y[N], result[N];

static void generate(void) {
  for (int32_t i = 0; i < N; i++) {
    x[i] = 37 * i - 11000;
    y[i] = 5 * i;
  }
}

static int count_wrong(void) {
  int n_wrong = 0;
  for (int i = 0; i < N; i++) n_wrong += result[i] != y[i] + ((FACTOR * x[i]) >> FRACTION_BITS);
  return n_wrong;
}

// Each step runs when those before it succeeded.
static qsmError_t run(qsmContext_t context, const char *path) {
  uint32_t device_x = 0, device_y = 0;
  qsmError_t error = qsmModuleLoad(context, path);
  if (!error) error = qsmMalloc(context, sizeof x, &device_x);
  if (!error) error = qsmMalloc(context, sizeof y, &device_y);
  if (!error) error = qsmMemcpyHtoD(context, device_x, x, sizeof x);
  if (!error) error = qsmMemcpyHtoD(context, device_y, y, sizeof y);
  const uint32_t args[] = {FACTOR, device_x, device_y, N};
  const qsmDim3 grid = {(N + BLOCK_THREADS - 1) / BLOCK_THREADS, 1, 1},
                block = {BLOCK_THREADS, 1, 1};
  if (!error) error = qsmLaunchKernel(context, "saxpy", grid, block, args, 4, 0, NULL, NULL, NULL);
  if (!error) error = qsmContextSynchronize(context, MAX_CYCLES);
  if (!error) error = qsmMemcpyDtoH(context, result, device_y, sizeof result);
  return error;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    fprintf(stderr, "usage: %s PROGRAM.elf [model|rtl|lockstep [CONFIGURATION]]\n", argv[0]);
    return EXIT_FAILURE;
  }
  const char *backend = argc > 2 ? argv[2] : "model", *configuration = argc > 3 ? argv[3] : "demo";
  char msg[256];
  qsmDevice_t device = NULL;
  if (qsmDeviceOpen(backend, configuration, NULL, &device, msg, sizeof msg)) {
    fprintf(stderr, "saxpy: %s\n", msg);
    return EXIT_FAILURE;
  }
  generate();
  qsmContext_t context = NULL;
  qsmError_t error = qsmContextCreate(device, &context);
  if (!error) error = run(context, argv[1]);
  int n_wrong = error ? N : count_wrong();
  if (error)
    fprintf(stderr, "saxpy: %s: %s\n", qsmGetErrorString(error), qsmGetLastErrorText(device));
  else
    printf("saxpy on %s of %s: %d elements, %d wrong, %llu cycles\n", backend, configuration, N,
           n_wrong, (unsigned long long)qsmDeviceCycle(device));
  qsmDeviceClose(device);
  return n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
