// SPDX-License-Identifier: Apache-2.0
// Control port (qsm_ctrl) against the tables of ctrl_ref.h: answers, ranges, refusals, pulses.
#include "Vqsm_ctrl_pins.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>

#include "../common/qsm_unit.h"
#include "ctrl_ref.h"

using qsm_unit::get;
using qsm_unit::index_bits;
using qsm_unit::set;

extern "C" {
#include "qsm_ctrl.h"
}

void add_plain_registers() {
  static struct qsm_regs regs;
  qsm_reg_file_reset(&regs, &kConfig);
  add_plain(kGpuRegisters, qsm_gpu_reg_rules, qsm_gpu_reg_fits,
            [](uint16_t at) { return qsm_gpu_reg_load(&regs, &kConfig, at); });
  add_plain(kSlotRegisters, qsm_slot_reg_rules, qsm_slot_reg_fits,
            [](uint16_t at) { return qsm_slot_reg_load(&regs, &kConfig, 0, at); });
}

namespace {

const unsigned kSlotBase = 0x1000, kSmselBase = 0x100;
const unsigned kSmBits = index_bits(NUM_SMS), kKernelBits = index_bits(NUM_KERNELS),
               kTbBits = index_bits(MAX_TBS);
const unsigned kChannelBits = index_bits(NUM_CHANNELS);
// l2.md R-L2-10: what a part of a flush can name.
const unsigned kL2Units = std::min(L2_KIB * 1024 / (L2_WAYS * 4 * WARP_SIZE), 4096);

struct Answer {
  bool err;
  uint32_t rdata;
};

// Pulses in the cycle of an access, one bit per slot.
struct Pulses {
  uint64_t launch = 0, kill = 0, arrival = 0, hist_clear = 0, alloc_change = 0, icache_inv = 0;
  uint64_t yield = 0;
  uint64_t walk = 0, walk_value = 0;  // bit 3k + w: word w of slot k's walk, and what it gets
  uint64_t due = 0, due_value = 0;    // WORK, DEADLINE, LAUNCH, arrival; what the first two get
  uint64_t preempt = 0;               // 0, or as PREEMPT was written and a bit above
  uint64_t l2_flush = 0;              // 0, or first unit, last << 16 and a bit above
  uint64_t front = 0;                 // bits of FRONT_IRQ0..2, FRONT_SNAP
  uint64_t move = 0;  // in the cycle after the write: 0, or as SM_MOVE was written and a bit above
};

constexpr uint64_t due_bit(unsigned which, unsigned k) {
  return uint64_t{1} << (which * NUM_KERNELS + k);
}

// Values that the other blocks show, different in every place.
uint32_t figure(unsigned what, unsigned sm, unsigned slot) {
  const uint32_t mixed = (what * 1024 + sm * 8 + slot + 1) * 0x9E3779B1u;
  return mixed ^ mixed >> 13;  // narrow fields show the low bits only
}

uint32_t low_bits(uint32_t value, unsigned bits) {
  return bits >= 32 ? value : value & ((1u << bits) - 1);
}

// Element of a figure of an SM.
uint32_t sm_figure(const Figure &f, unsigned sm, unsigned element) {
  return low_bits(figure(static_cast<unsigned>(&f - kFigures) + 100, sm, element), f.width);
}

uint32_t sm_figure(const char *name, unsigned sm) {
  for (const Figure &f : kFigures) {
    if (std::strcmp(f.name, name) == 0) return sm_figure(f, sm, 0);
  }
  std::abort();
}

// Value of a counter of the memory, by MEM_SELECT.
uint32_t mem_figure(uint32_t select) {
  return figure(40 + (select >> 8), select & 15, select >> 4 & 7);
}

// Of the cache of a shader array.
uint32_t array_figure(uint32_t select) { return ~mem_figure(select); }

// One field after the other, from bit 0 up.
template <class P>
class Fields {
 public:
  explicit Fields(P &port, unsigned from = 0) : port_(port), bit_(from) {}
  void put(uint32_t value, unsigned width) {
    for (unsigned b = 0; b < width; b++) set(port_, bit_++, 1, (value >> b) & 1);
  }
  uint32_t take(unsigned width) {
    uint32_t value = 0;
    for (unsigned b = 0; b < width; b++) value |= static_cast<uint32_t>(get(port_, bit_++, 1)) << b;
    return value;
  }

 private:
  P &port_;
  unsigned bit_;
};

// Of fault_t and sm_figures_t.
constexpr unsigned kRecordBits = 32 + 32 + 10 + 32 + 5;
constexpr uint32_t kSnapEngine = 0x01FF01FF;  // bits that are there
constexpr unsigned kFiguresBits = bits_of_figures() + kRecordBits;

// SM that has a slot's fault record.
unsigned fault_sm(unsigned slot) { return (2 * slot + 1) % NUM_SMS; }

class Bench {
 public:
  Bench() {
    for (unsigned k = 0; k < NUM_KERNELS; k++) drive_slot(k);
    for (unsigned i = 0; i < NUM_SMS; i++) drive_sm(i);
    drive_figures();
    drive_records(0);
    drive_preempt_status(0);
    top.epoch_count_i = 77;
    top.epoch_e_lo_i = 88;
    top.moves_i = figure(41, 0, 0);
    top.move_cycles_i = figure(42, 0, 0) | uint64_t{0x123} << 32;
    top.gated_cycles_i = figure(43, 0, 0) | uint64_t{0x456} << 32;
    top.shared_cycles_i = figure(51, 0, 0) | uint64_t{0x789} << 32;
    top.wakes_i = figure(52, 0, 0);
    for (unsigned word = 0; word < 3; word++) {
      set(top.front_irq_i, word, 32, figure(54, 0, word));
      set(top.snap_busy_i, word, 32, figure(55, 0, word));
    }
    top.snap_cycle_i = figure(56, 0, 0) | uint64_t{figure(57, 0, 0)} << 32;
    top.snap_engine_i = figure(58, 0, 0) & kSnapEngine;
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
    n_cycles = 0;
  }

