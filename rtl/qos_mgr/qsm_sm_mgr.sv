// SPDX-License-Identifier: Apache-2.0
// SM manager: decides once per epoch how many SMs each kernel owns, and asks for the moves.
//
// Contract: docs/sm_mgr.md. In the schemes of whole SMs it splits the SMs among the kernels that
//   take part, and but for sm_static moves some at the end of an epoch: it sums what the SMs
//   counted (qsm_sm_collect), keeps a record of each kernel (qsm_sm_profile), decides
//   (qsm_sm_adjust) and issues requests to SM ownership (qsm_sm_plan).
// Latency: a split 3 * NumKernels + 10 cycles, a decision SmLat after the epoch's end (R-SG-11).
// Cost: 64 + 31 bits of RAM and some 70 registers per slot, the parts' arithmetic.
// Doc: docs/sm_mgr.md.
//
// Observed by the lockstep monitor: set, decide_commit (PLAN) and computed (RECORD), with the state
// of u_adjust and u_profile.
module qsm_sm_mgr
  import qsm_enums_pkg::*;
#(
  parameter  int unsigned NumSms     = 4,      // 1..96
  parameter  int unsigned NumKernels = 4,      // kernel slots, 1..8
  parameter  int unsigned NocLat     = 2,      // cycles of a message, 1..16
  parameter  int unsigned EpochReset = 10000,  // T of the first epoch
  parameter  int unsigned SnapW      = 31,     // bits of an SM's instructions of an epoch, 20..31
  // Types of the ports, with the members that are named; a GPU's may have more.
  parameter  type gpu_regs_t  = logic,  // scheme, sm_threshold (Q0.16), sm_step (1..4)
  parameter  type slot_regs_t = logic,  // ctx.valid, .qos; goal (IPC, Q16.16); sm_count
  parameter  type tb_status_t = logic,  // part, had_tb[kernel]; owner[sm], of owner_t
  parameter  type owner_t     = logic,  // usage, owner, moving, next_usage, next_owner, power
  parameter  type figures_t   = logic,  // snap_insn[kernel]: instructions of the epoch;
                                        // snap_spent[kernel]: its quota was spent at its end
  parameter  type request_t   = logic,  // valid, sm, usage, owner
  parameter  type record_t    = logic   // count, opt, upper, lower, eval
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // registers, steady from E until the records are made; pulse: forget the record
  input  gpu_regs_t                   gpu_regs_i,
  input  slot_regs_t [NumKernels-1:0] slot_regs_i,
  input  logic [NumKernels-1:0]       arrival_i,     // pulse: valid 0 -> 1
  input  logic [NumKernels-1:0]       hist_clear_i,  // an arrival, too
  // TB scheduler, SMs
  input  tb_status_t                  tb_i,
  input  figures_t [NumSms-1:0]       figures_i,
  // QoS manager, of the last E: SMs that have quotas; who has one there
  input  logic [NumSms-1:0]           common_i,
  input  logic [NumSms-1:0][NumKernels-1:0] quoted_i,
  // what SM i issued in the epoch, in E + NocLat + 1 + i, if any slot is valid
  input  logic [NumKernels-1:0][SnapW-1:0] row_i,
  // epochs
  input  logic                        e_i,           // this is cycle E
  input  logic [19:0]                 epoch_len_i,   // T of the epoch that began
  // to SM ownership, the registers
  output request_t                    request_o,
  output logic                        busy_o,        // SMs are its own
  output record_t [NumKernels-1:0]    records_o,
  output logic [NumKernels-1:0]       ample_o,        // ahead by more than an epoch's
  output logic [NumKernels-1:0]       apart_o,        // not on the shared SM beside its own
  output logic                        closed_o        // nothing goes to a shared SM
);
  localparam int unsigned CountW = $clog2(NumSms + 1);
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1;
  localparam int unsigned PartW = $clog2(NumKernels + 1);
  localparam int unsigned SmLat = NocLat + NumSms + 23 * NumKernels + 14;
  localparam int unsigned SplitLat = 3 * NumKernels + 10;
  localparam int unsigned SinceW = $clog2(SmLat + 1);
  localparam int unsigned SplitW = $clog2(SplitLat + 1);

  if (NumSms < 1 || NumSms > 96) $error("qsm_sm_mgr: NumSms must be 1..96");
  if (NumKernels < 1 || NumKernels > 8) $error("qsm_sm_mgr: NumKernels must be 1..8");
  if (NocLat < 1 || NocLat > 16) $error("qsm_sm_mgr: NocLat must be 1..16");

  // ---- Registers and figures, as the parts want them ----
  logic [NumKernels-1:0]                        valid, qos;
  logic [NumKernels-1:0][31:0]                  goal;
  logic [NumKernels-1:0][CountW-1:0]            sm_count;
  logic [NumKernels-1:0]                        limited;  // R-SG-15
  logic                                         some_moving;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      valid[k]    = slot_regs_i[k].ctx.valid;
      qos[k]      = slot_regs_i[k].ctx.qos && tb_i.part[k];
      goal[k]     = slot_regs_i[k].goal;
      sm_count[k] = CountW'(slot_regs_i[k].sm_count);
    end
    some_moving = 1'b0;
    limited     = '0;
    for (int unsigned i = 0; i < NumSms; i++) begin
      some_moving = some_moving || tb_i.owner[i].moving;
      limited     = limited | (quoted_i[i] & figures_i[i].snap_spent);
    end
  end

  // ---- Change of who takes part (R-SG-2) ----
  typedef struct packed {
    scheme_e scheme;
    logic [NumKernels-1:0] part, qos;
  } now_t;
  now_t              now, known_q;
  logic              managed_q, computing, splitting, planning, change, set, whole, same;
  logic              both, now_both;  // sm_rollover
  logic              stale_q;  // somebody has come since R-SG-2 looked
  int unsigned       parts;
  logic [SplitW-1:0] split_q;  // cycles up to the end of the split, 0: none under way
  logic              splitting_q;  // it is not 0

  function automatic int unsigned number(input logic [NumKernels-1:0] slots);
    int unsigned n_slots;
    n_slots = 0;
    for (int unsigned k = 0; k < NumKernels; k++) n_slots = n_slots + 32'(slots[k]);
    return n_slots;
  endfunction

  assign now       = '{scheme: gpu_regs_i.scheme, part: tb_i.part, qos: qos};
  assign whole     = scheme_whole_sms(now.scheme);
  assign now_both  = now.scheme == SchemeSmRollover;
  assign both      = known_q.scheme == SchemeSmRollover;
  // of a change, those that take part from it on; while a decision is made, those that are known
  assign parts     = number(computing || splitting ? known_q.part : now.part);
  assign splitting = splitting_q;
  assign set       = split_q == SplitW'(1);
  assign same      = now == known_q && !stale_q;
  assign change    = !computing && !splitting && !e_i && (whole || managed_q) && !same;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q   <= '{scheme: SchemeNone, default: '0};
      managed_q <= 1'b0;
      stale_q   <= 1'b0;
      split_q   <= '0;
      splitting_q <= 1'b0;
    end else begin
      stale_q <= (stale_q && !change) || arrival_i != '0;
      if (change) begin
        known_q   <= now;
        managed_q <= whole && parts != 0 && (now_both ? NumSms > 1 : parts <= NumSms);
        split_q   <= SplitW'(SplitLat);
        splitting_q <= 1'b1;
      end else if (splitting) begin
        split_q <= split_q - SplitW'(1);
        splitting_q <= !set;
      end
    end
  end

  // While nothing is managed nobody takes part.
  logic [NumKernels-1:0] part;
  assign part = managed_q ? known_q.part : '0;

  // ---- Epoch (R-SG-4, R-SG-7) ----
  logic [SinceW-1:0]     since_q;  // cycles since E, 0: nothing is computed
  logic [19:0]           epoch_len_q;
  logic [NumKernels-1:0] had_tb_q;
  logic                  still_q, steady_q, collected_q;
  logic                  moved_q;  // some SM was moving since the last E
  logic                  computed, collect, collected, decide, counts, judge_commit, decide_commit;
  logic                  profile_idle, adjust_idle;
  assign computing     = since_q != '0;
  assign computed      = since_q == SinceW'(SmLat);
  assign collect       = since_q == SinceW'(NocLat);
  assign counts        = managed_q && known_q.scheme != SchemeSmStatic && still_q && steady_q;
  assign decide        = collected_q && profile_idle && adjust_idle && !splitting;
  assign judge_commit  = computed && same && managed_q && known_q.scheme == SchemeSmqos;
  assign decide_commit = computed && same && counts;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      since_q     <= '0;
      epoch_len_q <= 20'(EpochReset);
      had_tb_q    <= '0;
      still_q     <= 1'b0;
      moved_q     <= 1'b0;
      steady_q    <= 1'b0;
      collected_q <= 1'b0;
    end else begin
      if (e_i) since_q <= SinceW'(1);
      else if (computing) since_q <= computed ? '0 : since_q + SinceW'(1);
      // of the epoch that began; the records are of the one that ended
      if (computed) epoch_len_q <= epoch_len_i;
      if (e_i) begin
        had_tb_q <= tb_i.had_tb;
        still_q  <= !some_moving && !(both && moved_q);  // sm_rollover: calm
        steady_q <= !splitting && !planning;
      end
      moved_q <= !e_i && (moved_q || some_moving);
      // the records are under way
      if (collected) collected_q <= 1'b1;
      else if (decide) collected_q <= 1'b0;
    end
  end

  // ---- Data collector ----
  logic [NumKernels-1:0][30:0] insn, common_insn;
  qsm_sm_collect #(.NumSms(NumSms), .NumKernels(NumKernels), .SnapW(SnapW)) u_collect (
    .clk_i, .rst_ni, .start_i(collect), .valid_i(valid), .row_i,
    .common_i, .done_o(collected), .insn_o(insn), .common_insn_o(common_insn)
  );

  // ---- Profile and adjustment ----
  logic [NumKernels-1:0]             behind, needs, gives, upper, lower, moving, settles;
  logic [NumKernels-1:0][CountW-1:0] n, opt;
  logic [KernelW-1:0]                kernel, settling_kernel, move_kernel;
  logic [CountW-1:0]                 count, most;
  logic                              up, down, settling, out, hit, move, steps;
  assign steps = both || known_q.scheme == SchemeSpart;

  qsm_sm_profile #(.NumSms(NumSms), .NumKernels(NumKernels)) u_profile (
    .clk_i, .rst_ni, .valid_i(valid), .clear_i(hist_clear_i), .commit_i(computed),
    .had_tb_i(had_tb_q), .epoch_len_i(epoch_len_q), .goal_i(goal), .begin_i(collected),
    .insn_i(insn), .idle_o(profile_idle), .behind_o(behind), .needs_o(needs), .gives_o(gives),
    .ample_o,
    .rate_i((counts && steps) ? known_q.qos : '0), .both_i(both), .common_insn_i(common_insn),
    .limited_i(limited), .kernel_o(kernel), .count_i(count), .most_i(most),
    .step_i(both ? 3'd2 : gpu_regs_i.sm_step), .up_o(up), .down_o(down),
    .settling_i(settling), .settling_kernel_i(settling_kernel), .out_i(out),
    .threshold_i(gpu_regs_i.sm_threshold), .hit_o(hit),
    .move_i(decide_commit && move), .move_kernel_i(move_kernel)
  );

  qsm_sm_adjust #(.NumSms(NumSms), .NumKernels(NumKernels)) u_adjust (
    .clk_i, .rst_ni, .part_i(part), .qos_i(known_q.qos), .parts_i(PartW'(parts)),
    .static_i(both || known_q.scheme == SchemeSmStatic), .steps_i(steps),
    .both_i(change ? now_both : both), .sm_count_i(sm_count), .split_i(change), .set_i(set),
    .begin_i(e_i && !splitting), .still_i(still_q), .decide_i(decide), .counts_i(counts),
    .behind_i(behind), .needs_i(needs), .gives_i(gives), .hit_i(hit),
    .judge_commit_i(judge_commit), .decide_commit_i(decide_commit),
    .kernel_i(kernel), .up_i(up), .down_i(down), .count_o(count), .most_o(most),
    .settling_o(settling), .settling_kernel_o(settling_kernel), .out_o(out), .move_o(move),
    .move_kernel_o(move_kernel), .idle_o(adjust_idle),
    .n_o(n), .opt_o(opt), .upper_o(upper), .lower_o(lower), .moving_o(moving), .settles_o(settles)
  );

  // ---- Plan ----
  qsm_sm_plan #(.NumSms(NumSms), .NumKernels(NumKernels), .owner_t(owner_t), .request_t(request_t))
      u_plan (
    .clk_i, .rst_ni, .start_i(set || decide_commit), .stop_i(change), .managed_i(managed_q),
    .keep_i(both), .n_i(n), .owner_i(tb_i.owner), .planning_o(planning), .request_o
  );

  // R-SG-19: whether or not the manager knows of it yet
  int unsigned takers;
  assign takers   = number(now.part);
  assign closed_o = whole && !now_both && takers != 0 && takers <= NumSms;

  assign busy_o = managed_q || splitting || planning;
  always_comb for (int unsigned k = 0; k < NumKernels; k++) apart_o[k] = managed_q && both &&
      known_q.qos[k] && 32'(n[k]) * 2 > NumSms && !ample_o[k];
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      records_o[k].count = 7'(n[k]);
      records_o[k].opt   = 7'(opt[k]);
      records_o[k].upper = upper[k];
      records_o[k].lower = lower[k];
      records_o[k].eval  = moving[k] ? EvalMoving : settles[k] ? EvalSettling : EvalNone;
    end
  end

`ifndef SYNTHESIS
  logic [31:0] total;
  logic        each;
  always_comb begin
    total = '0;
    each  = 1'b1;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      total = total + 32'(n[k]);
      each  = each && (!known_q.part[k] || n[k] != '0);
    end
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) splitting_q == (split_q != '0))
    else $error("R-SG-2: a split is under way or not");
  assert property (@(posedge clk_i) disable iff (!rst_ni) total <= NumSms)
    else $error("R-SG-3, R-SG-7: more SMs are to be owned than there are");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(managed_q && both) || splitting || total < NumSms)
    else $error("R-SG-14, R-SG-16: no SM is left to be shared");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(decide_commit && both) || $onehot(common_i))
    else $error("R-SG-15: not one SM is common");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !managed_q || both || splitting || each)
    else $error("R-SG-3, R-SG-7: a slot that takes part shall have no SM");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !computed || !collected_q)
    else $error("R-SG-11: the decision is not ready in time");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !e_i || !computing)
    else $error("R-QM-1: an epoch ends while the last one's records are made");
`endif
endmodule
