// SPDX-License-Identifier: Apache-2.0
// qsm_sm_power with qsm_clock_gate and, in place of an SM, a counter that is reset with the SM, one
// that is cleared with a clock edge during reset, and one that is kept.
module bench_sm_power (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        gate_i,
  input  logic        wake_i,
  input  logic        quiet_i,
  input  logic [15:0] wake_lat_i,
  output logic        off_o,
  output logic        on_o,
  output logic        gated_o,
  output logic [1:0]  power_o,
  output logic [15:0] wait_o,
  output logic [31:0] edges_o,    // of the gated clock, since the beginning
  output logic [31:0] count_o,
  output logic [31:0] cleared_o,
  output logic [31:0] kept_o
);
  logic clk, clk_en, rst_n;
  qsm_sm_power u_power (
    .clk_i, .rst_ni, .gate_i, .wake_i, .off_o, .on_o, .quiet_i, .wake_lat_i, .gated_o,
    .clk_en_o(clk_en)
  );
  qsm_clock_gate u_gate (.clk_i, .en_i(clk_en), .clk_o(clk));
  assign rst_n = rst_ni && !gated_o;
  assign power_o = u_power.power_q;
  assign wait_o = u_power.wait_q;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) count_o <= '0;
    else count_o <= count_o + 32'd1;
  end
  always_ff @(posedge clk) begin
    if (!rst_n) cleared_o <= '0;
    else cleared_o <= cleared_o + 32'd1;
  end
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      kept_o <= '0;
      edges_o <= '0;
    end else begin
      edges_o <= edges_o + 32'd1;
      if (rst_n) kept_o <= kept_o + 32'd1;
    end
  end
endmodule
