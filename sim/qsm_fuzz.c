// SPDX-License-Identifier: Apache-2.0
#include "qsm_fuzz.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qsm_backend.h"
#include "qsm_config_yaml.h"
#include "qsm_folder.h"
#include "qsm_fuzz_channels.h"
#include "qsm_fuzz_float.h"
#include "qsm_fuzz_program.h"
#include "qsm_output.h"
#include "qsm_partition.h"
#include "qsm_progress.h"
#include "qsm_random.h"
#include "qsm_reg_file.h"
#include "qsm_regs.h"
#include "qsm_waves.h"

enum {
  ROUND_CYCLES = 32000,
  RESET_EPOCH = 10000,  // EPOCH_LEN takes effect after the first epoch
  DATA_OFFSET = 32768,  // in the memory of a slot; code at 0, save area behind the data
  SAVE_OFFSET = DATA_OFFSET + QSM_FUZZ_DATA_BYTES,
  MAX_ARENA_BYTES = 1 << 20,
  PAGE_BYTES = 4096,
  STATE_INTERVAL = 3000,
  LARGE_GRID = 0xFFFF,
};
#define MEMORY_BASE 0x80000000u
#define EXIT_INSTRUCTION 0x0000100Bu
#define LOCAL_BASE 0xC0000000u  // I-MEM-6

struct round {
  struct qsm_random random;
  struct qsm_config config;
  struct qsm_backend *gpu;
  uint32_t arena_bytes, arena_stride;  // memory of a slot, and how far they are apart
  uint32_t split[9];                   // of each slot: MEM_SPLIT as last seen; behind them of the
                                       // channels, who have an arena of their own
  struct qsm_fuzz_channels channels;
  uint32_t whole;  // bit k: slot k's registers are as the last launch() left them, but for the walk
  bool splits_differ;  // so memories of slots may lie on each other
  uint32_t usual_split;
  bool preempts, adjusts, moves, commands;
  bool crowded;     // large grids and blocks, so that others come late
  bool counts_sms;  // the scheme goes by SM_COUNT
  uint32_t
      n_budgets;  // that tenants choose from: more than the GPU has groups means refused launches
  uint64_t launches, faults, preemptions, yields;
  char msg[1024];
};

static uint32_t arena(const struct round *round, uint32_t slot) {
  return MEMORY_BASE + slot * round->arena_stride;
}

// ---- Register access: refusals are part of the game, failures end the round ----

static bool is_walk(uint32_t offset) {
  return offset >= QSM_SLOT_WALK_XY && offset <= QSM_SLOT_WALK_LINEAR;
}

// What describes a launch is no longer of one piece.
static void note_write(struct round *round, uint32_t address) {
  uint32_t slot = (address - QSM_SLOT_BASE) / QSM_SLOT_STRIDE,
           offset = (address - QSM_SLOT_BASE) % QSM_SLOT_STRIDE;
  if (address < QSM_SLOT_BASE || slot >= round->config.num_kernels || is_walk(offset)) return;
  if (qsm_slot_reg_rules(&round->config, offset) & QSM_REG_IS_IDLE) round->whole &= ~(1u << slot);
}

static enum qsm_backend_status put(struct round *round, uint32_t address, uint32_t value) {
  note_write(round, address);
  enum qsm_backend_status status = round->gpu->write(round->gpu, address, value);
  return status == QSM_BACKEND_FAILED ? status : QSM_BACKEND_OK;
}

static uint32_t slot_address(uint32_t slot, uint32_t offset) {
  return QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + offset;
}

static enum qsm_backend_status get(struct round *round, uint32_t address, uint32_t *value) {
  *value = 0;
  enum qsm_backend_status status = round->gpu->read(round->gpu, address, value);
  return status == QSM_BACKEND_FAILED ? status : QSM_BACKEND_OK;
}

struct setting {
  uint32_t offset, value;
};

static enum qsm_backend_status put_all(struct round *round, uint32_t slot,
                                       const struct setting *settings, size_t n) {
  enum qsm_backend_status status = QSM_BACKEND_OK;
  for (size_t i = 0; !status && i < n; i++)
    status = put(round, slot_address(slot, settings[i].offset), settings[i].value);
  return status;
}

static uint32_t below(struct round *round, uint32_t n) {
  return qsm_random_below(&round->random, n);
}

// ---- Memory of a slot, where its split has it (R-XB-6) ----

static size_t piece(const struct round *round, uint32_t slot, uint32_t at, size_t bytes,
                    uint32_t *place) {
  return qsm_partition_piece(&round->config, round->split[slot], at, bytes, place);
}

static void put_memory(struct round *round, uint32_t slot, uint32_t at, const void *src,
                       size_t bytes) {
  const uint8_t *from = src;
  uint32_t place;
  for (size_t done = 0, n; done < bytes; done += n, at += (uint32_t)n) {
    n = piece(round, slot, at, bytes - done, &place);
    round->gpu->mem_write(round->gpu, place, from + done, n);
  }
}

static void get_memory(struct round *round, uint32_t slot, uint32_t at, void *dst, size_t bytes) {
  uint8_t *to = dst;
  uint32_t place;
  for (size_t done = 0, n; done < bytes; done += n, at += (uint32_t)n) {
    n = piece(round, slot, at, bytes - done, &place);
    round->gpu->mem_read(round->gpu, place, to + done, n);
  }
}

// ---- What happens in a round ----

// A goal or an isolated IPC. Small ones are spent early, so that elastic epochs start anew.
static uint32_t random_ipc(struct round *round) {
  uint32_t peak = round->config.num_sms * round->config.num_sched * round->config.warp_size;
  if (round->adjusts && below(round, 3) == 0)
    return below(round, 2) ? peak << 16 : 1;  // behind for ever, or never
  switch (below(round, 8)) {
    case 0: return 0;
    case 1: return 0xFFFFFFFFu;
    case 2:
    case 3: return below(round, 1 << 17);
    default: return below(round, peak << 15);
  }
}

// Memory that programs read is not all zeros.
static void fill_memory(struct round *round, uint32_t slot) {
  uint32_t words[QSM_FUZZ_DATA_BYTES / 4];
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    words[i] = round->config.fpu && below(round, 2) ? qsm_fuzz_float_value(&round->random)
                                                    : qsm_random_next(&round->random);
  put_memory(round, slot, arena(round, slot) + DATA_OFFSET, words, sizeof words);
}

// Another may have come from any host that meddles.
static enum qsm_backend_status look_at_split(struct round *round, uint32_t slot) {
  uint32_t split = 0;
  if (!round->config.partition_bits) return QSM_BACKEND_OK;
  enum qsm_backend_status status = get(round, slot_address(slot, QSM_SLOT_MEM_SPLIT), &split);
  bool is_new = split != round->split[slot];
  round->split[slot] = split;
  if (!status && is_new) fill_memory(round, slot);
  return status;
}

// Before an arrival; of a tenant that is there it is refused.
static enum qsm_backend_status set_split(struct round *round, uint32_t slot) {
  uint32_t most = (uint32_t)__builtin_ctz(round->config.num_channels);
  if (!round->config.partition_bits) return QSM_BACKEND_OK;
  return put(
      round, slot_address(slot, QSM_SLOT_MEM_SPLIT),
      round->splits_differ ? below(round, most + 1 + (below(round, 8) == 0)) : round->usual_split);
}

static enum qsm_backend_status wait_for_l2(struct round *round) {
  enum { POLL_CYCLES = 50 };
  uint32_t flushing = 0;
  uint64_t ran = 0;
  enum qsm_backend_status status = get(round, QSM_REG_L2_FLUSH, &flushing);
  while (!status && flushing) {
    status = round->gpu->run(round->gpu, 1 + below(round, POLL_CYCLES), false, &ran);
    if (!status) status = get(round, QSM_REG_L2_FLUSH, &flushing);
  }
  return status;
}

