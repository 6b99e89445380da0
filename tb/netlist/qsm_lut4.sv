// SPDX-License-Identifier: Apache-2.0
// LUT4 of an ECP5: bit {D, C, B, A} of INIT. Written as choices between constants, which Verilator
// turns into a gate or two; the choices of Yosys' model are of parts of INIT, which it cannot.
module qsm_lut4 #(
  parameter logic [15:0] INIT = 16'h0000
) (
  input  logic A, B, C, D,
  output logic Z
);
  assign Z = D ? (C ? (B ? (A ? INIT[15] : INIT[14]) : (A ? INIT[13] : INIT[12]))
                    : (B ? (A ? INIT[11] : INIT[10]) : (A ? INIT[9] : INIT[8])))
               : (C ? (B ? (A ? INIT[7] : INIT[6]) : (A ? INIT[5] : INIT[4]))
                    : (B ? (A ? INIT[3] : INIT[2]) : (A ? INIT[1] : INIT[0])));
endmodule
