// SPDX-License-Identifier: Apache-2.0
// The loop of a persistent worker around a kernel (docs/workers.md): part of the start-up code of programs made by
// `qsm-cc --workers`. Kept over a task, which as a function keeps s0 to s9: s0 argument pointer, s1 form, s9 task. s10 and s11 are as qsm_workers.h says.

#include "crt0.h"
#include "qsm_worker_job.h"

#define CSR_NTID_Z 0xCC6
#define CSR_NCTAID_X 0xCC7
#define CSR_LANE 0xCCA
#define CSR_MASK 0xCCF
#define CSR_WARPSIZE 0xCD0

// A word of shared memory.
  .macro shared instruction, register, name
  lui t6, %tprel_hi(\name)
  add t6, t6, tp, %tprel_add(\name)
  \instruction \register, %tprel_lo(\name)(t6)
  .endm

// t6 = address of a word of shared memory.
  .macro place_of name
  lui t6, %tprel_hi(\name)
  add t6, t6, tp, %tprel_add(\name)
  addi t6, t6, %tprel_lo(\name)
  .endm

// fence rw, w and barrier.
  .macro meet
  fence rw, w
  .insn i 0x0b, 0, x0, x0, 0
  .endm

  .section .text.qsm_start, "ax", @progbits
  .weak qsm_worker_barriers

  .globl qsm_worker_start
qsm_worker_start:
  lui tp, 0x10000
  csrr s0, CSR_ARG
  lw s1, QSM_JOB_FORM(s0)
  beqz s1, .Lplain

  // persistent: worker b begins with task b, on whatever SM it is.
  li t0, QSM_FORM_PERSISTENT
  csrr s9, CSR_CTAID_X
  beq s1, t0, .Lrun

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
  li t0, QSM_FORM_SLATE
  beq s1, t0, .Lslate

  // The places of the range, or all workers, take turns. Without barriers in the program its warps need not wait for each other.
  li t1, QSM_FORM_RH
  csrr t0, CSR_NCTAID_X
  bne s1, t1, .Lstep
  lw t0, QSM_JOB_COUNT(s0)
  lw t1, QSM_JOB_PER_SM(s0)
  mul t0, t0, t1
.Lstep:
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

.Lleft:
  // Of the lanes that leave here together the lowest counts them all, in t1.
  csrr t0, CSR_MASK
  csrr t2, CSR_LANE
  li t3, 1
  sll t3, t3, t2
  addi t3, t3, -1
  and t3, t3, t0
  bnez t3, .Lwait
  csrr t1, CSR_WARPSIZE
  neg t2, t1
  li t3, -1
  srl t3, t3, t2
  beq t0, t3, .Lcounted
  li t1, 0
.Lcount:
  addi t2, t0, -1
  and t0, t0, t2
  addi t1, t1, 1
  bnez t0, .Lcount
.Lcounted:
  place_of qsm_worker_left
  amoadd.w t0, t1, (t6)
  add t0, t0, t1
  csrr t1, CSR_NTID_X
  csrr t2, CSR_NTID_Y
  csrr t3, CSR_NTID_Z
  mul t1, t1, t2
  mul t1, t1, t3
  bne t0, t1, .Lwait
  // The last of the block: nobody counts until the next task.
  sw x0, 0(t6)
  place_of qsm_worker_ends
  srli t1, s10, 16
  add t6, t6, t1
  li t1, 1
  sb t1, 0(t6)

  // Until the round before which the last one has left. One that leaves meanwhile says so of the next round, so all see
  // the same.
.Lwait:
  place_of qsm_worker_ends
  srli t1, s10, 16
  add t6, t6, t1
  meet
  lui t1, 0x10
  xor s10, s10, t1
  lbu t1, 0(t6)
  beqz t1, .Lwait

  // All have left. What is said of the next task stands where it was said of the one before this; thread 0 takes that
  // away before it leaves the next task, so before the last one does.
  lui t1, 0x20
  xor s10, s10, t1
  csrr t0, CSR_TID
  bnez t0, .Lcleared
  place_of qsm_worker_ends
  srli t1, s10, 17
  slli t1, t1, 1
  add t6, t6, t1
  sh x0, 0(t6)
.Lcleared:
  li t0, QSM_FORM_SLATE
  bne s1, t0, .Lrun
  // The next task: read by all before it is written anew.
  shared lw, s9, qsm_worker_next
  meet
  j .Lrun

.Lplain:
  csrr t3, CSR_CTAID_X
  csrr t4, CSR_CTAID_Y
  csrr t5, CSR_CTAID_Z
  j .Lplaced

.Lexit:
  .insn i 0x0b, 1, x0, x0, 0  // qsm.exit
