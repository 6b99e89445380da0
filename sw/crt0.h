// SPDX-License-Identifier: Apache-2.0
// What the start-up code of all programs shares, for assembler: CSRs (docs/isa.md), and the
// argument area.
// clang-format off: assembler

#define CSR_TID 0xCC0
#define CSR_CTAID_X 0xCC1
#define CSR_CTAID_Y 0xCC2
#define CSR_CTAID_Z 0xCC3
#define CSR_NTID_X 0xCC4
#define CSR_NTID_Y 0xCC5
#define CSR_SMID 0xCCB
#define CSR_ARG 0xCCC

// The kernel in t1, the bytes of its arguments on the stack in t2, the others in a0 to a7, from the area that the register points to.
  .macro load_arguments area
  lw t1, 0(\area)
  lw t2, 4(\area)
  lw a0, 8(\area)
  lw a1, 12(\area)
  lw a2, 16(\area)
  lw a3, 20(\area)
  lw a4, 24(\area)
  lw a5, 28(\area)
  lw a6, 32(\area)
  lw a7, 36(\area)
  .endm
