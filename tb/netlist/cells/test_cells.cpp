// SPDX-License-Identifier: Apache-2.0
// Models of the ECP5's cells (docs/netlist.md R-NL-4, R-NL-5): LUT4, flip-flops and distributed RAM
// against Yosys' models, block RAM against bytes in an array, in every width and way of writing
// that the model takes, the multiplier against C++. Usage: test_cells [SEED]. Output: TAP.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "Vqsm_cells_bench.h"
#include "verilated.h"

namespace {

constexpr uint32_t kRams = 7, kBytes = 2048, kCycles = 60000;

enum Mode { kHold, kNew, kOld };
struct Kind {
  uint32_t width[2];
  Mode mode[2];
};
const Kind kKinds[kRams] = {{{9, 9}, {kHold, kHold}},   {{18, 18}, {kNew, kOld}},
                            {{9, 18}, {kOld, kNew}},    {{18, 9}, {kHold, kNew}},
                            {{36, 36}, {kHold, kHold}}, {{36, 18}, {kHold, kHold}},
                            {{36, 9}, {kHold, kHold}}};

struct Port {
  uint32_t ad, di;
  bool ce, we, rst;
};

// Bytes of nine bits; a port of so many bits has the first address below.
struct Ram {
  Kind kind;
  uint16_t bytes[kBytes] = {};
  uint64_t out[2] = {};

  bool wide() const { return kind.width[0] == 36; }
  uint32_t n_bytes(int p) const { return kind.width[p] / 9; }
  uint32_t first(int p, uint32_t ad) const { return (ad >> 3) / n_bytes(p) * n_bytes(p); }
  bool writes(int p, const Port &port) const {
    return port.ce && port.we && !port.rst && !(p == 1 && wide());
  }
  bool enabled(int p, const Port &port, uint32_t b) const {
    return n_bytes(p) == 1 || (port.ad >> b & 1);
  }
  // Is this byte written by the port in this cycle?
  bool hits(int p, const Port &port, uint32_t byte) const {
    if (!writes(p, port)) return false;
    const uint32_t at = first(p, port.ad);
    return byte >= at && byte < at + n_bytes(p) && enabled(p, port, byte - at);
  }
  void cycle(const Port (&ports)[2], uint64_t row) {
    uint16_t before[kBytes];
    std::memcpy(before, bytes, sizeof bytes);
    for (int p = 0; p < 2; p++) {
      const uint64_t data = wide() ? row : ports[p].di;
      const uint32_t at = first(p, ports[p].ad);
      for (uint32_t b = 0; b < n_bytes(p); b++)
        if (hits(p, ports[p], at + b)) bytes[at + b] = static_cast<uint16_t>(data >> 9 * b & 0x1ff);
    }
    for (int p = 0; p < 2; p++) read(p, ports, before);
  }
  // What the other port writes in the same cycle makes all that is read of that row unknown: the
  // model gives the complement, of all of the word.
  void read(int p, const Port (&ports)[2], const uint16_t *before) {
    const Port &port = ports[p];
    if (port.rst) {
      out[p] = 0;
      return;
    }
    const bool own = writes(p, port);
    if (!port.ce || (own && kind.mode[p] == kHold)) return;
    const uint32_t at = first(p, port.ad);
    bool clash = false;
    for (uint32_t b = 0; b < n_bytes(p); b++) clash |= hits(1 - p, ports[1 - p], at + b);
    out[p] = 0;
    for (uint32_t b = 0; b < n_bytes(p); b++) {
      uint64_t byte = before[at + b];
      if (own && kind.mode[p] == kNew) {
        if (hits(p, port, at + b)) byte = port.di >> 9 * b & 0x1ff;
      } else if (clash) {
        byte = ~byte & 0x1ff;
      }
      out[p] |= byte << 9 * b;
    }
  }
};

class Bench {
 public:
  explicit Bench(uint32_t seed) : random_(seed) {
    top.gsr_ni = 1;
    edge();
    top.gsr_ni = 0;
    edge();
    reset_works = !top.ff_reset_o;
    top.gsr_ni = 1;
  }
  void edge() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }
  uint32_t draw() { return random_(); }

  // Once with every value of the flip-flops and every word of the distributed RAM known.
  bool small_cells() {
    bool equal = true;
    for (uint32_t n = 0; n < 4000; n++) {
      top.lut_i = n & 15;
      top.lsr_i = draw() % 4 == 0;
      top.ce_i = draw() & 1;
      top.di_i = draw() & 1;
      top.dpr_di_i = draw() & 15;
      top.dpr_wad_i = n < 16 ? n : draw() & 15;
      top.dpr_rad_i = draw() & 15;
      top.dpr_wre_i = n < 16 || (draw() & 1);
      edge();
      for (uint32_t w = 0; w < 4; w++) equal &= top.lut_differs_o[w] == 0;
      if (n >= 16) equal &= top.ff_differs_o == 0 && top.dpr_o == top.dpr_yosys_o;
    }
    top.lsr_i = 0;
    return equal;
  }

