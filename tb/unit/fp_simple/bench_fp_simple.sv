// SPDX-License-Identifier: Apache-2.0
// Bench top: qsm_fp_simple with the decoder before it and the ALU beside it, as in qsm_exec.
module bench_fp_simple
  import qsm_pkg::*;
(
  input  logic [31:0] instr_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o
);
  dec_t dec;
  logic equal, less;
  logic [31:0] none, result;
  qsm_decode #(.Fpu(1)) u_decode (.instr_i, .dec_o(dec));
  qsm_alu u_alu (.op_i(dec.alu), .a_i, .b_i(b_i ^ {32{dec.alu != AluAdd}}), .or_i('0),
      .sum_o(), .result_o(none), .eq_o(equal), .lt_o(less));
  qsm_fp_simple dut (.op_i(dec.fp.op), .funct_i(instr_i[13:12]), .a_i, .b_i, .equal_i(equal),
      .less_i(less), .result_o(result));
  assign result_o = none | result;
endmodule
