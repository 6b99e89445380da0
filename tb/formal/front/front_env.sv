// SPDX-License-Identifier: Apache-2.0
// qsm_front with what its proofs need around it: inputs that may be anything, but for the answers
// of memory and of the DMA engine, which come only where they are asked for; and any channel, whose
// registers the host writes, as these are seen at the port. What the host chooses in a cycle is its
// access in the next, and none is chosen in two cycles in a row (R-CP-13; proved in formal_axil).
// The DMA engine, the meter, the count of instructions, the products and the watchdog are left open
// in the lists: they may say anything at any time.
`include "front_holds.svh"
module front_env
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
#(
  localparam int unsigned ChW = idx_w(NumCmd)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      starts_i,  // the proof does, in any state
  input  logic [ChW-1:0]            chan_i,  // any channel
  input  logic [63:0]               cycle_i,
  input  ctl_req_t                  host_i,
  input  logic                      concurrent_i,
  input  logic                      take_back_i,
  input  logic [NumKernels-1:0]     slots_i,
  input  logic [2:0]                irq_write_i,
  input  logic [NumKernels-1:0]     busy_i,
  input  logic [NumKernels-1:0]     killed_i,
  input  logic [NumKernels-1:0]     yielded_i,
  input  logic [4:0]                cause_i,
  input  logic [2:0][31:0]          walk_i,
  input  logic                      reg_ready_i,
  input  logic                      reg_err_i,
  input  logic                      reg_again_i,
  input  mem_rsp_t                  mem_rsp_i,
  output ctl_rsp_t                  host_o,
  output front_figures_t            figures_o,
  output ctl_req_t                  reg_o,
  output mem_req_t                  mem_req_o,
  // The channel; a write of its CH_CTRL that is accepted; one of its PUT, accepted or not.
  output logic [ChW-1:0]            c_o,
  output logic                      ctrl_o,
  output logic                      put_o,
  // As the host has set it; fresh as R-FR-2 has it.
  output logic                      enabled_o,
  output logic                      suspended_o,
  output logic                      held_o,
  output logic [1:0]                priority_o,
  output logic                      fresh_o,
  output logic                      rise_o,      // it is enabled in this cycle
  output logic                      put_ok_o,    // and PUT is accepted
  output front_flags_t              flags_o,     // its flags, as the memory has them
  // The sequencer's: its state; it is at this channel; it is at a command, of whatever channel.
  output front_state_e              state_o,
  output logic                      mine_o,
  output logic                      command_o,
  // Words of the channel's row; a write of one.
  output logic [31:0][31:0]         row_o,
  output logic [31:0]               row_we_o,
  output logic [31:0]               row_wdata_o,
  output logic                      asked_o      // a request of the sequencer's is not answered
);
  logic starts;
  assign starts = starts_i;
  logic [KernelW-1:0] slot_unused;
  logic [SmW-1:0] sm_unused;
  qsm_front u_dut (
    .clk_i, .rst_ni, .cycle_i, .req_i(host_i), .rsp_o(host_o), .concurrent_i, .take_back_i,
    .slots_i, .irq_write_i, .snap_write_i(1'b0), .link_interval_i(24'd256),
    .figures_o, .busy_i, .killed_i, .yielded_i, .resident_i('0), .slot_o(slot_unused), .cause_i,
    .walk_i,
    .count_sm_o(sm_unused), .insn_i('0), .reg_o, .reg_ready_i, .reg_err_i, .reg_again_i,
    .mem_req_o, .mem_rsp_i
  );

  logic [ChW-1:0] c_q;
  always_ff @(posedge clk_i) if (!rst_ni) c_q <= chan_i;
  assign c_o = c_q;

  // ---- What the host does with it ----
  logic enabled_q, suspended_q, held_q, fresh_q, renewed_q, cleared;
  logic [1:0] priority_q;
  assign ctrl_o = host_i.valid && host_i.we && host_i.wdata[31:5] == '0 &&
      host_i.addr == ChBase + 20'(c_q) * ChStride + ChCtrl;
  assign put_o = host_i.valid && host_i.we &&
      host_i.addr == PageBase + 20'(c_q) * PageStride + PagePut;
  assign rise_o = ctrl_o && host_i.wdata[0] && !enabled_q;
  assign put_ok_o = enabled_q && !suspended_q && !fresh_q && host_i.wdata[31:16] == '0;
  assign cleared = state_o == FrontClear && mine_o && row_we_o[13];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {enabled_q, suspended_q, held_q, priority_q, fresh_q, renewed_q} <= '0;
    end else begin
      if (ctrl_o) {priority_q, held_q, suspended_q, enabled_q} <= host_i.wdata[4:0];
      if (rise_o) fresh_q <= 1'b1;
      else if ((cleared && !renewed_q) || (ctrl_o && !host_i.wdata[0])) fresh_q <= 1'b0;
      renewed_q <= state_o == FrontClear && mine_o && (renewed_q || rise_o);
    end
  end
  assign enabled_o = enabled_q;
  assign suspended_o = suspended_q;
  assign held_o = held_q;
  assign priority_o = priority_q;
  assign fresh_o = fresh_q;
  front_flags_t flags;
  assign flags = u_dut.u_flags.all[c_q];
  assign flags_o = flags;

  // ---- The sequencer and the table ----
  assign state_o = u_dut.u_seq.state_q;
  assign mine_o = u_dut.u_seq.channel_q == c_q;
  assign command_o = u_dut.u_seq.has_turn_q;
  always_comb begin
    row_o = '0;
    for (int unsigned c = 0; c < NumCmd; c++)
      for (int unsigned w = 0; w < 16; w++)
        if (c_q == ChW'(c)) row_o[w] = u_dut.u_table.mem[32*c + w];
    for (int unsigned w = 0; w < 32; w++)
      row_we_o[w] = u_dut.u_table.write && u_dut.u_table.place == {c_q, 5'(w)};
    row_wdata_o = u_dut.u_table.wdata;
  end

  // ---- Surroundings ----
  logic host_q;  // the host chose an access in the last cycle
  always_ff @(posedge clk_i) host_q <= rst_ni && !reg_ready_i;
  logic asked_q, copying_q;
  assign asked_o = asked_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {asked_q, copying_q} <= '0;
    end else begin
      if (u_dut.seq_req.valid) asked_q <= 1'b1;
      else if (mem_rsp_i.valid && mem_rsp_i.tag == '0) asked_q <= 1'b0;
      if (u_dut.done.given) copying_q <= 1'b1;
      else if (u_dut.copy_ends) copying_q <= 1'b0;
    end
  end
  logic one_at_a_time;
  always_comb begin
    one_at_a_time = 1'b1;
    if (state_o inside {FrontFetch, FrontContext, FrontLoad, FrontAccess, FrontSetStore}) begin
      one_at_a_time =
          3'(u_dut.u_seq.first_q) + 3'(asked_q) + 3'(u_dut.u_seq.u_words.u_mem.taking_q) +
          3'(u_dut.u_seq.u_words.u_mem.next_q) == 3'd1;
    end else begin
      one_at_a_time = !asked_q && !u_dut.u_seq.u_words.u_mem.taking_q &&
          !u_dut.u_seq.u_words.u_mem.next_q;
    end
  end
  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    always_ff @(posedge clk_i)
      if (rst_ni) `FRONT_HOLDS(owner, 32'(u_dut.owner_q[k]) < NumCmd)
  end
  // What is seen of all channels at once is what the memory has (R-FR-4).
  for (genvar k = 0; k < NumCmd; k++) begin : g_seen
    front_flags_t has;
    assign has = u_dut.u_flags.all[k];
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        `FRONT_HOLDS(fresh_seen, u_dut.fresh[k] == (has.enabled && !has.clean))
        `FRONT_HOLDS(ready_seen, u_dut.u_flags.ready_q[k] == (has.enabled && has.clean &&
            has.pending && !has.stopped && !has.held && !has.busy))
        `FRONT_HOLDS(working_seen, u_dut.working[k] == (has.pending || has.busy))
        `FRONT_HOLDS(level_seen, {u_dut.high[k], u_dut.low[k]} == has.level)
        `FRONT_HOLDS(clean_is, !has.clean || has.enabled)
      end
    end
  end
  for (genvar p = 0; p < 4; p++) begin : g_level
    always_ff @(posedge clk_i)
      if (rst_ni) `FRONT_HOLDS(next, 32'(u_dut.next_q[p]) < NumCmd)
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      assume (32'(chan_i) < NumCmd);
    end else begin
      assume (host_i.valid == host_q && !(host_q && !reg_ready_i));
      `FRONT_HOLDS(apart, !(u_dut.had_access_q && host_q))
      assume (!(mem_rsp_i.valid && mem_rsp_i.tag == '0) || asked_q);
      assume (u_dut.copying == copying_q && (!u_dut.copy_ends || copying_q));
      assume (!starts || !u_dut.u_seq.u_words.u_mem.astray_q);
      assume (!u_dut.dma_valid || u_dut.dma_req.tag != '0);

      `FRONT_HOLDS(channel, 32'(c_q) < NumCmd && 32'(u_dut.u_seq.channel_q) < NumCmd &&
          32'(u_dut.copy_owner_q) < NumCmd)
      // The sequencer's way.
      case (state_o) inside
        FrontIdle, FrontEnd, FrontClear, FrontCopyEnd: `FRONT_HOLDS(way, !command_o &&
            !u_dut.u_seq.binding_q)
        FrontCount, FrontUnbind: `FRONT_HOLDS(way_of, command_o == u_dut.u_seq.binding_q)
        FrontFetch, FrontDecode, FrontContext, FrontRow, FrontCheck, FrontSlot, FrontYield,
        FrontRange, FrontEngine, FrontAddress, FrontAccess, FrontCompare, FrontSet, FrontSetReg,
        FrontSetStore: `FRONT_HOLDS(way_command, command_o && !u_dut.u_seq.binding_q)
        FrontBind: `FRONT_HOLDS(way_bind, command_o && u_dut.u_seq.binding_q)
        default: `FRONT_HOLDS(way_rest, command_o)
      endcase
      `FRONT_HOLDS(states, 32'(state_o) < FrontStateCount)
      `FRONT_HOLDS(answers_of, !(u_dut.u_seq.writes_q || u_dut.u_seq.answer_q) ||
          (state_o inside {FrontUnbind, FrontBind, FrontSetReg, FrontStart, FrontYield} &&
          !(u_dut.u_seq.writes_q && u_dut.u_seq.answer_q) && !u_dut.u_seq.first_q))
      `FRONT_HOLDS(ahead, !u_dut.u_seq.answer_q || !(state_o inside {FrontBind, FrontStart}) ||
          u_dut.u_seq.ahead_q == u_dut.u_seq.step_after)
      `FRONT_HOLDS(one_access, one_at_a_time)
      `FRONT_HOLDS(as_host_says, flags.enabled == enabled_q && flags.held == held_q &&
          flags.suspended == suspended_q && flags.level == priority_q &&
          (flags.enabled && !flags.clean) == fresh_q)
      `FRONT_HOLDS(renews, !mine_o || state_o != FrontClear || u_dut.renewed_q == renewed_q)
      `FRONT_HOLDS(fresh_is, !fresh_q || enabled_q)
    end
  end
endmodule
