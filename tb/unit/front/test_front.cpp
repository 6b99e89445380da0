// SPDX-License-Identifier: Apache-2.0
// Front end of the command channels (qsm_front): directed scenarios, then tenants that write
// anything into their rings while the driver does anything with their channels; every register and
// message against front_ref.h in every cycle.
#include <string>

#include "front_bench.h"

namespace {

constexpr uint32_t kMemory = 0x80000000;

// Where each channel has what it has.
struct Tenant {
  unsigned log2 = 3, split = 0;
  uint32_t ring = 0, context = 0, window0 = 0, window1 = 0;
  uint32_t put = 0;
};

class World {
 public:
  World(FrontBench &bench, qsm_unit::Random &random) : bench_(bench), random_(random) {
    for (unsigned c = 0; c < NUM_CMD; c++) place(c);
  }

  // Ring, context and window anew, while the channel is off; PUT is 0 after that.
  void place(unsigned c, unsigned log2 = 0) {
    Tenant &t = tenants[c];
    const uint32_t base = kMemory + (c << 17);
    t.log2 = random_.one_in(8) ? 1 + random_.below(12) : 1 + random_.below(4);
    if (log2) t.log2 = log2;
    t.split = one_split >= 0 ? unsigned(one_split) : random_.below(most_split() + 1);
    t.ring = base + (random_.below(4) << 12);
    t.context = base + 0x10000 + (random_.below(8) << 7);
    t.window0 = base + 0x12000;
    t.window1 = base + 0x14000;
    t.put = 0;
    bench_.write(FrontBench::driver(c, 4), t.ring | t.split << 4 | t.log2);
    bench_.write(FrontBench::driver(c, 8), t.context);
    bench_.write(FrontBench::driver(c, 0x1C), random_.one_in(3) ? 0 : 1 + random_.below(400));
    write_context(c, 0xF);
    for (unsigned i = 0; i < (1u << std::min(t.log2, 5u)); i++) command(c, i);
  }

  void write_context(unsigned c, uint32_t rights) {
    const Tenant &t = tenants[c];
    for (unsigned w = 0; w < 32; w++) bench_.memory(t.split, t.context + 4 * w) = random_.bits32();
    auto word = [&](unsigned w) -> uint32_t & { return bench_.memory(t.split, t.context + 4 * w); };
    word(6) = t.window0;
    word(7) = t.window0 + 0x1000;
    word(8) = 5;
    word(9) = t.window1;
    word(10) = t.window1 + 0x1000 - (random_.one_in(4) ? 4 * random_.below(16) : 0);
    word(11) = random_.one_in(6) ? random_.below(8) : 3;
    word(12) = rights;
    word(23) = t.window1 + 0x1000 + random_.below(64);  // any addresses
    word(24) = t.window1 + 0x2000 - random_.below(64);
    word(25) = random_.one_in(6) ? random_.below(8) : 3;
  }

  uint32_t some_address(unsigned c, unsigned window, uint32_t align) {
    const Tenant &t = tenants[c];
    const uint32_t base = window ? t.window1 : t.window0;
    if (random_.one_in(30)) return random_.bits32();
    if (random_.one_in(20)) return base + 0x1000 - 4 * random_.below(20);
    if (random_.one_in(30)) return base - 4 * random_.below(20);
    if (random_.one_in(20)) return base + random_.below(0x1000);
    return base + align * random_.below(0x800 / align);
  }

  // Bytes in some window; sometimes at or over its ends.
  uint32_t some_range(unsigned c, uint32_t bytes) {
    const Tenant &t = tenants[c];
    const unsigned window = random_.below(5);
    const uint32_t base = window == 0 ? t.window0 : window < 3 ? t.window1 : t.window1 + 0x1000;
    if (random_.one_in(40)) return random_.bits32();
    if (random_.one_in(16)) return base + 0x1000 - bytes - random_.below(3) + 1;
    if (random_.one_in(16)) return base + random_.below(3) - 1;
    return base + 64 + random_.below(0x400);
  }

  // Any command into place `index` of the ring.
  void command(unsigned c, unsigned index, int fixed = -1) {
    const Tenant &t = tenants[c];
    uint32_t words[8] = {};
    unsigned what = fixed >= 0 ? unsigned(fixed) : random_.below(17);
    if (fixed < 0 && copies && random_.one_in(2)) what = 11 + random_.below(5);
    if (fixed < 0 && launches && !random_.one_in(4)) what = 1;
    switch (what) {
      case 0: words[0] = QSM_CMD_NOP; break;
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
        words[0] = QSM_CMD_LAUNCH;
        words[1] = some_address(c, random_.below(3) == 0, 64);
        descriptor(c, words[1]);
        break;
      case 6:
      case 7:
        words[0] = QSM_CMD_SET;
        words[1] = random_.one_in(10) ? random_.bits32() >> random_.below(32) : random_.below(6);
        words[2] = random_.bits32();
        break;
      case 8:
      case 9:
        words[0] = QSM_CMD_ACQUIRE;
        words[1] = some_address(c, 1, 4);
        words[2] = random_.one_in(2) ? 0 : random_.below(4) - 2;
        break;
      case 10:
        words[0] = QSM_CMD_RELEASE;
        words[1] = some_address(c, 1, 4);
        words[2] = random_.below(4);
        break;
      case 11:
      case 12:
      case 13: {
        const uint32_t bytes = random_.below(copies || random_.one_in(4) ? 1200 : 80);
        words[0] = QSM_CMD_COPY;
        words[1] = some_range(c, bytes);
        words[2] = some_range(c, bytes);
        words[3] = random_.one_in(40) ? random_.bits32() : bytes;
        break;
      }
      case 14:
      case 15: {
        const uint32_t bytes = random_.one_in(4) ? random_.below(1200) : random_.below(80);
        words[0] = QSM_CMD_FILL;
        words[1] = some_range(c, bytes);
        words[2] = random_.one_in(40) ? random_.bits32() : bytes;
        words[3] = random_.bits32();
        break;
      }
      default:
        words[0] = QSM_CMD_RELEASE | 0x200;
        words[1] = some_address(c, 1, 16);
        words[2] = random_.bits32();
        break;
    }
    if (random_.one_in(3)) words[0] |= 0x100;
    if (random_.one_in(12)) words[0] |= 0x200;
    if (fixed < 0 && random_.one_in(25)) words[random_.below(8)] ^= 1u << random_.below(32);
    for (unsigned w = 0; w < 8; w++) bench_.memory(t.split, t.ring + 32 * index + 4 * w) = words[w];
  }

  // Settings of a launch's own (R-FR-28), of a descriptor that is there.
  void own(unsigned c, uint32_t at, unsigned which) {
    const Tenant &t = tenants[c];
    for (unsigned w = 9; w < 16; w++) {
      uint32_t value = w < 13 && which & 1 ? random_.bits32() : 0;
      if (w == 13 && which & 2) value = random_.below(4);
      bench_.memory(t.split, (at & ~63u) + 4 * w) = w == 9 ? which : value;
    }
  }

  void descriptor(unsigned c, uint32_t at) {
    const Tenant &t = tenants[c];
    for (unsigned w = 0; w < 16; w++) {
      uint32_t value = w >= 9 ? 0 : w >= 5 && w < 8 ? random_.below(40) : random_.bits32();
      if (w >= 5 && w < 8 && random_.one_in(10)) value = random_.bits32();
      if (w == 8) value = random_.below(SHARED_BYTES + 1);
      if (w >= 9 && random_.one_in(100)) value = 1u << random_.below(32);
      bench_.memory(t.split, (at & ~63u) + 4 * w) = value;
    }
    if (random_.one_in(3)) own(c, at, random_.below(4));
  }

  static unsigned most_split() {
    unsigned n = 0;
    while ((1u << n) < NUM_CHANNELS) n++;
    return PARTITION_BITS ? n : 0;
  }

