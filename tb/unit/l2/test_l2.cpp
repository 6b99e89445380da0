// SPDX-License-Identifier: Apache-2.0
// L2 slice (qsm_l2): values and order against a flat memory, outcomes and victims against l2_ref.h,
// cycles by the page's picture.
#include <deque>
#include <memory>

#include "Vqsm_l2.h"

#include "../common/qsm_unit.h"
#include "l2_ref.h"

namespace {

constexpr unsigned kWords = BYTES_PER_LINE / 4, kLines = 1u << LINE_W, kIds = 24, kSlots = 4;
// Units of a flush; what its ports can name: one unit has two names.
constexpr unsigned kUnits = SETS / UNIT_SETS, kUnitNames = kUnits > 1 ? kUnits : 2;
constexpr uint32_t kAllBytes = static_cast<uint32_t>((uint64_t{1} << BYTES_PER_LINE) - 1);

using Line = std::vector<uint32_t>;

uint32_t amo_result(unsigned amo, uint32_t old, uint32_t operand) {
  const auto is_less = [&] { return static_cast<int32_t>(old) < static_cast<int32_t>(operand); };
  switch (amo) {
    case 0: return operand;
    case 1: return old + operand;
    case 2: return old ^ operand;
    case 3: return old & operand;
    case 4: return old | operand;
    case 5: return is_less() ? old : operand;
    case 6: return is_less() ? operand : old;
    case 7: return old < operand ? old : operand;
    default: return old < operand ? operand : old;
  }
}

uint32_t merged_word(uint32_t old, uint32_t data, uint32_t four_bytes) {
  for (unsigned b = 0; b < 4; b++) {
    const uint32_t mask = 0xffu << (8 * b);
    if (four_bytes >> b & 1) old = (old & ~mask) | (data & mask);
  }
  return old;
}

// Performs a request on a line, gives what is answered.
Line perform(Line &line, const L2Request &req) {
  const Line before = line;
  for (unsigned w = 0; w < kWords; w++) {
    const uint32_t four_bytes = req.bytes >> (4 * w) & 15;
    if (req.kind == Kind::kWrite) line[w] = merged_word(line[w], req.data[w], four_bytes);
    if (req.kind == Kind::kAmo && four_bytes) line[w] = amo_result(req.amo, line[w], req.data[w]);
  }
  return req.kind == Kind::kWrite ? Line(kWords, 0) : before;
}

// What happened in a test, asserted at its end: the corner cases of the page.
struct Cover {
  uint64_t requests, outcome[5], merged_amo, merged_whole, nc_read_after_write, nc_hit_dirty,
      victims, responses_full, mshrs_full, waiters_full, long_lists, walks_past_mshr,
      first_is_write, min_max, parts, round_parts, victims_beside_part;
};

struct Part {  // of a flush: from one unit of sets to another
  unsigned first, last;
};
constexpr Part kWhole = {0, kUnits - 1};

unsigned n_sets_of(Part part) {
  return ((part.last + kUnits - part.first) % kUnits + 1) * UNIT_SETS;
}

bool has(Part part, uint32_t line) {
  return (line % SETS + SETS - part.first * UNIT_SETS) % SETS < n_sets_of(part);
}

struct Access {  // at the memory, not answered
  bool own;
  unsigned id;
  uint64_t from;  // first cycle of the answer
  Line data;
};

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, Cover &cover)
      : ref(SETS, WAYS), memory(kLines), flat(kLines), cover_(cover), tap_(tap), in_flight_(kIds) {
    for (uint32_t n = 0; n < kLines; n++) {
      for (unsigned w = 0; w < kWords; w++) memory[n].push_back(n * 0x01000193u + w * 77);
    }
    flat = memory;
    qsm_unit::begin_with_anything();
    top.reset(new Vqsm_l2);
    top->req_valid_i = top->rsp_ready_i = top->mem_ready_i = top->mem_rsp_valid_i = top->flush_i =
        0;
    top->rst_ni = 0;
    clock();
    top->rst_ni = 1;
    for (unsigned n = 0; n < SETS; n++) cycle(true, true, 1);
    tap_.expect(top->req_ready_o, "no request is taken in cycle Sets");
  }

  bool id_free(unsigned id) const { return !in_flight_[id].busy; }

  // One cycle. memory_delay: cycles from acceptance to answer of what is accepted now.
  void cycle(bool memory_ready, bool take, unsigned memory_delay) {
    drive(memory_ready, take);
    top->eval();
    check_act();
    const bool request_taken = offering && top->req_ready_o;
    act_request_ = request_taken;
    act_fill_ =
        answering_ && top->mem_rsp_ready_o && behind_.front().own && behind_.front().id < MSHRS;
    if (act_fill_) act_fill_mshr_ = behind_.front().id;
    if (act_fill_) last_fill = now;
    if (request_taken) take_request();
    if (answering_ && top->mem_rsp_ready_o) {
      if (behind_.front().own && behind_.front().id >= MSHRS) last_acknowledged = now;
      behind_.pop_front();
    }
    if (top->mem_valid_o && memory_ready) access_memory(memory_delay);
    if (top->rsp_valid_o && take) take_response();
    n_blocked_ = top->rsp_valid_o && !take && !top->req_ready_o ? n_blocked_ + 1 : 0;
    cover_.responses_full += n_blocked_ == 12;
    if (top->flush_done_o) end_flush();
    clock();
    top->flush_i = 0;
    drive_part({~part_.first, ~part_.last});  // another one: it counts with the pulse only
    now++;
  }

  void offer(const L2Request &req) {
    offered = req;
    offering = true;
  }

  // Cycles until everything offered is answered.
  void drain() {
    for (unsigned n = 0; n < 20000 && (offering || n_in_flight || !behind_.empty()); n++)
      cycle(true, true, 1);
    tap_.expect(!offering && n_in_flight == 0, "%u requests are never answered",
                n_in_flight + (offering ? 1 : 0));
  }

  // Where outcomes are checked there is nothing under way in the part, and no request to it before
  // the flush ends.
  void start_flush(Part part) {
    top->flush_i = 1;
    drive_part(part);
    part_ = part;
    flushing = true;
    flush_start = now;
    if (check_outcomes)
      walked_ =
          ref.flush(part.first * UNIT_SETS % SETS, (part.last * UNIT_SETS + UNIT_SETS - 1) % SETS);
    cover_.parts += n_sets_of(part) < SETS;
    cover_.round_parts += part.last < part.first;
  }

  // From now on to the end of its flush this part is left alone; begins it once that is so.
  void set_aside(Part part) {
    aside_ = true;
    part_ = part;
  }
  bool is_aside(uint32_t line) const { return aside_ && has(part_, line); }
  void flush_aside() {
    if (!aside_ || flushing || (offering && has(part_, offered.line))) return;
    for (const InFlight &flight : in_flight_) {
      if (flight.busy && has(part_, flight.line)) return;
    }
    start_flush(part_);
  }

  void flush_alone(Part part) {
    drain();
    start_flush(part);
    for (unsigned n = 0; n < 10000 && flushing; n++) cycle(n % 3 != 0, true, 5);
    tap_.expect(!flushing, "the flush does not end");
    for (uint32_t n = 0; n < kLines; n++)
      tap_.expect(memory[n] == flat[n] || !has(part, n),
                  "line 0x%x in memory is wrong after a flush", n);
  }

  std::unique_ptr<Vqsm_l2> top;
  L2Ref ref;
  std::vector<Line> memory,
      flat;  // behind the slice; as the requests leave it, in the order in which they were taken
  bool offering = false, flushing = false;
  bool check_outcomes = true;  // ref knows what is in the cache
  L2Request offered;
  uint64_t now = 0, n_own_writes = 0, last_answer = 0, last_taken = 0, last_access = 0,
           last_fill = 0, flush_start = 0, flush_end = 0, last_acknowledged = 0;
  unsigned n_in_flight = 0;

 private:
  struct Victim {
    uint32_t line;
    unsigned slot;
  };
  struct InFlight {
    bool busy = false;
    uint32_t line = 0;
    Line answer;
  };

  template <class P>
  void put_line(P &port, const Line &line) {
    for (unsigned w = 0; w < kWords; w++) qsm_unit::set(port, w, 32, line[w]);
  }
  template <class P>
  Line line_at(const P &port) {
    Line line;
    for (unsigned w = 0; w < kWords; w++)
      line.push_back(static_cast<uint32_t>(qsm_unit::get(port, w, 32)));
    return line;
  }

  void drive_part(Part part) {
    top->flush_first_i = static_cast<uint8_t>(part.first % kUnitNames);
    top->flush_last_i = static_cast<uint8_t>(part.last % kUnitNames);
  }

  void end_flush() {
    tap_.expect(flushing, "the end of a flush that was not asked for");
    tap_.expect(walked_.empty(), "cycle %llu: %zu lines of a part are not written back",
                static_cast<unsigned long long>(now), walked_.size());
    walked_.clear();
    flushing = aside_ = false;
    flush_end = now;
  }

  void drive(bool memory_ready, bool take) {
    top->req_valid_i = offering;
    if (offering) {
      top->req_kind_i = static_cast<uint8_t>(offered.kind);
      top->req_amo_i = static_cast<uint8_t>(offered.amo);
      top->req_nc_i = offered.nc;
      top->req_line_i = static_cast<uint16_t>(offered.line);
      top->req_bytes_i = static_cast<uint16_t>(offered.bytes);
      put_line(top->req_data_i, offered.data);
      top->req_id_i = static_cast<uint8_t>(offered.id);
      top->req_slot_i = static_cast<uint8_t>(offered.slot);
    }
    top->mem_ready_i = memory_ready;
    answering_ = !behind_.empty() && behind_.front().from <= now;
    top->mem_rsp_valid_i = answering_;
    if (answering_) {
      top->mem_rsp_own_i = behind_.front().own;
      top->mem_rsp_id_i = static_cast<uint8_t>(behind_.front().id);
      put_line(top->mem_rsp_data_i, behind_.front().data);
    }
    top->rsp_ready_i = take;
  }

  void same(const char *what, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s is 0x%llx, must be 0x%llx",
                static_cast<unsigned long long>(now), what, static_cast<unsigned long long>(seen),
                static_cast<unsigned long long>(wanted));
  }

  // What was taken in the cycle before acts in this one.
  void check_act() {
    same("a request is in act", top->request_o, act_request_);
    for (const Access &access : behind_)
      cover_.walks_past_mshr += flushing && access.own && access.id < MSHRS;
    if (!check_outcomes || (!act_request_ && !act_fill_)) return;
    if (act_request_) {
      const L2Effect effect = ref.request(acting_);
      same("slot counted", top->slot_o, acting_.slot);
      same("atomic counted", top->atomic_o, acting_.kind == Kind::kAmo);
      check_effect(effect);
      same("outcome", top->outcome_o, static_cast<unsigned>(effect.outcome));
      cover_request(effect);
    } else {
      const auto &waiters = ref.mshrs.at(act_fill_mshr_).waiters;
      cover_.long_lists += waiters.size() > 2;
      cover_.first_is_write += waiters.front() != Kind::kRead;
      check_effect(ref.fill(act_fill_mshr_));
    }
  }

  void check_effect(const L2Effect &effect) {
    same("victim", top->victim_o, effect.victim);
    if (!effect.victim) return;
    same("slot of the victim", top->slot_o, effect.slot);
    victims_.push_back({effect.victim_line, effect.slot});
    cover_.victims++;
    cover_.victims_beside_part += flushing;
  }

  void cover_request(const L2Effect &effect) {
    cover_.requests++;
    cover_.outcome[static_cast<unsigned>(effect.outcome)]++;
    const bool merged = effect.outcome == Outcome::kMerged;
    cover_.merged_amo += merged && acting_.kind == Kind::kAmo;
    cover_.merged_whole += merged && acting_.whole;
    cover_.nc_hit_dirty += effect.outcome == Outcome::kHit && effect.was_dirty && acting_.nc;
    cover_.min_max += acting_.kind == Kind::kAmo && acting_.amo >= 5;
    unsigned n_waiters = 0;
    for (const auto &[index, mshr] : ref.mshrs)
      n_waiters += static_cast<unsigned>(mshr.waiters.size());
    cover_.mshrs_full += ref.mshrs.size() == MSHRS;
    cover_.waiters_full += n_waiters == WAITERS;
    cover_.nc_read_after_write +=
        effect.outcome != Outcome::kBypassed && nc_written_.count(acting_.line);
    if (effect.outcome == Outcome::kBypassed && acting_.kind == Kind::kWrite)
      nc_written_[acting_.line] = true;
    else
      nc_written_.erase(acting_.line);
  }

  void take_request() {
    acting_ = offered;
    InFlight &flight = in_flight_[offered.id];
    flight.busy = true;
    flight.line = offered.line;
    flight.answer = perform(flat[offered.line], offered);
    n_in_flight++;
    last_taken = now;
    offering = false;
  }

  void access_memory(unsigned delay) {
    L2Request req;
    req.line = static_cast<uint32_t>(top->mem_line_o);
    req.kind = top->mem_write_o ? Kind::kWrite : Kind::kRead;
    req.bytes = static_cast<uint32_t>(top->mem_bytes_o);
    req.data = line_at(top->mem_data_o);
    req.id = top->mem_id_o;
    const bool own = top->mem_own_o;
    last_access = now;
    if (own && top->mem_write_o) {
      same("bytes of an own write", req.bytes, kAllBytes);
      tap_.expect(req.id == MSHRS || req.id == MSHRS + 1, "an own write has id %u (R-L2-12)",
                  req.id);
      n_own_writes++;
      if (check_outcomes) check_own_write(req.line);
    }
    if (own && !top->mem_write_o && check_outcomes) {
      const auto mshr = ref.mshrs.find(req.id);
      tap_.expect(mshr != ref.mshrs.end() && mshr->second.line == req.line,
                  "a read for MSHR %u, which has not that line (R-L2-12)", req.id);
    }
    Access access;
    access.own = own;
    access.id = req.id;
    access.from = now + delay;
    access.data = perform(memory[req.line], req);
    behind_.push_back(access);
    if (own)
      same("accesses of its own behind the slice at most l2_mshrs + 4 (R-L2-3)",
           n_own_behind() <= MSHRS + 4, true);
  }

  // A victim or the next of a walk; one line is both only where the victim has been on its way
  // before.
  void check_own_write(uint32_t line) {
    if (!victims_.empty() && victims_.front().line == line) {
      same("slot of a victim's write", top->mem_slot_o, victims_.front().slot);
      victims_.pop_front();
      return;
    }
    tap_.expect(!walked_.empty() && walked_.front() == line,
                "line 0x%x is written back, which is no victim, nor the next of a walk", line);
    if (walked_.empty()) return;
    same("slot of a walk's write", top->mem_slot_o, 0);
    walked_.pop_front();
  }

  unsigned n_own_behind() const {
    unsigned n = 0;
    for (const Access &access : behind_) n += access.own;
    return n;
  }

  void take_response() {
    const unsigned id = top->rsp_id_o;
    tap_.expect(id < kIds && in_flight_[id].busy,
                "cycle %llu: an answer to 0x%x, which asked nothing",
                static_cast<unsigned long long>(now), id);
    if (id >= kIds || !in_flight_[id].busy) return;
    const Line answer = line_at(top->rsp_data_o);
    for (unsigned w = 0; w < kWords; w++)
      same("a word of the answer", answer[w], in_flight_[id].answer[w]);
    in_flight_[id].busy = false;
    n_in_flight--;
    last_answer = now;
  }

  void clock() {
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
  }

  Cover &cover_;
  qsm_unit::Tap &tap_;
  std::vector<InFlight> in_flight_;
  std::deque<Access> behind_;
  std::deque<Victim> victims_;   // that memory has not seen yet
  std::deque<uint32_t> walked_;  // lines that the flush has still to write
  Part part_ = kWhole;           // of the last flush
  bool aside_ = false;
  std::map<uint32_t, bool> nc_written_;
  L2Request acting_;
  bool act_request_ = false, act_fill_ = false, answering_ = false;
  unsigned act_fill_mshr_ = 0, n_blocked_ = 0;
};

