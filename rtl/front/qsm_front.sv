// SPDX-License-Identifier: Apache-2.0
// Front end: takes commands from the rings of the command channels and does them. Here are the
// state of channels and slots, the choice of what comes next, and the registers; the channel table,
// and the sequencer that does it, are modules of their own.
// Contract: docs/front.md. Latency: answers to the host in the next cycle (R-CP-1).
// Cost: nine flip-flops per channel and the table's block RAM.
// Observed by the lockstep monitor: *_q of channels and slots (state FRONT); u_seq.
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

  // Control port: every access of the host; the answer where it is one of a channel, else 0.
  input  ctl_req_t     req_i,
  output ctl_rsp_t     rsp_o,
  // Registers of the GPU, and writes of them in this cycle.
  input  logic                  concurrent_i,  // FRONT_MODE
  input  logic [NumKernels-1:0] slots_i,       // FRONT_SLOTS
  input  logic [2:0]            irq_write_i,
  input  logic                  snap_write_i,
  output front_figures_t        figures_o,     // what its registers show

  // Slots.
  input  logic [NumKernels-1:0] busy_i,
  input  logic [NumKernels-1:0] killed_i,
  output logic [KernelW-1:0]    cause_slot_o,  // whose FAULT_CAUSE is asked for, and it
  input  logic [4:0]            cause_i,

  // Writes of registers: taken in a cycle of ready, answered in the next.
  output ctl_req_t     reg_o,
  input  logic         reg_ready_i,
  input  logic         reg_err_i,

  // Crossbar.
  output mem_req_t     mem_req_o,
  input  mem_rsp_t     mem_rsp_i
);
  localparam int unsigned MaxSplit = least_of($clog2(NumChannels), PartitionBits);

  front_done_t done;
  front_state_e choice, state;
  logic [ChW-1:0] choice_channel, channel, next_q;
  logic [KernelW-1:0] choice_slot, slot;
  logic [15:0] get;
  logic irq_flag, slot_irq;  // of the command; of the slot's launch

  // ---- the host's access: which channel, which register ----
  logic driver, page, exists, of_table, host_write, fresh_host, open_host, refused;
  logic [7:0] number;
  logic [ChW-1:0] host;
  logic [3:0] where;
  logic [2:0] host_word;
  logic ctrl_write, put_write, rise;
  assign driver = req_i.valid && req_i.addr[19:15] == ChBase[19:15];
  assign page = req_i.valid && req_i.addr[19:18] != '0;
  assign number = page ? req_i.addr[19:12] - PageBase[19:12] : 8'(req_i.addr[14:6]);
  assign host = number[ChW-1:0];
  assign where = req_i.addr[5:2];
  assign exists = 32'(number) < NumCmd && req_i.addr[1:0] == '0 &&
      (page ? req_i.addr[11:4] == '0 : driver && !req_i.addr[14] && where <= ChError[5:2]);
  always_comb begin
    of_table = exists && (page ? where != PageState[5:2] : where != ChCtrl[5:2]);
    case (where)
      ChRing[5:2]:    host_word = page ? 3'd2 : 3'd0;  // or GET
      ChContext[5:2]: host_word = 3'd1;
      ChBusyLo[5:2]:  host_word = page ? 3'd7 : 3'd4;  // or WHERE
      ChBusyHi[5:2]:  host_word = 3'd5;
      ChDone[5:2]:    host_word = 3'd6;
      ChError[5:2]:   host_word = 3'd7;
      default:        host_word = 3'd3;                // PUT
    endcase
  end

  // ---- channels ----
  // clean: enabled, and its row was cleared since; so fresh is enabled without it.
  logic [NumCmd-1:0] enabled_q, suspended_q, held_q, clean_q, stopped_q, pending_q, waits_q, busy_q,
      irq_q, fresh, working;
  logic [NumCmd-1:0] is_host, is_channel, ctrl_of, put_of, rise_of;
  logic renewed_q, renewed;  // the channel of CLEAR was enabled once more
  assign fresh = enabled_q & ~clean_q;
  assign working = pending_q | busy_q;
  always_comb begin
    for (int unsigned c = 0; c < NumCmd; c++) begin
      is_host[c] = host == ChW'(c);
      is_channel[c] = channel == ChW'(c);
    end
    ctrl_of = ctrl_write ? is_host : '0;
    put_of = put_write ? is_host : '0;
    rise_of = rise ? is_host : '0;
  end
  assign open_host = enabled_q[host];
  assign fresh_host = open_host && !clean_q[host];
  always_comb begin
    refused = 1'b1;
    if (page) begin
      if (where == PagePut[5:2])
        refused = req_i.wdata[31:16] != '0 || suspended_q[host] || fresh_host || !open_host;
    end else begin
      case (where)
        ChCtrl[5:2]:    refused = req_i.wdata[31:3] != '0;
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
  assign renewed = renewed_q || (rise && host == channel);

  logic fall_waits, raises;
  assign raises = done.stopped || done.finished || (done.ended && slot_irq);
  assign fall_waits = done.wake || cycle_i[9:0] == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enabled_q <= '0;
      suspended_q <= '0;
      held_q <= '0;
      clean_q <= '0;
      stopped_q <= '0;
      pending_q <= '0;
      waits_q <= '0;
      busy_q <= '0;
      irq_q <= '0;
      renewed_q <= 1'b0;
      next_q <= '0;
    end else begin
      clean_q <= enabled_q & (clean_q | ((done.cleared && !renewed) ? is_channel : '0));
      stopped_q <= (stopped_q & ~rise_of) | (done.stopped ? is_channel : '0);
      pending_q <= (pending_q & ~rise_of & ~(done.empty ? is_channel : '0)) | put_of;
      waits_q <= (fall_waits ? '0 : waits_q & ~rise_of) | (done.waits ? is_channel : '0);
      for (int unsigned c = 0; c < NumCmd; c++) begin
        if (ctrl_of[c]) {held_q[c], suspended_q[c], enabled_q[c]} <= req_i.wdata[2:0];
        if (is_channel[c] && (done.launched || done.ended)) busy_q[c] <= done.launched;
        if (is_channel[c] && raises) irq_q[c] <= 1'b1;
        else if (irq_write_i[c / 32] && req_i.wdata[c % 32]) irq_q[c] <= 1'b0;
      end
      renewed_q <= renewed && state == FrontClear;
      if (done.turn) next_q <= (channel == ChW'(NumCmd - 1)) ? '0 : channel + ChW'(1);
    end
  end

  // ---- slots ----
  // Of a launch the cycle before its first, and that in which it ended: its time lies between them.
  logic [NumKernels-1:0] bound_q, runs_q, ended_q, falls, is_slot, of_channel, away, owner_on_q;
  logic [NumKernels-1:0][ChW-1:0] owner_q;
  logic [NumKernels-1:0][47:0] end_q;
  typedef struct packed {
    logic irq;
    logic [15:0] index;
    logic [47:0] begun;
  } launch_t;
  logic enabled_next;  // the channel's enable after this cycle
  assign enabled_next = (ctrl_write && host == channel) ? req_i.wdata[0] : enabled_q[channel];
  launch_t launch_mem[NumKernels];
  launch_t launch;
  logic [47:0] ran;
  assign launch = launch_mem[slot];
  assign slot_irq = launch.irq;
  assign ran = end_q[slot] + ~launch.begun;  // less one
  always_ff @(posedge clk_i) begin
    if (done.launched)
      launch_mem[slot] <= '{irq: irq_flag, index: get, begun: cycle_i[47:0]};
    for (int unsigned k = 0; k < NumKernels; k++) if (falls[k]) end_q[k] <= cycle_i[47:0];
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
        end
        if (is_slot[k] && done.bound) owner_on_q[k] <= enabled_next;
        else if (ctrl_write && host == owner_q[k]) owner_on_q[k] <= req_i.wdata[0];
      end
    end
  end
  // ---- what comes next (R-FR-5), and the slot of a launch (R-FR-11) ----
  function automatic logic [KernelW-1:0] lowest(input logic [NumKernels-1:0] set);
    lowest = '0;
    for (int k = NumKernels - 1; k >= 0; k--) if (set[k]) lowest = KernelW'(k);
  endfunction

  logic some_fresh, picked;
  logic [NumCmd-1:0] eligible, wanted;
  logic [ChW-1:0] pick;
  assign some_fresh = fresh != '0;
  assign eligible = clean_q & enabled_q & pending_q & ~(stopped_q | held_q | busy_q | waits_q);
  assign wanted = some_fresh ? fresh : eligible;
  qsm_front_pick #(.N(NumCmd)) u_pick (
    .from_i(some_fresh ? '0 : next_q), .req_i(wanted), .valid_o(picked), .idx_o(pick)
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
    if (ended_q != '0) begin
      choice = FrontEnd;
      choice_slot = lowest(ended_q);
      choice_channel = owner_q[lowest(ended_q)];
    end
  end

  logic [NumKernels-1:0] first, second, third;
  logic [KernelW-1:0] slot_pick;
  always_comb begin
    first = slots_i & of_channel;
    second = slots_i & ~bound_q;
    third = slots_i & bound_q & ~runs_q & ~ended_q;
    slot_pick = (first != '0) ? lowest(first) : (second != '0) ? lowest(second) : lowest(third);
  end

  // ---- snapshot (R-FR-17) ----
  logic [NumCmd-1:0] snap_busy_q;
  logic [63:0] snap_cycle_q;
  logic snap_runs_q;
  logic [ChW-1:0] snap_channel_q, last_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      snap_busy_q <= '0;
      snap_cycle_q <= '0;
      snap_runs_q <= 1'b0;
      snap_channel_q <= '0;
      last_q <= '0;
    end else begin
      if (snap_write_i) begin
        snap_busy_q <= working;
        snap_cycle_q <= cycle_i;
        snap_runs_q <= runs_q != '0;
        snap_channel_q <= (runs_q != '0) ? owner_q[lowest(runs_q)] : last_q;
      end
      if (falls != '0) last_q <= owner_q[lowest(falls)];
    end
  end
  always_comb begin
    figures_o = '{irq: 96'(irq_q), snap_busy: 96'(snap_busy_q), snap_cycle: snap_cycle_q,
        snap_runs: snap_runs_q, snap_channel: 8'(snap_channel_q), runs: runs_q, bound: bound_q,
        default: '0};
    for (int unsigned k = 0; k < NumKernels; k++) figures_o.owner[k] = 8'(owner_q[k]);
  end

  // ---- table, sequencer ----
  logic table_valid, table_we, table_done;
  logic [2:0] table_word;
  logic [31:0] table_wdata, table_rdata;
  qsm_front_table #(.NumCmd(NumCmd)) u_table (
    .clk_i, .host_valid_i(of_table), .host_we_i(host_write), .host_channel_i(host),
    .host_word_i(host_word), .host_wdata_i(req_i.wdata), .seq_valid_i(table_valid),
    .seq_we_i(table_we), .seq_channel_i(channel), .seq_word_i(table_word),
    .seq_wdata_i(table_wdata), .seq_done_o(table_done), .rdata_o(table_rdata)
  );

  assign cause_slot_o = slot;
  assign reg_o.we = 1'b1;
  qsm_front_seq u_seq (
    .clk_i, .rst_ni, .cycle_i, .choice_i(choice), .choice_channel_i(choice_channel),
    .choice_slot_i(choice_slot), .state_o(state), .channel_o(channel), .slot_o(slot),
    .slot_wait_i(!concurrent_i && runs_q != '0),
    .slot_found_i((first | second | third) != '0), .slot_pick_i(slot_pick),
    .slot_bound_i(bound_q[slot_pick]), .slot_own_i(first != '0),
    .own_found_i(of_channel != '0), .own_pick_i(lowest(of_channel)),
    .time_i(ran), .index_i(launch.index), .killed_i(killed_i[slot]), .cause_i,
    .ctrl_write_i(ctrl_write), .ctrl_channel_i(host), .done_o(done), .get_o(get),
    .irq_o(irq_flag), .table_valid_o(table_valid), .table_we_o(table_we),
    .table_word_o(table_word), .table_wdata_o(table_wdata), .table_done_i(table_done),
    .table_rdata_i(table_rdata), .reg_valid_o(reg_o.valid), .reg_addr_o(reg_o.addr),
    .reg_wdata_o(reg_o.wdata), .reg_ready_i, .reg_err_i, .req_o(mem_req_o), .rsp_i(mem_rsp_i)
  );

  // ---- answer to the host ----
  logic err_q, table_read_q;
  logic [5:0] shown_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      err_q <= 1'b0;
      table_read_q <= 1'b0;
      shown_q <= '0;
    end else begin
      err_q <= req_i.valid && req_i.addr[19:15] != '0 && !(exists && (!req_i.we || !refused));
      // of a fresh channel all but RING and CONTEXT read 0 (R-FR-2)
      table_read_q <= of_table && !req_i.we && !(fresh_host && host_word >= 3'd2);
      shown_q <= '0;
      if (exists && !req_i.we && !of_table)
        shown_q <= page ? {fresh_host, working[host], held_q[host],
                           suspended_q[host], stopped_q[host], open_host}
                        : {3'd0, held_q[host], suspended_q[host], open_host};
    end
  end
  assign rsp_o = '{err: err_q, rdata: table_read_q ? table_rdata : 32'(shown_q)};
endmodule
