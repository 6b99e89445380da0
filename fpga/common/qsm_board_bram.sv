// SPDX-License-Identifier: Apache-2.0
// A board with nothing but the FPGA: GPU, host link on a serial line, block RAM for memory.
// gpu_clk_i is clk_i behind a gate that gpu_en_o opens. Contract: docs/board.md.
module qsm_board_bram
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned ClkHz = 25_000_000,
  parameter int unsigned Baud = 1_000_000,
  parameter logic [31:0] BuildId = '0,
  parameter int unsigned MemBytes = 262_144,
  parameter int unsigned MemLatency = 8  // cycles, as mem_latency of the configuration
) (
  input  logic clk_i,
  input  logic rst_ni,     // of this board
  input  logic gpu_clk_i,
  output logic gpu_en_o,
  output logic gpu_rst_no,  // as the GPU gets it
  input  logic rx_i,
  output logic tx_o,
  output logic busy_o,     // a request is being done
  output logic irq_o
);
  localparam int unsigned ClkPerBit = (ClkHz + Baud / 2) / Baud;
  localparam int unsigned LineW = 8 * LineBytes;
  // Responses that wait for the GPU at most (docs/xbar.md R-XB-1, docs/l2.md R-L2-3).
  localparam int unsigned Most = NumSms * (MemTxns + NumSched) + L2Mshrs + 4 +
      ((NumCmd != 0) ? 2 * DmaEntries + 1 : 0);
  if (NumChannels != 1) begin : g_illegal
    $fatal(1, "qsm_board_bram: num_channels = %0d, must be 1", NumChannels);
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
  logic irq;
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready, drain;
  logic [31:0] awaddr, araddr;
  logic [LineW-1:0] wdata, rdata;
  logic [LineBytes-1:0] wstrb;
  qsm_link #(
    .DataW(LineW), .BuildId(BuildId), .ConfigHash(ConfigHash), .ClkHz(ClkHz), .MemBytes(MemBytes)
  ) u_link (
    .clk_i, .rst_ni,
    .rx_valid_i(rx_valid), .rx_ready_o(rx_ready), .rx_data_i(rx_data), .rx_error_i(rx_error),
    .tx_valid_o(tx_valid), .tx_ready_i(tx_ready), .tx_data_o(tx_data),
    .gpu_en_o, .gpu_rst_no, .drain_o(drain), .drained_i(1'b1), .irq_i(irq),
    .gpu_error_i(1'b0), .mem_ready_i(1'b1),
    .axil_awaddr_o(axil_req.awaddr), .axil_awvalid_o(axil_req.awvalid),
    .axil_wdata_o(axil_req.wdata), .axil_wstrb_o(axil_req.wstrb),
    .axil_wvalid_o(axil_req.wvalid), .axil_bresp_i(axil_rsp.bresp),
    .axil_bvalid_i(axil_rsp.bvalid), .axil_bready_o(axil_req.bready),
    .axil_araddr_o(axil_req.araddr), .axil_arvalid_o(axil_req.arvalid),
    .axil_rdata_i(axil_rsp.rdata), .axil_rresp_i(axil_rsp.rresp),
    .axil_rvalid_i(axil_rsp.rvalid), .axil_rready_o(axil_req.rready),
    .awvalid_o(awvalid), .awready_i(awready), .awaddr_o(awaddr),
    .wvalid_o(wvalid), .wready_i(wready), .wdata_o(wdata), .wstrb_o(wstrb),
    .bvalid_i(bvalid), .bready_o(bready), .bresp_i('0),
    .arvalid_o(arvalid), .arready_i(arready), .araddr_o(araddr),
    .rvalid_i(rvalid), .rready_o(rready), .rdata_i(rdata), .rresp_i('0),
    .busy_o
  );

  port_req_t [NumChannels-1:0] req;
  port_rsp_t [NumChannels-1:0] rsp;
  logic [NumChannels-1:0] req_ready, rsp_ready;
  qsm_gpu u_gpu (
    .clk_i(gpu_clk_i), .rst_ni(gpu_rst_no), .axil_req_i(axil_req), .axil_rsp_o(axil_rsp),
    .irq_o(irq),
    .mem_req_o(req), .mem_req_ready_i(req_ready), .mem_rsp_i(rsp), .mem_rsp_ready_o(rsp_ready)
  );
  assign irq_o = irq;

  qsm_board_ram #(
    .MemBytes(MemBytes), .Latency(MemLatency), .Most(1 << $clog2(Most))
  ) u_ram (
    .clk_i, .rst_ni, .en_i(gpu_en_o), .gpu_rst_ni(gpu_rst_no),
    .req_i(req[0]), .req_ready_o(req_ready[0]), .rsp_o(rsp[0]), .rsp_ready_i(rsp_ready[0]),
    .awvalid_i(awvalid), .awready_o(awready), .awaddr_i(awaddr),
    .wvalid_i(wvalid), .wready_o(wready), .wdata_i(wdata), .wstrb_i(wstrb),
    .bvalid_o(bvalid), .bready_i(bready),
    .arvalid_i(arvalid), .arready_o(arready), .araddr_i(araddr),
    .rvalid_o(rvalid), .rready_i(rready), .rdata_o(rdata)
  );

  logic unused;
  // A memory that is reset with the GPU needs no drain; the port is always ready, as it is used.
  assign unused = ^{drain, axil_rsp.awready, axil_rsp.wready, axil_rsp.arready};
endmodule
