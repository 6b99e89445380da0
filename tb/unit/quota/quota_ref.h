// SPDX-License-Identifier: Apache-2.0
// Reference of the quota gate and counters, rule by rule from docs/quota_gate.md (R-QC, R-SC) and
// docs/guarantee.md (R-PA), in 64-bit integers.
#ifndef QUOTA_REF_H
#define QUOTA_REF_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "qsm_enums.h"

constexpr int64_t kQuotaMax = 0x7fffffff;

// What the block sees in a cycle; kernel -1 = none.
struct QuotaInputs {
  std::vector<int> issue_kernel;             // per sub-core, of the cycle before
  std::vector<unsigned> issue_lanes;         // per sub-core
  std::vector<bool> present, runnable, qos;  // per kernel
  std::vector<int64_t> first_quota;          // per kernel
  int arrive = -1;
  bool tick = false, sample = false, saving = false, full = false;
  int word = -1;
  int64_t word_quota = 0, word_credit = 0;
  bool load = false;
  unsigned load_scheme = QSM_SCHEME_NONE;
  std::vector<bool> load_keep;  // per kernel
  unsigned epoch_len = 1000;

  QuotaInputs(unsigned n_sched, unsigned n_kernels)
      : issue_kernel(n_sched, -1),
        issue_lanes(n_sched, 0),
        present(n_kernels),
        runnable(n_kernels),
        qos(n_kernels),
        first_quota(n_kernels, 1),
        load_keep(n_kernels) {}
};

class QuotaRef {
 public:
  struct Slot {
    int64_t c = 0, quota = 0, shadow_quota = 0, shadow_credit = 0, snap_c = 0;
    bool granted = false, has = false, to_load = false, fresh = false, to_refill = false,
         keep = false;
    uint32_t insn = 0, snap_insn = 0, insn_at_start = 0;
    int64_t due = 0;
    bool spared = false, behind = false, well_behind = false, tight = false, kept = false,
         to_pace = false, to_judge = false;

    void set_quota(int64_t value) {  // R-PA-5
      quota = due = value;
      spared = true;
      behind = well_behind = tight = kept = false;
    }
    int64_t instalment() const { return quota / 128 + quota / 512 + 2; }  // R-PA-6
    unsigned pace_flags() const {  // word 6 of the full state
      return behind + 2u * spared + 4u * to_pace + 8u * to_judge + 16u * tight + 32u * kept +
             64u * well_behind;
    }
  };

  QuotaRef(unsigned n_kernels, unsigned n_sched, unsigned n_lanes) : slots(n_kernels) {
    while (debt_max < int64_t{4} * n_kernels * n_sched * n_lanes) debt_max *= 2;
  }

  // R-QC-1, R-SC-2, R-PA-8
  bool open(const QuotaInputs &in, unsigned k) const {
    if (loads() == static_cast<int>(k)) return false;
    if (!held(in)) return true;
    if (scheme == QSM_SCHEME_PACE) {
      bool closes = false;
      for (unsigned j = 0; j < slots.size(); j++) closes |= late(in, j) && slots[j].tight;
      if (closes) return late(in, k);
      return in.qos[k] ? slots[k].c > 0 : !in.saving;  // R-PA-18
    }
    bool qos_goes_on = false;
    for (unsigned j = 0; j < slots.size(); j++)
      qos_goes_on = qos_goes_on || (in.qos[j] && in.runnable[j] && slots[j].c > 0);
    return slots[k].c > 0 && !(scheme == QSM_SCHEME_ROLLOVER_TIME && !in.qos[k] && qos_goes_on);
  }
  bool late(const QuotaInputs &in, unsigned k) const {
    return in.qos[k] && in.runnable[k] && slots[k].behind && slots[k].c > 0;
  }
  // R-PA-8
  bool gaps(const QuotaInputs &in, unsigned k) const {
    bool some = false, tight = false;
    for (unsigned j = 0; j < slots.size(); j++) {
      some |= late(in, j);
      tight |= late(in, j) && slots[j].tight;
    }
    return some && !tight && !late(in, k);
  }
  // R-PA-15, R-PA-19
  bool no_mem(const QuotaInputs &in, unsigned k) const {
    bool well = false;
    for (unsigned j = 0; j < slots.size(); j++) well |= late(in, j) && slots[j].well_behind;
    return (well && gaps(in, k)) ||
           (scheme == QSM_SCHEME_PACE && held(in) && in.full && !in.qos[k]);
  }
  bool throttled(const QuotaInputs &in, unsigned k) const {
    return held(in) && slots[k].c <= 0 && (scheme != QSM_SCHEME_PACE || in.qos[k]);
  }

