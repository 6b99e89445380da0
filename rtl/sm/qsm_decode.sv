// SPDX-License-Identifier: Apache-2.0
// Decoder of one instruction word: RV32IM, AMOs, Zicsr (reads), Zfinx where Fpu = 1, qsm.bar,
// qsm.exit. Combinational. Doc: docs/isa.md (I-ISA-1 to -3), docs/subcore.md (Classes), docs/fpu.md
// (I-FP-1, -2). An unknown instruction is decoded as class CTL with CtlFault, cause 2. Used twice:
// at the buffer's input (class and registers, for issue) and in RR (everything).
module qsm_decode
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Fpu = qsm_cfg_pkg::Fpu
) (
  input  logic [31:0] instr_i,
  output dec_t        dec_o
);

  // Opcodes, bits 6:2; bits 1:0 must be 3.
  localparam logic [4:0] Load = 5'h00, Custom0 = 5'h02, MiscMem = 5'h03, OpImm = 5'h04,
      Auipc = 5'h05, Store = 5'h08, Amo = 5'h0B,
                         Op = 5'h0C, Lui = 5'h0D, Fmadd = 5'h10, Fmsub = 5'h11, Fnmsub = 5'h12,
                             Fnmadd = 5'h13, OpFp = 5'h14,
                         Branch = 5'h18, Jalr = 5'h19, Jal = 5'h1B, System = 5'h1C;

  logic [2:0] funct3;
  logic [6:0] funct7;
  logic [4:0] rs1, rs2, rs3, rd;
  logic [31:0] imm_i, imm_s, imm_b, imm_u, imm_j;

  assign funct3 = instr_i[14:12];
  assign funct7 = instr_i[31:25];
  assign rs1 = instr_i[19:15];
  assign rs2 = instr_i[24:20];
  assign rs3 = instr_i[31:27];
  assign rd = instr_i[11:7];
  assign imm_i = {{20{instr_i[31]}}, instr_i[31:20]};
  assign imm_s = {{20{instr_i[31]}}, instr_i[31:25], instr_i[11:7]};
  assign imm_b = {{20{instr_i[31]}}, instr_i[7], instr_i[30:25], instr_i[11:8], 1'b0};
  assign imm_u = {instr_i[31:12], 12'b0};
  assign imm_j = {{12{instr_i[31]}}, instr_i[19:12], instr_i[20], instr_i[30:21], 1'b0};

  // A CSR read: known number and nothing written (csrrs, csrrc and their immediate forms with a
  // zero field).
  logic csr_ok, amo_ok;
  assign csr_ok = instr_i[31:20] inside {12'hC00, 12'hC80, 12'hCC?, 12'hCD0, 12'hCD1} &&
      funct3[1] && rs1 == 5'd0;
  assign amo_ok = instr_i[31:27] inside {5'h01, 5'h00, 5'h04, 5'h0C, 5'h08, 5'h10, 5'h14, 5'h18,
      5'h1C};

  function automatic alu_e alu_of(input logic alt, input logic [2:0] f3);
    return alu_e'({alt, f3});
  endfunction

  // Floating point. The immediate is the multiplier operand that does not come from a register: 1.0
  // for a sum, 0 for a conversion.
  localparam logic [31:0] FpOne = 32'h3F80_0000;
  fp_t fp;
  always_comb begin
    fp = '{op: FpNone, rm: (funct3 == 3'd7) ? RmNearEven : rm_e'(funct3), negate_p: instr_i[3],
        negate_c: instr_i[2], is_unsigned: rs2[0]};
    if (instr_i[6:2] == OpFp) begin
      fp.negate_p = 1'b0;
      fp.negate_c = funct7[2];  // fsub
      case (funct7)
        7'h00, 7'h04: fp.op = FpAdd;
        7'h08: fp.op = FpMul;
        7'h0C: fp.op = FpDiv;
        7'h2C: if (rs2 == 5'd0) fp.op = FpSqrt;
        7'h10: if (funct3 < 3'd3) fp.op = FpSgnj;
        7'h14: if (funct3 < 3'd2) fp.op = FpMinMax;
        7'h50: if (funct3 < 3'd3) fp.op = FpCompare;
        7'h60: if (rs2 < 5'd2) fp.op = FpToInt;
        7'h68: if (rs2 < 5'd2) fp.op = FpFromInt;
        7'h70: if (rs2 == 5'd0 && funct3 == 3'd1) fp.op = FpClass;
        default: ;
      endcase
    end else if (funct7[1:0] == 2'd0) begin
      fp.op = FpFused;
    end
    if (fp.op inside {FpAdd, FpMul, FpFused, FpToInt, FpFromInt, FpDiv, FpSqrt} && funct3
        inside {3'd5, 3'd6}) fp.op = FpNone;
    if (Fpu == 0) fp = '0;
  end

  always_comb begin
    dec_o = '{cls: ClsCtl, ctl: CtlFault, cause: CauseIllegal, fence: 1'b0, alu: AluAdd,
        common: CommonNone,
              opb_imm: 1'b1, imm: imm_i, fp: '0, reads: '0, rs1: '0, rs2: '0, rs3: '0, rd: '0};
    if (instr_i[1:0] == 2'b11) begin
      case (instr_i[6:2])
        Lui: begin
          dec_o.cls = ClsAlu;
          dec_o.ctl = CtlNext;
          dec_o.alu = AluNone;
          dec_o.common = CommonImm;
          dec_o.imm = imm_u;
          dec_o.rd = rd;
        end
        Auipc: begin
          dec_o.cls = ClsAlu;
          dec_o.ctl = CtlNext;
          dec_o.alu = AluNone;
          dec_o.common = CommonTarget;
          dec_o.imm = imm_u;
          dec_o.rd = rd;
        end
        OpImm: if (!(funct3 inside {3'd1, 3'd5}) || funct7 == 7'h00 ||
            (funct7 == 7'h20 && funct3 == 3'd5)) begin
          dec_o.cls = ClsAlu;
          dec_o.ctl = CtlNext;
          dec_o.alu = alu_of(funct3 == 3'd5 && funct7[5], funct3);
          dec_o.reads[0] = 1'b1;
          dec_o.rd = rd;
        end
        Op: if (funct7 == 7'h00 || funct7 == 7'h01 ||
            (funct7 == 7'h20 && funct3 inside {3'd0, 3'd5})) begin
          dec_o.cls = !funct7[0] ? ClsAlu : funct3[2] ? ClsDiv : ClsMul;
          dec_o.ctl = CtlNext;
          // AluSll: the multiplier's, as far as the ALU goes
          dec_o.alu = funct7[0] ? AluSll : alu_of(funct7[5], funct3);
          dec_o.opb_imm = 1'b0;
          dec_o.reads[1:0] = 2'b11;
          dec_o.rd = rd;
        end
        OpFp, Fmadd, Fmsub, Fnmsub, Fnmadd: if (fp.op != FpNone) begin
          dec_o.cls = (fp.op inside {FpSgnj, FpMinMax, FpCompare, FpClass}) ? ClsAlu :
            (fp.op inside {FpDiv, FpSqrt}) ? ClsDiv : ClsFma;
          dec_o.ctl = CtlNext;
          dec_o.alu = (dec_o.cls == ClsAlu) ? AluNone : AluSll;
          dec_o.fp = fp;
          dec_o.opb_imm = fp.op inside {FpAdd, FpToInt, FpFromInt};
          dec_o.imm = (fp.op == FpAdd) ? FpOne : '0;
          dec_o.reads = {fp.op == FpFused, !(fp.op inside {FpToInt, FpFromInt, FpSqrt, FpClass}),
              1'b1};
          dec_o.rd = rd;
        end
        Load: if (funct3 inside {3'd0, 3'd1, 3'd2, 3'd4, 3'd5}) begin
          dec_o.cls = ClsMem;
          dec_o.ctl = CtlNext;
          dec_o.reads[0] = 1'b1;
          dec_o.rd = rd;
        end
        Store: if (funct3 inside {3'd0, 3'd1, 3'd2}) begin
          dec_o.cls = ClsMem;
          dec_o.ctl = CtlNext;
          dec_o.imm = imm_s;
          dec_o.reads[1:0] = 2'b11;
        end
        Amo: if (funct3 == 3'd2 && amo_ok) begin
          dec_o.cls = ClsMem;
          dec_o.ctl = CtlNext;
          dec_o.imm = '0;
          dec_o.reads[1:0] = 2'b11;
          dec_o.rd = rd;
        end
        MiscMem: if (funct3 == 3'd0) begin
          dec_o.cls = ClsAlu;
          dec_o.ctl = CtlNext;
          dec_o.fence = 1'b1;
        end
        Branch: if (!(funct3 inside {3'd2, 3'd3})) begin
          dec_o.ctl = CtlBranch;
          dec_o.alu = funct3[1] ? AluSltu : AluSlt;
          dec_o.opb_imm = 1'b0;
          dec_o.imm = imm_b;
          dec_o.reads[1:0] = 2'b11;
        end
        Jal: begin
          dec_o.ctl = CtlJal;
          dec_o.alu = AluNone;
          dec_o.common = CommonLink;
          dec_o.imm = imm_j;
          dec_o.rd = rd;
        end
        Jalr: if (funct3 == 3'd0) begin
          dec_o.ctl = CtlJalr;
          dec_o.alu = AluTarget;
          dec_o.common = CommonLink;
          dec_o.reads[0] = 1'b1;
          dec_o.rd = rd;
        end
        System: begin
          if (csr_ok) begin
            dec_o.cls = ClsAlu;
            dec_o.ctl = CtlNext;
            dec_o.alu = AluNone;
            dec_o.common = CommonCsr;
            dec_o.rd = rd;
          end
          if (instr_i[31:7] == 25'h0000000) dec_o.cause = CauseEcall;
          if (instr_i[31:7] == 25'h0002000) dec_o.cause = CauseBreakpoint;
        end
        Custom0: begin
          if (instr_i[31:7] == 25'd0) dec_o.ctl = CtlBar;
          if (instr_i[31:7] == {17'd0, 3'd1, 5'd0}) dec_o.ctl = CtlExit;
        end
        default: ;
      endcase
    end
    if (dec_o.reads[0]) dec_o.rs1 = rs1;
    if (dec_o.reads[1]) dec_o.rs2 = rs2;
    if (dec_o.reads[2]) dec_o.rs3 = rs3;
  end
endmodule
