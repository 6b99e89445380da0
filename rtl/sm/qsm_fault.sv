// SPDX-License-Identifier: Apache-2.0
// Killed flags and fault records of an SM. docs/sm.md (R-SM-6, R-SM-7).
// Contract: at most one fault per source and cycle; only the first of a kernel counts until its
// next start.
// Latency: fault raised in t: killed from t + 1 on, message in t + 1. record_o is combinational
// from kernel_i.
// Cost: per source a distributed RAM of the records that it was the first to raise, and per kernel
// which source that was: so the write side needs no multiplexer.
// Observed by the lockstep monitor: fault_new, source_i, from_d (FAULT: lowest kernel of
// fault_new); killed_o, from_q, g_source[*].mem (state).
module qsm_fault
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  localparam int unsigned SourceW = idx_w(NumSched + 1)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic         [NumKernels-1:0] start_i,    // message: clears killed
  input  logic         [NumKernels-1:0] kill_i,     // message: sets killed
  // [0] the load/store unit, then the sub-cores: first counts
  input  fault_event_t [NumSched:0]     source_i,
  output logic         [NumKernels-1:0] killed_o,
  output logic         [NumKernels-1:0] fault_o,    // message, in the sending cycle t + 1
  input  logic         [KernelW-1:0]    kernel_i,   // whose record is asked for
  output fault_t                        record_o,
  input  logic         [KernelW-1:0]    cause_kernel_i,  // likewise of its cause
  output logic         [4:0]            cause_o
);
  logic [NumKernels-1:0] killed_q, fault_q, fault_new;
  logic [NumKernels-1:0][SourceW-1:0] from_q, from_d;  // source of the record
  logic [NumSched:0] counts;

  always_comb begin
    fault_new = '0;
    from_d    = from_q;
    for (int s = int'(NumSched); s >= 0; s--) begin
      counts[s] = source_i[s].valid && !killed_q[source_i[s].kernel];
      if (counts[s]) begin
        fault_new[source_i[s].kernel] = 1'b1;
        from_d[source_i[s].kernel]    = SourceW'(s);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      killed_q <= '0;
      fault_q  <= '0;
      from_q   <= '0;
    end else begin
      killed_q <= (killed_q & ~start_i) | kill_i | fault_new;  // a kill wins over a start
      fault_q  <= fault_new;
      from_q   <= from_d;
    end
  end

  fault_t [NumSched:0] read;
  logic [NumSched:0][4:0] read_cause;
  for (genvar s = 0; s <= NumSched; s++) begin : g_source
    fault_t mem[1 << KernelW];
    always_ff @(posedge clk_i) if (counts[s]) mem[source_i[s].kernel] <= source_i[s].record;
    assign read[s] = mem[kernel_i];
    assign read_cause[s] = mem[cause_kernel_i].cause;
  end

  assign killed_o = killed_q;
  assign fault_o  = fault_q;
  assign record_o = read[from_q[kernel_i]];
  assign cause_o  = read_cause[from_q[cause_kernel_i]];

`ifndef SYNTHESIS
  a_start_alone: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (start_i & fault_new) == '0)
    else $error("R-SM-7: start of a kernel coincides with its fault");
`endif
endmodule
