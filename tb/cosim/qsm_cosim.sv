// SPDX-License-Identifier: Apache-2.0
// Simulation top: the GPU with its ports turned into vectors of 32-bit words, which the C++ shim
// reads and writes the same way for every configuration. Word layout (per channel): request {addr,
// {kind, amo}, {sm, tag, slot}, bytes, data}, response {sm, tag, data}.
// With QSM_NETLIST the GPU is a netlist with its SMs in it, of which only the ports are seen
// (docs/netlist.md).
module qsm_cosim
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  localparam int unsigned MaskWords = (LineBytes + 31) / 32,
  localparam int unsigned ReqWords = 5 + MaskWords + WarpSize,
  localparam int unsigned RspWords = 2 + WarpSize
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic dump_i,  // report all state in this cycle (qsm_*_monitors.sv)

  input  logic        ctl_valid_i,
  input  logic        ctl_we_i,
  input  logic [19:0] ctl_addr_i,
  input  logic [31:0] ctl_wdata_i,
  output logic        ctl_answer_o,  // of the access that was done in the last cycle
  output logic        ctl_err_o,
  output logic [31:0] ctl_rdata_o,
  output logic        irq_o,

  output logic [15:0] req_valid_o,
  input  logic [15:0] req_ready_i,
  output logic [NumChannels-1:0][ReqWords-1:0][31:0] req_o,
  input  logic [15:0] rsp_valid_i,
  output logic [15:0] rsp_ready_o,
  input  logic [NumChannels-1:0][RspWords-1:0][31:0] rsp_i,

`ifndef QSM_NETLIST
  // SMs: qsm_sm_block, by the shim.
  output logic [SmW-1:0] sm_id_o[NumSms],
  output desc_t [NumKernels-1:0] sm_desc_o,
  output sm_direct_t sm_direct_o,
  output to_sm_t to_sm_o[NumSms],
  input  from_sm_t from_sm_i[NumSms],
  input  sm_figures_t sm_figures_i[NumSms],
  input  mem_req_t sm_req_i[NumSms],
  output mem_rsp_t sm_rsp_o[NumSms],
`endif

  // What this build is, for the shim's check.
  output logic [31:0] num_sms_o, num_sched_o, warps_per_sm_o, warp_size_o, num_kernels_o,
      num_channels_o
);
  always_comb qsm_monitor_pkg::dump = dump_i;
  always_comb qsm_monitor_pkg::dump_clock = dump_i && clk_i;

  port_req_t [NumChannels-1:0] mem_req;
  port_rsp_t [NumChannels-1:0] mem_rsp;
  logic [NumChannels-1:0] mem_rsp_ready;
  // A master that always takes a response; all parts of an access come together.
  axil_req_t axil_req;
  axil_rsp_t axil_rsp;
  assign axil_req = '{
    awaddr: ctl_addr_i, awvalid: ctl_valid_i && ctl_we_i,
    wdata: ctl_wdata_i, wstrb: '1, wvalid: ctl_valid_i && ctl_we_i, bready: 1'b1,
    araddr: ctl_addr_i, arvalid: ctl_valid_i && !ctl_we_i, rready: 1'b1
  };
  assert property (@(posedge clk_i) disable iff (!rst_ni) ctl_valid_i |->
      ctl_we_i ? axil_rsp.awready && axil_rsp.wready : axil_rsp.arready)
    else $error("R-CP-12: the control port has no place for an access");

  // Something else with these ports may stand here, with the GPU in it (tb/axi).
