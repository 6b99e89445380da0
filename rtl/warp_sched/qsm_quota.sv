// SPDX-License-Identifier: Apache-2.0
// Quota gate and counters of one SM (enhanced warp scheduler of FGQ, 3.3 to 3.5).
//
// Contract: docs/quota_gate.md. Counts each kernel's issued thread instructions against its quota,
//   shuts the gate of a kernel whose counter is spent, and refills the non-QoS kernels when nobody
//   can go on. A closed kernel does not issue (R-IS-1).
// Latency: open_o comes from registers; all inputs act at the end of their cycle.
// Cost: per kernel one qsm_quota_slot.
//
// Observed by the lockstep monitor: c, c_next (QUOTA, in cycles in which they differ); load_valid_i
//   with quota_next, granted_next, scheme_d (QLOAD, R-QC-4).
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
  input  logic                               arrive_valid_i,  // a thread block arrives
  input  logic [KernelW-1:0]                 arrive_kernel_i,
  input  logic [NumKernels-1:0]              qos_i,           // valid context with a goal
  input  logic [NumKernels-1:0][30:0]        first_quota_i,   // grant of a first block, at least 1
  input  logic                               tick_i,          // epoch snapshot
  input  logic                               word_valid_i,    // quota word for the next load
  input  logic [KernelW-1:0]                 word_kernel_i,
  input  logic [30:0]                        word_quota_i,    // at least 1
  input  logic [30:0]                        word_credit_i,
  input  logic                               load_valid_i,    // load the quotas now
  input  logic [2:0]                         load_scheme_i,
  output logic [NumKernels-1:0]              open_o,          // gate: the kernel may issue
  output logic [NumKernels-1:0][30:0]        quota_o,         // quota loaded last
  output logic [NumKernels-1:0][31:0]        snap_c_o,        // C at the last snapshot, signed
  output logic [NumKernels-1:0][31:0]        snap_insn_o      // instructions of the epoch before it
);
  localparam logic [2:0] SCHEME_NONE = 3'd0;
  localparam logic [2:0] SCHEME_ROLLOVER = 3'd4;
  localparam int unsigned SumW = $clog2(NumSched * WarpSize + 1);
  localparam int unsigned EPOCH_W = 20;  // an epoch has less than 2^20 cycles (R-QM-1)

  if (NumKernels < 1 || NumKernels > 8) $error("qsm_quota: NumKernels must be 1..8");
  if (NumSched < 1 || NumSched > 4) $error("qsm_quota: NumSched must be 1..4");
  if (WarpSize < 2 || WarpSize > 32) $error("qsm_quota: WarpSize must be 2..32");

  logic [2:0]                      scheme_q, scheme_d;
  logic signed [31:0]              c [NumKernels];
  logic [NumKernels-1:0]           spent;
  logic [NumKernels-1:0][SumW-1:0] lanes;
  logic                            gated, refill;

  // For the lockstep monitor only.
  // verilator lint_off UNUSEDSIGNAL
  logic signed [31:0]              c_next [NumKernels];
  logic [NumKernels-1:0][30:0]     quota_next;
  logic [NumKernels-1:0]           granted_next;
  // verilator lint_on UNUSEDSIGNAL

  assign scheme_d = load_valid_i ? load_scheme_i : scheme_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) scheme_q <= SCHEME_NONE;
    else scheme_q <= scheme_d;
  end

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
  assign open_o = gated ? ~spent : '1;  // R-QC-1

  // R-QC-5: everybody here is spent, and somebody here may be given more.
  assign refill = gated && !load_valid_i && (|(present_i & ~qos_i)) && ((present_i & ~spent) == '0);

  // The sum of a load saturates (R-QC-4): a credit is cut to what fits on top of its quota.
  logic [30:0] word_credit;
  assign word_credit = (word_credit_i > ~word_quota_i) ? ~word_quota_i : word_credit_i;

  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    assign spent[k] = (c[k] <= 0);

    qsm_quota_slot #(.SumW(SumW), .InsnW(EPOCH_W + SumW)) u_slot (
      .clk_i, .rst_ni, .tick_i, .word_quota_i,
      .word_credit_i (word_credit),
      .lanes_i       (lanes[k]),
      .present_i     (present_i[k]),
      .keep_credit_i (load_scheme_i == SCHEME_ROLLOVER && qos_i[k]),
      .arrive_i      (arrive_valid_i && arrive_kernel_i == KernelW'(k)),
      .first_quota_i (first_quota_i[k]),
      .word_i        (word_valid_i && word_kernel_i == KernelW'(k)),
      .load_i        (load_valid_i && load_scheme_i != SCHEME_NONE),
      .forget_i      (load_valid_i),
      .refill_i      (refill && present_i[k] && !qos_i[k]),
      .c_o           (c[k]),
      .c_next_o      (c_next[k]),
      .quota_o       (quota_o[k]),
      .quota_next_o  (quota_next[k]),
      .granted_next_o(granted_next[k]),
      .snap_c_o      (snap_c_o[k]),
      .snap_insn_o   (snap_insn_o[k])
    );

`ifndef SYNTHESIS
    assert property (@(posedge clk_i) disable iff (!rst_ni) open_o[k] || lanes[k] == '0)
      else $error("R-QC-1: a closed kernel issues");
`endif
  end
endmodule
