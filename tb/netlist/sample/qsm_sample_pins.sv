// SPDX-License-Identifier: Apache-2.0
// qsm_sample_blocks behind four pins, as tb/pnr has the GPU.
module qsm_sample_pins
  import qsm_sample_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,
  output logic bit_o
);
  SGSR u_reset (.CLK(clk_i), .GSR(rst_ni));

  inputs_t in_q;
  (* keep *) outputs_t out;
  outputs_t out_q;
  always_ff @(posedge clk_i) begin
    in_q <= {in_q[$bits(inputs_t)-2:0], bit_i};
    out_q <= out;
    bit_o <= ^out_q;
  end
  qsm_sample_blocks u_blocks (.clk_i, .rst_ni, .in_i(in_q), .out_o(out));
endmodule
