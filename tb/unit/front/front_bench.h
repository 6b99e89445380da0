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

const FrontParams kFront = {NUM_CMD,      NUM_KERNELS,    WARP_SIZE, SHARED_BYTES / 32,
                            NUM_CHANNELS, PARTITION_BITS, NUM_SMS};

class FrontBench {
 public:
  FrontBench(qsm_unit::Tap &tap, qsm_unit::Random &random)
      : ref(kFront), tap_(tap), random_(random) {
    in.ready = true;
    in.slots = (1u << NUM_KERNELS) - 1;
    in.concurrent = true;
    in.resident.assign(NUM_KERNELS, 0);
    in.walk.assign(NUM_KERNELS, {});
    in.insn.assign(NUM_KERNELS, std::vector<uint64_t>(NUM_SMS));
    // so that sums wrap, and a host's launches came before
    for (auto &slot : in.insn)
      for (uint64_t &count : slot) count = uint64_t{random_.bits32()} << 8 | random_.below(256);
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  // ---- the host: an access that is chosen in the next cycle and done in the one after; its answer
  // comes with the one behind that ----
  void write(uint32_t addr, uint32_t value) { access(true, addr, value); }
  void read(uint32_t addr) { access(false, addr, 0); }
  bool err() const { return top.host_err_o; }
  uint32_t rdata() const { return top.host_rdata_o; }
  static uint32_t driver(unsigned c, uint32_t offset) { return 0x8000 + 0x40 * c + offset; }
  static uint32_t page(unsigned c, uint32_t offset) { return 0x40000 + 0x1000 * c + offset; }

  void cycle() {
    in.cycle = n_cycles;
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
  uint8_t byte(unsigned split, uint32_t addr) {
    return static_cast<uint8_t>(memory(split, addr) >> 8 * (addr % 4));
  }

  Vbench_front top;
  FrontInput in;
  FrontRef ref;
  uint64_t n_cycles = 0;
  uint32_t slow_registers = 4;   // one in so many writes has to be made again
  uint32_t refuses = 0;          // one in so many writes is refused, 0: none
  uint32_t refuse_offset = ~0u;  // all of this register of a slot are
  uint32_t latency = 20, run_least = 4, run_time = 200, kills = 8;
  uint32_t hosts_yields = 0;  // one in so many launches yields without being asked by the front end
  uint64_t n_launches = 0;

 private:
  void access(bool we, uint32_t addr, uint32_t value) {
    in.ready = false;
    cycle();
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
    top.take_back_i = in.take_back;
    set(top.yielded_i, 0, NUM_KERNELS, in.yielded);
    for (unsigned w = 0; w < 3; w++) set(top.walk_i, w, 32, in.walk[top.slot_o % NUM_KERNELS][w]);
    set(top.slots_i, 0, NUM_KERNELS, in.slots);
    top.irq_write_i = in.irq_write;
    top.snap_write_i = in.snap_write;
    top.link_interval_i = in.link_interval;
    set(top.busy_i, 0, NUM_KERNELS, in.busy);
    set(top.killed_i, 0, NUM_KERNELS, in.killed);
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      for (unsigned i = 0; i < NUM_SMS; i++)
        set(top.resident_i, k * NUM_SMS + i, 1, residents_[k] >> i % 32 & 1);
    }
    in.cause = 1 + (top.slot_o * 7 + 3) % 24;
    top.cause_i = in.cause;
    // the slot and the SM whose counter is asked for are registers
    top.insn_i = in.insn[top.slot_o % NUM_KERNELS][top.count_sm_o % NUM_SMS];
    top.reg_ready_i = in.ready;
    in.err = answered_.err;
    in.again = answered_.again;
    top.reg_err_i = answered_.valid && !answered_.again ? answered_.err : random_.one_in(2);
    top.reg_again_i = answered_.valid ? answered_.again : random_.one_in(2);
    top.rsp_valid_i = in.rsp;
    top.rsp_tag_i = in.rsp ? in.rsp_tag : random_.below(DMA_ENTRIES + 2);
    for (unsigned l = 0; l < WARP_SIZE; l++)
      set(top.rsp_data_i, l, 32, in.rsp ? in.line[l] : random_.bits32());
  }

  void same(const char *what, unsigned index, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu, state %u: %s[%u] is 0x%llx, must be 0x%llx",
                ull{n_cycles}, ref.state, what, index, ull{seen}, ull{wanted});
  }

