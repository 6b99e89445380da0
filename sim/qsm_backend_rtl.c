// SPDX-License-Identifier: Apache-2.0
// Backend: the Verilated RTL.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qsm_backend_impl.h"
#include "qsm_config_yaml.h"

struct rtl_backend {
  struct qsm_backend base;
  const struct qsm_rtl_api *api;
  struct qsm_rtl *rtl;
  uint64_t cycle;
  char error[512];
};

int qsm_rtl_load(const struct qsm_config *config, const struct qsm_backend_options *options,
                 const struct qsm_rtl_api **api, char *msg, size_t msg_len) {
  char path[1024];
  const char *folder = options->netlist ? "netlist" : options->wave_path ? "rtl-trace" : "rtl";
  snprintf(path, sizeof path, "%s/build/%s/%s.so", qsm_source_root(), folder, config->name);
  if (access(path, R_OK)) {
    snprintf(msg, msg_len, "the %s of configuration %s is not built: make %s CONFIG=%s (%s)",
             options->netlist ? "netlist" : "RTL", config->name, folder, config->name, path);
    return -1;
  }
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  *api = library ? dlsym(library, QSM_RTL_API_SYMBOL) : NULL;
  if (!*api) {
    snprintf(msg, msg_len, "cannot load %s: %s", path, dlerror());
    return -1;
  }
  if (strcmp((*api)->interface, QSM_RTL_INTERFACE) == 0) return 0;
  snprintf(msg, msg_len, "%s was built from another version: make %s CONFIG=%s", path, folder,
           config->name);
  dlclose(library);
  return -1;
}

static void rtl_close(struct qsm_backend *base) {
  struct rtl_backend *backend = (struct rtl_backend *)base;
  backend->api->destroy(backend->rtl);
  free(backend);
}

static uint64_t rtl_cycle(struct qsm_backend *base) { return ((struct rtl_backend *)base)->cycle; }

static enum qsm_backend_status check_assertions(struct rtl_backend *backend) {
  const char *first = NULL;
  if (!backend->api->assertions_failed(backend->rtl, &first)) return QSM_BACKEND_OK;
  snprintf(backend->error, sizeof backend->error,
           "the RTL failed an assertion before cycle %llu: %s", (unsigned long long)backend->cycle,
           first);
  return QSM_BACKEND_FAILED;
}

// One access: it is chosen in a cycle, done in the next, and answered at the end of that one
// (R-CP-12).
static enum qsm_backend_status access_port(struct rtl_backend *backend,
                                           const struct qsm_rtl_control *control, uint32_t *value) {
  struct qsm_rtl_answer answer;
  backend->api->cycle(backend->rtl, control, NULL);
  backend->api->cycle(backend->rtl, NULL, &answer);
  backend->cycle += 2;
  if (value) *value = answer.rdata;
  enum qsm_backend_status status = check_assertions(backend);
  if (!status && !answer.done) {
    snprintf(backend->error, sizeof backend->error,
             "the RTL's control port has no answer before cycle %llu",
             (unsigned long long)backend->cycle);
    return QSM_BACKEND_FAILED;
  }
  return status ? status : answer.err ? QSM_BACKEND_REFUSED : QSM_BACKEND_OK;
}

static enum qsm_backend_status rtl_write(struct qsm_backend *base, uint32_t addr, uint32_t value) {
  return access_port(
      (struct rtl_backend *)base,
      &(struct qsm_rtl_control){.valid = true, .write = true, .addr = addr, .wdata = value}, NULL);
}

static enum qsm_backend_status rtl_read(struct qsm_backend *base, uint32_t addr, uint32_t *value) {
  return access_port((struct rtl_backend *)base,
                     &(struct qsm_rtl_control){.valid = true, .addr = addr}, value);
}

static enum qsm_backend_status rtl_run(struct qsm_backend *base, uint64_t n, bool stop_on_irq,
                                       uint64_t *ran) {
  struct rtl_backend *backend = (struct rtl_backend *)base;
  uint64_t done = 0;
  while (done < n && !(stop_on_irq && backend->api->irq(backend->rtl))) {
    backend->api->cycle(backend->rtl, NULL, NULL);
    backend->cycle++;
    done++;
  }
  *ran = done;
  return check_assertions(backend);
}

static uint8_t *rtl_byte(struct qsm_backend *base, uint32_t addr) {
  struct rtl_backend *backend = (struct rtl_backend *)base;
  return backend->api->memory(backend->rtl) + (addr - QSM_DEVICE_MEMORY_BASE);
}

static void rtl_mem_write(struct qsm_backend *base, uint32_t addr, const void *src, size_t bytes) {
  memcpy(rtl_byte(base, addr), src, bytes);
}
static void rtl_mem_read(struct qsm_backend *base, uint32_t addr, void *dst, size_t bytes) {
  memcpy(dst, rtl_byte(base, addr), bytes);
}
static void rtl_mem_clear(struct qsm_backend *base, uint32_t addr, size_t bytes) {
  qsm_clear_memory(rtl_byte(base, addr), bytes);
}
static const char *rtl_error(struct qsm_backend *base) {
  return ((struct rtl_backend *)base)->error;
}

int qsm_backend_rtl_open(const struct qsm_config *config, const struct qsm_backend_options *options,
                         struct qsm_backend **out, char *msg, size_t msg_len) {
  struct rtl_backend *backend = calloc(1, sizeof *backend);
  if (!backend) {
    snprintf(msg, msg_len, "out of memory");
    return -1;
  }
  if (qsm_rtl_load(config, options, &backend->api, msg, msg_len) ||
      !(backend->rtl = backend->api->create(config, options->seed, options->wave_path,
                                            options->wave_from, options->wave_to, msg, msg_len))) {
    free(backend);
    return -1;
  }
  backend->api->set_sink(backend->rtl, options->sink, options->sink_ctx);
  backend->base = (struct qsm_backend){.name = "rtl",
                                       .close = rtl_close,
                                       .cycle = rtl_cycle,
                                       .write = rtl_write,
                                       .read = rtl_read,
                                       .run = rtl_run,
                                       .mem_write = rtl_mem_write,
                                       .mem_read = rtl_mem_read,
                                       .mem_clear = rtl_mem_clear,
                                       .error = rtl_error};
  *out = &backend->base;
  return 0;
}
