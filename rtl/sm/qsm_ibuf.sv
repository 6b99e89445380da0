// SPDX-License-Identifier: Apache-2.0
// Instruction buffers of a sub-core: 4 words per warp, pushed by F2 (up to two words of one warp),
// popped by issue. Doc: docs/subcore.md.
// The place of a word is given by its address bits 3:2, so one position and one count are enough.
// Words lie in block RAM, which is read at the end of the issue, and their pcs in distributed RAM,
// two banks (address bit 2), as one warp pushes and one pops per cycle. What issue must know of
// every warp's head in every cycle (head_t) is a register per warp, and so is that of the word
// behind it, which is the head once the head has issued: the pick decides only who moves up. The
// word behind a new head is read in the cycle after the pop, or is taken as it is pushed. The
// scoreboard gets the registers that all these name (new_words_t). Until the end of the cycle after
// a pop nothing is written to the popped word's place, as fetch is two cycles away.
//
// Observed by the lockstep monitor: pos_q, count_q, packet_mem (pc of the head, full state).
module qsm_ibuf
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             fetch_i,       // of push_warp_i, with a push or not
  input  logic [1:0]                       push_i,        // by address bit 2
  input  logic [WarpW-1:0]                 push_warp_i,
  input  logic [31:2]                      push_pc_i,     // of the first word
  input  word_t [1:0]                      push_word_i,
  input  pre_t [1:0]                       push_pre_i,
  input  logic [WarpsPerSched-1:0]         flush_i,       // wins over push and pop (start, R-WS-9)
  output logic [WarpsPerSched-1:0]         room_o,        // at most 2 entries
  output logic [WarpsPerSched-1:0]         empty_o,
  output head_t [WarpsPerSched-1:0]        head_o,
  output new_words_t                       new_words_o,
  input  logic [WarpsPerSched-1:0]         pop_i,         // one-hot
  // The head of this warp, one-hot, popped or not, is read in the next cycle, where it is
  // popped_warp_i.
  input  logic [WarpsPerSched-1:0]         read_i,
  input  logic [WarpW-1:0]                 read_warp_i,   // the same, encoded
  input  logic [WarpW-1:0]                 popped_warp_i,
  output word_t                            popped_word_o,
  output logic [31:0]                      popped_pc_o
);
  localparam int unsigned CountW = $clog2(IbufDepth + 1);
  localparam int unsigned Rows = 2 << WarpW;  // {warp, address bit 3}

  logic [WarpsPerSched-1:0][CountW-1:0] count_q;
  logic [WarpsPerSched-1:0][1:0] pos_q;  // of the head

  logic [1:0] popped_pos_q;
  logic popped_q;  // the head that is read now was popped
  word_t [1:0] popped_words;
  pre_t [1:0] pres;
  pre_t pushed_pre, behind_pre;  // the first of the pushed words; the second behind the popped one
  logic [1:0] read_pos;
  always_comb begin
    read_pos = '0;
    for (int unsigned w = 0; w < WarpsPerSched; w++) if (read_i[w]) read_pos |= pos_q[w];
  end
  always_ff @(posedge clk_i) popped_pos_q <= read_pos;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) popped_q <= 1'b0;
    else popped_q <= pop_i != '0;
  end
  assign popped_word_o = popped_words[popped_pos_q[0]];
  assign behind_pre = pres[popped_pos_q[0]];
  assign pushed_pre = push_pre_i[push_pc_i[2]];

  function automatic head_t head_of(input pre_t pre);
    logic late;
    late = Fpu != 0 && pre.writes && pre.late_or_fence;
    return '{pre: pre, fence: pre.late_or_fence && !late,
        needs_entry: pre.mem || pre.div || pre.writes,
        writes_fixed: pre.writes && !(pre.mem || pre.div || late), writes_late: late};
  endfunction
  head_t [WarpsPerSched-1:0] heads_q;
  head_t pushed_head, second_head, behind_head;
  logic [WarpsPerSched-1:0] firsts, seconds;
  assign pushed_head = head_of(pushed_pre);
  assign second_head = empty_o[push_warp_i] ? head_of(push_pre_i[1]) : pushed_head;
  assign behind_head = head_of(behind_pre);
  assign new_words_o = '{first: firsts, second: seconds, two: empty_o[push_warp_i],
      warp: push_warp_i, head_rd: heads_q[push_warp_i].pre.rd,
      pushed: {push_pre_i[1].rd, push_pre_i[1].rs, pushed_pre.rd, pushed_pre.rs},
      behind: popped_q, behind_warp: popped_warp_i, behind_regs: {behind_pre.rd, behind_pre.rs},
      behind_head_rd: pres[!popped_pos_q[0]].rd};

  for (genvar b = 0; b < 2; b++) begin : g_bank
    (* ram_style = "block", no_rw_check *) word_t word_mem[Rows];
    pre_t pre_mem[Rows];
    always_ff @(posedge clk_i) begin
      if (push_i[b]) begin
        word_mem[{push_warp_i, push_pc_i[3]}] <= push_word_i[b];
        pre_mem[{push_warp_i, push_pc_i[3]}] <= push_pre_i[b];
      end
      popped_words[b] <= word_mem[{read_warp_i, read_pos[1]}];
    end
    // behind the popped word, or two behind it
    assign pres[b] = pre_mem[{popped_warp_i, popped_pos_q[1] ^ (b == 0 || popped_pos_q[0])}];
  end

  logic [31:4] packet_mem[Rows];
  always_ff @(posedge clk_i)
    if (push_i != '0) packet_mem[{push_warp_i, push_pc_i[3]}] <= push_pc_i[31:4];
  assign popped_pc_o = {packet_mem[{popped_warp_i, popped_pos_q[1]}], popped_pos_q, 2'b00};

  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_warp
    logic [1:0] push;
    // A pushed word becomes the head, the one behind it; or it is not pushed, which is known late,
    // and then there is none, of which anything may be kept.
    logic fetch, pop, first, second;
    logic fresh;               // the word behind the head is read now
    logic empty_q;             // a register, since what may issue begins with it
    logic [CountW-1:0] grown;
    head_t head_q, behind_q;
    assign push = (push_warp_i == WarpW'(w)) ? push_i : '0;
    assign fetch = fetch_i && push_warp_i == WarpW'(w);
    assign pop = pop_i[w];
    assign first = fetch && (empty_o[w] || (pop && count_q[w] == CountW'(1)));
    // with a pop it is read in the next cycle, whatever is kept here
    assign second = fetch && count_q[w] < CountW'(2);
    assign fresh = popped_q && popped_warp_i == WarpW'(w);
    assign grown = count_q[w] + CountW'(push[0]) + CountW'(push[1]);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        count_q[w] <= '0;
        empty_q <= 1'b1;
        pos_q[w] <= '0;
        head_q <= '0;
        behind_q <= '0;
      end else begin
        if (flush_i[w]) count_q[w] <= '0;
        else count_q[w] <= pop ? grown - CountW'(1) : grown;  // a pop is known late
        empty_q <= flush_i[w] || grown == (pop ? CountW'(1) : '0);
        if (first) pos_q[w] <= push_pc_i[3:2];
        else if (pop) pos_q[w] <= pos_q[w] + 2'd1;
        if (first || pop) head_q <= first ? pushed_head : fresh ? behind_head : behind_q;
        if (second || fresh) behind_q <= second ? second_head : behind_head;
      end
    end

    assign firsts[w] = first;
    assign seconds[w] = second;
    assign heads_q[w] = head_q;
    assign room_o[w] = count_q[w] <= CountW'(IbufDepth - 2);
    assign empty_o[w] = empty_q;
    assign head_o[w] = head_q;

`ifndef SYNTHESIS
    assert property (@(posedge clk_i) disable iff (!rst_ni) push == '0 || fetch);
    assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop && empty_o[w]));
    assert property (@(posedge clk_i) disable iff (!rst_ni) empty_q == (count_q[w] == '0));
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        push == '0 || push_pc_i[2] == !push[0]);
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(push != '0 && !flush_i[w] && 32'(count_q[w]) + $countones(push) > IbufDepth));
`endif
  end

`ifndef SYNTHESIS
  // For the lockstep monitor: the word in the cycle in which it is popped.
  word_t read_word;
  logic [31:0] read_pc;
  assign read_word = read_pos[0] ? g_bank[1].word_mem[{read_warp_i, read_pos[1]}]
                                 : g_bank[0].word_mem[{read_warp_i, read_pos[1]}];
  assign read_pc = {packet_mem[{read_warp_i, read_pos[1]}], read_pos, 2'b00};
  assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i == '0 || pop_i == read_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni) (read_i & (read_i - 1'b1)) == '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      read_i == '0 || read_i == WarpsPerSched'(1) << read_warp_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      pop_i == '0 || !push_i[read_pos[0]] ||
      {push_warp_i, push_pc_i[3]} != {read_warp_i, read_pos[1]})
    else $error("R-IS-3: a word is written while it is read");
`endif
endmodule
