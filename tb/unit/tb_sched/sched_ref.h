// SPDX-License-Identifier: Apache-2.0
// The TB scheduler as docs/tb_sched.md R-TB-1..R-TB-17 says it, written plainly: vectors, loops,
// one cycle at a time. With it SM ownership, the preemption engine and the TB adjuster, which see
// the registers as they are at the start of the cycle.
#ifndef QSM_SCHED_REF_H
#define QSM_SCHED_REF_H

#include <array>
#include <cstdint>
#include <vector>

#include "../common/tb_place.h"
#include "../preempt/preempt_ref.h"
#include "../sm_owner/owner_ref.h"
#include "../tb_adjust/adjust_ref.h"
#include "../tb_alloc/alloc_ref.h"

struct SchedParams {
  unsigned n_sms, n_kernels, n_sched, warps_per_sm, max_tbs, n_images, line_bytes;
};

// What a cycle brings from outside.
struct SchedInput {
  AllocContexts ctx;  // registers at the start of the cycle
  std::vector<std::array<unsigned, 3>> grid;
  std::vector<AllocShape> shape;  // BLOCK_WARPS, SHARED_GRAN
  int launch = -1, kill_write = -1, yield_write = -1, arrival = -1;
  int walk_write = -1;     // slot of an accepted write of WALK_XY, WALK_Z or WALK_LINEAR,
  unsigned walk_word = 0;  // which of these it is,
  uint32_t walk = 0;       // and its value
  bool change = false, snapshot = false;
  std::vector<int> retire;               // per SM: TB slot or -1
  std::vector<std::vector<bool>> fault;  // [SM][slot]: message
  PreemptInput preempt;                  // its evict flags are the adjuster's, or of moves
  OwnerInput owner;                      // request, MOVE_TECHNIQUE, SM_GATING, answers of the SMs
  std::vector<bool> apart;               // [slot]: R-SG-18
  bool closed = false;                   // R-SG-19
  bool adjust = false, paced = false, latecomers = false, epoch_done = false;
  std::vector<unsigned> ratio;
  std::vector<std::vector<unsigned>> samples;  // [SM][slot]
};

// What the scheduler decides in a cycle.
struct SchedOutput {
  std::vector<bool> start, kill, ending, ended;
  bool dispatch = false;
  // why a candidate that had a place got no message
  enum Drop { kNone, kClosed, kDecision, kNotReady, kNotOpen, kDrops };
  Drop drop = kNone;
  unsigned sm = 0, kernel = 0, tb = 0, first = 0, base = 0;
  std::array<unsigned, 3> block = {};
  uint32_t linear = 0;
  unsigned ticket = 0;
  bool restore = false, fresh = false;
  unsigned image = 0;
  PreemptDecision decision;
  AdjustOutput adjust;
  OwnerOutput owner;
};

class SchedRef {
 public:
  struct Slot {
    bool busy = false, killed = false, yield = false, yielded = false, all = false, ending = false,
         had_tb = false, starting = false;
    unsigned countdown = 0, out = 0;
    bool faulted = false;  // killed by a fault, of this SM
    unsigned fault_sm = 0;
    uint32_t launches = 0, linear = 0;
    std::array<unsigned, 3> block = {};

    // The next block of the walk shall not be dispatched, or there is none.
    bool no_new() const { return all || yield; }
  };
  struct Tb {
    bool used = false;
    unsigned kernel = 0, first = 0, base = 0, warps = 0, granules = 0, ticket = 0;
  };
  struct Tickets {  // of one kernel on one SM
    std::vector<unsigned> stack;
    unsigned made = 0;
  };
  struct Sm {
    std::vector<Tb> tb;
    std::vector<Tickets> tickets;
    std::vector<PreemptView::Resident> age;  // the oldest first
    std::vector<unsigned> cnt, free_warps;
    uint32_t granules_used = 0;
    unsigned first = 0;
  };

