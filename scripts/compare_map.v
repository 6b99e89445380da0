// SPDX-License-Identifier: Apache-2.0
// Comparisons for Yosys: all as "less than". Yosys makes a carry chain of that alone; for >, <= and
// >= it puts a comparison for equality beside the chain, and so nearly doubles them.
(* techmap_celltype = "$gt $le $ge" *)
module compare_map (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;

  wire less;
  generate
    if (_TECHMAP_CELLTYPE_ == "$ge") begin
      \$lt #(.A_SIGNED(A_SIGNED), .B_SIGNED(B_SIGNED), .A_WIDTH(A_WIDTH), .B_WIDTH(B_WIDTH),
             .Y_WIDTH(1)) compare (.A(A), .B(B), .Y(less));
    end else begin
      \$lt #(.A_SIGNED(B_SIGNED), .B_SIGNED(A_SIGNED), .A_WIDTH(B_WIDTH), .B_WIDTH(A_WIDTH),
             .Y_WIDTH(1)) compare (.A(B), .B(A), .Y(less));
    end
  endgenerate
  assign Y = (_TECHMAP_CELLTYPE_ == "$gt") ? less : !less;
endmodule
