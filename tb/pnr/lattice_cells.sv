// SPDX-License-Identifier: Apache-2.0
// Cells of the ECP5 that the RTL around the GPU names; Yosys has the rest of them.
(* blackbox, keep *)
module SGSR (
  input logic CLK,
  input logic GSR
);
endmodule
