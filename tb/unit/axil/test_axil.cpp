// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite slave of the control port (qsm_axil) against a master that sends and takes at random
// times, with a register file of its own behind it. qsm_axil_checker watches the protocol.
#include "Vqsm_axil_bench.h"

#include <deque>
#include <map>
#include <tuple>

#include "../common/qsm_unit.h"

namespace {

struct Write {
  uint16_t addr;
  uint32_t data;
  uint8_t strobe;
};

struct Response {
  bool err;
  uint32_t data;
};

// Registers behind the port: addresses that are a multiple of 4 below 0x400; of those, the odd
// words are read-only.
struct File {
  std::map<uint16_t, uint32_t> words;
  static bool exists(uint16_t addr) { return addr % 4 == 0 && addr < 0x400; }
  Response write(uint16_t addr, uint32_t data) {
    if (!exists(addr) || (addr & 4)) return {true, 0};
    words[addr] = data;
    return {false, 0};
  }
  Response read(uint16_t addr) {
    if (!exists(addr)) return {true, 0};
    return {false, (addr & 4) ? addr * 0x01010101u : words[addr]};
  }
};

// One channel that the master drives: valid stays until it is taken.
template <class T>
struct Channel {
  std::deque<T> queue;
  bool valid = false;
};

class Bench {
 public:
  Bench() {
    top.rst_ni = 1;
    top.eval();
    top.rst_ni = 0;
    edge();
    edge();
    top.rst_ni = 1;
  }

  // One cycle with the master's pins as they are.
  void cycle(qsm_unit::Tap &tap) {
    top.clk_i = 0;
    top.eval();
    settle(tap);
    access = top.req_valid_o;
    tap.expect(!access || !chosen, "R-CP-13: an access in the cycle after one");
    access_is_write = top.req_we_o;
    // the one that was chosen in the last cycle is done
    const Response next = done();
    chosen = access;
    we = top.req_we_o;
    addr = top.req_addr_o;
    wdata = top.req_wdata_o;
    n_accesses += access;
    sent_aw = top.awvalid_i && top.awready_o;
    sent_w = top.wvalid_i && top.wready_o;
    sent_ar = top.arvalid_i && top.arready_o;
    took_b = top.bvalid_o && top.bready_i;
    took_r = top.rvalid_o && top.rready_i;
    b = {top.bresp_o != 0, 0};
    r = {top.rresp_o != 0, top.rdata_o};
    top.clk_i = 1;
    top.eval();
    // an answer lasts for one cycle, as that of qsm_ctrl does
    top.rsp_err_i = next.err;
    top.rsp_rdata_i = next.data;
    top.eval();
  }

  // R-CP-7: no output depends on an input of the port in the same cycle.
  void settle(qsm_unit::Tap &tap) {
    const Vqsm_axil_bench &t = top;
    const auto outputs = [&t] {
      return std::make_tuple(t.awready_o, t.wready_o, t.bresp_o, t.bvalid_o, t.arready_o, t.rdata_o,
                             t.rresp_o, t.rvalid_o);
    };
    const auto before = outputs();
    const auto inputs =
        std::make_tuple(t.awvalid_i, t.wvalid_i, t.arvalid_i, t.bready_i, t.rready_i, t.wstrb_i);
    top.awvalid_i = !top.awvalid_i;
    top.wvalid_i = !top.wvalid_i;
    top.arvalid_i = !top.arvalid_i;
    top.bready_i = !top.bready_i;
    top.rready_i = !top.rready_i;
    top.wstrb_i ^= 15;
    top.awaddr_i ^= 0xFFFF;
    top.araddr_i ^= 0xFFFF;
    top.eval();
    tap.expect(outputs() == before, "an output follows an input in the same cycle (R-CP-7)");
    std::tie(top.awvalid_i, top.wvalid_i, top.arvalid_i, top.bready_i, top.rready_i, top.wstrb_i) =
        inputs;
    top.awaddr_i ^= 0xFFFF;
    top.araddr_i ^= 0xFFFF;
    top.eval();
  }

  Response done() {
    if (!chosen) return {false, 0};
    return we ? file.write(addr, wdata) : file.read(addr);
  }

