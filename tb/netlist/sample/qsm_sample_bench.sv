// SPDX-License-Identifier: Apache-2.0
// RTL of qsm_sample_blocks and its netlist with the same inputs.
module qsm_sample_bench
  import qsm_sample_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,
  input  inputs_t  in_i,
  output outputs_t rtl_o,
  output outputs_t netlist_o
);
  outputs_t out;
  qsm_sample_blocks u_rtl (.clk_i, .rst_ni, .in_i, .out_o(out));
  always_ff @(posedge clk_i) rtl_o <= out;
  qsm_netlist #(.InW($bits(inputs_t)), .OutW($bits(outputs_t))) u_netlist (
    .clk_i, .rst_ni, .bit_i(1'b0), .bit_o(), .in_i, .out_o(netlist_o), .before_o()
  );
endmodule
