// SPDX-License-Identifier: Apache-2.0
// Write-back: one register write per cycle; fixed results first, then the division, then the LSU's
// results. Doc: docs/subcore.md (R-WB-1 to -4).
// Queues the LSU's results (4 entries; the LSU's credits prevent an overflow). Counts how long a
// result has waited: when it is starved, it claims the write port.
//
// Observed by the lockstep monitor: write_o (WB), wb_wait_q (full state).
module qsm_wb
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic           clk_i,
  input  logic           rst_ni,
  input  wb_t            fixed_i,       // or of the FMA unit; data are 0 but in its lanes, if any
  input  logic           div_ready_i,
  input  wb_t            div_i,         // data are 0 but in its lanes when it is popped
  input  logic [SbW-1:0] div_entry_i,
  output logic           div_pop_o,
  input  mem_result_t    result_i,      // enters the queue at the end of this cycle
  output logic           result_pop_o,
  // to the register file; data of lanes outside the mask are 0
  output wb_t            write_o,
  output sb_done_t       div_done_o,
  output sb_done_t       part_back_o,
  output logic           port_claim_o   // wb_wait = 8: a starved result claims the port, R-FP-3
);
  localparam int unsigned StarveLimitW = $clog2(WbStarveLimit + 1);

  mem_result_t head;
  logic head_valid, queue_full;
  qsm_fifo #(.Width($bits(mem_result_t)), .Depth(ResDepth)) u_results (
    .clk_i, .rst_ni, .push_i(result_i.valid), .data_i(result_i), .pop_i(result_pop_o),
    .valid_o(head_valid),
    .full_o(queue_full), .data_o(head)
  );

  assign div_pop_o = div_ready_i && !fixed_i.valid;
  assign result_pop_o = head_valid && !div_ready_i && !fixed_i.valid;

  always_comb begin
    if (fixed_i.valid) begin
      write_o = fixed_i;
    end else if (div_ready_i) begin
      write_o = div_i;
      write_o.valid = div_i.rd != '0;
    end else begin
      write_o = '{valid: head_valid && head.rd != '0, warp: head.warp, rd: head.rd, mask: head.mask,
          data: head.data};
    end
    // 0 outside the mask (R-WB-4). What comes from exec is 0 but in lanes that it writes now.
    for (int unsigned l = 0; l < WarpSize; l++) begin
      write_o.data[l] = fixed_i.data[l] | div_i.data[l] |
                        ({32{!fixed_i.valid && !div_ready_i && head.mask[l]}} & head.data[l]);
    end
  end

  assign div_done_o = '{valid: div_pop_o, warp: div_i.warp, entry: div_entry_i};
  assign part_back_o = '{valid: result_pop_o, warp: head.warp, entry: head.entry};

  // R-WB-3
  logic [StarveLimitW-1:0] wb_wait_q;
  logic waits;
  assign waits = (div_ready_i || head_valid) && fixed_i.valid;
  assign port_claim_o = wb_wait_q == StarveLimitW'(WbStarveLimit);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wb_wait_q <= '0;
    else if (!waits || port_claim_o) wb_wait_q <= '0;
    else wb_wait_q <= wb_wait_q + StarveLimitW'(1);
  end

  logic unused;
  assign unused = ^{head.valid, div_i.valid};

`ifndef SYNTHESIS
  // R-LS-10
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(result_i.valid && queue_full && !result_pop_o));
`endif
endmodule
