// SPDX-License-Identifier: Apache-2.0
// For each thing that the engine can do there is a function that names the first cycle in which it
// can, from what it knows: a step does what is possible in its own cycle, and look-ahead is the
// earliest of them. What changes by itself is kept as a cycle (an entry is there, the job is done)
// or as a value with the cycle in which it was so (credit), so cycles without a request cost no
// time, and an idle engine costs none.
#include "qsm_dma.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LINE_BYTES = 4 * QSM_MAX_LANES, CREDIT_PER_CYCLE = 256 };

struct entry {
  uint64_t there_from;  // QSM_NEVER: waiting
  uint32_t line[QSM_MAX_LANES];
};

struct qsm_dma {
  uint32_t line_bytes, n_entries;
  struct qsm_dma_port port;
  struct qsm_dma_job job;
  uint64_t busy_from, done_at;     // QSM_NEVER: no job; not known yet
  uint32_t turn;                   // d
  bool skips;                      // the first source line is left, and completes nothing
  uint32_t n_to_read, n_to_write;  // lines
  uint32_t read_addr, write_addr;  // of the next lines
  uint32_t head, n_used;           // entries
  // Writes under way; acknowledgements that were seen, or will be, since a write was last looked
  // for.
  uint32_t n_writes, ack_head, n_acks;
  uint64_t ack_at[QSM_DMA_MAX_ENTRIES];
  uint32_t interval_q8, credit_q8;
  uint64_t credit_at;  // the credit is that of this cycle's start
  struct entry entry[QSM_DMA_MAX_ENTRIES];
  // The bytes below d of the line before, turned: no others of it are ever needed (R-DM-5).
  uint8_t before[MAX_LINE_BYTES];
};

struct qsm_dma *qsm_dma_create(uint32_t line_bytes, uint32_t n_entries,
                               const struct qsm_dma_port *port) {
  struct qsm_dma *dma = calloc(1, sizeof *dma);
  if (!dma) return NULL;
  dma->line_bytes = line_bytes;
  dma->n_entries = n_entries;
  dma->port = *port;
  qsm_dma_reset(dma);
  return dma;
}

void qsm_dma_destroy(struct qsm_dma *dma) { free(dma); }

