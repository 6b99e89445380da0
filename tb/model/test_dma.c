// SPDX-License-Identifier: Apache-2.0
// The DMA engine (docs/dma.md): requests written down by hand from the rules, and random jobs
// against memmove and memset, byte by byte, and against a reference that has the page's state as it
// stands there and computes each cycle's next state from it. The engine itself names the cycles
// that it needs, and is told answers early, in time or late, so each run is one of its look-ahead,
// too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "qsm_dma.h"

enum {
  MEMORY_BYTES = 1 << 16,  // an address is taken modulo this
  MAX_LINE = 4 * QSM_MAX_LANES,
  CALENDAR = 1024,  // cycles, more than any latency
  MAX_LOG = 4096,
  NO_LIMIT = (1 << 24) - 1,  // of jobs without link: must not matter
};

// ---- Reference: R-DM-1 to R-DM-8 by the letter ----

// Deviations from the page that the comparison must find.
enum mistake {
  MISTAKE_NONE,
  MISTAKE_WRITE_FIRST,
  MISTAKE_ENTRY_FREE_AT_ONCE,
  MISTAKE_THERE_AT_ONCE,
  MISTAKE_WRITE_ROOM_AT_ONCE,
  MISTAKE_DROP_WAITS_FOR_PORT,
  MISTAKE_ENTRIES_BEGIN_ANEW,
  MISTAKE_TURN,
  MISTAKE_NO_LINE_BEFORE,
  MISTAKE_ONE_BYTE_MORE,
  MISTAKE_PATTERN_FROM_DST,
  MISTAKE_CREDIT_IS_SAVED,
  MISTAKE_WRITES_OF_COPIES_PAY,
  MISTAKE_CREDIT_STAYS_AT_START,
  MISTAKE_DONE_WITHOUT_ACKS,
  MISTAKE_MEMORY,  // not of the reference: memory ignores which bytes are written
  MISTAKE_COUNT
};

struct ref_entry {
  bool waiting, came, there;  // came: in the cycle before, and there in the next
  uint8_t line[MAX_LINE];
};

struct ref {
  enum mistake mistake;
  uint32_t line_bytes, n_entries;
  bool busy;
  struct qsm_dma_job job;
  uint64_t next_src, src_left, next_dst, dst_left;  // lines, by number
  uint64_t n_used_up;                               // source lines
  struct ref_entry entry[QSM_DMA_MAX_ENTRIES];
  uint32_t head, used;
  uint8_t before[MAX_LINE];  // turned
  uint32_t writes;
  uint32_t credit;
};

struct ref_in {
  const struct qsm_dma_job *start;  // NULL: none
  bool free;
  bool answered;
  uint8_t tag;
  const uint8_t *line;
  uint32_t interval;
};

struct request {
  uint64_t cycle;
  bool valid, write;
  uint8_t tag;
  uint32_t addr;
  bool bytes[MAX_LINE];
  uint8_t data[MAX_LINE];
};

static uint32_t ref_turn(const struct ref *ref) {
  uint32_t d = (ref->job.dst - ref->job.src) % ref->line_bytes;
  if (ref->mistake == MISTAKE_TURN && d > 1) d--;
  return ref->job.fill ? 0 : d;
}

static bool ref_skip(const struct ref *ref) {
  uint32_t d = (ref->job.dst - ref->job.src) % ref->line_bytes;
  return !ref->job.fill && ref->job.src % ref->line_bytes + d >= ref->line_bytes;
}

static void ref_turned(const struct ref *ref, const uint8_t *line, uint8_t *turned) {
  for (uint32_t j = 0; j < ref->line_bytes; j++)
    turned[(j + ref_turn(ref)) % ref->line_bytes] = line[j];
}

static void ref_begin(struct ref *next, const struct qsm_dma_job *job) {
  uint64_t src_end = (uint64_t)job->src + job->n_bytes, dst_end = (uint64_t)job->dst + job->n_bytes;
  uint32_t length = next->line_bytes;
  next->busy = true;
  next->job = *job;
  next->next_src = job->src / length;
  next->src_left = job->fill ? 0 : (src_end - 1) / length - next->next_src + 1;
  next->next_dst = job->dst / length;
  next->dst_left = (dst_end - 1) / length - next->next_dst + 1;
  next->n_used_up = 0;
  if (next->mistake == MISTAKE_ENTRIES_BEGIN_ANEW) next->head = 0;
}

static bool ref_head_there(const struct ref *now) {
  const struct ref_entry *head = &now->entry[now->head];
  return now->used && (head->there || (head->came && now->mistake == MISTAKE_THERE_AT_ONCE));
}

static bool ref_is_first_of_skip(const struct ref *now) {
  return ref_skip(now) && now->n_used_up == 0;
}

static bool ref_all_used_up(const struct ref *now) { return now->src_left == 0 && now->used == 0; }

static bool ref_write_ready(const struct ref *now, const struct ref_in *in) {
  uint32_t writes = now->writes;
  if (now->mistake == MISTAKE_WRITE_ROOM_AT_ONCE && in->answered && in->tag == 1 + now->n_entries)
    writes--;
  if (!now->busy || now->dst_left == 0 || writes >= now->n_entries) return false;
  if (now->job.fill) return !now->job.link || now->credit >= in->interval;
  if (ref_head_there(now) && !ref_is_first_of_skip(now)) return true;
  return ref_all_used_up(now);
}

static bool ref_read_possible(const struct ref *now, const struct ref_in *in) {
  uint32_t used = now->used;
  if (now->mistake == MISTAKE_ENTRY_FREE_AT_ONCE && ref_head_there(now) &&
      ref_is_first_of_skip(now))
    used--;
  return now->busy && now->src_left > 0 && used < now->n_entries &&
         (!now->job.link || now->credit >= in->interval);
}

static uint8_t ref_byte(const struct ref *now, const uint8_t *turned, uint32_t j) {
  uint32_t pattern_from = now->mistake == MISTAKE_PATTERN_FROM_DST ? now->job.dst : 0;
  if (now->job.fill) return (uint8_t)(now->job.pattern >> 8 * ((j - pattern_from) % 4));
  if (now->mistake == MISTAKE_NO_LINE_BEFORE && turned) return turned[j];
  return !turned || j < ref_turn(now) ? now->before[j] : turned[j];
}

