// SPDX-License-Identifier: Apache-2.0
// qsm_scoreboard: a table of what was issued and is not complete beside it, by R-SB-1 to -3. A
// register waits only for the instruction that writes it, no entry is allocated twice, and each
// entry is released when its instruction is complete.
module formal_scoreboard #(
  parameter int unsigned NumWarps = 2,
  parameter int unsigned Entries = 3,
  parameter int unsigned PartsW = 2,
  parameter int unsigned Sources = 2,
  localparam int unsigned WarpW = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned EntryW = $clog2(Entries)
) (
  input logic                     clk_i,
  input logic                     pop_i,
  input logic [WarpW-1:0]         pop_warp_i,
  input logic                     push_i,       // one word or two
  input logic                     pair_i,
  input logic [WarpW-1:0]         push_warp_i,
  input logic [1:0][Sources:0][4:0] pushed_i,
  input logic [Sources:0][4:0]    behind_i,     // the word behind the head, when it is read
  input logic [WarpW-1:0]         probe_warp_i,
  input logic [4:0]               probe_i,
  input logic                     probe_either_i,
  input logic                     alloc_i,
  input logic [WarpW-1:0]         alloc_warp_i,
  input logic [4:0]               alloc_rd_i,
  input logic                     alloc_mem_i,
  input logic [1:0]               done_i,
  input logic [1:0][WarpW-1:0]    done_warp_i,
  input logic [1:0][EntryW-1:0]   done_entry_i,
  input logic                     part_i,
  input logic                     last_i,
  input logic [WarpW-1:0]         pass_warp_i,
  input logic [EntryW-1:0]        pass_entry_i,
  input logic [1:0]               back_i,
  input logic [1:0][WarpW-1:0]    back_warp_i,
  input logic [1:0][EntryW-1:0]   back_entry_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // Words in the buffers: count, registers of the head and of the word behind it, rd last. With
  // more words than two the third is any, when the head has issued: behind_i in the cycle after.
  logic [NumWarps-1:0][1:0] count_q;
  logic [NumWarps-1:0][Sources:0][4:0] head_q, behind_q, behind;
  logic popped_q;
  logic [WarpW-1:0] popped_warp_q;
  logic pops, first, second, two;  // pops: of the warp that is pushed to
  always_comb begin
    behind = behind_q;
    if (popped_q) behind[popped_warp_q] = behind_i;
    two = count_q[push_warp_i] == 2'd0;
    pops = pop_i && pop_warp_i == push_warp_i;
    first = push_i && count_q[push_warp_i] == 2'(pops);
    second = push_i && count_q[push_warp_i] < 2'd2;
  end
  always_ff @(posedge clk_i) begin
    popped_q <= rst_ni && pop_i;
    popped_warp_q <= pop_warp_i;
    if (!rst_ni) begin
      count_q <= '0;
      head_q <= '0;
      behind_q <= '0;
    end else begin
      for (int unsigned w = 0; w < NumWarps; w++) begin
        count_q[w] <= count_q[w] - 2'(pop_i && pop_warp_i == WarpW'(w)) +
            2'(push_i && push_warp_i == WarpW'(w)) +
            2'(push_i && pair_i && push_warp_i == WarpW'(w));
      end
      behind_q <= behind;
      if (pop_i) head_q[pop_warp_i] <= behind[pop_warp_i];
      if (first) head_q[push_warp_i] <= pushed_i[0];
      if (second) behind_q[push_warp_i] <= pushed_i[two];
    end
  end

  logic [NumWarps-1:0] hazard, hazard_mem, full, empty, mem;
  logic                probe_hazard;
  logic [EntryW-1:0]   entry;
  function automatic logic [NumWarps-1:0] one(logic valid, logic [WarpW-1:0] warp);
    return valid ? NumWarps'(1) << warp : '0;
  endfunction
  qsm_scoreboard #(.NumWarps(NumWarps), .Entries(Entries), .PartsW(PartsW),
      .Sources(Sources)) u_dut (
    .clk_i, .rst_ni, .pop_i(one(pop_i, pop_warp_i)), .first_i(one(first, push_warp_i)),
    .second_i(one(second, push_warp_i)), .two_i(two),
    .push_warp_i, .pushed_i, .push_head_rd_i(head_q[push_warp_i][Sources]),
    .behind_i(popped_q), .behind_warp_i(popped_warp_q), .behind_regs_i(behind_i),
    .behind_head_rd_i(head_q[popped_warp_q][Sources]),
    .hazard_o(hazard), .hazard_mem_o(hazard_mem), .full_o(full),
    .empty_o(empty), .mem_o(mem),
    .probe_warp_i, .probe_i, .probe_either_i, .probe_hazard_o(probe_hazard),
    .alloc_i(one(alloc_i, alloc_warp_i)), .alloc_warp_i, .alloc_rd_i,
    .alloc_mem_i({NumWarps{alloc_mem_i}}),
    .entry_o(entry), .done_i, .done_warp_i,
    .done_entry_i,
    .part_i, .last_i, .pass_warp_i, .pass_entry_i, .back_i, .back_warp_i, .back_entry_i
  );

  // ---- What is under way; parts are those sent and not back ----
  // injected: taken without a pop; the warp is frozen until it is released.
  typedef struct packed {
    logic              valid, mem, sent, injected;
    logic [4:0]        rd;
    logic [PartsW-1:0] parts;
  } issued_t;
  issued_t [NumWarps-1:0][Entries-1:0] table_q, table_d;

  logic [NumWarps-1:0][EntryW-1:0] lowest;
  always_comb begin
    lowest = '0;
    for (int unsigned w = 0; w < NumWarps; w++)
      for (int unsigned e = Entries; e > 0; e--)
        if (!table_q[w][e-1].valid) lowest[w] = EntryW'(e - 1);
  end

  always_comb begin
    table_d = table_q;
    if (part_i) table_d[pass_warp_i][pass_entry_i].parts += 1'b1;
    if (last_i) table_d[pass_warp_i][pass_entry_i].sent = 1'b1;
    for (int unsigned i = 0; i < 2; i++) begin
      if (back_i[i]) table_d[back_warp_i[i]][back_entry_i[i]].parts -= 1'b1;
      if (done_i[i]) table_d[done_warp_i[i]][done_entry_i[i]] = '0;
    end
    for (int unsigned w = 0; w < NumWarps; w++) begin
      for (int unsigned e = 0; e < Entries; e++)
        if (table_d[w][e].sent && table_d[w][e].parts == '0) table_d[w][e] = '0;
    end
    if (alloc_i)
      table_d[alloc_warp_i][lowest[alloc_warp_i]] = '{valid: 1'b1, mem: alloc_mem_i, sent: 1'b0,
          injected: !pop_i, rd: alloc_rd_i, parts: '0};
  end
  always_ff @(posedge clk_i) table_q <= rst_ni ? table_d : '0;

  // ---- What it must say ----
  logic [NumWarps-1:0] waits, waits_mem, none_free, none, some_mem, frozen;
  logic waits_probe;
  logic needs;  // the head has a register that the entry writes
  always_comb begin
    needs = 1'b0;
    {waits, waits_mem, waits_probe, some_mem, frozen} = '0;
    none_free = '1;
    none = '1;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      for (int unsigned e = 0; e < Entries; e++) begin
        if (table_q[w][e].valid) begin
          none[w] = 1'b0;
          if (table_q[w][e].mem) some_mem[w] = 1'b1;
          if (table_q[w][e].injected) frozen[w] = 1'b1;
          needs = 1'b0;
          for (int unsigned s = 0; s <= Sources; s++) needs |= table_q[w][e].rd == head_q[w][s];
          if (table_q[w][e].rd != '0 && needs) begin
            waits[w] = 1'b1;
            if (table_q[w][e].mem) waits_mem[w] = 1'b1;
          end
          if (probe_warp_i == WarpW'(w) && table_q[w][e].rd != '0 &&
              (table_q[w][e].rd == probe_i ||
              (probe_either_i && table_q[w][e].rd == (probe_i ^ 5'd1)))) waits_probe = 1'b1;
        end else begin
          none_free[w] = 1'b0;
        end
      end
    end
  end

  // Entry by entry the registers say the same: with it the rest follows in a step.
  logic [NumWarps-1:0][Entries-1:0] same_entry;
  logic [NumWarps-1:0] same_follows;
  for (genvar w = 0; w < NumWarps; w++) begin : g_warp
    for (genvar e = 0; e < Entries; e++) begin : g_entry
      issued_t t;
      logic    named, behind_named, same_state;
      assign t = table_q[w][e];
      always_comb begin
        named = 1'b0;
        behind_named = 1'b0;
        for (int unsigned s = 0; s <= Sources; s++) begin
          named |= head_q[w][s] == t.rd && t.rd != '0;
          behind_named |= behind_q[w][s] == t.rd && t.rd != '0;
        end
      end
      assign same_state = t.valid ?
          u_dut.g_rd[e].mem[w] == t.rd && u_dut.g_warp[w].mem_q[e] == t.mem &&
          u_dut.g_warp[w].all_sent_q[e] == t.sent && u_dut.g_warp[w].parts_q[e] == t.parts &&
          !(t.sent && t.parts == '0) && (t.mem || (!t.sent && t.parts == '0)) :
          t == '0 && u_dut.g_warp[w].parts_q[e] == '0;
      assign same_entry[w][e] = same_state && u_dut.g_warp[w].valid_q[e] == t.valid &&
          (count_q[w] == '0 || t.injected ||
              u_dut.g_warp[w].waits_q[e] == (t.valid && named)) &&
          (count_q[w] < 2'd2 || t.injected || (popped_q && popped_warp_q == WarpW'(w)) ||
              u_dut.g_warp[w].next_q[e] == (t.valid && behind_named)) &&
          !(!t.valid && (u_dut.g_warp[w].waits_q[e] || u_dut.g_warp[w].next_q[e]));
    end
    logic follows;
    always_comb begin
      follows = 1'b0;
      for (int unsigned s = 0; s <= Sources; s++)
        follows |= behind_q[w][s] == head_q[w][Sources] && behind_q[w][s] != '0;
    end
    assign same_follows[w] = count_q[w] < 2'd2 || (popped_q && popped_warp_q == WarpW'(w)) ||
        u_dut.g_warp[w].follows_q == follows;
  end

  // ---- What issue and execution keep to ----
  issued_t       pass;
  issued_t [1:0] back, done;
  always_comb begin
    pass = table_q[pass_warp_i][pass_entry_i];
    for (int unsigned i = 0; i < 2; i++) begin
      back[i] = table_q[back_warp_i[i]][back_entry_i[i]];
      done[i] = table_q[done_warp_i[i]][done_entry_i[i]];
    end
  end
  logic [NumWarps-1:0] head_means_nothing;
  always_comb for (int unsigned w = 0; w < NumWarps; w++)
    head_means_nothing[w] = count_q[w] == '0 || frozen[w];
  logic same_back, same_done;
  assign same_back = back_i == 2'b11 && back_warp_i[0] == back_warp_i[1] &&
      back_entry_i[0] == back_entry_i[1];
  assign same_done = done_i == 2'b11 && done_warp_i[0] == done_warp_i[1] &&
      done_entry_i[0] == done_entry_i[1];

  always_ff @(posedge clk_i) begin
    assume (32'(pass_entry_i) < Entries && 32'(pass_warp_i) < NumWarps &&
        32'(alloc_warp_i) < NumWarps && 32'(pop_warp_i) < NumWarps &&
        32'(push_warp_i) < NumWarps && 32'(probe_warp_i) < NumWarps);
    assume (32'(back_entry_i[0]) < Entries && 32'(back_entry_i[1]) < Entries &&
        32'(back_warp_i[0]) < NumWarps && 32'(back_warp_i[1]) < NumWarps);
    assume (32'(done_entry_i[0]) < Entries && 32'(done_entry_i[1]) < Entries &&
        32'(done_warp_i[0]) < NumWarps && 32'(done_warp_i[1]) < NumWarps);
    if (rst_ni) begin
      assume (!alloc_i || !none_free[alloc_warp_i]);
      assume (!(alloc_i && pop_i) || (alloc_warp_i == pop_warp_i &&
          alloc_rd_i == head_q[pop_warp_i][Sources]));
      assume (!pop_i || (count_q[pop_warp_i] != '0 && !frozen[pop_warp_i]));
      assume (!push_i || (2'(pair_i) < 2'd3 - count_q[push_warp_i]));
      assume (!(part_i || last_i) || (pass.valid && pass.mem && !pass.sent));
      assume (!part_i || pass.parts != '1);
      assume (!same_back && !same_done);
      for (int unsigned i = 0; i < 2; i++) begin
        assume (!back_i[i] || (back[i].valid && back[i].mem && back[i].parts != '0));
        assume (!done_i[i] || (done[i].valid && !done[i].mem));
      end
      same_registers: assert (&same_entry && &same_follows);
      waits_for_writer: assert (&((hazard ~^ waits) | head_means_nothing));
      waits_for_load: assert (&((hazard_mem ~^ waits_mem) | head_means_nothing));
      waits_for_probed: assert (probe_hazard == waits_probe);
      is_full: assert (full == none_free);
      is_empty: assert (empty == none);
      has_mem: assert (mem == some_mem);
      if (alloc_i) lowest_free: assert (entry == lowest[alloc_warp_i]);
      fills: cover (&none_free && table_q[0][Entries-1].mem && table_q[0][Entries-1].parts == 2 &&
          table_q[0][Entries-1].sent);
      opens_and_back: cover (part_i && back_i[0] && back_warp_i[0] == pass_warp_i &&
          back_entry_i[0] == pass_entry_i && last_i);
      both_heads: cover (hazard == '1 && pop_i && first && pops && alloc_i);
      no_parts: cover (last_i && !part_i && pass.parts == '0);
    end
  end
endmodule