  bool products() {
    for (uint32_t n = 0; n < 100000; n++) {
      static const uint32_t edges[] = {0, 1, 0x1ffff, 0x20000, 0x3ffff};
      const uint32_t a = n < 100 ? edges[n % 5] : draw() & 0x3ffff,
                     b = n < 100 ? edges[n / 5 % 5] : draw() & 0x3ffff, sign = n / 25 % 4;
      top.a_i = a;
      top.b_i = b;
      top.signed_i = static_cast<uint8_t>(sign);
      top.eval();
      const int64_t x = sign & 1 && a >> 17 ? int64_t{a} - 0x40000 : a,
                    y = sign & 2 && b >> 17 ? int64_t{b} - 0x40000 : b;
      if (top.product_o != (static_cast<uint64_t>(x * y) & UINT64_C(0xfffffffff))) return false;
    }
    return true;
  }

  // All bytes first: by port A alone, as its width has it, each with its own data.
  void fill(Ram *rams) {
    for (uint32_t ad = 0; ad < 1u << 14; ad += 8) {
      Port ports[2] = {{ad | 0xf, draw() & 0x3ffff, true, true, false},
                       {0, draw() & 0x3ffff, 0, 0, 0}};
      step(rams, ports);
    }
  }
  bool step(Ram *rams, const Port (&ports)[2]) {
    top.ada_i = static_cast<uint16_t>(ports[0].ad);
    top.adb_i = static_cast<uint16_t>(ports[1].ad);
    top.dia_i = ports[0].di;
    top.dib_i = ports[1].di;
    top.cea_i = ports[0].ce;
    top.wea_i = ports[0].we;
    top.rsta_i = ports[0].rst;
    top.ceb_i = ports[1].ce;
    top.web_i = ports[1].we;
    top.rstb_i = ports[1].rst;
    edge();
    bool equal = true;
    for (uint32_t i = 0; i < kRams; i++) {
      rams[i].cycle(ports, ports[0].di | uint64_t{ports[1].di} << 18);
      const uint64_t seen_a = pins(top.doa_o, i), seen_b = pins(top.dob_o, i);
      if (rams[i].kind.width[1] == 36)
        equal &= (seen_a | seen_b << 18) == rams[i].out[1];
      else
        equal &= (rams[i].wide() || seen_a == rams[i].out[0]) && seen_b == rams[i].out[1];
      if (!equal && bad_ram == kRams) bad_ram = i;
    }
    return equal;
  }
  // Two words of two rows, so that ports meet.
  bool block_rams() {
    static Ram rams[kRams];
    for (uint32_t i = 0; i < kRams; i++) rams[i].kind = kKinds[i];
    fill(rams);
    for (uint32_t i = 0; i < kRams; i++) rams[i].out[0] = rams[i].out[1] = 0;
    const Port clear[2] = {{0, 0, true, false, true}, {0, 0, true, false, true}};
    step(rams, clear);
    bad_ram = kRams;
    for (uint32_t n = 0; n < kCycles; n++) {
      Port ports[2];
      for (Port &port : ports)
        port = {draw() & (n % 3 ? 0x003fu : 0x3fffu), draw() & 0x3ffff, draw() % 4 != 0,
                (draw() & 1) != 0, draw() % 16 == 0};
      // Two writes of one word have no meaning.
      if (ports[0].we && ports[1].we && ports[0].ad >> 5 == ports[1].ad >> 5) ports[1].we = false;
      if (!step(rams, ports)) {
        std::printf("# cycle %u, block RAM %u of the list\n", n, bad_ram);
        return false;
      }
    }
    return true;
  }

  Vqsm_cells_bench top;
  bool reset_works = false;
  uint32_t bad_ram = kRams;

 private:
  template <class T>
  static uint64_t pins(const T &port, uint32_t i) {
    uint64_t value = 0;
    for (uint32_t b = 0; b < 18; b++)
      value |= uint64_t{port[(18 * i + b) / 32] >> (18 * i + b) % 32 & 1} << b;
    return value;
  }
  std::mt19937 random_;
};

int n_done = 0;
void verdict(bool ok, const char *what) {
  std::printf("%s %d - %s\n", ok ? "ok" : "not ok", ++n_done, what);
}

}  // namespace

int main(int argc, char **argv) {
  const uint32_t seed = argc > 1 ? static_cast<uint32_t>(std::strtoul(argv[1], nullptr, 10)) : 1;
  std::printf("# seed %u\n", seed);
  Bench bench(seed);
  verdict(bench.reset_works, "the global reset gives each flip-flop its value at once (R-NL-4)");
  verdict(bench.small_cells(),
          "LUT4, flip-flops and distributed RAM are as Yosys has them (R-NL-5)");
  verdict(bench.products(), "products of 18 bits, signed or not, are those of C++ (R-NL-5)");
  verdict(bench.block_rams(), "block RAM of 9, 18 and 36 bits, in all ways of writing (R-NL-5)");
  return 0;
}
