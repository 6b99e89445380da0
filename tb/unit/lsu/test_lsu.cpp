// SPDX-License-Identifier: Apache-2.0
// Load/store unit against docs/lsu.md: directed checks of the numbered rules, then random traffic
// compared with an independent reference in every cycle. Configuration `odd`. Usage: test_lsu [seed
// [cycles]]. Output: TAP.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "Vbench_lsu.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

namespace {

constexpr int kSubs = 2, kLanes = 4, kTxns = 8, kSharedBytes = 6144, kKernels = 3, kTbs = 5;
constexpr int kLine = 4 * kLanes, kGranule = kSharedBytes / 32, kQueue = 4, kResults = 4;
enum Kind { kRead = 0, kWrite = 1, kAmo = 2 };

struct Op {
  uint32_t warp = 0, kernel = 0, tb = 0, widx = 0, pc = 0, instr = 0, mask = 0, entry = 0;
  bool injected = false, away = false;
  uint32_t addr[kLanes] = {}, data[kLanes] = {};
  Kind kind() const {
    return (instr & 0x7f) == 0x23 ? kWrite : (instr & 0x7f) == 0x2f ? kAmo : kRead;
  }
  uint32_t funct3() const { return instr >> 12 & 7; }
  uint32_t rd() const { return kind() == kWrite ? 0 : instr >> 7 & 31; }
  uint32_t size() const { return 1u << (funct3() & 3); }
};

struct Window {
  uint32_t base, limit;
  bool r, w;
};
struct World {  // what the launch registers and TB slots say
  Window win[kKernels][2];
  uint32_t origin[kKernels];  // where the windows of random traffic are
  uint32_t shared[kKernels], stack_log2[kKernels], stack_base[kKernels], warps[kKernels];
  uint32_t kernel[kTbs], ticket[kTbs], base[kTbs], linear[kTbs];
};

// I-MEM-6: a local address below the stack.
bool overflows(uint32_t log2, uint32_t a) {
  return a >> 30 == 3 && (log2 == 0 || (uint64_t{1} << 32) - a > uint64_t{1} << log2);
}

// I-MEM-6, by arithmetic: the words of a stack are as far from each other as a warp has lanes.
uint32_t device_address(const World &w, uint32_t tb, uint32_t widx, uint32_t lane, uint32_t a) {
  const uint32_t k = w.kernel[tb], bytes = 1u << w.stack_log2[k],
                 at = a + bytes;  // at: from the stack's lower end, mod 2^32
  return w.stack_base[k] + (w.ticket[tb] * w.warps[k] + widx) * bytes * kLanes +
         at / 4 * 4 * kLanes + 4 * lane + at % 4;
}

struct Response {
  uint32_t txn;
  uint32_t data[kLanes];
};

struct Inputs {
  bool mq_valid[kSubs] = {}, pop[kSubs] = {}, port_free = true, rsp_valid = false, wipe = false;
  bool fault_wait = false;
  uint32_t wipe_row = 0;
  Op mq[kSubs];
  Response rsp{};
};

// All outputs of a cycle as named words, so that a difference has a name.
using Outputs = std::map<std::string, uint32_t>;

// funct5 of each AMO, by the memory port's code
constexpr uint32_t kFunct5[9] = {0x01, 0x00, 0x04, 0x0c, 0x08, 0x10, 0x14, 0x18, 0x1c};

uint32_t amo_code(uint32_t instr) {
  for (uint32_t c = 0; c < 9; c++)
    if (kFunct5[c] == instr >> 27) return c;
  return 0;
}

uint32_t amo(uint32_t code, uint32_t old, uint32_t b) {
  const auto so = static_cast<int32_t>(old), sb = static_cast<int32_t>(b);
  switch (code) {
    case 0: return b;
    case 1: return old + b;
    case 2: return old ^ b;
    case 3: return old & b;
    case 4: return old | b;
    case 5: return so < sb ? old : b;
    case 6: return so > sb ? old : b;
    case 7: return std::min(old, b);
    default: return std::max(old, b);
  }
}

uint32_t extend(uint32_t word, uint32_t offset, uint32_t funct3) {
  const uint32_t v = word >> 8 * (offset & 3);
  switch (funct3) {
    case 0: return static_cast<uint32_t>(static_cast<int8_t>(v));
    case 1: return static_cast<uint32_t>(static_cast<int16_t>(v));
    case 4: return v & 0xff;
    case 5: return v & 0xffff;
    default: return word;
  }
}

// ---- reference: the page, rule by rule ----
class Reference {
 public:
  explicit Reference(const World &world) : world_(world), shared_(kSharedBytes, 0) {
    std::fill(credit_, credit_ + kSubs, kResults);
  }

  Outputs cycle(const Inputs &in) {
    Outputs out;
    if (result_.valid) report_result(out);
    Result next_result;
    bool c_finish = false, want_pass = false;
    const uint32_t rem_shared = c_.rem_shared;
    const bool fails = c_.valid && c_.fault_lane >= 0;
    const bool runs = c_.valid && !fails && !amo_last_;
    // R-LS-10: who gets the return slot
    if (runs && rem_shared) want_pass = c_.op.kind() == kWrite || credit_[c_.sub] > 0;
    const Txn *head = queue_.empty() ? nullptr : &txn_[queue_.front().txn];
    const bool want_rsp = head && (head->op.kind() == kWrite || credit_[head->sub] > 0);
    const bool grant_pass = want_pass && !(want_rsp && last_was_pass_);
    const bool grant_rsp = want_rsp && !grant_pass;
    const int free_txn = lowest_free();
    int credit_d[kSubs] = {};
    bool amo_pass = false;
    uint32_t took = 0, kind = 0;
    bool part = false;

    if (fails && in.fault_wait) {  // R-LS-3
    } else if (fails) {
      report_fault(out);
      c_finish = true;
      took = c_.op.mask;
      kind = 2;
    } else if (grant_pass) {
      took = shared_pass(next_result, amo_pass);
      part = c_.op.kind() != kWrite;
      if (part) credit_d[c_.sub]--;
      c_.rem_shared &= ~took;
    } else if (runs && !rem_shared && free_txn >= 0 && in.port_free) {
      took = device_pass(out, free_txn);
      if (c_.op.away) out["away.take"] = 1;  // R-PA-19
      part = true;
      kind = 1;
      c_.rem_device &= ~took;
    }
    if ((took || amo_last_) && !amo_pass)  // R-LS-4, R-LS-8
      c_finish = !c_.rem_shared && !c_.rem_device;
    if (c_finish && c_.op.away) out["away.finish"] = 1;
    if (took) {
      out["event.pass"] = 1;
      out["event.kind"] = kind;
      out["event.mask"] = took;
      if (kind != 2 && !c_.op.injected) {  // R-EN-1
        uint32_t n = 0;
        for (int l = 0; l < kLanes; l++) n += took >> l & 1;
        out["energy.valid"] = 1;
        out["energy.shared"] = kind == 0;
        out["energy.kernel"] = c_.op.kernel;
        out["energy.lanes"] = n;
      }
    }
    if (part || c_finish) {  // R-LS-13
      out["sb.part"] = part;
      out["sb.last"] = c_finish;
      out["sb.sub"] = c_.sub;
      out["sb.warp"] = c_.op.warp;
      out["sb.entry"] = c_.op.entry;
    }
    if (grant_rsp) {  // R-LS-11
      const Response r = queue_.front();
      Txn &t = txn_[r.txn];
      out["event.return_txn"] = r.txn;
      if (t.op.away) out["away.serve"] = 1;
      if (t.op.kind() == kWrite) {
        out["ack.valid"] = 1;
        out["ack.sub"] = t.sub;
        out["ack.warp"] = t.op.warp;
        out["ack.entry"] = t.op.entry;
      } else {
        credit_d[t.sub]--;
        next_result = {true, t.sub, t.op.warp, t.op.rd(), t.mask, t.op.entry, {}};
        for (int l = 0; l < kLanes; l++) {
          if (t.mask >> l & 1)
            next_result.data[l] =
                extend(r.data[t.op.addr[l] % kLine / 4], t.op.addr[l], t.op.funct3());
        }
      }
      t.busy = false;
      queue_.pop_front();
    }
    if (grant_pass || grant_rsp) {
      out["event.return"] = 1;
      out["event.return_shared"] = grant_pass;
      last_was_pass_ = grant_pass;
    }

    // end of the cycle
    if (in.wipe) memset(&shared_[in.wipe_row * kLine], 0, kLine);
    amo_last_ = amo_pass;
    result_ = next_result;
    for (int s = 0; s < kSubs; s++) credit_[s] += credit_d[s] + in.pop[s];
    if (in.rsp_valid) queue_.push_back(in.rsp);  // R-LS-9
    if (c_finish) c_.valid = false;
    const bool n_moves = n_valid_ && !c_.valid;
    if (n_moves) classify();
    if (!n_valid_ || n_moves) pop(in, out);
    return out;
  }