  struct Candidate {
    unsigned kernel = 0, sm = 0, tb = 0, first = 0, base = 0;
  };

  explicit SchedRef(const SchedParams &params)
      : p(params),
        alloc(AllocParams{p.n_sms, p.n_kernels, p.warps_per_sm, p.max_tbs}),
        preempt(PreemptParams{p.n_sms, p.n_kernels, p.n_images, p.line_bytes}),
        owner(OwnerParams{p.n_sms, p.n_kernels, true}),
        adjust(AdjustParams{p.n_sms, p.n_kernels, p.n_sched, p.warps_per_sm, p.max_tbs}),
        slot(p.n_kernels),
        sm(p.n_sms) {
    for (Sm &s : sm) {
      s.tb.resize(p.max_tbs);
      s.cnt.assign(p.n_kernels, 0);
      s.tickets.resize(p.n_kernels);
      s.free_warps.assign(p.n_sched, p.warps_per_sm / p.n_sched);
    }
  }

  // Decisions of the cycle; state moves on to the next.
  SchedOutput step(const SchedInput &input) {
    SchedInput in = input;
    see_retirement(in);
    in.preempt.evict = adjust.evict;
    SchedOutput out;
    out.start.assign(p.n_kernels, false);
    out.kill = out.ending = out.ended = out.start;
    look_for_owner(in);
    const std::vector<bool> has_tb = resident();
    in.ctx.busy.clear();
    for (const Slot &s : slot) in.ctx.busy.push_back(s.busy);
    const PreemptView view = look(in);
    out.decision = preempt.decide(in.preempt, view);
    if (out.decision.refused() && out.decision.move)
      in.owner.refused[out.decision.request.sm][out.decision.request.kernel] = true;
    dispatch(in, out);
    out.adjust = adjust.step(look_for_adjuster(in, out.decision));
    const int cleaned = preempt.cleaned(view, out.restore);
    std::vector<bool> may_end;
    for (unsigned k = 0; k < p.n_kernels; k++)
      may_end.push_back(preempt.may_end(k, slot[k].killed));
    for (unsigned k = 0; k < p.n_kernels; k++) advance(in, out, k, may_end[k]);
    preempt.examine(in.preempt, out.decision);
    if (out.dispatch) take(in, out);
    if (out.decision.accepted()) preempt.accept(out.decision);
    for (unsigned i = 0; i < p.n_sms; i++) release(in, i, view.killed);
    if (cleaned >= 0) clean_up(static_cast<unsigned>(cleaned), view.killed);
    finish_preempt(in, out);
    for (unsigned k = 0; k < p.n_kernels; k++)
      slot[k].had_tb = has_tb[k] || (slot[k].had_tb && !in.snapshot);
    out.owner = owner.step(in.owner);
    alloc.step(in.ctx, in.launch, in.launch >= 0 ? in.shape[in.launch] : AllocShape{}, in.arrival,
               in.change || out.adjust.reallocates, in.snapshot, out.owner.ask);
    const AdjustOutput &a = out.adjust;
    if (a.raises >= 0) alloc.target[a.sm][static_cast<unsigned>(a.raises)] = a.raised;
    if (a.lowers >= 0) alloc.target[a.sm][static_cast<unsigned>(a.lowers)] = a.lowered;
    return out;
  }

  const SchedParams p;
  AllocRef alloc;
  PreemptRef preempt;
  OwnerRef owner;
  AdjustRef adjust;
  std::vector<Slot> slot;
  std::vector<Sm> sm;

  // A block in the slot that has not told that it retires.
  bool runs(unsigned i, unsigned tb) const {
    for (const auto &waiting : retiring_[i])
      if (waiting.first == static_cast<int>(tb)) return false;
    return sm[i].tb[tb].used;
  }

 private:
  std::vector<bool> resident() const {
    std::vector<bool> result(p.n_kernels, false);
    for (const Sm &s : sm) {
      for (unsigned k = 0; k < p.n_kernels; k++) result[k] = result[k] || s.cnt[k] > 0;
    }
    return result;
  }