// Programs lie where others lay: what the L2 has of those must go, as a host would see to it, and
// not behind a part that is under way. A large L2 takes its time, so then not always.
static enum qsm_backend_status flush_l2(struct round *round) {
  enum { LARGE_KIB = 16 };
  if (round->config.l2_kib == 0 || (round->config.l2_kib > LARGE_KIB && below(round, 8)))
    return QSM_BACKEND_OK;
  enum qsm_backend_status status = wait_for_l2(round);
  if (!status) status = put(round, QSM_REG_L2_FLUSH, QSM_L2_FLUSH_ALL);
  return status ? status : wait_for_l2(round);
}

// Neither of device memory, nor shared or local addresses: reads give 0 there, writes are lost
// (R-MM-2).
static bool is_nowhere(const struct round *round, uint32_t at) {
  uint64_t end = (uint64_t)at + QSM_FUZZ_DATA_BYTES;
  return end <= LOCAL_BASE && (end <= MEMORY_BASE || at - MEMORY_BASE >= round->config.mem_bytes) &&
         (end - 1) >> 28 != 1 && at >> 28 != 1;
}

// Data are mostly in the slot's memory, now and then where no memory is: the windows have to be
// looked at wherever they are (I-MEM-1).
static uint32_t place_data(struct round *round, uint32_t slot) {
  uint32_t own = arena(round, slot) + DATA_OFFSET, power = UINT32_C(1) << (16 + below(round, 16)),
           at = own;
  switch (below(round, 16)) {
    case 0: at = own ^ MEMORY_BASE; break;
    case 1: at = power; break;
    case 2: at = power - QSM_FUZZ_DATA_BYTES; break;
    case 3: at = qsm_random_next(&round->random) / PAGE_BYTES * PAGE_BYTES; break;
    default: break;
  }
  return is_nowhere(round, at) ? at : own;
}

// The window over the data; now and then where they would be in the other half of the addresses, so
// that the first access to them faults.
static uint32_t place_window(struct round *round, uint32_t slot, uint32_t data) {
  uint32_t own = arena(round, slot) + DATA_OFFSET, other = data ^ MEMORY_BASE;
  return below(round, 16) == 0 && (other == own || is_nowhere(round, other)) ? other : data;
}

static enum qsm_backend_status load_program(struct round *round, uint32_t slot, uint32_t data,
                                            uint32_t shared_bytes, uint32_t log2_stack,
                                            bool may_fault) {
  uint32_t words[QSM_FUZZ_MAX_WORDS], base = arena(round, slot);
  const struct qsm_fuzz_request request = {.data = data,
                                           .shared_bytes = shared_bytes,
                                           .log2_stack = log2_stack,
                                           .may_fault = may_fault,
                                           .fpu = round->config.fpu};
  uint32_t n = qsm_fuzz_program(&round->random, &request, words);
  enum qsm_backend_status status = flush_l2(round);
  if (!status) status = look_at_split(round, slot);
  if (status) return status;
  put_memory(round, slot, base, words, n * sizeof *words);
  return put(round, QSM_REG_ICACHE_INV, 1);
}

static uint32_t random_shared(struct round *round) {
  uint32_t least = 64, most = round->config.shared_bytes / (1 + below(round, 6));
  return most <= least ? most : least + below(round, most - least + 1);
}

// All SMs, or some of each word of the mask.
static enum qsm_backend_status set_sms(struct round *round, uint32_t slot, bool all) {
  static const uint32_t registers[] = {QSM_SLOT_SM_MASK_LO, QSM_SLOT_SM_MASK_HI,
                                       QSM_SLOT_SM_MASK_2};
  enum qsm_backend_status status = QSM_BACKEND_OK;
  for (uint32_t i = 0, left = round->config.num_sms; !status && left; i++) {
    uint32_t n = left < 32 ? left : 32, sms = UINT32_MAX >> (32 - n);
    status = put(round, slot_address(slot, registers[i]), all ? sms : 1 + below(round, sms));
    left -= n;
  }
  return status;
}

// Mostly an area with the window over it, up to address `limit`; else none, one that lies outside
// (the stacks too), or one that is too small for some images or all.
static enum qsm_backend_status set_save_area(struct round *round, uint32_t slot, uint32_t window,
                                             uint32_t limit) {
  uint32_t base = arena(round, slot) + SAVE_OFFSET, pages = (limit - base) / PAGE_BYTES,
           kind = below(round, 12);
  bool over_data_only = kind == 0 || window + QSM_FUZZ_DATA_BYTES != base;
  uint32_t window_limit =
      over_data_only ? window + QSM_FUZZ_DATA_BYTES : arena(round, slot) + round->arena_bytes;
  if (kind == 1) pages = 0;
  if (kind == 2) pages = 1 + below(round, pages);
  if (kind == 3) pages = 1 + below(round, 8);
  const struct setting settings[] = {{QSM_SLOT_WIN1_LIMIT, window_limit},
                                     {QSM_SLOT_SAVE_BASE, base},
                                     {QSM_SLOT_SAVE_LIMIT, pages ? base + pages * PAGE_BYTES : 0},
                                     {QSM_SLOT_IDEMPOTENT, below(round, 4) != 0}};
  return put_all(round, slot, settings, sizeof settings / sizeof settings[0]);
}

// A launch begins at the first block, or as if it had yielded anywhere in its grid; now and then
// outside.
static enum qsm_backend_status set_walk(struct round *round, uint32_t slot, const uint32_t *grid) {
  uint32_t x = 0, y = 0, z = 0, linear = 0, kind = below(round, 16);
  if (kind < 3) {
    x = below(round, grid[0]);
    y = below(round, grid[1]);
    z = below(round, grid[2]);
    linear = kind ? x + grid[0] * (y + grid[1] * z) : qsm_random_next(&round->random);
  }
  if (kind == 0 && below(round, 8) == 0) x += grid[0];
  if (kind == 1 && below(round, 8) == 0) y += grid[1];
  if (kind == 2 && below(round, 8) == 0) z += grid[2];
  const struct setting settings[] = {
      {QSM_SLOT_WALK_XY, (x & QSM_SLOT_WALK_XY_X_MASK) | y << QSM_SLOT_WALK_XY_Y_SHIFT},
      {QSM_SLOT_WALK_Z, z},
      {QSM_SLOT_WALK_LINEAR, linear}};
  return put_all(round, slot, settings, sizeof settings / sizeof settings[0]);
}

// R-DL-1: most deadlines within some epochs, most work within what a launch does in them; some of
// any size, some refused.
static enum qsm_backend_status set_deadline(struct round *round, uint32_t slot) {
  uint32_t cycles = below(round, 1u << (8 + below(round, 10)));
  uint32_t work = below(round, 1u << (8 + below(round, 16)));
  if (below(round, 8) == 0)
    cycles = below(round, 2) ? qsm_random_next(&round->random) >> below(round, 8) : 0;
  if (below(round, 8) == 0) work = below(round, 2) ? qsm_random_next(&round->random) : 0;
  enum qsm_backend_status status = put(round, slot_address(slot, QSM_SLOT_DEADLINE), cycles);
  return status ? status : put(round, slot_address(slot, QSM_SLOT_WORK), work);
}

