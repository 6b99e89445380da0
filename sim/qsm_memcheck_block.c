// SPDX-License-Identifier: Apache-2.0
#include "qsm_memcheck_block.h"

#include <stdlib.h>
#include <string.h>

// An access to a byte since the last barrier.
struct visit {
  uint32_t pc;
  uint16_t tid;
  uint8_t kind;   // enum qsm_access_kind
  uint8_t value;  // of a store
  bool done;
};

// A byte of shared memory. A store races with what another thread does, but for a store of the same
// value; an AMO with stores only. Two visits by different threads are enough of the stores, and of
// the rest: one of them is another's, and a third store has raced or has their value.
struct cell {
  uint32_t epoch;  // of the visits
  bool initialised;
  struct visit store[2], other[2];
};

enum thread_state { RUNS, WAITS, HAS_EXITED };

struct thread {
  uint32_t pc;  // of the barrier at which it waits
  uint8_t state;
};

struct qsm_mc_block {
  uint32_t n_threads, stack_words;
  uint32_t epoch;  // barriers so far
  struct cell *cells;
  uint8_t *stacks;  // bit per byte of a word
  struct thread *threads;
};

struct qsm_mc_block *qsm_mc_block_create(uint32_t n_threads, uint32_t shared_bytes,
                                         uint32_t stack_bytes) {
  struct qsm_mc_block *block = calloc(1, sizeof *block);
  if (!block) return NULL;
  *block = (struct qsm_mc_block){.n_threads = n_threads, .stack_words = stack_bytes / 4};
  block->cells = calloc(shared_bytes + 1, sizeof *block->cells);
  block->stacks = calloc((size_t)n_threads * block->stack_words, 1);
  block->threads = calloc(n_threads, sizeof *block->threads);
  if (block->cells && block->stacks && block->threads) return block;
  qsm_mc_block_destroy(block);
  return NULL;
}

void qsm_mc_block_destroy(struct qsm_mc_block *block) {
  if (!block) return;
  free(block->cells);
  free(block->stacks);
  free(block->threads);
  free(block);
}

// ---- Shared memory ----

static void report_race(struct qsm_mc_verdict *verdict, const struct visit *other) {
  verdict->races = true;
  verdict->other_kind = (enum qsm_access_kind)other->kind;
  verdict->other_tid = other->tid;
  verdict->other_pc = other->pc;
}

static bool races(const struct visit *before, const struct visit *now) {
  if (!before->done || before->tid == now->tid) return false;
  bool stores = before->kind == QSM_ACCESS_STORE && now->kind == QSM_ACCESS_STORE;
  return !stores || before->value != now->value;
}

static void visit_cell(struct cell *cell, const struct visit *visit,
                       struct qsm_mc_verdict *verdict) {
  struct visit *own = visit->kind == QSM_ACCESS_STORE ? cell->store : cell->other;
  for (int i = 0; i < 2; i++) {
    if (races(&cell->store[i], visit)) report_race(verdict, &cell->store[i]);
    if (own == cell->store && races(&cell->other[i], visit)) report_race(verdict, &cell->other[i]);
  }
  own[own[0].done && own[0].tid != visit->tid] = *visit;
}

struct qsm_mc_verdict qsm_mc_block_shared(struct qsm_mc_block *block, uint32_t offset,
                                          const struct qsm_mc_touch *touch) {
  struct qsm_mc_verdict verdict = {0};
  for (uint32_t i = 0; i < touch->bytes; i++) {
    struct cell *cell = &block->cells[offset + i];
    if (cell->epoch != block->epoch)
      *cell = (struct cell){.epoch = block->epoch, .initialised = cell->initialised};
    if (touch->kind != QSM_ACCESS_STORE && !cell->initialised) verdict.uninitialised = true;
    if (touch->kind != QSM_ACCESS_LOAD) cell->initialised = true;
    const struct visit visit = {.pc = touch->pc,
                                .tid = (uint16_t)touch->tid,
                                .kind = (uint8_t)touch->kind,
                                .value = (uint8_t)(touch->value >> 8 * i),
                                .done = true};
    visit_cell(cell, &visit, &verdict);
  }
  return verdict;
}

// ---- Stacks ----

bool qsm_mc_block_stack(struct qsm_mc_block *block, uint32_t offset,
                        const struct qsm_mc_touch *touch) {
  uint8_t *word = &block->stacks[(size_t)touch->tid * block->stack_words + offset / 4];
  uint8_t bytes = (uint8_t)(((1u << touch->bytes) - 1) << offset % 4);
  bool uninitialised = touch->kind != QSM_ACCESS_STORE && (*word & bytes) != bytes;
  if (touch->kind != QSM_ACCESS_LOAD) *word |= bytes;
  return uninitialised;
}

// ---- Barriers ----

void qsm_mc_block_wait(struct qsm_mc_block *block, uint32_t tid, uint32_t pc) {
  block->threads[tid] = (struct thread){.pc = pc, .state = WAITS};
}

void qsm_mc_block_exit(struct qsm_mc_block *block, uint32_t tid) {
  block->threads[tid].state = HAS_EXITED;
}

static void count_exited(struct qsm_mc_barrier *barrier, uint32_t tid) {
  if (barrier->n_exited++ == 0) barrier->exited_tid = tid;
}

static void count_waiting(struct qsm_mc_barrier *barrier, uint32_t tid, uint32_t pc) {
  barrier->n_waiting++;
  for (uint32_t i = 0; i < barrier->n_places; i++)
    if (barrier->place[i].pc == pc) return;
  if (barrier->n_places == QSM_MC_MOST_PLACES) return;
  barrier->place[barrier->n_places].tid = tid;
  barrier->place[barrier->n_places++].pc = pc;
}

struct qsm_mc_barrier qsm_mc_block_release(struct qsm_mc_block *block) {
  struct qsm_mc_barrier barrier = {0};
  for (uint32_t tid = 0; tid < block->n_threads; tid++) {
    const struct thread *thread = &block->threads[tid];
    if (thread->state == HAS_EXITED) count_exited(&barrier, tid);
    if (thread->state == WAITS) count_waiting(&barrier, tid, thread->pc);
  }
  block->epoch++;
  return barrier;
}
