// SPDX-License-Identifier: Apache-2.0
// Killed flags and fault records of an SM. docs/sm.md (R-SM-6, R-SM-7).
// Contract: at most one fault per source and cycle; only the first of a kernel counts until its
// next start. The load/store unit raises none in a cycle in which wait_o is set.
// Latency: fault raised in t: killed from t + 1 on, message in t + 1. record_o is combinational
// from kernel_i.
// Cost: per sub-core a distributed RAM of the records that it was the first to raise, the first
// sub-core's also of those of the load/store unit, and per kernel which one has the record.
// Observed by the lockstep monitor: fault_new, record, from_d (FAULT: lowest kernel of
// fault_new); killed_o, from_q, g_ram[*].mem (state).
module qsm_fault
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  localparam int unsigned SourceW = idx_w(NumSched)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic         [NumKernels-1:0] start_i,    // message: clears killed
  input  logic         [NumKernels-1:0] kill_i,     // message: sets killed
  input  fault_event_t [NumSched-1:0]   sub_i,      // of the sub-cores: the first counts
  input  fault_event_t                  lsu_i,
  output logic                          wait_o,     // a sub-core's counts
  output logic         [NumKernels-1:0] killed_o,
  output logic         [NumKernels-1:0] fault_o,    // message, in the sending cycle t + 1
  input  logic         [KernelW-1:0]    kernel_i,   // whose record is asked for
  output fault_t                        record_o,
  input  logic         [KernelW-1:0]    cause_kernel_i,  // likewise of its cause
  output logic         [4:0]            cause_o
);
  logic [NumKernels-1:0] killed_q, fault_q, fault_new;
  logic [NumKernels-1:0][SourceW-1:0] from_q, from_d;  // sub-core whose RAM has the record
  logic [NumSched-1:0] sub_counts;
  logic lsu_counts;

  for (genvar s = 0; s < NumSched; s++) begin : g_counts
    assign sub_counts[s] = sub_i[s].valid && !killed_q[sub_i[s].kernel];
  end
  assign wait_o     = sub_counts != '0;
  assign lsu_counts = lsu_i.valid && !killed_q[lsu_i.kernel];

  always_comb begin
    fault_new = '0;
    from_d    = from_q;
    if (lsu_counts) begin
      fault_new[lsu_i.kernel] = 1'b1;
      from_d[lsu_i.kernel]    = '0;
    end
    for (int s = int'(NumSched) - 1; s >= 0; s--) begin
      if (sub_counts[s]) begin
        fault_new[sub_i[s].kernel] = 1'b1;
        from_d[sub_i[s].kernel]    = SourceW'(s);
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

  fault_t [NumSched-1:0] record, read;  // what is written, and read
  logic [NumSched-1:0][4:0] read_cause;
  for (genvar s = 0; s < NumSched; s++) begin : g_ram
    logic write;
    logic [KernelW-1:0] kernel;
    fault_t mem[1 << KernelW];
    if (s == 0) begin : g_first
      assign write = sub_counts[0] || lsu_counts;
      assign {kernel, record[0]} = sub_counts[0] ? {sub_i[0].kernel, sub_i[0].record} :
        {lsu_i.kernel, lsu_i.record};
    end else begin : g_other
      assign write = sub_counts[s];
      assign {kernel, record[s]} = {sub_i[s].kernel, sub_i[s].record};
    end
    always_ff @(posedge clk_i) if (write) mem[kernel] <= record[s];
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
  a_lsu_waits: assert property (@(posedge clk_i) disable iff (!rst_ni) !(wait_o && lsu_i.valid))
    else $error("R-LS-3: faults of the load/store unit and of a sub-core in one cycle");
`endif
endmodule