`ifndef QSM_GPU
`define QSM_GPU qsm_gpu
`define QSM_GPU_PATH u_gpu
`endif
  `QSM_GPU u_gpu (
    .clk_i, .rst_ni,
    .axil_req_i(axil_req), .axil_rsp_o(axil_rsp), .irq_o,
    .mem_req_o(mem_req), .mem_req_ready_i(req_ready_i[NumChannels-1:0]),
    .mem_rsp_i(mem_rsp), .mem_rsp_ready_o(mem_rsp_ready)
  );
  qsm_axil_checker #(.AddrW(20)) u_axil_checker (
    .clk_i, .rst_ni,
    .awaddr_i(axil_req.awaddr), .awvalid_i(axil_req.awvalid), .awready_i(axil_rsp.awready),
    .wdata_i(axil_req.wdata), .wstrb_i(axil_req.wstrb), .wvalid_i(axil_req.wvalid),
    .wready_i(axil_rsp.wready), .bresp_i(axil_rsp.bresp), .bvalid_i(axil_rsp.bvalid),
    .bready_i(axil_req.bready), .araddr_i(axil_req.araddr), .arvalid_i(axil_req.arvalid),
    .arready_i(axil_rsp.arready), .rdata_i(axil_rsp.rdata), .rresp_i(axil_rsp.rresp),
    .rvalid_i(axil_rsp.rvalid), .rready_i(axil_req.rready),
`ifdef QSM_NETLIST
    .access_i(1'b0)
  );
`else
    .access_i(`QSM_GPU_PATH.host_req.valid)
  );

  assign sm_desc_o = `QSM_GPU_PATH.g_sm[0].u_sm.desc_i;  // the same for all, like sm_direct_o
  assign sm_direct_o = `QSM_GPU_PATH.g_sm[0].u_sm.direct_i;
  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    assign sm_id_o[i] = `QSM_GPU_PATH.g_sm[i].u_sm.sm_id_i;
    assign to_sm_o[i] = `QSM_GPU_PATH.g_sm[i].u_sm.to_sm_i;
    assign sm_rsp_o[i] = `QSM_GPU_PATH.g_sm[i].u_sm.rsp_i;
    assign `QSM_GPU_PATH.g_sm[i].u_sm.from_sm = from_sm_i[i];
    assign `QSM_GPU_PATH.g_sm[i].u_sm.figures = sm_figures_i[i];
    assign `QSM_GPU_PATH.g_sm[i].u_sm.req = sm_req_i[i];
  end
`endif

  always_comb begin
    req_valid_o = '0;
    for (int unsigned c = 0; c < NumChannels; c++) begin
      req_valid_o[c] = mem_req[c].valid;
      req_o[c][0] = mem_req[c].addr;
      req_o[c][1] = 32'({mem_req[c].kind, mem_req[c].amo});
      req_o[c][2] = 32'(mem_req[c].sm);
      req_o[c][3] = 32'(mem_req[c].tag);
      req_o[c][4] = 32'(mem_req[c].slot);
      for (int unsigned w = 0; w < MaskWords; w++) begin
        req_o[c][5+w] = 32'(mem_req[c].bytes >> (32 * w));
      end
      for (int unsigned l = 0; l < WarpSize; l++) begin
        req_o[c][5+MaskWords+l] = mem_req[c].data[l];
      end
      mem_rsp[c].valid = rsp_valid_i[c];
      mem_rsp[c].sm = rsp_i[c][0][PortSmW-1:0];
      mem_rsp[c].tag = rsp_i[c][1][PortTagW-1:0];
      for (int unsigned l = 0; l < WarpSize; l++) begin
        mem_rsp[c].data[l] = rsp_i[c][2+l];
      end
    end
  end

  assign rsp_ready_o = 16'(mem_rsp_ready);
  assign ctl_answer_o = axil_rsp.bvalid || axil_rsp.rvalid;
  assign ctl_err_o = (axil_rsp.bvalid && axil_rsp.bresp[1]) ||
                     (axil_rsp.rvalid && axil_rsp.rresp[1]);
  assign ctl_rdata_o = axil_rsp.rvalid ? axil_rsp.rdata : '0;
  assign num_sms_o = NumSms;
  assign num_sched_o = NumSched;
  assign warps_per_sm_o = WarpsPerSm;
  assign warp_size_o = WarpSize;
  assign num_kernels_o = NumKernels;
  assign num_channels_o = NumChannels;
endmodule
