// SPDX-License-Identifier: Apache-2.0
// DMA engine (qsm_dma): every request in every cycle against dma_ref.h, which is fed the same
// answers, and apart from that the memory that a job leaves, byte by byte, against memmove.
#include <memory>

#include "Vqsm_dma.h"

#include "../common/qsm_unit.h"
#include "dma_memory.h"

namespace {

constexpr uint64_t kEnd = uint64_t{1} << 32;
constexpr DmaPace kThirty = {30, 30, 30, 30, true, false};

unsigned long long ull(uint64_t value) { return value; }

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, qsm_unit::Random &random, DmaCover &cover, const DmaPace &pace)
      : ref(cover), pace_(pace), tap_(tap), random_(random) {
    qsm_unit::begin_with_anything();
    top.reset(new Vqsm_dma);
    top->start_i = top->rsp_valid_i = top->req_free_i = 0;
    top->link_interval_i = interval = 256;
    top->rst_ni = 0;
    clock();
    top->rst_ni = 1;
  }

  // One cycle; a job that is given begins in the next.
  void cycle(bool free, const DmaJob *start = nullptr) {
    DmaAnswer answer = {};
    const bool answers = memory.answer(now, pace_, random_, &answer) || foreign(&answer);
    drive(free, answers ? &answer : nullptr, start);
    top->eval();
    const DmaRequest wanted = ref.request(interval);
    check(wanted);
    sent = wanted.valid && free;
    if (sent) last_sent = wanted;
    if (sent) memory.ask(wanted, now, pace_, random_);
    ref.step(interval, sent, answers ? &answer : nullptr, start);
    clock();
    now++;
  }

  // A job from its start to its end; free in so many of 16 cycles. Cycles that it took.
  uint64_t run(const DmaJob &job, unsigned free_of_16) {
    memory.forget(random_.bits32());
    const uint64_t begin = now;
    cycle(random_.below(16) < free_of_16, &job);
    const uint64_t limit = now + 2000 + uint64_t{job.bytes / LINE_BYTES + 3} * 500;
    while (ref.busy() && now < limit && !tap_.failed()) cycle(random_.below(16) < free_of_16);
    tap_.expect(!ref.busy(), "%s does not end", describe(job));
    if (!tap_.failed()) check_memory(job);
    return now - begin;
  }

  DmaRef ref;
  DmaMemory memory;
  std::unique_ptr<Vqsm_dma> top;
  uint32_t interval;
  bool sent = false;
  DmaRequest last_sent = {};
  uint64_t now = 0;

 private:
  // A response that somebody else at the port waits for.
  bool foreign(DmaAnswer *answer) {
    if (!random_.one_in(8)) return false;
    const unsigned above = (1u << TAG_W) - (NUM_ENTRIES + 2);
    const unsigned which = random_.below(above + 1);
    answer->tag = which == 0 ? 0 : NUM_ENTRIES + 1 + which;
    for (uint8_t &byte : answer->data) byte = static_cast<uint8_t>(random_.below(256));
    return true;
  }

  void drive(bool free, const DmaAnswer *answer, const DmaJob *start) {
    top->link_interval_i = interval;
    top->req_free_i = free;
    top->start_i = start != nullptr;
    if (start) {
      top->job_fill_i = start->fill;
      top->job_src_i = start->src;
      top->job_dst_i = start->dst;
      top->job_bytes_i = start->bytes;
      top->job_pattern_i = start->pattern;
      top->job_split_i = static_cast<uint8_t>(start->split);
      top->job_link_i = start->link;
    } else {  // means nothing
      top->job_src_i = random_.bits32();
      top->job_fill_i = random_.below(2);
    }
    top->rsp_valid_i = answer != nullptr;
    if (!answer) return;
    top->rsp_tag_i = static_cast<uint8_t>(answer->tag);
    for (unsigned w = 0; w < LINE_BYTES / 4; w++) {
      uint32_t word = 0;
      for (unsigned b = 0; b < 4; b++) word |= uint32_t{answer->data[4 * w + b]} << (8 * b);
      qsm_unit::set(top->rsp_data_i, w, 32, word);
    }
  }

  void same(const char *what, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s is 0x%llx, must be 0x%llx", ull(now), what,
                ull(seen), ull(wanted));
  }

  void check(const DmaRequest &wanted) {
    same("busy", top->busy_o, ref.busy());
    same("done", top->done_o, ref.done());
    same("valid", top->req_valid_o, wanted.valid);
    if (!wanted.valid) return;
    same("write", top->req_write_o, wanted.write);
    same("address", top->req_addr_o, wanted.addr);
    same("tag", top->req_tag_o, wanted.tag);
    same("split", top->req_split_o, wanted.split);
    for (unsigned j = 0; j < LINE_BYTES; j++) {
      const uint32_t word = qsm_unit::word(top->req_data_o, j / 4);
      same("a bit of bytes", qsm_unit::word(top->req_bytes_o, j / 32) >> j % 32 & 1,
           wanted.mask[j]);
      same("a byte of data", word >> (8 * (j % 4)) & 0xff, wanted.data[j]);
    }
  }

  // What memory holds where the job wrote, and that nothing else was changed.
  void check_memory(const DmaJob &job) {
    for (uint64_t i = 0; i < job.bytes; i++) {
      const uint8_t seen = memory.byte(job.dst + i);
      if (job.fill) {
        const uint8_t wanted = static_cast<uint8_t>(job.pattern >> (8 * ((job.dst + i) % 4)));
        tap_.expect(seen == wanted, "%s: byte %llu is 0x%x, not 0x%x", describe(job), ull(i), seen,
                    wanted);
      } else {
        check_copied(job, i, seen);
      }
    }
    for (const auto &[number, line] : memory.lines) {
      for (uint64_t j = 0; j < LINE_BYTES; j++) {
        const uint64_t at = uint64_t{number} * LINE_BYTES + j;
        if (at >= job.dst && at - job.dst < job.bytes) continue;
        tap_.expect(line[j] == memory.original(at), "%s: byte 0x%llx outside was changed",
                    describe(job), ull(at));
      }
    }
  }
  // As memmove has it; but where the destination begins inside the source, by some order of bytes.
  void check_copied(const DmaJob &job, uint64_t i, uint8_t seen) {
    bool found = seen == memory.original(job.src + i);
    const uint64_t ahead = uint64_t{job.dst} - job.src;
    if (job.dst > job.src) {
      for (uint64_t back = ahead; back <= i; back += ahead)
        found |= seen == memory.original(job.src + i - back);
    }
    tap_.expect(found, "%s: byte %llu is 0x%x, not 0x%x", describe(job), ull(i), seen,
                memory.original(job.src + i));
  }

  const char *describe(const DmaJob &job) {
    std::snprintf(text_, sizeof text_, "%s%s of 0x%x bytes from 0x%x to 0x%x",
                  job.link ? "linked " : "", job.fill ? "fill" : "copy", job.bytes, job.src,
                  job.dst);
    return text_;
  }

  void clock() {
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
  }

  const DmaPace pace_;
  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  char text_[160];
};

