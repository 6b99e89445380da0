// SPDX-License-Identifier: Apache-2.0
// SM ownership as docs/sm_owner.md R-SO-1..R-SO-8, R-SO-10, R-SO-11 says it: one rule after the
// other, on a copy of the registers at the start of the cycle.
#ifndef QSM_OWNER_REF_H
#define QSM_OWNER_REF_H

#include <cstdint>
#include <set>
#include <vector>

#include "qsm_enums.h"

struct OwnerParams {
  unsigned n_sms, n_kernels;
  bool gating;  // built
};

// What a cycle brings from outside.
struct OwnerInput {
  bool request = false;
  unsigned request_sm = 0, request_use = 0, request_owner = 0;
  std::vector<bool> valid;              // contexts
  std::vector<std::vector<bool>> mask;  // [slot][SM]
  std::vector<bool> apart;              // [slot]: not on a shared SM beside its own
  bool closed = false;                  // nothing goes to a shared SM
  unsigned technique = QSM_TECHNIQUE_DRAIN;
  bool gating = false, snapshot = false, epoch_done = false;
  std::vector<std::vector<unsigned>> cnt;  // [SM][slot], at the start of the cycle
  std::vector<std::vector<bool>> refused;  // [SM][slot]: a decision on a request of a move
  std::vector<bool> off, on;               // per SM: message seen
};

// What it sends and asks for.
struct OwnerOutput {
  std::set<unsigned> gate, wake, ask;
};

class OwnerRef {
 public:
  struct Sm {
    unsigned use = QSM_USE_SHARED, owner = 0, next_use = QSM_USE_SHARED, next_owner = 0;
    unsigned power = QSM_POWER_ON;
    bool moving = false, rested = false;
    std::set<unsigned> refused;
    bool destination_is(unsigned u, unsigned k) const {
      return moving ? next_use == u && next_owner == k : use == u && owner == k;
    }
  };

  explicit OwnerRef(const OwnerParams &params) : p(params), sm(p.n_sms) {}

  // R-SO-2.
  bool may(const OwnerInput &in, unsigned k, unsigned i) const {
    const Sm &s = sm[i];
    if (s.moving) return false;
    if (s.use == QSM_USE_OWNED) return s.owner == k;
    return s.use == QSM_USE_SHARED && in.mask[k][i] && !in.closed && !(in.apart[k] && has_own(k));
  }
  bool has_own(unsigned k) const {
    for (const Sm &s : sm) {
      if (s.use == QSM_USE_OWNED && s.owner == k && !s.moving) return true;
    }
    return false;
  }
  // R-SO-3.
  bool must_leave(unsigned j, unsigned i) const {
    const Sm &s = sm[i];
    if (!s.moving || s.next_use == QSM_USE_SHARED) return false;
    return s.next_use == QSM_USE_FREE || s.next_owner != j;
  }
  // R-SO-5.
  bool move_flag(const OwnerInput &in, unsigned i, unsigned k) const {
    if (in.technique == QSM_TECHNIQUE_DRAIN) return false;
    return in.cnt[i][k] > 0 && must_leave(k, i) && !sm[i].refused.count(k);
  }

  OwnerOutput step(const OwnerInput &in) {
    OwnerOutput out;
    const std::vector<Sm> was = sm;
    for (unsigned i = 0; i < p.n_sms; i++) {
      move_cycles += was[i].moving;
      gated_cycles += was[i].power == QSM_POWER_OFF;
      if (was[i].use == QSM_USE_OWNED) owned_cycles[was[i].owner]++;
      bool has_block = false;
      for (unsigned j = 0; j < p.n_kernels; j++) has_block = has_block || in.cnt[i][j] > 0;
      shared_cycles += was[i].use == QSM_USE_SHARED && has_block;
      const bool asked = in.request && in.request_sm == i;
      bool strangers = false;
      for (unsigned j = 0; j < p.n_kernels; j++)
        strangers = strangers || (must_leave(j, i) && in.cnt[i][j] > 0);
      for (unsigned k = 0; k < p.n_kernels; k++) {
        if (in.refused[i][k]) sm[i].refused.insert(k);
      }
      change_use(in, out, was[i], i, asked, strangers);
      if (p.gating) change_power(in, out, was[i], i, asked);
      if (in.snapshot && was[i].use == QSM_USE_FREE && !was[i].moving && !asked)
        sm[i].rested = true;
    }
    wakes += static_cast<uint32_t>(out.wake.size());
    for (uint64_t *cycles : {&move_cycles, &gated_cycles, &shared_cycles}) *cycles &= kCycles;
    for (uint64_t &cycles : owned_cycles) cycles &= kCycles;
    return out;
  }
  // All counters have this value now, as far as they are wide.
  void count_from(uint64_t value) {
    moves = wakes = static_cast<uint32_t>(value);
    move_cycles = gated_cycles = shared_cycles = value & kCycles;
    for (uint64_t &cycles : owned_cycles) cycles = value & kCycles;
  }

  const OwnerParams p;
  std::vector<Sm> sm;
  uint32_t moves = 0, wakes = 0;
  uint64_t move_cycles = 0, gated_cycles = 0, shared_cycles = 0, owned_cycles[8] = {};

 private:
  static constexpr uint64_t kCycles = (uint64_t{1} << 48) - 1;

  // R-SO-1, R-SO-4, R-SO-10.
  void change_use(const OwnerInput &in, OwnerOutput &out, const Sm &was, unsigned i, bool asked,
                  bool strangers) {
    Sm &s = sm[i];
    if (asked) {
      s.moving = true;
      s.next_use = in.request_use;
      s.next_owner = in.request_use == QSM_USE_OWNED ? in.request_owner : 0;
      s.refused.clear();
      s.rested = false;
      return;
    }
    if (!was.moving) {
      if (was.use != QSM_USE_OWNED || in.valid[was.owner]) return;
      s.use = QSM_USE_SHARED;
      s.owner = 0;
      out.ask.insert(i);
      return;
    }
    if (was.next_use == QSM_USE_OWNED && !in.valid[was.next_owner]) {
      s.next_use = QSM_USE_SHARED;
      s.next_owner = 0;
      return;
    }
    if (strangers || (was.power != QSM_POWER_ON && was.next_use != QSM_USE_FREE)) return;
    s.use = was.next_use;
    s.owner = was.next_owner;
    s.moving = false;
    s.next_use = QSM_USE_SHARED;
    s.next_owner = 0;
    moves++;
    out.ask.insert(i);
  }

  // R-SO-6, R-SO-7.
  void change_power(const OwnerInput &in, OwnerOutput &out, const Sm &was, unsigned i, bool asked) {
    if (in.epoch_done && in.gating && was.rested && !was.moving && !asked &&
        was.power == QSM_POWER_ON) {
      out.gate.insert(i);
      sm[i].power = QSM_POWER_STOPPING;
    }
    if (was.power == QSM_POWER_OFF && was.moving && was.next_use != QSM_USE_FREE) {
      out.wake.insert(i);
      sm[i].power = QSM_POWER_WAKING;
    }
    if (in.off[i]) sm[i].power = QSM_POWER_OFF;
    if (in.on[i]) sm[i].power = QSM_POWER_ON;
  }
};

#endif
