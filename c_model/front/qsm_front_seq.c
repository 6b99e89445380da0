// SPDX-License-Identifier: Apache-2.0
// The sequencer of the front end: one command after the other (docs/front.md).
#include <string.h>

#include "qsm_front_parts.h"

#define COUNTER_MASK ((UINT64_C(1) << 48) - 1)
#define INSN_MASK ((UINT64_C(1) << 40) - 1)

enum { PRODUCT_CYCLES = 22, RANGE_CYCLES = 6 };
enum { WAITS_FALL = 1024 };  // R-FR-20

// ---- The sequencer goes on ----

// From the cycle after this one on it is in a state, whose first action is in its first cycle.
static void enter(struct qsm_front *front, uint64_t cycle, enum qsm_front_state state) {
  struct qsm_front_seq *seq = &front->seq;
  seq->state = state;
  seq->step = 0;
  seq->at = cycle + 1;
  const uint32_t words[] = {state, seq->channel, seq->slot};
  qsm_bus_report(front->bus, cycle, QSM_EV_CHANNEL, 0, 3, words);
}

// ---- Waits and open cycles (R-FR-20) ----

static void wake_waiting(struct qsm_front *front) { front->waits_fall = true; }

static uint64_t first_multiple_after(uint64_t cycle) {
  return (cycle / WAITS_FALL + 1) * WAITS_FALL;
}

// The last open cycle before `cycle`, which follows none but idle ones without a choice since
// seq.at, if the sequencer is idle. Nobody counts those while they pass.
static uint64_t last_open_before(const struct qsm_front *front, uint64_t cycle) {
  return cycle > front->seq.at ? cycle - 1 : front->last_open;
}

uint64_t qsm_front_waits_fall_at(const struct qsm_front *front, uint64_t from) {
  if (!front->waits || front->seq.state != QSM_FRONT_IDLE || qsm_front_seq_has_work(front))
    return QSM_NEVER;
  uint64_t at = first_multiple_after(last_open_before(front, from));
  return at > from ? at : from;
}

static void move_turn(struct qsm_front *front, uint64_t cycle) {
  uint32_t c = front->seq.channel;
  front->next[qsm_channel_priority(front, c)] = (uint8_t)((c + 1) % front->config->cmd_channels);
  if (first_multiple_after(front->last_open) <= cycle) wake_waiting(front);
  front->last_open = cycle;
}

// ---- Back to idle ----

static void enter_idle(struct qsm_front *front, uint64_t cycle) {
  if (front->seq.has_turn && !front->seq.keeps_turn) move_turn(front, cycle);
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
  front->seq.at = QSM_NEVER;
}

static void enter_transfer(struct qsm_front *front, uint64_t cycle, enum qsm_front_state state,
                           uint32_t addr, uint32_t *words, uint32_t n_words) {
  front->seq.transfer =
      (struct qsm_front_transfer){.addr = addr, .words = words, .n_words = n_words};
  enter(front, cycle, state);
}

static void enter_count(struct qsm_front *front, uint64_t cycle) {
  front->seq.sum = 0;
  enter(front, cycle, QSM_FRONT_COUNT);
}

// Nothing of the channel can be done now. `keeps_turn`: a slot or the engine is taken.
static void enter_waiting(struct qsm_front *front, uint64_t cycle, bool keeps_turn) {
  front->sets_waits |= qsm_channel_bit(front->seq.channel);
  front->seq.keeps_turn = keeps_turn;
  enter_idle(front, cycle);
}

static void raise_irq(struct qsm_front *front, uint32_t c) {
  front->sets_irq |= qsm_channel_bit(c);
}

static void stop_channel(struct qsm_front *front, uint32_t c) {
  front->stopped |= qsm_channel_bit(c);
  front->resumes &= ~qsm_channel_bit(c);
  raise_irq(front, c);
}

// ---- Idle (R-FR-4, R-FR-5) ----

static qsm_channel_set eligible(const struct qsm_front *front) {
  return front->enabled & front->pending &
         ~(front->fresh | front->stopped | front->held | front->busy | front->waits);
}

// Of those of the highest priority that is there.
static uint32_t first_of(const struct qsm_front *front, qsm_channel_set channels) {
  for (uint32_t bit = 2; bit-- > 0;)
    if (channels & front->priority[bit]) channels &= front->priority[bit];
  return qsm_first_sm_from(channels,
                           front->next[qsm_channel_priority(front, qsm_lowest_sm(channels))]);
}

