// SPDX-License-Identifier: Apache-2.0
// Pads of a data bus that goes both ways, each with its own direction. For simulation
// fpga/sim/qsm_dq_pads.sv stands here.
module qsm_dq_pads #(
  parameter int unsigned Width = 16
) (
  input  logic [Width-1:0] out_i,
  input  logic [Width-1:0] oe_ni,
  output logic [Width-1:0] in_o,
  inout  wire  [Width-1:0] pin
);
  for (genvar i = 0; i < Width; i++) begin : g_pad
    BB u_pad (.I(out_i[i]), .T(oe_ni[i]), .O(in_o[i]), .B(pin[i]));
  end
endmodule
