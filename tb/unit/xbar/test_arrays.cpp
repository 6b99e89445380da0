// SPDX-License-Identifier: Apache-2.0
// Crossbar with shader arrays (qsm_xbar, qsm_sa_cache) against arrays_ref.h in every cycle: what is
// at each memory port, what each SM and the front end see, the counters.
#include <memory>

#include "Vqsm_xbar.h"

#include "arrays_ref.h"
#include "xbar_ports.h"

using namespace xbar;

namespace {

static_assert(NUM_SAS > 0 && NUM_CMD > 0, "a bench of arrays and a front end");
constexpr unsigned kLineBytes = 4 * WARP_SIZE, kTxns = MEM_TXNS + NUM_SCHED;
constexpr unsigned kFirstCounter = 24;
const unsigned kChanW = index_bits(NUM_CHANNELS), kSelectW = kChanW + kSlotW + 5;

ArraysShape shape() {
  return ArraysShape{NUM_SMS,
                     NUM_SAS,
                     SA_BANKS,
                     NUM_CHANNELS,
                     NOC_LAT,
                     NUM_KERNELS,
                     kLineBytes,
                     true,
                     {SA_KIB * 1024 / (SA_BANKS * SA_WAYS * kLineBytes), SA_WAYS, kTxns, MEM_TXNS}};
}

struct Traffic {
  unsigned load, stall, lines, events, answers;  // of 16; lines; of 256; of 16
};

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, qsm_unit::Random &random)
      : ref(shape()), tap_(tap), random_(random), used_(kRequesters) {
    in_.sent.resize(kRequesters);
    in_.ready.assign(NUM_CHANNELS, false);
    in_.response.resize(NUM_CHANNELS);
    in_.skip.assign(NUM_KERNELS, false);
    in_.start.assign(NUM_KERNELS, false);
    in_.restore.assign(NUM_SMS, std::vector<bool>(NUM_KERNELS));
    in_.fence = in_.restore;
    at_memory_.resize(NUM_CHANNELS);
    for (unsigned i = 0; i < kRequesters; i++)
      used_[i].assign(i < NUM_SMS ? kTxns : 2 * DMA_ENTRIES + 1, false);
    qsm_unit::begin_with_anything();
    top.reset(new Vqsm_xbar);
    drive();
    top->rst_ni = 0;
    clock();
    top->rst_ni = 1;
  }

  void cycle(const Traffic &traffic) {
    choose(traffic);
    drive();
    top->eval();
    check();
    for (unsigned c = 0; c < NUM_CHANNELS; c++) {
      if (in_.ready[c] && !ref.out[c].empty()) perform(c, ref.out[c].front());
      took_[c] = in_.response[c] && ref.takes_response(c);
    }
    ref.cycle(n_cycles_, in_);
    clock();
    n_cycles_++;
    for (unsigned c = 0; c < NUM_CHANNELS; c++)
      if (took_[c]) in_.response[c].reset();
  }

  // Nothing new comes, everything that is under way ends.
  void drain() {
    const Traffic none = {0, 0, 1, 0, 16};
    for (unsigned n = 0; n < 4000 && n_under_way_; n++) cycle(none);
    tap_.expect(n_under_way_ == 0, "%u requests were never answered", n_under_way_);
  }

  std::unique_ptr<Vqsm_xbar> top;
  ArraysRef ref;
  uint64_t n_answered = 0, n_counted[SaRef::kCounters] = {};

 private:
  Line any_line() {
    Line line(kLineBytes);
    for (auto &byte : line) byte = static_cast<uint8_t>(random_.below(256));
    return line;
  }

  void choose(const Traffic &traffic) {
    for (unsigned i = 0; i < kRequesters; i++) {
      in_.sent[i].reset();
      if (random_.below(16) >= traffic.load) continue;
      const unsigned txn = random_.below(static_cast<uint32_t>(used_[i].size()));
      if (used_[i][txn]) continue;
      used_[i][txn] = true;
      n_under_way_++;
      ArraysRequest request;
      SaRequest &what = request.what;
      what.kind = static_cast<Kind>(random_.below(8) < 5 ? 0 : 1 + random_.below(2));
      if (i < NUM_SMS && txn >= MEM_TXNS) what.kind = Kind::kRead;
      what.amo = random_.below(9);
      what.txn = i < NUM_SMS ? txn : txn % (DMA_ENTRIES + 2);
      what.slot = random_.below(NUM_KERNELS);
      what.line = 0x1000000 + random_.below(traffic.lines);
      what.bytes = random_.bits32() & static_cast<uint32_t>((uint64_t{1} << kByteBits) - 1);
      what.data = any_line();
      in_.sent[i] = request;
      if (i == NUM_SMS) front_txns_.push_back(txn);
    }
    for (unsigned c = 0; c < NUM_CHANNELS; c++) {
      in_.ready[c] = random_.below(16) >= traffic.stall;
      if (in_.response[c] || at_memory_[c].empty() || random_.below(16) >= traffic.answers)
        continue;
      const auto at = at_memory_[c].begin() +
                      random_.below(static_cast<uint32_t>(at_memory_[c].size()));  // in any order
      in_.response[c] = *at;
      at_memory_[c].erase(at);
    }
    auto rare = [&] { return random_.below(256) < traffic.events; };
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      if (rare()) in_.skip[k] = !in_.skip[k];
      in_.start[k] = random_.one_in(8) && rare();
      for (unsigned i = 0; i < NUM_SMS; i++) {
        in_.restore[i][k] = random_.one_in(4) && rare();
        in_.fence[i][k] = rare();
      }
    }
    select_sm_ = random_.below(NUM_SMS);
    select_bank_ = random_.below(SA_BANKS);
    select_slot_ = random_.below(NUM_KERNELS);
    select_counter_ = random_.below(SaRef::kCounters);
  }

  void perform(unsigned c, const ArraysRequest &request) {
    ArraysAnswer answer;
    answer.sm = request.sm;
    answer.tag = request.what.txn;
    answer.data = request.what.kind == Kind::kWrite ? Line(kLineBytes) : any_line();
    at_memory_[c].push_back(answer);
  }

  template <class P>
  void put_line(Fields &f, P &port, const Line &line) {
    for (unsigned b = 0; b < kLineBytes; b++) f.put(port, 8, b < line.size() ? line[b] : 0);
  }

  void drive() {
    for (unsigned i = 0; i < kRequesters; i++) {
      const unsigned width = kSlotW + kTagW + kLineBits + kByteBits + 32 + 4 + 2 + 1;
      const SaRequest what = in_.sent[i] ? in_.sent[i]->what : SaRequest();
      Fields f{i * width};
      f.put(top->req_i, kSlotW, what.slot);
      f.put(top->req_i, kTagW, what.txn);
      put_line(f, top->req_i, what.data);
      f.put(top->req_i, kByteBits, what.bytes);
      f.put(top->req_i, 32, static_cast<uint32_t>(what.line * kLineBytes));
      f.put(top->req_i, 4, what.amo);
      f.put(top->req_i, 2, static_cast<unsigned>(what.kind));
      f.put(top->req_i, 1, in_.sent[i].has_value());
    }
    for (unsigned c = 0; c < NUM_CHANNELS; c++) {
      const ArraysAnswer answer = in_.response[c] ? *in_.response[c] : ArraysAnswer();
      set(top->mem_req_ready_i, c, 1, in_.ready[c]);
      Fields f{c * (kLineBits + kTagW + kSmW + 1)};
      put_line(f, top->mem_rsp_i, answer.data);
      f.put(top->mem_rsp_i, kTagW, answer.tag);
      f.put(top->mem_rsp_i, kSmW, answer.sm);
      f.put(top->mem_rsp_i, 1, in_.response[c].has_value());
    }
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      set(top->skip_i, k, 1, in_.skip[k]);
      set(top->start_i, k, 1, in_.start[k]);
      for (unsigned i = 0; i < NUM_SMS; i++) {
        set(top->restore_i, i * NUM_KERNELS + k, 1, in_.restore[i][k]);
        set(top->fence_i, i * NUM_KERNELS + k, 1, in_.fence[i][k]);
      }
    }
    set(top->select_sm_i, 0, index_bits(NUM_SMS), select_sm_);
    set(top->select_i, 0, kSelectW,
        ((uint64_t{select_bank_} << kSlotW | select_slot_) << 5) |
            (kFirstCounter + select_counter_));
  }

  void same(const char *what, unsigned index, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s[%u] is 0x%llx, must be 0x%llx",
                static_cast<unsigned long long>(n_cycles_), what, index,
                static_cast<unsigned long long>(seen), static_cast<unsigned long long>(wanted));
  }

  template <class P>
  void same_line(const char *what, unsigned index, Fields &f, const P &port, const Line &line) {
    for (unsigned b = 0; b < kLineBytes; b++) same(what, index, f.take(port, 8), line[b]);
  }

  void check() {
    for (unsigned c = 0; c < NUM_CHANNELS; c++) check_port(c);
    for (unsigned i = 0; i < kRequesters; i++) check_answer(i);
    const uint32_t counted = ref.counter(select_sm_, select_bank_, select_slot_, select_counter_);
    same("counter", select_counter_, top->value_o, counted);
    if (counted) n_counted[select_counter_]++;
  }

  void check_port(unsigned c) {
    const unsigned width = kSlotW + kTagW + kSmW + kLineBits + kByteBits + 32 + 4 + 2 + 1;
    same("port valid", c, get(top->mem_req_o, (c + 1) * width - 1, 1), !ref.out[c].empty());
    same("port response ready", c, get(top->mem_rsp_ready_o, c, 1), ref.takes_response(c));
    if (ref.out[c].empty()) return;
    const ArraysRequest &head = ref.out[c].front();
    Fields f{c * width};
    same("slot", c, f.take(top->mem_req_o, kSlotW), head.what.slot);
    same("tag", c, f.take(top->mem_req_o, kTagW), head.what.txn);
    same("sm", c, f.take(top->mem_req_o, kSmW), head.sm);
    same_line("data", c, f, top->mem_req_o, head.what.data);
    same("bytes", c, f.take(top->mem_req_o, kByteBits), head.what.bytes);
    same("address", c, f.take(top->mem_req_o, 32),
         static_cast<uint32_t>(head.what.line * kLineBytes));
    same("amo", c, f.take(top->mem_req_o, 4), head.what.amo);
    same("kind", c, f.take(top->mem_req_o, 2), static_cast<unsigned>(head.what.kind));
  }

  void check_answer(unsigned i) {
    const bool there = !ref.back[i].empty() && ref.back[i].front().from == n_cycles_;
    const unsigned width = kLineBits + kTagW + 1;
    same("response valid", i, get(top->rsp_o, (i + 1) * width - 1, 1), there);
    if (!there) return;
    const ArraysAnswer &answer = ref.back[i].front();
    Fields f{i * width};
    same_line("response data", i, f, top->rsp_o, answer.data);
    same("response tag", i, f.take(top->rsp_o, kTagW), answer.tag);
    unsigned txn = answer.tag;
    if (i == NUM_SMS) {  // several of its requests have a tag
      txn = front_txns_.front();
      front_txns_.erase(front_txns_.begin());
    }
    tap_.expect(used_[i][txn], "cycle %llu: tag %u of SM %u is answered twice",
                static_cast<unsigned long long>(n_cycles_), txn, i);
    used_[i][txn] = false;
    n_under_way_--;
    n_answered++;
  }

  void clock() {
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
  }

  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  ArraysInputs in_;
  std::vector<std::vector<bool>> used_;
  std::vector<unsigned> front_txns_;
  std::vector<std::vector<ArraysAnswer>> at_memory_;
  bool took_[NUM_CHANNELS] = {};
  unsigned select_sm_ = 0, select_bank_ = 0, select_slot_ = 0, select_counter_ = 0;
  unsigned n_under_way_ = 0;
  uint64_t n_cycles_ = 0;
};

