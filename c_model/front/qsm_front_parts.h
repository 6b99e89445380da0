// SPDX-License-Identifier: Apache-2.0
// The front end's state, and what its files do for each other; not for others (that is
// qsm_front.h). qsm_front.c has the channels, the slots' ends and the registers, qsm_front_seq.c
// the sequencer's states, qsm_front_mem.c its loads and stores, qsm_front_words.c the rules about
// what it has read, qsm_front_steps.c its register writes, qsm_front_watchdog.c the limits.
#ifndef QSM_FRONT_PARTS_H
#define QSM_FRONT_PARTS_H

#include "qsm_dma.h"
#include "qsm_front.h"
#include "qsm_regs.h"

enum {
  QSM_COMMAND_WORDS = 8,
  QSM_COMMAND_BYTES = 4 * QSM_COMMAND_WORDS,
  QSM_CONTEXT_WORDS = 32,
  QSM_DESCRIPTOR_WORDS = 16,
  QSM_DESCRIPTOR_BYTES = 4 * QSM_DESCRIPTOR_WORDS,

  QSM_OPCODE_MASK = 0xFF,  // of a command's word 0
  QSM_FLAG_IRQ = 1 << 8,
  QSM_FLAG_STAMP = 1 << 9,

  QSM_RIGHT_READ = 1,  // of a window
  QSM_RIGHT_WRITE = 2,
};

// Words of a context that are not only copied into registers.
enum {
  QSM_CONTEXT_CTX = 0,
  QSM_CONTEXT_WIN0 = 6,  // base, limit, rights
  QSM_CONTEXT_WIN1 = 9,
  QSM_CONTEXT_RIGHTS = 12,
  QSM_CONTEXT_HOST = 23,  // base, limit, rights of the host window
};

// Words of a descriptor that are not only copied into registers (R-FR-10).
enum {
  QSM_DESCRIPTOR_SHARED = 8,
  QSM_DESCRIPTOR_OWN = 9,
  QSM_DESCRIPTOR_SM_MASK = 10,  // three
  QSM_DESCRIPTOR_CACHE_POLICY = 13,
  QSM_DESCRIPTOR_SPARE = 14,  // and all behind it

  QSM_OWN_MASK = 1,  // bits of OWN
  QSM_OWN_POLICY = 2,
};

enum { QSM_NOWHERE = -1 };

typedef qsm_sm_set qsm_channel_set;

// A load or store, one access at a time (R-FR-8).
struct qsm_front_transfer {
  uint32_t addr;
  uint32_t *words;
  uint32_t n_words, n_done;
  bool sent;
};

// Of the command under way; what it holds means nothing to those after it but for channel and slot.
struct qsm_front_seq {
  enum qsm_front_state state;
  uint64_t at;  // cycle of the next action, QSM_NEVER: another tells; idle: the first such cycle
  uint32_t step;
  uint32_t channel, slot;
  bool has_turn, keeps_turn;  // R-FR-6: of next
  bool binding;               // R-FR-16: an unbind comes after a stop
  bool asks, refused, again;  // a register's write: due; its answer
  bool set_anew;              // CLEAR: fresh was; CHECK: pending
  bool empties;               // context: after the load, the buffer
  uint64_t context_from;      // first cycle of its load
  uint32_t ring, context, get, put;
  uint32_t opcode, flags, which, value, pattern;
  uint32_t stop_code, stop_word;
  uint32_t threads;
  uint32_t semaphore[4];
  uint64_t sum;         // COUNT's; of END and COPY_END, what goes to the words in hand
  uint64_t insns;       // of the launch that has ended
  bool goes_on;         // START: resumes
  bool reads_walk;      // a word of the walk comes from the table before it is written
  uint32_t walk;        // that word
  uint64_t counted;     // COUNT: the counter of its next step, see qsm_front_seq_counts_live()
  bool begins;          // START: in its first cycle
  uint32_t writes_own;  // START: own settings whose registers are written
  bool link;            // of a copy or fill
  struct qsm_front_transfer transfer;
};

struct qsm_front_slot {
  uint32_t owner;
  uint64_t since;          // first cycle that starts with runs
  uint64_t sm_base;        // SM-cycles before
  uint64_t time, sm_time;  // when it has ended
  uint64_t insn_base;
  uint32_t limit;
  uint32_t index;
  uint32_t own;  // R-FR-28, as the bits of OWN
  bool irq;
};

// The DMA engine's job.
struct qsm_front_job {
  bool copying, copied;
  uint32_t owner;
  uint64_t since;  // first cycle that starts with copying
  uint64_t time;   // when it has ended
  uint32_t index;
  uint32_t split;
  bool irq;
};

struct qsm_front_snapshot {
  uint64_t cycle;
  uint32_t engine;
  qsm_channel_set busy;
};

