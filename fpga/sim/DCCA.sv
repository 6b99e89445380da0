// SPDX-License-Identifier: Apache-2.0
// Model of the ECP5's clock gate for simulation: CE passes while CLKI is low, so that CLKO has
// whole pulses only.
module DCCA (
  input  logic CLKI,
  input  logic CE,
  output logic CLKO
);
  logic ce_q;
  always_latch if (!CLKI) ce_q = CE;
  assign CLKO = CLKI & ce_q;
endmodule
