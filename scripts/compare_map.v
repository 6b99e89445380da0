// SPDX-License-Identifier: Apache-2.0
// Comparisons for Yosys. Short ones are gates: a LUT4 for each bit behind the first, where a carry
// chain takes three more. Of the others all are "less than": Yosys makes a carry chain of that
// alone; for >, <= and >= it puts a comparison for equality beside the chain, and so nearly doubles
// them.
(* techmap_celltype = "$gt $le $ge $lt" *)
module compare_map (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  parameter [A_WIDTH-1:0] _TECHMAP_CONSTMSK_A_ = 0;
  parameter [B_WIDTH-1:0] _TECHMAP_CONSTMSK_B_ = 0;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;

  localparam Gates = 6;  // bits
  localparam Width = (A_WIDTH > B_WIDTH) ? A_WIDTH : B_WIDTH;
  localparam Constant = &_TECHMAP_CONSTMSK_A_ || &_TECHMAP_CONSTMSK_B_;
  localparam Short = (Width <= Gates || Constant) && !A_SIGNED && !B_SIGNED;
  localparam Swap = _TECHMAP_CELLTYPE_ == "$gt" || _TECHMAP_CELLTYPE_ == "$le";

  wire _TECHMAP_FAIL_ = _TECHMAP_CELLTYPE_ == "$lt" && !Short;
  wire less;
  generate
    if (Short) begin
      wire [Width-1:0] wide_a = A;
      wire [Width-1:0] wide_b = B;
      wire [Width-1:0] low = Swap ? wide_b : wide_a;
      wire [Width-1:0] high = Swap ? wide_a : wide_b;
      wire [Width:0] below;
      assign below[0] = 1'b0;
      genvar i;
      for (i = 0; i < Width; i = i + 1) begin : bits
        assign below[i+1] = (~low[i] & high[i]) | (~(low[i] ^ high[i]) & below[i]);
      end
      assign less = below[Width];
    end else if (!Swap) begin
      \$lt #(.A_SIGNED(A_SIGNED), .B_SIGNED(B_SIGNED), .A_WIDTH(A_WIDTH), .B_WIDTH(B_WIDTH),
             .Y_WIDTH(1)) compare (.A(A), .B(B), .Y(less));
    end else begin
      \$lt #(.A_SIGNED(B_SIGNED), .B_SIGNED(A_SIGNED), .A_WIDTH(B_WIDTH), .B_WIDTH(A_WIDTH),
             .Y_WIDTH(1)) compare (.A(B), .B(A), .Y(less));
    end
  endgenerate
  assign Y = (_TECHMAP_CELLTYPE_ == "$gt" || _TECHMAP_CELLTYPE_ == "$lt") ? less : !less;
endmodule
