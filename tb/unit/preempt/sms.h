// SPDX-License-Identifier: Apache-2.0
// SMs that answer the TB scheduler: blocks that run for a while, are saved, restored, killed, and
// fault, each in its own time (docs/preemption.md, R-PE-12 to R-PE-21 as far as the GPU level sees
// them). They follow every block of a launch: each must run to its end once, with one ticket.
#ifndef QSM_SMS_H
#define QSM_SMS_H

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "../tb_sched/bench.h"

class Sms {
 public:
  static constexpr unsigned kLat = 2;  // NocLat

  Sms(sched_bench::Bench &bench, qsm_unit::Tap &tap, qsm_unit::Random &random)
      : bench_(bench), tap_(tap), random_(random), sm_(NUM_SMS), launch_(NUM_KERNELS) {
    for (Sm &sm : sm_) {
      sm.tb.resize(MAX_TBS);
      sm.killed.assign(NUM_KERNELS, false);
      for (unsigned n = 0; n < kLat; n++) {
        sm.down.push_back(Down{});
        sm.up.push_back(Up{});
      }
    }
  }

  // What the scheduler sees in this cycle.
  void send() {
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const Up up = sm_[i].up.front();
      sm_[i].up.pop_front();
      bench_.in.retire[i] = up.retire;
      bench_.in.preempt.retire_saved[i] = up.saved;
      bench_.in.preempt.restored[i] = up.restored;
      if (up.fault >= 0) bench_.in.fault[i][static_cast<unsigned>(up.fault)] = true;
      if (up.retire >= 0 && !up.saved) launch_[up.kernel].tickets.erase(up.ticket);
    }
  }

  // After the scheduler's cycle: its messages leave, the SMs have theirs.
  void cycle() {
    const SchedOutput &out = bench_.out;
    for (unsigned i = 0; i < NUM_SMS; i++) {
      Down down;
      down.start = out.start;
      down.kill = out.kill;
      if (out.dispatch && out.sm == i) down.dispatch = dispatched(out, i);
      if (out.decision.saves() && out.decision.request.sm == i) {
        down.save = true;
        down.dispatch.tb = out.decision.request.tb;
        down.dispatch.image = out.decision.image;
        down.dispatch.fresh = out.decision.request.technique == QSM_TECHNIQUE_FLUSH;
      }
      sm_[i].down.push_back(down);
      step(sm_[i]);
    }
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      if (out.ended[k]) ended(k);
    }
  }

  // The launch of k has this many blocks. Not for one that goes on: it has those of the one before.
  void launched(unsigned k, unsigned n_blocks) {
    launch_[k] = Launch{};
    launch_[k].runs.assign(n_blocks, 0);
  }

  uint64_t n_saved = 0, n_flushed = 0, n_restored = 0, n_ended_instead = 0, n_finished = 0;

 private:
  enum Op { kIdle, kRestoring, kSaving };
  struct Tb {
    bool valid = false, fresh = false, evicted = false;
    unsigned kernel = 0, block = 0, ticket = 0, image = 0;
    unsigned left = 0;  // cycles that it still runs
    Op op = kIdle;
    unsigned op_left = 0;
  };
  struct Dispatch {
    bool valid = false, restore = false, fresh = false;
    unsigned tb = 0, kernel = 0, block = 0, ticket = 0, image = 0;
  };
  struct Down {
    std::vector<bool> start, kill;
    bool save = false;
    Dispatch dispatch;
  };
  struct Up {
    int retire = -1, fault = -1;
    bool saved = false, restored = false;
    unsigned kernel = 0, ticket = 0;
  };
  struct Sm {
    std::vector<Tb> tb;
    std::vector<bool> killed;
    std::deque<Down> down;
    std::deque<Up> up;
  };
  struct Saved {
    unsigned block, left, ticket;
    bool fresh;
  };
  struct Launch {
    std::vector<unsigned> runs;       // of each block, to its end
    std::set<unsigned> tickets;       // of live blocks
    std::map<unsigned, Saved> image;  // what was written there and not read yet
  };

  unsigned life() { return 1 + random_.below(random_.one_in(4) ? 200 : 40); }

  // A block is on its way to SM i: tickets are checked here, where the scheduler gives them.
  Dispatch dispatched(const SchedOutput &out, unsigned i) {
    Launch &launch = launch_[out.kernel];
    Dispatch d;
    d.valid = true;
    d.restore = out.restore;
    d.fresh = out.fresh;
    d.tb = out.tb;
    d.kernel = out.kernel;
    d.block = out.linear;
    d.ticket = out.ticket;
    d.image = out.image;
    const unsigned bound =
        NUM_IMAGES +
        NUM_SMS * std::min<unsigned>(MAX_TBS, WARPS_PER_SM / bench_.in.shape[out.kernel].warps);
    tap_.expect(out.ticket < bound, "ticket %u of kernel %u, must be below %u", out.ticket,
                out.kernel, bound);
    if (!out.restore) {
      tap_.expect(launch.tickets.insert(out.ticket).second,
                  "ticket %u of kernel %u goes to a second block, on SM %u", out.ticket, out.kernel,
                  i);
      return d;
    }
    const auto saved = launch.image.find(out.image);
    tap_.expect(saved != launch.image.end(), "image %u of kernel %u is restored, nothing is in it",
                out.image, out.kernel);
    if (saved == launch.image.end()) return d;
    tap_.expect(saved->second.ticket == out.ticket,
                "block %u of kernel %u had ticket %u, comes back with %u", saved->second.block,
                out.kernel, saved->second.ticket, out.ticket);
    tap_.expect(saved->second.fresh == out.fresh, "image %u of kernel %u was %s", out.image,
                out.kernel, out.fresh ? "saved" : "flushed");
    return d;
  }

  // One cycle of an SM: decisions from the state at its start, then the messages that arrive.
  void step(Sm &sm) {
    Up up;
    for (unsigned s = 0; s < MAX_TBS; s++) {
      Tb &tb = sm.tb[s];
      if (!tb.valid) continue;
      if (tb.op == kRestoring) {
        if (!sm.killed[tb.kernel] && --tb.op_left != 0) continue;
        up.restored = true;
        tb.op = kIdle;
        restored(tb);
      } else if ((tb.left == 0 || tb.evicted) && up.retire < 0) {
        retire(sm, s, up);
      } else if (tb.op == kSaving && tb.left > kNearEnd && !tb.evicted) {
        if (sm.killed[tb.kernel]) {
          tb.op = kIdle;
        } else if (--tb.op_left == 0) {
          evict(tb);
        }
      } else if (tb.left > 0) {
        tb.left = sm.killed[tb.kernel] ? tb.left / 2 : tb.left - 1;
      }
      if (tb.valid && tb.op == kIdle && !sm.killed[tb.kernel] && up.fault < 0 &&
          random_.one_in(20000))
        up.fault = static_cast<int>(tb.kernel);
    }
    sm.up.push_back(up);
    const Down down = sm.down.front();
    sm.down.pop_front();
    if (up.fault >= 0) sm.killed[static_cast<unsigned>(up.fault)] = true;
    for (unsigned k = 0; k < NUM_KERNELS && !down.start.empty(); k++) {
      if (down.start[k]) sm.killed[k] = false;
      if (down.kill[k]) sm.killed[k] = true;
    }
    arrive(sm, down);
  }
  static constexpr unsigned kNearEnd =
      6;  // a block that is saved in its last cycles ends by itself

  void arrive(Sm &sm, const Down &down) {
    const Dispatch &d = down.dispatch;
    Tb &tb = sm.tb[d.tb];
    if (down.save && tb.valid) {  // not valid: its retirement is on the way
      tap_.expect(tb.op == kIdle && !tb.evicted, "TB %u is to be saved twice", d.tb);
      tb.op = kSaving;
      tb.op_left = 1 + random_.below(40);
      tb.image = d.image;
      tb.fresh = d.fresh;
    }
    if (!d.valid) return;
    tap_.expect(!tb.valid, "a block comes to TB slot %u, which is taken", d.tb);
    tb = Tb{true, d.fresh, false, d.kernel, d.block, d.ticket, d.image, life(), kIdle, 0};
    if (!d.restore) return;
    tb.op = kRestoring;
    tb.op_left = 1 + random_.below(40);
  }

  void retire(Sm &sm, unsigned s, Up &up) {
    Tb &tb = sm.tb[s];
    up.retire = static_cast<int>(s);
    up.saved = tb.evicted;
    up.kernel = tb.kernel;
    up.ticket = tb.ticket;
    tb.valid = false;
    if (tb.evicted) return;
    if (tb.op == kSaving) n_ended_instead++;
    n_finished++;
    if (!sm.killed[tb.kernel]) launch_[tb.kernel].runs[tb.block]++;
  }
  void evict(Tb &tb) {
    tb.evicted = true;
    const bool written = launch_[tb.kernel]
                             .image.emplace(tb.image, Saved{tb.block, tb.left, tb.ticket, tb.fresh})
                             .second;
    tap_.expect(written, "image %u of kernel %u is written twice", tb.image, tb.kernel);
    (tb.fresh ? n_flushed : n_saved)++;
  }
  void restored(Tb &tb) {
    std::map<unsigned, Saved> &image = launch_[tb.kernel].image;
    const auto saved = image.find(tb.image);
    if (saved == image.end()) return;  // told by dispatched()
    tb.block = saved->second.block;
    if (!tb.fresh) tb.left = saved->second.left;
    image.erase(saved);
    n_restored++;
  }

  void ended(unsigned k) {
    const SchedRef::Slot &slot = bench_.ref.slot[k];
    if (slot.killed) return;
    for (std::size_t b = 0; b < launch_[k].runs.size(); b++) {
      const unsigned wanted = !slot.yielded || b < slot.linear;
      tap_.expect(launch_[k].runs[b] == wanted, "block %zu of kernel %u ran to its end %u times", b,
                  k, launch_[k].runs[b]);
    }
    tap_.expect(launch_[k].image.empty(), "the launch of kernel %u ended with a saved block", k);
    tap_.expect(launch_[k].tickets.empty(), "the launch of kernel %u ended with a ticket out", k);
  }

  sched_bench::Bench &bench_;
  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  std::vector<Sm> sm_;
  std::vector<Launch> launch_;
};

#endif
