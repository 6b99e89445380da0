// SPDX-License-Identifier: Apache-2.0
// Crossbar (qsm_xbar) against xbar_ref.h in every cycle: grants, and what each port and each SM
// sees.
#include <algorithm>

#include "Vqsm_xbar.h"

#include "../common/qsm_unit.h"
#include "xbar_ports.h"
#include "xbar_ref.h"

using namespace xbar;

namespace {

// What message `number` carries.
uint32_t hash(uint32_t number, uint32_t salt) {
  return (number * 2654435761u) ^ (salt * 0x9E3779B9u) ^ (number >> 7);
}
uint32_t line_address(uint32_t number) {
  return hash(number, 100) / (4 * WARP_SIZE) * (4 * WARP_SIZE);
}
unsigned channel_of(uint32_t number) {
  return line_address(number) / (4 * WARP_SIZE) % NUM_CHANNELS;
}
uint32_t bytes_of(uint32_t number) {
  return hash(number, 200) & static_cast<uint32_t>((uint64_t{1} << kByteBits) - 1);
}
unsigned tag_of(uint32_t number) { return number % kInFlight; }
unsigned slot_of(uint32_t number) { return number / 3 % NUM_KERNELS; }
unsigned kind_of(uint32_t number) { return number % 3; }
unsigned amo_of(uint32_t number) { return number % 9; }

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap)
      : ref(kRequesters, NUM_CHANNELS, NOC_LAT, RSP_LAT),
        accepted(NUM_CHANNELS),
        in_flight(kRequesters, 0),
        tap_(tap) {
    sending.assign(kRequesters, -1);
    ready.assign(NUM_CHANNELS, false);
    offered.assign(NUM_CHANNELS, -1);
    offered_sm.assign(NUM_CHANNELS, 0);
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  // One cycle with what sending, ready and offered say; sending is then cleared, offered once it is
  // taken.
  void cycle() {
    for (unsigned i = 0; i < kRequesters; i++) {
      drive_request(i);
      if (sending[i] < 0) continue;
      ref.send(n_cycles, i, channel_of(static_cast<uint32_t>(sending[i])),
               static_cast<uint32_t>(sending[i]));
      in_flight[i]++;
    }
    for (unsigned c = 0; c < NUM_CHANNELS; c++) drive_response(c);
    top.eval();
    std::vector<int64_t> taken(NUM_CHANNELS, -1);
    for (unsigned c = 0; c < NUM_CHANNELS; c++) {
      check_port(c);
      if (ready[c] && !ref.out[c].empty()) accepted[c].push_back(ref.out[c].front());
      if (ref.takes_response(c)) taken[c] = offered[c];
    }
    for (unsigned i = 0; i < kRequesters; i++) check_sm(i);
    ref.step(n_cycles, ready, taken, offered_sm);
    clock();
    sending.assign(kRequesters, -1);
    for (unsigned c = 0; c < NUM_CHANNELS; c++) {
      if (taken[c] >= 0) offered[c] = -1;
    }
    n_cycles++;
  }

  Vqsm_xbar top;
  XbarRef ref;
  std::vector<int64_t> sending, offered;  // per SM, per channel: number, or -1
  std::vector<unsigned> offered_sm;
  std::vector<bool> ready;
  std::vector<std::deque<XbarMessage>> accepted;  // per channel: at the memory
  std::vector<unsigned> in_flight;
  uint64_t n_cycles = 0, n_returned = 0;

 private:
  void drive_request(unsigned i) {
    const uint32_t number = sending[i] < 0 ? 0 : static_cast<uint32_t>(sending[i]);
    const unsigned width = kSlotW + kTagW + kLineBits + kByteBits + 32 + 4 + 2 + 1;
    Fields f{i * width};
    f.put(top.req_i, kSlotW, slot_of(number));
    f.put(top.req_i, kTagW, tag_of(number));
    for (unsigned w = 0; w < WARP_SIZE; w++) f.put(top.req_i, 32, hash(number, w));
    f.put(top.req_i, kByteBits, bytes_of(number));
    f.put(top.req_i, 32, line_address(number));
    f.put(top.req_i, 4, amo_of(number));
    f.put(top.req_i, 2, kind_of(number));
    f.put(top.req_i, 1, sending[i] >= 0);
  }

  void drive_response(unsigned c) {
    set(top.mem_req_ready_i, c, 1, ready[c]);
    const uint32_t number = offered[c] < 0 ? 0 : static_cast<uint32_t>(offered[c]);
    Fields f{c * (kLineBits + kTagW + kSmW + 1)};
    for (unsigned w = 0; w < WARP_SIZE; w++) f.put(top.mem_rsp_i, 32, hash(number, w + 50));
    f.put(top.mem_rsp_i, kTagW, tag_of(number));
    f.put(top.mem_rsp_i, kSmW, offered_sm[c]);
    f.put(top.mem_rsp_i, 1, offered[c] >= 0);
  }

  void same(const char *what, unsigned index, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s[%u] is 0x%llx, must be 0x%llx",
                static_cast<unsigned long long>(n_cycles), what, index,
                static_cast<unsigned long long>(seen), static_cast<unsigned long long>(wanted));
  }

  void check_port(unsigned c) {
    const unsigned width = kSlotW + kTagW + kSmW + kLineBits + kByteBits + 32 + 4 + 2 + 1;
    same("port valid", c, get(top.mem_req_o, (c + 1) * width - 1, 1), !ref.out[c].empty());
    same("port response ready", c, get(top.mem_rsp_ready_o, c, 1), ref.takes_response(c));
    if (ref.out[c].empty()) return;
    const XbarMessage &head = ref.out[c].front();
    Fields f{c * width};
    same("slot", c, f.take(top.mem_req_o, kSlotW), slot_of(head.number));
    same("tag", c, f.take(top.mem_req_o, kTagW), tag_of(head.number));
    same("sm", c, f.take(top.mem_req_o, kSmW), head.sm);
    for (unsigned w = 0; w < WARP_SIZE; w++)
      same("data", c, f.take(top.mem_req_o, 32), hash(head.number, w));
    same("bytes", c, f.take(top.mem_req_o, kByteBits), bytes_of(head.number));
    same("address", c, f.take(top.mem_req_o, 32), line_address(head.number));
    same("amo", c, f.take(top.mem_req_o, 4), amo_of(head.number));
    same("kind", c, f.take(top.mem_req_o, 2), kind_of(head.number));
  }

  void check_sm(unsigned i) {
    const bool there = !ref.back[i].empty() && ref.back[i].front().from == n_cycles;
    const unsigned width = kLineBits + kTagW + 1;
    same("response valid", i, get(top.rsp_o, (i + 1) * width - 1, 1), there);
    if (!there) return;
    const uint32_t number = ref.back[i].front().number;
    Fields f{i * width};
    for (unsigned w = 0; w < WARP_SIZE; w++)
      same("response data", i, f.take(top.rsp_o, 32), hash(number, w + 50));
    same("response tag", i, f.take(top.rsp_o, kTagW), tag_of(number));
    in_flight[i]--;
    n_returned++;
  }

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
};

