// SPDX-License-Identifier: Apache-2.0
// All decisions of a cycle look at the state of its start: qsm_sa_begin() chooses before anything
// changes, and what ops, responses and grants change of credits and queues shows in the next cycle.
#include "qsm_sa_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_enums.h"

enum {
  QUEUE_DEPTH = 4,
  MAX_WAYS = 16,
  MAX_BANKS = 16,
  BUFFERS = 8,  // lines: in arrived, in act, on the way to rsp, in rsp
  NO_BUFFER = 0xff,
  NONE = 0xff,
  RENEW_CYCLES = QSM_CALENDAR_CYCLES,
};

enum op_kind { OP_NONE, OP_WALK, OP_SERVE, OP_RESPONSE, OP_REQUEST };
enum load_outcome { HIT, JOINS, ALLOCATES, PASSES_BY };
enum write_outcome { MATCH_VALID, MATCH_PENDING, NO_MATCH };
enum request_kind { KIND_LOAD, KIND_STORE, KIND_AMO, KIND_FETCH };
enum { COUNT_LOADS, COUNT_HITS, COUNT_JOINED, COUNT_MISSES, COUNT_STORES, COUNT_ATOMICS };

struct place {
  uint8_t way;  // NONE: it has no line
  uint16_t set;
};

struct op {
  uint8_t kind;
  uint8_t gen;     // of a request
  uint8_t buffer;  // of a response
  bool first;      // of a walk
  uint16_t txn;    // of a response, a serve
  uint16_t set;    // of a walk
  struct place place;
  struct qsm_mem_access *request;
};

struct line {
  bool valid, pending, poison;
  uint16_t last;
};

struct answer {
  uint16_t txn;
  uint8_t buffer;
};

struct bank {
  uint8_t array, number;
  qsm_sm_set heads;  // members whose ingress head is for this bank
  uint32_t member_from, channel_from;
  uint32_t credit_out, credit_rsp, given_out, given_rsp;
  uint32_t n_out, n_rsp;
  bool shown;  // its out head is known to the channel
  struct qsm_mem_access *out[QUEUE_DEPTH];
  struct answer rsp[QUEUE_DEPTH];
  struct op look, act;
  bool answers;  // answer enters rsp at the end of the cycle
  struct answer answer;
  bool has_arrived;
  uint16_t arrived_txn;
  uint8_t arrived_buffer;
  struct place arrived_place;
  bool serving;
  uint16_t served, serve_last;
  bool walking, first;
  uint32_t walk_set;
  uint32_t offers;       // channels with a response for it, within a cycle
  uint8_t free_buffers;  // bit per buffer
  bool acks[BUFFERS];    // without a line
  uint32_t buffer[BUFFERS][QSM_MEM_MAX_WORDS];
  uint32_t served_line[QSM_MEM_MAX_WORDS];
  uint32_t count[QSM_MAX_KERNELS][QSM_SA_COUNTERS];
  uint64_t *key;        // [set][way]: tag, gen and slot; 0: neither valid nor pending
  struct line *line;    // [set][way]
  uint16_t *tree;       // [set], bit n: node n
  uint32_t *data;       // [set][way][word]
  uint16_t *next;       // [transaction]
  struct place *place;  // [transaction], the table
};

struct array {
  uint8_t gen[QSM_MAX_KERNELS];
  uint32_t renew[RENEW_CYCLES];  // slots, by the cycle of the event
};

struct qsm_sa_cache {
  const struct qsm_config *config;
  const struct qsm_bus *bus;
  const uint32_t *policy;
  uint32_t n_arrays, n_banks, n_ways, n_sets, n_txns, line_bytes, n_words;
  uint32_t line_shift, bank_bits, set_bits;
  uint8_t array_of[QSM_MAX_SMS], member_of[QSM_MAX_SMS], members[QSM_MAX_SMS];
  uint32_t return_from[QSM_MAX_SMS];
  struct qsm_mem_access *head[QSM_MAX_SMS];
  const struct qsm_mem_response *offered[MAX_BANKS];  // of channels
  uint32_t offered_to[MAX_BANKS], n_offered;          // banks
  uint64_t renewals;                                  // bit c % 64: some array in that cycle
  uint32_t start[RENEW_CYCLES];
  uint64_t active[QSM_MAX_SMS * MAX_BANKS / 64];  // banks with something to do
  struct qsm_sa_exposed exposed[QSM_MAX_SMS * MAX_BANKS];
  uint8_t *member_of_txn;
  struct array *array;
  struct bank *bank;  // [array][bank]
};

// ---- Creation ----

