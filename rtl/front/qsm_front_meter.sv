// SPDX-License-Identifier: Apache-2.0
// What launches and copies take: cycles and SM-cycles of each slot's launch, and of the DMA
// engine's job, which is the entry behind the slots.
// Contract: docs/front.md R-FR-15, R-FR-21, R-FR-24. What an entry takes in a cycle is added up in
// a small counter of its own; one entry per cycle, in turn, adds that to its sum in a memory.
// take_i goes before the turn: from the next cycle on time_o and sm_time_o are that entry's, which
// takes no more. clear_i in the cycle before an entry's first. At most every other cycle has take_i.
// Cost: a memory and an adder per sum, a few bits per entry.
module qsm_front_meter #(
  parameter int unsigned NumSlots = 4,
  parameter int unsigned NumSms = 4,
  localparam int unsigned NumEntries = NumSlots + 1,
  localparam int unsigned EntryW = $clog2(NumEntries),
  localparam int unsigned SlotW = (NumSlots > 1) ? $clog2(NumSlots) : 1,
  localparam int unsigned SmsW = $clog2(NumSms + 1)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic [NumEntries-1:0]         runs_i,
  input  logic [NumSlots-1:0][SmsW-1:0] sms_i,    // on which the slot has a block
  input  logic [EntryW-1:0]             entry_i,  // whose these are
  input  logic                          clear_i,
  input  logic                          take_i,
  output logic [47:0]                   time_o,
  output logic [47:0]                   sm_time_o
);
  // Between two visits: a round, with every other cycle taken.
  localparam int unsigned MostCycles = 2 * NumEntries;
  localparam int unsigned CycleW = $clog2(MostCycles + 1);
  localparam int unsigned SumW = $clog2(MostCycles * NumSms + 1);

  logic [EntryW-1:0] turn_q, visited;
  logic [NumEntries-1:0] zero_q;  // the sums are 0, whatever the memory has
  logic [NumEntries-1:0][CycleW-1:0] cycles_q;
  logic [NumSlots-1:0][SumW-1:0] sms_q;
  logic [47:0] time_mem[NumEntries], sm_time_mem[NumSlots], time_now, sm_time_now;
  logic [SumW-1:0] sms_now;
  logic of_slot;
  logic [SlotW-1:0] slot;  // means nothing without of_slot

  assign visited = take_i ? entry_i : turn_q;
  assign of_slot = visited != EntryW'(NumSlots);
  assign slot = SlotW'(visited);
  assign sms_now = sms_q[slot];
  assign time_now = (zero_q[visited] ? '0 : time_mem[visited]) + 48'(cycles_q[visited]);
  assign sm_time_now = (zero_q[visited] ? '0 : sm_time_mem[slot]) + 48'(sms_now);
  always_ff @(posedge clk_i) begin
    time_mem[visited] <= time_now;
    if (of_slot) sm_time_mem[slot] <= sm_time_now;
    if (take_i) begin
      time_o <= time_now;
      sm_time_o <= sm_time_now;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q <= '0;
      zero_q <= '1;
      cycles_q <= '0;
      sms_q <= '0;
    end else begin
      if (!take_i) turn_q <= (turn_q == EntryW'(NumSlots)) ? '0 : turn_q + EntryW'(1);
      for (int unsigned k = 0; k < NumEntries; k++) begin
        cycles_q[k] <= ((visited == EntryW'(k)) ? '0 : cycles_q[k]) + CycleW'(runs_i[k]);
        if (visited == EntryW'(k)) zero_q[k] <= 1'b0;
        if (clear_i && entry_i == EntryW'(k)) begin
          zero_q[k] <= 1'b1;
          cycles_q[k] <= '0;
        end
      end
      for (int unsigned k = 0; k < NumSlots; k++) begin
        sms_q[k] <= ((visited == EntryW'(k)) ? '0 : sms_q[k]) + (runs_i[k] ? SumW'(sms_i[k]) : '0);
        if (clear_i && entry_i == EntryW'(k)) sms_q[k] <= '0;
      end
    end
  end

`ifndef SYNTHESIS
  logic taken_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) taken_q <= 1'b0;
    else taken_q <= take_i;
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(taken_q && take_i))
    else $error("two entries are taken in a row");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !((take_i || clear_i) && runs_i[entry_i]))
    else $error("an entry is taken or cleared while it runs");
`endif
endmodule