  // What ownership sees, and what it says to the others, from the registers.
  void look_for_owner(SchedInput &in) const {
    in.owner.valid = in.ctx.valid;
    in.owner.snapshot = in.snapshot;
    in.owner.epoch_done = in.epoch_done;
    in.owner.apart = in.apart;
    in.owner.closed = in.closed;
    in.owner.mask.assign(p.n_kernels, std::vector<bool>(p.n_sms));
    in.owner.cnt.clear();
    in.owner.refused.assign(p.n_sms, std::vector<bool>(p.n_kernels, false));
    in.preempt.move = in.owner.refused;
    in.preempt.move_technique = in.owner.technique;
    in.ctx.sm.clear();
    for (unsigned i = 0; i < p.n_sms; i++) {
      in.owner.cnt.push_back(sm[i].cnt);
      in.ctx.sm.push_back(AllocUse{owner.sm[i].use, owner.sm[i].owner, owner.sm[i].moving});
      for (unsigned k = 0; k < p.n_kernels; k++) {
        in.owner.mask[k][i] = (in.ctx.mask[k] >> i) & 1;
        in.preempt.move[i][k] = owner.move_flag(in.owner, i, k);
      }
    }
  }
  // R-SO-2, as a mask.
  uint64_t may(const SchedInput &in, unsigned k) const {
    uint64_t sms = 0;
    for (unsigned i = 0; i < p.n_sms; i++) sms |= uint64_t{owner.may(in.owner, k, i)} << i;
    return sms;
  }

  PreemptView look(const SchedInput &in) const {
    PreemptView view;
    for (unsigned k = 0; k < p.n_kernels; k++) {
      view.running.push_back(slot[k].busy && !slot[k].ending);
      view.killed.push_back(slot[k].killed);
      view.warps.push_back(in.shape[k].warps);
    }
    for (const Sm &s : sm) view.resident.push_back(s.age);
    view.retire = in.retire;
    return view;
  }

  AdjustView look_for_adjuster(const SchedInput &in, const PreemptDecision &decision) const {
    AdjustView view;
    view.adjust = in.adjust;
    view.paced = in.paced;
    view.latecomers = in.latecomers;
    view.snapshot = in.snapshot;
    view.epoch_done = in.epoch_done;
    view.alloc_busy = alloc.busy();
    view.alloc_all = alloc.starts_all();
    view.preempting = preempt.code == QSM_PREEMPT_EXAMINED;
    for (const PreemptRef::Job &job : preempt.job)
      view.preempting = view.preempting || job.kind != QSM_JOB_NONE;
    for (unsigned k = 0; k < p.n_kernels; k++) {
      const Slot &s = slot[k];
      const bool block =
          s.busy && !s.killed && !s.ending && (!s.no_new() || preempt.resumes(in.preempt, k));
      view.kernel.push_back(AdjustView::Kernel{in.ctx.valid[k] && in.ctx.qos[k], s.busy, s.killed,
                                               block, s.out, in.ratio[k], in.shape[k].warps,
                                               in.shape[k].granules, may(in, k), in.ctx.cap[k] != 0,
                                               in.ctx.level[k]});
    }
    for (unsigned i = 0; i < p.n_sms; i++) {
      const Sm &s = sm[i];
      AdjustView::Sm v;
      v.cnt = s.cnt;
      v.target = alloc.target[i];
      v.samples = in.samples[i];
      v.free_warps = s.free_warps;
      v.free_granules = ~s.granules_used;
      v.first = s.first;
      for (const PreemptView::Resident &r : s.age)
        v.age.push_back(AdjustView::Tb{r.tb, r.kernel, s.tb[r.tb].first, s.tb[r.tb].base});
      v.alloc_writes = alloc.writes(i);
      v.restoring = preempt.job[i].kind == QSM_JOB_RESTORE;
      v.refused.assign(p.n_kernels, false);
      const bool refused = decision.refused() && !decision.move;
      if (refused && decision.request.sm == i) v.refused[decision.request.kernel] = true;
      view.sm.push_back(v);
    }
    return view;
  }