DmaJob copy(uint32_t src, uint32_t dst, uint32_t bytes) {
  return DmaJob{false, false, src, dst, bytes, 0, 0};
}

// The page's picture: given in 0, two lines with an offset, an answer is seen 4 cycles after its
// request. With two entries the third write waits for an acknowledgement, seen in 11.
void test_times(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  DmaCover cover = {};
  Bench bench(tap, random, cover, DmaPace{4, 4, 4, 4, true, false});
  const DmaJob job = copy(0, 0x10000 + LINE_BYTES / 2, 2 * LINE_BYTES);
  bench.cycle(true, &job);
  constexpr unsigned kTail = NUM_ENTRIES > 2 ? 9 : 12;
  for (unsigned c = 1; c <= kTail + 5; c++) {
    const bool read = c == 1 || c == 2, write = c == 7 || c == 8 || c == kTail;
    tap.expect(bench.ref.done() == (c == kTail + 5), "done in cycle %u", c);
    bench.cycle(true);
    tap.expect(bench.sent == (read || write), "cycle %u: a request, or none", c);
    tap.expect(!bench.sent || bench.last_sent.write == write, "cycle %u: the other kind", c);
  }
  tap.expect(!bench.ref.busy() && bench.last_sent.addr == 0x10000 + 2 * LINE_BYTES,
             "the engine is busy for longer, or the last write is not the tail");
  tap.done("R-DM-1, R-DM-4, R-DM-8: two lines with an offset: the cycles of the page's picture");
}

