// SPDX-License-Identifier: Apache-2.0
// What each slot's launch has left of its work and of its time (docs/deadlines.md).
//
// Contract: keeps DEADLINE and WORK of each slot and, from LAUNCH on, those of its launch (R-DL-1,
//   R-DL-2). In the computation of an E it says of the slot at hand what is left at E (R-DL-3);
//   with take_i that is kept. A launch that begins meanwhile is none of this E.
// Method: two places for the launches of a slot. A new launch takes the one that is not of the last
//   E, so the computation finds what E saw; it is fresh where the places of two Es differ.
// Latency: combinational from insn_i; kernel_i has to stand for a cycle before, in which what is
//   kept of it is read.
// Cost: 194 bits per slot of distributed RAM, 7 flip-flops per slot and 101 more, an adder and two
//   subtractors of 32 bits.
module qsm_qos_due #(
  parameter  int unsigned NumKernels  = 4,
  parameter  type         due_write_t = logic,  // arrival, launch, deadline, work: a slot's write,
                                                // of one slot at a time; data: what is written
  localparam int unsigned KernelW     = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  due_write_t            write_i,
  input  logic [NumKernels-1:0] busy_i,     // a launch runs
  input  logic [31:0]           cycle_i,
  input  logic                  e_i,        // this is cycle E
  // the computation
  input  logic [31:0]           e_cycle_i,  // the last E
  input  logic [KernelW-1:0]    kernel_i,
  input  logic [30:0]           insn_i,     // its instructions of the epoch
  input  logic                  take_i,
  output logic                  due_o,      // it has a launch with both left
  output logic                  fresh_o,    // of which this is the first E
  output logic [31:0]           work_o,     // left of its thread instructions
  output logic [30:0]           left_o      // cycles left, where due_o
);
  typedef struct packed {
    logic        armed;  // it has both
    logic        mixed;  // another launch of the slot ran since the last E
    logic [31:0] until_cycle;
    logic [31:0] work;
  } terms_t;

  // ---- Registers ----
  logic [NumKernels-1:0] has_deadline_q, has_work_q, written;
  logic [KernelW-1:0]    slot;
  logic [30:0]           deadline_mem [NumKernels];
  logic [31:0]           work_mem     [NumKernels];

  assign written = write_i.arrival | write_i.launch | write_i.deadline | write_i.work;
  always_comb begin
    slot = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (written[k]) slot = slot | KernelW'(k);
    end
  end
  always_ff @(posedge clk_i) begin
    if (write_i.deadline != '0) deadline_mem[slot] <= write_i.data[30:0];
  end
  always_ff @(posedge clk_i) begin
    if (write_i.work != '0) work_mem[slot] <= write_i.data;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      has_deadline_q <= '0;
      has_work_q     <= '0;
    end else begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        if (write_i.arrival[k]) has_deadline_q[k] <= 1'b0;
        else if (write_i.deadline[k]) has_deadline_q[k] <= write_i.data[30:0] != '0;
        if (write_i.arrival[k]) has_work_q[k] <= 1'b0;
        else if (write_i.work[k]) has_work_q[k] <= 1'b1;
      end
    end
  end

  // ---- Launches (R-DL-2) ----
  logic [NumKernels-1:0] place_q, of_e_q, of_e, fresh_slots_q, running_q, seen_q;
  terms_t                terms_mem [2*NumKernels];
  terms_t                terms;

  assign of_e = e_i ? place_q : of_e_q;
  always_ff @(posedge clk_i) begin
    if (write_i.launch != '0) begin
      terms_mem[{slot, !of_e[slot]}] <= '{
        armed: has_deadline_q[slot] && has_work_q[slot], mixed: seen_q[slot] && !e_i,
        until_cycle: cycle_i + 32'(deadline_mem[slot]), work: work_mem[slot]
      };
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      place_q   <= '0;
      of_e_q    <= '0;
      fresh_slots_q <= '0;
      running_q <= '0;
      seen_q    <= '0;
    end else begin
      place_q <= (write_i.launch & ~of_e) | (~write_i.launch & place_q);
      of_e_q  <= of_e;
      seen_q  <= e_i ? '0 : seen_q | busy_i;
      if (e_i) begin
        fresh_slots_q <= place_q ^ of_e_q;
        running_q <= busy_i;
      end
    end
  end

  // ---- What is left (R-DL-3) ----
  logic [31:0] left_mem [NumKernels];
  logic        fresh, fresh_q;
  logic [31:0] from, from_q, until_q, left;
  logic [32:0] rest;
  logic        mixed_q, armed_q;
  assign terms   = terms_mem[{kernel_i, of_e_q[kernel_i]}];
  assign fresh   = fresh_slots_q[kernel_i];
  assign from    = fresh ? terms.work : left_mem[kernel_i];
  always_ff @(posedge clk_i) begin
    {fresh_q, from_q, until_q} <= {fresh, from, terms.until_cycle};
    {mixed_q, armed_q}         <= {terms.mixed, terms.armed};
  end
  assign fresh_o = fresh_q;
  assign rest    = {1'b0, from_q} - {2'b0, (fresh_q && mixed_q) ? 31'd0 : insn_i};
  assign left    = until_q - e_cycle_i;
  assign work_o  = (rest[32] || left[31] || left == '0 || (fresh_q && !armed_q)) ? '0
      : rest[31:0];
  assign left_o  = left[30:0];
  assign due_o   = running_q[kernel_i] && work_o != '0;
  always_ff @(posedge clk_i) begin
    if (take_i && running_q[kernel_i]) left_mem[kernel_i] <= work_o;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !take_i ||
      {fresh_q, from_q, until_q} == {fresh, from, terms.until_cycle})
    else $error("R-DL-3: what is left is that of another slot");
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(written))
    else $error("R-DL-1: registers of two slots are written at a time");
`endif
endmodule
