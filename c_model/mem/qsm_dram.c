// SPDX-License-Identifier: Apache-2.0
// Down-counters (R-DR-3) are stored as the cycle in which they reach 0, so that cycles without a
// command cost no time. Sets of entries are masks by age, bit 0 the oldest, and what a bank allows
// is found for all banks at once, by vectors: no step searches the queue.
#include "qsm_dram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_port.h"
#include "qsm_sm.h"

enum { MAX_BANKS = 16, MAX_QUEUE = 64, STARVE_LIMIT = 15 };

enum command { COMMAND_COLUMN = 0, COMMAND_ROW = 1 };

enum counter { COUNT_READS, COUNT_WRITES, COUNT_ROW_HITS, COUNT_ROWS };

struct entry {
  uint32_t bank, row, column;
  bool opened;  // a row was opened for it
  struct qsm_mem_access access;
  struct qsm_payload payload;
};

// An access at the memory port, or its response on the way back (R-DR-7).
struct back {
  uint64_t due;      // by the DRAM's times
  uint64_t arrived;  // from the port; QSM_NEVER: not yet
  const struct qsm_mem_response *response;
};

struct channel {
  uint64_t of_bank[MAX_BANKS];  // entries of each bank
  uint64_t busy_until[MAX_BANKS], keep_until[MAX_BANKS];
  bool open[MAX_BANKS];
  uint32_t row[MAX_BANKS];
  uint64_t bus_until;
  uint32_t passed;
  uint32_t n_entries;
  uint64_t ready_from;       // for a request
  uint64_t try_at;           // no command before
  uint64_t hits;             // entries whose bank is open at their row
  uint8_t order[MAX_QUEUE];  // places of the entries, oldest first; then the free ones
  struct entry entry[MAX_QUEUE];
  uint32_t back_head, n_back, n_arrived;
  struct back back[MAX_QUEUE];
  uint32_t count[QSM_MAX_KERNELS][QSM_DRAM_COUNTERS];
};

struct qsm_dram {
  const struct qsm_config *config;
  struct qsm_mem *mem;
  const struct qsm_bus *bus;
  uint32_t line_bytes;
  uint32_t line_shift;  // address to m: the line and the channel's bits
  uint32_t column_bits, bank_bits;
  struct channel *channel;
};

struct qsm_dram *qsm_dram_create(const struct qsm_config *config, struct qsm_mem *mem,
                                 const struct qsm_bus *bus) {
  struct qsm_dram *dram = calloc(1, sizeof *dram);
  if (!dram) return NULL;
  dram->config = config;
  dram->mem = mem;
  dram->bus = bus;
  dram->line_bytes = qsm_config_line_bytes(config);
  dram->line_shift = qsm_lowest(dram->line_bytes) + qsm_lowest(config->num_channels);
  dram->column_bits = qsm_lowest(config->dram_row_bytes / dram->line_bytes);
  dram->bank_bits = qsm_lowest(config->dram_banks);
  dram->channel = calloc(config->num_channels, sizeof *dram->channel);
  if (!dram->channel) {
    qsm_dram_destroy(dram);
    return NULL;
  }
  for (uint32_t c = 0; c < config->num_channels; c++) {
    for (uint32_t i = 0; i < config->dram_queue; i++) dram->channel[c].order[i] = (uint8_t)i;
  }
  return dram;
}

void qsm_dram_destroy(struct qsm_dram *dram) {
  if (!dram) return;
  free(dram->channel);
  free(dram);
}

// ---- The queue by age ----

static const struct entry *entry_at(const struct channel *ch, uint32_t i) {
  return &ch->entry[ch->order[i]];
}

static uint64_t entry_bit(uint32_t i) { return UINT64_C(1) << i; }

// Entry number i, or the open row of its bank, is another one now.
static void note_hit(struct channel *ch, uint32_t i) {
  const struct entry *entry = entry_at(ch, i);
  bool is_hit = ch->open[entry->bank] && ch->row[entry->bank] == entry->row;
  ch->hits = (ch->hits & ~entry_bit(i)) | (uint64_t)is_hit << i;
}

