// SPDX-License-Identifier: Apache-2.0
#include "qsm_konata.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_decode.h"
#include "qsm_disasm.h"
#include "qsm_konata_file.h"

enum {
  BUFFER = 8,  // of a warp: four words, one that is dropped, one that is being missed
  FLIGHTS =
      16,      // of a warp: scoreboard entries, and what needs none on its way through the pipeline
  PIPE = 16,   // cycles
  FP_LAT = 3,  // cycles in which an FMA instruction writes later than the others with a fixed
               // result (docs/fpu.md)
  MAX_TAGS = 128,
  NO_ENTRY = 0xFF,
  NO_FLIGHT = 0xFF,
  SHARED_PASS_TAG = -1,
  HIT_TAG = -2,
  NO_TXN = 0xff,
};

enum pass_kind { PASS_SHARED, PASS_DEVICE, PASS_FAULT };
// After the end of the present cycle.
enum next { NEXT_NOTHING, NEXT_MEMORY, NEXT_RETIRE };

// A word of a warp's instruction buffer, or the one that it misses.
struct fetched {
  uint64_t row;
  uint32_t pc;
  bool missing;
};

// An instruction from its issue on.
struct flight {
  bool valid;
  uint64_t row;
  uint64_t issued;
  enum qsm_class class;
  uint8_t rd;         // 0: writes none
  uint8_t n_tags;     // transactions under way
  uint32_t to_pass;   // lanes that the LSU has not passed
  uint32_t to_write;  // lanes whose results have not been written
  enum next next;
  bool in_memory;  // shown in stage M
};

struct warp {
  uint32_t kernel;
  struct fetched buffer[BUFFER];
  uint32_t n_buffered;
  struct flight flights[FLIGHTS];
};

// What entered a sub-core's pipeline in a cycle.
struct pipe_slot {
  uint64_t issued;
  uint8_t warp, flight;  // NO_FLIGHT: nothing
};

struct subcore {
  struct warp *warps;
  struct pipe_slot pipe[PIPE];
};

struct owner {
  uint8_t sub, warp, flight;
};

struct sm {
  struct subcore *subs;
  struct owner tags[MAX_TAGS];
  struct owner passed;  // the last device pass, whose request comes behind it, or its act in the L1
                        // in a later cycle
  struct owner acted;   // in the L1, in this cycle
};

struct qsm_konata {
  const struct qsm_config *config;
  const char *const *names;
  uint32_t n_names, n_warps;  // of a sub-core
  uint64_t from, to;
  struct qsm_konata_file file;
  uint64_t cycle;           // present
  uint64_t busy_to;         // last cycle in which something is to be done without an event
  struct flight **pending;  // with something next
  uint32_t n_pending;
  struct sm *sms;
  struct subcore *subs;
  struct warp *warps;
};

// ---- Rows ----

static void start_stage(struct qsm_konata *konata, uint64_t row, const char *stage) {
  qsm_konata_file_stage(&konata->file, row, stage);
}

static uint64_t new_row(struct qsm_konata *konata, const struct qsm_event *at, uint32_t warp,
                        uint32_t pc) {
  if (konata->cycle < konata->from || konata->cycle > konata->to) return QSM_KONATA_UNSHOWN;
  uint64_t row = qsm_konata_file_row(
      &konata->file, (at->sm * konata->config->num_sched + at->sub) * konata->n_warps + warp);
  qsm_konata_file_text(&konata->file, row, false, "%u.%u.%u %08x: ", at->sm, at->sub, warp, pc);
  return row;
}

static void describe(struct qsm_konata *konata, uint64_t row, const char *text, uint32_t kernel,
                     uint32_t mask) {
  qsm_konata_file_text(&konata->file, row, false, "%s", text);
  qsm_konata_file_text(&konata->file, row, true, "%s, lanes %x",
                       kernel < konata->n_names ? konata->names[kernel] : "kernel", mask);
}

// ---- Fetch ----

static struct warp *warp_of(const struct qsm_konata *konata, const struct qsm_event *event,
                            uint32_t sub, uint32_t warp) {
  return &konata->sms[event->sm].subs[sub].warps[warp];
}

