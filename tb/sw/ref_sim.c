// SPDX-License-Identifier: Apache-2.0
#include "ref_sim.h"

#include <stdlib.h>
#include <string.h>

#include "fp_ref.h"

enum cause {
  JUMP_MISALIGNED = 0,
  FETCH_ACCESS = 1,
  ILLEGAL = 2,
  BREAKPOINT = 3,
  LOAD_MISALIGNED = 4,
  LOAD_ACCESS = 5,
  STORE_MISALIGNED = 6,
  STORE_ACCESS = 7,
  ECALL = 8,
  STACK_OVERFLOW = 25,
  NO_FAULT = 32,
};

struct qsm_ref {
  uint32_t mem_base;
  size_t mem_bytes;
  uint8_t *mem;
  struct fp_ref *fp;
  uint64_t n_instructions;  // also the cycle counter
};

// What the execution of one instruction sees and leaves behind.
struct step {
  struct qsm_ref *ref;
  const struct qsm_ref_launch *launch;
  uint8_t *shared;
  struct qsm_ref_thread *thread;
  uint32_t instr;
  uint32_t rs1, rs2;  // values
  uint32_t result;    // for rd, when writes_rd
  int writes_rd;
  uint32_t next_pc;
  uint32_t fault_value;
};

struct qsm_ref *qsm_ref_create(uint32_t mem_base, size_t mem_bytes) {
  struct qsm_ref *ref = calloc(1, sizeof *ref);
  if (ref == NULL) return NULL;
  ref->mem = calloc(mem_bytes, 1);
  ref->fp = fp_ref_create();
  if (ref->mem == NULL || ref->fp == NULL) {
    qsm_ref_destroy(ref);
    return NULL;
  }
  ref->mem_base = mem_base;
  ref->mem_bytes = mem_bytes;
  return ref;
}

void qsm_ref_destroy(struct qsm_ref *ref) {
  if (ref == NULL) return;
  fp_ref_destroy(ref->fp);
  free(ref->mem);
  free(ref);
}

uint8_t *qsm_ref_at(struct qsm_ref *ref, uint32_t addr, size_t n_bytes) {
  uint64_t offset = (uint64_t)addr - ref->mem_base;
  if (addr < ref->mem_base || offset > ref->mem_bytes || n_bytes > ref->mem_bytes - offset)
    return NULL;
  return ref->mem + offset;
}

// Fields of an instruction.
static uint32_t bits(uint32_t word, unsigned high, unsigned low) {
  return word << (31 - high) >> (31 - high + low);
}
static uint32_t sign_extend(uint32_t value, unsigned n_bits) {
  uint32_t sign = 1u << (n_bits - 1);
  return (value ^ sign) - sign;
}
static uint32_t imm_i(uint32_t instr) { return sign_extend(bits(instr, 31, 20), 12); }
static uint32_t imm_s(uint32_t instr) {
  return sign_extend(bits(instr, 31, 25) << 5 | bits(instr, 11, 7), 12);
}
static uint32_t imm_b(uint32_t instr) {
  return sign_extend(bits(instr, 31, 31) << 12 | bits(instr, 7, 7) << 11 |
                         bits(instr, 30, 25) << 5 | bits(instr, 11, 8) << 1,
                     13);
}
static uint32_t imm_j(uint32_t instr) {
  return sign_extend(bits(instr, 31, 31) << 20 | bits(instr, 19, 12) << 12 |
                         bits(instr, 20, 20) << 11 | bits(instr, 30, 21) << 1,
                     21);
}

// I-MEM-1: the window that holds the address decides.
static int has_right(const struct qsm_ref_launch *launch, uint32_t addr, uint32_t rights) {
  for (int i = 0; i < 2; i++) {
    const struct qsm_ref_window *window = &launch->windows[i];
    if (addr >= window->base && addr < window->limit) return (window->rights & rights) == rights;
  }
  return 0;
}

// Host memory behind an aligned device or shared address, or NULL when the access is not allowed.
static uint8_t *access_memory(const struct step *s, uint32_t addr, uint32_t n_bytes,
                              uint32_t rights) {
  if (bits(addr, 31, 28) == 1) {
    uint32_t offset = bits(addr, 27, 0);
    return offset < s->launch->shared_bytes && !(rights & QSM_REF_X) ? s->shared + offset : NULL;
  }
  if (!has_right(s->launch, addr, rights)) return NULL;
  return qsm_ref_at(s->ref, addr, n_bytes);
}