void qsm_dma_reset(struct qsm_dma *dma) {
  dma->busy_from = QSM_NEVER;
  dma->done_at = QSM_NEVER;
  dma->head = dma->n_used = 0;
  dma->n_to_read = dma->n_to_write = 0;
  dma->n_writes = dma->n_acks = dma->ack_head = 0;
  dma->credit_q8 = 0;
  dma->credit_at = 0;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

// ---- Link (R-DM-7) ----

// At the start of a cycle that is not before credit_at. Cutting it in each cycle or at the end is
// the same, since it only grows between requests; but a cut is due only when a cycle has passed.
static uint32_t credit_q8(const struct qsm_dma *dma, uint64_t cycle) {
  uint64_t n_cycles = cycle - dma->credit_at;
  uint32_t most = dma->interval_q8 + CREDIT_PER_CYCLE - 1;
  if (n_cycles == 0) return dma->credit_q8;
  if (n_cycles > most / CREDIT_PER_CYCLE) return most;
  uint32_t grown = dma->credit_q8 + (uint32_t)n_cycles * CREDIT_PER_CYCLE;
  return grown < most ? grown : most;
}

static void set_credit(struct qsm_dma *dma, uint64_t cycle, uint32_t value_q8) {
  dma->credit_q8 = value_q8;
  dma->credit_at = cycle;
}

// First cycle from `from` on with link credit. QSM_NEVER stays what it is: by then there is credit.
static uint64_t credit_from(const struct qsm_dma *dma, uint64_t from) {
  uint32_t credit = credit_q8(dma, from);
  if (credit >= dma->interval_q8) return from;
  return from + (dma->interval_q8 - credit + CREDIT_PER_CYCLE - 1) / CREDIT_PER_CYCLE;
}

// A request that counts is sent in this cycle.
static void pay(struct qsm_dma *dma, uint64_t cycle) {
  uint32_t left = credit_q8(dma, cycle) - dma->interval_q8 + CREDIT_PER_CYCLE;
  uint32_t most = dma->interval_q8 + CREDIT_PER_CYCLE - 1;
  set_credit(dma, cycle + 1, left < most ? left : most);
}

void qsm_dma_set_interval(struct qsm_dma *dma, uint64_t cycle, uint32_t interval_q8) {
  set_credit(dma, cycle, credit_q8(dma, cycle));
  dma->interval_q8 = interval_q8;
}

// ---- Start ----

// Lines that hold some of the bytes.
static uint32_t n_lines(const struct qsm_dma *dma, uint32_t addr, uint32_t n_bytes) {
  uint32_t last = addr + (n_bytes - 1);
  return last / dma->line_bytes - addr / dma->line_bytes + 1;
}

static uint32_t line_of(const struct qsm_dma *dma, uint32_t addr) {
  return addr & ~(dma->line_bytes - 1);
}

static uint32_t place_in_line(const struct qsm_dma *dma, uint32_t addr) {
  return addr & (dma->line_bytes - 1);
}

void qsm_dma_start(struct qsm_dma *dma, uint64_t cycle, const struct qsm_dma_job *job) {
  dma->job = *job;
  dma->busy_from = cycle + 1;
  dma->done_at = QSM_NEVER;
  dma->turn = place_in_line(dma, job->dst - job->src);  // of no meaning to a fill, as `skips`
  dma->skips = place_in_line(dma, job->src) + dma->turn >= dma->line_bytes;
  dma->n_to_read = job->fill ? 0 : n_lines(dma, job->src, job->n_bytes);
  dma->n_to_write = n_lines(dma, job->dst, job->n_bytes);
  dma->read_addr = line_of(dma, job->src);
  dma->write_addr = line_of(dma, job->dst);
  set_credit(dma, cycle + 1, dma->interval_q8);
}

// ---- What is possible: first cycles from `from` on, if nothing else happens before ----

static uint64_t ack_at(const struct qsm_dma *dma, uint32_t i) {
  return dma->ack_at[(dma->ack_head + i) % QSM_DMA_MAX_ENTRIES];
}

// Fewer than NumEntries writes are under way.
static uint64_t room_from(const struct qsm_dma *dma, uint64_t from) {
  if (dma->n_writes < dma->n_entries) return from;
  return dma->n_acks ? later(from, ack_at(dma, 0) + 1) : QSM_NEVER;
}

static uint64_t head_from(const struct qsm_dma *dma, uint64_t from) {
  return dma->n_used ? later(from, dma->entry[dma->head].there_from) : QSM_NEVER;
}

static bool is_used_up(const struct qsm_dma *dma) {
  return dma->n_to_read == 0 && dma->n_used == 0;
}

// A write is ready (R-DM-4); a read goes first.
static uint64_t write_from(const struct qsm_dma *dma, uint64_t from) {
  if (dma->n_to_write == 0) return QSM_NEVER;
  from = room_from(dma, from);
  if (dma->job.fill) return dma->job.link ? credit_from(dma, from) : from;
  if (is_used_up(dma)) return from;
  return dma->skips ? QSM_NEVER : head_from(dma, from);
}

// R-DM-3.
static uint64_t read_from(const struct qsm_dma *dma, uint64_t from) {
  if (dma->n_to_read == 0 || dma->n_used == dma->n_entries) return QSM_NEVER;
  return dma->job.link ? credit_from(dma, from) : from;
}

// The first source line goes without a write (R-DM-5).
static uint64_t drop_from(const struct qsm_dma *dma, uint64_t from) {
  return dma->skips ? head_from(dma, from) : QSM_NEVER;
}

uint64_t qsm_dma_next(const struct qsm_dma *dma, uint64_t from) {
  if (dma->busy_from == QSM_NEVER) return QSM_NEVER;
  from = later(from, dma->busy_from);
  if (dma->done_at != QSM_NEVER) return from <= dma->done_at ? dma->done_at : QSM_NEVER;
  return qsm_earlier(write_from(dma, from),
                     qsm_earlier(read_from(dma, from), drop_from(dma, from)));
}

// ---- A cycle ----

// The head entry becomes the line before.
static void use_up(struct qsm_dma *dma) {
  const uint8_t *line = (const uint8_t *)dma->entry[dma->head].line;
  memcpy(dma->before, line + dma->line_bytes - dma->turn, dma->turn);
  dma->head = (dma->head + 1) % dma->n_entries;
  dma->n_used--;
}

// All but the data.
static void begin_request(struct qsm_mem_req *req, uint64_t cycle, uint8_t kind, uint32_t tag,
                          uint32_t addr) {
  req->cycle = cycle;
  req->kind = kind;
  req->amo = 0;
  req->tag = (uint8_t)tag;
  req->slot = 0;
  req->nc = true;
  req->addr = addr;
  memset(req->bytes, 0, sizeof req->bytes);
}

static void send_read(struct qsm_dma *dma, uint64_t cycle) {
  uint32_t e = (dma->head + dma->n_used) % dma->n_entries;
  struct qsm_mem_req req;
  begin_request(&req, cycle, QSM_MEM_READ, 1 + e, dma->read_addr);
  dma->entry[e].there_from = QSM_NEVER;
  dma->n_used++;
  dma->read_addr += dma->line_bytes;
  dma->n_to_read--;
  if (dma->job.link) pay(dma, cycle);
  dma->port.send(dma->port.ctx, &req);
}

static uint32_t write_tag(const struct qsm_dma *dma) { return 1 + dma->n_entries; }

// Of a tail only the bytes below d are written, so the entry is as good as any.
static void put_data(const struct qsm_dma *dma, uint8_t *data) {
  if (dma->job.fill) {
    for (uint32_t i = 0; i < dma->line_bytes; i += 4) memcpy(data + i, &dma->job.pattern, 4);
    return;
  }
  memcpy(data, dma->before, dma->turn);
  memcpy(data + dma->turn, dma->entry[dma->head].line, dma->line_bytes - dma->turn);
}

// The bytes `first` to `last` of the line; the others of the data become 0.
static void put_bytes(const struct qsm_dma *dma, struct qsm_mem_req *req, uint32_t first,
                      uint32_t last) {
  uint8_t *data = (uint8_t *)req->data;
  memset(data, 0, first);
  memset(data + last + 1, 0, dma->line_bytes - last - 1);
  for (uint32_t i = first / 32; i <= last / 32; i++) {
    uint32_t low = i == first / 32 ? first % 32 : 0, high = i == last / 32 ? last % 32 : 31;
    req->bytes[i] = UINT32_MAX << low & UINT32_MAX >> (31 - high);
  }
}

static void send_write(struct qsm_dma *dma, uint64_t cycle) {
  struct qsm_mem_req req;
  uint32_t dst = dma->job.dst;
  uint32_t first = dma->write_addr == line_of(dma, dst) ? place_in_line(dma, dst) : 0;
  uint32_t last =
      dma->n_to_write == 1 ? place_in_line(dma, dst + (dma->job.n_bytes - 1)) : dma->line_bytes - 1;
  begin_request(&req, cycle, QSM_MEM_WRITE, write_tag(dma), dma->write_addr);
  put_data(dma, (uint8_t *)req.data);
  put_bytes(dma, &req, first, last);
  if (dma->n_used) use_up(dma);
  dma->n_writes++;
  dma->write_addr += dma->line_bytes;
  dma->n_to_write--;
  if (dma->job.fill && dma->job.link) pay(dma, cycle);
  dma->port.send(dma->port.ctx, &req);
}

// Acknowledgements of cycles that are over.
static uint32_t acks_before(const struct qsm_dma *dma, uint64_t cycle) {
  uint32_t n = 0;
  while (n < dma->n_acks && ack_at(dma, n) < cycle) n++;
  return n;
}

static void forget_acks(struct qsm_dma *dma, uint64_t cycle) {
  uint32_t n = acks_before(dma, cycle);
  dma->ack_head = (dma->ack_head + n) % QSM_DMA_MAX_ENTRIES;
  dma->n_acks -= n;
  dma->n_writes -= n;
}

// What is dropped is decided before a request is sent, and drops nothing that the request needs: no
// write is ready while the first line is there, and a read takes another entry.
void qsm_dma_step(struct qsm_dma *dma, uint64_t cycle, bool may_send) {
  if (!qsm_dma_is_busy(dma, cycle)) return;
  forget_acks(dma, cycle);
  bool drops = drop_from(dma, cycle) == cycle;
  if (may_send && read_from(dma, cycle) == cycle) {
    send_read(dma, cycle);
  } else if (may_send && write_from(dma, cycle) == cycle) {
    send_write(dma, cycle);
  }
  if (!drops) return;
  use_up(dma);
  dma->skips = false;
}

// ---- Answers (R-DM-6) ----

uint32_t *qsm_dma_answer(struct qsm_dma *dma, uint64_t cycle, uint8_t tag) {
  if (tag == 0 || tag > write_tag(dma)) return NULL;
  if (tag < write_tag(dma)) {
    struct entry *entry = &dma->entry[tag - 1];
    entry->there_from = cycle + 2;
    return entry->line;
  }
  dma->ack_at[(dma->ack_head + dma->n_acks++) % QSM_DMA_MAX_ENTRIES] = cycle;
  if (dma->n_to_write == 0 && dma->n_acks == dma->n_writes) dma->done_at = cycle + 1;
  return NULL;
}

// ---- Observation ----

bool qsm_dma_is_busy(const struct qsm_dma *dma, uint64_t cycle) {
  return dma->busy_from <= cycle && cycle <= dma->done_at;
}

bool qsm_dma_is_done(const struct qsm_dma *dma, uint64_t cycle) { return dma->done_at == cycle; }

uint64_t qsm_dma_done_at(const struct qsm_dma *dma) { return dma->done_at; }

bool qsm_dma_state(const struct qsm_dma *dma, uint64_t cycle, uint32_t word, uint32_t *value) {
  switch (word) {
    case 0:
      *value = (uint32_t)qsm_dma_is_busy(dma, cycle) | dma->n_used << 1 |
               (dma->n_writes - acks_before(dma, cycle)) << 8;
      return true;
    case 1: *value = dma->n_to_read; return true;
    case 2: *value = dma->n_to_write; return true;
    case 3: *value = credit_q8(dma, cycle); return true;
    default: return false;
  }
}