static bool create_bank(const struct qsm_sa_cache *sa, struct bank *bank) {
  const uint32_t i = (uint32_t)(bank - sa->bank);
  const size_t n_lines = (size_t)sa->n_sets * sa->n_ways;
  const size_t n_txns = (size_t)sa->members[i / sa->n_banks] * sa->n_txns;
  bank->array = (uint8_t)(i / sa->n_banks);
  bank->number = (uint8_t)(i % sa->n_banks);
  bank->credit_out = bank->credit_rsp = QUEUE_DEPTH;
  bank->walking = bank->first = true;
  bank->free_buffers = (1u << BUFFERS) - 1;
  bank->key = calloc(n_lines, sizeof *bank->key);
  bank->line = calloc(n_lines, sizeof *bank->line);
  bank->tree = calloc(sa->n_sets, sizeof *bank->tree);
  bank->data = calloc(n_lines, sa->line_bytes);
  bank->next = calloc(n_txns, sizeof *bank->next);
  bank->place = calloc(n_txns, sizeof *bank->place);
  return bank->key && bank->line && bank->tree && bank->data && bank->next && bank->place;
}

static void wake(struct qsm_sa_cache *sa, const struct bank *bank) {
  const size_t i = (size_t)(bank - sa->bank);
  sa->active[i / 64] |= UINT64_C(1) << i % 64;
}

struct qsm_sa_cache *qsm_sa_create(const struct qsm_config *config, const uint32_t *policy,
                                   const struct qsm_bus *bus) {
  struct qsm_sa_cache *sa = calloc(1, sizeof *sa);
  if (!sa) return NULL;
  sa->config = config;
  sa->bus = bus;
  sa->policy = policy;
  sa->n_arrays = config->num_sas;
  sa->n_banks = config->sa_banks;
  sa->n_ways = config->sa_ways;
  sa->line_bytes = qsm_config_line_bytes(config);
  sa->n_words = config->warp_size;
  sa->n_sets = config->sa_kib * 1024 / (sa->n_banks * sa->n_ways * sa->line_bytes);
  sa->n_txns = config->mem_txns + config->num_sched;
  sa->line_shift = qsm_lowest(sa->line_bytes);
  sa->bank_bits = qsm_lowest(sa->n_banks);
  sa->set_bits = qsm_lowest(sa->n_sets);
  for (uint32_t i = 0; i < config->num_sms; i++) {
    sa->array_of[i] = (uint8_t)(i % sa->n_arrays);
    sa->member_of[i] = (uint8_t)(i / sa->n_arrays);
    sa->members[i % sa->n_arrays]++;
  }
  sa->array = calloc(sa->n_arrays, sizeof *sa->array);
  sa->bank = calloc((size_t)sa->n_arrays * sa->n_banks, sizeof *sa->bank);
  sa->member_of_txn = calloc((size_t)sa->members[0] * sa->n_txns, sizeof *sa->member_of_txn);
  if (!sa->array || !sa->bank || !sa->member_of_txn) goto no_memory;
  for (uint32_t i = 0; i < sa->members[0] * sa->n_txns; i++)
    sa->member_of_txn[i] = (uint8_t)(i / sa->n_txns);
  for (uint32_t i = 0; i < sa->n_arrays * sa->n_banks; i++) {
    if (!create_bank(sa, &sa->bank[i])) goto no_memory;
    wake(sa, &sa->bank[i]);
  }
  return sa;
no_memory:
  qsm_sa_destroy(sa);
  return NULL;
}

void qsm_sa_destroy(struct qsm_sa_cache *sa) {
  if (!sa) return;
  for (uint32_t i = 0; sa->bank && i < sa->n_arrays * sa->n_banks; i++) {
    free(sa->bank[i].key);
    free(sa->bank[i].line);
    free(sa->bank[i].tree);
    free(sa->bank[i].data);
    free(sa->bank[i].next);
    free(sa->bank[i].place);
  }
  free(sa->bank);
  free(sa->member_of_txn);
  free(sa->array);
  free(sa);
}

// ---- Names ----

static struct bank *bank_for(const struct qsm_sa_cache *sa, uint32_t array, uint32_t channel) {
  return &sa->bank[array * sa->n_banks + (channel & (sa->n_banks - 1))];
}

static uint32_t sm_of(const struct qsm_sa_cache *sa, const struct bank *bank, uint32_t txn) {
  return bank->array + sa->member_of_txn[txn] * sa->n_arrays;
}

static uint16_t txn_of(const struct qsm_sa_cache *sa, uint32_t sm, uint32_t tag) {
  return (uint16_t)(sa->member_of[sm] * sa->n_txns + tag);
}

static uint32_t line_number(const struct qsm_sa_cache *sa, uint32_t addr) {
  return addr >> sa->line_shift >> sa->bank_bits;
}