  Tenant tenants[NUM_CMD];
  int one_split = -1;     // of all that are placed: areas of several lie over each other
  bool copies = false;    // many, and long ones
  bool launches = false;  // many

 private:
  FrontBench &bench_;
  qsm_unit::Random &random_;
};

// Cycles until the state is this.
unsigned until(FrontBench &bench, unsigned state, unsigned most = 100000) {
  unsigned n = 0;
  while (bench.top.state_o != state && n < most) {
    bench.cycle();
    n++;
  }
  return n;
}

struct Quiet : FrontBench {
  Quiet(qsm_unit::Tap &tap, qsm_unit::Random &random) : FrontBench(tap, random) {
    slow_registers = ~0u;
    kills = 0;
  }
};

// A nop of a channel that was just enabled: CLEAR, ROW, CHECK, FETCH, DECODE, FINISH.
void test_nop(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Quiet bench(tap, random);
  World world(bench, random);
  world.command(0, 0, 0);
  bench.memory(world.tenants[0].split, world.tenants[0].ring) = 0x100;  // with an interrupt
  bench.write(FrontBench::page(0, 0), 1);
  tap.expect(bench.err(), "R-FR-2: PUT of a channel that is not enabled is taken");
  bench.write(FrontBench::driver(0, 0), 1);
  bench.read(FrontBench::page(0, 8));
  tap.expect(bench.rdata() == 0x21, "R-FR-2: STATE is 0x%x, not enabled and fresh", bench.rdata());
  bench.write(FrontBench::page(0, 0), 1);
  tap.expect(bench.err(), "R-FR-2: PUT of a fresh channel is taken");
  until(bench, QSM_FRONT_IDLE);
  bench.cycles(2);
  bench.write(FrontBench::page(0, 0), 1);
  tap.expect(!bench.err() && bench.top.state_o == QSM_FRONT_IDLE, "PUT is refused");
  bench.cycle();
  const unsigned row = until(bench, QSM_FRONT_CHECK);
  tap.expect(row == 4, "R-FR-6: the row took %u cycles", row);
  bench.cycle();
  until(bench, QSM_FRONT_FINISH);
  const unsigned finish = until(bench, QSM_FRONT_IDLE);
  tap.expect(finish == 3, "R-FR-19: FINISH took %u cycles", finish);
  tap.expect(bench.ref.channels[0].irq, "R-FR-19: no interrupt");
  bench.read(FrontBench::page(0, 4));
  tap.expect(bench.rdata() == 1u % (1u << world.tenants[0].log2), "GET is %u", bench.rdata());
  bench.read(FrontBench::driver(0, 0x14));
  tap.expect(bench.rdata() == 1, "DONE is %u", bench.rdata());
  bench.write(0xD4, 1);
  tap.expect(!bench.ref.channels[0].irq, "the interrupt stays");
  until(bench, QSM_FRONT_CHECK);
  bench.cycles(2);
  tap.expect(!bench.ref.channels[0].pending, "R-FR-6: pending with nothing to do");
  tap.done("R-FR-2, R-FR-3, R-FR-6, R-FR-7, R-FR-19: a nop from the enable to its interrupt");
}

// Two launches; the second finds its context in the slot. Then the driver takes the channel off.
void test_launches(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Quiet bench(tap, random);
  World world(bench, random);
  world.place(0, 2);
  bench.write(FrontBench::driver(0, 0x1C), 0);
  Tenant &t = world.tenants[0];
  for (unsigned i = 0; i < 2; i++) {
    const uint32_t words[8] = {QSM_CMD_LAUNCH | 0x100, t.window0 + 64 * i};
    for (unsigned w = 0; w < 8; w++) bench.memory(t.split, t.ring + 32 * i + 4 * w) = words[w];
    world.descriptor(0, t.window0 + 64 * i);
    for (unsigned w = 9; w < 16; w++) bench.memory(t.split, t.window0 + 64 * i + 4 * w) = 0;
  }
  bench.write(FrontBench::driver(0, 0), 1);
  bench.cycles(20);
  bench.write(FrontBench::page(0, 0), 2);
  until(bench, QSM_FRONT_BIND);
  const unsigned bind = until(bench, QSM_FRONT_COUNT);
  tap.expect(bind == 66, "R-FR-11: BIND took %u cycles", bind);
  const unsigned count = until(bench, QSM_FRONT_LOAD);
  tap.expect(count == NUM_SMS, "R-FR-22: COUNT took %u cycles", count);
  until(bench, QSM_FRONT_PRODUCT);
  const unsigned product = until(bench, QSM_FRONT_LIMIT);
  tap.expect(product == 22, "R-FR-11: PRODUCT took %u cycles", product);
  const unsigned limit = until(bench, QSM_FRONT_START);
  tap.expect(limit == 1, "R-FR-11: LIMIT took %u cycles", limit);
  const unsigned start = until(bench, QSM_FRONT_FINISH);
  tap.expect(start == 51, "R-FR-11: START took %u cycles", start);
  tap.expect(bench.ref.slots[0].runs && !bench.ref.channels[0].busy, "the launch does not run");
  bench.cycle();
  tap.expect(bench.ref.channels[0].busy, "R-FR-19: not busy with the launch");
  bench.write(0xE0, 1);
  tap.expect(bench.ref.snap_runs && bench.ref.snap_channel == 0 && bench.ref.snap_busy[0],
             "R-FR-17: the snapshot does not see it");
  until(bench, QSM_FRONT_END);
  const unsigned end = until(bench, QSM_FRONT_IDLE);
  tap.expect(end == 14, "R-FR-14: END took %u cycles", end);
  tap.expect(bench.ref.channels[0].irq && !bench.ref.channels[0].busy, "no end of the launch");
  const uint64_t busy = bench.ref.channels[0].row[4];
  tap.expect(busy >= 4, "R-FR-15: %llu cycles", ull{busy});
  until(bench, QSM_FRONT_SLOT);
  const unsigned slot = until(bench, QSM_FRONT_LOAD);
  tap.expect(slot == 1 && bench.ref.seen["slot 1"] == 1, "the second launch binds a slot anew");
  until(bench, QSM_FRONT_FINISH);
  bench.write(FrontBench::driver(0, 0), 0);
  until(bench, QSM_FRONT_END);
  until(bench, QSM_FRONT_UNBIND);
  bench.cycles(4);
  tap.expect(!bench.ref.slots[0].bound, "R-FR-5: the slot of a channel that is off stays bound");
  tap.done("R-FR-5, R-FR-8, R-FR-10, R-FR-11, R-FR-13 to R-FR-15, R-FR-17: two launches");
}

// A channel with its commands one by one.
class Single {
 public:
  Single(FrontBench &bench, World &world, unsigned c) : bench_(bench), world_(world), c_(c) {
    if (world_.one_split < 0) world_.one_split = int(world_.tenants[c].split);
    world_.place(c, 3);
    world_.write_context(c, 0xF);
    const Tenant &t = world_.tenants[c];
    word(10) = t.window1 + 0x1000;
    word(11) = 3;
    word(23) = t.window1 + 0x1000;
    word(24) = t.window1 + 0x2000;
    word(25) = 3;
    bench_.write(FrontBench::driver(c, 0x1C), 0);
    enable();
  }

  uint32_t &word(unsigned w) {
    const Tenant &t = world_.tenants[c_];
    return bench_.memory(t.split, t.context + 4 * w);
  }
  uint8_t byte(uint32_t at) { return bench_.byte(world_.tenants[c_].split, at); }

  void enable() {
    bench_.write(FrontBench::driver(c_, 0), 0);
    bench_.write(FrontBench::driver(c_, 0), 1);
    bench_.cycles(30);
    until(bench_, QSM_FRONT_IDLE);
    put_ = 0;
  }

