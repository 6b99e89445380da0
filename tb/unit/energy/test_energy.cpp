// SPDX-License-Identifier: Apache-2.0
// Energy counters of an SM (qsm_energy): R-EN-1 to R-EN-3 of docs/energy.md.
#include <array>
#include <cinttypes>
#include <vector>

#include "Vbench_energy.h"

#include "../common/qsm_unit.h"

namespace {

constexpr uint32_t kKernels = NUM_KERNELS, kSubs = NUM_SCHED, kLanes = WARP_SIZE;

// Numbers of the page; the enumerations' are not asked.
enum Event { kIssues, kAlu, kMul, kDiv, kFma, kMem, kReads, kWrites, kShared, kLines, kEvents };
const char *const kNames[kEvents] = {"issues", "alu",       "mul",        "div",    "fma",
                                     "mem",    "reg_reads", "reg_writes", "shared", "lines"};

// Which event counts the lanes of each class, in the order of the classes' numbers: alu, mul, div,
// mem, ctl, fma.
constexpr Event kLanesOf[] = {kAlu, kMul, kDiv, kMem, kAlu, kFma};
constexpr uint32_t kClasses = 6;

struct Issue {
  bool valid = false;
  uint32_t kernel = 0, lanes = 0, cls = 0, operands = 0;
  bool writes = false;
};
struct Pass {
  bool valid = false, shared = false;
  uint32_t kernel = 0, lanes = 0;
};

using Counters = std::array<std::array<uint32_t, kEvents>, kKernels>;

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap) : tap_(tap) {
    top.poke_i = 0;
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
    idle();
    one({0, true});  // that the reset must undo
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
    expected = {};
    sum_slot_ = 0;
  }

  std::vector<Issue> issue = std::vector<Issue>(kSubs);
  Pass pass;

  void idle() {
    issue.assign(kSubs, Issue{});
    pass = Pass{};
  }

  // A cycle; the counter that is looked at must have its value of the cycle's start.
  void cycle(uint32_t slot, uint32_t event) {
    drive();
    look(slot, event);
    uint32_t sum = 0;
    for (uint32_t e = kAlu; e <= kMem; e++) sum += expected[top.sum_o[0]][e];
    tap_.expect(top.sum_o[0] == sum_slot_ && top.sum_o[1] == sum,
                "R-EN-3: slot %u: %u lanes, not %u", top.sum_o[0], top.sum_o[1], sum);
    sum_slot_ = (sum_slot_ + 1) % kKernels;
    for (const Issue &i : issue) {
      if (!i.valid) continue;
      auto &counter = expected[i.kernel];
      counter[kIssues] += 1;
      counter[kLanesOf[i.cls]] += i.lanes;
      counter[kReads] += i.lanes * i.operands;
      if (i.writes) counter[kWrites] += i.lanes;
    }
    if (pass.valid && pass.shared) expected[pass.kernel][kShared] += pass.lanes;
    if (pass.valid && !pass.shared) expected[pass.kernel][kLines] += 1;
    clock();
  }

  // All counters, without an event between.
  void look_at_all() {
    idle();
    drive();
    for (uint32_t k = 0; k < kKernels; k++)
      for (uint32_t e = 0; e < kEvents; e++) look(k, e);
  }

  // Each is counted up first: one that is not yet shows 0 whatever its memory has.
  void poke(uint32_t value) {
    for (uint32_t k = 0; k < kKernels; k++) {
      for (uint32_t cls = 0; cls < kClasses; cls++) {
        issue.assign(kSubs, Issue{true, k, 1, cls, 1, true});
        pass = Pass{true, cls % 2 == 0, k, 1};
        cycle(k, cls);
      }
    }
    idle();
    drive();
    top.poke_i = 1;
    top.poke_value_i = value;
    clock();
    top.poke_i = 0;
    sum_slot_ = (sum_slot_ + 1) % kKernels;
    for (auto &counter : expected) {
      for (uint32_t e = 0; e < kEvents; e++)
        counter[e] = e < kShared ? value * kSubs : value;  // those of the sub-cores are added up
    }
  }

  Vbench_energy top;
  Counters expected{};

 private:
  struct One {
    uint32_t kernel;
    bool writes;
  };
  void one(One o) {
    issue[0] = Issue{true, o.kernel, 1, 0, 2, o.writes};
    pass = Pass{true, true, 0, 1};
    drive();
    clock();
    pass.shared = false;
    drive();
    clock();
  }
  void look(uint32_t slot, uint32_t event) {
    top.slot_i = slot;
    top.event_i = event;
    top.eval();
    tap_.expect(top.value_o == expected[slot][event], "slot %u, %s: %u, not %u", slot,
                kNames[event], top.value_o, expected[slot][event]);
  }
  // Beside a valid bit of 0 stands anything.
  void drive() {
    for (uint32_t s = 0; s < kSubs; s++) {
      const Issue &i = issue[s];
      top.issue_i[s][0] = i.valid;
      top.issue_i[s][1] = i.valid ? i.kernel : qsm_unit::noise(kKernels);
      top.issue_i[s][2] = i.valid ? i.lanes : qsm_unit::noise(kLanes + 1);
      top.issue_i[s][3] = i.valid ? i.cls : qsm_unit::noise(kClasses);
      top.issue_i[s][4] = i.valid ? i.operands : qsm_unit::noise(4);
      top.issue_i[s][5] = i.valid ? i.writes : qsm_unit::noise(2);
    }
    top.pass_i[0] = pass.valid;
    top.pass_i[1] = pass.valid ? pass.shared : qsm_unit::noise(2);
    top.pass_i[2] = pass.valid ? pass.kernel : qsm_unit::noise(kKernels);
    top.pass_i[3] = pass.valid ? pass.lanes : qsm_unit::noise(kLanes + 1);
    top.eval();
  }
  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
  uint32_t sum_slot_ = 0;
};

