// SPDX-License-Identifier: Apache-2.0
// Instruction buffers of a sub-core: 4 words per warp, pushed by F2 (up to two words of one warp), popped by issue. Doc: docs/subcore.md.
// A word's place is its address bits 3:2, so the path's pc points at the head and no pointers are kept, only a count.
// Words lie in two banks (address bit 2) of distributed RAM, as one warp pushes and one pops per cycle; what issue must know of every head
// in every cycle (pre_t) lies in flip-flops.
module qsm_ibuf
  import qsm_pkg::*;
(
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic [1:0]                       push_i,
  input  logic [WarpW-1:0]                 push_warp_i,
  input  logic                             push_row_i,
  input  word_t [1:0]                      push_word_i,
  input  pre_t [1:0]                       push_pre_i,
  input  logic [WarpsPerSched-1:0]         flush_i,       // wins over push and pop (start, R-WS-9)
  output logic [WarpsPerSched-1:0]         room_o,        // at most 2 entries
  output logic [WarpsPerSched-1:0]         empty_o,
  input  logic [WarpsPerSched-1:0][1:0]    head_pos_i,    // path.pc[3:2]
  output pre_t [WarpsPerSched-1:0]         head_o,
  input  logic                             pop_i,
  input  logic [WarpW-1:0]                 pop_warp_i,
  output word_t                            pop_word_o     // same cycle
);
  localparam int unsigned CountW = $clog2(IbufDepth + 1);

  pre_t [WarpsPerSched-1:0][IbufDepth-1:0] pre_q;
  logic [WarpsPerSched-1:0][CountW-1:0] count_q;

  logic [1:0] pop_pos;
  word_t [1:0] pop_words;
  word_t popped;
  assign pop_pos = head_pos_i[pop_warp_i];
  assign popped = pop_words[pop_pos[0]];
  assign pop_word_o = '{ifault: popped.ifault, instr: popped.ifault ? '0 : popped.instr};  // R-FE-3 b: a fault has no word

  for (genvar b = 0; b < 2; b++) begin : g_bank
    word_t word_mem[2 << WarpW];
    always_ff @(posedge clk_i) if (push_i[b]) word_mem[{push_warp_i, push_row_i}] <= push_word_i[b];
    assign pop_words[b] = word_mem[{pop_warp_i, pop_pos[1]}];
  end

  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_warp
    logic [1:0] push;
    logic pop;
    assign push = (push_warp_i == WarpW'(w)) ? push_i : '0;
    assign pop = pop_i && pop_warp_i == WarpW'(w);

    always_ff @(posedge clk_i) begin
      for (int unsigned b = 0; b < 2; b++) if (push[b]) pre_q[w][{push_row_i, 1'(b)}] <= push_pre_i[b];
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_q[w] <= '0;
      else if (flush_i[w]) count_q[w] <= '0;
      else count_q[w] <= count_q[w] + CountW'(push[0]) + CountW'(push[1]) - CountW'(pop);
    end

    assign room_o[w] = count_q[w] <= CountW'(IbufDepth - 2);
    assign empty_o[w] = count_q[w] == '0;
    assign head_o[w] = pre_q[w][head_pos_i[w]];

`ifndef SYNTHESIS
    assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop && empty_o[w]));
    assert property (@(posedge clk_i) disable iff (!rst_ni) !(push != '0 && !flush_i[w] && 32'(count_q[w]) + $countones(push) > IbufDepth));
`endif
  end
endmodule
