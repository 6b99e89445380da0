// SPDX-License-Identifier: Apache-2.0
// Lines of an L2 slice and its atomic unit (docs/l2.md, the picture; R-L2-5). One port: in a cycle
// a line is read, or bytes of one are written.
// Contract: in act a line is read, or bytes are written; out_write_i, for the op that was in act
// before, only where no op is in act.
// Latency: data_o is what was read in the previous cycle. Cost: Lines x BytesPerLine of block RAM,
// one qsm_amo_alu, a word's multiplexers.
module qsm_l2_data
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Lines = 256,
  parameter int unsigned BytesPerLine = 16,
  localparam int unsigned AddrW = (Lines > 1) ? $clog2(Lines) : 1
) (
  input  logic clk_i,

  input  logic                   write_i,  // in act: else the line is read
  input  logic [AddrW-1:0]       addr_i,
  input  logic [BytesPerLine-1:0]   bytes_i,
  input  logic [8*BytesPerLine-1:0] data_i,

  // the whole line; with out_amo_i the word of out_bytes_i, operated on
  input  logic                   out_write_i,
  input  logic                   out_amo_i,
  input  amo_e                   amo_i,
  input  logic [AddrW-1:0]       out_addr_i,
  input  logic [BytesPerLine-1:0]   out_bytes_i,
  input  logic [8*BytesPerLine-1:0] out_data_i,   // line, or the operand at the word's place
  output logic [8*BytesPerLine-1:0] data_o
);
  localparam int unsigned Words = BytesPerLine / 4;

  // ---- atomic operation in out ----
  logic [Words-1:0][31:0] words, operands;  // words: what was read
  logic [31:0] old_word, operand, result;
  logic keeps;
  assign operands = out_data_i;
  always_comb begin
    old_word = '0;
    operand = '0;
    for (int unsigned w = 0; w < Words; w++) begin
      if (out_bytes_i[4*w]) begin
        old_word |= words[w];
        operand |= operands[w];
      end
    end
  end
  qsm_amo_alu u_amo (.control_i(amo_control(amo_i)), .old_i(old_word), .operand_i(operand),
      .keep_o(keeps), .result_o(result));

  // ---- the port ----
  logic [AddrW-1:0] addr;
  logic [BytesPerLine-1:0] we;
  logic [BytesPerLine-1:0][7:0] wdata;
  always_comb begin
    addr = out_write_i ? out_addr_i : addr_i;
    if (out_write_i) we = !out_amo_i ? '1 : keeps ? '0 : out_bytes_i;
    else we = write_i ? bytes_i : '0;
    if (out_write_i) wdata = out_amo_i ? {Words{result}} : out_data_i;
    else wdata = data_i;
  end
  for (genvar w = 0; w < Words; w++) begin : g_word
    logic [3:0][7:0] word_mem[Lines];
    always_ff @(posedge clk_i) begin
      if (we == '0) begin
        words[w] <= word_mem[addr];
      end else begin
        for (int unsigned b = 0; b < 4; b++) if (we[4*w+b]) word_mem[addr][b] <= wdata[4*w+b];
      end
    end
  end
  assign data_o = words;
endmodule
