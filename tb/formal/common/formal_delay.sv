// SPDX-License-Identifier: Apache-2.0
// qsm_delay: what comes in during any one cycle goes out Lat cycles later; before the first, zeros
// do.
module formal_delay #(
  parameter int unsigned Width = 2,
  parameter int unsigned Lat = 3  // 1..
) (
  input logic             clk_i,
  input logic [Width-1:0] data_i,
  input logic             choose_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [Width-1:0] data;
  qsm_delay #(.Width(Width), .Lat(Lat)) u_dut (.clk_i, .rst_ni, .data_i, .data_o(data));

  // cycles since reset, saturating; since the chosen one, 0: none chosen yet
  logic [31:0] age_q, chosen_age_q;
  logic [Width-1:0] chosen_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      age_q <= '0;
      chosen_age_q <= '0;
    end else begin
      if (age_q < Lat) age_q <= age_q + 1;
      if (chosen_age_q != 0) chosen_age_q <= (chosen_age_q == Lat) ? '0 : chosen_age_q + 1;
      if (chosen_age_q == 0 && choose_i) begin
        chosen_age_q <= 1;
        chosen_q <= data_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (age_q < Lat) zero_first: assert (data == '0);
      if (chosen_age_q == Lat) on_time: assert (data == chosen_q);
      changes: cover (chosen_age_q == Lat && data != data_i && data != '0);
    end
  end
endmodule
