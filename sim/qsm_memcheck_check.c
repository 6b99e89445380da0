// SPDX-License-Identifier: Apache-2.0
#include "qsm_memcheck_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "qsm_memcheck_block.h"
#include "qsm_memcheck_memory.h"

enum {
  MAX_TBS = 32,    // of an SM
  MAX_SUBS = 4,    // likewise
  MAX_WARPS = 16,  // of a sub-core
  INSN_BAR = 0x0000000B,
  INSN_EXIT = 0x0000100B,
};
#define SHARED_WINDOW 0x10000000u
#define LOCAL_VIEW 0xC0000000u

struct live_block {
  struct qsm_mc_block *state;  // NULL: none
  uint32_t linear;
};

struct live_warp {
  uint8_t tb, widx;
};

struct sm {
  struct live_block blocks[MAX_TBS];
  struct live_warp warps[MAX_SUBS][MAX_WARPS];
};

struct qsm_mc_check {
  uint32_t n_lanes, n_sms;
  bool exited, failed;
  struct qsm_observer observer;
  struct qsm_mc_memory *memory;
  struct qsm_mc_findings *findings;
  uint32_t program_at;
  struct qsm_observed_launch
      launch;  // of the blocks that live: launches of a tenant follow each other
  struct sm *sms;
};

// ---- What the host does ----

static void memory_created(void *ctx, uint32_t base, uint32_t limit) {
  struct qsm_mc_check *check = ctx;
  check->memory = qsm_mc_memory_create(base, limit);
  if (!check->memory) check->failed = true;
}

static void program_loaded(void *ctx, uint32_t address) {
  ((struct qsm_mc_check *)ctx)->program_at = address;
}

static void memory_allocated(void *ctx, uint32_t address, size_t bytes) {
  struct qsm_mc_check *check = ctx;
  if (check->memory && qsm_mc_memory_allocate(check->memory, address, bytes)) check->failed = true;
}

static void memory_freed(void *ctx, uint32_t address) {
  struct qsm_mc_check *check = ctx;
  if (check->memory) qsm_mc_memory_free(check->memory, address);
}

static void memory_written(void *ctx, uint32_t address, size_t bytes) {
  struct qsm_mc_check *check = ctx;
  if (check->memory) qsm_mc_memory_write(check->memory, address, bytes);
}

static void memory_spoiled(void *ctx, uint32_t address, size_t bytes) {
  struct qsm_mc_check *check = ctx;
  if (check->memory) qsm_mc_memory_spoil(check->memory, address, bytes);
}

static void kernel_launched(void *ctx, const struct qsm_observed_launch *launch) {
  ((struct qsm_mc_check *)ctx)->launch = *launch;
}

struct qsm_mc_check *qsm_mc_check_create(const struct qsm_config *config, bool exited) {
  struct qsm_mc_check *check = calloc(1, sizeof *check);
  if (!check) return NULL;
  *check = (struct qsm_mc_check){
      .n_lanes = config->warp_size, .n_sms = config->num_sms, .exited = exited};
  check->observer = (struct qsm_observer){.ctx = check,
                                          .created = memory_created,
                                          .loaded = program_loaded,
                                          .allocated = memory_allocated,
                                          .freed = memory_freed,
                                          .written = memory_written,
                                          .spoiled = memory_spoiled,
                                          .launched = kernel_launched};
  check->findings = qsm_mc_findings_create();
  check->sms = calloc(check->n_sms, sizeof *check->sms);
  if (check->findings && check->sms) return check;
  qsm_mc_check_destroy(check);
  return NULL;
}

void qsm_mc_check_destroy(struct qsm_mc_check *check) {
  if (!check) return;
  for (uint32_t i = 0; check->sms && i < check->n_sms; i++)
    for (uint32_t tb = 0; tb < MAX_TBS; tb++) qsm_mc_block_destroy(check->sms[i].blocks[tb].state);
  free(check->sms);
  qsm_mc_memory_destroy(check->memory);
  qsm_mc_findings_destroy(check->findings);
  free(check);
}

const struct qsm_observer *qsm_mc_check_observer(const struct qsm_mc_check *check) {
  return &check->observer;
}
struct qsm_mc_findings *qsm_mc_check_findings(const struct qsm_mc_check *check) {
  return check->findings;
}
uint32_t qsm_mc_check_program_at(const struct qsm_mc_check *check) { return check->program_at; }
bool qsm_mc_check_failed(const struct qsm_mc_check *check) { return check->failed; }

// ---- Findings ----

