// SPDX-License-Identifier: Apache-2.0
// Distribution of a kernel's quota over the SMs, in proportion to its resident thread blocks.
//
// Contract: takes {kernel, quota, blocks on all SMs}, adds what is left of the kernel's last quotas
//   where that is pooled (R-QM-13) or owed (R-PA-1), sends one quota word to each SM with blocks
//   of the kernel (R-QM-9); the parts sum to that exactly. Two stages: one divides for the
//   next kernel while the other sends words. Under pace every SM gets a word, with an equal share
//   at least where it has no block or the kernel is short (R-PA-4).
// Method: p = ceil(quota * 2^Frac / S); with 2^Frac >= S * S the floors of the running sums of p
//   * T_i are exact. Only the fraction of the running sum is kept, so its integer part is the
//   SM's own.
// Latency: the word of SM i is sent DivCycles + 3 + i cycles after the kernel is taken.
// Cost: a divider of four small steps per cycle, multipliers PW x TbW and two of 8 x 31 (DSP on
//   FPGA), an adder.
// Doc: docs/qos_mgr.md, R-QM-11.
module qsm_qos_split #(
  parameter  int unsigned NumSms     = 4,
  parameter  int unsigned NumKernels = 4,
  parameter  int unsigned TbW        = 4,  // bits of the blocks of a kernel on an SM
  parameter  int unsigned TbSumW     = 6,  // bits of the blocks on all SMs
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SmW        = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input  logic                                       clk_i,
  input  logic                                       rst_ni,
  input  logic [7:0]                                 rollover_cap_i,  // epochs, 0 = no cap
  // kernels whose loads carry over
  input  logic [NumKernels-1:0]                      carries_i,
  input  logic                                       pooled_i,        // not by SM, but all at once
  input  logic                                       everywhere_i,    // words to all SMs; pooled
  input  logic [NumSms-1:0][NumKernels-1:0][TbW-1:0] tbs_i,           // T_i of the snapshot
  input  logic                                       valid_i,
  output logic                                       ready_o,
  input  logic [KernelW-1:0]                         kernel_i,
  input  logic                                       short_i,         // R-PA-13
  input  logic [30:0]                                quota_i,         // to be split
  // the quota that caps the pool, or that it is the largest; only of kernels that carry over
  input  logic [30:0]                                whole_i,
  input  logic                                       largest_i,
  input  logic [30:0]                                carry_i,         // left of the last quotas
  input  logic [TbSumW-1:0]                          tbs_sum_i,       // S
  output logic [30:0]                                whole_o,         // what is split of quota_i
  output logic                                       idle_o,
  output logic                                       word_valid_o,
  output logic [SmW-1:0]                             word_sm_o,
  output logic [KernelW-1:0]                         word_kernel_o,
  input  logic [30:0]                                word_whole_i,    // of that kernel, whole_o
  output logic [30:0]                                word_quota_o,    // at least 1
  output logic [30:0]                                word_credit_o
);
  localparam int unsigned DivBits = 4;  // quotient bits per cycle
  localparam int unsigned DivCycles = (31 + 2 * TbSumW + DivBits - 1) / DivBits;
  localparam int unsigned PW = DivCycles * DivBits;
  localparam int unsigned Frac = PW - 31;
  localparam int unsigned StepW = $clog2(DivCycles + 1);
  localparam int unsigned EqualShift = $clog2(NumSms);  // at most the share of equal SMs

  // ---- Stage 1: p = floor((quota * 2^Frac + S - 1) / S) ----
  logic               div_valid_q;  // a kernel is in this stage
  logic [StepW-1:0]   div_left_q;   // cycles still to divide
  logic [KernelW-1:0] div_kernel_q;
  logic               div_short_q;
  logic [TbSumW-1:0]  s_q, rest_q, rest_d;
  logic [PW-1:0]      p_q, p_d;     // the dividend leaves at the top, the quotient enters below
  logic               pass;         // p moves to stage 2

  logic [38:0] pool_most;
  logic [30:0] pool;
  logic [31:0] pooled;
  assign pool_most = 39'(whole_i) * 39'(rollover_cap_i);
  always_comb begin
    pool = carry_i;
    if (rollover_cap_i != '0 && !largest_i && pool_most[38:31] == '0 && pool_most[30:0] < carry_i)
      pool = pool_most[30:0];
    if (!pooled_i || !carries_i[kernel_i]) pool = '0;
  end
  assign pooled  = 32'(quota_i) + 32'(pool);
  assign whole_o = pooled[30:0] | {31{pooled[31]}};

  always_comb begin
    logic [TbSumW:0]   trial;
    logic [TbSumW+1:0] minus;  // its sign: the divisor does not fit
    logic              fits;
    rest_d = rest_q;
    p_d    = p_q;
    for (int unsigned n = 0; n < DivBits; n++) begin
      trial  = {rest_d, p_d[PW-1]};
      minus  = {1'b0, trial} - {2'b0, s_q};
      fits   = !minus[TbSumW+1];
      rest_d = fits ? minus[TbSumW-1:0] : trial[TbSumW-1:0];
      p_d    = {p_d[PW-2:0], fits};
    end
  end

  assign ready_o = !div_valid_q || pass;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      div_valid_q  <= 1'b0;
      div_left_q   <= '0;
      div_kernel_q <= '0;
      div_short_q  <= 1'b0;
      s_q          <= '0;
      rest_q       <= '0;
      p_q          <= '0;
    end else if (ready_o) begin
      div_valid_q  <= valid_i && (tbs_sum_i != '0 || (everywhere_i && carries_i[kernel_i]));
      div_left_q   <= StepW'(DivCycles);
      div_kernel_q <= kernel_i;
      div_short_q  <= short_i;
      s_q          <= tbs_sum_i;
      rest_q       <= '0;
      p_q          <= {whole_o, Frac'(tbs_sum_i) - Frac'(1)};
    end else if (div_left_q != '0) begin
      div_left_q <= div_left_q - StepW'(1);
      rest_q     <= rest_d;
      p_q        <= p_d;
    end
  end

  // ---- Stage 2: running sum over the SMs, one word per cycle ----
  logic               run_q;
  logic [SmW-1:0]     sm_q;
  logic [KernelW-1:0] kernel_q;
  logic               short_q;
  logic [PW-1:0]      share_q;  // p of this kernel
  logic [PW-1:0]      sum_q;    // integer part: the last SM's part; fraction: goes on to the next
  logic [PW-1:0]      sum_d;
  logic [Frac-1:0]    carried;
  logic [TbW-1:0]     tbs;
  logic               last_sm;
  logic               word_valid_q, word_shares_q;
  logic [SmW-1:0]     word_sm_q;
  logic [KernelW-1:0] word_kernel_q;

  assign last_sm = (sm_q == SmW'(NumSms - 1));
  assign pass    = div_valid_q && (div_left_q == '0) && (!run_q || last_sm);
  assign tbs     = tbs_i[sm_q][kernel_q];
  assign carried = (sm_q == '0) ? '0 : sum_q[Frac-1:0];
  assign sum_d   = PW'(carried) + share_q * PW'(tbs);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q         <= 1'b0;
      sm_q          <= '0;
      kernel_q      <= '0;
      short_q       <= 1'b0;
      share_q       <= '0;
      sum_q         <= '0;
      word_valid_q  <= 1'b0;
      word_shares_q <= 1'b0;
      word_sm_q     <= '0;
      word_kernel_q <= '0;
    end else begin
      word_valid_q  <= run_q && (tbs != '0 || everywhere_i);
      word_shares_q <= everywhere_i && (tbs == '0 || short_q);
      word_sm_q     <= sm_q;
      word_kernel_q <= kernel_q;
      if (run_q) begin
        sum_q <= sum_d;
        sm_q  <= last_sm ? '0 : sm_q + SmW'(1);
        run_q <= !last_sm;
      end
      if (pass) begin
        run_q    <= 1'b1;
        kernel_q <= div_kernel_q;
        short_q  <= div_short_q;
        share_q  <= p_q;
      end
    end
  end

  // ---- Word ----
  logic [30:0] part, equal, quota, headroom;
  logic [38:0] credit;
  assign part         = sum_q[PW-1:Frac];
  assign quota        = (part == '0) ? 31'd1 : part;
  assign equal        = word_shares_q ? word_whole_i >> EqualShift : '0;
  assign word_quota_o = (quota < equal) ? equal : quota;
  assign headroom     = ~quota;  // credit is for words that are no more than that
  assign credit       = 39'(quota) * 39'(rollover_cap_i);
  always_comb begin
    word_credit_o = credit[30:0];
    if (rollover_cap_i == '0 || credit > 39'(headroom)) word_credit_o = headroom;
    if (pooled_i || !carries_i[word_kernel_q]) word_credit_o = '0;
  end
  assign word_valid_o  = word_valid_q;
  assign word_sm_o     = word_sm_q;
  assign word_kernel_o = word_kernel_q;

  assign idle_o = !div_valid_q && !run_q && !word_valid_q;

`ifndef SYNTHESIS
  // After the last SM only the rounding error of p is left, less than S / 2^Frac.
  logic complete_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) complete_q <= 1'b0;
    else complete_q <= run_q && last_sm;
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   !complete_q || sum_q[Frac-1:TbSumW] == '0)
    else $error("R-QM-9: the parts do not sum to the quota");
`endif
endmodule
