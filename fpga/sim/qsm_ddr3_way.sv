// SPDX-License-Identifier: Apache-2.0
// Wires between a DDR3 chip and the FPGA's pins, for simulation: what the chip drives comes so many
// quarters later; what nobody drives is noise. Contract: docs/board.md R-BD-21.
module qsm_ddr3_way #(
  parameter int unsigned Most = 8  // quarters, at least 1
) (
  input  logic        quarter_i,
  input  logic [3:0]  quarters_i,
  input  logic        dq_to_chip_i,
  input  logic [15:0] dq_to_chip_data_i,
  input  logic        dqs_to_chip_i,
  input  logic [1:0]  dqs_to_chip_data_i,
  input  logic        chip_dq_oe_i,
  input  logic [15:0] chip_dq_i,
  input  logic        chip_dqs_oe_i,
  input  logic [1:0]  chip_dqs_i,
  output logic [15:0] dq_o,
  output logic [1:0]  dqs_o,
  output logic        dqs_driven_o  // by the chip
);
  typedef struct packed {
    logic        dq_oe, dqs_oe;
    logic [15:0] dq;
    logic [1:0]  dqs;
  } back_t;
  back_t now, here;
  back_t [Most-1:0] way_q;
  logic [31:0] noise_q;
  initial begin
    way_q = '0;
    noise_q = 32'h2545_F491;
  end
  assign now = '{dq_oe: chip_dq_oe_i, dqs_oe: chip_dqs_oe_i, dq: chip_dq_i, dqs: chip_dqs_i};
  always_ff @(posedge quarter_i or negedge quarter_i) begin
    way_q <= {way_q[Most-2:0], now};
    noise_q <= {noise_q[30:0], noise_q[31] ^ noise_q[21] ^ noise_q[1] ^ noise_q[0]};
  end
  always_comb begin
    here = now;
    for (int unsigned q = 1; q <= Most; q++) if (32'(quarters_i) == q) here = way_q[q-1];
    dqs_driven_o = here.dqs_oe;
    dq_o = here.dq_oe ? here.dq : noise_q[15:0];
    dqs_o = here.dqs_oe ? here.dqs : noise_q[31:30];
    if (dq_to_chip_i) dq_o = dq_to_chip_data_i;
    if (dqs_to_chip_i) dqs_o = dqs_to_chip_data_i;
  end
endmodule