static uint32_t to_unbind(const struct qsm_front *front) {
  uint32_t slots = 0;
  for (uint32_t left = front->bound & ~front->runs; left; left &= left - 1) {
    uint32_t k = qsm_lowest(left);
    bool may_stay = qsm_has_channel(front->enabled, front->slot[k].owner) &&
                    qsm_has_sm(front->regs->front_slots, k);
    slots |= (uint32_t)!may_stay << k;
  }
  return slots;
}

static void take_slot(struct qsm_front *front, uint32_t k) {
  front->seq.slot = k;
  front->seq.channel = front->slot[k].owner;
}

static void choose(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  uint32_t slots = to_unbind(front);
  qsm_channel_set channels = eligible(front);
  front->last_open = last_open_before(front, cycle);
  seq->has_turn = seq->keeps_turn = seq->binding = false;
  if (front->ended) {
    take_slot(front, qsm_lowest(front->ended));
    enter_count(front, cycle);
  } else if (front->job.copied) {
    seq->channel = front->job.owner;
    enter(front, cycle, QSM_FRONT_COPY_END);
  } else if (front->fresh) {
    seq->channel = qsm_lowest_sm(front->fresh);
    seq->set_anew = false;
    enter(front, cycle, QSM_FRONT_CLEAR);
  } else if (slots) {
    take_slot(front, qsm_lowest(slots));
    enter_writes(front, cycle, QSM_FRONT_UNBIND);
  } else if (channels) {
    seq->channel = first_of(front, channels);
    seq->has_turn = true;
    enter(front, cycle, QSM_FRONT_ROW);
  }
}

bool qsm_front_seq_has_work(const struct qsm_front *front) {
  return front->ended || front->job.copied || front->fresh || to_unbind(front) || eligible(front);
}

// ---- A command, up to what it does ----

static void clear(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  uint32_t word = QSM_ROW_GET + seq->step++;
  front->table[seq->channel][word] = 0;
  seq->at = cycle + 1;
  if (word != QSM_ROW_COPY_HI) return;
  wake_waiting(front);
  if (!seq->set_anew) front->fresh &= ~qsm_channel_bit(seq->channel);
  front->resumes &= ~qsm_channel_bit(seq->channel);
  for (uint32_t k = 0; k < front->config->num_kernels; k++)
    if (front->slot[k].owner == seq->channel) front->old |= 1u << k;
  enter_idle(front, cycle);
}

static void read_row(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  uint32_t *to[] = {&seq->ring, &seq->context, &seq->get, &seq->put};
  *to[seq->step] = front->table[seq->channel][QSM_ROW_RING + seq->step];
  seq->at = cycle + 1;
  seq->set_anew = false;
  if (++seq->step == 4) enter(front, cycle, QSM_FRONT_CHECK);
}

static void check_row(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  uint32_t n = qsm_ring_commands(seq->ring);
  if (seq->get >= n || seq->put >= n) {
    enter_stop(front, cycle, QSM_STOP_BAD_PUT, 0);
  } else if (seq->get == seq->put && !qsm_has_channel(front->resumes, seq->channel)) {
    if (!seq->set_anew) front->pending &= ~qsm_channel_bit(seq->channel);
    enter_idle(front, cycle);
  } else {
    uint32_t addr = (seq->ring & QSM_CH_RING_BASE_MASK) + QSM_COMMAND_BYTES * seq->get;
    enter_transfer(front, cycle, QSM_FRONT_FETCH, addr, front->command, QSM_COMMAND_WORDS);
  }
}

// With the context in the buffer.
static void begin_command(struct qsm_front *front, uint64_t cycle) {
  switch (front->seq.opcode) {
    case QSM_CMD_LAUNCH: enter(front, cycle, QSM_FRONT_SLOT); break;
    case QSM_CMD_SET: enter(front, cycle, QSM_FRONT_SET); break;
    case QSM_CMD_COPY:
    case QSM_CMD_FILL:
      enter(front, cycle, QSM_FRONT_RANGE);
      front->seq.at = cycle + RANGE_CYCLES;
      break;
    default: enter(front, cycle, QSM_FRONT_ADDRESS); break;
  }
}

