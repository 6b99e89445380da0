// SPDX-License-Identifier: Apache-2.0
#include "qsm_front.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_partition.h"
#include "qsm_regs.h"

#define TIME_MASK ((UINT64_C(1) << 48) - 1)

enum {
  COMMAND_WORDS = 8,
  COMMAND_BYTES = 4 * COMMAND_WORDS,
  CONTEXT_WORDS = 32,
  DESCRIPTOR_WORDS = 16,
  DESCRIPTOR_BYTES = 4 * DESCRIPTOR_WORDS,
  FIRST_SPARE = 9,  // word of a descriptor, and those after it
  PRODUCT_CYCLES = 22,
  WAITS_FALL = 1024,  // R-FR-20
  PUT_MASK = 0xFFFF,

  FLAG_IRQ = 1 << 8,  // of a command's word 0
  FLAG_STAMP = 1 << 9,
  OPCODE_MASK = 0xFF,

  RIGHT_READ = 1,  // of a window
  RIGHT_WRITE = 2,
};

// Words of a context that are not only copied into registers.
enum {
  CONTEXT_CTX = 0,
  CONTEXT_WIN0 = 6,  // base, limit, rights
  CONTEXT_WIN1 = 9,
  CONTEXT_RIGHTS = 12,
};

enum where { NOWHERE = -1 };

typedef qsm_sm_set channel_set;

// A load or store, one access at a time (R-FR-8).
struct transfer {
  uint32_t addr;
  uint32_t *words;
  uint32_t n_words, n_done;
  bool sent;
};

// Of the command under way; what it holds means nothing to those after it but for channel and slot.
struct sequencer {
  enum qsm_front_state state;
  uint64_t at;  // cycle of the next action; QSM_NEVER: another tells
  uint32_t step;
  uint32_t channel, slot;
  bool has_turn, keeps_turn;     // R-FR-6: of next
  bool binding;                  // R-FR-16: an unbind comes after a stop
  bool asks, answered, refused;  // a register's write: due; its answer
  bool set_anew;                 // CLEAR: fresh was
  bool empties;                  // context: after the load, the buffer
  uint64_t context_from;         // first cycle of its load
  uint32_t ring, context, get, put;
  uint32_t opcode, flags, which, value;
  uint32_t stop_code, stop_word;
  uint32_t threads;
  uint32_t semaphore[4];
  struct transfer transfer;
};

struct slot {
  uint32_t owner;
  uint64_t since;  // first cycle that starts with runs
  uint64_t time;   // when it has ended
  uint32_t index;
  bool irq;
};

struct snapshot {
  uint64_t cycle;
  uint32_t engine;
  channel_set busy;
};

struct qsm_front {
  const struct qsm_config *config;
  const struct qsm_regs *regs;
  const struct qsm_tb_sched *tb_sched;
  struct qsm_xbar *xbar;
  const struct qsm_bus *bus;
  uint32_t line_bytes;
  bool active;
  channel_set enabled, fresh, stopped, suspended, held, pending, waits, busy, irq;
  channel_set sets_waits, sets_irq, sets_stopped;  // at the end of the cycle `acted`
  bool waits_fall;                                 // likewise
  uint64_t acted;
  uint32_t bound, runs, ended;  // bit per slot
  uint32_t next, last;          // last: owner of the slot that ran last (R-FR-17)
  uint32_t buffer_of;           // whose the context buffer is, or no channel's number
  struct sequencer seq;
  struct slot slot[QSM_MAX_KERNELS];
  struct snapshot snap;
  uint32_t context[CONTEXT_WORDS];
  uint32_t command[DESCRIPTOR_WORDS];
  uint32_t line[QSM_MEM_MAX_WORDS];
  uint32_t table[QSM_MAX_CMD][QSM_ROW_WORDS];
};

struct qsm_front *qsm_front_create(const struct qsm_regs *regs, const struct qsm_tb_sched *tb_sched,
                                   struct qsm_xbar *xbar, const struct qsm_bus *bus) {
  struct qsm_front *front = calloc(1, sizeof *front);
  if (!front) return NULL;
  front->config = regs->shared.config;
  front->regs = regs;
  front->tb_sched = tb_sched;
  front->xbar = xbar;
  front->bus = bus;
  front->line_bytes = qsm_config_line_bytes(front->config);
  front->buffer_of = QSM_MAX_CMD;
  front->seq.at = QSM_NEVER;
  front->acted = QSM_NEVER;
  return front;
}

void qsm_front_destroy(struct qsm_front *front) { free(front); }

static channel_set bit_of(uint32_t c) { return qsm_sm_bit(c); }

static bool has(channel_set set, uint32_t c) { return qsm_has_sm(set, c); }

static uint32_t ring_commands(uint32_t ring) { return 1u << (ring & QSM_CH_RING_LOG2_MASK); }

// ---- The sequencer goes on ----

// From the cycle after this one on it is in a state, whose first action is in its first cycle.
static void enter(struct qsm_front *front, uint64_t cycle, enum qsm_front_state state) {
  struct sequencer *seq = &front->seq;
  seq->state = state;
  seq->step = 0;
  seq->at = cycle + 1;
  const uint32_t words[] = {state, seq->channel, seq->slot};
  qsm_bus_report(front->bus, cycle, QSM_EV_CHANNEL, 0, 3, words);
}

static void enter_idle(struct qsm_front *front, uint64_t cycle) {
  const struct sequencer *seq = &front->seq;
  if (seq->has_turn && !seq->keeps_turn)
    front->next = (seq->channel + 1) % front->config->cmd_channels;
  enter(front, cycle, QSM_FRONT_IDLE);
}

