// SPDX-License-Identifier: Apache-2.0
// QoS manager (qsm_qos_mgr): every cycle of the epoch's sequence, every word and register, against
// docs/qos_mgr.md, pace's arithmetic against docs/guarantee.md, and what deadlines make of it
// against docs/deadlines.md; the configurations have the least QosLat of R-QM-11.
#include <cmath>

#include "Vbench_qos_mgr.h"
#include "Vbench_qos_mgr___024root.h"

#include "../common/qsm_unit.h"
#include "mgr_ref.h"

using qsm_unit::get;
using qsm_unit::set;

namespace {

constexpr unsigned kSms = NUM_SMS, kKernels = NUM_KERNELS, kNocLat = NOC_LAT, kQosLat = QOS_LAT;
constexpr uint32_t kEpochMin = kQosLat + 2 * kNocLat + 16;

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap)
      : in(kSms, kKernels),
        ref(kSms, kKernels),
        busy(kKernels),
        tap_(tap),
        n_busy_(kKernels),
        launched_(kKernels),
        ran_(kKernels) {
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
    // What is busy without a launch has no deadline.
    for (unsigned k = 0; k < kKernels; k++)
      top.rootp->bench_qos_mgr__DOT__u_dut__DOT__u_due__DOT__left_mem[k] = 0;
  }

  // Until the registers of the next epoch are there; `in` must be set. Values that the page does
  // not allow to be looked at are wrong on purpose.
  void epoch() {
    do cycle();
    while (since_ == 0);
    do cycle();
    while (since_ != 0);
    top.eval();
    compare_registers();
  }

  void cycle() {
    const bool tick = n_tick_ + 1 == len_;
    const bool e = tick_at_ + kNocLat == t_ && tick_at_ != 0;
    drive(e);
    top.eval();
    const auto t = static_cast<unsigned long long>(t_);
    tap_.expect(top.tick_o == tick, "cycle %llu: tick is not %d", t, tick);
    tap_.expect(top.e_o == e, "cycle %llu: E is not %d", t, e);
    const bool sample = uint64_t{100} * (n_tick_ + 1) / len_ !=
                        uint64_t{100} * n_tick_ / len_;  // R-SP-1: after each hundredth
    tap_.expect(top.sample_o == sample, "cycle %llu: sample is not %d", t, sample);
    tap_.expect(top.mgr_busy_o == (since_ != 0), "cycle %llu: busy is not %d", t, since_ != 0);
    tap_.expect(top.load_valid_o == (since_ == kQosLat - kNocLat), "cycle %llu: load %d", t,
                top.load_valid_o);
    if (top.load_valid_o) {
      tap_.expect(top.load_scheme_o == in.scheme, "load of scheme %u, not %u", top.load_scheme_o,
                  in.scheme);
      tap_.expect(n_words_ == 0, "%u quota words missing at the load", n_words_);
      for (unsigned k = 0; k < kKernels; k++)
        tap_.expect(get(top.load_keep_o, k, 1) == ref.slots[k].keep, "keep of %u is not %d", k,
                    ref.slots[k].keep);
    }
    if (since_ != 0) compare_common();
    if (top.word_valid_o) compare_word();
    step(tick, e);
    clock();
  }

  void clear(unsigned k) { clear_ |= 1u << k; }  // in the next cycle

  // A cycle in which a register of slot k is written.
  void arrive(unsigned k) { write(Write::kArrival, k, 0); }
  void deadline(unsigned k, uint32_t cycles) { write(Write::kDeadline, k, cycles); }
  void work(unsigned k, uint32_t insn) { write(Write::kWork, k, insn); }
  void launch(unsigned k) { write(Write::kLaunch, k, 1); }  // not while it is busy

  // As if it had run for long: registers (registers.vlt) are set, while no epoch is computed.
  void have_run(uint32_t n_epochs) {
    top.rootp->bench_qos_mgr__DOT__u_dut__DOT__epoch_count_q = n_epochs_ = n_epochs;
    ref.n_epochs = n_epochs;
  }
  void remember(unsigned k, uint64_t insn, uint64_t cycles) {
    set(top.rootp->bench_qos_mgr__DOT__u_dut__DOT__insn_q, k, 48, ref.slots[k].hist_insn = insn);
    set(top.rootp->bench_qos_mgr__DOT__u_dut__DOT__hcyc_q, k, 48,
        ref.slots[k].hist_cycles = cycles);
  }

  uint64_t now() const { return t_; }
  uint32_t quota(unsigned k) { return static_cast<uint32_t>(get(top.epoch_quota_o, k, 31)); }
  uint32_t alpha(unsigned k) { return static_cast<uint32_t>(get(top.alpha_o, k, 22)); }
  uint32_t ratio(unsigned k) { return static_cast<uint32_t>(get(top.ratio_o, k, 22)); }
  uint64_t hist_cycles(unsigned k) { return get(top.hcyc_o, k, 48); }

  Vbench_qos_mgr top;
  MgrInputs in;
  MgrRef ref;
  std::vector<bool> busy;
  uint32_t epoch_len = EPOCH_RESET;  // the register
  bool idle() const { return since_ == 0; }
  uint64_t next_e() const { return t_ + len_ - 1 - n_tick_ + kNocLat; }
  bool keep(unsigned k) const { return ref.slots[k].keep; }
  uint32_t len() const { return len_; }

 private:
  enum class Write { kNone, kArrival, kDeadline, kWork, kLaunch };

  void write(Write what, unsigned k, uint32_t value) {
    write_ = what;
    write_slot_ = k;
    written_ = value;
    cycle();
    write_ = Write::kNone;
    if (what == Write::kLaunch) busy[k] = true;
  }

  void drive_writes() {
    const uint32_t bit = 1u << write_slot_;
    auto pulse = [&](Write what) { return static_cast<uint8_t>(write_ == what ? bit : 0); };
    top.arrival_i = pulse(Write::kArrival);
    top.deadline_i = pulse(Write::kDeadline);
    top.work_i = pulse(Write::kWork);
    top.launch_i = pulse(Write::kLaunch);
    top.written_i = written_;
  }

  // What is written in a cycle is there behind it: E does not see it.
  void step_writes(bool e) {
    const unsigned k = write_slot_;
    switch (write_) {
      case Write::kArrival: ref.arrive(k); break;
      case Write::kDeadline: ref.slots[k].deadline = written_; break;
      case Write::kWork: ref.slots[k].to_do = written_; break;
      case Write::kLaunch: ref.launch(k, t_, ran_[k] && !e); break;
      default: break;
    }
    for (unsigned j = 0; j < kKernels; j++) ran_[j] = !e && (ran_[j] || busy[j]);
  }

  void drive(bool e) {
    unsigned at = 0;
    for (const RegisterField &field : register_fields(in, epoch_len)) {
      for (unsigned b = 0; b < field.width; b++) set(top.gpu_regs_i, at++, 1, field.value >> b & 1);
    }
    top.cycle_i = t_ + 0xfffffff0u;
    top.hist_clear_i = static_cast<uint8_t>(clear_);
    drive_writes();
    for (unsigned k = 0; k < kKernels; k++) {
      set(top.valid_i, k, 1, in.valid[k]);
      set(top.qos_i, k, 1, in.qos[k]);
      set(top.had_tb_i, k, 1, in.had_tb[k] == e);
      set(top.ample_i, k, 1, in.ample[k] == e);
      set(top.busy_i, k, 1, busy[k]);
      set(top.goal_i, k, 32, in.goal[k]);
      set(top.iso_ipc_i, k, 32, in.iso_ipc[k]);
    }
    // of the cycle E alone: who uses an SM, and its blocks
    for (unsigned i = 0; i < kSms; i++) {
      set(top.usage_i, i, 2, e ? in.usage[i] : (in.usage[i] + 1) % QSM_SM_USE_COUNT);
      set(top.moving_i, i, 1, e == in.moving[i]);
    }
    const bool counts_change = e || since_ == 1, insn_change = since_ == 1 || since_ == kNocLat + 1;
    if (!counts_change && !insn_change) return;
    for (unsigned i = 0; i < kSms; i++) {
      for (unsigned k = 0; k < kKernels; k++) {
        if (counts_change)
          set(top.cnt_i, i * kKernels + k, 6,
              e ? in.tbs[i][k] : (in.tbs[i][k] + 1) % (MAX_TBS + 1));
        if (insn_change)
          set(top.snap_insn_i, i * kKernels + k, 32,
              since_ == kNocLat + 1 ? in.insn[i][k] : ~in.insn[i][k]);
        if (insn_change)
          set(top.snap_c_i, i * kKernels + k, 32,
              static_cast<uint32_t>(since_ == kNocLat + 1 ? in.c[i][k] : ~in.c[i][k]));
      }
    }
  }

  void step(bool tick, bool e) {
    for (unsigned k = 0; k < kKernels; k++) {
      n_busy_[k] += busy[k] || (in.all_cycles && launched_[k]);
      launched_[k] = launched_[k] || busy[k];
      if ((clear_ >> k) & 1) {
        ref.clear(k);
        n_busy_[k] = 0;
        launched_[k] = false;
      }
    }
    clear_ = 0;
    if (e) {
      ref.epoch(in, len_, n_busy_, busy, t_);
      n_busy_.assign(kKernels, 0);
      e_lo_ = static_cast<uint32_t>(top.cycle_i);
      n_words_ = 0;
      for (const auto &of_sm : ref.words) {
        for (const auto &w : of_sm) n_words_ += w.has;
      }
      since_ = 1;
    } else if (since_ != 0) {
      n_epochs_ += since_ == kQosLat;
      since_ = since_ == kQosLat ? 0 : since_ + 1;
    }
    step_writes(e);
    if (tick) {
      tick_at_ = t_;
      len_ = epoch_len;
    }
    n_tick_ = tick ? 0 : n_tick_ + 1;
    t_++;
  }

  void compare_word() {
    const unsigned i = top.word_sm_o, k = top.word_kernel_o;
    tap_.expect(i < kSms && k < kKernels, "word for SM %u, slot %u", i, k);
    if (i >= kSms || k >= kKernels) return;
    MgrRef::Word &w = ref.words[i][k];
    tap_.expect(w.has, "SM %u, slot %u: word without blocks, or a second one", i, k);
    tap_.expect(top.word_quota_o == w.quota, "SM %u, slot %u: part %u, not %llu", i, k,
                top.word_quota_o, static_cast<unsigned long long>(w.quota));
    tap_.expect(top.word_credit_o == w.credit, "SM %u, slot %u: credit %u, not %llu", i, k,
                top.word_credit_o, static_cast<unsigned long long>(w.credit));
    tap_.expect(since_ != 0 && since_ < kQosLat - kNocLat, "word %u cycles after E", since_);
    w.has = false;
    n_words_--;
  }

  void compare_common() {
    for (unsigned i = 0; i < kSms; i++) {
      tap_.expect(get(top.common_o, i, 1) == in.common(i), "SM %u: common is not %d", i,
                  in.common(i));
      for (unsigned k = 0; k < kKernels; k++)
        tap_.expect(get(top.quoted_o, i * kKernels + k, 1) == (in.common(i) && in.tbs[i][k] != 0),
                    "SM %u, slot %u: a word or none", i, k);
    }
  }

  // R-QM-14
  void compare_shown() {
    for (unsigned k = 0; k < kKernels; k++) {
      for (unsigned i = 0; i < kSms; i++) {
        const auto &shown = ref.slots[k].shown;
        const auto expected = shown.empty() ? std::pair<uint32_t, uint32_t>{} : shown[i];
        top.show_kernel_i = static_cast<uint8_t>(k);
        top.show_sm_i = static_cast<uint8_t>(i);
        top.eval();
        tap_.expect(top.shown_insn_o == expected.first && top.shown_c_o == expected.second,
                    "R-QM-14: SM %u, slot %u: %u and %x, not %u and %x", i, k, top.shown_insn_o,
                    top.shown_c_o, expected.first, expected.second);
      }
    }
  }

  void compare_registers() {
    for (unsigned k = 0; k < kKernels; k++) {
      const MgrRef::Slot &s = ref.slots[k];
      tap_.expect(quota(k) == s.quota, "quota of %u: %u, not %llu", k, quota(k),
                  static_cast<unsigned long long>(s.quota));
      tap_.expect(alpha(k) == s.alpha, "alpha of %u: %x, not %x", k, alpha(k), s.alpha);
      tap_.expect(ratio(k) == s.ratio, "ratio of %u: %x, not %x", k, ratio(k), s.ratio);
      tap_.expect(get(top.epoch_insn_o, k, 31) == s.insn, "instructions of %u", k);
      tap_.expect(get(top.insn_o, k, 48) == s.hist_insn, "history of instructions of %u", k);
      tap_.expect(hist_cycles(k) == s.hist_cycles, "history of cycles of %u: %llu, not %llu", k,
                  static_cast<unsigned long long>(hist_cycles(k)),
                  static_cast<unsigned long long>(s.hist_cycles));
    }
    compare_shown();
    tap_.expect(top.epoch_count_o == n_epochs_, "epoch count %u, not %u", top.epoch_count_o,
                n_epochs_);
    tap_.expect(top.epoch_e_lo_o == e_lo_, "cycle of E %u, not %u", top.epoch_e_lo_o, e_lo_);
  }

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
  std::vector<uint64_t> n_busy_;
  std::vector<bool> launched_, ran_;  // ran_: since the last E
  Write write_ = Write::kNone;
  unsigned write_slot_ = 0;
  uint32_t written_ = 0;
  uint64_t t_ = 0, tick_at_ = 0;
  uint32_t len_ = EPOCH_RESET, n_tick_ = 0, since_ = 0, e_lo_ = 0, n_epochs_ = 0, clear_ = 0;
  unsigned n_words_ = 0;
};

