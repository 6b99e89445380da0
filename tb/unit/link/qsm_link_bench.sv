// SPDX-License-Identifier: Apache-2.0
// The host link with a serial line in front of it, or, with ClkPerBit 0, with bytes.
module qsm_link_bench #(
  parameter int unsigned DataW = 32,
  parameter int unsigned ClkPerBit = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        line_i,
  output logic        line_o,
  input  logic        rx_valid_i,
  output logic        rx_ready_o,
  input  logic [7:0]  rx_data_i,
  input  logic        rx_error_i,
  output logic        tx_valid_o,
  input  logic        tx_ready_i,
  output logic [7:0]  tx_data_o,

  output logic        gpu_en_o,
  output logic        gpu_rst_no,
  output logic        drain_o,
  input  logic        drained_i,
  input  logic        irq_i,
  input  logic        gpu_error_i,
  input  logic        mem_ready_i,

  output logic [19:0] axil_awaddr_o,
  output logic        axil_awvalid_o,
  output logic [31:0] axil_wdata_o,
  output logic [3:0]  axil_wstrb_o,
  output logic        axil_wvalid_o,
  input  logic [1:0]  axil_bresp_i,
  input  logic        axil_bvalid_i,
  output logic        axil_bready_o,
  output logic [19:0] axil_araddr_o,
  output logic        axil_arvalid_o,
  input  logic [31:0] axil_rdata_i,
  input  logic [1:0]  axil_rresp_i,
  input  logic        axil_rvalid_i,
  output logic        axil_rready_o,

  output logic               awvalid_o,
  input  logic               awready_i,
  output logic [31:0]        awaddr_o,
  output logic               wvalid_o,
  input  logic               wready_i,
  output logic [DataW/32-1:0][31:0] wdata_o,
  output logic [63:0]        wstrb_o,
  input  logic               bvalid_i,
  output logic               bready_o,
  input  logic [1:0]         bresp_i,
  output logic               arvalid_o,
  input  logic               arready_i,
  output logic [31:0]        araddr_o,
  input  logic               rvalid_i,
  output logic               rready_o,
  input  logic [DataW/32-1:0][31:0] rdata_i,
  input  logic [1:0]         rresp_i,
  output logic               busy_o
);
  logic rx_valid, rx_ready, rx_error, tx_valid, tx_ready;
  logic [7:0] rx_data, tx_data;
  if (ClkPerBit != 0) begin : g_serial
    qsm_uart_rx #(.ClkPerBit(ClkPerBit)) u_uart_rx (
      .clk_i, .rst_ni, .rx_i(line_i), .valid_o(rx_valid), .ready_i(rx_ready), .data_o(rx_data),
      .error_o(rx_error)
    );
    qsm_uart_tx #(.ClkPerBit(ClkPerBit)) u_uart_tx (
      .clk_i, .rst_ni, .valid_i(tx_valid), .ready_o(tx_ready), .data_i(tx_data), .tx_o(line_o)
    );
    assign {rx_ready_o, tx_valid_o, tx_data_o} = '0;
  end else begin : g_bytes
    assign rx_valid = rx_valid_i;
    assign rx_data = rx_data_i;
    assign rx_error = rx_error_i;
    assign tx_ready = tx_ready_i;
    assign rx_ready_o = rx_ready;
    assign tx_valid_o = tx_valid;
    assign tx_data_o = tx_data;
    assign line_o = 1'b1;
  end

  logic [DataW/8-1:0] strb;
  assign wstrb_o = 64'(strb);
  qsm_link #(
    .DataW(DataW), .BuildId(32'h12C0DB34), .ConfigHash(64'hC0DBDCDD_01234567),
    .ClkHz(32'd50_000_000), .MemBytes(32'h10000), .PatienceW(9)
  ) u_link (
    .clk_i, .rst_ni,
    .rx_valid_i(rx_valid), .rx_ready_o(rx_ready), .rx_data_i(rx_data), .rx_error_i(rx_error),
    .tx_valid_o(tx_valid), .tx_ready_i(tx_ready), .tx_data_o(tx_data),
    .gpu_en_o, .gpu_rst_no, .drain_o, .drained_i, .irq_i, .gpu_error_i, .mem_ready_i,
    .axil_awaddr_o, .axil_awvalid_o, .axil_wdata_o, .axil_wstrb_o, .axil_wvalid_o, .axil_bresp_i,
    .axil_bvalid_i, .axil_bready_o, .axil_araddr_o, .axil_arvalid_o, .axil_rdata_i, .axil_rresp_i,
    .axil_rvalid_i, .axil_rready_o,
    .awvalid_o, .awready_i, .awaddr_o, .wvalid_o, .wready_i, .wdata_o, .wstrb_o(strb), .bvalid_i,
    .bready_o, .bresp_i, .arvalid_o, .arready_i, .araddr_o, .rvalid_i, .rready_o, .rdata_i,
    .rresp_i, .busy_o
  );
endmodule
