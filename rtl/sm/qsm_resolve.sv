// SPDX-License-Identifier: Apache-2.0
// Resolves a ctl instruction in EX2: next pc and call depth of its lanes, which lanes exit or wait
// at a barrier, and faults. Combinational. Doc: docs/subcore.md (R-EX-5), docs/isa.md (I-DIV-1,
// I-FLT-1); of injected instructions docs/preemption.md (R-PE-19).
module qsm_resolve
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic         valid_i,
  input  op_t          op_i,
  input  dec_t         dec_i,
  input  logic         alive_i,     // the warp has threads, and its kernel is not killed
  input  mask_t        taken_i,     // the lane branches or jumps
  input  logic [31:0]  target_i,    // of branches and jal; 0 of a jalr
  input  logic [31:0]  pc4_i,       // 0 of a jalr
  input  lanes_t       jalr_i,      // target of a jalr; 0 of others
  input  lanes_t       rs2_i,
  input  mask_t        faults_i,    // lanes that fault, if the warp is alive
  input  logic [31:0]  linear_i,    // linear block index
  output resolve_t     resolve_o,
  output fault_event_t fault_o
);

  // Next pc and depth of the lanes. JMP (R-PE-19): each lane has its own values, from x31 and x30,
  // which also say whether the lane is live and whether it waits at the barrier.
  lanes_t next_pc;
  mask_t exits, bars;
  logic jmp, calls, returns;
  logic [WarpSize-1:0][DepthW-1:0] lane_depth;
  logic [DepthW-1:0] next_depth;

  function automatic logic is_link(input logic [4:0] register);  // I-DIV-1
    return register inside {5'd1, 5'd5};
  endfunction

  for (genvar l = 0; l < WarpSize; l++) begin : g_next
    assign next_pc[l] = (taken_i[l] ? target_i : pc4_i) | {jalr_i[l][31:1], 1'b0};
    assign exits[l] = jmp ? !rs2_i[l][5] : dec_i.ctl == CtlExit && op_i.split.mask[l];
    assign bars[l] = jmp ? rs2_i[l][6] : dec_i.ctl == CtlBar && op_i.split.mask[l];
    assign lane_depth[l] = jmp ? rs2_i[l][DepthW-1:0] : next_depth;
  end

  assign jmp = op_i.injected && op_i.word.ctl;
  assign calls = dec_i.ctl inside {CtlJal, CtlJalr} && is_link(dec_i.rd);
  assign returns = dec_i.ctl == CtlJalr && dec_i.rd == '0 && is_link(dec_i.rs1);
  always_comb begin
    next_depth = op_i.split.depth;
    if (calls && op_i.split.depth != '1) next_depth = op_i.split.depth + DepthW'(1);
    if (returns && op_i.split.depth != '0) next_depth = op_i.split.depth - DepthW'(1);
  end

  // Fault: of the lowest lane that faults (I-FLT-1). Without one, the pc of the lowest lane of the
  // mask goes with the others.
  logic fault;
  mask_t lead_lanes;
  logic [LaneW-1:0] lead;
  logic [31:0] lead_pc;
  fault_t record;
  logic [4:0] cause;

  assign fault = valid_i && op_i.word.ctl && alive_i && faults_i != '0;

  assign lead_lanes = (faults_i != '0) ? faults_i : op_i.split.mask;
  always_comb begin
    lead = '0;
    for (int unsigned l = WarpSize; l > 0; l--) if (lead_lanes[l-1]) lead = LaneW'(l - 1);
  end
  assign lead_pc = next_pc[lead];

  always_comb begin
    if (op_i.word.ifault) cause = CauseFetchAccess;
    else if (dec_i.ctl == CtlFault) cause = dec_i.cause;
    else cause = CauseJumpTarget;

    record = '{cause: cause, pc: op_i.split.pc, tid: 10'({op_i.widx, lead}), block: linear_i,
        value: op_i.split.pc};
    if (cause == CauseIllegal) record.value = op_i.word.instr;
    if (cause == CauseJumpTarget) record.value = lead_pc;
  end
  assign fault_o = '{valid: fault, kernel: op_i.kernel, record: record};

  assign resolve_o = '{
    valid: valid_i && op_i.word.ctl && alive_i && faults_i == '0, warp: op_i.warp,
    tb: op_i.tb, mask: op_i.split.mask,
    selects: jmp || dec_i.ctl inside {CtlExit, CtlBar}, exits: exits, bars: bars, next_pc: next_pc,
    lead_pc: lead_pc, next_depth: lane_depth
  };

  logic unused;  // only a few fields of the instruction are used here
  assign unused = ^{op_i, dec_i};
endmodule