static void decode(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  const uint32_t *command = front->command;
  const uint32_t words[] = {seq->channel, seq->get, command[0], command[1], command[2]};
  qsm_bus_report(front->bus, cycle, QSM_EV_COMMAND, 0, 5, words);
  int wrong = qsm_front_wrong_word(front);
  seq->opcode = command[0] & QSM_OPCODE_MASK;
  seq->flags = command[0];
  seq->which = command[1];
  seq->value = command[2];
  if (wrong != QSM_NOWHERE) {
    enter_stop(front, cycle, QSM_STOP_BAD_COMMAND, (uint32_t)wrong);
  } else if (seq->opcode == QSM_CMD_NOP) {
    enter(front, cycle, QSM_FRONT_FINISH);
  } else if (front->buffer_of == seq->channel) {
    begin_command(front, cycle);
  } else {
    front->buffer_of = QSM_MAX_CMD;
    seq->empties = false;
    seq->context_from = cycle + 1;
    enter_transfer(front, cycle, QSM_FRONT_CONTEXT, seq->context, front->context,
                   QSM_CONTEXT_WORDS);
  }
}

static void load_context(struct qsm_front *front, uint64_t cycle) {
  if (!qsm_front_load(front, cycle)) return;
  front->buffer_of = front->seq.empties ? QSM_MAX_CMD : front->seq.channel;
  begin_command(front, cycle);
}

// Launches, copies and fills end later than their commands.
static bool is_done_when_finished(uint32_t opcode) {
  return opcode != QSM_CMD_LAUNCH && opcode != QSM_CMD_COPY && opcode != QSM_CMD_FILL;
}

static void finish(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  uint32_t *row = front->table[seq->channel];
  seq->at = cycle + 1;
  switch (seq->step++) {
    case 0:
      row[QSM_ROW_GET] = (seq->get + 1) & (qsm_ring_commands(seq->ring) - 1);
      front->resumes &= ~qsm_channel_bit(seq->channel);
      if (is_done_when_finished(seq->opcode)) break;
      front->busy |= qsm_channel_bit(seq->channel);
      enter_idle(front, cycle);
      break;
    case 1: break;  // DONE is read
    default:
      row[QSM_ROW_DONE]++;
      if (seq->flags & QSM_FLAG_IRQ) raise_irq(front, seq->channel);
      if (seq->opcode == QSM_CMD_RELEASE) wake_waiting(front);
      enter_idle(front, cycle);
      break;
  }
}

