// SPDX-License-Identifier: Apache-2.0
// qsm_warp_age: of any two slots the one that was started first is older, and of a set the oldest
// is the one that was started before all others in it; slots never started stand in front, by
// number.
module formal_warp_age #(
  parameter int unsigned NumWarps = 5,
  localparam int unsigned SlotW = (NumWarps > 1) ? $clog2(NumWarps) : 1
) (
  input logic                     clk_i,
  input logic                     start_valid_i,
  input logic [SlotW-1:0]         start_slot_i,
  input logic [NumWarps-1:0]      set_i,
  input logic [SlotW-1:0]         a_i,  // any two slots
  input logic [SlotW-1:0]         b_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [NumWarps-1:0]               oldest;
  logic [NumWarps-1:0][NumWarps-1:0] older;
  qsm_warp_age #(.NumWarps(NumWarps)) u_dut (.clk_i, .rst_ni, .start_valid_i, .start_slot_i,
      .older_o(older), .set_i, .oldest_o(oldest));

  logic [SlotW-1:0] a_q, b_q;
  logic             a_older_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      a_q <= a_i;
      b_q <= b_i;
      a_older_q <= a_i < b_i;
    end else if (start_valid_i) begin
      if (start_slot_i == a_q) a_older_q <= 1'b0;
      if (start_slot_i == b_q) a_older_q <= 1'b1;
    end
  end

  logic found;  // the set holds both
  assign found = set_i[a_q] && set_i[b_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      assume (a_i != b_i && 32'(a_i) < NumWarps && 32'(b_i) < NumWarps);
    end else begin
      assume (32'(start_slot_i) < NumWarps);
      which_is_older: assert (older[b_q][a_q] == a_older_q && older[a_q][b_q] == !a_older_q);
      one_of_the_set: assert ((oldest & ~set_i) == '0 && (set_i == '0) == (oldest == '0) &&
          (oldest & (oldest - 1'b1)) == '0);
      nobody_older: assert (!found || !oldest[a_older_q ? b_q : a_q]);
      overtaken: cover (found && oldest[b_q] && b_q > a_q && start_valid_i &&
          start_slot_i == b_q);
    end
  end
endmodule