// Every pair of offsets with every length up to two lines (wide lines: some).
void test_alignments(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  DmaCover cover = {};
  Bench bench(tap, random, cover, DmaPace{1, 5, 1, 5, false, false});
  constexpr unsigned kStep = LINE_BYTES / 16;
  for (unsigned from = 0; from < LINE_BYTES && !tap.failed(); from += kStep) {
    for (unsigned to = 0; to < LINE_BYTES && !tap.failed(); to += kStep) {
      for (unsigned bytes = 1; bytes <= 2 * LINE_BYTES + 1; bytes += kStep) {
        const uint32_t jitter = random.below(kStep);
        bench.run(copy(0x4000 + from + jitter, 0x8000 + to + random.below(kStep), bytes + jitter),
                  16);
      }
    }
  }
  tap.done("R-DM-5: copies from each offset to each, of each length up to two lines");
}

void test_corners(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  DmaCover cover = {};
  Bench bench(tap, random, cover, DmaPace{1, 9, 1, 9, false, true});
  const uint32_t top_line = static_cast<uint32_t>(kEnd - LINE_BYTES);
  bench.run(copy(0x1000, 0x1000, 5 * LINE_BYTES + 3), 16);                // where it is
  bench.run(copy(0x1003, 0x1003, 5), 16);                                 // within a line
  bench.run(copy(LINE_BYTES - 1, 0x3001, 2), 16);                         // of two lines, in one
  bench.run(copy(0x3001, LINE_BYTES - 1, 2), 16);                         // of one, into two
  bench.run(copy(top_line, 0, LINE_BYTES), 16);                           // the last line
  bench.run(copy(5, top_line - LINE_BYTES + 1, 2 * LINE_BYTES - 1), 16);  // to the last byte
  bench.run(copy(0xffffffff, 0xfffffffe, 1), 16);
  for (uint32_t at = 0x2000; at < 0x2008; at++)
    bench.run(DmaJob{true, false, 0, at, 1, 0x44332211, 0}, 16);
  bench.run(DmaJob{true, false, 0, 0xfffffff3, 13, 0x44332211, 0}, 16);
  tap.done(
      "R-DM-3, R-DM-4, R-DM-5: bytes across lines, a place onto itself, the last address, fills of a byte");
}

// Jobs of any length go on until all is done: these are looked at for a while.
void test_long_jobs(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  DmaCover cover = {};
  for (unsigned bits = 12; bits <= 32; bits++) {
    for (unsigned fill = 0; fill < 2; fill++) {
      Bench bench(tap, random, cover, DmaPace{1, 5, 1, 5, false, false});
      const uint32_t bytes = static_cast<uint32_t>((uint64_t{1} << bits) - (bits == 32));
      const uint32_t dst = static_cast<uint32_t>(random.below(2) ? kEnd - bytes : 0);
      const DmaJob job = {fill != 0, false, 0, dst, bytes, random.bits32(), 0};
      bench.cycle(true, &job);
      for (unsigned c = 0; c < 24; c++) bench.cycle(true);
      tap.expect(bench.ref.busy() && bench.top->busy_o, "a job of 0x%x bytes has ended", bytes);
    }
  }
  tap.done("R-DM-1, R-DM-8: jobs of up to 2^32 - 1 bytes do not end early");
}

