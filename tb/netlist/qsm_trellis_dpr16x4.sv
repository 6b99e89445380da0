// SPDX-License-Identifier: Apache-2.0
// TRELLIS_DPR16X4, distributed RAM of a slice: written at the clock's edge, read at once. What it
// holds before the first write nobody knows (R-NL-4); a netlist that gives it contents is refused.
module qsm_trellis_dpr16x4 #(
  parameter WCKMUX = "WCK",
  parameter WREMUX = "WRE",
  parameter logic [63:0] INITVAL = 64'h0
) (
  input  logic [3:0] DI, WAD, RAD,
  input  logic       WRE, WCK,
  output logic [3:0] DO
);
  if (WCKMUX != "WCK") $error("TRELLIS_DPR16X4: WCKMUX %s is not modelled", WCKMUX);
  if (WREMUX != "WRE") $error("TRELLIS_DPR16X4: WREMUX %s is not modelled", WREMUX);
  if (INITVAL != 64'h0) $error("TRELLIS_DPR16X4: contents are not modelled");

  logic [3:0] mem[16];
  always_ff @(posedge WCK) if (WRE) mem[WAD] <= DI;
  assign DO = mem[RAD];
endmodule
