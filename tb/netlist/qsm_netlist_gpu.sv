// SPDX-License-Identifier: Apache-2.0
// Stands where the lockstep's top has qsm_gpu: the same ports, led to the netlist of qsm_pnr_pins
// (tb/pnr), whose register of the GPU's inputs is cut (scripts/netlist.py). Requests are seen
// behind the register of the GPU's outputs, in the next cycle (R-NL-3).
module qsm_netlist_gpu
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  axil_req_t axil_req_i,
  output axil_rsp_t axil_rsp_o,
  output logic      irq_o,
  output port_req_t [NumChannels-1:0] mem_req_o,
  input  logic      [NumChannels-1:0] mem_req_ready_i,
  input  port_rsp_t [NumChannels-1:0] mem_rsp_i,
  output logic      [NumChannels-1:0] mem_rsp_ready_o
);
  // As qsm_pnr_pins has them.
  typedef struct packed {
    axil_req_t axil_req;
    logic      [NumChannels-1:0] mem_req_ready;
    port_rsp_t [NumChannels-1:0] mem_rsp;
  } inputs_t;
  typedef struct packed {
    axil_rsp_t axil_rsp;
    logic      irq;
    port_req_t [NumChannels-1:0] mem_req;
    logic      [NumChannels-1:0] mem_rsp_ready;
  } outputs_t;

  inputs_t in;
  outputs_t late, out;  // of the cycle before, and of this one, without requests
  assign in = '{axil_req: axil_req_i, mem_req_ready: mem_req_ready_i, mem_rsp: mem_rsp_i};
  assign axil_rsp_o = out.axil_rsp;
  assign irq_o = out.irq;
  assign mem_rsp_ready_o = out.mem_rsp_ready;
  assign mem_req_o = late.mem_req;

  qsm_netlist #(.InW($bits(inputs_t)), .OutW($bits(outputs_t))) u_netlist (
    .clk_i, .rst_ni, .bit_i(1'b0), .bit_o(), .in_i(in), .out_o(late), .before_o(out)
  );

  logic [NumChannels-1:0] ready_q;  // of the cycle in which the request was there
  always_ff @(posedge clk_i) ready_q <= mem_req_ready_i;
endmodule
bind qsm_netlist_gpu qsm_port_monitor #(.RequestLate(1)) u_port_monitor (
  .clk_i, .rst_ni, .irq(irq_o), .req(mem_req_o), .req_ready(ready_q), .rsp(mem_rsp_i),
  .rsp_ready(mem_rsp_ready_o)
);
