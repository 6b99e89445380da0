// SPDX-License-Identifier: Apache-2.0
// A DDR3 memory is started and used through LiteDRAM, at some distances of the chip; a start
// without one of its accesses is not a start.
#include <array>
#include <map>
#include <vector>

#include "Vbench_ddr3.h"

#include "../common/qsm_unit.h"

namespace {

using Word = std::array<uint32_t, 4>;
constexpr unsigned kStartCycles = 60000;  // at most
// Registers of the controller (csr.csv of the generator).
enum Register : unsigned {
  kLane = 0x800,
  kDelayMore = 0x808,
  kSlipMore = 0x810,
  kBurstClear = 0x814,
  kControl = 0x1000,
  kCommand = 0x1004,
  kIssue = 0x1008,
  kAddress = 0x100C,
  kIssue1 = 0x1028
};
// Of a try, before its first read of data: precharge, refresh, activation, what a read is.
constexpr unsigned kCheckAccesses = 10;
constexpr unsigned kUsual = 3;  // quarters that a read takes more

class Board {
 public:
  // Verilator 5.006 cannot delete a model of several contexts: they stay.
  explicit Board(unsigned way, unsigned leave_out = 0)
      : context_(*new VerilatedContext), top_(new Vbench_ddr3(&context_)) {
    context_.fatalOnError(false);
    context_.errorLimit(1);
    top_->way_i = way & 15;
    top_->leave_out_i = static_cast<uint16_t>(leave_out);
    top_->never_i = 1;
    top_->eval();
    for (unsigned n = 0; n < 8; n++) cycle();
    top_->rst_ni = 1;
  }
  // All writes of this to a register are left out.
  void never(unsigned address, unsigned data, bool any_data) {
    top_->never_i = address & 0x1FFF;
    top_->never_data_i = data;
    top_->any_data_i = any_data;
  }
  // Until memory is started, or surely never is.
  bool start() {
    for (unsigned n = 0; n < kStartCycles && !top_->ready_o && !top_->failed_o && !broken(); n++)
      cycle();
    return top_->ready_o && !broken();
  }
  void run(unsigned cycles) {
    for (; cycles > 0 && !broken(); cycles--) cycle();
  }
  void write(unsigned address, const Word &data, unsigned bytes = 0xFFFF) {
    command(address, true);
    top_->wdata_we_i = static_cast<uint16_t>(bytes);
    for (unsigned i = 0; i < 4; i++) top_->wdata_i[i] = data[i];
    top_->wdata_valid_i = 1;
    for (unsigned n = 0; n < 200 && !top_->wdata_ready_o; n++) cycle();
    cycle();
    top_->wdata_valid_i = 0;
  }
  void ask(unsigned address) { command(address, false); }
  Word answer() {
    Word data = {};
    for (unsigned n = 0; n < 300 && !top_->rdata_valid_o; n++) cycle();
    for (unsigned i = 0; i < 4; i++) data[i] = top_->rdata_o[i];
    cycle();
    return data;
  }
  bool broken() { return context_.gotError(); }
  unsigned delay(unsigned lane) const { return top_->delay_o[lane]; }
  bool failed() const { return top_->failed_o; }
  unsigned accesses() const { return top_->accesses_o; }
  unsigned last_address() const { return top_->addr_o; }
  unsigned last_data() const { return top_->data_o; }
  // To just behind the next edge of the controller's clock.
  void cycle() {
    for (unsigned n = 0; n < 64; n++) {
      const bool before = top_->clk_o;
      quarter();
      if (!before && top_->clk_o) return;
    }
  }

