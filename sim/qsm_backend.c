// SPDX-License-Identifier: Apache-2.0
#include "qsm_backend.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qsm_backend_impl.h"

// Whole pages go back to the host, which gives zeros for them (they are private memory of the
// process): most of them were never touched.
void qsm_clear_memory(uint8_t *bytes, size_t n_bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (page - (uintptr_t)bytes % page) % page;
  if (before > n_bytes) before = n_bytes;
  size_t whole = (n_bytes - before) / page * page;
  if (whole && madvise(bytes + before, whole, MADV_DONTNEED) != 0) whole = 0;
  memset(bytes, 0, before);
  memset(bytes + before + whole, 0, n_bytes - before - whole);
}

int qsm_backend_open(const char *name, const struct qsm_config *config,
                     const struct qsm_backend_options *options, struct qsm_backend **out, char *msg,
                     size_t msg_len) {
  static const struct qsm_backend_options defaults;
  static const struct {
    const char *name;
    int (*open)(const struct qsm_config *, const struct qsm_backend_options *,
                struct qsm_backend **, char *, size_t);
  } backends[] = {{"model", qsm_backend_model_open},
                  {"rtl", qsm_backend_rtl_open},
                  {"lockstep", qsm_backend_lockstep_open}};
  // Names that go on behind a colon.
  static const struct {
    const char *start;
    int (*open)(const char *, const struct qsm_config *, const struct qsm_backend_options *,
                struct qsm_backend **, char *, size_t);
  } boards[] = {{"serial:", qsm_backend_serial_open},
                {"checked:serial:", qsm_backend_checked_open}};
  for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
    size_t length = strlen(boards[i].start);
    if (strncmp(name, boards[i].start, length) == 0)
      return boards[i].open(name + length, config, options ? options : &defaults, out, msg,
                            msg_len);
  }
  for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
    if (strcmp(name, backends[i].name) == 0)
      return backends[i].open(config, options ? options : &defaults, out, msg, msg_len);
  snprintf(msg, msg_len,
           "unknown backend '%s': model, rtl, lockstep, serial:DEVICE or checked:serial:DEVICE",
           name);
  return -1;
}

const char *const *qsm_backend_inject_blocks(void) {
  static const char *const blocks[] = {
      "fetch",      "issue",   "warp_state", "exec",         "tb_launch", "lsu",     "xbar",
      "barrier",    "fault",   "quota",      "tb_sched",     "tb_alloc",  "qos_mgr", "ctrl",
      "warp_sched", "preempt", "tb_save",    "idle_sampler", "tb_adjust", "l1",      "sa",
      "l2",         "dram",    "sm_owner",   "sm_mgr",       "energy",    "front",   NULL};
  return blocks;
}
