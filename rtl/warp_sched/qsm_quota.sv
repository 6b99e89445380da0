// SPDX-License-Identifier: Apache-2.0
// Quota gate and counters of one SM (enhanced warp scheduler of FGQ, 3.3 to 3.5).
//
// Contract: docs/quota_gate.md. Counts each kernel's issued thread instructions against its quota,
//   shuts the gate of a kernel whose counter is spent, and refills the non-QoS kernels when nobody
//   can go on. A closed kernel does not issue (R-IS-1).
// Latency: open_o and shut_o come from registers; all inputs act at the end of their cycle. Kernels are
//   granted one after the other: first block and refill take a cycle, a load takes two.
// Cost: per kernel a subtractor and a multiplexer of 32 bits, a counter, about 145 flip-flops and a row
//   of memory for the next quota; one adder and one comparator for grants.
//
// Observed by the lockstep monitor: c, c_next (QUOTA, in cycles in which they differ); load_done
//   with quota_next, granted_d, scheme_d (QLOAD, R-QC-4).
module qsm_quota #(
  parameter  int unsigned NumKernels = 4,  // kernel slots, 1..8
  parameter  int unsigned NumSched   = 1,  // sub-cores, 1..4
  parameter  int unsigned WarpSize   = 4,  // lanes of a warp, 2..32
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned LanesW     = $clog2(WarpSize + 1)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic [NumSched-1:0]                issue_valid_i,   // per sub-core: an instruction issues
  input  logic [NumSched-1:0][KernelW-1:0]   issue_kernel_i,
  input  logic [NumSched-1:0][LanesW-1:0]    issue_lanes_i,   // its active lanes, 0..WarpSize
  input  logic [NumKernels-1:0]              present_i,       // kernel has a thread block here
  input  logic [NumKernels-1:0]              runnable_i,      // one that can go on (R-SM-5)
  input  logic                               arrive_valid_i,  // a thread block arrives
  input  logic [KernelW-1:0]                 arrive_kernel_i,
  input  logic [NumKernels-1:0]              qos_i,           // valid context with a goal
  input  logic [30:0]                        first_quota_i,   // of that kernel: grant of a first block, at least 1
  input  logic                               tick_i,          // epoch snapshot
  input  logic                               word_valid_i,    // quota word for the next load
  input  logic [KernelW-1:0]                 word_kernel_i,
  input  logic [30:0]                        word_quota_i,    // at least 1
  input  logic [30:0]                        word_credit_i,   // most that the load carries over; with the quota < 2^31
  input  logic                               load_valid_i,    // load the quotas now
  input  logic [2:0]                         load_scheme_i,
  output logic [NumKernels-1:0]              open_o,          // gate: the kernel may issue
  output logic [NumKernels-1:0]              shut_o,          // it may not, as its quota is spent (R-SC-2)
  output logic [NumKernels-1:0][30:0]        quota_o,         // quota loaded last
  output logic [NumKernels-1:0][31:0]        snap_c_o,        // C at the last snapshot, signed
  output logic [NumKernels-1:0][31:0]        snap_insn_o      // instructions of the epoch before it
);
  localparam logic [2:0] SCHEME_NONE = 3'd0;
  localparam int unsigned SumW = $clog2(NumSched * WarpSize + 1);
  localparam int unsigned DebtW = $clog2(4 * NumKernels * NumSched * WarpSize);  // R-QC-2: 2^DebtW
  localparam int unsigned InsnW = 20 + SumW;  // an epoch has less than 2^20 cycles (R-QM-1)

  if (NumKernels < 1 || NumKernels > 8) $error("qsm_quota: NumKernels must be 1..8");
  if (NumSched < 1 || NumSched > 4) $error("qsm_quota: NumSched must be 1..4");
  if (WarpSize < 2 || WarpSize > 32) $error("qsm_quota: WarpSize must be 2..32");

  logic [2:0]                      scheme_q, scheme_d;
  logic signed [31:0]              c [NumKernels];
  logic [NumKernels-1:0][30:0]     quota;
  logic [NumKernels-1:0]           spent, load_next;
  logic [NumKernels-1:0][SumW-1:0] lanes;
  logic                            gated;

  // For the lockstep monitor only.
  // verilator lint_off UNUSEDSIGNAL
  logic signed [31:0]              c_next [NumKernels];
  logic [NumKernels-1:0][30:0]     quota_next;
  logic                            load_done;  // the last kernel loads, or a load changes no counter
  // verilator lint_on UNUSEDSIGNAL

  // Lanes issued per kernel in this cycle (R-QC-2, R-IS-5).
  always_comb begin
    lanes = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned s = 0; s < NumSched; s++) begin
        if (issue_valid_i[s] && issue_kernel_i[s] == KernelW'(k)) begin
          lanes[k] = lanes[k] + SumW'(issue_lanes_i[s]);
        end
      end
    end
  end

  // Without a QoS tenant anywhere nothing is held back (B4).
  assign gated  = (scheme_q != SCHEME_NONE) && (|qos_i);
  assign shut_o = gated ? spent : '0;
  assign open_o = ~shut_o & ~load_next;  // R-QC-1

  // ---- Whose turn it is (R-QC-9) ----
  logic [NumKernels-1:0] has_q, granted_q, granted_d, load_q, refill_q;
  logic [NumKernels-1:0] waiting, candidates, refills, arrives, chosen, grants;
  logic                  load_starts, load, loading, second_q, refill_due;
  logic                  first, take, refill, here, drop;
  logic [KernelW-1:0]    load_kernel;

  function automatic logic [NumKernels-1:0] lowest(logic [NumKernels-1:0] set);
    return set & (~set + NumKernels'(1));
  endfunction

  assign arrives     = arrive_valid_i ? NumKernels'(1) << arrive_kernel_i : '0;
  assign first       = (arrives & ~present_i & ~granted_q) != '0;
  assign load_starts = load_valid_i && (load_scheme_i != SCHEME_NONE);
  assign loading     = (load_q != '0);
  assign load_next   = lowest(load_q);
  assign scheme_d    = load_valid_i ? load_scheme_i : scheme_q;

  // R-QC-5: everybody here is spent, and somebody here may be given more.
  assign waiting    = refill_q & runnable_i;
  assign candidates = (waiting != '0) ? waiting : runnable_i & ~qos_i;
  assign refill_due = gated && !loading && !load_valid_i && (waiting != '0 || (runnable_i & ~spent) == '0);
  assign refills    = refill_due ? candidates : '0;

  // Not by whether it is due: that comes late.
  assign chosen = first ? arrives : loading ? load_next : lowest(candidates);

  always_comb begin
    load_kernel = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (load_next[k]) load_kernel = KernelW'(k);
    end
  end

  assign load   = !first && second_q;
  assign here   = ((present_i | arrives) & load_next) != '0;
  assign take   = load && here && has_q[load_kernel];
  assign drop   = load && !here;
  assign refill = !first && (refills != '0);
  assign grants = (first || refill || take || drop) ? chosen : '0;

  always_comb begin
    granted_d = granted_q;
    if (first || take) granted_d |= chosen;
    if (drop) granted_d &= ~chosen;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scheme_q  <= SCHEME_NONE;
      second_q  <= 1'b0;
      granted_q <= '0;
      has_q     <= '0;
      load_q    <= '0;
      refill_q  <= '0;
    end else begin
      scheme_q  <= scheme_d;
      second_q  <= !first && loading && !second_q;
      granted_q <= granted_d;
      refill_q  <= refills & ~grants;
      if (load_starts) load_q <= '1;
      else if (load) load_q <= load_q & ~load_next;
      if (load_valid_i && !load_starts) has_q <= '0;
      else if (load) has_q[load_kernel] <= 1'b0;
      else if (word_valid_i) has_q[word_kernel_i] <= 1'b1;
    end
  end

  // ---- What it gets: a quota on top of what it has; of that a load keeps what the credit allows ----
  logic [61:0]        shadow_mem [NumKernels];  // R-QC-3: credit, quota
  logic [30:0]        shadow_quota, shadow_credit, current, added;
  logic signed [31:0] own, kept, value;
  logic               debt_q, clips_q;  // of the kernel that loads, in the second cycle

  always_ff @(posedge clk_i) begin
    if (word_valid_i) shadow_mem[word_kernel_i] <= {word_credit_i, word_quota_i};
  end
  assign {shadow_credit, shadow_quota} = shadow_mem[load_kernel];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      debt_q  <= 1'b0;
      clips_q <= 1'b0;
    end else begin
      debt_q  <= own[31];
      clips_q <= own[30:0] > shadow_credit;
    end
  end

  always_comb begin
    own     = '0;
    current = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin  // one bit each: half the logic of indexing
      if (chosen[k]) own |= c[k];
      if (chosen[k]) current |= quota[k];
    end
    kept = own;
    if (load && clips_q) kept = signed'({1'b0, shadow_credit});
    if (load && (debt_q || drop)) kept = '0;
    added = first ? first_quota_i : loading ? shadow_quota : current;
    if (drop) added = '0;
  end
  assign value = kept + signed'({1'b0, added});

  // ---- The counters ----
  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    logic signed [31:0] c_q, c_d, snap_c_q;
    logic               stops, insn_clear;
    logic [30:0]        quota_q;
    logic [InsnW-1:0]   insn_q, insn_next, snap_insn_q;

    // R-QC-2. That C stops is a clock enable; saturation would be two multiplexers more. Two bits say
    // it, as C is never below -2 * DebtMax.
    assign stops    = c_q[31] && !c_q[DebtW];
    assign c_d      = grants[k] ? value : c_q - signed'(32'(lanes[k]));
    assign c[k]     = c_q;
    assign spent[k] = (c_q <= 0);
    assign quota[k] = quota_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) c_q <= '0;
      else if (grants[k] || !stops) c_q <= c_d;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) quota_q <= '0;
      else if (grants[k]) quota_q <= added;
    end

    // R-QC-8. Cleared synchronously: flip-flops do that by themselves, unless they are reset otherwise.
    assign insn_clear = !rst_ni || tick_i;
    assign insn_next  = insn_q + InsnW'(lanes[k]);
    always_ff @(posedge clk_i) begin
      if (insn_clear) insn_q <= '0;
      else insn_q <= insn_next;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        snap_c_q    <= '0;
        snap_insn_q <= '0;
      end else if (tick_i) begin
        snap_c_q    <= c_q;
        snap_insn_q <= insn_next;
      end
    end
    assign snap_c_o[k]    = unsigned'(snap_c_q);
    assign snap_insn_o[k] = 32'(snap_insn_q);

    assign c_next[k] = (grants[k] || !stops) ? c_d : c_q;  // for the lockstep monitor

`ifndef SYNTHESIS
    assert property (@(posedge clk_i) disable iff (!rst_ni) open_o[k] || lanes[k] == '0)
      else $error("R-QC-1: a closed kernel issues");
    assert property (@(posedge clk_i) disable iff (!rst_ni) !grants[k] || lanes[k] == '0)
      else $error("R-QC-9: a kernel issues while C is set");
`endif
  end
  assign quota_o = quota;

  // ---- For the lockstep monitor ----
  assign load_done = (load && load_q == load_next) || (load_valid_i && !load_starts);
  always_comb begin
    quota_next = quota;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (grants[k]) quota_next[k] = added;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !word_valid_i || !(load_valid_i || loading))
    else $error("R-QM-4: a quota word arrives during a load");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !load_valid_i || !loading)
    else $error("R-QC-4: a load during a load");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !take || !value[31])
    else $error("R-QC-4: a load overflows");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !first || own == '0)
    else $error("R-QC-6: a first block of a kernel that has a counter");
`endif
endmodule
