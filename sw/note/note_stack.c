// SPDX-License-Identifier: Apache-2.0
// Calls and movements of sp in the code of a linked program, and the deepest chain of calls.
#include <stdlib.h>

#include "note_program.h"

enum { RA = 1, SP = 2, T0 = 5, S0 = 8 };
enum {
  OP_AUIPC = 0x17,
  OP_LUI = 0x37,
  OP_IMM = 0x13,
  OP_REG = 0x33,
  OP_BRANCH = 0x63,
  OP_JALR = 0x67,
  OP_JAL = 0x6F,
  OP_STORE = 0x23,
  OP_FENCE = 0x0F
};

static uint32_t bits(uint32_t word, unsigned high, unsigned low) {
  return word << (31 - high) >> (31 - high + low);
}
static uint32_t sign_extend(uint32_t value, unsigned n_bits) {
  uint32_t sign = 1u << (n_bits - 1);
  return (value ^ sign) - sign;
}
static uint32_t opcode(uint32_t word) { return bits(word, 6, 0); }
static uint32_t rd(uint32_t word) { return bits(word, 11, 7); }
static uint32_t rs1(uint32_t word) { return bits(word, 19, 15); }
static uint32_t rs2(uint32_t word) { return bits(word, 24, 20); }
static uint32_t funct3(uint32_t word) { return bits(word, 14, 12); }
static uint32_t imm_i(uint32_t word) { return sign_extend(bits(word, 31, 20), 12); }
static uint32_t imm_b(uint32_t word) {
  return sign_extend(bits(word, 31, 31) << 12 | bits(word, 7, 7) << 11 | bits(word, 30, 25) << 5 |
                         bits(word, 11, 8) << 1,
                     13);
}
static uint32_t imm_j(uint32_t word) {
  return sign_extend(bits(word, 31, 31) << 20 | bits(word, 19, 12) << 12 |
                         bits(word, 20, 20) << 11 | bits(word, 30, 21) << 1,
                     21);
}

static bool writes(uint32_t word, uint32_t number) {
  return opcode(word) != OP_BRANCH && opcode(word) != OP_STORE && opcode(word) != OP_FENCE &&
         rd(word) == number;
}

static int add_call(struct function *function, struct call call) {
  struct call *grown = realloc(function->calls, (function->n_calls + 1) * sizeof *grown);
  if (!grown) return -1;
  function->calls = grown;
  grown[function->n_calls++] = call;
  return 0;
}

static int add_target(struct program *program, struct function *function, uint32_t at,
                      uint32_t target) {
  int32_t i = program_function_at(program, target);
  return add_call(function,
                  (struct call){at, i, i == NO_FUNCTION ? TROUBLE_OUTSIDE : TROUBLE_NONE});
}

static bool is_inside(const struct function *function, uint32_t address) {
  return address >= function->address && address - function->address < function->n_bytes;
}

// A jump through a register is a switch, or a call through a pointer that does not come back.
// Optimised code says which; other compiled code has no such calls, and the target of a switch is a
// sum: the table's address and its entry.
static bool is_switch(const struct program *program, const struct function *function, uint32_t at) {
  int is_call = program_is_call(program, function->address, at);
  if (is_call >= 0) return is_call == 0;
  uint32_t number = rs1(program_word(program, at));
  for (uint32_t before = at; before > function->address;) {
    before -= 4;
    uint32_t word = program_word(program, before);
    if (writes(word, number))
      return opcode(word) == OP_REG && funct3(word) == 0 && bits(word, 31, 25) == 0;
  }
  return false;
}

static int decode_jalr(struct program *program, struct function *function, uint32_t at,
                       uint32_t word) {
  uint32_t before = at > function->address ? program_word(program, at - 4) : 0;
  if (opcode(before) == OP_AUIPC && rd(before) == rs1(word)) {
    uint32_t target = at - 4 + (before & 0xFFFFF000) + imm_i(word);
    return rd(word) == 0 && is_inside(function, target) ? 0
                                                        : add_target(program, function, at, target);
  }
  bool is_return = rd(word) == 0 && (rs1(word) == RA || rs1(word) == T0);
  if (is_return || (rd(word) == 0 && is_switch(program, function, at))) return 0;
  return add_call(function, (struct call){at, NO_FUNCTION, TROUBLE_POINTER});
}

static int decode_calls(struct program *program, struct function *function) {
  for (uint32_t at = function->address; at - function->address + 4 <= function->n_bytes; at += 4) {
    uint32_t word = program_word(program, at), op = opcode(word);
    uint32_t target = at + (op == OP_JAL ? imm_j(word) : imm_b(word));
    bool is_call = op == OP_JAL && rd(word) != 0, is_jump = op == OP_JAL || op == OP_BRANCH;
    int error = 0;
    if (op == OP_JALR) error = decode_jalr(program, function, at, word);
    if (is_call || (is_jump && !is_inside(function, target)))
      error = add_target(program, function, at, target);
    if (error) return error;
  }
  return 0;
}

// Registers with known values, as far as the code before says: the prologue of a large frame loads
// its size.
struct values {
  uint32_t known, value[32];
};

static void follow_values(struct values *values, uint32_t word) {
  uint32_t to = rd(word), from = rs1(word), value = 0;
  bool known = false;
  if (opcode(word) == OP_BRANCH || opcode(word) == OP_STORE || opcode(word) == OP_FENCE) return;
  if (opcode(word) == OP_LUI) {
    known = true;
    value = word & 0xFFFFF000;
  } else if (opcode(word) == OP_IMM && funct3(word) == 0) {
    known = from == 0 || (values->known >> from & 1);
    value = (from == 0 ? 0 : values->value[from]) + imm_i(word);
  } else if (opcode(word) == OP_IMM && funct3(word) == 1) {
    known = values->known >> from & 1;
    value = values->value[from] << rs2(word);
  }
  values->known = (values->known & ~(1u << to)) | (uint32_t)known << to;
  values->value[to] = value;
}