static uint64_t without(uint64_t mask, uint32_t i) {
  uint64_t older = mask & (entry_bit(i) - 1);
  return older | (mask >> 1 & ~(entry_bit(i) - 1));
}

// Entry number i leaves the queue; its place is free.
static void remove_entry(struct channel *ch, uint32_t i) {
  uint8_t place = ch->order[i];
  memmove(&ch->order[i], &ch->order[i + 1], --ch->n_entries - i);
  ch->order[ch->n_entries] = place;
  ch->hits = without(ch->hits, i);
  for (uint32_t b = 0; b < MAX_BANKS; b++) ch->of_bank[b] = without(ch->of_bank[b], i);
}

// R-DR-4: those that are looked at.
static uint64_t seen_entries(const struct channel *ch) {
  if (ch->n_entries == 0) return 0;
  return ch->passed == STARVE_LIMIT ? 1 : UINT64_MAX >> (64 - ch->n_entries);
}

// ---- What is possible ----

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

// Of the entries that are looked at.
struct chances {
  uint64_t columns, rows;  // that R-DR-5 and R-DR-6 allow, but for the order among them
  uint64_t from;  // the first cycle from this one on with such an entry, if no entry comes and no
                  // response leaves
};

// R-DR-5, without the bank's part.
static uint64_t column_from(const struct qsm_dram *dram, uint32_t c) {
  const struct channel *ch = &dram->channel[c];
  return ch->n_back == dram->config->dram_queue
             ? QSM_NEVER
             : later(ch->bus_until, qsm_mem_ready_at(dram->mem, c));
}

static struct chances look(const struct qsm_dram *dram, uint32_t c, uint64_t cycle) {
  const struct channel *ch = &dram->channel[c];
  uint64_t seen = seen_entries(ch), bus = column_from(dram, c), columns = 0, rows = 0,
           from = QSM_NEVER;
  uint64_t keepers = ch->passed == STARVE_LIMIT
                         ? 0
                         : ch->hits;  // while one of these is there, its bank keeps its row
  for (uint32_t b = 0; b < MAX_BANKS; b++) {
    uint64_t hits = ch->of_bank[b] & seen & ch->hits, others = ch->of_bank[b] & seen & ~ch->hits;
    uint64_t column_at = hits ? later(bus, ch->busy_until[b]) : QSM_NEVER;
    uint64_t row_at = others && !(ch->of_bank[b] & keepers)
                          ? later(ch->busy_until[b], ch->keep_until[b])
                          : QSM_NEVER;
    columns |= column_at <= cycle ? hits : 0;
    rows |= row_at <= cycle ? others : 0;
    from = qsm_earlier(from, qsm_earlier(column_at, row_at));
  }
  return (struct chances){columns, rows, later(from, cycle)};
}

// ---- Upstream: queue (R-DR-2) and way back (R-DR-7) ----

uint64_t qsm_dram_ready_at(const struct qsm_dram *dram, uint32_t channel) {
  return dram->channel[channel].ready_from;
}

void qsm_dram_accept(struct qsm_dram *dram, uint32_t channel, uint64_t cycle,
                     const struct qsm_mem_access *access) {
  struct channel *ch = &dram->channel[channel];
  uint32_t i = ch->n_entries++, m = access->addr >> dram->line_shift;
  struct entry *entry = &ch->entry[ch->order[i]];
  qsm_mem_announce(dram->mem, access->addr);
  qsm_hold_request(&entry->access, &entry->payload, access, dram->line_bytes);
  entry->column = m & ((1u << dram->column_bits) - 1);
  entry->bank = m >> dram->column_bits & (dram->config->dram_banks - 1);
  entry->row = m >> dram->column_bits >> dram->bank_bits;
  entry->opened = false;
  ch->of_bank[entry->bank] |= entry_bit(i);
  note_hit(ch, i);
  if (ch->n_entries == dram->config->dram_queue) ch->ready_from = QSM_NEVER;
  ch->try_at = qsm_earlier(ch->try_at, later(cycle + 1, ch->busy_until[entry->bank]));
}