  uint32_t shared_word(int row, int bank) const {
    return word(static_cast<uint32_t>(row * kLine + 4 * bank));
  }

  // The instruction in C may access this row in the coming cycle, or an atomic still does.
  bool uses(uint32_t row) const {
    bool hit = amo_last_ && amo_row_.count(row);
    for (int l = 0; l < kLanes; l++) hit |= (c_.rem_shared >> l & 1) && physical(l) / kLine == row;
    return hit;
  }

 private:
  struct Result {
    bool valid = false;
    int sub = 0;
    uint32_t warp = 0, rd = 0, mask = 0, entry = 0, data[kLanes] = {};
  };
  struct Txn {
    bool busy = false;
    int sub = 0;
    Op op;
    uint32_t mask = 0;
  };
  struct Current {
    bool valid = false;
    int sub = 0;
    Op op;
    uint32_t rem_shared = 0, rem_device = 0, cause = 0;
    int fault_lane = -1;
  };

  uint32_t word(uint32_t at) const {
    uint32_t w;
    memcpy(&w, &shared_[at & ~3u], 4);
    return w;
  }

  int lowest_free() const {
    for (int t = 0; t < kTxns; t++)
      if (!txn_[t].busy) return t;
    return -1;
  }

  void pop(const Inputs &in, Outputs &out) {  // R-LS-1
    n_valid_ = false;
    for (int i = 1; i <= kSubs && !n_valid_; i++) {
      const int s = (last_popped_ + i) % kSubs;
      if (!in.mq_valid[s]) continue;
      n_valid_ = true;
      n_sub_ = s;
      n_ = in.mq[s];
      out["pop" + std::to_string(s)] = 1;
    }
    if (n_valid_) last_popped_ = n_sub_;
  }

  bool allowed(const Op &op, uint32_t a) const {  // I-MEM-1
    for (const Window &w : world_.win[op.kernel]) {
      const bool right = (op.kind() == kWrite || w.r) && (op.kind() == kRead || w.w);
      if (right && w.base <= a && a < w.limit) return true;
    }
    return false;
  }

  void classify() {  // R-LS-2
    c_ = Current{};
    c_.valid = true;
    c_.sub = n_sub_;
    c_.op = n_;
    for (int l = 0; l < kLanes; l++) {
      if (!(n_.mask >> l & 1)) continue;
      const uint32_t a = n_.addr[l];
      const bool shared = a >> 28 == 1, misaligned = a % n_.size() != 0, local = a >> 30 == 3;
      const bool overflow = overflows(world_.stack_log2[n_.kernel], a);
      const uint32_t device =
          local ? device_address(world_, n_.tb, n_.widx, static_cast<uint32_t>(l), a) : a;
      const bool denied =
          shared ? (a & 0x0fffffff) >= world_.shared[n_.kernel] : !allowed(n_, device);
      if (local && !overflow && !misaligned) c_.op.addr[l] = device;
      if ((misaligned || overflow || denied) && c_.fault_lane < 0) {
        c_.fault_lane = l;
        c_.cause =
            overflow && !misaligned ? 25 : (misaligned ? 4u : 5u) + (n_.kind() == kRead ? 0u : 2u);
      }
      (shared ? c_.rem_shared : c_.rem_device) |= 1u << l;
    }
    if (c_.fault_lane >= 0) c_.rem_shared = c_.rem_device = 0;
  }

  uint32_t physical(int l) const {
    return world_.base[c_.op.tb] * kGranule + (c_.op.addr[l] & 0x0fffffff);
  }

  uint32_t shared_pass(Result &result, bool &amo_pass) {  // R-LS-7, R-LS-8
    const Kind kind = c_.op.kind();
    int leader[kLanes];
    std::fill(leader, leader + kLanes, -1);
    uint32_t took = 0, old[kLanes] = {};
    for (int l = 0; l < kLanes; l++) {
      if (!(c_.rem_shared >> l & 1)) continue;
      const uint32_t p = physical(l), bank = p / 4 % kLanes;
      if (leader[bank] < 0) leader[bank] = l;
      const bool same_row = physical(leader[bank]) / kLine == p / kLine;
      if (leader[bank] == l || (kind == kRead && same_row)) took |= 1u << l;
      old[l] = word(p);
    }
    for (int l = 0; l < kLanes; l++) {
      if (!(took >> l & 1) || kind == kRead) continue;
      const uint32_t p = physical(l);
      const uint32_t v =
          kind == kAmo ? amo(amo_code(c_.op.instr), old[l], c_.op.data[l]) : c_.op.data[l];
      memcpy(&shared_[p], &v, kind == kAmo ? 4 : c_.op.size());
    }
    amo_pass = kind == kAmo;
    amo_row_.clear();
    for (int l = 0; l < kLanes; l++)
      if (took >> l & 1) amo_row_.insert(physical(l) / kLine);
    if (kind != kWrite) {
      result = {true, c_.sub, c_.op.warp, c_.op.rd(), took, c_.op.entry, {}};
      for (int l = 0; l < kLanes; l++)
        if (took >> l & 1) result.data[l] = extend(old[l], c_.op.addr[l], c_.op.funct3());
    }
    return took;
  }

  uint32_t device_pass(Outputs &out, int txn) {  // R-LS-5, R-LS-6
    const Op &op = c_.op;
    const int leader = __builtin_ctz(c_.rem_device);
    const uint32_t line = op.addr[leader] / kLine * kLine;
    uint32_t took = 0;
    uint8_t bytes[kLine] = {}, data[kLine] = {};
    for (int l = 0; l < kLanes; l++) {
      if (!(c_.rem_device >> l & 1) || op.addr[l] / kLine * kLine != line) continue;
      if (op.kind() == kAmo && l != leader) continue;
      took |= 1u << l;
      if (op.kind() == kRead) continue;
      memcpy(data + op.addr[l] % kLine, &op.data[l], op.size());
      memset(bytes + op.addr[l] % kLine, 1, op.size());
    }
    out["req.valid"] = 1;
    out["req.kind"] = op.kind();
    out["req.amo"] = op.kind() == kAmo ? amo_code(op.instr) : 0;
    out["req.addr"] = line;
    uint32_t strobe = 0;
    for (int b = 0; b < kLine; b++) strobe |= static_cast<uint32_t>(bytes[b]) << b;
    out["req.bytes"] = strobe;
    out["req.tag"] = static_cast<uint32_t>(txn);
    out["req.slot"] = op.kernel;
    for (int w = 0; w < kLanes; w++) memcpy(&out["req.data" + std::to_string(w)], data + 4 * w, 4);
    txn_[txn] = {true, c_.sub, op, took};
    return took;
  }

  void report_fault(Outputs &out) const {
    const auto l = static_cast<uint32_t>(c_.fault_lane);
    out["fault.valid"] = 1;
    out["fault.kernel"] = c_.op.kernel;
    out["fault.cause"] = c_.cause;
    out["fault.pc"] = c_.op.pc;
    out["fault.tid"] = c_.op.widx * kLanes + l;
    out["fault.block"] = world_.linear[c_.op.tb];
    out["fault.value"] = c_.op.addr[l];
  }

  void report_result(Outputs &out) const {
    out["result.valid" + std::to_string(result_.sub)] = 1;
    out["result.warp"] = result_.warp;
    out["result.rd"] = result_.rd;
    out["result.mask"] = result_.mask;
    out["result.entry"] = result_.entry;
    for (int l = 0; l < kLanes; l++) out["result.data" + std::to_string(l)] = result_.data[l];
  }