static void enter_stop(struct qsm_front *front, uint64_t cycle, enum qsm_front_stop code,
                       uint32_t word) {
  front->seq.stop_code = code;
  front->seq.stop_word = word;
  enter(front, cycle, QSM_FRONT_STOP);
}

static void enter_writes(struct qsm_front *front, uint64_t cycle, enum qsm_front_state state) {
  enter(front, cycle, state);
  front->seq.asks = true;
  front->seq.answered = false;
  front->seq.at = QSM_NEVER;
}

static void enter_transfer(struct qsm_front *front, uint64_t cycle, enum qsm_front_state state,
                           uint32_t addr, uint32_t *words, uint32_t n_words) {
  front->seq.transfer = (struct transfer){.addr = addr, .words = words, .n_words = n_words};
  enter(front, cycle, state);
}

static void wake_waiting(struct qsm_front *front) { front->waits_fall = true; }

static void raise_irq(struct qsm_front *front, uint32_t c) { front->sets_irq |= bit_of(c); }

static void stop_channel(struct qsm_front *front, uint32_t c) {
  front->sets_stopped |= bit_of(c);
  raise_irq(front, c);
}

// ---- Memory (R-FR-8) ----

static uint32_t words_of_line(const struct qsm_front *front) {
  const struct transfer *transfer = &front->seq.transfer;
  uint32_t line = front->line_bytes / 4, left = transfer->n_words - transfer->n_done;
  return left < line ? left : line;
}

static void send(struct qsm_front *front, uint64_t cycle, struct qsm_mem_req *req, uint32_t addr) {
  uint32_t split = (front->seq.ring & QSM_CH_RING_SPLIT_MASK) >> QSM_CH_RING_SPLIT_SHIFT;
  uint32_t line = addr & ~(front->line_bytes - 1);
  req->cycle = cycle;
  req->nc = true;
  req->addr = split ? qsm_partition_address(front->config, split, line) : line;
  qsm_xbar_push(front->xbar, front->config->num_sms, req);
  front->seq.transfer.sent = true;
  front->seq.at = QSM_NEVER;
}

// True if the load ends with this cycle.
static bool load(struct qsm_front *front, uint64_t cycle) {
  struct transfer *transfer = &front->seq.transfer;
  uint32_t addr = transfer->addr + 4 * transfer->n_done;
  if (!transfer->sent) {
    struct qsm_mem_req req = {.kind = QSM_MEM_READ};
    send(front, cycle, &req, addr);
    return false;
  }
  // One word per cycle, of which this is the last: nobody looks at the buffer meanwhile.
  uint32_t n = words_of_line(front);
  memcpy(&transfer->words[transfer->n_done], &front->line[addr % front->line_bytes / 4], 4 * n);
  transfer->n_done += n;
  transfer->sent = false;
  front->seq.at = cycle + 1;
  return transfer->n_done == transfer->n_words;
}

// True if the store ends with this cycle. Its words lie in one line.
static bool store(struct qsm_front *front, uint64_t cycle) {
  const struct transfer *transfer = &front->seq.transfer;
  if (transfer->sent) return true;
  struct qsm_mem_req req = {.kind = QSM_MEM_WRITE};
  uint32_t first = transfer->addr % front->line_bytes, bytes = 4 * transfer->n_words;
  memcpy(&req.data[first / 4], transfer->words, bytes);
  for (uint32_t i = first; i < first + bytes; i++) req.bytes[i / 32] |= 1u << i % 32;
  send(front, cycle, &req, transfer->addr);
  return false;
}

// A store ends in the cycle in which its acknowledgement is seen; of a load the words come then.
uint32_t *qsm_front_push_response(struct qsm_front *front, uint64_t cycle) {
  const struct sequencer *seq = &front->seq;
  bool is_store = seq->state == QSM_FRONT_SET_STORE ||
                  (seq->state == QSM_FRONT_ACCESS && seq->opcode == QSM_CMD_RELEASE);
  front->seq.at = cycle + (is_store ? 0 : words_of_line(front));
  return front->line;
}

// ---- Idle (R-FR-4, R-FR-5) ----

static channel_set eligible(const struct qsm_front *front) {
  return front->enabled & front->pending &
         ~(front->fresh | front->stopped | front->held | front->busy | front->waits);
}

static uint32_t to_unbind(const struct qsm_front *front) {
  uint32_t slots = 0;
  for (uint32_t left = front->bound & ~front->runs; left; left &= left - 1) {
    uint32_t k = qsm_lowest(left);
    bool may_stay =
        has(front->enabled, front->slot[k].owner) && qsm_has_sm(front->regs->front_slots, k);
    slots |= (uint32_t)!may_stay << k;
  }
  return slots;
}

static void take_slot(struct qsm_front *front, uint32_t k) {
  front->seq.slot = k;
  front->seq.channel = front->slot[k].owner;
}

static void choose(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  uint32_t slots = to_unbind(front);
  channel_set channels = eligible(front);
  seq->has_turn = seq->keeps_turn = seq->binding = false;
  if (front->ended) {
    take_slot(front, qsm_lowest(front->ended));
    enter(front, cycle, QSM_FRONT_END);
  } else if (front->fresh) {
    seq->channel = qsm_lowest_sm(front->fresh);
    seq->set_anew = false;
    enter(front, cycle, QSM_FRONT_CLEAR);
  } else if (slots) {
    take_slot(front, qsm_lowest(slots));
    enter_writes(front, cycle, QSM_FRONT_UNBIND);
  } else if (channels) {
    seq->channel = qsm_first_sm_from(channels, front->next);
    seq->has_turn = true;
    enter(front, cycle, QSM_FRONT_ROW);
  }
}

