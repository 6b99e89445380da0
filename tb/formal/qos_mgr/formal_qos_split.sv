// SPDX-License-Identifier: Apache-2.0
// qsm_qos_split: the parts of a kernel's quota. Behind each SM the sum of the parts so far is
// floor(quota * blocks so far / blocks), so behind the last it is the quota; words go to the SMs
// with blocks, in order, none is 0, and the credit fits beside them. What is pooled counts as the
// quota's, and then there is no credit. So does what is owed under pace, which is the pool there:
// the quota told is min(2^31 - 1, quota + min(top, owed)) (R-PA-1). Under pace there is a word for
// every SM, in order, with an equal part of the quota at least where the kernel has no block there
// or is short (R-PA-4).
module formal_qos_split #(
  parameter int unsigned NumSms = 2,
  parameter int unsigned NumKernels = 2,
  parameter int unsigned TbW = 2,
  parameter int unsigned QuotaBits = 31,  // of the quotas looked at
  localparam int unsigned TbSumW = TbW + $clog2(NumSms),
  localparam int unsigned Equal = 1 << $clog2(NumSms),
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input logic                                         clk_i,
  input logic [7:0]                                   rollover_cap_i,
  input logic [NumKernels-1:0]                        carries_i,
  input logic [NumSms-1:0][NumKernels-1:0][TbW-1:0]   tbs_i,
  input logic                                         valid_i,
  input logic [KernelW-1:0]                           kernel_i,
  input logic                                         short_i,
  input logic                                         pooled_i,
  input logic                                         everywhere_i,
  input logic [30:0]                                  quota_i,
  input logic [30:0]                                  whole_i,
  input logic                                         largest_i,
  input logic [30:0]                                  carry_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // The snapshot, and what the registers say, are any and stay.
  logic [NumSms-1:0][NumKernels-1:0][TbW-1:0] tbs_q;
  logic [7:0]                                 cap_q;
  logic [NumKernels-1:0]                      carries_q;
  logic                                       pooled_q, everywhere_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) {tbs_q, cap_q, carries_q, pooled_q, everywhere_q} <= {tbs_i, rollover_cap_i,
        carries_i, pooled_i || everywhere_i, everywhere_i};

  function automatic logic [TbSumW-1:0] blocks(logic [KernelW-1:0] k, int unsigned n_sms);
    blocks = '0;
    for (int unsigned i = 0; i < NumSms; i++) if (i < n_sms) blocks += TbSumW'(tbs_q[i][k]);
  endfunction

  logic               ready, idle, word_valid;
  logic [SmW-1:0]     word_sm;
  logic [KernelW-1:0] word_kernel;
  logic [30:0]        word_quota, word_credit, split_whole;
  logic [30:0]        quota_q;  // that is split
  qsm_qos_split #(.NumSms(NumSms), .NumKernels(NumKernels), .TbW(TbW), .TbSumW(TbSumW)) u_dut (
    .clk_i, .rst_ni, .rollover_cap_i(cap_q), .carries_i(carries_q), .tbs_i(tbs_q), .valid_i,
    .ready_o(ready), .kernel_i, .short_i, .pooled_i(pooled_q), .everywhere_i(everywhere_q),
    .word_whole_i(quota_q), .quota_i, .whole_i, .largest_i, .carry_i,
    .tbs_sum_i(blocks(kernel_i, NumSms)), .whole_o(split_whole), .idle_o(idle),
    .word_valid_o(word_valid), .word_sm_o(word_sm), .word_kernel_o(word_kernel),
    .word_quota_o(word_quota), .word_credit_o(word_credit)
  );

  // R-QM-13
  logic [38:0] most_carried;
  logic [31:0] with_pool;
  logic [30:0] all_given;
  assign most_carried = 39'(whole_i) * 39'(cap_q);
  always_comb begin
    with_pool = 32'(quota_i);
    if (pooled_q && carries_q[kernel_i])
      with_pool += (cap_q != '0 && !largest_i && most_carried < 39'(carry_i)) ? most_carried[31:0]
          : 32'(carry_i);
    all_given = (with_pool > 32'h7fff_ffff) ? 31'h7fff_ffff : with_pool[30:0];
  end

  // One kernel after another, each when the one before is through: parts do not meet.
  logic               busy_q, short_q;
  logic [KernelW-1:0] kernel_q;
  logic [30:0]        given_q, given;           // parts so far, of the SMs before this word
  logic [31:0]        sent_q;                   // bit per SM: it has its word
  logic [33:0]        total;                    // quota * blocks so far
  logic [TbSumW-1:0]  all;
  logic [30:0]        least;                    // that the word must have
  logic               served;                   // a kernel that gets words
  logic               shares;                   // the word is of an equal share at least
  assign shares = everywhere_q && (short_q || tbs_q[word_sm][kernel_q] == '0);
  assign least  = (shares && quota_q / 31'(Equal) != '0) ? quota_q / 31'(Equal) : 31'd1;
  assign served = all != '0 || (everywhere_q && carries_q[kernel_q]);
  assign all = blocks(kernel_q, NumSms);
  always_comb begin
    total = '0;
    for (int unsigned b = 0; b < TbSumW; b++)
      if (blocks(kernel_q, 32'(word_sm) + 1)[b]) total += 34'(quota_q) << b;
  end
  assign given = given_q + u_dut.part;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else begin
      if (valid_i && ready) begin
        busy_q <= 1'b1;
        kernel_q <= kernel_i;
        short_q <= short_i;
        quota_q <= all_given;
        given_q <= '0;
        sent_q <= '0;
      end
      if (word_valid) given_q <= given;
      if (word_valid) sent_q[word_sm] <= 1'b1;
    end
  end

  function automatic logic [35:0] times_all(logic [30:0] value);
    times_all = '0;
    for (int unsigned b = 0; b < TbSumW; b++) if (all[b]) times_all += 36'(value) << b;
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!valid_i || (idle && 32'(kernel_i) < NumKernels && 32'(all_given >> QuotaBits) == 0));
      if (valid_i) told: assert (split_whole == all_given);
      if (word_valid)
        to_whom: assert (word_kernel == kernel_q && served &&
            (tbs_q[word_sm][kernel_q] != '0 || everywhere_q) &&
            !sent_q[word_sm] && (sent_q >> word_sm) == '0);
      if (word_valid && all != '0)
        floor: assert (times_all(given) <= 36'(total) && 36'(total) < times_all(given) + 36'(all));
      if (word_valid)
        at_least: assert (word_quota == ((u_dut.part < least) ? least : u_dut.part));
      if (word_valid && tbs_q[word_sm][kernel_q] == '0) no_part: assert (u_dut.part == '0);
      if (idle && busy_q && everywhere_q && served) everyone: assert (&sent_q[NumSms-1:0]);
      if (word_valid)
        credit_fits: assert (32'(word_quota) + 32'(word_credit) < 32'h8000_0000 &&
            ((carries_q[kernel_q] && !pooled_q) || word_credit == '0));
      if (idle && busy_q && all != '0) whole: assert (given_q == quota_q);
      halves: cover (word_valid && 32'(word_sm) == NumSms - 1 && quota_q == 7 && all == 2 &&
          given_q == 3);
      pools: cover (word_valid && pooled_q && quota_q == 7 && cap_q == 1);
      owes: cover (valid_i && pooled_q && carries_q[kernel_i] && split_whole == 31'd9 &&
          carry_i == 31'd5);
      none_left: cover (word_valid && u_dut.part == '0);
      equal_part: cover (word_valid && everywhere_q && u_dut.part < 31'd4 && word_quota == 31'd4);
      no_blocks: cover (idle && busy_q && everywhere_q && all == '0 && sent_q != '0);
    end
  end

  if (TbW > 1) begin : g_uneven  // else a kernel's SMs have equally many blocks
    always_ff @(posedge clk_i)
      if (rst_ni)
        own_part: cover (word_valid && everywhere_q && !short_q && u_dut.part != '0 &&
            u_dut.part < quota_q / 31'(Equal) && word_quota == u_dut.part);
  end
endmodule