// Kernel 0 alone, with `insn` instructions on SM 0 and one block there.
void one_kernel(Bench &b, bool qos, double goal, uint32_t insn) {
  b.in.valid[0] = b.in.had_tb[0] = b.busy[0] = true;
  b.in.qos[0] = qos;
  b.in.goal[0] = static_cast<uint32_t>(goal * 65536);
  b.in.insn[0][0] = insn;
  b.in.tbs[0][0] = 1;
}

void test_sequence(qsm_unit::Tap &tap) {
  Bench b(tap);
  one_kernel(b, true, 2.0, 10);
  b.epoch();
  tap.expect(b.now() == EPOCH_RESET - 1 + kNocLat + kQosLat + 1,
             "first epoch is done in cycle %llu", static_cast<unsigned long long>(b.now() - 1));
  const uint64_t first = b.now();
  b.epoch_len = kEpochMin;
  b.epoch();  // the epoch that runs keeps its length
  tap.expect(b.now() - first == EPOCH_RESET, "second epoch");
  b.epoch();
  tap.expect(b.now() - first == EPOCH_RESET + kEpochMin, "shortest epoch");
  tap.expect(b.quota(0) == 2 * kEpochMin, "quota %u", b.quota(0));
  tap.done("R-QM-1 to R-QM-4: tick, E, busy and load in their cycles; the shortest epoch");
}