  bool open(const SchedInput &in, unsigned k, unsigned i) const {
    return owner.may(in.owner, k, i) && preempt.open(in.preempt, k, i);
  }
  bool room(const SchedInput &in, unsigned k, unsigned i) const {
    return open(in, k, i) && sm[i].cnt[k] < alloc.target[i][k];
  }
  bool under_way(unsigned i) const {
    for (const std::vector<Candidate> &stage : {looking_, placed_}) {
      if (!stage.empty() && stage[0].sm == i) return true;
    }
    return false;
  }

  bool ready(const SchedInput &in, unsigned k) const {
    const Slot &s = slot[k];
    if (!s.busy || s.starting || s.killed || s.ending) return false;
    return !s.no_new() || preempt.resumes(in.preempt, k);
  }
  bool eligible(const SchedInput &in, unsigned k) const {
    bool some = false;
    for (unsigned i = 0; i < p.n_sms; i++) some = some || room(in, k, i);
    return some && ready(in, k);
  }

  // The three steps, of three blocks; R-TB-6: or of none.
  void dispatch(const SchedInput &in, SchedOutput &out) {
    std::vector<Candidate> chosen, placed;
    if (!alloc.busy() && !adjust.busy()) {
      chosen = choose(in);
      if (!looking_.empty()) placed = place(in, looking_[0]);
      if (!placed_.empty()) send(in, placed_[0], out);
    } else if (!placed_.empty()) {
      out.drop = SchedOutput::kClosed;
    }
    looking_ = chosen;
    placed_ = placed;
  }

  // R-TB-9: nobody or one.
  std::vector<Candidate> choose(const SchedInput &in) {
    bool passed_over = false;
    for (unsigned n = 0; n < p.n_kernels; n++) {
      Candidate c;
      c.kernel = (kp_ + n) % p.n_kernels;
      if (!eligible(in, c.kernel)) continue;
      c.sm = sp_[c.kernel];
      while (!room(in, c.kernel, c.sm)) c.sm = (c.sm + 1) % p.n_sms;
      if (under_way(c.sm)) {
        passed_over = true;
        continue;
      }
      if (!passed_over) kp_ = (c.kernel + 1) % p.n_kernels;
      sp_[c.kernel] = (c.sm + 1) % p.n_sms;
      return {c};
    }
    return {};
  }

  // R-TB-10.
  std::vector<Candidate> place(const SchedInput &in, Candidate c) const {
    const Sm &s = sm[c.sm];
    while (c.tb < p.max_tbs && s.tb[c.tb].used) c.tb++;
    const int first = tb_place(s.free_warps, s.first, in.shape[c.kernel].warps);
    const int base = first_run(s.granules_used, in.shape[c.kernel].granules);
    if (c.tb == p.max_tbs || first < 0 || base < 0) return {};
    c.first = static_cast<unsigned>(first);
    c.base = static_cast<unsigned>(base);
    return {c};
  }

  // R-TB-17.
  void send(const SchedInput &in, const Candidate &c, SchedOutput &out) const {
    const unsigned k = c.kernel, i = c.sm;
    out.drop = out.decision.now  ? SchedOutput::kDecision
               : !ready(in, k)   ? SchedOutput::kNotReady
               : !open(in, k, i) ? SchedOutput::kNotOpen
                                 : SchedOutput::kNone;
    if (out.drop != SchedOutput::kNone) return;
    out.dispatch = true;
    out.sm = i;
    out.kernel = k;
    out.tb = c.tb;
    out.first = c.first;
    out.base = c.base;
    out.restore = preempt.resumes(in.preempt, k);
    if (out.restore) {
      const PreemptRef::Block b = preempt.slot[k].queue.front();
      out.image = b.image;
      out.fresh = b.fresh;
      out.ticket = preempt.slot[k].spare[b.image];
    } else {
      out.block = slot[k].block;
      out.linear = slot[k].linear;
      out.ticket = next_ticket(k, i);
    }
  }

