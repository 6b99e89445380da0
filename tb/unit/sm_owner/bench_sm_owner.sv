// SPDX-License-Identifier: Apache-2.0
// qsm_sm_owner with types of ports made from its parameters, and plain ports for the unit bench.
module bench_sm_owner
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 4,
  parameter int unsigned NumKernels = 4,
  parameter int unsigned Gating = 1,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned CounterW = $clog2(5 + NumKernels)
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  input  logic                                    request_i,
  input  logic [SmW-1:0]                          request_sm_i,
  input  logic [1:0]                              request_use_i,
  input  logic [KernelW-1:0]                      request_owner_i,
  input  logic [NumKernels-1:0]                   valid_i,
  input  logic [NumKernels-1:0][NumSms-1:0]       mask_i,
  input  logic [NumKernels-1:0]                   apart_i,
  input  logic                                    closed_i,
  input  logic [1:0]                              technique_i,
  input  logic                                    gating_i,
  input  logic                                    snapshot_i,
  input  logic                                    epoch_done_i,
  input  logic [NumSms-1:0][NumKernels-1:0][5:0]  cnt_i,
  input  logic [NumSms-1:0][NumKernels-1:0]       refused_i,
  input  logic [NumSms-1:0]                       off_i,
  input  logic [NumSms-1:0]                       on_i,
  output logic [NumSms-1:0][1:0]                  use_o,
  output logic [NumSms-1:0][KernelW-1:0]          owner_o,
  output logic [NumSms-1:0]                       moving_o,
  output logic [NumSms-1:0][1:0]                  next_use_o,
  output logic [NumSms-1:0][KernelW-1:0]          next_owner_o,
  output logic [NumSms-1:0][1:0]                  power_o,
  output logic [NumSms-1:0]                       rested_o,
  output logic [NumSms-1:0][NumKernels-1:0]       refused_o,
  output logic [31:0]                             moves_o,
  output logic [47:0]                             move_cycles_o,
  output logic [47:0]                             gated_cycles_o,
  output logic [47:0]                             shared_cycles_o,
  output logic [31:0]                             wakes_o,
  output logic [NumKernels-1:0][47:0]             owned_cycles_o,
  output logic [NumKernels-1:0][NumSms-1:0]       may_o,
  output logic [NumSms-1:0]                       ask_o,
  output logic [NumSms-1:0][NumKernels-1:0]       evict_o,
  output logic [NumSms-1:0]                       gate_o,
  output logic [NumSms-1:0]                       wake_o,
  // One counter, asked for.
  input  logic                                    count_ask_i,
  input  logic [CounterW-1:0]                     count_which_i,
  output logic [47:0]                             count_o,
  // All counters become this in the low phase of the clock.
  input  logic                                    poke_i,
  input  logic [47:0]                             poke_value_i
);
  `include "qsm_sm_owner_types.svh"
  // All counters as they are, which the block shows one at a time: a sum and a rest.
  localparam int unsigned NumCounters = 5 + NumKernels;
  logic [NumCounters-1:0][47:0] counts;
  always_comb begin
    for (int unsigned n = 0; n < NumCounters; n++)
      counts[n] = (u_dut.u_meter.begun_q[n] ? u_dut.u_meter.sum_mem[n] : '0) +
          48'(u_dut.u_meter.rest_q[n]);
  end
  assign moves_o = counts[0][31:0];
  assign wakes_o = counts[1][31:0];
  assign move_cycles_o = counts[2];
  assign gated_cycles_o = counts[3];
  assign shared_cycles_o = counts[4];
  for (genvar k = 0; k < NumKernels; k++) begin : g_owned
    assign owned_cycles_o[k] = counts[5+k];
  end
  sm_request_t request;
  sm_owner_t [NumSms-1:0] owner;
  assign request = '{valid: request_i, sm: request_sm_i, usage: sm_use_e'(request_use_i),
      owner: request_owner_i};
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      use_o[i] = owner[i].usage;
      owner_o[i] = owner[i].owner;
      moving_o[i] = owner[i].moving;
      next_use_o[i] = owner[i].next_usage;
      next_owner_o[i] = owner[i].next_owner;
      power_o[i] = owner[i].power;
    end
  end
  assign rested_o = u_dut.rested_q;
  assign refused_o = u_dut.refused_q;

  always @(negedge clk_i) if (poke_i) begin
    for (int unsigned n = 0; n < NumCounters; n++) u_dut.u_meter.sum_mem[n] <= poke_value_i;
    u_dut.u_meter.begun_q <= '1;
    u_dut.u_meter.rest_q <= '0;
  end

  qsm_sm_owner #(
    .NumSms(NumSms), .NumKernels(NumKernels), .Gating(Gating != 0), .sm_request_t(sm_request_t),
    .sm_owner_t(sm_owner_t)
  ) u_dut (
    .clk_i, .rst_ni, .request_i(request), .valid_i, .mask_i,
    .technique_i(technique_e'(technique_i)), .gating_i, .owner_o(owner),
    .count_ask_i, .count_which_i, .count_o, .snapshot_i,
    .epoch_done_i, .cnt_i, .apart_i, .closed_i, .may_o, .ask_o, .evict_o, .refused_i, .gate_o,
    .wake_o, .off_i, .on_i
  );
endmodule
