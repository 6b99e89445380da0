// SPDX-License-Identifier: Apache-2.0
// One value per TB slot for one reader: written when the block arrives (docs/sm.md, R-SM-1), read
// by its warps.
// Latency: data_o in the cycle after read_i; it stays until the next read.
// Cost: one block RAM, mostly empty; with flip-flops the read multiplexer would cost more.
module qsm_tb_ram
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             write_i,
  input  logic [TbW-1:0]   write_tb_i,
  input  logic [Width-1:0] data_i,
  input  logic             read_i,
  input  logic [TbW-1:0]   read_tb_i,
  output logic [Width-1:0] data_o
);
  // A slot is written while it is free, so none of its warps reads it then.
  (* ram_style = "block", no_rw_check *) logic [Width-1:0] mem[MaxTbs];
  always_ff @(posedge clk_i) begin
    if (write_i) mem[write_tb_i] <= data_i;
    if (read_i) data_o <= mem[read_tb_i];
  end
endmodule
