// SPDX-License-Identifier: Apache-2.0
// Retirements, one in a cycle: messages of the SMs wait in a queue each, and the SMs take turns. So
// what the SMs have left needs one read of the block that goes, and one of its two updates at a
// time. Contract: docs/tb_sched.md R-TB-18. A message that nothing is in the way of is seen in the
// cycle in which it comes.
// Timing: a choice among the SMs from their messages and registers. Cost: a distributed RAM and two
// counters per SM.
module qsm_tb_retire #(
  parameter int unsigned NumSms = 4,  // 1..96
  parameter int unsigned MaxTbs = 8,  // TB slots per SM, 1..32
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Messages.
  input  logic [NumSms-1:0]          valid_i,
  input  logic [NumSms-1:0][TbW-1:0] tb_i,
  input  logic [NumSms-1:0]          saved_i,
  input  logic [NumSms-1:0]          held_i,   // of this SM none is seen in this cycle
  // The one that is seen; sm_o to saved_o while there is one.
  output logic [NumSms-1:0]          seen_o,   // at most one bit
  output logic [SmW-1:0]             sm_o,
  output logic [TbW-1:0]             tb_o,
  output logic                       saved_o
);
  localparam int unsigned CountW = $clog2(MaxTbs + 1);
  typedef struct packed {
    logic saved;
    logic [TbW-1:0] tb;
  } message_t;

  logic [NumSms-1:0] waits, asks, first;  // has a queue; or a message; whose turn it is
  message_t [NumSms-1:0] oldest;
  logic some, unused_some;
  logic [SmW-1:0] from_q, after, first_idx, unused_after;

  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    logic [CountW-1:0] count_q;
    logic [TbW-1:0] head_q;
    message_t queue_mem[1 << TbW];
    message_t come;
    logic push, pop;
    assign come = '{saved: saved_i[i], tb: tb_i[i]};
    assign waits[i] = count_q != '0;
    assign oldest[i] = waits[i] ? queue_mem[head_q] : come;
    assign pop = seen_o[i] && waits[i];
    assign push = valid_i[i] && (waits[i] || !seen_o[i]);
    always_ff @(posedge clk_i) if (push) queue_mem[TbW'(head_q + TbW'(count_q))] <= come;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        count_q <= '0;
        head_q <= '0;
      end else begin
        count_q <= count_q + CountW'(push) - CountW'(pop);
        if (pop) head_q <= head_q + TbW'(1);
      end
    end
`ifndef SYNTHESIS
    assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(count_q) <= MaxTbs)
      else $error("R-TB-18: more blocks retire than an SM has");
`endif
  end

  assign asks = waits | valid_i;
  qsm_rr_pick #(.N(NumSms)) u_first (
    .from_i(from_q), .req_i(asks), .valid_o(some), .grant_o(first), .idx_o(first_idx),
    .after_o(unused_after)
  );
  qsm_rr_pick #(.N(NumSms)) u_pick (
    .from_i(from_q), .req_i(asks & ~held_i), .valid_o(unused_some), .grant_o(seen_o), .idx_o(sm_o),
    .after_o(after)
  );
  assign {saved_o, tb_o} = oldest[sm_o];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) from_q <= '0;
    // Who is held is the first in the next cycle, whoever comes before it then.
    else if (some) from_q <= (seen_o == first) ? after : first_idx;
  end
endmodule