// R-DM-7: where everything else is quick, the lines of a linked job are LINK_INTERVAL apart.
void test_link(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  DmaCover cover = {};
  for (const uint32_t interval : {1u, 255u, 256u, 700u, 2560u, 40000u}) {
    for (unsigned fill = 0; fill < 2; fill++) {
      Bench bench(tap, random, cover, DmaPace{1, 1, 1, 1, true, false});
      bench.interval = interval;
      const DmaJob job = {fill != 0, true, 0, 0x10000, 9 * LINE_BYTES, random.bits32(), 0};
      bench.cycle(true, &job);
      std::vector<uint64_t> counted;
      while (bench.ref.busy() && !tap.failed()) {
        bench.cycle(true);
        if (bench.sent && bench.last_sent.write == (fill != 0)) counted.push_back(bench.now);
      }
      tap.expect(counted.size() == 9, "%zu lines", counted.size());
      for (uint64_t n = 0; n < counted.size() && interval > 1024; n++) {
        const uint64_t wanted = counted[0] + (n * interval + 255) / 256;
        tap.expect(counted[n] == wanted, "interval %u: line %llu in cycle %llu, not %llu", interval,
                   ull(n), ull(counted[n]), ull(wanted));
      }
    }
  }
  tap.done("R-DM-7: lines over the link are LINK_INTERVAL apart, fractions add up");
}

// An interval that changes counts from its cycle on: near the credit that there is, or anywhere, so
// that each bit of both makes a difference.
void test_interval_changes(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  DmaCover cover = {};
  Bench bench(tap, random, cover, DmaPace{1, 3, 1, 3, false, false});
  const auto anywhere = [&] {
    return 1 + (random.bits32() & 0xfffffe) % (0xffffff >> random.below(12));
  };
  const auto near_credit = [&] {
    const int64_t near = int64_t{bench.ref.credit()} + random.below(1200) - 600;
    return static_cast<uint32_t>(near < 1 ? 1 : near > 0xffffff ? 0xffffff : near);
  };
  unsigned n_waits = 0, n_sent = 0;
  for (unsigned n = 0; n < 600 && !tap.failed(); n++) {
    const DmaJob job = {random.one_in(2), !random.one_in(4), 0, 0x10000,
                        6 * LINE_BYTES,   random.bits32(),   0};
    bench.interval = anywhere();
    bench.cycle(false, &job);
    for (unsigned c = 0; c < 16; c++) {
      bench.interval = random.one_in(4) ? anywhere() : near_credit();
      bench.cycle(!random.one_in(4));
      n_waits += job.link && c < 3 && !bench.sent;
      n_sent += job.link && bench.sent;
    }
    bench.interval = 1 + random.below(512);
    while (bench.ref.busy() && !tap.failed()) bench.cycle(true);
  }
  tap.expect(n_waits > 100 && n_sent > 100, "too few lines wait or go: %u, %u", n_waits, n_sent);
  tap.done("R-DM-7: LINK_INTERVAL changes in any cycle, and the cycle's value counts");
}

// How fast it is, with memory 30 cycles away: NumEntries lines in a round of so many reads, the
// rest of the latency and as many writes.
void test_pace(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  constexpr uint32_t kLines = 256;
  DmaCover cover = {};
  Bench bench(tap, random, cover, kThirty);
  constexpr uint64_t kRounds = (kLines + NUM_ENTRIES) / NUM_ENTRIES;
  const DmaJob jobs[] = {copy(0, 0x100000, kLines * LINE_BYTES),
                         copy(3, 0x100000, kLines * LINE_BYTES),
                         copy(0, 0x100005, kLines * LINE_BYTES),
                         {true, false, 0, 0x100000, kLines * LINE_BYTES, 0x01020304, 0}};
  const char *const names[] = {"aligned copy", "copy with skip", "copy with tail", "fill"};
  for (unsigned n = 0; n < 4; n++) {
    const uint64_t cycles = bench.run(jobs[n], 16);
    std::printf("# memory 30 cycles away, %u entries, %u lines: %s: %.2f cycles per line\n",
                NUM_ENTRIES, kLines, names[n], static_cast<double>(cycles) / kLines);
    tap.expect(cycles <= kRounds * (32 + NUM_ENTRIES) + 100, "%s: %llu cycles for %u lines",
               names[n], ull(cycles), kLines);
  }
  tap.done("R-DM-2, R-DM-3: memory's latency shows once per NumEntries lines");
}

