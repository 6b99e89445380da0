// SPDX-License-Identifier: Apache-2.0
// Register file of a sub-core: per lane 32 words for each warp, one write and two read ports, three with an FPU. Doc: docs/subcore.md (R-EX-1, R-WB-2).
// Address in RR (cycle t), data in EX1 (t+1); x0 reads 0. The scoreboard keeps a register from being read while it is written, so
// read-during-write needs no defined value (no_rw_check). Cost per lane: a copy in block RAM for each read port; the zero of x0 is the read port's reset.
//
// Observed by the lockstep monitor: g_lane[l].mem_a (full state), index {warp, register}.
module qsm_regfile
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic             clk_i,
  input  logic [WarpW-1:0] read_warp_i,
  input  logic [4:0]       rs1_i,
  input  logic [4:0]       rs2_i,
  input  logic [4:0]       rs3_i,
  output lanes_t           rs1_o,       // next cycle
  output lanes_t           rs2_o,
  output lanes_t           rs3_o,       // 0 without an FPU
  input  wb_t              write_i      // lanes of the mask; rd is not 0
);
  localparam int unsigned Depth = 32 << WarpW;

  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    (* no_rw_check *) logic [31:0] mem_a[Depth];
    (* no_rw_check *) logic [31:0] mem_b[Depth];
    logic write;
    assign write = write_i.valid && write_i.mask[l];

    always_ff @(posedge clk_i) begin
      if (write) mem_a[{write_i.warp, write_i.rd}] <= write_i.data[l];
      if (rs1_i == '0) rs1_o[l] <= '0;
      else rs1_o[l] <= mem_a[{read_warp_i, rs1_i}];
    end

    always_ff @(posedge clk_i) begin
      if (write) mem_b[{write_i.warp, write_i.rd}] <= write_i.data[l];
      if (rs2_i == '0) rs2_o[l] <= '0;
      else rs2_o[l] <= mem_b[{read_warp_i, rs2_i}];
    end

    if (Fpu != 0) begin : g_third
      (* no_rw_check *) logic [31:0] mem_c[Depth];
      always_ff @(posedge clk_i) begin
        if (write) mem_c[{write_i.warp, write_i.rd}] <= write_i.data[l];
        if (rs3_i == '0) rs3_o[l] <= '0;
        else rs3_o[l] <= mem_c[{read_warp_i, rs3_i}];
      end
`ifndef SYNTHESIS
      initial for (int unsigned i = 0; i < Depth; i++) mem_c[i] = '0;  // R-GEN-4, as below
`endif
    end else begin : g_no_third
      assign rs3_o[l] = '0;
    end

`ifndef SYNTHESIS
    // R-GEN-4: simulations start from zeroed memories.
    initial begin
      for (int unsigned i = 0; i < Depth; i++) begin
        mem_a[i] = '0;
        mem_b[i] = '0;
      end
    end
`endif
  end

  if (Fpu == 0) begin : g_unused
    logic unused;
    assign unused = ^rs3_i;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) !(write_i.valid && write_i.rd == '0));
`endif
endmodule