static void ref_write(const struct ref *now, struct request *out) {
  uint8_t turned[MAX_LINE];
  bool tail = now->job.fill || ref_all_used_up(now);
  uint64_t end = (uint64_t)now->job.dst + now->job.n_bytes;
  if (now->mistake == MISTAKE_ONE_BYTE_MORE) end++;
  if (!tail) ref_turned(now, now->entry[now->head].line, turned);
  out->valid = out->write = true;
  out->tag = (uint8_t)(1 + now->n_entries);
  out->addr = (uint32_t)(now->next_dst * now->line_bytes);
  for (uint32_t j = 0; j < now->line_bytes; j++) {
    uint64_t at = now->next_dst * now->line_bytes + j;
    out->bytes[j] = at >= now->job.dst && at < end;
    out->data[j] = out->bytes[j] ? ref_byte(now, tail ? NULL : turned, j) : 0;
  }
}

static void ref_use_up(const struct ref *now, struct ref *next) {
  ref_turned(now, now->entry[now->head].line, next->before);
  next->entry[now->head].came = next->entry[now->head].there = false;
  next->head = (now->head + 1) % now->n_entries;
  next->used--;
  next->n_used_up++;
}

static void ref_read(const struct ref *now, struct ref *next, struct request *out) {
  uint32_t e = (now->head + now->used) % now->n_entries;
  out->valid = true;
  out->tag = (uint8_t)(1 + e);
  out->addr = (uint32_t)(now->next_src * now->line_bytes);
  next->entry[e].waiting = true;
  next->used++;
  next->next_src++;
  next->src_left--;
}

static void ref_answer(const struct ref *now, struct ref *next, const struct ref_in *in) {
  if (in->tag == 1 + now->n_entries) {
    next->writes--;
    return;
  }
  struct ref_entry *entry = &next->entry[in->tag - 1];
  assert_true(entry->waiting);
  entry->waiting = false;
  entry->came = true;
  memcpy(entry->line, in->line, now->line_bytes);
}

static void ref_credit(const struct ref *now, struct ref *next, const struct ref_in *in,
                       const struct request *out) {
  bool counts = now->job.link && out->valid && out->write == now->job.fill;
  if (now->mistake == MISTAKE_WRITES_OF_COPIES_PAY && now->job.link && out->valid &&
      now->credit >= in->interval)
    counts = true;
  if (in->start && now->mistake != MISTAKE_CREDIT_STAYS_AT_START) {
    next->credit = in->interval;
    return;
  }
  next->credit = now->credit + 256 - (counts ? in->interval : 0);
  uint32_t most = in->interval + 255;
  if (now->mistake == MISTAKE_CREDIT_IS_SAVED) most += 2048;
  if (next->credit > most) next->credit = most;
}

static bool ref_done(const struct ref *now) {
  return now->busy && now->dst_left == 0 &&
         (now->writes == 0 || now->mistake == MISTAKE_DONE_WITHOUT_ACKS);
}

// One cycle: the request that is sent in it. `ref` is the state at its start, then at its end.
static void ref_cycle(struct ref *ref, const struct ref_in *in, struct request *out) {
  const struct ref now_state = *ref, *now = &now_state;
  struct ref *next = ref;
  bool drop = now->busy && ref_head_there(now) && ref_is_first_of_skip(now) &&
              (in->free || now->mistake != MISTAKE_DROP_WAITS_FOR_PORT);
  bool write = ref_write_ready(now, in), read = ref_read_possible(now, in);
  memset(out, 0, sizeof *out);
  for (uint32_t e = 0; e < now->n_entries; e++) {
    next->entry[e].there |= now->entry[e].came;
    next->entry[e].came = false;
  }
  if (in->answered) ref_answer(now, next, in);
  if (now->mistake != MISTAKE_WRITE_FIRST && read) write = false;
  if (in->free && write) {
    ref_write(now, out);
    if (ref_head_there(now)) ref_use_up(now, next);
    next->next_dst++;
    next->dst_left--;
    next->writes++;
  } else if (in->free && read) {
    ref_read(now, next, out);
  }
  if (drop) ref_use_up(now, next);
  ref_credit(now, next, in, out);
  if (ref_done(now)) next->busy = false;
  if (in->start) ref_begin(next, in->start);
}

// ---- Bench: engine, reference and memory ----

enum told { TOLD_BEFORE_THE_STEP, TOLD_AFTER_THE_STEP, TOLD_AHEAD, TOLD_WAYS };

struct answer {
  bool valid;
  struct request request;
  uint8_t line[MAX_LINE];
};

struct bench {
  uint32_t line_bytes, n_entries;
  struct qsm_dma *dma;
  struct ref ref;
  uint64_t cycle;
  uint64_t next;  // the engine's next cycle, when it was last asked
  bool asks;      // something has happened since
  uint32_t interval;
  enum told told;
  uint32_t lead;       // cycles, of TOLD_AHEAD
  bool each_cycle;     // the engine is stepped in each cycle
  bool late;           // memory does what is asked for when it answers
  bool broken_memory;  // MISTAKE_MEMORY
  uint64_t *random;    // NULL: what follows
  uint32_t busy_percent, most_latency;
  uint64_t port_busy;  // bit c: cycle c
  // Of a read: until the cycle in which its line is there, less one; it is seen in the one before.
  uint32_t read_latency, write_latency, first_latency;
  struct request sent;  // in this cycle, by the engine
  uint32_t n_log;
  struct request log[MAX_LOG];
  uint64_t done_at;  // the last one
  uint32_t n_steps;
  uint8_t memory[MEMORY_BYTES];
  struct answer due[CALENDAR];  // by cycle
  char difference[160];         // the first; empty: none
};

static void differ(struct bench *bench, const char *what, uint64_t engine, uint64_t reference) {
  if (bench->difference[0]) return;
  snprintf(bench->difference, sizeof bench->difference,
           "cycle %llu: %s: engine 0x%llx, reference 0x%llx", (unsigned long long)bench->cycle,
           what, (unsigned long long)engine, (unsigned long long)reference);
}

static void compare(struct bench *bench, const char *what, uint64_t engine, uint64_t reference) {
  if (engine != reference) differ(bench, what, engine, reference);
}

static void note_sent(void *ctx, struct qsm_mem_req *req) {
  struct bench *bench = ctx;
  struct request *sent = &bench->sent;
  const uint8_t *data = (const uint8_t *)req->data;
  if (sent->valid) differ(bench, "two requests", 2, 1);
  if (req->kind == QSM_MEM_AMO || req->slot != 0 || !req->nc) differ(bench, "kind", req->kind, 0);
  *sent = (struct request){.cycle = req->cycle,
                           .valid = true,
                           .write = req->kind == QSM_MEM_WRITE,
                           .tag = req->tag,
                           .addr = req->addr};
  for (uint32_t j = 0; j < MAX_LINE; j++) {
    bool is_byte = req->bytes[j / 32] >> j % 32 & 1;
    if (j < bench->line_bytes) sent->bytes[j] = is_byte;
    if (j >= bench->line_bytes && is_byte) differ(bench, "byte behind the line", j, 0);
  }
  if (sent->write) memcpy(sent->data, data, bench->line_bytes);
}

