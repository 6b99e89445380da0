// SPDX-License-Identifier: Apache-2.0
// MULT18X18D, the multiplier of a DSP slice, without its registers: P = A * B, each signed or not as
// SIGNEDA and SIGNEDB say. A netlist that uses the registers, the cascade (SOURCEA, SOURCEB) or
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
  input  logic A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17,
  input  logic B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11, B12, B13, B14, B15, B16, B17,
  input  logic SIGNEDA, SIGNEDB,
  input  logic gsr_ni,
  output logic P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16, P17,
  output logic P18, P19, P20, P21, P22, P23, P24, P25, P26, P27, P28, P29, P30, P31, P32, P33,
  output logic P34, P35
);
  if (REG_INPUTA_CLK != "NONE" || REG_INPUTB_CLK != "NONE" || REG_INPUTC_CLK != "NONE" ||
      REG_PIPELINE_CLK != "NONE" || REG_OUTPUT_CLK != "NONE")
    $error("MULT18X18D: its registers are not modelled");
  if (MULT_BYPASS != "DISABLED") $error("MULT18X18D: MULT_BYPASS %s is not modelled", MULT_BYPASS);

  logic [17:0] a, b;
  logic [35:0] p;
  assign a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
  assign b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
  assign p = {{18{SIGNEDA && A17}}, a} * {{18{SIGNEDB && B17}}, b};
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
          P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = p;

  logic unused;
  assign unused = gsr_ni;
endmodule
