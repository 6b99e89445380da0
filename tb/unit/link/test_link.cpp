// SPDX-License-Identifier: Apache-2.0
// Host link against its page: every reply byte by byte, every effect on registers, clock and
// memory, with noise, lost, doubled, changed and invented bytes, a slow and a failing memory.
#include <algorithm>

#include "link_world.h"

namespace {

enum : uint8_t { kInfo = 1, kRead, kWrite, kRun, kMemRead, kMemWrite, kMemFill, kReset };
enum : uint8_t {
  kOk,
  kRefused,
  kBadRequest,
  kPortSilent,
  kOutside,
  kMemoryError,
  kMemorySilent,
  kNotDrained
};

// A host with what it knows that the board must be like.
class Host {
 public:
  Host(qsm_unit::Tap &tap, qsm_unit::Random &random)
      : world(tap, random), tap_(tap), random_(random), memory_(world.memory) {}

  Bytes request(uint8_t op, const Bytes &fields = {}) {
    Bytes frame = {seq_++, op};
    frame.insert(frame.end(), fields.begin(), fields.end());
    return frame;
  }

  // Sends, and takes the reply if one comes.
  bool exchange(const Bytes &line, Bytes &reply, unsigned patience = 400) {
    world.send(line);
    return wait(reply, patience);
  }
  bool wait(Bytes &reply, unsigned patience) {
    const unsigned per_byte = kClkPerBit ? 11 * kClkPerBit : 40;
    for (uint64_t left = patience + per_byte * 40; left > 0; left--) {
      world.cycle();
      if (world.top.busy_o || !world.sent()) left = patience + per_byte * 4;
      if (!world.replies.empty()) {
        reply = world.replies.front();
        world.replies.pop_front();
        for (unsigned n = 0; n < 30; n++) world.cycle();
        return true;
      }
    }
    return false;
  }

  // A request that must be done: the reply is compared with what the page says.
  void check(const Bytes &frame, const char *what) {
    Bytes reply;
    const unsigned held = world.n_held;
    if (!exchange(encode(frame), reply)) {
      tap_.expect(false, "%s: no reply", what);
      return;
    }
    compare(reply, expected(frame, world.n_held - held), what);
  }
  void compare(const Bytes &reply, const Bytes &wanted, const char *what) {
    size_t at = 0;
    while (at < reply.size() && at < wanted.size() && reply[at] == wanted[at]) at++;
    tap_.expect(reply == wanted, "%s: byte %zu of the reply is %02x, not %02x (%zu bytes, not %zu)",
                what, at, at < reply.size() ? reply[at] : 0, at < wanted.size() ? wanted[at] : 0,
                reply.size(), wanted.size());
  }
  void check_memory() {
    tap_.expect(world.memory == memory_, "memory is not what was written");
    tap_.expect(world.gpu_cycles == cycle_, "R-HL-10: %llu cycles of the GPU, not %llu",
                static_cast<unsigned long long>(world.gpu_cycles),
                static_cast<unsigned long long>(cycle_));
  }
  void set_irq(uint64_t at) { irq_at_ = world.irq_at = at; }

