// SPDX-License-Identifier: Apache-2.0
// One of four in two LUT4 instead of the three that abc makes of it: T is the upper bit of the choice, S the lower. The first LUT
// says which of A and B, or, where C or D is chosen, the lower bit; the second needs the upper bit and that.
(* techmap_celltype = "$_MUX4_" *)
module mux4 (input A, input B, input C, input D, input S, input T, output Y);
  wire low;  // T ? S : S ? B : A
  \$lut #(.WIDTH(4), .LUT(16'hF0CA)) first (.A({T, S, B, A}), .Y(low));
  \$lut #(.WIDTH(4), .LUT(16'hCAF0)) second (.A({T, low, D, C}), .Y(Y));  // T ? (low ? D : C) : low
endmodule
