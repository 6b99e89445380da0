// SPDX-License-Identifier: Apache-2.0
// Bench top: qsm_decode with its struct taken apart.
module bench_decode
  import qsm_pkg::*;
#(
  parameter int unsigned Fpu = 0
) (
  input  logic [31:0] instr_i,
  output logic [2:0]  cls_o,
  output logic [2:0]  ctl_o,
  output logic [4:0]  cause_o,
  output logic        fence_o,
  output logic [3:0]  alu_o,
  output logic [2:0]  common_o,
  output logic        opb_imm_o,
  output logic [31:0] imm_o,
  output logic [2:0]  reads_o,
  output logic [4:0]  rs1_o,
  output logic [4:0]  rs2_o,
  output logic [4:0]  rs3_o,
  output logic [4:0]  rd_o,
  output logic [3:0]  fp_op_o,
  output logic [2:0]  fp_rm_o,
  output logic        negate_p_o,
  output logic        negate_c_o,
  output logic        is_unsigned_o
);
  dec_t dec;
  qsm_decode #(.Fpu(Fpu)) dut (.instr_i, .dec_o(dec));
  assign {cls_o, ctl_o, cause_o, fence_o, alu_o, common_o, opb_imm_o, imm_o, fp_op_o, fp_rm_o,
      negate_p_o, negate_c_o, is_unsigned_o, reads_o, rs1_o, rs2_o, rs3_o, rd_o} = dec;
endmodule
