// SPDX-License-Identifier: Apache-2.0
// A board with memory behind a controller of LiteDRAM: GPU over AXI4, host link on a serial line,
// and what brings both to the controller's native port. gpu_clk_i is clk_i behind a gate that
// gpu_en_o opens. Contract: docs/board.md.
module qsm_board_sdram
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned ClkHz = 50_000_000,
  parameter int unsigned Baud = 2_000_000,
  parameter logic [31:0] BuildId = '0,
  parameter logic [31:0] MemBytes = 32'd33_554_432,
  parameter int unsigned NativeW = 16,
  parameter int unsigned NativeAddrW = 24,
  localparam int unsigned DataW = (NativeW > 32) ? NativeW : 32,  // of the GPU, of the link
  localparam int unsigned IdW = 2  // the memory does one access at a time (R-BD-8)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic gpu_clk_i,
  output logic gpu_en_o,
  output logic gpu_rst_no,  // as the GPU gets it
  input  logic rx_i,
  output logic tx_o,
  output logic busy_o,  // a request is being done
  output logic irq_o,

  input  logic                   mem_ready_i,
  output logic                   cmd_valid_o,
  input  logic                   cmd_ready_i,
  output logic                   cmd_we_o,
  output logic [NativeAddrW-1:0] cmd_addr_o,
  output logic                   wdata_valid_o,
  input  logic                   wdata_ready_i,
  output logic [NativeW/8-1:0]   wdata_we_o,
  output logic [NativeW-1:0]     wdata_o,
  input  logic                   rdata_valid_i,
  output logic                   rdata_ready_o,
  input  logic [NativeW-1:0]     rdata_i
);
  localparam int unsigned ClkPerBit = (ClkHz + Baud / 2) / Baud;
  localparam int unsigned StrbW = DataW / 8;
  if (NumChannels != 1) begin : g_illegal
    $fatal(1, "qsm_board_sdram: num_channels = %0d, must be 1", NumChannels);
  end

  logic rx_valid, rx_ready, rx_error, tx_valid, tx_ready;
  logic [7:0] rx_data, tx_data;
  qsm_uart_rx #(.ClkPerBit(ClkPerBit)) u_uart_rx (
    .clk_i, .rst_ni, .rx_i, .valid_o(rx_valid), .ready_i(rx_ready), .data_o(rx_data),
    .error_o(rx_error)
  );
  qsm_uart_tx #(.ClkPerBit(ClkPerBit)) u_uart_tx (
    .clk_i, .rst_ni, .valid_i(tx_valid), .ready_o(tx_ready), .data_i(tx_data), .tx_o
  );

  axil_req_t axil_req;
  axil_rsp_t axil_rsp;
  logic irq, drain, drained;
  logic [NumChannels-1:0] gpu_error;
  logic l_awvalid, l_awready, l_wvalid, l_wready, l_bvalid, l_bready, l_arvalid, l_arready,
      l_rvalid, l_rready;
  logic [31:0] l_awaddr, l_araddr;
  logic [DataW-1:0] l_wdata, l_rdata;
  logic [StrbW-1:0] l_wstrb;
  qsm_link #(
    .DataW(DataW), .BuildId(BuildId), .ConfigHash(ConfigHash), .ClkHz(ClkHz), .MemBytes(MemBytes)
  ) u_link (
    .clk_i, .rst_ni,
    .rx_valid_i(rx_valid), .rx_ready_o(rx_ready), .rx_data_i(rx_data), .rx_error_i(rx_error),
    .tx_valid_o(tx_valid), .tx_ready_i(tx_ready), .tx_data_o(tx_data),
    .gpu_en_o, .gpu_rst_no, .drain_o(drain), .drained_i(drained), .irq_i(irq),
    .gpu_error_i(gpu_error != '0), .mem_ready_i,
    .axil_awaddr_o(axil_req.awaddr), .axil_awvalid_o(axil_req.awvalid),
    .axil_wdata_o(axil_req.wdata), .axil_wstrb_o(axil_req.wstrb),
    .axil_wvalid_o(axil_req.wvalid), .axil_bresp_i(axil_rsp.bresp),
    .axil_bvalid_i(axil_rsp.bvalid), .axil_bready_o(axil_req.bready),
    .axil_araddr_o(axil_req.araddr), .axil_arvalid_o(axil_req.arvalid),
    .axil_rdata_i(axil_rsp.rdata), .axil_rresp_i(axil_rsp.rresp),
    .axil_rvalid_i(axil_rsp.rvalid), .axil_rready_o(axil_req.rready),
    .awvalid_o(l_awvalid), .awready_i(l_awready), .awaddr_o(l_awaddr),
    .wvalid_o(l_wvalid), .wready_i(l_wready), .wdata_o(l_wdata), .wstrb_o(l_wstrb),
    .bvalid_i(l_bvalid), .bready_o(l_bready), .bresp_i('0),
    .arvalid_o(l_arvalid), .arready_i(l_arready), .araddr_o(l_araddr),
    .rvalid_i(l_rvalid), .rready_o(l_rready), .rdata_i(l_rdata), .rresp_i('0),
    .busy_o
  );
  assign irq_o = irq;

  logic awvalid, awready, wvalid, wready, wlast, bvalid, bready, arvalid, arready, rvalid, rready,
      rlast;
  logic [IdW-1:0] awid, bid, arid, rid;
  logic [31:0] awaddr, araddr;
  logic [DataW-1:0] wdata, rdata;
  logic [StrbW-1:0] wstrb;
  qsm_gpu_axi #(.AxiDataW(DataW), .AxiIdW(IdW)) u_gpu (
    .clk_i(gpu_clk_i), .rst_ni(gpu_rst_no),
    .s_axil_awaddr_i(axil_req.awaddr), .s_axil_awvalid_i(axil_req.awvalid),
    .s_axil_awready_o(axil_rsp.awready), .s_axil_wdata_i(axil_req.wdata),
    .s_axil_wstrb_i(axil_req.wstrb), .s_axil_wvalid_i(axil_req.wvalid),
    .s_axil_wready_o(axil_rsp.wready), .s_axil_bresp_o(axil_rsp.bresp),
    .s_axil_bvalid_o(axil_rsp.bvalid), .s_axil_bready_i(axil_req.bready),
    .s_axil_araddr_i(axil_req.araddr), .s_axil_arvalid_i(axil_req.arvalid),
    .s_axil_arready_o(axil_rsp.arready), .s_axil_rdata_o(axil_rsp.rdata),
    .s_axil_rresp_o(axil_rsp.rresp), .s_axil_rvalid_o(axil_rsp.rvalid),
    .s_axil_rready_i(axil_req.rready), .irq_o(irq),
    .error_valid_o(gpu_error), .error_write_o(), .error_resp_o(), .error_addr_o(),
    .awvalid_o(awvalid), .awready_i(awready), .awid_o(awid), .awaddr_o(awaddr), .awlen_o(),
    .awsize_o(), .awburst_o(), .awlock_o(), .awcache_o(), .awprot_o(), .awqos_o(),
    .wvalid_o(wvalid), .wready_i(wready), .wdata_o(wdata), .wstrb_o(wstrb), .wlast_o(wlast),
    .bvalid_i(bvalid), .bready_o(bready), .bid_i(bid), .bresp_i('0),
    .arvalid_o(arvalid), .arready_i(arready), .arid_o(arid), .araddr_o(araddr), .arlen_o(),
    .arsize_o(), .arburst_o(), .arlock_o(), .arcache_o(), .arprot_o(), .arqos_o(),
    .rvalid_i(rvalid), .rready_o(rready), .rid_i(rid), .rdata_i(rdata), .rresp_i('0),
    .rlast_i(rlast)
  );

  qsm_board_mem #(
    .LineBytes(LineBytes), .DataW(DataW), .NativeW(NativeW), .NativeAddrW(NativeAddrW), .IdW(IdW)
  ) u_mem (
    .clk_i, .rst_ni, .en_i(gpu_en_o), .gpu_rst_ni(gpu_rst_no), .drain_i(drain),
    .drained_o(drained),
    .awvalid_i(awvalid), .awready_o(awready), .awid_i(awid), .awaddr_i(awaddr),
    .wvalid_i(wvalid), .wready_o(wready), .wdata_i(wdata), .wstrb_i(wstrb), .wlast_i(wlast),
    .bvalid_o(bvalid), .bready_i(bready), .bid_o(bid),
    .arvalid_i(arvalid), .arready_o(arready), .arid_i(arid), .araddr_i(araddr),
    .rvalid_o(rvalid), .rready_i(rready), .rid_o(rid), .rdata_o(rdata), .rlast_o(rlast),
    .link_awvalid_i(l_awvalid), .link_awready_o(l_awready), .link_awaddr_i(l_awaddr),
    .link_wvalid_i(l_wvalid), .link_wready_o(l_wready), .link_wdata_i(l_wdata),
    .link_wstrb_i(l_wstrb), .link_bvalid_o(l_bvalid), .link_bready_i(l_bready),
    .link_arvalid_i(l_arvalid), .link_arready_o(l_arready), .link_araddr_i(l_araddr),
    .link_rvalid_o(l_rvalid), .link_rready_i(l_rready), .link_rdata_o(l_rdata),
    .cmd_valid_o, .cmd_ready_i, .cmd_we_o, .cmd_addr_o, .wdata_valid_o, .wdata_ready_i,
    .wdata_we_o, .wdata_o, .rdata_valid_i, .rdata_ready_o, .native_rdata_i(rdata_i)
  );
  logic unused;
  assign unused = ^{axil_rsp.awready, axil_rsp.wready, axil_rsp.arready};  // always, as it is used
endmodule