  // What the page says of a request; it is then done here, too.
  Bytes expected(const Bytes &frame, unsigned held) {
    const uint8_t op = frame[1];
    const size_t len = frame.size();
    auto number = [&frame](size_t at, unsigned n) {
      uint64_t value = 0;
      for (unsigned i = 0; i < n; i++) value |= static_cast<uint64_t>(frame[at + i]) << (8 * i);
      return value;
    };
    uint8_t status = kOk;
    Bytes data;
    const bool formed = (op == kInfo && len == 2) || (op == kReset && len == 2) ||
                        (op == kRead && len == 6) || (op == kWrite && len == 10) ||
                        (op == kRun && len == 7 && number(2, 4) < 1u << 26 && number(6, 1) < 2) ||
                        (op == kMemRead && len == 8 && number(6, 2) >= 1 && number(6, 2) <= 1024) ||
                        (op == kMemWrite && len >= 7 && len <= 1030) ||
                        (op == kMemFill && len == 10 && number(2, 4) % 64 == 0 &&
                         number(6, 4) % 64 == 0 && number(6, 4) != 0);
    if (!formed) {
      status = kBadRequest;
    } else if (op == kInfo) {
      for (uint32_t word : {0x4C4D5351u, 1u, 0x12C0DB34u, 50000000u, 0x01234567u, 0xC0DBDCDDu,
                            kBase, kMemBytes, 1024u, std::min(n_broken, 65535u)})
        append(data, word, 4);
    } else if (op == kRead || op == kWrite) {
      const uint32_t addr = number(2, 4) & 0xFFFFF;
      uint32_t value = 0;
      cycle_ += 1 + (held || world.manners.port_silent);
      if (world.manners.port_silent)
        status = kPortSilent;
      else if (op == kWrite)
        status = registers_.write(addr, static_cast<uint32_t>(number(6, 4))) ? kOk : kRefused;
      else
        status = registers_.read(addr, value) ? kOk : kRefused;
      if (op == kRead && status <= kRefused) append(data, value, 4);
    } else if (op == kRun) {
      uint64_t n = number(2, 4);
      if (frame[6] & 1) n = std::min(n, irq_at_ > cycle_ ? irq_at_ - cycle_ : 0);
      cycle_ += n;
      append(data, n, 4);
    } else if (op == kReset) {
      if (world.manners.never_drained) {
        status = kNotDrained;
        cycle_ = world.gpu_cycles;
      } else {
        cycle_ = 0;
        irq_at_ = UINT64_MAX;
      }
    } else {
      status = memory_request(op, frame, number(2, 4), data);
    }
    Bytes reply = {frame[0], static_cast<uint8_t>(op | 0x80), status,
                   static_cast<uint8_t>((cycle_ >= irq_at_) | (world.top.gpu_error_i << 1) |
                                        world.top.mem_ready_i << 2)};
    append(reply, cycle_, 8);
    reply.insert(reply.end(), data.begin(), data.end());
    return reply;
  }

  World world;
  unsigned n_broken = 0;  // frames that the link must have counted

