// SPDX-License-Identifier: Apache-2.0
// An act uses only values from the start of the cycle. It runs before the pass that takes its
// place, before the response queue is served (which frees transactions) and before the end of the
// cycle, where the line of a response is filled and generations end.
#include "qsm_l1.h"

#include <stdlib.h>
#include <string.h>

#include "qsm_sm_blocks.h"

enum counter { COUNT_LOADS, COUNT_HITS, COUNT_JOINED, COUNT_MISSES, COUNT_STORES, COUNT_ATOMICS };

enum load_outcome { HIT = 0, JOINS = 1, ALLOCATES = 2, PASSES_BY = 3 };

enum { MATCH_VALID = 0, MATCH_PENDING = 1, NO_MATCH = 2, LAST_GEN = 15, NONE_REPORTED = 0xff };

struct qsm_l1 *qsm_l1_create(const struct qsm_config *config) {
  struct qsm_l1 *l1 = calloc(1, sizeof *l1);
  if (!l1) return NULL;
  uint32_t line_bytes = qsm_config_line_bytes(config);
  l1->n_ways = config->l1_ways;
  l1->has_policy = config->num_sas == 0;
  l1->n_sets = config->l1_kib * 1024 / (l1->n_ways * line_bytes);
  l1->n_words = config->warp_size;
  l1->line_shift = qsm_ctz(line_bytes);
  l1->set_bits = qsm_ctz(l1->n_sets);
  l1->way_bits = qsm_ctz(l1->n_ways);
  l1->line = calloc((size_t)l1->n_sets * l1->n_ways, sizeof *l1->line);
  l1->tree = calloc(l1->n_sets, sizeof *l1->tree);
  l1->data = calloc((size_t)l1->n_sets * l1->n_ways, line_bytes);
  if (!l1->line || !l1->tree || !l1->data) {
    qsm_l1_destroy(l1);
    return NULL;
  }
  qsm_l1_reset(l1);
  return l1;
}

void qsm_l1_reset(struct qsm_l1 *l1) {
  l1->pass.full = false;
  l1->match = 0;
  l1->filling = QSM_L1_NONE;
  l1->fenced = 0;
  memset(l1->gen, 0, sizeof l1->gen);
  memset(l1->line, 0, (size_t)l1->n_sets * l1->n_ways * sizeof *l1->line);
  memset(l1->tree, 0, l1->n_sets * sizeof *l1->tree);
}

void qsm_l1_destroy(struct qsm_l1 *l1) {
  if (!l1) return;
  free(l1->line);
  free(l1->tree);
  free(l1->data);
  free(l1);
}

// ---- Lines ----

static uint32_t set_of(const struct qsm_l1 *l1, uint32_t addr) {
  return addr >> l1->line_shift & (l1->n_sets - 1);
}
static uint32_t tag_of(const struct qsm_l1 *l1, uint32_t addr) {
  return addr >> l1->line_shift >> l1->set_bits;
}
static uint32_t *data_of(const struct qsm_l1 *l1, uint32_t line) {
  return &l1->data[(size_t)line * l1->n_words];
}

// R-L1-2.
static uint16_t find(const struct qsm_l1 *l1, uint32_t addr, uint32_t slot) {
  uint32_t first = set_of(l1, addr) * l1->n_ways, tag = tag_of(l1, addr);
  for (uint32_t w = 0; w < l1->n_ways; w++) {
    const struct qsm_l1_line *line = &l1->line[first + w];
    if ((line->valid || line->pending) && line->tag == tag && line->slot == slot &&
        line->gen == l1->gen[slot])
      return (uint16_t)(first + w);
  }
  return QSM_L1_NONE;
}

// The line of the set that a miss takes (R-L1-5); QSM_L1_NONE: all are pending.
static uint16_t choose(const struct qsm_l1 *l1, uint32_t set) {
  const struct qsm_l1_line *ways = &l1->line[set * l1->n_ways];
  uint32_t node = 1;
  for (uint32_t w = 0; w < l1->n_ways; w++) {
    if (!ways[w].valid && !ways[w].pending) return (uint16_t)(set * l1->n_ways + w);
  }
  while (node < l1->n_ways) node = 2 * node + (l1->tree[set] >> node & 1u);
  uint32_t way = node - l1->n_ways;
  for (uint32_t w = 0; ways[way].pending && w < l1->n_ways; w++) way = w;
  return ways[way].pending ? QSM_L1_NONE : (uint16_t)(set * l1->n_ways + way);
}

