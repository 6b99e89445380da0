// SPDX-License-Identifier: Apache-2.0
// AXI4 manager (qsm_axi) between a memory port and a slave (axi_slave.h): every output in every
// cycle as axi_ref.h has it, every response as a memory has it that performs the requests one after
// the other.
#ifndef QSM_AXI_BENCH_H
#define QSM_AXI_BENCH_H

#include "Vqsm_axi.h"

#include <memory>

#include "axi_slave.h"

// Word i of a port of any width.
template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
void set_word(T &port, unsigned i, uint32_t value) {
  const unsigned at = 32 * i;
  port = static_cast<T>((static_cast<uint64_t>(port) & ~(uint64_t{0xffffffff} << at)) |
                        static_cast<uint64_t>(value) << at);
}
template <std::size_t N>
void set_word(VlWide<N> &port, unsigned i, uint32_t value) {
  port[i] = value;
}
template <class P, std::size_t N>
void set_bytes(P &port, const std::array<uint8_t, N> &bytes) {
  for (unsigned i = 0; i < N / 4; i++) {
    uint32_t value;
    std::memcpy(&value, &bytes[4 * i], 4);
    set_word(port, i, value);
  }
}
template <std::size_t N, class P>
std::array<uint8_t, N> get_bytes(const P &port) {
  std::array<uint8_t, N> bytes;
  for (unsigned i = 0; i < N / 4; i++) {
    const uint32_t value = qsm_unit::word(port, i);
    std::memcpy(&bytes[4 * i], &value, 4);
  }
  return bytes;
}