 private:
  uint8_t memory_request(uint8_t op, const Bytes &frame, uint64_t addr, Bytes &data) {
    uint64_t n = op == kMemWrite ? frame.size() - 6 : 0;
    for (unsigned i = 0; op != kMemWrite && i + 6 < frame.size(); i++)
      n |= static_cast<uint64_t>(frame[6 + i]) << (8 * i);
    if (addr < kBase || addr + n > uint64_t{kBase} + kMemBytes) return kOutside;
    if (silent_ || !world.top.mem_ready_i || world.manners.memory_silent) {
      silent_ = silent_ || world.top.mem_ready_i;
      return kMemorySilent;
    }
    const size_t from = addr - kBase;
    for (size_t i = 0; i < n; i++) {
      if (world.manners.bad_beat &&
          (addr + i) / kBeatBytes * kBeatBytes == world.manners.bad_beat) {
        data.clear();
        return kMemoryError;
      }
      if (op == kMemRead) data.push_back(memory_[from + i]);
      if (op == kMemWrite) memory_[from + i] = frame[6 + i];
      if (op == kMemFill) memory_[from + i] = 0;
    }
    return kOk;
  }

  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  uint8_t seq_ = 0;
  Registers registers_;
  std::vector<uint8_t> memory_;
  uint64_t cycle_ = 0, irq_at_ = UINT64_MAX;
  bool silent_ = false;
};

Bytes number(uint64_t value, unsigned n) {
  Bytes bytes;
  append(bytes, value, n);
  return bytes;
}
Bytes operator+(const Bytes &a, const Bytes &b) {
  Bytes sum = a;
  sum.insert(sum.end(), b.begin(), b.end());
  return sum;
}

Bytes random_bytes(qsm_unit::Random &random, unsigned n) {
  Bytes bytes(n);
  static const uint8_t special[] = {0xC0, 0xDB, 0xDC, 0xDD};
  for (uint8_t &byte : bytes)
    byte = random.one_in(8) ? special[random.below(4)] : static_cast<uint8_t>(random.bits32());
  return bytes;
}

void test_info(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Host host(tap, random);
  host.check(host.request(kInfo), "INFO");
  tap.expect(crc32({'1', '2', '3', '4', '5', '6', '7', '8', '9'}) == 0xCBF43926,
             "the bench's own CRC is wrong");
  tap.done("R-HL-1 to R-HL-4: INFO, with every byte that has an escape in it");
}

void test_registers(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Host host(tap, random);
  for (unsigned n = 0; n < 60; n++) {
    host.world.manners.hold = n % 3 == 2 ? 16 : 0;
    const uint32_t addr = 4 * random.below(0x500) + random.one_in(8);
    if (random.one_in(2))
      host.check(host.request(kWrite, number(addr, 4) + number(random.bits32(), 4)), "WRITE");
    else
      host.check(host.request(kRead, number(addr, 4)), "READ");
  }
  tap.expect(host.world.n_held > 5 && host.world.n_accesses == 60, "%u accesses, %u held",
             host.world.n_accesses, host.world.n_held);
  host.world.manners.hold = 0;
  host.world.manners.port_silent = true;
  host.check(host.request(kRead, number(8, 4)), "READ of a silent port");
  host.check_memory();
  tap.done("R-HL-9, R-HL-10: a register takes a cycle, or two where the port gave one away");
}

void test_run(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Host host(tap, random);
  const auto run = [&](uint32_t n, bool stop, const char *what) {
    host.check(host.request(kRun, number(n, 4) + number(stop, 1)), what);
  };
  run(0, false, "RUN of no cycle");
  run(1, false, "RUN of one");
  run(1000, true, "RUN without an interrupt");
  host.set_irq(host.world.gpu_cycles + 77);
  run(5000, true, "RUN to an interrupt");
  run(5000, true, "RUN where it is already there");
  run(12, false, "RUN past it");
  host.set_irq(host.world.gpu_cycles + 20);
  run(20, true, "RUN to the cycle before it");
  for (unsigned n = 0; n < 20; n++) {
    host.set_irq(host.world.gpu_cycles + random.below(300));
    run(random.below(300), random.one_in(2), "RUN");
  }
  host.check_memory();
  tap.done("R-HL-10, R-HL-11: RUN takes as many cycles as it says, or until the interrupt");
}

Bytes memory_request(Host &host, qsm_unit::Random &random) {
  static const uint32_t edges[] = {kBase, kBase + kMemBytes - 1, kBase + kMemBytes - 8, kBase - 3,
                                   kBase + kMemBytes};
  const uint32_t kind = random.below(5);
  uint32_t n = random.one_in(4) ? 1 + random.below(1024) : 1 + random.below(40);
  uint32_t addr = random.one_in(8) ? edges[random.below(5)] : kBase + random.below(kMemBytes);
  if (random.one_in(4)) addr = addr / kBeatBytes * kBeatBytes;
  if (kind == 0)
    return host.request(kMemFill, number(addr & ~63u, 4) + number(64 * (1 + random.below(9)), 4));
  if (kind <= 2) return host.request(kMemRead, number(addr, 4) + number(n, 2));
  return host.request(kMemWrite, number(addr, 4) + random_bytes(random, n));
}

void test_memory(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Host host(tap, random);
  for (unsigned n = 0; n < (kClkPerBit ? 40u : 200u) && !tap.failed(); n++) {
    host.world.manners.axi = n % 2 ? 16 : 5;
    host.check(memory_request(host, random), "memory");
  }
  for (uint32_t n : {1u, 1024u}) {
    host.check(host.request(kMemRead, number(kBase + kMemBytes - n, 4) + number(n, 2)), "its end");
    host.check(host.request(kMemWrite, number(kBase, 4) + random_bytes(random, n)), "its start");
  }
  host.check(host.request(kMemRead, number(kBase + kMemBytes - 3, 4) + number(4, 2)),
             "past its end");
  host.check(host.request(kMemFill, number(kBase, 4) + number(0xFFFFFFC0, 4)), "a fill past all");
  host.check_memory();
  tap.done("R-HL-12: memory, byte by byte, at its ends and across them");
}

void test_bad_requests(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Host host(tap, random);
  const Bytes four = number(kBase, 4);
  for (const Bytes &bad : {host.request(0),
                           host.request(9, four),
                           host.request(0x81),
                           host.request(255),
                           host.request(kInfo, {0}),
                           host.request(kReset, {1}),
                           host.request(kRead, number(0, 3)),
                           host.request(kRead, number(0, 5)),
                           host.request(kWrite, number(0, 7)),
                           host.request(kWrite, number(0, 8) + Bytes{0}),
                           host.request(kRun, number(5, 4)),
                           host.request(kRun, number(5, 4) + Bytes{2}),
                           host.request(kRun, number(1u << 26, 4) + Bytes{0}),
                           host.request(kRun, number(0, 6)),
                           host.request(kMemRead, four + number(0, 2)),
                           host.request(kMemRead, four + number(1025, 2)),
                           host.request(kMemRead, four + number(1, 3)),
                           host.request(kMemWrite, four),
                           host.request(kMemFill, four + number(0, 4)),
                           host.request(kMemFill, four + number(32, 4)),
                           host.request(kMemFill, number(kBase + 32, 4) + number(64, 4)),
                           host.request(kMemFill, four + number(64, 5))})
    host.check(bad, "a bad request");
  host.check_memory();
  tap.expect(host.world.n_accesses == 0 && host.world.n_beats_written == 0, "one had an effect");
  tap.done("R-HL-8: bad requests are answered, and nothing is done");
}

// A broken frame has no reply and no effect; the next one is understood.
void test_broken(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Host host(tap, random);
  unsigned by_kind[8] = {};
  for (unsigned n = 0; n < (kClkPerBit ? 60u : 400u) && !tap.failed(); n++) {
    const Bytes frame = host.request(kWrite, number(4 * n, 4) + random_bytes(random, 4));
    Bytes line = encode(frame), reply;
    const size_t at = 1 + random.below(static_cast<uint32_t>(line.size() - 2));
    const unsigned kind = n % 8;
    if (kind == 0) line[at] ^= static_cast<uint8_t>(1u << random.below(8));
    if (kind == 1) line.erase(line.begin() + static_cast<std::ptrdiff_t>(at));
    if (kind == 2) line.insert(line.begin() + static_cast<std::ptrdiff_t>(at), line[at]);
    if (kind == 3)
      line.insert(line.begin() + static_cast<std::ptrdiff_t>(at), random_bytes(random, 1)[0]);
    if (kind == 4) line.resize(at);  // cut, and its END is lost
    if (kind == 5) std::swap(line[at], line[at + 1 < line.size() - 1 ? at + 1 : 1]);
    if (kind == 6) line.insert(line.end() - 1, 0xDB);  // an escape before END
    if (kind == 7) line = Bytes{0xC0} + random_bytes(random, 1 + random.below(1200)) + Bytes{0xC0};
    Decoder decoder;
    if (std::any_of(line.begin(), line.end(),
                    [&](uint8_t b) { return decoder.take(b).has_value(); }))
      continue;  // not broken: the same byte, or an END more before the first
    by_kind[kind]++;
    const unsigned before = host.world.n_accesses;
    tap.expect(!host.exchange(line, reply, 100), "kind %u: a broken frame has a reply", kind);
    tap.expect(host.world.n_accesses == before, "kind %u: a broken frame has an effect", kind);
    host.check(host.request(kRead, number(0x800 + 4 * (n % 64), 4)), "after a broken frame");
  }
  // bytes that came broken make their frame broken, also its last
  for (unsigned at : {1u, 5u}) {
    const Bytes line = encode(host.request(kWrite, number(0, 8)));
    Bytes reply;
    for (unsigned i = 0; i < line.size(); i++)
      i == at ? host.world.send_broken(line[i]) : host.world.send({line[i]});
    tap.expect(!host.wait(reply, 100), "a frame with a byte without its stop bit has a reply");
    host.check(host.request(kRead, number(0x804, 4)), "after a broken byte");
  }
  for (unsigned kind = 0; kind < 8; kind++) tap.expect(by_kind[kind] > 3, "kind %u is rare", kind);
  host.check_memory();
  // Counted: one for each of these.
  Host counted(tap, random);
  for (const Bytes &bad : {Bytes{0xC0, 1, 0xC0}, Bytes{0xC0, 0xC0, 0xC0, 0xDB, 0xC0},
                           Bytes{0xC0, 1, 2, 3, 4, 5, 6, 7, 0xC0}, Bytes{0xC0, 0xDB, 1, 0xC0},
                           Bytes{0xC0} + Bytes(1100, 7) + Bytes{0xC0}}) {
    counted.world.send(bad);
    counted.n_broken++;
  }
  counted.check(counted.request(kInfo), "INFO of the broken frames");
  tap.done("R-HL-3 to R-HL-5: a broken frame has no effect, the next one is understood");
}

// The host has lost a reply, and asks again.
void test_again(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Host host(tap, random);
  for (unsigned n = 0; n < 24; n++) {
    Bytes frame;
    if (n % 4 == 0) frame = host.request(kWrite, number(4 * n, 4) + number(random.bits32(), 4));
    if (n % 4 == 1) frame = host.request(kRun, number(100 + n, 4) + Bytes{0});
    if (n % 4 == 2) frame = memory_request(host, random);
    if (n % 4 == 3) frame = host.request(kRead, number(2, 4));  // refused
    Bytes first, again;
    tap.expect(host.exchange(encode(frame), first), "no reply");
    host.compare(first, host.expected(frame, 0), "the first time");
    const unsigned accesses = host.world.n_accesses,
                   beats = host.world.n_beats_written + host.world.n_beats_read;
    for (unsigned times = 1 + n % 2; times > 0; times--) {
      tap.expect(host.exchange(encode(frame), again), "no reply the second time");
      host.compare(again, first, "the second time");
    }
    host.check_memory();
    tap.expect(host.world.n_accesses == accesses &&
                   host.world.n_beats_written + host.world.n_beats_read == beats,
               "done twice");
  }
  // INFO is always done: the GPU has run meanwhile
  Bytes info = host.request(kInfo);
  host.check(info, "INFO");
  host.check(host.request(kRun, number(3, 4) + Bytes{0}), "RUN");
  host.check(info, "INFO again");
  // The same but for its number is another request.
  const uint64_t before = host.world.gpu_cycles;
  for (unsigned n = 0; n < 300; n++)
    if (n % 100 < 2)
      host.check(host.request(kRun, number(1, 4) + Bytes{0}), "RUN of the next number");
    else
      host.request(kInfo);
  tap.expect(host.world.gpu_cycles == before + 6, "%llu cycles",
             static_cast<unsigned long long>(host.world.gpu_cycles - before));
  tap.done("R-HL-7: a request that comes again is answered again and not done again");
}

// A second request while one is being done is lost, whole or in part.
void test_one_at_a_time(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Host host(tap, random);
  for (unsigned n = 0; n < 12; n++) {
    const Bytes run = host.request(kRun, number(kClkPerBit ? 2500 : 60, 4) + Bytes{0}),
                lost = host.request(kWrite, number(0, 4) + number(n, 4));
    Bytes reply;
    host.world.send(encode(run));
    if (kClkPerBit) {
      // half of it, or all, within the RUN
      while (!host.world.sent()) host.world.cycle();
      Bytes line = encode(lost);
      line.resize(n % 2 ? line.size() : line.size() / 2);
      host.world.send(line);
    }
    tap.expect(host.wait(reply, 400), "no reply to RUN");
    host.compare(reply, host.expected(run, 0), "RUN");
    tap.expect(host.world.replies.empty(), "two replies");
    host.check(host.request(kRead, number(0, 4)), "after it");
  }
  if (!kClkPerBit) {  // bytes wait: both are done, one after the other
    const Bytes a = host.request(kRun, number(99, 4) + Bytes{0}),
                b = host.request(kRead, number(4, 4));
    Bytes reply;
    host.world.send(encode(a) + encode(b));
    tap.expect(host.wait(reply, 400), "no reply to the first");
    host.compare(reply, host.expected(a, 0), "the first");
    tap.expect(host.wait(reply, 400), "no reply to the second");
    host.compare(reply, host.expected(b, 0), "the second");
  }
  host.check_memory();
  tap.done("R-HL-6: one request at a time");
}

void test_failing_memory(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Host host(tap, random);
  host.world.manners.bad_beat = kBase + 0x100;
  for (uint32_t addr : {0x100u, 0x100u - 3, 0x100u - 64}) {
    host.check(host.request(kMemRead, number(kBase + addr, 4) + number(70, 2)), "a bad read");
    host.check(host.request(kMemWrite, number(kBase + addr, 4) + random_bytes(random, 70)),
               "a bad write");
  }
  host.check(host.request(kMemFill, number(kBase + 0xC0, 4) + number(128, 4)), "a bad fill");
  host.world.manners.bad_beat = 0;
  host.check(host.request(kMemRead, number(kBase + 0xC0, 4) + number(128, 2)), "a good read");
  host.world.top.mem_ready_i = 0;
  host.check(host.request(kMemRead, number(kBase, 4) + number(4, 2)), "a memory not started");
  host.world.top.mem_ready_i = 1;
  host.check(host.request(kMemRead, number(kBase, 4) + number(4, 2)), "a memory started");
  host.world.top.gpu_error_i = 1;
  host.check(host.request(kRun, number(4, 4) + Bytes{0}), "the GPU's error");
  host.world.top.gpu_error_i = 0;
  host.check_memory();
  for (uint8_t op : {kMemRead, kMemWrite, kMemFill}) {
    Host silent(tap, random);
    silent.world.manners.memory_silent = true;
    silent.check(silent.request(op, number(kBase, 4) + number(64, op == kMemRead ? 2 : 4)),
                 "a silent memory");
    const unsigned beats = silent.world.n_beats_written + silent.world.n_beats_read;
    silent.world.manners.memory_silent = false;  // late
    for (unsigned n = 0; n < 50; n++) silent.world.cycle();
    tap.expect(silent.world.n_beats_written + silent.world.n_beats_read == beats + 1,
               "a late response is not taken");
    silent.check(silent.request(kMemRead, number(kBase, 4) + number(4, 2)),
                 "a memory that was silent");
    silent.check(silent.request(kWrite, number(4, 4) + number(7, 4)), "a register then");
  }
  tap.done("R-HL-12, R-HL-14: a memory that fails, and one that says nothing");
}

void test_reset(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Host host(tap, random);
  for (unsigned n = 0; n < 8; n++) {
    host.check(host.request(kRun, number(50 * n, 4) + Bytes{0}), "RUN");
    host.world.to_drain = n * 9;
    host.set_irq(host.world.gpu_cycles + 1);
    host.check(host.request(kReset), "RESET");
    tap.expect(host.world.n_resets == 2 + n && host.world.to_drain == 0, "%u resets",
               host.world.n_resets);
    host.check(host.request(kRead, number(0x804, 4)), "READ after RESET");
  }
  tap.expect(host.world.n_undrained == 0, "reset with accesses under way");
  host.world.manners.never_drained = true;
  host.check(host.request(kReset), "RESET of a GPU that does not drain");
  tap.expect(host.world.n_resets == 9, "a GPU that is not drained was reset");
  tap.done("R-HL-13: RESET waits until nothing is under way");
}

// Everything, over a line that loses, changes, doubles and invents bytes both ways: the host sends
// again until it has its reply; in the end all is as if the line had been good.
void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Host host(tap, random);
  unsigned n_again = 0, n_lost_replies = 0;
  for (unsigned n = 0; n < (kClkPerBit ? 120u : 1500u) && !tap.failed(); n++) {
    if (n % 50 == 0)
      host.world.manners = {
          .send = 2 + random.below(15), .take = 2 + random.below(15), .axi = 2 + random.below(15)};
    Bytes frame;
    const uint32_t kind = random.below(8);
    if (kind < 2)
      frame = host.request(kRead, number(4 * random.below(0x300), 4));
    else if (kind < 4)
      frame = host.request(kWrite, number(4 * random.below(0x300), 4) + random_bytes(random, 4));
    else if (kind < 5)
      frame = host.request(kRun, number(random.below(200), 4) + number(random.below(2), 1));
    else if (kind < 6 && random.one_in(4))
      frame = host.request(kReset);
    else
      frame = memory_request(host, random);
    if (random.one_in(6)) host.set_irq(host.world.gpu_cycles + random.below(400));
    Bytes reply;
    bool answered = false;
    for (unsigned attempt = 0; attempt < 30 && !answered; attempt++) {
      Bytes line = encode(frame);
      if (random.one_in(5)) host.world.send(random_bytes(random, 1 + random.below(20)));  // noise
      if (random.one_in(4)) {
        const auto at = line.begin() + static_cast<std::ptrdiff_t>(
                                           random.below(static_cast<uint32_t>(line.size())));
        const uint32_t what = random.below(4);
        if (what == 0) *at = static_cast<uint8_t>(*at ^ (1u + random.below(255)));
        if (what == 1) line.erase(at);
        if (what == 2) line.insert(at, *at);
        if (what == 3) line.insert(at, static_cast<uint8_t>(random.bits32()));
      }
      answered = host.exchange(line, reply, 60);
      while (answered && reply[0] != frame[0]) answered = host.wait(reply, 60);  // an old one
      if (answered && random.one_in(5)) {  // the reply is lost
        answered = false;
        n_lost_replies++;
      }
      n_again += attempt > 0;
    }
    tap.expect(answered, "no reply after thirty attempts");
    host.compare(reply, host.expected(frame, 0), "over a bad line");
    while (!host.world.replies.empty()) host.world.replies.pop_front();
  }
  host.check_memory();
  tap.expect(host.world.decoder.n_broken == 0, "the link sent a broken frame");
  tap.expect(n_again > 20 && n_lost_replies > 10,
             "the line was too good: %u again, %u replies lost", n_again, n_lost_replies);
  std::printf("# %u requests sent again, %u replies lost\n", n_again, n_lost_replies);
  tap.done("R-HL-5, R-HL-7: over a bad line all is done once, as over a good one");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_link");
  qsm_unit::Tap tap(11);
  test_info(tap, random);
  test_registers(tap, random);
  test_run(tap, random);
  test_memory(tap, random);
  test_bad_requests(tap, random);
  test_broken(tap, random);
  test_again(tap, random);
  test_one_at_a_time(tap, random);
  test_failing_memory(tap, random);
  test_reset(tap, random);
  test_random(tap, random);
  return tap.exit_code();
}
