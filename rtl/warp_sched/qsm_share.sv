// SPDX-License-Identifier: Apache-2.0
// What kernels without a goal have under way in the memory of one SM, and whether that is their
// share.
//
// Contract: docs/guarantee.md R-PA-19. away_q is the number of transactions of their instructions,
//   and Weight more for each of these that has issued and is not finished.
// Latency: all inputs act at the end of their cycle; full_o and qos_was_o come from registers.
// Cost: a counter of some five to nine bits, a comparison with a constant, a flip-flop per kernel;
//   without a limit nothing but these flip-flops.
//
// Observed by the lockstep monitor: away_q (full state).
module qsm_share #(
  parameter  int unsigned NumKernels = 4,  // kernel slots
  parameter  int unsigned NumSched   = 1,  // sub-cores
  parameter  int unsigned WarpSize   = 4,  // lanes of a warp, 2..32
  parameter  int unsigned Insns      = 6,  // most instructions that are not finished
  parameter  int unsigned Txns       = 8,  // most transactions
  parameter  int unsigned Limit      = 6,  // 0: none
  localparam int unsigned Weight     = (WarpSize > 8) ? 4 : WarpSize / 2,
  localparam int unsigned AwayW      = $clog2(Weight * Insns + Txns + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [NumKernels-1:0] qos_i,      // has a goal
  output logic [NumKernels-1:0] qos_was_o,  // in the cycle before, that of the issue
  // Of theirs: a memory instruction issued in the cycle before, per sub-core; one is finished; a
  // transaction is taken for one; a response is served for one.
  input  logic [NumSched-1:0]   issued_i,
  input  logic                  finish_i,
  input  logic                  take_i,
  input  logic                  serve_i,
  output logic                  full_o
);
  logic [AwayW-1:0]      away_q, away_d;
  logic [NumKernels-1:0] qos_q;

  always_comb begin
    away_d = away_q + AwayW'(take_i) - AwayW'(serve_i) - (finish_i ? AwayW'(Weight) : '0);
    for (int unsigned s = 0; s < NumSched; s++)
      if (issued_i[s]) away_d = away_d + AwayW'(Weight);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      away_q <= '0;
      qos_q  <= '0;
    end else begin
      away_q <= away_d;
      qos_q  <= qos_i;
    end
  end
  assign full_o    = Limit != 0 && 32'(away_q) >= Limit;
  assign qos_was_o = qos_q;

`ifndef SYNTHESIS
  int unsigned insns_q, txns_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      insns_q <= 0;
      txns_q  <= 0;
    end else begin
      insns_q <= insns_q + $countones(issued_i) - 32'(finish_i);
      txns_q  <= txns_q + 32'(take_i) - 32'(serve_i);
    end
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) insns_q <= Insns && txns_q <= Txns)
    else $error("R-PA-19: more under way than there can be, or less than nothing");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(away_q) == Weight * insns_q + txns_q)
    else $error("R-PA-19: away is not what is under way");
`endif
endmodule
