// SPDX-License-Identifier: Apache-2.0
// The preemption engine as docs/preemption.md R-PE-1..R-PE-11, with docs/sm_owner.md R-SO-5, says
// it: queues and lists, addresses by multiplication.
#ifndef QSM_PREEMPT_REF_H
#define QSM_PREEMPT_REF_H

#include <cstdint>
#include <deque>
#include <vector>

#include "qsm_enums.h"

struct PreemptParams {
  unsigned n_sms, n_kernels, n_images, line_bytes;
};

// Registers of a slot.
struct PreemptSlot {
  struct Window {
    uint64_t base = 0, limit = 0;
    bool r = false, w = false;
  };
  uint64_t save_base = 0, save_limit = 0;
  bool idempotent = false, hold = false;
  Window window[2];
  unsigned shared = 0;  // bytes of a TB
};

struct PreemptRequest {
  unsigned sm = 0, kernel = 0, tb = 0, technique = QSM_TECHNIQUE_SWITCH;
  bool by_slot = false;
};

// What a cycle brings from outside.
struct PreemptInput {
  std::vector<PreemptSlot> slot;
  bool host = false;
  PreemptRequest request;
  std::vector<std::vector<bool>> evict;  // [SM][slot]
  unsigned evict_technique = QSM_TECHNIQUE_SWITCH;
  std::vector<std::vector<bool>> move;  // [SM][slot]: flags of moves
  unsigned move_technique = QSM_TECHNIQUE_DRAIN;
  bool flag(unsigned i, unsigned k) const { return evict[i][k] || move[i][k]; }
  std::vector<bool> retire_saved, restored;  // per SM
};

// What the engine sees of the TB scheduler, at the start of the cycle.
struct PreemptView {
  struct Resident {
    unsigned tb, kernel;
  };
  std::vector<bool> running, killed;  // busy and not ending
  std::vector<unsigned> warps;
  std::vector<std::vector<Resident>> resident;  // [SM], the oldest first
  std::vector<int> retire;                      // per SM: TB slot or -1
};

struct PreemptDecision {
  bool now = false, dropped = false, host = false, move = false;  // move: had its flag at the latch
  PreemptRequest request;                                         // tb: the TB
  unsigned image = 0, code = QSM_PREEMPT_NONE;
  bool accepted() const { return now && !dropped && code == QSM_PREEMPT_ACCEPTED; }
  bool refused() const { return now && !dropped && !host && code != QSM_PREEMPT_ACCEPTED; }
  bool saves() const { return accepted() && request.technique != QSM_TECHNIQUE_DRAIN; }
};

class PreemptRef {
 public:
  struct Job {
    unsigned kind = QSM_JOB_NONE, kernel = 0, tb = 0, image = 0, ticket = 0;
    bool fresh = false, host = false;
  };
  struct Block {
    unsigned image;
    bool fresh;
  };
  struct Slot {
    std::vector<bool> used;
    std::deque<Block> queue;
    std::vector<unsigned> spare;
  };

  explicit PreemptRef(const PreemptParams &params)
      : p(params), job(p.n_sms), result(p.n_sms, QSM_RESULT_NONE), slot(p.n_kernels) {
    for (Slot &s : slot) {
      s.used.assign(p.n_images, false);
      for (unsigned v = 0; v < p.n_images; v++) s.spare.push_back(v);
    }
  }

  // ---- what the registers at the start of the cycle say ----
  bool resumes(const PreemptInput &in, unsigned k) const {
    return !slot[k].queue.empty() && !in.slot[k].hold;
  }
  bool open(const PreemptInput &in, unsigned k, unsigned i) const {
    const Job &j = job[i];
    if (resumes(in, k)) return j.kind == QSM_JOB_NONE;
    return !(j.kernel == k && (j.kind == QSM_JOB_SAVED || j.kind == QSM_JOB_DRAIN));
  }
  bool may_end(unsigned k, bool killed) const {
    for (const Job &j : job) {
      if (j.kind != QSM_JOB_NONE && j.kernel == k) return false;
    }
    return killed || n_used(k) == 0;
  }
  unsigned n_used(unsigned k) const {
    unsigned n = 0;
    for (bool used : slot[k].used) n += used;
    return n;
  }

