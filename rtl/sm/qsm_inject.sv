// SPDX-License-Identifier: Apache-2.0
// A sub-core's side of saving and restoring a thread block: finds the warp of the sequencer's step,
// says whether the step issues in this cycle, and encodes its instruction. Doc: docs/preemption.md
// (R-PE-15, R-PE-16).
// Latency: combinational from registers. Cost: a compare of the warp's index per slot.
//
// Observed by the lockstep monitor: done_o, warp_o, with qsm_issue's op_o (INJECT).
module qsm_inject
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic [WarpsPerSched-1:0]            frozen_i,
  input  logic [WarpsPerSched-1:0]            has_live_i,
  input  logic [WarpsPerSched-1:0][WidxW-1:0] widx_i,
  input  logic [WarpsPerSched-1:0]            split_valid_i,
  input  logic [WarpsPerSched-1:0]            at_barrier_i,
  input  logic [WarpsPerSched-1:0]            ibuf_empty_i,
  input  logic [WarpsPerSched-1:0]            sb_empty_i,
  input  logic [WarpsPerSched-1:0]            sb_full_i,
  input  logic                                sb_hazard_i,  // of warp_o, with the step's register
  input  logic                                mem_free_i,   // credit in the memory queue
  input  logic                                port_claim_i,  // the write port is claimed, R-FP-3
  // the read port of the lane store is free, asks_o not considered
  input  logic                                lane_free_i,
  // The step that waits.
  input  logic [WidxW-1:0]                    widx_step_i,
  input  step_t                               step_i,
  output logic [WarpW-1:0]                    warp_o,       // its warp's slot, if found_o
  output logic                                found_o,
  // for the lane store's read port (R-WS-11)
  output logic                                asks_o,
  output logic                                done_o,
  output logic [31:0]                         instr_o,
  output logic                                mem_o,        // class MEM
  output logic                                jmp_o,
  output logic [4:0]                          rd_o,
  // All frozen warps here.
  output logic                                quiet_o,
  output logic                                drained_o
);
  localparam logic [6:0] OpcodeLoad = 7'h03, OpcodeAuipc = 7'h17, OpcodeStore = 7'h23,
      OpcodeJalr = 7'h67;
  localparam logic [2:0] Word = 3'b010;

  logic [WarpsPerSched-1:0] target;
  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_warp
    assign target[w] = frozen_i[w] && has_live_i[w] && widx_i[w] == widx_step_i;
  end
  always_comb begin
    warp_o = '0;
    // one at most
    for (int unsigned w = 0; w < WarpsPerSched; w++) if (target[w]) warp_o |= WarpW'(w);
  end
  assign found_o = |target;

  assign quiet_o = (frozen_i & ~(sb_empty_i & (at_barrier_i | (split_valid_i & ~ibuf_empty_i)))) ==
      '0;
  assign drained_o = (frozen_i & ~sb_empty_i) == '0;

  logic store, ready, unit_free;
  assign store = step_i.kind inside {StepSt, StepSts};
  assign jmp_o = step_i.kind == StepJmp;
  assign mem_o = step_i.kind inside {StepSt, StepLd, StepSts, StepLds};
  assign rd_o = (store || jmp_o) ? 5'd0 : step_i.xreg;

  assign ready = step_i.valid && found_o && !sb_hazard_i && (jmp_o || (target & sb_full_i) == '0);
  assign asks_o = ready && step_i.lane;
  assign unit_free = mem_o ? mem_free_i : jmp_o || !(port_claim_i || (step_i.lane && !lane_free_i));
  assign done_o = ready && unit_free;

  always_comb begin
    unique case (step_i.kind)
      StepSt, StepSts: instr_o = {7'd0, step_i.xreg, 5'd0, Word, 5'd0, OpcodeStore};
      StepLd, StepLds: instr_o = {17'd0, Word, step_i.xreg, OpcodeLoad};
      // jalr x0, 30(x31): rs2's field reads x30
      StepJmp:         instr_o = {12'd30, 5'd31, 3'd0, 5'd0, OpcodeJalr};
      default:         instr_o = {20'd0, step_i.xreg, OpcodeAuipc};
    endcase
  end
endmodule