static uint32_t set_of(const struct qsm_sa_cache *sa, uint32_t addr) {
  return line_number(sa, addr) & (sa->n_sets - 1);
}

// Never 0. A slot takes 3 bits.
static uint64_t key_of(const struct qsm_sa_cache *sa, uint32_t addr, uint32_t slot, uint32_t gen) {
  return (uint64_t)(line_number(sa, addr) >> sa->set_bits) << 16 | (uint64_t)gen << 8 | slot << 1 |
         1;
}

static uint32_t key_slot(uint64_t key) { return key >> 1 & 7; }
static uint32_t key_gen(uint64_t key) { return key >> 8 & 0xff; }
static uint32_t key_tag(uint64_t key) { return (uint32_t)(key >> 16); }

static uint32_t *data_at(const struct qsm_sa_cache *sa, const struct bank *bank, uint32_t set,
                         uint32_t way) {
  return &bank->data[((size_t)set * sa->n_ways + way) * sa->n_words];
}

static struct line *ways_of(const struct qsm_sa_cache *sa, const struct bank *bank, uint32_t set) {
  return &bank->line[(size_t)set * sa->n_ways];
}

static uint64_t *keys_of(const struct qsm_sa_cache *sa, const struct bank *bank, uint32_t set) {
  return &bank->key[(size_t)set * sa->n_ways];
}

static uint8_t take_buffer(struct bank *bank) {
  const uint32_t i = qsm_lowest(bank->free_buffers);
  bank->free_buffers &= (uint8_t)(bank->free_buffers - 1);
  return (uint8_t)i;
}

// ---- Generations (R-SA-14) ----

static void renew(struct qsm_sa_cache *sa, uint32_t array, uint64_t cycle, uint32_t slots) {
  sa->renewals |= UINT64_C(1) << cycle % RENEW_CYCLES;
  sa->array[array].renew[cycle % RENEW_CYCLES] |= slots;
}

void qsm_sa_note(struct qsm_sa_cache *sa, uint32_t sm, const struct qsm_sm_msg *msg) {
  if (msg->kind == QSM_MSG_DISPATCH && msg->op == QSM_TB_RESTORE)
    renew(sa, sa->array_of[sm], msg->cycle, 1u << msg->kernel);
  if (msg->kind != QSM_MSG_START || sm != 0) return;
  sa->start[msg->cycle % RENEW_CYCLES] |= 1u << msg->kernel;
  for (uint32_t a = 0; a < sa->n_arrays; a++) renew(sa, a, msg->cycle, 1u << msg->kernel);
}

void qsm_sa_note_fences(struct qsm_sa_cache *sa, uint32_t sm, uint64_t cycle, uint32_t slots) {
  renew(sa, sa->array_of[sm], cycle, slots);
}

// R-SA-15: a walk under way begins anew, and stays first if it was as the cycle began.
static void begin_walk(struct qsm_sa_cache *sa, struct bank *bank) {
  bank->walking = true;
  bank->first = bank->act.kind == OP_WALK && bank->act.first;  // what looked in this cycle
  bank->walk_set = 0;
  wake(sa, bank);
}

static void end_generations(struct qsm_sa_cache *sa, uint64_t cycle) {
  for (uint32_t a = 0; a < sa->n_arrays; a++) {
    struct array *array = &sa->array[a];
    const uint32_t slots = array->renew[cycle % RENEW_CYCLES];
    bool wraps = false;
    if (!slots) continue;
    array->renew[cycle % RENEW_CYCLES] = 0;
    for (uint32_t left = slots; left; left &= left - 1)
      wraps |= ++array->gen[qsm_lowest(left)] == 0;
    for (uint32_t b = 0; wraps && b < sa->n_banks; b++) begin_walk(sa, bank_for(sa, a, b));
    qsm_bus_report_sub(sa->bus, cycle, QSM_EV_SA_GEN, a, 0, 1, &slots);
  }
}

static void clear_counters(struct qsm_sa_cache *sa, uint32_t slots) {
  for (uint32_t i = 0; i < sa->n_arrays * sa->n_banks; i++)
    for (uint32_t left = slots; left; left &= left - 1)
      memset(sa->bank[i].count[qsm_lowest(left)], 0, sizeof sa->bank[i].count[0]);
}

// ---- The beginning of a cycle ----

void qsm_sa_show(struct qsm_sa_cache *sa, uint32_t sm, struct qsm_mem_access *request) {
  struct bank *bank =
      bank_for(sa, sa->array_of[sm], request->addr >> sa->line_shift & (sa->n_banks - 1));
  sa->head[sm] = request;
  bank->heads |= qsm_sm_bit(sa->member_of[sm]);
  wake(sa, bank);
}

