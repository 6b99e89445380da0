// SPDX-License-Identifier: Apache-2.0
// Plan of the SM manager: moves SMs, one request per cycle, until every slot has as many as it
// shall have.
//
// Contract: docs/sm_mgr.md R-SG-10, R-SG-17. It begins in the cycle after start_i; with nobody else
//   asking it takes NumSms + 1 cycles at most, one more where an SM stays shared.
// Latency: the request is combinational from the destinations (registers of SM ownership).
// Cost: a count of SMs and two comparators per slot, one search over the SMs.
// Doc: docs/sm_mgr.md.
module qsm_sm_plan
  import qsm_enums_pkg::*;
#(
  parameter  int unsigned NumSms     = 4,
  parameter  int unsigned NumKernels = 4,
  // usage, owner, moving, next_usage, next_owner, power of an SM
  parameter  type owner_t   = logic,
  parameter  type request_t = logic,                   // valid, sm, usage, owner
  localparam int unsigned CountW  = $clog2(NumSms + 1),
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SmW     = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               start_i,
  input  logic                               stop_i,     // at the end of this cycle
  input  logic                               managed_i,  // else all SMs become shared
  input  logic                               keep_i,     // one of them
  input  logic [NumKernels-1:0][CountW-1:0]  n_i,        // SMs that a slot shall have
  input  owner_t [NumSms-1:0]                owner_i,
  output logic                               planning_o,
  output request_t                           request_o
);
  // ---- Destinations, and who has how many ----
  logic [NumSms-1:0]                 shared, free, on;
  logic [NumKernels-1:0][NumSms-1:0] owned;
  logic [NumKernels-1:0][CountW-1:0] have;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      automatic sm_use_e usage;
      automatic logic [KernelW-1:0] owner;
      usage = owner_i[i].moving ? owner_i[i].next_usage : owner_i[i].usage;
      owner = owner_i[i].moving ? owner_i[i].next_owner : owner_i[i].owner;
      shared[i] = usage == UseShared;
      free[i]   = usage == UseFree;
      on[i]     = owner_i[i].power == PowerOn;
      for (int unsigned k = 0; k < NumKernels; k++)
        owned[k][i] = usage == UseOwned && owner == KernelW'(k);
    end
    for (int unsigned k = 0; k < NumKernels; k++) begin
      have[k] = '0;
      for (int unsigned i = 0; i < NumSms; i++) have[k] = have[k] + CountW'(owned[k][i]);
    end
  end

  // ---- The lowest slot with too few, and the SMs of the lowest with too many ----
  logic               few;
  logic [KernelW-1:0] needy;
  logic [NumSms-1:0]  spare;
  always_comb begin
    few   = 1'b0;
    needy = '0;
    spare = '0;
    for (int unsigned k = NumKernels; k > 0; k--) begin
      if (have[k-1] < n_i[k-1]) begin
        few   = 1'b1;
        needy = KernelW'(k - 1);
      end
      if (have[k-1] > n_i[k-1]) spare = owned[k-1];
    end
  end

  // ---- First match: of the candidates the lowest, but the highest of those that are owned ----
  logic [NumSms-1:0] choice, surplus;  // surplus: shared, and need not be
  logic              highest, planning_q;
  sm_use_e           usage;
  logic [SmW-1:0]    lowest_sm, highest_sm;
  assign surplus = (keep_i && (shared & (shared - NumSms'(1))) == '0) ? '0 : shared;
  always_comb begin
    highest = 1'b0;
    usage   = UseFree;
    choice  = surplus;
    if (!managed_i) begin
      usage  = UseShared;
      choice = ~shared;
    end else if (few) begin
      usage = UseOwned;
      if ((free & on) != '0) choice = free & on;
      else if (free != '0) choice = free;
      else if (surplus == '0) begin
        choice  = spare;
        highest = 1'b1;
      end
    end else if (spare != '0) begin
      choice  = spare;
      highest = 1'b1;
    end else if (keep_i && shared == '0) begin
      usage  = UseShared;
      choice = free;
    end
    lowest_sm  = '0;
    highest_sm = '0;
    for (int unsigned i = 0; i < NumSms; i++) begin
      if (choice[i]) highest_sm = SmW'(i);
      if (choice[NumSms-1-i]) lowest_sm = SmW'(NumSms - 1 - i);
    end
  end

  always_comb begin
    request_o.valid = planning_q && choice != '0;
    request_o.sm    = highest ? highest_sm : lowest_sm;
    request_o.usage = usage;
    request_o.owner = (usage == UseOwned) ? needy : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) planning_q <= 1'b0;
    else if (start_i) planning_q <= 1'b1;
    else if (stop_i || choice == '0) planning_q <= 1'b0;
  end
  assign planning_o = planning_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   !(planning_q && managed_i && few) || choice != '0)
    else $error("R-SG-10: no SM is left for a slot that shall have one more");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   !(planning_q && managed_i && keep_i && shared == '0) || choice != '0)
    else $error("R-SG-17: no SM is left to be shared");
`endif
endmodule