static void open_bench(struct bench *bench, uint32_t line_bytes, uint32_t n_entries) {
  memset(bench, 0, sizeof *bench);
  bench->line_bytes = bench->ref.line_bytes = line_bytes;
  bench->n_entries = bench->ref.n_entries = n_entries;
  bench->next = QSM_NEVER;
  bench->dma = qsm_dma_create(line_bytes, n_entries,
                              &(struct qsm_dma_port){.ctx = bench, .send = note_sent});
  assert_non_null(bench->dma);
  for (uint32_t i = 0; i < MEMORY_BYTES; i++)
    bench->memory[i] = (uint8_t)((i * 0x9e3779b1u) >> 24 ^ i);
}

static void close_bench(struct bench *bench) { qsm_dma_destroy(bench->dma); }

// ---- Memory ----

static uint8_t *memory_line(struct bench *bench, uint32_t addr) {
  return &bench->memory[addr % MEMORY_BYTES];
}

static void perform(struct bench *bench, struct answer *answer) {
  const struct request *request = &answer->request;
  uint8_t *line = memory_line(bench, request->addr);
  if (!request->write) memcpy(answer->line, line, bench->line_bytes);
  for (uint32_t j = 0; j < bench->line_bytes; j++) {
    if (request->bytes[j] || (request->write && bench->broken_memory)) line[j] = request->data[j];
  }
}

static uint32_t draw_latency(struct bench *bench, const struct request *request) {
  if (bench->random) return bench->lead + 1 + model_random(bench->random, bench->most_latency);
  if (request->write) return bench->write_latency;
  bool first = bench->n_log == 1 && bench->first_latency;
  return (first ? bench->first_latency : bench->read_latency) - 1;
}

// One answer per cycle: the first cycle from the latency on that has none.
static void accept(struct bench *bench, const struct request *request) {
  uint64_t at = bench->cycle + draw_latency(bench, request);
  while (bench->due[at % CALENDAR].valid) at++;
  assert_true(at < bench->cycle + CALENDAR);
  struct answer *answer = &bench->due[at % CALENDAR];
  answer->valid = true;
  answer->request = *request;
  if (!bench->late) perform(bench, answer);
}

static void tell(struct bench *bench, uint64_t seen_at) {
  struct answer *answer = &bench->due[seen_at % CALENDAR];
  if (!answer->valid) return;
  if (bench->late) perform(bench, answer);
  uint32_t *line = qsm_dma_answer(bench->dma, seen_at, answer->request.tag);
  compare(bench, "place of an answer", line != NULL, !answer->request.write);
  if (line) memcpy(line, answer->line, bench->line_bytes);
  bench->asks = true;
}

// ---- A cycle ----

static bool draw_free(struct bench *bench) {
  if (bench->random) return model_random(bench->random, 100) >= bench->busy_percent;
  return bench->cycle >= 64 || !(bench->port_busy >> bench->cycle & 1);
}

static void compare_state(struct bench *bench) {
  const struct ref *ref = &bench->ref;
  const uint64_t expected[] = {(uint64_t)ref->busy | ref->used << 1 | ref->writes << 8,
                               ref->src_left, ref->dst_left, ref->credit};
  for (uint32_t word = 0; word < 4; word++) {
    uint32_t value = ~0u;
    char what[32];
    assert_true(qsm_dma_state(bench->dma, bench->cycle, word, &value));
    snprintf(what, sizeof what, "state word %u", word);
    compare(bench, what, value, expected[word]);
  }
  compare(bench, "busy", qsm_dma_is_busy(bench->dma, bench->cycle), ref->busy);
  compare(bench, "done", qsm_dma_is_done(bench->dma, bench->cycle), ref_done(ref));
}

static void compare_requests(struct bench *bench, const struct request *reference) {
  const struct request *engine = &bench->sent;
  compare(bench, "request", engine->valid, reference->valid);
  if (!engine->valid || !reference->valid) return;
  compare(bench, "cycle of the request", engine->cycle, bench->cycle);
  compare(bench, "write", engine->write, reference->write);
  compare(bench, "tag", engine->tag, reference->tag);
  compare(bench, "address", engine->addr, reference->addr);
  for (uint32_t j = 0; j < bench->line_bytes; j++) {
    compare(bench, "byte enable", engine->bytes[j], reference->bytes[j]);
    if (engine->write) compare(bench, "data", engine->data[j], reference->data[j]);
  }
}

static void ask_next(struct bench *bench, uint64_t from) {
  bench->asks = false;
  bench->next = qsm_dma_next(bench->dma, from);
  assert_true(bench->next >= from);
}

// What the engine does in a cycle that it has named, while the port is free: it sends, is done, or
// drops a line, which its state shows.
static void assert_needed(struct bench *bench, uint32_t used_before) {
  uint32_t word;
  qsm_dma_state(bench->dma, bench->cycle + 1, 0, &word);
  bool drops = (word >> 1 & 0x7f) != used_before;
  if (!bench->sent.valid && !qsm_dma_is_done(bench->dma, bench->cycle) && !drops)
    differ(bench, "named for nothing", 1, 0);
}

static void step_engine(struct bench *bench, bool is_free) {
  bool named = bench->next == bench->cycle;
  uint32_t used = bench->ref.used;
  if (!named && !bench->each_cycle) return;
  qsm_dma_step(bench->dma, bench->cycle, is_free);
  bench->n_steps++;
  bench->asks = true;
  if (named && is_free) assert_needed(bench, used);
}

// `start`: NULL: no job comes. `interval`: of this cycle on.
static void cycle(struct bench *bench, const struct qsm_dma_job *start, uint32_t interval) {
  const uint64_t t = bench->cycle;
  struct answer *seen = &bench->due[t % CALENDAR];
  bool is_free = draw_free(bench);
  struct request reference;
  bench->sent.valid = false;
  if (interval != bench->interval) {
    qsm_dma_set_interval(bench->dma, t, bench->interval = interval);
    ask_next(bench, t);
  }
  compare_state(bench);
  if (bench->told == TOLD_BEFORE_THE_STEP) tell(bench, t);
  if (start) qsm_dma_start(bench->dma, t, start);
  if (qsm_dma_is_done(bench->dma, t)) bench->done_at = t;
  step_engine(bench, is_free);
  if (bench->told == TOLD_AFTER_THE_STEP) tell(bench, t);
  const struct ref_in in = {start, is_free, seen->valid, seen->request.tag, seen->line, interval};
  ref_cycle(&bench->ref, &in, &reference);
  compare_requests(bench, &reference);
  seen->valid = false;
  if (bench->sent.valid) {
    bench->log[bench->n_log++ % MAX_LOG] = bench->sent;
    accept(bench, &bench->sent);
  }
  if (bench->told == TOLD_AHEAD) tell(bench, t + bench->lead);
  if (start || bench->asks) ask_next(bench, t + 1);
  bench->cycle++;
}