void test_alpha(qsm_unit::Tap &tap) {
  const uint32_t t = EPOCH_RESET;
  auto run = [&](unsigned scheme, uint32_t cap, double goal, uint32_t insn, bool busy = true,
                 bool on = true) {
    Bench b(tap);
    one_kernel(b, true, goal, insn);
    b.in.scheme = scheme;
    b.in.alpha_cap = cap;
    b.in.alpha_en = on;
    b.busy[0] = busy;
    b.epoch();
    return std::make_pair(b.alpha(0), b.quota(0));
  };
  const uint32_t cycles = t + kNocLat;  // up to E, included
  using Pair = std::pair<uint32_t, uint32_t>;
  auto is = [&](Pair got, uint32_t alpha, uint32_t quota, const char *what) {
    tap.expect(got == Pair(alpha, quota), "%s: alpha %x, quota %u, not %x, %u", what, got.first,
               got.second, alpha, quota);
  };
  is(run(QSM_SCHEME_ROLLOVER, 0x40000, 4, 2 * cycles), 0x20000, 8 * t, "half of the goal");
  is(run(QSM_SCHEME_NAIVE_HISTORY, 0x40000, 1, 4 * cycles), 0x10000, t, "ahead of the goal");
  is(run(QSM_SCHEME_ELASTIC, 0x40000, 4, 2 * cycles), 0x20000, 8 * t, "Elastic");
  is(run(QSM_SCHEME_ROLLOVER_TIME, 0x40000, 4, 2 * cycles), 0x20000, 8 * t, "Rollover-Time");
  is(run(QSM_SCHEME_ROLLOVER, 0x40000, 4, 1), 0x40000, 16 * t, "far behind, cap");
  is(run(QSM_SCHEME_ROLLOVER, 0x3fffff, 4, 1), 0x3fffff,
     static_cast<uint32_t>((uint64_t{0x3fffff} * 4 * t + 0xffff) >> 16),
     "far behind, the last cap");
  is(run(QSM_SCHEME_ROLLOVER, 0, 32, cycles), 0x200000, 1024 * t, "32 times behind, no cap");
  is(run(QSM_SCHEME_ROLLOVER, 0, 64, cycles), 0x3fffff, kQuotaMax, "a 64th, no cap");
  is(run(QSM_SCHEME_ROLLOVER, 0x40000, 4, 0), 0x40000, 16 * t, "no instructions, cap");
  is(run(QSM_SCHEME_ROLLOVER, 0, 4, 0), 0x3fffff, kQuotaMax, "no instructions, no cap");
  is(run(QSM_SCHEME_ROLLOVER, 0, 4, 0, false), 0x10000, 4 * t, "no history");
  is(run(QSM_SCHEME_ROLLOVER, 0, 4, 7, false), 0x10000, 4 * t, "no cycles");
  is(run(QSM_SCHEME_ROLLOVER, 0x40000, 4, 1, true, false), 0x10000, 4 * t, "alpha off");
  is(run(QSM_SCHEME_NAIVE, 0x40000, 4, 1), 0x10000, 4 * t, "naive");
  is(run(QSM_SCHEME_NONE, 0x40000, 4, 1), 0x10000, 4 * t, "none");
  is(run(QSM_SCHEME_NAIVE, 0x40000, 65535, 1), 0x10000, 65535 * t, "large goal");
  is(run(QSM_SCHEME_NAIVE, 0x40000, 1.0 / 65536, 1), 0x10000, 1, "rounded up");
  is(run(QSM_SCHEME_NAIVE, 0x40000, 0, 1), 0x10000, 0, "goal 0");
  tap.done("R-QM-6, R-QM-7, B2, B3: alpha and quota of a QoS slot");
}

void test_other(qsm_unit::Tap &tap) {
  Bench alone(tap);
  one_kernel(alone, false, 0, 77777);
  alone.epoch();
  tap.expect(alone.quota(0) == 77777, "own instructions");
  alone.in.insn[0][0] = 1;
  alone.epoch();
  tap.expect(alone.quota(0) == EPOCH_RESET, "at least T");
  if (kKernels >= 2) {
    Bench b(tap);
    one_kernel(b, false, 0, 40000);  // slot 0 comes after the QoS slot
    b.in.valid[1] = b.in.qos[1] = b.in.had_tb[1] = true;
    b.in.goal[1] = 2 << 16;
    b.in.insn[0][1] = EPOCH_RESET;  // half of its quota
    b.epoch();
    tap.expect(b.quota(0) == 20000, "scaled quota %u", b.quota(0));
    b.in.had_tb[1] = false;
    b.epoch();
    tap.expect(b.quota(0) == 40000, "scaled by a kernel without blocks");
    b.in.had_tb[1] = true;
    b.in.goal[1] = 0;
    b.epoch();
    tap.expect(b.quota(0) == 40000, "divided by a quota of 0");
    b.in.goal[1] = 1;  // quota 1, so that the product is out of range
    b.in.insn[0][1] = 0x7fffffff;
    b.epoch();
    tap.expect(b.quota(0) == kQuotaMax, "not saturated: %u", b.quota(0));
  }
  for (unsigned n = 1; n <= 8; n++) {  // beside a QoS slot that would scale it
    Bench b(tap);
    one_kernel(b, false, 0, 50000);
    if (kKernels >= 2) {
      b.in.valid[1] = b.in.qos[1] = b.in.had_tb[1] = true;
      b.in.goal[1] = 2 << 16;
      b.in.insn[0][1] = 20000;
    }
    b.in.nonqos_quota = n;
    b.epoch();
    tap.expect(b.quota(0) == EPOCH_RESET << (n - 1), "NONQOS_QUOTA %u: %u", n, b.quota(0));
  }
  tap.done("R-QM-8, B4, B5: quota of a non-QoS slot");
}

// Parts named by hand; the bench compares every word with the reference besides.
void test_split(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.in.scheme = QSM_SCHEME_ROLLOVER;
  b.in.alpha_en = false;
  for (unsigned i = 0; i < kSms; i++) b.in.tbs[i][0] = 1;
  for (uint32_t cap : {0u, 1u, 8u, 255u}) {
    one_kernel(b, true, 0, 1);
    b.in.rollover_cap = cap;
    b.in.goal[0] = static_cast<uint32_t>((uint64_t{10} << 16) / EPOCH_RESET);
    b.epoch();
    tap.expect(b.quota(0) == 10, "quota %u", b.quota(0));
  }
  b.in.goal[0] = 1;  // quota 1: every SM gets at least 1
  b.epoch();
  b.in.goal[0] = 0xffffffff;
  b.epoch();
  for (unsigned i = 0; i < kSms; i++) b.in.tbs[i][0] = MAX_TBS;
  b.epoch();
  for (unsigned i = 0; i + 1 < kSms; i++) b.in.tbs[i][0] = 0;
  b.epoch();
  b.in.tbs[kSms - 1][0] = 0;  // S = 0: no words
  b.epoch();

  MgrRef by_hand(3, 1);
  MgrInputs in(3, 1);
  in.valid[0] = true;
  in.insn[0][0] = 10;
  for (unsigned i = 0; i < 3; i++) in.tbs[i][0] = 1;
  by_hand.epoch(in, 1, {0});
  tap.expect(by_hand.words[0][0].quota == 3 && by_hand.words[1][0].quota == 3 &&
                 by_hand.words[2][0].quota == 4,
             "10 in three");
  tap.done("R-QM-9, B7, B8: parts, the least part, credits, no blocks");
}

void test_clear(qsm_unit::Tap &tap) {
  Bench b(tap);
  one_kernel(b, true, 1, 5);
  b.epoch();
  tap.expect(b.hist_cycles(0) == EPOCH_RESET + kNocLat, "cycles up to E: %llu",
             static_cast<unsigned long long>(b.hist_cycles(0)));
  b.cycle();
  b.clear(0);
  b.cycle();
  tap.expect(b.hist_cycles(0) == 0 && get(b.top.insn_o, 0, 48) == 0, "history not cleared");
  const uint64_t from = b.now();
  b.epoch();
  const uint64_t e = b.now() - 1 - kQosLat;
  tap.expect(b.hist_cycles(0) == e - from + 1, "the running epoch counts from the clear on");
  tap.done("HIST_CLEAR clears the history and the running count");
}

