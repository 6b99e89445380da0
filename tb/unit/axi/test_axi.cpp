// SPDX-License-Identifier: Apache-2.0
// AXI4 manager (qsm_axi) between a memory port and a slave (axi_slave.h): every output in every cycle as axi_ref.h has it, every response as a
// memory has it that performs the requests one after the other.
#include "Vqsm_axi.h"

#include "axi_slave.h"

#include <memory>

namespace {

// Word i of a port of any width.
template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
void set_word(T &port, unsigned i, uint32_t value) {
  const unsigned at = 32 * i;
  port = static_cast<T>((static_cast<uint64_t>(port) & ~(uint64_t{0xffffffff} << at)) | static_cast<uint64_t>(value) << at);
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
  uint64_t answered = 0, read_after_write = 0, write_after_read = 0, write_after_write = 0, full_table = 0, full_queue = 0, overtaken = 0, held = 0,
           errors = 0, in_turns = 0, empty_beats = 0, data_first = 0, address_first = 0, first_beat_errors = 0, both_errors = 0;
};

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, qsm_unit::Random &random, SlaveManners manners) : slave(tap, random, manners), tap_(tap) {
    qsm_unit::begin_with_anything();
    top.reset(new Vqsm_axi);
    top->req_valid_i = top->rsp_ready_i = top->awready_i = top->wready_i = top->arready_i = top->bvalid_i = top->rvalid_i = 0;
    top->rst_ni = 0;
    clock();
    tap_.expect(!top->arvalid_o && !top->awvalid_o && !top->wvalid_o && !top->rsp_valid_o, "a valid is 1 in reset");
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
      tap_.expect(line.second == memory_[line.first], "memory holds something else at line %x than the requests have written", line.first);
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
    for (unsigned i = 0; i < (LINE_BYTES + 31) / 32; i++) set_word(top->req_bytes_i, i, static_cast<uint32_t>((offered.bytes >> 32 * i & Mask(0xffffffff)).to_ulong()));
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
    return AddressPins{top->arvalid_o, top->arid_o, top->araddr_o, top->axlen_o, top->axsize_o, top->axburst_o, top->axlock_o, top->axcache_o, top->axprot_o,
                       top->axqos_o};
  }
  AddressPins write_address() const {
    return AddressPins{top->awvalid_o, top->awid_o, top->awaddr_o, top->axlen_o, top->axsize_o, top->axburst_o, top->axlock_o, top->axcache_o, top->axprot_o,
                       top->axqos_o};
  }
  DataPins write_data() const {
    return DataPins{top->wvalid_o != 0, top->wlast_o != 0, get_bytes<kBeatBytes>(top->wdata_o), std::bitset<kBeatBytes>(top->wstrb_o)};
  }

  void same(const char *what, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s is 0x%llx, must be 0x%llx", static_cast<unsigned long long>(now), what,
                static_cast<unsigned long long>(seen), static_cast<unsigned long long>(wanted));
  }
  void compare() {
    same("ready of the port", top->req_ready_o, ref.ready());
    same("ARVALID", top->arvalid_o, ref.ar.valid);
    if (ref.ar.valid) same("ARID", top->arid_o, ref.ar.id), same("ARADDR", top->araddr_o, ref.ar.line * LINE_BYTES);
    same("AWVALID", top->awvalid_o, ref.aw.valid);
    if (ref.aw.valid) same("AWID", top->awid_o, ref.aw.id), same("AWADDR", top->awaddr_o, ref.aw.line * LINE_BYTES);
    same("WVALID", top->wvalid_o, ref.w_valid);
    if (ref.w_valid) {
      Beat beat;
      std::memcpy(beat.data(), &ref.w_access.data[ref.w_beat * kBeatBytes], kBeatBytes);
      tap_.expect(write_data().data == beat, "cycle %llu: WDATA of beat %u", static_cast<unsigned long long>(now), ref.w_beat);
      same("WSTRB", top->wstrb_o, (ref.w_access.bytes >> ref.w_beat * kBeatBytes & Mask(~uint64_t{0} >> (64 - kBeatBytes))).to_ullong());
    }
    same("RREADY", top->rready_o, 1);
    same("BREADY", top->bready_o, 1);
    const AxiRef::Entry *shown = ref.shown();
    same("response", top->rsp_valid_o, shown != nullptr);
    if (shown) {
      same("tag", top->rsp_tag_o, shown->access.tag);
      const Line data = shown->access.write || shown->error ? Line{} : shown->access.data;
      tap_.expect(get_bytes<LINE_BYTES>(top->rsp_data_o) == data, "cycle %llu: data of a response", static_cast<unsigned long long>(now));
    }
    same("error", top->error_valid_o, ref.error.valid);
    if (ref.error.valid) {
      same("error of a write", top->error_write_o, ref.error.write);
      same("resp of the error", top->error_resp_o, ref.error.resp);
      same("address of the error", top->error_addr_o, ref.error.line * LINE_BYTES);
    }
  }

  // The result of an access, when its request is taken: requests of a line are performed in their order.
  void expect_result() {
    const bool bad = slave.manners.bad_lines && is_bad(offered.line);
    expected_[offered.tag] = offered.write || bad ? Line{} : memory_[offered.line];
    if (offered.write && !bad) memory_.write(offered);
    order_.push_back(offered.tag);
  }
  void check_response() {
    const uint32_t tag = top->rsp_tag_o;
    const auto at = std::find(order_.begin(), order_.end(), tag);
    tap_.expect(at != order_.end(), "cycle %llu: a response to nothing", static_cast<unsigned long long>(now));
    if (at == order_.end()) return;
    tap_.expect(get_bytes<LINE_BYTES>(top->rsp_data_o) == expected_[tag], "cycle %llu: an access does not see what those before it left",
                static_cast<unsigned long long>(now));
    if (IN_ORDER) tap_.expect(at == order_.begin(), "cycle %llu: a response overtakes another", static_cast<unsigned long long>(now));
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

constexpr SlaveManners kPrompt = {16, 16, 16, 16, SlaveManners::Apart, false};
constexpr uint32_t kSomeLine = (0x80000000u + 0x12340) / LINE_BYTES;

Mask all_bytes() { return ~Mask(); }

// The page's picture.
void test_times(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  for (bool write : {false, true}) {
    Bench bench(tap, random, kPrompt);
    bench.offer(write, kSomeLine, fresh(1), all_bytes());
    bench.cycle(true);
    bench.cycle(true);
    bench.top->eval();
    tap.expect(write ? bench.top->awvalid_o && bench.top->wvalid_o : bench.top->arvalid_o, "the address is not shown in the second cycle after its request");
    while (!bench.ref.shown() && bench.now < 100) bench.cycle(true);
    tap.expect(bench.now == 4 + kBeats, "%s answered after %llu cycles", write ? "write" : "read", static_cast<unsigned long long>(bench.now));
    bench.drain();
  }
  tap.done("an access takes 4 cycles more than the slave");
}

// Two accesses of a line, the second one behind the first or not; then the same of two lines that are neighbours.
void test_one_line(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  for (unsigned which = 0; which < 8; which++) {
    const bool first_writes = which & 1, second_writes = which & 2, waits = (first_writes || second_writes) && !(which & 4);
    Bench bench(tap, random, kPrompt);
    bench.slave.manners.answer = 0;
    bench.offer(first_writes, kSomeLine, fresh(1), all_bytes());
    bench.cycle(true);
    bench.offer(second_writes, kSomeLine + (which >> 2), fresh(2), all_bytes());
    for (unsigned n = 0; n < 50; n++) bench.cycle(true);
    tap.expect((bench.ref.n_used() == 1) == waits && bench.ref.waits() == waits, "%s, %s of %s line: the second one has%s started",
               first_writes ? "write" : "read", second_writes ? "write" : "read", which & 4 ? "another" : "the same", bench.ref.waits() ? " not" : "");
    bench.slave.manners.answer = 16;
    bench.drain();
    tap.expect(bench.counts.answered == 2, "%llu answered", static_cast<unsigned long long>(bench.counts.answered));
  }
  tap.done("an access waits for those of its line, but a read not for reads");
}

// The requester takes nothing: every entry ends, as do two requests stay in the queue; then all are answered.
void test_requester_stalls(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench(tap, random, kPrompt);
  for (unsigned n = 0; n < kEntries + 2; n++) {
    bench.offer(n % 3 == 0, kSomeLine + n, fresh(n), all_bytes());
    for (unsigned c = 0; c < 200 && bench.offering; c++) bench.cycle(false);
  }
  for (unsigned c = 0; c < 200; c++) bench.cycle(false);
  tap.expect(!bench.offering && bench.ref.n_used() == kEntries && !bench.ref.ready() && bench.slave.idle(), "%u entries out", bench.ref.n_used());
  bench.drain();
  tap.expect(bench.counts.answered == kEntries + 2, "%llu answered", static_cast<unsigned long long>(bench.counts.answered));
  tap.done("all entries end while no response is taken");
}

// A read and a write end with an error in one cycle: the read's is the one that is kept, whatever comes later.
void test_first_error(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  std::vector<uint32_t> bad_lines;
  for (uint32_t line = kSomeLine; bad_lines.size() < 3; line++) {
    if (is_bad(line)) bad_lines.push_back(line);
  }
  unsigned n_at_once = 0;
  for (unsigned round = 0; round < 100; round++) {
    Bench bench(tap, random, kPrompt);
    bench.slave.manners.answer = 0;
    bench.slave.manners.bad_lines = true;
    for (unsigned n = 0; n < 2; n++) {
      bench.offer(n == round % 2, bad_lines[n], fresh(n), all_bytes());
      for (unsigned c = 0; c < 20; c++) bench.cycle(true);
    }
    bench.slave.manners.answer = 16;
    for (unsigned c = 0; c < 20 && !bench.ref.error.valid; c++) bench.cycle(true);
    const bool at_once = bench.slave.n_both_errors > 0;
    n_at_once += at_once;
    tap.expect(bench.ref.error.valid && (!at_once || bench.ref.error.line == bad_lines[1 - round % 2]), "round %u: error of line %x", round, bench.ref.error.line);
    const uint32_t kept = bench.ref.error.line;
    bench.offer(round % 3 == 0, bad_lines[2]);
    bench.drain();
    bench.top->eval();
    tap.expect(bench.top->error_valid_o && bench.top->error_addr_o == kept * LINE_BYTES, "round %u: the error is now at %x", round, bench.top->error_addr_o);
  }
  tap.expect(n_at_once > 0, "R and B never had an error in one cycle");
  tap.done("the first error is kept, of R and B in one cycle that of R");
}

// The line that a random access is for: few, so that they meet; also lines whose numbers differ in one bit.
uint32_t random_line(qsm_unit::Random &random, unsigned n_lines) {
  if (random.below(4)) return kSomeLine + random.below(n_lines);
  return kSomeLine ^ 1u << random.below(32 - static_cast<unsigned>(__builtin_ctz(LINE_BYTES)));
}

struct Load {
  unsigned arrive, take, writes;  // of 16
  unsigned n_lines;
};

void random_round(Bench &bench, qsm_unit::Tap &tap, qsm_unit::Random &random, const Load &load, unsigned n_accesses) {
  for (unsigned n = 0; n < n_accesses * 300 && bench.counts.answered < n_accesses && !tap.failed(); n++) {
    if (!bench.offering && random.below(16) < load.arrive) {
      Line data;
      for (uint8_t &byte : data) byte = static_cast<uint8_t>(random.bits32());
      Mask bytes = random.one_in(3) ? all_bytes() : Mask();
      for (unsigned left = 1 + random.below(LINE_BYTES / 4); left > 0; left--) bytes[random.below(LINE_BYTES)] = true;
      bench.offer(random.below(16) < load.writes, random_line(random, load.n_lines), data, bytes);
    }
    bench.cycle(random.below(16) < load.take);
  }
  tap.expect(bench.counts.answered >= n_accesses, "%llu accesses only", static_cast<unsigned long long>(bench.counts.answered));
  if (!tap.failed()) bench.drain();
}

void add(Counts &sum, const Bench &bench) {
  const Counts &c = bench.counts;
  const AxiSlave &s = bench.slave;
  const uint64_t more[] = {c.answered, c.read_after_write, c.write_after_read, c.write_after_write, c.full_table, c.full_queue, c.overtaken, c.held,
                           c.errors, s.n_in_turns, s.n_empty_beats, s.n_data_first, s.n_address_first, s.n_first_beat_errors, s.n_both_errors};
  uint64_t *to = &sum.answered;
  for (uint64_t value : more) *to++ += value;
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  constexpr SlaveManners manners[] = {
      kPrompt, {4, 4, 4, 4, SlaveManners::Apart, true}, {9, 9, 3, 16, SlaveManners::AddressFirst, false}, {16, 6, 16, 16, SlaveManners::DataFirst, true},
      {16, 16, 2, 2, SlaveManners::Apart, true}, {3, 16, 9, 5, SlaveManners::AddressFirst, true}, {16, 16, 16, 8, SlaveManners::Apart, true}};
  Counts sum;
  for (unsigned round = 0; round < 42 && !tap.failed(); round++) {
    Bench bench(tap, random, manners[round % 7]);
    const Load load = {round % 5 ? 16u : 5u, round % 6 == 1 ? 2u : 16u - round % 3 * 4, 4 + round % 4 * 3, round % 2 ? 3u : 40u};
    random_round(bench, tap, random, load, 3000);
    add(sum, bench);
  }
  std::printf("# %llu accesses; cycles of waiting: read after write %llu, write after read %llu, write after write %llu, for an entry %llu\n",
              static_cast<unsigned long long>(sum.answered), static_cast<unsigned long long>(sum.read_after_write),
              static_cast<unsigned long long>(sum.write_after_read), static_cast<unsigned long long>(sum.write_after_write),
              static_cast<unsigned long long>(sum.full_table));
  std::printf("# %llu responses overtook, %llu beats in turns, %llu without a byte, W before AW %llu, after it %llu; %llu errors in first beats, %llu of R and B at once\n",
              static_cast<unsigned long long>(sum.overtaken), static_cast<unsigned long long>(sum.in_turns),
              static_cast<unsigned long long>(sum.empty_beats), static_cast<unsigned long long>(sum.data_first),
              static_cast<unsigned long long>(sum.address_first), static_cast<unsigned long long>(sum.first_beat_errors),
              static_cast<unsigned long long>(sum.both_errors));
  tap.expect(sum.read_after_write > 50 && sum.write_after_read > 50 && sum.write_after_write > 50, "lines met too rarely");
  tap.expect(sum.full_table > 50 && sum.full_queue > 50 && sum.held > 0 && sum.data_first > 50 && sum.address_first > 50, "ports stalled too rarely");
  tap.expect(sum.errors > 50 && sum.both_errors > 0 && (IN_ORDER || sum.overtaken > 50), "too few errors, or responses that overtook");
  if (kBeats > 1) tap.expect(sum.in_turns > 50 && sum.empty_beats > 50 && sum.first_beat_errors > 5, "bursts were all alike");
  tap.done("random traffic: every output in every cycle, every access after those of its line");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_axi");
  qsm_unit::Tap tap(5);
  test_times(tap, random);
  test_one_line(tap, random);
  test_requester_stalls(tap, random);
  test_first_error(tap, random);
  test_random(tap, random);
  return tap.exit_code();
}