// The same for a load, store or AMO, with what a fault says. I-MEM-6: the end of the address space
// is the thread's own.
static enum cause find_memory(struct step *s, uint32_t addr, uint32_t n_bytes, uint32_t rights,
                              uint8_t **at) {
  int is_load = rights == QSM_REF_R;
  s->fault_value = addr;
  if (addr % n_bytes != 0) return is_load ? LOAD_MISALIGNED : STORE_MISALIGNED;
  if (bits(addr, 31, 30) == 3) {
    uint32_t below_end = 0 - addr;
    if (below_end > s->launch->local_bytes) return STACK_OVERFLOW;
    *at = s->thread->local + (s->launch->local_bytes - below_end);
    return NO_FAULT;
  }
  *at = access_memory(s, addr, n_bytes, rights);
  return *at != NULL ? NO_FAULT : is_load ? LOAD_ACCESS : STORE_ACCESS;
}

static uint32_t get_little_endian(const uint8_t *at, uint32_t n_bytes) {
  uint32_t value = 0;
  for (uint32_t i = n_bytes; i > 0; i--) value = value << 8 | at[i - 1];
  return value;
}

static void put_little_endian(uint8_t *at, uint32_t value, uint32_t n_bytes) {
  for (uint32_t i = 0; i < n_bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static enum cause finish(struct step *s, uint32_t result) {
  s->result = result;
  s->writes_rd = 1;
  return NO_FAULT;
}

static enum cause jump(struct step *s, uint32_t target) {
  if (target % 4 != 0) {
    s->fault_value = target;
    return JUMP_MISALIGNED;
  }
  s->next_pc = target;
  return NO_FAULT;
}

static enum cause illegal(struct step *s) {
  s->fault_value = s->instr;
  return ILLEGAL;
}

static enum cause execute_jump(struct step *s) {
  int is_jalr = bits(s->instr, 6, 0) == 0x67;
  if (is_jalr && bits(s->instr, 14, 12) != 0) return illegal(s);
  uint32_t target = is_jalr ? (s->rs1 + imm_i(s->instr)) & ~1u : s->thread->pc + imm_j(s->instr);
  enum cause cause = jump(s, target);
  return cause == NO_FAULT ? finish(s, s->thread->pc + 4) : cause;
}

static enum cause execute_branch(struct step *s) {
  int taken;
  switch (bits(s->instr, 14, 12)) {
    case 0: taken = s->rs1 == s->rs2; break;
    case 1: taken = s->rs1 != s->rs2; break;
    case 4: taken = (int32_t)s->rs1 < (int32_t)s->rs2; break;
    case 5: taken = (int32_t)s->rs1 >= (int32_t)s->rs2; break;
    case 6: taken = s->rs1 < s->rs2; break;
    case 7: taken = s->rs1 >= s->rs2; break;
    default: return illegal(s);
  }
  return taken ? jump(s, s->thread->pc + imm_b(s->instr)) : NO_FAULT;
}

static enum cause execute_load(struct step *s) {
  uint32_t funct3 = bits(s->instr, 14, 12);
  if (funct3 == 3 || funct3 > 5) return illegal(s);
  uint32_t n_bytes = 1u << (funct3 & 3);
  uint8_t *at;
  enum cause cause = find_memory(s, s->rs1 + imm_i(s->instr), n_bytes, QSM_REF_R, &at);
  if (cause != NO_FAULT) return cause;
  uint32_t value = get_little_endian(at, n_bytes);
  return finish(s, funct3 < 2 ? sign_extend(value, 8 * n_bytes) : value);
}

static enum cause execute_store(struct step *s) {
  uint32_t funct3 = bits(s->instr, 14, 12);
  if (funct3 > 2) return illegal(s);
  uint32_t n_bytes = 1u << funct3;
  uint8_t *at;
  enum cause cause = find_memory(s, s->rs1 + imm_s(s->instr), n_bytes, QSM_REF_W, &at);
  if (cause != NO_FAULT) return cause;
  put_little_endian(at, s->rs2, n_bytes);
  return NO_FAULT;
}

static int amo_result(uint32_t funct5, uint32_t old, uint32_t operand, uint32_t *result) {
  int less = (int32_t)old < (int32_t)operand;
  switch (funct5) {
    case 0x00: *result = old + operand; return 0;
    case 0x01: *result = operand; return 0;
    case 0x04: *result = old ^ operand; return 0;
    case 0x08: *result = old | operand; return 0;
    case 0x0C: *result = old & operand; return 0;
    case 0x10: *result = less ? old : operand; return 0;
    case 0x14: *result = less ? operand : old; return 0;
    case 0x18: *result = old < operand ? old : operand; return 0;
    case 0x1C: *result = old < operand ? operand : old; return 0;
    default: return -1;
  }
}

static enum cause execute_amo(struct step *s) {
  uint32_t funct5 = bits(s->instr, 31, 27), result;
  if (bits(s->instr, 14, 12) != 2 || amo_result(funct5, 0, 0, &result) != 0) return illegal(s);
  uint8_t *at;
  enum cause cause = find_memory(s, s->rs1, 4, QSM_REF_R | QSM_REF_W, &at);
  if (cause != NO_FAULT) return cause;
  uint32_t old = get_little_endian(at, 4);
  amo_result(funct5, old, s->rs2, &result);
  put_little_endian(at, result, 4);
  return finish(s, old);
}

static enum cause execute_multiply_divide(struct step *s) {
  uint32_t a = s->rs1, b = s->rs2;
  int64_t sa = (int32_t)a, sb = (int32_t)b;  // 64 bits: the overflow case needs no rule of its own
  switch (bits(s->instr, 14, 12)) {
    case 0: return finish(s, a * b);
    case 1: return finish(s, (uint32_t)((uint64_t)(sa * sb) >> 32));
    case 2: return finish(s, (uint32_t)((uint64_t)(sa * (int64_t)b) >> 32));
    case 3: return finish(s, (uint32_t)((uint64_t)a * b >> 32));
    case 4: return finish(s, b == 0 ? UINT32_MAX : (uint32_t)(sa / sb));
    case 5: return finish(s, b == 0 ? UINT32_MAX : a / b);
    case 6: return finish(s, b == 0 ? a : (uint32_t)(sa % sb));
    default: return finish(s, b == 0 ? a : a % b);
  }
}

static uint32_t shift_right_arithmetic(uint32_t value, uint32_t amount) {
  uint32_t fill = value >> 31 != 0 ? ~(UINT32_MAX >> amount) : 0;
  return value >> amount | fill;
}

// Register and immediate forms share the operations; `alternative` is bit 30 where it has a
// meaning.
static uint32_t alu(uint32_t funct3, int alternative, uint32_t a, uint32_t b) {
  switch (funct3) {
    case 0: return alternative ? a - b : a + b;
    case 1: return a << (b & 31);
    case 2: return (int32_t)a < (int32_t)b;
    case 3: return a < b;
    case 4: return a ^ b;
    case 5: return alternative ? shift_right_arithmetic(a, b & 31) : a >> (b & 31);
    case 6: return a | b;
    default: return a & b;
  }
}

static enum cause execute_register_op(struct step *s) {
  uint32_t funct3 = bits(s->instr, 14, 12), funct7 = bits(s->instr, 31, 25);
  if (funct7 == 1) return execute_multiply_divide(s);
  int alternative = funct7 == 0x20 && (funct3 == 0 || funct3 == 5);
  if (funct7 != 0 && !alternative) return illegal(s);
  return finish(s, alu(funct3, alternative, s->rs1, s->rs2));
}

static enum cause execute_immediate_op(struct step *s) {
  uint32_t funct3 = bits(s->instr, 14, 12), funct7 = bits(s->instr, 31, 25);
  int is_shift = funct3 == 1 || funct3 == 5;
  int alternative = funct3 == 5 && funct7 == 0x20;
  if (is_shift && funct7 != 0 && !alternative) return illegal(s);
  return finish(s, alu(funct3, alternative, s->rs1, imm_i(s->instr)));
}

static enum cause execute_float(struct step *s) {
  enum fp_op op = fp_decode(s->instr);
  if (op == FP_N_OPS) return illegal(s);
  return finish(s, fp_ref_compute(s->ref->fp, op, fp_rm_of(s->instr), s->rs1, s->rs2,
                                  s->thread->x[bits(s->instr, 31, 27)]));
}

static int read_csr(const struct step *s, uint32_t number, uint32_t *value) {
  const struct qsm_ref_launch *launch = s->launch;
  uint32_t lane = s->thread->tid % launch->warp_size;
  switch (number) {
    case 0xC00: *value = (uint32_t)s->ref->n_instructions; return 0;
    case 0xC80: *value = (uint32_t)(s->ref->n_instructions >> 32); return 0;
    case 0xCC0: *value = s->thread->tid; return 0;
    case 0xCC1:
    case 0xCC2:
    case 0xCC3: *value = s->thread->ctaid[number - 0xCC1]; return 0;
    case 0xCC4:
    case 0xCC5:
    case 0xCC6: *value = launch->block[number - 0xCC4]; return 0;
    case 0xCC7:
    case 0xCC8:
    case 0xCC9: *value = launch->grid[number - 0xCC7]; return 0;
    case 0xCCA: *value = lane; return 0;
    case 0xCCB: *value = 0; return 0;
    case 0xCCC: *value = launch->arg; return 0;
    case 0xCCD: *value = s->thread->tid; return 0;
    case 0xCCE: *value = launch->slot; return 0;
    case 0xCCF: *value = 1u << lane; return 0;
    case 0xCD0: *value = launch->warp_size; return 0;
    case 0xCD1: *value = 0; return 0;  // blocks run one after the other
    default: return -1;
  }
}

static enum cause execute_system(struct step *s) {
  uint32_t funct3 = bits(s->instr, 14, 12), value;
  s->fault_value = s->thread->pc;
  if (s->instr == 0x00000073) return ECALL;
  if (s->instr == 0x00100073) return BREAKPOINT;
  int sets_or_clears =
      (funct3 & 3) >= 2;  // the forms that write only when rs1 or the immediate is not 0
  if (!sets_or_clears || bits(s->instr, 19, 15) != 0) return illegal(s);
  if (read_csr(s, bits(s->instr, 31, 20), &value) != 0) return illegal(s);
  return finish(s, value);
}

static enum cause execute_custom(struct step *s) {
  if (s->instr == 0x0000000B) {
    s->thread->at_barrier = 1;
  } else if (s->instr == 0x0000100B) {
    s->thread->exited = 1;
  } else {
    return illegal(s);
  }
  return NO_FAULT;
}

static enum cause execute(struct step *s) {
  switch (bits(s->instr, 6, 0)) {
    case 0x03: return execute_load(s);
    case 0x0B: return execute_custom(s);
    case 0x0F: return bits(s->instr, 14, 12) == 0 ? NO_FAULT : illegal(s);
    case 0x13: return execute_immediate_op(s);
    case 0x17: return finish(s, s->thread->pc + (s->instr & 0xFFFFF000));
    case 0x23: return execute_store(s);
    case 0x2F: return execute_amo(s);
    case 0x33: return execute_register_op(s);
    case 0x37: return finish(s, s->instr & 0xFFFFF000);
    case 0x43:
    case 0x47:
    case 0x4B:
    case 0x4F:
    case 0x53: return execute_float(s);
    case 0x63: return execute_branch(s);
    case 0x67:
    case 0x6F: return execute_jump(s);
    case 0x73: return execute_system(s);
    default: return illegal(s);
  }
}

static enum cause fetch(struct step *s) {
  const uint8_t *at = access_memory(s, s->thread->pc, 4, QSM_REF_X);
  s->fault_value = s->thread->pc;
  if (at == NULL) return FETCH_ACCESS;
  s->instr = get_little_endian(at, 4);
  return NO_FAULT;
}

static uint32_t linear_block(const struct qsm_ref_launch *launch, const uint32_t ctaid[3]) {
  return (ctaid[2] * launch->grid[1] + ctaid[1]) * launch->grid[0] + ctaid[0];
}

int qsm_ref_step(struct qsm_ref *ref, const struct qsm_ref_launch *launch, uint8_t *shared,
                 struct qsm_ref_thread *thread, struct qsm_ref_fault *fault) {
  struct step s = {
      .ref = ref, .launch = launch, .shared = shared, .thread = thread, .next_pc = thread->pc + 4};
  ref->n_instructions++;
  enum cause cause = fetch(&s);
  if (cause == NO_FAULT) {
    s.rs1 = thread->x[bits(s.instr, 19, 15)];
    s.rs2 = thread->x[bits(s.instr, 24, 20)];
    cause = execute(&s);
  }
  if (cause != NO_FAULT) {
    *fault = (struct qsm_ref_fault){(uint32_t)cause, thread->pc, thread->tid,
                                    linear_block(launch, thread->ctaid), s.fault_value};
    return -1;
  }
  uint32_t rd = bits(s.instr, 11, 7);
  if (s.writes_rd && rd != 0) thread->x[rd] = s.result;
  thread->pc = s.next_pc;
  return 0;
}

struct block {
  struct qsm_ref_thread *threads;
  uint32_t n_threads;
  uint8_t *shared, *local;
};

// A thread's turn: until it waits, exits or has had its share.
static int run_turn(struct qsm_ref *ref, const struct qsm_ref_launch *launch, struct block *block,
                    struct qsm_ref_thread *thread, struct qsm_ref_fault *fault) {
  enum { TURN = 1000 };
  for (int i = 0; i < TURN && !thread->exited && !thread->at_barrier; i++) {
    if (qsm_ref_step(ref, launch, block->shared, thread, fault) != 0) return -1;
  }
  return 0;
}

static uint32_t n_runnable(const struct block *block) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < block->n_threads; i++)
    n += !block->threads[i].exited && !block->threads[i].at_barrier;
  return n;
}

