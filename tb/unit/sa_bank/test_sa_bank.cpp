// SPDX-License-Identifier: Apache-2.0
// Bank of a shader array's cache (qsm_sa_bank): every output in every cycle against sa_ref.h, and
// what loads return against a memory that knows nothing of caches.
#include <algorithm>
#include <memory>

#include "Vqsm_sa_bank.h"

#include "../common/qsm_unit.h"
#include "sa_ref.h"

namespace {

constexpr unsigned kWords = BYTES_PER_LINE / 4, kLines = 1u << LINE_W, kGens = 256;
constexpr unsigned kMemberBits = qsm_unit::index_bits(NUM_MEMBERS);
constexpr unsigned kTxns = NUM_TXNS, kSlots = NUM_SLOTS;
constexpr uint32_t kAllBytes = static_cast<uint32_t>((uint64_t{1} << BYTES_PER_LINE) - 1);
static_assert(kMemberBits > 0, "a member has a number");

unsigned long long u(uint64_t value) { return value; }

// What a test met, asserted at its end: the corner cases of the page.
struct Cover {
  uint64_t counter[SaRef::kCounters], by_tree, all_pending, poisoned, long_lists, old_lines,
      dead_ways, wraps, wraps_in_walk, fetches, skipped, full_back, full_out, fresh_reads;
};

struct Outstanding {  // at the memory, performed
  uint64_t from;
  SaAnswer answer;
};

// What a load may see. Of lines of its slot's own that only requests of this bank write: what the
// requests before it have left. Of others, which the bench writes from outside: nothing older than
// the last generation of the slot.
struct Promise {
  bool busy = false, load = false, outside = false;
  Line data;
  uint32_t least = 0;
};

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, Cover &cover)
      : ref(SaGeometry{SETS, WAYS, kTxns, FIRST_FETCH}, kSlots),
        cover_(cover),
        tap_(tap),
        promises_(NUM_MEMBERS * kTxns),
        memory_(kLines, Line(BYTES_PER_LINE)),
        ordered_(kLines, Line(BYTES_PER_LINE)),
        since_(kSlots, std::vector<uint32_t>(kLines)),
        versions_(kLines) {
    in_.skip.assign(kSlots, false);
    in_.gens.assign(kSlots, 0);
    qsm_unit::begin_with_anything();
    top.reset(new Vqsm_sa_bank);
    top->req_valid_i = top->rsp_valid_i = top->out_ready_i = top->back_ready_i = top->wrap_i = 0;
    top->clear_i = 0;
    top->skip_i = 0;
    qsm_unit::set(top->gens_i, 0, 8 * kSlots, 0);
    for (unsigned k = 0; k < kSlots; k++) qsm_unit::set(top->gens_i, k, 8, 0);
    top->rst_ni = 0;
    clock();
    top->rst_ni = 1;
  }

  static bool from_outside(uint32_t line) { return line % 4 == 3; }
  bool free(unsigned member, unsigned txn) const { return !promises_[member * kTxns + txn].busy; }

  // generation: slot whose generation ends with the cycle, or kSlots.
  void cycle(bool out_ready, bool back_ready, unsigned delay, unsigned generation = kSlots,
             qsm_unit::Random *any = nullptr) {
    choose_response(any);
    in_.request = offering ? &offered : nullptr;
    in_.response = answering_ < behind_.size() ? &behind_[answering_].answer : nullptr;
    in_.out_ready = out_ready;
    in_.back_ready = back_ready;
    in_.wrap = generation < kSlots && in_.gens[generation] == kGens - 1;
    drive();
    top->eval();
    compare();
    const bool took_request = offering && top->req_ready_o;
    if (took_request) take_request();
    if (top->out_valid_o && out_ready) access_memory(delay);
    if (top->back_valid_o && back_ready) answered();
    const bool took_response = in_.response && top->rsp_ready_o;
    ref.cycle(in_);
    note_events();
    if (took_response) {
      behind_.erase(behind_.begin() + static_cast<long>(answering_));
      held_ = false;
    }
    if (took_request) offering = false;
    clock();
    if (generation < kSlots) {
      in_.gens[generation] = (in_.gens[generation] + 1) % kGens;
      since_[generation] = versions_;
      cover_.wraps += in_.wrap;
    }
    now++;
  }

  void offer(const SaRequest &request) {
    offered = request;
    offering = true;
  }

  void write_from_outside(uint32_t line) {
    const uint32_t version = ++versions_[line];
    for (unsigned w = 0; w < kWords; w++) {
      for (unsigned b = 0; b < 4; b++)
        memory_[line][4 * w + b] = static_cast<uint8_t>(version >> (8 * b));
    }
  }

  // Generations of all slots have come to the number.
  void set_generation(unsigned gen) { in_.gens.assign(kSlots, gen); }

  // A slot whose generation's number is the last, or kSlots.
  unsigned about_to_wrap() const {
    for (unsigned k = 0; k < kSlots; k++) {
      if (in_.gens[k] == kGens - 1) return k;
    }
    return kSlots;
  }

  void set_skip(unsigned slot, bool skip) { in_.skip[slot] = skip; }

  void drain() {
    for (unsigned n = 0; n < 20000 && (offering || n_in_flight); n++) cycle(true, true, 1);
    tap_.expect(!offering && n_in_flight == 0, "%u requests are never answered", n_in_flight);
    for (unsigned k = 0; k < kSlots; k++) {
      for (unsigned c = 0; c < SaRef::kCounters; c++) check_counter(k, c);
    }
  }

  void check_counter(unsigned slot, unsigned counter) {
    top->read_slot_i = static_cast<uint8_t>(slot);
    top->read_counter_i = static_cast<uint8_t>(counter);
    top->eval();
    same("counter", top->value_o, ref.counters[slot][counter]);
  }

  void clear(unsigned slot) {
    top->clear_i = static_cast<uint8_t>(1u << slot);
    cycle(true, true, 1);
    top->clear_i = 0;
    ref.counters[slot].assign(SaRef::kCounters, 0);
  }

  SaRef ref;
  SaRequest offered;
  bool offering = false;
  unsigned n_in_flight = 0;
  uint64_t now = 0, last_taken = 0, last_out = 0, last_answer = 0;
  std::unique_ptr<Vqsm_sa_bank> top;

 private:
  void clock() {
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
    top->clk_i = 0;
  }

  template <class P>
  static void put_line(P &port, const Line &line) {
    for (unsigned b = 0; b < BYTES_PER_LINE; b++) qsm_unit::set(port, b, 8, line[b]);
  }
  template <class P>
  static Line line_at(const P &port) {
    Line line;
    for (unsigned b = 0; b < BYTES_PER_LINE; b++)
      line.push_back(static_cast<uint8_t>(qsm_unit::get(port, b, 8)));
    return line;
  }

  // An offered response stays until it is taken; which comes next is anybody's choice.
  void choose_response(qsm_unit::Random *any) {
    if (answering_ < behind_.size() && held_) return;
    std::vector<size_t> ready;
    for (size_t n = 0; n < behind_.size(); n++) {
      if (behind_[n].from <= now) ready.push_back(n);
    }
    answering_ = behind_.size();
    if (!ready.empty())
      answering_ = ready[any ? any->below(static_cast<uint32_t>(ready.size())) : 0];
    held_ = !ready.empty();
  }

  void drive() {
    top->req_valid_i = offering;
    if (offering) {
      top->req_kind_i = static_cast<uint8_t>(offered.kind);
      top->req_amo_i = static_cast<uint8_t>(offered.amo);
      top->req_line_i = static_cast<uint16_t>(offered.line);
      top->req_bytes_i = static_cast<uint16_t>(offered.bytes);
      put_line(top->req_data_i, offered.data);
      top->req_member_i = static_cast<uint8_t>(offered.member);
      top->req_txn_i = static_cast<uint8_t>(offered.txn);
      top->req_slot_i = static_cast<uint8_t>(offered.slot);
    } else {
      top->req_line_i = static_cast<uint16_t>(qsm_unit::noise(kLines));
      top->req_slot_i = static_cast<uint8_t>(qsm_unit::noise(kSlots));
    }
    top->rsp_valid_i = in_.response != nullptr;
    if (in_.response) {
      top->rsp_member_i = static_cast<uint8_t>(in_.response->member);
      top->rsp_txn_i = static_cast<uint8_t>(in_.response->txn);
      put_line(top->rsp_data_i, in_.response->data);
    }
    top->out_ready_i = in_.out_ready;
    top->back_ready_i = in_.back_ready;
    top->wrap_i = in_.wrap;
    top->skip_i = 0;
    for (unsigned k = 0; k < kSlots; k++) {
      qsm_unit::set_bit(top->skip_i, k, in_.skip[k]);
      qsm_unit::set(top->gens_i, k, 8, in_.gens[k]);
    }
  }

  void same(const char *what, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s is 0x%llx, must be 0x%llx", u(now), what, u(seen),
                u(wanted));
  }

  void compare() {
    same("ready for a request", top->req_ready_o, ref.takes_request());
    same("ready for a response", top->rsp_ready_o, ref.takes_response());
    same("queue out", top->out_valid_o, !ref.out().empty());
    same("queue back", top->back_valid_o, !ref.back().empty());
    cover_.full_out += ref.out().size() == 4;
    cover_.full_back += ref.back().size() == 4;
    if (top->out_valid_o && !ref.out().empty()) {
      const SaRequest &head = ref.out().front();
      same("kind out", top->out_kind_o, static_cast<unsigned>(head.kind));
      same("line out", top->out_line_o, head.line);
      same("member out", top->out_member_o, head.member);
      same("transaction out", top->out_txn_o, head.txn);
      same("slot out", top->out_slot_o, head.slot);
      same("operation out", top->out_amo_o, head.amo);
      same("bytes out", top->out_bytes_o, head.bytes);
      tap_.expect(line_at(top->out_data_o) == head.data, "cycle %llu: data out differ", u(now));
    }
    if (top->back_valid_o && !ref.back().empty()) {
      const SaAnswer &head = ref.back().front();
      same("member back", top->back_member_o, head.member);
      same("transaction back", top->back_txn_o, head.txn);
      tap_.expect(line_at(top->back_data_o) == head.data, "cycle %llu: data back differ", u(now));
    }
  }

  static void perform(Line &line, const SaRequest &req) {
    for (unsigned b = 0; b < BYTES_PER_LINE; b++) {
      if (!(req.bytes >> b & 1) || req.kind == Kind::kRead) continue;
      line[b] =
          req.kind == Kind::kWrite ? req.data[b] : static_cast<uint8_t>(line[b] ^ req.data[b]);
    }
  }

  void take_request() {
    Promise &promise = promises_[offered.member * kTxns + offered.txn];
    promise.busy = true;
    promise.load = offered.kind == Kind::kRead && offered.txn < FIRST_FETCH;
    promise.outside = from_outside(offered.line);
    promise.data = ordered_[offered.line];
    promise.least = since_[offered.slot][offered.line];
    perform(ordered_[offered.line], offered);
    cover_.fetches += offered.kind == Kind::kRead && !promise.load;
    cover_.skipped += promise.load && in_.skip[offered.slot];
    n_in_flight++;
    last_taken = now;
  }

  void access_memory(unsigned delay) {
    SaRequest req;
    req.kind = static_cast<Kind>(top->out_kind_o);
    req.bytes = static_cast<uint32_t>(top->out_bytes_o);
    req.data = line_at(top->out_data_o);
    Line &line = memory_[top->out_line_o];
    Outstanding access{now + delay,
                       {top->out_member_o, top->out_txn_o,
                        req.kind == Kind::kWrite ? Line(BYTES_PER_LINE) : line}};
    perform(line, req);
    behind_.push_back(access);
    last_out = now;
  }

  void answered() {
    const unsigned id = top->back_member_o * kTxns + top->back_txn_o;
    tap_.expect(top->back_member_o < NUM_MEMBERS && top->back_txn_o < kTxns && promises_[id].busy,
                "cycle %llu: an answer to nobody: member %u, transaction %u", u(now),
                top->back_member_o, top->back_txn_o);
    if (tap_.failed()) return;
    Promise &promise = promises_[id];
    promise.busy = false;
    n_in_flight--;
    last_answer = now;
    const Line data = line_at(top->back_data_o);
    if (!promise.load) return;
    if (promise.outside) {
      uint32_t version = 0;
      for (unsigned b = 0; b < 4; b++) version |= static_cast<uint32_t>(data[b]) << (8 * b);
      cover_.fresh_reads += version > promise.least;
      tap_.expect(version >= promise.least,
                  "cycle %llu: a load sees version %u, older than its generation's %u", u(now),
                  version, promise.least);
    } else {
      tap_.expect(data == promise.data, "cycle %llu: a load does not see the stores before it",
                  u(now));
    }
  }

  void note_events() {
    const SaRef::Events &events = ref.events;
    cover_.by_tree += events.replaced_by_tree;
    cover_.all_pending += events.all_pending;
    cover_.poisoned += events.poisoned_load;
    cover_.long_lists += events.long_list;
    cover_.old_lines += events.old_line;
    cover_.dead_ways += events.dead_way;
    cover_.wraps_in_walk += events.wrap_in_walk;
  }

  Cover &cover_;
  qsm_unit::Tap &tap_;
  SaInputs in_;
  std::vector<Promise> promises_;
  std::deque<Outstanding> behind_;  // a reference into it outlives push_back
  size_t answering_ = 0;
  bool held_ = false;
  std::vector<Line> memory_, ordered_;  // ordered_: as the requests leave it in the bank's order
  std::vector<std::vector<uint32_t>> since_;  // [slot][line] versions as its generation began
  std::vector<uint32_t> versions_;            // of lines written from outside
};