L2Request make(uint32_t line, Kind kind, uint32_t bytes, unsigned id, bool nc = false) {
  L2Request req;
  req.line = line;
  req.kind = kind;
  req.bytes = bytes;
  req.id = id;
  req.nc = nc;
  req.whole = kind == Kind::kWrite && bytes == kAllBytes;
  req.slot = id % kSlots;
  for (unsigned w = 0; w < kWords; w++)
    req.data.push_back(line * 0x9E3779B9u + id * 0x85EBCA6Bu + w);
  return req;
}

L2Request random_request(qsm_unit::Random &random, unsigned id, unsigned n_tags, unsigned nc) {
  // Few tags, which differ in their lowest and their highest bits, over few sets, the first and the
  // last among them.
  const uint32_t tag = random.below(n_tags), high = tag % 2 ? kLines / 2 : 0;
  const uint32_t set = random.below(SETS < 4 ? SETS : 4);
  const uint32_t line = tag / 2 * SETS + (set < 2 || SETS < 4 ? set : SETS - 4 + set) + high;
  L2Request req;
  const unsigned kind = random.below(8);
  const unsigned word = random.below(kWords);
  if (kind < 3)
    req = make(line, Kind::kRead, random.bits32() & kAllBytes, id);
  else if (kind < 5)
    req = make(line, Kind::kWrite, random.bits32() & kAllBytes, id);
  else if (kind < 6)
    req = make(line, Kind::kWrite, kAllBytes, id);
  else
    req = make(line, Kind::kAmo, 15u << (4 * word), id);
  req.amo = random.below(9);
  req.nc = random.below(16) < nc;
  req.slot = random.below(kSlots);
  for (uint32_t &w : req.data) w = random.one_in(4) ? random.below(4) - 2 : random.bits32();
  return req;
}

