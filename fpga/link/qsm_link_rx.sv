// SPDX-License-Identifier: Apache-2.0
// From bytes to whole frames: takes escapes out, checks length and CRC, keeps one good frame until
// it is released; nothing of a broken one is ever seen. Contract: docs/link.md R-HL-3 to R-HL-6.
// Cost: one block RAM.
module qsm_link_rx
  import qsm_link_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  // Transport.
  input  logic        rx_valid_i,
  output logic        rx_ready_o,
  input  logic [7:0]  rx_data_i,
  input  logic        rx_error_i,  // of this byte, or a byte before it was lost

  // The frame, without its CRC; data of an address in the next cycle.
  output logic               frame_valid_o,
  output logic [BufferW-1:0] frame_len_o,
  output logic [31:0]        frame_crc_o,
  input  logic               release_i,
  input  logic [BufferW-1:0] addr_i,
  output logic [7:0]         data_o,

  output logic [15:0] bad_o  // broken frames so far, up to all ones
);
  localparam int unsigned MaxBytes = RequestHead + MaxData + CrcBytes;
  localparam int unsigned MinBytes = 2 + CrcBytes;

  logic [BufferW-1:0] len_q;
  logic [31:0] crc_q, last_q;  // last_q: the four bytes that came last
  logic esc_q, broken_q;

  logic take, is_end, is_esc, plain, unknown, full;
  logic [7:0] byte_in;
  assign rx_ready_o = !frame_valid_o;
  assign take = rx_valid_i && rx_ready_o;
  assign is_end = rx_data_i == End;
  assign is_esc = rx_data_i == Esc;
  assign plain = take && !is_end && !is_esc;
  assign unknown = esc_q && rx_data_i != EscEnd && rx_data_i != EscEsc;
  assign full = len_q == BufferW'(MaxBytes);
  always_comb begin
    byte_in = rx_data_i;
    if (esc_q) byte_in = rx_data_i == EscEnd ? End : Esc;
  end

  logic good;
  assign good = !broken_q && !rx_error_i && !esc_q && len_q >= BufferW'(MinBytes) &&
      crc_q == CrcResidue;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      frame_valid_o <= 1'b0;
      frame_len_o <= '0;
      len_q <= '0;
      crc_q <= CrcInit;
      {esc_q, broken_q} <= '0;
      bad_o <= '0;
    end else begin
      if (release_i) frame_valid_o <= 1'b0;
      if (take) begin
        if (is_end) begin
          frame_valid_o <= good;
          frame_len_o <= len_q - BufferW'(CrcBytes);
          // Between two frames there may be one End or two.
          if (!good && (broken_q || rx_error_i || esc_q || len_q != '0) && bad_o != '1)
            bad_o <= bad_o + 16'd1;
          len_q <= '0;
          crc_q <= CrcInit;
          {esc_q, broken_q} <= '0;
        end else begin
          esc_q <= is_esc;
          broken_q <= broken_q || rx_error_i || (is_esc ? esc_q : unknown || full);
          if (plain && !full) begin
            len_q <= len_q + BufferW'(1);
            crc_q <= crc_after(crc_q, byte_in);
          end
        end
      end
    end
  end
  assign frame_crc_o = last_q;

  (* ram_style = "block", no_rw_check *) logic [7:0] buffer[1 << BufferW];
  always_ff @(posedge clk_i) begin
    if (plain && !full) begin
      buffer[len_q] <= byte_in;
      last_q <= {byte_in, last_q[31:8]};
    end
    data_o <= buffer[addr_i];
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) release_i |-> frame_valid_o)
    else $error("R-HL-6: a frame is released that is not there");
`endif
endmodule