  const World &world_;
  std::vector<uint8_t> shared_;
  std::set<uint32_t> amo_row_;  // of the last shared pass
  bool n_valid_ = false, amo_last_ = false, last_was_pass_ = true;
  int n_sub_ = 0, last_popped_ = kSubs - 1, credit_[kSubs];
  Op n_;
  Current c_;
  Txn txn_[kTxns];
  std::deque<Response> queue_;
  Result result_;
};

// ---- the RTL behind the same interface ----
class Rtl {
 public:
  explicit Rtl(const World &world) {
    for (int k = 0; k < kKernels; k++) {
      for (int w = 0; w < 2; w++) {
        top_.win_base_i[k][w] = world.win[k][w].base;
        top_.win_limit_i[k][w] = world.win[k][w].limit;
        top_.win_right_i[k][w] = static_cast<uint8_t>(world.win[k][w].w << 1 | world.win[k][w].r);
      }
      top_.shared_i[k] = world.shared[k];
      top_.stack_log2_i[k] = static_cast<uint8_t>(world.stack_log2[k]);
      top_.stack_base_i[k] = world.stack_base[k];
      top_.warps_i[k] = static_cast<uint8_t>(world.warps[k]);
    }
    for (int t = 0; t < kTbs; t++) {
      top_.tb_base_i[t] = static_cast<uint8_t>(world.base[t]);
      top_.tb_linear_i[t] = world.linear[t];
      top_.tb_kernel_i[t] = world.kernel[t];
      top_.tb_ticket_i[t] = world.ticket[t];
    }
    top_.clk_i = 0;
    top_.rst_ni = 1;
    top_.eval();
    top_.rst_ni = 0;
    top_.eval();
    edge();
    top_.rst_ni = 1;
    top_.eval();
    for (int i = 0; i < kTbs + 4; i++) edge();  // all blocks have arrived
  }
  ~Rtl() { top_.final(); }

  Outputs cycle(const Inputs &in) {
    drive(in);
    top_.eval();
    Outputs out = read();
    edge();
    return out;
  }

  uint32_t shared_word(int row, int bank) {
    top_.peek_row_i = static_cast<uint32_t>(row);
    top_.eval();
    return top_.peek_o[bank];
  }

  bool parameters_match() const {
    const uint32_t want[5] = {kSubs, kLanes, kTxns, kSharedBytes, kKernels};
    for (int i = 0; i < 5; i++)
      if (top_.params_o[i] != want[i]) return false;
    return true;
  }

 private:
  void edge() {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
  }

  void drive(const Inputs &in) {
    for (int s = 0; s < kSubs; s++) {
      const Op &op = in.mq[s];
      top_.mq_valid_i[s] = in.mq_valid[s];
      top_.mq_warp_i[s] = op.warp;
      top_.mq_kernel_i[s] = op.kernel;
      top_.mq_tb_i[s] = op.tb;
      top_.mq_widx_i[s] = op.widx;
      top_.mq_pc_i[s] = op.pc;
      top_.mq_instr_i[s] = op.instr;
      top_.mq_mask_i[s] = op.mask;
      top_.mq_entry_i[s] = op.entry;
      top_.mq_injected_i[s] = op.injected;
      top_.mq_away_i[s] = op.away;
      for (int l = 0; l < kLanes; l++) {
        top_.mq_addr_i[s][l] = op.addr[l];
        top_.mq_data_i[s][l] = op.data[l];
      }
      top_.result_pop_i[s] = in.pop[s];
    }
    top_.wipe_i = in.wipe;
    top_.wipe_row_i = in.wipe_row;
    top_.port_free_i = in.port_free;
    top_.fault_wait_i = in.fault_wait;
    top_.rsp_valid_i = in.rsp_valid;
    top_.rsp_txn_i = in.rsp.txn;
    for (int l = 0; l < kLanes; l++) top_.rsp_data_i[l] = in.rsp.data[l];
  }

  template <class Words>
  static void group(Outputs &out, bool valid, const Words &words, int first,
                    std::initializer_list<const char *> names) {
    int i = first;
    for (const char *name : names) {
      if (valid) out[name] = words[i];
      i++;
    }
  }

  // What means nothing counts as 0: amo unless AMO, the byte mask of reads, bytes outside the mask
  // (docs/lsu.md R-LS-6).
  void report_payload(Outputs &out) {
    if (top_.req_o[1] != kAmo) out["req.amo"] = 0;
    if (top_.req_o[1] == kRead) out["req.bytes"] = 0;
    for (int l = 0; l < kLanes; l++) {
      uint32_t bits = 0;
      for (int b = 0; b < 4; b++) bits |= (out["req.bytes"] >> (4 * l + b) & 1) * 0xffu << 8 * b;
      out["req.data" + std::to_string(l)] = top_.req_data_o[l] & bits;
    }
  }

  Outputs read() {
    Outputs out;
    bool any_result = false;
    for (int s = 0; s < kSubs; s++) {
      if (top_.mq_pop_o[s]) out["pop" + std::to_string(s)] = 1;
      if (top_.result_valid_o[s]) out["result.valid" + std::to_string(s)] = 1;
      any_result |= top_.result_valid_o[s] != 0;
    }
    if (any_result) {
      out["result.warp"] = top_.result_warp_o;
      out["result.rd"] = top_.result_rd_o;
      out["result.mask"] = top_.result_mask_o;
      out["result.entry"] = top_.result_entry_o;
      for (int l = 0; l < kLanes; l++)
        out["result.data" + std::to_string(l)] =
            top_.result_mask_o >> l & 1 ? top_.result_data_o[l] : 0;
    }
    group(out, top_.pass_o[0] || top_.pass_o[1], top_.pass_o, 0,
          {"sb.part", "sb.last", "sb.sub", "sb.warp", "sb.entry"});
    group(out, top_.ack_o[0], top_.ack_o, 0, {"ack.valid", "ack.sub", "ack.warp", "ack.entry"});
    group(out, top_.fault_o[0], top_.fault_o, 0,
          {"fault.valid", "fault.kernel", "fault.cause", "fault.pc", "fault.tid", "fault.block",
           "fault.value"});
    group(out, top_.req_o[0], top_.req_o, 0,
          {"req.valid", "req.kind", "req.amo", "req.addr", "req.bytes", "req.tag", "req.slot"});
    if (top_.req_o[0]) report_payload(out);
    group(out, top_.event_o[0], top_.event_o, 0, {"event.pass", "event.kind", "event.mask"});
    group(out, top_.energy_o[0], top_.energy_o, 0,
          {"energy.valid", "energy.shared", "energy.kernel", "energy.lanes"});
    const char *const away[] = {"away.finish", "away.take", "away.serve"};
    for (int i = 0; i < 3; i++)
      if (top_.away_o[i]) out[away[i]] = 1;
    group(out, top_.event_o[3], top_.event_o, 3, {"event.return", "event.return_shared"});
    if (top_.event_o[3] && !top_.event_o[4]) out["event.return_txn"] = top_.event_o[5];
    return out;
  }

  Vbench_lsu top_;
};

// ---- a bench: both sides, the sub-cores' queues and a memory ----
struct Policy {  // chances in percent
  int respond = 60, take_result = 60, port_free = 85, fault_wait = 20, wipe = 0;
};

class Bench {
 public:
  explicit Bench(const World &world, uint32_t seed = 1) : rtl(world), ref_(world), rng_(seed) {}

  // One cycle. Returns false (and says why) at the first difference.
  bool step() {
    Inputs in;
    for (int s = 0; s < kSubs; s++) {
      in.mq_valid[s] = !queue[s].empty();
      if (in.mq_valid[s]) in.mq[s] = queue[s].front();
      in.pop[s] = results_[s] > 0 && chance(policy.take_result);
      results_[s] -= in.pop[s];
    }
    in.port_free = chance(policy.port_free);
    in.fault_wait = chance(policy.fault_wait);
    if (!in_flight_.empty() && chance(policy.respond)) {
      const size_t i = rng_() % in_flight_.size();
      in.rsp_valid = true;
      in.rsp = in_flight_[i];
      in_flight_.erase(in_flight_.begin() + static_cast<long>(i));
    }
    in.wipe_row = random() % (kSharedBytes / kLine);
    in.wipe = chance(policy.wipe) && !ref_.uses(in.wipe_row);
    out = rtl.cycle(in);
    const Outputs want = ref_.cycle(in);
    absorb();
    n_cycles++;
    return same(want);
  }