void random_cycle(Bench &bench, qsm_unit::Random &random, unsigned round, unsigned delay) {
  const unsigned id = random.below(kIds);
  if (!bench.offering && bench.id_free(id) && random.below(16) < 4 + round % 4 * 4) {
    const L2Request req = random_request(random, id, WAYS + 1 + round % 5 * 2, round % 3 * 5);
    if (!bench.is_aside(req.line)) bench.offer(req);
  }
  const unsigned stall =
      round % 5 == 4 ? 15 : round % 2 * 8;  // a requester that hardly takes anything
  bench.cycle(random.below(16) >= round % 3 * 6, random.below(16) >= stall,
              1 + random.below(delay));
}

// t: taken; t + 2: read at memory; answer of the line in a; t' = taken again in a + 3.
void test_times(qsm_unit::Tap &tap) {
  Cover cover = {};
  Bench bench(tap, cover);
  bench.offer(make(1, Kind::kRead, 0, 1));
  bench.cycle(true, true, 10);
  const uint64_t taken = bench.now - 1;
  tap.expect(bench.last_taken == taken, "the first request is not taken");
  for (unsigned n = 0; n < 30; n++) bench.cycle(true, true, 10);
  tap.expect(bench.last_access == taken + 2, "a miss is at the port %llu cycles later, not 2",
             static_cast<unsigned long long>(bench.last_access - taken));
  tap.expect(bench.last_answer == taken + 2 + 10 + 3, "its answer comes %llu cycles later",
             static_cast<unsigned long long>(bench.last_answer - taken));
  bench.offer(make(1, Kind::kRead, 0, 2));
  bench.drain();
  tap.expect(bench.last_answer == bench.last_taken + 3, "a hit takes %llu cycles, not 3",
             static_cast<unsigned long long>(bench.last_answer - bench.last_taken));
  tap.done(
      "R-L2-5, R-L2-6: a hit takes 3 cycles, a miss is at the port after 2 and answered 3 after it comes back");
}

