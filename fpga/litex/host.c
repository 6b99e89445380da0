// SPDX-License-Identifier: Apache-2.0
// The SoC's program on a backend of libqsm, with nothing between GPU and memory but the
// configuration's mem_latency: host BACKEND CONFIGURATION. For comparison (docs/soc.md), and for
// its test without a SoC.
#include <stdio.h>
#include <stdlib.h>

#include "demo.h"
#include "qsm_backend.h"
#include "qsm_config_yaml.h"

enum { MOST_CYCLES = 5000000 };

static bool write_register(void *context, uint32_t address, uint32_t value) {
  struct qsm_backend *backend = context;
  return backend->write(backend, address, value) == QSM_BACKEND_OK;
}

static bool read_register(void *context, uint32_t address, uint32_t *value) {
  struct qsm_backend *backend = context;
  return backend->read(backend, address, value) == QSM_BACKEND_OK;
}

static void put(void *context, uint32_t address, const void *bytes, uint32_t n_bytes) {
  struct qsm_backend *backend = context;
  backend->mem_write(backend, address, bytes, n_bytes);
}

static void get(void *context, uint32_t address, void *bytes, uint32_t n_bytes) {
  struct qsm_backend *backend = context;
  backend->mem_read(backend, address, bytes, n_bytes);
}

static bool wait_for_interrupt(void *context) {
  struct qsm_backend *backend = context;
  uint64_t ran = 0;
  return backend->run(backend, MOST_CYCLES, true, &ran) == QSM_BACKEND_OK && ran < MOST_CYCLES;
}

static void print(const char *text) { fputs(text, stdout); }

int main(int argc, char **argv) {
  char msg[256];
  struct qsm_config config;
  struct qsm_backend *backend = NULL;
  if (argc != 3) {
    fprintf(stderr, "usage: %s BACKEND CONFIGURATION\n", argv[0]);
    return EXIT_FAILURE;
  }
  if (qsm_config_load(argv[2], &config, msg, sizeof msg) ||
      qsm_backend_open(argv[1], &config, NULL, &backend, msg, sizeof msg)) {
    fprintf(stderr, "%s: %s\n", argv[0], msg);
    return EXIT_FAILURE;
  }
  const struct qsm_bare_bus bus = {write_register, read_register, put, get, backend};
  const struct demo_platform platform = {&bus, config.mem_bytes, print, wait_for_interrupt};
  uint32_t n_failed = demo_run(&platform);
  if (*backend->error(backend)) fprintf(stderr, "%s: %s\n", argv[0], backend->error(backend));
  backend->close(backend);
  printf("%s\n", n_failed ? "FAIL" : "PASS");
  return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
