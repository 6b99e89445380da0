// SPDX-License-Identifier: Apache-2.0
// Memory controller (qsm_dram) against dram_ref.h in every cycle: the command, both ports, what is
// counted.
#include "Vqsm_dram.h"

#include "../common/qsm_unit.h"
#include "dram_ref.h"

#include <memory>

namespace {

const DramTimes kTimes = {RCD, RP, RAS, CL, WR, BURST};

uint32_t answer_of(uint32_t number) { return number * 2654435761u; }

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : ref(COLUMNS, BANKS, QUEUE, kTimes), tap_(tap) {
    qsm_unit::begin_with_anything();
    top.reset(new Vqsm_dram);
    reset();
  }

  // Nothing may be under way. Memories keep what they have.
  void reset() {
    top->req_valid_i = top->mem_ready_i = top->mem_rsp_valid_i = top->rsp_ready_i = 0;
    top->rst_ni = 0;
    clock();
    top->rst_ni = 1;
    ref = DramRef(COLUMNS, BANKS, QUEUE, kTimes);
  }

  // One cycle: what is offered (stays until it is taken), whether the port is ready and answers,
  // whether a response is taken.
  void cycle(bool port_ready, bool answer, bool take) {
    answer = answer && !at_port.empty();
    top->req_valid_i = offering;
    top->req_write_i = offered.write;
    top->req_slot_i = static_cast<uint8_t>(offered.slot);
    top->req_line_i = offered.line;
    top->req_i = offered.number;
    top->mem_ready_i = port_ready;
    top->mem_rsp_valid_i = answer;
    top->mem_rsp_i = answer ? answer_of(at_port.front()) : qsm_unit::noise(1u << 31);
    top->rsp_ready_i = take;
    top->eval();

    last = ref.command(now, port_ready);
    const int64_t shown = ref.shown(now);
    same("request ready", top->req_ready_o, ref.ready());
    same("column access", top->column_o, last.column);
    same("request at the port", top->mem_valid_o, last.column);
    same("row", top->row_o, last.row);
    if (last.column || last.row) same("slot", top->slot_o, last.request.slot);
    if (last.column) {
      same("number at the port", top->mem_req_o, last.request.number);
      same("write", top->write_o, last.request.write);
      same("row hit", top->row_hit_o, last.first_column);
    }
    same("response", top->rsp_valid_o, shown >= 0);
    if (shown >= 0) same("number answered", top->rsp_o, answer_of(static_cast<uint32_t>(shown)));

    const bool arrives = offering && ref.ready();
    count(port_ready);
    ref.step(now, port_ready, arrives ? &offered : nullptr, answer, take && shown >= 0);
    if (answer) at_port.pop_front();
    if (last.column) at_port.push_back(last.request.number);
    if (take && shown >= 0) n_answered++;
    if (arrives) offering = false;
    clock();
    now++;
  }

  void offer(uint32_t line, bool write, unsigned slot = 0) {
    offered = DramRequest{next_number++, line, slot, write};
    offering = true;
  }

  std::unique_ptr<Vqsm_dram> top;
  DramRef ref;
  DramCommand last;
  std::deque<uint32_t> at_port;  // accesses that are not answered
  bool offering = false;
  DramRequest offered = {};
  uint64_t now = 0;
  uint32_t next_number = 1;
  uint64_t n_answered = 0, n_columns = 0, n_rows = 0, n_overtaken = 0, n_starved = 0, n_full = 0;

 private:
  void same(const char *what, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s is 0x%llx, must be 0x%llx",
                static_cast<unsigned long long>(now), what, static_cast<unsigned long long>(seen),
                static_cast<unsigned long long>(wanted));
  }

  void count(bool port_ready) {
    n_columns += last.column;
    n_rows += last.row;
    n_overtaken += last.column && ref.passed() > 0;
    n_starved += ref.passed() == DramRef::kStarveLimit && port_ready;
    n_full += !ref.ready();
  }

  void clock() {
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
  }

  qsm_unit::Tap &tap_;
};

// The page's picture: row opened in 0, column access in rcd, the next burst rcd + burst, data in
// rcd + cl + burst.
void test_times_of_a_row_miss(qsm_unit::Tap &tap) {
  Bench bench(tap);
  bench.offer(0, false);
  bench.cycle(true, true, true);
  const uint64_t opened = bench.now;
  bench.offer(0, false);
  bench.cycle(true, true, true);
  tap.expect(bench.last.row, "the row is not opened one cycle after the access came");
  while (!bench.last.column && bench.now < opened + 1000) bench.cycle(true, true, true);
  tap.expect(bench.now - 1 == opened + RCD, "column access after %llu cycles",
             static_cast<unsigned long long>(bench.now - 1 - opened));
  while (bench.n_answered == 0 && bench.now < opened + 2000) bench.cycle(true, true, true);
  tap.expect(bench.now - 1 == opened + RCD + CL + BURST, "data after %llu cycles",
             static_cast<unsigned long long>(bench.now - 1 - opened));
  for (unsigned n = 0; n < 1000 && bench.ref.size() + bench.at_port.size(); n++)
    bench.cycle(true, true, true);
  for (unsigned n = 0; n < 1000 && bench.n_answered < bench.n_columns; n++)
    bench.cycle(true, true, true);
  bench.reset();
  bench.offer(0, false);
  bench.cycle(true, true, true);
  bench.cycle(true, true, true);
  tap.expect(bench.last.row, "a reset does not close the rows");
  tap.done("R-DR-5, R-DR-6: a row miss takes rcd + cl + burst cycles");
}

