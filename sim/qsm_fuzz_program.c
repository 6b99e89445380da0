// SPDX-License-Identifier: Apache-2.0
#include "qsm_fuzz_program.h"

#include "qsm_encode.h"
#include "qsm_fuzz_float.h"
#include "qsm_regs.h"

// Registers with a role; x6..x15 are random data, x16..x19 are 0 (R-WB-4) until one is written for
// once.
enum {
  RA = 1,
  LINK2 = 5,
  FIRST_DATA = 6,
  N_DATA = 10,
  FIRST_ZERO = 16,
  N_ZERO = 4,
  BASE = 20,
  SHARED_BASE = 21,
  COUNTER = 22,
  ADDRESS = 23,
  TID = 24,
  SCRATCH = 25,
  INNER = 26,
  OWN = 27,
  OWN_SHARED = 28,
  INPUT = 29
};
enum {
  OP = 0x33,
  OP_IMM = 0x13,
  LUI = 0x37,
  AUIPC = 0x17,
  LOAD = 0x03,
  STORE = 0x23,
  AMO = 0x2F,
  BRANCH = 0x63,
  JALR = 0x67,
  SYSTEM = 0x73,
  FENCE = 0x0F,
  CUSTOM0 = 0x0B
};
enum { CSR_TID = 0xCC0, CSR_BLOCK = 0xCC1, MAX_NESTING = 3, DEVICE_FENCE_BIT = 21 };
#define EXIT_WORD (1u << 12 | CUSTOM0)

struct emitter {
  struct qsm_random *random;
  const struct qsm_fuzz_request *request;
  uint32_t *words;
  uint32_t n;
  uint32_t divergence;  // lanes may be apart here
};

static uint32_t below(struct emitter *emitter, uint32_t n) {
  return qsm_random_below(emitter->random, n);
}
static uint32_t data_register(struct emitter *emitter) {
  return FIRST_DATA + below(emitter, N_DATA);
}
static uint32_t data_or_zero(struct emitter *emitter) {
  if (below(emitter, 16)) return data_register(emitter);
  return below(emitter, 2) ? FIRST_ZERO + below(emitter, N_ZERO) : 0;
}

static void emit(struct emitter *emitter, uint32_t word) {
  if (emitter->n < QSM_FUZZ_MAX_WORDS) emitter->words[emitter->n++] = word;
}

static bool room(const struct emitter *emitter, uint32_t words) {
  return emitter->n + words + 64 < QSM_FUZZ_MAX_WORDS;
}

static void load_constant(struct emitter *emitter, uint32_t rd, uint32_t value) {
  uint32_t words[2];
  qsm_encode_constant(rd, value, words);
  emit(emitter, words[0]);
  emit(emitter, words[1]);
}

// ---- Straight-line pieces ----

static void alu(struct emitter *emitter) {
  uint32_t rd = below(emitter, 20) ? data_register(emitter) : 0, rs1 = data_or_zero(emitter),
           rs2 = data_or_zero(emitter);
  uint32_t funct3 = below(emitter, 8);
  switch (below(emitter, 8)) {
    case 0:
    case 1:
    case 2:
      emit(emitter,
           qsm_encode_r(OP, funct3, (funct3 == 0 || funct3 == 5) && below(emitter, 2) ? 0x20 : 0,
                        rd, rs1, rs2));
      break;
    case 3: emit(emitter, qsm_encode_r(OP, below(emitter, 4), 1, rd, rs1, rs2)); break;  // multiply
    case 4:
      emit(emitter,
           qsm_random_next(emitter->random) << 12 | rd << 7 | (below(emitter, 2) ? LUI : AUIPC));
      break;
    default:
      if (funct3 == 1 || funct3 == 5)
        emit(emitter, qsm_encode_r(OP_IMM, funct3, funct3 == 5 && below(emitter, 2) ? 0x20 : 0, rd,
                                   rs1, below(emitter, 32)));
      else
        emit(emitter, qsm_encode_i(OP_IMM, funct3, rd, rs1, (int32_t)below(emitter, 4096) - 2048));
  }
}