static void send_back(struct qsm_sa_cache *sa, struct bank *bank, uint32_t sm, uint64_t cycle) {
  const struct answer head = bank->rsp[0];
  uint32_t *line =
      sa->bus->push_response(sa->bus->ctx, sm, cycle + sa->config->noc_lat,
                             (uint8_t)(head.txn - sa->member_of_txn[head.txn] * sa->n_txns));
  if (!bank->acks[head.buffer]) qsm_copy_line(line, bank->buffer[head.buffer], sa->line_bytes);
  bank->free_buffers |= (uint8_t)(1u << head.buffer);
  bank->n_rsp--;
  for (uint32_t i = 0; i < bank->n_rsp; i++) bank->rsp[i] = bank->rsp[i + 1];
  bank->given_rsp++;
}

// R-SA-12, of an array.
static void return_responses(struct qsm_sa_cache *sa, struct bank *banks, uint64_t cycle) {
  uint32_t sm[MAX_BANKS], waiting = 0;
  for (uint32_t b = 0; b < sa->n_banks; b++) {
    if (banks[b].n_rsp == 0) continue;
    sm[b] = sm_of(sa, &banks[b], banks[b].rsp[0].txn);
    waiting |= 1u << b;
  }
  while (waiting) {
    const uint32_t to = sm[qsm_lowest(waiting)];
    uint32_t rivals = 0;
    for (uint32_t left = waiting; left; left &= left - 1)
      rivals |= (uint32_t)(sm[qsm_lowest(left)] == to) << qsm_lowest(left);
    const uint32_t b = qsm_first_from(rivals, sa->return_from[to]);
    sa->return_from[to] = (b + 1) % sa->n_banks;
    send_back(sa, &banks[b], to, cycle);
    waiting &= ~rivals;
  }
}

// R-SA-2: will serving be on when this act is done?
static bool leaves_list(const struct qsm_sa_cache *sa, const struct bank *bank) {
  const struct op *act = &bank->act;
  return act->kind == OP_RESPONSE && act->place.way != NONE &&
         ways_of(sa, bank, act->place.set)[act->place.way].last != act->txn;
}

static void look_at_walk(const struct qsm_sa_cache *sa, struct bank *bank) {
  bank->look = (struct op){.kind = OP_WALK, .first = bank->first, .set = (uint16_t)bank->walk_set};
  if (++bank->walk_set < sa->n_sets) return;
  bank->walk_set = 0;
  bank->walking = bank->first = false;
}

static void look_at_list(struct bank *bank) {
  const uint16_t txn = bank->next[bank->served];
  bank->look = (struct op){.kind = OP_SERVE, .txn = txn};
  bank->served = txn;
  if (txn == bank->serve_last) bank->serving = false;
}

static void look_at_response(struct bank *bank) {
  bank->look = (struct op){.kind = OP_RESPONSE,
                           .txn = bank->arrived_txn,
                           .buffer = bank->arrived_buffer,
                           .place = bank->arrived_place};
  bank->has_arrived = false;
}

// R-SA-4. n_ways: none.
static uint32_t find(const struct qsm_sa_cache *sa, const struct bank *bank, uint32_t set,
                     uint64_t key) {
  const uint64_t *keys = keys_of(sa, bank, set);
  uint32_t found = 0;
  for (uint32_t way = 0; way < sa->n_ways; way++) found |= (uint32_t)(keys[way] == key) << way;
  return found ? qsm_lowest(found) : sa->n_ways;
}

// The act comes in the next cycle: the host may fetch the line.
static void announce(const struct qsm_sa_cache *sa, const struct bank *bank) {
  const struct qsm_mem_access *request = bank->look.request;
  const uint32_t set = set_of(sa, request->addr);
  const uint32_t way =
      find(sa, bank, set, key_of(sa, request->addr, request->slot, bank->look.gen));
  if (way < sa->n_ways) qsm_fetch_ahead(data_at(sa, bank, set, way), sa->line_bytes);
}

// R-SA-1. Returns the SM.
static uint32_t look_at_request(struct qsm_sa_cache *sa, struct bank *bank) {
  const uint32_t a = bank->array;
  const uint32_t m = qsm_first_sm_from(bank->heads, bank->member_from);
  const uint32_t sm = a + m * sa->n_arrays;
  bank->heads &= ~qsm_sm_bit(m);
  bank->member_from = (m + 1) % sa->members[a];
  bank->look = (struct op){.kind = OP_REQUEST,
                           .gen = sa->array[a].gen[sa->head[sm]->slot],
                           .txn = txn_of(sa, sm, sa->head[sm]->tag),
                           .request = sa->head[sm]};
  announce(sa, bank);
  bank->credit_out--;
  return sm;
}