// ---- Requests by hand ----

// LineBytes 16. `bytes`: as in a mask.
struct row {
  uint64_t cycle;
  char kind;  // 'R', 'W'; 0: no more
  uint32_t addr, bytes, tag;
};

struct plan {  // 0 of the numbers: 4 entries, latencies of 3, NO_LIMIT
  uint32_t n_entries;
  uint32_t read_latency, write_latency, first_latency;  // as in the bench
  uint32_t interval;
  uint64_t port_busy;
  struct qsm_dma_job job;
  struct row row[16];
  uint64_t done_at;
};

enum { SRC = 0x1000, DST = 0x2000 };

static uint32_t mask_of(const struct request *request) {
  uint32_t mask = 0;
  for (uint32_t j = 0; j < 16; j++) mask |= (uint32_t)request->bytes[j] << j;
  return mask;
}

// What a job does to memory, where its areas have no byte in common or are the same.
static void expect_job(uint8_t *memory, const struct qsm_dma_job *job) {
  uint8_t *dst = &memory[job->dst % MEMORY_BYTES];
  if (!job->fill) {
    memmove(dst, &memory[job->src % MEMORY_BYTES], job->n_bytes);
    return;
  }
  for (uint32_t i = 0; i < job->n_bytes; i++)
    memset(&dst[i], (int)(job->pattern >> 8 * ((job->dst + i) % 4) & 0xff), 1);
}

static void check_rows(const struct bench *bench, const struct plan *plan) {
  uint32_t n = 0;
  for (; n < 16 && plan->row[n].kind; n++) {
    const struct row *row = &plan->row[n];
    const struct request *request = &bench->log[n];
    assert_true(n < bench->n_log);
    assert_int_equal(request->cycle, row->cycle);
    assert_int_equal(request->write, row->kind == 'W');
    assert_int_equal(request->addr, row->addr);
    assert_int_equal(mask_of(request), row->bytes);
    assert_int_equal(request->tag, row->tag);
  }
  assert_int_equal(bench->n_log, n);
  assert_int_equal(bench->done_at, plan->done_at);
}

static struct bench bench;
static uint8_t expected[MEMORY_BYTES];

static void open_plan(struct bench *b, const struct plan *plan, enum told told, bool each_cycle) {
  open_bench(b, 16, plan->n_entries ? plan->n_entries : 4);
  b->told = told;
  b->lead = 2;
  b->each_cycle = each_cycle;
  b->read_latency = plan->read_latency ? plan->read_latency : 3;
  b->write_latency = plan->write_latency ? plan->write_latency : 3;
  b->first_latency = plan->first_latency;
  b->port_busy = plan->port_busy;
}

// The start is in cycle 0.
static void check_plan(const struct plan *plan) {
  const uint32_t interval = plan->interval ? plan->interval : NO_LIMIT;
  for (uint32_t way = 0; way < 2 * TOLD_WAYS; way++) {
    open_plan(&bench, plan, (enum told)(way / 2), way % 2);
    memcpy(expected, bench.memory, sizeof expected);
    cycle(&bench, &plan->job, interval);
    while (bench.cycle < plan->done_at + 10) cycle(&bench, NULL, interval);
    check_rows(&bench, plan);
    assert_string_equal(bench.difference, "");
    expect_job(expected, &plan->job);
    assert_memory_equal(bench.memory, expected, sizeof expected);
    close_bench(&bench);
  }
}

// R-DM-1 to R-DM-4, R-DM-6, R-DM-8: a read per cycle; seen 3 later, used one later.
static void an_aligned_copy_reads_and_writes_a_line_per_cycle(void **state) {
  (void)state;
  check_plan(&(struct plan){.job = {.src = SRC, .dst = DST, .n_bytes = 64},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {2, 'R', 0x1010, 0, 2},
                                    {3, 'R', 0x1020, 0, 3},
                                    {4, 'R', 0x1030, 0, 4},
                                    {5, 'W', 0x2000, 0xffff, 5},
                                    {6, 'W', 0x2010, 0xffff, 5},
                                    {7, 'W', 0x2020, 0xffff, 5},
                                    {8, 'W', 0x2030, 0xffff, 5}},
                            .done_at = 12});
}

// R-DM-5: d = 4, so + d = 8.
static void an_offset_without_skip_writes_its_first_line_with_the_first_read(void **state) {
  (void)state;
  check_plan(&(struct plan){.job = {.src = SRC + 4, .dst = DST + 8, .n_bytes = 24},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {2, 'R', 0x1010, 0, 2},
                                    {5, 'W', 0x2000, 0xff00, 5},
                                    {6, 'W', 0x2010, 0xffff, 5}},
                            .done_at = 10});
}

// The figure of the page: seen 4 later.
static void its_tail_is_a_line_more(void **state) {
  (void)state;
  check_plan(&(struct plan){.read_latency = 4,
                            .write_latency = 4,
                            .job = {.src = SRC + 4, .dst = DST + 8, .n_bytes = 28},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {2, 'R', 0x1010, 0, 2},
                                    {6, 'W', 0x2000, 0xff00, 5},
                                    {7, 'W', 0x2010, 0xffff, 5},
                                    {8, 'W', 0x2020, 0x000f, 5}},
                            .done_at = 13});
}

// R-DM-5: so = 12, d = 8; line 0 is used up in 5.
static void an_offset_with_skip_writes_its_first_line_with_the_second_read(void **state) {
  (void)state;
  check_plan(&(struct plan){
      .job = {.src = SRC + 12, .dst = DST + 4, .n_bytes = 12},
      .row = {{1, 'R', 0x1000, 0, 1}, {2, 'R', 0x1010, 0, 2}, {6, 'W', 0x2000, 0xfff0, 5}},
      .done_at = 10});
}

static void with_skip_the_tail_is_no_line_more(void **state) {
  (void)state;
  check_plan(&(struct plan){.job = {.src = SRC + 12, .dst = DST + 4, .n_bytes = 20},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {2, 'R', 0x1010, 0, 2},
                                    {6, 'W', 0x2000, 0xfff0, 5},
                                    {7, 'W', 0x2010, 0x00ff, 5}},
                            .done_at = 11});
}