static enum qsm_backend_status launch(struct round *round, uint32_t slot) {
  const struct qsm_config *config = &round->config;
  uint32_t most_threads = config->warps_per_sm * config->warp_size;
  if (most_threads > 1024) most_threads = 1024;
  bool large = round->crowded && below(round, 3);
  uint32_t x = 1 + below(round, large || below(round, 2) ? most_threads : (most_threads + 3) / 4);
  uint32_t y = below(round, 4) == 0 && x <= most_threads / 2 ? 2 : 1;
  uint32_t shared = below(round, 3) == 0 ? 0 : random_shared(round);
  uint32_t granule = qsm_config_granule_bytes(config), threads = x * y;
  uint32_t base = arena(round, slot), end = base + round->arena_bytes,
           warps = (threads + config->warp_size - 1) / config->warp_size;
  uint32_t stack =
      qsm_fuzz_stack(&round->random, config, warps, end, (round->arena_bytes - SAVE_OFFSET) / 2);
  uint32_t data = place_data(round, slot), window = place_window(round, slot, data);
  const uint32_t grid[] = {large ? 1 + below(round, LARGE_GRID)
                                 : 1 + below(round, round->adjusts ? 64 : 1 + below(round, 6)),
                           1 + below(round, 5) / 4, 1 + below(round, 5) / 4};
  const struct setting settings[] = {
      {QSM_SLOT_WIN0_BASE, base},
      {QSM_SLOT_WIN0_LIMIT, base + DATA_OFFSET},
      {QSM_SLOT_WIN0_RIGHTS, 4 | below(round, 2)},
      {QSM_SLOT_WIN1_BASE, window},
      {QSM_SLOT_WIN1_RIGHTS, 3},
      {QSM_SLOT_ENTRY, base},
      {QSM_SLOT_ARG, qsm_random_next(&round->random)},
      {QSM_SLOT_GRID_X, grid[0]},
      {QSM_SLOT_GRID_Y, grid[1]},
      {QSM_SLOT_GRID_Z, grid[2]},
      {QSM_SLOT_BLOCK_X, x},
      {QSM_SLOT_BLOCK_Y, y},
      {QSM_SLOT_BLOCK_Z, 1},
      {QSM_SLOT_BLOCK_THREADS, threads},
      {QSM_SLOT_BLOCK_WARPS, warps},
      {QSM_SLOT_STACK, stack},
      {QSM_SLOT_SHARED, shared},
      {QSM_SLOT_SHARED_GRAN, (shared + granule - 1) / granule},
      {QSM_SLOT_FIRST_QUOTA, below(round, 4) ? 1 + below(round, 4000) : 1},
      {QSM_SLOT_CACHE_POLICY, below(round, 3) ? 0 : below(round, 4)},
  };
  enum qsm_backend_status status = load_program(
      round, slot, data, shared, stack & QSM_SLOT_STACK_LOG2_MASK, below(round, 3) == 0);
  if (!status) status = put_all(round, slot, settings, sizeof settings / sizeof settings[0]);
  if (!status) status = set_sms(round, slot, below(round, 3));
  if (!status)
    status = set_save_area(round, slot, window, stack ? stack & QSM_SLOT_STACK_BASE_MASK : end);
  if (!status) status = set_walk(round, slot, grid);
  if (!status && below(round, 2)) status = set_deadline(round, slot);
  if (!status) status = put(round, slot_address(slot, QSM_SLOT_LAUNCH), 1);
  round->launches++;
  round->whole |= 1u << slot;
  return status;
}

static uint32_t random_budget(struct round *round) {
  uint32_t n = below(round, round->n_budgets);
  return 1 + (n < 8 ? n * 3 % 8 : n);  // 1, 4, 7, 2 …
}

// Any cap that the register has, and none; too small ones are refused.
static enum qsm_backend_status set_cap(struct round *round, uint32_t slot) {
  return put(round, slot_address(slot, QSM_SLOT_WARP_CAP),
             below(round, 3) ? below(round, round->config.warps_per_sm + 2) : 0);
}

static enum qsm_backend_status open_slot(struct round *round, uint32_t slot) {
  enum qsm_backend_status status = put(round, slot_address(slot, QSM_SLOT_GOAL), random_ipc(round));
  if (!status) status = set_split(round, slot);
  if (!status) status = put(round, slot_address(slot, QSM_SLOT_CTX), 1 | below(round, 8) << 1);
  if (!status && below(round, 4))
    status = put(round, slot_address(slot, QSM_SLOT_ISO_IPC), random_ipc(round));
  if (!status) status = put(round, slot_address(slot, QSM_SLOT_BUDGET), random_budget(round));
  if (!status && below(round, 4) == 0) status = set_cap(round, slot);
  if (!status && round->counts_sms)
    status = put(round, slot_address(slot, QSM_SLOT_SM_COUNT),
                 below(round, 2) * below(round, round->config.num_sms + 1));
  return status ? status : launch(round, slot);
}

// ---- SMs of their own ----

// A request for any SM, or for nothing at all. Most are such that somebody can go on.
static enum qsm_backend_status move_sm(struct round *round, uint32_t slot) {
  static const uint8_t usages[] = {QSM_USE_SHARED, QSM_USE_SHARED, QSM_USE_OWNED, QSM_USE_OWNED,
                                   QSM_USE_OWNED,  QSM_USE_FREE,   QSM_USE_FREE,  QSM_USE_FREE};
  const struct qsm_config *config = &round->config;
  uint32_t request = below(round, config->num_sms + (below(round, 24) == 0)) |
                     slot << QSM_REG_SM_MOVE_SLOT_SHIFT |
                     (uint32_t)usages[below(round, sizeof usages)] << QSM_REG_SM_MOVE_USAGE_SHIFT;
  if (below(round, 24) == 0) request ^= 1u << below(round, 32);
  return put(round, QSM_REG_SM_MOVE, request);
}

// Mostly short: an SM that takes longer than the round does not come back.
static uint32_t random_wake_lat(struct round *round) {
  switch (below(round, 8)) {
    case 0: return 1;
    case 1: return below(round, 2) ? 0xFFFF + below(round, 2) : 0;  // refused, or for ever
    case 2: return 1 + below(round, 3000);
    default: return 1 + below(round, 60);
  }
}

static enum qsm_backend_status set_gating(struct round *round) {
  enum qsm_backend_status status = put(round, QSM_REG_SM_GATING, below(round, 4) != 0);
  if (!status) status = put(round, QSM_REG_WAKE_LAT, random_wake_lat(round));
  return status ? status : put(round, QSM_REG_MOVE_TECHNIQUE, below(round, QSM_TECHNIQUE_COUNT));
}

// Registers of the SM manager.
static enum qsm_backend_status set_sm_mgr(struct round *round, uint32_t slot) {
  enum qsm_backend_status status = QSM_BACKEND_OK;
  if (below(round, 2))
    status = put(round, QSM_REG_SM_THRESHOLD,
                 below(round, 2) ? below(round, 8000) : below(round, 0x10001));
  if (!status && below(round, 2)) status = put(round, QSM_REG_SM_STEP, below(round, 6));
  return status ? status
                : put(round, slot_address(slot, QSM_SLOT_SM_COUNT),
                      below(round, round->config.num_sms + 2));
}