// R-SA-2. Returns the SM whose head was taken, or num_sms.
static uint32_t look(struct qsm_sa_cache *sa, struct bank *bank) {
  uint32_t sm = sa->config->num_sms;
  bank->look.kind = OP_NONE;
  if (bank->walking) {
    look_at_walk(sa, bank);
    return sm;
  }
  if (bank->credit_rsp == 0) return sm;
  if (bank->serving) {
    look_at_list(bank);
  } else if (bank->has_arrived && !leaves_list(sa, bank)) {
    look_at_response(bank);
  } else if (bank->heads && bank->credit_out) {
    sm = look_at_request(sa, bank);
  } else {
    return sm;
  }
  bank->credit_rsp--;
  return sm;
}

qsm_sm_set qsm_sa_begin(struct qsm_sa_cache *sa, uint64_t cycle) {
  const uint32_t n = sa->n_arrays * sa->n_banks;
  qsm_sm_set taken = 0;
  uint32_t returned = UINT32_MAX;  // the last array that did
  for (uint32_t w = 0; w < (n + 63) / 64; w++) {
    for (uint64_t left = sa->active[w]; left; left &= left - 1) {
      struct bank *bank = &sa->bank[w * 64 + qsm_lowest(left)];
      const uint32_t a = bank->array;
      if (bank->n_rsp && a != returned) {
        return_responses(sa, &sa->bank[a * sa->n_banks], cycle);
        returned = a;
      }
      const uint32_t sm = look(sa, bank);
      if (sm < sa->config->num_sms) taken |= qsm_sm_bit(sm);
    }
  }
  return taken;
}

// ---- Responses (R-SA-9) ----

void qsm_sa_offer(struct qsm_sa_cache *sa, uint32_t channel,
                  const struct qsm_mem_response *response) {
  struct bank *bank = bank_for(sa, sa->array_of[response->sm], channel);
  if (bank->has_arrived) return;  // and does not look in this cycle
  if (!bank->offers) sa->offered_to[sa->n_offered++] = (uint32_t)(bank - sa->bank);
  bank->offers |= 1u << channel;
  sa->offered[channel] = response;
}

static void take_response(struct qsm_sa_cache *sa, struct bank *bank, uint32_t channel) {
  const struct qsm_mem_response *response = sa->offered[channel];
  const uint16_t txn = txn_of(sa, response->sm, response->tag);
  const uint8_t buffer = take_buffer(bank);
  bank->acks[buffer] = response->kind == QSM_MEM_WRITE;
  if (!bank->acks[buffer]) qsm_copy_line(bank->buffer[buffer], response->data, sa->line_bytes);
  bank->has_arrived = true;
  bank->arrived_txn = txn;
  bank->arrived_buffer = buffer;
  bank->arrived_place = bank->place[txn];
  wake(sa, bank);
}

uint32_t qsm_sa_take(struct qsm_sa_cache *sa) {
  uint32_t channels = 0;
  for (uint32_t i = 0; i < sa->n_offered; i++) {
    struct bank *bank = &sa->bank[sa->offered_to[i]];
    const uint32_t c = qsm_first_from(bank->offers, bank->channel_from);
    bank->channel_from = (c + 1) % sa->config->num_channels;
    bank->offers = 0;
    take_response(sa, bank, c);
    channels |= 1u << c;
  }
  sa->n_offered = 0;
  return channels;
}

struct qsm_mem_access *qsm_sa_pop(struct qsm_sa_cache *sa, uint32_t array, uint32_t channel) {
  struct bank *bank = bank_for(sa, array, channel);
  struct qsm_mem_access *request = bank->out[0];
  bank->n_out--;
  for (uint32_t i = 0; i < bank->n_out; i++) bank->out[i] = bank->out[i + 1];
  bank->given_out++;
  bank->shown = false;
  wake(sa, bank);
  return request;
}

// ---- Acts ----

// R-SA-16, R-L2-9.
static void touch(const struct qsm_sa_cache *sa, struct bank *bank, uint32_t set, uint32_t way,
                  uint32_t slot) {
  uint32_t node = 1;
  if (sa->policy[slot] & QSM_CACHE_SKIP_L1) return;
  for (uint32_t half = sa->n_ways / 2; half > 0; half /= 2) {
    const bool upper = way & half;
    bank->tree[set] = (uint16_t)((bank->tree[set] & ~(1u << node)) | (uint32_t)!upper << node);
    node = 2 * node + upper;
  }
}

