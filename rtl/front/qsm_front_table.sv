// SPDX-License-Identifier: Apache-2.0
// The channel table: 32 words per command channel in one memory of one port. The host goes
// first; what the sequencer asks for is done in the first cycle without an access of the host's.
// Contract: docs/front.md R-FR-1. Latency: what is read in t is there in t + 1, and until then
// only; what is written in t is read from t + 1 on.
// Cost: a block RAM. Its contents mean nothing before they are written.
module qsm_front_table #(
  parameter int unsigned NumCmd = 4,
  localparam int unsigned ChanW = (NumCmd > 1) ? $clog2(NumCmd) : 1
) (
  input  logic             clk_i,

  // Host: an access of the table in this cycle, accepted or not.
  input  logic             host_valid_i,
  input  logic             host_we_i,
  input  logic [ChanW-1:0] host_channel_i,
  input  logic [4:0]       host_word_i,
  input  logic [31:0]      host_wdata_i,

  // Sequencer.
  input  logic             seq_valid_i,
  input  logic             seq_we_i,
  input  logic [ChanW-1:0] seq_channel_i,
  input  logic [4:0]       seq_word_i,
  input  logic [31:0]      seq_wdata_i,
  output logic             seq_done_o,

  output logic [31:0]      rdata_o  // what was read in the last cycle
);
  logic [31:0] mem[32 << ChanW];
  logic write;
  logic [ChanW+4:0] place;
  logic [31:0] wdata;

  assign seq_done_o = seq_valid_i && !host_valid_i;
  assign write = host_valid_i ? host_we_i : seq_valid_i && seq_we_i;
  assign place = host_valid_i ? {host_channel_i, host_word_i} : {seq_channel_i, seq_word_i};
  assign wdata = host_valid_i ? host_wdata_i : seq_wdata_i;
  always_ff @(posedge clk_i) begin
    if (write) mem[place] <= wdata;
    else rdata_o <= mem[place];
  end
endmodule
