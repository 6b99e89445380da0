// SPDX-License-Identifier: Apache-2.0
// Scoreboard: a few entries per warp {valid, rd, mem, all_sent, parts} instead of a bit per
// register. Doc: docs/subcore.md (R-SB-1 to -3).
// For the head instruction of every warp, the hazard outputs say in the same cycle whether it must
// wait and why. Updates take effect at the end of the cycle. done_* releases the entry of a
// fixed-latency instruction or of a division. The entry of a memory instruction is released when
// all its parts have been sent and have returned.
// Cost: NumWarps * Entries * (9 + PartsW) flip-flops and Sources + 2 5-bit compares per entry.
//
// Observed by the lockstep monitor: entry_o (ISSUE), g_warp[w].{valid_q, rd_q, mem_q, all_sent_q,
// parts_q} (full state).
module qsm_scoreboard #(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned Entries = 4,  // per warp, 2..
  parameter int unsigned PartsW = 3,   // counts up to the parts of one instruction
  parameter int unsigned Sources = 2,  // registers that an instruction may read
  localparam int unsigned WarpW = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned EntryW = $clog2(Entries)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // Heads, all warps.
  input  logic [NumWarps-1:0][Sources-1:0][4:0] rs_i,  // 0: no register
  input  logic [NumWarps-1:0][4:0] rd_i,
  output logic [NumWarps-1:0]      hazard_o,       // R-SB-2
  output logic [NumWarps-1:0]      hazard_mem_o,   // a hazard with an entry of a memory instruction
  output logic [NumWarps-1:0]      full_o,         // no free entry
  output logic [NumWarps-1:0]      empty_o,        // no valid entry
  output logic [NumWarps-1:0]      mem_o,          // a memory instruction is not complete
  // Hazard test for a register that is not part of a head instruction, for every warp. With
  // probe_either_i the test includes the neighbour register, which differs in bit 0.
  input  logic [4:0]               probe_i,
  input  logic                     probe_either_i,
  output logic [NumWarps-1:0]      probe_hazard_o,
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
  // Memory instruction: a part opens and/or the last part is sent; parts come back (results, store
  // acknowledgements).
  input  logic                     part_i,
  input  logic                     last_i,
  input  logic [WarpW-1:0]         pass_warp_i,
  input  logic [EntryW-1:0]        pass_entry_i,
  input  logic [1:0]               back_i,
  input  logic [1:0][WarpW-1:0]    back_warp_i,
  input  logic [1:0][EntryW-1:0]   back_entry_i
);
  typedef logic [NumWarps-1:0] warps_t;
  typedef logic [Entries-1:0] entries_t;

  logic [NumWarps-1:0][EntryW-1:0] free_entry;
  assign entry_o = free_entry[alloc_warp_i];

  // One-hot warp and entry of each update, decoded once for all entries; zero without an update.
  function automatic warps_t warp_bit(input logic valid, input logic [WarpW-1:0] warp);
    return valid ? warps_t'(1) << warp : '0;
  endfunction

  warps_t alloc_warp, part_warp, last_warp;
  warps_t [1:0] done_warp, back_warp;
  entries_t pass_entry;
  entries_t [1:0] done_entry, back_entry;
  assign alloc_warp = warp_bit(alloc_i, alloc_warp_i);
  assign part_warp = warp_bit(part_i, pass_warp_i);
  assign last_warp = warp_bit(last_i, pass_warp_i);
  assign pass_entry = entries_t'(1) << pass_entry_i;
  for (genvar i = 0; i < 2; i++) begin : g_update
    assign done_warp[i] = warp_bit(done_i[i], done_warp_i[i]);
    assign back_warp[i] = warp_bit(back_i[i], back_warp_i[i]);
    assign done_entry[i] = entries_t'(1) << done_entry_i[i];
    assign back_entry[i] = entries_t'(1) << back_entry_i[i];
  end

  for (genvar w = 0; w < NumWarps; w++) begin : g_warp
    entries_t valid_q, mem_q, all_sent_q, names_q, clash, probed, first_free;  // names: rd is not 0
    logic [Entries-1:0][4:0] rd_q;
    logic [Entries-1:0][PartsW-1:0] parts_q;

    for (genvar e = 0; e < Entries; e++) begin : g_entry
      logic alloc, done, opens, last, all_sent_d;
      logic back;
      logic [PartsW-1:0] parts_d;

      assign alloc = alloc_warp[w] && first_free[e];
      assign done = (done_warp[0][w] && done_entry[0][e]) || (done_warp[1][w] && done_entry[1][e]);
      assign opens = part_warp[w] && pass_entry[e];
      assign last = last_warp[w] && pass_entry[e];
      // Loads return results and stores return acknowledgements: at most one of them per entry.
      assign back = (back_warp[0][w] && back_entry[0][e]) || (back_warp[1][w] && back_entry[1][e]);
      assign parts_d = parts_q[e] + {{PartsW - 1{back && !opens}}, back != opens};
      // Used by memory instructions only. parts is 0 in all other entries, including free ones, so
      // a new entry starts with 0.
      assign all_sent_d = all_sent_q[e] || last;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          valid_q[e] <= 1'b0;
          mem_q[e] <= 1'b0;
          all_sent_q[e] <= 1'b0;
          names_q[e] <= 1'b0;
          rd_q[e] <= '0;
          parts_q[e] <= '0;
        end else begin
          if (alloc) begin
            mem_q[e] <= alloc_mem_i;
            names_q[e] <= alloc_rd_i != '0;
            rd_q[e] <= alloc_rd_i;
          end
          valid_q[e] <= alloc || (valid_q[e] && !done && !(all_sent_d && parts_d == '0));  // R-SB-3
          all_sent_q[e] <= all_sent_d && !alloc;
          parts_q[e] <= parts_d;
        end
      end

      logic [Sources-1:0] reads;
      for (genvar s = 0; s < Sources; s++) begin : g_source
        assign reads[s] = rd_q[e] == rs_i[w][s];
      end
      assign clash[e] = valid_q[e] && names_q[e] && (reads != '0 || rd_q[e] == rd_i[w]);
      assign probed[e] = valid_q[e] && names_q[e] && rd_q[e][4:1] == probe_i[4:1] &&
          (rd_q[e][0] == probe_i[0] || probe_either_i);
    end

    assign hazard_o[w] = |clash;
    assign hazard_mem_o[w] = |(clash & mem_q);
    assign probe_hazard_o[w] = |probed;
    assign full_o[w] = &valid_q;
    assign empty_o[w] = ~|valid_q;
    assign mem_o[w] = |(valid_q & mem_q);

    assign first_free = ~valid_q & (valid_q + entries_t'(1));  // lowest zero; none: 0
    always_comb begin
      free_entry[w] = '0;
      for (int unsigned e = Entries; e > 0; e--) if (!valid_q[e-1]) free_entry[w] = EntryW'(e - 1);
    end
  end

`ifndef SYNTHESIS
  // R-SB-3: only parts that were sent return, and no entry is released twice. The assertions look
  // only at the entries that an update names; assertions for every entry would take a large share
  // of the simulation time.
  entries_t [NumWarps-1:0] valid, mem;
  logic [NumWarps-1:0][Entries-1:0][PartsW-1:0] parts;
  for (genvar w = 0; w < NumWarps; w++) begin : g_watch
    assign valid[w] = g_warp[w].valid_q;
    assign mem[w] = g_warp[w].mem_q;
    assign parts[w] = g_warp[w].parts_q;
  end
  for (genvar i = 0; i < 2; i++) begin : g_named
    assert property (@(posedge clk_i) disable iff (!rst_ni)
                     !(done_i[i] && !(valid[done_warp_i[i]][done_entry_i[i]] &&
                         !mem[done_warp_i[i]][done_entry_i[i]])));
    assert property (@(posedge clk_i) disable iff (!rst_ni)
                     !(back_i[i] && !(valid[back_warp_i[i]][back_entry_i[i]] &&
                         mem[back_warp_i[i]][back_entry_i[i]])));
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(back_i[i] && parts[back_warp_i[i]][back_entry_i[i]] == '0));
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   !((part_i || last_i) && !(valid[pass_warp_i][pass_entry_i] &&
                       mem[pass_warp_i][pass_entry_i])));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   !(back_i == 2'b11 && back_warp_i[0] == back_warp_i[1] &&
                       back_entry_i[0] == back_entry_i[1]));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(alloc_i && full_o[alloc_warp_i]));
`endif
endmodule