// R-SA-5: the way of a miss; NONE: all are pending.
static uint32_t choose(const struct qsm_sa_cache *sa, const struct bank *bank, uint32_t set) {
  const struct line *line = ways_of(sa, bank, set);
  const uint64_t *key = keys_of(sa, bank, set);
  const uint8_t *gen = sa->array[bank->array].gen;
  uint32_t lowest = NONE, node = 1;
  for (uint32_t w = sa->n_ways; w-- > 0;) {
    if (!line[w].pending) lowest = w;
  }
  for (uint32_t w = 0; w < sa->n_ways; w++) {
    const bool live = line[w].valid && key_gen(key[w]) == gen[key_slot(key[w])];
    if (!line[w].pending && !live) return w;
  }
  while (node < sa->n_ways) node = 2 * node + (bank->tree[set] >> node & 1u);
  return line[node - sa->n_ways].pending ? lowest : node - sa->n_ways;
}

static void answer(struct bank *bank, uint16_t txn, uint8_t buffer) {
  bank->answers = true;
  bank->answer = (struct answer){txn, buffer};
}

// To the channels; R-SA-8.
static void send(struct bank *bank, struct place place) {
  bank->out[bank->n_out++] = bank->act.request;
  bank->place[bank->act.txn] = place;
  bank->given_rsp++;
}

struct acted {
  uint32_t kind, outcome, way;
};

static struct acted act_load(struct qsm_sa_cache *sa, struct bank *bank, uint32_t set,
                             uint64_t key) {
  const struct op *act = &bank->act;
  const uint32_t slot = act->request->slot;
  struct line *line = ways_of(sa, bank, set);
  uint32_t way = find(sa, bank, set, key);
  const bool matches = way < sa->n_ways;
  bank->count[slot][COUNT_LOADS]++;
  if (matches && line[way].valid) {
    const uint8_t buffer = take_buffer(bank);
    bank->acks[buffer] = false;
    qsm_copy_line(bank->buffer[buffer], data_at(sa, bank, set, way), sa->line_bytes);
    answer(bank, act->txn, buffer);
    bank->given_out++;
    touch(sa, bank, set, way, slot);
    bank->count[slot][COUNT_HITS]++;
    return (struct acted){KIND_LOAD, HIT, way};
  }
  if (matches && !line[way].poison) {
    bank->next[line[way].last] = act->txn;
    line[way].last = act->txn;
    bank->given_out++;
    bank->given_rsp++;
    bank->count[slot][COUNT_JOINED]++;
    return (struct acted){KIND_LOAD, JOINS, way};
  }
  way = matches || sa->policy[slot] & QSM_CACHE_SKIP_L1 ? NONE : choose(sa, bank, set);
  send(bank, (struct place){.way = (uint8_t)way, .set = (uint16_t)set});
  if (way == NONE) return (struct acted){KIND_LOAD, PASSES_BY, way};
  keys_of(sa, bank, set)[way] = key;
  line[way] = (struct line){.pending = true, .last = act->txn};
  touch(sa, bank, set, way, slot);
  bank->count[slot][COUNT_MISSES]++;
  return (struct acted){KIND_LOAD, ALLOCATES, way};
}

// R-SA-6.
static struct acted act_write(struct qsm_sa_cache *sa, struct bank *bank, uint32_t set,
                              uint64_t key) {
  const struct qsm_mem_access *request = bank->act.request;
  const bool is_amo = request->kind == QSM_MEM_AMO;
  struct line *line = ways_of(sa, bank, set);
  const uint32_t way = find(sa, bank, set, key);
  struct acted acted = {is_amo ? KIND_AMO : KIND_STORE, NO_MATCH, NONE};
  bank->count[request->slot][is_amo ? COUNT_ATOMICS : COUNT_STORES]++;
  send(bank, (struct place){.way = NONE});
  if (way == sa->n_ways) return acted;
  acted.way = way;
  acted.outcome = line[way].valid ? MATCH_VALID : MATCH_PENDING;
  if (line[way].pending) {
    line[way].poison = true;
  } else if (is_amo) {
    keys_of(sa, bank, set)[way] = 0;
    line[way].valid = false;
  } else {
    qsm_mem_apply(request, (uint8_t *)data_at(sa, bank, set, way), sa->n_words);
    touch(sa, bank, set, way, request->slot);
  }
  return acted;
}

