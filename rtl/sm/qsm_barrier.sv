// SPDX-License-Identifier: Apache-2.0
// Warps left and warps at the barrier, per thread-block slot; releases. docs/sm.md (R-SM-3,
// R-SM-6).
// Contract: arrivals and finishes belong to valid slots; at most one of each per sub-core and
// cycle.
// Latency: the last arrival counts at the end of e; release in e + 1.
// Cost: MaxTbs x 2 counters of log2(WarpsPerSm + 1) bits.
// Observed by the lockstep monitor: release_o (RELEASE); left_q, arrived_q (state).
module qsm_barrier
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  localparam int unsigned CountW = $clog2(WarpsPerSm + 1)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic      [NumKernels-1:0] killed_i,
  input  logic                       new_valid_i,  // a thread block arrives (R-SM-1)
  input  logic      [TbW-1:0]        new_tb_i,
  input  logic      [CountW-1:0]     new_warps_i,  // its warps
  input  logic      [MaxTbs-1:0]     tb_valid_i,
  input  tb_info_t  [MaxTbs-1:0]     tb_info_i,
  input  tb_event_t [NumSched-1:0]   arrive_i,     // R-WS-4
  input  tb_event_t [NumSched-1:0]   finish_i,     // R-WS-10
  input  logic                       evict_i,      // R-PE-17
  input  logic      [TbW-1:0]        evict_tb_i,
  output logic      [MaxTbs-1:0]     release_o,    // pulse in the release cycle r of R-WS-8
  output logic      [MaxTbs-1:0]     left_zero_o
);
  typedef logic [CountW-1:0] count_t;

  count_t [MaxTbs-1:0] left_q, left_d, arrived_q, arrived_d;

  // How many of the sub-cores' events are for slot s
  function automatic count_t events_of(input tb_event_t [NumSched-1:0] events,
      input logic [TbW-1:0] s);
    events_of = '0;
    for (int unsigned i = 0; i < NumSched; i++) begin
      events_of += count_t'(events[i].valid && events[i].tb == s);
    end
  endfunction

  for (genvar s = 0; s < MaxTbs; s++) begin : g_tb
    logic fresh, killed;
    assign fresh  = new_valid_i && new_tb_i == TbW'(s);
    assign killed = killed_i[tb_info_i[s].kernel];

    assign release_o[s]   = tb_valid_i[s] && arrived_q[s] == left_q[s] && arrived_q[s] != '0;
    assign left_zero_o[s] = left_q[s] == '0;

    always_comb begin
      left_d[s]    = left_q[s] - events_of(finish_i, TbW'(s));
      arrived_d[s] = arrived_q[s] + events_of(arrive_i, TbW'(s));
      if (release_o[s] || killed || (evict_i && evict_tb_i == TbW'(s))) arrived_d[s] = '0;
      if (fresh) begin
        left_d[s]    = new_warps_i;
        arrived_d[s] = '0;
      end
    end

`ifndef SYNTHESIS
    a_release_alone: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (release_o[s] && !killed) |-> events_of(arrive_i, TbW'(s)) == '0)
      else $error("R-SM-3: a warp arrives while its barrier is released");
    a_arrived_bound: assert property (@(posedge clk_i) disable iff (!rst_ni)
        tb_valid_i[s] |-> arrived_q[s] <= left_q[s])
      else $error("R-SM-3: more warps arrived than are left");
    a_finish_bound: assert property (@(posedge clk_i) disable iff (!rst_ni)
        events_of(finish_i, TbW'(s)) <= left_q[s])
      else $error("R-SM-3: more warps finish than are left");
`endif
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q    <= '0;
      arrived_q <= '0;
    end else begin
      left_q    <= left_d;
      arrived_q <= arrived_d;
    end
  end
endmodule