SaRequest make(uint32_t line, Kind kind, unsigned member, unsigned txn, uint32_t bytes = 0) {
  SaRequest req;
  req.line = line;
  req.kind = kind;
  req.member = member;
  req.txn = txn;
  req.bytes = bytes;
  req.slot = line / 4 % kSlots;
  for (unsigned b = 0; b < BYTES_PER_LINE; b++)
    req.data.push_back(static_cast<uint8_t>(line * 31 + member * 7 + txn * 3 + b));
  return req;
}

void take(Bench &bench, const SaRequest &req, unsigned delay) {
  bench.offer(req);
  for (unsigned n = 0; n < 300 && bench.offering; n++) bench.cycle(true, true, delay);
}

// Taken in t: at the port in t + 2; taken from the channel in a, answered in a + 3; a hit in t + 2
// from the lines, in the queue back from t + 3 on.
void test_times(qsm_unit::Tap &tap) {
  Cover cover = {};
  Bench bench(tap, cover);
  for (unsigned n = 0; n < SETS; n++) {
    tap.expect(!bench.top->req_ready_o, "a request is taken in the walk");
    bench.cycle(true, true, 1);
  }
  take(bench, make(0, Kind::kRead, 0, 0), 10);
  tap.expect(bench.last_taken == SETS, "the first request is taken in cycle %llu, not Sets",
             u(bench.last_taken));
  const uint64_t taken = bench.last_taken;
  bench.drain();
  tap.expect(bench.last_out == taken + 2, "a miss is at the port %llu cycles later, not 2",
             u(bench.last_out - taken));
  tap.expect(bench.last_answer == taken + 2 + 1 + 4, "its answer comes %llu cycles later, not 7",
             u(bench.last_answer - taken));
  take(bench, make(0, Kind::kRead, 0, 1), 1);
  bench.drain();
  tap.expect(bench.last_answer == bench.last_taken + 3, "a hit takes %llu cycles, not 3",
             u(bench.last_answer - bench.last_taken));
  tap.expect(bench.last_out == taken + 2, "a hit goes out");
  tap.done("R-SA-2, R-SA-5, R-SA-15: the walk after reset, times of a miss and a hit");
}