static void act_request(struct qsm_sa_cache *sa, struct bank *bank, uint64_t cycle) {
  const struct qsm_mem_access *request = bank->act.request;
  const uint32_t set = set_of(sa, request->addr);
  const uint64_t key = key_of(sa, request->addr, request->slot, bank->act.gen);
  struct acted acted = {KIND_FETCH, NO_MATCH, NONE};
  if (request->kind != QSM_MEM_READ) {
    acted = act_write(sa, bank, set, key);
  } else if (request->tag < sa->config->mem_txns) {
    acted = act_load(sa, bank, set, key);
  } else {
    send(bank, (struct place){.way = NONE});  // R-SA-7
  }
  const uint32_t words[] = {acted.kind, request->addr, acted.outcome, acted.way, bank->act.txn};
  qsm_bus_report_sub(sa->bus, cycle, QSM_EV_SA_OP, bank->array, bank->number, 5, words);
}

// R-SA-10.
static void act_response(struct qsm_sa_cache *sa, struct bank *bank, uint64_t cycle) {
  const struct op act = bank->act;
  answer(bank, act.txn, act.buffer);
  if (act.place.way == NONE) return;
  struct line *line = &ways_of(sa, bank, act.place.set)[act.place.way];
  const uint32_t words[] = {act.place.set, act.place.way, act.txn, !line->poison, line->last};
  qsm_copy_line(data_at(sa, bank, act.place.set, act.place.way), bank->buffer[act.buffer],
                sa->line_bytes);
  if (line->last != act.txn) {
    bank->serving = true;
    bank->served = act.txn;
    bank->serve_last = line->last;
    qsm_copy_line(bank->served_line, bank->buffer[act.buffer], sa->line_bytes);
  }
  line->pending = false;
  line->valid = !line->poison;
  line->poison = false;
  if (!line->valid) keys_of(sa, bank, act.place.set)[act.place.way] = 0;
  qsm_bus_report_sub(sa->bus, cycle, QSM_EV_SA_FILL, bank->array, bank->number, 5, words);
}

static void act_serve(const struct qsm_sa_cache *sa, struct bank *bank) {
  const uint8_t buffer = take_buffer(bank);
  bank->acks[buffer] = false;
  qsm_copy_line(bank->buffer[buffer], bank->served_line, sa->line_bytes);
  answer(bank, bank->act.txn, buffer);
}

// R-SA-15.
static void act_walk(const struct qsm_sa_cache *sa, struct bank *bank) {
  struct line *line = ways_of(sa, bank, bank->act.set);
  uint64_t *key = keys_of(sa, bank, bank->act.set);
  for (uint32_t w = 0; w < sa->n_ways; w++) {
    line[w].valid = false;
    line[w].poison = line[w].pending;
    if (!line[w].pending) key[w] = 0;
  }
  if (bank->act.first) {
    memset(line, 0, sa->n_ways * sizeof *line);
    memset(key, 0, sa->n_ways * sizeof *key);
    bank->tree[bank->act.set] = 0;
  }
}

static void act(struct qsm_sa_cache *sa, struct bank *bank, uint64_t cycle) {
  switch ((enum op_kind)bank->act.kind) {
    case OP_NONE: break;
    case OP_WALK: act_walk(sa, bank); break;
    case OP_SERVE: act_serve(sa, bank); break;
    case OP_RESPONSE: act_response(sa, bank, cycle); break;
    case OP_REQUEST: act_request(sa, bank, cycle); break;
  }
}

// ---- The end of a cycle ----

static bool is_busy(const struct bank *bank) {
  return bank->act.kind != OP_NONE || bank->answers || bank->has_arrived || bank->serving ||
         bank->walking || bank->n_rsp || bank->heads;
}

static void end_bank(struct qsm_sa_cache *sa, struct bank *bank, uint64_t cycle) {
  if (bank->answers) bank->rsp[bank->n_rsp++] = bank->answer;
  bank->answers = false;
  act(sa, bank, cycle);
  bank->act = bank->look;
  bank->look.kind = OP_NONE;
  bank->credit_out += bank->given_out;
  bank->credit_rsp += bank->given_rsp;
  bank->given_out = bank->given_rsp = 0;
}

uint32_t qsm_sa_end(struct qsm_sa_cache *sa, uint64_t cycle,
                    const struct qsm_sa_exposed **exposed) {
  const uint32_t n = sa->n_arrays * sa->n_banks;
  uint32_t n_exposed = 0;
  const bool renews = sa->renewals >> cycle % RENEW_CYCLES & 1;
  for (uint32_t w = 0; w < (n + 63) / 64; w++) {
    for (uint64_t left = sa->active[w]; left; left &= left - 1) {
      struct bank *bank = &sa->bank[w * 64 + qsm_lowest(left)];
      end_bank(sa, bank, cycle);
      if (bank->n_out && !bank->shown) {
        bank->shown = true;
        sa->exposed[n_exposed++] =
            (struct qsm_sa_exposed){.array = (uint16_t)bank->array, .addr = bank->out[0]->addr};
      }
      if (!is_busy(bank)) sa->active[w] &= ~(left & -left);
    }
  }
  if (renews) {
    clear_counters(sa, sa->start[cycle % RENEW_CYCLES]);
    sa->start[cycle % RENEW_CYCLES] = 0;
    end_generations(sa, cycle);
    sa->renewals &= ~(UINT64_C(1) << cycle % RENEW_CYCLES);
  }
  *exposed = sa->exposed;
  return n_exposed;
}

