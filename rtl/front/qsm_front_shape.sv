// SPDX-License-Identifier: Apache-2.0
// What the registers of a launch say of a block besides its descriptor: threads, warps, granules of
// shared memory.
// Contract: docs/front.md R-FR-10. clear_i in the cycle before them; done_o is high in the last of
// PRODUCT's 22 cycles, and the results are there from the next one on.
// Cost: one bit of a factor per cycle, one of the granules in the first six. Granules are right up
// to 63; a block that wants more is refused before, for its SHARED.
module qsm_front_shape #(
  parameter int unsigned Lanes = 4,     // of a warp, a power of two
  parameter int unsigned Granule = 128  // bytes
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,     // before PRODUCT; the words are here
  input  logic             run_i,       // PRODUCT
  input  logic [2:0][10:0] block_i,
  input  logic [31:0]      shared_i,
  output logic             done_o,
  output logic [31:0]      threads_o,
  output logic [31:0]      warps_o,
  output logic [5:0]       granules_o
);
  localparam int unsigned RestW = $clog2(64 * Granule) + 1;
  logic [4:0] step_q;                // 0..21
  logic second, bit_now, fits;
  logic [31:0] sum_q, sum;
  logic [21:0] factor_q;             // x, then x * y
  logic [3:0] place;
  logic [RestW-1:0] rest_q;          // of SHARED, times 2 for each step
  logic [5:0] granules_q;

  assign second = step_q >= 5'd11;
  assign place = 4'(second ? 5'd21 - step_q : 5'd10 - step_q);
  assign bit_now = second ? block_i[2][place] : block_i[1][place];
  assign sum = (sum_q << 1) + (bit_now ? 32'(factor_q) : '0);
  assign fits = rest_q >= RestW'(32 * Granule);
  assign done_o = run_i && step_q == 5'd21;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= '0;
    else step_q <= run_i && !done_o ? step_q + 5'd1 : '0;
  end
  always_ff @(posedge clk_i) begin
    if (clear_i) factor_q <= 22'(block_i[0]);
    else if (step_q == 5'd10) factor_q <= sum[21:0];
    if (clear_i) sum_q <= '0;
    else if (run_i) sum_q <= (step_q == 5'd10) ? '0 : sum;
    if (clear_i) rest_q <= RestW'(shared_i) + RestW'(Granule - 1);
    else if (run_i && step_q < 5'd6) begin
      rest_q <= (fits ? rest_q - RestW'(32 * Granule) : rest_q) << 1;
      granules_q <= {granules_q[4:0], fits};
    end
  end
  logic unused_shared;
  assign unused_shared = ^shared_i[31:RestW];
  assign threads_o = sum_q;
  assign warps_o = (sum_q + 32'(Lanes - 1)) >> $clog2(Lanes);
  assign granules_o = granules_q;
endmodule
