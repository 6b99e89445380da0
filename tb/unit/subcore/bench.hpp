// SPDX-License-Identifier: Apache-2.0
// Plays the SM around one sub-core: starts warps, serves instruction misses and memory operations
// after random times, releases barriers, and checks every issue and every selection against the
// reference's traces.
#ifndef QSM_TB_BENCH_H
#define QSM_TB_BENCH_H

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "Vbench_subcore.h"
#include "energy.hpp"
#include "qsm_enums.h"
#include "ref.hpp"
#include "verilated.h"

struct Fault {
  uint64_t cycle;
  uint32_t kernel, cause, pc, tid, block, value;
};

// A warp of the bench; its threads' references are null when nothing is to be followed.
struct Warp {
  uint32_t kernel = 0, tb = 0, widx = 0, live = 0;
  std::vector<Thread *> threads;
  std::vector<uint32_t> issued;  // per lane: steps issued so far
  uint32_t waits = 0;            // lanes at the barrier
  uint32_t selcnt = 0, rot = 0;
  bool reconv_valid = false;
  uint32_t reconv_pc = 0;
};

struct Issue {
  uint64_t cycle;
  uint32_t warp, pc, mask;
  Counted counted;
};

struct Write {
  uint64_t cycle;
  uint32_t warp, rd, mask;
};

class Bench {
 public:
  explicit Bench(uint32_t seed) : rng(seed) {
    top.rst_ni = 0;
    top.clk_i = 0;
    top.code_base_i = CODE_BASE;
    top.code_limit_i = CODE_BASE + CODE_BYTES;
    top.entry_i = CODE_BASE;
    top.arg_i = 0x1234ABCD;
    top.policy_i = QSM_POLICY_GTO;
    top.open_i = 0xFF;
    top.eval();
    tick();
    top.rst_ni = 1;
    lanes = top.lanes_o;
    n_warps = top.warps_o;
    slots.resize(n_warps);
    cycle = 0;
  }

  // One thread block: starts follow as slots become free.
  void add_block(uint32_t kernel, uint32_t tb, uint32_t n_threads,
                 std::vector<std::unique_ptr<Thread>> *threads) {
    const uint32_t n = (n_threads + lanes - 1) / lanes;
    left.at(tb) = n;
    arrived.at(tb) = 0;
    for (uint32_t i = 0; i < n; i++) {
      Warp warp;
      warp.kernel = kernel;
      warp.tb = tb;
      warp.widx = i;
      warp.issued.assign(lanes, 0);
      for (uint32_t l = 0; l < lanes; l++) {
        const uint32_t tid = i * lanes + l;
        if (tid < n_threads) warp.live |= 1u << l;
        warp.threads.push_back(threads && tid < n_threads ? threads->at(tid).get() : nullptr);
      }
      starts.push_back(warp);
    }
  }

  bool done() const { return starts.empty() && top.resident_o == 0; }

  bool run(uint64_t limit) {
    for (uint64_t i = 0; i < limit && error.empty(); i++) {
      if (done()) return true;
      step();
    }
    return error.empty() && done();
  }

  void step() {
    drive();
    top.eval();
    watch();
    tick();
    cycle++;
  }

  void fail(const std::string &what) {
    if (error.empty()) error = "cycle " + std::to_string(cycle) + ": " + what;
  }

  Vbench_subcore top;
  std::mt19937 rng;
  std::vector<uint32_t> code;
  Memory memory;
  uint32_t lanes = 0, n_warps = 0;
  uint64_t cycle = 0;
  std::string error;
  std::vector<Issue> issues;
  std::vector<Fault> faults;
  std::vector<Write> writes;
  std::vector<uint64_t> popped;  // cycles in which an operation left the memory queue
  uint64_t n_selections = 0, n_reconvergences = 0, n_fair = 0, n_misses = 0, resident_cycles = 0;
  uint32_t slow = 3;  // 0: memory answers at once; else up to 2^slow cycles
  bool hold_fill = false, hold_memory = false;
  bool stir = false;  // in each cycle any kernels are in gaps, and any may use no memory
  std::deque<Warp> starts;

 private:
  struct Return {
    uint64_t at;
    bool store;
    uint32_t warp, entry, rd, mask;
    std::vector<uint32_t> data;
  };

