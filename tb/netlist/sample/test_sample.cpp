// SPDX-License-Identifier: Apache-2.0
// RTL and netlist of qsm_sample_blocks with random inputs, all outputs compared in every cycle from
// the one on in which every word has been written. Usage: test_sample SEED CYCLES. Says the cycle
// of the first difference, or that there is none.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "Vqsm_sample_bench.h"
#include "verilated.h"

namespace {

constexpr uint32_t kRowBits = 36, kWords = 2048;

class Bench {
 public:
  explicit Bench(uint32_t seed) : random_(seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed % 1000000) + 1);
    top = new Vqsm_sample_bench(&context);
  }
  ~Bench() { delete top; }

  void reset() {
    top->rst_ni = 1;
    eval(0);
    top->rst_ni = 0;
    eval(0);
    top->rst_ni = 1;
    eval(0);
  }
  // Every word of every memory once, and every register.
  void fill() {
    for (uint32_t at = 0; at < kWords; at++) {
      draw();
      put(kRowBits + 64, 11, at);                    // write_addr
      put(kRowBits + 64 + 11, 11, kWords - 1 - at);  // read_addr
      put(kRowBits + 64 + 22, 4, 15);                // write
      put(kRowBits + 64 + 26, 4, 3);                 // read, small_write
      cycle();
    }
    for (int n = 0; n < 64; n++) {
      draw();
      put(kRowBits + 64 + 22, 8, n % 2 ? 0xa0 : 0xe0);
      cycle();
    }
  }
  // Few addresses, so that what is written is read.
  bool equal(uint32_t cycles, uint32_t *at) {
    for (*at = 0; *at < cycles; ++*at) {
      draw();
      const uint32_t few = random_() % 3 ? 0x403 : 0x7ff;
      put(kRowBits + 64, 11, random_() & few);
      put(kRowBits + 64 + 11, 11, random_() & few);
      eval(0);
      for (std::size_t w = 0; w < sizeof top->rtl_o / sizeof(uint32_t); w++)
        if (top->rtl_o[w] != top->netlist_o[w]) {
          std::printf("word %zu of the outputs: RTL %08x, netlist %08x\n", w, top->rtl_o[w],
                      top->netlist_o[w]);
          return false;
        }
      eval(1);
    }
    return true;
  }

 private:
  void draw() {
    for (std::size_t w = 0; w < sizeof top->in_i / sizeof(uint32_t); w++) top->in_i[w] = random_();
    top->in_i[4] &= 3;  // 130 bits
  }
  void put(uint32_t bit, uint32_t width, uint32_t value) {
    for (uint32_t b = 0; b < width; b++, bit++) {
      top->in_i[bit / 32] &= ~(1u << bit % 32);
      top->in_i[bit / 32] |= (value >> b & 1) << bit % 32;
    }
  }
  void eval(int clk) {
    top->clk_i = static_cast<uint8_t>(clk);
    top->eval();
  }
  void cycle() {
    eval(0);
    eval(1);
  }

  std::mt19937 random_;
  VerilatedContext context;
  Vqsm_sample_bench *top;
};

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const uint32_t seed = static_cast<uint32_t>(std::strtoul(argv[1], nullptr, 10)),
                 cycles = static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10));
  Bench bench(seed);
  for (int run = 0; run < 2; run++) {
    uint32_t at = 0;
    bench.reset();
    bench.fill();
    if (!bench.equal(cycles, &at)) {
      std::printf("they differ in cycle %u of run %d\n", at, run);
      return 1;
    }
  }
  std::printf("equal in 2 * %u cycles\n", cycles);
  return 0;
}
