// SPDX-License-Identifier: Apache-2.0
// Queue of a memory controller: accesses in order of arrival, and which of them is next
// (docs/dram.md R-DR-2, R-DR-4 to R-DR-6).
// Entries do not move; an age matrix holds their order of arrival, so one AND-OR finds the oldest
// entry of a set.
// Latency: what is pushed in t can be chosen in t + 1. Choices are combinational. Cost: per entry
// its row, one comparator; Queue^2 bits.
// Observed by the lockstep monitor: valid_q, passed_q, and the outputs of a command.
module qsm_dram_queue #(
  parameter int unsigned Queue = 8,  // entries, 1..
  parameter int unsigned Banks = 8,
  parameter int unsigned RowW = 16,
  parameter int unsigned SlotW = 2,
  localparam int unsigned BankW = (Banks > 1) ? $clog2(Banks) : 1,
  localparam int unsigned EntryW = (Queue > 1) ? $clog2(Queue) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  output logic              full_o,
  output logic [EntryW-1:0] free_o,  // entry that is taken next, unless full_o
  input  logic              push_i,
  input  logic              write_i,
  input  logic [SlotW-1:0]  slot_i,
  input  logic [BankW-1:0]  bank_i,
  input  logic [RowW-1:0]   row_i,
  // the open row of its bank is its row, at the end of this cycle
  input  logic              hit_i,

  // Banks, and whether there may be a column access at all.
  input  logic [Banks-1:0] open_i,
  input  logic [Banks-1:0] idle_i,
  input  logic [Banks-1:0] closable_i,
  input  logic             column_ok_i,

  // The command of this cycle.
  output logic              column_o,
  output logic              open_row_o,
  output logic [EntryW-1:0] entry_o,
  output logic              write_o,
  output logic [SlotW-1:0]  slot_o,
  output logic [BankW-1:0]  bank_o,
  output logic [RowW-1:0]   row_o,
  output logic              opened_o  // the entry has had a row opened before
);
  localparam logic [3:0] StarveLimit = 4'd15;
  typedef logic [Queue-1:0] set_t;

  set_t valid_q, hit_q, opened_q, write_q;
  set_t [Queue-1:0] older_q;  // [i][j]: j came before i
  logic [Queue-1:0][BankW-1:0] bank_q;
  logic [Queue-1:0][RowW-1:0] row_q;
  logic [Queue-1:0][SlotW-1:0] slot_q;
  logic [3:0] passed_q;

  function automatic set_t oldest(input set_t of, input set_t [Queue-1:0] older);
    for (int unsigned i = 0; i < Queue; i++) oldest[i] = of[i] && (of & older[i]) == '0;
  endfunction

  // ---- choice ----
  set_t first, column, row, chosen;
  logic [Banks-1:0] wanted;  // some entry asks for the bank's open row
  logic patient;
  always_comb begin
    wanted = '0;
    for (int unsigned i = 0; i < Queue; i++) if (valid_q[i] && hit_q[i]) wanted[bank_q[i]] = 1'b1;
    first = oldest(valid_q, older_q);
    patient = passed_q == StarveLimit;
    for (int unsigned i = 0; i < Queue; i++) begin
      column[i] = valid_q[i] && hit_q[i] && idle_i[bank_q[i]] && (!patient || first[i]);
      row[i] = valid_q[i] && !hit_q[i] && idle_i[bank_q[i]] && (!patient || first[i]) &&
               (!open_i[bank_q[i]] || (closable_i[bank_q[i]] && (patient || !wanted[bank_q[i]])));
    end
    column_o = column_ok_i && column != '0;
    open_row_o = !column_o && row != '0;
    chosen = column_o ? oldest(column, older_q) : oldest(row, older_q);
  end

  always_comb begin
    entry_o = '0;
    write_o = |(chosen & write_q);
    opened_o = |(chosen & opened_q);
    slot_o = '0;
    bank_o = '0;
    row_o = '0;
    for (int unsigned i = 0; i < Queue; i++) begin
      entry_o |= EntryW'(i) & {EntryW{chosen[i]}};
      slot_o |= slot_q[i] & {SlotW{chosen[i]}};
      bank_o |= bank_q[i] & {BankW{chosen[i]}};
      row_o |= row_q[i] & {RowW{chosen[i]}};
    end
    free_o = '0;
    for (int unsigned i = Queue; i > 0; i--) if (!valid_q[i-1]) free_o = EntryW'(i - 1);
  end
  assign full_o = &valid_q;

  // ---- state ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      passed_q <= '0;
    end else begin
      if (column_o) begin
        valid_q <= valid_q & ~chosen;
        passed_q <= ((chosen & first) != '0) ? '0 : passed_q + 4'd1;
      end
      if (push_i) valid_q[free_o] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Queue; i++) begin
      if (open_row_o && bank_q[i] == bank_o) hit_q[i] <= row_q[i] == row_o;
      if (open_row_o && chosen[i]) opened_q[i] <= 1'b1;
      if (push_i) older_q[i][free_o] <= 1'b0;
    end
    if (push_i) begin
      older_q[free_o] <= valid_q;
      hit_q[free_o] <= hit_i;
      opened_q[free_o] <= 1'b0;
      write_q[free_o] <= write_i;
      slot_q[free_o] <= slot_i;
      bank_q[free_o] <= bank_i;
      row_q[free_o] <= row_i;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(first) && ((first != '0) == (valid_q != '0)))
    else $error("R-DR-2: the entries have no order");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (column_o && passed_q == StarveLimit) |-> (chosen & first) != '0)
    else $error("R-DR-4: a younger entry is served while the oldest has waited long enough");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(push_i && full_o))
    else $error("R-DR-2: an access comes into a full queue");
`endif
endmodule