static void divide(struct emitter *emitter) {
  emit(emitter, qsm_encode_r(OP, 4 + below(emitter, 4), 1, data_or_zero(emitter),
                             data_register(emitter), data_or_zero(emitter)));
}

// Mostly an operation; else a hard value for the next ones, or one that is nearly or but for its
// sign that of another register.
static void floating(struct emitter *emitter) {
  uint32_t rd = below(emitter, 12) ? data_register(emitter) : 0, rs = data_register(emitter);
  switch (below(emitter, 8)) {
    case 0:
      load_constant(emitter, data_register(emitter), qsm_fuzz_float_value(emitter->random));
      break;
    case 1:
      emit(emitter,
           qsm_encode_i(OP_IMM, 0, data_register(emitter), rs, (int32_t)below(emitter, 5) - 2));
      break;
    case 2:
      emit(emitter, 0x80000u << 12 | SCRATCH << 7 | LUI);
      emit(emitter, qsm_encode_r(OP, 4, 0, data_register(emitter), rs, SCRATCH));
      break;
    default:
      emit(emitter, qsm_fuzz_float(emitter->random, rd, data_or_zero(emitter),
                                   data_or_zero(emitter), data_or_zero(emitter)));
  }
}

static bool any_order(const struct emitter *emitter) {
  return emitter->request->order == QSM_FUZZ_ANY_ORDER;
}

// The last ones depend on time, place or order.
static void read_csr(struct emitter *emitter) {
  static const uint16_t csrs[] = {0xCC0, 0xCC1, 0xCC2, 0xCC3, 0xCC4, 0xCC5, 0xCC6,
                                  0xCC7, 0xCC8, 0xCC9, 0xCCA, 0xCCC, 0xCCE, 0xCD0,
                                  0xC00, 0xC80, 0xCCB, 0xCCD, 0xCCF, 0xCD1};
  enum { N_CSRS = sizeof csrs / sizeof csrs[0], N_OF_ORDER = 6 };
  uint32_t csr = csrs[below(emitter, any_order(emitter) ? N_CSRS : N_CSRS - N_OF_ORDER)],
           funct3 = below(emitter, 2) ? 2 + below(emitter, 2) : 6 + below(emitter, 2);
  emit(emitter, csr << 20 | funct3 << 12 | data_register(emitter) << 7 | SYSTEM);
}

// ADDRESS := a random but legal address, aligned for 1 << log2_bytes; shared or device.
static void make_address(struct emitter *emitter, uint32_t log2_bytes, bool shared) {
  uint32_t range = shared ? emitter->request->shared_bytes : QSM_FUZZ_DATA_BYTES, mask = 1;
  while (mask * 2 <= range && mask * 2 <= 2048) mask *= 2;
  // The narrower the mask, the more lanes meet in a line, a bank or a word.
  mask >>= below(emitter, 4) * 2 < 6 ? below(emitter, 4) * 2 : 0;
  if (mask < 8) mask = 8;
  if (mask > range) mask = range;
  emit(emitter, qsm_encode_i(OP_IMM, 7, ADDRESS, below(emitter, 3) ? data_register(emitter) : TID,
                             (int32_t)((mask - 1) & ~((1u << log2_bytes) - 1))));
  if (below(emitter, 2)) {  // neighbours: 4 * tid within the range
    emit(emitter, qsm_encode_r(OP_IMM, 1, 0, ADDRESS, TID, 2));
    emit(emitter, qsm_encode_i(OP_IMM, 7, ADDRESS, ADDRESS, (int32_t)((mask - 1) & ~3u)));
  }
  emit(emitter, qsm_encode_r(OP, 0, 0, ADDRESS, ADDRESS, shared ? SHARED_BASE : BASE));
}

static uint32_t stack_bytes(const struct emitter *emitter) {
  return emitter->request->log2_stack ? 1u << emitter->request->log2_stack : 0;
}

