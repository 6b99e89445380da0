// SPDX-License-Identifier: Apache-2.0
// Sums over the SMs, one kernel after the other: instructions of the epoch and resident blocks.
//
// Contract: after start_i it hands over every valid slot once, QoS slots first, each group in slot
//   order (R-QM-5, R-QM-8: non-QoS quotas need those of the QoS slots). Besides all instructions
//   those that bear on the quota: of a QoS slot what it had outside of the common SMs, of others
//   what they had on them; and the most that it had on an SM that is not common (R-QM-12). And what
//   is left of its counters on the common ones, where it is more than 0 (R-QM-13). What was read of
//   an SM stays to be seen by the host (R-QM-14).
// Latency: the first sum is there NumSms + 1 cycles after start_i; NumSms + 1 cycles per kernel.
// Cost: one multiplexer of the snapshots, four adders, a distributed RAM of a snapshot per SM and
//   slot.
// Doc: docs/qos_mgr.md.
module qsm_qos_sum #(
  parameter  int unsigned NumSms     = 4,
  parameter  int unsigned NumKernels = 4,
  parameter  int unsigned TbW        = 4,  // bits of the blocks of a kernel on an SM
  parameter  int unsigned TbSumW     = 6,  // bits of the blocks on all SMs
  parameter  int unsigned SnapW      = 32,  // bits of an SM's instructions of an epoch
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SmW        = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned InsnW      = SnapW + $clog2(NumSms),
  localparam int unsigned CarryW     = 31 + $clog2(NumSms)
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   start_i,
  input  logic [NumKernels-1:0]                  valid_i,
  input  logic [NumKernels-1:0]                  qos_i,
  input  logic [NumSms-1:0]                      common_i,  // SMs that have quotas
  input  logic [NumSms-1:0][NumKernels-1:0][SnapW-1:0] insn_i,
  input  logic [NumSms-1:0][NumKernels-1:0][31:0] c_i,       // signed
  input  logic [NumSms-1:0][NumKernels-1:0][TbW-1:0] tbs_i,
  // what the SM has that is at hand; in the NumSms cycles after start_i that is SM 0, 1, ...
  output logic [NumKernels-1:0][SnapW-1:0]       row_o,
  // R-QM-14: of an SM and a slot; insn, c
  input  logic [SmW-1:0]                         show_sm_i,
  input  logic [KernelW-1:0]                     show_kernel_i,
  output logic [SnapW-1:0]                       shown_insn_o,
  output logic [31:0]                            shown_c_o,
  output logic                                   idle_o,    // every slot has been handed over
  output logic                                   valid_o,   // a sum is ready
  input  logic                                   ready_i,
  output logic [KernelW-1:0]                     kernel_o,
  output logic [InsnW-1:0]                       insn_o,
  output logic [InsnW-1:0]                       bears_o,
  output logic [SnapW-1:0]                       top_o,
  output logic [CarryW-1:0]                      carry_o,
  output logic [TbSumW-1:0]                      tbs_o
);
  logic [NumKernels-1:0] todo_q, urgent;
  logic [SmW-1:0]        sm_q;
  logic                  full_q, adds;
  logic [InsnW-1:0]      insn, insn_q, bears_q;
  logic [SnapW-1:0]      top_q;
  logic [CarryW-1:0]     carry_q;
  logic [31:0]           c;
  logic [TbSumW-1:0]     tbs_q;

  assign urgent = (|(todo_q & qos_i)) ? (todo_q & qos_i) : todo_q;

  always_comb begin
    kernel_o = '0;
    for (int unsigned k = NumKernels; k > 0; k--) begin
      if (urgent[k-1]) kernel_o = KernelW'(k - 1);
    end
  end

  assign row_o = insn_i[sm_q];
  assign insn = InsnW'(row_o[kernel_o]);
  assign c    = c_i[sm_q][kernel_o];
  assign adds = !start_i && !full_q && todo_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      todo_q  <= '0;
      sm_q    <= '0;
      full_q  <= 1'b0;
      insn_q  <= '0;
      bears_q <= '0;
      top_q   <= '0;
      carry_q <= '0;
      tbs_q   <= '0;
    end else if (start_i) begin
      todo_q <= valid_i;
    end else if (full_q) begin
      if (ready_i) begin
        todo_q[kernel_o] <= 1'b0;
        full_q           <= 1'b0;
        insn_q           <= '0;
        bears_q          <= '0;
        top_q            <= '0;
        carry_q          <= '0;
        tbs_q            <= '0;
      end
    end else if (adds) begin
      insn_q <= insn_q + insn;
      if (common_i[sm_q] != qos_i[kernel_o]) bears_q <= bears_q + insn;
      if (!common_i[sm_q] && insn[SnapW-1:0] > top_q) top_q <= insn[SnapW-1:0];
      if (common_i[sm_q] && !c[31]) carry_q <= carry_q + CarryW'(c[30:0]);
      tbs_q  <= tbs_q + TbSumW'(tbs_i[sm_q][kernel_o]);
      full_q <= (sm_q == SmW'(NumSms - 1));
      sm_q   <= (sm_q == SmW'(NumSms - 1)) ? '0 : sm_q + SmW'(1);
    end
  end

  // ---- what the host sees ----
  logic [SnapW+31:0]     shown_mem[1 << (SmW + KernelW)];
  logic [NumKernels-1:0] shown_q;  // has been summed: all of its words are there
  always_ff @(posedge clk_i) begin
    if (adds) shown_mem[{sm_q, kernel_o}] <= {insn[SnapW-1:0], c};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) shown_q <= '0;
    else if (full_q) shown_q[kernel_o] <= 1'b1;
  end
  assign {shown_insn_o, shown_c_o} =
      shown_q[show_kernel_i] ? shown_mem[{show_sm_i, show_kernel_i}] : '0;

  assign idle_o  = (todo_q == '0);
  assign valid_o = full_q;
  assign insn_o  = insn_q;
  assign bears_o = bears_q;
  assign top_o   = top_q;
  assign carry_o = carry_q;
  assign tbs_o   = tbs_q;
endmodule