// Reads and writes of some bytes that hit follow each other in every cycle; after an AMO or a whole
// line there is a pause.
void test_pace(qsm_unit::Tap &tap) {
  Cover cover = {};
  Bench bench(tap, cover);
  bench.offer(make(0, Kind::kRead, 0, 0));
  bench.drain();
  const bool every_cycle =
      MSHRS > 1 && WAITERS > 1;  // else a request keeps the only one until it has acted
  const Kind kinds[] = {Kind::kRead, Kind::kWrite, Kind::kRead, Kind::kAmo,
                        Kind::kRead, Kind::kWrite, Kind::kRead};
  const uint32_t bytes[] = {0, 3, 0, 15, 0, kAllBytes, 0};
  const unsigned pauses[] = {0, 0, 0, 1, 0, 1, 0};
  uint64_t last = 0;
  for (unsigned n = 0; n < 7; n++) {
    L2Request req = make(0, kinds[n], bytes[n], n);
    req.amo = 1;
    bench.offer(req);
    for (unsigned c = 0; c < 10 && bench.offering; c++) bench.cycle(true, true, 1);
    const uint64_t wanted = last + 1 + (every_cycle ? (n ? pauses[n - 1] : 0) : 1);
    if (n)
      tap.expect(bench.last_taken == wanted, "request %u is taken %lld cycles too late", n,
                 static_cast<long long>(bench.last_taken - wanted));
    last = bench.last_taken;
  }
  bench.drain();
  tap.done(
      "R-L2-1: hits follow each other in every cycle, but for a pause behind an AMO and a whole line");
}