// ADDRESS := one of the thread's stack (I-MEM-6), near its bottom or its end. Where order must not
// count, in bytes that the prologue has cleared.
static void make_local_address(struct emitter *emitter, uint32_t log2_bytes) {
  uint32_t mask = any_order(emitter) ? 8u << below(emitter, 8) : QSM_FUZZ_OWN_BYTES;
  if (mask > stack_bytes(emitter)) mask = stack_bytes(emitter);
  emit(emitter, qsm_encode_i(OP_IMM, 7, ADDRESS, below(emitter, 3) ? data_register(emitter) : TID,
                             (int32_t)((mask - 1) & ~((1u << log2_bytes) - 1))));
  load_constant(emitter, SCRATCH, 0u - (below(emitter, 2) ? mask : stack_bytes(emitter)));
  emit(emitter, qsm_encode_r(OP, 0, 0, ADDRESS, ADDRESS, SCRATCH));
}

enum access { READ, WRITE, CHANGE };

// An address of the thread's own bytes, or to read one of the inputs.
static void make_own_address(struct emitter *emitter, uint32_t log2_bytes, bool shared,
                             enum access access) {
  bool input = !shared && access == READ &&
               (emitter->request->order == QSM_FUZZ_IDEMPOTENT || below(emitter, 2));
  uint32_t bytes = input ? 2048 : QSM_FUZZ_OWN_BYTES, base = shared  ? OWN_SHARED
                                                             : input ? INPUT
                                                                     : OWN;
  emit(emitter, qsm_encode_i(OP_IMM, 7, ADDRESS, below(emitter, 3) ? data_register(emitter) : TID,
                             (int32_t)((bytes - 1) & ~((1u << log2_bytes) - 1))));
  emit(emitter, qsm_encode_r(OP, 0, 0, ADDRESS, ADDRESS, base));
}

// ADDRESS := one that the access may go to.
static void aim(struct emitter *emitter, uint32_t log2_bytes, bool shared, enum access access) {
  if (!shared && emitter->request->log2_stack && below(emitter, 4) == 0)
    make_local_address(emitter, log2_bytes);
  else if (any_order(emitter))
    make_address(emitter, log2_bytes, shared);
  else
    make_own_address(emitter, log2_bytes, shared, access);
}

static bool use_shared(struct emitter *emitter) {
  return emitter->request->shared_bytes >= 64 && below(emitter, 2);
}

static void load(struct emitter *emitter) {
  static const uint8_t funct3[] = {0, 1, 2, 2, 2, 4, 5}, log2_bytes[] = {0, 1, 2, 2, 2, 0, 1};
  uint32_t which = below(emitter, 7);
  aim(emitter, log2_bytes[which], use_shared(emitter), READ);
  emit(emitter, qsm_encode_i(LOAD, funct3[which], below(emitter, 16) ? data_register(emitter) : 0,
                             ADDRESS, 0));
}

static void store(struct emitter *emitter) {
  uint32_t which = below(emitter, 4) ? 2 : below(emitter, 3);
  aim(emitter, which, use_shared(emitter), WRITE);
  emit(emitter, qsm_encode_store(which, ADDRESS, data_register(emitter), 0));
}

// Adds to a counter of all threads; nobody reads it. In shared memory word 0 is spin's.
static void count(struct emitter *emitter, bool shared) {
  uint32_t mask = shared ? 8 : QSM_FUZZ_COUNTER_BYTES - 4,
           first =
               shared ? 4 : QSM_FUZZ_DATA_BYTES - QSM_FUZZ_INPUT_OFFSET - QSM_FUZZ_COUNTER_BYTES;
  emit(emitter, qsm_encode_i(OP_IMM, 7, ADDRESS, data_register(emitter), (int32_t)mask));
  emit(emitter, qsm_encode_r(OP, 0, 0, ADDRESS, ADDRESS, shared ? SHARED_BASE : INPUT));
  load_constant(emitter, SCRATCH, first);
  emit(emitter, qsm_encode_r(OP, 0, 0, ADDRESS, ADDRESS, SCRATCH));
  emit(emitter, qsm_encode_r(AMO, 2, 0, 0, ADDRESS, data_register(emitter)));
}

static void atomic(struct emitter *emitter) {
  static const uint8_t funct5[] = {0x00, 0x01, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C};
  bool shared = use_shared(emitter);
  if (emitter->request->order == QSM_FUZZ_IDEMPOTENT && !shared) return;
  if (emitter->request->order == QSM_FUZZ_ORDERLESS && below(emitter, 2)) {
    count(emitter, shared);
    return;
  }
  aim(emitter, 2, shared, CHANGE);
  emit(emitter, qsm_encode_r(AMO, 2, (uint32_t)funct5[below(emitter, 9)] << 2 | below(emitter, 4),
                             below(emitter, 4) ? data_register(emitter) : 0, ADDRESS,
                             data_register(emitter)));
}