  bool run(int cycles) {
    for (int i = 0; i < cycles; i++)
      if (!step()) return false;
    return true;
  }

  bool same_shared_memory() {
    for (int row = 0; row < kSharedBytes / kLine; row++)
      for (int b = 0; b < kLanes; b++)
        if (rtl.shared_word(row, b) != ref_.shared_word(row, b)) {
          printf("# shared memory row %d bank %d: rtl %08x, reference %08x\n", row, b,
                 rtl.shared_word(row, b), ref_.shared_word(row, b));
          return false;
        }
    return true;
  }

  bool chance(int percent) { return static_cast<int>(rng_() % 100) < percent; }
  uint32_t random() { return static_cast<uint32_t>(rng_()); }
  uint32_t get(const char *name) const {
    auto i = out.find(name);
    return i == out.end() ? 0 : i->second;
  }

  Rtl rtl;
  Outputs out;
  Policy policy;
  std::deque<Op> queue[kSubs];
  std::map<uint32_t, uint32_t> memory;
  long n_cycles = 0;

 private:
  void absorb() {
    for (int s = 0; s < kSubs; s++) {
      const std::string n = std::to_string(s);
      if (out.count("pop" + n) && !queue[s].empty()) queue[s].pop_front();
      if (out.count("result.valid" + n)) results_[s]++;
    }
    if (get("req.valid")) perform();
  }

  void perform() {  // in the sending cycle; the response may be seen from the next one on
    Response r{};
    r.txn = get("req.tag");
    for (uint32_t w = 0; w < kLanes; w++) {
      uint32_t &m = memory[get("req.addr") + 4 * w];
      const uint32_t d = get(("req.data" + std::to_string(w)).c_str()),
                     strobe = get("req.bytes") >> 4 * w & 15;
      r.data[w] = get("req.kind") == kWrite ? 0 : m;
      if (get("req.kind") == kAmo && strobe) m = amo(get("req.amo"), m, d);
      if (get("req.kind") == kWrite)
        for (int b = 0; b < 4; b++)
          if (strobe >> b & 1) m = (m & ~(0xffu << 8 * b)) | (d & 0xffu << 8 * b);
    }
    in_flight_.push_back(r);
  }

  bool same(const Outputs &want) const {
    if (out == want) return true;
    for (const auto &[name, value] : want)
      if (!out.count(name) || out.at(name) != value)
        printf("# cycle %ld: %s: reference %08x, rtl %s\n", n_cycles, name.c_str(), value,
               out.count(name) ? hex(out.at(name)).c_str() : "-");
    for (const auto &[name, value] : out)
      if (!want.count(name))
        printf("# cycle %ld: %s: reference -, rtl %08x\n", n_cycles, name.c_str(), value);
    return false;
  }

  static std::string hex(uint32_t v) {
    char b[16];
    snprintf(b, sizeof b, "%08x", v);
    return b;
  }

