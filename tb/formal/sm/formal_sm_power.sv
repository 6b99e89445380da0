// SPDX-License-Identifier: Apache-2.0
// qsm_sm_power: it says off once per gate, in the first cycle in which the SM is quiet, and on once
// per wake, WAKE_LAT cycles after it, whatever WAKE_LAT is by then; the SM is gated from the cycle
// after off to that of on, and has one clock edge in that time (R-PG-2 to R-PG-4).
module formal_sm_power
  import qsm_enums_pkg::*;
(
  input logic        clk_i,
  input logic        gate_i,
  input logic        wake_i,
  input logic        quiet_i,
  input logic [15:0] wake_lat_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic off, on, gated, clk_en;
  qsm_sm_power u_dut (
    .clk_i, .rst_ni, .gate_i, .wake_i, .off_o(off), .on_o(on), .quiet_i, .wake_lat_i,
    .gated_o(gated), .clk_en_o(clk_en)
  );

  // Told and not yet answered; gated as the answers tell it; cycles since wake.
  logic        stops_q, wakes_q, gated_q, edge_q, again_q;
  logic [15:0] since_q, lat_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {stops_q, wakes_q, gated_q, edge_q, again_q} <= '0;
    end else begin
      stops_q <= gate_i || (stops_q && !off);
      wakes_q <= wake_i || (wakes_q && !on);
      gated_q <= off || (gated_q && !on);
      edge_q <= gated && (edge_q || clk_en);
      again_q <= again_q || on;
    end
    if (wake_i) {since_q, lat_q} <= {16'd1, wake_lat_i};
    else since_q <= since_q + 16'd1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!gate_i || !(stops_q || gated_q));
      assume (!wake_i || (gated_q && !wakes_q));
      assume (wake_lat_i != '0);
      says_off: assert (off == (stops_q && quiet_i));
      says_on: assert (on == (wakes_q && since_q == lat_q));
      is_gated: assert (gated == gated_q);
      one_edge: assert (clk_en == (!gated_q || !edge_q));
      // For the engine: what is told and what waits.
      if (wakes_q) waits: assert (u_dut.wait_q == lat_q - since_q + 16'd1 && since_q <= lat_q &&
          since_q != '0);
      told: assert (u_dut.power_q == (stops_q ? PowerStopping : wakes_q ? PowerWaking :
          gated_q ? PowerOff : PowerOn) && !(stops_q && gated_q) && (gated_q || !wakes_q));
      if (gated_q) edge_known: assert (edge_q == u_dut.gated_q);
      at_once: cover (on && since_q == 16'd1);
      later: cover (on && lat_q == 16'd5 && wake_lat_i != lat_q);
      again: cover (gated_q && again_q && !wakes_q && edge_q);
      twice: cover (off && again_q);
    end
  end
endmodule