// The first n words of the buffer leave without having been issued.
static void drop_fetched(struct qsm_konata *konata, struct warp *warp, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) qsm_konata_file_end(&konata->file, warp->buffer[i].row, true);
  warp->n_buffered -= n;
  memmove(warp->buffer, warp->buffer + n, warp->n_buffered * sizeof *warp->buffer);
}

static void add_fetched(struct qsm_konata *konata, const struct qsm_event *event, uint32_t pc,
                        bool missing) {
  struct warp *warp = warp_of(konata, event, event->sub, event->word[0]);
  struct fetched *last = warp->n_buffered ? &warp->buffer[warp->n_buffered - 1] : NULL;
  if (last && last->missing && last->pc == pc) {
    if (!missing) start_stage(konata, last->row, "F");
    last->missing = missing;
    return;
  }
  if (warp->n_buffered == BUFFER) drop_fetched(konata, warp, 1);
  struct fetched *added = &warp->buffer[warp->n_buffered++];
  *added = (struct fetched){
      .row = new_row(konata, event, event->word[0], pc), .pc = pc, .missing = missing};
  start_stage(konata, added->row, missing ? "Fm" : "F");
}

// R-FE-4: both words of an aligned pair, or its upper one. Whether the second is dropped because
// the first is ctl shows later.
static void on_fetch(struct qsm_konata *konata, const struct qsm_event *event) {
  uint32_t pc = event->word[1], outcome = event->word[2];
  if (outcome == QSM_FETCH_DROPPED) return;
  add_fetched(konata, event, pc, outcome == QSM_FETCH_MISS);
  if (outcome == QSM_FETCH_HIT && !(pc & 4)) add_fetched(konata, event, pc + 4, false);
}

// A split ends: no word behind its last one was issued (R-FE-7).
static void on_resolve(struct qsm_konata *konata, const struct qsm_event *event) {
  struct warp *warp = warp_of(konata, event, event->sub, event->word[0]);
  drop_fetched(konata, warp, warp->n_buffered);
}

// ---- Issue and the fixed stages ----

static uint64_t take_fetched(struct qsm_konata *konata, const struct qsm_event *event,
                             struct warp *warp) {
  uint32_t n = 0;
  while (n < warp->n_buffered && warp->buffer[n].pc != event->word[2]) n++;
  drop_fetched(konata, warp, n);
  if (warp->n_buffered == 0)
    return new_row(konata, event, event->word[0], event->word[2]);  // never: it was fetched
  uint64_t row = warp->buffer[0].row;
  warp->n_buffered--;
  memmove(warp->buffer, warp->buffer + 1, warp->n_buffered * sizeof *warp->buffer);
  return row;
}

static uint32_t free_flight(const struct warp *warp) {
  uint32_t i = 0;
  while (i < FLIGHTS - 1 && warp->flights[i].valid) i++;
  return i;
}

// ISSUE and INJECT: both have the warp in word 0 and the scoreboard entry in word 5.
static void enter_pipe(struct qsm_konata *konata, const struct qsm_event *event, uint64_t row,
                       enum qsm_class class, uint8_t rd, uint32_t mask) {
  struct subcore *sub = &konata->sms[event->sm].subs[event->sub];
  struct warp *warp = &sub->warps[event->word[0]];
  uint32_t index = free_flight(warp);
  warp->flights[index] = (struct flight){.valid = true,
                                         .row = row,
                                         .issued = konata->cycle,
                                         .class = class,
                                         .rd = rd,
                                         .to_pass = class == QSM_CLASS_MEM ? mask : 0,
                                         .to_write = event->word[5] != NO_ENTRY && rd ? mask : 0};
  start_stage(konata, row, "Is");
  sub->pipe[konata->cycle % PIPE] = (struct pipe_slot){
      .issued = konata->cycle, .warp = (uint8_t)event->word[0], .flight = (uint8_t)index};
  konata->busy_to = konata->cycle + 5 + FP_LAT;
}