static enum qsm_backend_status look_at_owner(struct round *round, uint32_t slot) {
  static const uint32_t registers[] = {QSM_REG_MOVES,
                                       QSM_REG_MOVE_CYCLES_LO,
                                       QSM_REG_MOVE_CYCLES_HI,
                                       QSM_REG_GATED_CYCLES_LO,
                                       QSM_REG_GATED_CYCLES_HI,
                                       QSM_REG_SHARED_CYCLES_LO,
                                       QSM_REG_SHARED_CYCLES_HI,
                                       QSM_REG_WAKES};
  uint32_t ignored;
  enum qsm_backend_status status =
      put(round, QSM_REG_SM_SELECT, below(round, round->config.num_sms));
  if (!status) status = get(round, QSM_REG_SMSEL_OWNER, &ignored);
  for (size_t i = 0; !status && i < sizeof registers / sizeof registers[0]; i++)
    status = get(round, registers[i], &ignored);
  static const uint32_t of_slot[] = {QSM_SLOT_OWNED_CYCLES_LO, QSM_SLOT_OWNED_CYCLES_HI,
                                     QSM_SLOT_SM_RECORD};
  for (size_t i = 0; !status && i < sizeof of_slot / sizeof of_slot[0]; i++)
    status = get(round, slot_address(slot, of_slot[i]), &ignored);
  return status;
}

static enum qsm_backend_status play_with_sms(struct round *round) {
  uint32_t slot = below(round, round->config.num_kernels);
  switch (below(round, 8)) {
    case 0: return set_gating(round);
    case 1: return look_at_owner(round, slot);
    case 2: return set_sm_mgr(round, slot);
    default: return move_sm(round, slot);
  }
}

// Launches that wait for an SM that nobody would give them get all of them, or are killed; what
// keeps a drain waiting is switched.
static enum qsm_backend_status give_back(struct round *round) {
  enum qsm_backend_status status = QSM_BACKEND_OK;
  uint32_t slot = below(round, round->config.num_kernels);
  if (below(round, 4) == 0) return put(round, slot_address(slot, QSM_SLOT_KILL), 1);
  if (below(round, 2)) status = put(round, QSM_REG_MOVE_TECHNIQUE, QSM_TECHNIQUE_SWITCH);
  if (!status && below(round, 2)) status = put(round, QSM_REG_WAKE_LAT, 1 + below(round, 9));
  for (uint32_t sm = 0; !status && sm < round->config.num_sms; sm++)
    status = put(round, QSM_REG_SM_MOVE, sm | QSM_USE_SHARED << QSM_REG_SM_MOVE_USAGE_SHIFT);
  return status;
}

// Slots of the front end are left to it, mostly.
static bool is_left(struct round *round, uint32_t slot) {
  return round->commands && (round->channels.slots >> slot & 1) && below(round, 16);
}

// A launch that has yielded goes on as it was, if it is of one piece still. The registers of the
// front end's slots are as it leaves them.
static bool may_go_on(const struct round *round, uint32_t slot, uint32_t status_register) {
  uint32_t others = round->commands ? round->channels.slots : 0;
  return (status_register & QSM_SLOT_STATUS_YIELDED_MASK) && (round->whole & ~others) >> slot & 1;
}

static enum qsm_backend_status go_on(struct round *round, uint32_t slot) {
  round->yields++;
  return put(round, slot_address(slot, QSM_SLOT_LAUNCH), 1);
}

// An interrupt: read the result, acknowledge, and most often launch something else; or close the
// slot and open it again. What has yielded goes on, most often.
static enum qsm_backend_status serve(struct round *round) {
  uint32_t pending = 0, status_register = 0;
  enum qsm_backend_status status = get(round, QSM_REG_IRQ, &pending);
  for (uint32_t slot = 0; !status && slot < round->config.num_kernels; slot++) {
    if (!((pending >> slot) & 1) || is_left(round, slot)) continue;
    uint32_t ignored;
    static const uint32_t fault_registers[] = {
        QSM_SLOT_FAULT_CAUSE, QSM_SLOT_FAULT_PC,    QSM_SLOT_FAULT_TID,
        QSM_SLOT_FAULT_BLOCK, QSM_SLOT_FAULT_VALUE, QSM_SLOT_LAUNCHES,
        QSM_SLOT_WALK_XY,     QSM_SLOT_WALK_Z,      QSM_SLOT_WALK_LINEAR};
    status = get(round, slot_address(slot, QSM_SLOT_STATUS), &status_register);
    for (size_t i = 0; !status && i < sizeof fault_registers / sizeof fault_registers[0]; i++)
      status = get(round, slot_address(slot, fault_registers[i]), &ignored);
    round->faults += (status_register >> 1) & 1;
    if (!status && below(round, 4) == 0)
      status = put(round, slot_address(slot, QSM_SLOT_LAUNCH), 1);  // too early
    if (!status) status = put(round, QSM_REG_IRQ, 1u << slot);
    if (!status && may_go_on(round, slot, status_register) && below(round, 4)) {
      status = go_on(round, slot);
      continue;
    }
    bool leaves = below(round, 4) == 0;
    // It leaves with an SM of its own, or with one on its way.
    if (!status && leaves && round->moves && below(round, 2)) status = move_sm(round, slot);
    if (!status && leaves) status = put(round, slot_address(slot, QSM_SLOT_CTX), 0);
    if (!status) status = below(round, 4) == 0 ? open_slot(round, slot) : launch(round, slot);
  }
  return status;
}

// Any register of a slot, with a value at some rule's limit.
static enum qsm_backend_status nudge(struct round *round, uint32_t slot) {
  const struct qsm_config *config = &round->config;
  uint32_t most_threads = config->warps_per_sm * config->warp_size < 1024
                              ? config->warps_per_sm * config->warp_size
                              : 1024;
  const uint32_t values[] = {0,
                             1,
                             1,
                             2,
                             3,
                             4,
                             7,
                             8,
                             0x800,
                             0x1000,
                             0xFFFF,
                             0x10000,
                             0x7FFFFFFF,
                             0x80000000u,
                             0xFFFFFFFFu,
                             MEMORY_BASE | 3,
                             MEMORY_BASE | 4,
                             MEMORY_BASE | 16,
                             MEMORY_BASE | 17,
                             MEMORY_BASE | 0x1008,
                             MEMORY_BASE | 0x1010,
                             most_threads,
                             most_threads + 1,
                             config->warps_per_sm,
                             config->warps_per_sm + 1,
                             config->shared_bytes,
                             config->shared_bytes + 1};
  uint32_t offset = below(round, QSM_SLOT_WALK_LINEAR / 4 + 1) * 4,
           value = values[below(round, sizeof values / sizeof values[0])];
  if (offset == QSM_SLOT_LAUNCH && value == 1) value = 3;  // what is launched must be of one piece
  return put(round, slot_address(slot, offset), value);
}

// The same of the whole GPU; never so that epochs get long.
static enum qsm_backend_status nudge_gpu(struct round *round) {
  static const uint32_t registers[] = {
      QSM_REG_POLICY,       QSM_REG_SCHEME,           QSM_REG_ALPHA_CAP,
      QSM_REG_ROLLOVER_CAP, QSM_REG_QUOTA_RULES,      QSM_REG_SM_SELECT,
      QSM_REG_IRQ,          QSM_REG_ICACHE_INV,       QSM_REG_ACTIVE_WARPS,
      QSM_REG_ADJUST,       QSM_REG_ADJUST_TECHNIQUE, QSM_REG_PREEMPT,
      QSM_REG_NONQOS_QUOTA, QSM_REG_L2_FLUSH,         QSM_REG_LATECOMERS,
      QSM_REG_SM_MOVE,      QSM_REG_MOVE_TECHNIQUE,   QSM_REG_SM_GATING,
      QSM_REG_WAKE_LAT,     QSM_REG_SM_THRESHOLD,     QSM_REG_SM_STEP};
  static const uint32_t values[] = {0,     1,      2,       3,        4,        5,
                                    6,     16,     17,      255,      256,      0x7FF,
                                    0x800, 0xFFFF, 0x10000, 0x3FFFFF, 0x400000, 0xFFFFFFFFu};
  if (below(round, 4) == 0)
    return put(round, QSM_REG_EPOCH_LEN, qsm_config_epoch_min(&round->config) - below(round, 2));
  if (below(round, 4) == 0)
    return put(round, QSM_REG_STALL_SELECT,
               below(round, 4) << 8 | below(round, 9) << 4 | below(round, QSM_STALL_COUNT + 1));
  if (below(round, 4) == 0)
    return put(round, QSM_REG_ENERGY_SELECT,
               below(round, 9) << 4 | below(round, QSM_ENERGY_EVENT_COUNT + 1));
  return put(round, registers[below(round, sizeof registers / sizeof registers[0])],
             values[below(round, sizeof values / sizeof values[0])]);
}