  uint32_t random(uint32_t n) { return n < 2 ? 0 : static_cast<uint32_t>(rng() % n); }
  uint64_t later() { return cycle + 1 + (slow ? random(1u << slow) : 0); }
  bool eager() { return slow == 0 || random(4) != 0; }

  void tick() {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  }

  // ---- inputs of this cycle; only registered outputs are read ----
  void drive() {
    top.killed_i = killed;
    top.qos_was_i = static_cast<uint8_t>(random(256));
    if (stir) {
      top.gaps_i = static_cast<uint8_t>(random(256) & random(256));
      top.no_mem_i = static_cast<uint8_t>(random(256) & random(256));
    }
    drive_starts();
    top.release_i = 0;
    for (uint32_t s = 0; s < left.size(); s++) {
      if (arrived[s] != 0 && arrived[s] == left[s]) {
        top.release_i |= 1u << s;
        arrived[s] = 0;
        for (Warp &w : slots)
          if (w.tb == s) w.waits = 0;
      }
    }
    drive_misses();
    drive_memory();
  }

  void drive_starts() {
    top.start_i = 0;
    const uint32_t all = (n_warps == 32) ? ~0u : (1u << n_warps) - 1;
    if (starts.empty() || top.resident_o == all || !eager()) return;
    const Warp &w = starts.front();
    top.start_i = 1;
    top.start_kernel_i = static_cast<uint8_t>(w.kernel);
    top.start_tb_i = static_cast<uint8_t>(w.tb);
    top.start_widx_i = static_cast<uint8_t>(w.widx);
    top.start_live_i = w.live;
  }

  void drive_misses() {
    top.grant_i = 0;
    top.fill_i = 0;
    if (top.miss_o && miss_wait) fail("a second miss while a line is on its way (R-FE-5)");
    if (top.miss_o && eager()) {
      top.grant_i = 1;
      miss_addr = top.miss_addr_o;
      if (miss_addr % (4 * lanes) != 0) fail("miss address is no line address");
      miss_wait = true;
      miss_at = later();
      n_misses++;
    } else if (miss_wait && cycle >= miss_at && !hold_fill) {
      top.fill_i = 1;
      miss_wait = false;
      for (uint32_t i = 0; i < lanes; i++) {
        const uint32_t at = (miss_addr - CODE_BASE) / 4 + i;
        top.fill_data_i[i] = at < code.size() ? code[at] : 0;
      }
    }
  }

  void drive_memory() {
    top.mq_pop_i = 0;
    top.pass_part_i = 0;
    top.pass_last_i = 0;
    top.ack_i = 0;
    top.result_i = 0;
    if (hold_memory) return;
    drive_returns();
    if (passes.empty()) {
      if (top.mq_valid_o && eager()) take_operation();
    } else {
      drive_pass();
    }
  }