// Sent in t, at the port in t + NocLat + 1; taken in u, seen by the SM in u + NocLat + RspLat + 1.
void test_times_of_a_transaction(qsm_unit::Tap &tap) {
  Bench bench(tap);
  bench.sending[kRequesters - 1] = 7;
  bench.cycle();
  for (unsigned c = 1; c <= NOC_LAT; c++) {
    tap.expect(bench.ref.out[channel_of(7)].empty(), "at the port %u cycles early",
               NOC_LAT + 1 - c);
    bench.cycle();
  }
  tap.expect(!bench.ref.out[channel_of(7)].empty(), "not at the port after NocLat + 1 cycles");
  bench.ready.assign(NUM_CHANNELS, true);
  bench.cycle();
  bench.offered[0] = 7;
  bench.offered_sm[0] = kRequesters - 1;
  bench.cycle();
  for (unsigned c = 1; c <= NOC_LAT + RSP_LAT; c++) bench.cycle();
  tap.expect(bench.n_returned == 0, "the response came early");
  bench.cycle();
  tap.expect(bench.n_returned == 1, "no response after NocLat + RspLat + 1 cycles");
  tap.done("R-GEN-2, R-XB-1, R-XB-5: a request takes NocLat + 1 cycles, a response RspLat more");
}

// Every SM sends as much as it may while no channel takes anything: nothing is lost.
void test_full_queues(qsm_unit::Tap &tap) {
  Bench bench(tap);
  uint64_t n_sent = 0;
  for (unsigned n = 0; n < std::max(kInFlight, 2 * DMA_ENTRIES + 1u); n++) {
    for (unsigned i = 0; i < kRequesters; i++) {
      if (n >= most_of(i)) continue;
      bench.sending[i] = n * kRequesters + i;
      n_sent++;
    }
    bench.cycle();
  }
  for (unsigned c = 0; c < 20; c++) bench.cycle();
  bench.ready.assign(NUM_CHANNELS, true);
  for (unsigned c = 0; c < n_sent + 20; c++) bench.cycle();
  uint64_t n_accepted = 0;
  for (const auto &queue : bench.accepted) n_accepted += queue.size();
  tap.expect(n_accepted == n_sent, "%llu requests came out",
             static_cast<unsigned long long>(n_accepted));
  tap.done("R-XB-1, R-XB-3: every SM and the front end may have all they may in flight");
}

void random_cycle(Bench &bench, qsm_unit::Random &random, uint32_t *number, unsigned load,
                  unsigned stall) {
  for (unsigned i = 0; i < kRequesters; i++) {
    if (bench.in_flight[i] < most_of(i) && random.below(16) < load) bench.sending[i] = (*number)++;
  }
  for (unsigned c = 0; c < NUM_CHANNELS; c++) {
    bench.ready[c] = random.below(16) >= stall;
    if (bench.offered[c] >= 0 || bench.accepted[c].empty() || random.one_in(3)) continue;
    bench.offered[c] = bench.accepted[c].front().number;
    bench.offered_sm[c] = bench.accepted[c].front().sm;
    bench.accepted[c].pop_front();
  }
  bench.cycle();
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  uint64_t n_returned = 0;
  for (unsigned round = 0; round < 8 && !tap.failed(); round++) {
    Bench bench(tap);
    uint32_t number = 0;
    for (unsigned c = 0; c < 1500 && !tap.failed(); c++)
      random_cycle(bench, random, &number, 1 + 2 * round, round % 4 * 4);
    n_returned += bench.n_returned;
  }
  tap.expect(n_returned > 2000, "only %llu transactions were completed",
             static_cast<unsigned long long>(n_returned));
  std::printf("# %llu transactions\n", static_cast<unsigned long long>(n_returned));
  tap.done("R-XB-1 to R-XB-5: random traffic: grants, ports and responses in every cycle");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_xbar");
  qsm_unit::Tap tap(3);
  test_times_of_a_transaction(tap);
  test_full_queues(tap);
  test_random(tap, random);
  return tap.exit_code();
}