// I-DIV-3: when nobody can run, everyone who has not exited waits at the barrier. Returns how many
// go on.
static uint32_t release_barrier(struct block *block) {
  for (uint32_t i = 0; i < block->n_threads; i++) block->threads[i].at_barrier = 0;
  return n_runnable(block);
}

static void start_block(const struct qsm_ref_launch *launch, struct block *block,
                        const uint32_t ctaid[3]) {
  // Registers, shared and local memory hold unknown values at the start; zero would hide programs
  // that count on it.
  memset(block->shared, 0xEE, launch->shared_bytes + 4);
  memset(block->local, 0xEE, (size_t)block->n_threads * launch->local_bytes);
  for (uint32_t i = 0; i < block->n_threads; i++) {
    struct qsm_ref_thread *thread = &block->threads[i];
    *thread = (struct qsm_ref_thread){.pc = launch->entry,
                                      .tid = i,
                                      .ctaid = {ctaid[0], ctaid[1], ctaid[2]},
                                      .local = block->local + (size_t)i * launch->local_bytes};
    for (int r = 1; r < 32; r++) thread->x[r] = 0xDEAD0000u + (uint32_t)r;
  }
}

static enum qsm_ref_status run_block(struct qsm_ref *ref, const struct qsm_ref_launch *launch,
                                     struct block *block, uint64_t last_instruction,
                                     struct qsm_ref_fault *fault) {
  do {
    while (n_runnable(block) > 0) {
      for (uint32_t i = 0; i < block->n_threads; i++) {
        if (run_turn(ref, launch, block, &block->threads[i], fault) != 0) return QSM_REF_FAULT;
        if (ref->n_instructions > last_instruction) return QSM_REF_LIMIT;
      }
    }
  } while (release_barrier(block) > 0);
  return QSM_REF_DONE;
}

