// SPDX-License-Identifier: Apache-2.0
// Valid bits of registers: which registers have been written since the start of their warp.
// docs/subcore.md (R-WB-4). Bits of x0 are never set.
// Latency: answers are combinational, of the start of the cycle; starts and writes count at its
// end.
// Cost: a word has a bit for each of 16 registers; a copy of the words in distributed RAM and a
// multiplexer of 16 bits for the write and for each read; a flip-flop per word, which stands for
// zeros, so that a start needs no write port.
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
  typedef struct packed {
    logic [WarpW-1:0] warp;
    logic             half;   // registers 16 to 31
  } word_at_t;
  logic [15:0] mem [2 << WarpW];
  logic [WarpsPerSched-1:0][1:0] fresh_q;  // no register of the half is written; mem is invalid

  word_at_t write_at;
  logic [15:0] write_word;
  logic [1:0] read_fresh;
  assign write_at = '{warp: write_warp_i, half: write_reg_i[4]};
  assign write_word = fresh_q[write_warp_i][write_reg_i[4]] ? '0 : mem[write_at];
  assign write_old_o = write_word[write_reg_i[3:0]];

  assign read_fresh = fresh_q[read_warp_i];
  for (genvar i = 0; i < 3; i++) begin : g_read
    word_at_t at;
    logic [15:0] word;
    assign at = '{warp: read_warp_i, half: read_reg_i[i][4]};
    assign word = mem[at];
    assign read_o[i] = !read_fresh[at.half] && word[read_reg_i[i][3:0]];
  end

  always_ff @(posedge clk_i) if (write_i) mem[write_at] <= write_word | (16'd1 << write_reg_i[3:0]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fresh_q <= '1;
    end else begin
      if (write_i) fresh_q[write_warp_i][write_reg_i[4]] <= 1'b0;
      if (start_i) fresh_q[start_warp_i] <= 2'b11;
    end
  end

`ifndef SYNTHESIS
  a_start_alone: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(start_i && write_i && start_warp_i == write_warp_i))
    else $error("R-WB-4: a register of a warp is written in the cycle of the warp's start");
`endif
endmodule