  void drive_returns() {
    for (size_t i = 0; i < returns.size(); i++) {
      const Return &r = returns[i];
      if (r.at > cycle) continue;
      if (r.store) {
        top.ack_i = 1;
        top.ack_warp_i = static_cast<uint8_t>(r.warp);
        top.ack_entry_i = static_cast<uint8_t>(r.entry);
      } else {
        top.result_i = 1;
        top.result_warp_i = static_cast<uint8_t>(r.warp);
        top.result_entry_i = static_cast<uint8_t>(r.entry);
        top.result_rd_i = static_cast<uint8_t>(r.rd);
        top.result_mask_i = r.mask;
        for (uint32_t l = 0; l < lanes; l++)
          top.result_data_i[l] =
              (r.mask >> l & 1) ? r.data[l] : static_cast<uint32_t>(rng());  // R-LS-12: anything
      }
      returns.erase(returns.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }

  // Performs the operation at once and splits it into passes of random lanes.
  void take_operation() {
    top.mq_pop_i = 1;
    popped.push_back(cycle);
    if (top.mq_injected_o) fail("a program's access passes as a step (R-EN-1)");
    if (aways.empty() || top.mq_away_o != aways.front())
      fail("an access is told to count as away, or not (R-PA-19)");
    if (!aways.empty()) aways.pop_front();
    const uint32_t instr = top.mq_instr_o, mask = top.mq_mask_o;
    Return part{};
    part.store = (instr & 0x7F) == 0x23;
    part.warp = top.mq_warp_o;
    part.entry = top.mq_entry_o;
    part.rd = instr >> 7 & 31;
    part.data.assign(lanes, 0);
    try {
      for (uint32_t l = 0; l < lanes; l++) {
        if (mask >> l & 1) part.data[l] = memory.access(instr, top.mq_addr_o[l], top.mq_data_o[l]);
      }
    } catch (const std::exception &e) {
      fail(e.what());
    }
    uint32_t rest = mask;
    while (rest != 0) {
      part.mask = rest & static_cast<uint32_t>(rng());
      if (part.mask == 0) part.mask = rest;
      rest &= ~part.mask;
      passes.push_back(part);
    }
    silent = part.store && random(3) == 0;  // like a store to shared memory: no part to wait for
  }

  void drive_pass() {
    Return part = passes.front();
    if (!part.store && credit == 0) return;
    passes.pop_front();
    top.pass_part_i = !silent;
    top.pass_last_i = passes.empty();
    top.pass_warp_i = static_cast<uint8_t>(part.warp);
    top.pass_entry_i = static_cast<uint8_t>(part.entry);
    if (!part.store) credit--;
    part.at = later();
    if (!silent) returns.push_back(part);
  }

  // ---- outputs of this cycle ----
  void watch() {
    resident_cycles += static_cast<uint32_t>(__builtin_popcount(top.resident_o));
    if (top.result_pop_o) credit++;
    if (top.start_i) {
      slots.at(top.start_slot_o) = starts.front();
      starts.pop_front();
    }
    watch_count();
    if (top.issue_o) watch_issue();
    if (top.issue_o && top.step_done_o) fail("an injected step counts as an issue (W11, R-EN-1)");
    if (top.resolve_o && is_killed(top.resolve_warp_o))
      fail("a killed kernel's instruction resolves (R-WS-2)");
    if (top.path_o && is_killed(top.split_warp_o))
      fail("a killed kernel's warp is selected (R-WS-5)");
    if (top.reconv_o) watch_reconvergence(slots.at(top.reconv_warp_o));
    if (top.path_o) watch_split(slots.at(top.split_warp_o));
    if (top.arrive_o) arrived.at(top.arrive_tb_o)++;
    if (top.finish_o) left.at(top.finish_tb_o)--;
    if (top.write_o) writes.push_back({cycle, top.write_warp_o, top.write_rd_o, top.write_mask_o});
    if (top.fault_o) {
      faults.push_back({cycle, top.fault_kernel_o, top.fault_cause_o, top.fault_pc_o,
                        top.fault_tid_o, top.fault_block_o, top.fault_value_o});
      killed |= static_cast<uint8_t>(1u << top.fault_kernel_o);
    }
  }

  bool is_killed(uint32_t slot) { return killed >> slots.at(slot).kernel & 1; }

  // R-IS-5: what issued in the cycle before is counted.
  void watch_count() {
    const bool issued = !issues.empty() && issues.back().cycle + 1 == cycle;
    if (issued != (top.counted_o != 0))
      fail("counted is not what issued in the cycle before (R-IS-5)");
    if (!issued) return;
    Issue &last = issues.back();
    last.counted = {static_cast<Cls>(top.issue_class_o), top.issue_operands_o,
                    top.issue_writes_o != 0};
    if (slots.at(last.warp).threads[0]) watch_energy(last);
    const bool mem = last.counted.cls == Cls::kMem;
    const bool away = mem && !(top.qos_was_i >> slots.at(last.warp).kernel & 1);
    if (top.issue_away_o != away) fail("what issued does not count as away, or does (R-PA-19)");
    if (mem) aways.push_back(away);
    if (top.issue_lanes_o != __builtin_popcount(last.mask))
      fail("counted lanes are not the mask's ones (R-IS-5)");
  }

  void watch_issue() {
    Warp &w = slots.at(top.issue_warp_o);
    const uint32_t mask = top.issue_mask_o;
    issues.push_back({cycle, top.issue_warp_o, top.issue_pc_o, mask, {}});
    if (killed >> w.kernel & 1) fail("a killed kernel issues");
    if (!(top.open_i >> w.kernel & 1)) fail("a gated kernel issues");
    const bool waits = code.size() > (top.issue_pc_o - CODE_BASE) / 4 &&
                       code[(top.issue_pc_o - CODE_BASE) / 4] == 0x0B;
    for (uint32_t l = 0; l < lanes; l++) {
      if (!(mask >> l & 1)) continue;
      if (!(w.live >> l & 1)) fail("a lane without a thread issues");
      if (waits) w.waits |= 1u << l;
      const Thread *t = w.threads[l];
      if (!t) continue;
      if (w.issued[l] >= t->trace.size()) {
        fail("thread goes on after its end");
      } else if (t->trace[w.issued[l]].pc != top.issue_pc_o) {
        char text[128];
        snprintf(text, sizeof text,
                 "warp %u lane %u issues pc %08x, the reference is at %08x (R-IS-3)",
                 top.issue_warp_o, l, top.issue_pc_o, t->trace[w.issued[l]].pc);
        fail(text);
      }
      w.issued[l]++;
    }
  }

  void watch_energy(const Issue &issue) {
    const Counted &as = issue.counted;
    const uint32_t at = (issue.pc - CODE_BASE) / 4, word = at < code.size() ? code[at] : 0;
    if (as == counted(word)) return;
    char text[128];
    snprintf(text, sizeof text, "%08x counts as class %u with %u operands, write %d (R-EN-1)", word,
             static_cast<uint32_t>(as.cls), as.operands, as.writes);
    fail(text);
  }

  // R-WS-6, from the reference's state of every thread.
  void watch_split(Warp &w) {
    n_selections++;
    if (!w.threads[0]) return;
    uint32_t cand = 0;
    std::vector<Step> at(lanes);
    for (uint32_t l = 0; l < lanes; l++) {
      if (!(w.live >> l & 1) || (w.waits >> l & 1) || w.issued[l] >= w.threads[l]->trace.size())
        continue;
      cand |= 1u << l;
      at[l] = w.threads[l]->trace[w.issued[l]];
    }
    auto group_of = [&](uint32_t lead) {
      uint32_t group = 0;
      for (uint32_t l = 0; l < lanes; l++)
        if ((cand >> l & 1) && at[l].pc == at[lead].pc && at[l].depth == at[lead].depth)
          group |= 1u << l;
      return group;
    };
    if (cand == 0) return fail("a selection without candidates");
    uint32_t lead = 32;
    for (uint32_t l = 0; l < lanes; l++) {
      if (!(cand >> l & 1)) continue;
      if (lead == 32 || at[l].depth > at[lead].depth ||
          (at[l].depth == at[lead].depth && at[l].pc < at[lead].pc))
        lead = l;
    }
    bool fair = false;
    if (group_of(lead) != cand) {
      if (w.selcnt == top.progress_o - 1) {
        n_fair++;
        fair = true;
        lead = w.rot;
        while (!(cand >> lead & 1)) lead = (lead + 1) % lanes;
        w.rot = (lead + 1) % lanes;
        w.selcnt = 0;
      } else {
        w.selcnt++;
      }
    }
    const uint32_t group = group_of(lead);
    if (top.split_pc_o != at[lead].pc || top.split_depth_o != at[lead].depth ||
        top.split_mask_o != group)
      fail("selected split differs from R-WS-6");
    w.reconv_valid = false;
    for (uint32_t l = 0; l < lanes && !fair; l++) {
      if (!(cand >> l & 1) || (group >> l & 1) || at[l].depth != at[lead].depth ||
          at[l].pc <= at[lead].pc)
        continue;
      if (!w.reconv_valid || at[l].pc < w.reconv_pc) w.reconv_pc = at[l].pc;
      w.reconv_valid = true;
    }
  }

  void watch_reconvergence(const Warp &w) {
    if (!w.threads[0]) return;
    n_reconvergences += w.reconv_valid;
    if (top.reconv_valid_o != w.reconv_valid || (w.reconv_valid && top.reconv_pc_o != w.reconv_pc))
      fail("reconvergence point differs from R-WS-7");
  }

 public:
  uint8_t killed = 0;

 private:
  std::vector<Warp> slots;
  std::vector<uint32_t> left = std::vector<uint32_t>(32, 0), arrived = std::vector<uint32_t>(32, 0);
  bool miss_wait = false;
  uint64_t miss_at = 0;
  uint32_t miss_addr = 0;
  std::deque<bool> aways;  // memory instructions on their way to the queue's end
  std::deque<Return> passes;
  std::vector<Return> returns;
  bool silent = false;
  uint32_t credit = 4;
};

#endif
