// SPDX-License-Identifier: Apache-2.0
// Power controller of an SM: stops its clock when it was told to and is quiet, and wakes it up.
// Contract: docs/sm_owner.md R-PG-1..R-PG-4. Has the clock that never stops. gated_o: the SM is in
// reset and its clock stands, but for one edge at the beginning, for what is cleared with a clock.
// Latency: messages act at the end of their cycle, answers are sent in the deciding one.
// Observed by the lockstep monitor: power_q, wait_q (state).
module qsm_sm_power
  import qsm_enums_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        gate_i,      // messages
  input  logic        wake_i,
  output logic        off_o,
  output logic        on_o,
  input  logic        quiet_i,     // nothing is under way in the SM (R-PG-1)
  input  logic [15:0] wake_lat_i,  // WAKE_LAT, at least 1
  output logic        gated_o,     // register
  output logic        clk_en_o     // of this cycle's edge
);
  sm_power_e power_q, power_d;
  logic [15:0] wait_q, wait_d;
  logic gated_q;

  assign gated_o = power_q inside {PowerOff, PowerWaking};
  assign clk_en_o = !gated_o || !gated_q;
  assign off_o = power_q == PowerStopping && quiet_i;
  assign on_o = power_q == PowerWaking && wait_q == 16'd1;

  always_comb begin
    power_d = power_q;
    wait_d = wait_q;
    unique case (power_q)
      PowerOn: if (gate_i) power_d = PowerStopping;
      PowerStopping: if (off_o) power_d = PowerOff;
      PowerOff: if (wake_i) begin
        power_d = PowerWaking;
        wait_d = wake_lat_i;
      end
      PowerWaking: begin
        wait_d = wait_q - 16'd1;
        if (on_o) power_d = PowerOn;
      end
      default: power_d = PowerOn;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      power_q <= PowerOn;
      wait_q <= '0;
      gated_q <= 1'b0;
    end else begin
      power_q <= power_d;
      wait_q <= wait_d;
      gated_q <= gated_o;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(gate_i && power_q != PowerOn) && !(wake_i && power_q != PowerOff))
    else $error("R-SO-6, R-SO-7: an SM is told to stop or to wake up that cannot");
  assert property (@(posedge clk_i) disable iff (!rst_ni) power_q != PowerWaking || wait_q != '0)
    else $error("R-PG-4: WAKE_LAT is 0");
`endif
endmodule
