// SPDX-License-Identifier: Apache-2.0
#include "sched_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void sched_open(struct bench *bench, struct qsm_config config) {
  memset(bench, 0, sizeof *bench);
  bench->config = config;
  qsm_ctrl_reset(&bench->ctrl, &bench->config);
  bench->notes = notes_create();
  bench->ts = qsm_tb_sched_create(&bench->ctrl.regs, &bench->notes->bus);
  assert_non_null(bench->ts);
}

void sched_close(struct bench *bench) {
  qsm_tb_sched_destroy(bench->ts);
  notes_destroy(bench->notes);
}

void run_to(struct bench *bench, uint64_t to) {
  while ((bench->cycle = qsm_tb_sched_next(bench->ts, bench->cycle)) < to) {
    bench->ctrl.regs.irq |= qsm_tb_sched_step(bench->ts, bench->cycle, 0);
    bench->cycle++;
  }
  bench->cycle = to;
}
