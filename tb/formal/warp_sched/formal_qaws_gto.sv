// SPDX-License-Identifier: Apache-2.0
// With equal budgets qaws and qaws_prose pick what gto picks, cycle by cycle (docs/qaws.md, "Equal
// to GTO"): two schedulers side by side.
module formal_qaws_gto
  import qsm_enums_pkg::*;
#(
  parameter bit          Prose = 1'b0,
  parameter int unsigned NumWarps = 4,
  parameter int unsigned NumKernels = 2,
  localparam int unsigned SlotW = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input logic                  clk_i,
  input logic                  start_valid_i,
  input logic [SlotW-1:0]      start_slot_i,
  input logic [KernelW-1:0]    start_kernel_i,
  input logic                  finish_valid_i,
  input logic [SlotW-1:0]      finish_slot_i,
  input logic [NumWarps-1:0]   able_i,
  input logic [NumWarps-1:0]   mem_i,
  input logic [NumKernels-1:0] gate_i,
  input logic [NumKernels-1:0] no_mem_i,
  input logic                  issue_inhibit_i,
  input logic [7:0]            budget_i,  // of all kernels
  input logic [NumKernels-1:0] written_i,
  input logic [NumKernels-1:0] throttled_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [NumWarps-1:0] able, seen;  // seen: eligible, unless issue_inhibit_i
  logic [NumWarps-1:0] eligible;    // in truth

  logic [NumWarps-1:0]              resident;
  logic [NumWarps-1:0][KernelW-1:0] kernel;
  logic [NumWarps-1:0][NumWarps-1:0] older;
  formal_warps #(.NumWarps(NumWarps), .NumKernels(NumKernels)) u_warps (
    .clk_i, .rst_ni, .start_valid_i, .start_slot_i, .start_kernel_i, .finish_valid_i,
    .finish_slot_i, .eligible_i(seen), .long_latency_i('0),
    .resident_o(resident), .kernel_o(kernel), .older_o(older)
  );
  assign able = able_i & resident;
  assign eligible = issue_inhibit_i ? '0 : seen;
  always_comb for (int unsigned w = 0; w < NumWarps; w++) seen[w] = able[w] &&
      gate_i[kernel[w]] && !(mem_i[w] && no_mem_i[kernel[w]]);

  logic [7:0] budget_q;
  always_ff @(posedge clk_i) budget_q <= budget_i;

  logic [1:0]            pick_valid;
  logic [1:0][SlotW-1:0] pick;
  for (genvar i = 0; i < 2; i++) begin : g_side
    qsm_warp_sched #(.NumWarps(NumWarps), .NumKernels(NumKernels)) u_dut (
      .clk_i, .rst_ni, .policy_i((i == 0) ? PolicyGto : Prose ? PolicyQawsProse : PolicyQaws),
      .resident_i(resident), .kernel_i(kernel), .able_i(able & ~mem_i),
      .mem_able_i(able & mem_i), .gate_i, .no_mem_i, .issue_inhibit_i, .long_latency_i('0),
      .start_valid_i, .start_slot_i, .start_kernel_i, .finish_valid_i, .finish_slot_i,
      .active_warps_i(5'd8),
      .budget_i({NumKernels{budget_i}}), .above_i('0),
      .restart_i(written_i | {NumKernels{budget_i != budget_q}}), .throttled_i,
      .pick_valid_o(pick_valid[i]), .pick_slot_o(pick[i])
    );
    formal_ages #(.NumWarps(NumWarps)) u_ages (
      .clk_i, .rst_ni, .older_i(older), .kept_i(u_dut.older)
    );
  end

  logic [NumWarps-1:0] shut_eligible;
  always_comb for (int unsigned w = 0; w < NumWarps; w++) shut_eligible[w] = seen[w] &&
      throttled_i[kernel[w]];

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (budget_i != 0 && shut_eligible == '0);
      same_time: assert (pick_valid[0] == pick_valid[1]);
      if (pick_valid[0]) same_warp: assert (pick[0] == pick[1]);
      greedy: cover (pick_valid[0] && !g_side[0].u_dut.gone_q &&
          pick[0] == g_side[0].u_dut.last_q && pick[0] == 3);
      oldest: cover (pick_valid[0] && pick[0] != g_side[0].u_dut.last_q && pick[0] == 2 &&
          eligible[0]);
    end
  end
endmodule
