// SPDX-License-Identifier: Apache-2.0
// Reference of the quota gate and counters, rule by rule from docs/quota_gate.md, in 64-bit integers.
#ifndef QUOTA_REF_H
#define QUOTA_REF_H

#include <algorithm>
#include <cstdint>
#include <vector>

constexpr int64_t kQuotaMax = 0x7fffffff;
constexpr unsigned kNoScheme = 0, kNaive = 1, kNaiveHistory = 2, kRollover = 4;

// What the block sees in a cycle; kernel -1 = none.
struct QuotaInputs {
  std::vector<int> issue_kernel;      // per sub-core
  std::vector<unsigned> issue_lanes;  // per sub-core
  std::vector<bool> present, qos;     // per kernel
  std::vector<int64_t> first_quota;   // per kernel
  int arrive = -1;
  bool tick = false;
  int word = -1;
  int64_t word_quota = 0, word_credit = 0;
  bool load = false;
  unsigned load_scheme = kNoScheme;

  QuotaInputs(unsigned n_sched, unsigned n_kernels)
      : issue_kernel(n_sched, -1), issue_lanes(n_sched, 0), present(n_kernels), qos(n_kernels), first_quota(n_kernels, 1) {}
};

class QuotaRef {
 public:
  struct Slot {
    int64_t c = 0, quota = 0, shadow_quota = 0, shadow_credit = 0, snap_c = 0;
    bool granted = false, has = false;
    uint32_t insn = 0, snap_insn = 0;
  };

  explicit QuotaRef(unsigned n_kernels) : slots(n_kernels) {}

  // R-QC-1
  bool open(const QuotaInputs &in, unsigned k) const { return !gated(in) || slots[k].c > 0; }

  void step(const QuotaInputs &in) {
    const bool refill = refills(in);
    for (unsigned k = 0; k < slots.size(); k++) {
      Slot &s = slots[k];
      int64_t lanes = 0;
      for (unsigned i = 0; i < in.issue_kernel.size(); i++) {
        if (in.issue_kernel[i] == static_cast<int>(k)) lanes += in.issue_lanes[i];
      }
      count(s, in, lanes);
      const int64_t c1 = sat32(s.c - lanes);  // R-QC-2
      const bool first = in.arrive == static_cast<int>(k) && !in.present[k] && !s.granted;
      s.c = c1;
      if (refill && in.present[k] && !in.qos[k]) s.c = sat32(c1 + s.quota);
      if (in.load && in.load_scheme != kNoScheme) load(s, in, k, c1);
      if (in.load) s.has = false;
      if (first) {  // R-QC-6
        s.c = s.quota = in.first_quota[k];
        s.granted = true;
      }
      if (in.word == static_cast<int>(k)) {  // R-QC-3
        s.has = true;
        s.shadow_quota = in.word_quota;
        s.shadow_credit = in.word_credit;
      }
    }
    if (in.load) scheme = in.load_scheme;
  }

  std::vector<Slot> slots;
  unsigned scheme = kNoScheme;

 private:
  static int64_t sat32(int64_t v) { return std::clamp<int64_t>(v, -kQuotaMax - 1, kQuotaMax); }

  bool gated(const QuotaInputs &in) const {
    return scheme != kNoScheme && std::count(in.qos.begin(), in.qos.end(), true) != 0;
  }

  // R-QC-5
  bool refills(const QuotaInputs &in) const {
    if (in.load || !gated(in)) return false;
    bool somebody = false;
    for (unsigned k = 0; k < slots.size(); k++) {
      if (!in.present[k]) continue;
      if (slots[k].c > 0) return false;
      somebody = somebody || !in.qos[k];
    }
    return somebody;
  }

  // R-QC-8
  static void count(Slot &s, const QuotaInputs &in, int64_t lanes) {
    s.insn += static_cast<uint32_t>(lanes);
    if (!in.tick) return;
    s.snap_c = s.c;
    s.snap_insn = s.insn;
    s.insn = 0;
  }

  // R-QC-4
  static void load(Slot &s, const QuotaInputs &in, unsigned k, int64_t c1) {
    if (!in.present[k]) {
      s.c = s.quota = 0;
      s.granted = false;
    } else if (s.has) {
      s.c = s.shadow_quota;
      if (in.load_scheme == kRollover && in.qos[k]) {
        s.c = std::min(kQuotaMax, s.shadow_quota + std::min(std::max<int64_t>(c1, 0), s.shadow_credit));
      }
      s.quota = s.shadow_quota;
      s.granted = true;
    }
  }
};

#endif
