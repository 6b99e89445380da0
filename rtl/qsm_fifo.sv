// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue. An entry pushed in t is at the output from t+1 on; push and pop may coincide, also when full.
// Storage is written like distributed RAM (one write port, one asynchronous read port, no reset). Depth needs no power of two.
// Contract: no push when full_o unless popped in the same cycle, no pop unless valid_o (asserted).
module qsm_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 2  // entries, 2..
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  input  logic             pop_i,
  output logic             valid_o,  // not empty
  output logic             full_o,
  output logic [Width-1:0] data_o    // oldest entry, while valid_o
);
  localparam int unsigned PtrW = $clog2(Depth);
  localparam int unsigned CountW = $clog2(Depth + 1);
  if (Depth < 2) begin : g_illegal
    $fatal(1, "qsm_fifo: Depth = %0d, must be at least 2", Depth);
  end

  logic [Width-1:0] mem[Depth];
  logic [PtrW-1:0] head_q, tail_q;
  logic [CountW-1:0] count_q;

  function automatic logic [PtrW-1:0] after(input logic [PtrW-1:0] ptr);
    return (ptr == PtrW'(Depth - 1)) ? '0 : ptr + PtrW'(1);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      count_q <= '0;
    end else begin
      if (pop_i) head_q <= after(head_q);
      if (push_i) tail_q <= after(tail_q);
      if (push_i && !pop_i) count_q <= count_q + CountW'(1);
      if (pop_i && !push_i) count_q <= count_q - CountW'(1);
    end
  end

  always_ff @(posedge clk_i) if (push_i) mem[tail_q] <= data_i;

  assign valid_o = count_q != '0;
  assign full_o = count_q == CountW'(Depth);
  assign data_o = mem[head_q];

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(push_i && full_o && !pop_i));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop_i && !valid_o));
`endif
endmodule