static enum qsm_backend_status look_at_memory(struct round *round) {
  uint32_t ignored, select = below(round, round->config.num_channels + (below(round, 8) == 0)) |
                             below(round, round->config.num_kernels)
                                 << QSM_REG_MEM_SELECT_SLOT_SHIFT |
                             below(round, 23) << QSM_REG_MEM_SELECT_COUNTER_SHIFT;
  enum qsm_backend_status status =
      put(round, QSM_REG_MEM_SELECT, below(round, 16) ? select : qsm_random_next(&round->random));
  if (!status) status = get(round, QSM_REG_MEM_VALUE, &ignored);
  return status ? status : get(round, QSM_REG_L2_FLUSH, &ignored);
}

// Figures of the selected SM in registers that there are once; look_at_jobs() reads SMSEL_JOB.
static enum qsm_backend_status look_at_figures(struct round *round) {
  enum qsm_backend_status status = QSM_BACKEND_OK;
  uint32_t ignored;
  for (uint32_t offset = 0; !status && offset < QSM_SMSEL_BASE; offset += 4) {
    if ((qsm_gpu_reg_rules(&round->config, offset) & QSM_REG_IS_FIGURE) &&
        offset != QSM_REG_SMSEL_JOB)
      status = get(round, offset, &ignored);
  }
  return status;
}

// Some QoS registers are undefined while the manager computes (R-QM-3): read them only at rest.
static enum qsm_backend_status read_at_rest(struct round *round, uint32_t address) {
  uint32_t busy = 0, value;
  enum qsm_backend_status status = get(round, QSM_REG_MGR_BUSY, &busy);
  return status || busy ? status : get(round, address, &value);
}

// Figures of an SM, reasons of stalls, anything of a slot.
static enum qsm_backend_status look_around(struct round *round) {
  uint32_t slot = below(round, round->config.num_kernels), ignored;
  enum qsm_backend_status status =
      put(round, QSM_REG_SM_SELECT, below(round, round->config.num_sms));
  for (uint32_t figure = QSM_SMSEL_QUOTA; !status && figure <= QSM_SMSEL_TBS; figure += 4)
    status = get(round, QSM_SMSEL_BASE + 16 * slot + figure, &ignored);
  for (uint32_t figure = QSM_SMSEL_C; !status && figure <= QSM_SMSEL_INSN; figure += 4)
    status = read_at_rest(round, QSM_SMSEL_BASE + 16 * slot + figure);
  if (!status)
    status =
        put(round, QSM_REG_STALL_SELECT,
            below(round, round->config.num_sched) << 8 | slot << 4 | below(round, QSM_STALL_COUNT));
  if (!status)
    status = put(round, QSM_REG_ENERGY_SELECT, slot << 4 | below(round, QSM_ENERGY_EVENT_COUNT));
  if (!status) status = look_at_figures(round);
  if (!status) status = get(round, QSM_REG_SMSEL_IDLE + 4 * slot, &ignored);
  if (!status)
    status = get(round, slot_address(slot, QSM_SLOT_WALK_XY + 4 * below(round, 3)), &ignored);
  if (!status) status = get(round, QSM_REG_ADJUST_BUSY, &ignored);
  for (uint32_t sub = 0; !status && sub < 4; sub++)
    status = get(round, QSM_REG_SMSEL_FRONT + 4 * sub, &ignored);  // some are not there
  return status ? status : get(round, slot_address(slot, below(round, 27) * 4), &ignored);
}

// A slot that rests gets work again.
static enum qsm_backend_status revive(struct round *round, uint32_t slot) {
  uint32_t state = 0, context = 0;
  enum qsm_backend_status status = get(round, slot_address(slot, QSM_SLOT_STATUS), &state);
  if (!status) status = get(round, slot_address(slot, QSM_SLOT_CTX), &context);
  if (status || (state & 1) || is_left(round, slot)) return status;
  if (may_go_on(round, slot, state) && below(round, 2)) return go_on(round, slot);
  return (context & 1) ? launch(round, slot) : open_slot(round, slot);
}

// Any address, some of them unaligned.
static enum qsm_backend_status read_anything(struct round *round) {
  return read_at_rest(round, below(round, 0x2000) & (below(round, 8) ? ~3u : ~0u));
}

// Of L2_FLUSH: all sets, a part of any size or of few units, or nothing that it takes.
static uint32_t random_flush(struct round *round) {
  enum { FEW_UNITS = 8 };
  const uint32_t any = qsm_random_next(&round->random);
  uint32_t first = below(round, QSM_L2_MOST_UNITS), last = first + below(round, FEW_UNITS);
  switch (below(round, 8)) {
    case 0: return any & ~QSM_L2_FLUSH_PART;
    case 1:
    case 2: return QSM_L2_FLUSH_ALL;
    case 3: return any | QSM_L2_FLUSH_PART;
    default: return qsm_config_l2_part(first, last);
  }
}

// Of alpha: most of the small ones, some of the large ones.
static uint32_t random_cap(struct round *round) {
  return 0x10000 + below(round, below(round, 2) ? 0x70000 : 0x3F0000);
}

// Of QUOTA_RULES: some fields, seldom without alpha; a margin in one of two.
static uint32_t random_rules(struct round *round) {
  uint32_t switches = QSM_REG_QUOTA_RULES_UNFED_MASK | QSM_REG_QUOTA_RULES_CARRIED_MASK |
                      QSM_REG_QUOTA_RULES_ALL_CYCLES_MASK | QSM_REG_QUOTA_RULES_POOLED_MASK |
                      QSM_REG_QUOTA_RULES_NO_FLOOR_MASK;
  uint32_t alpha = below(round, 4) ? QSM_REG_QUOTA_RULES_ALPHA_EN_MASK : 0;
  uint32_t margin = below(round, 2) * below(round, 8) << QSM_REG_QUOTA_RULES_MARGIN_SHIFT;
  return alpha | (qsm_random_next(&round->random) & switches) | margin;
}