// R-DM-2, R-DM-5: line 0 is used up in 5 although the port is busy; line 1 waits for it in 6. The
// port is busy in 1, too.
static void a_line_without_a_write_needs_no_port(void **state) {
  (void)state;
  check_plan(&(struct plan){
      .port_busy = 1 << 1 | 1 << 6 | 1 << 7,
      .job = {.src = SRC + 12, .dst = DST + 4, .n_bytes = 12},
      .row = {{2, 'R', 0x1000, 0, 1}, {3, 'R', 0x1010, 0, 2}, {8, 'W', 0x2000, 0xfff0, 5}},
      .done_at = 12});
}

// R-DM-3, R-DM-5: line 0 is seen in 4 and used up in 5, and its entry is free from 6 on; line 1 is
// seen in 11.
static void the_entry_of_a_line_without_a_write_is_free_a_cycle_later(void **state) {
  (void)state;
  check_plan(&(struct plan){.n_entries = 2,
                            .read_latency = 9,
                            .first_latency = 3,
                            .job = {.src = SRC + 12, .dst = DST + 4, .n_bytes = 44},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {2, 'R', 0x1010, 0, 2},
                                    {6, 'R', 0x1020, 0, 1},
                                    {12, 'W', 0x2000, 0xfff0, 3},
                                    {13, 'R', 0x1030, 0, 2},
                                    {16, 'W', 0x2010, 0xffff, 3},
                                    {23, 'W', 0x2020, 0xffff, 3}},
                            .done_at = 27});
}

// The second with skip, so that only a tail is written; the third to another place in its own line.
static void a_copy_within_a_line(void **state) {
  (void)state;
  check_plan(&(struct plan){.job = {.src = SRC + 3, .dst = DST + 7, .n_bytes = 5},
                            .row = {{1, 'R', 0x1000, 0, 1}, {5, 'W', 0x2000, 0x0f80, 5}},
                            .done_at = 9});
  check_plan(&(struct plan){.job = {.src = SRC + 12, .dst = DST + 4, .n_bytes = 4},
                            .row = {{1, 'R', 0x1000, 0, 1}, {6, 'W', 0x2000, 0x00f0, 5}},
                            .done_at = 10});
  check_plan(&(struct plan){.job = {.src = SRC + 2, .dst = SRC + 9, .n_bytes = 7},
                            .row = {{1, 'R', 0x1000, 0, 1}, {5, 'W', 0x1000, 0xfe00, 5}},
                            .done_at = 9});
}

static void a_line_to_two_and_two_to_one(void **state) {
  (void)state;
  check_plan(&(struct plan){
      4,
      3,
      3,
      0,
      0,
      0,
      {.src = SRC + 6, .dst = DST + 12, .n_bytes = 8},
      {{1, 'R', 0x1000, 0, 1}, {5, 'W', 0x2000, 0xf000, 5}, {6, 'W', 0x2010, 0x000f, 5}},
      10});
  check_plan(&(struct plan){
      .job = {.src = SRC + 12, .dst = DST + 4, .n_bytes = 8},
      .row = {{1, 'R', 0x1000, 0, 1}, {2, 'R', 0x1010, 0, 2}, {6, 'W', 0x2000, 0x0ff0, 5}},
      .done_at = 10});
}

// The second: so + d = 15 + 1.
static void one_byte(void **state) {
  (void)state;
  check_plan(&(struct plan){.job = {.src = SRC, .dst = DST + 15, .n_bytes = 1},
                            .row = {{1, 'R', 0x1000, 0, 1}, {5, 'W', 0x2000, 0x8000, 5}},
                            .done_at = 9});
  check_plan(&(struct plan){.job = {.src = SRC + 15, .dst = DST, .n_bytes = 1},
                            .row = {{1, 'R', 0x1000, 0, 1}, {6, 'W', 0x2000, 0x0001, 5}},
                            .done_at = 10});
}

// R-DM-4, case 1: no reads, and the pattern's bytes by address (check_plan looks at memory).
static void a_fill_at_odd_addresses(void **state) {
  (void)state;
  check_plan(
      &(struct plan){.job = {.fill = true, .dst = DST + 3, .n_bytes = 20, .pattern = 0xddccbbaa},
                     .row = {{1, 'W', 0x2000, 0xfff8, 5}, {2, 'W', 0x2010, 0x007f, 5}},
                     .done_at = 6});
  check_plan(
      &(struct plan){.job = {.fill = true, .dst = DST + 13, .n_bytes = 1, .pattern = 0xddccbbaa},
                     .row = {{1, 'W', 0x2000, 0x2000, 5}},
                     .done_at = 5});
}

// R-DM-4, R-DM-6: the answer of 1 is seen in 6; in 7 one is seen and one sent.
static void writes_under_way_are_limited(void **state) {
  (void)state;
  check_plan(&(struct plan){.n_entries = 2,
                            .read_latency = 5,
                            .write_latency = 5,
                            .job = {.fill = true, .dst = DST, .n_bytes = 64, .pattern = 0x01020304},
                            .row = {{1, 'W', 0x2000, 0xffff, 3},
                                    {2, 'W', 0x2010, 0xffff, 3},
                                    {7, 'W', 0x2020, 0xffff, 3},
                                    {8, 'W', 0x2030, 0xffff, 3}},
                            .done_at = 14});
}

// R-DM-4: lines 2 and 3 are there from 10 and 12 on, but the answers of 5 and 7 are seen in 25 and
// in 27. R-DM-2: in 6 line 1 is there, but an entry is free and a read goes first.
static void writes_of_a_copy_wait_for_acknowledgements(void **state) {
  (void)state;
  check_plan(&(struct plan){.n_entries = 2,
                            .write_latency = 20,
                            .job = {.src = SRC, .dst = DST, .n_bytes = 64},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {2, 'R', 0x1010, 0, 2},
                                    {5, 'W', 0x2000, 0xffff, 3},
                                    {6, 'R', 0x1020, 0, 1},
                                    {7, 'W', 0x2010, 0xffff, 3},
                                    {8, 'R', 0x1030, 0, 2},
                                    {26, 'W', 0x2020, 0xffff, 3},
                                    {28, 'W', 0x2030, 0xffff, 3}},
                            .done_at = 49});
}

// R-DM-2, R-DM-3: in 13 a line is there, but an entry is free from 13 on and a read goes first;
// entries are used in a circle.
static void a_full_set_of_entries_waits_for_a_slow_memory(void **state) {
  (void)state;
  check_plan(&(struct plan){.n_entries = 2,
                            .read_latency = 10,
                            .write_latency = 9,
                            .job = {.src = SRC, .dst = DST, .n_bytes = 80},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {2, 'R', 0x1010, 0, 2},
                                    {12, 'W', 0x2000, 0xffff, 3},
                                    {13, 'R', 0x1020, 0, 1},
                                    {14, 'W', 0x2010, 0xffff, 3},
                                    {15, 'R', 0x1030, 0, 2},
                                    {24, 'W', 0x2020, 0xffff, 3},
                                    {25, 'R', 0x1040, 0, 1},
                                    {26, 'W', 0x2030, 0xffff, 3},
                                    {36, 'W', 0x2040, 0xffff, 3}},
                            .done_at = 46});
}