  void step(const QuotaInputs &in) {
    const std::vector<bool> due = refills(in);
    const bool timed = in.load ? in.load_scheme == QSM_SCHEME_ELASTIC &&
                                     (scheme != QSM_SCHEME_ELASTIC || dcnt == 0)
                               : scheme == QSM_SCHEME_ELASTIC && dcnt == 0;
    const bool early_start = starts_early(in);
    std::vector<bool> had;
    for (const Slot &s : slots) had.push_back(s.has);
    const bool changes = in.load && in.load_scheme != QSM_SCHEME_PACE;  // R-PA-10
    std::vector<bool> was_late;                                         // R-PA-16
    for (const Slot &s : slots) was_late.push_back(s.well_behind && s.c > 0);
    if (!changes) pace(in);
    for (Slot &s : slots) s.insn_at_start = s.insn;
    for (unsigned k = 0; k < slots.size(); k++) count(slots[k], in, k);
    for (unsigned k = 0; k < slots.size(); k++) slots[k].to_refill = due[k];
    grant_one(in, due, was_late);
    if (in.word >= 0) {  // R-QC-3
      Slot &s = slots[static_cast<unsigned>(in.word)];
      s.has = true;
      s.shadow_quota = in.word_quota;
      s.shadow_credit = in.word_credit;
    }
    for (Slot &s : slots) {
      if (changes) s.behind = s.well_behind = s.tight = s.to_pace = s.to_judge = false;
    }
    if (in.load) message(in.load_scheme, had);
    for (unsigned k = 0; k < slots.size() && in.load; k++) slots[k].keep = in.load_keep[k];
    epoch_of_sm(in, timed, early_start);
    if (in.load || timed || early_start) second = false;
  }

  int loads() const {  // the kernel whose load is next, or under way; -1: none
    const auto first = std::find_if(slots.begin(), slots.end(),
                                    [](const Slot &s) { return s.to_load || s.fresh; });
    return first == slots.end() ? -1 : static_cast<int>(first - slots.begin());
  }

  std::vector<Slot> slots;
  unsigned scheme = QSM_SCHEME_NONE;
  int64_t debt_max = 1;
  bool second = false, early = false;
  unsigned dcnt = 0;

  // R-SG-1
  static bool no_quotas(unsigned s) {
    return s == QSM_SCHEME_NONE || s == QSM_SCHEME_SM_STATIC || s == QSM_SCHEME_SPART ||
           s == QSM_SCHEME_SMQOS;
  }

 private:
  // R-SC-2
  bool held(const QuotaInputs &in) const {
    return !no_quotas(scheme) &&
           (scheme == QSM_SCHEME_FAIR || std::count(in.qos.begin(), in.qos.end(), true) != 0);
  }

  // R-SC-6
  bool starts_early(const QuotaInputs &in) const {
    if (scheme != QSM_SCHEME_ELASTIC || !held(in) || dcnt == 0 || loads() >= 0 || in.load)
      return false;
    bool some = false;
    for (unsigned k = 0; k < slots.size(); k++) {
      if (!in.runnable[k]) continue;
      if (slots[k].c > 0) return false;
      some = true;
    }
    return some && !counts(in);
  }

  // R-QC-4, R-SC-4; had: shadow.has at the start of the cycle
  void message(unsigned s, const std::vector<bool> &had) {
    scheme = s;
    for (unsigned k = 0; k < slots.size(); k++) {
      Slot &slot = slots[k];
      slot.fresh = s == QSM_SCHEME_ELASTIC && had[k];
      if (no_quotas(s))
        slot.has = slot.to_load = false;
      else if (s != QSM_SCHEME_ELASTIC)
        slot.to_load = true;
    }
  }

  // R-SC-4; scheme is already that of a message
  void epoch_of_sm(const QuotaInputs &in, bool timed, bool early_start) {
    if (timed || early_start) {
      for (Slot &s : slots) s.to_load = true;
      early = !timed;
      dcnt = in.epoch_len - 1;
    } else if (scheme != QSM_SCHEME_ELASTIC) {
      dcnt = 0;
      early = false;
    } else {
      dcnt--;
    }
  }

  // R-QC-5, R-SC-3
  std::vector<bool> refills(const QuotaInputs &in) const {
    std::vector<bool> waiting(slots.size()), others(slots.size()), nobody(slots.size());
    if (in.load || loads() >= 0 || !held(in) || scheme == QSM_SCHEME_ELASTIC) return nobody;
    if (scheme == QSM_SCHEME_PACE) return nobody;  // R-PA-9
    bool spent = true, waits = false;
    for (unsigned k = 0; k < slots.size(); k++) {
      waiting[k] = in.runnable[k] && slots[k].to_refill;
      others[k] = in.runnable[k] && (!in.qos[k] || scheme == QSM_SCHEME_FAIR);
      waits = waits || waiting[k];
      spent = spent && (!in.runnable[k] || slots[k].c <= 0);
    }
    return waits ? waiting : spent && !counts(in) ? others : nobody;
  }