// Every SM and the front end have all in flight that they may, while no channel takes anything.
void test_full_queues(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench(tap, random);
  const Traffic stuck = {16, 16, 1000, 0, 0};
  for (unsigned n = 0; n < 600; n++) bench.cycle(stuck);
  bench.drain();
  tap.expect(bench.n_answered >= NUM_SMS * kTxns + 2 * DMA_ENTRIES + 1, "only %llu requests",
             static_cast<unsigned long long>(bench.n_answered));
  tap.done("R-XB-1, R-SA-1, R-SA-13: all that may be in flight waits, and is answered");
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  uint64_t n_answered = 0, n_contended = 0, n_two_banks = 0, n_wraps = 0,
           n_counted[SaRef::kCounters] = {};
  for (unsigned round = 0; round < 16 && !tap.failed(); round++) {
    Bench bench(tap, random);
    // Few lines or many; memory that is quick or slow; events seldom, or so often that generations
    // wrap.
    const Traffic traffic = {1 + round, round % 4 * 4,
                             round % 3 == 0   ? 6u
                             : round % 3 == 1 ? 40
                                              : 400,
                             round % 5 == 4 ? 200u : round % 2, round % 4 == 1 ? 3u : 12};
    for (unsigned c = 0; c < 2500 && !tap.failed(); c++) bench.cycle(traffic);
    bench.drain();
    n_answered += bench.n_answered;
    n_contended += bench.ref.n_contended;
    n_two_banks += bench.ref.n_two_banks;
    n_wraps += bench.ref.n_wraps;
    for (unsigned k = 0; k < SaRef::kCounters; k++) n_counted[k] += bench.n_counted[k];
  }
  for (unsigned k = 0; k < SaRef::kCounters; k++)
    tap.expect(n_counted[k] > 100, "counter %u was seen %llu times", k,
               static_cast<unsigned long long>(n_counted[k]));
  tap.expect(
      n_answered > 5000 && n_contended > 500 && (SA_BANKS == 1 || n_two_banks > 500) &&
          n_wraps > 20,
      "%llu answered, %llu contended, %llu from two banks, %llu wraps",
      static_cast<unsigned long long>(n_answered), static_cast<unsigned long long>(n_contended),
      static_cast<unsigned long long>(n_two_banks), static_cast<unsigned long long>(n_wraps));
  std::printf(
      "# %llu transactions, %llu cycles with two ports at a channel, %llu with two banks "
      "for an SM, %llu wraps\n",
      static_cast<unsigned long long>(n_answered), static_cast<unsigned long long>(n_contended),
      static_cast<unsigned long long>(n_two_banks), static_cast<unsigned long long>(n_wraps));
  tap.done(
      "R-XB-1 to R-XB-5, R-SA-1, R-SA-9, R-SA-12 to R-SA-14, R-SA-18: random traffic of "
      "arrays and front end: ports, answers, counters in every cycle; each request is answered "
      "once");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_arrays");
  qsm_unit::Tap tap(2);
  test_full_queues(tap, random);
  test_random(tap, random);
  return tap.exit_code();
}
