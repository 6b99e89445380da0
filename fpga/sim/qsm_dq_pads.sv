// SPDX-License-Identifier: Apache-2.0
// Pads of a data bus, for simulation: all of one direction.
module qsm_dq_pads #(
  parameter int unsigned Width = 16
) (
  input  logic [Width-1:0] out_i,
  input  logic [Width-1:0] oe_ni,
  output logic [Width-1:0] in_o,
  inout  wire  [Width-1:0] pin
);
  assign pin = oe_ni[0] ? 'z : out_i;
  assign in_o = pin;
`ifndef SYNTHESIS
  always_comb assert (oe_ni == '0 || oe_ni == '1) else $error("pads of different directions");
`endif
endmodule
