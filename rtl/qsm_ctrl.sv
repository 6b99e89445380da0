// SPDX-License-Identifier: Apache-2.0
// Control port: decides whether an access is accepted, answers one cycle later, and acts on
// writes that do more than to change a register. Storage, ranges and read values are generated
// from qsm_regs.rdl (qsm_gpu_regs, qsm_smsel_regs, qsm_slot_regs, qsm_slot_read, qsm_slot_rules);
// what is here is behaviour. Which access it is, qsm_ctrl_choice has said in the cycle before.
// Contract: docs/control_port.md. Latency: 1 cycle; a write shows in the *_o registers from the
// next cycle on, pulses are in its own.
// Cost: what a register keeps is read back from a block RAM, which every write goes into as well;
// the registers themselves have no multiplexer.
// Map: 0x0000 GPU registers, 0x0100 to 0x024F figures of the selected SM, 0x1000 + 0x100*k slot
// registers; from 0x8000 on those of command channels, which the front end has.
module qsm_ctrl
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,
  input  ctl_req_t    req_i,    // access that is done in this cycle, a register
  input  logic        host_i,   // it is the host's, not the front end's; this and rules with valid
  input  slot_rules_t rules_i,  // what the map says of it as a slot's register
  output ctl_rsp_t    rsp_o,    // to the host
  output logic        irq_o,

  // Front end: its answers to the host, writes of its registers, and the answer to its own write of
  // others: it is refused; it has to be made again (docs/front.md R-FR-11).
  input  ctl_rsp_t   front_rsp_i,
  output logic [2:0] front_irq_o,
  output logic       front_snap_o,
  output logic       front_err_o,
  output logic       front_again_o,

  // Registers, and what read-only ones show.
  output gpu_regs_t                      gpu_regs_o,
  output slot_regs_t [NumKernels-1:0]    slot_regs_o,
  input  gpu_figures_t                   gpu_figures_i,
  input  slot_figures_t [NumKernels-1:0] slot_figures_i,
  // What is made of them.
  output logic [63:0]            cycle_o,
  output desc_t [NumKernels-1:0] desc_o,
  output policy_param_t          policy_param_o,
  output logic [NumKernels-1:0]  qos_o,          // valid and QoS
  // Pulses.
  output logic [NumKernels-1:0] launch_o,
  output logic [NumKernels-1:0] kill_o,
  output logic [NumKernels-1:0] yield_o,
  output logic [NumKernels-1:0][2:0] walk_write_o,  // WALK_XY, WALK_Z, WALK_LINEAR
  output logic [31:0]           walk_o,             // what they write, in the cycle of a write
  output logic [NumKernels-1:0] arrival_o,     // CTX.valid 0 -> 1
  // CTX changes, or SM_MASK of a valid slot, or WARP_CAP of one is written
  output logic                  alloc_change_o,
  output logic [NumKernels-1:0] hist_clear_o,  // HIST_CLEAR or arrival
  output due_write_t            due_write_o,   // what deadlines.md needs
  output logic                  icache_inv_o,
  output preempt_req_t          preempt_o,
  output l2_flush_t             l2_flush_o,
  // SM_MOVE: in the cycle after the write
  output sm_request_t           sm_request_o,
  // the counter of SM ownership that an access shows, which comes in the next cycle
  output logic                  sm_count_ask_o,
  output logic [SmCounterW-1:0] sm_count_which_o,
  input  logic [47:0]           sm_count_i,

  // TB scheduler.
  input  tb_status_t tb_i,

  // L2 slices and memory controllers: the counter that MEM_SELECT asks for, in the same cycle.
  input  logic [31:0] mem_value_i,
  input  logic [31:0] sa_value_i,  // likewise, of the array of SM_SELECT's SM

  // QoS manager, SM manager.
  input  logic snapshot_i,  // this cycle is E
  input  logic sm_mgr_i,    // it owns SMs, or has some to give back

  // SMs.
  // whose record is asked for, a register
  output logic [KernelW-1:0]       fault_kernel_o,
  // what it, STALL_SELECT and MEM_SELECT ask for: in the same cycle
  input  sm_figures_t [NumSms-1:0] figures_i
);
  // ---- decode ----
  ctl_req_t req;
  logic access, elsewhere;  // there is one; the front end answers
  logic aligned, in_gpu, in_slots, mgr_quiet;
  assign req = req_i;
  assign access = req.valid;
  assign elsewhere = NumCmd != 0 && req.addr[19:15] != '0;
  logic [7:0] off;  // register of the GPU or of a slot
  logic [KernelW-1:0] slot;
  logic slot_exists;
  assign aligned = req.addr[1:0] == '0;
  assign in_gpu = req.addr[19:8] == '0;
  assign in_slots = req.addr[19:12] == SlotBase[19:12];
  assign off = req.addr[7:0];
  assign slot = req.addr[8 +: KernelW];
  assign slot_exists = 32'(req.addr[11:8]) < NumKernels;
  assign mgr_quiet = !gpu_figures_i.mgr_busy && !snapshot_i;

  // ---- GPU registers ----
  logic gpu_ok, gpu_guard, gpu_kept;
  logic [31:0] gpu_rdata;
  gpu_own_t gpu_own;
  gpu_writes_t gpu_writes;
  logic [SmW-1:0] sm_select;
  sm_figures_t sm_figures;  // of the selected SM
  job_t job;
  sm_owner_t sm_owner;
  sm_request_t sm_request_q;
  logic move_ok, select_ok;
  logic [NumKernels-1:0] valid;  // contexts
  qsm_gpu_regs u_gpu_regs (
    .clk_i, .rst_ni,
    .sel_i(access && in_gpu && aligned), .we_i(req.we), .off_i(off[7:2]),
    .wdata_i(req.wdata),
    .guard_i(gpu_guard), .quiet_i(mgr_quiet), .ok_o(gpu_ok), .kept_o(gpu_kept),
    .rdata_o(gpu_rdata), .set_irq_i(tb_i.ended), .figures_i(gpu_figures_i), .own_i(gpu_own),
    .sm_figures_i(sm_figures), .regs_o(gpu_regs_o), .writes_o(gpu_writes)
  );
  always_comb begin
    case (off)
      RegMemSelect[7:0]: gpu_guard = select_ok;
      RegL2Flush[7:0]:   gpu_guard = !gpu_figures_i.l2_flush;
      RegPreempt[7:0]:   gpu_guard = gpu_figures_i.preempt_status.code != CodeExamined;
      RegSmMove[7:0]:    gpu_guard = move_ok;
      default:           gpu_guard = 1'b1;
    endcase
  end
  // An L1 has no channels, and a shader array banks instead.
  assign select_ok = !req.wdata[12] ||
      (req.wdata[11] ? NumSas != 0 && 32'(req.wdata[3:0]) < SaBanks
                     : req.wdata[3:0] == '0 && req.wdata[10:9] != 2'b11);
  // R-SO-9: the manager decides, or there is no such owner.
  assign move_ok = !scheme_whole_sms(gpu_regs_o.scheme) && !sm_mgr_i &&
      (sm_use_e'(req.wdata[17:16]) != UseOwned || valid[req.wdata[8 +: KernelW]]);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sm_request_q <= '0;
    else sm_request_q <= '{
      valid: gpu_writes.sm_move, sm: req.wdata[SmW-1:0],
      usage: sm_use_e'(req.wdata[17:16]), owner: req.wdata[8 +: KernelW]
    };
  end
  assign sm_request_o = sm_request_q;
  // Whatever is read, it is as if it were one of them (R-SO-11).
  assign sm_count_ask_o = access && !req.we && (in_gpu || in_slots);
  logic count, count_high, count_q, count_high_q;  // it does show one; its high word
  always_comb begin
    sm_count_which_o = '0;
    {count, count_high} = 2'b10;
    case (off)
      RegMoves[7:0]: ;
      RegWakes[7:0]:          sm_count_which_o = SmCounterW'(1);
      RegMoveCyclesLo[7:0]:   sm_count_which_o = SmCounterW'(2);
      RegMoveCyclesHi[7:0]:   {sm_count_which_o, count_high} = {SmCounterW'(2), 1'b1};
      RegGatedCyclesLo[7:0]:  sm_count_which_o = SmCounterW'(3);
      RegGatedCyclesHi[7:0]:  {sm_count_which_o, count_high} = {SmCounterW'(3), 1'b1};
      RegSharedCyclesLo[7:0]: sm_count_which_o = SmCounterW'(4);
      RegSharedCyclesHi[7:0]: {sm_count_which_o, count_high} = {SmCounterW'(4), 1'b1};
      default:                count = 1'b0;
    endcase
    if (in_slots) begin
      sm_count_which_o = SmCounterW'(slot_exists ? 5 + 32'(slot) : 0);
      count_high = off == SlotOwnedCyclesHi[7:0];
      count = count_high || off == SlotOwnedCyclesLo[7:0];
    end
  end
  assign irq_o = (gpu_regs_o.irq.ended & ~gpu_regs_o.front_slots) != '0 ||
      (gpu_figures_i.front_irq0 | gpu_figures_i.front_irq1 | gpu_figures_i.front_irq2) != '0;
  assign front_irq_o = {gpu_writes.front_irq2, gpu_writes.front_irq1, gpu_writes.front_irq0};
  assign front_snap_o = gpu_writes.front_snap;
  assign icache_inv_o = gpu_writes.icache_inv;
  // A part, or all (R-L2-10), whose value is 1. Nothing of it is kept, so in a first register it is
  // the synchronous reset or set.
  always_comb begin
    l2_flush_o.valid = gpu_writes.l2_flush;
    l2_flush_o.first = req.wdata[31] ? req.wdata[0 +: L2UnitW] : '0;
    l2_flush_o.last = req.wdata[31] ? req.wdata[16 +: L2UnitW] : '1;
  end
  assign preempt_o = '{
    valid: gpu_writes.preempt, sm: req.wdata[SmW-1:0], kernel: req.wdata[8 +: KernelW],
    tb: req.wdata[11 +: TbW], by_slot: req.wdata[16],
    technique: technique_e'(req.wdata[18:17])
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cycle_o <= '0;
    else cycle_o <= cycle_o + 64'd1;
  end

  assign sm_select = gpu_regs_o.sm_select;
  assign sm_figures = figures_i[sm_select];
  assign job = tb_i.job[sm_select];
  assign sm_owner = tb_i.owner[sm_select];
  assign gpu_own = '{
    cycle: cycle_o,
    smsel_job: {job.result, job.image, job.tb, job.kernel, job.kind},
    mem_value: !gpu_regs_o.mem_select.counter[4] ? mem_value_i
        : !gpu_regs_o.mem_select.counter[3] ? sm_figures.l1_value : sa_value_i,
    smsel_owner: '{
      power: sm_owner.power, next_slot: sm_owner.next_owner, next_usage: sm_owner.next_usage,
      moving: sm_owner.moving, slot: sm_owner.owner, usage: sm_owner.usage
    }
  };

  // ---- figures of the selected SM ----
  logic smsel_known;
  logic [31:0] smsel_rdata;
  smsel_figures_t [NumKernels-1:0] smsel_figures;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      smsel_figures[k].tbs.resident = tb_i.cnt[sm_select][k];
      smsel_figures[k].tbs.target = tb_i.target[sm_select][k];
    end
  end
  qsm_smsel_regs u_smsel_regs (
    .addr_i(req.addr[19:2]), .sm_figures_i(sm_figures), .figures_i(smsel_figures),
    .known_o(smsel_known), .rdata_o(smsel_rdata)
  );

  // ---- slot registers ----
  logic slot_ok, slot_guard;
  logic [NumKernels-1:0] busy, slot_we, slot_kept, cap_write;
  logic [31:0] slot_rdata;
  slot_figures_t slot_figures;  // of the slot that is accessed
  slot_writes_t [NumKernels-1:0] slot_writes;
  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    qsm_slot_regs u_slot_regs (
      .clk_i, .rst_ni, .we_i(slot_we[k]), .off_i(off[7:2]), .wdata_i(req.wdata),
      .arrival_i(arrival_o[k]), .kept_o(slot_kept[k]), .regs_o(slot_regs_o[k]),
      .writes_o(slot_writes[k])
    );
    assign busy[k] = slot_figures_i[k].status.busy;
    assign valid[k] = slot_regs_o[k].ctx.valid;
    assign qos_o[k] = slot_regs_o[k].ctx.valid && slot_regs_o[k].ctx.qos;
    assign launch_o[k] = slot_writes[k].launch;
    assign kill_o[k] = slot_writes[k].kill;
    assign yield_o[k] = slot_writes[k].yield;
    assign walk_write_o[k] = {
      slot_writes[k].walk_linear, slot_writes[k].walk_z, slot_writes[k].walk_xy
    };
    assign arrival_o[k] = slot_writes[k].ctx && req.wdata[0] && !valid[k];
    assign hist_clear_o[k] = slot_writes[k].hist_clear || arrival_o[k];
    assign cap_write[k] = valid[k] && slot_writes[k].warp_cap;
    assign due_write_o.arrival[k] = arrival_o[k];
    assign due_write_o.launch[k] = slot_writes[k].launch;
    assign due_write_o.deadline[k] = slot_writes[k].deadline;
    assign due_write_o.work[k] = slot_writes[k].work;
  end
  assign walk_o = req.wdata;
  assign due_write_o.data = req.wdata;
  assign slot_figures = slot_figures_i[slot];
  qsm_slot_read u_slot_read (
    .off_i(off[7:2]), .kept_i(slot_kept[slot]), .figures_i(slot_figures), .rdata_o(slot_rdata)
  );

  // CTX, or SM_MASK of a valid slot, gets another value.
  logic [95:0] sm_mask;
  logic changes;
  always_comb begin
    sm_mask = 96'(slot_regs_o[slot].sm_mask);
    case (off)
      SlotCtx[7:0]:    changes = req.wdata[3:0] != {slot_regs_o[slot].ctx};
      SlotSmMaskLo[7:0]: changes = valid[slot] && req.wdata != sm_mask[31:0];
      SlotSmMaskHi[7:0]: changes = valid[slot] && req.wdata != sm_mask[63:32];
      SlotSmMask2[7:0]:  changes = valid[slot] && req.wdata != sm_mask[95:64];
      default: changes = 1'b0;
    endcase
  end
  assign alloc_change_o = cap_write != '0 || (slot_we != '0 && changes);

  // ---- launch descriptors ----
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      desc_o[k].win[0].base = {slot_regs_o[k].win0_base, 12'd0};
      desc_o[k].win[0].limit = {slot_regs_o[k].win0_limit, 12'd0};
      desc_o[k].win[0].x = slot_regs_o[k].win0_rights.execute;
      desc_o[k].win[0].w = slot_regs_o[k].win0_rights.write;
      desc_o[k].win[0].r = slot_regs_o[k].win0_rights.read;
      desc_o[k].win[1].base = {slot_regs_o[k].win1_base, 12'd0};
      desc_o[k].win[1].limit = {slot_regs_o[k].win1_limit, 12'd0};
      desc_o[k].win[1].x = slot_regs_o[k].win1_rights.execute;
      desc_o[k].win[1].w = slot_regs_o[k].win1_rights.write;
      desc_o[k].win[1].r = slot_regs_o[k].win1_rights.read;
      desc_o[k].entry = {slot_regs_o[k].entry, 2'd0};
      desc_o[k].arg = slot_regs_o[k].arg;
      desc_o[k].grid = {slot_regs_o[k].grid_z, slot_regs_o[k].grid_y, slot_regs_o[k].grid_x};
      desc_o[k].block = {slot_regs_o[k].block_z, slot_regs_o[k].block_y, slot_regs_o[k].block_x};
      desc_o[k].threads = 11'(slot_regs_o[k].block_threads);
      desc_o[k].warps = 7'(slot_regs_o[k].block_warps);
      desc_o[k].shared = 19'(slot_regs_o[k].shared);
      desc_o[k].granules = slot_regs_o[k].shared_gran;
      desc_o[k].stack_log2 = slot_regs_o[k].stack_reg.log2;
      desc_o[k].stack_base = slot_regs_o[k].stack_reg.base;
    end
  end

  // ---- budgets, qaws.md R-QW-4 and R-QW-10 ----
  logic [NumKernels-1:0][7:0] budget;
  logic [NumKernels-1:0] budget_write, restart_q;
  // budgets after a write of BUDGET or an arrival, and their order: a register beside theirs
  logic [NumKernels-1:0][7:0] budget_written;
  logic [NumKernels-1:0][NumKernels-1:0] above_written, above_q;
  logic groups_ok;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      budget[k] = slot_regs_o[k].budget;
      budget_write[k] = slot_writes[k].budget;
    end
    budget_written = budget;
    budget_written[slot] = rules_i.budget ? req.wdata[7:0] : 8'd1;
  end
  qsm_budget_order #(.NumKernels(NumKernels)) u_order (
    .budget_i(budget_written), .above_o(above_written)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      restart_q <= '0;
      above_q <= '0;
    end else begin
      restart_q <= gpu_writes.policy ? '1 : budget_write;
      if ((budget_write | arrival_o) != '0) above_q <= above_written;
    end
  end
  assign policy_param_o = '{
    budget: budget, above: above_q, restart: restart_q, active_warps: gpu_regs_o.active_warps
  };

  if (NumGroups < NumKernels) begin : g_groups
    // Running kernels and the one that this write is about, with the budget that it would have.
    logic [NumKernels-1:0] counts, is_new;
    logic [NumKernels-1:0][7:0] value;
    always_comb begin
      counts = busy | (NumKernels'(1) << slot);
      value = budget;
      if (rules_i.budget) value[slot] = req.wdata[7:0];
      is_new = counts;
      for (int unsigned k = 1; k < NumKernels; k++) begin
        for (int unsigned j = 0; j < k; j++)
          if (counts[j] && value[j] == value[k]) is_new[k] = 1'b0;
      end
    end
    assign groups_ok = $countones(is_new) <= NumGroups;
  end else begin : g_all_groups
    assign groups_ok = 1'b1;
  end

  // A block of the slot fits the cap that it has, or that is written: tb_sched.md R-TB-15. (A busy
  // slot's shape is what its registers say.)
  logic [6:0] cap;
  logic cap_ok;
  assign cap = rules_i.cap ? req.wdata[6:0] : 7'(slot_regs_o[slot].warp_cap);
  assign cap_ok = cap == '0 || cap >= 7'(slot_regs_o[slot].block_warps);

  // The walk is at a block of the grid: tb_sched.md R-TB-16.
  logic walk_ok;
  assign walk_ok = slot_figures.walk_xy.x < slot_regs_o[slot].grid_x &&
      slot_figures.walk_xy.y < slot_regs_o[slot].grid_y &&
      slot_figures.walk_z < slot_regs_o[slot].grid_z;

  always_comb begin
    // At most one of these is the register. The one that takes longest comes last.
    slot_guard = 1'b1;
    if (rules_i.split) slot_guard = !valid[slot];  // xbar.md R-XB-6
    if (rules_i.ends) slot_guard = busy[slot];
    if (rules_i.budget) slot_guard = !busy[slot] || groups_ok;
    if (rules_i.cap) slot_guard = !busy[slot] || cap_ok;
    if (rules_i.launch) slot_guard = valid[slot] && !busy[slot] && !gpu_regs_o.irq.ended[slot] &&
                                     groups_ok && cap_ok && walk_ok;
    slot_ok = slot_exists && rules_i.known && (!req.we ||
              (rules_i.writable && rules_i.value_ok && slot_guard &&
              (!rules_i.idle || !busy[slot]) && (!rules_i.quiet || mgr_quiet)));
    slot_we = (access && req.we && in_slots && aligned && slot_ok) ? NumKernels'(1) << slot
                                                                          : '0;
  end

  // ---- what was written last: read back from here (R-CP-1) ----
  logic ok, kept;  // of the access: it is accepted; its register was written
  logic [KernelW+6:0] kept_place;
  logic [31:0] kept_q;  // 0 in the cycle after any but a read
  (* ram_style = "block", no_rw_check *) logic [31:0] kept_mem[2 << (KernelW + 6)];
  assign kept = in_gpu ? gpu_kept : in_slots && slot_kept[slot];
  assign kept_place = {in_slots, slot, off[7:2]};
  always_ff @(posedge clk_i) begin
    if (access && ok && req.we) kept_mem[kept_place] <= req.wdata;
    if (access && ok && !req.we && kept) kept_q <= kept_mem[kept_place];
    else kept_q <= '0;
  end

  // ---- response ----
  ctl_rsp_t rsp_d, rsp_q;
  logic front_q;
  always_comb begin
    ok = aligned && ((in_gpu && gpu_ok) || (smsel_known && !req.we) || (in_slots && slot_ok));
    rsp_d = '0;
    if (access && !ok && !elsewhere) rsp_d.err = 1'b1;
    if (access && ok && !req.we) begin
      rsp_d.rdata = in_gpu ? gpu_rdata : in_slots ? slot_rdata : smsel_rdata;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rsp_q <= '0;
      count_q <= 1'b0;
      front_q <= 1'b0;
      front_again_o <= 1'b0;
    end else begin
      rsp_q <= rsp_d;
      count_q <= sm_count_ask_o && ok && count;
      front_q <= !host_i;
      front_again_o <= in_slots && rules_i.quiet && !mgr_quiet;
    end
  end
  assign front_err_o = rsp_q.err;

  // ---- fault records: the SM that has it shows it in the cycle of the response ----

  logic record_read_q, record_faulted_q;
  logic [7:0] record_off_q;
  logic [SmW-1:0] record_sm_q;
  logic [31:0] record_word;
  fault_t record;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) record_read_q <= 1'b0;
    else record_read_q <= access && ok && !req.we && in_slots &&
                          slot_figures_i[slot].status.killed;
  end
  always_ff @(posedge clk_i) begin
    count_high_q <= count_high;
    fault_kernel_o <= slot;
    record_faulted_q <= tb_i.faulted[slot];
    record_off_q <= off;
    record_sm_q <= tb_i.fault_sm[slot];
  end
  always_comb begin
    record = '{cause: CauseHost, default: '0};
    if (record_faulted_q) record = figures_i[record_sm_q].fault_record;
    case (record_off_q)
      SlotFaultCause[7:0]: record_word = 32'(record.cause);
      SlotFaultPc[7:0]:    record_word = record.pc;
      SlotFaultTid[7:0]:   record_word = 32'(record.tid);
      SlotFaultBlock[7:0]: record_word = record.block;
      SlotFaultValue[7:0]: record_word = record.value;
      default:             record_word = '0;
    endcase
    rsp_o = front_q ? '0 : rsp_q | front_rsp_i;
    // the registers show 0 for these
    rsp_o.rdata |= kept_q;
    if (record_read_q) rsp_o.rdata |= record_word;
    if (count_q) rsp_o.rdata |= count_high_q ? 32'(sm_count_i[47:32]) : sm_count_i[31:0];
  end

`ifndef SYNTHESIS
  for (genvar k = 0; k < NumKernels; k++) begin : g_above
    for (genvar j = 0; j < NumKernels; j++) begin : g_than
      assert property (@(posedge clk_i) disable iff (!rst_ni)
          above_q[k][j] == (budget[j] > budget[k]))
        else $error("R-QW-3: the order of the budgets is not theirs");
    end
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(access && !host_i && !req.we))
    else $error("the front end reads a register");
  // R-CP-2: refused writes change nothing
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(rsp_d.err && (slot_we != '0)));
  // LAUNCH's condition
  assert property (@(posedge clk_i) disable iff (!rst_ni) (launch_o & (busy | ~valid)) == '0);
  // KILL's and YIELD's condition
  assert property (@(posedge clk_i) disable iff (!rst_ni) ((kill_o | yield_o) & ~busy) == '0);
`endif
endmodule
