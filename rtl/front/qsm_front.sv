// SPDX-License-Identifier: Apache-2.0
// Front end: takes commands from the rings of the command channels and does them. Here are the
// state of channels, slots and the DMA engine, the choice of what comes next, and the registers;
// the channel table, the sequencer that does it, what launches take and their limits are modules of
// their own.
// Contract: docs/front.md. Latency: answers to the host in the next cycle (R-CP-1).
// Cost: nine flip-flops per channel, its flags' and the table's memory.
// Observed by the lockstep monitor: u_flags, *_q of slots, copying, copied_q, u_watchdog (state
// FRONT); u_seq; u_dma (state DMA).
module qsm_front
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
#(
  localparam int unsigned ChW = idx_w(NumCmd)
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] cycle_i,

  // Control port: every access of the host in the cycle in which it is done; the answer where it is
  // one of a channel, else 0.
  input  ctl_req_t     req_i,
  output ctl_rsp_t     rsp_o,
  // Registers of the GPU, and writes of them in this cycle.
  input  logic                  concurrent_i,  // FRONT_MODE
  input  logic                  take_back_i,
  input  logic [NumKernels-1:0] slots_i,       // FRONT_SLOTS
  input  logic [2:0]            irq_write_i,
  input  logic                  snap_write_i,
  input  logic [23:0]           link_interval_i,
  output front_figures_t        figures_o,     // what its registers show

  // Slots.
  input  logic [NumKernels-1:0] busy_i,
  input  logic [NumKernels-1:0] killed_i,
  input  logic [NumKernels-1:0] yielded_i,
  input  logic [NumKernels-1:0][NumSms-1:0] resident_i,  // SMs with a block of it
  output logic [KernelW-1:0]    slot_o,  // whose FAULT_CAUSE and WALK are asked for, and these
  input  logic [4:0]            cause_i,
  input  logic [2:0][31:0]      walk_i,  // and WALK_LINEAR, _Z, _XY
  output logic [SmW-1:0]        count_sm_o,  // where its thread instructions are, and they
  input  logic [39:0]           insn_i,

  // Writes of registers: chosen in a cycle of ready, in which no access of the host's is; done in
  // the next, and answered in the one after that: refused, or to be made again.
  output ctl_req_t     reg_o,
  input  logic         reg_ready_i,
  input  logic         reg_err_i,
  input  logic         reg_again_i,

  // Crossbar.
  output mem_req_t     mem_req_o,
  input  mem_rsp_t     mem_rsp_i
);
  localparam int unsigned MaxSplit = least_of($clog2(NumChannels), PartitionBits);

  front_done_t done;
  front_state_e choice, state;
  logic [ChW-1:0] choice_channel, channel;
  logic [3:0][ChW-1:0] next_q;  // of each priority
  logic [KernelW-1:0] choice_slot, slot;
  logic [15:0] get;
  logic irq_flag, slot_irq;  // of the command; of the slot's launch
  logic first;               // cycle of the state
  logic table_done;          // the sequencer has its word of the table

  // ---- the host's access: which channel, which register ----
  logic driver, page, exists, of_table, host_write, fresh_host, open_host, refused;
  logic [7:0] number;
  logic [ChW-1:0] host;
  logic [3:0] where;
  logic [3:0] host_word;
  logic ctrl_write, put_write, rise;
  assign driver = req_i.valid && req_i.addr[19:15] == ChBase[19:15];
  assign page = req_i.valid && req_i.addr[19:18] != '0;
  assign number = page ? req_i.addr[19:12] - PageBase[19:12] : 8'(req_i.addr[14:6]);
  assign host = number[ChW-1:0];
  assign where = req_i.addr[5:2];
  assign exists = 32'(number) < NumCmd && req_i.addr[1:0] == '0 &&
      (page ? req_i.addr[11:4] == '0 : driver && !req_i.addr[14] && where <= ChCopyHi[5:2]);
  always_comb begin
    of_table = exists && (page ? where != PageState[5:2] : where != ChCtrl[5:2]);
    case (where)
      ChRing[5:2]:    host_word = page ? 4'd2 : 4'd0;  // or GET
      ChContext[5:2]: host_word = 4'd1;
      ChBusyLo[5:2]:  host_word = page ? 4'd7 : 4'd4;  // or WHERE
      ChBusyHi[5:2]:  host_word = 4'd5;
      ChDone[5:2]:    host_word = 4'd6;
      ChError[5:2]:   host_word = 4'd7;
      ChLimit[5:2]:   host_word = 4'd14;
      ChCtrl[5:2]:    host_word = 4'd3;                // PUT
      default:        host_word = where;               // SM, INSN, COPY
    endcase
  end

  // ---- channels ----
  // The flags have one port: they are those of the host's channel in a cycle of its access, else
  // those of the sequencer's, which does nothing with them in such a cycle (R-FR-1).
  front_flags_t flags, flags_next;
  logic flags_write;
  logic [NumCmd-1:0] irq_q, fresh, eligible, working, high, low;
  logic renewed_q;           // the channel of CLEAR was enabled, or PUT of CHECK's written, again
  logic some_high, some_low;  // the highest priority of those that are eligible
  logic [1:0] level_q;        // of the channel that was chosen, from CHECK on
  logic [NumKernels-1:0][ChW-1:0] owner_q;
  assign open_host = flags.enabled;
  assign fresh_host = open_host && !flags.clean;
  always_comb begin
    refused = 1'b1;
    if (page) begin
      if (where == PagePut[5:2])
        refused = req_i.wdata[31:16] != '0 || flags.suspended || fresh_host || !open_host;
    end else begin
      case (where)
        ChCtrl[5:2]:    refused = req_i.wdata[31:5] != '0;
        ChLimit[5:2]:   refused = 1'b0;
        ChRing[5:2]:    refused = open_host || req_i.wdata[3:0] == '0 || req_i.wdata[3:0] > 4'd12 ||
                            req_i.wdata[11:7] != '0 || 32'(req_i.wdata[6:4]) > MaxSplit;
        ChContext[5:2]: refused = open_host || req_i.wdata[6:0] != '0;
        default:        refused = 1'b1;
      endcase
    end
  end
  assign host_write = exists && req_i.we && !refused;
  assign ctrl_write = host_write && !page && where == ChCtrl[5:2];
  assign put_write = host_write && page;
  assign rise = ctrl_write && req_i.wdata[0] && !open_host;

  logic [NumKernels-1:0] ended_q, away;  // slots, as below
  logic copied_q;
  logic fall_waits, open_now, multiple, multiple_q, raises, copy_irq_q;
  assign raises = done.stopped || done.finished || (done.ended && !done.yielded && slot_irq) ||
      (done.copied && copy_irq_q);
  // R-FR-20: multiple: one of 1024 has passed since the last open cycle.
  // nothing to choose: said here once more, as the choice itself comes late
  assign open_now = done.turn || (state == FrontIdle && (eligible | fresh) == '0 &&
      away == '0 && !copied_q && ended_q == '0);
  assign multiple = multiple_q || cycle_i[9:0] == '0;
  assign fall_waits = done.wake || (open_now && multiple);
  always_comb begin
    flags_next = flags;
    if (ctrl_write) begin
      {flags_next.level, flags_next.held, flags_next.suspended, flags_next.enabled} =
          req_i.wdata[4:0];
      flags_next.clean = flags.clean && req_i.wdata[0];
    end
    if (done.cleared) flags_next.clean = flags.enabled && !renewed_q;
    if (rise) flags_next.stopped = 1'b0;
    if (rise || (done.empty && !renewed_q)) flags_next.pending = 1'b0;
    if (put_write || done.yielded) flags_next.pending = 1'b1;
    if (done.advanced || done.ended || done.copied) flags_next.busy = done.later;
    if (done.stopped) flags_next.stopped = 1'b1;
    if (rise || done.cleared || done.advanced || done.stopped) flags_next.resumes = 1'b0;
    if (done.yielded) flags_next.resumes = 1'b1;
  end
  assign flags_write = ctrl_write || put_write || done.cleared || done.empty || done.advanced ||
      done.stopped || done.ended || done.copied;
  qsm_front_flags #(.NumCmd(NumCmd)) u_flags (
    .clk_i, .rst_ni, .channel_i(exists ? host : channel), .flags_o(flags), .write_i(flags_write),
    .flags_i(flags_next), .wait_i(done.waits), .waiter_i(channel), .wake_i(fall_waits),
    .fresh_o(fresh), .eligible_o(eligible), .working_o(working), .high_o(high), .low_o(low)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      irq_q <= '0;
      renewed_q <= 1'b0;
      next_q <= '0;
      multiple_q <= 1'b0;
    end else begin
      for (int unsigned c = 0; c < NumCmd; c++) begin
        if (raises && channel == ChW'(c)) irq_q[c] <= 1'b1;
        else if (irq_write_i[c / 32] && req_i.wdata[c % 32]) irq_q[c] <= 1'b0;
      end
      renewed_q <= state inside {FrontClear, FrontCheck} &&
          (renewed_q || ((rise || put_write) && host == channel));
      multiple_q <= multiple && !open_now;
      if (done.turn)
        next_q[level_q] <= (channel == ChW'(NumCmd - 1)) ? '0 : channel + ChW'(1);
    end
  end

  // Of the channel whose command is done: its enable, its priority and whether a launch goes on, as
  // they are when its row is read, and as CH_CTRL changes them: in registers, as its flags are not
  // there in a cycle of the host's, and come late.
  logic of_channel_write, row_read;
  logic on_now, on_q, resumes_q;
  logic [1:0] level_now;
  assign of_channel_write = ctrl_write && host == channel;
  assign on_now = of_channel_write ? req_i.wdata[0] : on_q;
  assign level_now = of_channel_write ? req_i.wdata[4:3] : level_q;
  assign row_read = state == FrontRow && table_done;
  always_ff @(posedge clk_i) begin
    on_q <= row_read ? flags.enabled : on_now;
    level_q <= row_read ? flags.level : level_now;
    resumes_q <= row_read ? flags.resumes : resumes_q && !(rise && host == channel);
  end

  // ---- slots ----
  logic [NumKernels-1:0] bound_q, runs_q, falls, is_slot, of_channel, owner_on_q,
      yield_sent_q, old_q;  // old_q: the launch is of an earlier life of its channel
  logic [NumKernels-1:0][1:0] own_q;  // a launch's mask, policy: not those of the context
  logic [1:0] launch_own;
  logic [NumKernels-1:0][1:0] owner_level_q;
  typedef struct packed {
    logic irq;
    logic [15:0] index;
  } launch_t;
  (* ram_style = "block", no_rw_check *) launch_t launch_mem[NumKernels];
  launch_t launch;  // of the slot, from the second cycle on that it is the sequencer's
  assign slot_irq = launch.irq;
  always_ff @(posedge clk_i) begin
    if (done.launched) launch_mem[slot] <= '{irq: irq_flag, index: get};
    launch <= launch_mem[slot];
  end
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      is_slot[k] = slot == KernelW'(k);
      of_channel[k] = bound_q[k] && owner_q[k] == channel;
      away[k] = bound_q[k] && !runs_q[k] && !(owner_on_q[k] && slots_i[k]);
    end
  end
  assign falls = runs_q & ~busy_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bound_q <= '0;
      runs_q <= '0;
      ended_q <= '0;
      owner_q <= '0;
      owner_on_q <= '0;
      owner_level_q <= '0;
      yield_sent_q <= '0;
      old_q <= '0;
      own_q <= '0;
    end else begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        if (falls[k]) begin
          runs_q[k] <= 1'b0;
          ended_q[k] <= 1'b1;
        end
        if (is_slot[k]) begin
          if (done.unbound) bound_q[k] <= 1'b0;
          if (done.bound) begin
            bound_q[k] <= 1'b1;
            owner_q[k] <= channel;
          end
          if (done.ended) ended_q[k] <= 1'b0;
          if (done.launched) runs_q[k] <= 1'b1;
          if (done.launched || done.asked) yield_sent_q[k] <= done.asked;
          if (done.settled) own_q[k] <= '0;
          else if (done.launched) own_q[k] <= launch_own;
          else if (first && state == FrontStart) own_q[k] <= own_q[k] | launch_own;
        end
        if (rise && host == ((is_slot[k] && done.bound) ? channel : owner_q[k])) old_q[k] <= 1'b1;
        else if (is_slot[k] && done.launched) old_q[k] <= 1'b0;
        else if (done.cleared && channel == owner_q[k]) old_q[k] <= 1'b1;
        if (is_slot[k] && done.bound) begin
          owner_on_q[k] <= on_now;
          owner_level_q[k] <= level_now;
        end else if (ctrl_write && host == owner_q[k]) begin
          owner_on_q[k] <= req_i.wdata[0];
          owner_level_q[k] <= req_i.wdata[4:3];
        end
      end
    end
  end

  // ---- DMA engine (R-FR-23, R-FR-24) ----
  logic copying, copy_ends, dma_valid, dma_write;
  logic [ChW-1:0] copy_owner_q;
  front_job_t job;
  mem_req_t seq_req, dma_req;
  logic [SplitW-1:0] split, dma_split;
  qsm_dma #(
    .LineBytes(LineBytes), .NumEntries(DmaEntries), .TagW(TagW), .SplitW(SplitW)
  ) u_dma (
    .clk_i, .rst_ni, .start_i(done.given), .job_fill_i(job.fill), .job_src_i(job.src),
    .job_dst_i(job.dst), .job_bytes_i(job.bytes), .job_pattern_i(job.pattern),
    .job_split_i(split), .job_link_i(job.link), .busy_o(copying), .done_o(copy_ends),
    .link_interval_i, .req_valid_o(dma_valid), .req_free_i(!seq_req.valid),
    .req_write_o(dma_write), .req_addr_o(dma_req.addr), .req_bytes_o(dma_req.bytes),
    .req_data_o(dma_req.data), .req_tag_o(dma_req.tag), .req_split_o(dma_split),
    .rsp_valid_i(mem_rsp_i.valid), .rsp_tag_i(mem_rsp_i.tag), .rsp_data_i(mem_rsp_i.data)
  );
  assign dma_req.valid = dma_valid;
  assign dma_req.kind = dma_write ? MemWrite : MemRead;
  assign dma_req.amo = AmoSwap;
  assign dma_req.slot = '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      copied_q <= 1'b0;
      copy_irq_q <= 1'b0;
      copy_owner_q <= '0;
    end else begin
      if (copy_ends) copied_q <= 1'b1;
      else if (done.copied) copied_q <= 1'b0;
      if (done.given) begin
        copy_irq_q <= irq_flag;
        copy_owner_q <= channel;
      end
    end
  end

  // The port: the sequencer goes first (R-FR-8).
  logic [31:0] split_addr;
  mem_rsp_t seq_rsp;
  qsm_mem_split #(
    .MemBits(PartitionBits), .LineBits(LineOffW), .ChanBits($clog2(NumChannels))
  ) u_split (
    .split_i(seq_req.valid ? split : dma_split),
    .addr_i(seq_req.valid ? seq_req.addr : dma_req.addr), .addr_o(split_addr)
  );
  always_comb begin
    mem_req_o = seq_req.valid ? seq_req : dma_req;
    mem_req_o.addr = split_addr;
    seq_rsp = mem_rsp_i;
    seq_rsp.valid = mem_rsp_i.valid && mem_rsp_i.tag == '0;
  end

  // ---- what comes next (R-FR-5), and the slot of a launch (R-FR-11) ----
  function automatic logic [KernelW-1:0] lowest(input logic [NumKernels-1:0] set);
    lowest = '0;
    for (int k = NumKernels - 1; k >= 0; k--) if (set[k]) lowest = KernelW'(k);
  endfunction

  // Of those that are eligible the ones with the highest priority that some have stay; all
  // priorities are looked at beside each other.
  logic some_fresh, picked;
  logic [3:1] some_of;  // has this priority
  logic [NumCmd-1:0] wanted;
  logic [ChW-1:0] pick;
  assign some_fresh = fresh != '0;
  always_comb begin
    some_of[3] = (eligible & high & low) != '0;
    some_of[2] = (eligible & high & ~low) != '0;
    some_of[1] = (eligible & ~high & low) != '0;
    some_high = some_of[3] || some_of[2];
    some_low = some_of[3] || (!some_of[2] && some_of[1]);
    wanted = fresh;
    if (!some_fresh) begin
      for (int unsigned c = 0; c < NumCmd; c++)
        wanted[c] = eligible[c] && high[c] == some_high && low[c] == some_low;
    end
  end
  qsm_front_pick #(.N(NumCmd)) u_pick (
    .from_i(some_fresh ? '0 : next_q[{some_high, some_low}]), .req_i(wanted), .valid_o(picked),
    .idx_o(pick)
  );
  always_comb begin
    choice = picked ? FrontRow : FrontIdle;
    choice_slot = lowest(away);
    choice_channel = pick;
    if (away != '0) begin
      choice = FrontUnbind;
      choice_channel = owner_q[lowest(away)];
    end
    if (some_fresh) begin
      choice = FrontClear;
      choice_channel = pick;
    end
    if (copied_q) begin
      choice = FrontCopyEnd;
      choice_channel = copy_owner_q;
    end
    if (ended_q != '0) begin
      choice = FrontCount;
      choice_slot = lowest(ended_q);
      choice_channel = owner_q[lowest(ended_q)];
    end
  end

  logic [NumKernels-1:0] own, open, idle;
  logic [KernelW-1:0] slot_pick;
  always_comb begin
    own = slots_i & of_channel;
    open = slots_i & ~bound_q;
    idle = slots_i & bound_q & ~runs_q & ~ended_q;
    slot_pick = (own != '0) ? lowest(own) : (open != '0) ? lowest(open) : lowest(idle);
  end

  // Whose launch yields to the channel's (R-FR-26): of those with the lowest priority the lowest.
  logic [NumKernels-1:0] below;
  logic [2:0][NumKernels-1:0] below_at;
  logic [KernelW-1:0] yield_pick;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      below[k] = take_back_i && slots_i[k] && runs_q[k] && owner_level_q[k] < level_q;
      for (int unsigned p = 0; p < 3; p++) below_at[p][k] = below[k] && owner_level_q[k] == 2'(p);
    end
    yield_pick = (below_at[0] != '0) ? lowest(below_at[0])
               : (below_at[1] != '0) ? lowest(below_at[1]) : lowest(below_at[2]);
  end

  // ---- snapshot (R-FR-17) ----
  logic [NumCmd-1:0] snap_busy_q;
  logic [63:0] snap_cycle_q;
  logic snap_runs_q, snap_copying_q;
  logic [ChW-1:0] snap_channel_q, snap_copy_channel_q, last_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      snap_busy_q <= '0;
      snap_cycle_q <= '0;
      snap_runs_q <= 1'b0;
      snap_channel_q <= '0;
      snap_copying_q <= 1'b0;
      snap_copy_channel_q <= '0;
      last_q <= '0;
    end else begin
      if (snap_write_i) begin
        snap_busy_q <= working;
        snap_cycle_q <= cycle_i;
        snap_runs_q <= runs_q != '0;
        snap_channel_q <= (runs_q != '0) ? owner_q[lowest(runs_q)] : last_q;
        snap_copying_q <= copying;
        snap_copy_channel_q <= copy_owner_q;
      end
      if (falls != '0) last_q <= owner_q[lowest(falls)];
    end
  end
  always_comb begin
    figures_o = '{irq: 96'(irq_q), snap_busy: 96'(snap_busy_q), snap_cycle: snap_cycle_q,
        snap_runs: snap_runs_q, snap_channel: 8'(snap_channel_q), snap_copying: snap_copying_q,
        snap_copy_channel: 8'(snap_copy_channel_q), runs: runs_q, bound: bound_q, default: '0};
    for (int unsigned k = 0; k < NumKernels; k++) figures_o.owner[k] = 8'(owner_q[k]);
  end

  // ---- what launches and copies take, and the limit (R-FR-15, R-FR-21, R-FR-24, R-FR-25) ----
  localparam int unsigned EntryW = $clog2(NumKernels + 1);
  localparam int unsigned SmsW = $clog2(NumSms + 1);
  logic of_engine;
  logic [47:0] took, took_sms;
  logic [NumKernels-1:0][SmsW-1:0] sms;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) sms[k] = SmsW'($countones(resident_i[k]));
  end
  assign of_engine = state inside {FrontEngine, FrontCopyEnd};
  qsm_front_meter #(.NumSlots(NumKernels), .NumSms(NumSms)) u_meter (
    .clk_i, .rst_ni, .runs_i({copying && !copy_ends, runs_q & busy_i}), .sms_i(sms),
    .entry_i(of_engine ? EntryW'(NumKernels) : EntryW'(slot)),
    .clear_i(done.launched || done.given),
    .take_i(first && state inside {FrontCount, FrontCopyEnd}), .time_o(took), .sm_time_o(took_sms)
  );

  logic [NumKernels-1:0] overdue;
  logic [31:0] limit;
  logic kill, seq_write;
  logic [KernelW-1:0] kill_slot;
  qsm_front_watchdog #(.NumSlots(NumKernels)) u_watchdog (
    .clk_i, .rst_ni, .cycle_i(cycle_i[32:0]), .runs_i(runs_q), .launch_i(done.launched),
    .slot_i(slot), .limit_i(limit), .overdue_o(overdue), .kill_o(kill), .kill_slot_o(kill_slot),
    .kill_taken_i(reg_ready_i)
  );

  // ---- table, sequencer ----
  logic table_valid, table_we;
  logic [4:0] table_word;
  logic [31:0] table_wdata, table_rdata;
  qsm_front_table #(.NumCmd(NumCmd)) u_table (
    .clk_i, .host_valid_i(exists), .host_we_i(of_table && host_write), .host_channel_i(host),
    .host_word_i({1'b0, host_word}), .host_wdata_i(req_i.wdata), .seq_valid_i(table_valid),
    .seq_we_i(table_we), .seq_channel_i(channel), .seq_word_i(table_word),
    .seq_wdata_i(table_wdata), .seq_done_o(table_done), .rdata_o(table_rdata)
  );

  assign slot_o = slot;
  assign reg_o.we = 1'b1;
  assign reg_o.valid = kill || seq_write;
  qsm_front_seq u_seq (
    .clk_i, .rst_ni, .cycle_i, .choice_i(choice), .choice_channel_i(choice_channel),
    .choice_slot_i(choice_slot), .state_o(state), .first_o(first), .channel_o(channel),
    .slot_o(slot),
    .slot_wait_i(!concurrent_i && runs_q != '0),
    .slot_found_i((own | open | idle) != '0), .slot_pick_i(slot_pick),
    .slot_bound_i(bound_q[slot_pick]), .slot_own_i(own != '0), .yield_found_i(below != '0),
    .yield_pick_i(yield_pick), .yield_sent_i(yield_sent_q[yield_pick]),
    .own_i(own_q[slot]), .own_o(launch_own),
    .own_found_i(of_channel != '0), .own_pick_i(lowest(of_channel)),
    .engine_wait_i(!concurrent_i && copying), .engine_taken_i(copying || copied_q), .job_o(job),
    .split_o(split), .time_i(took), .sm_time_i(took_sms), .index_i(launch.index),
    .killed_i(killed_i[slot]), .yielded_i(yielded_i[slot]), .walk_i,
    .yields_i(yield_sent_q[slot] && !old_q[slot]), .resumes_i(resumes_q), .cause_i,
    .overdue_i(overdue[slot]), .limit_o(limit), .count_sm_o, .insn_i,
    .ctrl_write_i(ctrl_write), .ctrl_channel_i(host), .done_o(done), .get_o(get),
    .irq_o(irq_flag), .table_valid_o(table_valid), .table_we_o(table_we),
    .table_word_o(table_word), .table_wdata_o(table_wdata), .table_done_i(table_done),
    .table_rdata_i(table_rdata), .reg_valid_o(seq_write), .reg_addr_o(reg_o.addr),
    .reg_wdata_o(reg_o.wdata), .reg_ready_i(reg_ready_i && !kill), .reg_err_i, .reg_again_i,
    .kill_i(kill), .kill_slot_i(kill_slot), .req_o(seq_req), .rsp_i(seq_rsp)
  );

  // ---- answer to the host ----
  logic err_q, table_read_q;
  logic [5:0] shown_q;
  logic always_shown;  // RING, CONTEXT, LIMIT show what they have also of a fresh channel
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      err_q <= 1'b0;
      table_read_q <= 1'b0;
      shown_q <= '0;
    end else begin
      err_q <= req_i.valid && req_i.addr[19:15] != '0 && !(exists && (!req_i.we || !refused));
      table_read_q <= of_table && !req_i.we && (!fresh_host || always_shown);
      shown_q <= '0;
      if (exists && !req_i.we && !of_table)
        shown_q <= page ? {fresh_host, flags.pending || flags.busy, flags.held, flags.suspended,
                           flags.stopped, open_host}
                        : {1'b0, flags.level, flags.held, flags.suspended, open_host};
    end
  end
  assign always_shown = host_word inside {4'd0, 4'd1, 4'd14};
  assign rsp_o = '{err: err_q, rdata: table_read_q ? table_rdata : 32'(shown_q)};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !exists ||
      !(done.cleared || done.empty || done.advanced || done.stopped || done.ended || done.copied))
    else $error("R-FR-1: the host and the sequencer write flags in one cycle");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(table_done && state inside {FrontCheck, FrontLimit}) || resumes_q == flags.resumes)
    else $error("R-FR-6: whether the channel's launch goes on is not what its flags say");
  logic had_access_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) had_access_q <= 1'b0;
    else had_access_q <= req_i.valid;
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(had_access_q && req_i.valid))
    else $error("R-CP-13: the host has two accesses in a row");
`endif
endmodule
