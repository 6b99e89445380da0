// SPDX-License-Identifier: Apache-2.0
// Kernel table entry of one slot: whether a launch is running, the next block, the number of
// resident blocks, whether the launch was killed or yields, and when it ends.
// Contract: docs/tb_sched.md R-TB-1..R-TB-4, R-TB-16, docs/preemption.md R-PE-8, R-PE-10. What
// follows a block in the walk the parent says, for all kernels together. Outputs are registers,
// but for the messages start_o and kill_o, the pulses ended_o and ending_o, and has_block_o and
// ready_o, which follow resume_i.
// Observed by the lockstep monitor: ending_o, killed_o (END), block_o and linear_o (DISPATCH,
// through qsm_tb_sched).
module qsm_tb_kernel #(
  parameter int unsigned NumSms = 4,      // 1..96
  parameter int unsigned OutW = 16,       // counts the TBs that are dispatched and not retired
  parameter int unsigned EndDelay = 16,   // cycles from the last retirement seen to the end, 1..16
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Control registers.
  input  logic             launch_i,      // pulse: accepted write
  input  logic             kill_write_i,  // pulse: accepted write
  input  logic             yield_write_i, // pulse: accepted write
  input  logic             arrival_i,     // pulse: CTX valid 0 -> 1
  // pulses: accepted writes of WALK_XY, WALK_Z, WALK_LINEAR, only while not busy
  input  logic [2:0]       walk_write_i,
  input  logic [31:0]      walk_i,        // what they write
  output logic             busy_o,
  output logic             killed_o,
  output logic             yielded_o,     // the last launch yielded, and its walk has blocks left
  output logic             ending_o,      // pulse: the ending starts (END event)
  output logic             ended_o,       // pulse: last busy cycle
  output logic [31:0]      launches_o,
  output logic             faulted_o,     // killed by a fault, not by the host
  output logic [SmW-1:0]   fault_sm_o,    // which SM has its record, while faulted_o

  // Dispatch.
  output logic             has_block_o,   // a block waits, new or saved
  output logic             ready_o,       // it may be dispatched
  output logic [2:0][15:0] block_o,       // the walk
  output logic [31:0]      linear_o,
  input  logic             dispatch_i,    // a block is dispatched in this cycle
  // The walk behind a new one (qsm_tb_walk), while dispatch_i.
  input  logic [2:0][15:0] next_block_i,
  input  logic [31:0]      next_linear_i,
  input  logic             last_i,        // there is none
  // Preemption.
  input  logic             resume_i,      // not this block, but a saved one is next
  input  logic             unfinished_i,  // a job or a saved block keeps the launch from ending

  // SMs.
  output logic                           start_o,
  output logic                           kill_o,
  input  logic [NumSms-1:0]              fault_i,
  input  logic                           retires_i,  // a TB of it retires in this cycle
  output logic [OutW-1:0]                out_o       // TBs that are out
);
  localparam int unsigned EndW = 4;

  logic busy_q, killed_q, start_q, all_q, yield_q, yielded_q, ending_q;
  logic [EndW-1:0] countdown_q;
  logic [2:0][15:0] block_q;
  logic [31:0] linear_q, launches_q;
  logic [OutW-1:0] out_q;
  logic by_fault_q;
  logic [SmW-1:0] fault_sm_q;

  // ---- end, R-TB-3 ----
  logic no_new;  // it has no new block
  assign no_new = all_q || yield_q;
  assign ending_o = busy_q && !ending_q && (no_new || killed_q) && out_q == '0 && !unfinished_i;
  assign ended_o = ending_q && countdown_q == '0;

  // ---- kill, R-TB-4 ----
  logic [SmW-1:0] first_sm;
  always_comb begin
    first_sm = '0;
    for (int i = NumSms - 1; i >= 0; i--) if (fault_i[i]) first_sm = SmW'(i);
  end
  assign kill_o = (kill_write_i || (|fault_i)) && busy_q && !killed_q && !ending_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      killed_q <= 1'b0;
      yield_q <= 1'b0;
      yielded_q <= 1'b0;
      start_q <= 1'b0;
      ending_q <= 1'b0;
      countdown_q <= '0;
      launches_q <= '0;
      by_fault_q <= 1'b0;
      fault_sm_q <= '0;
    end else begin
      start_q <= launch_i;
      if (launch_i) begin
        busy_q <= 1'b1;
        killed_q <= 1'b0;
        yielded_q <= 1'b0;
      end
      if (yield_write_i) yield_q <= 1'b1;
      if (kill_o) begin
        killed_q <= 1'b1;
        by_fault_q <= |fault_i;
        fault_sm_q <= first_sm;
      end
      countdown_q <= countdown_q - EndW'(1);
      if (ending_o) begin
        ending_q <= 1'b1;
        countdown_q <= EndW'(EndDelay - 1);
      end
      if (ended_o) begin
        busy_q <= 1'b0;
        ending_q <= 1'b0;
        yield_q <= 1'b0;  // also where YIELD comes in this cycle
        yielded_q <= !killed_q && !all_q;
        if (!killed_q && all_q) launches_q <= launches_q + 32'd1;
      end
      if (arrival_i) launches_q <= '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      all_q <= 1'b0;
      block_q <= '0;
      linear_q <= '0;
      out_q <= '0;
    end else begin
      if (launch_i) all_q <= 1'b0;
      if (arrival_i || (ended_o && (killed_q || all_q))) begin
        block_q <= '0;
        linear_q <= '0;
      end else if (dispatch_i && !resume_i) begin
        all_q <= last_i;
        linear_q <= next_linear_i;
        block_q <= next_block_i;
      end else begin
        if (walk_write_i[0]) block_q[1:0] <= walk_i;
        if (walk_write_i[1]) block_q[2] <= walk_i[15:0];
        if (walk_write_i[2]) linear_q <= walk_i;
      end
      out_q <= out_q + OutW'(dispatch_i) - OutW'(retires_i);
    end
  end

  assign busy_o = busy_q;
  assign killed_o = killed_q;
  assign yielded_o = yielded_q;
  assign launches_o = launches_q;
  assign faulted_o = killed_q && by_fault_q;
  assign fault_sm_o = fault_sm_q;
  assign has_block_o = busy_q && !killed_q && (!no_new || resume_i) && !ending_q;
  assign ready_o = has_block_o && !start_q;  // R-TB-1: not before t + 2
  assign out_o = out_q;
  assign block_o = block_q;
  assign linear_o = linear_q;
  assign start_o = start_q;

`ifndef SYNTHESIS
  // LAUNCH is refused while busy
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(launch_i && busy_q));
  // R-TB-3
  assert property (@(posedge clk_i) disable iff (!rst_ni) out_q == '0 || busy_q);
  // R-TB-11
  assert property (@(posedge clk_i) disable iff (!rst_ni) OutW'(retires_i) <= out_q);
  // R-TB-9
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(dispatch_i && !ready_o));
  // R-TB-16: YIELD is refused while not busy, a walk's write while busy
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(yield_write_i && !busy_q));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(walk_write_i != '0 && busy_q));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(dispatch_i && !resume_i && yield_q))
    else $error("R-TB-16: a new block of a launch that yields");
`endif
endmodule