  bool examining() const { return examining_; }

  // R-PE-2, R-PE-3.
  PreemptDecision decide(const PreemptInput &in, const PreemptView &view) const {
    PreemptDecision d;
    if (!examining_) return d;
    d.host = from_host_;
    d.move = from_move_;
    d.request = request_;
    const bool drain = request_.technique == QSM_TECHNIQUE_DRAIN;
    const unsigned age = age_ + 1;  // 1: c+1
    const int image = age == 1 ? lowest_free(request_.kernel) : image_;
    const bool none = drain || image < 0;
    d.now = age == (none ? 1u : 2u + static_cast<unsigned>(image));
    d.image = none ? 0 : static_cast<unsigned>(image);
    if (!d.now) return d;
    const unsigned k = request_.kernel, i = request_.sm;
    bool there = false;
    if (!request_.by_slot) d.request.tb = 0;
    for (const PreemptView::Resident &r : view.resident[i]) {
      if (r.kernel != k || (request_.by_slot && r.tb != request_.tb)) continue;
      there = true;
      d.request.tb = r.tb;
    }
    const PreemptSlot &s = in.slot[k];
    d.dropped = !d.host && (!in.flag(i, k) || job[i].kind != QSM_JOB_NONE);
    if (!view.running[k] || view.killed[k] || !there ||
        view.retire[i] == static_cast<int>(d.request.tb)) {
      d.code = QSM_PREEMPT_NO_TB;
    } else if (job[i].kind != QSM_JOB_NONE) {
      d.code = QSM_PREEMPT_BUSY;
    } else if (request_.technique == QSM_TECHNIQUE_FLUSH && !s.idempotent) {
      d.code = QSM_PREEMPT_NOT_IDEMPOTENT;
    } else if (!drain && s.save_limit == 0) {
      d.code = QSM_PREEMPT_NO_AREA;
    } else if (!drain && image < 0) {
      d.code = QSM_PREEMPT_NO_IMAGE;
    } else if (!drain &&
               (s.save_base + (d.image + 1) * image_bytes(view.warps[k], s.shared) > s.save_limit ||
                !in_window(s))) {
      d.code = QSM_PREEMPT_TOO_SMALL;
    } else {
      d.code = QSM_PREEMPT_ACCEPTED;
    }
    return d;
  }

  // R-PE-7: the SM whose job is cleaned up, or -1.
  int cleaned(const PreemptView &view, bool restore) const {
    for (unsigned i = 0; i < p.n_sms && !restore; i++) {
      if ((job[i].kind == QSM_JOB_SAVED || job[i].kind == QSM_JOB_FREED) && view.retire[i] < 0)
        return static_cast<int>(i);
    }
    return -1;
  }
  uint64_t image_bytes(unsigned warps, unsigned shared) const {
    return uint64_t{p.line_bytes} * (3 + 33 * warps + (shared + p.line_bytes - 1) / p.line_bytes);
  }

