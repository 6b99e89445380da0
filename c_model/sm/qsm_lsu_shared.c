// SPDX-License-Identifier: Apache-2.0
// The load/store unit's shared pass (R-LS-7, R-LS-8 of docs/lsu.md).
#include <string.h>

#include "qsm_exec.h"
#include "qsm_lanes.h"
#include "qsm_sm_blocks.h"

struct footprint {   // of the lanes of a pass in shared memory
  uint32_t banks;    // bit per bank
  uint32_t differs;  // bits in which words differ from that of the first lane
};

// Words of the lanes in `mask`, 0 for others. The bank is the low bits of the word number, so one
// word is one row of one bank.
QSM_LANE_FUNCTION void find_words(const uint32_t *addr, uint32_t base, uint32_t mask,
                                  uint32_t *word, struct footprint *out, uint32_t n) {
  uint32_t first = (base + (addr[qsm_ctz(mask)] & 0x0FFFFFFF)) / 4, banks = 0, differs = 0;
  QSM_LANES {
    uint32_t active = 0u - (mask >> l & 1), w = (base + (addr[l] & 0x0FFFFFFF)) / 4;
    word[l] = w & active;
    banks |= 1u << (w & (n - 1)) & active;
    differs |= (w ^ first) & active;
  }
  *out = (struct footprint){banks, differs};
}

// Where several lanes want a bank, the lowest has it; loads of the same word join it (R-LS-7).
static uint32_t lanes_of_pass(const struct qsm_sm *sm, const uint32_t *word,
                              const struct footprint *print, bool load, uint32_t remaining) {
  // As many banks as lanes: each is the first of its bank. Loads of one word: each joins the first.
  bool conflict = qsm_popcount(print->banks) != qsm_popcount(remaining);
  if (!conflict || (load && !print->differs)) return remaining;
  uint32_t leader_word[QSM_MAX_LANES];
  uint32_t banks = 0, lanes = 0;
  for (; remaining; remaining &= remaining - 1) {
    uint32_t l = qsm_ctz(remaining), bank = word[l] & (sm->n_lanes - 1);
    if (!(banks >> bank & 1)) {
      banks |= 1u << bank;
      leader_word[bank] = word[l];
    } else if (!load || leader_word[bank] != word[l]) {
      continue;
    }
    lanes |= 1u << l;
  }
  return lanes;
}

static void store_shared(struct qsm_sm *sm, const struct qsm_mem_op *op, const uint32_t *word,
                         uint32_t lanes) {
  uint32_t bytes = qsm_access_bytes(op->insn.op);
  for (; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes);
    uint32_t shift = (op->addr[l] & 3) * 8, field = (bytes == 4 ? ~0u : (1u << bytes * 8) - 1)
                                                    << shift;
    uint32_t *at = &sm->lsu.shared_mem[word[l]];
    *at = (*at & ~field) | (op->data[l] << shift & field);
  }
}

static void amo_shared(struct qsm_sm *sm, const struct qsm_mem_op *op, const uint32_t *word,
                       uint32_t lanes) {
  struct qsm_lsu *lsu = &sm->lsu;
  lsu->amo_lanes = lanes;
  for (; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes);
    lsu->amo_word[l] = word[l];
    lsu->amo_value[l] = qsm_exec_amo(op->insn.imm, lsu->shared_mem[word[l]], op->data[l]);
  }
}

void qsm_lsu_write_amo(struct qsm_lsu *lsu, uint32_t lanes) {
  for (; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes);
    lsu->shared_mem[lsu->amo_word[l]] = lsu->amo_value[l];
  }
}

QSM_LANE_FUNCTION void read_words(const uint32_t *shared, const uint32_t *word, uint32_t *out,
                                  uint32_t n) {
  QSM_LANES out[l] = shared[word[l]];
}

static void load_shared(struct qsm_sm *sm, const struct qsm_mem_op *op, const uint32_t *word,
                        uint32_t lanes) {
  struct qsm_result *result = qsm_lsu_return(sm, &op->insn, op->sub, op->warp, op->entry, lanes);
  qsm_subcore_add_part(sm->sub[op->sub], op->warp, op->entry);
  QSM_PER_WARP_SIZE(sm->n_lanes, read_words, sm->lsu.shared_mem, word, result->data);
  qsm_lsu_extend(sm, op->insn.op, op->addr, result->data);
}

void qsm_lsu_shared_pass(struct qsm_sm *sm, const struct qsm_mem_op *op, uint64_t c) {
  struct qsm_lsu *lsu = &sm->lsu;
  bool store = qsm_is_store(&op->insn), amo = op->insn.op == QSM_OP_AMO;
  uint32_t word[QSM_MAX_LANES],
      base = sm->launch.tb[op->tb].base * qsm_config_granule_bytes(sm->shared->config);
  struct footprint print;
  QSM_PER_WARP_SIZE(sm->n_lanes, find_words, op->addr, base, lsu->rem_shared, word, &print);
  uint32_t lanes = lanes_of_pass(sm, word, &print, !store && !amo, lsu->rem_shared);
  if (store) store_shared(sm, op, word, lanes);
  if (amo) amo_shared(sm, op, word, lanes);
  if (!store) load_shared(sm, op, word, lanes);
  lsu->rem_shared &= ~lanes;
  if (!op->injected) qsm_energy_note_shared(&sm->energy, op->kernel, qsm_popcount(lanes));
  QSM_EMIT(sm, c, QSM_EV_LSU_PASS, 0, op->sub, op->warp, 0, lanes);
  QSM_EMIT(sm, c, QSM_EV_RETURN, 0, 0xFFFFFFFFu);
}

void qsm_lsu_clear_shared(struct qsm_sm *sm, uint32_t row, uint32_t n_rows) {
  memset(sm->lsu.shared_mem + row * sm->n_lanes, 0, n_rows * sm->line_bytes);
}

bool qsm_lsu_shared_word(const struct qsm_sm *sm, uint64_t cycle, uint32_t row, uint32_t bank,
                         uint32_t *value) {
  uint32_t n_rows = sm->shared->config->shared_bytes / sm->line_bytes;
  if (row >= n_rows || bank >= sm->n_lanes) return false;
  bool cleared = qsm_wipe_has_cleared(&sm->wipe, row, cycle);
  *value = cleared ? 0 : sm->lsu.shared_mem[row * sm->n_lanes + bank];
  return true;
}
