// SPDX-License-Identifier: Apache-2.0
// Operations act one after the other, and each sees the effects of all earlier ones, so all changes
// of an operation are made in its act. Only queue entries carry the cycle from which on they are
// visible.
#include "qsm_l2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_sm.h"

enum {
  MAX_MSHRS = 64,
  MAX_WAITERS = 256,
  MAX_WAYS = 16,
  MAX_OUT = MAX_MSHRS + 4,
  RSP_DEPTH = 4,
  RSP_PLACES = 8,  // with those that the crossbar still reads
  NONE = 0xffff,   // no way, MSHR, waiter
  NONE_REPORTED = 0xff,
};

enum { OP_NONE = QSM_L2_OP_COUNT };  // in place of an operation

enum counter {
  COUNT_REQUESTS,
  COUNT_HITS,
  COUNT_MERGED,
  COUNT_MISSES,
  COUNT_PASSED,
  COUNT_ATOMICS,
  COUNT_VICTIMS
};

// A way is a word, as in its state: the tag above these. 0: not valid.
enum { VALID = 1, DIRTY = 2, TAG_SHIFT = 2 };

struct mshr {
  uint8_t slot;
  uint16_t first, last, n_waiters;  // list of waiters
};

struct waiter {
  uint16_t next;
  const struct qsm_mem_access *request;
};

struct out_entry {
  uint64_t from;  // in the queue from this cycle on
  struct qsm_mem_access access;
  uint32_t line[QSM_MEM_MAX_WORDS];  // of an own write
};

// What began in the last look and acts in `at`.
struct op {
  uint32_t kind;
  uint64_t at;
  uint32_t set, way;                        // walk
  const struct qsm_mem_access *request;     // request
  const struct qsm_mem_response *response;  // fill, pass
};

// R-L2-9: the nodes on the way to a way, and those of them that point to the upper half once they
// point away from it.
struct path {
  uint16_t nodes, away;
};

struct slice {
  struct op op;
  uint64_t no_look;  // R-L2-1
  uint32_t credit_rsp, credit_out, credit_mshr, credit_waiter;
  uint32_t out_head, n_out, rsp_head, n_rsp;
  uint64_t mshrs;   // bit j: MSHR j is valid
  uint32_t filled;  // MSHR, or NONE
  uint32_t free_waiter;
  bool flushing, walking;
  uint32_t walk_set, walk_way, last_set;
  uint32_t colour, unacked[2];  // own writes that are not acknowledged, by colour
  uint32_t *way;                // [set][MAX_WAYS]: those that the slice has not are never valid
  uint16_t *tree;               // [set], bit n: node n
  uint32_t *data;               // [set][way][word]
  struct out_entry out[MAX_OUT];
  struct {
    uint64_t from;
    struct qsm_mem_response response;
  } rsp[RSP_PLACES];
  uint32_t mshr_addr[MAX_MSHRS];
  struct mshr mshr[MAX_MSHRS];
  struct waiter waiter[MAX_WAITERS];
  uint32_t count[QSM_MAX_KERNELS][QSM_L2_COUNTERS];
  struct {  // of what the last act counted, which shows a cycle later (R-L2-13)
    uint64_t at;
    uint32_t slot, counters;
  } recent;
};

struct qsm_l2 {
  const struct qsm_config *config;
  const struct qsm_port *port;
  const struct qsm_bus *bus;
  uint32_t line_bytes, n_words, n_ways, n_sets;
  uint32_t line_shift, channel_bits, set_bits;
  uint32_t n_out_places;
  struct path path[MAX_WAYS];
  bool flush_written;
  uint64_t flush_cycle;          // of the write
  uint32_t first_set, last_set;  // of its walk
  uint32_t n_flushing;           // slices that are not done
  uint64_t flush_done_at;        // the last slice's done, once all are
  struct slice *slice;           // of each channel
};

// ---- Creation ----

static int create_slice(const struct qsm_l2 *l2, struct slice *s) {
  size_t n_lines = (size_t)l2->n_sets * l2->n_ways;
  s->way = calloc((size_t)l2->n_sets * MAX_WAYS, sizeof *s->way);
  s->tree = calloc(l2->n_sets, sizeof *s->tree);
  s->data = calloc(n_lines, l2->line_bytes);
  s->op.kind = OP_NONE;
  s->no_look = QSM_NEVER;
  s->credit_rsp = RSP_DEPTH;
  s->credit_out = l2->n_out_places;
  s->credit_mshr = l2->config->l2_mshrs;
  s->credit_waiter = l2->config->l2_waiters;
  s->filled = NONE;
  for (uint32_t i = 0; i < MAX_WAITERS; i++) s->waiter[i].next = (uint16_t)(i + 1);
  return s->way && s->tree && s->data ? 0 : -1;
}

