// SPDX-License-Identifier: Apache-2.0
// Victims of a claim: how many blocks of each kernel stay on the SM, how many leave, and which
// kernel loses the next one. Contract: docs/tb_adjust.md R-TA-11.
// The claiming kernel has no block, so it is never a victim.
// Cost: two counters per kernel.
// Observed by the lockstep monitor: left_q (CLAIM).
module qsm_tb_claim #(
  parameter int unsigned NumKernels = 4,  // 1..8
  parameter int unsigned MaxTbs = 8,      // TB slots per SM, 1..32
  localparam int unsigned CountW = $clog2(MaxTbs + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [NumKernels-1:0]      qos_i,
  input  logic                       load_i,     // left := cnt_i, no block leaves
  input  logic [NumKernels-1:0][5:0] cnt_i,
  input  logic                       go_i,       // the youngest block of slot_i leaves
  input  logic [NumKernels-1:0]      slot_i,     // one bit, or none
  // the next victim; none: no victim is left
  output logic [NumKernels-1:0]      next_o,
  output logic [CountW-1:0]          gone_o      // blocks of slot_i that leave
);
  logic [NumKernels-1:0][CountW-1:0] left_q, gone_q;

  // ---- kernels without a goal first, then the kernel with the most blocks, of equal ones the
  // highest ----
  logic [CountW:0] most;
  always_comb begin
    most = '0;
    next_o = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (left_q[k] != '0 && {!qos_i[k], left_q[k]} >= most) begin
        most = {!qos_i[k], left_q[k]};
        next_o = NumKernels'(1) << k;
      end
    end
  end

  always_comb begin
    gone_o = '0;
    for (int unsigned k = 0; k < NumKernels; k++) if (slot_i[k]) gone_o |= gone_q[k];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      gone_q <= '0;
    end else begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        if (load_i) begin
          left_q[k] <= CountW'(cnt_i[k]);
          gone_q[k] <= '0;
        end else if (go_i && slot_i[k]) begin
          left_q[k] <= left_q[k] - CountW'(1);
          gone_q[k] <= gone_q[k] + CountW'(1);
        end
      end
    end
  end

`ifndef SYNTHESIS
  for (genvar k = 0; k < NumKernels; k++) begin : g_assert
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(go_i && slot_i[k] && left_q[k] == '0));
  end
`endif
endmodule