  Vqsm_axil_bench top;
  File file;
  bool access = false, access_is_write = false;
  bool sent_aw = false, sent_w = false, sent_ar = false, took_b = false, took_r = false;
  Response b{}, r{};
  uint64_t n_accesses = 0;

 private:
  bool chosen = false, we = false;
  uint16_t addr = 0;
  uint32_t wdata = 0;
  void edge() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }
};

void drive_write(Bench &bench, const Write &write) {
  bench.top.awaddr_i = write.addr;
  bench.top.wdata_i = write.data;
  bench.top.wstrb_i = write.strobe;
}

// At an idle port: chosen in the cycle of the request, response two cycles later, one in two
// cycles.
void test_latency(qsm_unit::Tap &tap) {
  Bench bench;
  bench.top.bready_i = bench.top.rready_i = 1;
  for (unsigned n = 0; n < 8; n++) {  // write, read, write, read ... without a pause
    const bool write = n % 2 == 0;
    drive_write(bench, {static_cast<uint16_t>(8 * n), 0x1000 + n, 15});
    bench.top.araddr_i = static_cast<uint16_t>(8 * (n - 1));
    bench.top.awvalid_i = bench.top.wvalid_i = write;
    bench.top.arvalid_i = !write;
    bench.cycle(tap);
    tap.expect(bench.access && bench.access_is_write == write, "access %u is late", n);
    tap.expect(n == 0 || (write ? bench.took_r : bench.took_b), "the response before %u is late",
               n);
    if (n > 0 && write) tap.expect(bench.r.data == 0x1000 + n - 2, "read 0x%x", bench.r.data);
    bench.top.awvalid_i = bench.top.wvalid_i = bench.top.arvalid_i = 0;
    bench.cycle(tap);
    tap.expect(!bench.access && !bench.took_r && !bench.took_b, "a response of %u is early", n);
  }
  tap.done("R-CP-12: at an idle port an access is at once and its response two cycles later");
}

// AW long before W, and W before AW; a response that waits.
void test_order(qsm_unit::Tap &tap) {
  for (const bool address_first : {true, false}) {
    Bench bench;
    drive_write(bench, {0x40, 0xCAFE, 15});
    bench.top.awvalid_i = address_first;
    bench.top.wvalid_i = !address_first;
    bench.cycle(tap);
    bench.top.awvalid_i = bench.top.wvalid_i = 0;
    for (unsigned n = 0; n < 5; n++) {
      bench.cycle(tap);
      tap.expect(bench.n_accesses == 0 && !bench.top.bvalid_o, "half a write was done");
    }
    bench.top.awvalid_i = !address_first;
    bench.top.wvalid_i = address_first;
    bench.cycle(tap);
    bench.top.awvalid_i = bench.top.wvalid_i = 0;
    bench.cycle(tap);
    for (unsigned n = 0; n < 5; n++) {
      bench.cycle(tap);
      tap.expect(bench.n_accesses == 1 && bench.top.bvalid_o && bench.top.bresp_o == 0,
                 "the response does not wait");
    }
    tap.expect(bench.file.words[0x40] == 0xCAFE, "the wrong word was written");
    bench.top.bready_i = 1;
    bench.cycle(tap);
    bench.cycle(tap);
    tap.expect(!bench.top.bvalid_o && bench.n_accesses == 1, "a second response");
  }
  tap.done("R-CP-8, R-CP-9: address and data come in any order, a response waits to be taken");
}

// Whole words only.
void test_strobes(qsm_unit::Tap &tap) {
  for (uint8_t strobe = 0; strobe < 16; strobe++) {
    Bench bench;
    bench.top.bready_i = 1;
    drive_write(bench, {0x10, 0x12345678, strobe});
    bench.top.awvalid_i = bench.top.wvalid_i = 1;
    bench.cycle(tap);
    bench.top.awvalid_i = bench.top.wvalid_i = 0;
    bench.cycle(tap);
    bench.cycle(tap);
    tap.expect(bench.took_b && bench.b.err == (strobe != 15) && bench.n_accesses == (strobe == 15),
               "strobes 0x%x: error %d, %d accesses", strobe, bench.b.err,
               static_cast<int>(bench.n_accesses));
  }
  tap.done("R-CP-10: a write of less than a word is an error and no access");
}