static bool has_work(const struct qsm_front *front) {
  return front->ended || front->fresh || to_unbind(front) || eligible(front);
}

// ---- A command, up to what it does ----

static void clear(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  uint32_t word = QSM_ROW_GET + seq->step++;
  front->table[seq->channel][word] = 0;
  seq->at = cycle + 1;
  if (word != QSM_ROW_ERROR) return;
  if (!seq->set_anew) front->fresh &= ~bit_of(seq->channel);
  enter_idle(front, cycle);
}

static void read_row(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  uint32_t *to[] = {&seq->ring, &seq->context, &seq->get, &seq->put};
  *to[seq->step] = front->table[seq->channel][QSM_ROW_RING + seq->step];
  seq->at = cycle + 1;
  if (++seq->step == 4) enter(front, cycle, QSM_FRONT_CHECK);
}

static void check_row(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  uint32_t n = ring_commands(seq->ring);
  if (seq->get >= n || seq->put >= n) {
    enter_stop(front, cycle, QSM_STOP_BAD_PUT, 0);
  } else if (seq->get == seq->put) {
    front->pending &= ~bit_of(seq->channel);
    enter_idle(front, cycle);
  } else {
    uint32_t addr = (seq->ring & QSM_CH_RING_BASE_MASK) + COMMAND_BYTES * seq->get;
    enter_transfer(front, cycle, QSM_FRONT_FETCH, addr, front->command, COMMAND_WORDS);
  }
}

// R-FR-7: the lowest word that is wrong, or NOWHERE.
static int wrong_word(const uint32_t *command) {
  static const uint8_t words[] = {[QSM_CMD_NOP] = 0,
                                  [QSM_CMD_LAUNCH] = 1,
                                  [QSM_CMD_SET] = 2,
                                  [QSM_CMD_ACQUIRE] = 2,
                                  [QSM_CMD_RELEASE] = 2};
  uint32_t opcode = command[0] & OPCODE_MASK;
  if (opcode >= QSM_FRONT_OPCODE_COUNT ||
      (command[0] & ~(uint32_t)(OPCODE_MASK | FLAG_IRQ | FLAG_STAMP)))
    return 0;
  for (int i = words[opcode] + 1; i < COMMAND_WORDS; i++)
    if (command[i]) return i;
  return NOWHERE;
}

// With the context in the buffer.
static void begin_command(struct qsm_front *front, uint64_t cycle) {
  switch (front->seq.opcode) {
    case QSM_CMD_LAUNCH: enter(front, cycle, QSM_FRONT_SLOT); break;
    case QSM_CMD_SET: enter(front, cycle, QSM_FRONT_SET); break;
    default: enter(front, cycle, QSM_FRONT_ADDRESS); break;
  }
}

static void decode(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  const uint32_t *command = front->command;
  const uint32_t words[] = {seq->channel, seq->get, command[0], command[1], command[2]};
  qsm_bus_report(front->bus, cycle, QSM_EV_COMMAND, 0, 5, words);
  int wrong = wrong_word(command);
  seq->opcode = command[0] & OPCODE_MASK;
  seq->flags = command[0];
  seq->which = command[1];
  seq->value = command[2];
  if (wrong != NOWHERE) {
    enter_stop(front, cycle, QSM_STOP_BAD_COMMAND, (uint32_t)wrong);
  } else if (seq->opcode == QSM_CMD_NOP) {
    enter(front, cycle, QSM_FRONT_FINISH);
  } else if (front->buffer_of == seq->channel) {
    begin_command(front, cycle);
  } else {
    front->buffer_of = QSM_MAX_CMD;
    seq->empties = false;
    seq->context_from = cycle + 1;
    enter_transfer(front, cycle, QSM_FRONT_CONTEXT, seq->context, front->context, CONTEXT_WORDS);
  }
}

static void load_context(struct qsm_front *front, uint64_t cycle) {
  if (!load(front, cycle)) return;
  front->buffer_of = front->seq.empties ? QSM_MAX_CMD : front->seq.channel;
  begin_command(front, cycle);
}

// `addr` is a multiple of `bytes`; of the window whose base is this word of the context.
static bool in_window(const struct qsm_front *front, uint32_t base, uint32_t addr, uint32_t bytes,
                      uint32_t right) {
  const uint32_t *window = &front->context[base];
  return addr >= window[0] && addr + (bytes - 1) < window[1] && (window[2] & right);
}

// ---- Semaphores and settings ----

// What an acquire looks at, or a release writes (R-FR-9).
static void check_address(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  bool release = seq->opcode == QSM_CMD_RELEASE;
  uint32_t addr = seq->which, n_words = release && (seq->flags & FLAG_STAMP) ? 4 : 1;
  uint64_t sent = cycle + 1;
  if (addr % (4 * n_words) ||
      !in_window(front, CONTEXT_WIN1, addr, 4 * n_words, release ? RIGHT_WRITE : RIGHT_READ)) {
    enter_stop(front, cycle, QSM_STOP_BAD_ADDRESS, 1);
    return;
  }
  const uint32_t words[] = {seq->value, 0, (uint32_t)sent, (uint32_t)(sent >> 32)};
  memcpy(seq->semaphore, words, sizeof words);
  enter_transfer(front, cycle, QSM_FRONT_ACCESS, addr, seq->semaphore, n_words);
}

static void access_semaphore(struct qsm_front *front, uint64_t cycle) {
  if (front->seq.opcode == QSM_CMD_RELEASE) {
    if (store(front, cycle)) enter(front, cycle, QSM_FRONT_FINISH);
  } else {
    if (load(front, cycle)) enter(front, cycle, QSM_FRONT_COMPARE);
  }
}