static bool skips(const struct qsm_sm *sm, uint32_t slot) {
  return sm->l1->has_policy && sm->shared->cache_policy[slot] & QSM_CACHE_SKIP_L1;
}

// R-L1-10: every node on the path points away from the way (R-L2-9).
static void touch(const struct qsm_sm *sm, uint32_t line) {
  struct qsm_l1 *l1 = sm->l1;
  if (skips(sm, l1->pass.req.slot)) return;
  uint16_t *tree = &l1->tree[line >> l1->way_bits];
  uint32_t node = 1, way = line & (l1->n_ways - 1);
  for (uint32_t half = l1->n_ways / 2; half > 0; half /= 2) {
    bool upper = way & half;
    *tree = (uint16_t)((*tree & ~(1u << node)) | (uint32_t)!upper << node);
    node = 2 * node + upper;
  }
}

// ---- Acts ----

// What L1OP tells of an act.
struct acted {
  uint32_t outcome;
  uint16_t line;  // QSM_L1_NONE: none
  uint32_t txn;
};

static uint32_t take_txn(struct qsm_sm *sm) {
  const struct qsm_part *part = &sm->l1->pass.part;
  if (part->away) qsm_share_take(&sm->share);
  return qsm_lsu_open_txn(&sm->lsu, part);
}

static uint32_t send(struct qsm_sm *sm, uint64_t c) {
  struct qsm_mem_req *req = qsm_mem_port_request(sm, c);
  *req = sm->l1->pass.req;
  req->cycle = c;
  req->tag = (uint8_t)take_txn(sm);
  qsm_mem_port_send(sm, req);
  return req->tag;
}

// R-L1-3.
static void hit(struct qsm_sm *sm, uint32_t line, uint64_t c) {
  qsm_lsu_return_lanes(sm, &sm->l1->pass.part, data_of(sm->l1, line));
  touch(sm, line);
  QSM_EMIT(sm, c, QSM_EV_RETURN, 0, 0xFFFFFFFEu);
}

// R-L1-4.
static uint32_t join(struct qsm_sm *sm, uint32_t line) {
  uint32_t tag = take_txn(sm);
  qsm_lsu_join_txn(&sm->lsu, sm->l1->line[line].txn, tag);
  return tag;
}

// R-L1-5.
static struct acted miss(struct qsm_sm *sm, uint64_t c) {
  struct qsm_l1 *l1 = sm->l1;
  uint32_t addr = l1->pass.req.addr, slot = l1->pass.req.slot, tag = send(sm, c);
  uint16_t line =
      skips(sm, slot) || l1->match != QSM_L1_NONE ? QSM_L1_NONE : choose(l1, set_of(l1, addr));
  if (line == QSM_L1_NONE) return (struct acted){PASSES_BY, line, tag};
  l1->line[line] = (struct qsm_l1_line){.pending = true,
                                        .slot = (uint8_t)slot,
                                        .gen = l1->gen[slot],
                                        .txn = (uint8_t)tag,
                                        .tag = tag_of(l1, addr)};
  qsm_lsu_set_line(&sm->lsu, tag, line);
  touch(sm, line);
  return (struct acted){ALLOCATES, line, tag};
}

static bool act_load(struct qsm_sm *sm, bool granted, bool port_free, uint64_t c,
                     struct acted *acted) {
  struct qsm_l1 *l1 = sm->l1;
  const struct qsm_l1_line *match = l1->match == QSM_L1_NONE ? NULL : &l1->line[l1->match];
  uint32_t *count = l1->count[l1->pass.req.slot];
  if (match && match->valid) {
    if (!granted) return false;
    hit(sm, l1->match, c);
    *acted = (struct acted){HIT, l1->match, NONE_REPORTED};
    count[COUNT_HITS]++;
  } else if (!qsm_lsu_has_txn(&sm->lsu)) {
    return false;
  } else if (match && !match->poison) {
    *acted = (struct acted){JOINS, l1->match, join(sm, l1->match)};
    count[COUNT_JOINED]++;
  } else {
    if (!port_free) return false;
    *acted = miss(sm, c);
    count[COUNT_MISSES] += acted->outcome == ALLOCATES;
  }
  count[COUNT_LOADS]++;
  return true;
}