static struct path path_to(uint32_t way, uint32_t n_ways) {
  struct path path = {0};
  uint32_t node = 1;
  for (uint32_t half = n_ways / 2; half > 0; half /= 2) {
    bool upper = way & half;
    path.nodes |= (uint16_t)(1u << node);
    path.away |= (uint16_t)((uint32_t)!upper << node);
    node = 2 * node + upper;
  }
  return path;
}

struct qsm_l2 *qsm_l2_create(const struct qsm_config *config, const struct qsm_port *port,
                             const struct qsm_bus *bus) {
  struct qsm_l2 *l2 = calloc(1, sizeof *l2);
  if (!l2) return NULL;
  l2->config = config;
  l2->port = port;
  l2->bus = bus;
  l2->line_bytes = qsm_config_line_bytes(config);
  l2->n_words = config->warp_size;
  l2->n_ways = config->l2_ways;
  l2->n_sets = qsm_config_l2_sets(config);
  l2->line_shift = qsm_lowest(l2->line_bytes);
  l2->channel_bits = qsm_lowest(config->num_channels);
  l2->set_bits = qsm_lowest(l2->n_sets);
  l2->n_out_places = qsm_config_l2_out_places(config);
  for (uint32_t w = 0; w < l2->n_ways; w++) l2->path[w] = path_to(w, l2->n_ways);
  l2->slice = calloc(config->num_channels, sizeof *l2->slice);
  if (!l2->slice) goto no_memory;
  for (uint32_t c = 0; c < config->num_channels; c++) {
    if (create_slice(l2, &l2->slice[c]) != 0) goto no_memory;
  }
  return l2;
no_memory:
  qsm_l2_destroy(l2);
  return NULL;
}

void qsm_l2_destroy(struct qsm_l2 *l2) {
  if (!l2) return;
  for (uint32_t c = 0; l2->slice && c < l2->config->num_channels; c++) {
    free(l2->slice[c].way);
    free(l2->slice[c].tree);
    free(l2->slice[c].data);
  }
  free(l2->slice);
  free(l2);
}

// ---- Lines ----

static uint32_t line_number(const struct qsm_l2 *l2, uint32_t addr) {
  return addr >> l2->line_shift >> l2->channel_bits;
}
static uint32_t set_of(const struct qsm_l2 *l2, uint32_t addr) {
  return line_number(l2, addr) & (l2->n_sets - 1);
}
static uint32_t tag_of(const struct qsm_l2 *l2, uint32_t addr) {
  return line_number(l2, addr) >> l2->set_bits;
}

static uint32_t addr_of(const struct qsm_l2 *l2, uint32_t c, uint32_t set, uint32_t tag) {
  return ((tag << l2->set_bits | set) << l2->channel_bits | c) << l2->line_shift;
}

static uint32_t *ways_of(const struct slice *s, uint32_t set) {
  return &s->way[(size_t)set * MAX_WAYS];
}

static bool is_dirty(uint32_t way) { return way & DIRTY; }

static uint32_t *data_at(const struct qsm_l2 *l2, const struct slice *s, uint32_t set,
                         uint32_t way) {
  return &s->data[((size_t)set * l2->n_ways + way) * l2->n_words];
}

// Bit per word of 16: whether it has this value in the bits of the mask.
static inline uint32_t which_equal(const uint32_t *word, uint32_t mask, uint32_t value) {
  uint32_t equal = 0;
  for (uint32_t i = 0; i < 16; i++) equal |= (uint32_t)((word[i] & mask) == value) << i;
  return equal;
}

static uint32_t find_way(const struct qsm_l2 *l2, const struct slice *s, uint32_t addr) {
  uint32_t found = which_equal(ways_of(s, set_of(l2, addr)), ~(uint32_t)DIRTY,
                               tag_of(l2, addr) << TAG_SHIFT | VALID);
  return found ? qsm_lowest(found) : NONE;
}

// R-L2-8, R-L2-9.
static uint32_t choose_way(const struct qsm_l2 *l2, const struct slice *s, uint32_t set) {
  uint32_t node = 1, empty = which_equal(ways_of(s, set), VALID, 0);
  if (empty && qsm_lowest(empty) < l2->n_ways) return qsm_lowest(empty);
  while (node < l2->n_ways) node = 2 * node + (s->tree[set] >> node & 1u);
  return node - l2->n_ways;
}

// R-L2-9.
static void touch(const struct qsm_l2 *l2, struct slice *s, uint32_t set, uint32_t way) {
  s->tree[set] = (uint16_t)((s->tree[set] & ~l2->path[way].nodes) | l2->path[way].away);
}

static uint32_t find_mshr(const struct slice *s, uint32_t addr) {
  for (uint32_t j = 0; j < MAX_MSHRS; j += 16) {
    uint32_t valid = s->mshrs >> j & 0xffff;
    uint32_t found = valid ? which_equal(&s->mshr_addr[j], UINT32_MAX, addr) & valid : 0;
    if (found) return j + qsm_lowest(found);
  }
  return NONE;
}

