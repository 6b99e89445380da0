// SPDX-License-Identifier: Apache-2.0
// Random programs for the sub-core bench: all arithmetic, that of floats too if there is an FPU,
// loads and stores to the thread's own bytes, nested branches, loops, jump tables, calls, barriers
// and early exits. Without races, so the reference may run thread after thread. Every program ends
// and stores its registers.
#ifndef QSM_TB_PROGRAM_H
#define QSM_TB_PROGRAM_H

#include <random>

#include "asm.hpp"
#include "ref.hpp"

constexpr uint32_t THREAD_BYTES = 256, OWN_BYTES = 64, SHARED_COUNTER = 0x7F00;

// x1 return address, x2 own bytes, x3 shared counter, x4 scratch, x5 return address of calls that
// call, x26.. loop counters; x6..x23 data.
class Generator {
 public:
  Generator(std::mt19937 &random, bool with_floats) : rng(random), floats(with_floats) {}

  Program make(uint32_t size) {
    prologue();
    body(size, 0);
    epilogue();
    if (leaf_calls.size() + outer_calls.size() > 0) functions();
    return out;
  }

 private:
  std::mt19937 &rng;
  bool floats;
  Program out;
  std::vector<size_t> leaf_calls, outer_calls;

  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(rng() % n); }
  uint32_t any() { return 6 + pick(18); }
  uint32_t source() { return pick(8) == 0 ? 0 : any(); }
  void emit(uint32_t word) { out.push_back(word); }
  int32_t offset(size_t from, size_t to) {
    return 4 * (static_cast<int32_t>(to) - static_cast<int32_t>(from));
  }

  void constant(uint32_t rd) {
    static const uint32_t corner[] = {0,  1,  2,      0xFFFFFFFFu, 0x80000000u, 0x7FFFFFFFu,
                                      31, 32, 0xFFFF, 0x10000,     0x80000001u, 0xAAAAAAAAu};
    const uint32_t value = pick(2) ? corner[pick(12)] : static_cast<uint32_t>(rng());
    emit(lui(rd, value + 0x800));
    emit(addi(rd, rd, static_cast<int32_t>(value << 20) >> 20));
  }

  void prologue() {
    emit(csrr(6, CSR_CTAID_X));
    emit(alu_imm(1, 6, 6, 4));
    emit(csrr(7, CSR_TID));
    emit(add(6, 6, 7));
    emit(alu_imm(1, 6, 6, 8));
    emit(lui(3, DATA_BASE));
    emit(add(2, 3, 6));
    emit(lui(4, 0x8000));
    emit(add(3, 3, 4));
    emit(addi(3, 3, static_cast<int32_t>(SHARED_COUNTER) - 0x8000));
    for (uint32_t rd = 8; rd < 24; rd++)
      if (pick(2)) constant(rd);  // the others are 0
    for (uint32_t i = 0; i < 4; i++) emit(add(any(), 7, any()));
  }

  void epilogue() {
    for (uint32_t r = 6; r < 24; r++) emit(store(2, r, 2, static_cast<int32_t>(OWN_BYTES + 4 * r)));
    emit(exit_());
  }

  void float_arithmetic() {
    const fp_op op = static_cast<fp_op>(pick(FP_N_OPS));
    const uint32_t rm = pick(FP_N_MODES + 1);
    emit(fp_encode(op, rm == FP_N_MODES ? 7 : rm, pick(12) ? any() : 0, source(), source(),
                   source()));
  }

  void arithmetic() {
    if (floats && pick(2)) return float_arithmetic();
    const uint32_t f3 = pick(8);
    switch (pick(6)) {
      case 0: emit(alu(f3, 0, any(), source(), source())); break;
      case 1: emit(alu(pick(2) ? 5 : 0, 0x20, any(), source(), source())); break;
      case 2: emit(alu(pick(4), 1, any(), source(), source())); break;
      case 3:
        if (f3 == 1)
          emit(alu_imm(1, any(), source(), static_cast<int32_t>(pick(32))));
        else if (f3 == 5)
          emit(alu_imm(5, any(), source(), static_cast<int32_t>(pick(32) | (pick(2) << 10))));
        else
          emit(alu_imm(f3, any(), source(), static_cast<int32_t>(pick(4096)) - 2048));
        break;
      case 4:
        emit(pick(2) ? lui(any(), static_cast<uint32_t>(rng()))
                     : auipc(any(), static_cast<uint32_t>(rng())));
        break;
      default:
        if (pick(4) == 0)
          emit(alu(4 + pick(4), 1, pick(8) ? any() : 0, source(), source()));
        else
          emit(csrr(any(), pick(2) ? CSR_TID : CSR_LANE));
    }
  }

  void memory() {
    static const uint32_t loads[] = {0, 1, 2, 4, 5};
    if (pick(6) == 0) {
      emit(amoadd(0, any(), 3));
    } else if (pick(2)) {
      const uint32_t f3 = loads[pick(5)], size = 1u << (f3 & 3);
      emit(load(f3, pick(8) ? any() : 0, 2, static_cast<int32_t>(pick(OWN_BYTES / size) * size)));
    } else {
      const uint32_t f3 = pick(3), size = 1u << f3;
      emit(store(f3, source(), 2, static_cast<int32_t>(pick(OWN_BYTES / size) * size)));
    }
  }

  uint32_t condition() {
    static const uint32_t f3[] = {0, 1, 4, 5, 6, 7};
    return f3[pick(6)];
  }

  void choice(uint32_t size,
              uint32_t level) {  // if, perhaps with else; an empty body branches to the next word
    const uint32_t f3 = condition(), a = source(), b = source();
    const size_t at = out.size();
    emit(0);
    body(pick(4) ? size / 2 : 0, level + 1);
    if (pick(2)) {
      const size_t skip = out.size();
      emit(0);
      out[at] = branch(f3, a, b, offset(at, out.size()));
      body(size / 2, level + 1);
      out[skip] = jal(0, offset(skip, out.size()));
    } else {
      out[at] = branch(f3, a, b, offset(at, out.size()));
    }
  }

  void loop(uint32_t size, uint32_t level) {
    const uint32_t counter = 26 + level;
    emit(alu_imm(7, counter, any(), 3));
    emit(addi(counter, counter, 1));
    const size_t at = out.size();
    body(size, level + 1);
    emit(addi(counter, counter, -1));
    emit(branch(1, counter, 0, offset(out.size(), at)));
  }

  void table() {  // four entries of two words, chosen by data
    emit(alu_imm(7, 4, any(), 3));
    emit(alu_imm(1, 4, 4, 3));
    emit(auipc(24, 0));
    emit(add(4, 4, 24));
    emit(jalr(0, 4, 12));
    const size_t first = out.size();
    for (uint32_t i = 0; i < 4; i++) {
      emit(addi(any(), any(), static_cast<int32_t>(i) + 1));
      emit(jal(0, offset(out.size(), first + 8)));
    }
  }

  void body(uint32_t size, uint32_t level) {
    while (size > 0) {
      const uint32_t kind = pick(24);
      uint32_t cost = 1;
      if (kind < 11) {
        arithmetic();
      } else if (kind < 16) {
        memory();
      } else if (kind < 19 && level < 4) {
        cost = 1 + pick(size);
        choice(cost, level);
      } else if (kind == 19 && level < 4) {
        cost = 1 + pick(size < 10 ? size : 10);
        loop(cost, level);
      } else if (kind == 20) {
        cost = 4;
        table();
      } else if (kind == 21) {
        (pick(2) ? leaf_calls : outer_calls).push_back(out.size());
        emit(0);
      } else if (kind == 22) {
        emit(pick(4) ? fence() : bar());
      } else if (pick(8) == 0) {
        emit(branch(condition(), source(), source(), 8));
        emit(exit_());
      }
      size = cost < size ? size - cost : 0;
    }
  }

  void functions() {
    const size_t outer = out.size();
    arithmetic();
    emit(addi(5, 1, 0));
    leaf_calls.push_back(out.size());
    emit(0);
    arithmetic();
    emit(jalr(0, 5, 0));
    const size_t leaf = out.size();
    for (uint32_t i = 0; i < 4; i++) arithmetic();
    emit(branch(condition(), source(), source(), 8));
    arithmetic();
    emit(jalr(0, 1, 0));
    for (size_t at : leaf_calls) out[at] = jal(1, offset(at, leaf));
    for (size_t at : outer_calls) out[at] = jal(1, offset(at, outer));
  }
};

#endif
