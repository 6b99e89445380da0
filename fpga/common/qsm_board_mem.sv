// SPDX-License-Identifier: Apache-2.0
// Between GPU and host link on one side and a memory controller with a native port of LiteDRAM on
// the other: AXI4 in, one access at a time, words out. The GPU's side moves in the cycles of the
// GPU's clock only; an answer that it does not take yet is in nobody's way. Contract: docs/board.md
// R-BD-8 to R-BD-11.
module qsm_board_mem #(
  parameter int unsigned LineBytes = 16,   // the GPU's bursts: one line each
  parameter int unsigned DataW = 32,       // of both AXI4 ports
  parameter int unsigned NativeW = 16,     // of the controller's port: at most DataW
  parameter int unsigned NativeAddrW = 24,
  parameter int unsigned IdW = 4,
  localparam int unsigned StrbW = DataW / 8,
  localparam int unsigned NativeBytes = NativeW / 8
) (
  input  logic clk_i,
  input  logic rst_ni,

  // GPU, in the cycles with en_i.
  input  logic             en_i,
  input  logic             gpu_rst_ni,
  input  logic             drain_i,    // take no further access
  output logic             drained_o,  // none under way
  input  logic             awvalid_i,
  output logic             awready_o,
  input  logic [IdW-1:0]   awid_i,
  input  logic [31:0]      awaddr_i,
  input  logic             wvalid_i,
  output logic             wready_o,
  input  logic [DataW-1:0] wdata_i,
  input  logic [StrbW-1:0] wstrb_i,
  input  logic             wlast_i,
  output logic             bvalid_o,
  input  logic             bready_i,
  output logic [IdW-1:0]   bid_o,
  input  logic             arvalid_i,
  output logic             arready_o,
  input  logic [IdW-1:0]   arid_i,
  input  logic [31:0]      araddr_i,
  output logic             rvalid_o,
  input  logic             rready_i,
  output logic [IdW-1:0]   rid_o,
  output logic [DataW-1:0] rdata_o,
  output logic             rlast_o,

  // Host link: bursts of one beat.
  input  logic             link_awvalid_i,
  output logic             link_awready_o,
  input  logic [31:0]      link_awaddr_i,
  input  logic             link_wvalid_i,
  output logic             link_wready_o,
  input  logic [DataW-1:0] link_wdata_i,
  input  logic [StrbW-1:0] link_wstrb_i,
  output logic             link_bvalid_o,
  input  logic             link_bready_i,
  input  logic             link_arvalid_i,
  output logic             link_arready_o,
  input  logic [31:0]      link_araddr_i,
  output logic             link_rvalid_o,
  input  logic             link_rready_i,
  output logic [DataW-1:0] link_rdata_o,

  // Controller.
  output logic                   cmd_valid_o,
  input  logic                   cmd_ready_i,
  output logic                   cmd_we_o,
  output logic [NativeAddrW-1:0] cmd_addr_o,   // in words of NativeW
  output logic                   wdata_valid_o,
  input  logic                   wdata_ready_i,
  output logic [NativeBytes-1:0] wdata_we_o,
  output logic [NativeW-1:0]     wdata_o,
  input  logic                   rdata_valid_i,
  output logic                   rdata_ready_o,
  input  logic [NativeW-1:0]     native_rdata_i
);
  localparam int unsigned LineW = 8 * LineBytes;
  localparam int unsigned Beats = LineW / DataW;
  localparam int unsigned LineWords = LineW / NativeW;
  localparam int unsigned BeatWords = DataW / NativeW;
  localparam int unsigned BeatW = $clog2(Beats + 1);
  localparam int unsigned WordW = $clog2(LineWords + 1);
  localparam int unsigned ByteW = $clog2(NativeBytes);
  if (NativeW > DataW || NativeW < 16 || DataW > LineW || LineW % DataW != 0) begin : g_illegal
    $fatal(1, "qsm_board_mem: NativeW %0d, DataW %0d, a line %0d bits: each must divide the next",
        NativeW, DataW, LineW);
  end

  // ---- GPU's access: collected, done, answered ----
  typedef enum logic [2:0] {StIdle, StCollect, StWaits, StDone, StRead, StWritten} state_e;
  state_e gpu_q, gpu_d;
  logic [BeatW-1:0] beat_q, beat_d;
  logic gpu_write_q, gpu_write_d;
  logic [IdW-1:0] id_q, id_d;
  logic [31:0] gpu_addr_q, gpu_addr_d;
  logic [LineW-1:0] line_q;                // of a write, then of a read
  logic [LineBytes-1:0] strb_q;
  logic engine_takes_gpu, engine_ends_gpu;

  // What the GPU is shown does not depend on whether its clock runs in this cycle (without an edge
  // it does nothing with it): so no path goes from the clock's gate into the GPU.
  // Of a read and a write at once the one of the kind that was not the last goes first.
  logic take_aw, take_ar, take_w, take_r, may_begin;
  assign may_begin = gpu_q == StIdle && !drain_i;
  assign arready_o = may_begin && (gpu_write_q || !awvalid_i);
  assign awready_o = may_begin && !(gpu_write_q && arvalid_i);
  assign wready_o = gpu_q == StCollect;
  assign take_ar = en_i && arvalid_i && arready_o;
  assign take_aw = en_i && awvalid_i && awready_o;
  assign take_w = en_i && wvalid_i && wready_o;
  assign take_r = en_i && rvalid_o && rready_i;
  assign rvalid_o = gpu_q == StRead;
  assign rid_o = id_q;
  assign bid_o = id_q;
  assign rdata_o = line_q[DataW-1:0];
  assign rlast_o = beat_q == BeatW'(Beats - 1);
  assign bvalid_o = gpu_q == StWritten;
  assign drained_o = gpu_q == StIdle;

  always_comb begin
    gpu_d = gpu_q;
    beat_d = beat_q;
    gpu_write_d = gpu_write_q;
    id_d = id_q;
    gpu_addr_d = gpu_addr_q;
    unique case (gpu_q)
      StIdle: begin
        beat_d = '0;
        if (take_aw || take_ar) begin
          gpu_d = take_aw ? StCollect : StWaits;
          gpu_write_d = take_aw;
          id_d = take_aw ? awid_i : arid_i;
          gpu_addr_d = take_aw ? awaddr_i : araddr_i;
        end
      end
      StCollect: if (take_w && wlast_i) gpu_d = StWaits;
      StWaits: if (engine_takes_gpu) gpu_d = StDone;
      StDone: if (engine_ends_gpu) gpu_d = gpu_write_q ? StWritten : StRead;
      StRead: if (take_r) begin
        beat_d = beat_q + BeatW'(1);
        if (rlast_o) gpu_d = StIdle;
      end
      StWritten: if (en_i && bready_i) gpu_d = StIdle;
      default: gpu_d = StIdle;
    endcase
  end

  // ---- Link's access ----
  logic link_write, link_read, link_takes;
  logic link_b_q, link_r_q;
  logic [DataW-1:0] link_q;
  assign link_write = link_awvalid_i && link_wvalid_i;
  assign link_read = link_arvalid_i;
  assign link_awready_o = link_takes && link_write;
  assign link_wready_o = link_takes && link_write;
  assign link_arready_o = link_takes && !link_write;
  assign link_bvalid_o = link_b_q;
  assign link_rvalid_o = link_r_q;
  assign link_rdata_o = link_q;

  // ---- Engine: words of one access to and from the controller ----
  logic busy_q, for_link_q, write_q;
  logic [WordW-1:0] n_q, cmd_q, data_q;    // words in all, asked for, written or read
  logic [NativeAddrW-1:0] at_q;
  logic takes, all_done;
  assign link_takes = !busy_q && !link_b_q && !link_r_q && (link_write || link_read);
  assign engine_takes_gpu = !busy_q && !link_takes && gpu_q == StWaits;
  assign takes = link_takes || engine_takes_gpu;
  assign cmd_valid_o = busy_q && cmd_q != n_q;
  assign cmd_we_o = write_q;
  assign cmd_addr_o = at_q;
  assign wdata_valid_o = busy_q && write_q && data_q != n_q;
  assign rdata_ready_o = 1'b1;

  logic data_moves;
  assign data_moves = busy_q && data_q != n_q && (write_q ? wdata_ready_i : rdata_valid_i);
  assign all_done = busy_q && cmd_q == n_q && data_q == n_q;
  assign engine_ends_gpu = all_done && !for_link_q;

  // The line moves down word by word; what is read comes in at its top.
  logic [StrbW-1:0] link_strb_q;
  assign wdata_o = for_link_q ? link_q[NativeW-1:0] : line_q[NativeW-1:0];
  assign wdata_we_o = for_link_q ? link_strb_q[NativeBytes-1:0] : strb_q[NativeBytes-1:0];
  always_ff @(posedge clk_i) begin
    if (take_w) begin
      line_q <= LineW'({wdata_i, line_q} >> DataW);
      strb_q <= LineBytes'({wstrb_i, strb_q} >> StrbW);
    end
    if (take_r) line_q <= LineW'({DataW'(0), line_q} >> DataW);
    if (link_takes) begin
      link_q <= link_wdata_i;
      link_strb_q <= link_wstrb_i;
    end
    if (data_moves && for_link_q) begin
      link_q <= DataW'({native_rdata_i, link_q} >> NativeW);
      link_strb_q <= StrbW'({NativeBytes'(0), link_strb_q} >> NativeBytes);
    end
    if (data_moves && !for_link_q) begin
      line_q <= LineW'({native_rdata_i, line_q} >> NativeW);
      strb_q <= LineBytes'({NativeBytes'(0), strb_q} >> NativeBytes);
    end
  end

  logic [31:0] start_addr;
  always_comb begin
    start_addr = gpu_addr_q;
    if (link_takes) start_addr = link_write ? link_awaddr_i : link_araddr_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gpu_q <= StIdle;
      beat_q <= '0;
      gpu_write_q <= 1'b0;
      id_q <= '0;
      gpu_addr_q <= '0;
      {busy_q, for_link_q, write_q, link_b_q, link_r_q} <= '0;
      n_q <= '0;
      cmd_q <= '0;
      data_q <= '0;
      at_q <= '0;
    end else begin
      gpu_q <= gpu_rst_ni ? gpu_d : StIdle;
      beat_q <= beat_d;
      gpu_write_q <= gpu_write_d;
      id_q <= id_d;
      gpu_addr_q <= gpu_addr_d;
      if (link_bready_i) link_b_q <= 1'b0;
      if (link_rready_i) link_r_q <= 1'b0;
      if (takes) begin
        busy_q <= 1'b1;
        for_link_q <= link_takes;
        write_q <= link_takes ? link_write : gpu_write_q;
        n_q <= link_takes ? WordW'(BeatWords) : WordW'(LineWords);
        cmd_q <= '0;
        data_q <= '0;
        at_q <= start_addr[ByteW +: NativeAddrW];
      end
      if (cmd_valid_o && cmd_ready_i) begin
        cmd_q <= cmd_q + WordW'(1);
        at_q <= at_q + NativeAddrW'(1);
      end
      if (data_moves) data_q <= data_q + WordW'(1);
      if (all_done) begin
        busy_q <= 1'b0;
        if (for_link_q && write_q) link_b_q <= 1'b1;
        if (for_link_q && !write_q) link_r_q <= 1'b1;
      end
    end
  end

  logic unused;
  assign unused = ^start_addr;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      rdata_valid_i |-> busy_q && !write_q && data_q != n_q)
    else $error("R-BD-10: the controller gives a word that nobody asked for");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      wdata_ready_i |-> busy_q && write_q && data_q != n_q)
    else $error("R-BD-10: the controller takes a word that there is not");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !gpu_rst_ni |-> gpu_q == StIdle)
    else $error("R-HL-13: the GPU is reset while an access is under way");
`endif
endmodule
