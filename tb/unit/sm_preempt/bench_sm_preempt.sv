// SPDX-License-Identifier: Apache-2.0
// Bench top: a whole qsm_sm with the launches of its kernels, messages and memory port taken apart.
module bench_sm_preempt
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [31:0] params_o [5],           // NumSched, WarpsPerSm, WarpSize, NumKernels, MaxTbs
  output logic [31:0] granule_bytes_o,
  input  logic [31:0] policy_i,
  input  logic [31:0] code_i [2],             // where the kernels' instructions are
  // Launches: entry, arg, warps, threads, shared bytes, granules, end of the windows' memory
  input  logic [31:0] launch_i [NumKernels][7],
  input  logic [31:0] kill_i,
  // Power: messages gate, wake and their answers; whether the SM is gated
  input  logic        gate_i,
  input  logic        wake_i,
  input  logic [15:0] wake_lat_i,
  output logic        off_o,
  output logic        on_o,
  output logic        gated_o,
  // Issued warps of kernel 0, its loads at the L1, the energy counter that is asked for
  output logic [31:0] kept_o [3],
  input  logic [31:0] energy_i [2],           // slot, event
  // The LSU's passes: those that count as energy, and that are injected or not by their pcs
  output logic        counted_o,
  output logic        injected_o,
  output logic        running_o,
  output logic        reset_o,                // what is not kept, as after a reset
  // Message: valid, op, kernel, tb, image, fresh, ticket, block, first, base
  input  logic [31:0] message_i [10],
  input  logic [31:0] save_base_i,
  output logic [31:0] retire_o [3],           // valid, tb, saved
  output logic        restored_o,
  output logic [31:0] fault_o,
  output logic [31:0] phase_o,
  output logic [31:0] present_o,
  // Memory: request {valid, kind, amo, addr, bytes, tag}, response {valid, tag}
  output logic [31:0] req_o [6],
  output logic [31:0] req_data_o [WarpSize],
  input  logic [31:0] rsp_i [2],
  input  logic [31:0] rsp_data_i [WarpSize]
);
  assign params_o = '{NumSched, WarpsPerSm, WarpSize, NumKernels, MaxTbs};
  assign granule_bytes_o = GranuleBytes;

  desc_t [NumKernels-1:0] desc;
  sm_direct_t direct;
  to_sm_t to_sm;
  from_sm_t from_sm;
  sm_figures_t figures;
  mem_req_t req;
  mem_rsp_t rsp;
  logic [63:0] cycle_q;

  always_comb begin
    desc = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      desc[k].win[0] = '{base: 32'h8000_0000, limit: launch_i[k][6], x: 1'b1, w: 1'b1, r: 1'b1};
      desc[k].entry = launch_i[k][0];
      desc[k].arg = launch_i[k][1];
      desc[k].warps = 7'(launch_i[k][2]);
      desc[k].threads = 11'(launch_i[k][3]);
      desc[k].block[0] = 11'(launch_i[k][3]);
      desc[k].shared = 19'(launch_i[k][4]);
      desc[k].granules = 6'(launch_i[k][5]);
    end
    direct = '0;
    direct.cycle = cycle_q;
    direct.policy = policy_e'(policy_i[2:0]);
    direct.policy_param = '{budget: {NumKernels{8'd1}}, above: '0, restart: '0, active_warps: 5'd8};
    direct.save_base = save_base_i[31:12];
    direct.wake_lat = wake_lat_i;
    direct.energy_slot = KernelW'(energy_i[0]);
    direct.energy_event = energy_event_e'(energy_i[1][3:0]);
    to_sm = '0;
    to_sm.broadcast.kill = NumKernels'(kill_i);
    to_sm.power = '{wake: wake_i, gate: gate_i};
    to_sm.dispatch = '{valid: message_i[0][0], op: tb_op_e'(message_i[1][1:0]),
        kernel: KernelW'(message_i[2]), tb: TbW'(message_i[3]),
                image: 4'(message_i[4]), fresh: message_i[5][0], ticket: TicketW'(message_i[6]),
                    linear: message_i[7],
                block: {32'd0, message_i[7][15:0]}, first: SubW'(message_i[8]), base:
                  GranW'(message_i[9])};
    rsp.valid = rsp_i[0][0];
    rsp.tag = TagW'(rsp_i[1]);
    for (int unsigned l = 0; l < WarpSize; l++) rsp.data[l] = rsp_data_i[l];
  end
  assign retire_o = '{32'(from_sm.retire.valid), 32'(from_sm.retire.tb), 32'(from_sm.retire.saved)};
  assign fault_o = 32'(from_sm.fault);
  assign restored_o = from_sm.restored;
  assign {on_o, off_o} = from_sm.power;
  assign gated_o = dut.gated;
  assign kept_o = '{figures.stall_value, figures.l1_value, figures.energy_value};
  // What is injected has its address as its pc (R-PE-16): in the save area or in shared memory.
  logic access, of_code;
  assign access = dut.u_lsu.pass_valid && dut.u_lsu.pass_kind != 2'd2;
  assign of_code = dut.u_lsu.c_q.pc >= code_i[0] && dut.u_lsu.c_q.pc < code_i[1];
  assign counted_o = dut.pass.valid;
  assign injected_o = access && !of_code;
  assign running_o = access && of_code;
  assign reset_o = dut.u_quota.c[0] == '0 && figures.quota == '0 && figures.snap_insn == '0 &&
      dut.g_sub[0].u_subcore.u_fetch.u_icache.used_q == '0 &&
      dut.g_sub[0].u_subcore.u_regfile.u_written.fresh_q == '1 && dut.u_launch.tb_valid_q == '0 &&
      figures.qaws_front == '0;
  assign phase_o = 32'(figures.save_phase);
  assign present_o = 32'(dut.present);
  assign req_o = '{32'(req.valid), 32'(req.kind), 32'(req.amo), req.addr, 32'(req.bytes),
      32'(req.tag)};
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign req_data_o[l] = req.data[l];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cycle_q <= '0;
    else cycle_q <= cycle_q + 64'd1;
  end

  qsm_sm dut (
    .clk_i, .rst_ni, .sm_id_i('0), .desc_i(desc), .direct_i(direct), .to_sm_i(to_sm),
    .from_sm_o(from_sm), .figures_o(figures), .req_o(req), .rsp_i(rsp)
  );
endmodule