// Three requests of different kinds wait for a line, then a whole-line write: answered in order,
// one fill.
void test_waiters(qsm_unit::Tap &tap) {
  Cover cover = {};
  Bench bench(tap, cover);
  L2Request reqs[] = {make(2, Kind::kAmo, 15, 1), make(2, Kind::kRead, 0, 2),
                      make(2, Kind::kWrite, kAllBytes, 3), make(2, Kind::kAmo, 15, 4),
                      make(2, Kind::kRead, 0, 5, true)};
  for (L2Request &req : reqs) {
    req.amo = 1;
    bench.offer(req);
    for (unsigned n = 0; n < 200 && bench.offering; n++) bench.cycle(true, true, 40);
  }
  bench.drain();
  tap.expect(cover.outcome[static_cast<unsigned>(Outcome::kMiss)] == 1 || WAITERS < 5,
             "more than one miss");
  tap.expect(bench.n_own_writes == 0, "a line was written back");
  bench.flush_alone(kWhole);
  tap.expect(bench.n_own_writes == 1, "the flush writes %llu lines",
             static_cast<unsigned long long>(bench.n_own_writes));
  tap.done(
      "R-L2-4, R-L2-10, R-L2-11: requests wait for one line and are performed in order; the flush writes it back");
}

// Two reads wait for a line: the fill answers one, the replay (look 2 cycles later, act 3) the
// other; the next request comes behind its act.
void test_request_after_replay(qsm_unit::Tap &tap) {
  if (WAITERS < 3 || MSHRS < 2)
    return tap.done(
        "R-L2-2, R-L2-3: no request begins before the last replay has acted # SKIP one waiter");
  Cover cover = {};
  Bench bench(tap, cover);
  for (unsigned id = 1; id <= 2; id++) {
    bench.offer(make(2, Kind::kRead, 0, id));
    for (unsigned n = 0; n < 200 && bench.offering; n++) bench.cycle(true, true, 40);
  }
  for (unsigned n = 0; n < 200 && bench.last_fill == 0; n++) bench.cycle(true, true, 1);
  bench.offer(make(2, Kind::kRead, 0, 3));
  bench.drain();
  tap.expect(bench.last_taken == bench.last_fill + 4,
             "the request is taken %llu cycles after the fill, not 4",
             static_cast<unsigned long long>(bench.last_taken - bench.last_fill));
  tap.done("R-L2-2, R-L2-3: no request begins before the last replay has acted");
}

