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
    t.split = random_.below(most_split() + 1);
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
    const unsigned what = fixed >= 0 ? unsigned(fixed) : random_.below(17);
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
        const uint32_t bytes = random_.one_in(4) ? random_.below(1200) : random_.below(80);
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

  void descriptor(unsigned c, uint32_t at) {
    const Tenant &t = tenants[c];
    for (unsigned w = 0; w < 16; w++) {
      uint32_t value = w >= 9 ? 0 : w >= 5 && w < 8 ? random_.below(40) : random_.bits32();
      if (w >= 5 && w < 8 && random_.one_in(10)) value = random_.bits32();
      if (w == 8) value = random_.below(SHARED_BYTES + 1);
      if (w >= 9 && random_.one_in(100)) value = 1u << random_.below(32);
      bench_.memory(t.split, (at & ~63u) + 4 * w) = value;
    }
  }

  static unsigned most_split() {
    unsigned n = 0;
    while ((1u << n) < NUM_CHANNELS) n++;
    return PARTITION_BITS ? n : 0;
  }

  Tenant tenants[NUM_CMD];

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
  tap.expect(bind == 44, "R-FR-11: BIND took %u cycles", bind);
  const unsigned count = until(bench, QSM_FRONT_LOAD);
  tap.expect(count == NUM_SMS, "R-FR-22: COUNT took %u cycles", count);
  until(bench, QSM_FRONT_PRODUCT);
  const unsigned product = until(bench, QSM_FRONT_LIMIT);
  tap.expect(product == 22, "R-FR-11: PRODUCT took %u cycles", product);
  const unsigned limit = until(bench, QSM_FRONT_START);
  tap.expect(limit == 1, "R-FR-11: LIMIT took %u cycles", limit);
  const unsigned start = until(bench, QSM_FRONT_FINISH);
  tap.expect(start == 28, "R-FR-11: START took %u cycles", start);
  tap.expect(bench.ref.slots[0].runs && bench.ref.channels[0].busy, "the launch does not run");
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

// Anything, for a while.
class Traffic {
 public:
  Traffic(FrontBench &bench, qsm_unit::Random &random)
      : bench_(bench), random_(random), world_(bench, random) {}

  void run(unsigned n) {
    for (unsigned i = 0; i < n; i++) {
      if (i % 512 == 0) mood();
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
    bench_.latency = random_.one_in(3) ? 1 : 1 + random_.below(60);
    bench_.slow_registers = random_.one_in(3) ? ~0u : 2 + random_.below(6);
    bench_.refuses = random_.one_in(2) ? 0 : 100 + random_.below(300);
    bench_.run_time = 1 + random_.below(random_.one_in(3) ? 2000 : 150);
    bench_.kills = random_.one_in(2) ? 0 : 4;
    if (random_.one_in(2)) bench_.in.concurrent = random_.one_in(2);
    bench_.in.link_interval = random_.one_in(2) ? 256 : 1 + random_.below(256 * 20);
    bench_.in.slots =
        random_.one_in(3) ? random_.below(1u << NUM_KERNELS) : (1u << NUM_KERNELS) - 1;
  }

  void act() {
    const unsigned c = random_.below(NUM_CMD);
    const FrontRef::Channel &now = bench_.ref.channels[c];
    Tenant &t = world_.tenants[c];
    if (now.stopped && random_.one_in(3))  // on with it
      return bench_.write(FrontBench::driver(c, 0), !now.enabled);
    switch (random_.below(16)) {
      case 0:
        if (!now.enabled && random_.one_in(2)) return world_.place(c);
        if (!now.enabled || now.stopped || random_.one_in(12)) {
          t.put = 0;
          return bench_.write(FrontBench::driver(c, 0),
                              !now.enabled | (random_.one_in(8) << 1) | (random_.one_in(8) << 2) |
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
  unsigned hurry_ = 4;
};

void test_traffic(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  std::map<std::string, uint64_t> seen;
  uint64_t launches = 0, cycles = 0;
  for (unsigned round = 0; round < 12 && !tap.failed(); round++) {
    FrontBench bench(tap, random);
    Traffic(bench, random).run(NUM_CMD > 16 ? 8000 : 30000);
    for (const auto &s : bench.ref.seen) seen[s.first] += s.second;
    launches += bench.n_launches;
    cycles += bench.n_cycles;
  }
  std::printf("# %llu cycles, %llu launches\n", ull{cycles}, ull{launches});
  static const char *const kinds[] = {
      "command 0",    "command 1", "command 2",        "command 3",   "command 4", "stop 1",
      "command 5",    "command 6", "link",             "copy waits",  "engine taken",
      "engine copied", "priority",  "overdue",          "KILL",        "timeout",   "bad target",
      "stop 2",       "stop 3",    "stop 4",           "stop 5",      "stop 6",    "fault",
      "context kept", "stamp",     "acquire waits",    "engine busy", "slot 1",    "slot 2",
      "slot 3",       "slot 4",    "irq of a command", "stop unbinds"};
  for (const char *kind : kinds) {
    std::printf("# %s: %llu\n", kind, ull{seen[kind]});
    const bool possible = NUM_CMD > NUM_KERNELS || std::string(kind).substr(0, 4) != "slot";
    tap.expect(seen[kind] > 0 || !possible, "never seen: %s", kind);
  }
  for (unsigned state = 1; state < QSM_FRONT_STATE_COUNT; state++)
    tap.expect(seen["state " + std::to_string(state)] > 0, "never in state %u", state);
  tap.done("R-FR-1 to R-FR-17, R-FR-19, R-FR-20: anything, in every cycle");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_front");
  qsm_unit::begin_with_anything();
  qsm_unit::Tap tap(3);
  test_nop(tap, random);
  test_launches(tap, random);
  test_traffic(tap, random);
  return tap.exit_code();
}
