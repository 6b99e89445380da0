// SPDX-License-Identifier: Apache-2.0
// A channel's memory port (docs/xbar.md) as an AXI4 manager: line reads and writes as INCR bursts,
// each outstanding access with an ID of its own.
// Contract: docs/axi.md; no AMOs (R-AX-2). Every output is a register but ready, a queue's state,
// and a response's data and tag, RAM behind one.
// Latency: AR, or AW and W, in the second cycle after a request is taken, a response in the second
// after the end of its access.
module qsm_axi #(
  parameter int unsigned BytesPerLine = 16,  // power of two, 8..128
  // of the data buses: power of two, 32..512, at most a line
  parameter int unsigned DataW = 32,
  parameter int unsigned IdW = 2,            // 2**IdW accesses outstanding, 1..8
  parameter int unsigned TagW = 8,           // tag of an access at the requester
  parameter bit          InOrder = 1'b0,     // responses in the order of the requests (R-AX-10)
  localparam int unsigned LineBits = 8 * BytesPerLine,
  localparam int unsigned LineW = 32 - $clog2(BytesPerLine),
  localparam int unsigned StrbW = DataW / 8
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Memory port.
  input  logic                    req_valid_i,
  output logic                    req_ready_o,
  input  logic                    req_write_i,
  input  logic [LineW-1:0]        req_line_i,
  input  logic [BytesPerLine-1:0] req_bytes_i,
  input  logic [LineBits-1:0]     req_data_i,
  input  logic [TagW-1:0]         req_tag_i,
  output logic                    rsp_valid_o,
  input  logic                    rsp_ready_i,
  output logic [TagW-1:0]         rsp_tag_o,
  output logic [LineBits-1:0]     rsp_data_o,

  // The first error since reset (R-AX-9).
  output logic        error_valid_o,
  output logic        error_write_o,
  output logic [1:0]  error_resp_o,
  output logic [31:0] error_addr_o,

  // AXI4.
  output logic             awvalid_o,
  input  logic             awready_i,
  output logic [IdW-1:0]   awid_o,
  output logic [31:0]      awaddr_o,
  output logic             wvalid_o,
  input  logic             wready_i,
  output logic [DataW-1:0] wdata_o,
  output logic [StrbW-1:0] wstrb_o,
  output logic             wlast_o,
  input  logic             bvalid_i,
  output logic             bready_o,
  input  logic [IdW-1:0]   bid_i,
  input  logic [1:0]       bresp_i,
  output logic             arvalid_o,
  input  logic             arready_i,
  output logic [IdW-1:0]   arid_o,
  output logic [31:0]      araddr_o,
  input  logic             rvalid_i,
  output logic             rready_o,
  input  logic [IdW-1:0]   rid_i,
  input  logic [DataW-1:0] rdata_i,
  input  logic [1:0]       rresp_i,
  input  logic             rlast_i,

  // The same for AW and AR, always (R-AX-6).
  output logic [7:0] axlen_o,
  output logic [2:0] axsize_o,
  output logic [1:0] axburst_o,
  output logic       axlock_o,
  output logic [3:0] axcache_o,
  output logic [2:0] axprot_o,
  output logic [3:0] axqos_o
);
  localparam int unsigned Beats = LineBits / DataW;
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1;
  if (BytesPerLine < 8 || BytesPerLine > 128 || (BytesPerLine & (BytesPerLine - 1)) != 0) begin :
    g_illegal_line
    $fatal(1, "qsm_axi: BytesPerLine = %0d, must be a power of two of 8 to 128", BytesPerLine);
  end
  if (DataW < 32 || DataW > 512 || DataW > LineBits || (DataW & (DataW - 1)) != 0) begin :
    g_illegal_data
    $fatal(1,
        "qsm_axi: DataW = %0d, must be a power of two of 32 to 512 and at most a line of %0d bits",
        DataW, LineBits);
  end
  if (IdW < 1 || IdW > 8) begin : g_illegal_id
    $fatal(1, "qsm_axi: IdW = %0d, must be 1 to 8", IdW);
  end

  assign axlen_o = 8'(Beats - 1);
  assign axsize_o = 3'($clog2(StrbW));
  assign axburst_o = 2'b01;  // INCR
  assign axlock_o = 1'b0;
  assign axcache_o = 4'b0010;
  assign axprot_o = 3'b010;
  assign axqos_o = '0;

  // ---- queue (R-AX-1) ----
  typedef struct packed {
    logic write;
    logic [LineW-1:0] line;
    logic [BytesPerLine-1:0] bytes;
    logic [LineBits-1:0] data;
    logic [TagW-1:0] tag;
  } access_t;
  access_t head;
  logic waits, full, start;

  qsm_fifo #(.Width($bits(access_t)), .Depth(2)) u_queue (
    .clk_i, .rst_ni, .push_i(req_valid_i && !full),
    .data_i({req_write_i, req_line_i, req_bytes_i, req_data_i, req_tag_i}),
    .pop_i(start), .valid_o(waits), .full_o(full), .data_o(head)
  );
  assign req_ready_o = !full;

  // ---- what AR, AW and W show ----
  logic ar_valid_q, aw_valid_q, w_valid_q, w_next;
  logic [IdW-1:0] ar_id_q, aw_id_q;
  logic [LineW-1:0] ar_line_q, aw_line_q;
  logic [Beats-1:0][DataW-1:0] w_data_q;  // the beat that is shown and those behind it
  logic [Beats-1:0][StrbW-1:0] w_strb_q;
  logic [BeatW-1:0] w_left_q;             // beats behind the one that is shown

  // ---- table, start (R-AX-4) ----
  logic in_way, room, ar_free, aw_free, w_free, start_read, start_write;
  logic [IdW-1:0] entry;
  logic [LineW-1:0] error_line;
  logic r_error, b_error;

  qsm_axi_table #(.Beats(Beats), .DataW(DataW), .LineW(LineW), .IdW(IdW), .TagW(TagW),
      .InOrder(InOrder)) u_table (
    .clk_i, .rst_ni, .write_i(head.write), .line_i(head.line), .tag_i(head.tag), .in_way_o(in_way),
    .room_o(room), .entry_o(entry), .start_i(start),
    .r_valid_i(rvalid_i), .r_id_i(rid_i), .r_data_i(rdata_i), .r_error_i(rresp_i[1]),
    .r_last_i(rlast_i),
    .b_valid_i(bvalid_i), .b_id_i(bid_i), .asked_id_i(r_error ? rid_i : bid_i),
    .asked_line_o(error_line),
    .rsp_valid_o, .rsp_ready_i, .rsp_tag_o, .rsp_data_o
  );
  assign rready_o = 1'b1;
  assign bready_o = 1'b1;

  assign ar_free = !ar_valid_q || arready_i;
  assign aw_free = !aw_valid_q || awready_i;
  assign w_free = !w_valid_q || (wready_i && w_left_q == '0);
  assign start_read = waits && !head.write && room && !in_way && ar_free;
  assign start_write = waits && head.write && room && !in_way && aw_free && w_free;
  assign start = start_read || start_write;

  // ---- AR, AW, W (R-AX-6, R-AX-7) ----
  assign w_next = w_valid_q && wready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_valid_q <= 1'b0;
      aw_valid_q <= 1'b0;
      w_valid_q <= 1'b0;
    end else begin
      if (ar_free) ar_valid_q <= start_read;
      if (aw_free) aw_valid_q <= start_write;
      if (w_free) w_valid_q <= start_write;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_read) begin
      ar_id_q <= entry;
      ar_line_q <= head.line;
    end
    if (start_write) begin
      aw_id_q <= entry;
      aw_line_q <= head.line;
      w_data_q <= head.data;
      w_strb_q <= head.bytes;
      w_left_q <= BeatW'(Beats - 1);
    end else if (w_next) begin
      w_data_q <= LineBits'({DataW'(0), w_data_q} >> DataW);
      w_strb_q <= BytesPerLine'({StrbW'(0), w_strb_q} >> StrbW);
      w_left_q <= w_left_q - BeatW'(1);
    end
  end

  assign arvalid_o = ar_valid_q;
  assign arid_o = ar_id_q;
  assign araddr_o = {ar_line_q, {(32 - LineW){1'b0}}};
  assign awvalid_o = aw_valid_q;
  assign awid_o = aw_id_q;
  assign awaddr_o = {aw_line_q, {(32 - LineW){1'b0}}};
  assign wvalid_o = w_valid_q;
  assign wdata_o = w_data_q[0];
  assign wstrb_o = w_strb_q[0];
  assign wlast_o = w_left_q == '0;

  // ---- first error (R-AX-9) ----
  logic error_write_q, error_valid_q;
  logic [1:0] error_resp_q;
  logic [LineW-1:0] error_line_q;
  assign r_error = rvalid_i && rresp_i[1];
  assign b_error = bvalid_i && bresp_i[1];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_valid_q <= 1'b0;
    else if (r_error || b_error) error_valid_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (!error_valid_q) begin
      error_write_q <= !r_error;
      error_resp_q <= r_error ? rresp_i : bresp_i;
      error_line_q <= error_line;
    end
  end
  assign error_valid_o = error_valid_q;
  assign error_write_o = error_write_q;
  assign error_resp_o = error_resp_q;
  assign error_addr_o = {error_line_q, {(32 - LineW){1'b0}}};

`ifndef SYNTHESIS
  // aw_id_q is the write's until its last beat is taken.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      bvalid_i && bid_i == aw_id_q |-> !aw_valid_q && !w_valid_q)
    else $error("R-AX-7: B for ID %0d, whose write is not sent whole", bid_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      arvalid_o && !arready_i |=> arvalid_o && $stable({arid_o, araddr_o}))
    else $error("R-AX-7: AR changes before it is taken");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      awvalid_o && !awready_i |=> awvalid_o && $stable({awid_o, awaddr_o}))
    else $error("R-AX-7: AW changes before it is taken");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      wvalid_o && !wready_i |=> wvalid_o && $stable({wdata_o, wstrb_o, wlast_o}))
    else $error("R-AX-7: W changes before it is taken");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable({rsp_tag_o, rsp_data_o}))
    else $error("R-AX-8: a response changes before it is taken");
`endif
endmodule