 private:
  // Edges of clocks at its begin; in its midst the models look at pins.
  void quarter() {
    top_->pll_clk_pin = quarter_ % 4 < 2;
    top_->init_clk_pin = quarter_ % 16 < 8;
    if (quarter_ % 2 == 0) top_->eval();
    top_->quarter_pin = !top_->quarter_pin;
    top_->eval();
    quarter_++;
  }
  void command(unsigned address, bool write) {
    top_->cmd_valid_i = 1;
    top_->cmd_we_i = write;
    top_->cmd_addr_i = address;
    top_->eval();
    for (unsigned n = 0; n < 300 && !top_->cmd_ready_o; n++) cycle();
    cycle();
    top_->cmd_valid_i = 0;
    top_->eval();
  }
  VerilatedContext &context_;
  Vbench_ddr3 *top_;
  unsigned quarter_ = 0;
};

// The chip's model has 16 rows of 8 banks, 128 words of 16 bytes each.
unsigned some_address(qsm_unit::Random &random) {
  return random.below(2) << 13 | random.below(8) << 7 | random.below(2) * 126 | random.below(2);
}

// Random writes, whole and of some bytes, and reads, one behind the other or apart; all reads
// right?
bool used(Board &board, qsm_unit::Random &random, unsigned n_turns) {
  std::map<unsigned, Word> memory;
  bool right = true;
  for (unsigned n = 0; n < n_turns && right && !board.broken(); n++) {
    const unsigned address = some_address(random);
    const auto known = memory.find(address);
    if (known == memory.end() || random.one_in(2)) {
      const unsigned bytes = known == memory.end() ? 0xFFFF : random.bits32() & 0xFFFF;
      Word data;
      for (uint32_t &word : data) word = random.bits32();
      board.write(address, data, bytes);
      for (unsigned b = 0; b < 16; b++) {
        const uint32_t mask = 0xFFu << b % 4 * 8;
        if (bytes >> b & 1)
          memory[address][b / 4] = (memory[address][b / 4] & ~mask) | (data[b / 4] & mask);
      }
    } else {
      board.ask(address);
      right = board.answer() == known->second;
    }
    if (random.one_in(40)) board.run(random.below(1500));
  }
  return right && !board.broken();
}

void test_start(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  for (unsigned way = 0; way <= 5; way++) {
    Board board(way);
    tap.expect(board.start(), "R-BD-20: %u quarters away: not started%s", way,
               board.broken() ? ", an assertion failed" : "");
    // The model's gate is right with four delays, the first of which is as far away as the chip.
    const unsigned last = way + 3 < 7 ? way + 3 : 7, middle = last - (last - way + 1) / 2;
    tap.expect(board.delay(0) == middle && board.delay(1) == middle,
               "R-BD-20: %u quarters away: delays %u and %u, not %u", way, board.delay(0),
               board.delay(1), middle);
    tap.expect(used(board, random, way == kUsual ? 1500 : 150), "%u quarters away: wrong data",
               way);
  }
  tap.done("R-BD-18 to R-BD-25: memory starts at each distance that the PHY spans, and keeps data");
}

void test_too_far(qsm_unit::Tap &tap) {
  Board board(8);
  tap.expect(!board.start() && board.failed() && !board.broken(), "R-BD-20: it seems to start");
  tap.done("R-BD-20: a chip that is too far away is said to be");
}

struct Access {
  unsigned address, data;
};

// All accesses of the start before its first try, and whether one changes something: all but writes
// of what the register has already.
std::vector<Access> accesses_before_tries() {
  Board board(kUsual);
  std::vector<Access> list;
  while (list.size() < 200) {
    const unsigned before = board.accesses();
    for (unsigned n = 0; n < 20000 && board.accesses() == before && !board.broken(); n++)
      board.cycle();
    if (board.last_address() == kBurstClear || board.broken()) break;
    list.push_back({board.last_address(), board.last_data()});
  }
  return list;
}

void test_left_out(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  const std::vector<Access> list = accesses_before_tries();
  tap.expect(list.size() > 30 && list.size() < 100, "the start has %zu accesses", list.size());
  std::map<unsigned, unsigned> registers;  // 0 after a reset
  unsigned n_seen = 0;
  for (unsigned n = 1; n <= list.size(); n++) {
    const auto [address, data] = list[n - 1];
    const bool changes = address == kIssue || address == kIssue1 || registers[address] != data;
    registers[address] = data;
    // The first try is one of many.
    if (n + kCheckAccesses > list.size() || !changes) continue;
    Board board(kUsual, n);
    const bool works = board.start() && used(board, random, 60);
    tap.expect(!works, "R-BD-18: access %u, of %03x with %x, may be left out", n, address, data);
    n_seen += !works;
  }
  std::printf("# %u accesses left out, one at a time, all seen\n", n_seen);
  tap.expect(n_seen > 25, "%u accesses have been left out", n_seen);
  tap.done("R-BD-18, R-BD-19, R-BD-24: without one of its accesses a start is none");
}

void test_never(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  constexpr unsigned kAny = ~0u;
  const struct {
    const char *what;
    unsigned address, data;
  } steps[] = {{"more delay", kDelayMore, kAny},
               {"a bit slip", kSlipMore, kAny},
               {"a pause of the strobes", kLane, kAny},
               {"the end of a pause", kLane, 0},
               {"lane 0 by itself", kLane, 1},
               {"lane 1 by itself", kLane, 2},
               {"a refresh", kCommand, 0xD},
               {"an activation", kCommand, 0x9},
               {"a precharge", kCommand, 0xB},
               {"a read", kCommand, 0x25},
               {"the second pattern's column", kAddress, 8},
               {"handing over", kControl, 0xF}};
  for (const auto &step : steps) {
    Board board(kUsual);
    board.never(step.address, step.data, step.data == kAny);
    const bool works = board.start() && used(board, random, 60);
    tap.expect(!works, "R-BD-19: there need not be %s", step.what);
  }
  tap.done("R-BD-19, R-BD-20: without a kind of its accesses a start is none");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_ddr3");
  qsm_unit::Tap tap(4);
  test_start(tap, random);
  test_too_far(tap);
  test_left_out(tap, random);
  test_never(tap, random);
  return tap.exit_code();
}