static void stop(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
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

// ---- Semaphores and settings ----

// What an acquire looks at, or a release writes (R-FR-9).
static void check_address(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  bool release = seq->opcode == QSM_CMD_RELEASE;
  uint32_t addr = seq->which, n_words = release && (seq->flags & QSM_FLAG_STAMP) ? 4 : 1;
  uint32_t right = release ? QSM_RIGHT_WRITE : QSM_RIGHT_READ;
  uint64_t sent = cycle + 1;
  if (addr % (4 * n_words) ||
      !qsm_front_in_window(front, QSM_CONTEXT_WIN1, addr, 4 * n_words, right)) {
    enter_stop(front, cycle, QSM_STOP_BAD_ADDRESS, 1);
    return;
  }
  const uint32_t words[] = {seq->value, 0, (uint32_t)sent, (uint32_t)(sent >> 32)};
  memcpy(seq->semaphore, words, sizeof words);
  enter_transfer(front, cycle, QSM_FRONT_ACCESS, addr, seq->semaphore, n_words);
}

static void access_semaphore(struct qsm_front *front, uint64_t cycle) {
  if (front->seq.opcode == QSM_CMD_RELEASE) {
    if (qsm_front_store(front, cycle)) enter(front, cycle, QSM_FRONT_FINISH);
  } else {
    if (qsm_front_load(front, cycle)) enter(front, cycle, QSM_FRONT_COMPARE);
  }
}

static void compare(struct qsm_front *front, uint64_t cycle) {
  const struct qsm_front_seq *seq = &front->seq;
  if ((int32_t)(seq->semaphore[0] - seq->value) >= 0) {
    enter(front, cycle, QSM_FRONT_FINISH);
  } else {
    enter_waiting(front, cycle, false);
  }
}

static uint32_t bound_to(const struct qsm_front *front, uint32_t c) {
  uint32_t slots = 0;
  for (uint32_t left = front->bound; left; left &= left - 1)
    if (front->slot[qsm_lowest(left)].owner == c) slots |= left & -left;
  return slots;
}

static void store_setting(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  uint32_t addr = seq->context + 4u * qsm_front_setting_of(seq->which)->word;
  enter_transfer(front, cycle, QSM_FRONT_SET_STORE, addr, &seq->value, 1);
}

static void check_setting(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  const struct qsm_setting_rule *setting = qsm_front_setting_of(seq->which);
  uint32_t slots = bound_to(front, seq->channel);
  if (!setting || !(front->context[QSM_CONTEXT_RIGHTS] >> setting->right & 1)) {
    enter_stop(front, cycle, QSM_STOP_NO_RIGHT, seq->which & 0xFF);
  } else if (slots) {
    seq->slot = qsm_lowest(slots);
    enter_writes(front, cycle, QSM_FRONT_SET_REG);
  } else {
    store_setting(front, cycle);
  }
}

static void see_set(struct qsm_front *front, uint64_t cycle) {
  if (front->seq.refused) {
    enter_stop(front, cycle, QSM_STOP_REFUSED, qsm_front_setting_of(front->seq.which)->offset);
  } else {
    store_setting(front, cycle);
  }
}

static void keep_setting(struct qsm_front *front, uint64_t cycle) {
  const struct qsm_front_seq *seq = &front->seq;
  if (!qsm_front_store(front, cycle)) return;
  front->context[qsm_front_setting_of(seq->which)->word] = seq->value;
  enter(front, cycle, QSM_FRONT_FINISH);
}

// ---- Launches (R-FR-11) ----

static void load_descriptor(struct qsm_front *front, uint64_t cycle) {
  enter_transfer(front, cycle, QSM_FRONT_LOAD, front->seq.which, front->command,
                 QSM_DESCRIPTOR_WORDS);
}

// R-FR-26: slots that the command under way may take back, those of the lowest priority.
static uint32_t to_take_back(const struct qsm_front *front) {
  uint32_t own = qsm_channel_priority(front, front->seq.channel);
  if (!(front->regs->front_mode & QSM_REG_FRONT_MODE_TAKE_BACK_MASK)) return 0;
  for (uint32_t priority = 0; priority < own; priority++) {
    uint32_t slots = 0;
    for (uint32_t left = front->runs & (uint32_t)front->regs->front_slots; left; left &= left - 1)
      if (qsm_channel_priority(front, front->slot[qsm_lowest(left)].owner) == priority)
        slots |= left & -left;
    if (slots) return slots;
  }
  return 0;
}

static void take_back(struct qsm_front *front, uint64_t cycle, uint32_t k) {
  if (front->yield_sent >> k & 1) {
    enter_waiting(front, cycle, true);
    return;
  }
  front->seq.slot = k;
  enter_writes(front, cycle, QSM_FRONT_YIELD);
}

static void see_yield(struct qsm_front *front, uint64_t cycle) {
  uint32_t k = front->seq.slot;
  front->yield_sent |= 1u << k;
  enter_waiting(front, cycle, true);
}

static void choose_slot(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
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
  } else if (to_take_back(front)) {
    take_back(front, cycle, qsm_lowest(to_take_back(front)));
  } else {
    enter_waiting(front, cycle, true);
  }
}

static bool is_concurrent(const struct qsm_front *front) {
  return front->regs->front_mode & QSM_REG_FRONT_MODE_CONCURRENT_MASK;
}

static bool compute_is_free(const struct qsm_front *front) {
  return is_concurrent(front) || !front->runs;
}

static void find_slot(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  if (seq->step++ == 0 && !qsm_front_descriptor_ok(front)) {
    enter_stop(front, cycle, QSM_STOP_BAD_ADDRESS, 1);
  } else if (compute_is_free(front)) {
    choose_slot(front, cycle);
  } else if (to_take_back(front)) {
    take_back(front, cycle, qsm_lowest(to_take_back(front)));
  } else {
    seq->at = QSM_NEVER;
  }
}

static void ask_for(struct qsm_front *front, uint32_t step) {
  front->seq.step = step;
  front->seq.asks = true;
  front->seq.at = QSM_NEVER;
}

