// SPDX-License-Identifier: Apache-2.0
// One SM of the golden model, as the GPU level sees it (docs/machine.md, docs/sm.md). The SM runs
// windows of up to NocLat cycles alone: everything that reaches it within a window was sent before
// the window began, so the GPU level first puts in the messages that it knows of, then runs the SM,
// then takes what the SM sent.
#ifndef QSM_SM_H
#define QSM_SM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_config.h"
#include "qsm_events.h"
#include "qsm_mem.h"
#include "qsm_model.h"
#include "qsm_reg_file.h"

enum {
  QSM_MAX_KERNELS = 8,
  QSM_MAX_LANES = 32,
  QSM_MAX_SUBS = 4,
  QSM_MAX_TBS = 32,
  QSM_MAX_WINDOW = 16,  // cycles of one qsm_sm_run(): NocLat's largest value
  QSM_MASK_WORDS = 4,   // byte mask of the longest line, in words
};

struct qsm_window {
  uint32_t base;
  uint32_t limit;
  bool r, w, x;
};

// Launch registers of a kernel slot.
struct qsm_desc {
  struct qsm_window win[2];
  uint32_t entry;
  uint32_t arg;
  uint32_t grid[3];  // [0] = x
  uint32_t block[3];
  uint32_t threads;       // BLOCK_THREADS
  uint32_t warps;         // BLOCK_WARPS
  uint32_t shared_bytes;  // SHARED, as written
  uint32_t granules;      // SHARED_GRAN
  uint32_t stack;         // STACK
};

// Direct signals (R-GEN-3), read by every SM, changed by the GPU level between windows only.
struct qsm_sm_shared {
  const struct qsm_config *config;
  QSM_SM_REGISTERS;  // by name, as docs/registers.md has them
  struct qsm_desc desc[QSM_MAX_KERNELS];
  uint64_t resched_at;  // the cycle that first sees the last write of POLICY, ACTIVE_WARPS, BUDGET
  uint32_t restart;     // bit per kernel: restart[k] in that cycle (R-QW-4)
  uint32_t qos_mask;    // bit k: CTX.valid and CTX.qos of slot k
  bool host_floats;     // the model may use the host's floats (qsm_fpu.h)
};

enum qsm_sm_msg_kind {
  QSM_MSG_START,     // kernel
  QSM_MSG_KILL,      // kernel
  QSM_MSG_DISPATCH,  // kernel, tb, first, base, block, linear, op (new or restore), image, fresh,
                     // ticket
  QSM_MSG_SAVE,      // kernel, tb, op (save or flush), image
  QSM_MSG_TICK,
  QSM_MSG_SAMPLE,
  QSM_MSG_QUOTA_WORD,  // kernel, quota, credit
  QSM_MSG_QUOTA_LOAD,  // scheme
  QSM_MSG_ICACHE_INV,
  QSM_MSG_GATE,
  QSM_MSG_WAKE,
};

struct qsm_sm_msg {
  uint64_t cycle;  // in which the SM sees it: sent + NocLat
  uint8_t kind;    // enum qsm_sm_msg_kind
  uint8_t kernel;
  uint8_t tb;      // TB slot
  uint8_t first;   // sub-core of the block's first warp
  uint8_t base;    // granule
  uint8_t scheme;  // enum qsm_scheme
  uint8_t op;      // enum qsm_tb_op
  uint8_t image;   // of the save area
  uint8_t keep;    // quota load: bit per kernel (R-QC-4)
  bool fresh;      // restore: the block starts from its beginning
  uint16_t ticket;
  uint32_t block[3];
  uint32_t linear;
  uint32_t quota;
  uint32_t credit;
};

// Memory request and response; kind and amo as in docs/xbar.md. A line is 4 * WarpSize bytes.
struct qsm_mem_req {
  uint64_t cycle;  // in which the SM sends it
  uint8_t kind;    // enum qsm_mem_type
  uint8_t amo;
  uint8_t tag;
  uint8_t slot;                    // kernel slot
  bool nc;                         // not to be allocated in the L2
  uint32_t addr;                   // multiple of the line length
  uint32_t bytes[QSM_MASK_WORDS];  // byte mask, bit i of word i / 32; 0 for reads
  uint32_t data[QSM_MAX_LANES];    // undefined for reads (the hardware sends 0)
};

struct qsm_mem_rsp {
  uint64_t cycle;  // in which the SM sees it
  uint8_t tag;
};

struct qsm_retire {
  uint64_t cycle;  // in which the SM sends it
  uint8_t tb;
  bool saved;  // the block lies in an image
};

struct qsm_slot_pulse {
  uint64_t cycle;    // in which the SM sends it: of a fault may be the first after the window
  uint32_t kernels;  // bit per slot
};