struct Counts {
  uint64_t answered = 0, read_after_write = 0, write_after_read = 0, write_after_write = 0,
           full_table = 0, full_queue = 0, overtaken = 0, held = 0, errors = 0, in_turns = 0,
           empty_beats = 0, data_first = 0, address_first = 0, first_beat_errors = 0,
           both_errors = 0;
};

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, qsm_unit::Random &random, SlaveManners manners)
      : slave(tap, random, manners), tap_(tap) {
    qsm_unit::begin_with_anything();
    top.reset(new Vqsm_axi);
    top->req_valid_i = top->rsp_ready_i = top->awready_i = top->wready_i = top->arready_i =
        top->bvalid_i = top->rvalid_i = 0;
    top->rst_ni = 0;
    clock();
    tap_.expect(!top->arvalid_o && !top->awvalid_o && !top->wvalid_o && !top->rsp_valid_o,
                "a valid is 1 in reset");
    top->rst_ni = 1;
  }

  void offer(bool write, uint32_t line, const Line &data = {}, const Mask &bytes = {}) {
    offered = Access{write, line, next_tag_++ % kTags, data, bytes};
    offering = true;
  }

  // One cycle; what is offered stays until it is taken.
  void cycle(bool take) {
    AxiInputs in;
    slave.choose(in);
    in.rsp_ready = take;
    in.request = offering ? &offered : nullptr;
    drive(in);
    top->eval();
    compare();
    slave.take(in, read_address(), write_address(), write_data());
    count(take);
    const bool arrives = offering && ref.ready();
    if (arrives) expect_result();
    if (ref.shown() && take) check_response();
    ref.step(in);
    if (arrives) offering = false;
    clock();
    now++;
  }

  // Everything that was taken ends.
  void drain() {
    for (unsigned n = 0; n < 20000 && !(idle() && slave.idle()); n++) cycle(true);
    tap_.expect(idle() && slave.idle(), "something never ends");
    for (const auto &line : slave.memory.lines()) {
      tap_.expect(line.second == memory_[line.first],
                  "memory holds something else at line %x than the requests have written",
                  line.first);
    }
  }
  bool idle() const { return !offering && ref.idle(); }

  std::unique_ptr<Vqsm_axi> top;
  AxiRef ref;
  AxiSlave slave;
  Access offered = {};
  bool offering = false;
  uint64_t now = 0;
  Counts counts;

 private:
  static constexpr unsigned kTags = 256;  // more than can be outstanding

  void drive(const AxiInputs &in) {
    top->req_valid_i = offering;
    top->req_write_i = offered.write;
    top->req_line_i = offered.line;
    top->req_tag_i = static_cast<uint8_t>(offered.tag);
    set_bytes(top->req_data_i, offered.data);
    for (unsigned i = 0; i < (BYTES_PER_LINE + 31) / 32; i++)
      set_word(top->req_bytes_i, i,
               static_cast<uint32_t>((offered.bytes >> 32 * i & Mask(0xffffffff)).to_ulong()));
    top->rsp_ready_i = in.rsp_ready;
    top->arready_i = in.ar_ready;
    top->awready_i = in.aw_ready;
    top->wready_i = in.w_ready;
    top->rvalid_i = in.r_valid;
    top->rid_i = in.r_valid ? in.r_id : qsm_unit::noise(kEntries);
    top->rresp_i = in.r_valid ? in.r_resp : qsm_unit::noise(4);
    top->rlast_i = in.r_valid ? ref.entries()[in.r_id].beat == kBeats - 1 : qsm_unit::noise(2);
    set_bytes(top->rdata_i, in.r_data);
    top->bvalid_i = in.b_valid;
    top->bid_i = in.b_valid ? in.b_id : qsm_unit::noise(kEntries);
    top->bresp_i = in.b_valid ? in.b_resp : qsm_unit::noise(4);
  }

  AddressPins read_address() const {
    return AddressPins{top->arvalid_o, top->arid_o,   top->araddr_o,  top->axlen_o,  top->axsize_o,
                       top->axburst_o, top->axlock_o, top->axcache_o, top->axprot_o, top->axqos_o};
  }
  AddressPins write_address() const {
    return AddressPins{top->awvalid_o, top->awid_o,   top->awaddr_o,  top->axlen_o,  top->axsize_o,
                       top->axburst_o, top->axlock_o, top->axcache_o, top->axprot_o, top->axqos_o};
  }
  DataPins write_data() const {
    return DataPins{top->wvalid_o != 0, top->wlast_o != 0, get_bytes<kBeatBytes>(top->wdata_o),
                    std::bitset<kBeatBytes>(top->wstrb_o)};
  }

  void same(const char *what, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s is 0x%llx, must be 0x%llx",
                static_cast<unsigned long long>(now), what, static_cast<unsigned long long>(seen),
                static_cast<unsigned long long>(wanted));
  }
  void compare() {
    same("ready of the port", top->req_ready_o, ref.ready());
    same("ARVALID", top->arvalid_o, ref.ar.valid);
    if (ref.ar.valid)
      same("ARID", top->arid_o, ref.ar.id),
          same("ARADDR", top->araddr_o, ref.ar.line * BYTES_PER_LINE);
    same("AWVALID", top->awvalid_o, ref.aw.valid);
    if (ref.aw.valid)
      same("AWID", top->awid_o, ref.aw.id),
          same("AWADDR", top->awaddr_o, ref.aw.line * BYTES_PER_LINE);
    same("WVALID", top->wvalid_o, ref.w_valid);
    if (ref.w_valid) {
      Beat beat;
      std::memcpy(beat.data(), &ref.w_access.data[ref.w_beat * kBeatBytes], kBeatBytes);
      tap_.expect(write_data().data == beat, "cycle %llu: WDATA of beat %u",
                  static_cast<unsigned long long>(now), ref.w_beat);
      same("WSTRB", top->wstrb_o,
           (ref.w_access.bytes >> ref.w_beat * kBeatBytes & Mask(~uint64_t{0} >> (64 - kBeatBytes)))
               .to_ullong());
    }
    same("RREADY", top->rready_o, 1);
    same("BREADY", top->bready_o, 1);
    const AxiRef::Entry *shown = ref.shown();
    same("response", top->rsp_valid_o, shown != nullptr);
    if (shown) {
      same("tag", top->rsp_tag_o, shown->access.tag);
      const Line data = shown->access.write || shown->error ? Line{} : shown->access.data;
      tap_.expect(get_bytes<BYTES_PER_LINE>(top->rsp_data_o) == data,
                  "cycle %llu: data of a response", static_cast<unsigned long long>(now));
    }
    same("error", top->error_valid_o, ref.error.valid);
    if (ref.error.valid) {
      same("error of a write", top->error_write_o, ref.error.write);
      same("resp of the error", top->error_resp_o, ref.error.resp);
      same("address of the error", top->error_addr_o, ref.error.line * BYTES_PER_LINE);
    }
  }

  // The result of an access, when its request is taken: requests of a line are performed in their
  // order.
  void expect_result() {
    const bool bad = slave.manners.bad_lines && is_bad(offered.line);
    expected_[offered.tag] = offered.write || bad ? Line{} : memory_[offered.line];
    if (offered.write && !bad) memory_.write(offered);
    order_.push_back(offered.tag);
  }
  void check_response() {
    const uint32_t tag = top->rsp_tag_o;
    const auto at = std::find(order_.begin(), order_.end(), tag);
    tap_.expect(at != order_.end(), "cycle %llu: a response to nothing",
                static_cast<unsigned long long>(now));
    if (at == order_.end()) return;
    tap_.expect(get_bytes<BYTES_PER_LINE>(top->rsp_data_o) == expected_[tag],
                "cycle %llu: an access does not see what those before it left",
                static_cast<unsigned long long>(now));
    if (IN_ORDER)
      tap_.expect(at == order_.begin(), "cycle %llu: a response overtakes another (R-AX-10)",
                  static_cast<unsigned long long>(now));
    counts.overtaken += at != order_.begin();
    order_.erase(at);
    counts.answered++;
  }

  void count(bool take) {
    const bool of_writes = ref.in_way(false, true), of_reads = ref.in_way(true, false);
    counts.read_after_write += of_writes && !ref.head_writes();
    counts.write_after_write += of_writes && ref.head_writes();
    counts.write_after_read += of_reads;
    counts.full_table += ref.n_used() == kEntries && ref.waits();
    counts.full_queue += !ref.ready();
    unsigned n_ended = 0;
    for (const AxiRef::Entry &e : ref.entries()) n_ended += e.ended;
    counts.held += ref.shown() && !take && n_ended + 1 == kEntries;
    counts.errors += ref.error.valid;
  }

  void clock() {
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
  }

  qsm_unit::Tap &tap_;
  Memory memory_;  // as the requests leave it
  std::array<Line, kTags> expected_ = {};
  std::deque<uint32_t> order_;  // requests that are not answered
  uint32_t next_tag_ = 0;
};

#endif