// A QoS slot 1 with half of the instructions of its quota of 2 T, beside a slot 0 without a goal;
// no alpha.
void pair(Bench &b, uint32_t own) {
  one_kernel(b, false, 0, own);
  b.in.scheme = QSM_SCHEME_ROLLOVER;
  b.in.alpha_en = false;
  b.in.valid[1] = b.in.qos[1] = b.in.had_tb[1] = b.busy[1] = true;
  b.in.goal[1] = 2 << 16;
  b.in.insn[0][1] = EPOCH_RESET;
  b.in.tbs[0][1] = 1;
}

bool needs_two(qsm_unit::Tap &tap, const char *name) {
  if (kKernels >= 2) return true;
  tap.done((std::string(name) + " # SKIP needs two kernels").c_str());
  return false;
}

void test_unfed(qsm_unit::Tap &tap) {
  const char *name = "R-QM-13 unfed: an artificial goal begins with at most the last quota";
  if (!needs_two(tap, name)) return;
  const uint32_t t = EPOCH_RESET;
  Bench b(tap);
  pair(b, 16 * t);
  auto is = [&](uint32_t want, const char *what) {
    b.epoch();
    tap.expect(b.quota(0) == want, "%s: %u, not %u", what, b.quota(0), want);
  };
  b.in.alpha_en = b.in.unfed = true;
  b.in.alpha_cap = 0x20000;  // the QoS slot's quota is 4 T
  is(4 * t, "in its first epoch");
  is(t, "its last quota, scaled");
  b.in.unfed = false;
  is(4 * t, "all that it issued");
  b.in.unfed = true;
  b.in.insn[0][0] = 4 * t;
  is(t, "no more than its quota");
  b.in.no_floor = true;
  b.in.insn[0][0] = t / 2;
  is(t / 2 / 4, "less than its quota");
  b.in.no_floor = false;
  b.in.insn[0][0] = 16 * t;
  is(t, "the last quota without a floor");
  b.in.valid[1] = b.in.qos[1] = false;
  is(16 * t, "nobody has a goal");
  b.in.valid[1] = b.in.qos[1] = true;
  is(4 * t, "a quota that was large");
  b.clear(0);
  is(4 * t, "forgotten at an arrival");
  is(t, "and known again");
  b.in.qos[0] = true;
  b.in.goal[0] = 1 << 16;
  is(t, "with a goal");
  b.in.qos[0] = false;
  is(4 * t, "and without it again");
  is(t, "the second time");
  b.in.alpha_cap = 0x10000;
  is(8 * t, "alpha is 1");
  b.in.scheme = QSM_SCHEME_NAIVE;
  is(8 * t, "a scheme without alpha");
  tap.done(name);
}

void test_carried(qsm_unit::Tap &tap) {
  const char *name = "R-QM-13 carried: what a QoS slot has left counts in what it has to spend";
  if (!needs_two(tap, name)) return;
  const uint32_t t = EPOCH_RESET;
  Bench b(tap);
  pair(b, 16 * t);
  auto is = [&](uint32_t want, const char *what) {
    b.epoch();
    tap.expect(b.quota(0) == want, "%s: %u, not %u", what, b.quota(0), want);
    tap.expect(b.quota(1) == 2 * t, "%s: its quota is %u", what, b.quota(1));
  };
  b.in.c[0][1] = static_cast<int32_t>(2 * t);
  is(8 * t, "off");
  b.in.carried = true;
  is(4 * t, "as much as its quota");
  b.in.rollover_cap = 1;
  b.in.c[0][1] = static_cast<int32_t>(6 * t);
  is(2 * t, "the cap does not matter");
  if (kSms > 1) {
    b.in.c[0][1] = static_cast<int32_t>(t);
    b.in.c[1][1] = static_cast<int32_t>(t);
    is(4 * t, "of two SMs");
    b.in.c[1][1] = -5;
    b.in.c[0][1] = static_cast<int32_t>(2 * t);
    is(4 * t, "debt elsewhere");
    b.in.c[1][1] = 0x7fffffff;
    b.in.no_floor = true;
    is(static_cast<uint32_t>(uint64_t{16} * t * t / 0x7fffffff), "more than there can be");
    b.in.no_floor = false;
    b.in.scheme = QSM_SCHEME_SM_ROLLOVER;
    b.in.usage[1] = QSM_USE_OWNED;
    is(4 * t, "on an SM without quotas");
  }
  b.in.scheme = QSM_SCHEME_ELASTIC;
  is(8 * t, "a scheme that does not carry over");
  tap.done(name);
}

void test_all_cycles(qsm_unit::Tap &tap) {
  Bench b(tap);
  one_kernel(b, true, 2, 5);
  b.in.scheme = QSM_SCHEME_ROLLOVER;
  b.in.all_cycles = true;
  b.busy[0] = false;
  b.epoch();
  tap.expect(b.hist_cycles(0) == 0, "cycles before the first launch");
  b.busy[0] = true;
  b.cycle();
  b.busy[0] = false;
  const uint64_t from = b.now();
  b.in.tbs[0][0] = 0;
  b.epoch();
  uint64_t e = b.now() - 1 - kQosLat;
  tap.expect(b.hist_cycles(0) == e - from + 2, "a gap does not count");
  tap.expect(b.keep(0), "credit does not outlive a gap");
  const uint64_t before = b.hist_cycles(0);
  b.in.all_cycles = false;
  b.epoch();
  tap.expect(b.hist_cycles(0) == before + kQosLat, "a gap counts, behind that up to the switch");
  tap.expect(!b.keep(0), "credit outlives a gap");
  b.in.all_cycles = true;
  b.clear(0);
  b.epoch();
  tap.expect(b.hist_cycles(0) == 0, "cycles before the first launch since the clear");
  tap.expect(!b.keep(0), "credit of who was there before");
  b.epoch();
  tap.expect(b.keep(0), "no credit of a slot that is known");
  b.in.tbs[kSms - 1][0] = 1;
  b.epoch();
  tap.expect(!b.keep(0), "words and credit");
  b.in.tbs[kSms - 1][0] = 0;
  b.in.scheme = QSM_SCHEME_NAIVE_HISTORY;
  b.epoch();
  tap.expect(!b.keep(0), "credit in a scheme that does not carry over");
  b.in.scheme = QSM_SCHEME_ROLLOVER_TIME;
  b.in.qos[0] = false;
  b.epoch();
  tap.expect(!b.keep(0), "credit without a goal");
  b.in.qos[0] = true;
  b.epoch();
  tap.expect(!b.keep(0), "credit from before it had a goal");
  b.epoch();
  tap.expect(b.keep(0), "no credit under Rollover-Time");
  b.in.valid[0] = b.in.qos[0] = false;
  b.epoch();
  tap.expect(!b.keep(0), "credit of an empty slot");
  if (kSms > 1) {  // blocks on an SM of its own alone
    b.in.valid[0] = b.in.qos[0] = true;
    b.in.scheme = QSM_SCHEME_SM_ROLLOVER;
    b.in.usage[0] = QSM_USE_OWNED;
    b.in.tbs[0][0] = 1;
    b.epoch();
    tap.expect(b.keep(0), "no credit of a slot without blocks on common SMs");
  }
  tap.done("R-QM-13, R-QM-2 all_cycles: gaps count, credit outlives them");
}