// A dirty line, its victim's way back and a read of it directly behind: memory sees the write
// first.
void test_victim_read_again(qsm_unit::Tap &tap) {
  Cover cover = {};
  Bench bench(tap, cover);
  for (unsigned w = 0; w <= WAYS; w++) {
    bench.offer(make(w * SETS, Kind::kWrite, kAllBytes, w % kIds));
    for (unsigned n = 0; n < 300 && bench.offering; n++) bench.cycle(n > 5, true, 3);
  }
  bench.offer(make(0, Kind::kRead, 0, kIds - 1));
  bench.drain();
  tap.expect(cover.victims >= 1, "no victim");
  bench.flush_alone(kWhole);
  tap.done("R-L2-11: a victim that is read again comes back as it was written");
}

// Dirty lines in all ways of all sets.
void fill_with_dirty(Bench &bench) {
  for (uint32_t line = 0; line < SETS * WAYS; line++) {
    bench.offer(make(line, Kind::kWrite, kAllBytes, line % kIds));
    for (unsigned n = 0; n < 300 && bench.offering; n++) bench.cycle(true, true, 1);
    bench.drain();
  }
}

// Every part there is, those of one set, of all and those that go round among them: which lines it
// writes, in which order, and which stay; then all, then the same part, which is empty.
void test_parts(qsm_unit::Tap &tap) {
  Cover cover = {};
  Bench bench(tap, cover);
  for (unsigned n = 0; n < kUnitNames * kUnitNames && !tap.failed(); n++) {
    const Part part = {n / kUnitNames, n % kUnitNames};
    fill_with_dirty(bench);
    const uint64_t n_before = bench.n_own_writes;
    bench.flush_alone(part);
    tap.expect(bench.n_own_writes - n_before == n_sets_of(part) * WAYS,
               "units %u to %u: %llu lines are written, not those of %u sets", part.first,
               part.last, static_cast<unsigned long long>(bench.n_own_writes - n_before),
               n_sets_of(part));
    for (uint32_t line = 0; line < SETS * WAYS && n % 3 == 0; line++) {
      bench.offer(make(line, Kind::kRead, 0, line % kIds));
      bench.drain();
    }
    bench.flush_alone(kWhole);
    tap.expect(bench.n_own_writes - n_before == SETS * WAYS,
               "a flush of all after a part: %llu lines",
               static_cast<unsigned long long>(bench.n_own_writes - n_before));
    bench.flush_alone(part);
    tap.expect(bench.n_own_writes - n_before == SETS * WAYS, "a part after all writes lines");
    tap.expect(bench.flush_end - bench.flush_start == 2 * n_sets_of(part) * WAYS + 1,
               "units %u to %u, which are empty, take %llu cycles for %u sets", part.first,
               part.last, static_cast<unsigned long long>(bench.flush_end - bench.flush_start),
               n_sets_of(part));
  }
  tap.done(
      "R-L2-10: every part: its lines are written in order, two cycles for each way, the others stay");
}

