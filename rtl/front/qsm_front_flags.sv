// SPDX-License-Identifier: Apache-2.0
// Flags of the command channels: a memory with one port, and of each channel as flip-flops only
// what has to be seen of all of them at once.
// Contract: docs/front.md R-FR-1 (the port), R-FR-4, R-FR-20. flags_o are those of channel_i in
// this cycle; with write_i flags_i are from the next one on. All are 0 after reset.
// Cost: per channel ten bits of distributed RAM, a decoder and seven flip-flops.
// Observed by the lockstep monitor: all, waits_q (FRONT).
module qsm_front_flags
  import qsm_pkg::*;
#(
  parameter int unsigned NumCmd = 4,
  localparam int unsigned ChW = (NumCmd > 1) ? $clog2(NumCmd) : 1,
  localparam int unsigned Groups = (NumCmd + 7) / 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic [ChW-1:0]     channel_i,
  output front_flags_t       flags_o,
  input  logic               write_i,
  input  front_flags_t       flags_i,

  // waits: set for one channel, or else it falls for all.
  input  logic               wait_i,
  input  logic [ChW-1:0]     waiter_i,
  input  logic               wake_i,

  // Channels that are fresh, eligible, and pending or busy; their priorities' bits.
  output logic [NumCmd-1:0]  fresh_o,
  output logic [NumCmd-1:0]  eligible_o,
  output logic [NumCmd-1:0]  working_o,
  output logic [NumCmd-1:0]  high_o,
  output logic [NumCmd-1:0]  low_o
);
  front_flags_t mem[NumCmd];
  logic [NumCmd-1:0] known_q;  // it was written; else it means nothing
  logic [NumCmd-1:0] waits_q, ready_q, written, waiting;

  // A set of one channel, or empty: its group of eight, and its place there.
  function automatic logic [NumCmd-1:0] only(input logic some, input logic [ChW-1:0] channel);
    logic [Groups-1:0] group;
    logic [7:0] place;
    for (int unsigned g = 0; g < Groups; g++) group[g] = some && 32'(channel) / 8 == g;
    for (int unsigned n = 0; n < 8; n++) place[n] = 3'(channel) == 3'(n);
    for (int unsigned c = 0; c < NumCmd; c++) only[c] = group[c / 8] && place[c % 8];
  endfunction

  assign flags_o = known_q[channel_i] ? mem[channel_i] : '0;
  assign written = only(write_i, channel_i);
  assign waiting = only(wait_i, waiter_i);
  assign eligible_o = ready_q & ~waits_q;
  always_ff @(posedge clk_i) if (write_i) mem[channel_i] <= flags_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q <= '0;
      fresh_o <= '0;
      ready_q <= '0;
      working_o <= '0;
      high_o <= '0;
      low_o <= '0;
      waits_q <= '0;
    end else begin
      waits_q <= (wake_i ? '0 : waits_q) | waiting;
      for (int unsigned c = 0; c < NumCmd; c++) begin
        if (written[c]) begin
          known_q[c] <= 1'b1;
          fresh_o[c] <= flags_i.enabled && !flags_i.clean;
          ready_q[c] <= flags_i.enabled && flags_i.clean && flags_i.pending &&
              !(flags_i.stopped || flags_i.held || flags_i.busy);
          working_o[c] <= flags_i.pending || flags_i.busy;
          {high_o[c], low_o[c]} <= flags_i.level;
        end
      end
    end
  end

`ifndef SYNTHESIS
  front_flags_t [NumCmd-1:0] all;
  always_comb begin
    for (int unsigned c = 0; c < NumCmd; c++) all[c] = known_q[c] ? mem[c] : '0;
  end
  logic unused;  // here
  assign unused = ^all;
`endif
endmodule
