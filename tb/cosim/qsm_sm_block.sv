// SPDX-License-Identifier: Apache-2.0
// One SM as a Verilated model of its own, of which the shim makes NumSms. Every input of an SM
// comes from registers of the GPU level (R-GEN-2, R-GEN-3), so the value that it has after a clock
// edge is known before any SM has seen that edge. A copy of those registers stands here: the shim
// evaluates the GPU level first and gives its new outputs, and then one evaluation of the SM does
// the edge and all that follows from the new inputs.
module qsm_sm_block
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   dump_i,  // as of qsm_cosim
  // The inputs below, with a rising edge: as they are after that edge.
  input  logic [SmW-1:0]         sm_id_i,
  input  desc_t [NumKernels-1:0] desc_i,
  input  sm_direct_t             direct_i,
  input  to_sm_t                 to_sm_i,
  output from_sm_t               from_sm_o,
  output sm_figures_t            figures_o,
  output mem_req_t               req_o,
  input  mem_rsp_t               rsp_i
);
  always_comb qsm_monitor_pkg::dump = dump_i;
  always_comb qsm_monitor_pkg::dump_clock = dump_i && clk_i;

  logic [SmW-1:0] sm_id_q;
  desc_t [NumKernels-1:0] desc_q;
  sm_direct_t direct_q;
  to_sm_t to_sm_q;
  mem_rsp_t rsp_q;
  always_ff @(posedge clk_i) begin
    sm_id_q <= sm_id_i;
    desc_q <= desc_i;
    direct_q <= direct_i;
    to_sm_q <= to_sm_i;
    rsp_q <= rsp_i;
  end

  qsm_sm u_sm (
    .clk_i, .rst_ni, .sm_id_i(sm_id_q), .desc_i(desc_q), .direct_i(direct_q), .to_sm_i(to_sm_q),
    .from_sm_o, .figures_o, .req_o, .rsp_i(rsp_q)
  );
endmodule
