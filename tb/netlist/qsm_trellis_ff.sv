// SPDX-License-Identifier: Apache-2.0
// TRELLIS_FF, a flip-flop of a slice, with what Yosys' model does not have: the chip's global
// reset, and a value before it that nobody knows (R-NL-4). Parameters that mean something else than
// here are errors.
module qsm_trellis_ff #(
  parameter GSR = "ENABLED",  // scripts/netlist.py ties gsr_ni where it is not
  parameter CEMUX = "1",
  parameter CLKMUX = "CLK",
  parameter LSRMUX = "LSR",
  parameter SRMODE = "LSR_OVER_CE",
  parameter REGSET = "RESET"
) (
  input  logic CLK, LSR, CE, DI,
  input  logic gsr_ni,
  output logic Q
);
  localparam logic Value = REGSET == "SET";
  if (!(REGSET == "SET" || REGSET == "RESET")) $error("TRELLIS_FF: REGSET %s", REGSET);
  if (CLKMUX != "CLK") $error("TRELLIS_FF: CLKMUX %s is not modelled", CLKMUX);

  logic ce, lsr;
  if (CEMUX == "1") assign ce = 1'b1;
  else if (CEMUX == "CE") assign ce = CE;
  else if (CEMUX == "INV") assign ce = !CE;
  else $error("TRELLIS_FF: CEMUX %s is not modelled", CEMUX);
  if (LSRMUX == "LSR") assign lsr = LSR;
  else if (LSRMUX == "INV") assign lsr = !LSR;
  else $error("TRELLIS_FF: LSRMUX %s is not modelled", LSRMUX);

  if (SRMODE == "ASYNC") begin : g_async
    always_ff @(posedge CLK or posedge lsr or negedge gsr_ni) begin
      if (!gsr_ni || lsr) Q <= Value;
      else if (ce) Q <= DI;
    end
  end else if (SRMODE == "LSR_OVER_CE") begin : g_sync
    always_ff @(posedge CLK or negedge gsr_ni) begin
      if (!gsr_ni) Q <= Value;
      else if (lsr) Q <= Value;
      else if (ce) Q <= DI;
    end
  end else begin : g_other
    $error("TRELLIS_FF: SRMODE %s is not modelled", SRMODE);
  end

  logic unused;
  assign unused = ^{CE, LSR};
endmodule