  // It is chosen in a cycle, beside a write of the front end's, and done in the next.
  Answer access(bool we, unsigned addr, uint32_t wdata) {
    choose(we, addr, wdata, 0x1000 + 4 * (n_cycles % 64), 1);
    if (between) between();
    clock();
    return answer();
  }
  // Of the front end; *again: it has to be made again.
  Answer front_write(unsigned addr, uint32_t wdata, bool *again) {
    choose_front(addr, wdata);
    if (between) between();
    clock();
    *again = top.front_again_o;
    return {static_cast<bool>(top.front_err_o), answer().rdata | answer().err};
  }
  // A cycle in which both have something.
  void choose(bool we, unsigned addr, uint32_t wdata, unsigned front_addr, uint32_t front_wdata) {
    put_request(top.req_i, we, addr, wdata);
    choose_front(front_addr, front_wdata);
    set(top.req_i, 53, 1, 0);
  }
  void choose_front(unsigned addr, uint32_t wdata) {
    put_request(top.front_req_i, true, addr, wdata);
    clock();
    set(top.front_req_i, 53, 1, 0);
  }
  template <class P>
  static void put_request(P &port, bool we, unsigned addr, uint32_t wdata) {
    set(port, 0, 32, wdata);
    for (unsigned b = 0; b < 20; b++) set(port, 32 + b, 1, (addr >> b) & 1);
    set(port, 52, 1, we);
    set(port, 53, 1, 1);
  }
  Answer read(unsigned addr) { return access(false, addr, 0); }
  Answer write(unsigned addr, uint32_t value) { return access(true, addr, value); }
  Answer answer() const {
    return Answer{get(top.rsp_o, 32, 1) != 0, static_cast<uint32_t>(get(top.rsp_o, 0, 32))};
  }

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.mem_value_i = mem_figure(mem_select());
    top.sa_value_i = array_figure(mem_select());
    top.eval();
    pulses.launch = top.launch_o;
    pulses.kill = top.kill_o;
    pulses.yield = top.yield_o;
    pulses.walk = top.walk_write_o;
    pulses.walk_value = pulses.walk ? top.walk_o : 0;
    pulses.due = 0;
    for (unsigned b = 0; b < 4 * NUM_KERNELS; b++)
      pulses.due |= get(top.due_write_o, 32 + b, 1) << b;
    pulses.due_value = pulses.due & ((1u << 2 * NUM_KERNELS) - 1) ? get(top.due_write_o, 0, 32) : 0;
    pulses.arrival = top.arrival_o;
    pulses.hist_clear = top.hist_clear_o;
    pulses.alloc_change = top.alloc_change_o;
    pulses.icache_inv = top.icache_inv_o;
    pulses.preempt = preempt();
    pulses.l2_flush = l2_flush();
    pulses.front = top.front_irq_o | uint64_t{top.front_snap_o} << 3;
    top.clk_i = 1;
    top.eval();
    drive_records(top.fault_kernel_o);
    keep_walks();
    top.eval();
    pulses.move = move();
    n_cycles++;
  }

  void drive_preempt_status(unsigned code) {
    Fields<decltype(top.preempt_status_i)> status(top.preempt_status_i);
    status.put(figure(30, 0, 0), kSmBits);
    status.put(figure(31, 0, 0), 4);
    status.put(figure(32, 0, 0), kTbBits);
    status.put(code, 4);
  }

  Vqsm_ctrl_pins top;
  Pulses pulses;                  // of the last cycle
  std::function<void()> between;  // what others do between choice and access
  uint64_t n_cycles = 0;

 private:
  // As the TB scheduler does: it has the walks.
  void keep_walks() {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      for (unsigned w = 0; w < 3; w++) {
        if (!top.rst_ni || (pulses.arrival >> k & 1))
          set(top.walk_i, 3 * k + w, 32, 0);
        else if (pulses.walk >> (3 * k + w) & 1)
          set(top.walk_i, 3 * k + w, 32, pulses.walk_value);
      }
    }
  }
  void drive_slot(unsigned k) {
    set(top.launches_i, k, 32, figure(0, 0, k));
    set(top.hist_insn_i, k, 48, figure(1, 0, k) | uint64_t{0xABC} << 32);
    set(top.hist_cycles_i, k, 48, figure(2, 0, k) | uint64_t{0xDEF} << 32);
    set(top.epoch_insn_i, k, 31, figure(3, 0, k));
    set(top.epoch_quota_i, k, 31, figure(4, 0, k));
    set(top.alpha_i, k, 22, figure(5, 0, k));
    set(top.fault_sm_i, k, kSmBits, fault_sm(k));
    set(top.saved_i, 2 * k, 5, figure(11, 0, k));
    set(top.saved_i, 2 * k + 1, 5, figure(12, 0, k));
    set(top.ratio_i, k, 22, figure(13, 0, k));
    set(top.sm_record_i, k, 18, figure(44, 0, k));
    set(top.channel_i, k, 10, low_bits(figure(59, 0, k), 10));
    set(top.owned_cycles_i, k, 48, figure(53, 0, k) | uint64_t{0xBCD} << 32);
  }
  // mem_select_t as the register has it.
  uint32_t mem_select() {
    Fields<decltype(top.mem_select_o)> select(top.mem_select_o);
    const uint32_t counter = select.take(5), slot = select.take(kKernelBits);
    return counter << 8 | slot << 4 | select.take(kChannelBits);
  }
  uint64_t preempt() {
    Fields<decltype(top.preempt_o)> request(top.preempt_o);
    const uint32_t technique = request.take(2), by_slot = request.take(1),
                   tb = request.take(kTbBits), kernel = request.take(kKernelBits);
    const uint32_t sm = request.take(kSmBits);
    return request.take(1)
               ? uint64_t{1} << 32 | technique << 17 | by_slot << 16 | tb << 11 | kernel << 8 | sm
               : 0;
  }
  uint64_t l2_flush() {
    const unsigned bits = index_bits(kL2Units);
    Fields<decltype(top.l2_flush_o)> flush(top.l2_flush_o);
    const uint32_t last = flush.take(bits), first = flush.take(bits);
    if (!flush.take(1)) return 0;
    return uint64_t{1} << 32 | (kL2Units > 1 ? last << 16 | first : 0);  // one: the slice knows
  }
  uint64_t move() {
    Fields<decltype(top.sm_request_o)> request(top.sm_request_o);
    const uint32_t owner = request.take(kKernelBits), use = request.take(2);
    const uint32_t sm = request.take(kSmBits);
    return request.take(1) ? uint64_t{1} << 32 | use << 16 | owner << 8 | sm : 0;
  }
  // What the SMs show, but for the fault record.
  void drive_figures() {
    for (unsigned i = 0; i < NUM_SMS; i++) {
      Fields<decltype(top.figures_i)> figures(top.figures_i, i * kFiguresBits);
      for (const Figure &f : kFigures) {
        for (unsigned e = 0; e < f.count; e++) figures.put(sm_figure(f, i, e), f.width);
      }
    }
  }
  // The fault records of the slot that is asked for.
  void drive_records(unsigned slot) {
    if (slot == record_slot_) return;
    record_slot_ = slot;
    for (unsigned i = 0; i < NUM_SMS; i++) {
      Fields<decltype(top.figures_i)> record(top.figures_i, (i + 1) * kFiguresBits - kRecordBits);
      const unsigned widths[] = {32, 32, 10, 32, 5};  // value, block, tid, pc, cause
      for (unsigned f = 0; f < 5; f++) record.put(figure(6 + f, i, slot), widths[f]);
    }
  }
  void drive_sm(unsigned i) {
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      const unsigned at = i * NUM_KERNELS + k;
      set(top.cnt_i, at, 6, figure(24, i, k));
      set(top.target_i, at, 6, figure(25, i, k));
    }
    // sm_owner_t from bit 0 up: usage, owner, moving, next_usage, next_owner, power.
    const unsigned owner_widths[] = {2, kKernelBits, 1, 2, kKernelBits, 2};
    Fields<decltype(top.owner_i)> owner(top.owner_i, i * (7 + 2 * kKernelBits));
    for (unsigned f = 0; f < 6; f++) owner.put(figure(45 + f, i, 0), owner_widths[f]);
    // job_t from bit 0 up: result, image, tb, kernel, kind.
    const unsigned widths[] = {3, 4, kTbBits, kKernelBits, 3}, figures[] = {33, 35, 36, 37, 38};
    unsigned size = 0;
    for (unsigned w : widths) size += w;
    Fields<decltype(top.job_i)> job(top.job_i, i * size);
    for (unsigned f = 0; f < 5; f++) job.put(figure(figures[f], i, 0), widths[f]);
  }

  unsigned record_slot_ = ~0u;
};

