// SPDX-License-Identifier: Apache-2.0
// Reset of a board: 0 at once with the button or while the PLL has not locked, and from switching
// on; 1 in step with the clock after Cycles cycles. Contract: docs/board.md R-BD-3.
module qsm_board_reset #(
  parameter int unsigned Cycles = 256
) (
  input  logic clk_i,
  input  logic async_ni,
  output logic rst_no
);
  localparam int unsigned CountW = $clog2(Cycles + 1);
  // An ECP5 starts with these.
  logic [1:0] sync_q = '0;
  logic [CountW-1:0] count_q = '0;
  logic rst_q = 1'b0;
  always_ff @(posedge clk_i or negedge async_ni) begin
    if (!async_ni) begin
      sync_q <= '0;
      count_q <= '0;
      rst_q <= 1'b0;
    end else begin
      sync_q <= {sync_q[0], 1'b1};
      if (sync_q[1] && count_q != CountW'(Cycles)) count_q <= count_q + CountW'(1);
      rst_q <= count_q == CountW'(Cycles);
    end
  end
  assign rst_no = rst_q;
endmodule
