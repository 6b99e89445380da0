// SPDX-License-Identifier: Apache-2.0
// Monitors of the lockstep, of the GPU level; as qsm_sm_monitors.sv.
module qsm_gpu_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic [NumSms-1:0] dispatch_valid,
  input dispatch_t dispatch,
  input logic [NumKernels-1:0] ending,
  input logic [NumKernels-1:0] busy,
  input logic [NumKernels-1:0] killed,
  input logic [NumKernels-1:0][31:0] launches,
  input logic target_we,
  input logic [SmW-1:0] target_sm,
  input logic [NumKernels-1:0][5:0] target,
  input logic [NumSms-1:0][NumKernels-1:0][5:0] targets,
  input logic epoch_done,
  input logic [NumKernels-1:0][30:0] epoch_quota,
  input logic [NumKernels-1:0][18:0] alpha,
  input logic [NumKernels-1:0][30:0] epoch_insn,
  input logic [NumKernels-1:0][47:0] insn,
  input logic [NumKernels-1:0][47:0] hcyc,
  input port_req_t [NumChannels-1:0] req,
  input logic [NumChannels-1:0] req_ready,
  input port_rsp_t [NumChannels-1:0] rsp,
  input logic [NumChannels-1:0] rsp_ready
);
  bit [1791:0] target_words, epoch_words;
  always_comb begin
    target_words = 1792'(target_sm);
    epoch_words = '0;
    for (int k = 0; k < NumKernels; k++) begin
      target_words[32*(k+1)+:32] = 32'(target[k]);
      epoch_words[32*7*k+:32*7] = {32'(hcyc[k][47:32]), hcyc[k][31:0], 32'(insn[k][47:32]), insn[k][31:0], 32'(epoch_insn[k]), 32'(alpha[k]),
                                   32'(epoch_quota[k])};
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    for (int i = 0; i < NumSms; i++) begin
      if (dispatch_valid[i]) qsm_dpi_event(EvDispatch, 0, 0, 0, 4, 256'({dispatch.linear, 32'(dispatch.kernel), 32'(dispatch.tb), 32'(i)}));
    end
    if (target_we) qsm_dpi_event_wide(EvTargets, 0, 0, 0, 1 + NumKernels, target_words);
    if (ending != '0) qsm_dpi_event(EvEnd, 0, 0, 0, 2, 256'({32'(ending & killed), 32'(ending)}));
    if (epoch_done) qsm_dpi_event_wide(EvEpoch, 0, 0, 0, 7 * NumKernels, epoch_words);
    for (int c = 0; c < NumChannels; c++) begin
      if (req[c].valid && req_ready[c]) begin
        qsm_dpi_event(EvMemReq, c, 0, 0, 4,
                      256'({32'(req[c].tag), 32'(req[c].sm), req[c].addr, 26'd0, req[c].kind, req[c].kind == MemAmo ? req[c].amo : 4'd0}));
      end
      if (rsp[c].valid && rsp_ready[c]) qsm_dpi_event(EvMemRsp, c, 0, 0, 2, 256'({32'(rsp[c].tag), 32'(rsp[c].sm)}));
    end
  end

  always @(posedge clk_i) if (rst_ni && dump) begin
    for (int k = 0; k < NumKernels; k++) begin
      qsm_dpi_state(StSlot, 0, 0, k, 0, int'(busy[k]));
      qsm_dpi_state(StSlot, 0, 0, k, 1, int'(killed[k]));
      qsm_dpi_state(StSlot, 0, 0, k, 4, int'(launches[k]));
      for (int i = 0; i < NumSms; i++) qsm_dpi_state(StTarget, i, 0, k, 0, int'(targets[i][k]));
    end
  end
endmodule
bind qsm_gpu qsm_gpu_monitor u_monitor (
  .clk_i, .rst_ni, .dispatch_valid(dispatch_valid), .dispatch(dispatch), .ending(u_tb_sched.ending), .busy(busy), .killed(killed),
  .launches(launches), .target_we(u_tb_sched.u_alloc.target_we), .target_sm(u_tb_sched.u_alloc.sm_q), .target(u_tb_sched.u_alloc.target_q), .targets(u_tb_sched.u_alloc.target_o),
  .epoch_done(u_qos_mgr.epoch_done), .epoch_quota(epoch_quota), .alpha(alpha), .epoch_insn(epoch_insn), .insn(hist_insn), .hcyc(hist_cycles),
  .req(mem_req_o), .req_ready(mem_req_ready_i), .rsp(mem_rsp_i), .rsp_ready(mem_rsp_ready_o)
);