  // Puts a command into the ring and says so.
  void give(std::initializer_list<uint32_t> words) {
    const Tenant &t = world_.tenants[c_];
    unsigned w = 0;
    for (; w < 8; w++) bench_.memory(t.split, t.ring + 32 * put_ + 4 * w) = 0;
    w = 0;
    for (uint32_t value : words) bench_.memory(t.split, t.ring + 32 * put_ + 4 * w++) = value;
    put_ = (put_ + 1) % 8;
    bench_.write(FrontBench::page(c_, 0), put_);
  }

  // The same, until it has ended; ERROR after it, then the channel is enabled anew.
  uint32_t run(std::initializer_list<uint32_t> words) {
    give(words);
    bench_.cycles(2);
    const FrontRef::Channel &now = bench_.ref.channels[c_];
    for (unsigned n = 0; n < 20000 && !now.stopped; n++) {
      if (bench_.top.state_o == QSM_FRONT_IDLE && !now.pending && !now.busy) break;
      bench_.cycle();
    }
    const uint32_t error = read(0x18);
    if (now.stopped) enable();
    return error & 0xFFFF;
  }

  uint32_t read(uint32_t offset) {
    bench_.read(FrontBench::driver(c_, offset));
    return bench_.rdata();
  }
  uint64_t counter(uint32_t offset) { return read(offset) | uint64_t{read(offset + 4)} << 32; }