// A host that changes its mind: scheduling, goals, masks, kills, nonsense.
static enum qsm_backend_status meddle(struct round *round) {
  uint32_t slot = below(round, round->config.num_kernels);
  switch (below(round, 40)) {
    case 0: return put(round, QSM_REG_POLICY, below(round, QSM_POLICY_COUNT + 1));
    case 1: return put(round, QSM_REG_SCHEME, below(round, QSM_SCHEME_COUNT + 1));
    case 2:
      return put(round, QSM_REG_EPOCH_LEN,
                 qsm_config_epoch_min(&round->config) + below(round, 1500));
    case 3: return put(round, QSM_REG_ALPHA_CAP, below(round, 3) ? random_cap(round) : 0);
    case 4: return put(round, QSM_REG_ROLLOVER_CAP, below(round, 12));
    case 5:
      return below(round, 2) ? put(round, QSM_REG_QUOTA_RULES, random_rules(round))
                             : put(round, QSM_REG_NONQOS_QUOTA, below(round, 2) * below(round, 9));
    case 6: return put(round, slot_address(slot, QSM_SLOT_GOAL), random_ipc(round));
    case 7: return set_sms(round, slot, false);
    case 8:
      return below(round, 4) ? QSM_BACKEND_OK : put(round, slot_address(slot, QSM_SLOT_KILL), 1);
    case 9: return put(round, slot_address(slot, QSM_SLOT_HIST_CLEAR), 1);
    case 10:
      return put(round, below(round, 0x2000), qsm_random_next(&round->random) & below(round, 16));
    case 11: return read_anything(round);
    case 12: return put(round, QSM_REG_ICACHE_INV, 1);
    case 13:
    case 14: return nudge(round, slot);
    case 15: return nudge_gpu(round);
    case 16:
    case 17: return look_around(round);
    case 18:
    case 19: return revive(round, slot);
    case 20:
    case 21: return put(round, slot_address(slot, QSM_SLOT_BUDGET), random_budget(round));
    case 22: return put(round, QSM_REG_ACTIVE_WARPS, 1 + below(round, below(round, 2) ? 4 : 16));
    case 23:
    case 24: return put(round, slot_address(slot, QSM_SLOT_ISO_IPC), random_ipc(round));
    case 25: return put(round, QSM_REG_ADJUST, below(round, 4) ? round->adjusts : !round->adjusts);
    case 26:
      if (below(round, 3) == 0) return put(round, QSM_REG_LATECOMERS, below(round, 4) != 0);
      return put(round, QSM_REG_ADJUST_TECHNIQUE, below(round, QSM_TECHNIQUE_COUNT));
    case 27:
    case 28:
    case 29: return look_at_memory(round);
    case 30: return put(round, QSM_REG_L2_FLUSH, random_flush(round));
    case 31:
    case 32:
    case 33: return set_cap(round, slot);
    case 34:
    case 35:
    case 36: return put(round, slot_address(slot, QSM_SLOT_YIELD), 1);
    case 37:
    case 38: return set_deadline(round, slot);
    default: return put(round, QSM_REG_SM_SELECT, below(round, round->config.num_sms));
  }
}

// ---- Preemption ----

static enum qsm_backend_status look_at_jobs(struct round *round, uint32_t slot) {
  uint32_t ignored;
  enum qsm_backend_status status = get(round, QSM_REG_PREEMPT_STATUS, &ignored);
  if (!status) status = put(round, QSM_REG_SM_SELECT, below(round, round->config.num_sms));
  if (!status) status = get(round, QSM_REG_SMSEL_JOB, &ignored);
  return status ? status : get(round, slot_address(slot, QSM_SLOT_SAVED), &ignored);
}

// A request for any block, or for nothing at all.
static enum qsm_backend_status ask(struct round *round, uint32_t slot) {
  static const uint8_t techniques[] = {0, 0, 0, 0, 1, 2, 2, 2};
  const struct qsm_config *config = &round->config;
  uint32_t request = below(round, config->num_sms) | slot << QSM_REG_PREEMPT_SLOT_SHIFT |
                     (uint32_t)techniques[below(round, sizeof techniques)]
                         << QSM_REG_PREEMPT_TECHNIQUE_SHIFT;
  if (below(round, 4) == 0) request |= QSM_REG_PREEMPT_BY_SLOT_MASK;
  if (below(round, 2)) request |= below(round, config->max_tbs) << QSM_REG_PREEMPT_TB_SHIFT;
  if (below(round, 24) == 0) request ^= 1u << below(round, 32);
  round->preemptions++;
  return put(round, QSM_REG_PREEMPT, request);
}

// A tenant that writes into its own context images, mostly where the PCs of a warp are: no other
// tenant may be affected.
static void spoil_image(struct round *round, uint32_t slot) {
  uint32_t words[32], line_bytes = qsm_config_line_bytes(&round->config),
                      line = below(round, 3) ? 3 + 33 * below(round, 3) : below(round, 100);
  for (uint32_t i = 0; i < 32; i++) words[i] = qsm_random_next(&round->random);
  put_memory(round, slot, arena(round, slot) + SAVE_OFFSET + line * line_bytes, words, line_bytes);
}

static enum qsm_backend_status preempt(struct round *round) {
  uint32_t slot = below(round, round->config.num_kernels), state = 0;
  uint64_t ran = 0;
  enum qsm_backend_status status = get(round, slot_address(slot, QSM_SLOT_STATUS), &state);
  if (!(state & 1) && below(round, 8)) return status;
  if (!status) status = ask(round, slot);
  switch (below(round, 16)) {
    case 0: return status ? status : ask(round, slot);  // too early, or busy
    case 1:
    case 2: return status ? status : look_at_jobs(round, slot);
    case 3:
      return status ? status
                    : put(round, slot_address(slot, QSM_SLOT_PREEMPT_HOLD), below(round, 2));
    case 4:
      if (!status) status = round->gpu->run(round->gpu, 1 + below(round, 400), true, &ran);
      return status || below(round, 3) ? status : put(round, slot_address(slot, QSM_SLOT_KILL), 1);
    case 5: spoil_image(round, slot); return status;
    case 6: return status ? status : put(round, slot_address(slot, QSM_SLOT_YIELD), 1);
    default: return status;
  }
}

// No block is held for ever.
static enum qsm_backend_status let_go(struct round *round) {
  enum qsm_backend_status status = QSM_BACKEND_OK;
  for (uint32_t slot = 0; !status && slot < round->config.num_kernels; slot++)
    status = put(round, slot_address(slot, QSM_SLOT_PREEMPT_HOLD), 0);
  return status;
}

static enum qsm_backend_status read_statistics(struct round *round) {
  static const uint32_t registers[] = {QSM_SLOT_INSN_LO, QSM_SLOT_INSN_HI,    QSM_SLOT_HCYC_LO,
                                       QSM_SLOT_HCYC_HI, QSM_SLOT_EPOCH_INSN, QSM_SLOT_EPOCH_QUOTA,
                                       QSM_SLOT_ALPHA,   QSM_SLOT_RATIO};
  enum qsm_backend_status status = QSM_BACKEND_OK;
  for (size_t i = 0; !status && i < sizeof registers / sizeof registers[0]; i++)
    status =
        read_at_rest(round, slot_address(below(round, round->config.num_kernels), registers[i]));
  return status;
}

// Every register right after reset; QoS figures too, as the manager rests.
static enum qsm_backend_status read_all(struct round *round) {
  enum qsm_backend_status status = QSM_BACKEND_OK;
  uint32_t ignored;
  for (uint32_t address = 0; !status && address <= QSM_REG_LINK_INTERVAL; address += 4)
    status = get(round, address, &ignored);
  for (uint32_t address = QSM_REG_SMSEL_IDLE; !status && address < QSM_REG_SMSEL_FRONT + 0x20;
       address += 4)
    status = get(round, address, &ignored);
  for (uint32_t slot = 0; slot < round->config.num_kernels; slot++)
    for (uint32_t offset = 0; !status && offset <= QSM_SLOT_WALK_LINEAR; offset += 4)
      status = get(round, slot_address(slot, offset), &ignored);
  return status;
}

// Memories that can be divided lie in different parts, so that slots of one split have channels of
// their own.
static void place_arenas(struct round *round) {
  const struct qsm_config *config = &round->config;
  uint32_t n = config->num_kernels + (config->cmd_channels != 0);
  while (config->partition_bits && (n & (n - 1))) n++;
  round->arena_bytes = config->mem_bytes / n / PAGE_BYTES * PAGE_BYTES;
  round->arena_stride = config->partition_bits ? round->arena_bytes : 0;
  if (round->arena_bytes > MAX_ARENA_BYTES) round->arena_bytes = MAX_ARENA_BYTES;
  if (!round->arena_stride) round->arena_stride = round->arena_bytes;
}