  void compare() {
    const FrontOutput out = ref.look(n_cycles, in.link_interval);
    same("state", 0, top.state_o, ref.state);
    same("channel", 0, top.channel_o, ref.channel);
    same("slot", 0, top.slot_o, ref.slot);
    for (unsigned p = 0; p < 4; p++) same("next", p, get(top.next_o, p, 8), ref.next[p]);
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
      same("resumes", c, get(top.resumes_o, c, 1), wanted.resumes);
      same("priority", c, get(top.priority_o, c, 2), wanted.priority);
      same("snap_busy", c, get(top.snap_busy_o, c, 1), !ref.snap_busy.empty() && ref.snap_busy[c]);
    }
    for (unsigned c = NUM_CMD; c < 96; c++) {
      same("irq", c, get(top.irq_o, c, 1), 0);
      same("snap_busy", c, get(top.snap_busy_o, c, 1), 0);
    }
    same("snap_cycle", 0, top.snap_cycle_o, ref.snap_cycle);
    same("snap_runs", 0, top.snap_runs_o, ref.snap_runs);
    same("snap_channel", 0, top.snap_channel_o, ref.snap_channel);
    same("snap_copying", 0, top.snap_copying_o, ref.snap_copying);
    same("snap_copy_channel", 0, top.snap_copy_channel_o, ref.snap_copy_channel);
    same("copying", 0, top.copying_o, ref.engine.copying);
    same("copied", 0, top.copied_o, ref.engine.copied);
    same("copy_owner", 0, top.copy_owner_o, ref.engine.owner);
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      same("bound", k, get(top.bound_o, k, 1), ref.slots[k].bound);
      same("runs", k, get(top.runs_o, k, 1), ref.slots[k].runs);
      same("ended", k, get(top.ended_o, k, 1), ref.slots[k].ended);
      same("owner", k, get(top.owner_o, k, 8), ref.slots[k].owner);
      same("overdue", k, get(top.overdue_o, k, 1), ref.slots[k].overdue);
      same("kill_sent", k, get(top.kill_sent_o, k, 1), ref.slots[k].kill_sent);
      same("yield_sent", k, get(top.yield_sent_o, k, 1), ref.slots[k].yield_sent);
      same("old", k, get(top.old_o, k, 1), ref.slots[k].old);
      same("own", k, get(top.own_o, k, 2), ref.slots[k].own);
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
    same("request's tag", 0, top.req_tag_o, out.req_tag);
    same("request's slot", 0, top.req_slot_o, 0);
    for (unsigned j = 0; j < LINE_BYTES; j++) {
      same("a bit of request's bytes", j, get(top.req_bytes_o, j, 1), out.mask[j]);
      if (out.mask[j] || out.req_tag != 0)
        same("a byte of request's data", j, get(top.req_data_o, j / 4, 32) >> 8 * (j % 4) & 0xff,
             out.data[j]);
    }
  }

  // R-FR-11: what is done in this cycle, and chosen. A slot whose LAUNCH is done is busy from the
  // next cycle on.
  void take_register() {
    const uint32_t offset = done_.addr & 0xFF;
    const int k = int(done_.addr - 0x1000) >> 8;
    launched_ = yields_ = killed_ = -1;
    if (done_.valid && !done_.kill && done_.addr != 0x18) {  // IRQ takes any value
      done_.again = random_.one_in(slow_registers);
      done_.err = (refuses && random_.one_in(refuses)) || offset == refuse_offset;
      if (!done_.again && !done_.err && offset == 0x5C) launched_ = k;
      if (!done_.again && !done_.err && offset == 0xE8) yields_ = k;
    }
    if (done_.valid && done_.kill) killed_ = k;
    answered_ = done_.kill ? Written() : done_;
    done_ = Written();
    done_.valid = top.reg_valid_o && in.ready;
    done_.kill = ref.late() >= 0;
    done_.addr = top.reg_addr_o;
  }

  void take_request() {
    if (!top.req_valid_o) return;
    Access access = {top.req_tag_o, n_cycles + 2 + random_.below(latency), {}};
    access.line.assign(WARP_SIZE, 0);
    for (const Access &other : under_way_)
      tap_.expect(other.tag != access.tag || access.tag == DMA_ENTRIES + 1,
                  "cycle %llu: tag %u is under way", ull{n_cycles}, access.tag);
    for (unsigned l = 0; l < WARP_SIZE; l++) {
      uint32_t &word = mem_[top.req_addr_o + 4 * l];
      if (top.req_kind_o == 0) access.line[l] = word;
      uint32_t mask = 0;
      for (unsigned b = 0; b < 4; b++)
        if (top.req_kind_o == 1 && get(top.req_bytes_o, 4 * l + b, 1)) mask |= 0xffu << 8 * b;
      word = (word & ~mask) | (static_cast<uint32_t>(get(top.req_data_o, l, 32)) & mask);
    }
    under_way_.push_back(access);
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
    in.ready = true;
    in.irq_write = 0;
    // one answer per cycle, of those that may come: any
    std::vector<size_t> ripe;
    for (size_t i = 0; i < under_way_.size(); i++)
      if (under_way_[i].from <= n_cycles) ripe.push_back(i);
    if (!ripe.empty()) {
      const size_t chosen = ripe[random_.below(static_cast<uint32_t>(ripe.size()))];
      in.rsp = true;
      in.rsp_tag = under_way_[chosen].tag;
      in.line = under_way_[chosen].line;
      under_way_.erase(under_way_.begin() + static_cast<long>(chosen));
    }
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      if (killed_ == int(k) && (in.busy >> k & 1)) {
        in.killed |= 1u << k;
        runs_for_[k] = 1 + random_.below(20);
      }
      // a launch that shall yield ends sooner, and has seldom done all meanwhile
      if (yields_ == int(k) && (in.busy >> k & 1)) {
        if (!random_.one_in(4)) in.yielded |= 1u << k;
        const unsigned most = random_.one_in(2) ? 2500 : 60;
        if (runs_for_[k] > most) runs_for_[k] = 1 + random_.below(most);
      }
      if ((in.busy >> k & 1) && --runs_for_[k] == 0) in.busy &= ~(1u << k);
      if (random_.one_in(8)) residents_[k] = random_.bits32();
      in.resident[k] = 0;
      for (unsigned i = 0; i < NUM_SMS; i++) in.resident[k] += residents_[k] >> i % 32 & 1;
      for (uint64_t &count : in.insn[k])
        count = (count + random_.below(WARP_SIZE + 1)) & ((uint64_t{1} << 40) - 1);
    }
    if (launched_ >= 0) {
      n_launches++;
      in.busy |= 1u << launched_;
      in.killed &= ~(1u << launched_);
      in.yielded &= ~(1u << launched_);
      if (hosts_yields && random_.one_in(hosts_yields)) in.yielded |= 1u << launched_;
      for (uint32_t &word : in.walk[launched_]) word = random_.bits32();
      // so many instructions that each bit of their sum counts
      for (uint64_t &count : in.insn[launched_])
        if (random_.one_in(4)) count = random_.bits32() | uint64_t{random_.below(256)} << 32;
      if (kills && random_.one_in(kills)) in.killed |= 1u << launched_;
      runs_for_[launched_] = run_least + random_.below(run_time);
    }
  }

  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  std::map<uint32_t, uint32_t> mem_;
  struct Access {
    unsigned tag;
    uint64_t from;  // may be answered
    std::vector<uint32_t> line;
  };
  std::vector<Access> under_way_;
  uint32_t residents_[NUM_KERNELS] = {};
  // A register's write: chosen in the last cycle and done in this one; answered in this one.
  struct Written {
    bool valid = false, kill = false;
    uint32_t addr = 0;
    bool err = false, again = false;
  } done_, answered_;
  int launched_ = -1, killed_ = -1, yields_ = -1;
  unsigned runs_for_[NUM_KERNELS] = {};
};

#endif
