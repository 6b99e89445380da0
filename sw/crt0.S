// SPDX-License-Identifier: Apache-2.0
// Start of every thread, as docs/isa.md "Kernel entry" describes: set sp, tp and gp, load the arguments, call the
// kernel, exit. All registers are 0 on entry. Threads of a warp go the same way.

#include "crt0.h"

  .section .text.qsm_start, "ax", @progbits
  .globl _start
  .type _start, @function
_start:
  csrr t0, CSR_ARG
  load_arguments t0

  // gp = threadIdx packed. The first row, which is all of a one-dimensional block, needs no division.
  csrr gp, CSR_TID
  csrr t3, CSR_NTID_X
  bltu gp, t3, .Lpacked
  csrr t4, CSR_NTID_Y
  divu t5, gp, t3
  remu gp, gp, t3
  remu t6, t5, t4
  divu t5, t5, t4
  slli t6, t6, 10
  slli t5, t5, 20
  or gp, gp, t6
  or gp, gp, t5
.Lpacked:

#ifdef QSM_WORKERS  // the worker chooses a task, loads the arguments and comes back
  j qsm_worker_start
  .globl qsm_worker_call
qsm_worker_call:
#endif

  // tp = shared memory, where __shared__ variables lie
  lui tp, 0x10000

  // The stack ends at the end of the address space. Arguments on it lie at the top.
  neg sp, t2
  bnez t2, .Lcopy
.Lcall:
  jalr t1
#ifdef QSM_WORKERS
  j qsm_worker_ended
#endif
  .insn i 0x0b, 1, x0, x0, 0   // qsm.exit

.Lcopy:
  sub t0, t0, sp
  addi t0, t0, 40
  mv t2, sp
.Lcopy_four:
  add t3, t0, t2
  lw t4, 0(t3)
  lw t5, 4(t3)
  lw t6, 8(t3)
  lw t3, 12(t3)
  sw t4, 0(t2)
  sw t5, 4(t2)
  sw t6, 8(t2)
  sw t3, 12(t2)
  addi t2, t2, 16
  bnez t2, .Lcopy_four
  j .Lcall
  .size _start, . - _start

// End of the static shared variables: the linker script puts this section last.
  .section .tbss.qsm_end, "awT", @nobits
  .balign 16
  .globl qsm_dynamic_shared_start
  .type qsm_dynamic_shared_start, @object
qsm_dynamic_shared_start:
