// SPDX-License-Identifier: Apache-2.0
// Counters that grow by a number of SMs in each cycle, for a reader that looks at one at a time.
// Contract: docs/sm_owner.md R-SO-11. In the cycle after one with ask_i value_o is counter which_i
// as of the start of that one; there is none in two cycles in a row.
// A counter is a sum in a memory, and a few bits that have come since it was last visited. One is
// visited in each cycle: the one that is asked for, or else the next in turn. What it has is added
// to its sum then, which is the value of that cycle.
// Cost: distributed RAM of 48 bits, one adder of 48 bits, and of each counter a population count
// and a small adder.
module qsm_sm_meter #(
  parameter int unsigned NumSms = 4,      // 1..96
  parameter int unsigned NumCounters = 9, // 2..16
  localparam int unsigned CounterW = $clog2(NumCounters)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic [NumCounters-1:0][NumSms-1:0] grows_i,  // each SM here counts one
  input  logic                               ask_i,
  input  logic [CounterW-1:0]                which_i,  // below NumCounters
  output logic [47:0]                        value_o
);
  // From one visit to the next: a turn, and a question in every other cycle of it.
  localparam int unsigned Most = 2 * NumCounters * NumSms;
  localparam int unsigned RestW = $clog2(Most + 1);

  logic [CounterW-1:0] turn_q, place;
  logic [NumCounters-1:0] begun_q;  // there is a sum in the memory, else it is 0
  logic [NumCounters-1:0][RestW-1:0] rest_q;
  logic [47:0] sum_mem[1 << CounterW];
  logic [47:0] value;
  assign place = ask_i ? which_i : turn_q;
  assign value = (begun_q[place] ? sum_mem[place] : '0) + 48'(rest_q[place]);
  always_ff @(posedge clk_i) begin
    sum_mem[place] <= value;
    value_o <= value;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q <= '0;
      begun_q <= '0;
      rest_q <= '0;
    end else begin
      if (!ask_i) turn_q <= (turn_q == CounterW'(NumCounters - 1)) ? '0 : turn_q + CounterW'(1);
      begun_q[place] <= 1'b1;
      for (int unsigned n = 0; n < NumCounters; n++) begin
        rest_q[n] <= ((place == CounterW'(n)) ? '0 : rest_q[n]) + RestW'($countones(grows_i[n]));
      end
    end
  end

`ifndef SYNTHESIS
  logic asked_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) asked_q <= 1'b0;
    else asked_q <= ask_i;
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(ask_i && asked_q))
    else $error("R-CP-13: counters are asked for in two cycles in a row");
  assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(place) < NumCounters)
    else $error("R-SO-11: a counter that there is not");
  for (genvar n = 0; n < NumCounters; n++) begin : g_check
    assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(rest_q[n]) <= Most)
      else $error("R-SO-11: a counter was not visited for too long");
  end
`endif
endmodule
