// SPDX-License-Identifier: Apache-2.0
// Model of the SDRAM chip: a controller that keeps the rules has its data and no failed assertion;
// one that breaks a rule, each in turn, has one.
#include <functional>
#include <map>

#include "Vqsm_sdram_chip.h"

#include "../common/qsm_unit.h"

namespace {

enum Command : unsigned { kMode, kRefresh, kPrecharge, kActive, kWrite, kRead, kStop, kNop };

// Cycles of 10 ns, in which no time is a single cycle.
constexpr unsigned kStart = 10001, kRcd = 2, kRp = 2, kRas = 5, kRc = 7, kRfc = 7;

class Chip {
 public:
  // Verilator 5.006 cannot delete a model of several contexts: they stay.
  Chip() : context_(*new VerilatedContext), chip_(new Vqsm_sdram_chip(&context_)) {
    context_.fatalOnError(false);
    context_.errorLimit(1);
    chip_->cke_i = 1;
    chip_->cs_ni = 0;
  }

  void command(unsigned what, unsigned bank = 0, unsigned a = 0, unsigned data = 0,
               unsigned mask = 0) {
    chip_->ras_ni = what >> 2 & 1;
    chip_->cas_ni = what >> 1 & 1;
    chip_->we_ni = what & 1;
    chip_->ba_i = bank & 3;
    chip_->a_i = a & 0x1FFF;
    chip_->dq_i = static_cast<uint16_t>(data);
    chip_->dm_i = mask & 3;
    chip_->dq_driven_i = what == kWrite && drives;
    edge();
  }
  void wait(unsigned cycles) {
    for (; cycles > 0; cycles--) command(kNop);
  }
  void start(unsigned long wait_first = kStart) {
    wait(static_cast<unsigned>(wait_first));
    command(kPrecharge, 0, 1 << 10);
    wait(kRp);
    command(kRefresh);
    wait(kRfc);
    command(kRefresh);
    wait(kRfc);
    command(kMode, 0, 0x20);
    wait(2);
  }
  void open(unsigned bank, unsigned row) {
    command(kActive, bank, row);
    wait(kRcd);
  }
  void close(unsigned bank) {
    wait(kRas);
    command(kPrecharge, bank);
    wait(kRp + kRc);
  }
  // Latency 2: driven from the second edge on.
  unsigned read(unsigned bank, unsigned column) {
    command(kRead, bank, column);
    wait(1);
    const unsigned data = chip_->dq_o;
    driven = chip_->dq_oe_o;
    wait(1);
    return data;
  }
  bool failed() { return context_.gotError(); }
  bool drives = true, driven = false;