// What an instruction that writes sp takes from the stack at most. Returns -1 when the code does
// not say.
static int bytes_taken(const struct values *values, uint32_t word, uint32_t *taken) {
  uint32_t op = opcode(word), f3 = funct3(word);
  *taken = 0;
  if ((op == OP_IMM || op == OP_REG) && f3 == 0 && rs1(word) == S0)
    return 0;  // back to a frame of known place
  if (op == OP_IMM && f3 == 0 && rs1(word) == SP) {
    if (imm_i(word) >> 31) *taken = 0 - imm_i(word);
    return 0;
  }
  if (op == OP_REG && f3 == 0 && rs1(word) == SP && (values->known >> rs2(word) & 1)) {
    uint32_t change = bits(word, 30, 30) ? 0 - values->value[rs2(word)] : values->value[rs2(word)];
    if (change >> 31) *taken = 0 - change;
    return 0;
  }
  // Frames that are aligned beyond 16.
  uint32_t align = op == OP_IMM && f3 == 7 && rs1(word) == SP ? 0 - imm_i(word)
                   : op == OP_IMM && f3 == 1                  ? 1u << rs2(word)
                                                              : 0;
  if (align == 0 || (align & (align - 1))) return -1;
  *taken = align > NOTE_STACK_ALIGN ? align - NOTE_STACK_ALIGN : 0;
  return 0;
}

static bool aligns(uint32_t word) {
  return opcode(word) == OP_IMM && (funct3(word) == 7 || funct3(word) == 1);
}

// The compiler's figure and the code must agree: otherwise assembler in the function moves sp, too.
// A frame of assembler alone is what its source says.
static void check_frame(const struct program *program, struct function *function) {
  struct values values = {0};
  uint64_t moved = 0, aligned = 0;
  bool is_known = true, moves = false;
  Dwarf_Die die;
  for (uint32_t at = function->address; at - function->address + 4 <= function->n_bytes; at += 4) {
    uint32_t word = program_word(program, at), taken = 0;
    if (writes(word, SP)) {
      moves = true;
      if (bytes_taken(&values, word, &taken)) is_known = false;
      *(aligns(word) ? &aligned : &moved) += taken;
    }
    follow_values(&values, word);
  }
  bool is_in_doubt = function->has_frame ? !is_known || moved != function->frame : moves;
  if (is_in_doubt) {
    bool is_compiled = program_subprogram(program, function->address, &die);
    if (!function->has_frame)
      function->trouble = is_compiled ? TROUBLE_DYNAMIC : TROUBLE_MOVES_SP;
    else if (is_compiled)
      function->trouble = TROUBLE_MOVES_SP;
  }
  if (aligned < INT32_MAX - (uint64_t)function->frame) function->frame += (uint32_t)aligned;
}

int program_decode(struct program *program) {
  for (size_t i = 0; i < program->n_functions; i++) {
    if (decode_calls(program, &program->functions[i])) return -1;
    check_frame(program, &program->functions[i]);
  }
  return 0;
}

enum visit { NEW, ACTIVE, DONE };

struct search {
  const struct program *program;
  stack_report *report;
  void *ctx;
  uint8_t *visits;
  uint64_t *depths;  // of functions that are done
  int32_t *chain;
  size_t n_chain;
};

static void tell(struct search *search, enum trouble trouble, int32_t last, uint32_t at) {
  size_t n = search->n_chain;
  if (last != NO_FUNCTION) search->chain[n++] = last;
  search->report(search->ctx, search->program, trouble, search->chain, n, at);
}

static uint64_t search_from(struct search *search, int32_t i) {
  const struct function *function = &search->program->functions[i];
  uint64_t deepest = 0;
  search->visits[i] = ACTIVE;
  search->chain[search->n_chain++] = i;
  if (function->trouble) tell(search, function->trouble, NO_FUNCTION, function->address);
  for (size_t k = 0; k < function->n_calls; k++) {
    const struct call *call = &function->calls[k];
    if (call->trouble) {
      tell(search, call->trouble, NO_FUNCTION, call->at);
    } else if (search->visits[call->target] == ACTIVE) {
      tell(search, TROUBLE_RECURSION, call->target, call->at);
    } else {
      uint64_t depth = search->visits[call->target] == DONE ? search->depths[call->target]
                                                            : search_from(search, call->target);
      if (depth > deepest) deepest = depth;
    }
  }
  search->n_chain--;
  search->visits[i] = DONE;
  return search->depths[i] = function->frame + deepest;
}

int program_stack(const struct program *program, int32_t function, stack_report *report, void *ctx,
                  uint32_t *n_bytes) {
  size_t n = program->n_functions;
  struct search search = {.program = program,
                          .report = report,
                          .ctx = ctx,
                          .visits = calloc(n, sizeof(uint8_t)),
                          .depths = calloc(n, sizeof(uint64_t)),
                          .chain = calloc(n + 1, sizeof(int32_t))};
  bool has_room = search.visits && search.depths && search.chain;
  if (has_room) {
    uint64_t depth = search_from(&search, function);
    *n_bytes = depth > INT32_MAX ? INT32_MAX : (uint32_t)depth;
  }
  free(search.visits);
  free(search.depths);
  free(search.chain);
  return has_room ? 0 : -1;
}
