// SPDX-License-Identifier: Apache-2.0
// The ECP5's global reset for simulation: flip-flops have their resets as the RTL says, so it does
// nothing. In the chip it takes the place of the wires of that reset (docs/fpga.md, Reset).
module SGSR (
  input logic CLK,
  input logic GSR
);
  logic unused;
  assign unused = ^{CLK, GSR};
endmodule
