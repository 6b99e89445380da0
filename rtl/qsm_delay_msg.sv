// SPDX-License-Identifier: Apache-2.0
// Delay line for messages with a wide payload and one valid bit per receiver: *_o are *_i of Lat
// cycles ago.
// The payload moves only along with a valid bit and is not reset: data_o is valid only while a
// valid_o bit is set.
// Latency: Lat cycles (0: wires). Cost: (Receivers + Width) * Lat flip-flops; of a long line
// Receivers * Lat + Width, and a RAM of Lat - 1 payloads. docs/machine.md R-GEN-2.
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
  end else if (Lat > 16) begin : g_ring
    // Payloads stay where they are, and the place goes round: read before it is written anew, at
    // the end of the last cycle but one of the way.
    localparam int unsigned Places = Lat - 1;
    localparam int unsigned PlaceW = $clog2(Places);
    logic [Lat-1:0][Receivers-1:0] valid_q;
    logic [PlaceW-1:0] place_q;
    logic [Width-1:0] ring[Places];
    logic [Width-1:0] data_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q <= '0;
        place_q <= '0;
      end else begin
        valid_q <= {valid_q[Lat-2:0], valid_i};
        place_q <= (place_q == PlaceW'(Places - 1)) ? '0 : place_q + PlaceW'(1);
      end
    end

    always_ff @(posedge clk_i) begin
      if (|valid_q[Lat-2]) data_q <= ring[place_q];
      if (|valid_i) ring[place_q] <= data_i;
    end

    assign valid_o = valid_q[Lat-1];
    assign data_o = data_q;
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