 private:
  void edge() {
    chip_->clk_i = 0;
    chip_->eval();
    chip_->clk_i = 1;
    chip_->eval();
  }
  VerilatedContext &context_;
  Vqsm_sdram_chip *chip_;
};

void test_data(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Chip chip;
  chip.start();
  std::map<unsigned, unsigned> written;  // whole words
  unsigned row[4] = {};
  for (unsigned n = 0; n < 2000 && !tap.failed(); n++) {
    const unsigned bank = random.below(4), column = random.below(16);
    if (n % 100 == 0) {
      for (unsigned b = 0; n > 0 && b < 4; b++) chip.close(b);
      chip.command(kRefresh);
      chip.wait(kRfc);
      for (unsigned b = 0; b < 4; b++) {
        row[b] = 5 + random.below(2);
        chip.open(b, row[b]);
        chip.wait(1);
      }
      continue;
    }
    const unsigned at = bank << 22 | row[bank] << 9 | column;
    if (random.one_in(2)) {
      written[at] = random.bits32() & 0xFFFF;
      chip.command(kWrite, bank, column, written[at]);
    } else if (written.count(at)) {
      const unsigned got = chip.read(bank, column);
      tap.expect(chip.driven && got == written[at], "R-BD-14: %04x, not %04x", got, written[at]);
    }
  }
  tap.expect(!chip.failed() && written.size() > 100, "an assertion fails without a cause");
  // Whole words: what was written is read.
  Chip whole;
  whole.start();
  whole.open(2, 77);
  for (unsigned c = 0; c < 64; c++) whole.command(kWrite, 2, c, 3000 * c + 7);
  for (unsigned c = 0; c < 64; c++)
    tap.expect(whole.read(2, c) == ((3000 * c + 7) & 0xFFFF), "R-BD-14: column %u", c);
  whole.command(kWrite, 2, 3, 0xABCD, 2);
  tap.expect(whole.read(2, 3) == (((3000 * 3 + 7) & 0xFF00) | 0xCD), "R-BD-14: a masked byte");
  tap.expect(!whole.failed(), "an assertion fails without a cause");
  tap.done("R-BD-14: what was written is read, and who keeps the rules has no failed assertion");
}

struct Fault {
  const char *what;
  std::function<void(Chip &)> make;
};

void test_faults(qsm_unit::Tap &tap) {
  const auto opened = [](Chip &chip) {
    chip.start();
    chip.open(1, 5);
  };
  const Fault faults[] = {
      {"a command before the start", [](Chip &c) { c.start(100); }},
      {"tRCD",
       [](Chip &c) {
         c.start(), c.command(kActive, 1, 5), c.command(kRead, 1, 0);
         c.wait(3);
       }},
      {"tRRD", [](Chip &c) { c.start(), c.command(kActive, 1, 5), c.command(kActive, 2, 5); }},
      {"tRP",
       [&](Chip &c) {
         opened(c), c.wait(kRc + 2), c.command(kPrecharge, 1), c.command(kActive, 1, 6);
       }},
      {"tRAS",
       [&](Chip &c) { c.start(), c.command(kActive, 1, 5), c.wait(1), c.command(kPrecharge, 1); }},
      {"tRC",
       [&](Chip &c) {
         c.start(), c.command(kActive, 1, 5), c.wait(kRas - 1), c.command(kPrecharge, 1),
             c.wait(kRp - 2), c.command(kActive, 1, 5);
       }},
      {"tWR",
       [&](Chip &c) {
         opened(c), c.wait(kRas), c.command(kWrite, 1, 0, 1), c.command(kPrecharge, 1);
       }},
      {"tRFC",
       [](Chip &c) { c.start(), c.command(kRefresh), c.wait(kRfc - 2), c.command(kActive, 0, 0); }},
      {"tMRD", [](Chip &c) { c.start(), c.command(kMode, 0, 0x20), c.command(kRefresh); }},
      {"tRAS, the longest",
       [](Chip &c) {
         c.start(), c.open(1, 5);
         c.wait(kRcd);
         for (unsigned n = 0; n < 12001; n++) c.wait(1);
       }},
      {"no refresh", [](Chip &c) { c.start(), c.wait(7100); }},
      {"half the refreshes",
       [](Chip &c) {
         c.start();
         for (unsigned n = 0; n < 20; n++) c.wait(1562), c.command(kRefresh);
       }},
      {"a refresh with a bank open", [&](Chip &c) { opened(c), c.command(kRefresh); }},
      {"a mode with a bank open", [&](Chip &c) { opened(c), c.command(kMode, 0, 0x20); }},
      {"a mode before two refreshes",
       [](Chip &c) {
         c.wait(kStart), c.command(kPrecharge, 0, 1 << 10), c.wait(kRp), c.command(kRefresh),
             c.wait(kRfc), c.command(kMode, 0, 0x20);
       }},
      {"a mode without a precharge",
       [](Chip &c) {
         c.wait(kStart), c.command(kRefresh), c.wait(kRfc), c.command(kRefresh), c.wait(kRfc),
             c.command(kMode, 0, 0x20);
       }},
      {"bursts of two", [](Chip &c) { c.start(), c.command(kMode, 0, 0x21); }},
      {"an access before the mode",
       [](Chip &c) {
         c.wait(kStart), c.command(kPrecharge, 0, 1 << 10), c.wait(kRp), c.command(kActive, 0, 0);
       }},
      {"a read of a closed bank", [&](Chip &c) { opened(c), c.command(kRead, 2, 0); }},
      {"a write of a closed bank", [&](Chip &c) { opened(c), c.command(kWrite, 0, 0, 9); }},
      {"an open bank opened", [&](Chip &c) { opened(c), c.wait(kRc), c.command(kActive, 1, 5); }},
      {"a stopped burst", [&](Chip &c) { opened(c), c.command(kStop); }},
      {"a write without data",
       [&](Chip &c) { opened(c), c.drives = false, c.command(kWrite, 1, 0, 1); }},
      {"both sides drive the data",
       [&](Chip &c) {
         opened(c), c.command(kRead, 1, 0), c.wait(1), c.command(kWrite, 1, 0, 1);
         c.wait(2);
       }},
  };
  unsigned n = 0;
  for (const Fault &fault : faults) {
    Chip chip;
    fault.make(chip);
    tap.expect(chip.failed(), "nobody sees: %s", fault.what);
    n += chip.failed();
  }
  std::printf("# %u faults of a controller, all seen\n", n);
  tap.done("R-BD-14, R-BD-15: each rule that a controller breaks fails an assertion");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_sdram_chip");
  qsm_unit::Tap tap(2);
  test_data(tap, random);
  test_faults(tap);
  return tap.exit_code();
}