// The first of a kind at a place gets thread, block and, by printf, what it was.
__attribute__((format(printf, 6, 7))) static void add(struct qsm_mc_check *check,
                                                      enum qsm_mc_kind kind,
                                                      const struct live_block *block, uint32_t tid,
                                                      struct qsm_mc_pcs pcs, const char *format,
                                                      ...) {
  const struct qsm_mc_pcs offsets = {pcs.at - check->program_at, pcs.other - check->program_at};
  struct qsm_mc_finding *finding =
      qsm_mc_findings_add(check->findings, kind, check->launch.function, offsets);
  if (!finding) return;
  const qsmDim3 *grid = &check->launch.grid;
  finding->tid = tid;
  finding->block[0] = block->linear % grid->x;
  finding->block[1] = block->linear / grid->x % grid->y;
  finding->block[2] = block->linear / grid->x / grid->y;
  va_list args;
  va_start(args, format);
  vsnprintf(finding->what, sizeof finding->what, format, args);
  va_end(args);
}

// ---- Accesses ----

static const char *kind_name(enum qsm_access_kind kind) {
  static const char *const names[] = {"load", "store", "atomic"};
  return names[kind];
}

// Of one thread's access, with the place that it is about: itself, or another access too.
static void add_access(struct qsm_mc_check *check, enum qsm_mc_kind kind,
                       const struct live_block *block, uint32_t address,
                       const struct qsm_mc_touch *touch, uint32_t other_pc, const char *where) {
  add(check, kind, block, touch->tid, (struct qsm_mc_pcs){touch->pc, other_pc},
      "%s of %u bytes at 0x%08X, %s", kind_name(touch->kind), touch->bytes, address, where);
}

static void check_device(struct qsm_mc_check *check, const struct live_block *block,
                         uint32_t address, const struct qsm_mc_touch *touch) {
  enum qsm_mc_state state = qsm_mc_memory_look(check->memory, address, touch->bytes);
  if (state == QSM_MC_INITIALISED || state == QSM_MC_FOREIGN) return;
  bool uninitialised = state == QSM_MC_UNINITIALISED;
  if (uninitialised && touch->kind != QSM_ACCESS_LOAD)
    qsm_mc_memory_store(check->memory, address, touch->bytes);
  if (uninitialised && touch->kind == QSM_ACCESS_STORE) return;
  char where[128];
  qsm_mc_memory_describe(check->memory, address, where, sizeof where);
  add_access(check, uninitialised ? QSM_MC_UNINITIALISED_DEVICE : QSM_MC_OUTSIDE_ALLOCATIONS, block,
             address, touch, touch->pc, where);
}

// Beyond the block's shared memory the hardware faults.
static void check_shared(struct qsm_mc_check *check, const struct live_block *block,
                         uint32_t address, const struct qsm_mc_touch *touch) {
  uint32_t offset = address - SHARED_WINDOW, size = check->launch.shared_bytes;
  if (offset >= size || touch->bytes > size - offset) return;
  struct qsm_mc_verdict verdict = qsm_mc_block_shared(block->state, offset, touch);
  char where[128];
  if (verdict.uninitialised) {
    snprintf(where, sizeof where, "offset %u of shared memory", offset);
    add_access(check, QSM_MC_UNINITIALISED_SHARED, block, address, touch, touch->pc, where);
  }
  if (verdict.races) {
    snprintf(where, sizeof where, "offset %u of shared memory, after %s by thread %u", offset,
             kind_name(verdict.other_kind), verdict.other_tid);
    add_access(check, QSM_MC_RACE, block, address, touch, verdict.other_pc, where);
  }
}

// Where in its thread's stack a local address lies; false: not in it (isa.md, Kernel entry).
static bool find_in_stack(const struct qsm_observed_launch *launch, uint32_t address,
                          uint32_t *offset) {
  *offset = address - (0u - launch->stack_bytes);
  return *offset < launch->stack_bytes;
}

static void check_stack(struct qsm_mc_check *check, const struct live_block *block,
                        uint32_t address, const struct qsm_mc_touch *touch) {
  uint32_t offset = 0, size = check->launch.stack_bytes;
  bool inside = find_in_stack(&check->launch, address, &offset);
  if (inside && !qsm_mc_block_stack(block->state, offset, touch)) return;
  char where[128];
  snprintf(where, sizeof where, "%d bytes below the top of the thread's stack of %u",
           (int)(size - offset), size);
  add_access(check, inside ? QSM_MC_UNINITIALISED_STACK : QSM_MC_OUTSIDE_STACK, block, address,
             touch, touch->pc, where);
}

static void check_lane(struct qsm_mc_check *check, const struct live_block *block, uint32_t address,
                       const struct qsm_mc_touch *touch) {
  if (address % touch->bytes) return;  // the hardware faults
  if (address >= LOCAL_VIEW)
    check_stack(check, block, address, touch);
  else if (address >> 28 == SHARED_WINDOW >> 28)
    check_shared(check, block, address, touch);
  else
    check_device(check, block, address, touch);
}