// Hits, and a store behind them. (The answer of a store takes a cycle of its own.)
void test_pace(qsm_unit::Tap &tap) {
  Cover cover = {};
  Bench bench(tap, cover);
  take(bench, make(0, Kind::kRead, 0, 0), 1);
  bench.drain();
  for (unsigned n = 1; n < FIRST_FETCH; n++) {
    const uint64_t before = bench.last_taken;
    take(bench, make(0, n + 1 < FIRST_FETCH ? Kind::kRead : Kind::kWrite, 0, n, 3), 1);
    tap.expect(n == 1 || bench.last_taken == before + 1, "request %u comes late", n);
  }
  bench.drain();
  bench.clear(0);
  bench.check_counter(0, SaRef::kHits);
  tap.done("R-SA-2, R-SA-18: hits and a store follow each other in every cycle; counters clear");
}

// All transactions of all members wait for one line: one read, one answer each, in order.
void test_list(qsm_unit::Tap &tap) {
  Cover cover = {};
  Bench bench(tap, cover);
  for (unsigned m = 0; m < NUM_MEMBERS; m++) {
    for (unsigned t = 0; t < FIRST_FETCH; t++) take(bench, make(0, Kind::kRead, m, t), 500);
  }
  const uint64_t out = bench.last_out;
  bench.drain();
  const unsigned n = NUM_MEMBERS * FIRST_FETCH;
  tap.expect(bench.last_out == out && bench.ref.counters[0][SaRef::kJoined] == n - 1,
             "%u of %u joined", bench.ref.counters[0][SaRef::kJoined], n - 1);
  tap.done("R-SA-5, R-SA-10, R-SA-11: a list of all transactions is served with one read");
}

