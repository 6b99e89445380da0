// SPDX-License-Identifier: Apache-2.0
// Tests of the AXI4 manager: the times of its page, accesses of one line, stalls, errors, random
// traffic.
#include "axi_bench.h"

namespace {

constexpr SlaveManners kPrompt = {16, 16, 16, 16, SlaveManners::Apart, false};
constexpr uint32_t kSomeLine = (0x80000000u + 0x12340) / BYTES_PER_LINE;

Mask all_bytes() { return ~Mask(); }

// The page's picture.
void test_times(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  for (bool write : {false, true}) {
    Bench bench(tap, random, kPrompt);
    bench.offer(write, kSomeLine, fresh(1), all_bytes());
    bench.cycle(true);
    bench.cycle(true);
    bench.top->eval();
    tap.expect(write ? bench.top->awvalid_o && bench.top->wvalid_o : bench.top->arvalid_o,
               "the address is not shown in the second cycle after its request");
    while (!bench.ref.shown() && bench.now < 100) bench.cycle(true);
    tap.expect(bench.now == 4 + kBeats, "%s answered after %llu cycles", write ? "write" : "read",
               static_cast<unsigned long long>(bench.now));
    bench.drain();
  }
  tap.done("R-AX-4, R-AX-7, R-AX-8: an access takes 4 cycles more than the slave");
}

// Two accesses of a line, the second one behind the first or not; then the same of two lines that
// are neighbours.
void test_one_line(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  for (unsigned which = 0; which < 8; which++) {
    const bool first_writes = which & 1, second_writes = which & 2,
               waits = (first_writes || second_writes) && !(which & 4);
    Bench bench(tap, random, kPrompt);
    bench.slave.manners.answer = 0;
    bench.offer(first_writes, kSomeLine, fresh(1), all_bytes());
    bench.cycle(true);
    bench.offer(second_writes, kSomeLine + (which >> 2), fresh(2), all_bytes());
    for (unsigned n = 0; n < 50; n++) bench.cycle(true);
    tap.expect((bench.ref.n_used() == 1) == waits && bench.ref.waits() == waits,
               "%s, %s of %s line: the second one has%s started", first_writes ? "write" : "read",
               second_writes ? "write" : "read", which & 4 ? "another" : "the same",
               bench.ref.waits() ? " not" : "");
    bench.slave.manners.answer = 16;
    bench.drain();
    tap.expect(bench.counts.answered == 2, "%llu answered",
               static_cast<unsigned long long>(bench.counts.answered));
  }
  tap.done("R-AX-5: an access waits for those of its line, but a read not for reads");
}

// The requester takes nothing: every entry ends, as do two requests stay in the queue; then all are
// answered.
void test_requester_stalls(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench(tap, random, kPrompt);
  for (unsigned n = 0; n < kEntries + 2; n++) {
    bench.offer(n % 3 == 0, kSomeLine + n, fresh(n), all_bytes());
    for (unsigned c = 0; c < 200 && bench.offering; c++) bench.cycle(false);
  }
  for (unsigned c = 0; c < 200; c++) bench.cycle(false);
  tap.expect(
      !bench.offering && bench.ref.n_used() == kEntries && !bench.ref.ready() && bench.slave.idle(),
      "%u entries out", bench.ref.n_used());
  bench.drain();
  tap.expect(bench.counts.answered == kEntries + 2, "%llu answered",
             static_cast<unsigned long long>(bench.counts.answered));
  tap.done("R-AX-1, R-AX-3: all entries end while no response is taken");
}

// A read and a write end with an error in one cycle: the read's is the one that is kept, whatever
// comes later.
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
    tap.expect(
        bench.ref.error.valid && (!at_once || bench.ref.error.line == bad_lines[1 - round % 2]),
        "round %u: error of line %x", round, bench.ref.error.line);
    const uint32_t kept = bench.ref.error.line;
    bench.offer(round % 3 == 0, bad_lines[2]);
    bench.drain();
    bench.top->eval();
    tap.expect(bench.top->error_valid_o && bench.top->error_addr_o == kept * BYTES_PER_LINE,
               "round %u: the error is now at %x", round, bench.top->error_addr_o);
  }
  tap.expect(n_at_once > 0, "R and B never had an error in one cycle");
  tap.done("R-AX-9: the first error is kept, of R and B in one cycle that of R");
}

// The line that a random access is for: few, so that they meet; also lines whose numbers differ in
// one bit.
uint32_t random_line(qsm_unit::Random &random, unsigned n_lines) {
  if (random.below(4)) return kSomeLine + random.below(n_lines);
  return kSomeLine ^ 1u << random.below(32 - static_cast<unsigned>(__builtin_ctz(BYTES_PER_LINE)));
}