  Reference ref_;
  std::mt19937 rng_;
  int results_[kSubs] = {};
  std::deque<Response> in_flight_;
};

// ---- test cases ----
constexpr uint32_t kData = 0x80000000, kRom = 0x80002000, kSink = 0x80004000, kShared = 0x10000000,
                   kLocal = 0xC0000000;

World make_world(const std::array<uint32_t, kKernels> &origin) {
  World w{};
  for (int k = 0; k < kKernels; k++) {
    const uint32_t at = origin[static_cast<size_t>(k)], rom = at + (kRom - kData);
    w.origin[k] = at;
    w.win[k][0] = {at, at + 0x2000, true, true};
    w.win[k][1] = {rom, rom + 0x1000, true, k == 1};
    w.shared[k] = k == 0 ? 500 : k == 1 ? 0 : 768;
    w.stack_log2[k] = k == 0 ? 6 : k == 1 ? 0 : 4;
    w.stack_base[k] = k == 1 ? 0 : at + 0x1000;
    w.warps[k] = k == 0 ? 6 : 3;
  }
  w.win[2][1] = {kSink, kSink + 0x1000, false, true};  // write only
  const uint32_t base[kTbs] = {0, 3, 7, 20, 28};
  for (int t = 0; t < kTbs; t++) {
    w.base[t] = base[t];
    w.linear[t] = 1000u + static_cast<uint32_t>(t);
    w.kernel[t] = t == 1 ? 1 : t == 2 || t == 4 ? 2 : 0;
    w.ticket[t] = t == 3 ? 2 : t == 4 ? 1 : 0;  // those of slot 3 reach over the window's limit
  }
  return w;
}

uint32_t load(uint32_t funct3, uint32_t rd) { return funct3 << 12 | rd << 7 | 0x03; }
uint32_t store(uint32_t funct3) { return funct3 << 12 | 0x15 << 7 | 0x23; }
uint32_t atomic(uint32_t code, uint32_t rd) {
  return kFunct5[code] << 27 | 2 << 12 | rd << 7 | 0x2f;
}

Op op(uint32_t instr, std::vector<uint32_t> addr, uint32_t mask = 15, uint32_t kernel = 0) {
  Op o;
  o.instr = instr;
  o.mask = mask;
  o.kernel = kernel;
  o.pc = 0x80000100;
  o.warp = 1;
  o.entry = 2;
  o.widx = 5;
  o.tb = 1;
  for (int l = 0; l < kLanes; l++) {
    o.addr[l] = addr[static_cast<size_t>(l) % addr.size()];
    o.data[l] = 0x11111111u * static_cast<uint32_t>(l + 1) + 0x80;
  }
  return o;
}

// A bench with no randomness: memory answers at once, results are taken at once, the port is free.
std::unique_ptr<Bench> calm(const World &world) {
  auto b = std::make_unique<Bench>(world);
  b->policy = {100, 100, 100, 0};
  return b;
}

// Runs one instruction alone and counts the cycles in which an output is set.
std::map<std::string, int> count(Bench &b, const Op &o, bool &ok, int cycles = 30) {
  std::map<std::string, int> n;
  b.queue[0].push_back(o);
  for (int i = 0; i < cycles; i++) {
    ok = b.step() && ok;
    for (const auto &[name, value] : b.out)
      if (value) n[name]++;
  }
  return n;
}

// Cycle (from the one in which the queue first shows the op) of the first time an output is set;
// -1: never.
int when(Bench &b, const Op &o, const char *name, bool &ok) {
  b.queue[0].push_back(o);
  for (int i = 0; i < 40; i++) {
    ok = b.step() && ok;
    if (b.get(name)) return i;
  }
  return -1;
}

const World kWorld = make_world({kData, kData + 0x10000, kData + 0x20000});

bool timing_of_a_load() {  // queue head in 0, N in 1, pass in 2
  bool ok = true;
  auto b = calm(kWorld);
  ok = when(*b, op(load(2, 7), {kShared}), "event.pass", ok) == 2 && ok;
  ok = b->step() && b->get("result.valid0") == 1 && ok;  // R-LS-12: p + 1
  auto d = calm(kWorld);  // response seen in 3, return in 4, result in 5
  ok = when(*d, op(load(2, 7), {kData}), "result.valid0", ok) == 5 && ok;
  return ok;
}

bool coalescing() {  // R-LS-5
  bool ok = true;
  auto b = calm(kWorld);
  ok = count(*b, op(load(2, 1), {kData, kData + 4, kData + 8, kData + 12}), ok)["req.valid"] == 1 &&
       ok;
  ok =
      count(*b, op(load(2, 1), {kData, kData + 16, kData + 4, kData + 20}), ok)["req.valid"] == 2 &&
      ok;
  ok = count(*b, op(load(2, 1), {kData, kData + 16, kData + 32, kData + 48}), ok)["req.valid"] ==
           4 &&
       ok;
  ok = count(*b, op(atomic(1, 1), {kData}), ok)["req.valid"] == 4 && ok;
  return ok && b->memory[kData] == 0x11111111u * 10 + 4 * 0x80;  // all lanes added, from 0
}

bool bank_conflicts() {  // R-LS-7: word address mod 4 is the bank
  bool ok = true;
  auto passes = [&](const Op &o) {
    auto b = calm(kWorld);
    return count(*b, o, ok)["event.pass"];
  };
  ok = passes(op(load(2, 1), {kShared, kShared + 4, kShared + 8, kShared + 12})) == 1 && ok;
  ok = passes(op(load(2, 1), {kShared + 32})) == 1 && ok;  // broadcast
  ok = passes(op(load(2, 1), {kShared, kShared + 16, kShared + 32, kShared + 48})) == 4 && ok;
  ok = passes(op(load(2, 1), {kShared, kShared + 16})) == 2 && ok;  // two rows, two lanes each
  ok = passes(op(store(2), {kShared + 32})) == 4 && ok;             // ascending, the highest stays
  ok = passes(op(atomic(1, 1), {kShared, kShared + 4, kShared + 8, kShared + 12})) == 1 && ok;
  return ok;
}

// R-EN-1, by numbers: lanes of shared passes and device passes of one instruction.
bool passes_take_energy() {
  struct Case {
    Op o;
    uint32_t lanes, lines;
  };
  std::vector<Case> cases = {
      {op(load(2, 1), {kShared, kShared + 4, kShared + 8, kShared + 12}), 4, 0},
      {op(load(2, 1), {kShared}), 4, 0},                // one word for all: each lane counts
      {op(load(2, 0), {kShared, kShared + 64}), 4, 0},  // two passes
      {op(store(2), {kShared}), 4, 0},                  // four passes
      {op(atomic(1, 1), {kShared}, 13), 3, 0},
      {op(load(2, 1), {kData}), 0, 1},
      {op(load(2, 1), {kData, kData + 16}), 0, 2},
      {op(store(0), {kData, kData + 16, kData + 32, kData + 48}, 14), 0, 3},
      {op(atomic(1, 1), {kData}), 0, 4},
      {op(load(2, 1), {kShared, kData}), 2, 1},
      {op(load(2, 1), {kData, kData + 2}), 0, 0},  // a lane faults
      {op(store(2), {kShared, kRom}), 0, 0},       // so no lane accesses anything
  };
  Op local = op(store(2), {0xFFFFFFF0});  // a stack: its device addresses
  local.tb = 0;
  cases.push_back({local, 0, 1});
  bool ok = true;
  for (const Case &c : cases) {
    for (int injected = 0; injected < 2; injected++) {
      auto b = calm(kWorld);
      Op o = c.o;
      o.injected = injected != 0;
      b->queue[0].push_back(o);
      uint32_t lanes = 0, lines = 0;
      for (int i = 0; i < 30; i++) {
        ok = b->step() && ok;
        if (!b->get("energy.valid")) continue;
        if (b->get("energy.shared"))
          lanes += b->get("energy.lanes");
        else
          lines++;
        ok = ok && b->get("energy.kernel") == o.kernel;
      }
      const bool good = injected ? lanes == 0 && lines == 0 : lanes == c.lanes && lines == c.lines;
      if (!good) {
        printf("# case %td, injected %d: %u lanes, %u lines\n", &c - cases.data(), injected, lanes,
               lines);
        ok = false;
      }
    }
  }
  return ok;
}

// R-PA-19, by numbers: what one instruction that counts, or does not, tells of itself.
bool away_is_counted() {
  struct Case {
    Op o;
    int txns;
  };
  const std::vector<Case> cases = {
      {op(load(2, 1), {kShared, kShared + 16}), 0},
      {op(store(2), {kShared}), 0},
      {op(atomic(1, 1), {kShared}), 0},
      {op(load(2, 1), {kData}), 1},
      {op(store(0), {kData, kData + 16, kData + 32, kData + 48}, 14), 3},
      {op(atomic(1, 1), {kData}), 4},
      {op(load(2, 1), {kShared, kData}), 1},
      {op(load(2, 1), {kData, kData + 2}), 0},  // a lane faults
  };
  bool ok = true;
  for (const Case &c : cases) {
    for (const bool away : {false, true}) {
      auto b = calm(kWorld);
      Op o = c.o;
      o.away = away;
      auto n = count(*b, o, ok);
      ok = ok && n["sb.last"] == 1 && n["away.finish"] == away &&
           n["away.take"] == (away ? c.txns : 0) && n["away.serve"] == (away ? c.txns : 0);
    }
  }
  return ok;
}

bool shared_store_order() {  // I-MEM-4: the highest lane's byte stays
  bool ok = true;
  auto b = calm(kWorld);
  count(*b, op(store(2), {kShared}), ok);
  const int row = 3 * kGranule / kLine;
  return ok && b->rtl.shared_word(row, 0) == 0x44444444u + 0x80 && b->same_shared_memory();
}

// R-LS-8: no pass of either kind in the cycle after an atomic one, in which the last one finishes.
bool shared_atomics_are_spaced() {
  bool ok = true;
  auto b = calm(kWorld);
  b->queue[0].push_back(op(atomic(1, 1), {kShared}));
  b->queue[0].push_back(op(load(2, 1), {kData}));
  int last = -9, n = 0;
  for (int i = 0; i < 20; i++) {
    ok = b->step() && ok;
    ok = ok && b->get("sb.last") == (n == 4 && i <= last + 2);  // the atomic, then the load
    if (!b->get("event.pass")) continue;
    ok = ok && (n == 0 || i - last == 2);
    last = i;
    n++;
  }
  return ok && n == 5 && b->rtl.shared_word(3 * kGranule / kLine, 0) == 0x11111111u * 10 + 4 * 0x80;
}

bool store_payload() {  // R-LS-6
  bool ok = true;
  auto b = calm(kWorld);
  Op o = op(store(0), {kData + 5});
  ok = when(*b, o, "req.valid", ok) >= 0 && ok;
  ok = b->get("req.bytes") == 1u << 5 && b->get("req.data1") == (0xc4u << 8) &&
       b->get("req.data0") == 0 && ok;
  o = op(atomic(8, 1), {kData + 12}, 4);
  auto a = calm(kWorld);
  ok = when(*a, o, "req.valid", ok) >= 0 && ok;
  ok = a->get("req.bytes") == 0xf000 && a->get("req.amo") == 8 &&
       a->get("req.data3") == o.data[2] && ok;
  return ok;
}

bool faults_by_cause() {  // I-FLT-1, I-MEM-1, I-MEM-2
  struct Case {
    const char *what;
    Op o;
    uint32_t cause, lane;
  };
  const std::vector<Case> cases = {
      {"load misaligned", op(load(2, 1), {kData, kData + 2}), 4, 1},
      {"half misaligned", op(load(5, 1), {kData + 1}, 8), 4, 3},
      {"store misaligned", op(store(1), {kData, kData, kData + 3, kData}), 6, 2},
      {"atomic misaligned", op(atomic(0, 1), {kData + 1}), 6, 0},
      {"load below the window", op(load(2, 1), {kData - 4}), 5, 0},
      {"load at the limit", op(load(2, 1), {kData, kData, kData, kRom + 0x1000}), 5, 3},
      {"store to read-only", op(store(2), {kRom}), 7, 0},
      {"atomic to read-only", op(atomic(0, 1), {kRom}), 7, 0},
      {"load from write-only", op(load(2, 1), {kSink}, 15, 2), 5, 0},
      {"atomic to write-only", op(atomic(0, 1), {kSink}, 15, 2), 7, 0},
      {"shared offset too large", op(load(0, 1), {kShared + 500}), 5, 0},
      {"shared one bit far out", op(load(2, 1), {kShared + 0x8000}), 5, 0},
      {"shared far out", op(store(2), {kShared + 0x0ffffffc}), 7, 0},
      {"no shared memory", op(load(2, 1), {kShared}, 2, 1), 5, 1},
      {"misaligned before access", op(load(2, 1), {kSink + 0x2001}), 4, 0},
      {"inactive lanes do not fault", op(load(2, 1), {kSink, kSink, kData + 2, kData}, 4), 4, 2},
  };
  bool all = true;
  for (const Case &c : cases) {
    bool ok = true;
    auto b = calm(kWorld);
    const bool raised = when(*b, c.o, "fault.valid", ok) == 2;
    ok = ok && raised && b->get("fault.cause") == c.cause &&
         b->get("fault.tid") == 5 * kLanes + c.lane && b->get("fault.value") == c.o.addr[c.lane] &&
         b->get("sb.last") == 1 && b->get("sb.part") == 0;
    for (int i = 0; i < 10; i++)
      ok = b->step() && !b->get("req.valid") && !b->get("fault.valid") && ok;
    if (!ok) printf("# %s\n", c.what);
    all = all && ok;
  }
  return all;
}

bool edges_of_windows_are_allowed() {
  bool all = true;
  for (const Op &o : {op(load(2, 1), {kData + 0x1ffc}), op(load(0, 1), {kRom + 0xfff}),
                      op(store(2), {kSink + 0xffc}, 15, 2), op(load(0, 1), {kShared + 499}),
                      op(store(2), {kRom + 0x10000}, 15, 1)}) {
    bool ok = true;
    auto b = calm(kWorld);
    ok = when(*b, o, "fault.valid", ok) == -1 && ok;
    all = all && ok;
  }
  return all;
}

// ---- windows anywhere ----
constexpr uint32_t kPage = 4096;

// Addresses at and around a bound: its neighbours, and those that differ from them in one bit.
std::vector<uint32_t> around(uint32_t bound) {
  std::vector<uint32_t> all;
  for (const uint32_t a : {bound - kPage, bound - 4, bound, bound + kPage - 4}) {
    all.push_back(a);
    for (int bit = 12; bit < 32; bit++) all.push_back(a ^ 1u << bit);
  }
  return all;
}

// One lane's access to each address, with a window in one of both places: equal to the reference,
// and not always allowed or denied alike.
bool accesses_by_window(const Window &window, int place, uint32_t instr, long &n_allowed,
                        long &n_denied) {
  World world = kWorld;
  world.win[0][place] = window;
  world.win[0][1 - place] = {kPage, 0, true, true};  // closed
  auto b = calm(world);
  for (const uint32_t bound : {window.base, window.limit})
    for (const uint32_t a : around(bound))
      if (a < kLocal) b->queue[0].push_back(op(instr, {a}, 1));
  while (!b->queue[0].empty() || b->n_cycles % 8) {
    if (!b->step()) return false;
    if (b->get("fault.valid")) n_denied++;
    if (b->get("req.valid")) n_allowed++;
  }
  return true;
}

bool windows_at_every_power_of_two() {
  long n_allowed = 0, n_denied = 0;
  for (int bit = 12; bit < 32; bit++) {
    const uint32_t p = 1u << bit;
    const std::vector<Window> windows = {
        {0, p, true, true},                                        // from the first address on
        {p, p + kPage, true, true},                                // a page on each side
        {p - kPage, p, true, true},  {p, 0xfffff000, true, true},  // as far as a limit can be
        {p, p, true, true},                                        // no size
        {p + kPage, p, true, true},                                // the limit below the base
        {p, 0, true, true},                                        // closed
        {p, p + kPage, false, true},                               // a right is missing
        {p, p + kPage, true, false},
    };
    int turn = bit;
    for (const Window &window : windows)
      for (const uint32_t instr : {load(2, 1), store(2), atomic(0, 1)})
        if (!accesses_by_window(window, turn++ & 1, instr, n_allowed, n_denied)) {
          printf("# window %08x to %08x, instruction %08x\n", window.base, window.limit, instr);
          return false;
        }
  }
  if (n_allowed > 5000 && n_denied > 5000) return true;
  printf("# %ld allowed, %ld denied\n", n_allowed, n_denied);
  return false;
}

bool results_wait_for_credit() {  // R-LS-10: 4 results at most while none is taken
  bool ok = true;
  auto b = calm(kWorld);
  b->policy.take_result = 0;
  for (int i = 0; i < 4; i++) b->queue[0].push_back(op(load(2, 1), {kShared, kShared + 16}));
  int n = 0;
  for (int i = 0; i < 40; i++) {
    ok = b->step() && ok;
    n += static_cast<int>(b->get("result.valid0"));
  }
  return ok && n == kResults;
}

bool first_contest_goes_to_the_response() {  // R-LS-10: after reset as if the last return op was a
                                             // pass; then in turns
  bool ok = true;
  auto b = calm(kWorld);
  b->queue[0].push_back(op(load(2, 1), {kData, kData + 16}));
  b->queue[0].push_back(op(load(2, 1), {kShared, kShared + 16, kShared + 32, kShared + 48}));
  std::string order;
  for (int i = 0; i < 12; i++) {
    ok = b->step() && ok;
    if (b->get("event.return")) order += b->get("event.return_shared") ? 's' : 'd';
  }
  return ok && order == "dsdsss";
}

bool transactions_are_bounded() {  // R-LS-5: a free transaction is needed
  bool ok = true;
  auto b = calm(kWorld);
  b->policy.respond = 0;
  for (int i = 0; i < 4; i++)
    b->queue[0].push_back(op(load(2, 1), {kData, kData + 16, kData + 32, kData + 48}));
  int n = 0;
  for (int i = 0; i < 60; i++) {
    ok = b->step() && ok;
    n += static_cast<int>(b->get("req.valid"));
  }
  return ok && n == kTxns;
}

bool queues_take_turns() {  // R-LS-1
  bool ok = true;
  auto b = calm(kWorld);
  for (int i = 0; i < 4; i++)
    for (auto &q : b->queue) q.push_back(op(store(2), {kData, kData + 4, kData + 8, kData + 12}));
  std::string order;
  for (int i = 0; i < 20; i++) {
    ok = b->step() && ok;
    if (b->get("pop0")) order += '0';
    if (b->get("pop1")) order += '1';
  }
  return ok && order == "01010101";
}

bool extension() {  // R-LS-12: every load size and sign, all offsets, both memories
  bool ok = true;
  auto b = calm(kWorld);
  for (uint32_t at : {kData, kShared}) {
    Op w = op(store(2), {at, at + 4, at + 8, at + 12});
    const uint32_t words[kLanes] = {0x8081f2f3, 0x7f00ff80, 0x0000ffff, 0x80000000};
    std::copy(words, words + kLanes, w.data);
    count(*b, w, ok);
    for (uint32_t f : {0u, 1u, 2u, 4u, 5u})
      for (uint32_t byte = 0; byte < 16; byte += 1u << (f & 3)) {
        ok = when(*b, op(load(f, 3), {at + byte}), "result.valid0", ok) >= 0 && ok;
        for (int l = 0; l < kLanes; l++)
          ok = b->get(("result.data" + std::to_string(l)).c_str()) ==
                   extend(words[byte / 4], byte, f) &&
               ok;
      }
  }
  return ok;
}

bool atomics_by_operation() {
  const uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678};
  bool ok = true;
  auto b = calm(kWorld);
  for (uint32_t code = 0; code < 9; code++)
    for (uint32_t x : values)
      for (uint32_t y : values) {
        Op s = op(store(2), {kShared + 64}, 1), a = op(atomic(code, 4), {kShared + 64}, 1);
        s.data[0] = x;
        a.data[0] = y;
        count(*b, s, ok, 6);
        ok = when(*b, a, "result.valid0", ok) >= 0 && b->get("result.data0") == x && ok;
        ok = b->run(3) && b->rtl.shared_word((3 * kGranule + 64) / kLine, 0) == amo(code, x, y) &&
             ok;
      }
  return ok;
}

