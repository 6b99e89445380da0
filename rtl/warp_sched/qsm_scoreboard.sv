// SPDX-License-Identifier: Apache-2.0
// Scoreboard: a few entries per warp {valid, rd, mem, all_sent, parts} instead of a bit per
// register.
// Doc: docs/subcore.md (R-SB-1 to -3).
// A bit per entry says whether the head instruction of its warp waits for it, and one whether the
// word behind the head will; a bit says whether that word names the head's register. So when a head
// issues, its follower's bits are there, and the entry that the head takes, if any, by that bit.
// They are set when the word or the entry comes, and fall with the entry: compared are the words
// that fetch pushes, and in the cycle after an issue the word that is behind the new head then.
// Updates take effect at the end of the cycle. done_* releases the entry of a fixed-latency
// instruction or of a division. The entry of a memory instruction is released when all its parts
// have been sent and have returned.
// An entry that is taken without a pop (an injected instruction, R-PE-16) makes the head that is
// there wait for nothing: its warp is frozen until the entry is released.
// Latency: all outputs but entry_o and probe_hazard_o come from registers, by two levels of logic.
// Cost: NumWarps * (Entries * (5 + PartsW) + 3) flip-flops, a small memory per entry for its
// register, 3 * (Entries + 1) * (Sources + 1) 5-bit compares.
//
// Observed by the lockstep monitor: entry_o (ISSUE), g_warp[w].{valid_q, mem_q, all_sent_q,
// parts_q}, g_rd[e].mem (full state).
module qsm_scoreboard #(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned Entries = 4,  // per warp, 2..
  parameter int unsigned PartsW = 3,   // counts up to the parts of one instruction
  parameter int unsigned Sources = 2,  // registers that an instruction may read
  localparam int unsigned WarpW = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam type regs_t = logic [Sources:0][4:0]  // rd and sources; 0: no register
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // The head of this warp issues: the word behind it is its head from the end of the cycle on,
  // unless first_i says otherwise.
  input  logic [NumWarps-1:0]      pop_i,          // one-hot
  // Words that fetch pushes to a warp: the first becomes its head; one becomes the word behind the
  // head: the second with two_i, else the first.
  input  logic [NumWarps-1:0]      first_i,        // one-hot, of the warp that is pushed to
  input  logic [NumWarps-1:0]      second_i,
  input  logic                     two_i,
  input  logic [WarpW-1:0]         push_warp_i,
  input  regs_t [1:0]              pushed_i,
  input  logic [4:0]               push_head_rd_i,  // rd of the head that the warp has
  // The word behind the new head of a warp whose head issued in the cycle before, and that head's
  // rd.
  input  logic                     behind_i,
  input  logic [WarpW-1:0]         behind_warp_i,
  input  regs_t                    behind_regs_i,
  input  logic [4:0]               behind_head_rd_i,
  // All warps; the hazards of a warp without a head mean nothing.
  output logic [NumWarps-1:0]      hazard_o,       // R-SB-2
  output logic [NumWarps-1:0]      hazard_mem_o,   // a hazard with an entry of a memory instruction
  output logic [NumWarps-1:0]      full_o,         // no free entry
  output logic [NumWarps-1:0]      empty_o,        // no valid entry
  output logic [NumWarps-1:0]      mem_o,          // a memory instruction is not complete
  // Hazard test for a register that is not part of a head instruction. With probe_either_i the test
  // includes the neighbour register, which differs in bit 0.
  input  logic [WarpW-1:0]         probe_warp_i,
  input  logic [4:0]               probe_i,
  input  logic                     probe_either_i,
  output logic                     probe_hazard_o,
  // Issue takes the lowest free entry of the warp. With pop_i it is the one that issues.
  input  logic [NumWarps-1:0]      alloc_i,        // one-hot
  input  logic [WarpW-1:0]         alloc_warp_i,   // the same, encoded
  input  logic [4:0]               alloc_rd_i,
  input  logic [NumWarps-1:0]      alloc_mem_i,    // of this warp it would be a memory instruction
  output logic [EntryW-1:0]        entry_o,        // the entry that alloc_i takes, same cycle
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

  // One-hot warp and entry of each update, decoded once for all entries; zero without an update.
  function automatic warps_t warp_bit(input logic valid, input logic [WarpW-1:0] warp);
    return valid ? warps_t'(1) << warp : '0;
  endfunction

  warps_t behind_warp, part_warp, last_warp;
  warps_t [1:0] done_warp, back_warp;
  entries_t pass_entry;
  entries_t [1:0] done_entry, back_entry;
  assign behind_warp = warp_bit(behind_i, behind_warp_i);
  assign part_warp = warp_bit(part_i, pass_warp_i);
  assign last_warp = warp_bit(last_i, pass_warp_i);
  assign pass_entry = entries_t'(1) << pass_entry_i;
  for (genvar i = 0; i < 2; i++) begin : g_update
    assign done_warp[i] = warp_bit(done_i[i], done_warp_i[i]);
    assign back_warp[i] = warp_bit(back_i[i], back_warp_i[i]);
    assign done_entry[i] = entries_t'(1) << done_entry_i[i];
    assign back_entry[i] = entries_t'(1) << back_entry_i[i];
  end

  // ---- Registers of the entries, compared with those of new words and with the probe ----
  function automatic logic names(input regs_t registers, input logic [4:0] register);
    names = 1'b0;
    for (int unsigned s = 0; s <= Sources; s++)
      names |= registers[s] == register && registers[s] != '0;
  endfunction

  // Per entry: the pushed word, the word behind waits for it, if it is valid.
  entries_t behind_waits, probed, taken;
  entries_t [1:0] pushed_waits;
  // the word names the register of the head before it
  logic behind_follows, first_follows, second_follows;
  assign behind_follows = names(behind_regs_i, behind_head_rd_i);
  assign first_follows = names(pushed_i[0], push_head_rd_i);
  assign second_follows = two_i ? names(pushed_i[1], pushed_i[0][Sources]) : first_follows;

  entries_t [NumWarps-1:0] first_free;
  always_comb begin
    taken = '0;
    for (int unsigned w = 0; w < NumWarps; w++) if (alloc_i[w]) taken |= first_free[w];
    entry_o = '0;
    for (int unsigned e = 0; e < Entries; e++) if (taken[e]) entry_o |= EntryW'(e);
  end

  for (genvar e = 0; e < Entries; e++) begin : g_rd
    logic [4:0] mem[1 << WarpW];
    logic [4:0] probed_rd;
    always_ff @(posedge clk_i) if (taken[e]) mem[alloc_warp_i] <= alloc_rd_i;

    assign behind_waits[e] = names(behind_regs_i, mem[behind_warp_i]);
    for (genvar i = 0; i < 2; i++) begin : g_pushed
      assign pushed_waits[i][e] = names(pushed_i[i], mem[push_warp_i]);
    end
    assign probed_rd = mem[probe_warp_i];
    assign probed[e] = probed_rd[4:1] == probe_i[4:1] && probed_rd != '0 &&
        (probed_rd[0] == probe_i[0] || probe_either_i);
  end

  entries_t [NumWarps-1:0] all_valid;
  assign probe_hazard_o = (all_valid[probe_warp_i] & probed) != '0;

  for (genvar w = 0; w < NumWarps; w++) begin : g_warp
    entries_t valid_q, mem_q, all_sent_q;
    entries_t waits_q;  // the head waits for the entry
    entries_t next_q;   // the word behind it will
    logic follows_q, follows;  // that word names the register of the head
    // Whether all entries are taken, and one by a memory instruction, are registers, since what may
    // issue begins with them; the pick, which is late, chooses between two cases.
    entries_t stays;  // valid, and not released in this cycle
    logic full_q, full_d, some_mem_q, some_mem_d;
    assign full_d = &stays || (alloc_i[w] && &(stays | first_free[w]));
    assign some_mem_d = (stays & mem_q) != '0 || (alloc_i[w] && alloc_mem_i[w]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        full_q <= 1'b0;
        some_mem_q <= 1'b0;
      end else begin
        full_q <= full_d;
        some_mem_q <= some_mem_d;
      end
    end
    assign follows = behind_warp[w] ? behind_follows : follows_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) follows_q <= 1'b0;
      else follows_q <= second_i[w] ? second_follows : follows;
    end
    logic [Entries-1:0][PartsW-1:0] parts_q;

    for (genvar e = 0; e < Entries; e++) begin : g_entry
      logic alloc, done, opens, last, all_sent_d, valid_d, waits, next, next_d;
      logic back;
      logic [PartsW-1:0] parts_d;

      assign alloc = alloc_i[w] && first_free[w][e];
      assign done = (done_warp[0][w] && done_entry[0][e]) || (done_warp[1][w] && done_entry[1][e]);
      assign opens = part_warp[w] && pass_entry[e];
      assign last = last_warp[w] && pass_entry[e];
      // Loads return results and stores return acknowledgements: at most one of them per entry.
      assign back = (back_warp[0][w] && back_entry[0][e]) || (back_warp[1][w] && back_entry[1][e]);
      assign parts_d = parts_q[e] + {{PartsW - 1{back && !opens}}, back != opens};
      // Used by memory instructions only. parts is 0 in all other entries, including free ones, so
      // a new entry starts with 0.
      assign all_sent_d = all_sent_q[e] || last;

      assign stays[e] = valid_q[e] && !done && !(all_sent_d && parts_d == '0);  // R-SB-3
      assign valid_d = alloc || stays[e];
      assign next = behind_warp[w] ? behind_waits[e] : next_q[e];
      assign next_d = second_i[w] ? pushed_waits[two_i][e] : next;
      // An entry that is taken: with a pop it is the old head's. Pop and alloc are late, so each
      // of them chooses between what is known before it.
      always_comb begin
        waits = stays[e] && (first_i[w] ? pushed_waits[0][e] : waits_q[e]);
        if (pop_i[w]) waits = stays[e] && (first_i[w] ? pushed_waits[0][e] : next);
        if (alloc) waits = first_i[w] ? first_follows : pop_i[w] && follows;
      end

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          valid_q[e] <= 1'b0;
          waits_q[e] <= 1'b0;
          next_q[e] <= 1'b0;
          mem_q[e] <= 1'b0;
          all_sent_q[e] <= 1'b0;
          parts_q[e] <= '0;
        end else begin
          if (alloc) mem_q[e] <= alloc_mem_i[w];
          valid_q[e] <= valid_d;
          waits_q[e] <= waits;
          next_q[e] <= valid_d && !alloc && next_d;
          all_sent_q[e] <= all_sent_d && !alloc;
          parts_q[e] <= parts_d;
        end
      end
    end

    assign all_valid[w] = valid_q;
    assign hazard_o[w] = |waits_q;
    assign hazard_mem_o[w] = |(waits_q & mem_q);
    assign full_o[w] = full_q;
    assign empty_o[w] = ~|valid_q;
    assign mem_o[w] = some_mem_q;

    assign first_free[w] = ~valid_q & (valid_q + entries_t'(1));  // lowest zero; none: 0
  end

`ifndef SYNTHESIS
  // R-SB-3: only parts that were sent return, and no entry is released twice. The assertions look
  // only at the entries that an update names; assertions for every entry would take a large share
  // of the simulation time.
  entries_t [NumWarps-1:0] valid, mem;
  logic [NumWarps-1:0][Entries-1:0][PartsW-1:0] parts;
  assign valid = all_valid;
  for (genvar w = 0; w < NumWarps; w++) begin : g_watch
    assign mem[w] = g_warp[w].mem_q;
    assign parts[w] = g_warp[w].parts_q;
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        full_o[w] == (&valid[w]) && mem_o[w] == ((valid[w] & mem[w]) != '0));
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
  assert property (@(posedge clk_i) disable iff (!rst_ni) (alloc_i & full_o) == '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      alloc_i == '0 || alloc_i == warp_bit(1'b1, alloc_warp_i));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      pop_i == '0 || alloc_i == '0 || pop_i == alloc_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      ((first_i | second_i) & ~warp_bit(1'b1, push_warp_i)) == '0);
`endif
endmodule
