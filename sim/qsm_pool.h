// SPDX-License-Identifier: Apache-2.0
// Worker processes: each does one piece of work and hands back bytes. One that crashes takes
// nothing else with it.
#ifndef QSM_POOL_H
#define QSM_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct qsm_pool;

// Runs in the worker; writes its result and returns the exit code.
typedef int (*qsm_pool_work)(const void *ctx, FILE *result);

enum qsm_pool_event { QSM_POOL_ENDED, QSM_POOL_TICK, QSM_POOL_CLOSING, QSM_POOL_INTERRUPTED };

// How a worker ended.
struct qsm_pool_end {
  size_t tag;
  int exit_code;  // when signal is 0
  int signal;     // that killed it
  void *result;   // what it wrote; the caller frees it
  size_t result_bytes;
  char last_words[256];  // last line that it wrote to stderr, or empty
  double cpu_s;
};

// Processors that this process may use; at least 1.
uint32_t qsm_pool_n_cores(void);
// Up to n_workers at a time. SIGINT, SIGTERM and SIGUSR1 are kept for qsm_pool_wait from here to
// qsm_pool_destroy. NULL when out of memory.
struct qsm_pool *qsm_pool_create(uint32_t n_workers);
// Kills the workers that still run; NULL is fine.
void qsm_pool_destroy(struct qsm_pool *pool);

uint32_t qsm_pool_n_free(const struct qsm_pool *pool);
uint32_t qsm_pool_n_busy(const struct qsm_pool *pool);
// Starts a worker; there must be a free one. 0, or -1 with errno.
int qsm_pool_start(struct qsm_pool *pool, size_t tag, qsm_pool_work work, const void *ctx);
// Waits until a worker ends, a second has passed, the user wants to stop (SIGINT, SIGTERM), or
// nothing more shall begin (CLOSING: SIGUSR1); *end is filled only for QSM_POOL_ENDED.
enum qsm_pool_event qsm_pool_wait(struct qsm_pool *pool, struct qsm_pool_end *end);

#endif
