// SPDX-License-Identifier: Apache-2.0
// Valid bits of registers: which registers have been written since the start of their warp.
// docs/subcore.md (R-WB-4). Bits of x0 are never set.
// Latency: answers are combinational, of the start of the cycle; starts and writes count at its
// end.
// Cost: two copies of a word per warp slot in distributed RAM, for a write and the reads; a
// flip-flop per slot, which stands for a word of
//   zeros, so that a start needs no write port; three multiplexers of 32 bits, four with an FPU.
// Observed by the lockstep monitor: fresh_q, mem (REG of the full state).
module qsm_written
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,       // R-WS-1
  input  logic [WarpW-1:0] start_warp_i,
  input  logic             write_i,
  input  logic [WarpW-1:0] write_warp_i,
  input  logic [4:0]       write_reg_i,   // not 0
  output logic             write_old_o,   // it is written already
  input  logic [WarpW-1:0] read_warp_i,
  input  logic [2:0][4:0]  read_reg_i,
  output logic [2:0]       read_o         // it is written
);
  logic [31:0] mem [WarpsPerSched];
  logic [WarpsPerSched-1:0] fresh_q;  // no register is written; the word in mem is invalid
  logic [31:0] write_word, read_word;
  logic        write_fresh, read_fresh;

  assign write_word = mem[write_warp_i];
  assign read_word = mem[read_warp_i];
  assign write_fresh = fresh_q[write_warp_i];
  assign read_fresh = fresh_q[read_warp_i];
  assign write_old_o = !write_fresh && write_word[write_reg_i];
  always_comb for (int unsigned i = 0; i < 3; i++) read_o[i] = !read_fresh &&
      read_word[read_reg_i[i]];

  always_ff @(posedge clk_i)
    if (write_i) mem[write_warp_i] <= (write_fresh ? '0 : write_word) | (32'd1 << write_reg_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fresh_q <= '1;
    end else begin
      if (write_i) fresh_q[write_warp_i] <= 1'b0;
      if (start_i) fresh_q[start_warp_i] <= 1'b1;
    end
  end

`ifndef SYNTHESIS
  a_start_alone: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(start_i && write_i && start_warp_i == write_warp_i))
    else $error("R-WB-4: a register of a warp is written in the cycle of the warp's start");
`endif
endmodule