static bool is_whole_line(const struct qsm_l2 *l2, const struct qsm_mem_access *access) {
  if (access->kind != QSM_MEM_WRITE) return false;
  uint32_t missing = 0, of_word = l2->line_bytes >= 32 ? UINT32_MAX : (1u << l2->line_bytes) - 1;
  for (uint32_t i = 0; i < l2->line_bytes; i += 32) missing |= ~access->bytes[i / 32];
  return !(missing & of_word);
}

// ---- Queues ----

// Whose a response is.
struct sender {
  uint8_t sm, tag, place;
};

static struct sender sender_of(const struct qsm_mem_access *access) {
  return (struct sender){access->sm, access->tag, access->place};
}

// Everything of an op is in the response queue at the end of the cycle after its act. `line` NULL:
// an acknowledgement.
static void respond(const struct qsm_l2 *l2, struct slice *s, uint64_t cycle, struct sender to,
                    const uint32_t *line) {
  uint32_t place = (s->rsp_head + s->n_rsp++) % RSP_PLACES;
  s->rsp[place].from = cycle + 2;
  struct qsm_mem_response *response = &s->rsp[place].response;
  response->sm = to.sm;
  response->tag = to.tag;
  response->place = to.place;
  response->kind = line ? QSM_MEM_READ : QSM_MEM_WRITE;
  if (line) qsm_copy_line(response->data, line, l2->line_bytes);
}

static struct out_entry *push_out(const struct qsm_l2 *l2, struct slice *s, uint64_t from,
                                  const struct qsm_mem_access *access) {
  uint32_t place = s->out_head + s->n_out++;
  struct out_entry *entry = &s->out[place < l2->n_out_places ? place : place - l2->n_out_places];
  entry->from = from;
  entry->access = *access;
  return entry;
}

// Own accesses (R-L2-12). The credit of `out` stays taken until the acknowledgement, or the fill.
static void push_own_write(const struct qsm_l2 *l2, struct slice *s, uint64_t cycle, uint32_t addr,
                           uint32_t slot, const uint32_t *line) {
  static const uint32_t all[QSM_MEM_MAX_MASK_WORDS] = {UINT32_MAX, UINT32_MAX, UINT32_MAX,
                                                       UINT32_MAX};
  const struct qsm_mem_access access = {.kind = QSM_MEM_WRITE,
                                        .sm = (uint8_t)qsm_config_requesters(l2->config),
                                        .tag = (uint8_t)(l2->config->l2_mshrs + s->colour),
                                        .slot = (uint8_t)slot,
                                        .addr = addr,
                                        .bytes = all};
  struct out_entry *entry = push_out(l2, s, cycle + 2, &access);
  qsm_copy_line(entry->line, line, l2->line_bytes);
  entry->access.data = entry->line;
  s->unacked[s->colour]++;
}

static void push_own_read(const struct qsm_l2 *l2, struct slice *s, uint64_t cycle, uint32_t j) {
  const struct qsm_mem_access access = {.kind = QSM_MEM_READ,
                                        .sm = (uint8_t)qsm_config_requesters(l2->config),
                                        .tag = (uint8_t)j,
                                        .slot = s->mshr[j].slot,
                                        .addr = s->mshr_addr[j]};
  push_out(l2, s, cycle + 1, &access);
}

// ---- Lists of waiters ----

static void join(struct slice *s, uint32_t j, const struct qsm_mem_access *access) {
  struct mshr *mshr = &s->mshr[j];
  uint16_t w = (uint16_t)s->free_waiter;
  s->free_waiter = s->waiter[w].next;
  s->waiter[w].request = access;
  if (mshr->n_waiters++ == 0) {
    mshr->first = w;
  } else {
    s->waiter[mshr->last].next = w;
  }
  mshr->last = w;
}

static const struct qsm_mem_access *first_waiter(const struct slice *s, uint32_t j) {
  return s->waiter[s->mshr[j].first].request;
}

static void leave(struct slice *s, uint32_t j) {
  struct mshr *mshr = &s->mshr[j];
  uint16_t w = mshr->first;
  mshr->first = s->waiter[w].next;
  mshr->n_waiters--;
  s->waiter[w].next = (uint16_t)s->free_waiter;
  s->free_waiter = w;
  s->credit_waiter++;
}

static void free_mshr(struct slice *s, uint32_t j) {
  s->mshrs &= ~(UINT64_C(1) << j);
  s->credit_mshr++;
}

// ---- Acts ----

struct acted {
  uint32_t op, addr, outcome, way, mshr;
  bool victim;
};

// R-L2-5.
static void hit(const struct qsm_l2 *l2, struct slice *s, uint64_t cycle,
                const struct qsm_mem_access *access, uint32_t way) {
  uint32_t set = set_of(l2, access->addr), *line = data_at(l2, s, set, way);
  respond(l2, s, cycle, sender_of(access), access->kind == QSM_MEM_WRITE ? NULL : line);
  if (access->kind == QSM_MEM_READ) return;
  ways_of(s, set)[way] |= DIRTY;
  qsm_mem_apply(access, (uint8_t *)line, l2->n_words);
}