// ---- stacks ----

// A world with stacks of 2^log2 bytes for kernel 0 and block slot 0, in a window of 64 MiB.
World world_of_stacks(uint32_t log2, uint32_t base, uint32_t ticket, uint32_t warps) {
  World w = kWorld;
  w.win[0][0] = {0x40000000, 0x44000000, true, true};
  w.stack_log2[0] = log2;
  w.stack_base[0] = base;
  w.ticket[0] = ticket;
  w.warps[0] = warps;
  return w;
}

Op stack_op(uint32_t instr, std::vector<uint32_t> addr, uint32_t widx, uint32_t mask = 15) {
  Op o = op(instr, std::move(addr), mask);
  o.tb = 0;
  o.widx = widx;
  return o;
}

// Address of the only request of a load by one lane.
uint32_t place_of(const World &w, uint32_t a, uint32_t widx, uint32_t lane, bool &ok) {
  auto b = calm(w);
  if (when(*b, stack_op(load(0, 1), {a}, widx, 1u << lane), "req.valid", ok) < 0) ok = false;
  return b->get("req.addr");
}

bool stacks_end_where_they_should() {  // I-MEM-6: for every size, at every bit that the bound looks
                                       // at
  bool all = true;
  for (uint32_t log2 : {0u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 13u, 14u, 15u, 16u}) {
    const World w = world_of_stacks(log2, log2 ? 0x40000000 : 0, 0, 1);
    std::vector<uint32_t> at = {kLocal,     0xFFFFFFFF,        0xFFFFFFF0,
                                0xFFFFFFEF, 0u - (1u << log2), 0u - (1u << log2) - 1};
    if (log2) at.push_back(0u - (1u << log2) + 1);
    for (uint32_t bit = 4; bit < 30; bit++) at.push_back(0xFFFFFFFF & ~(1u << bit));
    for (uint32_t a : at) {
      for (uint32_t lane = 0; lane < kLanes; lane++) {
        bool ok = true;
        auto b = calm(w);
        const bool fits = log2 != 0 && a >= 0u - (1u << log2);
        const bool faults =
            when(*b, stack_op(load(0, 1), {a}, 0, 1u << lane), "fault.valid", ok) == 2;
        ok = ok && faults != fits &&
             (fits || (b->get("fault.cause") == 25 && b->get("fault.value") == a &&
                       b->get("fault.tid") == lane));
        if (!ok) printf("# stack of 2^%u bytes, address %08x, lane %u\n", log2, a, lane);
        all = all && ok;
      }
    }
  }
  return all;
}

