// SPDX-License-Identifier: Apache-2.0
// Counters that count down (R-DR-3) are kept as the cycle in which they are 0, so that cycles without a command cost nothing.
#include "qsm_dram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_port.h"
#include "qsm_sm.h"

enum { MAX_BANKS = 16, MAX_QUEUE = 64, MAX_PATIENCE = 15 };

enum command { COMMAND_COLUMN = 0, COMMAND_ROW = 1 };

enum counter { COUNT_READS, COUNT_WRITES, COUNT_ROW_HITS, COUNT_ROWS };

struct bank {
  bool open;
  uint32_t row;
  uint64_t busy_until, keep_until;
};

struct entry {
  struct qsm_held_request request;
  uint32_t bank, row, column;
  bool opened;  // a row was opened for it
};

// An access at the memory port, or its response on the way back (R-DR-7).
struct back {
  uint64_t due;      // by the DRAM's times
  uint64_t arrived;  // from the port; QSM_NEVER: not yet
  const struct qsm_mem_response *response;
};

struct channel {
  struct bank bank[MAX_BANKS];
  uint64_t bus_until;
  uint32_t passed;
  uint32_t n_entries;
  uint64_t ready_from;          // for a request
  uint64_t try_at;              // no command before
  uint8_t order[MAX_QUEUE];     // places of the entries, oldest first; then the free ones
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
  uint32_t n_columns;
  struct channel *channel;
};

