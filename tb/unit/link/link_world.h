// SPDX-License-Identifier: Apache-2.0
// What is around the link: a line that carries bytes, a GPU (registers, a clock, an interrupt), a
// memory behind AXI4. The GPU and the memory do what the link asks; the expectation of what it
// should ask stands in test_link.cpp.
#ifndef LINK_WORLD_H
#define LINK_WORLD_H

#include <deque>
#include <map>

#include "Vqsm_link_bench.h"

#include "../common/qsm_unit.h"
#include "link_frames.h"

constexpr unsigned kBeatBytes = DATA_W / 8;
constexpr uint32_t kBase = 0x80000000u, kMemBytes = 0x10000;
constexpr unsigned kClkPerBit = CLK_PER_BIT;

// Registers: words below 0x1000, those above 0x800 read-only.
struct Registers {
  std::map<uint32_t, uint32_t> words;
  static bool exists(uint32_t addr) { return addr % 4 == 0 && addr < 0x1000; }
  bool write(uint32_t addr, uint32_t value) {
    if (!exists(addr) || addr >= 0x800) return false;
    words[addr] = value;
    return true;
  }
  bool read(uint32_t addr, uint32_t &value) {
    value = 0;
    if (!exists(addr)) return false;
    value = addr >= 0x800 ? addr * 0x10203 : words[addr];
    return true;
  }
};

struct Manners {
  unsigned send = 16, take = 16;  // of 16: a byte comes, is taken (bytes only)
  unsigned axi = 16;              // of 16: a ready, an answer
  unsigned hold = 0;              // of 16: the answer comes a cycle later (R-CP-12)
  bool memory_silent = false, port_silent = false, never_drained = false;
  uint32_t bad_beat = 0;  // its address: answered with an error
};

class World {
 public:
  World(qsm_unit::Tap &tap, qsm_unit::Random &random) : tap_(tap), random_(random) {
    memory.assign(kMemBytes, 0);
    for (uint8_t &byte : memory) byte = static_cast<uint8_t>(random.bits32());
    top.line_i = 1;
    top.mem_ready_i = 1;
    top.rst_ni = 1;
    top.eval();
    top.rst_ni = 0;
    edge();
    edge();
    top.rst_ni = 1;
    for (unsigned n = 0; n < 40; n++) cycle();  // it resets the GPU first
    tap_.expect(!top.busy_o && top.gpu_rst_no && n_resets == 1 && gpu_cycles == 0,
                "R-HL-13: the GPU is not reset at power-on");
  }

  // Bytes towards the link; `error` beside the byte (a missing stop bit on a line).
  void send(const Bytes &bytes) {
    for (uint8_t byte : bytes) line_in_.push_back({byte, false});
  }
  void send_broken(uint8_t byte) { line_in_.push_back({byte, true}); }
  bool sent() const { return line_in_.empty() && in_bit_ == 0; }

  void cycle() {
    drive_line();
    drive_memory();
    drive_gpu();
    top.clk_i = 0;
    top.eval();
    watch_gpu();
    watch_memory();
    watch_line();
    top.clk_i = 1;
    top.eval();
    n_cycles++;
  }

  Vqsm_link_bench top;
  Manners manners;
  Registers registers;
  std::vector<uint8_t> memory;
  std::deque<Bytes> replies;
  Decoder decoder;
  uint64_t gpu_cycles = 0, irq_at = UINT64_MAX, n_cycles = 0;
  unsigned n_resets = 0, n_accesses = 0, n_held = 0, n_beats_written = 0, n_beats_read = 0;
  unsigned to_drain = 0, n_undrained = 0;

 private:
  struct Byte {
    uint8_t value;
    bool broken;
  };

