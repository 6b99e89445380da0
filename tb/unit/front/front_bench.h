// SPDX-License-Identifier: Apache-2.0
// The front end with a memory, slots and a host around it, against front_ref.h in every cycle.
#ifndef QSM_FRONT_BENCH_H
#define QSM_FRONT_BENCH_H

#include <algorithm>
#include <map>
#include <memory>

#include "../common/qsm_unit.h"
#include "Vbench_front.h"
#include "front_ref.h"

using qsm_unit::get;
using qsm_unit::set;
using ull = unsigned long long;

const FrontParams kFront = {NUM_CMD,           NUM_KERNELS,  WARP_SIZE,
                            SHARED_BYTES / 32, NUM_CHANNELS, PARTITION_BITS};

class FrontBench {
 public:
  FrontBench(qsm_unit::Tap &tap, qsm_unit::Random &random)
      : ref(kFront), tap_(tap), random_(random) {
    in.slots = (1u << NUM_KERNELS) - 1;
    in.concurrent = true;
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  // ---- the host: an access in the next cycle; its answer comes with the one after ----
  void write(uint32_t addr, uint32_t value) { access(true, addr, value); }
  void read(uint32_t addr) { access(false, addr, 0); }
  bool err() const { return top.host_err_o; }
  uint32_t rdata() const { return top.host_rdata_o; }
  static uint32_t driver(unsigned c, uint32_t offset) { return 0x8000 + 0x40 * c + offset; }
  static uint32_t page(unsigned c, uint32_t offset) { return 0x40000 + 0x1000 * c + offset; }

  void cycle() {
    in.cycle = n_cycles;
    in.ready = !in.host && !random_.one_in(slow_registers);
    drive();
    top.eval();
    compare();
    take_register();
    take_request();
    ref.step(in);
    clock();
    n_cycles++;
    after();
  }
  void cycles(unsigned n) {
    while (n--) cycle();
  }

  // Memory as channels see it, through their split.
  uint32_t &memory(unsigned split, uint32_t addr) {
    return mem_[front_permute(kFront, split, addr & ~3u)];
  }

  Vbench_front top;
  FrontInput in;
  FrontRef ref;
  uint64_t n_cycles = 0;
  uint32_t slow_registers = 4;  // one in so many cycles a register is not ready
  uint32_t refuses = 0;         // one in so many writes is refused, 0: none
  uint32_t latency = 20, run_time = 200, kills = 8;
  uint64_t n_launches = 0;

 private:
  void access(bool we, uint32_t addr, uint32_t value) {
    in.host = true;
    in.we = we;
    in.addr = addr;
    in.wdata = value;
    if (we && addr >= 0xD4 && addr <= 0xDC) in.irq_write = 1u << ((addr - 0xD4) / 4);
    if (we && addr == 0xE0) in.snap_write = true;
    cycle();
  }

  void drive() {
    top.cycle_i = in.cycle;
    top.host_valid_i = in.host;
    top.host_we_i = in.host ? in.we : random_.one_in(2);
    top.host_addr_i = in.host ? in.addr : 0x8000 + 4 * random_.below(0x40 * NUM_CMD / 4);
    top.host_wdata_i = in.host ? in.wdata : random_.bits32();
    top.concurrent_i = in.concurrent;
    set(top.slots_i, 0, NUM_KERNELS, in.slots);
    top.irq_write_i = in.irq_write;
    top.snap_write_i = in.snap_write;
    set(top.busy_i, 0, NUM_KERNELS, in.busy);
    set(top.killed_i, 0, NUM_KERNELS, in.killed);
    in.cause = 1 + (top.cause_slot_o * 7 + 3) % 24;
    top.cause_i = in.cause;
    top.reg_ready_i = in.ready;
    in.err = answer_;
    top.reg_err_i = answered_ ? answer_ : random_.one_in(2);
    top.rsp_valid_i = in.rsp;
    for (unsigned l = 0; l < WARP_SIZE; l++)
      set(top.rsp_data_i, l, 32, in.rsp ? in.line[l] : random_.bits32());
  }

  void same(const char *what, unsigned index, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu, state %u: %s[%u] is 0x%llx, must be 0x%llx",
                ull{n_cycles}, ref.state, what, index, ull{seen}, ull{wanted});
  }