// What a read-only slot register shows.
uint32_t slot_figure(unsigned k, uint16_t offset, uint32_t status, bool faulted) {
  const bool killed = status >> 1 & 1;
  const unsigned sm = fault_sm(k);
  switch (offset) {
    case 0x60: return status;
    case 0x64: return faulted ? low_bits(figure(10, sm, k), 5) : killed ? 24 : 0;
    case 0x68: return faulted ? figure(9, sm, k) : 0;
    case 0x6C: return faulted ? low_bits(figure(8, sm, k), 10) : 0;
    case 0x70: return faulted ? figure(7, sm, k) : 0;
    case 0x74: return faulted ? figure(6, sm, k) : 0;
    case 0x78: return figure(0, 0, k);
    case 0x7C: return figure(1, 0, k);
    case 0x80: return 0xABC;
    case 0x84: return figure(2, 0, k);
    case 0x88: return 0xDEF;
    case 0x90: return low_bits(figure(3, 0, k), 31);
    case 0x94: return low_bits(figure(4, 0, k), 31);
    case 0xB8: return low_bits(figure(11, 0, k), 5) | low_bits(figure(12, 0, k), 5) << 8;
    case 0xBC: return low_bits(figure(13, 0, k), 22);
    case 0xD0: {
      const uint32_t record = figure(44, 0, k);
      return low_bits(record, 7) | low_bits(record >> 7, 7) << 8 | low_bits(record >> 14, 4) << 16;
    }
    case 0xD4: return figure(53, 0, k);
    case 0xD8: return 0xBCD;
    case 0xE4: return low_bits(figure(59, 0, k), 10);
    default: return low_bits(figure(5, 0, k), 22);
  }
}

// The registers' values, and what an access must do to them.
class Ref {
 public:
  Ref() {
    for (const Register &r : kGpuRegisters) gpu[r.address / 4] = r.reset;
    for (auto &slot : slots) {
      for (const Register &r : kSlotRegisters) slot[r.address / 4] = r.reset;
    }
  }

  Answer read(unsigned addr, uint64_t cycle) const {
    const unsigned k = slot_of(addr);
    if (addr % 4 != 0) return {true, 0};
    if (const Register *r = register_at(addr)) {
      if (r->access == Access::kWo) return {false, 0};
      if (addr < kSmselBase) return {false, gpu_value(r->address, cycle)};
      if (r->access == Access::kRo)
        return {false, slot_figure(k, r->address, status(k), faulted >> k & 1)};
      return {false, slots[k][r->address / 4]};
    }
    if (addr >> 8 == 1 && (addr >> 4 & 15) < NUM_KERNELS && addr % 16 == 0xC)
      return {false, blocks(addr >> 4 & 15)};
    for (const Figure &f : kFigures) {
      for (unsigned e = 0; f.address && e < f.count; e++) {
        if (addr == f.address + e * f.step) return {false, shown(f, e)};
      }
    }
    return {true, 0};
  }

  // True and *pulses, if the write is accepted.
  bool write(unsigned addr, uint32_t value, Pulses *pulses) {
    const Register *r = register_at(addr);
    if (addr % 4 != 0 || !r || r->access == Access::kRo || !in_range(*r, addr, value)) return false;
    const unsigned k = slot_of(addr);
    if (r->idle && (busy >> k & 1)) return false;
    if (r->quiet && (mgr_busy || snapshot)) return false;
    if (addr < kSmselBase) {
      write_gpu(*r, value, pulses);
      return true;
    }
    return write_slot(*r, k, value, pulses);
  }

  bool is_quiet(unsigned addr) const {
    const Register *r = addr >= kSlotBase ? register_at(addr) : nullptr;
    return r && r->quiet;
  }

  uint32_t gpu[64] = {};
  uint32_t slots[NUM_KERNELS][64] = {};
  uint64_t busy = 0, killed = 0, yielded = 0, faulted = 0;  // faulted: of those killed
  bool sm_mgr = false;
  bool mgr_busy = false, snapshot = false, alloc_busy = false, adjust_busy = false,
       l2_flushing = false;
  unsigned preempt_code = 0;

 private:
  static unsigned slot_of(unsigned addr) { return addr >> 8 & 15; }

  uint32_t status(unsigned k) const {
    return static_cast<uint32_t>((busy >> k & 1) | (killed >> k & 1) << 1 |
                                 (yielded >> k & 1) << 2);
  }

  static const Register *register_at(unsigned addr) {
    if (addr < kSmselBase) return find(kGpuRegisters, static_cast<uint16_t>(addr));
    if (addr >> 12 == 1 && slot_of(addr) < NUM_KERNELS) return find(kSlotRegisters, addr & 0xFF);
    return nullptr;
  }

  bool in_range(const Register &r, unsigned addr, uint32_t value) const {
    if (addr < kSmselBase && r.address == 0x48) {
      return (value & 15) < 8 && (value >> 4 & 15) < NUM_KERNELS && (value >> 8 & 3) < NUM_SCHED &&
             value >> 10 == 0;
    }
    if (addr < kSmselBase && r.address == 0x34) return (value & ~0x73Fu) == 0;  // R-QM-13
    if (addr < kSmselBase && r.address == 0x60) return preempt_code != 1 && request_fits(value);
    if (addr < kSmselBase && r.address == 0x88) return move_fits(value);
    if (addr < kSmselBase && r.address == 0x78) return counter_fits(value);
    if (addr < kSmselBase && r.address == 0xB8)  // R-EN-2
      return (value & 15) < 10 && value >> 4 < NUM_KERNELS;
    if (addr < kSmselBase && r.address == 0x80) return !l2_flushing && flush_fits(value);
    if (addr >= kSlotBase && r.address == 0xC8) return stack_fits(value);
    if (r.fits) return r.fits(&kConfig, r.address, value);
    return ((value >= r.low && value <= r.high) || (r.zero_too && value == 0)) &&
           value % r.multiple == 0;
  }

  // From 16 on those of an L1, from 24 on of a shader array's bank.
  static bool counter_fits(uint32_t value) {
    const uint32_t counter = value >> 8, channel = value & 15;
    if ((value >> 4 & 15) >= NUM_KERNELS || channel >= NUM_CHANNELS) return false;
    if (counter < 16) return true;
    if (counter < 24) return counter <= 21 && channel == 0;
    return counter <= 29 && NUM_SAS != 0 && channel < SA_BANKS;
  }

  // All, or a part.
  static bool flush_fits(uint32_t value) { return value == 1 || value >> 31; }

