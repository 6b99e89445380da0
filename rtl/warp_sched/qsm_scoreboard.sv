// SPDX-License-Identifier: Apache-2.0
// Scoreboard: a few entries per warp {valid, rd, mem, all_sent, parts} instead of a bit per register. Doc: docs/subcore.md (R-SB-1 to -3).
// Answers for every warp's head in the same cycle whether it must wait and for what; updates act at the end of the cycle. An instruction of
// fixed latency or a division releases its entry by done_*; a memory instruction's entry is released when all its parts were sent and came back.
// Cost: NumWarps * Entries * (8 + PartsW) flip-flops and three 5-bit compares per entry.
//
// Observed by the lockstep monitor: entry_o (ISSUE), g_warp[w].{valid_q, rd_q, mem_q, sent_q, parts_q} (full state).
module qsm_scoreboard #(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned Entries = 4,  // per warp, 2..
  parameter int unsigned PartsW = 3,   // counts up to the parts of one instruction
  localparam int unsigned WarpW = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned EntryW = $clog2(Entries)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // Heads, all warps.
  input  logic [NumWarps-1:0][4:0] rs1_i,          // 0: no register
  input  logic [NumWarps-1:0][4:0] rs2_i,
  input  logic [NumWarps-1:0][4:0] rd_i,
  output logic [NumWarps-1:0]      hazard_o,       // R-SB-2
  output logic [NumWarps-1:0]      hazard_mem_o,   // a hazard with an entry of a memory instruction
  output logic [NumWarps-1:0]      full_o,         // no free entry
  output logic [NumWarps-1:0]      empty_o,        // no valid entry
  output logic [NumWarps-1:0]      mem_o,          // a memory instruction is not complete
  // Issue takes the lowest free entry of the warp.
  input  logic                     alloc_i,
  input  logic [WarpW-1:0]         alloc_warp_i,
  input  logic [4:0]               alloc_rd_i,
  input  logic                     alloc_mem_i,
  output logic [EntryW-1:0]        entry_o,        // for alloc_warp_i, same cycle
  // Release of a fixed instruction and of a division.
  input  logic [1:0]               done_i,
  input  logic [1:0][WarpW-1:0]    done_warp_i,
  input  logic [1:0][EntryW-1:0]   done_entry_i,
  // Memory instruction: a part opens and/or the last part is sent; parts come back (results, store acknowledgements).
  input  logic                     part_i,
  input  logic                     last_i,
  input  logic [WarpW-1:0]         pass_warp_i,
  input  logic [EntryW-1:0]        pass_entry_i,
  input  logic [1:0]               back_i,
  input  logic [1:0][WarpW-1:0]    back_warp_i,
  input  logic [1:0][EntryW-1:0]   back_entry_i
);
  logic [NumWarps-1:0][EntryW-1:0] free_entry;
  assign entry_o = free_entry[alloc_warp_i];

  for (genvar w = 0; w < NumWarps; w++) begin : g_warp
    logic [Entries-1:0] valid_q, mem_q, sent_q, clash;
    logic [Entries-1:0][4:0] rd_q;
    logic [Entries-1:0][PartsW-1:0] parts_q;

    for (genvar e = 0; e < Entries; e++) begin : g_entry
      logic alloc, done, pass, sent_d;
      logic [1:0] back;
      logic [PartsW-1:0] parts_d;

      assign alloc = alloc_i && alloc_warp_i == WarpW'(w) && free_entry[w] == EntryW'(e);
      assign pass = pass_warp_i == WarpW'(w) && pass_entry_i == EntryW'(e);
      for (genvar i = 0; i < 2; i++) begin : g_back
        assign back[i] = back_i[i] && back_warp_i[i] == WarpW'(w) && back_entry_i[i] == EntryW'(e);
      end
      assign done = (done_i[0] && done_warp_i[0] == WarpW'(w) && done_entry_i[0] == EntryW'(e)) ||
                    (done_i[1] && done_warp_i[1] == WarpW'(w) && done_entry_i[1] == EntryW'(e));

      assign parts_d = parts_q[e] + PartsW'(part_i && pass) - PartsW'(back[0]) - PartsW'(back[1]);
      assign sent_d = sent_q[e] || (last_i && pass);

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          valid_q[e] <= 1'b0;
          mem_q[e] <= 1'b0;
          sent_q[e] <= 1'b0;
          rd_q[e] <= '0;
          parts_q[e] <= '0;
        end else if (alloc) begin
          valid_q[e] <= 1'b1;
          mem_q[e] <= alloc_mem_i;
          sent_q[e] <= 1'b0;
          rd_q[e] <= alloc_rd_i;
          parts_q[e] <= '0;
        end else if (valid_q[e]) begin
          sent_q[e] <= sent_d;
          parts_q[e] <= parts_d;
          valid_q[e] <= mem_q[e] ? !(sent_d && parts_d == '0) : !done;  // R-SB-3
        end
      end

      assign clash[e] = valid_q[e] && rd_q[e] != '0 && (rd_q[e] == rs1_i[w] || rd_q[e] == rs2_i[w] || rd_q[e] == rd_i[w]);

`ifndef SYNTHESIS
      // R-SB-3: what comes back was sent, and nothing is released twice.
      assert property (@(posedge clk_i) disable iff (!rst_ni) !(done && !(valid_q[e] && !mem_q[e])));
      assert property (@(posedge clk_i) disable iff (!rst_ni) !((back != '0 || (pass && (part_i || last_i))) && !(valid_q[e] && mem_q[e])));
      assert property (@(posedge clk_i) disable iff (!rst_ni) !($countones(back) > 32'(parts_q[e])));
`endif
    end

    assign hazard_o[w] = |clash;
    assign hazard_mem_o[w] = |(clash & mem_q);
    assign full_o[w] = &valid_q;
    assign empty_o[w] = ~|valid_q;
    assign mem_o[w] = |(valid_q & mem_q);

    always_comb begin
      free_entry[w] = '0;
      for (int unsigned e = Entries; e > 0; e--) if (!valid_q[e-1]) free_entry[w] = EntryW'(e - 1);
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(alloc_i && full_o[alloc_warp_i]));
`endif
endmodule