  bool chance(unsigned of_16) { return random_.below(16) < of_16; }
  void edge() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  // ---- Line ----
  void drive_line() {
    top.tx_ready_i = chance(manners.take);
    if (kClkPerBit == 0) {
      offers_ = offers_ || (!line_in_.empty() && chance(manners.send));
      top.rx_valid_i = offers_;
      top.rx_data_i = offers_ ? line_in_.front().value : static_cast<uint8_t>(random_.bits32());
      top.rx_error_i = offers_ && line_in_.front().broken;
      return;
    }
    if (in_count_ > 0) {
      in_count_--;
      return;
    }
    if (in_bit_ == 0) {
      if (line_in_.empty()) return;
      if (!chance(manners.send)) return;  // a pause between bytes
    }
    // start, eight data, stop; the bits of another clock, within 3 %
    const Byte &now = line_in_.front();
    top.line_i = in_bit_ == 0 ? 0 : in_bit_ <= 8 ? now.value >> (in_bit_ - 1) & 1 : !now.broken;
    in_count_ = kClkPerBit - 1;
    if (in_bit_ == 9) {
      if (now.broken) in_count_ = 2 * kClkPerBit;
      line_in_.pop_front();
      after_broken_ = now.broken;
      in_bit_ = 10;
    } else if (in_bit_ == 10) {
      top.line_i = 1;
      in_count_ = after_broken_ ? 12 * kClkPerBit : 0;
      in_bit_ = 0;
    } else {
      in_bit_++;
    }
  }
  void watch_line() {
    if (kClkPerBit == 0) {
      if (top.rx_valid_i && top.rx_ready_o) {
        line_in_.pop_front();
        offers_ = false;
      }
      if (tx_stalled_)
        tap_.expect(top.tx_valid_o && top.tx_data_o == tx_data_,
                    "R-HL-1: a byte changes before it is taken");
      tx_stalled_ = top.tx_valid_o && !top.tx_ready_i;
      tx_data_ = top.tx_data_o;
      if (top.tx_valid_o && top.tx_ready_i) take(top.tx_data_o);
      return;
    }
    if (out_bit_ == 0) {
      if (top.line_o) return;
      out_bit_ = 1;
      out_count_ = kClkPerBit + kClkPerBit / 2;
      return;
    }
    if (--out_count_ > 0) return;
    if (out_bit_ == 9) {
      tap_.expect(top.line_o, "R-HL-2: no stop bit");
      take(out_byte_);
      out_bit_ = 0;
      return;
    }
    out_byte_ = static_cast<uint8_t>(out_byte_ >> 1 | top.line_o << 7);
    out_bit_++;
    out_count_ = kClkPerBit;
  }
  void take(uint8_t byte) {
    if (auto frame = decoder.take(byte)) replies.push_back(*frame);
  }

  // ---- GPU ----
  void drive_gpu() {
    top.irq_i = gpu_cycles >= irq_at;
    top.drained_i = to_drain == 0 && !manners.never_drained;
    top.axil_bvalid_i = bvalid_;
    top.axil_rvalid_i = rvalid_;
    top.axil_bresp_i = bvalid_ && !accepted_ ? 2 : 0;
    top.axil_rresp_i = rvalid_ && !accepted_ ? 2 : 0;
    top.axil_rdata_i = rvalid_ ? rdata_ : random_.bits32();
  }
  void watch_gpu() {
    tap_.expect(top.axil_bready_o && top.axil_rready_o, "R-HL-9: a response is not taken");
    if (!top.gpu_rst_no) {
      n_resets += !in_reset_;
      if (!in_reset_) reset_cycles_ = 0;
      in_reset_ = true;
      if (top.gpu_en_o) reset_cycles_++;
      gpu_cycles = 0;
      irq_at = UINT64_MAX;
      bvalid_ = rvalid_ = held_ = false;
      return;
    }
    if (in_reset_) {
      tap_.expect(reset_cycles_ >= 15 && reset_cycles_ <= 16,
                  "R-HL-13: reset for %u cycles of the GPU's clock", reset_cycles_);
      n_undrained += to_drain != 0;
    }
    in_reset_ = false;
    if (!top.gpu_en_o) {
      tap_.expect(!top.axil_awvalid_o && !top.axil_arvalid_o,
                  "R-HL-9: an access while the clock stands");
      return;
    }
    gpu_cycles++;
    if (top.drain_o && to_drain) to_drain--;
    bvalid_ = rvalid_ = false;
    if (top.axil_awvalid_o || top.axil_arvalid_o) {
      tap_.expect(!held_ && top.axil_awvalid_o != top.axil_arvalid_o &&
                      top.axil_wvalid_o == top.axil_awvalid_o && top.axil_wstrb_o == 15,
                  "R-HL-9: an access of another kind");
      held_ = true;
      write_ = top.axil_awvalid_o;
      addr_ = write_ ? top.axil_awaddr_o : top.axil_araddr_o;
      wdata_ = top.axil_wdata_o;
      n_accesses++;
      if (chance(manners.hold)) {
        n_held++;
        return;
      }
    }
    if (!held_ || manners.port_silent) return;
    held_ = false;
    accepted_ = write_ ? registers.write(addr_, wdata_) : registers.read(addr_, rdata_);
    (write_ ? bvalid_ : rvalid_) = true;
  }

