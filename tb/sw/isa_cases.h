// SPDX-License-Identifier: Apache-2.0
// Every instruction of docs/isa.md against its definition, as data: one thread executes one
// instruction, and the table says what must come out. Expected values are written down, not
// computed. Any implementation can be run through it.
//
// Before: PC = QSM_ISA_PC; a1 and a2 from the case; a0 = QSM_ISA_A0; the word at QSM_ISA_DATA =
// QSM_ISA_MEMORY, and so the first word of shared memory (of QSM_ISA_SHARED_BYTES bytes) and of
// local memory. One thread in one block of one thread, slot 2, warp size 4, ARG = 0x12345678.
// Windows: [QSM_ISA_CODE, QSM_ISA_CODE + 4096) r x; [QSM_ISA_DATA, QSM_ISA_DATA + 4096) r w.
#ifndef QSM_ISA_CASES_H
#define QSM_ISA_CASES_H

#include <stddef.h>
#include <stdint.h>

enum {
  QSM_ISA_CODE = 0x80000000,
  QSM_ISA_PC = 0x80000800,
  QSM_ISA_DATA = 0x80001000,
  QSM_ISA_SHARED = 0x10000000,
  QSM_ISA_SHARED_BYTES = 64,
  QSM_ISA_LOCAL_BYTES = 64,
};
#define QSM_ISA_LOCAL 0xFFFFFFC0u
#define QSM_ISA_A0 0x5A5A5A5Au
#define QSM_ISA_MEMORY 0x84427FF3u
#define QSM_ISA_NO_FAULT 32u

struct qsm_isa_case {
  const char
      *text;  // what qsm_disasm prints, without the PC's influence where that is a jump target
  uint32_t instr;
  uint32_t a1, a2;
  uint32_t a0;       // after
  uint32_t next_pc;  // after
  uint32_t device;   // word at QSM_ISA_DATA after
  uint32_t shared;   // first word of shared memory after
  uint32_t cause;    // QSM_ISA_NO_FAULT, or the fault; then nothing has changed
  uint32_t value;    // of the fault
  uint32_t local;    // first word of local memory after
};

extern const struct qsm_isa_case qsm_isa_cases[];
extern const size_t qsm_isa_n_cases;

#endif