// A word with the opcode and registers of an instruction and random function fields: legal or not.
static uint32_t unusual(struct emitter *emitter) {
  static const uint8_t opcodes[] = {OP,     OP_IMM, OP_IMM, LOAD,  STORE,  AMO,
                                    BRANCH, JALR,   SYSTEM, FENCE, CUSTOM0};
  static const uint8_t funct7[] = {0x00, 0x01, 0x20, 0x08, 0x10};
  static const uint16_t csrs[] = {0xC00, 0xC80, 0xCBF, 0xCC0, 0xCD1, 0xCD2, 0x000};
  uint32_t opcode = opcodes[below(emitter, sizeof opcodes)], funct3 = below(emitter, 8);
  uint32_t rd = below(emitter, 2) ? data_register(emitter) : 0,
           rs1 = below(emitter, 2) ? ADDRESS : 0;
  if (opcode == SYSTEM && below(emitter, 2))
    return (uint32_t)csrs[below(emitter, sizeof csrs / sizeof csrs[0])] << 20 | rs1 << 15 |
           funct3 << 12 | rd << 7 | SYSTEM;
  if (opcode == SYSTEM) return below(emitter, 3) << 20 | rd << 7 | SYSTEM;
  if (opcode == AMO)
    return qsm_encode_r(AMO, below(emitter, 4) ? 2 : funct3, below(emitter, 32) << 2, rd, ADDRESS,
                        FIRST_DATA);
  if (opcode == BRANCH) return qsm_encode_branch(funct3, rs1, FIRST_DATA, 4);
  return qsm_encode_r(
      opcode, funct3,
      below(emitter, 4) ? funct7[below(emitter, sizeof funct7)] : below(emitter, 128), rd, rs1,
      below(emitter, 32));
}

// The last word below the stack, or one further below.
static void overflow_stack(struct emitter *emitter) {
  load_constant(emitter, ADDRESS,
                0u - stack_bytes(emitter) - (below(emitter, 2) ? 4 : 4u << below(emitter, 24)));
  switch (below(emitter, 3)) {
    case 0:
      emit(emitter, qsm_encode_i(LOAD, 2, FIRST_DATA, ADDRESS, below(emitter, 8) ? 0 : 2));
      break;  // 2: misaligned goes before
    case 1: emit(emitter, qsm_encode_store(0, ADDRESS, FIRST_DATA, 3)); break;
    default: emit(emitter, qsm_encode_r(AMO, 2, 0, FIRST_DATA, ADDRESS, FIRST_DATA));
  }
}