static void see_bind(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  uint32_t offset = qsm_front_bind_offset(seq->step), bit = 1u << seq->slot;
  if (seq->step == 0) front->bound &= ~bit;
  if (seq->refused) {
    enter_stop(front, cycle, QSM_STOP_REFUSED, offset);
    return;
  }
  if (seq->step && offset == QSM_SLOT_CTX) {
    front->bound |= bit;
    front->slot[seq->slot].owner = seq->channel;
  }
  if (seq->step + 1 == QSM_BIND_STEPS) {
    front->slot[seq->slot].own = 0;
    enter_count(front, cycle);
  } else {
    ask_for(front, seq->step + 1);
  }
}

static void take_descriptor(struct qsm_front *front, uint64_t cycle) {
  if (qsm_front_load(front, cycle)) enter(front, cycle, QSM_FRONT_LOOK);
}

static void look(struct qsm_front *front, uint64_t cycle) {
  int wrong = qsm_front_wrong_descriptor(front), setting = qsm_front_without_right(front);
  if (wrong != QSM_NOWHERE) {
    enter_stop(front, cycle, QSM_STOP_BAD_LAUNCH, (uint32_t)wrong);
  } else if (setting != QSM_NOWHERE) {
    enter_stop(front, cycle, QSM_STOP_NO_RIGHT, (uint32_t)setting);
  } else {
    enter(front, cycle, QSM_FRONT_PRODUCT);
    front->seq.at = cycle + PRODUCT_CYCLES;
  }
}

static void multiply(struct qsm_front *front, uint64_t cycle) {
  const uint32_t *block = &front->command[5], low = (1u << 11) - 1;
  front->seq.threads = (block[0] & low) * (block[1] & low) * (block[2] & low);
  enter(front, cycle, QSM_FRONT_LIMIT);
}

static void read_limit(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  front->slot[seq->slot].limit = front->table[seq->channel][QSM_ROW_LIMIT];
  seq->goes_on = qsm_has_channel(front->resumes, seq->channel);
  enter_writes(front, cycle, QSM_FRONT_START);
  seq->begins = true;
  seq->writes_own = front->slot[seq->slot].own | front->command[QSM_DESCRIPTOR_OWN];
  seq->at = cycle + 1;
}

static void begin_launch(struct qsm_front *front, uint64_t cycle) {
  const struct qsm_front_seq *seq = &front->seq;
  struct qsm_front_slot *slot = &front->slot[seq->slot];
  uint32_t bit = 1u << seq->slot;
  front->runs |= bit;
  front->overdue &= ~bit;
  front->kill_sent &= ~bit;
  front->yield_sent &= ~bit;
  front->old &= ~bit;
  slot->since = cycle + 1;
  slot->sm_base = qsm_tb_sched_sm_cycles(front->tb_sched, cycle + 1, seq->slot);
  slot->index = seq->get;
  slot->irq = seq->flags & QSM_FLAG_IRQ;
  slot->own = front->command[QSM_DESCRIPTOR_OWN];
  enter(front, cycle, QSM_FRONT_FINISH);
}

// The words of the walk are in the order of their registers.
static void read_walk(struct qsm_front *front) {
  struct qsm_front_seq *seq = &front->seq;
  seq->reads_walk = false;
  seq->walk = front->table[seq->channel][QSM_ROW_WALK_XY + seq->step - QSM_START_WALK];
  ask_for(front, seq->step);
}

static bool is_of_walk(uint32_t step) { return step >= QSM_START_WALK && step < QSM_START_DERIVED; }

static void see_start(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  uint32_t next = qsm_front_start_step(seq->step + 1, seq->writes_own);
  if (seq->begins) {  // the answer is still to come
    seq->begins = false;
    seq->at = QSM_NEVER;
    front->slot[seq->slot].own = seq->writes_own;
  } else if (seq->reads_walk) {
    read_walk(front);
  } else if (seq->refused) {
    enter_stop(front, cycle, QSM_STOP_REFUSED, qsm_front_start_offset(seq->step));
  } else if (is_of_walk(next) && seq->goes_on) {
    seq->step = next;
    seq->reads_walk = true;
    seq->at = cycle + 1;
  } else if (next < QSM_START_STEPS) {
    seq->walk = 0;
    ask_for(front, next);
  } else {
    begin_launch(front, cycle);
  }
}

static void see_unbind(struct qsm_front *front, uint64_t cycle) {
  front->bound &= ~(1u << front->seq.slot);
  enter_idle(front, cycle);
}

// ---- Copies (R-FR-23) ----