struct qsm_fault {
  uint32_t cause, pc, tid, block, value;
};

// What the SM sent in the last window, in cycle order.
struct qsm_sm_out {
  uint32_t n_req, n_retire, n_fault, n_fence;
  bool restored;  // at most one: the next block to restore comes after the GPU level has seen it
  uint64_t restored_at;
  bool told_power, power_on;  // on or off, at most one: the SM is not gated again before on is seen
  uint64_t power_at;
  struct qsm_mem_req req[QSM_MAX_WINDOW];  // at most one per cycle
  struct qsm_retire retire[QSM_MAX_WINDOW];
  struct qsm_slot_pulse fault[QSM_MAX_WINDOW];
  struct qsm_slot_pulse fence[QSM_MAX_WINDOW];  // device fences, where there are shader arrays
};

struct qsm_code;
struct qsm_sm;

// Builds SM number `index` in reset. `shared` and `code` are the GPU level's and outlive the SM.
// NULL: no memory.
struct qsm_sm *qsm_sm_create(const struct qsm_sm_shared *shared, struct qsm_code *code,
                             uint32_t index);
void qsm_sm_destroy(struct qsm_sm *sm);  // NULL is fine

// Puts in a message. Messages come in the order of their cycles, none before the next cycle to run.
void qsm_sm_send(struct qsm_sm *sm, const struct qsm_sm_msg *msg);
// Puts in a memory response, at most one per cycle and in the order of cycles. Its line goes where
// the result is, which the caller fills before the next run, but for a write's acknowledgement.
uint32_t *qsm_sm_push_response(struct qsm_sm *sm, uint64_t cycle, uint8_t tag);

// Runs cycles from .. to - 1, at most NocLat. `from` is the last call's `to`, or later when
// qsm_sm_next_event() allowed it.
void qsm_sm_run(struct qsm_sm *sm, uint64_t from, uint64_t to);
// What the last qsm_sm_run() sent; valid until the next.
const struct qsm_sm_out *qsm_sm_out(const struct qsm_sm *sm);
// First cycle in which the SM may do anything if no more messages are put in and no direct signal
// changes; UINT64_MAX: none. Windows before it need not be run.
uint64_t qsm_sm_next_event(const struct qsm_sm *sm);

// Every event goes to `sink` from now on; NULL: off.
void qsm_sm_set_sink(struct qsm_sm *sm, qsm_event_sink sink, void *ctx);
// Likewise every memory access.
void qsm_sm_set_access_sink(struct qsm_sm *sm, qsm_access_sink sink, void *ctx);
// Hash over issues, write-backs and quotas; 0 until enabled.
void qsm_sm_enable_hash(struct qsm_sm *sm);
uint64_t qsm_sm_hash(const struct qsm_sm *sm);

static inline uint64_t qsm_hash_mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

// What registers show of the SM, but for its snapshots, as it is at the start of `cycle`: the end
// of the last window, or later when qsm_sm_next_event() allowed to skip to it.
void qsm_sm_figures(const struct qsm_sm *sm, uint64_t cycle, struct qsm_sm_figures *figures);

// Registers read by the GPU level, as they are after the last cycle run.
uint32_t qsm_sm_snap_insn(const struct qsm_sm *sm, uint32_t kernel);
int32_t qsm_sm_snap_c(const struct qsm_sm *sm, uint32_t kernel);
uint32_t qsm_sm_snap_idle(const struct qsm_sm *sm, uint32_t kernel);
uint64_t qsm_sm_insns(const struct qsm_sm *sm, uint32_t kernel);  // all (R-IS-7), 40 bit
const struct qsm_fault *qsm_sm_fault(const struct qsm_sm *sm, uint32_t kernel);
uint32_t qsm_sm_l1_counter(const struct qsm_sm *sm, uint32_t kernel,
                           uint32_t counter);  // MEM_SELECT's number, from 16 on (R-L1-13)
// Stall counter (R-IS-6); `cycle` as in qsm_sm_figures().
uint32_t qsm_sm_stall(const struct qsm_sm *sm, uint64_t cycle, uint32_t sub, uint32_t kernel,
                      uint32_t reason);

// As qsm_model_state() and qsm_model_inject(), for the kinds and blocks of an SM; `cycle` as in
// qsm_sm_figures().
bool qsm_sm_state(const struct qsm_sm *sm, uint64_t cycle, enum qsm_state_kind kind, uint32_t sub,
                  uint32_t index, uint32_t word, uint32_t *value);
int qsm_sm_inject(struct qsm_sm *sm, const char *block, uint64_t seed, char *what, size_t what_len);

#endif