// The victim of another set: a flush waits for it if it was decided before the end of the walk.
void test_part_and_victims(qsm_unit::Tap &tap) {
  if (kUnits < 2)
    return tap.done("R-L2-10: a part waits for earlier victims of other sets # SKIP one unit");
  Cover cover = {};
  Bench bench(tap, cover);
  const auto write = [&](unsigned way, unsigned memory_delay) {  // in set 0
    bench.offer(make(way * SETS, Kind::kWrite, kAllBytes, way % kIds));
    for (unsigned n = 0; n < 10; n++) bench.cycle(true, true, memory_delay);
  };
  for (unsigned w = 0; w < WAYS; w++) write(w, 1);
  write(WAYS, 200);  // a victim
  const uint64_t acknowledged = bench.last_access + 200;
  bench.start_flush({1, 1});
  for (unsigned n = 0; n < 2 * UNIT_SETS * WAYS + 5; n++) bench.cycle(true, true, 1);
  write(WAYS + 1, 600);  // after the walk
  tap.expect(cover.victims == 2 && bench.last_access > bench.flush_start, "not two victims");
  for (unsigned n = 0; n < 300; n++) bench.cycle(true, true, 1);
  tap.expect(!bench.flushing, "the flush waits for a victim from after its walk");
  tap.expect(bench.last_acknowledged == acknowledged && bench.flush_end == acknowledged + 1,
             "the flush ends %lld cycles after the victim's acknowledgement",
             static_cast<long long>(bench.flush_end - acknowledged));
  bench.drain();
  bench.flush_alone(kWhole);
  tap.done("R-L2-10: a part waits for earlier victims of other sets, not for later ones");
}