// Reads and writes that are always there take turns.
void test_fair(qsm_unit::Tap &tap) {
  Bench bench;
  bench.top.bready_i = bench.top.rready_i = 1;
  drive_write(bench, {0, 1, 15});
  bench.top.awvalid_i = bench.top.wvalid_i = bench.top.arvalid_i = 1;
  bench.cycle(tap);
  for (unsigned n = 0; n < 20; n++) {
    const bool was_write = bench.access_is_write;
    bench.cycle(tap);
    tap.expect(!bench.access, "R-CP-13: two in a row");
    bench.cycle(tap);
    tap.expect(bench.access && bench.access_is_write != was_write, "one side twice in a row");
  }
  tap.done("R-CP-11: reads and writes that wait take turns, one in two cycles");
}

// In the cycle after an access there is none, nor a write of less than a word: buffers take what
// comes, and it is chosen in the next cycle, in the turn that it had.
void test_apart(qsm_unit::Tap &tap) {
  for (const bool first_write : {true, false}) {
    Bench bench;
    bench.top.bready_i = bench.top.rready_i = 1;
    drive_write(bench, {0x20, 0xBEEF, 15});
    bench.top.araddr_i = 0x24;
    bench.top.awvalid_i = bench.top.wvalid_i = !first_write;
    bench.top.arvalid_i = first_write;
    bench.cycle(tap);  // so that the other kind is next
    tap.expect(bench.access, "the first access is late");
    bench.top.awvalid_i = bench.top.wvalid_i = bench.top.arvalid_i = 1;
    bench.cycle(tap);
    tap.expect(bench.sent_aw && bench.sent_w && bench.sent_ar, "R-CP-13: a buffer does not fill");
    bench.top.awvalid_i = bench.top.wvalid_i = bench.top.arvalid_i = 0;
    bench.cycle(tap);
    tap.expect(bench.access && bench.access_is_write == first_write,
               "R-CP-13: the second access is late, or not that whose turn it is");
    bench.cycle(tap);
    tap.expect(!bench.took_b && !bench.took_r, "R-CP-13: an answer of no access");
    bench.cycle(tap);
    tap.expect(bench.access && bench.access_is_write != first_write,
               "R-CP-13: the third access is late");
    for (unsigned n = 0; n < 3; n++) bench.cycle(tap);
    tap.expect(bench.n_accesses == 3, "an access is done twice");
    // part of a word is no access, and keeps others apart all the same
    drive_write(bench, {0x20, 1, 7});
    bench.top.awvalid_i = bench.top.wvalid_i = 1;
    bench.cycle(tap);
    bench.top.awvalid_i = bench.top.wvalid_i = 0;
    bench.top.arvalid_i = 1;
    bench.cycle(tap);
    tap.expect(!bench.access && !bench.took_b, "R-CP-13: an access in the cycle after a part");
    bench.top.arvalid_i = 0;
    bench.cycle(tap);
    tap.expect(bench.access && bench.took_b && bench.b.err, "R-CP-13: a part is not answered");
  }
  tap.done("R-CP-13: in the cycle after an access there is none, and in the next one there is");
}

