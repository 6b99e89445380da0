// SPDX-License-Identifier: Apache-2.0
// Next block of a grid walk: x fastest, then y, then z; behind the last one comes the first.
// Contract: docs/tb_sched.md R-TB-2. Combinational: one for all kernels, as one block is dispatched
// per cycle.
module qsm_tb_walk (
  input  logic [2:0][15:0] grid_i,  // [0] = x; 1..65535 each
  input  logic [2:0][15:0] block_i,
  input  logic [31:0]      linear_i,
  output logic [2:0][15:0] block_o,
  output logic [31:0]      linear_o,
  output logic             last_o   // block_i is the last of the grid
);
  logic [2:0][15:0] after;  // next index of this dimension
  logic [2:0] last_in;      // there is none
  always_comb begin
    for (int unsigned d = 0; d < 3; d++) begin
      after[d] = block_i[d] + 16'd1;
      last_in[d] = after[d] == grid_i[d];
    end
    block_o[0] = last_in[0] ? '0 : after[0];
    block_o[1] = !last_in[0] ? block_i[1] : last_in[1] ? '0 : after[1];
    block_o[2] = !(&last_in[1:0]) ? block_i[2] : last_in[2] ? '0 : after[2];
  end
  assign linear_o = linear_i + 32'd1;
  assign last_o = &last_in;
endmodule