static void compare(struct qsm_front *front, uint64_t cycle) {
  const struct sequencer *seq = &front->seq;
  if ((int32_t)(seq->semaphore[0] - seq->value) >= 0) {
    enter(front, cycle, QSM_FRONT_FINISH);
  } else {
    front->sets_waits |= bit_of(seq->channel);
    enter_idle(front, cycle);
  }
}

struct setting {
  uint8_t word;    // of the context
  uint8_t right;   // bit of CONTEXT_RIGHTS
  uint8_t offset;  // of the register
};

static const struct setting settings[] = {
    [QSM_SETTING_GOAL] = {1, 0, QSM_SLOT_GOAL},
    [QSM_SETTING_BUDGET] = {13, 1, QSM_SLOT_BUDGET},
    [QSM_SETTING_SM_MASK_LO] = {3, 2, QSM_SLOT_SM_MASK_LO},
    [QSM_SETTING_SM_MASK_HI] = {4, 2, QSM_SLOT_SM_MASK_HI},
    [QSM_SETTING_SM_MASK_2] = {5, 2, QSM_SLOT_SM_MASK_2},
    [QSM_SETTING_CACHE_POLICY] = {18, 3, QSM_SLOT_CACHE_POLICY},
};

static uint32_t bound_to(const struct qsm_front *front, uint32_t c) {
  uint32_t slots = 0;
  for (uint32_t left = front->bound; left; left &= left - 1)
    if (front->slot[qsm_lowest(left)].owner == c) slots |= left & -left;
  return slots;
}

static void store_setting(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  uint32_t addr = seq->context + 4u * settings[seq->which].word;
  enter_transfer(front, cycle, QSM_FRONT_SET_STORE, addr, &seq->value, 1);
}

static void check_setting(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  uint32_t slots = bound_to(front, seq->channel);
  if (seq->which >= QSM_FRONT_SETTING_COUNT ||
      !(front->context[CONTEXT_RIGHTS] >> settings[seq->which].right & 1)) {
    enter_stop(front, cycle, QSM_STOP_NO_RIGHT, seq->which & 0xFF);
  } else if (slots) {
    seq->slot = qsm_lowest(slots);
    enter_writes(front, cycle, QSM_FRONT_SET_REG);
  } else {
    store_setting(front, cycle);
  }
}

static void keep_setting(struct qsm_front *front, uint64_t cycle) {
  const struct sequencer *seq = &front->seq;
  if (!store(front, cycle)) return;
  front->context[settings[seq->which].word] = seq->value;
  enter(front, cycle, QSM_FRONT_FINISH);
}

static void finish(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  uint32_t *row = front->table[seq->channel];
  bool launched = seq->opcode == QSM_CMD_LAUNCH;
  seq->at = cycle + 1;
  switch (seq->step++) {
    case 0:
      row[QSM_ROW_GET] = (seq->get + 1) & (ring_commands(seq->ring) - 1);
      if (launched) enter_idle(front, cycle);
      break;
    case 1: break;  // DONE is read
    default:
      row[QSM_ROW_DONE]++;
      if (seq->flags & FLAG_IRQ) raise_irq(front, seq->channel);
      if (seq->opcode == QSM_CMD_RELEASE) wake_waiting(front);
      enter_idle(front, cycle);
      break;
  }
}

static void stop(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  front->table[seq->channel][QSM_ROW_ERROR] = seq->stop_code |
                                              seq->stop_word << QSM_CH_ERROR_WORD_SHIFT |
                                              seq->get << QSM_CH_ERROR_INDEX_SHIFT;
  stop_channel(front, seq->channel);
  wake_waiting(front);
  if (seq->binding) {
    enter_writes(front, cycle, QSM_FRONT_UNBIND);
  } else {
    enter_idle(front, cycle);
  }
}

// ---- Launches (R-FR-11) ----

static void load_descriptor(struct qsm_front *front, uint64_t cycle) {
  enter_transfer(front, cycle, QSM_FRONT_LOAD, front->seq.which, front->command, DESCRIPTOR_WORDS);
}

static void choose_slot(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  uint32_t slots = (uint32_t)front->regs->front_slots;
  uint32_t own = bound_to(front, seq->channel) & slots, unbound = slots & ~front->bound;
  uint32_t others = slots & front->bound & ~front->runs & ~front->ended;
  if (own) {
    seq->slot = qsm_lowest(own);
    load_descriptor(front, cycle);
  } else if (unbound || others) {
    seq->slot = qsm_lowest(unbound ? unbound : others);
    seq->binding = true;
    enter_writes(front, cycle, QSM_FRONT_BIND);
    seq->step = front->bound >> seq->slot & 1 ? 0 : 1;  // CTX = 0 comes first, or is left out
  } else {
    front->sets_waits |= bit_of(seq->channel);
    seq->keeps_turn = true;
    enter_idle(front, cycle);
  }
}

static bool descriptor_ok(const struct qsm_front *front) {
  uint32_t addr = front->seq.which;
  return addr % DESCRIPTOR_BYTES == 0 &&
         (in_window(front, CONTEXT_WIN0, addr, DESCRIPTOR_BYTES, RIGHT_READ) ||
          in_window(front, CONTEXT_WIN1, addr, DESCRIPTOR_BYTES, RIGHT_READ));
}

static bool engine_is_free(const struct qsm_front *front) {
  return front->regs->front_mode || !front->runs;
}

static void find_slot(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  if (seq->step++ == 0 && !descriptor_ok(front)) {
    enter_stop(front, cycle, QSM_STOP_BAD_ADDRESS, 1);
  } else if (engine_is_free(front)) {
    choose_slot(front, cycle);
  } else {
    seq->at = QSM_NEVER;
  }
}

