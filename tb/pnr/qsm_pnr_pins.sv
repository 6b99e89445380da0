// SPDX-License-Identifier: Apache-2.0
// The GPU behind four pins, to place and route it without a board: every input of it comes from a
// shift register, every output goes into a register and from there into one bit.
// So nothing of the GPU is constant or unused, and its ports end at flip-flops.
// Reset: the chip's global one (SGSR), so no flip-flop of the GPU has a wire for it.
// Cost: a flip-flop per bit of the ports, and a LUT4 for three bits of the outputs.
module qsm_pnr_pins
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,
  output logic bit_o
);
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
  localparam int unsigned GroupW = 16;
  localparam int unsigned Groups = ($bits(outputs_t) + GroupW - 1) / GroupW;

  SGSR u_reset (.CLK(clk_i), .GSR(rst_ni));

  inputs_t in_q;
  // Where the simulation of the netlist meets the GPU (docs/netlist.md R-NL-3). Without `keep` a
  // part of what makes an output can go into the inputs of its flip-flop.
  (* keep *) outputs_t out;
  outputs_t out_q;
  logic [Groups*GroupW-1:0] out_bits;
  logic [Groups-1:0] group_q;
  assign out_bits = (Groups * GroupW)'(out_q);

  always_ff @(posedge clk_i) begin
    in_q <= {in_q[$bits(inputs_t)-2:0], bit_i};
    out_q <= out;
    for (int unsigned g = 0; g < Groups; g++) group_q[g] <= ^out_bits[GroupW*g+:GroupW];
    bit_o <= ^group_q;
  end

  qsm_gpu u_gpu (
    .clk_i, .rst_ni, .axil_req_i(in_q.axil_req), .axil_rsp_o(out.axil_rsp), .irq_o(out.irq),
    .mem_req_o(out.mem_req), .mem_req_ready_i(in_q.mem_req_ready), .mem_rsp_i(in_q.mem_rsp),
    .mem_rsp_ready_o(out.mem_rsp_ready)
  );
endmodule
