// SPDX-License-Identifier: Apache-2.0
// Delay line for pulses and short messages: data_o is data_i of Lat cycles ago, 0 after reset.
// Latency: Lat cycles (0: wires). Cost: Width * Lat flip-flops. docs/machine.md R-GEN-2.
module qsm_delay #(
  parameter int unsigned Width = 1,
  parameter int unsigned Lat = 1  // 0..
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);
  if (Lat == 0) begin : g_wires
    logic unused_clock;
    assign unused_clock = clk_i ^ rst_ni;
    assign data_o = data_i;
  end else begin : g_line
    logic [Lat-1:0][Width-1:0] line_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        line_q <= '0;
      end else begin
        line_q[0] <= data_i;
        for (int unsigned s = 1; s < Lat; s++) line_q[s] <= line_q[s-1];
      end
    end
    assign data_o = line_q[Lat-1];
  end
endmodule
