// SPDX-License-Identifier: Apache-2.0
// Model of the DDR3 chip: a controller that keeps the rules has its data and no failed assertion;
// one that breaks a rule, each in turn, has one.
#include <array>
#include <functional>
#include <map>

#include "Vqsm_ddr3_chip.h"

#include "../common/qsm_unit.h"

namespace {

enum Command : unsigned { kMode, kRefresh, kPrecharge, kActive, kWrite, kRead, kCalibrate, kNop };

// Cycles of 2.5 ns; the start's times are a two hundredth of the real ones.
constexpr unsigned kReset = 401, kCke = 1001, kXpr = 108, kMod = 12, kMrd = 4, kZq = 512;
constexpr unsigned kRcd = 6, kRp = 6, kRas = 15, kRc = 21, kRfc = 104, kCl = 6, kCwl = 5;
constexpr unsigned kMode0 = 0x520, kMode1 = 2, kMode2 = 0x200;
constexpr unsigned kAll = 1 << 10;
using Burst = std::array<unsigned, 8>;

class Chip {
 public:
  // Verilator 5.006 cannot delete a model of several contexts: they stay.
  Chip() : context_(*new VerilatedContext), chip_(new Vqsm_ddr3_chip(&context_)) {
    context_.fatalOnError(false);
    context_.errorLimit(1);
    chip_->cs_ni = 1;
    chip_->quarter_i = 0;
    chip_->eval();
  }
  // A cycle: a command comes with its begin, the clock's edge is in its midst.
  void command(unsigned what, unsigned bank = 0, unsigned a = 0) {
    chip_->cs_ni = what == kNop;
    chip_->ras_ni = what >> 2 & 1;
    chip_->cas_ni = what >> 1 & 1;
    chip_->we_ni = what & 1;
    chip_->ba_i = bank & 7;
    chip_->a_i = a & 0x7FFF;
    for (unsigned n = 0; n < 4; n++) {
      chip_->clk_i = n >= 2;
      if (n == 3 && changes_late) chip_->a_i = chip_->a_i ^ 1;
      if (n == 2 && changes_early) chip_->a_i = chip_->a_i ^ 1;
      quarter();
    }
  }
  void wait(unsigned cycles) {
    for (; cycles > 0 && !failed(); cycles--) command(kNop);
  }
  void power(unsigned reset = kReset, unsigned cke = kCke, unsigned after = kXpr) {
    wait(reset);
    chip_->reset_ni = 1;
    wait(cke);
    chip_->cke_i = 1;
    wait(1 + after);
  }
  void modes(unsigned mode0 = kMode0, unsigned mode1 = kMode1, unsigned mode2 = kMode2,
             unsigned between = kMrd - 1, unsigned after = kMod - 1) {
    command(kMode, 2, mode2), wait(between);
    command(kMode, 3, 0), wait(between);
    command(kMode, 1, mode1), wait(between);
    command(kMode, 0, mode0), wait(after);
  }
  void start() {
    power();
    modes();
    command(kCalibrate, 0, kAll);
    wait(kZq);
  }
  void open(unsigned bank, unsigned row) {
    command(kActive, bank, row);
    wait(kRcd - 1);
  }
  // Data of a write whose command is the next cycle: strobe and data are so many quarters late, the
  // data another so many.
  void plan(const Burst &data, unsigned mask = 0, int late = 0, int data_late = 0) {
    const int first = static_cast<int>(t_) + 2 + 4 * static_cast<int>(kCwl) + late;
    // One behind another: its preamble is the pulses of that.
    for (int t = first - 4; t < first; t++) strobes_.emplace(t, false);
    for (int t = first; t < first + 16; t++) strobes_[t] = (t - first) % 4 < 2;
    for (int t = first + 16; t < first + 18; t++) strobes_[t] = false;
    for (int t = first - 1; t < first + 15; t++)
      data_[t + data_late] = {data[static_cast<unsigned>(t - first + 1) / 2],
                              mask >> 2 * ((t - first + 1) / 2) & 3};
  }
  void write(unsigned bank, unsigned column, const Burst &data, unsigned mask = 0) {
    plan(data, mask);
    command(kWrite, bank, column);
    wait(3);
  }
  Burst read(unsigned bank, unsigned column) {
    Burst data;
    const int64_t first = static_cast<int64_t>(t_) + 2 + 4 * kCl;
    command(kRead, bank, column);
    seen_.clear();
    wait(kCl + 5);
    for (unsigned i = 0; i < 8; i++) data[i] = seen_[first + 2 * i + 1];
    strobe_right = true;
    for (int t = 0; t < 16; t++) strobe_right &= strobe_seen_[first + t] == (t % 4 < 2);
    return data;
  }
  bool failed() { return context_.gotError(); }
  void cke(bool value) { chip_->cke_i = value; }
  void reset_n(bool value) { chip_->reset_ni = value; }
  bool changes_late = false, changes_early = false, strobe_right = false;