  // From which to which unit.
  static uint64_t flush_of(uint32_t value) {
    const uint64_t valid = uint64_t{1} << 32;
    if (kL2Units < 2) return valid;
    if (value == 1) return valid | (kL2Units - 1) << 16;
    return valid | (value >> 16 & 0xFFF) % kL2Units << 16 | (value & 0xFFF) % kL2Units;
  }

  // R-SO-9.
  bool move_fits(uint32_t value) const {
    const uint32_t use = value >> 16 & 3, slot = value >> 8 & 7;
    if ((value & 0xFF) >= NUM_SMS || slot >= NUM_KERNELS || use == 3 || (value & 0xFFFCF800) != 0)
      return false;
    const uint32_t scheme = gpu[0x24 / 4];
    if (scheme == QSM_SCHEME_SM_STATIC || scheme == QSM_SCHEME_SPART ||
        scheme == QSM_SCHEME_SMQOS || scheme == QSM_SCHEME_SM_ROLLOVER)
      return false;
    return !sm_mgr && (use != QSM_USE_OWNED || (slots[slot][0] & 1));
  }

  static bool request_fits(uint32_t value) {
    return (value & 0xFF) < NUM_SMS && (value >> 8 & 7) < NUM_KERNELS &&
           (value >> 11 & 31) < MAX_TBS && (value >> 17 & 3) < 3 && value >> 19 == 0;
  }

  void write_gpu(const Register &r, uint32_t value, Pulses *pulses) {
    if (r.address == 0x1C) pulses->icache_inv = 1;
    if (r.address == 0x60) pulses->preempt = uint64_t{1} << 32 | value;
    if (r.address == 0x80) pulses->l2_flush = flush_of(value);
    if (r.address == 0x88) pulses->move = uint64_t{1} << 32 | value;
    if (r.address >= 0xD4 && r.address <= 0xE0) pulses->front = 1u << ((r.address - 0xD4) / 4);
    if (r.address == 0x18)
      gpu[0x18 / 4] &= ~value;
    else if (r.access == Access::kRw)
      gpu[r.address / 4] = value;
  }

  // R-QW-10: the budgets of the slots that run, and of slot k with this one, fit into the groups.
  bool groups_fit(unsigned k, uint32_t budget) const {
    std::set<uint32_t> budgets{budget};
    for (unsigned i = 0; i < NUM_KERNELS; i++) {
      if (i != k && (busy >> i & 1)) budgets.insert(slots[i][0xA0 / 4]);
    }
    return budgets.size() <= NUM_GROUPS;
  }

  // R-TB-15: a block of the slot has as many warps at most.
  static bool cap_fits(const uint32_t *slot, uint32_t cap) {
    return cap == 0 || cap >= slot[0x54 / 4];
  }

  // R-TB-16: the walk of the slot is at a block of its grid.
  static bool walk_fits(const uint32_t *slot) {
    return (slot[0xEC / 4] & 0xFFFF) < slot[0x34 / 4] && slot[0xEC / 4] >> 16 < slot[0x38 / 4] &&
           slot[0xF0 / 4] < slot[0x3C / 4];
  }

  static bool is_sm_mask(uint16_t address) {
    return address == 0x0C || address == 0x10 || address == 0xC4;
  }

  bool write_slot(const Register &r, unsigned k, uint32_t value, Pulses *pulses) {
    uint32_t *slot = slots[k];
    const bool valid = slot[0] & 1, is_busy = busy >> k & 1;
    if (r.address == 0x5C) {
      if (!valid || is_busy || (gpu[0x18 / 4] >> k & 1) || !groups_fit(k, slot[0xA0 / 4]) ||
          !cap_fits(slot, slot[0xDC / 4]) || !walk_fits(slot))
        return false;
      pulses->launch = 1u << k;
    }
    if (r.address == 0x9C) {
      if (!is_busy) return false;
      pulses->kill = 1u << k;
    }
    if (r.address == 0xE8) {
      if (!is_busy) return false;
      pulses->yield = 1u << k;
    }
    if (r.address >= 0xEC && r.address <= 0xF4) {
      pulses->walk = uint64_t{1} << (3 * k + (r.address - 0xEC) / 4);
      pulses->walk_value = value;
    }
    if (r.address == 0xF8 || r.address == 0xFC) {
      pulses->due = due_bit(r.address == 0xFC ? 0 : 1, k);
      pulses->due_value = value;
    }
    if (r.address == 0x5C) pulses->due = due_bit(2, k);
    if (r.address == 0x00) {
      pulses->alloc_change = value != slot[0];
      if ((value & 1) && !valid) {
        pulses->arrival = pulses->hist_clear = 1u << k;
        pulses->due = due_bit(3, k);
        slot[0xA0 / 4] = 1;
        for (unsigned address = 0xA4; address <= 0xB4; address += 4) slot[address / 4] = 0;
        slot[0xC0 / 4] = slot[0xC8 / 4] = 0;
        for (const Register &other : kSlotRegisters) {
          if (other.tenant) slot[other.address / 4] = other.reset;
        }
      }
    }
    if (r.address == 0xA0 && is_busy && !groups_fit(k, value)) return false;
    if (r.address == 0xDC && is_busy && !cap_fits(slot, value)) return false;
    if (r.address == 0xDC) pulses->alloc_change = valid;
    if (r.address == 0xE0 && valid) return false;
    if (is_sm_mask(r.address)) pulses->alloc_change = valid && value != slot[r.address / 4];
    if (r.address == 0x8C) pulses->hist_clear = 1u << k;
    if (r.access == Access::kRw) slot[r.address / 4] = value;
    return true;
  }

  uint32_t gpu_value(uint16_t address, uint64_t cycle) const {
    switch (address) {
      case 0x10: return static_cast<uint32_t>(cycle);
      case 0x14: return static_cast<uint32_t>(cycle >> 32);
      case 0x38: return 77;
      case 0x3C: return 88;
      case 0x44: return alloc_busy;
      case 0x50: return mgr_busy;
      case 0x64:
        return preempt_code | low_bits(figure(32, 0, 0), kTbBits) << 8 |
               low_bits(figure(31, 0, 0), 4) << 16 | low_bits(figure(30, 0, 0), kSmBits) << 24;
      case 0x68: return adjust_busy;
      case 0x6C: {
        const unsigned i = gpu[0x40 / 4];
        return low_bits(figure(38, i, 0), 3) | low_bits(figure(37, i, 0), kKernelBits) << 4 |
               low_bits(figure(36, i, 0), kTbBits) << 8 | low_bits(figure(35, i, 0), 4) << 13 |
               sm_figure("save_phase", i) << 17 | low_bits(figure(33, i, 0), 3) << 24;
      }
      case 0x7C:
        return gpu[0x78 / 4] >> 8 < 16   ? mem_figure(gpu[0x78 / 4])
               : gpu[0x78 / 4] >> 8 < 24 ? sm_figure("l1_value", gpu[0x40 / 4])
                                         : array_figure(gpu[0x78 / 4]);
      case 0x80: return l2_flushing;
      case 0xA0: return figure(41, 0, 0);
      case 0xA4: return figure(42, 0, 0);
      case 0xA8: return 0x123;
      case 0xAC: return figure(43, 0, 0);
      case 0xB0: return 0x456;
      case 0xC0: return figure(51, 0, 0);
      case 0xC4: return 0x789;
      case 0xC8: return figure(52, 0, 0);
      case 0xD4:
      case 0xD8:
      case 0xDC: return figure(54, 0, (address - 0xD4) / 4);
      case 0xE4: return figure(58, 0, 0) & kSnapEngine;
      case 0xE8: return figure(56, 0, 0);
      case 0xEC: return figure(57, 0, 0);
      case 0xF0:
      case 0xF4:
      case 0xF8: return figure(55, 0, (address - 0xF0) / 4);
      case 0xB4: {
        const unsigned i = gpu[0x40 / 4];
        return low_bits(figure(45, i, 0), 2) | low_bits(figure(46, i, 0), kKernelBits) << 2 |
               low_bits(figure(47, i, 0), 1) << 6 | low_bits(figure(48, i, 0), 2) << 7 |
               low_bits(figure(49, i, 0), kKernelBits) << 9 | low_bits(figure(50, i, 0), 2) << 12;
      }
      default: return gpu[address / 4];
    }
  }

