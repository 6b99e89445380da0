// SPDX-License-Identifier: Apache-2.0
// Load/store unit of an SM: pops the sub-cores' memory queues, classifies (N), performs passes (C).
// docs/lsu.md; with an L1 docs/l1.md.
// Contract: a memory queue shows what was popped last until the next pop; req_o is sent in its
// cycle, the port has no back-pressure.
// Latency: queue head in t, N in t + 1, first pass in t + 2; one pass per cycle; results as in
// qsm_lsu_return.
// Cost: N is the output of a memory queue, C holds an instruction (WarpSize x 64 bits); see the
// parts for the rest.
// Observed by the lockstep monitor: pass_valid, pass_kind (0 shared, 1 device, 2 fault), pass_mask,
// c_q.sub, c_q.warp
//   (LSUPASS); req_o (REQ); u_return, serve_txn (RETURN); u_shared.g_bank[*].u_bank.mem, g_l1.u_l1
//   (state).
module qsm_lsu
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned CacheKib = L1Kib  // of the L1; 0: none
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       clk_kept_i,   // of the L1's counters, like the next
  input  logic                       rst_kept_ni,
  input  desc_t    [NumKernels-1:0]  desc_i,
  input  tb_info_t [MaxTbs-1:0]      tb_info_i,
  // of a thread block that arrives (R-SM-1) or is restored
  input  tb_index_t                  tb_index_i,
  // Sub-cores
  input  logic     [NumSched-1:0]    mq_valid_i,   // not empty
  input  mem_op_t  [NumSched-1:0]    mq_i,         // popped last
  input  who_t     [NumSched-1:0]    mq_who_i,     // of the one that is popped next
  output logic     [NumSched-1:0]    mq_pop_o,
  output mem_result_t [NumSched-1:0] result_o,
  input  logic     [NumSched-1:0]    result_pop_i,
  output sb_pass_t                   sb_pass_o,
  output sb_ack_t                    sb_ack_o,
  output fault_event_t               fault_o,
  input  logic                       fault_wait_i,  // a sub-core's fault counts in this cycle
  // Shared memory that is cleared
  input  logic                       wipe_i,
  input  logic [RowW-1:0]            wipe_row_i,
  // Memory port
  input  logic                       port_free_i,  // no instruction miss in this cycle
  output mem_req_t                   req_o,
  input  logic                       rsp_valid_i,
  input  logic     [TxnW-1:0]        rsp_txn_i,
  input  lanes_t                     rsp_data_i,
  // L1: kernels that do not allocate, events that begin a generation (R-L1-11), the counter that is
  // read
  input  logic     [NumKernels-1:0]  skip_l1_i,
  input  logic     [NumKernels-1:0]  start_i,
  input  logic     [NumKernels-1:0]  clear_i,      // of its counters: start, of a gated SM too
  input  logic                       restore_i,
  input  logic     [KernelW-1:0]     restore_kernel_i,
  input  logic     [NumSched-1:0]    fence_i,
  input  logic     [NumSched-1:0][KernelW-1:0] fence_kernel_i,
  input  logic     [KernelW-1:0]     l1_slot_i,
  input  logic     [2:0]             l1_counter_i,
  output logic     [31:0]            l1_value_o,
  output pass_event_t                pass_o,       // R-EN-1
  output away_event_t                away_o,       // R-PA-19
  output logic                       open_o        // something is under way
);
  // ---- queue to N ----
  logic            n_valid_q, n_ready, n_moves, pop_valid;
  logic [SubW-1:0] n_sub_q, pop_sub;
  mem_op_t         n;

  // Requests only while N can take one: the arbiter's pointer moves with every pop
  qsm_rr_arb #(.N(NumSched)) u_pop (
    .clk_i,
    .rst_ni,
    .req_i   (n_ready ? mq_valid_i : '0),
    .valid_o (pop_valid),
    .grant_o (mq_pop_o),
    .idx_o   (pop_sub)
  );

  assign n = mq_i[n_sub_q];

  // What is looked up for the instruction's warp: when it is popped, since a memory queue gives its
  // addresses late in N. None of it changes while the warp is there.
  typedef struct packed {
    window_t [1:0] win;
    logic [18:0] shared;
    logic [GranW-1:0] base;
    logic [4:0] stack_log2;
    logic [31:StackW] stacks;
  } place_t;
  who_t pop_who, n_who_q;
  place_t pop_place, n_place_q;
  assign pop_who = mq_who_i[pop_sub];
  always_ff @(posedge clk_i) begin
    if (pop_valid) begin
      n_who_q <= pop_who;
      n_place_q <= pop_place;
    end
  end

  // ---- N to C ----
  logic    c_valid_q, c_shared_q, c_finish;  // shared: the next pass is a shared one
  lsu_op_t c_q, classified;
  mask_t   n_shared, rem_shared_q, rem_device_q;

  qsm_stack_base u_stack_base (
    .clk_i,
    .rst_ni,
    .desc_i,
    .tb_info_i,
    .tb_index_i,
    .kernel_i (pop_who.kernel),
    .tb_i     (pop_who.tb),
    .widx_i   (pop_who.widx),
    .base_o   (pop_place.stacks)
  );
  assign pop_place.win = desc_i[pop_who.kernel].win;
  assign pop_place.shared = desc_i[pop_who.kernel].shared;
  assign pop_place.base = tb_info_i[pop_who.tb].base;
  assign pop_place.stack_log2 = desc_i[pop_who.kernel].stack_log2;
  qsm_lsu_classify u_classify (
    .op_i     (n),
    .who_i    (n_who_q),
    .sub_i    (n_sub_q),
    .win_i    (n_place_q.win),
    .shared_i (n_place_q.shared),
    .base_i   (n_place_q.base),
    .stack_log2_i (n_place_q.stack_log2),
    .stacks_i (n_place_q.stacks),
    .op_o     (classified),
    .shared_o (n_shared)
  );
  mask_t [WarpSize-1:0] same_bank, same_line, same_bank_q, same_line_q;
  qsm_lane_pairs u_pairs (
    .valid_i     (n_valid_q),
    .addr_i      (classified.addr),
    .same_bank_o (same_bank),
    .same_line_o (same_line)
  );
  always_ff @(posedge clk_i) begin
    if (n_moves) begin
      same_bank_q <= same_bank;
      same_line_q <= same_line;
    end
  end
  assign n_moves = n_valid_q && (!c_valid_q || c_finish);
  assign n_ready = !n_valid_q || n_moves;

  // ---- C: at most one pass per cycle ----
  logic  c_fault, shared_want, shared_grant, device_pass, amo_busy;
  mask_t c_faults, joined, bank_used;
  logic  all_join;  // of the lanes of the pass's kind
  logic [WarpSize-1:0][RowW-1:0] bank_row;
  bytes_t store_bytes;
  lanes_t store_data, bank_rdata;
  logic [LaneW-1:0]    first_lane;
  logic [31:LineOffW]  first_line;
  logic            txn_free, txn_open, txn_take, txn_join, serve, serve_last;
  logic [TxnW-1:0] txn, join_txn, head_txn, serve_txn;
  lsu_part_t       pass_part, take_part, serve_part;
  logic            device_ready, hit_want, hit_grant;
  lanes_t          hit_data;

  // Active lanes that fault; none: the instruction runs. Joined here, because N is long.
  assign c_faults    = c_q.mask & (c_q.misaligned | c_q.overflow | c_q.access);
  assign c_fault     = c_faults != '0;
  assign shared_want = c_valid_q && !c_fault && c_shared_q && !amo_busy;
  assign device_pass = c_valid_q && !c_fault && !c_shared_q && device_ready;

  logic       pass_valid, pass_ends;  // an atomic's shared pass ends a cycle later
  logic [1:0] pass_kind;
  mask_t      pass_mask;
  always_comb begin
    pass_valid = c_valid_q && (c_fault ? !fault_wait_i : shared_grant || device_pass);
    pass_kind  = c_fault ? 2'd2 : shared_grant ? 2'd0 : 2'd1;
    pass_mask  = c_fault ? c_q.mask : joined;
    pass_ends  = (pass_valid && !(shared_grant && c_q.kind == MemAmo)) || amo_busy;
    c_finish   = pass_ends && (c_fault || (all_join && !(c_shared_q && rem_device_q != '0)));
  end

  logic unused_probe;  // for the monitor, and fields that the LSU does not use
  assign unused_probe = ^{pass_kind, c_q.rd, c_q.amo, c_q.injected, serve_txn};

  if (EnergyCounters != 0) begin : g_energy
    assign pass_o = '{valid: pass_valid && !c_fault && !c_q.injected, shared: shared_grant,
        kernel: c_q.kernel, lanes: LanesW'($countones(pass_mask))};
  end else begin : g_no_energy
    assign pass_o = '0;
  end

  // Places of the lanes in a line, and in a row of banks
  logic [WarpSize-1:0][LineOffW-1:0]  offs;
  logic [WarpSize-1:0][LaneW-1:0]     bank;
  logic [WarpSize-1:0][31:LineOffW]   line;
  for (genvar l = 0; l < WarpSize; l++) begin : g_offs
    assign offs[l] = c_q.addr[l][LineOffW-1:0];
    assign bank[l] = c_q.addr[l][2 +: LaneW];
    assign line[l] = c_q.addr[l][31:LineOffW];
  end

  qsm_shared_pass u_shared_pass (
    .rem_i       (rem_shared_q),
    .row_i       (c_q.row),
    .bank_i      (bank),
    .bank_used_o (bank_used),
    .row_o       (bank_row)
  );
  qsm_coalesce u_coalesce (
    .valid_i  (c_valid_q),
    .shared_i (c_shared_q),
    .alone_i  (c_q.kind == MemAmo || (c_shared_q && c_q.kind == MemWrite)),
    .rem_i    (c_shared_q ? rem_shared_q : rem_device_q),
    .same_bank_i (same_bank_q),
    .same_line_i (same_line_q),
    .line_i   (line),
    .joined_o (joined),
    .all_o    (all_join),
    // of the lane that faults, or the leader's: one multiplexer
    .pick_i   (c_fault ? c_faults : rem_device_q),
    .lane_o   (first_lane),
    .line_o   (first_line)
  );
  // One crossbar for both kinds of passes.
  qsm_lane_scatter u_scatter (
    .valid_i  (c_valid_q && c_q.kind != MemRead),
    .lanes_i  (joined),
    .offs_i   (offs),
    .data_i   (c_q.data),
    .size_i   (c_q.funct3[1:0]),
    .bytes_o  (store_bytes),
    .data_o   (store_data)
  );
  qsm_shared_mem u_shared (
    .clk_i,
    .rst_ni,
    .pass_i      (shared_grant),
    .kind_i      (c_q.kind),
    .amo_i       (c_q.amo),
    .bank_used_i (bank_used),
    .row_i       (bank_row),
    .strobe_i    (store_bytes),
    .data_i      (store_data),
    .amo_busy_o  (amo_busy),
    .rdata_o     (bank_rdata),
    .wipe_i,
    .wipe_row_i
  );

  assign pass_part = '{store: c_q.kind == MemWrite, away: c_q.away, sub: c_q.sub, warp: c_q.warp,
      entry: c_q.entry, funct3: c_q.funct3, rd: c_q.rd, mask: joined, offs: offs};

  // ---- a device pass goes to the memory, or into the L1 ----
  if (CacheKib != 0) begin : g_l1
    logic                         req_valid;
    mem_type_e                    req_kind;
    amo_e                         req_amo;
    logic [31:LineOffW]           line_number;
    bytes_t                       req_bytes;
    lanes_t                       req_data;
    logic [KernelW-1:0]           req_slot;
    logic                         l1_open;
    qsm_l1 #(
      .BytesPerLine(LineBytes), .LineW(32 - LineOffW),
      .Sets(CacheKib * 1024 / (L1Ways * LineBytes)), .Ways(L1Ways), .Txns(MemTxns),
      .Slots(NumKernels), .Subs(NumSched), .PartW($bits(lsu_part_t))
    ) u_l1 (
      .clk_i,
      .rst_ni,
      .clk_kept_i,
      .rst_kept_ni,
      .pass_i         (device_pass),
      .pass_ready_o   (device_ready),
      .pass_kind_i    (c_q.kind),
      .pass_amo_i     (c_q.amo),
      .pass_line_i    (first_line),
      .pass_bytes_i   (store_bytes),
      .pass_data_i    (store_data),
      .pass_slot_i    (c_q.kernel),
      .pass_part_i    (pass_part),
      .txn_free_i     (txn_free),
      .txn_i          (txn),
      .take_o         (txn_take),
      .join_o         (txn_join),
      .join_txn_o     (join_txn),
      .part_o         (take_part),
      .port_free_i,
      .req_valid_o    (req_valid),
      .req_kind_o     (req_kind),
      .req_amo_o      (req_amo),
      .req_line_o     (line_number),
      .req_bytes_o    (req_bytes),
      .req_data_o     (req_data),
      .req_slot_o     (req_slot),
      .rsp_valid_i,
      .rsp_txn_i,
      .rsp_data_i,
      .hit_o          (hit_want),
      .hit_grant_i    (hit_grant),
      .hit_data_o     (hit_data),
      .skip_i         (skip_l1_i),
      .start_i,
      .clear_i,
      .restore_i,
      .restore_slot_i (restore_kernel_i),
      .fence_i,
      .fence_slot_i   (fence_kernel_i),
      .read_slot_i    (l1_slot_i),
      .read_counter_i (l1_counter_i),
      .value_o        (l1_value_o),
      .open_o         (l1_open)
    );
    assign open_o = n_valid_q || c_valid_q || txn_open || l1_open;
    assign req_o = '{valid: req_valid, kind: req_kind, amo: req_amo,
        addr: {line_number, LineOffW'(0)}, bytes: req_bytes, data: req_data,
                     tag: TagW'(txn), slot: req_slot};
  end else begin : g_no_l1
    assign device_ready = txn_free && port_free_i;
    assign req_o = '{valid: device_pass, kind: c_q.kind, amo: c_q.amo,
                     addr: {first_line, LineOffW'(0)}, bytes: store_bytes, data: store_data,
                     tag: TagW'(txn), slot: c_q.kernel};
    assign txn_take   = device_pass;
    assign take_part  = pass_part;
    assign txn_join   = 1'b0;
    assign join_txn   = '0;
    assign hit_want   = 1'b0;
    assign hit_data   = '0;
    assign l1_value_o = '0;
    assign open_o = n_valid_q || c_valid_q || txn_open;
    logic unused;
    assign unused = ^{clk_kept_i, rst_kept_ni, hit_grant, skip_l1_i, start_i, clear_i,
        restore_i, restore_kernel_i, fence_i, fence_kernel_i, l1_slot_i, l1_counter_i};
  end

  assign away_o = '{finish: c_finish && c_q.away, take: txn_take && take_part.away,
                    serve: serve && serve_part.away};

  // R-SB-3: a store's shared pass opens no part
  assign sb_pass_o = '{part: device_pass || (shared_grant && c_q.kind != MemWrite), last: c_finish,
                       sub: c_q.sub, warp: c_q.warp, entry: c_q.entry};

  // ---- fault of the lowest faulting lane (R-LS-3, I-FLT-1, I-FLT-2) ----
  logic [31:0] c_linear;
  qsm_tb_ram #(.Width(32)) u_tb_linear (
    .clk_i,
    .write_i    (tb_index_i.valid),
    .write_tb_i (tb_index_i.tb),
    .data_i     (tb_index_i.linear),
    .read_i     (n_moves),
    .read_tb_i  (n_who_q.tb),
    .data_o     (c_linear)
  );

  always_comb begin
    cause_e cause;
    fault_o.valid  = c_valid_q && c_fault && !fault_wait_i;
    fault_o.kernel = c_q.kernel;
    if (c_q.misaligned[first_lane])
      cause = (c_q.kind == MemRead) ? CauseLoadMisaligned : CauseStoreMisaligned;
    else if (c_q.overflow[first_lane]) cause = CauseStackOverflow;
    else cause = (c_q.kind == MemRead) ? CauseLoadAccess : CauseStoreAccess;
    fault_o.record = '{cause: cause, pc: c_q.pc, tid: 10'({c_q.widx, first_lane}),
        block: c_linear, value: {first_line, offs[first_lane]}};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      n_valid_q    <= 1'b0;
      n_sub_q      <= '0;
      c_valid_q    <= 1'b0;
      c_shared_q   <= 1'b0;
      c_q          <= '0;
      rem_shared_q <= '0;
      rem_device_q <= '0;
    end else begin
      n_valid_q <= pop_valid || (n_valid_q && !n_moves);
      if (pop_valid) n_sub_q <= pop_sub;
      c_valid_q <= n_moves || (c_valid_q && !c_finish);
      if (n_moves) begin
        c_q          <= classified;
        c_shared_q   <= (classified.mask & n_shared) != '0;
        rem_shared_q <= classified.mask & n_shared;
        rem_device_q <= classified.mask & ~n_shared;
      end else if (pass_ends) begin
        c_shared_q   <= c_shared_q && !all_join;
        rem_shared_q <= rem_shared_q & ~pass_mask;
        rem_device_q <= rem_device_q & ~pass_mask;
      end
    end
  end

  qsm_txn_table #(.Lists(CacheKib != 0)) u_txns (
    .clk_i,
    .rst_ni,
    .free_o      (txn_free),
    .open_o      (txn_open),
    .txn_o       (txn),
    .take_i      (txn_take),
    .take_part_i (take_part),
    .join_i      (txn_join),
    .join_txn_i  (join_txn),
    .head_txn_i  (head_txn),
    .serve_txn_o (serve_txn),
    .part_o      (serve_part),
    .last_o      (serve_last),
    .serve_i     (serve)
  );
  qsm_lsu_return #(.L1(CacheKib != 0)) u_return (
    .clk_i,
    .rst_ni,
    .rsp_valid_i,
    .rsp_txn_i,
    .rsp_data_i,
    .head_txn_o     (head_txn),
    .serve_part_i   (serve_part),
    .serve_last_i   (serve_last),
    .serve_o        (serve),
    .pass_want_i    (shared_want),
    .pass_part_i    (pass_part),
    .pass_grant_o   (shared_grant),
    .shared_rdata_i (bank_rdata),
    .hit_want_i     (hit_want),
    .hit_part_i     (take_part),
    .hit_grant_o    (hit_grant),
    .hit_data_i     (hit_data),
    .result_pop_i,
    .result_o,
    .ack_o          (sb_ack_o)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin  // not a concurrent one, which would sample all of desc_i
    if (rst_ni && n_valid_q) begin
      assert (n_place_q.win == desc_i[n_who_q.kernel].win &&
          n_place_q.shared == desc_i[n_who_q.kernel].shared &&
          n_place_q.stack_log2 == desc_i[n_who_q.kernel].stack_log2 &&
          n_place_q.base == tb_info_i[n_who_q.tb].base)
        else $error("R-LS-2: a launch or a block changes while it has an instruction in N");
    end
  end
  a_shared: assert property (@(posedge clk_i) disable iff (!rst_ni)
      c_valid_q |-> c_shared_q == (rem_shared_q != '0))
    else $error("R-LS-4: the kind of the next pass is not that of the lanes that remain");
  a_amo: assert property (@(posedge clk_i) disable iff (!rst_ni)
      amo_busy |-> c_valid_q && c_shared_q && !c_fault && c_q.kind == MemAmo)
    else $error("R-LS-8: C has left an atomic pass before its end");
  a_mask: assert property (@(posedge clk_i) disable iff (!rst_ni) c_valid_q |-> c_q.mask != '0)
    else $error("R-LS-4: an instruction without an active lane reached the LSU");
`endif
endmodule