void test_pooled(qsm_unit::Tap &tap) {
  const uint32_t t = EPOCH_RESET;
  Bench b(tap);
  one_kernel(b, true, 2, 5);
  b.in.scheme = QSM_SCHEME_ROLLOVER;
  b.in.alpha_en = false;
  b.in.pooled = true;
  b.in.tbs[0][0] = 0;
  b.in.tbs[kSms - 1][0] = 1;
  auto is = [&](uint64_t want, const char *what) {
    b.epoch();  // every word is compared
    tap.expect(b.quota(0) == 2 * t, "%s: the quota is %u", what, b.quota(0));
    MgrRef by_hand(kSms, kKernels);
    by_hand.epoch(b.in, t, std::vector<uint64_t>(kKernels));
    const MgrRef::Word &word = by_hand.words[kSms - 1][0];
    tap.expect(word.quota == want && (word.credit == 0) == b.in.pooled,
               "%s: a word of %llu, credit %llu", what, static_cast<unsigned long long>(word.quota),
               static_cast<unsigned long long>(word.credit));
  };
  is(2 * t, "nothing left");
  b.in.c[0][0] = 1000;
  is(2 * t + 1000, "left on another SM");
  b.in.pooled = false;
  is(2 * t, "off");
  b.in.pooled = true;
  b.in.rollover_cap = 1;
  b.in.c[0][0] = static_cast<int32_t>(2 * t);
  is(4 * t, "up to the cap");
  b.in.c[0][0] = static_cast<int32_t>(2 * t + 1);
  is(4 * t, "above the cap");
  b.in.rollover_cap = 0;
  is(4 * t + 1, "no cap");
  b.in.c[0][0] = 0x7fffffff;
  is(0x7fffffff, "all that there can be");
  tap.done("R-QM-13, R-QM-9 pooled: what is left is split with the quota");
}

void test_no_floor(qsm_unit::Tap &tap) {
  const char *name = "R-QM-13 no_floor: artificial goals below T; the first one begins with T";
  if (!needs_two(tap, name)) return;
  const uint32_t t = EPOCH_RESET;
  Bench b(tap);
  pair(b, 16 * t);
  auto is = [&](uint32_t want, const char *what) {
    b.epoch();
    tap.expect(b.quota(0) == want, "%s: %u, not %u", what, b.quota(0), want);
  };
  b.in.no_floor = true;
  is(t / 2, "the first one");
  is(8 * t, "the second one");
  b.in.insn[0][0] = 10;
  is(5, "below T");
  b.in.insn[0][0] = 1;
  is(0, "none");
  b.in.no_floor = false;
  is(t, "the floor");
  b.in.no_floor = true;
  b.in.insn[0][0] = 16 * t;
  b.in.had_tb[1] = false;
  b.clear(0);
  is(t, "the first one, not scaled");
  is(16 * t, "the second one, not scaled");
  b.in.nonqos_quota = 3;
  b.clear(0);
  is(4 * t, "a fixed quota");
  tap.done(name);
}

void test_margin(qsm_unit::Tap &tap) {
  const uint32_t t = EPOCH_RESET, cycles = t + kNocLat;
  auto run = [&](unsigned margin, uint32_t goal, uint32_t quota, uint32_t ratio) {
    Bench b(tap);
    one_kernel(b, true, 0, cycles);
    b.in.goal[0] = goal;
    b.in.margin = margin;
    b.epoch();
    tap.expect(b.quota(0) == quota && b.ratio(0) == ratio,
               "margin %u of %x: quota %u, ratio %x, not %u, %x", margin, goal, b.quota(0),
               b.ratio(0), quota, ratio);
  };
  run(0, 16 << 16, 16 * t, 16 << 16);
  for (unsigned n = 1; n <= 7; n++)
    run(n, 16 << 16, 16 * t + ((16 * t) >> (11 - n)) + ((16 * t) % (1u << (11 - n)) != 0),
        (16 << 16) + (16 << 16 >> (11 - n)));
  run(7, 15, (15 * t + 65535) >> 16, 15);  // rounded down
  run(7, 16, (17 * t + 65535) >> 16, 17);
  const auto most = static_cast<uint32_t>((uint64_t{0xffffffff} * t + 65535) >> 16);
  run(7, 0xf0f0f0f0, most, kRatioMax);  // the largest goal that fits with this margin
  run(7, 0xf0f0f0f1, most, kRatioMax);
  run(1, 0xffffffff, most, kRatioMax);
  tap.done("R-QM-13, R-QM-6 margin: goals raised, down to the last digit and up to the largest");
}

// R-SC-8: goal over history in every scheme but pace, whatever alpha does.
void test_ratio(qsm_unit::Tap &tap) {
  const uint32_t cycles = EPOCH_RESET + kNocLat;
  for (unsigned scheme = 0; scheme < QSM_SCHEME_COUNT; scheme++) {
    if (scheme == QSM_SCHEME_PACE) continue;  // R-PA-13
    auto is = [&](bool qos, double goal, uint32_t insn, bool busy, uint32_t want,
                  const char *what) {
      Bench b(tap);
      one_kernel(b, qos, goal, insn);
      b.in.scheme = scheme;
      b.in.alpha_en = scheme % 2;
      b.busy[0] = busy;
      b.epoch();
      tap.expect(b.ratio(0) == want, "scheme %u, %s: %x, not %x", scheme, what, b.ratio(0), want);
    };
    is(true, 4, 2 * cycles, true, 0x20000, "half of the goal");
    is(true, 1, 4 * cycles, true, 0x4000, "ahead of the goal");
    is(true, 1, 3 * cycles, true, 0x5556, "rounded up");
    is(true, 8, cycles, true, 0x80000, "an eighth");
    is(true, 64, cycles + 1, true, (64u << 16) * cycles / (cycles + 1) + 1, "a 64th and more");
    is(true, 64, cycles, true, kRatioMax, "a 64th");
    is(true, 4, 0, true, kRatioMax, "no instructions");
    is(true, 0, 0, true, kRatioMax, "no goal, no instructions");
    is(true, 4, 9, false, 0, "no cycles");
    is(false, 4, cycles, true, 0, "no QoS");
  }
  tap.done("R-SC-8: the ratio of goal and history");
}

void test_fair(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.in.scheme = QSM_SCHEME_FAIR;
  b.epoch_len = 10000;
  auto is = [&](unsigned k, uint32_t want, const char *what) {
    tap.expect(b.quota(k) == want, "%s: quota of %u is %u, not %u", what, k, b.quota(k), want);
    tap.expect(b.alpha(k) == kAlphaOne, "alpha %x", b.alpha(k));
  };
  b.epoch();
  one_kernel(b, true, 4, 1);
  b.in.iso_ipc[0] = 64 << 16;
  b.epoch();
  is(0, 640000, "alone");
  b.in.had_tb[0] = false;
  b.epoch();
  is(0, 640000, "alone, without blocks");
  b.in.had_tb[0] = true;
  b.in.iso_ipc[0] = 1;
  b.epoch();
  is(0, 1, "rounded up");
  b.in.iso_ipc[0] = 0xffffffff;
  b.epoch();
  is(0, 655360000, "the highest IPC");
  if (kKernels >= 2) {
    b.in.valid[1] = b.in.had_tb[1] = true;
    b.in.iso_ipc[0] = 64 << 16;
    b.in.iso_ipc[1] = 32 << 16;
    b.epoch();
    is(0, 320000, "two");
    is(1, 160000, "two");
    b.in.iso_ipc[0] = b.in.iso_ipc[1] = 7;  // 70000 / 2^17
    b.epoch();
    is(0, 1, "rounded up");
    is(1, 0, "rounded down");
    b.in.valid[1] = false;
    b.in.iso_ipc[0] = 64 << 16;
    b.epoch();
    is(0, 640000, "the other has left");
  }
  b.epoch_len = (1u << 20) - 1;
  b.in.iso_ipc[0] = 0xffffffff;
  b.epoch();
  b.epoch();
  is(0, kQuotaMax, "saturated");
  tap.done("R-SC-10, B17: quotas of Fair");
}