 private:
  struct Data {
    unsigned data, mask;
  };
  void quarter() {
    const auto strobe = strobes_.find(static_cast<int64_t>(t_));
    const auto data = data_.find(static_cast<int64_t>(t_));
    chip_->dqs_driven_i = strobe != strobes_.end();
    chip_->dqs_i = strobe != strobes_.end() && strobe->second ? 3 : 0;
    chip_->dq_driven_i = data != data_.end();
    chip_->dq_i = data != data_.end() ? static_cast<uint16_t>(data->second.data) : 0;
    chip_->dm_i = data != data_.end() ? data->second.mask & 3 : 0;
    chip_->quarter_i = !chip_->quarter_i;
    chip_->eval();
    if (chip_->dq_oe_o) seen_[static_cast<int64_t>(t_)] = chip_->dq_o;
    if (chip_->dqs_oe_o) strobe_seen_[static_cast<int64_t>(t_)] = chip_->dqs_o == 3;
    t_++;
  }
  VerilatedContext &context_;
  Vqsm_ddr3_chip *chip_;
  uint64_t t_ = 0;
  std::map<int64_t, bool> strobes_, strobe_seen_;
  std::map<int64_t, Data> data_;
  std::map<int64_t, unsigned> seen_;
};

Burst some_burst(qsm_unit::Random &random) {
  Burst burst;
  for (unsigned &word : burst) word = random.bits32() & 0xFFFF;
  return burst;
}

void test_data(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Chip chip;
  chip.start();
  std::map<unsigned, Burst> written;
  unsigned row[8] = {};
  for (unsigned n = 0; n < 1200 && !tap.failed(); n++) {
    const unsigned bank = random.below(8), column = random.below(4) * 8;
    if (n % 60 == 0) {
      chip.wait(kRas);
      chip.command(kPrecharge, 0, kAll);
      chip.wait(kRp);
      chip.command(kRefresh);
      chip.wait(kRfc);
      for (unsigned b = 0; b < 8; b++) {
        row[b] = 5 + random.below(2);
        chip.open(b, row[b]);
      }
      continue;
    }
    const unsigned at = bank << 20 | row[bank] << 10 | column;
    if (random.one_in(2)) {
      const Burst data = some_burst(random);
      unsigned mask = written.count(at) ? random.bits32() & 0xFFFF : 0;
      chip.write(bank, column, data, mask);
      if (random.one_in(2)) chip.wait(13);  // else the next one right behind
      for (unsigned i = 0; i < 8; i++) {
        const unsigned kept = (mask >> 2 * i & 1 ? 0xFF : 0) | (mask >> 2 * i & 2 ? 0xFF00 : 0);
        written[at][i] = (written[at][i] & kept) | (data[i] & ~kept);
      }
    } else if (written.count(at)) {
      chip.wait(kCwl + 4 + 4);
      tap.expect(chip.read(bank, column) == written[at], "R-BD-23: wrong data in turn %u", n);
      tap.expect(chip.strobe_right, "R-BD-25: a wrong strobe");
    }
    tap.expect(!chip.failed(), "an assertion fails without a cause in turn %u", n);
  }
  tap.expect(written.size() > 40, "%zu bursts", written.size());
  Chip late, early;
  for (Chip *one : {&late, &early}) {
    one->start(), one->open(1, 5);
    const Burst data = some_burst(random);
    one->plan(data, 0, one == &late ? 1 : -1);
    one->command(kWrite, 1, 0), one->wait(20);
    tap.expect(one->read(1, 0) == data && !one->failed(), "R-BD-25: a strobe a quarter off");
  }
  tap.done(
      "R-BD-23, R-BD-25: what was written is read, and who keeps the rules has no failed assertion");
}

struct Fault {
  const char *what;
  std::function<void(Chip &)> make;
};

void test_faults(qsm_unit::Tap &tap) {
  const auto opened = [](Chip &c) {
    c.start();
    c.open(1, 5);
  };
  const Burst data = {1, 2, 3, 4, 5, 6, 7, 8};
  const Fault faults[] = {
      {"a short reset", [](Chip &c) { c.power(kReset - 5); }},
      {"CKE too soon after the reset", [](Chip &c) { c.power(kReset, kCke - 5); }},
      {"CKE 1 in the reset",
       [](Chip &c) { c.wait(9), c.cke(true), c.wait(kReset), c.reset_n(true), c.wait(9); }},
      {"CKE becomes 0", [](Chip &c) { c.start(), c.cke(false), c.wait(2); }},
      {"tXPR", [](Chip &c) { c.power(kReset, kCke, kXpr - 3), c.modes(); }},
      {"tMRD", [](Chip &c) { c.power(), c.modes(kMode0, kMode1, kMode2, kMrd - 2); }},
      {"tMOD",
       [](Chip &c) {
         c.power(), c.modes(kMode0, kMode1, kMode2, kMrd - 1, kMod - 2),
             c.command(kCalibrate, 0, kAll);
       }},
      {"mode register 0 first", [](Chip &c) { c.power(), c.command(kMode, 0, kMode0); }},
      {"no modes", [](Chip &c) { c.power(), c.command(kCalibrate, 0, kAll); }},
      {"no calibration",
       [](Chip &c) { c.power(), c.modes(), c.wait(kZq), c.command(kActive, 1, 5); }},
      {"a short calibration at the start",
       [](Chip &c) { c.power(), c.modes(), c.command(kCalibrate, 0, 0); }},
      {"tZQinit",
       [](Chip &c) {
         c.power(), c.modes(), c.command(kCalibrate, 0, kAll), c.wait(kZq - 2),
             c.command(kActive, 1, 5);
       }},
      {"an access before the DLL has locked",
       [](Chip &c) {
         c.start(), c.command(kMode, 0, kMode0), c.wait(kMod), c.open(1, 5), c.read(1, 0);
       }},
      {"bursts of four", [](Chip &c) { c.power(), c.modes(kMode0 | 2); }},
      {"no reset of the DLL", [](Chip &c) { c.power(), c.modes(kMode0 & ~0x100u); }},
      {"a short write recovery", [](Chip &c) { c.power(), c.modes(0x320); }},
      {"another termination", [](Chip &c) { c.power(), c.modes(kMode0, 6); }},
      {"another CWL", [](Chip &c) { c.power(), c.modes(kMode0, kMode1, 0x208); }},
      {"tRCD",
       [](Chip &c) { c.start(), c.command(kActive, 1, 5), c.wait(kRcd - 2), c.read(1, 0); }},
      {"tRP",
       [&](Chip &c) {
         opened(c), c.wait(kRc), c.command(kPrecharge, 1), c.wait(kRp - 2),
             c.command(kActive, 1, 5);
       }},
      {"tRP before a refresh",
       [&](Chip &c) {
         opened(c), c.wait(kRc), c.command(kPrecharge, 1), c.wait(kRp - 2), c.command(kRefresh);
       }},
      {"tRAS",
       [](Chip &c) {
         c.start(), c.command(kActive, 1, 5), c.wait(kRas - 2), c.command(kPrecharge, 1);
       }},
      {"tRC",
       [](Chip &c) {
         c.start(), c.open(1, 5), c.command(kRead, 1, kAll), c.wait(kRc - kRcd - 2),
             c.command(kActive, 1, 5);
       }},
      {"tRRD",
       [](Chip &c) { c.start(), c.command(kActive, 1, 5), c.wait(2), c.command(kActive, 2, 5); }},
      {"tFAW",
       [](Chip &c) {
         c.start();
         for (unsigned b = 0; b < 5; b++) c.command(kActive, b, 5), c.wait(3);
       }},
      {"tWR",
       [&](Chip &c) {
         opened(c), c.write(1, 0, data), c.wait(kCwl + 4 + 6 - 5), c.command(kPrecharge, 1);
       }},
      {"tWTR",
       [&](Chip &c) {
         opened(c), c.write(1, 0, data), c.wait(kCwl + 4 + 4 - 5), c.command(kRead, 1, 0);
       }},
      {"tRTP",
       [&](Chip &c) {
         opened(c), c.wait(kRas), c.command(kRead, 1, 0), c.wait(2), c.command(kPrecharge, 1);
       }},
      {"tCCD",
       [&](Chip &c) { opened(c), c.command(kRead, 1, 0), c.wait(2), c.command(kRead, 1, 8); }},
      {"a write right behind a read",
       [&](Chip &c) { opened(c), c.command(kRead, 1, 0), c.wait(5), c.write(1, 0, data); }},
      {"tRFC",
       [](Chip &c) { c.start(), c.command(kRefresh), c.wait(kRfc - 2), c.command(kActive, 1, 5); }},
      {"too few refreshes",
       [](Chip &c) {
         c.start();
         for (unsigned n = 0; n < 30; n++) c.wait(4500), c.command(kRefresh);
       }},
      {"a bank that stays open",
       [](Chip &c) { c.start(), c.command(kRefresh), c.wait(kRfc), c.open(1, 5), c.wait(28100); }},
      {"a refresh with a bank open", [&](Chip &c) { opened(c), c.command(kRefresh); }},
      {"a mode with a bank open", [&](Chip &c) { opened(c), c.command(kMode, 3, 0); }},
      {"a calibration with a bank open", [&](Chip &c) { opened(c), c.command(kCalibrate, 0, 0); }},
      {"a read of a closed bank", [&](Chip &c) { opened(c), c.command(kRead, 2, 0); }},
      {"an open bank opened", [&](Chip &c) { opened(c), c.wait(kRc), c.command(kActive, 1, 5); }},
      {"a row that there is not", [](Chip &c) { c.start(), c.command(kActive, 1, 16); }},
      {"a burst that begins within", [&](Chip &c) { opened(c), c.command(kRead, 1, 4); }},
      {"a write without data", [&](Chip &c) { opened(c), c.command(kWrite, 1, 0), c.wait(20); }},
      {"a strobe that is late",
       [&](Chip &c) { opened(c), c.plan(data, 0, 2), c.command(kWrite, 1, 0), c.wait(20); }},
      {"a strobe that is early",
       [&](Chip &c) { opened(c), c.plan(data, 0, -2), c.command(kWrite, 1, 0), c.wait(20); }},
      {"data that are late",
       [&](Chip &c) { opened(c), c.plan(data, 0, 0, 1), c.command(kWrite, 1, 0), c.wait(20); }},
      {"data that are early",
       [&](Chip &c) { opened(c), c.plan(data, 0, 0, -1), c.command(kWrite, 1, 0), c.wait(20); }},
      {"both sides drive the data",
       [&](Chip &c) { opened(c), c.command(kRead, 1, 0), c.plan(data, 0, -4), c.wait(20); }},
      {"a command that changes behind the clock's edge",
       [](Chip &c) {
         c.start(), c.changes_late = true, c.command(kActive, 1, 5);
         c.wait(1);
       }},
      {"a command that changes with the clock's edge",
       [](Chip &c) { c.start(), c.changes_early = true, c.command(kActive, 1, 5); }},
  };
  unsigned n = 0;
  for (const Fault &fault : faults) {
    Chip chip;
    fault.make(chip);
    tap.expect(chip.failed(), "nobody sees: %s", fault.what);
    n += chip.failed();
  }
  std::printf("# %u faults of a controller, all seen\n", n);
  tap.done("R-BD-23 to R-BD-25: each rule that a controller breaks fails an assertion");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_ddr3_chip");
  qsm_unit::Tap tap(2);
  test_data(tap, random);
  test_faults(tap);
  return tap.exit_code();
}