static void take_descriptor(struct qsm_front *front, uint64_t cycle) {
  if (load(front, cycle)) enter(front, cycle, QSM_FRONT_LOOK);
}

static void look(struct qsm_front *front, uint64_t cycle) {
  for (uint32_t i = FIRST_SPARE; i < DESCRIPTOR_WORDS; i++) {
    if (!front->command[i]) continue;
    enter_stop(front, cycle, QSM_STOP_BAD_LAUNCH, i);
    return;
  }
  enter(front, cycle, QSM_FRONT_PRODUCT);
  front->seq.at = cycle + PRODUCT_CYCLES;
}

static void multiply(struct qsm_front *front, uint64_t cycle) {
  const uint32_t *block = &front->command[5], low = (1u << 11) - 1;
  front->seq.threads = (block[0] & low) * (block[1] & low) * (block[2] & low);
  enter_writes(front, cycle, QSM_FRONT_START);
}

// ---- Register writes ----

struct bind_step {
  uint8_t word;  // of the context
  uint8_t offset;
};

static const struct bind_step bind_steps[] = {
    {CONTEXT_CTX, QSM_SLOT_CTX},  // of the owner before: 0
    {3, QSM_SLOT_SM_MASK_LO},    {4, QSM_SLOT_SM_MASK_HI},  {5, QSM_SLOT_SM_MASK_2},
    {6, QSM_SLOT_WIN0_BASE},     {7, QSM_SLOT_WIN0_LIMIT},  {8, QSM_SLOT_WIN0_RIGHTS},
    {9, QSM_SLOT_WIN1_BASE},     {10, QSM_SLOT_WIN1_LIMIT}, {11, QSM_SLOT_WIN1_RIGHTS},
    {2, QSM_SLOT_FIRST_QUOTA},   {1, QSM_SLOT_GOAL},        {22, QSM_SLOT_MEM_SPLIT},
    {CONTEXT_CTX, QSM_SLOT_CTX}, {13, QSM_SLOT_BUDGET},     {14, QSM_SLOT_ISO_IPC},
    {15, QSM_SLOT_SAVE_BASE},    {16, QSM_SLOT_SAVE_LIMIT}, {17, QSM_SLOT_IDEMPOTENT},
    {18, QSM_SLOT_CACHE_POLICY}, {19, QSM_SLOT_STACK},      {20, QSM_SLOT_SM_COUNT},
    {21, QSM_SLOT_WARP_CAP},
};

// Words 0 .. 7 of the descriptor, then what follows from it.
static const uint8_t start_steps[] = {
    QSM_SLOT_ENTRY,   QSM_SLOT_ARG,         QSM_SLOT_GRID_X,
    QSM_SLOT_GRID_Y,  QSM_SLOT_GRID_Z,      QSM_SLOT_BLOCK_X,
    QSM_SLOT_BLOCK_Y, QSM_SLOT_BLOCK_Z,     QSM_SLOT_BLOCK_THREADS,
    QSM_SLOT_SHARED,  QSM_SLOT_BLOCK_WARPS, QSM_SLOT_SHARED_GRAN,
    0 /* IRQ */,      QSM_SLOT_LAUNCH,
};

enum {
  BIND_STEPS = sizeof bind_steps / sizeof *bind_steps,
  START_STEPS = sizeof start_steps,
  START_DERIVED = 8,
  START_IRQ = 12,
};

static struct qsm_front_write slot_write(const struct qsm_front *front, uint32_t offset,
                                         uint32_t value) {
  return (struct qsm_front_write){QSM_SLOT_BASE + QSM_SLOT_STRIDE * front->seq.slot + offset,
                                  value};
}

static struct qsm_front_write bind_write(const struct qsm_front *front, uint32_t step) {
  uint32_t offset = bind_steps[step].offset, value = front->context[bind_steps[step].word];
  if (offset == QSM_SLOT_CTX) value |= QSM_SLOT_CTX_VALID_MASK;
  return slot_write(front, offset, step ? value : 0);
}

static struct qsm_front_write start_write(const struct qsm_front *front, uint32_t step) {
  const uint32_t granule = qsm_config_granule_bytes(front->config);
  const uint32_t threads = front->seq.threads, shared = front->command[8];
  if (step < START_DERIVED) return slot_write(front, start_steps[step], front->command[step]);
  if (step == START_IRQ) return (struct qsm_front_write){QSM_REG_IRQ, 1u << front->seq.slot};
  // Sums cannot wrap where they matter: a factor or SHARED too large has been refused before.
  const uint32_t value[] = {threads,
                            shared,
                            (threads + front->config->warp_size - 1) / front->config->warp_size,
                            (shared + granule - 1) / granule,
                            0,
                            1};
  return slot_write(front, start_steps[step], value[step - START_DERIVED]);
}

bool qsm_front_writes(const struct qsm_front *front, struct qsm_front_write *write) {
  const struct sequencer *seq = &front->seq;
  if (!seq->asks) return false;
  switch (seq->state) {
    case QSM_FRONT_BIND: *write = bind_write(front, seq->step); break;
    case QSM_FRONT_START: *write = start_write(front, seq->step); break;
    case QSM_FRONT_SET_REG:
      *write = slot_write(front, settings[seq->which].offset, seq->value);
      break;
    default: *write = slot_write(front, QSM_SLOT_CTX, 0); break;
  }
  return true;
}

void qsm_front_note_answer(struct qsm_front *front, uint64_t cycle, bool err) {
  front->seq.asks = false;
  front->seq.refused = err;
  front->seq.at = cycle + 1;
}

