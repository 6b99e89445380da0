// SPDX-License-Identifier: Apache-2.0
// qsm_two_level: never more active warps than places, R-PO-8 cycle by cycle. Which candidate is the
// oldest is left open here (formal_warp_age); the places may be rewritten at any time.
module formal_two_level #(
  parameter int unsigned NumWarps = 5,
  localparam int unsigned SlotW = (NumWarps > 1) ? $clog2(NumWarps) : 1
) (
  input logic                clk_i,
  input logic                enable_i,
  input logic                start_valid_i,
  input logic [SlotW-1:0]    start_slot_i,
  input logic                finish_valid_i,
  input logic [SlotW-1:0]    finish_slot_i,
  input logic [NumWarps-1:0] long_latency_i,
  input logic [4:0]          active_warps_i,
  input logic [SlotW-1:0]    oldest_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [NumWarps-1:0] resident, start, finish, candidates, active;
  formal_warps #(.NumWarps(NumWarps), .NumKernels(1)) u_warps (
    .clk_i, .rst_ni, .start_valid_i, .start_slot_i, .start_kernel_i(1'b0), .finish_valid_i,
    .finish_slot_i, .eligible_i('0), .long_latency_i,
    .resident_o(resident), .kernel_o(), .older_o()
  );
  always_comb begin
    start = '0;
    finish = '0;
    if (start_valid_i) start[start_slot_i] = 1'b1;
    if (finish_valid_i) finish[finish_slot_i] = 1'b1;
  end
  qsm_two_level #(.NumWarps(NumWarps)) u_dut (
    .clk_i, .rst_ni, .enable_i, .resident_i(resident), .long_latency_i, .active_warps_i,
    .finish_i(finish),
    .candidates_o(candidates),
    .oldest_i((candidates != '0) ? NumWarps'(1) << oldest_i : '0), .active_o(active)
  );

  // R-PO-8 word by word.
  logic [NumWarps-1:0] expected_q, waits, next;
  logic [4:0]          n_active;
  logic                demoted;
  always_comb begin
    n_active = '0;
    demoted = 1'b0;
    next = expected_q;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      n_active += 5'(expected_q[w]);
      waits[w] = resident[w] && !expected_q[w] && !long_latency_i[w];
      if (expected_q[w] && long_latency_i[w] && !demoted) begin
        next[w] = 1'b0;
        demoted = 1'b1;
      end
    end
    if (n_active < active_warps_i && waits != '0) next[oldest_i] = 1'b1;
    next &= ~(start | finish);
    if (!enable_i) next = '0;
  end

  logic [4:0] n_before_q, places_before_q;
  always_ff @(posedge clk_i) begin
    expected_q <= rst_ni ? next : '0;
    n_before_q <= rst_ni ? n_active : '0;
    places_before_q <= active_warps_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (active_warps_i >= 1 && active_warps_i <= 16);
      assume (candidates == '0 || (32'(oldest_i) < NumWarps && candidates[oldest_i]));
      by_the_rule: assert (active == expected_q);
      who_waits: assert (candidates == waits);
      places: assert (n_active <= places_before_q || n_active <= n_before_q);
      only_resident: assert ((active & ~resident) == '0);
      all_taken: cover (n_active == 2 && active_warps_i == 2 && waits != '0 &&
          long_latency_i != '0);
      too_many: cover (n_active > active_warps_i);
    end
  end
endmodule