struct qsm_front {
  const struct qsm_config *config;
  const struct qsm_regs *regs;
  const struct qsm_tb_sched *tb_sched;
  struct qsm_xbar *xbar;
  const struct qsm_bus *bus;
  struct qsm_dma *dma;
  uint32_t line_bytes;
  bool active;
  bool sends;  // the sequencer has the crossbar's port in the cycle `acted`
  qsm_channel_set enabled, fresh, stopped, suspended, held, pending, waits, busy, irq;
  qsm_channel_set resumes;
  qsm_channel_set priority[2];  // its bits
  // At the end of the cycle `acted`.
  qsm_channel_set sets_waits, sets_irq;
  bool waits_fall;
  uint64_t acted;
  uint64_t last_open;  // R-FR-20; open cycles of an idle time count when it has ended
  uint32_t bound, runs, ended, overdue, kill_sent, yield_sent, old;  // bit per slot
  uint8_t next[4];                                                   // by priority
  uint32_t last;       // owner of the slot that ran last (R-FR-17)
  uint32_t buffer_of;  // whose the context buffer is, or no channel's number
  struct qsm_front_seq seq;
  struct qsm_front_slot slot[QSM_MAX_KERNELS];
  struct qsm_front_job job;
  struct qsm_front_snapshot snap;
  uint32_t context[QSM_CONTEXT_WORDS];
  uint32_t command[QSM_DESCRIPTOR_WORDS];
  uint32_t line[QSM_MEM_MAX_WORDS];
  uint32_t table[QSM_MAX_CMD][QSM_ROW_WORDS];
};

static inline qsm_channel_set qsm_channel_bit(uint32_t c) { return qsm_sm_bit(c); }

static inline bool qsm_has_channel(qsm_channel_set set, uint32_t c) { return qsm_has_sm(set, c); }

static inline uint32_t qsm_channel_priority(const struct qsm_front *front, uint32_t c) {
  return (uint32_t)qsm_has_channel(front->priority[0], c) |
         (uint32_t)qsm_has_channel(front->priority[1], c) << 1;
}

// ---- The sequencer (qsm_front_seq.c) ----

bool qsm_front_seq_has_work(const struct qsm_front *front);  // idle, it does not stay so
uint64_t qsm_front_seq_acts_at(const struct qsm_front *front, uint64_t from);
// R-FR-20: first cycle from `from` on in which waits fall, if the sequencer is idle and stays so.
uint64_t qsm_front_waits_fall_at(const struct qsm_front *front, uint64_t from);
// So many cycles after the next action at the soonest it may write a register or set an interrupt.
uint32_t qsm_front_seq_quiet(const struct qsm_front *front);
bool qsm_front_seq_needs_table(const struct qsm_front *front);  // of the next action, or flags
void qsm_front_seq_act(struct qsm_front *front, uint64_t cycle);
// The counters of a slot may change while it is counted, or until then: windows are one cycle.
bool qsm_front_seq_counts_live(const struct qsm_front *front);

// ---- Memory (qsm_front_mem.c) ----

// True if the load, or the store, ends with this cycle.
bool qsm_front_load(struct qsm_front *front, uint64_t cycle);
bool qsm_front_store(struct qsm_front *front, uint64_t cycle);

// ---- What was read (qsm_front_words.c) ----

static inline uint32_t qsm_ring_commands(uint32_t ring) {
  return 1u << (ring & QSM_CH_RING_LOG2_MASK);
}
// R-FR-7: the lowest word of the command buffer that is wrong, or QSM_NOWHERE.
int qsm_front_wrong_word(const struct qsm_front *front);
// `addr` is a multiple of `bytes`; of the window whose base is this word of the context.
bool qsm_front_in_window(const struct qsm_front *front, uint32_t base, uint32_t addr,
                         uint32_t bytes, uint32_t right);
bool qsm_front_descriptor_ok(const struct qsm_front *front);
// R-FR-10: likewise of a descriptor, which the command buffer has.
int qsm_front_wrong_descriptor(const struct qsm_front *front);
// R-FR-10: the setting that the descriptor has without the right to it, or QSM_NOWHERE.
int qsm_front_without_right(const struct qsm_front *front);
// R-FR-23: the lowest wrong word of a copy or fill, or QSM_NOWHERE; then *link is set.
int qsm_front_wrong_range(const struct qsm_front *front, bool *link);

// ---- Register writes (qsm_front_steps.c) ----

struct qsm_setting_rule {
  uint8_t word;    // of the context
  uint8_t right;   // bit of QSM_CONTEXT_RIGHTS
  uint8_t offset;  // of the register
};

const struct qsm_setting_rule *qsm_front_setting_of(uint32_t which);  // NULL: there is none
enum {
  QSM_BIND_STEPS = 23,
  QSM_START_WALK = 8,
  QSM_START_DERIVED = 11,
  QSM_START_OWN = 15,  // the mask, then the policy: R-FR-28
  QSM_START_IRQ = 19,
  QSM_START_STEPS = 21
};
uint32_t qsm_front_bind_offset(uint32_t step);
uint32_t qsm_front_start_offset(uint32_t step);
// The first step of START from this one on that writes, where own settings with these bits are
// written.
uint32_t qsm_front_start_step(uint32_t from, uint32_t writes_own);

// ---- Limits (qsm_front_watchdog.c) ----

// `runs`: of the start of the cycle.
void qsm_front_watch(struct qsm_front *front, uint64_t cycle, uint32_t runs);
uint64_t qsm_front_watches_at(const struct qsm_front *front,
                              uint64_t from);               // something is overdue
uint32_t qsm_front_to_kill(const struct qsm_front *front);  // slots whose KILL is due

#endif