Part random_part(qsm_unit::Random &random) {
  const unsigned first = random.below(kUnitNames);
  return {first, random.one_in(3) ? first : random.below(kUnitNames)};
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Cover cover = {};
  for (unsigned round = 0; round < 30 && !tap.failed(); round++) {
    Bench bench(tap, cover);
    const bool busy_flush = round % 4 == 3, beside_flush = round % 4 == 1;
    for (unsigned c = 0; c < 3000 && !tap.failed(); c++) {
      if (busy_flush && c % 700 == 600 && !bench.flushing) {
        bench.check_outcomes = false;  // which way the walk has reached cannot be seen from outside
        bench.start_flush(random.one_in(3) ? kWhole : random_part(random));
      }
      if (beside_flush && c % 100 == 50 && !bench.flushing) bench.set_aside(random_part(random));
      bench.flush_aside();
      random_cycle(bench, random, round, round % 2 ? 4 : 30);
    }
    if (tap.failed()) break;
    for (unsigned n = 0; n < 20000 && bench.flushing; n++) bench.cycle(true, true, 1);
    bench.flush_alone(random_part(random));
    bench.flush_alone(kWhole);
  }
  std::printf(
      "# %llu requests: %llu hits, %llu merged, %llu bypassed, %llu whole lines, %llu misses; %llu victims\n",
      static_cast<unsigned long long>(cover.requests),
      static_cast<unsigned long long>(cover.outcome[0]),
      static_cast<unsigned long long>(cover.outcome[1]),
      static_cast<unsigned long long>(cover.outcome[2]),
      static_cast<unsigned long long>(cover.outcome[3]),
      static_cast<unsigned long long>(cover.outcome[4]),
      static_cast<unsigned long long>(cover.victims));
  for (unsigned o = 0; o < 5; o++) {
    if (o != 1 || WAITERS > 1)
      tap.expect(cover.outcome[o] > 100, "outcome %u is rare: %llu", o,
                 static_cast<unsigned long long>(cover.outcome[o]));
  }
  tap.expect(cover.victims > 100 && cover.nc_hit_dirty > 20 && cover.nc_read_after_write > 20 &&
                 cover.min_max > 100,
             "a corner case is rare");
  tap.expect(cover.responses_full > 5, "the responses' places were full in %llu stretches only",
             static_cast<unsigned long long>(cover.responses_full));
  tap.expect(cover.mshrs_full > 20 && cover.waiters_full > 5,
             "MSHRs or waiters were hardly ever all taken: %llu, %llu",
             static_cast<unsigned long long>(cover.mshrs_full),
             static_cast<unsigned long long>(cover.waiters_full));
  tap.expect(cover.walks_past_mshr > 5 && cover.first_is_write > 20,
             "no walk while a line was on its way, or no list that begins with a write");
  if (kUnits > 1)
    tap.expect(
        cover.parts > 20 && cover.round_parts > 10 && (SETS == 2 || cover.victims_beside_part > 10),
        "hardly any part of a flush: %llu, %llu that go round, %llu victims of other sets",
        static_cast<unsigned long long>(cover.parts),
        static_cast<unsigned long long>(cover.round_parts),
        static_cast<unsigned long long>(cover.victims_beside_part));
  if (WAITERS > 2)
    tap.expect(cover.merged_amo > 20 && cover.merged_whole > 20 && cover.long_lists > 20,
               "too few lists of waiters");
  tap.done(
      "R-L2-3 to R-L2-12: random requests: answers, outcomes, victims, memory after a flush; all corner cases met");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_l2");
  qsm_unit::Tap tap(8);
  test_times(tap);
  test_pace(tap);
  test_waiters(tap);
  test_request_after_replay(tap);
  test_victim_read_again(tap);
  test_parts(tap);
  test_part_and_victims(tap);
  test_random(tap, random);
  return tap.exit_code();
}