 private:
  FrontBench &bench_;
  World &world_;
  const unsigned c_;
  unsigned put_ = 0;
};

constexpr uint32_t kBadCommand = QSM_STOP_BAD_COMMAND, kBadAddress = QSM_STOP_BAD_ADDRESS;

void test_copies(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Quiet bench(tap, random);
  World world(bench, random);
  Single channel(bench, world, 0);
  const Tenant &t = world.tenants[0];
  const uint32_t from = t.window1 + 3, to = t.window1 + 0x805, host = t.window1 + 0x1000;
  for (uint32_t i = 0; i < 0x400; i += 4) bench.memory(t.split, t.window1 + i) = random.bits32();
  const uint8_t before = channel.byte(to - 1), behind = channel.byte(to + 100);

  channel.give({QSM_CMD_COPY | 0x100, from, to, 100});
  until(bench, QSM_FRONT_RANGE);
  const unsigned range = until(bench, QSM_FRONT_ENGINE);
  tap.expect(range == 6, "R-FR-23: RANGE took %u cycles", range);
  const unsigned engine = until(bench, QSM_FRONT_FINISH);
  tap.expect(engine == 1, "R-FR-23: ENGINE took %u cycles", engine);
  const uint64_t begun = bench.n_cycles;
  tap.expect(until(bench, QSM_FRONT_IDLE) == 1, "R-FR-19: FINISH of a copy");
  tap.expect(bench.ref.engine.copying && bench.ref.channels[0].busy && !bench.ref.channels[0].irq,
             "the copy does not run, or has ended");
  bench.write(0xE0, 1);
  tap.expect(bench.ref.snap_copying && bench.ref.snap_busy[0], "R-FR-17: the snapshot");
  while (bench.ref.engine.copying && !tap.failed()) bench.cycle();
  const uint64_t took = bench.n_cycles - begun - 1;
  until(bench, QSM_FRONT_COPY_END);
  const unsigned end = until(bench, QSM_FRONT_IDLE);
  tap.expect(end == 6, "R-FR-24: COPY_END took %u cycles", end);
  tap.expect(bench.ref.channels[0].irq && !bench.ref.channels[0].busy, "no end of the copy");
  tap.expect(channel.counter(0x30) == took, "R-FR-24: %llu cycles, %llu were seen",
             ull{channel.counter(0x30)}, ull{took});
  tap.expect(channel.read(0x14) == 1, "DONE is not 1");
  for (uint32_t i = 0; i < 100; i++)
    tap.expect(channel.byte(to + i) == channel.byte(from + i), "byte %u was not copied", i);
  tap.expect(channel.byte(to - 1) == before && channel.byte(to + 100) == behind, "beside it");

  tap.expect(channel.run({QSM_CMD_FILL, to + 1, 9, 0x44332211}) == 0, "a fill is refused");
  for (uint32_t i = to + 1; i < to + 10; i++)
    tap.expect(channel.byte(i) == 0x11 * (i % 4 + 1), "byte 0x%x of the fill", i);

  // over the link: so many cycles per line
  bench.in.link_interval = 50 * 256;
  const uint64_t so_far = channel.counter(0x30);
  tap.expect(channel.run({QSM_CMD_COPY, from, host + 0x100, 5 * LINE_BYTES}) == 0, "to the host");
  const uint64_t linked = channel.counter(0x30) - so_far;
  tap.expect(linked >= 5 * 50 && linked < 7 * 50, "R-DM-7: %llu cycles for six lines", ull{linked});
  bench.in.link_interval = 256;

  const uint32_t end0 = t.window1 + 0x2000, far = 0xFFFFFF00;
  const struct {
    std::initializer_list<uint32_t> words;
    uint32_t error;
    const char *what;
  } cases[] = {
      {{QSM_CMD_COPY, from, to, 0}, kBadCommand | 3 << 8, "a copy of no bytes"},
      {{QSM_CMD_FILL, to, 0, 1}, kBadCommand | 2 << 8, "a fill of no bytes"},
      {{QSM_CMD_FILL, to, 0, 1, 1}, kBadCommand | 2 << 8, "the lowest wrong word"},
      {{QSM_CMD_COPY, from, to, 1, 1}, kBadCommand | 4 << 8, "a copy with a word 4"},
      {{7, from, to, 1}, kBadCommand, "an opcode that there is not"},
      {{QSM_CMD_COPY, t.window0, to, 4}, 0, "from a window without write"},
      {{QSM_CMD_COPY, from, t.window0, 4}, kBadAddress | 2 << 8, "to a window without write"},
      {{QSM_CMD_FILL, t.window0, 4}, kBadAddress | 1 << 8, "a fill of a window without write"},
      {{QSM_CMD_COPY, host - 4, to, 8}, kBadAddress | 1 << 8, "from two windows"},
      {{QSM_CMD_COPY, from, host - 4, 8}, kBadAddress | 2 << 8, "to two windows"},
      {{QSM_CMD_COPY, end0 - 4, to, 4}, 0, "the last bytes of a window"},
      {{QSM_CMD_COPY, end0 - 4, to, 5}, kBadAddress | 1 << 8, "one more"},
      {{QSM_CMD_COPY, host, to, 0xFFFFFFFF}, kBadAddress | 1 << 8, "a carry"},
      {{QSM_CMD_COPY, far, far, 0x100}, kBadAddress | 1 << 8, "two wrong ranges"},
      {{QSM_CMD_FILL, end0 - 1, 1}, 0, "a fill of the last byte"},
      {{QSM_CMD_FILL, end0 - 1, 2}, kBadAddress | 1 << 8, "and one more"},
  };
  for (const auto &c : cases) {
    const uint32_t error = channel.run(c.words);
    tap.expect(error == c.error, "%s: ERROR is 0x%x, must be 0x%x", c.what, error, c.error);
  }
  tap.done("R-FR-7, R-FR-16, R-FR-19, R-FR-23, R-FR-24: copies, fills, and those that may not be");
}

// Semaphores and descriptors at the ends of their windows, by their alignment, and by rights.
void test_edges(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Quiet bench(tap, random);
  World world(bench, random);
  Single channel(bench, world, 0);
  const uint32_t w0 = world.tenants[0].window0, w1 = world.tenants[0].window1;
  const uint32_t kBad = kBadAddress | 1 << 8, kStamp = 0x200;
  const struct {
    uint32_t base, limit, rights;  // of window 1
    uint32_t opcode, address, error;
  } cases[] = {
      {w1, w1 + 0x1000, 3, QSM_CMD_ACQUIRE, w1 + 0xFFC, 0},
      {w1, w1 + 0xFFC, 3, QSM_CMD_ACQUIRE, w1 + 0xFFC, kBad},
      {w1, w1 + 0xFFC, 3, QSM_CMD_ACQUIRE, w1 + 0xFF8, 0},
      {w1, w1 + 0xFFC, 3, QSM_CMD_ACQUIRE | kStamp, w1 + 0xFF8, 0},
      {w1, w1 + 0xFFC, 3, QSM_CMD_RELEASE, w1 + 0xFF8, 0},
      {w1, w1 + 0xFFC, 3, QSM_CMD_RELEASE, w1 + 0xFFC, kBad},
      {w1, w1 + 0xFFC, 3, QSM_CMD_RELEASE | kStamp, w1 + 0xFF0, kBad},
      {w1, w1 + 0x1000, 3, QSM_CMD_RELEASE | kStamp, w1 + 0xFF0, 0},
      {w1, w1 + 0xFFC, 3, QSM_CMD_LAUNCH, w1 + 0xFC0, kBad},
      {w1, w1 + 0xFFC, 3, QSM_CMD_LAUNCH, w1 + 0xF80, 0},
      {w1 + 4, w1 + 0x1000, 3, QSM_CMD_RELEASE, w1 + 4, 0},
      {w1 + 4, w1 + 0x1000, 3, QSM_CMD_RELEASE, w1, kBad},
      {w1 + 4, w1 + 0x1000, 3, QSM_CMD_RELEASE | kStamp, w1, kBad},
      {w1 + 4, w1 + 0x1000, 3, QSM_CMD_LAUNCH, w1, kBad},
      {w1, w1 + 0x1000, 3, QSM_CMD_ACQUIRE, w1 + 1, kBad},
      {w1, w1 + 0x1000, 3, QSM_CMD_ACQUIRE, w1 + 2, kBad},
      {w1, w1 + 0x1000, 3, QSM_CMD_ACQUIRE | kStamp, w1 + 8, 0},
      {w1, w1 + 0x1000, 3, QSM_CMD_RELEASE | kStamp, w1 + 4, kBad},
      {w1, w1 + 0x1000, 3, QSM_CMD_RELEASE | kStamp, w1 + 8, kBad},
      {w1, w1 + 0x1000, 3, QSM_CMD_LAUNCH, w1 + 4, kBad},
      {w1, w1 + 0x1000, 3, QSM_CMD_LAUNCH, w1 + 32, kBad},
      {w1, w1 + 0x1000, 1, QSM_CMD_ACQUIRE, w1, 0},
      {w1, w1 + 0x1000, 2, QSM_CMD_ACQUIRE, w1, kBad},
      {w1, w1 + 0x1000, 1, QSM_CMD_RELEASE, w1, kBad},
      {w1, w1 + 0x1000, 2, QSM_CMD_RELEASE, w1, 0},
      {w1, w1 + 0x1000, 1, QSM_CMD_LAUNCH, w1, 0},
      {w1, w1 + 0x1000, 2, QSM_CMD_LAUNCH, w1, kBad},
      {w1, w1 + 0x1000, 3, QSM_CMD_ACQUIRE, w0, kBad},
      {w1, w1 + 0x1000, 3, QSM_CMD_LAUNCH, w0 + 0xFC0, 0},
      {w1, w1 + 0x1000, 3, QSM_CMD_LAUNCH, w0 + 0x1000, kBad},
      {w1, 0xFFFFFFFF, 3, QSM_CMD_LAUNCH, 0xFFFFFFC0, kBad},  // a carry
      {w1, 0xFFFFFFFF, 3, QSM_CMD_RELEASE, 0xFFFFFFFC, kBad},
      {w1 + 0x40, w1, 3, QSM_CMD_ACQUIRE, w1, kBad},  // nothing in it
  };
  for (const auto &c : cases) {
    channel.word(9) = c.base;
    channel.word(10) = c.limit;
    channel.word(11) = c.rights;
    channel.enable();
    for (unsigned w = 9; w < 16 && c.opcode == QSM_CMD_LAUNCH && !c.error; w++)
      bench.memory(world.tenants[0].split, c.address + 4 * w) = 0;
    const uint32_t error = channel.run({c.opcode, c.address});
    tap.expect(error == c.error,
               "window 1 from 0x%x to 0x%x, rights %u, opcode 0x%x at 0x%x: "
               "ERROR is 0x%x, must be 0x%x",
               c.base, c.limit, c.rights, c.opcode, c.address, error, c.error);
  }
  tap.done("R-FR-9, R-FR-10: semaphores and descriptors at the ends of windows, and by rights");
}

// A copy waits for the engine: in ENGINE where commands do one after the other, else outside.
void test_engine(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  for (unsigned concurrent = 0; concurrent < 2; concurrent++) {
    Quiet bench(tap, random);
    World world(bench, random);
    Single first(bench, world, 0), second(bench, world, 1);
    bench.in.concurrent = concurrent;
    // over the link, so that it lasts
    const uint32_t at0 = world.tenants[0].window1 + 0x1000, at1 = world.tenants[1].window1;
    bench.in.link_interval = 60 * 256;
    first.give({QSM_CMD_FILL, at0, 0x800, 0x01020304});
    until(bench, QSM_FRONT_FINISH);
    second.give({QSM_CMD_FILL, at1, 8, 0x05060708});
    until(bench, QSM_FRONT_ENGINE);
    bench.cycle();
    const bool stays = bench.top.state_o == QSM_FRONT_ENGINE;
    tap.expect(stays != (concurrent != 0), "mode %u: in state %u", concurrent, bench.top.state_o);
    const unsigned next = bench.ref.next[0];
    until(bench, QSM_FRONT_COPY_END);
    tap.expect(!bench.ref.engine.copying && bench.ref.channels[1].waits, "it does not wait");
    tap.expect(bench.ref.next[0] == next, "R-FR-6: who found the engine taken had its turn");
    until(bench, QSM_FRONT_FINISH);
    tap.expect(bench.ref.engine.owner == 1, "not the second's turn");
    bench.cycle();
    tap.expect(bench.ref.channels[1].busy, "R-FR-19: not busy with the copy");
    bench.cycle();
    until(bench, QSM_FRONT_COPY_END);
    tap.expect(second.byte(at1 + 7) == 5 && first.byte(at0 + 0x7ff) == 1, "fills");
  }
  tap.done("R-FR-6, R-FR-23: a copy that finds the engine taken, in both modes");
}

// Who is next: the highest priority that one has, and in it in turn.
void test_priorities(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  constexpr unsigned kChannels = NUM_CMD < 8 ? NUM_CMD : 8;
  for (unsigned round = 0; round < 24 && !tap.failed(); round++) {
    Quiet bench(tap, random);
    World world(bench, random);
    world.one_split = int(world.tenants[0].split);
    unsigned level[kChannels];
    for (unsigned c = 0; c < kChannels; c++) {
      world.place(c, 3);
      level[c] = round == 0 ? 0 : random.below(4);
      for (unsigned i = 0; i < 8; i++) world.command(c, i, 0);
      for (unsigned i = 0; i < 8; i++)
        bench.memory(world.tenants[c].split, world.tenants[c].ring + 32 * i) = 0;
      bench.write(FrontBench::driver(c, 0), 1 | 4 | level[c] << 3);
      bench.cycles(20);
      bench.write(FrontBench::page(c, 0), 3);
    }
    // while the first one is fetched the others may go on, too
    bench.latency = 600;
    bench.write(FrontBench::driver(0, 0), 1 | level[0] << 3);
    until(bench, QSM_FRONT_FETCH);
    for (unsigned c = 1; c < kChannels; c++)
      bench.write(FrontBench::driver(c, 0), 1 | level[c] << 3);
    bench.latency = 4;
    unsigned left[kChannels], next[4] = {};
    next[level[0]] = 1;
    for (unsigned c = 0; c < kChannels; c++) left[c] = c ? 3 : 2;
    tap.expect(bench.top.state_o == QSM_FRONT_FETCH, "the first command was too quick");
    for (unsigned n = 0; n < 3 * kChannels - 1; n++) {
      // then a row that says that there is nothing more: it has its turn, too
      int wanted = -1;
      for (unsigned i = 0; i < kChannels; i++) {
        const unsigned c = i;
        const auto distance = [&](unsigned other) {
          return (other + NUM_CMD - next[level[other]]) % NUM_CMD;
        };
        if (!left[c]) continue;
        if (wanted < 0 || level[c] > level[wanted] ||
            (level[c] == level[wanted] && distance(c) < distance(unsigned(wanted))))
          wanted = int(c);
      }
      do {
        until(bench, QSM_FRONT_IDLE);
        until(bench, QSM_FRONT_CHECK);
        bench.cycle();
      } while (bench.top.state_o == QSM_FRONT_IDLE);
      tap.expect(bench.top.channel_o == unsigned(wanted), "round %u: channel %u, not %d", round,
                 bench.top.channel_o, wanted);
      left[bench.top.channel_o]--;
      next[level[wanted]] = (bench.top.channel_o + 1) % NUM_CMD;
    }
  }
  tap.done("R-FR-5, R-FR-6: priorities, and channels of one priority in turn");
}

// A launch that takes too long, and one that may.
void test_limit(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  for (const uint32_t limit : {1u, 7u, 8u, 100u, 333u, 0u, 0xFFFFFFFFu}) {
    Quiet bench(tap, random);
    World world(bench, random);
    Single channel(bench, world, 0);
    bench.write(FrontBench::driver(0, 0x1C), limit);
    bench.run_least = 3000;
    const uint32_t at = world.tenants[0].window0;
    world.descriptor(0, at);
    for (unsigned w = 9; w < 16; w++) bench.memory(world.tenants[0].split, at + 4 * w) = 0;
    channel.give({QSM_CMD_NOP});
    channel.give({QSM_CMD_LAUNCH, at});
    until(bench, QSM_FRONT_START);
    until(bench, QSM_FRONT_FINISH);
    const uint64_t begun = bench.n_cycles;
    uint64_t overdue = 0;
    while (bench.top.state_o != QSM_FRONT_COUNT && !tap.failed()) {
      if (!overdue && get(bench.top.overdue_o, 0, 1)) overdue = bench.n_cycles - begun;
      bench.cycle();
    }
    until(bench, QSM_FRONT_END);
    until(bench, QSM_FRONT_IDLE);
    const uint32_t error = channel.read(0x18);
    if (limit && limit < 3000) {
      tap.expect(overdue > limit && overdue <= limit + 8, "R-FR-25: limit %u: overdue after %llu",
                 limit, ull{overdue});
      tap.expect(error == (QSM_STOP_TIMEOUT | 24 << 8 | 1 << 16), "R-FR-14: ERROR is 0x%x", error);
      tap.expect(channel.counter(0x0C) >= limit && channel.counter(0x0C) < limit + 40, "BUSY");
    } else {
      tap.expect(!overdue && error == 0, "limit 0x%x: ERROR is 0x%x", limit, error);
    }
  }
  tap.done("R-FR-14, R-FR-25: launches over their limit are killed, others are not");
}

// One slot for two channels; the one of the higher priority takes it from the other, whose launch
// then goes on.
// The launch in slot 0 runs to its end; `renewed`: its channel is enabled anew meanwhile.
void in_the_end(FrontBench &bench, bool renewed) {
  if (renewed) {
    bench.write(FrontBench::driver(0, 0), 0);
    bench.write(FrontBench::driver(0, 0), 1);
  }
  for (unsigned n = 0; n < 10000 && (bench.in.busy & 1); n++) bench.cycle();
}

void test_yield(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  for (unsigned round = 0; round < 8 && !tap.failed(); round++) {
    const bool concurrent = round & 1, equal = round & 2, renewed = round & 4;
    Quiet bench(tap, random);
    World world(bench, random);
    Single low(bench, world, 0), high(bench, world, 1);
    bench.in.concurrent = concurrent;
    bench.in.take_back = true;
    bench.in.slots = 1;
    bench.run_least = 3000;
    const unsigned level = equal ? 0 : 3;
    bench.write(FrontBench::driver(1, 0), 1 | level << 3);
    for (unsigned c = 0; c < 2; c++) {
      const Tenant &t = world.tenants[c];
      world.descriptor(c, t.window0);
      for (unsigned w = 9; w < 16; w++) bench.memory(t.split, t.window0 + 4 * w) = 0;
    }
    low.give({QSM_CMD_LAUNCH | 0x100, world.tenants[0].window0});
    until(bench, QSM_FRONT_START);
    until(bench, QSM_FRONT_FINISH);
    high.give({QSM_CMD_LAUNCH, world.tenants[1].window0});
    until(bench, QSM_FRONT_SLOT);
    bench.cycle();
    if (equal) {
      tap.expect(bench.top.state_o == (concurrent ? QSM_FRONT_IDLE : QSM_FRONT_SLOT),
                 "R-FR-26: an equal priority takes a slot, in state %u", bench.top.state_o);
      continue;
    }
    tap.expect(bench.top.state_o == QSM_FRONT_YIELD, "R-FR-26: in state %u", bench.top.state_o);
    const unsigned yield = until(bench, QSM_FRONT_IDLE);
    tap.expect(yield == 3 && bench.ref.slots[0].yield_sent && bench.ref.channels[1].waits,
               "R-FR-26: YIELD took %u cycles", yield);
    in_the_end(bench, renewed);
    const bool yielded = bench.in.yielded & 1;
    const std::array<uint32_t, 3> walk = bench.in.walk[0];
    until(bench, QSM_FRONT_END);
    const unsigned end = until(bench, QSM_FRONT_IDLE);
    const bool goes_on = yielded && !renewed;
    tap.expect(end == (goes_on ? 16u : 14u), "R-FR-14: END took %u cycles", end);
    tap.expect((bench.ref.channels[0].pending || !goes_on) && !bench.ref.channels[0].busy &&
                   bench.ref.channels[0].resumes == goes_on,
               "the launch does not go on, or does");
    tap.expect(bench.ref.channels[0].irq != goes_on, "an interrupt of what goes on, or none");
    until(bench, QSM_FRONT_START);
    tap.expect(bench.top.channel_o == 1, "not the other's turn");
    bench.cycle();
    if (!goes_on) continue;
    until(bench, QSM_FRONT_END);
    until(bench, QSM_FRONT_START);
    tap.expect(bench.top.channel_o == 0, "not its turn");
    std::map<uint32_t, uint32_t> written;
    for (unsigned n = 0; n < 54; n++) {
      if (bench.top.reg_valid_o) written[bench.top.reg_addr_o & 0xFF] = bench.top.reg_wdata_o;
      bench.cycle();
    }
    tap.expect(bench.top.state_o == QSM_FRONT_FINISH, "R-FR-11: START with reads took longer");
    for (unsigned w = 0; w < 3; w++)
      tap.expect(written[0xEC + 4 * w] == walk[w], "WALK %u is 0x%x, must be 0x%x", w,
                 written[0xEC + 4 * w], walk[w]);
    bench.cycle();
    tap.expect(!bench.ref.channels[0].resumes && bench.ref.slots[0].index == 0, "it resumes twice");
  }
  tap.done("R-FR-5, R-FR-11, R-FR-14, R-FR-26: a launch yields to a higher priority and goes on");
}

// R-FR-25: another launch begins in each of the cycles around that in which the first one's slot is
// looked at for the first time over its limit.
void test_limit_beside_launches(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  unsigned around = 0;
  uint64_t other = 0;  // cycles from one to the other, about the same each time
  for (unsigned round = 0; round < 129; round++) {
    const uint32_t limit = round ? uint32_t(other) + 2 - round % 16 : 0;
    Quiet bench(tap, random);
    World world(bench, random);
    bench.in.concurrent = true;
    Single first(bench, world, 0), second(bench, world, 1);
    bench.write(FrontBench::driver(0, 0x1C), limit);
    bench.write(FrontBench::driver(1, 0x1C), 0);
    bench.run_least = 3000;
    for (unsigned c = 0; c < 2; c++) {
      const Tenant &t = world.tenants[c];
      world.descriptor(c, t.window0);
      for (unsigned w = 9; w < 16; w++) bench.memory(t.split, t.window0 + 4 * w) = 0;
    }
    first.give({QSM_CMD_LAUNCH, world.tenants[0].window0});
    until(bench, QSM_FRONT_START);
    until(bench, QSM_FRONT_FINISH);
    const uint64_t begun = bench.n_cycles;
    second.give({QSM_CMD_LAUNCH, world.tenants[1].window0});
    uint64_t overdue = 0;
    other = 0;
    for (unsigned n = 0; n < 2500 && !(other && (overdue || !limit)) && !tap.failed(); n++) {
      if (!other && bench.ref.slots[1].runs) other = bench.n_cycles - begun;
      if (!overdue && get(bench.top.overdue_o, 0, 1)) overdue = bench.n_cycles - begun;
      bench.cycle();
    }
    if (!limit) continue;
    tap.expect(overdue > limit && overdue <= limit + 8,
               "R-FR-25: beside a launch, limit %u: overdue after %llu", limit,
               static_cast<unsigned long long>(overdue));
    if (other >= limit && other <= limit + 8) around++;
  }
  tap.expect(around >= 8, "%u launches beside", around);
  tap.done("R-FR-25: a launch over its limit is seen, whenever another one begins");
}

// The host accesses whenever it may, in every other cycle: each word of the table and each register
// takes one cycle more at most.
void test_kept_off(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Quiet bench(tap, random);
  World world(bench, random);
  world.place(0, 2);
  bench.write(FrontBench::driver(0, 0x1C), 300);
  const auto hammer = [&bench](unsigned state, bool of_table) {
    const uint64_t from = bench.n_cycles;
    while (bench.top.state_o == state && bench.n_cycles < from + 1000)
      bench.read(of_table ? FrontBench::driver(NUM_CMD - 1, 0) : 0x0C);
    return unsigned(bench.n_cycles - from);
  };
  const auto about = [&tap](const char *what, unsigned seen, unsigned cycles) {
    tap.expect(seen + 2 >= cycles && seen <= cycles + 1, "R-FR-27: %s took %u cycles, not %u", what,
               seen, cycles);
  };
  Tenant &t = world.tenants[0];
  const uint32_t words[8] = {QSM_CMD_LAUNCH, t.window0};
  for (unsigned w = 0; w < 8; w++) bench.memory(t.split, t.ring + 4 * w) = words[w];
  world.descriptor(0, t.window0);
  for (unsigned w = 9; w < 16; w++) bench.memory(t.split, t.window0 + 4 * w) = 0;
  bench.run_least = 3000;
  bench.write(FrontBench::driver(0, 0), 1);
  until(bench, QSM_FRONT_CLEAR);
  about("CLEAR", hammer(QSM_FRONT_CLEAR, true), 24);
  bench.write(FrontBench::page(0, 0), 1);
  until(bench, QSM_FRONT_ROW);
  about("the row", hammer(QSM_FRONT_ROW, true) + hammer(QSM_FRONT_CHECK, true), 10);
  // no word of the table in it, so that an access of one keeps nothing off
  const unsigned fetch = hammer(QSM_FRONT_FETCH, true);
  tap.expect(!bench.ref.seen.count("kept from a register") && fetch < 1000, "FETCH is kept off");
  until(bench, QSM_FRONT_BIND);
  about("BIND", hammer(QSM_FRONT_BIND, false), 4 * 22);
  until(bench, QSM_FRONT_LIMIT);
  about("LIMIT and START", hammer(QSM_FRONT_LIMIT, true) + hammer(QSM_FRONT_START, true),
        2 + 4 * 17);
  until(bench, QSM_FRONT_IDLE);
  for (unsigned n = 0; n < 400 && !get(bench.top.overdue_o, 0, 1); n++) bench.cycle();
  bench.in.ready = false;
  bench.cycle();
  tap.expect(!get(bench.top.kill_sent_o, 0, 1), "R-FR-27: not off KILL");
  bench.cycle();
  tap.expect(get(bench.top.kill_sent_o, 0, 1), "R-FR-27: KILL is late");
  // what the manager keeps quiet is asked for until it is done
  bench.slow_registers = 1;
  bench.in.slots = 0;
  until(bench, QSM_FRONT_UNBIND);
  const uint64_t before = bench.ref.seen["a register again"];
  bench.cycles(30);
  tap.expect(
      bench.ref.seen["a register again"] == before + 10 && bench.top.state_o == QSM_FRONT_UNBIND,
      "R-FR-11: a register is not asked for again");
  bench.slow_registers = ~0u;
  bench.cycles(4);
  tap.expect(bench.top.state_o != QSM_FRONT_UNBIND, "R-FR-11: a register is asked for for ever");
  tap.done("R-FR-27, R-CP-13: a host that accesses whenever it may keeps off one cycle at a time");
}

// Launches that wait for the only slot, each of which takes longer to be tried than 1024 cycles
// are: none is tried twice before the turn comes to a channel behind them.
void test_waits(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  const char *const title = "R-FR-20: those who wait for a slot are tried once between two turns";
  if (NUM_CMD < 4) return tap.done((std::string(title) + " # SKIP too few channels").c_str());
  Quiet bench(tap, random);
  World world(bench, random);
  bench.in.concurrent = true;
  bench.in.slots = 1;
  bench.run_least = 1000000;
  std::vector<Single> all;
  for (unsigned c = 0; c < 4; c++) {
    all.emplace_back(bench, world, c);
    const Tenant &t = world.tenants[c];
    world.descriptor(c, t.window0);
    for (unsigned w = 9; w < 16; w++) bench.memory(t.split, t.window0 + 4 * w) = 0;
  }
  all[0].give({QSM_CMD_LAUNCH, world.tenants[0].window0});
  until(bench, QSM_FRONT_START);
  until(bench, QSM_FRONT_IDLE);
  bench.latency = WARP_SIZE * 300;  // so that the context alone takes more than 1024 cycles
  for (unsigned round = 0; round < 3; round++) {
    for (unsigned c = 1; c < 3 && !round; c++)
      all[c].give({QSM_CMD_LAUNCH, world.tenants[c].window0});
    all[3].give({QSM_CMD_NOP});
    unsigned tried[NUM_CMD] = {};
    const uint64_t first = bench.n_cycles;
    if (bench.top.state_o != QSM_FRONT_IDLE) tried[bench.top.channel_o]++;
    for (unsigned n = 0; n < 200000 && bench.top.state_o != QSM_FRONT_FINISH; n++) {
      const bool idle = bench.top.state_o == QSM_FRONT_IDLE;
      bench.cycle();
      if (idle && bench.top.state_o == QSM_FRONT_ROW) tried[bench.top.channel_o]++;
    }
    tap.expect(bench.top.channel_o == 3 && tried[1] <= 1 && tried[2] <= 1 && tried[3] == 1,
               "R-FR-20: before channel 3 the others were tried %u and %u times", tried[1],
               tried[2]);
    tap.expect(round || (tried[1] + tried[2] == 2 && bench.n_cycles - first > 2048),
               "nobody was in the way");
    until(bench, QSM_FRONT_IDLE);
    tap.expect(round || (!bench.ref.channels[1].waits && !bench.ref.channels[2].waits),
               "R-FR-20: waits stay where the turn moves");
    // one at rest, where all wait
    const auto all_wait = [&bench] {
      return bench.ref.channels[1].waits && bench.ref.channels[2].waits &&
             !bench.ref.channels[3].pending;
    };
    for (unsigned n = 0; n < 200000 && !all_wait(); n++) bench.cycle();
    const uint64_t fell = bench.ref.seen["waits fall at rest"];
    for (unsigned n = 0; n < 1025 && bench.ref.seen["waits fall at rest"] == fell; n++)
      bench.cycle();
    tap.expect(!bench.ref.channels[1].waits && bench.ref.seen["waits fall at rest"] > fell,
               "R-FR-20: waits stay at rest");
  }
  tap.done(title);
}

// R-FR-25: the limit of the launch before is over in the cycles in which the slot's next one
// begins.
void test_limit_of_the_one_before(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  uint64_t apart = 0;
  unsigned phases = 0;
  for (unsigned round = 0; round < 9 && !tap.failed(); round++) {
    Quiet bench(tap, random);
    World world(bench, random);
    Single channel(bench, world, 0);
    bench.latency = bench.run_time = 1;  // so that all rounds take the same
    bench.run_least = 40;
    bench.write(FrontBench::driver(0, 0x1C), round ? uint32_t(apart) - 3 : 0);
    const Tenant &t = world.tenants[0];
    world.descriptor(0, t.window0);
    for (unsigned w = 9; w < 16; w++) bench.memory(t.split, t.window0 + 4 * w) = 0;
    while (bench.n_cycles % 8 != round % 8) bench.cycle();
    channel.give({QSM_CMD_LAUNCH, t.window0});
    channel.give({QSM_CMD_LAUNCH, t.window0});
    uint64_t begun[2];
    for (uint64_t &at : begun) {
      until(bench, QSM_FRONT_START);
      until(bench, QSM_FRONT_FINISH);
      at = bench.n_cycles;
    }
    if (!round) apart = begun[1] - begun[0];
    tap.expect(begun[1] - begun[0] == apart, "%llu cycles apart, not %llu",
               ull{begun[1] - begun[0]}, ull{apart});
    phases |= 1u << begun[1] % 8;
    until(bench, QSM_FRONT_END);
    until(bench, QSM_FRONT_IDLE);
    tap.expect(channel.read(0x18) == 0, "ERROR is 0x%x", channel.read(0x18));
  }
  tap.expect(phases == 0xFF, "phases 0x%x only", phases);
  tap.done("R-FR-25: the limit of a slot's launch before means nothing to the next one");
}

// Launches with settings of their own and without: what START writes, for how long, and what it
// leaves. Rights and wrong words of their descriptors.
void test_own_settings(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Quiet bench(tap, random);
  World world(bench, random);
  Single channel(bench, world, 0);
  const Tenant &t = world.tenants[0];
  bench.write(FrontBench::driver(0, 0x1C), 0);
  bench.run_least = 1;
  const struct {
    unsigned own, registers, left;
  } launches[] = {{0, 17, 0}, {1, 20, 1}, {0, 20, 0}, {0, 17, 0}, {2, 18, 2},
                  {1, 21, 1}, {3, 21, 3}, {2, 21, 2}, {2, 18, 2}, {0, 18, 0}};
  for (const auto &launch : launches) {
    world.descriptor(0, t.window0);
    world.own(0, t.window0, launch.own);
    channel.give({QSM_CMD_LAUNCH, t.window0});
    until(bench, QSM_FRONT_START);
    const unsigned start = until(bench, QSM_FRONT_FINISH);
    tap.expect(start == 3 * launch.registers, "R-FR-28: OWN %u: START took %u cycles", launch.own,
               start);
    tap.expect(get(bench.top.own_o, 0, 2) == launch.left, "R-FR-28: own is %u after OWN %u",
               unsigned(get(bench.top.own_o, 0, 2)), launch.own);
    until(bench, QSM_FRONT_END);
    until(bench, QSM_FRONT_IDLE);
  }
  // a register refuses the policy, after the masks were written: the next launch puts both right
  bench.refuse_offset = 0xC0;
  world.descriptor(0, t.window0);
  world.own(0, t.window0, 3);
  channel.give({QSM_CMD_LAUNCH, t.window0});
  until(bench, QSM_FRONT_STOP);
  bench.refuse_offset = ~0u;
  tap.expect(get(bench.top.own_o, 0, 2) == 3 && bench.ref.slots[0].bound,
             "R-FR-28: own falls with a refusal");
  tap.done("R-FR-28: settings of a launch's own, and of the context after it");
}

// What a launch took, added up here, and as registers have it after three of them.
void test_counters(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  constexpr uint64_t kWrap = uint64_t{1} << 40;
  Quiet bench(tap, random);
  World world(bench, random);
  Single channel(bench, world, NUM_CMD - 1);
  const uint32_t at = world.tenants[NUM_CMD - 1].window0;
  bench.run_least = 300;
  uint64_t cycles = 0, sms = 0, insn = 0;
  for (unsigned n = 0; n < 3; n++) {
    world.descriptor(NUM_CMD - 1, at);
    for (unsigned w = 9; w < 16; w++)
      bench.memory(world.tenants[NUM_CMD - 1].split, at + 4 * w) = 0;
    channel.give({QSM_CMD_LAUNCH, at});
    uint64_t sum = 0, base = 0;
    bool counted = n > 0;
    if (counted) base = bench.ref.slots[0].insn_base;
    bool ended = false;
    for (unsigned i = 0; i < 20000 && !ended; i++) {
      const bool runs = get(bench.top.runs_o, 0, 1), counts = bench.top.state_o == QSM_FRONT_COUNT;
      if (runs && (bench.in.busy & 1)) {
        cycles++;
        sms += bench.in.resident[0];
      }
      if (counts) sum += bench.in.insn[0][bench.top.count_sm_o];
      bench.cycle();
      if (counts && bench.top.state_o != QSM_FRONT_COUNT) {
        if (!counted) base = sum;
        ended = counted;
        if (counted) insn += (sum - base) % kWrap;
        counted = true;
        sum = 0;
      }
    }
    until(bench, QSM_FRONT_IDLE);
  }
  tap.expect(cycles > 900, "%llu cycles", ull{cycles});
  tap.expect(channel.counter(0x0C) == cycles, "R-FR-15: BUSY is %llu, not %llu",
             ull{channel.counter(0x0C)}, ull{cycles});
  tap.expect(channel.counter(0x20) == sms, "R-FR-21: SM is %llu, not %llu",
             ull{channel.counter(0x20)}, ull{sms});
  tap.expect(channel.counter(0x28) == insn, "R-FR-22: INSN is %llu, not %llu",
             ull{channel.counter(0x28)}, ull{insn});
  tap.expect(channel.counter(0x30) == 0 && channel.read(0x14) == 3, "COPY, DONE");
  tap.done("R-FR-14, R-FR-15, R-FR-21, R-FR-22: cycles, SM-cycles and thread instructions");
}

// Anything, for a while.
class Traffic {
 public:
  Traffic(FrontBench &bench, qsm_unit::Random &random)
      : bench_(bench), random_(random), world_(bench, random) {}

