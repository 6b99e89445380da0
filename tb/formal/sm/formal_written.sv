// SPDX-License-Identifier: Apache-2.0
// qsm_written: any register of any warp is written from the first write after its warp's start to
// the next start (R-WB-4), for the write port and for every read port.
module formal_written
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input logic             clk_i,
  input logic             start_i,
  input logic [WarpW-1:0] start_warp_i,
  input logic             write_i,
  input logic [WarpW-1:0] write_warp_i,
  input logic [4:0]       write_reg_i,
  input logic [WarpW-1:0] read_warp_i,
  input logic [2:0][4:0]  read_reg_i,
  input logic [WarpW-1:0] warp_i,  // any warp
  input logic [4:0]       reg_i    // any register
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic       write_old;
  logic [2:0] read;
  qsm_written u_dut (
    .clk_i, .rst_ni, .start_i, .start_warp_i, .write_i, .write_warp_i, .write_reg_i,
    .write_old_o(write_old),
    .read_warp_i, .read_reg_i, .read_o(read)
  );

  logic [WarpW-1:0] warp_q;
  logic [4:0]       reg_q;
  logic             written_q, again_q;  // again: it was written for an earlier warp
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {warp_q, reg_q} <= {warp_i, reg_i};
      {written_q, again_q} <= '0;
    end else begin
      if (write_i && write_warp_i == warp_q && write_reg_i == reg_q) written_q <= 1'b1;
      if (start_i && start_warp_i == warp_q) {written_q, again_q} <= {1'b0, again_q | written_q};
    end
  end

  logic [2:0] wrong;  // read ports
  always_comb begin
    for (int unsigned p = 0; p < 3; p++)
      wrong[p] = read_warp_i == warp_q && read_reg_i[p] == reg_q && read[p] != written_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (32'(start_warp_i) < WarpsPerSched && 32'(write_warp_i) < WarpsPerSched &&
          32'(read_warp_i) < WarpsPerSched);
      assume (!(write_i && write_reg_i == '0));
      assume (!(start_i && write_i && start_warp_i == write_warp_i));
      kept: assert ((!u_dut.fresh_q[warp_q][reg_q[4]] && u_dut.mem[{warp_q, reg_q[4]}][reg_q[3:0]])
          == written_q);
      if (write_warp_i == warp_q && write_reg_i == reg_q) of_write: assert (write_old == written_q);
      of_reads: assert (wrong == '0);
      if (reg_q == '0) zero: assert (!written_q);
      hidden: cover (again_q && !written_q && !u_dut.fresh_q[warp_q][reg_q[4]] &&
          read_warp_i == warp_q && read_reg_i[0] == reg_q);
    end else begin
      assume (32'(warp_i) < WarpsPerSched);
    end
  end
endmodule