  // R-PE-9.
  unsigned next_ticket(unsigned k, unsigned i) const {
    const Tickets &t = sm[i].tickets[k];
    return t.stack.empty() ? p.n_images + t.made * p.n_sms + i : t.stack.back();
  }
  void take_ticket(unsigned k, unsigned i) {
    Tickets &t = sm[i].tickets[k];
    if (t.stack.empty()) {
      t.made++;
    } else {
      t.stack.pop_back();
    }
  }

  static uint32_t run(unsigned base, unsigned length) {
    return static_cast<uint32_t>(((uint64_t{1} << length) - 1) << base);
  }
  static int first_run(uint32_t used, unsigned length) {
    for (unsigned base = 0; base + length <= 32; base++) {
      if (!(used & run(base, length))) return static_cast<int>(base);
    }
    return -1;
  }

  // R-TB-1, R-TB-3, R-TB-4, R-TB-16.
  void advance(const SchedInput &in, SchedOutput &out, unsigned k, bool may_end) {
    Slot &s = slot[k];
    const Slot was = s;
    out.start[k] = was.starting;
    s.starting = false;
    bool faults = false;
    unsigned sm = 0;
    for (unsigned i = p.n_sms; i-- > 0;) {
      if (!in.fault[i][k]) continue;
      faults = true;
      sm = i;
    }
    if ((faults || static_cast<int>(k) == in.kill_write) && was.busy && !was.killed &&
        !was.ending) {
      out.kill[k] = true;
      s.killed = true;
      s.faulted = faults;
      s.fault_sm = sm;
    }
    if (static_cast<int>(k) == in.yield_write) s.yield = true;
    if (was.busy && !was.ending && (was.no_new() || was.killed) && was.out == 0 && may_end) {
      s.ending = out.ending[k] = true;
      s.countdown = 15;
    } else if (was.ending && was.countdown == 0) {
      out.ended[k] = true;
      s.busy = s.ending = s.yield = false;
      s.launches += !was.killed && was.all;
      s.yielded = !was.killed && !was.all;
      if (!s.yielded) reset_walk(s);
    } else if (was.ending) {
      s.countdown--;
    }
    if (static_cast<int>(k) == in.launch) {
      s.busy = s.starting = true;
      s.killed = s.yielded = s.all = false;
      for (Sm &m : this->sm) m.tickets[k] = Tickets{};
      preempt.launch(k);
    }
    if (static_cast<int>(k) == in.walk_write) write_walk(s, in.walk_word, in.walk);
    if (static_cast<int>(k) == in.arrival) {
      s.launches = 0;
      reset_walk(s);
    }
  }

  static void reset_walk(Slot &s) {
    s.block = {};
    s.linear = 0;
  }
  static void write_walk(Slot &s, unsigned word, uint32_t value) {
    switch (word) {
      case 0:
        s.block[0] = value & 0xFFFF;
        s.block[1] = value >> 16;
        break;
      case 1: s.block[2] = value; break;
      default: s.linear = value; break;
    }
  }

  void take(const SchedInput &in, const SchedOutput &out) {
    Sm &s = sm[out.sm];
    const AllocShape shape = in.shape[out.kernel];
    s.tb[out.tb] =
        Tb{true, out.kernel, out.first, out.base, shape.warps, shape.granules, out.ticket};
    const unsigned ticket = next_ticket(out.kernel, out.sm);
    take_ticket(out.kernel, out.sm);
    s.age.push_back(PreemptView::Resident{out.tb, out.kernel});
    s.granules_used |= run(out.base, shape.granules);
    for (unsigned w = 0; w < shape.warps; w++) s.free_warps[(out.first + w) % p.n_sched]--;
    s.first = (out.first + shape.warps) % p.n_sched;
    s.cnt[out.kernel]++;
    Slot &k = slot[out.kernel];
    k.out++;
    if (out.restore) {
      preempt.restore(out.sm, out.kernel, out.tb, ticket);
      return;
    }
    k.linear++;
    for (unsigned d = 0; d < 3; d++) {
      if (++k.block[d] < in.grid[out.kernel][d]) return;
      k.block[d] = 0;
    }
    k.all = true;
  }