  void compare() {
    const FrontOutput out = ref.look(n_cycles);
    same("state", 0, top.state_o, ref.state);
    same("channel", 0, top.channel_o, ref.channel);
    same("slot", 0, top.cause_slot_o, ref.slot);
    same("next", 0, top.next_o, ref.next);
    same("err", 0, top.host_err_o, out.rsp_err);
    if (out.rsp_known) same("rdata", in.addr, top.host_rdata_o, out.rsp_rdata);
    for (unsigned c = 0; c < NUM_CMD; c++) {
      const FrontRef::Channel &wanted = ref.channels[c];
      same("enabled", c, get(top.enabled_o, c, 1), wanted.enabled);
      same("suspended", c, get(top.suspended_o, c, 1), wanted.suspended);
      same("held", c, get(top.held_o, c, 1), wanted.held);
      same("fresh", c, get(top.fresh_o, c, 1), wanted.fresh);
      same("stopped", c, get(top.stopped_o, c, 1), wanted.stopped);
      same("pending", c, get(top.pending_o, c, 1), wanted.pending);
      same("waits", c, get(top.waits_o, c, 1), wanted.waits);
      same("busy", c, get(top.busy_o, c, 1), wanted.busy);
      same("irq", c, get(top.irq_o, c, 1), wanted.irq);
      same("snap_busy", c, get(top.snap_busy_o, c, 1), !ref.snap_busy.empty() && ref.snap_busy[c]);
    }
    for (unsigned c = NUM_CMD; c < 96; c++) {
      same("irq", c, get(top.irq_o, c, 1), 0);
      same("snap_busy", c, get(top.snap_busy_o, c, 1), 0);
    }
    same("snap_cycle", 0, top.snap_cycle_o, ref.snap_cycle);
    same("snap_runs", 0, top.snap_runs_o, ref.snap_runs);
    same("snap_channel", 0, top.snap_channel_o, ref.snap_channel);
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      same("bound", k, get(top.bound_o, k, 1), ref.slots[k].bound);
      same("runs", k, get(top.runs_o, k, 1), ref.slots[k].runs);
      same("ended", k, get(top.ended_o, k, 1), ref.slots[k].ended);
      same("owner", k, get(top.owner_o, k, 8), ref.slots[k].owner);
      if (ref.slots[k].ended && k == ref.slot) same("time", k, top.ran_o, ref.slots[k].time);
    }
    same("register", 0, top.reg_valid_o, out.reg);
    if (out.reg) {
      same("register's address", 0, top.reg_addr_o, out.reg_addr);
      same("register's value", out.reg_addr, top.reg_wdata_o, out.reg_wdata);
      same("register is written", 0, top.reg_we_o, 1);
    }
    same("request", 0, top.req_valid_o, out.req);
    if (out.req) compare_request(out);
  }

  void compare_request(const FrontOutput &out) {
    same("request's kind", 0, top.req_kind_o, out.write ? 1 : 0);
    same("request's address", 0, top.req_addr_o, out.req_addr);
    same("request's tag", 0, top.req_tag_o, 0);
    same("request's slot", 0, top.req_slot_o, 0);
    for (unsigned l = 0; l < WARP_SIZE; l++) {
      const auto word = out.words.find(l);
      same("request's bytes", l, get(top.req_bytes_o, l, 4), word == out.words.end() ? 0 : 15);
      if (word != out.words.end())
        same("request's data", l, get(top.req_data_o, l, 32), word->second);
    }
  }

  // R-FR-11: a slot whose LAUNCH was taken is busy from the next cycle on.
  void take_register() {
    answered_ = top.reg_valid_o && in.ready;
    answer_ = answered_ && refuses && random_.one_in(refuses);
    if (top.reg_addr_o == 0x18) answer_ = false;  // IRQ takes any value
    const uint32_t offset = top.reg_addr_o & 0xFF, k = (top.reg_addr_o - 0x1000) >> 8;
    launched_ = -1;
    if (answered_ && !answer_ && top.reg_addr_o >= 0x1000 && offset == 0x5C) launched_ = int(k);
  }

  void take_request() {
    if (!top.req_valid_o) return;
    tap_.expect(left_ == 0, "cycle %llu: a request while one is under way", ull{n_cycles});
    left_ = 2 + random_.below(latency);
    line_.assign(WARP_SIZE, 0);
    for (unsigned l = 0; l < WARP_SIZE; l++) {
      uint32_t &word = mem_[top.req_addr_o + 4 * l];
      if (top.req_kind_o == 0) line_[l] = word;
      if (top.req_kind_o == 1 && get(top.req_bytes_o, l, 4))
        word = static_cast<uint32_t>(get(top.req_data_o, l, 32));
    }
  }

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  // What the others do at the end of a cycle.
  void after() {
    in.host = in.snap_write = in.rsp = false;
    in.irq_write = 0;
    if (left_ && --left_ == 0) {
      in.rsp = true;
      in.line = line_;
    }
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      if ((in.busy >> k & 1) && --runs_for_[k] == 0) in.busy &= ~(1u << k);
    }
    if (launched_ >= 0) {
      n_launches++;
      in.busy |= 1u << launched_;
      in.killed &= ~(1u << launched_);
      if (kills && random_.one_in(kills)) in.killed |= 1u << launched_;
      runs_for_[launched_] = 4 + random_.below(run_time);
    }
  }

  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  std::map<uint32_t, uint32_t> mem_;
  unsigned left_ = 0;
  std::vector<uint32_t> line_;
  bool answered_ = false, answer_ = false;
  int launched_ = -1;
  unsigned runs_for_[NUM_KERNELS] = {};
};

#endif