  // ---- Memory ----
  void drive_memory() {
    const bool answers = !manners.memory_silent;
    if (took_b_) top.bvalid_i = 0;
    if (took_r_) top.rvalid_i = 0;
    took_b_ = took_r_ = false;
    top.awready_i = chance(manners.axi);
    top.wready_i = chance(manners.axi);
    top.arready_i = chance(manners.axi);
    if (!top.bvalid_i) top.bvalid_i = aw_ && w_ && answers && chance(manners.axi);
    if (!top.rvalid_i) top.rvalid_i = ar_ && answers && chance(manners.axi);
    top.bresp_i = top.bvalid_i && write_addr_ == manners.bad_beat ? 2 + random_.below(2) : 0;
    top.rresp_i = top.rvalid_i && read_addr_ == manners.bad_beat ? 2 + random_.below(2) : 0;
    for (unsigned i = 0; i < kBeatBytes / 4; i++) {
      uint32_t word = random_.bits32();
      if (top.rvalid_i) memcpy(&word, &memory[read_addr_ - kBase + 4 * i], 4);
      set_word(i, word);
    }
  }
  void set_word(unsigned i, uint32_t word) { qsm_unit::set(top.rdata_i, i, 32, word); }
  void check_addr(uint32_t addr) {
    tap_.expect(addr % kBeatBytes == 0 && addr - kBase < kMemBytes, "R-HL-12: beat at %x", addr);
  }
  void watch_memory() {
    if (top.bvalid_i && top.bready_o) {
      for (unsigned i = 0; i < kBeatBytes; i++)
        if (strb_ >> i & 1 && write_addr_ != manners.bad_beat)
          memory[write_addr_ - kBase + i] = static_cast<uint8_t>(qsm_unit::get(wdata_beat_, i, 8));
      n_beats_written++;
      aw_ = w_ = false;
      took_b_ = true;
    }
    if (top.rvalid_i && top.rready_o) {
      n_beats_read++;
      ar_ = false;
      took_r_ = true;
    }
    if (top.awvalid_o && top.awready_i) {
      tap_.expect(!aw_ && !ar_, "R-HL-12: two accesses at a time");
      check_addr(top.awaddr_o);
      aw_ = true;
      write_addr_ = top.awaddr_o;
    }
    if (top.wvalid_o && top.wready_i) {
      tap_.expect(!w_ && top.wstrb_o != 0, "R-HL-12: a beat of nothing, or two");
      w_ = true;
      strb_ = top.wstrb_o;
      wdata_beat_ = top.wdata_o;
    }
    if (top.arvalid_o && top.arready_i) {
      tap_.expect(!ar_ && !aw_ && !w_, "R-HL-12: two accesses at a time");
      check_addr(top.araddr_o);
      ar_ = true;
      read_addr_ = top.araddr_o;
    }
  }

  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  std::deque<Byte> line_in_;
  bool offers_ = false, tx_stalled_ = false, after_broken_ = false;
  uint8_t tx_data_ = 0, out_byte_ = 0;
  unsigned in_bit_ = 0, in_count_ = 0, out_bit_ = 0, out_count_ = 0;
  bool bvalid_ = false, rvalid_ = false, accepted_ = false, held_ = false, write_ = false,
       in_reset_ = false;
  unsigned reset_cycles_ = 0;
  uint32_t addr_ = 0, wdata_ = 0, rdata_ = 0;
  bool aw_ = false, w_ = false, ar_ = false, took_b_ = false, took_r_ = false;
  uint32_t write_addr_ = 0, read_addr_ = kBase;
  uint64_t strb_ = 0;
  std::remove_reference_t<decltype(Vqsm_link_bench::wdata_o)> wdata_beat_ = {};
};

#endif
