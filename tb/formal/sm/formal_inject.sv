// SPDX-License-Identifier: Apache-2.0
// qsm_inject: for which warp a step is, in which cycle it is done and as which instruction, for
// every state of a sub-core (R-PE-15, R-PE-16).
module formal_inject
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input logic                                    clk_i,
  input logic [WarpsPerSched-1:0]                frozen_i,
  input logic [WarpsPerSched-1:0][WidxW-1:0]     widx_i,
  input logic [WarpsPerSched-1:0]                split_valid_i,
  input logic [WarpsPerSched-1:0]                at_barrier_i,
  input logic [WarpsPerSched-1:0]                ibuf_empty_i,
  input logic [WarpsPerSched-1:0]                sb_empty_i,
  input logic [WarpsPerSched-1:0]                sb_full_i,
  input logic                                    sb_hazard_i,
  input logic                                    mem_free_i,
  input logic                                    port_claim_i,
  input split_t                                  path_i,
  input step_find_t                              find_i,
  input step_t                                   step_i,
  input step_op_t                                step_op_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [WarpW-1:0] warp;
  logic             found, done, mem, jmp, quiet, drained;
  logic [31:0]      instr;
  logic [4:0]       rd;
  split_t           path;
  qsm_inject u_dut (
    .clk_i, .rst_ni, .frozen_i, .widx_i, .split_valid_i, .at_barrier_i, .ibuf_empty_i, .sb_empty_i,
    .sb_full_i, .sb_hazard_i, .mem_free_i, .port_claim_i, .path_i, .find_i, .step_i, .step_op_i,
    .found_o(found), .warp_o(warp), .done_o(done), .mem_o(mem), .jmp_o(jmp), .rd_o(rd),
    .instr_o(instr), .path_o(path), .quiet_o(quiet), .drained_o(drained)
  );

  // The warp that is sought: frozen, of this index; of no two the index is the same.
  logic             is_there, apart, all_quiet, all_drained;
  logic [WarpW-1:0] which;
  always_comb begin
    is_there = 1'b0;
    apart = 1'b1;
    which = '0;
    {all_quiet, all_drained} = '1;
    for (int unsigned w = 0; w < WarpsPerSched; w++) begin
      for (int unsigned v = 0; v < w; v++)
        if (frozen_i[v] && frozen_i[w] && widx_i[v] == widx_i[w]) apart = 1'b0;
      if (frozen_i[w] && widx_i[w] == find_i.widx) {is_there, which} = {1'b1, WarpW'(w)};
      if (frozen_i[w] && !sb_empty_i[w]) {all_quiet, all_drained} = '0;
      if (frozen_i[w] && !(split_valid_i[w] && !ibuf_empty_i[w]) && !at_barrier_i[w])
        all_quiet = 1'b0;
    end
  end

  // Conditions of each step, as the table of R-PE-16 has them: of the cycle before, of this one.
  logic free_now, free_q, may, done_q;
  logic [WarpW-1:0] kept_q;
  always_comb begin
    free_now = !sb_hazard_i && (step_i.kind == StepJmp || !sb_full_i[kept_q]);
    case (step_i.kind)
      StepSt, StepSts, StepLd, StepLds: may = mem_free_i;
      StepSet: may = !port_claim_i;
      default: may = 1'b1;
    endcase
  end
  always_ff @(posedge clk_i) begin
    free_q <= rst_ni && free_now && step_i.valid;
    done_q <= rst_ni && done;
    if (!rst_ni) kept_q <= '0;
    else if (find_i.keep && is_there) kept_q <= which;
    else if (find_i.keep) kept_q <= '0;
  end

  // The instruction: a store reads x_r and writes nothing.
  logic [31:0] word, value;
  mask_t       mask;
  always_comb begin
    case (step_op_i.kind)
      StepSt, StepSts: word = 32'h00002023 | 32'(step_op_i.xreg) << 20;  // sw xr, 0(x0)
      StepLd, StepLds: word = 32'h00002003 | 32'(step_op_i.xreg) << 7;   // lw xr, 0(x0)
      StepSet:         word = 32'h00000017 | 32'(step_op_i.xreg) << 7;   // auipc xr, 0
      default:         word = 32'h01ef8067;                              // jalr x0, 30(x31)
    endcase
    value = step_op_i.path_pc ? path_i.pc
        : step_op_i.path_depth ? step_op_i.pc + 32'(path_i.depth) : step_op_i.pc;
    mask = (step_op_i.path_pc || step_op_i.path_depth) ? path_i.mask : step_op_i.mask;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (apart && step_i.kind <= StepJmp && step_op_i.kind <= StepJmp);
      // R-PE-16: the sequencer's operands of a SET of the split
      assume (!step_op_i.path_pc || (step_op_i.pc == '0 && !step_op_i.path_depth));
      assume (!step_op_i.path_depth || step_op_i.pc == 32'd32);
      its_warp: assert (found == is_there);
      kept: assert (warp == kept_q);
      when_ready: assert (done == (step_i.valid && step_i.whole && free_q && !done_q && may));
      instruction: assert (instr == word);
      operands: assert (path.pc == value && path.mask == mask && path.depth == '0);
      of_memory: assert (mem == (step_i.kind inside {StepSt, StepLd, StepSts, StepLds}) &&
          jmp == (step_i.kind == StepJmp));
      writes: assert (rd == ((step_i.kind inside {StepLd, StepLds, StepSet}) ? step_i.xreg : 5'd0));
      quiet_if_all: assert (quiet == all_quiet && drained == all_drained);
      // For the induction: what is kept.
      same: assert (u_dut.ready_q == (free_q && !done_q) && u_dut.warp_q == kept_q);
      jumps: cover (done && step_i.kind == StepJmp && sb_full_i[warp] && warp == 1);
      waits: cover (!done && free_q && step_i.kind == StepSet && step_i.valid && port_claim_i);
      at_barrier: cover (quiet && frozen_i == '1 && split_valid_i == '0);
    end
  end
endmodule