  void run(unsigned n) {
    for (unsigned i = 0; i < n; i++) {
      if (i % 2048 == 0) mood();
      if (random_.one_in(hurry_))
        act();
      else
        bench_.cycle();
    }
  }

 private:
  void mood() {
    static const uint32_t hurries[] = {1, 2, 6, 20, 60};
    hurry_ = hurries[random_.below(5)];
    // few of many channels, so that they meet at the engines
    spread_ = NUM_CMD <= 16 || random_.one_in(4) ? NUM_CMD : 8;
    if (random_.one_in(4)) from_ = random_.below(NUM_CMD);
    bench_.latency = random_.one_in(3) ? 1 : 1 + random_.below(60);
    bench_.slow_registers = random_.one_in(3) ? ~0u : 2 + random_.below(6);
    bench_.refuses = random_.one_in(2) ? 0 : 100 + random_.below(300);
    bench_.run_time = 1 + random_.below(random_.one_in(3) ? 2000 : 150);
    bench_.kills = random_.one_in(2) ? 0 : 4;
    if (random_.one_in(2)) bench_.in.concurrent = random_.one_in(2);
    bench_.in.take_back = !random_.one_in(3);
    bench_.hosts_yields = random_.one_in(2) ? 0 : 4;
    world_.copies = random_.one_in(3);
    bench_.in.link_interval = random_.one_in(2) ? 256 : 1 + random_.below(256 * 20);
    bench_.in.slots =
        random_.one_in(3) ? random_.below(1u << NUM_KERNELS) : (1u << NUM_KERNELS) - 1;
    // long launches that have to share a slot
    world_.launches = random_.one_in(3);
    if (!world_.launches) return;
    bench_.in.take_back = true;
    bench_.in.slots = 1u << random_.below(NUM_KERNELS);
    bench_.run_time = 4000;
    bench_.kills = bench_.refuses = 0;
    for (unsigned c = 0; c < NUM_CMD; c++)
      bench_.write(FrontBench::driver(c, 0x1C), random_.one_in(4) ? 2000 : 0);
  }

