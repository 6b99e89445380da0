// SPDX-License-Identifier: Apache-2.0
// MULT18X18D, the multiplier of a DSP slice, without its registers: P = A * B, each signed or not
// as SIGNEDA and SIGNEDB say. A netlist that uses the registers, the cascade (SOURCEA, SOURCEB) or
// pin C is refused, the former here, the latter by scripts/netlist.py.
module qsm_mult18x18d #(
  parameter REG_INPUTA_CLK = "NONE",
  parameter REG_INPUTB_CLK = "NONE",
  parameter REG_INPUTC_CLK = "NONE",
  parameter REG_PIPELINE_CLK = "NONE",
  parameter REG_OUTPUT_CLK = "NONE",
  parameter SOURCEB_MODE = "B_SHIFT",
  parameter CAS_MATCH_REG = "FALSE",
  parameter MULT_BYPASS = "DISABLED",
  parameter GSR = "ENABLED",
  parameter RESETMODE = "SYNC"
) (
  input  logic [17:0] A, B,  // scripts/netlist.py makes vectors of the pins
  input  logic SIGNEDA, SIGNEDB,
  input  logic gsr_ni,
  output logic [35:0] P
);
  if (REG_INPUTA_CLK != "NONE" || REG_INPUTB_CLK != "NONE" || REG_INPUTC_CLK != "NONE" ||
      REG_PIPELINE_CLK != "NONE" || REG_OUTPUT_CLK != "NONE")
    $error("MULT18X18D: its registers are not modelled");
  if (MULT_BYPASS != "DISABLED") $error("MULT18X18D: MULT_BYPASS %s is not modelled", MULT_BYPASS);

  assign P = {{18{SIGNEDA && A[17]}}, A} * {{18{SIGNEDB && B[17]}}, B};

  logic unused;
  assign unused = gsr_ni;
endmodule