static void fault(struct emitter *emitter) {
  static const uint32_t bad[] = {0x00000000,
                                 0xFFFFFFFF,
                                 0x00000073 /* ecall */,
                                 0x00100073 /* ebreak */,
                                 0x100022AF /* lr.w */,
                                 0x00000053 /* FP */,
                                 0xC0001073 /* csrrw cycle */,
                                 0x30002073 /* mstatus */,
                                 0x00001C0B /* exit with rd */,
                                 0x0000100F /* fence.i */};
  uint32_t log2_bytes = 1 + below(emitter, 2);
  switch (below(emitter, 10)) {
    case 9: overflow_stack(emitter); break;
    case 0:
      emit(emitter,
           qsm_encode_i(LOAD, log2_bytes, FIRST_DATA, BASE, 1 + (int32_t)below(emitter, 3)));
      break;  // misaligned
    case 1:
      emit(emitter, qsm_encode_store(2, below(emitter, 2) ? 0 : TID, FIRST_DATA, 0));
      break;  // outside
    case 2:
      emit(emitter, qsm_encode_i(JALR, 0, below(emitter, 2), BASE, below(emitter, 2) ? 2 : 0));
      break;  // into data, or misaligned
    case 4:
      emit(emitter, qsm_encode_r(AMO, 2, 0, FIRST_DATA, below(emitter, 2) ? 0 : TID, FIRST_DATA));
      break;  // outside, or misaligned
    case 5: emit(emitter, unusual(emitter)); break;
    case 6:
      emit(emitter, below(emitter, 3) ? unusual(emitter)
                                      : qsm_fuzz_float_word(emitter->random, data_or_zero(emitter),
                                                            data_or_zero(emitter)));
      break;
    case 7:  // just behind the window, in its last bytes, or a store into the code
      load_constant(emitter, ADDRESS,
                    emitter->request->data + (below(emitter, 3) ? QSM_FUZZ_DATA_BYTES : 0));
      emit(emitter, below(emitter, 2)
                        ? qsm_encode_i(LOAD, 2, FIRST_DATA, ADDRESS, below(emitter, 2) ? 0 : -4)
                        : qsm_encode_store(2, ADDRESS, FIRST_DATA, -4));
      break;
    case 8:  // where the data would be in the other half of the addresses
      load_constant(emitter, ADDRESS, emitter->request->data ^ UINT32_C(1) << 31);
      emit(emitter, below(emitter, 2) ? qsm_encode_i(LOAD, 2, FIRST_DATA, ADDRESS, 0)
                                      : qsm_encode_store(2, ADDRESS, FIRST_DATA, 0));
      break;
    case 3:
      if (emitter->request->shared_bytes) {
        load_constant(emitter, ADDRESS, 0x10000000u + emitter->request->shared_bytes);
        emit(emitter, qsm_encode_i(LOAD, 0, FIRST_DATA, ADDRESS, 0));
        break;
      }  // fall through
    default: emit(emitter, bad[below(emitter, sizeof bad / sizeof bad[0])]);
  }
}

static void straight(struct emitter *emitter) {
  uint32_t n = 1 + below(emitter, 8);
  for (uint32_t i = 0; i < n && room(emitter, 16); i++) {
    uint32_t kind = below(emitter, 100);
    if (emitter->request->fpu && below(emitter, 3) == 0)
      floating(emitter);
    else if (kind < 50)
      alu(emitter);
    else if (kind < 56)
      divide(emitter);
    else if (kind < 61)
      read_csr(emitter);
    else if (kind < 75)
      load(emitter);
    else if (kind < 87)
      store(emitter);
    else if (kind < 94)
      atomic(emitter);
    else if (kind < 97)
      emit(emitter, FENCE | (emitter->n & 1) << DEVICE_FENCE_BIT);
    else if (any_order(emitter) || !emitter->divergence)
      emit(emitter, CUSTOM0);  // barrier
  }
}

// ---- Control ----

static void body(struct emitter *emitter, uint32_t nesting);

// Puts a branch over what the callback-like body emits; the condition differs between lanes.
static void branch_over(struct emitter *emitter, uint32_t nesting, bool has_else) {
  static const uint8_t conditions[] = {0, 1, 4, 5, 6, 7};
  uint32_t at = emitter->n, rs2 = below(emitter, 3) ? data_register(emitter) : TID;
  emit(emitter, 0);
  emitter->divergence++;
  body(emitter, nesting);
  uint32_t jump = emitter->n;
  if (has_else) emit(emitter, 0);
  emitter->words[at] = qsm_encode_branch(conditions[below(emitter, 6)], data_register(emitter), rs2,
                                         (int32_t)(emitter->n - at) * 4);
  if (has_else) {
    body(emitter, nesting);
    emitter->words[jump] = qsm_encode_jal(0, (int32_t)(emitter->n - jump) * 4);
  }
  emitter->divergence--;
}

// do … while (--counter > 0), with a count of 1..8 that may differ between lanes.
static void loop(struct emitter *emitter, uint32_t nesting) {
  uint32_t counter = nesting == 1 ? INNER : COUNTER;
  emit(emitter,
       qsm_encode_i(OP_IMM, 7, counter, below(emitter, 2) ? TID : data_register(emitter), 7));
  emit(emitter, qsm_encode_i(OP_IMM, 0, counter, counter, 1));
  uint32_t top = emitter->n;
  emitter->divergence++;
  if (nesting == 1)
    straight(emitter);
  else
    body(emitter, 1);
  emitter->divergence--;
  emit(emitter, qsm_encode_i(OP_IMM, 0, counter, counter, -1));
  emit(emitter, qsm_encode_branch(1, counter, 0, ((int32_t)top - (int32_t)emitter->n) * 4));
}

