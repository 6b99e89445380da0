// SPDX-License-Identifier: Apache-2.0
// qsm_axil, and what watches it, with the names of pins that cocotbext-axi looks for.
module axil_port (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [15:0] s_awaddr,
  input  logic [2:0]  s_awprot,
  input  logic        s_awvalid,
  output logic        s_awready,
  input  logic [31:0] s_wdata,
  input  logic [3:0]  s_wstrb,
  input  logic        s_wvalid,
  output logic        s_wready,
  output logic [1:0]  s_bresp,
  output logic        s_bvalid,
  input  logic        s_bready,
  input  logic [15:0] s_araddr,
  input  logic [2:0]  s_arprot,
  input  logic        s_arvalid,
  output logic        s_arready,
  output logic [31:0] s_rdata,
  output logic [1:0]  s_rresp,
  output logic        s_rvalid,
  input  logic        s_rready,
  output logic        req_valid_o,
  output logic        req_we_o,
  output logic [15:0] req_addr_o,
  output logic [31:0] req_wdata_o,
  input  logic        rsp_err_i,
  input  logic [31:0] rsp_rdata_i
);
  qsm_axil #(.AddrW(20)) u_axil (
    .clk_i, .rst_ni,
    .awaddr_i(s_awaddr), .awvalid_i(s_awvalid), .awready_o(s_awready), .wdata_i(s_wdata),
    .wstrb_i(s_wstrb), .wvalid_i(s_wvalid), .wready_o(s_wready), .bresp_o(s_bresp),
    .bvalid_o(s_bvalid), .bready_i(s_bready), .araddr_i(s_araddr), .arvalid_i(s_arvalid),
    .arready_o(s_arready), .rdata_o(s_rdata), .rresp_o(s_rresp), .rvalid_o(s_rvalid),
    .rready_i(s_rready), .req_valid_o, .req_we_o, .req_addr_o, .req_wdata_o, .rsp_err_i,
    .rsp_rdata_i
  );
  qsm_axil_checker #(.AddrW(20)) u_checker (
    .clk_i, .rst_ni,
    .awaddr_i(s_awaddr), .awvalid_i(s_awvalid), .awready_i(s_awready), .wdata_i(s_wdata),
    .wstrb_i(s_wstrb), .wvalid_i(s_wvalid), .wready_i(s_wready), .bresp_i(s_bresp),
    .bvalid_i(s_bvalid), .bready_i(s_bready), .araddr_i(s_araddr), .arvalid_i(s_arvalid),
    .arready_i(s_arready), .rdata_i(s_rdata), .rresp_i(s_rresp), .rvalid_i(s_rvalid),
    .rready_i(s_rready), .access_i(req_valid_o)
  );
endmodule