  // R-TB-18: of the retirements that come or wait the one that is seen stays in `in`.
  void see_retirement(SchedInput &in) {
    int first = -1, taken = -1;
    for (unsigned i = 0; i < p.n_sms; i++) {
      if (in.retire[i] >= 0) retiring_[i].push_back({in.retire[i], in.preempt.retire_saved[i]});
      in.retire[i] = -1;
    }
    for (unsigned n = 0; n < p.n_sms; n++) {
      const unsigned i = (retire_from_ + n) % p.n_sms;
      if (retiring_[i].empty()) continue;
      if (first < 0) first = static_cast<int>(i);
      if (!placed_.empty() && placed_[0].sm == i) continue;
      taken = static_cast<int>(i);
      break;
    }
    if (first >= 0) retire_from_ = static_cast<unsigned>(first) + (taken == first ? 1u : 0u);
    retire_from_ %= p.n_sms;
    if (taken < 0) return;
    auto &queue = retiring_[static_cast<unsigned>(taken)];
    in.retire[static_cast<unsigned>(taken)] = queue.front().first;
    in.preempt.retire_saved[static_cast<unsigned>(taken)] = queue.front().second;
    queue.erase(queue.begin());
  }

  void release(const SchedInput &in, unsigned i, const std::vector<bool> &killed) {
    if (in.retire[i] < 0) return;
    Sm &s = sm[i];
    Tb &tb = s.tb[static_cast<unsigned>(in.retire[i])];
    tb.used = false;
    s.granules_used &= ~run(tb.base, tb.granules);
    for (unsigned w = 0; w < tb.warps; w++) s.free_warps[(tb.first + w) % p.n_sched]++;
    s.cnt[tb.kernel]--;
    slot[tb.kernel].out--;
    std::size_t n = 0;
    while (s.age[n].tb != static_cast<unsigned>(in.retire[i])) n++;
    s.age.erase(s.age.begin() + static_cast<std::ptrdiff_t>(n));
    if (preempt.retire(i, static_cast<unsigned>(in.retire[i]), in.preempt.retire_saved[i],
                       tb.ticket, killed)) {
      s.tickets[tb.kernel].stack.push_back(tb.ticket);
    }
  }

  void clean_up(unsigned i, const std::vector<bool> &killed) {
    const unsigned k = preempt.job[i].kernel;
    unsigned ticket;
    if (preempt.clean_up(i, killed, &ticket)) sm[i].tickets[k].stack.push_back(ticket);
  }

  // What is left of the cycle: R-PE-6, R-PE-10, R-PE-11.
  void finish_preempt(const SchedInput &in, const SchedOutput &out) {
    for (unsigned i = 0; i < p.n_sms; i++) {
      if (in.preempt.restored[i]) preempt.job[i].kind = QSM_JOB_FREED;
    }
    for (unsigned k = 0; k < p.n_kernels; k++) {
      if (out.kill[k]) preempt.slot[k].queue.clear();
      if (out.ending[k]) preempt.slot[k].used.assign(p.n_images, false);
    }
    if (in.preempt.host) preempt.write(in.preempt.request);
  }

  std::vector<Candidate> looking_, placed_;                     // one each at most
  std::array<std::vector<std::pair<int, bool>>, 96> retiring_;  // per SM: TB slot, saved
  unsigned retire_from_ = 0;
  unsigned kp_ = 0;
  std::array<unsigned, 8> sp_{};  // [kernel]
};

#endif
