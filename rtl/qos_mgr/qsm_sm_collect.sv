// SPDX-License-Identifier: Apache-2.0
// Data collector of the SM manager: adds up what the SMs issued for each kernel in an epoch.
//
// Contract: after start_i one SM per cycle, all slots at once: row_i is what SM 0 has in the next
//   cycle, SM 1 in the one after it, and so on; a sum stops at 2^31 - 1 (R-SG-4).
//   done_o: this is the last SM's cycle. The sums stay until the next start; a slot that is not
//   valid keeps its old one, so that they are the records' i, too (R-SG-5). From then on it shows
//   what each slot issued on the common SM, if there is one (R-SG-15).
// Latency: NumSms cycles.
// Cost: an adder and two registers of at most 32 bits per slot.
// Doc: docs/sm_mgr.md.
module qsm_sm_collect #(
  parameter  int unsigned NumSms     = 4,
  parameter  int unsigned NumKernels = 4,
  parameter  int unsigned SnapW      = 31,  // bits of an SM's instructions of an epoch, 20..31
  localparam int unsigned SmW        = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input  logic                                         clk_i,
  input  logic                                         rst_ni,
  input  logic                                         start_i,
  input  logic [NumKernels-1:0]                        valid_i,  // steady until done_o
  input  logic [NumKernels-1:0][SnapW-1:0]             row_i,
  input  logic [NumSms-1:0]                            common_i,
  output logic                                         done_o,
  output logic [NumKernels-1:0][30:0]                  insn_o,
  output logic [NumKernels-1:0][30:0]                  common_insn_o
);
  localparam int unsigned AllW = SnapW + $clog2(NumSms);
  localparam int unsigned SumW = (AllW < 31) ? AllW : 31;

  logic           busy_q;
  logic [SmW-1:0] sm_q;
  logic [NumKernels-1:0][SnapW-1:0] common_q;  // of the common SMs so far the last one's
  assign done_o = busy_q && sm_q == SmW'(NumSms - 1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      sm_q     <= '0;
      common_q <= '0;
    end else begin
      busy_q <= start_i || (busy_q && !done_o);
      if (start_i) sm_q <= '0;
      else if (busy_q && !done_o) sm_q <= sm_q + SmW'(1);
      if (busy_q && common_i[sm_q]) common_q <= row_i;
    end
  end

  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    logic [SumW-1:0] sum_q;
    logic            clear, add;
    assign common_insn_o[k] = 31'(common_q[k]);
    assign clear = start_i && valid_i[k];
    assign add   = busy_q && valid_i[k];
    if (AllW > SumW) begin : g_clip
      logic        over_q;  // more than 31 bits
      logic [32:0] sum;
      assign sum = 33'(sum_q) + 33'(row_i[k]);
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) {over_q, sum_q} <= '0;
        else if (clear) {over_q, sum_q} <= '0;
        else if (add) {over_q, sum_q} <= {over_q || sum[32:31] != '0, sum[30:0]};
      end
      assign insn_o[k] = over_q ? '1 : sum_q;
    end else begin : g_whole
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) sum_q <= '0;
        else if (clear) sum_q <= '0;
        else if (add) sum_q <= sum_q + SumW'(row_i[k]);
      end
      assign insn_o[k] = 31'(sum_q);
    end
  end
endmodule