void test_reset(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.look_at_all();
  tap.done("R-EN-1: every counter is 0 after the reset, whatever was counted before");
}

// Every class with all operands and writes, by numbers: what each of ten counters has afterwards.
void test_classes(qsm_unit::Tap &tap) {
  struct Row {
    Issue issue;
    uint32_t want[kEvents];
  };
  const uint32_t n = kLanes;
  const uint32_t k = kKernels - 1;
  const Row rows[] = {
      // class alu: lui, addi, add, a fence, a store of x0 as an add of x0
      {{true, k, n, 0, 0, true}, {1, n, 0, 0, 0, 0, 0, n, 0, 0}},
      {{true, k, n, 0, 1, true}, {1, n, 0, 0, 0, 0, n, n, 0, 0}},
      {{true, k, n, 0, 2, true}, {1, n, 0, 0, 0, 0, 2 * n, n, 0, 0}},
      {{true, k, n, 0, 0, false}, {1, n, 0, 0, 0, 0, 0, 0, 0, 0}},
      {{true, k, n, 1, 2, true}, {1, 0, n, 0, 0, 0, 2 * n, n, 0, 0}},
      {{true, k, n, 2, 2, true}, {1, 0, 0, n, 0, 0, 2 * n, n, 0, 0}},
      {{true, k, 1, 2, 1, true}, {1, 0, 0, 1, 0, 0, 1, 1, 0, 0}},
      {{true, k, n, 3, 1, true}, {1, 0, 0, 0, 0, n, n, n, 0, 0}},
      {{true, k, n, 3, 2, false}, {1, 0, 0, 0, 0, n, 2 * n, 0, 0, 0}},
      {{true, k, 1, 3, 2, true}, {1, 0, 0, 0, 0, 1, 2, 1, 0, 0}},
      {{true, k, n, 4, 2, false}, {1, n, 0, 0, 0, 0, 2 * n, 0, 0, 0}},
      {{true, k, n, 4, 0, false}, {1, n, 0, 0, 0, 0, 0, 0, 0, 0}},
      {{true, k, n, 4, 0, true}, {1, n, 0, 0, 0, 0, 0, n, 0, 0}},
      {{true, k, n, 5, 3, true}, {1, 0, 0, 0, n, 0, 3 * n, n, 0, 0}},
      {{true, k, 1, 5, 1, false}, {1, 0, 0, 0, 1, 0, 1, 0, 0, 0}},
  };
  for (const Row &row : rows) {
    for (uint32_t s = 0; s < kSubs; s++) {
      Bench b(tap);
      b.issue[s] = row.issue;
      b.cycle(k, kIssues);
      for (uint32_t e = 0; e < kEvents; e++) {
        b.top.slot_i = k;
        b.top.event_i = e;
        b.top.eval();
        tap.expect(b.top.value_o == row.want[e], "class %u, sub-core %u, %s: %u, not %u",
                   row.issue.cls, s, kNames[e], b.top.value_o, row.want[e]);
      }
      b.look_at_all();
    }
  }
  tap.done("R-EN-1: each class counts for its own event, with its operands and what it writes");
}