bool stacks_lie_where_they_should() {  // I-MEM-6: by hand, not by the reference
  bool ok = true;
  // 16 bytes each, 4 lanes: 64 bytes a warp, 3 warps, ticket 5: block at 15 * 64.
  const World least = world_of_stacks(4, 0x40001000, 5, 3);
  ok = place_of(least, 0xFFFFFFFC, 0, 0, ok) == 0x40001000 + 15 * 64 + 48 && ok;
  ok = place_of(least, 0xFFFFFFF0, 2, 3, ok) == 0x40001000 + 17 * 64 && ok;
  // 65536 bytes each: 2^18 a warp, 6 warps; the block's place carries into the base.
  const World most = world_of_stacks(16, 0x400C0000, 6, 6);
  ok = place_of(most, 0xFFFF0000, 0, 0, ok) == 0x400C0000 + 36 * 0x40000 && ok;
  ok = place_of(most, 0xFFFF0004, 5, 0, ok) == 0x400C0000 + 41 * 0x40000 + 16 && ok;
  ok = place_of(most, 0xFFFFFFFF, 5, 3, ok) == 0x400C0000 + 42 * 0x40000 - 16 && ok;
  // Beyond 2^32 it goes on at 0.
  World end = world_of_stacks(8, 0xFFFFF000, 2, 2);
  end.win[0][0] = {0, 0x1000, true, true};
  ok = place_of(end, 0xFFFFFF00, 0, 1, ok) == 0 && ok;
  // The words of one place of all lanes are one line, and the lanes' bytes do not meet.
  auto b = calm(least);
  ok = count(*b, stack_op(store(2), {0xFFFFFFF4}, 1), ok)["req.valid"] == 1 && ok;
  for (uint32_t l = 0; l < kLanes; l++)
    ok = b->memory[0x40001000 + 16 * 64 + 16 + 4 * l] == 0x11111111u * (l + 1) + 0x80 && ok;
  return ok;
}

bool stacks_of_tickets_and_warps_do_not_meet() {  // I-MEM-6: every thread of every block has bytes
                                                  // of its own
  bool ok = true;
  std::set<uint32_t> lines;
  for (uint32_t ticket = 0; ticket < 4; ticket++) {
    const World w = world_of_stacks(5, 0x40000000, ticket, 3);
    for (uint32_t widx = 0; widx < 3; widx++) {
      for (uint32_t a = 0xFFFFFFE0; a; a += 4) {
        const uint32_t line = place_of(w, a, widx, 2, ok);
        ok = lines.insert(line).second && line - 0x40000000 < 4 * 3 * 32 * kLanes && ok;
      }
    }
  }
  return ok && lines.size() == 4 * 3 * 8;
}

bool faults_wait_for_sub_cores() {  // R-LS-3
  bool ok = true;
  auto b = calm(kWorld);
  b->policy.fault_wait = 100;
  b->queue[0].push_back(op(load(2, 1), {0x70000000}));
  b->queue[0].push_back(op(store(2), {kData}));
  for (int i = 0; i < 10; i++)
    ok = b->step() && !b->get("fault.valid") && !b->get("event.pass") && !b->get("sb.last") && ok;
  b->policy.fault_wait = 0;
  ok = b->step() && b->get("fault.valid") == 1 && b->get("sb.last") == 1 && ok;
  return b->step() && b->get("req.valid") == 1 && ok;
}

bool faults_of_local_addresses() {  // I-FLT-1, I-FLT-2
  struct Case {
    const char *what;
    Op o;
    uint32_t cause, lane, value;
  };
  World w = world_of_stacks(6, 0x43FFF000, 1, 3);
  w.win[0][0].limit = 0x43FFF000;  // no stack is in the window
  const std::vector<Case> cases = {
      {"load below the stack", stack_op(load(2, 1), {0xFFFFFFBC}, 0), 25, 0, 0xFFFFFFBC},
      {"store below the stack",
       stack_op(store(2), {0x43FFE000, 0x43FFE000, 0xFFFFFFB0, 0xFFFFFFC0}, 0), 25, 2, 0xFFFFFFB0},
      {"atomic far below", stack_op(atomic(1, 1), {kLocal}, 0, 8), 25, 3, kLocal},
      {"misaligned goes first", stack_op(load(2, 1), {0xFFFFFF01}, 0), 4, 0, 0xFFFFFF01},
      {"misaligned on the stack, as the instruction has it", stack_op(store(1), {0xFFFFFFE1}, 1), 6,
       0, 0xFFFFFFE1},
      {"the lowest lane counts", stack_op(load(2, 1), {0x44000000, kLocal, kData, kData}, 0), 5, 0,
       0x44000000},
      {"no right for the device address", stack_op(load(2, 1), {0xFFFFFFC4}, 2, 4), 5, 2,
       0x43FFF000 + 5 * 256 + 16 + 8},
      {"nor for a store", stack_op(store(0), {0xFFFFFFFF}, 0, 1), 7, 0,
       0x43FFF000 + 3 * 256 + 15 * 16 + 3},
      {"inactive lanes do not overflow", stack_op(load(2, 1), {kLocal, 0xFFFFFFC0}, 0, 2), 5, 1,
       0x43FFF000 + 3 * 256 + 4},
  };
  bool all = true;
  for (const Case &c : cases) {
    bool ok = true;
    auto b = calm(w);
    const bool raised = when(*b, c.o, "fault.valid", ok) == 2;
    ok = ok && raised && b->get("fault.cause") == c.cause &&
         b->get("fault.tid") == c.o.widx * kLanes + c.lane && b->get("fault.value") == c.value;
    for (int i = 0; i < 10; i++) ok = b->step() && !b->get("req.valid") && ok;
    if (!ok) printf("# %s\n", c.what);
    all = all && ok;
  }
  return all;
}

// R-SM-10: the second port clears a row while passes go on at others.
bool rows_are_cleared_beside_passes() {
  bool ok = true;
  auto b = calm(kWorld);
  count(*b, op(store(2), {kShared, kShared + 4, kShared + 8, kShared + 12}), ok);
  const int row = 3 * kGranule / kLine;
  ok = b->rtl.shared_word(row, 1) != 0 && ok;
  b->policy.wipe = 100;
  for (int i = 0; i < 4000 && ok; i++) {
    for (auto &q : b->queue)
      if (q.size() < kQueue)
        q.push_back(op(i % 3 ? store(2) : atomic(1, 1),
                       {kShared + 16 + 16 * (b->random() % 16), kShared + 64}));
    ok = b->step() && ok;
  }
  return ok && b->rtl.shared_word(row, 1) == 0 && b->same_shared_memory();
}