// Random traffic: every access once, in order, with its answer.
void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench;
  Channel<uint16_t> aw, ar;
  Channel<Write> w;
  std::deque<Write> writes;
  std::deque<uint16_t> reads;
  std::deque<uint16_t> aw_done;
  std::deque<Write> w_done;
  std::deque<Response> write_answers, read_answers;
  File shadow;
  uint64_t n_b = 0, n_r = 0, n_partial = 0;
  unsigned send = 2, take = 2, waited = 0;
  for (unsigned n = 0; n < 300000 && !tap.failed(); n++) {
    if (n % 512 == 0) send = 1 + random.below(4), take = 1 + random.below(4);
    if (aw.queue.size() < 8 && random.one_in(2)) {
      const Write write{
          static_cast<uint16_t>(random.one_in(8) ? random.bits32() : 4 * random.below(16)),
          random.bits32(), static_cast<uint8_t>(random.one_in(8) ? random.below(16) : 15)};
      aw.queue.push_back(write.addr);
      w.queue.push_back(write);
    }
    if (ar.queue.size() < 8 && random.one_in(2))
      ar.queue.push_back(
          static_cast<uint16_t>(random.one_in(8) ? random.bits32() : 4 * random.below(16)));
    aw.valid = aw.valid || (!aw.queue.empty() && random.one_in(send));
    w.valid = w.valid || (!w.queue.empty() && random.one_in(send));
    ar.valid = ar.valid || (!ar.queue.empty() && random.one_in(send));
    bench.top.awvalid_i = aw.valid;
    bench.top.awaddr_i = aw.valid ? aw.queue.front() : static_cast<uint16_t>(random.bits32());
    bench.top.wvalid_i = w.valid;
    bench.top.wdata_i = w.valid ? w.queue.front().data : random.bits32();
    bench.top.wstrb_i = w.valid ? w.queue.front().strobe : random.below(16) & 15;
    bench.top.arvalid_i = ar.valid;
    bench.top.araddr_i = ar.valid ? ar.queue.front() : static_cast<uint16_t>(random.bits32());
    bench.top.bready_i = random.one_in(take);
    bench.top.rready_i = random.one_in(take);
    bench.cycle(tap);
    if (bench.sent_aw) aw_done.push_back(aw.queue.front()), aw.queue.pop_front(), aw.valid = false;
    if (bench.sent_w) w_done.push_back(w.queue.front()), w.queue.pop_front(), w.valid = false;
    if (bench.sent_ar) reads.push_back(ar.queue.front()), ar.queue.pop_front(), ar.valid = false;
    // writes in the order of their halves; partial ones are no accesses
    while (!aw_done.empty() && !w_done.empty()) {
      writes.push_back({aw_done.front(), w_done.front().data, w_done.front().strobe});
      aw_done.pop_front(), w_done.pop_front();
    }
    if (bench.took_b) {
      tap.expect(!write_answers.empty(), "a B without a write");
      if (tap.failed()) break;
      tap.expect(bench.b.err == write_answers.front().err, "write %u: error %d",
                 static_cast<unsigned>(n_b), bench.b.err);
      write_answers.pop_front();
      n_b++;
    }
    if (bench.took_r) {
      tap.expect(!read_answers.empty(), "an R without a read");
      if (tap.failed()) break;
      tap.expect(
          bench.r.err == read_answers.front().err && bench.r.data == read_answers.front().data,
          "read %u: error %d, 0x%x", static_cast<unsigned>(n_r), bench.r.err, bench.r.data);
      read_answers.pop_front();
      n_r++;
    }
    while (!writes.empty() && writes.front().strobe != 15) {
      write_answers.push_back({true, 0});  // its response comes after those of the writes before
      writes.pop_front();
      n_partial++;
    }
    if (bench.access && bench.access_is_write) {
      tap.expect(!writes.empty(), "a write that nobody sent");
      if (tap.failed()) break;
      const Write write = writes.front();
      writes.pop_front();
      write_answers.push_back(shadow.write(write.addr, write.data));
    } else if (bench.access) {
      tap.expect(!reads.empty(), "a read that nobody sent");
      if (tap.failed()) break;
      read_answers.push_back(shadow.read(reads.front()));
      reads.pop_front();
    }
    while (!writes.empty() && writes.front().strobe != 15) {
      write_answers.push_back({true, 0});
      writes.pop_front();
      n_partial++;
    }
    if (!bench.access) tap.expect(shadow.words == bench.file.words, "the registers differ");
    waited = bench.access || (writes.empty() && reads.empty()) ? 0 : waited + 1;
    tap.expect(waited < 100, "an access waits for ever");
  }
  tap.expect(n_b > 10000 && n_r > 10000 && n_partial > 500, "too little was tried: %u, %u, %u",
             static_cast<unsigned>(n_b), static_cast<unsigned>(n_r),
             static_cast<unsigned>(n_partial));
  tap.done(
      "R-CP-7 to R-CP-11, R-CP-13: random sending and taking: every access once, in order, its answer");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_axil");
  qsm_unit::Tap tap(6);
  test_latency(tap);
  test_order(tap);
  test_strobes(tap);
  test_fair(tap);
  test_apart(tap);
  test_random(tap, random);
  return tap.exit_code();
}