static void check_range(struct qsm_front *front, uint64_t cycle) {
  int wrong = qsm_front_wrong_range(front, &front->seq.link);
  if (wrong == QSM_NOWHERE) {
    enter(front, cycle, QSM_FRONT_ENGINE);
  } else {
    enter_stop(front, cycle, QSM_STOP_BAD_ADDRESS, (uint32_t)wrong);
  }
}

static bool copies_may_wait(const struct qsm_front *front) {
  return !is_concurrent(front) && front->job.copying;
}

static void begin_copy(struct qsm_front *front, uint64_t cycle) {
  const struct qsm_front_seq *seq = &front->seq;
  const uint32_t *command = front->command;
  bool fill = seq->opcode == QSM_CMD_FILL;
  const struct qsm_dma_job job = {.fill = fill,
                                  .link = seq->link,
                                  .src = fill ? 0 : command[1],
                                  .dst = command[fill ? 1 : 2],
                                  .n_bytes = command[fill ? 2 : 3],
                                  .pattern = fill ? command[3] : 0};
  front->job = (struct qsm_front_job){
      .copying = true,
      .owner = seq->channel,
      .since = cycle + 1,
      .index = seq->get,
      .split = (seq->ring & QSM_CH_RING_SPLIT_MASK) >> QSM_CH_RING_SPLIT_SHIFT,
      .irq = seq->flags & QSM_FLAG_IRQ};
  qsm_dma_start(front->dma, cycle, &job);
  enter(front, cycle, QSM_FRONT_FINISH);
}

static void find_engine(struct qsm_front *front, uint64_t cycle) {
  if (copies_may_wait(front)) {
    front->seq.at = QSM_NEVER;
  } else if (front->job.copying || front->job.copied) {
    enter_waiting(front, cycle, true);
  } else {
    begin_copy(front, cycle);
  }
}

// ---- Ends ----

bool qsm_front_seq_counts_live(const struct qsm_front *front) {
  uint32_t slots = front->ended;
  if (front->seq.state == QSM_FRONT_COUNT) slots |= 1u << front->seq.slot;
  return slots & qsm_tb_sched_busy(front->tb_sched);
}

void qsm_front_look(struct qsm_front *front) {
  struct qsm_front_seq *seq = &front->seq;
  if (seq->state == QSM_FRONT_COUNT)
    seq->counted = front->bus->insns(front->bus->ctx, seq->step, seq->slot);
}

// R-FR-22. The SMs have run the window already: what they count for a slot that is not busy stays;
// of one that is, what they had before the window counts, whose only cycle this is.
static void count(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  struct qsm_front_slot *slot = &front->slot[seq->slot];
  bool live = qsm_tb_sched_busy(front->tb_sched) >> seq->slot & 1;
  seq->sum += live ? seq->counted : front->bus->insns(front->bus->ctx, seq->step, seq->slot);
  seq->at = cycle + 1;
  if (++seq->step < front->config->num_sms) return;
  uint64_t sum = seq->sum & INSN_MASK;
  seq->insns = (sum - slot->insn_base) & INSN_MASK;
  slot->insn_base = sum;
  if (seq->binding) {
    load_descriptor(front, cycle);
  } else {
    enter(front, cycle, QSM_FRONT_END);
  }
}

// A counter of 48 bits has a low word, of even number, and a high one, which is written after it.
static void add_to_word(struct qsm_front *front, uint32_t word, uint64_t amount) {
  struct qsm_front_seq *seq = &front->seq;
  uint32_t *row = front->table[seq->channel];
  if (word == QSM_ROW_DONE) {
    row[word]++;
  } else if (word % 2 == 0) {
    seq->sum = ((row[word] | (uint64_t)row[word + 1] << 32) + amount) & COUNTER_MASK;
    row[word] = (uint32_t)seq->sum;
  } else {
    row[word] = (uint32_t)(seq->sum >> 32);
  }
}

static void end_command(struct qsm_front *front, uint64_t cycle, bool irq) {
  front->busy &= ~qsm_channel_bit(front->seq.channel);
  wake_waiting(front);
  if (irq) raise_irq(front, front->seq.channel);
  enter_idle(front, cycle);
}

static void end_launch(struct qsm_front *front, uint64_t cycle) {
  front->ended &= ~(1u << front->seq.slot);
  end_command(front, cycle, front->slot[front->seq.slot].irq);
}

