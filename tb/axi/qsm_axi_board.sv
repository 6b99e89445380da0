// SPDX-License-Identifier: Apache-2.0
// Stands where the lockstep's top has qsm_gpu: the same ports, but between GPU and simulated memory
// all goes over AXI4.
module qsm_axi_board
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned AxiDataW = 64,
  parameter int unsigned AxiIdW = 3
) (
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
  logic [NumChannels-1:0] awvalid, awready, wvalid, wready, wlast, bvalid, bready, arvalid, arready,
      rvalid, rready, rlast, error;
  logic [NumChannels-1:0][AxiIdW-1:0] awid, bid, arid, rid;
  logic [NumChannels-1:0][31:0] awaddr, araddr;
  logic [NumChannels-1:0][AxiDataW-1:0] wdata, rdata;
  logic [NumChannels-1:0][AxiDataW/8-1:0] wstrb;
  logic [NumChannels-1:0][7:0] awlen, arlen;
  logic [NumChannels-1:0][2:0] awsize, arsize;

  qsm_gpu_axi #(.AxiDataW(AxiDataW), .AxiIdW(AxiIdW)) u_axi (
    .clk_i, .rst_ni,
    .s_axil_awaddr_i(axil_req_i.awaddr), .s_axil_awvalid_i(axil_req_i.awvalid),
    .s_axil_awready_o(axil_rsp_o.awready), .s_axil_wdata_i(axil_req_i.wdata),
    .s_axil_wstrb_i(axil_req_i.wstrb), .s_axil_wvalid_i(axil_req_i.wvalid),
    .s_axil_wready_o(axil_rsp_o.wready), .s_axil_bresp_o(axil_rsp_o.bresp),
    .s_axil_bvalid_o(axil_rsp_o.bvalid), .s_axil_bready_i(axil_req_i.bready),
    .s_axil_araddr_i(axil_req_i.araddr), .s_axil_arvalid_i(axil_req_i.arvalid),
    .s_axil_arready_o(axil_rsp_o.arready), .s_axil_rdata_o(axil_rsp_o.rdata),
    .s_axil_rresp_o(axil_rsp_o.rresp), .s_axil_rvalid_o(axil_rsp_o.rvalid),
    .s_axil_rready_i(axil_req_i.rready), .irq_o,
    .error_valid_o(error), .error_write_o(), .error_resp_o(), .error_addr_o(),
    .awvalid_o(awvalid), .awready_i(awready), .awid_o(awid), .awaddr_o(awaddr), .awlen_o(awlen),
    .awsize_o(awsize), .awburst_o(), .awlock_o(),
    .awcache_o(), .awprot_o(), .awqos_o(),
    .wvalid_o(wvalid), .wready_i(wready), .wdata_o(wdata), .wstrb_o(wstrb), .wlast_o(wlast),
    .bvalid_i(bvalid), .bready_o(bready), .bid_i(bid), .bresp_i('0),
    .arvalid_o(arvalid), .arready_i(arready), .arid_o(arid), .araddr_o(araddr), .arlen_o(arlen),
    .arsize_o(arsize), .arburst_o(), .arlock_o(),
    .arcache_o(), .arprot_o(), .arqos_o(),
    .rvalid_i(rvalid), .rready_o(rready), .rid_i(rid), .rdata_i(rdata), .rresp_i('0),
    .rlast_i(rlast)
  );

  for (genvar c = 0; c < NumChannels; c++) begin : g_channel
    qsm_axi_endpoint #(.DataW(AxiDataW), .IdW(AxiIdW), .Seed(32'(c + 1))) u_endpoint (
      .clk_i, .rst_ni,
      .awvalid_i(awvalid[c]), .awready_o(awready[c]), .awid_i(awid[c]), .awaddr_i(awaddr[c]),
      .wvalid_i(wvalid[c]), .wready_o(wready[c]), .wdata_i(wdata[c]), .wstrb_i(wstrb[c]),
      .wlast_i(wlast[c]),
      .bvalid_o(bvalid[c]), .bready_i(bready[c]), .bid_o(bid[c]),
      .arvalid_i(arvalid[c]), .arready_o(arready[c]), .arid_i(arid[c]), .araddr_i(araddr[c]),
      .rvalid_o(rvalid[c]), .rready_i(rready[c]), .rid_o(rid[c]), .rdata_o(rdata[c]),
      .rlast_o(rlast[c]),
      .req_o(mem_req_o[c]), .req_ready_i(mem_req_ready_i[c]), .rsp_i(mem_rsp_i[c]),
      .rsp_ready_o(mem_rsp_ready_o[c])
    );
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        awvalid[c] |-> awlen[c] == 8'(8 * LineBytes / AxiDataW - 1) && 8 << awsize[c] == AxiDataW);
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        arvalid[c] |-> arlen[c] == 8'(8 * LineBytes / AxiDataW - 1) && 8 << arsize[c] == AxiDataW);
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !error[c]) else $error("R-AX-9: an error that nobody made");
  end
endmodule