// R-L1-6.
static bool act_write(struct qsm_sm *sm, bool port_free, uint64_t c, struct acted *acted) {
  struct qsm_l1 *l1 = sm->l1;
  const struct qsm_mem_req *req = &l1->pass.req;
  if (!port_free || !qsm_lsu_has_txn(&sm->lsu) || l1->filling != QSM_L1_NONE) return false;
  *acted = (struct acted){NO_MATCH, l1->match, send(sm, c)};
  l1->count[req->slot][req->kind == QSM_MEM_AMO ? COUNT_ATOMICS : COUNT_STORES]++;
  if (l1->match == QSM_L1_NONE) return true;
  struct qsm_l1_line *match = &l1->line[l1->match];
  acted->outcome = match->valid ? MATCH_VALID : MATCH_PENDING;
  if (match->pending) {
    match->poison = true;
  } else if (req->kind == QSM_MEM_AMO) {
    match->valid = false;
  } else {
    const struct qsm_mem_access access = {
        .kind = QSM_MEM_WRITE, .bytes = req->bytes, .data = req->data};
    qsm_mem_apply(&access, (uint8_t *)data_of(l1, l1->match), l1->n_words);
    touch(sm, l1->match);
  }
  return true;
}

bool qsm_l1_look(struct qsm_sm *sm, uint64_t c) {
  struct qsm_l1 *l1 = sm->l1;
  if (!l1->pass.full) return false;
  const struct qsm_mem_req *req = &l1->pass.req;
  l1->match = find(l1, req->addr, req->slot);
  bool is_hit = req->kind == QSM_MEM_READ && l1->match != QSM_L1_NONE && l1->line[l1->match].valid;
  return is_hit && qsm_lsu_has_credit(&sm->lsu, l1->pass.part.sub, c);
}

bool qsm_l1_act(struct qsm_sm *sm, bool granted, bool port_free, uint64_t c) {
  struct qsm_l1 *l1 = sm->l1;
  const struct qsm_mem_req *req = &l1->pass.req;
  struct acted acted;
  if (!l1->pass.full) return false;
  if (!(req->kind == QSM_MEM_READ ? act_load(sm, granted, port_free, c, &acted)
                                  : act_write(sm, port_free, c, &acted)))
    return false;
  l1->pass.full = false;
  uint32_t way = acted.line == QSM_L1_NONE ? NONE_REPORTED : acted.line & (l1->n_ways - 1);
  QSM_EMIT(sm, c, QSM_EV_L1_OP, 0, req->kind, req->addr, acted.outcome, way, acted.txn);
  return true;
}

// ---- The end of a cycle ----

// R-L1-7.
static void fill(struct qsm_l1 *l1, struct qsm_lsu *lsu) {
  struct qsm_l1_line *line = &l1->line[l1->filling];
  line->pending = false;
  line->valid = !line->poison;
  line->poison = false;
  memcpy(data_of(l1, l1->filling), qsm_lsu_line(lsu, line->txn), l1->n_words * sizeof *l1->data);
}

static uint32_t all_gens(const struct qsm_l1 *l1) {
  uint32_t gens = 0;
  for (uint32_t k = 0; k < QSM_MAX_KERNELS; k++) gens |= (uint32_t)l1->gen[k] << 4 * k;
  return gens;
}

// R-L1-11.
static void end_generations(struct qsm_sm *sm, uint32_t kernels, uint64_t c) {
  struct qsm_l1 *l1 = sm->l1;
  bool wraps = false;
  for (; kernels; kernels &= kernels - 1) {
    uint8_t *gen = &l1->gen[qsm_ctz(kernels)];
    wraps |= *gen == LAST_GEN;
    *gen = (*gen + 1) & LAST_GEN;
  }
  for (uint32_t i = 0; wraps && i < l1->n_sets * l1->n_ways; i++) {
    l1->line[i].valid = false;
    l1->line[i].poison = l1->line[i].pending;
  }
  if (l1->pass.full) qsm_lsu_wake(&sm->lsu);  // it may have another match now
  QSM_EMIT(sm, c, QSM_EV_L1_GEN, 0, all_gens(l1));
}

