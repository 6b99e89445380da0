// SPDX-License-Identifier: Apache-2.0
// Register file of a sub-core: per lane 32 words for each warp, one write and two read ports, three
// with an FPU. Doc: docs/subcore.md (R-EX-1, R-WB-2, R-WB-4).
// Address in RR (cycle t), data in EX1 (t+1); what is not written since the warp's start reads 0,
// and so does x0, always. The scoreboard keeps a register from being read while it is written, so
// read-during-write needs no defined value (no_rw_check). Cost per lane: a copy in block RAM for
// each read port; the zero comes from the synchronous reset of the read port.
//
// Observed by the lockstep monitor: g_lane[l].mem_a (full state), index {warp, register}.
module qsm_regfile
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,     // of a warp
  input  logic [WarpW-1:0] start_warp_i,
  input  logic [WarpW-1:0] read_warp_i,
  input  logic [4:0]       rs1_i,
  input  logic [4:0]       rs2_i,
  input  logic [4:0]       rs3_i,
  output lanes_t           rs1_o,       // next cycle
  output lanes_t           rs2_o,
  output lanes_t           rs3_o,       // 0 without an FPU
  input  wb_t              write_i      // lanes of the mask, the data of others are 0; rd is not 0
);
  localparam int unsigned Depth = 32 << WarpW;

  logic       write_old;  // the register has values in the other lanes
  logic [2:0] written;
  qsm_written u_written (
    .clk_i, .rst_ni, .start_i, .start_warp_i,
    .write_i(write_i.valid), .write_warp_i(write_i.warp), .write_reg_i(write_i.rd),
    .write_old_o(write_old),
    .read_warp_i, .read_reg_i({rs3_i, rs2_i, rs1_i}), .read_o(written)
  );

  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    (* no_rw_check *) logic [31:0] mem_a[Depth];
    (* no_rw_check *) logic [31:0] mem_b[Depth];
    logic write;
    assign write = write_i.valid && (write_i.mask[l] || !write_old);

    always_ff @(posedge clk_i) begin
      if (write) mem_a[{write_i.warp, write_i.rd}] <= write_i.data[l];
      if (!written[0]) rs1_o[l] <= '0;
      else rs1_o[l] <= mem_a[{read_warp_i, rs1_i}];
    end

    always_ff @(posedge clk_i) begin
      if (write) mem_b[{write_i.warp, write_i.rd}] <= write_i.data[l];
      if (!written[1]) rs2_o[l] <= '0;
      else rs2_o[l] <= mem_b[{read_warp_i, rs2_i}];
    end

    if (Fpu != 0) begin : g_third
      (* no_rw_check *) logic [31:0] mem_c[Depth];
      always_ff @(posedge clk_i) begin
        if (write) mem_c[{write_i.warp, write_i.rd}] <= write_i.data[l];
        if (!written[2]) rs3_o[l] <= '0;
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
    assign unused = written[2];
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) !(write_i.valid && write_i.rd == '0));
  for (genvar l = 0; l < WarpSize; l++) begin : g_zero
    a_zero: assert property (@(posedge clk_i) disable iff (!rst_ni)
        write_i.valid && !write_i.mask[l] |-> write_i.data[l] == '0)
      else $error("R-WB-4: data outside the mask of a register write");
  end
`endif
endmodule