// Traffic of one round: how much comes, how slow port and requester are, over how many rows.
struct Load {
  unsigned arrive, port_stall, answer, take;  // of 16
  unsigned n_rows, writes;
};

void random_cycle(Bench &bench, qsm_unit::Random &random, const Load &load) {
  if (!bench.offering && random.below(16) < load.arrive) {
    // Mostly one row, so that its entries overtake others.
    const uint32_t row = random.below(4) ? 0 : random.below(load.n_rows),
                   bank = random.below(BANKS), column = random.below(COLUMNS);
    bench.offer((row * BANKS + bank) * COLUMNS + column, random.below(16) < load.writes,
                random.below(4));
  }
  bench.cycle(random.below(16) >= load.port_stall, random.below(16) < load.answer,
              random.below(16) < load.take);
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  uint64_t n_answered = 0, n_rows = 0, n_overtaken = 0, n_starved = 0, n_full = 0;
  for (unsigned round = 0; round < 24 && !tap.failed(); round++) {
    Bench bench(tap);
    const Load load = {4 + round % 4 * 4,    round % 3 * 6, 3 + round % 2 * 13,
                       round % 5 ? 16u : 3u, 2 + round % 7, round % 6 * 3};
    for (unsigned c = 0; c < 3000 && !tap.failed(); c++) random_cycle(bench, random, load);
    n_answered += bench.n_answered;
    n_rows += bench.n_rows;
    n_overtaken += bench.n_overtaken;
    n_starved += bench.n_starved;
    n_full += bench.n_full;
  }
  std::printf(
      "# %llu accesses, %llu rows opened, %llu overtaking, %llu cycles with patience at its end, %llu with a full queue\n",
      static_cast<unsigned long long>(n_answered), static_cast<unsigned long long>(n_rows),
      static_cast<unsigned long long>(n_overtaken), static_cast<unsigned long long>(n_starved),
      static_cast<unsigned long long>(n_full));
  tap.expect(n_answered > 500 && n_rows > 50 && n_full > 50, "too little happened");
  if (QUEUE > 1)
    tap.expect(n_overtaken > 50, "accesses overtook others in %llu cycles only",
               static_cast<unsigned long long>(n_overtaken));
  tap.done(
      "R-DR-1 to R-DR-8, R-DR-10: random traffic: commands, ports and responses in every cycle");
}

// An entry waits for another row of a bank while a stream of accesses to the open one overtakes it
// 15 times, and no more.
void test_starve_limit(qsm_unit::Tap &tap) {
  Bench bench(tap);
  const auto accept = [&bench](uint32_t line, bool port_ready) {
    bench.offer(line, false);
    for (unsigned n = 0; n < 1000 && bench.offering; n++) bench.cycle(port_ready, true, true);
    return bench.offered.number;
  };
  const uint32_t other_row = BANKS * COLUMNS;
  accept(0, true);
  for (unsigned n = 0; n < 1000 && !bench.last.column; n++) bench.cycle(true, true, true);
  // The port waits, so that there is always one in the queue that asks for the open row.
  accept(0, QUEUE == 1);
  const uint32_t patient_number = accept(other_row, QUEUE == 1);
  for (unsigned n = 3; n < QUEUE; n++) accept(0, false);
  unsigned overtaken = 0, n = 0;
  for (; n < 20000 && bench.n_rows < 2; n++) {
    if (!bench.offering) bench.offer(0, false);
    bench.cycle(true, true, true);
    overtaken += bench.last.column && bench.last.request.number > patient_number;
  }
  tap.expect(bench.n_rows == 2 && overtaken == (QUEUE > 1 ? DramRef::kStarveLimit : 0),
             "%u accesses overtook, %llu rows were opened", overtaken,
             static_cast<unsigned long long>(bench.n_rows));
  do bench.cycle(true, true, true);
  while (++n < 30000 && !bench.last.column);
  tap.expect(bench.last.request.number == patient_number,
             "its row is open, but another access comes first");
  tap.done("R-DR-4: an access is overtaken 15 times at most");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_dram");
  qsm_unit::Tap tap(3);
  test_times_of_a_row_miss(tap);
  test_starve_limit(tap);
  test_random(tap, random);
  return tap.exit_code();
}