  void act() {
    const unsigned c = (from_ + random_.below(spread_)) % NUM_CMD;
    const FrontRef::Channel &now = bench_.ref.channels[c];
    Tenant &t = world_.tenants[c];
    if (now.stopped && random_.one_in(3))  // on with it
      return bench_.write(FrontBench::driver(c, 0), !now.enabled);
    switch (random_.below(16)) {
      case 0:
        if (!now.enabled && random_.one_in(2)) return world_.place(c);
        if (!now.enabled || now.stopped || random_.one_in(12)) {
          t.put = 0;
          return bench_.write(FrontBench::driver(c, 0), !now.enabled | (random_.one_in(8) << 1) |
                                                            (random_.one_in(8) << 2) |
                                                            random_.below(4) << 3);
        }
        return bench_.write(FrontBench::driver(c, 0), 1 | random_.below(4) << 3);
      case 1: {  // suspended or held for a while
        const uint32_t bits = random_.one_in(3) ? random_.below(4) << 1 : 0;
        return bench_.write(FrontBench::driver(c, 0), now.enabled | bits | now.priority << 3);
      }
      case 2:
        if (random_.one_in(4)) world_.write_context(c, random_.below(16));
        return bench_.cycle();
      case 3:
      case 4:
      case 5:
      case 6: {  // a command, and PUT behind it; sometimes PUT anywhere
        const uint32_t n = 1u << t.log2;
        world_.command(c, t.put % n);
        t.put = (t.put + 1) % n;
        if (random_.one_in(40)) return bench_.write(FrontBench::page(c, 0), random_.bits32() >> 16);
        if (random_.one_in(15)) t.put = random_.below(n);
        return bench_.write(FrontBench::page(c, 0), t.put);
      }
      case 7:  // garbage
        world_.command(c, random_.below(1u << t.log2));
        return bench_.cycle();
      case 8: return bench_.write(0xD4 + 4 * (c / 32), random_.bits32());
      case 9: return bench_.write(0xE0, 1);
      case 10:
        return bench_.write(random_.one_in(2) ? FrontBench::driver(c, 4 * random_.below(18))
                                              : FrontBench::page(c, random_.below(32)),
                            random_.bits32() >> random_.below(32) << random_.below(32));
      case 11: {  // semaphores move on
        const uint32_t at = t.window1 + 4 * random_.below(0x200);
        bench_.memory(t.split, at) += random_.below(3);
        return bench_.cycle();
      }
      case 12:
        return bench_.read(random_.one_in(8) ? random_.below(1 << 20)
                                             : 0x8000 + 4 * random_.below(0x40 * NUM_CMD / 4));
      default:
        if (random_.one_in(40)) return bench_.write(FrontBench::driver(c, 0x1C), some_limit());
        if (random_.one_in(2)) return bench_.read(FrontBench::driver(c, 4 * random_.below(14)));
        return bench_.read(FrontBench::page(c, 4 * random_.below(4)));
    }
  }