struct qsm_dram *qsm_dram_create(const struct qsm_config *config, struct qsm_mem *mem, const struct qsm_bus *bus) {
  struct qsm_dram *dram = calloc(1, sizeof *dram);
  if (!dram) return NULL;
  dram->config = config;
  dram->mem = mem;
  dram->bus = bus;
  dram->line_bytes = qsm_config_line_bytes(config);
  dram->line_shift = qsm_lowest(dram->line_bytes) + qsm_lowest(config->num_channels);
  dram->n_columns = config->dram_row_bytes / dram->line_bytes;
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

// ---- Upstream: queue (R-DR-2) and way back (R-DR-7) ----

uint64_t qsm_dram_ready_at(const struct qsm_dram *dram, uint32_t channel) { return dram->channel[channel].ready_from; }

void qsm_dram_accept(struct qsm_dram *dram, uint32_t channel, uint64_t cycle, const struct qsm_mem_access *access) {
  struct channel *ch = &dram->channel[channel];
  struct entry *entry = &ch->entry[ch->order[ch->n_entries++]];
  uint32_t m = access->addr >> dram->line_shift;
  qsm_hold_request(&entry->request, access, dram->line_bytes);
  entry->column = m % dram->n_columns;
  entry->bank = m / dram->n_columns % dram->config->dram_banks;
  entry->row = m / dram->n_columns / dram->config->dram_banks;
  entry->opened = false;
  if (ch->n_entries == dram->config->dram_queue) ch->ready_from = QSM_NEVER;
  ch->try_at = cycle + 1;
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
  ch->back_head = (ch->back_head + 1) % dram->config->dram_queue;
  ch->n_back--;
  ch->n_arrived--;
  ch->try_at = cycle + 1;
}

// ---- Commands ----

static void report(const struct qsm_dram *dram, uint32_t c, uint64_t cycle, enum command command, const struct entry *entry) {
  uint32_t words[] = {command, entry->bank, entry->row, entry->column, dram->channel[c].passed};
  qsm_bus_report(dram->bus, cycle, QSM_EV_DRAM, c, 5, words);
}

static bool is_column_ready(const struct channel *ch, const struct entry *entry, uint64_t cycle) {
  const struct bank *bank = &ch->bank[entry->bank];
  return bank->open && bank->row == entry->row && bank->busy_until <= cycle;
}

// Entry number i, by age, leaves the queue; its place is free.
static void remove_entry(struct channel *ch, uint32_t i) {
  uint8_t place = ch->order[i];
  memmove(&ch->order[i], &ch->order[i + 1], --ch->n_entries - i);
  ch->order[ch->n_entries] = place;
}

static void count_access(struct channel *ch, const struct entry *entry) {
  uint32_t *count = ch->count[entry->request.access.slot];
  count[entry->request.access.kind == QSM_MEM_WRITE ? COUNT_WRITES : COUNT_READS]++;
  if (!entry->opened) count[COUNT_ROW_HITS]++;
}

static void column_access(struct qsm_dram *dram, uint32_t c, uint64_t cycle, uint32_t i) {
  const struct qsm_config *config = dram->config;
  struct channel *ch = &dram->channel[c];
  const struct entry *entry = &ch->entry[ch->order[i]];
  struct bank *bank = &ch->bank[entry->bank];
  bool write = entry->request.access.kind == QSM_MEM_WRITE;
  uint64_t keep_until = cycle + config->dram_burst + config->dram_wr;
  ch->bus_until = bank->busy_until = cycle + config->dram_burst;
  if (write && bank->keep_until < keep_until) bank->keep_until = keep_until;
  ch->back[(ch->back_head + ch->n_back++) % config->dram_queue] =
      (struct back){.due = cycle + (write ? 1 : config->dram_cl + config->dram_burst), .arrived = QSM_NEVER};
  ch->passed = i == 0 ? 0 : ch->passed + (ch->passed < MAX_PATIENCE);
  if (ch->n_entries == config->dram_queue) ch->ready_from = cycle + 1;
  count_access(ch, entry);
  report(dram, c, cycle, COMMAND_COLUMN, entry);
  qsm_mem_port_accept(dram->mem, dram->bus, c, cycle, &entry->request.access);
  remove_entry(ch, i);
}

// R-DR-5.
static bool try_column(struct qsm_dram *dram, uint32_t c, uint64_t cycle, uint32_t n_seen) {
  struct channel *ch = &dram->channel[c];
  if (ch->bus_until > cycle || ch->n_back == dram->config->dram_queue || qsm_mem_ready_at(dram->mem, c) > cycle) return false;
  for (uint32_t i = 0; i < n_seen; i++) {
    if (!is_column_ready(ch, &ch->entry[ch->order[i]], cycle)) continue;
    column_access(dram, c, cycle, i);
    return true;
  }
  return false;
}

static bool is_row_wanted(const struct channel *ch, uint32_t bank) {
  for (uint32_t i = 0; i < ch->n_entries; i++) {
    const struct entry *entry = &ch->entry[ch->order[i]];
    if (entry->bank == bank && entry->row == ch->bank[bank].row) return true;
  }
  return false;
}

static bool may_open(const struct channel *ch, const struct entry *entry, uint64_t cycle) {
  const struct bank *bank = &ch->bank[entry->bank];
  if (bank->busy_until > cycle) return false;
  if (!bank->open) return true;
  if (bank->row == entry->row || bank->keep_until > cycle) return false;
  return ch->passed == MAX_PATIENCE || !is_row_wanted(ch, entry->bank);
}

// R-DR-6.
static bool try_row(struct qsm_dram *dram, uint32_t c, uint64_t cycle, uint32_t n_seen) {
  const struct qsm_config *config = dram->config;
  struct channel *ch = &dram->channel[c];
  for (uint32_t i = 0; i < n_seen; i++) {
    struct entry *entry = &ch->entry[ch->order[i]];
    struct bank *bank = &ch->bank[entry->bank];
    if (!may_open(ch, entry, cycle)) continue;
    uint32_t close = bank->open ? config->dram_rp : 0;
    *bank = (struct bank){.open = true, .row = entry->row, .busy_until = cycle + config->dram_rcd + close,
                          .keep_until = cycle + config->dram_ras + close};
    entry->opened = true;
    ch->count[entry->request.access.slot][COUNT_ROWS]++;
    report(dram, c, cycle, COMMAND_ROW, entry);
    return true;
  }
  return false;
}

// Nothing was possible in this cycle: the next time of which anything waits.
static uint64_t next_chance(const struct qsm_dram *dram, uint32_t c, uint64_t cycle) {
  const struct channel *ch = &dram->channel[c];
  const uint64_t common[] = {ch->bus_until, qsm_mem_ready_at(dram->mem, c)};
  uint64_t next = QSM_NEVER;
  for (uint32_t i = 0; i < 2; i++) {
    if (common[i] > cycle) next = qsm_earlier(next, common[i]);
  }
  for (uint32_t i = 0; i < ch->n_entries; i++) {
    const struct bank *bank = &ch->bank[ch->entry[ch->order[i]].bank];
    if (bank->busy_until > cycle) next = qsm_earlier(next, bank->busy_until);
    if (bank->keep_until > cycle) next = qsm_earlier(next, bank->keep_until);
  }
  return next;
}

static void command(struct qsm_dram *dram, uint32_t c, uint64_t cycle) {
  struct channel *ch = &dram->channel[c];
  if (ch->n_entries == 0 || cycle < ch->try_at) return;
  uint32_t n_seen = ch->passed == MAX_PATIENCE ? 1 : ch->n_entries;  // R-DR-4
  bool done = try_column(dram, c, cycle, n_seen) || try_row(dram, c, cycle, n_seen);
  ch->try_at = done ? cycle + 1 : next_chance(dram, c, cycle);
}

static void take_response(struct qsm_dram *dram, uint32_t c, uint64_t cycle) {
  struct channel *ch = &dram->channel[c];
  if (qsm_mem_response_at(dram->mem, c) > cycle) return;
  struct back *back = &ch->back[(ch->back_head + ch->n_arrived++) % dram->config->dram_queue];
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

uint32_t qsm_dram_counter(const struct qsm_dram *dram, uint32_t channel, uint32_t slot, uint32_t counter) {
  return dram->channel[channel].count[slot][counter - QSM_DRAM_FIRST_COUNTER];
}

void qsm_dram_clear_counters(struct qsm_dram *dram, uint32_t slots) {
  for (uint32_t c = 0; c < dram->config->num_channels; c++) {
    for (uint32_t left = slots; left; left &= left - 1) memset(dram->channel[c].count[qsm_lowest(left)], 0, sizeof dram->channel[c].count[0]);
  }
}

// A counter that counts down, as it is at the start of a cycle.
static uint32_t left_until(uint64_t until, uint64_t cycle) { return until > cycle ? (uint32_t)(until - cycle) : 0; }

bool qsm_dram_state(const struct qsm_dram *dram, uint64_t cycle, uint32_t channel, uint32_t index, uint32_t word, uint32_t *value) {
  if (channel >= dram->config->num_channels || index > dram->config->dram_banks || word > 3) return false;
  const struct channel *ch = &dram->channel[channel];
  if (index == dram->config->dram_banks) {
    const uint32_t words[] = {left_until(ch->bus_until, cycle), ch->passed, ch->n_entries, ch->n_back};
    *value = words[word];
    return true;
  }
  const struct bank *bank = &ch->bank[index];
  const uint32_t words[] = {bank->open, bank->open ? bank->row : 0, left_until(bank->busy_until, cycle), left_until(bank->keep_until, cycle)};
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
    snprintf(what, what_len, "dram: bit %u of the row of channel %u's oldest access", bit, c);
    return 0;
  }
  return -1;
}
