// SPDX-License-Identifier: Apache-2.0
// Small programs in machine code and the register writes that launch them, for tests of the whole
// model.
#ifndef MODEL_PROGRAM_H
#define MODEL_PROGRAM_H

#include <stdint.h>

#include "qsm_model.h"

enum {
  PROGRAM_CODE = 0x1000,  // offset in device memory of slot 0's program; each slot has its own page
  PROGRAM_DATA = 0x40000,      // offset of slot 0's data
  PROGRAM_DATA_BYTES = 0x8000  // of each slot
};

enum program {
  PROGRAM_COUNT,   // each thread adds its global index to its word, `loops` times, with a barrier,
                   // and odd threads count in word -1
  PROGRAM_SPIN,    // arithmetic only, `loops` times
  PROGRAM_FAULT,   // thread 3 of block 2 stores outside its window; the others spin
  PROGRAM_DIVIDE,  // divisions and shared memory, `loops` times
};

// Writes a program and the launch registers of slot k (a tenant with CTX ctx) for a grid of
// `blocks` blocks of `threads` threads. Does not launch. Asserts that no write is refused.
void program_load(struct qsm_model *model, const struct qsm_config *config, uint32_t k,
                  uint32_t ctx, enum program program, uint32_t loops, uint32_t blocks,
                  uint32_t threads);
void program_launch(struct qsm_model *model, uint32_t k);

// Control port accesses that must not fail.
void port_write(struct qsm_model *model, uint32_t addr, uint32_t value);
uint32_t port_read(struct qsm_model *model, uint32_t addr);
// Address of a slot register.
uint32_t slot_register(uint32_t k, uint32_t offset);

// A word of slot k's data.
uint32_t program_word(struct qsm_model *model, uint32_t k, uint32_t index);

#endif