  uint32_t some_limit() {
    static const uint32_t limits[] = {0, 1, 2, 8, 60, 200, 1000, 0xffffffff};
    return limits[random_.below(8)];
  }

  FrontBench &bench_;
  qsm_unit::Random &random_;
  World world_;
  unsigned hurry_ = 4, from_ = 0, spread_ = NUM_CMD;
};

void test_traffic(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  std::map<std::string, uint64_t> seen;
  uint64_t launches = 0, cycles = 0;
  for (unsigned round = 0; round < 12 && !tap.failed(); round++) {
    FrontBench bench(tap, random);
    Traffic(bench, random).run(NUM_CMD > 16 ? 16000 : 36000);
    for (const auto &s : bench.ref.seen) seen[s.first] += s.second;
    launches += bench.n_launches;
    cycles += bench.n_cycles;
  }
  std::printf("# %llu cycles, %llu launches\n", ull{cycles}, ull{launches});
  static const char *const kinds[] = {"command 0",
                                      "command 1",
                                      "command 2",
                                      "command 3",
                                      "command 4",
                                      "stop 1",
                                      "command 5",
                                      "command 6",
                                      "link",
                                      "copy waits",
                                      "engine copied",
                                      "yielded",
                                      "yielded in vain",
                                      "resumes",
                                      "yield was sent",
                                      "priority",
                                      "overdue",
                                      "KILL",
                                      "timeout",
                                      "bad target",
                                      "stop 2",
                                      "stop 3",
                                      "stop 4",
                                      "stop 5",
                                      "stop 6",
                                      "fault",
                                      "context kept",
                                      "stamp",
                                      "acquire waits",
                                      "engine busy",
                                      "slot 1",
                                      "slot 2",
                                      "slot 3",
                                      "slot 4",
                                      "irq of a command",
                                      "stop unbinds",
                                      "waits fall in a turn",
                                      "waits fall late",
                                      "waits fall at rest",
                                      "kept from the table",
                                      "kept from a register",
                                      "a register again",
                                      "kept from KILL",
                                      "own settings",
                                      "own settings fall"};
  for (const char *kind : kinds) {
    std::printf("# %s: %llu\n", kind, ull{seen[kind]});
    const bool possible = NUM_CMD > NUM_KERNELS || std::string(kind).substr(0, 4) != "slot";
    // With many channels these are rare; benches with few, and directed tests, have them.
    const bool rare =
        NUM_CMD > 16 && (std::string(kind) == "copy waits" || std::string(kind) == "resumes");
    tap.expect(seen[kind] > 0 || !possible || rare, "never seen: %s", kind);
  }
  for (unsigned state = 1; state < QSM_FRONT_STATE_COUNT; state++)
    tap.expect(seen["state " + std::to_string(state)] > 0, "never in state %u", state);
  tap.done("R-FR-1 to R-FR-17, R-FR-19 to R-FR-28: anything, in every cycle");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_front");
  qsm_unit::begin_with_anything();
  qsm_unit::Tap tap(15);
  test_nop(tap, random);
  test_launches(tap, random);
  test_copies(tap, random);
  test_edges(tap, random);
  test_engine(tap, random);
  test_priorities(tap, random);
  test_limit(tap, random);
  test_limit_beside_launches(tap, random);
  test_limit_of_the_one_before(tap, random);
  test_yield(tap, random);
  test_counters(tap, random);
  test_own_settings(tap, random);
  test_kept_off(tap, random);
  test_waits(tap, random);
  test_traffic(tap, random);
  return tap.exit_code();
}