DmaJob random_job(qsm_unit::Random &random) {
  DmaJob job = {random.one_in(4), random.one_in(3),           0, 0, 1 + random.below(5),
                random.bits32(),  random.below(1u << SPLIT_W)};
  const unsigned size = random.below(8);
  if (size >= 2) job.bytes = 1 + random.below(4 * LINE_BYTES);
  if (size >= 5) job.bytes = 1 + random.below(5 * NUM_ENTRIES * LINE_BYTES);
  const bool whole = random.one_in(6);
  if (whole) job.bytes = (1 + random.below(4 * NUM_ENTRIES)) * LINE_BYTES;
  const auto address = [&] {
    const uint32_t last = static_cast<uint32_t>(kEnd - job.bytes);
    const uint32_t near = random.below(4 * LINE_BYTES);
    const unsigned where = random.below(8);
    if (whole) return (random.bits32() & 0x7fffffff) / LINE_BYTES * LINE_BYTES;
    if (where == 0) return near < last ? last - near : last;
    return where == 1 ? near : random.bits32() % last;
  };
  job.src = address();
  job.dst = address();
  if (random.one_in(6)) {  // areas that lie beside or over each other
    const uint32_t ahead = random.below(3 * LINE_BYTES);
    job.src = 0x4000 + random.below(LINE_BYTES);
    job.dst = random.one_in(4) ? job.src : job.src + (random.below(2) ? ahead : 0u - ahead);
  }
  return job;
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  DmaCover cover = {};
  for (unsigned round = 0; round < 96 && !tap.failed(); round++) {
    const DmaPace paces[] = {{1, 1, 1, 1, true, false},
                             {1, 40, 1, 40, false, round % 2 == 0},
                             {1, 10, 100, 200, false, false},
                             {20, 60, 1, 4, false, true}};
    Bench bench(tap, random, cover, paces[round % 4]);
    bench.interval = round % 3 == 0 ? 1 + random.below(1024) : 256 + random.below(256 * 20);
    const unsigned free_of_16 = round % 5 == 0 ? 16 : 3 + random.below(13);
    for (unsigned n = 0; n < 24 && !tap.failed(); n++) {
      bench.run(random_job(random), free_of_16);
      for (unsigned idle = random.below(4); idle > 0; idle--) bench.cycle(random.below(2));
    }
  }
  const struct {
    const char *what;
    uint64_t n, least;
  } counts[] = {{"copies", cover.copies, 500},
                {"fills", cover.fills, 150},
                {"without skip", cover.skip[0], 100},
                {"with skip", cover.skip[1], 100},
                {"with tail", cover.tail, 100},
                {"turned, no tail", cover.no_tail, 100},
                {"not turned", cover.no_turn, 50},
                {"of one line", cover.one_line, 50},
                {"of many lines", cover.several, 50},
                {"cycles in which a linked copy waits", cover.link_waits[0], 200},
                {"cycles in which a linked fill waits", cover.link_waits[1], 200},
                {"cycles with all writes under way", cover.writes_full, 500},
                {"cycles with all entries in use", cover.entries_full, 500},
                {"answers before that of an older line", cover.out_of_order, 300},
                {"writes in the cycle of an acknowledgement", cover.stays, 50},
                {"lines that complete nothing, used up without a request", cover.use_alone, 30},
                {"beside a read", cover.read_beside_use, 5}};
  for (const auto &count : counts) {
    std::printf("# %llu %s\n", ull(count.n), count.what);
    tap.expect(count.n >= count.least, "%llu %s, must be %llu", ull(count.n), count.what,
               ull(count.least));
  }
  tap.done(
      "R-DM-1 to R-DM-8: random jobs, latencies, orders, free cycles: every request, and memory after each job");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_dma");
  qsm_unit::Tap tap(8);
  test_times(tap, random);
  test_alignments(tap, random);
  test_corners(tap, random);
  test_long_jobs(tap, random);
  test_link(tap, random);
  test_interval_changes(tap, random);
  test_pace(tap, random);
  test_random(tap, random);
  return tap.exit_code();
}
