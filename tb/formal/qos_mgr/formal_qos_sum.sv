// SPDX-License-Identifier: Apache-2.0
// qsm_qos_sum: every valid slot is handed over once per start, QoS slots first, each group in slot
// order, with the exact sums over the SMs, NumSms + 1 cycles after the start or the slot before:
// of all SMs, and of a QoS slot those that are not common, of others those that are (R-QM-12); what
// is left of the counters on common ones (R-QM-13). What was read of an SM is shown (R-QM-14).
module formal_qos_sum #(
  parameter int unsigned NumSms = 3,
  parameter int unsigned NumKernels = 3,
  parameter int unsigned TbW = 2,
  parameter int unsigned SnapW = 3,
  localparam int unsigned TbSumW = TbW + $clog2(NumSms),
  localparam int unsigned InsnW = SnapW + $clog2(NumSms),
  localparam int unsigned CarryW = 31 + $clog2(NumSms),
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input logic                                          clk_i,
  input logic                                          start_i,
  input logic [NumKernels-1:0]                         valid_i,
  input logic [NumKernels-1:0]                         qos_i,
  input logic [NumSms-1:0]                             common_i,
  input logic [NumSms-1:0][NumKernels-1:0][SnapW-1:0] insn_i,
  input logic [NumSms-1:0][NumKernels-1:0][31:0]       c_i,
  input logic [NumSms-1:0][NumKernels-1:0][TbW-1:0]   tbs_i,
  input logic                                          ready_i,
  input logic [SmW-1:0]                                show_sm_i,
  input logic [KernelW-1:0]                            show_kernel_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic               idle, valid;
  logic [KernelW-1:0] kernel;
  logic [InsnW-1:0]   insn, bears;
  logic [TbSumW-1:0]  tbs;
  logic [SnapW-1:0]   top, shown_insn;
  logic [31:0]        shown_c;
  logic [CarryW-1:0]  carry;
  qsm_qos_sum #(.NumSms(NumSms), .NumKernels(NumKernels), .TbW(TbW), .TbSumW(TbSumW),
      .SnapW(SnapW)) u_dut (
    .clk_i, .rst_ni, .start_i, .valid_i, .qos_i, .common_i, .insn_i, .c_i, .tbs_i, .row_o(),
    .show_sm_i, .show_kernel_i, .shown_insn_o(shown_insn), .shown_c_o(shown_c), .idle_o(idle),
    .valid_o(valid), .ready_i, .kernel_o(kernel), .insn_o(insn), .bears_o(bears), .top_o(top),
    .carry_o(carry), .tbs_o(tbs)
  );

  // What is said stays as it is while sums are made.
  logic                                          moves;
  logic [NumKernels-1:0]                         qos_q;
  logic [NumSms-1:0][NumKernels-1:0][SnapW-1:0] insn_q;
  logic [NumSms-1:0][NumKernels-1:0][TbW-1:0]   tbs_q;
  logic [NumSms-1:0][NumKernels-1:0][31:0]       c_q;
  logic [NumSms-1:0]                             common_q;
  always_ff @(posedge clk_i)
    {qos_q, common_q, insn_q, c_q, tbs_q} <= {qos_i, common_i, insn_i, c_i, tbs_i};
  assign moves = {qos_i, common_i, insn_i, c_i, tbs_i} != {qos_q, common_q, insn_q, c_q, tbs_q};

  logic [NumKernels-1:0]       todo_q, urgent;
  logic [$clog2(NumSms+1)-1:0] cycles_q;  // since the start, or the slot before
  logic [KernelW-1:0]          next;
  logic [InsnW-1:0]            insn_sum, bears_sum;  // so far
  logic [TbSumW-1:0]           tbs_sum;
  logic [SnapW-1:0]            most;
  logic [CarryW-1:0]           carry_sum;
  always_comb begin
    urgent = ((todo_q & qos_i) != '0) ? todo_q & qos_i : todo_q;
    next = '0;
    for (int unsigned k = NumKernels; k > 0; k--) if (urgent[k-1]) next = KernelW'(k - 1);
    insn_sum = '0;
    bears_sum = '0;
    most = '0;
    carry_sum = '0;
    tbs_sum = '0;
    for (int unsigned i = 0; i < NumSms; i++) begin
      if (todo_q != '0 && i < 32'(cycles_q)) begin
        insn_sum += InsnW'(insn_i[i][next]);
        if (qos_i[next] ? !common_i[i] : common_i[i]) bears_sum += InsnW'(insn_i[i][next]);
        if (!common_i[i] && insn_i[i][next] > most) most = insn_i[i][next];
        tbs_sum += TbSumW'(tbs_i[i][next]);
        if (common_i[i] && signed'(c_i[i][next]) > 0) carry_sum += CarryW'(c_i[i][next]);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      todo_q <= '0;
      cycles_q <= '0;
    end else if (start_i) begin
      todo_q <= valid_i;
      cycles_q <= '0;
    end else if (todo_q != '0) begin
      if (32'(cycles_q) < NumSms) begin
        cycles_q <= cycles_q + 1'b1;
      end else if (ready_i) begin
        todo_q[next] <= 1'b0;
        cycles_q <= '0;
      end
    end
  end

  // R-QM-14, of one SM and slot that are any: what was read of them last, and whether it ever was.
  logic               reads, has_q;
  logic [SnapW+31:0]  last_q;
  logic [SmW-1:0]     sm_q;
  logic [KernelW-1:0] kernel_q;
  assign reads = todo_q != '0 && !start_i && cycles_q == ($clog2(NumSms+1))'(show_sm_i) &&
      next == show_kernel_i;
  always_ff @(posedge clk_i) begin
    {sm_q, kernel_q} <= {show_sm_i, show_kernel_i};
    if (!rst_ni) has_q <= 1'b0;
    else if (reads) has_q <= 1'b1;
    if (reads) last_q <= {insn_i[show_sm_i][show_kernel_i], c_i[show_sm_i][show_kernel_i]};
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (32'(show_sm_i) < NumSms && 32'(show_kernel_i) < NumKernels);
      assume ({show_sm_i, show_kernel_i} == {sm_q, kernel_q});
      if (has_q) kept: assert (u_dut.shown_mem[{show_sm_i, show_kernel_i}] == last_q);
      if (valid && next == show_kernel_i) read: assert (has_q);
      if (u_dut.shown_q[show_kernel_i]) has: assert (has_q);
      if (todo_q != '0 && next == show_kernel_i && 32'(cycles_q) > 32'(show_sm_i))
        so_far: assert (has_q);
      shown: assert ({shown_insn, shown_c} == (u_dut.shown_q[show_kernel_i] ? last_q : '0));
      assume (!start_i || idle);
      assume (idle || !moves);
      all_done: assert (idle == (todo_q == '0));
      in_time: assert (valid == (todo_q != '0 && 32'(cycles_q) == NumSms));
      if (valid) in_order: assert (kernel == next);
      sums: assert (insn == insn_sum && bears == bears_sum && top == most &&
          carry == carry_sum && tbs == tbs_sum);
      // For the induction: where the block stands.
      slots_left: assert (u_dut.todo_q == todo_q && 32'(cycles_q) <= NumSms);
      if (todo_q != '0)
        sms_done: assert (32'(u_dut.sm_q) == ((32'(cycles_q) == NumSms) ? 0 : 32'(cycles_q)));
      if (todo_q == '0) begins: assert (u_dut.sm_q == '0);
      last_of_three: cover (valid && ready_i && kernel == 0 && todo_q == 1 && qos_i[NumKernels-1] &&
          insn == 5 && bears == 3);
      again: cover (start_i && rst_ni && u_dut.insn_q == '0 && cycles_q == '0 && valid_i == 5);
    end
  end
endmodule