static enum qsm_ref_status run_grid(struct qsm_ref *ref, const struct qsm_ref_launch *launch,
                                    struct block *block, struct qsm_ref_fault *fault) {
  uint64_t last_instruction = ref->n_instructions + launch->max_instructions;
  uint32_t ctaid[3];
  for (ctaid[2] = 0; ctaid[2] < launch->grid[2]; ctaid[2]++) {
    for (ctaid[1] = 0; ctaid[1] < launch->grid[1]; ctaid[1]++) {
      for (ctaid[0] = 0; ctaid[0] < launch->grid[0]; ctaid[0]++) {
        start_block(launch, block, ctaid);
        enum qsm_ref_status status = run_block(ref, launch, block, last_instruction, fault);
        if (status != QSM_REF_DONE) return status;
      }
    }
  }
  return QSM_REF_DONE;
}

enum qsm_ref_status qsm_ref_run(struct qsm_ref *ref, const struct qsm_ref_launch *launch,
                                struct qsm_ref_result *result) {
  struct block block = {.n_threads = launch->block[0] * launch->block[1] * launch->block[2]};
  block.threads = malloc(block.n_threads * sizeof *block.threads);
  block.shared = malloc(launch->shared_bytes + 4);  // the last allowed word may reach over the end
  block.local = malloc((size_t)block.n_threads * launch->local_bytes + 1);
  memset(result, 0, sizeof *result);
  enum qsm_ref_status status = QSM_REF_NO_MEMORY;
  if (block.threads != NULL && block.shared != NULL && block.local != NULL) {
    uint64_t before = ref->n_instructions;
    status = run_grid(ref, launch, &block, &result->fault);
    result->n_instructions = ref->n_instructions - before;
  }
  free(block.threads);
  free(block.shared);
  free(block.local);
  return status;
}
