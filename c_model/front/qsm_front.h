// SPDX-License-Identifier: Apache-2.0
// The front end of command channels (docs/front.md, R-FR): the channel table, the sequencer that
// does one command after the other, which slot runs a launch of whom, and the DMA engine with its
// job. Register writes of the sequencer and of the watchdog are the caller's to make, since they
// end a window of the SMs.
#ifndef QSM_FRONT_H
#define QSM_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_ctrl.h"
#include "qsm_tb_sched.h"
#include "qsm_xbar.h"

struct qsm_front;

// Words of a channel's row in the table.
enum qsm_row_word {
  QSM_ROW_RING,
  QSM_ROW_CONTEXT,
  QSM_ROW_GET,
  QSM_ROW_PUT,
  QSM_ROW_BUSY_LO,
  QSM_ROW_BUSY_HI,
  QSM_ROW_DONE,
  QSM_ROW_ERROR,
  QSM_ROW_SM_LO,
  QSM_ROW_SM_HI,
  QSM_ROW_INSN_LO,
  QSM_ROW_INSN_HI,
  QSM_ROW_COPY_LO,
  QSM_ROW_COPY_HI,
  QSM_ROW_LIMIT,
  QSM_ROW_WALK_XY,
  QSM_ROW_WALK_Z,
  QSM_ROW_WALK_LINEAR,
  QSM_ROW_WORDS,
};

// The arguments outlive the front end. NULL: no memory.
struct qsm_front *qsm_front_create(const struct qsm_regs *regs, const struct qsm_tb_sched *tb_sched,
                                   struct qsm_xbar *xbar, const struct qsm_bus *bus);
void qsm_front_destroy(struct qsm_front *front);  // NULL is fine

// The response to an access under way, seen in `cycle`. Its line goes where the result is, as with
// qsm_sm_push_response(); NULL: it has none.
uint32_t *qsm_front_push_response(struct qsm_front *front, uint64_t cycle, uint8_t tag);

// ---- Time ----

// False while there is nothing to do and no interrupt: qsm_front_next() is QSM_NEVER, and needs not
// be asked. To be read after the host has accessed the front end, and after a step.
const bool *qsm_front_active(const struct qsm_front *front);
// First cycle from `from` on in which a step changes anything, if no slot's launch ends before and
// the host accesses nothing.
uint64_t qsm_front_next(const struct qsm_front *front, uint64_t from);
// No register is written, and no interrupt of a channel set, in a cycle from `from` on before this
// one, if less than a window lies between; and counters of SMs are read only as the window's end
// has them.
uint64_t qsm_front_bound(const struct qsm_front *front, uint64_t from);
// Before the SMs run a window, and the front end does its first cycle.
void qsm_front_look(struct qsm_front *front);
// Does one cycle, before the TB scheduler does it; cycles ascending, none that qsm_front_next()
// names left out. `host_has_table`: the host's access, done in it, takes the table's port (R-FR-1).
void qsm_front_step(struct qsm_front *front, uint64_t cycle, bool host_has_table);

// ---- Register writes of the sequencer (R-FR-11) and the watchdog (R-FR-25) ----

struct qsm_front_write {
  uint32_t addr, value;
  bool by_watchdog;
};

// True if one can be chosen in the next cycle to run, unless the host's access is.
bool qsm_front_writes(const struct qsm_front *front, struct qsm_front_write *write);
// It was chosen in the last cycle that has run.
void qsm_front_note_chosen(struct qsm_front *front, const struct qsm_front_write *write);
enum qsm_front_answer { QSM_FRONT_DONE, QSM_FRONT_REFUSED, QSM_FRONT_AGAIN };
// It was done in `cycle`, which has run, with this answer.
void qsm_front_note_answer(struct qsm_front *front, uint64_t cycle,
                           const struct qsm_front_write *write, enum qsm_front_answer answer);

// ---- Registers, accesses of a cycle as with qsm_ctrl_read() and qsm_ctrl_commit_write() ----

uint32_t qsm_front_read_word(const struct qsm_front *front, uint32_t c, enum qsm_row_word word);
uint32_t qsm_front_read_ctrl(const struct qsm_front *front, uint32_t c);   // CH_CTRL
uint32_t qsm_front_read_state(const struct qsm_front *front, uint32_t c);  // STATE
uint32_t qsm_front_read_slot(const struct qsm_front *front, uint32_t k);   // SLOT_CHANNEL
uint32_t qsm_front_irq(const struct qsm_front *front, uint32_t j);         // FRONT_IRQj
bool qsm_front_interrupts(const struct qsm_front *front);                  // some bit of them
uint32_t qsm_front_snap_engine(const struct qsm_front *front);
uint64_t qsm_front_snap_cycle(const struct qsm_front *front);
uint32_t qsm_front_snap_busy(const struct qsm_front *front, uint32_t j);

bool qsm_front_may_set(const struct qsm_front *front, uint32_t c);  // CH_RING, CH_CONTEXT
bool qsm_front_may_put(const struct qsm_front *front, uint32_t c);  // PUT

void qsm_front_write_word(struct qsm_front *front, uint32_t c, enum qsm_row_word word,
                          uint32_t value);
void qsm_front_write_ctrl(struct qsm_front *front, uint64_t cycle, uint32_t c, uint32_t value);
void qsm_front_note_slots(struct qsm_front *front);  // FRONT_SLOTS was written
// LINK_INTERVAL has its register's value from `cycle` on, the next to run.
void qsm_front_note_link(struct qsm_front *front, uint64_t cycle);
// `cycle` has run: what it has set stays.
void qsm_front_clear_irq(struct qsm_front *front, uint64_t cycle, uint32_t j, uint32_t value);
// Of `cycle`, which is about to run.
void qsm_front_take_snapshot(struct qsm_front *front, uint64_t cycle);

// ---- Comparison ----

// As qsm_model_state(), of the channels and slots, and of the DMA engine; `cycle` is the next to
// run.
bool qsm_front_state(const struct qsm_front *front, uint32_t index, uint32_t word, uint32_t *value);
bool qsm_front_dma_state(const struct qsm_front *front, uint64_t cycle, uint32_t word,
                         uint32_t *value);
// Flips pending of a channel; see qsm_model_inject().
int qsm_front_inject(struct qsm_front *front, uint64_t seed, char *what, size_t what_len);

#endif
