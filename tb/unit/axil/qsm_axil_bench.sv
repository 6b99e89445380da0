// SPDX-License-Identifier: Apache-2.0
// qsm_axil between a master of the bench and a register file of the bench, watched by the checker.
module qsm_axil_bench (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [19:0] awaddr_i,
  input  logic        awvalid_i,
  output logic        awready_o,
  input  logic [31:0] wdata_i,
  input  logic [3:0]  wstrb_i,
  input  logic        wvalid_i,
  output logic        wready_o,
  output logic [1:0]  bresp_o,
  output logic        bvalid_o,
  input  logic        bready_i,
  input  logic [19:0] araddr_i,
  input  logic        arvalid_i,
  output logic        arready_o,
  output logic [31:0] rdata_o,
  output logic [1:0]  rresp_o,
  output logic        rvalid_o,
  input  logic        rready_i,
  output logic        req_valid_o,
  output logic        req_we_o,
  output logic [15:0] req_addr_o,
  output logic [31:0] req_wdata_o,
  input  logic        rsp_err_i,
  input  logic [31:0] rsp_rdata_i
);
  qsm_axil #(.AddrW(20)) u_axil (.*);
  qsm_axil_checker #(.AddrW(20)) u_checker (
    .clk_i, .rst_ni, .awaddr_i, .awvalid_i, .awready_i(awready_o), .wdata_i, .wstrb_i, .wvalid_i,
    .wready_i(wready_o), .bresp_i(bresp_o), .bvalid_i(bvalid_o), .bready_i, .araddr_i, .arvalid_i,
    .arready_i(arready_o), .rdata_i(rdata_o), .rresp_i(rresp_o), .rvalid_i(rvalid_o), .rready_i,
    .access_i(req_valid_o)
  );
endmodule
