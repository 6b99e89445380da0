// SPDX-License-Identifier: Apache-2.0
// Preemption engine within the TB scheduler (qsm_preempt in qsm_tb_sched) against preempt_ref.h in
// every cycle: directed scenarios, then random requests to random SMs (sms.h), which also check
// what no cycle shows: every block runs to its end once, and keeps its ticket.
#include "sms.h"

using sched_bench::Bench;
using sched_bench::kAllSms;

namespace {

const uint64_t kArea = 0x80100000;

// Registers of a slot that let everything be saved.
void give_area(Bench &bench, unsigned k, unsigned n_images) {
  PreemptSlot &slot = bench.in.preempt.slot[k];
  const uint64_t bytes =
      n_images * bench.ref.preempt.image_bytes(bench.in.shape[k].warps, slot.shared);
  slot.save_base = kArea;
  slot.save_limit = kArea + (bytes + 4095) / 4096 * 4096;
  slot.window[1] = PreemptSlot::Window{kArea, slot.save_limit, true, true};
  slot.idempotent = true;
}

// A launch of kernel 0 with `n` blocks of one warp on SM 0.
void start_launch(Bench &bench, unsigned n) {
  bench.write_ctx(0, true, false);
  bench.write_mask(0, 1);
  bench.settle();
  give_area(bench, 0, NUM_IMAGES);
  bench.launch(0, {n, 1, 1}, AllocShape{1, 0});
  bench.settle();
}

void retire(Bench &bench, unsigned i, unsigned tb, bool saved) {
  bench.in.retire[i] = static_cast<int>(tb);
  bench.in.preempt.retire_saved[i] = saved;
  bench.cycle();
}

// Writes a request and waits for its decision; the cycles from the latch to it.
unsigned decide(Bench &bench, const PreemptRequest &request) {
  bench.request(request);
  bench.cycle();  // the latch
  unsigned n = 0;
  do {
    bench.cycle();
    n++;
  } while (!bench.out.decision.now && n < 100);
  return n;
}

// P3: the youngest goes, the saved come back in their order and before new blocks, with their
// tickets. One more than the images hold is refused.
void test_order(qsm_unit::Tap &tap) {
  Bench bench(tap);
  start_launch(bench, 100);
  bench.cycles(4 * MAX_TBS);
  const unsigned n_out = bench.ref.sm[0].cnt[0], n_saved = std::min<unsigned>(NUM_IMAGES, n_out);
  std::vector<unsigned> tickets;
  bench.write_mask(0, 0);  // nothing new takes the free places
  for (unsigned n = 0; n < n_saved && !tap.failed(); n++) {
    const unsigned youngest = bench.ref.sm[0].age.back().tb,
                   ticket = bench.ref.sm[0].tb[youngest].ticket;
    const unsigned cycles = decide(
        bench, PreemptRequest{
                   0, 0, 0, n % 2 ? unsigned{QSM_TECHNIQUE_FLUSH} : unsigned{QSM_TECHNIQUE_SWITCH},
                   false});
    tap.expect(bench.out.decision.accepted() && bench.out.decision.request.tb == youngest,
               "request %u: code %u, TB %u", n, bench.out.decision.code,
               bench.out.decision.request.tb);
    tap.expect(cycles == 2 + n, "image %u was decided %u cycles after the latch", n, cycles);
    tickets.push_back(ticket);
    bench.cycle();
    retire(bench, 0, youngest, true);
    bench.cycles(2);
    tap.expect(bench.ref.preempt.result[0] == QSM_RESULT_DONE, "result %u of save %u",
               bench.ref.preempt.result[0], n);
  }
  if (n_out > n_saved) {
    tap.expect(decide(bench, PreemptRequest{0, 0, 0, QSM_TECHNIQUE_SWITCH, false}) == 1 &&
                   bench.out.decision.code == QSM_PREEMPT_NO_IMAGE,
               "code %u, must be no_image", bench.out.decision.code);
  }
  bench.write_mask(0, 1);
  for (unsigned n = 0; n < n_saved && !tap.failed(); n++) {
    for (unsigned c = 0; c < 100 && !bench.out.restore; c++) bench.cycle();
    tap.expect(bench.out.restore && bench.out.image == n && bench.out.ticket == tickets[n],
               "resumed %u: image %u, ticket %u", n, bench.out.image, bench.out.ticket);
    tap.expect(bench.out.fresh == (n % 2 == 1),
               "resumed %u: a flushed block restarts, a saved one does not", n);
    bench.cycle();
    tap.expect(!bench.out.restore, "two restores for one SM");
    if (tap.failed()) break;
    bench.in.preempt.restored[0] = true;
    bench.cycle();
  }
  tap.done("the youngest block goes, saved ones come back in order with their tickets");
}

// R-PE-3: every refusal, from the last to the first: the cause that comes first counts.
void test_refusals(qsm_unit::Tap &tap) {
  Bench bench(tap);
  start_launch(bench, 1);
  bench.cycles(6);
  PreemptSlot &slot = bench.in.preempt.slot[0];
  const PreemptSlot good = slot;
  const PreemptRequest request = {0, 0, 0, QSM_TECHNIQUE_FLUSH, false};
  auto wants = [&](unsigned code, const char *what) {
    decide(bench, request);
    tap.expect(bench.out.decision.code == code, "%s: code %u, must be %u", what,
               bench.out.decision.code, code);
    bench.cycle();
  };
  slot.window[1].w = false;
  wants(QSM_PREEMPT_TOO_SMALL, "window without w");
  slot = good;
  slot.window[1].limit -= 4096;
  wants(QSM_PREEMPT_TOO_SMALL, "area longer than its window");
  slot = good;
  slot.window[0] = PreemptSlot::Window{0x1000, 0x2000, true, true};
  slot.save_limit = slot.save_base;
  wants(QSM_PREEMPT_TOO_SMALL, "empty area");
  slot.save_base = 0xfffff000;
  slot.save_limit = 0x80000000;
  slot.window[1] = PreemptSlot::Window{0, 0xfffff000, true, true};
  wants(QSM_PREEMPT_TOO_SMALL, "area that ends before it begins");
  slot.save_limit = 0;
  wants(QSM_PREEMPT_NO_AREA, "no area");
  slot.idempotent = false;
  wants(QSM_PREEMPT_NOT_IDEMPOTENT, "flush");
  slot = good;
  decide(bench, PreemptRequest{0, 0, 0, QSM_TECHNIQUE_DRAIN, true});
  tap.expect(bench.out.decision.accepted(), "drain: code %u", bench.out.decision.code);
  bench.cycle();
  wants(QSM_PREEMPT_BUSY, "second request");
  retire(bench, 0, 0, false);
  wants(QSM_PREEMPT_NO_TB, "no TB");
  tap.expect(bench.ref.preempt.result[0] == QSM_RESULT_DONE, "result %u of a drain",
             bench.ref.preempt.result[0]);
  tap.done("refusals and their order");
}

// An area that an image of one warp fills to the last byte, and the same area for one byte of
// shared memory more.
void test_exact_fit(qsm_unit::Tap &tap) {
  Bench bench(tap);
  start_launch(bench, 1);
  bench.cycles(6);
  const unsigned page_lines = 4096 / LINE_BYTES, pages = 36 / page_lines + 1,
                 rows = pages * page_lines - 36;
  PreemptSlot &slot = bench.in.preempt.slot[0];
  slot.save_limit = slot.save_base + pages * 4096;
  slot.window[1].limit = slot.save_limit;
  slot.shared = rows * LINE_BYTES + 1;
  decide(bench, PreemptRequest{0, 0, 0, QSM_TECHNIQUE_SWITCH, false});
  tap.expect(bench.out.decision.code == QSM_PREEMPT_TOO_SMALL, "one byte too much: code %u",
             bench.out.decision.code);
  bench.cycle();
  slot.shared = (rows - 1) * LINE_BYTES + 1;
  decide(bench, PreemptRequest{0, 0, 0, QSM_TECHNIQUE_SWITCH, false});
  tap.expect(bench.out.decision.accepted(), "an image that fits exactly: code %u",
             bench.out.decision.code);
  tap.done("an area may be full to the last byte");
}

// R-PE-3, R-PE-5: the TB's retirement in the cycle of the decision, and one cycle later.
void test_retire_meets_request(qsm_unit::Tap &tap) {
  for (unsigned late = 0; late < 2; late++) {
    Bench bench(tap);
    start_launch(bench, 1);
    bench.cycles(6);
    bench.request(PreemptRequest{0, 0, 0, QSM_TECHNIQUE_SWITCH, true});
    bench.cycles(2 + late);
    retire(bench, 0, 0, false);
    bench.cycles(3);
    const unsigned code = bench.ref.preempt.code, result = bench.ref.preempt.result[0];
    tap.expect(code == (late ? QSM_PREEMPT_ACCEPTED : QSM_PREEMPT_NO_TB), "%u late: code %u", late,
               code);
    tap.expect(result == (late ? QSM_RESULT_ENDED_BEFORE : QSM_RESULT_NONE), "%u late: result %u",
               late, result);
    tap.expect(bench.ref.preempt.n_used(0) == 0, "an image is lost");
    bench.cycles(40);
    tap.expect(bench.ref.slot[0].launches == 1, "the launch has not ended");
  }
  tap.done("a block that retires by itself needs no image");
}

// R-PE-10: a held block keeps its launch; KILL ends it.
void test_hold_and_kill(qsm_unit::Tap &tap) {
  Bench bench(tap);
  start_launch(bench, 1);
  bench.cycles(6);
  bench.in.preempt.slot[0].hold = true;
  decide(bench, PreemptRequest{0, 0, 0, QSM_TECHNIQUE_SWITCH, false});
  retire(bench, 0, 0, true);
  bench.cycles(100);
  tap.expect(bench.ref.slot[0].busy && bench.ref.preempt.slot[0].queue.size() == 1,
             "the launch of a held block ended");
  bench.in.kill_write = 0;
  bench.cycle();
  bench.cycles(30);
  tap.expect(!bench.ref.slot[0].busy && bench.ref.preempt.n_used(0) == 0,
             "KILL leaves a saved block");
  tap.done("a held block keeps its launch from ending, KILL ends it");
}

struct Counts {
  uint64_t code[11] = {}, result[5] = {}, dropped = 0, refused = 0, evictions = 0, ended = 0,
           killed = 0, yielded = 0;
  uint64_t claims = 0, moved = 0, stayed = 0;  // requests of moves: accepted, others
};

class RandomRound {
 public:
  RandomRound(qsm_unit::Tap &tap, qsm_unit::Random &random, Counts &counts)
      : bench(tap),
        sms(bench, tap, random),
        tap_(tap),
        random_(random),
        counts_(counts),
        held_(1 + random.below(4)),
        moves_(random.one_in(2)),
        waited_(NUM_SMS, 0) {}