static uint32_t error_of_launch(const struct qsm_front *front) {
  uint32_t k = front->seq.slot;
  bool timeout = front->overdue >> k & 1;
  uint32_t cause = timeout ? QSM_CAUSE_HOST : qsm_tb_sched_record(front->tb_sched, k)->cause;
  return (timeout ? QSM_STOP_TIMEOUT : QSM_STOP_FAULT) | cause << QSM_CH_ERROR_WORD_SHIFT |
         front->slot[k].index << QSM_CH_ERROR_INDEX_SHIFT;
}

static const uint8_t end_words[] = {QSM_ROW_BUSY_LO, QSM_ROW_BUSY_HI, QSM_ROW_SM_LO, QSM_ROW_SM_HI,
                                    QSM_ROW_INSN_LO, QSM_ROW_INSN_HI, QSM_ROW_DONE};
static const uint8_t copy_end_words[] = {QSM_ROW_COPY_LO, QSM_ROW_COPY_HI, QSM_ROW_DONE};

// Each word is read and then written. Of a launch that has yielded others are written in DONE's
// place.
enum {
  END_STEPS = 2 * sizeof end_words,
  END_DONE = END_STEPS - 2,
  END_YIELDED = END_STEPS + 1,
  END_LOOK = END_YIELDED + 4,  // after the counters: which of both?
  COPY_END_STEPS = 2 * sizeof copy_end_words
};

static bool has_yielded(const struct qsm_front *front) {
  uint32_t yielded = qsm_tb_sched_yielded(front->tb_sched) & ~qsm_tb_sched_killed(front->tb_sched);
  return yielded & front->yield_sent & ~front->old & 1u << front->seq.slot;
}

// The command comes again, and goes on from there.
static void end_yielded(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  const struct qsm_walk *walk = qsm_tb_sched_walk(front->tb_sched, seq->slot);
  uint32_t *row = front->table[seq->channel];
  switch (seq->step++ - END_YIELDED) {
    case 0: row[QSM_ROW_GET] = front->slot[seq->slot].index; break;
    case 1: row[QSM_ROW_WALK_XY] = walk->at[0] | walk->at[1] << QSM_SLOT_WALK_XY_Y_SHIFT; break;
    case 2: row[QSM_ROW_WALK_Z] = walk->at[2]; break;
    default:
      row[QSM_ROW_WALK_LINEAR] = walk->linear;
      front->pending |= qsm_channel_bit(seq->channel);
      front->resumes |= qsm_channel_bit(seq->channel);
      front->ended &= ~(1u << seq->slot);
      end_command(front, cycle, false);
      break;
  }
}

// R-FR-14, second half.
static void end(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  const struct qsm_front_slot *slot = &front->slot[seq->slot];
  const uint64_t amounts[] = {slot->time, slot->sm_time, seq->insns, 0};
  seq->at = cycle + 1;
  if (seq->step == END_LOOK) seq->step = has_yielded(front) ? END_YIELDED : END_DONE;
  if (seq->step >= END_YIELDED) {
    end_yielded(front, cycle);
    return;
  }
  uint32_t step = seq->step++;
  if (step == END_STEPS) {
    front->table[seq->channel][QSM_ROW_ERROR] = error_of_launch(front);
    stop_channel(front, seq->channel);
    end_launch(front, cycle);
    return;
  }
  if (step % 2) add_to_word(front, end_words[step / 2], amounts[step / 4]);
  if (step == END_DONE - 1) seq->step = END_LOOK;
  if (step == END_STEPS - 1 && !(qsm_tb_sched_killed(front->tb_sched) >> seq->slot & 1))
    end_launch(front, cycle);
}

// R-FR-24, likewise.
static void end_copy(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_seq *seq = &front->seq;
  uint32_t step = seq->step++;
  seq->at = cycle + 1;
  if (step % 2) add_to_word(front, copy_end_words[step / 2], front->job.time);
  if (step != COPY_END_STEPS - 1) return;
  front->job.copied = false;
  end_command(front, cycle, front->job.irq);
}

// ---- A cycle ----

bool qsm_front_seq_needs_table(const struct qsm_front *front) {
  switch (front->seq.state) {
    case QSM_FRONT_START: return front->seq.reads_walk;
    case QSM_FRONT_CLEAR:
    case QSM_FRONT_ROW:
    case QSM_FRONT_CHECK:
    case QSM_FRONT_LIMIT:
    case QSM_FRONT_FINISH:
    case QSM_FRONT_STOP:
    case QSM_FRONT_COPY_END:
    case QSM_FRONT_END: return true;
    default: return false;
  }
}

