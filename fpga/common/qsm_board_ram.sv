// SPDX-License-Identifier: Apache-2.0
// Block RAM as the memory of a GPU, at its memory port and at an AXI4 port for the host link. For
// the GPU it is the simulated memory of R-MM-1 with mem_interval 1, cycle by cycle of the GPU's
// clock; the link's accesses take the cycles in which the GPU stands. Contract: docs/board.md
// R-BD-6, R-BD-7. No atomic operations: the GPU must have L2 slices.
module qsm_board_ram
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter logic [31:0] MemBytes = 32'd262_144,  // a power of two, or a multiple of 4096
  parameter int unsigned Latency = 8,            // cycles from request to response, at least 3
  parameter int unsigned Most = 64,              // responses that may wait: a power of two
  localparam int unsigned LineW = 8 * LineBytes
) (
  input  logic clk_i,
  input  logic rst_ni,

  // GPU, in the cycles with en_i.
  input  logic      en_i,
  input  logic      gpu_rst_ni,
  input  port_req_t req_i,
  output logic      req_ready_o,
  output port_rsp_t rsp_o,
  input  logic      rsp_ready_i,

  // Host link: AXI4, bursts of one beat, a line wide.
  input  logic                 awvalid_i,
  output logic                 awready_o,
  input  logic [31:0]          awaddr_i,
  input  logic                 wvalid_i,
  output logic                 wready_o,
  input  logic [LineW-1:0]     wdata_i,
  input  logic [LineBytes-1:0] wstrb_i,
  output logic                 bvalid_o,
  input  logic                 bready_i,
  input  logic                 arvalid_i,
  output logic                 arready_o,
  input  logic [31:0]          araddr_i,
  output logic                 rvalid_o,
  input  logic                 rready_i,
  output logic [LineW-1:0]     rdata_o
);
  localparam int unsigned Lines = MemBytes / LineBytes;
  localparam int unsigned IndexW = $clog2(Lines);
  localparam int unsigned MostW = $clog2(Most);
  localparam logic [31:0] MemBase = 32'h8000_0000;
  typedef struct packed {
    logic [PortSmW-1:0] sm;
    logic [PortTagW-1:0] tag;
  } who_t;
  if (Latency < 3 || Most != 1 << MostW || L2Kib == 0 || MemBytes % 4096 != 0) begin : g_illegal
    $fatal(1, "qsm_board_ram: Latency %0d, Most %0d, l2_kib %0d or MemBytes %0d against its rule",
        Latency, Most, L2Kib, MemBytes);
  end

  // ---- Who has the RAM ----
  logic reading_q;  // the link's line comes
  logic gpu, write, link_write, link_read, gpu_in, gpu_write;
  logic [31:0] offset;
  assign req_ready_o = 1'b1;
  assign gpu = en_i && req_i.valid;
  assign offset = req_i.addr - MemBase;
  assign gpu_in = offset < MemBytes;
  assign gpu_write = req_i.kind == MemWrite;
  assign link_write = !en_i && awvalid_i && wvalid_i && (!bvalid_o || bready_i);
  assign link_read = !en_i && !link_write && arvalid_i && !rvalid_o && !reading_q;
  assign awready_o = link_write;
  assign wready_o = link_write;
  assign arready_o = link_read;
  assign write = gpu ? gpu_write && gpu_in : link_write;

  logic [IndexW-1:0] index;
  logic [LineBytes-1:0] strb;
  logic [LineW-1:0] wdata;
  logic read;
  always_comb begin
    index = IndexW'(offset >> LineOffW);
    strb = req_i.bytes;
    wdata = req_i.data;
    read = gpu;
    if (!en_i) begin
      index = IndexW'((link_write ? awaddr_i : araddr_i) >> LineOffW);
      strb = wstrb_i;
      wdata = wdata_i;
      read = link_read;
    end
  end

  (* ram_style = "block", no_rw_check *) logic [LineW-1:0] mem[Lines];
  logic [LineW-1:0] line_q;
  always_ff @(posedge clk_i) begin
    if (write) begin
      for (int unsigned b = 0; b < LineBytes; b++) begin
        if (strb[b]) mem[index][8*b +: 8] <= wdata[8*b +: 8];
      end
    end else if (read) begin
      line_q <= mem[index];
    end
  end

  // ---- GPU: the line is kept in the cycle after, and shown when its time has come ----
  logic [MostW-1:0] head_q, tail_q;
  logic [MostW:0] ripe_q;                // responses whose time has come
  logic [Latency-2:0] on_way_q;          // requests that were taken so many cycles ago
  logic kept_q, zero_q;                  // the last request's line goes into the queue now
  who_t who_q;
  logic take;
  assign take = en_i && rsp_o.valid && rsp_ready_i;

  logic [LineW-1:0] line_queue[Most];
  who_t who_queue[Most];
  always_ff @(posedge clk_i) begin
    if (kept_q) begin
      line_queue[tail_q] <= zero_q ? '0 : line_q;
      who_queue[tail_q] <= who_q;
    end
    if (gpu) begin
      who_q <= '{sm: req_i.sm, tag: req_i.tag};
      zero_q <= gpu_write || !gpu_in;
    end
  end
  assign rsp_o = '{
    valid: ripe_q != '0, sm: who_queue[head_q].sm, tag: who_queue[head_q].tag,
    data: line_queue[head_q]
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      ripe_q <= '0;
      on_way_q <= '0;
      kept_q <= 1'b0;
    end else if (!gpu_rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      ripe_q <= '0;
      on_way_q <= '0;
      kept_q <= 1'b0;
    end else begin
      kept_q <= gpu;
      if (kept_q) tail_q <= tail_q + MostW'(1);
      if (take) head_q <= head_q + MostW'(1);
      if (en_i) begin
        on_way_q <= (Latency - 1)'({on_way_q, gpu});
        ripe_q <= ripe_q + (MostW+1)'(on_way_q[Latency-2]) - (MostW+1)'(take);
      end
    end
  end

  // ---- Link ----
  assign rdata_o = line_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bvalid_o <= 1'b0;
      reading_q <= 1'b0;
      rvalid_o <= 1'b0;
    end else begin
      if (bready_i) bvalid_o <= 1'b0;
      if (link_write) bvalid_o <= 1'b1;
      reading_q <= link_read;
      if (rready_i) rvalid_o <= 1'b0;
      if (reading_q) rvalid_o <= 1'b1;
    end
  end

  logic unused;
  assign unused = ^{req_i.amo, req_i.slot, offset[LineOffW-1:0], awaddr_i, araddr_i};
endmodule
