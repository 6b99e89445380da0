// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue for entries that are known a cycle before they are pushed. They are
// written in that cycle already, so that a read before the next finds them: the wide part of an
// entry lies in block RAM, and nothing of it in flip-flops.
// Contract: what comes in t is pushed in t + 1 and is there from t + 2 on; an entry has its place
// from the cycle on in which it comes. No pop unless valid_o (asserted). Depth needs no power of
// two.
// Cost: the low WideW bits in block RAM, whose register shows the oldest entry; the others in
// distributed RAM.
module qsm_fifo_ahead #(
  parameter int unsigned Width = 8,
  parameter int unsigned WideW = 4,  // 1..Width - 1
  parameter int unsigned Depth = 2   // entries, 2..
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             comes_i,
  input  logic [Width-1:0] data_i,
  input  logic             pop_i,
  output logic             valid_o,  // not empty
  output logic [Width-1:0] data_o    // oldest entry, while valid_o
);
  localparam int unsigned PtrW = $clog2(Depth);
  localparam int unsigned CountW = $clog2(Depth + 1);
  if (Depth < 2) begin : g_illegal
    $fatal(1, "qsm_fifo_ahead: Depth = %0d, must be at least 2", Depth);
  end

  logic push_q;  // what came is pushed
  logic [PtrW-1:0] head_q, head_d, tail_q;
  logic [CountW-1:0] count_q;

  function automatic logic [PtrW-1:0] after(input logic [PtrW-1:0] ptr);
    return (ptr == PtrW'(Depth - 1)) ? '0 : ptr + PtrW'(1);
  endfunction

  assign head_d = pop_i ? after(head_q) : head_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      push_q <= 1'b0;
      head_q <= '0;
      tail_q <= '0;
      count_q <= '0;
    end else begin
      push_q <= comes_i;
      head_q <= head_d;
      if (comes_i) tail_q <= after(tail_q);
      if (push_q && !pop_i) count_q <= count_q + CountW'(1);
      if (pop_i && !push_q) count_q <= count_q - CountW'(1);
    end
  end
  assign valid_o = count_q != '0;

  // The entry that is read is not written: it came before this cycle.
  (* ram_style = "block", no_rw_check *) logic [WideW-1:0] wide_mem[Depth];
  logic [Width-WideW-1:0] mem[Depth];
  logic [WideW-1:0] wide_q;
  always_ff @(posedge clk_i) begin
    if (comes_i) begin
      wide_mem[tail_q] <= data_i[WideW-1:0];
      mem[tail_q] <= data_i[Width-1:WideW];
    end
    if (pop_i || (push_q && !valid_o)) wide_q <= wide_mem[head_d];
  end
  assign data_o = {mem[head_q], wide_q};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(comes_i && 32'(count_q) + 32'(push_q) == Depth));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop_i && !valid_o));
`endif
endmodule
