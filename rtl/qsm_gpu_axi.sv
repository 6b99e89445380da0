// SPDX-License-Identifier: Apache-2.0
// The GPU with an AXI4 manager on each memory channel, for boards and systems whose memory speaks
// AXI4; control port as that of qsm_gpu.
// Contract: docs/axi.md; a configuration with L2 slices (R-AX-2). Of each AXI4 signal an array over
// the channels.
module qsm_gpu_axi
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned AxiDataW = 64,  // of the data buses: power of two, 32..512, at most a line
  parameter int unsigned AxiIdW = 4,     // 2**AxiIdW accesses of a channel outstanding
  localparam int unsigned AxiStrbW = AxiDataW / 8
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Host.
  input  logic [19:0] s_axil_awaddr_i,
  input  logic        s_axil_awvalid_i,
  output logic        s_axil_awready_o,
  input  logic [31:0] s_axil_wdata_i,
  input  logic [3:0]  s_axil_wstrb_i,
  input  logic        s_axil_wvalid_i,
  output logic        s_axil_wready_o,
  output logic [1:0]  s_axil_bresp_o,
  output logic        s_axil_bvalid_o,
  input  logic        s_axil_bready_i,
  input  logic [19:0] s_axil_araddr_i,
  input  logic        s_axil_arvalid_i,
  output logic        s_axil_arready_o,
  output logic [31:0] s_axil_rdata_o,
  output logic [1:0]  s_axil_rresp_o,
  output logic        s_axil_rvalid_o,
  input  logic        s_axil_rready_i,
  output logic        irq_o,

  // The first error of each channel since reset (R-AX-9).
  output logic [NumChannels-1:0]       error_valid_o,
  output logic [NumChannels-1:0]       error_write_o,
  output logic [NumChannels-1:0][1:0]  error_resp_o,
  output logic [NumChannels-1:0][31:0] error_addr_o,

  // AXI4.
  output logic [NumChannels-1:0]               awvalid_o,
  input  logic [NumChannels-1:0]               awready_i,
  output logic [NumChannels-1:0][AxiIdW-1:0]   awid_o,
  output logic [NumChannels-1:0][31:0]         awaddr_o,
  output logic [NumChannels-1:0][7:0]          awlen_o,
  output logic [NumChannels-1:0][2:0]          awsize_o,
  output logic [NumChannels-1:0][1:0]          awburst_o,
  output logic [NumChannels-1:0]               awlock_o,
  output logic [NumChannels-1:0][3:0]          awcache_o,
  output logic [NumChannels-1:0][2:0]          awprot_o,
  output logic [NumChannels-1:0][3:0]          awqos_o,
  output logic [NumChannels-1:0]               wvalid_o,
  input  logic [NumChannels-1:0]               wready_i,
  output logic [NumChannels-1:0][AxiDataW-1:0] wdata_o,
  output logic [NumChannels-1:0][AxiStrbW-1:0] wstrb_o,
  output logic [NumChannels-1:0]               wlast_o,
  input  logic [NumChannels-1:0]               bvalid_i,
  output logic [NumChannels-1:0]               bready_o,
  input  logic [NumChannels-1:0][AxiIdW-1:0]   bid_i,
  input  logic [NumChannels-1:0][1:0]          bresp_i,
  output logic [NumChannels-1:0]               arvalid_o,
  input  logic [NumChannels-1:0]               arready_i,
  output logic [NumChannels-1:0][AxiIdW-1:0]   arid_o,
  output logic [NumChannels-1:0][31:0]         araddr_o,
  output logic [NumChannels-1:0][7:0]          arlen_o,
  output logic [NumChannels-1:0][2:0]          arsize_o,
  output logic [NumChannels-1:0][1:0]          arburst_o,
  output logic [NumChannels-1:0]               arlock_o,
  output logic [NumChannels-1:0][3:0]          arcache_o,
  output logic [NumChannels-1:0][2:0]          arprot_o,
  output logic [NumChannels-1:0][3:0]          arqos_o,
  input  logic [NumChannels-1:0]               rvalid_i,
  output logic [NumChannels-1:0]               rready_o,
  input  logic [NumChannels-1:0][AxiIdW-1:0]   rid_i,
  input  logic [NumChannels-1:0][AxiDataW-1:0] rdata_i,
  input  logic [NumChannels-1:0][1:0]          rresp_i,
  input  logic [NumChannels-1:0]               rlast_i
);
  if (L2Kib == 0) begin : g_illegal
    $fatal(1, "qsm_gpu_axi: l2_kib = 0, but AXI4 has no atomic operations (docs/axi.md R-AX-2)");
  end

  port_req_t [NumChannels-1:0] req;
  port_rsp_t [NumChannels-1:0] rsp;
  logic [NumChannels-1:0] req_ready, rsp_ready;

  axil_req_t axil_req;
  axil_rsp_t axil_rsp;
  assign axil_req = '{
    awaddr: s_axil_awaddr_i, awvalid: s_axil_awvalid_i,
    wdata: s_axil_wdata_i, wstrb: s_axil_wstrb_i, wvalid: s_axil_wvalid_i, bready: s_axil_bready_i,
    araddr: s_axil_araddr_i, arvalid: s_axil_arvalid_i, rready: s_axil_rready_i
  };
  assign s_axil_awready_o = axil_rsp.awready;
  assign s_axil_wready_o = axil_rsp.wready;
  assign s_axil_bresp_o = axil_rsp.bresp;
  assign s_axil_bvalid_o = axil_rsp.bvalid;
  assign s_axil_arready_o = axil_rsp.arready;
  assign s_axil_rdata_o = axil_rsp.rdata;
  assign s_axil_rresp_o = axil_rsp.rresp;
  assign s_axil_rvalid_o = axil_rsp.rvalid;

  qsm_gpu u_gpu (
    .clk_i, .rst_ni, .axil_req_i(axil_req), .axil_rsp_o(axil_rsp), .irq_o,
    .mem_req_o(req), .mem_req_ready_i(req_ready), .mem_rsp_i(rsp), .mem_rsp_ready_o(rsp_ready)
  );

  logic [NumChannels-1:0] unused;
  for (genvar c = 0; c < NumChannels; c++) begin : g_channel
    qsm_axi #(
      .BytesPerLine(LineBytes), .DataW(AxiDataW), .IdW(AxiIdW), .TagW(PortSmW + PortTagW),
      .InOrder(DramBanks != 0)
    ) u_axi (
      .clk_i, .rst_ni,
      .req_valid_i(req[c].valid), .req_ready_o(req_ready[c]), .req_write_i(req[c].kind == MemWrite),
      .req_line_i(req[c].addr[31:LineOffW]),
      .req_bytes_i(req[c].bytes), .req_data_i(req[c].data), .req_tag_i({req[c].sm, req[c].tag}),
      .rsp_valid_o(rsp[c].valid), .rsp_ready_i(rsp_ready[c]), .rsp_tag_o({rsp[c].sm, rsp[c].tag}),
      .rsp_data_o(rsp[c].data),
      .error_valid_o(error_valid_o[c]), .error_write_o(error_write_o[c]),
      .error_resp_o(error_resp_o[c]), .error_addr_o(error_addr_o[c]),
      .awvalid_o(awvalid_o[c]), .awready_i(awready_i[c]), .awid_o(awid_o[c]),
      .awaddr_o(awaddr_o[c]),
      .wvalid_o(wvalid_o[c]), .wready_i(wready_i[c]), .wdata_o(wdata_o[c]), .wstrb_o(wstrb_o[c]),
      .wlast_o(wlast_o[c]),
      .bvalid_i(bvalid_i[c]), .bready_o(bready_o[c]), .bid_i(bid_i[c]), .bresp_i(bresp_i[c]),
      .arvalid_o(arvalid_o[c]), .arready_i(arready_i[c]), .arid_o(arid_o[c]),
      .araddr_o(araddr_o[c]),
      .rvalid_i(rvalid_i[c]), .rready_o(rready_o[c]), .rid_i(rid_i[c]), .rdata_i(rdata_i[c]),
      .rresp_i(rresp_i[c]), .rlast_i(rlast_i[c]),
      .axlen_o(awlen_o[c]), .axsize_o(awsize_o[c]), .axburst_o(awburst_o[c]),
      .axlock_o(awlock_o[c]), .axcache_o(awcache_o[c]),
      .axprot_o(awprot_o[c]), .axqos_o(awqos_o[c])
    );
    assign unused[c] = ^{req[c].amo, req[c].addr[LineOffW-1:0], req[c].slot};

`ifndef SYNTHESIS
    logic atomic;  // a wide struct in a concurrent assertion is too much for Verilator
    assign atomic = req[c].valid && req[c].kind == MemAmo;
    assert property (@(posedge clk_i) disable iff (!rst_ni) !atomic)
      else $error("R-AX-2: an atomic operation at the port of channel %0d", c);
`endif
  end
  assign arlen_o = awlen_o;
  assign arsize_o = awsize_o;
  assign arburst_o = awburst_o;
  assign arlock_o = awlock_o;
  assign arcache_o = awcache_o;
  assign arprot_o = awprot_o;
  assign arqos_o = awqos_o;
endmodule