static void draw_splits(struct round *round) {
  if (!round->config.partition_bits) return;
  round->splits_differ = below(round, 3) == 0;
  round->usual_split = below(round, (uint32_t)__builtin_ctz(round->config.num_channels) + 1);
}

// The channels' arena is like a slot's, with their lists in its last pages; a program for all, and
// one that ends at once.
static enum qsm_backend_status start_channels(struct round *round) {
  const uint32_t slot = round->config.num_kernels, base = arena(round, slot),
                 lists = base + round->arena_bytes - QSM_FUZZ_LISTS_BYTES;
  uint32_t words[QSM_FUZZ_MAX_WORDS];
  if (round->config.partition_bits)
    round->split[slot] = round->splits_differ
                             ? below(round, (uint32_t)__builtin_ctz(round->config.num_channels) + 1)
                             : round->usual_split;
  round->channels = (struct qsm_fuzz_channels){.gpu = round->gpu,
                                               .config = &round->config,
                                               .random = &round->random,
                                               .base = base,
                                               .at_once = base + DATA_OFFSET / 2,
                                               .data = base + DATA_OFFSET,
                                               .limit = lists,
                                               .lists = lists,
                                               .host = lists + 2 * PAGE_BYTES,
                                               .split = round->split[slot]};
  const struct qsm_fuzz_request request = {
      .data = round->channels.data, .may_fault = below(round, 3) == 0, .fpu = round->config.fpu};
  uint32_t n = qsm_fuzz_program(&round->random, &request, words);
  fill_memory(round, slot);
  put_memory(round, slot, base, words, n * sizeof *words);
  put_memory(round, slot, round->channels.at_once, &(uint32_t){EXIT_INSTRUCTION}, 4);
  return qsm_fuzz_channels_start(&round->channels);
}

static enum qsm_backend_status play_with_channels(struct round *round) {
  enum qsm_backend_status status = qsm_fuzz_channels_serve(&round->channels);
  uint64_t ran = 0;
  for (uint32_t n = below(round, 12); !status && n; n--) {
    status = qsm_fuzz_channels_step(&round->channels);
    round->whole &= ~round->channels.slots;
    if (!status)
      status = round->gpu->run(round->gpu, below(round, below(round, 3) ? 40 : 400), true, &ran);
  }
  return status;
}

static enum qsm_backend_status play(struct round *round, struct qsm_progress *progress,
                                    uint64_t done_before, uint64_t cycles) {
  static const uint8_t n_budgets[] = {1, 2, 2, 3, 8, 255};
  round->n_budgets = n_budgets[below(round, sizeof n_budgets)];
  place_arenas(round);
  draw_splits(round);
  // Adjustment needs blocks that wait, and victims need times without a preemption.
  round->adjusts = below(round, 2);
  round->preempts = below(round, round->adjusts ? 5 : 3) > round->adjusts * 2;
  round->crowded = below(round, 3) == 0;
  round->moves = below(round, 2);
  round->commands = round->config.cmd_channels && below(round, 3);
  for (uint32_t slot = 0; slot < round->config.num_kernels; slot++) fill_memory(round, slot);
  enum qsm_backend_status status = read_all(round);
  if (!status)
    status = below(round, 4) ? put(round, QSM_REG_POLICY, below(round, QSM_POLICY_COUNT))
                             : status;  // else the one after reset
  if (!status)
    status =
        put(round, QSM_REG_EPOCH_LEN, qsm_config_epoch_min(&round->config) + below(round, 1500));
  // One round in three skips the long first epoch idle, so that schemes act from the first launch
  // on.
  uint64_t ran = 0;
  if (!status && below(round, 3) == 0)
    status = round->gpu->run(round->gpu, RESET_EPOCH, false, &ran);
  // Pace has the most rules of its own.
  uint32_t scheme = below(round, 4) ? below(round, QSM_SCHEME_COUNT) : QSM_SCHEME_PACE;
  round->counts_sms = scheme == QSM_SCHEME_SM_STATIC || scheme == QSM_SCHEME_SM_ROLLOVER;
  if (!status) status = put(round, QSM_REG_SCHEME, scheme);
  if (!status && below(round, 3) == 0) status = put(round, QSM_REG_ALPHA_CAP, 0);
  if (!status && below(round, 3) == 0) status = put(round, QSM_REG_ROLLOVER_CAP, below(round, 3));
  if (!status && below(round, 2)) status = put(round, QSM_REG_QUOTA_RULES, random_rules(round));
  if (!status) status = put(round, QSM_REG_LATECOMERS, below(round, 4) != 0);
  if (!status) status = put(round, QSM_REG_ADJUST, round->adjusts);
  if (!status) status = put(round, QSM_REG_ADJUST_TECHNIQUE, below(round, QSM_TECHNIQUE_COUNT));
  if (!status) status = set_gating(round);  // of use in schemes of whole SMs too
  if (!status && round->commands) status = start_channels(round);
  for (uint32_t slot = 0; !status && slot < round->config.num_kernels; slot++)
    if (!is_left(round, slot) && (slot == 0 || below(round, 3))) status = open_slot(round, slot);
  while (!status && round->gpu->cycle(round->gpu) < cycles) {
    status =
        round->gpu->run(round->gpu, 1 + below(round, below(round, 3) ? 300 : 1500), true, &ran);
    if (!status) status = serve(round);
    if (!status && round->commands) status = play_with_channels(round);
    if (!status && below(round, 3) == 0) status = meddle(round);
    for (uint32_t n = round->preempts ? below(round, 3) : 0; !status && n; n--)
      status = preempt(round);
    for (uint32_t n = round->moves ? below(round, 3) : 0; !status && n; n--)
      status = play_with_sms(round);
    if (!status && below(round, 24) == 0) status = let_go(round);
    if (!status && round->moves && below(round, 12) == 0) status = give_back(round);
    if (!status && below(round, 4) == 0) status = read_statistics(round);
    qsm_progress_show(progress, done_before + round->gpu->cycle(round->gpu));
  }
  return status;
}

// Compares the arenas at the end of a round; a difference shows in the next access.
static enum qsm_backend_status compare_memory(struct round *round) {
  static uint8_t bytes[QSM_FUZZ_DATA_BYTES];
  uint32_t ignored;
  for (uint32_t slot = 0; slot < round->config.num_kernels + round->commands; slot++)
    get_memory(round, slot, arena(round, slot) + DATA_OFFSET, bytes, sizeof bytes);
  return get(round, QSM_REG_ID, &ignored);
}

// ---- Rounds ----

// `make rtl CONFIG=name` in the source tree, in the words of make.
static int make_rtl(const char *name, char *msg, size_t msg_len) {
  char argument[QSM_CONFIG_NAME_MAX + 16];
  int status = -1;
  snprintf(argument, sizeof argument, "CONFIG=%s", name);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    // A make that this program runs under has settings of its own.
    unsetenv("MAKEFLAGS");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execlp("make", "make", "-C", qsm_source_root(), "--no-print-directory", "rtl", argument,
           (char *)NULL);
    _exit(127);
  }
  if (child > 0 && waitpid(child, &status, 0) == child && status == 0) return 0;
  snprintf(msg, msg_len, "cannot build the RTL of configuration %s: make -C %s rtl %s", name,
           qsm_source_root(), argument);
  return -1;
}

static bool is_random(const char *name) {
  return strncmp(name, "random-", 7) == 0 && name[7] &&
         strspn(name + 7, "0123456789") == strlen(name + 7);
}

