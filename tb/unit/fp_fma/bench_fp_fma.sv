// SPDX-License-Identifier: Apache-2.0
// Bench top: a lane of the FMA unit, its multiplier and the decoder, as in qsm_exec and qsm_fpu.
// What the register file's third port reads is the third operand of the instruction (R-FP-1).
module bench_fp_fma
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  input  logic [31:0] instr_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [31:0] c_i,
  output logic        valid_o,
  output logic [31:0] result_o
);
  dec_t dec;
  qsm_decode #(.Fpu(1)) u_decode (.instr_i, .dec_o(dec));

  op_t op;
  lanes_t a, b, c;
  logic [WarpSize-1:0][47:0] products;
  sb_done_t done;
  wb_t result;
  always_comb begin
    op = '0;
    op.split.mask = '1;
    a = '0;
    b = '0;
    c = '0;
    a[0] = a_i;
    b[0] = dec.opb_imm ? dec.imm : b_i;
    case (dec.fp.op)
      FpFused: c[0] = c_i;
      FpAdd:   c[0] = b_i;
      FpMul:   c[0] = '0;
      default: c[0] = a_i;
    endcase
  end

  qsm_mul u_mul (
    .clk_i, .valid_i, .shift_i(1'b0), .funct_i(instr_i[13:12]),
    .a_i({8'd0, fp_significand(a[0][30:0])}),
    .b_i({8'd0, fp_significand(b[0][30:0])}), .places_i('0), .result_o(), .product_o(products[0])
  );
  assign products[WarpSize-1:1] = '0;
  qsm_fpu dut (.clk_i, .rst_ni, .valid_i, .op_i(op), .dec_i(dec), .a_i(a), .b_i(b), .c_i(c),
      .product_i(products), .done_o(done), .result_o(result));
  assign valid_o = result.valid;
  assign result_o = result.data[0];
endmodule