// R-QM-12: kernels with SMs of their own beside those that are common.
void test_both(qsm_unit::Tap &tap) {
  if (kKernels < 2 || kSms < 3) {
    tap.done("R-QM-12, R-SC-15: quotas for common SMs # SKIP needs two kernels, three SMs");
    return;
  }
  Bench b(tap);
  b.in.scheme = QSM_SCHEME_SM_ROLLOVER;
  b.in.alpha_en = false;
  b.epoch_len = 1000;
  b.epoch();  // T of the next one on
  one_kernel(b, true, 8, 0);
  b.in.valid[1] = b.in.had_tb[1] = true;
  // SM 0 is the first kernel's, SM 1 common, SM 2 moves to the second one
  b.in.usage[0] = QSM_USE_OWNED;
  b.in.moving[2] = true;
  for (unsigned i = 0; i < 3; i++) b.in.tbs[i][0] = b.in.tbs[i][1] = 1;
  struct Row {
    uint32_t own, common, moves;  // instructions of the first kernel
    uint64_t word;                // its quota on SM 1
    bool ample = true;            // it is an epoch ahead of its goal
  };
  for (const Row &row :
       {Row{5000, 2000, 1000, 2000}, Row{7999, 0, 0, 1}, Row{0, 8000, 0, 8000}, Row{7998, 7, 0, 2},
        Row{9000, 0, 0, 1}, Row{0x7fffffff, 0, 0xffffffff, 1}, Row{5000, 2000, 1000, 5000, false},
        Row{3000, 9000, 3001, 3001, false}, Row{1000, 9000, 999, 6001, false},
        Row{9000, 0, 0, 9000, false}, Row{0, 0xffffffff, 0xffffffff, 0x7fffffff, false}}) {
    b.in.ample[0] = row.ample;
    b.in.insn[0][0] = row.own;
    b.in.insn[1][0] = row.common;
    b.in.insn[2][0] = row.moves;
    for (unsigned i = 0; i < 3; i++) b.in.insn[i][1] = 100 * (i + 1);
    b.epoch();  // every word is compared
    MgrRef by_hand(kSms, kKernels);
    by_hand.epoch(b.in, 1000, std::vector<uint64_t>(kKernels));
    tap.expect(b.quota(0) == 8000, "quota %u", b.quota(0));
    tap.expect(by_hand.words[1][0].quota == row.word, "own %u: a word of %llu", row.own,
               static_cast<unsigned long long>(by_hand.words[1][0].quota));
    tap.expect(!by_hand.words[0][0].has && !by_hand.words[2][0].has, "a word for an SM of its own");
  }
  // the other one's quota grows from what it issued on SM 1, with all that the first one did
  b.in.insn[0][0] = 14000;
  b.in.insn[1][0] = 2000;
  b.in.insn[2][0] = 0;
  b.in.insn[1][1] = 3000;
  b.epoch();
  tap.expect(b.quota(1) == 6000, "quota of the other %u", b.quota(1));
  b.in.scheme = QSM_SCHEME_ROLLOVER;  // where all SMs have quotas
  b.epoch();
  tap.expect(b.quota(1) == 6800, "quota of the other under rollover %u", b.quota(1));
  tap.done("R-QM-12, R-SC-15: quotas for common SMs, less by what was issued elsewhere");
}

// The examples of docs/guarantee.md, and what is too large.
void test_owed(qsm_unit::Tap &tap) {
  const uint32_t t = 10000;
  Bench b(tap);
  b.epoch_len = t;
  b.in.scheme = QSM_SCHEME_PACE;
  b.epoch();  // T of the next one on
  one_kernel(b, true, 2.0, 0);
  const unsigned some = 3;
  // An epoch with so many cycles of a launch, and instructions; known, or not.
  auto is = [&](unsigned busy, uint32_t insn, bool known, uint64_t want, const char *what) {
    if (!known) b.clear(0);
    b.in.insn[0][0] = insn;
    b.busy[0] = false;
    if (!known) b.cycle();
    for (b.busy[0] = true; busy != 0; busy--) b.cycle();
    b.busy[0] = false;
    b.epoch();
    tap.expect(b.quota(0) == want, "%s: quota %u, not %llu", what, b.quota(0),
               static_cast<unsigned long long>(want));
    tap.expect(b.alpha(0) == kAlphaOne, "alpha %x", b.alpha(0));
  };
  is(4000, 8000, false, 21874, "not known");
  is(4000, 10000, false, 20000, "not known, ahead");
  is(some, 18750, true, 21250, "known");
  is(some, 20900, true, 20350, "the next");
  is(some, 23000, true, 20000, "ahead: forgotten");
  is(some, 18750, true, 21250, "known");
  is(1, 0, true, 60625, "one cycle of a launch: 21,250, and the reserve grows by 19,375");
  is(some, 30625, true, 58750, "30,000, and the reserve grows by 8,750");
  is(0, 0, true, 58750, "no launch: its debt stays");
  is(0, 0, true, 58750, "no launch again");
  is(some, 0, true, 88750, "58,750, and the reserve by 10,000 to its most");
  for (unsigned n = 0; n < 12; n++) is(some, 0, true, std::min(180000u, 108750 + n * 20000), "top");
  is(0, 0, true, 180000, "no launch at the top");
  b.in.rollover_cap = 2;
  is(0, 0, true, 60000, "a lower top");
  b.in.rollover_cap = 0;
  is(some, 0, true, 80000, "no top");
  b.in.goal[0] = 0xffffffff;  // F = 655,360,000
  is(some, 0, true, 655480000, "a large goal");
  is(some, 0, true, 1966240000, "and more");
  is(some, 0, true, kQuotaMax, "saturated");
  is(0, 0, true, kQuotaMax, "saturated, no launch");
  is(some, kQuotaMax, true, 655360000, "all of it");
  is(some, 0xffffffff, true, 655360000, "all of it");
  b.in.goal[0] = 7;
  is(0, 0, false, 3, "rounded up: 2^-16 * 7 * 937, and F = 2");
  is(8425, 0, false, 3, "below 1");
  is(8426, 0, false, 4, "above 1");
  b.in.margin = 7;
  b.in.goal[0] = 2 << 16;
  is(4000, 8000, false, 23742, "with a margin: 21,250 + 10,492 - 8,000");
  b.in.margin = 0;
  b.in.scheme = QSM_SCHEME_NAIVE;
  is(some, 0, true, 20000, "naive");
  b.in.scheme = QSM_SCHEME_PACE;
  is(some, 5000, true, 50000, "another scheme's debt is taken over, its reserve is 0");
  b.in.qos[0] = false;
  b.in.nonqos_quota = 3;
  is(some, 5000, true, 0, "without a goal");
  b.in.nonqos_quota = 0;
  is(some, 5000, true, 0, "without a goal");
  b.in.qos[0] = true;
  is(some, 256, true, 21624, "not known with a goal");  // 20,000 + 2 * (3 + 937) - 256
  tap.done("R-PA-1 to R-PA-3, R-PA-12: quotas of pace, by the examples");
}

// R-PA-13: r_k is on the side of 1 that the debt says, whatever the history is.
void test_short(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.epoch_len = 10000;
  b.in.scheme = QSM_SCHEME_PACE;
  b.epoch();
  one_kernel(b, true, 2.0, 0);
  auto is = [&](uint32_t insn, bool wants, const char *what) {
    b.in.insn[0][0] = insn;
    b.epoch();
    tap.expect((b.ratio(0) > kAlphaOne) == wants, "%s: ratio %x", what, b.ratio(0));
  };
  is(0xffffff, false, "nothing owed; the reserve is 1,875");
  is(20000 - 2000, false, "2,000 owed, and the reserve grows by 125");
  is(22125 - 2250, false, "2,250 owed, and the reserve grows by 250: an eighth");
  tap.expect(b.quota(0) == 22500, "quota %u", b.quota(0));
  is(22500 - 2376, true, "2,376 owed, and the reserve grows by 126: 2,502");
  is(0xffffff, false, "nothing owed");
  b.in.goal[0] = 0xffff;
  is(15000, true, "owed of a higher goal, though the history is far above this one");
  tap.done("R-PA-13: a kernel asks for blocks by its debt");
}

