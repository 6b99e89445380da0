// SPDX-License-Identifier: Apache-2.0
// Sender of a serial line: 8 bits, no parity, one stop bit, least bit first. ready_o in the cycles
// in which nothing is sent. Contract: docs/link.md R-HL-2.
module qsm_uart_tx #(
  parameter int unsigned ClkPerBit = 25  // at least 4
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,
  output logic       tx_o
);
  localparam int unsigned CountW = $clog2(ClkPerBit + 1);

  logic [3:0] left_q;   // bits that are still to be sent, with the one on the line
  logic [8:0] shift_q;  // those behind the one on the line
  logic [CountW-1:0] count_q;
  assign ready_o = left_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      shift_q <= '1;
      count_q <= '0;
      tx_o <= 1'b1;
    end else if (ready_o) begin
      if (valid_i) begin
        left_q <= 4'd10;
        shift_q <= {1'b1, data_i};
        tx_o <= 1'b0;
        count_q <= CountW'(ClkPerBit - 1);
      end
    end else if (count_q != '0) begin
      count_q <= count_q - CountW'(1);
    end else begin
      left_q <= left_q - 4'd1;
      shift_q <= {1'b1, shift_q[8:1]};
      tx_o <= shift_q[0];
      count_q <= CountW'(ClkPerBit - 1);
    end
  end
endmodule