static void on_issue(struct qsm_konata *konata, const struct qsm_event *event) {
  char text[96];
  struct qsm_insn insn;
  uint64_t row = take_fetched(konata, event, warp_of(konata, event, event->sub, event->word[0]));
  qsm_decode(event->word[4], konata->config->fpu, &insn);
  qsm_disasm(event->word[2], event->word[4], text, sizeof text);
  describe(konata, row, text, event->word[1], event->word[3]);
  enter_pipe(konata, event, row, (enum qsm_class)qsm_op_class[insn.op], insn.rd, event->word[3]);
}

// A step of a preemption (preemption.md R-PE-16): it was not fetched.
static void on_inject(struct qsm_konata *konata, const struct qsm_event *event) {
  static const struct {
    const char *name;
    enum qsm_class class;
    bool writes;
  } steps[] = {{"ST", QSM_CLASS_MEM, false},  {"LD", QSM_CLASS_MEM, true},
               {"STS", QSM_CLASS_MEM, false}, {"LDS", QSM_CLASS_MEM, true},
               {"SET", QSM_CLASS_ALU, true},  {"JMP", QSM_CLASS_CTL, false}};
  uint32_t step = event->word[1], reg = event->word[2];
  char text[32];
  uint64_t row = new_row(konata, event, event->word[0], event->word[3]);
  snprintf(text, sizeof text, "injected %s x%u", steps[step].name, reg);
  describe(konata, row, text, warp_of(konata, event, event->sub, event->word[0])->kernel,
           event->word[4]);
  enter_pipe(konata, event, row, steps[step].class, steps[step].writes ? (uint8_t)reg : 0,
             event->word[4]);
}

static void on_start(struct qsm_konata *konata, const struct qsm_event *event) {
  warp_of(konata, event, event->sub, event->word[0])->kernel = event->word[1];
}

static void retire(struct qsm_konata *konata, struct flight *flight) {
  qsm_konata_file_end(&konata->file, flight->row, false);
  flight->valid = false;
}

static bool is_fixed(const struct flight *flight) {
  return flight->class != QSM_CLASS_MEM && flight->class != QSM_CLASS_DIV;
}

// Cycles from issue to the write of a fixed result.
static uint32_t write_age(const struct flight *flight) {
  return flight->class == QSM_CLASS_FMA ? 4 + FP_LAT : 4;
}

// Behind EX2: a fixed result is still written, if there is one and the instruction did not fault.
static void leave_pipe(struct qsm_konata *konata, struct flight *flight) {
  if (flight->class == QSM_CLASS_MEM)
    start_stage(konata, flight->row, "Q");
  else if (is_fixed(flight) ? flight->to_write == 0 : flight->rd == 0)
    retire(konata, flight);
  else if (!is_fixed(flight))
    start_stage(konata, flight->row, "Dv");
  else if (flight->class == QSM_CLASS_FMA)
    start_stage(konata, flight->row, "F3");
}

static void advance_subcore(struct qsm_konata *konata, struct subcore *sub) {
  static const char *const stages[] = {NULL, "RR", "X1", "X2", NULL, "F4", "F5"};
  for (uint64_t age = 1; age <= 5 + FP_LAT && age <= konata->cycle; age++) {
    struct pipe_slot *slot = &sub->pipe[(konata->cycle - age) % PIPE];
    if (slot->flight == NO_FLIGHT || slot->issued != konata->cycle - age) continue;
    struct flight *flight = &sub->warps[slot->warp].flights[slot->flight];
    uint32_t last = write_age(flight);
    if (age < last && age != 4) start_stage(konata, flight->row, stages[age]);
    if (age == 4) leave_pipe(konata, flight);
    bool left = !flight->valid || !is_fixed(flight);
    if (age > last && !left) retire(konata, flight);
    if (age > last || (age == 4 && left)) slot->flight = NO_FLIGHT;
  }
}

// ---- Memory and write-back ----

static void do_next(struct qsm_konata *konata, struct flight *flight, enum next next) {
  if (flight->next == NEXT_NOTHING) konata->pending[konata->n_pending++] = flight;
  flight->next = next;
  if (konata->busy_to <= konata->cycle) konata->busy_to = konata->cycle + 1;
}

// The LSU takes the instructions of a warp in order.
static struct flight *oldest_to_pass(struct warp *warp) {
  struct flight *oldest = NULL;
  for (uint32_t i = 0; i < FLIGHTS; i++) {
    struct flight *flight = &warp->flights[i];
    if (flight->valid && flight->to_pass && (!oldest || flight->issued < oldest->issued))
      oldest = flight;
  }
  return oldest;
}

