// SPDX-License-Identifier: Apache-2.0
#include "model_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "qsm_encode.h"
#include "qsm_mem.h"
#include "qsm_regs.h"

enum { CODE_PAGE = 4096, MAX_WORDS = 32 };

// ---- Encodings (docs/isa.md) ----

static uint32_t store(uint32_t rs1, uint32_t rs2) { return qsm_encode_store(2, rs1, rs2, 0); }

static uint32_t load(uint32_t rd, uint32_t rs1) { return qsm_encode_i(0x03, 2, rd, rs1, 0); }

static uint32_t addi(uint32_t rd, uint32_t rs1, int32_t imm) {
  return qsm_encode_i(0x13, 0, rd, rs1, imm);
}

static uint32_t add(uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return qsm_encode_r(0x33, 0, 0, rd, rs1, rs2);
}

enum { BEQ = 0, BNE = 1, BAR = 0x0000000b, EXIT = 0x0000100b };
enum { CSR_TID = 0xcc0, CSR_CTAID = 0xcc1, CSR_NTID = 0xcc4, CSR_ARG = 0xccc };

// x5 tid, x6 block, x7 data, x9 global index, x10 address of its word, x11 loops
static uint32_t prologue(uint32_t *code, uint32_t loops) {
  const uint32_t words[] = {
      qsm_encode_read_csr(5, CSR_TID),
      qsm_encode_read_csr(6, CSR_CTAID),
      qsm_encode_read_csr(7, CSR_ARG),
      qsm_encode_read_csr(8, CSR_NTID),
      qsm_encode_r(0x33, 0, 1, 9, 6, 8),  // mul
      add(9, 9, 5),
      qsm_encode_i(0x13, 1, 10, 9, 2),  // slli
      add(10, 10, 7),
      addi(11, 0, (int32_t)loops),
  };
  memcpy(code, words, sizeof words);
  return sizeof words / sizeof *words;
}

// Counts x11 down and goes back to the word at index `top`.
static uint32_t epilogue(uint32_t *code, uint32_t n, uint32_t top) {
  code[n++] = addi(11, 11, -1);
  code[n] = qsm_encode_branch(BNE, 11, 0, 4 * ((int32_t)top - (int32_t)n));
  code[n + 1] = EXIT;
  return n + 2;
}

static uint32_t count_body(uint32_t *code, uint32_t n) {
  code[n++] = load(12, 10);
  code[n++] = add(12, 12, 9);
  code[n++] = store(10, 12);
  code[n++] = qsm_encode_i(0x13, 7, 13, 5, 1);  // andi
  code[n++] = qsm_encode_branch(BEQ, 13, 0, 12);
  code[n++] = addi(15, 7, -4);
  code[n++] = qsm_encode_r(0x2f, 2, 0, 14, 15, 13);  // amoadd
  code[n++] = BAR;
  return n;
}

static uint32_t spin_body(uint32_t *code, uint32_t n) {
  code[n++] = add(12, 12, 9);
  code[n++] = qsm_encode_r(0x33, 4, 0, 13, 12, 9);  // xor
  code[n++] = add(14, 9, 5);
  return n;
}

static uint32_t fault_body(uint32_t *code, uint32_t n) {
  code[n++] = addi(12, 6, -2);
  code[n++] = qsm_encode_branch(BNE, 12, 0, 16);
  code[n++] = addi(13, 5, -3);
  code[n++] = qsm_encode_branch(BNE, 13, 0, 8);
  code[n++] = store(0, 9);  // address 0
  return n;
}

// Shared addresses are x16 + 4 * tid.
static uint32_t divide_body(uint32_t *code, uint32_t n) {
  code[n++] = 0x10000837;                       // lui x16, 0x10000
  code[n++] = qsm_encode_i(0x13, 1, 17, 5, 2);  // slli
  code[n++] = add(16, 16, 17);
  code[n++] = addi(12, 9, 100);
  code[n++] = qsm_encode_r(0x33, 5, 1, 13, 12, 11);  // divu
  code[n++] = store(16, 13);
  code[n++] = load(14, 16);
  code[n++] = qsm_encode_r(0x33, 7, 1, 12, 14, 11);  // remu
  code[n++] = store(10, 14);
  return n;
}

