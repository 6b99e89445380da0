// SPDX-License-Identifier: Apache-2.0
// The host link: does what frames ask for, one at a time: registers of the GPU, its clock, memory.
// The GPU runs on a clock of its own that is clk_i gated by gpu_en_o, so cycles pass for it only
// when the host says so. Contract: docs/link.md.
module qsm_link
  import qsm_link_pkg::*;
#(
  parameter int unsigned DataW = 32,               // of the memory's data bus: 32 .. 512
  parameter logic [31:0] BuildId = '0,
  parameter logic [63:0] ConfigHash = '0,
  parameter logic [31:0] ClkHz = 32'd25_000_000,
  parameter logic [31:0] MemBase = 32'h8000_0000,
  parameter logic [31:0] MemBytes = 32'd1_048_576,
  parameter int unsigned PatienceW = 20            // log2 of the cycles that memory may take
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Transport: bytes.
  input  logic        rx_valid_i,
  output logic        rx_ready_o,
  input  logic [7:0]  rx_data_i,
  input  logic        rx_error_i,
  output logic        tx_valid_o,
  input  logic        tx_ready_i,
  output logic [7:0]  tx_data_o,

  // The GPU's clock and reset (R-HL-10), and what comes from it.
  output logic        gpu_en_o,
  output logic        gpu_rst_no,
  output logic        drain_o,         // let it begin no further access of memory
  input  logic        drained_i,       // it has none under way
  input  logic        irq_i,
  input  logic        gpu_error_i,     // its memory answered with an error
  input  logic        mem_ready_i,     // memory has been started

  // Its control port; the responses are always taken.
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

  // Memory: AXI4, bursts of one beat, one at a time; lengths and types are constants.
  output logic               awvalid_o,
  input  logic               awready_i,
  output logic [31:0]        awaddr_o,
  output logic               wvalid_o,
  input  logic               wready_i,
  output logic [DataW-1:0]   wdata_o,
  output logic [DataW/8-1:0] wstrb_o,
  input  logic               bvalid_i,
  output logic               bready_o,
  input  logic [1:0]         bresp_i,
  output logic               arvalid_o,
  input  logic               arready_i,
  output logic [31:0]        araddr_o,
  input  logic               rvalid_i,
  output logic               rready_o,
  input  logic [DataW-1:0]   rdata_i,
  input  logic [1:0]         rresp_i,

  output logic busy_o  // a request is being done or answered
);
  localparam int unsigned BeatBytes = DataW / 8;
  localparam int unsigned LaneW = $clog2(BeatBytes);
  localparam int unsigned HeadBytes = 10;     // of a request, at most, that are looked at
  localparam int unsigned ResetCycles = 16;
  localparam int unsigned InfoBytes = 40;
  localparam int unsigned RunW = 26;          // log2 of the cycles of a RUN
  if (DataW < 32 || DataW > 512 || 1 << $clog2(DataW) != DataW) begin : g_illegal
    $fatal(1, "qsm_link: DataW = %0d, must be a power of two from 32 to 512", DataW);
  end

  // ---- Frames ----
  logic frame_valid, release_frame, start_send, sending, tx_we;
  logic [BufferW-1:0] frame_len, rx_addr, tx_addr, send_len_q, send_len_d;
  logic [31:0] frame_crc;
  logic [7:0] rx_byte, tx_byte;
  logic [15:0] n_bad;

  qsm_link_rx u_rx (
    .clk_i, .rst_ni, .rx_valid_i, .rx_ready_o, .rx_data_i, .rx_error_i,
    .frame_valid_o(frame_valid), .frame_len_o(frame_len), .frame_crc_o(frame_crc),
    .release_i(release_frame), .addr_i(rx_addr), .data_o(rx_byte), .bad_o(n_bad)
  );
  qsm_link_tx u_tx (
    .clk_i, .rst_ni, .we_i(tx_we), .addr_i(tx_addr), .data_i(tx_byte), .start_i(start_send),
    .len_i(send_len_q), .busy_o(sending), .tx_valid_o, .tx_ready_i, .tx_data_o
  );

  // ---- State ----
  typedef enum logic [4:0] {
    StIdle, StHead, StDecide, StAccess, StAnswer, StAccessAgain, StAnswerLast, StRun, StDrain,
    StReset, StMemory, StWriteFetch, StWriteByte, StWrite, StRead, StReadByte, StWords, StReply,
    StSend, StSending
  } state_e;
  state_e state_q, state_d;
  logic [8*HeadBytes-1:0] head_q, head_d;
  logic [BufferW-1:0] n_q, n_d;             // bytes of head, data or reply that have been done
  logic [7:0] status_q, status_d;
  logic [31:0] left_q, left_d;              // cycles to run; bytes of memory that are still to do
  logic [31:0] result_q, result_d;          // the reply's word
  logic [31:0] at_q, at_d;                  // the next byte of memory
  logic [63:0] cycle_q, cycle_d;
  logic [DataW-1:0] beat_q, beat_d;
  logic [BeatBytes-1:0] strb_q, strb_d;
  logic aw_q, aw_d, w_q, w_d, ar_q, ar_d;   // shown at the memory
  logic [PatienceW-1:0] waited_q, waited_d;
  logic silent_q, silent_d;                 // memory has not answered: it is not asked again
  logic gpu_rst_nq, gpu_rst_nd;
  logic last_valid_q, last_valid_d;         // the reply in the buffer is that of the request with
  logic [31:0] last_crc_q, last_crc_d;      // this CRC

  logic [7:0] seq, op;
  logic [31:0] addr, arg;
  logic stop_on_irq;
  assign seq = head_q[7:0];
  assign op = head_q[15:8];
  assign addr = head_q[47:16];
  assign arg = head_q[79:48];
  // RUN has no address: its number of cycles and its flag come first.
  assign stop_on_irq = head_q[48];

  logic is_write, is_fill, is_mem_read;
  assign is_write = op == OpWrite;
  assign is_fill = op == OpMemFill;
  assign is_mem_read = op == OpMemRead;

  // ---- What a request may be (R-HL-8) ----
  logic well_formed;
  logic [31:0] n_memory;  // bytes that it is about
  always_comb begin
    n_memory = '0;
    unique case (op)
      OpInfo, OpReset: well_formed = frame_len == BufferW'(2);
      OpRead: well_formed = frame_len == BufferW'(6);
      OpWrite: well_formed = frame_len == BufferW'(10);
      OpRun: well_formed = frame_len == BufferW'(7) && head_q[55:49] == '0 &&
          head_q[47:16+RunW] == '0;
      OpMemRead: begin
        n_memory = {16'd0, arg[15:0]};
        well_formed = frame_len == BufferW'(8) && n_memory != '0 && n_memory <= 32'(MaxData);
      end
      OpMemWrite: begin
        n_memory = 32'(frame_len) - 32'(RequestHead);
        well_formed = frame_len > BufferW'(RequestHead);
      end
      OpMemFill: begin
        n_memory = arg;
        well_formed = frame_len == BufferW'(10) && arg != '0 && addr[5:0] == '0 && arg[5:0] == '0;
      end
      default: well_formed = 1'b0;
    endcase
  end
  logic in_range;
  logic [31:0] offset;
  assign offset = addr - MemBase;
  assign in_range = offset < MemBytes && n_memory <= MemBytes - offset;

  // ---- The GPU ----
  // Whether the clock runs is known a cycle before, but for the interrupt that ends a RUN: of all
  // that decides only that comes from afar.
  logic gpu_en_q, gpu_en_d, stoppable_q, stoppable_d;
  assign stoppable_d = state_d == StRun && stop_on_irq;
  assign gpu_en_o = gpu_en_q && !(stoppable_q && irq_i);
  assign gpu_rst_no = gpu_rst_nq;
  assign drain_o = state_q == StDrain;

  logic answer, answer_err;
  assign answer = is_write ? axil_bvalid_i : axil_rvalid_i;
  assign answer_err = is_write ? axil_bresp_i[1] : axil_rresp_i[1];
  assign axil_awaddr_o = addr[19:0];
  assign axil_araddr_o = addr[19:0];
  assign axil_wdata_o = arg;
  assign axil_wstrb_o = '1;
  assign axil_awvalid_o = state_q == StAccess && is_write;
  assign axil_wvalid_o = axil_awvalid_o;
  assign axil_arvalid_o = state_q == StAccess && !is_write;
  assign axil_bready_o = 1'b1;
  assign axil_rready_o = 1'b1;

  // ---- Memory ----
  logic [LaneW-1:0] lane;
  logic last_lane;
  // One adder for each of two, whatever the state: a beat of a fill, else a byte or a cycle.
  logic [31:0] at_next, left_next;
  assign at_next = at_q + (is_fill ? 32'(BeatBytes) : 32'd1);
  assign left_next = left_q - (is_fill ? 32'(BeatBytes) : 32'd1);
  assign lane = at_q[LaneW-1:0];
  assign last_lane = &lane || left_q == 32'd1;
  assign awvalid_o = aw_q;
  assign wvalid_o = w_q;
  assign arvalid_o = ar_q;
  // A beat's last byte has moved at_q on by the time its write is shown.
  logic [31:0] beat_addr_q, beat_addr_d;
  assign awaddr_o = beat_addr_q;
  assign araddr_o = beat_addr_q;
  assign wdata_o = beat_q;
  assign wstrb_o = strb_q;
  // One that comes too late is taken, so that it is in nobody's way.
  assign bready_o = 1'b1;
  assign rready_o = 1'b1;

  // ---- Reply ----
  logic [7:0] flags;
  assign flags = {5'd0, mem_ready_i, gpu_error_i, irq_i};
  logic [8*ReplyHead-1:0] reply_head;
  assign reply_head = {cycle_q, flags, status_q, op | 8'h80, seq};
  logic [31:0] word;
  always_comb begin
    word = result_q;
    if (op == OpInfo) begin
      unique case (n_q[5:2])
        4'd0: word = Magic;
        4'd1: word = Version;
        4'd2: word = BuildId;
        4'd3: word = ClkHz;
        4'd4: word = ConfigHash[31:0];
        4'd5: word = ConfigHash[63:32];
        4'd6: word = MemBase;
        4'd7: word = MemBytes;
        4'd8: word = 32'(MaxData);
        4'd9: word = 32'(n_bad);
        default: word = '0;
      endcase
    end
  end
  logic [BufferW-1:0] n_words_bytes;
  assign n_words_bytes = op == OpInfo ? BufferW'(InfoBytes) :
      op == OpRead || op == OpRun ? BufferW'(4) : '0;

  // Goes to the reply without data, whatever was under way.
  logic fails;
  logic [7:0] why;

  always_comb begin
    state_d = state_q;
    head_d = head_q;
    n_d = n_q;
    status_d = status_q;
    left_d = left_q;
    result_d = result_q;
    at_d = at_q;
    cycle_d = gpu_en_o ? cycle_q + 64'd1 : cycle_q;
    beat_d = beat_q;
    strb_d = strb_q;
    beat_addr_d = beat_addr_q;
    aw_d = aw_q && !awready_i;
    w_d = w_q && !wready_i;
    ar_d = ar_q && !arready_i;
    waited_d = waited_q + PatienceW'(1);
    silent_d = silent_q;
    gpu_rst_nd = 1'b1;
    last_valid_d = last_valid_q;
    last_crc_d = last_crc_q;
    send_len_d = send_len_q;
    release_frame = 1'b0;
    start_send = 1'b0;
    rx_addr = n_q;
    tx_we = 1'b0;
    tx_addr = n_q + BufferW'(ReplyHead);
    tx_byte = word[8*n_q[1:0] +: 8];
    fails = 1'b0;
    why = StatusOk;

    unique case (state_q)
      StIdle: begin
        n_d = '0;
        if (frame_valid) state_d = StHead;
      end
      StHead: begin
        n_d = n_q + BufferW'(1);
        head_d = {rx_byte, head_q[8*HeadBytes-1:8]};  // of the address before
        if (n_q == BufferW'(HeadBytes)) state_d = StDecide;
      end

      StDecide: begin
        n_d = '0;
        waited_d = '0;
        status_d = StatusOk;
        result_d = '0;
        at_d = addr;
        left_d = op == OpRun ? head_q[47:16] : n_memory;
        send_len_d = BufferW'(ReplyHead) + n_words_bytes;
        if (last_valid_q && last_crc_q == frame_crc && op != OpInfo) begin
          // Done already, the host has lost the reply (R-HL-7): it is still in the buffer.
          send_len_d = send_len_q;
          state_d = StSend;
        end else begin
          last_valid_d = 1'b0;
          last_crc_d = frame_crc;
          if (!well_formed) begin
            fails = 1'b1;
            why = StatusBadRequest;
          end else begin
            unique case (op)
              OpRead, OpWrite: state_d = StAccess;
              OpRun: state_d = StRun;
              OpReset: state_d = StDrain;
              OpMemRead, OpMemWrite, OpMemFill: state_d = StMemory;
              default: state_d = StWords;  // OpInfo
            endcase
          end
        end
      end

      // An access takes a cycle of the GPU, and one more where the port gave that one away.
      StAccess: state_d = StAnswer;
      StAccessAgain: state_d = StAnswerLast;
      StAnswer, StAnswerLast: begin
        result_d = axil_rdata_i;
        status_d = answer_err ? StatusRefused : StatusOk;
        state_d = StWords;
        if (!answer) begin
          if (state_q == StAnswer) begin
            state_d = StAccessAgain;
          end else begin
            fails = 1'b1;
            why = StatusPortSilent;
          end
        end
      end

      StRun: begin
        if (gpu_en_o) begin
          left_d = left_next;
          result_d = result_q + 32'd1;
        end else begin
          state_d = StWords;
        end
      end

      StDrain: begin
        if (drained_i) begin
          state_d = StReset;
          waited_d = '0;
        end else if (&waited_q) begin
          fails = 1'b1;
          why = StatusNotDrained;
        end
      end
      StReset: begin
        gpu_rst_nd = 1'b0;
        if (waited_q == PatienceW'(ResetCycles)) begin
          gpu_rst_nd = 1'b1;
          state_d = frame_valid ? StReply : StIdle;  // the reset at power-on has no reply
        end
      end

      StMemory: begin
        waited_d = '0;
        beat_d = '0;
        strb_d = is_fill ? '1 : '0;
        beat_addr_d = {at_q[31:LaneW], LaneW'(0)};
        if (!in_range) begin
          fails = 1'b1;
          why = StatusOutside;
        end else if (silent_q || !mem_ready_i) begin
          fails = 1'b1;
          why = StatusMemorySilent;
        end else if (is_mem_read) begin
          ar_d = 1'b1;
          state_d = StRead;
        end else if (is_fill) begin
          aw_d = 1'b1;
          w_d = 1'b1;
          at_d = at_next;
          left_d = left_next;
          state_d = StWrite;
        end else begin
          state_d = StWriteFetch;
        end
      end
      StWriteFetch: begin
        rx_addr = n_q + BufferW'(RequestHead);
        state_d = StWriteByte;
      end
      StWriteByte: begin
        beat_d[8*lane +: 8] = rx_byte;
        strb_d[lane] = 1'b1;
        n_d = n_q + BufferW'(1);
        at_d = at_next;
        left_d = left_next;
        state_d = StWriteFetch;
        if (last_lane) begin
          beat_addr_d = {at_q[31:LaneW], LaneW'(0)};
          waited_d = '0;
          aw_d = 1'b1;
          w_d = 1'b1;
          state_d = StWrite;
        end
      end
      StWrite: begin
        if (bvalid_i) begin
          waited_d = '0;
          strb_d = is_fill ? '1 : '0;
          beat_addr_d = {at_q[31:LaneW], LaneW'(0)};
          if (bresp_i[1]) begin
            fails = 1'b1;
            why = StatusMemoryError;
          end else if (left_q == '0) begin
            state_d = StReply;
          end else if (is_fill) begin
            aw_d = 1'b1;
            w_d = 1'b1;
            at_d = at_next;
            left_d = left_next;
          end else begin
            state_d = StWriteFetch;
          end
        end else if (&waited_q) begin
          silent_d = 1'b1;
          fails = 1'b1;
          why = StatusMemorySilent;
        end
      end
      StRead: begin
        if (rvalid_i) begin
          beat_d = rdata_i;
          state_d = StReadByte;
          if (rresp_i[1]) begin
            fails = 1'b1;
            why = StatusMemoryError;
          end
        end else if (&waited_q) begin
          silent_d = 1'b1;
          fails = 1'b1;
          why = StatusMemorySilent;
        end
      end
      StReadByte: begin
        tx_we = 1'b1;
        tx_byte = beat_q[8*lane +: 8];
        n_d = n_q + BufferW'(1);
        at_d = at_next;
        left_d = left_next;
        waited_d = '0;
        beat_addr_d = {at_d[31:LaneW], LaneW'(0)};
        if (last_lane) begin
          ar_d = left_d != '0;
          state_d = StRead;
          if (left_d == '0) begin
            send_len_d = BufferW'(ReplyHead) + n_d;
            n_d = '0;
            state_d = StReply;
          end
        end
      end

      StWords: begin
        tx_we = n_q < n_words_bytes;
        n_d = n_q + BufferW'(1);
        if (n_d >= n_words_bytes) begin
          n_d = '0;
          state_d = StReply;
        end
      end
      StReply: begin
        tx_we = 1'b1;
        tx_addr = n_q;
        tx_byte = reply_head[8*n_q[3:0] +: 8];
        n_d = n_q + BufferW'(1);
        if (n_q == BufferW'(ReplyHead - 1)) begin
          last_valid_d = 1'b1;
          state_d = StSend;
        end
      end
      StSend: begin
        start_send = 1'b1;
        state_d = StSending;
      end
      StSending: if (!sending) begin
        release_frame = 1'b1;
        state_d = StIdle;
      end
      default: state_d = StIdle;
    endcase

    if (fails) begin
      status_d = why;
      n_d = '0;
      send_len_d = BufferW'(ReplyHead);
      state_d = StReply;
    end
    // The reply is counted from its first byte on.
    if (state_d == StReply && state_q != StReply) n_d = '0;

    gpu_en_d = state_d inside {StAccess, StAccessAgain, StDrain} ||
        (state_d == StRun && (state_q == StRun ? left_q[31:1] != '0 : left_d != '0)) ||
        (state_d == StReset && waited_d < PatienceW'(ResetCycles));
  end
  assign busy_o = state_q != StIdle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StReset;
      n_q <= '0;
      status_q <= '0;
      left_q <= '0;
      cycle_q <= '0;
      {aw_q, w_q, ar_q} <= '0;
      waited_q <= '0;
      silent_q <= 1'b0;
      gpu_rst_nq <= 1'b0;
      gpu_en_q <= 1'b1;
      stoppable_q <= 1'b0;
      last_valid_q <= 1'b0;
      send_len_q <= '0;
    end else begin
      state_q <= state_d;
      n_q <= n_d;
      status_q <= status_d;
      left_q <= left_d;
      cycle_q <= state_q == StReset ? '0 : cycle_d;
      aw_q <= aw_d;
      w_q <= w_d;
      ar_q <= ar_d;
      waited_q <= waited_d;
      silent_q <= silent_d;
      gpu_rst_nq <= gpu_rst_nd;
      gpu_en_q <= gpu_en_d;
      stoppable_q <= stoppable_d;
      last_valid_q <= last_valid_d;
      send_len_q <= send_len_d;
    end
  end
  always_ff @(posedge clk_i) begin
    head_q <= head_d;
    result_q <= result_d;
    at_q <= at_d;
    beat_q <= beat_d;
    strb_q <= strb_d;
    beat_addr_q <= beat_addr_d;
    last_crc_q <= last_crc_d;
  end

  logic unused;
  assign unused = ^{axil_bresp_i[0], axil_rresp_i[0], bresp_i[0], rresp_i[0]};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      awvalid_o && !awready_i |=> awvalid_o && $stable(awaddr_o))
    else $error("R-HL-12: an address of a write is taken back");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      wvalid_o && !wready_i |=> wvalid_o && $stable(wstrb_o))
    else $error("R-HL-12: data of a write are taken back");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      arvalid_o && !arready_i |=> arvalid_o && $stable(araddr_o))
    else $error("R-HL-12: an address of a read is taken back");
`endif
endmodule