// What happens to an instruction that has been passed, returned or written in this cycle.
static void after_memory(struct qsm_konata *konata, struct flight *flight) {
  if (flight->to_pass) return;
  do_next(konata, flight, flight->n_tags || flight->to_write ? NEXT_MEMORY : NEXT_RETIRE);
}

static void on_pass(struct qsm_konata *konata, const struct qsm_event *event) {
  uint32_t sub = event->word[0], index = event->word[1], kind = event->word[2];
  struct warp *warp = warp_of(konata, event, sub, index);
  struct flight *flight = oldest_to_pass(warp);
  if (!flight) return;
  start_stage(konata, flight->row, "L");
  flight->to_pass &= ~event->word[3];
  if (kind == PASS_FAULT) flight->to_write = 0;
  if (kind == PASS_DEVICE) {
    flight->n_tags++;
    konata->sms[event->sm].passed = (struct owner){
        .sub = (uint8_t)sub, .warp = (uint8_t)index, .flight = (uint8_t)(flight - warp->flights)};
  }
  after_memory(konata, flight);
}

static void on_request(struct qsm_konata *konata, const struct qsm_event *event) {
  struct sm *sm = &konata->sms[event->sm];
  if (!konata->config->l1_kib && event->word[2] < konata->config->mem_txns)
    sm->tags[event->word[2]] = sm->passed;
}

// Comes before the pass that takes the place of the one that acts.
static void on_act(struct qsm_konata *konata, const struct qsm_event *event) {
  struct sm *sm = &konata->sms[event->sm];
  uint32_t txn = event->word[4];
  sm->acted = sm->passed;
  if (txn != NO_TXN) sm->tags[txn] = sm->passed;
}

// A load's lanes are still to be written; of one to x0 nothing more is seen.
static void on_return(struct qsm_konata *konata, const struct qsm_event *event) {
  struct sm *sm = &konata->sms[event->sm];
  if (event->word[0] == (uint32_t)SHARED_PASS_TAG) return;
  const struct owner *owner =
      event->word[0] == (uint32_t)HIT_TAG ? &sm->acted : &sm->tags[event->word[0]];
  struct flight *flight = &sm->subs[owner->sub].warps[owner->warp].flights[owner->flight];
  if (!flight->valid || flight->n_tags == 0) return;
  flight->n_tags--;
  after_memory(konata, flight);
}

static void on_write(struct qsm_konata *konata, const struct qsm_event *event) {
  struct warp *warp = warp_of(konata, event, event->sub, event->word[0]);
  for (uint32_t i = 0; i < FLIGHTS; i++) {
    struct flight *flight = &warp->flights[i];
    if (!flight->valid || flight->rd != event->word[1] || !(flight->to_write & event->word[2]))
      continue;
    // Of a fixed instruction, or of one after which another with the same register has been issued
    // just now.
    if (is_fixed(flight) ? flight->issued + write_age(flight) != konata->cycle
                         : flight->issued == konata->cycle)
      continue;
    start_stage(konata, flight->row, "Wb");
    flight->in_memory = false;
    flight->to_write &= ~event->word[2];
    if (flight->class == QSM_CLASS_MEM) after_memory(konata, flight);
    if (flight->class == QSM_CLASS_DIV) do_next(konata, flight, NEXT_RETIRE);
    return;
  }
}

static void continue_flights(struct qsm_konata *konata) {
  for (uint32_t i = 0; i < konata->n_pending; i++) {
    struct flight *flight = konata->pending[i];
    if (flight->next == NEXT_RETIRE)
      retire(konata, flight);
    else if (!flight->in_memory)
      start_stage(konata, flight->row, "M");
    flight->in_memory = flight->next == NEXT_MEMORY;
    flight->next = NEXT_NOTHING;
  }
  konata->n_pending = 0;
}

// ---- Cycles ----

