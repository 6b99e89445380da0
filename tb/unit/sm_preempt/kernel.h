// SPDX-License-Identifier: Apache-2.0
// A kernel whose threads keep something everywhere: registers, shared memory, call depth, lanes
// apart, some at barriers; and what it computes.
#ifndef KERNEL_H
#define KERNEL_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../subcore/asm.hpp"

namespace kernel {

constexpr uint32_t kRounds = 3, kFirstKept = 12, kLastKept = 31;  // x12 … x31 are kept all the way

// One pass of an assembler: `labels` are those of the pass before it.
class Pass {
 public:
  explicit Pass(const std::map<std::string, size_t> &labels) : known_(labels) {}
  void label(const std::string &name) { labels[name] = program.size(); }
  void emit(uint32_t word) { program.push_back(word); }
  int32_t to(const std::string &name) const {
    const auto at = known_.find(name);
    return at == known_.end()
               ? 0
               : 4 * (static_cast<int32_t>(at->second) - static_cast<int32_t>(program.size()));
  }
  Program program;
  std::map<std::string, size_t> labels;

 private:
  std::map<std::string, size_t> known_;
};

// arg: word 0 counts threads (if `counts`), word 1 + g is the result of thread g of the grid.
inline void write_kernel(Pass &p, bool counts) {
  constexpr uint32_t link = 1, at = 2, rounds = 3, temp = 4, g = 5, acc = 6, tid = 7, turns = 8,
                     t = 9, shared = 10, arg = 11;
  p.emit(csrr(tid, CSR_TID));
  p.emit(csrr(g, CSR_CTAID_X));
  p.emit(csrr(t, CSR_NTID_X));
  p.emit(mul(g, g, t));
  p.emit(add(g, g, tid));
  p.emit(lui(shared, 0x10000000));
  p.emit(csrr(arg, CSR_ARG));
  p.emit(addi(acc, g, 1));
  for (uint32_t r = kFirstKept; r <= kLastKept; r++) {  // x_r = r * g
    p.emit(addi(temp, 0, static_cast<int32_t>(r)));
    p.emit(mul(r, g, temp));
  }
  p.emit(addi(rounds, 0, kRounds));
  p.label("round");
  p.emit(alu_imm(7, turns, acc, 7));
  p.label("turn");  // each lane its own number of them
  p.emit(branch(0, turns, 0, p.to("after")));
  p.emit(jal(link, p.to("function")));
  p.emit(jal(0, p.to("turn")));
  p.label("after");
  p.emit(alu_imm(1, at, tid, 2));  // shared[tid] = acc
  p.emit(add(at, at, shared));
  p.emit(store(2, acc, at, 0));
  p.emit(fence());
  p.emit(bar());
  p.emit(addi(at, tid, 1));  // acc += shared[(tid + 1) % ntid]
  p.emit(csrr(t, CSR_NTID_X));
  p.emit(alu(6, 1, at, at, t));
  p.emit(alu_imm(1, at, at, 2));
  p.emit(add(at, at, shared));
  p.emit(load(2, t, at, 0));
  p.emit(add(acc, acc, t));
  p.emit(bar());
  p.emit(addi(rounds, rounds, -1));
  p.emit(branch(1, rounds, 0, p.to("round")));
  for (uint32_t r = kFirstKept; r <= kLastKept; r++) p.emit(alu(4, 0, acc, acc, r));  // acc ^= x_r
  if (counts) {
    p.emit(addi(at, 0, 1));
    p.emit(amoadd(0, at, arg));
  }
  p.emit(alu_imm(1, at, g, 2));
  p.emit(add(at, at, arg));
  p.emit(store(2, acc, at, 4));
  p.emit(exit_());
  p.label("function");  // one turn; odd values go deeper
  p.emit(addi(turns, turns, -1));
  p.emit(alu_imm(7, t, acc, 1));
  p.emit(branch(1, t, 0, p.to("odd")));
  p.emit(alu_imm(5, acc, acc, 1));
  p.emit(jalr(0, link, 0));
  p.label("odd");
  p.emit(addi(temp, link, 0));
  p.emit(jal(link, p.to("triple")));
  p.emit(addi(link, temp, 0));
  p.emit(jalr(0, link, 0));
  p.label("triple");
  p.emit(addi(t, 0, 3));
  p.emit(mul(acc, acc, t));
  p.emit(addi(acc, acc, 1));
  p.emit(jalr(0, link, 0));
}

inline Program make(bool counts) {
  Pass first({});
  write_kernel(first, counts);
  Pass second(first.labels);
  write_kernel(second, counts);
  return second.program;
}

// Results of a block's threads.
inline std::vector<uint32_t> expected(uint32_t block, uint32_t n_threads) {
  std::vector<uint32_t> acc(n_threads), shared(n_threads);
  for (uint32_t t = 0; t < n_threads; t++) acc[t] = block * n_threads + t + 1;
  for (uint32_t n = 0; n < kRounds; n++) {
    for (uint32_t t = 0; t < n_threads; t++) {
      for (uint32_t turns = acc[t] % 8; turns > 0; turns--)
        acc[t] = acc[t] % 2 ? 3 * acc[t] + 1 : acc[t] / 2;
      shared[t] = acc[t];
    }
    for (uint32_t t = 0; t < n_threads; t++) acc[t] += shared[(t + 1) % n_threads];
  }
  for (uint32_t t = 0; t < n_threads; t++)
    for (uint32_t r = kFirstKept; r <= kLastKept; r++) acc[t] ^= r * (block * n_threads + t);
  return acc;
}

}  // namespace kernel

#endif
