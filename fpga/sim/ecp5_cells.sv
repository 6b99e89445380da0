// SPDX-License-Identifier: Apache-2.0
// Models of what the tops use of an ECP5, for simulation, without delays. The clocks of the PLL are
// made outside, at the pins of the top of the simulation, QSM_SIM_TOP: Verilator knows no time. The
// model checks that they are those that its parameters give.

// verilator lint_off DECLFILENAME
module EHXPLLL #(
  parameter int unsigned CLKI_DIV = 1,
  parameter int unsigned CLKFB_DIV = 1,
  parameter FEEDBK_PATH = "CLKOP",
  parameter CLKOP_ENABLE = "ENABLED",
  parameter int unsigned CLKOP_DIV = 8,
  parameter int unsigned CLKOP_CPHASE = 0,
  parameter int unsigned CLKOP_FPHASE = 0,
  parameter CLKOS_ENABLE = "DISABLED",
  parameter int unsigned CLKOS_DIV = 8,
  parameter int unsigned CLKOS_CPHASE = 0,
  parameter int unsigned CLKOS_FPHASE = 0
) (
  input  logic CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG,
      PLLWAKESYNC, ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3,
  output logic CLKOP, CLKOS, CLKOS2, CLKOS3, LOCK, INTLOCK, REFCLK, CLKINTFB
);
  assign CLKOP = `QSM_SIM_TOP.pll_clk_pin;
  assign CLKOS = `QSM_SIM_TOP.pll_second_pin;
  assign {CLKOS2, CLKOS3, INTLOCK, REFCLK, CLKINTFB} = '0;

  // Over each 240 cycles of the input; a lock comes after the first that are right.
  localparam int unsigned Window = 240;
  localparam int unsigned Cycles = Window * CLKFB_DIV / CLKI_DIV;
  int unsigned in_q = 0, out_q = 0, out_start_q = 0, second_q = 0, second_start_q = 0;
  logic lock_q = 1'b0;
  always_ff @(posedge CLKOP) out_q <= out_q + 1;
  always_ff @(posedge CLKOS) second_q <= second_q + 1;
  always_ff @(posedge CLKI) begin
    in_q <= in_q + 1;
    if (in_q % Window == 0) begin
      out_start_q <= out_q;
      second_start_q <= second_q;
      if (in_q >= 2 * Window) begin
        assert (out_q - out_start_q == Cycles &&
            (second_q - second_start_q) * CLKOS_DIV == Cycles * CLKOP_DIV)
          else $error("R-BD-2: %0d and %0d cycles of the PLL in %0d of its input",
              out_q - out_start_q, second_q - second_start_q, Window);
        lock_q <= 1'b1;
      end
    end
  end
  // A second output as fast as the first: a quarter behind it.
  if (CLKOS_DIV == CLKOP_DIV) begin : g_late
    logic late_ok;
    assign late_ok = 4 * (CLKOS_CPHASE - CLKOP_CPHASE) == CLKOP_DIV;
    always_ff @(posedge CLKOS) assert (late_ok && CLKOP)
      else $error("R-BD-2: the second clock is not a quarter behind");
  end
  assign LOCK = lock_q;
  initial assert (FEEDBK_PATH == "CLKOP" && CLKOP_FPHASE == 0 && CLKOS_FPHASE == 0);
  logic unused;
  assign unused = ^{CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG,
      PLLWAKESYNC, ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3};
endmodule

// Without the delays of the real one.
module ODDRX1F (
  input  logic D0, D1, SCLK, RST,
  output logic Q
);
  assign Q = !RST && (SCLK ? D0 : D1);
endmodule

// Registers in pads.
module OFS1P3BX (
  input  logic D, SP, SCLK, PD,
  output logic Q
);
  always_ff @(posedge SCLK or posedge PD) if (PD) Q <= 1'b1; else if (SP) Q <= D;
endmodule

module IFS1P3BX (
  input  logic D, SP, SCLK, PD,
  output logic Q
);
  always_ff @(posedge SCLK or posedge PD) if (PD) Q <= 1'b1; else if (SP) Q <= D;
endmodule

module FD1S3BX (
  input  logic D, CK, PD,
  output logic Q
);
  always_ff @(posedge CK or posedge PD) if (PD) Q <= 1'b1; else Q <= D;
endmodule