void qsm_front_seq_act(struct qsm_front *front, uint64_t cycle) {
  if (front->seq.again) {  // R-FR-11: the register's write
    front->seq.again = false;
    ask_for(front, front->seq.step);
    return;
  }
  switch (front->seq.state) {
    case QSM_FRONT_IDLE: choose(front, cycle); break;
    case QSM_FRONT_COUNT: count(front, cycle); break;
    case QSM_FRONT_END: end(front, cycle); break;
    case QSM_FRONT_COPY_END: end_copy(front, cycle); break;
    case QSM_FRONT_CLEAR: clear(front, cycle); break;
    case QSM_FRONT_UNBIND: see_unbind(front, cycle); break;
    case QSM_FRONT_ROW: read_row(front, cycle); break;
    case QSM_FRONT_CHECK: check_row(front, cycle); break;
    case QSM_FRONT_FETCH:
      if (qsm_front_load(front, cycle)) enter(front, cycle, QSM_FRONT_DECODE);
      break;
    case QSM_FRONT_DECODE: decode(front, cycle); break;
    case QSM_FRONT_CONTEXT: load_context(front, cycle); break;
    case QSM_FRONT_SLOT: find_slot(front, cycle); break;
    case QSM_FRONT_BIND: see_bind(front, cycle); break;
    case QSM_FRONT_LOAD: take_descriptor(front, cycle); break;
    case QSM_FRONT_LOOK: look(front, cycle); break;
    case QSM_FRONT_PRODUCT: multiply(front, cycle); break;
    case QSM_FRONT_LIMIT: read_limit(front, cycle); break;
    case QSM_FRONT_START: see_start(front, cycle); break;
    case QSM_FRONT_YIELD: see_yield(front, cycle); break;
    case QSM_FRONT_RANGE: check_range(front, cycle); break;
    case QSM_FRONT_ENGINE: find_engine(front, cycle); break;
    case QSM_FRONT_ADDRESS: check_address(front, cycle); break;
    case QSM_FRONT_ACCESS: access_semaphore(front, cycle); break;
    case QSM_FRONT_COMPARE: compare(front, cycle); break;
    case QSM_FRONT_SET: check_setting(front, cycle); break;
    case QSM_FRONT_SET_REG: see_set(front, cycle); break;
    case QSM_FRONT_SET_STORE: keep_setting(front, cycle); break;
    case QSM_FRONT_FINISH: finish(front, cycle); break;
    case QSM_FRONT_STOP: stop(front, cycle); break;
    default: break;
  }
}

uint64_t qsm_front_seq_acts_at(const struct qsm_front *front, uint64_t from) {
  const struct qsm_front_seq *seq = &front->seq;
  if (seq->state == QSM_FRONT_IDLE) return qsm_front_seq_has_work(front) ? from : QSM_NEVER;
  if (seq->at == QSM_NEVER) {
    bool goes_on =
        (seq->state == QSM_FRONT_SLOT && (compute_is_free(front) || to_take_back(front))) ||
        (seq->state == QSM_FRONT_ENGINE && !copies_may_wait(front));
    return goes_on ? from : QSM_NEVER;
  }
  return seq->at > from ? seq->at : from;
}

// Most states can stop in the next cycle.
uint32_t qsm_front_seq_quiet(const struct qsm_front *front) {
  const struct qsm_front_seq *seq = &front->seq;
  switch (seq->state) {
    case QSM_FRONT_IDLE: return to_unbind(front) ? 1 : COPY_END_STEPS;
    case QSM_FRONT_COUNT: return front->config->num_sms - seq->step;
    case QSM_FRONT_ROW: return 5 - seq->step;
    case QSM_FRONT_FETCH: return seq->transfer.sent ? 2 : QSM_COMMAND_WORDS;
    case QSM_FRONT_FINISH: return 2 - seq->step;
    case QSM_FRONT_END: return seq->step < END_STEPS - 1 ? END_STEPS - 1 - seq->step : 0;
    case QSM_FRONT_COPY_END: return COPY_END_STEPS - 1 - seq->step;
    case QSM_FRONT_STOP: return 0;
    default: return 1;
  }
}
