// SPDX-License-Identifier: Apache-2.0
// Watches an AXI4-Lite port and says which rule of the protocol is broken, by either side: valid
// stays until ready and what comes with it does not change; a response answers an access, one each;
// responses are OKAY or SLVERR. Behind the port none is chosen in the cycle after one was, nor is
// one answered in the cycle after another.
module qsm_axil_checker #(
  parameter int unsigned AddrW = 20
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [AddrW-1:0] awaddr_i,
  input logic             awvalid_i,
  input logic             awready_i,
  input logic [31:0]      wdata_i,
  input logic [3:0]       wstrb_i,
  input logic             wvalid_i,
  input logic             wready_i,
  input logic [1:0]       bresp_i,
  input logic             bvalid_i,
  input logic             bready_i,
  input logic [AddrW-1:0] araddr_i,
  input logic             arvalid_i,
  input logic             arready_i,
  input logic [31:0]      rdata_i,
  input logic [1:0]       rresp_i,
  input logic             rvalid_i,
  input logic             rready_i,
  input logic             access_i  // one is chosen
);
  // Accesses that have been accepted and not been answered.
  logic [7:0] aw_q, w_q, ar_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {aw_q, w_q, ar_q} <= '0;
    else begin
      aw_q <= aw_q + 8'(awvalid_i && awready_i) - 8'(bvalid_i && bready_i);
      w_q <= w_q + 8'(wvalid_i && wready_i) - 8'(bvalid_i && bready_i);
      ar_q <= ar_q + 8'(arvalid_i && arready_i) - 8'(rvalid_i && rready_i);
    end
  end

  `define QSM_STABLE(what, valid, ready, payload) \
    assert property (@(posedge clk_i) disable iff (!rst_ni) \
        valid && !ready |=> valid && $stable(payload)) \
      else $error("R-CP-8: %s changes or goes before it is taken", what);
  `QSM_STABLE("AW", awvalid_i, awready_i, awaddr_i)
  `QSM_STABLE("W", wvalid_i, wready_i, {wdata_i, wstrb_i})
  `QSM_STABLE("B", bvalid_i, bready_i, bresp_i)
  `QSM_STABLE("AR", arvalid_i, arready_i, araddr_i)
  `QSM_STABLE("R", rvalid_i, rready_i, {rdata_i, rresp_i})
  `undef QSM_STABLE

  assert property (@(posedge clk_i) disable iff (!rst_ni)
      bvalid_i |-> aw_q != '0 && w_q != '0) else $error("R-CP-8: a B without a write");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      rvalid_i |-> ar_q != '0) else $error("R-CP-8: an R without a read");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      bvalid_i |-> !bresp_i[0]) else $error("R-CP-10: a response that is not OKAY or SLVERR");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      rvalid_i |-> !rresp_i[0]) else $error("R-CP-10: a response that is not OKAY or SLVERR");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      rvalid_i && rresp_i != '0 |-> rdata_i == '0) else $error("R-CP-4: data with an error");
  assert property (@(posedge clk_i) disable iff (!rst_ni) access_i |=> !access_i)
    else $error("R-CP-13: two accesses in a row");
  logic b_wait_q, r_wait_q, answered_q;  // a response waits to be taken; one was new
  logic answers;
  assign answers = (bvalid_i && !b_wait_q) || (rvalid_i && !r_wait_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {b_wait_q, r_wait_q, answered_q} <= '0;
    else begin
      b_wait_q <= bvalid_i && !bready_i;
      r_wait_q <= rvalid_i && !rready_i;
      answered_q <= answers;
    end
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(answered_q && answers))
    else $error("R-CP-13: two answers in a row");
  assert property (@(posedge clk_i) !rst_ni |-> !bvalid_i && !rvalid_i)
    else $error("R-CP-8: a response in reset");
endmodule