static void count(struct slice *s, uint32_t slot, enum counter counter) {
  s->count[slot][counter]++;
  s->recent.slot = slot;
  s->recent.counters |= 1u << counter;
}

// A line comes in place of another: the way, and whether the other is written back, for the slot's
// sake.
static uint32_t install(const struct qsm_l2 *l2, uint32_t c, uint64_t cycle, uint32_t addr,
                        uint32_t slot, const uint32_t *line, bool dirty, bool *victim) {
  struct slice *s = &l2->slice[c];
  uint32_t set = set_of(l2, addr), w = choose_way(l2, s, set);
  uint32_t *way = &ways_of(s, set)[w];
  *victim = is_dirty(*way);
  if (*victim) {
    push_own_write(l2, s, cycle, addr_of(l2, c, set, *way >> TAG_SHIFT), slot,
                   data_at(l2, s, set, w));
    count(s, slot, COUNT_VICTIMS);
  }
  *way = tag_of(l2, addr) << TAG_SHIFT | (dirty ? DIRTY : 0) | VALID;
  qsm_copy_line(data_at(l2, s, set, w), line, l2->line_bytes);
  touch(l2, s, set, w);
  return w;
}

static void act_merged(struct slice *s, const struct qsm_mem_access *access, uint32_t j) {
  join(s, j, access);
  count(s, access->slot, COUNT_MERGED);
  s->credit_rsp++;
  s->credit_out++;
  s->credit_mshr++;
}

static void act_hit(const struct qsm_l2 *l2, struct slice *s, uint64_t cycle,
                    const struct qsm_mem_access *access, uint32_t way) {
  hit(l2, s, cycle, access, way);
  if (!access->nc) touch(l2, s, set_of(l2, access->addr), way);
  count(s, access->slot, COUNT_HITS);
  s->credit_out++;
  s->credit_mshr++;
  s->credit_waiter++;
}

static void act_bypassed(const struct qsm_l2 *l2, struct slice *s, uint64_t cycle,
                         const struct qsm_mem_access *access) {
  push_out(l2, s, cycle + 1, access);
  count(s, access->slot, COUNT_PASSED);
  s->credit_rsp++;
  s->credit_mshr++;
  s->credit_waiter++;
}

static uint32_t act_whole_line(const struct qsm_l2 *l2, uint32_t c, uint64_t cycle,
                               const struct qsm_mem_access *access, bool *victim) {
  struct slice *s = &l2->slice[c];
  uint32_t way = install(l2, c, cycle, access->addr, access->slot, access->data, true, victim);
  respond(l2, s, cycle, sender_of(access), NULL);
  count(s, access->slot, COUNT_MISSES);
  if (!*victim) s->credit_out++;
  s->credit_mshr++;
  s->credit_waiter++;
  return way;
}

static uint32_t act_miss(const struct qsm_l2 *l2, struct slice *s, uint64_t cycle,
                         const struct qsm_mem_access *access) {
  uint32_t j = qsm_lowest(~s->mshrs);
  s->mshrs |= UINT64_C(1) << j;
  s->mshr[j] = (struct mshr){.slot = access->slot};
  s->mshr_addr[j] = access->addr;
  join(s, j, access);
  push_own_read(l2, s, cycle, j);
  count(s, access->slot, COUNT_MISSES);
  s->credit_rsp++;
  return j;
}

static void act_request(const struct qsm_l2 *l2, uint32_t c, uint64_t cycle, struct acted *acted) {
  struct slice *s = &l2->slice[c];
  const struct qsm_mem_access *access = s->op.request;
  uint32_t j = find_mshr(s, access->addr), way = find_way(l2, s, access->addr);
  bool amo = access->kind == QSM_MEM_AMO;
  acted->addr = access->addr;
  count(s, access->slot, COUNT_REQUESTS);
  if (amo) count(s, access->slot, COUNT_ATOMICS);
  if (j != NONE) {
    acted->outcome = QSM_L2_MERGED;
    acted->mshr = j;
    act_merged(s, access, j);
  } else if (way != NONE) {
    acted->outcome = QSM_L2_HIT;
    acted->way = way;
    act_hit(l2, s, cycle, access, way);
  } else if (access->nc && !amo) {
    acted->outcome = QSM_L2_BYPASSED;
    act_bypassed(l2, s, cycle, access);
  } else if (is_whole_line(l2, access)) {
    acted->outcome = QSM_L2_WHOLE;
    acted->way = act_whole_line(l2, c, cycle, access, &acted->victim);
  } else {
    acted->outcome = QSM_L2_MISS;
    acted->mshr = act_miss(l2, s, cycle, access);
  }
}

