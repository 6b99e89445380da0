// SPDX-License-Identifier: Apache-2.0
// A sub-core's side of saving and restoring a thread block: finds the slot of the step's warp, says
// in which cycle the step issues, and encodes its instruction. Doc: docs/preemption.md (R-PE-15,
// R-PE-16).
// Latency: the slot is a register from the cycle after its search on; registers and entries are
// looked at one cycle before the step, units in its cycle, by two levels of logic from registers.
// Cost: a compare of the warp's index per slot, a flip-flop and those of a slot's number.
//
// Observed by the lockstep monitor: done_o, warp_o, with qsm_subcore's issue_op (INJECT).
module qsm_inject
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic [WarpsPerSched-1:0]            frozen_i,
  input  logic [WarpsPerSched-1:0][WidxW-1:0] widx_i,
  input  logic [WarpsPerSched-1:0]            split_valid_i,
  input  logic [WarpsPerSched-1:0]            at_barrier_i,
  input  logic [WarpsPerSched-1:0]            ibuf_empty_i,
  input  logic [WarpsPerSched-1:0]            sb_empty_i,
  input  logic [WarpsPerSched-1:0]            sb_full_i,
  input  logic                                sb_hazard_i,  // of warp_o, with the step's register
  input  logic                                mem_free_i,   // credit in the memory queue
  input  logic                                port_claim_i,  // the write port is claimed, R-FP-3
  // of warp_o, in the cycle after the step
  input  split_t                              path_i,
  input  step_find_t                          find_i,
  input  step_t                               step_i,
  input  step_op_t                            step_op_i,
  output logic                                found_o,      // in the cycle of find_i
  output logic [WarpW-1:0]                    warp_o,       // the step's slot: a register
  output logic                                done_o,
  output logic                                mem_o,        // class MEM
  output logic                                jmp_o,
  output logic [4:0]                          rd_o,
  // Of the step that was done in the cycle before
  output logic                                was_jmp_o,
  output logic [31:0]                         instr_o,
  output split_t                              path_o,
  // All frozen warps here.
  output logic                                quiet_o,
  output logic                                drained_o
);
  localparam logic [6:0] OpcodeLoad = 7'h03, OpcodeAuipc = 7'h17, OpcodeStore = 7'h23,
      OpcodeJalr = 7'h67;
  localparam logic [2:0] Word = 3'b010;

  logic [WarpsPerSched-1:0] target;
  logic [WarpW-1:0] warp;
  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_warp
    assign target[w] = frozen_i[w] && widx_i[w] == find_i.widx;
  end
  always_comb begin
    warp = '0;
    // one at most
    for (int unsigned w = 0; w < WarpsPerSched; w++) if (target[w]) warp |= WarpW'(w);
  end
  assign found_o = |target;

  assign quiet_o = (frozen_i & ~(sb_empty_i & (at_barrier_i | (split_valid_i & ~ibuf_empty_i)))) ==
      '0;
  assign drained_o = (frozen_i & ~sb_empty_i) == '0;

  // ---- When it is done ----
  logic [WarpW-1:0] warp_q;
  logic ready_q, store;  // ready: at the start of the cycle before; it stays so
  assign store = step_i.kind inside {StepSt, StepSts};
  assign jmp_o = step_i.kind == StepJmp;
  assign mem_o = step_i.kind inside {StepSt, StepLd, StepSts, StepLds};
  assign rd_o = (store || jmp_o) ? 5'd0 : step_i.xreg;
  assign warp_o = warp_q;
  assign done_o = step_i.valid && step_i.whole && ready_q &&
      (mem_o ? mem_free_i : jmp_o || !port_claim_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      warp_q <= '0;
      ready_q <= 1'b0;
    end else begin
      if (find_i.keep) warp_q <= warp;
      ready_q <= step_i.valid && !done_o && !sb_hazard_i && (jmp_o || !sb_full_i[warp_q]);
    end
  end

  // ---- What it does ----
  assign path_o = step_path(step_op_i, path_i);
  assign was_jmp_o = step_op_i.kind == StepJmp;

  always_comb begin
    unique case (step_op_i.kind)
      StepSt, StepSts: instr_o = {7'd0, step_op_i.xreg, 5'd0, Word, 5'd0, OpcodeStore};
      StepLd, StepLds: instr_o = {17'd0, Word, step_op_i.xreg, OpcodeLoad};
      // jalr x0, 30(x31): rs2's field reads x30
      StepJmp:         instr_o = {12'd30, 5'd31, 3'd0, 5'd0, OpcodeJalr};
      default:         instr_o = {20'd0, step_op_i.xreg, OpcodeAuipc};
    endcase
  end
endmodule
