// SPDX-License-Identifier: Apache-2.0
// A rotation of 16 bytes by multipliers: of each of the eight bits that a byte has, 16 lanes by the
// power of two of the distance; the product's halves together are the lanes in their new places. A
// multiplexer per bit and step takes four LUT4 per bit, this takes one, and eight multipliers.
// In the RTL it is {x, x} >> (8 * distance).
(* techmap_celltype = "$shr" *)
module rotate_map (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CONSTMSK_B_ = 0;
  parameter _TECHMAP_CONSTVAL_B_ = 0;
  parameter _TECHMAP_BITS_CONNMAP_ = 0;
  parameter _TECHMAP_CONNMAP_A_ = 0;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;

  localparam HALF = 128 * _TECHMAP_BITS_CONNMAP_;
  wire _TECHMAP_FAIL_ = A_WIDTH != 256 || B_WIDTH != 7 || _TECHMAP_CONSTMSK_B_ % 8 != 7 ||
      _TECHMAP_CONSTVAL_B_ % 8 != 0 ||
      _TECHMAP_CONNMAP_A_[0 +: HALF] != _TECHMAP_CONNMAP_A_[HALF +: HALF];

  wire [15:0] power = 16'd1 << (4'd0 - B[6:3]);  // to the right by n is to the left by 16 - n
  wire [127:0] turned;
  genvar b, j;
  generate
    for (b = 0; b < 8; b = b + 1) begin : plane
      wire [15:0] lanes;
      wire [31:0] product = lanes * power;
      for (j = 0; j < 16; j = j + 1) begin : lane
        assign lanes[j] = A[8*j+b];
        assign turned[8*j+b] = product[j] | product[16+j];
      end
    end
  endgenerate
  // Nobody reads what is above the lower half.
  wire [255:0] all = {A[127:0] >> B, turned};
  assign Y = all[Y_WIDTH-1:0];
endmodule