// R-L2-7.
static void act_fill(const struct qsm_l2 *l2, uint32_t c, uint64_t cycle, struct acted *acted) {
  struct slice *s = &l2->slice[c];
  uint32_t j = s->op.response->tag;
  const struct mshr *mshr = &s->mshr[j];
  const struct qsm_mem_access *first = first_waiter(s, j);
  acted->addr = s->mshr_addr[j];
  acted->mshr = j;
  acted->way =
      install(l2, c, cycle, acted->addr, mshr->slot, s->op.response->data, false, &acted->victim);
  if (!acted->victim) s->credit_out++;
  if (first->kind == QSM_MEM_READ) {
    respond(l2, s, cycle, sender_of(first), s->op.response->data);
    leave(s, j);
  } else {
    s->credit_rsp++;
  }
  if (mshr->n_waiters > 0) {
    s->filled = j;
  } else {
    free_mshr(s, j);
  }
}

static void act_replay(const struct qsm_l2 *l2, struct slice *s, uint64_t cycle,
                       struct acted *acted) {
  uint32_t j = s->filled;
  const struct qsm_mem_access *access = first_waiter(s, j);
  acted->addr = access->addr;
  acted->mshr = j;
  acted->way = find_way(l2, s, access->addr);
  hit(l2, s, cycle, access, acted->way);
  touch(l2, s, set_of(l2, access->addr), acted->way);
  leave(s, j);
  if (s->mshr[j].n_waiters > 0) return;
  s->filled = NONE;
  free_mshr(s, j);
}

static void act_walk(const struct qsm_l2 *l2, uint32_t c, uint64_t cycle, struct acted *acted) {
  struct slice *s = &l2->slice[c];
  uint32_t set = s->op.set;
  uint32_t *way = &ways_of(s, set)[s->op.way];
  acted->way = s->op.way;
  acted->addr = *way ? addr_of(l2, c, set, *way >> TAG_SHIFT) : 0;
  acted->victim = is_dirty(*way);
  if (acted->victim) {
    push_own_write(l2, s, cycle, acted->addr, 0, data_at(l2, s, set, s->op.way));
  } else {
    s->credit_out++;
  }
  *way = 0;
  if (!s->walking) s->colour ^= 1;  // the last one: what comes now does not keep the flush up
}

static void act(const struct qsm_l2 *l2, uint32_t c, uint64_t cycle) {
  struct slice *s = &l2->slice[c];
  const struct qsm_mem_response *response = s->op.response;
  struct acted acted = {.op = s->op.kind, .way = NONE_REPORTED, .mshr = NONE_REPORTED};
  s->recent.at = cycle;
  s->recent.counters = 0;
  switch (s->op.kind) {
    case QSM_L2_OP_REQUEST: act_request(l2, c, cycle, &acted); break;
    case QSM_L2_OP_FILL: act_fill(l2, c, cycle, &acted); break;
    case QSM_L2_OP_REPLAY: act_replay(l2, s, cycle, &acted); break;
    case QSM_L2_OP_WALK: act_walk(l2, c, cycle, &acted); break;
    default:
      respond(l2, s, cycle, (struct sender){response->sm, response->tag, response->place},
              response->kind == QSM_MEM_WRITE ? NULL : response->data);
      break;
  }
  s->op.kind = OP_NONE;
  uint32_t words[] = {acted.op, acted.addr, acted.outcome, acted.way, acted.mshr, acted.victim};
  qsm_bus_report(l2->bus, cycle, QSM_EV_L2_OP, c, 6, words);
}

// ---- What acts will need, for the host to fetch ----

void qsm_l2_fetch_ways(const struct qsm_l2 *l2, uint32_t channel, uint32_t addr) {
  const struct slice *s = &l2->slice[channel];
  uint32_t set = set_of(l2, addr);
  qsm_fetch_ahead(ways_of(s, set), MAX_WAYS * sizeof *s->way);
  qsm_fetch_ahead(&s->tree[set], sizeof *s->tree);
}

static void fetch_line(const struct qsm_l2 *l2, const struct slice *s, uint32_t addr) {
  uint32_t way = find_way(l2, s, addr);
  if (way != NONE) qsm_fetch_ahead(data_at(l2, s, set_of(l2, addr), way), l2->line_bytes);
}

static void fetch_victim(const struct qsm_l2 *l2, const struct slice *s, uint32_t addr) {
  uint32_t set = set_of(l2, addr);
  qsm_fetch_ahead(data_at(l2, s, set, choose_way(l2, s, set)), l2->line_bytes);
}

// ---- Look: which op begins (R-L2-1 to R-L2-3), from the registers at the cycle's start ----

static bool is_own(const struct qsm_l2 *l2, const struct qsm_mem_response *response) {
  return response->sm == qsm_config_requesters(l2->config);
}
static bool is_own_write(const struct qsm_l2 *l2, const struct qsm_mem_response *response) {
  return is_own(l2, response) && response->tag >= l2->config->l2_mshrs;
}

// Waiters of the filled MSHR whose replay has not begun.
static uint32_t n_to_replay(const struct slice *s) {
  return s->filled == NONE
             ? 0
             : s->mshr[s->filled].n_waiters - (uint32_t)(s->op.kind == QSM_L2_OP_REPLAY);
}

