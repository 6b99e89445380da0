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