// jal ra, function (or t0, the other link register); the function lies here, jumped over.
static void call(struct emitter *emitter) {
  uint32_t over = emitter->n;
  emit(emitter, 0);
  uint32_t function = emitter->n;
  uint32_t link = below(emitter, 3) ? RA : LINK2;
  straight(emitter);
  emit(emitter, qsm_encode_i(JALR, 0, below(emitter, 4) ? 0 : SCRATCH, link,
                             (int32_t)below(emitter, 2)));  // bit 0 of a target counts for nothing
  emitter->words[over] = qsm_encode_jal(0, (int32_t)(emitter->n - over) * 4);
  if (below(emitter, 2)) {
    emit(emitter, qsm_encode_jal(link, ((int32_t)function - (int32_t)emitter->n) * 4));
    return;
  }
  // Through a register: auipc, jalr.
  int32_t offset = ((int32_t)function - (int32_t)emitter->n) * 4;
  emit(emitter, SCRATCH << 7 | AUIPC);
  emit(emitter, qsm_encode_i(OP_IMM, 0, SCRATCH, SCRATCH, offset));
  emit(emitter, qsm_encode_i(JALR, 0, link, SCRATCH, (int32_t)below(emitter, 2)));
}

static void early_exit(struct emitter *emitter) {
  emit(emitter, qsm_encode_branch(below(emitter, 2), data_register(emitter), TID, 8));
  emit(emitter, EXIT_WORD);
}

static void body(struct emitter *emitter, uint32_t nesting) {
  uint32_t n = 1 + below(emitter, 3);
  for (uint32_t i = 0; i < n && room(emitter, 60); i++) {
    straight(emitter);
    if (nesting == 0 || !room(emitter, 60)) continue;
    switch (below(emitter, 7)) {
      case 0:
      case 1: branch_over(emitter, nesting - 1, false); break;
      case 2: branch_over(emitter, nesting - 1, true); break;
      case 3:
        if (nesting == MAX_NESTING)
          loop(emitter, 2);
        else if (nesting == 1)
          loop(emitter, 1);
        break;
      case 4: call(emitter); break;
      case 5:
        if (nesting == MAX_NESTING && below(emitter, 3) == 0) early_exit(emitter);
        break;
      default: break;
    }
  }
}

// Every thread but number 0 spins on a shared word, 0 at first (R-SM-10), that thread 0 sets behind
// the loop: needs the progress guarantee. Only in the prologue, where no thread has ended.
static void spin(struct emitter *emitter) {
  uint32_t skip = emitter->n;
  emit(emitter, 0);
  emit(emitter, qsm_encode_i(LOAD, 2, SCRATCH, SHARED_BASE, 0));
  emit(emitter, qsm_encode_branch(0, SCRATCH, 0, -4));
  uint32_t over = emitter->n;
  emit(emitter, 0);
  emitter->words[skip] = qsm_encode_branch(0, TID, 0, (int32_t)(emitter->n - skip) * 4);
  emit(emitter, qsm_encode_i(OP_IMM, 0, SCRATCH, 0, 1));
  emit(emitter, qsm_encode_store(2, SHARED_BASE, SCRATCH, 0));
  emitter->words[over] = qsm_encode_jal(0, (int32_t)(emitter->n - over) * 4);
}

// A stack holds what the last thread left there.
static void clear_stack_ends(struct emitter *emitter) {
  load_constant(emitter, SCRATCH, 0u - stack_bytes(emitter));
  for (int32_t i = 0; i < QSM_FUZZ_OWN_BYTES; i += 4) {
    emit(emitter, qsm_encode_store(2, SCRATCH, 0, i));
    emit(emitter, qsm_encode_store(2, 0, 0, i - QSM_FUZZ_OWN_BYTES));
  }
}

