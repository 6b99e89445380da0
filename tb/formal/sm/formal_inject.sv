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
  input logic [WarpsPerSched-1:0]                has_live_i,
  input logic [WarpsPerSched-1:0][WidxW-1:0]     widx_i,
  input logic [WarpsPerSched-1:0]                split_valid_i,
  input logic [WarpsPerSched-1:0]                at_barrier_i,
  input logic [WarpsPerSched-1:0]                ibuf_empty_i,
  input logic [WarpsPerSched-1:0]                sb_empty_i,
  input logic [WarpsPerSched-1:0]                sb_full_i,
  input logic                                    sb_hazard_i,
  input logic                                    mem_free_i,
  input logic                                    port_claim_i,
  input logic                                    lane_free_i,
  input logic [WidxW-1:0]                        widx_step_i,
  input step_t                                   step_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [WarpW-1:0] warp;
  logic             found, asks, done, mem, jmp, quiet, drained;
  logic [31:0]      instr;
  logic [4:0]       rd;
  qsm_inject u_dut (
    .frozen_i, .has_live_i, .widx_i, .split_valid_i, .at_barrier_i, .ibuf_empty_i, .sb_empty_i,
    .sb_full_i, .sb_hazard_i, .mem_free_i, .port_claim_i, .lane_free_i,
    .widx_step_i, .step_i, .warp_o(warp), .found_o(found), .asks_o(asks), .done_o(done),
    .instr_o(instr), .mem_o(mem), .jmp_o(jmp), .rd_o(rd),
    .quiet_o(quiet), .drained_o(drained)
  );

  // The warp of the step: frozen, with a live thread, of this index; of no two the index is the
  // same.
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
      if (frozen_i[w] && has_live_i[w] && widx_i[w] == widx_step_i)
        {is_there, which} = {1'b1, WarpW'(w)};
      if (frozen_i[w] && !sb_empty_i[w]) {all_quiet, all_drained} = '0;
      if (frozen_i[w] && !(split_valid_i[w] && !ibuf_empty_i[w]) && !at_barrier_i[w])
        all_quiet = 1'b0;
    end
  end

  // Conditions and instruction of each step, as the table of R-PE-16 has them. A store reads x_r
  // and writes nothing.
  logic        ready;
  logic [31:0] word;
  always_comb begin
    ready = !sb_hazard_i;
    word = '0;
    case (step_i.kind)
      StepSt, StepSts: begin
        ready = ready && !sb_full_i[which] && mem_free_i;
        word = 32'h00002023 | 32'(step_i.xreg) << 20;       // sw xr, 0(x0)
      end
      StepLd, StepLds: begin
        ready = ready && !sb_full_i[which] && mem_free_i;
        word = 32'h00002003 | 32'(step_i.xreg) << 7;        // lw xr, 0(x0)
      end
      StepSet: begin
        ready = ready && !sb_full_i[which] && !port_claim_i && !(step_i.lane && !lane_free_i);
        word = 32'h00000017 | 32'(step_i.xreg) << 7;        // auipc xr, 0
      end
      default: word = 32'h01ef8067;                         // jalr x0, 30(x31)
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (apart && step_i.kind <= StepJmp && (!step_i.lane || step_i.kind == StepSet));
      its_warp: assert (found == is_there && (!found || warp == which));
      when_ready: assert (done == (step_i.valid && is_there && ready));
      who_asks: assert (asks == (step_i.valid && is_there && step_i.lane && !sb_hazard_i &&
          !sb_full_i[which]));
      instruction: assert (instr == word);
      of_memory: assert (mem == (step_i.kind inside {StepSt, StepLd, StepSts, StepLds}) &&
          jmp == (step_i.kind == StepJmp));
      writes: assert (rd == ((step_i.kind inside {StepLd, StepLds, StepSet}) ? step_i.xreg : 5'd0));
      quiet_if_all: assert (quiet == all_quiet && drained == all_drained);
      jumps: cover (done && step_i.kind == StepJmp && sb_full_i[warp] && warp == 1);
      waits: cover (found && !done && step_i.kind == StepSet && step_i.lane && step_i.valid &&
          !port_claim_i && !sb_hazard_i && !sb_full_i[warp]);
      at_barrier: cover (quiet && frozen_i == '1 && split_valid_i == '0);
    end
  end
endmodule
