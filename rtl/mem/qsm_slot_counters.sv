// SPDX-License-Identifier: Apache-2.0
// Counters of events, PerSlot of each slot, wrap; one of them may grow in a cycle.
// docs/l2.md R-L2-13, docs/dram.md R-DR-9, docs/energy.md R-EN-1, docs/subcore.md R-IS-7.
// Contract: what is added in t counts from t + 1 on, unless its slot is cleared in t. Reading is
// combinational.
// Cost: distributed RAM with two read ports, one adder; a flip-flop per counter says that it is 0.
module qsm_slot_counters #(
  parameter int unsigned NumSlots = 4,
  parameter int unsigned PerSlot = 4,
  parameter int unsigned AmountW = 1,  // at most Width
  parameter int unsigned Width = 32,
  localparam int unsigned SlotW = (NumSlots > 1) ? $clog2(NumSlots) : 1,
  localparam int unsigned WhichW = (PerSlot > 1) ? $clog2(PerSlot) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [NumSlots-1:0] clear_i,
  input  logic                add_i,
  input  logic [SlotW-1:0]    slot_i,
  input  logic [WhichW-1:0]   which_i,
  input  logic [AmountW-1:0]  amount_i,
  input  logic [SlotW-1:0]    read_slot_i,
  input  logic [WhichW-1:0]   read_which_i,
  output logic [Width-1:0]    value_o
);
  localparam int unsigned Rows = 1 << (SlotW + WhichW);

  logic [NumSlots-1:0][(1 << WhichW)-1:0] zero_q;
  logic [Width-1:0] count_mem[Rows];
  logic [Width-1:0] old_count;

  assign old_count = zero_q[slot_i][which_i] ? '0 : count_mem[{slot_i, which_i}];
  assign value_o = zero_q[read_slot_i][read_which_i] ? '0 : count_mem[{read_slot_i, read_which_i}];
  always_ff @(posedge clk_i)
    if (add_i) count_mem[{slot_i, which_i}] <= old_count + Width'(amount_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      zero_q <= '1;
    end else begin
      if (add_i) zero_q[slot_i][which_i] <= 1'b0;
      for (int unsigned k = 0; k < NumSlots; k++) if (clear_i[k]) zero_q[k] <= '1;
    end
  end
endmodule
