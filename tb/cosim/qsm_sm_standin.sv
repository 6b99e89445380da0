// SPDX-License-Identifier: Apache-2.0
// Stands where qsm_gpu has its SMs: the same ports, led to qsm_cosim, behind whose ports the shim
// has the SMs (qsm_sm_block).
module qsm_sm
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [SmW-1:0]         sm_id_i,
  input  desc_t [NumKernels-1:0] desc_i,
  input  sm_direct_t             direct_i,
  input  to_sm_t                 to_sm_i,
  output from_sm_t               from_sm_o,
  output sm_figures_t            figures_o,
  output mem_req_t               req_o,
  input  mem_rsp_t               rsp_i
);
  // Driven by qsm_cosim.
  from_sm_t from_sm;
  sm_figures_t figures;
  mem_req_t req;

  // The shim brings what the SMs send after a clock edge once all of them have seen it: from the
  // middle of the cycle on it is there.
  always_ff @(negedge clk_i) begin
    from_sm_o <= from_sm;
    figures_o <= figures;
    req_o <= req;
  end
endmodule
