// SPDX-License-Identifier: Apache-2.0
// Disassembler for the instruction set of docs/isa.md.
#ifndef QSM_DISASM_H
#define QSM_DISASM_H

#include <stddef.h>
#include <stdint.h>

// Writes the instruction word `instr` at address `pc` into buf (n bytes) in assembler syntax: no
// aliases, decimal immediates, jump targets as addresses, CSRs by the names of docs/isa.md. A word
// that the hardware refuses becomes
// ".word 0x... # illegal". Returns the length without the final 0, as snprintf does. Safe from any
// thread.
size_t qsm_disasm(uint32_t pc, uint32_t instr, char *buf, size_t n);

#endif