// OWN, OWN_SHARED, INPUT. Own and common shared bytes are 0.
static void own_memory(struct emitter *emitter) {
  emit(emitter, (uint32_t)CSR_BLOCK << 20 | 2u << 12 | OWN << 7 | SYSTEM);
  load_constant(emitter, SCRATCH, emitter->request->block_threads);
  emit(emitter, qsm_encode_r(OP, 0, 1, OWN, OWN, SCRATCH));
  emit(emitter, qsm_encode_r(OP, 0, 0, OWN, OWN, TID));
  emit(emitter, qsm_encode_i(OP_IMM, 1, OWN, OWN, 4));
  emit(emitter, qsm_encode_r(OP, 0, 0, OWN, OWN, BASE));
  load_constant(emitter, INPUT, emitter->request->data + QSM_FUZZ_INPUT_OFFSET);
  emit(emitter, qsm_encode_i(OP_IMM, 1, OWN_SHARED, TID, 4));
  emit(emitter, qsm_encode_r(OP, 0, 0, OWN_SHARED, OWN_SHARED, SHARED_BASE));
  emit(emitter, qsm_encode_i(OP_IMM, 0, OWN_SHARED, OWN_SHARED, 16));
  if (emitter->request->log2_stack) clear_stack_ends(emitter);
}

static void prologue(struct emitter *emitter) {
  load_constant(emitter, BASE, emitter->request->data);
  load_constant(emitter, SHARED_BASE, 0x10000000u);
  emit(emitter, (uint32_t)CSR_TID << 20 | 2u << 12 | TID << 7 | SYSTEM);
  for (uint32_t i = 0; i < N_DATA; i++) {
    bool is_float = emitter->request->fpu && below(emitter, 2);
    if (below(emitter, 6) == 0) continue;  // 0 at a thread's start
    load_constant(
        emitter, FIRST_DATA + i,
        is_float ? qsm_fuzz_float_value(emitter->random) : qsm_random_next(emitter->random));
    if (below(emitter, 2))
      emit(emitter,
           qsm_encode_r(OP, below(emitter, 2) ? 4 : 0, 0, FIRST_DATA + i, FIRST_DATA + i, TID));
  }
  if (!any_order(emitter)) own_memory(emitter);
  if (emitter->request->shared_bytes >= 64 && below(emitter, 8) == 0) spin(emitter);
}

uint32_t qsm_fuzz_stack(struct qsm_random *random, const struct qsm_config *config,
                        uint32_t block_warps, uint32_t end, uint32_t most) {
  enum { LEAST_LOG2 = 4, MOST_LOG2 = 12, BASE_ALIGN = 1u << QSM_SLOT_STACK_BASE_SHIFT };
  uint64_t n_stacks =
      (uint64_t)qsm_config_live_blocks(config, block_warps) * block_warps * config->warp_size;
  uint32_t log2 = LEAST_LOG2 + qsm_random_below(random, MOST_LOG2 - LEAST_LOG2 + 1);
  if (qsm_random_below(random, 6) == 0) return 0;
  for (; log2 >= LEAST_LOG2; log2--) {
    uint32_t warp_bytes = config->warp_size << log2,
             align = warp_bytes > BASE_ALIGN ? warp_bytes : BASE_ALIGN;
    if ((n_stacks << log2) + align <= most)
      return (end - (uint32_t)(n_stacks << log2)) / align * align | log2;
  }
  return 0;
}

uint32_t qsm_fuzz_program(struct qsm_random *random, const struct qsm_fuzz_request *request,
                          uint32_t *words) {
  struct emitter emitter = {.random = random, .request = request, .words = words};
  prologue(&emitter);
  uint32_t parts = below(&emitter, 2) ? 1 : 1 + below(&emitter, request->may_fault ? 2 : 4);
  for (uint32_t i = 0; i < parts; i++) body(&emitter, below(&emitter, 2) ? MAX_NESTING : 1);
  if (request->may_fault) {
    emit(&emitter, qsm_encode_branch(below(&emitter, 2), data_register(&emitter), TID, 8));
    fault(&emitter);
  }
  aim(&emitter, 2, false, WRITE);
  emit(&emitter, qsm_encode_store(2, ADDRESS, data_register(&emitter), 0));
  emit(&emitter, EXIT_WORD);
  return emitter.n;
}
