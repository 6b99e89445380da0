// SPDX-License-Identifier: Apache-2.0
// Banks of a memory controller: which row is open, and how long each bank and the bus stay busy
// (docs/dram.md R-DR-3).
// Contract: at most one of column_i and row_i, for bank_i; outputs are of the start of the cycle,
// row_opened_o and arrival_hit_o are not.
// Cost: two counters per bank, the rows in distributed RAM. Observed by the lockstep monitor:
// open_q, row_mem, busy_q, keep_q, bus_q.
module qsm_dram_banks #(
  parameter int unsigned Banks = 8,
  parameter int unsigned RowW = 16,
  parameter int unsigned Rcd = 5,
  parameter int unsigned Rp = 5,
  parameter int unsigned Ras = 12,
  parameter int unsigned Wr = 5,
  parameter int unsigned Burst = 2,
  localparam int unsigned BankW = (Banks > 1) ? $clog2(Banks) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic             column_i,  // a column access begins
  input  logic             write_i,   // it is a write
  input  logic             row_i,     // row `row_number_i` is opened
  input  logic [BankW-1:0] bank_i,
  input  logic [RowW-1:0]  row_number_i,

  output logic [Banks-1:0] open_o,
  output logic [Banks-1:0] idle_o,      // takes a command
  output logic [Banks-1:0] closable_o,  // its row may be closed
  output logic             bus_free_o,

  // An entry that arrives in this cycle: will its row be the open one?
  input  logic [BankW-1:0] arrival_bank_i,
  input  logic [RowW-1:0]  arrival_row_i,
  output logic             arrival_hit_o
);
  localparam int unsigned Longest = longer(longer(Rcd + Rp, Ras + Rp), Burst + Wr);
  localparam int unsigned CountW = $clog2(Longest + 1);
  typedef logic [CountW-1:0] count_t;

  function automatic int unsigned longer(input int unsigned a, input int unsigned b);
    return (a > b) ? a : b;
  endfunction

  function automatic count_t down(input count_t n);
    return (n == '0) ? '0 : n - count_t'(1);
  endfunction

  logic [Banks-1:0] open_q;
  count_t busy_q[Banks], keep_q[Banks];
  count_t bus_q;
  logic [RowW-1:0] row_mem[Banks];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= '0;
      bus_q <= '0;
      for (int unsigned b = 0; b < Banks; b++) begin
        busy_q[b] <= '0;
        keep_q[b] <= '0;
      end
    end else begin
      bus_q <= column_i ? count_t'(Burst - 1) : down(bus_q);
      for (int unsigned b = 0; b < Banks; b++) begin
        busy_q[b] <= down(busy_q[b]);
        keep_q[b] <= down(keep_q[b]);
        if (bank_i == BankW'(b)) begin
          if (row_i) begin
            open_q[b] <= 1'b1;
            busy_q[b] <= open_q[b] ? count_t'(Rcd + Rp - 1) : count_t'(Rcd - 1);
            keep_q[b] <= open_q[b] ? count_t'(Ras + Rp - 1) : count_t'(Ras - 1);
          end
          if (column_i) busy_q[b] <= count_t'(Burst - 1);
          if (column_i && write_i && keep_q[b] < count_t'(Burst + Wr))
            keep_q[b] <= count_t'(Burst + Wr - 1);
        end
      end
    end
  end
  always_ff @(posedge clk_i) if (row_i) row_mem[bank_i] <= row_number_i;

  always_comb begin
    for (int unsigned b = 0; b < Banks; b++) begin
      idle_o[b] = busy_q[b] == '0;
      closable_o[b] = keep_q[b] == '0;
    end
  end
  assign open_o = open_q;
  assign bus_free_o = bus_q == '0;
  assign arrival_hit_o = (row_i && bank_i == arrival_bank_i) ? row_number_i == arrival_row_i
                                                             : open_q[arrival_bank_i] &&
                                                                 row_mem[arrival_bank_i] ==
                                                                 arrival_row_i;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(column_i && row_i))
    else $error("R-DR-6: a row in the cycle of a column access");
  assert property (@(posedge clk_i) disable iff (!rst_ni) (column_i || row_i) |-> idle_o[bank_i])
    else $error("R-DR-3: a command to a bank that is busy");
  assert property (@(posedge clk_i) disable iff (!rst_ni) column_i |-> bus_free_o && open_q[bank_i])
    else $error("R-DR-5: a column access without bus or open row");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (row_i && open_q[bank_i]) |-> closable_o[bank_i])
    else $error("R-DR-6: a row is closed too early");
`endif
endmodule