static bool may_request(const struct slice *s) {
  return s->filled == NONE && s->credit_rsp && s->credit_out && s->credit_mshr && s->credit_waiter;
}
static bool may_walk(const struct slice *s) {
  return s->walking && s->filled == NONE && s->credit_out;
}
static bool may_take(const struct qsm_l2 *l2, const struct slice *s,
                     const struct qsm_mem_response *response) {
  return s->credit_rsp && (s->filled == NONE || !is_own(l2, response));
}

// `response`: what is valid from behind, but no acknowledgement of an own write; NULL: nothing.
static uint32_t choose(const struct qsm_l2 *l2, const struct slice *s, uint64_t cycle,
                       const struct qsm_mem_response *response, bool request) {
  if (cycle < l2->n_sets || cycle == s->no_look) return OP_NONE;
  if (n_to_replay(s) && s->credit_rsp) return QSM_L2_OP_REPLAY;
  if (response && may_take(l2, s, response))
    return is_own(l2, response) ? QSM_L2_OP_FILL : QSM_L2_OP_PASS;
  if (may_walk(s)) return QSM_L2_OP_WALK;
  return request && may_request(s) ? QSM_L2_OP_REQUEST : OP_NONE;
}

// R-L2-1.
static bool writes_late(const struct qsm_l2 *l2, const struct qsm_mem_access *access) {
  return access->kind == QSM_MEM_AMO || is_whole_line(l2, access);
}

static void begin_request(const struct qsm_l2 *l2, struct slice *s, uint64_t cycle,
                          const struct qsm_mem_access *request) {
  s->op.request = request;
  fetch_line(l2, s, request->addr);
  s->credit_rsp--;
  s->credit_out--;
  s->credit_mshr--;
  s->credit_waiter--;
  if (writes_late(l2, request)) s->no_look = cycle + 1;
}

static void begin_walk(const struct qsm_l2 *l2, struct slice *s, uint64_t cycle) {
  s->op.set = s->walk_set;
  s->op.way = s->walk_way;
  s->credit_out--;
  s->no_look = cycle + 1;
  s->walk_way = (s->walk_way + 1) % l2->n_ways;
  if (s->walk_way != 0) return;
  s->walking = s->walk_set != s->last_set;
  s->walk_set = (s->walk_set + 1) % l2->n_sets;
}

static void begin_response(struct qsm_l2 *l2, uint32_t c, uint64_t cycle, uint32_t kind,
                           const struct qsm_mem_response *response) {
  struct slice *s = &l2->slice[c];
  s->op.response = response;
  s->credit_rsp--;
  if (kind == QSM_L2_OP_FILL) {
    s->no_look = cycle + 1;
    fetch_victim(l2, s, s->mshr_addr[response->tag]);
  }
  qsm_port_take(l2->port, c, cycle);
}

// After the act of the op before: the waiter whose replay begins is the first one now.
static void begin(struct qsm_l2 *l2, uint32_t c, uint64_t cycle, uint32_t kind,
                  const struct qsm_mem_response *response, const struct qsm_mem_access *request) {
  struct slice *s = &l2->slice[c];
  if (kind == OP_NONE) return;
  s->op.kind = kind;
  s->op.at = cycle + 1;
  switch (kind) {
    case QSM_L2_OP_REQUEST: begin_request(l2, s, cycle, request); break;
    case QSM_L2_OP_WALK: begin_walk(l2, s, cycle); break;
    case QSM_L2_OP_REPLAY:
      s->credit_rsp--;
      if (writes_late(l2, first_waiter(s, s->filled))) s->no_look = cycle + 1;
      break;
    default: begin_response(l2, c, cycle, kind, response); break;
  }
}

// ---- A cycle ----

static void acknowledged(struct qsm_l2 *l2, uint32_t c, uint64_t cycle, uint32_t tag) {
  qsm_port_take(l2->port, c, cycle);
  l2->slice[c].unacked[tag - l2->config->l2_mshrs]--;
  l2->slice[c].credit_out++;
}

static bool is_out_valid(const struct slice *s, uint64_t cycle) {
  return s->n_out && s->out[s->out_head].from <= cycle;
}

static void send_out(struct qsm_l2 *l2, uint32_t c, uint64_t cycle) {
  struct slice *s = &l2->slice[c];
  const struct qsm_mem_access *access = &s->out[s->out_head].access;
  qsm_port_accept(l2->port, c, cycle, access);
  if (access->sm != qsm_config_requesters(l2->config)) s->credit_out++;
  s->out_head = s->out_head + 1 == l2->n_out_places ? 0 : s->out_head + 1;
  s->n_out--;
}

// R-L2-10.
static bool is_flushed(const struct slice *s) {
  return s->flushing && !s->walking && s->op.kind != QSM_L2_OP_WALK && s->unacked[!s->colour] == 0;
}

static uint64_t flush_seen_at(const struct qsm_l2 *l2) {
  return l2->flush_written ? l2->flush_cycle + l2->config->noc_lat : QSM_NEVER;
}

