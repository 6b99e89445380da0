// SPDX-License-Identifier: Apache-2.0
// qsm_share: what it counts is what kernels without a goal have under way in memory, and the bounds
// of R-PA-19 (docs/guarantee.md) where none of their memory instructions issues while it is full.
// An instruction issues, is in RR one cycle later, and passes C in the order of issue; each of its
// passes takes a transaction or none (shared memory, a hit), of at most WarpSize. With an L1 a pass
// waits in A, and takes its transaction there.
module formal_share #(
  parameter int unsigned NumKernels = 2,
  parameter int unsigned NumSched = 2,
  parameter int unsigned WarpSize = 4,
  parameter int unsigned Txns = 8,
  parameter int unsigned Limit = 3,
  parameter bit          L1 = 1'b0
) (
  input logic                  clk_i,
  input logic [NumKernels-1:0] qos_i,
  input logic [NumSched-1:0]   issue_i,   // in this cycle
  input logic                  pass_i,    // C does a pass that may take a transaction
  input logic                  finish_i,  // C finishes its instruction
  input logic                  act_i,     // A acts
  input logic                  hit_i,     // without a transaction
  input logic                  serve_i    // a response is served
);
  localparam int unsigned W = (WarpSize / 2 < 4) ? WarpSize / 2 : 4;
  localparam int unsigned Insns = 4 * NumSched + 2;  // as many as the queues, N and C hold
  localparam int unsigned U = (Limit - 1) / W + 2 * NumSched;
  localparam int unsigned Most = Limit - 1 + 2 * NumSched * W + (WarpSize - W) * U + 32'(L1);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic                  take, full;
  logic [NumSched-1:0]   rr_q;
  logic [NumKernels-1:0] qos_was, qos_q;
  qsm_share #(.NumKernels(NumKernels), .NumSched(NumSched), .WarpSize(WarpSize), .Insns(Insns),
      .Txns(Txns), .Limit(Limit)) u_dut (
    .clk_i, .rst_ni, .qos_i, .qos_was_o(qos_was), .issued_i(rr_q), .finish_i, .take_i(take),
    .serve_i, .full_o(full)
  );

  // insns_q: behind RR, not finished; of the first one of them taken_q transactions, or passes in A
  int unsigned insns_q, txns_q, taken_q, in_rr, issues;
  logic        a_q;  // a pass is in A
  assign take = L1 ? act_i && !hit_i : pass_i && !hit_i;
  assign in_rr = $countones(rr_q);
  assign issues = $countones(issue_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rr_q <= '0;
      qos_q <= '0;
      {insns_q, txns_q, taken_q} <= '0;
      a_q <= 1'b0;
    end else begin
      rr_q <= issue_i;
      qos_q <= qos_i;
      insns_q <= insns_q + in_rr - 32'(finish_i);
      txns_q <= txns_q + 32'(take) - 32'(serve_i);
      taken_q <= finish_i ? 0 : taken_q + 32'(pass_i);
      a_q <= L1 && (pass_i || (a_q && !act_i));
    end
  end

  // What may be transactions: these, and what is left to those that are not finished.
  int unsigned may_be;
  assign may_be = txns_q + 32'(a_q) + WarpSize * (insns_q + in_rr) - taken_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (issue_i == '0 || !full);
      assume (insns_q + in_rr + issues <= Insns);
      assume (!(pass_i || finish_i) || insns_q != 0);
      assume (!pass_i || taken_q < WarpSize);
      assume (!take || txns_q < Txns);
      assume (!serve_i || txns_q != 0);
      assume (L1 ? !act_i || a_q : !act_i);
      assume (!L1 || !pass_i || !a_q || act_i);

      counts: assert (32'(u_dut.away_q) == W * insns_q + txns_q);
      is_full: assert (full == (W * insns_q + txns_q >= Limit));
      goals: assert (qos_was == qos_q);
      unfinished: assert (insns_q + in_rr <= U);
      transactions: assert (txns_q <= Most);

      // For the induction.
      no_more: assert (may_be <= Most);
      first_one: assert (taken_q <= WarpSize && (insns_q != 0 || taken_q == 0));
      sizes: assert (insns_q <= Insns && txns_q <= Txns && u_dut.insns_q == insns_q &&
          u_dut.txns_q == txns_q);

      fills: cover (full && insns_q == 0);
      most_insns: cover (insns_q == U);
      as_many: cover (may_be == Most);  // so the bound is no larger than it must be
      several: cover (txns_q == 5 && insns_q == 2 && taken_q == 1);
    end
  end
endmodule
