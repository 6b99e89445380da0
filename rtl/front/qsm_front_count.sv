// SPDX-License-Identifier: Apache-2.0
// Thread instructions of a slot: the sum over the SMs, one per cycle, and what came since the last
// one.
// Contract: docs/front.md R-FR-22. run_i is COUNT, first_i its first cycle; insn_i is the counter
// of SM sm_o in this cycle. insn_o is there from the second cycle after COUNT on, until the next.
// Cost: an adder of 40 bits; sums of the slots in block RAM, read while the SMs' come.
module qsm_front_count #(
  parameter int unsigned NumSlots = 4,
  parameter int unsigned NumSms = 4,
  localparam int unsigned SlotW = (NumSlots > 1) ? $clog2(NumSlots) : 1,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             run_i,
  input  logic             first_i,
  input  logic [SlotW-1:0] slot_i,
  output logic [SmW-1:0]   sm_o,
  input  logic [39:0]      insn_i,
  output logic             last_o,
  output logic [39:0]      insn_o
);
  logic [SmW-1:0] sm_q;
  logic after_q;                  // the sum is there
  logic [39:0] sum_q, base_q;
  (* ram_style = "block", no_rw_check *) logic [39:0] base_mem[NumSlots];
  assign sm_o = sm_q;
  assign last_o = sm_q == SmW'(NumSms - 1);
  assign insn_o = sum_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sm_q <= '0;
      after_q <= 1'b0;
    end else begin
      if (run_i) sm_q <= last_o ? '0 : sm_q + SmW'(1);
      after_q <= run_i && last_o;
    end
  end
  always_ff @(posedge clk_i) begin
    if (run_i || after_q) begin
      sum_q <= ((run_i && first_i) ? '0 : sum_q) + (run_i ? insn_i : ~base_q) +
          40'(!run_i);
    end
    if (after_q) base_mem[slot_i] <= sum_q;
    base_q <= base_mem[slot_i];
  end
endmodule