static void ask_again(struct qsm_front *front) {
  front->seq.step++;
  front->seq.asks = true;
  front->seq.at = QSM_NEVER;
}

static void see_bind(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  uint32_t offset = bind_steps[seq->step].offset, bit = 1u << seq->slot;
  if (seq->step == 0) front->bound &= ~bit;
  if (seq->refused) {
    enter_stop(front, cycle, QSM_STOP_REFUSED, offset);
    return;
  }
  if (seq->step && offset == QSM_SLOT_CTX) {
    front->bound |= bit;
    front->slot[seq->slot].owner = seq->channel;
  }
  if (seq->step + 1 == BIND_STEPS) {
    load_descriptor(front, cycle);
  } else {
    ask_again(front);
  }
}

static void see_start(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  struct slot *slot = &front->slot[seq->slot];
  if (seq->refused) {
    enter_stop(front, cycle, QSM_STOP_REFUSED, start_steps[seq->step]);
  } else if (seq->step + 1 < START_STEPS) {
    ask_again(front);
  } else {
    front->runs |= 1u << seq->slot;
    front->busy |= bit_of(seq->channel);
    slot->since = cycle + 1;
    slot->time = 0;
    slot->index = seq->get;
    slot->irq = seq->flags & FLAG_IRQ;
    enter(front, cycle, QSM_FRONT_FINISH);
  }
}

static void see_set(struct qsm_front *front, uint64_t cycle) {
  if (front->seq.refused) {
    enter_stop(front, cycle, QSM_STOP_REFUSED, settings[front->seq.which].offset);
  } else {
    store_setting(front, cycle);
  }
}

static void see_unbind(struct qsm_front *front, uint64_t cycle) {
  front->bound &= ~(1u << front->seq.slot);
  enter_idle(front, cycle);
}

// ---- Ends of launches ----

// R-FR-14, first half.
static void see_ends(struct qsm_front *front, uint64_t cycle, uint32_t runs) {
  uint32_t ends = runs & ~qsm_tb_sched_busy(front->tb_sched);
  if (ends) front->last = front->slot[qsm_lowest(ends)].owner;
  for (uint32_t left = ends; left; left &= left - 1) {
    struct slot *slot = &front->slot[qsm_lowest(left)];
    slot->time = cycle - slot->since;
    front->runs &= ~(left & -left);
    front->ended |= left & -left;
  }
}

static void end_launch(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  const struct slot *slot = &front->slot[seq->slot];
  front->ended &= ~(1u << seq->slot);
  front->busy &= ~bit_of(seq->channel);
  wake_waiting(front);
  if (slot->irq) raise_irq(front, seq->channel);
  enter_idle(front, cycle);
}

static uint64_t busy_cycles(const uint32_t *row) {
  return row[QSM_ROW_BUSY_LO] | (uint64_t)row[QSM_ROW_BUSY_HI] << 32;
}

// Steps of END: three reads come first.
enum { WRITE_LO = 3, WRITE_HI, WRITE_DONE, WRITE_ERROR };

// R-FR-14, second half: three words are read, and written in the same order.
static void end(struct qsm_front *front, uint64_t cycle) {
  struct sequencer *seq = &front->seq;
  struct slot *slot = &front->slot[seq->slot];
  uint32_t *row = front->table[seq->channel];
  seq->at = cycle + 1;
  switch (seq->step++) {
    case WRITE_LO:
      slot->time = (busy_cycles(row) + slot->time) & TIME_MASK;  // the sum
      row[QSM_ROW_BUSY_LO] = (uint32_t)slot->time;
      break;
    case WRITE_HI: row[QSM_ROW_BUSY_HI] = (uint32_t)(slot->time >> 32); break;
    case WRITE_DONE:
      row[QSM_ROW_DONE]++;
      if (!(qsm_tb_sched_killed(front->tb_sched) >> seq->slot & 1)) end_launch(front, cycle);
      break;
    case WRITE_ERROR:
      row[QSM_ROW_ERROR] = QSM_STOP_FAULT |
                           qsm_tb_sched_record(front->tb_sched, seq->slot)->cause
                               << QSM_CH_ERROR_WORD_SHIFT |
                           slot->index << QSM_CH_ERROR_INDEX_SHIFT;
      stop_channel(front, seq->channel);
      end_launch(front, cycle);
      break;
    default: break;  // a word is read
  }
}

const bool *qsm_front_active(const struct qsm_front *front) { return &front->active; }

static void note_change(struct qsm_front *front) {
  front->active = front->seq.state != QSM_FRONT_IDLE || front->runs || front->waits || front->irq ||
                  has_work(front);
}

// ---- A cycle ----

static bool needs_table(enum qsm_front_state state) {
  switch (state) {
    case QSM_FRONT_CLEAR:
    case QSM_FRONT_ROW:
    case QSM_FRONT_FINISH:
    case QSM_FRONT_STOP:
    case QSM_FRONT_END: return true;
    default: return false;
  }
}