struct Load {
  unsigned arrive, take, writes;  // of 16
  unsigned n_lines;
};

void random_round(Bench &bench, qsm_unit::Tap &tap, qsm_unit::Random &random, const Load &load,
                  unsigned n_accesses) {
  for (unsigned n = 0; n < n_accesses * 300 && bench.counts.answered < n_accesses && !tap.failed();
       n++) {
    if (!bench.offering && random.below(16) < load.arrive) {
      Line data;
      for (uint8_t &byte : data) byte = static_cast<uint8_t>(random.bits32());
      Mask bytes = random.one_in(3) ? all_bytes() : Mask();
      for (unsigned left = 1 + random.below(BYTES_PER_LINE / 4); left > 0; left--)
        bytes[random.below(BYTES_PER_LINE)] = true;
      bench.offer(random.below(16) < load.writes, random_line(random, load.n_lines), data, bytes);
    }
    bench.cycle(random.below(16) < load.take);
  }
  tap.expect(bench.counts.answered >= n_accesses, "%llu accesses only",
             static_cast<unsigned long long>(bench.counts.answered));
  if (!tap.failed()) bench.drain();
}

void add(Counts &sum, const Bench &bench) {
  const Counts &c = bench.counts;
  const AxiSlave &s = bench.slave;
  const uint64_t more[] = {
      c.answered,        c.read_after_write,    c.write_after_read, c.write_after_write,
      c.full_table,      c.full_queue,          c.overtaken,        c.held,
      c.errors,          s.n_in_turns,          s.n_empty_beats,    s.n_data_first,
      s.n_address_first, s.n_first_beat_errors, s.n_both_errors};
  uint64_t *to = &sum.answered;
  for (uint64_t value : more) *to++ += value;
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  constexpr SlaveManners manners[] = {kPrompt,
                                      {4, 4, 4, 4, SlaveManners::Apart, true},
                                      {9, 9, 3, 16, SlaveManners::AddressFirst, false},
                                      {16, 6, 16, 16, SlaveManners::DataFirst, true},
                                      {16, 16, 2, 2, SlaveManners::Apart, true},
                                      {3, 16, 9, 5, SlaveManners::AddressFirst, true},
                                      {16, 16, 16, 8, SlaveManners::Apart, true}};
  Counts sum;
  for (unsigned round = 0; round < 42 && !tap.failed(); round++) {
    Bench bench(tap, random, manners[round % 7]);
    const Load load = {round % 5 ? 16u : 5u, round % 6 == 1 ? 2u : 16u - round % 3 * 4,
                       4 + round % 4 * 3, round % 2 ? 3u : 40u};
    random_round(bench, tap, random, load, 3000);
    add(sum, bench);
  }
  std::printf(
      "# %llu accesses; cycles of waiting: read after write %llu, write after read %llu, write after write %llu, for an entry %llu\n",
      static_cast<unsigned long long>(sum.answered),
      static_cast<unsigned long long>(sum.read_after_write),
      static_cast<unsigned long long>(sum.write_after_read),
      static_cast<unsigned long long>(sum.write_after_write),
      static_cast<unsigned long long>(sum.full_table));
  std::printf(
      "# %llu responses overtook, %llu beats in turns, %llu without a byte, W before AW %llu, after it %llu; %llu errors in first beats, %llu of R and B at once\n",
      static_cast<unsigned long long>(sum.overtaken), static_cast<unsigned long long>(sum.in_turns),
      static_cast<unsigned long long>(sum.empty_beats),
      static_cast<unsigned long long>(sum.data_first),
      static_cast<unsigned long long>(sum.address_first),
      static_cast<unsigned long long>(sum.first_beat_errors),
      static_cast<unsigned long long>(sum.both_errors));
  tap.expect(sum.read_after_write > 50 && sum.write_after_read > 50 && sum.write_after_write > 50,
             "lines met too rarely");
  tap.expect(sum.full_table > 50 && sum.full_queue > 50 && sum.held > 0 && sum.data_first > 50 &&
                 sum.address_first > 50,
             "ports stalled too rarely");
  tap.expect(sum.errors > 50 && sum.both_errors > 0 && (IN_ORDER || sum.overtaken > 50),
             "too few errors, or responses that overtook");
  if (kBeats > 1)
    tap.expect(sum.in_turns > 50 && sum.empty_beats > 50 && sum.first_beat_errors > 5,
               "bursts were all alike");
  tap.done(
      "R-AX-1 to R-AX-10: random traffic, every output in every cycle, every access after those of its line");
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
