// SPDX-License-Identifier: Apache-2.0
// Reference of the QoS manager's arithmetic, docs/qos_mgr.md R-QM-5 to R-QM-9, R-QM-12, R-QM-13,
// R-SC-8 to R-SC-11, docs/guarantee.md R-PA-1 to R-PA-4, R-PA-12, R-PA-13 and docs/deadlines.md
// R-DL-1 to R-DL-5, in 128-bit integers.
#ifndef MGR_REF_H
#define MGR_REF_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "qsm_enums.h"

constexpr uint64_t kQuotaMax = 0x7fffffff;
constexpr uint32_t kAlphaOne = 0x10000, kAlphaMax = 0x3fffff, kRatioMax = 0x3fffff;

// What the manager works from in an epoch.
struct MgrInputs {
  unsigned scheme = QSM_SCHEME_NAIVE;
  uint32_t alpha_cap = 0x40000, rollover_cap = 8;
  // QUOTA_RULES
  bool alpha_en = true, unfed = false, carried = false, all_cycles = false, pooled = false,
       no_floor = false;
  unsigned margin = 0;
  unsigned nonqos_quota = 0;
  std::vector<bool> valid, qos, had_tb, ample;   // per kernel
  std::vector<uint32_t> goal, iso_ipc;           // per kernel
  std::vector<std::vector<uint32_t>> insn, tbs;  // per SM and kernel
  std::vector<std::vector<int32_t>> c;           // likewise: counters at E
  std::vector<unsigned> usage;                   // per SM
  std::vector<bool> moving;

  MgrInputs(unsigned n_sms, unsigned n_kernels)
      : valid(n_kernels),
        qos(n_kernels),
        had_tb(n_kernels),
        ample(n_kernels, true),
        goal(n_kernels),
        iso_ipc(n_kernels),
        insn(n_sms, std::vector<uint32_t>(n_kernels)),
        tbs(n_sms, std::vector<uint32_t>(n_kernels)),
        c(n_sms, std::vector<int32_t>(n_kernels)),
        usage(n_sms, QSM_USE_SHARED),
        moving(n_sms) {}

  // An SM that has quotas (R-QM-12).
  bool common(unsigned i) const {
    return scheme != QSM_SCHEME_SM_ROLLOVER || (usage[i] == QSM_USE_SHARED && !moving[i]);
  }
};

// The registers among them as gpu_regs_t has them, from bit 0 up, which is the last member first.
struct RegisterField {
  uint32_t value;
  unsigned width;
};
inline std::vector<RegisterField> register_fields(const MgrInputs &in, uint32_t epoch_len) {
  return {{in.nonqos_quota, 4}, {in.alpha_en, 1},   {in.unfed, 1},    {in.carried, 1},
          {in.all_cycles, 1},   {in.pooled, 1},     {in.no_floor, 1}, {in.margin, 3},
          {in.rollover_cap, 8}, {in.alpha_cap, 22}, {epoch_len, 20},  {in.scheme, 4}};
}

class MgrRef {
 public:
  using u128 = unsigned __int128;
  struct Slot {
    uint64_t hist_insn = 0, hist_cycles = 0, insn = 0, quota = 0;
    uint32_t alpha = kAlphaOne, ratio = 0;
    bool seen = false, seen_qos = false;                 // at a computation since it came
    bool known = false, is_short = false, keep = false;  // in this one
    // R-DL-1; R-DL-2 of the last launch; R-DL-3
    uint64_t deadline = 0, to_do = 0, until = 0, work = 0, w = 0;
    bool mixed = false, fresh = false;
    u128 reserve = 0;
    std::vector<std::pair<uint32_t, uint32_t>> shown;  // per SM: instructions, C
  };
  struct Word {
    bool has = false;
    uint64_t quota = 0, credit = 0;
  };

  MgrRef(unsigned n_sms, unsigned n_kernels)
      : slots(n_kernels), words(n_sms, std::vector<Word>(n_kernels)) {}