void qsm_mc_check_access(void *ctx, const struct qsm_access *access) {
  struct qsm_mc_check *check = ctx;
  const struct live_block *block = &check->sms[access->sm].blocks[access->tb];
  if (!block->state || !check->memory) return;
  struct qsm_mc_touch touch = {
      .kind = (enum qsm_access_kind)access->kind, .pc = access->pc, .bytes = access->bytes};
  for (uint32_t lanes = access->mask; lanes; lanes &= lanes - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    touch.tid = access->widx * check->n_lanes + lane;
    touch.value = access->data[lane];
    check_lane(check, block, access->address[lane], &touch);
  }
}

// ---- Blocks and barriers ----

// ARRIVE: tb kernel linear first base op image ticket.
static void block_arrives(struct qsm_mc_check *check, const struct qsm_event *event) {
  const struct qsm_observed_launch *launch = &check->launch;
  struct live_block *block = &check->sms[event->sm].blocks[event->word[0]];
  *block = (struct live_block){.linear = event->word[2]};
  block->state = qsm_mc_block_create(launch->block.x * launch->block.y * launch->block.z,
                                     launch->shared_bytes, launch->stack_bytes);
  if (!block->state) check->failed = true;
}

static void block_retires(struct qsm_mc_check *check, const struct qsm_event *event) {
  struct live_block *block = &check->sms[event->sm].blocks[event->word[0]];
  qsm_mc_block_destroy(block->state);
  block->state = NULL;
}

// START: warp kernel tb widx live.
static void warp_starts(struct qsm_mc_check *check, const struct qsm_event *event) {
  struct live_warp *warp = &check->sms[event->sm].warps[event->sub][event->word[0]];
  *warp = (struct live_warp){.tb = (uint8_t)event->word[2], .widx = (uint8_t)event->word[3]};
}

// ISSUE: warp kernel pc mask instr entry.
static void warp_issues(struct qsm_mc_check *check, const struct qsm_event *event) {
  uint32_t pc = event->word[2], instr = event->word[4];
  if (instr != INSN_BAR && instr != INSN_EXIT) return;
  const struct live_warp *warp = &check->sms[event->sm].warps[event->sub][event->word[0]];
  const struct live_block *block = &check->sms[event->sm].blocks[warp->tb];
  if (!block->state) return;
  for (uint32_t lanes = event->word[3]; lanes; lanes &= lanes - 1) {
    uint32_t tid = warp->widx * check->n_lanes + (uint32_t)__builtin_ctz(lanes);
    if (instr == INSN_BAR)
      qsm_mc_block_wait(block->state, tid, pc);
    else
      qsm_mc_block_exit(block->state, tid);
  }
}

static void report_barrier(struct qsm_mc_check *check, const struct live_block *block,
                           const struct qsm_mc_barrier *barrier) {
  uint32_t tid = barrier->place[0].tid, pc = barrier->place[0].pc;
  for (uint32_t i = 1; i < barrier->n_places; i++)
    add(check, QSM_MC_BARRIERS, block, tid, (struct qsm_mc_pcs){pc, barrier->place[i].pc},
        "%u threads wait, thread %u at the other", barrier->n_waiting, barrier->place[i].tid);
  if (check->exited && barrier->n_exited)
    add(check, QSM_MC_EXITED, block, tid, (struct qsm_mc_pcs){pc, pc},
        "%u threads wait, %u have ended, of them first thread %u", barrier->n_waiting,
        barrier->n_exited, barrier->exited_tid);
}

static void blocks_go_on(struct qsm_mc_check *check, const struct qsm_event *event) {
  for (uint32_t tbs = event->word[0]; tbs; tbs &= tbs - 1) {
    const struct live_block *block = &check->sms[event->sm].blocks[__builtin_ctz(tbs)];
    if (!block->state) continue;
    struct qsm_mc_barrier barrier = qsm_mc_block_release(block->state);
    report_barrier(check, block, &barrier);
  }
}

void qsm_mc_check_event(void *ctx, const struct qsm_event *event) {
  struct qsm_mc_check *check = ctx;
  switch (event->kind) {
    case QSM_EV_ARRIVE: block_arrives(check, event); break;
    case QSM_EV_RETIRE: block_retires(check, event); break;
    case QSM_EV_START: warp_starts(check, event); break;
    case QSM_EV_ISSUE: warp_issues(check, event); break;
    case QSM_EV_RELEASE: blocks_go_on(check, event); break;
    default: break;
  }
}