static void act(struct qsm_front *front, uint64_t cycle) {
  switch (front->seq.state) {
    case QSM_FRONT_IDLE: choose(front, cycle); break;
    case QSM_FRONT_CLEAR: clear(front, cycle); break;
    case QSM_FRONT_ROW: read_row(front, cycle); break;
    case QSM_FRONT_CHECK: check_row(front, cycle); break;
    case QSM_FRONT_FETCH:
      if (load(front, cycle)) enter(front, cycle, QSM_FRONT_DECODE);
      break;
    case QSM_FRONT_DECODE: decode(front, cycle); break;
    case QSM_FRONT_CONTEXT: load_context(front, cycle); break;
    case QSM_FRONT_ADDRESS: check_address(front, cycle); break;
    case QSM_FRONT_ACCESS: access_semaphore(front, cycle); break;
    case QSM_FRONT_COMPARE: compare(front, cycle); break;
    case QSM_FRONT_SET: check_setting(front, cycle); break;
    case QSM_FRONT_SET_REG: see_set(front, cycle); break;
    case QSM_FRONT_SET_STORE: keep_setting(front, cycle); break;
    case QSM_FRONT_SLOT: find_slot(front, cycle); break;
    case QSM_FRONT_BIND: see_bind(front, cycle); break;
    case QSM_FRONT_LOAD: take_descriptor(front, cycle); break;
    case QSM_FRONT_LOOK: look(front, cycle); break;
    case QSM_FRONT_PRODUCT: multiply(front, cycle); break;
    case QSM_FRONT_START: see_start(front, cycle); break;
    case QSM_FRONT_FINISH: finish(front, cycle); break;
    case QSM_FRONT_STOP: stop(front, cycle); break;
    case QSM_FRONT_END: end(front, cycle); break;
    case QSM_FRONT_UNBIND: see_unbind(front, cycle); break;
    default: break;
  }
}

static uint64_t waits_fall_at(const struct qsm_front *front, uint64_t from) {
  return front->waits ? (from + WAITS_FALL - 1) / WAITS_FALL * WAITS_FALL : QSM_NEVER;
}

// The sequencer's next action.
static uint64_t acts_at(const struct qsm_front *front, uint64_t from) {
  const struct sequencer *seq = &front->seq;
  if (seq->state == QSM_FRONT_IDLE) return has_work(front) ? from : QSM_NEVER;
  if (seq->state == QSM_FRONT_SLOT && seq->at == QSM_NEVER)
    return engine_is_free(front) ? from : QSM_NEVER;
  return seq->at > from ? seq->at : from;
}

uint64_t qsm_front_next(const struct qsm_front *front, uint64_t from) {
  if (front->runs & ~qsm_tb_sched_busy(front->tb_sched)) return from;
  return qsm_earlier(acts_at(front, from), waits_fall_at(front, from));
}

// So many cycles after the sequencer's next action at the soonest it may write a register or set an
// interrupt. Most states can stop in the next cycle.
static uint32_t quiet_cycles(const struct qsm_front *front) {
  const struct sequencer *seq = &front->seq;
  switch (seq->state) {
    case QSM_FRONT_IDLE: return to_unbind(front) ? 1 : 1 + WRITE_DONE;
    case QSM_FRONT_ROW: return 5 - seq->step;
    case QSM_FRONT_FETCH: return seq->transfer.sent ? 2 : COMMAND_WORDS;
    case QSM_FRONT_FINISH: return 2 - seq->step;
    case QSM_FRONT_END: return seq->step < WRITE_DONE ? WRITE_DONE - seq->step : 0;
    case QSM_FRONT_STOP: return 0;
    default: return 1;
  }
}

// What happens within a window besides the sequencer's next action: a launch ends, which
// qsm_tb_sched_end_at() knows before, and waits fall; what follows from it begins two cycles later
// at the soonest.
uint64_t qsm_front_bound(const struct qsm_front *front, uint64_t from) {
  if (front->seq.asks) return from;
  uint64_t at = acts_at(front, from);
  if (at != QSM_NEVER) at += quiet_cycles(front);
  if (front->runs & ~qsm_tb_sched_busy(front->tb_sched)) return qsm_earlier(at, from + 2);
  uint64_t end_at = front->runs ? qsm_tb_sched_end_at(front->tb_sched) : QSM_NEVER;
  uint64_t wait_at = waits_fall_at(front, from);
  if (end_at != QSM_NEVER) at = qsm_earlier(at, end_at + 2);
  return wait_at == QSM_NEVER ? at : qsm_earlier(at, wait_at + 2);
}

// Decisions look at the flags of the cycle's start, so those that the sequencer and the clock set
// or clear in common are gathered.
void qsm_front_step(struct qsm_front *front, uint64_t cycle, bool host_has_table) {
  uint32_t runs = front->runs;
  front->acted = cycle;
  front->sets_waits = front->sets_irq = front->sets_stopped = 0;
  front->waits_fall = cycle % WAITS_FALL == 0;
  if (acts_at(front, cycle) == cycle) {
    if (host_has_table && needs_table(front->seq.state)) {
      front->seq.at = cycle + 1;
    } else {
      act(front, cycle);
    }
  }
  front->waits = (front->waits_fall ? 0 : front->waits) | front->sets_waits;
  front->irq |= front->sets_irq;
  front->stopped |= front->sets_stopped;
  see_ends(front, cycle, runs);
  note_change(front);
}

// ---- Registers ----

uint32_t qsm_front_read_word(const struct qsm_front *front, uint32_t c, enum qsm_row_word word) {
  return word >= QSM_ROW_GET && has(front->fresh, c) ? 0 : front->table[c][word];
}

uint32_t qsm_front_read_ctrl(const struct qsm_front *front, uint32_t c) {
  return (uint32_t)has(front->enabled, c) |
         (uint32_t)has(front->suspended, c) << QSM_CH_CTRL_SUSPEND_SHIFT |
         (uint32_t)has(front->held, c) << QSM_CH_CTRL_HOLD_SHIFT;
}

uint32_t qsm_front_read_state(const struct qsm_front *front, uint32_t c) {
  return (uint32_t)has(front->enabled, c) |
         (uint32_t)has(front->stopped, c) << QSM_PAGE_STATE_STOPPED_SHIFT |
         (uint32_t)has(front->suspended, c) << QSM_PAGE_STATE_SUSPENDED_SHIFT |
         (uint32_t)has(front->held, c) << QSM_PAGE_STATE_HELD_SHIFT |
         (uint32_t)has(front->pending | front->busy, c) << QSM_PAGE_STATE_BUSY_SHIFT |
         (uint32_t)has(front->fresh, c) << QSM_PAGE_STATE_FRESH_SHIFT;
}

