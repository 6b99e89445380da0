// SPDX-License-Identifier: Apache-2.0
// From a frame to bytes: End, the frame with its CRC, escapes where they must be, End. The frame
// stays in the buffer and can be sent again. Contract: docs/link.md R-HL-3, R-HL-4.
// Cost: one block RAM.
module qsm_link_tx
  import qsm_link_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  // The frame, without its CRC.
  input  logic               we_i,
  input  logic [BufferW-1:0] addr_i,
  input  logic [7:0]         data_i,
  input  logic               start_i,  // while not busy
  input  logic [BufferW-1:0] len_i,
  output logic               busy_o,

  // Transport.
  output logic       tx_valid_o,
  input  logic       tx_ready_i,
  output logic [7:0] tx_data_o
);
  typedef enum logic [2:0] {StIdle, StBegin, StFetch, StByte, StEscaped, StEnd} state_e;
  state_e state_q, state_d;
  logic [BufferW-1:0] at_q, at_d;
  logic [1:0] crc_at_q, crc_at_d;
  logic in_crc_q, in_crc_d;
  logic [31:0] crc_q, crc_d;

  (* ram_style = "block", no_rw_check *) logic [7:0] buffer[1 << BufferW];
  logic [7:0] fetched_q;
  always_ff @(posedge clk_i) begin
    if (we_i) buffer[addr_i] <= data_i;
    fetched_q <= buffer[at_q];
  end

  logic [7:0] now;  // the byte of the frame that is due
  assign now = in_crc_q ? ~crc_q[8*crc_at_q +: 8] : fetched_q;
  logic special;
  assign special = now == End || now == Esc;

  always_comb begin
    tx_valid_o = state_q != StIdle && state_q != StFetch;
    unique case (state_q)
      StByte: tx_data_o = special ? Esc : now;
      StEscaped: tx_data_o = now == End ? EscEnd : EscEsc;
      default: tx_data_o = End;
    endcase
  end

  logic sent, next;  // next: the byte has been sent, with its escape
  assign sent = tx_valid_o && tx_ready_i;
  assign next = sent && ((state_q == StByte && !special) || state_q == StEscaped);
  always_comb begin
    state_d = state_q;
    at_d = at_q;
    crc_at_d = crc_at_q;
    in_crc_d = in_crc_q;
    crc_d = crc_q;
    unique case (state_q)
      StIdle: if (start_i) begin
        state_d = StBegin;
        at_d = '0;
        crc_at_d = '0;
        in_crc_d = 1'b0;
        crc_d = CrcInit;
      end
      StBegin: if (sent) state_d = StFetch;
      StFetch: state_d = StByte;
      StByte: if (sent && special) state_d = StEscaped;
      StEscaped: ;
      StEnd: if (sent) state_d = StIdle;
      default: state_d = StIdle;
    endcase
    if (next) begin
      state_d = StFetch;
      if (in_crc_q) begin
        crc_at_d = crc_at_q + 2'd1;
        if (crc_at_q == 2'd3) state_d = StEnd;
      end else begin
        crc_d = crc_after(crc_q, now);
        at_d = at_q + BufferW'(1);
        in_crc_d = at_d == len_i;
      end
    end
  end
  assign busy_o = state_q != StIdle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      at_q <= '0;
      crc_at_q <= '0;
      in_crc_q <= 1'b0;
      crc_q <= CrcInit;
    end else begin
      state_q <= state_d;
      at_q <= at_d;
      crc_at_q <= crc_at_d;
      in_crc_q <= in_crc_d;
      crc_q <= crc_d;
    end
  end
endmodule