// Launches of slot 0 with a goal of 2 per cycle, F = 20,000, one after the other; under Rollover
// (R-DL-7) too.
void test_deadlines(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.epoch_len = 10000;
  one_kernel(b, true, 2.0, 20000);
  b.in.scheme = QSM_SCHEME_PACE;
  b.busy[0] = false;
  b.epoch();
  b.epoch();
  auto ends = [&](uint32_t insn, uint32_t quota, uint32_t ratio, const char *what) {
    b.in.insn[0][0] = insn;
    b.epoch();
    tap.expect(b.quota(0) == quota, "%s: quota %u, not %u", what, b.quota(0), quota);
    tap.expect(ratio == 0 || b.ratio(0) == ratio, "%s: ratio %x, not %x", what, b.ratio(0), ratio);
  };
  // So many cycles before the next E.
  auto start = [&](uint32_t left) {
    const uint64_t e = b.next_e();
    b.busy[0] = false;
    while (b.now() + left != e) b.cycle();
    b.launch(0);
  };
  auto begin = [&](uint32_t left, uint32_t deadline, uint32_t work) {
    b.busy[0] = false;
    b.deadline(0, deadline);
    b.work(0, work);
    start(left);
  };
  b.arrive(0);
  b.busy[0] = true;
  ends(20000, 20000, 0, "without a deadline");
  ends(30000, 20000, 0, "without a deadline");
  b.busy[0] = false;
  b.epoch();
  begin(4000, 50000, 100000);
  ends(8000, 20000, kAlphaOne, "fresh");
  ends(20000, 20000, kAlphaOne, "in time");
  ends(11000, 23462, kRatioMax, "short: 9,000 are owed");
  ends(23462, 20000, kAlphaOne, "owed nothing: its goal is the most");
  ends(20000, 20000, kAlphaOne, "17,538 of 6,000 cycles");
  ends(17537, 22463, 0, "passed: owed as ever");
  ends(20000, 22463, 0, "passed for good");
  begin(4000, 50000, 100000);
  ends(8000, 21740, kAlphaOne, "mixed: nothing is counted");
  ends(80000, 5556, kAlphaOne, "100,000 - 80,000 in 36,000");
  ends(5556, 5556, kAlphaOne, "ahead");
  ends(0, 9028, kRatioMax, "14,444 in 16,000");
  ends(14443, 2, kAlphaOne, "one is left");
  ends(1, 20001, 0, "all of it done: its goal, and 1 is owed");
  begin(4000, 100000, 10000);
  ends(5000, 1042, kAlphaOne, "mixed");
  ends(5000, 582, kAlphaOne, "half");
  ends(5000, 20000, 0, "all of it: its goal");
  // The reserve has been raised to 15,001 by what mixed launches have left.
  ends(0, 20000 + 20000 + 4999, 0, "work exceeded: owed as ever");
  begin(1, 0x7fffffff, 0xffffffff);
  ends(0, 20001, kAlphaOne, "all there is to do, in all the time");
  begin(1, 2, 0xffffffff);
  ends(20000, 20001, kAlphaOne, "at once: its goal, and 1 is owed");
  begin(100, 50000, 100000);
  b.deadline(0, 60000);
  b.work(0, 50000);
  ends(20000, 20001, kAlphaOne, "mixed, by what was said before it began");
  b.busy[0] = false;
  ends(100, 39901, 0, "no launch in E");
  start(4000);
  ends(100, 8911, kAlphaOne, "the next: 49,900 in 56,000, by what was said for it");
  b.in.scheme = QSM_SCHEME_ROLLOVER;
  b.epoch();
  b.in.scheme = QSM_SCHEME_PACE;
  ends(100, 13806, kRatioMax, "the work went on under another scheme: 49,700 in 36,000");
  b.busy[0] = false;
  b.arrive(0);
  start(4000);
  ends(100, 33706, 0, "a new tenant");
  begin(10, 0, 50000);
  ends(20000, 33706, 0, "no deadline");
  begin(10, 50000, 0);
  ends(33706, 20000, 0, "no work");
  tap.done("R-DL-1 to R-DL-5, R-DL-7: quotas of launches with deadlines, by the examples");
}

// Two QoS kernels beside a third (R-SC-11), T = 1000: quotas 1000 and 500, of which they did 900
// and 600.
void test_trio(qsm_unit::Tap &tap) {
  if (kKernels < 3) {
    tap.done("R-SC-11: trios # SKIP needs three kernels");
    return;
  }
  Bench b(tap);
  b.in.scheme = QSM_SCHEME_NAIVE;
  b.epoch_len = 1000;
  one_kernel(b, true, 1, 900);
  b.in.valid[1] = b.in.had_tb[1] = b.in.qos[1] = b.in.valid[2] = b.in.had_tb[2] = true;
  b.in.goal[1] = 1 << 15;
  b.in.insn[0][1] = 600;
  b.epoch();
  for (const auto &[own, want] :
       {std::make_pair(4000u, 4320u), std::make_pair(2000u, 2160u), std::make_pair(700u, 1000u)}) {
    b.in.insn[0][2] = own;
    b.epoch();
    tap.expect(b.quota(2) == want, "own %u: %u, not %u", own, b.quota(2), want);
  }
  b.in.qos[1] = false;  // one QoS kernel: the others do not see each other
  b.in.insn[0][1] = 4000;
  b.in.insn[0][2] = 2000;
  b.epoch();
  tap.expect(b.quota(1) == 3600 && b.quota(2) == 1800, "one QoS kernel: %u, %u", b.quota(1),
             b.quota(2));
  tap.done("R-SC-11, B5: trios");
}

// All slots busy with all that takes time, for every number of QoS slots.
void test_slowest(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  const unsigned slow[] = {QSM_SCHEME_ROLLOVER, QSM_SCHEME_FAIR, QSM_SCHEME_NAIVE,
                           QSM_SCHEME_SM_ROLLOVER, QSM_SCHEME_PACE};
  for (unsigned run = 0; run < 5u << kKernels; run++) {
    const unsigned set_of_qos = run % (1u << kKernels);
    Bench b(tap);
    b.in.scheme = slow[run >> kKernels];
    b.in.alpha_cap = 0;
    for (unsigned k = 0; k < kKernels; k++) {
      b.in.valid[k] = b.in.had_tb[k] = b.busy[k] = true;
      b.in.qos[k] = (set_of_qos >> k) & 1;
      b.in.goal[k] = 65536 + random.below(65536);
      b.in.iso_ipc[k] = random.bits32();
      for (unsigned i = 0; i < kSms; i++) {
        b.in.tbs[i][k] = MAX_TBS;
        b.in.insn[i][k] = 1 + random.below(20000);
      }
    }
    b.epoch();
    if (b.in.scheme == QSM_SCHEME_PACE) {
      for (unsigned k = 0; k < kKernels; k++) {
        b.busy[k] = false;
        b.deadline(k, 1 + random.below(1 << 20));
        b.work(k, 100000000 + random.bits32() / 2);
        b.launch(k);
      }
    }
    b.epoch();
  }
  tap.done("R-QM-11, R-DL-6: the least QosLat suffices for every set of QoS slots");
}