uint32_t qsm_front_read_slot(const struct qsm_front *front, uint32_t k) {
  return front->slot[k].owner | (front->bound >> k & 1) << QSM_SLOT_CHANNEL_BOUND_SHIFT |
         (front->runs >> k & 1) << QSM_SLOT_CHANNEL_RUNS_SHIFT;
}

uint32_t qsm_front_irq(const struct qsm_front *front, uint32_t j) {
  return (uint32_t)(front->irq >> 32 * j);
}

bool qsm_front_interrupts(const struct qsm_front *front) { return front->irq != 0; }

uint32_t qsm_front_snap_engine(const struct qsm_front *front) { return front->snap.engine; }

uint64_t qsm_front_snap_cycle(const struct qsm_front *front) { return front->snap.cycle; }

uint32_t qsm_front_snap_busy(const struct qsm_front *front, uint32_t j) {
  return (uint32_t)(front->snap.busy >> 32 * j);
}

bool qsm_front_may_set(const struct qsm_front *front, uint32_t c) {
  return !has(front->enabled, c);
}

bool qsm_front_may_put(const struct qsm_front *front, uint32_t c) {
  return has(front->enabled & ~front->suspended & ~front->fresh, c);
}

void qsm_front_write_word(struct qsm_front *front, uint32_t c, enum qsm_row_word word,
                          uint32_t value) {
  front->table[c][word] = value;
  if (word == QSM_ROW_PUT) front->pending |= bit_of(c);
  note_change(front);
}

void qsm_front_note_slots(struct qsm_front *front) { note_change(front); }

static channel_set with(channel_set set, uint32_t c, bool in) {
  return in ? set | bit_of(c) : set & ~bit_of(c);
}

// R-FR-2. `cycle` has run: what it has set stays.
static void enable(struct qsm_front *front, uint64_t cycle, uint32_t c) {
  bool acted = front->acted == cycle;
  front->stopped &= ~bit_of(c) | (acted ? front->sets_stopped : 0);
  front->waits &= ~bit_of(c) | (acted ? front->sets_waits : 0);
  front->pending &= ~bit_of(c);
  front->fresh |= bit_of(c);
  if (front->seq.state == QSM_FRONT_CLEAR && front->seq.channel == c) front->seq.set_anew = true;
}

void qsm_front_write_ctrl(struct qsm_front *front, uint64_t cycle, uint32_t c, uint32_t value) {
  struct sequencer *seq = &front->seq;
  bool on = value & QSM_CH_CTRL_ENABLE_MASK;
  if (on && !has(front->enabled, c)) enable(front, cycle, c);
  if (!on) front->fresh &= ~bit_of(c);
  front->enabled = with(front->enabled, c, on);
  front->suspended = with(front->suspended, c, value & QSM_CH_CTRL_SUSPEND_MASK);
  front->held = with(front->held, c, value & QSM_CH_CTRL_HOLD_MASK);
  if (front->buffer_of == c) front->buffer_of = QSM_MAX_CMD;
  if (seq->state == QSM_FRONT_CONTEXT && seq->channel == c && seq->context_from <= cycle)
    seq->empties = true;
  note_change(front);
}

void qsm_front_clear_irq(struct qsm_front *front, uint64_t cycle, uint32_t j, uint32_t value) {
  channel_set sets_irq = front->acted == cycle ? front->sets_irq : 0;
  front->irq &= ~((channel_set)value << 32 * j) | sets_irq;
  note_change(front);
}

void qsm_front_take_snapshot(struct qsm_front *front, uint64_t cycle) {
  uint32_t engine = front->runs
                        ? front->slot[qsm_lowest(front->runs)].owner | QSM_REG_SNAP_ENGINE_BUSY_MASK
                        : front->last;
  front->snap =
      (struct snapshot){.cycle = cycle, .engine = engine, .busy = front->pending | front->busy};
}

// ---- Comparison ----

static uint32_t flags_of(const struct qsm_front *front, uint32_t c) {
  const channel_set flags[] = {front->enabled, front->stopped, front->suspended, front->held,
                               front->pending, front->waits,   front->busy,      front->irq};
  uint32_t value = 0;
  for (uint32_t i = 0; i < sizeof flags / sizeof *flags; i++)
    value |= (uint32_t)has(flags[i], c) << i;
  return value;
}

bool qsm_front_state(const struct qsm_front *front, uint32_t index, uint32_t word,
                     uint32_t *value) {
  enum { STATE, NEXT, FIRST_SLOT };
  uint32_t k = word - FIRST_SLOT;
  if (index < front->config->cmd_channels) {
    *value = flags_of(front, index);
    return word == 0;
  }
  if (index > front->config->cmd_channels) return false;
  switch (word) {
    case STATE: *value = front->seq.state; return true;
    case NEXT: *value = front->next; return true;
    default:
      if (k >= front->config->num_kernels) return false;
      *value = qsm_front_read_slot(front, k) | (front->ended >> k & 1) << 10;
      return true;
  }
}

int qsm_front_inject(struct qsm_front *front, uint64_t seed, char *what, size_t what_len) {
  if (!front->enabled) return -1;
  uint32_t c = qsm_first_sm_from(front->enabled, (uint32_t)(seed % front->config->cmd_channels));
  front->pending ^= bit_of(c);
  note_change(front);
  snprintf(what, what_len, "front: pending of channel %u", c);
  return 0;
}
