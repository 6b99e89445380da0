// SPDX-License-Identifier: Apache-2.0
// qsm_fifo: counts its entries, and any entry, chosen when it is pushed, comes out unchanged after
// exactly those before it.
module formal_fifo #(
  parameter int unsigned Width = 2,
  parameter int unsigned Depth = 3,
  parameter bit          Popped = 1'b0,
  localparam int unsigned CountW = $clog2(Depth + 2)
) (
  input logic             clk_i,
  input logic             push_i,
  input logic [Width-1:0] data_i,
  input logic             pop_i,
  input logic             choose_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic             valid, full;
  logic [Width-1:0] data;
  qsm_fifo #(.Width(Width), .Depth(Depth), .Popped(Popped)) u_dut (
    .clk_i, .rst_ni, .push_i, .data_i, .pop_i, .valid_o(valid), .full_o(full), .data_o(data)
  );

  logic [CountW-1:0] count_q, ahead_q;  // entries; those before the chosen one
  logic              chosen_q;          // it is inside
  logic [Width-1:0]  chosen_data_q, popped_data_q;
  logic              popped_q;          // it was the last to leave
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      chosen_q <= 1'b0;
      popped_q <= 1'b0;
    end else begin
      count_q <= count_q + CountW'(push_i) - CountW'(pop_i);
      if (chosen_q && pop_i) ahead_q <= ahead_q - 1'b1;
      if (pop_i) popped_q <= chosen_q && ahead_q == 0;
      if (pop_i) popped_data_q <= chosen_data_q;
      if (chosen_q && pop_i && ahead_q == 0) chosen_q <= 1'b0;
      if (!chosen_q && push_i && choose_i) begin
        chosen_q <= 1'b1;
        ahead_q <= count_q - CountW'(pop_i);
        chosen_data_q <= data_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!pop_i || count_q != 0);
      assume (!push_i || 32'(count_q) != Depth || (!Popped && pop_i));
      not_empty: assert (valid == (count_q != 0));
      is_full: assert (full == (32'(count_q) == Depth));
      no_more: assert (32'(count_q) <= Depth);
      if (!Popped && chosen_q && ahead_q == 0) in_order: assert (data == chosen_data_q);
      if (Popped && popped_q) in_order_popped: assert (data == popped_data_q);
      fills: cover (full && chosen_q && 32'(ahead_q) == Depth - 1);
      both: cover (push_i && pop_i && 32'(count_q) == Depth - 1);
    end
  end
endmodule
