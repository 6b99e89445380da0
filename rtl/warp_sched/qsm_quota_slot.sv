// SPDX-License-Identifier: Apache-2.0
// Quota counter of one kernel slot on one SM: C, its quota, and the shadow of the next epoch.
//
// Contract: docs/quota_gate.md, R-QC-2 to R-QC-8; qsm_quota decides when, this block what. Every
//   value that C can take is one sum: what stays of the old C plus what is granted.
// Latency: all inputs act at the end of their cycle.
// Cost: two adders and two comparators of 32 bits, about 220 flip-flops.
module qsm_quota_slot #(
  parameter int unsigned SumW  = 3,  // bits of the lanes issued in one cycle
  parameter int unsigned InsnW = 23  // bits of the instructions of one epoch, at most 32
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [SumW-1:0]    lanes_i,        // thread instructions issued in this cycle
  input  logic               present_i,      // the kernel has a thread block here
  input  logic               keep_credit_i,  // a load carries the rest of C over (rollover, QoS)
  input  logic               arrive_i,       // a thread block of the kernel arrives
  input  logic [30:0]        first_quota_i,  // grant of the first one, at least 1
  input  logic               tick_i,         // snapshot in this cycle
  input  logic               word_i,         // next epoch's quota arrives
  input  logic [30:0]        word_quota_i,
  input  logic [30:0]        word_credit_i,  // most that a load carries over
  input  logic               load_i,         // load that changes counters (scheme not none)
  input  logic               forget_i,       // the shadow has been used (any load)
  input  logic               refill_i,       // add the quota once more
  output logic signed [31:0] c_o,            // C
  output logic signed [31:0] c_next_o,       // C after this cycle
  output logic [30:0]        quota_o,        // quota loaded last
  output logic [30:0]        quota_next_o,
  output logic               granted_next_o,
  output logic [31:0]        snap_c_o,       // C at the start of the last snapshot cycle
  output logic [31:0]        snap_insn_o     // thread instructions of the epoch before it
);
  localparam logic [31:0] C_MIN = 32'h8000_0000;

  logic signed [31:0] c_q, c_d, c1;
  logic               granted_q, granted_d, has_q;
  logic [30:0]        quota_q, quota_d, shadow_quota_q, shadow_credit_q;
  logic [InsnW-1:0]   insn_q, insn_next, snap_insn_q;
  logic [31:0]        snap_c_q;
  logic               first, take, drop;

  assign first = arrive_i && !present_i && !granted_q;  // R-QC-6
  assign take  = load_i && present_i && has_q && !first;  // R-QC-4
  assign drop  = load_i && !present_i && !first;

  // R-QC-2: saturates at the lowest value.
  logic [32:0] minus;
  assign minus = {c_q[31], c_q} - 33'(lanes_i);
  assign c1    = (minus[32] != minus[31]) ? signed'(C_MIN) : signed'(minus[31:0]);

  // What stays of the old C.
  logic signed [31:0] stays;
  always_comb begin
    stays = c1;
    if (first || drop || (take && (!keep_credit_i || c1[31]))) stays = '0;
    else if (take && c1[30:0] > shadow_credit_q) stays = signed'({1'b0, shadow_credit_q});
  end

  // What is granted on top.
  logic [30:0] grant;
  always_comb begin
    grant = '0;
    if (first) grant = first_quota_i;
    else if (take) grant = shadow_quota_q;
    else if (refill_i) grant = quota_q;
  end

  // Only two values that are not negative can overflow.
  logic signed [31:0] sum;
  assign sum = stays + signed'({1'b0, grant});
  assign c_d = (!stays[31] && sum[31]) ? signed'(32'h7fff_ffff) : sum;

  always_comb begin
    quota_d   = quota_q;
    granted_d = granted_q;
    if (first || take) begin
      quota_d   = grant;
      granted_d = 1'b1;
    end else if (drop) begin
      quota_d   = '0;
      granted_d = 1'b0;
    end
  end

  assign insn_next = insn_q + InsnW'(lanes_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      c_q       <= '0;
      quota_q   <= '0;
      granted_q <= 1'b0;
      insn_q    <= '0;
    end else begin
      c_q       <= c_d;
      quota_q   <= quota_d;
      granted_q <= granted_d;
      insn_q    <= tick_i ? '0 : insn_next;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      snap_c_q    <= '0;
      snap_insn_q <= '0;
    end else if (tick_i) begin  // R-QC-8
      snap_c_q    <= c_q;
      snap_insn_q <= insn_next;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      has_q           <= 1'b0;
      shadow_quota_q  <= '0;
      shadow_credit_q <= '0;
    end else if (word_i) begin  // R-QC-3
      has_q           <= 1'b1;
      shadow_quota_q  <= word_quota_i;
      shadow_credit_q <= word_credit_i;
    end else if (forget_i) begin
      has_q           <= 1'b0;
    end
  end

  assign c_o            = c_q;
  assign c_next_o       = c_d;
  assign quota_o        = quota_q;
  assign quota_next_o   = quota_d;
  assign granted_next_o = granted_d;
  assign snap_c_o       = snap_c_q;
  assign snap_insn_o    = 32'(snap_insn_q);

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(word_i && forget_i))
    else $error("R-QM-4: a quota word arrives with the load");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !refill_i || (c_q <= 0 && lanes_i == '0))
    else $error("R-QC-5: refill of a kernel that may issue");
`endif
endmodule