static void (*const handlers[QSM_EVENT_KIND_COUNT])(struct qsm_konata *,
                                                    const struct qsm_event *) = {
    [QSM_EV_FETCH] = on_fetch,    [QSM_EV_ISSUE] = on_issue,   [QSM_EV_RESOLVE] = on_resolve,
    [QSM_EV_FINISH] = on_resolve, [QSM_EV_INJECT] = on_inject, [QSM_EV_START] = on_start,
    [QSM_EV_L1_OP] = on_act,      [QSM_EV_LSU_PASS] = on_pass, [QSM_EV_REQ] = on_request,
    [QSM_EV_RETURN] = on_return,  [QSM_EV_WB] = on_write,
};

static uint32_t n_subcores(const struct qsm_konata *konata) {
  return konata->config->num_sms * konata->config->num_sched;
}

// Events of the present cycle that no instruction causes.
static void begin_cycle(struct qsm_konata *konata) {
  continue_flights(konata);
  for (uint32_t i = 0; i < n_subcores(konata); i++) advance_subcore(konata, &konata->subs[i]);
}

static void set_cycle(struct qsm_konata *konata, uint64_t cycle) {
  konata->cycle = konata->file.cycle = cycle;
}

void qsm_konata_cycle(struct qsm_konata *konata, uint64_t cycle, const struct qsm_event *events,
                      uint32_t n) {
  while (konata->cycle < konata->busy_to && konata->cycle + 1 < cycle) {
    set_cycle(konata, konata->cycle + 1);
    begin_cycle(konata);
  }
  bool busy = konata->cycle < konata->busy_to;
  set_cycle(konata, cycle);
  if (busy) begin_cycle(konata);
  for (uint32_t i = 0; i < n; i++)
    if (handlers[events[i].kind]) handlers[events[i].kind](konata, &events[i]);
}

// What is left then was cut off.
void qsm_konata_end(struct qsm_konata *konata) {
  qsm_konata_cycle(konata, konata->cycle + PIPE, NULL, 0);
  for (uint32_t i = 0; i < n_subcores(konata) * konata->n_warps; i++) {
    struct warp *warp = &konata->warps[i];
    for (uint32_t f = 0; f < FLIGHTS; f++)
      if (warp->flights[f].valid) qsm_konata_file_end(&konata->file, warp->flights[f].row, true);
    drop_fetched(konata, warp, warp->n_buffered);
  }
  qsm_konata_file_begin(&konata->file);
}

// ---- Life ----

static void connect(struct qsm_konata *konata) {
  for (uint32_t i = 0; i < n_subcores(konata); i++) {
    konata->subs[i].warps = &konata->warps[i * konata->n_warps];
    for (uint32_t slot = 0; slot < PIPE; slot++) konata->subs[i].pipe[slot].flight = NO_FLIGHT;
  }
  for (uint32_t i = 0; i < konata->config->num_sms; i++)
    konata->sms[i].subs = &konata->subs[i * konata->config->num_sched];
}

struct qsm_konata *qsm_konata_create(const struct qsm_config *config, uint64_t from, uint64_t to,
                                     const char *const *names, uint32_t n_names, FILE *out) {
  struct qsm_konata *konata = calloc(1, sizeof *konata);
  if (!konata) return NULL;
  *konata = (struct qsm_konata){.config = config,
                                .names = names,
                                .n_names = n_names,
                                .n_warps = qsm_config_warps_per_sched(config),
                                .from = from,
                                .to = to,
                                .file = {.out = out}};
  konata->sms = calloc(config->num_sms, sizeof *konata->sms);
  konata->subs = calloc(n_subcores(konata), sizeof *konata->subs);
  konata->warps = calloc((size_t)n_subcores(konata) * konata->n_warps, sizeof *konata->warps);
  konata->pending =
      calloc(2 * config->num_sms + n_subcores(konata),
             sizeof(struct flight *));  // of each SM a pass and a return, of each sub-core a write
  if (!konata->sms || !konata->subs || !konata->warps || !konata->pending) {
    qsm_konata_destroy(konata);
    return NULL;
  }
  connect(konata);
  return konata;
}

void qsm_konata_destroy(struct qsm_konata *konata) {
  if (!konata) return;
  free(konata->pending);
  free(konata->sms);
  free(konata->subs);
  free(konata->warps);
  free(konata);
}
