// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
// Registers of the selected SM that there are several times, per slot or sub-core: which there
// are, read value. Combinational.
// Contract: docs/control_port.md (R-CP-4, R-CP-6).
module qsm_smsel_regs
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic [19:2] addr_i,
  input  sm_figures_t sm_figures_i,  // of the selected SM
  input  smsel_figures_t [NumKernels-1:0] figures_i,
  output logic        known_o,  // there is such a register
  output logic [31:0] rdata_o
);
  always_comb begin
    known_o = 1'b0;
    rdata_o = '0;
    if (addr_i[19:7] == SmselBase[19:7] && 32'(addr_i[6:4]) < NumKernels) begin
      known_o = 1'b1;
      case (addr_i[3:2])
        SmselC[3:2]: rdata_o = 32'(sm_figures_i.snap_c[addr_i[4 +: idx_w(NumKernels)]]);
        SmselInsn[3:2]: rdata_o = 32'(sm_figures_i.snap_insn[addr_i[4 +: idx_w(NumKernels)]]);
        SmselQuota[3:2]: rdata_o = 32'(sm_figures_i.quota[addr_i[4 +: idx_w(NumKernels)]]);
        SmselTbs[3:2]: rdata_o = 32'(figures_i[addr_i[4 +: idx_w(NumKernels)]].tbs.resident) |
          (32'(figures_i[addr_i[4 +: idx_w(NumKernels)]].tbs.target) << 8);
        default: ;
      endcase
    end
    if (addr_i[19:5] == RegSmselIdle[19:5] && 32'(addr_i[4:2]) < NumKernels) begin
      known_o = 1'b1;
      rdata_o = 32'(sm_figures_i.snap_idle[addr_i[2 +: idx_w(NumKernels)]]);
    end
    if (addr_i[19:4] == RegSmselFront[19:4] && 32'(addr_i[3:2]) < NumSched) begin
      known_o = 1'b1;
      rdata_o = 32'(sm_figures_i.qaws_front[addr_i[2 +: idx_w(NumSched)]].budget) |
          (32'(sm_figures_i.qaws_front[addr_i[2 +: idx_w(NumSched)]].valid) << 8) |
          (32'(sm_figures_i.qaws_front[addr_i[2 +: idx_w(NumSched)]].ncs) << 16);
    end
  end
endmodule