void test_passes(qsm_unit::Tap &tap) {
  for (uint32_t k = 0; k < kKernels; k++) {
    Bench b(tap);
    for (uint32_t lanes = 1; lanes <= kLanes; lanes++) {
      b.pass = Pass{true, true, k, lanes};
      b.cycle(k, kShared);
      b.pass = Pass{true, false, k, lanes};
      b.cycle(k, kLines);
    }
    b.look_at_all();
    tap.expect(
        b.expected[k][kShared] == kLanes * (kLanes + 1) / 2 && b.expected[k][kLines] == kLanes,
        "the reference counts wrongly");
  }
  tap.done("R-EN-1: a shared pass counts its lanes, a device pass one line");
}

// All sub-cores and the LSU at once, for one slot and for different ones.
void test_together(qsm_unit::Tap &tap) {
  for (uint32_t apart = 0; apart < 2; apart++) {
    Bench b(tap);
    for (uint32_t n = 0; n < 8; n++) {
      for (uint32_t s = 0; s < kSubs; s++)
        b.issue[s] =
            Issue{true, (n + s * apart) % kKernels, kLanes, (n + s) % kClasses, s % 4, true};
      b.pass = Pass{true, n % 2 == 0, n % kKernels, 1};
      b.cycle(n % kKernels, kIssues);
    }
    b.look_at_all();
  }
  tap.done("R-EN-1: what all sub-cores and the LSU do in one cycle is added up");
}

void test_wrap(qsm_unit::Tap &tap) {
  Bench b(tap);
  b.poke(0xFFFFFFFF);
  b.look_at_all();
  for (uint32_t cls = 0; cls < kClasses; cls++) {
    for (uint32_t s = 0; s < kSubs; s++) b.issue[s] = Issue{true, 0, kLanes, cls, 3, true};
    b.pass = Pass{true, cls % 2 == 0, 0, kLanes};
    b.cycle(0, kReads);
  }
  b.look_at_all();
  b.poke(0x7FFFFFF0);
  for (uint32_t n = 0; n < 40; n++) {
    for (uint32_t s = 0; s < kSubs; s++)
      b.issue[s] = Issue{true, n % kKernels, kLanes, n % kClasses, 3, true};
    b.cycle(n % kKernels, n % kEvents);
  }
  b.look_at_all();
  tap.done("R-EN-1: counters have 32 bits and wrap");
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  for (uint32_t round = 0; round < 20; round++) {
    Bench b(tap);
    if (round % 4 == 3) b.poke(random.bits32());
    for (uint32_t n = 0; n < 2000 && !tap.failed(); n++) {
      const uint32_t often = 1 + random.below(4);
      for (Issue &i : b.issue)
        i = Issue{random.below(often) == 0, random.below(kKernels), random.below(kLanes + 1),
                  random.below(kClasses),   random.below(4),        random.one_in(2)};
      b.pass = Pass{random.below(often) == 0, random.one_in(2), random.below(kKernels),
                    1 + random.below(kLanes)};
      b.cycle(random.below(kKernels), random.below(kEvents));
    }
    b.look_at_all();
  }
  tap.done(
      "R-EN-1, R-EN-2, R-EN-3: 40,000 random cycles, seen by slot and event, as the reference");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, argv[0]);
  qsm_unit::Tap tap(6);
  qsm_unit::begin_with_anything();
  test_reset(tap);
  test_classes(tap);
  test_passes(tap);
  test_together(tap);
  test_wrap(tap);
  test_random(tap, random);
  return tap.exit_code();
}
