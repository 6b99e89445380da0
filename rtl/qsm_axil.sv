// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite slave in front of the control port's registers: turns writes and reads into accesses of
// qsm_ctrl, one at a time.
// Contract: docs/control_port.md (R-CP-7 to R-CP-13). Latency: at an idle port the access is chosen
// in the cycle in which its last channel arrives, done by others in the next one, and answered in
// the one after that; one in two cycles.
// Every output comes from registers here or from rsp_i: none depends on an AXI input of its cycle.
// Cost: one address, one word and one address of buffer, one response of each kind.
module qsm_axil #(
  parameter int unsigned AddrW = 20
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [AddrW-1:0] awaddr_i,
  input  logic             awvalid_i,
  output logic             awready_o,
  input  logic [31:0]      wdata_i,
  input  logic [3:0]       wstrb_i,
  input  logic             wvalid_i,
  output logic             wready_o,
  output logic [1:0]       bresp_o,
  output logic             bvalid_o,
  input  logic             bready_i,
  input  logic [AddrW-1:0] araddr_i,
  input  logic             arvalid_i,
  output logic             arready_o,
  output logic [31:0]      rdata_o,
  output logic [1:0]       rresp_o,
  output logic             rvalid_o,
  input  logic             rready_i,

  // Access that is chosen, and the answer of the one chosen two cycles before.
  output logic             req_valid_o,
  output logic             req_we_o,
  output logic [AddrW-1:0] req_addr_o,
  output logic [31:0]      req_wdata_o,
  input  logic             rsp_err_i,
  input  logic [31:0]      rsp_rdata_i
);
  localparam logic [1:0] RespOkay = 2'b00, RespSlvErr = 2'b10;

  // ---- requests: what has come, or comes now ----
  logic aw_full_q, w_full_q, ar_full_q;
  logic [AddrW-1:0] aw_addr_q, ar_addr_q, aw_addr, ar_addr;
  logic [31:0] w_data_q, w_data;
  logic [3:0] w_strb_q, w_strb;
  logic aw_there, w_there, ar_there, do_write, do_read;
  assign awready_o = !aw_full_q;
  assign wready_o = !w_full_q;
  assign arready_o = !ar_full_q;
  assign aw_there = aw_full_q || awvalid_i;
  assign w_there = w_full_q || wvalid_i;
  assign ar_there = ar_full_q || arvalid_i;
  assign aw_addr = aw_full_q ? aw_addr_q : awaddr_i;
  assign w_data = w_full_q ? w_data_q : wdata_i;
  assign w_strb = w_full_q ? w_strb_q : wstrb_i;
  assign ar_addr = ar_full_q ? ar_addr_q : araddr_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_full_q <= 1'b0;
      w_full_q <= 1'b0;
      ar_full_q <= 1'b0;
    end else begin
      aw_full_q <= aw_there && !do_write;
      w_full_q <= w_there && !do_write;
      ar_full_q <= ar_there && !do_read;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!aw_full_q) aw_addr_q <= awaddr_i;
    if (!w_full_q) {w_strb_q, w_data_q} <= {wstrb_i, wdata_i};
    if (!ar_full_q) ar_addr_q <= araddr_i;
  end

  // ---- one access at a time, in turn where both can be ----
  logic can_write, can_read, read_turn_q, whole;
  logic writes_q, reads_q;  // the one that was chosen in the last cycle is done in this one
  assign can_write = aw_there && w_there && (!bvalid_o || bready_i) && !writes_q && !reads_q;
  assign can_read = ar_there && (!rvalid_o || rready_i) && !writes_q && !reads_q;
  assign do_read = can_read && (!can_write || read_turn_q);
  assign do_write = can_write && !do_read;
  assign whole = w_strb == '1;
  assign req_valid_o = do_read || (do_write && whole);
  assign req_we_o = do_write;
  assign req_addr_o = do_write ? aw_addr : ar_addr;
  assign req_wdata_o = w_data;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_turn_q <= 1'b0;
    else if (do_read || do_write) read_turn_q <= do_write;
  end

  // ---- responses: the answer in its cycle, then kept until it is taken ----
  logic b_new_q, part_q, b_part_q, b_kept_q, b_err_q, b_err, r_new_q, r_kept_q, r_err_q, r_err;
  logic [31:0] r_data_q;
  assign bvalid_o = b_new_q || b_kept_q;
  assign b_err = b_new_q ? b_part_q || rsp_err_i : b_err_q;
  assign bresp_o = b_err ? RespSlvErr : RespOkay;
  assign rvalid_o = r_new_q || r_kept_q;
  assign r_err = r_new_q ? rsp_err_i : r_err_q;
  assign rresp_o = r_err ? RespSlvErr : RespOkay;
  assign rdata_o = r_new_q ? rsp_rdata_i : r_data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writes_q <= 1'b0;
      reads_q <= 1'b0;
      b_new_q <= 1'b0;
      b_kept_q <= 1'b0;
      r_new_q <= 1'b0;
      r_kept_q <= 1'b0;
    end else begin
      writes_q <= do_write;
      reads_q <= do_read;
      b_new_q <= writes_q;
      b_kept_q <= bvalid_o && !bready_i;
      r_new_q <= reads_q;
      r_kept_q <= rvalid_o && !rready_i;
    end
  end
  always_ff @(posedge clk_i) begin
    part_q <= !whole;
    b_part_q <= part_q;
    b_err_q <= b_err;
    r_err_q <= r_err;
    r_data_q <= rdata_o;
  end
endmodule