  void epoch(const MgrInputs &in, uint32_t t, const std::vector<uint64_t> &busy) {
    epoch(in, t, busy, std::vector<bool>(slots.size()), 0);
  }
  // All of an epoch: t is the length of the one that began, busy the cycles with a launch, running
  // which slots have one in E, now the cycle of E.
  void epoch(const MgrInputs &in, uint32_t t, const std::vector<uint64_t> &busy,
             const std::vector<bool> &running, uint64_t now) {
    for (unsigned k = 0; k < slots.size(); k++) {
      for (auto &of_sm : words) of_sm[k] = Word{};
      slots[k].keep = false;
      slots[k].known = slots[k].seen && slots[k].seen_qos == in.qos[k];
      if (in.valid[k]) sum(in, k, busy[k]);
      if (in.valid[k] && running[k]) work_off(slots[k], now);
    }
    for (unsigned k = 0; k < slots.size(); k++) {
      if (!in.valid[k] || !in.qos[k]) continue;
      const uint64_t before = slots[k].quota;
      qos(in, k, t);
      if (in.scheme == QSM_SCHEME_PACE)
        paced(in, k, t, before, busy[k], running[k], now);
      else
        slots[k].reserve = 0;
    }
    for (unsigned k = 0; k < slots.size(); k++) {
      if (in.valid[k] && !in.qos[k]) other(in, k, t);
    }
    for (unsigned k = 0; k < slots.size(); k++) {
      if (in.valid[k]) split(in, k);
    }
    n_epochs++;
    for (Slot &slot : slots) slot.fresh = false;
    for (unsigned k = 0; k < slots.size(); k++) {
      if (!in.valid[k]) continue;
      slots[k].seen = true;
      slots[k].seen_qos = in.qos[k];
    }
  }

  void clear(unsigned k) {
    slots[k].hist_insn = slots[k].hist_cycles = 0;
    slots[k].seen = false;
  }

  // R-DL-1, R-DL-2
  void arrive(unsigned k) { slots[k].deadline = slots[k].to_do = 0; }
  void launch(unsigned k, uint64_t now, bool mixed) {
    Slot &s = slots[k];
    s.until = now + s.deadline;
    s.work = s.deadline == 0 ? 0 : s.to_do;
    s.mixed = mixed;
    s.fresh = true;
  }

  std::vector<Slot> slots;
  uint64_t n_epochs = 0;  // computed so far
  std::vector<std::vector<Word>> words;

 private:
  static constexpr uint64_t kMask48 = (uint64_t{1} << 48) - 1;
  static u128 ceil_div(u128 n, u128 d) { return n / d + (n % d != 0); }
  static uint64_t at_most(uint64_t limit, u128 v) {
    return v > limit ? limit : static_cast<uint64_t>(v);
  }

  // R-QM-13
  static uint64_t raised_goal(const MgrInputs &in, unsigned k) {
    const uint64_t goal = in.goal[k];
    return in.margin == 0 ? goal : at_most(0xffffffff, goal + goal / (1u << (11 - in.margin)));
  }
  static uint64_t carry(const MgrInputs &in, unsigned k) {
    uint64_t rest = 0;
    if (!qsm_scheme_carries_over(in.scheme)) return 0;
    for (unsigned i = 0; i < in.c.size(); i++)
      if (in.common(i) && in.c[i][k] > 0) rest += static_cast<uint32_t>(in.c[i][k]);
    return std::min(rest, kQuotaMax);
  }

  void sum(const MgrInputs &in, unsigned k, uint64_t busy) {  // R-QM-5
    uint64_t insn = 0;
    Slot &s = slots[k];
    s.shown.clear();  // R-QM-14
    for (unsigned i = 0; i < in.insn.size(); i++) {
      insn += in.insn[i][k];
      s.shown.push_back({in.insn[i][k], static_cast<uint32_t>(in.c[i][k])});
    }
    s.hist_insn = (s.hist_insn + insn) & kMask48;
    s.hist_cycles = (s.hist_cycles + busy) & kMask48;
    s.insn = std::min(insn, kQuotaMax);
  }