static void step_flush(struct qsm_l2 *l2, struct slice *s, uint64_t cycle, bool flushed) {
  if (cycle == flush_seen_at(l2)) {
    s->flushing = s->walking = true;
    s->walk_set = l2->first_set;
    s->walk_way = 0;
    s->last_set = l2->last_set;
  } else if (flushed) {
    s->flushing = false;
    if (--l2->n_flushing == 0) l2->flush_done_at = cycle;
  }
}

bool qsm_l2_step(struct qsm_l2 *l2, uint32_t channel, uint64_t cycle,
                 const struct qsm_mem_access *request) {
  struct slice *s = &l2->slice[channel];
  const struct qsm_mem_response *response = qsm_port_response_at(l2->port, channel) <= cycle
                                                ? qsm_port_response(l2->port, channel)
                                                : NULL;
  bool sends = is_out_valid(s, cycle) && qsm_port_ready_at(l2->port, channel) <= cycle;
  bool flushed = is_flushed(s);
  bool ack = response && is_own_write(l2, response);
  uint32_t kind = choose(l2, s, cycle, ack ? NULL : response, request != NULL);
  if (s->op.kind != OP_NONE) act(l2, channel, cycle);
  begin(l2, channel, cycle, kind, response, request);
  if (ack) acknowledged(l2, channel, cycle, response->tag);
  if (sends) send_out(l2, channel, cycle);
  step_flush(l2, s, cycle, flushed);
  return kind == QSM_L2_OP_REQUEST;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

// First cycle from `from` on in which an op can begin; credits and `filled` change in steps only,
// or when the crossbar takes a response.
static uint64_t next_look(const struct qsm_l2 *l2, uint32_t c, uint64_t from, bool waits) {
  const struct slice *s = &l2->slice[c];
  uint64_t next = QSM_NEVER, response_at = qsm_port_response_at(l2->port, c);
  if ((n_to_replay(s) && s->credit_rsp) || may_walk(s) || (waits && may_request(s)))
    next = later(from, l2->n_sets);
  if (response_at == QSM_NEVER) return next;
  const struct qsm_mem_response *response = qsm_port_response(l2->port, c);
  bool takes = is_own_write(l2, response) || may_take(l2, s, response);
  return takes ? qsm_earlier(next, later(from, response_at)) : next;
}

uint64_t qsm_l2_next(const struct qsm_l2 *l2, uint32_t channel, uint64_t from, bool waits) {
  const struct slice *s = &l2->slice[channel];
  if (s->op.kind != OP_NONE || is_flushed(s)) return from;
  uint64_t next = next_look(l2, channel, from, waits);
  if (s->n_out)
    next = qsm_earlier(
        next, later(from, later(s->out[s->out_head].from, qsm_port_ready_at(l2->port, channel))));
  uint64_t seen_at = flush_seen_at(l2);
  return seen_at >= from ? qsm_earlier(next, seen_at) : next;
}

// ---- The crossbar's side ----

uint64_t qsm_l2_response_at(const struct qsm_l2 *l2, uint32_t channel) {
  const struct slice *s = &l2->slice[channel];
  return s->n_rsp ? s->rsp[s->rsp_head].from : QSM_NEVER;
}

const struct qsm_mem_response *qsm_l2_response(const struct qsm_l2 *l2, uint32_t channel) {
  const struct slice *s = &l2->slice[channel];
  return &s->rsp[s->rsp_head].response;
}

void qsm_l2_take(struct qsm_l2 *l2, uint32_t channel) {
  struct slice *s = &l2->slice[channel];
  s->rsp_head = (s->rsp_head + 1) % RSP_PLACES;
  s->n_rsp--;
  s->credit_rsp++;
}

static void choose_sets(struct qsm_l2 *l2, uint32_t value) {
  uint32_t n_units = qsm_config_l2_units(l2->config), unit_sets = l2->n_sets / n_units;
  bool part = value & QSM_L2_FLUSH_PART;
  uint32_t first = part ? value % n_units : 0,
           last = part ? (value >> QSM_L2_FLUSH_LAST_SHIFT) % n_units : n_units - 1;
  l2->first_set = first * unit_sets;
  l2->last_set = (last + 1) * unit_sets - 1;
}

void qsm_l2_flush(struct qsm_l2 *l2, uint64_t cycle, uint32_t value) {
  choose_sets(l2, value);
  l2->flush_written = true;
  l2->flush_cycle = cycle;
  l2->flush_done_at = QSM_NEVER;
  l2->n_flushing = l2->config->num_channels;
}

bool qsm_l2_is_flushing(const struct qsm_l2 *l2, uint64_t cycle) {
  return l2->flush_written &&
         (l2->flush_done_at == QSM_NEVER || cycle <= l2->flush_done_at + l2->config->noc_lat);
}

// ---- Observation ----

// 1 if the act of `cycle` has counted it.
static uint32_t counted_in(const struct slice *s, uint64_t cycle, uint32_t slot, uint32_t counter) {
  return s->recent.at == cycle && s->recent.slot == slot && (s->recent.counters >> counter & 1);
}

uint32_t qsm_l2_counter(const struct qsm_l2 *l2, uint64_t cycle, uint32_t channel, uint32_t slot,
                        uint32_t counter) {
  const struct slice *s = &l2->slice[channel];
  return s->count[slot][counter] - counted_in(s, cycle - 1, slot, counter);
}

void qsm_l2_clear_counters(struct qsm_l2 *l2, uint64_t cycle, uint32_t slots) {
  for (uint32_t c = 0; c < l2->config->num_channels; c++) {
    struct slice *s = &l2->slice[c];
    for (uint32_t left = slots; left; left &= left - 1)
      for (uint32_t slot = qsm_lowest(left), n = 0; n < QSM_L2_COUNTERS; n++)
        s->count[slot][n] = counted_in(s, cycle, slot, n);
  }
}

static uint32_t entries_of_rsp(const struct slice *s, uint64_t cycle) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n_rsp; i++) n += s->rsp[(s->rsp_head + i) % RSP_PLACES].from <= cycle;
  return n;
}

