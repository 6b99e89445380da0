// SPDX-License-Identifier: Apache-2.0
// Delay line for messages with a wide payload and one valid bit per receiver: *_o are *_i of Lat
// cycles ago.
// The payload moves only along with a valid bit and is not reset: data_o is valid only while a
// valid_o bit is set.
// Latency: Lat cycles (0: wires). Cost: (Receivers + Width) * Lat flip-flops. docs/machine.md
// R-GEN-2.
module qsm_delay_msg #(
  parameter int unsigned Receivers = 1,
  parameter int unsigned Width = 1,
  parameter int unsigned Lat = 1  // 0..
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [Receivers-1:0] valid_i,
  input  logic [Width-1:0]     data_i,
  output logic [Receivers-1:0] valid_o,
  output logic [Width-1:0]     data_o
);
  if (Lat == 0) begin : g_wires
    logic unused_clock;
    assign unused_clock = clk_i ^ rst_ni;
    assign valid_o = valid_i;
    assign data_o = data_i;
  end else begin : g_line
    logic [Lat-1:0][Receivers-1:0] valid_q;
    logic [Width-1:0] data_q[Lat];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q <= '0;
      end else begin
        valid_q[0] <= valid_i;
        for (int unsigned s = 1; s < Lat; s++) valid_q[s] <= valid_q[s-1];
      end
    end

    always_ff @(posedge clk_i) begin
      if (|valid_i) data_q[0] <= data_i;
      for (int unsigned s = 1; s < Lat; s++) begin
        if (|valid_q[s-1]) data_q[s] <= data_q[s-1];
      end
    end

    assign valid_o = valid_q[Lat-1];
    assign data_o = data_q[Lat-1];
  end
endmodule
