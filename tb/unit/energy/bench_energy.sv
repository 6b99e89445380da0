// SPDX-License-Identifier: Apache-2.0
// qsm_energy with its structs taken apart, and a way to set its counters, so that they wrap.
module bench_energy
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  // Of each sub-core: valid, kernel, lanes, class, operands, writes
  input  logic [31:0] issue_i [NumSched][6],
  input  logic [31:0] pass_i [4],  // valid, shared, kernel, lanes
  input  logic [31:0] slot_i,      // what is read
  input  logic [31:0] event_i,
  output logic [31:0] value_o,
  output logic [31:0] sum_o [2],   // of the lanes of this slot, as the SM's assertion has it
  // All counters of all sub-cores that were counted up before become this number.
  input  logic        poke_i,
  input  logic [31:0] poke_value_i
);
  issue_event_t [NumSched-1:0] issue;
  pass_event_t pass;
  for (genvar s = 0; s < NumSched; s++) begin : g_sub
    assign issue[s] = '{valid: issue_i[s][0][0], kernel: KernelW'(issue_i[s][1]),
        lanes: LanesW'(issue_i[s][2]), device_fence: 1'b0, cls: class_e'(issue_i[s][3][2:0]),
        operands: issue_i[s][4][1:0], writes: issue_i[s][5][0], away: 1'b0};
    always @(posedge clk_i) if (poke_i) begin
      for (int unsigned k = 0; k < 1 << KernelW; k++) begin
        u_energy.g_sub[s].u_issues.count_mem[2*k] <= poke_value_i;
        u_energy.g_sub[s].u_reads.count_mem[2*k] <= poke_value_i;
        u_energy.g_sub[s].u_writes.count_mem[2*k] <= poke_value_i;
        for (int unsigned c = 0; c < 8; c++)
          u_energy.g_sub[s].u_lanes.count_mem[8*k+c] <= poke_value_i;
      end
    end
  end
  assign pass = '{valid: pass_i[0][0], shared: pass_i[1][0], kernel: KernelW'(pass_i[2]),
      lanes: LanesW'(pass_i[3])};
  always @(posedge clk_i) if (poke_i) begin
    for (int unsigned r = 0; r < 2 << KernelW; r++)
      u_energy.u_passes.count_mem[r] <= poke_value_i;
  end
  assign sum_o = '{32'(u_energy.sum_slot_q), u_energy.sum_lanes};

  qsm_energy u_energy (
    .clk_i, .rst_ni, .issue_i(issue), .pass_i(pass), .read_slot_i(KernelW'(slot_i)),
    .read_event_i(energy_event_e'(event_i[3:0])), .value_o
  );
endmodule