// Anything that registers and counters can hold; registers change and histories are cleared between
// the epochs.
void randomize(MgrInputs &in, qsm_unit::Random &random) {
  in.scheme = random.below(QSM_SCHEME_COUNT);
  in.alpha_cap = random.one_in(3)   ? 0
                 : random.one_in(8) ? 0x3fffff
                                    : 0x10000 + random.below(0x3f0000) / (1 + random.below(64));
  in.rollover_cap = random.one_in(4) ? 0 : random.below(256);
  in.alpha_en = !random.one_in(8);
  in.unfed = random.one_in(2);
  in.carried = random.one_in(2);
  in.all_cycles = random.one_in(2);
  in.pooled = random.one_in(2);
  in.no_floor = random.one_in(2);
  in.margin = random.one_in(2) ? 0 : random.below(8);
  in.nonqos_quota = random.one_in(4) ? random.below(9) : 0;
  const unsigned uses = random.one_in(4) ? 1 : QSM_SM_USE_COUNT, moves = 1 + random.below(6);
  for (unsigned i = 0; i < kSms; i++) {
    in.usage[i] = random.one_in(2) ? QSM_USE_SHARED : random.below(uses);
    in.moving[i] = random.one_in(moves + 1);
  }
  if (random.one_in(3)) in.scheme = QSM_SCHEME_SM_ROLLOVER;
  if (random.one_in(4)) in.scheme = QSM_SCHEME_PACE;
  for (unsigned k = 0; k < kKernels; k++) {
    in.valid[k] = !random.one_in(8);
    in.qos[k] = in.valid[k] && random.one_in(2);
    in.had_tb[k] = !random.one_in(6);
    in.ample[k] = random.one_in(2);
    in.goal[k] = random.bits32() >> random.below(32);
    in.iso_ipc[k] = random.bits32() >> random.below(32);
    const unsigned size = random.below(32);
    const bool sparse = random.one_in(3), none = random.one_in(10);
    for (unsigned i = 0; i < kSms; i++) {
      in.insn[i][k] = random.one_in(4) ? 0 : random.bits32() >> size;
      in.c[i][k] = static_cast<int32_t>(random.bits32()) >> random.below(32);
      in.tbs[i][k] = none || (sparse && !random.one_in(4)) ? 0 : random.below(MAX_TBS + 1);
    }
  }
}

// Histories of any length; those of a third of the kernels give ratios that alpha does not clip.
void remember_anything(Bench &b, qsm_unit::Random &random) {
  auto of_any_size = [&]() {
    return (uint64_t{random.bits32()} << 16 | random.below(1u << 16)) >> random.below(48);
  };
  b.have_run(random.bits32());
  for (unsigned k = 0; k < kKernels; k++) {
    const uint64_t cycles = of_any_size();
    const auto goal_insn = static_cast<uint64_t>(
        (static_cast<unsigned __int128>(cycles) * b.in.goal[k]) >> (15 + random.below(9)));
    b.remember(k, random.one_in(3) && goal_insn >> 48 == 0 ? goal_insn : of_any_size(), cycles);
  }
}

// A cycle, in half of them with a write. Deadlines end within some epochs, or never.
void meddle(Bench &b, qsm_unit::Random &random) {
  const unsigned k = random.below(kKernels);
  switch (random.below(8)) {
    case 0: return b.deadline(k, random.one_in(6) ? random.bits32() >> 1 : random.below(4000));
    case 1: return b.work(k, random.bits32() >> random.below(32));
    case 2:
      if (!random.one_in(8)) return b.cycle();
      return b.arrive(k);
    case 3:
    case 4:
    case 5: b.busy[k] = false; return b.launch(k);
    default: return b.cycle();
  }
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  for (unsigned k = 0; k < kKernels; k++) b.arrive(k);
  for (unsigned k = 0; k < kKernels; k++) b.launch(k);
  for (unsigned n = 0; n < 2500 && !tap.failed(); n++) {
    randomize(b.in, random);
    if (random.one_in(3)) remember_anything(b, random);
    b.epoch_len = kEpochMin + random.below(40);
    for (unsigned c = random.below(10); c > 0; c--) {
      for (unsigned k = 0; k < kKernels; k++) {
        if (random.one_in(5)) b.busy[k] = false;
        if (random.one_in(60)) b.clear(k);
      }
      meddle(b, random);
    }
    for (unsigned k = 0; k < kKernels; k++)
      if (b.busy[k]) b.in.valid[k] = true;  // CTX is written while a slot is idle only
    b.epoch();
  }
  tap.done(
      "2,500 random epochs equal the reference, R-QM-12 in a quarter of them, pace with R-DL-1 to "
      "R-DL-5 in another");
}

// Workloads such as there are, against the formulas in double precision: 1 per 1,000, and rounding.
void test_double(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench b(tap);
  b.epoch_len = 1000;
  b.in.scheme = QSM_SCHEME_ROLLOVER;
  std::vector<double> insn(kKernels), cycles(kKernels);
  for (unsigned n = 0; n < 200 && !tap.failed(); n++) {
    std::vector<double> of_epoch(kKernels), want(kKernels);
    for (unsigned k = 0; k < kKernels; k++) {
      b.in.valid[k] = b.in.had_tb[k] = b.busy[k] = true;
      b.in.qos[k] = k < kKernels - 1 || kKernels == 1;
      if (n == 0) b.in.goal[k] = 65536 * (4 + random.below(20)) + random.below(65536);
      for (unsigned i = 0; i < kSms; i++) {
        b.in.insn[i][k] = (3000 + random.below(20000)) / kSms + 1;
        b.in.tbs[i][k] = 1;
        of_epoch[k] += b.in.insn[i][k];
      }
      insn[k] += of_epoch[k];
    }
    b.epoch();
    double other = of_epoch[kKernels - 1];
    for (unsigned k = 0; k < kKernels; k++) {
      cycles[k] = static_cast<double>(b.hist_cycles(k));
      const double goal = b.in.goal[k] / 65536.0;
      if (b.in.qos[k]) {
        want[k] = std::min(4.0, std::max(1.0, goal * cycles[k] / insn[k])) * goal * b.len();
        other *= of_epoch[k] / want[k];
      } else {
        want[k] = std::max<double>(other, b.len());
      }
      const double error = std::fabs(b.quota(k) - want[k]);
      tap.expect(error <= want[k] / 1000 + 1, "quota of %u: %u, in double precision %.3f", k,
                 b.quota(k), want[k]);
    }
  }
  tap.done("quotas differ from double precision by at most 1 per 1,000");
}

void test_longest(qsm_unit::Tap &tap) {
  Bench b(tap);
  one_kernel(b, true, 3.0 / 7, 1);
  b.in.scheme = QSM_SCHEME_ROLLOVER;
  b.in.alpha_cap = 0;
  for (unsigned k = 0; k < kKernels; k++) b.in.valid[k] = b.busy[k] = true;
  b.epoch_len = (1u << 20) - 1;
  b.epoch();
  b.epoch();
  tap.expect(b.alpha(0) == kAlphaMax, "alpha %x", b.alpha(0));
  for (unsigned k = 0; k < kKernels; k++) {
    tap.expect(b.hist_cycles(k) == EPOCH_RESET + kNocLat + (1u << 20) - 1, "cycles %llu",
               static_cast<unsigned long long>(b.hist_cycles(k)));
  }
  tap.done("R-QM-1: the longest epoch");
}

// Quotas that just do not fit, by their size or by rounding alone.
void test_largest_quotas(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.epoch_len = 65535;
  one_kernel(b, true, 0, 1);
  b.in.goal[0] = 0xffffffff;
  b.epoch();
  b.in.iso_ipc[0] =
      static_cast<uint32_t>(((uint64_t{1} << 47) - 1) / 65535);  // a fraction above 2^31 - 1
  for (unsigned scheme : {QSM_SCHEME_NAIVE, QSM_SCHEME_FAIR}) {
    b.in.scheme = scheme;
    b.epoch();
    tap.expect(b.quota(0) == kQuotaMax, "scheme %u: not saturated: %u", scheme, b.quota(0));
  }
  tap.done("R-QM-7, R-SC-10: the largest quotas");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, argv[0]);
  qsm_unit::Tap tap(22);
  qsm_unit::begin_with_anything();
  test_sequence(tap);
  test_alpha(tap);
  test_other(tap);
  test_ratio(tap);
  test_fair(tap);
  test_both(tap);
  test_owed(tap);
  test_deadlines(tap);
  test_short(tap);
  test_trio(tap);
  test_split(tap);
  test_clear(tap);
  test_unfed(tap);
  test_carried(tap);
  test_all_cycles(tap);
  test_pooled(tap);
  test_no_floor(tap);
  test_margin(tap);
  test_slowest(tap, random);
  test_random(tap, random);
  test_double(tap, random);
  test_longest(tap);
  test_largest_quotas(tap);
  return tap.exit_code();
}
