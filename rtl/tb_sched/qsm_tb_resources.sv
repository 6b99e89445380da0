// SPDX-License-Identifier: Apache-2.0
// Free resources of one SM for thread blocks, and the resources of each TB slot: warps per
// sub-core, granules, TB slots, TBs per kernel.
// Contract: docs/tb_sched.md R-TB-10 (taking), R-TB-11 (freeing). Both show in the outputs from the
// next cycle on; both may coincide.
// Cost: TB slot and granule maps, counters in flip-flops; kernel, first, base, granules and ticket
// of a TB in distributed RAM.
module qsm_tb_resources #(
  parameter int unsigned NumKernels = 4,    // 1..8
  parameter int unsigned NumSched = 1,      // sub-cores, 1..4
  parameter int unsigned WarpsPerSched = 8, // 1..16
  parameter int unsigned MaxTbs = 8,        // 1..32
  parameter int unsigned Granules = 32,     // power of two
  parameter int unsigned TicketW = 6,
  localparam int unsigned GranW = $clog2(Granules),
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned CountW = $clog2(MaxTbs + 1),
  // free warps of a sub-core, and what a TB needs there
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Shape of each kernel's TBs, stable while one of them is resident: warps = whole_i * NumSched +
  // rest_i.
  input  logic [NumKernels-1:0][FreeW-1:0] whole_i,
  input  logic [NumKernels-1:0][SubW-1:0]  rest_i,

  // Whether a TB of this kernel fits (granules not considered), and its place.
  input  logic [KernelW-1:0]  look_kernel_i,
  output logic                fits_o,
  output logic [TbW-1:0]      tb_o,     // lowest free TB slot
  output logic [SubW-1:0]     place_o,  // sub-core of its warp 0, if it fits
  output logic [SubW-1:0]     first_o,  // from which on that is looked for
  output logic [Granules-1:0] free_granules_o,
  // A TB of a kernel takes a place that is free: TB slot, sub-core of its warp 0 and the one after
  // that of its last warp, warps of each sub-core, granules.
  input  logic                take_i,
  input  logic [KernelW-1:0]  take_kernel_i,
  input  logic [TbW-1:0]      take_tb_i,
  input  logic [SubW-1:0]     take_first_i,
  input  logic [SubW-1:0]     take_after_i,
  input  logic [NumSched-1:0][FreeW-1:0] take_warps_i,
  input  logic [GranW-1:0]    take_base_i,
  input  logic [Granules-1:0] take_granules_i,
  input  logic [TicketW-1:0]  take_ticket_i,

  input  logic                  retire_i,
  input  logic [TbW-1:0]        retire_tb_i,
  output logic [NumKernels-1:0] retire_kernel_o,  // one bit: whose TB retires in this cycle
  // the same as a number, and its ticket; while retire_i
  output logic [KernelW-1:0]    retire_idx_o,
  output logic [TicketW-1:0]    retire_ticket_o,

  output logic [NumKernels-1:0][5:0]      cnt_o,
  output logic [NumSched-1:0][FreeW-1:0]  free_warps_o,

  // Where a TB is, in the same cycle: sub-core of its warp 0, first granule.
  input  logic [TbW-1:0]   look_tb_i,
  output logic [SubW-1:0]  look_first_o,
  output logic [GranW-1:0] look_base_o
);
  logic [MaxTbs-1:0] used_q;
  logic [Granules-1:0] free_granules_q;
  logic [NumSched-1:0][FreeW-1:0] free_warps_q;
  logic [SubW-1:0] first_q;
  logic [NumKernels-1:0][CountW-1:0] cnt_q;

  typedef struct packed {
    logic [KernelW-1:0] kernel;
    logic [SubW-1:0] first;
    logic [GranW-1:0] base;
    logic [Granules-1:0] granules;
    logic [TicketW-1:0] ticket;
  } held_t;
  held_t held_mem[MaxTbs];
  held_t freed;

  assign freed = held_mem[retire_tb_i];
  logic unused_base;
  assign unused_base = ^freed.base;
  always_ff @(posedge clk_i)
    if (take_i)
      held_mem[take_tb_i] <= '{kernel: take_kernel_i, first: take_first_i, base: take_base_i,
          granules: take_granules_i, ticket: take_ticket_i};
  assign look_first_o = held_mem[look_tb_i].first;
  assign look_base_o = held_mem[look_tb_i].base;

  logic [NumSched-1:0][FreeW-1:0] freed_warps;
  qsm_tb_need #(.NumSched(NumSched), .WarpsPerSched(WarpsPerSched)) u_freed (
    .whole_i(whole_i[freed.kernel]), .rest_i(rest_i[freed.kernel]), .first_i(freed.first),
    .need_o(freed_warps)
  );

  logic has_warps;
  logic [NumSched-1:0] unused_more;
  logic [SubW-1:0] unused_after;
  qsm_tb_place #(.NumSched(NumSched), .WarpsPerSched(WarpsPerSched)) u_place (
    .free_i(free_warps_q), .whole_i(whole_i[look_kernel_i]), .rest_i(rest_i[look_kernel_i]),
    .first_i(first_q), .fits_o(has_warps), .place_o, .more_o(unused_more), .after_o(unused_after)
  );
  assign fits_o = has_warps && used_q != '1;
  always_comb begin
    tb_o = '0;
    for (int s = MaxTbs - 1; s >= 0; s--) if (!used_q[s]) tb_o = TbW'(s);
  end

  logic [MaxTbs-1:0] taken_tb, freed_tb;
  logic [Granules-1:0] taken_granules;
  logic [NumKernels-1:0] take_kernel;
  always_comb begin
    taken_tb = take_i ? MaxTbs'(1) << take_tb_i : '0;
    freed_tb = retire_i ? MaxTbs'(1) << retire_tb_i : '0;
    taken_granules = take_i ? take_granules_i : '0;
    take_kernel = take_i ? NumKernels'(1) << take_kernel_i : '0;
    retire_kernel_o = retire_i ? NumKernels'(1) << freed.kernel : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      free_granules_q <= '1;
      free_warps_q <= {NumSched{FreeW'(WarpsPerSched)}};
      first_q <= '0;
      cnt_q <= '0;
    end else begin
      used_q <= (used_q & ~freed_tb) | taken_tb;
      free_granules_q <= (free_granules_q & ~taken_granules) | (retire_i ? freed.granules : '0);
      for (int unsigned j = 0; j < NumSched; j++) begin
        free_warps_q[j] <= free_warps_q[j] + (retire_i ? freed_warps[j] : '0) -
            (take_i ? take_warps_i[j] : '0);
      end
      if (take_i) first_q <= take_after_i;
      for (int unsigned k = 0; k < NumKernels; k++)
        cnt_q[k] <= cnt_q[k] + CountW'(take_kernel[k]) - CountW'(retire_kernel_o[k]);
    end
  end

  assign free_warps_o = free_warps_q;
  assign free_granules_o = free_granules_q;
  assign first_o = first_q;
  assign retire_idx_o = freed.kernel;
  assign retire_ticket_o = freed.ticket;
  always_comb for (int unsigned k = 0; k < NumKernels; k++) cnt_o[k] = 6'(cnt_q[k]);

`ifndef SYNTHESIS
  // R-TB-10: only free resources are taken; R-TB-11: only a used slot retires.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (taken_tb & used_q) == '0 && (taken_granules & ~free_granules_q) == '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (freed_tb & ~used_q) == '0 && !(retire_i && (freed.granules & free_granules_q) != '0));
  for (genvar j = 0; j < NumSched; j++) begin : g_assert
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        free_warps_q[j] <= FreeW'(WarpsPerSched));
  end
`endif
endmodule
