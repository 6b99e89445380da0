// SPDX-License-Identifier: Apache-2.0
// Clock gate: clk_o is clk_i in the cycles with en_i, else it stays low. The latch lets en_i pass
// while clk_i is low, so that clk_o has whole pulses only.
// Contract: en_i comes from registers of clk_i; an edge of clk_o is one of clk_i with en_i before
// it. For simulation and ASICs (there a cell of the library takes its place); with QSM_BUFGCE the
// primitive of AMD's FPGAs, which contains such a latch. docs/sm_owner.md R-PG-3.
module qsm_clock_gate (
  input  logic clk_i,
  input  logic en_i,
  output logic clk_o
);
`ifdef QSM_BUFGCE
  BUFGCE u_gate (.I(clk_i), .CE(en_i), .O(clk_o));
`else
  logic en_q;
  always_latch if (!clk_i) en_q = en_i;
  assign clk_o = clk_i & en_q;
`endif
endmodule