static uint32_t entries_of_out(const struct qsm_l2 *l2, const struct slice *s, uint64_t cycle) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n_out; i++)
    n += s->out[(s->out_head + i) % l2->n_out_places].from <= cycle;
  return n;
}

static bool slice_state(const struct qsm_l2 *l2, const struct slice *s, uint64_t cycle,
                        uint32_t word, uint32_t *value) {
  switch (word) {
    case 0: *value = s->credit_rsp; return true;
    case 1: *value = s->credit_out; return true;
    case 2: *value = s->credit_mshr; return true;
    case 3: *value = s->credit_waiter; return true;
    case 4: *value = entries_of_rsp(s, cycle); return true;
    case 5: *value = entries_of_out(l2, s, cycle); return true;
    case 6: *value = s->unacked[0] | s->unacked[1] << 16; return true;
    case 7:
      *value = (uint32_t)s->flushing | (uint32_t)s->walking << 1 | s->colour << 2;
      return true;
    case 8: *value = s->walking ? s->walk_set : 0; return true;
    case 9: *value = s->walking ? s->walk_way : 0; return true;
    default: return false;
  }
}

static bool mshr_state(const struct slice *s, uint32_t j, uint32_t word, uint32_t *value) {
  const struct mshr *mshr = &s->mshr[j];
  bool valid = s->mshrs >> j & 1;
  switch (word) {
    case 0: *value = (uint32_t)valid | (uint32_t)(s->filled == j) << 1; return true;
    case 1: *value = valid ? s->mshr_addr[j] : 0; return true;
    case 2: *value = valid ? mshr->slot : 0; return true;
    case 3: *value = valid ? mshr->n_waiters : 0; return true;
    default: return false;
  }
}

static bool set_state(const struct qsm_l2 *l2, const struct slice *s, uint32_t set, uint32_t word,
                      uint32_t *value) {
  if (set >= l2->n_sets || word > l2->n_ways) return false;
  if (word == l2->n_ways) {
    *value = s->tree[set];
    return true;
  }
  *value = ways_of(s, set)[word];
  return true;
}

bool qsm_l2_state(const struct qsm_l2 *l2, uint64_t cycle, enum qsm_state_kind kind,
                  uint32_t channel, uint32_t index, uint32_t word, uint32_t *value) {
  if (channel >= l2->config->num_channels) return false;
  const struct slice *s = &l2->slice[channel];
  if (kind == QSM_STATE_L2_SET) return set_state(l2, s, index, word, value);
  if (index == 0) return slice_state(l2, s, cycle, word, value);
  return index <= l2->config->l2_mshrs && mshr_state(s, index - 1, word, value);
}

// Invalidates a dirty line: its next use, eviction or walk differs. Lines that waiters are about to
// use are excluded, because replays do not check whether the line is present.
int qsm_l2_inject(struct qsm_l2 *l2, uint64_t seed, char *what, size_t what_len) {
  uint32_t n_lines = l2->n_sets * l2->n_ways;
  for (uint32_t n = 0; n < l2->config->num_channels * n_lines; n++) {
    uint32_t i = (uint32_t)((seed + n) % (l2->config->num_channels * (uint64_t)n_lines));
    const struct slice *slice = &l2->slice[i / n_lines];
    uint32_t set = i % n_lines / l2->n_ways, *way = &ways_of(slice, set)[i % l2->n_ways];
    uint32_t addr = addr_of(l2, i / n_lines, set, *way >> TAG_SHIFT);
    if (!is_dirty(*way) || (slice->filled != NONE && slice->mshr_addr[slice->filled] == addr))
      continue;
    *way = 0;
    snprintf(what, what_len, "l2: valid of way %u of set %u in slice %u", i % l2->n_ways, set,
             i / n_lines);
    return 0;
  }
  return -1;
}
