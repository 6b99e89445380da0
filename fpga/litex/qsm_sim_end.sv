// SPDX-License-Identifier: Apache-2.0
// Ends the simulation of an SoC and says why on the standard output: its program has written a code,
// or so many cycles have passed.
module qsm_sim_end #(
  parameter int unsigned Limit = 20_000_000
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        end_i,
  input  logic [31:0] code_i,
  output logic [31:0] cycle_o  // since the reset
);
  logic [31:0] cycle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cycle_q <= '0;
    else cycle_q <= cycle_q + 32'd1;
  end
  assign cycle_o = cycle_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni && end_i) begin
      $display("\nsoc: code %0d in cycle %0d", code_i, cycle_q);
      $finish;
    end else if (rst_ni && cycle_q == Limit) begin
      $display("\nsoc: not ended after %0d cycles", cycle_q);
      $finish;
    end
  end
endmodule
