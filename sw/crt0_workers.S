// SPDX-License-Identifier: Apache-2.0
// The loop of a persistent worker around a kernel (docs/workers.md): part of the start-up code of programs made by
// `qsm-cc --workers`. Kept over a task, which as a function keeps s0 to s9: s0 argument pointer, s1 form, s9 task. s10 and s11 are as qsm_workers.h says.

#include "crt0.h"
#include "qsm_worker_job.h"

// A word of shared memory.
  .macro shared instruction, register, name
  lui t6, %tprel_hi(\name)
  add t6, t6, tp, %tprel_add(\name)
  \instruction \register, %tprel_lo(\name)(t6)
  .endm

// fence rw, w and barrier: a round.
  .macro meet
  fence rw, w
  .insn i 0x0b, 0, x0, x0, 0
  lui t6, 0x10
  add s10, s10, t6
  .endm

  .section .text.qsm_start, "ax", @progbits
  .weak qsm_worker_barriers

  .globl qsm_worker_start
qsm_worker_start:
  lui tp, 0x10000
  csrr s0, CSR_ARG
  lw s1, QSM_JOB_FORM(s0)
  lui s10, 0x10  // round 1: the note, 0 at first, is of an earlier one
  beqz s1, .Lplain

  // Outside of the range: leave.
  csrr t0, CSR_SMID
  lw t1, QSM_JOB_FIRST(s0)
  lw t2, QSM_JOB_COUNT(s0)
  sub t0, t0, t1
  bgeu t0, t2, .Lexit

  // Thread 0 gets the first task for all.
  csrr t0, CSR_TID
  bnez t0, .Lfirst
  mv a0, s0
  li t0, QSM_FORM_RH
  beq s1, t0, .Lclaim
  jal qsm_worker_pop
  j .Lgot
.Lclaim:
  jal qsm_worker_claim
.Lgot:
  shared sw, a0, qsm_worker_next
.Lfirst:
  meet
  shared lw, s9, qsm_worker_next

.Lrun:
  lw t0, QSM_JOB_TASKS(s0)
  bgeu s9, t0, .Lexit
  // The first row, which is all of a one-dimensional grid, needs no division.
  lw t1, QSM_JOB_GRID_X(s0)
  mv t3, s9
  li t4, 0
  li t5, 0
  bltu s9, t1, .Lplaced
  lw t2, QSM_JOB_GRID_Y(s0)
  divu t4, s9, t1
  remu t3, s9, t1
  divu t5, t4, t2
  remu t4, t4, t2
.Lplaced:
  slli t4, t4, 16
  or s11, t3, t4
  srli s10, s10, 16
  slli s10, s10, 16
  or s10, s10, t5

  // As at every start: the kernel may have changed its arguments.
  mv t0, s0
  load_arguments t0
  j qsm_worker_call

  .globl qsm_worker_ended
qsm_worker_ended:
  beqz s1, .Lexit
  li t0, QSM_FORM_RH
  bne s1, t0, .Lslate

  // The places of the range take turns. Without barriers in the program its warps need not wait for each other.
  lw t0, QSM_JOB_COUNT(s0)
  lw t1, QSM_JOB_PER_SM(s0)
  mul t0, t0, t1
  add s9, s9, t0
  lui t0, %hi(qsm_worker_barriers)
  addi t0, t0, %lo(qsm_worker_barriers)
  beqz t0, .Lrun
  j .Lleft

.Lslate:
  csrr t0, CSR_TID
  bnez t0, .Lleft
  mv a0, s0
  jal qsm_worker_pop
  shared sw, a0, qsm_worker_next

  // Until a round in which nobody met others inside of the task: the note is of an earlier one.
.Lleft:
  mv t1, s10
  meet
  shared lw, t2, qsm_worker_inside
  sub t2, t2, t1
  bgez t2, .Lleft

  // All have left. The note stays behind the rounds however long there is none, and all have read what they need before
  // it changes.
  li t0, QSM_FORM_RH
  beq s1, t0, .Lkeep
  shared lw, s9, qsm_worker_next
.Lkeep:
  csrr t0, CSR_TID
  bnez t0, .Lbegin
  lui t0, 0x10
  sub t1, t1, t0
  shared sw, t1, qsm_worker_inside
.Lbegin:
  meet
  j .Lrun

.Lplain:
  csrr t3, CSR_CTAID_X
  csrr t4, CSR_CTAID_Y
  csrr t5, CSR_CTAID_Z
  j .Lplaced

.Lexit:
  .insn i 0x0b, 1, x0, x0, 0  // qsm.exit