  // A figure of the selected SM as its register shows it.
  uint32_t shown(const Figure &f, unsigned element) const {
    const uint32_t value = sm_figure(f, gpu[0x40 / 4], element);
    return f.shown ? f.shown(value) : value;
  }

  // TBS of the selected SM.
  uint32_t blocks(unsigned k) const {
    const unsigned i = gpu[0x40 / 4];
    return low_bits(figure(25, i, k), 6) << 8 | low_bits(figure(24, i, k), 6);
  }
};

bool equal(const Pulses &a, const Pulses &b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool mask_has(const uint32_t *slot, unsigned sm) {
  const unsigned address[] = {0x0C, 0x10, 0xC4};
  return slot[address[sm / 32] / 4] >> sm % 32 & 1;
}

// What the other blocks see of the registers.
void check_levels(qsm_unit::Tap &tap, const Bench &bench, const Ref &ref) {
  const Vqsm_ctrl_pins &top = bench.top;
  uint64_t valid = 0, qos = 0;
  for (unsigned k = 0; k < NUM_KERNELS; k++) {
    const uint32_t *slot = ref.slots[k];
    valid |= uint64_t{slot[0] & 1} << k;
    qos |= uint64_t{(slot[0] & 3) == 3} << k;
    tap.expect(get(top.iso_ipc_o, k, 32) == slot[0xA4 / 4], "slot %u: ISO_IPC", k);
    tap.expect(get(top.save_base_o, k, 20) == slot[0xA8 / 4] >> 12 &&
                   get(top.save_limit_o, k, 20) == slot[0xAC / 4] >> 12,
               "slot %u: save area", k);
    tap.expect(get(top.idempotent_o, k, 1) == slot[0xB0 / 4] &&
                   get(top.preempt_hold_o, k, 1) == slot[0xB4 / 4],
               "slot %u: IDEMPOTENT, PREEMPT_HOLD", k);
    for (unsigned i = 0; i < NUM_SMS; i++)
      tap.expect(get(top.sm_mask_o, k * NUM_SMS + i, 1) == mask_has(slot, i),
                 "slot %u: SM %u of the mask", k, i);
    tap.expect(get(top.cache_policy_o, k, 2) == slot[0xC0 / 4], "slot %u: CACHE_POLICY", k);
    tap.expect(get(top.warp_cap_o, k, 7) == slot[0xDC / 4], "slot %u: WARP_CAP", k);
    tap.expect(get(top.mem_split_o, k, 3) == slot[0xE0 / 4], "slot %u: MEM_SPLIT", k);
  }
  tap.expect(top.valid_o == valid && top.qos_o == qos, "valid 0x%x, QoS 0x%x; must be 0x%x, 0x%x",
             top.valid_o, top.qos_o, static_cast<unsigned>(valid), static_cast<unsigned>(qos));
  tap.expect(top.adjust_o == ref.gpu[0x58 / 4] && top.adjust_technique_o == ref.gpu[0x5C / 4],
             "ADJUST, ADJUST_TECHNIQUE");
  tap.expect(top.latecomers_o == ref.gpu[0x84 / 4], "LATECOMERS");
  tap.expect(
      top.energy_event_o == (ref.gpu[0xB8 / 4] & 15) && top.energy_slot_o == ref.gpu[0xB8 / 4] >> 4,
      "ENERGY_SELECT");
  tap.expect(top.scheme_o == ref.gpu[0x24 / 4], "SCHEME");
  const uint32_t rules = ref.gpu[0x34 / 4];  // R-QM-13
  tap.expect(top.quota_rules_o == ((rules & 0x3F) | (rules >> 8) << 6), "QUOTA_RULES");
  tap.expect(top.alpha_cap_o == ref.gpu[0x2C / 4], "ALPHA_CAP");
  tap.expect(top.front_mode_o == ref.gpu[0xCC / 4] && top.front_slots_o == ref.gpu[0xD0 / 4] &&
                 (NUM_CMD == 0 || top.link_interval_o == ref.gpu[0xFC / 4]),
             "FRONT_MODE, FRONT_SLOTS, LINK_INTERVAL");
  tap.expect(top.move_technique_o == ref.gpu[0x8C / 4] && top.sm_gating_o == ref.gpu[0x90 / 4] &&
                 top.wake_lat_o == ref.gpu[0x94 / 4],
             "MOVE_TECHNIQUE, SM_GATING, WAKE_LAT");
}

// One access against the reference: answer, pulses, and the registers from then on.
void check(qsm_unit::Tap &tap, Bench &bench, Ref &ref, bool we, unsigned addr, uint32_t value) {
  Pulses pulses;
  const Answer wanted =
      we ? Answer{!ref.write(addr, value, &pulses), 0} : ref.read(addr, bench.n_cycles + 1);
  const Answer seen = bench.access(we, addr, value);
  tap.expect(seen.err == wanted.err && seen.rdata == wanted.rdata,
             "%s 0x%04x (0x%x), busy 0x%x, manager %d: err %d, 0x%x; must be err %d, 0x%x",
             we ? "write" : "read", addr, value, static_cast<unsigned>(ref.busy), ref.mgr_busy,
             seen.err, seen.rdata, wanted.err, wanted.rdata);
  tap.expect(equal(bench.pulses, pulses), "%s 0x%04x (0x%x): wrong pulses", we ? "write" : "read",
             addr, value);
  check_levels(tap, bench, ref);
}

// The same of a write of the front end: it has to be made again while the manager keeps the
// register quiet (front.md R-FR-11), and the host sees nothing of it.
void check_front(qsm_unit::Tap &tap, Bench &bench, Ref &ref, unsigned addr, uint32_t value) {
  Pulses pulses;
  bool again;
  const bool waits = ref.is_quiet(addr) && (ref.mgr_busy || ref.snapshot);
  const bool err = !waits && !ref.write(addr, value, &pulses);
  const Answer seen = bench.front_write(addr, value, &again);
  tap.expect(again == waits, "front end: 0x%04x is %smade again", addr, again ? "" : "not ");
  tap.expect(seen.rdata == 0 && (waits || seen.err == err),
             "front end: 0x%04x (0x%x): err %d, the host sees 0x%x", addr, value, seen.err,
             seen.rdata);
  tap.expect(equal(bench.pulses, pulses), "front end: 0x%04x (0x%x): wrong pulses", addr, value);
  check_levels(tap, bench, ref);
}

// Its answers, those of its registers, its interrupt.
void test_front(qsm_unit::Tap &tap) {
  if (!NUM_CMD) return tap.done("front end # there is none");
  Bench bench;
  for (unsigned word = 0; word < 3; word++) set(bench.top.front_irq_i, word, 32, 0);
  tap.expect(!bench.read(0x8000).err && !bench.read(0x40000).err && !bench.read(0x9FFFC).err,
             "addresses of channels are refused by the port itself");
  set(bench.top.front_rsp_i, 0, 33, uint64_t{1} << 32 | 0x1234);
  bench.read(0x0000);
  tap.expect(bench.answer().err && (bench.answer().rdata & 0x1234) == 0x1234,
             "its answer does not come through");
  set(bench.top.front_rsp_i, 0, 33, 0);
  set(bench.top.ended_i, 0, 1, 1);
  bench.clock();
  set(bench.top.ended_i, 0, 1, 0);
  tap.expect(bench.top.irq_o, "R-FR-18: no interrupt of a slot of the host's");
  bench.write(0xD0, 1);
  tap.expect(!bench.top.irq_o, "R-FR-18: an interrupt of a slot of the front end's");
  for (unsigned word = 0; word < 3; word++) {
    set(bench.top.front_irq_i, word, 32, 1u << (11 * word));
    bench.clock();
    tap.expect(bench.top.irq_o, "R-FR-18: no interrupt of a channel");
    set(bench.top.front_irq_i, word, 32, 0);
  }
  tap.done("R-FR-18: the front end's answers and interrupts");
}

void test_reset_values(qsm_unit::Tap &tap) {
  Bench bench;
  Ref ref;
  for (unsigned addr = 0; addr < 0x2000; addr += 4) check(tap, bench, ref, false, addr, 0);
  tap.done("R-GEN-4: every address reads its reset value or is refused");
}

void test_interrupt(qsm_unit::Tap &tap) {
  Bench bench;
  for (unsigned word = 0; word < 3; word++) set(bench.top.front_irq_i, word, 32, 0);
  set(bench.top.ended_i, 1, 1, 1);
  bench.clock();
  tap.expect(bench.top.irq_o && bench.read(0x18).rdata == 2,
             "the end of slot 1's launch does not interrupt");
  bench.write(0x18, 2);  // the end of another launch in the same cycle wins
  set(bench.top.ended_i, 1, 1, 0);
  tap.expect(bench.top.irq_o, "an interrupt got lost");
  bench.write(0x18, 5);
  tap.expect(bench.top.irq_o, "clearing other bits cleared this one");
  bench.write(0x18, 2);
  tap.expect(!bench.top.irq_o, "the interrupt was not cleared");
  tap.done("an ended launch interrupts until the bit is written");
}

void test_answer_lasts_one_cycle(qsm_unit::Tap &tap) {
  Bench bench;
  bench.read(0x00);
  bench.clock();
  tap.expect(!bench.answer().err && bench.answer().rdata == 0, "an answer without an access");
  bench.read(0x02);
  bench.clock();
  tap.expect(!bench.answer().err, "an error without an access");
  tap.done("the answer is there for one cycle");
}

// Accesses that are chosen in successive cycles: each sees those before it, and the host goes
// first.
void test_order(qsm_unit::Tap &tap) {
  const unsigned budget = kSlotBase + 0xA0, quota = kSlotBase + 8;
  Bench bench;
  bench.choose_front(budget, 7);
  bench.choose(false, budget, 0, quota, 9);  // the front end's has to wait
  bench.choose_front(quota, 11);
  tap.expect(bench.answer().rdata == 7 && !bench.answer().err, "a read does not see the write");
  bench.choose(false, quota, 0, budget, 8);
  tap.expect(!bench.top.front_err_o && bench.answer().rdata == 0, "the host sees a write's answer");
  bench.choose_front(budget, 0);  // out of range
  tap.expect(bench.answer().rdata == 11, "a read sees 0x%x", bench.answer().rdata);
  bench.choose(true, budget, 5, budget, 6);
  tap.expect(bench.top.front_err_o && !bench.answer().err, "the wrong one is refused");
  bench.choose_front(budget, 4);
  tap.expect(!bench.answer().err, "a write is refused");
  tap.expect(bench.read(budget).rdata == 4, "the last write does not count");
  tap.done("R-CP-14, R-CP-1: one access per cycle, in the order in which they are chosen");
}

// Mostly a counter that there is.
uint32_t random_select(qsm_unit::Random &random) {
  uint32_t value =
      random.below(NUM_CHANNELS) | random.below(NUM_KERNELS) << 4 | random.below(31) << 8;
  switch (random.below(6)) {
    case 0: return value ^ 1u << random.below(32);
    case 1: return value + random.below(NUM_CHANNELS + 1);
    case 2: return value + (NUM_KERNELS << 4);
    default: return value;
  }
}

// Mostly one that fits.
uint32_t random_request(qsm_unit::Random &random) {
  uint32_t value = random.below(NUM_SMS) | random.below(NUM_KERNELS) << 8 |
                   random.below(MAX_TBS) << 11 | random.below(2) << 16 | random.below(3) << 17;
  switch (random.below(8)) {
    case 0: return value ^ 1u << random.below(32);
    case 1: return value + NUM_SMS;
    case 2: return value + (NUM_KERNELS << 8);
    case 3: return value + (MAX_TBS << 11);
    case 4: return value | 3 << 17;
    default: return value;
  }
}

// Mostly one that fits; whether it is accepted, scheme, manager and contexts decide.
uint32_t random_move(qsm_unit::Random &random) {
  uint32_t value = random.below(NUM_SMS) | random.below(NUM_KERNELS) << 8 | random.below(3) << 16;
  switch (random.below(8)) {
    case 0: return value ^ 1u << random.below(32);
    case 1: return value + NUM_SMS;
    case 2: return value + (NUM_KERNELS << 8);
    case 3: return value | 3 << 16;
    default: return value;
  }
}

// Mostly one that is accepted, or one that would be with a base of one bit less or more.
uint32_t random_stack(qsm_unit::Random &random) {
  const uint32_t log2 = random.below(18), unit = (1u << log2) * WARP_SIZE;
  const uint32_t base = unit >> random.below(3) >> 12 << 12 ? unit >> random.below(2) : 4096;
  switch (random.below(6)) {
    case 0: return random.bits32() >> random.below(32);
    case 1: return (random.bits32() * base & ~0xFFFu) | log2 | 1u << random.below(12);
    case 2: return log2;
    default: return (random.bits32() * base & ~0xFFFu) | log2;
  }
}

uint32_t random_value(const Register *r, qsm_unit::Random &random) {
  const uint32_t value = random.bits32() >> random.below(32);
  if (!r) return value;
  if (r == find(kGpuRegisters, 0x34)) return random.one_in(3) ? value : value & 0x73F;
  if (r == find(kGpuRegisters, 0x60)) return random_request(random);
  if (r == find(kGpuRegisters, 0x78)) return random_select(random);
  if (r == find(kGpuRegisters, 0x80) && !random.one_in(4))
    return random.one_in(4) ? 1 : random.bits32() | 1u << 31;
  if (r == find(kGpuRegisters, 0x88)) return random_move(random);
  if (r == find(kGpuRegisters, 0xB8) && !random.one_in(4))
    return random.below(12) | random.below(NUM_KERNELS + 1) << 4;
  if (r == find(kSlotRegisters, 0xC8)) return random_stack(random);
  // mostly inside of small grids
  if (r->address >= 0xEC && r->address <= 0xF0 && r == find(kSlotRegisters, r->address) &&
      !random.one_in(4))
    return random.below(3) | (random.one_in(2) ? random.below(3) << 16 : 0);
  switch (random.below(7)) {
    case 0: return r->low;
    case 1: return r->high / r->multiple * r->multiple;
    case 2:
      return random.one_in(2) ? r->low - 1
                              : r->low + random.below(4);  // small ones are often equal
    case 3: return r->high + 1;
    case 4: return value / r->multiple * r->multiple;
    case 5: return value / r->multiple * r->multiple + r->multiple / 2;
    default: return value;
  }
}

// What others show, as the reference has it.
void drive_state(Bench &bench, const Ref &ref, unsigned ended) {
  bench.top.sm_mgr_i = ref.sm_mgr;
  bench.top.busy_i = static_cast<CData>(ref.busy);
  bench.top.killed_i = static_cast<CData>(ref.killed);
  bench.top.yielded_i = static_cast<CData>(ref.yielded);
  bench.top.faulted_i = static_cast<CData>(ref.faulted);
  bench.top.mgr_busy_i = ref.mgr_busy;
  bench.top.snapshot_i = ref.snapshot;
  bench.top.alloc_busy_i = ref.alloc_busy;
  bench.top.adjust_busy_i = ref.adjust_busy;
  bench.top.l2_flushing_i = ref.l2_flushing;
  bench.drive_preempt_status(ref.preempt_code);
  bench.top.ended_i = static_cast<CData>(ended);
}

void draw_state(Ref &ref, qsm_unit::Random &random) {
  ref.busy = random.one_in(4) ? random.below(1 << NUM_KERNELS) : ref.busy;
  ref.mgr_busy = random.one_in(6);
  ref.snapshot = random.one_in(12);
  ref.alloc_busy = random.one_in(2);
  ref.sm_mgr = random.one_in(3);
  ref.killed = random.below(1 << NUM_KERNELS);
  ref.faulted = ref.killed & random.below(1 << NUM_KERNELS);
  ref.yielded = random.below(1 << NUM_KERNELS);
  ref.adjust_busy = random.one_in(2);
  ref.l2_flushing = random.one_in(2);
  ref.preempt_code = random.below(11);
}

void random_access(qsm_unit::Tap &tap, Bench &bench, Ref &ref, qsm_unit::Random &random) {
  // another state in the cycle of the choice than in that of the access
  draw_state(ref, random);
  drive_state(bench, ref, 0);
  draw_state(ref, random);
  unsigned addr = random.below(0x2000);
  const Register *r = nullptr;
  switch (random.below(9)) {
    case 0: break;
    case 8: {
      const Figure &f = kFigures[random.below(sizeof kFigures / sizeof *kFigures)];
      addr = f.address + f.step * random.below(f.count + 1);
      break;
    }
    case 1: addr = kSmselBase + 4 * random.below(4 * (NUM_KERNELS + 1)); break;
    case 2:
    case 3:
      r = &kGpuRegisters[random.below(static_cast<uint32_t>(kGpuRegisters.size()))];
      addr = r->address;
      break;
    default:
      r = &kSlotRegisters[random.below(static_cast<uint32_t>(kSlotRegisters.size()))];
      addr =
          kSlotBase + 0x100 * random.below(NUM_KERNELS + (random.one_in(8) ? 1 : 0)) + r->address;
  }
  const unsigned ended = random.one_in(20) ? random.below(1 << NUM_KERNELS) : 0;
  bench.between = [&bench, &ref, ended] { drive_state(bench, ref, ended); };
  const bool of_slot = addr >= kSlotBase && addr < kSlotBase + 0x100 * NUM_KERNELS;
  if (random.one_in(4) && r && (of_slot || addr == 0x18))
    check_front(tap, bench, ref, addr, random_value(r, random));
  else
    check(tap, bench, ref, random.one_in(2), addr, random_value(r, random));
  bench.between = nullptr;
  ref.gpu[0x18 / 4] |= ended;
}

// Every size with every alignment of the base, and every bit between them.
void test_stack(qsm_unit::Tap &tap) {
  Bench bench;
  const unsigned addr = kSlotBase + 0xC8;
  for (uint32_t log2 = 0; log2 < 32; log2++) {
    for (unsigned bit = 5; bit <= 32; bit++) {
      const uint32_t value = log2 | (bit < 32 ? 1u << bit : 0);
      const bool taken = !bench.access(true, addr, value).err;
      tap.expect(taken == stack_fits(value), "STACK 0x%x: accepted %d", value, taken);
      if (taken)
        tap.expect(bench.access(false, addr, 0).rdata == value,
                   "STACK 0x%x reads as something else", value);
    }
  }
  tap.done(
      "STACK takes sizes of 16 to 65536 bytes and bases of whole warps, or nothing (R-CP-4, I-MEM-6)");
}

// All, and every first and last unit beside one of the other end, with and without the bits that
// mean nothing.
void test_flush(qsm_unit::Tap &tap) {
  Bench bench;
  Ref ref;
  const auto written = [&](uint32_t value) { check(tap, bench, ref, true, 0x80, value); };
  for (uint32_t value : {0u, 1u, 2u, 3u, 0x00010001u, 0x7FFFFFFFu, 0x80000000u, 0x80000001u,
                         0x80010000u, 0xFFFFFFFFu})
    written(value);
  for (uint32_t unit = 0; unit < 0x1000; unit++) {
    written(1u << 31 | unit | (~unit & 0xFFF) << 16);
    written(0xF000F000u | unit | (unit + 1 & 0xFFF) << 16);
  }
  for (bool flushing : {true, false}) {
    ref.l2_flushing = flushing;
    bench.between = [&] { drive_state(bench, ref, 0); };
    written(1);
    written(0x80000000u);
    check(tap, bench, ref, false, 0x80, 0);
  }
  tap.done(
      "L2_FLUSH takes 1 for all and bit 31 for a part, not while it reads 1, and says from which to which (R-CP-2, R-L2-10)");
}

// Blocks of so many warps, of an idle slot and of a busy one.
void test_cap(qsm_unit::Tap &tap) {
  Bench bench;
  const unsigned slot = kSlotBase + 0x100, cap = slot + 0xDC, launch = slot + 0x5C;
  auto refused = [&](unsigned addr, uint32_t value) { return bench.access(true, addr, value).err; };
  bench.top.busy_i = 0;
  bench.write(slot, 1);
  for (uint32_t warps = 1; warps <= WARPS_PER_SM; warps++) {
    bench.write(slot + 0x54, warps);
    for (uint32_t value = 0; value <= WARPS_PER_SM + 1; value++) {
      const bool known = value <= WARPS_PER_SM, fits = known && (value == 0 || value >= warps);
      tap.expect(refused(cap, value) == !known, "idle: %u of blocks of %u", value, warps);
      tap.expect(bench.pulses.alloc_change == known, "idle: a write of %u asks for targets", value);
      if (!known) continue;
      tap.expect(refused(launch, 1) == !fits, "a launch with %u of blocks of %u", value, warps);
      bench.top.busy_i = 2;
      tap.expect(refused(cap, value) == !fits, "busy: %u of blocks of %u", value, warps);
      bench.top.busy_i = 0;
    }
  }
  bench.write(cap, WARPS_PER_SM);
  bench.write(slot, 0);
  tap.expect(bench.access(false, cap, 0).rdata == WARPS_PER_SM, "a tenant leaves: its cap stays");
  bench.write(cap, 1);
  tap.expect(bench.pulses.alloc_change == 0, "a cap of no tenant asks for targets");
  bench.write(slot, 1);
  tap.expect(bench.access(false, cap, 0).rdata == 0, "a tenant inherits a cap");
  tap.done("R-TB-15: no cap below the blocks of a launch; targets anew; none at arrival");
}

// Walks in and beside grids of all sizes, YIELD of an idle slot and of a busy one.
void test_walk(qsm_unit::Tap &tap) {
  Bench bench;
  const unsigned slot = kSlotBase + 0x100, launch = slot + 0x5C, yield = slot + 0xE8;
  auto refused = [&](unsigned addr, uint32_t value) { return bench.access(true, addr, value).err; };
  bench.top.busy_i = 0;
  bench.write(slot, 1);
  const uint32_t sizes[] = {1, 2, 3, 256, 65535};
  for (unsigned d = 0; d < 3; d++) {
    for (uint32_t size : sizes) {
      bench.write(slot + 0x34 + 4 * d, size);
      for (uint32_t at : {0u, 1u, size - 1, size, size + 1, 65535u}) {
        if (at > 65535) continue;
        const unsigned word = slot + (d == 2 ? 0xF0 : 0xEC);
        const uint32_t value = d == 1 ? at << 16 : at;
        tap.expect(!refused(word, value), "a walk at %u of dimension %u", at, d);
        tap.expect(bench.read(word).rdata == value, "a walk reads as something else");
        tap.expect(refused(launch, 1) == (at >= size), "LAUNCH at %u of %u in dimension %u", at,
                   size, d);
        tap.expect((bench.pulses.launch != 0) == (at < size), "a refused LAUNCH has its pulse");
        bench.write(word, 0);
      }
    }
  }
  tap.expect(!refused(slot + 0xF4, ~0u) && !refused(launch, 1), "linear is believed");
  tap.expect(refused(slot + 0xF0, 65536), "WALK_Z of 17 bits");
  tap.expect(refused(yield, 1) && !bench.pulses.yield, "YIELD of an idle slot");
  bench.top.busy_i = 2;
  tap.expect(refused(yield, 0) && refused(yield, 2), "YIELD of another value");
  tap.expect(!refused(yield, 1) && bench.pulses.yield == 2, "YIELD of a busy slot");
  for (unsigned word = 0xEC; word <= 0xF4; word += 4)
    tap.expect(refused(slot + word, 0) && !bench.pulses.walk, "a walk's write while busy");
  tap.expect(bench.read(slot + 0xF4).rdata == ~0u, "the walk of a busy slot can not be read");
  bench.top.busy_i = 0;
  tap.done("R-TB-16: LAUNCH within the grid only; YIELD of a busy slot, WALK_* of an idle one");
}

void test_split(qsm_unit::Tap &tap) {
  Bench bench;
  const unsigned slot = kSlotBase + 0x100, split = slot + 0xE0;
  for (uint32_t v = 0; v <= 5; v++) {
    bench.write(slot, 0);
    const bool known = v <= kMaxSplit;
    tap.expect(bench.access(true, split, v).err == !known, "MEM_SPLIT %u", v);
    bench.write(slot, 1);
    const uint32_t kept = known ? v : kMaxSplit;
    tap.expect(bench.access(false, split, 0).rdata == kept, "MEM_SPLIT %u at arrival", kept);
    tap.expect(bench.access(true, split, kept).err, "MEM_SPLIT %u of a tenant", kept);
  }
  tap.done("R-XB-6: MEM_SPLIT up to the channels, kept at arrival, and refused from then on");
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench;
  Ref ref;
  for (unsigned n = 0; n < 200000 && !tap.failed(); n++) random_access(tap, bench, ref, random);
  tap.done("R-CP-1 to R-CP-6, R-GEN-3: random accesses: answers, values and pulses");
}

// What the blocks see: a launch descriptor as written.
void test_descriptor(qsm_unit::Tap &tap) {
  Bench bench;
  const unsigned k = 1;
  for (const Register &r : kSlotRegisters) {
    if (r.idle && r.address != 0 && r.address <= 0x58)
      bench.write(kSlotBase + 0x100 * k + r.address, r.low + r.multiple);
  }
  bench.write(kSlotBase + 0x100 * k + 0xC8, 0x7000 | 5);
  // desc_t from bit 0 up.
  const unsigned widths[] = {20, 5,  6,  19, 7, 11, 11, 11, 11, 16,
                             16, 16, 32, 32, 3, 32, 32, 3,  32, 32};
  const uint32_t values[] = {7, 5, 1, 1, 2, 2,    2,    2, 2,    2,
                             2, 2, 1, 4, 1, 4096, 4096, 1, 4096, 4096};
  unsigned size = 0;
  for (unsigned w : widths) size += w;
  Fields<decltype(bench.top.desc_o)> desc(bench.top.desc_o, k * size);
  for (unsigned f = 0; f < sizeof widths / sizeof *widths; f++) {
    const uint32_t seen = desc.take(widths[f]);
    tap.expect(seen == values[f], "field %u of the descriptor is %u, must be %u", f, seen,
               values[f]);
  }
  tap.done("the launch descriptor is what was written");
}

}  // namespace

int main(int argc, char **argv) {
  add_plain_registers();
  qsm_unit::Random random(argc, argv, "test_ctrl");
  qsm_unit::Tap tap(12);
  test_reset_values(tap);
  test_interrupt(tap);
  test_answer_lasts_one_cycle(tap);
  test_order(tap);
  test_descriptor(tap);
  test_stack(tap);
  test_cap(tap);
  test_flush(tap);
  test_walk(tap);
  test_split(tap);
  test_front(tap);
  test_random(tap, random);
  return tap.exit_code();
}
