// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue. An entry pushed in t is there from t+1 on; push and pop may coincide.
// Depth needs no power of two.
// Popped = 0: the output is the oldest entry. Storage is distributed RAM (one write port, one
// asynchronous read port, no reset); of two entries flip-flops, which with a multiplexer are two
// thirds of a distributed RAM that has room for sixteen.
// Popped = 1: the output is the entry that was popped last. Storage is block RAM, the output its
// register.
// Contract: no pop unless valid_o; no push when full_o unless, with Popped = 0, popped in the same
// cycle (asserted).
module qsm_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 2,  // entries, 2..
  parameter bit          Popped = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  input  logic             pop_i,
  output logic             valid_o,  // not empty
  output logic             full_o,
  output logic [Width-1:0] data_o    // oldest entry, while valid_o; or the one popped last
);
  localparam int unsigned PtrW = $clog2(Depth);
  localparam int unsigned CountW = $clog2(Depth + 1);
  if (Depth < 2) begin : g_illegal
    $fatal(1, "qsm_fifo: Depth = %0d, must be at least 2", Depth);
  end

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

  assign valid_o = count_q != '0;
  assign full_o = count_q == CountW'(Depth);

  if (Popped) begin : g_block_ram
    // Read and write never use the same entry: the pointers are equal only when the queue is empty
    // (no pop) or full (no push).
    (* ram_style = "block", no_rw_check *) logic [Width-1:0] mem[Depth];
    always_ff @(posedge clk_i) begin
      if (push_i) mem[tail_q] <= data_i;
      if (pop_i) data_o <= mem[head_q];
    end
  end else begin : g_lut_ram
    (* ram_style = (Depth == 2) ? "registers" : "auto" *) logic [Width-1:0] mem[Depth];
    always_ff @(posedge clk_i) if (push_i) mem[tail_q] <= data_i;
    assign data_o = mem[head_q];
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(push_i && full_o && (Popped || !pop_i)));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop_i && !valid_o));
`endif
endmodule