// R-DM-4 to R-DM-6: the first line is seen last, in 10.
static void lines_that_come_in_another_order_are_used_in_that_of_the_copy(void **state) {
  (void)state;
  check_plan(&(struct plan){.first_latency = 9,
                            .job = {.src = SRC + 2, .dst = DST + 3, .n_bytes = 45},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {2, 'R', 0x1010, 0, 2},
                                    {3, 'R', 0x1020, 0, 3},
                                    {11, 'W', 0x2000, 0xfff8, 5},
                                    {12, 'W', 0x2010, 0xffff, 5},
                                    {13, 'W', 0x2020, 0xffff, 5}},
                            .done_at = 17});
}

// Addresses end at 2^32, as does the copy.
static void the_last_line_of_the_address_space(void **state) {
  (void)state;
  check_plan(&(struct plan){.job = {.src = SRC, .dst = 0xffffffe8, .n_bytes = 24},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {2, 'R', 0x1010, 0, 2},
                                    {5, 'W', 0xffffffe0, 0xff00, 5},
                                    {6, 'W', 0xfffffff0, 0xffff, 5}},
                            .done_at = 10});
  check_plan(&(struct plan){.job = {.src = 0xffffffec, .dst = DST, .n_bytes = 20},
                            .row = {{1, 'R', 0xffffffe0, 0, 1},
                                    {2, 'R', 0xfffffff0, 0, 2},
                                    {6, 'W', 0x2000, 0xffff, 5},
                                    {7, 'W', 0x2010, 0x000f, 5}},
                            .done_at = 11});
  check_plan(
      &(struct plan){.job = {.fill = true, .dst = 0xffffffff, .n_bytes = 1, .pattern = 0x5a000000},
                     .row = {{1, 'W', 0xfffffff0, 0x8000, 5}},
                     .done_at = 5});
}

// R-DM-7: three cycles per line. Only reads count.
static void a_copy_over_the_link_reads_a_line_per_interval(void **state) {
  (void)state;
  check_plan(&(struct plan){.interval = 3 * 256,
                            .job = {.link = true, .src = SRC, .dst = DST, .n_bytes = 64},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {4, 'R', 0x1010, 0, 2},
                                    {5, 'W', 0x2000, 0xffff, 5},
                                    {7, 'R', 0x1020, 0, 3},
                                    {8, 'W', 0x2010, 0xffff, 5},
                                    {10, 'R', 0x1030, 0, 4},
                                    {11, 'W', 0x2020, 0xffff, 5},
                                    {14, 'W', 0x2030, 0xffff, 5}},
                            .done_at = 18});
}

// R-DM-7: two and a half; what is left over of a cycle is kept.
static void an_interval_may_have_a_fraction(void **state) {
  (void)state;
  check_plan(&(struct plan){.interval = 640,
                            .write_latency = 4,
                            .job = {.link = true, .src = SRC, .dst = DST, .n_bytes = 64},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {4, 'R', 0x1010, 0, 2},
                                    {5, 'W', 0x2000, 0xffff, 5},
                                    {6, 'R', 0x1020, 0, 3},
                                    {8, 'W', 0x2010, 0xffff, 5},
                                    {9, 'R', 0x1030, 0, 4},
                                    {10, 'W', 0x2020, 0xffff, 5},
                                    {13, 'W', 0x2030, 0xffff, 5}},
                            .done_at = 18});
}

// R-DM-7: the port is busy in 1 .. 20, and credit has grown to 1023 only: it is 511, 767 and 1023
// in 22 to 24.
static void a_pause_of_the_link_saves_nothing_up(void **state) {
  (void)state;
  check_plan(&(struct plan){.interval = 3 * 256,
                            .port_busy = 0x1ffffe,
                            .job = {.link = true, .src = SRC, .dst = DST, .n_bytes = 48},
                            .row = {{21, 'R', 0x1000, 0, 1},
                                    {24, 'R', 0x1010, 0, 2},
                                    {25, 'W', 0x2000, 0xffff, 5},
                                    {27, 'R', 0x1020, 0, 3},
                                    {28, 'W', 0x2010, 0xffff, 5},
                                    {31, 'W', 0x2020, 0xffff, 5}},
                            .done_at = 35});
}

// R-DM-7: writes count; an interval below a cycle limits nothing.
static void a_fill_over_the_link_writes_a_line_per_interval(void **state) {
  (void)state;
  struct plan plan = {.interval = 2 * 256,
                      .job = {.fill = true, .link = true, .dst = DST, .n_bytes = 64, .pattern = 7},
                      .row = {{1, 'W', 0x2000, 0xffff, 5},
                              {3, 'W', 0x2010, 0xffff, 5},
                              {5, 'W', 0x2020, 0xffff, 5},
                              {7, 'W', 0x2030, 0xffff, 5}},
                      .done_at = 11};
  check_plan(&plan);
  plan.interval = 255;
  for (uint32_t n = 0; n < 4; n++) plan.row[n].cycle = 1 + n;
  plan.done_at = 8;
  check_plan(&plan);
}

// R-DM-1, R-DM-3, R-DM-8: started in the first cycle in which the engine is not busy.
static void the_next_job_goes_on_with_the_next_entry(void **state) {
  (void)state;
  const struct plan plan = {.job = {.src = SRC, .dst = DST, .n_bytes = 16},
                            .row = {{1, 'R', 0x1000, 0, 1},
                                    {5, 'W', 0x2000, 0xffff, 5},
                                    {11, 'R', 0x1000, 0, 2},
                                    {15, 'W', 0x2000, 0xffff, 5}},
                            .done_at = 19};
  open_plan(&bench, &plan, TOLD_AHEAD, false);
  for (uint32_t t = 0; t < 30; t++) {
    assert_int_equal(qsm_dma_is_busy(bench.dma, t), (t >= 1 && t <= 9) || (t >= 11 && t <= 19));
    cycle(&bench, t == 0 || t == 10 ? &plan.job : NULL, NO_LIMIT);
  }
  check_rows(&bench, &plan);
  assert_string_equal(bench.difference, "");
  close_bench(&bench);
}

static uint32_t word(const struct qsm_dma *dma, uint64_t at, uint32_t index) {
  uint32_t value = 0;
  assert_true(qsm_dma_state(dma, at, index, &value));
  return value;
}