// ---- random traffic ----
uint32_t random_address(Bench &b, const World &world, uint32_t kernel, uint32_t instr,
                        uint32_t region, int l) {
  const uint32_t size = 1u << (instr >> 12 & 3), origin = world.origin[kernel];
  const uint32_t span = b.chance(50) ? 32 : 256;
  uint32_t a = b.random() % span;
  if (b.chance(40)) a = static_cast<uint32_t>(l) * 4 + (a & ~15u);
  if (!b.chance(1)) a = a / size * size;
  if (region == 3)
    return 0u - (1u << world.stack_log2[kernel]) +
           (b.chance(5) ? a - 16 : a % (1u << world.stack_log2[kernel]));
  const bool shared = region == 0 || (region == 2 && b.chance(50));
  if (shared) return kShared + (b.chance(1) ? a + 480 : a);
  if (b.chance(1)) return (origin + a) ^ 1u << (16 + b.random() % 14);  // of nobody, not local
  return origin + (b.chance(1) ? a + 0x1fc0 : a);
}

Op random_op(Bench &b, const World &world) {
  static const uint32_t loads[] = {0, 1, 2, 4, 5};
  const uint32_t tb = b.random() % kTbs, kernel = world.kernel[tb];
  const uint32_t what = b.random() % 10, rd = b.random() % 32;
  const uint32_t instr = what < 5   ? load(loads[b.random() % 5], rd)
                         : what < 8 ? store(b.random() % 3)
                                    : atomic(b.random() % 9, rd);
  Op o = op(instr, {0}, 1 + b.random() % 15, kernel);
  o.warp = b.random() % 3;
  o.entry = b.random() % 4;
  o.tb = tb;
  o.widx = b.random() % 6;
  o.pc = b.random() & ~3u;
  o.injected = b.chance(15);
  o.away = !o.injected && b.chance(50);
  const uint32_t region = kernel == 1 && b.chance(98) ? 1 : b.random() % 4;
  const bool same = b.chance(15);
  for (int l = 0; l < kLanes; l++) {
    o.addr[l] = same && l ? o.addr[0] : random_address(b, world, kernel, instr, region, l);
    o.data[l] = b.random();
  }
  return o;
}

// 64 KiB in device memory, neither shared nor local.
uint32_t random_origin(std::mt19937 &rng) {
  for (;;) {
    const uint32_t at = static_cast<uint32_t>(rng()) & ~0xffffu;
    if (at < kLocal && at >> 28 != 1) return at;
  }
}

bool random_traffic_in(const World &world, uint32_t seed, long cycles,
                       std::map<std::string, long> &seen) {
  Bench b(world, seed);
  while (b.n_cycles < cycles) {
    if (b.n_cycles % 500 == 0)
      b.policy = {5 + static_cast<int>(b.random() % 96), 5 + static_cast<int>(b.random() % 96),
                  10 + static_cast<int>(b.random() % 91), static_cast<int>(b.random() % 70),
                  static_cast<int>(b.random() % 40)};
    for (auto &q : b.queue)
      if (q.size() < kQueue && b.chance(50)) q.push_back(random_op(b, world));
    if (!b.step()) return false;
    for (const auto &[name, value] : b.out) seen[name] += value != 0;
    seen["overflow"] += b.get("fault.cause") == 25;
  }
  return b.same_shared_memory();
}

bool random_traffic(uint32_t seed, long cycles) {
  constexpr uint32_t kWorlds = 10;
  std::mt19937 rng(seed);
  std::map<std::string, long> seen;
  for (uint32_t i = 0; i < kWorlds; i++) {
    const World world = make_world({random_origin(rng), random_origin(rng), random_origin(rng)});
    if (random_traffic_in(world, seed + i, cycles / kWorlds, seen)) continue;
    printf("# windows at %08x, %08x, %08x\n", world.origin[0], world.origin[1], world.origin[2]);
    return false;
  }
  for (const char *name : {"req.valid", "fault.valid", "overflow", "ack.valid", "result.valid0",
                           "result.valid1", "event.return_shared", "away.take"}) {
    if (seen[name] < cycles / 1000) {
      printf("# traffic too thin: %s %ld times\n", name, seen[name]);
      return false;
    }
  }
  return true;
}

// The comparison itself must be able to fail: a world that differs in one window must be noticed.
bool a_wrong_world_is_noticed() {
  World other = kWorld;
  other.win[0][0].limit -= 0x1000;
  Rtl rtl(kWorld);
  Reference ref(other);
  bool differs = false;
  Inputs in;
  in.mq_valid[0] = true;
  in.mq[0] = op(load(2, 1), {kData + 0x1800});
  for (int i = 0; i < 6; i++) {
    differs = differs || rtl.cycle(in) != ref.cycle(in);
    in.mq_valid[0] = false;
  }
  return differs;
}

int n_tests = 0, n_failed = 0;
void report(const char *name, bool ok) {
  printf("%sok %d - %s\n", ok ? "" : "not ", ++n_tests, name);
  n_failed += !ok;
}

}  // namespace

int main(int argc, char **argv) {
  const uint32_t seed = argc > 1 ? static_cast<uint32_t>(strtoul(argv[1], nullptr, 0)) : 1;
  const long cycles = argc > 2 ? strtol(argv[2], nullptr, 0) : 100000;
  printf("# seed %u, replay: test_lsu %u %ld\n", seed, seed, cycles);
  report("the bench has the parameters of the RTL", Rtl(kWorld).parameters_match());
  report("timing of shared and device loads (R-LS-2, R-LS-4, R-LS-12)", timing_of_a_load());
  report("coalescing by line, atomics one by one (R-LS-5)", coalescing());
  report("passes of bank conflicts (R-LS-7)", bank_conflicts());
  report("passes that count as energy (R-EN-1)", passes_take_energy());
  report("what an instruction without a goal has under way is told, once (R-PA-19)",
         away_is_counted());
  report("the highest lane of a shared store stays (I-MEM-4)", shared_store_order());
  report("shared atomics leave a cycle free (R-LS-8)", shared_atomics_are_spaced());
  report("payload of stores and atomics (R-LS-6)", store_payload());
  report("faults by cause and lane (R-LS-3, I-FLT-1, I-FLT-2, I-ISA-6)", faults_by_cause());
  report("faults wait for those of sub-cores (R-LS-3)", faults_wait_for_sub_cores());
  report("the last bytes of windows and shared memory are allowed (I-MEM-1)",
         edges_of_windows_are_allowed());
  report(
      "windows with bounds at every power of two, without size and upside down (I-MEM-1, I-MEM-2)",
      windows_at_every_power_of_two());
  report("results wait for credit (R-LS-10)", results_wait_for_credit());
  report("the return slot takes turns, the response first (R-LS-10)",
         first_contest_goes_to_the_response());
  report("passes wait for a transaction (R-LS-5)", transactions_are_bounded());
  report("queues take turns (R-LS-1)", queues_take_turns());
  report("loads of all sizes extend (R-LS-12)", extension());
  report("atomics compute (I-ISA-1)", atomics_by_operation());
  report("every stack ends at its size, for every lane (I-MEM-6, R-LS-2)",
         stacks_end_where_they_should());
  report(
      "stacks lie behind each other by ticket and warp, words of lanes beside each other (I-MEM-6)",
      stacks_lie_where_they_should());
  report("stacks of blocks and warps do not meet (I-MEM-6)",
         stacks_of_tickets_and_warps_do_not_meet());
  report("faults of local addresses (I-MEM-6, I-FLT-1, I-FLT-2)", faults_of_local_addresses());
  report("rows are cleared beside passes (R-SM-10)", rows_are_cleared_beside_passes());
  report("a wrong window is noticed", a_wrong_world_is_noticed());
  report(
      "random traffic equals the reference in every cycle (R-LS-1 to R-LS-13, R-EN-1, R-PA-19, I-MEM-3, I-MEM-6)",
      random_traffic(seed, cycles));
  printf("1..%d\n", n_tests);
  return n_failed != 0;
}