  void qos(const MgrInputs &in, unsigned k, uint32_t t) {  // R-QM-6, R-QM-7, R-SC-8
    Slot &s = slots[k];
    const uint64_t goal = raised_goal(in, k);
    const bool on = in.alpha_en && qsm_scheme_uses_history(in.scheme);
    s.ratio = s.hist_cycles == 0 ? 0
              : s.hist_insn == 0
                  ? kRatioMax
                  : static_cast<uint32_t>(at_most(
                        kRatioMax, ceil_div(static_cast<u128>(goal) * s.hist_cycles, s.hist_insn)));
    const uint64_t top = in.alpha_cap == 0 ? kAlphaMax : in.alpha_cap;
    bool unbounded = false;
    s.alpha = kAlphaOne;
    if (on && s.hist_cycles != 0) {
      if (s.hist_insn == 0) {
        s.alpha = static_cast<uint32_t>(top);
        unbounded = in.alpha_cap == 0;
      } else {
        const u128 behind = ceil_div(static_cast<u128>(goal) * s.hist_cycles, s.hist_insn);
        s.alpha = static_cast<uint32_t>(std::max<uint64_t>(at_most(top, behind), kAlphaOne));
        unbounded = in.alpha_cap == 0 && behind >= kRatioMax;
      }
    }
    s.quota = in.scheme == QSM_SCHEME_FAIR ? fair(in, k, t)
              : unbounded                  ? kQuotaMax
                                           : at_most(kQuotaMax,
                                                     ceil_div(static_cast<u128>(s.alpha) * goal * t, u128{1} << 32));
  }

  // R-DL-3
  static void work_off(Slot &s, uint64_t now) {
    const uint64_t from = s.fresh ? s.work : s.w, done = s.fresh && s.mixed ? 0 : s.insn;
    s.w = s.until <= now || from < done ? 0 : from - done;
  }

  // R-PA-1, R-PA-3, R-PA-12, R-PA-13, R-PA-17; before: EPOCH_QUOTA of the epoch that ended. R-DL-4,
  // R-DL-5
  void paced(const MgrInputs &in, unsigned k, uint32_t t, u128 before, uint64_t busy, bool running,
             uint64_t now) {
    Slot &s = slots[k];
    const u128 goal = raised_goal(in, k),
               f = std::min<u128>(kQuotaMax, ceil_div(goal * t, 1u << 16));
    if (!s.known) before = ceil_div(goal * (busy + t / 16 + t / 32), 1u << 16);
    const u128 spent = s.known && busy == 0 ? f : s.insn,
               top = in.rollover_cap == 0 ? u128{kQuotaMax} : in.rollover_cap * f;
    u128 debt = before > spent ? std::min<u128>(kQuotaMax, before - spent) : 0;
    if (!s.known) {
      s.reserve = f / 16 + f / 32;
    } else if (busy != 0) {
      const u128 reserve = std::max(s.reserve, std::min(debt, 2 * f));
      debt = std::min<u128>(kQuotaMax, debt + reserve - s.reserve);
      s.reserve = reserve;
    }
    s.quota = at_most(kQuotaMax, f + std::min(top, debt));
    s.is_short = debt > f / 8;
    s.ratio = s.is_short ? std::max(s.ratio, kAlphaOne + 1) : std::min(s.ratio, kAlphaOne);
    if (!running || s.w == 0) {
      s.keep = debt > f && n_epochs % 16 != 0;  // R-PA-17
      return;
    }
    s.quota = at_most(s.quota, ceil_div(static_cast<u128>(s.w) * t, s.until - now));
    s.ratio = before > spent && !s.fresh ? kRatioMax : kAlphaOne;
  }

  uint64_t fair(const MgrInputs &in, unsigned k, uint32_t t) const {  // R-SC-10
    uint64_t f = 0;
    for (unsigned j = 0; j < slots.size(); j++) f += in.valid[j] && in.had_tb[j];
    const u128 product = static_cast<u128>(in.iso_ipc[k]) * t,
               divisor = static_cast<u128>(std::max<uint64_t>(f, 1)) << 16;
    return at_most(kQuotaMax, in.qos[k] ? ceil_div(product, divisor) : product / divisor);
  }

