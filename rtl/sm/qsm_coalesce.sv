// SPDX-License-Identifier: Apache-2.0
// Lanes of a pass of the load/store unit, and the line of its leader. docs/lsu.md (R-LS-5, R-LS-7).
// Purely combinational. Lanes are compared in pairs (qsm_lane_pairs), not with their leader: so
// nothing waits until the leaders are known, and whether all lanes join does not wait for which
// ones do. Shared lanes with one line number have one row, as their addresses differ from their
// places by one sum.
// Cost: a few gates per pair of lanes, and a multiplexer of the line.
module qsm_coalesce
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic  valid_i,   // else the result is undefined
  input  logic  shared_i,  // a shared pass: a leader per bank; else one for all lanes
  input  logic  alone_i,   // the leaders alone: atomics, and stores to shared memory
  input  mask_t rem_i,     // lanes that remain of the pass's kind, not 0
  // of each lane, the lanes below it in the same bank, and with the same line number
  input  mask_t [WarpSize-1:0] same_bank_i,
  input  mask_t [WarpSize-1:0] same_line_i,
  input  logic [WarpSize-1:0][31:LineOffW] line_i,  // line number of each lane
  output mask_t joined_o,
  output logic  all_o,     // all that remain take part
  input  mask_t pick_i,    // not 0
  output logic [LaneW-1:0]   lane_o,  // the lowest of pick_i
  output logic [31:LineOffW] line_o   // and its line number
);
  // Of each lane, the lanes below it: with which it may have a leader, and in whose passes it has
  // no part.
  mask_t [WarpSize-1:0] together, apart;
  mask_t leader, alone;
  always_comb begin
    together = 'x;
    apart = 'x;
    if (valid_i) begin
      together = '0;
      apart = '0;
      for (int unsigned l = 1; l < WarpSize; l++) begin
        for (int unsigned i = 0; i < l; i++) begin
          together[l][i] = !shared_i || same_bank_i[l][i];
          apart[l][i] = together[l][i] && (alone_i || !same_line_i[l][i]);
        end
      end
    end
  end

  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign leader[l]   = rem_i[l] && (rem_i & together[l]) == '0;
    assign joined_o[l] = rem_i[l] && (leader & apart[l]) == '0;
    assign alone[l]    = rem_i[l] && (rem_i & apart[l]) != '0;
  end
  assign all_o = alone == '0;

  // Selected by the number of the leader: a multiplexer is smaller than an AND-OR here.
  always_comb begin
    lane_o = '0;
    for (int l = int'(WarpSize) - 1; l >= 0; l--) begin
      if (pick_i[l]) lane_o = LaneW'(l);
    end
  end
  assign line_o = line_i[lane_o];
endmodule