static uint32_t assemble(enum program program, uint32_t loops, uint32_t *code) {
  uint32_t top = prologue(code, loops);
  switch (program) {
    case PROGRAM_COUNT: return epilogue(code, count_body(code, top), top);
    case PROGRAM_SPIN: return epilogue(code, spin_body(code, top), top);
    case PROGRAM_FAULT: return epilogue(code, fault_body(code, top), top);
    case PROGRAM_DIVIDE: return epilogue(code, divide_body(code, top), top);
  }
  return 0;
}

// ---- Control port ----

void port_write(struct qsm_model *model, uint32_t addr, uint32_t value) {
  if (qsm_model_write(model, addr, value) != 0)
    fail_msg("write of 0x%x to 0x%x refused", value, addr);
}

uint32_t port_read(struct qsm_model *model, uint32_t addr) {
  uint32_t value;
  if (qsm_model_read(model, addr, &value) != 0) fail_msg("read of 0x%x refused", addr);
  return value;
}

uint32_t slot_register(uint32_t k, uint32_t offset) {
  return QSM_SLOT_BASE + QSM_SLOT_STRIDE * k + offset;
}

void program_load(struct qsm_model *model, const struct qsm_config *config, uint32_t k,
                  uint32_t ctx, enum program program, uint32_t loops, uint32_t blocks,
                  uint32_t threads) {
  uint32_t code[MAX_WORDS];
  uint32_t n_words = assemble(program, loops, code);
  uint32_t at = PROGRAM_CODE + CODE_PAGE * k,
           data = QSM_MEM_BASE + PROGRAM_DATA + PROGRAM_DATA_BYTES * k;
  memcpy(qsm_model_memory(model) + at, code, n_words * sizeof *code);
  const uint32_t writes[][2] = {
      {QSM_SLOT_CTX, ctx},
      {QSM_SLOT_WIN0_BASE, QSM_MEM_BASE + at},
      {QSM_SLOT_WIN0_LIMIT, QSM_MEM_BASE + at + CODE_PAGE},
      {QSM_SLOT_WIN0_RIGHTS, QSM_SLOT_WIN0_RIGHTS_EXECUTE_MASK},
      {QSM_SLOT_WIN1_BASE, data},
      {QSM_SLOT_WIN1_LIMIT, data + PROGRAM_DATA_BYTES},
      {QSM_SLOT_WIN1_RIGHTS, QSM_SLOT_WIN1_RIGHTS_READ_MASK | QSM_SLOT_WIN1_RIGHTS_WRITE_MASK},
      {QSM_SLOT_ENTRY, QSM_MEM_BASE + at},
      {QSM_SLOT_ARG, data + 4},  // word -1 is the common counter
      {QSM_SLOT_GRID_X, blocks},
      {QSM_SLOT_BLOCK_X, threads},
      {QSM_SLOT_BLOCK_THREADS, threads},
      {QSM_SLOT_BLOCK_WARPS, (threads + config->warp_size - 1) / config->warp_size},
      {QSM_SLOT_SHARED, 4 * threads},
      {QSM_SLOT_SHARED_GRAN,
       (4 * threads + qsm_config_granule_bytes(config) - 1) / qsm_config_granule_bytes(config)},
  };
  for (uint32_t i = 0; i < sizeof writes / sizeof *writes; i++)
    port_write(model, slot_register(k, writes[i][0]), writes[i][1]);
}

void program_launch(struct qsm_model *model, uint32_t k) {
  port_write(model, slot_register(k, QSM_SLOT_LAUNCH), 1);
}

uint32_t program_word(struct qsm_model *model, uint32_t k, uint32_t index) {
  uint32_t word;
  memcpy(&word, qsm_model_memory(model) + PROGRAM_DATA + PROGRAM_DATA_BYTES * k + 4 * index,
         sizeof word);
  return word;
}
