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

void sched_add_tenant(struct bench *bench, uint32_t k, const struct tenant *tenant) {
  enum { AREA = 0x80010000, AREA_LIMIT = 0x80040000 };
  struct qsm_regs *regs = &bench->ctrl.regs;
  struct qsm_desc *desc = &regs->shared.desc[k];
  run_to(bench, bench->cycle + 1);
  regs->valid_mask |= 1u << k;
  regs->shared.qos_mask |= (uint32_t)tenant->qos << k;
  regs->shared.save_base[k] = AREA;
  regs->save_limit[k] = AREA_LIMIT;
  desc->win[1] = (struct qsm_window){.base = AREA, .limit = AREA_LIMIT, .r = true, .w = true};
  desc->grid[0] = tenant->grid;
  desc->warps = tenant->warps;
  desc->granules = tenant->granules;
  bench->ratio[k] = tenant->qos ? SCHED_BEHIND : 0;
  qsm_tb_sched_arrive(bench->ts, k);
  qsm_tb_sched_request_targets(bench->ts);
}

uint32_t sched_place_of(const struct bench *bench, uint32_t k, uint32_t sm, uint32_t n) {
  const struct qsm_event *event;
  for (uint32_t e = 0; (event = notes_event(bench->notes, QSM_EV_DISPATCH, e)); e++) {
    if (event->word[2] == k && event->word[0] == sm && n-- == 0) return event->word[1];
  }
  fail_msg("slot %u has not so many blocks on SM %u", k, sm);
  return 0;
}
