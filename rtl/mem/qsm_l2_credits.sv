// SPDX-License-Identifier: Apache-2.0
// Credits of an L2 slice (docs/l2.md R-L2-3): an operation begins only if all resources that it may
// need are available.
// Contract: take_*: of the op that begins; give_*: of what acts, leaves or is acknowledged. All of
// one cycle add up, and count from the next.
// Observed by the lockstep monitor: *_q (L2).
module qsm_l2_credits #(
  parameter int unsigned Mshrs = 4,
  parameter int unsigned Waiters = 8,
  parameter int unsigned RspDepth = 4,
  parameter int unsigned OutDepth = 8
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  output logic       rsp_o,  // there is one
  output logic       out_o,
  output logic       mshr_o,
  output logic       waiter_o,
  input  logic       take_rsp_i,
  input  logic       take_out_i,
  input  logic       take_mshr_i,
  input  logic       take_waiter_i,
  input  logic [1:0] give_rsp_i,
  input  logic [2:0] give_out_i,
  input  logic [1:0] give_mshr_i,
  input  logic       give_waiter_i
);
  localparam int unsigned RspW = $clog2(RspDepth + 1);
  localparam int unsigned OutW = $clog2(OutDepth + 1);
  localparam int unsigned MshrW = $clog2(Mshrs + 1);
  localparam int unsigned WaiterW = $clog2(Waiters + 1);

  logic [RspW-1:0] rsp_q, rsp_d;
  logic [OutW-1:0] out_q, out_d;
  logic [MshrW-1:0] mshr_q, mshr_d;
  logic [WaiterW-1:0] waiter_q, waiter_d;

  always_comb begin
    rsp_d = rsp_q + RspW'(give_rsp_i[0]) + RspW'(give_rsp_i[1]) - RspW'(take_rsp_i);
    out_d = out_q + OutW'(give_out_i[0]) + OutW'(give_out_i[1]) + OutW'(give_out_i[2]) -
        OutW'(take_out_i);
    mshr_d = mshr_q + MshrW'(give_mshr_i[0]) + MshrW'(give_mshr_i[1]) - MshrW'(take_mshr_i);
    waiter_d = waiter_q + WaiterW'(give_waiter_i) - WaiterW'(take_waiter_i);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rsp_q <= RspW'(RspDepth);
      out_q <= OutW'(OutDepth);
      mshr_q <= MshrW'(Mshrs);
      waiter_q <= WaiterW'(Waiters);
    end else begin
      rsp_q <= rsp_d;
      out_q <= out_d;
      mshr_q <= mshr_d;
      waiter_q <= waiter_d;
    end
  end
  assign rsp_o = rsp_q != '0;
  assign out_o = out_q != '0;
  assign mshr_o = mshr_q != '0;
  assign waiter_o = waiter_q != '0;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   32'(rsp_q) <= RspDepth && 32'(out_q) <= OutDepth && 32'(mshr_q) <= Mshrs &&
                       32'(waiter_q) <= Waiters)
    else $error("R-L2-3: a credit is negative or above its size");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   !(take_rsp_i && !rsp_o) && !(take_out_i && !out_o) &&
                       !(take_mshr_i && !mshr_o) && !(take_waiter_i && !waiter_o))
    else $error("R-L2-3: a credit is taken that is not there");
`endif
endmodule
