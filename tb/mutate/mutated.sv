// SPDX-License-Identifier: Apache-2.0
// What test_mutants.sh makes mutants of.
module mutated #(
  parameter int unsigned Width = 4,
  parameter int unsigned Limit = 9,
  parameter type bounds_t = struct packed {logic [3:0] least, unknown, most;}
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             up_i,
  input  logic             down_i,
  input  bounds_t          bounds_i,
  output logic [Width-1:0] count_o,
  output logic             full_o,
  output logic             within_o
);
  if (Limit >= 2 ** Width) $error("mutated: Limit is not below 2^Width");

  typedef enum logic {Stopped, Running} state_e;
  state_e state_q;

  function automatic logic [Width-1:0] rotate(logic [Width-1:0] bits);
    return {bits[0], bits[Width-1:1]};
  endfunction

  logic [Width-1:0] count_q, count_d;
  always_comb begin
    count_d = rotate(count_q);
    if (up_i && !down_i) count_d = count_q + Width'(1);
    for (int unsigned b = 0; b < Width; b++) if (down_i) count_d[b] = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Stopped;
      count_q <= '0;
    end else begin
      state_q <= up_i ? Running : state_q;
      count_q <= count_d;
    end
  end
  assign count_o = count_q;
  assign full_o = state_q == Running && count_q >= Width'(Limit);
  assign within_o = bounds_i.least < bounds_i.most;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) !(up_i && down_i));
`endif
endmodule