  void run(unsigned n_cycles) {
    for (unsigned c = 0; c < n_cycles && !tap_.failed(); c++) {
      messages();
      host();
    }
    drain();
  }

  Bench bench;
  Sms sms;

 private:
  void messages() {
    sms.send();
    if (bench.ref.preempt.code != QSM_PREEMPT_EXAMINED && random_.one_in(25)) {
      bench.in.preempt.host = true;
      PreemptRequest &r = bench.in.preempt.request;
      r = PreemptRequest{random_.below(NUM_SMS), random_.below(NUM_KERNELS), random_.below(MAX_TBS),
                         random_.below(3), random_.one_in(2)};
      const SchedRef::Tb &tb = bench.ref.sm[r.sm].tb[r.tb];
      if (tb.used && !random_.one_in(4)) r.kernel = tb.kernel;
    }
    if (random_.one_in(60)) {
      PreemptSlot &slot = bench.in.preempt.slot[random_.below(NUM_KERNELS)];
      slot.hold = random_.below(4) < held_;
    }
    bench.in.preempt.evict_technique = random_.below(3);
    if (moves_ && random_.one_in(60)) sched_bench::random_move(bench, random_);
    epoch();
  }

  // Epochs of all lengths, with kernels behind their goals, at them, and with idle blocks.
  void epoch() {
    SchedInput &in = bench.in;
    in.adjust = true;
    if (random_.one_in(300)) in.paced = !in.paced;
    in.latecomers = !random_.one_in(3);
    in.snapshot = random_.one_in(150);
    const bool in_pass = bench.ref.adjust.busy() && !bench.ref.adjust.claiming();
    if (in.snapshot || in_pass || !random_.one_in(40)) return;
    in.epoch_done = true;
    const unsigned ratios[] = {0, 0x4000, 0xc000, 0x10000, 0x10001, 0x3fffff};
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      in.ratio[k] = ratios[random_.below(6)];
      for (unsigned i = 0; i < NUM_SMS; i++)
        in.samples[i][k] =
            random_.one_in(2) ? 0 : random_.below(std::min(400u, 100u * WARPS_PER_SM + 1));
    }
  }