  // ---- the end of the cycle ----
  // R-PE-1; after the host's write of the cycle before, before that of this cycle.
  void examine(const PreemptInput &in, const PreemptDecision &d) {
    if (examining_) {
      if (age_++ == 0)
        image_ = request_.technique == QSM_TECHNIQUE_DRAIN ? -1 : lowest_free(request_.kernel);
      if (!d.now) return;
      examining_ = false;
      if (!d.host) return;
      code = d.code;
      code_sm = d.request.sm;
      code_tb = d.request.tb;
      code_image = d.image;
      return;
    }
    from_host_ = code == QSM_PREEMPT_EXAMINED;
    if (from_host_) {
      request_ = host_;
      examining_ = true;
    }
    for (unsigned n = 0; n < p.n_sms && !examining_; n++) {
      const unsigned i = (served_ + n) % p.n_sms;
      for (unsigned k = 0; k < p.n_kernels && !examining_; k++) {
        if (!in.flag(i, k) || job[i].kind != QSM_JOB_NONE) continue;
        from_move_ = in.move[i][k];
        request_ =
            PreemptRequest{i, k, 0, from_move_ ? in.move_technique : in.evict_technique, false};
        served_ = i + 1;
        examining_ = true;
      }
    }
    age_ = 0;
  }
  void write(const PreemptRequest &request) {
    host_ = request;
    code = QSM_PREEMPT_EXAMINED;
  }
  void accept(const PreemptDecision &d) {
    const PreemptRequest &r = d.request;
    Job &j = job[r.sm];
    j = Job{r.technique == QSM_TECHNIQUE_DRAIN ? unsigned{QSM_JOB_DRAIN} : unsigned{QSM_JOB_SAVE},
            r.kernel,
            r.tb,
            d.image,
            j.ticket,
            r.technique == QSM_TECHNIQUE_FLUSH,
            d.host};
    if (d.host) result[r.sm] = QSM_RESULT_RUNNING;
    if (r.technique != QSM_TECHNIQUE_DRAIN) slot[r.kernel].used[d.image] = true;
  }
  // R-PE-5; killed as of the start of the cycle. True: the TB's ticket goes back to its SM.
  bool retire(unsigned i, unsigned tb, bool saved, unsigned ticket,
              const std::vector<bool> &killed) {
    Job &j = job[i];
    if (j.tb == tb && j.kind == QSM_JOB_SAVE) {
      j.kind = saved ? QSM_JOB_SAVED : QSM_JOB_FREED;
      if (saved) j.ticket = ticket;
      if (!saved && j.host)
        result[i] = killed[j.kernel] ? QSM_RESULT_KILLED : QSM_RESULT_ENDED_BEFORE;
    } else if (j.tb == tb && j.kind == QSM_JOB_DRAIN) {
      j.kind = QSM_JOB_NONE;
      if (j.host) result[i] = killed[j.kernel] ? QSM_RESULT_KILLED : QSM_RESULT_DONE;
    }
    return !saved;
  }
  void restore(unsigned i, unsigned k, unsigned tb, unsigned new_spare) {
    const Block b = slot[k].queue.front();
    slot[k].queue.pop_front();
    slot[k].spare[b.image] = new_spare;
    job[i] = Job{QSM_JOB_RESTORE, k, tb, b.image, job[i].ticket, b.fresh, false};
  }
  // R-PE-7. True: `ticket` goes back to SM i, for the job's kernel.
  bool clean_up(unsigned i, const std::vector<bool> &killed, unsigned *ticket) {
    Job &j = job[i];
    Slot &s = slot[j.kernel];
    const bool saved = j.kind == QSM_JOB_SAVED, stays = saved && !killed[j.kernel];
    j.kind = QSM_JOB_NONE;
    if (saved && j.host) result[i] = stays ? QSM_RESULT_DONE : QSM_RESULT_KILLED;
    if (!stays) {
      s.used[j.image] = false;
      return false;
    }
    s.queue.push_back(Block{j.image, j.fresh});
    *ticket = s.spare[j.image];
    s.spare[j.image] = j.ticket;
    return true;
  }
  void launch(unsigned k) {
    for (unsigned v = 0; v < p.n_images; v++) slot[k].spare[v] = v;
  }

  const PreemptParams p;
  std::vector<Job> job;
  std::vector<unsigned> result;
  std::vector<Slot> slot;
  unsigned code = QSM_PREEMPT_NONE, code_sm = 0, code_tb = 0, code_image = 0;

 private:
  int lowest_free(unsigned k) const {
    for (unsigned v = 0; v < p.n_images; v++) {
      if (!slot[k].used[v]) return static_cast<int>(v);
    }
    return -1;
  }
  static bool in_window(const PreemptSlot &s) {
    for (const PreemptSlot::Window &w : s.window) {
      if (w.r && w.w && w.base <= s.save_base && s.save_limit <= w.limit) return true;
    }
    return false;
  }

  PreemptRequest host_, request_;
  bool examining_ = false, from_host_ = false, from_move_ = false;
  unsigned age_ = 0, served_ = 0;
  int image_ = -1;  // v, from the end of c+1 on
};

#endif
