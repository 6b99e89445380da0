// SPDX-License-Identifier: Apache-2.0
// qsm_axil behind any master that keeps to AXI4-Lite and before any register file: R-CP-7 to
// R-CP-13.
module formal_axil #(
  parameter int unsigned AddrW = 4
) (
  input logic             clk_i,
  input logic [AddrW-1:0] awaddr_i,
  input logic             awvalid_i,
  input logic [31:0]      wdata_i,
  input logic [3:0]       wstrb_i,
  input logic             wvalid_i,
  input logic             bready_i,
  input logic [AddrW-1:0] araddr_i,
  input logic             arvalid_i,
  input logic             rready_i,
  input logic             rsp_err_i,
  input logic [31:0]      rsp_rdata_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic awready, wready, arready, bvalid, rvalid, valid, we;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata, wdata;
  logic [AddrW-1:0] addr;
  qsm_axil #(.AddrW(AddrW)) u_dut (
    .clk_i, .rst_ni, .awaddr_i, .awvalid_i, .awready_o(awready), .wdata_i, .wstrb_i, .wvalid_i,
    .wready_o(wready), .bresp_o(bresp), .bvalid_o(bvalid), .bready_i, .araddr_i, .arvalid_i,
    .arready_o(arready), .rdata_o(rdata), .rresp_o(rresp), .rvalid_o(rvalid), .rready_i,
    .req_valid_o(valid), .req_we_o(we), .req_addr_o(addr), .req_wdata_o(wdata), .rsp_err_i,
    .rsp_rdata_i
  );

  // What was accepted and not been chosen, what was answered and not been taken, by these ports
  // alone; what was chosen in the last cycle, and in the one before.
  logic aw_q, w_q, ar_q, b_q, r_q;
  logic [AddrW-1:0] aw_addr_q, ar_addr_q;
  logic [35:0] w_word_q;
  logic aw_now, w_now, ar_now, write, read;
  logic [35:0] word;
  assign aw_now = aw_q || (awvalid_i && awready);
  assign w_now = w_q || (wvalid_i && wready);
  assign ar_now = ar_q || (arvalid_i && arready);
  assign word = w_q ? w_word_q : {wstrb_i, wdata_i};
  // A write of less than a word is chosen without an access: only the response says when.
  assign write = u_dut.do_write;
  assign read = valid && !we;

  logic aw_wait_q, w_wait_q, b_wait_q, ar_wait_q, r_wait_q;
  logic writes_q, reads_q, wrote_q, read_q, part_q, whole_q;
  logic last;  // something was chosen in the last cycle
  assign last = writes_q || reads_q;
  logic [AddrW-1:0] aw_last_q, ar_last_q;
  logic [35:0] w_last_q;
  logic [1:0] b_last_q;
  logic [33:0] r_last_q;
  // It could have been chosen in the last cycle in which something can.
  logic write_kept_q, read_kept_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {aw_q, w_q, ar_q, b_q, r_q} <= '0;
      {aw_wait_q, w_wait_q, b_wait_q, ar_wait_q, r_wait_q} <= '0;
      {writes_q, reads_q, wrote_q, read_q, write_kept_q, read_kept_q} <= '0;
    end else begin
      aw_q <= aw_now && !write;
      w_q <= w_now && !write;
      ar_q <= ar_now && !read;
      b_q <= writes_q || (b_q && !bready_i);
      r_q <= reads_q || (r_q && !rready_i);
      aw_wait_q <= awvalid_i && !awready;
      w_wait_q <= wvalid_i && !wready;
      ar_wait_q <= arvalid_i && !arready;
      b_wait_q <= bvalid && !bready_i;
      r_wait_q <= rvalid && !rready_i;
      writes_q <= write;
      reads_q <= read;
      wrote_q <= writes_q;
      read_q <= reads_q;
      if (!last) begin
        write_kept_q <= aw_now && w_now && (!b_q || bready_i) && !write;
        read_kept_q <= ar_now && (!r_q || rready_i) && !read;
      end
    end
    if (!aw_q) aw_addr_q <= awaddr_i;
    if (!ar_q) ar_addr_q <= araddr_i;
    if (!w_q) w_word_q <= {wstrb_i, wdata_i};
    {aw_last_q, ar_last_q, w_last_q} <= {awaddr_i, araddr_i, wstrb_i, wdata_i};
    {b_last_q, r_last_q} <= {bresp, rresp, rdata};
    part_q <= word[35:32] != '1;
    whole_q <= !part_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The master, R-CP-8.
      assume (!aw_wait_q || (awvalid_i && awaddr_i == aw_last_q));
      assume (!w_wait_q || (wvalid_i && {wstrb_i, wdata_i} == w_last_q));
      assume (!ar_wait_q || (arvalid_i && araddr_i == ar_last_q));

      b_stays: assert (!b_wait_q || (bvalid && bresp == b_last_q));
      r_stays: assert (!r_wait_q || (rvalid && {rresp, rdata} == r_last_q));
      one_b: assert (bvalid == b_q);
      one_r: assert (rvalid == r_q);
      // Nothing is done that was not asked for, and never over a response that still waits.
      write_asked: assert (!write || (aw_now && w_now && (!b_q || bready_i)));
      read_asked: assert (!read || (ar_now && (!r_q || rready_i)));
      one_access: assert (!(write && read) && valid == (read || (write && word[35:32] == '1)));
      write_access: assert (!(valid && we) || (addr == (aw_q ? aw_addr_q : awaddr_i) &&
          wdata == word[31:0]));
      read_access: assert (!(valid && !we) || addr == (ar_q ? ar_addr_q : araddr_i));
      // R-CP-13: nothing is chosen in the cycle after something was.
      apart: assert (!last || (!write && !read && !valid));
      // What one side waits with, it does not wait with for two of these cycles.
      write_turn: assert (!write_kept_q || last || write || (b_q && !bready_i));
      read_turn: assert (!read_kept_q || last || read || (r_q && !rready_i));
      at_once: assert (!(aw_now && w_now && !ar_now && (!b_q || bready_i)) || last || write);
      read_at_once: assert (!(ar_now && !(aw_now && w_now) && (!r_q || rready_i)) || last ||
          read);
      // The answer of the access that was chosen two cycles before, which finds its place.
      b_place: assert (!(writes_q && b_q));
      r_place: assert (!(reads_q && r_q));
      b_answer: assert (!wrote_q || bresp == (rsp_err_i || !whole_q ? 2'b10 : 2'b00));
      r_answer: assert (!read_q || {rresp, rdata} == {rsp_err_i, 1'b0, rsp_rdata_i});
      // For the induction.
      buffers: assert (u_dut.aw_full_q == aw_q && u_dut.w_full_q == w_q &&
          u_dut.ar_full_q == ar_q && (!aw_q || u_dut.aw_addr_q == aw_addr_q) &&
          (!ar_q || u_dut.ar_addr_q == ar_addr_q) &&
          (!w_q || {u_dut.w_strb_q, u_dut.w_data_q} == w_word_q));
      steps: assert (u_dut.writes_q == writes_q && u_dut.reads_q == reads_q &&
          (!writes_q || u_dut.part_q == part_q) && (!wrote_q || u_dut.b_part_q == !whole_q) &&
          !(writes_q && reads_q) && !((writes_q || reads_q) && (wrote_q || read_q)));
      answers: assert (u_dut.b_new_q == wrote_q && u_dut.r_new_q == read_q &&
          (u_dut.b_new_q || u_dut.b_kept_q) == b_q && (u_dut.r_new_q || u_dut.r_kept_q) == r_q);
      both_wait: cover (bvalid && rvalid && aw_q && w_q && ar_q);
      turns: cover (write_kept_q && write && read_q);
      apart_full: cover (last && aw_q && w_q && ar_now && write_kept_q && !b_q && !r_q);
    end
  end
endmodule
