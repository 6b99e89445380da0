// SPDX-License-Identifier: Apache-2.0
// Receiver of a serial line: 8 bits, no parity, one stop bit, least bit first. A byte is shown for
// one cycle or until it is taken; one that was not taken before the next came, or had no stop bit,
// is told by error_o beside the byte (the later one, if one was lost). Contract: docs/link.md
// R-HL-2, R-HL-3.
module qsm_uart_rx #(
  parameter int unsigned ClkPerBit = 25  // at least 4
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       rx_i,
  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o,
  output logic       error_o
);
  localparam int unsigned CountW = $clog2(ClkPerBit + 1);
  if (ClkPerBit < 4) begin : g_illegal
    $fatal(1, "qsm_uart_rx: ClkPerBit = %0d, must be at least 4", ClkPerBit);
  end

  // The pin changes at any time: two registers before anything looks at it.
  logic [1:0] sync_q;
  logic       busy_q;
  logic [3:0] bit_q;  // 0 start, 1..8 data, 9 stop
  logic [CountW-1:0] count_q;
  logic [7:0] shift_q;
  logic line;
  assign line = sync_q[1];

  logic sample, ends;
  assign sample = busy_q && count_q == '0;
  assign ends = sample && bit_q == 4'd9;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sync_q <= '1;
      busy_q <= 1'b0;
      bit_q <= '0;
      count_q <= '0;
      valid_o <= 1'b0;
      error_o <= 1'b0;
    end else begin
      sync_q <= {sync_q[0], rx_i};
      if (!busy_q) begin
        busy_q <= !line;
        bit_q <= '0;
        count_q <= CountW'(ClkPerBit / 2 - 1);
      end else if (!sample) begin
        count_q <= count_q - CountW'(1);
      end else begin
        count_q <= CountW'(ClkPerBit - 1);
        bit_q <= bit_q + 4'd1;
        // A start bit that is gone in its middle was noise; after a stop bit the next may start.
        if ((bit_q == '0 && line) || bit_q == 4'd9) busy_q <= 1'b0;
      end
      if (ready_i) valid_o <= 1'b0;
      if (ready_i) error_o <= 1'b0;
      if (ends) begin
        valid_o <= 1'b1;
        error_o <= !line || (valid_o && !ready_i) || (error_o && !ready_i);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (sample && bit_q != '0 && bit_q != 4'd9) shift_q <= {line, shift_q[7:1]};
    if (ends) data_o <= shift_q;
  end
endmodule
