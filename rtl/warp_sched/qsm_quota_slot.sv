// SPDX-License-Identifier: Apache-2.0
// Quota counter of one kernel slot on one SM: C, its quota, and the shadow of the next epoch.
//
// Contract: docs/quota_gate.md, R-QC-2 to R-QC-8; qsm_quota decides when, this block what. Every
//   value that C can take is one sum: what stays of the old C plus what is granted.
// Latency: all inputs act at the end of their cycle.
// Cost: a subtractor, a comparator and an adder of 32 bits, a counter, about 220 flip-flops.
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
  input  logic [30:0]        word_credit_i,  // most that a load carries over; with the quota < 2^31
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
  logic signed [31:0] c_q, c_d;
  logic               granted_q, granted_d, has_q;
  logic [30:0]        quota_q, quota_d, shadow_quota_q, shadow_credit_q;
  logic [InsnW-1:0]   insn_q, insn_next, snap_insn_q;
  logic [31:0]        snap_c_q;
  logic               first, take, drop;

  assign first = arrive_i && !present_i && !granted_q;  // R-QC-6
  assign take  = load_i && present_i && has_q;  // R-QC-4; first and take exclude each other
  assign drop  = load_i && !present_i && !first;

  // R-QC-2: one bit more than C, so the sign is true; below the lowest value only the sign is kept.
  logic [32:0] c1;
  logic        debt, below;
  assign c1    = {c_q[31], c_q} - 33'(lanes_i);
  assign debt  = c1[32];
  assign below = c1[32] != c1[31];

  // What stays of the old C.
  logic [31:0] stays;
  logic        all_stays, credit_stays;
  assign credit_stays = take && keep_credit_i && !debt && (c1[30:0] > shadow_credit_q);
  assign all_stays    = !first && !drop && !credit_stays && (!take || (keep_credit_i && !debt));
  assign stays[31]    = all_stays && debt;
  assign stays[30:0]  = ((all_stays && !below) ? c1[30:0] : '0)
                      | (credit_stays ? shadow_credit_q : '0);

  // What is granted on top: at most one of first, take, refill and drop.
  typedef enum logic [1:0] {Nothing, First, Shadow, Again} source_e;
  source_e     source;
  logic [30:0] grant;
  assign source = first ? First : take ? Shadow : refill_i ? Again : Nothing;
  always_comb begin
    case (source)
      First:   grant = first_quota_i;
      Shadow:  grant = shadow_quota_q;
      Again:   grant = quota_q;
      default: grant = '0;
    endcase
  end

  assign c_d       = signed'(stays + {1'b0, grant});
  assign quota_d   = (first || take || drop) ? grant : quota_q;
  assign granted_d = (granted_q || first || take) && !drop;

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
  assert property (@(posedge clk_i) disable iff (!rst_ni) stays[31] || !c_d[31])
    else $error("R-QC-4: a load overflows");
`endif
endmodule
