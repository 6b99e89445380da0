// SPDX-License-Identifier: Apache-2.0
// Thread-block slots of an SM.
#include "qsm_tb_launch.h"

#include <string.h>

#include "qsm_sm_blocks.h"

void qsm_tb_launch_update_presence(struct qsm_sm *sm, uint64_t from) {
  struct qsm_tb_launch *l = &sm->launch;
  uint32_t before = l->runnable;
  l->present = 0;
  l->runnable = 0;
  for (uint32_t slots = l->valid; slots; slots &= slots - 1) {
    uint32_t s = qsm_ctz(slots), bit = 1u << l->tb[s].kernel;
    bool frozen = qsm_tb_save_holds(&sm->save, s);
    if (!frozen || sm->save.op == QSM_TB_RESTORE) l->present |= bit;
    if (!frozen) l->runnable |= bit;
  }
  if (l->runnable != before) qsm_quota_runnable_changed(sm, from);
}

bool qsm_tb_launch_is_queued(const struct qsm_tb_launch *l, uint32_t tb) {
  for (uint32_t n = 0; n < l->count; n++) {
    if (l->queue[(l->head + n) % QSM_MAX_TBS] == tb) return true;
  }
  return false;
}

void qsm_tb_launch_set_index(struct qsm_tb_launch *l, uint32_t tb, const uint32_t *block,
                             uint32_t linear) {
  memcpy(l->tb[tb].block, block, sizeof l->tb[tb].block);
  l->tb[tb].linear = linear;
}

void qsm_tb_launch_arrive(struct qsm_sm *sm, const struct qsm_sm_msg *msg, uint64_t c) {
  struct qsm_tb_launch *l = &sm->launch;
  const struct qsm_desc *desc = qsm_desc_of(sm, msg->kernel);
  l->valid |= 1u << msg->tb;
  l->tb[msg->tb] = (struct qsm_tb_slot){
      .kernel = msg->kernel,
      .first = msg->first,
      .base = msg->base,
      .ticket = msg->ticket,
      .block = {msg->block[0], msg->block[1], msg->block[2]},
      .linear = msg->linear,
  };
  qsm_barrier_begin(&sm->barrier, msg->tb, desc->warps);
  qsm_wipe_note_block(&sm->wipe, msg->tb, desc->shared_bytes == 0);
  l->queue[(l->head + l->count++) % QSM_MAX_TBS] = msg->tb;
  if (msg->op == QSM_TB_RESTORE) qsm_tb_save_begin(sm, msg);
  qsm_tb_launch_update_presence(sm, c + 1);
  QSM_EMIT(sm, c, QSM_EV_ARRIVE, 0, msg->tb, msg->kernel, msg->linear, msg->first, msg->base,
           msg->op, msg->image, msg->ticket);
}

// ---- Launch ----

struct qsm_launch qsm_tb_launch_decide(const struct qsm_sm *sm) {
  const struct qsm_tb_launch *l = &sm->launch;
  if (l->count == 0) return (struct qsm_launch){0};
  uint32_t sub = (l->tb[l->queue[l->head]].first + l->warp) % sm->n_subs;
  // The TB scheduler keeps one free; only an injected fault can fill the sub-core.
  uint32_t warp = qsm_ctz(~sm->sub[sub]->states.resident);
  return (struct qsm_launch){warp < sm->n_warps, sub, warp};
}

static uint32_t lanes_below(uint32_t n_threads, uint32_t n_lanes) {
  return n_threads >= n_lanes ? (uint32_t)((1ull << n_lanes) - 1) : (1u << n_threads) - 1;
}

// Lanes of the block's warp i that start with a thread.
static uint32_t live_lanes(const struct qsm_sm *sm, uint32_t kernel, uint32_t i) {
  if (sm->faults.killed >> kernel & 1) return 0;
  uint32_t threads = qsm_desc_of(sm, kernel)->threads, before = i * sm->n_lanes;
  return lanes_below(threads > before ? threads - before : 0, sm->n_lanes);
}

void qsm_tb_launch_warp(struct qsm_sm *sm, const struct qsm_launch *launch, uint64_t c) {
  struct qsm_tb_launch *l = &sm->launch;
  uint32_t s = l->queue[l->head], kernel = l->tb[s].kernel;
  const struct qsm_warp_start start = {
      .warp = launch->warp,
      .kernel = kernel,
      .tb = s,
      .widx = l->warp,
      .live = live_lanes(sm, kernel, l->warp),
      .from_entry = !qsm_tb_save_restores(&sm->save, s) || sm->save.fresh,  // R-PE-13
  };
  qsm_warp_start(sm->sub[launch->sub], &start, c);
  l->warp++;
  if (l->warp < qsm_desc_of(sm, kernel)->warps) return;
  l->warp = 0;
  l->head = (l->head + 1) % QSM_MAX_TBS;
  l->count--;
}

// ---- Retirement ----

void qsm_tb_launch_retire(struct qsm_sm *sm, uint32_t s, uint64_t c) {
  struct qsm_tb_launch *l = &sm->launch;
  bool saved = l->tb[s].saved;
  l->valid &= ~(1u << s);
  if (qsm_tb_save_holds(&sm->save, s)) qsm_tb_save_stop(sm, c + 1);
  qsm_tb_launch_update_presence(sm, c + 1);
  qsm_sm_send_retire(sm, s, saved, c);
  QSM_EMIT(sm, c, QSM_EV_RETIRE, 0, s, saved);
}

// ---- State and flips ----

bool qsm_tb_launch_word(const struct qsm_sm *sm, uint32_t s, uint32_t word, uint32_t *value) {
  const struct qsm_tb_slot *tb = &sm->launch.tb[s];
  uint32_t valid = sm->launch.valid >> s & 1;
  uint32_t words[] = {valid,
                      tb->kernel,
                      sm->barrier.left[s],
                      sm->barrier.arrived[s],
                      tb->ticket,
                      tb->saved,
                      tb->block[0] | tb->block[1] << 16,
                      tb->block[2],
                      tb->linear,
                      sm->wipe.clean >> s & 1};
  if (!valid) memset(words + 4, 0, sizeof words - 4 * sizeof *words);
  return qsm_give_word(word, words, sizeof words / sizeof *words, value);
}

// The warp that a waiting block starts next.
bool qsm_tb_launch_flip(struct qsm_flip *flip, struct qsm_sm *sm) {
  struct qsm_tb_launch *l = &sm->launch;
  if (!l->count) return false;
  qsm_flip_bit(flip, &l->warp, 0, "next warp of slot", l->queue[l->head]);
  return true;
}