// A named configuration, or "random" or "random-SEED": one that is made up from the seed, with its
// RTL.
static enum qsm_exit load_config(const struct qsm_fuzz_options *options, struct qsm_config *config,
                                 char *msg, size_t msg_len) {
  char name[QSM_CONFIG_NAME_MAX], path[1024];
  if (strcmp(options->config, "random") == 0)
    snprintf(name, sizeof name, "random-%" PRIu64, options->seed);
  else
    snprintf(name, sizeof name, "%s", options->config);
  if (!is_random(name))
    return qsm_config_load(options->config, config, msg, msg_len) ? QSM_EXIT_BAD_INPUT
                                                                  : QSM_EXIT_OK;
  if (make_rtl(name, msg, msg_len)) return QSM_EXIT_ENVIRONMENT;
  snprintf(path, sizeof path, "%s/build/configs/%s.yaml", qsm_source_root(), name);
  return qsm_config_load(path, config, msg, msg_len) ? QSM_EXIT_ENVIRONMENT : QSM_EXIT_OK;
}

struct tally {
  uint64_t cycles, fields, launches, faults, preemptions, yields, commands, stops, rounds;
};

static int end_waves(struct round *round, struct qsm_output *output, uint64_t cycles) {
  struct qsm_progress off = {.on = false};
  play(round, &off, 0, cycles);
  round->gpu->close(round->gpu);
  return qsm_waves_close(output, round->config.name, QSM_WAVES_AROUND_CYCLES, round->msg,
                         sizeof round->msg);
}

// The same round again on the tracing build, for the cycles around the difference.
static void write_waves(const struct qsm_config *config, uint64_t seed, uint64_t cycle,
                        const char *dir) {
  struct round round = {.random = qsm_random_seed(seed), .config = *config};
  char path[600];
  struct qsm_output output;
  snprintf(path, sizeof path, "%s/difference.fst", dir);
  int status = qsm_output_open(&output, path, round.msg, sizeof round.msg);
  if (!status) {
    const struct qsm_backend_options waves = qsm_waves_around(output.place, cycle);
    status = qsm_backend_open("rtl", config, &waves, &round.gpu, round.msg, sizeof round.msg);
    if (status)
      qsm_output_drop(&output);
    else
      status = end_waves(&round, &output, waves.wave_to + 1);
  }
  if (status)
    fprintf(stderr, "qsm: no waveform: %s\n", round.msg);
  else
    fprintf(stderr, "qsm: waveform of the cycles around it: gtkwave %s/difference.gtkw\n", dir);
}

static void add_to_tally(struct tally *tally, const struct round *round,
                         const struct qsm_lockstep_stats *stats) {
  tally->cycles += stats->cycles_compared;
  tally->fields += stats->fields_compared;
  tally->launches += round->launches;
  tally->faults += round->faults;
  tally->preemptions += round->preemptions;
  tally->yields += round->yields;
  tally->commands += round->channels.commands;
  tally->stops += round->channels.stops;
  tally->rounds++;
}

static enum qsm_exit play_round(const struct qsm_fuzz_options *options,
                                const struct qsm_config *config, uint64_t seed, uint64_t cycles,
                                const char *dir, struct qsm_progress *progress,
                                struct tally *tally) {
  struct round round = {.random = qsm_random_seed(seed), .config = *config};
  char replay[512], name[320] = "lockstep";
  snprintf(replay, sizeof replay,
           "qsm fuzz --config %s --seed %" PRIu64 " --cycles %" PRIu64 "%s%s%s%s%s",
           round.config.name, seed, cycles, options->netlist ? " --netlist" : "",
           options->board ? " --board " : "", options->board ? options->board : "",
           options->inject_block ? " --inject " : "",
           options->inject_block ? options->inject_block : "");
  if (options->board) snprintf(name, sizeof name, "checked:serial:%s", options->board);
  const struct qsm_backend_options backend = {.out_dir = dir,
                                              .replay = replay,
                                              .seed = seed,
                                              .netlist = options->netlist,
                                              .state_interval = STATE_INTERVAL,
                                              .inject_block = options->inject_block,
                                              .inject_cycle = 2000 + seed * 7919 % 8000};
  if (qsm_backend_open(name, &round.config, &backend, &round.gpu, round.msg, sizeof round.msg)) {
    fprintf(stderr, "qsm: %s\n", round.msg);
    return QSM_EXIT_ENVIRONMENT;
  }
  enum qsm_backend_status status = play(&round, progress, tally->cycles, cycles);
  if (!status) status = compare_memory(&round);
  struct qsm_lockstep_stats stats;
  round.gpu->lockstep_stats(round.gpu, &stats);
  add_to_tally(tally, &round, &stats);
  if (status)
    fprintf(stderr, "\nqsm: %s\nqsm: seed %" PRIu64 ", replay: %s\n", round.gpu->error(round.gpu),
            seed, replay);
  round.gpu->close(round.gpu);
  if (!status) return QSM_EXIT_OK;
  // The board itself may have failed, and has nothing to look into.
  if (options->board) return stats.differs ? QSM_EXIT_WRONG : QSM_EXIT_ENVIRONMENT;
  fprintf(stderr, "qsm: details: %s/difference.txt\n", dir);
  write_waves(&round.config, seed, stats.difference_cycle, dir);
  return QSM_EXIT_WRONG;
}

enum qsm_exit qsm_fuzz(const struct qsm_fuzz_options *options) {
  char dir[512], msg[1024];
  struct qsm_config config;
  if (options->out_dir)
    snprintf(dir, sizeof dir, "%s", options->out_dir);
  else
    snprintf(dir, sizeof dir, "qsm-fuzz");
  if (qsm_folder_make(dir) || access(dir, W_OK)) {
    fprintf(stderr, "qsm: output folder %s: %s\n", dir, strerror(errno));
    return QSM_EXIT_ENVIRONMENT;
  }
  enum qsm_exit code = load_config(options, &config, msg, sizeof msg);
  if (code) {
    fprintf(stderr, "qsm: %s\n", msg);
    return code;
  }
  struct qsm_progress progress;
  struct tally tally = {0};
  char title[QSM_CONFIG_NAME_MAX + 48];
  snprintf(title, sizeof title, "fuzz %s from seed %" PRIu64, config.name, options->seed);
  qsm_progress_start(&progress, title, options->cycles, !options->quiet);
  for (uint64_t seed = options->seed; !code && tally.cycles < options->cycles; seed++) {
    uint64_t left = options->cycles - tally.cycles;
    code = play_round(options, &config, seed, left < ROUND_CYCLES ? left : ROUND_CYCLES, dir,
                      &progress, &tally);
  }
  qsm_progress_end(&progress, tally.cycles);
  if (!code)
    printf("fuzz %s%s: seeds %" PRIu64 "..%" PRIu64 ", %" PRIu64
           " cycles compared without a difference, %.1f values per cycle, %" PRIu64
           " launches, %" PRIu64 " killed, %" PRIu64 " preemptions asked for, %" PRIu64
           " went on after a yield, %" PRIu64 " commands, %" PRIu64 " stops of channels\n",
           config.name,
           options->netlist ? ", netlist"
           : options->board ? ", board"
                            : "",
           options->seed, options->seed + tally.rounds - 1, tally.cycles,
           (double)tally.fields / (double)tally.cycles, tally.launches, tally.faults,
           tally.preemptions, tally.yields, tally.commands, tally.stops);
  if (!code && options->inject_block) {
    fprintf(stderr, "qsm: the flipped bit in %s was not found\n", options->inject_block);
    code = QSM_EXIT_UNSEEN;
  }
  return code;
}
