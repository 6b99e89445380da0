// SPDX-License-Identifier: Apache-2.0
// Cells of the ECP5 that the RTL around the GPU names; Yosys has the rest of them.
(* blackbox, keep *)
module SGSR (
  input logic CLK,
  input logic GSR
);
endmodule

(* blackbox *)
module EHXPLLL #(
  parameter CLKI_DIV = 1,
  parameter CLKFB_DIV = 1,
  parameter FEEDBK_PATH = "CLKOP",
  parameter CLKOP_ENABLE = "ENABLED",
  parameter CLKOP_DIV = 8,
  parameter CLKOP_CPHASE = 0,
  parameter CLKOP_FPHASE = 0,
  parameter CLKOS_ENABLE = "DISABLED",
  parameter CLKOS_DIV = 8,
  parameter CLKOS_CPHASE = 0,
  parameter CLKOS_FPHASE = 0
) (
  input logic CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG,
      PLLWAKESYNC, ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3,
  output logic CLKOP, CLKOS, CLKOS2, CLKOS3, LOCK, INTLOCK, REFCLK, CLKINTFB
);
endmodule

(* blackbox *)
module DCCA (
  input  logic CLKI,
  input  logic CE,
  output logic CLKO
);
endmodule

(* blackbox *)
module ODDRX1F (
  input  logic D0, D1, SCLK, RST,
  output logic Q
);
endmodule

// A pad of both directions.
(* blackbox *)
module BB (
  input  logic I, T,
  output logic O,
  (* iopad_external_pin *) inout wire B
);
endmodule

// Registers in pads, and one with a preset: of LiteDRAM.
(* blackbox *)
module OFS1P3BX (
  input  logic D, SP, SCLK, PD,
  output logic Q
);
endmodule

(* blackbox *)
module IFS1P3BX (
  input  logic D, SP, SCLK, PD,
  output logic Q
);
endmodule

(* blackbox *)
module FD1S3BX (
  input  logic D, CK, PD,
  output logic Q
);
endmodule

// Of a DDR3 memory's PHY.
(* blackbox *)
module ODDRX2F (
  input  logic D0, D1, D2, D3, SCLK, ECLK, RST,
  output logic Q
);
endmodule

(* blackbox *)
module ODDRX2DQA (
  input  logic D0, D1, D2, D3, SCLK, ECLK, DQSW270, RST,
  output logic Q
);
endmodule

(* blackbox *)
module ODDRX2DQSB (
  input  logic D0, D1, D2, D3, SCLK, ECLK, DQSW, RST,
  output logic Q
);
endmodule

(* blackbox *)
module TSHX2DQA (
  input  logic T0, T1, SCLK, ECLK, DQSW270, RST,
  output logic Q
);
endmodule

(* blackbox *)
module TSHX2DQSA (
  input  logic T0, T1, SCLK, ECLK, DQSW, RST,
  output logic Q
);
endmodule

(* blackbox *)
module IDDRX2DQA (
  input  logic D, DQSR90, ECLK, SCLK, RST, RDPNTR2, RDPNTR1, RDPNTR0, WRPNTR2, WRPNTR1, WRPNTR0,
  output logic Q0, Q1, Q2, Q3
);
endmodule

(* blackbox *)
module DQSBUFM #(
  parameter DQS_LI_DEL_ADJ = "FACTORYONLY",
  parameter DQS_LI_DEL_VAL = 0,
  parameter DQS_LO_DEL_ADJ = "FACTORYONLY",
  parameter DQS_LO_DEL_VAL = 0
) (
  input  logic DQSI, READ1, READ0, READCLKSEL2, READCLKSEL1, READCLKSEL0, DDRDEL, ECLK, SCLK, RST,
      PAUSE, RDLOADN, RDMOVE, RDDIRECTION, WRLOADN, WRMOVE, WRDIRECTION,
  output logic DQSR90, DQSW, DQSW270, RDPNTR2, RDPNTR1, RDPNTR0, WRPNTR2, WRPNTR1, WRPNTR0,
      DATAVALID, BURSTDET
);
endmodule

(* blackbox *)
module DDRDLLA (
  input  logic CLK, RST, UDDCNTLN, FREEZE,
  output logic DDRDEL, LOCK
);
endmodule

(* blackbox *)
module DELAYG #(
  parameter DEL_MODE = "USER_DEFINED",
  parameter DEL_VALUE = 0
) (
  input  logic A,
  output logic Z
);
endmodule

// Clocks of its kind.
(* blackbox *)
module ECLKBRIDGECS (
  input  logic CLK0, CLK1, SEL,
  output logic ECSOUT
);
endmodule

(* blackbox *)
module ECLKSYNCB (
  input  logic ECLKI, STOP,
  output logic ECLKO
);
endmodule

(* blackbox *)
module CLKDIVF #(
  parameter DIV = "2.0"
) (
  input  logic CLKI, RST, ALIGNWD,
  output logic CDIVX
);
endmodule