  // After the registers' writes are in `bench.in`.
  void cycle() {
    bench.cycle();
    sms.cycle();
    const PreemptDecision &d = bench.out.decision;
    counts_.claims += bench.out.adjust.tried;
    if (d.now && d.host) counts_.code[d.code]++;
    if (d.now && d.move)
      (d.accepted() ? counts_.moved : counts_.stayed)++;
    else if (d.now && !d.host)
      (d.dropped ? counts_.dropped : d.accepted() ? counts_.evictions : counts_.refused)++;
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const unsigned result = bench.ref.preempt.result[i];
      if (result != QSM_RESULT_RUNNING && waited_[i]) counts_.result[result]++;
      waited_[i] = result == QSM_RESULT_RUNNING ? waited_[i] + 1 : 0;
      tap_.expect(waited_[i] < 1000, "SM %u: the job is not over after 1000 cycles", i);
    }
    examined_ = bench.ref.preempt.code == QSM_PREEMPT_EXAMINED ? examined_ + 1 : 0;
    tap_.expect(examined_ <= 2 * (3 + NUM_IMAGES), "the request is examined for %u cycles",
                examined_);
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      counts_.ended += bench.out.ended[k];
      counts_.killed += bench.out.kill[k];
      counts_.yielded += bench.out.ended[k] && bench.ref.slot[k].yielded;
    }
  }

  // Registers that may be written at any time, or while the slot is idle. The scheduler reads them
  // from the next cycle on.
  void host() {
    const unsigned k = random_.below(NUM_KERNELS);
    const bool busy = bench.ref.slot[k].busy;
    SchedInput &in = bench.in;
    const AllocContexts before = in.ctx;
    AllocContexts after = before;
    switch (random_.below(12 * NUM_SMS)) {
      case 0:
        if (busy) break;
        after.valid[k] = !random_.one_in(4);
        after.qos[k] = random_.one_in(2);
        after.level[k] = random_.one_in(2) ? 0 : random_.below(4);
        in.change = after.valid[k] != before.valid[k] || after.qos[k] != before.qos[k] ||
                    after.level[k] != before.level[k];
        if (after.valid[k] && !before.valid[k]) in.arrival = static_cast<int>(k);
        break;
      case 1:
        if (random_.one_in(3))
          after.mask[k] = random_.one_in(3) ? kAllSms : random_.bits32() & kAllSms;
        in.change = before.valid[k] && after.mask[k] != before.mask[k];
        break;
      case 2:
        if (busy && random_.one_in(12)) in.kill_write = static_cast<int>(k);
        if (busy && random_.one_in(8)) in.yield_write = static_cast<int>(k);
        break;
      case 3:
      case 4:
      case 5:
        if (!busy && before.valid[k]) launch(k);
        break;
      default: break;
    }
    cycle();
    in.ctx = after;
  }

  void launch(unsigned k) {
    if (random_.one_in(2))
      bench.in.shape[k] = AllocShape{1 + random_.below(std::min(WARPS_PER_SM, 4)),
                                     random_.one_in(2) ? 0 : random_.below(20)};
    PreemptSlot &slot = bench.in.preempt.slot[k];
    slot = PreemptSlot{};
    slot.shared = bench.in.shape[k].granules ? random_.below(1000) : 0;
    if (!random_.one_in(10))
      give_area(bench, k, random_.one_in(3) ? 1 + random_.below(NUM_IMAGES) : NUM_IMAGES);
    if (random_.one_in(10)) slot.window[1].r = false;
    if (random_.one_in(10)) slot.window[1].base += 4096;
    if (random_.one_in(8)) std::swap(slot.window[0], slot.window[1]);
    slot.idempotent = random_.one_in(2);
    slot.hold = random_.one_in(8);
    bench.in.launch = static_cast<int>(k);
    if (bench.ref.slot[k].linear != 0) return;  // it has yielded, and goes on
    const std::array<unsigned, 3> grid = {1 + random_.below(6), 1 + random_.below(4),
                                          1 + random_.below(2)};
    bench.in.grid[k] = grid;
    sms.launched(k, grid[0] * grid[1] * grid[2]);
  }

  // No more requests; everything that has room must end. The rest is killed, and must end then.
  void drain() {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      bench.in.preempt.slot[k].hold = false;
      bench.in.ctx.mask[k] = kAllSms;
    }
    bench.in.change = true;
    bench.in.owner.gating = false;
    for (unsigned i = 0; i < NUM_SMS; i++) {
      bench.move_next(i, QSM_USE_SHARED, 0);
      quiet_cycle();
    }
    for (unsigned c = 0; c < 8000 && !tap_.failed(); c++) quiet_cycle();
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      unsigned room = 0;
      for (unsigned i = 0; i < NUM_SMS; i++) room += bench.ref.alloc.target[i][k];
      tap_.expect(!bench.ref.slot[k].busy || room == 0,
                  "kernel %u has room and does not end: out %u, %zu blocks wait", k,
                  bench.ref.slot[k].out, bench.ref.preempt.slot[k].queue.size());
      if (!bench.ref.slot[k].busy) continue;
      bench.in.kill_write = static_cast<int>(k);
      quiet_cycle();
    }
    for (unsigned c = 0; c < 1000 && !tap_.failed(); c++) quiet_cycle();
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      tap_.expect(!bench.ref.slot[k].busy && bench.ref.preempt.n_used(k) == 0,
                  "kernel %u was killed and does not end", k);
    }
    for (unsigned i = 0; i < NUM_SMS; i++) {
      tap_.expect(bench.ref.preempt.job[i].kind == QSM_JOB_NONE &&
                      bench.ref.preempt.result[i] != QSM_RESULT_RUNNING,
                  "SM %u keeps its job", i);
    }
  }
  void quiet_cycle() {
    sms.send();
    bench.in.adjust = false;
    cycle();
  }

  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  Counts &counts_;
  const unsigned held_;           // of 4 slots
  const bool moves_;              // SMs move
  std::vector<unsigned> waited_;  // cycles that a host's job has taken
  unsigned examined_ = 0;
};

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Counts counts;
  uint64_t saved = 0, flushed = 0, restored = 0, instead = 0, finished = 0;
  for (unsigned round = 0; round < 10 && !tap.failed(); round++) {
    RandomRound r(tap, random, counts);
    r.run(20000);
    saved += r.sms.n_saved;
    flushed += r.sms.n_flushed;
    restored += r.sms.n_restored;
    instead += r.sms.n_ended_instead;
    finished += r.sms.n_finished;
  }
  using ull = unsigned long long;
  std::printf("# blocks: %llu ran, %llu saved, %llu flushed, %llu restored, %llu ended instead\n",
              ull{finished}, ull{saved}, ull{flushed}, ull{restored}, ull{instead});
  std::printf("# codes:");
  for (unsigned code :
       {QSM_PREEMPT_ACCEPTED, QSM_PREEMPT_NO_TB, QSM_PREEMPT_BUSY, QSM_PREEMPT_NOT_IDEMPOTENT,
        QSM_PREEMPT_NO_AREA, QSM_PREEMPT_NO_IMAGE, QSM_PREEMPT_TOO_SMALL}) {
    std::printf(" %u: %llu", code, ull{counts.code[code]});
    if (code == QSM_PREEMPT_NO_IMAGE && NUM_IMAGES > 4) continue;  // so many are never in use
    tap.expect(counts.code[code] > (code == QSM_PREEMPT_NO_IMAGE ? 0 : 20),
               "code %u came %llu times", code, ull{counts.code[code]});
  }
  std::printf("; results:");
  for (unsigned result = QSM_RESULT_DONE; result <= QSM_RESULT_KILLED; result++) {
    std::printf(" %u: %llu", result, ull{counts.result[result]});
    tap.expect(counts.result[result] > 5, "result %u came %llu times", result,
               ull{counts.result[result]});
  }
  std::printf("; claims: %llu", ull{counts.claims});
  std::printf(
      "; adjuster: %llu taken, %llu refused, %llu dropped; launches: %llu ended, %llu killed, "
      "%llu yielded\n",
      ull{counts.evictions}, ull{counts.refused}, ull{counts.dropped}, ull{counts.ended},
      ull{counts.killed}, ull{counts.yielded});
  tap.expect(counts.yielded > 20, "too few launches yielded");
  if (NUM_KERNELS > 1)
    tap.expect(counts.evictions > 20 && counts.refused > 20 && counts.dropped > 5,
               "the adjuster asked too little");
  if (NUM_KERNELS > 1) tap.expect(counts.claims > 20, "too few claims");
  std::printf("# moves: %llu blocks taken, %llu not\n", ull{counts.moved}, ull{counts.stayed});
  tap.expect(counts.moved > 20 && counts.stayed > 5, "moves took too few blocks");
  tap.expect(saved > 50 && flushed > 50 && restored > 50 && instead > 5,
             "the SMs had too little to save");
  tap.done(
      "R-TB-16: random requests: every register and message in every cycle, every block once to "
      "its end, also of launches that yield");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_preempt");
  qsm_unit::Tap tap(6);
  qsm_unit::begin_with_anything();
  test_order(tap);
  test_refusals(tap);
  test_exact_fit(tap);
  test_retire_meets_request(tap);
  test_hold_and_kill(tap);
  test_random(tap, random);
  return tap.exit_code();
}