// A way for each line on its way, and none for one more.
void test_all_pending(qsm_unit::Tap &tap) {
  Cover cover = {};
  Bench bench(tap, cover);
  for (unsigned n = 0; n <= WAYS; n++) {
    SaRequest req = make(n * SETS, Kind::kRead, n % NUM_MEMBERS, n / NUM_MEMBERS);
    req.slot = 0;
    take(bench, req, 500);
  }
  bench.drain();
  bench.check_counter(0, SaRef::kMisses);
  tap.expect(bench.ref.counters[0][SaRef::kLoads] == WAYS + 1 &&
                 bench.ref.counters[0][SaRef::kMisses] == WAYS,
             "%u of %u loads allocate", bench.ref.counters[0][SaRef::kMisses], WAYS + 1);
  tap.done("R-SA-5: a load that finds all ways pending does not allocate");
}

SaRequest random_request(qsm_unit::Random &random, unsigned member, unsigned txn, unsigned n_tags) {
  const uint32_t sets = SETS < 4 ? SETS : 4;
  const uint32_t high = random.one_in(3) ? kLines / 2 : 0;  // tags that differ in the highest bit
  const uint32_t line = (random.below(n_tags) * SETS + random.below(sets)) % (kLines / 2) + high;
  if (txn >= FIRST_FETCH) return make(line, Kind::kRead, member, txn);
  SaRequest req = make(line, Kind::kRead, member, txn);
  const unsigned kind = random.below(8);
  if (Bench::from_outside(line)) {
    req.slot = random.below(kSlots);
  } else if (kind >= 6) {
    req = make(line, kind == 6 ? Kind::kWrite : Kind::kAmo, member, txn,
               kind == 6 ? random.bits32() & kAllBytes : 15u << (4 * random.below(kWords)));
    req.amo = random.below(9);
  }
  for (uint8_t &byte : req.data) byte = static_cast<uint8_t>(random.bits32());
  return req;
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Cover cover = {};
  for (unsigned round = 0; round < 40 && !tap.failed(); round++) {
    Bench bench(tap, cover);
    if (round % 4 == 3) bench.set_generation(kGens - 4);
    const unsigned rate = 4 + round % 4 * 4, delay = round % 2 ? 4 : round % 4 ? 40 : 300;
    const unsigned stall = round % 5 == 4 ? 14 : round % 2 * 6;
    const unsigned gens = round % 4 == 3 ? 2 : 400;  // cycles between generations, in the mean
    for (unsigned c = 0; c < 4000 && !tap.failed(); c++) {
      const unsigned member = random.below(NUM_MEMBERS), txn = random.below(kTxns);
      if (!bench.offering && bench.free(member, txn) && random.below(16) < rate)
        bench.offer(random_request(random, member, txn, 1 + round % 5 * (WAYS + 1) / 2));
      if (random.one_in(8)) bench.write_from_outside(random.below(kLines / 4) * 4 + 3);
      if (random.one_in(200)) bench.set_skip(random.below(kSlots), random.one_in(3));
      unsigned generation = random.one_in(gens) ? random.below(kSlots) : kSlots;
      if (bench.ref.walks() && random.one_in(2)) generation = bench.about_to_wrap();
      bench.cycle(random.below(16) >= round % 3 * 6, random.below(16) >= stall,
                  1 + random.below(delay), generation, &random);
    }
    if (!tap.failed()) bench.drain();
    for (unsigned k = 0; k < kSlots; k++) {
      for (unsigned c = 0; c < SaRef::kCounters; c++) cover.counter[c] += bench.ref.counters[k][c];
    }
  }
  std::printf("# %llu loads: %llu hits, %llu joined, %llu allocate; %llu stores, %llu atomics\n",
              u(cover.counter[0]), u(cover.counter[1]), u(cover.counter[2]), u(cover.counter[3]),
              u(cover.counter[4]), u(cover.counter[5]));
  for (unsigned c = 0; c < SaRef::kCounters; c++)
    tap.expect(cover.counter[c] > 100, "counter %u counts %llu only", c, u(cover.counter[c]));
  tap.expect(
      cover.fetches > 100 && cover.skipped > 100 && cover.poisoned > 20 && cover.long_lists > 20 &&
          cover.old_lines > 20 && cover.dead_ways > 20 && cover.fresh_reads > 100,
      "a corner case is rare: %llu poisoned, %llu long lists, %llu old lines, %llu dead ways",
      u(cover.poisoned), u(cover.long_lists), u(cover.old_lines), u(cover.dead_ways));
  tap.expect(cover.all_pending > 0 && (WAYS == 1 || cover.by_tree > 20),
             "replaced by the tree: %llu, all pending: %llu", u(cover.by_tree),
             u(cover.all_pending));
  tap.expect(cover.wraps > 10 && (SETS == 1 || cover.wraps_in_walk > 0) && cover.full_out > 20 &&
                 cover.full_back > 20,
             "%llu wraps, %llu in a walk; queues full: %llu, %llu", u(cover.wraps),
             u(cover.wraps_in_walk), u(cover.full_out), u(cover.full_back));
  tap.done(
      "R-SA-2 to R-SA-8, R-SA-10, R-SA-11, R-SA-15, R-SA-16, R-SA-18: random requests, what loads see");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_sa_bank");
  qsm_unit::Tap tap(5);
  test_times(tap);
  test_pace(tap);
  test_list(tap);
  test_all_pending(tap);
  test_random(tap, random);
  return tap.exit_code();
}