// R-DM-1: 2^28 lines of 16 bytes on either side.
static void the_largest_job_counts_its_lines(void **state) {
  (void)state;
  const struct qsm_dma_job job = {.src = 1, .dst = 0, .n_bytes = 0xffffffff};
  open_bench(&bench, 16, 4);
  qsm_dma_start(bench.dma, 7, &job);
  assert_int_equal(word(bench.dma, 8, 0), 1);
  assert_int_equal(word(bench.dma, 8, 1), 1 << 28);
  assert_int_equal(word(bench.dma, 8, 2), 1 << 28);
  assert_int_equal(qsm_dma_next(bench.dma, 3), 8);
  uint32_t value = 5;
  assert_false(qsm_dma_state(bench.dma, 8, 4, &value));
  assert_int_equal(value, 5);
  close_bench(&bench);
}

// R-DM-7: it stops at LINK_INTERVAL + 255, however long nothing happens.
static void credit_stays_at_its_most(void **state) {
  (void)state;
  open_bench(&bench, 16, 4);
  qsm_dma_set_interval(bench.dma, 1, NO_LIMIT);
  assert_int_equal(word(bench.dma, 1, 3), 255);  // the interval was 0
  assert_int_equal(word(bench.dma, 0xffff, 3), 255 + 0xfffe * 256);
  assert_int_equal(word(bench.dma, 0x10000, 3), NO_LIMIT);
  assert_int_equal(word(bench.dma, 0x10001, 3), NO_LIMIT + 255);
  assert_int_equal(word(bench.dma, 1 << 24 | 1, 3), NO_LIMIT + 255);
  assert_int_equal(word(bench.dma, UINT64_C(1) << 40, 3), NO_LIMIT + 255);
  close_bench(&bench);
}

// Lockstep's words, in the middle of a copy and after it.
static void state_words_follow_a_job(void **state) {
  (void)state;
  const struct plan plan = {.job = {.src = SRC, .dst = DST, .n_bytes = 80}};
  open_plan(&bench, &plan, TOLD_AFTER_THE_STEP, false);
  assert_int_equal(word(bench.dma, 0, 0), 0);
  assert_int_equal(word(bench.dma, 0, 3), 0);
  for (uint32_t t = 0; t < 6; t++) cycle(&bench, t == 0 ? &plan.job : NULL, 1000);
  // 4 reads in 1 to 4; 5 writes, and frees an entry
  assert_int_equal(word(bench.dma, 6, 0), 1 + 2 * 3 + 256);
  assert_int_equal(word(bench.dma, 6, 1), 1);
  assert_int_equal(word(bench.dma, 6, 2), 4);
  assert_int_equal(word(bench.dma, 6, 3), 1255);  // 1000 in 1
  while (bench.cycle < 40) cycle(&bench, NULL, 1000);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(word(bench.dma, 40, i), 0);
  assert_string_equal(bench.difference, "");
  close_bench(&bench);
}

static void reset_ends_a_job(void **state) {
  (void)state;
  const struct plan plan = {.job = {.src = SRC, .dst = DST, .n_bytes = 80}};
  open_plan(&bench, &plan, TOLD_AFTER_THE_STEP, false);
  for (uint32_t t = 0; t < 6; t++) cycle(&bench, t == 0 ? &plan.job : NULL, 1000);
  qsm_dma_reset(bench.dma);
  assert_false(qsm_dma_is_busy(bench.dma, 0));
  assert_int_equal(qsm_dma_next(bench.dma, 0), QSM_NEVER);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(word(bench.dma, 0, i), 0);
  qsm_dma_start(bench.dma, 0, &plan.job);
  qsm_dma_step(bench.dma, 1, true);
  assert_int_equal(bench.sent.addr, SRC);
  assert_int_equal(bench.sent.tag, 1);
  close_bench(&bench);
}

// R-DM-6: they change nothing.
static void other_tags_are_not_the_engines(void **state) {
  (void)state;
  const struct qsm_dma_job job = {.fill = true, .dst = DST, .n_bytes = 16};
  open_bench(&bench, 16, 4);
  qsm_dma_start(bench.dma, 0, &job);
  qsm_dma_step(bench.dma, 1, true);
  assert_null(qsm_dma_answer(bench.dma, 2, 0));
  assert_null(qsm_dma_answer(bench.dma, 3, 6));
  assert_int_equal(word(bench.dma, 4, 0), 1 + 256);
  assert_int_equal(qsm_dma_next(bench.dma, 4), QSM_NEVER);
  assert_null(qsm_dma_answer(bench.dma, 4, 5));
  assert_int_equal(qsm_dma_next(bench.dma, 5), 5);
  assert_true(qsm_dma_is_done(bench.dma, 5));
  close_bench(&bench);
}

// An idle engine names no cycle, and a job names those of its requests, of lines that it drops and
// of its end: 12 reads, 12 writes, 1, 1. Each read waits 900 cycles.
static void waiting_costs_no_step(void **state) {
  (void)state;
  const struct plan plan = {.n_entries = 2,
                            .read_latency = 900,
                            .write_latency = 700,
                            .job = {.src = SRC + 9, .dst = DST + 2, .n_bytes = 16 * 11}};
  open_plan(&bench, &plan, TOLD_BEFORE_THE_STEP, false);
  assert_int_equal(qsm_dma_next(bench.dma, 0), QSM_NEVER);
  cycle(&bench, &plan.job, NO_LIMIT);
  while (qsm_dma_is_busy(bench.dma, bench.cycle)) cycle(&bench, NULL, NO_LIMIT);
  assert_int_equal(qsm_dma_next(bench.dma, bench.cycle), QSM_NEVER);
  assert_true(bench.cycle > 12 / 2 * 900);
  assert_int_equal(bench.n_log, 12 + 12);
  assert_int_equal(bench.n_steps, 12 + 12 + 1 + 1);
  assert_string_equal(bench.difference, "");
  close_bench(&bench);
}

// ---- Random jobs ----

static uint32_t draw_bytes(uint64_t *random, uint32_t line_bytes) {
  switch (model_random(random, 4)) {
    case 0: return 1 + model_random(random, 8);
    case 1: return 1 + model_random(random, 3 * line_bytes);
    case 2: return line_bytes * (1 + model_random(random, 12));
    default: return 1 + model_random(random, 30 * line_bytes);
  }
}

// An area of n bytes in the 64 KiB from `window` on; often at its end, or begins with a line.
static uint32_t draw_area(uint64_t *random, uint32_t window, uint32_t n, uint32_t line_bytes) {
  uint32_t at = model_random(random, MEMORY_BYTES - n + 1);
  if (model_random(random, 8) == 0) at = MEMORY_BYTES - n;
  if (model_random(random, 4) == 0) at -= at % line_bytes;
  return window + at;
}

static bool overlap(const struct qsm_dma_job *job) {
  uint32_t apart = job->src > job->dst ? job->src - job->dst : job->dst - job->src;
  return !job->fill && apart != 0 && apart < job->n_bytes;
}