// Place of the access that many behind the oldest on the way back.
static uint32_t back_place(const struct qsm_dram *dram, const struct channel *ch, uint32_t i) {
  uint32_t place = ch->back_head + i;
  return place < dram->config->dram_queue ? place : place - dram->config->dram_queue;
}

uint64_t qsm_dram_response_at(const struct qsm_dram *dram, uint32_t channel) {
  const struct channel *ch = &dram->channel[channel];
  const struct back *head = &ch->back[ch->back_head];
  if (ch->n_arrived == 0) return QSM_NEVER;
  return head->due > head->arrived ? head->due : head->arrived + 1;
}

const struct qsm_mem_response *qsm_dram_response(const struct qsm_dram *dram, uint32_t channel) {
  const struct channel *ch = &dram->channel[channel];
  return ch->back[ch->back_head].response;
}

void qsm_dram_take(struct qsm_dram *dram, uint32_t channel, uint64_t cycle) {
  struct channel *ch = &dram->channel[channel];
  if (ch->n_back == dram->config->dram_queue) ch->try_at = cycle + 1;
  ch->back_head = back_place(dram, ch, 1);
  ch->n_back--;
  ch->n_arrived--;
}

// ---- Commands ----

static void report(const struct qsm_dram *dram, uint32_t c, uint64_t cycle, enum command command,
                   const struct entry *entry) {
  uint32_t words[] = {command, entry->bank, entry->row, entry->column, dram->channel[c].passed};
  qsm_bus_report(dram->bus, cycle, QSM_EV_DRAM, c, 5, words);
}

static void count_access(struct channel *ch, const struct entry *entry) {
  uint32_t *count = ch->count[entry->access.slot];
  count[entry->access.kind == QSM_MEM_WRITE ? COUNT_WRITES : COUNT_READS]++;
  if (!entry->opened) count[COUNT_ROW_HITS]++;
}

static void column_access(struct qsm_dram *dram, uint32_t c, uint64_t cycle, uint32_t i) {
  const struct qsm_config *config = dram->config;
  struct channel *ch = &dram->channel[c];
  const struct entry *entry = entry_at(ch, i);
  uint32_t b = entry->bank;
  bool write = entry->access.kind == QSM_MEM_WRITE;
  uint64_t keep_until = cycle + config->dram_burst + config->dram_wr;
  ch->bus_until = ch->busy_until[b] = cycle + config->dram_burst;
  if (write) ch->keep_until[b] = later(ch->keep_until[b], keep_until);
  ch->back[back_place(dram, ch, ch->n_back++)] = (struct back){
      .due = cycle + (write ? 1 : config->dram_cl + config->dram_burst), .arrived = QSM_NEVER};
  ch->passed = i == 0 ? 0 : ch->passed + (ch->passed < STARVE_LIMIT);
  if (ch->n_entries == config->dram_queue) ch->ready_from = cycle + 1;
  count_access(ch, entry);
  report(dram, c, cycle, COMMAND_COLUMN, entry);
  qsm_mem_port_accept(dram->mem, dram->bus, c, cycle, &entry->access);
  remove_entry(ch, i);
}

static void open_row(struct qsm_dram *dram, uint32_t c, uint64_t cycle, uint32_t i) {
  const struct qsm_config *config = dram->config;
  struct channel *ch = &dram->channel[c];
  struct entry *entry = &ch->entry[ch->order[i]];
  uint32_t b = entry->bank, close = ch->open[b] ? config->dram_rp : 0;
  ch->open[b] = true;
  ch->row[b] = entry->row;
  ch->busy_until[b] = cycle + config->dram_rcd + close;
  ch->keep_until[b] = cycle + config->dram_ras + close;
  entry->opened = true;
  for (uint64_t left = ch->of_bank[b]; left; left &= left - 1) note_hit(ch, qsm_lowest(left));
  ch->count[entry->access.slot][COUNT_ROWS]++;
  report(dram, c, cycle, COMMAND_ROW, entry);
}