  // R-QM-12: instructions of k on the SMs that are common, or on those that are not.
  static uint64_t part(const MgrInputs &in, unsigned k, bool common) {
    uint64_t insn = 0;
    for (unsigned i = 0; i < in.insn.size(); i++)
      if (in.common(i) == common) insn += in.insn[i][k];
    return std::min(insn, kQuotaMax);
  }

  void other(const MgrInputs &in, unsigned k, uint32_t t) {  // R-QM-8
    uint64_t q = part(in, k, true);
    bool behind = false;
    for (unsigned j = 0; j < slots.size(); j++)
      behind = behind || (in.valid[j] && in.qos[j] && slots[j].alpha > kAlphaOne);
    if (in.unfed && behind && slots[k].known) q = std::min(q, slots[k].quota);
    if (in.no_floor && !slots[k].known) q = t;
    for (unsigned j = 0; j < slots.size(); j++) {
      if (!in.valid[j] || !in.qos[j] || !in.had_tb[j] || slots[j].quota == 0) continue;
      const uint64_t spends = std::min(kQuotaMax, slots[j].quota + (in.carried ? carry(in, j) : 0));
      q = at_most(kQuotaMax, static_cast<u128>(q) * slots[j].insn / spends);
    }
    slots[k].alpha = kAlphaOne;
    slots[k].ratio = 0;
    slots[k].quota = in.scheme == QSM_SCHEME_FAIR   ? fair(in, k, t)
                     : in.scheme == QSM_SCHEME_PACE ? 0  // R-PA-2
                     : in.nonqos_quota != 0         ? uint64_t{t} * (1u << (in.nonqos_quota - 1))
                     : in.no_floor                  ? q
                                                    : std::max<uint64_t>(q, t);
  }

  void split(const MgrInputs &in, unsigned k) {  // R-QM-9
    uint64_t all = 0, before = 0, quota = slots[k].quota;
    if (in.qos[k]) {
      quota -= std::min(quota, part(in, k, false));
      for (unsigned i = 0; i < words.size(); i++)
        if (!in.common(i) && !in.ample[k])
          quota = std::max(quota, std::min<uint64_t>(in.insn[i][k], kQuotaMax));
    }
    for (unsigned i = 0; i < words.size(); i++) all += in.common(i) ? in.tbs[i][k] : 0;
    if (in.scheme == QSM_SCHEME_PACE && !in.qos[k]) return;  // R-PA-2
    const bool carries = qsm_scheme_carries_over(in.scheme) && in.qos[k];
    if (carries) slots[k].keep = in.all_cycles && slots[k].known && all == 0;
    if (in.pooled && carries) {
      uint64_t pool = carry(in, k);
      if (in.rollover_cap != 0) pool = std::min(pool, in.rollover_cap * slots[k].quota);
      quota = std::min(kQuotaMax, quota + pool);
    }
    unsigned n_equal = 1;  // R-PA-4
    while (n_equal < words.size()) n_equal *= 2;
    for (unsigned i = 0; i < words.size(); i++) {
      const uint64_t own = in.common(i) ? in.tbs[i][k] : 0;
      if (own == 0 && in.scheme != QSM_SCHEME_PACE) continue;
      uint64_t part = own == 0 ? 0 : quota * (before + own) / all - quota * before / all;
      if (in.scheme == QSM_SCHEME_PACE && (own == 0 || slots[k].is_short))
        part = std::max(part, quota / n_equal);
      before += own;
      Word &w = words[i][k];
      w.has = true;
      w.quota = std::max<uint64_t>(part, 1);
      const uint64_t room = kQuotaMax - w.quota;
      w.credit =
          in.rollover_cap == 0 ? room : at_most(room, static_cast<u128>(in.rollover_cap) * w.quota);
      if (!carries || in.pooled) w.credit = 0;
    }
  }
};

#endif