static struct qsm_dma_job draw_job(uint64_t *random, uint32_t line_bytes) {
  uint32_t window = model_random(random, 2) ? 0xffff0000 : model_random(random, 0x10000) << 16;
  struct qsm_dma_job job = {
      .fill = model_random(random, 4) == 0,
      .link = model_random(random, 3) == 0,
      .n_bytes = draw_bytes(random, line_bytes),
      .pattern = model_random(random, 1 << 16) << 16 | model_random(random, 1 << 16)};
  job.dst = draw_area(random, window, job.n_bytes, line_bytes);
  job.src = model_random(random, 10) ? draw_area(random, window, job.n_bytes, line_bytes) : job.dst;
  if (model_random(random, 10) == 0 && job.dst % MEMORY_BYTES >= 40) job.src = job.dst - 40;
  return job;
}

static uint32_t draw_interval(uint64_t *random) {
  static const uint32_t some[] = {1, 255, 256, 257, 640, 1000, 4096};
  return model_random(random, 2) ? some[model_random(random, 7)] : 1 + model_random(random, 5000);
}

static void open_random(struct bench *b, uint64_t *random, enum mistake mistake) {
  open_bench(b, 8u << model_random(random, 5), 2u << model_random(random, 4));
  b->ref.mistake = mistake;
  b->broken_memory = mistake == MISTAKE_MEMORY;
  b->random = random;
  b->told = (enum told)model_random(random, TOLD_WAYS);
  b->lead = b->told == TOLD_AHEAD ? 1 + model_random(random, 16) : 0;
  b->each_cycle = model_random(random, 3) == 0;
  b->late = model_random(random, 2);
  b->busy_percent = model_random(random, 2) ? 0 : model_random(random, 90);
  b->most_latency = 1u << model_random(random, 9);
}

// Bytes of the destination that another order of bytes may give: any value.
static void check_memory(struct bench *b, const struct qsm_dma_job *job) {
  expect_job(expected, job);
  if (overlap(job))
    memcpy(&expected[job->dst % MEMORY_BYTES], &b->memory[job->dst % MEMORY_BYTES], job->n_bytes);
  for (uint32_t i = 0; i < MEMORY_BYTES; i++)
    compare(b, "byte of memory", b->memory[i], expected[i]);
}

static void run_job(struct bench *b, uint64_t *random, bool changes_interval) {
  const struct qsm_dma_job job = draw_job(random, b->line_bytes);
  uint32_t interval = b->interval ? b->interval : draw_interval(random);
  uint64_t n_idle = model_random(random, 12), limit = b->cycle + 1000000;
  memcpy(expected, b->memory, sizeof expected);
  for (; n_idle && !b->difference[0]; n_idle--) cycle(b, NULL, interval);
  if (!b->difference[0]) cycle(b, &job, interval);
  while (!b->difference[0] && qsm_dma_is_busy(b->dma, b->cycle)) {
    if (changes_interval && model_random(random, 60) == 0) interval = draw_interval(random);
    cycle(b, NULL, interval);
    if (b->cycle == limit) differ(b, "no end", 1, 0);
  }
  if (!b->difference[0]) check_memory(b, &job);
}

// Whether engine and reference, or memory, differ in one of so many jobs on a machine.
static bool run_machine(uint64_t *random, enum mistake mistake) {
  enum { N_JOBS = 12 };
  open_random(&bench, random, mistake);
  bool changes_interval = model_random(random, 3) == 0;
  for (uint32_t n = 0; n < N_JOBS && !bench.difference[0]; n++)
    run_job(&bench, random, changes_interval);
  close_bench(&bench);
  return bench.difference[0] != 0;
}

// R-DM-1 to R-DM-8.
static void random_jobs_are_those_of_the_reference_and_of_memmove(void **state) {
  (void)state;
  uint64_t random = model_seed("test_dma");
  const uint32_t n_machines = model_brief_run() ? 60 : 400;
  for (uint32_t n = 0; n < n_machines; n++) {
    if (run_machine(&random, MISTAKE_NONE)) fail_msg("machine %u: %s", n, bench.difference);
  }
}

static void a_reference_with_a_mistake_is_found(void **state) {
  (void)state;
  uint64_t random = model_seed("test_dma");
  for (uint32_t mistake = MISTAKE_NONE + 1; mistake < MISTAKE_COUNT; mistake++) {
    uint32_t n = 0;
    while (n < 200 && !run_machine(&random, (enum mistake)mistake)) n++;
    if (n == 200) fail_msg("mistake %u shows in no job", mistake);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_aligned_copy_reads_and_writes_a_line_per_cycle),
      cmocka_unit_test(an_offset_without_skip_writes_its_first_line_with_the_first_read),
      cmocka_unit_test(its_tail_is_a_line_more),
      cmocka_unit_test(an_offset_with_skip_writes_its_first_line_with_the_second_read),
      cmocka_unit_test(with_skip_the_tail_is_no_line_more),
      cmocka_unit_test(a_line_without_a_write_needs_no_port),
      cmocka_unit_test(the_entry_of_a_line_without_a_write_is_free_a_cycle_later),
      cmocka_unit_test(a_copy_within_a_line),
      cmocka_unit_test(a_line_to_two_and_two_to_one),
      cmocka_unit_test(one_byte),
      cmocka_unit_test(a_fill_at_odd_addresses),
      cmocka_unit_test(writes_under_way_are_limited),
      cmocka_unit_test(writes_of_a_copy_wait_for_acknowledgements),
      cmocka_unit_test(a_full_set_of_entries_waits_for_a_slow_memory),
      cmocka_unit_test(lines_that_come_in_another_order_are_used_in_that_of_the_copy),
      cmocka_unit_test(the_last_line_of_the_address_space),
      cmocka_unit_test(a_copy_over_the_link_reads_a_line_per_interval),
      cmocka_unit_test(an_interval_may_have_a_fraction),
      cmocka_unit_test(a_pause_of_the_link_saves_nothing_up),
      cmocka_unit_test(a_fill_over_the_link_writes_a_line_per_interval),
      cmocka_unit_test(the_next_job_goes_on_with_the_next_entry),
      cmocka_unit_test(the_largest_job_counts_its_lines),
      cmocka_unit_test(credit_stays_at_its_most),
      cmocka_unit_test(state_words_follow_a_job),
      cmocka_unit_test(reset_ends_a_job),
      cmocka_unit_test(other_tags_are_not_the_engines),
      cmocka_unit_test(waiting_costs_no_step),
      cmocka_unit_test(random_jobs_are_those_of_the_reference_and_of_memmove),
      cmocka_unit_test(a_reference_with_a_mistake_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
