// SPDX-License-Identifier: Apache-2.0
// What launches and copies take: cycles and SM-cycles of each slot's launch, and of the DMA
// engine's job, which is the entry behind the slots.
// Contract: docs/front.md R-FR-15, R-FR-21, R-FR-24. What an entry takes in a cycle is added up in
// two small counters of its own; one of them per cycle, in turn, is added to its sum in a memory.
// take_i goes before the turn, at most in every seventh cycle: time_o is that entry's from the next
// cycle on, sm_time_o from the one after it; entry_i stays until then. What is taken takes no more.
// clear_i in the cycle before an entry's first.
// Cost: a memory and an adder for all, a few bits per entry.
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
  // Between two visits of a counter: a round, and two cycles for each that is taken meanwhile.
  localparam int unsigned MostCycles = 3 * NumEntries;
  localparam int unsigned CycleW = $clog2(MostCycles + 1);
  localparam int unsigned SumW = $clog2(MostCycles * NumSms + 1);

  typedef struct packed {
    logic sms;
    logic [EntryW-1:0] entry;
  } place_t;
  place_t turn_q, place;
  logic taken_q;  // and now its SM-cycles
  logic [NumEntries-1:0][1:0] zero_q;  // the sum is 0, whatever the memory has
  logic [NumEntries-1:0][CycleW-1:0] cycles_q;
  logic [NumSlots-1:0][SumW-1:0] sms_q;
  logic [47:0] sum_mem[2 << EntryW];
  logic [47:0] sum;
  logic [SumW-1:0] amount;
  logic of_slot;

  assign place = (take_i || taken_q) ? '{sms: taken_q, entry: entry_i} : turn_q;
  assign of_slot = place.entry != EntryW'(NumSlots);
  always_comb begin
    amount = SumW'(cycles_q[place.entry]);
    if (place.sms) amount = of_slot ? sms_q[SlotW'(place.entry)] : '0;
  end
  assign sum = (zero_q[place.entry][place.sms] ? '0 : sum_mem[place]) + 48'(amount);
  always_ff @(posedge clk_i) begin
    sum_mem[place] <= sum;
    if (take_i) time_o <= sum;
    if (taken_q) sm_time_o <= sum;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q <= '0;
      taken_q <= 1'b0;
      zero_q <= '1;
      cycles_q <= '0;
      sms_q <= '0;
    end else begin
      taken_q <= take_i;
      if (!take_i && !taken_q) begin
        turn_q.entry <= of_slot ? turn_q.entry + EntryW'(1) : '0;
        turn_q.sms <= turn_q.sms ^ !of_slot;
      end
      for (int unsigned k = 0; k < NumEntries; k++) begin
        if (place == {1'b0, EntryW'(k)}) cycles_q[k] <= CycleW'(runs_i[k]);
        else cycles_q[k] <= cycles_q[k] + CycleW'(runs_i[k]);
        if (place.entry == EntryW'(k)) zero_q[k][place.sms] <= 1'b0;
        if (clear_i && entry_i == EntryW'(k)) begin
          zero_q[k] <= '1;
          cycles_q[k] <= '0;
        end
      end
      for (int unsigned k = 0; k < NumSlots; k++) begin
        if (place == {1'b1, EntryW'(k)}) sms_q[k] <= runs_i[k] ? SumW'(sms_i[k]) : '0;
        else if (runs_i[k]) sms_q[k] <= sms_q[k] + SumW'(sms_i[k]);
        if (clear_i && entry_i == EntryW'(k)) sms_q[k] <= '0;
      end
    end
  end

`ifndef SYNTHESIS
  for (genvar k = 0; k < NumEntries; k++) begin : g_check
    assert property (@(posedge clk_i) disable iff (!rst_ni) cycles_q[k] <= CycleW'(MostCycles))
      else $error("a counter of cycles was not visited for too long");
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !((take_i || taken_q || clear_i) && runs_i[entry_i]))
    else $error("an entry is taken or cleared while it runs");
`endif
endmodule
