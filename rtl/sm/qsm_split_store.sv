// SPDX-License-Identifier: Apache-2.0
// Active warp split of each warp of the sub-core, and how far it has been fetched. Doc:
// docs/warp_state.md (R-WS-1, -3,
// -6), docs/subcore.md (R-FE-4, R-FE-7).
// Three sources can set splits in the same cycle, and fetch advances one. Each writer has its own
// distributed RAM, and a register per warp says which one wrote last. That costs a third of
// flip-flops with multiplexers. Of the split of a warp that has just started only the lanes are
// stored: it is at the entry point, with depth 0.
// Contract: at most one source sets the split of a warp in a cycle. An advance of a warp is ignored
// if its split is set in the same cycle.
//
// Observed by the lockstep monitor: source_q, moved_q, the memories (full state).
module qsm_split_store
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  input  desc_t [NumKernels-1:0]                desc_i,
  // At the end of this cycle.
  input  logic [WarpsPerSched-1:0]              start_i,        // of start_warp_i only
  input  logic [WarpW-1:0]                      start_warp_i,
  input  mask_t                                 start_live_i,
  input  logic [WarpsPerSched-1:0]              stay_i,         // of stay_warp_i only
  input  logic [WarpW-1:0]                      stay_warp_i,
  input  split_t                                 stay_split_i,
  input  logic [WarpsPerSched-1:0]              select_i,       // of select_warp_i only
  input  logic [WarpW-1:0]                      select_warp_i,
  input  split_t                                 select_split_i,
  input  logic                                  advance_i,
  input  logic [WarpW-1:0]                      advance_warp_i,
  input  logic [31:2]                           advance_pc_i,
  // Asynchronous reads: for fetch, and in the cycle after an issue of its warp, whose split has not
  // changed until then.
  input  logic [WarpW-1:0]                      fetch_warp_i,
  input  logic [WarpsPerSched-1:0]              fetch_turn_i,   // the same, one bit or none
  input  logic [KernelW-1:0]                    fetch_kernel_i, // its kernel
  output logic [31:2]                           fetch_pc_o,     // next word to fetch
  input  logic [WarpW-1:0]                      issue_warp_i,
  output logic [DepthW-1:0]                     issue_depth_o,
  output mask_t                                 issue_mask_o
);
  typedef enum logic [1:0] { FromStart = 2'd0, FromStay = 2'd1, FromSelect = 2'd2 } source_e;
  typedef struct packed {
    logic [DepthW-1:0] depth;
    mask_t mask;
  } lanes_of_t;

  source_e [WarpsPerSched-1:0] source_q;  // source of the split
  logic [WarpsPerSched-1:0] moved_q;      // fetch has advanced it since then

  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_warp
    logic sets;
    assign sets = start_i[w] || stay_i[w] || select_i[w];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        source_q[w] <= FromStart;
        moved_q[w] <= 1'b0;
      end else begin
        if (sets) source_q[w] <= start_i[w] ? FromStart : stay_i[w] ? FromStay : FromSelect;
        moved_q[w] <= !sets && (moved_q[w] || (advance_i && advance_warp_i == WarpW'(w)));
      end
    end
  end

  logic [31:2] stay_pc[1 << WarpW], select_pc[1 << WarpW], advance_pc[1 << WarpW];
  lanes_of_t stay_lanes[1 << WarpW], select_lanes[1 << WarpW];
  mask_t start_lanes[1 << WarpW];

  always_ff @(posedge clk_i) begin
    if (|start_i) start_lanes[start_warp_i] <= start_live_i;
    if (|stay_i) begin
      stay_pc[stay_warp_i] <= stay_split_i.pc[31:2];
      stay_lanes[stay_warp_i] <= '{depth: stay_split_i.depth, mask: stay_split_i.mask};
    end
    if (|select_i) begin
      select_pc[select_warp_i] <= select_split_i.pc[31:2];
      select_lanes[select_warp_i] <= '{depth: select_split_i.depth, mask: select_split_i.mask};
    end
    if (advance_i) advance_pc[advance_warp_i] <= advance_pc_i;
  end

  // Of the warp that fetches: its turn is known before its number, the kernel's entry point last.
  logic fetch_moved, fetch_stays, fetch_selects;
  always_comb begin
    {fetch_moved, fetch_stays, fetch_selects} = '0;
    for (int unsigned w = 0; w < WarpsPerSched; w++) begin
      if (fetch_turn_i[w] && moved_q[w]) fetch_moved = 1'b1;
      if (fetch_turn_i[w] && source_q[w] == FromStay) fetch_stays = 1'b1;
      if (fetch_turn_i[w] && source_q[w] == FromSelect) fetch_selects = 1'b1;
    end
    fetch_pc_o = fetch_stays ? stay_pc[fetch_warp_i] : select_pc[fetch_warp_i];
    if (fetch_moved) fetch_pc_o = advance_pc[fetch_warp_i];
    if (!fetch_moved && !fetch_stays && !fetch_selects)
      fetch_pc_o = desc_i[fetch_kernel_i].entry[31:2];

    case (source_q[issue_warp_i])
      FromStay: {issue_depth_o, issue_mask_o} = stay_lanes[issue_warp_i];
      FromSelect: {issue_depth_o, issue_mask_o} = select_lanes[issue_warp_i];
      default: {issue_depth_o, issue_mask_o} = {DepthW'(0), start_lanes[issue_warp_i]};
    endcase
  end

  logic unused;  // bits 1:0 of a pc are 0: ENTRY is a multiple of 4, a misaligned target faults
  assign unused = ^{desc_i, stay_split_i.pc[1:0], select_split_i.pc[1:0]};

`ifndef SYNTHESIS
  // R-WS-5: at most one source for a warp in a cycle.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      ((start_i & stay_i) | (start_i & select_i) | (stay_i & select_i)) == '0);
`endif
endmodule
