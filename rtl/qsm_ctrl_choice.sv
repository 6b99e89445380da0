// SPDX-License-Identifier: Apache-2.0
// Which access of the registers is done next: the host's where it has one, else the front end's
// write. It is kept in a register, and what the map says of it as a slot's register, so that what
// depends on other registers has a cycle of its own.
// Contract: docs/control_port.md R-CP-14. Latency: chosen in a cycle, done in the next; one per
// cycle.
module qsm_ctrl_choice
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  ctl_req_t    host_i,
  input  ctl_req_t    front_i,  // taken in a cycle without one of the host's
  // Done in this cycle.
  output ctl_req_t    req_o,
  output logic        host_o,   // it is the host's; this and rules only with valid
  output slot_rules_t rules_o
);
  ctl_req_t chosen, req_q;
  slot_rules_t rules, rules_q;
  logic host_q, valid_q, value_ok;
  always_comb begin
    chosen = host_i.valid ? host_i : front_i;
    chosen.valid = host_i.valid || front_i.valid;
  end
  qsm_slot_rules u_slot_rules (
    .off_i(chosen.addr[7:2]), .wdata_i(chosen.wdata), .known_o(rules.known),
    .writable_o(rules.writable), .value_ok_o(value_ok), .idle_o(rules.idle),
    .quiet_o(rules.quiet)
  );

  // STACK: base a multiple of the stacks of a warp, whose number of bytes is a power of two
  logic stack_ok;
  always_comb begin
    stack_ok = chosen.wdata[4:0] != '0 || chosen.wdata[31:12] == '0;
    for (int unsigned b = 12; b < 16 + LaneW; b++) begin
      if (chosen.wdata[b] && 5'(b - LaneW) < chosen.wdata[4:0]) stack_ok = 1'b0;
    end
  end
  assign rules.launch = chosen.addr[7:2] == SlotLaunch[7:2];
  assign rules.ends = chosen.addr[7:2] inside {SlotKill[7:2], SlotYield[7:2]};
  assign rules.budget = chosen.addr[7:2] == SlotBudget[7:2];
  assign rules.cap = chosen.addr[7:2] == SlotWarpCap[7:2];
  assign rules.split = chosen.addr[7:2] == SlotMemSplit[7:2];
  assign rules.value_ok = value_ok && (stack_ok || chosen.addr[7:2] != SlotStack[7:2]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= chosen.valid;
  end
  always_ff @(posedge clk_i) begin
    host_q <= host_i.valid;
    req_q <= chosen;
    rules_q <= rules;
  end
  assign req_o = '{valid: valid_q, we: req_q.we, addr: req_q.addr, wdata: req_q.wdata};
  assign host_o = host_q;
  assign rules_o = rules_q;
  logic unused_valid;
  assign unused_valid = req_q.valid;  // valid_q
endmodule
