// SPDX-License-Identifier: Apache-2.0
// Killed flags and fault records of an SM. docs/sm.md (R-SM-6, R-SM-7).
// Contract: at most one fault per source and cycle; only the first of a kernel counts until its next start.
// Latency: fault raised in t: killed from t + 1 on, message in t + 1.
// Cost: one fault_t per kernel slot.
// Observed by the lockstep monitor: fault_new, record_d (FAULT: lowest kernel of fault_new); killed_o, record_o (state).
module qsm_fault
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic         [NumKernels-1:0] start_i,   // message: clears killed
  input  logic         [NumKernels-1:0] kill_i,    // message: sets killed
  input  fault_event_t [NumSched:0]     source_i,  // [0] the load/store unit, then the sub-cores: first counts
  output logic         [NumKernels-1:0] killed_o,
  output logic         [NumKernels-1:0] fault_o,   // message, in the sending cycle t + 1
  output fault_t       [NumKernels-1:0] record_o
);
  logic   [NumKernels-1:0] killed_q, fault_q, fault_new;
  fault_t [NumKernels-1:0] record_q, record_d;

  always_comb begin
    fault_new = '0;
    record_d  = record_q;
    for (int unsigned s = NumSched + 1; s-- > 0;) begin
      if (source_i[s].valid && !killed_q[source_i[s].kernel]) begin
        fault_new[source_i[s].kernel] = 1'b1;
        record_d[source_i[s].kernel]  = source_i[s].record;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      killed_q <= '0;
      fault_q  <= '0;
      record_q <= '0;
    end else begin
      killed_q <= (killed_q & ~start_i) | kill_i | fault_new;  // a kill wins over a start
      fault_q  <= fault_new;
      record_q <= record_d;
    end
  end

  assign killed_o = killed_q;
  assign fault_o  = fault_q;
  assign record_o = record_q;

`ifndef SYNTHESIS
  a_start_alone: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (start_i & fault_new) == '0)
    else $error("R-SM-7: start of a kernel coincides with its fault");
`endif
endmodule