uint64_t qsm_sa_next(const struct qsm_sa_cache *sa, uint64_t from) {
  const uint32_t n = sa->n_arrays * sa->n_banks, shift = (uint32_t)(from % RENEW_CYCLES);
  for (uint32_t w = 0; w < (n + 63) / 64; w++)
    if (sa->active[w]) return from;
  if (!sa->renewals) return QSM_NEVER;
  const uint64_t turned =
      shift ? sa->renewals >> shift | sa->renewals << (RENEW_CYCLES - shift) : sa->renewals;
  return from + qsm_lowest(turned);
}

// ---- Observation ----

uint32_t qsm_sa_counter(const struct qsm_sa_cache *sa, uint32_t sm, uint32_t bank, uint32_t slot,
                        uint32_t counter) {
  return bank_for(sa, sa->array_of[sm], bank)->count[slot][counter - QSM_SA_FIRST_COUNTER];
}

static uint32_t queues(const struct bank *bank) {
  return bank->credit_rsp | bank->credit_out << 4 | bank->n_rsp << 8 | bank->n_out << 12 |
         (uint32_t)bank->serving << 16 | (uint32_t)bank->has_arrived << 17 |
         (uint32_t)bank->walking << 18 | (uint32_t)bank->first << 19;
}

static bool bank_state(const struct qsm_sa_cache *sa, const struct bank *bank, uint32_t word,
                       uint32_t *value) {
  switch (word) {
    case 0: *value = queues(bank); return true;
    case 1: *value = bank->walking ? bank->walk_set : 0; return true;
    case 2:
      *value = bank->serving ? bank->served | (uint32_t)bank->serve_last << 16 : 0;
      return true;
    case 3: *value = bank->has_arrived ? bank->arrived_txn : 0; return true;
    default:
      if (word - 4 >= sa->config->num_kernels) return false;
      *value = sa->array[bank->array].gen[word - 4];
      return true;
  }
}

static bool set_state(const struct qsm_sa_cache *sa, const struct bank *bank, uint32_t set,
                      uint32_t word, uint32_t *value) {
  if (set >= sa->n_sets || word > 3 * sa->n_ways) return false;
  if (word == 3 * sa->n_ways) {
    *value = bank->tree[set];
    return true;
  }
  const struct line *line = &ways_of(sa, bank, set)[word % sa->n_ways];
  const uint64_t key = keys_of(sa, bank, set)[word % sa->n_ways];
  *value = 0;
  if (!line->valid && !line->pending) return true;
  const uint32_t flags =
      (uint32_t)line->valid | (uint32_t)line->pending << 1 | (uint32_t)line->poison << 2;
  switch (word / sa->n_ways) {
    case 0: *value = flags | key_gen(key) << 8 | key_slot(key) << 16; break;
    case 1: *value = key_tag(key); break;
    default: *value = line->pending ? line->last : 0; break;
  }
  return true;
}

bool qsm_sa_state(const struct qsm_sa_cache *sa, enum qsm_state_kind kind, uint32_t array,
                  uint32_t bank, uint32_t index, uint32_t word, uint32_t *value) {
  if (array >= sa->n_arrays || bank >= sa->n_banks) return false;
  const struct bank *of = bank_for(sa, array, bank);
  if (kind == QSM_STATE_SA_SET) return set_state(sa, of, index, word, value);
  return index == 0 && bank_state(sa, of, word, value);
}

// Invalidates a line: its next load misses.
int qsm_sa_inject(struct qsm_sa_cache *sa, uint64_t seed, char *what, size_t what_len) {
  const uint64_t n_lines = (uint64_t)sa->n_sets * sa->n_ways;
  const uint64_t n = sa->n_arrays * sa->n_banks * n_lines;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t at = (seed + i) % n;
    struct bank *bank = &sa->bank[at / n_lines];
    struct line *line = &bank->line[at % n_lines];
    if (!line->valid) continue;
    line->valid = false;
    bank->key[at % n_lines] = 0;
    snprintf(what, what_len, "sa: valid of way %u of set %u in bank %u of array %u",
             (uint32_t)(at % sa->n_ways), (uint32_t)(at % n_lines / sa->n_ways), bank->number,
             bank->array);
    return 0;
  }
  return -1;
}