void qsm_l1_clear_counters(struct qsm_l1 *l1, uint32_t kernels) {
  for (; kernels; kernels &= kernels - 1)
    memset(l1->count[qsm_ctz(kernels)], 0, sizeof l1->count[0]);
}

static __attribute__((noinline)) void end(struct qsm_sm *sm, uint32_t ended, uint32_t started,
                                          uint64_t c) {
  struct qsm_l1 *l1 = sm->l1;
  uint32_t line = l1->filling;
  if (line != QSM_L1_NONE) fill(l1, &sm->lsu);
  if (ended) end_generations(sm, ended, c);
  if (line != QSM_L1_NONE)
    QSM_EMIT(sm, c, QSM_EV_L1_FILL, 0, line / l1->n_ways, line % l1->n_ways, l1->line[line].txn,
             l1->line[line].valid);
  qsm_l1_clear_counters(l1, started);
  l1->filling = QSM_L1_NONE;
  l1->fenced = 0;
}

// Without an end, a start (which is an end too) or a fill there is nothing to do.
void qsm_l1_end(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c) {
  uint32_t ended = sm->l1->fenced | in->start | in->restore;
  if (ended || sm->l1->filling != QSM_L1_NONE) end(sm, ended, in->start, c);
}

// ---- State ----

static bool stage_state(const struct qsm_sm *sm, uint32_t word, uint32_t *value) {
  const struct qsm_l1_pass *pass = &sm->l1->pass;
  const struct qsm_part *part = &pass->part;
  switch (word) {
    case 0: *value = pass->full; return true;
    case 1: *value = pass->full ? pass->req.addr : 0; return true;
    case 2: *value = pass->full ? part->mask : 0; return true;
    case 3:
      *value = pass->full ? part->sub | (uint32_t)part->warp << 8 | (uint32_t)part->entry << 16 |
                                (uint32_t)pass->req.kind << 24
                          : 0;
      return true;
    case 4: *value = qsm_lsu_turns(&sm->lsu); return true;
    case 5: *value = all_gens(sm->l1); return true;
    default: return false;
  }
}

static bool set_state(const struct qsm_l1 *l1, uint32_t set, uint32_t word, uint32_t *value) {
  if (set >= l1->n_sets || word > 2 * l1->n_ways) return false;
  if (word == 2 * l1->n_ways) {
    *value = l1->tree[set];
    return true;
  }
  const struct qsm_l1_line *line = &l1->line[set * l1->n_ways + word % l1->n_ways];
  *value = 0;
  if (!line->valid && !line->pending) return true;
  uint32_t flags =
      (uint32_t)line->valid | (uint32_t)line->pending << 1 | (uint32_t)line->poison << 2;
  *value = word >= l1->n_ways ? line->tag
                              : flags | (uint32_t)line->gen << 4 | (uint32_t)line->slot << 8 |
                                    (line->pending ? (uint32_t)line->txn << 16 : 0);
  return true;
}

bool qsm_l1_state(const struct qsm_sm *sm, enum qsm_state_kind kind, uint32_t index, uint32_t word,
                  uint32_t *value) {
  if (!sm->l1) return false;
  if (kind == QSM_STATE_L1_SET) return set_state(sm->l1, index, word, value);
  return index == 0 && stage_state(sm, word, value);
}

// The generation of a kernel that has blocks here: its lines do not match, or lines match that
// should not; and the count stays off.
bool qsm_l1_flip(struct qsm_flip *flip, struct qsm_sm *sm) {
  if (!sm->l1 || !sm->launch.present) return false;
  uint32_t k = qsm_flip_draw_bit(flip, sm->launch.present);
  qsm_flip_small(flip, &sm->l1->gen[k], qsm_flip_draw(flip, 4), "gen", k);
  return true;
}