static void command(struct qsm_dram *dram, uint32_t c, uint64_t cycle) {
  struct channel *ch = &dram->channel[c];
  if (ch->n_entries == 0 || cycle < ch->try_at) return;
  struct chances now = look(dram, c, cycle);
  if (now.columns) {
    column_access(dram, c, cycle, qsm_lowest(now.columns));
  } else if (now.rows) {
    open_row(dram, c, cycle, qsm_lowest(now.rows));
  }
  ch->try_at = now.columns | now.rows ? look(dram, c, cycle + 1).from : now.from;
}

static void take_response(struct qsm_dram *dram, uint32_t c, uint64_t cycle) {
  struct channel *ch = &dram->channel[c];
  if (qsm_mem_response_at(dram->mem, c) > cycle) return;
  struct back *back = &ch->back[back_place(dram, ch, ch->n_arrived++)];
  back->arrived = cycle;
  back->response = qsm_mem_response(dram->mem, c);
  qsm_mem_port_take(dram->mem, dram->bus, c, cycle);
}

void qsm_dram_step(struct qsm_dram *dram, uint32_t channel, uint64_t cycle) {
  command(dram, channel, cycle);
  take_response(dram, channel, cycle);
}

uint64_t qsm_dram_next(const struct qsm_dram *dram, uint32_t channel, uint64_t from) {
  const struct channel *ch = &dram->channel[channel];
  uint64_t next = qsm_mem_response_at(dram->mem, channel);
  if (ch->n_entries) next = qsm_earlier(next, ch->try_at);
  return next > from ? next : from;
}

// ---- Observation ----

uint32_t qsm_dram_counter(const struct qsm_dram *dram, uint32_t channel, uint32_t slot,
                          uint32_t counter) {
  return dram->channel[channel].count[slot][counter - QSM_DRAM_FIRST_COUNTER];
}

void qsm_dram_clear_counters(struct qsm_dram *dram, uint32_t slots) {
  for (uint32_t c = 0; c < dram->config->num_channels; c++) {
    for (uint32_t left = slots; left; left &= left - 1)
      memset(dram->channel[c].count[qsm_lowest(left)], 0, sizeof dram->channel[c].count[0]);
  }
}

// A counter that counts down, as it is at the start of a cycle.
static uint32_t left_until(uint64_t until, uint64_t cycle) {
  return until > cycle ? (uint32_t)(until - cycle) : 0;
}

bool qsm_dram_state(const struct qsm_dram *dram, uint64_t cycle, uint32_t channel, uint32_t index,
                    uint32_t word, uint32_t *value) {
  if (channel >= dram->config->num_channels || index > dram->config->dram_banks || word > 3)
    return false;
  const struct channel *ch = &dram->channel[channel];
  if (index == dram->config->dram_banks) {
    const uint32_t words[] = {left_until(ch->bus_until, cycle), ch->passed, ch->n_entries,
                              ch->n_back};
    *value = words[word];
    return true;
  }
  const uint32_t words[] = {ch->open[index], ch->open[index] ? ch->row[index] : 0,
                            left_until(ch->busy_until[index], cycle),
                            left_until(ch->keep_until[index], cycle)};
  *value = words[word];
  return true;
}

// The row of an access that waits: the next command for it differs.
int qsm_dram_inject(struct qsm_dram *dram, uint64_t seed, char *what, size_t what_len) {
  uint32_t bit = (uint32_t)(seed % 8);
  for (uint32_t c = 0; c < dram->config->num_channels; c++) {
    struct channel *ch = &dram->channel[c];
    if (ch->n_entries == 0) continue;
    ch->entry[ch->order[0]].row ^= 1u << bit;
    note_hit(ch, 0);
    ch->try_at = 0;
    snprintf(what, what_len, "dram: bit %u of the row of channel %u's oldest access", bit, c);
    return 0;
  }
  return -1;
}
