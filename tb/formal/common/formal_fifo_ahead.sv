// SPDX-License-Identifier: Apache-2.0
// qsm_fifo_ahead: an entry is there two cycles after it came, and any one, chosen when it comes,
// goes out unchanged after exactly those before it.
module formal_fifo_ahead #(
  parameter int unsigned Width = 3,
  parameter int unsigned WideW = 2,
  parameter int unsigned Depth = 3,
  localparam int unsigned CountW = $clog2(Depth + 2)
) (
  input logic             clk_i,
  input logic             comes_i,
  input logic [Width-1:0] data_i,
  input logic             pop_i,
  input logic             choose_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic             valid;
  logic [Width-1:0] data;
  qsm_fifo_ahead #(.Width(Width), .WideW(WideW), .Depth(Depth)) u_dut (
    .clk_i, .rst_ni, .comes_i, .data_i, .pop_i, .valid_o(valid), .data_o(data)
  );

  logic [CountW-1:0] count_q, ahead_q;  // entries with the one on its way; those before the chosen
  logic              fresh_q;           // one is on its way
  logic              chosen_q;          // the chosen one is inside
  logic [Width-1:0]  chosen_data_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      fresh_q <= 1'b0;
      chosen_q <= 1'b0;
    end else begin
      fresh_q <= comes_i;
      count_q <= count_q + CountW'(comes_i) - CountW'(pop_i);
      if (chosen_q && pop_i) ahead_q <= ahead_q - 1'b1;
      if (chosen_q && pop_i && ahead_q == 0) chosen_q <= 1'b0;
      if (!chosen_q && comes_i && choose_i) begin
        chosen_q <= 1'b1;
        ahead_q <= count_q - CountW'(pop_i);
        chosen_data_q <= data_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!pop_i || count_q > CountW'(fresh_q));
      assume (!comes_i || 32'(count_q) != Depth);
      not_empty: assert (valid == (count_q > CountW'(fresh_q)));
      if (chosen_q && ahead_q == 0 && valid) in_order: assert (data == chosen_data_q);
      fills: cover (chosen_q && 32'(count_q) == Depth && 32'(ahead_q) == Depth - 1);
      both: cover (comes_i && pop_i && 32'(count_q) == Depth - 1);
    end
  end
endmodule
