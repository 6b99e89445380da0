// SPDX-License-Identifier: Apache-2.0
// qsm_tb_late: late is who has waited through two E + QosLat; a claim is of a late slot, one per
// epoch, only where it may start; and if it may in some cycle of every epoch, each late slot has
// its claim within NumKernels epochs; an SM is settled from the second E + QosLat after a restore
// on (R-TA-10 to -12).
module formal_tb_late #(
  parameter int unsigned NumSms = 2,
  parameter int unsigned NumKernels = 3
) (
  input logic                  clk_i,
  input logic                  latecomers_i,
  input logic                  snapshot_i,
  input logic                  epoch_done_i,
  input logic [NumKernels-1:0] waits_i,
  input logic                  rests_i,
  input logic [NumSms-1:0]     restoring_i,
  input logic [NumKernels-1:0] watched_i  // any slot, kept
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [NumKernels-1:0] late, claim;
  logic [NumSms-1:0]     settled;
  qsm_tb_late #(.NumSms(NumSms), .NumKernels(NumKernels)) u_dut (
    .clk_i, .rst_ni, .latecomers_i, .snapshot_i, .epoch_done_i, .waits_i, .rests_i, .restoring_i,
    .settled_o(settled), .late_o(late), .claim_o(claim)
  );

  typedef logic [$clog2(NumKernels + 2)-1:0] turns_t;
  logic [NumKernels-1:0][1:0] through_q;  // E + QosLat that it has waited through, up to two
  logic [NumKernels-1:0]      two, watched_q;
  // E + QosLat since an SM's last cycle of a restore, up to two
  logic [NumSms-1:0][1:0]     since_q;
  logic [NumSms-1:0]          long_ago;
  logic   may, opened_q, claimed_q, watched_late, watched_claims, again_q;
  // epochs that have ended since the watched slot is late, or since its last claim
  turns_t turns_q;
  assign may = latecomers_i && rests_i && !snapshot_i && !epoch_done_i;
  assign watched_late = (late & watched_i) != '0;
  assign watched_claims = (claim & watched_i) != '0;
  always_comb for (int unsigned k = 0; k < NumKernels; k++) two[k] = through_q[k] == 2'd2;
  always_comb for (int unsigned i = 0; i < NumSms; i++) long_ago[i] = since_q[i] == 2'd2;
  always_ff @(posedge clk_i) begin
    watched_q <= watched_i;
    for (int unsigned i = 0; i < NumSms; i++) begin
      if (!rst_ni) since_q[i] <= 2'd2;
      else if (restoring_i[i]) since_q[i] <= '0;
      else if (epoch_done_i && !long_ago[i]) since_q[i] <= since_q[i] + 1'b1;
    end
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (!rst_ni || !waits_i[k]) through_q[k] <= '0;
      else if (epoch_done_i && !two[k]) through_q[k] <= through_q[k] + 1'b1;
    end
    if (!rst_ni) begin
      {opened_q, claimed_q, again_q, turns_q} <= '0;
    end else begin
      opened_q <= !epoch_done_i && (opened_q || may);
      claimed_q <= !epoch_done_i && (claimed_q || claim != '0);
      again_q <= watched_late && (again_q || watched_claims);
      if (!watched_late || watched_claims) turns_q <= '0;
      else if (epoch_done_i) turns_q <= turns_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume ($onehot(watched_i) && watched_i == watched_q);
      assume (!(epoch_done_i && snapshot_i));
      assume (!epoch_done_i || opened_q || !watched_late);  // a cycle at rest in every epoch
      who_is_late: assert (late == two);
      who_is_settled: assert (settled == (long_ago & ~restoring_i));
      of_late: assert ($onehot0(claim) && (claim & ~late) == '0);
      when: assert (claim == '0 || (may && !claimed_q));
      at_once: assert (claim != '0 || !may || claimed_q || late == '0);
      in_turn: assert (32'(turns_q) < NumKernels + 32'(again_q));
      last_of_all: cover (watched_claims && 32'(turns_q) == NumKernels - 1 && !again_q);
      again: cover (watched_claims && again_q);
      ends_waiting: cover (claimed_q && late == '0);
    end
  end
endmodule