  // An instruction is counted in this cycle.
  static bool counts(const QuotaInputs &in) {
    return std::any_of(in.issue_kernel.begin(), in.issue_kernel.end(),
                       [](int k) { return k >= 0; });
  }

  // R-PA-6, R-PA-7, of what the cycle starts with
  void pace(const QuotaInputs &in) {
    int paced = -1;
    for (unsigned k = 0; k < slots.size(); k++) {
      Slot &s = slots[k];
      if (s.to_judge) {
        s.behind = s.c > s.due;
        s.well_behind = s.behind && (s.kept || s.c - s.due > 4 * s.instalment());
      }
      s.to_judge = false;
      if (s.to_pace && paced < 0) paced = static_cast<int>(k);
    }
    if (paced >= 0) {
      Slot &s = slots[static_cast<unsigned>(paced)];
      s.to_pace = false;
      s.to_judge = true;
      if (!s.spared) s.due = std::max<int64_t>(0, s.due - s.instalment());
      s.spared = false;
    } else if (in.sample && scheme == QSM_SCHEME_PACE) {
      for (unsigned k = 0; k < slots.size(); k++) slots[k].to_pace = in.qos[k];
    }
  }

  // R-QC-2, R-QC-8
  void count(Slot &s, const QuotaInputs &in, unsigned k) const {
    int64_t lanes = 0;
    for (unsigned i = 0; i < in.issue_kernel.size(); i++) {
      if (in.issue_kernel[i] == static_cast<int>(k)) lanes += in.issue_lanes[i];
    }
    s.insn += static_cast<uint32_t>(lanes);
    if (in.tick) {
      s.snap_c = s.c;
      s.snap_insn = s.insn;
      s.insn = 0;
    }
    if (s.c >= -debt_max) s.c -= lanes;
  }

  // R-QC-9; C is already c1.
  void grant_one(const QuotaInputs &in, const std::vector<bool> &due,
                 const std::vector<bool> &was_late) {
    const bool loads_now = second;
    second = false;
    if (in.arrive >= 0) {
      const auto k = static_cast<unsigned>(in.arrive);
      if (!in.present[k] && !slots[k].granted) {  // R-QC-6
        slots[k].c = in.first_quota[k];
        slots[k].set_quota(in.first_quota[k]);
        slots[k].granted = true;
        return;
      }
    }
    if (loads() >= 0) {
      const auto k = static_cast<unsigned>(loads());
      const bool here = in.present[k] || in.arrive == static_cast<int>(k);
      if (loads_now && scheme == QSM_SCHEME_ELASTIC)
        load_elastic(slots[k], here);
      else if (loads_now)
        load(slots[k], here, was_late[k]);
      second = !loads_now &&
               std::count(in.issue_kernel.begin(), in.issue_kernel.end(), static_cast<int>(k)) == 0;
      return;
    }
    for (unsigned k = 0; k < slots.size(); k++) {
      if (!due[k]) continue;
      slots[k].c += slots[k].quota;
      slots[k].to_refill = false;
      return;
    }
  }

  // Second cycle of R-QC-4, R-PA-4
  void load(Slot &s, bool here, bool was_late) const {
    if (!here && s.keep && s.c > 0) {  // R-QM-13, R-PA-17
    } else if (!here) {
      s.c = 0;
      s.set_quota(0);
      s.granted = false;
    } else if (s.has) {
      s.c = scheme == QSM_SCHEME_PACE
                ? s.shadow_quota - s.insn_at_start
                : s.shadow_quota + std::min(std::max<int64_t>(s.c, 0), s.shadow_credit);
      s.set_quota(s.shadow_quota);
      // R-PA-16, R-PA-17
      s.tight = was_late;
      if (was_late && s.keep && scheme == QSM_SCHEME_PACE) {
        s.behind = s.well_behind = s.kept = true;
        s.spared = false;
        s.due = 0;
      }
      s.granted = true;
    }
    s.has = s.to_load = false;
  }

  // R-SC-5
  void load_elastic(Slot &s, bool here) const {
    const int64_t q = s.fresh ? s.shadow_quota : s.quota;
    if (!here)
      s.c = 0;
    else if (s.to_load)
      s.c = early ? std::min(s.c + q, kQuotaMax) : q;
    s.set_quota(here ? q : 0);
    s.granted = here && (s.granted || s.fresh);
    s.has = s.has && !s.fresh;
    s.to_load = s.fresh = false;
  }
};

#endif
