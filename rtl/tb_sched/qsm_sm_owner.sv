// SPDX-License-Identifier: Apache-2.0
// SM ownership: who uses each SM, its moves from one use to another, and the power of those that
// nobody uses.
// Contract: docs/sm_owner.md R-SO-1..R-SO-8, R-SO-10, R-SO-11. Registers at the start of the cycle
// decide; messages leave in the deciding cycle, answers arrive when they are seen (the message
// paths are the parent's).
// Cost: per SM some 20 flip-flops and a comparison of its counts with 0; qsm_sm_meter.
// Observed by the lockstep monitor: use_q, owner_q, moving_q, next_use_q, next_owner_q and their _d
// (MOVE); power_q, power_d (POWER); refused_q, rested_q (state).
module qsm_sm_owner
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 4,       // 1..96
  parameter int unsigned NumKernels = 4,   // 1..8
  parameter bit Gating = 1'b1,             // 0: power is always on
  parameter type sm_request_t = logic,     // valid, sm, usage, owner
  parameter type sm_owner_t = logic,       // power, next_owner, next_usage, moving, owner, usage
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned CounterW = $clog2(5 + NumKernels)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  sm_request_t                             request_i,
  // Registers.
  input  logic [NumKernels-1:0]                   valid_i,      // contexts
  input  logic [NumKernels-1:0][NumSms-1:0]       mask_i,       // SM_MASK
  input  technique_e                              technique_i,  // MOVE_TECHNIQUE
  input  logic                                    gating_i,     // SM_GATING
  output sm_owner_t [NumSms-1:0]                  owner_o,
  // Counters: moves, wakes, move_cycles, gated_cycles, shared_cycles, then owned_cycles of each
  // slot. One of them, as of the start of a cycle in which it is asked for, in the next one; none
  // is asked for in two in a row.
  input  logic                                    count_ask_i,
  input  logic [CounterW-1:0]                     count_which_i,
  output logic [47:0]                             count_o,
  // Epochs.
  input  logic                                    snapshot_i,   // pulse: this cycle is E
  input  logic                                    epoch_done_i, // pulse: E + QosLat
  // TB scheduler: resident TBs; where blocks of a kernel may go; whose targets are asked for.
  input  logic [NumSms-1:0][NumKernels-1:0][5:0]  cnt_i,
  input  logic [NumKernels-1:0]                   apart_i,      // not on a shared SM beside its own
  input  logic                                    closed_i,     // nothing goes to a shared SM
  output logic [NumKernels-1:0][NumSms-1:0]       may_o,
  output logic [NumSms-1:0]                       ask_o,
  // Preemption engine: blocks that it shall take away.
  output logic [NumSms-1:0][NumKernels-1:0]       evict_o,
  input  logic [NumSms-1:0][NumKernels-1:0]       refused_i,    // pulse
  // Power controllers of the SMs: messages to them, and from them.
  output logic [NumSms-1:0]                       gate_o,
  output logic [NumSms-1:0]                       wake_o,
  input  logic [NumSms-1:0]                       off_i,
  input  logic [NumSms-1:0]                       on_i
);
  sm_use_e [NumSms-1:0] use_q, use_d, next_use_q, next_use_d;
  logic [NumSms-1:0][KernelW-1:0] owner_q, owner_d, next_owner_q, next_owner_d;
  logic [NumSms-1:0] moving_q, moving_d, rested_q;
  logic [NumSms-1:0][NumKernels-1:0] refused_q;
  sm_power_e [NumSms-1:0] power_q, power_d;
  logic [NumSms-1:0] request, ended, sharing;
  logic [NumKernels-1:0][NumSms-1:0] owns;

  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    assign request[i] = request_i.valid && request_i.sm == SmW'(i);

    // ---- may, R-SO-2; who must leave, R-SO-3; move flags, R-SO-5 ----
    logic [NumKernels-1:0] here, stranger;
    for (genvar k = 0; k < NumKernels; k++) begin : g_kernel
      assign owns[k][i] = !moving_q[i] && use_q[i] == UseOwned && owner_q[i] == KernelW'(k);
      assign may_o[k][i] = owns[k][i] || (!moving_q[i] && use_q[i] == UseShared && mask_i[k][i] &&
          !closed_i && !(apart_i[k] && owns[k] != '0));
      assign here[k] = cnt_i[i][k] != '0;
      assign stranger[k] = moving_q[i] && next_use_q[i] != UseShared &&
          !(next_use_q[i] == UseOwned && next_owner_q[i] == KernelW'(k));
    end
    assign sharing[i] = use_q[i] == UseShared && here != '0;
    assign evict_o[i] = technique_saves(technique_i) ? here & stranger & ~refused_q[i] : '0;

    // ---- moves, R-SO-1, R-SO-4, R-SO-10 ----
    logic orphan, next_orphan;
    assign orphan = use_q[i] == UseOwned && !valid_i[owner_q[i]];
    assign next_orphan = next_use_q[i] == UseOwned && !valid_i[next_owner_q[i]];
    assign ended[i] = moving_q[i] && !request[i] && !next_orphan && (here & stranger) == '0 &&
        (power_q[i] == PowerOn || next_use_q[i] == UseFree);
    assign ask_o[i] = ended[i] || (!moving_q[i] && !request[i] && orphan);
    always_comb begin
      use_d[i] = use_q[i];
      owner_d[i] = owner_q[i];
      moving_d[i] = moving_q[i];
      next_use_d[i] = next_use_q[i];
      next_owner_d[i] = next_owner_q[i];
      if (request[i]) begin
        moving_d[i] = 1'b1;
        next_use_d[i] = request_i.usage;
        next_owner_d[i] = (request_i.usage == UseOwned) ? request_i.owner : '0;
      end else if (ended[i]) begin
        use_d[i] = next_use_q[i];
        owner_d[i] = next_owner_q[i];
        moving_d[i] = 1'b0;
        next_use_d[i] = UseShared;
        next_owner_d[i] = '0;
      end else if (moving_q[i] && next_orphan) begin
        next_use_d[i] = UseShared;
        next_owner_d[i] = '0;
      end else if (!moving_q[i] && orphan) begin
        use_d[i] = UseShared;
        owner_d[i] = '0;
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        use_q[i] <= UseShared;
        owner_q[i] <= '0;
        moving_q[i] <= 1'b0;
        next_use_q[i] <= UseShared;
        next_owner_q[i] <= '0;
        refused_q[i] <= '0;
      end else begin
        use_q[i] <= use_d[i];
        owner_q[i] <= owner_d[i];
        moving_q[i] <= moving_d[i];
        next_use_q[i] <= next_use_d[i];
        next_owner_q[i] <= next_owner_d[i];
        refused_q[i] <= request[i] ? '0 : refused_q[i] | refused_i[i];
      end
    end

    // ---- power, R-SO-6, R-SO-7 ----
    if (Gating) begin : g_power
      assign gate_o[i] = epoch_done_i && gating_i && rested_q[i] && !moving_q[i] && !request[i] &&
          power_q[i] == PowerOn;
      assign wake_o[i] = power_q[i] == PowerOff && moving_q[i] && next_use_q[i] != UseFree;
      always_comb begin
        power_d[i] = power_q[i];
        if (gate_o[i]) power_d[i] = PowerStopping;
        if (wake_o[i]) power_d[i] = PowerWaking;
        if (off_i[i]) power_d[i] = PowerOff;
        if (on_i[i]) power_d[i] = PowerOn;
      end
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) power_q[i] <= PowerOn;
        else power_q[i] <= power_d[i];
      end
    end else begin : g_no_power
      assign gate_o[i] = 1'b0;
      assign wake_o[i] = 1'b0;
      assign power_d[i] = PowerOn;
      assign power_q[i] = PowerOn;
      logic unused;
      assign unused = ^{epoch_done_i, gating_i, off_i[i], on_i[i], power_d[i]};
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) rested_q[i] <= 1'b0;
      else rested_q[i] <= !request[i] &&
          (rested_q[i] || (snapshot_i && use_q[i] == UseFree && !moving_q[i]));
    end

    always_comb begin
      owner_o[i].power = power_q[i];
      owner_o[i].next_owner = next_owner_q[i];
      owner_o[i].next_usage = next_use_q[i];
      owner_o[i].moving = moving_q[i];
      owner_o[i].owner = owner_q[i];
      owner_o[i].usage = use_q[i];
    end

`ifndef SYNTHESIS
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        power_q[i] == PowerOn || use_q[i] == UseFree)
      else $error("R-SO-4: an SM is used that is not on");
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        (use_q[i] == UseOwned || owner_q[i] == '0) &&
        (next_use_q[i] == UseOwned || next_owner_q[i] == '0) &&
        (moving_q[i] || next_use_q[i] == UseShared))
      else $error("R-SO-1: an owner of an SM that is not owned, or a destination without a move");
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(rested_q[i] && (moving_q[i] || use_q[i] != UseFree)))
      else $error("R-SO-6: an SM has rested that is not free");
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(off_i[i] && power_q[i] != PowerStopping) && !(on_i[i] && power_q[i] != PowerWaking))
      else $error("R-SO-6, R-SO-7: an SM tells of power that nobody asked for");
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !request[i] || (request_i.usage inside {UseShared, UseOwned, UseFree} &&
        32'(request_i.owner) < NumKernels))
      else $error("R-SO-1: a request for no use");
`endif
  end

  // ---- counters, R-SO-11 ----
  logic [NumSms-1:0] off;
  logic [NumKernels-1:0][NumSms-1:0] owned;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      off[i] = power_q[i] == PowerOff;
      for (int unsigned k = 0; k < NumKernels; k++)
        owned[k][i] = use_q[i] == UseOwned && owner_q[i] == KernelW'(k);
    end
  end
  qsm_sm_meter #(.NumSms(NumSms), .NumCounters(5 + NumKernels)) u_meter (
    .clk_i, .rst_ni, .grows_i({owned, sharing, off, moving_q, wake_o, ended}),
    .ask_i(count_ask_i), .which_i(count_which_i), .value_o(count_o)
  );
endmodule
